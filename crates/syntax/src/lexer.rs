//! Splits a text of any of the languages into tokens. Every byte of the text is in exactly one
//! token, and no text is rejected.

pub(crate) mod elevate;

use crate::{Dialect, Span};
use elevate::{Combinator, Quotes, Word, own_token};
use unicode_ident::{is_xid_continue, is_xid_start};

/// A word, a number, a string, a symbol, a comment or a run of white space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Token {
    /// The kind of the token.
    pub kind: TokenKind,
    /// The span of the token.
    pub span: Span,
}

/// The kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TokenKind {
    /// A run of blanks, tabs, line ends, vertical tabs and form feeds; at the start of a file it
    /// may begin with a byte order mark.
    Whitespace,
    /// A line comment `// …`, also `////…`.
    LineComment,
    /// A doc comment `/// …` up to the end of the line.
    DocComment,
    /// A block comment `/* … */`, which does not nest.
    BlockComment,
    /// A block comment `/* …` without its end. It is not trivia: it is an error that is a part of
    /// an item.
    OpenComment,

    /// A name that is not a reserved word.
    Ident,
    /// The underscore `_`.
    Underscore,
    /// An integer, perhaps with a suffix: `3`, `3i32`, `1f16`; the suffix may be wrong (`3abc`).
    Int,
    /// A number with a point or exponent, perhaps with a suffix.
    Float,
    /// A string `"…"` on one line.
    String,
    /// A string `"…` without its end on this line.
    OpenString,
    /// A raw string `"""…"""`.
    RawString,
    /// A raw string `"""…` without its end.
    OpenRawString,

    /// The keyword `import`.
    Import,
    /// The keyword `def`.
    Def,
    /// The keyword `foreign`.
    Foreign,
    /// The keyword `let`.
    Let,
    /// The keyword `in`.
    In,
    /// The keyword `fun`.
    Fun,
    /// The keyword `depFun`.
    DepFun,
    /// The keyword `natFun`.
    NatFun,
    /// The keyword `dataFun`.
    DataFun,
    /// The keyword `true`.
    True,
    /// The keyword `false`.
    False,
    /// The keyword `if`, in DPIA; in ELEVATE it is a [`Word`].
    If,
    /// The keyword `else`, in DPIA; in ELEVATE it is a [`Word`].
    Else,
    /// The keyword `skip`, in DPIA.
    Skip,
    /// The name of a scalar type: `f32`, `natType`, …
    Scalar,
    /// The name of a kind: `Nat`, `DataType`, …
    Kind,
    /// A type constructor: `Array`, `Tuple`, `Vec`, `Idx` or `DepPair`.
    Constructor,
    /// An address space: `Global`, `Local`, `Private` or `Constant`.
    Address,
    /// A constructor of phrase types in DPIA: `Exp`, `Acc` or `Comm`.
    Phrase,
    /// An access in DPIA: `Rd`, `Wr` or `St`.
    Access,

    /// The token `(`.
    LParen,
    /// The token `)`.
    RParen,
    /// The token `[`.
    LBracket,
    /// The token `]`.
    RBracket,
    /// The token `{`.
    LBrace,
    /// The token `}`.
    RBrace,
    /// The token `,`.
    Comma,
    /// The token `:`.
    Colon,
    /// The token `;`, in DPIA; in RISE a `;` is unknown.
    Semicolon,
    /// The token `.`.
    Dot,
    /// The token `..`.
    DotDot,
    /// The token `=`.
    Equals,
    /// The token `=>`.
    FatArrow,
    /// The token `->`.
    Arrow,
    /// The token `@`, in RISE and DPIA.
    At,
    /// The token `|>`.
    Pipe,
    /// The token `<|`.
    ApplyLeft,
    /// The token `>>`.
    Then,
    /// The token `<<`.
    After,
    /// The token `||`.
    Or,
    /// The token `&&`.
    And,
    /// The token `==`.
    EqEq,
    /// The token `!=`.
    NotEq,
    /// The token `<`.
    Less,
    /// The token `<=`.
    LessEq,
    /// The token `>`.
    Greater,
    /// The token `>=`.
    GreaterEq,
    /// The token `+`.
    Plus,
    /// The token `-`.
    Minus,
    /// The token `*`.
    Star,
    /// The token `/`.
    Slash,
    /// The token `%`.
    Percent,
    /// The token `^`.
    Caret,
    /// The token `!`.
    Bang,
    /// The token `|`.
    Bar,

    /// A keyword of ELEVATE that RISE does not reserve.
    Word(Word),
    /// An operator between strategies, `;`, `;;`, `<+` or `@`, and its notation, in ELEVATE.
    Combinator(Combinator, Quotes),
    /// The `@` of an attribute in ELEVATE: it is adjacent to the name after it, and not to the
    /// token before it.
    Attribute,
    /// The arrow of a rule in ELEVATE, `|->` or `↦`.
    MapsTo,
    /// The operator `::`, in ELEVATE.
    Cons,
    /// A name in backquotes on one line, `` `a name` ``, in ELEVATE.
    Quoted,
    /// A backquote without a second one on its line, up to the end of the line, in ELEVATE.
    OpenQuote,
    /// A metavariable `?f`, in ELEVATE.
    Metavariable,

    /// A character that begins no token.
    Unknown,
    /// The end of the text; [`lex`] does not yield it, but the parser's token list ends with it.
    End,
}

