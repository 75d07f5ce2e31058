//! The compiler's parser and this grammar read every text as the same tree; in terms they differ on
//! purpose where those of RISE do.

#[path = "../../common/support/mod.rs"]
mod support;

mod words;

use std::ops::Range;

use support::{Compiler, Equality};
use syntax::{Diagnostic, Severity, elevate};
use tree_sitter::Node;

struct Elevate;

impl Compiler for Elevate {
    fn extension(&self) -> &'static str {
        "elevate"
    }

    fn items(&self, text: &str) -> Result<Vec<String>, Diagnostic> {
        elevate::split(text)
            .into_iter()
            .map(|span| {
                let parsed = elevate::parse(&text[Range::from(span)]);
                let is_error = |diagnostic: &Diagnostic| diagnostic.severity == Severity::Error;
                match parsed.diagnostics.into_iter().find(is_error) {
                    Some(error) => Err(error),
                    None => {
                        let docs = parsed.item.docs.as_ref().map_or("", |docs| &docs.text);
                        Ok(format!("{docs:?} {}", elevate::dump(&parsed.item)))
                    }
                }
            })
            .collect()
    }

    fn tokens(&self, text: &str) -> Vec<Range<usize>> {
        elevate::lex(text)
            .filter(|token| !token.kind.is_trivia())
            .map(|token| token.span.into())
            .collect()
    }

    fn dump(&self, text: &str, root: Node<'_>) -> Vec<String> {
        words::items(text, root)
    }
}

fn elevate() -> Equality<Elevate> {
    Equality::new(tree_sitter_elevate::LANGUAGE, Elevate)
}

#[test]
fn on_every_file_of_the_repository() {
    let files = elevate().on_files(&["examples", "tests", "crates"]);
    assert!(files > 20, "only {files} files were found");
}

#[test]
fn on_every_corpus_case() {
    elevate().on_cases();
}
