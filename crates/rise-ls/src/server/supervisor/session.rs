//! The state of a session in the supervisor: the messages for a new worker, the unanswered
//! requests, and the documents on which workers have crashed.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crossbeam_channel::Sender;
use db::FilePath;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Error, ErrorCode, Id, Request, Response};
use tower_lsp::lsp_types::notification::{LogMessage, Notification, Progress, PublishDiagnostics};
use tower_lsp::lsp_types::{
    Diagnostic, DidChangeTextDocumentParams, DidChangeWatchedFilesParams,
    DidChangeWorkspaceFoldersParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    InitializeParams, LogMessageParams, MessageType, TextDocumentIdentifier, WorkspaceFolder,
    WorkspaceFoldersChangeEvent,
};

use super::backoff::{Backoff, FIRST_PAUSE};
use super::documents::{Change, Documents, Visibility};
use super::message_kind::MessageKind;
use super::previews::{Preview, Previews};
use super::worker::{Worker, reason};
use super::{Event, client_process};
use crate::memory;
use crate::server::config::ClientCapabilities;
use crate::server::event::error;
use crate::server::handlers::diagnostics::quarantine;
use crate::server::handlers::preview::{PREVIEW_CHANGED, PreviewIdentifier, RECOMPUTE_PREVIEW};
use crate::server::message::Message;
use crate::server::outbox::Outbox;
use crate::server::positions::Encoding;
use crate::server::uri;

/// The prefix of the ids of the supervisor's own requests.
const ID_PREFIX: &str = "rise-ls/";
/// The method of the request that a trial sends for each document.
const PROBE_METHOD: &str = "textDocument/diagnostic";
const PREVIEW: &str = "rise/preview";
/// The time limit of a trial.
const TRIAL_TIMEOUT: Duration = Duration::from_secs(10);
/// The number of crashes during requests of one method without a document from which on such
/// requests are refused. It is also the number of recent crashes from which on a document is
/// quarantined if it is the only one involved.
const MAX_FAILURES: u32 = 2;
/// The number of recent crashes from which on a document is quarantined if several documents are
/// involved in the last one.
const MAX_INVOLVEMENTS: u32 = 3;

pub struct Session {
    events: Sender<Event>,
    outbox: Outbox,
    worker: Option<Worker>,
    /// The token that the client has to send before programs may run, if there is one.
    token: Option<String>,
    /// The number of workers before the current one.
    restarts: u32,
    /// True if the worker has answered `initialize`.
    ready: bool,
    /// The time of the next start of a worker, if one is scheduled.
    start_at: Option<Instant>,
    /// Counts the crashes outside of trials.
    backoff: Backoff,
    /// The parameters of `initialize`, with the current workspace folders.
    initialize: Option<Value>,
    encoding: Encoding,
    client: ClientCapabilities,
    initialized: bool,
    /// True if a worker has registered capabilities.
    registered: bool,
    configuration: Option<Value>,
    documents: Documents,
    /// Closed documents whose diagnostics the worker has not cleared yet.
    uncleared_diagnostics: FxHashMap<FilePath, uri::Uri>,
    previews: Previews,
    /// The requests for previews that a new worker has not answered.
    recomputed_previews: FxHashMap<Id, Preview>,
    /// The groups of documents that wait for a trial.
    trials: VecDeque<Vec<FilePath>>,
    trial: Option<Trial>,
    pending: FxHashMap<Id, Vec<Pending>>,
    /// The tokens of progress reports that have begun.
    progress: FxHashSet<String>,
    /// The number of requests without a document that were pending at crashes, by method, since the
    /// last change of a file. Crashes at which a pending request had an open document do not count.
    method_crashes: FxHashMap<String, u32>,
    next_id: u64,
    /// True if a large document was closed, whose memory the worker still has.
    worker_is_large: bool,
    shut_down: bool,
    over: bool,
}

/// A request of the client that the worker has not answered.
struct Pending {
    method: String,
    document: Option<FilePath>,
}

