//! Inference of applications: a function with all of its arguments and the values piped into it.
//!
//! Values whose types do not depend on the function are checked first and `fun`s last, so that
//! sizes and element types are known inside them; the order does not affect programs without
//! errors.

use std::sync::Arc;

use nat::{Nat, Prop, Var};
use syntax::ast::{BinaryOp, BinderAnnotation, BinderId, Kind, TermId, TermKind};

use super::expr::{Expectation, kind_noun};
use super::obligations::{ConditionOrigin, PendingObligation, plainly_false};
use super::operators::operator_primitive;
use super::unify::{Cause, CauseCode};
use super::{Infer, LocalBinding};
use crate::classes::Classes;
use crate::codes;
use crate::primitive::{OptionalArgument, Primitive};
use crate::spine::{Spine, SpineArg};
use crate::subst::{subst, subst_prop};
use crate::types::{Pi, Scheme, Ty, Type};
use crate::{NameUse, PhrasePrimitive, Resolution, Target, TermInfo, library_scheme};

/// The meaning of a name at the head of a spine.
pub(super) struct Head {
    pub ty: Ty,
    pub primitive: Option<Primitive>,
    /// The primitive of DPIA, if it is one.
    pub phrase: Option<PhrasePrimitive>,
    /// The conditions of its type, over the variables that were made for this use.
    pub obligations: Vec<InheritedCondition>,
}

impl Head {
    fn value(ty: Ty, obligations: Vec<InheritedCondition>) -> Head {
        Head {
            ty,
            primitive: None,
            phrase: None,
            obligations,
        }
    }
}

/// An instance of a condition of a scheme, or of the type of a local name, at a use.
pub(super) struct InheritedCondition {
    pub prop: Prop,
    pub source: ConditionOrigin,
    /// The called function that chooses the value of the size that the condition is about, because
    /// it takes a function over this size as an argument.
    pub taken_by: Option<TermId>,
}

/// The sizes that a call omits, and the edit that inserts them.
pub(super) struct MissingSizes {
    /// The call up to these sizes, for example `f(n)(4)`.
    pub call: String,
    pub edit: (syntax::Span, String),
}

/// Adds to `known` each variable that is the length of an array in `wanted`, with the length of the
/// array at the same place in `found`.
fn lengths(wanted: &Type, found: &Type, known: &mut Vec<(Var, Nat)>) {
    match (wanted, found) {
        (Type::Array(n, a), Type::Array(m, b)) => {
            known.extend(n.as_var().map(|var| (var, m.clone())));
            lengths(a, b, known);
        }
        (Type::Pair(a, b), Type::Pair(c, d)) => {
            lengths(a, c, known);
            lengths(b, d, known);
        }
        _ => {}
    }
}

/// An argument that is not checked yet.
struct DeferredArg {
    arg: SpineArg,
    expected: Ty,
}

