//! The database's methods for applying strategies to definitions.

use std::sync::Arc;

use codegen::Target;
use elevate::engine::Strategy;
use elevate::lang::{Definitions, GlobalEnv, Library, Request, Rewritten};
use elevate::term::Store;
use syntax::{Diagnostic, GlobalId, Span};

use super::Database;
use crate::files::{FileId, ItemId};
use crate::given::{self, GivenStrategy};
use crate::stages::StageResult;
use crate::strategies::{self, LoweredDef, Refusal};

/// Methods that apply strategies.
impl Database {
    /// Applies a strategy of a file or of the library to a definition of RISE.
    ///
    /// # Errors
    /// Fails with the reason why the definition is not rewritten.
    pub fn rewrite(
        &self,
        item: ItemId,
        strategy: GlobalId,
        request: &Request<'_>,
    ) -> Result<Rewritten, Refusal> {
        if !Library::contains(strategy) {
            self.demand(self.item_of(strategy));
        }
        strategies::rewrite(self, self.demand(item).into(), strategy, request)
    }

    /// Returns the definition of an item of RISE and those that it uses directly or transitively,
    /// without those of the standard library and those with errors.
    pub fn used_programs(&self, item: ItemId) -> Definitions {
        strategies::used_programs(self, self.demand(item).into())
    }

    /// Returns the texts of the conditions on sizes and of the other assumptions under which the
    /// result of a strategy is valid.
    pub fn assumed(&self, rewritten: &Rewritten) -> Vec<String> {
        strategies::assumed(rewritten)
    }

    /// Converts a refusal to a diagnostic at the place that names the strategy.
    pub fn complaint(&self, refusal: &Refusal, span: Span) -> Diagnostic {
        strategies::complaint(refusal, span)
    }

    /// Returns the strategies with errors among the one that the definition names in `@strategy` and
    /// those that it uses, each with its errors.
    pub fn strategy_errors(&self, item: ItemId) -> Vec<(ItemId, Vec<Diagnostic>)> {
        strategies::strategy_errors(self, self.demand(item).into())
    }

    /// Returns the program that a main expression `(strategy)(program)` names; `None` for other
    /// items.
    pub fn strategy_program(&self, strategy: ItemId) -> Option<ItemId> {
        strategies::program_of(self, self.demand(strategy).into())
    }

    /// Returns the result of applying the definition's own `@strategy` within a limit of work;
    /// `None` if it has none.
    pub fn lowered(&self, item: ItemId) -> Option<StageResult<LoweredDef>> {
        strategies::lowered(self, self.demand(item))
    }

    /// Returns the name of the strategy that is the default schedule of a definition for a target.
    pub fn schedule_name(&self, item: ItemId, target: Target) -> &'static str {
        strategies::schedule_name(self, self.demand(item), target)
    }

    /// Checks an expression as a strategy for a whole definition, with the file's strategies and
    /// programs in scope.
    ///
    /// # Errors
    /// Returns the errors of the text, with places in it.
    pub fn given_strategy(
        &self,
        file: FileId,
        text: &str,
    ) -> Result<GivenStrategy, Vec<Diagnostic>> {
        given::given_strategy(self, file, text)
    }

    /// Returns the strategy for the terms of `store`, with the global environment in which it is
    /// evaluated. The size variables that the strategy leaves open are added to the store. The
    /// strategy is valid only as long as the environment is kept. Returns `None` if it cannot be
    /// evaluated.
    pub fn given_for(
        &self,
        strategy: &GivenStrategy,
        store: &mut Store,
    ) -> Option<(Arc<GlobalEnv>, Strategy)> {
        given::given_for(self, strategy, store)
    }

    /// Applies a strategy that was entered as text to a definition of RISE.
    ///
    /// # Errors
    /// Fails with the reason why the definition is not rewritten.
    pub fn rewrite_given(
        &self,
        item: ItemId,
        strategy: &GivenStrategy,
        request: &Request<'_>,
    ) -> Result<Rewritten, Refusal> {
        given::rewrite_given(self, self.demand(item).into(), strategy, request)
    }
}
