//! The threads that run programs, or search for devices, on request of the client.
//!
//! Each run has a thread and a database of its own, so that neither requests nor edits wait for it.
//! A limited number of programs run at a time; further ones wait.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::Sender;
use runtime::process::Cancel;
use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde::de::{Deserializer, Error as _};
use serde_json::Value;
use tower_lsp::lsp_types::ProgressToken;

use super::event::{Event, Reply, request_failed};
use super::pool::STACK;
use super::run_progress::RunProgress;

/// The number of programs that run at a time: two, so that a short one need not wait for a long
/// one.
const MAX_CONCURRENT: usize = 2;
/// The largest number of runs that have not ended, each of which has a thread.
const MAX_UNANSWERED: usize = 32;
/// The interval at which a waiting run checks for cancellation.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// The time limit at the end of the session for runs to end.
const END_TIMEOUT: Duration = Duration::from_secs(2);
/// The default time limit of a run.
const DEFAULT_TIME_LIMIT: Duration = Duration::from_secs(60);

/// The settings in the section `rise.run`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct RunSettings {
    /// The setting `rise.run.enabled`: true if programs may run.
    pub enabled: bool,
    /// The setting `rise.run.timeLimit`: the time limit of a run, if there is one.
    #[serde(deserialize_with = "seconds")]
    pub time_limit: Option<Duration>,
}

impl Default for RunSettings {
    fn default() -> Self {
        RunSettings {
            enabled: true,
            time_limit: Some(DEFAULT_TIME_LIMIT),
        }
    }
}

fn seconds<'de, D: Deserializer<'de>>(seconds: D) -> Result<Option<Duration>, D::Error> {
    let seconds = Value::deserialize(seconds)?;
    let limit = seconds.as_f64().and_then(time_limit);
    limit.ok_or_else(|| {
        let reason = format_args!("{seconds} is not a number of seconds (0 means no limit)");
        D::Error::custom(reason)
    })
}

/// Converts seconds to a time limit; 0 means no limit. Returns `None` for an invalid number.
pub fn time_limit(seconds: f64) -> Option<Option<Duration>> {
    let limit = Duration::try_from_secs_f64(seconds).ok()?;
    Some((!limit.is_zero()).then_some(limit))
}

/// A run that has not ended.
#[derive(Debug)]
struct Running {
    cancel: Cancel,
    progress: RunProgress,
}

#[derive(Debug)]
pub struct Runs {
    all: FxHashMap<u64, Running>,
    /// The number of runs so far.
    count: u64,
    slots: Slots,
    events: Sender<Event>,
}

impl Runs {
    /// Creates an empty collection. The end of a run is sent to `events`.
    pub fn new(events: Sender<Event>) -> Runs {
        Runs {
            all: FxHashMap::default(),
            count: 0,
            slots: Slots::default(),
            events,
        }
    }

    /// Starts a run on a new thread. `work` gets the cancellation flag, and answers through `reply`
    /// itself. If too many runs have not ended, or no thread can be started, sends an error through
    /// `reply`.
    pub fn start<R>(
        &mut self,
        cancel: Cancel,
        reply: &Reply<R>,
        progress: RunProgress,
        work: impl FnOnce(&Cancel) + Send + 'static,
    ) {
        if self.all.len() >= MAX_UNANSWERED {
            progress.end("not started");
            let reason = format!("{MAX_UNANSWERED} programs run or wait already");
            reply.send(Err(request_failed(reason)));
            return;
        }
        self.count += 1;
        let number = self.count;
        let (stop, slots, shown) = (cancel.clone(), self.slots.clone(), progress.clone());
        let events = self.events.clone();
        let live = self.slots.enter();
        let run = move || {
            let slot = slots.wait(&stop, || shown.report("waiting for other programs"));
            work(&stop);
            drop(slot);
            drop(live);
            // Sending fails if the main loop has ended.
            let _ = events.send(Event::RunEnded(number));
        };
        let thread = thread::Builder::new()
            .name("rise:run".into())
            .stack_size(STACK);
        match thread.spawn(run) {
            Ok(_) => drop(self.all.insert(number, Running { cancel, progress })),
            Err(reason) => {
                progress.end("not started");
                let reason = format!("cannot start a thread: {reason}");
                reply.send(Err(request_failed(reason)));
            }
        }
    }

