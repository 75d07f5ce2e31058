//! Estimates how long generated code takes, and finds loops that another program would execute
//! faster.
//!
//! The model counts three things at given sizes:
//!
//! - the operations of each loop, at the throughput of vector instructions if compilers vectorise
//!   the loop ([`Vectorization`]), and at the latency of those that wait for each other ([`chain`]);
//! - the bytes that move into each cache, from the footprints and strides of the accesses
//!   ([`traffic`]), and the pages whose addresses are translated;
//! - the threads that execute a loop.
//!
//! The time of an outermost loop is the largest of its operations, its transfers and its
//! translations of addresses (Williams, Waterman and Patterson, "Roofline", 2009), and the time of a
//! function is the sum of these. The numbers of the machine are an input ([`Machine`]). The model does not know of instruction
//! scheduling, the frequency of branches and pages of different sizes.
//!
//! [`hints`] compares loops with the form in which they would be faster, by the same model.

mod chain;
mod hints;
mod interchange;
mod machine;
mod nest;
mod redundancy;
mod time;
mod traffic;

use dpia::PhraseProgram;
use nat::{Nat, Var};
use rise::Names;
use rise::core::Origin;
use rise::print::nat_text;
use rustc_hash::FxHashMap;
use syntax::ast::Name;

use crate::analysis::{counts, vectorization};
use crate::error::CompileError;
use crate::ir::kernel::{Code, Kernels};
use crate::ir::{Expr, ExprKind, Function, Loop, LoopMode, Stmt, StmtKind, walk};
use crate::lower;
use crate::opt::{loop_fusion, overlapped_tiling, unroll_and_jam};
use crate::pipeline::{self, Options};
use crate::signature::Signature;
use crate::targets::Target;

pub use crate::analysis::vectorization::{Obstacle, Vectorization};
pub use hints::{AccessPurpose, Hint, HintKind, bytes_text};
pub use machine::{Cache, Cycles, Machine, Translation};

use nest::{Node, Values};
use time::NestTime;

/// The value of sizes for which the caller gives none.
pub const DEFAULT_SIZE: i64 = 1024;

/// The passes that only change how indices are written. The model analyses the code without them.
const INDEX_PASSES: [&str; 3] = ["pointers", "address-hoisting", "strength-reduction"];

/// The estimate of a function at given sizes.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// The sizes, with true for those that have [`DEFAULT_SIZE`] because none is given.
    pub sizes: Vec<(Name, i64, bool)>,
    /// The names of the variables in sizes, by number.
    pub names: Vec<Name>,
    /// The number of operations on numbers, in the sizes; `None` if it depends on data.
    pub operations: Option<Nat>,
    /// The costs at the sizes; `None` for targets with kernels.
    pub cost: Option<Cost>,
    /// The loops in the order of the text.
    pub loops: Vec<LoopEstimate>,
    /// The hints, in the order of the text.
    pub hints: Vec<Hint>,
}

impl Estimate {
    /// Returns the time, and the sizes at which it is estimated, such as `about 12 ms at n = 1024`;
    /// `None` for targets with kernels.
    pub fn summary(&self) -> Option<String> {
        let time = time_text(self.cost.as_ref()?.seconds);
        Some(format!("about {time}{}", self.sizes_text()))
    }

    /// Returns the sizes behind ` at `; nothing if there are none.
    pub fn sizes_text(&self) -> String {
        sizes_text(&self.sizes)
    }

    /// Returns the text of a size.
    pub fn size_text(&self, size: &Nat) -> String {
        nat_text(size, &Names(self.names.as_slice().into()))
    }
}

/// Returns a time with two digits in a unit.
pub fn time_text(seconds: f64) -> String {
    let (value, unit) = match seconds {
        seconds if seconds >= 1.0 => (seconds, "s"),
        seconds if seconds >= 1e-3 => (seconds * 1e3, "ms"),
        seconds if seconds >= 1e-6 => (seconds * 1e6, "µs"),
        seconds => (seconds * 1e9, "ns"),
    };
    match value {
        value if value >= 10.0 => format!("{value:.0} {unit}"),
        value => format!("{value:.1} {unit}"),
    }
}

