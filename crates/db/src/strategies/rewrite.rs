//! The application of strategies to definitions of programs.

use std::ops::Range;
use std::sync::Arc;

use codegen::Target;
use elevate::codes;
use elevate::engine::Options as Fuel;
use elevate::lang::{
    self, Definition, Definitions, Library, NotRewritten, Request, Rewritten, Target as Named,
    library,
};
use rise::Primitive;
use rise::core::Def;
use rustc_hash::FxHashSet;
use syntax::elevate::ast::{ItemKind, Order};
use syntax::{Diagnostic, GlobalId, Severity, Span};

use super::{named, strategy_checked};
use crate::files::{FilePath, ItemId};
use crate::inputs::{Db, SourceFile, SourceItem};
use crate::items::{items, strategy_parsed};
use crate::language::Language;
use crate::panics::catch_panic;
use crate::scope::{Binding, bindings, dependencies};
use crate::terms::elaborated;

/// The limit of the work of a strategy in a query, in the unit of [`Fuel::work`]. It takes one or
/// two seconds.
const WORK_LIMIT: u64 = 100_000_000;

/// Returns a definition of a strategy file or of the strategy library; `None` if the library has no
/// definition with this id.
fn definition(db: &dyn Db, id: GlobalId) -> Option<Arc<Definition>> {
    if Library::contains(id) {
        return library().definition(id).cloned();
    }
    let item = ItemId::from_global(id);
    let source = SourceItem::from(item);
    Some(Arc::new(Definition {
        id,
        text: source.text(db),
        item: Arc::new(strategy_parsed(db, item).item.clone()),
        checked: strategy_checked(db, source),
    }))
}

/// Returns the definitions of the strategy and of the program, and those that they use directly or
/// transitively, without those of the libraries. Definitions of programs with errors are left out.
pub(crate) fn definitions(
    db: &dyn Db,
    strategy: &Arc<Definition>,
    program: Option<ItemId>,
) -> Definitions {
    definitions_from(db, strategy, program, elaborated)
}

/// A query for the core term of a definition of RISE: [`elaborated`] or [`code_def`].
type DefQuery = fn(&dyn Db, SourceItem) -> Option<Arc<Def<Primitive>>>;

fn definitions_from(
    db: &dyn Db,
    strategy: &Arc<Definition>,
    program: Option<ItemId>,
    source: DefQuery,
) -> Definitions {
    let mut found = Definitions::default();
    let mut programs: Vec<ItemId> = program.into_iter().collect();
    let mut open = vec![strategy.clone()];
    while let Some(next) = open.pop() {
        for used in &next.checked.uses {
            match used.target {
                Named::Item(id) if !Library::contains(id) => {
                    if id != strategy.id
                        && !found.strategies.contains_key(&id)
                        && let Some(used) = definition(db, id)
                    {
                        found.strategies.insert(id, used.clone());
                        open.push(used);
                    }
                }
                Named::Program(id) => programs.push(ItemId::from_global(id)),
                _ => {}
            }
        }
    }
    found.strategies.insert(strategy.id, strategy.clone());
    add_used(db, programs, source, &mut found);
    found
}

/// Returns the definition of an item of RISE and those that it uses directly or transitively,
/// without those of the standard library and those with errors.
pub(crate) fn used_programs(db: &dyn Db, item: ItemId) -> Definitions {
    let mut found = Definitions::default();
    add_used(db, vec![item], elaborated, &mut found);
    found
}

fn add_used(db: &dyn Db, mut programs: Vec<ItemId>, source: DefQuery, found: &mut Definitions) {
    let mut seen: FxHashSet<ItemId> = programs.iter().copied().collect();
    while let Some(item) = programs.pop() {
        dependencies(db, item, |used| {
            if seen.insert(used) {
                programs.push(used);
            }
        });
        if !is_standard(db, item)
            && let Some(def) = source(db, item.into())
        {
            found.programs.insert(item.global(), def);
        }
    }
}

/// Returns true if the definition is in the standard library, which all strategies can use.
fn is_standard(db: &dyn Db, item: ItemId) -> bool {
    let file = SourceFile::from(SourceItem::from(item).file(db));
    matches!(file.path(db), FilePath::Std(_))
}

