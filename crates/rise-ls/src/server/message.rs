//! Parses the messages of JSON-RPC 2.0.
//!
//! tower-lsp ends the session at the first message that it cannot parse. So every message of the
//! client is parsed completely here first, and only valid ones are passed on.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use tower_lsp::jsonrpc::Id;

const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;

/// A message from the client.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// A message that expects an answer.
    Request {
        /// The id of the request, which its answer repeats.
        id: Id,
        method: String,
        /// The parameters, or `null`.
        params: Value,
    },
    /// A message that expects no answer.
    Notification {
        method: String,
        /// The parameters, or `null`.
        params: Value,
    },
    /// An answer to a request of the server.
    Response {
        /// The id of that request.
        id: Id,
    },
}

/// The fields of all kinds of messages. Unknown fields are parsed too: a syntax error anywhere
/// makes the message invalid.
#[derive(Deserialize)]
struct Envelope {
    jsonrpc: Option<Value>,
    id: Option<Value>,
    method: Option<Value>,
    params: Option<Value>,
    #[serde(default, deserialize_with = "present")]
    result: bool,
    error: Option<Value>,
    #[serde(flatten)]
    _unknown: Map<String, Value>,
}

fn present<'de, D: serde::Deserializer<'de>>(field: D) -> Result<bool, D::Error> {
    Value::deserialize(field).map(|_| true)
}

impl Message {
    /// Parses the body of a message.
    ///
    /// # Errors
    /// Returns the body of the error response if the body is not a message.
    pub fn read(body: &[u8]) -> Result<Message, Vec<u8>> {
        let envelope: Envelope = match serde_json::from_slice(body) {
            Ok(envelope) => envelope,
            Err(_) => {
                return Err(match serde_json::from_slice::<Value>(body) {
                    Ok(_) => {
                        let reason = "a message must be an object in which no field occurs twice";
                        refusal(INVALID_REQUEST, reason, &Value::Null)
                    }
                    Err(reason) => refusal(PARSE_ERROR, &reason.to_string(), &Value::Null),
                });
            }
        };
        let id = match &envelope.id {
            None => None,
            Some(Value::String(text)) => Some(Id::String(text.clone())),
            Some(number) => match number.as_i64() {
                Some(number) => Some(Id::Number(number)),
                None => {
                    let reason = "an id must be a string or a whole number";
                    return Err(refusal(INVALID_REQUEST, reason, &Value::Null));
                }
            },
        };
        let answers = envelope.result || envelope.error.is_some();
        let reason = match (envelope.jsonrpc, envelope.method, id) {
            (Some(Value::String(version)), _, _) if version != "2.0" => {
                "the version of JSON-RPC is not 2.0"
            }
            (Some(Value::String(_)), Some(_), _) if answers => {
                "the message has both a method and a result"
            }
            (Some(Value::String(_)), Some(Value::String(method)), id) => {
                let params = envelope.params.unwrap_or_default();
                return Ok(match id {
                    Some(id) => Message::Request { id, method, params },
                    None => Message::Notification { method, params },
                });
            }
            (Some(Value::String(_)), None, Some(id))
                if envelope.result || envelope.error.as_ref().is_some_and(is_error) =>
            {
                return Ok(Message::Response { id });
            }
            (Some(Value::String(_)), _, _) => "the message has neither a method nor a result",
            _ => "the field `jsonrpc` is missing",
        };
        let id = envelope.id.unwrap_or_default();
        Err(refusal(INVALID_REQUEST, reason, &id))
    }
}

fn is_error(error: &Value) -> bool {
    error["code"].is_i64() && error["message"].is_string()
}

