//! Decides by a dependence test whether accesses by different work-items of a group, or by
//! different groups, may be to one place.
//!
//! They are not if the index determines the work-item or group, in the same way for both accesses.
//! For linear indices `a*x + rest` that is a strong SIV test (Goff, Kennedy and Tseng, "Practical
//! Dependence Testing", 1991) over symbolic coefficients: if `rest` varies within `a` and by
//! multiples of what `a*x` covers, the index determines `x`. The idea for barriers is in
//! docs/decisions/0005.

use nat::{Facts, Nat, Part, Prop, Summand, Var};
use rustc_hash::FxHashMap;

use super::flow::{Access, Apart, Around, Flow};
use crate::ir::{Id, Level, LoopMode, Order};

/// The members of the execution hierarchy whose accesses are compared: the work-items of one group,
/// or the work-groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Participants {
    WorkItems,
    Groups,
}

/// A direction vector of the loops around two accesses (Wolfe, *High Performance Compilers for
/// Parallel Computing*, 1996): `=` for the outer common loops, then perhaps `<` for the next one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DirectionVector {
    /// The number of common loops, counted from the outermost one, in whose same iteration both
    /// accesses are: `=`.
    pub equal: usize,
    /// True if the accesses are in different iterations of the next common loop: `<`.
    pub carried: bool,
}

/// Maps an array to another array whose memory it uses; other arrays have memory of their own.
pub(crate) type MemoryAliases = FxHashMap<Id, Id>;

impl Flow<'_> {
    /// Returns the kind of dependence of the second access on the first one, if different
    /// participants may access one place. Accesses to different memory, to memory that is not
    /// shared, and two reads never depend on each other. `shared` maps arrays that use the memory
    /// of other ones.
    pub fn dependence(
        &self,
        first: &Access,
        second: &Access,
        direction: DirectionVector,
        participants: Participants,
        shared: &MemoryAliases,
    ) -> Option<Order> {
        let order = match (first.writes, second.writes) {
            (true, false) => Order::Flow,
            (false, true) => Order::Reuse,
            (true, true) => Order::Output,
            (false, false) => return None,
        };
        let memory = |id: Id| shared.get(&id).copied().unwrap_or(id);
        if memory(first.id) != memory(second.id) || self.shared(first.id).is_none() {
            return None;
        }
        if first.id == second.id && self.are_different_members(first, second) {
            return None;
        }
        self.may_overlap(first, second, direction, participants)
            .then_some(order)
    }

    /// Returns true if the accesses are to different components of tuples.
    fn are_different_members(&self, first: &Access, second: &Access) -> bool {
        let members = first.members.iter().zip(&second.members);
        members.into_iter().any(|(a, b)| a != b)
    }

    fn may_overlap(
        &self,
        first: &Access,
        second: &Access,
        direction: DirectionVector,
        participants: Participants,
    ) -> bool {
        let carried = direction
            .carried
            .then(|| first.around.get(direction.equal))
            .flatten();
        let carried = carried.and_then(|counter| self.loops.get(counter));
        let same = first.id == second.id;
        if same && carried.is_some_and(|around| self.is_written_apart(first.id, around)) {
            return false;
        }
        if self.are_unaliased(first, second, direction) {
            return false;
        }
        let mut facts = self.within(&first.around);
        let other = self.apart(second, direction.equal, &mut facts);
        let pair = AccessPair {
            flow: self,
            first,
            second,
            direction,
            participants,
            facts: &facts,
            other: &other,
        };
        let one = (0..3).all(|dimension| pair.is_same_participant(dimension));
        !(one || same && pair.is_disjoint())
    }

    /// Returns true if a loop is distributed and a variable is declared outside of it: then no two
    /// iterations write one element of the variable.
    fn is_written_apart(&self, id: Id, around: &Around) -> bool {
        let inside = self.declared.get(&id);
        let inside = inside.is_some_and(|declared| declared.contains(&around.counter));
        around.items().is_some() && !inside
    }

    /// Returns true if one access is through a `restrict` pointer and the other one is not, and the
    /// pointer is in scope at both accesses and has the same value there: no loop with different
    /// iterations is around its declaration.
    fn are_unaliased(&self, first: &Access, second: &Access, direction: DirectionVector) -> bool {
        let alone = |a: &Access, b: &Access| {
            a.via.is_some_and(|pointer| {
                let declared = self.declared.get(&pointer);
                let lives = declared.is_some_and(|around| around.len() <= direction.equal);
                lives && a.alone.contains(&pointer) && b.alone.contains(&pointer)
            })
        };
        first.via != second.via && (alone(first, second) || alone(second, first))
    }

    /// Returns true if each participant in a dimension has a copy of a variable: it is declared in
    /// a loop that is distributed over them, or is in local memory and the participants are groups.
    fn has_own_copy(&self, id: Id, participants: Participants, dimension: u8) -> bool {
        let declared = self.declared.get(&id);
        let around = declared.into_iter().flat_map(|around| self.around(around));
        let local = self.shared(id) == Some(syntax::ast::AddressSpace::Local);
        let copies = |around: &Around| match participants {
            Participants::WorkItems => around.is_of_items(dimension),
            Participants::Groups => local || around.is_of_groups(dimension),
        };
        around.into_iter().any(copies) || (local && participants == Participants::Groups)
    }

    fn participant_count(&self, participants: Participants, dimension: u8) -> Nat {
        let level = match participants {
            Participants::WorkItems => Level::Local,
            Participants::Groups => Level::WorkGroup,
        };
        self.work.count(level, dimension)
    }
}

