//! Makes random choices from a seed, or repeats recorded choices.

/// A source of choices: the generator SplitMix64, or a list.
#[derive(Clone, Debug)]
pub struct Choice {
    state: u64,
    /// The choices that replace those of the seed; 0 follows the last one.
    given: Option<Vec<u32>>,
    taken: Vec<u32>,
}

impl Choice {
    /// Creates the choices of a seed.
    pub fn new(seed: u64) -> Choice {
        Choice {
            state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5DEE_CE66_D1CE_4E5B,
            given: None,
            taken: Vec::new(),
        }
    }

    /// Creates a source of these choices, followed by 0.
    pub fn given(choices: &[u32]) -> Choice {
        Choice {
            state: 0,
            given: Some(choices.to_vec()),
            taken: Vec::new(),
        }
    }

    /// Returns the choices that were made.
    pub fn taken(self) -> Vec<u32> {
        self.taken
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Chooses a number below `n`.
    pub fn below(&mut self, n: u32) -> u32 {
        let n = n.max(1);
        let number = match &self.given {
            Some(given) => given.get(self.taken.len()).copied().unwrap_or(0) % n,
            None => u32::try_from(self.next() % u64::from(n)).unwrap_or(0),
        };
        self.taken.push(number);
        number
    }

    /// Returns true with probability `1 / n`; false for the choice 0.
    pub fn one_in(&mut self, n: u32) -> bool {
        self.below(n) == n - 1
    }

    /// Chooses an element.
    pub fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(u32::try_from(all.len()).unwrap_or(1)) as usize]
    }
}
