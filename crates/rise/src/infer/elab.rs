//! Types, sizes, address spaces and type-level functions.

use std::sync::Arc;

use nat::{Nat, NatFun, Prop, Var};
use syntax::Code;
use syntax::ast::{BinaryOp, BinderAnnotation, BinderId, Kind, Literal, Name, TermId, TermKind};

use super::expr::kind_noun;
use super::table::{State, VarInfo};
use super::{Infer, Local, Meaning};
use crate::classes::Classes;
use crate::types::{Address, Arg, DataFun, Pi, SizeFun, Ty, Type};
use crate::{BinderInfo, NameUse, Resolution, Target, TermInfo};

impl Infer<'_> {
    // ----- types -----

    /// A type as it is written.
    pub(super) fn elab_type(&mut self, term: TermId) -> Ty {
        let ty = self.type_of(term);
        let info = match &*ty {
            Type::Fun(..) | Type::Pi(_) => TermInfo::Type(ty.clone()),
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
                Arc::new(Type::Vector(n, self.vector_element(*elem)))
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
        let diagnostic = self.error(
            Code::KindMismatch,
            self.item.term(term).span,
            format!("expected a type, found {what}: `{text}`"),
        );
        if what == "a size" {
            diagnostic.help = Some(format!("an array of that size is written `{text}.f32`"));
        }
        self.broken()
    }

    fn pi(&mut self, param: BinderId, implicit: bool, body: TermId) -> Ty {
        let (depth, level) = (self.scope.len(), self.level);
        let kind = match self.item.binder(param).annotation {
            BinderAnnotation::Kind(Some(kind), _) => kind,
            _ => Kind::Nat,
        };
        let var = self.bind_type_level(param, kind);
        let body = self.elab_type(body);
        self.scope.truncate(depth);
        self.level = level;
        Arc::new(Type::Pi(Pi {
            var,
            kind,
            implicit,
            body,
        }))
    }

    /// A type that must be data.
    pub(super) fn elab_data(&mut self, term: TermId) -> Ty {
        let ty = self.elab_type(term);
        if !matches!(&*ty, Type::Fun(..) | Type::Pi(_)) {
            return ty;
        }
        let text = self.show(&ty);
        self.error(
            Code::NotData,
            self.span(term),
            format!("functions are not stored: `{text}` is no data type"),
        )
        .help = Some("take the function as a parameter of its own".into());
        self.broken()
    }

    fn vector_element(&mut self, term: TermId) -> Ty {
        let ty = self.elab_data(term);
        let scalars = Classes::of_kind(Kind::Scalar);
        if self.restrict(&ty, scalars).is_ok() {
            return ty;
        }
        let text = self.show(&ty);
        self.error(
            Code::WrongSubkind,
            self.span(term),
            format!("the lanes of a vector are scalars, not `{text}`"),
        );
        self.broken()
    }

    fn type_name(&mut self, term: TermId, name: &Name) -> Ty {
        match self.type_level_name(term, name) {
            Some((var, kind)) if is_data_kind(kind) => Arc::new(Type::Var(var)),
            Some((_, kind)) => {
                let help = (kind == Kind::Nat)
                    .then(|| format!("an array of that size is written `{name}.f32`"));
                self.error(
                    Code::KindMismatch,
                    self.span(term),
                    format!("expected a type, found the {} `{name}`", kind_noun(kind)),
                )
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
                meaning: Meaning::TypeLevel(_, Kind::Nat2Data),
                ..
            }) = self.lookup(&name)
            && let Some((var, _)) = self.type_level_name(callee, &name)
        {
            return Arc::new(Type::Apply(var, self.size(*arg)));
        }
        self.not_a_type(term)
    }

    // ----- names -----

    /// A type-level variable by name; anything else is reported.
    fn type_level_name(&mut self, term: TermId, name: &Name) -> Option<(Var, Kind)> {
        if let Some(local) = self.lookup(name).cloned() {
            self.uses.push(NameUse {
                term,
                target: local.target,
                implicits: Vec::new(),
            });
            return match local.meaning {
                Meaning::TypeLevel(var, kind) => Some((var, kind)),
                Meaning::Broken => None,
                Meaning::Value(ty) => {
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
                self.error(
                    Code::KindMismatch,
                    self.span(term),
                    format!("expected a size or type, found the function `{name}`"),
                );
            }
        }
        None
    }

    // ----- sizes -----

    /// A size as it is written; an unknown one after an error.
    pub(super) fn size(&mut self, term: TermId) -> Nat {
        match self.elab_nat(term) {
            Some(n) => n,
            None => self.open_nat("n", term),
        }
    }

    /// A whole size: must not be negative.
    pub(super) fn elab_nat(&mut self, term: TermId) -> Option<Nat> {
        let nat = self.nat_of(term)?;
        if let Some(value) = nat.as_const()
            && value < 0
        {
            self.error(
                Code::NegativeSize,
                self.span(term),
                format!("sizes are not negative, and this is {value}"),
            );
            return None;
        }
        self.set(term, TermInfo::Arg(Arg::Nat(nat.clone())));
        if !matches!(
            self.item.term(self.bare(term)).kind,
            TermKind::Name(_) | TermKind::Literal(_) | TermKind::Hole
        ) {
            self.require(
                Prop::AtLeast(nat.clone(), Nat::constant(0)),
                self.span(term),
            );
        }
        Some(nat)
    }

    fn nat_of(&mut self, term: TermId) -> Option<Nat> {
        let item = self.item;
        match &item.term(term).kind {
            TermKind::Missing => None,
            TermKind::Paren(inner) => self.nat_of(*inner),
            TermKind::Hole => {
                let nat = self.open_nat("n", term);
                if let Some(var) = nat.as_var() {
                    self.inserted.push((var, term));
                }
                Some(nat)
            }
            TermKind::Literal(Literal::Int {
                value,
                suffix: None,
            }) => self.nat_literal(term, *value),
            TermKind::Name(name) => match self.type_level_name(term, name)? {
                (var, Kind::Nat) => Some(Nat::var(var)),
                (_, kind) => {
                    self.error(
                        Code::KindMismatch,
                        self.span(term),
                        format!("expected a size, found the {} `{name}`", kind_noun(kind)),
                    );
                    None
                }
            },
            TermKind::Binary { op, lhs, rhs, .. } if is_size_operator(*op) => {
                self.nat_operation(*op, *lhs, *rhs)
            }
            TermKind::Apply { callee, args } => self.nat_call(term, *callee, args),
            _ => {
                self.not_a_size(term);
                None
            }
        }
    }

    fn nat_literal(&mut self, term: TermId, value: i128) -> Option<Nat> {
        match i64::try_from(value) {
            Ok(value) => Some(Nat::constant(value)),
            Err(_) => {
                self.error(
                    Code::BadNumber,
                    self.span(term),
                    format!("the size {value} does not fit 63 bits"),
                );
                None
            }
        }
    }

    fn nat_operation(&mut self, op: BinaryOp, lhs: TermId, rhs: TermId) -> Option<Nat> {
        let (a, b) = (self.nat_of(lhs), self.nat_of(rhs));
        let (a, b) = (a?, b?);
        Some(match op {
            BinaryOp::Add => Nat::add(&a, &b),
            BinaryOp::Sub => Nat::sub(&a, &b),
            BinaryOp::Mul => Nat::mul(&a, &b),
            BinaryOp::Div | BinaryOp::Mod => {
                if !self.divisor(rhs, &b) {
                    return None;
                }
                if op == BinaryOp::Div {
                    Nat::div(&a, &b)
                } else {
                    Nat::rem(&a, &b)
                }
            }
            _ => Nat::pow(&a, &b),
        })
    }

    /// A divisor must be at least 1.
    fn divisor(&mut self, term: TermId, value: &Nat) -> bool {
        if value.as_const() == Some(0) {
            self.error(
                Code::ObligationFails,
                self.span(term),
                "division by zero in a size",
            );
            return false;
        }
        self.require(
            Prop::AtLeast(value.clone(), Nat::constant(1)),
            self.span(term),
        );
        true
    }

    fn nat_call(&mut self, term: TermId, callee: TermId, args: &[TermId]) -> Option<Nat> {
        let Some(name) = self.source_name(callee).cloned() else {
            self.not_a_size(term);
            return None;
        };
        if let Some(Local {
            meaning: Meaning::TypeLevel(_, Kind::Nat2Nat),
            ..
        }) = self.lookup(&name)
            && let [arg] = args
        {
            let (var, _) = self.type_level_name(callee, &name)?;
            let arg = self.elab_nat(*arg)?;
            return Some(self.table.apply_size_fun(&SizeFun::Var(var), &arg));
        }
        match (name.as_str(), args) {
            ("min" | "max" | "ceilDiv", [a, b]) => {
                let (x, y) = (self.nat_of(*a)?, self.nat_of(*b)?);
                Some(match name.as_str() {
                    "min" => Nat::min(&x, &y),
                    "max" => Nat::max(&x, &y),
                    _ => {
                        if !self.divisor(*b, &y) {
                            return None;
                        }
                        Nat::ceil_div(&x, &y)
                    }
                })
            }
            ("log2", [a]) => {
                let x = self.nat_of(*a)?;
                self.require(Prop::AtLeast(x.clone(), Nat::constant(1)), self.span(*a));
                Some(Nat::log2(&x))
            }
            ("sum", [index, from, to, body]) => self.nat_sum(term, *index, *from, *to, *body),
            _ => {
                self.not_a_size(term);
                None
            }
        }
    }

    /// `sum(i, a, b, e)`: over `a <= i < b`.
    fn nat_sum(
        &mut self,
        term: TermId,
        index: TermId,
        from: TermId,
        to: TermId,
        body: TermId,
    ) -> Option<Nat> {
        let Some(name) = self.source_name(index).cloned() else {
            self.error(
                Code::KindMismatch,
                self.span(index),
                "the first argument of `sum` is the name of its index",
            );
            return None;
        };
        let (from, to) = (self.nat_of(from)?, self.nat_of(to)?);
        let (depth, level) = (self.scope.len(), self.level);
        let var = self.rigid(name.clone(), Kind::Nat, self.span(index), true);
        self.table.update(var).range = Some(to.clone());
        let target = Target::SumIndex(term);
        self.uses.push(NameUse {
            term: index,
            target,
            implicits: Vec::new(),
        });
        self.set(index, TermInfo::Arg(Arg::Nat(Nat::var(var))));
        self.scope.push(Local {
            name,
            target,
            meaning: Meaning::TypeLevel(var, Kind::Nat),
        });
        let body = self.nat_of(body);
        self.scope.truncate(depth);
        self.level = level;
        Some(Nat::sum(var, &from, &to, &body?))
    }

    // ----- arguments -----

    /// An explicit argument of a dependent function.
    pub(super) fn elab_arg(&mut self, term: TermId, kind: Kind, head: TermId) -> Option<Arg> {
        let arg = match kind {
            Kind::Nat => {
                if self.is_plainly_value(term) {
                    self.value_for_size(term, head);
                    return None;
                }
                Arg::Nat(self.elab_nat(term)?)
            }
            Kind::AddrSp => Arg::Address(self.elab_address(term)?),
            Kind::Nat2Nat => Arg::SizeFun(self.elab_size_fun(term)?),
            Kind::Nat2Data => Arg::DataFun(self.elab_data_fun(term, None)?),
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

    /// Whether the term names an address space (decides optional arguments).
    pub(super) fn is_address(&self, term: TermId) -> bool {
        match &self.item.term(self.bare(term)).kind {
            TermKind::Address(_) => true,
            TermKind::Name(name) => matches!(
                self.lookup(name),
                Some(Local {
                    meaning: Meaning::TypeLevel(_, Kind::AddrSp),
                    ..
                })
            ),
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
                self.error(
                    Code::KindMismatch,
                    self.span(term),
                    format!("expected an address space, found `{text}`"),
                )
                .help = Some(
                    "it is one of Global, Local, Private and Constant, or a parameter of kind AddrSp"
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
            TermKind::NatFun { param, body } => {
                let (depth, level) = (self.scope.len(), self.level);
                let var = self.bind_type_level(*param, Kind::Nat);
                let body = self.elab_nat(*body);
                self.scope.truncate(depth);
                self.level = level;
                Some(SizeFun::Lambda(NatFun {
                    param: var,
                    body: body?,
                }))
            }
            TermKind::Name(name) => match self.type_level_name(bare, name)? {
                (var, Kind::Nat2Nat) => Some(SizeFun::Var(var)),
                (_, kind) => {
                    self.wrong_kind(term, Kind::Nat2Nat, kind);
                    None
                }
            },
            TermKind::Hole => {
                let var = self.open("f".into(), Kind::Nat2Nat, Classes::DATA, term);
                self.inserted.push((var, term));
                Some(SizeFun::Var(var))
            }
            TermKind::Missing => None,
            _ => {
                let text = self.source(term);
                self.error(
                    Code::KindMismatch,
                    self.span(term),
                    format!("expected a function from sizes to sizes, found `{text}`"),
                )
                .help = Some("write `natFun(i => …)`".into());
                None
            }
        }
    }

    fn elab_data_fun(&mut self, term: TermId, range: Option<&Nat>) -> Option<DataFun> {
        let bare = self.bare(term);
        let item = self.item;
        match &item.term(bare).kind {
            TermKind::DataFun { param, body } => Some(self.data_lambda(*param, *body, range)),
            TermKind::Name(name) => match self.type_level_name(bare, name)? {
                (var, Kind::Nat2Data) => Some(DataFun::Var(var)),
                (_, kind) => {
                    self.wrong_kind(term, Kind::Nat2Data, kind);
                    None
                }
            },
            TermKind::Hole => {
                let var = self.open("f".into(), Kind::Nat2Data, Classes::DATA, term);
                self.inserted.push((var, term));
                Some(DataFun::Var(var))
            }
            TermKind::Missing => None,
            _ => {
                let text = self.source(term);
                self.error(
                    Code::KindMismatch,
                    self.span(term),
                    format!("expected a function from sizes to data types, found `{text}`"),
                )
                .help = Some("write `dataFun(i => …)`".into());
                None
            }
        }
    }

    fn data_lambda(&mut self, param: BinderId, body: TermId, range: Option<&Nat>) -> DataFun {
        let (depth, level) = (self.scope.len(), self.level);
        let var = self.bind_type_level(param, Kind::Nat);
        self.table.update(var).range = range.cloned();
        let body = self.elab_data(body);
        self.scope.truncate(depth);
        self.level = level;
        DataFun::Lambda(var, body)
    }

    fn wrong_kind(&mut self, term: TermId, wanted: Kind, found: Kind) {
        let text = self.source(term);
        self.error(
            Code::KindMismatch,
            self.span(term),
            format!(
                "expected a {}, found the {} `{text}`",
                kind_noun(wanted),
                kind_noun(found)
            ),
        );
    }

    // ----- what a term is before it is elaborated -----

    /// Whether the term can only be a size, a type or another type-level argument.
    pub(super) fn is_type_level(&self, term: TermId) -> bool {
        match &self.item.term(self.bare(term)).kind {
            TermKind::Scalar(_)
            | TermKind::Address(_)
            | TermKind::Array { .. }
            | TermKind::Tuple(..)
            | TermKind::Vector { .. }
            | TermKind::Index(_)
            | TermKind::DepArray { .. }
            | TermKind::DepPair { .. }
            | TermKind::Arrow(..)
            | TermKind::Pi { .. }
            | TermKind::NatFun { .. }
            | TermKind::DataFun { .. }
            | TermKind::Missing
            | TermKind::Hole => true,
            TermKind::Name(name) => matches!(
                self.lookup(name),
                Some(Local {
                    meaning: Meaning::TypeLevel(..),
                    ..
                })
            ),
            _ => false,
        }
    }

    /// Whether the term consists of numbers, sizes and arithmetic only.
    pub(super) fn is_size(&self, term: TermId) -> bool {
        match &self.item.term(self.bare(term)).kind {
            TermKind::Literal(Literal::Int { suffix: None, .. }) => true,
            TermKind::Name(name) => matches!(
                self.lookup(name),
                Some(Local {
                    meaning: Meaning::TypeLevel(_, Kind::Nat),
                    ..
                })
            ),
            TermKind::Binary { op, lhs, rhs, .. } => {
                is_size_operator(*op) && self.is_size(*lhs) && self.is_size(*rhs)
            }
            TermKind::Apply { callee, .. } => match self.source_name(*callee) {
                Some(name) => {
                    matches!(name.as_str(), "min" | "max" | "ceilDiv" | "log2" | "sum")
                        || matches!(
                            self.lookup(name),
                            Some(Local {
                                meaning: Meaning::TypeLevel(_, Kind::Nat2Nat),
                                ..
                            })
                        )
                }
                None => false,
            },
            _ => false,
        }
    }

    /// Whether the term can only be a value: a function, an application of one, a value's name.
    fn is_plainly_value(&self, term: TermId) -> bool {
        match &self.item.term(self.bare(term)).kind {
            TermKind::Name(name) => match self.lookup(name) {
                Some(local) => matches!(local.meaning, Meaning::Value(_)),
                None => {
                    crate::Primitive::from_name(name).is_some()
                        || matches!(self.env.resolve(name), Resolution::Def(..))
                }
            },
            TermKind::Apply { .. } => !self.is_size(term),
            TermKind::Fun { .. }
            | TermKind::DepFun { .. }
            | TermKind::Operator(_)
            | TermKind::Pair(..)
            | TermKind::Project { .. }
            | TermKind::Let { .. } => true,
            TermKind::Binary { op, .. } => {
                matches!(
                    op,
                    BinaryOp::Pipe | BinaryOp::ApplyLeft | BinaryOp::Then | BinaryOp::After
                )
            }
            TermKind::Literal(literal) => !matches!(literal, Literal::Int { suffix: None, .. }),
            _ => false,
        }
    }

    /// The literal number that a term is.
    pub(super) fn literal_nat(&self, term: TermId) -> Option<i64> {
        match &self.item.term(self.bare(term)).kind {
            TermKind::Literal(Literal::Int {
                value,
                suffix: None,
            }) => i64::try_from(*value).ok(),
            _ => None,
        }
    }

    /// The type-level variable that the first parameter of a `depFun`, `natFun` or `dataFun` binds.
    pub(super) fn bound_by(&self, term: TermId) -> Option<Var> {
        let param = match &self.item.term(self.bare(term)).kind {
            TermKind::DepFun { params, .. } => *params.first()?,
            TermKind::NatFun { param, .. } | TermKind::DataFun { param, .. } => *param,
            _ => return None,
        };
        match self.binders[param.0 as usize] {
            BinderInfo::TypeLevel(var, _) => Some(var),
            _ => None,
        }
    }

    /// A variable for the index of a condition that holds for a whole range.
    pub(super) fn index_var(&mut self, name: &str, range: &Nat) -> Var {
        self.table.add(VarInfo {
            name: name.into(),
            kind: Kind::Nat,
            level: self.level + 1,
            state: State::Rigid,
            classes: Classes::DATA,
            span: syntax::Span::default(),
            range: Some(range.clone()),
            inner: true,
        })
    }
}

fn is_data_kind(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::DataType | Kind::Scalar | Kind::Num | Kind::Int | Kind::Float
    )
}

fn is_size_operator(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Mod
            | BinaryOp::Pow
    )
}
