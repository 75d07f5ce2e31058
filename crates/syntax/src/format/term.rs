//! Lays out terms: a part that does not fit on a line is broken at its operators, arrows or commas,
//! or below the parameters of a function. A pipeline of several stages that takes several lines in
//! the text has one stage on each line.

use super::document::Group;
use super::source::{Layout, Writer};
use crate::ast::{BinaryOp, BinderId, TermId, TermKind};
use crate::lexer::TokenKind;

/// The classes of operators. Adjacent operators of one class, except [`Chain::Single`], form a
/// chain, whose lines break together.
#[derive(PartialEq, Eq)]
enum Chain {
    Pipe,
    Compose,
    Or,
    And,
    Sum,
    Product,
    Single,
}

impl Chain {
    fn of(op: BinaryOp) -> Chain {
        use BinaryOp::*;
        match op {
            Pipe => Chain::Pipe,
            Then | After => Chain::Compose,
            Or => Chain::Or,
            And => Chain::And,
            Add | Sub => Chain::Sum,
            Mul | Div | Mod => Chain::Product,
            ApplyLeft | Eq | Ne | Lt | Le | Gt | Ge | Pow | Divides => Chain::Single,
        }
    }
}

/// A part of a function type before an arrow: a type, or a parameter such as `(n: Nat)`.
enum ArrowSegment {
    Arrow(TermId),
    Pi(BinderId),
}

