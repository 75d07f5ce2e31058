//! Tests of crashes of the worker process. Only debug builds can be made to crash.

#![cfg(debug_assertions)]

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{Client, codes, find, place, range};

const INTERNAL_ERROR: i64 = -32603;
const GOOD: &str = "def good = fun(x: f32 => x)\n";
const BAD: &str = "def bad = 1 // CRASH\n";

/// Starts a client of a server that crashes according to `order`.
fn client(order: &str, capabilities: Value) -> Client {
    let mut client = Client::raw_with(&[], |command, _| {
        command.env("RISE_LS_CRASH", order);
    });
    let root = client.uri("");
    let folders = json!([{"uri": root, "name": "test"}]);
    client.initialize(json!({"workspaceFolders": folders, "capabilities": capabilities}));
    client
}

fn hover(client: &mut Client, uri: &str) -> Result<Value, Value> {
    client.try_request("textDocument/hover", place(uri, 0, 5))
}

/// Waits until a document is out of quarantine again after a crash.
fn wait_until_seen(client: &mut Client, uri: &str) {
    client.wait_until(|client| hover(client, uri).is_ok_and(|hover| hover.is_object()));
}

/// Waits until diagnostics whose first one has this code are sent for a document.
fn wait_for_code(client: &mut Client, uri: &str, code: Option<&str>) {
    client.wait_for(|said| {
        let params = &said["params"];
        said["method"] == "textDocument/publishDiagnostics"
            && params["uri"] == uri
            && params["diagnostics"][0]["code"].as_str() == code
    });
}

#[test]
fn a_crash_fails_the_requests_that_wait_and_the_session_goes_on() {
    for how in ["abort", "overflow", "kill"] {
        let mut client = client(&format!("{how} textDocument/hover CRASH"), json!({}));
        let (good, bad) = (client.uri("good.rise"), client.uri("bad.rise"));
        client.open(&good, "def good = 1\n");
        client.change(
            &good,
            json!([{"range": range((0, 11), (0, 12)), "text": "fun(x: f32 => x)"}]),
        );
        client.open(&bad, BAD);
        let error = hover(&mut client, &bad).expect_err("the server crashes");
        assert_eq!(error["code"], INTERNAL_ERROR, "{error}");
        let message = error["message"].as_str().unwrap_or_default();
        assert!(message.starts_with("the server has crashed"), "{message}");
        let log = client.wait_for(|said| said["params"]["type"] == 1);
        let log = log["params"]["message"].as_str().unwrap_or_default();
        assert!(log.contains("during textDocument/hover"), "{log}");
        wait_until_seen(&mut client, &good);
        assert_eq!(client.text(&good), GOOD);
        client.change(
            &good,
            json!([{"range": range((0, 4), (0, 8)), "text": "fine"}]),
        );
        assert_eq!(client.text(&good), GOOD.replace("good", "fine"));
        assert_eq!(client.stop(), Some(0));
    }
}

#[test]
fn a_request_that_crashes_again_quarantines_its_document() {
    let mut client = client("abort textDocument/hover CRASH", json!({}));
    let (good, bad) = (client.uri("good.rise"), client.uri("bad.rise"));
    client.open(&good, GOOD);
    client.open(&bad, BAD);
    assert!(hover(&mut client, &bad).is_err());
    // The document passes its trial, which only checks it, so that the request crashes a second
    // time.
    client.wait_until(|client| match hover(client, &bad) {
        Err(error) => error["code"] == INTERNAL_ERROR,
        Ok(_) => false,
    });
    wait_for_code(&mut client, &bad, Some("internal"));
    client.wait_until(|client| hover(client, &bad) == Ok(Value::Null));
    wait_until_seen(&mut client, &good);
    // Requests about other documents have responses in spite of requests about this one.
    for _ in 0..20 {
        assert_eq!(hover(&mut client, &bad), Ok(Value::Null));
        assert!(hover(&mut client, &good).unwrap().is_object());
    }
    let (_, column) = find(BAD, "CRASH");
    client.change(
        &bad,
        json!([{"range": range((0, column), (0, column + 5)), "text": "fine"}]),
    );
    wait_until_seen(&mut client, &bad);
    assert_eq!(client.text(&bad), BAD.replace("CRASH", "fine"));
    wait_for_code(&mut client, &bad, None);
    assert_eq!(client.stop(), Some(0));
}