/// Returns the body of the error response to an invalid message.
pub fn refusal(code: i64, reason: &str, id: &Value) -> Vec<u8> {
    let response = json!({"jsonrpc": "2.0", "error": {"code": code, "message": reason}, "id": id});
    response.to_string().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the error code for an invalid body.
    fn refused(body: impl AsRef<[u8]>) -> i64 {
        let body = body.as_ref();
        let Err(response) = Message::read(body) else {
            panic!("{} is read", String::from_utf8_lossy(body))
        };
        let response = String::from_utf8(response).expect("messages are text");
        let response: Value = serde_json::from_str(&response).expect("messages are JSON");
        response["error"]["code"].as_i64().expect("an error")
    }

    #[test]
    fn unreadable_json_is_refused_wherever_it_is() {
        for value in [
            r#""\ud83d""#,
            r#""\udc00""#,
            r#""\ud83d\ud83d""#,
            "\"\u{1}\"",
            r#""\x""#,
            "1e999",
            "-1e999",
            "01",
            "1.",
            "NaN",
            "tru",
            "'a'",
            "[1,]",
            "{,}",
            &"[".repeat(140),
            &format!("{}{}", "[".repeat(140), "]".repeat(140)),
            &format!("{}1{}", r#"{"a":"#.repeat(140), "}".repeat(140)),
        ] {
            for body in [
                value.to_owned(),
                format!("[{value}]"),
                format!(r#"{{"jsonrpc":"2.0","method":"m","params":{{"a":[{value}]}}}}"#),
                format!(r#"{{"jsonrpc":"2.0","method":"m","unknown":{value}}}"#),
                format!(r#"{{"jsonrpc":"2.0","method":{value}}}"#),
                format!(r#"{{"jsonrpc":{value},"method":"m"}}"#),
                format!(r#"{{"jsonrpc":"2.0","id":{value},"method":"m"}}"#),
                format!(r#"{{"jsonrpc":"2.0","id":1,"result":{value}}}"#),
                format!(r#"{{"jsonrpc":"2.0","id":1,"error":{value}}}"#),
                format!(r#"{{"jsonrpc":"2.0","method":"m"}}{value}"#),
            ] {
                assert_eq!(refused(&body), PARSE_ERROR, "{body}");
            }
        }
        for body in [&b""[..], b"{", b"\xff\xfe", b"\xef\xbb\xbf{}", b"\0"] {
            assert_eq!(refused(body), PARSE_ERROR, "{body:?}");
        }
        let bytes = br#"{"jsonrpc":"2.0","method":"m","params":["~"]}"#.map(|byte| match byte {
            b'~' => 0xff,
            byte => byte,
        });
        assert_eq!(refused(bytes), PARSE_ERROR);
    }

    #[test]
    fn json_that_is_not_a_message_is_an_invalid_request() {
        for body in [
            "[]",
            "1",
            "null",
            r#"["2.0",1,"m"]"#,
            r#"{"method":"m"}"#,
            r#"{"jsonrpc":2.0,"method":"m"}"#,
            r#"{"jsonrpc":"1.0","method":"m"}"#,
            r#"{"jsonrpc":"2.0"}"#,
            r#"{"jsonrpc":"2.0","id":1}"#,
            r#"{"jsonrpc":"2.0","id":1.5,"method":"m"}"#,
            r#"{"jsonrpc":"2.0","id":9223372036854775808,"method":"m"}"#,
            r#"{"jsonrpc":"2.0","id":[1],"method":"m"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":null,"params":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":["m"]}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"m","method":"n"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"m","result":1}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"m","error":{"code":1,"message":"m"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":"m"}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":"1","message":"m"}}"#,
            r#"{"jsonrpc":"2.0","result":1}"#,
        ] {
            assert_eq!(refused(body), INVALID_REQUEST, "{body}");
        }
    }

    #[test]
    fn messages_are_told_apart_by_their_fields() {
        let read = |body: &str| Message::read(body.as_bytes()).expect("a message");
        let (method, params) = ("m".to_owned(), json!([1]));
        assert_eq!(
            read(r#"{"id":"a","params":[1],"method":"m","jsonrpc":"2.0","x":{}}"#),
            Message::Request {
                id: Id::String("a".into()),
                method: method.clone(),
                params: params.clone(),
            }
        );
        assert_eq!(
            read(r#"{"jsonrpc":"2.0","method":"m","params":[1]}"#),
            Message::Notification { method, params }
        );
        for answer in [
            r#"{"jsonrpc":"2.0","id":1,"result":null}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}"#,
        ] {
            assert_eq!(read(answer), Message::Response { id: Id::Number(1) });
        }
    }
}
