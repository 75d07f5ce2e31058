//! Tests of further rewrites: user-defined ones, undo, rewrites with parameters, reasons why a rule
//! does not apply, and recorded steps.

use serde_json::{Value, json};

use crate::client::{Client, edited, find, place, range};
use crate::rewrites::actions;

const CONTENT_MODIFIED: i64 = -32801;

fn client_with(commands: &[&str], files: &[(&str, &str)]) -> Client {
    let literal = json!({"codeActionKind": {"valueSet": ["quickfix", "refactor", "source"]}});
    let actions = json!({
        "codeActionLiteralSupport": literal,
        "resolveSupport": {"properties": ["edit"]},
        "dataSupport": true,
        "disabledSupport": true,
    });
    let capabilities = json!({
        "textDocument": {"codeAction": actions},
        "experimental": {"rise": {"commands": commands}},
    });
    Client::with(capabilities, files)
}

fn titled(actions: &[Value], title: &str) -> Value {
    let is = |action: &&Value| {
        let own = action["title"].as_str();
        own.is_some_and(|own| own.starts_with(title))
    };
    let titles: Vec<&Value> = actions.iter().map(|action| &action["title"]).collect();
    let found = actions.iter().find(is);
    found
        .unwrap_or_else(|| panic!("no `{title}` among {titles:#?}"))
        .clone()
}

/// Resolves an action, and returns the text after its edit.
fn after(client: &mut Client, uri: &str, text: &str, action: Value) -> String {
    let made = client.request("codeAction/resolve", action);
    edited(text, &made["edit"]["changes"][uri])
}

const TWO: &str = "def two = depFun(n: Nat => fun((xs: n.f32, f: f32 -> f32, g: f32 -> f32) =>\n  \
                   xs |> map(f) |> map(g))) // both\n";

#[test]
fn a_rewrite_is_taken_back_and_explained_as_long_as_it_stands() {
    let mut client = client_with(&[], &[]);
    let uri = client.uri("a.rise");
    client.open(&uri, TWO);
    let at = find(TWO, "map(g)");
    let fuse = titled(&actions(&mut client, &uri, at, &json!(null)), "Fuse maps");
    let fused = after(&mut client, &uri, TWO, fuse.clone());
    // A resolved edit that is not applied cannot be undone.
    let now = actions(
        &mut client,
        &uri,
        at,
        &json!(["refactor.rewrite.rise.undo"]),
    );
    assert_eq!(now, Vec::<Value>::new());
    client.replace(&uri, &fused);
    let at = find(&fused, ">> g");
    let all = actions(&mut client, &uri, at, &json!(null));
    let undo = titled(&all, "Undo this rewrite: Fuse maps");
    assert_eq!(undo["kind"], "refactor.rewrite.rise.undo");
    assert_eq!(after(&mut client, &uri, &fused, undo.clone()), TWO);
    let told = client.request("rise/explain", place(&uri, at.0, at.1));
    assert_eq!(told["title"], fuse["title"]);
    assert_eq!(told["strategy"], "topDown(mapFusion)");
    assert_eq!(told["steps"][0]["rule"], "mapFusion");
    assert!(
        told["steps"][0]["before"]
            .as_str()
            .unwrap()
            .contains("map(g)")
    );
    // An edit for an outdated text fails.
    client.replace(&uri, &fused.replace("both", "all"));
    let code = client.refused("codeAction/resolve", undo);
    assert_eq!(code, CONTENT_MODIFIED);
    // A rewrite cannot be undone after its result has been changed.
    client.replace(&uri, &fused.replace("f >> g", "g >> g"));
    let all = actions(
        &mut client,
        &uri,
        at,
        &json!(["refactor.rewrite.rise.undo"]),
    );
    assert_eq!(all, Vec::<Value>::new());
    client.refused("rise/explain", place(&uri, at.0, at.1));
}

