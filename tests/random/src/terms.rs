//! Generates random small terms, most of them ill-typed: functions applied to functions, partial
//! applications, compositions. They test type inference, not execution.

use crate::Choice;

/// The words of which the terms of a language consist.
#[derive(Clone, Debug)]
pub struct Words<'a> {
    /// The names of functions.
    pub functions: &'a [&'a str],
    /// Other terms, types and sizes.
    pub others: &'a [&'a str],
}

/// Generates the term of a seed.
pub fn term(seed: u64, words: &Words<'_>) -> String {
    let mut choice = Choice::new(seed);
    part(&mut choice, words, 4)
}

/// Further words that RISE, DPIA and the rules of ELEVATE accept. `x`, `y` and `n` are free
/// variables.
pub const OTHERS: &[&str] = &[
    "x",
    "y",
    "n",
    "4",
    "1.0f",
    "true",
    "f32",
    "n.f32",
    "n..dataFun(i => i.f32)",
    "natFun(i => i + 1)",
    "dataFun(i => i.f32)",
    "fun(z => z)",
    "fun(z => z(z))",
    "fun(z => (z, z))",
    "depFun(k: Nat => id)",
    "depFun(k: Nat => fun(z => z))",
];

fn part(choice: &mut Choice, words: &Words<'_>, depth: u32) -> String {
    let shapes = if depth == 0 { 3 } else { 14 };
    let shape = choice.below(shapes);
    let function = choice.of(words.functions);
    let mut part = || part(choice, words, depth - 1);
    match shape {
        0 | 1 => function.to_owned(),
        2 => choice.of(words.others).to_owned(),
        3..=6 => format!("{function}({})", part()),
        7 => format!("{function}({})({})", part(), part()),
        8 => format!("{function}({})({})({})", part(), part(), part()),
        9 => format!("({} >> {})", part(), part()),
        10 => format!("({} |> {})", part(), part()),
        11 => format!("(let z = {} in {})", part(), part()),
        12 => format!("fun(x => {})", part()),
        _ => format!("depFun(n: Nat => {})", part()),
    }
}
