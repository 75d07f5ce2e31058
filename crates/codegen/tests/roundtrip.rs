//! Tests that DPIA programs compile: the printed functional and imperative forms of each example to
//! the same text as the example itself, and programs written by hand.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use codegen::Target;
use codegen::{Module, Signature};
use dpia::definition::{self, Stage};
use dpia::functional::DefinitionSource;
use dpia::{Phrase, PhraseProgram, Prim, surface, typing};
use expect_test::{Expect, expect};
use rise::core::{
    Def, Form, Local, Mapper, Node, Origin, Param, link, normalise, program_of, program_text,
};
use rise::{Env, Inference, Names, Resolution, Ty, Type};
use syntax::ast::{Item, Name};
use syntax::{Dialect, GlobalId, Severity};

/// An environment of DPIA definitions; each one can use those before it.
#[derive(Default)]
struct File(Vec<Entry>);

struct Entry {
    name: Name,
    text: String,
    item: Item,
    inference: Inference,
    def: Option<Arc<Def<Prim>>>,
}

impl Env for File {
    fn resolve(&self, name: &str) -> Resolution {
        match self.0.iter().position(|entry| entry.name == name) {
            Some(at) => {
                let scheme = self.0[at].inference.scheme.clone();
                Resolution::Def(GlobalId(at as u64), scheme)
            }
            None => Resolution::Unknown,
        }
    }

    fn names(&self) -> Vec<Name> {
        self.0.iter().map(|entry| entry.name.clone()).collect()
    }
}

/// Compiles the last definition to an imperative program for a target, with the stages of the
/// compiler.
fn compiled(text: &str, target: Target) -> Result<(Stage, PhraseProgram), String> {
    let mut file = File::default();
    for span in syntax::split(text) {
        let own = &text[Range::from(span)];
        let parsed = syntax::parse_in(own, Dialect::Dpia);
        let inference = typing::infer(&parsed.item, &file);
        let mut found = parsed.diagnostics.iter().chain(&inference.diagnostics);
        if let Some(error) = found.find(|d| d.severity == Severity::Error) {
            let place = &own[Range::<usize>::from(error.span)];
            return Err(format!("{} at {place}", error.message));
        }
        let def = surface::elaborate(&parsed.item, &inference).map(Arc::new);
        let name = parsed.item.name().ok_or("no name")?.name.clone();
        file.0.push(Entry {
            name,
            text: own.to_owned(),
            item: parsed.item,
            inference,
            def,
        });
    }
    let last = file.0.len() - 1;
    let lookup = |id: GlobalId| file.0.get(usize::try_from(id.0).ok()?)?.def.clone();
    let linked = link(GlobalId(last as u64), &lookup).map_err(|error| error.to_string())?;
    let entry = &file.0[last];
    let written = DefinitionSource {
        item: &entry.item,
        text: &entry.text,
        inference: &entry.inference,
    };
    let mut found = definition::check(&linked, written);
    let compiled = definition::for_target(&linked, target.features(), written);
    found.extend(compiled.diagnostics);
    let (Some(program), Some(stage)) = (compiled.program, compiled.stage) else {
        return Err(format!("{found:?}"));
    };
    let imperative = dpia::imperative(&program).map_err(|error| error.to_string())?;
    Ok((stage, imperative))
}

/// Renames everything in a program to the same name, since printing has to rename variables with
/// equal names, and sorts its conditions into the order in which they are printed.
fn nameless(program: &PhraseProgram) -> PhraseProgram {
    struct Nameless;
    impl Nameless {
        fn name(local: &Local, ty: &Ty) -> Local {
            let name = match **ty {
                Type::Acc(_) => "xAcc",
                _ => "x",
            };
            let id = local.id;
            Local {
                id,
                name: name.into(),
            }
        }
    }
    impl Mapper<Prim> for Nameless {
        fn local(&mut self, local: &Local, ty: &Ty, origin: Origin) -> Option<Phrase> {
            let form = Form::Var(Nameless::name(local, ty));
            Some(Node::new(form, ty.clone(), origin))
        }
        fn param(&mut self, param: &Param) -> Param {
            let local = Nameless::name(&param.local, &param.ty);
            let ty = param.ty.clone();
            Param { local, ty }
        }
    }
    let mut program = program.clone();
    program.body = Nameless.expr(&program.body);
    let names = Names(program.names.clone().into());
    program
        .obligations
        .sort_by_key(|prop| rise::print::prop_text(prop, &names));
    program.names.fill("n".into());
    program
}

fn module(imperative: &PhraseProgram, target: Target) -> Result<Module, String> {
    codegen::compile(imperative, target).map_err(|errors| format!("{errors:?}"))
}

