//! Tests of rewrites of definitions as code actions.

use std::time::Instant;

use serde_json::{Value, json};

use crate::client::{Client, edited, find, range};

const CONTENT_MODIFIED: i64 = -32801;

fn client() -> Client {
    let literal = json!({"codeActionKind": {"valueSet": ["quickfix", "refactor"]}});
    let actions = json!({
        "codeActionLiteralSupport": literal,
        "resolveSupport": {"properties": ["edit"]},
        "dataSupport": true,
        "disabledSupport": true,
    });
    Client::with(json!({"textDocument": {"codeAction": actions}}), &[])
}

/// Returns the code actions at a position.
pub(crate) fn actions(
    client: &mut Client,
    uri: &str,
    at: (usize, usize),
    only: &Value,
) -> Vec<Value> {
    let params = json!({
        "textDocument": {"uri": uri},
        "range": range(at, at),
        "context": {"diagnostics": [], "only": only},
    });
    let all = client.request("textDocument/codeAction", params);
    all.as_array().cloned().unwrap_or_default()
}

fn titled<'a>(actions: &'a [Value], title: &str) -> &'a Value {
    let is = |action: &&Value| {
        action["title"]
            .as_str()
            .is_some_and(|own| own.starts_with(title))
    };
    let titles: Vec<&Value> = actions.iter().map(|action| &action["title"]).collect();
    let found = actions.iter().find(is);
    found.unwrap_or_else(|| panic!("no `{title}` among {titles:#?}"))
}

const TWO: &str = "def two = depFun(n: Nat => fun((xs: n.f32, f: f32 -> f32, g: f32 -> f32) =>\n  \
                   xs |> map(f) |> map(g))) // both\n";

#[test]
fn what_a_quick_fix_does_is_not_offered_again_as_a_rewrite() {
    let text = "@target(opencl)\ndef two = depFun(n: Nat => fun((xs: n.64.f32, f: f32 -> f32) =>\n  \
                xs |> mapWorkGroup(fun(row => row |> mapLocal(f) |> mapLocal(f)))))\n";
    let mut client = client();
    let uri = client.uri("a.rise");
    client.open(&uri, text);
    let mut kinds = |only: Value| -> Vec<Value> {
        let offered = actions(&mut client, &uri, find(text, "mapLocal"), &only);
        let stores = |action: &&Value| {
            let title = action["title"].as_str();
            title.is_some_and(|title| title.starts_with("Store in Local memory"))
        };
        let found = offered.iter().filter(stores);
        found.map(|action| action["kind"].clone()).collect()
    };
    assert_eq!(kinds(json!(null)), ["quickfix"]);
    assert_eq!(kinds(json!(["refactor"])), ["refactor.extract.rise.mem"]);
}

#[test]
fn maps_are_fused_by_one_edit_that_one_undo_takes_back() {
    let mut client = client();
    let uri = client.uri("a.rise");
    client.open(&uri, TWO);
    let at = find(TWO, "map(g)");
    let offered = actions(&mut client, &uri, at, &json!(null));
    let fuse = titled(&offered, "Fuse maps");
    assert_eq!(fuse["title"], "Fuse maps: one array of n f32 less");
    assert_eq!(fuse["kind"], "refactor.rewrite.rise.fuse");
    assert!(fuse["edit"].is_null(), "the edit is made when it is chosen");
    let made = client.request("codeAction/resolve", fuse.clone());
    let edits = &made["edit"]["changes"][&uri];
    let after = edited(TWO, edits);
    assert_eq!(after, TWO.replace("map(f) |> map(g)", "map(f >> g)"));
    // After a change back, the action is offered again.
    client.replace(&uri, &after);
    let version = client.replace(&uri, TWO);
    assert!(client.diagnostics(&uri, version).is_empty());
    let again = actions(
        &mut client,
        &uri,
        at,
        &json!(["refactor.rewrite.rise.fuse"]),
    );
    assert_eq!(titled(&again, "Fuse maps")["title"], fuse["title"]);
    assert!(again.iter().all(|action| action["kind"] == fuse["kind"]));
    assert_eq!(
        actions(&mut client, &uri, at, &json!(["quickfix"])),
        Vec::<Value>::new()
    );
}

