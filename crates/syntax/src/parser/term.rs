//! Parses terms: first the forms that extend to the right as far as possible, then postfix forms.

use super::recover_items::fat_arrow_for_arrow;
use super::{Parser, TermCategory};
use crate::ast::{BinderAnnotation, BinderId, Half, Head, Name, TermId, TermKind};
use crate::lexer::{Token, TokenKind};
use crate::{Diagnostic, Dialect, Span};

/// The start of a term whose last part is still to be parsed.
enum PendingTerm {
    /// The start `let x = value in …`.
    Let {
        start: u32,
        binder: BinderId,
        value: TermId,
    },
    /// The start `let f(x: f32): f32 = value in …`.
    Local {
        start: u32,
        binder: BinderId,
        head: Box<Head>,
        ty: TermId,
        function: TermId,
    },
    /// The start `let {k} x = value in …`, or `let {k} = value in …`.
    LetSize {
        start: u32,
        size: BinderId,
        binder: Option<BinderId>,
        value: TermId,
    },
    /// The start `(n: Nat) -> …` or `{n: Nat} -> …`.
    Pi {
        start: u32,
        param: BinderId,
        implicit: bool,
    },
    /// The start `a -> …`.
    Arrow(TermId),
    /// The start `a = …`, with the span of the `=`.
    Assign(TermId, Span),
    /// The start `c; …`.
    Command(TermId),
}

/// The start `size.…` or `size..…` of an array type.
struct Dimension {
    size: TermId,
    dependent: bool,
}

