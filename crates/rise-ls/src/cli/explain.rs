//! Implements `rise-ls explain`, which prints the reference text of a diagnostic.

use super::{FINE, UNUSABLE, output};
use std::io::Write;
use syntax::Code;

/// The error reference: a section for every code, in the order of [`Code::ALL`].
const REFERENCE: &str = include_str!("../../../../docs/errors.md");

/// The section of the reference about a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The first paragraph, one sentence.
    pub title: &'static str,
    /// The text after the title, in Markdown.
    pub body: &'static str,
}

/// Returns the section about `code`.
pub fn entry(code: Code) -> Entry {
    let named = |section: &&str| section.lines().next() == Some(code.as_str());
    let section = REFERENCE
        .split("\n## ")
        .skip(1)
        .find(named)
        .unwrap_or_default();
    let text = section.split_once('\n').map_or("", |(_, text)| text).trim();
    let (title, body) = text.split_once("\n\n").unwrap_or((text, ""));
    Entry {
        title,
        body: body.trim(),
    }
}

/// Prints the section about `code`, and returns the exit status.
pub fn run(code: &str) -> u8 {
    let wanted = code.trim();
    // The code may be copied from a message: `error[size-mismatch]:`.
    let wanted = wanted.split_once('[').map_or(wanted, |(_, rest)| {
        rest.trim_end_matches(':').trim_end_matches(']')
    });
    let wanted = wanted.to_lowercase().replace('_', "-");
    let Some(&code) = Code::ALL.iter().find(|code| code.as_str() == wanted) else {
        return unknown(&wanted);
    };
    output::result(FINE, |out| {
        let Entry { title, body } = entry(code);
        writeln!(
            out,
            "{}: {title}\n\n{}",
            code.as_str(),
            without_fences(body)
        )
    })
}

fn unknown(wanted: &str) -> u8 {
    let codes = Code::ALL.iter().map(|code| code.as_str());
    output::error(&format!("there is no diagnostic `{wanted}`"));
    if let Some(close) = rise::closest(wanted, codes.clone()) {
        output::note(&format!("did you mean `{close}`?"));
    }
    output::note(&format!(
        "the diagnostics are:\n{}",
        codes.collect::<Vec<_>>().join("\n")
    ));
    UNUSABLE
}

/// Converts fenced code blocks of Markdown to indented ones, preceded by a comment with the file
/// name.
pub fn without_fences(markdown: &str) -> String {
    let mut lines = Vec::new();
    let mut code = false;
    for line in markdown.lines() {
        match (line.strip_prefix("```"), code) {
            (Some(info), false) => {
                code = true;
                if let Some((_, file)) = info.split_once("file=") {
                    lines.push(format!("    // {file}"));
                }
            }
            (Some(_), true) => code = false,
            (None, true) if !line.is_empty() => lines.push(format!("    {line}")),
            (None, _) => lines.push(line.to_owned()),
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_explained_with_examples() {
        for &code in Code::ALL {
            let Entry { title, body } = entry(code);
            assert!(
                title.ends_with('.') && !title.contains('\n'),
                "{}: title {title:?}",
                code.as_str()
            );
            assert!(
                body.len() > 150,
                "{}: {} bytes are no explanation",
                code.as_str(),
                body.len()
            );
            if code != Code::Internal {
                assert!(
                    body.contains(" wrong"),
                    "{}: no wrong example",
                    code.as_str()
                );
                assert!(
                    body.contains(" right"),
                    "{}: no right example",
                    code.as_str()
                );
            }
        }
    }

    #[test]
    fn the_reference_has_the_codes_in_order_and_no_others() {
        let headings: Vec<&str> = REFERENCE
            .split("\n## ")
            .skip(1)
            .map(|section| section.lines().next().unwrap_or_default())
            .collect();
        let codes: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(headings, codes);
    }

    #[test]
    fn code_is_indented_and_names_its_file() {
        let text = without_fences("Wrong:\n\n```rise wrong file=b.rise\ndef x = 1\n```\nText.");
        assert_eq!(text, "Wrong:\n\n    // b.rise\n    def x = 1\nText.");
    }
}
