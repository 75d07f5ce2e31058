//! Tests of hovers, completions, signatures and inlay hints.

use serde_json::{Value, json};

use crate::client::{Client, edited, find, range};

const MV: &str = "\
/// Matrix times vector.
def mv = depFun(n: Nat, m: Nat => fun(mat: n.m.f32, xs: m.f32 =>
  mat |> map(fun(row =>
    zip(row, xs)
      |> map(fun(p => p._1 * p._2))
      |> reduce(add, 0.0f32)))))
";

fn hover(client: &mut Client, uri: &str, text: &str, needle: &str) -> String {
    let (line, character) = find(text, needle);
    let hover = client.at("textDocument/hover", uri, line, character);
    hover["contents"]["value"]
        .as_str()
        .unwrap_or_default()
        .into()
}

#[test]
fn hover_shows_types_with_sizes_and_documentation() {
    let mut client = Client::start();
    let uri = client.uri("mv.rise");
    client.open(&uri, MV);
    let def = hover(&mut client, &uri, MV, "mv =");
    assert!(
        def.contains("mv : (n: Nat) -> (m: Nat) -> n.m.f32 -> m.f32 -> n.f32"),
        "{def}"
    );
    assert!(def.contains("Matrix times vector."), "{def}");
    for (needle, ty) in [
        ("zip(", "m.(f32, f32)"),
        ("map(fun(p", "m.f32"),
        ("reduce(", "f32"),
        ("row =>", "m.f32"),
    ] {
        let shown = hover(&mut client, &uri, MV, needle);
        assert!(shown.contains(ty), "{needle}: {shown}");
    }
    assert_eq!(
        client.at("textDocument/hover", &uri, 5, 200)["contents"]["kind"],
        Value::Null
    );
}

#[test]
fn hover_repeats_errors_only_where_no_diagnostics_are_shown() {
    let text = "def f = fun((a: 4.f32, b: 5.f32) => zip(a)(b))\n";
    let shows = |name: &str| json!({"textDocument": {name: {}}});
    for (capabilities, repeated) in [
        (json!({}), true),
        (shows("publishDiagnostics"), false),
        (shows("diagnostic"), false),
    ] {
        let mut client = Client::with(capabilities, &[]);
        let uri = client.uri("a.rise");
        client.open(&uri, text);
        let shown = hover(&mut client, &uri, text, "b))");
        assert!(shown.contains("b : 5.f32"), "{shown}");
        assert_eq!(shown.contains("**Error:**"), repeated, "{shown}");
    }
}

#[test]
fn hover_says_conditions_that_are_not_among_the_diagnostics() {
    let text = "def f = depFun(n: Nat => fun(xs: n.f32 => xs |> split(4)))\n";
    let capabilities = json!({"textDocument": {"publishDiagnostics": {}}});
    let mut client = Client::with(capabilities, &[]);
    let uri = client.uri("a.rise");
    client.open(&uri, text);
    for (obligations, said) in [(true, false), (false, true)] {
        let settings = json!({"rise": {"diagnostics": {"obligations": obligations}}});
        client.notify(
            "workspace/didChangeConfiguration",
            json!({"settings": settings}),
        );
        let shown = hover(&mut client, &uri, text, "split(4)");
        assert!(shown.contains("split : "), "{shown}");
        assert_eq!(shown.contains("Assumes"), said, "{shown}");
    }
}