impl Parser<'_> {
    /// Parses a term of the category `mode`.
    pub(crate) fn term(&mut self, mode: TermCategory) -> TermId {
        self.nested(|parser| parser.term_here(mode))
    }

    fn term_here(&mut self, mode: TermCategory) -> TermId {
        let mut prefixes = Vec::new();
        let last = loop {
            if self.at_let_binding() {
                prefixes.push(self.let_binding());
                continue;
            }
            if mode != TermCategory::Expr && self.at_type_parameter(mode) {
                self.type_parameters(&mut prefixes);
                continue;
            }
            let operand = match mode {
                TermCategory::Type => self.postfix(mode),
                _ => self.operators(mode),
            };
            let beside = mode
                .is_type()
                .then(|| self.size_beside_type(operand))
                .flatten();
            let operand = beside.unwrap_or(operand);
            if mode == TermCategory::Type {
                self.reject_operator_in_type(operand);
            }
            let assigned = matches!(prefixes.last(), Some(PendingTerm::Assign(..)));
            if mode != TermCategory::Expr && !assigned && self.eat(TokenKind::Arrow).is_some() {
                prefixes.push(PendingTerm::Arrow(operand));
                continue;
            }
            if !self.commands_may_stand(mode) {
                break operand;
            }
            if let Some(last) = self.command(operand, mode, &mut prefixes) {
                break last;
            }
        };
        self.assemble(prefixes, last)
    }

    /// Handles an operand where commands are allowed. Returns the last command, completed by an
    /// assignment that the operand ends; returns `None` if another part follows, for which a start
    /// is added to `prefixes`.
    fn command(
        &mut self,
        operand: TermId,
        mode: TermCategory,
        prefixes: &mut Vec<PendingTerm>,
    ) -> Option<TermId> {
        let command = match prefixes.pop_if(|prefix| matches!(prefix, PendingTerm::Assign(..))) {
            Some(PendingTerm::Assign(lhs, sign)) => {
                if self.at(TokenKind::Equals) {
                    self.chained_assignment();
                }
                self.assign(sign, lhs, operand)
            }
            _ => operand,
        };
        if let Some(sign) = self.assignment_sign() {
            prefixes.push(PendingTerm::Assign(command, sign));
            return None;
        }
        let sequence = matches!(prefixes.last(), Some(PendingTerm::Command(_)));
        if !self.next_command(command, mode, sequence) {
            return Some(command);
        }
        prefixes.push(PendingTerm::Command(command));
        None
    }

    /// Builds a term from its starts and its last part. Adjacent commands become one sequence.
    fn assemble(&mut self, prefixes: Vec<PendingTerm>, last: TermId) -> TermId {
        let mut body = last;
        let mut before: Vec<TermId> = Vec::new();
        for prefix in prefixes.into_iter().rev() {
            match prefix {
                PendingTerm::Command(command) => before.push(command),
                prefix => {
                    body = self.after_commands(&mut before, body);
                    body = self.complete(prefix, body);
                }
            }
        }
        self.after_commands(&mut before, body)
    }

    /// Builds the sequence of the commands, given in reverse order, and `last`.
    fn after_commands(&mut self, before: &mut Vec<TermId>, last: TermId) -> TermId {
        if before.is_empty() {
            return last;
        }
        let commands = before.drain(..).rev().chain([last]).collect();
        self.sequence(commands)
    }

    fn complete(&mut self, prefix: PendingTerm, body: TermId) -> TermId {
        let end = self.span_of(body).end;
        match prefix {
            PendingTerm::Let {
                start,
                binder,
                value,
            } => self.push(
                TermKind::Let {
                    binder,
                    value,
                    body,
                },
                Span::new(start, end),
            ),
            PendingTerm::Local {
                start,
                binder,
                head,
                ty,
                function,
            } => {
                let kind = TermKind::Local {
                    binder,
                    head,
                    ty,
                    function,
                    body,
                };
                let local = self.push(kind, Span::new(start, end));
                if !self.is_missing(local) {
                    self.locals.push(local);
                }
                local
            }
            PendingTerm::LetSize {
                start,
                size,
                binder,
                value,
            } => self.push(
                TermKind::LetSize {
                    size,
                    binder,
                    value,
                    body,
                },
                Span::new(start, end),
            ),
            PendingTerm::Pi {
                start,
                param,
                implicit,
            } => self.push(
                TermKind::Pi {
                    param,
                    implicit,
                    body,
                },
                Span::new(start, end),
            ),
            PendingTerm::Arrow(from) => {
                let span = Span::new(self.span_of(from).start, end);
                self.push(TermKind::Arrow(from, body), span)
            }
            PendingTerm::Assign(lhs, sign) => self.assign(sign, lhs, body),
            PendingTerm::Command(first) => self.sequence(Box::from([first, body])),
        }
    }

    /// Returns true at `let` and a name, a size in braces, a pattern, or a reserved word or `_` before `=` or `:`. At
    /// any other `let`, which is the primitive, returns false.
    pub(crate) fn at_let_binding(&self) -> bool {
        let next = self.peek_kind(1);
        self.at(TokenKind::Let)
            && (matches!(next, TokenKind::Ident | TokenKind::LBrace)
                || (next == TokenKind::Underscore || next.is_reserved())
                    && matches!(self.peek_kind(2), TokenKind::Equals | TokenKind::Colon)
                || self.at_let_pattern())
    }

    fn let_binding(&mut self) -> PendingTerm {
        let start = self.bump().span;
        if self.at(TokenKind::LBrace) {
            return self.size_binding(start);
        }
        let binder = self.name_or_pattern("a name");
        let name = self.written_name(binder);
        self.type_of_let(binder);
        let is_named = !self.binders[binder.0 as usize].name.is_empty();
        let at_head = is_named && matches!(self.kind(), TokenKind::LParen | TokenKind::LBrace);
        let head = at_head.then(|| self.head()).flatten();
        self.let_equals(&name);
        let value = self.term(TermCategory::Expr);
        self.in_after_value(&name, start, value);
        let start = start.start;
        let Some(head) = head else {
            return PendingTerm::Let {
                start,
                binder,
                value,
            };
        };
        let ty = head.ty;
        let (head, function) = self.function_of_head(head, value);
        if let Some(word) = head.params().find_map(|param| param.inout) {
            self.error_at(word, "a local definition updates no parameter in place");
        }
        PendingTerm::Local {
            start,
            binder,
            head: Box::new(head),
            ty,
            function,
        }
    }

    /// Returns the text of a name or pattern, or `_` if it is missing.
    fn written_name(&self, binder: BinderId) -> Name {
        match self.slice(self.binders[binder.0 as usize].span) {
            "" => Name::new_static("_"),
            text => Name::new(text),
        }
    }

    /// Parses the type of a name or pattern in a `let`, if there is one.
    fn type_of_let(&mut self, binder: BinderId) {
        if self.eat(TokenKind::Colon).is_some() {
            let ty = match self.at(TokenKind::Kind) {
                true => self.kind_of_value(),
                false => self.term(TermCategory::Type),
            };
            self.binders[binder.0 as usize].annotation = BinderAnnotation::Type(ty);
        }
    }

    /// Parses the rest of `let {k} x = value in` or `let {k} = value in`, from the brace on.
    fn size_binding(&mut self, start: Span) -> PendingTerm {
        let open = self.bump();
        let size = self.binder("the name of a size");
        self.close(open, TokenKind::RBrace);
        let binder = match self.kind() {
            TokenKind::Equals | TokenKind::Colon => None,
            _ => Some(self.name_or_pattern("a name")),
        };
        let name = self.written_name(binder.unwrap_or(size));
        if let Some(binder) = binder {
            self.type_of_let(binder);
        }
        self.let_equals(&name);
        let value = self.term(TermCategory::Expr);
        self.in_after_value(&name, start, value);
        PendingTerm::LetSize {
            start: start.start,
            size,
            binder,
            value,
        }
    }

    /// Parses the `in` after the value of the `let` that begins at `start`, and reports a missing one.
    fn in_after_value(&mut self, name: &Name, start: Span, value: TermId) {
        if self.eat(TokenKind::In).is_none() {
            let span = self.end_of_value(value);
            let edit = self.in_behind_value(span);
            let message = format!("expected `in` after the value of `{name}`");
            let error = Diagnostic::syntax(span, message)
                .related(start, "a `let` is written `let name = value in result`");
            self.report(match edit {
                Some((place, text)) => {
                    let title = format!("write `{}`", text.trim());
                    error.replace(title, place, text)
                }
                None => error,
            });
            self.skip_before_in();
        }
    }

    /// Returns the edit that inserts a missing `in`, or `in let`, after the value that ends at
    /// `last`. Returns `None` if neither the result of the `let` nor the next binding follows, and
    /// in DPIA.
    fn in_behind_value(&self, last: Span) -> Option<(Span, String)> {
        let is_binding = |ahead| {
            self.peek_kind(ahead) == TokenKind::Ident
                && self.peek_kind(ahead + 1) == TokenKind::Equals
        };
        let token = self.token();
        let (place, next, text) = match token.kind {
            _ if self.dialect != Dialect::Rise || last.end != self.last_end() => return None,
            TokenKind::Comma if is_binding(1) => (token.span, self.peek(1), " in let"),
            _ if is_binding(0) => (Span::empty(last.end), token, " in let"),
            _ if self.at_operand() => (Span::empty(last.end), token, " in"),
            _ => return None,
        };
        let touches = place.end == next.span.start;
        let space = if touches { " " } else { "" };
        Some((place, format!("{text}{space}")))
    }

    /// Returns true at `{` or `(NAME :`. In an argument, the `(NAME :` must precede a kind, since
    /// `(x : f32)` is an ascription.
    fn at_type_parameter(&self, mode: TermCategory) -> bool {
        match self.kind() {
            TokenKind::LBrace => true,
            TokenKind::LParen => {
                let name = self.peek_kind(1);
                (name == TokenKind::Ident || name.is_reserved())
                    && self.peek_kind(2) == TokenKind::Colon
                    && (mode.is_type() || self.peek_kind(3) == TokenKind::Kind)
            }
            _ => false,
        }
    }

    /// Parses `(n: Nat) ->` or `{n: Nat} ->`, and adds the start of a type for each parameter to
    /// `prefixes`.
    fn type_parameters(&mut self, prefixes: &mut Vec<PendingTerm>) {
        let open = self.bump();
        let implicit = open.kind == TokenKind::LBrace;
        loop {
            let param = self.kinded_binder();
            prefixes.push(PendingTerm::Pi {
                start: open.span.start,
                param,
                implicit,
            });
            let Some(comma) = self.eat(TokenKind::Comma) else {
                break;
            };
            self.report(one_parameter_each(comma.span, implicit));
        }
        let close = if implicit {
            TokenKind::RBrace
        } else {
            TokenKind::RParen
        };
        self.close(open, close);
        if self.eat(TokenKind::Arrow).is_none() {
            if let Some(arrow) = self.eat(TokenKind::FatArrow) {
                return self.report(fat_arrow_for_arrow(arrow.span));
            }
            let shown = self.slice(self.since(open.span.start)).to_owned();
            let span = self.last_char();
            self.error_at(
                span,
                match shown.contains('\n') {
                    false => format!("expected `->` and a type after `{shown}`"),
                    true => "expected `->` and a type after this parameter".to_owned(),
                },
            );
        }
    }

    /// Parses a type, and the conditions on its sizes after `where`.
    pub(crate) fn type_with_conditions(&mut self) -> TermId {
        let ty = match self.at_conditions_without_type() {
            true => self.type_before_conditions(),
            false => self.term(TermCategory::Type),
        };
        self.conditions_of(ty)
    }

    /// Parses `where 4 | n, n >= 12`, if it follows the type `ty`, and returns the type with the
    /// conditions; otherwise returns `ty`.
    pub(crate) fn conditions_of(&mut self, ty: TermId) -> TermId {
        if !self.at_where() {
            return ty;
        }
        self.bump();
        let outside = std::mem::replace(&mut self.divides, true);
        let mut conditions = vec![self.condition_on_sizes()];
        while self.eat(TokenKind::Comma).is_some() {
            conditions.push(self.condition_on_sizes());
        }
        self.divides = outside;
        if self.at(TokenKind::Arrow) {
            self.conditions_within_type();
        }
        let span = self.since(self.span_of(ty).start);
        let conditions = conditions.into_boxed_slice();
        self.push(TermKind::Where { ty, conditions }, span)
    }

    /// Returns true at the word `where` in RISE; in DPIA and in RISE terms of other languages,
    /// returns false.
    pub(crate) fn at_where(&self) -> bool {
        let is_rise = self.dialect == Dialect::Rise && self.host.is_none();
        is_rise && self.at(TokenKind::Ident) && self.slice(self.token().span) == "where"
    }

    fn condition_on_sizes(&mut self) -> TermId {
        if !self.at_operand() {
            self.expected("a condition on sizes");
            return self.missing();
        }
        let condition = self.nested(|parser| parser.operators(TermCategory::Arg));
        self.joined_conditions(condition);
        match self.at_equals_for_relation(condition) {
            true => self.equals_for_relation(condition),
            false => condition,
        }
    }

    /// Parses an operand, and the calls, projections and dots of array types after it. Indices in
    /// brackets, methods and other postfix forms of other languages are reported.
    pub(crate) fn postfix(&mut self, mode: TermCategory) -> TermId {
        let mut dimensions: Vec<Dimension> = Vec::new();
        let mut term = self.sized_atom(mode, &mut dimensions);
        loop {
            match self.kind() {
                TokenKind::LParen if self.calls() => term = self.call(term, mode),
                _ if !mode.is_type() && self.at_part_of_module(term) => self.name_in_module(term),
                TokenKind::Dot if self.at_half() => term = self.project(term),
                TokenKind::Dot | TokenKind::DotDot if mode != TermCategory::Expr => {
                    let dependent = self.bump().kind == TokenKind::DotDot;
                    dimensions.push(Dimension {
                        size: term,
                        dependent,
                    });
                    term = self.element(mode, &mut dimensions);
                }
                TokenKind::Dot | TokenKind::DotDot => match self.dot_in_expression(term) {
                    Some(projected) => term = projected,
                    None => break,
                },
                TokenKind::LBracket if mode.is_type() => term = self.sizes_behind_type(term),
                TokenKind::LBracket if self.at_type_of_cast(term) => {
                    term = self.cast_in_brackets(term);
                }
                TokenKind::LBracket => self.index_in_brackets(term),
                _ => break,
            }
        }
        let mut sizes = dimensions.iter().map(|dimension| dimension.size);
        if mode.is_type() && sizes.any(|size| self.is_plainly_type(size)) {
            let sizes = dimensions.iter().map(|dimension| dimension.size);
            let parts: Vec<TermId> = sizes.chain([term]).collect();
            if let Some(ty) = self.sizes_behind_dot(&parts) {
                return ty;
            }
        }
        dimensions
            .into_iter()
            .rev()
            .fold(term, |elem, dimension| self.array(dimension, elem))
    }

    fn array(&mut self, Dimension { size, dependent }: Dimension, elem: TermId) -> TermId {
        let span = self.span_of(size).cover(self.span_of(elem));
        let kind = match dependent {
            true => TermKind::DepArray { size, elem },
            false => TermKind::Array {
                size,
                elem,
                long: false,
            },
        };
        self.push(kind, span)
    }

    /// Parses the element type after the dot of an array type.
    fn element(&mut self, mode: TermCategory, dimensions: &mut Vec<Dimension>) -> TermId {
        if self.at(TokenKind::Minus) || !self.at_operand() {
            self.expected("a type");
            return self.missing();
        }
        self.number_as_element();
        self.sized_atom(mode, dimensions)
    }

    /// Parses an operand. A token such as `3.3` becomes two sizes in a type, and in an argument
    /// before a further `.` or `..`.
    fn sized_atom(&mut self, mode: TermCategory, dimensions: &mut Vec<Dimension>) -> TermId {
        let before_dot = matches!(self.peek_kind(1), TokenKind::Dot | TokenKind::DotDot);
        let sizes = mode.is_type() || (mode == TermCategory::Arg && before_dot);
        if sizes
            && self.at(TokenKind::Float)
            && let Some((first, second)) = self.split_float()
        {
            self.bump();
            let size = self.integer(first, false);
            dimensions.push(Dimension {
                size,
                dependent: false,
            });
            return self.integer(second, false);
        }
        self.atom(mode)
    }

    /// Returns true at the `.` of `._1` or `._2`: the token after the current one is `_1` or `_2`.
    pub(crate) fn at_half(&self) -> bool {
        let next = self.peek(1);
        next.kind == TokenKind::Ident && matches!(self.slice(next.span), "_1" | "_2")
    }

    pub(crate) fn project(&mut self, pair: TermId) -> TermId {
        self.bump();
        let half = self.bump().span;
        let half = match self.slice(half) {
            "_1" => Half::First,
            _ => Half::Second,
        };
        self.push_since(self.span_of(pair).start, TermKind::Project { pair, half })
    }

    /// Returns true if the current `(` begins the arguments of a call.
    fn calls(&self) -> bool {
        self.host.is_none() || self.last_end() == self.token().span.start
    }

    /// Parses the arguments `(a, b)` after a function.
    pub(crate) fn call(&mut self, callee: TermId, mode: TermCategory) -> TermId {
        let base = self.args.len();
        let open = self.bump();
        let mode = if mode.is_type() {
            TermCategory::Size
        } else {
            TermCategory::Arg
        };
        if self.at_abandoned_bracket() {
            self.expected_operand(mode);
            let arg = self.missing();
            self.args.push(arg);
        } else {
            self.arguments(open, mode);
        }
        let args = Box::from(&self.args[base..]);
        self.args.truncate(base);
        self.push_since(self.span_of(callee).start, TermKind::Apply { callee, args })
    }

    fn arguments(&mut self, open: Token, mode: TermCategory) {
        loop {
            self.named_argument();
            let arg = self.term(mode);
            self.args.push(arg);
            if !self.next_in_list(open, TokenKind::RParen) {
                return;
            }
        }
    }

    /// Reports a kind in place of the type of a `let`.
    fn kind_of_value(&mut self) -> TermId {
        let token = self.bump();
        let text = self.quoted(token);
        let message = format!("{text} is a kind, and `let` names only values");
        self.report(Diagnostic::syntax(token.span, message));
        self.push(TermKind::Missing, token.span)
    }

    /// Parses the `=` after `let x`.
    fn let_equals(&mut self, name: &Name) {
        if self.eat(TokenKind::Equals).is_some() {
            return;
        }
        let next = self.token();
        if name == "mut" && self.at(TokenKind::Ident) && self.peek_kind(1) == TokenKind::Equals {
            let word = self.previous().unwrap_or(next).span;
            let gap = Span::new(word.start, next.span.start);
            let message = "there is no `mut`: the value of a `let` never changes";
            self.report(Diagnostic::syntax(word, message).replace("Remove `mut`", gap, ""));
            self.pos += 2;
            return;
        }
        if self.at(TokenKind::LParen) {
            let message =
                format!("`let` cannot define a function: write `def {name} = fun(x => …)`");
            self.error_at(next.span, message);
            self.skip_brackets();
            self.eat(TokenKind::Equals);
            return;
        }
        self.expected("`=`");
        self.eat(TokenKind::EqEq);
    }
}

fn one_parameter_each(span: Span, implicit: bool) -> Diagnostic {
    let form = if implicit {
        "{n: Nat} -> {m: Nat} -> …"
    } else {
        "(n: Nat) -> (m: Nat) -> …"
    };
    Diagnostic::syntax(
        span,
        format!("there can be only one parameter between these brackets of a type: write `{form}`"),
    )
}
