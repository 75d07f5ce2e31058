//! The events of the main loop.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use db::FilePath;
use tokio::sync::oneshot;
use tower_lsp::jsonrpc::{Error, ErrorCode, Response};

use super::devices::DeviceSearchResult;
use super::import_roots::{ResolvedRoot, RootSource};
use super::requests::Call;
use super::session::Session;
use super::workspace::Loaded;
use crate::loader::Contents;

/// An event that the main loop handles, in the order of arrival.
pub enum Event {
    /// A request or notification of the client, as the function that handles it.
    Client(Box<dyn FnOnce(&mut Session) + Send>),
    /// An answer of the client to a request of the server.
    Response(Response),
    /// A request whose job was cancelled by a change of the database.
    Interrupted(Call),
    /// The end of the run with this number.
    RunEnded(u64),
    /// The name of the OpenCL device on which a program has run.
    RanOn(String),
    /// The result of a search for a device.
    Device(DeviceSearchResult),
    /// Files of the workspace that were read.
    Loaded(Loaded),
    /// A file that was read after the time limit.
    LateFile {
        /// The number of the read attempt. The file is ignored if a later attempt to read it was
        /// made.
        reading: u64,
        path: FilePath,
        contents: Contents,
    },
    /// Resolved import folders that arrive after the time limit.
    LateRoots(Vec<(RootSource, Option<ResolvedRoot>)>),
    /// A change of pulled diagnostics of which the client does not know yet, so that it is
    /// requested to pull them again.
    Outdated,
    /// A message for the client's log.
    Problem(String),
    /// The end of the client's messages.
    HungUp,
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Event")
    }
}

/// The sender of the answer to a request, until it is sent.
type AnswerSender<R> = Option<oneshot::Sender<Result<R, Error>>>;

/// The channel for the answer to a request. Clones share the channel, and only the first answer is
/// sent.
#[derive(Debug)]
pub struct Reply<R>(Arc<Mutex<AnswerSender<R>>>);

impl<R> Reply<R> {
    /// Creates a channel, and its receiver.
    pub fn new() -> (Reply<R>, oneshot::Receiver<Result<R, Error>>) {
        let (sender, receiver) = oneshot::channel();
        (Reply(Arc::new(Mutex::new(Some(sender)))), receiver)
    }

    /// Sends an answer, unless one was sent before or the request was cancelled.
    pub fn send(&self, answer: Result<R, Error>) {
        let sender = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        // Sending fails if the request was cancelled.
        let _ = sender.map(|sender| sender.send(answer));
    }

    /// Returns true if the client still waits for an answer.
    pub fn is_open(&self) -> bool {
        let sender = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        sender.as_ref().is_some_and(|sender| !sender.is_closed())
    }
}

impl<R> Clone for Reply<R> {
    fn clone(&self) -> Self {
        Reply(self.0.clone())
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

/// Creates the error `RequestFailed`, for a valid request that cannot be fulfilled. Editors show
/// its message to the user.
pub fn request_failed(reason: impl Into<String>) -> Error {
    error(ErrorCode::ServerError(-32803), reason)
}

/// Creates the error for invalid parameters of a method.
pub fn invalid_params(reason: impl std::fmt::Display) -> Error {
    error(ErrorCode::InvalidParams, reason.to_string())
}
