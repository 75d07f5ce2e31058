//! The database's methods for applying strategies to definitions.

use crate::*;

/// Methods that apply strategies.
impl Database {
    /// Applies a strategy of a file or of the library to a definition of RISE. The result refers to
    /// definitions of the standard library by the numbers that strategies use;
    /// [`Database::to_database_def`] converts them to those of the database.
    ///
    /// # Errors
    /// Fails with the reason why the definition is not rewritten.
    pub fn rewrite(
        &self,
        item: ItemId,
        strategy: GlobalId,
        request: &elevate::lang::Request<'_>,
    ) -> Result<elevate::lang::Rewritten, Refusal> {
        queries::evaluate_dependencies_first(self, [item]);
        if !elevate::lang::Library::contains(strategy) {
            queries::evaluate_dependencies_first(self, [self.item_of(strategy)]);
        }
        strategies::rewrite(self, item, strategy, request)
    }

    /// Converts a definition that a strategy made from one of this file to the numbers of the
    /// database.
    pub fn to_database_def(
        &self,
        file: FileId,
        def: &rise::core::Def<rise::Primitive>,
    ) -> Arc<rise::core::Def<rise::Primitive>> {
        strategies::own(self, file, def)
    }

    /// Converts a definition to the form that strategies rewrite: the definitions of the standard
    /// library that it uses have the numbers that are the same in all databases.
    pub fn to_strategy_def(
        &self,
        def: &rise::core::Def<rise::Primitive>,
    ) -> Arc<rise::core::Def<rise::Primitive>> {
        strategies::standard(self, def)
    }

    /// Returns the definitions that an item of RISE uses directly or transitively, in the form that
    /// strategies rewrite.
    pub fn used_programs(&self, item: ItemId) -> elevate::lang::Definitions {
        queries::evaluate_dependencies_first(self, [item]);
        strategies::used_programs(self, item)
    }

    /// Renders the assumptions of the rules of a run.
    pub fn assumed(&self, rewritten: &elevate::lang::Rewritten) -> Vec<String> {
        strategies::assumed(rewritten)
    }

    /// Links a definition with another right side, and returns the closed program in normal form.
    pub fn program_with(
        &self,
        item: ItemId,
        def: &Arc<rise::core::Def<rise::Primitive>>,
    ) -> StageResult<rise::core::Program<rise::Primitive>> {
        queries::evaluate_dependencies_first(self, [item]);
        strategies::forms::program(self, item, def)
    }

    /// Translates a closed program in normal form to functional DPIA.
    pub fn functional_of(
        &self,
        item: ItemId,
        program: &rise::core::Program<rise::Primitive>,
        target: Target,
    ) -> StageResult<dpia::PhraseProgram> {
        strategies::forms::functional(self, item, program, target)
    }

    /// Translates a program in functional DPIA to imperative DPIA.
    pub fn imperative_of(
        &self,
        item: ItemId,
        phrase: &dpia::PhraseProgram,
    ) -> StageResult<dpia::PhraseProgram> {
        strategies::forms::imperative(self, item, phrase)
    }

    /// Generates the code of a program in imperative DPIA for a target.
    pub fn module_of(
        &self,
        item: ItemId,
        program: &dpia::PhraseProgram,
        target: Target,
    ) -> StageResult<codegen::Module> {
        strategies::forms::module(self, item, program, target)
    }

    /// Converts a refusal to a diagnostic at the place that names the strategy.
    pub fn complaint(&self, refusal: &Refusal, span: Span) -> Diagnostic {
        strategies::complaint(refusal, span)
    }

    /// Returns the program that a main expression `(strategy)(program)` names.
    pub fn strategy_program(&self, strategy: ItemId) -> Option<ItemId> {
        queries::evaluate_dependencies_first(self, [strategy]);
        strategies::program_of(self, strategy)
    }

    /// Returns the result of the definition's own `@strategy`; `None` if it has none.
    pub fn lowered(&self, item: ItemId) -> Option<StageResult<LoweredDef>> {
        queries::evaluate_dependencies_first(self, [item]);
        strategies::lowered(self, item.into())
    }

    /// Links the program that code is generated from: each definition with `@strategy` is replaced
    /// by the result of its strategy.
    pub fn code_linked(&self, item: ItemId) -> StageResult<rise::core::Program<rise::Primitive>> {
        queries::evaluate_dependencies_first(self, [item]);
        stages::code_linked(self, item.into())
    }
}
