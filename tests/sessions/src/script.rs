//! Generates the script of a session, a list of steps that can be shrunk.

use runtime::generate::Random;
use serde_json::{Value, json};

use crate::corpus::Corpus;
use crate::mutate::{below, change, pick, text};

/// A step of a client.
#[derive(Clone, Debug)]
pub enum Step {
    /// Sends a message. A request has the id `null`, which is replaced.
    Send(Value),
    /// Sends bytes that are not a message, and expects an error with the id `null`.
    SendBytes(Vec<u8>),
    /// Cancels the request that was sent this many requests ago.
    Cancel(usize),
    /// Waits for the responses to all requests.
    Wait,
}

/// Requests about a position.
const AT: &[&str] = &[
    "textDocument/hover",
    "textDocument/completion",
    "textDocument/signatureHelp",
    "textDocument/definition",
    "textDocument/typeDefinition",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/prepareRename",
    "textDocument/rename",
    "textDocument/selectionRange",
    "textDocument/prepareCallHierarchy",
    "rise/preview",
    "rise/strategies",
    "rise/lower",
    "rise/why",
    "rise/explain",
    "rise/strategySteps",
    "rise/strategyApply",
];
/// Requests about a document or a range of it.
const OF: &[&str] = &[
    "textDocument/codeAction",
    "textDocument/inlayHint",
    "textDocument/semanticTokens/full",
    "textDocument/semanticTokens/range",
    "textDocument/documentSymbol",
    "textDocument/foldingRange",
    "textDocument/codeLens",
    "textDocument/documentLink",
    "textDocument/formatting",
    "textDocument/rangeFormatting",
    "textDocument/diagnostic",
    "rise/syntaxTree",
    "rise/text",
];
const FORMS: &[&str] = &[
    "rise",
    "dpia",
    "dpia-imperative",
    "c",
    "openmp",
    "opencl",
    "opencl-host",
];
const STRATEGIES: &[&str] = &[
    "DFNF",
    "topDown(mapFusion)",
    "lowerToC",
    "lowerToOpenCL",
    "normalize(",
    "id ; fail",
];

/// Bodies that cannot be parsed or are not messages.
const MALFORMED: &[&str] = &[
    "",
    "{",
    "[]",
    "null",
    "\u{feff}{}",
    r#"{"jsonrpc":"2.0","method":"m","params":"\ud83d"}"#,
    r#"{"jsonrpc":"2.0","method":"textDocument/didOpen","params":[1e999]}"#,
    r#"{"jsonrpc":"2.0","method":"m","method":"n"}"#,
    r#"{"jsonrpc":"2.0","id":[],"method":"m"}"#,
    r#"{"jsonrpc":"1.0","method":"m"}"#,
    r#"{"jsonrpc":"2.0"}"#,
];

/// The client's state of a document.
struct Document {
    uri: String,
    language: &'static str,
    text: String,
    version: i64,
    open: bool,
}

impl Document {
    fn opened(&mut self) -> Step {
        self.open = true;
        notify(
            "textDocument/didOpen",
            json!({"textDocument": {
                "uri": self.uri, "languageId": self.language, "version": self.version, "text": self.text,
            }}),
        )
    }

    /// Returns a random position in the text, sometimes an invalid one.
    fn position(&self, random: &mut Random) -> Value {
        if below(random, 30) == 0 {
            let far = [0, 7, 100_000, 4_294_967_295_u64];
            return json!({"line": pick(random, &far), "character": pick(random, &far)});
        }
        let mut at = below(random, self.text.len() + 1);
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        let before = &self.text[..at];
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        json!({
            "line": before.matches('\n').count(),
            "character": before[start..].encode_utf16().count(),
        })
    }

    fn range(&self, random: &mut Random) -> Value {
        let (start, end) = (self.position(random), self.position(random));
        match below(random, 3) {
            0 => {
                json!({"start": {"line": 0, "character": 0}, "end": {"line": 100_000, "character": 0}})
            }
            1 => json!({"start": start, "end": start}),
            _ => json!({"start": start, "end": end}),
        }
    }

    fn request(&self, random: &mut Random) -> Step {
        let at = below(random, AT.len() + OF.len());
        let method = match at.checked_sub(AT.len()) {
            None => AT[at],
            Some(at) => OF[at],
        };
        self.ask(method, random)
    }