/// A trial: documents that are sent to the worker to see if it crashes on them.
struct Trial {
    /// The documents, with those that were opened or changed since the trial began, because each of
    /// them may cause a crash.
    documents: Vec<FilePath>,
    /// The unanswered requests with their documents.
    probes: FxHashMap<Id, FilePath>,
    deadline: Instant,
}

impl Session {
    pub fn new(
        events: Sender<Event>,
        outbox: Outbox,
        worker: Worker,
        token: Option<String>,
    ) -> Session {
        Session {
            events,
            outbox,
            worker: Some(worker),
            token,
            restarts: 0,
            ready: false,
            start_at: None,
            backoff: Backoff::default(),
            initialize: None,
            encoding: Encoding::default(),
            client: ClientCapabilities::default(),
            initialized: false,
            registered: false,
            configuration: None,
            documents: Documents::default(),
            uncleared_diagnostics: FxHashMap::default(),
            previews: Previews::default(),
            recomputed_previews: FxHashMap::default(),
            trials: VecDeque::new(),
            trial: None,
            pending: FxHashMap::default(),
            progress: FxHashSet::default(),
            method_crashes: FxHashMap::default(),
            next_id: 0,
            worker_is_large: false,
            shut_down: false,
            over: false,
        }
    }

    /// Returns true if the session has ended: the client has sent `exit`, closed its stream or
    /// ended, or a signal has requested the end.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// Returns true if the client has sent `shutdown`, and the session has not ended without
    /// `exit`.
    pub fn is_clean(&self) -> bool {
        self.shut_down
    }

    pub fn has_worker(&self) -> bool {
        self.worker.is_some()
    }

    /// Ends the session without `exit`, for example because the client has closed its stream. After
    /// `exit` the status of the session is not changed.
    pub fn hang_up(&mut self) {
        if !self.over {
            self.over = true;
            self.shut_down = false;
        }
        self.close_worker();
    }

    fn close_worker(&mut self) {
        if let Some(worker) = &mut self.worker {
            worker.close();
        }
    }

    // Messages of the client.

    pub fn handle_client_message(&mut self, message: Message, body: Vec<u8>) {
        match message {
            Message::Request { id, method, params } => self.request(id, method, params, body),
            Message::Notification { method, params } => self.notification(&method, params, body),
            Message::Response { id } => {
                if self.is_for_worker(&id) {
                    self.forward(body);
                }
            }
        }
    }

    /// Returns true if an answer with this id is for the current worker, and not for an earlier one
    /// or the supervisor.
    fn is_for_worker(&self, id: &Id) -> bool {
        match id {
            Id::Number(number) => {
                let asker = number >> 32;
                !(0..i64::from(self.restarts)).contains(&asker)
            }
            Id::String(name) => !name.starts_with(ID_PREFIX),
            Id::Null => true,
        }
    }

    fn request(&mut self, id: Id, method: String, mut params: Value, body: Vec<u8>) {
        uri::repair(&mut params);
        match method.as_str() {
            "initialize" if self.initialize.is_none() => self.read_initialize(params.clone()),
            "shutdown" if self.initialize.is_some() => self.shut_down = true,
            _ => {}
        }
        let document = uri::document(&params);
        if let Some(answer) = self.answer_without_worker(&method, document.as_ref()) {
            self.outbox.respond(&Response::from_parts(id, answer));
            return;
        }
        let pending = Pending { method, document };
        self.pending.entry(id).or_default().push(pending);
        self.forward(body);
    }

    fn read_initialize(&mut self, params: Value) {
        // The worker rejects invalid parameters.
        let Ok(read) = InitializeParams::deserialize(&params) else {
            return;
        };
        let general = read.capabilities.general.as_ref();
        let offered = general.and_then(|general| general.position_encodings.as_deref());
        self.encoding = Encoding::negotiate(offered);
        self.client = ClientCapabilities::read(&params["capabilities"]);
        if let Some(process) = read.process_id {
            client_process::watch(process, self.events.clone());
        }
        self.initialize = Some(params);
    }