#[test]
fn a_document_whose_check_crashes_is_quarantined_until_its_text_changes() {
    let mut client = client("overflow check CRASH", json!({}));
    let uris: Vec<String> = (0..6).map(|at| client.uri(&format!("{at}.rise"))).collect();
    for (at, uri) in uris.iter().enumerate() {
        // The crashing document is not the last one, which is suspected first.
        let text = if at == 2 { BAD } else { GOOD };
        client.open(uri, text);
    }
    wait_for_code(&mut client, &uris[2], Some("internal"));
    for (at, uri) in uris.iter().enumerate() {
        if at != 2 {
            wait_until_seen(&mut client, uri);
        }
    }
    assert_eq!(hover(&mut client, &uris[2]), Ok(Value::Null));
    // It crashes again, and the other documents are not affected.
    client.replace(&uris[2], "def worse = nothing // CRASH\n");
    wait_for_code(&mut client, &uris[2], Some("internal"));
    wait_until_seen(&mut client, &uris[5]);
    client.replace(&uris[2], "def better = nothing\n");
    wait_for_code(&mut client, &uris[2], Some("unknown-name"));
    wait_until_seen(&mut client, &uris[5]);
    assert_eq!(client.stop(), Some(0));
}

#[test]
fn a_client_that_asks_for_diagnostics_is_told_of_the_quarantine() {
    let capabilities = json!({
        "textDocument": {"diagnostic": {}},
        "workspace": {"diagnostics": {"refreshSupport": true}},
    });
    let mut client = client("abort check CRASH", capabilities);
    let bad = client.uri("bad.rise");
    client.open(&bad, BAD);
    let params = json!({"textDocument": {"uri": bad}});
    let report = |client: &mut Client| {
        let report = client.try_request("textDocument/diagnostic", params.clone());
        report.map_or_else(
            |_| vec![Value::Null],
            |report| report["items"].as_array().unwrap().clone(),
        )
    };
    client.wait_until(|client| match &report(client)[..] {
        [Value::Null] => false,
        items => codes(items) == ["internal"],
    });
    client.wait_asked("workspace/diagnostic/refresh");
    client.asked.clear();
    client.replace(&bad, GOOD);
    client.wait_asked("workspace/diagnostic/refresh");
    client.wait_until(|client| report(client).is_empty());
    assert_eq!(client.stop(), Some(0));
}

#[test]
fn a_request_about_no_document_that_crashes_again_is_refused_until_a_file_changes() {
    let mut client = client("abort workspace/symbol", json!({}));
    let good = client.uri("good.rise");
    client.open(&good, GOOD);
    let ask = |client: &mut Client| {
        let answer = client.try_request("workspace/symbol", json!({"query": "g"}));
        let message = answer.expect_err("a crash")["message"].clone();
        message.as_str().unwrap_or_default().to_owned()
    };
    let deadline = Instant::now() + Duration::from_secs(60);
    let mut crashes = 0;
    while !ask(&mut client).starts_with("workspace/symbol is refused") {
        crashes += 1;
        wait_until_seen(&mut client, &good);
        assert!(Instant::now() < deadline, "{crashes}");
    }
    assert_eq!(crashes, 2);
    client.replace(&good, GOOD);
    assert!(ask(&mut client).starts_with("the server has crashed"));
    assert_eq!(client.stop(), Some(0));
}