const OWN: &str = "/// A sum of twice the same.
@title(\"Multiply by two\")
rule byTwo = add(x)(x) : f32 |-> mul(2.0f)(x)

/// Everything in one loop.
val lowered = topDown(mapFusion) ; topDown(toMapSeq)

strategy chunks(n: Nat): Strategy = topDown(splitJoin(n))
";
const SUM: &str =
    "def sum = fun(xs: 8.f32 => xs |> map(fun(x => x + x)) |> map(fun(x => x * x)))\n";

#[test]
fn rules_and_strategies_of_files_beside_a_program_are_offered() {
    let mut client = client_with(&["rise.applyWith"], &[("own.elevate", OWN)]);
    let uri = client.uri("a.rise");
    client.open(&uri, SUM);
    let at = find(SUM, "+ x");
    let own = titled(
        &actions(&mut client, &uri, at, &json!(null)),
        "Multiply by two",
    );
    assert_eq!(own["kind"], "refactor.rewrite.rise.own");
    let text = after(&mut client, &uri, SUM, own);
    assert_eq!(text, SUM.replace("x + x", "2.0f * x"));
    // Strategies are offered at the name of the definition, or on request.
    let only = json!(["source.rise.strategy"]);
    let all = actions(&mut client, &uri, at, &only);
    let run = titled(&all, "Run strategy lowered of own.elevate");
    assert!(run["edit"].is_null(), "it is run when it is chosen");
    let text = after(&mut client, &uri, SUM, run.clone());
    assert!(text.contains("xs |> mapSeq("), "{text}");
    let chunks = titled(&all, "Run strategy chunks of own.elevate…");
    assert_eq!(chunks["command"]["command"], "rise.applyWith");
    let asked = &chunks["command"]["arguments"][0];
    assert_eq!(asked["parameters"], json!([{"name": "n", "type": "Nat"}]));
    let from = client.uri("own.elevate");
    assert_eq!(
        (&asked["strategy"], &asked["from"]),
        (&json!("chunks({n})"), &json!(from))
    );
    let applied = client.request(
        "rise/strategyApply",
        json!({"textDocument": {"uri": uri}, "def": "sum", "strategy": "chunks(4)", "from": from}),
    );
    assert!(applied["edit"].is_object(), "{applied}");
    // The version for which it was offered is outdated.
    client.replace(&uri, &SUM.replace("x * x", "x - x"));
    assert_eq!(client.refused("codeAction/resolve", run), CONTENT_MODIFIED);
}

#[test]
fn a_strategy_of_a_file_that_fails_says_why() {
    let text = "val never = topDown(removeTransposePair)\n";
    let mut client = client_with(&[], &[("own.elevate", text)]);
    let uri = client.uri("a.rise");
    client.open(&uri, SUM);
    let all = actions(&mut client, &uri, (0, 5), &json!(["source"]));
    let run = titled(&all, "Run strategy never of own.elevate");
    let reason = run["disabled"]["reason"].as_str().unwrap();
    assert!(reason.contains("transpose"), "{reason}");
    assert!(run["edit"].is_null() && run["data"].is_null());
}

const NEST: &str = "def nest = depFun((n: Nat, m: Nat, k: Nat) => fun(xsss: n.m.k.f32 =>
  xsss |> map(fun(plane => plane |> map(fun(row => row |> map(fun(x => x + 1.0f))))))))
";

#[test]
fn orders_and_sizes_are_asked_for_where_the_client_can() {
    let mut client = client_with(&["rise.applyWith"], &[]);
    let uri = client.uri("a.rise");
    client.open(&uri, NEST);
    let at = find(NEST, "map(fun(row");
    let all = actions(
        &mut client,
        &uri,
        at,
        &json!(["refactor.rewrite.rise.tile"]),
    );
    let order = titled(&all, "Reorder loops…");
    let asked = order["command"]["arguments"][0].clone();
    assert_eq!(
        asked["loops"],
        json!([
            {"name": "plane", "size": "n", "reduces": false},
            {"name": "row", "size": "m", "reduces": false},
            {"name": "x", "size": "k", "reduces": false},
        ])
    );
    let strategy = asked["strategy"].as_str().unwrap();
    let strategy = strategy.replace("{order}", "[3, 1, 2]");
    let applied = client.request(
        "rise/strategyApply",
        json!({"textDocument": {"uri": uri}, "def": asked["def"], "strategy": strategy}),
    );
    assert!(applied["edit"].is_object(), "{applied}");
    let all = actions(
        &mut client,
        &uri,
        at,
        &json!(["refactor.rewrite.rise.split"]),
    );
    let split = titled(&all, "Split map into chunks of …");
    let asked = &split["command"]["arguments"][0];
    assert_eq!(asked["parameters"], json!([{"name": "n", "type": "Nat"}]));
    // A client without the command gets only the usual sizes.
    let mut client = client_with(&[], &[]);
    let uri = client.uri("a.rise");
    client.open(&uri, NEST);
    let all = actions(&mut client, &uri, at, &json!(["refactor.rewrite.rise"]));
    assert!(all.iter().all(|action| action["command"].is_null()));
    titled(&all, "Reorder loops: x, plane, row");
}

