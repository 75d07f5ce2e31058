//! The languages that are written in this syntax.

/// Which language a text is in. The items of a file are the same in each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dialect {
    /// RISE, `*.rise`.
    #[default]
    Rise,
    /// DPIA, `*.dpia`: RISE with the types of phrases and with commands.
    Dpia,
}

impl Dialect {
    /// All of them.
    pub const ALL: &'static [Dialect] = &[Dialect::Rise, Dialect::Dpia];

    /// What the language is called.
    pub const fn name(self) -> &'static str {
        match self {
            Dialect::Rise => "RISE",
            Dialect::Dpia => "DPIA",
        }
    }

    /// How its files end, without the dot.
    pub const fn extension(self) -> &'static str {
        match self {
            Dialect::Rise => "rise",
            Dialect::Dpia => "dpia",
        }
    }

    /// The one whose files end so; `extension` comes without the dot.
    pub fn from_extension(extension: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|dialect| dialect.extension() == extension)
    }
}