/// Returns the text of a program after those that it imports.
fn whole(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("a program");
    let mut out = String::new();
    for line in text.lines() {
        match line.strip_prefix("import \"") {
            Some(rest) => out.push_str(&whole(&path.with_file_name(rest.trim_end_matches('"')))),
            None => {
                out.push_str(line);
                out.push('\n');
            }
        }
    }
    out
}

/// Returns every program below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("the examples are there") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false if path.extension().is_some_and(|ext| ext == "rise") => found.push(path),
            false => {}
        }
    }
    found.sort();
    found
}

/// Describes the difference between a program and its printed forms.
fn difference(functional: &PhraseProgram, target: Target) -> Result<(), String> {
    let imperative = dpia::imperative(functional).map_err(|error| error.to_string())?;
    let Ok(wanted) = module(&nameless(&imperative), target) else {
        return Ok(());
    };
    let signature = module(&imperative, target)?.signature;
    let forms = [
        (Stage::Functional, program_text(functional)),
        (Stage::Imperative, program_text(&imperative)),
    ];
    for (stage, text) in forms {
        let (found, again) =
            compiled(&text, target).map_err(|e| format!("{stage:?}: {e}\n{text}"))?;
        assert_eq!(found, stage);
        let text_again = module(&nameless(&again), target)?.text;
        if text_again != wanted.text {
            let lines = wanted.text.lines().zip(text_again.lines());
            let lines = lines
                .filter(|(a, b)| a != b)
                .map(|(a, b)| format!("  {a}\n  {b}"));
            let lines: Vec<String> = lines.collect();
            return Err(format!("{stage:?}: {}\n{text}", lines.join("\n")));
        }
        let again = module(&again, target)?.signature;
        let params = |s: &Signature| -> Vec<Name> {
            let sizes = s.sizes.iter().map(|(_, name)| name);
            let values = s.params.iter().map(|(name, _)| name);
            sizes.chain(values).cloned().collect()
        };
        if params(&again) != params(&signature) {
            return Err(format!("{:?} and {:?}", params(&signature), params(&again)));
        }
    }
    Ok(())
}

fn programs(target: Target, least: usize) {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let (mut count, mut failures) = (0, Vec::new());
    for path in files(&examples) {
        let own = fs::read_to_string(&path).expect("a text");
        let text = whole(&path);
        for span in syntax::split(&own) {
            let item = syntax::parse(&own[Range::<usize>::from(span)]).item;
            let Some(name) = item.name() else { continue };
            let Ok(mut program) = program_of(&text, &name.name) else {
                continue;
            };
            normalise(&mut program).expect("it fits");
            let Ok(functional) = dpia::functional(&program, target.features()) else {
                continue;
            };
            count += 1;
            if let Err(error) = difference(&functional, target) {
                let place = path.strip_prefix(&examples).unwrap_or(&path).display();
                failures.push(format!("{place}: {}: {error}", name.name));
            }
        }
    }
    assert!(count > least, "only {count} programs");
    let (failed, all) = (failures.len(), failures.join("\n"));
    assert!(failures.is_empty(), "{failed} of {count}\n{all}");
}

#[test]
fn printed_programs_are_the_same_c() {
    programs(Target::C, 100);
}

#[test]
fn printed_programs_are_the_same_openmp() {
    programs(Target::OpenMp, 100);
}

/// Compares the text of a definition that is written by hand.
fn by_hand(text: &str, target: Target, expected: &Expect) {
    let (_, imperative) = compiled(text, target).expect("it compiles");
    let module = module(&imperative, target).expect("it has code");
    let start = module.text.find("\nvoid").map_or(0, |at| at + 1);
    expected.assert_eq(&module.text[start..]);
}

