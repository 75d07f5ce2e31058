//! The base protocol of LSP: messages on a byte stream, each preceded by a header with its length.

use std::io::{self, BufRead, Read};

use serde_json::Value;

use super::message::refusal;

/// The length in bytes of the longest accepted body of a message.
const MAX_MESSAGE: usize = 1 << 30;
/// The length in bytes of the longest accepted header line.
const MAX_HEADER: u64 = 1 << 12;

/// The next part of a stream.
#[derive(Debug, PartialEq, Eq)]
pub enum Frame {
    /// The body of a message, which is not parsed yet.
    Body(Vec<u8>),
    /// Input that was skipped because it is not a message, or is too long. The bytes are the body
    /// of the error response for the client.
    Refused(Vec<u8>),
}

/// Reads the next message, or returns the error response for malformed input; `None` at the end of
/// the stream, even if it ends within a message.
///
/// # Errors
/// Fails if the stream cannot be read.
pub fn read_frame(stream: &mut impl BufRead) -> io::Result<Option<Frame>> {
    let length = match read_header(stream)? {
        Header::End => return Ok(None),
        Header::Length(length) if length > MAX_MESSAGE => {
            skip(stream, length)?;
            return Ok(Some(refused(-32600, "the message is too long")));
        }
        Header::Length(length) => length,
        Header::Garbage => {
            return Ok(Some(refused(-32700, "expected a Content-Length header")));
        }
    };
    Ok(read_body(stream, length)?.map(Frame::Body))
}

/// Reads the next `length` bytes, or returns `None` if the stream ends before. The buffer grows
/// with the received data, so that a header alone cannot cause a large allocation.
fn read_body(stream: &mut impl BufRead, length: usize) -> io::Result<Option<Vec<u8>>> {
    let mut body = Vec::new();
    while body.len() < length {
        let wanted = (length - body.len()).min(body.len().max(1 << 20));
        body.reserve_exact(wanted);
        if stream.take(wanted as u64).read_to_end(&mut body)? < wanted {
            return Ok(None);
        }
    }
    Ok(Some(body))
}

fn refused(code: i64, reason: &str) -> Frame {
    Frame::Refused(refusal(code, reason, &Value::Null))
}

pub fn header(body: &[u8]) -> String {
    format!("Content-Length: {}\r\n\r\n", body.len())
}

enum Header {
    End,
    Garbage,
    Length(usize),
}

/// Reads up to the empty line before a body. Skips lines that are not headers, to resynchronise at
/// the next message. Returns `Garbage` if an empty line ends skipped lines without a length.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(body: &[u8]) -> Vec<u8> {
        [header(body).as_bytes(), body].concat()
    }

    const GOOD: &str = r#"{"jsonrpc":"2.0","method":"good"}"#;

    /// Returns the bodies of a stream, and `refused` for malformed parts, in order.
    fn read(stream: &[u8]) -> Vec<String> {
        let mut stream = stream;
        let mut seen = Vec::new();
        while let Some(found) = read_frame(&mut stream).expect("memory can be read") {
            seen.push(match found {
                Frame::Body(body) => String::from_utf8(body).expect("bodies are text"),
                Frame::Refused(_) => "refused".to_owned(),
            });
        }
        seen
    }

    fn after(stream: &[u8]) -> Vec<String> {
        read(&[stream, &frame(GOOD.as_bytes())].concat())
    }

    #[test]
    fn the_stream_is_in_step_again_after_bytes_that_are_no_message() {
        for garbage in [
            &b"Content-Length: x\r\n\r\n"[..],
            b"Content-Length: -1\r\n\r\n",
            b"hello\r\n\r\n",
            b"\xff\xfe\0\r\n\r\n",
        ] {
            assert_eq!(after(garbage), ["refused", GOOD]);
        }
        assert_eq!(after(b"\r\n\r\n"), [GOOD]);
        assert_eq!(after(&frame(b"{")), ["{", GOOD]);
        assert_eq!(after(&frame(b"")), ["", GOOD]);
    }

    #[test]
    fn headers_may_be_written_in_any_way_that_http_allows() {
        let header = "content-type: application/vscode-jsonrpc\r\nCONTENT-LENGTH:2\r\n\r\n{}";
        assert_eq!(after(header.as_bytes()), ["{}", GOOD]);
    }

    #[test]
    fn a_stream_that_ends_inside_a_message_ends() {
        let whole = frame(GOOD.as_bytes());
        for length in 0..whole.len() {
            assert_eq!(read(&whole[..length]), Vec::<String>::new());
        }
    }
}
