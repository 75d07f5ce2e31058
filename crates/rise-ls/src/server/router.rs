//! The methods of the server, and the handlers of tower-lsp, which pass typed parameters to the
//! main loop and wait for its answer.

use std::time::Instant;

use crossbeam_channel::Sender;
use serde::de::IgnoredAny;
use serde_json::Value;
use tower_lsp::jsonrpc::ErrorCode;
use tower_lsp::lsp_types::request::*;
use tower_lsp::lsp_types::{
    DidChangeConfigurationParams, DidChangeTextDocumentParams, DidChangeWatchedFilesParams,
    DidChangeWorkspaceFoldersParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    DidSaveTextDocumentParams, ExecuteCommandParams, InitializeParams, InitializeResult,
    InitializedParams, OneOf, SymbolInformation, WorkDoneProgressCancelParams, WorkspaceSymbol,
    WorkspaceSymbolParams,
};
use tower_lsp::{LanguageServer, LspService};

use super::devices::DeviceList;
use super::event::{Event, Reply, error};
use super::handlers::explain::{ExplainParams, ExplainResult};
use super::handlers::explain_diagnostic::{ExplainDiagnosticParams, ExplainDiagnosticResult};
use super::handlers::preview::{PreviewIdentifier, PreviewParams, PreviewResult};
use super::handlers::record::{RecordParams, RecordResult};
use super::handlers::run::RunParams;
use super::handlers::strategies::{
    ApplyResult, LowerParams, StepsParams, StepsResult, StrategiesParams, StrategiesResult,
};
use super::handlers::syntax_tree::{SyntaxTreeParams, SyntaxTreeResult};
use super::handlers::virtual_document::{VirtualDocument, VirtualDocumentParams};
use super::handlers::why::{WhyParams, WhyResult};
use super::handlers::{
    Answer, call_hierarchy, code_action, code_lens, completion, definition, diagnostics,
    document_highlight, document_link, explain, explain_diagnostic, folding_range, formatting,
    hover, inlay_hint, preview, record, references, rename, selection_range, semantic_tokens,
    signature_help, strategies, symbols, syntax_tree, virtual_document, why,
};
use super::ordering::{CurrentRequest, RunningRequests};
use super::pool::Lane::{self, Latency, Worker};
use super::requests::Policy::{self, Positional, Retrigger, Retry};
use super::requests::{Call, Handler, Route};
use super::session::{Session, TextParams, TextResult};

/// The server as tower-lsp sees it. All state is in the main loop.
#[derive(Debug)]
pub struct Server {
    events: Sender<Event>,
    running: RunningRequests,
}

impl Server {
    /// Passes a message to the main loop.
    fn tell(&self, act: impl FnOnce(&mut Session) + Send + 'static) {
        // The main loop only ends before the transport if it has failed.
        let _ = self.events.send(Event::Client(Box::new(act)));
    }

    /// Passes a request to the main loop, and waits for the answer.
    async fn ask<R: Send + 'static>(
        &self,
        act: impl FnOnce(&mut Session, Reply<R>) + Send + 'static,
    ) -> Answer<R> {
        let (reply, answer) = Reply::new();
        self.tell(move |session| act(session, reply));
        let stopped = |_| Err(error(ErrorCode::InternalError, "the server has stopped"));
        answer.await.unwrap_or_else(stopped)
    }

    /// Answers a request by a handler that reads a snapshot.
    async fn read<P, R>(
        &self,
        method: &'static str,
        (policy, lane): (Policy, Lane),
        handler: Handler<P, R>,
        params: P,
    ) -> Answer<R>
    where
        P: Clone + Send + 'static,
        R: Send + 'static,
    {
        let (document, arrived) = (CurrentRequest::get().document, Instant::now());
        let route = Route {
            method,
            policy,
            lane,
        };
        self.ask(move |session, reply| {
            let document = document.and_then(|path| session.revision_of_path(&path));
            session.dispatch(Call::new(route, document, arrived, handler, params, reply));
        })
        .await
    }
}

/// Implements methods of [`LanguageServer`] by handlers. A line contains the method of the trait,
/// the request of the protocol, its handler, the policy for cancellation by a change of the text,
/// and the queue of its jobs.
macro_rules! protocol_requests {
    ($($name:ident, $request:ty, $handler:path, $policy:ident, $lane:ident;)+) => {
        $(async fn $name(
            &self,
            params: <$request as Request>::Params,
        ) -> Answer<<$request as Request>::Result> {
            self.read(<$request>::METHOD, ($policy, $lane), $handler, params).await
        })+
    };
}

