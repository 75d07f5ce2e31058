//! The server's own messages: notifications, and requests whose answers come back as events.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use serde::Serialize;
use serde_json::Value;
use tower_lsp::jsonrpc::Id;
use tower_lsp::lsp_types::notification::{LogMessage, Notification};
use tower_lsp::lsp_types::{LogMessageParams, MessageType};

use super::wire::{Json, Outbox};

/// The way to the client. Sending never waits.
#[derive(Clone, Debug)]
pub struct Client {
    outbox: Outbox,
    next_id: Arc<AtomicI64>,
}

impl Client {
    /// A way to the client for the worker that follows `restarts` others. Its requests have other
    /// ids than theirs, whose answers may still come.
    pub fn new(outbox: Outbox, restarts: u32) -> Client {
        Client {
            outbox,
            next_id: Arc::new(AtomicI64::new(i64::from(restarts) << 32)),
        }
    }

    /// Says something.
    pub fn notify<N: Notification>(&self, params: &N::Params) {
        self.notify_json::<N>(&Json::of(params));
    }

    /// Says something that is written out already.
    pub fn notify_json<N: Notification>(&self, params: &Json) {
        self.outbox.notify(N::METHOD, params);
    }

    /// Asks for something; the answer is an event with the id that is returned.
    pub fn request(&self, method: &'static str, params: impl Serialize) -> Id {
        let id = Id::Number(self.next_id.fetch_add(1, Ordering::Relaxed));
        self.outbox.ask(&id, method, &Json::of(&params));
        id
    }

    /// Writes into the client's log.
    pub fn log(&self, typ: MessageType, message: impl Into<String>) {
        self.notify::<LogMessage>(&LogMessageParams {
            typ,
            message: message.into(),
        });
    }
}

/// The JSON of a value of the protocol, as a tree; those all have one.
pub fn to_value(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}
