//! Formats the results as the table in `docs/benchmarks`, and as JSON.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value as Json, json};

use super::formula;
use super::list::{Entry, Sizes};
use super::results::{Machine, Measured, Point, median, quantile};

/// A kernel is slow below this part of the hand-written kernel's speed.
const SLOW: f64 = 0.9;

/// A measurement of the product of two square matrices by the vendor's library.
#[derive(Clone, Debug)]
pub struct Blas {
    /// The number of rows of the matrices.
    pub size: u64,
    /// The time in ms.
    pub time: f64,
}

impl Blas {
    pub fn of(json: &Json) -> Option<Blas> {
        Some(Blas {
            size: json["size"].as_u64()?,
            time: json["ms"].as_f64()?,
        })
    }
}

/// The results of a run.
pub struct Report<'a> {
    /// The device.
    pub machine: &'a Machine,
    /// The programs with their measurements.
    pub programs: Vec<(&'a Entry, Measured)>,
    /// The measurements of the vendor's library.
    pub blas: &'a [Blas],
    /// The options of the device's compiler, for both kernels.
    pub build_options: &'a str,
    /// The time of the whole run in seconds.
    pub seconds: f64,
}

/// The throughput that follows from the work and the time of a program.
struct Work {
    gigabytes: Option<f64>,
    gigaflops: Option<f64>,
    /// The part of the device's limit that is reached, and the name of that limit.
    share: Option<(f64, &'static str)>,
}

impl Report<'_> {
    /// Writes the table and its numbers into a folder.
    pub fn write(&self, folder: &Path) -> Result<(), String> {
        let name: String = (self.machine.device.chars())
            .map(|c| {
                if c.is_ascii_alphanumeric() {
                    c.to_ascii_lowercase()
                } else {
                    '-'
                }
            })
            .collect();
        let name = name
            .split('-')
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>();
        let name = name.join("-");
        let write = |ending: &str, text: &str| {
            let path = folder.join(format!("{name}.{ending}"));
            std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
        };
        std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
        write("md", &self.markdown())?;
        let json = serde_json::to_string_pretty(&self.json()).map_err(|error| error.to_string())?;
        write("json", &json)
    }

    /// Returns the numbers of the table.
    pub fn json(&self) -> Json {
        let blas = |blas: &Blas| json!({"size": blas.size, "ms": blas.time});
        json!({
            "machine": self.machine.json(),
            "buildOptions": self.build_options,
            "blas": self.blas.iter().map(blas).collect::<Vec<_>>(),
            "programs": self.programs.iter().map(|(_, one)| one.json()).collect::<Vec<_>>(),
        })
    }

    /// Returns the table and a description of the device.
    pub fn markdown(&self) -> String {
        let Machine {
            device,
            driver,
            platform,
            copy,
            arithmetic,
        } = self.machine;
        let options = match self.build_options {
            "" => String::new(),
            options => format!(", compiled with `{options}` both"),
        };
        let mut text = format!(
            "# OpenCL on {device}\n\n\
             Driver {driver}, {platform}. Kernel times from profiling events: the median of the rounds after a \
             warm-up, generated and hand-written kernels in turns, on the same arguments, launched alike{options}. \
             `cargo xtask bench --opencl` made this table in {:.0} s.\n\n\
             Measured there: copy bandwidth {:.0} GB/s (read and written), {:.1} TFLOP/s of fp32 arithmetic. \
             *Share* is the part of the limit that binds: the bytes that must move at that bandwidth (m), or the \
             operations at that rate (a); above 1 the data is in a cache. *By hand* is the time of the kernel in \
             `tests/kernels` by the generated one's (above 1 generated code is faster; in brackets the first and \
             third quartile of the rounds); *Lift* is the time of the kernels that the Lift compiler published in \
             2017, on an NVIDIA H200, and that time by the generated kernel's.\n\n",
            self.seconds,
            copy / 1e9,
            arithmetic / 1e12,
        );
        text.push_str(
            "| program | sizes | ms | by hand ms | by hand / generated | GB/s | GFLOP/s | share | Lift ms | Lift / generated |\n\
             |---|---|---|---|---|---|---|---|---|---|\n",
        );
        for (entry, measured) in &self.programs {
            for point in &measured.points {
                text.push_str(&self.line(entry, point, lift(entry, point)));
            }
        }
        text.push_str(&self.summary());
        text
    }

