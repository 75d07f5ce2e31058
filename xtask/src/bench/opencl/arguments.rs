//! Generates the arguments of kernels.

use runtime::generate::Fill;
use runtime::launch::Launch;
use runtime::{Leaf, Shape, Value};
use syntax::ast::ScalarType;

use super::list::Entry;
use super::particles;

/// The size in bytes from which on only a part of an argument is generated, which is repeated.
const LARGE: usize = 1 << 22;

/// Fills the arguments with random numbers as `rise-ls run` does, except that the numbers of large
/// arguments are repeated.
pub fn fill(launch: &mut Launch) -> Result<(), String> {
    for (seed, value) in (1..).zip(&mut launch.args) {
        let shape = value.shape().clone();
        if value.bytes().len() < LARGE || !only_floats(&shape) {
            let made = Fill::Random(seed).value(shape);
            *value = made.map_err(|error| error.to_string())?;
            continue;
        }
        // A prime number of elements, so that rows differ.
        let part = Shape::Array(1_000_003, Shape::Scalar(ScalarType::F32).into());
        let part = Fill::Random(seed).value(part);
        let part = part.map_err(|error| error.to_string())?;
        for chunk in value.bytes_mut().chunks_mut(part.bytes().len()) {
            chunk.copy_from_slice(&part.bytes()[..chunk.len()]);
        }
    }
    Ok(())
}

/// Returns true if the shape is built of arrays and pairs from `f32` and vectors of `f32`.
fn only_floats(shape: &Shape) -> bool {
    match shape {
        Shape::Scalar(ScalarType::F32) | Shape::Vector(_, Leaf::Scalar(ScalarType::F32)) => true,
        Shape::Array(_, element) => only_floats(element),
        Shape::Pair(first, second) => only_floats(first) && only_floats(second),
        _ => false,
    }
}

/// Replaces the arguments for which the list specifies a kind.
pub fn replace(entry: &Entry, launch: &mut Launch) -> Result<(), String> {
    for (name, kind) in &entry.args {
        let at = launch.params.iter().position(|param| **param == **name);
        let at = at.ok_or_else(|| format!("`{}` has no parameter `{name}`", entry.name))?;
        let shape = launch.args[at].shape().clone();
        let bytes = match kind.as_str() {
            "positions" => positions(&shape),
            "neighbours" => neighbours(&shape),
            "positive" => positive(&launch.args[at]),
            _ => return Err(format!("`{kind}` is not a kind of argument")),
        };
        let value = bytes.and_then(|bytes| Value::from_bytes(shape, bytes));
        launch.args[at] =
            value.ok_or_else(|| format!("`{kind}` does not fit the parameter `{name}`"))?;
    }
    Ok(())
}

/// Generates positions, `n.Vec[4, f32]` or `n.4.f32`.
fn positions(shape: &Shape) -> Option<Vec<u8>> {
    let Shape::Array(count, _) = shape else {
        return None;
    };
    let all = particles::positions(usize::try_from(*count).ok()?);
    Some(all.iter().flatten().flat_map(|x| x.to_ne_bytes()).collect())
}

/// Generates indices `m.n.Idx[n]` of the neighbours of the particles at [`particles::positions`].
fn neighbours(shape: &Shape) -> Option<Vec<u8>> {
    let Shape::Array(wanted, row) = shape else {
        return None;
    };
    let Shape::Array(count, _) = &**row else {
        return None;
    };
    let positions = particles::positions(usize::try_from(*count).ok()?);
    let all = particles::neighbours(&positions, usize::try_from(*wanted).ok()?);
    Some(all.iter().flat_map(|index| index.to_ne_bytes()).collect())
}

/// Adds 1.0625 to the random numbers from -1 to 1, so that all of them are positive.
fn positive(value: &Value) -> Option<Vec<u8>> {
    let numbers = value.bytes().chunks_exact(4);
    let moved = |bytes: &[u8]| {
        let bytes: [u8; 4] = bytes.try_into().ok()?;
        Some((f32::from_ne_bytes(bytes) + 1.0625).to_ne_bytes())
    };
    let all: Option<Vec<[u8; 4]>> = numbers.map(moved).collect();
    Some(all?.concat())
}
