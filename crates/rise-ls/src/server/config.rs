//! The user's settings and the client's capabilities.

use std::iter;
use std::path::PathBuf;
use std::sync::Arc;

use super::handlers::{code_action, code_lens};
use super::run_threads::RunSettings;
use ide::{AccessFlow, InlayConfig};
use serde::Deserialize;
use serde::de::{Deserializer, Error as _};
use serde_json::Value;
use serde_path_to_error::Segment;

/// The settings in the section `rise`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Settings {
    /// The settings in the section `rise.inlayHints`.
    #[serde(deserialize_with = "inlay_hints")]
    pub inlay_hints: InlayConfig,
    /// The settings in the section `rise.lens`.
    pub lens: LensSettings,
    /// The settings in the section `rise.run`.
    pub run: RunSettings,
    /// The setting `rise.device`: a part of the name or platform of a device, or its number. OpenCL
    /// programs are checked for this device, and run on it by default. Empty if no device is set.
    #[serde(deserialize_with = "trimmed")]
    pub device: Arc<str>,
    /// The setting `rise.imports`.
    pub imports: ImportSettings,
    /// The setting `rise.diagnostics`.
    pub diagnostics: DiagnosticSettings,
}

/// The code lenses that are shown above definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct LensSettings {
    /// The setting `rise.lens.run`: true if the code lenses that run a definition, on the host or
    /// on a device, are shown.
    pub run: bool,
    /// The setting `rise.lens.preview`: true if the code lens that opens the preview of a
    /// definition is shown.
    pub preview: bool,
    /// The setting `rise.lens.lower`: true if the code lens that lowers or rewrites a definition is
    /// shown above definitions with high-level patterns.
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

/// The settings of imports.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ImportSettings {
    /// The setting `rise.imports.folders`: folders outside of the workspace from which files may be
    /// imported.
    pub folders: Vec<PathBuf>,
}

/// The settings of diagnostics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct DiagnosticSettings {
    /// The setting `rise.diagnostics.obligations`: true if obligations of definitions are reported
    /// as diagnostics.
    pub obligations: bool,
    /// The setting `rise.diagnostics.performance`: true if performance hints are reported, and
    /// hovers show estimated times.
    pub performance: bool,
}

impl Default for DiagnosticSettings {
    fn default() -> Self {
        DiagnosticSettings {
            obligations: true,
            performance: true,
        }
    }
}

/// The setting `rise.inlayHints`, whose fields are those of [`InlayConfig`].
#[derive(Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct InlayHintSettings {
    parameters: bool,
    definitions: bool,
    pipelines: bool,
    implicit_arguments: bool,
    barriers: bool,
    values: bool,
    #[serde(deserialize_with = "access_flow")]
    access_flow: AccessFlow,
    #[serde(deserialize_with = "positive")]
    max_length: usize,
}

impl Default for InlayHintSettings {
    fn default() -> Self {
        let hints = InlayConfig::default();
        InlayHintSettings {
            parameters: hints.parameters,
            definitions: hints.definitions,
            pipelines: hints.pipelines,
            implicit_arguments: hints.implicits,
            barriers: hints.barriers,
            values: hints.values,
            access_flow: hints.access_flow,
            max_length: hints.max_length,
        }
    }
}

fn inlay_hints<'de, D: Deserializer<'de>>(section: D) -> Result<InlayConfig, D::Error> {
    let hints = InlayHintSettings::deserialize(section)?;
    Ok(InlayConfig {
        parameters: hints.parameters,
        definitions: hints.definitions,
        pipelines: hints.pipelines,
        implicits: hints.implicit_arguments,
        barriers: hints.barriers,
        values: hints.values,
        access_flow: hints.access_flow,
        max_length: hints.max_length,
    })
}

fn access_flow<'de, D: Deserializer<'de>>(name: D) -> Result<AccessFlow, D::Error> {
    let name = Value::deserialize(name)?;
    let flow = name.as_str().and_then(AccessFlow::from_name);
    flow.ok_or_else(|| D::Error::custom(format_args!("{name} is not `off`, `compact` or `full`")))
}

