//! `rise/run` and `workspace/executeCommand`: start runs from the main loop, on a copy of the
//! texts.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use db::{Database, FileId, FileState};
use runtime::process::{Cancel, Limits};
use serde::Deserialize;
use serde_json::Value;
use tower_lsp::jsonrpc::{Error, ErrorCode};
use tower_lsp::lsp_types::notification::ShowMessage;
use tower_lsp::lsp_types::{ExecuteCommandParams, MessageType, ProgressToken, ShowMessageParams};

use super::client::Client;
use super::event::{Event, Reply, error, invalid_params, request_failed};
use super::handlers::code_lens;
use super::handlers::run::{self, Outcome, RunParams, RunRequest};
use super::requests::{Reports, panic_message};
use super::run_progress::RunProgress;
use super::session::{ExpectedResponse, READ_TIMEOUT, Session};
use super::snapshot::{Snapshot, View};
use super::sync::imported_from;
use crate::loader;

/// The method of the request that runs a program.
const RUN: &str = "rise/run";
const COMMAND: &str = "workspace/executeCommand";

impl Session {
    /// Handles `rise/run`.
    pub(super) fn run_request(&mut self, params: RunParams, cancel: Cancel, reply: Reply<Value>) {
        if let Err(refusal) = self.start_run(RUN, params, cancel, &reply) {
            reply.send(Err(refusal));
        }
    }

    /// Handles `workspace/executeCommand`: the command `rise.run` runs a program, and shows the
    /// outcome.
    pub(super) fn execute_command(
        &mut self,
        params: ExecuteCommandParams,
        cancel: Cancel,
        reply: Reply<Value>,
    ) {
        let params = command_params(params);
        let started = params.and_then(|params| self.start_run(COMMAND, params, cancel, &reply));
        if let Err(refusal) = started {
            reply.send(Err(refusal));
        }
    }

    fn start_run(
        &mut self,
        method: &'static str,
        params: RunParams,
        cancel: Cancel,
        reply: &Reply<Value>,
    ) -> Result<(), Error> {
        if !self.view.settings.run.enabled {
            return Err(self.runs_refused());
        }
        self.read_imports();
        let uri = params.document()?;
        let file = self.snapshot().file(uri)?;
        let (snapshot, file) = self.copy_texts(file);
        let limit = self.view.settings.run.time_limit;
        let request = run::validate(&snapshot, file, &params, limit)?;
        let (client, title) = (self.client.clone(), request.title.clone());
        let progress = RunProgress::new(client.clone(), title, params.work_done_token);
        if self.view.client.shows_progress {
            self.run_number += 1;
            let requested = progress.request(self.run_number);
            let expected = |id| (id, ExpectedResponse::RunProgress(progress.clone()));
            self.expected.extend(requested.map(expected));
        }
        let task = Task {
            method,
            snapshot,
            request,
            progress: progress.clone(),
            reply: reply.clone(),
            client,
            reports: self.reports.clone(),
        };
        let work = move |cancel: &Cancel| task.run(cancel);
        self.runs.start(cancel, reply, progress, work);
        Ok(())
    }

    /// Returns the error for a request to run a program while runs are disabled.
    pub(super) fn runs_refused(&self) -> Error {
        let reason = match self.lacks_token {
            true => "programs run only for a client that sends the server's `token`",
            false => "running programs is turned off (`rise.run.enabled`)",
        };
        request_failed(reason)
    }

    /// Copies the current texts of a file and its imports to a separate database: a run may take
    /// long, and edits wait for all readers of the session's database.
    fn copy_texts(&self, file: FileId) -> (Snapshot, FileId) {
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
        loader::load_imports(&mut db, &self.view.roots, READ_TIMEOUT);
        let snapshot = Snapshot {
            db,
            view: Arc::new(view),
        };
        let path = self.db.path(file);
        let copy = copy.or_else(|| snapshot.db.file(&path)).unwrap_or(file);
        (snapshot, copy)
    }

    /// Handles `window/workDoneProgress/cancel`.
    pub(super) fn cancel_progress(&mut self, token: &ProgressToken) {
        self.runs.cancel_by_token(token);
    }
}

/// Returns the parameters of `rise/run` that the argument of a command contains.
fn command_params(params: ExecuteCommandParams) -> Result<RunParams, Error> {
    if params.command != code_lens::RUN {
        let reason = format_args!("there is no command `{}`", params.command);
        return Err(invalid_params(reason));
    }
    let Some(Value::Object(argument)) = params.arguments.into_iter().next() else {
        return Err(invalid_params(
            "the argument of the command must be an object",
        ));
    };
    let mut run = RunParams::deserialize(Value::Object(argument)).map_err(invalid_params)?;
    if let Some(token) = params.work_done_progress_params.work_done_token {
        run.work_done_token = Some(token);
    }
    Ok(run)
}

/// A run, and the channels for its answer and progress.
struct Task {
    method: &'static str,
    snapshot: Snapshot,
    request: RunRequest,
    progress: RunProgress,
    reply: Reply<Value>,
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
            run::run(&mut self.snapshot, &self.request, limits, &mut stage)
        };
        let outcome = catch_unwind(AssertUnwindSafe(work));
        let answer = match outcome {
            Ok(Outcome::Ended {
                json,
                summary,
                succeeded,
                device,
            }) => {
                if let Some(device) = device {
                    let _ = self.reports.events.send(Event::RanOn(device));
                }
                self.progress.end(if succeeded { "done" } else { "failed" });
                if self.method == COMMAND {
                    self.show(summary, succeeded);
                }
                Ok(Value::String(json))
            }
            Ok(Outcome::Cancelled) => {
                self.progress.end("stopped");
                let reason = "the run is cancelled";
                Err(error(ErrorCode::RequestCancelled, reason))
            }
            Err(panic) => {
                self.progress.end("failed");
                self.reports.status.panicked();
                let reason = format!("{} failed: {}", self.method, panic_message(&*panic));
                let _ = self.reports.events.send(Event::Problem(reason));
                let reason = "the run has failed; the log contains the details";
                Err(request_failed(reason))
            }
        };
        self.reports.status.answered(self.method, start.elapsed());
        self.reply.send(answer);
    }

    /// Shows the outcome, for a client without a command of its own.
    fn show(&self, message: String, succeeded: bool) {
        let typ = if succeeded {
            MessageType::INFO
        } else {
            MessageType::ERROR
        };
        self.client
            .notify::<ShowMessage>(&ShowMessageParams { typ, message });
    }
}
