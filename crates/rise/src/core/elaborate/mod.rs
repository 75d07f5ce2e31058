//! Elaboration, which translates a checked item to an explicit core term.
//!
//! The results of inference are read and not computed again: types, implicit arguments, and what
//! names refer to. Elaboration inserts what the text leaves out: implicit arguments, functions over
//! implicit parameters, and the primitives of operators.

mod command;
mod function;
mod spine;
mod surface;
mod value;

use std::marker::PhantomData;
use std::sync::Arc;

use nat::{Facts, Prop, Var};
use rustc_hash::FxHashMap;
use syntax::ast::{
    AnnotationValue, BinaryOp, BinderId, Half, Item, ItemKind, Kind, Name, TermId, TermKind,
};
use syntax::{GlobalId, Severity, Span};

use super::{
    Def, Expr, Foreign, Form, Launch, Local, Node, Origin, Param, Site, apply, dep_apply,
    dep_lambda, lambda,
};
use crate::infer::{LAUNCH_ANNOTATION, for_each_var};
use crate::subst::rename_prop;
use crate::types::{Arg, Names, Pi, Scheme, Ty, Type, var_arg};
use crate::{BinderInfo, Inference, NameUse, Primitive, TermInfo};

pub use surface::{Command, Surface};
pub use value::size_of_value;

/// Elaborates a definition or foreign function of RISE. Returns `None` if the item has an error or
/// defines nothing.
///
/// `item` must have been read without a syntax error.
pub fn elaborate(item: &Item, inference: &Inference) -> Option<Def<Primitive>> {
    elaborate_in(item, inference)
}

/// Elaborates a definition or foreign function in the language with the primitives `P`; see
/// [`elaborate`].
pub fn elaborate_in<P: Surface>(item: &Item, inference: &Inference) -> Option<Def<P>> {
    let wrong = |d: &syntax::Diagnostic| d.severity == Severity::Error;
    if inference.diagnostics.iter().any(wrong) {
        return None;
    }
    let name = item.name()?;
    let mut elaborator = Elaborator::new(item, inference);
    let (body, implicit) = match &item.kind {
        ItemKind::Def { ty, body, .. } => elaborator.def(*ty, *body)?,
        ItemKind::Foreign { .. } => (elaborator.foreign(name.name.clone())?, Box::default()),
        ItemKind::Import { .. } | ItemKind::Stray => return None,
    };
    let inout = inout(item, &body.ty);
    let parameter = |v: Var| elaborator.parameters.get(&v).copied().unwrap_or(v);
    let conditions = |props: &mut dyn Iterator<Item = &Prop>| -> Box<[Prop]> {
        props.map(|prop| rename_prop(prop, &parameter)).collect()
    };
    let obligations = conditions(&mut inference.obligations.iter().map(|o| &o.prop));
    let of_rounds = conditions(&mut inference.of_rounds.iter());
    Some(Def {
        name: name.name.clone(),
        implicit,
        body,
        of_rounds,
        obligations,
        names: elaborator.names(),
        sites: elaborator.sites.into(),
        uses: elaborator.globals.into(),
        locals: elaborator.next_local,
        launch: launch(item, inference),
        inout,
    })
}

/// Returns the positions of the parameters that are updated in place, counted among the values; in
/// DPIA, acceptors do not count. `ty` is the type of the definition.
fn inout(item: &Item, ty: &Ty) -> Box<[usize]> {
    let updated = item.updated_parameters();
    if updated.is_empty() {
        return Box::default();
    }
    let mut names = item.value_parameters().into_iter();
    let (mut positions, mut at) = (Vec::new(), 0);
    let mut rest = ty;
    loop {
        rest = match &**rest {
            Type::Pi(pi) => &pi.body,
            Type::Fun(param, result) => {
                let name = names.next();
                if !matches!(**param, Type::Acc(_)) {
                    if updated
                        .iter()
                        .any(|(updated, _)| Some(updated.as_str()) == name)
                    {
                        positions.push(at);
                    }
                    at += 1;
                }
                result
            }
            _ => return positions.into(),
        };
    }
}

