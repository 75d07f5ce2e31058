//! Tests of OpenCL programs in an editor: their kernels, the work-items, the reasons of barriers,
//! and runs on a device, if the machine has one.

use serde_json::{Value, json};

use crate::client::{Client, range};

const SUMS: &str = "@target(opencl)
@opencl(local = [64], global = [64 * n])
@run(n = 256)
def sums = depFun(n: Nat => fun(xs: (128 * n).f32 =>
  xs |> split(128) |> mapWorkGroup(fun(chunk =>
    let halves = toMem(Local)(chunk |> split(2) |> mapLocal(reduceSeq(Private)(add)(0.0f))) in
    halves |> split(4) |> mapLocal(reduceSeq(Private)(add)(0.0f))
  )) |> join))
";

fn start() -> Client {
    let commands = json!({"experimental": {"rise": {"commands": ["rise.preview", "rise.run"]}}});
    Client::with(commands, &[])
}

fn preview(client: &mut Client, uri: &str, form: &str) -> Value {
    client.request(
        "rise/preview",
        json!({"textDocument": {"uri": uri}, "def": "sums", "as": form}),
    )
}

/// Returns the text of a range on its first line.
fn words<'t>(text: &'t str, range: &Value) -> &'t str {
    let at = |part: &str| usize::try_from(range["start"][part].as_u64().unwrap()).unwrap();
    &text.lines().nth(at("line")).unwrap()[at("character")..]
}

/// Returns the inlay hints of the whole document.
fn hints(client: &mut Client, uri: &str) -> Vec<Value> {
    let params = json!({"textDocument": {"uri": uri}, "range": range((0, 0), (100, 0))});
    let found = client.request("textDocument/inlayHint", params);
    found.as_array().unwrap().clone()
}

fn barriers(hints: &[Value]) -> Vec<&str> {
    let labels = hints.iter().filter_map(|hint| hint["label"].as_str());
    labels
        .filter(|label| label.starts_with("barrier"))
        .collect()
}

/// Returns the name of the first device.
fn device(client: &mut Client) -> String {
    let found = client.request("rise/devices", json!({}));
    let name = found["devices"][0]["name"].as_str();
    name.unwrap_or_else(|| panic!("{found}")).to_owned()
}

#[test]
fn kernels_are_shown_beside_their_source_while_one_types() {
    let mut client = start();
    let uri = client.uri("a.rise");
    client.open(&uri, SUMS);
    let shown = preview(&mut client, &uri, "opencl");
    assert_eq!(
        (&shown["language"], &shown["title"], &shown["errors"]),
        (&json!("opencl"), &json!("sums as OpenCL"), &json!([]))
    );
    let text = shown["text"].as_str().unwrap();
    assert!(text.contains("kernel void sums("), "{text}");
    let parts = shown["map"].as_array().unwrap();
    let barrier = parts
        .iter()
        .filter(|part| words(text, &part["target"]).starts_with("barrier("))
        .find_map(|part| {
            let said = part["origin"]["passes"].as_array()?.iter();
            let said = said
                .filter_map(Value::as_str)
                .find(|s| s.contains("halves"));
            said.map(|said| (said, words(SUMS, &part["source"])))
        });
    let (said, source) = barrier.unwrap_or_else(|| panic!("no barrier says why: {shown}"));
    assert_eq!(
        said,
        "barrier: orders the write of `halves` (line 6) and the read in line 7"
    );
    assert!(source.starts_with("halves"), "{source}");
    // An edit updates the preview.
    let column = SUMS.lines().nth(5).unwrap().find("0.0f").unwrap();
    let at = range((5, column), (5, column + 4));
    client.change(&uri, json!([{"range": at, "text": "7.0f"}]));
    let changed = client.wait_for(|message| message["method"] == "rise/previewChanged");
    let params = &changed["params"];
    assert_eq!(params["as"], "opencl");
    assert!(
        params["text"].as_str().unwrap().contains("7.0f"),
        "{params}"
    );
    // The host program is also shown.
    let host = preview(&mut client, &uri, "opencl-host");
    assert_eq!(
        (&host["language"], &host["errors"]),
        (&json!("c"), &json!([]))
    );
    let text = host["text"].as_str().unwrap();
    assert!(text.contains("clEnqueueNDRangeKernel"), "{text}");
}

