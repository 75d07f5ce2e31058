//! What strategies make of definitions, as the database answers it.

use crate::*;

/// Strategies.
impl Database {
    /// Applies a strategy, which may be one of the library, to a definition of RISE. Definitions
    /// in the result have the numbers that strategies know them by; [`Database::own_def`] gives
    /// them those of the database.
    ///
    /// # Errors
    /// Why it is not rewritten.
    pub fn rewrite(
        &self,
        item: ItemId,
        strategy: GlobalId,
        request: &elevate::lang::Request<'_>,
    ) -> Result<elevate::lang::Rewritten, Refusal> {
        queries::settle(self, [item]);
        if !elevate::lang::Library::contains(strategy) {
            queries::settle(self, [self.item_of(strategy)]);
        }
        strategies::rewrite(self, item, strategy, request)
    }

    /// The definition, which a strategy made of one of this file, with the numbers of the database.
    pub fn own_def(
        &self,
        file: FileId,
        def: &rise::core::Def<rise::Primitive>,
    ) -> Arc<rise::core::Def<rise::Primitive>> {
        strategies::own(self, file, def)
    }

    /// The definition as strategies see it: those of the standard library that it uses have the
    /// numbers that hold for all databases.
    pub fn strategy_def(
        &self,
        def: &rise::core::Def<rise::Primitive>,
    ) -> Arc<rise::core::Def<rise::Primitive>> {
        strategies::standard(self, def)
    }

    /// The definitions that an item of RISE uses, and those that they use, as strategies see them.
    pub fn used_programs(&self, item: ItemId) -> elevate::lang::Definitions {
        queries::settle(self, [item]);
        strategies::used_programs(self, item)
    }

    /// What the rules of a run assumed, in words.
    pub fn assumed(&self, rewritten: &elevate::lang::Rewritten) -> Vec<String> {
        strategies::assumed(rewritten)
    }

    /// The closed program that a definition is with another right side, its functions applied.
    pub fn program_with(
        &self,
        item: ItemId,
        def: &Arc<rise::core::Def<rise::Primitive>>,
    ) -> Staged<rise::core::Program<rise::Primitive>> {
        queries::settle(self, [item]);
        strategies::forms::program(self, item, def)
    }

    /// Such a program as a functional phrase.
    pub fn functional_of(
        &self,
        item: ItemId,
        program: &rise::core::Program<rise::Primitive>,
        target: Target,
    ) -> Staged<dpia::PhraseProgram> {
        strategies::forms::functional(self, item, program, target)
    }

    /// Such a phrase as an imperative program.
    pub fn imperative_of(
        &self,
        item: ItemId,
        phrase: &dpia::PhraseProgram,
    ) -> Staged<dpia::PhraseProgram> {
        strategies::forms::imperative(self, item, phrase)
    }

    /// Such an imperative program as text of a target.
    pub fn module_of(
        &self,
        item: ItemId,
        program: &dpia::PhraseProgram,
        target: Target,
    ) -> Staged<codegen::Module> {
        strategies::forms::module(self, item, program, target)
    }

    /// What a refusal says, of the place that names the strategy.
    pub fn complaint(&self, refusal: &Refusal, span: Span) -> Diagnostic {
        strategies::complaint(refusal, span)
    }

    /// The program that a main expression `(strategy)(program)` names.
    pub fn strategy_program(&self, strategy: ItemId) -> Option<ItemId> {
        queries::settle(self, [strategy]);
        strategies::program_of(self, strategy)
    }

    /// What the definition's own `@strategy` makes of it; `None` if it names none.
    pub fn lowered(&self, item: ItemId) -> Option<Staged<LoweredDef>> {
        queries::settle(self, [item]);
        strategies::lowered(self, item.into())
    }

    /// The closed program that code is generated from: definitions that name a strategy are as
    /// that has made them.
    pub fn code_linked(&self, item: ItemId) -> Staged<rise::core::Program<rise::Primitive>> {
        queries::settle(self, [item]);
        stages::code_linked(self, item.into())
    }
}
