//! Prints measurements with their targets.

use std::fmt;

use serde_json::{Value, json};

use super::generate::Generated;

/// The measured values of one quantity.
#[derive(Default)]
pub struct Series(Vec<f64>);

impl Series {
    pub fn push(&mut self, value: f64) {
        self.0.push(value);
    }

    pub fn extend(&mut self, values: impl IntoIterator<Item = f64>) {
        self.0.extend(values);
    }

    /// Returns the percentile of the values by the nearest-rank method.
    fn percentile(&self, percent: f64) -> Option<f64> {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let rank = (percent / 100.0 * sorted.len() as f64).ceil() as usize;
        sorted.get(rank.saturating_sub(1)).copied()
    }
}

impl FromIterator<f64> for Series {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        Series(values.into_iter().collect())
    }
}

#[derive(Clone, Copy)]
pub enum Unit {
    /// Milliseconds (ms).
    Milliseconds,
    /// Lines per second.
    LinesPerSecond,
    /// Megabytes (MB) of a million bytes.
    Megabytes,
    Percent,
    /// Rewriting steps per second.
    StepsPerSecond,
    /// A ratio of speeds.
    Ratio,
}

impl Unit {
    fn name(self) -> &'static str {
        match self {
            Unit::Milliseconds => "ms",
            Unit::LinesPerSecond => "lines/s",
            Unit::Megabytes => "MB",
            Unit::Percent => "%",
            Unit::StepsPerSecond => "steps/s",
            Unit::Ratio => "x",
        }
    }

    fn show(self, value: f64) -> String {
        match self {
            Unit::Milliseconds => format!("{value:.3}"),
            Unit::LinesPerSecond | Unit::StepsPerSecond => format!("{value:.0}"),
            Unit::Ratio => format!("{value:.2}"),
            Unit::Megabytes | Unit::Percent => format!("{value:.1}"),
        }
    }
}

/// The statistic of the values that is compared with a target.
#[derive(Clone, Copy)]
enum Statistic {
    Median,
    P99,
    Max,
}

impl Statistic {
    fn of(self, series: &Series) -> Option<f64> {
        series.percentile(match self {
            Statistic::Median => 50.0,
            Statistic::P99 => 99.0,
            Statistic::Max => 100.0,
        })
    }

    fn name(self) -> &'static str {
        match self {
            Statistic::Median => "p50",
            Statistic::P99 => "p99",
            Statistic::Max => "max",
        }
    }
}

#[derive(Clone, Copy)]
struct Target {
    statistic: Statistic,
    bound: f64,
    lower_bound: bool,
}

impl Target {
    /// Returns the margin of the series to the target: 1 or more if the target is met.
    fn margin(self, series: &Series) -> Option<f64> {
        let value = self.statistic.of(series)?;
        Some(if self.lower_bound {
            value / self.bound
        } else {
            self.bound / value
        })
    }
}

/// A line of the table.
pub struct Row {
    name: String,
    unit: Unit,
    series: Series,
    targets: Vec<Target>,
}

impl Row {
    /// Creates a line without a target.
    pub fn new(name: &str, unit: Unit, series: Series) -> Row {
        Row {
            name: name.to_owned(),
            unit,
            series,
            targets: Vec::new(),
        }
    }

    /// Sets a lower bound for the median.
    pub fn at_least(self, bound: f64) -> Row {
        self.target(Statistic::Median, bound, true)
    }

    /// Sets an upper bound for the median of times, or for the largest value of memory.
    pub fn at_most(self, bound: f64) -> Row {
        let statistic = if matches!(self.unit, Unit::Megabytes) {
            Statistic::Max
        } else {
            Statistic::Median
        };
        self.target(statistic, bound, false)
    }

    /// Sets upper bounds for the median and the 99th percentile.
    pub fn limits(self, median: f64, p99: f64) -> Row {
        self.target(Statistic::Median, median, false).tail(p99)
    }

    /// Sets an upper bound for the 99th percentile.
    pub fn tail(self, p99: f64) -> Row {
        self.target(Statistic::P99, p99, false)
    }

    fn target(mut self, statistic: Statistic, bound: f64, lower_bound: bool) -> Row {
        self.targets.push(Target {
            statistic,
            bound,
            lower_bound,
        });
        self
    }