impl TokenKind {
    /// Returns true for white space and comments, except a block comment without its end.
    pub const fn is_trivia(self) -> bool {
        matches!(
            self,
            TokenKind::Whitespace
                | TokenKind::LineComment
                | TokenKind::DocComment
                | TokenKind::BlockComment
        )
    }

    /// Returns true for a comment of any form.
    pub const fn is_comment(self) -> bool {
        matches!(
            self,
            TokenKind::LineComment
                | TokenKind::DocComment
                | TokenKind::BlockComment
                | TokenKind::OpenComment
        )
    }

    /// Returns true for `(`, `[` and `{`.
    pub fn opens_bracket(self) -> bool {
        use TokenKind::{LBrace, LBracket, LParen};
        matches!(self, LParen | LBracket | LBrace)
    }

    /// Returns true for `)`, `]` and `}`.
    pub fn closes_bracket(self) -> bool {
        use TokenKind::{RBrace, RBracket, RParen};
        matches!(self, RParen | RBracket | RBrace)
    }

    /// Returns true for a reserved word: keywords, `true` and `false`, and the words of types,
    /// kinds, address spaces and accesses.
    pub fn is_reserved(self) -> bool {
        let is_elevate = matches!(self, TokenKind::Word(_));
        is_elevate || (TokenKind::Import..=TokenKind::Access).contains(&self)
    }

    /// Returns true for a token that only ELEVATE has.
    pub(crate) fn is_elevate(self) -> bool {
        self > TokenKind::Bar && self < TokenKind::Unknown
    }
}

/// Returns the tokens of a RISE text, including trivia, in order and without gaps.
pub fn lex(text: &str) -> impl Iterator<Item = Token> {
    lex_in(text, Dialect::Rise)
}

/// Returns the tokens of a text in `dialect`, including trivia, in order and without gaps.
pub fn lex_in(text: &str, dialect: Dialect) -> impl Iterator<Item = Token> {
    Lexer::new(text, dialect.into(), true)
}

/// A language that a lexer reads.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    Rise,
    Dpia,
    Elevate,
}

impl From<Dialect> for Language {
    fn from(dialect: Dialect) -> Language {
        match dialect {
            Dialect::Rise => Language::Rise,
            Dialect::Dpia => Language::Dpia,
        }
    }
}

pub(crate) struct Lexer<'t> {
    text: &'t str,
    language: Language,
    pos: usize,
    /// True if a token that is not trivia ends at the current position; only the tokens of ELEVATE
    /// depend on it.
    touches: bool,
    /// True if a byte order mark at the start of the text is white space.
    file_start: bool,
}

/// The character classes of each byte, as a bit set.
const CLASS: [u8; 256] = classes();
const WORD_START: u8 = 1;
const WORD: u8 = 2;
const SPACE: u8 = 4;
const DIGIT: u8 = 8;

