//! Applies strategies to RISE definitions, and describes their failures for users.

use std::fmt::Write as _;
use std::sync::Arc;

use nat::{Facts, Nat, Prop, Var};
use rise::Primitive;
use rise::core::{Def, Site};
use rustc_hash::FxHashSet;
use syntax::GlobalId;
use syntax::ast::Name;
use syntax::elevate::ast::{ExprId, ExprKind, ItemKind, Order as Written};

use super::check::{Meaning, Target};
use super::definition::{Definition, Definitions};
use super::eval::{Eval, EvalError, GlobalEnv, Value};
use super::tune_parameters::{each_node, mentioned, name_open, with_parameter, with_pi};
use super::tunes::{self, TuneError};
use super::types::Type;
use crate::engine::{
    self, Assumption, Failure, Options, Outcome, Reason, RuleCount, Strategy, StrategyKind,
    TraceStep,
};
use crate::term::{self, Imported, Node, Order, Store, Term, print};

/// The parameters of a run.
#[derive(Clone)]
pub struct Request<'a> {
    /// The options of the run, of which [`rewrite`] replaces `facts` and `order`.
    pub options: Options<'a>,
    /// True if the definition may get further parameters, for `tune`s without a value. This is safe
    /// where nothing else uses it and its type is not written; otherwise the user has to allow it.
    pub may_extend: bool,
    /// Values of `tune`s by name, which replace those of their definitions.
    pub tunes: &'a [(Name, i64)],
}

impl Default for Request<'_> {
    fn default() -> Self {
        Request {
            options: Options::default(),
            may_extend: true,
            tunes: &[],
        }
    }
}

/// A rewritten definition.
#[derive(Debug)]
pub struct Rewritten {
    /// The new definition.
    pub def: Def<Primitive>,
    /// The number of steps: rule applications that change the term, without undone ones and those
    /// counted in `housekeeping`.
    pub steps: u64,
    /// The number of rule applications by normal forms and housekeeping strategies, which are not
    /// counted as steps.
    pub housekeeping: u64,
    /// The number of applications of each rule and normal form.
    pub counts: Vec<RuleCount>,
    /// The steps, if a trace is requested. Their terms are in the store of `run`.
    pub trace: Vec<TraceStep>,
    /// The assumptions about sizes of rules and of conditions on `tune`s. Those that contain only
    /// type-level parameters of the definition become assumptions of it.
    pub obligations: Vec<Prop>,
    /// The other assumptions of rules and of conditions on `tune`s, in words.
    pub assumed: Vec<String>,
    /// The new parameters of the definition, for `tune`s without a value, after its own type-level
    /// ones.
    pub parameters: Vec<Parameter>,
    /// The terms of the run.
    pub run: Run,
}

/// A parameter for a `tune` without a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The name of the parameter in the rewritten definition.
    pub name: Name,
    /// The `tune` definition.
    pub tune: GlobalId,
    /// The size variable, in the store of the run.
    pub var: Var,
}

/// The terms of a run.
#[derive(Clone)]
pub struct Run {
    /// The store of all terms.
    pub store: Store,
    /// The original definition. If the strategy succeeded, its type contains the new parameters,
    /// and its obligations the new assumptions.
    pub imported: Imported,
    /// The rewritten term; the original one if the strategy failed.
    pub root: Term,
    /// The variables of the `tune`s without a value.
    open: Vec<Var>,
}

impl std::fmt::Debug for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&print(&self.store, self.root))
    }
}

