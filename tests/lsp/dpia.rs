//! Tests of DPIA documents.

use serde_json::{Value, json};

use crate::client::{Client, codes, covered, edited, find, place, range};

/// An imperative program.
const CLAMP: &str = "\
/// Cuts off what is negative.
def clamp = depFun((n: Nat) => fun((out: Acc[n.f32], xs: Exp[n.f32, Rd]) =>
  for(n, fun(i =>
    if (idx(i, xs) < 0.0f) {
      idxAcc(i, out) = 0.0f
    } else {
      idxAcc(i, out) = idx(i, xs)
    }))))
";

/// A functional program.
const SQUARES: &str = "\
def squares = depFun((n: Nat) => fun(xs: Exp[n.f32, Rd] =>
  mapSeq(fun(x => x + 1.0f), toMem(mapSeq(fun(x => x * x), xs)))))
";

const UNSTORED: &str = "\
def unstored = depFun((n: Nat) => fun(xs: Exp[n.f32, Rd] =>
  mapSeq(fun(x => x + 1.0f), mapSeq(fun(x => x * x), xs))))
";

fn opened(text: &str) -> (Client, String) {
    let mut client = Client::start();
    let uri = client.uri("a.dpia");
    client.open_in(&uri, "dpia", text);
    (client, uri)
}

fn hover(client: &mut Client, uri: &str, text: &str, needle: &str) -> String {
    let (line, character) = find(text, needle);
    let hover = client.at("textDocument/hover", uri, line, character);
    let shown = hover["contents"]["value"].as_str();
    shown.unwrap_or_default().into()
}

#[test]
fn the_language_is_that_of_the_name_or_else_of_the_client() {
    let mut client = Client::start();
    // Some clients do not support DPIA, and send `plaintext`.
    for (uri, language, wrong) in [
        (client.uri("a.dpia"), "plaintext", false),
        (client.uri("a.rise"), "dpia", true),
        ("untitled:Untitled-1".to_owned(), "dpia", false),
        ("untitled:Untitled-2".to_owned(), "rise", true),
    ] {
        client.open_in(&uri, language, CLAMP);
        let found = client.diagnostics(&uri, 1);
        assert_eq!(!found.is_empty(), wrong, "{uri} in {language}: {found:?}");
    }
    // To change the language, a client closes the document and opens it again.
    let uri = "untitled:Untitled-2";
    client.close(uri);
    client.open_in(uri, "dpia", CLAMP);
    client.wait_for(|said| {
        said["params"]["uri"] == uri
            && said["params"]["version"] == 1
            && said["params"]["diagnostics"] == json!([])
    });
}

#[test]
fn diagnostics_are_pushed_and_pulled() {
    let (mut client, uri) = opened(UNSTORED);
    let pushed = client.diagnostics(&uri, 1);
    assert_eq!(codes(&pushed), ["missing-memory"]);
    assert_eq!(
        covered(UNSTORED, &pushed[0]["range"]),
        "mapSeq(fun(x => x * x), xs)"
    );
    let capabilities = json!({"textDocument": {"diagnostic": {}}});
    let mut client = Client::with(capabilities, &[("a.dpia", UNSTORED)]);
    let uri = client.open_file("a.dpia");
    let report = client.request(
        "textDocument/diagnostic",
        json!({"textDocument": {"uri": uri}}),
    );
    assert_eq!(
        codes(report["items"].as_array().unwrap()),
        ["missing-memory"]
    );
}

#[test]
fn a_race_is_an_error_while_one_types() {
    let text = "\
def sum = depFun((n: Nat) => fun((out: Acc[n.f32], xs: Exp[n.f32, Rd]) =>
  parFor(n, f32, out, fun((i, o) => o = idx(i, xs)))))
";
    let (mut client, uri) = opened(text);
    assert_eq!(codes(&client.diagnostics(&uri, 1)), [""; 0]);
    let (line, character) = find(text, "o = idx");
    let change = |from: usize, to: usize, text: &str| json!([{"range": range((line, from), (line, to)), "text": text}]);
    let version = client.change(&uri, change(character, character + 1, "idxAcc(i, out)"));
    assert_eq!(codes(&client.diagnostics(&uri, version)), ["data-race"]);
    let version = client.change(&uri, change(character, character + 14, "o"));
    assert_eq!(codes(&client.diagnostics(&uri, version)), [""; 0]);
    assert_eq!(client.text(&uri), text);
}

