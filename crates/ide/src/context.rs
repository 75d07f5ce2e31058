//! The syntactic context of a cursor in an item of a program, computed only from the tokens before
//! it, so that it is available in incomplete code.

pub(crate) mod strategy_files;

use syntax::Span;
use syntax::lexer::{Token, TokenKind};

/// The syntactic context of a cursor: what is expected there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Context {
    /// The beginning of an item.
    Item,
    /// The keyword `def` after `foreign`.
    ForeignDef,
    /// An expression; in an argument also a size, type or address space.
    Expression {
        argument: bool,
    },
    /// The right operand of this `|>`.
    Stage {
        pipe: Span,
    },
    /// The name after this dot in an expression.
    Dot {
        dot: Span,
    },
    /// A type, or a size.
    Type,
    /// The type of a parameter left of `=`, or its kind.
    TypeOrKind,
    /// The name after this dot in a type.
    TypeAfterDot,
    /// The end of a type: `where`, or what may follow an expression.
    AfterType,
    /// A size in the conditions after `where`.
    Condition,
    /// A kind.
    Kind,
    /// The access, which is the second part of `Exp[…, …]`.
    Access,
    /// The name of an annotation.
    Annotation,
    AnnotationArgument,
    /// The end of an expression: operators, `in`, or on a new line the next item.
    AfterExpression,
    /// A new name or the path of a file: no completion is possible.
    Nothing,
}

/// A call whose closing parenthesis comes after the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OpenCall {
    /// The end of the called expression.
    pub(crate) callee_end: u32,
    /// The number of commas before the cursor that separate arguments of this call.
    pub(crate) commas: usize,
}

/// The state of the reader inside a pair of brackets, or outside of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// Before the first item.
    Item,
    /// Between `def` or `import` and `:` or `=`.
    Name,
    /// Between `foreign` and `:` or `=`.
    ForeignName,
    Expression,
    Argument,
    Type,
    /// The parameters of `fun( … =>`: names and, after colons, types.
    Params,
    /// The parameters of a definition left of `=`: names and, after colons, types or kinds.
    HeadParams,
    /// The parameters of `depFun( … =>` or `{ … }`: names and, after colons, kinds.
    Kinded,
    /// The parts of `Exp[ …` or `Acc[ …`: a type, and then an access.
    Phrase,
    /// After the comma of `Exp[ …`.
    Access,
    /// The parameter of `natFun( … =>`, `dataFun( … =>` or `DepPair[ … =>`: a name, and then a
    /// type.
    TypeFunction,
    /// After `where`.
    Condition,
    Annotation,
}

struct Level {
    mode: Mode,
    /// True if a colon was read since the last comma.
    colon: bool,
    /// The mode to which a comma returns, except between the parts of `Exp[ …` and the conditions
    /// after `where`: the mode at the opening bracket, or the one after the last `=>`.
    initial: Mode,
    call: Option<OpenCall>,
}

impl Level {
    fn new(mode: Mode) -> Level {
        Level {
            mode,
            colon: false,
            initial: mode,
            call: None,
        }
    }
}

/// A pushdown automaton that reads the tokens before the cursor.
struct Reader<'t> {
    text: &'t str,
    levels: Vec<Level>,
    previous: Option<Token>,
    before_previous: Option<TokenKind>,
}

/// Returns the context after the given tokens, and the calls that are open there, innermost last.
pub(crate) fn read(text: &str, tokens: &[Token]) -> (Context, Vec<OpenCall>) {
    let mut reader = Reader {
        text,
        levels: vec![Level::new(Mode::Item)],
        previous: None,
        before_previous: None,
    };
    for token in tokens {
        reader.step(*token);
        reader.before_previous = reader.previous.map(|token| token.kind);
        reader.previous = Some(*token);
    }
    (
        reader.context(),
        reader
            .levels
            .iter()
            .filter_map(|level| level.call)
            .collect(),
    )
}