/// Explicit terms of one item, over the same variables and locals.
#[derive(Clone, Debug)]
pub struct Terms {
    /// The terms, in the order of the request.
    pub exprs: Vec<Expr<Primitive>>,
    /// The places in the text that the terms' origins refer to.
    pub sites: Box<[Site]>,
    /// The definitions that they use.
    pub uses: Box<[(GlobalId, Name)]>,
    /// An exclusive upper bound of the numbers of the terms' locals.
    pub locals: u32,
}

/// Elaborates terms that were inferred together, see [`RuleInfer`](crate::RuleInfer). Returns
/// `None` if one of them has an error.
pub fn elaborate_terms(item: &Item, inference: &Inference, terms: &[TermId]) -> Option<Terms> {
    let mut elaborator = Elaborator::new(item, inference);
    let exprs = terms
        .iter()
        .map(|&term| elaborator.term(term, None))
        .collect::<Option<Vec<_>>>()?;
    Some(Terms {
        exprs,
        sites: elaborator.sites.into(),
        uses: elaborator.globals.into(),
        locals: elaborator.next_local,
    })
}

/// Returns the launch sizes of the annotation `@opencl`.
fn launch(item: &Item, inference: &Inference) -> Launch {
    let size = |term: &TermId| match inference.terms.get(term.0 as usize) {
        Some(TermInfo::Arg(Arg::Nat(nat))) => Some(nat.clone()),
        _ => None,
    };
    let sizes = |wanted: &str| {
        let named = item
            .annotations
            .iter()
            .filter(|annotation| {
                (annotation.name.as_ref()).is_some_and(|n| n.name == LAUNCH_ANNOTATION)
            })
            .flat_map(|annotation| annotation.args.iter())
            .find(|arg| arg.key.as_ref().is_some_and(|key| key.name == wanted));
        match named.map(|arg| &arg.value) {
            Some(AnnotationValue::List(terms, _)) => terms.iter().map_while(size).collect(),
            _ => Vec::new(),
        }
    };
    Launch::of(&sizes("local"), &sizes("global"))
}

/// A part of a value that a pattern takes apart.
#[derive(Clone)]
struct PatternPart {
    /// The variable of the whole value.
    whole: Param,
    /// The projections that select the part, outermost last.
    path: Box<[Half]>,
}

struct Elaborator<'a, P> {
    item: &'a Item,
    inference: &'a Inference,
    uses: FxHashMap<TermId, &'a NameUse>,
    /// Maps variables of `depFun`s to those of the written type.
    renamed: FxHashMap<Var, Var>,
    sites: Vec<Site>,
    globals: Vec<(GlobalId, Name)>,
    next_local: u32,
    /// The parts that the names in patterns denote.
    parts: FxHashMap<BinderId, PatternPart>,
    /// Maps the sizes that a partial application takes to the variables that replace them in the
    /// definition's conditions. The new variables are numbered after those of the inference.
    parameters: FxHashMap<Var, Var>,
    /// The conditions on sizes that the definition assumes, and the facts about the iterations of
    /// its `iterate`s.
    facts: Facts,
    language: PhantomData<P>,
}

impl<'a, P: Surface> Elaborator<'a, P> {
    fn new(item: &'a Item, inference: &'a Inference) -> Self {
        let mut facts = Facts::new();
        let obligations = inference.obligations.iter().map(|o| &o.prop);
        for prop in obligations.chain(&inference.of_rounds) {
            facts.assume(prop);
        }
        Elaborator {
            facts,
            item,
            inference,
            uses: inference.uses.iter().map(|u| (u.term, u)).collect(),
            renamed: FxHashMap::default(),
            sites: Vec::new(),
            globals: Vec::new(),
            next_local: u32::try_from(item.binders.len()).unwrap_or(u32::MAX),
            parts: FxHashMap::default(),
            parameters: FxHashMap::default(),
            language: PhantomData,
        }
    }

    // ----- items -----

    fn def(&mut self, written: Option<TermId>, body: TermId) -> Option<(Expr<P>, Implicit)> {
        let mut written = match written {
            Some(term) => Some(self.written_type(term)?),
            None => None,
        };
        let whole = match &written {
            Some(ty) => ty.clone(),
            None => self.ty(body)?,
        };
        let mut implicit = self.generalised(&whole);
        while let Some(Type::Pi(pi)) = written.as_deref()
            && pi.implicit
        {
            implicit.push((pi.var, pi.kind));
            written = Some(pi.body.clone());
        }
        let body = self.term(body, written.as_ref())?;
        let body = self.under_parameters(body, &written.unwrap_or(whole));
        (implicit.len() == leading_implicit(&self.inference.scheme).count())
            .then(|| (body, implicit.into()))
    }

