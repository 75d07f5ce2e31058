//! A client that plays a script and detects failures of the server.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::script::Step;

/// The maximal number of items in one session for which a resolve request is sent.
const MAX_RESOLVED: usize = 20;

/// A failure in a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The server has crashed, with this message.
    Crash(String),
    /// A request failed because of a panic, or an `internal` diagnostic was sent.
    Panic(String),
    /// These requests were not answered in time.
    Hang(Vec<String>),
    /// A message arrived that no client expects.
    Unexpected(String),
    /// The server exited with another status than 0.
    Status(Option<i32>),
}

impl Failure {
    /// Returns the kind of the failure, which is preserved when a script is shrunk.
    pub fn kind(&self) -> &'static str {
        match self {
            Failure::Crash(_) => "crash",
            Failure::Panic(_) => "panic",
            Failure::Hang(_) => "hang",
            Failure::Unexpected(_) => "unexpected",
            Failure::Status(_) => "status",
        }
    }
}

/// A pending request.
struct Waiting {
    id: i64,
    method: String,
    since: Instant,
}

/// A running server with the state of its client.
pub struct Client {
    process: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    waiting: VecDeque<Waiting>,
    next_id: i64,
    /// The number of expected errors with the id `null`.
    refusals: usize,
    resolved: usize,
    limit: Duration,
    /// The number of requests that were answered.
    pub answered: u64,
}

impl Client {
    /// Starts a server in a folder. `limit` is the time limit of a response.
    ///
    /// # Errors
    /// The server cannot be started.
    pub fn start(server: &Path, folder: &Path, limit: Duration) -> io::Result<Client> {
        let mut process = Command::new(server)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .current_dir(folder)
            .env("TMPDIR", folder)
            .spawn()?;
        let (input, output) = (process.stdin.take(), process.stdout.take());
        let output = output.ok_or(io::ErrorKind::BrokenPipe)?;
        Ok(Client {
            process,
            input,
            messages: listen(output),
            waiting: VecDeque::new(),
            next_id: 0,
            refusals: 0,
            resolved: 0,
            limit,
            answered: 0,
        })
    }

    /// Plays the steps of a script.
    ///
    /// # Errors
    /// The first failure.
    pub fn play(&mut self, steps: &[Step]) -> Result<(), Failure> {
        for step in steps {
            self.step(step)?;
            while let Ok(message) = self.messages.try_recv() {
                self.take(&message)?;
            }
        }
        Ok(())
    }

    /// Ends the session as the protocol requires, and returns the number of answered requests.
    ///
    /// # Errors
    /// The first failure.
    pub fn end(mut self) -> Result<u64, Failure> {
        self.ask("shutdown", json!(null));
        self.wait()?;
        self.write(&json!({"jsonrpc": "2.0", "method": "exit"}));
        let deadline = Instant::now() + self.limit;
        while Instant::now() < deadline {
            match self.process.try_wait() {
                Ok(Some(status)) if status.success() => return Ok(self.answered),
                Ok(Some(status)) => return Err(Failure::Status(status.code())),
                _ => thread::sleep(Duration::from_millis(1)),
            }
        }
        Err(Failure::Hang(vec!["exit".to_owned()]))
    }

