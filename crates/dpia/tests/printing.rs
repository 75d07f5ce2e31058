//! Tests that printed phrases read back as the same phrases.
//!
//! Each program of `examples` that can be compiled for a target is translated to functional and
//! imperative DPIA. Both forms are printed, parsed and inferred again; the results are well-typed,
//! have no races, and print the same.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use codegen::Target;
use dpia::{PhraseProgram, races::races, surface, typing};
use rise::core::{link, normalise, program_of, program_text};
use rise::{Env, Resolution};
use syntax::ast::Name;
use syntax::{Dialect, GlobalId, Severity};

/// The C functions that a printed program declares before its definition.
#[derive(Default)]
struct Declared(Vec<(Name, Arc<rise::Scheme>)>);

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

fn read(text: &str) -> Result<PhraseProgram, String> {
    let mut declared = Declared::default();
    let mut defs = Vec::new();
    for span in syntax::split(text) {
        let text = &text[std::ops::Range::<usize>::from(span)];
        let parsed = syntax::parse_in(text, Dialect::Dpia);
        let mut found = parsed.diagnostics;
        let inference = typing::infer(&parsed.item, &declared);
        found.extend(inference.diagnostics.clone());
        if let Some(error) = found.iter().find(|d| d.severity == Severity::Error) {
            let place = &text[std::ops::Range::<usize>::from(error.span)];
            return Err(format!("{} at {place}", error.message));
        }
        let def = surface::elaborate(&parsed.item, &inference).ok_or("no phrase")?;
        declared.0.push((def.name.clone(), inference.scheme));
        defs.push(Arc::new(def));
    }
    let last = GlobalId(defs.len() as u64 - 1);
    let lookup = |id: GlobalId| defs.get(usize::try_from(id.0).ok()?).cloned();
    link(last, &lookup).map_err(|error| error.to_string())
}

fn reads_back(program: &PhraseProgram) -> Result<(), String> {
    let text = program_text(program);
    dpia::check(program).map_err(|error| format!("{error}\n{text}"))?;
    let again = read(&text).map_err(|error| format!("{error}\n{text}"))?;
    let place = |origin: rise::core::Origin| {
        let span = again.origins[origin.0 as usize].span;
        text[std::ops::Range::<usize>::from(span)].to_owned()
    };
    dpia::check(&again).map_err(|e| format!("{e}\n at {}\n{text}", place(e.origin)))?;
    if let [race, ..] = &races(&again)[..] {
        return Err(format!("{race}\n{text}"));
    }
    let printed = program_text(&again);
    let lines = text.lines().zip(printed.lines());
    match lines.into_iter().find(|(a, b)| a != b) {
        _ if printed == text => Ok(()),
        Some((a, b)) => Err(format!("first\n  {a}\nthen\n  {b}\n{text}")),
        None => Err(format!("{text}\n{printed}")),
    }
}

/// Returns the text of a program with those of its imports before it.
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

/// Returns every program in a folder and its subfolders.
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

fn programs(target: Target, least: usize) {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let (mut count, mut failures) = (0, Vec::new());
    for path in files(&examples) {
        let own = fs::read_to_string(&path).expect("a text");
        let text = whole(&path);
        for span in syntax::split(&own) {
            let item = syntax::parse(&own[std::ops::Range::<usize>::from(span)]).item;
            let Some(name) = item.name() else { continue };
            let Ok(mut program) = program_of(&text, &name.name) else {
                continue;
            };
            normalise(&mut program).expect("it fits");
            let Ok(functional) = dpia::functional::functional(&program, target.features()) else {
                continue;
            };
            count += 1;
            let imperative = dpia::imperative(&functional).expect("it is total");
            for (form, program) in [("functional", &functional), ("imperative", &imperative)] {
                if let Err(error) = reads_back(program) {
                    let place = path.strip_prefix(&examples).unwrap_or(&path).display();
                    failures.push(format!("{place}: {} ({form}): {error}", name.name));
                }
            }
        }
    }
    assert!(count > least, "only {count} programs");
    let (failed, all) = (failures.len(), failures.join("\n"));
    assert!(failures.is_empty(), "{failed} of {count}\n{all}");
}

#[test]
fn programs_for_c_read_back() {
    programs(Target::C, 100);
}

#[test]
fn programs_for_openmp_read_back() {
    programs(Target::OpenMp, 100);
}

#[test]
fn programs_for_opencl_read_back() {
    programs(Target::OpenCl, 50);
}

/// Each thread reads the element of an accumulator that it writes.
#[test]
fn accumulators_of_threads_read_back() {
    let text = "def f = depFun((n: Nat, m: Nat) => fun(xs: n.m.i32 => xs
         |> reduceSeq(fun(a, r => zip(r)(a) |> mapPar(fun(p => p._1 - 2 * p._2))))(
              generate(fun(i => cast(indexAsNat(i)))) |> mapSeq(id))
         |> mapSeq(id)))
       def tiles = depFun((n: Nat, m: Nat, k: Nat) => fun(xs: n.(m * k).i32 => xs
         |> reduceSeq(fun(a, r => zip(r)(a) |> split(k)
              |> mapPar(mapSeq(fun(p => p._1 - 2 * p._2))) |> join))(
              generate(fun(i => cast(indexAsNat(i)))) |> mapSeq(id))
         |> mapSeq(id)))
       def scan = depFun((n: Nat, m: Nat) => fun(xs: n.m.i32 => xs
         |> scanSeq(fun(r, a => zip(r)(a) |> mapPar(fun(p => p._1 - 2 * p._2))))(
              generate(fun(i => cast(indexAsNat(i)))) |> mapSeq(id))))";
    for name in ["f", "tiles", "scan"] {
        let mut program = program_of(text, name).expect("a program");
        normalise(&mut program).expect("it fits");
        let functional = dpia::functional::functional(&program, Target::OpenMp.features())
            .unwrap_or_else(|found| panic!("{name}: {found:?}"));
        let imperative = dpia::imperative(&functional).expect("it is total");
        if let Err(error) = reads_back(&imperative) {
            panic!("{name}: {error}");
        }
    }
}
