//! Counters about the server, for its developers.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use db::Database;
use serde_json::{Value, json};

/// Counters that all threads share.
#[derive(Debug, Default)]
pub struct Status {
    edits: AtomicU64,
    edit_to_diagnostics: AtomicU64,
    requests: Mutex<BTreeMap<&'static str, RequestCount>>,
    interrupted: AtomicU64,
    panics: AtomicU64,
    /// The number of jobs that compute diagnostics.
    checking: AtomicU64,
}

#[derive(Clone, Copy, Debug, Default)]
struct RequestCount {
    count: u64,
    last_micros: u64,
}

/// A job that computes diagnostics, which is counted until this is dropped.
#[derive(Debug)]
pub struct Checking(Arc<Status>);

impl Drop for Checking {
    fn drop(&mut self) {
        self.0.checking.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Status {
    /// Counts a job that computes diagnostics, until the returned value is dropped.
    pub fn start_checking(self: &Arc<Status>) -> Checking {
        self.checking.fetch_add(1, Ordering::Relaxed);
        Checking(self.clone())
    }

    pub fn edited(&self) {
        self.edits.fetch_add(1, Ordering::Relaxed);
    }

    /// Records the latency from an edit to its diagnostics.
    pub fn diagnosed(&self, after: Duration) {
        self.edit_to_diagnostics
            .store(micros(after), Ordering::Relaxed);
    }

    /// Counts an answered request, and records its latency.
    pub fn answered(&self, method: &'static str, after: Duration) {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        let seen = requests.entry(method).or_default();
        seen.count += 1;
        seen.last_micros = micros(after);
    }

    /// Counts a job that a change has cancelled.
    pub fn interrupted(&self) {
        self.interrupted.fetch_add(1, Ordering::Relaxed);
    }

    pub fn panicked(&self) {
        self.panics.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the answer to `rise/status`. `stale` is true if diagnostics of the latest change are
    /// not computed yet.
    pub fn report(&self, db: &Database, open: usize, loading: bool, stale: bool) -> Value {
        let usage = db.usage();
        let requests = self
            .requests
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let by_method = |number: fn(&RequestCount) -> u64| -> Value {
            requests
                .iter()
                .map(|(method, seen)| ((*method).to_owned(), Value::from(number(seen))))
                .collect()
        };
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "files": usage.files,
            "openDocuments": open,
            "loading": loading,
            "checking": stale || self.checking.load(Ordering::Relaxed) > 0,
            "items": usage.items,
            "textBytes": usage.text_bytes,
            "syntaxTrees": usage.trees,
            "memoryBytes": memory_bytes(),
            "edits": self.edits.load(Ordering::Relaxed),
            "lastEditToDiagnosticsMicros": self.edit_to_diagnostics.load(Ordering::Relaxed),
            "lastRequestMicros": by_method(|seen| seen.last_micros),
            "requests": by_method(|seen| seen.count),
            "interruptedJobs": self.interrupted.load(Ordering::Relaxed),
            "panics": self.panics.load(Ordering::Relaxed),
        })
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

/// Returns the resident memory of the process in bytes, if the system reports it.
fn memory_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}
