//! Implements `rise-ls fix`, which applies the preferred fixes of diagnostics.

use super::args::FixOptions;
use super::check::counted;
use super::fmt::{has_mark, replace};
use super::report::{Report, Reporter, shown};
use super::workspace::{Workspace, not_text};
use super::{BAD_USAGE, FAILURE, SUCCESS, diff, human, output};
use crate::loader::reason;
use db::FileId;
use std::io::Write;
use syntax::Severity;

/// The largest number of passes over all files. A fix of one file can lead to fixes of others.
const MAX_PASSES: usize = 10;

pub fn run(options: &FixOptions) -> u8 {
    if options.paths.iter().any(|path| path.as_os_str() == "-") {
        output::error("`fix` changes files, and standard input is not a file");
        return BAD_USAGE;
    }
    let mut workspace = Workspace::load(&options.paths, None, &options.imports);
    workspace.db.set_target(options.target);
    let mut status = if workspace.unreadable {
        BAD_USAGE
    } else {
        SUCCESS
    };
    if !workspace.not_text.is_empty() {
        let mut reporter = Reporter::new(&workspace.db, &workspace.base);
        for (path, bad) in &workspace.not_text {
            reporter.outside(path, &bad.lossy, &not_text(bad));
        }
        status = status.max(human::errors(&reporter.finish()));
    }
    let before: Vec<(FileId, String)> = requested(&workspace);
    let mut counts = vec![0; before.len()];
    for _ in 0..MAX_PASSES {
        let mut changed = false;
        for ((file, _), count) in before.iter().zip(&mut counts) {
            let fixed = ide::fix_all(&mut workspace.db, *file);
            *count += fixed.titles.len();
            changed |= !fixed.titles.is_empty();
            if !fixed.settled {
                let path = shown(&workspace.db.path(*file), &workspace.base);
                output::note(&format!(
                    "{path}: some fixes undo each other or do not end, and are left out"
                ));
            }
        }
        if !changed {
            break;
        }
    }
    for ((file, old), count) in before.iter().zip(counts) {
        let new = workspace.db.text(*file).to_string();
        if new != *old {
            status = status.max(finish(&workspace, *file, old, &new, count, options));
        }
    }
    status.max(remaining(&workspace))
}

/// Reports the number of errors of the fixed files that no fix removes, and the errors of the files
/// that these import, which are not fixed. Returns the exit status.
fn remaining(workspace: &Workspace) -> u8 {
    let mut reporter = Reporter::new(&workspace.db, &workspace.base);
    for file in &workspace.files {
        for (item, diagnostics) in workspace.db.file_diagnostics(*file) {
            reporter.item(item, &diagnostics);
        }
    }
    let mut report = reporter.finish().at_least(Severity::Error);
    let fixed = workspace.files[..workspace.requested].iter();
    let fixed: Vec<String> = fixed
        .map(|file| shown(&workspace.db.path(*file), &workspace.base))
        .collect();
    let found = std::mem::take(&mut report.findings);
    let (own, others): (Vec<_>, Vec<_>) = (found.into_iter())
        .partition(|finding| fixed.contains(&report.source(finding.source).path));
    let count = own.len();
    let status = match others.is_empty() {
        true => SUCCESS,
        false => human::errors(&Report {
            findings: others,
            ..report
        }),
    };
    if count == 0 {
        return status;
    }
    let (are, them) = match count {
        1 => ("is", "it"),
        _ => ("are", "them"),
    };
    let left = counted(count, "error");
    output::note(&format!("{left} {are} left: `rise-ls check` shows {them}"));
    FAILURE
}

/// Returns the files that are fixed, with their texts: those that were given, not their imports.
fn requested(workspace: &Workspace) -> Vec<(FileId, String)> {
    let (db, files) = (&workspace.db, &workspace.files[..workspace.requested]);
    let text = |file: &FileId| (*file, db.text(*file).to_string());
    files.iter().map(text).collect()
}

/// Writes the new text of a file, or with `--dry-run` prints its difference, and returns the exit
/// status.
fn finish(
    workspace: &Workspace,
    file: FileId,
    old: &str,
    new: &str,
    count: usize,
    options: &FixOptions,
) -> u8 {
    let path = workspace.db.path(file);
    let name = shown(&path, &workspace.base);
    if options.dry_run {
        let changes = diff::unified(&name, old, new);
        return output::result(FAILURE, |out| out.write_all(changes.as_bytes()));
    }
    let Some(disk) = path.as_disk() else {
        output::error(&format!("{name}: is not a file"));
        return BAD_USAGE;
    };
    match replace(disk, new, has_mark(disk)) {
        Ok(()) => {
            let fixes = if count == 1 { "fix" } else { "fixes" };
            output::note(&format!("{name}: {count} {fixes}"));
            SUCCESS
        }
        Err(problem) => {
            output::error(&format!("{name}: {}", reason(&problem)));
            BAD_USAGE
        }
    }
}