    /// Removes a run that has ended.
    pub fn remove(&mut self, number: u64) {
        self.all.remove(&number);
    }

    /// Cancels the run whose progress has this token.
    pub fn cancel_by_token(&self, token: &ProgressToken) {
        for running in self.all.values() {
            if running.progress.has_token(token) {
                running.cancel.cancel();
            }
        }
    }

    /// Cancels all runs, for example when a setting disables them.
    pub fn cancel_all(&self) {
        for running in self.all.values() {
            running.cancel.cancel();
        }
    }
}

impl Drop for Runs {
    /// Cancels all runs and waits for their end, so that no program outlives the session.
    fn drop(&mut self) {
        self.cancel_all();
        self.slots.wait_for_end(END_TIMEOUT);
    }
}

/// The counts of threads, and of those that run a program.
#[derive(Clone, Debug, Default)]
struct Slots(Arc<(Mutex<Counts>, Condvar)>);

#[derive(Debug, Default)]
struct Counts {
    live: usize,
    busy: usize,
}

impl Slots {
    /// Counts a thread until the returned value is dropped.
    fn enter(&self) -> LiveThread {
        self.change(|counts| counts.live += 1);
        LiveThread(self.clone())
    }

    /// Waits until the thread may run a program; returns `None` if the run is cancelled meanwhile.
    /// Calls `waiting` once if it has to wait.
    fn wait(&self, cancel: &Cancel, waiting: impl FnOnce()) -> Option<OccupiedSlot> {
        let (counts, changed) = &*self.0;
        let mut counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
        let mut waiting = Some(waiting);
        while counts.busy >= MAX_CONCURRENT {
            if cancel.is_cancelled() {
                return None;
            }
            if let Some(waiting) = waiting.take() {
                waiting();
            }
            counts = changed
                .wait_timeout(counts, POLL_INTERVAL)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        counts.busy += 1;
        Some(OccupiedSlot(self.clone()))
    }

    /// Waits until all threads have ended, or the time limit ends.
    fn wait_for_end(&self, limit: Duration) {
        let deadline = Instant::now() + limit;
        let (counts, changed) = &*self.0;
        let mut counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
        while counts.live > 0 {
            let Some(left) = deadline.checked_duration_since(Instant::now()) else {
                return;
            };
            counts = changed
                .wait_timeout(counts, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }

    fn change(&self, act: impl FnOnce(&mut Counts)) {
        let (counts, changed) = &*self.0;
        act(&mut counts.lock().unwrap_or_else(PoisonError::into_inner));
        changed.notify_all();
    }
}

#[derive(Debug)]
struct LiveThread(Slots);

impl Drop for LiveThread {
    fn drop(&mut self) {
        self.0.change(|counts| counts.live -= 1);
    }
}

#[derive(Debug)]
struct OccupiedSlot(Slots);

impl Drop for OccupiedSlot {
    fn drop(&mut self) {
        self.0.change(|counts| counts.busy -= 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn settings_of_runs_are_read_over_the_defaults() {
        let read = RunSettings::deserialize;
        assert_eq!(read(json!({})).ok(), Some(RunSettings::default()));
        let off = read(json!({"enabled": false, "timeLimit": 0})).expect("they are readable");
        assert_eq!((off.enabled, off.time_limit), (false, None));
        let short = read(json!({"timeLimit": 1.5})).expect("it is readable");
        assert_eq!(short.time_limit, Some(Duration::from_millis(1500)));
        assert!(read(json!({"enabled": "no"})).is_err());
        assert!(read(json!({"timeLimit": -1})).is_err());
    }
}