impl Run {
    /// Returns the definition `imported` with `root` as its right side, such as the term after a
    /// step. It has the parameters of the rewritten definition, and further ones for other `tune`s
    /// without a value that `root` mentions.
    ///
    /// # Errors
    /// The term exceeds the maximal size or height of a program.
    pub fn export(&self, root: Term) -> Result<Def<Primitive>, term::TooLarge> {
        let mentioned = mentioned(&self.store, root, &[]);
        let (own, of_type) = (self.parameters(root), self.parameters_of_type());
        // A step of the strategy has no parameter for a `tune` yet.
        let is_missing =
            |var: &&Var| !own.contains(var) && (mentioned.contains(var) || of_type.contains(var));
        let mut missing: Vec<Var> = self.open.iter().filter(is_missing).copied().collect();
        // The type has the parameters of the rewritten definition already.
        missing.sort_by_key(|var| !of_type.contains(var));
        if missing.is_empty() {
            return term::export(&self.store, root, &self.imported);
        }
        let mut run = self.clone();
        run.root = root;
        for var in missing {
            run.root = with_parameter(&mut run.store, run.root, var);
            if !of_type.contains(&var) {
                run.extend_type(var);
            }
        }
        term::export(&run.store, run.root, &run.imported)
    }
}

/// The reason why a definition is not rewritten.
#[derive(Debug)]
pub enum NotRewritten {
    /// The evaluation of the strategy or of the conditions on its `tune`s failed, or a `tune` does
    /// not fulfil its condition.
    Strategy(EvalError),
    /// The values given to `tune`s do not fit the strategy.
    NotTuned(TuneError),
    /// The strategy failed.
    Failed(Box<Report>),
    /// The definition would get further parameters, which [`Request::may_extend`] does not allow.
    Parameters(Vec<Parameter>),
    /// The original or the rewritten program is too large, or nests too deeply.
    TooLarge,
}

/// The failure of a strategy, prepared for users.
#[derive(Debug)]
pub struct Report {
    /// The failure, as recorded by the engine.
    pub failure: Failure,
    /// A line with the rule and the reason why it does not apply.
    pub message: String,
    /// Further lines, such as the term, the number of steps, and the enclosing strategies.
    pub notes: Vec<String>,
    /// The place in the text of the subterm of the original definition at the path of the failure,
    /// if there is one.
    pub site: Option<Site>,
    /// The outcome of the run, with the steps before the failure if a trace is requested.
    pub outcome: Outcome,
    /// The terms of the run.
    pub run: Run,
}

/// Returns the program of a main expression or definition of the form `(strategy)(program)`; `None`
/// for other forms, and if the program is not the name of a RISE definition.
///
/// ```
/// use elevate::lang::{File, Programs, program_of};
/// let programs = Programs::of("def double = fun(x: f32 => x + x)");
/// let file = File::new("(topDown(beta))(double)", programs);
/// let main = file.items().last().expect("there is a main expression");
/// assert_eq!(program_of(main), file.programs().named("double"));
/// ```
pub fn program_of(definition: &Definition) -> Option<GlobalId> {
    let (_, program) = on_program(definition)?;
    match definition.checked.meanings.get(&program)? {
        Meaning::Quote(quote) => {
            let used = definition.checked.uses.iter();
            let mut used = used.filter(|used| used.span == quote.span);
            used.find_map(|used| match used.target {
                Target::Program(id) => Some(id),
                _ => None,
            })
        }
        _ => None,
    }
}

/// Returns the two parts of `(strategy)(program)`, if the definition is an expression of this form
/// of type `Result`; `None` otherwise.
fn on_program(definition: &Definition) -> Option<(ExprId, ExprId)> {
    let mut at = match &definition.item.kind {
        ItemKind::Main { expr } => *expr,
        ItemKind::Val { body, .. } => *body,
        ItemKind::Strategy { body, params, .. } if params.is_empty() => *body,
        _ => return None,
    };
    if *definition.checked.signature.scheme.ty != Type::Result {
        return None;
    }
    loop {
        match &definition.item.expr(at).kind {
            ExprKind::Paren(inner) => at = *inner,
            ExprKind::Call { callee, args } => {
                let [arg] = &args[..] else { return None };
                return Some((*callee, arg.value));
            }
            _ => return None,
        }
    }
}

