//! The events of the main loop.

use std::sync::{Arc, Mutex, PoisonError};

use db::FilePath;
use serde_json::Value;
use tokio::sync::oneshot;
use tower_lsp::jsonrpc::{Error, ErrorCode, Id, Response};

use super::devices::Found;
use super::import_roots::{ResolvedRoot, RootSource};
use super::requests::Ticket;
use super::wire::Json;
use super::workspace::Loaded;
use crate::loader::Contents;

/// An event that the main loop handles, in the order of arrival.
#[derive(Debug)]
pub enum Event {
    Request {
        id: Id,
        method: String,
        params: Value,
        /// The channel of the answer.
        reply: Reply,
    },
    Notification {
        method: String,
        params: Value,
    },
    /// An answer of the client to a request of the server.
    Response(Response),
    /// The end of a job.
    Finished(Arc<Ticket>, Ending),
    /// The end of the run that was requested with this id.
    RunOver(Id),
    /// The name of the OpenCL device on which a program has run.
    RanOn(String),
    /// The result of a search for a device.
    Device(Found),
    /// Files of the workspace that were read.
    Loaded(Loaded),
    /// A file that was read after the time limit.
    LateFile {
        /// The number of the read attempt, which a later one invalidates.
        reading: u64,
        path: FilePath,
        contents: Contents,
    },
    /// Resolved import folders that arrive after the time limit.
    LateRoots(Vec<(RootSource, Option<ResolvedRoot>)>),
    /// A change of pulled diagnostics that was not reported to the client.
    Outdated,
    /// A message for the client's log.
    Problem(String),
    /// The end of the client's messages.
    HungUp,
}

/// The way in which a job has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The job has answered, with a result or an error.
    Answered,
    /// A change of the database has cancelled the job.
    Interrupted,
}

/// The answer to a request.
pub type Answer = Result<Json, Error>;

/// The channel for the answer to a request. Clones share the channel, and only the first answer is
/// sent.
#[derive(Clone, Debug)]
pub struct Reply(Arc<Mutex<Option<oneshot::Sender<Answer>>>>);

impl Reply {
    /// Creates a channel, and its receiver.
    pub fn new() -> (Reply, oneshot::Receiver<Answer>) {
        let (sender, receiver) = oneshot::channel();
        (Reply(Arc::new(Mutex::new(Some(sender)))), receiver)
    }

    /// Sends an answer, unless one was sent before. Returns true if this one was sent.
    pub fn send(&self, answer: Answer) -> bool {
        let sender = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        sender.is_some_and(|sender| sender.send(answer).is_ok())
    }

    /// Returns true if no answer was sent.
    pub fn is_open(&self) -> bool {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .is_some()
    }
}

/// Creates an error with a code of the protocol.
pub fn error(code: ErrorCode, message: impl Into<String>) -> Error {
    Error {
        code,
        message: message.into().into(),
        data: None,
    }
}

/// Creates the error `RequestFailed`, for a valid request that cannot be fulfilled. Editors show its
/// message to the user.
pub fn request_failed(reason: impl Into<String>) -> Error {
    error(ErrorCode::ServerError(-32803), reason)
}

/// Creates the error for invalid parameters of a method.
pub fn invalid_params(reason: impl std::fmt::Display) -> Error {
    error(ErrorCode::InvalidParams, reason.to_string())
}
