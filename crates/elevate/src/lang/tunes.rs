//! Handles `tune`s: resolves the values given to them, and checks their ranges and conditions.

use std::sync::Arc;

use nat::{Facts, Nat, Prop, Var};
use rise::codes;
use rustc_hash::FxHashSet;
use syntax::ast::{BinaryOp, Literal, Name, TermId, TermKind};
use syntax::elevate::ast::{
    CondId, CondKind, ExprKind, Item, ItemKind, Range, RangeKind, RangeStep,
};
use syntax::{Diagnostic, GlobalId, Span};

use super::check::{CaptureSource, Captured, Target};
use super::definition::{Definition, Definitions};
use super::eval::{EvalError, GlobalEnv};
use super::library::library;
use super::types::Type;

/// An error in the values given to `tune`s: a name that the strategy does not have or has several
/// times, or two values for one `tune`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TuneError {
    /// The message.
    pub message: String,
    /// Advice on how to correct it.
    pub help: String,
}

/// The conditions on the `tune`s of a run that neither hold nor fail for the known values.
#[derive(Debug, Default)]
pub(super) struct TuneConditions {
    /// The conditions that are propositions on size variables.
    pub props: Vec<Prop>,
    /// The conditions that no proposition expresses, each as text, with its variables.
    pub said: Vec<(String, Vec<Var>)>,
}

impl TuneConditions {
    /// Adds the propositions that contain a variable in `mentioned` to the obligations,
    /// transitively: the other variables of these propositions are added to `mentioned`. Then adds
    /// the texts of the other conditions with such a variable to `said`, and their variables to
    /// `mentioned`, in one pass.
    pub fn of(
        &self,
        mentioned: &mut FxHashSet<Var>,
        obligations: &mut Vec<Prop>,
        said: &mut Vec<String>,
    ) {
        let mut props: Vec<&Prop> = self.props.iter().collect();
        loop {
            let (now, later): (Vec<&Prop>, _) = props.into_iter().partition(|prop| {
                let mut touches = false;
                prop.for_each_var(&mut |var| touches |= mentioned.contains(&var));
                touches
            });
            if now.is_empty() {
                break;
            }
            for prop in now {
                prop.for_each_var(&mut |var| {
                    mentioned.insert(var);
                });
                if !obligations.contains(prop) {
                    obligations.push(prop.clone());
                }
            }
            props = later;
        }
        for (text, vars) in &self.said {
            if vars.iter().any(|var| mentioned.contains(var)) {
                mentioned.extend(vars);
                said.push(text.clone());
            }
        }
    }
}

/// Returns the definitions that a strategy refers to, directly or indirectly, including itself.
fn reached(strategy: &Arc<Definition>, definitions: &Definitions) -> FxHashSet<GlobalId> {
    let mut found = FxHashSet::from_iter([strategy.id]);
    let mut todo = vec![strategy.clone()];
    while let Some(definition) = todo.pop() {
        for used in &definition.checked.uses {
            if let Target::Item(id) = used.target
                && found.insert(id)
            {
                todo.extend(definitions.strategy(id));
            }
        }
    }
    found
}

/// Resolves the names of `tune`s to those that a strategy refers to, directly or indirectly; those
/// of the library come second. Fails if the strategy has no or several `tune`s of a name, or a
/// `tune` has two values.
pub(super) fn given(
    strategy: &Arc<Definition>,
    definitions: &Definitions,
    values: &[(Name, i64)],
) -> Result<Vec<(GlobalId, i64)>, TuneError> {
    if values.is_empty() {
        return Ok(Vec::new());
    }
    let reached = reached(strategy, definitions);
    let own = definitions.strategies.values();
    let own = own.filter(|definition| reached.contains(&definition.id));
    let own: Vec<_> = own.filter_map(named).collect();
    let shared: Vec<_> = (library().tunes())
        .filter(|id| reached.contains(id))
        .filter_map(|id| Some((id, library().item(id)?.name()?.name.clone())))
        .collect();
    let find = |name: &Name| {
        let all = |tunes: &[(GlobalId, Name)]| -> Vec<GlobalId> {
            let same = tunes.iter().filter(|(_, other)| other == name);
            same.map(|(id, _)| *id).collect()
        };
        let own = all(&own);
        if own.is_empty() { all(&shared) } else { own }
    };
    let mut found: Vec<(GlobalId, i64)> = Vec::new();
    for (name, value) in values {
        let known = || own.iter().chain(&shared).map(|(_, name)| name.as_str());
        match find(name)[..] {
            [id] if found.iter().any(|(other, _)| *other == id) => {
                return Err(TuneError {
                    message: format!("two values are given for `{name}`"),
                    help: "give one value".into(),
                });
            }
            [id] => found.push((id, *value)),
            [] => return Err(unknown(name, known())),
            _ => {
                return Err(TuneError {
                    message: format!(
                        "several files that the strategy uses define a size `{name}` with `tune`"
                    ),
                    help: "rename all of these sizes but one".into(),
                });
            }
        }
    }
    Ok(found)
}