const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let b = byte as u8;
        table[byte] = match b {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => WORD_START | WORD,
            b'0'..=b'9' => WORD | DIGIT,
            b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c => SPACE,
            _ => 0,
        };
        byte += 1;
    }
    table
}

/// The kind of each byte that is a token of its own in RISE and DPIA, independent of the next one;
/// [`TokenKind::End`] for all other bytes.
const SINGLE: [TokenKind; 256] = singles();

const fn singles() -> [TokenKind; 256] {
    use TokenKind::*;
    let mut table = [End; 256];
    let tokens = [
        (b'(', LParen),
        (b')', RParen),
        (b'[', LBracket),
        (b']', RBracket),
        (b'{', LBrace),
        (b'}', RBrace),
        (b',', Comma),
        (b':', Colon),
        (b'@', At),
        (b'+', Plus),
        (b'*', Star),
        (b'%', Percent),
        (b'^', Caret),
    ];
    let mut at = 0;
    while at < tokens.len() {
        table[tokens[at].0 as usize] = tokens[at].1;
        at += 1;
    }
    table
}

const BYTE_ORDER_MARK: &str = "\u{feff}";

impl<'t> Lexer<'t> {
    /// Creates a lexer for a text. `file_start` is true if a byte order mark at its start is white
    /// space.
    pub(crate) fn new(text: &'t str, language: Language, file_start: bool) -> Self {
        Lexer {
            text,
            language,
            pos: 0,
            touches: false,
            file_start,
        }
    }

    /// Creates a lexer that reads every text as RISE, for uses in which the language makes no
    /// difference. `file_start` is true if a byte order mark at the start is white space.
    pub(crate) fn within(text: &'t str, file_start: bool) -> Self {
        Lexer::new(text, Language::Rise, file_start)
    }

    fn byte(&self, at: usize) -> u8 {
        self.text.as_bytes().get(at).copied().unwrap_or(0)
    }

    fn has(&self, at: usize, bits: u8) -> bool {
        self.text
            .as_bytes()
            .get(at)
            .is_some_and(|&b| CLASS[b as usize] & bits != 0)
    }

    fn char_at(&self, at: usize) -> Option<char> {
        self.text.get(at..).and_then(|rest| rest.chars().next())
    }

    fn end(&self) -> usize {
        self.text.len()
    }

    /// Returns the end of the run of bytes that have one of the `bits`, starting at `at`.
    fn run(&self, at: usize, bits: u8) -> usize {
        let rest = &self.text.as_bytes()[at..];
        at + rest
            .iter()
            .position(|&b| CLASS[b as usize] & bits == 0)
            .unwrap_or(rest.len())
    }

    /// Returns the end of the word that continues at `at`.
    fn word_end(&self, mut at: usize) -> usize {
        loop {
            at = self.run(at, WORD);
            if self.byte(at) < 0x80 {
                return at;
            }
            match self.char_at(at) {
                Some(c) if is_xid_continue(c) => at += c.len_utf8(),
                _ => return at,
            }
        }
    }

    fn word(&self) -> (TokenKind, usize) {
        let end = self.word_end(self.pos);
        let word = &self.text.as_bytes()[self.pos..end];
        let kind = match (word_kind(word), self.language) {
            (TokenKind::Ident, Language::Dpia) => dpia_word_kind(word),
            (TokenKind::Ident, Language::Elevate) => {
                Word::from_text(&self.text[self.pos..end]).map_or(TokenKind::Ident, TokenKind::Word)
            }
            (kind, _) => kind,
        };
        (kind, end)
    }

    /// Returns the kind and the end of the number at the current position: digits, a point and
    /// further digits, an exponent, and any word directly after them, the suffix.
    fn number(&self) -> (TokenKind, usize) {
        let mut kind = TokenKind::Int;
        let mut end = self.run(self.pos, DIGIT);
        if self.byte(end) == b'.' && self.has(end + 1, DIGIT) {
            kind = TokenKind::Float;
            end = self.run(end + 1, DIGIT);
        }
        if matches!(self.byte(end), b'e' | b'E') {
            let sign = usize::from(matches!(self.byte(end + 1), b'+' | b'-'));
            if self.has(end + 1 + sign, DIGIT) {
                kind = TokenKind::Float;
                end = self.run(end + 1 + sign, DIGIT);
            }
        }
        (kind, self.word_end(end))
    }

