//! The programs of the examples can be compiled.

use std::fs;
use std::path::Path;

use dpia::Target;

use crate::file::check;

fn programs(folder: &str, target: Target) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples")
        .join(folder);
    let mut failures = String::new();
    let mut count = 0;
    for entry in fs::read_dir(folder).expect("the examples are there") {
        let path = entry.expect("an entry").path();
        let text = fs::read_to_string(&path).expect("a text");
        if text.contains("import ") {
            continue;
        }
        for span in syntax::split(&text) {
            let item = syntax::parse(&text[std::ops::Range::from(span)]).item;
            let marked = item.annotations.iter().any(|annotation| {
                annotation
                    .name
                    .as_ref()
                    .is_some_and(|name| name.name == "target")
            });
            let Some(name) = item.name().filter(|_| marked) else {
                continue;
            };
            count += 1;
            let def = check(&text, &name.name, target);
            if def.checked.phrase.is_none() {
                failures.push_str(&format!(
                    "{} {}:\n{}",
                    path.display(),
                    name.name,
                    def.shown()
                ));
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
    assert!(count > 10);
}

#[test]
fn examples_for_c() {
    programs("c", Target::C);
}

#[test]
fn examples_for_openmp() {
    programs("openmp", Target::OpenMp);
}
