//! Tests of published and pulled diagnostics.

use serde_json::{Value, json};

use crate::client::{Client, codes, covered, find, range};

const WRONG: &str = "def mv = depFun(n: Nat => depFun(m: Nat => fun(mat: n.m.f32 => fun(x: n.f32 =>\n  mat |> map(fun(row => zip(row, x) |> map(fun(p => p._1 * p._2)) |> reduce(add, 0.0f)))))))\n";

fn pull_client(files: &[(&str, &str)]) -> Client {
    let capabilities = json!({
        "textDocument": {"diagnostic": {}},
        "workspace": {"diagnostic": {"refreshSupport": true}, "didChangeWatchedFiles": {"dynamicRegistration": true}},
    });
    Client::with(capabilities, files)
}

#[test]
fn an_error_is_shown_mended_and_cleared() {
    let mut client = Client::start();
    let uri = client.uri("a.rise");
    client.open(&uri, "def one = twoo\ndef two = 2\n");
    let shown = client.diagnostics(&uri, 1);
    assert_eq!(codes(&shown), ["unknown-name"]);
    assert_eq!(shown[0]["range"], range((0, 10), (0, 14)));
    assert_eq!(
        (&shown[0]["severity"], &shown[0]["source"]),
        (&json!(1), &json!("rise"))
    );
    client.change(
        &uri,
        json!([{"range": range((0, 13), (0, 14)), "text": ""}]),
    );
    assert!(client.diagnostics(&uri, 2).is_empty());
    assert_eq!(client.text(&uri), "def one = two\ndef two = 2\n");
    client.change(
        &uri,
        json!([{"range": range((0, 10), (0, 13)), "text": "("}]),
    );
    assert_eq!(codes(&client.diagnostics(&uri, 3)), ["syntax-error"]);
    client.replace(&uri, "");
    assert!(client.diagnostics(&uri, 4).is_empty());
}

#[test]
fn a_wrong_size_is_explained_at_both_places() {
    let mut client = Client::start();
    let uri = client.uri("mv.rise");
    client.open(&uri, WRONG);
    let shown = client.diagnostics(&uri, 1);
    assert_eq!(codes(&shown), ["size-mismatch"]);
    let related = shown[0]["relatedInformation"].as_array().unwrap();
    assert!(!related.is_empty());
    for place in related {
        assert_eq!(place["location"]["uri"], uri);
        assert!(!covered(WRONG, &place["location"]["range"]).is_empty());
    }
}

#[test]
fn closing_a_document_takes_its_diagnostics_back() {
    let mut client = Client::start();
    let uri = client.uri("a.rise");
    client.open(&uri, "def x = y\n");
    assert_eq!(client.diagnostics(&uri, 1).len(), 1);
    client.close(&uri);
    let cleared = client.wait_for(|said| said["method"] == "textDocument/publishDiagnostics");
    assert_eq!(cleared["params"], json!({"uri": uri, "diagnostics": []}));
}

#[test]
fn a_change_of_one_file_is_seen_in_the_files_that_import_it() {
    let mut client = Client::start();
    let (library, user) = (client.uri("library.rise"), client.uri("user.rise"));
    client.open(&library, "def twice = fun(x: f32 => x + x)\n");
    client.open(&user, "import \"library.rise\"\ndef four = twice(2.0f32)\n");
    assert!(client.diagnostics(&user, 1).is_empty());
    client.replace(&library, "def double = fun(x: f32 => x + x)\n");
    assert_eq!(codes(&client.diagnostics(&user, 1)), ["unknown-name"]);
    client.replace(&library, "def twice = fun(x: f32 => x + x)\n");
    assert!(client.diagnostics(&user, 1).is_empty());
}

#[test]
fn diagnostics_of_an_older_text_never_follow_those_of_a_newer_one() {
    let mut client = Client::start();
    let uri = client.uri("a.rise");
    client.open(&uri, "def x = 1\n");
    let mut last = 1;
    for round in 0..200 {
        let text = if round % 2 == 0 { "y" } else { "1" };
        last = client.change(
            &uri,
            json!([{"range": range((0, 8), (0, 9)), "text": text}]),
        );
    }
    assert!(client.diagnostics(&uri, last).is_empty());
    let versions: Vec<i64> = client
        .said
        .iter()
        .filter_map(|said| said["params"]["version"].as_i64())
        .collect();
    assert!(versions.is_sorted(), "{versions:?}");
    assert!(versions.iter().all(|&version| version < i64::from(last)));
}