impl Writer<'_> {
    pub(crate) fn term(&mut self, id: TermId) {
        self.tail(id, &mut None);
    }

    /// Writes a term at the end of a group. An abstraction closes the group before its body, so
    /// that a body on lines of its own does not break the text before it.
    pub(crate) fn tail(&mut self, id: TermId, group: &mut Option<Group>) {
        let item = self.item;
        let term = item.term(id);
        match &term.kind {
            TermKind::Missing
            | TermKind::Hole
            | TermKind::Name(_)
            | TermKind::Literal(_)
            | TermKind::Operator(_)
            | TermKind::Scalar(_)
            | TermKind::Address(_)
            | TermKind::Comm
            | TermKind::Access(_)
            | TermKind::Skip => self.words_until(term.span.end),
            TermKind::Apply { callee, args } => self.apply(*callee, args, group),
            TermKind::Binary { op, .. } => self.chain(id, *op),
            TermKind::Unary { operand, .. } => self.unary(*operand),
            TermKind::Project { pair, .. } => {
                self.term(*pair);
                self.words_until(term.span.end);
            }
            TermKind::Fun {
                params,
                grouped,
                body,
            } => self.function(params, *grouped, *body, group),
            TermKind::DepFun { params, body } => self.function(params, false, *body, group),
            TermKind::NatFun { param, body }
            | TermKind::DataFun { param, body }
            | TermKind::DepPair { param, body } => self.function(&[*param], false, *body, group),
            TermKind::Let { .. } | TermKind::Local { .. } | TermKind::LetSize { .. } => {
                self.lets(id)
            }
            TermKind::Pair(first, second) => {
                let both = [*first, *second];
                self.list(2, |writer, at| writer.term(both[at]));
            }
            TermKind::Ascribe { term, ty } => self.ascribe(*term, *ty),
            TermKind::Paren(inner) if self.is_sequence(*inner) => self.block(*inner),
            TermKind::Paren(inner) => {
                self.word();
                self.term(*inner);
                self.word();
            }
            TermKind::Array {
                size,
                elem,
                long: false,
            }
            | TermKind::DepArray { size, elem } => {
                self.dimension(*size, *elem);
            }
            TermKind::Array {
                size: a, elem: b, ..
            }
            | TermKind::Tuple(a, b)
            | TermKind::Vector { size: a, elem: b }
            | TermKind::Exp { data: a, access: b } => self.brackets(&[*a, *b]),
            TermKind::Index(inner) | TermKind::Acc(inner) => self.brackets(&[*inner]),
            TermKind::Arrow(..) | TermKind::Pi { .. } => self.arrows(id, true),
            TermKind::Where { ty, conditions } => {
                self.group(|writer| {
                    writer.indented(|writer| {
                        writer.term(*ty);
                        writer.conditions(conditions);
                    });
                });
            }
            TermKind::Assign { lhs, rhs, .. } => self.assign(*lhs, *rhs),
            TermKind::Sequence(commands) => self.sequence(commands),
            TermKind::If {
                condition,
                then,
                otherwise,
            } => self.conditional(*condition, *then, *otherwise),
        }
    }

    /// Writes a type constructor such as `Array[n, t]`.
    fn brackets(&mut self, parts: &[TermId]) {
        self.word();
        self.list(parts.len(), |writer, at| writer.term(parts[at]));
    }

    fn is_sequence(&self, id: TermId) -> bool {
        matches!(self.item.term(id).kind, TermKind::Sequence(_))
    }

    /// Writes the commands `c1; c2` on a line each.
    fn sequence(&mut self, commands: &[TermId]) {
        self.group(|writer| {
            writer.out.break_parent();
            for (at, &command) in commands.iter().enumerate() {
                if at > 0 {
                    writer.word();
                    writer.line();
                }
                writer.term(command);
            }
        });
    }

    /// Writes `acceptor = expression`. An infix operation begins on the line of the `=` and is
    /// broken at its operators; any other long expression is written below.
    fn assign(&mut self, lhs: TermId, rhs: TermId) {
        self.term(lhs);
        self.space();
        self.word();
        match self.item.term(rhs).kind {
            TermKind::Binary { .. } => {
                self.space();
                self.term(rhs);
            }
            _ => self.right_side(rhs),
        }
    }

    /// Writes a command in brackets, on lines of its own between them.
    fn block(&mut self, command: TermId) {
        self.word();
        self.out.indent();
        self.out.hard_line();
        self.term(command);
        self.out.dedent();
        self.out.hard_line();
        self.word();
    }

    /// Writes `if (condition) { then } else { otherwise }`.
    fn conditional(&mut self, condition: TermId, then: TermId, otherwise: TermId) {
        self.word_space();
        self.list(1, |writer, _| writer.term(condition));
        for command in [then, otherwise] {
            self.space();
            if self.kind() == TokenKind::Else {
                self.word_space();
            }
            self.block(command);
        }
    }

    /// Writes a call `f(a, b)`. If the last argument is an abstraction and no other argument is
    /// one, all of them begin on the line of the parenthesis.
    fn apply(&mut self, callee: TermId, args: &[TermId], group: &mut Option<Group>) {
        self.term(callee);
        let functions = args.iter().filter(|&&arg| self.is_function(arg)).count();
        let ends_in_function = args.last().is_some_and(|&arg| self.is_function(arg));
        if functions != 1 || !ends_in_function {
            return self.list(args.len(), |writer, at| writer.term(args[at]));
        }
        self.word();
        for (at, &arg) in args.iter().enumerate() {
            if at > 0 {
                self.word_space();
            }
            match at + 1 == args.len() {
                true => self.tail(arg, group),
                false => self.term(arg),
            }
        }
        self.word();
    }

    pub(crate) fn is_function(&self, id: TermId) -> bool {
        matches!(
            self.item.term(id).kind,
            TermKind::Fun { .. } | TermKind::DepFun { .. }
        )
    }

    /// Writes an abstraction such as `fun(params => body)`, with or without parentheses around the
    /// parameters, or `DepPair[k => t]`. A parenthesis is that of a pattern if the first parameter is
    /// one and the parameters are not `grouped`.
    fn function(
        &mut self,
        params: &[BinderId],
        grouped: bool,
        body: TermId,
        group: &mut Option<Group>,
    ) {
        self.word();
        self.word();
        let is_pattern = |&param: &BinderId| self.item.binder(param).parts.is_some();
        if self.kind() == TokenKind::LParen && (grouped || !params.first().is_some_and(is_pattern))
        {
            self.list(params.len(), |writer, at| writer.binder(params[at]));
        } else {
            for (at, &param) in params.iter().enumerate() {
                if at > 0 {
                    self.word_space();
                }
                self.binder(param);
            }
        }
        self.space();
        self.word();
        if group.take().is_some() {
            self.out.close();
        }
        if self.is_function(body) && !self.begins_line() {
            self.function_in_line(body);
        } else {
            self.right_side(body);
        }
        self.word();
    }

    /// Writes an abstraction that is the body of another one, on the same line if its parameters
    /// fit.
    fn function_in_line(&mut self, id: TermId) {
        let group = self.out.open();
        self.out.indent_if_broken(group);
        self.out.line();
        self.tail(id, &mut Some(group));
        self.out.dedent_if_broken(group);
    }

    /// Writes a chain of operators. The lines of a long chain begin with the operators, but a `<|`
    /// ends its line.
    fn chain(&mut self, id: TermId, op: BinaryOp) {
        let mut operands = Vec::new();
        let mut head = id;
        while let TermKind::Binary {
            op: next, lhs, rhs, ..
        } = &self.item.term(head).kind
        {
            let same = Chain::of(*next) == Chain::of(op) && *next != BinaryOp::ApplyLeft;
            if head != id && (!same || Chain::of(op) == Chain::Single) {
                break;
            }
            operands.push(*rhs);
            head = *lhs;
        }
        operands.reverse();
        let group = self.open();
        let mut open = Some(group);
        self.term(head);
        self.out.indent_if_broken(group);
        let stages = matches!(op, BinaryOp::Pipe | BinaryOp::Then | BinaryOp::After);
        for (at, &operand) in operands.iter().enumerate() {
            if stages && operands.len() > 1 && self.at_line_end() {
                self.out.break_parent();
            }
            let trailing = op == BinaryOp::ApplyLeft;
            self.operator(trailing);
            match at + 1 == operands.len() {
                true => self.tail(operand, &mut open),
                false => self.term(operand),
            }
        }
        self.out.dedent_if_broken(group);
        if open.is_some() {
            self.out.close();
        }
    }

    fn operator(&mut self, trailing: bool) {
        match trailing {
            true => {
                self.space();
                self.word();
                self.out.line();
            }
            false => {
                self.out.line();
                self.word_space();
            }
        }
    }

    /// Writes a prefix operator; a space before a number is kept, as the sign would become a part
    /// of the number.
    fn unary(&mut self, operand: TermId) {
        self.word();
        if matches!(self.kind(), TokenKind::Int | TokenKind::Float) {
            self.space();
        }
        self.term(operand);
    }

    /// Writes `let x = value in` and its body, below each other if they are so in the text or do
    /// not fit on a line.
    fn lets(&mut self, id: TermId) {
        let mut id = id;
        self.open();
        loop {
            let (value, next) = match &self.item.term(id).kind {
                TermKind::Let {
                    binder,
                    value,
                    body,
                } => {
                    self.word_space();
                    self.binder(*binder);
                    (*value, *body)
                }
                TermKind::LetSize {
                    size,
                    binder,
                    value,
                    body,
                } => {
                    self.word_space();
                    self.word();
                    self.binder(*size);
                    self.word();
                    if let Some(binder) = binder {
                        self.space();
                        self.binder(*binder);
                    }
                    (*value, *body)
                }
                TermKind::Local { head, ty, body, .. } => {
                    self.word_space();
                    self.word();
                    self.head(head, Some(*ty));
                    (head.value, *body)
                }
                _ => break,
            };
            self.space();
            self.word();
            self.right_side(value);
            self.space();
            self.word();
            if self.begins_line() {
                self.out.break_parent();
            }
            self.out.line();
            id = next;
        }
        self.term(id);
        self.out.close();
    }

    fn ascribe(&mut self, term: TermId, ty: TermId) {
        self.open();
        self.word();
        self.out.indent();
        self.term(term);
        self.out.line();
        self.word_space();
        self.term(ty);
        self.out.dedent();
        self.word();
        self.out.close();
    }

    /// Writes `n.t` or `n..f`. In `3.3.f32` two sizes are one token.
    fn dimension(&mut self, size: TermId, elem: TermId) {
        let place = self.place();
        let shared = self.kind() == TokenKind::Float
            && place.contains(self.item.term(size).span)
            && place != self.item.term(size).span;
        if shared {
            self.word();
            return self.rest_of_dimension(elem);
        }
        self.term(size);
        let number = matches!(self.item.term(size).kind, TermKind::Literal(_));
        self.word();
        if number && self.kind() == TokenKind::Int {
            self.space();
        }
        self.term(elem);
    }

    /// Writes the part of an array type after the second size of a token such as `3.3`.
    fn rest_of_dimension(&mut self, id: TermId) {
        match self.item.term(id).kind {
            TermKind::Array {
                size,
                elem,
                long: false,
            }
            | TermKind::DepArray { size, elem } => {
                self.rest_of_dimension(size);
                self.word();
                self.term(elem);
            }
            TermKind::Apply { callee, ref args } => {
                self.rest_of_dimension(callee);
                self.list(args.len(), |writer, at| writer.term(args[at]));
            }
            _ => self.words_until(self.item.term(id).span.end),
        }
    }

    /// Writes a function type `s -> t -> u`: a long one breaks before each arrow but those of
    /// parameters. If `indent` is true, its lines after the first break are indented.
    fn arrows(&mut self, id: TermId, indent: bool) {
        let mut steps = Vec::new();
        let mut last = id;
        loop {
            match self.item.term(last).kind {
                TermKind::Arrow(from, to) => {
                    steps.push(ArrowSegment::Arrow(from));
                    last = to;
                }
                TermKind::Pi { param, body, .. } => {
                    steps.push(ArrowSegment::Pi(param));
                    last = body;
                }
                _ => break,
            }
        }
        let group = self.open();
        let mut indented = false;
        for step in steps {
            match step {
                ArrowSegment::Arrow(from) => {
                    self.term(from);
                    if indent && !indented {
                        self.out.indent_if_broken(group);
                        indented = true;
                    }
                    self.out.line();
                }
                ArrowSegment::Pi(param) => {
                    self.word();
                    self.binder(param);
                    self.word_space();
                }
            }
            self.word_space();
        }
        self.term(last);
        if indented {
            self.out.dedent_if_broken(group);
        }
        self.out.close();
    }

    /// Writes `where 4 | n, n >= 12` after a type, on a line of its own if the enclosing group is
    /// not on one line.
    pub(crate) fn conditions(&mut self, conditions: &[TermId]) {
        self.out.line();
        self.word();
        for (at, &condition) in conditions.iter().enumerate() {
            if at > 0 {
                self.word();
            }
            self.space();
            self.term(condition);
        }
    }

    /// Writes the type of a definition; the caller indents its lines.
    pub(crate) fn type_of_def(&mut self, id: TermId) {
        match &self.item.term(id).kind {
            TermKind::Where { ty, conditions } => {
                self.type_of_def(*ty);
                self.conditions(conditions);
            }
            TermKind::Arrow(..) | TermKind::Pi { .. } => self.arrows(id, false),
            _ => self.term(id),
        }
    }
}