impl Infer<'_> {
    /// Infers a name, an operator as a function, an ascription, an application or a pipe.
    pub(super) fn application(&mut self, term: TermId, wanted: Expectation) -> Ty {
        let spine = Spine::of(self.item, term);
        let ty = match &self.item.term(spine.head).kind {
            TermKind::Name(_) | TermKind::Operator(_) => self.apply_name(&spine, wanted),
            TermKind::Ascribe { term, ty } => self.apply_ascribed(&spine, *term, *ty, wanted),
            _ => self.apply_expression(&spine, wanted),
        };
        self.solve_deferred();
        ty
    }

    fn apply_name(&mut self, spine: &Spine, wanted: Expectation) -> Ty {
        let head = match self.head_of(spine.head, spine.args.len()) {
            Some(head) => head,
            None => {
                self.set(spine.head, TermInfo::Unknown);
                let result = self.abandon(spine, 0);
                self.offer_declaration(spine, wanted);
                self.offer_counterpart(spine);
                return result;
            }
        };
        self.set(spine.head, TermInfo::Expr(head.ty.clone()));
        if self.in_dpia() {
            return self.apply_phrase(spine, head, wanted);
        }
        let mut given = 0;
        let mut ty = head.ty;
        if let Some(primitive) = head.primitive
            && let Some(first) = spine.args.first().filter(|a| !a.piped)
        {
            if primitive == Primitive::MakeArray {
                match self.make_array(first.term) {
                    Some(array) => ty = array,
                    None => return self.abandon(spine, 1),
                }
                given = 1;
            } else if let Some(optional) = primitive.optional_argument() {
                if self.unknown_first(first.term) {
                    return self.abandon(spine, 1);
                }
                given = usize::from(self.optional_argument(primitive, optional, first.term));
            }
        }
        let mut obligations = head.obligations;
        let result = self.apply_to(spine, given, ty, &mut obligations, wanted);
        self.note_inherited(spine, obligations);
        if let Some(primitive) = head.primitive {
            self.special_conditions(primitive, spine.head, &self.plain_args(spine));
        }
        result
    }

    /// Adds the conditions of the head's scheme, instantiated at this use, to the obligations.
    pub(super) fn note_inherited(&mut self, spine: &Spine, obligations: Vec<InheritedCondition>) {
        let span = self.span(spine.head);
        for inherited in obligations {
            self.add_obligation(PendingObligation {
                prop: inherited.prop,
                span,
                written: false,
                source: Some(inherited.source),
                taken_by: inherited.taken_by,
            });
        }
    }

    fn plain_args(&self, spine: &Spine) -> Vec<TermId> {
        spine.args.iter().map(|a| a.term).collect()
    }

    /// Infers the application of an ascription `(f : t)`. Conditions of the written type become
    /// conditions of this use.
    fn apply_ascribed(
        &mut self,
        spine: &Spine,
        term: TermId,
        ty: TermId,
        wanted: Expectation,
    ) -> Ty {
        let written = self.elab_type(ty);
        let cause = Cause::new(self.span(term), CauseCode::Ascribed { ty });
        self.check(term, &written, cause);
        let (instance, mut obligations) = self.without_conditions(&written, spine.head);
        let instance = self.instantiate_prefix(instance, spine.head);
        self.set(spine.head, TermInfo::Expr(instance.clone()));
        let result = self.apply_to(spine, 0, instance, &mut obligations, wanted);
        self.note_inherited(spine, obligations);
        result
    }

    /// Infers the application of a term other than a name, an operator or an ascription. The
    /// arguments of a `fun` and of a composition are inferred before it, unless a parameter of the
    /// `fun` is annotated as a function over implicit parameters.
    fn apply_expression(&mut self, spine: &Spine, wanted: Expectation) -> Ty {
        let is_fun = match &self.item.term(self.bare(spine.head)).kind {
            TermKind::Fun { params, .. } => !params.iter().any(|&p| self.takes_implicit(p)),
            TermKind::Binary { op, .. } => matches!(op, BinaryOp::Then | BinaryOp::After),
            _ => false,
        };
        if !is_fun {
            let ty = self.synth(spine.head);
            return self.apply_to(spine, 0, ty, &mut Vec::new(), wanted);
        }
        let inputs: Vec<Ty> = spine.args.iter().map(|arg| self.synth(arg.term)).collect();
        let result = match wanted {
            Some((ty, _)) => ty.clone(),
            None => self.open_type("t", Classes::ANY, spine.head),
        };
        let expected = Type::function(inputs.iter().cloned(), result.clone());
        let why = match spine.args.first() {
            Some(arg) => CauseCode::Piped {
                head: spine.head,
                value: arg.term,
            },
            None => CauseCode::Context,
        };
        let cause = Cause::new(self.head_span(self.bare(spine.head)), why);
        self.check(spine.head, &expected, cause);
        let mut left = expected;
        let mut after = vec![left.clone()];
        for _ in &inputs {
            if let Type::Fun(_, out) = &*left.clone() {
                left = out.clone();
            }
            after.push(left.clone());
        }
        self.record_results(spine, &after);
        result
    }

    /// Returns true if the parameter is annotated as a function over implicit parameters.
    fn takes_implicit(&self, param: BinderId) -> bool {
        match self.item.binder(param).annotation {
            BinderAnnotation::Type(ty) => {
                let mut ty = self.bare(ty);
                while let TermKind::Where { ty: inner, .. } = self.item.term(ty).kind {
                    ty = self.bare(inner);
                }
                matches!(self.item.term(ty).kind, TermKind::Pi { implicit: true, .. })
            }
            _ => false,
        }
    }

    fn record_results(&mut self, spine: &Spine, after: &[Ty]) {
        for &(term, count) in &spine.results {
            if let Some(ty) = after.get(count) {
                self.set(term, TermInfo::Expr(ty.clone()));
            }
        }
    }

    /// Infers the type of the application of a function of type `ty` to the arguments from number
    /// `given` on, counted from 0. Instantiates the conditions in `obligations` with these
    /// arguments, and removes them after an error.
    pub(super) fn apply_to(
        &mut self,
        spine: &Spine,
        given: usize,
        mut ty: Ty,
        obligations: &mut Vec<InheritedCondition>,
        wanted: Expectation,
    ) -> Ty {
        let mut waiting = Vec::new();
        let mut after = vec![ty.clone(); given + 1];
        for (index, &arg) in spine.args.iter().enumerate().skip(given) {
            let head = self.instantiate_prefix(ty, spine.head);
            ty = match self.take_argument(spine, arg, head.clone(), &mut waiting, obligations) {
                Some(rest) => rest,
                None => {
                    self.without_diagnostics(|this| this.check_waiting(spine, waiting));
                    obligations.clear();
                    self.infer_rejected_argument(arg, &head);
                    return self.abandon(spine, index + 1);
                }
            };
            after.push(ty.clone());
        }
        ty = self.instantiate_prefix(ty, spine.head);
        if let Some((expected, cause)) = wanted
            && !obligations.is_empty()
        {
            let taken_by = match cause.why {
                CauseCode::Argument { head, .. } => Some(head),
                _ => None,
            };
            ty = self.with_parameters_of(expected, &ty, obligations, taken_by);
        }
        if let Some(last) = after.last_mut() {
            *last = ty.clone();
        }
        let undecided = self.equations.len();
        let said_before = self.diagnostics.len();
        let known = self.piped_first(spine, &mut waiting) && self.values_first(spine, &mut waiting);
        // Sizes that the piped values determine come before those that the result determines.
        let decided = self.equations.len() == undecided;
        let early_demand = self.demands.len();
        let early = wanted.is_some_and(|(expected, cause)| {
            let said = self.expected_or_found(expected, &ty);
            !waiting.is_empty()
                && known
                && decided
                && self.attempt_deferring(&said, &ty, cause)
                && said == self.table.head(expected)
        });
        // Equations such as `n + m = 4` are deferred until the values have determined their sizes:
        // if a value has another size, the error is one of the result and not of the value.
        let late = match decided {
            true => self
                .equations
                .split_off(undecided.min(self.equations.len())),
            false => Vec::new(),
        };
        let (functions, values): (Vec<_>, Vec<_>) = waiting
            .into_iter()
            .partition(|w| self.is_lambda(w.arg.term));
        let said = self.diagnostics.len();
        let piped_fits = known;
        let known = self.check_unless(!known, spine, values);
        self.solved_since_retry |= !late.is_empty();
        self.equations.extend(late);
        self.solve_deferred();
        let fine = self.check_unless(!known, spine, functions);
        self.record_results(spine, &after);
        if !fine {
            // The result may be wrong in ways that were reported already.
            obligations.clear();
            if early {
                self.equations
                    .retain(|equation| equation.demand != early_demand);
            }
            // Calls inside a call that is checked again are not checked again themselves, so that
            // the work does not grow exponentially with the nesting.
            let explained = self.quiet == 0
                && self.are_clashes(said_before)
                && (self.report_missing_initial_value(spine, given, said_before, &after)
                    || piped_fits && self.report_wrong_order(spine, false, said, &after)
                    || self.report_wrong_order(spine, true, said_before, &after)
                    || piped_fits
                        && (self.report_swapped_parameters(spine, said, &after)
                            || self.report_initial_value(spine, given, said, &after)));
            if !explained {
                self.ask_for_argument(spine, said, &ty);
            }
            return self.broken();
        }
        match wanted {
            Some((expected, cause)) if !early && !self.demand(expected, &ty, cause) => {
                expected.clone()
            }
            _ => ty,
        }
    }

    /// Renames the type-level parameters that a partial application still takes to the
    /// corresponding parameters of the definition, so that conditions on them become conditions of
    /// the definition. If the partial application is an argument, they become rigid variables for
    /// which the conditions of the parameter's type hold. Returns the type with the new parameters.
    fn with_parameters_of(
        &mut self,
        expected: &Ty,
        found: &Ty,
        obligations: &mut [InheritedCondition],
        taken_by: Option<TermId>,
    ) -> Ty {
        let (expected, found) = (self.table.head(expected), self.table.head(found));
        match (&*expected, &*found) {
            (Type::Fun(_, expected), Type::Fun(input, out)) => {
                let out = self.with_parameters_of(expected, out, obligations, taken_by);
                Arc::new(Type::Fun(input.clone(), out))
            }
            (Type::Pi(p), Type::Pi(q)) if p.kind == q.kind && p.implicit == q.implicit => {
                let is_argument = self.table.info(p.var).inner;
                let given = match is_argument {
                    true => self.given_for(p),
                    false => p.var,
                };
                let arg = self.var_as_arg(given, p.kind);
                let put = |v: Var| (v == q.var).then(|| arg.clone());
                for inherited in obligations.iter_mut() {
                    if is_argument && inherited.prop.mentions(q.var) {
                        inherited.taken_by = taken_by;
                    }
                    inherited.prop = subst_prop(&inherited.prop, &put);
                }
                let (wanted, body) = (self.instance(p, &arg), subst(&q.body, &put));
                let body = self.with_parameters_of(&wanted, &body, obligations, taken_by);
                Arc::new(Type::Pi(Pi {
                    var: given,
                    body,
                    ..q.clone()
                }))
            }
            _ => found,
        }
    }

    /// Makes a rigid variable for the type-level argument that a function which is an argument
    /// itself is applied to. The conditions of `parameter` hold for it.
    fn given_for(&mut self, parameter: &Pi) -> Var {
        let (name, range) = {
            let info = self.table.info(parameter.var);
            (info.name.clone(), info.range.clone())
        };
        let given = self.skolem(name, parameter.kind);
        self.table.update(given).range = range;
        self.assume_conditions_of(parameter, given);
        given
    }

    /// Unifies the types as [`Infer::attempt`] does, but defers equations such as `n + m = 4`;
    /// returns true if that is possible.
    fn attempt_deferring(&mut self, expected: &Ty, found: &Ty, cause: Cause) -> bool {
        self.deferring = true;
        let agrees = self.attempt(expected, found, cause);
        self.deferring = false;
        agrees
    }

    /// Checks the arguments and returns true if all fit. If something was wrong `before`, checks
    /// them without messages and returns false.
    fn check_unless(&mut self, before: bool, spine: &Spine, waiting: Vec<DeferredArg>) -> bool {
        match before {
            true => {
                self.without_diagnostics(|this| this.check_waiting(spine, waiting));
                false
            }
            false => self.check_waiting(spine, waiting),
        }
    }

    /// Returns the expected type. If its result is the application of an unknown function, see
    /// [`Infer::is_unknown_application`], the corresponding part of `found` takes the place of the
    /// result.
    fn expected_or_found(&self, expected: &Ty, found: &Ty) -> Ty {
        let (expected, found) = (self.table.head(expected), self.table.head(found));
        if self.is_unknown_application(&expected) {
            return found;
        }
        match (&*expected, &*found) {
            (Type::Fun(input, wanted), Type::Fun(_, given)) => Arc::new(Type::Fun(
                input.clone(),
                self.expected_or_found(wanted, given),
            )),
            _ => expected,
        }
    }

    /// Returns true if the type is the application of an unsolved variable of kind `Nat2Data`. Such
    /// a function is better inferred from the type that a call has than the call from it.
    fn is_unknown_application(&self, expected: &Ty) -> bool {
        matches!(&*self.table.head(expected), Type::Apply(fun, _) if self.table.is_open(*fun))
    }

    /// Infers an argument that its function cannot take, unless it is a type-level term or the
    /// explicit argument for a type-level parameter. So for an incomplete `xs |> ` the editor still
    /// shows the type of `xs`.
    fn infer_rejected_argument(&mut self, arg: SpineArg, head: &Type) {
        match head {
            // The argument was elaborated as a size or type already.
            Type::Pi(_) if !arg.piped => {}
            Type::Error if !self.is_type_level(arg.term) => {
                self.synth(arg.term);
            }
            _ if !self.is_type_level(arg.term) => {
                self.without_diagnostics(|this| this.synth(arg.term));
            }
            _ => {}
        }
    }

    /// Infers something that depends on an error: types are recorded; messages, holes, equations
    /// between sizes and constraints on accesses are discarded.
    pub(super) fn without_diagnostics<T>(&mut self, look: impl FnOnce(&mut Self) -> T) -> T {
        let (diagnostics, holes) = (self.diagnostics.len(), self.holes.len());
        let (accesses, equations) = (self.accesses.len(), self.equations.clone());
        self.quiet += 1;
        let result = look(self);
        self.quiet -= 1;
        self.diagnostics.truncate(diagnostics);
        self.holes.truncate(holes);
        self.accesses.truncate(accesses);
        self.equations = equations;
        result
    }

    /// Infers something again to explain an error; as [`Infer::without_diagnostics`], and name
    /// uses, literals, new unification variables and conditions are discarded too.
    pub(super) fn reinfer<T>(&mut self, look: impl FnOnce(&mut Self) -> T) -> T {
        let (uses, literals, inserted) =
            (self.uses.len(), self.literals.len(), self.inserted.len());
        let obligations = self.obligations.len();
        let result = self.without_diagnostics(look);
        self.uses.truncate(uses);
        self.literals.truncate(literals);
        self.inserted.truncate(inserted);
        self.obligations.truncate(obligations);
        result
    }

    /// Checks the piped values in `waiting` and removes them from it. Returns false if one did not
    /// fit.
    fn piped_first(&mut self, spine: &Spine, waiting: &mut Vec<DeferredArg>) -> bool {
        let (piped, rest): (Vec<_>, Vec<_>) = std::mem::take(waiting)
            .into_iter()
            .partition(|w| w.arg.piped);
        *waiting = rest;
        self.check_waiting(spine, piped)
    }

    /// In DPIA, checks the arguments in `waiting` other than `fun`s and `depFun`s and removes them
    /// from it, before the expected result is considered: `split(s, xs)` has the sizes of `xs`,
    /// whatever its context. Returns false if one did not fit. In RISE it does nothing and returns
    /// true.
    fn values_first(&mut self, spine: &Spine, waiting: &mut Vec<DeferredArg>) -> bool {
        if !self.in_dpia() {
            return true;
        }
        let (values, functions): (Vec<_>, Vec<_>) = std::mem::take(waiting)
            .into_iter()
            .partition(|w| !self.is_lambda(w.arg.term));
        *waiting = functions;
        self.check_waiting(spine, values)
    }

    pub(super) fn is_lambda(&self, term: TermId) -> bool {
        matches!(
            self.item.term(self.bare(term)).kind,
            TermKind::Fun { .. } | TermKind::DepFun { .. }
        )
    }

    /// Returns the explicit sizes that a function of type `ty` takes before `arg`, if the types of
    /// the local names among `arg` and the arguments after it determine all of these sizes, and the
    /// sizes mention only variables that are in scope and not shadowed. Returns `None` if `ty` also
    /// takes other explicit type-level arguments there.
    fn missing_sizes(&self, spine: &Spine, arg: SpineArg, ty: &Ty) -> Option<MissingSizes> {
        let given = spine.args.iter().skip_while(|other| other.term != arg.term);
        let type_of = |other: &SpineArg| match &self.item.term(self.bare(other.term)).kind {
            TermKind::Name(name) => match self.lookup(name).map(|local| &local.meaning) {
                Some(LocalBinding::Value(found)) => Some(self.table.ty(found)),
                _ => None,
            },
            _ => None,
        };
        let texts = self.sizes_before(ty, given.map(type_of))?;
        let list = self.item.terms.iter().find_map(|term| match &term.kind {
            TermKind::Apply { callee, args } if args.contains(&arg.term) => Some((*callee, args)),
            _ => None,
        });
        let calls: String = texts.iter().map(|size| format!("({size})")).collect();
        let before = spine.args.iter().take_while(|other| other.term != arg.term);
        let given: Vec<String> = before.map(|other| self.source(other.term)).collect();
        let call = given.iter().fold(self.source(spine.head), |call, given| {
            format!("{call}({given})")
        });
        let (at, text) = match list.filter(|_| !arg.piped) {
            Some((callee, args)) if args.first() == Some(&arg.term) => {
                (self.span(callee).end, calls.clone())
            }
            Some(_) => {
                let among: String = texts.iter().map(|size| format!("{size}, ")).collect();
                (self.span(arg.term).start, among)
            }
            None => (self.span(spine.after(given.len())).end, calls.clone()),
        };
        Some(MissingSizes {
            call: call + &calls,
            edit: (syntax::Span::empty(at), text),
        })
    }

    /// Returns the texts of the explicit sizes that a function of type `ty` takes before values of
    /// the types `given`, as far as these are known, if they determine all of these sizes, and the
    /// sizes mention only variables that are in scope. Returns `None` if `ty` also takes other
    /// explicit type-level arguments there.
    pub(super) fn sizes_before(
        &self,
        ty: &Ty,
        given: impl Iterator<Item = Option<Ty>>,
    ) -> Option<Vec<String>> {
        let mut ty = ty.clone();
        let mut wanted = Vec::new();
        while let Type::Pi(pi) = &*ty.clone() {
            match (pi.implicit, pi.kind) {
                (true, _) => {}
                (false, Kind::Nat) => wanted.push(pi.var),
                (false, _) => return None,
            }
            ty = pi.body.clone();
        }
        let mut known: Vec<(Var, Nat)> = Vec::new();
        for found in given {
            let Type::Fun(param, rest) = &*ty.clone() else {
                break;
            };
            if let Some(found) = found {
                lengths(param, &found, &mut known);
            }
            ty = rest.clone();
        }
        let in_scope = |nat: &Nat| {
            let mut all = true;
            nat.for_each_var(&mut |var| {
                let named = self.lookup(&self.name_of(var)).map(|local| &local.meaning);
                all &= matches!(named, Some(LocalBinding::TypeLevel(own, _)) if *own == var);
            });
            all
        };
        let texts = wanted.iter().map(|var| {
            let (_, size) = known
                .iter()
                .find(|(known, size)| known == var && in_scope(size))?;
            Some(self.show_nat(size))
        });
        texts.collect()
    }

    /// Takes one argument of a function of type `ty`, and returns the type of the function after
    /// it. Returns `None` after an error, also if the type takes no argument.
    fn take_argument(
        &mut self,
        spine: &Spine,
        arg: SpineArg,
        ty: Ty,
        waiting: &mut Vec<DeferredArg>,
        obligations: &mut Vec<InheritedCondition>,
    ) -> Option<Ty> {
        let ty = self.instantiate_prefix(ty, spine.head);
        match &*ty {
            Type::Fun(expected, rest) => {
                waiting.push(DeferredArg {
                    arg,
                    expected: expected.clone(),
                });
                Some(rest.clone())
            }
            Type::Pi(pi) if arg.piped => {
                let sizes = self.missing_sizes(spine, arg, &ty);
                let before = spine.args.iter().take_while(|other| other.term != arg.term);
                let stage = spine.after(before.count());
                self.missing_explicit(spine.head, stage, pi, sizes);
                None
            }
            Type::Pi(pi) if pi.kind == Kind::Nat && self.is_plainly_value(arg.term) => {
                let sizes = self.missing_sizes(spine, arg, &ty);
                self.value_for_size(arg.term, spine.head, sizes);
                None
            }
            Type::Pi(pi) => {
                let value = self.elab_arg(arg.term, pi.kind, spine.head)?;
                let put = |v: Var| (v == pi.var).then(|| value.clone());
                for inherited in obligations.iter_mut() {
                    inherited.prop = subst_prop(&inherited.prop, &put);
                }
                if self.made_for(pi.var, spine.head) {
                    self.solve_var(pi.var, value.clone());
                }
                if let Some(broken) = obligations.iter().find(|o| plainly_false(&o.prop)) {
                    let (prop, source) = (broken.prop.clone(), broken.source.clone());
                    self.condition_fails(&prop, self.span(arg.term), Some(&source));
                    return None;
                }
                Some(self.instance(pi, &value))
            }
            Type::Var(var) if self.table.is_open(*var) => {
                let ready = std::mem::take(waiting);
                let said = self.diagnostics.len();
                self.check_waiting(spine, ready);
                if self.diagnostics.len() > said {
                    // The type of the call depends on the argument that does not fit.
                    return None;
                }
                let again = self.table.head(&ty);
                if !matches!(&*again, Type::Var(v) if self.table.is_open(*v)) {
                    return self.take_argument(spine, arg, again, waiting, obligations);
                }
                self.apply_unknown(spine, arg, &again, waiting)
            }
            Type::Error => None,
            _ => {
                if !self.reported_size(spine, waiting) {
                    let ready = std::mem::take(waiting);
                    // The message shows the type of the result, which depends on the arguments.
                    self.without_diagnostics(|this| this.check_waiting(spine, ready));
                    self.not_a_function(spine, arg, &ty);
                }
                None
            }
        }
    }

    /// Reports a size in the position of an array or a function: a first argument, or a dimension
    /// that is not written first. Returns false if it reports none.
    fn reported_size(&mut self, spine: &Spine, waiting: &[DeferredArg]) -> bool {
        let is_misplaced = |waiting: &&DeferredArg| {
            let expected = self.table.head(&waiting.expected);
            let is_other = matches!(&*expected, Type::Array(..) | Type::Fun(..));
            is_other && !waiting.arg.piped && self.is_size_name(waiting.arg.term)
        };
        let Some(at) = waiting.iter().position(|waiting| is_misplaced(&waiting)) else {
            return false;
        };
        let DeferredArg { arg, expected } = &waiting[at];
        let (extra, expected) = (arg.term, expected.clone());
        if self.may_take(spine.head, OptionalArgument::Dimension) && at == 0 {
            self.unknown_dimension(spine.head, extra);
        } else if self.may_take(spine.head, OptionalArgument::Dimension) {
            self.comes_first("dimension", spine.head, extra);
        } else if at == 0 {
            self.one_size_too_many(spine, extra, &expected);
        } else {
            return false;
        }
        true
    }

    /// Returns true if a term is a number without suffix or the name of a size.
    pub(super) fn is_size_name(&self, term: TermId) -> bool {
        let is_bound = |name: &syntax::ast::Name| {
            let local = self.lookup(name);
            local
                .is_some_and(|local| matches!(local.meaning, LocalBinding::TypeLevel(_, Kind::Nat)))
        };
        self.literal_nat(term).is_some() || self.source_name(term).is_some_and(is_bound)
    }

    /// Unifies the unknown type of a callee with a function type of new unification variables,
    /// defers the argument, and returns the result type. Returns `None` after an error.
    fn apply_unknown(
        &mut self,
        spine: &Spine,
        arg: SpineArg,
        ty: &Ty,
        waiting: &mut Vec<DeferredArg>,
    ) -> Option<Ty> {
        let from = self.open_type("s", Classes::ANY, arg.term);
        let to = self.open_type("t", Classes::ANY, arg.term);
        let fun = Arc::new(Type::Fun(from.clone(), to.clone()));
        let cause = Cause::context(self.span(spine.head));
        if self.try_unify(ty, &fun, cause).is_err() {
            self.not_a_function(spine, arg, ty);
            return None;
        }
        waiting.push(DeferredArg {
            arg,
            expected: from,
        });
        Some(to)
    }

    /// Checks the arguments, those other than `fun`s and `depFun`s first. After one that does not
    /// fit, the others are checked without messages. Returns true if all fit.
    fn check_waiting(&mut self, spine: &Spine, waiting: Vec<DeferredArg>) -> bool {
        let mut fine = true;
        let (funs, values): (Vec<_>, Vec<_>) = waiting
            .into_iter()
            .partition(|w| self.is_lambda(w.arg.term));
        for DeferredArg { arg, expected } in values.into_iter().chain(funs) {
            let (head, term) = (spine.head, arg.term);
            let cause = match arg.piped {
                true => Cause::new(self.span(head), CauseCode::Piped { head, value: term }),
                false => Cause::new(self.span(term), CauseCode::Argument { head, term }),
            };
            fine = if !fine {
                self.without_diagnostics(|this| this.check(arg.term, &expected, cause));
                false
            } else if arg.piped {
                let found = self.synth(arg.term);
                self.demand(&expected, &found, cause)
            } else {
                let clashes = self.clashes;
                self.check(arg.term, &expected, cause);
                self.clashes == clashes
            };
        }
        fine
    }

    /// Recovers from an error: infers the arguments from number `from` on that are no type-level
    /// terms, and returns the error type.
    pub(super) fn abandon(&mut self, spine: &Spine, from: usize) -> Ty {
        for arg in spine.args.iter().skip(from) {
            if !self.is_type_level(arg.term) {
                self.synth(arg.term);
            }
        }
        for &(term, _) in &spine.results {
            self.set(term, TermInfo::Unknown);
        }
        self.broken()
    }

    // ----- heads -----

    pub(super) fn head_of(&mut self, term: TermId, args: usize) -> Option<Head> {
        let item = self.item;
        let name = match &item.term(term).kind {
            TermKind::Operator(op) => {
                return match operator_primitive(*op) {
                    Some(primitive) if self.in_dpia() => self.phrase_head(primitive.name(), term),
                    Some(primitive) => Some(self.primitive_head(primitive, term)),
                    None => {
                        let message = format!(
                            "`({})` is not a function: write a `fun` whose body uses the operator",
                            op.as_str()
                        );
                        self.error(syntax::codes::SYNTAX_ERROR, self.span(term), message);
                        None
                    }
                };
            }
            TermKind::Name(name) => name,
            _ => return None,
        };
        if let Some(local) = self.lookup(name).cloned() {
            self.uses.push(NameUse::plain(term, local.target));
            return match local.meaning {
                LocalBinding::Value(ty) => {
                    let (ty, obligations) = self.without_conditions(&ty, term);
                    Some(Head::value(ty, obligations))
                }
                LocalBinding::TypeLevel(var, kind) => self.type_level_head(term, var, kind, args),
                LocalBinding::Broken => None,
            };
        }
        match self.env.resolve(name) {
            Resolution::Def(id, scheme) => {
                Some(self.scheme_head(term, &scheme, Target::Global(id), None))
            }
            Resolution::Broken(id) => {
                if let Some(id) = id {
                    let target = Target::Global(id);
                    self.uses.push(NameUse::plain(term, target));
                }
                None
            }
            Resolution::Ambiguous(ids) => {
                self.ambiguous(term, name, &ids);
                None
            }
            Resolution::Unknown if self.in_dpia() => {
                let head = self.phrase_head(name, term);
                if head.is_none() {
                    self.unknown_name(term, name);
                }
                head
            }
            Resolution::Unknown => match Primitive::from_name(name) {
                Some(primitive) => Some(self.primitive_head(primitive, term)),
                None => {
                    self.unknown_name(term, name);
                    None
                }
            },
        }
    }

    fn primitive_head(&mut self, primitive: Primitive, term: TermId) -> Head {
        let scheme = library_scheme(primitive);
        self.scheme_head(term, scheme, Target::Primitive(primitive), Some(primitive))
    }

    fn scheme_head(
        &mut self,
        term: TermId,
        scheme: &Scheme,
        target: Target,
        primitive: Option<Primitive>,
    ) -> Head {
        let (ty, obligations, implicits) = self.instantiate(scheme, term);
        if primitive.is_some_and(Primitive::is_on_floats) {
            self.restrict_to_floats(&implicits);
        }
        self.uses.push(NameUse {
            term,
            target,
            implicits,
        });
        Head {
            ty,
            primitive,
            phrase: None,
            obligations,
        }
    }

    fn type_level_head(&mut self, term: TermId, var: Var, kind: Kind, args: usize) -> Option<Head> {
        if kind == Kind::Nat && args == 0 {
            let ty = self.size_as_value(term, &Nat::var(var));
            return Some(Head::value(ty, Vec::new()));
        }
        let text = self.source(term);
        let what = match kind {
            Kind::Nat => "a size, not a function".to_owned(),
            _ => format!("a {}, not a value", kind_noun(kind)),
        };
        let message = format!("`{text}` is {what}");
        self.error(codes::KIND_MISMATCH, self.span(term), message);
        None
    }
}
