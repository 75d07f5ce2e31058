//! The capabilities that the server announces.

use codegen::Stage;
use db::Target;
use serde_json::{Value, json};
use tower_lsp::lsp_types::{
    CallHierarchyServerCapability, CodeActionOptions, CodeActionProviderCapability,
    CodeLensOptions, CompletionOptions, CompletionOptionsCompletionItem, DiagnosticOptions,
    DiagnosticServerCapabilities, DocumentLinkOptions, ExecuteCommandOptions,
    FoldingRangeProviderCapability, HoverProviderCapability, InlayHintOptions,
    InlayHintServerCapabilities, OneOf, RenameOptions, SaveOptions,
    SelectionRangeProviderCapability, SemanticTokenModifier, SemanticTokenType,
    SemanticTokensFullOptions, SemanticTokensLegend, SemanticTokensOptions, ServerCapabilities,
    SignatureHelpOptions, TextDocumentSyncCapability, TextDocumentSyncKind,
    TextDocumentSyncOptions, TextDocumentSyncSaveOptions, TypeDefinitionProviderCapability,
    WorkDoneProgressOptions, WorkspaceFoldersServerCapabilities, WorkspaceServerCapabilities,
};

use super::config::ClientCapabilities;
use super::handlers::code_lens::{RUN, has_lenses};
use super::positions::Encoding;

const NO_PROGRESS: WorkDoneProgressOptions = WorkDoneProgressOptions {
    work_done_progress: None,
};

pub fn capabilities(encoding: Encoding, client: &ClientCapabilities) -> ServerCapabilities {
    let code_actions = CodeActionOptions {
        code_action_kinds: Some(super::handlers::code_action::kinds().collect()),
        resolve_provider: Some(true),
        work_done_progress_options: NO_PROGRESS,
    };
    ServerCapabilities {
        position_encoding: Some(encoding.kind()),
        text_document_sync: Some(synchronisation()),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        completion_provider: Some(completion()),
        signature_help_provider: Some(SignatureHelpOptions {
            trigger_characters: Some(vec!["(".into(), ",".into()]),
            retrigger_characters: Some(vec![")".into()]),
            work_done_progress_options: NO_PROGRESS,
        }),
        definition_provider: Some(OneOf::Left(true)),
        type_definition_provider: Some(TypeDefinitionProviderCapability::Simple(true)),
        references_provider: Some(OneOf::Left(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        workspace_symbol_provider: Some(OneOf::Left(true)),
        code_action_provider: client
            .code_actions
            .then_some(CodeActionProviderCapability::Options(code_actions)),
        document_formatting_provider: Some(OneOf::Left(true)),
        document_range_formatting_provider: Some(OneOf::Left(true)),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: NO_PROGRESS,
        })),
        document_link_provider: Some(DocumentLinkOptions {
            resolve_provider: Some(false),
            work_done_progress_options: NO_PROGRESS,
        }),
        code_lens_provider: has_lenses(client).then_some(CodeLensOptions {
            resolve_provider: Some(false),
        }),
        execute_command_provider: (!client.has_commands).then(|| ExecuteCommandOptions {
            commands: vec![RUN.to_owned()],
            work_done_progress_options: WorkDoneProgressOptions {
                work_done_progress: Some(true),
            },
        }),
        folding_range_provider: Some(FoldingRangeProviderCapability::Simple(true)),
        selection_range_provider: Some(SelectionRangeProviderCapability::Simple(true)),
        semantic_tokens_provider: Some(tokens().into()),
        inlay_hint_provider: Some(OneOf::Right(InlayHintServerCapabilities::Options(
            InlayHintOptions {
                work_done_progress_options: NO_PROGRESS,
                resolve_provider: Some(false),
            },
        ))),
        call_hierarchy_provider: Some(CallHierarchyServerCapability::Simple(true)),
        diagnostic_provider: client.pulls_diagnostics.then(pulled_diagnostics),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(OneOf::Left(true)),
            }),
            file_operations: None,
        }),
        experimental: Some(
            json!({"riseVirtualDocument": true, "riseSyntaxTree": true, "riseStatus": true, "riseRun": true, "risePasses": passes()}),
        ),
        ..ServerCapabilities::default()
    }
}

/// Returns the names of the passes of each target, in order. `rise/preview` shows a program after
/// one of them in the form `TARGET:PASS`.
fn passes() -> Value {
    let of_target = |target: Target| {
        let names = Stage::all(target).map(|stage| Value::from(stage.name()));
        (target.as_str().to_owned(), names.collect::<Value>())
    };
    Value::Object(Target::all().map(of_target).collect())
}

fn synchronisation() -> TextDocumentSyncCapability {
    TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::INCREMENTAL),
        save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions {
            include_text: Some(false),
        })),
        ..TextDocumentSyncOptions::default()
    })
}

fn completion() -> CompletionOptions {
    CompletionOptions {
        trigger_characters: Some(
            [".", ">", "@", "(", ",", "\"", "/"]
                .map(String::from)
                .into(),
        ),
        resolve_provider: Some(true),
        completion_item: Some(CompletionOptionsCompletionItem {
            label_details_support: Some(true),
        }),
        ..CompletionOptions::default()
    }
}

fn tokens() -> SemanticTokensOptions {
    SemanticTokensOptions {
        work_done_progress_options: NO_PROGRESS,
        legend: SemanticTokensLegend {
            token_types: ide::TokenType::ALL
                .iter()
                .map(|ty| SemanticTokenType::new(ty.as_str()))
                .collect(),
            token_modifiers: ide::Modifiers::NAMES
                .iter()
                .map(|name| SemanticTokenModifier::new(name))
                .collect(),
        },
        range: Some(true),
        full: Some(SemanticTokensFullOptions::Delta { delta: Some(true) }),
    }
}

fn pulled_diagnostics() -> DiagnosticServerCapabilities {
    DiagnosticServerCapabilities::Options(DiagnosticOptions {
        identifier: Some("rise".into()),
        inter_file_dependencies: true,
        workspace_diagnostics: true,
        work_done_progress_options: NO_PROGRESS,
    })
}