    /// Returns the answer to a request that is not forwarded to the worker; `None` if the request
    /// is forwarded.
    fn answer_without_worker(
        &self,
        method: &str,
        document: Option<&FilePath>,
    ) -> Option<Result<Value, Error>> {
        if self.worker.is_none() {
            return Some(Err(match self.shut_down {
                true => error(ErrorCode::InvalidRequest, "the session is shut down"),
                false => error(ErrorCode::InternalError, "the server is starting again"),
            }));
        }
        let refused = |count: &u32| *count >= MAX_FAILURES;
        if document.is_none() && self.method_crashes.get(method).is_some_and(refused) {
            let reason = format!(
                "{method} is refused until a file changes: the server has crashed while it answered it"
            );
            return Some(Err(error(ErrorCode::InternalError, reason)));
        }
        let document = self.documents.get(document?)?;
        let changed = || error(ErrorCode::ContentModified, "the server has started again");
        match document.visibility() {
            Visibility::Visible => None,
            Visibility::Waiting if method == PROBE_METHOD => Some(Err(Error {
                code: ErrorCode::ServerError(-32802),
                data: Some(json!({"retriggerRequest": true})),
                ..changed()
            })),
            Visibility::Waiting => Some(Err(changed())),
            Visibility::Quarantined { .. } if method == PROBE_METHOD => {
                let report = json!({"kind": "full", "items": [quarantine()]});
                Some(Ok(report))
            }
            Visibility::Quarantined { .. } if method.starts_with("textDocument/") => {
                Some(Ok(Value::Null))
            }
            Visibility::Quarantined { .. } => {
                Some(Err(error(ErrorCode::InternalError, quarantine().message)))
            }
        }
    }

    fn notification(&mut self, method: &str, mut params: Value, body: Vec<u8>) {
        if method == "exit" {
            self.over = true;
            self.forward(body);
            self.close_worker();
            return;
        }
        if self.initialize.is_some() && !self.shut_down {
            uri::repair(&mut params);
            if let Change::Withheld = self.record(method, params) {
                return;
            }
        }
        self.forward(body);
    }

    /// Records the state of the session that a new worker needs, and returns the effect of a
    /// notification about a document.
    fn record(&mut self, method: &str, params: Value) -> Change {
        let recorded = match method {
            "initialized" => {
                self.initialized = true;
                Ok(Change::Forwarded)
            }
            "textDocument/didOpen" => self.with(params, Session::did_open),
            "textDocument/didChange" => self.with(params, Session::did_change),
            "textDocument/didClose" => self.with(params, Session::did_close),
            "rise/previewClosed" => self.with(params, |session, params: PreviewIdentifier| {
                session.previews.close(&params.into());
                Change::Forwarded
            }),
            "textDocument/didSave" => Ok(self.files_changed()),
            "workspace/didChangeWatchedFiles" => self
                .with(params, |session, _: DidChangeWatchedFilesParams| {
                    session.files_changed()
                }),
            "workspace/didChangeConfiguration" => {
                self.configuration = Some(params);
                Ok(Change::Forwarded)
            }
            "workspace/didChangeWorkspaceFolders" => self.with(params, Session::change_folders),
            _ => Ok(Change::Forwarded),
        };
        recorded.unwrap_or_else(|reason| {
            self.log(MessageType::ERROR, format!("{method}: {reason}"));
            Change::Withheld
        })
    }

    fn with<P: DeserializeOwned>(
        &mut self,
        params: Value,
        act: fn(&mut Session, P) -> Change,
    ) -> serde_json::Result<Change> {
        serde_json::from_value(params).map(|params| act(self, params))
    }

    fn did_open(&mut self, params: DidOpenTextDocumentParams) -> Change {
        let path = uri::to_path(params.text_document.uri.as_str());
        self.uncleared_diagnostics.remove(&path);
        self.documents.open(params.text_document);
        self.suspect(&path);
        Change::Forwarded
    }

