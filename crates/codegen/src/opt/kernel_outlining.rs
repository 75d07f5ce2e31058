//! Splits a function into its kernels, each of which becomes a function of its own.

use nat::Nat;
use rise::core::{Launch, Origin};
use rustc_hash::FxHashSet;

use crate::analysis::uses::Uses;
use crate::error::{CompileError, Result};
use crate::ir::{Function, Home, Id, Stmt, StmtKind};
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
    let mut stmts = Vec::new();
    flatten(body, &function, &mut stmts);
    if !stmts.iter().any(is_kernel) {
        let launch = std::mem::take(&mut function.launch);
        let work = work(&mut function, launch);
        function.body = stmts;
        let kernels = vec![KernelFunction { function, work }];
        return Ok(Kernels {
            kernels,
            shared: Vec::new(),
            depends_on_sizes: false,
        });
    }
    let mut shared = Vec::new();
    let mut kernels = Vec::new();
    for stmt in stmts {
        match stmt.kind {
            StmtKind::Declare(id, None) if is_global(&function, id) => {
                let bytes = bytes(&function, id)?;
                shared.push(Temporary { id, bytes });
            }
            StmtKind::Kernel(kernel) => kernels.push(*kernel),
            _ => return Err(outside(stmt.origin)),
        }
    }
    let works: Vec<KernelState> = kernels
        .iter()
        .map(|kernel| work(&mut function, kernel.launch.clone()))
        .collect();
    let parts = kernels.into_iter().zip(works).map(|(kernel, mut work)| {
        let mut function = function.clone();
        function.body = kernel.body;
        let used = mentioned(&function);
        let of_kernel = shared
            .iter()
            .filter(|one: &&Temporary| used.contains(&one.id));
        work.temporaries = of_kernel.cloned().collect();
        KernelFunction { function, work }
    });
    let kernels = parts.collect();
    Ok(Kernels {
        kernels,
        shared,
        depends_on_sizes: false,
    })
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
                let last = inner.iter().rposition(is_kernel);
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

fn is_kernel(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Kernel(_))
}

fn is_global(function: &Function, id: Id) -> bool {
    function.variables[id.0 as usize].home == Home::Local(Some(AddressSpace::Global))
}

fn mentioned(function: &Function) -> FxHashSet<Id> {
    let mut used = FxHashSet::default();
    Uses::of(function).all(&function.body, &mut |id, _| {
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
