//! Parses items: definitions, imports, annotations, documentation and string literals. `foreign`
//! parses foreign functions.

use super::{Parser, TermCategory};
use crate::ast::{Annotation, AnnotationArg, AnnotationValue, Docs, Ident, ItemKind, TermId};
use crate::lexer::{Lexer, Token, TokenKind};
use crate::{Diagnostic, Span};

impl Parser<'_> {
    /// Parses the whole item, and reports any text after it.
    pub(crate) fn item(&mut self) -> (Option<Docs>, Box<[Annotation]>, ItemKind) {
        let docs = docs(self.text);
        let annotations = self.annotations();
        let kind = match self.kind() {
            TokenKind::Def => self.def(),
            TokenKind::Foreign => self.foreign(),
            TokenKind::Import => self.import(),
            _ => {
                self.report_missing_item(&annotations);
                self.skip_to_end();
                ItemKind::Stray
            }
        };
        if !self.at(TokenKind::End) {
            self.report_trailing_text(&kind);
        }
        (docs, annotations, kind)
    }

    fn import(&mut self) -> ItemKind {
        self.bump();
        let path = match self.kind() {
            TokenKind::String => Some(self.string()),
            TokenKind::OpenString => {
                self.bump();
                None
            }
            _ => {
                self.path_without_quotes();
                self.skip_to_end();
                None
            }
        };
        ItemKind::Import { path }
    }

    fn def(&mut self) -> ItemKind {
        let word = self.bump();
        let name = self.item_name(word);
        let was_right = self.error.is_none();
        let is_colon_missing = name.is_some() && self.at_type_without_colon();
        if is_colon_missing {
            self.colon_before_type();
        }
        let may_have_parameters = name.is_some() && !is_colon_missing;
        if let Some(head) = may_have_parameters.then(|| self.head()).flatten() {
            self.def_equals(&name, true);
            let value = self.value_of_def();
            let ty = head.ty;
            let (head, body) = self.function_of_head(head, value);
            return ItemKind::Def {
                name,
                head: Some(Box::new(head)),
                ty: Some(ty),
                body,
            };
        }
        let has_parameters = matches!(self.kind(), TokenKind::LParen | TokenKind::LBracket)
            || (self.at(TokenKind::Ident) && !self.at_where());
        let moved = match has_parameters && may_have_parameters {
            true => self.parameters_of_def(),
            false => None,
        };
        let ty = match self.eat(TokenKind::Colon) {
            _ if is_colon_missing => Some(self.type_with_conditions()),
            Some(colon) if self.doubled_colon(colon) => None,
            Some(_) => Some(self.type_with_conditions()),
            None => None,
        };
        self.def_equals(&name, ty.is_some());
        // The type of the body is not that of the definition if the text before it is wrong.
        let is_unknown =
            ty.is_none() && was_right && self.error.is_some() && !self.at(TokenKind::End);
        let ty = ty.or_else(|| is_unknown.then(|| self.missing()));
        let body = self.value_of_def();
        if let Some(moved) = moved {
            self.move_parameters(moved, body);
        }
        ItemKind::Def {
            name,
            head: None,
            ty,
            body,
        }
    }

    /// Parses the value of a definition after its `=`.
    fn value_of_def(&mut self) -> TermId {
        match self.at(TokenKind::End) && self.error.is_some() {
            true => self.missing(),
            false => self.term(TermCategory::Expr),
        }
    }

    /// Reports `def f :: f32 = …`, whose second colon is skipped, or `def f := …`. Returns true if
    /// no type follows.
    pub(crate) fn doubled_colon(&mut self, colon: Token) -> bool {
        let next = self.token();
        let sign = colon.span.cover(next.span);
        let written = match self.slice(sign) {
            "::" => ":",
            ":=" => "=",
            _ => return false,
        };
        let text = self.slice(sign).to_owned();
        let message = format!("expected `{written}`, found `{text}`");
        self.report(Diagnostic::syntax(sign, message).write(sign, written));
        if written == ":" {
            self.bump();
        }
        written == "="
    }

    pub(crate) fn item_name(&mut self, word: Token) -> Option<Ident> {
        let token = self.token();
        match token.kind {
            TokenKind::Ident => {}
            TokenKind::Underscore => {
                self.bump();
                self.error_at(token.span, "`_` is a hole and cannot name a definition");
                return None;
            }
            // An annotation without a name precedes its definition.
            TokenKind::Def | TokenKind::Foreign | TokenKind::Import
                if word.kind == TokenKind::At =>
            {
                self.error_at(word.span, "expected the name of an annotation after `@`");
                return None;
            }
            kind if kind.is_reserved() => self.report_reserved_word(token),
            _ => {
                self.expected(match word.kind {
                    TokenKind::At => "the name of an annotation",
                    _ => "a name",
                });
                return None;
            }
        }
        self.bump();
        Some(Ident {
            name: self.name(token.span),
            span: token.span,
        })
    }

    fn annotations(&mut self) -> Box<[Annotation]> {
        let mut annotations = Vec::new();
        while self.at(TokenKind::At) {
            self.divides = true;
            let annotation = self.annotation();
            self.divides = false;
            self.skip_behind_annotation(&annotation);
            annotations.push(annotation);
        }
        annotations.into_boxed_slice()
    }

    pub(crate) fn annotation(&mut self) -> Annotation {
        let at = self.bump();
        let name = self.item_name(at);
        let args = match self.eat(TokenKind::LParen) {
            Some(open) => self.list_or_empty(open, TokenKind::RParen, Self::annotation_arg),
            None => Vec::new(),
        };
        Annotation {
            name,
            args: args.into_boxed_slice(),
            span: self.since(at.span.start),
        }
    }

    fn annotation_arg(&mut self) -> AnnotationArg {
        let token = self.token();
        let sign = self.peek_kind(1);
        let named = matches!(sign, TokenKind::Equals | TokenKind::Colon)
            && (token.kind == TokenKind::Ident || token.kind.is_reserved());
        let key = named.then(|| {
            self.bump();
            if sign == TokenKind::Colon {
                self.colon_in_annotation(token);
            }
            self.bump();
            Ident {
                name: self.name(token.span),
                span: token.span,
            }
        });
        let value = match self.kind() {
            TokenKind::String => {
                let (text, span) = self.string();
                AnnotationValue::String(text, span)
            }
            TokenKind::LBracket => self.annotation_list(),
            _ => {
                let term = self.term(TermCategory::Arg);
                self.joined_conditions(term);
                AnnotationValue::Term(term)
            }
        };
        AnnotationArg { key, value }
    }

    /// Reports the `:` after the name of an argument of an annotation, as in `@run(n: 1024)`.
    fn colon_in_annotation(&mut self, name: Token) {
        const TITLE: &str = "Write `=`";
        let (colon, text) = (self.token().span, self.quoted(name));
        let space = if name.span.end == colon.start {
            " "
        } else {
            ""
        };
        let edits = vec![(colon, format!("{space}="))];
        if self.extend_fix(TITLE, &edits) {
            return;
        }
        let message = format!("expected `=` between {text} and its value, found `:`");
        self.report(Diagnostic::syntax(colon, message).fix(TITLE, edits, true));
    }

    fn annotation_list(&mut self) -> AnnotationValue {
        let open = self.bump();
        let term = |parser: &mut Self| parser.term(TermCategory::Arg);
        let terms = self.list_or_empty(open, TokenKind::RBracket, term);
        AnnotationValue::List(terms.into_boxed_slice(), self.since(open.span.start))
    }

    /// Reports and skips text between an annotation and the next annotation, definition or import.
    fn skip_behind_annotation(&mut self, annotation: &Annotation) {
        use TokenKind::{At, Def, End, Foreign, Import};
        let token = self.token();
        if matches!(token.kind, At | Def | End | Foreign | Import) {
            return;
        }
        let text = self.quoted(token);
        while !matches!(self.kind(), At | Def | End | Foreign | Import) {
            self.bump();
        }
        let skipped = self.since(token.span.start);
        let behind = Span::new(annotation.span.end, skipped.end);
        let annotated = self.slice(annotation.span);
        // Text in the same line as an annotation without parentheses is its argument.
        let is_argument = !annotated.ends_with(')') && !self.slice(behind).contains('\n');
        let diagnostic = match is_argument {
            true => Diagnostic::syntax(
                token.span,
                format!("expected `(` before the argument of `{annotated}`, found {text}"),
            )
            .help("the arguments of an annotation are in parentheses")
            .write(behind, format!("({})", self.slice(skipped))),
            false => Diagnostic::syntax(
                token.span,
                format!("unexpected {text} after the annotation: a `def` follows it"),
            ),
        };
        self.report(diagnostic);
    }

    /// Parses a string literal. Returns its text with the escapes resolved, and its span with the
    /// quotes. An unknown escape is reported and left out of the text.
    pub(crate) fn string(&mut self) -> (Box<str>, Span) {
        let span = self.bump().span;
        let inner = self.slice(Span::new(span.start + 1, span.end.max(span.start + 2) - 1));
        let mut text = String::with_capacity(inner.len());
        let mut chars = inner.char_indices();
        while let Some((at, c)) = chars.next() {
            if c != '\\' {
                text.push(c);
                continue;
            }
            match chars.next().map(|(_, c)| c) {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some(c @ ('"' | '\\')) => text.push(c),
                other => {
                    let start = span.start + 1 + at as u32;
                    let end = start + 1 + other.map_or(0, |c| c.len_utf8() as u32);
                    self.bad_escape(Span::new(start, end));
                }
            }
        }
        (text.into_boxed_str(), span)
    }

    fn bad_escape(&mut self, span: Span) {
        let text = self.slice(span);
        let message = format!(
            "`{text}` means nothing in a string: there are `\\\"`, `\\\\`, `\\n` and `\\t`"
        );
        self.report(Diagnostic::syntax(span, message));
    }
}

/// Returns the documentation in the `///` lines before the first token, if there are any.
pub(crate) fn docs(text: &str) -> Option<Docs> {
    let mut docs: Option<Docs> = None;
    let mut lines = String::new();
    for token in Lexer::within(text, true).take_while(|token| token.kind.is_trivia()) {
        if token.kind != TokenKind::DocComment {
            continue;
        }
        let line = text.get(std::ops::Range::from(token.span)).unwrap_or("");
        let line = line.strip_prefix("///").unwrap_or(line);
        if docs.is_some() {
            lines.push('\n');
        }
        lines.push_str(line.strip_prefix(' ').unwrap_or(line));
        let span = docs.map_or(token.span, |docs| docs.span.cover(token.span));
        docs = Some(Docs {
            text: Box::default(),
            span,
        });
    }
    docs.map(|docs| Docs {
        text: lines.into_boxed_str(),
        span: docs.span,
    })
}