#[test]
fn a_half_typed_program_has_one_error() {
    let text = format!("{CLAMP}\n{SQUARES}");
    let (mut client, uri) = opened(&text);
    client.diagnostics(&uri, 1);
    // Tests every prefix of the first definition, followed by the second one.
    let lines: Vec<&str> = CLAMP.lines().collect();
    for kept in 2..lines.len() {
        let half = format!("{}\n\n{SQUARES}", lines[..kept].join("\n"));
        let version = client.replace(&uri, &half);
        let found = client.diagnostics(&uri, version);
        assert_eq!(found.len(), 1, "{half}\n{found:#?}");
    }
    let version = client.replace(&uri, &text);
    assert_eq!(client.diagnostics(&uri, version), [Value::Null; 0]);
}

#[test]
fn ten_thousand_parentheses_are_one_error() {
    let text = format!(
        "def f = {}1{}\n{SQUARES}",
        "(".repeat(10_000),
        ")".repeat(10_000)
    );
    let (mut client, uri) = opened(&text);
    assert_eq!(codes(&client.diagnostics(&uri, 1)), ["too-deep"]);
    assert!(hover(&mut client, &uri, &text, "squares").contains("Exp[n.f32, Wr]"));
    let document = json!({"textDocument": {"uri": uri}});
    client.request("textDocument/semanticTokens/full", document.clone());
    client.request("textDocument/foldingRange", document);
}

#[test]
fn hover_shows_phrase_types_and_what_primitives_do() {
    let (mut client, uri) = opened(CLAMP);
    for (needle, wanted) in [
        (
            "clamp =",
            "clamp : (n: Nat) -> Acc[n.f32] -> Exp[n.f32, Rd] -> Comm",
        ),
        ("clamp =", "Cuts off what is negative."),
        ("for(", "for : "),
        ("for(", "Comm"),
        ("idxAcc(i", "Acc["),
        ("out) = 0", "Acc[n.f32]"),
        ("i, xs) <", "Exp[Idx[n], Rd]"),
        ("Acc[", "a place to which a `t` is written"),
        ("Rd]", "can be read"),
        ("= 0.0f", "writes one value"),
    ] {
        let shown = hover(&mut client, &uri, CLAMP, needle);
        assert!(shown.contains(wanted), "{needle}: {shown}");
    }
}

#[test]
fn completion_offers_what_dpia_has() {
    let snippets =
        json!({"textDocument": {"completion": {"completionItem": {"snippetSupport": true}}}});
    let text = "\
def f = depFun((n: Nat) => fun((out: Acc[n.f32], xs: Exp[n.f32, R]) => par))
def g = depFun((a: Read, b: Nat) => fun(x: E => x))
";
    let mut client = Client::with(snippets, &[]);
    let uri = client.uri("a.dpia");
    client.open_in(&uri, "dpia", text);
    let mut labels = |needle: &str, behind: usize| -> Vec<(String, String)> {
        let (line, character) = find(text, needle);
        let list = client.at("textDocument/completion", &uri, line, character + behind);
        let items = list["items"].as_array().unwrap();
        let text = |item: &Value, key: &str| item[key].as_str().unwrap_or_default().to_owned();
        let inserted = |item: &Value| match item["textEdit"]["newText"].as_str() {
            Some(new) => new.to_owned(),
            None => text(item, "insertText"),
        };
        items
            .iter()
            .map(|item| (text(item, "label"), inserted(item)))
            .collect()
    };
    let has = |found: &[(String, String)], label: &str, insert: &str| {
        let one = found.iter().find(|(name, _)| name == label);
        assert_eq!(
            one.map(|(_, text)| text.as_str()),
            Some(insert),
            "{label} in {found:?}"
        );
    };
    has(
        &labels("par)", 3),
        "parFor",
        "parFor(${1:n}, ${2:t}, ${3:out}, ${4:f})",
    );
    has(&labels("R]", 1), "Rd", "Rd");
    has(&labels("Read", 4), "ReadWrite", "ReadWrite");
    has(&labels("E =>", 1), "Exp", "Exp[${1:f32}, ${2|Rd,Wr,St|}]");
    // The library consists of RISE definitions.
    assert!(labels("par)", 3).iter().all(|(name, _)| name != "dot"));
}

