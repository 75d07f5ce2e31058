//! Tests of elaboration and linking with the example programs.

use std::path::{Path, PathBuf};

use rise::core::{Expr, Form, Program, check, normalise, program_of, program_text};
use rise::{Primitive, Type};

/// The example programs, with their file names.
pub fn examples() -> Vec<(String, String)> {
    let mut files: Vec<PathBuf> = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rise") {
                files.push(path);
            }
        }
    }
    files.sort();
    assert!(files.len() > 50);
    let read = |path: PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        (name, with_imports(&path))
    };
    files.into_iter().map(read).collect()
}

/// Returns the text of a file with the texts of its imports in their places.
fn with_imports(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    let mut out = String::new();
    for line in text.lines() {
        match line.strip_prefix("import ") {
            Some(import) => {
                let import = path.with_file_name(import.trim().trim_matches('"'));
                out.push_str(&with_imports(&import));
            }
            None => out.push_str(line),
        }
        out.push('\n');
    }
    out
}

/// Returns the names that a text defines.
pub fn names(text: &str) -> Vec<String> {
    syntax::split(text)
        .into_iter()
        .filter_map(|span| {
            let item = syntax::parse(&text[std::ops::Range::<usize>::from(span)]).item;
            Some(item.name()?.name.to_string())
        })
        .collect()
}

/// Checks the normal form: every primitive has all of its arguments, and every function is a
/// parameter or an argument.
fn assert_normal(expr: &Expr<Primitive>, function: bool) {
    let is_function = matches!(*expr.ty, Type::Fun(..) | Type::Pi(_));
    assert!(function || !is_function, "{expr:?}");
    match &expr.form {
        Form::Lambda(_, body) | Form::DepLambda(_, _, body) => assert_normal(body, true),
        Form::Apply(f, x) => {
            let mut f = f;
            while let Form::Apply(g, _) | Form::DepApply(g, _) = &f.form {
                f = g;
            }
            assert!(matches!(f.form, Form::Var(_)), "{f:?}");
            assert_normal(x, true);
        }
        Form::Primitive(_, _, args) | Form::Foreign(_, args) => {
            assert!(!is_function, "{expr:?}");
            args.iter().for_each(|arg| assert_normal(arg, true));
        }
        Form::Var(_) => assert!(!is_function, "{expr:?}"),
        Form::Literal(_) | Form::Nat(_) => {}
        Form::Global(..) | Form::DepApply(..) => panic!("{expr:?}"),
    }
}

#[test]
fn every_example_is_a_program() {
    for (file, text) in examples() {
        for name in names(&text) {
            let program = program_of(&text, &name);
            assert!(program.is_ok(), "{file}: {name}: {}", program.unwrap_err());
            let mut program = program.unwrap();
            let typed = check(&program);
            assert!(typed.is_ok(), "{file}: {name}: {}", typed.unwrap_err());
            normalise(&mut program).unwrap();
            let typed = check(&program);
            assert!(typed.is_ok(), "{file}: {name}: {}", typed.unwrap_err());
            assert_normal(&program.body, true);
        }
    }
}

#[test]
fn the_library_is_made_of_programs() {
    for (file, text) in rise::STD {
        for name in names(text) {
            let program = program_of("", &name);
            assert!(program.is_ok(), "{file}: {name}: {}", program.unwrap_err());
            let mut program = program.unwrap();
            let typed = check(&program);
            assert!(typed.is_ok(), "{file}: {name}: {}", typed.unwrap_err());
            normalise(&mut program).unwrap();
            let typed = check(&program);
            assert!(typed.is_ok(), "{file}: {name}: {}", typed.unwrap_err());
            assert_normal(&program.body, true);
        }
    }
}

/// A printed program reads back and prints as the same text.
fn reads_back(place: &str, program: &Program<Primitive>) {
    let text = program_text(program);
    let again = match program_of(&text, &program.name) {
        Ok(again) => again,
        Err(error) => panic!("{place}: {error}\n{text}"),
    };
    assert_eq!(program_text(&again), text, "{place}");
}

#[test]
fn programs_read_back() {
    for (file, text) in examples() {
        for name in names(&text) {
            let mut program = program_of(&text, &name).unwrap();
            reads_back(&format!("{file}: {name}"), &program);
            normalise(&mut program).unwrap();
            reads_back(&format!("{file}: {name}"), &program);
        }
    }
    for (file, text) in rise::STD {
        for name in names(text) {
            let mut program = program_of("", &name).unwrap();
            reads_back(&format!("{file}: {name}"), &program);
            normalise(&mut program).unwrap();
            reads_back(&format!("{file}: {name}"), &program);
        }
    }
}

#[test]
fn launch_sizes_of_the_annotation_are_those_of_the_program() {
    let text = "@opencl(local = [64], global = [n, 2 * m])
        def f = depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 => xs))
        def g = depFun(n: Nat => fun(xs: n.f32 => xs))";
    let program = rise::core::program_of(text, "f").expect("a program");
    let names = rise::Names(program.names.clone().into());
    let shown = |sizes: &[Option<nat::Nat>; 3]| {
        let text = |size: &nat::Nat| rise::print::nat_text(size, &names);
        sizes.each_ref().map(|size| size.as_ref().map(text))
    };
    let some = |sizes: [&str; 3]| sizes.map(|size| Some(size.to_owned()));
    assert_eq!(shown(&program.launch.local), some(["64", "1", "1"]));
    assert_eq!(shown(&program.launch.global), some(["n", "m*2", "1"]));
    let program = rise::core::program_of(text, "g").expect("a program");
    assert_eq!(program.launch, rise::core::Launch::default());
}

#[test]
fn a_partial_application_binds_the_sizes_that_its_conditions_are_about() {
    let text = "def chunks = depFun((a: Nat, n: Nat) => fun(xs: n.f32 => xs |> split(a) |> join))
def partial = chunks(128)
def written : (m: Nat) -> m.f32 -> m.f32 = chunks(128)
def behind : f32 -> (m: Nat) -> m.f32 -> m.f32 = fun(x => chunks(4))";
    for (name, parameter) in [("partial", "n"), ("written", "m"), ("behind", "m")] {
        let mut program = program_of(text, name).unwrap_or_else(|error| panic!("{error}"));
        check(&program).unwrap_or_else(|error| panic!("{name}: {error:?}"));
        normalise(&mut program).unwrap_or_else(|error| panic!("{error}"));
        let mut body = &program.body;
        while let Form::Lambda(_, inner) = &body.form {
            body = inner;
        }
        let Form::DepLambda(var, ..) = &body.form else {
            panic!("{name} takes a size");
        };
        assert_eq!(program.name_of(*var), parameter);
        assert_eq!(program.obligations.len(), 1);
        assert!(program.obligations[0].mentions(*var), "{name}");
    }
    // The condition is instantiated with the argument at a use.
    let used = format!("{text}\ndef used = fun(xs: 256.f32 => xs |> partial(256) |> written(256))");
    let program = program_of(&used, "used").unwrap_or_else(|error| panic!("{error}"));
    check(&program).unwrap_or_else(|error| panic!("{error:?}"));
}
