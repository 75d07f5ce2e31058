//! Tests the table of accesses: for each primitive the accesses of its arguments and its result.
//!
//! Each row is tried with every combination of accesses: those of the table are accepted, and no
//! others. `@` marks the position of an access. Data that contains an array is not copied
//! implicitly, so that the accesses of most rows are exact.

use dpia::{surface, typing};
use rise::{Env, Resolution};
use syntax::ast::Name;
use syntax::{Dialect, Severity};

struct Row {
    /// The definitions before the tested one, and its size parameters.
    sizes: &'static str,
    /// The types of the parameters and the result.
    ty: &'static str,
    /// The right side under `fun((…) => …)`.
    params: &'static str,
    body: &'static str,
    /// The accepted accesses: a letter for each `@`, or several in brackets; `a` is the same
    /// everywhere.
    accepted: &'static [&'static str],
}

const fn row(
    ty: &'static str,
    params: &'static str,
    body: &'static str,
    accepted: &'static [&'static str],
) -> Row {
    Row {
        sizes: "n: Nat, m: Nat",
        ty,
        params,
        body,
        accepted,
    }
}

const MAP: &str = "(Exp[4.f32, @] -> Exp[4.f32, @]) -> Exp[n.4.f32, @] -> Exp[n.4.f32, @]";
const FOLD: &str =
    "(Exp[4.f32, @] -> Exp[4.f32, @] -> Exp[4.f32, @]) -> Exp[4.f32, @] -> Exp[n.4.f32, @]";
const HALF: &str =
    "(Exp[4.f32, @] -> Exp[4.f32, @]) -> Exp[(4.f32, 4.f32), @] -> Exp[(4.f32, 4.f32), @]";
const ROWS: &str = "Exp[n.m.f32, @] -> Exp[(n * m).f32, @]";
const SAME: &str = "Exp[n.m.f32, @] -> Exp[n.m.f32, @]";

#[test]
fn loops_read_and_write() {
    for name in [
        "mapSeq",
        "mapSeqUnroll",
        "mapPar",
        "mapGlobal",
        "mapWorkGroup",
        "mapLocal",
    ] {
        holds_as(&row(MAP, "f, xs", "NAME(f, xs)", &["RWRW"]), name);
    }
    holds(&row(
        "((k: Nat) -> Exp[k.f32, @] -> Exp[k.f32, @]) -> Exp[n..dataFun(i => i.f32), @]
         -> Exp[n..dataFun(i => i.f32), @]",
        "f, xs",
        "depMapSeq(f, xs)",
        &["RWRW"],
    ));
    holds(&row(
        "((l: Nat) -> Exp[(l * 2).f32, @] -> Exp[l.f32, @]) -> Exp[(n * 8).f32, @] -> Exp[n.f32, @]",
        "f, xs",
        "iterate(3, f, xs)",
        &["RWRW"],
    ));
}

#[test]
fn reductions() {
    for name in ["reduceSeq", "reduceSeqUnroll", "reducePar"] {
        let ty = leak(format!("{FOLD} -> Exp[4.f32, @]"));
        holds_as(
            &row(ty, "f, init, xs", "NAME(f, init, xs)", &["RRWWRR"]),
            name,
        );
    }
    let ty = leak(format!("{FOLD} -> Exp[n.4.f32, @]"));
    holds(&row(ty, "f, init, xs", "scanSeq(f, init, xs)", &["RRWWRW"]));
}

#[test]
fn views_pass_accesses_on() {
    holds(&row(MAP, "f, xs", "map(f, xs)", &["aaaa"]));
    for name in ["mapFst", "mapSnd"] {
        holds_as(&row(HALF, "f, p", "NAME(f, p)", &["aaaa"]), name);
    }
    for (ty, body) in [
        (ROWS, "join(xs)"),
        ("Exp[(n * 4).f32, @] -> Exp[n.4.f32, @]", "split(4, xs)"),
        ("Exp[n.m.f32, @] -> Exp[m.n.f32, @]", "transpose(xs)"),
        (
            "Exp[n.(f32, i32), @] -> Exp[(n.f32, n.i32), @]",
            "unzip(xs)",
        ),
        (
            "Exp[(n * 4).f32, @] -> Exp[n.Vec[4, f32], @]",
            "asVector(4, xs)",
        ),
        (
            "Exp[(n * 4).f32, @] -> Exp[n.Vec[4, f32], @]",
            "asVectorAligned(4, xs)",
        ),
        (
            "Exp[n.Vec[4, f32], @] -> Exp[(n * 4).f32, @]",
            "asScalar(xs)",
        ),
        (
            SAME,
            "reorder(n, natFun(i => n - 1 - i), natFun(i => n - 1 - i), xs)",
        ),
        (
            "Exp[n.f32, @] -> Exp[DepPair[k => k.f32], @]",
            "makeDepPair(n, xs)",
        ),
        (
            "Exp[n..dataFun(i => (i + 1).f32), @] -> Exp[(sum(i, 0, n, i + 1)).f32, @]",
            "depJoin(xs)",
        ),
        ("Exp[n.f32, @] -> Exp[n.f32, @]", "assume(n, xs)"),
        (SAME, "select(true, xs, xs)"),
    ] {
        holds(&row(ty, "xs", body, &["aa"]));
    }
    let two = "Exp[n.f32, @] -> Exp[n.i32, @] -> Exp[n.(f32, i32), @]";
    holds(&row(two, "xs, ys", "zip(xs, ys)", &["aaa"]));
    let pair = "Exp[n.f32, @] -> Exp[m.i32, @] -> Exp[(n.f32, m.i32), @]";
    holds(&row(pair, "xs, ys", "makePair(xs, ys)", &["aaa"]));
    holds(&row(pair, "xs, ys", "(xs, ys)", &["aaa"]));
}

