//! Messages on a stream of bytes, and which of them may pass.
//!
//! tower-lsp ends the session at the first message that it cannot read. So a thread of ours reads
//! the stream, answers what is no message with the error that JSON-RPC names, and passes on only
//! what tower-lsp will understand.

use std::io::{self, BufRead, Read};

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

/// The longest message that is read: longer than any file that an editor opens.
const MAX_MESSAGE: usize = 1 << 30;
/// The longest header line that is read.
const MAX_HEADER: u64 = 1 << 12;

/// What stood at the front of the stream.
#[derive(Debug, PartialEq, Eq)]
pub enum Frame {
    /// A message, with its header.
    Message(Vec<u8>),
    /// No message; this response says why.
    Refused(Vec<u8>),
}

/// The next message, or the reason why there is none; `None` at the end of the stream.
///
/// # Errors
/// The stream cannot be read.
pub fn read_frame(stream: &mut impl BufRead) -> io::Result<Option<Frame>> {
    let length = match read_header(stream)? {
        Header::End => return Ok(None),
        Header::Length(length) if length > MAX_MESSAGE => {
            skip(stream, length)?;
            return Ok(Some(refuse(-32600, "the message is too long", Value::Null)));
        }
        Header::Length(length) => length,
        Header::Garbage => {
            return Ok(Some(refuse(
                -32700,
                "expected a Content-Length header",
                Value::Null,
            )));
        }
    };
    let mut body = Vec::with_capacity(length.min(1 << 20));
    if stream.take(length as u64).read_to_end(&mut body)? < length {
        return Ok(None);
    }
    Ok(Some(check(&body)))
}

/// A message with its header.
pub fn frame(body: &[u8]) -> Vec<u8> {
    let mut framed = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    framed.extend_from_slice(body);
    framed
}

enum Header {
    End,
    Garbage,
    Length(usize),
}

