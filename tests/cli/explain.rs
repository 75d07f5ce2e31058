//! Tests of `explain` and of the examples in the error reference.

use crate::support::{Folder, short};
use expect_test::expect;

const REFERENCE: &str = include_str!("../../docs/errors.md");

/// A fenced block: the words after its fence, and its text.
struct Example<'a> {
    info: &'a str,
    text: String,
}

impl Example<'_> {
    fn is(&self, role: &str) -> bool {
        self.info.split(' ').nth(1) == Some(role)
    }

    fn file(&self) -> &str {
        let default = match self.info.starts_with("elevate") {
            true => "example.elevate",
            false => "example.rise",
        };
        self.info
            .split_once("file=")
            .map_or(default, |(_, file)| file)
    }

    fn bytes(&self) -> Vec<u8> {
        if self.info.starts_with("hex") {
            let byte = |digits| u8::from_str_radix(digits, 16).expect("two hexadecimal digits");
            self.text.split_whitespace().map(byte).collect()
        } else {
            self.text.clone().into_bytes()
        }
    }
}

/// Returns the codes of the reference and their examples.
fn sections() -> Vec<(&'static str, Vec<Example<'static>>)> {
    let section = |text: &'static str| {
        let (code, body) = text.split_once('\n').expect("a section has a text");
        (code, examples(body))
    };
    REFERENCE.split("\n## ").skip(1).map(section).collect()
}

fn examples(body: &'static str) -> Vec<Example<'static>> {
    let mut examples: Vec<Example<'_>> = Vec::new();
    let mut open = false;
    for line in body.lines() {
        match line.strip_prefix("```") {
            Some(info) if !open => {
                examples.push(Example {
                    info,
                    text: String::new(),
                });
                open = true;
            }
            Some(_) => open = false,
            None if open => {
                let example = examples.last_mut().expect("a block is open");
                example.text.push_str(line);
                example.text.push('\n');
            }
            None => {}
        }
    }
    examples
}

fn findings_of(example: &Example<'_>, all: &[Example<'_>]) -> Vec<serde_json::Value> {
    let folder = Folder::new();
    for with in all.iter().filter(|example| example.is("with")) {
        folder.put(with.file(), with.bytes());
    }
    folder.put(example.file(), example.bytes());
    folder.findings(&["."])
}

#[test]
fn wrong_examples_get_their_code_and_right_ones_nothing() {
    let mut problems = Vec::new();
    for (code, examples) in sections() {
        let runnable = |example: &&Example<'_>| example.is("wrong") || example.is("right");
        for example in examples.iter().filter(runnable) {
            let findings = findings_of(example, &examples);
            let fine = match &findings[..] {
                [] => example.is("right"),
                [one] => example.is("wrong") && one["code"] == code,
                _ => false,
            };
            if !fine {
                let found: Vec<String> = findings.iter().map(short).collect();
                problems.push(format!(
                    "{code} ({}):\n  {}",
                    example.info,
                    found.join("\n  ")
                ));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn a_code_is_explained_as_it_is_copied() {
    let folder = Folder::new();
    for code in ["hole", "HOLE", "error[hole]", "error[hole]:"] {
        let ran = folder.run(&["explain", code]);
        assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{code}");
        assert!(
            ran.out.starts_with("hole: `_` stands for an expression"),
            "{}",
            ran.out
        );
        assert!(ran.out.contains("Wrong:\n\n    def total"), "{}", ran.out);
    }
}

#[test]
fn an_unknown_code_gets_the_nearest_and_the_list() {
    let ran = Folder::new().run(&["explain", "size-mismach"]);
    assert_eq!((ran.status, ran.out.as_str()), (2, ""));
    let start: Vec<&str> = ran.err.lines().take(5).collect();
    expect![[r#"
        error: there is no diagnostic `size-mismach`
        note: did you mean `size-mismatch`?
        note: the diagnostics are:
              syntax-error
              unterminated"#]]
    .assert_eq(&start.join("\n"));
}
