//! The state of a session, and its reactions to events. Messages to the client go to a channel, and
//! jobs to a thread pool. Files are read on other threads, for which an event waits up to a time
//! limit.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::thread;
use std::time::Duration;

use crossbeam_channel::Sender;
use db::{Database, FileId, FilePath};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tower_lsp::jsonrpc::{Error, Id};
use tower_lsp::lsp_types::request::WorkspaceDiagnosticRefresh;
use tower_lsp::lsp_types::{MessageType, TextDocumentIdentifier};

use super::client::Client;
use super::event::{Event, invalid_params};
use super::handlers::Answer;
use super::import_roots::ImportRoots;
use super::pool::{Lane, Pool, WaitGroup};
use super::progress::Progress;
use super::publish::Publisher;
use super::pull_diagnostics::PulledDiagnostics;
use super::requests::{Call, Policy, Reports};
use super::run_progress::RunProgress;
use super::run_threads::Runs;
use super::snapshot::{Snapshot, View};
use super::status::Status;
use super::uri;
use super::workspace::load;
use crate::loader::{Contents, Late, load_imports};

/// The time limit for reading a group of imported files, and for resolving import folders.
pub(super) const READ_TIMEOUT: Duration = Duration::from_millis(500);
/// The longest time that a change waits for requests about a position, which usually take less.
const POSITIONAL_GRACE: Duration = Duration::from_millis(2);
/// The longest time that a change then waits for requests that were cancelled several times.
const INTERRUPTED_GRACE: Duration = Duration::from_millis(20);
/// The number of cancellations from which on a change waits longer for a request.
const MAX_INTERRUPTIONS: u32 = 2;

/// The parameters of `rise/text`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TextParams {
    text_document: TextDocumentIdentifier,
}

/// The answer to `rise/text`.
#[derive(Debug, Serialize)]
pub struct TextResult {
    text: String,
    version: i32,
}

/// The purpose of a request that was sent to the client.
#[derive(Debug)]
pub(super) enum ExpectedResponse {
    /// A request for the settings.
    Settings,
    /// A request to create the progress report for reading the workspace.
    Progress,
    /// A request to create the progress report of a run.
    RunProgress(RunProgress),
    /// A request by this method whose result is not used.
    Acknowledgement(&'static str),
}

/// A session with one client.
pub struct Session {
    pub(super) db: Database,
    pub(super) view: Arc<View>,
    is_shut_down: bool,
    is_over: bool,
    pub(super) client: Client,
    pub(super) publisher: Publisher,
    pulled: PulledDiagnostics,
    pub(super) folders: Vec<PathBuf>,
    pub(super) import_roots: ImportRoots,
    /// The number of times that the workspace is currently being read.
    pub(super) loads: usize,
    /// True if these reads have found new files.
    pub(super) load_has_found_files: bool,
    pub(super) progress: Progress,
    pub(super) expected: FxHashMap<Id, ExpectedResponse>,
    pub(super) reports: Reports,
    pub(super) runs: Runs,
    /// The number of progress reports for runs that were requested so far.
    pub(super) run_number: u64,
    /// True if runs are disabled for the session, independent of later settings: the client has
    /// disabled them at initialisation, or has not sent the token.
    pub(super) runs_forbidden: bool,
    /// The token that the client has to send before programs may run.
    pub(super) token: Option<String>,
    /// True if the client has not sent the token.
    pub(super) lacks_token: bool,
    pool: Pool,
    positional_jobs: WaitGroup,
    /// The jobs of requests that were cancelled several times.
    interrupted_jobs: WaitGroup,
    pub(super) revision: u64,
    /// True if something has changed since diagnostics were last computed.
    pub(super) stale: bool,
    /// True if something has changed since estimates were last computed.
    estimates_are_due: bool,
    /// True if there may be imports whose files were not looked up.
    pub(super) unread_imports: bool,
    /// Files that were not read within the time limit, with the number of the latest attempt.
    pub(super) late: FxHashMap<FilePath, u64>,
    readings: u64,
}

impl Session {
    /// Creates a session in the worker that follows `restarts` others. With a token, programs only
    /// run for a client that sends it.
    pub fn new(
        client: Client,
        events: Sender<Event>,
        pool: Pool,
        restarts: u32,
        token: Option<String>,
    ) -> Session {
        Session {
            db: Database::new(),
            view: Arc::default(),
            is_shut_down: false,
            is_over: false,
            publisher: Publisher::new(client.clone()),
            pulled: PulledDiagnostics::default(),
            progress: Progress::new(client.clone()),
            client,
            folders: Vec::new(),
            import_roots: ImportRoots::default(),
            loads: 0,
            load_has_found_files: false,
            expected: FxHashMap::default(),
            runs: Runs::new(events.clone()),
            run_number: u64::from(restarts) << 32,
            runs_forbidden: false,
            lacks_token: false,
            token,
            reports: Reports {
                events,
                status: Arc::new(Status::default()),
            },
            pool,
            positional_jobs: WaitGroup::default(),
            interrupted_jobs: WaitGroup::default(),
            // Revisions identify what the client has received, also from earlier workers.
            revision: u64::from(restarts) << 32,
            stale: false,
            estimates_are_due: false,
            unread_imports: false,
            late: FxHashMap::default(),
            readings: 0,
        }
    }

