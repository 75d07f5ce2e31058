//! What is being done, on standard error if that is a terminal.

use std::io::{self, IsTerminal, Write};

/// A line that changes, and goes away.
pub struct Progress {
    is_terminal: bool,
    is_shown: bool,
}

impl Progress {
    /// Nothing is shown yet.
    pub fn new() -> Self {
        Progress {
            is_terminal: io::stderr().is_terminal(),
            is_shown: false,
        }
    }

    /// Shows what is being done.
    pub fn show(&mut self, stage: &str) {
        if self.is_terminal {
            // Nobody is left to tell if this fails.
            let _ = write!(io::stderr(), "\r\x1b[K{stage} …");
            self.is_shown = true;
        }
    }

    /// Takes it away.
    pub fn clear(&mut self) {
        if self.is_shown {
            let _ = write!(io::stderr(), "\r\x1b[K");
            self.is_shown = false;
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}
