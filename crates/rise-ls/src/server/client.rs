//! Sends notifications and requests to the client. Answers to requests arrive as events.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use serde::Serialize;
use serde_json::Value;
use tower_lsp::jsonrpc::Id;
use tower_lsp::lsp_types::notification::{LogMessage, Notification};
use tower_lsp::lsp_types::{LogMessageParams, MessageType};

use super::wire::{Json, Outbox};

/// A handle for sending messages to the client, which never blocks.
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
        self.notify_json::<N>(&Json::of(params));
    }

    /// Sends a notification whose parameters are already serialised.
    pub fn notify_json<N: Notification>(&self, params: &Json) {
        self.outbox.notify(N::METHOD, params);
    }

    /// Sends a request. The answer arrives as an event with the returned id.
    pub fn request(&self, method: &'static str, params: impl Serialize) -> Id {
        let id = Id::Number(self.next_id.fetch_add(1, Ordering::Relaxed));
        self.outbox.ask(&id, method, &Json::of(&params));
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

/// Converts a protocol value, which always has a JSON representation, to a JSON tree.
pub fn to_value(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}
