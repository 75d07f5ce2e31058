//! A minimal language client for measurements.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Outcome;

const PATIENCE: Duration = Duration::from_secs(60);
/// The interval at which memory is sampled.
const SAMPLING: Duration = Duration::from_millis(1);

/// A running server.
pub struct Client {
    child: Child,
    input: ChildStdin,
    messages: Receiver<(Instant, Value)>,
    next_id: i64,
}

/// A thread that samples the memory of a server and its workers.
pub struct MemoryWatch {
    stop: Arc<AtomicBool>,
    watch: JoinHandle<f64>,
}

impl MemoryWatch {
    /// Stops the thread, and returns the maximum of the samples in bytes.
    pub fn peak(self) -> Outcome<f64> {
        self.stop.store(true, Ordering::Relaxed);
        Ok(self.watch.join().map_err(|_| "the watch has failed")?)
    }
}

/// Returns the resident memory of a server and its workers in bytes.
fn memory(server: u32) -> Option<f64> {
    let of_process = |id: u32| {
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))?;
        Some(line.split_whitespace().next()?.parse::<f64>().ok()? * 1024.0)
    };
    // A worker that has ended in the meantime is ignored.
    let of_workers = workers(server).into_iter().filter_map(of_process);
    Some(of_process(server)? + of_workers.sum::<f64>())
}

/// Returns the ids of the child processes of a server.
fn workers(server: u32) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{server}/task"));
    let tasks = tasks.into_iter().flatten().flatten();
    let children = tasks.map(|task| std::fs::read_to_string(task.path().join("children")));
    let children: Vec<String> = children.map(Result::unwrap_or_default).collect();
    let ids = children.iter().flat_map(|ids| ids.split_whitespace());
    ids.filter_map(|id| id.parse().ok()).collect()
}

/// A response with its latency.
pub struct Answer {
    /// The result.
    pub result: Value,
    /// The time from sending the request to the complete response.
    pub after: Duration,
}

