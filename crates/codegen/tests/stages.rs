//! Tests of the names of the passes, and of those that are required.

use codegen::{PassSet, Stage, Target};

#[test]
fn names_of_passes_are_unique_and_start_with_lowering() {
    for target in Target::all() {
        let names: Vec<String> = Stage::all(target).map(Stage::name).collect();
        assert_eq!(names[0], "lowering");
        for (at, name) in names.iter().enumerate() {
            assert!(!names[..at].contains(name), "{target:?}: {name}");
        }
    }
    assert!(Stage::find(Target::OpenCl, "dead-code-elimination-2").is_some());
}

#[test]
fn required_passes_are_not_left_out() {
    let mut without = PassSet::default();
    let error = without.insert("allocation").expect_err("it is required");
    assert_eq!(
        error,
        "the pass `allocation` is required: it decides where arrays are stored"
    );
    let error = without.insert("folding").expect_err("there is none");
    assert!(
        error.starts_with("there is no pass `folding`; the optional ones are address-hoisting, ")
    );
}