#[test]
fn a_new_process_has_the_settings_and_folders_and_registers_nothing_again() {
    let capabilities = json!({"workspace": {
        "configuration": true,
        "didChangeWatchedFiles": {"dynamicRegistration": true},
    }});
    let mut client = client("abort textDocument/hover CRASH", capabilities);
    client.settings = json!({"inlayHints": {"definitions": false, "parameters": false}});
    client.notify(
        "workspace/didChangeConfiguration",
        json!({"settings": null}),
    );
    std::fs::write(client.path("lib.rise"), "def other = 1\n").unwrap();
    let bad = client.uri("bad.rise");
    client.open(&bad, BAD);
    client.wait_asked("workspace/configuration");
    client.asked.clear();
    assert!(hover(&mut client, &bad).is_err());
    client.wait_asked("workspace/configuration");
    let hints = json!({"textDocument": {"uri": bad}, "range": range((0, 0), (9, 0))});
    client.wait_until(|client| {
        let hints = client.try_request("textDocument/inlayHint", hints.clone());
        hints.is_ok_and(|hints| hints == json!([]))
    });
    client.wait_until(|client| {
        let found = client.request("workspace/symbol", json!({"query": "other"}));
        found.as_array().is_some_and(|found| found.len() == 1)
    });
    let registered = |asked: &Value| asked["method"] == "client/registerCapability";
    assert!(!client.asked.iter().any(registered), "{:?}", client.asked);
    assert_eq!(client.stop(), Some(0));
}

#[test]
fn requests_that_come_while_there_is_no_process_are_answered() {
    let mut client = client("abort textDocument/hover CRASH", json!({}));
    let bad = client.uri("bad.rise");
    client.open(&bad, BAD);
    let ids: Vec<i64> = (0..50)
        .map(|at| match at % 5 {
            0 => client.ask("textDocument/hover", place(&bad, 0, 5)),
            1 => client.ask("rise/status", Value::Null),
            2 => client.ask("workspace/symbol", json!({"query": ""})),
            _ => client.ask(
                "textDocument/documentSymbol",
                json!({"textDocument": {"uri": bad}}),
            ),
        })
        .collect();
    for id in ids {
        // A second response would fail in the client.
        let _ = client.wait(id);
    }
    assert_eq!(client.stop(), Some(0));
}

#[test]
#[cfg(target_os = "linux")]
fn no_process_is_left_when_the_one_of_the_client_is_killed() {
    let mut client = client("", json!({}));
    let children = client.children();
    assert_eq!(children.len(), 1);
    client.kill();
    let gone = |process: &u32| !std::path::Path::new(&format!("/proc/{process}")).exists();
    client.wait_until(|_| children.iter().all(gone));
}

#[test]
#[cfg(target_os = "linux")]
fn the_memory_of_a_large_document_is_given_back_when_it_is_closed() {
    let mut client = client("", json!({}));
    let (good, large) = (client.uri("good.rise"), client.uri("large.rise"));
    client.open(&good, GOOD);
    client.open(&large, &"// some words\n".repeat(400_000));
    assert!(hover(&mut client, &large).is_ok());
    close_large(&mut client, &large);
    assert!(hover(&mut client, &good).unwrap().is_object());
    assert_eq!(client.text(&good), GOOD);
    // Inserted text counts as well, although it is removed again.
    client.open(&large, "");
    let text = "// some words\n".repeat(400_000);
    client.change(
        &large,
        json!([{"range": range((0, 0), (0, 0)), "text": text}]),
    );
    client.change(
        &large,
        json!([{"range": range((0, 0), (400_000, 0)), "text": ""}]),
    );
    assert_eq!(client.text(&large), "");
    close_large(&mut client, &large);
    assert_eq!(client.text(&good), GOOD);
    assert_eq!(client.stop(), Some(0));
}

/// Closes a large document, and waits until another worker has started.
#[cfg(target_os = "linux")]
fn close_large(client: &mut Client, uri: &str) {
    let before = client.children();
    client.close(uri);
    client.wait_until(|client| {
        let now = client.children();
        now.len() == 1 && now != before
    });
}

#[test]
#[cfg(target_os = "linux")]
fn the_diagnostics_of_a_large_document_are_cleared_when_it_is_closed() {
    let mut client = client("", json!({}));
    let large = client.uri("large.rise");
    let text = format!("def bad = nothing\n{}", "// some words\n".repeat(400_000));
    client.open(&large, &text);
    wait_for_code(&mut client, &large, Some("unknown-name"));
    close_large(&mut client, &large);
    wait_for_code(&mut client, &large, None);
    assert_eq!(client.stop(), Some(0));
}

