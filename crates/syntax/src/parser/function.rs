//! Parses abstractions, `fun`, `depFun`, `natFun` and `dataFun`, and their binders.

use super::{Parser, TermCategory};
use crate::ast::{BinderAnnotation, BinderId, Kind, Name, ScalarType, TermId, TermKind};
use crate::lexer::{Token, TokenKind};
use crate::{Diagnostic, Dialect, Fix, Span, codes};

impl Parser<'_> {
    /// Parses `fun(params => body)` or `depFun(dparams => body)`.
    pub(crate) fn function(&mut self) -> TermId {
        let word = self.bump();
        self.function_after(word, word.kind == TokenKind::DepFun)
    }

    /// Parses the rest of an abstraction after its keyword `word`; `dependent` is true for
    /// `depFun`.
    fn function_after(&mut self, word: Token, dependent: bool) -> TermId {
        let base = self.params.len();
        let head = self.pos;
        let open = self.function_open(word);
        if !dependent {
            self.arrow_before_body();
        }
        let grouped = self.parameters(dependent);
        let early = open.and_then(|_| self.closed_before_body(word));
        let is_readable = matches!(self.kind(), TokenKind::FatArrow | TokenKind::Arrow);
        if early.is_none() {
            self.fat_arrow(word);
        }
        let start = self.pos;
        let body = self.term(TermCategory::Expr);
        self.name_the_pair(head, start);
        self.separate_kinds(word, base);
        match (open, early) {
            (_, Some(early)) => self.move_parenthesis(early, body),
            (Some(open), None) => self.close(open, TokenKind::RParen),
            (None, None) if is_readable => self.add_parentheses(word, head, start, body),
            (None, None) => {}
        }
        let params = Box::from(&self.params[base..]);
        self.params.truncate(base);
        let kind = match dependent {
            true => TermKind::DepFun { params, body },
            false => TermKind::Fun {
                params,
                grouped,
                body,
            },
        };
        self.push_since(word.span.start, kind)
    }

    /// Reports parentheses that are closed before the arrow, `fun(x: f32) => …`, and skips `)` and
    /// the arrow. Returns the spans of both; `None` if the parentheses are not closed there.
    fn closed_before_body(&mut self, word: Token) -> Option<(Span, Span)> {
        let next = self.peek_kind(1);
        let is_early =
            self.at(TokenKind::RParen) && matches!(next, TokenKind::FatArrow | TokenKind::Arrow);
        if !is_early || self.host.is_some() {
            return None;
        }
        let (close, arrow) = (self.bump().span, self.bump().span);
        let text = self.quoted(word);
        let form = function_form(word.kind);
        let message =
            format!("the parentheses of {text} must enclose its body, too: write `{form}`");
        self.report(Diagnostic::syntax(close, message));
        Some((close, arrow))
    }

    /// Adds to the error about a `)` before the arrow the fix that writes the `)` at the end of the
    /// body instead. Does nothing if the body is missing.
    fn move_parenthesis(&mut self, (close, arrow): (Span, Span), body: TermId) {
        if self.is_missing(body) {
            return;
        }
        let end = Span::empty(self.last_end());
        let edits = vec![
            (close, String::new()),
            (arrow, "=>".to_owned()),
            (end, ")".to_owned()),
        ];
        let fix = Fix::preferred("Move the `)` behind the body", edits);
        self.mend(close, fix);
    }

    /// Adds to the error about missing parentheses the fix that encloses the parameters, from the
    /// token `head` to the one before `start`, and the body in parentheses. Does nothing if the
    /// body is missing.
    fn add_parentheses(&mut self, word: Token, head: usize, start: usize, body: TermId) {
        let (first, arrow) = (self.tokens[head].span, self.tokens[start - 1].span);
        let end = Span::empty(self.last_end());
        let is_missing = self.is_missing(body);
        let last = Span::new(word.span.end - 1, word.span.end);
        let gap = Span::new(word.span.end, first.start);
        let edits = vec![
            (gap, "(".to_owned()),
            (arrow, "=>".to_owned()),
            (end, ")".to_owned()),
        ];
        if !is_missing {
            self.mend(last, Fix::preferred("Write the parentheses", edits));
        }
    }

    /// Adds a fix to the error about a size or type among the parameters of `fun`, or a value among
    /// those of `depFun`: it moves the sizes and types to a `depFun` and the values after them to a
    /// `fun`. Does nothing unless every parameter has an annotation and all sizes and types precede
    /// the values.
    fn separate_kinds(&mut self, word: Token, base: usize) {
        let Some(at) = self.error.as_ref().map(|error| error.span) else {
            return;
        };
        let sorts: Vec<_> = self.params[base..]
            .iter()
            .map(|id| self.sort_of(*id))
            .collect();
        let Some(sorts) = sorts.into_iter().collect::<Option<Vec<_>>>() else {
            return;
        };
        let kinds = sorts.iter().take_while(|(is_kind, _)| *is_kind).count();
        let has_values = kinds < sorts.len();
        let is_ordered = sorts[kinds..].iter().all(|(is_kind, _)| !is_kind);
        let is_here = sorts.iter().any(|(_, span)| *span == at);
        if kinds == 0 || !is_ordered || !is_here {
            return;
        }
        let mut edits = vec![(word.span, "depFun".to_owned())];
        if has_values {
            let value = self.binders[self.params[base + kinds].0 as usize].span;
            let gap = Span::new(sorts[kinds - 1].1.end, value.start);
            edits.push((gap, " => fun(".to_owned()));
            edits.push((Span::empty(self.last_end()), ")".to_owned()));
        }
        if let Some(error) = self.error.take_if(|error| error.fixes.is_empty()) {
            self.error = Some(error.fix("Bind sizes and types by `depFun`", edits, true));
        }
    }

    /// Returns the span of the annotation of a parameter, and before it true if the annotation is a
    /// kind; `None` if there is no annotation.
    fn sort_of(&self, param: BinderId) -> Option<(bool, Span)> {
        match self.binders[param.0 as usize].annotation {
            BinderAnnotation::Kind(kind, span) => Some((kind.is_some(), span)),
            BinderAnnotation::Type(ty) => {
                let span = self.span_of(ty);
                Some((Kind::from_text(self.slice(span)).is_some(), span))
            }
            BinderAnnotation::None => None,
        }
    }

    /// Parses `natFun(i => nat)` or `dataFun(i => data)`.
    pub(crate) fn type_function(&mut self) -> TermId {
        let word = self.bump();
        let open = self.function_open(word);
        let param = self.binder("a name");
        self.fat_arrow(word);
        let category = match word.kind {
            TokenKind::NatFun if self.reported_value_of_size(word, param) => TermCategory::Expr,
            TokenKind::NatFun => TermCategory::Size,
            _ => TermCategory::Type,
        };
        let body = self.term(category);
        if let Some(open) = open {
            self.close(open, TokenKind::RParen);
        }
        let kind = match word.kind {
            TokenKind::NatFun => TermKind::NatFun { param, body },
            _ => TermKind::DataFun { param, body },
        };
        self.push_since(word.span.start, kind)
    }

    /// Reports `natFun(n => fun(…))`, where `depFun(n: Nat => fun(…))` is meant. Returns false if the
    /// body is no function.
    fn reported_value_of_size(&mut self, word: Token, param: BinderId) -> bool {
        if !matches!(self.kind(), TokenKind::Fun | TokenKind::DepFun) {
            return false;
        }
        let binder = &self.binders[param.0 as usize];
        let form = format!("depFun({}: Nat => …)", binder.name);
        let edits = vec![
            (word.span, "depFun".to_owned()),
            (Span::empty(binder.span.end), ": Nat".to_owned()),
        ];
        let message = format!(
            "`natFun` computes a size from a size, and this computes a function: write `{form}`"
        );
        let error = Diagnostic::syntax(word.span, message);
        self.report(error.fix(format!("Write `{form}`"), edits, true));
        true
    }

    fn function_open(&mut self, word: Token) -> Option<Token> {
        let open = self.eat(TokenKind::LParen);
        if open.is_none() {
            let (span, text) = (self.last_char(), self.quoted(word));
            let message = format!(
                "expected `(` after {text}: write `{}`",
                function_form(word.kind)
            );
            self.error_at(span, message);
        }
        open
    }

    /// Reports a `->` between typed parameters and a body, and reads it as `=>`:
    /// `fun(x: f32 -> x + 1.0f)`.
    fn arrow_before_body(&mut self) {
        let Some(arrow) = self.last_arrow_of_function() else {
            return;
        };
        let span = self.tokens[arrow].span;
        self.report(sign_for_fat_arrow("`fun`", span, "->"));
        self.tokens[arrow].kind = TokenKind::FatArrow;
    }

    /// Returns the index of the last `->` in the parentheses of a function that contain no `=>`, if
    /// the text after it is a body.
    fn last_arrow_of_function(&self) -> Option<usize> {
        let mut depth = 0u32;
        let mut arrow = None;
        for (pos, token) in self.ahead() {
            match token.kind {
                kind if kind.opens_bracket() => depth += 1,
                TokenKind::RParen if depth == 0 => {
                    return arrow.filter(|&arrow| self.is_body(arrow + 1, pos));
                }
                kind if kind.closes_bracket() => {
                    depth = depth.checked_sub(1)?;
                }
                TokenKind::FatArrow | TokenKind::End if depth == 0 => return None,
                TokenKind::Arrow if depth == 0 => arrow = Some(pos),
                _ => {}
            }
        }
        None
    }

    /// Returns true if the tokens from `first` to the one before `end` are probably an expression
    /// rather than a type.
    fn is_body(&self, first: usize, end: usize) -> bool {
        let tokens = &self.tokens[first..end];
        let is_parameter = |token: &Token| {
            let parameters = self.tokens[self.pos..first].windows(2);
            parameters
                .filter(|pair| pair[1].kind == TokenKind::Colon)
                .any(|pair| self.slice(pair[0].span) == self.slice(token.span))
        };
        match tokens {
            [] => false,
            [name] if name.kind == TokenKind::Ident => is_parameter(name),
            [first, ..]
                if matches!(
                    first.kind,
                    TokenKind::Scalar | TokenKind::Constructor | TokenKind::LBrace
                ) =>
            {
                false
            }
            [open, _, colon, ..]
                if open.kind == TokenKind::LParen && colon.kind == TokenKind::Colon =>
            {
                false
            }
            _ => !tokens.windows(2).any(|pair| {
                pair[0].kind == TokenKind::Dot && !matches!(self.slice(pair[1].span), "_1" | "_2")
            }),
        }
    }

    /// Parses parameters, and adds them to `self.params`. Returns true if they are in parentheses.
    fn parameters(&mut self, dependent: bool) -> bool {
        let first = self.pos;
        let group = match !dependent && self.at_pattern_in_list() {
            true => None,
            false => self.eat(TokenKind::LParen),
        };
        self.list_of_parameters(dependent);
        if let Some(open) = group {
            self.close(open, TokenKind::RParen);
        }
        if self.at(TokenKind::Comma) && self.is_comma_for_arrow() {
            self.comma_for_arrow();
        } else if !dependent && self.at(TokenKind::Comma) && self.is_pattern_since(first) {
            self.report_pattern(first, self.pos - first);
            self.bump();
            self.list_of_parameters(dependent);
        }
        group.is_some()
    }

    fn list_of_parameters(&mut self, dependent: bool) {
        loop {
            let param = match dependent {
                true => self.kinded_binder(),
                false => self.parameter(),
            };
            self.params.push(param);
            if self.at(TokenKind::Comma) && self.is_comma_for_arrow() {
                self.comma_for_arrow();
                return;
            }
            if self.eat(TokenKind::Comma).is_none() && !self.comma_is_missing(param) {
                return;
            }
        }
    }

    /// Reports a missing `,` between the parameter `previous` and a further one. Returns false if
    /// none follows.
    pub(crate) fn comma_is_missing(&mut self, previous: BinderId) -> bool {
        let after_names = self
            .ahead()
            .map(|(_, token)| token.kind)
            .find(|&kind| kind != TokenKind::Ident);
        let is_parameter = self.host.is_none()
            && self.at(TokenKind::Ident)
            && matches!(
                after_names,
                Some(TokenKind::Colon | TokenKind::Comma | TokenKind::FatArrow | TokenKind::RParen)
            );
        if is_parameter {
            let end = Span::empty(self.last_end());
            let span = self.token().span;
            let message = match &self.binders[previous.0 as usize].name {
                left if left.is_empty() => "expected `,` between two parameters".to_owned(),
                left => {
                    let right = self.slice(span);
                    format!("expected `,` between the parameters `{left}` and `{right}`")
                }
            };
            self.report(Diagnostic::syntax(span, message).replace("Insert `,`", end, ","));
        }
        is_parameter
    }

    /// Parses a parameter `x` or `x: type`, or one with `_` or a pattern in place of `x`.
    pub(crate) fn parameter(&mut self) -> BinderId {
        let id = self.name_or_pattern("a parameter");
        if self.eat(TokenKind::Colon).is_some() || self.colon_missing(id) {
            let ty = if self.at(TokenKind::Kind) {
                self.kind_as_type()
            } else {
                self.type_of_parameter()
            };
            self.binders[id.0 as usize].annotation = BinderAnnotation::Type(ty);
        }
        id
    }

    /// Reports the missing `:` between a parameter and its type, as in `fun(xs n.f32 => …)`.
    /// Returns false if no type follows, and in DPIA.
    pub(crate) fn colon_missing(&mut self, param: BinderId) -> bool {
        use TokenKind::{Dot, FatArrow, Ident, Int, Scalar};
        let token = self.token();
        let is_type = match token.kind {
            Scalar => matches!(
                self.peek_kind(1),
                FatArrow | TokenKind::Comma | TokenKind::RParen
            ),
            Ident | Int => {
                self.peek_kind(1) == Dot
                    && matches!(self.peek_kind(2), Ident | Int | Scalar | TokenKind::LParen)
            }
            _ => false,
        };
        if !is_type || self.dialect != Dialect::Rise {
            return false;
        }
        let name = self.binders[param.0 as usize].name.clone();
        let place = Span::empty(self.last_end());
        let message = format!("expected `:` between the parameter `{name}` and its type");
        self.report(Diagnostic::syntax(token.span, message).replace("Insert `:`", place, ":"));
        true
    }

    /// Reports a parameter of `fun` that is annotated with a kind.
    fn kind_as_type(&mut self) -> TermId {
        let token = self.bump();
        let text = self.quoted(token);
        let message = format!(
            "{text} is a kind, and `fun` binds only values: bind sizes and types by a `depFun` around it"
        );
        self.report(Diagnostic::syntax(token.span, message));
        self.push(TermKind::Missing, token.span)
    }

    /// Parses a binder with a kind, `n: Nat`; a missing or unknown kind is reported.
    pub(crate) fn kinded_binder(&mut self) -> BinderId {
        let id = self.binder("a parameter");
        let annotation = match self.eat(TokenKind::Colon) {
            Some(_) => self.binder_kind(),
            None => {
                let name = self.binders[id.0 as usize].name.clone();
                let span = self.last_char();
                let message = format!("expected `:` and the kind of `{name}`, as in `{name}: Nat`");
                self.error_at(span, message);
                BinderAnnotation::Kind(None, Span::empty(self.last_end()))
            }
        };
        self.binders[id.0 as usize].annotation = annotation;
        id
    }

    pub(crate) fn binder_kind(&mut self) -> BinderAnnotation {
        let token = self.token();
        if token.kind == TokenKind::Kind {
            self.bump();
            return BinderAnnotation::Kind(Kind::from_text(self.slice(token.span)), token.span);
        }
        if !self.at_operand() {
            self.expected("a kind such as `Nat` or `DataType`");
            return BinderAnnotation::Kind(None, Span::empty(self.last_end()));
        }
        let text = self.slice(token.span).to_owned();
        let meant = Kind::ALL.iter().find(|&&kind| {
            (kind != Kind::ReadWrite || self.dialect == Dialect::Dpia) && is_meant(&text, kind)
        });
        self.report(match meant {
            Some(kind) => Diagnostic::syntax(
                token.span,
                format!("`{text}` is not a kind: did you mean `{kind}`?"),
            )
            .replace(format!("Write `{kind}`"), token.span, kind.to_string()),
            None => Diagnostic::syntax(
                token.span,
                format!("expected a kind such as `Nat` or `DataType`, found `{text}`"),
            )
            .help("`fun` binds parameters that are values"),
        });
        // The term in place of the kind is parsed as a type and discarded.
        self.term(TermCategory::Type);
        BinderAnnotation::Kind(meant.copied(), token.span)
    }

    /// Parses the name of a binder; `_` and reserved words are reported. `what` describes the
    /// binder in the error if it is missing.
    pub(crate) fn binder(&mut self, what: &str) -> BinderId {
        let token = self.token();
        let (name, span) = match token.kind {
            TokenKind::Ident => {
                self.bump();
                (self.name(token.span), token.span)
            }
            TokenKind::Underscore => {
                self.bump();
                self.report(Diagnostic::error(
                    codes::RESERVED_NAME,
                    token.span,
                    "`_` cannot be a name here: begin an unused name with `_`, as in `_x`",
                ));
                (Name::default(), token.span)
            }
            kind if kind.is_reserved() && self.reported_type_before_name(token) => {
                self.bump();
                let name = self.bump();
                (self.name(name.span), name.span)
            }
            kind if kind.is_reserved() => {
                self.bump();
                self.report_reserved_word(token);
                (self.name(token.span), token.span)
            }
            _ => {
                self.expected(what);
                return self.nameless_binder();
            }
        };
        self.push_binder(name, span)
    }

    /// Reports `f32 x`, where `x: f32` is meant. Returns false if `word` is no scalar type or no name
    /// follows.
    fn reported_type_before_name(&mut self, word: Token) -> bool {
        let (ty, name) = (self.slice(word.span), self.peek(1));
        if ScalarType::from_text(ty).is_none() || name.kind != TokenKind::Ident {
            return false;
        }
        let written = format!("{}: {ty}", self.slice(name.span));
        let message = format!("the type of a parameter follows its name: write `{written}`");
        let span = word.span.cover(name.span);
        self.report(Diagnostic::syntax(span, message).write(span, &written));
        true
    }

    /// Adds a binder whose name is missing or cannot be read.
    pub(crate) fn nameless_binder(&mut self) -> BinderId {
        self.push_binder(Name::default(), Span::empty(self.last_end()))
    }

    pub(crate) fn report_reserved_word(&mut self, token: Token) {
        let text = self.quoted(token);
        self.report(Diagnostic::error(
            codes::RESERVED_NAME,
            token.span,
            format!("{text} is a reserved word: choose another name"),
        ));
    }

    /// Parses the `=>` after the parameters of `word`. A `->` or `=` in its place is reported and
    /// read as `=>`; other text up to a `=>` is reported and skipped.
    pub(crate) fn fat_arrow(&mut self, word: Token) {
        if self.eat(TokenKind::FatArrow).is_some() {
            return;
        }
        let text = self.quoted(word);
        if let Some(sign) = self
            .eat(TokenKind::Arrow)
            .or_else(|| self.eat(TokenKind::Equals))
        {
            let found = self.slice(sign.span);
            return self.report(sign_for_fat_arrow(&text, sign.span, found));
        }
        let span = self.last_char();
        let message = format!("expected `=>` after the parameters of {text}");
        self.report(Diagnostic::syntax(span, message).related(
            word.span,
            format!("this {text} is written `{}`", function_form(word.kind)),
        ));
        if let Some(pos) = self.seek_arrow() {
            self.pos = pos + 1;
        }
    }

    /// Returns the index of the `=>` after unreadable parameters, within the same brackets; `None`
    /// if there is none before an `in` or `=`.
    fn seek_arrow(&self) -> Option<usize> {
        let mut depth = 0u32;
        for (pos, token) in self.ahead() {
            match token.kind {
                TokenKind::FatArrow if depth == 0 => return Some(pos),
                kind if kind.opens_bracket() => depth += 1,
                kind if kind.closes_bracket() => {
                    depth = depth.checked_sub(1)?;
                }
                TokenKind::In | TokenKind::Equals | TokenKind::End if depth == 0 => return None,
                _ => {}
            }
        }
        None
    }

    /// Parses and reports an abstraction in the position of a type or size.
    pub(crate) fn function_in_type(&mut self) -> TermId {
        let word = self.token();
        let text = self.quoted(word);
        let message =
            format!("expected a type, found {text}: the type of a function is written `s -> t`");
        self.error_at(word.span, message);
        let function = self.function();
        let span = self.span_of(function);
        self.push(TermKind::Missing, span)
    }

    /// Returns true if the body of a function follows the comma: `depFun(n: Nat, fun(…))`.
    fn is_comma_for_arrow(&self) -> bool {
        let begins_body = matches!(self.peek_kind(1), TokenKind::Fun | TokenKind::DepFun);
        begins_body && self.peek_kind(2) == TokenKind::LParen
    }

    /// Reports the current token, a comma in place of `=>`, and changes its kind to that of `=>`.
    fn comma_for_arrow(&mut self) {
        let comma = self.token().span;
        let message = "the parameters of a function are followed by `=>`, not `,`";
        self.report(Diagnostic::syntax(comma, message).replace("Write `=>`", comma, " =>"));
        self.tokens[self.pos].kind = TokenKind::FatArrow;
    }
}

fn sign_for_fat_arrow(word: &str, sign: Span, found: &str) -> Diagnostic {
    let message = format!("the parameters of {word} are followed by `=>`, not `{found}`");
    Diagnostic::syntax(sign, message).write(sign, "=>")
}

fn function_form(word: TokenKind) -> &'static str {
    match word {
        TokenKind::DepFun => "depFun(n: Nat => …)",
        TokenKind::NatFun => "natFun(i => size)",
        TokenKind::DataFun => "dataFun(i => type)",
        TokenKind::Constructor => "DepPair[n => type]",
        _ => "fun(x => …)",
    }
}

/// Returns true if a word is the name of a kind in another case, or one of both begins the other, as
/// in `Natural` and `Nat`. (`Integer` may mean `Nat` or `Int`.)
fn is_meant(text: &str, kind: Kind) -> bool {
    let (text, name) = (text.to_lowercase(), kind.as_str().to_lowercase());
    let begins = |whole: &str, start: &str| start.len() >= 3 && whole.starts_with(start);
    let is_number = matches!(kind, Kind::Num | Kind::Int | Kind::Float);
    text == name || !is_number && (begins(&text, &name) || begins(&name, &text))
}
