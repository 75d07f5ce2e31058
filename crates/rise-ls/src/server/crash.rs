//! Deliberate crashes for the tests of crash recovery. A release build contains none.
//!
//! `RISE_LS_CRASH=HOW PLACE TEXT` crashes the server at a place (the name of a request, or `check`)
//! when it processes a document that contains the text: by `abort`, by a stack `overflow`, or by
//! `kill`, as the system does when memory is exhausted. Without a text, every document matches.

use db::FileId;

use super::snapshot::Snapshot;

/// The place where documents are checked.
pub const CHECK: &str = "check";

/// Crashes if the environment requests a crash at this place.
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
                // The signal may be delivered later.
                std::thread::sleep(std::time::Duration::from_secs(60));
            }
            _ => std::process::abort(),
        }
    }
}

#[cfg(not(debug_assertions))]
pub fn on_purpose(_: &str, _: &Snapshot, _: Option<FileId>) {}

#[cfg(debug_assertions)]
#[allow(unconditional_recursion, reason = "that is the purpose")]
fn overflow(depth: u64) -> [u64; 64] {
    let deeper = overflow(std::hint::black_box(depth + 1));
    deeper.map(|value| std::hint::black_box(value + depth))
}