fn unknown<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone) -> TuneError {
    let message = format!("the strategy has no `tune` with the name `{name}`");
    let mut names: Vec<&str> = known.clone().collect();
    names.sort_unstable();
    names.dedup();
    let help = match rise::closest(name, known) {
        Some(near) => format!("did you mean `{near}`?"),
        None if names.is_empty() => "the strategy has no `tune`".to_owned(),
        None => format!("its `tune`s are `{}`", names.join("`, `")),
    };
    TuneError { message, help }
}

fn named(definition: &Arc<Definition>) -> Option<(GlobalId, Name)> {
    match &definition.item.kind {
        ItemKind::Tune { name, .. } => Some((definition.id, name.as_ref()?.name.clone())),
        _ => None,
    }
}

/// Returns the open conditions on the `tune`s of the run, without those of the library. Fails if a
/// value is not in its range, a condition is refuted, or one cannot be evaluated. A `tune` with
/// errors is skipped unless it is given a value.
pub(super) fn needs(globals: &Arc<GlobalEnv>, facts: &Facts) -> Result<TuneConditions, EvalError> {
    let mut needs = TuneConditions::default();
    let mut all: Vec<_> = globals.definitions().strategies.values().collect();
    all.sort_by_key(|definition| definition.id.0);
    for definition in all {
        let ItemKind::Tune {
            name: Some(name),
            range,
            condition,
            ..
        } = &definition.item.kind
        else {
            continue;
        };
        let is_wrong = super::eval::has_errors(definition) && !globals.is_given(definition.id);
        if (range.is_none() && condition.is_none()) || is_wrong {
            continue;
        }
        let Some(own) = globals.value(definition.id)?.nat() else {
            continue;
        };
        let captured = &definition.checked.captured;
        let others = |name: &Name| -> Result<Option<Nat>, EvalError> {
            match captured.iter().find(|known| known.name == *name) {
                Some(known) => match known.source {
                    CaptureSource::Item(id) => Ok(globals.value(id)?.nat()),
                    CaptureSource::Local(_) => Ok(None),
                },
                None => Ok(None),
            }
        };
        let tune = Tune {
            item: &definition.item,
            text: &definition.text,
            name: &name.name,
            own,
            others: &others,
        };
        let checked = tune.check(range.as_ref(), *condition, facts, &mut needs);
        checked.map_err(|wrong| EvalError {
            at: Some((definition.id, name.span)),
            ..EvalError::from(wrong)
        })?;
    }
    Ok(needs)
}

/// Returns the error of a `tune`, as far as its own file determines it: an empty range, an unknown
/// name in its range or condition, or a value that does not fulfil them.
pub(super) fn wrong(item: &Item, text: &str, captured: &[Captured]) -> Option<Diagnostic> {
    let fails = |(span, message)| Diagnostic::error(codes::OBLIGATION_FAILS, span, message);
    if let Some(empty) = empty_range(item) {
        return Some(fails(empty));
    }
    let ItemKind::Tune {
        name: Some(name),
        range,
        condition,
        value,
        ..
    } = &item.kind
    else {
        return None;
    };
    let value = value.and_then(|value| {
        let value = item.expr(value);
        match value.kind {
            ExprKind::Literal(Literal::Int { value: own, .. }) => {
                Some((value.span, Nat::constant(i64::try_from(own).ok()?)))
            }
            _ => None,
        }
    });
    let own = Var(u32::MAX);
    let tune = Tune {
        item,
        text,
        name: &name.name,
        own: (value.as_ref()).map_or_else(|| Nat::var(own), |(_, value)| value.clone()),
        // The values of other sizes are not known here, so they are variables.
        others: &|name| {
            let at = captured.iter().position(|known| known.name == *name);
            let at = at.filter(|at| matches!(*captured[*at].ty, Type::Nat | Type::Int));
            Ok(at.map(|at| Nat::var(Var(at as u32))))
        },
    };
    if let Err(TuneConditionError::NoSize(span, message)) =
        tune.is_about_sizes(range.as_ref(), *condition)
    {
        let help = "a condition of a `tune` uses numbers, and sizes that .elevate files define: `tune`s, and `val`s of type `Nat`";
        return Some(Diagnostic::error(codes::UNKNOWN_NAME, span, message).help(help));
    }
    let (span, _) = value?;
    let mut needs = TuneConditions::default();
    match tune.check(range.as_ref(), *condition, &Facts::new(), &mut needs) {
        Err(TuneConditionError::Refuted(message)) => Some(fails((span, message))),
        _ => None,
    }
}

