//! The user's settings and the client's capabilities.

use std::path::PathBuf;
use std::sync::Arc;

use super::handlers::{code_action, code_lens};
use super::runs::RunSettings;
use ide::{AccessFlow, InlayConfig};
use serde_json::Value;

/// The settings in the section `rise`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The settings in the section `rise.inlayHints`.
    pub inlay_hints: InlayConfig,
    /// The settings in the section `rise.lens`.
    pub lens: LensSettings,
    /// The settings in the section `rise.run`.
    pub run: RunSettings,
    /// The setting `rise.device`: a part of the name of the device for which OpenCL programs are
    /// checked; empty for any device.
    pub device: Arc<str>,
    /// The setting `rise.imports.folders`: folders outside of the workspace from which files may be
    /// imported.
    pub import_folders: Arc<[PathBuf]>,
    /// The setting `rise.diagnostics.obligations`: true if obligations of definitions are reported
    /// as diagnostics.
    pub obligations: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            inlay_hints: InlayConfig::default(),
            lens: LensSettings::default(),
            run: RunSettings::default(),
            device: Arc::default(),
            import_folders: Arc::default(),
            obligations: true,
        }
    }
}

/// The code lenses that are shown above definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LensSettings {
    /// The setting `rise.lens.run`: true if lenses run a definition, also on a device.
    pub run: bool,
    /// The setting `rise.lens.preview`: true if a lens shows the preview of a definition.
    pub preview: bool,
    /// The setting `rise.lens.lower`: true if a lens lowers a definition with high-level patterns.
    pub lower: bool,
}

impl Default for LensSettings {
    fn default() -> Self {
        LensSettings {
            run: true,
            preview: true,
            lower: true,
        }
    }
}

impl Settings {
    /// Reads settings, with defaults for missing ones, and returns messages about those of the
    /// wrong form. `value` is the section `rise`, or an object that contains it.
    pub fn read(value: &Value) -> (Settings, Vec<String>) {
        let mut settings = Settings::default();
        let mut problems = Vec::new();
        let section = value.get("rise").unwrap_or(value);
        if !section.is_null() && !section.is_object() {
            problems.push("the settings of `rise` are no object".to_owned());
        }
        let hints = &section["inlayHints"];
        let chosen = &mut settings.inlay_hints;
        let lens = &mut settings.lens;
        let switches = [
            ("inlayHints", "parameters", &mut chosen.parameters),
            ("inlayHints", "definitions", &mut chosen.definitions),
            ("inlayHints", "pipelines", &mut chosen.pipelines),
            ("inlayHints", "implicitArguments", &mut chosen.implicits),
            ("inlayHints", "barriers", &mut chosen.barriers),
            ("inlayHints", "values", &mut chosen.values),
            ("lens", "run", &mut lens.run),
            ("lens", "preview", &mut lens.preview),
            ("lens", "lower", &mut lens.lower),
        ];
        for (group, name, switch) in switches {
            match &section[group][name] {
                Value::Null => {}
                Value::Bool(on) => *switch = *on,
                _ => problems.push(format!("`rise.{group}.{name}` is neither true nor false")),
            }
        }
        match &hints["accessFlow"] {
            Value::Null => {}
            value => match value.as_str().and_then(AccessFlow::from_name) {
                Some(flow) => chosen.access_flow = flow,
                None => problems.push(
                    "`rise.inlayHints.accessFlow` is not `off`, `compact` or `full`".to_owned(),
                ),
            },
        }
        match &hints["maxLength"] {
            Value::Null => {}
            length => match length
                .as_u64()
                .and_then(|length| usize::try_from(length).ok())
            {
                Some(length) if length > 0 => chosen.max_length = length,
                _ => {
                    problems.push("`rise.inlayHints.maxLength` is not a positive number".to_owned())
                }
            },
        }
        settings.run = RunSettings::read(&section["run"], &mut problems);
        match &section["device"] {
            Value::Null => {}
            Value::String(part) => settings.device = part.trim().into(),
            _ => problems.push("`rise.device` is not part of a device's name".to_owned()),
        }
        match &section["imports"]["folders"] {
            Value::Null => {}
            Value::Array(folders) if folders.iter().all(Value::is_string) => {
                let folders = folders.iter().filter_map(Value::as_str);
                settings.import_folders = folders.map(PathBuf::from).collect();
            }
            _ => problems.push("`rise.imports.folders` is not a list of folders".to_owned()),
        }
        match &section["diagnostics"]["obligations"] {
            Value::Null => {}
            Value::Bool(on) => settings.obligations = *on,
            _ => {
                problems.push("`rise.diagnostics.obligations` is neither true nor false".to_owned())
            }
        }
        (settings, problems)
    }
}

