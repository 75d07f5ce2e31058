//! The threads that run programs on request of the client.
//!
//! Each run has a thread and a database of its own, so that neither requests nor edits wait for it.
//! A limited number of programs run at a time; further ones wait.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::Sender;
use runtime::process::Cancel;
use rustc_hash::FxHashMap;
use serde_json::Value;
use tower_lsp::jsonrpc::Id;

use super::event::{Event, Reply, request_failed};
use super::pool::STACK;
use super::run_progress::RunProgress;

/// The number of programs that run at a time: two, so that a short one need not wait for a long
/// one.
const AT_A_TIME: usize = 2;
/// The largest number of unanswered runs, each of which has a thread.
const MANY: usize = 32;
/// The interval at which a waiting run checks for cancellation.
const PULSE: Duration = Duration::from_millis(20);
/// The time limit at the end of the session for runs to end.
const FAREWELL: Duration = Duration::from_secs(2);
/// The default time limit of a run.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// The settings in the section `rise.run`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunSettings {
    /// The setting `rise.run.enabled`: true if programs may run.
    pub enabled: bool,
    /// The setting `rise.run.timeLimit`: the time limit of a run, if there is one.
    pub time_limit: Option<Duration>,
}

impl Default for RunSettings {
    fn default() -> Self {
        RunSettings {
            enabled: true,
            time_limit: Some(TIME_LIMIT),
        }
    }
}

impl RunSettings {
    /// Reads the section, with defaults for missing settings.
    pub fn read(section: &Value, problems: &mut Vec<String>) -> RunSettings {
        let mut settings = RunSettings::default();
        match &section["enabled"] {
            Value::Null => {}
            Value::Bool(on) => settings.enabled = *on,
            _ => problems.push("`rise.run.enabled` is neither true nor false".to_owned()),
        }
        match &section["timeLimit"] {
            Value::Null => {}
            limit => match limit.as_f64().and_then(time_limit) {
                Some(limit) => settings.time_limit = limit,
                None => problems.push(
                    "`rise.run.timeLimit` is not a number of seconds (0 means no limit)".to_owned(),
                ),
            },
        }
        settings
    }
}

/// Converts seconds to a time limit; 0 means no limit. Returns `None` for an invalid number.
pub fn time_limit(seconds: f64) -> Option<Option<Duration>> {
    let limit = Duration::try_from_secs_f64(seconds).ok()?;
    Some((!limit.is_zero()).then_some(limit))
}

/// A run without an answer.
#[derive(Debug)]
struct Running {
    cancel: Cancel,
    progress: RunProgress,
}

#[derive(Debug)]
pub struct Runs {
    all: FxHashMap<Id, Running>,
    slots: Slots,
    events: Sender<Event>,
}

impl Runs {
    /// Creates an empty collection. The end of a run is sent to `events`.
    pub fn new(events: Sender<Event>) -> Runs {
        Runs {
            all: FxHashMap::default(),
            slots: Slots::default(),
            events,
        }
    }

    /// Returns true if a run with this id has no answer yet.
    pub fn contains(&self, id: &Id) -> bool {
        self.all.contains_key(id)
    }

    /// Starts a run on a new thread. `work` gets the cancellation flag, and answers through `reply`
    /// itself.
    pub fn start(
        &mut self,
        id: Id,
        reply: &Reply,
        progress: RunProgress,
        work: impl FnOnce(&Cancel) + Send + 'static,
    ) {
        if self.all.len() >= MANY {
            progress.end("not started");
            let reason = format!("{MANY} programs run or wait already");
            reply.send(Err(request_failed(reason)));
            return;
        }
        let cancel = Cancel::default();
        let (stop, slots, shown) = (cancel.clone(), self.slots.clone(), progress.clone());
        let (events, over) = (self.events.clone(), id.clone());
        let alive = self.slots.enter();
        let run = move || {
            let turn = slots.wait(&stop, || shown.report("waiting for other programs"));
            work(&stop);
            drop(turn);
            drop(alive);
            // Sending fails if the main loop has ended.
            let _ = events.send(Event::RunOver(over));
        };
        let thread = thread::Builder::new()
            .name("rise:run".into())
            .stack_size(STACK);
        match thread.spawn(run) {
            Ok(_) => drop(self.all.insert(id, Running { cancel, progress })),
            Err(reason) => {
                progress.end("not started");
                let reason = format!("the system gives no thread: {reason}");
                reply.send(Err(request_failed(reason)));
            }
        }
    }

    /// Removes a run that has ended.
    pub fn over(&mut self, id: &Id) {
        self.all.remove(id);
    }

    /// Cancels the run with this id. It answers after it has ended.
    pub fn cancel(&self, id: &Id) {
        if let Some(running) = self.all.get(id) {
            running.cancel.cancel();
        }
    }

    /// Cancels the run whose progress has this token.
    pub fn cancel_by_token(&self, token: &Value) {
        for running in self.all.values() {
            if running.progress.is_token(token) {
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
        self.slots.settle(FAREWELL);
    }
}

/// The counts of threads, and of those that run a program.
#[derive(Clone, Debug, Default)]
struct Slots(Arc<(Mutex<Counts>, Condvar)>);

#[derive(Debug, Default)]
struct Counts {
    alive: usize,
    busy: usize,
}

impl Slots {
    /// Counts a thread until the returned value is dropped.
    fn enter(&self) -> Alive {
        self.change(|counts| counts.alive += 1);
        Alive(self.clone())
    }

    /// Waits until the thread may run a program; returns `None` if the run is cancelled.
    fn wait(&self, cancel: &Cancel, waiting: impl FnOnce()) -> Option<Turn> {
        let (counts, changed) = &*self.0;
        let mut counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
        let mut waiting = Some(waiting);
        while counts.busy >= AT_A_TIME {
            if cancel.is_cancelled() {
                return None;
            }
            if let Some(waiting) = waiting.take() {
                waiting();
            }
            counts = changed
                .wait_timeout(counts, PULSE)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        counts.busy += 1;
        Some(Turn(self.clone()))
    }

    /// Waits until all threads have ended, or the time limit ends.
    fn settle(&self, limit: Duration) {
        let deadline = Instant::now() + limit;
        let (counts, changed) = &*self.0;
        let mut counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
        while counts.alive > 0 {
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
struct Alive(Slots);

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.change(|counts| counts.alive -= 1);
    }
}

#[derive(Debug)]
struct Turn(Slots);

impl Drop for Turn {
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
        let mut problems = Vec::new();
        let mut read = |section: Value| RunSettings::read(&section, &mut problems);
        assert_eq!(read(Value::Null), RunSettings::default());
        let off = read(json!({"enabled": false, "timeLimit": 0}));
        assert_eq!((off.enabled, off.time_limit), (false, None));
        let short = read(json!({"timeLimit": 1.5}));
        assert_eq!(short.time_limit, Some(Duration::from_millis(1500)));
        assert_eq!(
            read(json!({"enabled": "no", "timeLimit": -1})),
            RunSettings::default()
        );
        assert_eq!(problems.len(), 2);
    }
}
