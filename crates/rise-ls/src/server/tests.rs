//! Tests of the main loop without input or output: which text a request reads, independent of the
//! order in which jobs end.

use std::time::Duration;

use crossbeam_channel::{Receiver, unbounded};
use db::FilePath;
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Value, json};
use tower::Service;
use tower_lsp::jsonrpc::{Error, ErrorCode, Request, Response};
use tower_lsp::{ExitedError, LspService};

use super::client::Client;
use super::event::Event;
use super::ordering::{Ordering, RunningRequests};
use super::outbox::{Outbox, Outgoing};
use super::pool::Pool;
use super::router::{self, Server};
use super::session::Session;
use crate::loader::{Late, prepared};

const URI: &str = "file:///a.rise";

/// A request whose answer is in the outbox when the future ends.
struct Pending {
    id: i64,
    answered: BoxFuture<'static, Result<Option<Response>, ExitedError>>,
}

/// A session with the service of the transport, but without its streams.
struct Harness {
    service: Ordering<LspService<Server>>,
    session: Session,
    events: Receiver<Event>,
    to_client: Outgoing,
    /// The messages to the client that no test has consumed.
    received: Vec<Value>,
    next_id: i64,
}

impl Harness {
    fn new() -> Harness {
        let (sender, events) = unbounded();
        let (outbox, to_client) = Outbox::new();
        let client = Client::new(outbox.clone(), 0);
        let pool = Pool::start().expect("the system gives threads");
        let running = RunningRequests::default();
        let service = router::service(sender.clone(), running.clone());
        let mut harness = Harness {
            service: Ordering::new(service, outbox, running),
            session: Session::new(client, sender, pool, 0, None),
            events,
            to_client,
            received: Vec::new(),
            next_id: 0,
        };
        let answer = harness.ask("initialize", json!({"capabilities": {}}));
        assert!(harness.wait(answer).is_ok());
        harness
    }

    /// Calls the service, and handles the events of the call.
    fn call(
        &mut self,
        request: Request,
    ) -> BoxFuture<'static, Result<Option<Response>, ExitedError>> {
        let answered = self.service.call(request);
        for event in self.events.try_iter().collect::<Vec<_>>() {
            self.session.handle(event);
        }
        answered
    }

    fn notify(&mut self, method: &'static str, params: Value) {
        let handled = self.call(Request::build(method).params(params).finish());
        assert_eq!(handled.now_or_never(), Some(Ok(None)));
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

    fn ask(&mut self, method: &'static str, params: Value) -> Pending {
        self.next_id += 1;
        let id = self.next_id;
        let request = Request::build(method).params(params).id(id).finish();
        let answered = self.call(request);
        Pending { id, answered }
    }

    fn hover(&mut self, uri: &str) -> Pending {
        let position = json!({"line": 0, "character": 4});
        self.ask(
            "textDocument/hover",
            json!({"textDocument": {"uri": uri}, "position": position}),
        )
    }

    /// Handles events until the answer arrives.
    fn wait(&mut self, mut pending: Pending) -> Result<Value, Error> {
        while (&mut pending.answered).now_or_never().is_none() {
            if let Ok(event) = self.events.recv_timeout(Duration::from_millis(50)) {
                self.session.handle(event);
            } else {
                self.session.start_background_jobs();
            }
        }
        let answer =
            self.take(|message| message["id"] == pending.id && message["method"].is_null());
        let answer = answer.expect("the request is answered");
        match answer.get("error") {
            Some(error) => Err(serde_json::from_value(error.clone()).expect("an error")),
            None => Ok(answer["result"].clone()),
        }
    }

    /// Waits for the next notification with this method.
    fn said(&mut self, method: &str) -> Value {
        loop {
            if let Some(message) = self.take(|message| message["method"] == method) {
                return message["params"].clone();
            }
            self.session.start_background_jobs();
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn take(&mut self, wanted: impl Fn(&Value) -> bool) -> Option<Value> {
        let new = self.to_client.try_iter().flatten();
        let parsed = |body: Vec<u8>| serde_json::from_slice(&body).expect("messages are JSON");
        self.received.extend(new.map(parsed));
        let at = self.received.iter().position(wanted)?;
        Some(self.received.remove(at))
    }
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
        let answer = harness.wait(answer).expect("it is retried");
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
    harness.session.start_background_jobs();
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
fn messages_wait_until_initialize_is_answered() {
    let (sender, events) = unbounded();
    let (outbox, to_client) = Outbox::new();
    let client = Client::new(outbox.clone(), 0);
    let pool = Pool::start().expect("the system gives threads");
    let running = RunningRequests::default();
    let service = router::service(sender.clone(), running.clone());
    let mut service = Ordering::new(service, outbox, running);
    let mut session = Session::new(client, sender, pool, 0, None);
    let is_ready = |service: &mut Ordering<LspService<Server>>| {
        let ready = futures::future::poll_fn(|context| service.poll_ready(context));
        ready.now_or_never().is_some()
    };
    assert!(is_ready(&mut service));
    let params = json!({"capabilities": {}});
    let request = Request::build("initialize").params(params).id(1);
    let mut answered = service.call(request.finish());
    assert!((&mut answered).now_or_never().is_none());
    assert!(!is_ready(&mut service));
    session.handle(events.try_recv().expect("a message"));
    assert_eq!((&mut answered).now_or_never(), Some(Ok(None)));
    assert!(is_ready(&mut service));
    assert_eq!(to_client.len(), 1);
}

#[test]
fn unknown_requests_are_answered() {
    let mut harness = Harness::new();
    for method in ["rise/rainbow", "$/rainbow"] {
        let answer = harness.ask(method, json!({}));
        let code = harness.wait(answer).map_err(|error| error.code);
        assert_eq!(code, Err(ErrorCode::MethodNotFound), "{method}");
    }
}

#[test]
fn parameters_of_initialized_and_shutdown_may_be_missing_or_empty() {
    for params in [Value::Null, json!({})] {
        let mut harness = Harness::new();
        harness.notify("initialized", params.clone());
        let answer = harness.ask("shutdown", params);
        assert_eq!(harness.wait(answer), Ok(Value::Null));
    }
}