const ONE: &str = "def one = depFun(n: Nat => fun(xs: n.f32 => xs |> map(fun(x => x + x))))\n";

#[test]
fn definitions_are_lowered_beside_themselves() {
    let mut client = client_with(&["rise.lower", "rise.applyStrategy"], &[]);
    let uri = client.uri("a.rise");
    client.open(&uri, ONE);
    let lenses = client.request(
        "textDocument/codeLens",
        json!({"textDocument": {"uri": uri}}),
    );
    let shown: Vec<&Value> = lenses
        .as_array()
        .unwrap()
        .iter()
        .map(|lens| &lens["command"]["title"])
        .collect();
    assert_eq!(shown, ["Lower 1 Pattern…"]);
    let about = &lenses[0]["command"]["arguments"][0];
    assert_eq!(about["target"], Value::Null);
    let lower = |target: &str| json!({"textDocument": {"uri": uri}, "position": about["position"], "target": target});
    for target in ["c", "openmp", "opencl"] {
        let made = client.request("rise/lower", lower(target));
        assert!(made["edit"].is_object(), "{target}: {made}");
        let text = edited(ONE, &made["edit"]["changes"][&uri]);
        let head = format!("@target({target})\ndef one_{target} = ");
        assert!(text.starts_with(ONE) && text.contains(&head), "{text}");
        let version = client.replace(&uri, &text);
        let errors = client.diagnostics(&uri, version);
        assert!(errors.is_empty(), "{target}: {errors:?}\n{text}");
        client.replace(&uri, ONE);
    }
    client.refused("rise/lower", lower("fpga"));
    let all = actions(&mut client, &uri, (0, 5), &json!(["source.rise.lower"]));
    let copy = titled(&all, "Lower to C as `one_c`");
    assert_eq!(copy["kind"], "source.rise.lower");
    assert!(after(&mut client, &uri, ONE, copy).contains("/// `one`, lowered by `lowerToC`."));
}

#[test]
fn actions_about_a_definition_are_in_the_usual_menu_at_its_name() {
    let mut client = client_with(&[], &[]);
    let uri = client.uri("a.rise");
    client.open(&uri, ONE);
    let all = actions(&mut client, &uri, (0, 5), &Value::Null);
    let lower = titled(&all, "Lower to C");
    assert_eq!(lower["kind"], "refactor.rewrite.rise.definition");
    let is_source = |action: &&Value| action["kind"].as_str().unwrap().starts_with("source");
    assert_eq!(all.iter().filter(is_source).count(), 0, "{all:?}");
    // The action is still found when it is chosen.
    let text = after(
        &mut client,
        &uri,
        ONE,
        titled(&all, "Lower to C as `one_c`"),
    );
    assert!(text.contains("def one_c = "), "{text}");
}

#[test]
fn blanks_at_the_ends_of_a_selection_do_not_matter() {
    let mut client = client_with(&[], &[]);
    let uri = client.uri("a.rise");
    client.open(&uri, ONE);
    let mut titles = |from: usize, to: usize| -> Vec<Value> {
        let params = json!({
            "textDocument": {"uri": uri},
            "range": range((0, from), (0, to)),
            "context": {"diagnostics": []},
        });
        let all = client.request("textDocument/codeAction", params);
        let titles = all
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["title"].clone());
        titles.collect()
    };
    let name = titles(4, 7);
    assert!(!name.is_empty());
    assert_eq!(titles(4, 8), name);
    assert_eq!(titles(3, 8), name);
    let map = ONE.find("map").unwrap();
    assert_eq!(titles(map - 1, map + 3), titles(map, map + 3));
}

#[test]
fn stages_that_do_nothing_are_fixed_in_the_whole_file() {
    let mut client = client_with(&[], &[]);
    let uri = client.uri("a.rise");
    let text = "def a = fun(xs: 4.4.f32 => xs |> transpose |> transpose) // one\r\n\
                def b = fun(xs: 8.f32 => xs |> map(fun(x => x + 1.0f)) |> split(2) |> join)\r\n";
    client.open(&uri, text);
    let all = actions(&mut client, &uri, (0, 0), &json!(["source.fixAll"]));
    let fix = titled(&all, "Remove all stages that do nothing");
    assert_eq!(fix["kind"], "source.fixAll.rise");
    assert_eq!(
        after(&mut client, &uri, text, fix),
        text.replace(" |> transpose |> transpose", "")
            .replace(" |> split(2) |> join", "")
    );
    // The action is not offered if there is nothing to remove.
    let idle = client.uri("idle.rise");
    client.open(
        &idle,
        "def a = fun(xs: 4.f32 => xs |> map(fun(x => x + 1.0f)))\n",
    );
    let all = actions(&mut client, &idle, (0, 0), &json!(["source.fixAll"]));
    assert!(all.is_empty(), "{all:#?}");
    // It is not among the actions at a position.
    let all = actions(&mut client, &uri, (0, 10), &json!(null));
    assert!(
        all.iter()
            .all(|action| action["kind"] != "source.fixAll.rise")
    );
}

