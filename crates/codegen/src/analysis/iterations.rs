//! Decides whether the iterations of a loop access elements of their own, so that they may be
//! executed in any order.

use nat::{Facts, Nat, Prop, Var};
use rustc_hash::{FxHashMap, FxHashSet};

use super::conditions::assume_loop;
use super::dependence_test::{exact_quotient, linear_form};
use super::uses::{Mention, Uses};
use crate::ir::walk::{self, Look};
use crate::ir::{Id, Loop, Place, StmtKind};

/// Returns true if each iteration of a loop accesses elements of its own of every array that the
/// loop writes, other than those that it declares. `untracked` contains the variables that may be
/// accessed other than by name.
pub(crate) fn writes_own_elements(
    this: &Loop,
    facts: &Facts,
    uses: &Uses,
    untracked: &FxHashSet<Id>,
) -> bool {
    let mut written = FxHashSet::default();
    let mut declared = FxHashSet::default();
    let mut is_tracked = true;
    uses.all(&this.body, &mut |id, mention| match mention {
        Mention::Written(_) => _ = written.insert(id),
        Mention::Declared => _ = declared.insert(id),
        // A variable in an index is untracked.
        Mention::Read(_) | Mention::Index => {}
        Mention::Pointed | Mention::Reduced => is_tracked = false,
    });
    written.retain(|id| !declared.contains(id));
    if !is_tracked || !written.is_disjoint(untracked) {
        return false;
    }
    let mut places = Places(FxHashMap::default());
    walk::look(&this.body, &mut places);
    let mut facts = facts.clone();
    facts.range(this.counter, &this.from, &this.to);
    let mut counters = FxHashSet::default();
    walk::each_stmt(&this.body, &mut |stmt| {
        if let StmtKind::For(inner) = &stmt.kind {
            counters.insert(inner.counter);
            assume_loop(&mut facts, inner);
        }
    });
    written.iter().all(|id| {
        let places = places.0.get(id).map_or(&[][..], Vec::as_slice);
        let is_data = |place: &Place| {
            place
                .index
                .as_ref()
                .is_some_and(|index| uses.is_data(index))
        };
        !places.iter().any(is_data) && has_own_elements(places, this, &counters, &facts)
    })
}

/// Returns true if accesses to an array at the places are to different elements in different
/// iterations of a loop.
///
/// Each index must be `c * counter + inner + rest` with the same `c` and the same `rest`, which
/// contains none of the inner counters, and `0 <= inner < c`; or, in a column of a matrix, `inner` is a
/// multiple of a size that is at least the number of iterations times `c`.
fn has_own_elements(
    places: &[Place],
    this: &Loop,
    counters: &FxHashSet<Var>,
    facts: &Facts,
) -> bool {
    let counter = this.counter;
    let mut stride = None;
    let mut offsets = Vec::new();
    for place in places {
        let (Some(index), None, None) = (&place.index, &place.lane, &place.lanes) else {
            return false;
        };
        let step = Nat::sub(&next(index, counter, 1), index);
        if step.any_var(&|var| var == counter || counters.contains(&var))
            || *stride.get_or_insert_with(|| step.clone()) != step
        {
            return false;
        }
        let offset = index.subst(&|var| (var == counter).then_some(Nat::ZERO));
        if !offsets.contains(&offset) {
            offsets.push(offset);
        }
    }
    let Some(stride) = stride else { return true };
    let at_least = |a: &Nat, b: &Nat| facts.proves(&Prop::AtLeast(a.clone(), b.clone()));
    let is_common = |rest: &Nat| {
        offsets.iter().all(|offset| {
            let inner = Nat::sub(offset, rest);
            at_least(&inner, &Nat::ZERO) && at_least(&stride, &(inner + 1))
        })
    };
    let mut rests = Vec::new();
    for offset in &offsets {
        let rest = offset.subst(&|var| counters.contains(&var).then_some(Nat::ZERO));
        if !rests.contains(&rest) {
            rests.push(rest);
        }
    }
    rests.iter().any(is_common)
        || rests.len() == 1
            && at_least(&stride, &Nat::ONE)
            && row_length(&offsets, counters).is_some_and(|length| {
                at_least(&length, &Nat::mul(&stride, &Nat::sub(&this.to, &this.from)))
            })
}

/// Returns the least distance of elements of a column of a matrix, of which those of each counter in the
/// offsets are a multiple; `None` if there is none.
fn row_length(offsets: &[Nat], counters: &FxHashSet<Var>) -> Option<Nat> {
    let mut strides = Vec::new();
    for offset in offsets {
        for counter in counters {
            if offset.mentions(*counter) {
                let (stride, _) = linear_form(offset, *counter)?;
                strides.push(stride);
            }
        }
    }
    let is_common = |length: &&Nat| {
        strides
            .iter()
            .all(|stride| exact_quotient(stride, length).is_some())
    };
    strides.iter().find(is_common).cloned()
}

/// A visitor that collects the places of each variable.
struct Places(FxHashMap<Id, Vec<Place>>);

impl Look for Places {
    fn place(&mut self, place: &Place) {
        self.0.entry(place.id).or_default().push(place.clone());
    }
}

/// Returns a size with `counter + steps` in place of the counter.
pub(crate) fn next(nat: &Nat, counter: Var, steps: i64) -> Nat {
    let value = Nat::var(counter) + steps;
    nat.subst(&|var| (var == counter).then(|| value.clone()))
}

/// Returns true if a loop counts in steps of 1 and is not known to have fewer iterations.
pub(crate) fn has_iterations(this: &Loop, minimum: i64) -> bool {
    let trip_count = Nat::sub(&this.to, &this.from).as_const();
    this.step.is_one() && trip_count.is_none_or(|trip_count| trip_count >= minimum)
}

/// Returns the number of values of the range of a loop: 0 if its end is before its start, as that of the
/// loop over the inner rows of a stencil can be.
pub(crate) fn number_of_values(this: &Loop, facts: &Facts) -> Nat {
    let length = Nat::sub(&this.to, &this.from);
    match facts.proves(&Prop::AtLeast(length.clone(), Nat::ZERO)) {
        true => length,
        false => Nat::max(&length, &Nat::ZERO),
    }
}

/// Returns the end of the largest range from the start of a loop whose length is a multiple of a factor.
pub(crate) fn end_of_multiple(this: &Loop, factor: i64, facts: &Facts) -> Nat {
    let factor = Nat::constant(factor);
    let multiple = Nat::mul(&Nat::div(&number_of_values(this, facts), &factor), &factor);
    facts.normalize(&(&this.from + &multiple))
}
