//! The database's methods for the stages of compilation.

use std::sync::Arc;

use codegen::cost::Machine;
use codegen::{Listing, Module, Stage, Target};
use dpia::PhraseProgram;
use dpia::definition::Compiled;
use dpia::functional::DataFlow;
use rise::Primitive;
use rise::core::{Def, LinkError, Program};
use syntax::Diagnostic;
use syntax::ast::Name;

use super::Database;
use crate::cost::{self, DefinitionEstimate};
use crate::files::ItemId;
use crate::flow::flow;
use crate::stages::{self, StageResult, frontend, phrases, programs};
use crate::targets;
use crate::terms;
use crate::values::{self, Values};

/// Methods that return the stages of compilation.
impl Database {
    /// Returns the definition of RISE as a core term that refers to other definitions by their
    /// numbers; `None` if it has errors, or the item is no definition of RISE.
    pub fn elaborated(&self, item: ItemId) -> Option<Arc<Def<Primitive>>> {
        terms::elaborated(self, self.demand(item))
    }

    /// Returns the definition of RISE as a closed program, in which all definitions that it uses
    /// are inlined. Strategies are not applied.
    pub fn linked(&self, item: ItemId) -> Result<Arc<Program<Primitive>>, LinkError> {
        terms::linked(self, self.demand(item))
    }

    /// Returns the program of [`Database::code_linked`] in normal form; fails for a definition of
    /// DPIA. This method and the following ones that return a [`StageResult`] fail with the
    /// diagnostics that prevent the stage.
    pub fn normalised(&self, item: ItemId) -> StageResult<Program<Primitive>> {
        let item = self.demand(item);
        frontend(self, item).normalised(self, item)
    }

    /// Returns the program of a definition of DPIA for a target, its form (functional or
    /// imperative), and its diagnostics for the target.
    pub fn compiled_phrase(&self, item: ItemId, target: Target) -> StageResult<Compiled> {
        phrases::compiled(self, self.demand(item), target)
    }

    /// Returns the RISE program, in normal form, that a functional definition of DPIA computes.
    pub fn plain(&self, item: ItemId) -> StageResult<Program<Primitive>> {
        phrases::plain(self, self.demand(item))
    }

    /// Returns the program for the target in functional DPIA. A definition of RISE that makes no
    /// choice of implementation gets the default schedule of the target; fails for an imperative
    /// definition of DPIA.
    pub fn functional(&self, item: ItemId, target: Target) -> StageResult<PhraseProgram> {
        let item = self.demand(item);
        frontend(self, item).functional(self, item, target)
    }

    /// Returns the program for the target in imperative DPIA.
    pub fn imperative(&self, item: ItemId, target: Target) -> StageResult<PhraseProgram> {
        stages::imperative(self, self.demand(item), target)
    }

    /// Returns the generated code for the target.
    pub fn module(&self, item: ItemId, target: Target) -> StageResult<Module> {
        stages::module(self, self.demand(item), target)
    }

    /// Returns the program in the loop language at a point in its compilation.
    pub fn listing(&self, item: ItemId, stage: Stage) -> StageResult<Listing> {
        stages::listing(self, self.demand(item), stage)
    }

    /// Estimates the time of the program on a machine, by default that of the target, at sizes by
    /// name, and returns the hints of the estimate as diagnostics.
    pub fn estimate_on(
        &self,
        item: ItemId,
        target: Target,
        machine: Option<&Machine>,
        sizes: &[(Name, i64)],
    ) -> StageResult<DefinitionEstimate> {
        let item = self.demand(item);
        let estimate = cost::estimate_on(self, item, target, machine, sizes)?;
        let mut hints = cost::diagnostics(self, item, target, &estimate);
        hints.extend(cost::slower_than_default(
            self, item, target, machine, sizes, &estimate,
        ));
        Ok(Arc::new(DefinitionEstimate { estimate, hints }))
    }

    /// Returns the text of a strategy in ELEVATE that makes the same choices for the definition as the
    /// default schedule of the target.
    ///
    /// # Errors
    /// The definition has errors, or makes choices of its own, or the schedule fails.
    pub fn schedule_text(&self, item: ItemId, target: Target) -> Result<String, Arc<[Diagnostic]>> {
        programs::schedule_text(self, self.demand(item), target)
    }

    /// Returns the generated code for work-groups of this size, which replaces the size in the
    /// program. This is for a launch whose size is chosen at run time.
    pub fn module_of_groups(
        &self,
        item: ItemId,
        target: Target,
        local: [u64; 3],
    ) -> StageResult<Module> {
        stages::module_of_groups(self, self.demand(item), target, local)
    }

    /// Links the program that code of a definition of RISE is generated from: each definition with
    /// `@strategy` is replaced by the result of its strategy.
    pub fn code_linked(&self, item: ItemId) -> StageResult<Program<Primitive>> {
        programs::code_linked(self, self.demand(item))
    }

    /// Returns the program whose results the code for a target computes, if the default schedule
    /// contracts sums of products: the program with `fma` in their place. Returns `None` if the
    /// code computes the results of the program itself.
    pub fn contracted_program(
        &self,
        item: ItemId,
        target: Target,
    ) -> Option<StageResult<Program<Primitive>>> {
        programs::contracted_program(self, self.demand(item), target)
    }

    /// Returns the access of each expression of the definition of RISE when it is compiled for the
    /// target; `None` if it cannot be translated to functional DPIA.
    pub fn flow(&self, item: ItemId, target: Target) -> Option<Arc<DataFlow>> {
        flow(self, self.demand(item), target)
    }

    /// Returns the values of the expressions of a definition of RISE for small sizes: those of
    /// `@run` that are small, and otherwise small ones that satisfy the conditions; the elements of
    /// its arguments are 0, 1, 2, …. Returns `None` if the definition is no program, if no such
    /// sizes are found, and for programs with C functions of their own, which are not run.
    pub fn values(&self, item: ItemId) -> Option<Arc<Values>> {
        values::values(self, self.demand(item))
    }
}

/// Methods for a definition in no file: the result of a rewrite.
impl Database {
    /// Returns the errors that a definition has with the right side `new` and not with `old`, as a
    /// program for the given target, or for its own targets if none is given. Implementations that
    /// are still to be chosen are no errors; errors in generating code are only found if `generate`
    /// is true. The places of the diagnostics have no meaning. If no target is given, the result is
    /// empty for a definition that has a strategy, for one that neither names a target nor is a
    /// program by itself, and for a `new` that makes no choice of implementation.
    pub fn new_errors(
        &self,
        item: ItemId,
        sides: (&Arc<Def<Primitive>>, &Arc<Def<Primitive>>),
        target: Option<Target>,
        generate: bool,
    ) -> Vec<Diagnostic> {
        targets::new_errors(self, self.demand(item).into(), sides, target, generate)
    }
}
