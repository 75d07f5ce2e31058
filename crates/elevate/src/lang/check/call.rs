//! Infers the types of calls.

use rise::codes;
use std::sync::Arc;
use syntax::ast::{Ident, Name};
use syntax::elevate::ast::{Arg, ExprId, ExprKind, Node};

use super::names::{StrategyResolution, ident_of};
use super::unify::rest_of;
use super::{Infer, Meaning, Target};
use crate::lang::types::{Param, Ty, Type};

impl Infer<'_> {
    pub(super) fn call(
        &mut self,
        id: ExprId,
        callee: ExprId,
        args: &[Arg],
        wanted: Option<&Ty>,
    ) -> Ty {
        let item = self.item;
        let name = match &item.expr(callee).kind {
            ExprKind::Name(name) if self.lookup(name).is_none() => Some(name),
            _ => None,
        };
        if let Some(name) = name {
            let known = !matches!(self.env.resolve(name), super::Resolution::Unknown);
            if let Some(node) = Node::from_text(name)
                && !known
            {
                return self.node(id, callee, node, args);
            }
            if self.rise_knows(name)
                && (!known || self.wants_rise(wanted) && !self.gives_rise(name))
            {
                let span = self.span(id);
                self.quote(id, span);
                return Arc::new(Type::Expr);
            }
        }
        let ty = match &item.expr(callee).kind {
            ExprKind::Name(name) => {
                let ty = self.name(callee, name, None, true);
                self.exprs[callee.0 as usize] = ty.clone();
                ty
            }
            _ => {
                let said = self.diagnostics.len();
                let ty = self.infer(callee, None);
                match self.diagnostics.len() == said {
                    true => ty,
                    false => Arc::new(Type::Error),
                }
            }
        };
        self.applied(id, callee, ty, args)
    }

    /// Returns true if the definition of this name may return a RISE expression after all
    /// arguments.
    fn gives_rise(&self, name: &Name) -> bool {
        match self.env.resolve(name) {
            super::Resolution::Item(_, signature) => {
                let (_, result) = signature.scheme.lists();
                matches!(*result, Type::Expr | Type::Error | Type::Param(_))
            }
            _ => false,
        }
    }

    /// Returns the type of `callee(args)`.
    fn applied(&mut self, id: ExprId, callee: ExprId, callee_ty: Ty, args: &[Arg]) -> Ty {
        let mut ty = callee_ty;
        let mut rest = args;
        if args.is_empty() {
            let shallow = self.table.shallow(&ty);
            return match &*shallow {
                Type::Fun(params, result) if params.iter().all(|param| param.optional) => {
                    result.clone()
                }
                Type::Fun(params, _) => {
                    let params = params.clone();
                    self.missing_arguments(id, callee, &params);
                    Arc::new(Type::Error)
                }
                _ => shallow,
            };
        }
        while !rest.is_empty() {
            let shallow = self.table.shallow(&ty);
            match &*shallow {
                Type::Error => {
                    rest.iter().for_each(|arg| {
                        self.infer(arg.value, None);
                    });
                    return Arc::new(Type::Error);
                }
                Type::Strategy(_) => {
                    self.expect(rest[0].value, &Arc::new(Type::Expr));
                    ty = Arc::new(Type::Result);
                    rest = &rest[1..];
                }
                Type::Expr => {
                    let span = self.span(id);
                    self.quote(id, span);
                    return Arc::new(Type::Expr);
                }
                Type::Fun(params, result) => {
                    let (params, result) = (params.clone(), result.clone());
                    let taken = rest.len().min(params.len());
                    let said = self.diagnostics.len();
                    let left = self.list(&params, &rest[..taken]);
                    rest = &rest[taken..];
                    // After an argument of a wrong type, the callee may be the wrong one, so no
                    // further errors are reported.
                    let is_sound = rest.is_empty() || self.diagnostics.len() == said;
                    ty = match left.filter(|_| is_sound) {
                        Some(left) => rest_of(&left, &result),
                        None => Arc::new(Type::Error),
                    };
                }
                Type::Open(_) => {
                    let params: Vec<Ty> =
                        rest.iter().map(|arg| self.infer(arg.value, None)).collect();
                    let result = self.table.open();
                    let function = Type::fun(params, result.clone());
                    self.agree(callee, &ty, &function);
                    return result;
                }
                _ => {
                    self.too_many(callee, args, rest.len());
                    rest.iter().for_each(|arg| {
                        self.infer(arg.value, None);
                    });
                    return Arc::new(Type::Error);
                }
            }
        }
        ty
    }

    /// Checks arguments against a list of parameters. Returns the parameters without an argument;
    /// an empty list if all of these have defaults. Returns `None` if an argument belongs to no
    /// parameter, or to one that has an argument already.
    fn list(&mut self, params: &[Param], args: &[Arg]) -> Option<Vec<Param>> {
        let mut given = vec![false; params.len()];
        let mut sound = true;
        for arg in args {
            let at = match &arg.name {
                Some(name) => params.iter().position(|param| param.name == name.name),
                None => given.iter().position(|given| !given),
            };
            match (at, &arg.name) {
                (Some(at), _) if !given[at] => {
                    given[at] = true;
                    self.expect(arg.value, &params[at].ty);
                }
                (at, name) => {
                    self.infer(arg.value, None);
                    if let Some(name) = name {
                        self.wrong_argument_name(name, at.is_some(), params);
                    }
                    sound = false;
                }
            }
        }
        let left = params.iter().zip(&given).filter(|(_, given)| !**given);
        let left: Vec<Param> = left.map(|(param, _)| param.clone()).collect();
        match sound {
            false => None,
            true if left.iter().all(|param| param.optional) => Some(Vec::new()),
            true => Some(left),
        }
    }

    /// Infers the type of `object.name`, which is `name(object)`.
    pub(super) fn member(&mut self, id: ExprId, object: ExprId, name: &Ident) -> Ty {
        let found = self.infer(object, None);
        match self.strategy_named(&name.name, ident_of(&name.name, name.span)) {
            StrategyResolution::Item(item, ty) => {
                self.used(name.span, Target::Item(item));
                self.meanings.insert(
                    id,
                    Meaning::Item {
                        id: item,
                        defaults: false,
                    },
                );
                let shallow = self.table.shallow(&ty);
                let Type::Fun(params, result) = &*shallow else {
                    self.no_member(object, &found, name);
                    return Arc::new(Type::Error);
                };
                let (params, result) = (params.clone(), result.clone());
                if !self.table.fits(&found, &params[0].ty) {
                    self.no_member(object, &found, name);
                    return Arc::new(Type::Error);
                }
                rest_of(&params[1..], &result)
            }
            StrategyResolution::Broken => Arc::new(Type::Error),
            StrategyResolution::Unknown => {
                if *self.table.shallow(&found) != Type::Error {
                    self.no_member(object, &found, name);
                }
                Arc::new(Type::Error)
            }
        }
    }

    /// Infers the type of a node constructor such as `app(f, x)` or `fun(x, b)`.
    fn node(&mut self, id: ExprId, callee: ExprId, node: Node, args: &[Arg]) -> Ty {
        let expr = Arc::new(Type::Expr);
        self.meanings.insert(id, Meaning::Node(node));
        self.exprs[callee.0 as usize] = expr.clone();
        for (index, arg) in args.iter().enumerate() {
            match (node, index) {
                // The argument is a size, a type or an address space.
                (Node::DepApp, 1) => {
                    let found = self.infer(arg.value, None);
                    let shallow = self.table.shallow(&found);
                    let level = matches!(
                        *shallow,
                        Type::Nat | Type::Int | Type::Type | Type::Addr | Type::Error
                    );
                    if !level && !self.table.is_number(&found) {
                        self.agree(arg.value, &found, &Arc::new(Type::Nat));
                    }
                }
                _ => {
                    self.expect(arg.value, &expr);
                }
            }
        }
        if args.len() != node.arity() {
            let span = self.span(id);
            let message = format!(
                "`{}` takes {}, found {}",
                node.as_str(),
                arguments(node.arity()),
                args.len()
            );
            self.error(codes::TYPE_MISMATCH, span, message);
        }
        expr
    }
}

/// Returns a number of arguments as a phrase, such as `2 arguments`.
pub(super) fn arguments(count: usize) -> String {
    match count {
        0 => "no arguments".into(),
        1 => "1 argument".into(),
        _ => format!("{count} arguments"),
    }
}
