//! How an array is cut into shares of work-items: its index as a number whose digits are counters of
//! loops that they share, with what is between them.

use nat::{Facts, Nat, Prop};

use super::dependence_test::{exact_quotient, summand_size};
use crate::ir::Level;

/// Those who share the iterations of loops.
pub(super) type ParallelDim = (Level, u8);

/// What is taken for the number of positions of a digit.
#[derive(Clone, Copy)]
pub(super) enum Radix {
    /// The number of iterations.
    TripCount,
    /// The size of that level of the array.
    ArrayExtent,
}

/// A dimension of the array whose positions are different work-items'.
pub(super) struct Digit {
    pub dim: ParallelDim,
    /// How far apart they are.
    pub step: Nat,
    /// Whether the last iteration is at the first of them.
    pub is_reversed: bool,
    /// How many are used.
    pub end: Nat,
    /// How many there are.
    pub radix: Nat,
}

impl Digit {
    /// What the counter is multiplied with in an index.
    pub fn factor(&self) -> Nat {
        match self.is_reversed {
            true => Nat::sub(&Nat::ZERO, &self.step),
            false => self.step.clone(),
        }
    }

    /// What an index has besides, where it counts down: the last position.
    pub fn last(&self) -> Nat {
        match self.is_reversed {
            true => &self.step * &(&self.end - 1),
            false => Nat::ZERO,
        }
    }

    /// How far apart elements are that differ above this.
    pub fn span(&self) -> Nat {
        &self.step * &self.radix
    }
}

/// What is between two digits of the index.
pub(super) struct Segment {
    /// How far apart its positions are in the whole array.
    pub unit: Nat,
    /// How many there are; of those above all digits it does not matter.
    pub length: Option<Nat>,
    /// How far apart they are in the share.
    pub private_unit: Nat,
}

impl Segment {
    /// Whether a position, and so many behind it, are in it.
    pub fn contains(&self, part: &Nat, more: &Nat, facts: &Facts) -> bool {
        let positive = facts.proves(&Prop::AtLeast(part.clone(), Nat::ZERO));
        let small = self
            .length
            .as_ref()
            .is_none_or(|length| facts.proves(&Prop::AtLeast(length - 1, part + more)));
        positive && small
    }
}

/// How an array is cut into shares, from the highest digit of the index to the lowest.
pub(super) struct Layout {
    pub digits: Vec<Digit>,
    /// How far apart the iterations of a work-item are in its share, for each digit.
    pub steps: Vec<Nat>,
    /// Above the digits, between them, below: one more.
    pub segments: Vec<Segment>,
    /// How many elements a share has.
    pub count: Nat,
}

impl Layout {
    /// The position in each segment.
    pub fn decompose(&self, rest: &Nat) -> Option<Vec<Nat>> {
        let mut parts = vec![Nat::ZERO; self.segments.len()];
        for summand in rest.summands() {
            let size = summand_size(&summand)?;
            match size.as_const() {
                Some(number) if number >= 0 => self.decompose_number(number, &mut parts)?,
                _ => {
                    let whole = |segment: &Segment| exact_quotient(&size, &segment.unit);
                    let (at, part) = self
                        .segments
                        .iter()
                        .enumerate()
                        .find_map(|(at, segment)| whole(segment).map(|part| (at, part)))?;
                    parts[at] = &parts[at] + &part;
                }
            }
        }
        Some(parts)
    }

    /// The same of a number, whose digits are taken apart.
    fn decompose_number(&self, mut number: i64, parts: &mut [Nat]) -> Option<()> {
        for (at, segment) in self.segments.iter().enumerate() {
            let Some(unit) = segment.unit.as_const().filter(|unit| *unit > 0) else {
                continue;
            };
            parts[at] = &parts[at] + number / unit;
            number %= unit;
            let below = self.digits.get(at).and_then(|digit| digit.step.as_const());
            if below.is_some_and(|step| number >= step) {
                return None;
            }
        }
        (number == 0).then_some(())
    }
}
