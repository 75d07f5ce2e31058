//! Implements the rules of the library that patterns cannot express: the reduction of `idx`, total
//! lowering, δ-reduction and common subexpression elimination.

use std::fmt;

use rise::Primitive;
use rise::pattern::Parallelism;
use rise::types::{Arg, Type};
use rustc_hash::FxHashMap;
use syntax::ast::Literal;

use super::native::{first_part, is_closed};
use super::{List, Value};
use crate::engine::{Context, MismatchRank, Reason, Rewrite, Rewritten, Strategy};
use crate::lowering::{Choice, LoweringError, Schedule, contract_sums, lower};
use crate::rule::{self, Definitions};
use crate::term::{Head, Heads, Node, Store, Term};

/// Selects an element of a literal array: `makeArray(k)(a, b, …) |> idx(i)` becomes the element at
/// a constant `i`.
#[derive(Debug)]
pub(super) struct IdxReduction;

impl Rewrite for IdxReduction {
    fn name(&self) -> &str {
        "idxReduction"
    }

    fn apply(&self, context: &mut Context<'_>, term: Term) -> Result<Rewritten, MismatchRank> {
        let element = element(context.store, term);
        element.map(Rewritten::plain).ok_or(MismatchRank::LOWEST)
    }

    fn explain(&self, _: &mut Context<'_>, term: Term) -> Reason {
        Reason::Shape {
            expected: "makeArray(k)(a, b, …) |> idx(i), with a constant i".into(),
            found: term,
        }
    }

    fn heads(&self) -> Heads {
        Heads::of([Head::primitive(Primitive::Idx)])
    }
}

fn element(store: &Store, term: Term) -> Option<Term> {
    let Node::Apply(indexed, array) = store.node(term) else {
        return None;
    };
    let Node::Apply(idx, index) = store.node(indexed) else {
        return None;
    };
    let Node::Primitive(Primitive::Idx, _) = store.node(idx) else {
        return None;
    };
    let index = constant(store, index)?;
    let mut elements = Vec::new();
    let mut here = array;
    while let Node::Apply(f, x) = store.node(here) {
        elements.push(x);
        here = f;
    }
    let Node::Primitive(Primitive::MakeArray, _) = store.node(here) else {
        return None;
    };
    let Type::Array(..) = **store.type_of(array) else {
        return None;
    };
    elements.reverse();
    elements.get(index).copied()
}

/// Returns the value of a constant index: a literal, a constant size as a value, or
/// `natAsIndex(n)(i)` of a constant `i`; `None` for other terms.
fn constant(store: &Store, term: Term) -> Option<usize> {
    match store.node(term) {
        Node::Literal(literal) => match store.literal_of(literal) {
            Literal::Int { value, .. } => usize::try_from(*value).ok(),
            _ => None,
        },
        Node::Nat(arg) => match store.arg(arg) {
            Arg::Nat(nat) => usize::try_from(nat.as_const()?).ok(),
            _ => None,
        },
        Node::Apply(f, index) => match store.node(f) {
            Node::Primitive(Primitive::NatAsIndex, _) => constant(store, index),
            _ => None,
        },
        _ => None,
    }
}

/// Total lowering for this parallelism: chooses an implementation for every pattern of a program
/// that leaves it open.
#[derive(Debug)]
pub(super) struct Implement {
    parallelism: Parallelism,
    /// True if sums of products are contracted.
    contracts: bool,
    /// The places for which the choice is given.
    given: Vec<(Choice, Vec<String>)>,
    /// The given choices, as they are written.
    shown: String,
}

impl Implement {
    /// Returns the lowering that makes these choices, each a list of places, in the order of
    /// [`Choice::of`]; `None` if an argument is no list of strings.
    pub(super) fn new<'a>(
        parallelism: Parallelism,
        contracts: bool,
        mut lists: impl Iterator<Item = Option<&'a List>>,
    ) -> Option<Implement> {
        let mut given = Vec::new();
        for choice in Choice::of(parallelism) {
            let places = lists.next()??.elements().iter().map(|place| match place {
                Value::String(place) => Some(place.to_string()),
                _ => None,
            });
            given.push((choice, places.collect::<Option<Vec<String>>>()?));
        }
        Some(Implement {
            parallelism,
            contracts,
            shown: arguments(contracts, &given),
            given,
        })
    }

    /// Lowers a program, and returns it with the choices that were made.
    fn lower(&self, store: &mut Store, term: Term) -> Result<(Term, Schedule), LoweringError> {
        let mut schedule = Schedule::new(&self.given)?;
        let lowered = lower(store, term, self.parallelism, self.contracts, &mut schedule)?;
        Ok((lowered, schedule))
    }
}

impl Rewrite for Implement {
    fn name(&self) -> &str {
        match self.parallelism {
            Parallelism::Sequential => "implementInOrder",
            Parallelism::Threads => "implementForThreads",
            Parallelism::WorkItems => "implementForWorkItems",
        }
    }

    fn args(&self) -> &str {
        &self.shown
    }

    fn apply(&self, context: &mut Context<'_>, term: Term) -> Result<Rewritten, MismatchRank> {
        let lowered = self.lower(context.store, term);
        let (term, schedule) = lowered.map_err(|_| MismatchRank::LOWEST)?;
        let made = schedule.made(Choice::of(self.parallelism));
        let arguments = arguments(self.contracts, &made);
        Ok(Rewritten {
            explicit: Some(format!("{}{arguments}", self.name()).into()),
            ..Rewritten::plain(term)
        })
    }

    fn explain(&self, context: &mut Context<'_>, term: Term) -> Reason {
        why_not_lowered(self.lower(context.store, term).err())
    }
}

