//! Tests of the main loop without input or output: which text a request reads, independent of the
//! order in which jobs end.

use std::time::Duration;

use crossbeam_channel::{Receiver, unbounded};
use db::FilePath;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tower_lsp::jsonrpc::{Error, ErrorCode, Id};

use super::client::Client;
use super::event::{Answer, Event, Reply};
use super::pool::Pool;
use super::session::{Session, Stage};
use super::wire::{Chunk, Outbox};
use crate::loader::{Late, prepared};

const URI: &str = "file:///a.rise";

/// A session with the channels that the transport has otherwise.
struct Harness {
    session: Session,
    events: Receiver<Event>,
    to_client: Receiver<Chunk>,
    next_id: i64,
}

impl Harness {
    fn new() -> Harness {
        let (sender, events) = unbounded();
        let (chunks, to_client) = unbounded();
        let client = Client::new(Outbox::new(chunks), 0);
        let pool = Pool::start().expect("the system gives threads");
        let mut harness = Harness {
            session: Session::new(client, sender, pool, 0, None),
            events,
            to_client,
            next_id: 0,
        };
        let answer = harness.ask("initialize", json!({"capabilities": {}}));
        assert!(harness.wait(answer).is_ok());
        harness
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.session.handle(Event::Notification {
            method: method.into(),
            params,
        });
    }