/// Returns the strategy that a definition without required parameters is. For
/// `(strategy)(program)`, this is the strategy alone.
///
/// # Errors
/// The definition has required parameters, its evaluation fails, its value is not a strategy, or
/// the argument in `(strategy)(program)` is not the name of a RISE definition.
pub fn strategy_of(
    globals: &Arc<GlobalEnv>,
    definition: &Arc<Definition>,
) -> Result<Strategy, EvalError> {
    let mut eval = Eval::new(globals, definition.clone());
    let scheme = &definition.checked.signature.scheme;
    let name = definition.name();
    let what = match name.is_empty() {
        true => "the main expression".into(),
        false => format!("`{name}`"),
    };
    if let Type::Fun(params, _) = &*scheme.ty
        && params.iter().any(|param| !param.optional)
    {
        let ty = scheme.text();
        let mut message = format!("{what} needs arguments before it is a strategy: {ty}");
        if let Some(call) = scheme.ty.example_call(&name) {
            let _ = write!(message, "; write `{call}`");
        }
        return Err(EvalError::new(message));
    }
    let value = match on_program(definition) {
        Some((strategy, program)) => {
            if program_of(definition).is_none() {
                return Err(no_program(definition, program));
            }
            eval.at(strategy)?
        }
        None => globals.value_of(definition)?,
    };
    let strategy = eval.strategy_value(value);
    strategy.ok_or_else(|| EvalError::new(format!("{what} is not a strategy: {}", scheme.text())))
}

/// Returns the error for a strategy that is applied to an expression that is not the name of a
/// program.
fn no_program(definition: &Definition, program: ExprId) -> EvalError {
    let span = definition.item.expr(program).span;
    let text = definition.text.get(std::ops::Range::from(span));
    EvalError::new(format!(
        "a strategy is applied to the definition that is rewritten, not to `{}`: leave this argument out",
        short(text.unwrap_or_default())
    ))
}

/// Applies the strategy that is the value of a definition to a RISE definition. `order` is the one
/// in the header of the file.
///
/// The caller must provide a stack for deeply nested terms, as for the inference of RISE.
///
/// # Errors
/// The reason why the definition is not rewritten.
pub fn rewrite(
    strategy: &Arc<Definition>,
    definitions: Definitions,
    def: &Def<Primitive>,
    order: Written,
    request: &Request<'_>,
) -> Result<Rewritten, NotRewritten> {
    let mut store = Store::new();
    let imported = term::import(&mut store, def).map_err(|_| NotRewritten::TooLarge)?;
    let mut definitions = definitions;
    let known = definitions.strategies.entry(strategy.id);
    known.or_insert_with(|| strategy.clone());
    let given =
        tunes::given(strategy, &definitions, request.tunes).map_err(NotRewritten::NotTuned)?;
    let globals = GlobalEnv::tuned(definitions, &mut store, &given);
    let step = strategy_of(&globals, strategy).map_err(NotRewritten::Strategy)?;
    run(&globals, &step, store, imported, order, request)
}

/// Applies a strategy to a definition that is imported into the store of the environment.
pub(super) fn run(
    globals: &Arc<GlobalEnv>,
    strategy: &Strategy,
    mut store: Store,
    imported: Imported,
    order: Written,
    request: &Request<'_>,
) -> Result<Rewritten, NotRewritten> {
    let mut options = request.options.clone();
    options.order = order_of(order);
    options.facts = imported.facts();
    name_open(globals, &mut store, &imported);
    for (_, _, var) in globals.open() {
        let positive = Prop::AtLeast(Nat::var(var), Nat::ONE);
        options.facts.assume(&positive);
    }
    let needs = tunes::needs(globals, &options.facts).map_err(NotRewritten::Strategy)?;
    for prop in &needs.props {
        options.facts.assume(prop);
    }
    let outcome = engine::run(&mut store, imported.root, strategy, &options);
    let root = outcome.result.clone();
    let mut run = Run {
        root: imported.root,
        store,
        imported,
        open: globals.open().into_iter().map(|(_, _, var)| var).collect(),
    };
    run.root = match root {
        Ok(root) => root,
        Err(failure) => {
            let report = report(failure, outcome, run);
            return Err(NotRewritten::Failed(Box::new(report)));
        }
    };
    let (mut obligations, mut assumed) = assumed(&outcome, &options.facts);
    let mut mentioned = mentioned(&run.store, run.root, &obligations);
    needs.of(&mut mentioned, &mut obligations, &mut assumed);
    let open = globals.open().into_iter();
    let open = open.filter(|(_, _, var)| mentioned.contains(var));
    let parameters = run.with_parameters(open);
    if !request.may_extend && !parameters.is_empty() {
        return Err(NotRewritten::Parameters(parameters));
    }
    let own = run.parameters(run.root);
    let said = obligations.iter().filter(|prop| {
        let mut fits = true;
        prop.for_each_var(&mut |var| fits &= own.contains(&var));
        fits
    });
    // Assumptions about sizes that are bound inside the definition are derived from the body again.
    (run.imported.obligations).extend(said.cloned());
    let def = run.export(run.root).map_err(|_| NotRewritten::TooLarge)?;
    Ok(Rewritten {
        def,
        steps: outcome.steps,
        housekeeping: outcome.housekeeping,
        counts: outcome.counts,
        trace: outcome.trace,
        obligations,
        assumed,
        parameters,
        run,
    })
}

