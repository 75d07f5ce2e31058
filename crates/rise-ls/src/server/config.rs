//! What the user has set, and what the client can do.

use std::path::PathBuf;
use std::sync::Arc;

use super::handlers::lenses;
use super::runs::RunSettings;
use ide::{AccessFlow, InlayConfig};
use serde_json::Value;

/// The settings below `rise`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// `rise.inlayHints`
    pub inlay_hints: InlayConfig,
    /// `rise.lens`
    pub lens: LensSettings,
    /// `rise.run`
    pub run: RunSettings,
    /// `rise.device`: a part of the name of the device that OpenCL programs are for; any if it is
    /// empty.
    pub device: Arc<str>,
    /// `rise.imports.folders`: folders outside of the workspace from which files may be imported.
    pub import_folders: Arc<[PathBuf]>,
    /// `rise.diagnostics.obligations`: whether what definitions assume is listed with what is wrong.
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

/// Which lenses are offered above definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LensSettings {
    /// `rise.lens.run`: Run, and Run on a device.
    pub run: bool,
    /// `rise.lens.preview`
    pub preview: bool,
    /// `rise.lens.lower`
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
    /// Reads settings over the defaults, and says what in them has the wrong form. `value` is the
    /// `rise` section, or an object that holds it.
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

/// What the client can do, as far as it matters here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClientTraits {
    /// It shows diagnostics, so that a hover need not repeat them.
    pub shows_diagnostics: bool,
    /// It asks for diagnostics, so that they need not be sent. A client that cannot be asked to ask
    /// again is sent them, if it takes them: it would not learn that those of a document have changed
    /// because a file has that the document imports.
    pub pulls_diagnostics: bool,
    /// It takes the diagnostics of other documents with those that it asks for, and has no other way to
    /// learn that they have changed.
    pub relates_diagnostics: bool,
    /// It can be asked to ask for diagnostics again.
    pub refreshes_diagnostics: bool,
    /// It can be asked to ask for inlay hints again.
    pub refreshes_inlay_hints: bool,
    /// It can be asked to ask for semantic tokens again.
    pub refreshes_tokens: bool,
    /// It can be asked to ask for code lenses again.
    pub refreshes_lenses: bool,
    /// It answers `workspace/configuration`.
    pub has_configuration: bool,
    /// It lets us ask for changed settings.
    pub registers_configuration: bool,
    /// It watches files for us.
    pub watches_files: bool,
    /// It shows progress that we begin.
    pub shows_progress: bool,
    /// It understands `LocationLink`s.
    pub definition_links: bool,
    /// It understands `LocationLink`s for type definitions.
    pub type_definition_links: bool,
    /// It understands nested document symbols.
    pub nested_symbols: bool,
    /// It understands snippets.
    pub snippets: bool,
    /// It shows details beside the labels of completions.
    pub label_details: bool,
    /// It understands edits with versions.
    pub versioned_edits: bool,
    /// It shows code actions that cannot be chosen.
    pub disabled_actions: bool,
    /// It can fold parts of lines only as whole lines.
    pub folds_lines_only: bool,
    /// It understands code actions (and not only commands).
    pub code_actions: bool,
    /// It asks for the edit of a code action when the user has chosen it.
    pub resolves_edits: bool,
    /// It wants documentation as Markdown.
    pub hover_markdown: bool,
    /// It says which commands it has for what the server offers.
    pub has_commands: bool,
    /// It has a command that shows a definition in one of its forms.
    pub previews: bool,
    /// It has a command that runs a definition.
    pub runs: bool,
    /// It has a command that writes a rewrite down as a step of a strategy.
    pub records: bool,
    /// It has a command that asks for the arguments of a strategy.
    pub asks: bool,
    /// It has a command that lowers a definition.
    pub lowers: bool,
    /// It has a command that applies a strategy to a definition.
    pub rewrites: bool,
}

impl ClientTraits {
    /// Reads the client's capabilities. They are read as they were sent: `lsp_types` has another
    /// name for some of them than the protocol.
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
            previews: commands.contains(&lenses::PREVIEW),
            runs: commands.contains(&lenses::RUN),
            records: commands.contains(&super::handlers::rewrites::RECORD),
            asks: commands.contains(&super::handlers::more::APPLY_WITH),
            lowers: commands.contains(&lenses::LOWER),
            rewrites: commands.contains(&lenses::REWRITE),
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