#[test]
fn a_completion_is_documented_when_it_is_chosen() {
    let (mut client, uri) = opened("def f = newDou\n");
    let list = client.at("textDocument/completion", &uri, 0, 14);
    let items = list["items"].as_array().unwrap();
    let item = items
        .iter()
        .find(|item| item["label"] == "newDoubleBuffer")
        .unwrap();
    let resolved = client.request("completionItem/resolve", item.clone());
    let docs = resolved["documentation"]["value"].as_str().unwrap();
    assert!(docs.starts_with("```dpia\nnewDoubleBuffer : "), "{docs}");
}

#[test]
fn signatures_follow_the_one_list_of_arguments() {
    let text = "def f = depFun((n: Nat) => fun(xs: Exp[(n * 4).f32, Rd] => split(4, xs)))\n";
    let (mut client, uri) = opened(text);
    let (line, character) = find(text, "xs)))");
    let help = client.at("textDocument/signatureHelp", &uri, line, character);
    let signature = &help["signatures"][0];
    assert!(
        signature["label"].as_str().unwrap().starts_with("split : "),
        "{help}"
    );
    assert_eq!(help["activeParameter"], 1, "{help}");
}

#[test]
fn names_are_found_and_renamed() {
    let text = format!(
        "{CLAMP}\ndef twice = depFun((n: Nat) => fun((out: Acc[n.f32], xs: Exp[n.f32, Rd]) =>\n  clamp(n)(out)(xs); clamp(n)(out)(xs)))\n"
    );
    let (mut client, uri) = opened(&text);
    let (line, character) = find(&text, "clamp(n)");
    let target = client.at("textDocument/definition", &uri, line, character);
    let target = target.get(0).unwrap_or(&target);
    let target = target
        .get("targetSelectionRange")
        .unwrap_or(&target["range"]);
    assert_eq!(target["start"]["line"], 1);
    let mut params = place(&uri, line, character);
    params["context"] = json!({"includeDeclaration": true});
    let references = client.request("textDocument/references", params);
    assert_eq!(references.as_array().unwrap().len(), 3);
    let rename = |client: &mut Client, new: &str| {
        let mut params = place(&uri, line, character);
        params["newName"] = json!(new);
        client.try_request("textDocument/rename", params)
    };
    let edits = rename(&mut client, "limit").unwrap();
    let after = match edits["changes"][&uri].is_array() {
        true => edited(&text, &edits["changes"][&uri]),
        false => edited(&text, &edits["documentChanges"][0]["edits"]),
    };
    assert_eq!(after, text.replace("clamp", "limit"));
    // A keyword of DPIA is not a valid name.
    let refused = rename(&mut client, "skip").unwrap_err();
    assert!(refused["message"].as_str().unwrap().contains("reserved"));
}

#[test]
fn the_shape_of_a_document() {
    let text = format!("{CLAMP}\n{SQUARES}");
    let (mut client, uri) = opened(&text);
    let document = json!({"textDocument": {"uri": uri}});
    let symbols = client.request("textDocument/documentSymbol", document.clone());
    let names: Vec<&Value> = symbols
        .as_array()
        .unwrap()
        .iter()
        .map(|symbol| &symbol["name"])
        .collect();
    assert_eq!(names, ["clamp", "squares"]);
    let folds = client.request("textDocument/foldingRange", document.clone());
    let starts: Vec<u64> = folds
        .as_array()
        .unwrap()
        .iter()
        .map(|fold| fold["startLine"].as_u64().unwrap())
        .collect();
    // The definition, the loop and the branches.
    for line in [1, 2, 3, 5] {
        assert!(starts.contains(&line), "{line} in {starts:?}");
    }
    let (line, character) = find(&text, "0.0f\n    } else");
    let selections = client.request(
        "textDocument/selectionRange",
        json!({"textDocument": {"uri": uri}, "positions": [{"line": line, "character": character}]}),
    );
    let outer = &selections[0]["parent"];
    assert_eq!(covered(&text, &outer["range"]), "idxAcc(i, out) = 0.0f");
    let tokens = client.request("textDocument/semanticTokens/full", document);
    assert!(tokens["data"].as_array().unwrap().len() > 5 * 40);
}

#[test]
fn formatting_is_that_of_dpia() {
    let messy = CLAMP.replace("    ", " ").replace(" => ", "=>");
    let (mut client, uri) = opened(&messy);
    let edits = client.request(
        "textDocument/formatting",
        json!({"textDocument": {"uri": uri}, "options": {"tabSize": 2, "insertSpaces": true}}),
    );
    assert_eq!(edited(&messy, &edits), CLAMP);
}