#[test]
#[cfg(target_os = "linux")]
fn signals_to_the_group_of_the_server_do_not_reach_the_worker() {
    let client = client("", json!({}));
    let worker = client.children()[0];
    let stat = std::fs::read_to_string(format!("/proc/{worker}/stat")).unwrap();
    // The state, the parent and the group follow the name, which is in parentheses.
    let group = stat.rsplit(')').next().unwrap().split_whitespace().nth(2);
    assert_eq!(group, Some(worker.to_string().as_str()));
}

#[test]
#[cfg(target_os = "linux")]
fn a_worker_registers_what_one_before_it_could_not() {
    let mut client = Client::raw(&[]);
    let capabilities =
        json!({"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": true}}});
    client.request("initialize", json!({"capabilities": capabilities}));
    kill_worker(&mut client);
    client.notify("initialized", json!({}));
    client.wait_asked("client/registerCapability");
    assert_eq!(client.stop(), Some(0));
}

#[test]
#[cfg(target_os = "linux")]
fn a_crash_during_the_trial_of_another_document_does_not_quarantine_that_one() {
    let mut client = client("abort textDocument/hover CRASH", json!({}));
    let (long, bad) = (client.uri("long.rise"), client.uri("bad.rise"));
    let rest: String = (0..5000)
        .map(|at| format!("def long{at} = fun(x: f32 => x + {at}.0f)\n"))
        .collect();
    client.open(&long, &format!("{GOOD}{rest}"));
    wait_until_seen(&mut client, &long);
    // The new worker checks the long document when the hover request makes it crash.
    kill_worker(&mut client);
    client.open(&bad, BAD);
    assert!(hover(&mut client, &bad).is_err());
    wait_until_seen(&mut client, &long);
    let is_quarantine = |said: &Value| {
        said["params"]["uri"] == long && said["params"]["diagnostics"][0]["code"] == "internal"
    };
    assert!(!client.said.iter().any(is_quarantine), "{:#?}", client.said);
    assert_eq!(client.stop(), Some(0));
}

/// Kills the worker, and waits until the supervisor has noticed.
#[cfg(target_os = "linux")]
fn kill_worker(client: &mut Client) {
    client.wait_until(|client| client.children().len() == 1);
    let worker = client.children()[0].to_string();
    let killed = std::process::Command::new("kill")
        .args(["-9", &worker])
        .status();
    assert!(killed.unwrap().success());
    client.wait_for(|said| said["params"]["type"] == 1);
}

#[test]
#[cfg(target_os = "linux")]
fn the_diagnostics_of_a_document_that_is_closed_after_a_crash_are_cleared() {
    let mut client = client("", json!({}));
    let wrong = client.uri("wrong.rise");
    client.open(&wrong, "def wrong = nothing\n");
    wait_for_code(&mut client, &wrong, Some("unknown-name"));
    // After this many crashes there is a pause without a worker.
    (0..6).for_each(|_| kill_worker(&mut client));
    client.said.clear();
    client.close(&wrong);
    wait_for_code(&mut client, &wrong, None);
    assert_eq!(client.stop(), Some(0));
}

const TWICE: &str = "@target(c)\ndef twice = fun(x: f32 => x + x)\n";

/// Waits for the notification of a preview of `twice` whose text contains `wanted`.
fn wait_for_preview(client: &mut Client, wanted: &str) {
    client.wait_for(|said| {
        let text = said["params"]["text"].as_str().unwrap_or_default();
        said["method"] == "rise/previewChanged" && text.contains(wanted)
    });
}

fn show_preview(client: &mut Client, uri: &str) {
    // The position refers to `twice` only in this text.
    let mut params = place(uri, 1, 5);
    params["as"] = json!("c");
    let shown = client.request("rise/preview", params);
    assert_eq!(shown["def"], "twice", "{shown}");
}

#[test]
#[cfg(target_os = "linux")]
fn previews_are_kept_up_to_date_after_a_large_document_is_closed() {
    let mut client = client("", json!({}));
    let (twice, large) = (client.uri("twice.rise"), client.uri("large.rise"));
    client.open(&twice, TWICE);
    show_preview(&mut client, &twice);
    client.open(&large, &"// some words\n".repeat(400_000));
    close_large(&mut client, &large);
    client.replace(&twice, &TWICE.replace("x + x", "x - 1.0f"));
    wait_for_preview(&mut client, "x - 1.0f");
    assert_eq!(client.stop(), Some(0));
}

