//! Prints results to standard output, and messages to standard error.

use super::BAD_USAGE;
use crate::loader::reason;
use annotate_snippets::{Level, Renderer};
use anstream::ColorChoice;
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};
use std::path::Path;

/// The line width in columns for output that is not a terminal, and for a terminal whose width is
/// unknown.
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

/// Writes a file atomically. Standard output and a path that is not a regular file, such as a pipe
/// or a device, are written directly. An error is printed, and returned as an exit status.
pub fn to_file(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), u8> {
    let written = match opened(path) {
        Some(file) => file.and_then(|mut file| buffered(&mut file, write)),
        None => replace(path, write),
    };
    written.map_err(|problem| {
        error(&format!("{}: {}", path.display(), reason(&problem)));
        BAD_USAGE
    })
}

/// Opens a path for writing, unless it is that of a regular file or of no file, which can be
/// replaced or created; for those returns `None`.
fn opened(path: &Path) -> Option<io::Result<File>> {
    if let Some(out) = standard_output(path) {
        return Some(Ok(out));
    }
    match path.metadata() {
        Ok(known) if known.is_file() => None,
        Ok(_) => Some(File::options().write(true).open(path)),
        // The target of a symbolic link is created, if its folder exists.
        Err(_) if path.is_symlink() => Some(File::create(path)),
        Err(_) => None,
    }
}

/// Returns standard output if the path is another name of it, such as `/dev/stdout`.
#[cfg(unix)]
fn standard_output(path: &Path) -> Option<File> {
    use std::os::fd::AsFd;
    use std::os::unix::fs::MetadataExt;
    let out = File::from(io::stdout().as_fd().try_clone_to_owned().ok()?);
    let (found, own) = (path.metadata().ok()?, out.metadata().ok()?);
    ((found.dev(), found.ino()) == (own.dev(), own.ino())).then_some(out)
}

#[cfg(not(unix))]
fn standard_output(_path: &Path) -> Option<File> {
    None
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

/// Replaces the content of a file atomically, or creates the file: after a failure it has either
/// the old content or the new one. The permissions of the file stay. For a symbolic link, its
/// target is replaced.
///
/// # Errors
/// Fails if the file cannot be written, or is read-only.
pub fn replace(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let known = path.canonicalize();
    let permissions = match &known {
        Ok(path) => Some(path.metadata()?.permissions()),
        Err(_) => None,
    };
    if (permissions.as_ref()).is_some_and(|permissions| permissions.readonly()) {
        return Err(io::Error::other("the file is read-only"));
    }
    let path = known.as_deref().unwrap_or(path);
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".rise-ls-");
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
    if let Some(permissions) = permissions {
        file.as_file().set_permissions(permissions)?;
    }
    // Some errors, such as a full disk, are only reported here.
    file.as_file().sync_all()?;
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