    fn ask(&self, method: &str, random: &mut Random) -> Step {
        let position = self.position(random);
        let diagnostics = match below(random, 2) {
            0 => json!([]),
            _ => {
                json!([{"range": self.range(random), "message": "m", "code": "unknown-name", "source": "rise"}])
            }
        };
        let only = match below(random, 4) {
            0 => json!({"diagnostics": diagnostics, "only": ["source"]}),
            1 => json!({"diagnostics": diagnostics, "only": ["refactor"]}),
            2 => json!({"diagnostics": diagnostics, "only": ["quickfix"]}),
            _ => json!({"diagnostics": diagnostics}),
        };
        // One object for all requests: each uses the fields that it has.
        request(
            method,
            json!({
                "textDocument": {"uri": self.uri},
                "position": position,
                "positions": [position],
                "range": self.range(random),
                "context": match method {
                    "textDocument/references" => json!({"includeDeclaration": true}),
                    "textDocument/completion" => json!({"triggerKind": 1}),
                    "textDocument/signatureHelp" => json!({"triggerKind": 1, "isRetrigger": false}),
                    _ => only,
                },
                "newName": pick(random, &["renamed", "map", "", "1x", "def", "\u{e4}", "_"]),
                "options": {"tabSize": 2, "insertSpaces": true},
                "as": pick(random, FORMS),
                "target": pick(random, &["c", "openmp", "opencl"]),
                "strategy": pick(random, STRATEGIES),
                "rule": pick(random, &["mapFusion", "splitJoin(4)", "("]),
            }),
        )
    }

    /// Returns a change of the text, and applies it to the client's copy.
    fn edit(&mut self, random: &mut Random, corpus: &Corpus) -> Step {
        self.version += 1;
        let later = change(random, corpus, &self.text);
        let same = |(a, b): &(u8, u8)| a == b;
        let mut start = self
            .text
            .bytes()
            .zip(later.bytes())
            .take_while(same)
            .count();
        while !(self.text.is_char_boundary(start) && later.is_char_boundary(start)) {
            start -= 1;
        }
        let place = |text: &str, at: usize| {
            let line = text[..at].rfind('\n').map_or(0, |at| at + 1);
            json!({"line": text[..at].matches('\n').count(), "character": text[line..at].encode_utf16().count()})
        };
        // A range must not begin within a CRLF.
        let changes = match below(random, 4) {
            0 => json!([{"text": later}]),
            _ if self.text.contains('\r') || later.contains('\r') => json!([{"text": later}]),
            _ => json!([{
                "range": {"start": place(&self.text, start), "end": place(&self.text, self.text.len())},
                "text": &later[start..],
            }]),
        };
        self.text = later;
        changed(&self.uri, self.version, changes)
    }
}

fn changed(uri: &str, version: i64, changes: Value) -> Step {
    let document = json!({"uri": uri, "version": version});
    notify(
        "textDocument/didChange",
        json!({"textDocument": document, "contentChanges": changes}),
    )
}

fn request(method: &str, params: Value) -> Step {
    Step::Send(json!({"jsonrpc": "2.0", "id": null, "method": method, "params": params}))
}

fn notify(method: &str, params: Value) -> Step {
    Step::Send(json!({"jsonrpc": "2.0", "method": method, "params": params}))
}

/// Returns the `initialize` request of a client with random capabilities.
pub fn initialize(random: &mut Random, root: &str) -> Value {
    let mut capabilities = json!({
        "textDocument": {
            "codeAction": {
                "codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}},
                "resolveSupport": {"properties": ["edit"]},
                "disabledSupport": true,
            },
            "hover": {"contentFormat": ["markdown"]},
            "completion": {"completionItem": {"snippetSupport": true}},
        },
        "experimental": {"rise": {"commands": [
            "rise.preview", "rise.run", "rise.record", "rise.applyWith", "rise.lower", "rise.rewrite",
        ]}},
    });
    if below(random, 2) == 0 {
        capabilities["textDocument"]["diagnostic"] = json!({});
    }
    if below(random, 2) == 0 {
        capabilities["workspace"] = json!({
            "configuration": true,
            "didChangeWatchedFiles": {"dynamicRegistration": true},
            "diagnostics": {"refreshSupport": true},
            "inlayHint": {"refreshSupport": true},
        });
        capabilities["window"] = json!({"workDoneProgress": true});
    }
    json!({
        "rootUri": root,
        "workspaceFolders": [{"uri": root, "name": "fuzz"}],
        "capabilities": capabilities,
        "initializationOptions": {"rise": {
            "run": {"enabled": false},
            "inlayHints": {"values": true, "implicitArguments": true, "accessFlow": "full"},
        }},
    })
}

/// Generates a script that opens a mutated file and sends all requests about it.
pub fn file(seed: u64, corpus: &Corpus, root: &str) -> Vec<Step> {
    let mut random = Random::new(seed);
    let random = &mut random;
    let (language, text) = text(random, corpus);
    let mut document = Document {
        uri: format!("{root}/f{seed}.{language}"),
        language,
        text,
        version: 1,
        open: false,
    };
    let mut steps = vec![document.opened()];
    for method in OF {
        steps.push(document.ask(method, random));
    }
    for _ in 0..3 {
        for method in &AT[..11] {
            steps.push(document.ask(method, random));
        }
        steps.push(document.ask("textDocument/codeAction", random));
    }
    for method in &AT[11..] {
        steps.push(document.ask(method, random));
    }
    steps.push(Step::Wait);
    steps.push(notify(
        "textDocument/didClose",
        json!({"textDocument": {"uri": document.uri}}),
    ));
    steps
}

