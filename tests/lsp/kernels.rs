//! Tests of kernels as they are written: what is missing in them, and the edits that are offered.

use serde_json::{Value, json};

use crate::client::{Client, codes, covered, edited};

fn client() -> Client {
    let actions = json!({
        "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}},
        "disabledSupport": true,
    });
    Client::with(json!({"textDocument": {"codeAction": actions}}), &[])
}

/// The single mistake of a text, and the code actions for it.
struct Mistake {
    client: Client,
    uri: String,
    text: String,
    found: Value,
    actions: Vec<Value>,
}

impl Mistake {
    fn of(text: &str) -> Mistake {
        let mut client = client();
        let uri = client.uri("kernel.rise");
        client.open(&uri, text);
        let shown = client.diagnostics(&uri, 1);
        assert_eq!(shown.len(), 1, "{shown:#?}");
        let params = json!({
            "textDocument": {"uri": uri},
            "range": shown[0]["range"],
            "context": {"diagnostics": shown, "only": ["quickfix"]},
        });
        let actions = client.request("textDocument/codeAction", params);
        Mistake {
            client,
            uri,
            text: text.to_owned(),
            found: shown[0].clone(),
            actions: actions.as_array().expect("actions").clone(),
        }
    }

    fn code(&self) -> &str {
        codes(std::slice::from_ref(&self.found))[0]
    }

    fn place(&self) -> &str {
        covered(&self.text, &self.found["range"])
    }

    /// Returns the title of each action, whether it is preferred, and the reason if it is disabled.
    fn offered(&self) -> Vec<(&str, bool, Option<&str>)> {
        self.actions
            .iter()
            .map(|action| {
                (
                    action["title"].as_str().expect("a title"),
                    action["isPreferred"] == true,
                    action["disabled"]["reason"].as_str(),
                )
            })
            .collect()
    }

    /// Applies each enabled action, asserts that no diagnostics are left, and returns the resulting
    /// texts.
    fn mended(mut self) -> Vec<String> {
        let mut texts = Vec::new();
        for action in self.actions {
            if !action["disabled"].is_null() {
                assert!(action["edit"].is_null(), "{action}");
                continue;
            }
            let text = edited(&self.text, &action["edit"]["changes"][&self.uri]);
            let version = self.client.replace(&self.uri, &text);
            let left = self.client.diagnostics(&self.uri, version);
            assert!(left.is_empty(), "{text}\n{left:#?}");
            texts.push(text);
        }
        texts
    }
}

/// Listing 5 of RISE & Shine.
const TWO_STEPS: &str = "def f = fun(x => x * 2.0f)
def g = fun(x => x + 1.0f)

def twoSteps = depFun((n: Nat, m: Nat) =>
  fun(M: Array[n, Array[m, f32]] =>
    M |> mapWorkGroup(fun(row =>
      row |> mapLocal(f) |> mapLocal(g) )) ))
";

#[test]
fn the_missing_memory_of_the_paper_is_mended_by_its_fixes() {
    let mistake = Mistake::of(TWO_STEPS);
    assert_eq!(
        (mistake.code(), mistake.place()),
        ("missing-memory", "mapLocal(f)")
    );
    assert_eq!(
        mistake.found["message"]
            .as_str()
            .and_then(|text| text.lines().next()),
        Some("`mapLocal(g)` reads the result of `mapLocal(f)`, which is not stored in memory")
    );
    let reader = &mistake.found["relatedInformation"][0]["location"]["range"];
    assert_eq!(covered(TWO_STEPS, reader), "mapLocal(g)");
    assert_eq!(
        mistake.offered(),
        [
            ("Store in Local memory: `m*4` B of 48 kB", true, None),
            (
                "Store in Global memory: `m*4` B for each work-group",
                false,
                None
            ),
            (
                "Store in Private memory",
                false,
                Some(
                    "how much each work-item stores depends on the number of work-items, which is unknown"
                )
            ),
        ]
    );
    let with =
        |stage: &str| TWO_STEPS.replace("mapLocal(f) |>", &format!("mapLocal(f) |> {stage} |>"));
    assert_eq!(
        mistake.mended(),
        [with("toMem(Local)"), with("toMem(Global)")]
    );
}

