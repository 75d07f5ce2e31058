//! The queue of messages to the client.
//!
//! Answers, notifications and requests go through one queue, so that they arrive in the order in
//! which they were sent: the end of a progress report before the answer to its request.

use crossbeam_channel::{Receiver, Sender, unbounded};
use serde::Serialize;
use tower_lsp::jsonrpc::{Id, Request, Response};

/// A handle of the queue, which is unbounded, so that a client that reads slowly does not block the
/// server.
#[derive(Clone, Debug)]
pub struct Outbox(Sender<Option<Vec<u8>>>);

/// The messages of an [`Outbox`] without their headers. `None` is the end of the session.
pub type Outgoing = Receiver<Option<Vec<u8>>>;

/// A notification whose parameters are serialised without a JSON tree in between.
#[derive(Serialize)]
struct Notification<'a, P> {
    jsonrpc: &'static str,
    method: &'a str,
    params: &'a P,
}

impl Outbox {
    /// Creates a queue, and the receiver for the thread that writes the messages.
    pub fn new() -> (Outbox, Outgoing) {
        let (sender, receiver) = unbounded();
        (Outbox(sender), receiver)
    }

    pub fn respond(&self, response: &Response) {
        self.send_json(response);
    }

    /// Sends an answer whose result is already serialised.
    pub fn respond_json(&self, id: &Id, result: &str) {
        if let Ok(id) = serde_json::to_string(id) {
            self.send(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#).into_bytes());
        }
    }

    pub fn notify(&self, method: &str, params: &impl Serialize) {
        self.send_json(&Notification {
            jsonrpc: "2.0",
            method,
            params,
        });
    }

    pub fn request(&self, request: &Request) {
        self.send_json(request);
    }

    /// Sends a message that is already serialised.
    pub fn send(&self, message: Vec<u8>) {
        // Sending fails if the client reads no messages any more.
        let _ = self.0.send(Some(message));
    }

    /// Ends the queue. Later messages are not written.
    pub fn close(&self) {
        let _ = self.0.send(None);
    }

    fn send_json(&self, message: &impl Serialize) {
        // Values of the protocol always have a JSON representation.
        if let Ok(message) = serde_json::to_vec(message) {
            self.send(message);
        }
    }
}
