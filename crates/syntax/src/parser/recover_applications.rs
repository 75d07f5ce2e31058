//! Error recovery for function application by juxtaposition, as in `map f xs`, for a missing `|>`,
//! for functions without `fun` among arguments, and for casts of other languages.
//!
//! The arguments are reported and parsed as arguments, so that the text after them is parsed as
//! usual.

use super::delimiters::MAX_LOOKAHEAD;
use super::recover_definitions::comment;
use super::{Parser, TermCategory};
use crate::ast::{BinaryOp, BinderAnnotation, TermId, TermKind};
use crate::lexer::{Token, TokenKind};
use crate::{Diagnostic, Dialect, Span, foreign_scalar};

/// The title of the fix that puts the arguments of every call without parentheses in the item in
/// parentheses.
const PARENTHESIZE_TITLE: &str = "put the arguments in parentheses";

/// The title of the fix that inserts every missing `|>` of the item.
const INSERT_PIPE: &str = "Insert `|>`";

/// The maximal length in bytes of a call or pipeline that a message quotes.
const MAX_QUOTED_LENGTH: usize = 60;

/// Library functions into which arrays are piped after they have got their other arguments.
const PIPED_FUNCTIONS: [&str; 24] = [
    "map",
    "mapSeq",
    "mapSeqUnroll",
    "mapStream",
    "mapPar",
    "mapGlobal",
    "mapWorkGroup",
    "mapLocal",
    "reduce",
    "reduceSeq",
    "reduceSeqUnroll",
    "reducePar",
    "scanSeq",
    "iterate",
    "split",
    "slide",
    "take",
    "drop",
    "gather",
    "padCst",
    "padClamp",
    "padEmpty",
    "asVector",
    "toMem",
];

/// Keywords and operators of other languages that occur between operands.
const CONNECTIVES: [&str; 12] = [
    "where", "then", "else", "if", "for", "and", "or", "mod", "div", "do", "of", "with",
];

