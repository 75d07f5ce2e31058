//! What no barrier can order: memory that every work-item writes, and global memory that one group
//! writes and another one reads.

use nat::{Nat, Prop};
use syntax::Code;
use syntax::ast::AddressSpace;

use super::Work;
use super::conflict::{Among, Shared, When};
use super::flow::{Access, Flow, Path};
use crate::error::CompileError;
use crate::ir::{Function, Level, Order, Stmt};

/// Conditions on the launch under which each place is written by one work-item, and is read in the
/// kernel by those of the group that wrote it.
///
/// # Errors
/// A place that is written by several, or read by another group.
pub(super) fn check(
    function: &Function,
    work: &mut Work,
    body: &[Stmt],
) -> Result<(), CompileError> {
    assume_unused(work, body);
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
                return Err(across_groups(read));
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

/// Of dimensions that no loop is shared in there is one work-item, if nothing else was said.
fn assume_unused(work: &mut Work, body: &[Stmt]) {
    let mut used = [[false; 3]; 3];
    look(body, &mut used);
    let at = |level: Level| match level {
        Level::Global => 0,
        Level::WorkGroup => 1,
        Level::Local => 2,
    };
    for dimension in 1..3u8 {
        let d = usize::from(dimension);
        let is_used = |level| used[at(level)][d];
        if work.launch.local[d].is_none() && !is_used(Level::Local) && !is_used(Level::Global) {
            let local = Nat::var(work.vars.local[d]);
            work.requires.push(Prop::Equal(local, Nat::ONE));
        }
        if work.launch.global[d].is_none() && !is_used(Level::WorkGroup) && !is_used(Level::Global)
        {
            let local = work.count(Level::Local, dimension);
            let global = Nat::var(work.vars.global[d]);
            work.requires.push(Prop::Equal(global, local));
        }
    }
    fn look(body: &[Stmt], used: &mut [[bool; 3]; 3]) {
        for stmt in body {
            if let crate::ir::StmtKind::For {
                mode: crate::ir::LoopMode::Items(level, dimension),
                ..
            } = stmt.kind
            {
                let at = match level {
                    Level::Global => 0,
                    Level::WorkGroup => 1,
                    Level::Local => 2,
                };
                used[at][usize::from(dimension.min(2))] = true;
            }
            super::flow::each_block(stmt, &mut |body| look(body, used));
        }
    }
}

/// Sees to it that one work-item alone writes a place, as far as that is up to a dimension.
fn written_by_one(
    flow: &Flow<'_>,
    access: &Access,
    dimension: u8,
    assumed: &mut Vec<Prop>,
) -> Result<(), CompileError> {
    let space = flow.shared(access.id).unwrap_or(AddressSpace::Global);
    for among in [Among::Items, Among::Groups] {
        if among == Among::Groups && space == AddressSpace::Local {
            continue;
        }
        let (level, unknown) = match among {
            Among::Items => (Level::Local, &flow.work.launch.local),
            Among::Groups => (Level::WorkGroup, &flow.work.launch.global),
        };
        let shares = flow.around(&access.around).any(|around| match among {
            Among::Items => around.is_of_items(dimension),
            Among::Groups => around.is_of_groups(dimension),
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
        return Err(written_by_all(flow, access, dimension, among));
    }
    Ok(())
}

fn written_by_all(flow: &Flow<'_>, access: &Access, dimension: u8, among: Among) -> CompileError {
    let (who, map) = match (among, flow.shared(access.id)) {
        (Among::Items, Some(AddressSpace::Local)) => {
            ("work-item of a group", format!("`mapLocal({dimension})`"))
        }
        (Among::Items, _) => (
            "work-item of a group",
            format!("`mapLocal({dimension})` or `mapGlobal({dimension})`"),
        ),
        (Among::Groups, _) => (
            "work-group",
            format!("`mapWorkGroup({dimension})` or `mapGlobal({dimension})`"),
        ),
    };
    let text = format!("every {who} in dimension {dimension} writes this, all to the same place");
    let help = format!(
        "write it inside of {map}, so that each writes a part of its own, or launch one in \
         dimension {dimension}"
    );
    CompileError::new(access.origin, text)
        .with_help(help)
        .with_code(Code::WrittenByAll)
}

/// Whether a group may read what another one wrote, or overwrite what it still reads.
fn meets_across_groups(flow: &Flow<'_>, write: &Access, read: &Access) -> bool {
    if write.id != read.id || flow.shared(read.id) != Some(AddressSpace::Global) {
        return false;
    }
    let pairs = write.around.iter().zip(read.around.iter());
    let common = pairs.take_while(|(a, b)| a == b).count();
    let shared = Shared::default();
    let meets = |equal: usize, carried: bool| {
        let when = When { equal, carried };
        let found = flow.conflict(write, read, when, Among::Groups, &shared);
        found.is_some_and(|order| order != Order::Output)
    };
    meets(common, false) || (0..common).any(|depth| meets(depth, true))
}

fn across_groups(read: &Access) -> CompileError {
    let text = "work-groups read here what other work-groups write in the same kernel, and no \
                barrier makes one group wait for another";
    let help = "make two kernels of it, with `oclRun` around what writes and around what reads, or \
                let each group read only what it wrote";
    CompileError::new(read.origin, text)
        .with_help(help)
        .with_code(Code::AcrossGroups)
}
