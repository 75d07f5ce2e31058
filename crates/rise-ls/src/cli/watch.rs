//! Ends the process of a command that is interrupted or takes too long, whatever it is doing: the
//! compiler, for example, does not look at limits while it computes.

use super::INTERRUPTED;
use runtime::process::{Cancel, Limits, ProcessError, TimeLimit};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// The time that a command has to end by itself, so that it kills its processes and removes its
/// files.
const GRACE_PERIOD: Duration = Duration::from_millis(500);
/// The interval between two checks of the limits.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The watch over a command.
pub struct Watch {
    limits: Limits,
    /// True if the command prints its own result or failure.
    is_reported: Arc<Mutex<bool>>,
}

impl Watch {
    /// Starts to watch the command of this process, with a time limit. If the command does not end
    /// by itself soon after an interrupt or its time, `report` prints the reason, and the process
    /// ends with the status that it returns.
    pub fn start(
        time: Option<Duration>,
        report: impl FnOnce(ProcessError) -> u8 + Send + 'static,
    ) -> Watch {
        let limits = Limits {
            time: time.map(TimeLimit::of_all_parts),
            cancel: on_interrupt(),
        };
        let is_reported = Arc::new(Mutex::new(false));
        let watched = (limits.clone(), is_reported.clone());
        // Without the thread, the limits apply to those parts of the command that look at them.
        let _ = thread::Builder::new().spawn(move || {
            let status = end_status(&watched.0, &watched.1, report);
            std::process::exit(i32::from(status))
        });
        Watch {
            limits,
            is_reported,
        }
    }

    /// Returns the limits, which the command should look at where that is possible.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Lets the command report its own result or failure. The time limit has no effect any more.
    pub fn finish(&self) {
        *self
            .is_reported
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = true;
    }
}

/// Waits until the command has to be ended, and returns the exit status.
fn end_status(
    limits: &Limits,
    is_reported: &Mutex<bool>,
    report: impl FnOnce(ProcessError) -> u8,
) -> u8 {
    let clock = limits.clock();
    loop {
        thread::sleep(POLL_INTERVAL);
        let is_interrupted = limits.cancel.is_cancelled();
        if !is_interrupted && clock.exceeded().is_none() {
            continue;
        }
        thread::sleep(GRACE_PERIOD);
        // The command reports nothing while this is locked.
        let is_reported = is_reported.lock().unwrap_or_else(PoisonError::into_inner);
        match (limits.cancel.is_cancelled(), *is_reported, clock.exceeded()) {
            (true, true, _) => return INTERRUPTED,
            (true, false, _) => return report(ProcessError::Cancelled),
            (false, false, Some(time)) => return report(ProcessError::TooLong(time)),
            (false, _, _) => {}
        }
    }
}

/// Returns a cancellation flag that the first `SIGINT`, `SIGTERM` or `SIGHUP` sets. The second one
/// ends this process. Signals that the process ignores still have no effect.
fn on_interrupt() -> Cancel {
    let cancel = Cancel::default();
    // `nohup` ignores `SIGHUP`, so that a program outlives its terminal.
    let signals = [SIGINT, SIGTERM, SIGHUP];
    for signal in signals.into_iter().filter(|&signal| !is_ignored(signal)) {
        let status = i32::from(INTERRUPTED);
        // If the handler cannot be registered, a signal ends the program at once, which is
        // acceptable.
        let _ = flag::register_conditional_shutdown(signal, status, cancel.flag());
        let _ = flag::register(signal, cancel.flag());
    }
    cancel
}

/// Returns true if this process ignores the signal, according to `/proc/self/status`; false if
/// that cannot be read.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}