    /// Returns true if the client's messages have ended, or a signal has ended the session.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    pub fn handle(&mut self, event: Event) {
        match event {
            Event::Client(act) => act(self),
            Event::Response(response) => {
                let (id, result) = response.into_parts();
                self.response(&id, result);
            }
            Event::Interrupted(call) => self.interrupted(call),
            Event::RunEnded(number) => self.runs.remove(number),
            Event::RanOn(device) => self.ran_on(device),
            Event::Device(found) => self.device_found(found),
            Event::Loaded(loaded) => self.loaded(loaded),
            Event::LateFile {
                reading,
                path,
                contents,
            } => self.late_file(reading, path, contents),
            Event::LateRoots(found) => self.add_roots(found),
            Event::Outdated => self.request::<WorkspaceDiagnosticRefresh>(),
            Event::Problem(problem) => self.client.log(MessageType::ERROR, problem),
            Event::HungUp => self.is_over = true,
        }
    }

    /// Handles `shutdown`.
    pub(super) fn shut_down(&mut self) {
        self.is_shut_down = true;
        self.runs.cancel_all();
    }

    /// Writes a failure of the server to the client's log.
    pub fn report_failure(&self, reason: &str) {
        self.reports.status.panicked();
        self.client.log(
            MessageType::ERROR,
            format!("the server has failed, and goes on: {reason}"),
        );
    }

    /// Starts the work that waits until no event is left: diagnostics and previews after changes.
    pub fn start_background_jobs(&mut self) {
        if !std::mem::take(&mut self.stale) || self.is_shut_down {
            return;
        }
        self.read_imports();
        let traits = self.view.client;
        let (pulled, events) = (self.pulled.clone(), self.reports.events.clone());
        let snapshot = self.snapshot();
        let (publisher, reports, revision) =
            (self.publisher.clone(), self.reports.clone(), self.revision);
        // Previews are a separate job, so that they and diagnostics do not wait for each other.
        let (shown, client) = (self.snapshot(), self.client.clone());
        let previews = move || shown.view.previews.update(&shown, revision, &client);
        self.pool.run(Lane::Worker, Box::new(previews));
        let checking = reports.status.start_checking();
        let job = move || {
            if !traits.pulls_diagnostics {
                publisher.run(&snapshot, revision, &reports);
            } else {
                publisher.prepare(&snapshot);
                if traits.refreshes_diagnostics && pulled.have_changed(&snapshot, revision) {
                    let _ = events.send(Event::Outdated);
                }
            }
            drop(checking);
        };
        self.pool.run(Lane::Worker, Box::new(job));
        self.estimates_are_due = self.view.settings.diagnostics.performance;
    }

    /// Returns true if [`Session::start_estimates`] has something to do.
    pub fn estimates_are_due(&self) -> bool {
        self.estimates_are_due
    }

    /// Starts to compute estimates, and publishes the hints that have changed.
    pub fn start_estimates(&mut self) {
        self.estimates_are_due = false;
        let traits = self.view.client;
        let (publisher, reports, revision) =
            (self.publisher.clone(), self.reports.clone(), self.revision);
        let snapshot = self.snapshot();
        let job = move || {
            if !snapshot.view.estimates.update(&snapshot) {
                return;
            }
            if !traits.pulls_diagnostics {
                publisher.run(&snapshot, revision, &reports);
            } else if traits.refreshes_diagnostics {
                let _ = reports.events.send(Event::Outdated);
            }
        };
        self.pool.run(Lane::Worker, Box::new(job));
    }