#[test]
fn previews_are_kept_up_to_date_after_a_crash() {
    let mut client = client("abort textDocument/hover CRASH", json!({}));
    let (twice, bad) = (client.uri("twice.rise"), client.uri("bad.rise"));
    client.open(&twice, TWICE);
    show_preview(&mut client, &twice);
    client.open(&bad, BAD);
    assert!(hover(&mut client, &bad).is_err());
    // A change before the next worker has registered the preview is in the preview, and so is an
    // error.
    client.replace(&twice, "");
    client.wait_for(|said| {
        let error = &said["params"]["errors"][0]["message"];
        said["method"] == "rise/previewChanged" && error == "the document does not define `twice`"
    });
    client.replace(&twice, &TWICE.replace("x + x", "x - 1.0f"));
    wait_for_preview(&mut client, "x - 1.0f");
    assert_eq!(client.stop(), Some(0));
}

#[test]
fn a_preview_keeps_its_other_name_after_a_crash() {
    let mut client = client("abort textDocument/hover CRASH", json!({}));
    let (twice, bad) = (client.uri("twice.rise"), client.uri("bad.rise"));
    client.open(&twice, TWICE);
    show_preview(&mut client, &twice);
    let renamed = TWICE.replace("twice", "thrice");
    client.replace(&twice, &renamed);
    let changed = client.wait_for(|said| said["method"] == "rise/previewChanged");
    assert_eq!(changed["params"]["renamedFrom"], "twice");
    client.open(&bad, BAD);
    assert!(hover(&mut client, &bad).is_err());
    client.replace(&twice, &renamed.replace("x + x", "x - 1.0f"));
    let changed = client.wait_for(|said| {
        let text = said["params"]["text"].as_str().unwrap_or_default();
        said["method"] == "rise/previewChanged" && text.contains("x - 1.0f")
    });
    assert_eq!(changed["params"]["def"], "thrice");
    assert_eq!(client.stop(), Some(0));
}

#[test]
#[cfg(target_os = "linux")]
fn a_preview_that_crashes_again_quarantines_its_document() {
    let mut client = client("abort rise/recomputePreview CRASH", json!({}));
    let twice = client.uri("twice.rise");
    client.open(&twice, &format!("{TWICE}// CRASH\n"));
    show_preview(&mut client, &twice);
    kill_worker(&mut client);
    wait_for_code(&mut client, &twice, Some("internal"));
    client.replace(&twice, &TWICE.replace("x + x", "x - 1.0f"));
    wait_for_preview(&mut client, "x - 1.0f");
    assert_eq!(client.stop(), Some(0));
}

#[test]
fn closing_a_large_document_takes_its_diagnostics_back() {
    let mut client = client("", json!({}));
    let uri = client.uri("large.rise");
    let text = format!("def a = unknown\n{}", "// some words\n".repeat(400_000));
    client.open(&uri, &text);
    assert_eq!(codes(&client.diagnostics(&uri, 1)), ["unknown-name"]);
    client.close(&uri);
    let published = client.wait_for(|said| {
        said["method"] == "textDocument/publishDiagnostics" && said["params"]["uri"] == uri
    });
    assert_eq!(published["params"]["diagnostics"], json!([]));
}

#[test]
#[cfg(target_os = "linux")]
fn a_large_document_takes_few_times_its_length() {
    const MB: u64 = 1 << 20;
    let mut client = client("", json!({}));
    client.wait_loaded();
    let before = client.memory();
    let uri = client.uri("large.rise");
    let text = "// some words\n".repeat(3_000_000);
    client.open(&uri, &text);
    assert!(client.diagnostics(&uri, 1).is_empty());
    // The memory limit for the opened text, the edited text, the items and the syntax tree.
    let limit = before + 5 * text.len() as u64;
    client.wait_until(|client| client.memory() < limit);
    let worker = client.children();
    client.close(&uri);
    client.wait_until(|client| client.children().len() == 1 && client.children() != worker);
    client.wait_loaded();
    client.wait_until(|client| client.memory() < before + 20 * MB);
}
