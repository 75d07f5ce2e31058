//! Elaboration of types, accesses, address spaces, type-level functions and explicit type-level
//! arguments.

use std::sync::Arc;

use nat::{Facts, Nat, NatFun, Prop, Var};
use syntax::Span;
use syntax::ast::{BinderId, Kind, Name, ReadWrite, TermId, TermKind};

use super::expr::kind_noun;
use super::{Infer, Local, LocalBinding};
use crate::classes::Classes;
use crate::codes;
use crate::types::{Access, Address, Arg, DataFun, Pi, SizeFun, Ty, Type};
use crate::{NameUse, Resolution, TermInfo};

impl Infer<'_> {
    // ----- types -----

    /// Elaborates a written type and records it.
    pub(super) fn elab_type(&mut self, term: TermId) -> Ty {
        let ty = self.type_of(term);
        let info = match &*ty {
            Type::Fun(..) | Type::Pi(_) | Type::Exp(..) | Type::Acc(_) | Type::Comm => {
                TermInfo::Type(ty.clone())
            }
            _ => TermInfo::Arg(Arg::Type(ty.clone())),
        };
        self.set(term, info);
        ty
    }

    fn type_of(&mut self, term: TermId) -> Ty {
        let item = self.item;
        match &item.term(term).kind {
            TermKind::Missing => self.broken(),
            TermKind::Paren(inner) => self.elab_type(*inner),
            TermKind::Hole if item.is_absent_type(term) => self.absent_type(term),
            TermKind::Hole => {
                let ty = self.open_type("t", Classes::DATA, term);
                if let Type::Var(var) = &*ty {
                    self.inserted.push((*var, term));
                }
                ty
            }
            TermKind::Scalar(scalar) => Arc::new(Type::Scalar(*scalar)),
            TermKind::Name(name) => self.type_name(term, name),
            TermKind::Apply { callee, args } => self.applied_data_fun(term, *callee, args),
            TermKind::Array { size, elem, .. } => {
                let n = self.size(*size);
                Arc::new(Type::Array(n, self.elab_data(*elem)))
            }
            TermKind::Vector { size, elem } => {
                let n = self.size(*size);
                let elem = self.vector_element(*elem);
                if n.is_zero() {
                    let message = "a vector has at least one lane, and this has 0";
                    self.error(codes::OBLIGATION_FAILS, self.span(*size), message);
                    return self.broken();
                }
                Arc::new(Type::Vector(n, elem))
            }
            TermKind::Index(size) => Arc::new(Type::Index(self.size(*size))),
            TermKind::DepArray { size, elem } => {
                let n = self.size(*size);
                match self.elab_data_fun(*elem, Some(&n)) {
                    Some(fun) => Arc::new(Type::DepArray(n, fun)),
                    None => self.broken(),
                }
            }
            TermKind::DepPair { param, body } => {
                let fun = self.data_lambda(*param, *body, None);
                Arc::new(Type::DepPair(fun))
            }
            TermKind::Tuple(a, b) | TermKind::Pair(a, b) => {
                let a = self.elab_data(*a);
                Arc::new(Type::Pair(a, self.elab_data(*b)))
            }
            TermKind::Arrow(a, b) => {
                let a = self.elab_type(*a);
                Arc::new(Type::Fun(a, self.elab_type(*b)))
            }
            TermKind::Pi {
                param,
                implicit,
                body,
            } => self.pi(*param, *implicit, *body),
            TermKind::Where { ty, conditions } => self.conditional_type(*ty, conditions),
            TermKind::Exp { data, access } => {
                let data = self.elab_data(*data);
                let access = self.elab_access(*access).unwrap_or(Access::Rd);
                Arc::new(Type::Exp(data, access))
            }
            TermKind::Acc(data) => Arc::new(Type::Acc(self.elab_data(*data))),
            TermKind::Comm => Arc::new(Type::Comm),
            _ => self.not_a_type(term),
        }
    }

    fn not_a_type(&mut self, term: TermId) -> Ty {
        let text = self.source(term);
        let what = match &self.item.term(term).kind {
            TermKind::Literal(_) | TermKind::Binary { .. } if self.is_size(term) => "a size",
            TermKind::Address(_) => "an address space",
            TermKind::NatFun { .. } | TermKind::DataFun { .. } => "a type-level function",
            _ => "an expression",
        };
        let message = format!("expected a type, found {what}: `{text}`");
        let diagnostic = self.error(codes::KIND_MISMATCH, self.span(term), message);
        if what == "a size" {
            diagnostic.help = Some(format!("an array of that size is written `{text}.f32`"));
        }
        self.broken()
    }

    fn pi(&mut self, param: BinderId, implicit: bool, body: TermId) -> Ty {
        if !self.binds(param) {
            return self.elab_type(body);
        }
        self.in_scope(|this| {
            let (var, kind) = this.bind_annotated(param);
            this.infer_kind(param);
            let body = this.elab_type(body);
            Arc::new(Type::Pi(Pi::new(var, kind, implicit, body)))
        })
    }

    /// Elaborates `type where conditions`. Each condition is stored at the last parameter of the
    /// type that it mentions, or becomes a condition of the item if that is a parameter of the
    /// item.
    fn conditional_type(&mut self, ty: TermId, conditions: &[TermId]) -> Ty {
        let written = self.elab_type(ty);
        let of_parameters = self.in_scope(|this| {
            this.bind_type_names(ty);
            this.conditions_of_parameters(&written, conditions)
        });
        with_conditions(&written, &of_parameters)
    }

    /// Returns the conditions on parameters of a type, each with the last parameter that it
    /// mentions. Those whose last parameter is one of the item become conditions of the item
    /// instead. Reports conditions that mention no parameter, and those that exclude the earlier
    /// ones.
    fn conditions_of_parameters(&mut self, ty: &Ty, conditions: &[TermId]) -> Vec<(Var, Prop)> {
        let bound = parameters_of(ty);
        let mut of_parameters: Vec<(Var, Prop)> = Vec::new();
        let mut known = Facts::new();
        for &condition in conditions {
            let Some(prop) = self.condition(condition, "write `where 4 | n, n >= 12`") else {
                continue;
            };
            let span = self.span(condition);
            match bound.iter().rev().find(|&&v| prop.mentions(v)) {
                None if matches!(**ty, Type::Error) => {}
                None => self.condition_of_nothing(span),
                Some(&last) if !self.table.info(last).inner => {
                    self.note_condition(prop, span, true, None);
                }
                Some(_) if known.excludes(&prop) => {
                    let message = "no size meets both this condition and the conditions before it";
                    self.error(codes::OBLIGATION_FAILS, span, message);
                }
                Some(&last) => {
                    known.assume(&prop);
                    of_parameters.push((last, prop));
                }
            }
        }
        of_parameters
    }

    fn condition_of_nothing(&mut self, span: Span) {
        let message = "a condition after a type must use a size parameter of this type";
        self.error(syntax::codes::BAD_ANNOTATION, span, message)
            .help = Some(
            "write a condition on other sizes after the definition's type, or in `@assume`".into(),
        );
    }

    /// Elaborates a type that must be a data type; reports other types and returns the error type.
    pub(super) fn elab_data(&mut self, term: TermId) -> Ty {
        let ty = self.elab_type(term);
        let text = match &*ty {
            Type::Fun(..) | Type::Pi(_) | Type::Exp(..) | Type::Acc(_) | Type::Comm => {
                self.show(&ty)
            }
            _ => return ty,
        };
        if !matches!(&*ty, Type::Fun(..) | Type::Pi(_)) {
            let text = format!("expected a data type, found the phrase type `{text}`");
            self.error(codes::NOT_DATA, self.span(term), text);
            return self.broken();
        }
        let message = format!("expected a data type, found the function type `{text}`");
        self.error(codes::NOT_DATA, self.span(term), message).help =
            Some("take the function as a parameter of its own".into());
        self.broken()
    }

    fn vector_element(&mut self, term: TermId) -> Ty {
        let ty = self.elab_data(term);
        let scalars = Classes::of_kind(Kind::Scalar);
        if self.restrict(&ty, scalars).is_ok() {
            return ty;
        }
        let text = self.show(&ty);
        let message = format!("the lanes of a vector must be scalars, not `{text}`");
        self.error(codes::WRONG_SUBKIND, self.span(term), message);
        self.broken()
    }

    fn type_name(&mut self, term: TermId, name: &Name) -> Ty {
        match self.type_level_name(term, name) {
            Some((var, kind)) if is_data_kind(kind) => Arc::new(Type::Var(var)),
            Some((_, kind)) => {
                let help = (kind == Kind::Nat)
                    .then(|| format!("an array of that size is written `{name}.f32`"));
                let message = format!("expected a type, found the {} `{name}`", kind_noun(kind));
                self.error(codes::KIND_MISMATCH, self.span(term), message)
                    .help = help;
                self.broken()
            }
            None => self.broken(),
        }
    }

    fn applied_data_fun(&mut self, term: TermId, callee: TermId, args: &[TermId]) -> Ty {
        let name = self.source_name(callee).cloned();
        if let (Some(name), [arg]) = (name, args)
            && let Some(Local {
                meaning: LocalBinding::TypeLevel(_, Kind::Nat2Data),
                ..
            }) = self.lookup(&name)
            && let Some((var, _)) = self.type_level_name(callee, &name)
        {
            return Arc::new(Type::Apply(var, self.size(*arg)));
        }
        self.not_a_type(term)
    }

    // ----- names -----

    /// Resolves a type-level variable by name. Reports any other name and returns `None`; a name
    /// whose definition or binder has an error is not reported again.
    pub(super) fn type_level_name(&mut self, term: TermId, name: &Name) -> Option<(Var, Kind)> {
        if let Some(local) = self.lookup(name).cloned() {
            self.uses.push(NameUse::plain(term, local.target));
            return match local.meaning {
                LocalBinding::TypeLevel(var, kind) => Some((var, kind)),
                LocalBinding::Broken => None,
                LocalBinding::Value(ty) => {
                    self.value_as_size(term, name, &ty);
                    None
                }
            };
        }
        match self.env.resolve(name) {
            Resolution::Unknown if crate::Primitive::from_name(name).is_none() => {
                self.unbound_type_name(term, name);
            }
            Resolution::Broken(_) => {}
            _ => {
                let message = format!("expected a size or type, found the function `{name}`");
                self.error(codes::KIND_MISMATCH, self.span(term), message);
            }
        }
        None
    }

    // ----- arguments -----

    /// Elaborates an explicit argument of a dependent function; returns `None` after an error.
    pub(super) fn elab_arg(&mut self, term: TermId, kind: Kind, head: TermId) -> Option<Arg> {
        let arg = match kind {
            Kind::Nat => {
                if self.is_plainly_value(term) {
                    self.value_for_size(term, head, None);
                    return None;
                }
                Arg::Nat(self.elab_nat(term)?)
            }
            Kind::AddrSp => Arg::Address(self.elab_address(term)?),
            Kind::Nat2Nat => Arg::SizeFun(self.elab_size_fun(term)?),
            Kind::Nat2Data => Arg::DataFun(self.elab_data_fun(term, None)?),
            Kind::ReadWrite => Arg::Access(self.elab_access(term)?),
            Kind::DataType | Kind::Scalar | Kind::Num | Kind::Int | Kind::Float => {
                let ty = self.elab_data(term);
                if let Err(clash) = self.restrict(&ty, Classes::of_kind(kind)) {
                    self.wrong_subkind(term, &ty, &clash);
                    return None;
                }
                Arg::Type(ty)
            }
        };
        self.set(term, TermInfo::Arg(arg.clone()));
        Some(arg)
    }

    /// Elaborates `Rd`, `Wr`, `St`, a hole, or a variable of kind ReadWrite; reports anything else
    /// and returns `None`.
    fn elab_access(&mut self, term: TermId) -> Option<Access> {
        let access = match &self.item.term(term).kind {
            TermKind::Paren(inner) => self.elab_access(*inner)?,
            TermKind::Access(ReadWrite::Rd) => Access::Rd,
            TermKind::Access(ReadWrite::Wr) => Access::Wr,
            TermKind::Access(ReadWrite::St) => Access::St,
            TermKind::Missing => return None,
            TermKind::Hole => {
                let var = self.open("a".into(), Kind::ReadWrite, Classes::DATA, term);
                self.inserted.push((var, term));
                Access::Var(var)
            }
            TermKind::Name(name) => match self.type_level_name(term, name)? {
                (var, Kind::ReadWrite) => Access::Var(var),
                (_, kind) => {
                    let text = format!(
                        "expected `Rd`, `Wr` or `St`, found the {} `{name}`",
                        kind_noun(kind)
                    );
                    self.error(codes::KIND_MISMATCH, self.span(term), text);
                    return None;
                }
            },
            _ => {
                let text = format!("expected `Rd`, `Wr` or `St`, found `{}`", self.source(term));
                self.error(codes::KIND_MISMATCH, self.span(term), text);
                return None;
            }
        };
        self.set(term, TermInfo::Arg(Arg::Access(access)));
        Some(access)
    }

    /// Returns true if the term is an address space or a variable of kind AddrSp, so that it can be
    /// the optional argument.
    pub(super) fn is_address(&self, term: TermId) -> bool {
        match &self.item.term(self.bare(term)).kind {
            TermKind::Address(_) => true,
            TermKind::Name(name) => self.kind_of_name(name) == Some(Kind::AddrSp),
            _ => false,
        }
    }

    pub(super) fn elab_address(&mut self, term: TermId) -> Option<Address> {
        let bare = self.bare(term);
        let item = self.item;
        let address = match &item.term(bare).kind {
            TermKind::Address(space) => Address::Space(*space),
            TermKind::Name(name) if self.is_address(bare) => {
                Address::Var(self.type_level_name(bare, name)?.0)
            }
            TermKind::Missing => return None,
            _ => {
                let text = self.source(term);
                let message = format!("expected an address space, found `{text}`");
                self.error(codes::KIND_MISMATCH, self.span(term), message)
                .help = Some(
                    "an address space is Global, Local, Private or Constant, or a parameter of kind AddrSp"
                        .into(),
                );
                return None;
            }
        };
        self.set(term, TermInfo::Arg(Arg::Address(address)));
        Some(address)
    }

    fn elab_size_fun(&mut self, term: TermId) -> Option<SizeFun> {
        let bare = self.bare(term);
        let item = self.item;
        match &item.term(bare).kind {
            TermKind::NatFun { param, body } => self.in_scope(|this| {
                let param = this.bind_type_level(*param, Kind::Nat);
                let body = this.elab_nat(*body)?;
                Some(SizeFun::Lambda(NatFun { param, body }))
            }),
            _ => (self.fun_variable(term, Kind::Nat2Nat, "natFun")).map(SizeFun::Var),
        }
    }

    /// Elaborates a name or a hole in place of a type-level function of the kind `wanted`; reports
    /// anything else and returns `None`.
    fn fun_variable(&mut self, term: TermId, wanted: Kind, keyword: &str) -> Option<Var> {
        let bare = self.bare(term);
        match &self.item.term(bare).kind {
            TermKind::Name(name) => match self.type_level_name(bare, name)? {
                (var, kind) if kind == wanted => Some(var),
                (_, kind) => {
                    self.wrong_kind(term, wanted, kind);
                    None
                }
            },
            TermKind::Hole => {
                let var = self.open("f".into(), wanted, Classes::DATA, term);
                self.inserted.push((var, term));
                Some(var)
            }
            TermKind::Missing => None,
            _ => {
                let (noun, text) = (kind_noun(wanted), self.source(term));
                let message = format!("expected a {noun}, found `{text}`");
                self.error(codes::KIND_MISMATCH, self.span(term), message)
                    .help = Some(format!("write `{keyword}(i => …)`"));
                None
            }
        }
    }

    pub(super) fn elab_data_fun(&mut self, term: TermId, range: Option<&Nat>) -> Option<DataFun> {
        let bare = self.bare(term);
        let item = self.item;
        match &item.term(bare).kind {
            TermKind::DataFun { param, body } => Some(self.data_lambda(*param, *body, range)),
            _ => (self.fun_variable(term, Kind::Nat2Data, "dataFun")).map(DataFun::Var),
        }
    }

    fn data_lambda(&mut self, param: BinderId, body: TermId, range: Option<&Nat>) -> DataFun {
        self.in_scope(|this| {
            let var = this.bind_type_level(param, Kind::Nat);
            this.table.update(var).range = range.cloned();
            DataFun::Lambda(var, this.elab_data(body))
        })
    }

    fn wrong_kind(&mut self, term: TermId, wanted: Kind, found: Kind) {
        let text = self.source(term);
        let message = format!(
            "expected a {}, found the {} `{text}`",
            kind_noun(wanted),
            kind_noun(found)
        );
        self.error(codes::KIND_MISMATCH, self.span(term), message);
    }
}