#[test]
fn a_rewrite_of_a_text_that_is_gone_is_not_made() {
    let mut client = client();
    let uri = client.uri("a.rise");
    client.open(&uri, TWO);
    let at = find(TWO, "map(g)");
    let offered = actions(&mut client, &uri, at, &json!(null));
    let fuse = titled(&offered, "Fuse maps").clone();
    client.replace(&uri, &TWO.replace("map(g)", "map(f)"));
    let code = client.refused("codeAction/resolve", fuse);
    assert_eq!(code, CONTENT_MODIFIED);
}

const ROWS: &str = "def rows = depFun((n: Nat, m: Nat) => fun(xss: n.m.f32 =>\n  xss\n    \
                    |> mapWorkGroup(0)(fun(row => row |> map(fun(x => x + 1.0f)))))) // rows\n";

#[test]
fn maps_become_local_in_work_groups_only() {
    let mut client = client();
    let uri = client.uri("a.rise");
    client.open(&uri, ROWS);
    let at = find(ROWS, "map(fun(x");
    let offered = actions(&mut client, &uri, at, &json!(null));
    let local = titled(&offered, "Lower to mapLocal(0)");
    assert_eq!(local["kind"], "refactor.rewrite.rise.parallel");
    let made = client.request("codeAction/resolve", local.clone());
    let after = edited(ROWS, &made["edit"]["changes"][&uri]);
    assert_eq!(after, ROWS.replace("> map(fun(x", "> mapLocal(0)(fun(x"));
    // Outside of a work-group the action is disabled, with a reason.
    let text = ROWS.replace("mapWorkGroup(0)", "map");
    let version = client.replace(&uri, &text);
    assert!(client.diagnostics(&uri, version).is_empty());
    let at = find(&text, "map(fun(x");
    let offered = actions(&mut client, &uri, at, &json!(null));
    let local = titled(&offered, "Lower to mapLocal(0)");
    assert_eq!(
        local["disabled"]["reason"],
        "the map is not inside `mapWorkGroup(0)`"
    );
    assert!(local["edit"].is_null() && local["data"].is_null());
}

#[test]
fn clients_that_do_not_resolve_get_the_edits_at_once() {
    let literal = json!({"codeActionKind": {"valueSet": ["refactor"]}});
    let capabilities =
        json!({"textDocument": {"codeAction": {"codeActionLiteralSupport": literal}}});
    let mut client = Client::with(capabilities, &[]);
    let uri = client.uri("a.rise");
    client.open(&uri, TWO);
    let offered = actions(&mut client, &uri, find(TWO, "map(g)"), &json!(["refactor"]));
    let fuse = titled(&offered, "Fuse maps");
    let after = edited(TWO, &fuse["edit"]["changes"][&uri]);
    assert_eq!(after, TWO.replace("map(f) |> map(g)", "map(f >> g)"));
    assert!(offered.iter().all(|action| action["disabled"].is_null()));
}

#[test]
fn menus_come_soon() {
    let mut client = client();
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/imaging/harris.rise"
    );
    let text = std::fs::read_to_string(path).expect("the example can be read");
    let uri = client.uri("harris.rise");
    client.open(&uri, &text);
    let places: Vec<(usize, usize)> = text
        .lines()
        .enumerate()
        .filter_map(|(line, text)| Some((line, text.find("map")? + 1)))
        .collect();
    for at in &places {
        actions(&mut client, &uri, *at, &json!(null));
    }
    let start = Instant::now();
    for at in &places {
        actions(&mut client, &uri, *at, &json!(null));
    }
    let each = start.elapsed() / u32::try_from(places.len().max(1)).expect("a few");
    // A generous limit, because test machines are shared.
    assert!(each.as_millis() < 100, "{each:?} a menu");
}
