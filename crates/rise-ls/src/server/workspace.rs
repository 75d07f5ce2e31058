//! The files of the workspace's folders, read without keeping the main loop waiting.

use std::path::PathBuf;

use crossbeam_channel::Sender;
use db::FilePath;

use super::event::Event;
use crate::loader::{self, Contents};
use crate::roots::Roots;

/// How many bytes of files are handed to the main loop at a time, so that it can do other things
/// in between.
const PORTION: usize = 1 << 18;

/// Files of the workspace that were read.
#[derive(Debug)]
pub struct Loaded {
    /// The files.
    pub files: Vec<(FilePath, Contents)>,
    /// How many files of how many have been read.
    pub done: usize,
    /// All files of this load.
    pub total: usize,
}

impl Loaded {
    /// Whether these are the last ones.
    pub fn is_last(&self) -> bool {
        self.done == self.total
    }
}

/// Reads every file of RISE and DPIA below the folders and hands them to the main loop in portions,
/// the last of which may be empty.
pub fn load(folders: &[PathBuf], roots: &Roots, events: &Sender<Event>) {
    let paths = find(folders, events);
    let total = paths.len();
    let mut portion = Vec::new();
    let mut bytes = 0;
    for (path, done) in paths.into_iter().zip(1..) {
        let path = FilePath::disk(path);
        let contents = loader::read_import(&path, roots);
        bytes += contents.as_ref().map_or(0, String::len);
        let contents = contents.map(|text| loader::prepared(&path, &text));
        portion.push((path, contents));
        if bytes >= PORTION && done < total {
            let files = std::mem::take(&mut portion);
            bytes = 0;
            if events
                .send(Event::Loaded(Loaded { files, done, total }))
                .is_err()
            {
                return;
            }
        }
    }
    // If the loop has ended, so has the load.
    let _ = events.send(Event::Loaded(Loaded {
        files: portion,
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