    fn step(&mut self, step: &Step) -> Result<(), Failure> {
        match step {
            Step::Send(message) if message.get("id").is_some_and(Value::is_null) => {
                let method = message["method"].as_str().unwrap_or_default();
                self.ask(method, message["params"].clone());
            }
            Step::Send(message) => self.write(message),
            Step::SendBytes(bytes) => {
                self.refusals += 1;
                self.write_bytes(bytes);
            }
            Step::Cancel(ago) => {
                let number = self.waiting.len().checked_sub(ago + 1);
                let id = number.map_or(1, |at| self.waiting[at].id);
                let params = json!({"id": id});
                self.write(
                    &json!({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": params}),
                );
            }
            Step::Wait => self.wait()?,
        }
        Ok(())
    }

    fn ask(&mut self, method: &str, params: Value) {
        self.next_id += 1;
        self.waiting.push_back(Waiting {
            id: self.next_id,
            method: method.to_owned(),
            since: Instant::now(),
        });
        self.write(
            &json!({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params}),
        );
    }

    fn write(&mut self, message: &Value) {
        let body = message.to_string();
        self.write_bytes(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    }

    fn write_bytes(&mut self, bytes: &[u8]) {
        // A server that has ended is detected at its output.
        if let Some(input) = &mut self.input {
            let _ = input.write_all(bytes).and_then(|()| input.flush());
        }
    }

    fn wait(&mut self) -> Result<(), Failure> {
        let mut last = Instant::now();
        while !self.waiting.is_empty() || self.refusals > 0 {
            match self.messages.recv_timeout(Duration::from_millis(200)) {
                Ok(message) => {
                    last = Instant::now();
                    self.take(&message)?;
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Failure::Crash("the server has ended".to_owned()));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            // Requests wait for earlier ones, so that only the time without any message counts.
            let late = |waiting: &Waiting| waiting.since.max(last).elapsed() > self.limit;
            let late: Vec<String> = self
                .waiting
                .iter()
                .filter(|waiting| late(waiting))
                .map(|waiting| waiting.method.clone())
                .collect();
            if !late.is_empty() {
                return Err(Failure::Hang(late));
            }
            if self.waiting.is_empty() && last.elapsed() > self.limit {
                return Err(Failure::Hang(vec!["a malformed message".to_owned()]));
            }
        }
        Ok(())
    }

    fn take(&mut self, message: &Value) -> Result<(), Failure> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        match (message.get("method"), message.get("id")) {
            (Some(method), Some(id)) => {
                let result = match method.as_str() {
                    Some("workspace/configuration") => json!([null]),
                    _ => Value::Null,
                };
                self.write(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
            }
            (Some(method), None)
                if method == "window/logMessage" && message["params"]["type"] == 1 =>
            {
                let log = text(&message["params"]["message"]);
                if log.starts_with("the server has crashed") {
                    return Err(Failure::Crash(log));
                }
                if log.contains(" failed: ") || log.starts_with("the server has failed") {
                    return Err(Failure::Panic(log));
                }
            }
            (Some(method), None) if method == "textDocument/publishDiagnostics" => {
                let all = message["params"]["diagnostics"].as_array();
                if let Some(internal) = all
                    .into_iter()
                    .flatten()
                    .find(|one| one["code"] == "internal")
                {
                    let uri = text(&message["params"]["uri"]);
                    let internal = text(&internal["message"]);
                    return Err(Failure::Panic(format!("{uri}: {internal}")));
                }
            }
            (Some(_), None) => {}
            (None, Some(Value::Null)) if self.refusals > 0 => self.refusals -= 1,
            (None, Some(id)) => {
                let at = self
                    .waiting
                    .iter()
                    .position(|waiting| Some(waiting.id) == id.as_i64());
                let Some(waiting) = at.and_then(|at| self.waiting.remove(at)) else {
                    return Err(Failure::Unexpected(message.to_string()));
                };
                self.answered += 1;
                if message["error"]["code"] == -32603 {
                    let reason = text(&message["error"]["message"]);
                    return Err(Failure::Panic(format!("{}: {reason}", waiting.method)));
                }
                self.follow(&waiting.method, &message["result"]);
            }
            (None, None) => return Err(Failure::Unexpected(message.to_string())),
        }
        Ok(())
    }

    /// Sends resolve requests for code actions and completions.
    fn follow(&mut self, method: &str, result: &Value) {
        let (method, all) = match method {
            "textDocument/codeAction" => ("codeAction/resolve", result.as_array()),
            "textDocument/completion" => {
                let items = result.get("items").unwrap_or(result);
                ("completionItem/resolve", items.as_array())
            }
            _ => return,
        };
        // The last items differ more than the first ones.
        for item in all.into_iter().flatten().rev().take(2) {
            if self.resolved < MAX_RESOLVED && item.get("disabled").is_none() {
                self.resolved += 1;
                self.ask(method, item.clone());
            }
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // The server exits at the end of its input; a hanging one is killed.
        self.input = None;
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn listen(output: ChildStdout) -> Receiver<Value> {
    let (sender, receiver) = channel();
    let read = move || {
        let mut output = BufReader::new(output);
        while let Some(body) = next_body(&mut output) {
            // An unreadable message is an unexpected one.
            let message = serde_json::from_slice(&body).unwrap_or(Value::Null);
            if sender.send(message).is_err() {
                return;
            }
        }
    };
    thread::spawn(read);
    receiver
}

fn next_body(output: &mut impl BufRead) -> Option<Vec<u8>> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim().strip_prefix("Content-Length: ") {
            Some(number) => length = number.parse().ok(),
            None if line.trim().is_empty() => break,
            None => {}
        }
    }
    let mut body = vec![0; length?];
    output.read_exact(&mut body).ok()?;
    Some(body)
}
