//! Printing of primitives' applications, each in its notation.

use std::slice;

use syntax::Span;
use syntax::ast::{BinaryOp, Half, Kind, UnaryOp};

use super::Printer;
use super::term::Precedence;
use crate::core::{Expr, Form, Language, Notation, Param, SizeBinding, size_binding};
use crate::types::Arg;

impl<P: Language> Printer<P> {
    pub(super) fn primitive(
        &mut self,
        expr: &Expr<P>,
        p: &P,
        lists: Vec<Vec<Arg>>,
        args: &[Expr<P>],
        known: &[bool],
        place: Precedence,
    ) {
        let is_known = |at: usize| known.get(at).copied().unwrap_or(false);
        let saturated = !super::super::normalization::is_function(&expr.ty);
        match (p.notation(), args) {
            (Notation::Infix(op, _), [a, b]) if saturated => {
                self.infix(op, a, b, [is_known(0), is_known(1)], place);
            }
            (Notation::Prefix(op, _), [a]) => self.prefix(op, a, is_known(0), place),
            (Notation::Project(half, _), [a]) => {
                self.expr(a, Precedence::ATOM, is_known(0));
                self.out.push_str(match half {
                    Half::First => "._1",
                    Half::Second => "._2",
                });
            }
            (Notation::Pair(_), [_, _]) => self.list(&[], args, known),
            (Notation::Let(_), [value, f]) if let Form::Lambda(param, body) = &f.form => {
                let (value, body) = (value.clone(), body.clone());
                self.let_in(param, &value, is_known(0), place, |this| {
                    this.expr(&body, Precedence::TOP, is_known(1));
                });
            }
            (Notation::LetSize(_), [value, f])
                if !P::WHOLE
                    && let Some(bound) = size_binding(value, f) =>
            {
                self.let_size(&bound, value, place, |this| {
                    this.expr(bound.body, Precedence::TOP, is_known(1));
                });
            }
            (Notation::Pipe(name), [first @ .., last]) if saturated => {
                self.parens(place > Precedence::PIPE, |this| {
                    this.expr(last, Precedence::PIPE, is_known(first.len()));
                    this.out.push_str(" |> ");
                    this.call(name, &lists, first, known);
                });
            }
            (Notation::Assign | Notation::Sequence | Notation::If, args) => {
                self.command(p.notation(), args, place);
            }
            (Notation::Whole(name), args) => {
                self.out.push_str(name);
                self.list(&lists.concat(), args, known);
            }
            (Notation::List(name), args) => {
                self.call(name, &lists, &[], &[]);
                self.list(&[], args, known);
            }
            (notation, args) => self.call(word(notation), &lists, args, known),
        }
    }

    fn infix(
        &mut self,
        op: BinaryOp,
        a: &Expr<P>,
        b: &Expr<P>,
        known: [bool; 2],
        place: Precedence,
    ) {
        let own = Precedence::of(op);
        let left = match own {
            Precedence::COMPARISON => own.tighter(),
            _ => own,
        };
        self.parens(place > own, |this| {
            this.expr(a, left, known[0]);
            this.out.push_str(&format!(" {} ", op.as_str()));
            this.expr(b, own.tighter(), known[1]);
        });
    }

    fn prefix(&mut self, op: UnaryOp, a: &Expr<P>, known: bool, place: Precedence) {
        self.parens(place > Precedence::UNARY, |this| {
            this.out.push_str(match op {
                UnaryOp::Neg => "-",
                UnaryOp::Not => "!",
            });
            // The parser would read a minus directly before a number as its sign.
            let number = matches!(a.form, Form::Literal(_) | Form::Nat(_));
            let inner = if number {
                Precedence::TOP
            } else {
                Precedence::UNARY
            };
            this.parens(number, |this| this.expr(a, inner, known));
        });
    }

