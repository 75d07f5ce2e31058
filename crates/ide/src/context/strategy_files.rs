//! The syntactic context of a cursor in a strategy file, computed from the tokens before it.

use syntax::elevate::{Combinator, Word, lex};
use syntax::{Span, Token, TokenKind};

use super::OpenCall;

/// The syntactic context of a cursor: what is expected there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Context {
    /// The start of an item.
    Item,
    /// The name of an attribute, after its `@`.
    Attribute,
    /// An argument of the attribute with this name.
    AttributeArgument {
        /// The range of the name.
        name: Span,
    },
    /// A type of ELEVATE.
    Type,
    /// A term of RISE: a side of a rule, a pattern.
    Term,
    /// A condition after `where`, `requires` or `assuming`.
    Condition,
    /// A strategy expression.
    Strategy {
        /// The kind of token before it.
        after: After,
    },
    /// The keywords in the body of an `example`.
    Example,
    /// The traversal order after `traversal`.
    Order,
    /// A new name, text, or another place without completions.
    Nothing,
}

/// The kind of token before a strategy expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum After {
    /// `@`: a traversal follows.
    At,
    /// `;`, `<+`, `=`, `apply` or an opening bracket: a whole expression begins.
    Start,
    /// `.`: a method whose receiver is the expression before it.
    Dot,
    /// A whole expression: an operator may follow, or a new item may begin.
    Operand,
}

/// The cursor with its context.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) context: Context,
    pub(crate) word: Span,
    /// The calls around the cursor, the innermost last.
    pub(crate) calls: Vec<OpenCall>,
}

impl Place {
    /// Returns the place at `offset` in the text of an item.
    pub(crate) fn at(text: &str, offset: u32) -> Place {
        let mut before: Vec<Token> = Vec::new();
        let mut word = Span::empty(offset);
        let mut nowhere = false;
        for token in lex(text).take_while(|token| token.span.start < offset) {
            // A question mark begins the name of a metavariable.
            let is_sign = text.get(std::ops::Range::from(token.span)) == Some("?");
            let is_word = is_sign || is_word(token.kind);
            if token.span.end > offset || (token.span.end == offset && is_word) {
                nowhere = !is_word && !is_blank(token.kind);
                if is_word {
                    word = token.span;
                }
                break;
            }
            let open_comment = token.kind.is_comment() && token.span.end == offset;
            nowhere = open_comment;
            if !token.kind.is_trivia() && !token.kind.is_comment() {
                before.push(token);
            }
        }
        let mut reader = Reader::new(text);
        before.iter().for_each(|token| reader.read(*token));
        Place {
            context: match nowhere {
                true => Context::Nothing,
                false => reader.context(),
            },
            word,
            calls: reader.calls(),
        }
    }
}

fn is_blank(kind: TokenKind) -> bool {
    kind.is_trivia() && !kind.is_comment()
}

fn is_word(kind: TokenKind) -> bool {
    use TokenKind::{Ident, Metavariable, Quoted, Underscore};
    matches!(kind, Ident | Underscore | Metavariable | Quoted) || kind.is_reserved()
}

/// The state of the reader inside a pair of brackets, or outside of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Item,
    /// Between the parentheses of an attribute.
    Attribute {
        name: Span,
    },
    /// After the keyword of a definition, up to its `=`.
    Head,
    Term,
    Condition,
    Strategy,
    Example,
}

struct Level {
    /// The mode outside of the brackets.
    mode: Mode,
    /// The end of the called expression, if the brackets are parentheses directly after a token.
    callee: Option<u32>,
    commas: usize,
}

