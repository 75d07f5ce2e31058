//! The end of inference: the decision of the remaining equations, the generalisation over unsolved
//! variables, and the results with all solutions applied.

use std::cell::RefCell;
use std::sync::Arc;

use nat::{Facts, Nat, Prop, Solution, Var, Verdict};
use rustc_hash::FxHashMap;
use syntax::ast::{Kind, Name, TermId};
use syntax::codes;

use super::Infer;
use super::report::EquationFailure;
use super::unify::{for_each_var, vars_of};
use crate::subst::{map_sizes, rename, rename_prop};
use crate::types::{Arg, Names, Obligation, Pi, Scheme, Ty, Type};
use crate::{BinderInfo, Inference, NameUse, TermInfo};

impl Infer<'_> {
    pub(super) fn finish(mut self, ty: Ty) -> Inference {
        self.assume_remaining();
        self.solve_deferred();
        self.solve_deferred_quotients();
        self.decide_equations();
        let ty = self.unless_too_large(ty);
        let open = self.open_vars(&self.table.ty(&ty));
        self.default_literals(&|v| open.contains(&v));
        self.decide_accesses();
        self.report_holes();
        let mut of_rounds = self.conditions_of_rounds();
        let judged = self.judge_obligations();
        if self.failed() {
            of_rounds.clear();
        }
        let (obligations, written) = judged.into_iter().unzip();
        let obligations: Vec<Obligation> = obligations;
        self.known = SizeSimplifier::under(&obligations, &of_rounds);
        let ty = self.settle_implicit_kinds(&self.read(&ty));
        let ty = self.generalised(&ty);
        self.check_in_place(&ty);
        self.report_undetermined();
        self.report_unused_values();
        self.report_unknown_phrases();
        self.report_assumed_conditions(&obligations, written);
        let names = self.all_names();
        let scheme = self.scheme(&ty, &obligations, &names);
        self.diagnostics.sort_by_key(|d| (d.severity, d.span.start));
        self.inference(scheme, obligations, of_rounds, names)
    }

    /// Takes the results out of the state of inference, with the solutions applied.
    pub(super) fn inference(
        &mut self,
        scheme: Scheme,
        obligations: Vec<Obligation>,
        of_rounds: Vec<Prop>,
        names: Names,
    ) -> Inference {
        Inference {
            scheme: Arc::new(scheme),
            terms: self.read_terms(),
            binders: self.read_binders(),
            generalised: std::mem::take(&mut self.generalised),
            patterns: std::mem::take(&mut self.patterns),
            instantiated: self.read_instantiated(),
            uses: self.read_uses(),
            diagnostics: std::mem::take(&mut self.diagnostics),
            obligations,
            of_rounds,
            names,
        }
    }

    /// Returns the type of the item; the error type if the item has no written type and an inferred
    /// type in it was too large: otherwise each use of the item would be too large for the same
    /// reason.
    fn unless_too_large(&self, ty: Ty) -> Ty {
        let is_written = self.item.whole_type().is_some();
        let is_too_large = self.diagnostics.iter().any(|d| d.code == codes::TOO_DEEP);
        if is_too_large && !is_written {
            return self.broken();
        }
        ty
    }

    /// Makes the scheme of a signature without a body.
    pub(super) fn declared_scheme(mut self, ty: &Ty) -> Scheme {
        let judged = self.judge_obligations();
        let obligations: Vec<Obligation> = judged.into_iter().map(|(o, _)| o).collect();
        let names = self.all_names();
        self.scheme(&self.table.ty(ty), &obligations, &names)
    }

    // ----- equations between sizes -----

    /// Proves or reports each remaining equation between sizes, at most one for each pair of types.
    /// Consequences of a reported equation are not reported.
    fn decide_equations(&mut self) {
        let mut wrong: Vec<Prop> = Vec::new();
        let mut reported = None;
        let mut undetermined = Vec::new();
        let mut equations: Vec<_> = std::mem::take(&mut self.equations)
            .into_iter()
            .map(|equation| {
                let (a, b) = self.table.sides(&equation);
                (equation, a, b)
            })
            .collect();
        // If one mistake follows from another, the simpler one is reported.
        let simple = |n: &Nat| n.as_var().is_some() || n.as_const().is_some();
        equations.sort_by_key(|(_, a, b)| !(simple(a) && simple(b)));
        for (equation, a, b) in equations {
            let vars = vars_of([&a, &b]);
            let mut facts: Facts = (*self.facts_for(&vars)).clone();
            // Consequences of a reported mistake are not reported.
            for prop in &wrong {
                facts.assume(prop);
            }
            let prop = Prop::Equal(a.clone(), b.clone());
            let has_open = vars.iter().any(|&v| self.table.is_open(v));
            let outcome = if has_open {
                self.decide_open(&a, &b, &facts)
            } else {
                match facts.prove(&prop) {
                    Verdict::Proved => None,
                    Verdict::Refuted(witness) => Some(EquationFailure::Differ(witness)),
                    Verdict::Unknown => Some(EquationFailure::Undecided),
                }
            };
            let Some(outcome) = outcome else { continue };
            wrong.push(prop);
            if matches!(outcome, EquationFailure::Open) {
                undetermined.push((equation.demand, a, b));
                continue;
            }
            let quiet = reported == Some(equation.demand)
                || (has_open && self.failed() && !matches!(outcome, EquationFailure::Impossible));
            reported = Some(equation.demand);
            if !quiet {
                self.report_sizes(equation.demand, &a, &b, outcome);
            }
        }
        // Another mistake may be the reason why a size is undetermined.
        if let Some((demand, a, b)) = undetermined.first()
            && !self.failed()
        {
            self.report_sizes(*demand, a, b, EquationFailure::Open);
        }
    }

    fn decide_open(&mut self, a: &Nat, b: &Nat, facts: &Facts) -> Option<EquationFailure> {
        let table = &self.table;
        let open = |v: Var| table.is_open(v) && table.info(v).kind == Kind::Nat;
        let solution = nat::solve(a, b, facts, &open, &|x, v| table.visible(x, v));
        match solution {
            Solution::Trivial => None,
            Solution::Refuted(_) => Some(EquationFailure::Impossible),
            Solution::Solved(_) | Solution::Stuck => Some(EquationFailure::Open),
        }
    }

    // ----- parameters -----

    fn open_vars(&self, ty: &Ty) -> Vec<Var> {
        let mut found = Vec::new();
        for_each_var(ty, &mut |v| {
            if self.table.is_open(v) && !found.contains(&v) {
                found.push(v);
            }
        });
        found
    }

    /// Generalises the type over its remaining unification variables, which become leading implicit
    /// parameters.
    fn generalised(&mut self, ty: &Ty) -> Ty {
        let open = self.open_vars(ty);
        let mut used = self.names_in(ty);
        let mut kinds = Vec::with_capacity(open.len());
        for &var in &open {
            let info = self.table.info(var);
            let kind = match info.kind {
                Kind::Nat | Kind::AddrSp | Kind::Nat2Nat | Kind::Nat2Data | Kind::ReadWrite => {
                    info.kind
                }
                _ => match info.classes.to_kind() {
                    Some(kind) => kind,
                    None => {
                        self.report_no_kind(var);
                        Kind::Num
                    }
                },
            };
            if kind == Kind::AddrSp {
                self.report_no_address(var);
            }
            let name = fresh_name(&self.table.info(var).name, kind, &used);
            used.push(name.clone());
            self.table.update(var).name = name;
            kinds.push((var, kind));
        }
        self.generalised_vars.extend(open);
        kinds
            .into_iter()
            .rev()
            .fold(ty.clone(), |body, (var, kind)| {
                Arc::new(Type::Pi(Pi::new(var, kind, true, body)))
            })
    }

    /// Returns the names that the type binds.
    fn names_in(&self, ty: &Type) -> Vec<Name> {
        let mut names = Vec::new();
        for_each_binder(ty, &mut |v| names.push(self.table.info(v).name.clone()));
        names
    }

    /// Reports unification variables of uses that were neither solved nor generalised, unless there
    /// is an error already.
    pub(super) fn report_undetermined(&mut self) {
        if self.failed() {
            return;
        }
        let mut reported = Vec::new();
        for (var, term) in std::mem::take(&mut self.inserted) {
            if self.table.is_open(var)
                && !self.generalised_vars.contains(&var)
                && !reported.contains(&term)
            {
                reported.push(term);
                self.undetermined(var, term);
            }
        }
    }

    // ----- results -----

    /// Applies the solutions to a type and simplifies its sizes under the item's conditions.
    fn read(&self, ty: &Ty) -> Ty {
        let ty = self.table.ty(ty);
        match &self.known {
            Some(sizes) => map_sizes(&ty, &|n| sizes.get(n)),
            None => ty,
        }
    }

    fn read_arg(&self, arg: &Arg) -> Arg {
        match (self.table.arg(arg), &self.known) {
            (Arg::Nat(n), Some(sizes)) => Arg::Nat(sizes.get(&n)),
            (Arg::Type(ty), Some(_)) => Arg::Type(self.read(&ty)),
            (arg, _) => arg,
        }
    }

    /// Returns the names of all variables. Unification variables that are neither solved nor
    /// generalised have the empty name.
    pub(super) fn all_names(&self) -> Names {
        let names: Vec<Name> = (self.table.vars())
            .map(|var| {
                if self.table.is_open(var) && !self.generalised_vars.contains(&var) {
                    Name::default()
                } else {
                    self.table.info(var).name.clone()
                }
            })
            .collect();
        Names(names.into())
    }

    /// Makes the scheme with variables numbered from 0 in the order of the type, so that
    /// alpha-equivalent schemes are equal.
    fn scheme(&self, ty: &Ty, obligations: &[Obligation], names: &Names) -> Scheme {
        let mut order: Vec<Var> = Vec::new();
        for_each_binder(ty, &mut |v| {
            if !order.contains(&v) {
                order.push(v);
            }
        });
        for_each_var(ty, &mut |v| {
            if !order.contains(&v) {
                order.push(v);
            }
        });
        let mut props: Vec<&Prop> = Vec::new();
        for obligation in obligations {
            if !props.contains(&&obligation.prop) {
                props.push(&obligation.prop);
                collect_prop_vars(&obligation.prop, &mut order);
            }
        }
        // Sorted by the parameters that they mention.
        props.sort_by_key(|prop| {
            let mut last = 0;
            prop.for_each_var(&mut |v| {
                last = last.max(order.iter().position(|&o| o == v).unwrap_or(0));
            });
            last
        });
        let numbers: FxHashMap<Var, Var> = order
            .iter()
            .enumerate()
            .map(|(i, &v)| (v, Var(i as u32)))
            .collect();
        let map = |v: Var| numbers.get(&v).copied().unwrap_or(Var(u32::MAX >> 1));
        Scheme {
            ty: rename(ty, &map),
            obligations: props.into_iter().map(|p| rename_prop(p, &map)).collect(),
            names: Names(order.iter().map(|&v| names.get(v)).collect()),
            literals: self
                .generic_literals
                .iter()
                .filter_map(|(var, literal)| Some((*numbers.get(var)?, literal.clone())))
                .collect(),
        }
    }

    fn read_terms(&mut self) -> Box<[TermInfo]> {
        let terms = std::mem::take(&mut self.terms);
        terms
            .into_iter()
            .map(|info| match info {
                TermInfo::Unknown => TermInfo::Unknown,
                TermInfo::Expr(ty) if matches!(*ty, Type::Error) => TermInfo::Unknown,
                TermInfo::Expr(ty) => TermInfo::Expr(self.read(&ty)),
                TermInfo::Arg(arg) => TermInfo::Arg(self.read_arg(&arg)),
                TermInfo::Type(ty) => TermInfo::Type(self.read(&ty)),
            })
            .collect()
    }

    fn read_binders(&mut self) -> Box<[BinderInfo]> {
        let binders = std::mem::take(&mut self.binders);
        binders
            .into_iter()
            .map(|info| match info {
                BinderInfo::Value(ty) if matches!(*ty, Type::Error) => BinderInfo::Unknown,
                BinderInfo::Value(ty) => BinderInfo::Value(self.read(&ty)),
                other => other,
            })
            .collect()
    }

    fn read_instantiated(&mut self) -> FxHashMap<TermId, Vec<(Name, Arg)>> {
        let mut instantiated = std::mem::take(&mut self.instantiated);
        for (_, arg) in instantiated.values_mut().flatten() {
            *arg = self.read_arg(arg);
        }
        instantiated
    }

    fn read_uses(&mut self) -> Vec<NameUse> {
        let mut uses = std::mem::take(&mut self.uses);
        uses.sort_by_key(|u| self.span(u.term).start);
        for name_use in &mut uses {
            for (_, arg) in &mut name_use.implicits {
                *arg = self.read_arg(arg);
            }
        }
        uses
    }
}

