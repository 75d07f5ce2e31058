//! The database's methods for the stages of compilation.

use crate::*;

/// Methods that return the stages of compilation.
impl Database {
    /// Returns the linked program of the definition in normal form, or the diagnostics if there is
    /// none. The same holds for the following stages.
    pub fn normalised(&self, item: ItemId) -> StageResult<rise::core::Program<rise::Primitive>> {
        queries::evaluate_dependencies_first(self, [item]);
        stages::normalised(self, item.into())
    }

    /// Returns the program of a definition of DPIA for a target, and its form: functional or
    /// imperative.
    pub fn compiled_phrase(
        &self,
        item: ItemId,
        target: codegen::Target,
    ) -> StageResult<dpia::definition::Compiled> {
        queries::evaluate_dependencies_first(self, [item]);
        phrases::compiled(self, item.into(), target)
    }

    /// Returns the RISE program, in normal form, that a functional definition of DPIA computes.
    pub fn plain(&self, item: ItemId) -> StageResult<rise::core::Program<rise::Primitive>> {
        queries::evaluate_dependencies_first(self, [item]);
        phrases::plain(self, item.into())
    }

    /// Returns the program in functional DPIA.
    pub fn functional(
        &self,
        item: ItemId,
        target: codegen::Target,
    ) -> StageResult<dpia::PhraseProgram> {
        queries::evaluate_dependencies_first(self, [item]);
        stages::functional(self, item.into(), target)
    }

    /// Returns the program in imperative DPIA.
    pub fn imperative(
        &self,
        item: ItemId,
        target: codegen::Target,
    ) -> StageResult<dpia::PhraseProgram> {
        queries::evaluate_dependencies_first(self, [item]);
        stages::imperative(self, item.into(), target)
    }

    /// Returns the generated code.
    pub fn module(&self, item: ItemId, target: codegen::Target) -> StageResult<codegen::Module> {
        queries::evaluate_dependencies_first(self, [item]);
        stages::module(self, item.into(), target)
    }

    /// Returns the program in the loop language at a point in its compilation.
    pub fn listing(&self, item: ItemId, stage: codegen::Stage) -> StageResult<codegen::Listing> {
        queries::evaluate_dependencies_first(self, [item]);
        stages::listing(self, item.into(), stage)
    }

    /// Returns the OpenCL kernels specialised for work-groups of this size. A launch is compiled
    /// for it if the size was chosen at run time and is not part of the program.
    pub fn module_of_groups(
        &self,
        item: ItemId,
        target: codegen::Target,
        local: [u64; 3],
    ) -> StageResult<codegen::Module> {
        queries::evaluate_dependencies_first(self, [item]);
        stages::module_of_groups(self, item.into(), target, local)
    }
}
