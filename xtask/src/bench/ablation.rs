//! Measures the effect of three optimisations of the code generator: the simplification of array
//! indices, the elimination of barriers and the simplification of control flow. Each is switched
//! off alone, as in figure 8 of the Lift paper (Steuwer, Remmelg and Dubach, CGO 2017), and all of
//! them are switched off together.
//!
//! Without a device the table counts what is in the text of the kernels; with `--opencl` it also
//! has their run times.

use std::path::Path;

use codegen::PassSet;
use codegen::Target;
use db::Database;
use serde_json::{Value as Json, json};

use super::Outcome;
use super::opencl::{self, list};
use super::programs::{definition, first, sources};

/// A function that returns one of the figures.
type Figure = fn(&Figures) -> usize;

/// The optimisations, with the figure that each of them reduces.
const OPTIMISATIONS: [(&str, Figure); 3] = [
    ("index-simplification", |figures| figures.operators),
    ("barrier-elimination", |figures| figures.barriers),
    ("control-flow-simplification", |figures| figures.branches),
];

/// The figures of the kernels of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Figures {
    /// The number of arithmetic operators.
    operators: usize,
    /// The number of quotients and remainders among them.
    divisions: usize,
    barriers: usize,
    /// The number of loops, conditions and conditional expressions.
    branches: usize,
    /// The length of the text in bytes.
    length: usize,
}

/// The variants of a program: complete, without each optimisation, and without all of them.
const VARIANTS: usize = OPTIMISATIONS.len() + 2;

struct Program {
    name: String,
    /// The figures of each variant, or the reason why there is none.
    figures: [Result<Figures, String>; VARIANTS],
    /// The median time of each variant at the largest size in ms, if it was measured.
    times: [Option<f64>; VARIANTS],
}

/// Measures and prints the OpenCL programs of the examples whose names contain `only`.
pub fn run(root: &Path, only: &str, device: &opencl::Options, as_json: bool) -> Outcome<()> {
    let mut all = Vec::new();
    let entries = list::entries(root)?;
    for entry in entries.iter().filter(|entry| entry.name.contains(only)) {
        let sources = sources(&root.join(&entry.file))?;
        let figures = |variant: usize| {
            let mut db = Database::new();
            db.set_left_out_passes(left_out(variant)?);
            let item = definition(&mut db, &sources, &entry.name).map_err(|e| e.to_string())?;
            let module = db.module(item, Target::OpenCl);
            module
                .map(|module| of_text(&module.text))
                .map_err(|found| first(&found))
        };
        all.push(Program {
            name: entry.name.clone(),
            figures: std::array::from_fn(figures),
            times: [None; VARIANTS],
        });
    }
    if device.wanted() {
        for variant in 0..VARIANTS {
            let names = (0..OPTIMISATIONS.len()).filter(|at| is_left_out(variant, *at));
            let names = names.map(|at| OPTIMISATIONS[at].0.to_owned()).collect();
            let times = opencl::times(root, &device.without(names, only))?;
            for program in &mut all {
                program.times[variant] = times.get(&program.name).copied();
            }
        }
    }
    if as_json {
        let all: Vec<Json> = all.iter().map(Program::json).collect();
        println!("{}", serde_json::to_string_pretty(&all)?);
    } else {
        print(&all, device.wanted());
    }
    Ok(())
}

/// Returns true if an optimisation is switched off in a variant.
fn is_left_out(variant: usize, optimisation: usize) -> bool {
    variant == optimisation + 1 || variant == VARIANTS - 1
}

fn left_out(variant: usize) -> Result<PassSet, String> {
    let mut without = PassSet::default();
    for (at, (name, _)) in OPTIMISATIONS.iter().enumerate() {
        if is_left_out(variant, at) {
            without.insert(name)?;
        }
    }
    Ok(without)
}

/// Counts what is in the text of kernels, without the declarations before them.
fn of_text(text: &str) -> Figures {
    let kernels = text.find("kernel void").map_or("", |start| &text[start..]);
    let lines = kernels
        .lines()
        .filter(|line| !line.trim_start().starts_with(['#', '/']));
    let mut figures = Figures {
        length: kernels.len(),
        ..Figures::default()
    };
    for line in lines {
        let word = |c: char| !c.is_alphanumeric() && c != '_';
        let words = |wanted: &[&str]| line.split(word).filter(|w| wanted.contains(w)).count();
        let characters = |wanted: &[char]| line.chars().filter(|c| wanted.contains(c)).count();
        figures.divisions += characters(&['/', '%']);
        // An increment is one operator, and pointers are declared, not multiplied.
        figures.operators += characters(&['+', '-', '*', '/', '%'])
            - line.matches("++").count()
            - line.matches("*restrict").count();
        figures.barriers += words(&["barrier"]);
        figures.branches += words(&["for", "if", "while"]) + characters(&['?']);
    }
    figures
}

