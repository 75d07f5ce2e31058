//! Defines the conditions of alternatives, and decides them for a match.

use std::sync::Arc;

use nat::{Facts, Nat, Prop, Verdict};
use rise::types::{Ty, Type};
use syntax::Span;
use syntax::ast::{Kind, ScalarType};

use super::condition_failure::ConditionFailure;
use super::mismatch::{MismatchDetail, MismatchReason};
use super::operator_laws::{self, Law};
use super::pattern::Pattern;
use super::template::Template;
use super::term_matching::Bindings;
use super::type_matching::{Observation, Solver, TypeSubstitution};
use super::{Ctx, RuleArg};
use crate::engine::Assumption;
use crate::term::{Child, Local, Node, Term};

/// The strength of the evidence that a condition requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strength {
    /// `where` and `requires`: the condition must be proved.
    Proved,
    /// `assuming`: the condition must not be refuted.
    Assumed,
}

/// A clause of an alternative with a condition.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Clause {
    pub strength: Strength,
    pub cond: Cond,
    pub span: Span,
    pub text: Arc<str>,
}

/// A sort of types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// All types but functions.
    Data,
    /// Truth values, numbers including `natType`, and indices.
    Scalar,
    /// Numbers including `natType`, and vectors of them.
    Num,
    Int,
    Float,
    /// Scalars, vectors, and pairs of them.
    Basic,
    /// Scalars and vectors.
    Copyable,
    /// All types but vectors, and arrays and pairs that contain vectors directly or in arrays and
    /// pairs.
    NotVector,
}

/// A condition. Its sizes and types use the variables of the pattern.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cond {
    All(Box<[Cond]>),
    Any(Box<[Cond]>),
    Not(Box<Cond>),
    Size(Prop),
    Differ(Nat, Nat),
    Sort(Sort, Ty),
    /// The variable of the pattern is not free in the term.
    NotIn(u16, Operand),
    /// The variable that is the value of a metavariable is not free in the term.
    NotInValue(u16, Operand),
    Law(Law, Operand),
    Neutral(Operand, Operand),
    Within(Box<Pattern>),
    Holds(u16, Operand),
    /// The condition is part of the types of the pattern, so it always holds.
    Given,
}

/// A term in a condition.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Operand {
    Slot(u16),
    Term(Box<Template>),
}

/// The truth value of a condition in three-valued logic.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Truth {
    /// The condition holds. For floating-point numbers it may hold up to rounding only, which the
    /// text states.
    True(Option<String>),
    /// The condition does not hold, for this reason.
    False(ConditionFailure),
    /// The condition is undecided, for this reason. The proposition is set if the condition is a
    /// single one about sizes that could be assumed.
    Unknown(ConditionFailure, Option<Prop>),
}

impl Truth {
    const HOLDS: Truth = Truth::True(None);

    fn of(holds: bool, otherwise: impl FnOnce() -> ConditionFailure) -> Truth {
        match holds {
            true => Truth::HOLDS,
            false => Truth::False(otherwise()),
        }
    }
}

impl Cond {
    /// Returns true if the condition depends on sizes and types only.
    pub fn is_type_level(&self) -> bool {
        match self {
            Cond::All(all) | Cond::Any(all) => all.iter().all(Cond::is_type_level),
            Cond::Not(cond) => cond.is_type_level(),
            Cond::Size(_) | Cond::Differ(..) | Cond::Sort(..) | Cond::Given => true,
            _ => false,
        }
    }

    /// Returns true if the condition depends only on sizes and types, and on the free variables of
    /// the values of metavariables.
    pub fn is_scope(&self) -> bool {
        match self {
            Cond::All(all) | Cond::Any(all) => all.iter().all(Cond::is_scope),
            Cond::Not(cond) => cond.is_scope(),
            Cond::NotIn(_, Operand::Slot(_)) => true,
            other => other.is_type_level(),
        }
    }

    /// Returns true if the condition contains an algebraic law: associativity, commutativity or
    /// neutrality.
    pub fn has_law(&self) -> bool {
        match self {
            Cond::All(all) | Cond::Any(all) => all.iter().any(Cond::has_law),
            Cond::Not(cond) => cond.has_law(),
            Cond::Law(..) | Cond::Neutral(..) => true,
            _ => false,
        }
    }
}

/// The results of a match on which conditions depend.
pub(super) struct Match<'m> {
    pub values: &'m TypeSubstitution,
    pub slots: &'m [Term],
    pub locals: &'m [Local],
    pub args: &'m [RuleArg],
}

