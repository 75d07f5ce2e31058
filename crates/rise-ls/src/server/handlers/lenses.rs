//! Code lenses: Run, and Preview for clients that have such a command.

use serde_json::json;
use tower_lsp::lsp_types::{CodeLens, CodeLensParams, Command};

use super::Answer;
use crate::server::config::ClientTraits;
use crate::server::snapshot::Snapshot;

/// The command of the client that shows a definition in one of its forms.
pub const PREVIEW: &str = "rise.preview";
/// The command that runs a definition: the client's own, or else the server's.
pub const RUN: &str = "rise.run";

/// Whether there is something to offer: a client that says nothing of commands gets the server's.
pub fn has_lenses(client: &ClientTraits) -> bool {
    client.previews || client.runs || !client.has_commands
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
        let mut add = |title: &str, command: &str| {
            lenses.push(CodeLens {
                range,
                command: Some(Command {
                    title: title.to_owned(),
                    command: command.to_owned(),
                    arguments: Some(vec![json!({
                        "uri": uri,
                        "position": range.start,
                        "def": lens.def,
                        "target": target,
                    })]),
                }),
                data: None,
            });
        };
        if runs {
            add("Run", RUN);
        }
        if client.previews {
            add("Preview", PREVIEW);
        }
    }
    Ok(lenses)
}
