//! The routing of requests: their handlers, threads, and cancellation policies.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use crossbeam_channel::Sender;
use db::{Cancelled, FileId};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tower_lsp::jsonrpc::{Error, ErrorCode, Id};

use super::crash;
use super::event::{Answer, Ending, Event, Reply, error, invalid_params};
use super::handlers::{
    call_hierarchy, code_action, code_lens, completion, definition, diagnostics,
    document_highlight, document_link, explain, explain_diagnostic, folding_range, formatting,
    hover, inlay_hint, preview, record, references, rename, selection_range, semantic_tokens,
    signature_help, strategies, symbols, syntax_tree, virtual_document, why,
};
use super::pool::{InFlight, Lane};
use super::snapshot::Snapshot;
use super::status::Status;
use super::wire::Json;

/// The policy for a request that a change of its document cancels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// The request refers to a position in an old text: it fails with `ContentModified`.
    Positional,
    /// The request does not depend on the version of the text: it is run again on the new one.
    Retry,
    /// The request pulls diagnostics: it fails with `ServerCancelled`, and the client sends it
    /// again.
    Retrigger,
}

/// A kind of request.
pub struct Route {
    pub method: &'static str,
    /// The policy for cancellation by a change.
    pub policy: Policy,
    /// The queue of its jobs.
    pub lane: Lane,
    run: fn(&Snapshot, &Value) -> Answer,
}

impl std::fmt::Debug for Route {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.method)
    }
}

macro_rules! routes {
    ($($method:literal $policy:ident $lane:ident $handler:path;)+) => {
        static ROUTES: &[Route] = &[$(Route {
            method: $method,
            policy: Policy::$policy,
            lane: Lane::$lane,
            run: |snapshot, params| adapt($handler, snapshot, params),
        }),+];
    };
}

routes! {
    "textDocument/hover" Positional Latency hover::hover;
    "textDocument/completion" Positional Latency completion::completion;
    "completionItem/resolve" Retry Latency completion::resolve;
    "textDocument/signatureHelp" Positional Latency signature_help::signature_help;
    "textDocument/inlayHint" Retry Latency inlay_hint::inlay_hints;
    "textDocument/definition" Positional Latency definition::definition;
    "textDocument/typeDefinition" Positional Latency definition::type_definition;
    "textDocument/references" Positional Worker references::references;
    "textDocument/documentHighlight" Positional Latency document_highlight::document_highlight;
    "textDocument/documentLink" Retry Worker document_link::document_link;
    "textDocument/prepareRename" Positional Latency rename::prepare_rename;
    "textDocument/rename" Positional Worker rename::rename;
    "textDocument/formatting" Positional Worker formatting::formatting;
    "textDocument/rangeFormatting" Positional Worker formatting::range_formatting;
    "textDocument/codeAction" Positional Latency code_action::code_actions;
    "codeAction/resolve" Positional Worker code_action::resolve;
    "textDocument/documentSymbol" Retry Worker symbols::document_symbols;
    "workspace/symbol" Retry Worker symbols::workspace_symbols;
    "textDocument/foldingRange" Retry Worker folding_range::folding_ranges;
    "textDocument/selectionRange" Positional Latency selection_range::selection_ranges;
    "textDocument/semanticTokens/full" Retry Worker semantic_tokens::full;
    "textDocument/semanticTokens/full/delta" Retry Worker semantic_tokens::delta;
    "textDocument/semanticTokens/range" Retry Worker semantic_tokens::range;
    "textDocument/prepareCallHierarchy" Positional Latency call_hierarchy::prepare;
    "callHierarchy/incomingCalls" Positional Worker call_hierarchy::incoming;
    "callHierarchy/outgoingCalls" Positional Worker call_hierarchy::outgoing;
    "textDocument/diagnostic" Retrigger Worker diagnostics::document;
    "workspace/diagnostic" Retrigger Worker diagnostics::workspace;
    "textDocument/codeLens" Retry Worker code_lens::code_lens;
    "rise/virtualDocument" Retry Latency virtual_document::virtual_document;
    "rise/syntaxTree" Retry Worker syntax_tree::syntax_tree;
    "rise/preview" Retry Worker preview::preview;
    "rise/previewAgain" Retry Worker preview::preview_again;
    "rise/strategies" Positional Worker strategies::strategies;
    "rise/strategySteps" Retry Worker strategies::steps;
    "rise/strategyApply" Positional Worker strategies::apply;
    "rise/lower" Positional Worker strategies::lower;
    "rise/explain" Positional Worker explain::explain;
    "rise/explainDiagnostic" Retry Latency explain_diagnostic::explain_diagnostic;
    "rise/why" Positional Worker why::why;
    "rise/record" Positional Worker record::record;
}

impl Route {
    pub fn find(method: &str) -> Option<&'static Route> {
        ROUTES.iter().find(|route| route.method == method)
    }
}