    /// Prints a command that has its own syntax.
    fn command(&mut self, notation: Notation, args: &[Expr<P>], place: Precedence) {
        match (notation, args) {
            (Notation::Assign, [a, b]) => self.parens(place > Precedence::COMMAND, |this| {
                this.expr(a, Precedence::PIPE, true);
                this.out.push_str(" = ");
                this.expr(b, Precedence::PIPE, true);
            }),
            (Notation::Sequence, [a, b]) => self.parens(place > Precedence::TOP, |this| {
                // Sequences are associative, so their nesting is not printed.
                let nests = match &a.form {
                    Form::Primitive(p, ..) => p.notation() == Notation::Sequence,
                    _ => false,
                };
                let first = if nests {
                    Precedence::TOP
                } else {
                    Precedence::COMMAND
                };
                this.expr(a, first, true);
                this.out.push_str("; ");
                this.expr(b, Precedence::TOP, true);
            }),
            (Notation::If, [condition, then, other]) => {
                self.out.push_str("if (");
                self.expr(condition, Precedence::TOP, true);
                self.out.push_str(") { ");
                self.expr(then, Precedence::TOP, true);
                self.out.push_str(" } else { ");
                self.expr(other, Precedence::TOP, true);
                self.out.push_str(" }");
            }
            (notation, args) => self.call(word(notation), &[], args, &[]),
        }
    }

    /// Prints the call `f(n)(a)(b)`.
    fn call(&mut self, name: &str, lists: &[Vec<Arg>], args: &[Expr<P>], known: &[bool]) {
        self.out.push_str(name);
        for list in lists {
            self.list(list, &[], &[]);
        }
        for (at, arg) in args.iter().enumerate() {
            self.list(
                &[],
                slice::from_ref(arg),
                known.get(at..).unwrap_or_default(),
            );
        }
    }

    pub(super) fn let_in(
        &mut self,
        param: &Param,
        value: &Expr<P>,
        known: bool,
        place: Precedence,
        body: impl FnOnce(&mut Self),
    ) {
        self.parens(place > Precedence::TOP, |this| {
            // The bound name is not in scope in its own value, so the value is printed first.
            let start = this.out.len();
            this.out.push_str(" = ");
            this.expr(value, Precedence::TOP, known);
            this.out.push_str(" in ");
            let name = this.scope.bind_local(&param.local, &param.ty);
            let head = format!("let {name}");
            this.insert(start, &head);
            body(this);
            this.scope.leave_local(&param.local);
        });
    }

    fn let_size(
        &mut self,
        &SizeBinding { size, param, .. }: &SizeBinding<'_, P>,
        value: &Expr<P>,
        place: Precedence,
        body: impl FnOnce(&mut Self),
    ) {
        self.parens(place > Precedence::TOP, |this| {
            let start = this.out.len();
            this.out.push_str(" = ");
            this.expr(value, Precedence::TOP, false);
            this.out.push_str(" in ");
            this.scope.bind_var(size, Kind::Nat);
            let size_name = this.scope.var(size);
            let name = param.map(|param| this.scope.bind_local(&param.local, &param.ty));
            let head = match name {
                Some(name) => format!("let {{{size_name}}} {name}"),
                None => format!("let {{{size_name}}}"),
            };
            this.insert(start, &head);
            body(this);
            if let Some(param) = param {
                this.scope.leave_local(&param.local);
            }
            this.scope.leave_var(size);
        });
    }

    /// Inserts a text before everything that was printed from `start` on.
    fn insert(&mut self, start: usize, text: &str) {
        self.out.insert_str(start, text);
        let (start, by) = (start as u32, text.len() as u32);
        for (span, _) in self.map.iter_mut().rev() {
            if span.start < start {
                break;
            }
            *span = Span::new(span.start + by, span.end + by);
        }
    }
}

/// Returns the name of a primitive that is written as a function.
fn word(notation: Notation) -> &'static str {
    match notation {
        Notation::Call(name)
        | Notation::Pipe(name)
        | Notation::Whole(name)
        | Notation::List(name)
        | Notation::Infix(_, name)
        | Notation::Prefix(_, name)
        | Notation::Project(_, name)
        | Notation::Pair(name)
        | Notation::Let(name)
        | Notation::LetSize(name) => name,
        Notation::Assign => "assign",
        Notation::Sequence => "seq",
        Notation::If => "if",
        Notation::Skip => "skip",
    }
}
