//! The database: incremental computation, by salsa, of all information about a set of files.
//!
//! The unit of computation is the item (such as an import, a definition or an example): each has
//! its own input, its text, and most salsa queries compute one property of one item. Positions are
//! relative to the item, so an edit that only moves an item recomputes nothing in it. This crate
//! reads and writes no files, and is the only one that uses salsa.
//!
//! The modules form layers. A module uses only modules of its own layer and of earlier ones:
//!
//! 1. `codes`, `panics`, `nesting`, `files`, `language`, `trees`, `header`, `split`: codes of
//!    diagnostics, isolation of panics, a check of the order of evaluation, identifiers, paths,
//!    languages, and parsed texts;
//! 2. `inputs`, `options`: the salsa inputs, and the trait of the database that queries use;
//! 3. `items`, `scope`, `recursion`, `cross_item_diagnostics`: syntax trees and names;
//! 4. `annotations`, `types`, `terms`: checks of annotations, types and core terms of programs;
//! 5. `strategies`: types of strategies, and their application to programs;
//! 6. `demand`, `given`: the evaluation of types, dependencies first, and strategies that
//!    users enter as text;
//! 7. `diagnostics`, `stages`, `cost`, `flow`, `values`: the stages of compilation, and their results;
//! 8. `targets`, `runs`: all diagnostics, including those for targets, and the items that have to
//!    be run for them;
//! 9. `database`: the type [`Database`], and all of its methods.

mod annotations;
pub mod codes;
mod cost;
mod cross_item_diagnostics;
mod database;
mod demand;
mod diagnostics;
mod files;
mod flow;
mod given;
mod header;
mod inputs;
mod items;
mod language;
mod nesting;
mod options;
mod panics;
mod recursion;
mod runs;
mod scope;
mod split;
mod stages;
mod strategies;
mod targets;
mod terms;
mod trees;
mod types;
mod values;

pub use codegen::{Target, Targets};
pub use cost::DefinitionEstimate;
pub use database::{Database, FileReport, LogKey, Usage};
pub use dpia::target::VectorWidths;
pub use dpia::{Device, IndexPolicy, IndexWidth};
pub use files::{FileId, FilePath, ItemId, ReadError};
pub use given::GivenStrategy;
pub use header::{Declaration, Header, StrategyName};
pub use inputs::FileState;
pub use items::Import;
pub use language::Language;
pub use recursion::Recursion;
pub use runs::RunInputs;
pub use salsa::Cancelled;
pub use scope::{Binding, Definitions, Origin, Scope};
pub use split::ParsedFile;
pub use stages::StageResult;
pub use strategies::{LoweredDef, Refusal};
pub use values::{Values, default_sizes};
