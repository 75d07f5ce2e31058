//! Work-items take turns, from barrier to barrier.

use std::sync::{Condvar, Mutex, MutexGuard};

/// Which work-item of a group runs.
pub struct Schedule {
    pub turn: usize,
    pub waiting: Vec<bool>,
    pub done: Vec<bool>,
    /// The barrier that each has come to.
    pub barrier: Vec<usize>,
    pub order: Vec<usize>,
    /// Whether some waited at a barrier when the others were done, or at another one.
    pub diverged: bool,
    pub failed: bool,
}

/// Whoever has it failed: the test does, then.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|error| error.into_inner())
}

/// A work-item's part in it.
pub struct ScheduledItem<'a> {
    pub schedule: &'a Mutex<Schedule>,
    pub changed: &'a Condvar,
    pub item: usize,
}

/// Sleeps until it is this one's turn.
pub fn wait_for_turn(schedule: &Mutex<Schedule>, changed: &Condvar, item: usize) {
    let mut state = lock(schedule);
    while state.turn != item || state.waiting[item] {
        state = changed
            .wait(state)
            .unwrap_or_else(|error| error.into_inner());
    }
}

/// The next work-item goes on; if all wait or are done, the barrier opens.
pub fn pass_on(schedule: &Mutex<Schedule>, changed: &Condvar, item: usize, done: bool) {
    let mut state = lock(schedule);
    if done {
        state.done[item] = true;
    } else {
        state.waiting[item] = true;
    }
    let free = |state: &Schedule, of: usize| !state.done[of] && !state.waiting[of];
    let next = state.order.iter().copied().find(|of| free(&state, *of));
    let next = next.or_else(|| {
        let waits = state.waiting.contains(&true);
        state.diverged |= waits && state.done.contains(&true);
        let first = state.barrier[0];
        state.diverged |= waits && state.barrier.iter().any(|other| *other != first);
        state.waiting.iter_mut().for_each(|waits| *waits = false);
        state.order.iter().copied().find(|of| free(&state, *of))
    });
    if let Some(next) = next {
        state.turn = next;
    }
    changed.notify_all();
}