impl Reader<'_> {
    fn step(&mut self, token: Token) {
        use TokenKind::*;
        match token.kind {
            LParen | LBracket | LBrace => self.open(token),
            RParen | RBracket | RBrace => self.close(),
            Def if self.previous.is_some_and(|token| token.kind == Foreign) => {}
            Foreign => self.levels = vec![Level::new(Mode::ForeignName)],
            Def | Import => self.levels = vec![Level::new(Mode::Name)],
            At => self.levels = vec![Level::new(Mode::Annotation)],
            Ident if self.begins_conditions(token) => {
                if let Some(level) = self.levels.last_mut() {
                    level.mode = Mode::Condition;
                }
            }
            _ => {
                if let Some(level) = self.levels.last_mut() {
                    level.step(token.kind);
                }
            }
        }
    }

    fn open(&mut self, token: Token) {
        use TokenKind::*;
        let outer = self.levels.last();
        let mode = outer.map_or(Mode::Item, |level| level.mode);
        let colon = outer.is_some_and(|level| level.colon);
        let before = self.previous.map(|token| token.kind);
        let calls = matches!(before, Some(Ident | RParen | Let));
        let inner = match (token.kind, before) {
            (LParen, Some(Fun)) => Mode::Params,
            (LParen, Some(DepFun)) => Mode::Kinded,
            (LParen, Some(NatFun | DataFun)) | (LBracket, Some(Constructor)) => Mode::TypeFunction,
            // A block of commands; in a type, implicit parameters.
            (LBrace, _) if matches!(mode, Mode::Expression | Mode::Argument) => Mode::Expression,
            (LBrace, _) => Mode::Kinded,
            (LBracket, Some(Phrase)) => Mode::Phrase,
            (LParen, Some(Ident)) if mode == Mode::ForeignName => Mode::Params,
            (LParen, Some(_)) if mode == Mode::Name => Mode::HeadParams,
            _ => match mode {
                Mode::Params if !colon => Mode::Params,
                Mode::Kinded if !colon => Mode::Kinded,
                Mode::Params
                | Mode::HeadParams
                | Mode::Kinded
                | Mode::Type
                | Mode::TypeFunction
                | Mode::Phrase
                | Mode::Access => Mode::Type,
                Mode::Condition => Mode::Condition,
                Mode::Annotation => Mode::Annotation,
                _ if calls => Mode::Argument,
                _ => Mode::Expression,
            },
        };
        let mut level = Level::new(inner);
        if inner == Mode::Argument
            && let Some(callee) = self.previous
        {
            level.call = Some(OpenCall {
                callee_end: callee.span.end,
                commas: 0,
            });
        }
        self.levels.push(level);
    }

    /// Returns true if a token is the keyword `where` after a type.
    fn begins_conditions(&self, token: Token) -> bool {
        let is_in_type = self.levels.last().is_some_and(|l| l.mode == Mode::Type);
        let is_behind = self.previous.is_some_and(|token| ends_operand(token.kind));
        is_in_type && is_behind && self.is_where(token)
    }

    fn is_where(&self, token: Token) -> bool {
        self.text.get(std::ops::Range::from(token.span)) == Some("where")
    }

    fn close(&mut self) {
        if self.levels.len() > 1 {
            self.levels.pop();
        }
    }

    fn context(&self) -> Context {
        use TokenKind::*;
        let Some(previous) = self.previous else {
            return Context::Item;
        };
        let Some(level) = self.levels.last() else {
            return Context::Item;
        };
        let types = level.in_type();
        match previous.kind {
            At => Context::Annotation,
            Foreign => Context::ForeignDef,
            Def | Import | Let | OpenString | OpenRawString => Context::Nothing,
            Dot | DotDot if types => Context::TypeAfterDot,
            Dot => Context::Dot { dot: previous.span },
            Pipe => Context::Stage {
                pipe: previous.span,
            },
            _ if level.mode == Mode::Annotation && self.levels.len() == 1 => Context::Item,
            Ident if level.mode == Mode::Condition && self.is_where(previous) => Context::Condition,
            _ if ends_operand(previous.kind) && level.mode == Mode::Type => Context::AfterType,
            _ if ends_operand(previous.kind) => Context::AfterExpression,
            Colon if level.mode == Mode::HeadParams => Context::TypeOrKind,
            _ => level.context(self.before_previous),
        }
    }
}

