//! Replaces arrays by scalars: a small private array that is accessed by constant indices only
//! becomes one variable for each element, as in LLVM's SROA (scalar replacement of aggregates).

use nat::Nat;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{Function, Id, Place, Stmt, StmtKind, Variable};

use super::{Pass, Run};
use crate::analysis::uses::{Mention, Uses};
use crate::ir::trace::Changes;
use crate::ir::walk::{self, Change};

pub(crate) const PASS: Pass = Pass {
    name: "scalar-replacement",
    run: Run::Always(replace_arrays),
    changes: Changes {
        moved: "moved to another block",
        repeated: "each element of a small array is a variable",
        rewritten: "elements of a small array are variables",
    },
};

/// The maximal number of elements of an array that is replaced.
const MAX_ELEMENTS: i64 = 256;

/// Replaces private arrays of at most [`MAX_ELEMENTS`] elements, which are accessed by constant
/// indices only, by a variable for each element.
fn replace_arrays(function: &mut Function) {
    let uses = Uses::of(function);
    let mut excluded = FxHashSet::default();
    uses.all(&function.body, &mut |id, mention| {
        let known = match mention {
            Mention::Declared => true,
            Mention::Read(place) | Mention::Written(place) => {
                place.lanes.is_none() && place.index.as_ref().is_some_and(is_number)
            }
            Mention::Index | Mention::Pointed | Mention::Reduced => false,
        };
        if !known {
            excluded.insert(id);
        }
    });
    for (_, value) in &function.opaque {
        uses.expr(value, &mut |id, _| {
            excluded.insert(id);
        });
    }
    let mut elements: FxHashMap<Id, Vec<Id>> = FxHashMap::default();
    for at in 0..function.variables.len() {
        let id = Id(u32::try_from(at).unwrap_or(u32::MAX));
        let count = function.variables[at].count.as_ref();
        let count = count
            .and_then(Nat::as_const)
            .filter(|n| (1..=MAX_ELEMENTS).contains(n));
        if let Some(count) = count
            && function.is_private(id)
            && !excluded.contains(&id)
        {
            let new = (0..count)
                .map(|k| element_variable(function, at, k, count))
                .collect();
            elements.insert(id, new);
        }
    }
    if elements.is_empty() {
        return;
    }
    let mut body = std::mem::take(&mut function.body);
    declare_elements(&mut body, &elements);
    walk::change_all(
        &mut body,
        &mut ReplaceElements {
            elements: &elements,
        },
    );
    function.body = body;
}

fn is_number(nat: &Nat) -> bool {
    nat.as_const().is_some()
}

fn element_variable(function: &mut Function, array: usize, k: i64, count: i64) -> Id {
    let variable = &function.variables[array];
    let name = match (count, variable.name.as_bytes().last()) {
        (1, _) => variable.name.clone(),
        (_, Some(b'0'..=b'9')) => format!("{}_{k}", variable.name).into(),
        _ => format!("{}{k}", variable.name).into(),
    };
    let variable = Variable {
        name,
        count: None,
        ..variable.clone()
    };
    function.fresh_variable(variable)
}

fn declare_elements(body: &mut Vec<Stmt>, elements: &FxHashMap<Id, Vec<Id>>) {
    for mut stmt in std::mem::take(body) {
        if let StmtKind::Declare(id, _) = stmt.kind
            && let Some(new) = elements.get(&id)
        {
            body.extend(new.iter().map(|element| Stmt {
                kind: StmtKind::Declare(*element, None),
                ..stmt.clone()
            }));
            continue;
        }
        walk::each_block(&mut stmt, &mut |inner| declare_elements(inner, elements));
        body.push(stmt);
    }
}

struct ReplaceElements<'m> {
    elements: &'m FxHashMap<Id, Vec<Id>>,
}

impl Change for ReplaceElements<'_> {
    fn place(&mut self, place: &mut Place) {
        let index = place.index.as_ref().and_then(Nat::as_const);
        let element = self
            .elements
            .get(&place.id)
            .zip(index)
            .and_then(|(elements, index)| {
                // An access out of bounds is never executed.
                let index = usize::try_from(index).unwrap_or(0).min(elements.len() - 1);
                elements.get(index)
            });
        if let Some(element) = element {
            place.id = *element;
            place.index = None;
        }
    }
}