/// The capabilities of the client that the server depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClientTraits {
    /// The client shows diagnostics, so that a hover need not repeat them.
    pub shows_diagnostics: bool,
    /// The client pulls diagnostics, so that the server does not push them. If the client does not
    /// support a refresh, diagnostics are pushed, if it accepts that: otherwise it would not learn
    /// that an edit of an imported file has changed the diagnostics of a document.
    pub pulls_diagnostics: bool,
    /// The client accepts related documents in pulled diagnostics, and does not support a refresh.
    pub relates_diagnostics: bool,
    /// The client supports `workspace/diagnostic/refresh`.
    pub refreshes_diagnostics: bool,
    /// The client supports `workspace/inlayHint/refresh`.
    pub refreshes_inlay_hints: bool,
    /// The client supports `workspace/semanticTokens/refresh`.
    pub refreshes_tokens: bool,
    /// The client supports `workspace/codeLens/refresh`.
    pub refreshes_lenses: bool,
    /// The client answers `workspace/configuration`.
    pub has_configuration: bool,
    /// The client allows the server to register for changes of the configuration.
    pub registers_configuration: bool,
    /// The client watches files for the server.
    pub watches_files: bool,
    /// The client shows progress that the server creates.
    pub shows_progress: bool,
    /// The client supports `LocationLink` for definitions.
    pub definition_links: bool,
    /// The client supports `LocationLink` for type definitions.
    pub type_definition_links: bool,
    /// The client supports nested document symbols.
    pub nested_symbols: bool,
    /// The client supports snippets in completions.
    pub snippets: bool,
    /// The client shows details beside the labels of completions.
    pub label_details: bool,
    /// The client supports versioned document changes.
    pub versioned_edits: bool,
    /// The client shows disabled code actions.
    pub disabled_actions: bool,
    /// The client only folds whole lines.
    pub folds_lines_only: bool,
    /// The client supports code action literals, and not only commands.
    pub code_actions: bool,
    /// The client resolves the edit of a code action when the user selects it.
    pub resolves_edits: bool,
    /// The client accepts Markdown in hovers.
    pub hover_markdown: bool,
    /// The client announces its commands for the server's features.
    pub has_commands: bool,
    /// The client has a command that shows a preview of a definition.
    pub previews: bool,
    /// The client has a command that runs a definition.
    pub runs: bool,
    /// The client has a command that records a rewrite as a step of a strategy.
    pub records: bool,
    /// The client has a command that prompts for the arguments of a strategy.
    pub asks: bool,
    /// The client has a command that lowers a definition.
    pub lowers: bool,
    /// The client has a command that applies a strategy to a definition.
    pub rewrites: bool,
}

