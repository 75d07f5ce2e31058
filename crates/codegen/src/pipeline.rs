//! The passes in the order in which they run, with the reason for each position.
//!
//! A required pass removes what the emitters do not print, or computes what they print by. An
//! optional one makes code faster, smaller or better to read: without it the text has the same
//! meaning.

use dpia::IndexPolicy;

use crate::analysis::counts;
use crate::error::CompileError;
use crate::ir::Function;
use crate::ir::kernel::{Code, KernelFunction, Program};
use crate::ir::trace::Trace;
use crate::lower::Lowered;
use crate::opt::{
    Pass, address_hoisting, allocation, branch_fusion, copy_coalescing, copy_elision,
    dead_code_elimination, dead_store_elimination, inlining, kernel_memory, kernel_outlining,
    live_range_splitting, loops, pointers, privatization, reductions, scalar_replacement,
    single_assignment, sinking, strength_reduction, tuple_splitting, unrolling, vector_alignment,
    vector_legalization, vector_scalarization, vectorization, work_item_mapping,
};

/// A pass at a position.
pub(crate) struct Step<On = Function> {
    pass: Pass<On>,
    is_optional: bool,
}

const fn required<On>(pass: Pass<On>) -> Step<On> {
    Step {
        pass,
        is_optional: false,
    }
}

const fn optional<On>(pass: Pass<On>) -> Step<On> {
    Step {
        pass,
        is_optional: true,
    }
}

/// The passes for functions that run on a CPU.
const CPU: &[Step] = &[
    // Unrolled and peeled loops make indices constant and conditions known, for all that follows.
    required(loops::PASS),
    // Constant indices make elements variables, which the passes on variables then see.
    optional(scalar_replacement::PASS),
    // Halves of tuples are variables before copies are looked for: a copy of a tuple is one of each.
    optional(tuple_splitting::PASS),
    // An array that is only copied needs no memory, so before memory is allocated.
    optional(copy_elision::PASS),
    // The copies left variables behind that nothing reads: they need no memory either.
    optional(dead_code_elimination::PASS),
    // All arrays that are left need memory.
    required(allocation::PASS),
    // One variable for each purpose lets each be declared where its value is known.
    optional(live_range_splitting::PASS),
    // The last store to each range is dead if nothing reads it.
    optional(dead_store_elimination::PASS),
    // Ranges are declared at their first use, and get their values there.
    optional(sinking::PASS),
    // Declarations with values are copies or not, which before was to be seen by assignments only.
    optional(copy_coalescing::PASS),
    // What is left and read once is no variable; later, pointers would stand in between.
    optional(inlining::PASS),
    // Whole statements are split into pieces, so after they are as long as they get.
    optional(vector_legalization::PASS),
    // Rows are found in the indices of the final statements.
    optional(pointers::PASS),
    // Indices that pointers have not made shorter get names.
    optional(address_hoisting::PASS),
    // Every assignment is where it stays.
    optional(single_assignment::PASS),
    // Last, as other passes look into reductions but not at how they are implemented.
    required(reductions::PASS),
];

/// The passes for kernels, while loops that work-items share still count from 0 to their number.
const MAPPING: &[Step<KernelFunction>] = &[
    // The conditions of the launch are facts for all that follows.
    required(work_item_mapping::ASSUMPTIONS),
    // Private arrays shrink to a work-item's own share, which needs no barriers and no memory.
    required(privatization::PASS),
    // What work-items share has its place and its barriers while it is seen who shares what.
    required(kernel_memory::PASS),
    // Nothing asks any more which loops are shared.
    required(work_item_mapping::PASS),
];

