//! Tests ten thousand random edits among ten thousand requests, at the maximal speed of the pipe.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::client::{Client, place, range};

/// The number of edits; smaller in the slow debug builds.
const EDITS: usize = if cfg!(debug_assertions) {
    1_500
} else {
    10_000
};
const CONTENT_MODIFIED: i64 = -32801;

#[test]
fn ten_thousand_edits_among_ten_thousand_requests() {
    Soak::new("utf-16", 1).run(EDITS);
}

#[test]
fn edits_in_bytes() {
    Soak::new("utf-8", 2).run(EDITS / 10);
}

#[test]
fn edits_in_characters() {
    Soak::new("utf-32", 3).run(EDITS / 10);
}

/// The texts that edits insert: parts of programs, broken ones too, and characters of every length.
const PIECES: &[&str] = &[
    "x",
    " ",
    "\n",
    "\r\n",
    "\r",
    "(",
    ")",
    "|> ",
    ">> ",
    "fun(x => ",
    "def g = ",
    "import \"a\"\n",
    "/*",
    "*/",
    "//",
    "\"",
    "\"\"\"",
    "\u{e4}",
    "\u{1F600}",
    "\u{2028}",
    "\u{FEFF}",
    "1.5f32",
    "split(4)",
    "join",
    "map(id)",
    "_",
    "@",
    "depFun(n: Nat => ",
    ".",
    "/// \u{1D4D0}\n",
    "foreign def h(x: f32): f32\n",
    "let y = 1 in ",
    "{",
    "\t",
    "n.m.f32",
];

const PROGRAM: &str = "\
/// Sums up. \u{1F4A1}
def total = fun(xs => xs |> reduce(add, 0.0f32))

def scaled = depFun(n: Nat => fun(xs: n.f32, a: f32 => xs |> map(fun(x => x * a))))

// \u{e4}\u{f6}\u{fc}
def mv = depFun(n: Nat, m: Nat => fun(mat: n.m.f32, v: m.f32 =>
  mat
    |> map(fun(row => zip(row, v) |> map(fun(p => p._1 * p._2)) |> reduce(add, 0.0f32)))))

def blocks = depFun(n: Nat => fun(xs: (4 * n).f32 => xs |> split(4) |> map(total) |> scaled(n)))
";

/// A pseudo-random number generator with the same numbers in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(limit.max(1)).unwrap()).unwrap()
    }
}

struct Soak {
    client: Client,
    uri: String,
    encoding: &'static str,
    random: Random,
    /// The texts of all versions.
    texts: Vec<String>,
    asked: Vec<Asked>,
}

/// A request, and the version of the text when it was sent.
struct Asked {
    id: i64,
    method: &'static str,
    version: usize,
}

impl Soak {
    fn new(encoding: &'static str, seed: u64) -> Soak {
        let mut client = Client::with(json!({"general": {"positionEncodings": [encoding]}}), &[]);
        let uri = client.uri("soak.rise");
        let texts = vec![String::new(), format!("{}{PROGRAM}", marks(1))];
        client.open(&uri, &texts[1]);
        let random = Random(0x9E37_79B9_7F4A_7C15 ^ seed);
        Soak {
            client,
            uri,
            encoding,
            random,
            texts,
            asked: Vec::new(),
        }
    }

    fn run(&mut self, edits: usize) {
        let mut half = 0;
        for round in 1..=edits {
            self.edit();
            self.ask();
            self.client.take_all();
            if round.is_multiple_of(100) {
                assert_eq!(&self.client.text(&self.uri), self.texts.last().unwrap());
            }
            if round == edits / 2 {
                half = self.memory();
            }
        }
        let last_edit = self.asked.len();
        for method in METHODS {
            self.ask_for(method);
        }
        let results = self.check(last_edit);
        assert!(
            results * 10 >= self.asked.len() * 9,
            "{results} results of {} requests",
            self.asked.len()
        );
        let end = self.memory();
        assert!(
            end <= half + half / 10 + (4 << 20),
            "memory grows from {half} to {end} bytes"
        );
        assert_eq!(self.client.request("rise/status", Value::Null)["panics"], 0);
        let problems: Vec<&Value> = self
            .client
            .said
            .iter()
            .filter(|said| said["params"]["type"] == 1)
            .collect();
        assert!(problems.is_empty(), "{problems:#?}");
        assert_eq!(self.client.stop(), Some(0));
    }