#[test]
fn memory_and_names() {
    holds(&row(
        "Exp[n.f32, @] -> Exp[n.f32, @]",
        "x",
        "toMem(x)",
        &["WR"],
    ));
    holds(&row(
        "Exp[n.f32, @] -> Exp[n.f32, @]",
        "x",
        "oclRun(1, 1, 1, 1, 1, 1, x)",
        &["WW"],
    ));
    holds(&row(
        "Exp[n.f32, @] -> (Exp[n.f32, @] -> Exp[m.f32, @]) -> Exp[m.f32, @]",
        "x, f",
        "let y = x in f(y)",
        &["RRaa"],
    ));
    holds(&row(
        "Exp[DepPair[k => k.f32], @] -> ((k: Nat) -> Exp[k.f32, @] -> Exp[m.f32, @]) -> Exp[m.f32, @]",
        "p, f",
        "dmatch(p, f)",
        &["RRaa"],
    ));
}

#[test]
fn what_only_reads() {
    for (ty, body) in [
        ("Exp[(n + 2).f32, @] -> Exp[n.3.f32, @]", "slide(3, 1, xs)"),
        (
            "Exp[(n + 1).f32, @] -> Exp[(n + 3).f32, @]",
            "padClamp(1, 1, xs)",
        ),
        (
            "Exp[n.f32, @] -> Exp[(n + 2).f32, @]",
            "padCst(1, 1, 0.0f, xs)",
        ),
        ("Exp[(n + m).f32, @] -> Exp[n.f32, @]", "take(n, xs)"),
        ("Exp[(n + m).f32, @] -> Exp[m.f32, @]", "drop(n, xs)"),
        ("Exp[3.n.f32, @] -> Exp[n.f32, @]", "idx(0, xs)"),
        ("Exp[(n.f32, i32), @] -> Exp[n.f32, @]", "fst(xs)"),
        ("Exp[(i32, n.f32), @] -> Exp[n.f32, @]", "snd(xs)"),
        ("Exp[n.f32, @] -> Exp[2.n.f32, @]", "makeArray(2, xs, xs)"),
        ("Exp[n.f32, @] -> Exp[4.n.f32, @]", "generate(fun(i => xs))"),
        (
            "Exp[(sum(i, 0, n, i + 1)).f32, @] -> Exp[n..dataFun(i => (i + 1).f32), @]",
            "partition(n, natFun(i => i + 1), xs)",
        ),
    ] {
        holds(&row(ty, "xs", body, &["RR"]));
    }
    holds(&row(
        "Exp[m.Idx[n], @] -> Exp[n.f32, @] -> Exp[m.f32, @]",
        "indices, xs",
        "gather(indices, xs)",
        &["RRR"],
    ));
    holds(&row(
        "Exp[n..dataFun(i => i.f32), @] -> Exp[n..dataFun(i => i.i32), @]
         -> Exp[n..dataFun(i => (i.f32, i.i32)), @]",
        "xs, ys",
        "depZip(xs, ys)",
        &["RRR"],
    ));
}

/// A value without arrays of access `Rd` is accepted where `Wr` is expected.
#[test]
fn single_values() {
    for (ty, body) in [
        ("Exp[f32, @] -> Exp[f32, @]", "-x"),
        ("Exp[f32, @] -> Exp[f32, @]", "x + 1.0f"),
        ("Exp[f32, @] -> Exp[i32, @]", "cast(x)"),
        ("Exp[f32, @] -> Exp[Vec[4, f32], @]", "vectorFromScalar(x)"),
        ("Exp[Idx[n], @] -> Exp[natType, @]", "indexAsNat(x)"),
        ("Exp[natType, @] -> Exp[Idx[n], @]", "natAsIndex(n, x)"),
        ("Exp[f32, @] -> Exp[f32, @]", "root(x)"),
    ] {
        holds(&row(ty, "x", body, &["R[RW]"]));
    }
    holds(&row(
        "(Exp[f32, @] -> Exp[f32, @]) -> Exp[Vec[4, f32], @] -> Exp[Vec[4, f32], @]",
        "f, v",
        "mapVec(f, v)",
        &["[RW][RW]RW"],
    ));
    holds(&row(
        "Exp[f32, @] -> Exp[f32, @]",
        "x",
        "x",
        &["RR", "WW", "RW", "SS"],
    ));
}

