//! The end of the client's process.

use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use crossbeam_channel::Sender;

use super::Event;
use crate::server::signals;

/// The time between two looks at the client's process.
const INTERVAL: Duration = Duration::from_secs(1);

/// Ends the session when the client's process is gone, as the protocol asks: a client that has
/// crashed may leave streams open that nobody will ever write to.
pub fn watch(process: u32, events: Sender<Event>) {
    let proc = PathBuf::from(format!("/proc/{process}"));
    if !proc.exists() {
        // The system has another way to look for processes, or the client is on another machine.
        return;
    }
    let watch = move || {
        while proc.exists() {
            thread::sleep(INTERVAL);
        }
        signals::end(|| drop(events.send(Event::HungUp)));
    };
    // Without the thread the server ends when its input does.
    let _ = thread::Builder::new()
        .name("rise:client".into())
        .spawn(watch);
}