/// Returns the variables that a function type binds along its results, outermost first.
fn parameters_of(mut ty: &Type) -> Vec<Var> {
    let mut bound = Vec::new();
    loop {
        ty = match ty {
            Type::Fun(_, result) => result,
            Type::Pi(pi) => {
                bound.push(pi.var);
                &pi.body
            }
            _ => return bound,
        };
    }
}

/// Returns the function type with each condition added to those of the parameter that is given with
/// it.
pub(super) fn with_conditions(ty: &Ty, conditions: &[(Var, Prop)]) -> Ty {
    if conditions.is_empty() {
        return ty.clone();
    }
    match &**ty {
        Type::Fun(from, to) => Arc::new(Type::Fun(from.clone(), with_conditions(to, conditions))),
        Type::Pi(pi) => {
            let own = conditions.iter().filter(|(var, _)| *var == pi.var);
            let own = own.map(|(_, prop)| prop.clone());
            Arc::new(Type::Pi(Pi {
                conditions: pi.conditions.iter().cloned().chain(own).collect(),
                body: with_conditions(&pi.body, conditions),
                ..pi.clone()
            }))
        }
        _ => ty.clone(),
    }
}

fn is_data_kind(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::DataType | Kind::Scalar | Kind::Num | Kind::Int | Kind::Float
    )
}