/// Reads up to the empty line before a message. Lines that are no header are passed over, so that
/// the stream is in step again at the next message.
fn read_header(stream: &mut impl BufRead) -> io::Result<Header> {
    let mut length = None;
    let mut garbage = false;
    loop {
        let mut line = Vec::new();
        if stream.take(MAX_HEADER).read_until(b'\n', &mut line)? == 0 {
            return Ok(Header::End);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end_matches(['\r', '\n']);
        match line.split_once(':') {
            _ if line.is_empty() => match length {
                Some(length) => return Ok(Header::Length(length)),
                None if garbage => return Ok(Header::Garbage),
                None => {}
            },
            Some((name, value)) if name.trim().eq_ignore_ascii_case("content-length") => {
                length = value.trim().parse().ok();
                garbage |= length.is_none();
            }
            Some((name, _)) if name.trim().eq_ignore_ascii_case("content-type") => {}
            _ => garbage = true,
        }
    }
}

fn skip(stream: &mut impl BufRead, length: usize) -> io::Result<()> {
    io::copy(&mut stream.take(length as u64), &mut io::sink()).map(drop)
}

/// The fields of every kind of message.
#[derive(Deserialize)]
struct Envelope {
    jsonrpc: Option<Value>,
    id: Option<Value>,
    method: Option<Value>,
    #[serde(default, deserialize_with = "present")]
    result: bool,
    error: Option<Value>,
    #[serde(default, rename = "params")]
    _params: Option<IgnoredAny>,
}

fn present<'de, D: serde::Deserializer<'de>>(field: D) -> Result<bool, D::Error> {
    IgnoredAny::deserialize(field).map(|_| true)
}

/// Lets a message pass that is a request, notification or response of JSON-RPC 2.0.
fn check(body: &[u8]) -> Frame {
    let envelope: Envelope = match serde_json::from_slice(body) {
        Ok(envelope) => envelope,
        Err(reason) if reason.is_data() => return refuse(-32600, &reason.to_string(), Value::Null),
        Err(reason) => return refuse(-32700, &reason.to_string(), Value::Null),
    };
    let id = match envelope.id {
        None | Some(Value::Null | Value::String(_)) => envelope.id.unwrap_or_default(),
        Some(Value::Number(number)) if number.is_i64() => Value::Number(number),
        Some(_) => return refuse(-32600, "an id is a string or a whole number", Value::Null),
    };
    let reason = match (&envelope.jsonrpc, &envelope.method) {
        (Some(Value::String(version)), _) if version != "2.0" => {
            "the version of JSON-RPC is not 2.0"
        }
        (Some(Value::String(_)), Some(Value::String(_))) => return Frame::Message(frame(body)),
        (Some(Value::String(_)), None) if envelope.result || is_error(envelope.error.as_ref()) => {
            return Frame::Message(frame(body));
        }
        (Some(Value::String(_)), _) => "neither a method nor a result",
        _ => "the field `jsonrpc` is missing",
    };
    refuse(-32600, reason, id)
}

fn is_error(error: Option<&Value>) -> bool {
    error.is_some_and(|error| error["code"].is_i64() && error["message"].is_string())
}

fn refuse(code: i64, reason: &str, id: Value) -> Frame {
    let response = json!({"jsonrpc": "2.0", "error": {"code": code, "message": reason}, "id": id});
    Frame::Refused(frame(response.to_string().as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What passes, and the codes of what does not, in order.
    fn read(stream: &[u8]) -> Vec<String> {
        let mut stream = stream;
        let mut seen = Vec::new();
        while let Some(found) = read_frame(&mut stream).expect("memory can be read") {
            let (name, bytes) = match found {
                Frame::Message(bytes) => ("pass", bytes),
                Frame::Refused(bytes) => ("refuse", bytes),
            };
            let text = String::from_utf8(bytes).expect("messages are text");
            let body = text
                .split_once("\r\n\r\n")
                .expect("messages have a header")
                .1;
            let body: Value = serde_json::from_str(body).expect("messages are JSON");
            let what = if name == "pass" {
                &body["method"]
            } else {
                &body["error"]["code"]
            };
            seen.push(format!("{name} {what}"));
        }
        seen
    }

    fn after(stream: &[u8]) -> Vec<String> {
        let good = frame(br#"{"jsonrpc":"2.0","method":"good"}"#);
        read(&[stream, &good].concat())
    }

    #[test]
    fn what_is_no_message_is_answered_and_the_next_one_passes() {
        assert_eq!(after(&frame(b"{")), ["refuse -32700", r#"pass "good""#]);
        assert_eq!(
            after(&frame(b"\xff\xfe")),
            ["refuse -32700", r#"pass "good""#]
        );
        assert_eq!(after(&frame(b"[]")), ["refuse -32600", r#"pass "good""#]);
        assert_eq!(after(&frame(b"")), ["refuse -32700", r#"pass "good""#]);
        assert_eq!(
            after(&frame(br#"{"method":"m"}"#)),
            ["refuse -32600", r#"pass "good""#]
        );
        assert_eq!(
            after(&frame(br#"{"jsonrpc":"1.0","method":"m"}"#)),
            ["refuse -32600", r#"pass "good""#]
        );
        assert_eq!(
            after(&frame(br#"{"jsonrpc":"2.0","id":1.5,"method":"m"}"#)),
            ["refuse -32600", r#"pass "good""#]
        );
        assert_eq!(
            after(&frame(br#"{"jsonrpc":"2.0","id":1}"#)),
            ["refuse -32600", r#"pass "good""#]
        );
        assert_eq!(
            after(b"Content-Length: x\r\n\r\n"),
            ["refuse -32700", r#"pass "good""#]
        );
        assert_eq!(after(b"hello\r\n\r\n"), ["refuse -32700", r#"pass "good""#]);
    }

    #[test]
    fn headers_may_be_written_in_any_way_that_http_allows() {
        let body = br#"{"jsonrpc":"2.0","method":"m"}"#;
        let header = format!(
            "content-type: application/vscode-jsonrpc\r\nCONTENT-LENGTH:{}\r\n\r\n",
            body.len()
        );
        assert_eq!(
            after(&[header.as_bytes(), body].concat()),
            [r#"pass "m""#, r#"pass "good""#]
        );
    }

    #[test]
    fn responses_pass_also_with_a_null_result() {
        assert_eq!(
            read(&frame(br#"{"jsonrpc":"2.0","id":1,"result":null}"#)),
            ["pass null"]
        );
        assert_eq!(
            read(&frame(
                br#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}"#
            )),
            ["pass null"]
        );
        assert_eq!(
            read(&frame(br#"{"jsonrpc":"2.0","id":1,"error":"m"}"#)),
            ["refuse -32600"]
        );
    }

    #[test]
    fn a_stream_that_ends_inside_a_message_ends() {
        let whole = frame(br#"{"jsonrpc":"2.0","method":"m"}"#);
        for length in 0..whole.len() {
            assert_eq!(read(&whole[..length]), Vec::<String>::new());
        }
    }
}
