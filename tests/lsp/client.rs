//! A small client of the real server, over the pipes of a child process.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A time limit that no operation reaches, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A response: a result or an error.
pub type Answer = Result<Value, Value>;

/// A client with a folder of its own and a server.
pub struct Client {
    pub folder: TempDir,
    /// The folder for temporary files of the server and its child processes.
    pub scratch: TempDir,
    /// The notifications of the server that have not been consumed, in order.
    pub said: Vec<Value>,
    /// The requests of the server, in order; they are answered immediately.
    pub asked: Vec<Value>,
    /// The capabilities of the server.
    pub capabilities: Value,
    /// The result of `workspace/configuration`.
    pub settings: Value,
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    answers: HashMap<i64, Answer>,
    next_id: i64,
    versions: HashMap<String, i32>,
}

impl Client {
    /// Starts a session of a client without capabilities, in an empty folder.
    pub fn start() -> Client {
        Client::with(json!({}), &[])
    }

    /// Starts a session in a folder with these files.
    pub fn with(capabilities: Value, files: &[(&str, &str)]) -> Client {
        let mut client = Client::raw(files);
        let root = client.uri("");
        let params = json!({
            "processId": std::process::id(),
            "rootUri": root,
            "workspaceFolders": [{"uri": root, "name": "test"}],
            "capabilities": capabilities,
        });
        client.initialize(params);
        client
    }

    /// Starts a server without initialising it.
    pub fn raw(files: &[(&str, &str)]) -> Client {
        Client::raw_with(files, |_, _| {})
    }

