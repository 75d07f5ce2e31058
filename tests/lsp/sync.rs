//! Tests that the server's copy of the text is that of the editor.

use serde_json::{Value, json};

use crate::client::{Client, codes, range};

fn encodings(offered: &[&str]) -> Value {
    json!({"general": {"positionEncodings": offered}})
}

#[test]
fn the_client_chooses_the_encoding() {
    for (offered, chosen) in [
        (json!({}), "utf-16"),
        (encodings(&["utf-8", "utf-16"]), "utf-8"),
        (encodings(&["utf-32"]), "utf-32"),
        (encodings(&["utf-7", "utf-16", "utf-8"]), "utf-16"),
        (encodings(&[]), "utf-16"),
    ] {
        let client = Client::with(offered, &[]);
        assert_eq!(client.capabilities["positionEncoding"], chosen);
    }
}

#[test]
fn columns_are_counted_in_the_chosen_encoding() {
    let text = "// \u{1F600}\u{e4}x\n";
    for (encoding, column) in [("utf-8", 9), ("utf-16", 6), ("utf-32", 5)] {
        let mut client = Client::with(encodings(&[encoding]), &[]);
        let uri = client.uri("a.rise");
        client.open(&uri, text);
        client.change(
            &uri,
            json!([{"range": range((0, column), (0, column + 1)), "text": "y"}]),
        );
        assert_eq!(client.text(&uri), "// \u{1F600}\u{e4}y\n", "{encoding}");
        let wrong = "def f = \"\u{1F600}\u{e4}\" wrong";
        let version = client.replace(&uri, wrong);
        assert!(!client.diagnostics(&uri, version).is_empty());
    }
}

#[test]
fn several_changes_of_one_notification_apply_one_after_the_other() {
    let mut client = Client::start();
    let uri = client.uri("a.rise");
    client.open(&uri, "one\ntwo\n");
    client.change(
        &uri,
        json!([
            {"range": range((0, 0), (0, 3)), "text": "1\n1b"},
            {"range": range((2, 0), (2, 3)), "text": "2"},
            {"text": "def x = 1"},
            {"range": range((0, 8), (0, 9)), "text": "23"},
        ]),
    );
    assert_eq!(client.text(&uri), "def x = 23");
}

#[test]
fn only_cr_and_lf_end_lines() {
    let mut client = Client::start();
    let uri = client.uri("a.rise");
    client.open(&uri, "a\u{2028}b\rc\r\nd\u{0B}e\nf");
    client.change(&uri, json!([{"range": range((1, 0), (1, 1)), "text": "C"}]));
    client.change(&uri, json!([{"range": range((2, 2), (2, 3)), "text": "E"}]));
    client.change(&uri, json!([{"range": range((0, 2), (0, 3)), "text": "B"}]));
    client.change(&uri, json!([{"range": range((0, 3), (1, 0)), "text": ""}]));
    client.change(&uri, json!([{"range": range((2, 1), (2, 1)), "text": "!"}]));
    assert_eq!(client.text(&uri), "a\u{2028}BC\r\nd\u{0B}E\nf!");
}

#[test]
fn an_edit_outside_of_the_document_goes_to_the_nearest_place_and_into_the_log() {
    let mut client = Client::start();
    let uri = client.uri("a.rise");
    client.open(&uri, "ab\ncd");
    client.change(&uri, json!([{"range": range((7, 0), (9, 3)), "text": "!"}]));
    let log = client.wait_for(|said| said["method"] == "window/logMessage");
    let expected = format!(
        "an edit of 7:0 to 9:3 in {} lies outside the text; the nearest place is taken",
        client.path("a.rise").display()
    );
    assert_eq!(
        (&log["params"]["type"], &log["params"]["message"]),
        (&json!(2), &json!(expected))
    );
    client.change(
        &uri,
        json!([{"range": range((0, 99), (1, 0)), "text": "-"}]),
    );
    assert_eq!(client.text(&uri), "ab-cd!");
    client.change(&uri, json!([{"range": range((0, 3), (0, 1)), "text": "x"}]));
    client.change(
        &uri,
        json!([{"range": range((4294967295, 4294967295), (4294967295, 4294967295)), "text": "y"}]),
    );
    assert_eq!(client.text(&uri), "ab-xcd!y");
}

