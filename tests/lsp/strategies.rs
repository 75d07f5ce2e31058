//! Tests of ELEVATE documents.

use serde_json::{Value, json};

use crate::client::{Client, codes, covered, edited, file_name, find, range};

const STRATEGIES: &str = "\
import \"mm.rise\"

/// Two maps are one.
rule fuse = map(f) >> map(g) |-> map(f >> g)

val schedule = topDown(fuse) ;; try(fuse)

schedule(mm)
";

const PROGRAM: &str = "\
def mm = fun(xs: 4.f32 => xs |> map(fun(x => x + 1.0f)) |> map(fun(x => x * 2.0f)))
";

fn session() -> (Client, String) {
    let mut client = Client::with(
        json!({}),
        &[("s.elevate", STRATEGIES), ("mm.rise", PROGRAM)],
    );
    let uri = client.uri("s.elevate");
    client.open_in(&uri, "elevate", STRATEGIES);
    (client, uri)
}

fn at(client: &mut Client, method: &str, uri: &str, needle: &str) -> Value {
    let (line, character) = find(STRATEGIES, needle);
    client.at(method, uri, line, character)
}

#[test]
fn what_is_wrong_is_said_and_goes_away() {
    let (mut client, uri) = session();
    assert_eq!(client.diagnostics(&uri, 1), [] as [Value; 0]);
    let wrong = STRATEGIES.replace("topDown", "topDwn");
    let version = client.replace(&uri, &wrong);
    let found = client.diagnostics(&uri, version);
    assert_eq!(codes(&found), ["unknown-name"]);
    assert_eq!(covered(&wrong, &found[0]["range"]), "topDwn");
    let version = client.replace(&uri, STRATEGIES);
    assert_eq!(client.diagnostics(&uri, version), [] as [Value; 0]);
}

#[test]
fn names_lead_to_rules_programs_and_the_library() {
    let (mut client, uri) = session();
    let shown = at(&mut client, "textDocument/hover", &uri, "fuse) ;;");
    let markdown = shown["contents"]["value"].as_str().unwrap_or_default();
    assert!(markdown.contains("rule fuse : Rule"), "{markdown}");
    assert!(markdown.contains("Two maps are one."), "{markdown}");
    let target = |found: &Value| {
        let place = found.as_array().map_or(found, |all| &all[0]);
        file_name(&place["uri"]).to_owned()
    };
    let found = at(&mut client, "textDocument/definition", &uri, "mm)");
    assert_eq!(target(&found), "mm.rise");
    let found = at(&mut client, "textDocument/definition", &uri, "topDown");
    assert_eq!(target(&found), "traversals.elevate");
    // The library's text is shown, and requests about it work.
    let library = found.as_array().map_or(&found, |all| &all[0])["uri"].clone();
    let text = client.request("rise/virtualDocument", json!({"uri": library}));
    let text = text["text"].as_str().unwrap_or_default().to_owned();
    assert!(text.contains("strategy topDown(s: Strategy)"));
}

#[test]
fn a_program_is_renamed_where_strategies_name_it() {
    let (mut client, uri) = session();
    client.wait_loaded();
    let (line, character) = find(STRATEGIES, "mm)");
    let edit = client.request(
        "textDocument/rename",
        json!({
            "textDocument": {"uri": uri},
            "position": {"line": line, "character": character},
            "newName": "product",
        }),
    );
    let shown = edit.to_string();
    assert!(
        shown.contains("mm.rise") && shown.contains("s.elevate"),
        "{shown}"
    );
    assert_eq!(shown.matches("\"product\"").count(), 2, "{shown}");
}