#[test]
fn what_is_typed_opens_a_list_where_one_is_wanted() {
    let mut client = Client::start();
    let uri = client.uri("a.rise");
    let text = "import \"\"\n@run()\ndef f = depFun(n: Nat => fun(xs: n.f32 => zip()))\ndef g = fun(xs: 4.f32 => xs |> )\ndef h = 1 / 2\n";
    let lib = client.uri("lib.rise");
    client.open(&lib, "def one = 1\n");
    client.open(&uri, text);
    let mut labels = |needle: &str, typed: Option<&str>| -> Vec<String> {
        let (line, character) = find(text, needle);
        let mut params = crate::client::place(&uri, line, character + needle.len());
        params["context"] = match typed {
            Some(typed) => json!({"triggerKind": 2, "triggerCharacter": typed}),
            None => json!({"triggerKind": 1}),
        };
        let list = client.request("textDocument/completion", params);
        let items = list["items"].as_array().unwrap().iter();
        items
            .map(|item| item["label"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(labels("@run(", Some("(")), ["n"]);
    assert_eq!(labels("zip(", Some("(")), [""; 0]);
    assert_eq!(labels("zip(", None)[0], "xs");
    assert_eq!(labels("n.f32 =>", Some(">")), [""; 0]);
    assert!(labels("xs |>", Some(">")).contains(&"map".to_owned()));
    assert_eq!(labels("import \"", Some("\"")), ["lib.rise"]);
    assert_eq!(labels("1 /", Some("/")), [""; 0]);
}

#[test]
fn rows_of_completions_have_types_where_the_client_shows_them() {
    for shows in [false, true] {
        let mut client = Client::with(
            json!({"textDocument": {"completion": {"completionItem": {"labelDetailsSupport": shows}}}}),
            &[],
        );
        let uri = client.uri("a.rise");
        let text = "def f = fun(xs: 4.f32 => xs |> ma)\n";
        client.open(&uri, text);
        let (line, character) = find(text, "ma)");
        let list = client.at("textDocument/completion", &uri, line, character + 2);
        let mut items = list["items"].as_array().unwrap().clone();
        items.sort_by_key(|item| item["sortText"].as_str().unwrap().to_owned());
        assert_eq!(items[0]["label"], "map");
        let expected = match shows {
            true => json!({"description": "(s -> t) -> n.s -> n.t"}),
            false => Value::Null,
        };
        assert_eq!(items[0]["labelDetails"], expected);
    }
}

#[test]
fn hover_has_the_kind_of_text_that_the_client_understands() {
    let plain = json!({"textDocument": {"hover": {"contentFormat": ["plaintext"]}}});
    for (capabilities, kind) in [(json!({}), "markdown"), (plain, "plaintext")] {
        let mut client = Client::with(capabilities, &[]);
        let uri = client.uri("mv.rise");
        client.open(&uri, MV);
        assert_eq!(
            client.at("textDocument/hover", &uri, 1, 4)["contents"]["kind"],
            kind
        );
    }
}

#[test]
fn completion_puts_first_what_accepts_the_piped_value() {
    let mut client = Client::with(
        json!({"textDocument": {"completion": {"completionItem": {"snippetSupport": true}}}}),
        &[],
    );
    let uri = client.uri("a.rise");
    let text = "def twice = fun(x: f32 => x + x)\ndef f = fun(rows: 8.4.f32 => rows |> tr)\n";
    client.open(&uri, text);
    let (line, character) = find(text, "tr)");
    let list = client.at("textDocument/completion", &uri, line, character + 2);
    let mut items = list["items"].as_array().unwrap().clone();
    items.sort_by_key(|item| item["sortText"].as_str().unwrap().to_owned());
    let labels: Vec<&str> = items
        .iter()
        .map(|item| item["label"].as_str().unwrap())
        .collect();
    let place = |name: &str| labels.iter().position(|label| *label == name);
    assert!(
        place("transpose").unwrap() < place("twice").unwrap_or(labels.len()),
        "{labels:?}"
    );
    let transpose = items[place("transpose").unwrap()].clone();
    assert_eq!(
        transpose["textEdit"]["range"],
        range((line, character), (line, character + 2))
    );
    assert!(transpose["documentation"].is_null());
    let resolved = client.request("completionItem/resolve", transpose.clone());
    assert!(
        resolved["documentation"]["value"]
            .as_str()
            .is_some_and(|docs| !docs.is_empty()),
        "{resolved}"
    );
    assert_eq!(resolved["label"], transpose["label"]);
}

#[test]
fn clients_without_snippets_get_plain_text() {
    let mut client = Client::start();
    let uri = client.uri("a.rise");
    client.open(&uri, "def f = fun(x => m)\n");
    let list = client.at("textDocument/completion", &uri, 0, 18);
    let items = list["items"].as_array().unwrap();
    assert!(items.iter().any(|item| item["label"] == "map"));
    for item in items {
        assert!(item["insertTextFormat"].is_null());
        assert!(
            !item["textEdit"]["newText"].as_str().unwrap().contains("${"),
            "{item}"
        );
    }
}

#[test]
fn signature_help_marks_the_parameter_under_the_cursor() {
    let mut client = Client::start();
    let uri = client.uri("a.rise");
    client.open(&uri, "def f = fun(xs: 8.f32, ys: 8.f32 => zip(xs, ))\n");
    let help = client.at("textDocument/signatureHelp", &uri, 0, 44);
    let signature = &help["signatures"][0];
    assert!(
        signature["label"].as_str().unwrap().starts_with("zip"),
        "{help}"
    );
    assert_eq!(help["activeParameter"], 1, "{help}");
    let label: Vec<u16> = signature["label"]
        .as_str()
        .unwrap()
        .encode_utf16()
        .collect();
    for parameter in signature["parameters"].as_array().unwrap() {
        let offset = |at: usize| usize::try_from(parameter["label"][at].as_u64().unwrap()).unwrap();
        assert!(offset(0) < offset(1) && offset(1) <= label.len(), "{help}");
    }
    assert!(
        client
            .at("textDocument/signatureHelp", &uri, 0, 2)
            .is_null()
    );
}

fn hints(client: &mut Client, uri: &str, lines: usize) -> Vec<Value> {
    let params = json!({"textDocument": {"uri": uri}, "range": range((0, 0), (lines, 0))});
    client
        .request("textDocument/inlayHint", params)
        .as_array()
        .unwrap()
        .clone()
}

#[test]
fn inlay_hints_show_types_and_insert_themselves() {
    let mut client = Client::start();
    let uri = client.uri("mv.rise");
    client.open(&uri, MV);
    let shown = hints(&mut client, &uri, 10);
    let labels: Vec<&str> = shown
        .iter()
        .map(|hint| hint["label"].as_str().unwrap())
        .collect();
    assert!(
        labels.iter().any(|label| label.contains("m.(f32, f32)")),
        "{labels:?}"
    );
    for hint in &shown {
        assert!(
            hint["label"].as_str().unwrap().chars().count() <= 43,
            "{hint}"
        );
        if !hint["textEdits"].is_null() {
            let changed = edited(MV, &hint["textEdits"]);
            let version = client.replace(&uri, &changed);
            let diagnostics = client.diagnostics(&uri, version);
            assert!(
                diagnostics.iter().all(|found| found["severity"] != 1),
                "{changed}\n{diagnostics:#?}"
            );
        }
    }
}

#[test]
fn kinds_of_inlay_hints_are_turned_off_by_settings() {
    let capabilities = json!({"workspace": {
        "configuration": true,
        "didChangeConfiguration": {"dynamicRegistration": true},
        "inlayHint": {"refreshSupport": true},
    }});
    let mut client = Client::with(capabilities, &[]);
    client.wait_asked("workspace/configuration");
    let uri = client.uri("mv.rise");
    client.open(&uri, MV);
    let all = hints(&mut client, &uri, 10).len();
    client.settings = json!({"inlayHints": {"pipelines": false}});
    client.notify(
        "workspace/didChangeConfiguration",
        json!({"settings": null}),
    );
    client.wait_asked("workspace/inlayHint/refresh");
    client.wait_until(|client| hints(client, &uri, 10).len() < all);
}

#[test]
fn lenses_are_asked_for_again_when_their_settings_change() {
    let capabilities = json!({"workspace": {
        "configuration": true,
        "didChangeConfiguration": {"dynamicRegistration": true},
        "codeLens": {"refreshSupport": true},
    }});
    let mut client = Client::with(capabilities, &[]);
    client.wait_asked("workspace/configuration");
    client.settings = json!({"lens": {"run": false}});
    client.notify(
        "workspace/didChangeConfiguration",
        json!({"settings": null}),
    );
    client.wait_asked("workspace/codeLens/refresh");
}

#[test]
fn settings_come_with_initialize_or_with_a_notification() {
    let mut client = Client::raw(&[]);
    let off = json!({"parameters": false, "definitions": false, "pipelines": false});
    client.initialize(
        json!({"capabilities": {}, "initializationOptions": {"rise": {"inlayHints": off}}}),
    );
    client.open("untitled:mv", MV);
    assert_eq!(hints(&mut client, "untitled:mv", 10), Vec::<Value>::new());
    let wrong =
        json!({"settings": {"rise": {"inlayHints": {"pipelines": "yes", "maxLength": 12}}}});
    client.notify("workspace/didChangeConfiguration", wrong);
    let log = client.wait_for(|said| said["method"] == "window/logMessage");
    assert_eq!(
        log["params"]["message"],
        "`rise.inlayHints.pipelines`: invalid type: string \"yes\", expected a boolean"
    );
    let short = hints(&mut client, "untitled:mv", 10);
    assert!(!short.is_empty());
    assert!(
        short
            .iter()
            .all(|hint| hint["label"].as_str().unwrap().chars().count() <= 12),
        "{short:#?}"
    );
}
