//! What each word of the text is, for colouring.

use db::{Database, FileId};
use syntax::Span;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TokenType {
    /// `def`, `fun`, …
    Keyword,
    /// A comment.
    Comment,
    /// A string, or a C body.
    String,
    /// A number.
    Number,
    /// An operator.
    Operator,
    /// A function.
    Function,
    /// A parameter of a `fun`.
    Parameter,
    /// A `let` name, or a definition of data.
    Variable,
    /// A size, type or other type-level name.
    TypeParameter,
    /// A scalar type, type constructor or kind.
    Type,
    /// An address space.
    EnumMember,
    /// `_1`, `_2`
    Property,
    /// `@run` and the like.
    Decorator,
}

impl TokenType {
    /// All of them; a token's number is its place here.
    pub const ALL: [TokenType; 13] = [
        TokenType::Keyword,
        TokenType::Comment,
        TokenType::String,
        TokenType::Number,
        TokenType::Operator,
        TokenType::Function,
        TokenType::Parameter,
        TokenType::Variable,
        TokenType::TypeParameter,
        TokenType::Type,
        TokenType::EnumMember,
        TokenType::Property,
        TokenType::Decorator,
    ];

    /// The name that editors know it by.
    pub const fn as_str(self) -> &'static str {
        match self {
            TokenType::Keyword => "keyword",
            TokenType::Comment => "comment",
            TokenType::String => "string",
            TokenType::Number => "number",
            TokenType::Operator => "operator",
            TokenType::Function => "function",
            TokenType::Parameter => "parameter",
            TokenType::Variable => "variable",
            TokenType::TypeParameter => "typeParameter",
            TokenType::Type => "type",
            TokenType::EnumMember => "enumMember",
            TokenType::Property => "property",
            TokenType::Decorator => "decorator",
        }
    }
}

/// A set of modifiers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Modifiers(pub u32);

impl Modifiers {
    /// The name is defined here.
    pub const DECLARATION: Modifiers = Modifiers(1 << 0);
    /// A primitive or the standard library.
    pub const DEFAULT_LIBRARY: Modifiers = Modifiers(1 << 1);
    /// A doc comment.
    pub const DOCUMENTATION: Modifiers = Modifiers(1 << 2);
    /// The address space `Global`.
    pub const GLOBAL: Modifiers = Modifiers(1 << 3);
    /// The address space `Local`.
    pub const LOCAL: Modifiers = Modifiers(1 << 4);
    /// The address space `Private`.
    pub const PRIVATE: Modifiers = Modifiers(1 << 5);
    /// The address space `Constant`.
    pub const CONSTANT: Modifiers = Modifiers(1 << 6);

    /// The names of the bits, from bit 0.
    pub const NAMES: [&'static str; 7] =
        ["declaration", "defaultLibrary", "documentation", "global", "local", "private", "constant"];

    /// Both.
    #[must_use]
    pub const fn with(self, other: Modifiers) -> Modifiers {
        Modifiers(self.0 | other.0)
    }
}

/// A coloured stretch of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Token {
    /// Where; comments, strings and C bodies may span lines.
    pub span: Span,
    /// What it is.
    pub ty: TokenType,
    /// And what else.
    pub modifiers: Modifiers,
}

/// The tokens of `file` that touch `range` (all of them without one), in order, without overlap.
pub fn semantic_tokens(db: &Database, file: FileId, range: Option<Span>) -> Vec<Token> {
    let _ = (db, file, range);
    Vec::new()
}
