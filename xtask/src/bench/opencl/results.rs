//! Defines the measurements, which the measuring process prints as JSON for the process that writes
//! the tables and the JSON file.

use std::collections::BTreeMap;
use std::time::Instant;

use serde_json::{Value as Json, json};

use super::list::Sizes;

/// The measured device.
#[derive(Clone, Debug, Default)]
pub struct Machine {
    /// The name of the device.
    pub device: String,
    /// The version of the driver.
    pub driver: String,
    /// The platform and its version.
    pub platform: String,
    /// The number of bytes read and written per second when copying.
    pub copy: f64,
    /// The number of 32-bit floating-point operations per second; a fused multiply-add counts as
    /// two.
    pub arithmetic: f64,
}

/// The phases of a measurement.
pub const PHASES: &[&str] = &[
    "compile",
    "build",
    "verify",
    "arguments",
    "launch",
    "compare",
];

/// The measurements of a program.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// The name of the program.
    pub name: String,
    /// The reason why some or all measurements are missing.
    pub error: Option<String>,
    /// The number of sizes at which the generated and the hand-written kernel have the
    /// interpreter's result.
    pub verified: usize,
    /// The measurements at each of its sizes.
    pub points: Vec<Point>,
    /// The duration of each phase in seconds.
    pub seconds: Vec<(&'static str, f64)>,
}

/// The measurements at one size.
#[derive(Clone, Debug, Default)]
pub struct Point {
    /// The sizes.
    pub sizes: Sizes,
    /// The times of the generated kernels in each round, in ms; empty if there are none.
    pub generated: Vec<f64>,
    /// The times of the hand-written kernels in the same rounds; empty if there are none.
    pub by_hand: Vec<f64>,
    /// The largest difference of both results, relative to `max(1, |b|)` for the element `b` of the
    /// hand-written kernel.
    pub difference: f64,
    /// The number of elements with too large a difference.
    pub wrong: u64,
}

/// Returns the median; 0 for an empty list.
pub fn median(values: &[f64]) -> f64 {
    quantile(values, 0.5)
}

/// Returns the quantile of order `part`, by the nearest rank; 0 for an empty list.
pub fn quantile(values: &[f64], part: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().saturating_sub(1);
    let at = (part * last as f64).round() as usize;
    sorted.get(at).copied().unwrap_or_default()
}

impl Point {
    /// Returns the hand-written time divided by the generated time of each round.
    pub fn ratios(&self) -> Vec<f64> {
        let rounds = self.generated.iter().zip(&self.by_hand);
        rounds
            .map(|(ours, theirs)| theirs / ours.max(1e-9))
            .collect()
    }

    /// Returns the ratio of the medians of the hand-written and the generated times.
    pub fn ratio(&self) -> Option<f64> {
        let both = !self.by_hand.is_empty() && !self.generated.is_empty();
        both.then(|| median(&self.by_hand) / median(&self.generated).max(1e-9))
    }
}

impl Machine {
    pub fn json(&self) -> Json {
        json!({
            "device": self.device, "driver": self.driver, "platform": self.platform,
            "copyBytesPerSecond": self.copy, "flopsPerSecond": self.arithmetic,
        })
    }

    pub fn of(json: &Json) -> Machine {
        let word = |key: &str| json[key].as_str().unwrap_or_default().to_owned();
        let number = |key: &str| json[key].as_f64().unwrap_or_default();
        Machine {
            device: word("device"),
            driver: word("driver"),
            platform: word("platform"),
            copy: number("copyBytesPerSecond"),
            arithmetic: number("flopsPerSecond"),
        }
    }
}

impl Measured {
    /// Adds the time since `start` to this phase.
    pub fn spent(&mut self, phase: &'static str, start: Instant) {
        let seconds = start.elapsed().as_secs_f64();
        match self.seconds.iter_mut().find(|(known, _)| *known == phase) {
            Some((_, all)) => *all += seconds,
            None => self.seconds.push((phase, seconds)),
        }
    }

    pub fn json(&self) -> Json {
        let point = |point: &Point| {
            json!({
                "sizes": point.sizes, "generatedMs": point.generated, "byHandMs": point.by_hand,
                "difference": point.difference.min(f64::MAX), "wrong": point.wrong,
            })
        };
        json!({
            "name": self.name, "error": self.error, "verified": self.verified,
            "points": self.points.iter().map(point).collect::<Vec<_>>(),
            "seconds": self.seconds.iter().copied().collect::<BTreeMap<_, _>>(),
        })
    }

    pub fn of(json: &Json) -> Measured {
        let times = |json: &Json| {
            let all = json.as_array().into_iter().flatten();
            all.filter_map(Json::as_f64).collect()
        };
        let point = |json: &Json| Point {
            sizes: serde_json::from_value(json["sizes"].clone()).unwrap_or_default(),
            generated: times(&json["generatedMs"]),
            by_hand: times(&json["byHandMs"]),
            difference: json["difference"].as_f64().unwrap_or_default(),
            wrong: json["wrong"].as_u64().unwrap_or_default(),
        };
        let points = json["points"].as_array().into_iter().flatten();
        Measured {
            name: json["name"].as_str().unwrap_or_default().to_owned(),
            error: json["error"].as_str().map(str::to_owned),
            verified: json["verified"].as_u64().unwrap_or_default() as usize,
            points: points.map(point).collect(),
            seconds: (PHASES.iter())
                .filter_map(|phase| Some((*phase, json["seconds"][phase].as_f64()?)))
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_survive_json() {
        let measured = Measured {
            name: "mm".to_owned(),
            error: None,
            verified: 2,
            points: vec![Point {
                sizes: Sizes::from([("n".to_owned(), 4)]),
                generated: vec![1.0, 3.0, 2.0],
                by_hand: vec![2.0, 2.0, 4.0],
                difference: 1e-7,
                wrong: 0,
            }],
            seconds: vec![("launch", 0.5)],
        };
        let again = Measured::of(&measured.json());
        assert_eq!(format!("{again:?}"), format!("{measured:?}"));
        assert_eq!(again.points[0].ratio(), Some(1.0));
        assert_eq!(again.points[0].ratios(), [2.0, 2.0 / 3.0, 2.0]);
    }

    #[test]
    fn quantiles_are_measured_values() {
        assert_eq!(median(&[5.0, 1.0, 3.0]), 3.0);
        assert_eq!(quantile(&[1.0, 2.0, 3.0, 4.0, 5.0], 0.25), 2.0);
        assert_eq!(median(&[]), 0.0);
    }
}
