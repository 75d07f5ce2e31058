//! Describes runs in words: the conditions, the speed and the verdict.

use super::{Done, Summary};
use runtime::Shape;
use runtime::compare::{Comparison, Difference};
use runtime::launch::ArgumentSource;
use runtime::ocl::sizes_text;
use runtime::size_inference::elements_text;
use runtime::value_text::Length;
use std::time::Duration;

/// Describes the conditions of a run: `` `dot` ran in C with n = 1024; random: xs ``.
pub fn conditions(done: &Done) -> String {
    let mut text = format!("`{}` ran in {}", done.def, done.backend.title());
    if let Some(device) = &done.device {
        text.push_str(&format!(" on {}", device.name));
    }
    let sizes = done
        .launch
        .sizes
        .iter()
        .map(|(name, value)| format!("{name} = {value}"));
    let sizes: Vec<String> = sizes.collect();
    if !sizes.is_empty() {
        text.push_str(&format!(" with {}", sizes.join(", ")));
    }
    let all = done.launch.params.iter().zip(&done.launch.sources);
    let random = all
        .filter(|(_, source)| matches!(source, ArgumentSource::Generated(all) if all.is_random()))
        .map(|(name, _)| name.as_str());
    let random: Vec<&str> = random.collect();
    if !random.is_empty() {
        text.push_str(&format!("; random: {}", random.join(", ")));
    }
    text
}

/// Returns the reason why the program was not compiled, if the interpreter was not requested.
pub fn fallback(done: &Done) -> Option<String> {
    let why = done.fallback.as_deref()?;
    Some(format!("interpreted, not compiled: {why}"))
}

/// Returns a warning if the result was verified and any element of the interpreter's result is NaN
/// or infinite.
pub fn doubt(done: &Done) -> Option<String> {
    let found = done.verified.as_ref()?;
    if found.nan + found.infinite == 0 {
        return None;
    }
    let special = special(found).join(" and ");
    let compared = elements_text(found.compared);
    let is_generated = |source: &ArgumentSource| matches!(source, ArgumentSource::Generated(_));
    let advice = match done.launch.sources.iter().any(is_generated) {
        true => "; arguments in the function's range, as of `random(0.1,1)`, say more",
        false => "",
    };
    Some(format!(
        "of {compared} {special} in the interpreter's result: where both results are NaN, or \
         the same infinity, they count as equal{advice}"
    ))
}

