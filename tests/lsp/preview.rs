//! Tests of previews of generated code, and of the lenses that open them.

use serde_json::{Value, json};

use crate::client::{Client, range};

const DOT: &str = "def broken =
@target(c)
def dot = depFun(n: Nat => fun((xs: n.f32, ys: n.f32) =>
  zip(xs)(ys) |> map(fun(p => p._1 * p._2)) |> reduceSeq(add)(0.0f)))
";

fn preview(client: &mut Client, uri: &str, form: &str) -> Value {
    client.request(
        "rise/preview",
        json!({"textDocument": {"uri": uri}, "def": "dot", "as": form}),
    )
}

/// Returns the text of a range on one line.
fn text_at(text: &str, range: &Value) -> String {
    let at = |end: &str, part: &str| usize::try_from(range[end][part].as_u64().unwrap()).unwrap();
    let line = text.lines().nth(at("start", "line")).unwrap();
    let end = match at("end", "line") == at("start", "line") {
        true => at("end", "character"),
        false => line.len(),
    };
    line[at("start", "character")..end].to_owned()
}

#[test]
fn every_form_of_a_definition_is_shown_although_another_one_is_broken() {
    let mut client = Client::start();
    let uri = client.uri("a.rise");
    client.open(&uri, DOT);
    for (form, wanted) in [
        ("rise", "def dot"),
        ("dpia", "reduceSeq("),
        ("dpia-imperative", "for("),
        ("c", "void dot("),
        ("openmp", "void dot("),
        ("c:lowering", "void dot("),
    ] {
        let shown = preview(&mut client, &uri, form);
        let text = shown["text"].as_str().unwrap();
        assert!(text.contains(wanted), "{form}: {shown}");
        assert_eq!((&shown["def"], &shown["as"]), (&json!("dot"), &json!(form)));
        assert_eq!(shown["errors"], json!([]));
    }
}

#[test]
fn a_place_in_the_text_leads_to_the_source_and_back() {
    let mut client = Client::start();
    let uri = client.uri("a.rise");
    client.open(&uri, DOT);
    let shown = preview(&mut client, &uri, "c");
    let text = shown["text"].as_str().unwrap();
    let parts = shown["map"].as_array().unwrap();
    let product = parts
        .iter()
        .find(|part| text_at(text, &part["target"]) == "xs[i] * ys[i]")
        .unwrap_or_else(|| panic!("no part for the product: {shown}"));
    assert_eq!(text_at(DOT, &product["source"]), "p._1 * p._2");
    let reduction = parts
        .iter()
        .find(|part| text_at(text, &part["target"]).starts_with("for ("))
        .unwrap_or_else(|| panic!("no part for the loop: {shown}"));
    assert!(text_at(DOT, &reduction["source"]).contains("reduceSeq(add)(0.0f)"));
}

#[test]
fn an_edit_changes_the_previews_that_are_shown() {
    let mut client = Client::start();
    let uri = client.uri("a.rise");
    client.open(&uri, DOT);
    preview(&mut client, &uri, "c");
    // `p._1 * p._2` becomes `p._1 - p._2`.
    let column = DOT.lines().nth(3).unwrap().find('*').unwrap();
    let at = range((3, column), (3, column + 1));
    client.change(&uri, json!([{"range": at, "text": "-"}]));
    let changed = client.wait_for(|message| message["method"] == "rise/previewChanged");
    let params = &changed["params"];
    assert_eq!(params["textDocument"]["uri"], json!(uri));
    assert!(
        params["text"].as_str().unwrap().contains("xs[i] - ys[i]"),
        "{params}"
    );
    // An error is reported, and its correction restores the preview.
    client.change(&uri, json!([{"range": at, "text": "-+"}]));
    let changed = client.wait_for(|message| {
        message["method"] == "rise/previewChanged" && message["params"]["errors"] != json!([])
    });
    assert_eq!(changed["params"]["text"], "");
}

