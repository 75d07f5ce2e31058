//! Tests definitions, parameters and foreign functions whose names are reserved in C or OpenCL C.

mod loop_language;

use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::Arc;

use codegen::ir::{ExprKind, Place};
use codegen::{Target, reserved};
use loop_language::*;
use rise::core::Foreign;
use syntax::ast::ScalarType;

fn names(target: Target) -> BTreeSet<&'static str> {
    let families = [
        "pair_x",
        "load_f32x3",
        "omp_x",
        "pthread_x",
        "as_x",
        "CLK_X",
        "half_x",
        "float3",
    ];
    reserved::names(target).chain(families).collect()
}

/// Returns a function of each name with a parameter and a variable of that name.
fn definitions(target: Target) -> String {
    let f = scalar(ScalarType::F32);
    let each = names(target).into_iter().map(|name| {
        let mut b = Build::new(name, &f, &[]);
        let param = b.param(name, &f);
        let local = b.local(name, &f, None);
        b.function.body = vec![
            declare_as(local, float("0.0")),
            assign(Place::plain(local), b.get(param)),
            assign(Place::plain(local), mul(b.get(local), b.get(local))),
            assign(elem(b.function.outputs[0], 0), b.get(local)),
        ];
        b.finish(target).text
    });
    one_unit(each)
}

/// Returns a function that calls a foreign function of each name, with a parameter of that name.
fn foreign_functions(target: Target) -> String {
    let keywords = "auto break case char const continue default do double else enum extern float for \
                    goto if inline int long register restrict return short signed sizeof static \
                    struct switch typedef union unsigned void volatile while";
    let f = scalar(ScalarType::F32);
    let mut b = Build::new("caller", &f, &[]);
    let param = b.param("x", &f);
    for name in names(target) {
        // C keywords are not allowed as parameters of functions with a body.
        let is_keyword = keywords.split_whitespace().any(|word| word == name);
        let own = if is_keyword { "x" } else { name };
        let function = Foreign {
            name: name.into(),
            params: [(own.into(), f.clone())].into(),
            result: f.clone(),
            body: Some(format!("{{ return {own} + 1.0f; }}").into()),
            body_span: None,
            id: None,
        };
        let call = expr(ExprKind::Call(Arc::new(function), vec![b.get(param)]), &f);
        (b.function.body).push(assign(elem(b.function.outputs[0], 0), call));
    }
    one_unit(std::iter::once(b.finish(target).text))
}

/// Joins texts, with each header once.
fn one_unit(texts: impl Iterator<Item = String>) -> String {
    let mut headers = BTreeSet::new();
    let mut all = String::new();
    for text in texts {
        for line in text.split_inclusive('\n') {
            match line.starts_with("#include") {
                true => _ = headers.insert(line.to_owned()),
                false => all.push_str(line),
            }
        }
    }
    headers.into_iter().collect::<String>() + &all
}

fn accepted(text: &str, compiler: &str, args: &str) {
    let child = Command::new(compiler)
        .args(args.split_whitespace())
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        return; // not installed
    };
    if let Some(mut stdin) = child.stdin.take() {
        stdin
            .write_all(text.as_bytes())
            .expect("the compiler reads");
    }
    let output = child.wait_with_output().expect("the compiler ends");
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{compiler} {args}\n{message}");
}

#[test]
fn every_name_of_c_can_be_a_definition_and_a_parameter() {
    let every_header = "assert math omp stdbool stdint stdio stdlib string".split(' ');
    let every_header: String = every_header
        .map(|name| format!("#include <{name}.h>\n"))
        .collect();
    for text in [definitions(Target::C), foreign_functions(Target::C)] {
        let text = format!("{every_header}{text}");
        for std in ["c99", "c11", "gnu17", "gnu2x"] {
            accepted(
                &text,
                "gcc",
                &format!("-std={std} -fopenmp -Wall -Wextra -Werror -fsyntax-only -x c -"),
            );
        }
    }
}

#[test]
fn every_name_of_opencl_can_be_a_definition_and_a_parameter() {
    for text in [
        definitions(Target::OpenCl),
        foreign_functions(Target::OpenCl),
    ] {
        for std in ["CL1.2", "CL2.0", "CL3.0"] {
            accepted(
                &text,
                "clang",
                &format!(
                    "-x cl -cl-std={std} -Xclang -finclude-default-header -fsyntax-only -Wall \
                     -Wextra -Werror -ferror-limit=0 -"
                ),
            );
        }
    }
}

#[test]
fn a_parameter_that_hides_nothing_keeps_its_name() {
    let f = scalar(ScalarType::F32);
    for name in ["y1", "index", "read", "time", "round", "qsort"] {
        let mut b = Build::new("f", &f, &[]);
        let param = b.param(name, &f);
        b.function.body = vec![assign(elem(b.function.outputs[0], 0), b.get(param))];
        let text = b.text(Target::C);
        assert!(text.contains(&format!("float {name})")), "{text}");
    }
}

#[test]
fn a_parameter_does_not_hide_a_function_that_is_called() {
    let f = scalar(ScalarType::F32);
    let round = Foreign {
        name: "round".into(),
        params: [("x".into(), f.clone())].into(),
        result: f.clone(),
        body: None,
        body_span: None,
        id: None,
    };
    let mut b = Build::new("f", &f, &[]);
    let param = b.param("roundf", &f);
    let call = expr(ExprKind::Call(Arc::new(round), vec![b.get(param)]), &f);
    b.function.body = vec![assign(elem(b.function.outputs[0], 0), call)];
    let text = b.text(Target::C);
    assert!(text.contains("output[0] = roundf(roundf2);"), "{text}");
}
