//! Parses strategy expressions: matches, conditionals and chains of operators.

use super::Parser;
use crate::elevate::ast::{Case, ExprId, ExprKind, Op};
use crate::lexer::elevate::Word;
use crate::{Diagnostic, Span, Token, TokenKind, codes};

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
                let message = format!(
                    "{text} cannot follow a `match` directly: put parentheses around the `match`"
                );
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

    /// Returns the infix operator at the current token; `<+` for a `|` before an operand, which is
    /// reported.
    fn infix_or_bar(&mut self) -> Option<Op> {
        self.infix().or_else(|| self.at_bar().then_some(Op::Choice))
    }

    /// Returns the infix operator at the current token.
    pub(super) fn infix(&self) -> Option<Op> {
        Some(match self.kind() {
            TokenKind::Combinator(combinator, _) => combinator.into(),
            TokenKind::Cons => Op::Cons,
            TokenKind::Or => Op::Or,
            TokenKind::And => Op::And,
            TokenKind::EqEq => Op::Eq,
            TokenKind::NotEq => Op::Ne,
            TokenKind::Less => Op::Lt,
            TokenKind::LessEq => Op::Le,
            TokenKind::Greater => Op::Gt,
            TokenKind::GreaterEq => Op::Ge,
            TokenKind::Plus => Op::Add,
            TokenKind::Minus => Op::Sub,
            TokenKind::Star => Op::Mul,
            TokenKind::Slash => Op::Div,
            TokenKind::Percent => Op::Mod,
            TokenKind::Ident if self.text() == "or" => Op::Or,
            TokenKind::Ident if self.text() == "and" => Op::And,
            _ => return None,
        })
    }

    /// Combines the operators on the stack from the index `base` on, the last one first, with their
    /// right operand, and returns the result. Stops before an operator of lower precedence than
    /// `next`, and for `::`, which is right-associative, before one of the same precedence. Two
    /// comparisons without parentheses are reported.
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
                "comparisons do not chain: put parentheses around one comparison, or join two with `&&`",
            )
            .related(first, "the first of the two operators"),
        );
    }

    /// Parses prefix operators `-`, `!` and `not`, if there are any, and their operand.
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
            TokenKind::Bang => true,
            TokenKind::Minus => !self.rise.at_negative_number(),
            TokenKind::Ident if self.text() == "not" => {
                !self.call_ahead(1) && self.begins_operand(1)
            }
            _ => false,
        }
    }

    /// Returns true if the token `n` positions ahead can begin an operand. The signs and words `-`,
    /// `let`, `natFun` and `dataFun`, which can also begin one, are not considered.
    pub(super) fn begins_operand(&self, n: usize) -> bool {
        match self.peek(n) {
            TokenKind::Quoted | TokenKind::Metavariable => true,
            TokenKind::Word(word) => matches!(word, Word::If | Word::With | Word::Rule),
            TokenKind::Ident => !matches!(
                self.rise.slice(self.rise.peek(n).span),
                "and" | "or" | "divides" | "notIn"
            ),
            kind => matches!(
                kind,
                TokenKind::Underscore
                    | TokenKind::Int
                    | TokenKind::Float
                    | TokenKind::String
                    | TokenKind::True
                    | TokenKind::False
                    | TokenKind::Fun
                    | TokenKind::DepFun
                    | TokenKind::Scalar
                    | TokenKind::Constructor
                    | TokenKind::Address
                    | TokenKind::LParen
                    | TokenKind::LBracket
                    | TokenKind::Bang
            ),
        }
    }

    /// Parses `match { case p if g => e … }` after the matched expression.
    fn cases(&mut self, scrutinee: ExprId, word: Token) -> ExprId {
        let start = self.span_of(scrutinee).start;
        let mut cases = Vec::new();
        match self.eat(TokenKind::LBrace) {
            Some(open) => {
                self.bracketed(|parser| {
                    while let Some(case) = parser.case() {
                        cases.push(case);
                    }
                });
                self.rise.close(open, TokenKind::RBrace);
            }
            None => {
                let span = self.rise.last_char();
                let message = "expected `{` and the cases after `match`";
                self.rise.report(Diagnostic::syntax(span, message).related(
                    word.span,
                    "a `match` is written `e match { case p => a  case _ => b }`",
                ));
            }
        }
        let cases = cases.into_boxed_slice();
        self.push_since(start, ExprKind::Match { scrutinee, cases })
    }

    /// Parses the next case; returns `None` if there is none. Text before its `case` is reported
    /// and skipped.
    fn case(&mut self) -> Option<Case> {
        if matches!(self.kind(), TokenKind::RBrace | TokenKind::End) {
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
        if self.eat(TokenKind::FatArrow).is_none() {
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

    /// Reports that no `=>` follows the pattern of a case; a `->` in its place is skipped.
    fn no_arrow(&mut self) {
        if let Some(arrow) = self.eat(TokenKind::Arrow) {
            let message = "the pattern of a case is followed by `=>`, not `->`";
            return self
                .rise
                .report(Diagnostic::syntax(arrow.span, message).write(arrow.span, "=>"));
        }
        self.rise.expected("`=>` and a result");
    }

    fn skip_to_case(&mut self) {
        self.skip_until(|kind| kind == TokenKind::Word(Word::Case));
    }

    /// Skips to the first token, from the current one on, for which `stops` returns true, or to the
    /// next unmatched closing bracket or the end of the item. Brackets that open on the way are
    /// skipped with their contents.
    pub(super) fn skip_until(&mut self, stops: impl Fn(TokenKind) -> bool) {
        loop {
            match self.kind() {
                kind if stops(kind) => return,
                TokenKind::RBrace | TokenKind::RParen | TokenKind::RBracket | TokenKind::End => {
                    return;
                }
                kind if kind.opens_bracket() => {
                    self.rise.pos = self.partners[self.rise.pos] as usize;
                    if !self.at(TokenKind::End) {
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
            ExprKind::Match { cases, .. } => self
                .patterns
                .highest(cases.iter().map(|case| case.pattern.0)),
            _ => 0,
        };
        exprs.max(conds).max(patterns)
    }
}