/// Returns the arguments of a lowering as they are written; nothing if all are the defaults.
fn arguments(contracts: bool, lists: &[(Choice, Vec<String>)]) -> String {
    let contracts = contracts.then(|| "contracts = true".to_owned());
    let lists = (lists.iter())
        .filter(|(_, places)| !places.is_empty())
        .map(|(choice, places)| format!("{} = {places:?}", choice.parameter()));
    let all: Vec<String> = contracts.into_iter().chain(lists).collect();
    match all.is_empty() {
        true => String::new(),
        false => format!("({})", all.join(", ")),
    }
}

/// Contraction of the sums of products in a program that is not lowered.
#[derive(Debug)]
pub(super) struct ContractSums;

impl Rewrite for ContractSums {
    fn name(&self) -> &str {
        "contractSums"
    }

    fn apply(&self, context: &mut Context<'_>, term: Term) -> Result<Rewritten, MismatchRank> {
        contract_sums(context.store, term)
            .map(Rewritten::plain)
            .map_err(|_| MismatchRank::LOWEST)
    }

    fn explain(&self, context: &mut Context<'_>, term: Term) -> Reason {
        why_not_lowered(contract_sums(context.store, term).err())
    }
}

/// Returns the reason of a failed attempt to lower a program, after a second attempt.
fn why_not_lowered(error: Option<LoweringError>) -> Reason {
    // A second attempt in a larger store fails for the same reason, or for its size.
    Reason::Message(error.unwrap_or(LoweringError::TooLarge).to_string())
}

/// δ-reduction: unfolds the name of a definition to its right side.
pub(super) struct Delta {
    definitions: Definitions,
}

impl Delta {
    pub(super) fn new(definitions: Definitions) -> Delta {
        Delta { definitions }
    }
}

impl fmt::Debug for Delta {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("delta")
    }
}

impl Rewrite for Delta {
    fn name(&self) -> &str {
        "delta"
    }

    fn apply(&self, context: &mut Context<'_>, term: Term) -> Result<Rewritten, MismatchRank> {
        if !matches!(context.store.node(term), Node::Global(..)) {
            return Err(MismatchRank::LOWEST);
        }
        let host = rule::Host::of(&self.definitions);
        let unfolded = rule::unfold(context, &host, term);
        unfolded
            .map(Rewritten::plain)
            .ok_or(MismatchRank { matched: 1 })
    }

    fn explain(&self, context: &mut Context<'_>, term: Term) -> Reason {
        match context.store.node(term) {
            Node::Global(..) => Reason::Message("the definition is not known".into()),
            _ => Reason::Shape {
                expected: "the name of a definition".into(),
                found: term,
            },
        }
    }

    fn heads(&self) -> Heads {
        Heads::of([Head::GLOBAL])
    }
}

/// Common subexpression elimination: `e` becomes `(fun(y => e[y/t]))(t)`, where `t` is the first
/// proper subterm, in pre-order, that is not a function, that contains no variable bound between it
/// and `e`, and on which a strategy succeeds. All occurrences of `t` are replaced.
#[derive(Debug)]
pub(super) struct SubexpressionElimination {
    find: Strategy,
    shown: String,
}

impl SubexpressionElimination {
    pub(super) fn new(find: Strategy) -> SubexpressionElimination {
        let shown = format!("({})", Value::Strategy(find.clone()).text(&|_| "_".into()));
        SubexpressionElimination { find, shown }
    }
}

impl Rewrite for SubexpressionElimination {
    fn name(&self) -> &str {
        "subexpressionElimination"
    }

    fn args(&self) -> &str {
        &self.shown
    }

    fn apply(&self, context: &mut Context<'_>, term: Term) -> Result<Rewritten, MismatchRank> {
        let found = first_part(context, term, &mut |context, part| {
            part != term
                && !context.store.is_function(part)
                && is_closed(context.store, part, term)
                && context.holds(&self.find, part)
        });
        let part = found.ok_or(MismatchRank::LOWEST)?;
        let store = &mut *context.store;
        let ty = store.ty(part);
        let local = store.fresh_local("x", ty);
        let variable = store.var(local);
        let body = replace(store, term, part, variable, &mut FxHashMap::default());
        let function = store.lambda(local, body);
        Ok(Rewritten::plain(store.apply(function, part)))
    }

    fn explain(&self, _: &mut Context<'_>, term: Term) -> Reason {
        Reason::Shape {
            expected: format!(
                "a part where `{:?}` succeeds, without variables that are bound on the way to it",
                self.find
            ),
            found: term,
        }
    }
}

/// Replaces every occurrence of a subterm in a term, up to α-equivalence. The recursion is as deep
/// as the term, at most [`crate::term::MAX_HEIGHT`].
fn replace(
    store: &mut Store,
    term: Term,
    part: Term,
    by: Term,
    known: &mut FxHashMap<Term, Term>,
) -> Term {
    if let Some(&new) = known.get(&term) {
        return new;
    }
    let same = store.size(term) == store.size(part) && store.alpha_eq(term, part);
    let new = match store.node(term) {
        _ if same => by,
        Node::Apply(f, x) => {
            let f = replace(store, f, part, by, known);
            let x = replace(store, x, part, by, known);
            store.apply(f, x)
        }
        Node::Lambda(local, body) => {
            let body = replace(store, body, part, by, known);
            store.lambda(local, body)
        }
        Node::DepLambda(var, kind, implicit, body) => {
            let body = replace(store, body, part, by, known);
            store.dep_lambda(var, kind, implicit, body)
        }
        Node::DepApply(f, arg) => {
            let f = replace(store, f, part, by, known);
            store.dep_apply(f, arg)
        }
        _ => term,
    };
    known.insert(term, new);
    new
}
