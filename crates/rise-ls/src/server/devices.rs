//! The devices on which OpenCL programs run: lists them, and selects the one for which programs are
//! checked. A worker process loads the drivers, and only when the user names a device, requests the
//! list, or runs a program on one.

use std::sync::Arc;
use std::time::Duration;

use runtime::ocl::DeviceInfo;
use runtime::process::{Cancel, Limits, TimeLimit};
use serde::Serialize;
use tower_lsp::jsonrpc::ErrorCode;
use tower_lsp::lsp_types::MessageType;

use super::event::{Event, Reply, error};
use super::run_progress::RunProgress;
use super::session::Session;
use crate::run::{self, Failure};

/// The time limit for drivers to list their devices.
const TIME_LIMIT: Duration = Duration::from_secs(30);

/// The answer to `rise/devices`.
#[derive(Debug, Serialize)]
pub struct DeviceList {
    devices: Vec<DeviceInfo>,
    /// The reason why there are no devices.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// The result of a search for a device.
#[derive(Debug)]
pub struct DeviceSearchResult {
    /// The setting `rise.device` when the search began; empty if a program selected the device.
    wanted: Arc<str>,
    device: Result<Box<DeviceInfo>, String>,
}

impl Session {
    /// Handles `rise/devices`.
    pub(super) fn devices_request(&mut self, cancel: Cancel, reply: &Reply<DeviceList>) {
        if !self.view.settings.run.enabled {
            reply.send(Err(self.runs_refused()));
            return;
        }
        let (answer, title) = (reply.clone(), "Looking for devices".to_owned());
        let progress = RunProgress::new(self.client.clone(), title, None);
        let work = move |cancel: &Cancel| {
            let (devices, error) = match run::devices(&limits(cancel)) {
                Ok(devices) => (devices, None),
                Err(Failure::Cancelled) => {
                    let reason = "the search for devices is cancelled";
                    return answer.send(Err(error(ErrorCode::RequestCancelled, reason)));
                }
                Err(failure) => (Vec::new(), Some(run::failure_json(&failure).error)),
            };
            answer.send(Ok(DeviceList { devices, error }));
        };
        self.runs.start(cancel, reply, progress, work);
    }

    /// Searches for the device of the settings in the background. Without the setting, or if runs
    /// are disabled, programs are checked for a default device again.
    pub(super) fn search_device(&mut self) {
        let wanted = self.view.settings.device.clone();
        if wanted.is_empty() || !self.view.settings.run.enabled {
            self.set_device(None);
            return;
        }
        let events = self.reports.events.clone();
        let search = move |cancel: &Cancel| {
            let found = run::device(Some(&wanted), &limits(cancel));
            let device = found.map(Box::new).map_err(|failure| {
                let why = run::failure_json(&failure).error;
                format!("`rise.device`: {why}")
            });
            // Sending fails if the main loop has ended.
            let _ = events.send(Event::Device(DeviceSearchResult { wanted, device }));
        };
        self.in_background(search);
    }

    /// Handles `Event::RanOn`: without the setting `rise.device`, programs are checked for the
    /// device on which one has run.
    pub(super) fn ran_on(&mut self, name: String) {
        if !self.view.settings.device.is_empty() || self.view.device.as_deref() == Some(&*name) {
            return;
        }
        let events = self.reports.events.clone();
        let search = move |cancel: &Cancel| {
            // The run has already enumerated them.
            let all = run::devices(&limits(cancel)).unwrap_or_default();
            if let Some(device) = all.into_iter().find(|device| device.name == name) {
                let (wanted, device) = (Arc::default(), Ok(Box::new(device)));
                let _ = events.send(Event::Device(DeviceSearchResult { wanted, device }));
            }
        };
        self.in_background(search);
    }

    /// Handles `Event::Device`. The result is ignored if the setting has changed since the search
    /// began.
    pub(super) fn device_found(&mut self, found: DeviceSearchResult) {
        if found.wanted != self.view.settings.device {
            return;
        }
        match found.device {
            Ok(device) => self.set_device(Some(&device)),
            Err(why) => {
                self.client.log(MessageType::WARNING, why);
                self.set_device(None);
            }
        }
    }

    /// Sets the device for which programs are checked.
    fn set_device(&mut self, device: Option<&DeviceInfo>) {
        let name: Option<Arc<str>> = device.map(|device| device.name.as_str().into());
        let description = device.map(DeviceInfo::description).unwrap_or_default();
        if self.view.device == name && *self.db.device() == description {
            return;
        }
        self.before_change();
        self.revision += 1;
        self.db.set_device(Some(description));
        Arc::make_mut(&mut self.view).device = name;
        self.refresh();
    }

    /// Runs a search on a thread that is cancelled when the session ends.
    fn in_background(&mut self, search: impl FnOnce(&Cancel) + Send + 'static) {
        let (reply, _) = Reply::<()>::new();
        let title = "Looking for a device".to_owned();
        let progress = RunProgress::new(self.client.clone(), title, None);
        let cancel = Cancel::default();
        self.runs.start(cancel, &reply, progress, search);
    }
}

fn limits(cancel: &Cancel) -> Limits {
    Limits {
        time: Some(TimeLimit::of_each_part(TIME_LIMIT)),
        cancel: cancel.clone(),
    }
}