    fn did_change(&mut self, params: DidChangeTextDocumentParams) -> Change {
        self.method_crashes.clear();
        let path = uri::to_path(params.text_document.uri.as_str());
        self.suspect(&path);
        match self.documents.change(params, self.encoding) {
            Change::Ignored(reason) => {
                self.log(MessageType::WARNING, reason);
                Change::Withheld
            }
            change => change,
        }
    }

    fn files_changed(&mut self) -> Change {
        self.method_crashes.clear();
        self.documents.retry_all();
        Change::Forwarded
    }

    fn did_close(&mut self, params: DidCloseTextDocumentParams) -> Change {
        self.close(uri::to_path(params.text_document.uri.as_str()));
        Change::Forwarded
    }

    fn close(&mut self, path: FilePath) {
        let Some(closed) = self.documents.close(&path) else {
            return;
        };
        let (uri, is_large) = (closed.uri().clone(), closed.largest() >= memory::LARGE);
        drop(closed);
        if is_large {
            self.worker_is_large = true;
            memory::release_unused();
        }
        self.previews.close_all(&path);
        if !self.client.pulls_diagnostics {
            self.uncleared_diagnostics.insert(path, uri);
        }
    }

    /// Adds a document to the current trial, if there is one and the worker has the document.
    fn suspect(&mut self, path: &FilePath) {
        let document = self.documents.get(path);
        let is_visible = document.is_some_and(|it| it.visibility() == Visibility::Visible);
        if let Some(trial) = &mut self.trial
            && is_visible
            && !trial.documents.contains(path)
        {
            trial.documents.push(path.clone());
        }
    }

    fn change_folders(&mut self, params: DidChangeWorkspaceFoldersParams) -> Change {
        let Some(initialize) = &mut self.initialize else {
            return Change::Forwarded;
        };
        let known = initialize["workspaceFolders"].take();
        let known = Vec::<WorkspaceFolder>::deserialize(known).unwrap_or_default();
        let WorkspaceFoldersChangeEvent { added, removed } = params.event;
        let is_removed = |folder: &WorkspaceFolder| removed.iter().any(|it| it.uri == folder.uri);
        let kept = known.into_iter().filter(|folder| !is_removed(folder));
        initialize["workspaceFolders"] = kept.chain(added).map(|folder| json!(folder)).collect();
        Change::Forwarded
    }

    fn forward(&self, body: Vec<u8>) {
        if let Some(worker) = &self.worker {
            worker.send(body);
        }
    }

    // Messages of the worker.

    /// Handles a message of the worker.
    pub fn handle_worker_message(&mut self, restarts: u32, body: Vec<u8>) {
        if restarts != self.restarts || self.worker.is_none() {
            return;
        }
        match MessageKind::read(&body) {
            Some(MessageKind::Response(id @ Id::String(_))) if self.is_own_request(&id) => {
                self.handle_own_response(&id, &body);
                return;
            }
            Some(MessageKind::Response(id)) if id != Id::Null => {
                let Some(pending) = self.pending.get_mut(&id) else {
                    return;
                };
                let answered = pending.pop();
                if pending.is_empty() {
                    self.pending.remove(&id);
                }
                match answered {
                    Some(answered) if answered.method == "initialize" => self.ready = true,
                    Some(answered) if answered.method == PREVIEW => {
                        self.record_preview(answered, &body)
                    }
                    _ => {}
                }
            }
            Some(MessageKind::Request(id, method))
                if method == "client/registerCapability" && self.registered =>
            {
                // An earlier worker has already registered it.
                let answer = json!({"jsonrpc": "2.0", "id": id, "result": null});
                self.forward(answer.to_string().into_bytes());
                return;
            }
            Some(MessageKind::Request(_, method)) if method == "client/registerCapability" => {
                self.registered = true;
            }
            Some(MessageKind::Notification(method)) if method == Progress::METHOD => {
                self.track_progress(&body);
            }
            Some(MessageKind::Notification(method)) if method == PREVIEW_CHANGED => {
                self.previews.track_renaming(&body);
            }
            Some(MessageKind::Notification(method))
                if method == PublishDiagnostics::METHOD && !self.track_diagnostics(&body) =>
            {
                return;
            }
            _ => {}
        }
        self.outbox.send(body);
    }

