//! Splits a function into its kernels, each of which becomes a function of its own.

use nat::Nat;
use rise::core::{Launch, Origin};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::uses::Uses;
use crate::error::{CompileError, Result};
use crate::ir::host::HostStep;
use crate::ir::walk::{Renamed, change_all, has_kernel};
use crate::ir::{
    Binary, Expr, ExprKind, Function, Home, Id, Kernel, Loop, LoopMode, Place, Stmt, StmtKind,
};
use syntax::ast::AddressSpace;

use crate::ir::kernel::{KernelFunction, KernelState, Kernels, LaunchVars, Temporary, bytes};

/// Splits a function into its kernels. A function without kernel statements is one kernel as a
/// whole.
///
/// # Errors
/// Fails for a statement outside of all kernels of a function that has some, except for
/// declarations of global memory, and for such memory whose elements have no type in OpenCL C.
pub(crate) fn split(mut function: Function) -> Result<Kernels> {
    let body = std::mem::take(&mut function.body);
    if !has_kernel(&body) {
        let launch = std::mem::take(&mut function.launch);
        let work = work(&mut function, launch);
        flatten(body, &function.clone(), &mut function.body);
        return Ok(Kernels {
            kernels: vec![KernelFunction { function, work }],
            steps: vec![HostStep::Launch(0)],
            handles: Vec::new(),
            shared: Vec::new(),
            depends_on_sizes: false,
        });
    }
    let mut host = Host {
        function: &function,
        kernels: Vec::new(),
        shared: Vec::new(),
        handles: Vec::new(),
    };
    let mut stmts = Vec::new();
    flatten(body, &function, &mut stmts);
    host.without_copies(&mut stmts);
    let steps = host.steps(stmts)?;
    let Host {
        kernels,
        shared,
        handles,
        ..
    } = host;
    for handle in &handles {
        // A kernel gets the memory to which the handle refers as an array of its own.
        function.variables[handle.0 as usize].home = Home::Local(Some(AddressSpace::Global));
    }
    let arrays: Vec<Temporary> = (handles.iter())
        .map(|id| {
            Ok(Temporary {
                id: *id,
                bytes: bytes(&function, *id)?,
            })
        })
        .chain(shared.iter().cloned().map(Ok))
        .collect::<Result<_>>()?;
    let works: Vec<KernelState> = kernels
        .iter()
        .map(|kernel| work(&mut function, kernel.launch.clone()))
        .collect();
    let parts = kernels.into_iter().zip(works).map(|(kernel, mut work)| {
        let mut function = function.clone();
        function.body = kernel.body;
        let used = mentioned(&function);
        let of_kernel = arrays.iter().filter(|one| used.contains(&one.id));
        work.temporaries = of_kernel.cloned().collect();
        KernelFunction { function, work }
    });
    Ok(Kernels {
        kernels: parts.collect(),
        steps,
        handles,
        shared,
        depends_on_sizes: false,
    })
}

/// The parts of a function that is split: its kernels, and what the host does around them.
struct Host<'f> {
    function: &'f Function,
    kernels: Vec<Kernel>,
    /// The global arrays that are declared outside of the kernels.
    shared: Vec<Temporary>,
    /// The pointers that are declared outside of the kernels.
    handles: Vec<Id>,
}

