//! Tests of the display of memory, accesses and values in the editor.

use serde_json::{Value, json};

use crate::client::{Client, find, range};

const ROWS: &str = "\
@target(c)
@run(n = 1024)
def sums = depFun(n: Nat => fun(xs: n.4.f32 =>
  xs
    |> mapSeq(fun(row =>
      row
        |> mapSeq(fun(x => x + 1.0f))
        |> toMem
        |> reduceSeq(add)(0.0f)))))
";

/// Starts a client that returns these settings for hints.
fn client(hints: Value) -> Client {
    let capabilities = json!({"workspace": {
        "configuration": true,
        "inlayHint": {"refreshSupport": true},
    }});
    let mut client = Client::with(capabilities, &[]);
    client.wait_asked("workspace/configuration");
    set(&mut client, hints);
    client
}

fn set(client: &mut Client, hints: Value) {
    client.settings = json!({"inlayHints": hints});
    client.notify(
        "workspace/didChangeConfiguration",
        json!({"settings": null}),
    );
    client.wait_asked("workspace/inlayHint/refresh");
}

fn only(access_flow: &str, values: bool) -> Value {
    json!({
        "parameters": false,
        "definitions": false,
        "pipelines": false,
        "accessFlow": access_flow,
        "values": values,
    })
}

fn hints(client: &mut Client, uri: &str) -> Vec<Value> {
    let params = json!({"textDocument": {"uri": uri}, "range": range((0, 0), (100, 0))});
    let hints = client.request("textDocument/inlayHint", params);
    hints.as_array().cloned().unwrap_or_default()
}

fn labels(client: &mut Client, uri: &str) -> Vec<String> {
    let label = |hint: &Value| hint["label"].as_str().unwrap_or_default().to_owned();
    hints(client, uri).iter().map(label).collect()
}

#[test]
fn hover_says_where_values_live_and_what_patterns_become() {
    let mut client = Client::start();
    let uri = client.uri("rows.rise");
    client.open(&uri, ROWS);
    for (needle, expected) in [
        ("toMem", "In C: stored on the stack, 16 B."),
        ("mapSeq(fun(row", "for (int i = 0; i < n; i++)"),
        (
            "mapSeq(fun(row",
            "In C: written to the result, `n*4` B (4096 B with `@run(n = 1024)`).",
        ),
        ("+ 1.0f", "not in memory: computed where it is read"),
    ] {
        let (line, character) = find(ROWS, needle);
        let hover = client.at("textDocument/hover", &uri, line, character);
        let shown = hover["contents"]["value"].as_str().unwrap_or_default();
        assert!(shown.contains(expected), "{needle}: {shown}");
    }
}

#[test]
fn access_flow_changes_with_its_setting() {
    let mut client = client(only("compact", false));
    let uri = client.uri("rows.rise");
    client.open(&uri, ROWS);
    let compact = [
        "write",
        "stored: stack, 16 B",
        "stored: variable, 4 B",
        "write",
    ];
    client.wait_until(|client| labels(client, &uri) == compact);
    set(&mut client, only("full", false));
    let full = [
        "write to memory, 16 B",
        "stored: stack, 16 B",
        "stored: variable, 4 B",
        "write to the result, n*4 B = 4096 B",
    ];
    client.wait_until(|client| labels(client, &uri) == full);
    set(&mut client, only("off", false));
    client.wait_until(|client| labels(client, &uri).is_empty());
}

#[test]
fn accesses_stand_behind_types_unless_something_is_turned_off() {
    let mut client = Client::start();
    let uri = client.uri("rows.rise");
    client.open(&uri, ROWS);
    let shown = labels(&mut client, &uri);
    assert!(
        shown.contains(&"4.f32 · stored: stack, 16 B".to_owned()),
        "{shown:?}"
    );
}

#[test]
fn values_follow_the_text_and_can_be_turned_off() {
    let mut client = client(only("off", true));
    let uri = client.uri("values.rise");
    let text = "def f = fun(xs: 4.i32 =>\n  xs\n    |> split(2)\n    |> map(reduce(add)(0)))\n";
    client.open(&uri, text);
    let expected = ["= [0, 1, 2, 3]", "= [[0, 1], [2, 3]]", "= [1, 5]"];
    client.wait_until(|client| labels(client, &uri) == expected);
    let tooltip = &hints(&mut client, &uri)[2]["tooltip"]["value"];
    assert!(
        tooltip
            .as_str()
            .unwrap_or_default()
            .contains("xs = [0, 1, 2, 3]"),
        "{tooltip}"
    );
    client.replace(&uri, &text.replace("add", "mul").replace("(0)", "(1)"));
    let expected = ["= [0, 1, 2, 3]", "= [[0, 1], [2, 3]]", "= [0, 6]"];
    client.wait_until(|client| labels(client, &uri) == expected);
    set(&mut client, only("off", false));
    client.wait_until(|client| labels(client, &uri).is_empty());
}

#[test]
fn values_of_programs_that_take_long_are_left_out_and_typing_goes_on() {
    let mut client = client(only("off", true));
    let uri = client.uri("long.rise");
    let text = "@run(n = 16)\ndef f = depFun(n: Nat => fun(xs: n.i32 =>\n  xs\n    |> mapSeq(fun(x => generate(fun(i : Idx[100000000] => x)) |> reduceSeq(add)(0)))))\n";
    client.open(&uri, text);
    for size in 0..5 {
        client.replace(&uri, &text.replace("16", &(size + 10).to_string()));
        let shown = labels(&mut client, &uri);
        assert!(shown.len() <= 2, "{shown:?}");
    }
    let (line, character) = find(text, "mapSeq");
    let hover = client.at("textDocument/hover", &uri, line, character);
    assert!(hover["contents"]["value"].is_string());
}