#[test]
fn what_only_writes() {
    holds(&row(
        "Exp[n.Idx[m], @] -> Exp[n.f32, @] -> Exp[m.f32, @]",
        "indices, xs",
        "scatter(indices, xs)",
        &["RWW"],
    ));
    let two = "Exp[n.f32, @] -> Exp[m.f32, @] -> Exp[(n + m).f32, @]";
    holds(&row(two, "xs, ys", "concat(xs, ys)", &["WWW"]));
    let longer = "Exp[n.f32, @] -> Exp[(n + 2).f32, @]";
    holds(&row(longer, "xs", "padEmpty(2, xs)", &["WW"]));
}

#[test]
fn streams() {
    holds(&row(MAP, "f, xs", "mapStream(f, xs)", &["RW[RS]S"]));
    holds(&row(MAP, "f, xs", "iterateStream(f, xs)", &["RW[RS]W"]));
    let windows = "(Exp[4.f32, @] -> Exp[4.f32, @]) -> Exp[(n + 2).4.f32, @] -> Exp[n.3.4.f32, @]";
    holds(&row(
        windows,
        "f, xs",
        "circularBuffer(3, 3, f, xs)",
        &["RW[RS]S"],
    ));
    holds(&row(
        windows,
        "f, xs",
        "rotateValues(3, f, xs)",
        &["RW[RS]S"],
    ));
    let two = "Exp[n.f32, @] -> Exp[n.i32, @] -> Exp[n.(f32, i32), @]";
    holds(&row(two, "xs, ys", "zipStream(xs, ys)", &["[RS][RS]S"]));
}

fn leak(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

fn holds(row: &Row) {
    holds_as(row, "");
}

/// Tries every combination of accesses.
fn holds_as(row: &Row, name: &str) {
    let places = row.ty.matches('@').count();
    let mut wrong = Vec::new();
    for code in 0..3_usize.pow(places as u32) {
        let letters: String = (0..places)
            .map(|at| ['R', 'W', 'S'][code / 3_usize.pow(at as u32) % 3])
            .collect();
        let listed = row.accepted.iter().any(|pattern| fits(pattern, &letters));
        let found = is_accepted(&text(row, name, &letters));
        if found != listed {
            let what = if found { "accepted" } else { "refused" };
            wrong.push(format!("{letters} is {what}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{name} {}: {wrong:?}",
        text(row, name, &"R".repeat(places))
    );
}

/// Returns true if the accesses match a pattern.
fn fits(pattern: &str, letters: &str) -> bool {
    let mut signs = pattern.chars();
    let mut same = None;
    letters.chars().all(|letter| match signs.next() {
        Some('a') => letter != 'S' && *same.get_or_insert(letter) == letter,
        Some('[') => {
            let choice: Vec<char> = signs.by_ref().take_while(|sign| *sign != ']').collect();
            choice.contains(&letter)
        }
        sign => sign == Some(letter),
    })
}

fn text(row: &Row, name: &str, letters: &str) -> String {
    let mut ty = String::new();
    let mut letters = letters.chars();
    for sign in row.ty.chars() {
        match sign {
            '@' => ty.push_str(match letters.next() {
                Some('R') => "Rd",
                Some('W') => "Wr",
                _ => "St",
            }),
            sign => ty.push(sign),
        }
    }
    let sizes: Vec<String> = row
        .sizes
        .split(", ")
        .map(|size| format!("({size})"))
        .collect();
    let (sizes, body) = (sizes.join(" -> "), row.body.replace("NAME", name));
    let (names, params) = (row.sizes, row.params);
    format!("def main : {sizes} -> {ty} = depFun(({names}) => fun(({params}) => {body}))")
}

/// The environment of a C function for one of the rows.
struct Root;

impl Env for Root {
    fn resolve(&self, name: &str) -> Resolution {
        if name != "root" {
            return Resolution::Unknown;
        }
        let item = syntax::parse_in("foreign def root(x: f32): f32", Dialect::Dpia).item;
        let scheme = typing::infer(&item, &Root).scheme;
        Resolution::Def(syntax::GlobalId(0), scheme)
    }

    fn names(&self) -> Vec<Name> {
        Vec::new()
    }
}

fn is_accepted(text: &str) -> bool {
    let parsed = syntax::parse_in(text, Dialect::Dpia);
    assert_eq!(parsed.diagnostics, [], "{text}");
    let inference = typing::infer(&parsed.item, &Root);
    let errors: Vec<_> = inference
        .diagnostics
        .iter()
        .filter(|d| d.severity == Severity::Error)
        .collect();
    let about_access = errors.iter().all(|d| {
        matches!(
            d.code.as_str(),
            "missing-copy" | "missing-memory" | "stream-as-array"
        )
    });
    assert!(about_access, "{text}: {errors:#?}");
    if errors.is_empty() {
        assert!(
            surface::elaborate(&parsed.item, &inference).is_some(),
            "{text}"
        );
    }
    errors.is_empty()
}