/// Returns the span of the range of a `tune` and a message, if the range is empty as number
/// literals show; `None` otherwise.
fn empty_range(item: &Item) -> Option<(Span, String)> {
    let ItemKind::Tune {
        range: Some(range), ..
    } = &item.kind
    else {
        return None;
    };
    let RangeKind::Between { from, to, .. } = range.kind else {
        return None;
    };
    let number = |term: TermId| match item.rise.term(term).kind {
        TermKind::Literal(Literal::Int { value, .. }) => Some(value),
        _ => None,
    };
    let (from, to) = (number(from)?, number(to)?);
    let message =
        || format!("the range from {from} to {to} is empty: write the smaller size first");
    (from > to).then(|| (range.span, message()))
}

/// The reason why a range or condition of a `tune` is rejected.
enum TuneConditionError {
    /// The value is not in the range, or does not fulfil the condition.
    Refuted(String),
    /// The term or condition at this span is not one on known sizes.
    NoSize(Span, String),
    /// The evaluation of a size fails.
    Unknown(EvalError),
}

impl From<EvalError> for TuneConditionError {
    fn from(trouble: EvalError) -> TuneConditionError {
        TuneConditionError::Unknown(trouble)
    }
}

impl From<TuneConditionError> for EvalError {
    fn from(wrong: TuneConditionError) -> EvalError {
        match wrong {
            TuneConditionError::Refuted(message) | TuneConditionError::NoSize(_, message) => {
                EvalError::new(message)
            }
            TuneConditionError::Unknown(trouble) => trouble,
        }
    }
}

/// A condition on sizes, with its names resolved.
enum SizeCondition {
    All(Vec<SizeCondition>),
    Any(Vec<SizeCondition>),
    Not(Box<SizeCondition>),
    Is(Prop),
}

/// The truth value of a condition in three-valued logic.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Truth {
    Holds,
    Fails,
    Open,
}

impl SizeCondition {
    fn truth(&self, facts: &Facts) -> Truth {
        let parts = |parts: &[SizeCondition], decisive: Truth, otherwise: Truth| {
            let all = parts.iter().map(|part| part.truth(facts));
            all.fold(otherwise, |so_far, next| match (so_far, next) {
                (known, _) if known == decisive => known,
                (_, next) if next == decisive => next,
                (Truth::Open, _) | (_, Truth::Open) => Truth::Open,
                _ => otherwise,
            })
        };
        match self {
            SizeCondition::All(all) => parts(all, Truth::Fails, Truth::Holds),
            SizeCondition::Any(all) => parts(all, Truth::Holds, Truth::Fails),
            SizeCondition::Not(inner) => match inner.truth(facts) {
                Truth::Holds => Truth::Fails,
                Truth::Fails => Truth::Holds,
                Truth::Open => Truth::Open,
            },
            SizeCondition::Is(prop) if facts.proves(prop) => Truth::Holds,
            SizeCondition::Is(prop) if facts.excludes(prop) => Truth::Fails,
            SizeCondition::Is(_) => Truth::Open,
        }
    }

    fn vars(&self, found: &mut Vec<Var>) {
        match self {
            SizeCondition::All(all) | SizeCondition::Any(all) => {
                all.iter().for_each(|part| part.vars(found))
            }
            SizeCondition::Not(inner) => inner.vars(found),
            SizeCondition::Is(prop) => prop.for_each_var(&mut |var| found.push(var)),
        }
    }
}

/// A `tune` with its value: a number, or the variable that represents it.
struct Tune<'a> {
    item: &'a Item,
    text: &'a str,
    name: &'a Name,
    own: Nat,
    /// Returns the size that another name refers to; `None` if it refers to no size.
    others: &'a dyn Fn(&Name) -> Result<Option<Nat>, EvalError>,
}

