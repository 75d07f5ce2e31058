//! Kernels with memory and barriers, run on a machine that shows races.

mod machine;
mod programs;
mod random;
mod table;
mod turns;
mod value;

use std::collections::HashMap;

use dpia::Target;
use nat::{Nat, Var};
use rise::core::{normalise, program_of};

use super::parts::{self, Part};
use super::{items, memory, shares};
use crate::error::CompileError;
use machine::{Grid, Machine, World};

/// The kernels of a program before any pass.
fn kernels(text: &str, name: &str) -> Vec<Part> {
    let mut program = program_of(text, name).unwrap_or_else(|error| panic!("{error}"));
    normalise(&mut program).unwrap_or_else(|error| panic!("{error}"));
    let functional = dpia::functional(&program, Target::OpenCl).unwrap_or_else(|complaints| {
        let problems: Vec<_> = complaints.iter().map(|c| &c.problem).collect();
        panic!("{name}: {problems:?}")
    });
    let imperative = dpia::imperative(&functional).unwrap_or_else(|error| panic!("{error}"));
    let lowered = crate::lower(&imperative, Target::OpenCl);
    let lowered = lowered.unwrap_or_else(|errors| panic!("{errors:?}"));
    let parts = parts::split(lowered.function).unwrap_or_else(|error| panic!("{error}"));
    parts.kernels
}

/// The same with their memory and barriers.
fn with_memory(part: &Part) -> Result<Part, CompileError> {
    let Part { function, work } = part;
    let (mut function, mut work) = (function.clone(), work.clone());
    items::assume_launch(&mut function, &mut work);
    shares::run(&mut function, &work)?;
    memory::run(&mut function, &mut work)?;
    Ok(Part { function, work })
}

/// What is wrong with a program.
fn error(text: &str, name: &str) -> CompileError {
    let parts = kernels(text, name);
    let errors: Vec<_> = parts
        .iter()
        .filter_map(|part| with_memory(part).err())
        .collect();
    let first = errors.into_iter().next();
    first.unwrap_or_else(|| panic!("{name} has memory"))
}

/// How programs are launched whose sizes do not say it.
const GRIDS: [Grid; 3] = [
    Grid {
        local: [4, 1, 1],
        global: [8, 1, 1],
    },
    Grid {
        local: [2, 1, 1],
        global: [4, 1, 1],
    },
    Grid {
        local: [8, 1, 1],
        global: [8, 1, 1],
    },
];

/// Runs a program with these sizes as OpenCL may, and in order: the results agree, no work-item
/// gets in another one's way, and without any of the barriers one does. Gives the number of
/// barriers.
fn check(text: &str, name: &str, sizes: &[i64], grids: &[Grid]) -> usize {
    let parts = kernels(text, name);
    let mut expected = World::default();
    let mut total = 0;
    let mut grid_results: Vec<World> = grids.iter().map(|_| World::default()).collect();
    for part in &parts {
        let done = with_memory(part).unwrap_or_else(|error| panic!("{name}: {error}"));
        let barriers = machine::barriers(&done.function.body);
        total += barriers;
        let mut needed = vec![false; barriers];
        let sizes_of = |part: &Part, grid: Grid| sizes_of(part, sizes, grid);
        let mut before = Vec::new();
        for (result, grid) in grid_results.iter_mut().zip(grids) {
            let grid = grid_of(&done, sizes, *grid);
            let values = sizes_of(&done, grid);
            for prop in &done.work.requires {
                let holds = prop.eval(&|var| values.get(&var).copied(), &|_, _| None);
                assert_eq!(holds, Some(true), "{name}: {prop:?}");
            }
            before.push((std::mem::take(result), grid, values));
        }
        for ((memory, grid, values), result) in before.iter().zip(&mut grid_results) {
            for seed in 0..3 {
                let machine = Machine {
                    function: &done.function,
                    sizes: values.clone(),
                    grid: *grid,
                    without: None,
                };
                let ran = machine.launch(memory.copy(), seed);
                assert_eq!(ran.races, Vec::<String>::new(), "{name}: {grid:?}");
                *result = ran;
            }
            for (barrier, needed) in needed.iter_mut().enumerate() {
                let machine = Machine {
                    function: &done.function,
                    sizes: values.clone(),
                    grid: *grid,
                    without: Some(barrier),
                };
                *needed |= !machine.launch(memory.copy(), 0).races.is_empty();
            }
        }
        for (barrier, needed) in needed.iter().enumerate() {
            assert!(needed, "{name}: barrier {barrier} is not needed");
        }
        let grid = grids[0];
        let machine = Machine {
            function: &part.function,
            sizes: sizes_of(part, grid_of(part, sizes, grid)),
            grid,
            without: None,
        };
        expected = machine.reference(expected);
    }
    let output = parts[0].function.output;
    let wanted = expected.elements(output);
    assert!(!wanted.is_empty(), "{name} writes nothing");
    for (result, grid) in grid_results.iter().zip(grids) {
        same(name, &wanted, &result.elements(output), *grid);
    }
    total
}