/// The costs of a function at given sizes.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    /// The time in seconds.
    pub seconds: f64,
    /// The time of the operations in seconds.
    pub operations_seconds: f64,
    /// The time to get new memory for arrays in seconds.
    pub allocation_seconds: f64,
    /// The time to find the addresses of pages of memory in seconds.
    pub translation_seconds: f64,
    /// The name of each cache, the bytes that move into it, and the seconds that this takes.
    pub transfers: Vec<(String, f64, f64)>,
    /// The number of threads of the machine, if a loop uses them.
    pub threads: Option<u32>,
}

/// The prediction for a loop.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopEstimate {
    /// The phrase that it comes from.
    pub origin: Origin,
    /// The name of its counter.
    pub counter: Name,
    /// The number of loops around it.
    pub depth: usize,
    /// The number of iterations, in sizes and counters.
    pub iterations: Nat,
    /// The prediction whether it is vectorised.
    pub vectorization: Vectorization,
    /// The part of the time of all operations of the function, from 0 to 1.
    pub share: f64,
}

/// Estimates the time of a program for a target at sizes by name; sizes without a value have
/// [`DEFAULT_SIZE`]. Calls `interrupt` before each pass of the compiler, which may unwind.
///
/// # Errors
/// Fails with the errors of compilation, and if a number of elements exceeds 64 bits at the sizes.
pub fn estimate(
    program: &PhraseProgram,
    target: Target,
    options: &Options,
    machine: Option<&Machine>,
    sizes: &[(Name, i64)],
    interrupt: &dyn Fn(),
) -> Result<Estimate, Vec<CompileError>> {
    let mut options = options.clone();
    for pass in INDEX_PASSES {
        options.without.insert(pass).expect("the pass is optional");
    }
    let compiled = |options: &Options| -> Result<_, Vec<CompileError>> {
        let mut lowered = lower::lower(program, target.features(), &options.without)?;
        let signature = lowered.signature.clone();
        lowered.function.features = target.features();
        lowered.function.without = options.without.clone();
        let compiled =
            pipeline::optimise(lowered, options, interrupt).map_err(|error| vec![error])?;
        Ok((compiled, signature))
    };
    let (program, signature) = compiled(&options)?;
    let given = given_sizes(&signature, sizes);
    let values: Values = (signature.sizes.iter().zip(&given))
        .map(|((var, _), (_, value, _))| (*var, *value))
        .collect();
    let default = Machine::of_target(target);
    let machine = machine.or(default.as_ref());
    Ok(match (&program.code, machine) {
        (Code::Function(function), Some(machine)) => {
            check_counts(function, &given)?;
            let analysis = Analysis::new(function, &values, machine);
            let mut hints = Vec::new();
            let mut without = |passes: &[&str]| {
                for pass in passes {
                    options.without.insert(pass).expect("the pass is optional");
                }
                let (program, _) = compiled(&options)?;
                let Code::Function(function) = &program.code else {
                    unreachable!("a program has the same form without a pass")
                };
                let other = Analysis::new(function, &values, machine);
                for hint in analysis.hints_of(&other) {
                    let is_known = |known: &Hint| known.subject() == hint.subject();
                    if !hints.iter().any(is_known) {
                        hints.push(hint);
                    }
                }
                Ok::<bool, Vec<CompileError>>(other.has_joined_sums())
            };
            if without(&[unroll_and_jam::PASS.name, overlapped_tiling::PASS.name])? {
                without(&[loop_fusion::PASS.name])?;
            }
            analysis.estimate(given, hints)
        }
        (Code::Function(_), None) => unreachable!("targets without kernels have a machine"),
        (Code::Kernels(kernels), _) => of_kernels(kernels, &signature, given),
    })
}

fn of_kernels(kernels: &Kernels, signature: &Signature, sizes: Vec<(Name, i64, bool)>) -> Estimate {
    let hints = (kernels.kernels.iter())
        .flat_map(hints::of_kernel)
        .collect();
    Estimate {
        sizes,
        names: signature.names.clone(),
        operations: None,
        cost: None,
        loops: Vec::new(),
        hints,
    }
}

