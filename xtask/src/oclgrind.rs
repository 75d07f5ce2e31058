//! Runs processes with Oclgrind, an OpenCL driver that detects data races, divergent barriers and
//! invalid memory accesses. (Its check for uninitialised memory is not enabled, because it has
//! false positives for written vectors.)

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// The usual paths of Oclgrind's driver.
const LIBRARIES: &[&str] = &[
    "/usr/lib/oclgrind/liboclgrind-rt-icd.so",
    "/usr/lib64/oclgrind/liboclgrind-rt-icd.so",
    "/usr/local/lib/oclgrind/liboclgrind-rt-icd.so",
];
/// The maximal number of lines of its messages that are reported.
const LINES: usize = 16;

/// Oclgrind as the only OpenCL driver of processes.
pub struct Oclgrind {
    folder: TempDir,
}

impl Oclgrind {
    /// Finds the installed driver; returns an error if there is none.
    pub fn find() -> Result<Oclgrind, String> {
        let library = LIBRARIES.iter().find(|path| Path::new(path).is_file());
        let library = library.ok_or("Oclgrind is not installed (Debian: oclgrind)")?;
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let list = folder.path().join("oclgrind.icd");
        std::fs::write(list, library).map_err(|error| error.to_string())?;
        Ok(Oclgrind { folder })
    }

    /// Makes a process use Oclgrind, with its messages in the log of this name.
    pub fn set_up(&self, command: &mut Command, log: &str) {
        command.env("OCL_ICD_VENDORS", self.folder.path());
        command.env("OCLGRIND_DATA_RACES", "1");
        // With optimisation, Oclgrind's compiler moves loads from local memory across barriers,
        // which would be a data race.
        command.env("OCLGRIND_BUILD_OPTIONS", "-cl-opt-disable");
        command.env("OCLGRIND_UNIFORM_WRITES", "1");
        command.env("OCLGRIND_NUM_THREADS", "1");
        command.env("OCLGRIND_LOG", self.log(log));
    }

    fn log(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns the messages from byte `from` of the log on, and the length of the log.
    pub fn found(&self, log: &str, from: usize) -> (String, usize) {
        let all = std::fs::read(self.log(log)).unwrap_or_default();
        let text = String::from_utf8_lossy(all.get(from..).unwrap_or_default()).into_owned();
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        (lines.take(LINES).collect::<Vec<_>>().join("\n"), all.len())
    }
}