    fn line(&self, entry: &Entry, point: &Point, lift: Option<f64>) -> String {
        // Without a generated kernel, the rest of the line is about the hand-written one.
        let alone = point.generated.is_empty();
        let time = match alone {
            true => median(&point.by_hand),
            false => median(&point.generated),
        };
        let work = self.work(entry, &point.sizes, time);
        let sizes: Vec<String> = (point.sizes.iter())
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        let number =
            |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.0}"));
        let ratios = point.ratios();
        let by_hand = match point.ratio() {
            None if alone => [shown(time), "alone".to_owned()],
            None => [String::new(), String::new()],
            Some(ratio) => [
                shown(median(&point.by_hand)),
                format!(
                    "{ratio:.2} [{:.2}–{:.2}]{}",
                    quantile(&ratios, 0.25),
                    quantile(&ratios, 0.75),
                    if ratio < SLOW { " **slow**" } else { "" }
                ),
            ],
        };
        let share = work
            .share
            .map_or(String::new(), |(share, of)| format!("{share:.2} {of}"));
        let lift = match lift {
            None => [String::new(), String::new()],
            Some(lift) => [shown(lift), format!("{:.2}", lift / time.max(1e-9))],
        };
        let [hand_time, hand_ratio] = by_hand;
        let [lift_time, lift_ratio] = lift;
        let wrong = if point.wrong > 0 { " **differs**" } else { "" };
        format!(
            "| `{}`{wrong} | {} | {} | {hand_time} | {hand_ratio} | {} | {} | {share} | {lift_time} | {lift_ratio} |\n",
            entry.name,
            sizes.join(", "),
            if alone { String::new() } else { shown(time) },
            number(work.gigabytes),
            number(work.gigaflops),
        )
    }

    fn work(&self, entry: &Entry, sizes: &Sizes, ms: f64) -> Work {
        let amount = |formula: &Option<String>| {
            let text = formula.as_ref()?;
            formula::value(text, sizes).ok()
        };
        let (bytes, flops) = (amount(&entry.bytes), amount(&entry.flops));
        let seconds = (ms / 1e3).max(1e-12);
        let moving = bytes.map_or(0.0, |bytes| bytes / self.machine.copy.max(1.0));
        let computing = flops.map_or(0.0, |flops| flops / self.machine.arithmetic.max(1.0));
        let known = bytes.is_some() || flops.is_some();
        let share = known.then(|| match moving >= computing {
            true => (moving / seconds, "m"),
            false => (computing / seconds, "a"),
        });
        Work {
            gigabytes: bytes.map(|bytes| bytes / seconds / 1e9),
            gigaflops: flops.map(|flops| flops / seconds / 1e9),
            share,
        }
    }

    /// Returns the means, the shares of the limits, the comparison with the vendor's library, and
    /// the errors.
    pub fn summary(&self) -> String {
        let points = || {
            self.programs
                .iter()
                .flat_map(|(entry, one)| one.points.iter().map(move |point| (*entry, point)))
        };
        let ratios = |default: bool| -> Vec<f64> {
            let kind = points().filter(|(entry, _)| entry.twin.is_some() == default);
            kind.filter_map(|(_, point)| point.ratio()).collect()
        };
        let of_lift = |(entry, point): (&Entry, &Point)| {
            let time = (!point.generated.is_empty()).then(|| median(&point.generated))?;
            Some(lift(entry, point)? / time.max(1e-9))
        };
        let lift: Vec<f64> = points().filter_map(of_lift).collect();
        let least = |all: &[f64]| all.iter().copied().fold(f64::INFINITY, f64::min);
        let mut text = String::from("\n");
        for (whose, ratios) in [
            ("generated", ratios(false)),
            ("default schedule", ratios(true)),
        ] {
            if !ratios.is_empty() {
                let _ = writeln!(
                    text,
                    "By hand / {whose}: geometric mean {:.3} of {} measurements, the least {:.2}, {} below {SLOW}.",
                    geometric_mean(&ratios),
                    ratios.len(),
                    least(&ratios),
                    ratios.iter().filter(|ratio| **ratio < SLOW).count(),
                );
            }
        }
        if !lift.is_empty() {
            let _ = writeln!(
                text,
                "Lift / generated: geometric mean {:.2} of {} measurements, the least {:.2}.",
                geometric_mean(&lift),
                lift.len(),
                least(&lift),
            );
        }
        text.push_str(&self.shares());
        text.push_str(&self.library());
        for (entry, measured) in &self.programs {
            if let Some(error) = &measured.error {
                let first = error.lines().next().unwrap_or_default();
                let _ = writeln!(text, "\n`{}`: {first}", entry.name);
            }
        }
        text
    }

    /// Returns the part of the device's limit that tuned programs reach at their large sizes.
    fn shares(&self) -> String {
        let mut lines = String::new();
        for (entry, measured) in self.programs.iter().filter(|(entry, _)| entry.tuned) {
            let Some(point) = measured.points.last() else {
                continue;
            };
            let work = self.work(entry, &point.sizes, median(&point.generated));
            if let Some((share, _)) = work.share {
                let _ = writeln!(lines, "- `{}`: {share:.2}", entry.name);
            }
        }
        match lines.is_empty() {
            true => lines,
            false => format!(
                "\nShare of the limit at the large size, programs for this generation of cards:\n\n{lines}"
            ),
        }
    }

    /// Returns the comparison of matrix products with the vendor's library.
    fn library(&self) -> String {
        let mut text = String::new();
        for blas in self.blas {
            let _ = writeln!(
                text,
                "\nThe vendor's BLAS, {0} × {0} × {0} in fp32 (no TF32): {1} ms.",
                blas.size,
                shown(blas.time)
            );
            for (entry, measured) in &self.programs {
                let cube = |point: &&Point| {
                    let all: Vec<u64> = point.sizes.values().copied().collect();
                    all.len() == 3 && all.iter().all(|size| *size == blas.size)
                };
                if let Some(point) = measured.points.iter().find(cube) {
                    let part = blas.time / median(&point.generated).max(1e-9);
                    let _ = writeln!(text, "`{}` reaches {part:.2} of it.", entry.name);
                }
            }
        }
        text
    }
}

