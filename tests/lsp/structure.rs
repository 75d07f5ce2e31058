//! Tests of symbols, semantic tokens, folding ranges and selection ranges.

use serde_json::{Value, json};

use crate::client::{Client, covered, find, range};

const TEXT: &str = "\
// A comment
// of two lines.

/// Doubles.
def twice = fun(x: f32 => x + x)

def all = fun(xs: 8.f32 =>
  xs
    |> map(twice)
    |> map(twice))
";

fn opened(capabilities: Value) -> (Client, String) {
    let mut client = Client::with(capabilities, &[]);
    let uri = client.uri("a.rise");
    client.open(&uri, TEXT);
    (client, uri)
}

fn of(uri: &str) -> Value {
    json!({"textDocument": {"uri": uri}})
}

#[test]
fn document_symbols_are_flat_or_nested_as_the_client_likes() {
    let (mut client, uri) = opened(json!({}));
    let flat = client.request("textDocument/documentSymbol", of(&uri));
    assert_eq!(
        (&flat[0]["name"], &flat[0]["location"]["uri"]),
        (&json!("twice"), &json!(uri))
    );
    let nested =
        json!({"textDocument": {"documentSymbol": {"hierarchicalDocumentSymbolSupport": true}}});
    let (mut client, uri) = opened(nested);
    let symbols = client.request("textDocument/documentSymbol", of(&uri));
    let shown: Vec<(&str, &str, &str)> = symbols
        .as_array()
        .unwrap()
        .iter()
        .map(|symbol| {
            let name = symbol["name"].as_str().unwrap();
            (
                name,
                symbol["detail"].as_str().unwrap(),
                covered(TEXT, &symbol["selectionRange"]),
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            ("twice", "f32 -> f32", "twice"),
            ("all", "8.f32 -> 8.f32", "all")
        ]
    );
    assert!(covered(TEXT, &symbols[0]["range"]).starts_with("/// Doubles."));
}

#[test]
fn workspace_symbols_are_found_by_some_of_their_letters() {
    let mut client = Client::with(
        json!({}),
        &[("deep/a.rise", TEXT), ("b.rise", "def other = 1\n")],
    );
    client.wait_loaded();
    let found = client.request("workspace/symbol", json!({"query": "tw"}));
    let first = &found[0];
    assert_eq!(
        (&first["name"], &first["containerName"]),
        (&json!("twice"), &json!("a.rise"))
    );
    assert_eq!(first["location"]["uri"], client.uri("deep/a.rise"));
    assert_eq!(covered(TEXT, &first["location"]["range"]), "twice");
    assert_eq!(
        client.request("workspace/symbol", json!({"query": "no such name"})),
        json!([])
    );
}

/// Decodes semantic tokens to their texts and types.
fn decoded<'a>(client: &Client, text: &'a str, data: &Value) -> Vec<(&'a str, String)> {
    let legend = &client.capabilities["semanticTokensProvider"]["legend"]["tokenTypes"];
    let numbers: Vec<usize> = data
        .as_array()
        .unwrap()
        .iter()
        .map(|number| usize::try_from(number.as_u64().unwrap()).unwrap())
        .collect();
    let (mut line, mut start) = (0, 0);
    let mut tokens = Vec::new();
    for token in numbers.chunks(5) {
        start = if token[0] == 0 {
            start + token[1]
        } else {
            token[1]
        };
        line += token[0];
        let range = range((line, start), (line, start + token[2]));
        tokens.push((
            covered(text, &range),
            legend[token[3]].as_str().unwrap().to_owned(),
        ));
    }
    tokens
}

#[test]
fn semantic_tokens_say_what_each_word_is() {
    let (mut client, uri) = opened(json!({}));
    let full = client.request("textDocument/semanticTokens/full", of(&uri));
    let tokens = decoded(&client, TEXT, &full["data"]);
    for expected in [
        ("def", "keyword"),
        ("twice", "function"),
        ("x", "parameter"),
        ("f32", "type"),
        ("map", "function"),
    ] {
        assert!(
            tokens.contains(&(expected.0, expected.1.to_owned())),
            "{expected:?} in {tokens:?}"
        );
    }
    let params = json!({"textDocument": {"uri": uri}, "range": range((4, 0), (5, 0))});
    let part = client.request("textDocument/semanticTokens/range", params);
    let part = decoded(&client, TEXT, &part["data"]);
    assert!(!part.is_empty() && part.len() < tokens.len());
    assert!(part.iter().all(|token| tokens.contains(token)));
}

