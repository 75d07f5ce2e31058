//! Code lenses: Run, Run on a device, and Preview for clients that have such a command.

use serde_json::{Value, json};
use tower_lsp::lsp_types::{CodeLens, CodeLensParams, Command};

use super::Answer;
use crate::server::config::ClientTraits;
use crate::server::snapshot::Snapshot;

/// The command of the client that shows a definition in one of its forms.
pub const PREVIEW: &str = "rise.preview";
/// The command that runs a definition: the client's own, or else the server's.
pub const RUN: &str = "rise.run";

/// The client's command that lowers a definition for a target.
pub const LOWER: &str = "rise.lower";
/// The client's command that asks for a strategy for a definition, and applies it.
pub const REWRITE: &str = "rise.applyStrategy";

/// So many launches are timed where a program runs on a device: one says little.
const TIMED: u32 = 10;

/// Whether there is something to offer: a client that says nothing of commands gets the server's.
pub fn has_lenses(client: &ClientTraits) -> bool {
    client.previews || client.runs || client.lowers || client.rewrites || !client.has_commands
}

/// `textDocument/codeLens`
pub fn code_lens(snapshot: &Snapshot, params: CodeLensParams) -> Answer<Vec<CodeLens>> {
    let uri = params.text_document.uri;
    let document = snapshot.document(&uri)?;
    let client = &snapshot.view.client;
    if !has_lenses(client) {
        return Ok(Vec::new());
    }
    let runs = (client.runs || !client.has_commands) && snapshot.view.settings.run.enabled;
    let mut lenses = Vec::new();
    for lens in ide::lenses(&snapshot.db, document.file) {
        let range = document.range(lens.span);
        let target = lens.target.map(dpia::Target::as_str);
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
        if runs && lens.on_device {
            let more = json!({"backend": "opencl", "bench": TIMED});
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
    Ok(lenses)
}

/// `Run on NVIDIA H200`: the device that is known, else what the settings say of it.
fn on_device(snapshot: &Snapshot) -> String {
    let set = &snapshot.view.settings.device;
    match &snapshot.view.device {
        Some(name) => format!("Run on {name}"),
        None if set.is_empty() => "Run on device".to_owned(),
        None => format!("Run on {set}"),
    }
}