    fn memory(&mut self) -> u64 {
        self.client.request("rise/status", Value::Null)["memoryBytes"]
            .as_u64()
            .unwrap_or_default()
    }

    /// Sends one notification: the marks of the new version, and some random changes after them.
    fn edit(&mut self) {
        let version = self.texts.len();
        let mut text = self.texts[version - 1].clone();
        let mut changes = Vec::new();
        if version.is_multiple_of(250) {
            text = format!("{}{PROGRAM}", marks(version));
            changes.push(json!({"text": text}));
        } else {
            let old = marks(version - 1);
            // Two changes, between which the text is not that of any version.
            let (first, second) = (mark('a', version), mark('b', version));
            let split = mark('a', version - 1).len();
            changes.push(self.replace(&mut text, split, old.len(), &second));
            changes.push(self.replace(&mut text, 0, split, &first));
            for _ in 0..=self.random.below(3) {
                let (start, end, piece) = self.random_change(&text, marks(version).len());
                changes.push(self.replace(&mut text, start, end, piece));
            }
        }
        self.client.change(&self.uri, Value::Array(changes));
        self.texts.push(text);
    }

    fn random_change(&mut self, text: &str, from: usize) -> (usize, usize, &'static str) {
        let start = boundary(text, from + self.random.below(text.len() - from + 1), from);
        let length = match self.random.below(4) {
            0 => self.random.below(12),
            1 => self.random.below(3),
            _ => 0,
        };
        let end = boundary(text, (start + length).min(text.len()), start);
        let piece = if length > 0 && self.random.below(2) == 0 {
            ""
        } else {
            PIECES[self.random.below(PIECES.len())]
        };
        (start, end, piece)
    }

    /// Replaces bytes of the text, and returns the change in the protocol's form.
    fn replace(&self, text: &mut String, start: usize, end: usize, new: &str) -> Value {
        let range = range(self.position(text, start), self.position(text, end));
        text.replace_range(start..end, new);
        json!({"range": range, "text": new})
    }

    fn position(&self, text: &str, byte: usize) -> (usize, usize) {
        let before = &text[..byte];
        let mut line = 0;
        let mut start = 0;
        for (at, found) in before.bytes().enumerate() {
            if found == b'\n' || (found == b'\r' && text.as_bytes().get(at + 1) != Some(&b'\n')) {
                line += 1;
                start = at + 1;
            }
        }
        let column = match self.encoding {
            "utf-8" => byte - start,
            "utf-16" => before[start..].encode_utf16().count(),
            _ => before[start..].chars().count(),
        };
        (line, column)
    }

    fn ask(&mut self) {
        let method = METHODS[self.random.below(METHODS.len())];
        self.ask_for(method);
    }

    fn ask_for(&mut self, method: &'static str) {
        let version = self.texts.len() - 1;
        let lines = self.texts[version].lines().count();
        let (line, column) = (self.random.below(lines + 2), self.random.below(60));
        let params = match method {
            // The expected responses are known for the marks.
            "textDocument/hover" | "textDocument/definition" => place(&self.uri, 0, 4),
            "textDocument/inlayHint"
            | "textDocument/semanticTokens/range"
            | "textDocument/codeAction" => json!({
                "textDocument": {"uri": self.uri},
                "range": range((line, column), (line + 20, 0)),
                "context": {"diagnostics": []},
            }),
            "textDocument/formatting"
            | "textDocument/foldingRange"
            | "textDocument/documentSymbol"
            | "textDocument/semanticTokens/full"
            | "textDocument/documentLink" => {
                json!({"textDocument": {"uri": self.uri}, "options": {"tabSize": 2, "insertSpaces": true}})
            }
            "textDocument/selectionRange" => {
                json!({"textDocument": {"uri": self.uri}, "positions": [{"line": line, "character": column}]})
            }
            "workspace/symbol" => json!({"query": "a_"}),
            _ => {
                let mut params = place(&self.uri, line, column);
                params["context"] =
                    json!({"includeDeclaration": true, "triggerKind": 1, "isRetrigger": false});
                params
            }
        };
        let id = self.client.ask(method, params);
        self.asked.push(Asked {
            id,
            method,
            version,
        });
    }

