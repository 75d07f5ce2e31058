//! Defines the two dialects of the syntax, RISE and DPIA.

/// The language of a text that is RISE or DPIA. A text is split into the same items in both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dialect {
    /// RISE, `*.rise`.
    #[default]
    Rise,
    /// DPIA, `*.dpia`: RISE with the types of phrases and with commands.
    Dpia,
}

impl Dialect {
    /// All dialects.
    pub const ALL: &'static [Dialect] = &[Dialect::Rise, Dialect::Dpia];

    /// Returns the name of the language.
    pub const fn name(self) -> &'static str {
        match self {
            Dialect::Rise => "RISE",
            Dialect::Dpia => "DPIA",
        }
    }

    /// Returns the file extension, without the dot.
    pub const fn extension(self) -> &'static str {
        match self {
            Dialect::Rise => "rise",
            Dialect::Dpia => "dpia",
        }
    }

    /// Returns the dialect of files with this extension, which has no dot; `None` if neither
    /// dialect has it.
    pub fn from_extension(extension: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|dialect| dialect.extension() == extension)
    }
}