/// Returns the sizes of a call. Those that are not given have the default, or another one of a few
/// values if the conditions of the program do not hold for it.
fn given_sizes(signature: &Signature, sizes: &[(Name, i64)]) -> Vec<(Name, i64, bool)> {
    let with = |default: i64| -> Vec<(Name, i64, bool)> {
        let value = |name: &Name| {
            let given = sizes.iter().rev().find(|(given, _)| given == name);
            given.map_or((default, true), |(_, value)| (*value, false))
        };
        let sizes = signature.sizes.iter();
        sizes
            .map(|(_, name)| {
                let (value, is_default) = value(name);
                (name.clone(), value, is_default)
            })
            .collect()
    };
    let holds = |sizes: &[(Name, i64, bool)]| {
        let value = |var: Var| {
            let at = signature.sizes.iter().position(|(size, _)| *size == var)?;
            Some(sizes[at].1)
        };
        let mut conditions = signature.requires.iter();
        conditions.all(|prop| prop.eval(&value, &|_, _| None) == Some(true))
    };
    [DEFAULT_SIZE, 960, 1026, 1025, 1000]
        .into_iter()
        .map(with)
        .find(|sizes| holds(sizes))
        .unwrap_or_else(|| with(DEFAULT_SIZE))
}

/// Fails if a number of elements does not fit into indices of 64 bits at these sizes.
fn check_counts(function: &Function, sizes: &[(Name, i64, bool)]) -> Result<(), Vec<CompileError>> {
    let value = |var: Var| {
        let at = function.sizes.iter().position(|size| *size == var)?;
        Some(Nat::constant(sizes.get(at)?.1))
    };
    let stored = function.params.iter().chain(&function.outputs);
    let counts = counts::of(function, stored.chain(&function.heap).copied());
    let mut counts = counts.all.iter();
    let Some(count) = counts.find(|count| is_too_large(&count.subst(&value))) else {
        return Ok(());
    };
    let text = nat_text(count, &Names(function.names.as_slice().into()));
    let message = format!(
        "there is no estimate{}, because `{text}` elements do not fit into indices of 64 bits",
        sizes_text(sizes)
    );
    let error = CompileError::new(counts::origin_of(function, count), message);
    let small = sizes.iter().map(|(name, ..)| format!("`-D {name}=…`"));
    let small: Vec<String> = small.collect();
    Err(vec![match small.is_empty() {
        true => error,
        false => error.with_help(format!("give smaller sizes: {}", small.join(", "))),
    }])
}

fn is_too_large(count: &Nat) -> bool {
    count.overflows() || count.as_const().is_some_and(|count| count > rise::MAX_SIZE)
}

/// Returns the sizes behind ` at `; nothing if there are none.
fn sizes_text(sizes: &[(Name, i64, bool)]) -> String {
    let size = |(name, value, is_assumed): &(Name, i64, bool)| {
        let note = if *is_assumed { " (assumed)" } else { "" };
        format!("{name} = {value}{note}")
    };
    let sizes: Vec<String> = sizes.iter().map(size).collect();
    match sizes.is_empty() {
        true => String::new(),
        false => format!(" at {}", sizes.join(", ")),
    }
}

/// Returns the machine as a function finds it that was called before: arrays that together fit into the
/// last cache are in it.
fn machine_in_use(function: &Function, values: &Values, machine: &Machine) -> Machine {
    let mut machine = machine.clone();
    let bytes = function.variables.iter().filter_map(|variable| {
        let count = nest::evaluate(variable.count.as_ref()?, values)?;
        Some(count as f64 * nest::element_bytes(&variable.elem))
    });
    let bytes: f64 = bytes.sum();
    if let Some(last) = machine.caches.last_mut()
        && bytes <= last.bytes as f64
    {
        last.consecutive = f64::INFINITY;
        last.scattered = f64::INFINITY;
        last.total = f64::INFINITY;
    }
    machine
}