/// A simplifier of sizes under the item's conditions, with a memo table, because the same few
/// sizes occur many times.
pub(super) struct SizeSimplifier {
    facts: Facts,
    seen: RefCell<FxHashMap<Nat, Nat>>,
}

impl SizeSimplifier {
    /// Makes the table; `None` if there are no conditions.
    fn under(obligations: &[Obligation], of_rounds: &[Prop]) -> Option<SizeSimplifier> {
        if obligations.is_empty() && of_rounds.is_empty() {
            return None;
        }
        let mut facts = Facts::new();
        for prop in obligations.iter().map(|o| &o.prop).chain(of_rounds) {
            facts.assume(prop);
        }
        let seen = RefCell::default();
        Some(SizeSimplifier { facts, seen })
    }

    fn get(&self, nat: &Nat) -> Nat {
        if nat.as_const().is_some() {
            return nat.clone();
        }
        if let Some(simple) = self.seen.borrow().get(nat) {
            return simple.clone();
        }
        let simple = self.facts.normalize(nat);
        self.seen.borrow_mut().insert(nat.clone(), simple.clone());
        simple
    }
}

/// Calls `f` for every variable that a type binds, outer binders before inner ones.
fn for_each_binder(ty: &Type, f: &mut dyn FnMut(Var)) {
    ty.binder().into_iter().for_each(&mut *f);
    ty.components().for_each(|part| for_each_binder(part, f));
}

