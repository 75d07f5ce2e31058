//! Signals that end the server: programs that it runs end first.

use std::thread;
use std::time::Duration;

use crossbeam_channel::Sender;

use super::event::Event;

/// How long the session may take to end before the process does.
const FAREWELL: Duration = Duration::from_secs(4);

/// Ends the session, and the process if the session does not end.
pub fn end(events: &Sender<Event>) {
    let _ = events.send(Event::HungUp);
    thread::sleep(FAREWELL);
    std::process::exit(1);
}

/// Lets the signals that ask a process to end do so. Where that cannot be had they end it at once,
/// as they always do.
#[cfg(unix)]
pub fn listen(events: Sender<Event>) {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::low_level::pipe;
    use std::io::Read;
    use std::os::unix::net::UnixStream;

    let Ok((mut read, write)) = UnixStream::pair() else {
        return;
    };
    let wait = move || {
        if read.read_exact(&mut [0]).is_ok() {
            end(&events);
        }
    };
    let thread = thread::Builder::new().name("rise:signal".into());
    if thread.spawn(wait).is_err() {
        return;
    }
    for signal in [SIGHUP, SIGINT, SIGTERM] {
        if let Ok(write) = write.try_clone() {
            let _ = pipe::register(signal, write);
        }
    }
}

#[cfg(not(unix))]
pub fn listen(_: Sender<Event>) {}
