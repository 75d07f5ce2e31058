//! What files are written in.

use syntax::{Diagnostic, Dialect, Edit, Resplit, Span, elevate};

/// What a file is written in.
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
    /// All of them.
    pub const ALL: &'static [Language] = &[Language::Rise, Language::Dpia, Language::Elevate];

    /// What the language is called.
    pub const fn name(self) -> &'static str {
        match self {
            Language::Rise => Dialect::Rise.name(),
            Language::Dpia => Dialect::Dpia.name(),
            Language::Elevate => "ELEVATE",
        }
    }

    /// How its files end, without the dot.
    pub const fn extension(self) -> &'static str {
        match self {
            Language::Rise => Dialect::Rise.extension(),
            Language::Dpia => Dialect::Dpia.extension(),
            Language::Elevate => "elevate",
        }
    }

    /// The one whose files end so; `extension` comes without the dot.
    pub fn from_extension(extension: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|language| language.extension() == extension)
    }

    /// What the terms in it are written in: the patterns and examples of ELEVATE are RISE.
    pub const fn dialect(self) -> Dialect {
        match self {
            Language::Rise | Language::Elevate => Dialect::Rise,
            Language::Dpia => Dialect::Dpia,
        }
    }

    /// What a file in it may import: strategies speak of programs in RISE, and definitions in RISE
    /// name the strategies that lower them.
    pub const fn imports(self) -> &'static [Language] {
        match self {
            Language::Rise => &[Language::Rise, Language::Elevate],
            Language::Dpia => &[Language::Dpia],
            Language::Elevate => &[Language::Elevate, Language::Rise],
        }
    }
}

/// Texts.
impl Language {
    /// The items of a text.
    pub fn split(self, text: &str) -> Vec<Span> {
        match self {
            Language::Rise | Language::Dpia => syntax::split(text),
            Language::Elevate => elevate::split(text),
        }
    }

    /// How an edit changes the items of a text: `len` is how long it is now, `read` gives its parts.
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

    /// What the parser has to say about an item. Spans are relative to it.
    pub fn mistakes(self, item: &str) -> Vec<Diagnostic> {
        match self {
            Language::Rise | Language::Dpia => syntax::parse_in(item, self.dialect()).diagnostics,
            Language::Elevate => elevate::parse(item).diagnostics,
        }
    }

    /// The text, formatted; items with mistakes of syntax stay as they are.
    pub fn format(self, text: &str) -> String {
        match self {
            Language::Rise | Language::Dpia => syntax::format_in(text, self.dialect()),
            Language::Elevate => elevate::format(text),
        }
    }

    /// An item, formatted, its lines ended with `newline`; one with mistakes stays as it is.
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