#[test]
fn what_cannot_be_compiled_says_why() {
    let mut client = Client::start();
    let uri = client.uri("a.rise");
    client.open(
        &uri,
        "def sums = fun(xs: 4.4.f32 => xs |> mapSeq(mapSeq(id)) |> toMem |> map(reduce(add)(0.0f)))\n",
    );
    let params = json!({"textDocument": {"uri": uri}, "as": "c"});
    let shown = client.request("rise/preview", params);
    assert_eq!(shown["text"], "");
    let errors = shown["errors"].as_array().unwrap();
    let codes: Vec<&Value> = errors.iter().map(|error| &error["code"]).collect();
    assert_eq!(codes, ["missing-choice", "missing-choice"]);
    let unknown = json!({"textDocument": {"uri": uri}, "as": "fortran"});
    assert_eq!(client.refused("rise/preview", unknown), -32602);
    let missing = json!({"textDocument": {"uri": uri}, "def": "none", "as": "c"});
    assert_eq!(client.refused("rise/preview", missing), -32602);
}

#[test]
fn lenses_are_for_clients_that_have_the_commands() {
    let none = json!({"experimental": {"rise": {"commands": []}}});
    let client = Client::with(none, &[]);
    assert_eq!(client.capabilities["codeLensProvider"], Value::Null);
    let commands = json!({"experimental": {"rise": {"commands": ["rise.preview", "rise.run"]}}});
    let mut client = Client::with(commands, &[]);
    assert!(client.capabilities["codeLensProvider"].is_object());
    let uri = client.uri("a.rise");
    client.open(&uri, DOT);
    let lenses = client.request(
        "textDocument/codeLens",
        json!({"textDocument": {"uri": uri}}),
    );
    let titles: Vec<&Value> = lenses
        .as_array()
        .unwrap()
        .iter()
        .map(|lens| &lens["command"]["title"])
        .collect();
    assert_eq!(titles, ["Run", "Preview"]);
    assert_eq!(lenses[0]["command"]["arguments"][0]["def"], "dot");
    assert_eq!(lenses[0]["command"]["arguments"][0]["target"], "c");
}

#[test]
fn settings_and_errors_take_lenses_away() {
    let commands = json!(["rise.preview", "rise.run", "rise.lower"]);
    let mut client = Client::with(
        json!({"experimental": {"rise": {"commands": commands}}}),
        &[],
    );
    let uri = client.uri("a.rise");
    client.open(
        &uri,
        "def f = fun(xs: 4.f32 => xs |> map(fun(x => x + x)))\n",
    );
    let titles = |client: &mut Client| -> Vec<String> {
        let params = json!({"textDocument": {"uri": uri}});
        let lenses = client.request("textDocument/codeLens", params);
        let title = |lens: &Value| lens["command"]["title"].as_str().unwrap().to_owned();
        lenses.as_array().unwrap().iter().map(title).collect()
    };
    assert_eq!(titles(&mut client), ["Run", "Preview", "Lower 1 Pattern…"]);
    let settings = json!({"rise": {"lens": {"run": false, "lower": false}}});
    client.notify(
        "workspace/didChangeConfiguration",
        json!({"settings": settings}),
    );
    assert_eq!(titles(&mut client), ["Preview"]);
    client.notify(
        "workspace/didChangeConfiguration",
        json!({"settings": {"rise": {}}}),
    );
    client.replace(&uri, "def f = fun((xs: 4.f32, ys: 5.f32) => zip(xs)(ys))\n");
    assert_eq!(titles(&mut client), ["Preview"]);
}

