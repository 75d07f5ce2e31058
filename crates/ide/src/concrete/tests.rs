use expect_test::expect;
use proptest::prelude::*;

use super::show::show;
use super::*;

const NO_LIMIT: Limit = Limit {
    end: None,
    cancelled: &|| false,
};

const TEXT: &str = "\
import \"vectors.rise\"

// Größen: 𝒏 und m
/// Das Produkt.
@opencl(local = [64])
def mv : (n: Nat) -> (m: Nat) -> n.m.f32 -> m.f32 -> n.f32 =
  depFun((n: Nat, m: Nat) => fun(M, xs =>
    M |> map(fun(row => zip(row)(xs) |> map(fun(p => p._1 * p._2)) |> reduce(add)(0.0f)))))
foreign def größe(x: f32): f32 = \"\"\"{ return x; }\"\"\"\r
def f = let größer = größe(1.0f) in fun(x => (x, größer))\r
";

/// The texts that an edit inserts: closing and opening brackets, keywords, and characters of
/// several bytes.
const PIECES: &[&str] = &[
    "",
    "x",
    "größe",
    "𝒏",
    " ",
    "\n",
    "\r\n",
    "\r",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ".",
    ":",
    "=",
    "=>",
    "->",
    "|>",
    "\"",
    "\"\"\"",
    "//",
    "/*",
    "*/",
    "/// ",
    "@",
    "def ",
    "def g = 1\n",
    "import ",
    "foreign def ",
    "fun(",
    "fun(y => y)",
    "depFun(n: Nat => ",
    "let ",
    "in ",
    "1",
    "-",
    "3.f32",
    "1.0f",
];

fn edited(tree: &mut SyntaxTree, start: usize, removed: usize, inserted: &str) {
    let mut after = tree.text().clone();
    let start = start % (after.len_chars() + 1);
    let end = (start + removed).min(after.len_chars());
    let range = after.char_to_byte(start)..after.char_to_byte(end);
    after.remove(start..end);
    after.insert(start, inserted);
    tree.edit(range, inserted.len(), after);
}

fn shown(tree: &SyntaxTree) -> String {
    let parsed = tree.within(&NO_LIMIT).expect("there is no limit");
    show(tree.text(), &parsed)
}

fn edits() -> impl Strategy<Value = Vec<(usize, usize, &'static str, bool)>> {
    let edit = (
        any::<u16>().prop_map(usize::from),
        prop_oneof![3 => 0..4_usize, 1 => 0..60_usize],
        prop::sample::select(PIECES),
        any::<bool>(),
    );
    prop::collection::vec(edit, 1..24)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn edits_lead_to_the_tree_of_the_text(edits in edits()) {
        let mut tree = SyntaxTree::new(TEXT.into());
        for (start, removed, inserted, read) in edits {
            edited(&mut tree, start, removed, inserted);
            // Sometimes several edits come between two questions.
            if read {
                let fresh = SyntaxTree::new(tree.text().clone());
                prop_assert_eq!(shown(&tree), shown(&fresh), "{}", tree.text());
            }
        }
    }
}

#[test]
fn the_tree_is_shown_with_places_and_words() {
    let tree = SyntaxTree::new("def größe = (1,\n  f(\ndef g = a b\n".into());
    expect![[r#"
        (source_file 1:1-4:1
          (definition 1:1-2:5
            name: (identifier 1:5-1:12 "größe")
            body: (pair 1:15-2:5
              first: (integer 1:16-1:17 "1")
              second: (application 2:3-2:5
                function: (identifier 2:3-2:4 "f")
                arguments: (arguments 2:4-2:5
                  (missing 2:5-2:5)
                  (missing 2:5-2:5)))
              (missing 2:5-2:5)))
          (definition 3:1-3:10
            name: (identifier 3:5-3:6 "g")
            body: (identifier 3:9-3:10 "a"))
          (ERROR 3:11-3:12
            (identifier 3:11-3:12 "b")))
    "#]]
    .assert_eq(&shown(&tree));
}

#[test]
fn an_edit_that_does_not_fit_is_a_new_text() {
    let mut tree = SyntaxTree::new("def f = 1\n".into());
    shown(&tree);
    for (start, end, new_len) in [(0, 3, 1), (5, 99, 0), (7, 3, 9)] {
        tree.edit(start..end, new_len, "def ä = 2\n".into());
        assert_eq!(shown(&tree), shown(&SyntaxTree::new("def ä = 2\n".into())));
    }
}

#[test]
fn clones_share_one_parse_and_keep_their_text() {
    let mut tree = SyntaxTree::new(TEXT.into());
    let before = tree.clone();
    let old = shown(&before);
    assert!(matches!(&*tree.outcome.lock().unwrap(), Outcome::Parsed(_)));
    edited(&mut tree, 0, 6, "def a = ");
    assert!(matches!(&*tree.outcome.lock().unwrap(), Outcome::Unasked));
    assert!(tree.earlier.is_some());
    assert_ne!(shown(&tree), old);
    assert_eq!(shown(&before), old);
}

#[test]
fn what_takes_too_long_is_given_up_until_the_text_changes() {
    let mut tree = SyntaxTree::new(TEXT.repeat(100).as_str().into());
    let over = Limit {
        end: Some(Instant::now()),
        ..NO_LIMIT
    };
    assert!(tree.within(&over).is_none());
    assert!(tree.within(&NO_LIMIT).is_none());
    edited(&mut tree, 0, 0, " ");
    assert!(tree.within(&NO_LIMIT).is_some());
}

#[test]
fn what_a_change_interrupts_is_asked_again() {
    let tree = SyntaxTree::new(TEXT.repeat(100).as_str().into());
    let cancelled = Limit {
        cancelled: &|| true,
        ..NO_LIMIT
    };
    assert!(tree.within(&cancelled).is_none());
    assert!(tree.within(&NO_LIMIT).is_some());
}

#[test]
fn a_text_that_only_nests_is_shown_without_running_out_of_stack() {
    let text = format!("def f = {}1", "(".repeat(20_000));
    let shown = shown(&SyntaxTree::new(text.as_str().into()));
    assert_eq!(shown.matches("(parenthesized").count(), 20_000);
}