fn positive<'de, D: Deserializer<'de>>(number: D) -> Result<usize, D::Error> {
    let number = Value::deserialize(number)?;
    let positive = number.as_u64().and_then(|number| number.try_into().ok());
    positive
        .filter(|&number| number > 0)
        .ok_or_else(|| D::Error::custom(format_args!("{number} is not a positive number")))
}

fn trimmed<'de, D: Deserializer<'de>>(name: D) -> Result<Arc<str>, D::Error> {
    String::deserialize(name).map(|name| name.trim().into())
}

impl Settings {
    /// Reads settings, with defaults for missing ones and those of the wrong form, and returns
    /// messages about the latter. `value` is the section `rise`, or an object that contains it.
    pub fn read(value: &Value) -> (Settings, Vec<String>) {
        let mut section = value.get("rise").unwrap_or(value).clone();
        let mut problems = Vec::new();
        remove_nulls(&mut section);
        if section.is_null() {
            return (Settings::default(), problems);
        }
        if !section.is_object() {
            problems.push("the settings of `rise` are not an object".to_owned());
            return (Settings::default(), problems);
        }
        loop {
            let error = match serde_path_to_error::deserialize::<_, Settings>(&section) {
                Ok(settings) => return (settings, problems),
                Err(error) => error,
            };
            let keys = error.path().iter().map_while(|segment| match segment {
                Segment::Map { key } => Some(key.as_str()),
                _ => None,
            });
            let keys: Vec<&str> = keys.collect();
            let name: Vec<&str> = iter::once("rise").chain(keys.iter().copied()).collect();
            problems.push(format!("`{}`: {}", name.join("."), error.inner()));
            if !remove(&mut section, &keys) {
                return (Settings::default(), problems);
            }
        }
    }
}

/// Removes the fields of objects that are `null`, which are like missing ones.
fn remove_nulls(value: &mut Value) {
    if let Value::Object(fields) = value {
        fields.retain(|_, field| !field.is_null());
        fields.values_mut().for_each(remove_nulls);
    }
}

/// Removes the field at a path of keys in nested objects. Returns false if there is no such field.
fn remove(value: &mut Value, keys: &[&str]) -> bool {
    let Some((last, outer)) = keys.split_last() else {
        return false;
    };
    let holder = outer
        .iter()
        .try_fold(value, |holder, key| holder.get_mut(key));
    let fields = holder.and_then(Value::as_object_mut);
    fields.and_then(|fields| fields.remove(*last)).is_some()
}

/// The capabilities of the client that the server depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClientCapabilities {
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

impl ClientCapabilities {
    /// Reads the capabilities of a client. Missing ones are false, except that a client without a
    /// list of hover formats accepts Markdown.
    pub fn read(json: &Value) -> ClientCapabilities {
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
        ClientCapabilities {
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
    use std::time::Duration;

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
                "`rise.device`: invalid type: integer `0`, expected a string",
                "`rise.inlayHints.accessFlow`: true is not `off`, `compact` or `full`",
                "`rise.inlayHints.maxLength`: -4 is not a positive number",
                "`rise.inlayHints.pipelines`: invalid type: integer `1`, expected a boolean",
            ]
        );
        let (settings, problems) = Settings::read(&json!({
            "imports": {"folders": ["/a", 1]},
            "lens": null,
            "run": {"enabled": null, "timeLimit": 2},
        }));
        assert_eq!(settings.run.time_limit, Some(Duration::from_secs(2)));
        assert_eq!(
            problems,
            ["`rise.imports.folders`: invalid type: integer `1`, expected path string"]
        );
        assert_eq!(
            Settings::read(&json!([1])).1,
            ["the settings of `rise` are not an object"]
        );
    }

    #[test]
    fn clients_that_say_nothing_get_the_simplest_answers() {
        let traits = ClientCapabilities::read(&json!({}));
        assert_eq!(
            traits,
            ClientCapabilities {
                hover_markdown: true,
                ..ClientCapabilities::default()
            }
        );
    }
}