fn adapt<P: DeserializeOwned, R: Serialize>(
    handler: fn(&Snapshot, P) -> Result<R, Error>,
    snapshot: &Snapshot,
    params: &Value,
) -> Answer {
    let params = P::deserialize(params).map_err(invalid_params)?;
    handler(snapshot, params).map(|result| Json::of(&result))
}

/// A request that is not answered yet.
#[derive(Debug)]
pub struct Ticket {
    pub id: Id,
    pub route: &'static Route,
    pub params: Value,
    pub reply: Reply,
    /// The document that the request refers to, and the revision of the document when it arrived.
    pub about: Option<(FileId, u64)>,
    /// The number of times that it was cancelled by a change.
    pub interruptions: u32,
    pub arrived: Instant,
}

/// The channels through which a job reports.
#[derive(Clone, Debug)]
pub struct Reports {
    /// The events of the main loop.
    pub events: Sender<Event>,
    pub status: Arc<Status>,
}

/// Runs a request on a snapshot. The snapshot is dropped before the answer is sent, and `in_flight`
/// before the main loop receives the event.
pub fn answer(ticket: &Arc<Ticket>, snapshot: Snapshot, in_flight: Option<InFlight>, to: &Reports) {
    let answer = || {
        let file = ticket.about.map(|(file, _)| file);
        crash::on_purpose(ticket.route.method, &snapshot, file);
        (ticket.route.run)(&snapshot, &ticket.params)
    };
    let run = || snapshot.db.catch_cancelled(answer);
    let outcome = if ticket.reply.is_open() {
        catch_unwind(AssertUnwindSafe(run))
    } else {
        Ok(Ok(Ok(Json::of(&()))))
    };
    drop(snapshot);
    let ending = match outcome {
        Ok(Ok(answer)) => {
            reply(ticket, answer, to);
            Ending::Answered
        }
        Ok(Err(Cancelled::PropagatedPanic)) => {
            fail(ticket, "what it needs has failed", to);
            Ending::Answered
        }
        Ok(Err(_)) => {
            to.status.interrupted();
            Ending::Interrupted
        }
        Err(panic) => {
            fail(ticket, panic_message(&*panic), to);
            Ending::Answered
        }
    };
    drop(in_flight);
    // Sending fails if the main loop has ended.
    let _ = to.events.send(Event::Finished(ticket.clone(), ending));
}

fn reply(ticket: &Ticket, answer: Answer, to: &Reports) {
    // The counter changes before the answer is sent, so that the client never sees an old value
    // after it.
    if ticket.reply.is_open() {
        to.status
            .answered(ticket.route.method, ticket.arrived.elapsed());
    }
    ticket.reply.send(answer);
}

fn fail(ticket: &Ticket, reason: &str, to: &Reports) {
    to.status.panicked();
    let method = ticket.route.method;
    let _ = to
        .events
        .send(Event::Problem(format!("{method} failed: {reason}")));
    reply(
        ticket,
        Err(error(
            ErrorCode::InternalError,
            format!("{method} failed; the log says more"),
        )),
        to,
    );
}

pub fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no reason given")
}

/// Creates the error for a request whose document has changed.
pub fn interrupted(policy: Policy) -> Error {
    match policy {
        Policy::Positional | Policy::Retry => {
            error(ErrorCode::ContentModified, "the document has changed")
        }
        Policy::Retrigger => Error {
            data: Some(serde_json::json!({"retriggerRequest": true})),
            ..error(ErrorCode::ServerError(-32802), "the document has changed")
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossbeam_channel::unbounded;
    use serde_json::json;

    static FAILS: Route = Route {
        method: "test/fails",
        policy: Policy::Retry,
        lane: Lane::Worker,
        run: |_, _| panic!("on purpose"),
    };

    #[test]
    fn a_failing_handler_is_an_error_and_a_line_in_the_log() {
        let (events, received) = unbounded();
        let reports = Reports {
            events,
            status: Arc::default(),
        };
        let (reply, mut answer) = Reply::new();
        let ticket = Arc::new(Ticket {
            id: Id::Number(1),
            route: &FAILS,
            params: json!({}),
            reply,
            about: None,
            interruptions: 0,
            arrived: Instant::now(),
        });
        let snapshot = Snapshot {
            db: db::Database::new(),
            view: Arc::default(),
        };
        super::answer(&ticket, snapshot, None, &reports);
        let error = answer.try_recv().expect("an answer").expect_err("an error");
        assert_eq!(error.code, ErrorCode::InternalError);
        let logged = received.try_iter().find_map(|event| match event {
            Event::Problem(problem) => Some(problem),
            _ => None,
        });
        assert_eq!(logged.as_deref(), Some("test/fails failed: on purpose"));
    }

    #[test]
    fn every_method_has_one_route() {
        for route in ROUTES {
            assert_eq!(
                ROUTES
                    .iter()
                    .filter(|other| other.method == route.method)
                    .count(),
                1
            );
            assert!(Route::find(route.method).is_some());
        }
        assert!(Route::find("textDocument/rainbow").is_none());
    }
}