#[test]
fn a_definition_that_disappears_is_an_error_until_it_is_back() {
    let mut client = Client::start();
    let uri = client.uri("a.rise");
    client.open(&uri, DOT);
    preview(&mut client, &uri, "c");
    let name = range((2, 4), (2, 7));
    client.change(&uri, json!([{"range": name, "text": ""}]));
    let changed = client.wait_for(|message| message["method"] == "rise/previewChanged");
    let params = &changed["params"];
    assert_eq!(
        (&params["def"], &params["text"]),
        (&json!("dot"), &json!(""))
    );
    let error = params["errors"][0]["message"].as_str().unwrap();
    assert_eq!(error, "the document does not define `dot`");
    client.change(
        &uri,
        json!([{"range": range((2, 4), (2, 4)), "text": "dot"}]),
    );
    let changed = client.wait_for(|message| message["method"] == "rise/previewChanged");
    let text = changed["params"]["text"].as_str().unwrap();
    assert!(text.contains("void dot("), "{text}");
}

#[test]
fn a_preview_follows_its_definition_to_another_name() {
    let mut client = Client::start();
    let uri = client.uri("a.rise");
    client.open(&uri, DOT);
    preview(&mut client, &uri, "c");
    let renamed = |client: &mut Client| {
        let changed = client.wait_for(|message| message["method"] == "rise/previewChanged");
        let part = |name: &str| changed["params"].get(name).cloned();
        (
            part("renamedFrom"),
            part("def"),
            changed["params"]["text"].clone(),
        )
    };
    let edits = client.request(
        "textDocument/rename",
        json!({"textDocument": {"uri": uri}, "position": {"line": 2, "character": 5}, "newName": "sum"}),
    );
    let edits = edits["changes"][&uri].as_array().unwrap().clone();
    let changes = edits
        .iter()
        .map(|edit| json!({"range": edit["range"], "text": edit["newText"]}));
    client.change(&uri, changes.collect());
    let (before, now, text) = renamed(&mut client);
    assert_eq!((before, now), (Some(json!("dot")), Some(json!("sum"))));
    assert!(text.as_str().unwrap().contains("void sum("), "{text}");
    // Renaming by hand: first the name is removed, then another one is inserted.
    let name = |length: usize| range((2, 4), (2, 4 + length));
    client.change(&uri, json!([{"range": name(3), "text": ""}]));
    let (before, now, text) = renamed(&mut client);
    assert_eq!((before, now, text), (None, Some(json!("sum")), json!("")));
    client.change(&uri, json!([{"range": name(0), "text": "inner"}]));
    let (before, now, text) = renamed(&mut client);
    assert_eq!((before, now), (Some(json!("sum")), Some(json!("inner"))));
    assert!(text.as_str().unwrap().contains("void inner("), "{text}");
    // The client closes the preview under its current name.
    let closed = json!({"textDocument": {"uri": uri}, "def": "inner", "as": "c"});
    client.notify("rise/previewClosed", closed);
    client.change(&uri, json!([{"range": name(5), "text": "other"}]));
    preview_of_another(&mut client, &uri);
}

/// Opens a preview of the definition `other`, and asserts that no other preview changes.
fn preview_of_another(client: &mut Client, uri: &str) {
    let params = json!({"textDocument": {"uri": uri}, "def": "other", "as": "dpia"});
    client.request("rise/preview", params);
    client.wait_until(|client| client.request("rise/status", Value::Null)["checking"] == false);
    let is_change = |said: &Value| said["method"] == "rise/previewChanged";
    assert!(!client.said.iter().any(is_change), "{:?}", client.said);
}

const ROWS: &str = "def rows = depFun((n: Nat, m: Nat) => fun((xs: m.n.f32, ys: n.f32) =>
  xs |> transpose |> mapSeq(fun(row =>
    row |> mapSeq(fun(x => x * x)) |> toMem |> split(4) |> mapSeq(reduceSeq(add)(0.0f)))) |> join))
";