type Elements = [(i64, Vec<bool>, value::Val)];

fn same(name: &str, wanted: &Elements, found: &Elements, grid: Grid) {
    assert_eq!(wanted.len(), found.len(), "{name}: {grid:?}");
    for (wanted, found) in wanted.iter().zip(found) {
        assert_eq!(wanted, found, "{name}: {grid:?}");
    }
}

/// The launch that a kernel says, or else this one.
fn grid_of(part: &Part, sizes: &[i64], otherwise: Grid) -> Grid {
    let params: HashMap<Var, i64> = params(part, sizes);
    let value = |size: &Option<Nat>, other: i64| match size {
        Some(size) => size
            .eval(&|var| params.get(&var).copied(), &|_, _| None)
            .unwrap_or_else(|| panic!("no launch size")),
        None => other,
    };
    let launch = &part.work.launch;
    Grid {
        local: [0, 1, 2].map(|d| value(&launch.local[d], otherwise.local[d])),
        global: [0, 1, 2].map(|d| value(&launch.global[d], otherwise.global[d])),
    }
}

fn params(part: &Part, sizes: &[i64]) -> HashMap<Var, i64> {
    let own = part.function.sizes.iter().copied();
    own.zip(sizes.iter().copied()).collect()
}

fn sizes_of(part: &Part, sizes: &[i64], grid: Grid) -> HashMap<Var, i64> {
    let mut values = params(part, sizes);
    for d in 0..3 {
        values.insert(part.work.vars.local[d], grid.local[d]);
        values.insert(part.work.vars.global[d], grid.global[d]);
    }
    values
}

/// Looks at a program of a file.
#[test]
#[ignore = "for looking at one program"]
fn scratch() {
    let var = |name: &str| std::env::var(name).unwrap_or_default();
    let numbers = |name: &str| -> Vec<i64> {
        var(name)
            .split(',')
            .filter_map(|n| n.parse().ok())
            .collect()
    };
    let text = std::fs::read_to_string(var("RISE_FILE")).expect("a program");
    let name = var("RISE_DEF");
    for part in kernels(&text, &name) {
        match with_memory(&part) {
            Ok(done) => {
                println!(
                    "{} barriers, {:?} bytes, requires {:?}",
                    machine::barriers(&done.function.body),
                    done.work.local_bytes,
                    done.work.requires
                );
                for v in &done.function.variables {
                    println!("  {} {:?} {:?}", v.name, v.count, v.home);
                }
            }
            Err(error) => println!("{error}\n{:?}", error.help),
        }
    }
    let mut program = program_of(&text, &name).unwrap_or_else(|error| panic!("{error}"));
    normalise(&mut program).unwrap_or_else(|error| panic!("{error}"));
    let functional = dpia::functional(&program, Target::OpenCl).unwrap_or_else(|_| panic!("no"));
    let imperative = dpia::imperative(&functional).unwrap_or_else(|error| panic!("{error}"));
    match crate::compile(&imperative, Target::OpenCl) {
        Ok(module) => println!(
            "{}",
            &module.text[module.text.find("\nkernel").unwrap_or(0)..]
        ),
        Err(errors) => println!("{errors:?}"),
    }
    let sizes = numbers("RISE_SIZES");
    if !sizes.is_empty() {
        let three = |name: &str| {
            let all = numbers(name);
            [0, 1, 2].map(|d| all.get(d).copied().unwrap_or(1))
        };
        let grid = Grid {
            local: three("RISE_LOCAL"),
            global: three("RISE_GLOBAL"),
        };
        println!(
            "{} barriers, no races",
            check(&text, &name, &sizes, &[grid])
        );
    }
}
