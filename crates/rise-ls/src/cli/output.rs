//! Writing: results to standard output, everything else to standard error.

use super::UNUSABLE;
use crate::loader::reason;
use annotate_snippets::{Level, Renderer};
use anstream::ColorChoice;
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};
use std::path::Path;

/// The width of lines that are not written to a terminal.
const WIDTH: usize = 140;

/// Writes a result, and returns `status`; a reader that has gone away is no error.
pub fn result(
    status: u8,
    write: impl FnOnce(&mut BufWriter<StdoutLock<'static>>) -> io::Result<()>,
) -> u8 {
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    match write(&mut out).and_then(|()| out.flush()) {
        Ok(()) => status,
        Err(problem) if problem.kind() == io::ErrorKind::BrokenPipe => {
            // What is left in the buffer would be written, and fail again, when it is dropped.
            let _ = out.into_parts();
            status
        }
        Err(problem) => {
            let _ = out.into_parts();
            error(&format!("standard output: {problem}"));
            UNUSABLE
        }
    }
}

/// Writes a file as a whole or not at all; what is no file, a pipe or device, is written to as it
/// is. What goes wrong is said, and returned as an exit status.
pub fn to_file(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), u8> {
    let written = if path.metadata().is_ok_and(|known| !known.is_file()) {
        File::options()
            .write(true)
            .open(path)
            .and_then(|mut file| buffered(&mut file, write))
    } else {
        replaced(path, write)
    };
    written.map_err(|problem| {
        error(&format!("{}: {problem}", path.display()));
        UNUSABLE
    })
}

fn buffered(
    file: &mut impl Write,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, file);
    let written = write(&mut out).and_then(|()| out.flush());
    // What is left in the buffer would be written, and fail again, when it is dropped.
    let _ = out.into_parts();
    written
}

/// Writes a new file beside the old one and puts it in its place.
fn replaced(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As of any file that is made; the user's mask is taken off.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    // Messages of its own would name the temporary file.
    let plain = |problem: io::Error| io::Error::other(reason(&problem));
    let mut file = builder.tempfile_in(folder).map_err(plain)?;
    buffered(file.as_file_mut(), write)?;
    file.persist(path).map_err(|problem| problem.error)?;
    Ok(())
}

/// Prints an error that has no place in a file.
pub fn error(text: &str) {
    say(Level::ERROR, text);
}

/// Prints a warning that has no place in a file.
pub fn warning(text: &str) {
    say(Level::WARNING, text);
}

/// Prints a remark.
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
    // Nobody is left to tell if this fails.
    let _ = writeln!(io::stderr(), "{line}");
}

/// For pictures on standard output: with colours if that is wanted there.
pub fn stdout_renderer() -> Renderer {
    renderer(
        anstream::AutoStream::choice(&io::stdout()),
        io::stdout().is_terminal(),
    )
}

/// For pictures on standard error.
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
