//! Implicit parameters of definitions with parameters left of `=`: the names in the types of these
//! parameters that are not in scope.

use std::cell::RefCell;
use std::sync::Arc;

use nat::{Nat, Var};
use syntax::ast::{BinderId, Head, ItemKind, Kind, ScalarType, TermId};
use syntax::{Diagnostic, Fix, Severity, Span, foreign_scalar, is_one_letter_away};

use super::Infer;
use super::report::names::foreign_vector;
use super::unify::Cause;
use crate::classes::Classes;
use crate::subst::map_sizes;
use crate::types::{Arg, Pi, Ty, Type};
use crate::{BinderInfo, Primitive, Resolution, TermInfo, codes};

impl Infer<'_> {
    /// Returns true if the binder binds its name. A name in the types of the parameters left of `=`
    /// does so if it is not in scope. A word that other languages have for a type is none of these
    /// names: it is a mistake.
    pub(super) fn binds(&self, binder: BinderId) -> bool {
        if !self.item.may_be_implicit(binder) {
            return true;
        }
        let name = &self.item.binder(binder).name;
        let is_type = self
            .item
            .binder(binder)
            .annotation
            .kind()
            .is_some_and(|kind| kind != Kind::Nat);
        let is_foreign = || foreign_scalar(name).is_some() || foreign_vector(name).is_some();
        self.lookup(name).is_none()
            && self.env.resolve(name) == Resolution::Unknown
            && Primitive::from_name(name).is_none()
            && !(is_type && is_foreign())
    }

    /// Returns the variable and the kind of a parameter left of `=` that the type of the definition
    /// has bound already.
    pub(super) fn bound_by_head(&self, param: BinderId) -> Option<(Var, Kind)> {
        let mut heads = self.item.heads();
        let is_of_head =
            heads.any(|(head, ..)| head.params().any(|of_head| of_head.binder == param));
        match self.binders[param.0 as usize] {
            BinderInfo::TypeLevel(var, kind) if is_of_head => Some((var, kind)),
            _ => None,
        }
    }

    /// Returns the implicit parameters that names in types bind, each with its variable and kind.
    fn implicit_parameters(&self, head: &Head) -> Vec<(BinderId, Var, Kind)> {
        (head.implicit.iter())
            .filter_map(|&binder| match self.binders[binder.0 as usize] {
                BinderInfo::TypeLevel(var, kind) => Some((binder, var, kind)),
                _ => None,
            })
            .collect()
    }

    // ----- absent types -----

    /// Makes the unknown type of a parameter or result that has no written type.
    pub(super) fn absent_type(&mut self, term: TermId) -> Ty {
        let ty = self.open_type("t", Classes::ANY, term);
        let is_result =
            self.item.head().is_some_and(|head| head.result.is_none()) && !self.in_local_type;
        if let (true, Type::Var(var)) = (is_result, &*ty) {
            // The type of the result is elaborated last.
            self.absent_result = Some(*var);
        }
        ty
    }

    /// Returns true if the expected type is the unknown one of a result without a written type:
    /// then the type of the value is synthesised.
    pub(super) fn is_absent_result(&self, expected: &Type) -> bool {
        match expected {
            Type::Var(var) => self.absent_result == Some(*var) && self.table.is_open(*var),
            _ => false,
        }
    }

    /// Makes `ty` the type of the result.
    pub(super) fn solve_absent_result(&mut self, ty: Ty, cause: Cause) -> Ty {
        match (self.absent_result, &*self.table.head(&ty)) {
            (Some(var), Type::Fun(..) | Type::Pi(_) | Type::Error) => {
                self.solve_var(var, Arg::Type(ty.clone()));
            }
            (Some(var), _) => {
                self.demand(&Arc::new(Type::Var(var)), &ty, cause);
            }
            (None, _) => {}
        }
        ty
    }

    // ----- checks -----

    /// Reports implicit sizes that the types of the parameters do not determine, and implicit
    /// parameters whose names are probably misspelt. `ty` is the type of the definition.
    pub(super) fn check_implicit_parameters(&mut self, head: &Head, ty: &Ty) {
        let implicit = self.implicit_parameters(head);
        if implicit.is_empty() {
            return;
        }
        let in_braces = (head.groups.iter())
            .filter(|group| group.implicit)
            .flat_map(|group| group.params.iter());
        let in_braces = in_braces.filter_map(|param| Some(self.bound_by_head(param.binder)?.0));
        let mut unknown: Vec<Var> = (implicit.iter())
            .filter(|(.., kind)| *kind == Kind::Nat)
            .map(|(_, var, _)| *var)
            .chain(in_braces)
            .collect();
        determine(&mut unknown, &sizes_of_parameters(ty));
        let is_unknown = |&&(_, var, _): &&(BinderId, Var, Kind)| unknown.contains(&var);
        if let Some(&(binder, ..)) = implicit.iter().find(is_unknown) {
            // Others may be undetermined because of this one.
            return self.undetermined_implicit(head, binder);
        }
        for &(binder, _, kind) in &implicit {
            self.near_miss(head, binder, kind);
        }
    }

    /// Reports an implicit size that the types of the parameters do not determine.
    fn undetermined_implicit(&mut self, head: &Head, binder: BinderId) {
        let (name, span) = {
            let binder = self.item.binder(binder);
            (binder.name.clone(), binder.span)
        };
        let types = head.params().filter_map(|param| param.ty);
        let ty = types.into_iter().find(|&ty| self.span(ty).contains(span));
        let from = ty.map_or_else(String::new, |ty| format!(" from `{}`", self.source(ty)));
        let message = format!("the size `{name}` cannot be found{from}: write `({name}: Nat)`");
        let fix = bind_left_of(head, &name, Kind::Nat);
        self.error(codes::CANNOT_INFER, span, message)
            .advise(
                Some(
                    "a size is found where it occurs alone, or linearly with sizes that are known, as in `(n + 1).f32`"
                        .to_owned(),
                ),
                fix,
            );
    }

    /// Gives a hint if the name of an implicit parameter differs by one letter from that of another
    /// parameter, from a scalar type or from a kind.
    fn near_miss(&mut self, head: &Head, binder: BinderId, kind: Kind) {
        let item = self.item;
        let name = &item.binder(binder).name;
        let before = head.implicit.iter().take_while(|&&other| other != binder);
        let params = head.params().map(|param| &param.binder);
        let params = before
            .chain(params)
            .filter(|&&other| self.is_bound_type_level(other));
        let scalars = ScalarType::ALL.iter().map(|scalar| scalar.as_str());
        let kinds = Kind::ALL.iter().map(|kind| kind.as_str());
        let words = scalars.chain(kinds).filter(|_| kind != Kind::Nat);
        let near = params
            .map(|&other| item.binder(other).name.as_str())
            .chain(words)
            .find(|other| is_one_letter_away(name, other));
        let Some(near) = near else { return };
        let (span, what) = (
            item.binder(binder).span,
            match kind {
                Kind::Nat => "size",
                _ => "type",
            },
        );
        let message = format!("`{name}` becomes an implicit {what} of this definition");
        let uses = self.occurrences(name);
        let edits = uses.into_iter().map(|at| (at, near.to_owned())).collect();
        let fix = Fix::preferred(format!("Replace with `{near}`"), edits);
        let mut hint = Diagnostic::error(codes::IMPLICIT_SIZE, span, message);
        hint.severity = Severity::Hint;
        self.diagnostics.push(
            hint.help(format!("did you mean `{near}`?"))
                .with_fix(Some(fix)),
        );
    }

    fn is_bound_type_level(&self, binder: BinderId) -> bool {
        matches!(self.binders[binder.0 as usize], BinderInfo::TypeLevel(..))
    }

    /// Returns the places of a name in the item.
    fn occurrences(&self, name: &str) -> Vec<Span> {
        let is_name = |term: &&syntax::ast::Term| matches!(&term.kind, syntax::ast::TermKind::Name(other) if other == name);
        let terms = self.item.terms.iter().filter(is_name);
        terms.map(|term| term.span).collect()
    }

    // ----- kinds -----

    /// Lets the kind of an implicit type follow from its uses: it is the smallest one that the body
    /// needs.
    pub(super) fn infer_kind(&mut self, binder: BinderId) {
        if let BinderInfo::TypeLevel(var, Kind::DataType) = self.binders[binder.0 as usize]
            && self.item.may_be_implicit(binder)
        {
            self.table.update(var).infers_kind = true;
        }
    }

    /// Gives implicit types the smallest kinds that the body needs, in the results of inference and
    /// in the type of the definition, which it returns.
    pub(super) fn settle_implicit_kinds(&mut self, ty: &Ty) -> Ty {
        let item = self.item;
        match (item.head(), &item.kind) {
            (
                Some(head),
                ItemKind::Def {
                    ty: Some(written),
                    body,
                    ..
                },
            ) => self.settle_kinds_of(head, ty, &item.implied_by(head, *written, *body)),
            _ => ty.clone(),
        }
    }

    /// Gives the implicit types of `head` their kinds, in the types of the terms `implied`, see
    /// [`Self::settle_implicit_kinds`].
    pub(super) fn settle_kinds_of(&mut self, head: &Head, ty: &Ty, implied: &[TermId]) -> Ty {
        let implicit = self.implicit_parameters(head);
        for &(binder, var, kind) in &implicit {
            if kind == Kind::Nat {
                continue;
            }
            let kind = self.table.info(var).classes.to_kind();
            if kind.is_none() {
                self.implicit_without_kind(head, binder, var);
            }
            let kind = kind.unwrap_or(Kind::Num);
            self.table.update(var).kind = kind;
            self.binders[binder.0 as usize] = BinderInfo::TypeLevel(var, kind);
        }
        if implicit.is_empty() {
            return ty.clone();
        }
        for &term in implied {
            if let TermInfo::Type(ty) = &self.terms[term.0 as usize] {
                let ty = self.with_kinds(ty);
                self.set(term, TermInfo::Type(ty));
            }
        }
        self.with_kinds(ty)
    }

    /// Reports an implicit type whose possible values are not those of a kind.
    fn implicit_without_kind(&mut self, head: &Head, binder: BinderId, var: Var) {
        if self.failed() {
            return;
        }
        let classes = self.table.info(var).classes;
        let (name, span) = {
            let binder = self.item.binder(binder);
            (binder.name.clone(), binder.span)
        };
        let what = classes.describe();
        let message = format!("no kind has exactly the types that `{name}` can be: {what}");
        let kinds = [Kind::Int, Kind::Float, Kind::Num, Kind::Scalar];
        let fits = |kind: &Kind| Classes::of_kind(*kind).within(classes);
        let kind = kinds.into_iter().find(fits).unwrap_or(Kind::Float);
        let fix = bind_left_of(head, &name, kind);
        self.error(codes::CANNOT_INFER, span, message).advise(
            Some(format!("bind it with a kind, as in `{{{name}: {kind}}}`")),
            fix,
        );
    }

    /// Replaces the kinds of the leading implicit parameters of a type by those of their variables.
    fn with_kinds(&self, ty: &Ty) -> Ty {
        match &**ty {
            Type::Pi(pi) if pi.implicit && self.table.info(pi.var).infers_kind => {
                Arc::new(Type::Pi(Pi {
                    kind: self.table.info(pi.var).kind,
                    body: self.with_kinds(&pi.body),
                    ..pi.clone()
                }))
            }
            Type::Pi(pi) if pi.implicit => Arc::new(Type::Pi(Pi {
                body: self.with_kinds(&pi.body),
                ..pi.clone()
            })),
            _ => ty.clone(),
        }
    }
}