/// Declares requests that are not part of the protocol, see `docs/lsp.md`, with their parameters
/// and results.
macro_rules! custom_requests {
    ($($method:literal, $name:ident($params:ty) -> $result:ty, $handler:path, $policy:ident, $lane:ident;)+) => {
        impl Server {
            $(async fn $name(&self, params: $params) -> Answer<$result> {
                self.read($method, ($policy, $lane), $handler, params).await
            })+
        }

        /// Creates the service, which passes all messages to `events`.
        pub fn service(events: Sender<Event>, running: RunningRequests) -> LspService<Server> {
            let (service, _) = LspService::build(|_| Server { events, running })
                $(.custom_method($method, Server::$name))+
                .custom_method("rise/run", Server::run)
                .custom_method("rise/devices", Server::devices)
                .custom_method("rise/status", Server::status)
                .custom_method("rise/text", Server::text)
                .custom_method("rise/previewClosed", Server::preview_closed)
                .custom_method("window/workDoneProgress/cancel", Server::cancel_progress)
                .finish();
            service
        }
    };
}

impl LanguageServer for Server {
    async fn initialize(&self, params: InitializeParams) -> Answer<InitializeResult> {
        self.ask(|session, reply| reply.send(Ok(session.initialize(params))))
            .await
    }

    async fn initialized(&self, _: InitializedParams) {
        self.tell(Session::initialized);
    }

    async fn shutdown(&self) -> Answer<()> {
        self.ask(|session, reply| {
            session.shut_down();
            reply.send(Ok(()));
        })
        .await
    }

    async fn did_open(&self, params: DidOpenTextDocumentParams) {
        self.tell(|session| session.did_open(params));
    }

    async fn did_change(&self, params: DidChangeTextDocumentParams) {
        self.tell(|session| session.did_change(params));
    }

    async fn did_close(&self, params: DidCloseTextDocumentParams) {
        self.tell(|session| session.did_close(params));
    }

    async fn did_save(&self, _: DidSaveTextDocumentParams) {
        self.tell(Session::did_save);
    }

    async fn did_change_watched_files(&self, params: DidChangeWatchedFilesParams) {
        self.tell(|session| session.files_changed(params));
    }

    async fn did_change_workspace_folders(&self, params: DidChangeWorkspaceFoldersParams) {
        self.tell(|session| session.folders_changed(params));
    }

    async fn did_change_configuration(&self, params: DidChangeConfigurationParams) {
        self.tell(move |session| session.settings_changed(&params.settings));
    }

    async fn execute_command(&self, params: ExecuteCommandParams) -> Answer<Option<Value>> {
        let running = self.running.register();
        let cancel = running.cancel.clone();
        self.ask(|session, reply| session.execute_command(params, cancel, reply))
            .await
            .map(Some)
    }

    // The type of its result is not that of the protocol library.
    async fn symbol(
        &self,
        params: WorkspaceSymbolParams,
    ) -> Answer<Option<OneOf<Vec<SymbolInformation>, Vec<WorkspaceSymbol>>>> {
        let method = WorkspaceSymbolRequest::METHOD;
        let handler = symbols::workspace_symbols;
        self.read(method, (Retry, Worker), handler, params).await
    }

