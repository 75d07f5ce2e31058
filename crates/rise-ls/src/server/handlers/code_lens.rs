//! Code lenses: Run, Run on a device, Preview, and Lower or Rewrite, as far as the client has such
//! commands. Clients that announce no commands get those that run definitions.

use serde_json::{Value, json};
use tower_lsp::lsp_types::{CodeLens, CodeLensParams, Command};

use super::Answer;
use crate::server::config::ClientCapabilities;
use crate::server::snapshot::Snapshot;

/// The client's command that shows a preview of a definition.
pub const PREVIEW: &str = "rise.preview";
/// The command that runs a definition, of the client or else of the server.
pub const RUN: &str = "rise.run";

/// The client's command that lowers a definition for a target.
pub const LOWER: &str = "rise.lower";
/// The client's command that prompts for a strategy, and applies it to a definition.
pub const REWRITE: &str = "rise.applyStrategy";

/// The number of timed launches on a device, because a single measurement is not reliable.
const BENCH_RUNS: u32 = 10;

/// Returns true if there are lenses for the client. A client that does not announce commands gets
/// the server's.
pub fn has_lenses(client: &ClientCapabilities) -> bool {
    client.previews || client.runs || client.lowers || client.rewrites || !client.has_commands
}

/// Handles `textDocument/codeLens`.
pub fn code_lens(snapshot: &Snapshot, params: CodeLensParams) -> Answer<Option<Vec<CodeLens>>> {
    let uri = params.text_document.uri;
    let document = snapshot.document(&uri)?;
    let client = &snapshot.view.client;
    if !has_lenses(client) {
        return Ok(Some(Vec::new()));
    }
    let runs = (client.runs || !client.has_commands) && snapshot.view.settings.run.enabled;
    let mut lenses = Vec::new();
    for lens in ide::lenses(&snapshot.db, document.file) {
        let range = document.range(lens.span);
        let target = lens.target.map(codegen::Target::as_str);
        let mut add = |title: String, command: &str, more: Option<Value>| {
            let mut argument = json!({
                "uri": uri,
                "position": range.start,
                "def": lens.def,
                "target": target,
            });
            if let (Value::Object(all), Some(Value::Object(more))) = (&mut argument, more) {
                all.extend(more);
            }
            lenses.push(CodeLens {
                range,
                command: Some(Command {
                    title,
                    command: command.to_owned(),
                    arguments: Some(vec![argument]),
                }),
                data: None,
            });
        };
        let shown = &snapshot.view.settings.lens;
        let runs = runs && shown.run && !lens.has_errors;
        if runs {
            add("Run".to_owned(), RUN, None);
        }
        if let Some(target) = lens.device_target.filter(|_| runs) {
            let more = json!({"backend": target.as_str(), "bench": BENCH_RUNS});
            add(on_device(snapshot), RUN, Some(more));
        }
        if client.previews && shown.preview {
            add("Preview".to_owned(), PREVIEW, None);
        }
        if !shown.lower || lens.high_level == 0 {
            continue;
        }
        let patterns = match lens.high_level {
            1 => "1 Pattern".to_owned(),
            more => format!("{more} Patterns"),
        };
        if client.lowers {
            add(
                format!("Lower {patterns}…"),
                LOWER,
                Some(json!({"target": null})),
            );
        } else if client.rewrites {
            add(format!("Rewrite {patterns}…"), REWRITE, None);
        }
    }
    Ok(Some(lenses))
}

/// Returns the title of a lens, as in `Run on NVIDIA H200`: with the device for which programs are
/// checked, else the one of the settings, else without a name.
fn on_device(snapshot: &Snapshot) -> String {
    let set = &snapshot.view.settings.device;
    match &snapshot.view.device {
        Some(name) => format!("Run on {name}"),
        None if set.is_empty() => "Run on device".to_owned(),
        None => format!("Run on {set}"),
    }
}