    fn is_own_request(&self, id: &Id) -> bool {
        matches!(id, Id::String(name) if name.starts_with(ID_PREFIX))
            && !self.pending.contains_key(id)
    }

    /// Tracks the published diagnostics. Returns false if they are those of the empty text that the
    /// worker has in place of a document.
    fn track_diagnostics(&mut self, body: &[u8]) -> bool {
        let hidden = |seen| seen != Visibility::Visible;
        if self.uncleared_diagnostics.is_empty() && self.documents.select(hidden).is_empty() {
            return true;
        }
        let message: Value = serde_json::from_slice(body).unwrap_or_default();
        let params = &message["params"];
        let path = uri::to_path(params["uri"].as_str().unwrap_or_default());
        // Diagnostics of a closed document have no version.
        if params["version"].is_null() {
            self.uncleared_diagnostics.remove(&path);
        }
        let document = self.documents.get(&path);
        document.is_none_or(|document| !hidden(document.visibility()))
    }

    /// Records a preview that is sent to the client.
    fn record_preview(&mut self, answered: Pending, body: &[u8]) {
        let document = answered.document;
        let document = document.filter(|path| self.documents.get(path).is_some());
        let preview = document.and_then(|path| Preview::answered(path, body));
        if let Some(preview) = preview {
            self.previews.show(preview);
        }
    }

    fn track_progress(&mut self, body: &[u8]) {
        let message: Value = serde_json::from_slice(body).unwrap_or_default();
        let token = message["params"]["token"].to_string();
        match message["params"]["value"]["kind"].as_str() {
            Some("begin") => drop(self.progress.insert(token)),
            Some("end") => drop(self.progress.remove(&token)),
            _ => {}
        }
    }

    // Crashes.

    /// Handles the end of the worker's output: it has crashed, unless the session is over.
    pub fn handle_worker_end(&mut self, restarts: u32) {
        if restarts != self.restarts {
            return;
        }
        let Some(mut worker) = self.worker.take() else {
            return;
        };
        let reason = reason(worker.status());
        drop(worker);
        if self.over {
            return;
        }
        let pending = std::mem::take(&mut self.pending);
        let requests: Vec<&Pending> = pending.values().flatten().collect();
        let now = Instant::now();
        let in_trial = self.find_cause(&requests, now);
        self.refuse_pending(&pending, &reason);
        self.end_progress();
        if self.shut_down {
            return;
        }
        let mut methods: Vec<&str> = requests.iter().map(|it| it.method.as_str()).collect();
        methods.sort_unstable();
        methods.dedup();
        let during = match methods.is_empty() {
            true => String::new(),
            false => format!(" during {}", methods.join(", ")),
        };
        self.log(
            MessageType::ERROR,
            format!("the server has crashed{during} ({reason}) and starts again; this is a bug"),
        );
        self.ready = false;
        let pause = match in_trial {
            true => Duration::ZERO,
            false => self.backoff.crashed(now),
        };
        self.start_at = Some(now + pause);
    }

    fn refuse_pending(&self, pending: &FxHashMap<Id, Vec<Pending>>, reason: &str) {
        for id in pending
            .iter()
            .flat_map(|(id, all)| all.iter().map(move |_| id))
        {
            let reason = format!("the server has crashed ({reason}) and starts again");
            let answer = Response::from_error(id.clone(), error(ErrorCode::InternalError, reason));
            self.outbox.respond(&answer);
        }
    }

    /// Ends the progress reports of the crashed worker.
    fn end_progress(&mut self) {
        for token in std::mem::take(&mut self.progress) {
            let token: Value = serde_json::from_str(&token).unwrap_or_default();
            let params = json!({"token": token, "value": {"kind": "end"}});
            self.outbox.notify(Progress::METHOD, &params);
        }
    }

