//! Strategies applied to definitions of RISE.

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
use super::eval::{Eval, Trouble, Value, World};
use super::open::{each_node, mentioned, name_open, with_parameter, with_pi};
use super::tunes::{self, NotTuned};
use super::types::Type;
use crate::engine::{
    self, Assumption, Failure, Options, Outcome, Reason, RuleCount, Step, Strategy, TraceStep,
};
use crate::term::{self, Imported, Node, Order, Store, Term, print};

/// How to apply a strategy.
#[derive(Clone)]
pub struct Request<'a> {
    /// How much may be done; facts and order are set by the run.
    pub options: Options<'a>,
    /// Whether the definition may get further parameters. It may without asking where nothing else
    /// uses it and its type is not written; otherwise the user decides.
    pub may_extend: bool,
    /// Values of `tune`s by their names, in the place of those that their definitions say.
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
    /// How many steps lead to it: rule applications that change the term.
    pub steps: u64,
    /// How many more were those of normal forms.
    pub housekeeping: u64,
    /// How often each rule was applied.
    pub counts: Vec<RuleCount>,
    /// The steps, if they were asked for; their terms are those of `run`.
    pub trace: Vec<TraceStep>,
    /// What rules assumed of sizes, which the definition assumes from now on.
    pub obligations: Vec<Prop>,
    /// What else rules assumed, in words.
    pub assumed: Vec<String>,
    /// The sizes that the strategy leaves open: parameters of the definition, behind those it had.
    pub parameters: Vec<Parameter>,
    /// Where the terms are.
    pub run: Run,
}

/// A size that a strategy leaves open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// What it is called in the rewritten definition.
    pub name: Name,
    /// The `tune`.
    pub tune: GlobalId,
    /// The variable, in the store of the run.
    pub var: Var,
}

/// The terms of a run.
#[derive(Clone)]
pub struct Run {
    /// All terms.
    pub store: Store,
    /// The definition as it was.
    pub imported: Imported,
    /// What it became; of a strategy that failed, what it was.
    pub root: Term,
}

impl std::fmt::Debug for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&print(&self.store, self.root))
    }
}

impl Run {
    /// The definition that the original is with another term for its right side, as after a step.
    ///
    /// # Errors
    /// The term is larger than a program may be.
    pub fn export(&self, root: Term) -> Result<Def<Primitive>, term::TooLarge> {
        term::export(&self.store, root, &self.imported)
    }
}

/// Why a definition is not rewritten.
#[derive(Debug)]
pub enum NotRewritten {
    /// The strategy has no value.
    Strategy(Trouble),
    /// It tunes no such sizes as values were given for.
    NotTuned(NotTuned),
    /// It fails.
    Failed(Box<Report>),
    /// It would give the definition further parameters, which the user has to allow.
    Parameters(Vec<Parameter>),
    /// The program grew too large, or nests too deeply.
    TooLarge,
}

/// Why a strategy failed, for people.
#[derive(Debug)]
pub struct Report {
    /// What the engine says.
    pub failure: Failure,
    /// One line: the rule and why it does not apply.
    pub message: String,
    /// Further lines: what it was tried on, where, on behalf of which strategies.
    pub notes: Vec<String>,
    /// Where in the text of the definition, if the place is one of its own.
    pub site: Option<Site>,
    /// The steps that were done before, if a trace was asked for.
    pub outcome: Outcome,
    /// Where the terms are.
    pub run: Run,
}

/// A main expression or definition as a strategy and, for `(strategy)(program)`, the program.
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

/// The parts of `(strategy)(program)`.
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

/// The strategy that a definition without parameters is; a main expression that names a program
/// is the strategy in front of it.
///
/// # Errors
/// It has no value, or one that is no strategy.
pub fn strategy_of(world: &Arc<World>, definition: &Arc<Definition>) -> Result<Strategy, Trouble> {
    let mut eval = Eval::new(world, definition.clone());
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
        return Err(Trouble::new(message));
    }
    let value = match on_program(definition) {
        Some((strategy, program)) => {
            if program_of(definition).is_none() {
                return Err(no_program(definition, program));
            }
            eval.at(strategy)?
        }
        None => world.value_of(definition)?,
    };
    let strategy = eval.strategy_value(value);
    strategy.ok_or_else(|| Trouble::new(format!("{what} is no strategy: {}", scheme.text())))
}

/// What a strategy is applied to is a definition of a program, or is left out.
fn no_program(definition: &Definition, program: ExprId) -> Trouble {
    let span = definition.item.expr(program).span;
    let text = definition.text.get(std::ops::Range::from(span));
    Trouble::new(format!(
        "a strategy is applied to the definition that is rewritten, and `{}` is none: leave it out",
        short(text.unwrap_or_default())
    ))
}

/// Applies the strategy that a definition is to a definition of RISE. `order` is what the file
/// says in its header.
///
/// Needs a stack for terms that nest: run it where RISE is inferred.
///
/// # Errors
/// Why it is not rewritten.
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
    let world = World::tuned(definitions, &mut store, &given);
    let step = strategy_of(&world, strategy).map_err(NotRewritten::Strategy)?;
    run(&world, &step, store, imported, order, request)
}

