//! Why a rewrite does not apply, for people.

use elevate::engine::Reason;
use elevate::term::{Store, Term, print};

/// A reason in a few words.
pub(crate) fn text(store: &Store, reason: &Reason) -> String {
    match reason {
        Reason::Shape { expected, found } => {
            format!("expected `{expected}`, found `{}`", short(store, *found))
        }
        Reason::Refuted { condition, example } => {
            let said = refuted(condition);
            match example {
                Some(example) => format!("{said}, for {example}"),
                None => said,
            }
        }
        Reason::Undecided { condition } => {
            format!("it is not known whether {condition}")
        }
        Reason::Type(message) | Reason::Said(message) => message.clone(),
        Reason::No { predicate, found } => {
            format!(
                "`{}` is not what `{predicate}` asks for",
                short(store, *found)
            )
        }
        Reason::NoPart { traversal, found } => {
            format!("`{}` has no part for `{traversal}`", short(store, *found))
        }
        Reason::Endless(circle) => format!("it does not end: {}", circle.join(", ")),
        Reason::OutOfFuel { .. } => "it takes too long".to_owned(),
        Reason::Cancelled => "it was stopped".to_owned(),
        Reason::TooLarge => "the program becomes too large".to_owned(),
    }
}

/// A condition that does not hold.
fn refuted(condition: &str) -> String {
    let within = |text: &str| -> Option<String> {
        Some(text.strip_prefix("within(")?.strip_suffix(')')?.to_owned())
    };
    if let Some(pattern) = within(condition) {
        return format!("it is not inside `{pattern}`");
    }
    if let Some(pattern) = condition.strip_prefix("not ").and_then(within) {
        return format!("it is inside `{pattern}`");
    }
    if let Some((name, term)) = condition.split_once(" notIn ") {
        return format!("`{term}` uses `{name}`");
    }
    if let Some((a, b)) = condition.split_once(" divides ") {
        return format!("{a} does not divide {b}");
    }
    format!("`{condition}` does not hold")
}

/// The beginning of a term on one line.
pub(crate) fn short(store: &Store, term: Term) -> String {
    const MOST: usize = 40;
    let text = print(store, term);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}
