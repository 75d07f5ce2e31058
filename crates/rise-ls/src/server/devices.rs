//! The devices that OpenCL programs run on: which there are, and which one programs are checked
//! for. Drivers are started by a process of their own, and only when the user has named a device,
//! asks which there are, or runs a program on one.

use std::sync::Arc;
use std::time::Duration;

use runtime::ocl::DeviceInfo;
use runtime::process::{Cancel, Limits};
use serde::Serialize;
use tower_lsp::jsonrpc::{ErrorCode, Id};
use tower_lsp::lsp_types::MessageType;

use super::event::{Event, Reply, error};
use super::run_progress::RunProgress;
use super::session::Session;
use super::wire::Json;
use crate::run::{self, Failure};

/// The request that asks which devices there are.
pub(super) const DEVICES: &str = "rise/devices";
/// How long drivers may take to say what they have.
const TIME_LIMIT: Duration = Duration::from_secs(30);

/// The answer to `rise/devices`.
#[derive(Debug, Serialize)]
struct Devices {
    devices: Vec<DeviceInfo>,
    /// Why there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// What came of a search for a device.
#[derive(Debug)]
pub struct Found {
    /// What the settings said of it when it was searched; nothing if a program chose it.
    wanted: Arc<str>,
    device: Result<Box<DeviceInfo>, String>,
}

impl Session {
    /// `rise/devices`
    pub(super) fn devices_request(&mut self, id: &Id, reply: &Reply) {
        if !self.view.settings.run.enabled {
            reply.send(Err(self.turned_off()));
            return;
        }
        let (answer, title) = (reply.clone(), "Looking for devices".to_owned());
        let progress = RunProgress::new(self.client.clone(), title, None);
        let work = move |cancel: &Cancel| {
            let (devices, error) = match run::devices(&limits(cancel)) {
                Ok(devices) => (devices, None),
                Err(Failure::Cancelled) => return cancelled(&answer),
                Err(failure) => (Vec::new(), Some(run::failure_json(&failure).error)),
            };
            answer.send(Ok(Json::of(&Devices { devices, error })));
        };
        self.runs.start(id.clone(), reply, progress, work);
    }

    /// Looks for the device that the settings name, in the background; without one, programs are
    /// checked for a usual device again.
    pub(super) fn look_for_device(&mut self) {
        let wanted = self.view.settings.device.clone();
        if wanted.is_empty() || !self.view.settings.run.enabled {
            self.device_is(None);
            return;
        }
        let events = self.reports.events.clone();
        let search = move |cancel: &Cancel| {
            let found = run::device(Some(&wanted), &limits(cancel));
            let device = found.map(Box::new).map_err(|failure| {
                let why = run::failure_json(&failure).error;
                format!("`rise.device`: {why}")
            });
            // After the loop has ended nobody wants to know.
            let _ = events.send(Event::Device(Found { wanted, device }));
        };
        self.in_background(search);
    }

    /// A program has run on the device with this name: where the settings name none, it is the one
    /// that programs are for.
    pub(super) fn ran_on(&mut self, name: String) {
        if !self.view.settings.device.is_empty() || self.view.device.as_deref() == Some(&*name) {
            return;
        }
        let events = self.reports.events.clone();
        let search = move |cancel: &Cancel| {
            // They are known since that run.
            let all = run::devices(&limits(cancel)).unwrap_or_default();
            if let Some(device) = all.into_iter().find(|device| device.name == name) {
                let (wanted, device) = (Arc::default(), Ok(Box::new(device)));
                let _ = events.send(Event::Device(Found { wanted, device }));
            }
        };
        self.in_background(search);
    }

    /// A search is over; what was found counts unless the settings have changed meanwhile.
    pub(super) fn device_found(&mut self, found: Found) {
        if found.wanted != self.view.settings.device {
            return;
        }
        match found.device {
            Ok(device) => self.device_is(Some(&device)),
            Err(why) => {
                self.client.log(MessageType::WARNING, why);
                self.device_is(None);
            }
        }
    }

    /// Programs are for this device from now on.
    fn device_is(&mut self, device: Option<&DeviceInfo>) {
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

    /// A thread that the end of the session stops.
    fn in_background(&mut self, search: impl FnOnce(&Cancel) + Send + 'static) {
        self.run_number += 1;
        let id = Id::String(format!("rise/device/{}", self.run_number));
        let (reply, _) = Reply::new();
        let title = "Looking for a device".to_owned();
        let progress = RunProgress::new(self.client.clone(), title, None);
        self.runs.start(id, &reply, progress, search);
    }
}

fn limits(cancel: &Cancel) -> Limits {
    Limits {
        time: Some(TIME_LIMIT),
        cancel: cancel.clone(),
    }
}

fn cancelled(answer: &Reply) {
    let reason = "the search was stopped";
    answer.send(Err(error(ErrorCode::RequestCancelled, reason)));
}