impl ClientTraits {
    /// Reads the client's capabilities from the raw JSON, because `lsp_types` names some of them
    /// differently than the protocol.
    pub fn read(json: &Value) -> ClientTraits {
        let has = |path: &str| json.pointer(path).and_then(Value::as_bool).unwrap_or(false);
        let lists = |path: &str, wanted: &str| {
            let list = json.pointer(path).and_then(Value::as_array);
            list.is_none_or(|list| list.iter().any(|item| item == wanted))
        };
        let commands = json
            .pointer("/experimental/rise/commands")
            .and_then(Value::as_array);
        let has_commands = commands.is_some();
        let can = |name: &str| json["textDocument"][name].is_object();
        let refreshes_diagnostics = has("/workspace/diagnostics/refreshSupport")
            || has("/workspace/diagnostic/refreshSupport");
        let pulls_diagnostics =
            can("diagnostic") && (refreshes_diagnostics || !can("publishDiagnostics"));
        let commands: Vec<&str> = commands
            .map(|all| all.iter().filter_map(Value::as_str).collect())
            .unwrap_or_default();
        ClientTraits {
            shows_diagnostics: can("publishDiagnostics") || can("diagnostic"),
            pulls_diagnostics,
            relates_diagnostics: pulls_diagnostics
                && !refreshes_diagnostics
                && has("/textDocument/diagnostic/relatedDocumentSupport"),
            refreshes_diagnostics,
            refreshes_inlay_hints: has("/workspace/inlayHint/refreshSupport"),
            refreshes_tokens: has("/workspace/semanticTokens/refreshSupport"),
            refreshes_lenses: has("/workspace/codeLens/refreshSupport"),
            has_configuration: has("/workspace/configuration"),
            registers_configuration: has("/workspace/didChangeConfiguration/dynamicRegistration"),
            watches_files: has("/workspace/didChangeWatchedFiles/dynamicRegistration"),
            shows_progress: has("/window/workDoneProgress"),
            definition_links: has("/textDocument/definition/linkSupport"),
            type_definition_links: has("/textDocument/typeDefinition/linkSupport"),
            nested_symbols: has("/textDocument/documentSymbol/hierarchicalDocumentSymbolSupport"),
            snippets: has("/textDocument/completion/completionItem/snippetSupport"),
            label_details: has("/textDocument/completion/completionItem/labelDetailsSupport"),
            versioned_edits: has("/workspace/workspaceEdit/documentChanges"),
            disabled_actions: has("/textDocument/codeAction/disabledSupport"),
            folds_lines_only: has("/textDocument/foldingRange/lineFoldingOnly"),
            code_actions: json
                .pointer("/textDocument/codeAction/codeActionLiteralSupport")
                .is_some_and(Value::is_object),
            resolves_edits: json
                .pointer("/textDocument/codeAction/resolveSupport/properties")
                .is_some_and(Value::is_array)
                && lists("/textDocument/codeAction/resolveSupport/properties", "edit"),
            hover_markdown: lists("/textDocument/hover/contentFormat", "markdown"),
            has_commands,
            previews: commands.contains(&code_lens::PREVIEW),
            runs: commands.contains(&code_lens::RUN),
            records: commands.contains(&code_action::RECORD),
            asks: commands.contains(&code_action::APPLY_WITH),
            lowers: commands.contains(&code_lens::LOWER),
            rewrites: commands.contains(&code_lens::REWRITE),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn settings_are_read_with_or_without_their_section() {
        let value = json!({"inlayHints": {
            "parameters": false,
            "implicitArguments": true,
            "accessFlow": "full",
            "values": true,
            "maxLength": 20,
        }});
        let (settings, problems) = Settings::read(&value);
        let expected = InlayConfig {
            parameters: false,
            implicits: true,
            access_flow: AccessFlow::Full,
            values: true,
            max_length: 20,
            ..InlayConfig::default()
        };
        assert_eq!((settings.inlay_hints, problems), (expected, vec![]));
        assert_eq!(Settings::read(&json!({"rise": value})).0, settings);
        assert_eq!(Settings::read(&Value::Null), (Settings::default(), vec![]));
        let device = Settings::read(&json!({"device": " H200 "})).0.device;
        assert_eq!(&*device, "H200");
    }

    #[test]
    fn a_setting_of_the_wrong_form_is_named_and_keeps_its_default() {
        let (settings, problems) = Settings::read(&json!({
            "inlayHints": {"pipelines": 1, "accessFlow": true, "maxLength": -4},
            "device": 0,
        }));
        assert_eq!(settings, Settings::default());
        assert_eq!(
            problems,
            [
                "`rise.inlayHints.pipelines` is neither true nor false",
                "`rise.inlayHints.accessFlow` is not `off`, `compact` or `full`",
                "`rise.inlayHints.maxLength` is not a positive number",
                "`rise.device` is not part of a device's name"
            ]
        );
        assert_eq!(
            Settings::read(&json!([1])).1,
            ["the settings of `rise` are no object"]
        );
    }

    #[test]
    fn clients_that_say_nothing_get_the_simplest_answers() {
        let traits = ClientTraits::read(&json!({}));
        assert_eq!(
            traits,
            ClientTraits {
                hover_markdown: true,
                ..ClientTraits::default()
            }
        );
    }
}
