//! Arguments that are not random numbers.

use runtime::launch::Launch;
use runtime::{Shape, Value};

use super::list::Entry;
use super::particles;

/// Replaces the arguments of which the list says what they are.
pub fn replace(entry: &Entry, launch: &mut Launch) -> Result<(), String> {
    for (name, kind) in &entry.args {
        let at = launch.params.iter().position(|param| **param == **name);
        let at = at.ok_or_else(|| format!("`{}` has no parameter `{name}`", entry.name))?;
        let shape = launch.args[at].shape().clone();
        let bytes = match kind.as_str() {
            "positions" => positions(&shape),
            "neighbours" => neighbours(&shape),
            "positive" => positive(&launch.args[at]),
            _ => return Err(format!("`{kind}` is no kind of argument")),
        };
        let value = bytes.and_then(|bytes| Value::from_bytes(shape, bytes));
        launch.args[at] =
            value.ok_or_else(|| format!("`{kind}` does not fit the parameter `{name}`"))?;
    }
    Ok(())
}

/// `n.Vec[4, f32]` or `n.4.f32`
fn positions(shape: &Shape) -> Option<Vec<u8>> {
    let Shape::Array(count, _) = shape else {
        return None;
    };
    let all = particles::positions(usize::try_from(*count).ok()?);
    Some(all.iter().flatten().flat_map(|x| x.to_ne_bytes()).collect())
}

/// `m.n.Idx[n]`, of the particles at [`particles::positions`].
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

/// The random numbers, moved from -1 … 1 to 1/16 … 2 and a bit.
fn positive(value: &Value) -> Option<Vec<u8>> {
    let numbers = value.bytes().chunks_exact(4);
    let moved = |bytes: &[u8]| {
        let bytes: [u8; 4] = bytes.try_into().ok()?;
        Some((f32::from_ne_bytes(bytes) + 1.0625).to_ne_bytes())
    };
    let all: Option<Vec<[u8; 4]>> = numbers.map(moved).collect();
    Some(all?.concat())
}
