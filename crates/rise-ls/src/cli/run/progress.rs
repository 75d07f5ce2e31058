//! Shows the current stage on standard error if that is a terminal.

use std::io::{self, IsTerminal, Write};

/// A status line that is overwritten by the next one, and erased at the end.
pub struct Progress {
    is_terminal: bool,
    is_shown: bool,
}

impl Progress {
    pub fn new() -> Self {
        Progress {
            is_terminal: io::stderr().is_terminal(),
            is_shown: false,
        }
    }

    /// Replaces the status line by the stage. Does nothing if standard error is not a terminal.
    pub fn show(&mut self, stage: &str) {
        if self.is_terminal {
            // A failure to write the message cannot be reported.
            let _ = write!(io::stderr(), "\r\x1b[K{stage} …");
            self.is_shown = true;
        }
    }

    /// Erases the status line.
    pub fn clear(&mut self) {
        if self.is_shown {
            erase();
            self.is_shown = false;
        }
    }
}

/// Erases the line of the terminal in which standard error writes. Does nothing if standard error
/// is not a terminal.
pub fn erase() {
    if io::stderr().is_terminal() {
        // A failure to write the message cannot be reported.
        let _ = write!(io::stderr(), "\r\x1b[K");
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}