impl Tune<'_> {
    fn check(
        &self,
        range: Option<&Range>,
        condition: Option<CondId>,
        facts: &Facts,
        needs: &mut TuneConditions,
    ) -> Result<(), TuneConditionError> {
        if let Some(range) = range {
            self.range(range, facts)?;
        }
        match condition {
            Some(condition) => self.condition(condition, facts, needs),
            None => Ok(()),
        }
    }

    /// Fails if the range or the condition refers to an unknown size, or the condition is not one
    /// on sizes.
    fn is_about_sizes(
        &self,
        range: Option<&Range>,
        condition: Option<CondId>,
    ) -> Result<(), TuneConditionError> {
        if let Some(range) = range {
            self.demand_of_range(range)?;
        }
        if let Some(condition) = condition {
            self.demand(condition)?;
        }
        Ok(())
    }

    /// Fails if the value is a number that is certainly not in the range, or the range refers to an
    /// unknown size.
    fn range(&self, range: &Range, facts: &Facts) -> Result<(), TuneConditionError> {
        let Some(value) = self.own.as_const() else {
            return Ok(());
        };
        match self.demand_of_range(range)?.truth(facts) {
            Truth::Fails => Err(TuneConditionError::Refuted(format!(
                "`{}` is {value}, which is not in `{}`",
                self.name,
                self.text(range.span)
            ))),
            Truth::Holds | Truth::Open => Ok(()),
        }
    }

    fn demand_of_range(&self, range: &Range) -> Result<SizeCondition, TuneConditionError> {
        let own = || self.own.clone();
        Ok(match &range.kind {
            RangeKind::Set(sizes) => {
                let one = |&size| Ok(SizeCondition::Is(Prop::Equal(own(), self.size(size)?)));
                SizeCondition::Any(
                    sizes
                        .iter()
                        .map(one)
                        .collect::<Result<_, TuneConditionError>>()?,
                )
            }
            RangeKind::Divisors(size) => SizeCondition::Is(Prop::Divides(own(), self.size(*size)?)),
            RangeKind::Between { from, to, step } => {
                let (from, to) = (self.size(*from)?, self.size(*to)?);
                let mut all = vec![
                    SizeCondition::Is(Prop::AtLeast(own(), from.clone())),
                    SizeCondition::Is(Prop::AtLeast(to.clone(), own())),
                ];
                match step {
                    Some(RangeStep::Add(step)) => {
                        let above = Nat::sub(&self.own, &from);
                        all.push(SizeCondition::Is(Prop::Divides(self.size(*step)?, above)));
                    }
                    Some(RangeStep::Times(factor)) => all.extend(self.powers(&from, &to, *factor)?),
                    None => {}
                }
                SizeCondition::All(all)
            }
        })
    }

    /// Returns the condition that the value is one of `from`, `from * factor`, …, up to `to`;
    /// `None` if `from`, `to` or `factor` is not a constant.
    fn powers(
        &self,
        from: &Nat,
        to: &Nat,
        factor: TermId,
    ) -> Result<Option<SizeCondition>, TuneConditionError> {
        let factor = self.size(factor)?;
        let (Some(from), Some(to), Some(factor)) =
            (from.as_const(), to.as_const(), factor.as_const())
        else {
            return Ok(None);
        };
        let next = |at: &i64| at.checked_mul(factor).filter(|next| next > at);
        let powers = std::iter::successors(Some(from), next).take_while(|at| *at <= to);
        let one = |at| SizeCondition::Is(Prop::Equal(self.own.clone(), Nat::constant(at)));
        Ok(Some(SizeCondition::Any(powers.map(one).collect())))
    }

    /// Checks a condition: conjuncts that hold are dropped, one that fails is an error, and open
    /// ones become assumptions of the program.
    fn condition(
        &self,
        id: CondId,
        facts: &Facts,
        needs: &mut TuneConditions,
    ) -> Result<(), TuneConditionError> {
        let mut parts = Vec::new();
        self.conjuncts(id, &mut parts);
        for part in parts {
            let demand = self.demand(part)?;
            let written = self.text(self.item.cond(part).span);
            match demand.truth(facts) {
                Truth::Holds => {}
                Truth::Fails => {
                    return Err(TuneConditionError::Refuted(match self.own.as_const() {
                        Some(value) => {
                            format!(
                                "`{}` is {value}, and the condition `{written}` does not hold",
                                self.name
                            )
                        }
                        None => format!("no value of `{}` fulfils `{written}`", self.name),
                    }));
                }
                Truth::Open => match demand {
                    SizeCondition::Is(prop) => needs.props.push(prop),
                    other => {
                        let mut vars = Vec::new();
                        other.vars(&mut vars);
                        needs.said.push((written.to_owned(), vars));
                    }
                },
            }
        }
        Ok(())
    }

    fn conjuncts(&self, id: CondId, found: &mut Vec<CondId>) {
        match self.item.cond(id).kind {
            CondKind::And(a, b) => {
                self.conjuncts(a, found);
                self.conjuncts(b, found);
            }
            CondKind::Paren(inner) => self.conjuncts(inner, found),
            _ => found.push(id),
        }
    }

    fn demand(&self, id: CondId) -> Result<SizeCondition, TuneConditionError> {
        Ok(match &self.item.cond(id).kind {
            CondKind::And(a, b) => SizeCondition::All(vec![self.demand(*a)?, self.demand(*b)?]),
            CondKind::Or(a, b) => SizeCondition::Any(vec![self.demand(*a)?, self.demand(*b)?]),
            CondKind::Not(inner) => SizeCondition::Not(Box::new(self.demand(*inner)?)),
            CondKind::Paren(inner) => self.demand(*inner)?,
            CondKind::Divides { divisor, size } => {
                SizeCondition::Is(Prop::Divides(self.size(*divisor)?, self.size(*size)?))
            }
            CondKind::Compare { op, lhs, rhs } => {
                let (a, b) = (self.size(*lhs)?, self.size(*rhs)?);
                match crate::rule::compare(*op, a.clone(), b.clone()) {
                    Some(prop) => SizeCondition::Is(prop),
                    None => SizeCondition::Not(Box::new(SizeCondition::Is(Prop::Equal(a, b)))),
                }
            }
            _ => {
                let text = self.text(self.item.cond(id).span);
                let message = format!(
                    "`{text}` is not a condition on sizes, and `{}` is a size",
                    self.name
                );
                return Err(TuneConditionError::NoSize(self.item.cond(id).span, message));
            }
        })
    }

    /// Returns the size that a term expresses; fails if it expresses none.
    fn size(&self, id: TermId) -> Result<Nat, TuneConditionError> {
        let term = self.item.term(id);
        let unknown = || {
            let text = self.text(term.span);
            let message = match term.kind {
                TermKind::Name(_) => format!("there is no size `{text}` here"),
                _ => format!("`{text}` is not a size"),
            };
            TuneConditionError::NoSize(term.span, message)
        };
        let op = |a: TermId, b: TermId, make: fn(&Nat, &Nat) -> Nat| {
            Ok(make(&self.size(a)?, &self.size(b)?))
        };
        match &term.kind {
            TermKind::Paren(inner) => self.size(*inner),
            TermKind::Literal(Literal::Int { value, .. }) => {
                Ok(Nat::constant(i64::try_from(*value).map_err(|_| unknown())?))
            }
            TermKind::Name(name) if name == self.name => Ok(self.own.clone()),
            TermKind::Name(name) => match (self.others)(name)? {
                Some(nat) => Ok(nat),
                None => Err(unknown()),
            },
            TermKind::Binary {
                op: sign, lhs, rhs, ..
            } => match sign {
                BinaryOp::Add => op(*lhs, *rhs, Nat::add),
                BinaryOp::Sub => op(*lhs, *rhs, Nat::sub),
                BinaryOp::Mul => op(*lhs, *rhs, Nat::mul),
                BinaryOp::Div => op(*lhs, *rhs, Nat::div),
                BinaryOp::Mod => op(*lhs, *rhs, Nat::rem),
                BinaryOp::Pow => op(*lhs, *rhs, Nat::pow),
                _ => Err(unknown()),
            },
            TermKind::Apply { callee, args } => {
                let callee = &self.item.term(*callee).kind;
                match (callee, &args[..]) {
                    (TermKind::Name(name), [a, b]) => match name.as_str() {
                        "min" => op(*a, *b, Nat::min),
                        "max" => op(*a, *b, Nat::max),
                        "ceilDiv" => op(*a, *b, Nat::ceil_div),
                        _ => Err(unknown()),
                    },
                    _ => Err(unknown()),
                }
            }
            _ => Err(unknown()),
        }
    }

    fn text(&self, span: Span) -> &str {
        let text = self.text.get(std::ops::Range::from(span));
        text.unwrap_or_default()
    }
}
