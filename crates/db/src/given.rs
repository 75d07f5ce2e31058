//! Strategies that a user enters as text.

use std::sync::Arc;

use elevate::engine::Strategy;
use elevate::lang::{self, Definition, GlobalEnv, Library, Resolution, Type, library};
use elevate::term::Store;
use rise::Resolution as Known;
use rustc_hash::FxHashSet;
use syntax::ast::Name;
use syntax::elevate::ast::{ItemKind, Order};
use syntax::{Diagnostic, GlobalId, Severity, Span, codes};

use crate::demand::evaluate;
use crate::files::{FileId, ItemId};
use crate::inputs::{Db, SourceFile};
use crate::panics::catch_panic;
use crate::scope::{Binding, Scope, programs, strategies};
use crate::strategies::{Refusal, definitions, order_in, rewrite_by, signature_of};
use crate::types::scheme;

/// The number of a strategy that no file defines; no name refers to it.
const GIVEN: GlobalId = GlobalId(u64::MAX);

/// A strategy that is given as text, with the names of a file in scope.
#[derive(Clone, Debug)]
pub struct GivenStrategy {
    definition: Arc<Definition>,
    order: Order,
}

/// The environment of a given strategy: the names in scope in a file.
struct FileEnv<'db> {
    db: &'db dyn Db,
    strategies: Arc<Scope>,
    programs: Programs<'db>,
}

struct Programs<'db> {
    db: &'db dyn Db,
    scope: Arc<Scope>,
}

impl lang::Env for FileEnv<'_> {
    fn resolve(&self, name: &str) -> Resolution {
        let own = match self.strategies.resolve(name) {
            Binding::Def(used) => {
                let id = used.global();
                Resolution::Item(id, signature_of(self.db, id))
            }
            Binding::Ambiguous(all) => {
                Resolution::Ambiguous(all.iter().map(|item| item.global()).collect())
            }
            Binding::Broken => Resolution::Broken(None),
            Binding::Unknown => Resolution::Unknown,
        };
        match own {
            Resolution::Item(..) | Resolution::Ambiguous(_) => own,
            Resolution::Broken(_) | Resolution::Unknown => match library().resolve(name) {
                Resolution::Unknown => own,
                found => found,
            },
        }
    }

    fn names(&self) -> Vec<Name> {
        let own = self.strategies.names().map(|(name, ..)| name.clone());
        own.chain(library().names().cloned()).collect()
    }

    fn rise(&self) -> &dyn rise::Env {
        &self.programs
    }

    fn is_library(&self, id: GlobalId) -> bool {
        Library::contains(id)
    }
}

impl rise::Env for Programs<'_> {
    fn resolve(&self, name: &str) -> Known {
        match self.scope.resolve(name) {
            Binding::Def(def) => match scheme(self.db, def.into()) {
                Some(scheme) => Known::Def(def.global(), scheme),
                None => Known::Broken(Some(def.global())),
            },
            Binding::Ambiguous(all) => {
                Known::Ambiguous(all.iter().map(|def| def.global()).collect())
            }
            Binding::Broken => Known::Broken(None),
            Binding::Unknown => Known::Unknown,
        }
    }

    fn names(&self) -> Vec<Name> {
        self.scope.names().map(|(name, ..)| name.clone()).collect()
    }
}

/// Checks an expression as a strategy, with the file's strategies and programs in scope.
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
        return Err(error("a strategy is expected, and there is nothing"));
    }
    if syntax::elevate::split(text).len() > 1 {
        return Err(error(
            "one strategy is expected, and there are several items",
        ));
    }
    let parsed = syntax::elevate::parse(text);
    let is_error = |found: &Diagnostic| found.severity == Severity::Error;
    if parsed.diagnostics.iter().any(is_error) {
        return Err(parsed.diagnostics.to_vec());
    }
    let ItemKind::Main { .. } = parsed.item.kind else {
        return Err(error("an expression is expected, and this is a definition"));
    };
    let source = SourceFile::from(file);
    let env = FileEnv {
        db,
        strategies: strategies(db, source),
        programs: Programs {
            db,
            scope: programs(db, source),
        },
    };
    let named = parsed.item.mentions().into_iter().flat_map(|mention| {
        [&env.strategies, &env.programs.scope]
            .into_iter()
            .filter_map(move |scope| match scope.resolve(&mention.name) {
                Binding::Def(item) => Some(item),
                _ => None,
            })
    });
    evaluate(
        db,
        named.collect::<Vec<ItemId>>(),
        &mut FxHashSet::default(),
    );
    let checked = catch_panic(text, "checking", || lang::check(&parsed.item, text, &env))
        .map_err(|failure| vec![failure])?;
    if checked.diagnostics.iter().any(is_error) {
        return Err(checked.diagnostics);
    }
    let ty = &checked.signature.scheme.ty;
    if !matches!(**ty, Type::Strategy(_) | Type::Result | Type::Error) {
        let found = checked.signature.scheme.text();
        return Err(error(&format!(
            "a strategy for a whole definition is expected, and this is {found}"
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

/// Returns the strategy for terms of this store, to which it adds the sizes that it leaves
/// open. The strategy is valid only as long as the returned world is kept. Returns `None` if it
/// cannot be evaluated.
pub(crate) fn given_for(
    db: &dyn Db,
    strategy: &GivenStrategy,
    store: &mut Store,
) -> Option<(Arc<GlobalEnv>, Strategy)> {
    let world = GlobalEnv::new(definitions(db, &strategy.definition, None), store);
    let strategy = lang::strategy_of(&world, &strategy.definition).ok()?;
    Some((world, strategy))
}

/// Applies a given strategy to a definition of RISE.
pub(crate) fn rewrite_given(
    db: &dyn Db,
    item: ItemId,
    strategy: &GivenStrategy,
    request: &lang::Request<'_>,
) -> Result<lang::Rewritten, Refusal> {
    rewrite_by(db, item, &strategy.definition, strategy.order, request)
}
