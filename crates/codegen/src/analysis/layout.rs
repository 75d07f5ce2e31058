//! Describes the layout of an array that work-items or groups divide among themselves: an index is
//! a number whose digits are the counters of the distributed loops, with segments between them
//! (mixed radix).

use nat::{Facts, Nat, Prop};

use super::dependence_test::{exact_quotient, summand_size};
use crate::ir::Level;

/// The level of work-items or groups, and the dimension, over which a loop is distributed.
pub(crate) type ParallelDim = (Level, u8);

/// The choice of the radix of a digit of an index.
#[derive(Clone, Copy)]
pub(crate) enum Radix {
    /// The trip count of the loops.
    TripCount,
    /// The extent of the dimension of the array to which the digit belongs.
    ArrayExtent,
}

/// A digit of the indices of an array: a distributed dimension, whose positions belong to different
/// work-items or groups.
pub(crate) struct Digit {
    pub dim: ParallelDim,
    /// The distance, in elements, between adjacent positions.
    pub step: Nat,
    /// True if the counter has a negative coefficient: the last iteration is at the first position.
    pub is_reversed: bool,
    /// The number of positions that the loops access: the largest trip count.
    pub end: Nat,
    /// The number of positions that the dimension has: at least `end`.
    pub radix: Nat,
}

impl Digit {
    /// Returns the coefficient of the counter in an index, which is negative for a reversed digit.
    pub fn factor(&self) -> Nat {
        match self.is_reversed {
            true => Nat::sub(&Nat::ZERO, &self.step),
            false => self.step.clone(),
        }
    }

    /// Returns the offset, in elements, of the position of the iteration 0: that of the last
    /// position if the digit is reversed, otherwise 0.
    pub fn last(&self) -> Nat {
        match self.is_reversed {
            true => &self.step * &(&self.end - 1),
            false => Nat::ZERO,
        }
    }

    /// Returns the number of elements that all positions of the digit cover: the unit of the
    /// segment above it.
    pub fn span(&self) -> Nat {
        &self.step * &self.radix
    }
}

/// A part of an index that is not distributed: it is above, between or below the digits.
pub(crate) struct Segment {
    /// The distance, in elements, between adjacent positions in the whole array.
    pub unit: Nat,
    /// The number of positions of the segment; `None` above all digits, where it does not matter.
    pub length: Option<Nat>,
    /// The distance, in elements, between adjacent positions in the array of a work-item.
    pub private_unit: Nat,
}

impl Segment {
    /// Returns true if it is proved that `part` and the `more` positions after it are positions of
    /// the segment.
    pub fn contains(&self, part: &Nat, more: &Nat, facts: &Facts) -> bool {
        let positive = facts.proves(&Prop::AtLeast(part.clone(), Nat::ZERO));
        let small = self
            .length
            .as_ref()
            .is_none_or(|length| facts.proves(&Prop::AtLeast(length - 1, part + more)));
        positive && small
    }
}

/// The layout of an array, from the highest digit of its indices to the lowest.
pub(crate) struct Layout {
    pub digits: Vec<Digit>,
    /// For each digit, the distance, in elements, between consecutive iterations of one work-item
    /// in the array of the work-item.
    pub steps: Vec<Nat>,
    /// The segments above, between and below the digits: one more than there are digits.
    pub segments: Vec<Segment>,
    /// The number of elements of the array of a work-item or group.
    pub count: Nat,
}

impl Layout {
    /// Decomposes an index from which the digits have been subtracted into its positions in the
    /// segments; returns `None` if a summand is not a multiple of the unit of a segment, if it is a
    /// constant that would change a digit, or if it cannot be rebuilt as a size.
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

    /// Adds the positions of a constant, which is not negative, to `parts`; returns `None` if it
    /// would change a digit, or if the segments with constant units leave a remainder.
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
