//! The lifecycle of a session: initialisation, settings and shutdown.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};
use tower_lsp::lsp_types::notification::{
    DidChangeConfiguration, DidChangeWatchedFiles, Notification,
};
use tower_lsp::lsp_types::request::{
    CodeLensRefresh, InlayHintRefreshRequest, RegisterCapability, Request, WorkspaceConfiguration,
    WorkspaceDiagnosticRefresh,
};
use tower_lsp::lsp_types::{
    ConfigurationItem, ConfigurationParams, InitializeParams, InitializeResult, MessageType,
    Registration, RegistrationParams, ServerInfo,
};

use super::capabilities::capabilities;
use super::client::to_value;
use super::config::{ClientCapabilities, Settings};
use super::positions::Encoding;
use super::session::{ExpectedResponse, Session};
use super::sync::folder_paths;
use super::uri;

impl Session {
    /// Handles `initialize`: reads the client's capabilities, folders and options.
    pub(super) fn initialize(&mut self, params: InitializeParams) -> InitializeResult {
        let general = params.capabilities.general.as_ref();
        let view = Arc::make_mut(&mut self.view);
        view.encoding =
            Encoding::negotiate(general.and_then(|general| general.position_encodings.as_deref()));
        view.client = ClientCapabilities::read(&to_value(&params.capabilities));
        let (encoding, client) = (view.encoding, view.client);
        self.folders = folders(&params);
        self.update_roots();
        let options = params.initialization_options.unwrap_or_default();
        let section = options.get("rise").unwrap_or(&options);
        let knows = |token: &String| section["token"] == token.as_str();
        self.lacks_token = !self.token.as_ref().is_none_or(knows);
        self.configure(&options);
        // Later settings may come from a folder that is not trusted.
        self.runs_forbidden = self.lacks_token || !self.view.settings.run.enabled;
        Arc::make_mut(&mut self.view).settings.run.enabled = !self.runs_forbidden;
        InitializeResult {
            capabilities: capabilities(encoding, &client),
            server_info: Some(ServerInfo {
                name: env!("CARGO_PKG_NAME").into(),
                version: Some(env!("CARGO_PKG_VERSION").into()),
            }),
        }
    }

    /// Handles `initialized`: registers capabilities, pulls the settings and reads the workspace.
    pub(super) fn initialized(&mut self) {
        let client = self.view.client;
        let mut registrations = Vec::new();
        if client.watches_files {
            registrations.push(Registration {
                id: "rise/files".into(),
                method: DidChangeWatchedFiles::METHOD.into(),
                register_options: Some(
                    json!({"watchers": [{"globPattern": "**/*.{rise,dpia,elevate}"}]}),
                ),
            });
        }
        if client.registers_configuration {
            registrations.push(Registration {
                id: "rise/settings".into(),
                method: DidChangeConfiguration::METHOD.into(),
                register_options: Some(json!({"section": "rise"})),
            });
        }
        if !registrations.is_empty() {
            let params = RegistrationParams { registrations };
            let id = self.client.request::<RegisterCapability>(&params);
            let expected = ExpectedResponse::Acknowledgement(RegisterCapability::METHOD);
            self.expected.insert(id, expected);
        }
        self.pull_settings();
        if !self.folders.is_empty() {
            self.load(self.folders.clone());
        }
    }

    /// Handles a change of the settings, which are in the message or have to be requested.
    pub(super) fn settings_changed(&mut self, settings: &Value) {
        if self.view.client.has_configuration {
            self.pull_settings();
        } else if let Some(section) = settings.get("rise") {
            self.configure(section);
        }
    }

    fn pull_settings(&mut self) {
        if self.view.client.has_configuration {
            let items = vec![ConfigurationItem {
                scope_uri: None,
                section: Some("rise".into()),
            }];
            let params = ConfigurationParams { items };
            let id = self.client.request::<WorkspaceConfiguration>(&params);
            self.expected.insert(id, ExpectedResponse::Settings);
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
        let other_diagnostics = before.diagnostics != settings.diagnostics;
        let other_lenses = before.lens != settings.lens || other_device;
        Arc::make_mut(&mut self.view).settings = settings;
        self.update_roots();
        if !self.view.settings.run.enabled {
            self.runs.cancel_all();
        }
        if other_device {
            self.search_device();
        }
        if other_diagnostics {
            self.revision += 1;
            self.stale = true;
            if self.view.client.refreshes_diagnostics {
                self.request::<WorkspaceDiagnosticRefresh>();
            }
        }
        if self.view.client.refreshes_inlay_hints {
            self.request::<InlayHintRefreshRequest>();
        }
        if other_lenses && self.view.client.refreshes_lenses {
            self.request::<CodeLensRefresh>();
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
