//! Determines the address spaces of variables, and of the memory that pointers point to.

use rustc_hash::FxHashMap;
use syntax::ast::AddressSpace;

use crate::ir::walk;
use crate::ir::{Function, Home, Id, Stmt, StmtKind};

pub(crate) fn space_of(function: &Function, id: Id) -> Option<AddressSpace> {
    let variable = &function.variables[id.0 as usize];
    match variable.home {
        Home::Output | Home::InOut => Some(AddressSpace::Global),
        Home::Input => variable.count.is_some().then_some(AddressSpace::Global),
        Home::Local(space) => space,
        Home::Pointer { .. } => None,
    }
}

pub(crate) fn pointer_spaces(function: &Function) -> FxHashMap<Id, AddressSpace> {
    let mut found = FxHashMap::default();
    loop {
        let before = found.len();
        collect_spaces(&function.body, function, &mut found);
        if found.len() == before {
            return found;
        }
    }
}

fn collect_spaces(body: &[Stmt], function: &Function, found: &mut FxHashMap<Id, AddressSpace>) {
    walk::each_stmt(body, &mut |stmt| match &stmt.kind {
        StmtKind::Point(id, place) => {
            let space = match function.variables[place.id.0 as usize].home {
                Home::Pointer { .. } => found.get(&place.id).copied(),
                _ => space_of(function, place.id),
            };
            if let Some(space) = space {
                found.entry(*id).or_insert(space);
            }
        }
        StmtKind::Swap(a, b) => {
            for (a, b) in [(a, b), (b, a)] {
                if let Some(space) = found.get(a).copied() {
                    found.entry(*b).or_insert(space);
                }
            }
        }
        _ => {}
    });
}