/// Decides a clause, and adds its assumptions to `assumed`. Fails if a condition is refuted, or
/// undecided and [must be proved](Strength::Proved).
pub(super) fn decide(
    ctx: &mut Ctx<'_, '_>,
    facts: &Facts,
    clause: &Clause,
    found: &Match<'_>,
    assumed: &mut Vec<Assumption>,
) -> Result<(), MismatchReason> {
    let parts = match &clause.cond {
        Cond::All(parts) => &parts[..],
        one => std::slice::from_ref(one),
    };
    for part in parts {
        let fails = |refuted, reason: ConditionFailure| {
            let detail = MismatchDetail::Condition {
                span: clause.span,
                refuted,
                reason,
            };
            Err(MismatchReason::Detail(Arc::new(detail)))
        };
        let truth = truth(ctx, facts, part, found);
        match (truth, clause.strength) {
            (Truth::True(None), _) => {}
            (Truth::True(Some(remark)), _) => assumed.push(Assumption::Text(remark.into())),
            (Truth::False(reason), _) => return fails(true, reason),
            (Truth::Unknown(reason, _), Strength::Proved) => return fails(false, reason),
            (Truth::Unknown(_, Some(prop)), Strength::Assumed) => {
                assumed.push(Assumption::Size(prop));
            }
            (Truth::Unknown(..), Strength::Assumed) => {
                assumed.push(Assumption::Text(clause.text.clone()));
            }
        }
    }
    Ok(())
}

fn truth(ctx: &mut Ctx<'_, '_>, facts: &Facts, cond: &Cond, found: &Match<'_>) -> Truth {
    match cond {
        Cond::Given => Truth::HOLDS,
        Cond::All(all) => {
            let mut remark = None;
            let mut unknown = None;
            for cond in all {
                match truth(ctx, facts, cond, found) {
                    Truth::True(said) => remark = remark.or(said),
                    Truth::False(reason) => return Truth::False(reason),
                    Truth::Unknown(reason, _) => unknown = unknown.or(Some(reason)),
                }
            }
            match unknown {
                Some(reason) => Truth::Unknown(reason, None),
                None => Truth::True(remark),
            }
        }
        Cond::Any(all) => {
            let mut unknown = None;
            let mut reasons = Vec::new();
            for cond in all {
                match truth(ctx, facts, cond, found) {
                    Truth::True(said) => return Truth::True(said),
                    Truth::False(reason) => reasons.push(reason),
                    Truth::Unknown(reason, _) => unknown = unknown.or(Some(reason)),
                }
            }
            match unknown {
                Some(reason) => Truth::Unknown(reason, None),
                None => Truth::False(ConditionFailure::All(reasons)),
            }
        }
        Cond::Not(cond) => match truth(ctx, facts, cond, found) {
            Truth::True(_) => Truth::False(match &**cond {
                Cond::Within(pattern) => {
                    format!("the place is inside {}", pattern.outermost()).into()
                }
                _ => "the condition must not hold, and it holds".into(),
            }),
            Truth::False(_) => Truth::HOLDS,
            Truth::Unknown(reason, _) => Truth::Unknown(reason, None),
        },
        Cond::Size(prop) => size(facts, prop, found.values),
        Cond::Differ(a, b) => differ(facts, a, b, found.values),
        Cond::Sort(sort, ty) => match found.values.ty(ty) {
            Some(ty) => Truth::of(sort.holds(&ty), || ConditionFailure::Type(ty, sort.words())),
            None => Truth::Unknown("the type is not known".into(), None),
        },
        Cond::NotIn(local, operand) => {
            let local = found.locals[usize::from(*local)];
            not_in(ctx, local, operand, found)
        }
        Cond::NotInValue(slot, operand) => match ctx.cx.store.node(found.slots[usize::from(*slot)])
        {
            Node::Var(local) => not_in(ctx, local, operand, found),
            _ => Truth::False("the term is not a variable".into()),
        },
        Cond::Law(law, operand) => match term(ctx, operand, found) {
            Some(op) => operator_laws::law(ctx, *law, op),
            None => Truth::Unknown("the type of the term is not known here".into(), None),
        },
        Cond::Neutral(op, z) => match (term(ctx, op, found), term(ctx, z, found)) {
            (Some(op), Some(z)) => operator_laws::neutral(ctx, op, z),
            _ => Truth::Unknown("the type of the term is not known here".into(), None),
        },
        Cond::Within(pattern) => Truth::of(within(ctx, facts, pattern, found.args), || {
            format!("the place is not inside {}", pattern.outermost()).into()
        }),
        Cond::Holds(number, operand) => match term(ctx, operand, found) {
            Some(term) => {
                let holds = ctx.holds(usize::from(*number), term);
                Truth::of(holds, || ConditionFailure::Fails(term))
            }
            None => Truth::Unknown("the type of the term is not known here".into(), None),
        },
    }
}

fn size(facts: &Facts, prop: &Prop, values: &TypeSubstitution) -> Truth {
    let Some(prop) = values.prop(prop) else {
        return Truth::Unknown("a size in the condition is not known".into(), None);
    };
    if facts.proves(&prop) {
        return Truth::HOLDS;
    }
    if facts.excludes(&prop) {
        return Truth::False(ConditionFailure::Refuted(prop));
    }
    let wrong_for = match facts.prove(&prop) {
        Verdict::Proved => return Truth::HOLDS,
        Verdict::Refuted(sizes) if sizes.is_empty() => {
            return Truth::False(ConditionFailure::Refuted(prop));
        }
        Verdict::Refuted(sizes) => sizes,
        Verdict::Unknown => Vec::new(),
    };
    Truth::Unknown(
        ConditionFailure::Undecided(prop.clone(), wrong_for),
        Some(prop),
    )
}