/// Returns the shortened result on one line.
pub fn short(done: &Done) -> String {
    let text = done.value.text(Length::Short);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the number of values to print: one for each scalar, for each row without scalars, and
/// for the size in a dependent pair.
pub fn printed(shape: &Shape) -> u64 {
    match shape {
        Shape::Scalar(_) | Shape::Index(_) => 1,
        Shape::Vector(n, _) => u64::from(*n),
        Shape::Array(n, row) => n.saturating_mul(printed(row).max(1)),
        Shape::DepArray(rows) => {
            let all = rows.shapes().iter().map(|row| printed(row).max(1));
            all.fold(0, u64::saturating_add)
        }
        Shape::Pair(a, b) => printed(a).saturating_add(printed(b)),
        Shape::DepPair(_, value) => printed(value).saturating_add(1),
    }
}

/// Describes the times and the speed of timed runs. Returns `None` if runs were not timed.
pub fn times(done: &Done) -> Option<String> {
    let summary = Summary::of(done)?;
    let runs = done.times.len();
    let Summary {
        min, median, max, ..
    } = summary;
    let mut text = format!(
        "{runs} run{}: min {}, median {}, max {}",
        if runs == 1 { "" } else { "s" },
        time(min),
        time(median),
        time(max)
    );
    if let Some(gflops) = summary.gflops {
        text.push_str(&format!("; {} GFLOP/s", digits(gflops)));
    }
    text.push_str(&format!("; {} GB/s", digits(summary.gigabytes)));
    if let Some((copy, share)) = summary.bandwidth {
        let (percent, copy) = (digits(share * 100.0), digits(copy));
        text.push_str(&format!(" ({percent} % of copying, {copy} GB/s)"));
    }
    Some(text)
}

/// Describes the run on a device: the time of each kernel, and those of the transfers, which the
/// run times do not include. Returns `None` if runs were not timed.
pub fn on_device(done: &Done) -> Option<String> {
    let device = done.device.as_ref().filter(|_| !done.times.is_empty())?;
    let mut lines = Vec::new();
    for kernel in &device.kernels {
        let [local, global] = [&kernel.local, &kernel.global].map(|sizes| sizes_text(sizes, " x "));
        lines.push(format!(
            "kernel {}: {}; local size {local}, global size {global}",
            kernel.name,
            time(kernel.time)
        ));
    }
    let (up, down) = (time(device.upload), time(device.download));
    lines.push(format!("transfers: {up} to the device, {down} back"));
    Some(lines.join("\n"))
}

/// Formats a duration with a unit and four significant digits, or more if there are more before the
/// decimal point. Durations below 1 µs are whole nanoseconds.
pub fn time(time: Duration) -> String {
    let nanoseconds = time.as_nanos() as f64;
    let units = [(1e9, "s"), (1e6, "ms"), (1e3, "µs")];
    match units.into_iter().find(|(size, _)| nanoseconds >= *size) {
        Some((size, unit)) => format!("{} {unit}", digits(nanoseconds / size)),
        None => format!("{nanoseconds} ns"),
    }
}

fn digits(value: f64) -> String {
    let decimals = match value {
        _ if value >= 1000.0 => 0,
        _ if value >= 100.0 => 1,
        _ if value >= 10.0 => 2,
        _ => 3,
    };
    format!("{value:.decimals$}")
}

/// Describes the comparison with the interpreter, if it was requested.
pub fn verdict(done: &Done) -> Option<String> {
    let found = done.verified.as_ref()?;
    let mut text = comparison(found);
    if done.tolerance.is_some() && found.floats < found.compared {
        text.push_str(match found.floats {
            0 => "; the tolerance is for floating point numbers, and there are none",
            _ => "; the tolerance is for floating point numbers, the others are compared exactly",
        });
    }
    Some(text)
}

/// Describes the numbers of NaN and infinite elements, if there are any.
fn special(found: &Comparison) -> Vec<String> {
    let special = [(found.nan, "NaN"), (found.infinite, "infinite")];
    let special = special.iter().filter(|(count, _)| *count > 0);
    special
        .map(|(count, what)| {
            let are = if *count == 1 { "is" } else { "are" };
            format!("{count} {are} {what}")
        })
        .collect()
}

fn comparison(found: &Comparison) -> String {
    let skipped = match found.skipped {
        0 => String::new(),
        count => format!("; {count} are never written"),
    };
    let compared = elements_text(found.compared);
    let special: String = special(found)
        .iter()
        .map(|special| format!("; {special}"))
        .collect();
    let (Some(first), Some(worst)) = (&found.first, &found.worst) else {
        let error = found.worst.as_ref().map_or_else(String::new, |worst| {
            format!(
                "; at most {:.1e} off, relative to the larger of 1 and the expected",
                worst.error
            )
        });
        return format!("right: {compared} as in the interpreter{special}{error}{skipped}");
    };
    let mut text = format!(
        "wrong: {} of {compared}{special}{skipped}; first {}",
        found.wrong,
        difference(first)
    );
    if worst != first {
        text.push_str(&format!("; worst {}", difference(worst)));
    }
    text
}

fn difference(difference: &Difference) -> String {
    let Difference {
        path,
        actual,
        expected,
        ..
    } = difference;
    let at = path.to_string();
    let at = if at.is_empty() {
        "the result".to_owned()
    } else {
        at
    };
    format!("{at}: {actual} instead of {expected}")
}
