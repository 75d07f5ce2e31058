//! Tests of renaming, formatting and quick fixes.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::client::{Client, edited, file_name, find, place, range};

const LIBRARY: &str = "def twice = fun(x: f32 => x + x)\ndef four = twice(2.0f32)\n";
const USER: &str = "import \"library.rise\"\n// \u{1F600} twice\ndef eight = twice(four)\n";
const REQUEST_FAILED: i64 = -32803;

fn renamed(client: &mut Client, uri: &str, needle: (usize, usize), name: &str) -> Value {
    let mut params = place(uri, needle.0, needle.1);
    params["newName"] = json!(name);
    client.request("textDocument/rename", params)
}

#[test]
fn renaming_reaches_every_file() {
    let mut client = Client::with(json!({}), &[("library.rise", LIBRARY), ("user.rise", USER)]);
    let user = client.open_file("user.rise");
    client.wait_loaded();
    let at = find(USER, "twice(four");
    let prepared = client.at("textDocument/prepareRename", &user, at.0, at.1 + 1);
    assert_eq!(
        prepared,
        json!({"range": range(at, (at.0, at.1 + 5)), "placeholder": "twice"})
    );
    let edit = renamed(&mut client, &user, at, "double");
    let changes: BTreeMap<&str, &Value> = edit["changes"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(uri, edits)| (uri.as_str(), edits))
        .collect();
    let names: Vec<_> = changes
        .keys()
        .map(|uri| file_name(&json!(uri)).to_owned())
        .collect();
    assert_eq!(names, ["library.rise", "user.rise"]);
    let library = client.uri("library.rise");
    assert_eq!(
        edited(LIBRARY, changes[library.as_str()]),
        LIBRARY.replace("twice", "double")
    );
    assert_eq!(
        edited(USER, changes[user.as_str()]),
        USER.replace("= twice", "= double")
    );
}

#[test]
fn edits_carry_the_version_that_they_are_for() {
    let capabilities = json!({"workspace": {"workspaceEdit": {"documentChanges": true}}});
    let mut client = Client::with(
        capabilities,
        &[("library.rise", LIBRARY), ("user.rise", USER)],
    );
    let user = client.open_file("user.rise");
    client.wait_loaded();
    client.change(
        &user,
        json!([{"range": range((0, 0), (0, 0)), "text": "\n"}]),
    );
    let at = find(USER, "twice(four");
    let edit = renamed(&mut client, &user, (at.0 + 1, at.1), "double");
    let versions: BTreeMap<&str, &Value> = edit["documentChanges"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| {
            (
                file_name(&change["textDocument"]["uri"]),
                &change["textDocument"]["version"],
            )
        })
        .collect();
    assert_eq!(
        versions,
        BTreeMap::from([("library.rise", &Value::Null), ("user.rise", &json!(2))])
    );
}

#[test]
fn what_cannot_be_renamed_says_why() {
    let mut client = Client::start();
    let uri = client.uri("a.rise");
    let text = "def f = fun(xs: 8.f32 => xs |> map(id))\n";
    client.open(&uri, text);
    for needle in ["id)", "map(", "fun(", "f32"] {
        let at = find(text, needle);
        assert_eq!(
            client.refused("textDocument/prepareRename", place(&uri, at.0, at.1)),
            REQUEST_FAILED,
            "{needle}"
        );
    }
    for name in ["", "let", "two words", "1x", "def"] {
        let mut params = place(&uri, 0, 4);
        params["newName"] = json!(name);
        let error = client
            .try_request("textDocument/rename", params)
            .expect_err(name);
        assert_eq!(error["code"], REQUEST_FAILED, "{name}");
        assert!(!error["message"].as_str().unwrap().is_empty());
    }
}

#[test]
fn formatting_keeps_comments_and_is_done_once() {
    let mut client = Client::start();
    let uri = client.uri("a.rise");
    let text = "def  f =   fun( xs : 8.f32=>xs|>map( id ) ) // keep\r\n\r\n\r\n\r\ndef g=1\r\n";
    client.open(&uri, text);
    let params =
        json!({"textDocument": {"uri": uri}, "options": {"tabSize": 2, "insertSpaces": true}});
    let edits = client.request("textDocument/formatting", params.clone());
    let formatted = edited(text, &edits);
    assert_ne!(formatted, text);
    assert!(formatted.contains("// keep"), "{formatted}");
    client.replace(&uri, &formatted);
    assert_eq!(
        client.request("textDocument/formatting", params.clone()),
        Value::Null,
        "{formatted}"
    );
    let broken = "def  f =  (\n\ndef  g  = 1\n";
    client.replace(&uri, broken);
    let edits = client.request("textDocument/formatting", params);
    assert_eq!(edited(broken, &edits), "def  f =  (\n\ndef g = 1\n");
}

#[test]
fn a_range_is_formatted_and_the_rest_stays() {
    let mut client = Client::start();
    let uri = client.uri("a.rise");
    let text = "def f=1\n\ndef g=2\n\ndef h=3\n";
    client.open(&uri, text);
    let params = json!({
        "textDocument": {"uri": uri},
        "range": range((2, 0), (2, 7)),
        "options": {"tabSize": 2, "insertSpaces": true},
    });
    let edits = client.request("textDocument/rangeFormatting", params);
    assert_eq!(edited(text, &edits), "def f=1\n\ndef g = 2\n\ndef h=3\n");
}

fn actions(client: &mut Client, uri: &str, at: (usize, usize), only: &Value) -> Value {
    let params = json!({
        "textDocument": {"uri": uri},
        "range": range(at, at),
        "context": {"diagnostics": [], "only": only},
    });
    client.request("textDocument/codeAction", params)
}

#[test]
fn quick_fixes_mend_what_they_belong_to() {
    let literal =
        json!({"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}});
    let mut later = literal.clone();
    later["resolveSupport"] = json!({"properties": ["edit"]});
    for (capabilities, resolved) in [(literal, false), (later, true)] {
        let mut client = Client::with(json!({"textDocument": {"codeAction": capabilities}}), &[]);
        let uri = client.uri("a.rise");
        let text = "def f = fun(rows: 8.4.f32 => rows |> transpos)\n";
        client.open(&uri, text);
        let at = find(text, "transpos");
        let offered = actions(&mut client, &uri, at, &json!(null));
        let mut action = offered[0].clone();
        assert_eq!(
            (&action["kind"], &action["diagnostics"][0]["code"]),
            (&json!("quickfix"), &json!("unknown-name"))
        );
        assert_eq!(action["edit"].is_null(), resolved);
        if resolved {
            action = client.request("codeAction/resolve", action);
        }
        let changed = edited(text, &action["edit"]["changes"][&uri]);
        assert_eq!(changed, text.replace("transpos", "transpose"));
        let version = client.replace(&uri, &changed);
        assert!(client.diagnostics(&uri, version).is_empty());
        let fixes = json!(["quickfix"]);
        assert_eq!(actions(&mut client, &uri, at, &fixes), json!([]));
        client.replace(&uri, text);
        assert_eq!(
            actions(&mut client, &uri, at, &json!(["refactor"])),
            json!([])
        );
        assert_eq!(
            actions(&mut client, &uri, at, &json!(["quickfix"]))
                .as_array()
                .unwrap()
                .len(),
            offered.as_array().unwrap().len()
        );
    }
}
