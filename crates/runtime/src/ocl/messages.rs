//! Parses the build logs of OpenCL drivers.

use crate::cc::messages::{SEVERITIES, after_location, located, unique};
use crate::cc::{Message, Severity};

/// Returns the messages of a build log that have a location in the program, without duplicates.
///
/// Drivers differ in the file name of the program (`<kernel>`, `input.cl`, a temporary file), and
/// in the order of the severity and the location. Lines and columns are those of the text, from 1.
pub fn parse(log: &str) -> Vec<Message> {
    unique(log, |line| {
        after_location(line).or_else(|| before_location(line))
    })
}

/// Returns the text of the first error of a build log, or the whole log if it has none. For an
/// empty log, returns a text that no reason is given.
pub(super) fn first_error(log: &str) -> String {
    let all = parse(log);
    let first = all
        .iter()
        .find(|message| message.severity == Severity::Error);
    match first {
        Some(message) => message.text.clone(),
        None if log.trim().is_empty() => "it does not say why".to_owned(),
        None => log.trim().to_owned(),
    }
}

/// Returns the name of an undefined function that the program calls; `None` if the log has none.
pub fn unresolved(log: &str) -> Option<&str> {
    const WORDS: [&str; 3] = [
        "Cannot find symbol ",
        "Unresolved extern function '",
        "undefined symbol: ",
    ];
    log.lines().find_map(|line| {
        let rest = WORDS
            .iter()
            .find_map(|words| Some(line.split_once(words)?.1))?;
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        rest.get(..end).filter(|name| !name.is_empty())
    })
}

/// Parses a message with the severity before the location: `error: /tmp/x.cl:3:5: text`. Returns
/// `None` for other lines.
fn before_location(line: &str) -> Option<Message> {
    let line = line.trim_start();
    let (rest, severity) = SEVERITIES
        .iter()
        .find_map(|(word, severity)| Some((line.strip_prefix(word)?, *severity)))?;
    let (location, text) = rest.split_once(": ")?;
    located(location, severity, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(log: &str) -> Vec<String> {
        let show = |m: Message| {
            format!(
                "{}:{}:{} {:?} {}",
                m.file, m.line, m.column, m.severity, m.text
            )
        };
        parse(log).into_iter().map(show).collect()
    }

    #[test]
    fn places_are_read_from_the_logs_of_drivers() {
        let nvidia = "<kernel>:5:10: error: use of undeclared identifier 'x'\n  y = x;\n      ^\n";
        assert_eq!(
            shown(nvidia),
            ["<kernel>:5:10 Error use of undeclared identifier 'x'"]
        );
        let pocl = "1 warning and 1 error generated.\nerror: /c/tempfile_1.cl:4:20: use of undeclared identifier 'b'\nwarning: /c/tempfile_1.cl:3:7: unused variable 'a'\nerror: /c/tempfile_1.cl:4:20: use of undeclared identifier 'b'\n";
        assert_eq!(
            shown(pocl),
            [
                "/c/tempfile_1.cl:4:20 Error use of undeclared identifier 'b'",
                "/c/tempfile_1.cl:3:7 Warning unused variable 'a'"
            ]
        );
        assert_eq!(
            shown(
                "input.cl:2:1: fatal error: too many errors emitted, stopping now: [-ferror-limit=]"
            ),
            ["input.cl:2:1 Error too many errors emitted, stopping now: [-ferror-limit=]"]
        );
    }

    #[test]
    fn functions_that_nobody_has_are_named() {
        let pocl = "Error(s) while linking: \nCannot find symbol nowhere in kernel library\n";
        assert_eq!(unresolved(pocl), Some("nowhere"));
        let nvidia = "ptxas fatal   : Unresolved extern function 'nowhere'\n";
        assert_eq!(unresolved(nvidia), Some("nowhere"));
        assert_eq!(unresolved("Cannot find symbol "), None);
    }

    #[test]
    fn a_log_without_places_is_shown_as_it_is() {
        assert_eq!(
            first_error("ptxas: out of shared memory\n"),
            "ptxas: out of shared memory"
        );
        assert_eq!(first_error(" \n"), "it does not say why");
    }
}