/// Listing 10 without address spaces and work-groups.
#[test]
fn matrix_times_vector() {
    let sequential = "def mv = depFun((n: Nat, m: Nat, s: Nat) =>
      fun((output: Acc[n.f32], M: Exp[n.m.f32, Rd], x: Exp[m.f32, Rd]) =>
        for(n / s, fun(block => for(s, fun(row =>
          new(f32, fun((accumAcc, accumExp) =>
            accumAcc = 0.0f;
            for(m, fun(i =>
              accumAcc = accumExp +
                fst(idx(i, zip(idx(row, idx(block, split(s, M))), x)))
                * snd(idx(i, zip(idx(row, idx(block, split(s, M))), x)))));
            idxAcc(row, idxAcc(block, joinAcc(output))) = accumExp))))))))";
    by_hand(
        sequential,
        Target::C,
        &expect![[r#"
            void mv(
                float *restrict output,
                int n,
                int m,
                int s,
                const float *restrict M,
                const float *restrict x
            ) {
                assert(s >= 1 && n % s == 0 && "s divides n");
                check_count("mv: n*m", (double)n * m);
                for (int block = 0; block < n / s; block++) {
                    for (int row = 0; row < 4 * (s / 4); row += 4) {
                        float accum = 0.0f;
                        float accum2 = 0.0f;
                        float accum3 = 0.0f;
                        float accum4 = 0.0f;
                        for (int k = 0; k < m; k++) {
                            accum += M[(block * s + row) * m + k] * x[k];
                            accum2 += M[(block * s + row + 1) * m + k] * x[k];
                            accum3 += M[(block * s + row + 2) * m + k] * x[k];
                            accum4 += M[(block * s + row + 3) * m + k] * x[k];
                        }
                        output[block * s + row] = accum;
                        output[block * s + row + 1] = accum2;
                        output[block * s + row + 2] = accum3;
                        output[block * s + row + 3] = accum4;
                    }
                    for (int row = 4 * (s / 4); row < s; row++) {
                        float accum = 0.0f;
                        for (int k = 0; k < m; k++) {
                            accum += M[(block * s + row) * m + k] * x[k];
                        }
                        output[block * s + row] = accum;
                    }
                }
            }
        "#]],
    );
    let parallel = "def mv = depFun((n: Nat, m: Nat, s: Nat) =>
      fun((output: Acc[n.f32], M: Exp[n.m.f32, Rd], x: Exp[m.f32, Rd]) =>
        parFor(n / s, s.f32, joinAcc(output), fun((block, rows) => for(s, fun(row =>
          new(f32, fun((accumAcc, accumExp) =>
            accumAcc = 0.0f;
            for(m, fun(i => accumAcc = accumExp + idx(i, idx(row, idx(block, split(s, M)))) * idx(i, x)));
            idxAcc(row, rows) = accumExp))))))))";
    by_hand(
        parallel,
        Target::OpenMp,
        &expect![[r#"
            void mv(
                float *restrict output,
                int n,
                int m,
                int s,
                const float *restrict M,
                const float *restrict x
            ) {
                assert(s >= 1 && n % s == 0 && "s divides n");
                check_count("mv: n*m", (double)n * m);
                #pragma omp parallel for
                for (int block = 0; block < n / s; block++) {
                    for (int row = 0; row < 4 * (s / 4); row += 4) {
                        float accum = 0.0f;
                        float accum2 = 0.0f;
                        float accum3 = 0.0f;
                        float accum4 = 0.0f;
                        for (int k = 0; k < m; k++) {
                            accum += M[(block * s + row) * m + k] * x[k];
                            accum2 += M[(block * s + row + 1) * m + k] * x[k];
                            accum3 += M[(block * s + row + 2) * m + k] * x[k];
                            accum4 += M[(block * s + row + 3) * m + k] * x[k];
                        }
                        output[block * s + row] = accum;
                        output[block * s + row + 1] = accum2;
                        output[block * s + row + 2] = accum3;
                        output[block * s + row + 3] = accum4;
                    }
                    for (int row = 4 * (s / 4); row < s; row++) {
                        float accum = 0.0f;
                        for (int k = 0; k < m; k++) {
                            accum += M[(block * s + row) * m + k] * x[k];
                        }
                        output[block * s + row] = accum;
                    }
                }
            }
        "#]],
    );
}

/// Definitions that use each other, in both forms, with parameters in any order.
#[test]
fn definitions_in_pieces() {
    by_hand(
        "foreign def root(x: f32): f32 = \"\"\"{ return sqrtf(x); }\"\"\"
         def square = fun(x: Exp[f32, Rd] => x * x)
         def norm = depFun((n: Nat) => fun(xs: Exp[n.f32, Rd] =>
           root(reduceSeq(fun((a, x) => a + square(x)), 0.0f, xs))))",
        Target::C,
        &expect![[r#"
            void norm(float *restrict output, int n, const float *restrict xs) {
                float a = 0.0f;
                for (int i = 0; i < n; i++) {
                    a += xs[i] * xs[i];
                }
                output[0] = root(a);
            }
        "#]],
    );
    by_hand(
        "def store = fun((place: Acc[f32], x: Exp[f32, Rd]) => if (x < 0.0f) { place = 0.0f } else { place = x })
         def clamp = depFun((n: Nat) => fun((xs: Exp[n.f32, Rd], out: Acc[n.f32]) =>
           for(n, fun(i => store(idxAcc(i, out), idx(i, xs))))))",
        Target::C,
        &expect![[r#"
            void clamp(float *restrict out, int n, const float *restrict xs) {
                for (int i = 0; i < n; i++) {
                    if (xs[i] < 0.0f) {
                        out[i] = 0.0f;
                    } else {
                        out[i] = xs[i];
                    }
                }
            }
        "#]],
    );
}