    /// Determines the documents that are withheld from the next worker, or sent in trials. Returns
    /// true if the crash happened during a trial.
    fn find_cause(&mut self, pending: &[&Pending], now: Instant) -> bool {
        for document in pending.iter().filter_map(|it| it.document.as_ref()) {
            self.suspect(document);
        }
        match self.trial.take().filter(|_| self.ready) {
            Some(trial) => {
                self.bisect(trial, now);
                true
            }
            None => {
                self.suspect_pending(pending, now);
                false
            }
        }
    }

    /// Quarantines the only document of a failed trial, or plans trials of the halves of several.
    fn bisect(&mut self, trial: Trial, now: Instant) {
        let open = |path: &FilePath| self.documents.get(path).is_some();
        let mut suspects: Vec<FilePath> = trial.documents.into_iter().filter(open).collect();
        for path in &suspects {
            self.documents.show(path, Visibility::Waiting);
        }
        if let [alone] = &suspects[..] {
            self.documents.count_crash(alone, now);
            self.quarantine(alone);
        } else if !suspects.is_empty() {
            let half = suspects.split_off(suspects.len() / 2);
            self.trials.push_front(half);
            self.trials.push_front(suspects);
        }
    }

    /// Suspects the documents of pending requests, else the one that was changed last, and
    /// quarantines those with too many crashes. The next worker gets all other documents before the
    /// suspects, each of which has a trial of its own.
    fn suspect_pending(&mut self, pending: &[&Pending], now: Instant) {
        let mut involved: Vec<FilePath> = Vec::new();
        for document in pending.iter().filter_map(|it| it.document.as_ref()) {
            if self.documents.get(document).is_some() && !involved.contains(document) {
                involved.push(document.clone());
            }
        }
        let limit = match involved.len() {
            1 => MAX_FAILURES,
            _ => MAX_INVOLVEMENTS,
        };
        let mut suspects: Vec<Vec<FilePath>> = Vec::new();
        for path in &involved {
            if self.documents.count_crash(path, now) >= limit {
                self.quarantine(path);
            } else {
                suspects.push(vec![path.clone()]);
            }
        }
        if involved.is_empty() {
            for request in pending.iter().filter(|it| it.document.is_none()) {
                *self
                    .method_crashes
                    .entry(request.method.clone())
                    .or_default() += 1;
            }
            suspects.extend(self.documents.last_changed().map(|path| vec![path.clone()]));
        }
        let waits = |path: &FilePath| suspects.iter().any(|group| group.contains(path));
        let mut others = self.documents.select(|seen| seen == Visibility::Visible);
        others.retain(|path| !waits(path));
        // Groups that waited before the crash keep waiting.
        let mut groups = VecDeque::from([others]);
        groups.extend(suspects);
        groups.extend(std::mem::take(&mut self.trials));
        groups.retain(|group| !group.is_empty());
        for path in groups.iter().flatten() {
            self.documents.show(path, Visibility::Waiting);
        }
        self.trials = groups;
    }

    fn quarantine(&mut self, path: &FilePath) {
        let quarantined = Visibility::Quarantined { retry: None };
        self.documents.show(path, quarantined);
        let Some(document) = self.documents.get(path) else {
            return;
        };
        if !self.client.pulls_diagnostics {
            self.publish(document.uri(), Some(document.version()), &[quarantine()]);
        }
        let reason = format!("{path} is not checked until its text changes");
        self.log(MessageType::WARNING, reason);
    }

    /// Clears the diagnostics of closed documents that the crashed worker has not cleared.
    fn clear_diagnostics(&mut self) {
        for uri in std::mem::take(&mut self.uncleared_diagnostics).into_values() {
            self.publish(&uri, None, &[]);
        }
    }

    fn publish(&self, uri: &uri::Uri, version: Option<i32>, diagnostics: &[Diagnostic]) {
        let params = json!({"uri": uri, "version": version, "diagnostics": diagnostics});
        self.outbox.notify(PublishDiagnostics::METHOD, &params);
    }

    // New workers.