/// Two accesses to compare, the second one with renamed counters.
struct AccessPair<'a, 'f> {
    flow: &'a Flow<'f>,
    first: &'a Access,
    second: &'a Access,
    direction: DirectionVector,
    participants: Participants,
    facts: &'a Facts,
    other: &'a Apart,
}

impl AccessPair<'_, '_> {
    /// Returns true if the two accesses are proved to be by one participant in a dimension whenever
    /// they are to one place.
    fn is_same_participant(&self, dimension: u8) -> bool {
        let many = self.flow.participant_count(self.participants, dimension);
        let most_one = Prop::AtLeast(Nat::ONE, many);
        if self.facts.proves(&most_one) {
            return true;
        }
        let copied = |access: &Access| {
            self.flow
                .has_own_copy(access.id, self.participants, dimension)
        };
        if copied(self.first) && copied(self.second) {
            return true;
        }
        let shares = |around: &&Around| match self.participants {
            Participants::WorkItems => around.is_of_items(dimension),
            Participants::Groups => around.is_of_groups(dimension),
        };
        let equal = &self.first.around[..self.direction.equal.min(self.first.around.len())];
        if self.flow.around(equal).any(|around| shares(&around)) {
            return true;
        }
        let own = |access: &Access| {
            let inner = access
                .around
                .get(self.direction.equal..)
                .unwrap_or_default();
            self.flow.around(inner).find(shares).cloned()
        };
        let (Some(a), Some(b)) = (own(self.first), own(self.second)) else {
            return false;
        };
        // In loops of the same level, the same work-item executes the same iteration. Accesses to
        // different variables are at unrelated places.
        a.mode == b.mode && self.first.id == self.second.id && self.index_tells_participant(&a, &b)
    }

    /// Returns true if it is proved that accesses to one place are in iterations of the two loops
    /// that one participant executes.
    fn index_tells_participant(&self, a: &Around, b: &Around) -> bool {
        // Both loops have one iteration.
        let ends = [a.to.clone(), self.with_renamed_counters(&b.to)];
        let single = |end: &Nat| self.facts.proves(&Prop::AtLeast(Nat::ONE, end.clone()));
        if ends.iter().all(single) {
            return true;
        }
        let (Some(x), Some(y)) = (Some(a.counter), self.other.counter(b.counter)) else {
            return false;
        };
        self.by_linear_index(a, x, y, &ends) || self.by_equal_index()
    }