impl Level {
    fn step(&mut self, kind: TokenKind) {
        use TokenKind::*;
        match kind {
            Comma => {
                self.mode = match self.mode {
                    Mode::Phrase => Mode::Access,
                    Mode::Condition => Mode::Condition,
                    _ => self.initial,
                };
                self.colon = false;
                if let Some(call) = &mut self.call {
                    call.commas += 1;
                }
            }
            Colon => {
                self.colon = true;
                use Mode::{Argument, Expression, ForeignName, Name};
                if matches!(self.mode, Name | ForeignName | Expression | Argument) {
                    self.mode = Mode::Type;
                }
            }
            Equals if self.mode != Mode::Annotation => self.mode = Mode::Expression,
            FatArrow => {
                self.mode = match self.initial {
                    Mode::TypeFunction => Mode::Type,
                    _ => Mode::Expression,
                };
                // In `fun(x => (a, b))`, a comma in the body is an error and does not end the body.
                self.initial = self.mode;
            }
            _ => {}
        }
    }

    fn in_type(&self) -> bool {
        match self.mode {
            Mode::Type | Mode::TypeFunction | Mode::Phrase => true,
            Mode::Params | Mode::HeadParams => self.colon,
            _ => false,
        }
    }

    fn context(&self, before_previous: Option<TokenKind>) -> Context {
        match self.mode {
            Mode::Item => Context::Item,
            Mode::Name | Mode::ForeignName => Context::Nothing,
            Mode::Expression => Context::Expression { argument: false },
            Mode::Argument => Context::Expression { argument: true },
            // `(n: ` in a type binds a name if the colon follows a single name.
            Mode::Type if self.colon && self.initial == Mode::Type => match before_previous {
                Some(TokenKind::Ident) => Context::Kind,
                _ => Context::Type,
            },
            Mode::Type | Mode::TypeFunction | Mode::Phrase => Context::Type,
            Mode::Access => Context::Access,
            Mode::Condition => Context::Condition,
            Mode::Params | Mode::HeadParams if self.colon => Context::Type,
            Mode::Kinded if self.colon => Context::Kind,
            Mode::Params | Mode::HeadParams | Mode::Kinded => Context::Nothing,
            Mode::Annotation => Context::AnnotationArgument,
        }
    }
}

