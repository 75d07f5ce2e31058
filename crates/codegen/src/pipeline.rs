//! Defines the order of the passes for each kind of target, with the reason for each position, the
//! options for leaving out passes, and the points between passes at which a program can be printed;
//! and runs the passes.
//!
//! A required pass removes what the printers of targets cannot print, or computes properties that
//! they need. An optional one makes code faster, smaller or better to read: without it the program
//! has the same meaning.

use std::iter::once;

use dpia::{IndexPolicy, Parallelism};

use crate::analysis::counts;
use crate::error::Result;
use crate::ir::kernel::{Code, KernelFunction, Program};
use crate::ir::print::print;
use crate::ir::trace::Trace;
use crate::ir::{Function, Listing, PARTS, PassSet};
use crate::lower::Lowered;
use crate::opt::*;
use crate::targets::Target;

/// A pass at a position in a list of passes.
pub(crate) struct Step<On = Function> {
    pass: Pass<On>,
    /// The reason why the pass cannot be left out, if there is one.
    required: Option<&'static str>,
}

const fn required<On>(pass: Pass<On>, reason: &'static str) -> Step<On> {
    Step {
        pass,
        required: Some(reason),
    }
}

const fn optional<On>(pass: Pass<On>) -> Step<On> {
    Step {
        pass,
        required: None,
    }
}

/// The passes for functions that run on a CPU.
const CPU: &[Step] = &[
    // Indices without quotients are linear, as all that follows expects them.
    optional(delinearization::PASS),
    // The loops over parts are loops like others for all that follows.
    optional(partial_reductions::PASS),
    // Loops are directly inside each other, and accumulations are single statements with conditions,
    // until loops are peeled.
    optional(loop_interchange::PASS),
    // Interchanged loops share more operands.
    optional(operand_packing::PASS),
    // Short loops over literal arrays are marked for the next pass, which writes them out.
    optional(unrolling::LITERAL_ARRAYS),
    // Unrolled and peeled loops make indices constant and conditions known, for all that follows.
    required(
        loops::PASS,
        "no target can print loops that are marked for unrolling",
    ),
    // Conditions that only depend on counters have become bounds of loops.
    optional(conditional_sums::PASS),
    // Constant indices make elements variables, which the passes on variables then see.
    optional(scalar_replacement::PASS),
    // Halves of tuples are variables before copies are looked for: a copy of a tuple is one of
    // each.
    optional(tuple_splitting::PASS),
    // An array that is only copied needs no memory, so before memory is allocated.
    optional(copy_elision::PASS),
    // The copies left variables behind that nothing reads: they need no memory either.
    optional(dead_code_elimination::PASS),
    // Stages are computed together while each of their arrays is declared in front of its loop, and
    // before their loops are split into those of iterations that are executed together.
    optional(overlapped_tiling::PASS),
    // Accumulators are elements of the output, no longer copied to it, and loops of one iteration are
    // gone.
    optional(histogram_reductions::PASS),
    // Stages that stay apart are whole loops, whose rows can then be accumulated several at a time.
    optional(row_accumulation::PASS),
    // Rows of stencils that are transposed are not executed together, as they would be afterwards.
    optional(loop_tiling::PASS),
    // Reductions whose iterations would be executed together are computed in vectors instead.
    optional(outer_loop_vectorization::PASS),
    // Each of the iterations that are executed together has arrays of its own, which need memory.
    optional(unroll_and_jam::PASS),
    // All arrays that are left need memory.
    required(allocation::PASS, "it decides where arrays are stored"),
    // One variable for each purpose lets each be declared where its value is known.
    optional(live_range_splitting::PASS),
    // The last store to each range is dead if nothing reads it.
    optional(dead_store_elimination::PASS),
    // Ranges are declared at their first use, and get their values there.
    optional(sinking::PASS),
    // Declarations with values are copies or not, which before was to be seen by assignments only.
    optional(copy_coalescing::PASS),
    // Accumulators are declared in front of their loops, and copies no longer connect these.
    optional(loop_fusion::PASS),
    // What is left and read once is no variable; later, pointers would stand in between.
    optional(inlining::PASS),
    // Accumulations are single statements.
    optional(boolean_reductions::PASS),
    // Whole statements are split into pieces, so after they are as long as they get.
    optional(vector_legalization::PASS),
    // Rows are found in the indices of the final statements.
    optional(pointers::PASS),
    // Indices that pointers have not made shorter get names.
    optional(address_hoisting::PASS),
    // Every assignment is where it stays.
    optional(single_assignment::PASS),
    // No pass moves statements between iterations any more.
    optional(gather_vectorization::PASS),
    // Last, as other passes look into reductions but not at how they are implemented.
    required(
        reductions::PASS,
        "no target has the parallel reductions of the loop language",
    ),
];

