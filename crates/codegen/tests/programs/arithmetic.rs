//! Tests the text of operators in C.

use codegen::Target;

use crate::module;

#[test]
fn the_negation_of_a_negation_is_no_decrement() {
    for (ty, value) in [
        ("u32", "3u32"),
        ("u32", "x"),
        ("i32", "x"),
        ("i64", "x"),
        ("u8", "x"),
        ("i16", "-3i16"),
        ("f32", "x"),
        ("f32", "-3.0f"),
        ("Vec[4, f32]", "x"),
        ("Vec[4, i32]", "x"),
    ] {
        let text = format!("def main = fun(x: {ty} => neg(neg(neg({value}))) + x)");
        for target in [Target::C, Target::OpenMp] {
            let found = module(&text, "main", target).unwrap_or_else(|error| panic!("{error}"));
            assert!(!found.text.contains("--"), "{}", found.text);
        }
        let text = format!(
            "def main = fun(xs: 4.{ty} => xs |> mapGlobal(fun(x => neg(neg(neg({value}))) + x)))"
        );
        let found = module(&text, "main", Target::OpenCl).unwrap_or_else(|e| panic!("{e}"));
        assert!(!found.text.contains("--"), "{}", found.text);
    }
}