/// Returns the order in which traversals visit children, from the header of the strategy's file.
fn order(db: &dyn Db, strategy: GlobalId) -> Order {
    if Library::contains(strategy) {
        return Order::Default;
    }
    let file = SourceItem::from(ItemId::from_global(strategy)).file(db);
    order_in(db, file.into())
}

/// Returns the order of traversals in the header of a file; the default order if it has no such
/// header, or is no strategy file.
pub(crate) fn order_in(db: &dyn Db, file: SourceFile) -> Order {
    if file.language(db) != Language::Elevate {
        return Order::Default;
    }
    let header = |item: &ItemId| match strategy_parsed(db, *item).item.kind {
        ItemKind::Traversal { order, .. } => order,
        _ => None,
    };
    let all = items(db, file);
    all.iter().find_map(header).unwrap_or_default()
}

/// The reason why a definition was not rewritten.
#[derive(Debug)]
pub enum Refusal {
    /// The definition has errors, or is no definition of RISE.
    NoProgram,
    /// The strategy has errors, or the strategy library has no such definition.
    NoStrategy,
    /// The strategy was evaluated or applied without success, for this reason.
    NotRewritten(NotRewritten),
    /// The tool panicked; this is the diagnostic for it.
    Bug(Box<Diagnostic>),
}

/// Applies a strategy of a strategy file or of the strategy library to a definition of RISE.
pub(crate) fn rewrite(
    db: &dyn Db,
    item: ItemId,
    strategy: GlobalId,
    request: &Request<'_>,
) -> Result<Rewritten, Refusal> {
    let strategy = definition(db, strategy).ok_or(Refusal::NoStrategy)?;
    let is_error = |found: &Diagnostic| found.severity == Severity::Error;
    if strategy.checked.diagnostics.iter().any(is_error) {
        return Err(Refusal::NoStrategy);
    }
    let order = order(db, strategy.id);
    rewrite_by(db, item, &strategy, order, request)
}

/// Applies a strategy without errors, which may be in no file, to a definition of RISE.
pub(crate) fn rewrite_by(
    db: &dyn Db,
    item: ItemId,
    strategy: &Arc<Definition>,
    order: Order,
    request: &Request<'_>,
) -> Result<Rewritten, Refusal> {
    rewrite_from(db, item, strategy, order, request, elaborated)
}

fn rewrite_from(
    db: &dyn Db,
    item: ItemId,
    strategy: &Arc<Definition>,
    order: Order,
    request: &Request<'_>,
    source: DefQuery,
) -> Result<Rewritten, Refusal> {
    let def = source(db, item.into()).ok_or(Refusal::NoProgram)?;
    let definitions = definitions_from(db, strategy, Some(item), source);
    rewrite_def(db, item, &def, strategy, definitions, order, request)
}

fn rewrite_def(
    db: &dyn Db,
    item: ItemId,
    def: &Def<Primitive>,
    strategy: &Arc<Definition>,
    definitions: Definitions,
    order: Order,
    request: &Request<'_>,
) -> Result<Rewritten, Refusal> {
    let text = SourceItem::from(item).text(db);
    catch_panic(&text, "rewriting", || {
        lang::rewrite(strategy, definitions, def, order, request)
    })
    .map_err(|failure| Refusal::Bug(Box::new(failure)))?
    .map_err(Refusal::NotRewritten)
}

/// Returns the program that a main expression `(strategy)(program)` names; `None` for other items.
pub(crate) fn program_of(db: &dyn Db, strategy: ItemId) -> Option<ItemId> {
    let definition = definition(db, strategy.global())?;
    lang::program_of(&definition).map(ItemId::from_global)
}

/// Runs an example, and reports a result that differs from the expected one. Returns nothing for
/// other items, and for examples with errors.
#[salsa::tracked(returns(clone))]
pub(crate) fn example(db: &dyn Db, item: SourceItem) -> Arc<[Diagnostic]> {
    let parsed = strategy_parsed(db, item.into());
    if !matches!(parsed.item.kind, ItemKind::Example { .. }) {
        return Arc::default();
    }
    let id = ItemId::from(item).global();
    let Some(example) = definition(db, id) else {
        return Arc::default();
    };
    let is_error = |found: &Diagnostic| found.severity == Severity::Error;
    if example.checked.diagnostics.iter().any(is_error) {
        return Arc::default();
    }
    let definitions = definitions(db, &example, None);
    let going_on = || {
        db.unwind_if_revision_cancelled();
        false
    };
    let order = order(db, id);
    let work = || lang::run_example(&example, definitions, order, Some(&going_on));
    catch_panic(&item.text(db), "running", work).map_or_else(|failure| [failure].into(), Arc::from)
}

