//! Tests that the type checker finds every wrong type.

use std::sync::Arc;

use codegen::Target;
use dpia::Phrase;
use rise::Type;
use rise::core::{Form, Node};
use syntax::ast::ScalarType;

use super::source::imperative;

#[test]
fn no_type_can_be_changed_unnoticed() {
    let text = "def main = depFun((n: Nat, m: Nat) => fun(xs: (4*n).m.f32, b: bool =>
      xs |> map(reduceSeq(add)(0.0f)) |> split(4) |> transpose
         |> mapSeq(fun(row => let s = row |> reduceSeq(add)(1.0f) in row |> mapSeq(fun(x => select(b)(x)(s)))))))";
    let mut program = imperative(text, "main", Target::C);
    let whole = program.body.clone();
    let count = size(&whole);
    assert!(count > 50);
    for number in 0..count {
        let mut left = number;
        program.body = with_other_type(&whole, &mut left);
        assert!(dpia::check(&program).is_err(), "{number}");
    }
}

fn size(phrase: &Phrase) -> usize {
    1 + children(phrase).iter().map(size).sum::<usize>()
}

fn children(phrase: &Phrase) -> Vec<Phrase> {
    match &phrase.form {
        Form::Lambda(_, body) | Form::DepLambda(_, _, body) => vec![body.clone()],
        Form::Primitive(_, _, args) => args.to_vec(),
        _ => Vec::new(),
    }
}

/// Returns the phrase with another type at one of its nodes.
fn with_other_type(phrase: &Phrase, left: &mut usize) -> Phrase {
    if *left == 0 {
        *left = usize::MAX;
        let bool = Arc::new(Type::Scalar(ScalarType::Bool));
        let ty = match &*phrase.ty {
            Type::Exp(data, access) => Type::Exp(Type::Pair(data.clone(), bool).into(), *access),
            Type::Acc(data) => Type::Acc(Type::Pair(data.clone(), bool).into()),
            _ => Type::Acc(bool),
        };
        return Node::new(phrase.form.clone(), ty.into(), phrase.origin);
    }
    *left = left.saturating_sub(1);
    let form = match &phrase.form {
        Form::Lambda(param, body) => Form::Lambda(param.clone(), with_other_type(body, left)),
        Form::DepLambda(var, kind, body) => {
            Form::DepLambda(*var, *kind, with_other_type(body, left))
        }
        Form::Primitive(prim, types, args) => {
            let args = args.iter().map(|arg| with_other_type(arg, left)).collect();
            Form::Primitive(*prim, types.clone(), args)
        }
        other => other.clone(),
    };
    Node::new(form, phrase.ty.clone(), phrase.origin)
}
