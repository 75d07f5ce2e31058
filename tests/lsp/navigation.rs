//! Tests of definitions, references, highlights, links and call hierarchies.

use serde_json::{Value, json};

use crate::client::{Client, covered, file_name, find, place, range};

const LIBRARY: &str = "def twice = fun(x: f32 => x + x)\ndef four = twice(2.0f32)\n";
const USER: &str = "import \"library.rise\"\ndef eight = twice(four)\ndef all = fun(xs: 8.f32 => xs |> map(twice) |> mapSeq(id))\n";

fn two_files(capabilities: Value) -> (Client, String, String) {
    let mut client = Client::with(
        capabilities,
        &[("library.rise", LIBRARY), ("user.rise", USER)],
    );
    let user = client.open_file("user.rise");
    let library = client.uri("library.rise");
    (client, library, user)
}

#[test]
fn definitions_are_found_in_other_files() {
    let (mut client, library, user) = two_files(json!({}));
    let (line, character) = find(USER, "twice(four");
    let found = client.at("textDocument/definition", &user, line, character + 2);
    assert_eq!(
        found,
        json!([{"uri": library, "range": range((0, 4), (0, 9))}])
    );
}

#[test]
fn clients_that_understand_links_get_the_whole_definition() {
    let (mut client, library, user) =
        two_files(json!({"textDocument": {"definition": {"linkSupport": true}}}));
    let (line, character) = find(USER, "four)");
    let found = client.at("textDocument/definition", &user, line, character);
    assert_eq!(found[0]["targetUri"], library);
    assert_eq!(covered(LIBRARY, &found[0]["targetSelectionRange"]), "four");
    assert_eq!(
        covered(LIBRARY, &found[0]["targetRange"]),
        "def four = twice(2.0f32)"
    );
}

#[test]
fn the_standard_library_opens() {
    let (mut client, _, user) = two_files(json!({}));
    let (line, character) = find(USER, "id)");
    let found = client.at("textDocument/definition", &user, line, character);
    let uri = found[0]["uri"].as_str().unwrap();
    assert!(uri.starts_with("rise-std:/"), "{found}");
    let document = client.request("rise/virtualDocument", json!({"uri": uri}));
    let text = document["text"].as_str().unwrap();
    assert_eq!(covered(text, &found[0]["range"]), "id");
    // Editors open it like any document, and send requests about it.
    client.open(uri, text);
    let (line, character) = find(text, "def id");
    let character = character + 4;
    assert!(
        client
            .at("textDocument/hover", uri, line, character)
            .is_object()
    );
}

#[test]
fn references_are_found_in_all_files_open_or_not() {
    let (mut client, library, user) = two_files(json!({}));
    client.wait_loaded();
    let ask = |client: &mut Client, declaration: bool| {
        let mut params = place(&library, 0, 5);
        params["context"] = json!({"includeDeclaration": declaration});
        let found = client.request("textDocument/references", params);
        let mut places: Vec<(String, String)> = Vec::new();
        for place in found.as_array().unwrap() {
            let text = if place["uri"] == user { USER } else { LIBRARY };
            places.push((
                file_name(&place["uri"]).into(),
                covered(text, &place["range"]).into(),
            ));
        }
        places.sort();
        places
    };
    let name = |file: &str| (file.to_owned(), "twice".to_owned());
    let uses = vec![name("library.rise"), name("user.rise"), name("user.rise")];
    assert_eq!(ask(&mut client, false), uses);
    assert_eq!(
        ask(&mut client, true),
        [vec![name("library.rise")], uses].concat()
    );
}

#[test]
fn highlights_tell_definitions_from_uses() {
    let mut client = Client::start();
    let uri = client.uri("library.rise");
    client.open(&uri, LIBRARY);
    let found = client.at("textDocument/documentHighlight", &uri, 1, 12);
    assert_eq!(
        found,
        json!([{"range": range((0, 4), (0, 9)), "kind": 3}, {"range": range((1, 11), (1, 16)), "kind": 2}])
    );
}

#[test]
fn imports_are_links() {
    let (mut client, library, user) = two_files(json!({}));
    let links = client.request(
        "textDocument/documentLink",
        json!({"textDocument": {"uri": user}}),
    );
    assert_eq!(links[0]["target"], library);
    assert_eq!(covered(USER, &links[0]["range"]), "library.rise");
    assert_eq!(links.as_array().unwrap().len(), 1);
}

#[test]
fn calls_are_followed_in_both_directions() {
    let (mut client, _, user) = two_files(json!({}));
    client.wait_loaded();
    let (line, character) = find(USER, "twice(four");
    let items = client.at("textDocument/prepareCallHierarchy", &user, line, character);
    let twice = items[0].clone();
    assert_eq!(
        (&twice["name"], file_name(&twice["uri"])),
        (&json!("twice"), "library.rise")
    );
    let incoming = client.request("callHierarchy/incomingCalls", json!({"item": twice}));
    let mut callers: Vec<&str> = incoming
        .as_array()
        .unwrap()
        .iter()
        .map(|call| call["from"]["name"].as_str().unwrap())
        .collect();
    callers.sort_unstable();
    assert_eq!(callers, ["all", "eight", "four"]);
    let eight = incoming
        .as_array()
        .unwrap()
        .iter()
        .find(|call| call["from"]["name"] == "eight")
        .unwrap();
    assert_eq!(covered(USER, &eight["fromRanges"][0]), "twice");
    let outgoing = client.request(
        "callHierarchy/outgoingCalls",
        json!({"item": eight["from"]}),
    );
    let mut callees: Vec<&str> = outgoing
        .as_array()
        .unwrap()
        .iter()
        .map(|call| call["to"]["name"].as_str().unwrap())
        .collect();
    callees.sort_unstable();
    assert_eq!(callees, ["four", "twice"]);
}

#[test]
fn type_definitions_are_where_the_names_of_a_type_are_bound() {
    let mut client = Client::start();
    let uri = client.uri("a.rise");
    let text = "def f = depFun(n: Nat => fun(xs: n.f32 => xs))\n";
    client.open(&uri, text);
    let (line, character) = find(text, "xs))");
    let found = client.at("textDocument/typeDefinition", &uri, line, character);
    assert_eq!(covered(text, &found[0]["range"]), "n", "{found}");
    assert_eq!(found[0]["range"]["start"]["character"], 15);
}