#[test]
fn token_deltas_lead_to_the_same_tokens_as_the_whole() {
    let (mut client, uri) = opened(json!({}));
    let mut known = client.request("textDocument/semanticTokens/full", of(&uri));
    let edits = [
        ((4, 26), (4, 27), "twice"),
        ((0, 0), (0, 0), "def new = 1\n"),
        ((3, 0), (7, 0), ""),
        ((0, 0), (2, 1), ""),
    ];
    for (start, end, text) in edits {
        client.change(&uri, json!([{"range": range(start, end), "text": text}]));
        let mut params = of(&uri);
        params["previousResultId"] = known["resultId"].clone();
        let delta = client.request("textDocument/semanticTokens/full/delta", params);
        let mut data = known["data"].as_array().unwrap().clone();
        for edit in delta["edits"].as_array().unwrap() {
            let number = |name: &str| usize::try_from(edit[name].as_u64().unwrap()).unwrap();
            let end = number("start") + number("deleteCount");
            data.splice(
                number("start")..end,
                edit["data"].as_array().cloned().unwrap_or_default(),
            );
        }
        let full = client.request("textDocument/semanticTokens/full", of(&uri));
        assert_eq!(full["data"], Value::Array(data.clone()));
        known = json!({"data": data, "resultId": delta["resultId"]});
    }
    let mut params = of(&uri);
    params["previousResultId"] = json!("unknown");
    assert!(client.request("textDocument/semanticTokens/full/delta", params)["data"].is_array());
}

#[test]
fn definitions_and_comments_fold() {
    for (capabilities, characters) in [
        (json!({}), true),
        (
            json!({"textDocument": {"foldingRange": {"lineFoldingOnly": true}}}),
            false,
        ),
    ] {
        let (mut client, uri) = opened(capabilities);
        let found = client.request("textDocument/foldingRange", of(&uri));
        let found = found.as_array().unwrap();
        assert!(found.iter().any(|fold| fold["startLine"] == 0
            && fold["endLine"] == 1
            && fold["kind"] == "comment"));
        assert!(
            found
                .iter()
                .any(|fold| fold["startLine"] == 6 && fold["endLine"] == 9),
            "{found:#?}"
        );
        assert!(
            found
                .iter()
                .all(|fold| fold["startCharacter"].is_u64() == characters)
        );
    }
}

#[test]
fn selections_in_deep_text_are_no_deeper_than_readers_of_json_accept() {
    let (mut client, uri) = opened(json!({}));
    let text = format!("def f = {}x{}\n", "(".repeat(180), ")".repeat(180));
    client.replace(&uri, &text);
    let mut params = of(&uri);
    params["positions"] = json!([{"line": 0, "character": 188}]);
    // The JSON parser of these tests reads at most 128 levels.
    let found = client.request("textDocument/selectionRange", params);
    let mut widest = &found[0];
    while widest["parent"].is_object() {
        widest = &widest["parent"];
    }
    assert_eq!(widest["range"]["start"], json!({"line": 0, "character": 0}));
}

#[test]
fn the_selection_grows() {
    let (mut client, uri) = opened(json!({}));
    let (line, character) = find(TEXT, "map(twice)");
    let mut params = of(&uri);
    params["positions"] =
        json!([{"line": line, "character": character + 5}, {"line": 99, "character": 0}]);
    let found = client.request("textDocument/selectionRange", params);
    assert_eq!(found.as_array().unwrap().len(), 2);
    let mut texts = Vec::new();
    let mut selection = &found[0];
    while selection.is_object() {
        texts.push(covered(TEXT, &selection["range"]));
        selection = &selection["parent"];
    }
    assert_eq!(texts[0], "twice");
    assert!(texts.contains(&"map(twice)"), "{texts:?}");
    assert!(
        texts
            .windows(2)
            .all(|pair| pair[1].contains(pair[0]) && pair[1].len() >= pair[0].len()),
        "{texts:?}"
    );
}
