//! Crashes on purpose, for the tests of what happens then. A release build has none of this.
//!
//! `RISE_LS_CRASH=HOW PLACE TEXT` makes the server crash at a place (the name of a request, or
//! `check`) when it works on a document that contains the text: by `abort`, by an `overflow` of the
//! stack, or by `kill`, as when memory is exhausted. Without a text, every document is one.

use db::FileId;

use super::snapshot::Snapshot;

/// The place where documents are checked.
pub const CHECK: &str = "check";

/// Crashes, if the environment asks for a crash at this place.
#[cfg(debug_assertions)]
pub fn on_purpose(place: &str, snapshot: &Snapshot, file: Option<FileId>) {
    use std::sync::OnceLock;

    static ORDER: OnceLock<String> = OnceLock::new();
    let order = ORDER.get_or_init(|| std::env::var("RISE_LS_CRASH").unwrap_or_default());
    let mut words = order.splitn(3, ' ');
    let (how, at, marker) = (words.next(), words.next(), words.next());
    if at != Some(place) {
        return;
    }
    let holds =
        |marker: &str| file.is_some_and(|file| snapshot.db.text(file).to_string().contains(marker));
    if marker.is_none_or(holds) {
        match how {
            Some("overflow") => drop(overflow(0)),
            Some("kill") => {
                let process = std::process::id().to_string();
                let _ = std::process::Command::new("kill")
                    .args(["-9", &process])
                    .status();
                // The signal is on its way.
                std::thread::sleep(std::time::Duration::from_secs(60));
            }
            _ => std::process::abort(),
        }
    }
}

/// Does nothing.
#[cfg(not(debug_assertions))]
pub fn on_purpose(_: &str, _: &Snapshot, _: Option<FileId>) {}

#[cfg(debug_assertions)]
#[allow(unconditional_recursion, reason = "that is the purpose")]
fn overflow(depth: u64) -> [u64; 64] {
    let deeper = overflow(std::hint::black_box(depth + 1));
    deeper.map(|value| std::hint::black_box(value + depth))
}
