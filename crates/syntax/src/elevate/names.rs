//! The names that an item mentions.

use super::ast::{Expect, ExprKind, Item, ItemKind, PatternKind};
use crate::Span;
use crate::ast::{BinderAnnotation, Name, TermKind};

/// A name where it is mentioned, not bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// The name, without backquotes; a metavariable with its `?`.
    pub name: Name,
    /// Where it stands, backquotes included.
    pub span: Span,
    /// In what.
    pub place: MentionPlace,
}

/// Where a name is mentioned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MentionPlace {
    /// In a strategy expression, the trace or normal form of an example.
    Strategy,
    /// Behind a `.`, as a function of what stands before it.
    Member,
    /// As the name of an argument, `f(n = 3)`: a parameter of what is called.
    Argument,
    /// As a pattern of its own, where it may bind a variable.
    Pattern,
    /// In a term or type of RISE.
    Term,
}

impl Item {
    /// Every mention of a name in the item, in the order of the text. Whether it is bound in the
    /// item itself is not asked; names in attributes are none.
    pub fn mentions(&self) -> Vec<Mention> {
        let mut mentions = Vec::new();
        let mut add = |name: &Name, span, place| {
            mentions.push(Mention {
                name: name.clone(),
                span,
                place,
            });
        };
        for expr in &self.exprs {
            match &expr.kind {
                ExprKind::Name(name) => add(name, expr.span, MentionPlace::Strategy),
                ExprKind::Member {
                    name: Some(name), ..
                } => add(&name.name, name.span, MentionPlace::Member),
                ExprKind::Call { args, .. } => {
                    for name in args.iter().filter_map(|arg| arg.name.as_ref()) {
                        add(&name.name, name.span, MentionPlace::Argument);
                    }
                }
                _ => {}
            }
        }
        for pattern in &self.patterns {
            if let PatternKind::Name(name) = &pattern.kind {
                add(name, pattern.span, MentionPlace::Pattern);
            }
        }
        if let ItemKind::Example { expect, modulo, .. } = &self.kind {
            if let Expect::Trace(rules, _) = expect {
                for rule in rules {
                    add(&rule.name, rule.span, MentionPlace::Strategy);
                }
            }
            if let Some(modulo) = modulo {
                add(&modulo.name, modulo.span, MentionPlace::Strategy);
            }
        }
        self.terms_in_use(|term| {
            let term = self.term(term);
            if let TermKind::Name(name) = &term.kind {
                add(name, term.span, MentionPlace::Term);
            }
        });
        mentions.sort_by_key(|mention| mention.span.start);
        mentions
    }

    /// Visits every term of RISE below the [`roots`](Item::roots): not those that only gave their
    /// text, such as the word of a property in a condition.
    fn terms_in_use(&self, mut visit: impl FnMut(crate::ast::TermId)) {
        let mut pending = self.roots();
        while let Some(id) = pending.pop() {
            visit(id);
            self.rise.children(id, |child| pending.push(child));
        }
    }

    /// The places where terms of RISE bind a name, in the order of the text.
    pub fn rise_binders(&self) -> impl Iterator<Item = (&Name, Span, BinderAnnotation)> {
        self.rise
            .binders
            .iter()
            .map(|binder| (&binder.name, binder.span, binder.annotation))
    }
}
