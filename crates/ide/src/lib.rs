//! Editor features as functions from the database to plain data: byte spans, strings and edits. No
//! LSP type is used.
//!
//! Every function but [`fix_all()`] reads one snapshot of the database and does not change it. Only
//! the items that an answer needs are analysed, so an answer about one place does not require the
//! analysis of the whole file.

mod assists;
mod barriers;
mod builtin;
mod call_hierarchy;
mod completion;
mod concrete;
mod context;
mod diagnostics;
mod elision;
mod fix_all;
#[cfg(test)]
mod fixture;
mod flow;
mod folding;
mod formatting;
mod free_vars;
mod fuzzy;
mod glossary;
mod goto;
mod hover;
mod imports;
mod inlay_hints;
mod item_view;
mod lenses;
mod links;
mod markdown;
mod position;
mod preview;
mod references;
mod rename;
mod rewrites;
mod selection;
mod semantic_tokens;
mod signature_help;
mod snippet;
mod strategies;
mod symbols;
mod token;
mod tree;

pub use assists::{
    Assist, AssistEdits, AssistEffect, AssistRequest, NestLoop, Prompt, RewriteExplanation,
    UndoableRewrite, assists, explain_rewrite, lowered_copy, lowers, resolve_assist,
};
pub use builtin::Builtin;
pub use call_hierarchy::{Call, incoming_calls, outgoing_calls, prepare_call_hierarchy};
pub use completion::{
    COMPLETION_LIMIT, Completion, CompletionKind, CompletionSource, completions, in_annotation,
    in_file_name, prepare_completions, resolve_completion,
};
pub use concrete::SyntaxTree;
pub use diagnostics::{FileDiagnostic, FileFix, RelatedPlace, diagnostics, item_diagnostics};
pub use fix_all::{FixedFile, fix_all, fix_all_in_copy};
pub use flow::AccessFlow;
pub use folding::{Folding, FoldingKind, folding_ranges};
pub use formatting::{format, format_range};
pub use glossary::glossary;
pub use goto::{goto_definition, goto_type_definition};
pub use hover::{Hover, Repeated, hover};
pub use inlay_hints::{InlayConfig, InlayHint, InlayKind, inlay_hints};
pub use lenses::{Lens, lenses};
pub use links::{DocumentLink, document_links};
pub use position::{FilePosition, FileRange, NavTarget, SourceEdits, SymbolKind, TextEdit};
pub use preview::{Form, Made, Preview, PreviewPart, form_target, preview};
pub use references::{Highlight, HighlightKind, Reference, highlights, references};
pub use rename::{RenameError, RenameTarget, prepare_rename, rename};
pub use rewrites::{
    AppliedRewrite, AssistKind, RewriteAction, Rewritten, Unwritable, WhyNot, apply_rewrite,
    extended, recorded, rewrites, rewritten, why_not,
};
pub use selection::selection_ranges;
pub use semantic_tokens::{Modifiers, Token, TokenType, semantic_tokens};
pub use signature_help::{Signature, SignatureHelp, signature_help};
pub use strategies::offered::{OfferedStrategy, StrategyParameter, offered_strategies};
pub use strategies::stepping::{SteppedProgram, Stepping, StrategyStep, stepped};
pub use strategies::steps::{StepPlaces, assumption_text};
pub use symbols::{DocumentSymbol, document_symbols, workspace_symbols};
