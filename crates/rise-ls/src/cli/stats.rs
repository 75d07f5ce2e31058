//! Implements `--stats`, which prints the sizes and times of a check.

use super::workspace::Workspace;
use std::time::{Duration, Instant};

/// The times of the phases of a check, and its number of threads.
pub struct Stats {
    start: Instant,
    read: Duration,
    total: Duration,
    threads: usize,
}

impl Stats {
    pub fn start() -> Stats {
        Stats {
            start: Instant::now(),
            read: Duration::ZERO,
            total: Duration::ZERO,
            threads: 0,
        }
    }

    /// Records the time after which all files are read and split into items.
    pub fn read(&mut self) {
        self.read = self.start.elapsed();
    }

    /// Records the time after which all files are checked, and the number of threads.
    pub fn checked(&mut self, threads: usize) {
        self.total = self.start.elapsed();
        self.threads = threads;
    }

    /// Returns the table of sizes and times.
    pub fn finish(&self, workspace: &Workspace) -> String {
        let sizes = Sizes::of(workspace);
        let (check, total) = (self.total - self.read, self.total);
        let speed = sizes.lines as f64 / total.as_secs_f64().max(f64::EPSILON);
        let parse = parse_alone(workspace);
        let mut lines = vec![
            format!("files       {:>12}", sizes.files),
            format!("lines       {:>12}", sizes.lines),
            format!("bytes       {:>12}", sizes.bytes),
            format!("defs        {:>12}", sizes.defs),
            format!("threads     {:>12}", self.threads),
            format!("read, split {:>12.6} s", self.read.as_secs_f64()),
            format!(
                "check       {:>12.6} s  parsing included",
                check.as_secs_f64()
            ),
            format!("total       {:>12.6} s", total.as_secs_f64()),
            format!("lines/s     {speed:>12.0}"),
            format!(
                "parsing     {:>12.6} s  on one core, measured again by itself",
                parse.as_secs_f64()
            ),
        ];
        if let Some(bytes) = peak_memory() {
            lines.push(format!("peak memory {:>12.1} MB", bytes as f64 / 1e6));
        }
        lines.join("\n")
    }
}

struct Sizes {
    files: usize,
    lines: usize,
    bytes: usize,
    defs: usize,
}

impl Sizes {
    fn of(workspace: &Workspace) -> Sizes {
        let db = &workspace.db;
        let mut sizes = Sizes {
            files: workspace.files.len(),
            lines: 0,
            bytes: 0,
            defs: 0,
        };
        for &file in &workspace.files {
            let text = db.text(file);
            let last = text.line(text.len_lines() - 1);
            sizes.lines += text.len_lines() - usize::from(last.len_bytes() == 0);
            sizes.bytes += text.len_bytes();
            sizes.defs += db
                .items(file)
                .iter()
                .filter(|&&item| matches!(db.header(item).declares, db::Declaration::Def(_)))
                .count();
        }
        sizes
    }
}

/// Measures the time of parsing alone, on one thread.
fn parse_alone(workspace: &Workspace) -> Duration {
    let db = &workspace.db;
    let items = workspace.files.iter().flat_map(|&file| {
        let language = db.language(file);
        let texts = db.items(file).to_vec().into_iter();
        texts.map(move |item| (db.item_text(item), language))
    });
    let texts: Vec<_> = items.collect();
    let start = Instant::now();
    for (text, language) in &texts {
        std::hint::black_box(language.mistakes(text));
    }
    start.elapsed()
}

/// Returns the peak resident memory of this process in bytes, if the system reports it.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}
