//! Syntactic classification of terms as values, sizes or type-level terms, before inference, and
//! the variables that functions which are arguments bind.

use nat::{Nat, Var};
use syntax::ast::{BinaryOp, Kind, Literal, TermId, TermKind};

use super::unification_table::{State, VarInfo};
use super::{Infer, LocalBinding};
use crate::spine::Spine;
use crate::types::Type;
use crate::{BinderInfo, Primitive, Resolution};

impl Infer<'_> {
    /// Returns true if the term is a type, an address space, an access, a type-level function or a
    /// type-level name, so that it can only be a type-level argument. Missing terms and holes count
    /// too.
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
            | TermKind::Exp { .. }
            | TermKind::Acc(_)
            | TermKind::Comm
            | TermKind::Access(_)
            | TermKind::NatFun { .. }
            | TermKind::DataFun { .. }
            | TermKind::Missing
            | TermKind::Hole => true,
            TermKind::Name(name) => self.kind_of_name(name).is_some(),
            _ => false,
        }
    }

    /// Returns true if the term consists of numbers without suffix, sizes, arithmetic and
    /// applications of functions on sizes only. The arguments of such an application are not
    /// examined further, unless a primitive has the name of the function: then they must be no
    /// values.
    pub(super) fn is_size(&self, term: TermId) -> bool {
        match &self.item.term(self.bare(term)).kind {
            TermKind::Literal(Literal::Int { suffix: None, .. }) => true,
            TermKind::Name(name) => self.kind_of_name(name) == Some(Kind::Nat),
            TermKind::Binary { op, lhs, rhs, .. } => {
                op.is_arithmetic() && self.is_size(*lhs) && self.is_size(*rhs)
            }
            TermKind::Apply { callee, args } => match self.source_name(*callee) {
                Some(name) => {
                    is_size_function(name) && !self.are_values(name, args)
                        || self.kind_of_name(name) == Some(Kind::Nat2Nat)
                }
                None => false,
            },
            _ => false,
        }
    }

    /// Returns true if the callee is a function on sizes: the application is a size, also where a
    /// value is expected.
    fn is_size_call(&self, callee: TermId, args: &[TermId]) -> bool {
        let Some(name) = self.source_name(callee) else {
            return false;
        };
        match self.lookup(name) {
            Some(_) => self.kind_of_name(name) == Some(Kind::Nat2Nat),
            None if !is_size_function(name) => false,
            None => match self.env.resolve(name) {
                Resolution::Unknown => true,
                // A definition `sum` can be applied to a name only if the name has a meaning.
                _ => name == "sum" && args.len() == 4 && self.is_new_name(args[0]),
            },
        }
    }

    /// Returns true if the term is a name that nothing binds, such as the index of a sum of sizes.
    fn is_new_name(&self, term: TermId) -> bool {
        match &self.item.term(term).kind {
            TermKind::Name(name) => {
                self.lookup(name).is_none()
                    && Primitive::from_name(name).is_none()
                    && self.env.resolve(name) == Resolution::Unknown
            }
            _ => false,
        }
    }

    /// Returns true if the application is a size. The functions on sizes have the names of
    /// functions that other languages have on values, and these are meant if the arguments are
    /// values.
    pub(super) fn is_size_application(&self, callee: TermId, args: &[TermId]) -> bool {
        let Some(name) = self.source_name(callee) else {
            return false;
        };
        // A primitive of the same name may be applied to fewer arguments.
        let is_partial = match Primitive::from_name(name) {
            Some(Primitive::Min | Primitive::Max) => args.len() < 2,
            _ => false,
        };
        self.is_size_call(callee, args)
            && (self.lookup(name).is_some()
                || !is_partial && !args.iter().any(|&arg| self.mentions_value(arg)))
    }

    /// Returns true if there is a primitive with the name of a function on sizes, and one of the
    /// arguments is a value.
    fn are_values(&self, name: &str, args: &[TermId]) -> bool {
        Primitive::from_name(name).is_some() && args.iter().any(|&arg| self.mentions_value(arg))
    }

    /// Returns true if the term can only be a value, applies a unary operator, or is arithmetic
    /// with such a term.
    fn mentions_value(&self, term: TermId) -> bool {
        match &self.item.term(self.bare(term)).kind {
            TermKind::Binary { op, lhs, rhs, .. } if op.is_arithmetic() => {
                self.mentions_value(*lhs) || self.mentions_value(*rhs)
            }
            TermKind::Unary { .. } => true,
            _ => self.is_plainly_value(term),
        }
    }

    /// Returns true if the term can only be a value, such as a function, an application or the name
    /// of a value.
    pub(super) fn is_plainly_value(&self, term: TermId) -> bool {
        match &self.item.term(self.bare(term)).kind {
            TermKind::Name(name) => match self.lookup(name) {
                Some(local) => matches!(local.meaning, LocalBinding::Value(_)),
                None => {
                    Primitive::from_name(name).is_some()
                        || matches!(self.env.resolve(name), Resolution::Def(..))
                }
            },
            TermKind::Apply { .. } => !self.is_size(term),
            TermKind::Fun { .. }
            | TermKind::DepFun { .. }
            | TermKind::Operator(_)
            | TermKind::Pair(..)
            | TermKind::Project { .. }
            | TermKind::Let { .. }
            | TermKind::Local { .. }
            | TermKind::LetSize { .. } => true,
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

    pub(super) fn literal_nat(&self, term: TermId) -> Option<i64> {
        match &self.item.term(self.bare(term)).kind {
            TermKind::Literal(Literal::Int {
                value,
                suffix: None,
            }) => i64::try_from(*value).ok(),
            _ => None,
        }
    }

    /// Returns the type-level variable that the first parameter of a `depFun`, `natFun` or
    /// `dataFun` binds, or for a definition the one of [`Self::bound_by_definition`].
    pub(super) fn bound_by(&self, term: TermId) -> Option<Var> {
        let param = match &self.item.term(self.bare(term)).kind {
            TermKind::DepFun { params, .. } => *params.first()?,
            TermKind::NatFun { param, .. } | TermKind::DataFun { param, .. } => *param,
            TermKind::Name(_) | TermKind::Apply { .. } => return self.bound_by_definition(term),
            _ => return None,
        };
        match self.binders[param.0 as usize] {
            BinderInfo::TypeLevel(var, _) => Some(var),
            _ => None,
        }
    }

    /// Returns the next size parameter of a definition that is an argument itself: its type was
    /// instantiated for this use, so that nothing else determines the size. (A local function has
    /// one type for all of its uses.)
    fn bound_by_definition(&self, term: TermId) -> Option<Var> {
        let head = Spine::of(self.item, self.bare(term)).head;
        match &self.item.term(head).kind {
            TermKind::Name(name) if self.lookup(name).is_none() => {}
            _ => return None,
        }
        let ty = self.type_of_expr(self.bare(term))?;
        match &*self.table.head(ty) {
            Type::Pi(pi) if !pi.implicit && pi.kind == Kind::Nat => Some(pi.var),
            _ => None,
        }
    }

    /// Makes a rigid variable for an index with the exclusive upper bound `range`, over which
    /// conditions are quantified.
    pub(super) fn index_var(&mut self, name: &str, range: &Nat) -> Var {
        let (level, span) = (self.level + 1, syntax::Span::default());
        self.table.add(VarInfo {
            range: Some(range.clone()),
            inner: true,
            ..VarInfo::new(name.into(), Kind::Nat, level, State::Rigid, span)
        })
    }
}

/// Returns true if the name is that of a function on sizes.
fn is_size_function(name: &str) -> bool {
    matches!(name, "min" | "max" | "ceilDiv" | "log2" | "sum")
}
