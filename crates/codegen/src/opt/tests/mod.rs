//! Tests kernels with memory and barriers on a simulator that detects races.

mod machine;
mod programs;
mod random;
mod schedule;
mod table;
mod value;

use std::collections::HashMap;

use crate::Target;
use nat::{Nat, Var};
use rise::core::{normalise, program_of};

use super::{kernel_memory, kernel_outlining, privatization, work_item_mapping};
use crate::error::CompileError;
use crate::ir::kernel::KernelFunction;
use machine::{Grid, Machine, World};

/// Returns the kernels of a program before all passes.
fn kernels(text: &str, name: &str) -> Vec<KernelFunction> {
    let mut program = program_of(text, name).unwrap_or_else(|error| panic!("{error}"));
    normalise(&mut program).unwrap_or_else(|error| panic!("{error}"));
    let functional =
        dpia::functional(&program, Target::OpenCl.features()).unwrap_or_else(|complaints| {
            let problems: Vec<_> = complaints.iter().map(|c| &c.kind).collect();
            panic!("{name}: {problems:?}")
        });
    let imperative = dpia::imperative(&functional).unwrap_or_else(|error| panic!("{error}"));
    let lowered = crate::lower(&imperative, Target::OpenCl);
    let lowered = lowered.unwrap_or_else(|errors| panic!("{errors:?}"));
    let parts = kernel_outlining::split(lowered.function).unwrap_or_else(|error| panic!("{error}"));
    parts.kernels
}

/// Returns a kernel after the allocation of memory and the insertion of barriers.
fn with_memory(part: &KernelFunction) -> Result<KernelFunction, CompileError> {
    let mut part = part.clone();
    for pass in [
        work_item_mapping::ASSUMPTIONS,
        privatization::PASS,
        kernel_memory::PASS,
    ] {
        pass.apply(&mut part)?;
    }
    Ok(part)
}

fn error(text: &str, name: &str) -> CompileError {
    let parts = kernels(text, name);
    let errors: Vec<_> = parts
        .iter()
        .filter_map(|part| with_memory(part).err())
        .collect();
    let first = errors.into_iter().next();
    first.unwrap_or_else(|| panic!("{name} has memory"))
}

/// The launch sizes of programs that do not specify them.
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

/// Executes a program with these sizes in the orders that OpenCL allows, and sequentially: the
/// results must agree, there must be no races, and without any of the barriers there must be one.
/// Returns the number of barriers.
fn check(text: &str, name: &str, sizes: &[i64], grids: &[Grid]) -> usize {
    check_all(text, name, &[sizes], grids)
}

/// Performs the same check for several sizes; each barrier must be necessary for some of them.
fn check_all(text: &str, name: &str, all_sizes: &[&[i64]], grids: &[Grid]) -> usize {
    let parts = kernels(text, name);
    let memory = |part| with_memory(part).unwrap_or_else(|error| panic!("{name}: {error}"));
    let done: Vec<KernelFunction> = parts.iter().map(memory).collect();
    let unused = |part: &KernelFunction| vec![false; machine::barriers(&part.function.body)];
    let mut needed: Vec<Vec<bool>> = done.iter().map(unused).collect();
    for sizes in all_sizes {
        let in_order = |world, part| launched(part, sizes, grids[0]).reference(world);
        let expected = parts.iter().fold(World::default(), in_order);
        for grid in grids {
            let mut result = World::default();
            for (part, needed) in done.iter().zip(&mut needed) {
                result = run(name, launched(part, sizes, *grid), part, &result, needed);
            }
            let output = parts[0].function.outputs[0];
            let wanted = expected.elements(output);
            assert!(!wanted.is_empty(), "{name} writes nothing");
            same(name, &wanted, &result.elements(output), *grid);
        }
    }
    for (barrier, needed) in needed.iter().flatten().enumerate() {
        assert!(needed, "{name}: barrier {barrier} is not needed");
    }
    needed.iter().map(Vec::len).sum()
}

/// Returns a machine for a kernel with these sizes.
fn launched<'a>(part: &'a KernelFunction, sizes: &[i64], grid: Grid) -> Machine<'a> {
    let grid = grid_of(part, sizes, grid);
    Machine {
        function: &part.function,
        sizes: sizes_of(part, sizes, grid),
        grid,
        without: None,
    }
}

/// Executes a kernel, with its work-items in several orders, and without each of its barriers;
/// records the barriers without which there are races.
fn run(
    name: &str,
    mut machine: Machine<'_>,
    part: &KernelFunction,
    memory: &World,
    needed: &mut [bool],
) -> World {
    for prop in &part.work.requires {
        let holds = prop.eval(&|var| machine.sizes.get(&var).copied(), &|_, _| None);
        assert_eq!(holds, Some(true), "{name}: {prop:?}");
    }
    let mut result = World::default();
    for seed in 0..3 {
        result = machine.launch(memory.copy(), seed);
        assert_eq!(
            result.races,
            Vec::<String>::new(),
            "{name}: {:?}",
            machine.grid
        );
    }
    for (barrier, needed) in needed.iter_mut().enumerate() {
        machine.without = Some(barrier);
        *needed |= !machine.launch(memory.copy(), 0).races.is_empty();
    }
    result
}

type Elements = [(i64, Vec<bool>, value::Val)];

fn same(name: &str, wanted: &Elements, found: &Elements, grid: Grid) {
    assert_eq!(wanted.len(), found.len(), "{name}: {grid:?}");
    for (wanted, found) in wanted.iter().zip(found) {
        assert_eq!(wanted, found, "{name}: {grid:?}");
    }
}

/// Returns the launch sizes of a kernel, or those of `otherwise`.
fn grid_of(part: &KernelFunction, sizes: &[i64], otherwise: Grid) -> Grid {
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

fn params(part: &KernelFunction, sizes: &[i64]) -> HashMap<Var, i64> {
    let own = part.function.sizes.iter().copied();
    own.zip(sizes.iter().copied()).collect()
}

fn sizes_of(part: &KernelFunction, sizes: &[i64], grid: Grid) -> HashMap<Var, i64> {
    let mut values = params(part, sizes);
    for d in 0..3 {
        values.insert(part.work.vars.local[d], grid.local[d]);
        values.insert(part.work.vars.global[d], grid.global[d]);
    }
    values
}
