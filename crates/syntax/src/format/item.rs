//! Lays out items: definitions, foreign functions, imports, and annotations.

use super::document::Document;
use super::source::{Layout, Writer};
use crate::Dialect;
use crate::ast::{
    Annotation, AnnotationValue, BinderAnnotation, BinderId, Head, Item, ItemKind, Parameter,
    ParameterGroup, TermId, TermKind,
};
use crate::lexer::TokenKind;

/// Returns the document of an item, which has no syntax errors.
pub(crate) fn layout<'t>(text: &'t str, item: &'t Item, dialect: Dialect) -> Document<'t> {
    let mut writer = Writer::new(text, item, dialect);
    writer.item();
    writer.out
}

impl Writer<'_> {
    fn item(&mut self) {
        self.annotations(&self.item.annotations);
        match &self.item.kind {
            ItemKind::Import { path } => {
                self.word_space();
                self.words_until(path.as_ref().map_or(0, |(_, span)| span.end));
            }
            ItemKind::Def { head, ty, body, .. } => self.def(head.as_deref(), *ty, *body),
            ItemKind::Foreign {
                params,
                result,
                body,
                ..
            } => {
                self.foreign(params, *result);
                if body.is_some() {
                    self.space();
                    self.word_space();
                    self.word();
                }
            }
            ItemKind::Stray => self.words_until(u32::MAX),
        }
    }

    /// Writes each annotation `@name(…)` on its own line; the terms of the annotations are in the
    /// item.
    pub(crate) fn annotations(&mut self, annotations: &[Annotation]) {
        for annotation in annotations {
            self.words_until(annotation.name.as_ref().map_or(0, |name| name.span.end));
            if self.kind() == TokenKind::LParen {
                self.list(annotation.args.len(), |writer, at| {
                    writer.annotation_arg(
                        &annotation.args[at].value,
                        annotation.args[at].key.is_some(),
                    );
                });
            }
            self.out.hard_line();
        }
    }

    /// Writes `def name : type = body` or `def name(parameters): type = body`. A function begins on
    /// the same line if its parameters fit.
    fn def(&mut self, head: Option<&Head>, ty: Option<TermId>, body: TermId) {
        let body = head.map_or(body, |head| head.value);
        let function = self.is_function(body);
        let group = function.then(|| self.open());
        self.word_space();
        match (head, ty) {
            (Some(head), ty) => {
                self.word();
                self.head(head, ty);
                self.space();
            }
            (None, Some(ty)) => {
                self.word_space();
                self.word();
                self.below(|writer| writer.type_of_def(ty));
                self.space();
            }
            (None, None) => self.word_space(),
        }
        self.word();
        match group {
            Some(group) => {
                self.out.indent_if_broken(group);
                self.out.line();
                self.tail(body, &mut Some(group));
                self.out.dedent_if_broken(group);
            }
            None => self.right_side(body),
        }
    }

    /// Writes the parameters left of `=`, with the type of the result and the conditions after it.
    /// If a list of parameters does not fit the line, for the last one with the result, each parameter
    /// is on a line of its own.
    pub(crate) fn head(&mut self, head: &Head, ty: Option<TermId>) {
        let Some((last, before)) = head.groups.split_last() else {
            return;
        };
        for group in before {
            self.group(|writer| writer.parameters(group));
        }
        self.open();
        self.parameters(last);
        if let Some(result) = head.result {
            self.word_space();
            self.group(|writer| {
                writer.indented(|writer| {
                    writer.type_of_def(result);
                    if let Some(ty) = ty
                        && let TermKind::Where { conditions, .. } = &writer.item.term(ty).kind
                    {
                        writer.conditions(conditions);
                    }
                });
            });
        }
        self.out.close();
    }

    /// Writes parameters in their brackets; the closing one is on a line of its own if the enclosing
    /// group is not on one line.
    fn parameters(&mut self, group: &ParameterGroup) {
        self.word();
        self.elements(group.params.len(), |writer, at| {
            writer.parameter(&group.params[at]);
        });
        self.out.soft_line();
        self.word();
    }

    /// Writes a parameter left of `=`: `x`, `x: type`, `inout x: type` or `n: Nat`.
    fn parameter(&mut self, param: &Parameter) {
        if param.inout.is_some() {
            self.word_space();
        }
        self.binder(param.binder);
        if let Some(ty) = param.ty {
            self.word_space();
            self.term(ty);
        }
    }

    /// Writes the right-hand side of a `=` or `=>`, on lines of its own if it does not fit the
    /// line, or is an assignment or a conditional command.
    pub(crate) fn right_side(&mut self, body: TermId) {
        let kind = &self.item.term(body).kind;
        let is_command = matches!(kind, TermKind::Assign { .. } | TermKind::If { .. });
        self.below(|writer| {
            if is_command {
                writer.out.break_parent();
            }
            writer.term(body);
        });
    }

    /// Writes `foreign def name(x: type): type`.
    fn foreign(&mut self, params: &[BinderId], result: TermId) {
        self.word_space();
        self.word_space();
        self.word();
        self.list(params.len(), |writer, at| writer.binder(params[at]));
        self.word_space();
        self.term(result);
    }

    fn annotation_arg(&mut self, value: &AnnotationValue, named: bool) {
        if named {
            self.word_space();
            self.word_space();
        }
        match value {
            AnnotationValue::Term(term) => self.term(*term),
            AnnotationValue::String(_, span) => self.words_until(span.end),
            AnnotationValue::List(terms, _) => {
                self.list(terms.len(), |writer, at| writer.term(terms[at]));
            }
        }
    }

    /// Writes a binder: `x`, `x: type`, `n: Nat` or `(a, b)`.
    pub(crate) fn binder(&mut self, id: BinderId) {
        match &self.item.binder(id).parts {
            Some(parts) => self.list(parts.len(), |writer, at| writer.binder(parts[at])),
            None => self.word(),
        }
        match self.item.binder(id).annotation {
            BinderAnnotation::None => {}
            BinderAnnotation::Type(ty) => {
                self.word_space();
                self.term(ty);
            }
            BinderAnnotation::Kind(_, span) => {
                self.word_space();
                self.words_until(span.end);
            }
        }
    }
}