impl Client {
    pub fn start(binary: &Path, folder: &Path) -> Outcome<Client> {
        let mut child = Command::new(binary)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let input = child.stdin.take().ok_or("no standard input")?;
        let output = child.stdout.take().ok_or("no standard output")?;
        let (sender, messages) = channel();
        std::thread::spawn(move || read_messages(BufReader::new(output), &sender));
        let mut client = Client {
            child,
            input,
            messages,
            next_id: 0,
        };
        let root = uri(folder);
        client.request(
            "initialize",
            &json!({
                "processId": std::process::id(),
                "rootUri": root,
                "workspaceFolders": [{"uri": root, "name": "bench"}],
                "capabilities": {
                    "textDocument": {"publishDiagnostics": {"versionSupport": true, "relatedInformation": true}},
                },
            }),
        )?;
        client.notify("initialized", &json!({}))?;
        Ok(client)
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str, params: &Value) -> Outcome<()> {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}))
    }

    /// Sends a request and waits for the response.
    pub fn request(&mut self, method: &str, params: &Value) -> Outcome<Answer> {
        self.next_id += 1;
        let id = self.next_id;
        let start = Instant::now();
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        let (at, message) =
            self.wait(|message| message["id"] == id && message.get("method").is_none())?;
        match message.get("error") {
            Some(error) => Err(format!("{method} failed: {error}").into()),
            None => Ok(Answer {
                result: message["result"].clone(),
                after: at - start,
            }),
        }
    }

    /// Waits for the diagnostics of this version of a document; returns the time of their arrival.
    pub fn diagnostics(&mut self, uri: &str, version: usize) -> Outcome<Instant> {
        let wanted = |message: &Value| {
            message["method"] == "textDocument/publishDiagnostics"
                && message["params"]["uri"] == uri
                && message["params"]["version"] == version
        };
        Ok(self.wait(wanted)?.0)
    }

    /// Waits for the preview of this version of a document; returns the time of its arrival.
    pub fn preview_changed(&mut self, uri: &str, version: usize) -> Outcome<Instant> {
        let wanted = |message: &Value| {
            message["method"] == "rise/previewChanged"
                && message["params"]["textDocument"]["uri"] == uri
                && message["params"]["version"] == version
        };
        Ok(self.wait(wanted)?.0)
    }

    /// Returns the resident memory of the server's processes in bytes.
    pub fn memory(&self) -> Option<f64> {
        memory(self.child.id())
    }

    /// Starts a thread that samples the memory of the server's processes.
    pub fn watch_memory(&self) -> MemoryWatch {
        let (id, stopped) = (self.child.id(), Arc::new(AtomicBool::new(false)));
        let stop = stopped.clone();
        let watch = move || {
            let mut peak = 0.0_f64;
            while !stopped.load(Ordering::Relaxed) {
                peak = peak.max(memory(id).unwrap_or_default());
                std::thread::sleep(SAMPLING);
            }
            peak
        };
        MemoryWatch {
            stop,
            watch: std::thread::spawn(watch),
        }
    }

    /// Returns the ids of the child processes of the server.
    pub fn workers(&self) -> Vec<u32> {
        workers(self.child.id())
    }

    /// Shuts the server down as the protocol requires.
    pub fn stop(mut self) -> Outcome<()> {
        self.request("shutdown", &Value::Null)?;
        self.notify("exit", &Value::Null)?;
        self.child.wait()?;
        Ok(())
    }

    fn send(&mut self, message: &Value) -> Outcome<()> {
        let body = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{body}", body.len())?;
        Ok(self.input.flush()?)
    }

    /// Waits for the next message that satisfies `wanted`; answers requests of the server in the
    /// meantime.
    fn wait(&mut self, wanted: impl Fn(&Value) -> bool) -> Outcome<(Instant, Value)> {
        loop {
            let (at, message) = match self.messages.recv_timeout(PATIENCE) {
                Ok(message) => message,
                Err(RecvTimeoutError::Timeout) => return Err("the server does not answer".into()),
                Err(RecvTimeoutError::Disconnected) => return Err("the server is gone".into()),
            };
            if wanted(&message) {
                return Ok((at, message));
            }
            if let (Some(id), Some(method)) = (message.get("id"), message.get("method")) {
                let items = message["params"]["items"].as_array().map_or(0, Vec::len);
                let result = if method == "workspace/configuration" {
                    json!(vec![Value::Null; items])
                } else {
                    Value::Null
                };
                self.send(&json!({"jsonrpc": "2.0", "id": id, "result": result}))?;
            }
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // After `stop` there is no process to kill, which is not an error.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the URI of a path without characters that need escapes.
pub fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

/// Reads messages until the stream ends or a message is malformed. The arrival time is taken before
/// the message is parsed.
fn read_messages(mut output: impl BufRead, sender: &Sender<(Instant, Value)>) {
    while let Some(body) = read_body(&mut output) {
        let at = Instant::now();
        let Ok(message) = serde_json::from_slice(&body) else {
            return;
        };
        if sender.send((at, message)).is_err() {
            return;
        }
    }
}

fn read_body(output: &mut impl BufRead) -> Option<Vec<u8>> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end().split_once(": ") {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.parse().ok()
            }
            Some(_) => {}
            None => break,
        }
    }
    let mut body = vec![0; length?];
    output.read_exact(&mut body).ok()?;
    Some(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_are_framed_by_their_length() {
        let mut stream =
            "Content-Length: 2\r\nContent-Type: x\r\n\r\n{}Content-Length: 1\r\n\r\n1".as_bytes();
        assert_eq!(read_body(&mut stream).as_deref(), Some(&b"{}"[..]));
        assert_eq!(read_body(&mut stream).as_deref(), Some(&b"1"[..]));
        assert_eq!(read_body(&mut stream), None);
    }
}