/// Applies a strategy to a definition that has been imported into the store of its world.
pub(super) fn run(
    world: &Arc<World>,
    strategy: &Strategy,
    mut store: Store,
    imported: Imported,
    order: Written,
    request: &Request<'_>,
) -> Result<Rewritten, NotRewritten> {
    let mut options = request.options.clone();
    options.order = order_of(order);
    options.facts = imported.facts();
    name_open(world, &mut store, &imported);
    for (_, _, var) in world.open() {
        let positive = Prop::AtLeast(Nat::var(var), Nat::ONE);
        options.facts.assume(&positive);
    }
    let needs = tunes::needs(world, &options.facts).map_err(NotRewritten::Strategy)?;
    for prop in &needs.props {
        options.facts.assume(prop);
    }
    let outcome = engine::run(&mut store, imported.root, strategy, &options);
    let root = outcome.result.clone();
    let mut run = Run {
        root: imported.root,
        store,
        imported,
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
    let open = world.open().into_iter();
    let open = open.filter(|(_, _, var)| mentioned.contains(var));
    let parameters = run.with_parameters(open);
    if !request.may_extend && !parameters.is_empty() {
        return Err(NotRewritten::Parameters(parameters));
    }
    let own = run.parameters();
    let said = obligations.iter().filter(|prop| {
        let mut fits = true;
        prop.for_each_var(&mut |var| fits &= own.contains(&var));
        fits
    });
    // What is assumed of sizes that are bound inside follows from the body again.
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

/// What rules assumed: of sizes, as far as it is not known, and in words.
fn assumed(outcome: &Outcome, facts: &Facts) -> (Vec<Prop>, Vec<String>) {
    let (mut sizes, mut words) = (Vec::new(), Vec::new());
    for assumption in &outcome.assumptions {
        match assumption {
            Assumption::Size(prop) if facts.proves(prop) => {}
            Assumption::Size(prop) => sizes.push(prop.clone()),
            Assumption::Said(said) => words.push(said.to_string()),
        }
    }
    (sizes, words)
}

impl Run {
    /// Makes parameters of the definition of sizes that are left open.
    fn with_parameters(
        &mut self,
        open: impl Iterator<Item = (GlobalId, Name, Var)>,
    ) -> Vec<Parameter> {
        let mut parameters = Vec::new();
        for (tune, _, var) in open {
            let name = self.store.var_name(var);
            self.root = with_parameter(&mut self.store, self.root, var);
            let ty = with_pi(self.store.ty_of(self.imported.ty), var);
            self.imported.ty = self.store.intern_ty(&ty);
            parameters.push(Parameter { name, tune, var });
        }
        parameters
    }

    /// The type-level parameters that the definition has before anything else happens.
    fn parameters(&self) -> FxHashSet<Var> {
        let implicit = self.imported.implicit.iter().map(|(var, _)| *var);
        let mut found: FxHashSet<Var> = implicit.collect();
        let mut here = self.root;
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

/// Why, in one line.
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
        Reason::No { predicate, .. } => format!("`{predicate}` does not hold"),
        Reason::NoPart { traversal, .. } => {
            format!("`{traversal}` finds no such part")
        }
        Reason::Said(text) if text == "fail" => "the strategy says that it fails".into(),
        Reason::Said(text) => text.clone(),
        Reason::Endless(circle) if circle.is_empty() => {
            "the strategy does not end: what it repeats never fails, and changes nothing".into()
        }
        Reason::Endless(circle) => {
            format!(
                "the strategy does not end: it goes round in {}",
                circle.join(", ")
            )
        }
        Reason::OutOfFuel { last } => format!(
            "the strategy did not end within its limit; last were {}",
            last.join(", ")
        ),
        Reason::TooManyCalls { calls, last } => {
            format!("the strategy was stopped after {calls} calls; the last was {last}")
        }
        Reason::Cancelled => "cancelled".into(),
        Reason::TooLarge => "the program grew too large, or nests too deeply".into(),
    }
}

fn report(failure: Failure, outcome: Outcome, run: Run) -> Report {
    let store = &run.store;
    let nest = nest(store, &failure);
    let message = nest.clone().unwrap_or_else(|| message(&failure));
    let mut notes = Vec::new();
    let found = match &failure.reason {
        Reason::Shape { found, .. } | Reason::No { found, .. } | Reason::NoPart { found, .. } => {
            *found
        }
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
        // Within `mapNest` there is nothing that the user called.
        let is_nest = |name: &Arc<str>| nest.is_some() && name.starts_with("mapNest(");
        let outer = failure.strategies.iter().position(is_nest);
        let end = outer.map_or(failure.strategies.len(), |at| at + 1);
        let inner = users(&failure.strategies[..end]).into_iter().rev().take(4);
        let inner: Vec<String> = inner.map(|name| format!("`{name}`")).collect();
        notes.push(format!("tried by {}", inner.join(" in ")));
    }
    let by_shape = matches!(
        failure.reason,
        Reason::Shape { .. } | Reason::No { .. } | Reason::NoPart { .. }
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

/// The name of a strategy without its arguments.
fn name_alone(name: &str) -> &str {
    name.split('(').next().unwrap_or_default()
}

/// Strategies without those that call themselves: of these the outermost one, which the user called.
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

/// How deep a nest of maps is of which `mapNest` wants more. `None` if the place is no map, or holds
/// further maps, which have no form that `mapNest` goes into.
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
        "the nest has {has} {loops}, and `mapNest({wanted})` wants {wanted}"
    ))
}

/// The rules that a program grew by.
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

/// What a strategy did not look into: definitions that the program calls by their names.
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

/// A term in a message: whole, unless it is very long. It is cut between words.
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

/// The strategy under so many functions.
pub(super) fn under(functions: usize, strategy: Strategy) -> Strategy {
    (0..functions).fold(strategy, |inner, _| Arc::new(Step::Body(inner)))
}

impl World {
    /// The value of a definition that may be none of those that others use.
    fn value_of(self: &Arc<Self>, definition: &Arc<Definition>) -> Result<Value, Trouble> {
        match self.definitions().strategy(definition.id) {
            Some(known) if Arc::ptr_eq(&known, definition) => self.value(definition.id),
            _ => Eval::new(self, definition.clone()).definition_value(),
        }
    }
}