/// Returns the fix that binds a name as the first parameter left of `=`.
pub(super) fn bind_left_of(head: &Head, name: &str, kind: Kind) -> Option<Fix> {
    let first = head.groups.first()?;
    let written = format!("({name}: {kind})");
    let edits = vec![(Span::empty(first.span.start), written.clone())];
    Some(Fix {
        preferred: false,
        ..Fix::preferred(format!("Add the parameter `{written}`"), edits)
    })
}

/// Returns the sizes in the types of the parameters of a function.
fn sizes_of_parameters(ty: &Ty) -> Vec<Nat> {
    let sizes = RefCell::new(Vec::new());
    let mut ty = ty;
    loop {
        ty = match &**ty {
            Type::Pi(pi) => &pi.body,
            Type::Fun(from, to) => {
                map_sizes(from, &|size| {
                    sizes.borrow_mut().push(size.clone());
                    size.clone()
                });
                to
            }
            _ => return sizes.into_inner(),
        };
    }
}

/// Removes from `unknown` the variables that the values of `sizes` determine: each has an equation
/// in which it is the only unknown, and linear.
fn determine(unknown: &mut Vec<Var>, sizes: &[Nat]) {
    loop {
        let found = sizes.iter().find_map(|size| {
            let mut within = unknown.iter().filter(|&&var| size.mentions(var));
            match (within.next(), within.next()) {
                (Some(&only), None) if is_linear_in(size, only) => Some(only),
                _ => None,
            }
        });
        let Some(found) = found else { return };
        unknown.retain(|&var| var != found);
    }
}

/// Returns true if the size grows by the same amount, which is not zero, with each step of `var`.
fn is_linear_in(size: &Nat, var: Var) -> bool {
    let next = Nat::add(&Nat::var(var), &Nat::from(1));
    let after = size.subst(&|other| (other == var).then(|| next.clone()));
    let step = Nat::sub(&after, size);
    !step.is_zero() && !step.mentions(var)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linear_sizes_determine_their_variables() {
        let [n, m] = [Var(0), Var(1)];
        let (x, y, one) = (Nat::var(n), Nat::var(m), Nat::from(1));
        let rest = |sizes: &[Nat]| {
            let mut unknown = vec![n, m];
            determine(&mut unknown, sizes);
            unknown
        };
        assert_eq!(rest(&[Nat::add(&x, &one)]), [m]);
        assert_eq!(rest(&[Nat::mul(&x, &x), y.clone()]), [n]);
        assert_eq!(rest(&[Nat::add(&x, &y), y.clone()]), []);
        assert_eq!(rest(&[Nat::add(&x, &y)]), [n, m]);
        assert_eq!(rest(&[Nat::mul(&x, &y), y]), []);
    }
}
