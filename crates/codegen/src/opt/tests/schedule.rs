//! A deterministic scheduler: one work-item of a group runs at a time, from barrier to barrier.

use std::sync::{Condvar, Mutex, MutexGuard};

/// The state of the work-items of a group.
pub struct Schedule {
    pub turn: usize,
    pub waiting: Vec<bool>,
    pub done: Vec<bool>,
    /// The last barrier of each work-item.
    pub barrier: Vec<usize>,
    pub order: Vec<usize>,
    /// True if some work-items waited at a barrier while others had ended or waited at another one.
    pub diverged: bool,
    pub failed: bool,
}

/// Locks a mutex, also after a panic in the thread that held it, which fails its own test.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|error| error.into_inner())
}

/// The access of a work-item to the schedule.
pub struct ScheduledItem<'a> {
    pub schedule: &'a Mutex<Schedule>,
    pub changed: &'a Condvar,
    pub item: usize,
}

/// Waits until the work-item may run.
pub fn wait_for_turn(schedule: &Mutex<Schedule>, changed: &Condvar, item: usize) {
    let mut state = lock(schedule);
    while state.turn != item || state.waiting[item] {
        state = changed
            .wait(state)
            .unwrap_or_else(|error| error.into_inner());
    }
}

/// Passes execution on to the next work-item; if all wait or have ended, the barrier opens.
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
