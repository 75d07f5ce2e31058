//! Signals that end the server: programs that it runs end first.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// How long the session may take to end before the process does.
const FAREWELL: Duration = Duration::from_secs(4);

/// Ends the session, and the process if the session does not end.
pub fn end(hang_up: impl FnOnce()) {
    hang_up();
    thread::sleep(FAREWELL);
    std::process::exit(1);
}

/// The signal that has asked the process to end; 0 if none has.
#[derive(Clone, Debug, Default)]
pub struct Asked(Arc<AtomicUsize>);

impl Asked {
    /// Ends the process as the signal would have, if there was one: who has sent it is told so.
    pub fn end(&self) {
        #[cfg(unix)]
        if let Ok(signal @ 1..) = i32::try_from(self.0.load(Ordering::Relaxed)) {
            // If that fails, the process ends with a status of its own.
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    }
}

/// Lets the signals that ask a process to end call `hang_up`, which ends the session. Where that cannot be had they end it at once,
/// as they always do.
#[cfg(unix)]
pub fn listen(hang_up: impl FnOnce() + Send + 'static) -> Asked {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::flag;
    use signal_hook::low_level::pipe;
    use std::io::Read;
    use std::os::unix::net::UnixStream;

    let asked = Asked::default();
    let Ok((mut read, write)) = UnixStream::pair() else {
        return asked;
    };
    let late = asked.clone();
    let wait = move || {
        if read.read_exact(&mut [0]).is_ok() {
            hang_up();
            thread::sleep(FAREWELL);
            late.end();
        }
    };
    let thread = thread::Builder::new().name("rise:signal".into());
    if thread.spawn(wait).is_err() {
        return asked;
    }
    for (signal, number) in [(SIGHUP, 1), (SIGINT, 2), (SIGTERM, 15)] {
        if let Ok(write) = write.try_clone() {
            // In this order: who reads the pipe knows the number.
            let _ = flag::register_usize(signal, asked.0.clone(), number);
            let _ = pipe::register(signal, write);
        }
    }
    asked
}

#[cfg(not(unix))]
pub fn listen(_: impl FnOnce()) -> Asked {
    Asked::default()
}
