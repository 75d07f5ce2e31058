//! Detects the end of the client's process.

use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use crossbeam_channel::Sender;

use super::Event;
use crate::server::signals;

/// The interval between two checks for the client's process.
const INTERVAL: Duration = Duration::from_secs(1);

/// Ends the session when the client's process has ended, as the protocol demands: a client that has
/// crashed may leave its streams open. Does nothing if `/proc` does not contain the process.
pub fn watch(process: u32, events: Sender<Event>) {
    let proc = PathBuf::from(format!("/proc/{process}"));
    if !proc.exists() {
        // The system has no `/proc`, or the client is on another machine.
        return;
    }
    let watch = move || {
        while proc.exists() {
            thread::sleep(INTERVAL);
        }
        signals::end(|| drop(events.send(Event::HungUp)));
    };
    // If no thread can be started, the server ends at the end of its input.
    let _ = thread::Builder::new()
        .name("rise:client".into())
        .spawn(watch);
}