#[test]
fn what_was_done_is_written_down_beside_the_program() {
    let mut client = client_with(&["rise.record"], &[]);
    let uri = client.uri("a.rise");
    client.open(&uri, TWO);
    let at = find(TWO, "map(g)");
    let fuse = titled(&actions(&mut client, &uri, at, &json!(null)), "Fuse maps");
    let made = client.request("codeAction/resolve", fuse);
    let taken = &made["command"]["arguments"][0];
    assert_eq!(
        (&made["command"]["command"], &taken["def"], &taken["step"]),
        (
            &json!("rise.record"),
            &json!("two"),
            &json!("topDown(mapFusion)")
        )
    );
    let record = json!({"textDocument": {"uri": uri}, "def": "two", "step": taken["step"]});
    let written = client.request("rise/record", record);
    let file = client.uri("strategy.elevate");
    assert_eq!(written["uri"], file);
    let changes = &written["edit"]["documentChanges"];
    assert_eq!(
        (&changes[0]["kind"], &changes[0]["uri"]),
        (&json!("create"), &json!(file))
    );
    let text = edited("", &changes[1]["edits"]);
    assert_eq!(
        text,
        "/// The steps taken on `two`.\nstrategy twoSteps: Strategy =\n  topDown(mapFusion)\n"
    );
    // The next step is appended to the first one, in the open document.
    client.open(&file, &text);
    let next = json!({"textDocument": {"uri": uri}, "def": "two", "step": "topDown(toMapSeq)"});
    let written = client.request("rise/record", next);
    let changes = &written["edit"]["documentChanges"];
    let text = edited(&text, &changes[0]["edits"]);
    assert!(
        text.ends_with("topDown(mapFusion)\n  ; topDown(toMapSeq)\n"),
        "{text}"
    );
    // The recorded steps are a strategy with the same effect.
    client.change(&file, json!([{"text": text}]));
    let again = json!({
        "textDocument": {"uri": uri}, "def": "two", "strategy": "twoSteps", "from": file,
    });
    let applied = client.request("rise/strategyApply", again);
    let edits = &applied["edit"]["changes"][&uri];
    assert_eq!(
        edited(TWO, edits),
        TWO.replace("map(f) |> map(g)", "mapSeq(f >> g)")
    );
    // There is no file beside an untitled document.
    client.open("untitled:b", TWO);
    let nowhere = json!({"textDocument": {"uri": "untitled:b"}, "def": "two", "step": "id"});
    client.refused("rise/record", nowhere);
}

fn why(client: &mut Client, text: &str, at: &str, rule: &str) -> Value {
    let uri = client.uri("why.rise");
    client.open(&uri, text);
    let at = find(text, at);
    let asked = json!({"textDocument": {"uri": uri}, "range": range(at, at), "rule": rule});
    let found = client.request("rise/why", asked);
    client.notify(
        "textDocument/didClose",
        json!({"textDocument": {"uri": uri}}),
    );
    found
}