    /// Returns a snapshot of the current state.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            db: self.db.clone(),
            view: self.view.clone(),
        }
    }

    /// Prepares a change of the database: waits for jobs that are about to finish. The change
    /// cancels the others.
    pub(super) fn before_change(&mut self) {
        self.positional_jobs.wait(POSITIONAL_GRACE);
        self.interrupted_jobs.wait(INTERRUPTED_GRACE);
        self.stale = true;
    }

    /// Reads imported files that were not looked up yet.
    pub(super) fn read_imports(&mut self) {
        if std::mem::take(&mut self.unread_imports) {
            let imports = load_imports(&mut self.db, &self.view.roots, READ_TIMEOUT);
            imports
                .late
                .into_iter()
                .for_each(|late| self.expect_late(late));
        }
    }

    /// Adds late files when they arrive, unless they are read again before.
    pub(super) fn expect_late(&mut self, late: Late) {
        self.readings += 1;
        let reading = self.readings;
        let paths = late.paths.into_iter();
        self.late.extend(paths.map(|path| (path, reading)));
        self.pass_on(late.contents, move |(path, contents)| Event::LateFile {
            reading,
            path,
            contents,
        });
    }

    /// Forwards late results to the main loop as events.
    pub(super) fn pass_on<T: Send + 'static>(
        &self,
        late: Receiver<T>,
        event: impl Fn(T) -> Event + Send + 'static,
    ) {
        let events = self.reports.events.clone();
        let pass_on = move || {
            for late in late {
                let _ = events.send(event(late));
            }
        };
        // If no thread can be started, late results are lost.
        let _ = thread::Builder::new()
            .name("rise:late".into())
            .spawn(pass_on);
    }

    fn late_file(&mut self, reading: u64, path: FilePath, contents: Contents) {
        if self.late.get(&path) == Some(&reading) {
            self.late.remove(&path);
            self.set_from_disk(path, contents);
        }
    }

    /// Handles `rise/status`.
    pub(super) fn status(&self) -> Value {
        let (open, loading) = (self.view.open.len(), self.loads > 0);
        let status = &self.reports.status;
        status.report(&self.db, open, loading, self.stale)
    }

    /// Handles `rise/text`: returns the text of a document as the server has it.
    pub(super) fn text(&self, params: TextParams) -> Answer<TextResult> {
        let uri = params.text_document.uri.as_str();
        let file = self.db.file(&uri::to_path(uri));
        let (file, open) = file
            .and_then(|file| Some((file, self.view.open.get(&file)?)))
            .ok_or_else(|| invalid_params(format_args!("{uri} is not open")))?;
        Ok(TextResult {
            text: self.db.text(file).to_string(),
            version: open.version,
        })
    }

    /// Starts the job of a request.
    pub(super) fn dispatch(&mut self, call: Call) {
        self.read_imports();
        let guard = match call.route.policy {
            _ if call.interruptions >= MAX_INTERRUPTIONS => Some(self.interrupted_jobs.enter()),
            Policy::Positional => Some(self.positional_jobs.enter()),
            Policy::Retry | Policy::Retrigger => None,
        };
        let (snapshot, reports, lane) = (self.snapshot(), self.reports.clone(), call.route.lane);
        let job = move || call.run(snapshot, guard, &reports);
        self.pool.run(lane, Box::new(job));
    }

    /// Handles a request whose job was cancelled by a change.
    fn interrupted(&mut self, mut call: Call) {
        if call.is_cancelled() {
            return;
        }
        call.interruptions += 1;
        let is_unchanged = call
            .document
            .is_none_or(|(file, revision)| self.revision_of(file) == revision);
        match call.route.policy {
            Policy::Retry => self.dispatch(call),
            Policy::Positional | Policy::Retrigger if is_unchanged => self.dispatch(call),
            policy => call.refuse(policy.error()),
        }
    }

    /// Returns the file of a path, if it is known, and the revision of its text, which is 0 if the
    /// file is not open.
    pub(super) fn revision_of_path(&self, path: &FilePath) -> Option<(FileId, u64)> {
        let file = self.db.file(path)?;
        Some((file, self.revision_of(file)))
    }

    fn revision_of(&self, file: FileId) -> u64 {
        self.view.open.get(&file).map_or(0, |open| open.revision)
    }

    fn response(&mut self, id: &Id, result: Result<Value, Error>) {
        match (self.expected.remove(id), result) {
            (Some(ExpectedResponse::Settings), Ok(sections)) => {
                self.configure(sections.get(0).unwrap_or(&Value::Null));
            }
            (Some(ExpectedResponse::Settings), Err(why)) => {
                self.client.log(
                    MessageType::WARNING,
                    format!("the client returns no settings: {why}"),
                );
            }
            (Some(ExpectedResponse::Progress), result) => self.progress.created(result.is_ok()),
            (Some(ExpectedResponse::RunProgress(run)), result) => run.created(result.is_ok()),
            (Some(ExpectedResponse::Acknowledgement(what)), Err(why)) => {
                self.client.log(
                    MessageType::WARNING,
                    format!("the client rejects {what}: {why}"),
                );
            }
            (Some(ExpectedResponse::Acknowledgement(_)), Ok(_)) => {}
            (None, _) => self.client.log(
                MessageType::WARNING,
                format!("the client answers a request that was not sent: {id}"),
            ),
        }
    }

    /// Reads all files of these folders in the background.
    pub(super) fn load(&mut self, folders: Vec<PathBuf>) {
        self.loads += 1;
        if self.view.client.shows_progress {
            let id = self.progress.request();
            self.expected
                .extend(id.map(|id| (id, ExpectedResponse::Progress)));
        }
        let (events, roots) = (self.reports.events.clone(), self.view.roots.clone());
        let job = move || load(&folders, &roots, &events);
        self.pool.run(Lane::Worker, Box::new(job));
    }
}
