//! Checks the nesting of distributed loops, and accesses that no barrier can order: memory that
//! every work-item writes, and global memory that one group writes and another one reads.

use nat::{Nat, Prop};
use rise::core::Origin;
use syntax::ast::AddressSpace;

use super::dependence_test::{DirectionVector, MemoryAliases, Participants};
use super::flow::{Access, Flow, Path, map_name};
use crate::codes;
use crate::error::{CompileError, Result};
use crate::ir::kernel::KernelState;
use crate::ir::walk;
use crate::ir::{Function, Level, Loop, LoopMode, Order, Stmt, StmtKind};

/// Checks that each place in shared memory is written by one work-item, and is read in the kernel
/// only by work-items of the group that wrote it. Adds conditions on the launch to `work.requires`
/// under which it is so.
///
/// # Errors
/// Fails for a place that several work-items write, or that another group reads, and for
/// distributed loops that are nested in a wrong way.
pub(crate) fn check(function: &Function, work: &mut KernelState, body: &[Stmt]) -> Result<()> {
    nesting(body, &mut Vec::new())?;
    let flow = Flow::of(function, work, body);
    let mut all = Vec::new();
    flow.all(body, &Path::start(), &mut all);
    all.retain(|access| flow.shared(access.id).is_some());
    let mut assumed = Vec::new();
    for access in all.iter().filter(|access| access.writes) {
        for dimension in 0..3 {
            written_by_one(&flow, access, dimension, &mut assumed)?;
        }
    }
    for write in all.iter().filter(|access| access.writes) {
        for read in all.iter().filter(|access| !access.writes) {
            if meets_across_groups(&flow, write, read) {
                return Err(across_groups(write, read));
            }
        }
    }
    for prop in assumed {
        if !work.requires.contains(&prop) {
            work.requires.push(prop);
        }
    }
    Ok(())
}

/// Checks the nesting of distributed loops: in each dimension, a distributed loop is not nested in
/// another one, except for a loop over the work-items of a group in a loop over groups. In a loop
/// over the work-items of a group there are no loops of other levels, in any dimension. `around`
/// contains the enclosing distributed loops.
///
/// # Errors
/// Fails for the first loop whose nesting is not of this form.
fn nesting(body: &[Stmt], around: &mut Vec<(Level, u8)>) -> Result<()> {
    for stmt in body {
        let own = match stmt.kind {
            StmtKind::For(Loop {
                mode: LoopMode::Items(level, dimension),
                ..
            }) => Some((level, dimension)),
            _ => None,
        };
        if let Some((level, dimension)) = own {
            let outer = around.iter().rev().find(|(outer, d)| {
                let in_groups = level == Level::Local && *outer == Level::WorkGroup;
                *d == dimension && !in_groups || *outer == Level::Local && level != Level::Local
            });
            if let Some(outer) = outer {
                return Err(wrong_nesting(stmt.origin, (level, dimension), *outer));
            }
        }
        around.extend(own);
        let mut result = Ok(());
        walk::blocks(stmt, &mut |body| {
            if result.is_ok() {
                result = nesting(body, around);
            }
        });
        result?;
        if own.is_some() {
            around.pop();
        }
    }
    Ok(())
}

fn wrong_nesting(origin: Origin, inner: (Level, u8), outer: (Level, u8)) -> CompileError {
    let (inner, outer) = (map_name(inner), map_name(outer));
    let text = format!(
        "this {inner} runs inside of {outer}, whose work-items already have other iterations there: a \
         `map` is computed where its result is read"
    );
    CompileError::new(origin, text)
        .with_help(
            "store its result before it is read: `toMem(Local)` outside of the map that reads it",
        )
        .with_code(dpia::codes::WRONG_NESTING)
}

/// Ensures that only one work-item writes a place, as far as this depends on a dimension: that the
/// write is in a loop over the work-items and groups of the dimension, or that there is one. If
/// their number is not known in dimension 1 or 2, the condition that it is 1 is added to `assumed`;
/// otherwise this fails.
fn written_by_one(
    flow: &Flow<'_>,
    access: &Access,
    dimension: u8,
    assumed: &mut Vec<Prop>,
) -> Result<()> {
    let space = flow.shared(access.id).unwrap_or(AddressSpace::Global);
    for participants in [Participants::WorkItems, Participants::Groups] {
        if participants == Participants::Groups && space == AddressSpace::Local {
            continue;
        }
        let (level, unknown) = match participants {
            Participants::WorkItems => (Level::Local, &flow.work.launch.local),
            Participants::Groups => (Level::WorkGroup, &flow.work.launch.global),
        };
        let shares = flow
            .around(&access.around)
            .any(|around| match participants {
                Participants::WorkItems => around.is_of_items(dimension),
                Participants::Groups => around.is_of_groups(dimension),
            });
        let many = flow.work.count(level, dimension);
        let one = Prop::AtLeast(Nat::ONE, many.clone());
        if shares || flow.facts.proves(&one) {
            continue;
        }
        let is_unknown = unknown[usize::from(dimension)].is_none();
        if dimension > 0 && is_unknown {
            assumed.push(Prop::Equal(many, Nat::ONE));
            continue;
        }
        return Err(written_by_all(flow, access, dimension, participants));
    }
    Ok(())
}

fn written_by_all(
    flow: &Flow<'_>,
    access: &Access,
    dimension: u8,
    participants: Participants,
) -> CompileError {
    let (who, map) = match (participants, flow.shared(access.id)) {
        (Participants::WorkItems, Some(AddressSpace::Local)) => {
            ("work-item of a group", format!("`mapLocal({dimension})`"))
        }
        (Participants::WorkItems, _) => (
            "work-item of a group",
            format!("`mapLocal({dimension})` or `mapGlobal({dimension})`"),
        ),
        (Participants::Groups, _) => (
            "work-group",
            format!("`mapWorkGroup({dimension})` or `mapGlobal({dimension})`"),
        ),
    };
    let text = format!("every {who} in dimension {dimension} writes this, all to the same place");
    let one = match participants {
        Participants::WorkItems => "have one work-item in a group",
        Participants::Groups => "launch one work-group",
    };
    let help = format!(
        "write it inside of {map}, so that each writes a part of its own, or {one} in dimension \
         {dimension}: `@opencl` says how many there are"
    );
    CompileError::new(access.origin, text)
        .with_help(help)
        .with_code(dpia::codes::WRITTEN_BY_ALL)
}

/// Returns true if the read may be of a place in global memory that another group writes by the
/// write.
fn meets_across_groups(flow: &Flow<'_>, write: &Access, read: &Access) -> bool {
    if write.id != read.id || flow.shared(read.id) != Some(AddressSpace::Global) {
        return false;
    }
    let pairs = write.around.iter().zip(read.around.iter());
    let common = pairs.take_while(|(a, b)| a == b).count();
    let shared = MemoryAliases::default();
    let meets = |equal: usize, carried: bool| {
        let direction = DirectionVector { equal, carried };
        let found = flow.dependence(write, read, direction, Participants::Groups, &shared);
        found.is_some_and(|order| order != Order::Output)
    };
    meets(common, false) || (0..common).any(|depth| meets(depth, true))
}

fn across_groups(write: &Access, read: &Access) -> CompileError {
    let text = "work-groups read here what other work-groups write in the same kernel, and no \
                barrier makes one group wait for another";
    let help = "make two kernels, with `oclRun` around what writes and around what reads, or \
                let each group read only what it wrote";
    CompileError::new(read.doer, text)
        .with_help(help)
        .with_related(write.doer, "written here")
        .with_code(codes::ACROSS_GROUPS)
}
