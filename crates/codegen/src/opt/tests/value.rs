//! Defines symbolic values, which represent their computation.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::ir::Binary;

/// A symbolic value.
#[derive(Clone, Debug, PartialEq)]
pub enum Val {
    /// A number from which indices are computed.
    Int(i64),
    /// A hash of the computation of any other value.
    Made(u64),
    Lanes(Vec<Val>),
    Pair(Box<Val>, Box<Val>),
}

pub fn made(parts: impl Hash) -> Val {
    let mut hasher = DefaultHasher::new();
    parts.hash(&mut hasher);
    Val::Made(hasher.finish())
}

impl Val {
    pub fn digest(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        match self {
            Val::Int(n) => (0, n).hash(&mut hasher),
            Val::Made(hash) => return *hash,
            Val::Lanes(all) => all.iter().for_each(|v| v.digest().hash(&mut hasher)),
            Val::Pair(a, b) => (a.digest(), b.digest()).hash(&mut hasher),
        }
        hasher.finish()
    }

    pub fn int(&self) -> i64 {
        match self {
            Val::Int(n) => *n,
            other => (other.digest() % 1000) as i64,
        }
    }

    pub fn lane(&self, k: i64) -> Val {
        match self {
            Val::Lanes(all) => all[k as usize].clone(),
            one => one.clone(),
        }
    }
}

/// Applies an operator to vectors, lane by lane, or to single values.
pub fn each_lane(parts: &[Val], f: impl Fn(&[Val]) -> Val) -> Val {
    let lanes = parts.iter().find_map(|part| match part {
        Val::Lanes(all) => Some(all.len()),
        _ => None,
    });
    let Some(lanes) = lanes else {
        return f(parts);
    };
    let lane = |k: usize| -> Vec<Val> { parts.iter().map(|part| part.lane(k as i64)).collect() };
    Val::Lanes((0..lanes).map(|k| f(&lane(k))).collect())
}

/// Applies an operator to numbers.
pub fn arithmetic(op: Binary, a: i64, b: i64) -> Val {
    let truth = |value: bool| i64::from(value);
    Val::Int(match op {
        Binary::Add => a + b,
        Binary::Sub => a - b,
        Binary::Mul => a * b,
        Binary::Div => a.checked_div_euclid(b).unwrap_or(0),
        Binary::Mod => a.checked_rem_euclid(b).unwrap_or(0),
        Binary::Min => a.min(b),
        Binary::Max => a.max(b),
        Binary::Gt => truth(a > b),
        Binary::Lt => truth(a < b),
        Binary::Ge => truth(a >= b),
        Binary::Le => truth(a <= b),
        Binary::Eq => truth(a == b),
        Binary::Ne => truth(a != b),
        Binary::And => truth(a != 0 && b != 0),
        Binary::Or => truth(a != 0 || b != 0),
    })
}
