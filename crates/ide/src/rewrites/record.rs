//! The text of strategies for a whole definition that repeat manual rewrites.

use elevate::engine::{Strategy, StrategyKind as Form};
use elevate::term::{Child, Path, Term};
use syntax::Span;

use super::program::Program;

/// Returns the text of a strategy for the whole definition that repeats a rewrite of one place:
/// with the traversal `topDown` or otherwise `bottomUp`, if it leads to the same term `after`, or
/// otherwise with the position.
pub(crate) fn step(
    program: &mut Program,
    after: Term,
    strategy: &Strategy,
    text: &str,
    path: &Path,
) -> String {
    if path.0.is_empty() {
        return text.to_owned();
    }
    let traversals = [
        ("topDown", Form::TopDown(strategy.clone())),
        ("bottomUp", Form::BottomUp(strategy.clone())),
    ];
    for (name, form) in traversals {
        let outcome = program.run(form, 1_000_000);
        if outcome
            .result
            .is_ok_and(|found| program.store.alpha_eq(found, after))
        {
            return format!("{name}({text})");
        }
    }
    at(path, text)
}

/// Renders a strategy that is applied at a position of the whole definition.
pub(crate) fn at(path: &Path, text: &str) -> String {
    if path.0.is_empty() {
        return text.to_owned();
    }
    let number = |child: &Child| match child {
        Child::Function | Child::Body => "0",
        Child::Argument => "1",
    };
    let numbers: Vec<&str> = path.0.iter().map(number).collect();
    format!("at([{}])({text})", numbers.join(", "))
}

/// Returns the edit of the strategy file with this text that appends `step` to the strategy
/// `<def>Steps`, or adds this strategy: the range that is replaced, and the new text.
///
/// ```
/// let (_, new) = ide::recorded("", "mm", "topDown(mapFusion)");
/// assert_eq!(new, "/// The steps taken on `mm`.\nstrategy mmSteps: Strategy =\n  topDown(mapFusion)\n");
/// let (place, more) = ide::recorded(&new, "mm", "topDown(splitJoin(32))");
/// assert_eq!((place.start as usize, &*more), (new.len() - 1, "\n  ; topDown(splitJoin(32))"));
/// ```
pub fn recorded(text: &str, def: &str, step: &str) -> (Span, String) {
    let name = format!("{def}Steps");
    for span in syntax::elevate::split(text) {
        let parsed = syntax::elevate::parse(&text[std::ops::Range::from(span)]);
        if parsed
            .item
            .name()
            .is_some_and(|own| own.name == name.as_str())
        {
            let item = text[std::ops::Range::from(span)].trim_end();
            let end = span.start + item.len() as u32;
            return (Span::empty(end), format!("\n  ; {step}"));
        }
    }
    let gap = match text {
        "" => "",
        text if text.ends_with("\n") => "\n",
        _ => "\n\n",
    };
    let new =
        format!("{gap}/// The steps taken on `{def}`.\nstrategy {name}: Strategy =\n  {step}\n");
    (Span::empty(text.len() as u32), new)
}
