//! Strategies that a user enters as text: checking, evaluation and application.

use std::sync::Arc;

use elevate::engine::Strategy;
use elevate::lang::{self, Definition, GlobalEnv, Type};
use elevate::term::Store;
use rustc_hash::FxHashSet;
use syntax::elevate::ast::{ItemKind, Order};
use syntax::{Diagnostic, GlobalId, Severity, Span, codes};

use crate::demand::evaluate;
use crate::files::{FileId, ItemId};
use crate::header::Header;
use crate::inputs::{Db, SourceFile};
use crate::panics::catch_panic;
use crate::scope::{Binding, programs, resolved, strategies};
use crate::strategies::{ItemEnv, Refusal, definitions, order_in, rewrite_by};

/// The id of a strategy that a user enters as text; no name refers to it.
const GIVEN: GlobalId = GlobalId(u64::MAX);

/// A checked strategy that a user has entered as text, with the names of a file in scope.
#[derive(Clone, Debug)]
pub struct GivenStrategy {
    definition: Arc<Definition>,
    order: Order,
}

/// Checks an expression as a strategy for a whole definition, with the file's strategies and
/// programs in scope.
///
/// # Errors
/// Returns the errors of the text, with places in it.
pub(crate) fn given_strategy(
    db: &dyn Db,
    file: FileId,
    text: &str,
) -> Result<GivenStrategy, Vec<Diagnostic>> {
    let error = |message: &str| {
        let whole = Span::new(0, text.len() as u32);
        vec![Diagnostic::error(codes::SYNTAX_ERROR, whole, message)]
    };
    if text.trim().is_empty() {
        return Err(error("expected a strategy, found nothing"));
    }
    if syntax::elevate::split(text).len() > 1 {
        return Err(error(
            "expected one strategy, found several definitions or expressions",
        ));
    }
    let parsed = syntax::elevate::parse(text);
    let is_error = |found: &Diagnostic| found.severity == Severity::Error;
    if parsed.diagnostics.iter().any(is_error) {
        return Err(parsed.diagnostics.to_vec());
    }
    let ItemKind::Main { .. } = parsed.item.kind else {
        return Err(error("expected an expression, found a definition"));
    };
    let source = SourceFile::from(file);
    let header = Header::of_strategy(&parsed.item);
    let strategies = resolved(&header.free_names, &strategies(db, source));
    let programs = resolved(&header.programs, &programs(db, source));
    let used = strategies.iter().chain(programs.iter());
    let used = used.filter_map(|(_, binding)| match *binding {
        Binding::Def(item) => Some(item),
        _ => None,
    });
    evaluate(db, used, &mut FxHashSet::default());
    let env = ItemEnv::with(db, source, &strategies, &programs);
    let checked = catch_panic(text, "checking", || lang::check(&parsed.item, text, &env))
        .map_err(|failure| vec![failure])?;
    if checked.diagnostics.iter().any(is_error) {
        return Err(checked.diagnostics);
    }
    let ty = &checked.signature.scheme.ty;
    if !matches!(**ty, Type::Strategy(_) | Type::Result | Type::Error) {
        let found = checked.signature.scheme.text();
        return Err(error(&format!(
            "expected a strategy for a whole definition, found an expression of type {found}"
        )));
    }
    Ok(GivenStrategy {
        definition: Arc::new(Definition {
            id: GIVEN,
            text: text.into(),
            item: Arc::new(parsed.item),
            checked: Arc::new(checked),
        }),
        order: order_in(db, source),
    })
}

/// Evaluates the strategy for terms of `store`, and returns it with the global environment. Size
/// variables that the strategy leaves open are added to the store. The strategy is valid only as
/// long as the environment is kept. Returns `None` if it cannot be evaluated.
pub(crate) fn given_for(
    db: &dyn Db,
    strategy: &GivenStrategy,
    store: &mut Store,
) -> Option<(Arc<GlobalEnv>, Strategy)> {
    let world = GlobalEnv::new(definitions(db, &strategy.definition, None), store);
    let strategy = lang::strategy_of(&world, &strategy.definition).ok()?;
    Some((world, strategy))
}

/// Applies a strategy that is entered as text to a definition of RISE.
pub(crate) fn rewrite_given(
    db: &dyn Db,
    item: ItemId,
    strategy: &GivenStrategy,
    request: &lang::Request<'_>,
) -> Result<lang::Rewritten, Refusal> {
    rewrite_by(db, item, &strategy.definition, strategy.order, request)
}
