//! Tests of strategies in the protocol: they are listed, stepped through and applied, with the
//! intermediate programs as documents.

use serde_json::{Value, json};

use crate::client::Client;

const TWICE: &str = "// Two maps.
def twice = depFun(n: Nat => fun(xs: n.f32 =>
  xs |> map(fun(x => x + 1.0f32)) |> map(fun(y => y * 2.0f32))))

def other = twice
";
const LOWER: &str = "topDown(mapFusion) ; topDown(toMapSeq)";

fn about(uri: &str, more: Value) -> Value {
    let mut params = json!({"textDocument": {"uri": uri}, "def": "twice", "strategy": LOWER});
    let fields = params.as_object_mut().unwrap();
    fields.extend(more.as_object().unwrap().clone());
    params
}

fn rules(steps: &Value) -> Vec<&str> {
    let all = steps["steps"].as_array().unwrap().iter();
    let own = all.filter(|step| step["housekeeping"] == json!(false));
    own.map(|step| step["rule"].as_str().unwrap()).collect()
}

#[test]
fn the_strategies_of_the_workspace_come_first_then_the_library() {
    let mut client = Client::start();
    let uri = client.uri("a.rise");
    let own = client.uri("own.elevate");
    client.open(&uri, TWICE);
    let text = "/// Both maps in one loop.\n@title(\"One loop of {n}\")\n\
                strategy oneLoop(n: Nat): Strategy = topDown(mapFusion)\n";
    client.notify(
        "textDocument/didOpen",
        json!({"textDocument": {"uri": own, "languageId": "elevate", "version": 1, "text": text}}),
    );
    let listed = client.request(
        "rise/strategies",
        json!({"textDocument": {"uri": uri}, "position": {"line": 2, "character": 3}}),
    );
    assert_eq!(listed["def"], json!("twice"));
    let all = listed["strategies"].as_array().unwrap();
    assert_eq!(
        all[0],
        json!({
            "name": "oneLoop", "title": "One loop of {n}", "kind": null,
            "docs": "Both maps in one loop.", "rule": false, "uri": own, "library": false,
            "parameters": [[{"name": "n", "type": "Nat", "optional": false}]],
        })
    );
    let fusion = all.iter().find(|one| one["name"] == json!("mapFusion"));
    let fusion = fusion.expect("the library has it");
    assert_eq!(
        (&fusion["rule"], &fusion["library"]),
        (&json!(true), &json!(true))
    );
    // Strategies with strategies as parameters are not listed.
    assert!(all.iter().all(|one| one["name"] != json!("topDown")));
}

#[test]
fn a_strategy_is_stepped_through_and_applied_up_to_a_step() {
    let mut client = Client::start();
    let uri = client.uri("a.rise");
    client.open(&uri, TWICE);
    let all = client.request("rise/strategySteps", about(&uri, json!({})));
    assert_eq!(rules(&all), ["mapFusion", "toMapSeq"]);
    assert_eq!(all["failure"], json!(null));
    assert_eq!(all["steps"][0]["range"]["start"]["line"], json!(2));
    let before = client.request("rise/strategySteps", about(&uri, json!({"step": 0})));
    assert_eq!(
        (&before["text"], &before["changed"]),
        (&json!(TWICE), &json!(null))
    );
    let first = client.request("rise/strategySteps", about(&uri, json!({"step": 1})));
    let text = first["text"].as_str().unwrap();
    assert!(text.starts_with("// Two maps.\n") && text.ends_with("def other = twice\n"));
    assert_eq!(text.matches("map(").count(), 1, "{text}");
    assert_eq!(first["changed"]["start"]["line"], json!(1));

    // The program of a step is an ordinary document.
    let step = uri
        .replace("file:", "rise-step:")
        .replace("a.rise", "twice.rise");
    client.open(&step, text);
    let code = client.request(
        "rise/preview",
        json!({"textDocument": {"uri": step}, "def": "twice", "as": "rise"}),
    );
    assert_eq!(code["errors"], json!([]));

    let applied = client.request("rise/strategyApply", about(&uri, json!({"step": 1})));
    assert!(applied["edit"].is_object(), "{applied}");
}

#[test]
fn a_strategy_that_fails_says_where_and_why() {
    let mut client = Client::start();
    let uri = client.uri("a.rise");
    client.open(&uri, TWICE);
    let twice = json!({"strategy": "topDown(mapFusion) ; topDown(mapFusion)"});
    let found = client.request("rise/strategySteps", about(&uri, twice.clone()));
    assert_eq!(rules(&found), ["mapFusion"]);
    let message = found["failure"]["message"].as_str().unwrap();
    assert!(message.contains("mapFusion"), "{message}");
    let applied = client.request("rise/strategyApply", about(&uri, twice));
    assert_eq!(applied["edit"], json!(null));
    assert!(!applied["message"].as_str().unwrap().is_empty());
}
