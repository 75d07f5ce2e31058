//! Termination signals: end the session, and with it the programs that it runs, before the process.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// The time limit for the session to end.
const END_TIMEOUT: Duration = Duration::from_secs(4);

/// Ends the session, and the process if the session does not end in time.
pub fn end(hang_up: impl FnOnce()) {
    hang_up();
    thread::sleep(END_TIMEOUT);
    std::process::exit(1);
}

/// The signal that requested the end of the process; 0 if there was none.
#[derive(Clone, Debug, Default)]
pub struct ReceivedSignal(Arc<AtomicUsize>);

impl ReceivedSignal {
    /// Ends the process by the default action of the signal, if there was one, so that the sender
    /// sees the right exit status.
    pub fn end(&self) {
        #[cfg(unix)]
        if let Ok(signal @ 1..) = i32::try_from(self.0.load(Ordering::Relaxed)) {
            // If that fails, the process ends with another exit status.
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    }
}

/// Registers handlers of the termination signals that call `hang_up`, which ends the session, and
/// that end the process if it does not end in time. If that fails, the signals end the process at
/// once, by default.
#[cfg(unix)]
pub fn listen(hang_up: impl FnOnce() + Send + 'static) -> ReceivedSignal {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::flag;
    use signal_hook::low_level::pipe;
    use std::io::Read;
    use std::os::unix::net::UnixStream;

    let received = ReceivedSignal::default();
    let Ok((mut read, write)) = UnixStream::pair() else {
        return received;
    };
    let late = received.clone();
    let wait = move || {
        if read.read_exact(&mut [0]).is_ok() {
            hang_up();
            thread::sleep(END_TIMEOUT);
            late.end();
        }
    };
    let thread = thread::Builder::new().name("rise:signal".into());
    if thread.spawn(wait).is_err() {
        return received;
    }
    for (signal, number) in [(SIGHUP, 1), (SIGINT, 2), (SIGTERM, 15)] {
        if let Ok(write) = write.try_clone() {
            // The number is stored before the pipe is written to, so that the reader of the pipe
            // sees it.
            let _ = flag::register_usize(signal, received.0.clone(), number);
            let _ = pipe::register(signal, write);
        }
    }
    received
}

#[cfg(not(unix))]
pub fn listen(_: impl FnOnce()) -> ReceivedSignal {
    ReceivedSignal::default()
}