/// The result of a definition's own strategy, or the errors of naming and applying it.
pub(crate) type Lowered = Result<Arc<LoweredDef>, Arc<[Diagnostic]>>;

/// A definition after its `@strategy`.
#[derive(Clone, Debug, PartialEq)]
pub struct LoweredDef {
    /// The resulting definition.
    pub def: Arc<Def<Primitive>>,
    /// The number of rule applications of the strategy.
    pub steps: u64,
    /// The conditions on sizes and the other assumptions of the rules, as text.
    pub assumed: Vec<String>,
    /// The names of the parameters that the strategy added to the definition.
    pub parameters: Vec<syntax::ast::Name>,
}

/// Applies the definition's own strategy, within the limit of work; returns `None` if it has none.
/// If the definition has errors, the result is a failure without diagnostics, because they have
/// been reported at their places.
#[salsa::tracked(returns(clone), lru = 512)]
pub(crate) fn lowered(db: &dyn Db, item: SourceItem) -> Option<Lowered> {
    let id = ItemId::from(item);
    let strategy = match named(db, id)? {
        Ok(strategy) => strategy,
        Err(wrong) => return Some(Err(Arc::new([wrong]))),
    };
    let span = item
        .strategy(db)
        .as_ref()
        .map_or_else(Span::default, |name| name.span);
    Some(match lowered_by(db, id, strategy) {
        Ok(lowered) => Ok(Arc::new(lowered)),
        // The errors of the definition have been reported at their places.
        Err(Refusal::NoProgram) => Err(Arc::default()),
        Err(refusal) => Err(Arc::new([complaint(&refusal, span)])),
    })
}

/// Returns the strategies with errors among the one that the definition names in `@strategy` and
/// those that it uses, each with its errors.
pub(crate) fn strategy_errors(db: &dyn Db, item: ItemId) -> Vec<(ItemId, Vec<Diagnostic>)> {
    let Some(strategy) = named(db, item)
        .and_then(Result::ok)
        .and_then(|id| definition(db, id))
    else {
        return Vec::new();
    };
    let used = definitions(db, &strategy, None).strategies;
    let errors = used.values().filter_map(|used| {
        let errors = used.checked.diagnostics.iter();
        let errors = errors.filter(|found| found.severity == Severity::Error);
        let errors: Vec<Diagnostic> = errors.cloned().collect();
        (!errors.is_empty()).then(|| (ItemId::from_global(used.id), errors))
    });
    errors.collect()
}

/// Returns the definition that code is generated from: the result of its own strategy, or the
/// written definition if it names none. Returns `None` if it has errors, or its strategy fails.
pub(crate) fn code_def(db: &dyn Db, item: SourceItem) -> Option<Arc<Def<Primitive>>> {
    match lowered(db, item) {
        Some(lowered) => lowered.ok().map(|lowered| lowered.def.clone()),
        None => elaborated(db, item),
    }
}

/// Returns the name of the strategy that is the default schedule of a definition for a target. It
/// keeps the rounding of the program if the definition, or one that it uses, has `@exact`.
pub(crate) fn schedule_name(db: &dyn Db, item: SourceItem, target: Target) -> &'static str {
    let description = target.description();
    match is_exact(db, item.into()) {
        true => description.exact_lowering,
        false => description.lowering,
    }
}

/// Lowers the definition that code is generated from by the default schedule of a target. Returns
/// `None` if that fails.
pub(crate) fn scheduled(
    db: &dyn Db,
    item: SourceItem,
    target: Target,
) -> Option<Arc<Def<Primitive>>> {
    by_library(db, item, schedule_name(db, item, target))
}

