//! Tests for views that keep or change the order of elements.

use super::super::access_inference::AccessInference;
use super::out_of_order;
use crate::target::{Device, Features};

/// Returns true if a program has a `scatter` that takes its elements out of order.
fn is_out_of_order(text: &str) -> bool {
    let mut program = rise::core::program_of(text, "main").expect(text);
    rise::core::normalise(&mut program).expect("a program of this size");
    let facts = AccessInference::new(&program, Features::default(), &Device::default()).facts;
    !out_of_order(&program.body, &facts).is_empty()
}

/// A pseudo-random generator.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        usize::try_from((self.0 >> 33) % n as u64).unwrap_or(0)
    }
}

/// A model of an array: the time at which each of its elements is written.
#[derive(Clone)]
struct Written {
    sizes: Vec<usize>,
    times: Vec<usize>,
}

impl Written {
    /// Returns the array of another shape; `from` maps its positions to those in this array.
    fn moved(&self, sizes: Vec<usize>, from: impl Fn(&[usize]) -> Vec<usize>) -> Written {
        let count: usize = sizes.iter().product();
        let times = (0..count)
            .map(|mut at| {
                let mut position = vec![0; sizes.len()];
                for (digit, size) in position.iter_mut().zip(&sizes).rev() {
                    *digit = at % size;
                    at /= size;
                }
                let flat = from(&position)
                    .iter()
                    .zip(&self.sizes)
                    .fold(0, |all, (i, n)| all * n + i);
                self.times[flat]
            })
            .collect();
        Written { sizes, times }
    }

    /// Returns the text of a random view on the dimension `at`, and the array after it; `None` if
    /// the view is impossible.
    fn viewed(&self, random: &mut Random, at: usize) -> Option<(String, Written)> {
        let (sizes, n) = (&self.sizes, *self.sizes.get(at)?);
        let mut new = sizes.clone();
        match random.below(5) {
            0 => {
                sizes.get(at + 1)?;
                new.swap(at, at + 1);
                let back = |p: &[usize]| {
                    let mut p = p.to_vec();
                    p.swap(at, at + 1);
                    p
                };
                Some(("transpose".into(), self.moved(new, back)))
            }
            1 | 2 => {
                let m = *sizes.get(at + 1)?;
                new.splice(at..at + 2, [n * m]);
                let back = |p: &[usize]| {
                    let mut p = p.to_vec();
                    p.splice(at..=at, [p[at] / m, p[at] % m]);
                    p
                };
                Some(("join".into(), self.moved(new, back)))
            }
            3 => {
                let k = [2, 3, 4, 6][random.below(4)];
                if n % k != 0 || n == k {
                    return None;
                }
                new.splice(at..=at, [n / k, k]);
                let back = |p: &[usize]| {
                    let mut p = p.to_vec();
                    p.splice(at..at + 2, [p[at] * k + p[at + 1]]);
                    p
                };
                Some((format!("split({k})"), self.moved(new, back)))
            }
            _ if random.below(3) > 0 => None,
            _ => {
                let back = |p: &[usize]| {
                    let mut p = p.to_vec();
                    p[at] = n - 1 - p[at];
                    p
                };
                let f = format!("natFun(i => {n} - 1 - i)");
                Some((format!("reorder({n})({f})({f})"), self.moved(new, back)))
            }
        }
    }

    /// Returns true if elements that differ in the first dimension only are written from the first
    /// to the last.
    fn is_in_order(&self) -> bool {
        let row = self.times.len() / self.sizes[0];
        let pairs = self.times.iter().zip(self.times.iter().skip(row));
        pairs.into_iter().all(|(a, b)| a < b)
    }
}

/// Soundness: every accepted program is in order. Completeness: every program that only splits,
/// joins and transposes and is in order is accepted.
#[test]
fn views_that_keep_the_order_are_told_from_those_that_do_not() {
    let (mut accepted, mut refused, mut missed) = (0, 0, Vec::new());
    for seed in 0..600 {
        let mut random = Random(seed);
        let depth = 1 + random.below(3);
        let sizes: Vec<usize> = (0..depth).map(|_| [2, 3, 4, 6][random.below(4)]).collect();
        let count = sizes.iter().product();
        let mut written = Written {
            sizes: sizes.clone(),
            times: (0..count).collect(),
        };
        let dims = |sizes: &[usize]| sizes.iter().map(|n| format!("{n}.")).collect::<String>();
        let mut text = format!("{}id{}", "mapSeq(".repeat(depth), ")".repeat(depth));
        let reversed = |text: &str| text.contains("reorder");
        for _ in 0..random.below(5) {
            let inner = usize::from(random.below(3) == 0);
            if let Some((view, next)) = written.viewed(&mut random, inner) {
                let view = match inner {
                    0 => view,
                    _ => format!("map({view})"),
                };
                text = format!("{text} |> {view}");
                written = next;
            }
        }
        let text = format!(
            "def main = fun(ix: {n}.Idx[{n}], xs: {}i32 => xs |> {text} |> scatter(ix))",
            dims(&sizes),
            n = written.sizes[0],
        );
        match (is_out_of_order(&text), written.is_in_order()) {
            (false, true) => accepted += 1,
            (true, false) => refused += 1,
            (false, false) => panic!("out of order: {text}"),
            (true, true) if reversed(&text) => {}
            (true, true) => missed.push(text),
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
    assert!(accepted > 100 && refused > 50, "{accepted} {refused}");
}
