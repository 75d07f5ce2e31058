//! Oclgrind: an OpenCL driver that watches for races, for barriers that not all work-items reach,
//! and for accesses to memory that is not there. (Of memory that was never written it also speaks
//! where vectors were written, so that it is not asked.)

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// Where Debian and others put its driver.
const LIBRARIES: &[&str] = &[
    "/usr/lib/oclgrind/liboclgrind-rt-icd.so",
    "/usr/lib64/oclgrind/liboclgrind-rt-icd.so",
    "/usr/local/lib/oclgrind/liboclgrind-rt-icd.so",
];
/// Of what it says so many lines are reported.
const LINES: usize = 16;

/// It as the only driver of processes.
pub struct Oclgrind {
    folder: TempDir,
}

impl Oclgrind {
    /// An error where it is not installed.
    pub fn find() -> Result<Oclgrind, String> {
        let library = LIBRARIES.iter().find(|path| Path::new(path).is_file());
        let library = library.ok_or("Oclgrind is not installed (Debian: oclgrind)")?;
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let list = folder.path().join("oclgrind.icd");
        std::fs::write(list, library).map_err(|error| error.to_string())?;
        Ok(Oclgrind { folder })
    }

    /// Makes a process run with it, and says what it finds in the log with this name.
    pub fn set_up(&self, command: &mut Command, log: &str) {
        command.env("OCL_ICD_VENDORS", self.folder.path());
        command.env("OCLGRIND_DATA_RACES", "1");
        // Its compiler moves loads of local memory over barriers, and that would be a race.
        command.env("OCLGRIND_BUILD_OPTIONS", "-cl-opt-disable");
        command.env("OCLGRIND_UNIFORM_WRITES", "1");
        command.env("OCLGRIND_NUM_THREADS", "1");
        command.env("OCLGRIND_LOG", self.log(log));
    }

    fn log(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// What it has found, from byte `from` of the log on; and where the log ends.
    pub fn found(&self, log: &str, from: usize) -> (String, usize) {
        let all = std::fs::read(self.log(log)).unwrap_or_default();
        let text = String::from_utf8_lossy(all.get(from..).unwrap_or_default()).into_owned();
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        (lines.take(LINES).collect::<Vec<_>>().join("\n"), all.len())
    }
}