    /// Starts a server without initialising it; `change` can change its command, and gets the
    /// folder for temporary files.
    pub fn raw_with(files: &[(&str, &str)], change: impl FnOnce(&mut Command, &Path)) -> Client {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let scratch = tempfile::tempdir().unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_rise-ls"));
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .current_dir(folder.path())
            .env("TMPDIR", scratch.path())
            .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));
        change(&mut command, scratch.path());
        let mut child = command.spawn().unwrap();
        let input = child.stdin.take();
        let messages = listen(child.stdout.take().unwrap());
        Client {
            folder,
            scratch,
            said: Vec::new(),
            asked: Vec::new(),
            capabilities: Value::Null,
            settings: Value::Null,
            child,
            input,
            messages,
            answers: HashMap::new(),
            next_id: 0,
            versions: HashMap::new(),
        }
    }

    /// Sends `initialize` and `initialized`.
    pub fn initialize(&mut self, params: Value) {
        let result = self.request("initialize", params);
        self.capabilities = result["capabilities"].clone();
        self.notify("initialized", json!({}));
    }

    /// Returns the URI of a file in the folder.
    pub fn uri(&self, name: &str) -> String {
        let path = self.path(name);
        format!("file://{}", path.to_str().unwrap().trim_end_matches('/'))
    }

    /// Returns the path of a file in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    pub fn send(&mut self, message: &Value) {
        let body = message.to_string();
        self.send_bytes(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request; [`Client::wait`] returns the response.
    pub fn ask(&mut self, method: &str, params: Value) -> i64 {
        self.next_id += 1;
        self.send(
            &json!({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params}),
        );
        self.next_id
    }

    /// Waits for the response to a request.
    pub fn wait(&mut self, id: i64) -> Answer {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(answer) = self.answers.remove(&id) {
                return answer;
            }
            assert!(self.take_one(deadline), "no answer to request {id}");
        }
    }

    /// Sends a request and waits for the response.
    pub fn try_request(&mut self, method: &str, params: Value) -> Answer {
        let id = self.ask(method, params);
        self.wait(id)
    }

    /// Sends a request and waits for the result.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        self.try_request(method, params)
            .unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// Sends a request that must fail, and returns the code of the error.
    pub fn refused(&mut self, method: &str, params: Value) -> i64 {
        let error = self.try_request(method, params).expect_err("an error");
        error["code"].as_i64().unwrap()
    }

    /// Handles one message; returns false if none arrives in time.
    fn take_one(&mut self, deadline: Instant) -> bool {
        let left = deadline.saturating_duration_since(Instant::now());
        match self.messages.recv_timeout(left) {
            Ok(message) => {
                self.take(message);
                true
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => false,
        }
    }

    /// Handles the messages that have arrived.
    pub fn take_all(&mut self) {
        while let Ok(message) = self.messages.try_recv() {
            self.take(message);
        }
    }

    fn take(&mut self, message: Value) {
        match (message.get("method"), message.get("id")) {
            (Some(method), Some(id)) => {
                let result = match method.as_str() {
                    Some("workspace/configuration") => json!([self.settings]),
                    _ => Value::Null,
                };
                self.send(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
                self.asked.push(message);
            }
            (Some(_), None) => self.said.push(message),
            (None, Some(id)) if id.is_i64() => {
                let answer = match message.get("error") {
                    Some(error) => Err(error.clone()),
                    None => Ok(message["result"].clone()),
                };
                let twice = self.answers.insert(id.as_i64().unwrap(), answer);
                assert!(twice.is_none(), "two answers to request {id}");
            }
            _ => self.said.push(message),
        }
    }

    /// Waits for the first notification for which `wanted` returns true; earlier ones stay in the
    /// list.
    pub fn wait_for(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        let deadline = Instant::now() + PATIENCE;
        let mut seen = 0;
        loop {
            if let Some(at) = self.said[seen..].iter().position(&wanted) {
                return self.said.remove(seen + at);
            }
            seen = self.said.len();
            assert!(
                self.take_one(deadline),
                "the server does not say it; it says {:#?}",
                self.said
            );
        }
    }

    /// Waits for the first request of the server with this method.
    pub fn wait_asked(&mut self, method: &str) -> Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(found) = self.asked.iter().find(|asked| asked["method"] == method) {
                return found["params"].clone();
            }
            assert!(
                self.take_one(deadline),
                "the server does not ask for {method}"
            );
        }
    }

    /// Polls until `done` returns true.
    pub fn wait_until(&mut self, done: impl Fn(&mut Client) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !done(self) {
            assert!(Instant::now() < deadline, "it does not happen");
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Waits until the server has loaded the workspace.
    pub fn wait_loaded(&mut self) {
        self.wait_until(|client| client.request("rise/status", Value::Null)["loading"] == false);
    }

    pub fn open(&mut self, uri: &str, text: &str) {
        self.open_in(uri, "rise", text);
    }

    /// Opens a document with this language identifier.
    pub fn open_in(&mut self, uri: &str, language: &str, text: &str) {
        self.versions.insert(uri.into(), 1);
        let document = json!({"uri": uri, "languageId": language, "version": 1, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": document}));
    }

    /// Opens a file of the folder with its text on disk.
    pub fn open_file(&mut self, name: &str) -> String {
        let uri = self.uri(name);
        let text = std::fs::read_to_string(self.path(name)).unwrap();
        self.open(&uri, &text);
        uri
    }

    /// Changes a document, and returns its new version.
    pub fn change(&mut self, uri: &str, changes: Value) -> i32 {
        let version = self.versions.get_mut(uri).unwrap();
        *version += 1;
        let version = *version;
        let document = json!({"uri": uri, "version": version});
        self.notify(
            "textDocument/didChange",
            json!({"textDocument": document, "contentChanges": changes}),
        );
        version
    }

    /// Replaces the text of a document.
    pub fn replace(&mut self, uri: &str, text: &str) -> i32 {
        self.change(uri, json!([{"text": text}]))
    }

    /// Closes a document.
    pub fn close(&mut self, uri: &str) {
        self.notify(
            "textDocument/didClose",
            json!({"textDocument": {"uri": uri}}),
        );
    }

    /// Returns the server's copy of the text of a document.
    pub fn text(&mut self, uri: &str) -> String {
        let result = self.request("rise/text", json!({"textDocument": {"uri": uri}}));
        result["text"].as_str().unwrap().into()
    }

    /// Waits for the diagnostics of a version of a document.
    pub fn diagnostics(&mut self, uri: &str, version: i32) -> Vec<Value> {
        let published = self.wait_for(|said| {
            said["method"] == "textDocument/publishDiagnostics"
                && said["params"]["uri"] == uri
                && said["params"]["version"] == version
        });
        published["params"]["diagnostics"]
            .as_array()
            .unwrap()
            .clone()
    }

    /// Sends a request about a position in a document.
    pub fn at(&mut self, method: &str, uri: &str, line: usize, character: usize) -> Value {
        self.request(method, place(uri, line, character))
    }

    /// Shuts the server down as the protocol requires, and returns its exit status.
    pub fn stop(&mut self) -> Option<i32> {
        self.request("shutdown", Value::Null);
        self.send(&json!({"jsonrpc": "2.0", "method": "exit"}));
        self.status()
    }

    /// Closes the standard input of the server.
    pub fn hang_up(&mut self) {
        self.input = None;
    }

    /// Sends a termination signal to the server.
    pub fn terminate(&mut self) {
        let id = self.child.id().to_string();
        let killed = Command::new("kill").arg(id).status();
        assert!(killed.is_ok_and(|status| status.success()));
    }

    /// Kills the child process of the client.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Returns the child processes of the server.
    #[cfg(target_os = "linux")]
    pub fn children(&self) -> Vec<u32> {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.child.id())).unwrap();
        let of_task = |task: std::io::Result<std::fs::DirEntry>| {
            std::fs::read_to_string(task.unwrap().path().join("children")).unwrap_or_default()
        };
        let all: String = tasks.map(of_task).collect::<Vec<_>>().join(" ");
        all.split_whitespace()
            .filter_map(|id| id.parse().ok())
            .collect()
    }

    /// Returns the memory of the server and its child processes in bytes.
    #[cfg(target_os = "linux")]
    pub fn memory(&self) -> u64 {
        let of_process = |id: u32| {
            let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap();
            let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
            let number = line.and_then(|line| line.split_whitespace().next());
            number.unwrap().parse::<u64>().unwrap() * 1024
        };
        let started = self.children().into_iter();
        started.chain([self.child.id()]).map(of_process).sum()
    }

    /// Waits for the exit status of the server.
    pub fn status(&mut self) -> Option<i32> {
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            thread::sleep(Duration::from_millis(5));
        }
        panic!("the server does not end");
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the parameters of a request about a position.
pub fn place(uri: &str, line: usize, character: usize) -> Value {
    json!({"textDocument": {"uri": uri}, "position": {"line": line, "character": character}})
}

pub fn range(start: (usize, usize), end: (usize, usize)) -> Value {
    let position = |(line, character)| json!({"line": line, "character": character});
    json!({"start": position(start), "end": position(end)})
}

/// Returns the line and the UTF-16 column of the first `needle` in `text`.
pub fn find(text: &str, needle: &str) -> (usize, usize) {
    let byte = text
        .find(needle)
        .unwrap_or_else(|| panic!("{needle} is not in the text"));
    let line_start = text[..byte].rfind('\n').map_or(0, |at| at + 1);
    (
        text[..byte].matches('\n').count(),
        text[line_start..byte].encode_utf16().count(),
    )
}

/// Returns the codes of diagnostics, in order.
pub fn codes(diagnostics: &[Value]) -> Vec<&str> {
    diagnostics
        .iter()
        .map(|diagnostic| diagnostic["code"].as_str().unwrap())
        .collect()
}

/// Returns the text in a range of a document.
pub fn covered<'a>(text: &'a str, range: &Value) -> &'a str {
    &text[byte_at(text, &range["start"])..byte_at(text, &range["end"])]
}