/// Generates a session with edits, requests and protocol errors.
pub fn session(seed: u64, corpus: &Corpus, root: &str) -> Vec<Step> {
    let mut random = Random::new(seed);
    let random = &mut random;
    let mut documents: Vec<Document> = Vec::new();
    for at in 0..3 {
        let (mut language, mut text) = text(random, corpus);
        if below(random, 2) == 0 {
            let seed = pick(random, &corpus.seeds);
            (language, text) = (seed.language, seed.text.clone());
        }
        let uri = match below(random, 12) {
            0 => format!("untitled:Untitled-{at}"),
            1 => format!("{root}/a b%20\u{fc}{at}.{language}"),
            _ => format!("{root}/d{at}.{language}"),
        };
        documents.push(Document {
            uri,
            language,
            text,
            version: 1,
            open: false,
        });
    }
    let mut steps = Vec::new();
    for _ in 0..10 + below(random, 40) {
        let at = below(random, documents.len());
        let other = documents[below(random, 3)].uri.clone();
        let document = &mut documents[at];
        steps.push(match below(random, 40) {
            _ if !document.open => document.opened(),
            0..12 => document.edit(random, corpus),
            12..28 => document.request(random),
            28 => {
                document.open = false;
                notify("textDocument/didClose", json!({"textDocument": {"uri": document.uri}}))
            }
            29 => Step::Cancel(below(random, 5)),
            30 => Step::SendBytes(malformed(random)),
            31 => odd(random, document),
            32 => notify("textDocument/didSave", json!({"textDocument": {"uri": document.uri}})),
            33 => notify(
                "workspace/didChangeWatchedFiles",
                json!({"changes": [{"uri": other, "type": 1 + below(random, 3)}, {"uri": root, "type": 3}]}),
            ),
            34 => notify(
                "workspace/didChangeConfiguration",
                json!({"settings": {"rise": {"inlayHints": pick(random, &[json!({}), json!(3), json!({"values": true})])}}}),
            ),
            35 => notify(
                "workspace/didChangeWorkspaceFolders",
                json!({"event": {"added": [], "removed": [{"uri": root, "name": "fuzz"}]}}),
            ),
            36 => request("workspace/symbol", json!({"query": pick(random, &["", "a", "map", "\u{1F600}"])})),
            37 => request("workspace/diagnostic", json!({"previousResultIds": []})),
            38 => request("rise/status", Value::Null),
            _ => Step::Wait,
        });
    }
    steps.push(Step::Wait);
    steps
}

/// Returns a message that is not valid in the protocol or in the current state.
fn odd(random: &mut Random, document: &Document) -> Step {
    let uri = &document.uri;
    match below(random, 12) {
        0 => request("textDocument/rainbow", json!({})),
        1 => request("initialize", json!({"capabilities": {}})),
        2 => notify("initialized", json!({})),
        3 => notify("textDocument/didOpen", json!({"textDocument": 1})),
        4 => changed(uri, 0, json!([{"text": "def old = 1"}])),
        5 => changed("file:///nowhere.rise", 3, json!([{"text": ""}])),
        6 => Step::Send(json!({"jsonrpc": "2.0", "id": 123_456, "result": null})),
        7 => Step::Send(json!({"jsonrpc": "2.0", "id": "x", "error": {"code": 1, "message": "m"}})),
        8 => notify("$/cancelRequest", json!({"id": [1]})),
        9 => request(
            "textDocument/hover",
            json!({"textDocument": {"uri": uri}, "position": {"line": -1}}),
        ),
        10 => request(
            "codeAction/resolve",
            json!({"title": "t", "data": pick(random, &[json!(1), json!({}), Value::Null])}),
        ),
        _ => changed(
            uri,
            document.version,
            json!([{
                "range": {"start": {"line": 9, "character": 9}, "end": {"line": 0, "character": 0}}, "text": "",
            }]),
        ),
    }
}

fn malformed(random: &mut Random) -> Vec<u8> {
    let body = match below(random, MALFORMED.len() + 3) {
        0 => return b"Content-Length: many\r\n\r\n".to_vec(),
        1 => format!(
            r#"{{"jsonrpc":"2.0","method":"m","params":{}}}"#,
            "[".repeat(200)
        ),
        2 => format!(
            r#"{{"jsonrpc":"2.0","method":"m","x":{}1{}}}"#,
            "[".repeat(140),
            "]".repeat(140)
        ),
        at => MALFORMED[at - 3].to_owned(),
    };
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}