    /// Compares the indices as linear forms in the counters of the two loops: returns true if it is
    /// proved that accesses to one place are in iterations that one participant executes.
    fn by_linear_index(&self, loops: &Around, x: Var, y: Var, ends: &[Nat; 2]) -> bool {
        let (Some(one), Some(two)) = (&self.first.index, &self.other.index) else {
            return false;
        };
        // The counter of a loop with one iteration is 0 and occurs in no index.
        let single = |end: &Nat| self.facts.proves(&Prop::AtLeast(Nat::ONE, end.clone()));
        let [a, b] = [linear_form(one, x), linear_form(two, y)];
        let (step, rest, other_step, other_rest) = match (a, b) {
            (Some((a, rest)), Some((b, others))) => (a, rest, b, others),
            (Some((a, rest)), None) if !two.mentions(y) && single(&ends[1]) => {
                (a.clone(), rest, a, two.clone())
            }
            (None, Some((b, others))) if !one.mentions(x) && single(&ends[0]) => {
                (b.clone(), one.clone(), b, others)
            }
            _ => return false,
        };
        let fixed = !step.any_var(&|var| self.flow.changes(var) || self.is_renamed(var));
        if step != other_step || !fixed {
            return false;
        }
        // If both coefficients are negative, the negated indices are compared.
        let back = Nat::sub(&Nat::ZERO, &step);
        let positive = |step: &Nat| self.facts.proves(&Prop::AtLeast(step.clone(), Nat::ONE));
        let single = self.first.width.is_one() && self.second.width.is_one();
        let (step, rest) = match (positive(&step), single && positive(&back)) {
            (true, _) => (step, Nat::sub(&rest, &other_rest)),
            (false, true) => (back, Nat::sub(&other_rest, &rest)),
            (false, false) => return false,
        };
        let Some(ways) = split_multiples(&rest, &step) else {
            return false;
        };
        ways.iter()
            .any(|(steps, within)| self.is_same_digit(loops, &step, steps, within, ends))
    }

    /// Returns true if it is proved that `step*(x - y) + step*steps + within = q - p`, where `p`
    /// and `q` are offsets within the first and second access, implies that one participant
    /// executes the iterations `x` and `y`; `steps` is a sum.
    fn is_same_digit(
        &self,
        loops: &Around,
        step: &Nat,
        steps: &[Nat],
        within: &Nat,
        ends: &[Nat; 2],
    ) -> bool {
        let most = within + &(&self.first.width - 1);
        let least = Nat::sub(within, &(&self.second.width - 1));
        let small = Prop::AtLeast(step - 1, most);
        let not_small = Prop::AtLeast(&least + &(step - 1), Nat::ZERO);
        if !self.facts.proves(&small) || !self.facts.proves(&not_small) {
            return false;
        }
        let whole: Nat = steps.iter().fold(Nat::ZERO, |sum, part| &sum + part);
        if whole.is_zero() {
            return true;
        }
        let by_all = Prop::Divides(self.sharing_count(loops), whole.clone());
        if self.facts.proves(&by_all) {
            return true;
        }
        // Multiples of a radix that covers the range of the counters must be 0.
        let covers = |radix: &Nat| {
            let radix_covers = |end: &Nat| {
                let prop = Prop::AtLeast(radix.clone(), end.clone());
                self.facts.proves(&prop)
            };
            // The multiples of a radix that is a sum are considered together.
            let divides = Prop::Divides(radix.clone(), whole.clone());
            ends.iter().all(radix_covers) && self.facts.proves(&divides)
        };
        let mut candidates = ends.to_vec();
        candidates.extend(common_coefficient(steps));
        candidates.iter().any(covers)
    }

    /// Returns the number of work-items or groups over which a loop is distributed; 1 for other
    /// loops.
    fn sharing_count(&self, around: &Around) -> Nat {
        match around.items() {
            Some((level, dimension)) => self.flow.work.count(level, dimension),
            None => Nat::ONE,
        }
    }

    fn is_renamed(&self, var: Var) -> bool {
        let renamed = &self.other.renamed;
        renamed.iter().any(|(_, new)| new.as_var() == Some(var))
    }