    fn verdicts(&self) -> String {
        let verdict = |target: &Target| {
            let sign = if target.lower_bound { "≥" } else { "≤" };
            let ratio = target
                .margin(&self.series)
                .map_or("–".to_owned(), |margin| {
                    format!("{margin:.2}x{}", if margin >= 1.0 { "" } else { " MISSED" })
                });
            format!(
                "{} {sign} {}: {ratio}",
                target.statistic.name(),
                self.unit.show(target.bound)
            )
        };
        self.targets
            .iter()
            .map(verdict)
            .collect::<Vec<_>>()
            .join(", ")
    }
}

/// All measurements, with a description of the machine.
pub struct Table {
    machine: String,
    workspace: String,
    rows: Vec<Row>,
}

impl Table {
    /// Creates an empty table about these files.
    pub fn new(files: &[Generated]) -> Table {
        let lines: usize = files.iter().map(Generated::lines).sum();
        let bytes: usize = files.iter().map(|file| file.text.len()).sum();
        let workspace = format!(
            "{} files, {lines} lines, {:.1} MB",
            files.len(),
            bytes as f64 / 1e6
        );
        Table {
            machine: machine(),
            workspace,
            rows: Vec::new(),
        }
    }

    pub fn push(&mut self, row: Row) {
        self.rows.push(row);
    }

    pub fn json(&self) -> Value {
        let target = |row: &Row, target: &Target| {
            json!({
                "statistic": target.statistic.name(),
                "bound": target.bound,
                "atLeast": target.lower_bound,
                "margin": target.margin(&row.series),
            })
        };
        let row = |row: &Row| {
            let at = |percent| row.series.percentile(percent);
            json!({
                "name": row.name.trim(),
                "unit": row.unit.name(),
                "count": row.series.0.len(),
                "min": at(0.0), "p50": at(50.0), "p99": at(99.0), "max": at(100.0),
                "targets": row.targets.iter().map(|one| target(row, one)).collect::<Vec<_>>(),
            })
        };
        json!({
            "machine": self.machine,
            "workspace": self.workspace,
            "rows": self.rows.iter().map(row).collect::<Vec<_>>(),
        })
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "machine:   {}\nworkspace: {}\n",
            self.machine, self.workspace
        )?;
        let width = self
            .rows
            .iter()
            .map(|row| row.name.chars().count())
            .max()
            .unwrap_or(0);
        let head = ["unit", "n", "min", "p50", "p99", "max"]
            .map(|head| format!("{head:>9}"))
            .concat();
        writeln!(f, "{:width$}{head}   target and margin", "")?;
        for row in &self.rows {
            write!(
                f,
                "{:width$}{:>9}{:>9}",
                row.name,
                row.unit.name(),
                row.series.0.len()
            )?;
            for percent in [0.0, 50.0, 99.0, 100.0] {
                let value = row
                    .series
                    .percentile(percent)
                    .map_or("–".to_owned(), |value| row.unit.show(value));
                write!(f, "{value:>9}")?;
            }
            writeln!(f, "   {}", row.verdicts())?;
        }
        Ok(())
    }
}

/// Returns the processor and the number of cores that this process may use.
fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info
        .lines()
        .find_map(|line| line.strip_prefix("model name"))
        .map(|line| line.trim_start_matches([' ', '\t', ':']));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{}, {cores} cores", model.unwrap_or(std::env::consts::ARCH))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_measured_values() {
        let series: Series = (1..=200).map(f64::from).collect();
        assert_eq!(series.percentile(0.0), Some(1.0));
        assert_eq!(series.percentile(50.0), Some(100.0));
        assert_eq!(series.percentile(99.0), Some(198.0));
        assert_eq!(series.percentile(100.0), Some(200.0));
        assert_eq!(Series::default().percentile(50.0), None);
    }

    #[test]
    fn a_missed_target_is_named() {
        let row = Row::new(
            "edit",
            Unit::Milliseconds,
            Series::from_iter([0.5, 0.5, 20.0]),
        )
        .limits(1.0, 5.0);
        assert_eq!(
            row.verdicts(),
            "p50 ≤ 1.000: 2.00x, p99 ≤ 5.000: 0.25x MISSED"
        );
        let row = Row::new(
            "check",
            Unit::LinesPerSecond,
            Series::from_iter([150_000.0]),
        )
        .at_least(100_000.0);
        assert_eq!(row.verdicts(), "p50 ≥ 100000: 1.50x");
    }
}