/// The analysis of a function for CPUs.
struct Analysis<'a> {
    function: &'a Function,
    values: &'a Values,
    machine: Machine,
    /// The predictions for the loops, by number.
    vectorization: Vec<Vectorization>,
    nodes: Vec<Node>,
    nests: Vec<NestTime>,
}

impl<'a> Analysis<'a> {
    fn new(function: &'a Function, values: &'a Values, machine: &'a Machine) -> Analysis<'a> {
        let machine = &machine_in_use(function, values, machine);
        let vectorization = vectorization::of(function);
        let nodes =
            nest::NestBuilder::new(function, values, &vectorization, machine.register_bytes)
                .nodes(&function.body);
        let nests = nodes
            .iter()
            .map(|node| NestTime::of(node, machine))
            .collect();
        Analysis {
            function,
            values,
            machine: machine.clone(),
            vectorization,
            nodes,
            nests,
        }
    }

    fn seconds(&self) -> f64 {
        self.nests.iter().map(NestTime::seconds).sum::<f64>() + self.allocation_seconds()
    }

    /// Returns the time to get new memory for large arrays, which C libraries return to the system
    /// when they are freed.
    fn allocation_seconds(&self) -> f64 {
        const LARGE: f64 = 131_072.0;
        const PAGE: f64 = 4096.0;
        let arrays = self.function.heap.iter().filter_map(|id| {
            let variable = &self.function.variables[id.0 as usize];
            let count = nest::evaluate(variable.count.as_ref()?, self.values)?;
            Some(count as f64 * nest::element_bytes(&variable.elem))
        });
        let large = arrays.filter(|bytes| *bytes >= LARGE);
        let bytes = large.fold(0.0, |sum, bytes| sum + bytes);
        bytes / PAGE * self.machine.new_page
    }

    /// Returns true if a loop computes several sums, which may be those of several loops.
    fn has_joined_sums(&self) -> bool {
        fn is_joined(node: &Node) -> bool {
            match node {
                Node::Loop(this) => this.accumulators > 1 || this.body.iter().any(is_joined),
                Node::Work(_) => false,
            }
        }
        self.nodes.iter().any(is_joined)
    }

    /// Returns the time of the operations of each loop, by its number.
    fn loop_seconds(&self) -> FxHashMap<usize, f64> {
        self.nests
            .iter()
            .flat_map(|nest| nest.loops.iter().copied())
            .collect()
    }

    /// Returns the hints of the same program without the passes that join loops, whose loops are those
    /// of the source. Their factors are those of this program, in which the iterations of several loops may
    /// be executed together; hints whose factor is too small then are left out.
    fn hints_of(&self, unjammed: &Analysis<'_>) -> Vec<Hint> {
        let before = unjammed.seconds();
        let gain = if before > 0.0 {
            self.seconds() / before
        } else {
            1.0
        };
        let hints = hints::of(unjammed).into_iter();
        hints
            .filter_map(|hint| self.hint_of_jammed(hint, gain))
            .collect()
    }

    fn estimate(&self, sizes: Vec<(Name, i64, bool)>, hints: Vec<Hint>) -> Estimate {
        Estimate {
            sizes,
            names: self.function.names.clone(),
            operations: operations(self.function),
            cost: Some(self.cost()),
            loops: self.loops(),
            hints,
        }
    }

    fn cost(&self) -> Cost {
        let mut transfers: Vec<(String, f64, f64)> = (self.machine.caches.iter())
            .map(|cache| (cache.name.clone(), 0.0, 0.0))
            .collect();
        for nest in &self.nests {
            let levels = nest.traffic.iter().zip(&nest.transfers);
            for (sum, (traffic, seconds)) in transfers.iter_mut().zip(levels) {
                sum.1 += traffic.bytes();
                sum.2 += seconds;
            }
        }
        let mut is_parallel = false;
        walk::each_stmt(&self.function.body, &mut |stmt| {
            let StmtKind::For(this) = &stmt.kind else {
                return;
            };
            is_parallel |= matches!(this.mode, LoopMode::Parallel | LoopMode::Reduction(..));
        });
        Cost {
            seconds: self.seconds(),
            operations_seconds: self.nests.iter().map(|nest| nest.operations).sum(),
            allocation_seconds: self.allocation_seconds(),
            translation_seconds: self.nests.iter().map(|nest| nest.translation).sum(),
            transfers,
            threads: is_parallel.then_some(self.machine.threads),
        }
    }

    fn loops(&self) -> Vec<LoopEstimate> {
        let seconds = self.loop_seconds();
        let all: f64 = self.nests.iter().map(|nest| nest.operations).sum();
        let mut found = Vec::new();
        loops(&self.function.body, 0, &mut |stmt, depth| {
            let (counter, iterations, vectorization) = match &stmt.kind {
                StmtKind::For(this) => (
                    this.counter,
                    iterations(this),
                    self.vectorization[found.len()].clone(),
                ),
                StmtKind::Reduce(reduce) => {
                    (reduce.counter, reduce.count.clone(), Vectorization::Unknown)
                }
                _ => return,
            };
            let number = found.len();
            found.push(LoopEstimate {
                origin: stmt.origin,
                counter: self
                    .function
                    .names
                    .get(counter.0 as usize)
                    .cloned()
                    .unwrap_or_default(),
                depth,
                iterations,
                vectorization,
                share: match all > 0.0 {
                    true => seconds.get(&number).copied().unwrap_or(0.0) / all,
                    false => 0.0,
                },
            });
        });
        found
    }
}

/// Returns the number of iterations of a loop.
fn iterations(this: &Loop) -> Nat {
    let length = Nat::sub(&this.to, &this.from);
    let exact = length.ratio(&this.step);
    exact.unwrap_or_else(|| Nat::ceil_div(&length, &this.step))
}

/// Returns the sum of a number, which may contain the counter, over the iterations of a loop.
fn sum_over(this: &Loop, number: &Nat) -> Nat {
    if !number.mentions(this.counter) {
        return &iterations(this) * number;
    }
    let at = &this.from + &(&Nat::var(this.counter) * &this.step);
    let number = number.subst(&|var| (var == this.counter).then(|| at.clone()));
    Nat::sum(this.counter, &Nat::ZERO, &iterations(this), &number)
}

/// Calls `visit` with each loop and the number of loops around it, in the order of the text.
fn loops<'s>(body: &'s [Stmt], depth: usize, visit: &mut dyn FnMut(&'s Stmt, usize)) {
    for stmt in body {
        let is_loop = nest::is_loop(stmt);
        if is_loop {
            visit(stmt, depth);
        }
        walk::blocks(stmt, &mut |inner| {
            loops(inner, depth + usize::from(is_loop), visit)
        });
    }
}

/// Returns the number of operations on numbers, in the sizes of a function; `None` if it depends on
/// data. All branches of conditionals are counted.
fn operations(function: &Function) -> Option<Nat> {
    let count = function.known().normalize(&operations_of(&function.body));
    let is_size = |var: Var| function.sizes.contains(&var);
    (!count.any_var(&|var| !is_size(var))).then_some(count)
}

fn operations_of(body: &[Stmt]) -> Nat {
    let mut sum = Nat::ZERO;
    for stmt in body {
        let mut direct = 0;
        walk::each_expr(stmt, &mut |expr| {
            walk::sub_exprs(expr, &mut |part| direct += i64::from(is_operation(part)));
        });
        let mut nested = Nat::ZERO;
        walk::blocks(stmt, &mut |body| nested = &nested + &operations_of(body));
        let all = match &stmt.kind {
            StmtKind::For(this) => sum_over(this, &nested),
            StmtKind::Reduce(reduce) => &reduce.count * &nested,
            _ => nested,
        };
        sum = &sum + &(&all + direct);
    }
    sum
}

fn is_operation(expr: &Expr) -> bool {
    matches!(
        expr.kind,
        ExprKind::Binary(..) | ExprKind::Unary(..) | ExprKind::Cast(..) | ExprKind::Call(..)
    )
}