#[test]
fn a_constant_size_is_held_against_what_a_device_has() {
    let text = TWO_STEPS.replace("Array[m, f32]", "Array[1024, f32]");
    let mistake = Mistake::of(&text);
    let offered = mistake.offered();
    assert_eq!(
        offered[0],
        ("Store in Local memory: 4 kB of 48 kB", true, None)
    );
    mistake.mended();
}

#[test]
fn a_reduction_without_an_address_space() {
    let text =
        "def sums = depFun(n: Nat => fun(xs: n.4.f32 => xs |> mapGlobal(reduceSeq(add)(0.0f))))\n";
    let mistake = Mistake::of(text);
    assert_eq!(
        (mistake.code(), mistake.place()),
        ("address-space", "reduceSeq")
    );
    assert_eq!(
        mistake.offered(),
        [
            (
                "Store in Private memory: 4 B for each work-item",
                true,
                None
            ),
            (
                "Store in Global memory: 4 B for each work-item",
                false,
                None
            ),
            (
                "Store in Local memory",
                false,
                Some("there is no `mapWorkGroup` around this")
            ),
        ]
    );
    let with = |space: &str| text.replace("reduceSeq", &format!("reduceSeq({space})"));
    assert_eq!(mistake.mended(), [with("Private"), with("Global")]);
}

#[test]
fn a_missing_copy() {
    let text = "@target(opencl)\ndef turned = depFun(n: Nat => fun(xs: n.n.f32 => let _s = xs |> join |> reduceSeq(Private)(add)(0.0f) in xs |> transpose))\n";
    let mistake = Mistake::of(text);
    assert_eq!((mistake.code(), mistake.place()), ("missing-copy", "xs"));
    assert_eq!(
        mistake.offered(),
        [("Copy: `mapGlobal(mapSeq(id))`", true, None)]
    );
    assert_eq!(
        mistake.mended(),
        [text.replace("xs |> tr", "xs |> mapGlobal(mapSeq(id)) |> tr")]
    );
}

#[test]
fn a_loop_that_every_work_item_runs() {
    let text = "@target(opencl)\ndef twice = depFun(n: Nat => fun(xs: n.f32 => xs |> mapSeq(fun(x => x * 2.0f))))\n";
    let mistake = Mistake::of(text);
    assert_eq!(
        (mistake.code(), mistake.place()),
        ("written-by-all", "mapSeq")
    );
    assert_eq!(mistake.mended(), [text.replace("mapSeq", "mapGlobal")]);
}

#[test]
fn maps_in_the_wrong_order_are_one_mistake() {
    let text = "def twice = depFun(n: Nat => fun(xs: n.n.f32 => xs |> mapLocal(mapWorkGroup(fun(x => x * 2.0f)))))\n";
    let mistake = Mistake::of(text);
    assert_eq!(
        (mistake.code(), mistake.place()),
        ("wrong-nesting", "mapLocal")
    );
    assert_eq!(
        mistake.mended(),
        [text.replace("mapLocal(mapWorkGroup(", "mapWorkGroup(mapLocal(")]
    );
}

/// Errors of code generation are also published during editing.
#[test]
fn what_work_groups_cannot_share_is_said_while_one_writes() {
    let text = "def sums = depFun(n: Nat => fun(xs: (n + 2).f32 =>
  xs |> mapGlobal(fun(x => x * 2.0f)) |> toMem(Global) |> slide(3)(1)
    |> mapGlobal(reduceSeq(Private)(add)(0.0f))))
";
    let mut client = client();
    let uri = client.uri("groups.rise");
    client.open(&uri, text);
    let shown = client.diagnostics(&uri, 1);
    assert_eq!(codes(&shown), ["obligation", "across-groups"]);
    assert_eq!(covered(text, &shown[1]["range"]), "mapGlobal");
}