#[test]
fn a_client_that_asks_for_diagnostics_is_not_sent_any() {
    let mut client = pull_client(&[]);
    assert_eq!(
        client.capabilities["diagnosticProvider"]["workspaceDiagnostics"],
        true
    );
    let uri = client.uri("a.rise");
    client.open(&uri, "def x = y\n");
    let first = client.request(
        "textDocument/diagnostic",
        json!({"textDocument": {"uri": uri}}),
    );
    assert_eq!(first["kind"], "full");
    assert_eq!(codes(first["items"].as_array().unwrap()), ["unknown-name"]);
    let again = json!({"textDocument": {"uri": uri}, "previousResultId": first["resultId"]});
    let second = client.request("textDocument/diagnostic", again.clone());
    assert_eq!(
        second,
        json!({"kind": "unchanged", "resultId": first["resultId"]})
    );
    client.replace(&uri, "def x = 1\n");
    let third = client.request("textDocument/diagnostic", again);
    assert_eq!(
        (&third["kind"], &third["items"]),
        (&json!("full"), &json!([]))
    );
    assert!(
        client
            .said
            .iter()
            .all(|said| said["method"] != "textDocument/publishDiagnostics")
    );
}

#[test]
fn the_workspace_is_asked_for_as_a_whole() {
    let files = [
        ("good.rise", "def x = 1\n"),
        ("deep/bad.rise", "def x = y\n"),
        ("notes.txt", "def"),
    ];
    let mut client = pull_client(&files);
    client.wait_asked("workspace/diagnostic/refresh");
    let report = client.request("workspace/diagnostic", json!({"previousResultIds": []}));
    let items = report["items"].as_array().unwrap();
    let seen: Vec<(bool, usize)> = items
        .iter()
        .map(|item| {
            (
                item["uri"].as_str().unwrap().ends_with("bad.rise"),
                item["items"].as_array().unwrap().len(),
            )
        })
        .collect();
    assert_eq!(seen, [(true, 1), (false, 0)]);
    let previous: Vec<Value> = items
        .iter()
        .map(|item| json!({"uri": item["uri"], "value": item["resultId"]}))
        .collect();
    let again = client.request(
        "workspace/diagnostic",
        json!({"previousResultIds": previous}),
    );
    assert!(
        again["items"]
            .as_array()
            .unwrap()
            .iter()
            .all(|item| item["kind"] == "unchanged")
    );
    let gone = client.uri("deep/bad.rise");
    std::fs::remove_file(client.path("deep/bad.rise")).unwrap();
    client.notify(
        "workspace/didChangeWatchedFiles",
        json!({"changes": [{"uri": gone, "type": 3}]}),
    );
    let after = client.request(
        "workspace/diagnostic",
        json!({"previousResultIds": previous}),
    );
    let after = after["items"].as_array().unwrap();
    let cleared = after.iter().find(|item| item["uri"] == *gone).unwrap();
    assert_eq!(
        (&cleared["kind"], &cleared["items"]),
        (&json!("full"), &json!([]))
    );
}

#[test]
fn obligations_are_hints_and_can_be_hidden() {
    let text = "def c = depFun(n: Nat => fun(xs: n.f32 => xs |> split(4)))\n";
    let mut client = Client::start();
    let uri = client.uri("a.rise");
    client.open(&uri, text);
    let found = client.diagnostics(&uri, 1);
    assert_eq!(codes(&found), ["obligation"]);
    assert_eq!(found[0]["severity"], 4);
    for (shown, count) in [(false, 0), (true, 1)] {
        let settings = json!({"rise": {"diagnostics": {"obligations": shown}}});
        client.notify(
            "workspace/didChangeConfiguration",
            json!({"settings": settings}),
        );
        client.wait_for(|said| {
            let found = said["params"]["diagnostics"].as_array();
            said["method"] == "textDocument/publishDiagnostics"
                && found.is_some_and(|found| found.len() == count)
        });
    }
}

const LIBRARY: &str = "def twice = fun(x: f32 => x + x)\n";
const USER: &str = "import \"library.rise\"\ndef four = twice(2.0f32)\n";

/// Starts a client with these capabilities, and opens a file and the file that it imports.
fn with_import(capabilities: Value) -> (Client, String, String) {
    let mut client = Client::with(capabilities, &[]);
    let (library, user) = (client.uri("library.rise"), client.uri("user.rise"));
    client.open(&library, LIBRARY);
    client.open(&user, USER);
    (client, library, user)
}

fn pull(client: &mut Client, uri: &str) -> Value {
    let params = json!({"textDocument": {"uri": uri}});
    client.request("textDocument/diagnostic", params)
}

#[test]
fn a_client_that_cannot_be_asked_to_ask_again_is_sent_diagnostics() {
    let diagnostic = json!({"relatedDocumentSupport": true});
    let capabilities =
        json!({"textDocument": {"diagnostic": diagnostic, "publishDiagnostics": {}}});
    let (mut client, library, user) = with_import(capabilities);
    assert_eq!(client.capabilities.get("diagnosticProvider"), None);
    assert!(client.diagnostics(&user, 1).is_empty());
    client.replace(&library, "def double = fun(x: f32 => x + x)\n");
    assert_eq!(codes(&client.diagnostics(&user, 1)), ["unknown-name"]);
}

