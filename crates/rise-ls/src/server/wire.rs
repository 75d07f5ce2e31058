//! Serialises messages to the client.
//!
//! Answers and notifications are serialised on the thread that computes them, and sent to the
//! writer in one queue. A JSON tree in between would need many small allocations for each message.

use crossbeam_channel::Sender;
use serde::Serialize;
use tower_lsp::jsonrpc::{Error, Id};

/// A serialised JSON value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Json(String);

impl Json {
    /// Serialises a protocol value, which always has a JSON representation.
    pub fn of(value: &(impl Serialize + ?Sized)) -> Json {
        Json(serde_json::to_string(value).unwrap_or_else(|_| "null".into()))
    }

    /// Wraps text that is already JSON.
    pub fn from_text(text: String) -> Json {
        Json(text)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A message to the writer thread.
#[derive(Debug)]
pub enum Chunk {
    /// Bytes of whole messages.
    Bytes(Vec<u8>),
    /// The end of tower-lsp's output.
    Close,
}

/// A handle of the writer's queue, which is unbounded, so that a client that reads slowly does not
/// block the server.
#[derive(Clone, Debug)]
pub struct Outbox(Sender<Chunk>);

impl Outbox {
    pub fn new(chunks: Sender<Chunk>) -> Outbox {
        Outbox(chunks)
    }

    pub fn respond(&self, id: &Id, answer: &Result<Json, Error>) {
        let id = Json::of(id);
        let (name, outcome) = match answer {
            Ok(result) => ("result", result),
            Err(error) => ("error", &Json::of(error)),
        };
        self.send(&["\"id\":", id.as_str(), ",\"", name, "\":", outcome.as_str()]);
    }

    pub fn notify(&self, method: &str, params: &Json) {
        self.send(&["\"method\":\"", method, "\",\"params\":", params.as_str()]);
    }

    /// Sends a request. `null` parameters are omitted.
    pub fn ask(&self, id: &Id, method: &str, params: &Json) {
        let id = Json::of(id);
        let head = ["\"id\":", id.as_str(), ",\"method\":\"", method, "\""];
        match params.as_str() {
            "null" => self.send(&head),
            params => self.send(&[&head[..], &[",\"params\":", params]].concat()),
        }
    }

    /// Sends a message that consists of these parts. A closed queue is ignored.
    fn send(&self, parts: &[&str]) {
        const START: &str = "{\"jsonrpc\":\"2.0\",";
        const END: &str = "}";
        let length = START.len() + parts.iter().map(|part| part.len()).sum::<usize>() + END.len();
        let mut message = format!("Content-Length: {length}\r\n\r\n");
        message.reserve_exact(length);
        message.push_str(START);
        parts.iter().for_each(|part| message.push_str(part));
        message.push_str(END);
        let _ = self.0.send(Chunk::Bytes(message.into_bytes()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossbeam_channel::unbounded;
    use serde_json::{Value, json};

    fn sent(act: impl FnOnce(&Outbox)) -> Value {
        let (sender, receiver) = unbounded();
        act(&Outbox::new(sender));
        let Ok(Chunk::Bytes(message)) = receiver.try_recv() else {
            panic!("nothing was sent")
        };
        let message = String::from_utf8(message).expect("messages are text");
        let (header, body) = message.split_once("\r\n\r\n").expect("a header");
        assert_eq!(header, format!("Content-Length: {}", body.len()));
        serde_json::from_str(body).expect("messages are JSON")
    }

    #[test]
    fn messages_are_those_of_the_protocol() {
        let id = Id::String("a \"b\"".into());
        assert_eq!(
            sent(|outbox| outbox.respond(&id, &Ok(Json::of(&json!({"é": [1]}))))),
            json!({"jsonrpc": "2.0", "result": {"é": [1]}, "id": "a \"b\""})
        );
        assert_eq!(
            sent(|outbox| outbox.respond(&Id::Number(7), &Err(Error::invalid_request()))),
            json!({"jsonrpc": "2.0", "id": 7,
                "error": {"code": -32600, "message": "Invalid request"}})
        );
        assert_eq!(
            sent(|outbox| outbox.notify("m", &Json::of(&[1, 2]))),
            json!({"jsonrpc": "2.0", "method": "m", "params": [1, 2]})
        );
        assert_eq!(
            sent(|outbox| outbox.ask(&Id::Number(1), "m", &Json::of(&()))),
            json!({"jsonrpc": "2.0", "method": "m", "id": 1})
        );
        assert_eq!(
            sent(|outbox| outbox.ask(&Id::Number(1), "m", &Json::of(&json!({"a": null})))),
            json!({"jsonrpc": "2.0", "method": "m", "id": 1, "params": {"a": null}})
        );
    }
}
