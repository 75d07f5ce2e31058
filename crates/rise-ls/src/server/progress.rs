//! Progress reports for reading the workspace.

use tower_lsp::jsonrpc::Id;
use tower_lsp::lsp_types::notification::Progress as ProgressNotification;
use tower_lsp::lsp_types::request::WorkDoneProgressCreate;
use tower_lsp::lsp_types::{
    ProgressParams, ProgressParamsValue, ProgressToken, WorkDoneProgress, WorkDoneProgressBegin,
    WorkDoneProgressCreateParams, WorkDoneProgressEnd, WorkDoneProgressReport,
};

use super::client::Client;

/// The progress report in the client, which the client first has to create.
#[derive(Debug)]
pub struct Progress {
    client: Client,
    state: State,
    count: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// There is nothing to show.
    Idle,
    /// The client was requested to create a report. If the work has ended meanwhile, `ended` is the
    /// number of files.
    Requested { ended: Option<usize> },
    /// The client shows the report.
    Shown,
}

impl Progress {
    pub fn new(client: Client) -> Self {
        Progress {
            client,
            state: State::Idle,
            count: 0,
        }
    }

    /// Requests a progress report, unless there is one already.
    pub fn request(&mut self) -> Option<Id> {
        if self.state != State::Idle {
            return None;
        }
        self.state = State::Requested { ended: None };
        self.count += 1;
        let params = WorkDoneProgressCreateParams {
            token: self.token(),
        };
        Some(self.client.request::<WorkDoneProgressCreate>(&params))
    }

    /// Handles the client's answer to the request.
    pub fn created(&mut self, yes: bool) {
        let State::Requested { ended } = self.state else {
            return;
        };
        if !yes {
            self.state = State::Idle;
            return;
        }
        self.state = State::Shown;
        self.send(WorkDoneProgress::Begin(WorkDoneProgressBegin {
            title: "Reading RISE files".into(),
            cancellable: Some(false),
            message: None,
            percentage: Some(0),
        }));
        if let Some(total) = ended {
            self.end(total);
        }
    }

    /// Reports that `done` of `total` files are read.
    pub fn report(&mut self, done: usize, total: usize) {
        if self.state == State::Shown {
            let percentage = u32::try_from(done * 100 / total.max(1)).ok();
            let message = Some(format!("{done} of {total}"));
            self.send(WorkDoneProgress::Report(WorkDoneProgressReport {
                cancellable: None,
                message,
                percentage,
            }));
        }
    }

    /// Reports that all files are read.
    pub fn end(&mut self, total: usize) {
        match self.state {
            State::Idle => {}
            State::Requested { .. } => self.state = State::Requested { ended: Some(total) },
            State::Shown => {
                let files = if total == 1 {
                    "1 file".to_owned()
                } else {
                    format!("{total} files")
                };
                self.send(WorkDoneProgress::End(WorkDoneProgressEnd {
                    message: Some(files),
                }));
                self.state = State::Idle;
            }
        }
    }

    fn token(&self) -> ProgressToken {
        ProgressToken::String(format!("rise/load/{}", self.count))
    }

    fn send(&self, progress: WorkDoneProgress) {
        let value = ProgressParamsValue::WorkDone(progress);
        self.client.notify::<ProgressNotification>(&ProgressParams {
            token: self.token(),
            value,
        });
    }
}