    /// Returns true if both accesses have the same index in loops of the same ranges and modes, of
    /// which the distributed ones are outermost, and the write is under no condition there: then
    /// one iteration of a distributed loop writes what it reads.
    fn by_equal_index(&self) -> bool {
        let (Some(one), Some(two)) = (&self.first.index, &self.other.index) else {
            return false;
        };
        let writer = if self.first.writes {
            self.first
        } else {
            self.second
        };
        let from = self.direction.equal + usize::from(self.direction.carried);
        if writer
            .conditions
            .iter()
            .any(|depth| *depth >= self.direction.equal)
        {
            return false;
        }
        let inner = |access: &Access| -> Vec<Around> {
            let inner = access.around.get(from..).unwrap_or_default();
            self.flow.around(inner).cloned().collect()
        };
        let (a, b) = (inner(self.first), inner(self.second));
        if a.len() != b.len() || self.first.width != self.second.width {
            return false;
        }
        // The distributed loops are outermost: so there is one execution of each.
        let sequential = a.iter().position(|around| around.items().is_none());
        let behind = sequential.map_or(&[][..], |at| &a[at..]);
        if behind.iter().any(|around| around.items().is_some()) {
            return false;
        }
        let mut back: Vec<(Var, Nat)> = Vec::new();
        for (a, b) in a.iter().zip(&b) {
            let Some(counter) = self.other.counter(b.counter) else {
                return false;
            };
            let put = |nat: &Nat| subst(&self.with_renamed_counters(nat), &back);
            let same = |x: &Nat, y: &Nat| {
                let difference = Nat::sub(x, &put(y));
                self.facts.normalize(&difference).is_zero()
            };
            let modes = (a.mode == b.mode) || (is_plain(a) && is_plain(b));
            if !modes || !same(&a.from, &b.from) || !same(&a.to, &b.to) {
                return false;
            }
            back.push((counter, Nat::var(a.counter)));
        }
        let difference = Nat::sub(one, &subst(two, &back));
        self.facts.normalize(&difference).is_zero()
    }

    fn with_renamed_counters(&self, nat: &Nat) -> Nat {
        subst(nat, &self.other.renamed)
    }

    /// Returns true if it is proved that all elements of one access are before those of the other
    /// one.
    fn is_disjoint(&self) -> bool {
        let (Some(one), Some(two)) = (&self.first.index, &self.other.index) else {
            return false;
        };
        let before = |a: &Nat, width: &Nat, b: &Nat| {
            let prop = Prop::AtLeast(b.clone(), a + width);
            self.facts.proves(&prop)
        };
        before(one, &self.first.width, two) || before(two, &self.second.width, one)
    }
}

fn is_plain(around: &Around) -> bool {
    matches!(
        around.mode,
        LoopMode::Sequential | LoopMode::Replicated | LoopMode::Unrolled | LoopMode::Vector
    )
}

fn subst(nat: &Nat, map: &[(Var, Nat)]) -> Nat {
    nat.subst(&|var| {
        let found = map.iter().find(|(old, _)| *old == var);
        found.map(|(_, new)| new.clone())
    })
}

/// Returns `(a, b)` with `nat = a*var + b`, where neither mentions the variable; `None` if the size
/// does not mention the variable, or is not linear in it.
pub(crate) fn linear_form(nat: &Nat, var: Var) -> Option<(Nat, Nat)> {
    if !nat.mentions(var) {
        return None;
    }
    let with = |value: Nat| nat.subst(&|v| (v == var).then(|| value.clone()));
    let rest = with(Nat::ZERO);
    let step = Nat::sub(&with(Nat::ONE), &rest);
    let whole = &(&step * &Nat::var(var)) + &rest;
    let is_linear = !step.mentions(var) && !rest.mentions(var) && whole == *nat;
    is_linear.then_some((step, rest))
}

/// Returns true if an index is 1 larger for the next value of a counter.
pub(crate) fn has_unit_stride(index: &Nat, counter: Var) -> bool {
    linear_form(index, counter).is_some_and(|(stride, _)| stride.as_const() == Some(1))
}

