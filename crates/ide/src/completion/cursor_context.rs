//! The place of a completion in a program: the item, the syntactic context, the word under the
//! cursor, and the binders in scope.

use db::Database;
use rise::Ty;
use syntax::Span;
use syntax::ast::{BinaryOp, BinderId, ItemKind, TermId, TermKind};
use syntax::lexer::TokenKind;

use crate::context::{self, Context, OpenCall};
use crate::item_view::{self, View};
use crate::{FilePosition, token, tree};

pub(super) struct Place<'d> {
    pub(super) view: View<'d>,
    pub(super) context: Context,
    /// The offset of the cursor in the item.
    pub(super) offset: u32,
    /// The end, in the item, of the last token before the word that is being typed; 0 if there is
    /// none.
    pub(super) before: u32,
    /// The word that is being typed, up to the cursor.
    pub(super) prefix: String,
    /// The range, in the item, of the whole word under the cursor; empty if there is none.
    pub(super) replace: Span,
    /// True if an opening parenthesis follows.
    pub(super) called: bool,
    /// True if the word is on another line than the token before it.
    pub(super) new_line: bool,
    /// The innermost call whose arguments contain the cursor.
    pub(super) call: Option<OpenCall>,
}

impl<'d> Place<'d> {
    pub(super) fn at(db: &'d Database, at: FilePosition) -> Option<Place<'d>> {
        let (view, offset) = View::at_or_before(db, at)?;
        let text = db.item_text(view.id);
        let (tokens, typed) = token::before(&text, offset, view.dialect());
        let word = typed.filter(|token| token::is_word(token.kind));
        if typed.is_some() && word.is_none() {
            // Inside a comment, a string, or a symbol.
            return Some(Place::nowhere(view, offset));
        }
        if word.is_some_and(|word| matches!(word.kind, TokenKind::Int | TokenKind::Float)) {
            return Some(Place::nowhere(view, offset));
        }
        let beyond = offset > text.len() as u32;
        let (context, calls) = context::read(&text, &tokens);
        let before = tokens.last().map_or(0, |token| token.span.end);
        let replace = word.map_or(Span::empty(offset), |word| word.span);
        let prefix = text
            .get(replace.start as usize..offset.min(replace.end) as usize)
            .unwrap_or("");
        let rest = text.get(replace.end as usize..).unwrap_or("");
        let gap = match beyond {
            true => item_view::gap_before(db, at),
            false => text
                .get(before as usize..replace.start as usize)
                .unwrap_or("")
                .to_owned(),
        };
        let new_line = gap.contains('\n');
        Some(Place {
            context,
            offset,
            before,
            prefix: prefix.to_owned(),
            replace,
            called: rest.starts_with('('),
            new_line,
            view,
            call: calls.last().copied(),
        })
    }

    fn nowhere(view: View<'d>, offset: u32) -> Place<'d> {
        Place {
            view,
            context: Context::Nothing,
            offset,
            before: 0,
            prefix: String::new(),
            replace: Span::empty(offset),
            called: false,
            new_line: false,
            call: None,
        }
    }

    /// Returns the type of the left operand of the `|>` with this range, if it is known.
    pub(super) fn piped_type(&self, pipe: Span) -> Option<Ty> {
        self.view
            .item()
            .terms
            .iter()
            .find_map(|term| match &term.kind {
                TermKind::Binary {
                    op: BinaryOp::Pipe,
                    op_span,
                    lhs,
                    ..
                } if *op_span == pipe => self.view.type_of(*lhs).cloned(),
                _ => None,
            })
    }

    /// Returns the binders in scope at the cursor, innermost first, without those that are
    /// shadowed.
    pub(super) fn binders(&self) -> Vec<BinderId> {
        let item = self.view.item();
        let mut holders: Vec<(u32, BinderId)> = Vec::new();
        for term in (0..item.terms.len() as u32).map(TermId) {
            let mut bound = Vec::new();
            match item.term(term).kind {
                TermKind::Where { ty, .. } if self.stands_behind(ty, term) => {
                    tree::type_binders(item, ty, &mut bound);
                }
                _ if self.sees_binders_of(term) => tree::bound_in_body(item, term, &mut bound),
                _ => {}
            }
            if !bound.is_empty() {
                holders.extend(
                    bound
                        .into_iter()
                        .map(|binder| (self.view.span(term).len(), binder)),
                );
            }
        }
        holders.sort_by_key(|(length, _)| *length);
        let mut binders: Vec<BinderId> = holders.into_iter().map(|(_, binder)| binder).collect();
        if let ItemKind::Def { ty: Some(ty), .. } = &item.kind
            && self.before > self.view.span(*ty).end
        {
            tree::type_binders(item, *ty, &mut binders);
        }
        // A name that is being written may be an implicit parameter itself.
        binders.retain(|&id| {
            let is_here = item.may_be_implicit(id) && item.binder(id).span.touches(self.offset);
            self.view.binds(id) && !is_here
        });
        let mut names: Vec<&str> = Vec::new();
        binders.retain(|id| {
            let name = item.binder(*id).name.as_str();
            let new = !name.is_empty() && !names.contains(&name);
            names.push(name);
            new
        });
        binders
    }

    /// Returns true if the cursor is in `term`, after `part`.
    fn stands_behind(&self, part: TermId, term: TermId) -> bool {
        self.before > self.view.span(part).end && self.before <= self.view.span(term).end
    }

    /// Returns true if the cursor is in the part of `term` where its binders are in scope.
    fn sees_binders_of(&self, term: TermId) -> bool {
        let item = self.view.item();
        let span = self.view.span(term);
        let Some(body) = tree::scope_body(item, term) else {
            return false;
        };
        let closed = self.view.span(body).end < span.end;
        let end = if closed {
            self.offset < span.end
        } else {
            self.before <= span.end
        };
        end && tree::params_end(item, term) < self.before
    }
}