    /// Eta-expands the body up to the last type-level parameter of its type that an obligation
    /// mentions, so that the definition binds this parameter.
    fn under_parameters(&mut self, body: Expr<P>, ty: &Ty) -> Expr<P> {
        if !self.has_condition_on_parameter(ty) {
            return body;
        }
        let origin = body.origin;
        match (&body.form, &*body.ty, &**ty) {
            (Form::Lambda(param, inner), _, Type::Fun(_, out)) => {
                let under = self.under_parameters(inner.clone(), out);
                match Arc::ptr_eq(&under, inner) {
                    true => body,
                    false => lambda(param.clone(), under),
                }
            }
            (Form::DepLambda(var, kind, inner), _, Type::Pi(pi)) => {
                let under = self.under_parameters(inner.clone(), &pi.body);
                match Arc::ptr_eq(&under, inner) {
                    true => body,
                    false => dep_lambda(*var, *kind, pi.implicit, under),
                }
            }
            (_, Type::Fun(input, _), Type::Fun(_, out)) => {
                let local = Local {
                    id: self.next_local,
                    name: "x".into(),
                };
                self.next_local += 1;
                let param = Param {
                    local,
                    ty: input.clone(),
                };
                let applied = apply(&body, Node::var(&param, origin), origin);
                lambda(param, self.under_parameters(applied, out))
            }
            (_, Type::Pi(own), Type::Pi(pi)) => {
                let mut var = pi.var;
                if own.var == var {
                    let vars = self.inference.names.0.len() + self.parameters.len();
                    var = Var(u32::try_from(vars).unwrap_or(u32::MAX));
                    self.parameters.insert(pi.var, var);
                }
                let applied = dep_apply(&body, var_arg(var, pi.kind), origin);
                let inner = self.under_parameters(applied, &pi.body);
                dep_lambda(var, pi.kind, pi.implicit, inner)
            }
            _ => body,
        }
    }

    /// Returns true if an obligation of the item mentions a type-level parameter along this
    /// function type.
    fn has_condition_on_parameter(&self, ty: &Ty) -> bool {
        let mut ty = ty;
        loop {
            ty = match &**ty {
                Type::Fun(_, out) => out,
                Type::Pi(pi) => {
                    let mut all = self.inference.obligations.iter();
                    if all.any(|obligation| obligation.prop.mentions(pi.var)) {
                        return true;
                    }
                    &pi.body
                }
                _ => return false,
            };
        }
    }

    /// Returns the names of the inference's variables, followed by those of the added parameters.
    fn names(&self) -> Names {
        let mut added: Vec<(Var, Var)> = self.parameters.iter().map(|(a, b)| (*b, *a)).collect();
        added.sort_unstable();
        let names = &self.inference.names;
        let added = added.iter().map(|(_, parameter)| names.get(*parameter));
        Names(names.0.iter().cloned().chain(added).collect())
    }

    /// Returns the free variables of the item's type `ty`, over which inference has generalised it,
    /// with their kinds.
    fn generalised(&self, ty: &Ty) -> Vec<(Var, Kind)> {
        let mut open: Vec<Var> = Vec::new();
        for_each_var(ty, &mut |v| {
            if !open.contains(&v) {
                open.push(v);
            }
        });
        let kinds = leading_implicit(&self.inference.scheme);
        open.into_iter().zip(kinds).collect()
    }

    fn foreign(&mut self, name: Name) -> Option<Expr<P>> {
        let ItemKind::Foreign {
            params,
            result,
            body,
            ..
        } = &self.item.kind
        else {
            return None;
        };
        let params = params
            .iter()
            .map(|&param| {
                let name = self.item.binder(param).name.clone();
                Some((name, P::data(&self.value_type(param)?)?))
            })
            .collect::<Option<Box<[_]>>>()?;
        let result = self.written_type(*result)?;
        let values = params.iter().map(|(_, ty)| P::value(ty.clone()));
        let ty = Type::function(values, P::value(result.clone()));
        let foreign = Foreign {
            name,
            params,
            result,
            body: body.as_ref().map(|(text, _)| text.clone()),
            body_span: body.as_ref().map(|(_, span)| *span),
            id: None,
        };
        let span = self.item.name()?.span;
        let origin = self.site(span, span);
        let form = Form::Foreign(Arc::new(foreign), Arc::new([]));
        Some(Node::new(form, ty, origin))
    }

