//! Tests of the start and end of sessions, and of protocol errors of clients.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::client::{Client, place, read_message};

const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;
const NOT_INITIALIZED: i64 = -32002;
const REQUEST_CANCELLED: i64 = -32800;

#[test]
fn a_session_that_is_shut_down_ends_with_status_0() {
    assert_eq!(Client::start().stop(), Some(0));
}

#[test]
fn the_end_of_the_input_behind_exit_does_not_change_the_status() {
    let mut client = Client::start();
    client.request("shutdown", Value::Null);
    client.send(&json!({"jsonrpc": "2.0", "method": "exit"}));
    client.hang_up();
    assert_eq!(client.status(), Some(0));
    let mut client = Client::start();
    client.send(&json!({"jsonrpc": "2.0", "method": "exit"}));
    client.hang_up();
    assert_eq!(client.status(), Some(1));
}

#[test]
fn exit_without_shutdown_ends_with_status_1() {
    let mut client = Client::start();
    client.send(&json!({"jsonrpc": "2.0", "method": "exit"}));
    assert_eq!(client.status(), Some(1));
}

#[test]
fn the_end_of_the_input_ends_the_server() {
    let mut client = Client::start();
    client.hang_up();
    assert_eq!(client.status(), Some(1));
    let mut client = Client::raw(&[]);
    client.send_bytes(b"Content-Length: 100\r\n\r\n{");
    client.hang_up();
    assert_eq!(client.status(), Some(1));
}

#[test]
fn requests_before_initialize_and_after_shutdown_are_refused() {
    let mut client = Client::raw(&[]);
    assert_eq!(
        client.refused("textDocument/hover", place("file:///a.rise", 0, 0)),
        NOT_INITIALIZED
    );
    assert_eq!(client.refused("shutdown", Value::Null), NOT_INITIALIZED);
    client.notify("textDocument/didOpen", json!({}));
    client.initialize(json!({"capabilities": {}}));
    assert_eq!(
        client.refused("initialize", json!({"capabilities": {}})),
        INVALID_REQUEST
    );
    client.request("shutdown", Value::Null);
    assert_eq!(
        client.refused("workspace/symbol", json!({"query": ""})),
        INVALID_REQUEST
    );
    assert_eq!(client.refused("shutdown", Value::Null), INVALID_REQUEST);
    client.send(&json!({"jsonrpc": "2.0", "method": "exit"}));
    assert_eq!(client.status(), Some(0));
}

#[test]
fn what_is_no_message_gets_an_error_and_the_session_goes_on() {
    let mut client = Client::start();
    let error = |client: &mut Client, bytes: &[u8]| {
        client.send_bytes(bytes);
        let said = client.wait_for(|said| said.get("error").is_some());
        assert_eq!(said["id"], Value::Null);
        said["error"]["code"].as_i64().unwrap()
    };
    assert_eq!(
        error(&mut client, b"Content-Length: 3\r\n\r\n{,}"),
        PARSE_ERROR
    );
    assert_eq!(
        error(&mut client, b"Content-Length: 2\r\n\r\n\xff\xff"),
        PARSE_ERROR
    );
    assert_eq!(
        error(&mut client, b"Content-Length: 2\r\n\r\n[]"),
        INVALID_REQUEST
    );
    assert_eq!(
        error(&mut client, b"Content-Length: many\r\n\r\n"),
        PARSE_ERROR
    );
    let deep = "[".repeat(100_000);
    let deep = format!("Content-Length: {}\r\n\r\n{deep}", deep.len());
    assert_eq!(error(&mut client, deep.as_bytes()), PARSE_ERROR);
    assert_eq!(client.stop(), Some(0));
}