/// A pushdown automaton that reads the tokens of an item before the cursor.
struct Reader<'a> {
    text: &'a str,
    mode: Mode,
    levels: Vec<Level>,
    keyword: Option<Word>,
    last: Option<Token>,
    /// The token before the last one.
    earlier: Option<Token>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Self {
        Reader {
            text,
            mode: Mode::Item,
            levels: Vec::new(),
            keyword: None,
            last: None,
            earlier: None,
        }
    }

    fn slice(&self, token: Token) -> &'a str {
        self.text
            .get(std::ops::Range::from(token.span))
            .unwrap_or_default()
    }

    fn read(&mut self, token: Token) {
        match token.kind {
            TokenKind::Word(word) if word.begins_item() && !self.is_rule_expression(word) => {
                self.keyword = Some(word);
                self.mode = match word {
                    Word::Example => Mode::Example,
                    _ => Mode::Head,
                };
                self.levels.clear();
            }
            TokenKind::Word(Word::Where | Word::Requires | Word::Assuming) => {
                self.mode = Mode::Condition;
            }
            TokenKind::MapsTo => self.mode = Mode::Term,
            TokenKind::Bar if self.mode == Mode::Condition => self.mode = Mode::Term,
            TokenKind::Def => {
                self.keyword = Some(Word::Strategy);
                self.mode = Mode::Head;
            }
            TokenKind::Equals if self.mode == Mode::Head && self.levels.is_empty() => {
                self.mode = match self.keyword {
                    Some(Word::Rule | Word::Unsafe) => Mode::Term,
                    _ => Mode::Strategy,
                };
            }
            TokenKind::LParen | TokenKind::LBracket | TokenKind::LBrace => self.open(token),
            TokenKind::RParen | TokenKind::RBracket | TokenKind::RBrace => {
                if let Some(level) = self.levels.pop() {
                    self.mode = level.mode;
                }
            }
            TokenKind::Comma => {
                if let Some(level) = self.levels.last_mut() {
                    level.commas += 1;
                }
            }
            TokenKind::Ident if self.keyword == Some(Word::Example) => {
                self.mode = match self.slice(token) {
                    "input" | "expect" => Mode::Term,
                    "apply" | "modulo" => Mode::Strategy,
                    _ => self.mode,
                };
            }
            TokenKind::Combinator(Combinator::At, _) if self.mode == Mode::Item => {}
            // A main expression has no keyword.
            _ if self.mode == Mode::Item
                && token.kind != TokenKind::Attribute
                && self.last.map(|last| last.kind) != Some(TokenKind::Attribute) =>
            {
                self.mode = Mode::Strategy;
            }
            _ => {}
        }
        self.earlier = self.last.replace(token);
    }

    /// Returns true if `word` is `rule` and begins an anonymous rule, which is an expression. This
    /// depends on the tokens read before it.
    fn is_rule_expression(&self, word: Word) -> bool {
        word == Word::Rule && self.mode == Mode::Strategy && !self.at_operand()
    }

    fn open(&mut self, token: Token) {
        let callee = self
            .last
            .filter(|last| token.kind == TokenKind::LParen && last.span.end == token.span.start);
        self.levels.push(Level {
            mode: self.mode,
            callee: callee.map(|callee| callee.span.end),
            commas: 0,
        });
        if let (Mode::Item, Some(name)) = (self.mode, self.attribute()) {
            self.mode = Mode::Attribute { name };
        }
        if token.kind != TokenKind::LBrace {
            return;
        }
        let after = self.last.map(|last| (last.kind, self.slice(last)));
        self.mode = match after {
            Some((TokenKind::Word(Word::Rule), _)) => Mode::Term,
            Some((_, "rise")) => Mode::Term,
            Some((TokenKind::Equals, _)) if self.keyword == Some(Word::Pred) => Mode::Term,
            _ => self.mode,
        };
    }

    /// Returns the range of the last token if it is the name of an attribute.
    fn attribute(&self) -> Option<Span> {
        let sign = self.earlier.map(|earlier| earlier.kind);
        let is_attribute = matches!(
            sign,
            Some(TokenKind::Attribute | TokenKind::Combinator(Combinator::At, _))
        );
        self.last.filter(|_| is_attribute).map(|last| last.span)
    }

    /// Returns true if the last token ends an expression.
    fn at_operand(&self) -> bool {
        self.last.is_some_and(|last| match last.kind {
            _ if self.is_part_of_example(last) => false,
            kind => matches!(
                kind,
                TokenKind::Quoted
                    | TokenKind::Metavariable
                    | TokenKind::Ident
                    | TokenKind::Int
                    | TokenKind::Float
                    | TokenKind::String
                    | TokenKind::RParen
                    | TokenKind::RBracket
                    | TokenKind::RBrace
                    | TokenKind::Underscore
            ),
        })
    }

    /// Returns true if a word begins a part of an example.
    fn is_part_of_example(&self, token: Token) -> bool {
        self.keyword == Some(Word::Example)
            && matches!(self.slice(token), "input" | "apply" | "expect" | "modulo")
    }

    fn context(&self) -> Context {
        let last = self.last.map(|last| last.kind);
        match (self.mode, last) {
            (_, Some(TokenKind::Attribute))
            | (Mode::Item, Some(TokenKind::Combinator(Combinator::At, _))) => Context::Attribute,
            (_, Some(TokenKind::Word(Word::Traversal))) => Context::Order,
            (Mode::Attribute { name }, _) => Context::AttributeArgument { name },
            (Mode::Item, _) => Context::Item,
            (Mode::Head, Some(TokenKind::Colon | TokenKind::Arrow)) => Context::Type,
            (Mode::Head, Some(TokenKind::Equals)) => Context::Strategy {
                after: After::Start,
            },
            (Mode::Head, _) => Context::Nothing,
            (Mode::Strategy, Some(TokenKind::Colon)) => Context::Type,
            (Mode::Strategy, _) => Context::Strategy {
                after: self.after(),
            },
            (Mode::Example, _) if self.at_operand() || self.levels.len() == 1 => Context::Example,
            (Mode::Example, _) => Context::Nothing,
            (Mode::Term, _) => Context::Term,
            (Mode::Condition, _) => Context::Condition,
        }
    }

    fn after(&self) -> After {
        match self.last.map(|last| last.kind) {
            Some(TokenKind::Combinator(Combinator::At, _)) => After::At,
            Some(TokenKind::Dot) => After::Dot,
            _ if self.at_operand() => After::Operand,
            _ => After::Start,
        }
    }

    fn calls(&self) -> Vec<OpenCall> {
        let call = |level: &Level| {
            level.callee.map(|callee_end| OpenCall {
                callee_end,
                commas: level.commas,
            })
        };
        self.levels.iter().filter_map(call).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(marked: &str) -> Context {
        let offset = marked.find('$').expect("a cursor");
        let text = marked.replace('$', "");
        Place::at(&text, offset as u32).context
    }

    #[test]
    fn what_may_stand_where() {
        let strategy = |after| Context::Strategy { after };
        for (text, expected) in [
            ("$", Context::Item),
            ("stra$", Context::Item),
            ("@$", Context::Attribute),
            ("@ti$", Context::Attribute),
            ("rule $", Context::Nothing),
            ("rule f(n: $", Context::Type),
            ("rule f = ma$", Context::Term),
            ("rule f = map(f) >> map(g) |-> $", Context::Term),
            (
                "rule f(n: Nat) = map |-> split(n) assuming $",
                Context::Condition,
            ),
            (
                "rule f = { map |-> mapSeq where x notIn f | $",
                Context::Term,
            ),
            ("strategy s(t: Strategy)(n: $", Context::Type),
            ("strategy s(t: Strategy) = $", strategy(After::Start)),
            ("strategy s = a ; $", strategy(After::Start)),
            ("strategy s = a @ out$", strategy(After::At)),
            ("strategy s = a $", strategy(After::Operand)),
            ("strategy s = xs.$", strategy(After::Dot)),
            ("strategy s = rule { $", Context::Term),
            ("strategy s = rule { a |-> b } ; $", strategy(After::Start)),
            ("strategy s = f(rise { $", Context::Term),
            ("pred p = { $", Context::Term),
            ("pred p = $", strategy(After::Start)),
            ("example { $", Context::Example),
            ("example \"x\" { input fun($", Context::Term),
            ("example { input map(f) apply $", strategy(After::Start)),
            ("traversal $", Context::Order),
            ("splitJoin(32) @ $", strategy(After::At)),
            ("val x = \"text$\"", Context::Nothing),
            ("val x = a // note$", Context::Nothing),
        ] {
            assert_eq!(at(text), expected, "{text}");
        }
    }

    #[test]
    fn calls_know_their_arguments() {
        let place = Place::at("strategy s = tile(32, f(1)", 25);
        let ends: Vec<(u32, usize)> = place
            .calls
            .iter()
            .map(|call| (call.callee_end, call.commas))
            .collect();
        assert_eq!(ends, [(17, 1), (23, 0)]);
    }
}
