//! Compares the trees of the compiler's parser with those of a tree-sitter grammar.

use std::fs;
use std::path::Path;

use syntax::{Diagnostic, Dialect, codes};
use tree_sitter::{Language, Node, Parser, Tree};

use super::{Dump, cases, corpus, has_error};

/// The compiler's parser for a language, and the translation of concrete trees to its notation.
pub trait Compiler {
    /// Returns the file extension, without the dot.
    fn extension(&self) -> &'static str;

    /// Returns the items of a text with their documentation, or the first error.
    fn items(&self, text: &str) -> Result<Vec<String>, Diagnostic>;

    /// Returns the spans of all tokens that are neither white space nor comments.
    fn tokens(&self, text: &str) -> Vec<std::ops::Range<usize>>;

    /// Prints the items below the root of a tree without errors.
    fn dump(&self, text: &str, root: Node<'_>) -> Vec<String>;
}

impl Compiler for Dialect {
    fn extension(&self) -> &'static str {
        Dialect::extension(*self)
    }

    fn items(&self, text: &str) -> Result<Vec<String>, Diagnostic> {
        syntax::split(text)
            .into_iter()
            .map(|span| {
                let parsed = syntax::parse_in(&text[std::ops::Range::from(span)], *self);
                match parsed.diagnostics.first() {
                    Some(error) => Err(error.clone()),
                    None => {
                        let docs = parsed.item.docs.as_ref().map_or("", |docs| &docs.text);
                        Ok(format!("{docs:?} {}", super::sexpr::dump(&parsed.item)))
                    }
                }
            })
            .collect()
    }

    fn tokens(&self, text: &str) -> Vec<std::ops::Range<usize>> {
        syntax::lex_in(text, *self)
            .filter(|token| !token.kind.is_trivia())
            .map(|token| token.span.into())
            .collect()
    }

    fn dump(&self, text: &str, root: Node<'_>) -> Vec<String> {
        let dump = Dump::new(text);
        dump.file(root, &|node| dump.node(node))
    }
}

/// A grammar and the compiler's parser for the same language.
pub struct Equality<C> {
    language: Language,
    compiler: C,
}

impl<C: Compiler> Equality<C> {
    pub fn new(language: impl Into<Language>, compiler: C) -> Self {
        Equality {
            language: language.into(),
            compiler,
        }
    }

    fn parse(&self, text: &str) -> Tree {
        let mut parser = Parser::new();
        parser
            .set_language(&self.language)
            .expect("the versions fit");
        parser.parse(text, None).expect("no limit is set")
    }

    /// Returns the items of the grammar's tree in the compiler's notation.
    fn grammar(&self, text: &str) -> Result<Vec<String>, String> {
        let tree = self.parse(text);
        if has_error(tree.root_node()) {
            return Err(tree.root_node().to_sexp());
        }
        Ok(self.compiler.dump(text, tree.root_node()))
    }

    /// Compares both trees of a text; the error describes the difference.
    fn compare(&self, text: &str) -> Result<(), String> {
        match (self.compiler.items(text), self.grammar(text)) {
            (Ok(compiler), Ok(grammar)) if compiler == grammar => Ok(()),
            (Err(_), Err(_)) => Ok(()),
            (Err(error), Ok(_))
                if [codes::BAD_NUMBER, codes::TOO_DEEP, codes::BAD_ANNOTATION]
                    .contains(&error.code) =>
            {
                Ok(())
            }
            // The grammar does not know which names are types.
            (Err(error), Ok(_)) if error.message.starts_with("the size of an array must come") => {
                Ok(())
            }
            (compiler, grammar) => Err(format!("compiler {compiler:#?}\ngrammar {grammar:#?}")),
        }
    }

    /// Compares the trees of every file of the language below these folders of the repository;
    /// returns the number of files.
    pub fn on_files(&self, folders: &[&str]) -> usize {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut files = 0;
        for folder in folders {
            for entry in ignore::Walk::new(root.join(folder)).flatten() {
                if entry
                    .path()
                    .extension()
                    .is_none_or(|extension| extension != self.compiler.extension())
                {
                    continue;
                }
                let Ok(text) = fs::read_to_string(entry.path()) else {
                    continue;
                };
                files += 1;
                if let Err(difference) = self.compare(&text) {
                    panic!("{}\n{difference}", entry.path().display());
                }
            }
        }
        files
    }

    /// Compares the trees of every case of the corpus.
    pub fn on_cases(&self) {
        for file in corpus() {
            let text = fs::read_to_string(&file).expect("a text");
            for case in cases(&text) {
                if let Err(difference) = self.compare(&case.source) {
                    panic!("{}: {}\n{difference}", file.display(), case.name);
                }
            }
        }
    }

    /// Compares the trees of correct programs.
    pub fn on_right(&self, texts: &[&str]) {
        let mut differences = Vec::new();
        for text in texts {
            if let Err(error) = self.compiler.items(text) {
                differences.push(format!("the compiler does not take {text}\n{error:?}"));
            } else if let Err(difference) = self.compare(text) {
                differences.push(format!("{text}\n{difference}"));
            }
        }
        assert!(differences.is_empty(), "{}", differences.join("\n\n"));
    }

    /// Asserts that both parsers reject these programs.
    pub fn on_wrong(&self, texts: &[&str]) {
        let mut taken = Vec::new();
        for text in texts {
            if self.compiler.items(text).is_ok() {
                taken.push(format!("the compiler takes {text}"));
            }
            if self.grammar(text).is_ok() {
                taken.push(format!("the grammar takes {text}"));
            }
        }
        assert!(taken.is_empty(), "{}", taken.join("\n"));
    }

    /// Removes each token of correct programs in turn: both parsers must accept or reject the rest.
    pub fn with_a_token_missing(&self, texts: &[&str]) {
        let mut differences = Vec::new();
        for text in texts {
            for span in self.compiler.tokens(text) {
                let cut = format!("{} {}", &text[..span.start], &text[span.end..]);
                if let Err(difference) = self.compare(&cut) {
                    differences.push(format!("{cut}\n{difference}"));
                }
            }
        }
        assert!(differences.is_empty(), "{}", differences.join("\n\n"));
    }
}
