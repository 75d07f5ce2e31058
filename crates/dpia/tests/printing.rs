//! What is printed of phrases reads back as the same phrases.

use std::fs;
use std::path::Path;

use dpia::{PhraseProgram, Target, surface, typing};
use rise::core::{link, normalise, program_of, program_text};
use rise::{Env, Resolution};
use syntax::ast::Name;
use syntax::{Dialect, GlobalId};

/// The C functions that a printed program declares before its definition.
#[derive(Default)]
struct Declared(Vec<(Name, std::sync::Arc<rise::Scheme>)>);

impl Env for Declared {
    fn resolve(&self, name: &str) -> Resolution {
        match self.0.iter().position(|(known, _)| known == name) {
            Some(at) => Resolution::Def(GlobalId(at as u64), self.0[at].1.clone()),
            None => Resolution::Unknown,
        }
    }

    fn names(&self) -> Vec<Name> {
        Vec::new()
    }
}

fn read(text: &str) -> PhraseProgram {
    let mut declared = Declared::default();
    let mut defs = Vec::new();
    for span in syntax::split(text) {
        let text = &text[std::ops::Range::<usize>::from(span)];
        let parsed = syntax::parse_in(text, Dialect::Dpia);
        assert_eq!(parsed.diagnostics, [], "{text}");
        let inference = typing::infer(&parsed.item, &declared);
        let def = surface::elaborate(&parsed.item, &inference);
        let Some(def) = def else {
            panic!("{:#?}\n{text}", inference.diagnostics);
        };
        declared.0.push((def.name.clone(), inference.scheme));
        defs.push(std::sync::Arc::new(def));
    }
    let last = GlobalId(defs.len() as u64 - 1);
    let lookup = |id: GlobalId| defs.get(usize::try_from(id.0).ok()?).cloned();
    link(last, &lookup).expect("it can be linked")
}

/// The text without what it assumes of sizes: reading may find one more condition on the way to
/// the sizes that are left out.
fn without_assumptions(text: &str) -> String {
    let assumes = |line: &&str| line.starts_with("@assume");
    let lines: Vec<&str> = text.lines().filter(|line| !assumes(line)).collect();
    lines.join("\n")
}

fn reads_back(place: &str, program: &PhraseProgram) {
    let text = program_text(program);
    let again = program_text(&read(&text));
    assert_eq!(
        without_assumptions(&again),
        without_assumptions(&text),
        "{place}"
    );
}

fn programs(folder: &str, target: Target) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples")
        .join(folder);
    let mut count = 0;
    for entry in fs::read_dir(folder).expect("the examples are there") {
        let path = entry.expect("an entry").path();
        let text = fs::read_to_string(&path).expect("a text");
        if text.contains("import ") {
            continue;
        }
        for span in syntax::split(&text) {
            let item = syntax::parse(&text[std::ops::Range::<usize>::from(span)]).item;
            let Some(name) = item.name() else { continue };
            let Ok(mut program) = program_of(&text, &name.name) else {
                continue;
            };
            normalise(&mut program).expect("it fits");
            let Ok(functional) = dpia::functional::functional(&program, target) else {
                continue;
            };
            count += 1;
            let place = format!("{}: {}", path.display(), name.name);
            reads_back(&place, &functional);
            let imperative = dpia::imperative(&functional).expect("it is total");
            reads_back(&place, &imperative);
        }
    }
    assert!(count > 10);
}

#[test]
fn programs_for_c_read_back() {
    programs("c", Target::C);
}

#[test]
fn programs_for_openmp_read_back() {
    programs("openmp", Target::OpenMp);
}