/// Returns ways to write a size as `step * (sum of parts) + within`, each as a pair `(parts,
/// within)`, where `within` is the sum of the summands that are not multiples of the step. A
/// constant may be split in several ways. Returns `None` if a summand cannot be rebuilt as a size.
fn split_multiples(nat: &Nat, step: &Nat) -> Option<Vec<(Vec<Nat>, Nat)>> {
    let mut parts = Vec::new();
    let mut within = Nat::ZERO;
    let mut number = 0;
    for summand in nat.summands() {
        let whole = summand_size(&summand)?;
        match (exact_quotient(&whole, step), whole.as_const()) {
            (Some(part), _) => parts.push(part),
            (None, Some(constant)) => number = constant,
            (None, None) => within = within + &whole,
        }
    }
    let mut ways = vec![(0, number)];
    if let Some(step) = step.as_const().filter(|step| *step > 0) {
        for rest in [
            number % step,
            number.rem_euclid(step),
            number.rem_euclid(step) - step,
        ] {
            let way = ((number - rest) / step, rest);
            if !ways.contains(&way) {
                ways.push(way);
            }
        }
    }
    let way = |(times, rest): (i64, i64)| {
        let times = (times != 0).then(|| Nat::constant(times));
        let parts = parts.iter().cloned().chain(times).collect();
        (parts, &within + rest)
    };
    Some(ways.into_iter().map(way).collect())
}

/// Returns `a / b` if the quotient times `b` is `a`, otherwise `None`.
pub(crate) fn exact_quotient(a: &Nat, b: &Nat) -> Option<Nat> {
    let quotient = Nat::div(a, b);
    (&quotient * b == *a).then_some(quotient)
}

/// Calls `visit` with the dividend and the divisor of each quotient and remainder in a size.
pub(crate) fn each_division(nat: &Nat, visit: &mut dyn FnMut(&Nat, &Nat)) {
    for summand in nat.summands() {
        for (part, _) in &summand.factors {
            match part {
                Part::Div(dividend, divisor) | Part::Rem(dividend, divisor) => {
                    visit(dividend, divisor);
                    each_division(dividend, visit);
                    each_division(divisor, visit);
                }
                Part::Min(all) | Part::Max(all) => {
                    all.iter().for_each(|nat| each_division(nat, visit));
                }
                _ => {}
            }
        }
    }
}

pub(crate) fn summand_size(summand: &Summand<'_>) -> Option<Nat> {
    let mut product = Nat::constant(summand.coeff);
    for (part, power) in &summand.factors {
        let base = match part {
            Part::Var(var) => Nat::var(*var),
            Part::Div(a, b) => Nat::div(a, b),
            Part::Rem(a, b) => Nat::rem(a, b),
            Part::Pow(a, b) => Nat::pow(a, b),
            Part::Log2(a) => Nat::log2(a),
            Part::Apply(fun, arg) => Nat::apply(*fun, arg),
            Part::Min(all) => all.iter().cloned().reduce(|a, b| Nat::min(&a, &b))?,
            Part::Max(all) => all.iter().cloned().reduce(|a, b| Nat::max(&a, &b))?,
            Part::Index(_)
            | Part::Sum { .. }
            | Part::Add(..)
            | Part::Mul(..)
            | Part::TooBig { .. } => {
                return None;
            }
        };
        for _ in 0..*power {
            product = &product * &base;
        }
    }
    Some(product)
}

/// Returns the greatest common divisor of the coefficients of all summands of all parts, if it is
/// above 1.
fn common_coefficient(parts: &[Nat]) -> Option<Nat> {
    let mut common: u64 = 0;
    for part in parts {
        for summand in part.summands() {
            let (mut a, mut b) = (common, summand.coeff.unsigned_abs());
            while b != 0 {
                (a, b) = (b, a % b);
            }
            common = a;
        }
    }
    let common = i64::try_from(common).ok().filter(|common| *common > 1);
    common.map(Nat::constant)
}