/// Tests the reasons why rules do not apply, and the rewrite after which they do.
#[test]
fn the_rewrite_that_would_enable_a_rule_is_named() {
    let cases = [
        // A stage is between two maps.
        (
            "def f = depFun(n: Nat => fun(xs: (4 * n).f32 => xs |> map(fun(x => x + 1.0f)) |> split(4) |> map(map(fun(x => x * 2.0f)))))\n",
            "map(map",
            "mapFusion",
            "splitBeforeMap",
        ),
        // The enclosing map is not a work-group yet.
        (
            "def f = depFun((n: Nat, m: Nat) => fun(xss: n.m.f32 => xss |> map(fun(row => row |> map(fun(x => x + 1.0f))))))\n",
            "map(fun(x",
            "toMapLocal(0)",
            "toMapWorkGroup(0)",
        ),
        // A reduction is not a loop yet.
        (
            "def f = depFun(n: Nat => fun(xs: n.f32 => xs |> mapSeq(fun(x => x * x)) |> reduce(add)(0.0f)))\n",
            "reduce",
            "fuseReduceMapSeq",
            "sequentialReduce",
        ),
        // A map is between two transpositions.
        (
            "def f = depFun((n: Nat, m: Nat) => fun(xss: n.m.f32 => xss |> transpose |> map(map(fun(x => x + 1.0f))) |> transpose))\n",
            "transpose))",
            "removeTransposePair",
            "transposeBeforeMapMapF",
        ),
        // A map contains another stage before its reduction.
        (
            "def f = depFun((n: Nat, m: Nat) => fun(xss: n.m.f32 => xss |> map(fun(row => row |> map(fun(x => x * x)) |> reduce(add)(0.0f)))))\n",
            "map(fun(row",
            "liftReduce",
            "mapFission",
        ),
    ];
    let mut client = client_with(&[], &[]);
    for (text, at, rule, enabling) in cases {
        let found = why(&mut client, text, at, rule);
        assert_eq!(found["applies"], false, "{rule}: {found}");
        assert!(!found["message"].as_str().unwrap().is_empty());
        let ways = found["enabledBy"].as_array().unwrap();
        assert!(
            ways.iter().any(|way| way["strategy"] == enabling),
            "{rule}: {found:#}"
        );
    }
    let applies = why(&mut client, cases[0].0, "map(fun", "toMapSeq");
    assert_eq!(applies["applies"], true);
    let uri = client.uri("none.rise");
    client.open(&uri, "def f = 1\n");
    let asked =
        json!({"textDocument": {"uri": uri}, "range": range((0, 8), (0, 8)), "rule": "noSuchRule"});
    client.refused("rise/why", asked);
}

/// Returns programs with unusual text around two maps, and the parts that must be kept.
fn odd() -> Vec<(String, Vec<&'static str>)> {
    let head = "def two = depFun(n: Nat => fun((xs: n.f32, f: f32 -> f32, g: f32 -> f32) =>";
    vec![
        // Comments between stages are kept.
        (
            format!(
                "{head}\n  xs // the input\n    |> map(f) // f\n    // and then\n    |> map(g) // g\n))\n"
            ),
            vec!["the input", "// f", "and then", "// g"],
        ),
        (
            format!("{head} /* a */ xs |> /* b */ map(f) |> map(g) /* c */))\n"),
            vec!["/* a */", "/* b */", "/* c */"],
        ),
        // Windows line ends and tabs, with one stage on each line.
        (
            format!("{head}\r\n\txs\r\n\t\t|> map(f)\r\n\t\t|> map(g)\r\n))\r\n"),
            vec!["\r\n"],
        ),
        // Characters of two UTF-16 units before the maps on the line.
        (
            format!("{head} /* 𝔸🙂ä */ xs |> map(f) |> map(g)))\n"),
            vec!["/* 𝔸🙂ä */"],
        ),
        // The maps are a part of a longer pipeline.
        (
            format!(
                "{head}\n  xs |> map(fun(x => x))\n    |> map(f) |> map(g)\n    |> map(fun(y => y))))\n"
            ),
            vec!["fun(x => x)", "fun(y => y)"],
        ),
        // Calls without a pipeline, followed by a definition on the same line.
        (
            format!("{head} map(g)(map(f)(xs))))\ndef three = 3\n"),
            vec!["def three = 3"],
        ),
    ]
}

/// Fuses two maps within unusual text.
#[test]
fn maps_are_fused_whatever_stands_around_them() {
    let mut client = client_with(&[], &[]);
    let uri = client.uri("a.rise");
    client.open(&uri, "def nothing = 0\n");
    for (text, kept) in odd() {
        client.replace(&uri, &text);
        let at = find(&text, "map(g)");
        let all = actions(
            &mut client,
            &uri,
            at,
            &json!(["refactor.rewrite.rise.fuse"]),
        );
        let fuse = titled(&all, "Fuse maps: one array of n f32 less");
        let made = client.request("codeAction/resolve", fuse);
        let edits = &made["edit"]["changes"][&uri];
        let fused = edited(&text, edits);
        assert!(fused.contains("f >> g"), "{text}{fused}");
        for part in kept {
            assert!(fused.contains(part), "`{part}` is gone:\n{text}{fused}");
        }
        assert_eq!(fused.contains('\r'), text.contains('\r'));
        assert_eq!(
            fused.replace("\r\n", "").contains('\n'),
            text.replace("\r\n", "").contains('\n')
        );
        let version = client.replace(&uri, &fused);
        assert!(client.diagnostics(&uri, version).is_empty(), "{fused}");
    }
}
