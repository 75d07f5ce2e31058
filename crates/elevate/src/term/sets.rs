//! Interns sets of variables for values.

use hashbrown::HashTable;
use rustc_hash::FxHashMap;

use super::store::{Local, hash_of};

/// The index of a set in [`Sets`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SetId(u32);

impl SetId {
    /// The empty set.
    pub const EMPTY: SetId = SetId(0);
}

/// The interned sets, each a sorted slice of one vector.
#[derive(Clone, Debug)]
pub(super) struct Sets {
    members: Vec<Local>,
    /// The start and the exclusive end of each set in `members`, by the number of the set.
    ranges: Vec<(u32, u32)>,
    index: HashTable<u32>,
    unions: FxHashMap<(SetId, SetId), SetId>,
    without: FxHashMap<(SetId, Local), SetId>,
    buffer: Vec<Local>,
}

impl Sets {
    pub fn new() -> Sets {
        let mut index = HashTable::new();
        index.insert_unique(hash_of(&[] as &[Local]), 0, |_| 0);
        Sets {
            members: Vec::new(),
            ranges: vec![(0, 0)],
            index,
            unions: FxHashMap::default(),
            without: FxHashMap::default(),
            buffer: Vec::new(),
        }
    }

    /// Returns the members of a set in ascending order.
    pub fn get(&self, set: SetId) -> &[Local] {
        let (from, to) = self.ranges[set.0 as usize];
        &self.members[from as usize..to as usize]
    }

    pub fn contains(&self, set: SetId, local: Local) -> bool {
        let members = self.get(set);
        match members.len() {
            0 => false,
            1..=8 => members.contains(&local),
            _ => members.binary_search(&local).is_ok(),
        }
    }

    pub fn single(&mut self, local: Local) -> SetId {
        self.intern(&[local])
    }

    pub fn union(&mut self, a: SetId, b: SetId) -> SetId {
        if a == b || b == SetId::EMPTY {
            return a;
        }
        if a == SetId::EMPTY {
            return b;
        }
        let (first, second) = (self.get(a), self.get(b));
        let mut few = [Local(0); 2 * FEW];
        if first.len() <= FEW && second.len() <= FEW {
            let count = merge(first, second, &mut few);
            if count == first.len() {
                return a;
            }
            if count == second.len() {
                return b;
            }
            return self.intern(&few[..count]);
        }
        let key = (a.min(b), a.max(b));
        if let Some(&known) = self.unions.get(&key) {
            return known;
        }
        let mut all = std::mem::take(&mut self.buffer);
        all.clear();
        all.extend_from_slice(self.get(a));
        all.extend_from_slice(self.get(b));
        all.sort_unstable();
        all.dedup();
        let set = self.intern(&all);
        self.buffer = all;
        self.unions.insert(key, set);
        set
    }

    pub fn without(&mut self, set: SetId, local: Local) -> SetId {
        if !self.contains(set, local) {
            return set;
        }
        if self.get(set).len() == 1 {
            return SetId::EMPTY;
        }
        if let Some(&known) = self.without.get(&(set, local)) {
            return known;
        }
        let mut rest = std::mem::take(&mut self.buffer);
        rest.clear();
        rest.extend(self.get(set).iter().filter(|other| **other != local));
        let result = self.intern(&rest);
        self.buffer = rest;
        self.without.insert((set, local), result);
        result
    }

    /// Returns the index of the set of these members, which must be in ascending order and
    /// distinct.
    fn intern(&mut self, set: &[Local]) -> SetId {
        let hash = hash_of(set);
        let (members, ranges) = (&self.members, &self.ranges);
        let slice = |at: u32| {
            let (from, to) = ranges[at as usize];
            &members[from as usize..to as usize]
        };
        if let Some(&found) = self.index.find(hash, |&at| slice(at) == set) {
            return SetId(found);
        }
        let id = u32::try_from(self.ranges.len()).unwrap_or(u32::MAX);
        let from = u32::try_from(self.members.len()).unwrap_or(u32::MAX);
        let to = from + u32::try_from(set.len()).unwrap_or(0);
        self.members.extend_from_slice(set);
        self.ranges.push((from, to));
        let (members, ranges) = (&self.members, &self.ranges);
        self.index.insert_unique(hash, id, |&at| {
            let (from, to) = ranges[at as usize];
            hash_of(&members[from as usize..to as usize])
        });
        SetId(id)
    }
}

/// The maximal number of members of two sets whose union is computed by [`merge`] and not memoised.
/// If one set is larger, the union is memoised.
const FEW: usize = 8;

/// Merges two sorted lists without duplicates into `all`, also without duplicates, and returns the
/// number of members of the result.
fn merge(a: &[Local], b: &[Local], all: &mut [Local]) -> usize {
    let (mut i, mut j, mut count) = (0, 0, 0);
    while i < a.len() || j < b.len() {
        let next = match (a.get(i), b.get(j)) {
            (Some(x), Some(y)) => *x.min(y),
            (Some(x), None) | (None, Some(x)) => *x,
            (None, None) => break,
        };
        i += usize::from(a.get(i) == Some(&next));
        j += usize::from(b.get(j) == Some(&next));
        all[count] = next;
        count += 1;
    }
    count
}
