//! The tower-lsp service that forwards every message of the client to the main loop, in the order
//! of arrival.
//!
//! tower-lsp polls handlers concurrently and guarantees no order among them; it only calls
//! `Service::call` in order. So messages are forwarded there, and the returned futures only wait
//! for an answer. They hold neither texts nor a database.

use std::future::{Future, ready};
use std::pin::Pin;
use std::task::{Context, Poll};

use crossbeam_channel::Sender;
use serde_json::Value;
use tower::Service;
use tower_lsp::jsonrpc::{self, ErrorCode, Id, Request, Response};
use tower_lsp::lsp_types::{InitializeParams, InitializeResult};
use tower_lsp::{ExitedError, LanguageServer};

use super::event::{Event, Reply, error};
use super::uri;
use super::wire::Outbox;

type Answer = Pin<Box<dyn Future<Output = Result<Option<Response>, ExitedError>> + Send>>;

/// The server that tower-lsp tracks the lifecycle of. The main loop computes all answers.
#[derive(Debug)]
pub struct Lifecycle;

impl LanguageServer for Lifecycle {
    async fn initialize(&self, _: InitializeParams) -> jsonrpc::Result<InitializeResult> {
        Ok(InitializeResult::default())
    }

    async fn shutdown(&self) -> jsonrpc::Result<()> {
        Ok(())
    }
}

/// A service that forwards all messages to the main loop, and lifecycle messages also to the inner
/// service, which rejects those that the protocol does not allow. Answers are sent directly to the
/// writer; only errors of the inner service are returned to tower-lsp.
#[derive(Debug)]
pub struct Ingress<S> {
    inner: S,
    events: Sender<Event>,
    outbox: Outbox,
}

impl<S> Ingress<S> {
    pub fn new(inner: S, events: Sender<Event>, outbox: Outbox) -> Self {
        Ingress {
            inner,
            events,
            outbox,
        }
    }

    /// Forwards a message, and returns the future that waits for its answer.
    fn forward(&self, request: Request) -> Answer {
        let (method, id, params) = request.into_parts();
        let (method, params) = (method.into_owned(), params.unwrap_or(Value::Null));
        let Some(id) = id else {
            // The main loop only ends before the transport if it has failed.
            let _ = self.events.send(Event::Notification { method, params });
            return Box::pin(ready(Ok(None)));
        };
        let (reply, answer) = Reply::new();
        let _ = self.events.send(Event::Request {
            id: id.clone(),
            method,
            params,
            reply,
        });
        let outbox = self.outbox.clone();
        Box::pin(async move {
            let gone = || Err(error(ErrorCode::InternalError, "the server has stopped"));
            outbox.respond(&id, &answer.await.unwrap_or_else(|_| gone()));
            Ok(None)
        })
    }
}

impl<S> Service<Request> for Ingress<S>
where
    S: Service<Request, Response = Option<Response>, Error = ExitedError>,
    S::Future: Send + 'static,
{
    type Response = Option<Response>;
    type Error = ExitedError;
    type Future = Answer;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), ExitedError>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Answer {
        let request = with_valid_uris(request);
        match request.method() {
            "initialize" | "shutdown" | "initialized" | "exit" => {
                let answer = self.forward(request.clone());
                let guard = self.inner.call(request);
                Box::pin(async move {
                    match guard.await? {
                        Some(refusal) if refusal.is_error() && has_id(&refusal) => {
                            Ok(Some(refusal))
                        }
                        _ => answer.await,
                    }
                })
            }
            _ => self.forward(request),
        }
    }
}

fn with_valid_uris(request: Request) -> Request {
    let (method, id, params) = request.into_parts();
    let mut request = Request::build(method);
    if let Some(id) = id {
        request = request.id(id);
    }
    if let Some(mut params) = params {
        uri::repair(&mut params);
        request = request.params(params);
    }
    request.finish()
}

fn has_id(response: &Response) -> bool {
    *response.id() != Id::Null
}
