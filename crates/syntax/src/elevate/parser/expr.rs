//! Parses strategy expressions: matches, conditionals and chains of operators.

use super::Parser;
use crate::elevate::ast::{Case, ExprId, ExprKind, Op};
use crate::elevate::lexer::{TokenKind, Word};
use crate::{Diagnostic, Span, TokenKind as Rise, codes};

/// An operator with its left operand, on the stack until its right operand is parsed.
pub(super) struct PendingOperator {
    op: Op,
    op_span: Span,
    lhs: ExprId,
}

/// The precedence levels, in increasing order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Precedence {
    Choice,
    Seq,
    At,
    Or,
    And,
    Compare,
    Cons,
    Sum,
    Product,
}

impl Precedence {
    fn of(op: Op) -> Precedence {
        match op {
            Op::Choice => Precedence::Choice,
            Op::Seq | Op::SeqNormal => Precedence::Seq,
            Op::At => Precedence::At,
            Op::Or => Precedence::Or,
            Op::And => Precedence::And,
            Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => Precedence::Compare,
            Op::Cons => Precedence::Cons,
            Op::Add | Op::Sub => Precedence::Sum,
            Op::Mul | Op::Div | Op::Mod => Precedence::Product,
        }
    }
}

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> ExprId {
        self.nested(Self::expr_here)
            .unwrap_or_else(|| self.missing())
    }

    fn expr_here(&mut self) -> ExprId {
        let mut expr = self.operators();
        while let Some(word) = self.eat_word(Word::Match) {
            expr = self.cases(expr, word);
            if self.infix().is_some() {
                let span = self.span_of(expr);
                let (open, close) = (Span::empty(span.start), Span::empty(span.end));
                let (place, text) = (self.span(), self.quoted());
                let message =
                    format!("{text} behind a `match`: put parentheses around the `match`");
                self.rise.report(Diagnostic::syntax(place, message).fix(
                    "Put parentheses around the `match`",
                    vec![(open, "(".to_owned()), (close, ")".to_owned())],
                    true,
                ));
                expr = self.chain(expr);
            }
        }
        expr
    }

    /// Parses operands and the infix operators between them.
    fn operators(&mut self) -> ExprId {
        let first = self.unary();
        self.chain(first)
    }

    /// Parses the rest of a chain of operators after its first operand.
    fn chain(&mut self, first: ExprId) -> ExprId {
        let base = self.pending.len();
        let mut operand = first;
        while let Some(op) = self.infix_or_bar() {
            let op_span = self.bump().span;
            let lhs = self.reduce(base, operand, Some((op, op_span)));
            self.pending.push(PendingOperator { op, op_span, lhs });
            operand = self.unary();
        }
        self.reduce(base, operand, None)
    }

    /// Returns the infix operator at the current token; `<+` for a `|`, which is reported.
    fn infix_or_bar(&mut self) -> Option<Op> {
        self.infix().or_else(|| self.at_bar().then_some(Op::Choice))
    }

    /// Returns the infix operator at the current token.
    pub(super) fn infix(&self) -> Option<Op> {
        Some(match self.kind() {
            TokenKind::Combinator(combinator, _) => combinator.op(),
            TokenKind::Cons => Op::Cons,
            TokenKind::Rise(kind) => match kind {
                Rise::Or => Op::Or,
                Rise::And => Op::And,
                Rise::EqEq => Op::Eq,
                Rise::NotEq => Op::Ne,
                Rise::Less => Op::Lt,
                Rise::LessEq => Op::Le,
                Rise::Greater => Op::Gt,
                Rise::GreaterEq => Op::Ge,
                Rise::Plus => Op::Add,
                Rise::Minus => Op::Sub,
                Rise::Star => Op::Mul,
                Rise::Slash => Op::Div,
                Rise::Percent => Op::Mod,
                Rise::Ident if self.text() == "or" => Op::Or,
                Rise::Ident if self.text() == "and" => Op::And,
                _ => return None,
            },
            _ => return None,
        })
    }

    /// Combines operators on the stack with their right operand, up to one of lower precedence than
    /// `next`, or of the same precedence for `::`, which is right-associative.
    fn reduce(&mut self, base: usize, operand: ExprId, next: Option<(Op, Span)>) -> ExprId {
        let mut operand = operand;
        while self.pending.len() > base {
            let top = &self.pending[self.pending.len() - 1];
            if let Some((op, op_span)) = next {
                let (above, level) = (Precedence::of(top.op), Precedence::of(op));
                if above < level || (above == level && level == Precedence::Cons) {
                    break;
                }
                if above == level && level == Precedence::Compare {
                    self.chained_comparison(top.op_span, op_span);
                }
            }
            let Some(PendingOperator { op, op_span, lhs }) = self.pending.pop() else {
                break;
            };
            let span = self.span_of(lhs).cover(self.span_of(operand));
            operand = self.push(
                ExprKind::Binary {
                    op,
                    op_span,
                    lhs,
                    rhs: operand,
                },
                span,
            );
        }
        operand
    }

    fn chained_comparison(&mut self, first: Span, second: Span) {
        self.rise.report(
            Diagnostic::error(
                codes::AMBIGUOUS_OPERATORS,
                second,
                "comparisons do not chain: put parentheses around one, or join two with `&&`",
            )
            .related(first, "the first of the two operators"),
        );
    }

    /// Parses the prefix operators `-`, `!` and `not`, and their operand.
    fn unary(&mut self) -> ExprId {
        let mut prefixes = Vec::new();
        while self.at_prefix() {
            prefixes.push(self.bump().span);
        }
        let mut operand = self.postfix();
        for span in prefixes.into_iter().rev() {
            let kind = match self.rise.slice(span) {
                "-" => ExprKind::Neg(operand),
                _ => ExprKind::Not(operand),
            };
            let span = span.cover(self.span_of(operand));
            operand = self.push(kind, span);
        }
        operand
    }

    fn at_prefix(&self) -> bool {
        match self.kind() {
            TokenKind::Rise(Rise::Bang) => true,
            TokenKind::Rise(Rise::Minus) => !self.rise.at_negative_number(),
            TokenKind::Rise(Rise::Ident) if self.text() == "not" => {
                !self.call_ahead(1) && self.begins_operand(1)
            }
            _ => false,
        }
    }

    /// Returns true if the token `n` positions ahead can begin an operand.
    pub(super) fn begins_operand(&self, n: usize) -> bool {
        match self.peek(n) {
            TokenKind::Quoted | TokenKind::Metavariable => true,
            TokenKind::Word(word) => matches!(word, Word::If | Word::With | Word::Rule),
            TokenKind::Rise(Rise::Ident) => !matches!(
                self.rise.slice(self.rise.peek(n).span),
                "and" | "or" | "divides" | "notIn"
            ),
            TokenKind::Rise(kind) => matches!(
                kind,
                Rise::Underscore
                    | Rise::Int
                    | Rise::Float
                    | Rise::String
                    | Rise::True
                    | Rise::False
                    | Rise::Fun
                    | Rise::DepFun
                    | Rise::Scalar
                    | Rise::Constructor
                    | Rise::Address
                    | Rise::LParen
                    | Rise::LBracket
                    | Rise::Bang
            ),
            _ => false,
        }
    }

    /// Parses `match { case p if g => e … }` after the matched expression.
    fn cases(&mut self, scrutinee: ExprId, word: crate::Token) -> ExprId {
        let start = self.span_of(scrutinee).start;
        let mut cases = Vec::new();
        match self.eat(Rise::LBrace) {
            Some(open) => {
                self.bracketed(|parser| {
                    while let Some(case) = parser.case() {
                        cases.push(case);
                    }
                });
                self.rise.close(open, Rise::RBrace);
            }
            None => {
                let span = self.rise.last_char();
                let message = "expected `{` and the cases after `match`";
                self.rise.report(
                    Diagnostic::syntax(span, message)
                        .related(word.span, "written `e match { case p => a  case _ => b }`"),
                );
            }
        }
        let cases = cases.into_boxed_slice();
        let span = self.rise.since(start);
        self.push(ExprKind::Match { scrutinee, cases }, span)
    }

    /// Parses the next case; returns `None` if there is none.
    fn case(&mut self) -> Option<Case> {
        if matches!(self.kind(), TokenKind::Rise(Rise::RBrace | Rise::End)) {
            return None;
        }
        let word = match self.eat_word(Word::Case) {
            Some(word) => word,
            None => {
                let (span, text) = (self.span(), self.quoted());
                let message = format!(
                    "expected `case` or `}}`, found {text}: a case is written `case p => e`"
                );
                self.rise.error_at(span, message);
                self.skip_to_case();
                self.eat_word(Word::Case)?
            }
        };
        let pattern = self.pattern();
        let guard = self.eat_word(Word::If).map(|_| {
            let outside = std::mem::replace(&mut self.guard, true);
            let guard = self.expr();
            self.guard = outside;
            guard
        });
        if self.eat(Rise::FatArrow).is_none() {
            self.no_arrow();
        }
        let body = self.expr();
        Some(Case {
            pattern,
            guard,
            body,
            span: self.rise.since(word.span.start),
        })
    }

    /// Reports a pattern without `=>`.
    fn no_arrow(&mut self) {
        if let Some(arrow) = self.eat(Rise::Arrow) {
            let message = "the pattern of a case is followed by `=>`, not `->`";
            return self
                .rise
                .report(Diagnostic::syntax(arrow.span, message).write(arrow.span, "=>"));
        }
        self.rise.expected("`=>` and a result");
    }

    /// Skips to the next case, or to the bracket that closes the cases.
    fn skip_to_case(&mut self) {
        self.skip_until(|kind| kind == TokenKind::Word(Word::Case));
    }

    /// Skips to the next token outside of further brackets for which `stops` returns true, or to
    /// the bracket that closes the enclosing ones.
    pub(super) fn skip_until(&mut self, stops: impl Fn(TokenKind) -> bool) {
        loop {
            match self.kind() {
                kind if stops(kind) => return,
                TokenKind::Rise(Rise::RBrace | Rise::RParen | Rise::RBracket | Rise::End) => {
                    return;
                }
                TokenKind::Rise(Rise::LParen | Rise::LBracket | Rise::LBrace) => {
                    self.rise.pos = self.partners[self.rise.pos] as usize;
                    if !self.at(Rise::End) {
                        self.bump();
                    }
                }
                _ => {
                    self.bump();
                }
            }
        }
    }

    /// Returns the maximal height of the children of an expression.
    pub(super) fn height_of(&self, kind: &ExprKind) -> u16 {
        let (mut exprs, mut conds) = (0, 0);
        kind.children(
            &self.params,
            |child| exprs = self.exprs.height(child.0).max(exprs),
            |cond| conds = self.conds.height(cond.0).max(conds),
        );
        let patterns = match kind {
            ExprKind::Match { cases, .. } => {
                let patterns = cases
                    .iter()
                    .map(|case| self.patterns.height(case.pattern.0));
                patterns.max().unwrap_or(0)
            }
            _ => 0,
        };
        exprs.max(conds).max(patterns)
    }
}