/// The first passes that run on kernels, in whose statements the distributed loops still count from
/// 0 to the number of their iterations. The last of these passes distributes the loops over
/// work-items.
const MAPPING: &[Step<KernelFunction>] = &[
    // Loops over tiles are loops like others for all that follows.
    optional(unroll_and_jam::thread_coarsening::PASS),
    // The conditions of the launch are facts for all that follows.
    required(
        work_item_mapping::ASSUMPTIONS,
        "the other passes on kernels need the sizes of the launch",
    ),
    // Private arrays shrink to a work-item's own share, which needs no barriers and no memory.
    required(
        privatization::PASS,
        "it gives each work-item its part of a private array",
    ),
    // What work-items share has its place and its barriers while it is seen who shares what.
    required(
        kernel_memory::PASS,
        "it decides where arrays are stored, and inserts barriers",
    ),
    // Last, as the others ask which loops are shared.
    required(
        work_item_mapping::PASS,
        "it distributes loops over work-items",
    ),
];

/// The passes that run on kernels after [`MAPPING`]: no loop is distributed any more, the program
/// is that of one work-item, and no pass may move accesses to shared memory across a barrier.
const KERNEL: &[Step] = &[
    // Loops over lanes are vector operations before they could be written out.
    optional(vectorization::PASS),
    // Short loops over private arrays are marked for the next pass, which writes them out.
    optional(unrolling::PASS),
    // Unrolled and peeled loops make indices constant and conditions known, for all that follows.
    required(
        loops::PASS,
        "no target can print loops that are marked for unrolling",
    ),
    // Copies of an unrolled body have one condition.
    optional(branch_fusion::PASS),
    // Vectors that are parts of private arrays would keep these from becoming variables.
    optional(vector_scalarization::PASS),
    // Constant indices make elements variables: registers of the device.
    optional(scalar_replacement::PASS),
    // Halves of tuples are variables before copies are looked for: a copy of a tuple is one of
    // each.
    optional(tuple_splitting::PASS),
    // An array that is only copied needs no memory.
    optional(copy_elision::PASS),
    // The copies left variables behind that nothing reads.
    optional(dead_code_elimination::PASS),
    // One variable for each purpose lets each be declared where its value is known.
    optional(live_range_splitting::PASS),
    // The last store to each range is dead if nothing reads it.
    optional(dead_store_elimination::PASS),
    // Ranges are declared at their first use, and get their values there.
    optional(sinking::PASS),
    // Declarations with values are copies or not, which before was to be seen by assignments only.
    optional(copy_coalescing::PASS),
    // Accumulators are declared in front of their loops, and copies no longer connect these.
    optional(loop_fusion::PASS),
    // What is left and read once is no variable.
    optional(inlining::PASS),
    // Unrolled loops leave more values that nothing reads once those in between are gone.
    optional(dead_code_elimination::PASS),
    // The quotients that loops count in are found in the final indices.
    optional(strength_reduction::PASS),
    // Indices whose quotients are gone are the cheaper ones: what is left of the others gets names.
    optional(address_hoisting::PASS),
    // Every vector access to memory is there.
    required(
        vector_alignment::PASS,
        "vector accesses to unaligned memory are undefined",
    ),
    // Every assignment is where it stays.
    optional(single_assignment::PASS),
];