    fn slash(&self) -> (TokenKind, usize) {
        let bytes = self.text.as_bytes();
        match self.byte(self.pos + 1) {
            b'/' => {
                let mut end =
                    memchr::memchr(b'\n', &bytes[self.pos..]).map_or(self.end(), |n| self.pos + n);
                while bytes[end - 1] == b'\r' {
                    end -= 1;
                }
                let doc = self.byte(self.pos + 2) == b'/' && self.byte(self.pos + 3) != b'/';
                (
                    if doc {
                        TokenKind::DocComment
                    } else {
                        TokenKind::LineComment
                    },
                    end,
                )
            }
            b'*' => match memchr::memmem::find(&bytes[self.pos + 2..], b"*/") {
                Some(n) => (TokenKind::BlockComment, self.pos + 2 + n + 2),
                None => (TokenKind::OpenComment, self.end()),
            },
            _ => (TokenKind::Slash, self.pos + 1),
        }
    }

    fn string(&self) -> (TokenKind, usize) {
        let bytes = self.text.as_bytes();
        if bytes[self.pos..].starts_with(b"\"\"\"") {
            return match memchr::memmem::find(&bytes[self.pos + 3..], b"\"\"\"") {
                Some(n) => (TokenKind::RawString, self.pos + 3 + n + 3),
                None => (TokenKind::OpenRawString, self.end()),
            };
        }
        let mut at = self.pos + 1;
        loop {
            match memchr::memchr3(b'"', b'\\', b'\n', &bytes[at..]).map(|n| at + n) {
                Some(quote) if bytes[quote] == b'"' => return (TokenKind::String, quote + 1),
                Some(slash) if matches!(self.byte(slash + 1), b'"' | b'\\') => at = slash + 2,
                Some(slash) if bytes[slash] == b'\\' => at = slash + 1,
                line_end => {
                    let mut end = line_end.unwrap_or(self.end());
                    while bytes[end - 1] == b'\r' {
                        end -= 1;
                    }
                    return (TokenKind::OpenString, end);
                }
            }
        }
    }

    fn symbol(&self, byte: u8) -> (TokenKind, usize) {
        use TokenKind::*;
        let two = match (byte, self.byte(self.pos + 1)) {
            (b'.', b'.') => DotDot,
            (b'=', b'>') => FatArrow,
            (b'=', b'=') => EqEq,
            (b'-', b'>') => Arrow,
            (b'|', b'>') => Pipe,
            (b'|', b'|') => Or,
            (b'<', b'|') => ApplyLeft,
            (b'<', b'<') => After,
            (b'<', b'=') => LessEq,
            (b'>', b'>') => Then,
            (b'>', b'=') => GreaterEq,
            (b'&', b'&') => And,
            (b'!', b'=') => NotEq,
            _ => End,
        };
        if two != End {
            return (two, self.pos + 2);
        }
        let one = match byte {
            b'.' => Dot,
            b'=' => Equals,
            b'<' => Less,
            b'>' => Greater,
            b'-' => Minus,
            b'!' => Bang,
            b'|' => Bar,
            b';' if self.language == Language::Dpia => Semicolon,
            _ => Unknown,
        };
        (one, self.pos + 1)
    }

    fn wide(&self) -> (TokenKind, usize) {
        if self.pos == 0 && self.file_start && self.text.starts_with(BYTE_ORDER_MARK) {
            return (
                TokenKind::Whitespace,
                self.run(BYTE_ORDER_MARK.len(), SPACE),
            );
        }
        match self.char_at(self.pos) {
            Some(c) if is_xid_start(c) => self.word(),
            Some(c) => (TokenKind::Unknown, self.pos + c.len_utf8()),
            None => (TokenKind::Unknown, self.end()),
        }
    }
}