    /// Returns the time of the next action that does not wait for an event.
    pub fn next_deadline(&self) -> Option<Instant> {
        if self.over || self.shut_down {
            return None;
        }
        let trial = self.trial.as_ref().map(|trial| trial.deadline);
        let retry = self.documents.next_retry().filter(|_| self.has_worker());
        self.start_at.into_iter().chain(trial).chain(retry).min()
    }

    /// Starts a worker or trials that are due. Replaces an idle worker that still has the memory of
    /// a large document.
    pub fn tick(&mut self) {
        if self.over || self.shut_down {
            return;
        }
        let now = Instant::now();
        if self.start_at.is_some_and(|start| start <= now) {
            self.start_at = None;
            self.start_worker(now);
        }
        if self.worker.is_none() {
            return;
        }
        if self.worker_is_large && self.is_idle() {
            // The database keeps data about old texts. A new process frees this memory.
            self.worker = None;
            self.ready = false;
            self.start_worker(now);
            return;
        }
        if self
            .trial
            .as_ref()
            .is_some_and(|trial| trial.deadline <= now)
        {
            self.trial = None;
            self.start_trial(now);
        }
        let due = self.documents.take_due(now);
        if !due.is_empty() {
            self.trials.extend(due.into_iter().map(|path| vec![path]));
            if self.trial.is_none() {
                self.start_trial(now);
            }
        }
    }

    /// Returns true if the worker can be replaced without loss.
    fn is_idle(&self) -> bool {
        self.pending.is_empty() && self.progress.is_empty() && self.trial.is_none() && self.ready
    }

    fn start_worker(&mut self, now: Instant) {
        self.restarts += 1;
        self.worker_is_large = false;
        self.clear_diagnostics();
        self.recomputed_previews.clear();
        self.trial = None;
        match Worker::start(self.restarts, self.token.as_deref(), &self.events) {
            Ok(worker) => self.worker = Some(worker),
            Err(reason) => {
                let pause = self.backoff.crashed(now).max(FIRST_PAUSE);
                self.start_at = Some(now + pause);
                self.log(
                    MessageType::ERROR,
                    format!("the server does not start: {reason}"),
                );
                return;
            }
        }
        let Some(initialize) = self.initialize.clone() else {
            return;
        };
        let id = self.new_id("initialize");
        self.ask_worker(&id, "initialize", initialize);
        if self.initialized {
            self.tell_worker("initialized", json!({}));
        }
        if let Some(configuration) = self.configuration.clone() {
            self.tell_worker("workspace/didChangeConfiguration", configuration);
        }
        // Withheld documents are opened too, with an empty text, because the text on the disk may
        // cause the same crash.
        for path in self.documents.select(|_| true) {
            self.open_in_worker(&path);
        }
        self.start_trial(now);
    }

    /// Sends the next group of documents to the worker. If there is none, requests that the client
    /// refreshes its data.
    fn start_trial(&mut self, now: Instant) {
        while let Some(mut documents) = self.trials.pop_front() {
            // Documents may have been closed, or opened again.
            documents.retain(|path| {
                let document = self.documents.get(path);
                document.is_some_and(|document| document.visibility() == Visibility::Waiting)
            });
            if documents.is_empty() {
                continue;
            }
            self.trial = Some(Trial {
                documents: documents.clone(),
                probes: FxHashMap::default(),
                deadline: now + TRIAL_TIMEOUT,
            });
            for path in &documents {
                self.documents.show(path, Visibility::Visible);
                self.open_in_worker(path);
            }
            documents.into_iter().for_each(|path| self.probe(path));
            return;
        }
        self.refresh();
    }

    fn probe(&mut self, path: FilePath) {
        let Some(document) = self.documents.get(&path) else {
            return;
        };
        let params = json!({"textDocument": {"uri": document.uri()}});
        let id = self.new_id("probe");
        self.ask_worker(&id, PROBE_METHOD, params);
        self.await_probe(id, path);
    }

    /// Makes the trial of the document, if there is one, wait for the answer to a request.
    fn await_probe(&mut self, id: Id, path: FilePath) {
        if let Some(trial) = &mut self.trial
            && trial.documents.contains(&path)
        {
            trial.probes.insert(id, path);
        }
    }