/// Choices for the compilation of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The width of sizes and indices: a fixed one, or one that the sizes of each call select.
    pub index: IndexPolicy,
    /// The passes to leave out.
    pub without: PassSet,
}

impl<I: Into<IndexPolicy>> From<I> for Options {
    fn from(index: I) -> Options {
        Options {
            index: index.into(),
            without: PassSet::default(),
        }
    }
}

impl PassSet {
    /// Returns the names of all passes that can be left out, and of the parts of lowering and of
    /// required passes that can, in alphabetical order, each once.
    pub fn optional() -> Vec<&'static str> {
        let passes = all_steps().filter(|(_, required)| required.is_none());
        let mut names: Vec<_> = passes.map(|(name, _)| name).chain(PARTS).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Returns the set of the optional passes with these names.
    ///
    /// # Errors
    /// Fails with a message for the first name that is not the name of an optional pass.
    pub fn of(names: &[String]) -> Result<PassSet, String> {
        let mut set = PassSet::default();
        names.iter().try_for_each(|name| set.insert(name))?;
        Ok(set)
    }

    /// Adds the optional pass, or the optional part of a pass, with this name.
    ///
    /// # Errors
    /// Fails with a message if there is no pass with this name, or if it is required.
    pub fn insert(&mut self, name: &str) -> Result<(), String> {
        let optional = PassSet::optional();
        if let Some(known) = optional.iter().find(|known| **known == name) {
            self.0.push(*known);
            return Ok(());
        }
        let mut steps = all_steps().filter(|(known, _)| *known == name);
        Err(match steps.find_map(|(_, required)| required) {
            Some(reason) => format!("the pass `{name}` is required: {reason}"),
            None => format!(
                "there is no pass `{name}`; the optional ones are {}",
                optional.join(", ")
            ),
        })
    }
}

/// Returns the name of each pass at each of its positions in the lists for CPUs and kernels, and of
/// lowering and outlining, each with the reason why it is required there if it is.
fn all_steps() -> impl Iterator<Item = (&'static str, Option<&'static str>)> {
    fn named<On>(step: &'static Step<On>) -> (&'static str, Option<&'static str>) {
        (step.pass.name, step.required)
    }
    let first = [
        (
            LOWERING,
            Some("it makes the program that the passes transform"),
        ),
        (
            OUTLINING,
            Some("it makes the kernels that the passes transform"),
        ),
    ];
    let functions = CPU.iter().chain(KERNEL).map(named);
    (first.into_iter())
        .chain(MAPPING.iter().map(named))
        .chain(functions)
}

/// A point in the compilation for a target at which the program can be printed: after lowering, or
/// after one of the passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stage {
    target: Target,
    /// The number of passes that have run at this point; lowering does not count, outlining does.
    passes: usize,
}

impl Stage {
    /// Returns the points in the compilation for a target, in order: the first one is after
    /// lowering.
    pub fn all(target: Target) -> impl Iterator<Item = Stage> {
        let passes = names(target).len();
        (0..passes).map(move |passes| Stage { target, passes })
    }

    /// Returns the point in the compilation for a target that has this [`Stage::name`], if there is
    /// one.
    pub fn find(target: Target, name: &str) -> Option<Stage> {
        Stage::all(target).find(|stage| stage.name() == name)
    }

    /// Returns the target of the compilation.
    pub const fn target(self) -> Target {
        self.target
    }

    /// Returns true if the last pass before this point can be left out; lowering cannot.
    pub fn is_optional(self) -> bool {
        let name = names(self.target)[self.passes];
        all_steps().any(|(known, required)| known == name && required.is_none())
    }