fn differ(facts: &Facts, a: &Nat, b: &Nat, values: &TypeSubstitution) -> Truth {
    let (Some(a), Some(b)) = (values.nat(a), values.nat(b)) else {
        return Truth::Unknown("a size in the condition is not known".into(), None);
    };
    let equal = Prop::Equal(a, b);
    if facts.excludes(&equal) {
        Truth::HOLDS
    } else if facts.proves(&equal) {
        Truth::False("the sizes are equal".into())
    } else {
        Truth::Unknown("the sizes may be equal".into(), None)
    }
}

impl Sort {
    /// Returns the sort of a kind; `None` for kinds that do not restrict types.
    pub fn of_kind(kind: Kind) -> Option<Sort> {
        match kind {
            Kind::DataType => Some(Sort::Data),
            Kind::Scalar => Some(Sort::Scalar),
            Kind::Num => Some(Sort::Num),
            Kind::Int => Some(Sort::Int),
            Kind::Float => Some(Sort::Float),
            _ => None,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Sort::Data => "data",
            Sort::Scalar => "a scalar",
            Sort::Num => "a number",
            Sort::Int => "an integer",
            Sort::Float => "a floating-point number",
            Sort::Basic => "a scalar, a vector or a pair of these",
            Sort::Copyable => "a scalar or a vector",
            Sort::NotVector => "without vectors",
        }
    }

    fn holds(self, ty: &Ty) -> bool {
        let scalar = matches!(**ty, Type::Scalar(_) | Type::Index(_));
        let float = matches!(
            **ty,
            Type::Scalar(ScalarType::F16 | ScalarType::F32 | ScalarType::F64)
        );
        let int = matches!(**ty, Type::Scalar(s) if s != ScalarType::Bool) && !float;
        match self {
            Sort::Data => !matches!(**ty, Type::Fun(..) | Type::Pi(_)),
            Sort::Float => float,
            Sort::Int => int,
            Sort::Num => match &**ty {
                Type::Vector(_, elem) => self.holds(elem),
                _ => int || float,
            },
            Sort::Scalar => scalar,
            Sort::Copyable => scalar || matches!(**ty, Type::Vector(..)),
            Sort::Basic => match &**ty {
                Type::Vector(..) => true,
                Type::Pair(a, b) => self.holds(a) && self.holds(b),
                _ => scalar,
            },
            Sort::NotVector => match &**ty {
                Type::Vector(..) => false,
                Type::Array(_, elem) => self.holds(elem),
                Type::Pair(a, b) => self.holds(a) && self.holds(b),
                _ => true,
            },
        }
    }
}

fn not_in(ctx: &mut Ctx<'_, '_>, local: Local, operand: &Operand, found: &Match<'_>) -> Truth {
    match term(ctx, operand, found) {
        Some(term) => Truth::of(!ctx.cx.store.has_free(term, local), || {
            ConditionFailure::Occurs(local, term)
        }),
        None => Truth::Unknown("the type of the term is not known here".into(), None),
    }
}

fn term(ctx: &mut Ctx<'_, '_>, operand: &Operand, found: &Match<'_>) -> Option<Term> {
    match operand {
        Operand::Slot(slot) => found.slots.get(usize::from(*slot)).copied(),
        Operand::Term(template) => {
            let mut values = found.values.clone();
            let leaves = template
                .leaves(ctx.cx.store, ctx.cx.facts, &mut values)
                .ok()?;
            let (slots, locals) = (found.slots, found.locals);
            template.build(
                ctx.cx.store,
                &leaves,
                &values,
                slots,
                locals,
                (&mut Vec::new(), &mut Vec::new()),
            )
        }
    }
}

/// Returns true if the current term is inside the argument of a function that matches the pattern.
fn within(ctx: &mut Ctx<'_, '_>, facts: &Facts, pattern: &Pattern, args: &[RuleArg]) -> bool {
    let mut bound = Bindings::default();
    ctx.cx.enclosing().into_iter().any(|(node, child)| {
        let Node::Apply(function, _) = ctx.cx.store.node(node) else {
            return false;
        };
        child == Child::Argument
            && ctx.structure(pattern, args, function, &mut bound).is_ok()
            && solves(ctx, facts, pattern, args, &bound.found)
    })
}

/// Returns true if the second phase of a match succeeds for the observations of the first.
pub(super) fn solves(
    ctx: &Ctx<'_, '_>,
    facts: &Facts,
    pattern: &Pattern,
    args: &[RuleArg],
    found: &[Observation],
) -> bool {
    Solver::solve(ctx.cx.store, facts, pattern, args, found).is_ok()
}
