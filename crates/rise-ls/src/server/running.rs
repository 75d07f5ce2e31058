//! Starts and cancels runs from the main loop, on a copy of the texts.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use db::{Database, FileId, FileState};
use runtime::process::{Cancel, Limits};
use serde_json::Value;
use tower_lsp::jsonrpc::{Error, ErrorCode, Id};
use tower_lsp::lsp_types::notification::ShowMessage;
use tower_lsp::lsp_types::{MessageType, ShowMessageParams};

use super::client::Client;
use super::event::{Answer, Event, Reply, error, invalid_params, request_failed};
use super::handlers::code_lens;
use super::handlers::run::{self, Order, Outcome, RunParams};
use super::requests::{Reports, panic_message};
use super::run_progress::RunProgress;
use super::session::{Expected, READING, Session};
use super::snapshot::{Snapshot, View};
use super::sync::imported_from;
use crate::loader;

/// The request that runs a program.
const RUN: &str = "rise/run";
const COMMAND: &str = "workspace/executeCommand";

impl Session {
    /// Handles a request to run a program.
    pub(super) fn run_request(
        &mut self,
        id: &Id,
        method: &'static str,
        params: &Value,
        reply: &Reply,
    ) {
        if let Err(refusal) = self.try_run(id, method, params, reply) {
            reply.send(Err(refusal));
        }
    }

    fn try_run(
        &mut self,
        id: &Id,
        method: &'static str,
        params: &Value,
        reply: &Reply,
    ) -> Result<(), Error> {
        let params = match method {
            COMMAND => command_params(params)?,
            _ => params.clone(),
        };
        let params: RunParams = serde_json::from_value(params).map_err(invalid_params)?;
        if !self.view.settings.run.enabled {
            return Err(self.turned_off());
        }
        self.read_imports();
        let uri = params.document()?;
        let file = self.snapshot().file(uri)?;
        let (snapshot, file) = self.own_copy(file);
        let limit = self.view.settings.run.time_limit;
        let order = run::order(&snapshot, file, &params, limit)?;
        let (client, title) = (self.client.clone(), order.title.clone());
        let progress = RunProgress::new(client.clone(), title, params.work_done_token);
        if self.view.client.shows_progress {
            self.run_number += 1;
            let asked = progress.ask(self.run_number);
            let expected = |id| (id, Expected::RunProgress(progress.clone()));
            self.expected.extend(asked.map(expected));
        }
        let task = Task {
            method,
            snapshot,
            order,
            progress: progress.clone(),
            reply: reply.clone(),
            client,
            reports: self.reports.clone(),
        };
        let work = move |cancel: &Cancel| task.run(cancel);
        self.runs.start(id.clone(), reply, progress, work);
        Ok(())
    }

    /// Returns the error for a request to run a program while runs are disabled.
    pub(super) fn turned_off(&self) -> Error {
        let reason = match self.is_stranger {
            true => "programs run only for a client that knows the server's `token`",
            false => "running programs is turned off (`rise.run.enabled`)",
        };
        request_failed(reason)
    }

    /// Copies the current texts of a file and its imports to a separate database: a run may take
    /// long, and edits wait for all readers of the session's database.
    fn own_copy(&self, file: FileId) -> (Snapshot, FileId) {
        let mut db = Database::new();
        db.set_device(Some((*self.db.device()).clone()));
        let mut view = View {
            settings: self.view.settings.clone(),
            device: self.view.device.clone(),
            client: self.view.client,
            encoding: self.view.encoding,
            roots: self.view.roots.clone(),
            ..View::default()
        };
        let mut copy = None;
        let mut files: Vec<FileId> = imported_from(&self.db, vec![file]).into_iter().collect();
        // Sorted, so that runs do not depend on the order of a hash table.
        files.sort_by_key(|&file| self.db.path(file).to_string());
        for known in files.into_iter().filter(|&file| !self.db.is_library(file)) {
            let path = self.db.path(known);
            match self.db.state(known) {
                FileState::Present(_) => {
                    db.set_language(path.clone(), self.db.language(known));
                    let same = db.set_file(path, self.db.text(known));
                    if let Some(open) = self.view.open.get(&known) {
                        view.open.insert(same, open.clone());
                    }
                    if known == file {
                        copy = Some(same);
                    }
                }
                FileState::Absent(why) => db.set_absent(path, why),
                FileState::Requested => {}
            }
        }
        loader::load_imports(&mut db, &self.view.roots, READING);
        let snapshot = Snapshot {
            db,
            view: Arc::new(view),
        };
        let path = self.db.path(file);
        let copy = copy.or_else(|| snapshot.db.file(&path)).unwrap_or(file);
        (snapshot, copy)
    }

    /// Handles `window/workDoneProgress/cancel`.
    pub(super) fn cancel_progress(&mut self, params: &Value) {
        self.runs.cancel_by_token(&params["token"]);
    }
}

/// Returns the method if it runs programs.
pub(super) fn method_of_runs(method: &str) -> Option<&'static str> {
    [RUN, COMMAND].into_iter().find(|known| *known == method)
}

/// Returns the parameters of `rise/run` that the arguments of a command contain.
fn command_params(params: &Value) -> Result<Value, Error> {
    let command = params["command"].as_str().unwrap_or_default();
    if command != code_lens::RUN {
        return Err(invalid_params(format_args!(
            "there is no command `{command}`"
        )));
    }
    let mut all = match &params["arguments"][0] {
        Value::Object(fields) => fields.clone(),
        _ => return Err(invalid_params("the command takes an object")),
    };
    if let Some(token) = params.get("workDoneToken") {
        all.insert("workDoneToken".to_owned(), token.clone());
    }
    Ok(Value::Object(all))
}

/// A run, and the channels for its answer and progress.
struct Task {
    method: &'static str,
    snapshot: Snapshot,
    order: Order,
    progress: RunProgress,
    reply: Reply,
    client: Client,
    reports: Reports,
}

impl Task {
    fn run(mut self, cancel: &Cancel) {
        let start = Instant::now();
        let work = || {
            let limits = Limits {
                time: None,
                cancel: cancel.clone(),
            };
            let mut stage = |stage: &str| self.progress.report(stage);
            run::run(&mut self.snapshot, &self.order, limits, &mut stage)
        };
        let outcome = catch_unwind(AssertUnwindSafe(work));
        let answer: Answer = match outcome {
            Ok(Outcome::Over {
                json,
                sentence,
                fine,
                device,
            }) => {
                if let Some(device) = device {
                    let _ = self.reports.events.send(Event::RanOn(device));
                }
                self.progress.end(if fine { "done" } else { "failed" });
                if self.method == COMMAND {
                    self.show(sentence, fine);
                }
                Ok(json)
            }
            Ok(Outcome::Cancelled) => {
                self.progress.end("stopped");
                let reason = "the run was stopped";
                Err(error(ErrorCode::RequestCancelled, reason))
            }
            Err(panic) => {
                self.progress.end("failed");
                self.reports.status.panicked();
                let reason = format!("{} failed: {}", self.method, panic_message(&*panic));
                let _ = self.reports.events.send(Event::Problem(reason));
                let reason = "the run has failed; the log says more";
                Err(request_failed(reason))
            }
        };
        self.reports.status.answered(self.method, start.elapsed());
        self.reply.send(answer);
    }

    /// Shows the outcome, for a client without a command of its own.
    fn show(&self, message: String, fine: bool) {
        let typ = if fine {
            MessageType::INFO
        } else {
            MessageType::ERROR
        };
        self.client
            .notify::<ShowMessage>(&ShowMessageParams { typ, message });
    }
}
