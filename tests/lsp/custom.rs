//! Tests of requests that are not in the protocol.

use serde_json::{Value, json};

use crate::client::{Client, place, range};

#[test]
fn the_status_counts_what_happened() {
    let mut client = Client::start();
    let before = client.request("rise/status", Value::Null);
    let uri = client.uri("a.rise");
    client.open(&uri, "def x = 1\ndef y = 2\n");
    client.request("textDocument/hover", place(&uri, 0, 4));
    let version = client.change(
        &uri,
        json!([{"text": "def x = 1\n"}, {"text": "def x = 2\ndef y = 3\n"}]),
    );
    client.diagnostics(&uri, version);
    let after = client.request("rise/status", Value::Null);
    assert_eq!(after["version"], env!("CARGO_PKG_VERSION"));
    let grown = |name: &str| after[name].as_u64().unwrap() - before[name].as_u64().unwrap();
    assert_eq!(
        (
            grown("files"),
            grown("openDocuments"),
            grown("items"),
            grown("edits")
        ),
        (1, 1, 2, 2)
    );
    assert_eq!(grown("textBytes"), 20);
    assert_eq!(after["requests"]["textDocument/hover"], 1);
    assert!(after["lastRequestMicros"]["textDocument/hover"].is_u64());
    assert!(after["lastEditToDiagnosticsMicros"].as_u64().unwrap() > 0);
    assert_eq!(after["panics"], 0);
    if cfg!(target_os = "linux") {
        assert!(after["memoryBytes"].as_u64().unwrap() > 1_000_000);
    }
}

#[test]
fn the_syntax_tree_is_shown() {
    let mut client = Client::start();
    let uri = client.uri("a.rise");
    client.open(&uri, "def one = 1\ndef half = (\n");
    let tree = client.request("rise/syntaxTree", json!({"textDocument": {"uri": uri}}));
    let tree = tree["text"].as_str().unwrap();
    for expected in [
        "(definition 1:1-1:12",
        "name: (identifier 1:5-1:8 \"one\")",
        "name: (identifier 2:5-2:9 \"half\")",
        "(missing ",
    ] {
        assert!(tree.contains(expected), "{expected} in {tree}");
    }
    client.change(
        &uri,
        json!([{"range": range((0, 4), (0, 7)), "text": "größe"}]),
    );
    let tree = client.request("rise/syntaxTree", json!({"textDocument": {"uri": uri}}));
    let tree = tree["text"].as_str().unwrap();
    assert!(
        tree.contains("name: (identifier 1:5-1:12 \"größe\")"),
        "{tree}"
    );
}

#[test]
fn virtual_documents_are_those_of_the_library() {
    let mut client = Client::start();
    let text = client.request(
        "rise/virtualDocument",
        json!({"uri": "rise-std:/functions.rise"}),
    );
    assert!(text["text"].as_str().unwrap().contains("def id"));
    assert!(
        client
            .try_request(
                "rise/virtualDocument",
                json!({"uri": "rise-std:/nothing.rise"})
            )
            .is_err()
    );
    client.open("rise-std:/functions.rise", "def id = 1\n");
    let text = client.request(
        "rise/virtualDocument",
        json!({"uri": "rise-std:/functions.rise"}),
    );
    assert!(text["text"].as_str().unwrap().len() > 100);
}

#[test]
fn codes_of_diagnostics_are_links_and_are_explained() {
    let mut client = Client::start();
    let uri = client.uri("a.rise");
    client.open(&uri, "def x = y\n");
    let found = client.diagnostics(&uri, 1);
    let found = &found[0];
    assert_eq!(found["code"], "unknown-name");
    let page = found["codeDescription"]["href"].as_str().unwrap();
    assert!(page.ends_with("/docs/errors.md#unknown-name"), "{page}");
    let section = client.request("rise/explainDiagnostic", json!({"code": found["code"]}));
    let text = section["text"].as_str().unwrap();
    assert!(text.starts_with("# unknown-name\n"), "{text}");
    let code = client.refused("rise/explainDiagnostic", json!({"code": "nothing"}));
    assert_eq!(code, -32602);
}
