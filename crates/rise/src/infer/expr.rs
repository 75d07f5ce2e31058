//! Bidirectional inference of expressions: types are synthesised, or checked against an expected
//! type.

use std::sync::Arc;

use nat::Nat;
use syntax::Span;
use syntax::ast::{BinaryOp, BinderAnnotation, BinderId, Half, Kind, TermId, TermKind};

use super::unification_table::{State, VarInfo};
use super::unify::{Cause, CauseCode};
use super::{Infer, LocalBinding, WrittenResult, library_scheme};
use crate::classes::Classes;
use crate::codes;
use crate::spine::Spine;
use crate::types::{Arg, Pi, Ty, Type};
use crate::{BinderInfo, Primitive, Resolution, TermInfo};

/// The expected type of a term and the reason for it, if a type is expected.
pub(super) type Expectation<'t> = Option<(&'t Ty, Cause)>;

impl Infer<'_> {
    /// Synthesises the type of a term.
    pub(super) fn synth(&mut self, term: TermId) -> Ty {
        let mut ty = self.visit(term, None);
        if self.table.take_too_large() {
            self.too_large(term);
            ty = self.broken();
        }
        self.set(term, TermInfo::Expr(ty.clone()));
        ty
    }

    /// Checks a term against a type and reports a mismatch. Returns the type of the term.
    pub(super) fn check(&mut self, term: TermId, expected: &Ty, cause: Cause) -> Ty {
        let head = self.table.head(expected);
        if let Type::Pi(pi) = &*head
            && pi.implicit
        {
            if matches!(cause.why, CauseCode::Written { .. }) {
                // The names of a written type are in scope already.
                return self.check(term, &pi.body, cause);
            }
            return self.check_implicit(term, &head, cause);
        }
        if let Type::Pi(pi) = &*head
            && matches!(cause.why, CauseCode::Written { .. })
            && self.leaves_out_dep_fun(term)
            && !self.takes_too_many(term, &head)
        {
            // The name of the parameter is in scope already.
            self.check(term, &pi.body, cause);
            return head;
        }
        if self.is_absent_result(&head) {
            let ty = self.synth(term);
            return self.solve_absent_result(ty, cause);
        }
        let wanted = (&head, cause);
        if self.is_result(term, wanted) {
            let ty = self.synth(term);
            self.solve_deferred();
            return self.unify_with_expected(term, ty, Some(wanted));
        }
        let mut ty = self.visit(term, Some(wanted));
        if self.table.take_too_large() {
            self.too_large(term);
            ty = self.broken();
        }
        self.set(term, TermInfo::Expr(ty.clone()));
        ty
    }

    /// Returns true if a term is the result of the definition and is compared with the written type
    /// after its synthesis.
    fn is_result(&self, term: TermId, (expected, cause): (&Ty, Cause)) -> bool {
        let is_value = !matches!(
            self.item.term(term).kind,
            TermKind::Paren(_)
                | TermKind::Let { .. }
                | TermKind::Local { .. }
                | TermKind::LetSize { .. }
                | TermKind::Fun { .. }
                | TermKind::DepFun { .. }
        );
        self.written_result == WrittenResult::ComparedLast
            && is_value
            && matches!(cause.why, CauseCode::Written { .. })
            && !matches!(**expected, Type::Fun(..) | Type::Pi(_))
    }

    /// Returns true for a term with a written type `(n: Nat) -> t` that is not itself a dependent
    /// function, so that elaboration encloses it in `depFun(n: Nat => …)`: all terms of other forms,
    /// and applications whose type is known to be another one.
    fn leaves_out_dep_fun(&self, term: TermId) -> bool {
        if self.in_dpia() || self.joined.is_some() {
            return false;
        }
        let item = self.item;
        match &item.term(term).kind {
            TermKind::Paren(inner) => self.leaves_out_dep_fun(*inner),
            TermKind::Let { body, .. } | TermKind::Local { body, .. } => {
                self.leaves_out_dep_fun(*body)
            }
            TermKind::Fun { .. }
            | TermKind::Literal(_)
            | TermKind::Unary { .. }
            | TermKind::Project { .. }
            | TermKind::Pair(..) => true,
            TermKind::Binary {
                op: BinaryOp::Pipe | BinaryOp::ApplyLeft,
                ..
            }
            | TermKind::Name(_)
            | TermKind::Apply { .. } => self.gives_no_dependent_function(term),
            TermKind::Binary { .. } => true,
            _ => false,
        }
    }

    /// Returns true for a `fun` with more parameters than a type has arguments that are values, of
    /// which some are probably meant to be sizes.
    fn takes_too_many(&self, term: TermId, ty: &Ty) -> bool {
        let (mut parameters, mut part) = (0, term);
        while let TermKind::Fun { params, body, .. } = &self.item.term(self.bare(part)).kind {
            parameters += params.len();
            part = *body;
        }
        let (mut values, mut rest) = (0, self.table.head(ty));
        loop {
            rest = match &*rest {
                Type::Pi(pi) => self.table.head(&pi.body),
                Type::Fun(_, to) => {
                    values += 1;
                    self.table.head(to)
                }
                Type::Var(_) => return false,
                _ => return parameters > values,
            };
        }
    }

    /// Returns true for an application of a name whose type is known, if the type of the result is
    /// not that of a function of an explicit size or type.
    fn gives_no_dependent_function(&self, term: TermId) -> bool {
        let spine = Spine::of(self.item, term);
        let Some(mut ty) = self.type_of_name(spine.head) else {
            return false;
        };
        let mut args = spine.args.len();
        loop {
            let head = self.table.head(&ty);
            ty = match &*head {
                Type::Pi(pi) if pi.implicit => pi.body.clone(),
                Type::Pi(pi) if args > 0 => pi.body.clone(),
                Type::Fun(_, to) if args > 0 => to.clone(),
                Type::Pi(_) | Type::Error | Type::Var(_) => return false,
                _ => return true,
            };
            let is_implicit = matches!(&*head, Type::Pi(pi) if pi.implicit);
            args -= usize::from(!is_implicit);
        }
    }

    /// Returns the type of a name, with its parameters; `None` for other terms and unknown names.
    fn type_of_name(&self, term: TermId) -> Option<Ty> {
        let name = self.source_name(term)?;
        if let Some(local) = self.lookup(name) {
            return match &local.meaning {
                LocalBinding::Value(ty) => Some(ty.clone()),
                LocalBinding::TypeLevel(..) | LocalBinding::Broken => None,
            };
        }
        match self.env.resolve(name) {
            Resolution::Def(_, scheme) => Some(scheme.ty.clone()),
            Resolution::Unknown => {
                let primitive = Primitive::from_name(name)?;
                Some(library_scheme(primitive).ty.clone())
            }
            _ => None,
        }
    }

    /// Checks a term against a function type over implicit parameters, which become rigid
    /// variables.
    fn check_implicit(&mut self, term: TermId, expected: &Ty, cause: Cause) -> Ty {
        let level = self.level;
        let mut params = Vec::new();
        let mut body = expected.clone();
        while let Type::Pi(pi) = &*body.clone()
            && pi.implicit
        {
            let name = self.table.info(pi.var).name.clone();
            let var = self.rigid(name, pi.kind, cause.span, true);
            params.push((var, pi.kind));
            self.assume_conditions_of(pi, var);
            let arg = self.var_as_arg(var, pi.kind);
            body = self.instance(pi, &arg);
        }
        let before = self.obligations.len();
        self.check(term, &body, cause);
        if let CauseCode::Argument { head, .. } = cause.why {
            self.note_taken_by(head, before, &params);
        }
        self.level = level;
        self.generalised.insert(term, params.into());
        expected.clone()
    }

    /// Marks the obligations from number `before` on that a use of a name requires of implicit
    /// parameters of an argument: `function`, which takes the argument, chooses their values.
    fn note_taken_by(&mut self, function: TermId, before: usize, params: &[(nat::Var, Kind)]) {
        let mut noted = self
            .obligations
            .split_off(before.min(self.obligations.len()));
        for pending in &mut noted {
            let prop = self.table.prop(&pending.prop);
            let is_about = params.iter().any(|(var, _)| prop.mentions(*var));
            if is_about && pending.source.is_some() && self.name_at(pending.span).is_some() {
                pending.taken_by = pending.taken_by.or(Some(function));
            }
        }
        self.obligations.extend(noted);
    }

    /// Infers the type of an expression, and reports a mismatch if it differs from the wanted type.
    fn visit(&mut self, term: TermId, wanted: Expectation) -> Ty {
        if self.in_dpia()
            && let Some(ty) = self.phrase(term, wanted)
        {
            return ty;
        }
        let item = self.item;
        match &item.term(term).kind {
            TermKind::Missing => wanted.map_or_else(|| self.broken(), |(ty, _)| ty.clone()),
            TermKind::Hole => self.hole(term, wanted),
            TermKind::Paren(inner) => match wanted {
                Some((ty, cause)) => self.check(*inner, ty, cause),
                None => self.synth(*inner),
            },
            TermKind::Apply { callee, args } if self.is_size_application(*callee, args) => {
                self.elab_nat(term);
                let ty = Arc::new(Type::Scalar(syntax::ast::ScalarType::NatType));
                let ty = self.as_phrase(ty);
                self.unify_with_expected(term, ty, wanted)
            }
            TermKind::Name(_)
            | TermKind::Apply { .. }
            | TermKind::Operator(_)
            | TermKind::Ascribe { .. } => self.application(term, wanted),
            TermKind::Literal(literal) => {
                let ty = self.literal(term, literal);
                self.unify_with_expected(term, ty, wanted)
            }
            TermKind::Binary { op, lhs, rhs, .. } => self.binary(term, *op, *lhs, *rhs, wanted),
            TermKind::Unary { op, operand } => {
                let ty = self.unary(*op, *operand);
                self.unify_with_expected(term, ty, wanted)
            }
            TermKind::Project { pair, half } => {
                let ty = self.project(*pair, *half);
                self.unify_with_expected(term, ty, wanted)
            }
            TermKind::Fun {
                params,
                grouped,
                body,
            } => {
                if let Some(ty) = self.nested_parameters(term, params, *grouped, *body, wanted) {
                    return ty;
                }
                self.function(term, params, *grouped, *body, wanted)
            }
            TermKind::DepFun { params, body } => self.dep_lambda(term, params, *body, wanted),
            TermKind::Let {
                binder,
                value,
                body,
            } => self.let_in(*binder, *value, *body, wanted),
            TermKind::Local { binder, body, .. } => {
                self.local_definition(term, *binder, *body, wanted)
            }
            TermKind::LetSize {
                size,
                binder,
                value,
                body,
            } => self.let_size((*size, *binder), *value, *body, wanted),
            TermKind::Pair(a, b) => self.pair(term, *a, *b, wanted),
            TermKind::NatFun { .. } | TermKind::DataFun { .. } => {
                self.type_level_in_expression(term, "a type-level function")
            }
            TermKind::Scalar(_)
            | TermKind::Array { .. }
            | TermKind::Tuple(..)
            | TermKind::Vector { .. }
            | TermKind::Index(_)
            | TermKind::DepArray { .. }
            | TermKind::DepPair { .. }
            | TermKind::Arrow(..)
            | TermKind::Pi { .. }
            | TermKind::Where { .. }
            | TermKind::Exp { .. }
            | TermKind::Acc(_)
            | TermKind::Comm => self.type_level_in_expression(term, "a type"),
            TermKind::Access(_) => self.type_level_in_expression(term, "an access"),
            // Only DPIA has these, and they are inferred there.
            TermKind::Assign { .. }
            | TermKind::Sequence(_)
            | TermKind::If { .. }
            | TermKind::Skip => Arc::new(Type::Error),
            TermKind::Address(_) => self.type_level_in_expression(term, "an address space"),
        }
    }

    /// Unifies a synthesised type with the wanted one, if there is one. Returns the wanted type
    /// after a mismatch, which is reported, and `ty` otherwise.
    pub(super) fn unify_with_expected(&mut self, _term: TermId, ty: Ty, wanted: Expectation) -> Ty {
        match wanted {
            Some((expected, cause)) if !self.demand(expected, &ty, cause) => expected.clone(),
            _ => ty,
        }
    }

    pub(super) fn type_level_in_expression(&mut self, term: TermId, what: &str) -> Ty {
        let text = self.source(term);
        if self.env.resolve(&text) != Resolution::Unknown {
            // The definition of this name is reported.
            return self.broken();
        }
        self.clashes += 1;
        let help = match &self.item.term(term).kind {
            TermKind::Array { size, elem, .. } => {
                match (self.literal_nat(*size), self.source_name(*elem)) {
                    (Some(digits), Some(suffix)) if suffix == "f" => Some(format!(
                        "a float needs a digit after its point: `{digits}.0f`"
                    )),
                    _ => self.help_for_thread(*size),
                }
            }
            TermKind::Arrow(parameter, _) => {
                let parameter = self.source(*parameter);
                Some(format!("a function is written `fun({parameter} => …)`"))
            }
            _ => None,
        };
        if help.is_some() && self.diagnostics.iter().any(|said| said.help == help) {
            // The error is part of the same computation.
            return self.broken();
        }
        let conversion = match &self.item.term(term).kind {
            TermKind::Scalar(scalar) => self.conversion_to(term, scalar.as_str()),
            _ => None,
        };
        let message = format!("expected an expression, found {what}: `{text}`");
        let error = self.error(codes::KIND_MISMATCH, self.span(term), message);
        error.help = help;
        if let Some((written, fix)) = conversion {
            error.help = Some(format!("a conversion is written `{written}`"));
            error.fixes.extend(fix);
        }
        self.broken()
    }

    fn hole(&mut self, term: TermId, wanted: Expectation) -> Ty {
        let ty = match wanted {
            Some((ty, _)) => ty.clone(),
            None => self.open_type("t", Classes::ANY, term),
        };
        self.holes.push((term, ty.clone()));
        ty
    }

    fn pair(&mut self, term: TermId, a: TermId, b: TermId, wanted: Expectation) -> Ty {
        if let Some((expected, cause)) = wanted
            && let Type::Pair(first, second) = &**expected
        {
            let first = self.check(a, first, cause.at(self.span(a)));
            let second = self.check(b, second, cause.at(self.span(b)));
            return Arc::new(Type::Pair(first, second));
        }
        let first = self.data_of(a);
        let second = self.data_of(b);
        // Resolving the whole type detects that it has become too large.
        let ty = self.table.ty(&Arc::new(Type::Pair(first, second)));
        self.unify_with_expected(term, ty, wanted)
    }

    /// Synthesises the type of a half of a pair, which must be data; reports a function and returns
    /// the error type.
    pub(super) fn data_of(&mut self, term: TermId) -> Ty {
        let ty = self.synth(term);
        if self.restrict(&ty, Classes::DATA).is_ok() {
            return ty;
        }
        let text = self.show(&ty);
        let message = format!(
            "data is expected here, and this is a function: `{text}`{}",
            self.for_any(&ty)
        );
        self.error(codes::NOT_DATA, self.span(term), message).help =
            Some("apply the function, or bind it with its own `def`".into());
        self.broken()
    }

    fn let_in(&mut self, binder: BinderId, value: TermId, body: TermId, wanted: Expectation) -> Ty {
        let mut ty = match self.item.binder(binder).annotation {
            BinderAnnotation::Type(written) => {
                let ty = self.elab_type(written);
                let why = CauseCode::Ascribed { ty: written };
                self.check(value, &ty, Cause::new(self.span(value), why));
                ty
            }
            _ => self.synth(value),
        };
        if self.restrict(&ty, Classes::DATA).is_err() {
            self.let_function(binder, value, &ty);
            ty = self.broken();
        }
        self.binders[binder.0 as usize] = BinderInfo::Value(ty.clone());
        self.in_scope(|this| {
            this.bind_value(binder, ty);
            this.body(body, wanted)
        })
    }

    /// Checks the body of a binder against the wanted type, or infers it if no type is wanted.
    pub(super) fn body(&mut self, body: TermId, wanted: Expectation) -> Ty {
        match wanted {
            Some((expected, cause)) => self.check(body, expected, cause.at(self.span(body))),
            None => self.synth(body),
        }
    }

    /// Brings the names of a binder of the type `ty` into scope: its own, or those of its pattern.
    pub(super) fn bind_value(&mut self, binder: BinderId, ty: Ty) {
        let item = self.item;
        if let Some(parts) = &item.binder(binder).parts {
            return self.bind_parts(binder, parts, &ty);
        }
        for earlier in self.identified_binders(binder) {
            let BinderInfo::Value(wanted) = self.binders[earlier.0 as usize].clone() else {
                continue;
            };
            let cause = Cause::context(self.item.binder(binder).span);
            self.demand(&wanted, &ty, cause);
        }
        let meaning = match &*ty {
            Type::Error => LocalBinding::Broken,
            _ => LocalBinding::Value(ty),
        };
        self.bind_name(binder, meaning);
    }

    /// Brings the names of the pattern `binder` with these parts into scope, which takes apart a value
    /// of the type `ty`. Reports a value that is no tuple of as many components; then the types of
    /// the parts are unknown.
    fn bind_parts(&mut self, binder: BinderId, parts: &[BinderId], ty: &Ty) {
        let types = self.types_of_parts(binder, parts, ty);
        for (at, &part) in parts.iter().enumerate() {
            let given = match &types {
                Some(types) => types[at].clone(),
                None => self.broken(),
            };
            self.bind_given(part, &given);
        }
    }

    /// Returns the types of the parts of a pattern; `None` if the value is no such tuple, which is
    /// reported.
    fn types_of_parts(&mut self, binder: BinderId, parts: &[BinderId], ty: &Ty) -> Option<Vec<Ty>> {
        let head = self.table.head(ty);
        match (&*head, parts) {
            (Type::Pair(first, second), [_, _]) => Some(vec![first.clone(), second.clone()]),
            (Type::Error, _) => None,
            (Type::Var(var), [_, _]) if self.table.is_open(*var) => {
                let span = self.item.binder(binder).span;
                let [first, second] = ["s", "t"].map(|name| {
                    let info =
                        VarInfo::new(name.into(), Kind::DataType, self.level, State::Open, span);
                    let classes = Classes::DATA;
                    Arc::new(Type::Var(self.table.add(VarInfo { classes, ..info })))
                });
                let pair = Arc::new(Type::Pair(first.clone(), second.clone()));
                let is_pair = self.demand(&head, &pair, Cause::context(span));
                is_pair.then(|| vec![first, second])
            }
            _ => {
                self.value_is_not_of_parts(binder, parts.len(), &head);
                None
            }
        }
    }

    /// Returns the binders of earlier terms that this one is identified with, see
    /// [`RuleInfer`](crate::RuleInfer).
    fn identified_binders(&self, binder: BinderId) -> Vec<BinderId> {
        let joined = self.joined.as_ref().and_then(|all| all.get(&binder));
        joined.cloned().unwrap_or_default()
    }

    /// Brings a type-level name into scope, as a new rigid variable one level deeper, or as the
    /// variable of the earlier binder with which the binder is identified.
    pub(super) fn bind_type_level(&mut self, binder: BinderId, kind: Kind) -> nat::Var {
        let (name, span) = {
            let binder = self.item.binder(binder);
            (binder.name.clone(), binder.span)
        };
        let inner = !self.spine.contains(&binder);
        let earlier = self.identified_binders(binder).first().copied();
        let var = match earlier.map(|earlier| &self.binders[earlier.0 as usize]) {
            Some(&BinderInfo::TypeLevel(var, same)) if same == kind => {
                self.level = self.level.max(self.table.info(var).level);
                var
            }
            _ => self.rigid(name, kind, span, inner),
        };
        self.binders[binder.0 as usize] = BinderInfo::TypeLevel(var, kind);
        self.bind_name(binder, LocalBinding::TypeLevel(var, kind));
        var
    }

    /// Brings the parameter of a `depFun` or of a type into scope, as [`Self::bind_type_level`]
    /// does; without an annotation its kind is `Nat`.
    pub(super) fn bind_annotated(&mut self, param: BinderId) -> (nat::Var, Kind) {
        let kind = match self.item.binder(param).annotation {
            BinderAnnotation::Kind(Some(kind), _) => kind,
            _ => Kind::Nat,
        };
        (self.bind_type_level(param, kind), kind)
    }

    fn lambda(
        &mut self,
        term: TermId,
        params: &[BinderId],
        body: TermId,
        wanted: Expectation,
    ) -> Ty {
        let depth = self.scope.len();
        let mut rest = wanted.map(|(ty, cause)| (ty.clone(), cause));
        let mut types = Vec::with_capacity(params.len());
        for &param in params {
            let (given, next) = self.next_parameter(term, rest);
            types.push(self.bind_parameter(param, term, given.as_ref()));
            rest = next;
        }
        let result = match rest {
            Some((expected, cause)) => {
                // If the function itself is applied, its result is not the argument of another
                // function.
                let why = match cause.why {
                    CauseCode::Piped { head, .. } if self.bare(head) == term => CauseCode::Context,
                    why => why,
                };
                self.check(body, &expected, Cause::new(self.span(body), why))
            }
            None => self.synth(body),
        };
        self.scope.truncate(depth);
        Type::function(types.into_iter(), result)
    }

    /// Infers a `fun`: a curried function of its parameters, or a function of one pair whose
    /// components the two parameters name.
    fn function(
        &mut self,
        term: TermId,
        params: &[BinderId],
        grouped: bool,
        body: TermId,
        wanted: Expectation,
    ) -> Ty {
        if let Some((expected, cause)) = wanted
            && let Some(given) = self.given_arguments(expected, params.len(), grouped)
        {
            return match (params, &given[..]) {
                (&[first, second], [pair]) if grouped && self.may_be_a_pair(pair) => {
                    self.pair_lambda(term, [first, second], pair, body, expected, cause)
                }
                _ => {
                    self.too_many_parameters(params, grouped, &given, None, cause);
                    self.body_over_unknowns(term, params, body, cause)
                }
            };
        }
        self.patterns.remove(&term);
        self.lambda(term, params, body, wanted)
    }

    /// Reports `fun(x => fun(y => body))` where a function of one argument is expected, like
    /// `fun(x, y => body)`; returns `None` for all other functions.
    fn nested_parameters(
        &mut self,
        term: TermId,
        params: &[BinderId],
        grouped: bool,
        body: TermId,
        wanted: Expectation,
    ) -> Option<Ty> {
        let (expected, cause) = wanted?;
        let TermKind::Fun {
            params: inner,
            grouped: false,
            body: inner_body,
        } = &self.item.term(body).kind
        else {
            return None;
        };
        let (&[first], &[second]) = (params, &inner[..]) else {
            return None;
        };
        if grouped || self.given_arguments(expected, 1, false).is_some() {
            return None;
        }
        let given = self.given_arguments(expected, 2, false)?;
        self.too_many_parameters(&[first, second], false, &given, Some(body), cause);
        Some(self.body_over_unknowns(term, &[first, second], *inner_body, cause))
    }

    /// Infers the body of a function that was reported; its parameters have unknown types.
    fn body_over_unknowns(
        &mut self,
        term: TermId,
        params: &[BinderId],
        body: TermId,
        cause: Cause,
    ) -> Ty {
        self.patterns.remove(&term);
        let depth = self.scope.len();
        for &param in params {
            self.bind_parameter(param, term, Some(&(self.broken(), cause)));
        }
        self.synth(body);
        self.scope.truncate(depth);
        self.broken()
    }

    /// Returns the types of the arguments of a function of the wanted type, if they are fewer than
    /// `count` and the result is data, so that no curried function of `count` parameters fits;
    /// `None` otherwise. A result that is not known yet counts as data if it cannot be a function,
    /// or if two grouped parameters get a pair. In the terms of a rule and in DPIA every function
    /// is curried, so the result is `None`.
    fn given_arguments(&self, expected: &Ty, count: usize, grouped: bool) -> Option<Vec<Ty>> {
        if self.joined.is_some() || self.in_dpia() {
            return None;
        }
        let mut given = Vec::new();
        let mut rest = self.table.head(expected);
        while let Type::Fun(from, to) = &*rest.clone() {
            given.push(self.table.head(from));
            rest = self.table.head(to);
        }
        let is_pattern = grouped
            && count == 2
            && matches!(&given[..], [pair] if matches!(**pair, Type::Pair(..)));
        let gives_data = match &*rest {
            Type::Pi(_) | Type::Error => false,
            Type::Var(var) if self.table.is_open(*var) => {
                is_pattern || !self.table.info(*var).classes.allows_functions()
            }
            _ => true,
        };
        (gives_data && !given.is_empty() && given.len() < count).then_some(given)
    }

    fn may_be_a_pair(&self, ty: &Ty) -> bool {
        match &**ty {
            Type::Pair(..) => true,
            Type::Var(var) => self.table.is_open(*var),
            _ => false,
        }
    }

    /// Infers `fun((x, y) => body)` over pairs; the parameters name the components.
    fn pair_lambda(
        &mut self,
        term: TermId,
        params: [BinderId; 2],
        pair: &Ty,
        body: TermId,
        expected: &Ty,
        cause: Cause,
    ) -> Ty {
        let components = match &**pair {
            Type::Pair(first, second) => [first.clone(), second.clone()],
            _ => ["s", "t"].map(|name| self.open_type(name, Classes::DATA, term)),
        };
        let [first, second] = components.clone();
        let taken = Arc::new(Type::Pair(first, second));
        let head = self.table.head(expected);
        let Type::Fun(_, to) = &*head else {
            return self.broken();
        };
        if !self.demand(pair, &taken, cause) {
            return self.broken();
        }
        self.patterns.insert(term);
        let depth = self.scope.len();
        for (param, component) in params.into_iter().zip(components) {
            self.bind_parameter(param, term, Some(&(component, cause)));
        }
        let result = self.body(body, Some((to, cause)));
        self.scope.truncate(depth);
        Arc::new(Type::Fun(taken, result))
    }

    /// Splits the wanted type into the type of the next parameter and the rest, and reports a type
    /// that is no function, after which the type of the parameter is unknown. Both are `None` if
    /// there is no wanted type, or after an earlier error.
    #[allow(clippy::type_complexity)]
    fn next_parameter(
        &mut self,
        term: TermId,
        rest: Option<(Ty, Cause)>,
    ) -> (Option<(Ty, Cause)>, Option<(Ty, Cause)>) {
        let Some((expected, cause)) = rest else {
            return (None, None);
        };
        let mut head = self.table.head(&expected);
        while let Type::Pi(pi) = &*head.clone()
            && pi.implicit
            && matches!(cause.why, CauseCode::Written { .. })
        {
            // The names of a written type are in scope already.
            head = self.table.head(&pi.body);
        }
        match &*head {
            Type::Fun(a, b) => (Some((a.clone(), cause)), Some((b.clone(), cause))),
            Type::Var(var) if self.table.is_open(*var) => {
                if !self.table.info(*var).classes.allows_functions() {
                    self.lambda_is_not(term, &head, cause);
                    return (Some((self.broken(), cause)), None);
                }
                let (a, b) = (
                    self.open_type("t", Classes::ANY, term),
                    self.open_type("u", Classes::ANY, term),
                );
                let fun = Arc::new(Type::Fun(a.clone(), b.clone()));
                self.demand(&head, &fun, cause);
                (Some((a, cause)), Some((b, cause)))
            }
            Type::Error => (None, None),
            _ => {
                self.lambda_is_not(term, &head, cause);
                (Some((self.broken(), cause)), None)
            }
        }
    }

    /// Brings a parameter into scope and returns its type. If the annotation differs from the type
    /// that is given, that is reported, and errors about the parameter in the body are suppressed.
    fn bind_parameter(&mut self, param: BinderId, term: TermId, given: Option<&(Ty, Cause)>) -> Ty {
        if let Some(given) = given {
            return self.bind_given(param, &given.0);
        }
        let ty = match self.item.binder(param).annotation {
            BinderAnnotation::Type(written) => self.elab_type(written),
            BinderAnnotation::Kind(_, span) => self.kind_of_value(span),
            BinderAnnotation::None => self.open_type("t", Classes::ANY, term),
        };
        self.binders[param.0 as usize] = BinderInfo::Value(ty.clone());
        self.bind_value(param, ty.clone());
        ty
    }

    /// Brings a binder whose value has the given type into scope, as [`Self::bind_parameter`] does.
    fn bind_given(&mut self, param: BinderId, expected: &Ty) -> Ty {
        let clashes = self.clashes;
        let ty = match self.item.binder(param).annotation {
            BinderAnnotation::Type(written) => {
                let ty = self.elab_type(written);
                let why = CauseCode::Annotated { param };
                // The given type is the found one here, and the annotation the wanted one.
                self.accesses.flip_variance();
                self.demand(expected, &ty, Cause::new(self.span(written), why));
                self.accesses.flip_variance();
                ty
            }
            BinderAnnotation::Kind(_, span) => self.kind_of_value(span),
            BinderAnnotation::None => expected.clone(),
        };
        self.binders[param.0 as usize] = BinderInfo::Value(ty.clone());
        let meaning = match self.clashes == clashes {
            true => ty.clone(),
            false => self.broken(),
        };
        self.bind_value(param, meaning);
        ty
    }

    /// Reports a kind as the annotation of a value.
    fn kind_of_value(&mut self, span: Span) -> Ty {
        let message = "`fun` binds values: a size, type or address space is bound by `depFun`";
        self.error(codes::KIND_MISMATCH, span, message);
        self.broken()
    }

    fn dep_lambda(
        &mut self,
        term: TermId,
        params: &[BinderId],
        body: TermId,
        wanted: Expectation,
    ) -> Ty {
        let (depth, level) = (self.scope.len(), self.level);
        let mut rest = wanted.map(|(ty, cause)| (ty.clone(), cause));
        let mut vars = Vec::with_capacity(params.len());
        for &param in params {
            let (var, kind) = match self.bound_by_head(param) {
                Some(bound) => {
                    self.bind_again(param);
                    bound
                }
                None => self.bind_annotated(param),
            };
            vars.push((var, kind));
            rest = rest.and_then(|rest| self.next_dependent(term, var, kind, rest));
        }
        self.assume_in_scope();
        let rest = rest.as_ref().map(|(ty, cause)| (ty, *cause));
        let result = self.body(body, rest);
        self.scope.truncate(depth);
        self.level = level;
        vars.into_iter().rev().fold(result, |body, (var, kind)| {
            Arc::new(Type::Pi(Pi {
                var,
                kind,
                implicit: false,
                conditions: self.table.info(var).assumed.clone(),
                body,
            }))
        })
    }

    fn next_dependent(
        &mut self,
        term: TermId,
        var: nat::Var,
        kind: Kind,
        (expected, cause): (Ty, Cause),
    ) -> Option<(Ty, Cause)> {
        let head = self.table.head(&expected);
        match &*head {
            Type::Pi(pi) if !pi.implicit && pi.kind == kind => {
                if matches!(cause.why, CauseCode::Written { .. }) {
                    // The parameter has its name in the scheme from the written type.
                    if var != pi.var {
                        let arg = self.var_as_arg(pi.var, kind);
                        self.solve_var(var, arg);
                    }
                    return Some((pi.body.clone(), cause));
                }
                self.assume_conditions_of(pi, var);
                let arg = self.var_as_arg(var, kind);
                Some((self.instance(pi, &arg), cause))
            }
            Type::Error => None,
            Type::Var(x) if self.table.is_open(*x) => {
                let text = self.name_of(var);
                let message = format!(
                    "a function that takes the {} `{text}` cannot be used here",
                    kind_noun(kind)
                );
                self.error(codes::KIND_MISMATCH, self.head_span(term), message)
                    .help = Some(format!(
                    "bind `{text}` at the start of the definition with `depFun`"
                ));
                None
            }
            _ => {
                let wanted = self.show(&head);
                let message = format!(
                    "expected `{wanted}`{}, found a function that takes a {} first",
                    self.for_any(&head),
                    kind_noun(kind)
                );
                self.error(codes::TYPE_MISMATCH, self.head_span(term), message);
                None
            }
        }
    }

    /// Returns the span of the keyword of a `fun` or `depFun`, which is enough to point at the
    /// whole; for other terms the span of the whole.
    pub(super) fn head_span(&self, term: TermId) -> Span {
        match self.item.term(term).kind {
            TermKind::Fun { .. } | TermKind::DepFun { .. } => self.item.keyword_span(term),
            _ => self.span(term),
        }
    }

    fn project(&mut self, pair: TermId, half: Half) -> Ty {
        let ty = self.synth(pair);
        let head = self.table.head(&ty);
        match (&*head, half) {
            (Type::Pair(first, _), Half::First) => first.clone(),
            (Type::Pair(_, second), Half::Second) => second.clone(),
            (Type::Error, _) => self.broken(),
            _ => {
                let first = self.open_type("s", Classes::DATA, pair);
                let second = self.open_type("t", Classes::DATA, pair);
                let wanted = Arc::new(Type::Pair(first.clone(), second.clone()));
                let cause = Cause::context(self.span(pair));
                if self.try_unify(&wanted, &head, cause).is_err() {
                    self.not_a_pair(pair, half, &head);
                    return self.broken();
                }
                if half == Half::First { first } else { second }
            }
        }
    }

    /// Records a size that is used as an expression and returns its type: `natType`, in DPIA
    /// `Exp[natType, Rd]`.
    pub(super) fn size_as_value(&mut self, term: TermId, size: &Nat) -> Ty {
        self.set(term, TermInfo::Arg(Arg::Nat(size.clone())));
        self.as_phrase(Arc::new(Type::Scalar(syntax::ast::ScalarType::NatType)))
    }
}

/// Returns the noun for a variable of a kind in messages.
pub(crate) fn kind_noun(kind: Kind) -> &'static str {
    match kind {
        Kind::Nat => "size",
        Kind::DataType => "data type",
        Kind::Scalar => "scalar type",
        Kind::Num => "number type",
        Kind::Int => "integer type",
        Kind::Float => "floating-point type",
        Kind::AddrSp => "address space",
        Kind::Nat2Nat => "function from sizes to sizes",
        Kind::Nat2Data => "function from sizes to data types",
        Kind::ReadWrite => "access",
    }
}