/// Returns true if a token ends something that can be an operand.
fn ends_operand(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(
        kind,
        Ident
            | Underscore
            | Int
            | Float
            | String
            | RawString
            | True
            | False
            | Scalar
            | Kind
            | Constructor
            | Address
            | Phrase
            | Access
            | Skip
            | RParen
            | RBracket
            | RBrace
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token;
    use syntax::Dialect;

    fn at_end(text: &str) -> Context {
        let (before, _) = token::before(text, text.len() as u32, Dialect::Rise);
        read(text, &before).0
    }

    #[test]
    fn expressions() {
        let value = Context::Expression { argument: false };
        assert_eq!(at_end("def f = "), value);
        assert_eq!(at_end("def f : f32 = "), value);
        assert_eq!(at_end("def f = fun(x => "), value);
        assert_eq!(at_end("def f = fun((x, y) => "), value);
        assert_eq!(at_end("def f = let x = 1 in "), value);
        assert_eq!(
            at_end("def f = depFun(n: Nat => fun(x: n.f32 => x + "),
            value
        );
        assert_eq!(
            at_end("def f = zip(a, "),
            Context::Expression { argument: true }
        );
        assert_eq!(
            at_end("def f = zip(a)(b"),
            Context::Expression { argument: true }
        );
    }

    #[test]
    fn types_and_kinds() {
        assert_eq!(at_end("def f : "), Context::Type);
        assert_eq!(at_end("def f : n.f32 -> "), Context::Type);
        assert_eq!(at_end("def f : (n: "), Context::Kind);
        assert_eq!(at_end("def f : {t: "), Context::Kind);
        assert_eq!(at_end("def f : (n: Nat) -> "), Context::Type);
        assert_eq!(at_end("def f : Array["), Context::Type);
        assert_eq!(at_end("def f = fun(x: "), Context::Type);
        assert_eq!(at_end("def f = fun(x: n."), Context::TypeAfterDot);
        assert_eq!(at_end("def f = depFun(n: "), Context::Kind);
        assert_eq!(at_end("def f = depFun((n: Nat, m: "), Context::Kind);
        assert_eq!(at_end("def f = (x : "), Context::Type);
        assert_eq!(at_end("def f = g(dataFun(i => "), Context::Type);
        assert_eq!(at_end("foreign def f(x: "), Context::Type);
    }

    #[test]
    fn parameters_left_of_the_value() {
        assert_eq!(at_end("def f("), Context::Nothing);
        assert_eq!(at_end("def f(n: "), Context::TypeOrKind);
        assert_eq!(at_end("def f(n: Nat)(xs: "), Context::TypeOrKind);
        assert_eq!(at_end("def f{m: "), Context::Kind);
        assert_eq!(at_end("def f{m: Nat}(x, ys: "), Context::TypeOrKind);
        assert_eq!(at_end("def f(xs: n."), Context::TypeAfterDot);
        assert_eq!(at_end("def f(g: n.f32 -> "), Context::Type);
        assert_eq!(at_end("def f(g: (m: "), Context::Kind);
        assert_eq!(at_end("def f(xs: n.f32, "), Context::Nothing);
        assert_eq!(at_end("def f(xs: n.f32): "), Context::Type);
        assert_eq!(at_end("def f(xs: n.f32): f32 where "), Context::Condition);
        assert_eq!(
            at_end("def f(xs: n.f32): f32 = "),
            Context::Expression { argument: false }
        );
    }

    #[test]
    fn conditions_behind_a_type() {
        assert_eq!(at_end("def f : n.f32 -> f32 "), Context::AfterType);
        assert_eq!(at_end("def f : n.f32 whe"), Context::AfterType);
        assert_eq!(at_end("def f = (x : n.f32 "), Context::AfterType);
        assert_eq!(at_end("def f : n.f32 where "), Context::Condition);
        assert_eq!(at_end("def f : n.f32 where 4 | "), Context::Condition);
        assert_eq!(
            at_end("def f : n.f32 where 4 | n, (m + "),
            Context::Condition
        );
        assert_eq!(at_end("def f : n.f32 where n "), Context::AfterExpression);
        assert_eq!(
            at_end("def f : n.f32 where 4 | n = "),
            Context::Expression { argument: false }
        );
        assert_eq!(at_end("def f : where "), Context::AfterType);
    }

    #[test]
    fn phrases_and_commands() {
        let at_end = |text: &str| {
            let (before, _) = token::before(text, text.len() as u32, Dialect::Dpia);
            read(text, &before).0
        };
        let value = Context::Expression { argument: false };
        assert_eq!(at_end("def f = fun(x: "), Context::Type);
        assert_eq!(at_end("def f = fun(x: Exp["), Context::Type);
        assert_eq!(at_end("def f = fun(x: Exp[n.(f32, "), Context::Type);
        assert_eq!(at_end("def f = fun(x: Exp[n.f32, "), Context::Access);
        assert_eq!(at_end("def f = fun((x: Exp[n.f32, Rd], y: "), Context::Type);
        assert_eq!(at_end("def f : {a: "), Context::Kind);
        assert_eq!(at_end("def f = fun(x => x = "), value);
        assert_eq!(at_end("def f = fun(x => x = 1.0f; "), value);
        assert_eq!(at_end("def f = fun(x => if ("), value);
        assert_eq!(at_end("def f = fun(x => if (x) { "), value);
        assert_eq!(at_end("def f = fun(x => if (x) { skip } else { "), value);
        assert_eq!(
            at_end("def f = fun(x => if (x) { skip "),
            Context::AfterExpression
        );
    }

    #[test]
    fn new_names() {
        for text in [
            "def ",
            "def f = fun(",
            "def f = fun((x, ",
            "def f = let ",
            "def f = depFun(",
            "import \"",
        ] {
            assert_eq!(at_end(text), Context::Nothing, "{text}");
        }
    }

    #[test]
    fn items_annotations_and_the_rest() {
        assert_eq!(at_end(""), Context::Item);
        assert_eq!(at_end("@"), Context::Annotation);
        assert_eq!(at_end("@run("), Context::AnnotationArgument);
        assert_eq!(at_end("@run(n = "), Context::AnnotationArgument);
        assert_eq!(at_end("foreign "), Context::ForeignDef);
        assert_eq!(at_end("def f = x "), Context::AfterExpression);
        assert!(matches!(at_end("def f = x |> "), Context::Stage { .. }));
        assert!(matches!(at_end("def f = x |> ma"), Context::Stage { .. }));
        assert!(matches!(at_end("def f = x."), Context::Dot { .. }));
    }

    #[test]
    fn open_calls() {
        let text = "def f = a(b)(c, d(e), ";
        let (before, _) = token::before(text, 22, Dialect::Rise);
        let calls = read(text, &before).1;
        assert_eq!(
            calls,
            [OpenCall {
                callee_end: 12,
                commas: 2
            }]
        );
    }
}
