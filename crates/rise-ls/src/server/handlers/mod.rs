//! The handlers of requests, each of which reads one snapshot.

pub mod calls;
pub mod code_actions;
pub mod custom;
pub mod diagnostics;
pub mod edits;
pub mod language;
pub mod lenses;
pub mod navigation;
pub mod preview;
pub mod run;
pub mod strategies;
pub mod structure;
pub mod tokens;
pub mod why;

use tower_lsp::jsonrpc::Error;

pub type Answer<T> = Result<T, Error>;
