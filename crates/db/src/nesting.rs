//! A check, in debug builds, that the queries of types are evaluated dependencies first.

use std::cell::Cell;

thread_local! {
    static CHECKS: Cell<bool> = const { Cell::new(false) };
}

/// A guard that exists as long as a thread checks an item.
pub(crate) struct Checking(());

impl Checking {
    /// Starts to check an item.
    ///
    /// # Panics
    /// Panics in debug builds if the thread is checking another item that uses this one: its
    /// dependencies have not been evaluated before it (see [`crate::demand`]).
    pub fn start() -> Checking {
        let nested = CHECKS.replace(true);
        debug_assert!(!nested, "an item is checked before those that it uses");
        Checking(())
    }
}

impl Drop for Checking {
    fn drop(&mut self) {
        CHECKS.set(false);
    }
}