    // ----- terms -----

    /// Elaborates a term. `written` is the type that the definition's own annotation gives the
    /// term, if any: the binders of that type become those of the elaborated function.
    fn term(&mut self, id: TermId, written: Option<&Ty>) -> Option<Expr<P>> {
        if let Some(Type::Pi(pi)) = written.map(|ty| &**ty)
            && (pi.implicit || self.inference.leaves_out_dep_fun(id))
        {
            let body = self.term(id, Some(&pi.body))?;
            return Some(super::dep_lambda(pi.var, pi.kind, pi.implicit, body));
        }
        let body = self.visit(id, written)?;
        let params = self.inference.generalised.get(&id).into_iter().flatten();
        let whole = |body, &(var, kind): &(Var, Kind)| super::dep_lambda(var, kind, true, body);
        Some(params.rev().fold(body, whole))
    }

    fn visit(&mut self, id: TermId, written: Option<&Ty>) -> Option<Expr<P>> {
        let item = self.item;
        match &item.term(id).kind {
            TermKind::Paren(inner) => self.term(*inner, written),
            TermKind::Ascribe { term, ty } => {
                let ascribed = self.term(*term, None)?;
                let count = self.leading_implicit_of(*ty);
                let args = self.instantiated(id).iter().take(count);
                let give = |f: Expr<P>, (_, arg): &(Name, Arg)| {
                    super::dep_apply(&f, arg.clone(), f.origin)
                };
                Some(args.fold(ascribed, give))
            }
            TermKind::Apply { callee, .. } if self.is_size_call(*callee) => self.size_value(id),
            TermKind::Name(_) | TermKind::Operator(_) | TermKind::Apply { .. } => {
                self.application(id)
            }
            TermKind::Literal(literal) => {
                let expr = Node::new(Form::Literal(literal.clone()), self.ty(id)?, self.whole(id));
                // Translation makes sizes of indices, and these are written as sizes.
                match value::as_size(&expr) {
                    Some(size) if P::WHOLE => Some(self.size_node(id, size)),
                    _ => Some(expr),
                }
            }
            TermKind::Binary {
                op,
                op_span,
                lhs,
                rhs,
            } => match op {
                BinaryOp::Pipe | BinaryOp::ApplyLeft => self.application(id),
                BinaryOp::Then => self.compose(id, *op_span, *lhs, *rhs),
                BinaryOp::After => self.compose(id, *op_span, *rhs, *lhs),
                BinaryOp::Pow => self.size_value(id),
                BinaryOp::Divides => None,
                _ => self.operator(id, *op, *op_span, *lhs, *rhs),
            },
            TermKind::Unary { op, operand } => self.unary(id, *op, *operand),
            TermKind::Project { pair, half } => self.project(id, *pair, *half),
            TermKind::Fun { params, body, .. } => self.function(id, params, *body, written),
            TermKind::DepFun { params, body } => self.dep_function(id, params, *body, written),
            TermKind::Let {
                binder,
                value,
                body,
            } => self.let_in(id, *binder, *value, *body, written),
            TermKind::Local {
                binder,
                ty,
                function,
                body,
                ..
            } => self.local_definition(id, *binder, (*ty, *function), *body, written),
            TermKind::LetSize {
                size,
                binder,
                value,
                body,
            } => self.let_size(id, (*size, *binder), *value, *body),
            TermKind::Pair(a, b) => self.pair(id, *a, *b),
            TermKind::Assign { op_span, lhs, rhs } => self.assign(id, *op_span, *lhs, *rhs),
            TermKind::Sequence(commands) => self.sequence(commands),
            TermKind::If {
                condition,
                then,
                otherwise,
            } => self.conditional(id, [*condition, *then, *otherwise]),
            TermKind::Skip => {
                let origin = self.whole(id);
                self.command(Command::Skip, vec![], vec![], origin)
            }
            _ => None,
        }
    }

    // ----- results of inference -----