#[test]
fn a_client_that_is_never_sent_diagnostics_gets_those_of_importers_too() {
    let diagnostic = json!({"relatedDocumentSupport": true});
    let (mut client, library, user) =
        with_import(json!({"textDocument": {"diagnostic": diagnostic}}));
    let alone = client.uri("alone.rise");
    client.open(&alone, "def x = y\n");
    assert_eq!(pull(&mut client, &user)["items"], json!([]));
    client.replace(&library, "def double = fun(x: f32 => x + x)\n");
    let related = pull(&mut client, &library)["relatedDocuments"].clone();
    let related = related.as_object().unwrap();
    assert_eq!(related.keys().collect::<Vec<_>>(), [&user]);
    assert_eq!(related[&user]["kind"], "full");
    let items = related[&user]["items"].as_array().unwrap();
    assert_eq!(codes(items), ["unknown-name"]);
    // A client without the capability gets no related documents.
    let (mut client, library, _) = with_import(json!({"textDocument": {"diagnostic": {}}}));
    assert_eq!(pull(&mut client, &library).get("relatedDocuments"), None);
}

#[test]
fn a_client_is_asked_to_ask_again_when_an_import_changes_a_document() {
    let (mut client, library, user) = with_import(json!({
        "textDocument": {"diagnostic": {}, "publishDiagnostics": {}},
        "workspace": {"diagnostics": {"refreshSupport": true}},
    }));
    let settle = |client: &mut Client| {
        client.wait_until(|client| client.request("rise/status", Value::Null)["checking"] == false);
        client.take_all();
        client.asked.clear();
    };
    assert_eq!(pull(&mut client, &user)["items"], json!([]));
    client.replace(&library, "def twice = fun(x: f32 => x * x)\n");
    settle(&mut client);
    // The diagnostics of the document are unchanged.
    client.replace(&library, LIBRARY);
    settle(&mut client);
    client.replace(&library, "def double = fun(x: f32 => x + x)\n");
    client.wait_asked("workspace/diagnostic/refresh");
    let found = pull(&mut client, &user)["items"].clone();
    assert_eq!(codes(found.as_array().unwrap()), ["unknown-name"]);
}

#[test]
fn performance_hints_have_fixes_and_follow_changes() {
    let slow = "@target(c)\ndef sums = depFun((n: Nat, m: Nat) => fun(a: n.m.f32 =>\n  a |> transpose |> mapSeq(fun(column => column |> reduceSeq(add)(0.0f)))))\n";
    let fast = slow
        .replace("|> transpose ", "")
        .replace("add", "max")
        .replace("f32", "i32");
    let fast = fast.replace("0.0f", "0i32");
    let mut client = Client::start();
    let uri = client.uri("a.rise");
    client.open(&uri, slow);
    assert!(codes(&client.diagnostics(&uri, 1)).is_empty());
    let configure = |client: &mut Client, shown: bool| {
        let settings = json!({"rise": {"diagnostics": {"performance": shown}}});
        client.notify(
            "workspace/didChangeConfiguration",
            json!({"settings": settings}),
        );
    };
    let hover = |client: &mut Client| {
        let (line, character) = find(slow, "sums");
        let found = client.at("textDocument/hover", &uri, line, character);
        found["contents"]["value"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    let found = client.diagnostics(&uri, 1);
    assert_eq!(codes(&found), ["strided-read"]);
    assert_eq!(found[0]["severity"], 4);
    assert_eq!(covered(slow, &found[0]["range"]), "reduceSeq");
    let fixes = client.request(
        "textDocument/codeAction",
        json!({
            "textDocument": {"uri": uri},
            "range": found[0]["range"],
            "context": {"diagnostics": found, "only": ["quickfix"]},
        }),
    );
    assert_eq!(fixes[0]["title"], "Accumulate rows instead");
    assert_eq!(
        codes(fixes[0]["diagnostics"].as_array().unwrap()),
        ["strided-read"]
    );
    let shown = hover(&mut client);
    assert!(shown.contains("Estimated in C: about "), "{shown}");
    assert!(shown.contains("n = 1024 (assumed)"), "{shown}");
    client.replace(&uri, &fast);
    assert!(codes(&client.diagnostics(&uri, 2)).is_empty());
    client.replace(&uri, slow);
    client.wait_for(|said| {
        let found = said["params"]["diagnostics"].as_array();
        said["params"]["version"] == 3 && found.is_some_and(|found| found.len() == 1)
    });
    configure(&mut client, false);
    assert!(codes(&client.diagnostics(&uri, 3)).is_empty());
    assert!(!hover(&mut client).contains("Estimated"));
}
