//! Elaboration of applications, with their implicit and optional arguments.

use std::sync::Arc;

use nat::Nat;
use syntax::Span;
use syntax::ast::{Kind, TermId, TermKind};

use super::{Elaborator, Surface};
use crate::core::{Expr, Form, Node, Origin, apply, dep_apply, dep_lambda};
use crate::primitive::OptionalArgument;
use crate::spine::Spine;
use crate::types::{Arg, Pi, Ty, Type, var_arg};
use crate::{BinderInfo, NameUse, Target, TermInfo};

/// The implicit arguments of a use that are not yet consumed.
type Implicits<'u> = std::slice::Iter<'u, (syntax::ast::Name, Arg)>;

/// A spine whose arguments are consumed from left to right.
struct SpineCursor {
    spine: Spine,
    /// The number of consumed arguments.
    given: usize,
    /// The name, operator or keyword at the head of the spine.
    head: Span,
}

impl SpineCursor {
    fn left(&self) -> usize {
        self.spine.args.len() - self.given
    }
}

impl<P: Surface> Elaborator<'_, P> {
    /// Elaborates a name, an operator as a function, an application or a pipe.
    pub(super) fn application(&mut self, id: TermId) -> Option<Expr<P>> {
        let spine = Spine::of(self.item, id);
        let head = spine.head;
        let mut giving = SpineCursor {
            head: self.span(head),
            spine,
            given: 0,
        };
        if !matches!(
            self.item.term(head).kind,
            TermKind::Name(_) | TermKind::Operator(_)
        ) {
            let function = self.term(head, None)?;
            if let Some(site) = self.sites.get(function.origin.0 as usize) {
                giving.head = site.head;
            }
            let own = match self.item.term(head).kind {
                TermKind::Ascribe { ty, .. } => self.leading_implicit_of(ty),
                _ => 0,
            };
            let later = self.instantiated(head).get(own..).unwrap_or_default();
            return self.give(&mut giving, function, &mut later.iter());
        }
        let name_use = *self.uses.get(&head)?;
        match name_use.target {
            Target::Primitive(_) | Target::Phrase(_) => {
                let primitive = P::of_target(name_use.target)?;
                match primitive.is_make_array() {
                    true => self.make_array(primitive, id, &mut giving),
                    false => self.primitive(&primitive, name_use, &mut giving),
                }
            }
            Target::Global(_) => self.global(name_use, &mut giving),
            Target::Binder(binder) if self.parts.contains_key(&binder) => {
                let part = self.parts[&binder].clone();
                let origin = self.result_origin(&giving);
                let mut value = Node::var(&part.whole, origin);
                for &half in &part.path {
                    value = self.half(value, half, origin)?;
                }
                self.give(&mut giving, value, &mut name_use.implicits.iter())
            }
            Target::Binder(binder) => {
                let form = match &self.inference.binders[binder.0 as usize] {
                    BinderInfo::Value(_) => Form::Var(self.local(binder)),
                    BinderInfo::TypeLevel(..) if giving.spine.args.is_empty() => {
                        return self.size_value(id);
                    }
                    _ => return None,
                };
                let ty = match &self.inference.binders[binder.0 as usize] {
                    BinderInfo::Value(ty) => ty.clone(),
                    _ => return None,
                };
                let origin = self.result_origin(&giving);
                let function = Node::new(form, ty, origin);
                self.give(&mut giving, function, &mut name_use.implicits.iter())
            }
            Target::SumIndex(_) => None,
        }
    }

    fn global(&mut self, name_use: &NameUse, giving: &mut SpineCursor) -> Option<Expr<P>> {
        let Target::Global(id) = name_use.target else {
            return None;
        };
        if !self.globals.iter().any(|(known, _)| *known == id)
            && let TermKind::Name(name) = &self.item.term(giving.spine.head).kind
        {
            self.globals.push((id, name.clone()));
        }
        let ty = self.ty(giving.spine.head)?;
        let later = implicits_along(&ty, giving.spine.args.len());
        let first = name_use.implicits.len().checked_sub(later)?;
        let (first, later) = name_use.implicits.split_at(first);
        let args = first.iter().map(|(_, arg)| arg.clone()).collect();
        if P::WHOLE && !first.is_empty() && giving.left() > explicit_arguments(&ty) {
            giving.given += first.len();
        }
        let origin = self.result_origin(giving);
        let function = Node::new(Form::Global(id, args), ty, origin);
        self.give(giving, function, &mut later.iter())
    }

    /// Applies `function` to the remaining arguments.
    fn give(
        &mut self,
        giving: &mut SpineCursor,
        mut function: Expr<P>,
        implicits: &mut Implicits,
    ) -> Option<Expr<P>> {
        loop {
            while let Type::Pi(Pi { implicit: true, .. }) = &*function.ty {
                let (_, arg) = implicits.next()?;
                function = dep_apply(&function, arg.clone(), function.origin);
            }
            let Some(arg) = giving.spine.args.get(giving.given).copied() else {
                return Some(function);
            };
            giving.given += 1;
            function = match &*function.ty {
                Type::Fun(..) => {
                    let value = self.term(arg.term, None)?;
                    apply(&function, value, self.result_origin(giving))
                }
                Type::Pi(_) => {
                    let arg = self.type_level(arg.term)?;
                    dep_apply(&function, arg, self.result_origin(giving))
                }
                _ => return None,
            };
        }
    }

    fn type_level(&self, id: TermId) -> Option<Arg> {
        match &self.inference.terms[id.0 as usize] {
            TermInfo::Arg(arg) => Some(arg.clone()),
            _ => None,
        }
    }

    /// Returns the origin of the result after the arguments that are consumed so far.
    fn result_origin(&mut self, giving: &SpineCursor) -> Origin {
        let SpineCursor { spine, given, head } = giving;
        let term = spine
            .results
            .iter()
            .filter(|(_, after)| after >= given)
            .min_by_key(|(_, after)| *after)
            .map_or(spine.head, |(term, _)| *term);
        let span = match given {
            0 => self.span(spine.head),
            _ => self.span(term),
        };
        self.site(span, *head)
    }

    // ----- primitives -----

    fn primitive(
        &mut self,
        primitive: &P,
        name_use: &NameUse,
        giving: &mut SpineCursor,
    ) -> Option<Expr<P>> {
        let optional = self.optional(primitive, giving);
        let implicits = &mut name_use.implicits.iter();
        let mut args = Vec::new();
        for _ in super::leading_implicit(primitive.scheme()) {
            args.push(implicits.next()?.1.clone());
        }
        if P::WHOLE && giving.left() > explicit_arguments(&self.ty(giving.spine.head)?) {
            giving.given += args.len();
        }
        let mut ty = self.ty(giving.spine.head)?;
        let mut missing: Vec<Pi> = Vec::new();
        while let Type::Pi(pi) = &*ty {
            let arg = if !missing.is_empty() {
                None
            } else if pi.implicit {
                implicits.next().map(|(_, arg)| arg.clone())
            } else {
                self.next_type_level(giving)
            };
            let (arg, rest) = match arg {
                Some(arg) => {
                    let put = |v| (v == pi.var).then(|| arg.clone());
                    let rest = crate::subst::subst(&pi.body, &put);
                    (arg, rest)
                }
                None => {
                    missing.push(pi.clone());
                    (var_arg(pi.var, pi.kind), pi.body.clone())
                }
            };
            args.push(arg);
            ty = rest;
        }
        args.extend(optional);
        let origin = self.result_origin(giving);
        let form = Form::Primitive(primitive.clone(), args.into(), Arc::new([]));
        let function = Node::new(form, ty, origin);
        if missing.is_empty() {
            return self.give(giving, function, implicits);
        }
        let whole = |body, pi: &Pi| dep_lambda(pi.var, pi.kind, pi.implicit, body);
        Some(missing.iter().rev().fold(function, whole))
    }

    /// Consumes and returns the optional first argument, if it is written. If it is not, returns 0
    /// for an optional dimension and `None` otherwise.
    fn optional(&mut self, primitive: &P, giving: &mut SpineCursor) -> Option<Arg> {
        let optional = primitive.optional_argument()?;
        let one_more = |count: usize| giving.left() == count + 1;
        let explicit = explicit_arguments(&self.ty(giving.spine.head)?);
        let implicit = super::leading_implicit(primitive.scheme()).count();
        let counted = !P::WHOLE || one_more(explicit) || one_more(explicit + implicit);
        let first = giving.spine.args.first().filter(|arg| !arg.piped);
        let written = match (optional, first.and_then(|arg| self.type_level(arg.term))) {
            (OptionalArgument::AddressSpace, Some(arg @ Arg::Address(_))) => Some(arg),
            (OptionalArgument::Dimension, Some(arg @ Arg::Nat(_))) if counted => Some(arg),
            _ => None,
        };
        if written.is_some() {
            giving.given = 1;
            return written;
        }
        (optional == OptionalArgument::Dimension).then_some(Arg::Nat(Nat::ZERO))
    }

    fn next_type_level(&mut self, giving: &mut SpineCursor) -> Option<Arg> {
        let arg = giving.spine.args.get(giving.given)?;
        let arg = self.type_level(arg.term)?;
        giving.given += 1;
        Some(arg)
    }

    /// Elaborates `makeArray(k)`, whose type depends on the value of `k`.
    fn make_array(
        &mut self,
        primitive: P,
        id: TermId,
        giving: &mut SpineCursor,
    ) -> Option<Expr<P>> {
        let mut first = self.next_type_level(giving)?;
        if P::WHOLE && matches!(first, Arg::Type(_)) {
            // The first argument is the type of the elements.
            first = self.next_type_level(giving)?;
        }
        let Arg::Nat(count) = first else {
            return None;
        };
        let mut result = self.ty(id)?;
        while let Type::Fun(_, out) = &*result {
            result = out.clone();
        }
        let data = P::data(&result)?;
        let Type::Array(_, elem) = &*data else {
            return None;
        };
        let elem = elem.clone();
        let value = P::value(elem.clone());
        let values = count.as_const().and_then(|k| usize::try_from(k).ok())?;
        let ty = (0..values).fold(result, |out, _| Arc::new(Type::Fun(value.clone(), out)));
        let mut types = [Arg::Nat(count), Arg::Type(elem)];
        if P::WHOLE {
            // The arguments are in the order of the primitive's type.
            types.reverse();
        }
        let origin = self.result_origin(giving);
        let form = Form::Primitive(primitive, Arc::new(types), Arc::new([]));
        self.give(giving, Node::new(form, ty, origin), &mut [].iter())
    }

    pub(super) fn size_node(&mut self, id: TermId, size: Nat) -> Expr<P> {
        let ty = P::value(Arc::new(Type::Scalar(syntax::ast::ScalarType::NatType)));
        let origin = self.whole(id);
        Node::new(Form::Nat(size), ty, origin)
    }

    /// Returns the type-level variable that a name refers to, with its kind; `None` for values.
    pub(super) fn type_level_name(&self, id: TermId) -> Option<(nat::Var, Kind)> {
        match self.uses.get(&id)?.target {
            Target::Binder(binder) => self.variable(binder),
            _ => None,
        }
    }
}

/// Counts the parameters of a type, implicit and explicit ones.
fn explicit_arguments(ty: &Ty) -> usize {
    let (mut ty, mut count) = (ty, 0);
    while let Type::Fun(_, rest) | Type::Pi(Pi { body: rest, .. }) = &**ty {
        count += 1;
        ty = rest;
    }
    count
}

/// Counts the implicit parameters of a type up to those that follow `args` explicit ones.
fn implicits_along(ty: &Ty, args: usize) -> usize {
    let (mut ty, mut left, mut count) = (ty, args, 0);
    loop {
        ty = match &**ty {
            Type::Pi(pi) if pi.implicit => {
                count += 1;
                &pi.body
            }
            Type::Pi(Pi { body, .. }) | Type::Fun(_, body) if left > 0 => {
                left -= 1;
                body
            }
            _ => return count,
        };
    }
}
