//! Error recovery for import paths that are not in double quotes.

use super::Parser;
use crate::lexer::TokenKind;
use crate::{Diagnostic, Fix, Span};

impl Parser<'_> {
    /// Reports an import whose path is not in double quotes, such as `import library`, `import
    /// library.rise` or `import <library.rise>`.
    pub(crate) fn path_without_quotes(&mut self) {
        let first = self.token();
        if self.slice(first.span) == "<" && self.path_in_other_quotes(first.span) {
            return;
        }
        let is_name = first.kind == TokenKind::Ident;
        if !is_name || self.error.is_some() {
            return self.expected("a path in quotes");
        }
        self.skip_to_end();
        let span = self.since(first.span.start);
        let text = self.slice(span);
        let is_path = !text.contains(char::is_whitespace);
        let path = match text.ends_with(".rise") {
            true => format!("\"{text}\""),
            false => format!("\"{text}.rise\""),
        };
        let message = format!("expected the path of a file in quotes, as in `import {path}`");
        let error = Diagnostic::syntax(first.span, message);
        self.report(error.with_fix(is_path.then(|| Fix::write(span, path))));
    }

    /// Reports a path in quotes of another kind, of which the opening one is given: `import
    /// 'library.rise'`. Returns false if there is no such path.
    pub(crate) fn path_in_other_quotes(&mut self, open: Span) -> bool {
        let closers: &[char] = match self.slice(open) {
            "'" | "‘" => &['\'', '’'],
            "“" | "„" | "”" => &['“', '”', '"'],
            "`" => &['`'],
            "<" => &['>'],
            _ => return false,
        };
        let rest = self.text.get(open.end as usize..).unwrap_or_default();
        let line = rest.lines().next().unwrap_or_default();
        let Some((path, closer)) = line
            .find(closers)
            .map(|end| line.split_at(end))
            .filter(|(path, _)| !path.is_empty() && !path.contains(['"', '\\']))
        else {
            return false;
        };
        let width = closer.chars().next().map_or(0, char::len_utf8);
        let span = Span::new(open.start, open.end + (path.len() + width) as u32);
        let written = format!("\"{path}\"");
        let message = format!("the path of a file must be in double quotes: write `{written}`");
        self.report(Diagnostic::syntax(span, message).write(span, written));
        true
    }
}
