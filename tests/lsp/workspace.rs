//! Tests of folders, and of files that change on disk.

use serde_json::{Value, json};

use crate::client::{Client, codes};

const CREATED: u64 = 1;
const CHANGED: u64 = 2;
const DELETED: u64 = 3;
const USER: &str = "import \"library.rise\"\ndef four = twice(2.0f32)\n";
const LIBRARY: &str = "def twice = fun(x: f32 => x + x)\n";

fn watched(client: &mut Client, name: &str, kind: u64) {
    let uri = client.uri(name);
    client.notify(
        "workspace/didChangeWatchedFiles",
        json!({"changes": [{"uri": uri, "type": kind}]}),
    );
}

fn symbols(client: &mut Client, query: &str) -> Vec<String> {
    let found = client.request("workspace/symbol", json!({"query": query}));
    let exact = found
        .as_array()
        .unwrap()
        .iter()
        .filter(|symbol| symbol["name"] == query);
    exact
        .map(|symbol| symbol["location"]["uri"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn an_import_that_appears_changes_and_vanishes_is_followed() {
    let mut client = Client::with(
        json!({"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": true}}}),
        &[("user.rise", USER)],
    );
    let registered = client.wait_asked("client/registerCapability");
    assert_eq!(
        registered["registrations"][0]["method"],
        "workspace/didChangeWatchedFiles"
    );
    assert_eq!(
        registered["registrations"][0]["registerOptions"]["watchers"][0]["globPattern"],
        "**/*.{rise,dpia,elevate}"
    );
    let user = client.open_file("user.rise");
    assert_eq!(codes(&client.diagnostics(&user, 1)), ["import-not-found"]);
    let steps = [
        (Some(LIBRARY), CREATED, vec![]),
        (Some("def thrice = 3\n"), CHANGED, vec!["unknown-name"]),
        (Some(LIBRARY), CHANGED, vec![]),
        (None, DELETED, vec!["import-not-found"]),
    ];
    for (text, kind, expected) in steps {
        match text {
            Some(text) => std::fs::write(client.path("library.rise"), text).unwrap(),
            None => std::fs::remove_file(client.path("library.rise")).unwrap(),
        }
        watched(&mut client, "library.rise", kind);
        assert_eq!(codes(&client.diagnostics(&user, 1)), expected);
    }
}

#[test]
fn the_text_of_an_open_document_counts_and_not_that_on_disk() {
    let mut client = Client::with(json!({}), &[("library.rise", LIBRARY), ("user.rise", USER)]);
    let (library, user) = (
        client.open_file("library.rise"),
        client.open_file("user.rise"),
    );
    assert!(client.diagnostics(&user, 1).is_empty());
    client.replace(&library, "def other = 1\n");
    assert_eq!(codes(&client.diagnostics(&user, 1)), ["unknown-name"]);
    watched(&mut client, "library.rise", CHANGED);
    assert_eq!(client.text(&library), "def other = 1\n");
    client.close(&library);
    assert!(client.diagnostics(&user, 1).is_empty());
    std::fs::write(client.path("library.rise"), [0xff, 0xfe]).unwrap();
    watched(&mut client, "library.rise", CHANGED);
    assert_eq!(codes(&client.diagnostics(&user, 1)), ["import-not-found"]);
}

#[test]
fn a_client_that_does_not_watch_files_is_up_to_date_when_it_saves() {
    let mut client = Client::with(json!({}), &[("user.rise", USER)]);
    let user = client.open_file("user.rise");
    assert_eq!(codes(&client.diagnostics(&user, 1)), ["import-not-found"]);
    for (text, expected) in [
        (LIBRARY, vec![]),
        ("def other = 1\n", vec!["unknown-name"]),
        (LIBRARY, vec![]),
    ] {
        std::fs::write(client.path("library.rise"), text).unwrap();
        client.notify(
            "textDocument/didSave",
            json!({"textDocument": {"uri": user}}),
        );
        assert_eq!(codes(&client.diagnostics(&user, 1)), expected);
    }
}

#[test]
fn a_file_that_appears_is_imported_after_the_next_edit_of_any_document() {
    for capabilities in [
        json!({}),
        json!({"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": true}}}),
    ] {
        let mut client = Client::with(capabilities, &[("user.rise", USER), ("other.rise", "")]);
        let (user, other) = (
            client.open_file("user.rise"),
            client.open_file("other.rise"),
        );
        assert_eq!(codes(&client.diagnostics(&user, 1)), ["import-not-found"]);
        std::fs::write(client.path("library.rise"), LIBRARY).unwrap();
        client.replace(&other, "def x = 1\n");
        assert!(client.diagnostics(&user, 1).is_empty());
    }
}

#[test]
fn a_deleted_folder_takes_its_files_with_it() {
    let user = USER.replace("library.rise", "deep/library.rise");
    let mut client = Client::with(
        json!({}),
        &[("deep/library.rise", LIBRARY), ("user.rise", &user)],
    );
    let uri = client.open_file("user.rise");
    assert!(client.diagnostics(&uri, 1).is_empty());
    std::fs::remove_dir_all(client.path("deep")).unwrap();
    watched(&mut client, "deep", DELETED);
    assert_eq!(codes(&client.diagnostics(&uri, 1)), ["import-not-found"]);
}

