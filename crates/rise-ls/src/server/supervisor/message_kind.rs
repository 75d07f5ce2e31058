//! Classifies messages from the worker without reading their parameters.

use serde::Deserialize;
use tower_lsp::jsonrpc::Id;

/// The kind of a message from the worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MessageKind {
    /// An answer to a request.
    Response(Id),
    /// A request to the client, with its method.
    Request(Id, String),
    /// A notification, with its method.
    Notification(String),
}

#[derive(Deserialize)]
struct Fields {
    id: Option<Id>,
    method: Option<String>,
}

impl MessageKind {
    /// Reads the kind of a message. Returns `None` if it is not a message.
    pub fn read(body: &[u8]) -> Option<MessageKind> {
        let fields: Fields = serde_json::from_slice(body).ok()?;
        match (fields.id, fields.method) {
            (Some(id), Some(method)) => Some(MessageKind::Request(id, method)),
            (None, Some(method)) => Some(MessageKind::Notification(method)),
            (Some(id), None) => Some(MessageKind::Response(id)),
            (None, None) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_messages_are_distinguished_by_their_fields() {
        let read = |body: &str| MessageKind::read(body.as_bytes());
        let (id, method) = (Id::Number(7), "m".to_owned());
        assert_eq!(
            read(r#"{"jsonrpc":"2.0","result":[1],"id":7}"#),
            Some(MessageKind::Response(id.clone()))
        );
        assert_eq!(
            read(r#"{"jsonrpc":"2.0","error":{"code":1,"message":"m"},"id":7}"#),
            Some(MessageKind::Response(id.clone()))
        );
        assert_eq!(
            read(r#"{"jsonrpc":"2.0","id":7,"method":"m","params":[1]}"#),
            Some(MessageKind::Request(id, method.clone()))
        );
        assert_eq!(
            read(r#"{"jsonrpc":"2.0","method":"m","params":[1]}"#),
            Some(MessageKind::Notification(method))
        );
        assert_eq!(read("[]"), None);
    }
}
