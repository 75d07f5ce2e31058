//! Writing: results to standard output, everything else to standard error.

use super::UNUSABLE;
use annotate_snippets::{Level, Renderer};
use anstream::ColorChoice;
use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};

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

/// Prints an error that has no place in a file.
pub fn error(text: &str) {
    say(Level::ERROR, text);
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