/// Returns the text after edits of the protocol (in UTF-16), which do not overlap.
pub fn edited(text: &str, edits: &Value) -> String {
    let mut edits: Vec<&Value> = edits.as_array().unwrap().iter().collect();
    edits.sort_by_key(|edit| byte_at(text, &edit["range"]["start"]));
    let mut result = text.to_owned();
    for edit in edits.into_iter().rev() {
        let (start, end) = (
            byte_at(text, &edit["range"]["start"]),
            byte_at(text, &edit["range"]["end"]),
        );
        result.replace_range(start..end, edit["newText"].as_str().unwrap());
    }
    result
}

fn byte_at(text: &str, position: &Value) -> usize {
    let number = |name: &str| usize::try_from(position[name].as_u64().unwrap()).unwrap();
    let start: usize = text
        .split_inclusive('\n')
        .take(number("line"))
        .map(str::len)
        .sum();
    let mut units = 0;
    for (byte, character) in text[start..].char_indices() {
        if units >= number("character") {
            return start + byte;
        }
        units += character.len_utf16();
    }
    text.len()
}

pub fn file_name(uri: &Value) -> &str {
    Path::new(uri.as_str().unwrap())
        .file_name()
        .unwrap()
        .to_str()
        .unwrap()
}

/// Starts a thread that reads messages.
fn listen(output: impl Read + Send + 'static) -> Receiver<Value> {
    let (sender, messages) = channel();
    thread::spawn(move || {
        let mut output = BufReader::new(output);
        while let Some(message) = read_message(&mut output) {
            if sender.send(message).is_err() {
                return;
            }
        }
    });
    messages
}

pub fn read_message(stream: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end().strip_prefix("Content-Length: ") {
            Some(number) => length = number.parse().unwrap(),
            None if line == "\r\n" => break,
            None => panic!("no header: {line}"),
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    Some(serde_json::from_slice(&body).unwrap())
}
