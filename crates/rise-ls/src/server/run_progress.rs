//! Progress reports for runs of programs.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tower_lsp::jsonrpc::Id;
use tower_lsp::lsp_types::notification::Progress;
use tower_lsp::lsp_types::request::WorkDoneProgressCreate;
use tower_lsp::lsp_types::{
    NumberOrString, ProgressParams, ProgressParamsValue, ProgressToken, WorkDoneProgress,
    WorkDoneProgressBegin, WorkDoneProgressCreateParams, WorkDoneProgressEnd,
    WorkDoneProgressReport,
};

use super::client::Client;

/// The progress report of one run. Its token is that of the client's request, or a new one for
/// which the client first has to create a report.
#[derive(Clone, Debug)]
pub struct RunProgress(Arc<Mutex<Inner>>);

#[derive(Debug)]
struct Inner {
    client: Client,
    token: Option<ProgressToken>,
    title: String,
    state: State,
    /// The current stage of the run.
    stage: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The client was requested to create a report.
    Requested,
    /// The client shows the report.
    Shown,
    /// The client does not show a report.
    Hidden,
}

impl RunProgress {
    /// Creates a progress report, and begins it if the request has a token.
    pub fn new(client: Client, title: String, token: Option<ProgressToken>) -> RunProgress {
        let begins = token.is_some();
        let progress = RunProgress(Arc::new(Mutex::new(Inner {
            client,
            token,
            title,
            state: State::Hidden,
            stage: None,
        })));
        if begins {
            progress.lock().begin();
        }
        progress
    }

    /// Asks the client to create a progress report, and returns the id of this request. Returns
    /// `None` if the report has a token already.
    pub fn request(&self, number: u64) -> Option<Id> {
        let mut inner = self.lock();
        if inner.token.is_some() {
            return None;
        }
        let token = NumberOrString::String(format!("rise/run/{number}"));
        inner.token = Some(token.clone());
        inner.state = State::Requested;
        let params = WorkDoneProgressCreateParams { token };
        Some(inner.client.request::<WorkDoneProgressCreate>(&params))
    }

    /// Handles the client's answer to the request.
    pub fn created(&self, yes: bool) {
        let mut inner = self.lock();
        match inner.state {
            State::Requested if yes => inner.begin(),
            State::Requested => inner.state = State::Hidden,
            State::Shown | State::Hidden => {}
        }
    }

    /// Reports the current stage of the run.
    pub fn report(&self, stage: &str) {
        let mut inner = self.lock();
        inner.stage = Some(stage.to_owned());
        if inner.state == State::Shown {
            inner.send(WorkDoneProgress::Report(WorkDoneProgressReport {
                cancellable: None,
                message: Some(stage.to_owned()),
                percentage: None,
            }));
        }
    }

    /// Ends the report. Later stages are not shown.
    pub fn end(&self, how: &str) {
        let mut inner = self.lock();
        if inner.state == State::Shown {
            inner.send(WorkDoneProgress::End(WorkDoneProgressEnd {
                message: Some(how.to_owned()),
            }));
        }
        inner.state = State::Hidden;
    }

    /// Returns true if the report has this token.
    pub fn has_token(&self, token: &ProgressToken) -> bool {
        self.lock().token.as_ref() == Some(token)
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn begin(&mut self) {
        self.state = State::Shown;
        self.send(WorkDoneProgress::Begin(WorkDoneProgressBegin {
            title: self.title.clone(),
            cancellable: Some(true),
            message: self.stage.clone(),
            percentage: None,
        }));
    }

    fn send(&self, progress: WorkDoneProgress) {
        if let Some(token) = self.token.clone() {
            let value = ProgressParamsValue::WorkDone(progress);
            self.client
                .notify::<Progress>(&ProgressParams { token, value });
        }
    }
}