/// Returns the assumptions of rules: those on sizes that are not proved, and those in words.
fn assumed(outcome: &Outcome, facts: &Facts) -> (Vec<Prop>, Vec<String>) {
    let (mut sizes, mut words) = (Vec::new(), Vec::new());
    for assumption in &outcome.assumptions {
        match assumption {
            Assumption::Size(prop) if facts.proves(prop) => {}
            Assumption::Size(prop) => sizes.push(prop.clone()),
            Assumption::Text(said) => words.push(said.to_string()),
        }
    }
    (sizes, words)
}

impl Run {
    /// Adds parameters for these `tune`s to the rewritten term and to the type of the definition,
    /// and returns them.
    fn with_parameters(
        &mut self,
        open: impl Iterator<Item = (GlobalId, Name, Var)>,
    ) -> Vec<Parameter> {
        let mut parameters = Vec::new();
        for (tune, _, var) in open {
            let name = self.store.var_name(var);
            self.root = with_parameter(&mut self.store, self.root, var);
            self.extend_type(var);
            parameters.push(Parameter { name, tune, var });
        }
        parameters
    }

    /// Adds an explicit size parameter to the type of the definition, after its leading type-level
    /// parameters.
    fn extend_type(&mut self, var: Var) {
        let ty = with_pi(self.store.ty_of(self.imported.ty), var);
        self.imported.ty = self.store.intern_ty(&ty);
    }

    /// Returns the leading type-level parameters in the type of the definition.
    fn parameters_of_type(&self) -> FxHashSet<Var> {
        let mut found = FxHashSet::default();
        let mut here = self.store.ty_of(self.imported.ty);
        while let rise::Type::Pi(pi) = &**here {
            found.insert(pi.var);
            here = &pi.body;
        }
        found
    }

    /// Returns the type-level parameters of the definition with this right side, implicit and
    /// explicit ones; explicit ones may follow parameters for values.
    fn parameters(&self, root: Term) -> FxHashSet<Var> {
        let implicit = self.imported.implicit.iter().map(|(var, _)| *var);
        let mut found: FxHashSet<Var> = implicit.collect();
        let mut here = root;
        loop {
            here = match self.store.node(here) {
                Node::DepLambda(var, _, _, body) => {
                    found.insert(var);
                    body
                }
                Node::Lambda(_, body) => body,
                _ => return found,
            };
        }
    }
}

fn order_of(order: Written) -> Order {
    match order {
        Written::Default => Order::Default,
        Written::FunctionFirst => Order::FunctionFirst,
        Written::ArgumentFirst => Order::ArgumentFirst,
    }
}

// ----- failures -----

