//! Tests that each call of a C function in the program is one call in C.

use codegen::Target;

use crate::module;

const UPDATE: &str = "foreign def update(x: f32): (f32, f32) = \"\"\"{
  pair_f32_f32 r; r._1 = x * 2; r._2 = x + 1; return r;
}\"\"\"
foreign def root(x: f32): f32 = \"\"\"{ return sqrt(x); }\"\"\"
";

/// Returns the number of calls of a foreign function in the text of `def main`, without its own
/// head.
fn calls(main: &str, name: &str, target: Target) -> usize {
    let program = format!("{UPDATE}def main = {main}");
    let module = module(&program, "main", target).unwrap_or_else(|error| panic!("{error}"));
    let mentions = module.text.matches(&format!(" {name}(")).count()
        + module.text.matches(&format!("({name}(")).count();
    mentions - 1
}

#[test]
fn a_tuple_is_computed_by_one_call() {
    for body in [
        "update",
        "fun(x => update(x))",
        "fun(x => let r = update(x) in r._1 * r._2)",
        "fun(x => let r = update(x) in (r._2, r._1))",
        "fun(x => let r = update(x) in let s = r in (s._1, (r._2, s._2)))",
        "fun(x => (fun(r => r._1 + r._2))(update(x)))",
        "fun(x => update(x) |> mapFst(fun(y => y + 1.0f)))",
        "fun(x => let r = select(x > 0.0f)((x, x))(update(x)) in r._1 * r._2)",
    ] {
        let seq = format!("fun(xs: 8.f32 => xs |> mapSeq({body}))");
        assert_eq!(calls(&seq, "update", Target::C), 1, "{body}");
        let par = format!("fun(xs: 8.f32 => xs |> mapPar({body}))");
        assert_eq!(calls(&par, "update", Target::OpenMp), 1, "{body}");
        let device = format!("fun(xs: 8.f32 => xs |> mapGlobal({body}))");
        assert_eq!(calls(&device, "update", Target::OpenCl), 1, "{body}");
    }
    assert_eq!(calls("fun(x: f32 => update(x))", "update", Target::C), 1);
    let view = "fun(xs: 8.f32 => xs |> map(update) |> mapSeq(fun(p => p._1 + p._2)))";
    assert_eq!(calls(view, "update", Target::C), 1);
}

#[test]
fn a_let_is_computed_by_one_call() {
    for body in [
        "fun(x => let r = root(x) in r * r)",
        "fun(x => let r = (root(x), x) in r._1 * r._1 + r._2)",
        "fun(x => let r = root(x) in select(r > 1.0f)(r)(r + x))",
    ] {
        let seq = format!("fun(xs: 8.f32 => xs |> mapSeq({body}))");
        assert_eq!(calls(&seq, "root", Target::C), 1, "{body}");
        let device = format!("fun(xs: 8.f32 => xs |> mapGlobal({body}))");
        assert_eq!(calls(&device, "root", Target::OpenCl), 1, "{body}");
    }
}