    fn open(&mut self, uri: &str, text: &str) {
        let document = json!({"uri": uri, "languageId": "rise", "version": 0, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": document}));
    }

    fn change(&mut self, uri: &str, version: usize, text: &str) {
        let document = json!({"uri": uri, "version": version});
        let changes = json!([{"text": text}]);
        self.notify(
            "textDocument/didChange",
            json!({"textDocument": document, "contentChanges": changes}),
        );
    }

    fn ask(&mut self, method: &str, params: Value) -> oneshot::Receiver<Answer> {
        let (reply, answer) = Reply::new();
        self.next_id += 1;
        let id = Id::Number(self.next_id);
        self.session.handle(Event::Request {
            id,
            method: method.into(),
            params,
            reply,
        });
        answer
    }

    fn hover(&mut self, uri: &str) -> oneshot::Receiver<Answer> {
        let position = json!({"line": 0, "character": 4});
        self.ask(
            "textDocument/hover",
            json!({"textDocument": {"uri": uri}, "position": position}),
        )
    }

    /// Handles events until the answer arrives.
    fn wait(&mut self, mut answer: oneshot::Receiver<Answer>) -> Result<Value, Error> {
        loop {
            match answer.try_recv() {
                Ok(answer) => return answer.map(|json| parsed(json.as_str())),
                Err(oneshot::error::TryRecvError::Closed) => panic!("the request is lost"),
                Err(oneshot::error::TryRecvError::Empty) => {}
            }
            if let Ok(event) = self.events.recv_timeout(Duration::from_millis(50)) {
                self.session.handle(event);
            } else {
                self.session.settle();
            }
        }
    }

    /// Waits for the next message to the client with this method.
    fn said(&mut self, method: &str) -> Value {
        loop {
            match self.to_client.try_recv() {
                Ok(Chunk::Bytes(message)) => {
                    let message = String::from_utf8(message).expect("messages are text");
                    let (_, body) = message.split_once("\r\n\r\n").expect("a header");
                    let body = parsed(body);
                    if body["method"] == method {
                        return body["params"].clone();
                    }
                }
                Ok(Chunk::Close) | Err(_) => {
                    self.session.settle();
                    std::thread::sleep(Duration::from_millis(1));
                }
            }
        }
    }
}

fn parsed(json: &str) -> Value {
    serde_json::from_str(json).expect("answers are JSON")
}

fn text(version: usize) -> String {
    format!("def a{version} = {version}\n")
}

fn shows(answer: &Value, version: usize) -> bool {
    answer["contents"]["value"]
        .as_str()
        .is_some_and(|shown| shown.contains(&format!("a{version} :")))
}

#[test]
fn a_request_sees_the_changes_before_it_and_none_after_it() {
    let mut harness = Harness::new();
    harness.open(URI, &text(0));
    let mut answers = Vec::new();
    for version in 1..200 {
        harness.change(URI, version, &text(version));
        answers.push((version, harness.hover(URI)));
    }
    for (version, answer) in answers {
        match harness.wait(answer) {
            Ok(answer) => assert!(shows(&answer, version), "version {version}: {answer}"),
            Err(error) => {
                assert_eq!(error.code, ErrorCode::ContentModified);
                assert!(version < 199, "nothing came after the last request");
            }
        }
    }
}

#[test]
fn a_request_about_a_document_is_answered_of_that_document_or_a_later_one() {
    let mut harness = Harness::new();
    harness.open(URI, &text(0));
    let mut answers = Vec::new();
    for version in 1..100 {
        harness.change(URI, version, &text(version));
        let params = json!({"textDocument": {"uri": URI}});
        answers.push((version, harness.ask("textDocument/documentSymbol", params)));
    }
    for (version, answer) in answers {
        let answer = harness.wait(answer).expect("it is asked again");
        let name = answer[0]["name"]
            .as_str()
            .and_then(|name| name.strip_prefix('a'));
        let seen: usize = name
            .and_then(|name| name.parse().ok())
            .expect("the name of a version");
        assert!(seen >= version, "{seen} is older than {version}");
    }
}

#[test]
fn changes_of_another_document_fail_no_request() {
    let mut harness = Harness::new();
    harness.open(URI, &text(7));
    harness.open("file:///b.rise", "");
    let mut answers = Vec::new();
    for version in 1..100 {
        answers.push(harness.hover(URI));
        harness.change("file:///b.rise", version, &text(version));
    }
    for answer in answers {
        let answer = harness
            .wait(answer)
            .expect("its own document has not changed");
        assert!(shows(&answer, 7), "{answer}");
    }
}

#[test]
fn diagnostics_wait_until_all_changes_are_in() {
    let mut harness = Harness::new();
    harness.open(URI, "def a = b\n");
    for version in 1..10 {
        harness.change(URI, version, "def a = b\n");
    }
    harness.change(URI, 10, "def a = 1\n");
    harness.session.settle();
    let said = harness.said("textDocument/publishDiagnostics");
    assert_eq!(said, json!({"uri": URI, "diagnostics": [], "version": 10}));
}

#[test]
fn a_cancelled_request_is_answered_at_once_and_only_once() {
    let mut harness = Harness::new();
    harness.open(URI, &text(0));
    let answer = harness.hover(URI);
    let id = harness.next_id;
    harness.notify("$/cancelRequest", json!({"id": id}));
    // The job may have been faster.
    if let Err(error) = harness.wait(answer) {
        assert_eq!(error.code, ErrorCode::RequestCancelled);
    }
    let answer = harness.hover(URI);
    assert!(harness.wait(answer).is_ok());
}

#[test]
fn one_id_names_one_request() {
    let mut harness = Harness::new();
    harness.open(URI, &text(0));
    let first = harness.hover(URI);
    harness.next_id -= 1;
    let second = harness.hover(URI);
    let second = harness.wait(second);
    assert_eq!(
        second.map_err(|error| error.code),
        Err(ErrorCode::InvalidRequest)
    );
    assert!(harness.wait(first).is_ok());
}

#[test]
fn a_file_that_comes_late_does_not_replace_what_was_read_since() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a.rise");
    std::fs::write(&file, "def new = 1\n").expect("a file");
    let mut harness = Harness::new();
    let uri = |name: &str| format!("file://{}", folder.path().join(name).display());
    harness.open(&uri("main.rise"), "");
    let path = FilePath::disk(&file);
    let (sender, contents) = std::sync::mpsc::channel();
    let late = Late {
        paths: vec![path.clone()],
        contents,
    };
    harness.session.expect_late(late);
    let changes = json!([{"uri": uri("a.rise"), "type": 2}]);
    harness.notify(
        "workspace/didChangeWatchedFiles",
        json!({"changes": changes}),
    );
    let old = prepared(&path, "def old = 1\n");
    sender.send((path.clone(), Ok(old))).expect("it is awaited");
    let mut is_late = false;
    while !is_late {
        let event = harness.events.recv().expect("the session lives");
        is_late = matches!(event, Event::LateFile { .. });
        harness.session.handle(event);
    }
    let file = harness.session.db.file(&path).expect("it is known");
    assert_eq!(harness.session.db.text(file).to_string(), "def new = 1\n");
}

#[test]
fn exit_is_clean_after_shutdown_only() {
    for (shutdown, clean) in [(true, true), (false, false)] {
        let mut harness = Harness::new();
        if shutdown {
            let answer = harness.ask("shutdown", Value::Null);
            assert!(harness.wait(answer).is_ok());
        }
        harness.notify("exit", Value::Null);
        assert_eq!(harness.session.stage(), Stage::Over { clean });
    }
}
