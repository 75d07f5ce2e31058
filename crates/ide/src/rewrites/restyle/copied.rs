//! Copying of parts of the old text whose terms occur in the new one.

use super::*;

impl Restyle<'_> {
    /// Returns the text of a part of the old text that has this term, with its variables renamed if
    /// necessary; `None` if there is no such part that can be copied here.
    pub(super) fn copy(&mut self, new: &Core) -> Option<Piece> {
        let key = self.key(new);
        let mut candidates = self.index.get(&key)?.clone();
        // Prefers parts that have not been copied yet, so that each text is used once if possible;
        // then those with a type annotation, because the new context may not determine the type.
        candidates.sort_by_key(|id| {
            let ascribed = matches!(self.item.term(*id).kind, TermKind::Ascribe { .. });
            (self.copied.contains(id), !ascribed)
        });
        let mut renamed = None;
        for id in candidates {
            let Some(pairs) = self.pairs(id, new) else {
                continue;
            };
            if !self.is_visible(id) || !self.keeps_annotations(id, new) {
                continue;
            }
            let changes: Vec<(Local, Name)> = pairs
                .into_iter()
                .filter_map(|(old, new)| {
                    let name = self.names.get(&new)?.clone();
                    (name != old.name).then_some((old, name))
                })
                .collect();
            let Some(text) = self.with_names(id, &changes) else {
                continue;
            };
            let piece = Piece::new(text, Level::of(self.item, id));
            if changes.is_empty() {
                self.copied.insert(id);
                return Some(piece);
            }
            renamed.get_or_insert((id, piece));
        }
        let (id, piece) = renamed?;
        self.copied.insert(id);
        Some(piece)
    }

    /// Returns true if a part can be copied to a text with annotations: for an abstraction the part
    /// must be a `fun`, because a function without a parameter has no place for the annotation.
    fn keeps_annotations(&self, id: TermId, new: &Core) -> bool {
        let is_function = |kind: &TermKind| matches!(kind, TermKind::Fun { .. });
        self.options.annotations == Annotations::None
            || !matches!(new.form, Form::Lambda(..))
            || is_function(&self.item.term(id).kind)
    }

    /// Returns true if the type annotations in a part are right for a term that only differs in the
    /// types of these parameters, and in its own type if `retyped` is true.
    pub(super) fn annotations_fit(&self, id: TermId, retyped: bool, params: &[u32]) -> bool {
        let term = self.item.term(id);
        let is_annotated = |binder: &BinderId| {
            let binder = self.item.binders.get(binder.0 as usize);
            binder.is_some_and(|binder| {
                term.span.contains(binder.span)
                    && !matches!(binder.annotation, BinderAnnotation::None)
            })
        };
        if params.iter().any(|param| is_annotated(&BinderId(*param))) {
            return false;
        }
        if !retyped && params.is_empty() {
            return true;
        }
        // A reduced term lacks some parameters and ascriptions of the text.
        let is_own = match &term.kind {
            TermKind::Fun { params, .. } => params.iter().any(is_annotated),
            _ => false,
        };
        let ascribed = |part: &syntax::ast::Term| {
            matches!(part.kind, TermKind::Ascribe { .. }) && term.span.contains(part.span)
        };
        !is_own && !self.item.terms.iter().any(ascribed)
    }

    /// Returns true if no binder here shadows the definitions and primitives that a part mentions.
    pub(super) fn is_visible(&self, id: TermId) -> bool {
        let span = self.item.term(id).span;
        let outside = |target| matches!(target, Target::Global(_) | Target::Primitive(_));
        self.source
            .inference
            .uses
            .iter()
            .filter(|used| outside(used.target))
            .filter(|used| span.contains(self.item.term(used.term).span))
            .all(|used| match &self.item.term(used.term).kind {
                TermKind::Name(name) => !self.names.is_bound(name),
                _ => true,
            })
    }

    /// Returns the text of a part with variables renamed; `None` if a binder in it has one of the
    /// new names, and would capture them.
    pub(super) fn with_names(&self, id: TermId, changes: &[(Local, Name)]) -> Option<String> {
        let span = self.item.term(id).span;
        let mut edits = Vec::new();
        for (old, name) in changes {
            let taken =
                |binder: &syntax::ast::Binder| binder.name == *name && span.contains(binder.span);
            if self.item.binders.iter().any(taken) {
                return None;
            }
            for used in &self.source.inference.uses {
                let place = self.item.term(used.term).span;
                if used.target == Target::Binder(BinderId(old.id)) && span.contains(place) {
                    edits.push(Edit {
                        span: place,
                        text: name.to_string(),
                    });
                }
            }
        }
        Some(self.moved(span, edits))
    }

    /// Returns the text of the function of the old text whose first parameter is that of `new`,
    /// after its update to `new`. Returns `None` if there is no such function, if it is being
    /// replaced, or if nothing of its text can be kept.
    pub(super) fn changed(&mut self, new: &Core) -> Option<Piece> {
        let Form::Lambda(param, _) = &new.form else {
            return None;
        };
        let id = self.function_of(&param.local)?;
        if self.changing.contains(&id) || !self.is_visible(id) {
            return None;
        }
        let outer = std::mem::take(&mut self.edits);
        self.update(id, new);
        let edits = std::mem::replace(&mut self.edits, outer);
        let span = self.item.term(id).span;
        // Nothing is kept if the whole function is replaced.
        if edits.iter().any(|edit| edit.span == span) {
            return None;
        }
        Some(Piece::new(self.moved(span, edits), Level::Atom))
    }

    /// Returns the function in the text whose first parameter is this variable. A variable of
    /// another term may have the same number, so the name is compared, too.
    pub(super) fn function_of(&self, local: &Local) -> Option<TermId> {
        let binder = BinderId(local.id);
        let known = self.item.binders.get(local.id as usize)?;
        if known.name != local.name {
            return None;
        }
        let binds = |id: &TermId| match &self.item.term(*id).kind {
            TermKind::Fun { params, .. } => params.first() == Some(&binder),
            _ => false,
        };
        (0..self.item.terms.len() as u32).map(TermId).find(binds)
    }

    /// Returns a part of the text after edits inside it, indented like the current line.
    pub(super) fn moved(&self, span: Span, mut edits: Vec<Edit>) -> String {
        edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
        let mut text = String::new();
        let mut at = span.start;
        for edit in edits {
            text.push_str(self.slice(Span::new(at, edit.span.start.max(at))));
            text.push_str(&edit.text);
            at = edit.span.end.max(at);
        }
        text.push_str(self.slice(Span::new(at, span.end.max(at))));
        reindent(&text, self.indent_at(span.start), self.indent)
    }
}

/// Changes the indentation of all lines but the first as if that of the first line changed from
/// `from` to `to`.
pub(crate) fn reindent(text: &str, from: &str, to: &str) -> String {
    if from == to || !text.contains('\n') {
        return text.to_owned();
    }
    let mut lines = text.split('\n');
    let mut out = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        out.push('\n');
        let rest = line.trim_start_matches([' ', '\t']);
        let own = &line[..line.len() - rest.len()];
        if !rest.trim().is_empty() {
            match own.strip_prefix(from) {
                Some(further) => out.extend([to, further]),
                // A line with less indentation than the first keeps the difference.
                None => {
                    let less = from.len().saturating_sub(own.len());
                    out.push_str(&to[..to.len().saturating_sub(less)]);
                }
            }
        }
        out.push_str(rest);
    }
    out
}