/// Contracts the sums of products in the definition that code is generated from, as the default
/// schedules do if it is not exact. Returns `None` if that fails.
pub(crate) fn contracted(db: &dyn Db, item: SourceItem) -> Option<Arc<Def<Primitive>>> {
    by_library(db, item, "contracted")
}

/// Removes the choices of how it is computed from the definition that code is generated from, as far as
/// possible. Returns `None` if that fails.
pub(crate) fn left_open(db: &dyn Db, item: SourceItem) -> Option<Arc<Def<Primitive>>> {
    by_library(db, item, "leaveOpen")
}

/// Lowers what [`left_open`] returns by the default schedule of a target. Returns `None` if that fails.
pub(crate) fn rescheduled(
    db: &dyn Db,
    item: SourceItem,
    target: Target,
    open: &Def<Primitive>,
) -> Option<Arc<Def<Primitive>>> {
    let schedule = definition(db, library().named(schedule_name(db, item, target))?)?;
    // All definitions are unfolded, so that the strategy needs only those that it uses itself.
    let used = definitions_from(db, &schedule, None, code_def);
    let going_on = || going_on(db);
    let (order, request) = (Order::Default, while_typing(&going_on));
    let rewritten = rewrite_def(db, item.into(), open, &schedule, used, order, &request);
    Some(Arc::new(rewritten.ok()?.def))
}

/// Applies the strategy of the library with this name to the definition that code is generated
/// from. Returns `None` if that fails.
fn by_library(db: &dyn Db, item: SourceItem, strategy: &str) -> Option<Arc<Def<Primitive>>> {
    let strategy = definition(db, library().named(strategy)?)?;
    let going_on = || going_on(db);
    let request = while_typing(&going_on);
    let order = Order::Default;
    let rewritten = rewrite_from(db, item.into(), &strategy, order, &request, code_def);
    Some(Arc::new(rewritten.ok()?.def))
}

/// Returns the text of a strategy that makes the same choices for the definition as the default
/// schedule of the target.
///
/// It is the strategy of the library with the choices as arguments of those rules in it that choose.
pub(crate) fn schedule_text(
    db: &dyn Db,
    item: SourceItem,
    target: Target,
    name: &str,
) -> Result<String, Refusal> {
    let going_on = || going_on(db);
    let mut request = while_typing(&going_on);
    request.options.trace = true;
    let schedule = library().named(schedule_name(db, item, target));
    let schedule = schedule.and_then(|id| definition(db, id));
    let schedule = schedule.ok_or(Refusal::NoStrategy)?;
    let order = Order::Default;
    let rewritten = rewrite_from(db, item.into(), &schedule, order, &request, code_def)?;
    let ItemKind::Strategy { body, .. } = &schedule.item.kind else {
        return Err(Refusal::NoStrategy);
    };
    let mut body = schedule.text[Range::from(schedule.item.expr(*body).span)].to_owned();
    for step in &rewritten.trace {
        if let Some((rule, _)) = step.rule.split_once('(') {
            body = with_arguments(&body, rule, &step.rule);
        }
    }
    let text = format!(
        "/// The default schedule of `{name}` for {}.\nstrategy {name}For{}: Strategy = {body}\n",
        target.title(),
        target.title(),
    );
    Ok(Language::Elevate.format(&text))
}

/// Replaces a name and its arguments, which contain no parentheses, in the text of an expression by
/// a call.
fn with_arguments(text: &str, name: &str, call: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let is_alone = |(at, found): &(usize, &str)| {
        !text[..*at].ends_with(is_word) && !text[at + found.len()..].starts_with(is_word)
    };
    let Some((at, _)) = text.match_indices(name).find(is_alone) else {
        return text.to_owned();
    };
    let after = &text[at + name.len()..];
    let rest = match after
        .strip_prefix('(')
        .and_then(|rest| rest.split_once(')'))
    {
        Some((_, rest)) => rest,
        None => after,
    };
    format!("{}{call}{rest}", &text[..at])
}

/// Returns false, or unwinds if the query is cancelled.
fn going_on(db: &dyn Db) -> bool {
    db.unwind_if_revision_cancelled();
    false
}

/// Returns the request for applying a strategy in a query: its work is limited by [`WORK_LIMIT`].
fn while_typing<'f>(cancelled: &'f dyn Fn() -> bool) -> Request<'f> {
    Request {
        options: Fuel {
            work: WORK_LIMIT,
            cancelled: Some(cancelled),
            ..Fuel::default()
        },
        ..Request::default()
    }
}

