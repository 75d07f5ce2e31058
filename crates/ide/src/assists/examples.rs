//! Tests of the examples in the documentation of assists.
//!
//! A block is a program with a cursor, then the title of a code action in `*…*`, and then the
//! result in another block, in which a further code action can be chosen. The last one is of the
//! assist itself.

use std::path::Path;
use std::sync::Arc;

use db::ItemId;
use syntax::{Diagnostic, Span};

use super::{ALL, Assist, AssistEffect, AssistRequest, UndoableRewrite, assists, resolve_assist};
use crate::fixture::Fixture;
use crate::rewrites::AssistKind;
use crate::{FilePosition, FileRange};

/// Creates the request of a client that can ask for arguments, for a cursor.
pub(super) fn request(at: FilePosition) -> AssistRequest<'static> {
    let span = Span::empty(at.offset);
    AssistRequest {
        range: FileRange {
            file: at.file,
            span,
        },
        selection: span,
        only: None,
        prompts: true,
        undoable: &[],
        hints: &[],
    }
}

/// Returns the performance hints of the definitions in the first file.
fn hints(fixture: &Fixture) -> Vec<(ItemId, Arc<[Diagnostic]>)> {
    let db = &fixture.db;
    let items = db.items(fixture.files[0]);
    let hints = items.iter().filter_map(|item| {
        let target = db.targets(*item).iter().next()?;
        let found = db.estimate_on(*item, target, None, &[]).ok()?;
        Some((*item, found.hints.clone().into()))
    });
    hints.collect()
}

/// Creates such a request for the range or otherwise the cursor of a fixture.
fn request_in<'r>(
    fixture: &Fixture,
    hints: &'r [(ItemId, Arc<[Diagnostic]>)],
) -> AssistRequest<'r> {
    let request = match fixture.ranges.first() {
        Some(&range) => AssistRequest {
            range,
            selection: range.span,
            ..request(FilePosition {
                file: range.file,
                offset: range.span.start,
            })
        },
        None => request(fixture.cursors[0]),
    };
    AssistRequest { hints, ..request }
}

/// A code action that is chosen in a program, and the result.
struct Step {
    before: String,
    title: String,
    after: String,
}

/// Returns the examples of a module's documentation.
fn examples(text: &str) -> Vec<Vec<Step>> {
    let lines = text.lines().map_while(|line| line.strip_prefix("//!"));
    let docs: Vec<&str> = lines
        .map(|line| line.strip_prefix(' ').unwrap_or(line))
        .collect();
    let docs = docs.join("\n");
    let mut examples: Vec<Vec<Step>> = Vec::new();
    let mut last: Option<String> = None;
    // The parts are alternately text and blocks.
    let mut between = "";
    for (number, part) in docs.split("```").enumerate() {
        if number % 2 == 0 {
            between = part;
            continue;
        }
        let block = part.split_once('\n').map_or("", |(_, block)| block);
        let title = between.trim().strip_prefix('*');
        let title = title.and_then(|title| title.strip_suffix('*'));
        match (last.take(), title) {
            (Some(before), Some(title)) => {
                let step = Step {
                    before,
                    title: title.to_owned(),
                    after: block.replace("$0", "").replace("<|>", ""),
                };
                if examples.is_empty() {
                    examples.push(Vec::new());
                }
                examples.last_mut().expect("there is one").push(step);
            }
            _ => examples.push(Vec::new()),
        }
        last = Some(block.to_owned());
    }
    examples.retain(|steps| !steps.is_empty());
    examples
}

/// Returns the code action with a title from the usual menu, or otherwise from those of its kind.
fn titled(fixture: &Fixture, title: &str, undoable: &[UndoableRewrite]) -> Option<Assist> {
    let hints = hints(fixture);
    let all = AssistRequest {
        undoable,
        ..request_in(fixture, &hints)
    };
    let mut menus = vec![assists(&fixture.db, all)];
    for &kind in AssistKind::ALL {
        let kinds = [kind];
        let only = Some(&kinds[..]);
        menus.push(assists(&fixture.db, AssistRequest { only, ..all }));
    }
    let mut offered = menus.into_iter().flatten();
    offered.find(|assist| assist.title == title)
}

#[test]
fn examples_of_assists_are_correct() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/assists");
    for handler in ALL {
        let path = folder.join(handler.name).with_extension("rs");
        let text = std::fs::read_to_string(&path).expect("an assist has a file of its name");
        let examples = examples(&text);
        assert!(!examples.is_empty(), "`{}` has no example", handler.name);
        for steps in examples {
            let mut undoable = Vec::new();
            for (number, step) in steps.iter().enumerate() {
                let fixture = Fixture::new(&step.before);
                let found = titled(&fixture, &step.title, &undoable);
                let assist = found.unwrap_or_else(|| panic!("no `{}`", step.title));
                if number + 1 == steps.len() {
                    assert!(assist.id.starts_with(handler.name), "{}", assist.id);
                }
                let shown = match &assist.effect {
                    AssistEffect::Prompt(prompt) => format!("{}\n", prompt.strategy),
                    AssistEffect::Disabled(reason) => format!("{reason}\n"),
                    AssistEffect::Edit(_) => {
                        let hints = hints(&fixture);
                        let again = AssistRequest {
                            undoable: &undoable,
                            ..request_in(&fixture, &hints)
                        };
                        let resolved = resolve_assist(&fixture.db, again, &assist.id);
                        let resolved = resolved.expect("it is found by its id");
                        let made = resolved.edits(&fixture.db).expect("it can be made");
                        assert_eq!(assist.edits(&fixture.db).as_ref(), Ok(&made));
                        if let Some(item) = assist.item {
                            let title = &assist.title;
                            let db = &fixture.db;
                            undoable.extend(UndoableRewrite::new(db, item, title, &made));
                        }
                        fixture.applied_all(&made.edits)
                    }
                };
                assert_eq!(shown, step.after, "{}: {}", handler.name, step.title);
            }
        }
    }
}