#[test]
fn hover_says_which_work_items_do_what() {
    let mut client = start();
    let uri = client.uri("a.rise");
    client.open(&uri, SUMS);
    let mut hover = |line: usize, word: &str, nth: usize| {
        let text = SUMS.lines().nth(line).unwrap();
        let column = text.match_indices(word).nth(nth).unwrap().0;
        let position = json!({"line": line, "character": column + 1});
        let params = json!({"textDocument": {"uri": uri}, "position": position});
        let found = client.request("textDocument/hover", params);
        found["contents"]["value"].as_str().unwrap().to_owned()
    };
    for (line, word, wanted) in [
        (
            3,
            "sums",
            "the kernel `sums` is launched with `n*64` work-items in groups of 64",
        ),
        (3, "sums", "(16384 in 256 groups with `@run(n = 256)`)"),
        (
            3,
            "sums",
            "of local memory; less than 1% of the 48 kB of the device assumed by default",
        ),
        (
            4,
            "mapWorkGroup",
            "One element for each of the `n` work-groups: `get_group_id(0)` says which.",
        ),
        (
            5,
            "mapLocal",
            "One element for each of the 64 work-items of a group",
        ),
        (5, "reduceSeq", "One work-item does all of it."),
        (
            5,
            "toMem",
            "stored in local memory, 256 B, for each work-group",
        ),
        (
            6,
            "mapLocal",
            "each of the first 16 of the 64 work-items of a group",
        ),
    ] {
        let said = hover(line, word, 0);
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
}

#[test]
fn hints_at_barriers_can_be_turned_off() {
    let mut client = start();
    let uri = client.uri("a.rise");
    client.open(&uri, SUMS);
    let found = hints(&mut client, &uri);
    assert_eq!(barriers(&found), ["barrier: halves written in line 6"]);
    let settings = json!({"settings": {"rise": {"inlayHints": {"barriers": false}}}});
    client.notify("workspace/didChangeConfiguration", settings);
    let found = hints(&mut client, &uri);
    assert_eq!(barriers(&found), [""; 0]);
}

#[test]
#[cfg_attr(not(tool = "opencl"), ignore = "needs an OpenCL device")]
fn a_lens_runs_a_program_on_the_device() {
    let mut client = start();
    let uri = client.uri("a.rise");
    client.open(&uri, SUMS);
    let document = json!({"textDocument": {"uri": uri}});
    let lenses = client.request("textDocument/codeLens", document.clone());
    let title = |lenses: &Value, at: usize| lenses[at]["command"]["title"].clone();
    assert_eq!(
        [title(&lenses, 0), title(&lenses, 1), title(&lenses, 2)],
        ["Run", "Run on device", "Preview"]
    );
    let lens = lenses[1]["command"]["arguments"][0].clone();
    assert_eq!(
        (&lens["backend"], &lens["def"]),
        (&json!("opencl"), &json!("sums"))
    );
    let name = device(&mut client);
    let params = json!({
        "textDocument": {"uri": uri}, "def": "sums", "backend": lens["backend"],
        "device": name, "bench": 2, "verify": true, "value": false,
    });
    let done = client.request("rise/run", params);
    assert_eq!(done["verify"]["ok"], true, "{done}");
    assert_eq!(
        (&done["backend"], &done["device"]["name"]),
        (&json!("opencl"), &json!(name))
    );
    assert_eq!(done["kernels"][0]["name"], "sums");
    assert_eq!(done["kernels"][0]["local"], json!([64, 1, 1]));
    assert_eq!(done["kernels"][0]["global"], json!([16384, 1, 1]));
    assert_eq!(done["times"]["runs"], 2);
    assert!(done["transfers"]["up"].as_f64().unwrap() > 0.0, "{done}");
    assert!(done["bandwidth"]["share"].as_f64().unwrap() > 0.0, "{done}");
    // Afterwards the lens contains the name of the device.
    let wanted = format!("Run on {name}");
    client.wait_until(|client| {
        let lenses = client.request("textDocument/codeLens", document.clone());
        title(&lenses, 1) == wanted.as_str()
    });
    // The local size must fit the program.
    let other = json!({
        "textDocument": {"uri": uri}, "def": "sums", "backend": "opencl", "local": [0],
    });
    assert_eq!(client.refused("rise/run", other), -32602);
}

#[test]
#[cfg_attr(not(tool = "opencl"), ignore = "needs an OpenCL device")]
fn programs_are_checked_for_the_device_of_the_settings() {
    let mut client = start();
    let uri = client.uri("a.rise");
    client.open(&uri, SUMS);
    let name = device(&mut client);
    let set = |client: &mut Client, device: &str| {
        let settings = json!({"settings": {"rise": {"device": device}}});
        client.notify("workspace/didChangeConfiguration", settings);
    };
    set(&mut client, &name);
    let position = json!({"line": 3, "character": 5});
    let params = json!({"textDocument": {"uri": uri}, "position": position});
    let said = |client: &mut Client| {
        let found = client.request("textDocument/hover", params.clone());
        found["contents"]["value"].as_str().unwrap().to_owned()
    };
    client.wait_until(|client| said(client).contains(&format!(" of {name}")));
    // A missing device is logged, and is not an error of the program.
    set(&mut client, "no such device");
    let logged = client.wait_for(|message| {
        message["method"] == "window/logMessage"
            && message["params"]["message"]
                .as_str()
                .unwrap()
                .contains("`rise.device`")
    });
    assert_eq!(logged["params"]["type"], 2, "{logged}");
    client.wait_until(|client| said(client).contains("the device assumed by default"));
}

#[test]
fn where_nothing_runs_no_driver_is_started_either() {
    let mut client = Client::raw(&[]);
    let params = json!({
        "capabilities": {"experimental": {"rise": {"commands": ["rise.run", "rise.preview"]}}},
        "initializationOptions": {"run": {"enabled": false}, "device": "any"},
    });
    client.initialize(params);
    let uri = client.uri("a.rise");
    client.open(&uri, SUMS);
    assert_eq!(client.refused("rise/devices", json!({})), -32803);
    let params = json!({"textDocument": {"uri": uri}});
    let lenses = client.request("textDocument/codeLens", params);
    assert_eq!(lenses.as_array().unwrap().len(), 1);
    assert_eq!(lenses[0]["command"]["title"], "Preview");
}