    /// Returns the implicit arguments of a term that is not a name.
    fn instantiated(&self, id: TermId) -> &'a [(Name, Arg)] {
        let args = self.inference.instantiated.get(&id);
        args.map_or(&[], Vec::as_slice)
    }

    /// Counts the leading implicit parameters of a written type.
    fn leading_implicit_of(&self, written: TermId) -> usize {
        let (mut ty, mut count) = (self.written_type(written), 0);
        while let Some(Type::Pi(pi)) = ty.as_deref()
            && pi.implicit
        {
            count += 1;
            ty = Some(pi.body.clone());
        }
        count
    }

    fn ty(&self, id: TermId) -> Option<Ty> {
        match &self.inference.terms[id.0 as usize] {
            TermInfo::Expr(ty) if !matches!(**ty, Type::Error) => Some(ty.clone()),
            _ => None,
        }
    }

    /// Returns the type that a type-level term denotes.
    fn written_type(&self, id: TermId) -> Option<Ty> {
        match &self.inference.terms[id.0 as usize] {
            TermInfo::Type(ty) | TermInfo::Arg(crate::Arg::Type(ty)) => Some(ty.clone()),
            _ => None,
        }
    }

    fn value_type(&self, binder: BinderId) -> Option<Ty> {
        match &self.inference.binders[binder.0 as usize] {
            BinderInfo::Value(ty) => Some(ty.clone()),
            _ => None,
        }
    }

    /// Returns the type-level variable that a binder binds, renamed to that of the written type.
    fn variable(&self, binder: BinderId) -> Option<(Var, Kind)> {
        match self.inference.binders[binder.0 as usize] {
            BinderInfo::TypeLevel(var, kind) => {
                Some((self.renamed.get(&var).copied().unwrap_or(var), kind))
            }
            _ => None,
        }
    }

    // ----- helpers -----

    fn span(&self, id: TermId) -> Span {
        self.item.term(id).span
    }

    fn site(&mut self, span: Span, head: Span) -> Origin {
        let origin = Origin(u32::try_from(self.sites.len()).unwrap_or(u32::MAX));
        self.sites.push(Site { span, head });
        origin
    }

    /// Returns an origin whose head is the whole term.
    fn whole(&mut self, id: TermId) -> Origin {
        let span = self.span(id);
        self.site(span, span)
    }

    fn param(&self, binder: BinderId) -> Option<Param> {
        Some(Param {
            local: self.local(binder),
            ty: self.value_type(binder)?,
        })
    }

    fn local(&self, binder: BinderId) -> Local {
        let id = binder.0;
        let binder = self.item.binder(binder);
        let name = match binder.parts {
            Some(_) => Name::new_static("p"),
            None => binder.name.clone(),
        };
        Local { id, name }
    }

    /// Lets the names in the pattern `binder`, if it is one, denote parts of its value.
    fn take_apart(&mut self, binder: BinderId) -> Option<()> {
        if let Some(parts) = &self.item.binder(binder).parts {
            let whole = self.param(binder)?;
            self.name_parts(parts, &whole, &[]);
        }
        Some(())
    }

    /// Lets binders denote the components of a part of `whole`: those of `path` of it.
    fn name_parts(&mut self, binders: &[BinderId], whole: &Param, path: &[Half]) {
        for (&binder, half) in binders.iter().zip([Half::First, Half::Second]) {
            let path = [path, &[half]].concat();
            if let Some(parts) = &self.item.binder(binder).parts {
                self.name_parts(parts, whole, &path);
            }
            let part = PatternPart {
                whole: whole.clone(),
                path: path.into(),
            };
            self.parts.insert(binder, part);
        }
    }

    fn fresh(&mut self, name: &'static str, ty: Ty) -> Param {
        let id = self.next_local;
        self.next_local += 1;
        let name = Name::new_static(name);
        Param {
            local: Local { id, name },
            ty,
        }
    }
}

type Implicit = Box<[(Var, Kind)]>;

/// Returns the kinds of the leading implicit parameters.
fn leading_implicit(scheme: &Scheme) -> impl Iterator<Item = Kind> {
    let mut ty = scheme.ty.clone();
    std::iter::from_fn(move || {
        let Type::Pi(Pi {
            kind,
            implicit: true,
            body,
            ..
        }) = &*ty
        else {
            return None;
        };
        let kind = *kind;
        ty = body.clone();
        Some(kind)
    })
}