impl Parser<'_> {
    /// Parses and reports the arguments that follow a function without parentheses on its line;
    /// returns the function alone if there are none. If `|>` is probably missing before the first
    /// of them, returns a pipeline.
    pub(crate) fn with_loose_arguments(&mut self, callee: TermId, mode: TermCategory) -> TermId {
        if !self.starts_loose_argument() || !self.takes_loose_arguments(callee, mode) {
            return callee;
        }
        if let Some(end) = self.end_of_comparison(callee) {
            return self.comparison_behind(callee, end, mode);
        }
        let mut args = Vec::new();
        let mut edits = Vec::new();
        let mut closer = "";
        while self.starts_loose_argument() {
            let gap = self.gap_before();
            let start = self.token();
            let arg = self.loose_argument();
            if args.is_empty() && self.is_pipe_missing(callee, arg) {
                let mut pipeline = self.with_pipe(callee, (gap, start), arg);
                while self.starts_loose_argument() {
                    let (gap, start) = (self.gap_before(), self.token());
                    let next = self.loose_argument();
                    pipeline = self.with_pipe(pipeline, (gap, start), next);
                }
                return pipeline;
            }
            let has_parentheses = matches!(self.kind_of(arg), TermKind::Paren(_));
            let (open, close) = if has_parentheses {
                ("", "")
            } else {
                ("(", ")")
            };
            edits.push((gap, format!("{closer}{open}")));
            closer = close;
            args.push(arg);
        }
        edits.push((Span::empty(self.last_end()), closer.to_owned()));
        self.report_loose_arguments(callee, &args, edits);
        let span = self.since(self.span_of(callee).start);
        let args = args.into_boxed_slice();
        self.push(TermKind::Apply { callee, args }, span)
    }

    /// Returns the end of the comparison that begins at the current token, if `word`, the term
    /// before it, is `not`: `not x < y`. Returns `None` otherwise.
    fn end_of_comparison(&self, word: TermId) -> Option<u32> {
        use TokenKind::{
            And, Colon, Comma, End, EqEq, FatArrow, Greater, GreaterEq, In, Less, LessEq, NotEq,
            Or, Pipe,
        };
        let ends = |kind| matches!(kind, And | Or | Comma | Colon | FatArrow | In | Pipe | End);
        let compares = |kind| matches!(kind, EqEq | NotEq | Less | LessEq | Greater | GreaterEq);
        let operands = || {
            self.ahead_in_brackets(0)
                .take_while(|token| !ends(token.kind))
        };
        let is_comparison = operands().any(|token| compares(token.kind));
        let is_not = self.text_of(word) == "not";
        let last = operands().last().filter(|_| is_not && is_comparison)?;
        Some(last.span.end)
    }

    /// Reports and parses a comparison without parentheses after `not`.
    fn comparison_behind(&mut self, callee: TermId, end: u32, mode: TermCategory) -> TermId {
        let (gap, start) = (self.gap_before(), self.token().span.start);
        let comparison = Span::new(start, end);
        let edits = vec![(gap, "(".to_owned()), (Span::empty(end), ")".to_owned())];
        if !self.extend_fix(PARENTHESIZE_TITLE, &edits) {
            let call = format!("not({})", self.slice(comparison));
            self.report(unbracketed(comparison, &call, edits));
        }
        let arg = self.nested(|parser| parser.operators(mode));
        let span = self.since(self.span_of(callee).start);
        let args = Box::from([arg]);
        self.push(TermKind::Apply { callee, args }, span)
    }

    /// Returns true if the second of two adjacent terms is a pattern with arguments into which the
    /// first would be piped: the first is a value that the item binds, or the end of a pipeline.
    fn is_pipe_missing(&self, first: TermId, second: TermId) -> bool {
        let mut head = second;
        while let TermKind::Apply { callee, .. } = *self.kind_of(head) {
            head = callee;
        }
        let is_applied = head != second;
        let is_pattern = matches!(self.kind_of(head),
            TermKind::Name(name) if PIPED_FUNCTIONS.contains(&name.as_str()));
        is_applied && is_pattern && (self.is_bound_value(first) || self.ends_pipeline(first))
    }

    /// Returns true if a term is a stage of a pipeline and probably has all of its other arguments:
    /// it is an application, or a function such as `transpose` that takes the array alone.
    fn ends_pipeline(&self, term: TermId) -> bool {
        let is_complete = match self.kind_of(term) {
            TermKind::Apply { .. } => true,
            TermKind::Name(name) => matches!(name.as_str(), "join" | "transpose" | "fst" | "snd"),
            _ => false,
        };
        is_complete && self.is_piped_into(term)
    }

    /// Returns true if a term is a name that the item binds as a value: without a type, or with a
    /// type that is not a function type.
    fn is_bound_value(&self, term: TermId) -> bool {
        let TermKind::Name(name) = self.kind_of(term) else {
            return false;
        };
        let binder = self.binders.iter().rfind(|binder| binder.name == *name);
        let is_function = |mut ty: TermId| {
            while let TermKind::Paren(inner) = *self.kind_of(ty) {
                ty = inner;
            }
            matches!(self.kind_of(ty), TermKind::Arrow(..))
        };
        binder.is_some_and(|binder| match binder.annotation {
            BinderAnnotation::Type(ty) => !is_function(ty),
            BinderAnnotation::Kind(..) => false,
            BinderAnnotation::None => true,
        })
    }

    /// Returns true if the token before a term is `|>`.
    fn is_piped_into(&self, term: TermId) -> bool {
        let start = self.span_of(term).start;
        let before = self.tokens[..self.pos]
            .iter()
            .rposition(|token| token.span.start < start);
        before.is_some_and(|at| self.tokens[at].kind == TokenKind::Pipe)
    }

    /// Reports a missing `|>`, and combines the two terms as if it were present.
    fn with_pipe(&mut self, first: TermId, (gap, start): (Span, Token), second: TermId) -> TermId {
        let written = match (self.text_of(first), self.text_of(second)) {
            (first, second)
                if first.len() + second.len() > MAX_QUOTED_LENGTH || second.contains('\n') =>
            {
                "xs |> map(f)".to_owned()
            }
            (text, second) if self.is_piped_into(first) => format!("… |> {text} |> {second}"),
            (text, second) => format!("{text} |> {second}"),
        };
        let edit = (gap, " |> ".to_owned());
        if self.extend_fix(INSERT_PIPE, std::slice::from_ref(&edit)) {
            return self.piped(first, gap, second);
        }
        let pattern = self.slice(start.span).to_owned();
        let message = format!("expected `|>` before `{pattern}`");
        self.report(
            Diagnostic::syntax(start.span, message)
                .help(format!("a value is piped into a function: `{written}`"))
                .fix(INSERT_PIPE, vec![edit], true),
        );
        self.piped(first, gap, second)
    }

    fn piped(&mut self, first: TermId, gap: Span, second: TermId) -> TermId {
        // In a pipeline, the second function is applied to the result of the first.
        let op = match self.is_piped_into(first) {
            true => BinaryOp::Then,
            false => BinaryOp::Pipe,
        };
        self.push_since(
            self.span_of(first).start,
            TermKind::Binary {
                op,
                op_span: gap,
                lhs: first,
                rhs: second,
            },
        )
    }

    fn report_loose_arguments(
        &mut self,
        callee: TermId,
        args: &[TermId],
        edits: Vec<(Span, String)>,
    ) {
        if self.extend_fix(PARENTHESIZE_TITLE, &edits) {
            return;
        }
        if let Some(sign) = self.dashes_before(callee) {
            return self.report(comment(sign, "--"));
        }
        if self.cast_of_other_languages(callee, args) {
            return;
        }
        let span = self.span_of(args[0]);
        let all = args.iter().map(|arg| self.in_parentheses(*arg));
        let call = self.text_of(callee).to_owned() + &all.collect::<String>();
        self.report(unbracketed(span, &call, edits));
    }

    /// Reports a cast in the notation of other languages: `x as f32` or `(f32) x`. Returns false
    /// for any other application.
    fn cast_of_other_languages(&mut self, callee: TermId, args: &[TermId]) -> bool {
        let kind = |term: TermId| self.kind_of(term);
        let (value, ty) = match *args {
            [word, ty] if self.text_of(word) == "as" => (callee, ty),
            [value] => match *kind(callee) {
                TermKind::Paren(ty) => (value, ty),
                _ => return false,
            },
            _ => return false,
        };
        let Some(ty) = self.scalar_meant(ty) else {
            return false;
        };
        let written = format!("(cast{} : {ty})", self.in_parentheses(value));
        let whole = self.since(self.span_of(callee).start);
        self.report(conversion(whole, written));
        true
    }

    /// Returns the scalar type that a term denotes: in RISE, or in another language if the item
    /// does not bind the name.
    fn scalar_meant(&self, term: TermId) -> Option<&'static str> {
        match self.kind_of(term) {
            TermKind::Scalar(scalar) => Some(scalar.as_str()),
            TermKind::Name(name) if self.binders.iter().all(|binder| binder.name != *name) => {
                foreign_scalar(name)
            }
            _ => None,
        }
    }

    /// Returns the span of a `--` before a term, which begins a comment in other languages.
    fn dashes_before(&self, term: TermId) -> Option<Span> {
        let start = self.span_of(term).start;
        let at = self.tokens[..self.pos]
            .iter()
            .rposition(|token| token.span.start == start)?;
        let [first, second] = self.tokens[at.checked_sub(2)?..at] else {
            return None;
        };
        let sign = first.span.cover(second.span);
        (self.slice(sign) == "--").then_some(sign)
    }

    /// Returns true if an argument begins at the current token, on the line of the previous token.
    fn starts_loose_argument(&self) -> bool {
        use TokenKind::*;
        let token = self.token();
        let begins = match token.kind {
            Ident => !CONNECTIVES.contains(&self.slice(token.span)) && self.peek_kind(1) != Equals,
            Underscore | Int | Float | True | False | Fun | DepFun | NatFun | DataFun | Scalar
            | Address | LParen => true,
            _ => false,
        };
        begins && !self.slice(self.space_before()).contains('\n')
    }

    fn takes_loose_arguments(&self, callee: TermId, mode: TermCategory) -> bool {
        let is_function = matches!(
            self.kind_of(callee),
            TermKind::Name(_)
                | TermKind::Apply { .. }
                | TermKind::Paren(_)
                | TermKind::Project { .. }
                | TermKind::Operator(_)
                | TermKind::Fun { .. }
                | TermKind::DepFun { .. }
        );
        let is_first_error = self.error.as_ref().is_none_or(is_about_arguments);
        is_function
            && is_first_error
            && self.host.is_none()
            && self.dialect == Dialect::Rise
            && !self.divides
            && !mode.is_type()
            && !(mode == TermCategory::Arg && self.is_comma_likely())
            && !self.is_in_missing()
    }

    /// Returns true if the current token is a name or number directly before a `,`, a `)` or the
    /// end of the item: then a comma before the token is probably missing.
    fn is_comma_likely(&self) -> bool {
        use TokenKind::{Comma, End, Float, Ident, Int, RParen};
        let is_plain = matches!(self.kind(), Ident | Int | Float);
        is_plain && matches!(self.peek_kind(1), Comma | RParen | End)
    }

    /// Returns true in the value of a `let` that has no `in`.
    fn is_in_missing(&self) -> bool {
        let before = self.tokens[..self.pos].iter().rev().take(MAX_LOOKAHEAD);
        let is_value = tokens_in_brackets(before, -1).find_map(|token| match token.kind {
            TokenKind::Let => Some(true),
            TokenKind::In | TokenKind::FatArrow => Some(false),
            _ => None,
        });
        let has_in = || {
            self.ahead_in_brackets(0)
                .find_map(|token| match token.kind {
                    TokenKind::In => Some(true),
                    TokenKind::Let | TokenKind::End => Some(false),
                    _ => None,
                })
        };
        is_value == Some(true) && has_in() != Some(true)
    }

    /// Parses an argument without consuming the next one: only an adjacent `(` is a call.
    fn loose_argument(&mut self) -> TermId {
        let mut term = self.atom(TermCategory::Arg);
        loop {
            let touches = self.last_end() == self.token().span.start;
            match self.kind() {
                TokenKind::LParen if touches => term = self.call(term, TermCategory::Arg),
                TokenKind::Dot if self.at_half() => term = self.project(term),
                _ => return term,
            }
        }
    }

    fn space_before(&self) -> Span {
        Span::new(self.last_end(), self.token().span.start)
    }

    /// Returns the white space before the current token, which an edit replaces; the empty span
    /// directly before the token if there is a comment.
    fn gap_before(&self) -> Span {
        let space = self.space_before();
        match self.slice(space).trim().is_empty() {
            true => space,
            false => Span::empty(space.end),
        }
    }

    /// Returns true at an argument without parentheses, the `x` of `f x`: a name or number after a
    /// name on the same line.
    pub(crate) fn is_argument_without_parentheses(&self) -> bool {
        let is_plain = |token: Token| {
            matches!(
                token.kind,
                TokenKind::Ident | TokenKind::Int | TokenKind::Float
            )
        };
        let is_function = self.previous().is_some_and(|t| t.kind == TokenKind::Ident);
        let same_line = Span::new(self.last_end(), self.token().span.start);
        self.host.is_none()
            && is_function
            && is_plain(self.token())
            && !self.slice(same_line).contains('\n')
    }

    /// Reports a `=>` after an element of a list or a term in parentheses, and parses the text
    /// after it. Returns false if this is not the first error, if `open` is no parenthesis, or if
    /// the term before the `=>` is not a parameter list.
    pub(crate) fn arrow_in_arguments(&mut self, open: Token) -> bool {
        if self.error.is_some() || open.kind != TokenKind::LParen || self.terms.is_empty() {
            return false;
        }
        let Some(before) = self.tokens.iter().position(|token| *token == open) else {
            return false;
        };
        let callee = before.checked_sub(1).map(|pos| self.tokens[pos]);
        let callee = callee.filter(|token| token.kind == TokenKind::Ident);
        let callee = callee.map(|token| self.slice(token.span).to_owned());
        let last = TermId(self.terms.len() as u32 - 1);
        self.function_without_word(last, callee.as_deref())
    }

    /// Returns the text of a term in parentheses, which are added unless the term is a
    /// [`TermKind::Paren`].
    pub(crate) fn in_parentheses(&self, term: TermId) -> String {
        let text = self.text_of(term);
        match *self.kind_of(term) {
            TermKind::Paren(_) => text.to_owned(),
            _ => format!("({text})"),
        }
    }
}

