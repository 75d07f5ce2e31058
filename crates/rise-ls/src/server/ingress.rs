//! The door: every message of the client goes to the main loop, in the order of the wire.
//!
//! tower-lsp polls handlers concurrently and promises no order among them; the one place that it
//! does call in order is `Service::call`. So that is where messages are handed over, and the
//! futures that are left only wait for an answer. They hold neither texts nor database.

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

/// What tower-lsp needs to know of a server: that it starts and stops. All answers come from the
/// main loop.
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

/// A service that tells the main loop everything, and lets the inner one, which knows the
/// protocol's lifecycle, see what concerns that. Answers go to the writer by themselves; only
/// refusals of the inner service go through tower-lsp.
#[derive(Debug)]
pub struct Ingress<S> {
    inner: S,
    events: Sender<Event>,
    outbox: Outbox,
}

impl<S> Ingress<S> {
    /// A door in front of `inner`.
    pub fn new(inner: S, events: Sender<Event>, outbox: Outbox) -> Self {
        Ingress {
            inner,
            events,
            outbox,
        }
    }

    /// Hands a message over; what is left is to wait for the answer.
    fn forward(&self, request: Request) -> Answer {
        let (method, id, params) = request.into_parts();
        let (method, params) = (method.into_owned(), params.unwrap_or(Value::Null));
        let Some(id) = id else {
            // The loop ends before the transport does only if it has failed; then nobody listens.
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