#[test]
fn half_an_astral_character_is_the_place_before_it() {
    let mut client = Client::start();
    let uri = client.uri("a.rise");
    client.open(&uri, "\u{1F600}");
    client.change(&uri, json!([{"range": range((0, 1), (0, 1)), "text": "x"}]));
    assert_eq!(client.text(&uri), "x\u{1F600}");
}

#[test]
fn a_document_is_known_by_every_form_of_its_uri() {
    let mut client = Client::start();
    let written = client.uri("a b \u{fc}.rise");
    client.open(&written, "def x = 1");
    let encoded = client.uri("a%20b%20%C3%BC.rise");
    assert_eq!(client.text(&encoded), "def x = 1");
    assert_eq!(client.diagnostics(&encoded, 1), Vec::<Value>::new());
}

#[test]
fn documents_that_were_never_saved_are_checked() {
    let mut client = Client::start();
    client.open("untitled:Untitled-1", "def x = y\n");
    assert_eq!(
        codes(&client.diagnostics("untitled:Untitled-1", 1)),
        ["unknown-name"]
    );
    client.open(
        "vscode-notebook-cell:/a/b.rise#W0",
        "import \"other.rise\"\ndef x = 1\n",
    );
    assert_eq!(
        client
            .diagnostics("vscode-notebook-cell:/a/b.rise#W0", 1)
            .len(),
        1
    );
    client.close("untitled:Untitled-1");
    assert!(
        client
            .try_request(
                "rise/text",
                json!({"textDocument": {"uri": "untitled:Untitled-1"}})
            )
            .is_err()
    );
}

#[test]
fn breaches_of_the_protocol_do_not_lose_the_document() {
    let mut client = Client::start();
    let uri = client.uri("a.rise");
    client.notify("textDocument/didChange", json!({
        "textDocument": {"uri": uri, "version": 9}, "contentChanges": [{"text": "nobody hears this"}],
    }));
    client.close(&uri);
    client.open(&uri, "def a = 1");
    client.open(&uri, "def b = 2");
    assert_eq!(client.text(&uri), "def b = 2");
    client.change(&uri, json!([]));
    assert_eq!(client.text(&uri), "def b = 2");
    assert_eq!(client.stop(), Some(0));
}

#[test]
fn a_change_with_an_older_version_is_ignored() {
    let mut client = Client::start();
    let uri = client.uri("a.rise");
    client.open(&uri, "def a = 1\n");
    assert_eq!(client.replace(&uri, "def b = 2\n"), 2);
    client.notify(
        "textDocument/didChange",
        json!({"textDocument": {"uri": uri, "version": 1}, "contentChanges": [{"text": "def c = 3\n"}]}),
    );
    let log = client.wait_for(|said| said["method"] == "window/logMessage");
    let message = log["params"]["message"].as_str().unwrap_or_default();
    assert!(
        message.ends_with("to version 1 is ignored: the text has version 2"),
        "{message}"
    );
    assert_eq!(client.text(&uri), "def b = 2\n");
    client.replace(&uri, "def d = 4\n");
    assert_eq!(client.text(&uri), "def d = 4\n");
}

#[test]
fn a_line_of_ten_megabytes_is_a_line() {
    let mut client = Client::start();
    let uri = client.uri("a.rise");
    let text = format!("// {}\ndef x = 1\n", "\u{1F600}".repeat(2_500_000));
    client.open(&uri, &text);
    client.change(
        &uri,
        json!([{"range": range((0, 5_000_003), (0, 5_000_003)), "text": "end"}]),
    );
    client.change(&uri, json!([{"range": range((1, 8), (1, 9)), "text": "2"}]));
    assert!(client.diagnostics(&uri, 3).is_empty());
    let text = client.text(&uri);
    assert!(text.ends_with("\u{1F600}end\ndef x = 2\n"));
    assert_eq!(client.stop(), Some(0));
}