impl Host<'_> {
    /// Returns the steps of the host for statements outside of kernels.
    fn steps(&mut self, body: Vec<Stmt>) -> Result<Vec<HostStep<Id>>> {
        let mut stmts = Vec::new();
        flatten(body, self.function, &mut stmts);
        let mut steps = Vec::new();
        for stmt in stmts {
            let origin = stmt.origin;
            match stmt.kind {
                StmtKind::Declare(id, None) if is_global(self.function, id) => {
                    let bytes = bytes(self.function, id)?;
                    self.shared.push(Temporary { id, bytes });
                }
                StmtKind::Declare(id, None) if is_pointer(self.function, id) => {
                    self.handles.push(id);
                }
                StmtKind::Kernel(kernel) => {
                    steps.push(HostStep::Launch(self.kernels.len()));
                    self.kernels.push(*kernel);
                }
                StmtKind::Point(handle, place) if self.is_memory(&place) => {
                    steps.push(HostStep::Point(handle, place.id));
                }
                StmtKind::Swap(one, other) => steps.push(HostStep::Swap(one, other)),
                StmtKind::For(each) if each.mode == LoopMode::Sequential && is_counted(&each) => {
                    steps.push(HostStep::Repeat {
                        counter: each.counter,
                        count: each.to,
                        body: self.steps(each.body)?,
                    });
                }
                StmtKind::If {
                    condition,
                    then,
                    otherwise,
                } => steps.push(HostStep::IfEqual {
                    sizes: equal_sizes(&condition).ok_or_else(|| outside(origin))?,
                    then: self.steps(then)?,
                    otherwise: self.steps(otherwise)?,
                }),
                _ => return Err(outside(origin)),
            }
        }
        Ok(steps)
    }

    /// Removes copies of whole arrays to outputs that no other statement of the function uses: the
    /// array is the output itself.
    fn without_copies(&self, stmts: &mut Vec<Stmt>) {
        while let Some((at, [array, output])) = self.copy_to_output(stmts) {
            stmts.remove(at);
            stmts.retain(|stmt| !matches!(stmt.kind, StmtKind::Declare(id, None) if id == array));
            let ids = FxHashMap::from_iter([(array, output)]);
            change_all(stmts, &mut Renamed { ids: &ids });
        }
    }

    /// Returns the first copy of an array that is declared in the statements to an output that no
    /// other one of them uses, with the array and the output.
    fn copy_to_output(&self, stmts: &[Stmt]) -> Option<(usize, [Id; 2])> {
        stmts.iter().enumerate().find_map(|(at, stmt)| {
            let [array, output] = self.copied_array(stmt)?;
            let declares =
                |stmt: &Stmt| matches!(stmt.kind, StmtKind::Declare(id, None) if id == array);
            let (before, behind) = (&stmts[..at], &stmts[at + 1..]);
            let uses = |id: Id, body: &[Stmt]| mentioned_in(self.function, body).contains(&id);
            let is_unused = !uses(output, before) && !uses(output, behind) && !uses(array, behind);
            (before.iter().any(declares) && is_unused).then_some((at, [array, output]))
        })
    }

    /// Returns the array and the output if a statement copies all elements of a global array to an
    /// output of the same size.
    fn copied_array(&self, stmt: &Stmt) -> Option<[Id; 2]> {
        let (mut stmt, mut count, mut offset) = (stmt, Nat::ONE, Nat::ZERO);
        while let StmtKind::For(each) = &stmt.kind {
            let [inner] = &each.body[..] else {
                return None;
            };
            if !is_counted(each) {
                return None;
            }
            count = &count * &each.to;
            offset = &offset * &each.to + Nat::var(each.counter);
            stmt = inner;
        }
        let StmtKind::Assign(
            to,
            Expr {
                kind: ExprKind::Load(from),
                ..
            },
        ) = &stmt.kind
        else {
            return None;
        };
        let variable = |id: Id| &self.function.variables[id.0 as usize];
        let (array, output) = (variable(from.id), variable(to.id));
        let facts = self.function.known();
        let is_all = |found: &Option<Nat>| {
            found.as_ref().map(|found| facts.normalize(found)) == Some(facts.normalize(&count))
        };
        let index = from.index.as_ref().map(|index| facts.normalize(index));
        let same_element = Place {
            id: to.id,
            ..from.clone()
        } == *to;
        (same_element
            && index == Some(facts.normalize(&offset))
            && is_global(self.function, from.id)
            && output.home == Home::Output
            && is_all(&array.count)
            && is_all(&output.count))
        .then_some([from.id, to.id])
    }

    /// Returns true if a place is the start of memory that the host passes to kernels, so that a
    /// pointer to it stands for this memory.
    fn is_memory(&self, place: &Place) -> bool {
        let id = place.id;
        let shared = self.shared.iter().any(|shared| shared.id == id);
        let known = self.handles.contains(&id)
            || self.function.outputs.contains(&id)
            || self.function.params.contains(&id);
        *place == Place::start(id) && (shared || known)
    }
}