/// The passes for kernels behind [`MAPPING`]: each loop is sequential, the program is that of one
/// work-item, and nothing moves accesses to shared memory across a barrier.
const KERNEL: &[Step] = &[
    // Loops over lanes are vector operations before they could be written out.
    optional(vectorization::PASS),
    // Short loops over private arrays are marked for the next pass, which writes them out.
    optional(unrolling::PASS),
    // Unrolled and peeled loops make indices constant and conditions known, for all that follows.
    required(loops::PASS),
    // Copies of an unrolled body have one condition.
    optional(branch_fusion::PASS),
    // Vectors that are parts of private arrays would keep these from becoming variables.
    optional(vector_scalarization::PASS),
    // Constant indices make elements variables: registers of the device.
    optional(scalar_replacement::PASS),
    // Halves of tuples are variables before copies are looked for: a copy of a tuple is one of each.
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
    // What is left and read once is no variable.
    optional(inlining::PASS),
    // Unrolled loops leave more values that nothing reads once those in between are gone.
    optional(dead_code_elimination::PASS),
    // The quotients that loops count in are found in the final indices.
    optional(strength_reduction::PASS),
    // Indices whose quotients are gone are the cheaper ones: what is left of the others gets names.
    optional(address_hoisting::PASS),
    // Every vector access to memory is there.
    required(vector_alignment::PASS),
    // Every assignment is where it stays.
    optional(single_assignment::PASS),
];

/// Choices for the compilation of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The width of sizes and indices.
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

/// Optional passes, by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassSet(Vec<&'static str>);

impl PassSet {
    /// Every pass that can be left out, by name.
    pub fn optional() -> Vec<&'static str> {
        let mut names: Vec<_> = (CPU.iter().chain(KERNEL))
            .filter(|step| step.is_optional)
            .map(|step| step.pass.name)
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Adds the optional pass with this name; returns false if there is none.
    pub fn insert(&mut self, name: &str) -> bool {
        let known = PassSet::optional().into_iter().find(|pass| *pass == name);
        self.0.extend(known);
        known.is_some()
    }

    fn contains(&self, name: &str) -> bool {
        self.0.contains(&name)
    }
}

/// Runs the passes.
///
/// # Errors
/// What has no code: loops to be unrolled whose length is a parameter, private memory that another
/// work-item reads, barriers where not all work-items come, what stands outside of all kernels.
pub(crate) fn optimise(lowered: Lowered, options: &Options) -> Result<Program, CompileError> {
    optimise_until(lowered, options, usize::MAX)
}

/// Runs so many passes.
pub(crate) fn optimise_until(
    lowered: Lowered,
    options: &Options,
    passes: usize,
) -> Result<Program, CompileError> {
    let Lowered {
        mut function,
        signature,
    } = lowered;
    let code = if function.features.has_work_items() {
        let depends_on_sizes =
            options.index == IndexPolicy::BySizes && counts::of(&function, []).is_complete;
        let mut parts = kernel_outlining::split(function)?;
        parts.depends_on_sizes = depends_on_sizes;
        for kernel in &mut parts.kernels {
            run(kernel, MAPPING, options, passes, true)?;
            let passes = passes.saturating_sub(MAPPING.len());
            run(&mut kernel.function, KERNEL, options, passes, false)?;
            kernel.function.trace.end();
        }
        Code::Kernels(parts)
    } else {
        run(&mut function, CPU, options, passes, true)?;
        function.trace.end();
        Code::Function(Box::new(function))
    };
    Ok(Program { code, signature })
}

/// Runs so many of the steps, and records what each does.
fn run<On: AsMut<Function>>(
    on: &mut On,
    steps: &[Step<On>],
    options: &Options,
    passes: usize,
    is_first: bool,
) -> Result<(), CompileError> {
    let mut trace = match is_first {
        true => Trace::start(on.as_mut()),
        false => std::mem::take(&mut on.as_mut().trace),
    };
    for Step { pass, is_optional } in steps.iter().take(passes) {
        if *is_optional && options.without.contains(pass.name) {
            continue;
        }
        (pass.run)(on)?;
        trace.after(pass.name, &pass.changes, on.as_mut());
    }
    on.as_mut().trace = trace;
    Ok(())
}