    /// Waits for all responses, and returns how many are results.
    fn check(&mut self, last_edit: usize) -> usize {
        let asked = std::mem::take(&mut self.asked);
        let mut results = 0;
        let mut missed: BTreeMap<&str, usize> = BTreeMap::new();
        for (at, asked) in asked.iter().enumerate() {
            match self.client.wait(asked.id) {
                Ok(result) => {
                    results += 1;
                    self.check_version(asked, &result);
                }
                Err(error) => {
                    assert_eq!(error["code"], CONTENT_MODIFIED, "{}: {error}", asked.method);
                    assert!(
                        at < last_edit,
                        "{} after the last edit: {error}",
                        asked.method
                    );
                    *missed.entry(asked.method).or_default() += 1;
                }
            }
        }
        println!(
            "{results} results of {} requests; without one: {missed:?}",
            asked.len()
        );
        self.asked = asked;
        results
    }

    /// Asserts that a response is for the version of its request, or for whole documents for a
    /// later one.
    fn check_version(&self, asked: &Asked, result: &Value) {
        match asked.method {
            "textDocument/hover" => {
                let shown = result["contents"]["value"].as_str().unwrap();
                assert!(
                    shown.contains(&format!("a_{} ", asked.version)),
                    "version {}: {shown}",
                    asked.version
                );
            }
            "textDocument/definition" => {
                let length = format!("a_{}", asked.version).len();
                assert_eq!(result[0]["range"], range((0, 4), (0, 4 + length)));
            }
            "textDocument/documentSymbol" => self.check_symbols(asked.version, result),
            _ => {}
        }
    }

    fn check_symbols(&self, at_least: usize, symbols: &Value) {
        let number = |at: usize, name: &str| {
            symbols[at]["name"]
                .as_str()
                .unwrap()
                .strip_prefix(name)
                .unwrap()
                .to_owned()
        };
        let version: usize = number(0, "a_").parse().unwrap();
        assert_eq!(number(1, "b_").parse(), Ok(version));
        assert!(version >= at_least, "{version} is older than {at_least}");
        let text = &self.texts[version];
        let end = self.position(text, text.len());
        for symbol in symbols.as_array().unwrap() {
            let found = &symbol["location"]["range"];
            let place = |end: &str| {
                let number =
                    |name: &str| usize::try_from(found[end][name].as_u64().unwrap()).unwrap();
                (number("line"), number("character"))
            };
            assert!(
                place("end") <= end,
                "{symbol} lies outside version {version}"
            );
            let item = self.slice(text, place("start"), place("end"));
            assert!(
                item.contains(symbol["name"].as_str().unwrap()),
                "{symbol} of version {version} is {item:?}"
            );
        }
    }

    fn slice<'a>(&self, text: &'a str, start: (usize, usize), end: (usize, usize)) -> &'a str {
        // The order of positions is that of bytes.
        let byte = |wanted: (usize, usize)| {
            let places: Vec<usize> = text
                .char_indices()
                .map(|(byte, _)| byte)
                .chain([text.len()])
                .collect();
            places[places.partition_point(|&byte| self.position(text, byte) < wanted)]
        };
        &text[byte(start)..byte(end)]
    }
}

const METHODS: &[&str] = &[
    "textDocument/hover",
    "textDocument/completion",
    "textDocument/signatureHelp",
    "textDocument/inlayHint",
    "textDocument/definition",
    "textDocument/typeDefinition",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/documentLink",
    "textDocument/formatting",
    "textDocument/codeAction",
    "textDocument/documentSymbol",
    "textDocument/foldingRange",
    "textDocument/selectionRange",
    "textDocument/semanticTokens/full",
    "textDocument/semanticTokens/range",
    "textDocument/prepareCallHierarchy",
    "workspace/symbol",
];

/// Returns two definitions whose names contain the version.
fn marks(version: usize) -> String {
    mark('a', version) + &mark('b', version)
}

fn mark(name: char, version: usize) -> String {
    format!("def {name}_{version} = {version}\n")
}

/// Returns the last position in `from..=at` that is between two characters. A CRLF counts as one
/// character: no editor puts the cursor into it.
fn boundary(text: &str, at: usize, from: usize) -> usize {
    let inside = |at: usize| {
        !text.is_char_boundary(at)
            || (text[..at].ends_with('\r') && text.as_bytes().get(at) == Some(&b'\n'))
    };
    (from..=at).rev().find(|&at| !inside(at)).unwrap_or(from)
}
