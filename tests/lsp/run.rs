//! Tests of programs that clients run.

use std::path::Path;

use serde_json::{Value, json};

use crate::client::{Client, range};

const DOT: &str = "@target(c)
def dot = depFun(n: Nat => fun((xs: n.f32, ys: n.f32) =>
  zip(xs)(ys) |> map(fun(p => p._1 * p._2)) |> reduceSeq(add)(0.0f)))
";

/// A program that does not terminate in any backend, and compiles quickly.
const ENDLESS: &str =
    "foreign def twist(x: i32): i32 = \"\"\"{ volatile int k = 0; while (1) k++; return x; }\"\"\"
@target(c)
def forever = fun(x: i32 => twist(x))
";

fn four(uri: &str) -> Value {
    json!({
        "textDocument": {"uri": uri}, "def": "dot", "sizes": {"n": 4},
        "args": {"xs": "iota", "ys": [1, 2, 3, 4]},
    })
}

fn with(mut params: Value, more: Value) -> Value {
    let all = params.as_object_mut().unwrap();
    all.extend(more.as_object().unwrap().clone());
    params
}

/// Returns the processes of this server that still run, and the files that are left.
fn leftovers(scratch: &Path) -> Vec<String> {
    let folders = std::fs::read_dir(scratch).unwrap();
    let mut left: Vec<String> = folders
        .map(|entry| entry.unwrap().path().display().to_string())
        .collect();
    // Programs run in a subfolder.
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    for process in processes {
        let folder = std::fs::read_link(process.path().join("cwd"));
        // The command line of a supervisor contains its folder.
        let command = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
        let names_it = String::from_utf8_lossy(&command).contains(scratch.to_str().unwrap());
        if folder.is_ok_and(|folder| folder.starts_with(scratch)) || names_it {
            left.push(process.path().display().to_string());
        }
    }
    left
}

