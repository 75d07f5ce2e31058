//! Implements `rise-ls explain`, which prints the reference text of a diagnostic.

use super::{BAD_USAGE, SUCCESS, output};
use db::codes;
use std::io::Write;
use syntax::Code;

/// Prints the reference text of the diagnostic `code`, and returns the exit status. If there is no
/// such diagnostic, prints an error and the list of all codes.
pub fn run(code: &str) -> u8 {
    let wanted = code.trim();
    // The code may be copied from a message: `error[size-mismatch]:`.
    let wanted = wanted.split_once('[').map_or(wanted, |(_, rest)| {
        rest.trim_end_matches(':').trim_end_matches(']')
    });
    let wanted = wanted.to_lowercase().replace('_', "-");
    let Some(code) = codes::all()
        .into_iter()
        .find(|code| code.as_str() == wanted)
    else {
        return unknown(&wanted);
    };
    output::result(SUCCESS, |out| {
        let (name, title) = (code.as_str(), code.title());
        writeln!(
            out,
            "{name}: {title}\n\n{}",
            without_fences(&code.explanation())
        )
    })
}

fn unknown(wanted: &str) -> u8 {
    let codes = codes::all().into_iter().map(Code::as_str);
    output::error(&format!("there is no diagnostic `{wanted}`"));
    if let Some(close) = rise::closest(wanted, codes.clone()) {
        output::note(&format!("did you mean `{close}`?"));
    }
    output::note(&format!(
        "the diagnostics are:\n{}",
        codes.collect::<Vec<_>>().join("\n")
    ));
    BAD_USAGE
}

/// Converts fenced code blocks of Markdown to indented ones. A block whose fence names a file is
/// preceded by a comment with that name.
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
        for code in codes::all() {
            let (name, title, body) = (code.as_str(), code.title(), code.explanation());
            assert!(title.ends_with('.'), "{name}: title {title:?}");
            let bytes = body.len();
            assert!(bytes > 150, "{name}: {bytes} bytes are no explanation");
            if code != codes::INTERNAL {
                let has = |words: [&str; 2]| words.iter().any(|word| body.contains(word));
                assert!(has([" wrong", " slow"]), "{name}: no wrong example");
                assert!(has([" right", " fast"]), "{name}: no right example");
            }
        }
    }

    #[test]
    fn code_is_indented_and_names_its_file() {
        let text = without_fences("Wrong:\n\n```rise wrong file=b.rise\ndef x = 1\n```\nText.");
        assert_eq!(text, "Wrong:\n\n    // b.rise\n    def x = 1\nText.");
    }
}