impl Program {
    fn json(&self) -> Json {
        let variant = |at: usize| {
            let names = (0..OPTIMISATIONS.len()).filter(|of| is_left_out(at, *of));
            let names: Vec<&str> = names.map(|of| OPTIMISATIONS[of].0).collect();
            match &self.figures[at] {
                Ok(figures) => json!({
                    "without": names, "operators": figures.operators,
                    "divisions": figures.divisions, "barriers": figures.barriers,
                    "branches": figures.branches, "bytes": figures.length,
                    "ms": self.times[at],
                }),
                Err(error) => json!({ "without": names, "error": error }),
            }
        };
        let variants: Vec<Json> = (0..VARIANTS).map(variant).collect();
        json!({ "name": self.name, "variants": variants })
    }
}

fn print(all: &[Program], has_times: bool) {
    println!(
        "In each pair: with the optimisation, and without it. The last pair is without all three.\n"
    );
    println!(
        "{:<32}{:>18}{:>18}{:>14}{:>14}{:>18}{}",
        "",
        "operators,",
        "divisions,",
        "barriers,",
        "branches,",
        "bytes",
        if has_times {
            "   times in ms: all, without each, without all"
        } else {
            ""
        },
    );
    println!(
        "{:<32}{:>18}{:>18}{:>14}{:>14}",
        "", "without indices", "without indices", "without elim.", "without flow"
    );
    let mut ratios: [Vec<f64>; OPTIMISATIONS.len()] = Default::default();
    for program in all {
        let Ok(whole) = &program.figures[0] else {
            println!("{:<32}  not compiled", program.name);
            continue;
        };
        let pair = |variant: usize, of: fn(&Figures) -> usize| match &program.figures[variant] {
            Ok(other) => format!("{} {}", of(whole), of(other)),
            Err(_) => format!("{} -", of(whole)),
        };
        for (at, (_, of)) in OPTIMISATIONS.iter().enumerate() {
            if let Ok(other) = &program.figures[at + 1] {
                ratios[at].push((of(other) + 1) as f64 / (of(whole) + 1) as f64);
            }
        }
        let time = |time: &Option<f64>| time.map_or("-".into(), |ms| format!("{ms:.4}"));
        let times: Vec<String> = program.times.iter().map(time).collect();
        println!(
            "{:<32}{:>18}{:>18}{:>14}{:>14}{:>18}{}",
            program.name,
            pair(1, |figures| figures.operators),
            pair(1, |figures| figures.divisions),
            pair(2, |figures| figures.barriers),
            pair(3, |figures| figures.branches),
            pair(VARIANTS - 1, |figures| figures.length),
            if has_times {
                format!("   {}", times.join(" "))
            } else {
                String::new()
            },
        );
    }
    for (at, (name, _)) in OPTIMISATIONS.iter().enumerate() {
        let log: f64 = ratios[at].iter().map(|ratio| ratio.ln()).sum();
        let mean = (log / ratios[at].len().max(1) as f64).exp();
        let refused = all
            .iter()
            .filter(|of| of.figures[0].is_ok() && of.figures[at + 1].is_err());
        println!(
            "without {name}: {mean:.2} times as many on average (geometric mean); {} programs are not compiled",
            refused.count()
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_counted_in_the_kernels_only() {
        let text = "int f(int a) { return a / 2; }\nkernel void k(global float *restrict x) {\n    \
                    for (int i = 0; i < 4; i++) {\n        x[2 * i % 3] = i > 2 ? 1.0f : 0.5f;\n    }\n    \
                    barrier(CLK_LOCAL_MEM_FENCE);\n}\n";
        let figures = of_text(text);
        let Figures {
            operators,
            divisions,
            barriers,
            branches,
            ..
        } = figures;
        assert_eq!((operators, divisions, barriers, branches), (3, 1, 1, 2));
    }
}