/// Returns what is left after killed processes have ended, which takes a moment.
fn left_behind(scratch: &Path) -> Vec<String> {
    let is_process = |left: &String| left.starts_with("/proc");
    for _ in 0..500 {
        let left = leftovers(scratch);
        if !left.iter().any(is_process) {
            return left;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    leftovers(scratch)
}

/// Waits until the program itself runs.
fn wait_started(client: &mut Client) {
    let scratch = client.scratch.path().to_owned();
    client.wait_until(|_| {
        leftovers(&scratch)
            .iter()
            .any(|left| left.starts_with("/proc"))
    });
}

#[test]
fn a_definition_runs_as_on_the_command_line() {
    let mut client = Client::start();
    let uri = client.uri("a.rise");
    client.open(&uri, DOT);
    for backend in ["interp", "c"] {
        let params = with(four(&uri), json!({"backend": backend}));
        let done = client.request("rise/run", params);
        assert_eq!(done["value"], 20.0, "{done}");
        assert_eq!(done["text"], "20.0");
        assert_eq!(
            (&done["def"], &done["backend"]),
            (&json!("dot"), &json!(backend))
        );
        assert_eq!(done["sizes"], json!({"n": 4}));
        assert_eq!(done["args"][0]["from"], "iota");
        assert!(done["elapsed"].as_f64().unwrap() >= 0.0, "{done}");
        assert_eq!(
            (&done["times"], &done["verify"]),
            (&Value::Null, &Value::Null)
        );
    }
}

#[test]
fn results_are_compared_and_timed() {
    let mut client = Client::start();
    let uri = client.uri("a.rise");
    client.open(&uri, DOT);
    let more = json!({"backend": "c", "verify": true, "bench": 3, "value": false});
    let done = client.request("rise/run", with(four(&uri), more));
    assert_eq!(done["verify"]["ok"], true, "{done}");
    assert_eq!(done["times"]["runs"], 3);
    assert!(done["times"]["gflops"].as_f64().is_some());
    assert_eq!(
        (&done["value"], &done["text"]),
        (&Value::Null, &json!("20.0"))
    );
}

#[test]
fn the_text_in_the_editor_runs_and_those_that_it_imports() {
    let files = [("lib.rise", "def two = fun(x: i32 => x)\n"), ("a.rise", "")];
    let mut client = Client::with(json!({}), &files);
    let library = client.uri("lib.rise");
    client.open(&library, "def two = fun(x: i32 => x * 2)\n");
    let uri = client.uri("a.rise");
    client.open(
        &uri,
        "import \"lib.rise\"\ndef four = fun(x: i32 => two(two(x)))\n",
    );
    let params = json!({"textDocument": {"uri": uri}, "args": {"x": 3}});
    assert_eq!(client.request("rise/run", params.clone())["value"], 12);
    client.change(
        &library,
        json!([{"range": range((0, 30), (0, 30)), "text": "1"}]),
    );
    let changed = client.request("rise/run", params);
    assert!(changed["value"] != 12, "{changed}");
    // A document without a folder can be run, too.
    client.open("untitled:one", "def one = fun(x: i32 => x + 1)\n");
    let params = json!({"textDocument": {"uri": "untitled:one"}, "args": {"x": 3}});
    assert_eq!(client.request("rise/run", params)["value"], 4);
}

#[test]
fn what_cannot_run_says_why() {
    let mut client = Client::start();
    let uri = client.uri("a.rise");
    client.open(&uri, DOT);
    let run = |client: &mut Client, params| client.request("rise/run", params);
    let missing = run(&mut client, json!({"textDocument": {"uri": uri}}));
    assert_eq!(missing["kind"], "request");
    assert_eq!(missing["missingSizes"], json!(["n"]));
    assert!(
        missing["error"].as_str().unwrap().contains("@run(n = …)"),
        "{missing}"
    );
    let wrong = run(&mut client, with(four(&uri), json!({"sizes": {"n": 5}})));
    assert_eq!(wrong["kind"], "request", "{wrong}");
    // Errors have their ranges.
    client.open(&client.uri("b.rise"), "def bad = fun(x: i32 => x + true)\n");
    let uri = client.uri("b.rise");
    let bad = run(
        &mut client,
        json!({"textDocument": {"uri": uri}, "args": {"x": 1}}),
    );
    assert_eq!(
        (&bad["kind"], &bad["errors"][0]["uri"]),
        (&json!("program"), &json!(uri))
    );
    assert_eq!(bad["errors"][0]["range"]["start"]["line"], 0, "{bad}");
    // The same holds for errors about imports in a deleted workspace.
    std::fs::create_dir(client.path("gone")).unwrap();
    std::fs::write(
        client.path("gone/lib.rise"),
        "def twice = fun(x: f32 => x + x)\n",
    )
    .unwrap();
    let uri = client.uri("gone/c.rise");
    client.open(
        &uri,
        "import \"lib.rise\"\ndef four = fun(x: f32 => twice(twice(x)))\n",
    );
    let four_of_gone =
        json!({"textDocument": {"uri": uri}, "def": "four", "args": {"x": 1}, "backend": "interp"});
    assert_eq!(run(&mut client, four_of_gone.clone())["value"], 4.0);
    std::fs::remove_dir_all(client.path("gone")).unwrap();
    let changes = json!([{"uri": client.uri("gone/lib.rise"), "type": 3}]);
    client.notify(
        "workspace/didChangeWatchedFiles",
        json!({"changes": changes}),
    );
    let gone = run(&mut client, four_of_gone);
    assert_eq!(gone["kind"], "program", "{gone}");
    assert_eq!(gone["errors"][0]["range"]["start"]["line"], 0, "{gone}");
    // Invalid parameters are an error of the protocol.
    for nonsense in [
        json!({"def": "none"}),
        json!({"backend": "fortran"}),
        json!({"args": {"xs": null}}),
        json!({"timeLimit": -1}),
        json!({"sizes": {"n": -1}}),
    ] {
        let params = with(four(&client.uri("a.rise")), nonsense.clone());
        assert_eq!(client.refused("rise/run", params), -32602, "{nonsense}");
    }
}

#[test]
fn a_run_stops_when_the_client_wants_it() {
    let capabilities = json!({"window": {"workDoneProgress": true}});
    let mut client = Client::with(capabilities, &[]);
    let uri = client.uri("a.rise");
    client.open(&uri, ENDLESS);
    let endless = json!({"textDocument": {"uri": uri}, "args": {"x": 1}, "backend": "c"});
    // Cancels the run by its request id.
    let id = client.ask("rise/run", endless.clone());
    wait_started(&mut client);
    client.notify("$/cancelRequest", json!({"id": id}));
    assert_eq!(client.wait(id).unwrap_err()["code"], -32800);
    assert_eq!(left_behind(client.scratch.path()), Vec::<String>::new());
    // Cancels the run by the progress token of the server.
    let id = client.ask("rise/run", endless.clone());
    let begun = client.wait_for(|message| {
        message["params"]["value"]["title"] == "Running forever"
            && message["params"]["token"] == "rise/run/2"
    });
    assert_eq!(begun["params"]["value"]["cancellable"], true);
    let token = begun["params"]["token"].clone();
    wait_started(&mut client);
    client.notify("window/workDoneProgress/cancel", json!({"token": token}));
    assert_eq!(client.wait(id).unwrap_err()["code"], -32800);
    // Cancels the run by the client's own progress token.
    let id = client.ask(
        "rise/run",
        with(endless.clone(), json!({"workDoneToken": 7})),
    );
    wait_started(&mut client);
    client.notify("window/workDoneProgress/cancel", json!({"token": 7}));
    assert_eq!(client.wait(id).unwrap_err()["code"], -32800);
    let ended = client.wait_for(|message| {
        message["params"]["token"] == 7 && message["params"]["value"]["kind"] == "end"
    });
    assert_eq!(ended["params"]["value"]["message"], "stopped");
    // Cancels the run by its time limit.
    let late = client.request("rise/run", with(endless, json!({"timeLimit": 0.2})));
    assert_eq!(late["kind"], "failed", "{late}");
    assert_eq!(left_behind(client.scratch.path()), Vec::<String>::new());
}

#[test]
fn runs_keep_nothing_waiting() {
    let mut client = Client::start();
    let endless = client.uri("endless.rise");
    client.open(&endless, ENDLESS);
    let uri = client.uri("a.rise");
    client.open(&uri, DOT);
    let params = json!({"textDocument": {"uri": endless}, "args": {"x": 1}, "backend": "c"});
    let first = client.ask("rise/run", params.clone());
    wait_started(&mut client);
    // Another run, an edit of the running text, and a request are not delayed.
    assert_eq!(client.request("rise/run", four(&uri))["value"], 20.0);
    client.change(&endless, json!([{"text": "def a = fun(x: i32 => x)\n"}]));
    let place = json!({"textDocument": {"uri": uri}, "position": {"line": 1, "character": 4}});
    assert!(client.request("textDocument/hover", place)["contents"].is_object());
    // Runs after two running ones are queued, and can be cancelled in the queue.
    client.open("untitled:endless.rise", ENDLESS);
    let more = with(
        params,
        json!({"textDocument": {"uri": "untitled:endless.rise"}}),
    );
    let all: Vec<i64> = (0..3)
        .map(|_| client.ask("rise/run", more.clone()))
        .collect();
    for id in all.into_iter().rev().chain([first]) {
        client.notify("$/cancelRequest", json!({"id": id}));
        assert_eq!(client.wait(id).unwrap_err()["code"], -32800);
    }
    assert_eq!(client.request("rise/run", four(&uri))["value"], 20.0);
    assert_eq!(left_behind(client.scratch.path()), Vec::<String>::new());
}

#[test]
fn a_client_that_goes_leaves_nothing_that_runs() {
    let params =
        |uri: &str| json!({"textDocument": {"uri": uri}, "args": {"x": 1}, "backend": "c"});
    let mut client = Client::start();
    let uri = client.uri("a.rise");
    client.open(&uri, ENDLESS);
    client.ask("rise/run", params(&uri));
    wait_started(&mut client);
    client.hang_up();
    assert_eq!(client.status(), Some(1));
    assert_eq!(left_behind(client.scratch.path()), Vec::<String>::new());
    // The same holds for a server that gets a termination signal.
    let mut client = Client::start();
    let uri = client.uri("a.rise");
    client.open(&uri, ENDLESS);
    client.ask("rise/run", params(&uri));
    wait_started(&mut client);
    client.terminate();
    // It ends as a process that is killed by the signal.
    assert_eq!(client.status(), None);
    assert_eq!(left_behind(client.scratch.path()), Vec::<String>::new());
}

#[test]
fn a_server_that_is_killed_leaves_nothing() {
    for backend in ["c", "interp"] {
        let mut client = Client::start();
        let uri = client.uri("a.rise");
        client.open(&uri, ENDLESS);
        let params = json!({"textDocument": {"uri": uri}, "args": {"x": 1}, "backend": backend});
        client.ask("rise/run", params);
        // The processes of the compiler come before that of the program.
        let scratch = client.scratch.path().to_owned();
        client.wait_until(|_| {
            let started = leftovers(&scratch).into_iter();
            let mut commands = started.map(|process| std::fs::read(process + "/cmdline"));
            let is_program = |line: &[u8]| String::from_utf8_lossy(line).contains("/programs/");
            commands.any(|line| line.is_ok_and(|line| is_program(&line)))
        });
        client.kill();
        assert_eq!(client.status(), None);
        let scratch = client.scratch.path().to_owned();
        client.wait_until(|_| leftovers(&scratch).is_empty());
    }
}

#[test]
fn a_client_can_turn_runs_off() {
    let options = json!({"run": {"enabled": false}});
    let mut client = Client::raw(&[]);
    let settings = json!({"workspace": {"configuration": true}});
    client.settings = json!({"run": {"enabled": true}});
    client.initialize(json!({"capabilities": settings, "initializationOptions": options}));
    client.open("untitled:a.rise", DOT);
    let params = four("untitled:a.rise");
    let refusal = client.try_request("rise/run", params.clone()).unwrap_err();
    assert_eq!(refusal["code"], -32803);
    let message = refusal["message"].as_str().unwrap();
    assert!(message.contains("rise.run.enabled"), "{message}");
    let document = json!({"textDocument": {"uri": "untitled:a.rise"}});
    assert_eq!(client.request("textDocument/codeLens", document), json!([]));
    // A setting enables runs until it is changed.
    let mut client = Client::start();
    client.open("untitled:a.rise", DOT);
    for (enabled, refused) in [(false, true), (true, false)] {
        let settings = json!({"rise": {"run": {"enabled": enabled}}});
        client.notify(
            "workspace/didChangeConfiguration",
            json!({"settings": settings}),
        );
        let answer = client.try_request("rise/run", params.clone());
        assert_eq!(answer.is_err(), refused, "{answer:?}");
    }
}

/// Adds 1 in a process with small pages only, and 10 in one with the environment variable by which
/// the server selects them.
#[cfg(target_os = "linux")]
const SMALL_PAGES: &str = "foreign def small(x: i32): i32 = \"\"\"{
  extern int prctl(int, ...);
  extern char *getenv(const char *);
  return x + prctl(42, 0L, 0L, 0L, 0L) + (getenv(\"MIMALLOC_ALLOW_THP\") ? 10 : 0);
}\"\"\"
@target(c)
def f = fun(x: i32 => small(x))
";

#[test]
#[cfg(target_os = "linux")]
fn programs_have_huge_pages_although_the_server_has_none() {
    let mut client = Client::start();
    let uri = client.uri("a.rise");
    client.open(&uri, SMALL_PAGES);
    let params = json!({"textDocument": {"uri": uri}, "def": "f", "args": {"x": 5}});
    let done = client.request("rise/run", with(params, json!({"backend": "c"})));
    assert_eq!(done["value"], 5, "{done}");
}

#[test]
fn a_client_without_commands_runs_by_the_servers() {
    let mut client = Client::start();
    let commands = &client.capabilities["executeCommandProvider"]["commands"];
    assert_eq!(*commands, json!(["rise.run"]));
    let uri = client.uri("a.rise");
    client.open(&uri, &format!("@run(n = 4)\n{DOT}"));
    let document = json!({"textDocument": {"uri": uri}});
    let lenses = client.request("textDocument/codeLens", document);
    assert_eq!(lenses.as_array().unwrap().len(), 1, "{lenses}");
    let command = &lenses[0]["command"];
    assert_eq!(
        (&command["title"], &command["command"]),
        (&json!("Run"), &json!("rise.run"))
    );
    let params = json!({"command": command["command"], "arguments": command["arguments"]});
    let done = client.request("workspace/executeCommand", params);
    assert_eq!(done["def"], "dot");
    let shown = client.wait_for(|message| message["method"] == "window/showMessage");
    let message = shown["params"]["message"].as_str().unwrap();
    assert!(
        message.starts_with("`dot` ran in C with n = 4"),
        "{message}"
    );
    // A program that cannot be run is also reported.
    client.open(&client.uri("b.rise"), DOT);
    let arguments = json!([{"uri": client.uri("b.rise"), "def": "dot"}]);
    let params = json!({"command": "rise.run", "arguments": arguments});
    client.request("workspace/executeCommand", params);
    let shown = client.wait_for(|message| message["method"] == "window/showMessage");
    assert_eq!(shown["params"]["type"], 1, "{shown}");
    let params = json!({"command": "rise.fly", "arguments": []});
    assert_eq!(client.refused("workspace/executeCommand", params), -32602);
    // A client with commands of its own gets lenses for those only.
    let own = json!({"experimental": {"rise": {"commands": ["rise.preview"]}}});
    let client = Client::with(own, &[]);
    assert_eq!(client.capabilities["executeCommandProvider"], Value::Null);
}

/// A slow compiler with child processes and temporary files.
const SLOW: &str = "#!/bin/sh
case \"$*\" in *--version*) echo slow 1; exit;; esac
touch \"$TMPDIR/cc1.s\" \"$(dirname \"$0\")/compiles\"
sleep 1000 & sleep 1000
";

#[test]
fn a_compiler_stops_with_all_that_it_has_started() {
    let compiler = [("cc.sh", SLOW)];
    let mut client = Client::raw_with(&compiler, |command, scratch| {
        let folder = command.get_current_dir().unwrap();
        command.env("CC", format!("sh {}", folder.join("cc.sh").display()));
        command.env("XDG_CACHE_HOME", scratch);
    });
    client.initialize(json!({"capabilities": {}}));
    client.open("untitled:a.rise", DOT);
    let more = json!({"backend": "c"});
    let id = client.ask("rise/run", with(four("untitled:a.rise"), more));
    let compiles = client.folder.path().join("compiles");
    client.wait_until(|_| compiles.exists());
    client.notify("$/cancelRequest", json!({"id": id}));
    assert_eq!(client.wait(id).unwrap_err()["code"], -32800);
    let cache = client.scratch.path().join("rise-ls");
    assert_eq!(
        left_behind(client.scratch.path()),
        [cache.to_str().unwrap()]
    );
    assert_eq!(left_behind(&cache.join("programs")), Vec::<String>::new());
}
