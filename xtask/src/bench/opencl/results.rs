//! What was measured, as it goes from the process that measures to the one that writes tables, and
//! into the JSON beside them.

use std::collections::BTreeMap;
use std::time::Instant;

use serde_json::{Value as Json, json};

use super::list::Sizes;

/// The device that was measured on.
#[derive(Clone, Debug, Default)]
pub struct Machine {
    /// Its name.
    pub device: String,
    /// The driver's version.
    pub driver: String,
    /// The platform and its version.
    pub platform: String,
    /// Bytes that are copied in a second, read and written both counted.
    pub copy: f64,
    /// Floating point operations in a second, of 32 bits, a multiplication with an addition two.
    pub arithmetic: f64,
}

/// What measuring is made of.
pub const PHASES: &[&str] = &[
    "compile",
    "build",
    "verify",
    "arguments",
    "launch",
    "compare",
];

/// What was measured of a program.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// Its name.
    pub name: String,
    /// Why nothing was, or not all.
    pub error: Option<String>,
    /// Sizes at which generated code and the kernel by hand compute what the interpreter says.
    pub verified: usize,
    /// At each of its sizes.
    pub points: Vec<Point>,
    /// What took how long to measure, in seconds.
    pub seconds: Vec<(&'static str, f64)>,
}

/// What was measured at one size.
#[derive(Clone, Debug, Default)]
pub struct Point {
    /// The sizes.
    pub sizes: Sizes,
    /// Time of the generated kernels in each round, in ms; empty if there are none.
    pub generated: Vec<f64>,
    /// Time of the kernels by hand in the same rounds; empty if there are none.
    pub by_hand: Vec<f64>,
    /// The largest difference between both results, relative to `max(1, |b|)`.
    pub difference: f64,
    /// So many places differ by more than they may.
    pub wrong: u64,
}

/// The value in the middle; 0 of none.
pub fn median(values: &[f64]) -> f64 {
    quantile(values, 0.5)
}

/// The value that this part of all is not above.
pub fn quantile(values: &[f64], part: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().saturating_sub(1);
    let at = (part * last as f64).round() as usize;
    sorted.get(at).copied().unwrap_or_default()
}

impl Point {
    /// Time by hand by generated time, in each round.
    pub fn ratios(&self) -> Vec<f64> {
        let rounds = self.generated.iter().zip(&self.by_hand);
        rounds
            .map(|(ours, theirs)| theirs / ours.max(1e-9))
            .collect()
    }

    /// The same of the medians.
    pub fn ratio(&self) -> Option<f64> {
        let both = !self.by_hand.is_empty() && !self.generated.is_empty();
        both.then(|| median(&self.by_hand) / median(&self.generated).max(1e-9))
    }
}

impl Machine {
    /// As JSON.
    pub fn json(&self) -> Json {
        json!({
            "device": self.device, "driver": self.driver, "platform": self.platform,
            "copyBytesPerSecond": self.copy, "flopsPerSecond": self.arithmetic,
        })
    }

    /// From JSON.
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
    /// Counts the time since `start` as that of this phase.
    pub fn spent(&mut self, phase: &'static str, start: Instant) {
        let seconds = start.elapsed().as_secs_f64();
        match self.seconds.iter_mut().find(|(known, _)| *known == phase) {
            Some((_, all)) => *all += seconds,
            None => self.seconds.push((phase, seconds)),
        }
    }

    /// As JSON.
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

    /// From JSON.
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