    /// Returns the name of the last pass before this point, or `lowering` if there is none. If that
    /// pass has already run before, the name has a suffix: `-2` for its second run.
    pub fn name(self) -> String {
        let names = names(self.target);
        let name = names[self.passes];
        match names[..self.passes]
            .iter()
            .filter(|other| **other == name)
            .count()
        {
            0 => name.to_owned(),
            before => format!("{name}-{}", before + 1),
        }
    }
}

/// The name of the translation from imperative DPIA to the loop language.
const LOWERING: &str = "lowering";
/// The name of the step that makes a function of each kernel, for targets with work-items.
const OUTLINING: &str = "kernel-outlining";

/// Returns the names of the passes for a target in order, with lowering first.
fn names(target: Target) -> Vec<&'static str> {
    let mapping = MAPPING.iter().map(|step| step.pass.name);
    let functions = |steps: &'static [Step]| steps.iter().map(|step| step.pass.name);
    match target.features().parallelism {
        Parallelism::Sequential | Parallelism::Threads => {
            once(LOWERING).chain(functions(CPU)).collect()
        }
        Parallelism::WorkItems => [LOWERING, OUTLINING]
            .into_iter()
            .chain(mapping)
            .chain(functions(KERNEL))
            .collect(),
    }
}

/// Runs all passes for the target of the lowered program, except those that are left out.
///
/// # Errors
/// Fails with the first error of a pass, such as that of a loop to be unrolled whose length is a
/// parameter, private memory that another work-item reads, memory whose size is not known, a
/// barrier that not all work-items reach, or a statement outside of all kernels.
///
/// Calls `interrupt` before each pass, which may unwind.
pub(crate) fn optimise(
    lowered: Lowered,
    options: &Options,
    interrupt: &dyn Fn(),
) -> Result<Program> {
    optimise_until(lowered, options, usize::MAX, interrupt)
}

/// Runs the passes before a point in the compilation, and prints the program in the loop language.
pub(crate) fn print_after(lowered: Lowered, options: &Options, stage: Stage) -> Result<Listing> {
    optimise_until(lowered, options, stage.passes, &|| ()).map(|program| print(&program))
}

/// Runs the first `passes` passes, of which [`OUTLINING`] is the first one for targets with
/// work-items.
fn optimise_until(
    lowered: Lowered,
    options: &Options,
    mut passes: usize,
    interrupt: &dyn Fn(),
) -> Result<Program> {
    let Lowered {
        mut function,
        signature,
    } = lowered;
    let code = if function.features.has_work_items() && passes > 0 {
        passes -= 1;
        let depends_on_sizes =
            options.index == IndexPolicy::BySizes && counts::of(&function, []).is_complete;
        let mut parts = kernel_outlining::split(function)?;
        parts.depends_on_sizes = depends_on_sizes;
        for kernel in &mut parts.kernels {
            run(kernel, MAPPING, passes, true, interrupt)?;
            let passes = passes.saturating_sub(MAPPING.len());
            run(&mut kernel.function, KERNEL, passes, false, interrupt)?;
            kernel.function.trace.end();
        }
        Code::Kernels(parts)
    } else {
        run(&mut function, CPU, passes, true, interrupt)?;
        function.trace.end();
        Code::Function(Box::new(function))
    };
    Ok(Program { code, signature })
}

/// Runs the first `passes` of the steps, except optional ones that are left out, and records what
/// each changes. With `is_first`, the record starts anew; otherwise it is continued.
fn run<On: AsMut<Function>>(
    on: &mut On,
    steps: &[Step<On>],
    passes: usize,
    is_first: bool,
    interrupt: &dyn Fn(),
) -> Result<()> {
    let mut trace = match is_first {
        true => Trace::start(on.as_mut()),
        false => std::mem::take(&mut on.as_mut().trace),
    };
    for Step { pass, required } in steps.iter().take(passes) {
        if required.is_none() && on.as_mut().without.contains(pass.name) {
            continue;
        }
        interrupt();
        pass.apply(on)?;
        trace.after(pass.name, &pass.changes, on.as_mut());
    }
    on.as_mut().trace = trace;
    Ok(())
}
