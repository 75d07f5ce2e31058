//! Collects the names in an item.

use super::ast::{Expect, ExprKind, Item, ItemKind, PatternKind};
use crate::Span;
use crate::ast::{Name, TermKind};

/// An occurrence of a name that refers to something or, in a pattern, may bind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameRef {
    /// The name, without backquotes; a metavariable with its `?`.
    pub name: Name,
    /// The span of the name, with its backquotes.
    pub span: Span,
    /// The syntactic context of the name.
    pub place: NameContext,
}

/// The syntactic contexts of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NameContext {
    /// A name in a strategy expression, or in the trace or normal form of an example.
    Strategy,
    /// A name after a `.`, a function of the expression before it.
    Member,
    /// The name of an argument, `f(n = 3)`: a parameter of the callee.
    Argument,
    /// A pattern of `match`, or a part of one, that is a single name and may bind a variable.
    Pattern,
    /// A name in a RISE term or type, also in a pattern of a rule, predicate or `match`.
    Term,
}

impl Item {
    /// Returns the names in strategy expressions, in patterns of `match` and in RISE terms, of
    /// arguments, and in the trace and normal form of an example, in the order of the text. Those
    /// that the item itself binds are included; names in attributes, in types of ELEVATE, of
    /// properties in conditions, and of parameters where they are declared are not.
    pub fn mentions(&self) -> Vec<NameRef> {
        let mut mentions = Vec::new();
        let mut add = |name: &Name, span, place| {
            mentions.push(NameRef {
                name: name.clone(),
                span,
                place,
            });
        };
        for expr in &self.exprs {
            match &expr.kind {
                ExprKind::Name(name) => add(name, expr.span, NameContext::Strategy),
                ExprKind::Member {
                    name: Some(name), ..
                } => add(&name.name, name.span, NameContext::Member),
                ExprKind::Call { args, .. } => {
                    for name in args.iter().filter_map(|arg| arg.name.as_ref()) {
                        add(&name.name, name.span, NameContext::Argument);
                    }
                }
                _ => {}
            }
        }
        for pattern in &self.patterns {
            if let PatternKind::Name(name) = &pattern.kind {
                add(name, pattern.span, NameContext::Pattern);
            }
        }
        if let ItemKind::Example { expect, modulo, .. } = &self.kind {
            if let Expect::Trace(rules, _) = expect {
                for rule in rules {
                    add(&rule.name, rule.span, NameContext::Strategy);
                }
            }
            if let Some(modulo) = modulo {
                add(&modulo.name, modulo.span, NameContext::Strategy);
            }
        }
        self.terms_in_use(|term| {
            let term = self.term(term);
            if let TermKind::Name(name) = &term.kind {
                add(name, term.span, NameContext::Term);
            }
        });
        mentions.sort_by_key(|mention| mention.span.start);
        mentions
    }

    /// Visits the [`roots`](Item::roots) and every RISE term below them. Terms that were parsed
    /// only for their text, such as the name of a property in a condition, are not visited.
    fn terms_in_use(&self, mut visit: impl FnMut(crate::ast::TermId)) {
        let mut pending = self.roots();
        while let Some(id) = pending.pop() {
            visit(id);
            self.rise.children(id, |child| pending.push(child));
        }
    }
}