    protocol_requests! {
        hover, HoverRequest, hover::hover, Positional, Latency;
        completion, Completion, completion::completion, Positional, Latency;
        completion_resolve, ResolveCompletionItem, completion::resolve, Retry, Latency;
        signature_help, SignatureHelpRequest, signature_help::signature_help, Positional, Latency;
        inlay_hint, InlayHintRequest, inlay_hint::inlay_hints, Retry, Latency;
        goto_definition, GotoDefinition, definition::definition, Positional, Latency;
        goto_type_definition, GotoTypeDefinition, definition::type_definition, Positional, Latency;
        references, References, references::references, Positional, Worker;
        document_highlight, DocumentHighlightRequest, document_highlight::document_highlight, Positional, Latency;
        document_link, DocumentLinkRequest, document_link::document_link, Retry, Worker;
        prepare_rename, PrepareRenameRequest, rename::prepare_rename, Positional, Latency;
        rename, Rename, rename::rename, Positional, Worker;
        formatting, Formatting, formatting::formatting, Positional, Worker;
        range_formatting, RangeFormatting, formatting::range_formatting, Positional, Worker;
        code_action, CodeActionRequest, code_action::code_actions, Positional, Latency;
        code_action_resolve, CodeActionResolveRequest, code_action::resolve, Positional, Worker;
        code_lens, CodeLensRequest, code_lens::code_lens, Retry, Worker;
        document_symbol, DocumentSymbolRequest, symbols::document_symbols, Retry, Worker;
        folding_range, FoldingRangeRequest, folding_range::folding_ranges, Retry, Worker;
        selection_range, SelectionRangeRequest, selection_range::selection_ranges, Positional, Latency;
        semantic_tokens_full, SemanticTokensFullRequest, semantic_tokens::full, Retry, Worker;
        semantic_tokens_full_delta, SemanticTokensFullDeltaRequest, semantic_tokens::delta, Retry, Worker;
        semantic_tokens_range, SemanticTokensRangeRequest, semantic_tokens::range, Retry, Worker;
        prepare_call_hierarchy, CallHierarchyPrepare, call_hierarchy::prepare, Positional, Latency;
        incoming_calls, CallHierarchyIncomingCalls, call_hierarchy::incoming, Positional, Worker;
        outgoing_calls, CallHierarchyOutgoingCalls, call_hierarchy::outgoing, Positional, Worker;
        diagnostic, DocumentDiagnosticRequest, diagnostics::document, Retrigger, Worker;
        workspace_diagnostic, WorkspaceDiagnosticRequest, diagnostics::workspace, Retrigger, Worker;
    }
}

custom_requests! {
    "rise/virtualDocument", virtual_document(VirtualDocumentParams) -> VirtualDocument, virtual_document::virtual_document, Retry, Latency;
    "rise/syntaxTree", syntax_tree(SyntaxTreeParams) -> SyntaxTreeResult, syntax_tree::syntax_tree, Retry, Worker;
    "rise/preview", preview(PreviewParams) -> PreviewResult, preview::preview, Retry, Worker;
    "rise/recomputePreview", recompute_preview(PreviewIdentifier) -> PreviewResult, preview::recompute, Retry, Worker;
    "rise/strategies", strategies(StrategiesParams) -> StrategiesResult, strategies::strategies, Positional, Worker;
    "rise/strategySteps", strategy_steps(StepsParams) -> StepsResult, strategies::steps, Retry, Worker;
    "rise/strategyApply", strategy_apply(StepsParams) -> ApplyResult, strategies::apply, Positional, Worker;
    "rise/lower", lower(LowerParams) -> ApplyResult, strategies::lower, Positional, Worker;
    "rise/explain", explain(ExplainParams) -> ExplainResult, explain::explain, Positional, Worker;
    "rise/explainDiagnostic", explain_diagnostic(ExplainDiagnosticParams) -> ExplainDiagnosticResult, explain_diagnostic::explain_diagnostic, Retry, Latency;
    "rise/why", why(WhyParams) -> WhyResult, why::why, Positional, Worker;
    "rise/record", record(RecordParams) -> RecordResult, record::record, Positional, Worker;
}

/// The requests and notifications that the main loop handles itself.
impl Server {
    async fn run(&self, params: RunParams) -> Answer<Value> {
        let running = self.running.register();
        let cancel = running.cancel.clone();
        self.ask(|session, reply| session.run_request(params, cancel, reply))
            .await
    }

    async fn devices(&self, _: IgnoredAny) -> Answer<DeviceList> {
        let running = self.running.register();
        let cancel = running.cancel.clone();
        self.ask(|session, reply| session.devices_request(cancel, &reply))
            .await
    }

    async fn status(&self, _: IgnoredAny) -> Answer<Value> {
        self.ask(|session, reply| reply.send(Ok(session.status())))
            .await
    }

    async fn text(&self, params: TextParams) -> Answer<TextResult> {
        self.ask(|session, reply| reply.send(session.text(params)))
            .await
    }

    async fn preview_closed(&self, params: PreviewIdentifier) {
        self.tell(|session| session.preview_closed(params));
    }

    async fn cancel_progress(&self, params: WorkDoneProgressCancelParams) {
        self.tell(move |session| session.cancel_progress(&params.token));
    }
}
