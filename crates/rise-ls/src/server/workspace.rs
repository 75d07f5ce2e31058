//! Reads the files of the workspace folders in the background.

use std::path::PathBuf;

use crossbeam_channel::Sender;
use db::FilePath;

use super::event::Event;
use crate::loader::{self, Contents};
use crate::roots::Roots;

/// The number of bytes of files from which on they are sent to the main loop, so that it can handle
/// other events before the next ones.
const BATCH_BYTES: usize = 1 << 18;

/// Files of the workspace that were read.
#[derive(Debug)]
pub struct Loaded {
    pub files: Vec<(FilePath, Contents)>,
    /// The number of files that were read so far.
    pub done: usize,
    /// The number of all files.
    pub total: usize,
}

impl Loaded {
    /// Returns true if these are the last files.
    pub fn is_last(&self) -> bool {
        self.done == self.total
    }
}

/// Reads all source files below the folders, and sends them to the main loop in portions, the last
/// of which may be empty.
pub fn load(folders: &[PathBuf], roots: &Roots, events: &Sender<Event>) {
    let paths = find(folders, events);
    let total = paths.len();
    let mut batch = Vec::new();
    let mut bytes = 0;
    for (path, done) in paths.into_iter().zip(1..) {
        let path = FilePath::disk(path);
        let contents = loader::read_import(&path, roots);
        bytes += contents.as_ref().map_or(0, String::len);
        let contents = contents.map(|text| loader::prepared(&path, &text));
        batch.push((path, contents));
        if bytes >= BATCH_BYTES && done < total {
            let files = std::mem::take(&mut batch);
            bytes = 0;
            if events
                .send(Event::Loaded(Loaded { files, done, total }))
                .is_err()
            {
                return;
            }
        }
    }
    // Sending fails if the main loop has ended.
    let _ = events.send(Event::Loaded(Loaded {
        files: batch,
        done: total,
        total,
    }));
}

fn find(folders: &[PathBuf], events: &Sender<Event>) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for folder in folders {
        match loader::source_files(folder) {
            Ok(found) => paths.extend(found),
            Err(problem) => drop(events.send(Event::Problem(problem.to_string()))),
        }
    }
    paths.sort();
    paths.dedup();
    paths
}