#[test]
fn completion_formatting_and_structure() {
    let (mut client, uri) = session();
    let text = STRATEGIES.replace("topDown(fuse)", "fuse @ outer");
    client.replace(&uri, &text);
    let (line, character) = find(&text, " ;; try");
    let list = client.at("textDocument/completion", &uri, line, character);
    let items = list["items"].as_array().or(list.as_array()).cloned();
    let labels: Vec<String> = items
        .unwrap_or_default()
        .iter()
        .filter_map(|item| Some(item["label"].as_str()?.to_owned()))
        .collect();
    assert!(
        labels.iter().any(|label| label == "outermost"),
        "{labels:?}"
    );
    let text = STRATEGIES.replace("val schedule =", "val   schedule   =");
    client.replace(&uri, &text);
    let options = json!({"tabSize": 2, "insertSpaces": true});
    let document = json!({"uri": uri});
    let edits = client.request(
        "textDocument/formatting",
        json!({"textDocument": document, "options": options}),
    );
    assert_eq!(edited(&text, &edits), STRATEGIES);
    let symbols = client.request(
        "textDocument/documentSymbol",
        json!({"textDocument": document}),
    );
    let names = symbols.to_string();
    assert!(
        names.contains("\"fuse\"") && names.contains("\"schedule\""),
        "{names}"
    );
    for method in ["semanticTokens/full", "foldingRange"] {
        let method = format!("textDocument/{method}");
        let answer = client.request(&method, json!({"textDocument": document}));
        assert!(!answer.is_null(), "{method}");
    }
    let hints = client.request(
        "textDocument/inlayHint",
        json!({"textDocument": document, "range": range((0, 0), (9, 0))}),
    );
    assert!(hints.is_null() || hints.is_array());
}

/// Strategies with an unknown name and a wrong example.
const EXAMPLES: &str = "\
rule swap = x + y |-> y + x

val wrong = topDwn(swap)

example \"swapped\" {
  input fun(x: f32 => x + 1.0f)
  apply topDown(swap)
  expect fun(x: f32 => x + 2.0f)
}
";

/// Returns the codes of each list of diagnostics that is sent for a version of a document until all
/// checks have finished.
fn published(client: &mut Client, uri: &str, version: i32) -> Vec<Vec<String>> {
    client.wait_until(|client| client.request("rise/status", Value::Null)["checking"] == false);
    let sent = std::mem::take(&mut client.said);
    let of_version = |said: &&Value| {
        said["method"] == "textDocument/publishDiagnostics"
            && said["params"]["uri"] == uri
            && said["params"]["version"] == version
    };
    let lists = sent.iter().filter(of_version);
    let all = lists.map(|said| said["params"]["diagnostics"].as_array().unwrap());
    let owned = |found: &Vec<Value>| codes(found).into_iter().map(str::to_owned).collect();
    all.map(owned).collect()
}

#[test]
fn diagnostics_of_types_are_sent_before_examples_run() {
    let mut client = Client::start();
    let uri = client.uri("s.elevate");
    client.open_in(&uri, "elevate", EXAMPLES);
    let (types, all) = (vec!["unknown-name"], vec!["unknown-name", "example-fails"]);
    assert_eq!(
        published(&mut client, &uri, 1),
        [types.clone(), all.clone()]
    );
    // The text of the example has changed.
    let version = client.replace(&uri, &EXAMPLES.replace("2.0f", "3.0f"));
    assert_eq!(published(&mut client, &uri, version), [types, all.clone()]);
    let document = json!({"textDocument": {"uri": uri}});
    let asked = client.request("textDocument/diagnostic", document);
    assert_eq!(codes(asked["items"].as_array().unwrap()), all);
}

#[test]
fn outcomes_of_examples_stay_while_something_else_is_written() {
    let mut client = Client::start();
    let uri = client.uri("s.elevate");
    client.open_in(&uri, "elevate", EXAMPLES);
    published(&mut client, &uri, 1);
    let mended = EXAMPLES.replace("topDwn", "topDown");
    let version = client.replace(&uri, &mended);
    assert_eq!(published(&mut client, &uri, version), [["example-fails"]]);
    // The example uses the changed rule.
    let version = client.replace(&uri, &mended.replace("y + x", "(y + x)"));
    let none: [&str; 0] = [];
    assert_eq!(
        published(&mut client, &uri, version),
        [&none[..], &["example-fails"]]
    );
}

#[test]
fn a_keystroke_interrupts_examples() {
    let mut client = Client::start();
    let uri = client.uri("s.elevate");
    let long = EXAMPLES.replace(
        "apply topDown(swap)",
        "apply repeatNTimes(1000000)(topDown(swap))",
    );
    client.open_in(&uri, "elevate", &long);
    assert_eq!(codes(&client.diagnostics(&uri, 1)), ["unknown-name"]);
    let running = client.request("rise/status", Value::Null);
    assert_eq!(running["checking"], true);
    let version = client.replace(&uri, EXAMPLES);
    let lists = published(&mut client, &uri, version);
    assert_eq!(
        lists,
        [vec!["unknown-name"], vec!["unknown-name", "example-fails"]]
    );
    let status = client.request("rise/status", Value::Null);
    assert_ne!(status["interruptedJobs"], 0);
}
