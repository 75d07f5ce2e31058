//! Requests that are answered by jobs on snapshots, with their cancellation policies.

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use crossbeam_channel::Sender;
use db::{Cancelled, FileId};
use tower_lsp::jsonrpc::{Error, ErrorCode};

use super::crash;
use super::event::{Event, Reply, error};
use super::handlers::Answer;
use super::pool::{Lane, WaitGuard};
use super::snapshot::Snapshot;
use super::status::Status;

/// The policy for a request whose job is cancelled by a change of the database. A request whose
/// document has not changed is run again under every policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// The request refers to a position in an old text: if its document has changed, it fails with
    /// `ContentModified`.
    Positional,
    /// The request does not depend on the version of the text: it is run again on the new one.
    Retry,
    /// The request pulls diagnostics: if its document has changed, it fails with `ServerCancelled`,
    /// and the client sends it again.
    Retrigger,
}

impl Policy {
    /// Returns the error for a request whose document has changed.
    pub fn error(self) -> Error {
        match self {
            Policy::Positional | Policy::Retry => {
                error(ErrorCode::ContentModified, "the document has changed")
            }
            Policy::Retrigger => Error {
                data: Some(serde_json::json!({"retriggerRequest": true})),
                ..error(ErrorCode::ServerError(-32802), "the document has changed")
            },
        }
    }
}

/// A kind of request.
#[derive(Clone, Copy, Debug)]
pub struct Route {
    pub method: &'static str,
    /// The policy for cancellation by a change.
    pub policy: Policy,
    /// The queue of its jobs.
    pub lane: Lane,
}

/// The function that answers a kind of request.
pub type Handler<P, R> = fn(&Snapshot, P) -> Answer<R>;

/// A request that is not answered yet.
pub struct Call {
    pub route: Route,
    /// The document that the request refers to, and the revision of the document when it arrived.
    pub document: Option<(FileId, u64)>,
    /// The number of times that it was cancelled by a change.
    pub interruptions: u32,
    arrived: Instant,
    work: Box<dyn Work>,
}

impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.route.method)
    }
}

/// A handler with its parameters and the channel of its answer.
struct HandlerCall<P, R> {
    handler: Handler<P, R>,
    params: P,
    reply: Reply<R>,
    answer: Option<Answer<R>>,
}

/// A [`HandlerCall`], independent of its types.
trait Work: Send {
    /// Returns true if the client has cancelled the request.
    fn is_cancelled(&self) -> bool;
    /// Computes the answer, and keeps it.
    fn compute(&mut self, snapshot: &Snapshot);
    /// Sends the answer, or an error if there is none.
    fn send(self: Box<Self>, otherwise: Error);
}

impl<P: Clone + Send, R: Send> Work for HandlerCall<P, R> {
    fn is_cancelled(&self) -> bool {
        !self.reply.is_open()
    }

    fn compute(&mut self, snapshot: &Snapshot) {
        self.answer = Some((self.handler)(snapshot, self.params.clone()));
    }

    fn send(self: Box<Self>, otherwise: Error) {
        self.reply.send(self.answer.unwrap_or(Err(otherwise)));
    }
}

/// The channels through which a job reports.
#[derive(Clone, Debug)]
pub struct Reports {
    /// The events of the main loop.
    pub events: Sender<Event>,
    pub status: Arc<Status>,
}

impl Call {
    /// Creates a call of a handler for a request that arrived at this time.
    pub fn new<P: Clone + Send + 'static, R: Send + 'static>(
        route: Route,
        document: Option<(FileId, u64)>,
        arrived: Instant,
        handler: Handler<P, R>,
        params: P,
        reply: Reply<R>,
    ) -> Call {
        Call {
            route,
            document,
            interruptions: 0,
            arrived,
            work: Box::new(HandlerCall {
                handler,
                params,
                reply,
                answer: None,
            }),
        }
    }

    /// Returns true if the client has cancelled the request.
    pub fn is_cancelled(&self) -> bool {
        self.work.is_cancelled()
    }

    /// Answers with an error.
    pub fn refuse(self, error: Error) {
        self.work.send(error);
    }

    /// Answers the request from a snapshot, which is dropped before the answer is sent. If a change
    /// cancels the computation, sends [`Event::Interrupted`] to the main loop instead, and drops
    /// `guard` before that.
    pub fn run(mut self, snapshot: Snapshot, guard: Option<WaitGuard>, to: &Reports) {
        if self.is_cancelled() {
            return;
        }
        let compute = || {
            let file = self.document.map(|(file, _)| file);
            crash::on_purpose(self.route.method, &snapshot, file);
            self.work.compute(&snapshot);
        };
        let run = || snapshot.db.catch_cancelled(compute);
        let outcome = catch_unwind(AssertUnwindSafe(run));
        drop(snapshot);
        match outcome {
            Ok(Ok(())) => self.send(to),
            Ok(Err(Cancelled::PropagatedPanic)) => {
                self.fail("a computation that the request depends on fails", to)
            }
            Ok(Err(_)) => {
                to.status.interrupted();
                drop(guard);
                // Sending fails if the main loop has ended.
                let _ = to.events.send(Event::Interrupted(self));
            }
            Err(panic) => self.fail(panic_message(&*panic), to),
        }
    }

    fn fail(self, reason: &str, to: &Reports) {
        to.status.panicked();
        let method = self.route.method;
        let problem = format!("{method} failed: {reason}");
        let _ = to.events.send(Event::Problem(problem));
        self.send(to);
    }

    /// Sends the answer, or an internal error if there is none.
    fn send(self, to: &Reports) {
        // The counter changes before the answer is sent, so that the client never sees an old value
        // after it.
        let method = self.route.method;
        if !self.is_cancelled() {
            to.status.answered(method, self.arrived.elapsed());
        }
        let failure = format!("{method} failed; the log contains the details");
        self.work.send(error(ErrorCode::InternalError, failure));
    }
}

/// Returns the message of a panic.
pub fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no reason given")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossbeam_channel::unbounded;

    #[test]
    fn a_failing_handler_is_an_error_and_a_line_in_the_log() {
        let (events, received) = unbounded();
        let reports = Reports {
            events,
            status: Arc::default(),
        };
        let route = Route {
            method: "test/fails",
            policy: Policy::Retry,
            lane: Lane::Worker,
        };
        let fails: Handler<(), ()> = |_, ()| panic!("on purpose");
        let (reply, mut answer) = Reply::new();
        let call = Call::new(route, None, Instant::now(), fails, (), reply);
        let snapshot = Snapshot {
            db: db::Database::new(),
            view: Arc::default(),
        };
        call.run(snapshot, None, &reports);
        let error = answer.try_recv().expect("an answer").expect_err("an error");
        assert_eq!(error.code, ErrorCode::InternalError);
        let logged = received.try_iter().find_map(|event| match event {
            Event::Problem(problem) => Some(problem),
            _ => None,
        });
        assert_eq!(logged.as_deref(), Some("test/fails failed: on purpose"));
    }
}
