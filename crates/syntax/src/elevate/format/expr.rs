//! Lays out strategy expressions and the patterns of `match`.

use super::ItemLayout;
use crate::TokenKind;
use crate::elevate::ast::{Arg, Case, ExprId, ExprKind, ListForm, Op, PatternId, PatternKind};
use crate::format::source::Layout;

/// Returns true if both operators form one chain, whose lines break together.
fn same_chain(a: Op, b: Op) -> bool {
    let level = |op| match op {
        Op::Seq | Op::SeqNormal => 0,
        Op::Choice => 1,
        Op::At => 2,
        Op::Or => 3,
        Op::And => 4,
        Op::Add | Op::Sub => 5,
        Op::Mul | Op::Div | Op::Mod => 6,
        Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => 7,
        Op::Cons => 8,
    };
    level(a) == level(b)
}

impl ItemLayout<'_> {
    pub(super) fn expr(&mut self, id: ExprId) {
        let item = self.item;
        let expr = item.expr(id);
        match &expr.kind {
            ExprKind::Missing
            | ExprKind::Hole
            | ExprKind::Name(_)
            | ExprKind::Literal(_)
            | ExprKind::String(_)
            | ExprKind::Address(_) => self.writer.words_until(expr.span.end),
            ExprKind::Type(term) => self.writer.term(*term),
            ExprKind::Rise(term) => match item.term(*term).span == expr.span {
                true => self.writer.term(*term),
                false => {
                    self.word_space();
                    self.braces(1, false, |layout, _| layout.writer.term(*term));
                }
            },
            ExprKind::Call { callee, args } => self.call(*callee, args),
            ExprKind::Member { object, .. } => {
                self.expr(*object);
                self.word();
                self.word();
            }
            ExprKind::Binary { op, .. } => self.chain(id, *op),
            ExprKind::Neg(operand) => {
                self.word();
                if matches!(self.writer.kind(), TokenKind::Int | TokenKind::Float) {
                    self.space();
                }
                self.expr(*operand);
            }
            ExprKind::Not(operand) => {
                let sign = self.writer.kind() == TokenKind::Bang;
                self.word();
                if !sign {
                    self.space();
                }
                self.expr(*operand);
            }
            ExprKind::Lambda { params, body } => {
                match self.writer.kind() {
                    TokenKind::LParen => {
                        self.list(params.len(), |layout, at| layout.param(params[at]));
                    }
                    _ => self.word(),
                }
                self.space();
                self.word();
                self.right_side(*body);
            }
            ExprKind::Match { scrutinee, cases } => {
                self.expr(*scrutinee);
                self.space();
                self.word_space();
                match cases.len() {
                    0 => {
                        self.word();
                        self.word();
                    }
                    count => self.braces(count, false, |layout, at| layout.case(&cases[at])),
                }
            }
            ExprKind::If {
                condition,
                then,
                otherwise,
            } => self.conditional([*condition, *then, *otherwise]),
            ExprKind::List { elements, form } => {
                if *form != ListForm::Brackets {
                    self.word();
                }
                self.list(elements.len(), |layout, at| layout.expr(elements[at]));
            }
            ExprKind::Tuple(parts) => {
                self.list(parts.len(), |layout, at| layout.expr(parts[at]));
            }
            ExprKind::Paren(inner) if self.ends_in_block(*inner) => {
                self.word();
                self.expr(*inner);
                self.word();
            }
            ExprKind::Paren(inner) => {
                self.word();
                self.writer.out.indent();
                self.expr(*inner);
                self.writer.out.dedent();
                self.word();
            }
            ExprKind::Rule(alts) => {
                self.word_space();
                self.alts(alts);
            }
            ExprKind::With { normal_form, body } => {
                self.word_space();
                self.expr(*normal_form);
                self.space();
                self.braces(1, false, |layout, _| layout.expr(*body));
            }
        }
    }

    /// Writes an expression after `=`, `=>` or `apply`: on the same line if it fits or ends in a
    /// block in braces, otherwise on the lines below.
    pub(super) fn right_side(&mut self, body: ExprId) {
        match self.ends_in_block(body) {
            true => {
                self.space();
                self.expr(body);
            }
            false => self.below(|layout| layout.expr(body)),
        }
    }

    /// Returns true for an expression that ends with a block in braces: `rule`, `with`, `rise` or
    /// an abstraction with such a body. A `match` counts only if it matches a name, a call or a
    /// member access.
    fn ends_in_block(&self, id: ExprId) -> bool {
        let mut id = id;
        loop {
            match &self.item.expr(id).kind {
                ExprKind::Lambda { body, .. } => id = *body,
                ExprKind::Match { scrutinee, .. } => {
                    return matches!(
                        self.item.expr(*scrutinee).kind,
                        ExprKind::Name(_) | ExprKind::Call { .. } | ExprKind::Member { .. }
                    );
                }
                ExprKind::Rule(_) | ExprKind::With { .. } => return true,
                ExprKind::Rise(term) => {
                    return self.item.term(*term).span != self.item.expr(id).span;
                }
                _ => return false,
            }
        }
    }

    /// Writes a call `f(a, b)`. If the last argument is an abstraction or ends with a block in
    /// braces, and has no name, no line breaks separate the arguments; otherwise either all
    /// arguments are on one line or each is on its own.
    fn call(&mut self, callee: ExprId, args: &[Arg]) {
        self.expr(callee);
        let ends_in_function = args.last().is_some_and(|arg| {
            arg.name.is_none()
                && match self.item.expr(arg.value).kind {
                    ExprKind::Lambda { .. } => true,
                    _ => self.ends_in_block(arg.value),
                }
        });
        if !ends_in_function {
            return self.list(args.len(), |layout, at| layout.arg(&args[at]));
        }
        self.word();
        for (at, arg) in args.iter().enumerate() {
            if at > 0 {
                self.word_space();
            }
            self.arg(arg);
        }
        self.word();
    }

    fn arg(&mut self, arg: &Arg) {
        if arg.name.is_some() {
            self.word_space();
            self.word_space();
        }
        self.expr(arg.value);
    }

    fn chain(&mut self, id: ExprId, op: Op) {
        let mut operands = Vec::new();
        let mut head = id;
        let mut trailing = matches!(op, Op::Seq | Op::SeqNormal);
        while let ExprKind::Binary {
            op: next,
            op_span,
            lhs,
            rhs,
        } = &self.item.expr(head).kind
        {
            if !same_chain(*next, op) {
                break;
            }
            trailing &= !self.writer.begins_line_at(*op_span);
            // `::` associates to the right.
            if op == Op::Cons {
                operands.push(*lhs);
                head = *rhs;
            } else {
                operands.push(*rhs);
                head = *lhs;
            }
        }
        if op == Op::Cons {
            operands.push(head);
            head = operands.remove(0);
        } else {
            operands.reverse();
        }
        let sequence = matches!(op, Op::Seq | Op::SeqNormal);
        let group = self.writer.open();
        self.expr(head);
        if !trailing {
            self.writer.out.indent_if_broken(group);
        }
        for &operand in &operands {
            if sequence && self.writer.at_line_end() {
                self.writer.out.break_parent();
            }
            match trailing {
                true => {
                    self.space();
                    self.word();
                    self.line();
                }
                false => {
                    self.line();
                    self.word_space();
                }
            }
            self.expr(operand);
        }
        if !trailing {
            self.writer.out.dedent_if_broken(group);
        }
        self.writer.out.close();
    }

    /// Writes `if c then a else b`.
    fn conditional(&mut self, parts: [ExprId; 3]) {
        let [condition, then, otherwise] = parts;
        let group = self.writer.open();
        self.word_space();
        self.expr(condition);
        self.writer.out.indent_if_broken(group);
        self.line();
        self.word_space();
        self.expr(then);
        self.line();
        self.word_space();
        self.expr(otherwise);
        self.writer.out.dedent_if_broken(group);
        self.writer.out.close();
    }

    /// Writes `case p if g => e`.
    fn case(&mut self, case: &Case) {
        self.word_space();
        self.pattern(case.pattern);
        if let Some(guard) = case.guard {
            self.space();
            self.word_space();
            self.expr(guard);
        }
        self.space();
        self.word();
        self.right_side(case.body);
    }

    fn pattern(&mut self, id: PatternId) {
        let item = self.item;
        let pattern = item.pattern(id);
        match &pattern.kind {
            PatternKind::Missing
            | PatternKind::Wildcard
            | PatternKind::Name(_)
            | PatternKind::Literal(_)
            | PatternKind::String(_) => self.writer.words_until(pattern.span.end),
            PatternKind::List(parts) => {
                self.list(parts.len(), |layout, at| layout.pattern(parts[at]));
            }
            PatternKind::Cons(head, tail) => {
                self.pattern(*head);
                self.space();
                self.word_space();
                self.pattern(*tail);
            }
            PatternKind::Success(part) | PatternKind::Failure(part) => {
                self.word();
                self.list(1, |layout, _| layout.pattern(*part));
            }
            PatternKind::Node(_, parts) => {
                self.word();
                self.list(parts.len(), |layout, at| layout.pattern(parts[at]));
            }
            PatternKind::Term(term) => self.side(*term),
        }
    }
}