/// Returns true if a loop counts from 0 by 1.
fn is_counted(each: &Loop) -> bool {
    each.from == Nat::ZERO && each.step == Nat::ONE
}

/// Returns the two sizes that a condition compares, if it is true for equal sizes.
fn equal_sizes(condition: &Expr) -> Option<[Nat; 2]> {
    let ExprKind::Binary(Binary::Eq, a, b) = &condition.kind else {
        return None;
    };
    match (&a.kind, &b.kind) {
        (ExprKind::Nat(a), ExprKind::Nat(b)) => Some([a.clone(), b.clone()]),
        _ => None,
    }
}

/// Adds the statements to `out` in the order of their execution, without enclosing blocks. A kernel
/// that reads the result of another one contains that one; it is put after it.
fn flatten(body: Vec<Stmt>, function: &Function, out: &mut Vec<Stmt>) {
    for stmt in body {
        let origin = stmt.origin;
        match stmt.kind {
            StmtKind::Block(inner) => flatten(inner, function, out),
            StmtKind::Kernel(mut kernel) => {
                let mut inner = Vec::new();
                flatten(std::mem::take(&mut kernel.body), function, &mut inner);
                let last = (inner.iter()).rposition(|stmt| has_kernel(std::slice::from_ref(stmt)));
                let own = inner.split_off(last.map_or(0, |last| last + 1));
                // Variables of the outer kernel that are declared before the inner kernel stay
                // variables of the outer one.
                let (declared, others): (Vec<Stmt>, Vec<Stmt>) =
                    inner.into_iter().partition(|stmt| match &stmt.kind {
                        StmtKind::Declare(id, None) => !is_global(function, *id),
                        _ => false,
                    });
                out.extend(others);
                kernel.body = declared.into_iter().chain(own).collect();
                out.push(Stmt::new(StmtKind::Kernel(kernel), origin, stmt.made_by));
            }
            _ => out.push(stmt),
        }
    }
}

fn is_global(function: &Function, id: Id) -> bool {
    function.variables[id.0 as usize].home == Home::Local(Some(AddressSpace::Global))
}

fn is_pointer(function: &Function, id: Id) -> bool {
    matches!(function.variables[id.0 as usize].home, Home::Pointer { .. })
}

fn mentioned(function: &Function) -> FxHashSet<Id> {
    mentioned_in(function, &function.body)
}

fn mentioned_in(function: &Function, body: &[Stmt]) -> FxHashSet<Id> {
    let mut used = FxHashSet::default();
    Uses::of(function).all(body, &mut |id, _| {
        used.insert(id);
    });
    used
}

/// Returns the properties of a kernel before the passes, with new size variables for the sizes of
/// the launch.
fn work(function: &mut Function, launch: Launch) -> KernelState {
    let facts = function.known();
    let normal = |sizes: [Option<Nat>; 3]| sizes.map(|size| size.map(|n| facts.normalize(&n)));
    let launch = Launch {
        local: normal(launch.local),
        global: normal(launch.global),
    };
    let mut fresh = |stem: &str| {
        [0, 1, 2].map(|dimension| {
            function.fresh_size(&match dimension {
                0 => stem.to_owned(),
                _ => format!("{stem}{dimension}"),
            })
        })
    };
    let vars = LaunchVars {
        local: fresh("local_size"),
        global: fresh("global_size"),
    };
    KernelState {
        launch,
        vars,
        requires: Vec::new(),
        local_bytes: Nat::ZERO,
        items: Vec::new(),
        temporaries: Vec::new(),
    }
}

fn outside(origin: Origin) -> CompileError {
    CompileError::new(
        origin,
        "this is computed outside of every `oclRun`, and a program with `oclRun` consists of its \
         kernels only",
    )
    .with_help("move this into one of the kernels, or write `oclRun` around it to make it a kernel")
}