#[test]
fn unreadable_json_in_a_message_gets_an_error_and_the_next_message_is_read() {
    let mut client = Client::start();
    let uri = client.uri("a.rise");
    let deep = format!("{}{}", "[".repeat(140), "]".repeat(140));
    for value in [
        r#""\ud83d""#,
        r#""\udc00x""#,
        "1e999",
        "-1e999",
        &deep,
        "\"\u{1}\"",
        "nul",
        "[1,]",
    ] {
        for body in [
            value.to_owned(),
            format!(r#"{{"jsonrpc":"2.0","method":"m","params":{{"a":[{value}]}}}}"#),
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"rise/status","params":{value}}}"#),
            format!(
                r#"{{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{{"textDocument":{{"uri":"{uri}","languageId":"rise","version":1,"text":{value}}}}}}}"#
            ),
            format!(r#"{{"jsonrpc":"2.0","id":1,"result":{value}}}"#),
            format!(
                r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":1,"message":"","data":{value}}}}}"#
            ),
            format!(r#"{{"jsonrpc":"2.0","method":"m","unknown":{value}}}"#),
            format!(r#"{{"jsonrpc":"2.0","method":"m",{value}:1}}"#),
        ] {
            client.send_bytes(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
            let said = client.wait_for(|said| said.get("error").is_some());
            let answer = (&said["id"], &said["error"]["code"]);
            assert_eq!(answer, (&Value::Null, &json!(PARSE_ERROR)), "{body}");
        }
    }
    assert!(client.request("rise/status", Value::Null).is_object());
    assert_eq!(client.stop(), Some(0));
}

#[test]
fn messages_that_break_json_rpc_are_refused_and_the_session_goes_on() {
    let mut client = Client::start();
    for body in [
        r#"["2.0",1,"m"]"#,
        r#"{"jsonrpc":"2.0","method":"m","method":"n"}"#,
        r#"{"jsonrpc":"2.0","id":9223372036854775808,"method":"m"}"#,
        r#"{"jsonrpc":"2.0","id":"a","method":"m","result":1}"#,
        r#"{"jsonrpc":"2.0","result":1}"#,
    ] {
        client.send_bytes(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
        let said = client.wait_for(|said| said.get("error").is_some());
        assert_eq!(said["error"]["code"], INVALID_REQUEST, "{body}");
    }
    assert_eq!(client.stop(), Some(0));
}

#[test]
fn wrong_requests_get_the_error_that_names_them() {
    let mut client = Client::start();
    assert_eq!(
        client.refused("textDocument/rainbow", json!({})),
        METHOD_NOT_FOUND
    );
    assert_eq!(client.refused("$/rainbow", json!({})), METHOD_NOT_FOUND);
    assert_eq!(
        client.refused("textDocument/hover", json!({})),
        INVALID_PARAMS
    );
    assert_eq!(
        client.refused("textDocument/hover", Value::Null),
        INVALID_PARAMS
    );
    assert_eq!(
        client.refused("textDocument/hover", json!([1])),
        INVALID_PARAMS
    );
    assert_eq!(
        client.refused("textDocument/hover", place("file:///not/open.rise", 0, 0)),
        INVALID_PARAMS
    );
    let negative = json!({"textDocument": {"uri": "file:///a.rise"}, "position": {"line": -1, "character": 0}});
    assert_eq!(
        client.refused("textDocument/hover", negative),
        INVALID_PARAMS
    );
    client.notify("rise/rainbow", json!({}));
    client.notify("$/setTrace", json!({"value": "verbose"}));
    client.notify("textDocument/didChange", json!({"textDocument": 1}));
    let log = client.wait_for(|said| said["method"] == "window/logMessage");
    assert!(
        log["params"]["message"]
            .as_str()
            .unwrap()
            .starts_with("textDocument/didChange: "),
        "{log}"
    );
    assert_eq!(client.stop(), Some(0));
}

#[test]
fn a_cancelled_request_has_one_answer() {
    let mut client = Client::start();
    let uri = client.uri("a.rise");
    client.open(&uri, "def x = 1\n");
    let mut cancelled = 0;
    for _ in 0..50 {
        let id = client.ask("textDocument/hover", place(&uri, 0, 4));
        client.notify("$/cancelRequest", json!({"id": id}));
        if let Err(error) = client.wait(id) {
            assert_eq!(error["code"], REQUEST_CANCELLED);
            cancelled += 1;
        }
    }
    client.notify("$/cancelRequest", json!({"id": 12345}));
    client.notify("$/cancelRequest", json!({"id": null}));
    // A second response would fail in the client.
    assert!(
        client
            .request("textDocument/hover", place(&uri, 0, 4))
            .is_object()
    );
    client.take_all();
    assert!(cancelled <= 50);
}

#[test]
fn the_server_ends_with_its_client() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let mut editor = Command::new("sleep").arg("1000").spawn().unwrap();
    let mut client = Client::raw(&[]);
    client.initialize(json!({"processId": editor.id(), "capabilities": {}}));
    editor.kill().unwrap();
    editor.wait().unwrap();
    assert_eq!(client.status(), Some(1));
}

#[test]
fn one_client_may_connect_over_tcp() {
    let mut server = Command::new(env!("CARGO_BIN_EXE_rise-ls"))
        .args(["--listen", "127.0.0.1:0"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(server.stderr.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let mut stream = TcpStream::connect(line.trim().rsplit(' ').next().unwrap()).unwrap();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut send = |message: Value| {
        use std::io::Write;
        let body = message.to_string();
        write!(stream, "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    };
    send(
        json!({"jsonrpc": "2.0", "id": "one", "method": "initialize", "params": {"capabilities": {}}}),
    );
    let answer = read_message(&mut reader).unwrap();
    assert_eq!(
        (&answer["id"], &answer["result"]["serverInfo"]["name"]),
        (&json!("one"), &json!("rise-ls"))
    );
    send(json!({"jsonrpc": "2.0", "id": "two", "method": "shutdown"}));
    assert_eq!(read_message(&mut reader).unwrap()["result"], Value::Null);
    send(json!({"jsonrpc": "2.0", "method": "exit"}));
    assert_eq!(server.wait().unwrap().code(), Some(0));
}

/// Returns the response to `rise/run` for a client with these options that is connected over the
/// network.
fn run_over_network(options: impl Fn(&str) -> Value) -> Value {
    let mut server = Command::new(env!("CARGO_BIN_EXE_rise-ls"))
        .args(["--listen", "0.0.0.0:0"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(server.stderr.take().unwrap()).lines();
    let (first, warning) = (
        lines.next().unwrap().unwrap(),
        lines.next().unwrap().unwrap(),
    );
    assert!(warning.starts_with("warning: "), "{warning}");
    let token = warning.rsplit('"').nth(1).unwrap();
    let port = first.rsplit(':').next().unwrap();
    let mut stream = TcpStream::connect(format!("127.0.0.1:{port}")).unwrap();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut send = |message: Value| {
        use std::io::Write;
        let body = message.to_string();
        write!(stream, "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    };
    let params = json!({"capabilities": {}, "initializationOptions": options(token)});
    send(json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}));
    send(json!({"jsonrpc": "2.0", "method": "initialized", "params": {}}));
    let document =
        json!({"uri": "untitled:a", "languageId": "rise", "version": 1, "text": "def x = 1.0f\n"});
    let opened = json!({"textDocument": document});
    send(json!({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": opened}));
    // Settings do not replace the token.
    let settings = json!({"settings": {"rise": {"run": {"enabled": true}}}});
    let changed = "workspace/didChangeConfiguration";
    send(json!({"jsonrpc": "2.0", "method": changed, "params": settings}));
    let run = json!({"textDocument": {"uri": "untitled:a"}, "backend": "interp"});
    send(json!({"jsonrpc": "2.0", "id": 2, "method": "rise/run", "params": run}));
    let answer = loop {
        let message = read_message(&mut reader).unwrap();
        if message["id"] == 2 {
            break message;
        }
    };
    send(json!({"jsonrpc": "2.0", "id": 3, "method": "shutdown"}));
    send(json!({"jsonrpc": "2.0", "method": "exit"}));
    server.wait().unwrap();
    answer
}

#[test]
fn programs_run_over_the_network_only_for_clients_with_the_token() {
    let answer = run_over_network(|_| json!({"run": {"enabled": true}}));
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.contains("`token`"), "{message}");
    let answer = run_over_network(|_| json!({"token": ""}));
    assert!(answer["error"].is_object(), "{answer}");
    let answer = run_over_network(|token| json!({"token": token}));
    assert_eq!(answer["result"]["value"], 1.0, "{answer}");
}
