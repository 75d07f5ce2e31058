//! The languages of files, and the operations on texts that depend on them.

use syntax::{Diagnostic, Dialect, Edit, Resplit, Span, elevate};

/// The language of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// Programs in RISE, `*.rise`.
    #[default]
    Rise,
    /// Programs in DPIA, `*.dpia`.
    Dpia,
    /// Strategies in ELEVATE, `*.elevate`.
    Elevate,
}

impl Language {
    /// All languages.
    pub const ALL: &'static [Language] = &[Language::Rise, Language::Dpia, Language::Elevate];

    /// Returns the name of the language.
    pub const fn name(self) -> &'static str {
        match self {
            Language::Rise => Dialect::Rise.name(),
            Language::Dpia => Dialect::Dpia.name(),
            Language::Elevate => "ELEVATE",
        }
    }

    /// Returns the extension of the files in this language, without the dot.
    pub const fn extension(self) -> &'static str {
        match self {
            Language::Rise => Dialect::Rise.extension(),
            Language::Dpia => Dialect::Dpia.extension(),
            Language::Elevate => "elevate",
        }
    }

    /// Returns the language of files with this extension, which is given without the dot; `None` if
    /// there is none.
    pub fn from_extension(extension: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|language| language.extension() == extension)
    }

    /// Returns the dialect of the terms in this language; the terms in patterns and examples of
    /// ELEVATE are RISE.
    pub const fn dialect(self) -> Dialect {
        match self {
            Language::Rise | Language::Elevate => Dialect::Rise,
            Language::Dpia => Dialect::Dpia,
        }
    }

    /// Returns the languages of the files that a file in this language can import: strategies refer
    /// to programs in RISE, and definitions in RISE name the strategies that lower them.
    pub const fn imports(self) -> &'static [Language] {
        match self {
            Language::Rise => &[Language::Rise, Language::Elevate],
            Language::Dpia => &[Language::Dpia],
            Language::Elevate => &[Language::Elevate, Language::Rise],
        }
    }
}

/// Operations on texts.
impl Language {
    /// Splits a text into items, and returns their ranges.
    pub fn split(self, text: &str) -> Vec<Span> {
        match self {
            Language::Rise | Language::Dpia => syntax::split(text),
            Language::Elevate => elevate::split(text),
        }
    }

    /// Computes the change of the items, whose ranges were `old`, by an edit. `len` is the length
    /// of the new text in bytes, and `read` returns parts of it.
    pub(crate) fn resplit(
        self,
        old: &[Span],
        edit: Edit,
        len: u32,
        read: &dyn Fn(Span) -> String,
    ) -> Resplit {
        match self {
            Language::Rise | Language::Dpia => syntax::resplit(old, edit, len, read),
            Language::Elevate => elevate::resplit(old, edit, len, read),
        }
    }

    /// Returns the diagnostics of the syntax of an item with this text. Ranges are relative to it.
    pub fn mistakes(self, item: &str) -> Vec<Diagnostic> {
        match self {
            Language::Rise | Language::Dpia => syntax::parse_in(item, self.dialect()).diagnostics,
            Language::Elevate => elevate::parse(item).diagnostics,
        }
    }

    /// Formats a text; items with syntax errors stay as they are.
    pub fn format(self, text: &str) -> String {
        match self {
            Language::Rise | Language::Dpia => syntax::format_in(text, self.dialect()),
            Language::Elevate => elevate::format(text),
        }
    }

    /// Formats an item, with `newline` as its line ending; an item with syntax errors stays as it
    /// is.
    pub fn format_item(self, text: &str, newline: &str) -> String {
        match self {
            Language::Rise | Language::Dpia => {
                syntax::format_item_in(text, newline, self.dialect())
            }
            Language::Elevate => elevate::format_item(text, newline),
        }
    }
}

impl From<Dialect> for Language {
    fn from(dialect: Dialect) -> Self {
        match dialect {
            Dialect::Rise => Language::Rise,
            Dialect::Dpia => Language::Dpia,
        }
    }
}