fn collect_prop_vars(prop: &Prop, order: &mut Vec<Var>) {
    if let Prop::ForAll { var, prop, .. } = prop {
        if !order.contains(var) {
            order.push(*var);
        }
        collect_prop_vars(prop, order);
    }
    prop.for_each_var(&mut |v| {
        if !order.contains(&v) {
            order.push(v);
        }
    });
}

/// Returns the wanted name if it is longer than one letter and free, otherwise the first free one
/// of the kind's usual letters, or else the first of these letters with the first free number.
pub(super) fn fresh_name(wanted: &Name, kind: Kind, used: &[Name]) -> Name {
    let letters: &[&str] = match kind {
        Kind::Nat => &["n", "m", "k", "l", "p", "q"],
        Kind::Nat2Nat | Kind::Nat2Data => &["f", "g", "h"],
        Kind::AddrSp => &["a", "b"],
        _ => &["t", "s", "u", "v", "w"],
    };
    let free = |name: &str| !name.is_empty() && used.iter().all(|u| u != name);
    // Longer names are kept, because they carry a meaning; single letters of signatures are not.
    if wanted.chars().count() > 1 && free(wanted) {
        return wanted.clone();
    }
    if let Some(letter) = letters.iter().find(|letter| free(letter)) {
        return Name::new_static(letter);
    }
    (1..)
        .map(|i| Name::from(format!("{}{i}", letters[0])))
        .find(|name| free(name))
        .unwrap_or_default()
}
