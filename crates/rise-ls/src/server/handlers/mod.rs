//! The handlers of requests, each of which reads one snapshot. The files are named after the
//! methods of the protocol.

pub mod call_hierarchy;
pub mod code_action;
pub mod code_lens;
pub mod completion;
pub mod definition;
pub mod diagnostics;
pub mod document_highlight;
pub mod document_link;
pub mod explain;
pub mod explain_diagnostic;
pub mod folding_range;
pub mod formatting;
pub mod hover;
pub mod inlay_hint;
pub mod preview;
pub mod record;
pub mod references;
pub mod rename;
pub mod run;
pub mod selection_range;
pub mod semantic_tokens;
pub mod signature_help;
pub mod strategies;
pub mod symbols;
pub mod syntax_tree;
pub mod virtual_document;
pub mod why;

pub use tower_lsp::jsonrpc::Result as Answer;
