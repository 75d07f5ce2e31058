//! The state of a session, and its reactions to events. It does no input or output: messages to the
//! client go to a channel, and jobs to a thread pool.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::Sender;
use db::{Database, FileId, FilePath};
use rustc_hash::FxHashMap;
use serde_json::Value;
use tower_lsp::jsonrpc::{Error, ErrorCode, Id};
use tower_lsp::lsp_types::MessageType;

use super::client::Client;
use super::devices::DEVICES;
use super::event::{Answer, Ending, Event, Reply, error};
use super::import_roots::ImportRoots;
use super::pool::{Gauge, Lane, Pool};
use super::progress::Progress;
use super::publish::Publisher;
use super::pulled::Pulled;
use super::requests::{Policy, Reports, Route, Ticket, answer, interrupted};
use super::run_progress::RunProgress;
use super::running::method_of_runs;
use super::runs::Runs;
use super::snapshot::{Snapshot, View};
use super::status::Status;
use super::uri;
use super::wire::Json;
use super::workspace::load;
use crate::loader::{Contents, Late, load_imports};

/// The time limit for reading imported files.
pub(super) const READING: Duration = Duration::from_millis(500);
/// The time that a change waits for requests about a position, which usually take less.
const PATIENCE: Duration = Duration::from_millis(2);
/// The time that a change waits for requests that were cancelled several times.
const MUCH_PATIENCE: Duration = Duration::from_millis(20);
/// The number of cancellations from which on a change waits longer for a request.
const SEVERAL: u32 = 2;

/// The stage of the lifecycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The stage before `initialize`.
    Fresh,
    /// The stage between `initialize` and `shutdown`.
    Running,
    /// The stage after `shutdown`.
    ShutDown,
    /// The stage after `exit`.
    Over {
        /// True if `shutdown` came before `exit`.
        clean: bool,
    },
}

