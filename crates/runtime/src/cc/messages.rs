//! Parses the messages of C compilers.

/// A message of a C compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The file, where `program.c` is the generated text; empty for messages without a location,
    /// such as those of the linker.
    pub file: String,
    /// The line, from 1; 0 if the message has no location.
    pub line: u32,
    /// The column in bytes, from 1; 0 if the message has no location.
    pub column: u32,
    /// The severity.
    pub severity: Severity,
    /// The text of the message.
    pub text: String,
}

impl Message {
    /// Returns the name of the function that the linker did not find; `None` for other messages.
    pub fn not_linked(&self) -> Option<&str> {
        let name = self.text.strip_prefix("no function `")?;
        name.strip_suffix("` is linked")
    }
}

/// The severity of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// An error, which prevents the compilation.
    Error,
    /// A warning, which does not prevent the compilation.
    Warning,
    /// A note on the previous message.
    Note,
}

/// The words before the text of a message, with the severities that they stand for.
pub(crate) const SEVERITIES: [(&str, Severity); 4] = [
    ("fatal error: ", Severity::Error),
    ("error: ", Severity::Error),
    ("warning: ", Severity::Warning),
    ("note: ", Severity::Note),
];

/// Parses the output of GCC or Clang: messages with a location, errors without a location, and
/// undefined references that the linker reports. Omits duplicates.
pub fn parse(output: &str) -> Vec<Message> {
    unique(output, |line| {
        after_location(line).or_else(|| unplaced(line))
    })
}

/// Returns the messages that `parse` finds in the lines of a text, without duplicates.
pub(crate) fn unique(text: &str, parse: impl Fn(&str) -> Option<Message>) -> Vec<Message> {
    let mut messages: Vec<Message> = Vec::new();
    for message in text.lines().filter_map(parse) {
        if !messages.contains(&message) {
            messages.push(message);
        }
    }
    messages
}

/// Parses a message with the severity after the location: `program.c:3:5: error: text`. Returns
/// `None` for other lines.
pub(crate) fn after_location(line: &str) -> Option<Message> {
    let (location, severity, text) = split_severity(line)?;
    located(location, severity, text)
}

/// Returns a message with a location of the form `file:line:column`, or `None` if the location does
/// not have this form.
pub(crate) fn located(location: &str, severity: Severity, text: &str) -> Option<Message> {
    let mut parts = location.rsplitn(3, ':');
    let (column, line, file) = (parts.next()?, parts.next()?, parts.next()?);
    Some(Message {
        file: file.trim().trim_start_matches("./").to_owned(),
        line: line.trim().parse().ok()?,
        column: column.trim().parse().ok()?,
        severity,
        text: text.trim().to_owned(),
    })
}

fn split_severity(line: &str) -> Option<(&str, Severity, &str)> {
    let found = SEVERITIES.iter().filter_map(|(word, severity)| {
        let at = line.find(&format!(": {word}"))?;
        Some((at, word.len() + 2, *severity))
    });
    let (at, length, severity) = found.min_by_key(|(at, ..)| *at)?;
    Some((&line[..at], severity, line.get(at + length..)?))
}

/// Parses an undefined reference (`` …: undefined reference to `f' ``) or an error without a
/// location (`cc: error: text`). Returns `None` for other lines, and if the error only says that
/// the linker has failed.
fn unplaced(line: &str) -> Option<Message> {
    let text = if let Some(at) = line.find("undefined reference to ") {
        let name = line[at..].trim_start_matches("undefined reference to ");
        format!(
            "no function `{}` is linked",
            name.trim_matches(['`', '\'', '‘', '’', '"'])
        )
    } else {
        let (_, severity, text) = split_severity(line)?;
        if severity != Severity::Error
            || text.contains("ld returned")
            || text.starts_with("linker command failed")
        {
            return None;
        }
        text.to_owned()
    };
    Some(Message {
        file: String::new(),
        line: 0,
        column: 0,
        severity: Severity::Error,
        text,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(output: &str) -> Vec<String> {
        let show = |m: Message| {
            format!(
                "{}:{}:{} {:?} {}",
                m.file, m.line, m.column, m.severity, m.text
            )
        };
        parse(output).into_iter().map(show).collect()
    }

    #[test]
    fn messages_have_places() {
        let gcc = "program.c: In function 'f':\nprogram.c:3:5: error: 'x' undeclared (first use)\n    3 |     x;\n      |     ^\nprogram.c:3:5: note: each undeclared: once\nprogram.c:7:1: warning: control reaches end [-Wreturn-type]\n";
        assert_eq!(
            shown(gcc),
            [
                "program.c:3:5 Error 'x' undeclared (first use)",
                "program.c:3:5 Note each undeclared: once",
                "program.c:7:1 Warning control reaches end [-Wreturn-type]",
            ]
        );
    }

    #[test]
    fn the_linker_is_understood() {
        let ld = "/usr/bin/ld: /tmp/x.o: in function `f':\nprogram.c:(.text+0x5): undefined reference to `g'\ncollect2: error: ld returned 1 exit status\n";
        assert_eq!(shown(ld), [":0:0 Error no function `g` is linked"]);
        assert_eq!(
            shown("clang: error: unsupported option '-fopenmp'\n"),
            [":0:0 Error unsupported option '-fopenmp'"]
        );
    }
}