    /// Requests the shown previews of a document from the worker, which then reports their changes.
    /// A trial waits for them, because computing a preview may cause the crash.
    fn recompute_previews(&mut self, path: &FilePath) {
        for preview in self.previews.of(path) {
            if let Some(params) = self.identify(&preview) {
                let id = self.new_id("preview");
                self.ask_worker(&id, RECOMPUTE_PREVIEW, json!(params));
                self.await_probe(id.clone(), path.clone());
                self.recomputed_previews.insert(id, preview);
            }
        }
    }

    fn identify(&self, preview: &Preview) -> Option<PreviewIdentifier> {
        let document = self.documents.get(&preview.document)?;
        Some(PreviewIdentifier {
            text_document: TextDocumentIdentifier::new(document.uri().clone()),
            def: preview.def.clone(),
            form: preview.form.clone(),
        })
    }

    /// Sends a preview to the client, if the client still shows it.
    fn pass_on_preview(&mut self, preview: &Preview, mut answer: Value) {
        let Some(params) = self.identify(preview) else {
            return;
        };
        if !self.previews.contain(preview) {
            // The preview was closed before the worker had it.
            self.tell_worker("rise/previewClosed", json!(params));
        } else if let Some(Value::Object(mut changed)) = answer.get_mut("result").map(Value::take) {
            changed.insert("textDocument".into(), json!(params.text_document));
            self.outbox.notify(PREVIEW_CHANGED, &changed);
        }
    }

    /// Handles an answer to a request of the supervisor.
    fn handle_own_response(&mut self, id: &Id, body: &[u8]) {
        self.ready = true;
        let answer: Value = serde_json::from_slice(body).unwrap_or_default();
        let is_retriggered = answer["error"]["data"]["retriggerRequest"] == true;
        if let Some(preview) = self.recomputed_previews.remove(id) {
            self.pass_on_preview(&preview, answer);
        }
        let Some(trial) = &mut self.trial else {
            return;
        };
        let Some(path) = trial.probes.remove(id) else {
            return;
        };
        if is_retriggered {
            self.probe(path);
        } else if trial.probes.is_empty() {
            self.trial = None;
            self.start_trial(Instant::now());
        }
    }

    /// Requests a refresh of the data that the client has from an earlier worker.
    fn refresh(&mut self) {
        let client = self.client;
        let wanted = [
            (
                client.pulls_diagnostics && client.refreshes_diagnostics,
                "workspace/diagnostic/refresh",
            ),
            (client.refreshes_inlay_hints, "workspace/inlayHint/refresh"),
            (client.refreshes_tokens, "workspace/semanticTokens/refresh"),
            (client.refreshes_lenses, "workspace/codeLens/refresh"),
        ];
        for (_, method) in wanted.into_iter().filter(|(wanted, _)| *wanted) {
            let id = self.new_id("refresh");
            self.outbox.request(&Request::build(method).id(id).finish());
        }
    }

    fn open_in_worker(&mut self, path: &FilePath) {
        if let Some(document) = self.documents.get(path) {
            let is_visible = document.visibility() == Visibility::Visible;
            let params = document.opened(self.encoding);
            self.tell_worker("textDocument/didOpen", params);
            if is_visible {
                self.recompute_previews(path);
            }
        }
    }

    fn new_id(&mut self, purpose: &str) -> Id {
        self.next_id += 1;
        Id::String(format!("{ID_PREFIX}{purpose}/{}", self.next_id))
    }

    fn ask_worker(&mut self, id: &Id, method: &str, params: Value) {
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.forward(message.to_string().into_bytes());
    }

    fn tell_worker(&mut self, method: &str, params: Value) {
        let message = json!({"jsonrpc": "2.0", "method": method, "params": params});
        self.forward(message.to_string().into_bytes());
    }

    fn log(&self, typ: MessageType, message: String) {
        let params = LogMessageParams { typ, message };
        self.outbox.notify(LogMessage::METHOD, &params);
    }
}
