//! Elaboration of binders: functions, `let` and compositions.

use std::sync::Arc;

use syntax::Span;
use syntax::ast::{BinderId, TermId};

use super::{Elaborator, Surface};
use crate::core::{Expr, Form, Node, Origin, apply, dep_lambda};
use crate::types::{Arg, Pi, Ty, Type};
use crate::{BinderInfo, Primitive};

impl<P: Surface> Elaborator<'_, P> {
    pub(super) fn function(
        &mut self,
        id: TermId,
        params: &[BinderId],
        body: TermId,
        written: Option<&Ty>,
    ) -> Option<Expr<P>> {
        let mut rest = written.cloned();
        // The implicit parameters of the written type in front of each parameter.
        let mut implicit = Vec::with_capacity(params.len());
        for _ in params {
            let mut before = Vec::new();
            while let Some(Type::Pi(pi)) = rest.as_deref()
                && pi.implicit
            {
                before.push((pi.var, pi.kind));
                rest = Some(pi.body.clone());
            }
            implicit.push(before);
            rest = match rest.as_deref() {
                Some(Type::Fun(_, result)) => Some(result.clone()),
                _ => None,
            };
        }
        let origin = self.keyword(id);
        if self.inference.patterns.contains(&id) {
            return self.pair_function(origin, params, body, written);
        }
        for &param in params {
            self.take_apart(param)?;
        }
        let mut expr = self.term(body, rest.as_ref())?;
        for (&param, before) in params.iter().zip(implicit).rev() {
            let param = self.param(param)?;
            let ty = Arc::new(Type::Fun(param.ty.clone(), expr.ty.clone()));
            expr = Node::new(Form::Lambda(param, expr), ty, origin);
            for (var, kind) in before.into_iter().rev() {
                expr = dep_lambda(var, kind, true, expr);
            }
        }
        Some(expr)
    }

    /// Elaborates `fun((x, y) => body)` over pairs to a function of one parameter; the names
    /// denote its halves.
    fn pair_function(
        &mut self,
        origin: Origin,
        params: &[BinderId],
        body: TermId,
        written: Option<&Ty>,
    ) -> Option<Expr<P>> {
        let &[first, second] = params else {
            return None;
        };
        let components = [self.value_type(first)?, self.value_type(second)?];
        let [a, b] = components.clone();
        let param = self.fresh("p", Arc::new(Type::Pair(a, b)));
        self.name_parts(params, &param, &[]);
        let rest = match written.map(|ty| &**ty) {
            Some(Type::Fun(_, result)) => Some(result),
            _ => None,
        };
        let body = self.term(body, rest)?;
        let ty = Arc::new(Type::Fun(param.ty.clone(), body.ty.clone()));
        Some(Node::new(Form::Lambda(param, body), ty, origin))
    }

    pub(super) fn dep_function(
        &mut self,
        id: TermId,
        params: &[BinderId],
        body: TermId,
        written: Option<&Ty>,
    ) -> Option<Expr<P>> {
        let mut rest = written.cloned();
        for &param in params {
            let BinderInfo::TypeLevel(own, _) = self.inference.binders[param.0 as usize] else {
                return None;
            };
            rest = match rest.as_deref() {
                Some(Type::Pi(pi)) => {
                    self.renamed.insert(own, pi.var);
                    Some(pi.body.clone())
                }
                _ => None,
            };
        }
        let origin = self.keyword(id);
        let mut expr = self.term(body, rest.as_ref())?;
        for &param in params.iter().rev() {
            let (var, kind) = self.variable(param)?;
            let ty = Arc::new(Type::Pi(Pi::new(var, kind, false, expr.ty.clone())));
            expr = Node::new(Form::DepLambda(var, kind, expr), ty, origin);
        }
        Some(expr)
    }

    /// Elaborates `let x = value in body`: to the primitive `let` if the type of `body` is a data
    /// type, and to an application of a function of `x` if it is a function type.
    pub(super) fn let_in(
        &mut self,
        id: TermId,
        binder: BinderId,
        value: TermId,
        body: TermId,
        written: Option<&Ty>,
    ) -> Option<Expr<P>> {
        let value = self.term(value, None)?;
        self.take_apart(binder)?;
        let body = self.term(body, written)?;
        let origin = self.keyword(id);
        let param = self.param(binder)?;
        let result = body.ty.clone();
        let from = param.ty.clone();
        let ty = Arc::new(Type::Fun(from.clone(), result.clone()));
        let function = Node::new(Form::Lambda(param, body), ty, origin);
        if matches!(*result, Type::Fun(..) | Type::Pi(_)) {
            return Some(apply(&function, value, origin));
        }
        let data = [P::data(&from)?, P::data(&result)?].map(Arg::Type);
        let types = data.into_iter().chain(P::access(&result)).collect();
        let primitive = P::of_rise(Primitive::Let)?;
        let form = Form::Primitive(primitive, types, Arc::new([value, function]));
        Some(Node::new(form, result, origin))
    }

    /// Elaborates a local definition to an application of a function of its name, so that
    /// normalisation puts it in the place of its uses.
    pub(super) fn local_definition(
        &mut self,
        id: TermId,
        binder: BinderId,
        (ty, function): (TermId, TermId),
        body: TermId,
        written: Option<&Ty>,
    ) -> Option<Expr<P>> {
        let own = self.written_type(ty)?;
        let value = self.term(function, Some(&own))?;
        let body = self.term(body, written)?;
        let origin = self.keyword(id);
        let param = self.param(binder)?;
        let ty = Arc::new(Type::Fun(param.ty.clone(), body.ty.clone()));
        let scope = Node::new(Form::Lambda(param, body), ty, origin);
        Some(apply(&scope, value, origin))
    }

    /// Elaborates `let {k} x = value in body` to `dmatch`, and `let {k} = value in body` to `letNat`.
    pub(super) fn let_size(
        &mut self,
        id: TermId,
        (size, binder): (BinderId, Option<BinderId>),
        value: TermId,
        body: TermId,
    ) -> Option<Expr<P>> {
        let value = self.term(value, None)?;
        let body = self.term(body, None)?;
        let origin = self.keyword(id);
        let (var, kind) = self.variable(size)?;
        let result = body.ty.clone();
        let (primitive, bound) = match &*P::data(&value.ty)? {
            Type::DepPair(of) => (Primitive::Dmatch, Arg::DataFun(of.clone())),
            Type::Index(n) => (Primitive::LetNat, Arg::Nat(n.clone())),
            _ => return None,
        };
        let body = match binder {
            Some(binder) => {
                let param = self.param(binder)?;
                let ty = Arc::new(Type::Fun(param.ty.clone(), result.clone()));
                Node::new(Form::Lambda(param, body), ty, origin)
            }
            None => body,
        };
        let ty = Arc::new(Type::Pi(Pi::new(var, kind, false, body.ty.clone())));
        let function = Node::new(Form::DepLambda(var, kind, body), ty, origin);
        let types = [bound, Arg::Type(P::data(&result)?)].into_iter();
        let types = types.chain(P::access(&result)).collect();
        let form = Form::Primitive(P::of_rise(primitive)?, types, Arc::new([value, function]));
        Some(Node::new(form, result, origin))
    }

    /// Elaborates the composition that applies `first`, then `second`.
    pub(super) fn compose(
        &mut self,
        id: TermId,
        op_span: Span,
        first: TermId,
        second: TermId,
    ) -> Option<Expr<P>> {
        let first_site = self.whole(first);
        let first = self.term(first, None)?;
        let second_site = self.whole(second);
        let second = self.term(second, None)?;
        let Type::Fun(input, _) = &*first.ty else {
            return None;
        };
        let param = self.fresh("x", input.clone());
        let span = self.span(id);
        let origin = self.site(span, op_span);
        let x = Node::var(&param, origin);
        let between = apply(&first, x, self.applied(&first, first_site));
        let result = apply(&second, between, self.applied(&second, second_site));
        let ty = Arc::new(Type::Fun(param.ty.clone(), result.ty.clone()));
        Some(Node::new(Form::Lambda(param, result), ty, origin))
    }

    /// Returns the origin of the application of a composition's stage: `site` if the stage is a
    /// function expression, otherwise the stage's own origin, which points at a name in it.
    fn applied(&self, stage: &Expr<P>, site: super::Origin) -> super::Origin {
        match stage.form {
            Form::Lambda(..) | Form::DepLambda(..) => site,
            _ => stage.origin,
        }
    }

    /// Returns the origin of an abstraction or a `let`, which points at its keyword.
    pub(super) fn keyword(&mut self, id: TermId) -> super::Origin {
        self.site(self.span(id), self.item.keyword_span(id))
    }
}
