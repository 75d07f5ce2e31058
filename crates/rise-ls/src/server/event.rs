//! What the main loop is told, and how it answers.

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

/// Something that the main loop acts on, in the order of arrival.
#[derive(Debug)]
pub enum Event {
    /// The client asks for something.
    Request {
        /// The client's name for the request.
        id: Id,
        /// What is asked.
        method: String,
        /// About what.
        params: Value,
        /// Where the answer goes.
        reply: Reply,
    },
    /// The client says something.
    Notification {
        /// What is said.
        method: String,
        /// About what.
        params: Value,
    },
    /// The client answers a request of ours.
    Response(Response),
    /// A job has ended.
    Finished(Arc<Ticket>, Ending),
    /// The run that was asked for with this id has answered.
    RunOver(Id),
    /// A program has run on the OpenCL device with this name.
    RanOn(String),
    /// A search for the device that programs are for is over.
    Device(Found),
    /// Files of the workspace were read.
    Loaded(Loaded),
    /// A file was read that was given up before.
    LateFile {
        /// The number of the reading that it comes from.
        reading: u64,
        /// The file.
        path: FilePath,
        /// Its contents.
        contents: Contents,
    },
    /// The file system has said late where folders lie.
    LateRoots(Vec<(RootSource, Option<ResolvedRoot>)>),
    /// Documents have other diagnostics than those that the client has asked for.
    Outdated,
    /// Something that a person who looks after the server should know.
    Problem(String),
    /// The client can no longer be heard.
    HungUp,
}

/// How a job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It answered (a result or an error).
    Answered,
    /// A change of the database interrupted it.
    Interrupted,
}

/// What a request gets.
pub type Answer = Result<Json, Error>;

/// The way back to who asked. Copies lead to the same place, and the first answer counts.
#[derive(Clone, Debug)]
pub struct Reply(Arc<Mutex<Option<oneshot::Sender<Answer>>>>);

impl Reply {
    /// A way back, and its other end.
    pub fn new() -> (Reply, oneshot::Receiver<Answer>) {
        let (sender, receiver) = oneshot::channel();
        (Reply(Arc::new(Mutex::new(Some(sender)))), receiver)
    }

    /// Answers, unless that has happened. Says whether this was the answer.
    pub fn send(&self, answer: Answer) -> bool {
        let sender = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        sender.is_some_and(|sender| sender.send(answer).is_ok())
    }

    /// Whether an answer is still wanted.
    pub fn is_open(&self) -> bool {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .is_some()
    }
}

/// An error that the protocol names.
pub fn error(code: ErrorCode, message: impl Into<String>) -> Error {
    Error {
        code,
        message: message.into().into(),
        data: None,
    }
}

/// The parameters of a message are not what its method takes.
pub fn invalid_params(reason: impl std::fmt::Display) -> Error {
    error(ErrorCode::InvalidParams, reason.to_string())
}
