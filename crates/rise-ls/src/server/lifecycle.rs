//! The lifecycle of a session: initialisation, settings and shutdown.

use std::path::PathBuf;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};
use tower_lsp::jsonrpc::ErrorCode;
use tower_lsp::lsp_types::{InitializeParams, InitializeResult, MessageType, ServerInfo};

use super::capabilities::capabilities;
use super::config::{ClientTraits, Settings};
use super::event::{Answer, error, invalid_params};
use super::positions::Encoding;
use super::session::{Expected, Session, Stage};
use super::sync::folder_paths;
use super::uri;
use super::wire::Json;

impl Session {
    /// Answers requests that depend on the stage of the session; `None` for other requests.
    pub(super) fn lifecycle_request(&mut self, method: &str, params: &Value) -> Option<Answer> {
        match (method, self.stage) {
            ("initialize", Stage::Fresh) => Some(self.initialize(params)),
            ("initialize", _) => Some(Err(error(
                ErrorCode::InvalidRequest,
                "the session is already initialized",
            ))),
            (_, Stage::Fresh) => Some(Err(error(
                ErrorCode::ServerError(-32002),
                "the session is not initialized",
            ))),
            (_, Stage::ShutDown | Stage::Over { .. }) => Some(Err(error(
                ErrorCode::InvalidRequest,
                "the session is shut down",
            ))),
            ("shutdown", Stage::Running) => {
                self.stage = Stage::ShutDown;
                self.runs.cancel_all();
                Some(Ok(Json::of(&())))
            }
            (_, Stage::Running) => None,
        }
    }

    fn initialize(&mut self, params: &Value) -> Answer {
        let offered = &params["capabilities"];
        let params = InitializeParams::deserialize(params).map_err(invalid_params)?;
        let general = params.capabilities.general.as_ref();
        let view = Arc::make_mut(&mut self.view);
        view.encoding =
            Encoding::negotiate(general.and_then(|general| general.position_encodings.as_deref()));
        view.client = ClientTraits::read(offered);
        let (encoding, client) = (view.encoding, view.client);
        self.stage = Stage::Running;
        self.folders = folders(&params);
        self.update_roots();
        let options = params.initialization_options.unwrap_or_default();
        let section = options.get("rise").unwrap_or(&options);
        let knows = |token: &String| section["token"] == token.as_str();
        self.is_stranger = !self.token.as_ref().is_none_or(knows);
        self.configure(&options);
        // Later settings may come from a folder that is not trusted.
        self.runs_forbidden = self.is_stranger || !self.view.settings.run.enabled;
        Arc::make_mut(&mut self.view).settings.run.enabled = !self.runs_forbidden;
        Ok(Json::of(&InitializeResult {
            capabilities: capabilities(encoding, &client),
            server_info: Some(ServerInfo {
                name: env!("CARGO_PKG_NAME").into(),
                version: Some(env!("CARGO_PKG_VERSION").into()),
            }),
        }))
    }

    /// Handles `initialized`: registers capabilities, pulls the settings and reads the workspace.
    pub(super) fn initialized(&mut self) {
        let client = self.view.client;
        let mut registrations = Vec::new();
        if client.watches_files {
            registrations.push(json!({
                "id": "rise/files",
                "method": "workspace/didChangeWatchedFiles",
                "registerOptions": {"watchers": [{"globPattern": "**/*.{rise,dpia,elevate}"}]},
            }));
        }
        if client.registers_configuration {
            registrations.push(json!({
                "id": "rise/settings",
                "method": "workspace/didChangeConfiguration",
                "registerOptions": {"section": "rise"},
            }));
        }
        if !registrations.is_empty() {
            let params = json!({"registrations": registrations});
            let id = self.client.request("client/registerCapability", params);
            self.expected
                .insert(id, Expected::Consent("client/registerCapability"));
        }
        self.pull_settings();
        if !self.folders.is_empty() {
            self.load(self.folders.clone());
        }
    }

    /// Handles a change of the settings, which are in the message or have to be requested.
    pub(super) fn settings_changed(&mut self, params: &Value) {
        if self.view.client.has_configuration {
            self.pull_settings();
        } else if let Some(section) = params["settings"].get("rise") {
            self.configure(section);
        }
    }

    fn pull_settings(&mut self) {
        if self.view.client.has_configuration {
            let params = json!({"items": [{"section": "rise"}]});
            let id = self.client.request("workspace/configuration", params);
            self.expected.insert(id, Expected::Settings);
        }
    }

    /// Applies settings. `null` means that there are none, and keeps the current ones.
    pub(super) fn configure(&mut self, section: &Value) {
        if section.is_null() {
            return;
        }
        let (mut settings, problems) = Settings::read(section);
        settings.run.enabled &= !self.runs_forbidden;
        for problem in problems {
            self.client.log(MessageType::WARNING, problem);
        }
        if settings == self.view.settings {
            return;
        }
        let before = &self.view.settings;
        let of_device = |settings: &Settings| (settings.run.enabled, settings.device.clone());
        let other_device = of_device(before) != of_device(&settings);
        let other_diagnostics = before.obligations != settings.obligations;
        let other_lenses = before.lens != settings.lens || other_device;
        Arc::make_mut(&mut self.view).settings = settings;
        self.update_roots();
        if !self.view.settings.run.enabled {
            self.runs.cancel_all();
        }
        // Settings that arrive before `initialized` may still be overridden.
        if other_device && self.stage == Stage::Running {
            self.look_for_device();
        }
        if other_diagnostics {
            self.revision += 1;
            self.stale = true;
            if self.view.client.refreshes_diagnostics && self.stage == Stage::Running {
                self.ask("workspace/diagnostic/refresh");
            }
        }
        if self.view.client.refreshes_inlay_hints && self.stage == Stage::Running {
            self.ask("workspace/inlayHint/refresh");
        }
        if other_lenses && self.view.client.refreshes_lenses && self.stage == Stage::Running {
            self.ask("workspace/codeLens/refresh");
        }
    }
}

#[allow(deprecated, reason = "clients that know no folders name a root")]
fn folders(params: &InitializeParams) -> Vec<PathBuf> {
    if let Some(folders) = &params.workspace_folders {
        return folder_paths(folders);
    }
    let uri = params
        .root_uri
        .as_ref()
        .map(|uri| uri::to_path(uri.as_str()));
    let root = uri.and_then(|path| path.as_disk().map(PathBuf::from));
    root.or_else(|| params.root_path.as_ref().map(PathBuf::from))
        .into_iter()
        .collect()
}