/// Returns the message for the reason of a failure, on one line.
fn message(failure: &Failure) -> String {
    let rule = failure.rule.as_deref();
    let who = rule.map_or_else(|| "the strategy".to_owned(), |rule| format!("`{rule}`"));
    match &failure.reason {
        Reason::Shape { expected, .. } => {
            format!("{who} does not apply: `{expected}` is not found")
        }
        Reason::Refuted { condition, why } => {
            format!("{who} does not apply: `{condition}` does not hold: {why}")
        }
        Reason::Undecided { condition, why, .. } => {
            format!("{who} does not apply: it cannot be decided whether `{condition}` holds: {why}")
        }
        Reason::Type(why) => format!("{who} does not apply: {why}"),
        Reason::PredicateFails { predicate, .. } => format!("`{predicate}` does not hold"),
        Reason::NoChild { traversal, .. } => {
            format!("`{traversal}` finds no such part")
        }
        Reason::Message(text) if text == "fail" => "the strategy calls `fail`".into(),
        Reason::Message(text) => text.clone(),
        Reason::Endless(circle) if circle.is_empty() => {
            "the strategy does not end: the strategy that it repeats never fails, and changes nothing".into()
        }
        Reason::Endless(circle) => {
            format!(
                "the strategy does not end: it repeats {}",
                circle.join(", ")
            )
        }
        Reason::OutOfFuel { last } => {
            let text = "the strategy was stopped before its end, at the largest number of steps";
            match last.is_empty() {
                true => text.into(),
                false => format!("{text}; it last applied {}", last.join(", ")),
            }
        }
        Reason::TooManyCalls { calls, last } => {
            format!("the strategy was stopped after {calls} calls; the last was {last}")
        }
        Reason::Cancelled => "cancelled".into(),
        Reason::TooLarge => "the program becomes too large, or nests too deeply".into(),
    }
}

fn report(failure: Failure, outcome: Outcome, run: Run) -> Report {
    let store = &run.store;
    let nest = nest(store, &failure);
    let message = nest.clone().unwrap_or_else(|| message(&failure));
    let mut notes = Vec::new();
    let found = match &failure.reason {
        Reason::Shape { found, .. }
        | Reason::PredicateFails { found, .. }
        | Reason::NoChild { found, .. } => *found,
        _ => failure.focus,
    };
    if nest.is_none() {
        notes.push(format!("found: {}", short(&print(store, found))));
    }
    if nest.is_none() && found != failure.focus {
        notes.push(format!("in: {}", short(&print(store, failure.focus))));
    }
    if failure.reason == Reason::TooLarge {
        notes.extend(most_applied(&outcome));
    }
    if outcome.steps > 0 {
        let steps = match outcome.steps {
            1 => "1 step".to_owned(),
            steps => format!("{steps} steps"),
        };
        notes.push(format!("after {steps}"));
    }
    if !failure.strategies.is_empty() {
        // The user did not call the strategies inside `mapNest`.
        let is_nest = |name: &Arc<str>| nest.is_some() && name.starts_with("mapNest(");
        let outer = failure.strategies.iter().position(is_nest);
        let end = outer.map_or(failure.strategies.len(), |at| at + 1);
        let inner = users(&failure.strategies[..end]).into_iter().rev().take(4);
        let inner: Vec<String> = inner.map(|name| format!("`{name}`")).collect();
        notes.push(format!("tried by {}", inner.join(" in ")));
    }
    let by_shape = matches!(
        failure.reason,
        Reason::Shape { .. } | Reason::PredicateFails { .. } | Reason::NoChild { .. }
    );
    if by_shape {
        notes.extend(folded(store, failure.root));
    }
    let site = run.imported.site(store, &failure.path);
    Report {
        failure,
        message,
        notes,
        site,
        outcome,
        run,
    }
}

/// Returns the name of a strategy without its arguments.
fn name_alone(name: &str) -> &str {
    name.split('(').next().unwrap_or_default()
}

/// Returns the strategies without recursive calls: of consecutive ones whose names without
/// arguments are the same, only the outermost one.
fn users(strategies: &[Arc<str>]) -> Vec<&Arc<str>> {
    let mut users: Vec<&Arc<str>> = Vec::new();
    for strategy in strategies {
        let again = |user: &&Arc<str>| name_alone(user) == name_alone(strategy);
        if !users.last().is_some_and(again) {
            users.push(strategy);
        }
    }
    users
}

