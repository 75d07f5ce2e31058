//! Sends notifications and requests to the client. Answers to requests arrive as events.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use serde::Serialize;
use serde_json::Value;
use tower_lsp::jsonrpc::{Id, Request};
use tower_lsp::lsp_types::notification::{LogMessage, Notification};
use tower_lsp::lsp_types::request::Request as RequestKind;
use tower_lsp::lsp_types::{LogMessageParams, MessageType};

use super::outbox::Outbox;

/// A handle for sending messages to the client. Sending never blocks.
#[derive(Clone, Debug)]
pub struct Client {
    outbox: Outbox,
    next_id: Arc<AtomicI64>,
}

impl Client {
    /// Creates a handle for the worker that follows `restarts` others. Its request ids differ from
    /// theirs, because answers to those may still arrive.
    pub fn new(outbox: Outbox, restarts: u32) -> Client {
        Client {
            outbox,
            next_id: Arc::new(AtomicI64::new(i64::from(restarts) << 32)),
        }
    }

    pub fn notify<N: Notification>(&self, params: &N::Params) {
        self.outbox.notify(N::METHOD, params);
    }

    /// Sends a notification by the name of its method, for which the protocol library has no type.
    pub fn notify_method(&self, method: &str, params: &impl Serialize) {
        self.outbox.notify(method, params);
    }

    /// Sends a request. The answer arrives as an event with the returned id.
    pub fn request<R: RequestKind>(&self, params: &R::Params) -> Id {
        let id = Id::Number(self.next_id.fetch_add(1, Ordering::Relaxed));
        let request = Request::build(R::METHOD).id(id.clone());
        let request = match to_value(params) {
            Value::Null => request,
            params => request.params(params),
        };
        self.outbox.request(&request.finish());
        id
    }

    /// Writes a message to the client's log.
    pub fn log(&self, typ: MessageType, message: impl Into<String>) {
        self.notify::<LogMessage>(&LogMessageParams {
            typ,
            message: message.into(),
        });
    }
}

/// Converts a value of the protocol to a JSON tree; to `null` if it has no representation in JSON.
pub fn to_value(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}