/// Returns the error for arguments without parentheses, and the fix that makes `call` of them.
fn unbracketed(span: Span, call: &str, edits: Vec<(Span, String)>) -> Diagnostic {
    let message = match call.len() > MAX_QUOTED_LENGTH || call.contains('\n') {
        true => "arguments must be in parentheses, as in `f(x)(y)`".to_owned(),
        false => format!("arguments must be in parentheses: write `{call}`"),
    };
    Diagnostic::syntax(span, message).fix(PARENTHESIZE_TITLE, edits, true)
}

/// Returns the error for a conversion in the notation of another language.
pub(super) fn conversion(whole: Span, written: String) -> Diagnostic {
    let message = format!("a conversion is written `{written}`");
    let title = format!("Write `{written}`");
    let error = Diagnostic::syntax(whole, message);
    error.replace(title, whole, written)
}

fn is_about_arguments(error: &Diagnostic) -> bool {
    error
        .fixes
        .first()
        .is_some_and(|fix| fix.title == PARENTHESIZE_TITLE)
}

/// Returns the tokens directly in the innermost brackets around the place before the first one of
/// `tokens`; of further brackets in them, only the last token in the order of reading. `deeper` is
/// the change of depth at an opening bracket: 1 if the tokens are given forwards, and -1 if
/// backwards.
pub(super) fn tokens_in_brackets<'a>(
    tokens: impl Iterator<Item = &'a Token>,
    deeper: i32,
) -> impl Iterator<Item = Token> {
    let mut depth = 0;
    let tokens = tokens.map_while(move |token| {
        depth += match token.kind {
            kind if kind.opens_bracket() => deeper,
            kind if kind.closes_bracket() => -deeper,
            _ => 0,
        };
        (depth >= 0).then_some((depth, *token))
    });
    tokens.filter_map(|(depth, token)| (depth == 0).then_some(token))
}