/// The purpose of a request that was sent to the client.
#[derive(Debug)]
pub(super) enum Expected {
    /// A request for the settings.
    Settings,
    /// A request to create the progress report for reading the workspace.
    Progress,
    /// A request to create the progress report of a run.
    RunProgress(RunProgress),
    /// A request by this method whose result is not used.
    Consent(&'static str),
}

/// A session with one client.
pub struct Session {
    pub(super) db: Database,
    pub(super) view: Arc<View>,
    pub(super) stage: Stage,
    pub(super) client: Client,
    pub(super) publisher: Publisher,
    pulled: Pulled,
    pub(super) folders: Vec<PathBuf>,
    pub(super) import_roots: ImportRoots,
    /// The number of times that the workspace is currently being read.
    pub(super) loads: usize,
    /// True if these reads have found new files.
    pub(super) load_is_news: bool,
    pub(super) progress: Progress,
    pub(super) expected: FxHashMap<Id, Expected>,
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
    pub(super) is_stranger: bool,
    pool: Pool,
    tickets: FxHashMap<Id, Arc<Ticket>>,
    brief: Gauge,
    persistent: Gauge,
    pub(super) revision: u64,
    /// True if something has changed since diagnostics were last computed.
    pub(super) stale: bool,
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
            stage: Stage::Fresh,
            publisher: Publisher::new(client.clone()),
            pulled: Pulled::default(),
            progress: Progress::new(client.clone()),
            client,
            folders: Vec::new(),
            import_roots: ImportRoots::default(),
            loads: 0,
            load_is_news: false,
            expected: FxHashMap::default(),
            runs: Runs::new(events.clone()),
            run_number: u64::from(restarts) << 32,
            runs_forbidden: false,
            is_stranger: false,
            token,
            reports: Reports {
                events,
                status: Arc::new(Status::default()),
            },
            pool,
            tickets: FxHashMap::default(),
            brief: Gauge::default(),
            persistent: Gauge::default(),
            // Revisions identify what the client has received, also from earlier workers.
            revision: u64::from(restarts) << 32,
            stale: false,
            unread_imports: false,
            late: FxHashMap::default(),
            readings: 0,
        }
    }

    pub fn stage(&self) -> Stage {
        self.stage
    }

    pub fn handle(&mut self, event: Event) {
        match event {
            Event::Request {
                id,
                method,
                params,
                reply,
            } => self.request(id, &method, params, reply),
            Event::Notification { method, params } => self.notification(&method, params),
            Event::Response(response) => {
                let (id, result) = response.into_parts();
                self.response(&id, result);
            }
            Event::Finished(ticket, ending) => self.finished(ticket, ending),
            Event::RunOver(id) => self.runs.over(&id),
            Event::RanOn(device) => self.ran_on(device),
            Event::Device(found) => self.device_found(found),
            Event::Loaded(loaded) => self.loaded(loaded),
            Event::LateFile {
                reading,
                path,
                contents,
            } => self.late_file(reading, path, contents),
            Event::LateRoots(found) => self.add_roots(found),
            Event::Outdated => self.ask("workspace/diagnostic/refresh"),
            Event::Problem(problem) => self.client.log(MessageType::ERROR, problem),
            Event::HungUp => self.stage = Stage::Over { clean: false },
        }
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
    pub fn settle(&mut self) {
        if !std::mem::take(&mut self.stale) || self.stage != Stage::Running {
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
        self.brief.settle(PATIENCE);
        self.persistent.settle(MUCH_PATIENCE);
        self.stale = true;
    }

    /// Reads imported files that were not looked up yet.
    pub(super) fn read_imports(&mut self) {
        if std::mem::take(&mut self.unread_imports) {
            let imports = load_imports(&mut self.db, &self.view.roots, READING);
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

    fn request(&mut self, id: Id, method: &str, params: Value, reply: Reply) {
        if let Some(answer) = self.lifecycle_request(method, &params) {
            reply.send(answer);
            return;
        }
        if let Some(answer) = self.immediate(method, &params) {
            reply.send(answer);
            return;
        }
        if self.tickets.contains_key(&id) || self.runs.contains(&id) {
            reply.send(Err(error(
                ErrorCode::InvalidRequest,
                "a request with this id has no answer yet",
            )));
            return;
        }
        if let Some(method) = method_of_runs(method) {
            return self.run_request(&id, method, &params, &reply);
        }
        if method == DEVICES {
            return self.devices_request(&id, &reply);
        }
        let Some(route) = Route::find(method) else {
            reply.send(Err(error(
                ErrorCode::MethodNotFound,
                format!("there is no method {method}"),
            )));
            return;
        };
        let about = self.subject(&params);
        let arrived = Instant::now();
        let ticket = Ticket {
            id,
            route,
            params,
            reply,
            about,
            interruptions: 0,
            arrived,
        };
        self.dispatch(Arc::new(ticket));
    }

    /// Answers requests that are answered in order and take no time; `None` for other requests.
    fn immediate(&mut self, method: &str, params: &Value) -> Option<Answer> {
        match method {
            "rise/status" => Some(Ok(Json::of(&self.reports.status.report(
                &self.db,
                self.view.open.len(),
                self.loads > 0,
                self.stale,
            )))),
            "rise/text" => Some(self.text(params)),
            _ => None,
        }
    }

    /// Handles `rise/text`: returns the text of a document as the server has it.
    fn text(&self, params: &Value) -> Answer {
        let uri = params["textDocument"]["uri"].as_str().unwrap_or_default();
        let file = self.db.file(&uri::to_path(uri));
        let (file, open) = file
            .and_then(|file| Some((file, self.view.open.get(&file)?)))
            .ok_or_else(|| super::event::invalid_params(format_args!("{uri} is not open")))?;
        let text = self.db.text(file).to_string();
        Ok(Json::of(
            &serde_json::json!({"text": text, "version": open.version}),
        ))
    }

    fn dispatch(&mut self, ticket: Arc<Ticket>) {
        self.read_imports();
        let in_flight = match ticket.route.policy {
            _ if ticket.interruptions >= SEVERAL => Some(self.persistent.enter()),
            Policy::Positional => Some(self.brief.enter()),
            Policy::Retry | Policy::Retrigger => None,
        };
        self.tickets.insert(ticket.id.clone(), ticket.clone());
        let (snapshot, reports, lane) = (self.snapshot(), self.reports.clone(), ticket.route.lane);
        self.pool.run(
            lane,
            Box::new(move || answer(&ticket, snapshot, in_flight, &reports)),
        );
    }

    fn finished(&mut self, ticket: Arc<Ticket>, ending: Ending) {
        if self
            .tickets
            .get(&ticket.id)
            .is_some_and(|known| Arc::ptr_eq(known, &ticket))
        {
            self.tickets.remove(&ticket.id);
        }
        if ending == Ending::Answered || !ticket.reply.is_open() {
            return;
        }
        let untouched = ticket
            .about
            .is_none_or(|(file, revision)| self.revision_of(file) == revision);
        match ticket.route.policy {
            Policy::Retry => self.again(&ticket),
            Policy::Positional | Policy::Retrigger if untouched => self.again(&ticket),
            policy => drop(ticket.reply.send(Err(interrupted(policy)))),
        }
    }

    fn again(&mut self, ticket: &Ticket) {
        self.dispatch(Arc::new(Ticket {
            id: ticket.id.clone(),
            route: ticket.route,
            params: ticket.params.clone(),
            reply: ticket.reply.clone(),
            about: ticket.about,
            interruptions: ticket.interruptions + 1,
            arrived: ticket.arrived,
        }));
    }

    /// Returns the open document that a request refers to, and its revision.
    fn subject(&self, params: &Value) -> Option<(FileId, u64)> {
        let of = |holder: &str| params[holder]["uri"].as_str();
        let uri = of("textDocument").or_else(|| of("item"))?;
        let file = self.db.file(&uri::to_path(uri))?;
        Some((file, self.revision_of(file)))
    }

    fn revision_of(&self, file: FileId) -> u64 {
        self.view.open.get(&file).map_or(0, |open| open.revision)
    }

    /// Cancels a request of the client.
    pub(super) fn cancel(&mut self, params: &Value) {
        let id = match &params["id"] {
            Value::String(text) => Id::String(text.clone()),
            number => match number.as_i64() {
                Some(number) => Id::Number(number),
                None => return,
            },
        };
        self.runs.cancel(&id);
        if let Some(ticket) = self.tickets.remove(&id) {
            ticket.reply.send(Err(error(
                ErrorCode::RequestCancelled,
                "the client has cancelled the request",
            )));
        }
    }

    fn response(&mut self, id: &Id, result: Result<Value, Error>) {
        match (self.expected.remove(id), result) {
            (Some(Expected::Settings), Ok(sections)) => {
                self.configure(sections.get(0).unwrap_or(&Value::Null));
            }
            (Some(Expected::Settings), Err(why)) => {
                self.client.log(
                    MessageType::WARNING,
                    format!("the client gives no settings: {why}"),
                );
            }
            (Some(Expected::Progress), result) => self.progress.consented(result.is_ok()),
            (Some(Expected::RunProgress(run)), result) => run.consented(result.is_ok()),
            (Some(Expected::Consent(what)), Err(why)) => {
                self.client.log(
                    MessageType::WARNING,
                    format!("the client refuses {what}: {why}"),
                );
            }
            (Some(Expected::Consent(_)), Ok(_)) => {}
            (None, _) => self.client.log(
                MessageType::WARNING,
                format!("an answer to no request: {id}"),
            ),
        }
    }

    /// Reads all files of these folders in the background.
    pub(super) fn load(&mut self, folders: Vec<PathBuf>) {
        self.loads += 1;
        if self.view.client.shows_progress {
            let id = self.progress.ask();
            self.expected.extend(id.map(|id| (id, Expected::Progress)));
        }
        let (events, roots) = (self.reports.events.clone(), self.view.roots.clone());
        let job = move || load(&folders, &roots, &events);
        self.pool.run(Lane::Worker, Box::new(job));
    }
}