#[test]
fn each_line_says_where_it_is_from_and_what_made_it() {
    let mut client = Client::start();
    let uri = client.uri("a.rise");
    client.open(&uri, ROWS);
    let params = json!({"textDocument": {"uri": uri}, "as": "c"});
    let shown = client.request("rise/preview", params);
    let text = shown["text"].as_str().unwrap();
    let parts = shown["map"].as_array().unwrap();
    let find = |begin: &str| {
        let is_it = |part: &&Value| {
            part["origin"].is_object() && text_at(text, &part["target"]).starts_with(begin)
        };
        let found = parts.iter().find(is_it);
        let part = found.unwrap_or_else(|| panic!("nothing made `{begin}`: {text}"));
        (text_at(ROWS, &part["source"]), part["origin"].clone())
    };
    // Loops and arithmetic are from a primitive or operator.
    assert_eq!(find("for (").1["primitive"], "mapSeq");
    let (source, made) = find("tmp[j] = ");
    assert_eq!(
        (source.as_str(), &made["primitive"]),
        ("x * x", &json!("*"))
    );
    // An index is from views that have been eliminated.
    let passes = find("xs[j * n + i]").1["passes"].clone();
    assert_eq!(passes, json!(["views: the index comes from `transpose`"]));
    let passes = find("tmp[4 * j + k]").1["passes"].clone();
    assert_eq!(passes, json!(["views: the index comes from `split`"]));
    // A view marks the reads through it, and the check that it needs.
    let marked = |view: &str| -> Vec<String> {
        let of_view = parts
            .iter()
            .filter(|part| text_at(ROWS, &part["source"]) == view);
        of_view.map(|part| text_at(text, &part["target"])).collect()
    };
    assert_eq!(marked("transpose"), ["xs[j * n + i]"; 2]);
    assert!(marked("split").contains(&"tmp[4 * j + k]".to_owned()));
    assert!(marked("split")[0].starts_with("assert(m % 4 == 0"));
    // Memory is from the expression that requires it.
    let (source, made) = find("float *tmp = ");
    assert!(source.contains("mapSeq(fun(x => x * x))"), "{source}");
    assert!(
        made["passes"][0]
            .as_str()
            .unwrap()
            .starts_with("allocation: "),
        "{made}"
    );
    assert_eq!(find("free(tmp);").0, source);
    // A check is from the call that needs it.
    assert_eq!(find("assert(m % 4 == 0").0, "split");
    assert_eq!(find("#include <assert.h>").0, "rows");
    assert_eq!(find("/* rows").0, "rows");
    assert_eq!(find("(void)ys;").0, "rows");
}

#[test]
fn a_preview_of_a_program_without_choices_shows_the_default_schedule() {
    const HIGH: &str =
        "def twice = depFun(n: Nat => fun(xs: n.f32 => xs |> map(fun(x => x * 2.0f))))\n";
    let mut client = Client::start();
    let uri = client.uri("a.rise");
    client.open(&uri, HIGH);
    for (form, line) in [
        ("c", "output[i] = xs[i] * 2.0f;"),
        ("openmp", "#pragma omp parallel for"),
        ("opencl", "get_global_id(0)"),
    ] {
        let params = json!({"textDocument": {"uri": uri}, "def": "twice", "as": form});
        let shown = client.request("rise/preview", params);
        assert!(shown["text"].as_str().unwrap().contains(line), "{shown}");
        assert_eq!(shown.get("lower"), None);
    }
}

#[test]
fn a_preview_of_a_program_with_missing_choices_says_how_to_lower_it() {
    const HIGH: &str = "def twice = depFun(n: Nat => fun(xs: n.f32 => xs |> mapSeq(id) |> toMem |> map(fun(x => x * 2.0f))))\n";
    let mut client = Client::start();
    let uri = client.uri("a.rise");
    client.open(&uri, HIGH);
    let asked = |form: &str| json!({"textDocument": {"uri": uri}, "def": "twice", "as": form});
    for (form, target) in [("c", "c"), ("openmp", "openmp")] {
        let shown = client.request("rise/preview", asked(form));
        assert_eq!(shown["lower"], target, "{shown}");
        let lowered = client.request(
            "rise/lower",
            json!({"textDocument": {"uri": uri}, "def": "twice", "target": target}),
        );
        assert!(lowered["edit"].is_object(), "{lowered}");
    }
    let shown = client.request("rise/preview", asked("rise"));
    assert_eq!(shown.get("lower"), None);
}