impl Iterator for Lexer<'_> {
    type Item = Token;

    // Every file is lexed twice, and a call for each token is a tenth of that time.
    #[inline(always)]
    fn next(&mut self) -> Option<Token> {
        let byte = *self.text.as_bytes().get(self.pos)?;
        let class = CLASS[byte as usize];
        let single = SINGLE[byte as usize];
        let (kind, end) = if self.language == Language::Elevate
            && let Some((kind, length)) = own_token(&self.text[self.pos..], self.touches)
        {
            (kind, self.pos + length)
        } else if !matches!(single, TokenKind::End) {
            (single, self.pos + 1)
        } else if class & WORD_START != 0 {
            self.word()
        } else if class & SPACE != 0 {
            (TokenKind::Whitespace, self.run(self.pos, SPACE))
        } else if class & DIGIT != 0 {
            self.number()
        } else {
            match byte {
                b'/' => self.slash(),
                b'"' => self.string(),
                0x80.. => self.wide(),
                _ => self.symbol(byte),
            }
        };
        let span = Span::new(self.pos as u32, end as u32);
        self.pos = end;
        self.touches = !kind.is_trivia();
        Some(Token { kind, span })
    }
}

/// Packs a word of up to eight bytes into an integer.
const fn packed(word: &[u8]) -> u64 {
    let mut key = 0;
    let mut at = 0;
    while at < word.len() {
        key = key << 8 | word[at] as u64;
        at += 1;
    }
    key
}

/// Defines a function from packed words to their kinds. It compares integers, which the compiler
/// translates to a binary search.
macro_rules! reserved_words {
    ($($kind:ident: $($name:ident = $word:literal),+;)+) => {
        const fn packed_kind(key: u64) -> TokenKind {
            $($(const $name: u64 = packed($word);)+)+
            match key {
                $($($name)|+ => TokenKind::$kind,)+
                _ => TokenKind::Ident,
            }
        }
    };
}

reserved_words! {
    Underscore: HOLE = b"_";
    Import: IMPORT = b"import";
    Def: DEF = b"def";
    Foreign: FOREIGN = b"foreign";
    Let: LET = b"let";
    In: IN = b"in";
    Fun: FUN = b"fun";
    DepFun: DEP_FUN = b"depFun";
    NatFun: NAT_FUN = b"natFun";
    DataFun: DATA_FUN = b"dataFun";
    True: TRUE = b"true";
    False: FALSE = b"false";
    Scalar: BOOL = b"bool", I8 = b"i8", I16 = b"i16", I32 = b"i32", I64 = b"i64", U8 = b"u8", U16 = b"u16", U32 = b"u32", U64 = b"u64", F16 = b"f16", F32 = b"f32", F64 = b"f64", NAT_TYPE = b"natType";
    Kind: NAT = b"Nat", DATA_TYPE = b"DataType", SCALAR = b"Scalar", NUM = b"Num", INT = b"Int", FLOAT = b"Float", ADDR_SP = b"AddrSp", NAT_TO_NAT = b"Nat2Nat", NAT_TO_DATA = b"Nat2Data";
    Constructor: ARRAY = b"Array", TUPLE = b"Tuple", VEC = b"Vec", IDX = b"Idx", DEP_PAIR = b"DepPair";
    Address: GLOBAL = b"Global", LOCAL = b"Local", PRIVATE = b"Private", CONSTANT = b"Constant";
}

/// Returns the kind of a word that RISE reserves or of `_`, or `Ident` for any other word.
fn word_kind(word: &[u8]) -> TokenKind {
    // The longest reserved words have eight bytes, and no word contains a zero byte.
    match word.len() <= 8 {
        true => packed_kind(packed(word)),
        false => TokenKind::Ident,
    }
}

/// Returns the kind of a word that DPIA reserves and RISE does not, or `Ident` for any other word.
fn dpia_word_kind(word: &[u8]) -> TokenKind {
    match word {
        b"if" => TokenKind::If,
        b"else" => TokenKind::Else,
        b"skip" => TokenKind::Skip,
        b"Exp" | b"Acc" | b"Comm" => TokenKind::Phrase,
        b"Rd" | b"Wr" | b"St" => TokenKind::Access,
        b"ReadWrite" => TokenKind::Kind,
        _ => TokenKind::Ident,
    }
}