#[test]
fn inlay_hints_show_phrase_types() {
    let (mut client, uri) = opened(SQUARES);
    let hints = client.request(
        "textDocument/inlayHint",
        json!({"textDocument": {"uri": uri}, "range": range((0, 0), (2, 0))}),
    );
    let labels: Vec<&str> = hints
        .as_array()
        .unwrap()
        .iter()
        .map(|hint| hint["label"].as_str().unwrap())
        .collect();
    assert!(
        labels.iter().any(|label| label.contains("Exp[f32, Rd]")),
        "{labels:?}"
    );
}

/// Returns the document after the first quick fix for its first diagnostic.
fn fixed(client: &mut Client, uri: &str, text: &str, version: i32) -> String {
    let found = client.diagnostics(uri, version);
    let actions = client.request(
        "textDocument/codeAction",
        json!({
            "textDocument": {"uri": uri},
            "range": found[0]["range"],
            "context": {"diagnostics": found},
        }),
    );
    let edit = &actions[0]["edit"];
    match edit["changes"][uri].is_array() {
        true => edited(text, &edit["changes"][uri]),
        false => edited(text, &edit["documentChanges"][0]["edits"]),
    }
}

#[test]
fn fixes_give_the_access_that_is_wanted() {
    let (mut client, uri) = opened("");
    for (text, wanted) in [
        (UNSTORED, "toMem(mapSeq(fun(x => x * x), xs))"),
        (
            "def f = depFun((n: Nat, m: Nat) => fun(xs: Exp[n.m.f32, Rd] => mapSeq(fun(row => row), xs)))\n",
            "mapSeq(fun(row => mapSeq(fun(x => x), row)), xs)",
        ),
        (
            "def f = depFun((n: Nat) => fun(xs: Exp[n.f32, Rd] => mapSec(fun(x => x), xs)))\n",
            "mapSeq(fun(x => x), xs)",
        ),
    ] {
        let version = client.replace(&uri, text);
        let after = fixed(&mut client, &uri, text, version);
        assert!(after.contains(wanted), "{text}\n{after}");
        let version = client.replace(&uri, &after);
        assert_eq!(
            codes(&client.diagnostics(&uri, version)),
            [""; 0],
            "{after}"
        );
    }
}

#[test]
fn previews_and_the_syntax_tree() {
    let text = format!("{CLAMP}\n{SQUARES}");
    let (mut client, uri) = opened(&text);
    let mut preview = |def: &str, form: &str| {
        client.request(
            "rise/preview",
            json!({"textDocument": {"uri": uri}, "def": def, "as": form}),
        )
    };
    for (def, form, wanted) in [
        ("clamp", "dpia-imperative", "for(n, "),
        ("clamp", "c", "void clamp("),
        ("squares", "dpia", "toMem("),
        ("squares", "dpia-imperative", "new("),
        ("squares", "c", "void squares("),
        ("squares", "openmp", "void squares("),
    ] {
        let shown = preview(def, form);
        let text = shown["text"].as_str().unwrap_or_default();
        assert!(text.contains(wanted), "{def} as {form}: {shown}");
    }
    let shown = preview("clamp", "dpia");
    assert_eq!(shown["errors"].as_array().unwrap().len(), 1, "{shown}");
    let tree = client.request("rise/syntaxTree", json!({"textDocument": {"uri": uri}}));
    let tree = tree["text"].as_str().unwrap();
    assert!(tree.contains("(assignment"), "{tree}");
}

#[test]
fn files_of_the_workspace_are_read_and_watched() {
    let user = "import \"clamp.dpia\"\ndef again = clamp\n";
    let mut client = Client::with(json!({}), &[("clamp.dpia", CLAMP), ("a.dpia", user)]);
    let uri = client.open_file("a.dpia");
    client.wait_loaded();
    assert_eq!(codes(&client.diagnostics(&uri, 1)), [""; 0]);
    let symbols = client.request("workspace/symbol", json!({"query": "clamp"}));
    assert!(
        symbols
            .as_array()
            .unwrap()
            .iter()
            .any(|symbol| symbol["name"] == "clamp"),
        "{symbols}"
    );
    std::fs::remove_file(client.path("clamp.dpia")).unwrap();
    let gone = client.uri("clamp.dpia");
    client.notify(
        "workspace/didChangeWatchedFiles",
        json!({"changes": [{"uri": gone, "type": 3}]}),
    );
    client.wait_for(|said| {
        said["params"]["uri"] == uri
            && said["params"]["diagnostics"]
                .as_array()
                .is_some_and(|found| codes(found) == ["import-not-found"])
    });
}