/// Returns the time of Lift's kernel at these sizes, if it has been measured.
fn lift(entry: &Entry, point: &Point) -> Option<f64> {
    let at = entry.bench.iter().position(|sizes| *sizes == point.sizes)?;
    entry.lift.get(at).copied()
}

/// Formats a time in ms, with fewer decimal places if it is long.
fn shown(ms: f64) -> String {
    match ms {
        ms if ms < 1.0 => format!("{ms:.4}"),
        ms if ms < 100.0 => format!("{ms:.3}"),
        _ => format!("{ms:.1}"),
    }
}

fn geometric_mean(values: &[f64]) -> f64 {
    let log: f64 = values.iter().map(|value| value.max(1e-12).ln()).sum();
    (log / values.len().max(1) as f64).exp()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn entry() -> Entry {
        Entry {
            name: "scale".to_owned(),
            def: "scale".to_owned(),
            file: "scale.rise".to_owned(),
            verify: Vec::new(),
            bench: vec![Sizes::from([("n".to_owned(), 100_000_000)])],
            flops: Some("n".to_owned()),
            bytes: Some("8*n".to_owned()),
            args: BTreeMap::new(),
            lift: vec![2.0],
            twin: None,
            tuned: true,
            tolerance: None,
        }
    }

    #[test]
    fn a_line_says_time_work_and_share() {
        let machine = Machine {
            device: "Card".to_owned(),
            copy: 1e12,
            arithmetic: 1e13,
            ..Machine::default()
        };
        let entry = entry();
        let measured = Measured {
            name: entry.name.clone(),
            points: vec![Point {
                sizes: Sizes::from([("n".to_owned(), 100_000_000)]),
                generated: vec![1.0; 10],
                by_hand: vec![0.8; 10],
                ..Point::default()
            }],
            ..Measured::default()
        };
        let report = Report {
            machine: &machine,
            programs: vec![(&entry, measured)],
            blas: &[],
            build_options: "",
            seconds: 1.0,
        };
        let text = report.markdown();
        let line = "| `scale` | n = 100000000 | 1.000 | 0.8000 | 0.80 [0.80–0.80] **slow** | 800 | 100 | 0.80 m | 2.000 | 2.00 |";
        assert!(text.contains(line), "{text}");
        assert!(
            text.contains("geometric mean 0.800 of 1 measurements"),
            "{text}"
        );
        assert!(text.contains("- `scale`: 0.80"), "{text}");
    }
}
