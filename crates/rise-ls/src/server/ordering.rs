//! A tower service around tower-lsp's that keeps the order of messages.
//!
//! tower-lsp calls its service in the order of the stream, but polls the returned futures
//! concurrently. [`Ordering`] polls each future once on arrival: handlers pass their typed
//! parameters to the main loop before they wait for anything, so the main loop gets them in order.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use db::FilePath;
use futures::FutureExt;
use futures::future::{self, BoxFuture};
use runtime::process::Cancel;
use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tower::Service;
use tower_lsp::ExitedError;
use tower_lsp::jsonrpc::{Error, Id, Request, Response};
use tower_lsp::lsp_types::CancelParams;

use super::outbox::Outbox;
use super::uri;

tokio::task_local! {
    static CURRENT: CurrentRequest;
}

/// The methods of the requests whose result is a string that contains JSON, and is sent as that
/// JSON. In a tree, the fields would be in another order, numbers would be rounded when they are
/// parsed, and a result of a million numbers would need many times its size.
const RUNS: [&str; 2] = ["rise/run", "workspace/executeCommand"];

/// The properties of a message that tower-lsp does not pass to its handler.
#[derive(Clone, Debug, Default)]
pub struct CurrentRequest {
    id: Option<Id>,
    /// The document that the parameters name.
    pub document: Option<FilePath>,
}

impl CurrentRequest {
    /// Returns the properties of the message that is being handled. Handlers call this before they
    /// wait for anything.
    pub fn get() -> CurrentRequest {
        CURRENT.try_with(Clone::clone).unwrap_or_default()
    }

    fn of(request: &Request) -> CurrentRequest {
        let params = request.params().unwrap_or(&Value::Null);
        CurrentRequest {
            id: request.id().cloned(),
            document: uri::document(params),
        }
    }
}

/// The unanswered requests that run programs, with their cancellation flags.
///
/// tower-lsp answers a cancelled request at once. A run answers after its processes have ended, so
/// its cancellation only sets the flag.
#[derive(Clone, Debug, Default)]
pub struct RunningRequests(Arc<Mutex<FxHashMap<Id, Cancel>>>);

/// A request that runs a program, which is registered until this is dropped.
#[derive(Debug)]
pub struct RunningRequest {
    pub cancel: Cancel,
    id: Option<Id>,
    all: RunningRequests,
}

impl RunningRequests {
    /// Registers the request that is being handled.
    pub fn register(&self) -> RunningRequest {
        let (id, cancel) = (CurrentRequest::get().id, Cancel::default());
        self.lock()
            .extend(id.clone().map(|id| (id, cancel.clone())));
        RunningRequest {
            cancel,
            id,
            all: self.clone(),
        }
    }

    /// Cancels the request that a message names. Returns false if the message is not a
    /// cancellation, or it does not name such a request.
    fn cancel(&self, message: &Request) -> bool {
        if message.method() != "$/cancelRequest" {
            return false;
        }
        let params = message.params().unwrap_or(&Value::Null);
        let id = CancelParams::deserialize(params).map(|params| Id::from(params.id));
        let known = self.lock();
        let cancel = id.ok().and_then(|id| known.get(&id));
        cancel.map(Cancel::cancel).is_some()
    }

    fn lock(&self) -> MutexGuard<'_, FxHashMap<Id, Cancel>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for RunningRequest {
    fn drop(&mut self) {
        if let Some(id) = &self.id {
            self.all.lock().remove(id);
        }
    }
}

/// The service. It writes answers to the outbox itself: tower-lsp merges answers and other messages
/// in any order.
#[derive(Debug)]
pub struct Ordering<S> {
    inner: S,
    outbox: Outbox,
    running: RunningRequests,
    /// A channel that is closed when `initialize` is answered. Other messages wait until then,
    /// because the inner service would refuse them.
    initializing: Option<oneshot::Receiver<()>>,
}

impl<S> Ordering<S> {
    pub fn new(inner: S, outbox: Outbox, running: RunningRequests) -> Self {
        Ordering {
            inner,
            outbox,
            running,
            initializing: None,
        }
    }
}

impl<S> Service<Request> for Ordering<S>
where
    S: Service<Request, Response = Option<Response>, Error = ExitedError>,
    S::Future: Send + Unpin + 'static,
{
    type Response = Option<Response>;
    type Error = ExitedError;
    type Future = BoxFuture<'static, Result<Option<Response>, ExitedError>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), ExitedError>> {
        if let Some(initializing) = &mut self.initializing {
            let _ = ready!(Pin::new(initializing).poll(context));
            self.initializing = None;
        }
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let request = normalized(request);
        if self.running.cancel(&request) {
            return future::ok(None).boxed();
        }
        let id = request.id().cloned();
        let is_run = RUNS.contains(&request.method());
        let initializing = (request.method() == "initialize").then(|| {
            let (end, initializing) = oneshot::channel();
            self.initializing = Some(initializing);
            end
        });
        let current = CurrentRequest::of(&request);
        let mut answer = self.inner.call(request);
        let first = CURRENT.sync_scope(current, || (&mut answer).now_or_never());
        let outbox = self.outbox.clone();
        let rest = async move {
            let response = match first {
                Some(response) => response?,
                None => answer.await?,
            };
            if let Some(id) = id {
                // tower-lsp does not answer unknown requests whose names begin with `$/`.
                let unknown = || Response::from_error(id.clone(), Error::method_not_found());
                let response = response.unwrap_or_else(unknown);
                match response.result() {
                    Some(Value::String(json)) if is_run => outbox.respond_json(&id, json),
                    _ => outbox.respond(&response),
                }
            }
            drop(initializing);
            Ok(None)
        };
        rest.boxed()
    }
}

/// Changes parameters that clients write in another form than tower-lsp expects.
fn normalized(request: Request) -> Request {
    let (method, id, params) = request.into_parts();
    let mut params = params.unwrap_or_default();
    match &*method {
        "initialize" => rename_refresh(&mut params),
        // Some clients send no parameters, others an empty object.
        "initialized" => params = json!({}),
        "shutdown" => params = Value::Null,
        _ => {}
    }
    uri::repair(&mut params);
    let request = Request::build(method).params(params);
    match id {
        Some(id) => request.id(id).finish(),
        None => request.finish(),
    }
}

/// Renames the capability `workspace.diagnostics`, which `lsp_types` calls `diagnostic`.
fn rename_refresh(params: &mut Value) {
    if let Some(Value::Object(workspace)) = params.pointer_mut("/capabilities/workspace")
        && let Some(diagnostics) = workspace.remove("diagnostics")
    {
        workspace.insert("diagnostic".into(), diagnostics);
    }
}
