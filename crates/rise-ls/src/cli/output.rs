//! Prints results to standard output, and messages to standard error.

use super::BAD_USAGE;
use crate::loader::reason;
use annotate_snippets::{Level, Renderer};
use anstream::ColorChoice;
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};
use std::path::{Path, PathBuf};

/// The line width for output that is not a terminal, and for a terminal whose width is unknown.
const WIDTH: usize = 140;

/// Writes a result to standard output, and returns `status`. A closed pipe is not an error; after
/// another error, prints it and returns `BAD_USAGE`.
pub fn result(
    status: u8,
    write: impl FnOnce(&mut BufWriter<StdoutLock<'static>>) -> io::Result<()>,
) -> u8 {
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    match write(&mut out).and_then(|()| out.flush()) {
        Ok(()) => status,
        Err(problem) if problem.kind() == io::ErrorKind::BrokenPipe => {
            // Dropping the writer would write the rest of the buffer, and fail again.
            let _ = out.into_parts();
            status
        }
        Err(problem) => {
            let _ = out.into_parts();
            error(&format!("standard output: {problem}"));
            BAD_USAGE
        }
    }
}

/// Writes a file atomically. The target of a symbolic link is written, and the link stays. A path
/// that is not a regular file, such as a pipe or a device, is written directly, and so is the name of
/// an open file, such as `/dev/stdout`, whose earlier text stays. An error is printed, and returned as an exit status.
pub fn to_file(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), u8> {
    let written = match replaceable(path) {
        Some(file) => replaced(&file, write),
        None => File::options()
            .append(true)
            .create(true)
            .open(path)
            .and_then(|mut file| buffered(&mut file, write)),
    };
    written.map_err(|problem| {
        error(&format!("{}: {problem}", path.display()));
        BAD_USAGE
    })
}

/// Returns the regular file, which may not exist, that a path leads to; `None` if what it leads to
/// must be opened rather than replaced.
fn replaceable(path: &Path) -> Option<PathBuf> {
    let names_open_file = ["/dev", "/proc"].iter().any(|top| path.starts_with(top));
    if names_open_file || path.metadata().is_ok_and(|known| !known.is_file()) {
        return None;
    }
    match path.is_symlink() {
        true => path.canonicalize().ok(),
        false => Some(path.to_owned()),
    }
}

fn buffered(
    file: &mut impl Write,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, file);
    let written = write(&mut out).and_then(|()| out.flush());
    // Dropping the writer would write the rest of the buffer, and fail again.
    let _ = out.into_parts();
    written
}

/// Writes a temporary file in the same folder and renames it to `path`.
fn replaced(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The permissions of a newly created file, which the umask restricts.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    // The error message of `tempfile` would contain the name of the temporary file.
    let plain = |problem: io::Error| io::Error::other(reason(&problem));
    let mut file = builder.tempfile_in(folder).map_err(plain)?;
    buffered(file.as_file_mut(), write)?;
    file.persist(path).map_err(|problem| problem.error)?;
    Ok(())
}

/// Prints an error that has no source location.
pub fn error(text: &str) {
    say(Level::ERROR, text);
}

/// Prints a warning that has no source location.
pub fn warning(text: &str) {
    say(Level::WARNING, text);
}

pub fn note(text: &str) {
    say(Level::NOTE, text);
}

fn say(level: Level<'static>, text: &str) {
    let line = stderr_renderer().render(&[annotate_snippets::Group::with_title(
        level.primary_title(text),
    )]);
    message(&line);
}

/// Prints a line to standard error.
pub fn message(line: &str) {
    // A failure to write the message cannot be reported.
    let _ = writeln!(io::stderr(), "{line}");
}

/// Returns a renderer for standard output, with colours if it supports them.
pub fn stdout_renderer() -> Renderer {
    renderer(
        anstream::AutoStream::choice(&io::stdout()),
        io::stdout().is_terminal(),
    )
}

/// Returns a renderer for standard error, with colours if it supports them.
pub fn stderr_renderer() -> Renderer {
    renderer(
        anstream::AutoStream::choice(&io::stderr()),
        io::stderr().is_terminal(),
    )
}

fn renderer(colours: ColorChoice, terminal: bool) -> Renderer {
    let renderer = if colours == ColorChoice::Never {
        Renderer::plain()
    } else {
        Renderer::styled()
    };
    let width = if terminal { terminal_width() } else { None };
    renderer.term_width(width.unwrap_or(WIDTH))
}

fn terminal_width() -> Option<usize> {
    terminal_size::terminal_size().map(|(width, _)| usize::from(width.0).max(40))
}
