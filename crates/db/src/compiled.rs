//! The stages of compiling a definition, as the database answers them.

use crate::*;

/// Stages.
impl Database {
    /// The linked program of the definition with its functions applied, or what keeps it from
    /// having one. The same holds of what follows.
    pub fn normalised(&self, item: ItemId) -> Staged<rise::core::Program<rise::Primitive>> {
        queries::settle(self, [item]);
        stages::normalised(self, item.into())
    }

    /// The program that a definition of DPIA is for a target, and its form: functional or
    /// imperative.
    pub fn compiled_phrase(
        &self,
        item: ItemId,
        target: dpia::Target,
    ) -> Staged<dpia::definition::Compiled> {
        queries::settle(self, [item]);
        phrases::compiled(self, item.into(), target)
    }

    /// The program of RISE that a functional definition of DPIA is, with its functions applied.
    pub fn plain(&self, item: ItemId) -> Staged<rise::core::Program<rise::Primitive>> {
        queries::settle(self, [item]);
        phrases::plain(self, item.into())
    }

    /// The functional phrase.
    pub fn functional(&self, item: ItemId, target: dpia::Target) -> Staged<dpia::PhraseProgram> {
        queries::settle(self, [item]);
        stages::functional(self, item.into(), target)
    }

    /// The imperative program.
    pub fn imperative(&self, item: ItemId, target: dpia::Target) -> Staged<dpia::PhraseProgram> {
        queries::settle(self, [item]);
        stages::imperative(self, item.into(), target)
    }

    /// The generated text.
    pub fn module(&self, item: ItemId, target: dpia::Target) -> Staged<codegen::Module> {
        queries::settle(self, [item]);
        stages::module(self, item.into(), target)
    }

    /// The kernels for OpenCL as they are for work-groups of this size: what a launch is compiled
    /// for whose size was chosen, and is not said by the program.
    pub fn module_of_groups(&self, item: ItemId, local: [u64; 3]) -> Staged<codegen::Module> {
        queries::settle(self, [item]);
        stages::module_of_groups(self, item.into(), local)
    }
}