/// Applies a strategy to a definition, within the limit of work.
fn lowered_by(db: &dyn Db, item: ItemId, strategy: GlobalId) -> Result<LoweredDef, Refusal> {
    let going_on = || going_on(db);
    let rewritten = rewrite(db, item, strategy, &while_typing(&going_on))?;
    let parameters = rewritten.parameters.iter();
    Ok(LoweredDef {
        steps: rewritten.steps,
        assumed: assumed(&rewritten),
        parameters: parameters.map(|p| p.name.clone()).collect(),
        def: Arc::new(rewritten.def),
    })
}

pub(crate) fn assumed(rewritten: &Rewritten) -> Vec<String> {
    let names = rise::Names(rewritten.run.store.var_names().into());
    let sizes = rewritten.obligations.iter();
    sizes
        .map(|prop| rise::print::prop_text(prop, &names))
        .chain(rewritten.assumed.iter().cloned())
        .collect()
}

/// Creates a diagnostic for a refusal at `span`, the place that names the strategy. The place of
/// the program where the rule was tried, or that in the text of the strategy where its evaluation
/// failed, is added as a related one if it is known.
pub(crate) fn complaint(refusal: &Refusal, span: Span) -> Diagnostic {
    let error = |message: &str| Diagnostic::error(codes::STRATEGY_FAILS, span, message);
    match refusal {
        Refusal::NoProgram => error("the definition has errors, so it cannot be rewritten"),
        Refusal::NoStrategy => error("the strategy has errors"),
        Refusal::Bug(found) => (**found).clone(),
        Refusal::NotRewritten(NotRewritten::Strategy(trouble)) => {
            let found = error(&trouble.message);
            match trouble.at {
                Some((item, span)) if !Library::contains(item) => {
                    let item = Some(item);
                    found.related(syntax::ItemSpan { item, span }, "the error is here")
                }
                _ => found,
            }
        }
        Refusal::NotRewritten(NotRewritten::NotTuned(wrong)) => {
            error(&wrong.message).help(wrong.help.clone())
        }
        Refusal::NotRewritten(NotRewritten::TooLarge) => {
            error("the program grows too large, or nests too deeply")
        }
        Refusal::NotRewritten(NotRewritten::Parameters(open)) => {
            let names: Vec<String> = open.iter().map(|open| format!("`{}`", open.name)).collect();
            let (names, verb) = (names.join(", "), if open.len() == 1 { "is" } else { "are" });
            error(&format!("{names} {verb} not given a value by the strategy"))
                .help("write a value for each: `tune name : Nat = 32`")
        }
        Refusal::NotRewritten(NotRewritten::Failed(report)) => {
            let lines: Vec<&str> = std::iter::once(report.message.as_str())
                .chain(report.notes.iter().map(String::as_str))
                .collect();
            let found = error(&lines.join("\n"));
            match report.site {
                Some(site) if site.head != span => found.related(site.head, "tried here"),
                _ => found,
            }
        }
    }
}

/// Returns true if the definition, or one that it uses directly or transitively, names a strategy
/// in `@strategy`.
pub(crate) fn is_lowered(db: &dyn Db, item: ItemId) -> bool {
    uses_any(db, item, &|used| used.strategy(db).is_some())
}

/// Returns true if the definition, or one that it uses directly or transitively, has `@exact`.
pub(crate) fn is_exact(db: &dyn Db, item: ItemId) -> bool {
    uses_any(db, item, &|used| used.is_exact(db))
}

/// Returns true if a condition holds for the definition, or one that it uses directly or
/// transitively.
fn uses_any(db: &dyn Db, item: ItemId, condition: &dyn Fn(SourceItem) -> bool) -> bool {
    let mut seen = FxHashSet::from_iter([item]);
    let mut open = vec![item];
    while let Some(next) = open.pop() {
        if condition(SourceItem::from(next)) {
            return true;
        }
        for (_, binding) in bindings(db, next.into()).iter() {
            if let Binding::Def(used) = *binding
                && seen.insert(used)
            {
                open.push(used);
            }
        }
    }
    false
}
