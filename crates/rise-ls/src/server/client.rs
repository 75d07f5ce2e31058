//! The server's own messages: notifications, and requests whose answers come back as events.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use futures::channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use serde::Serialize;
use serde_json::Value;
use tower_lsp::jsonrpc::{Id, Request};
use tower_lsp::lsp_types::notification::{LogMessage, Notification};
use tower_lsp::lsp_types::{LogMessageParams, MessageType};

/// The way to the client. Sending never waits.
#[derive(Clone, Debug)]
pub struct Client {
    messages: UnboundedSender<Request>,
    next_id: Arc<AtomicI64>,
}

impl Client {
    /// A way to the client, and its other end.
    pub fn new() -> (Client, UnboundedReceiver<Request>) {
        let (messages, receiver) = unbounded();
        (
            Client {
                messages,
                next_id: Arc::default(),
            },
            receiver,
        )
    }

    /// Says something.
    pub fn notify<N: Notification>(&self, params: N::Params) {
        self.send(Request::build(N::METHOD).params(to_value(&params)));
    }

    /// Asks for something; the answer is an event with the id that is returned.
    pub fn request(&self, method: &'static str, params: impl Serialize) -> Id {
        let id = Id::Number(self.next_id.fetch_add(1, Ordering::Relaxed));
        let params = to_value(&params);
        let request = Request::build(method).id(id.clone());
        self.send(if params.is_null() {
            request
        } else {
            request.params(params)
        });
        id
    }

    /// Writes into the client's log.
    pub fn log(&self, typ: MessageType, message: impl Into<String>) {
        self.notify::<LogMessage>(LogMessageParams {
            typ,
            message: message.into(),
        });
    }

    fn send(&self, request: tower_lsp::jsonrpc::RequestBuilder) {
        // Without a client there is nobody to tell.
        let _ = self.messages.unbounded_send(request.finish());
    }
}

/// The JSON of a value of the protocol; those all have one.
pub fn to_value(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}