#[test]
fn folders_come_and_go() {
    let files = [
        ("one/a.rise", "def first = 1\n"),
        ("two/b.rise", "def second = 2\n"),
        ("two/c.rise", "def third = 3\n"),
    ];
    let mut client = Client::raw(&files);
    let (one, two) = (client.uri("one"), client.uri("two"));
    client
        .initialize(json!({"capabilities": {}, "workspaceFolders": [{"uri": one, "name": "one"}]}));
    client.wait_loaded();
    assert_eq!(symbols(&mut client, "first").len(), 1);
    assert!(symbols(&mut client, "second").is_empty());
    let change =
        |added: Value, removed: Value| json!({"event": {"added": added, "removed": removed}});
    let two = json!([{"uri": two, "name": "two"}]);
    client.notify(
        "workspace/didChangeWorkspaceFolders",
        change(two.clone(), json!([])),
    );
    client.wait_until(|client| symbols(client, "third").len() == 1);
    let open = client.open_file("two/c.rise");
    client.notify(
        "workspace/didChangeWorkspaceFolders",
        change(json!([]), two),
    );
    assert!(symbols(&mut client, "second").is_empty());
    assert_eq!(symbols(&mut client, "third"), [open]);
}

#[test]
fn ignored_files_are_no_part_of_the_workspace() {
    let files = [
        ("a.rise", "def seen = 1\n"),
        ("out/b.rise", "def unseen = 1\n"),
        (".gitignore", "out/\n"),
    ];
    let mut client = Client::with(json!({}), &files);
    client.wait_loaded();
    assert_eq!(symbols(&mut client, "seen").len(), 1);
    assert!(symbols(&mut client, "unseen").is_empty());
}

#[test]
fn reading_the_workspace_shows_progress() {
    let client = &mut Client::with(
        json!({"window": {"workDoneProgress": true}}),
        &[("a.rise", ""), ("b.rise", "")],
    );
    let token = client.wait_asked("window/workDoneProgress/create")["token"].clone();
    let mut kinds = Vec::new();
    while kinds.last() != Some(&json!("end")) {
        let progress = client.wait_for(|said| said["method"] == "$/progress");
        assert_eq!(progress["params"]["token"], token);
        kinds.push(progress["params"]["value"]["kind"].clone());
    }
    assert_eq!(kinds[0], "begin");
}

#[test]
fn a_folder_that_does_not_exist_is_a_line_in_the_log() {
    let mut client = Client::raw(&[]);
    let nowhere = client.uri("nowhere");
    client.initialize(json!({"capabilities": {}, "rootUri": nowhere}));
    let log = client.wait_for(|said| said["method"] == "window/logMessage");
    assert!(
        log["params"]["message"]
            .as_str()
            .unwrap()
            .contains("nowhere"),
        "{log}"
    );
    assert_eq!(client.stop(), Some(0));
}

#[cfg(unix)]
#[test]
fn an_import_that_cannot_be_read_freezes_nothing() {
    let mut client = Client::start();
    let pipe = client.path("pipe.rise");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let user = client.uri("user.rise");
    client.open(&user, "import \"pipe.rise\"\ndef x = 1.0f\n");
    assert_eq!(codes(&client.diagnostics(&user, 1)), ["import-not-found"]);
    assert_eq!(client.stop(), Some(0));
}

#[test]
fn imports_stay_in_the_workspace() {
    let other = tempfile::tempdir().unwrap();
    std::fs::write(other.path().join("library.rise"), LIBRARY).unwrap();
    let path = other.path().join("library.rise");
    let text = format!("import \"{}\"\ndef four = twice(2.0f32)\n", path.display());
    let mut client = Client::start();
    let user = client.uri("user.rise");
    client.open(&user, &text);
    let found = client.diagnostics(&user, 1);
    assert_eq!(codes(&found), ["import-not-found"]);
    let message = found[0]["message"].as_str().unwrap();
    assert!(
        message.contains("it is outside of the project"),
        "{message}"
    );
    // A setting allows the import.
    let settings = json!({"rise": {"imports": {"folders": [other.path()]}}});
    client.notify(
        "workspace/didChangeConfiguration",
        json!({"settings": settings}),
    );
    client.wait_for(|said| {
        let params = &said["params"];
        said["method"] == "textDocument/publishDiagnostics"
            && params["diagnostics"].as_array().is_some_and(Vec::is_empty)
    });
    // The setting is removed again.
    client.said.clear();
    let settings = json!({"rise": {"imports": {"folders": []}}});
    client.notify(
        "workspace/didChangeConfiguration",
        json!({"settings": settings}),
    );
    assert_eq!(codes(&client.diagnostics(&user, 1)), ["import-not-found"]);
    // The import is also allowed if its folder is opened.
    let mut client = Client::start();
    let user = client.uri("user.rise");
    client.open(&user, &text);
    assert_eq!(codes(&client.diagnostics(&user, 1)), ["import-not-found"]);
    let added = json!([{"uri": format!("file://{}", other.path().display()), "name": "other"}]);
    client.notify(
        "workspace/didChangeWorkspaceFolders",
        json!({"event": {"added": added, "removed": []}}),
    );
    client.wait_for(|said| {
        let params = &said["params"];
        said["method"] == "textDocument/publishDiagnostics"
            && params["diagnostics"].as_array().is_some_and(Vec::is_empty)
    });
    client.said.clear();
    client.notify(
        "workspace/didChangeWorkspaceFolders",
        json!({"event": {"added": [], "removed": added}}),
    );
    assert_eq!(codes(&client.diagnostics(&user, 1)), ["import-not-found"]);
}

#[test]
fn a_document_outside_of_the_workspace_imports_what_lies_beside_it() {
    let other = tempfile::tempdir().unwrap();
    std::fs::write(other.path().join("library.rise"), LIBRARY).unwrap();
    let mut client = Client::start();
    let user = format!("file://{}", other.path().join("user.rise").display());
    client.open(&user, USER);
    assert_eq!(codes(&client.diagnostics(&user, 1)), Vec::<&str>::new());
}
