//! Printing of expressions.

use syntax::Span;
use syntax::ast::BinaryOp;

use super::Printer;
use crate::core::{Expr, Form, Language};
use crate::types::Arg;

/// The precedence that the context of an expression requires: a looser expression is parenthesised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Precedence(u8);

impl Precedence {
    /// Any expression.
    pub(super) const TOP: Precedence = Precedence(0);
    /// A command of a sequence.
    pub(super) const COMMAND: Precedence = Precedence(1);
    /// The left operand of `|>`, or an operand of an assignment.
    pub(super) const PIPE: Precedence = Precedence(3);
    pub(super) const OR: Precedence = Precedence(5);
    pub(super) const AND: Precedence = Precedence(6);
    pub(super) const COMPARISON: Precedence = Precedence(7);
    pub(super) const SUM: Precedence = Precedence(8);
    pub(super) const PRODUCT: Precedence = Precedence(9);
    pub(super) const UNARY: Precedence = Precedence(11);
    /// The callee of an application, or the operand of a projection.
    pub(super) const ATOM: Precedence = Precedence(12);

    pub(super) fn tighter(self) -> Precedence {
        Precedence(self.0 + 1)
    }

    pub(super) fn of(op: BinaryOp) -> Precedence {
        match op {
            BinaryOp::Or => Precedence::OR,
            BinaryOp::And => Precedence::AND,
            BinaryOp::Add | BinaryOp::Sub => Precedence::SUM,
            BinaryOp::Mul | BinaryOp::Div | BinaryOp::Mod => Precedence::PRODUCT,
            _ => Precedence::COMPARISON,
        }
    }
}

impl<P: Language> Printer<P> {
    /// Prints an expression; `wanted` is true if its type is known from the context.
    pub(super) fn expr(&mut self, expr: &Expr<P>, place: Precedence, wanted: bool) {
        let start = self.out.len();
        self.visit(expr, place, wanted);
        let end = |len: usize| u32::try_from(len).unwrap_or(u32::MAX);
        let span = Span::new(end(start), end(self.out.len()));
        self.map.push((span, expr.origin));
    }

    pub(super) fn visit(&mut self, expr: &Expr<P>, place: Precedence, wanted: bool) {
        match &expr.form {
            Form::Var(local) => {
                let name = self.scope.local(local);
                self.out.push_str(&name);
            }
            Form::Literal(literal) => self.literal(literal, &expr.ty, wanted, place),
            Form::Nat(nat) if nat.as_const().is_some_and(|value| value >= 0) && !wanted => {
                let text = self.scope.nat_text(nat);
                self.out.push_str(&format!("{text}natType"));
            }
            Form::Nat(nat) => {
                let text = self.scope.nat_text(nat);
                let needed = place > holds(&text, nat.is_atomic());
                self.parens(needed, |this| this.out.push_str(&text));
            }
            Form::Lambda(..) | Form::DepLambda(..) => self.function(expr, wanted),
            Form::Global(id, _) => {
                let name = self.globals.get(id).cloned().unwrap_or_default();
                self.out.push_str(&name);
            }
            Form::Foreign(function, args) => {
                self.out.push_str(&function.name);
                self.list(&[], args, &vec![true; args.len()]);
            }
            Form::Apply(..) | Form::DepApply(..) => self.application(expr, place, wanted),
            Form::Primitive(p, types, args) => {
                let known = self.known.application(p, args, wanted);
                if known.whole {
                    let lists = p.written(types);
                    self.primitive(expr, p, lists, args, &known.args, place);
                } else if let Some(lists) = p.written_whole(types) {
                    self.primitive(expr, p, lists, args, &vec![true; args.len()], place);
                } else {
                    let known = self.known.application(p, args, true);
                    self.out.push('(');
                    let lists = p.written(types);
                    self.primitive(expr, p, lists, args, &known.args, Precedence::TOP);
                    self.ascription(&expr.ty);
                }
            }
        }
    }

    pub(super) fn parens(&mut self, needed: bool, print: impl FnOnce(&mut Self)) {
        if needed {
            self.out.push('(');
        }
        print(self);
        if needed {
            self.out.push(')');
        }
    }

    /// Prints `: type)`; the opening parenthesis is printed before the expression.
    pub(super) fn ascription(&mut self, ty: &crate::Ty) {
        let text = self.scope.type_text(ty);
        self.out.push_str(" : ");
        self.out.push_str(&text);
        self.out.push(')');
    }

    /// Prints `(a, b)`, type-level arguments first, or nothing if there is no argument.
    pub(super) fn list(&mut self, types: &[Arg], args: &[Expr<P>], known: &[bool]) {
        if types.is_empty() && args.is_empty() {
            return;
        }
        let texts: Vec<String> = types.iter().map(|arg| self.scope.arg_text(arg)).collect();
        self.out.push('(');
        self.out.push_str(&texts.join(", "));
        for (at, arg) in args.iter().enumerate() {
            if at > 0 || !types.is_empty() {
                self.out.push_str(", ");
            }
            let is_known = known.get(at).copied().unwrap_or(false);
            self.expr(arg, Precedence::TOP, is_known);
        }
        self.out.push(')');
    }
}

/// Returns the precedence of a printed size.
fn holds(text: &str, atomic: bool) -> Precedence {
    let mut depth = 0;
    let mut place = if atomic {
        Precedence::ATOM
    } else {
        Precedence::PRODUCT
    };
    for sign in text.chars() {
        match sign {
            '(' => depth += 1,
            ')' => depth -= 1,
            '+' | '-' if depth == 0 => place = Precedence::SUM,
            _ => {}
        }
    }
    place
}
