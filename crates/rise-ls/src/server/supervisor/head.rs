//! Parses the first fields of a message from the worker.

use std::fmt;

use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use tower_lsp::jsonrpc::Id;

/// The kind of a message from the worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Head {
    /// An answer to a request.
    Response(Id),
    /// A request to the client, with its method.
    Request(Id, String),
    /// A notification, with its method.
    Notification(String),
}

impl Head {
    /// Reads the fields of a message until its kind is known, because results are long, and the
    /// worker writes the id before them. Returns `None` if this is not a message.
    pub fn read(body: &[u8]) -> Option<Head> {
        let mut fields = Fields::default();
        let mut json = serde_json::Deserializer::from_slice(body);
        // Stopping before the end of the object is an error of the deserializer.
        let _ = json.deserialize_map(&mut fields);
        match fields {
            Fields {
                id: Some(id),
                method: Some(method),
                ..
            } => Some(Head::Request(id, method)),
            Fields {
                method: Some(method),
                ..
            } => Some(Head::Notification(method)),
            Fields {
                id: Some(id),
                answers: true,
                ..
            } => Some(Head::Response(id)),
            _ => None,
        }
    }
}

#[derive(Default)]
struct Fields {
    id: Option<Id>,
    method: Option<String>,
    answers: bool,
}

impl<'de> Visitor<'de> for &mut Fields {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a message")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        while let Some(name) = map.next_key::<String>()? {
            match name.as_str() {
                "id" => self.id = Some(map.next_value()?),
                "method" => self.method = Some(map.next_value()?),
                "params" if self.method.is_some() => return Ok(()),
                "result" | "error" => {
                    self.answers = true;
                    if self.id.is_some() {
                        return Ok(());
                    }
                    map.next_value::<IgnoredAny>()?;
                }
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_of_a_message_is_known_before_its_contents() {
        let read = |body: &str| Head::read(body.as_bytes());
        let id = Id::Number(7);
        // The rest of the message is not parsed.
        assert_eq!(
            read(r#"{"jsonrpc":"2.0","id":7,"result":["#),
            Some(Head::Response(id.clone()))
        );
        assert_eq!(
            read(r#"{"jsonrpc":"2.0","id":7,"method":"m","params":["#),
            Some(Head::Request(id.clone(), "m".into()))
        );
        assert_eq!(
            read(r#"{"jsonrpc":"2.0","method":"m","params":["#),
            Some(Head::Notification("m".into()))
        );
        assert_eq!(
            read(r#"{"jsonrpc":"2.0","error":{"code":1,"message":"m"},"id":7}"#),
            Some(Head::Response(id))
        );
        assert_eq!(
            read(r#"{"jsonrpc":"2.0","id":7,"method":"m"}"#),
            Some(Head::Request(Id::Number(7), "m".into()))
        );
        assert_eq!(read("[]"), None);
    }
}