/// Returns the message for `mapNest` applied to a nest of too few maps. `None` if the failure is
/// not inside a `mapNest` that found at least one map, or if the term on which it failed contains
/// further maps, which have a form that `mapNest` does not descend into.
fn nest(store: &Store, failure: &Failure) -> Option<String> {
    let depths = failure.strategies.iter().filter_map(|name| {
        let depth = name.strip_prefix("mapNest(")?.strip_suffix(')')?;
        depth.parse::<u32>().ok()
    });
    let depths: Vec<u32> = depths.collect();
    let (wanted, left) = (*depths.first()?, *depths.last()?);
    let has = wanted.checked_sub(left).filter(|has| *has > 0)?;
    let mut goes_on = false;
    each_node(store, failure.focus, &mut |node| {
        goes_on |=
            matches!(node, Node::Primitive(primitive, _) if primitive.name().starts_with("map"));
    });
    if goes_on {
        return None;
    }
    let loops = if has == 1 { "loop" } else { "loops" };
    Some(format!(
        "the nest has {has} {loops}, and `mapNest({wanted})` requires {wanted}"
    ))
}

/// Returns a note with the at most three rules or normal forms that were applied most often; `None`
/// if none was applied.
fn most_applied(outcome: &Outcome) -> Option<String> {
    let mut counts: Vec<_> = outcome.counts.iter().collect();
    counts.sort_by_key(|count| std::cmp::Reverse(count.steps + count.housekeeping));
    let most = counts.iter().take(3);
    let most: Vec<String> = most
        .map(|count| {
            format!(
                "`{}` {} times",
                count.rule,
                count.steps + count.housekeeping
            )
        })
        .collect();
    (!most.is_empty()).then(|| format!("applied: {}", most.join(", ")))
}

/// Returns a note on at most three of the definitions that the program calls by name, which
/// strategies do not look into; `None` if there are none.
fn folded(store: &Store, root: Term) -> Option<String> {
    let mut names: Vec<&Name> = Vec::new();
    each_node(store, root, &mut |node| {
        if let Node::Global(id, _) = node
            && let Some(name) = store.global_name(id)
            && !names.contains(&name)
        {
            names.push(name);
        }
    });
    let first = names.first()?;
    let all: Vec<String> = names
        .iter()
        .take(3)
        .map(|name| format!("`{name}`"))
        .collect();
    let (are, their) = match all.len() {
        1 => ("is called by its name", "its"),
        _ => ("are called by their names", "a"),
    };
    Some(format!(
        "{} {are}: `unfold({first})` puts {their} right side there",
        all.join(", ")
    ))
}

/// Returns a text, cut after at most 600 characters, between words if it contains a space.
fn short(text: &str) -> String {
    const ENOUGH: usize = 600;
    match text.char_indices().nth(ENOUGH) {
        Some((at, _)) => {
            let end = text[..at].rfind(' ').unwrap_or(at);
            format!("{} …", &text[..end])
        }
        None => text.to_owned(),
    }
}

#[cfg(test)]
#[test]
fn a_long_term_is_cut_between_words() {
    let whole = "xs |> map(f) ".repeat(20);
    assert_eq!(short(&whole), whole);
    let cut = short(&"xs |> map(f) ".repeat(100));
    assert!(cut.ends_with("map(f) …") || cut.ends_with("|> …") || cut.ends_with("xs …"));
    assert!(cut.chars().count() <= 602);
}

/// Returns the strategy that applies a strategy to the body of the given number of nested
/// functions.
pub(super) fn under(functions: usize, strategy: Strategy) -> Strategy {
    (0..functions).fold(strategy, |inner, _| Arc::new(StrategyKind::Body(inner)))
}

impl GlobalEnv {
    /// Returns the value of a definition, which need not be one of those of the environment; then
    /// the value is not memoised.
    fn value_of(self: &Arc<Self>, definition: &Arc<Definition>) -> Result<Value, EvalError> {
        match self.definitions().strategy(definition.id) {
            Some(known) if Arc::ptr_eq(&known, definition) => self.value(definition.id),
            _ => Eval::new(self, definition.clone()).definition_value(),
        }
    }
}
