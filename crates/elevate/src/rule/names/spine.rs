//! Resolves the names in applications: determines the kinds of their arguments, and adds the
//! type-level arguments that patterns omit.

use rise::primitive::OptionalArgument;
use rise::types::Type as RiseType;
use rise::{Primitive, Resolution};
use syntax::ast::{BinaryOp, Kind, Literal, Term, TermId, TermKind};

use super::super::VariableKind;
use super::{ExpectedKind, Names, OmittedParts, Side};

/// The head and the arguments of an application; the flag is true for an argument of `|>` or `<|`.
struct Spine {
    head: TermId,
    args: Vec<(TermId, bool)>,
}

impl Names<'_> {
    fn spine(&self, term: TermId) -> Spine {
        let (mut head, mut args) = (term, Vec::new());
        loop {
            match &self.terms[head.0 as usize].kind {
                TermKind::Apply { callee, args: list } => {
                    args.extend(list.iter().rev().map(|&arg| (arg, false)));
                    head = *callee;
                }
                TermKind::Binary {
                    op: BinaryOp::Pipe,
                    lhs: arg,
                    rhs: function,
                    ..
                }
                | TermKind::Binary {
                    op: BinaryOp::ApplyLeft,
                    lhs: function,
                    rhs: arg,
                    ..
                } => {
                    args.push((*arg, true));
                    head = *function;
                }
                TermKind::Paren(inner) => head = *inner,
                _ => break,
            }
        }
        args.reverse();
        Spine { head, args }
    }

    /// For the name of a primitive or RISE definition, returns the primitive, if it is one, the
    /// kinds of the leading explicit type-level arguments, and the number of values; `None` for
    /// other functions.
    fn callee(&self, head: TermId) -> Option<(Option<Primitive>, Vec<Kind>, usize)> {
        let name = match &self.terms[head.0 as usize].kind {
            TermKind::Name(name) => name,
            _ => return None,
        };
        if self.in_scope(name) || self.index.contains_key(name) || name.starts_with('?') {
            return None;
        }
        match self.env.resolve(name) {
            Resolution::Def(_, scheme) => {
                let (kinds, values) = arguments(&scheme.ty);
                Some((None, kinds, values))
            }
            Resolution::Unknown => {
                let primitive = Primitive::from_name(name)?;
                let (kinds, values) = arguments(&rise::library_scheme(primitive).ty);
                Some((Some(primitive), kinds, values))
            }
            _ => None,
        }
    }

    pub(super) fn application(&mut self, term: TermId, side: Side) {
        let mut spine = self.spine(term);
        let callee = self.callee(spine.head);
        if let Some((Some(primitive), kinds, _)) = &callee
            && side == Side::Left
            && self.complete(term, &spine, *primitive, kinds)
        {
            spine = self.spine(term);
        }
        let mut at = 0;
        match callee {
            Some((primitive, kinds, values)) => {
                if let Some(primitive) = primitive
                    && let Some(kind) = self.optional(primitive, &spine, kinds.len() + values)
                {
                    self.visit(spine.args[0].0, ExpectedKind::TypeLevel(kind), side);
                    at = 1;
                }
                for kind in kinds {
                    match spine.args.get(at) {
                        Some(&(arg, false)) => self.visit(arg, ExpectedKind::TypeLevel(kind), side),
                        _ => break,
                    }
                    at += 1;
                }
            }
            None => self.visit(spine.head, ExpectedKind::Value, side),
        }
        for &(arg, _) in &spine.args[at.min(spine.args.len())..] {
            let role = match self.kind_of(arg) {
                Some(VariableKind::TypeLevel(kind)) => ExpectedKind::TypeLevel(kind),
                _ => ExpectedKind::Value,
            };
            self.visit(arg, role, side);
        }
    }

    /// Adds the omitted type-level arguments to the name of a primitive in a pattern. Other terms
    /// stay.
    pub(super) fn complete_name(&mut self, term: TermId) {
        let spine = self.spine(term);
        if let Some((Some(primitive), kinds, _)) = self.callee(spine.head) {
            self.complete(term, &spine, primitive, &kinds);
        }
    }

    /// Adds the omitted type-level arguments of a primitive. Returns true if there are any.
    fn complete(
        &mut self,
        term: TermId,
        spine: &Spine,
        primitive: Primitive,
        kinds: &[Kind],
    ) -> bool {
        let mut changed = false;
        let total = kinds.len() + arguments(&rise::library_scheme(primitive).ty).1;
        let optional = self.optional(primitive, spine, total);
        let written = spine.args.iter().filter(|(_, piped)| !piped).count();
        let written = written.saturating_sub(usize::from(optional.is_some()));
        let piped = written < spine.args.len() - usize::from(optional.is_some());
        let missing = kinds.get(written..).unwrap_or_default();
        if !missing.is_empty() && !piped {
            for &kind in missing {
                self.give(term, VariableKind::TypeLevel(kind));
            }
            changed = true;
        }
        let dimension = primitive.optional_argument() == Some(OptionalArgument::Dimension);
        if dimension && optional.is_none() && self.mode != OmittedParts::Exact {
            // The head may be the term itself, which is now an application of the old one.
            let head = self.spine(term).head;
            self.give(head, VariableKind::TypeLevel(Kind::Nat));
            changed = true;
        }
        changed
    }

    /// Replaces a term by its application to an anonymous metavariable.
    fn give(&mut self, term: TermId, kind: VariableKind) {
        let old = self.terms[term.0 as usize].clone();
        let span = old.span;
        let name = self.anonymous(span, Some(kind));
        let id = |len: usize| TermId(u32::try_from(len).unwrap_or(u32::MAX));
        let callee = id(self.terms.len());
        self.terms.push(old);
        let arg = id(self.terms.len());
        self.terms.push(Term {
            kind: TermKind::Name(name),
            span,
        });
        let args = [arg].into();
        self.terms[term.0 as usize].kind = TermKind::Apply { callee, args };
    }

    /// Returns the kind of the optional argument of a primitive if the first argument of the
    /// application is this argument; `None` otherwise.
    fn optional(&self, primitive: Primitive, spine: &Spine, total: usize) -> Option<Kind> {
        let optional = primitive.optional_argument()?;
        let &(first, false) = spine.args.first()? else {
            return None;
        };
        let (wanted, literal) = match optional {
            OptionalArgument::AddressSpace => (Kind::AddrSp, false),
            OptionalArgument::Dimension => (Kind::Nat, true),
        };
        let bare = self.bare(first);
        let is_it = match &self.terms[bare.0 as usize].kind {
            TermKind::Address(_) => !literal,
            TermKind::Literal(Literal::Int { suffix: None, .. }) => literal,
            TermKind::Name(name) if self.in_scope(name) => false,
            TermKind::Name(_) => match self.kind_of(bare) {
                Some(kind) => kind == VariableKind::TypeLevel(wanted),
                None => spine.args.len() > total,
            },
            TermKind::Hole => {
                let alone =
                    self.mode == OmittedParts::Enclosing && spine.args.len() == 1 && literal;
                alone || spine.args.len() > total
            }
            _ => false,
        };
        is_it.then_some(wanted)
    }
}

/// Returns the kinds of the explicit type-level arguments of a function before its first value, and
/// the number of its values.
fn arguments(ty: &RiseType) -> (Vec<Kind>, usize) {
    let (mut kinds, mut values, mut ty) = (Vec::new(), 0, ty);
    loop {
        ty = match ty {
            RiseType::Pi(pi) => {
                if !pi.implicit && values == 0 {
                    kinds.push(pi.kind);
                }
                &pi.body
            }
            RiseType::Fun(_, rest) => {
                values += 1;
                rest
            }
            _ => return (kinds, values),
        };
    }
}
