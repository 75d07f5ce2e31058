//! Descriptions of the memory of a value and of the generated code of a pattern.

use dpia::Prim;
use dpia::functional::{FlowFact, Materialization};

use rise::Pattern;
use rise::pattern::{MapLoop, ReduceLoop, Stream, View};
use syntax::Span;

use crate::flow::{Flow, work_items};
use crate::{item_view, markdown};

/// The largest number of loops and conditions that are shown for one pattern.
const MOST_HEADERS: usize = 3;
/// The number of lines of a statement in which its `for` or `if` is searched.
const MOST_LINES: usize = 8;

/// Describes the memory and the generated code of the expression whose name, operator or keyword is
/// at `head`; empty if nothing is known of it.
pub(super) fn pointed_at(view: &item_view::View<'_>, head: Span) -> String {
    let Some(flow) = Flow::of(view.db, view.id) else {
        return String::new();
    };
    match flow.pointed_at(head) {
        Some(fact) => text(view, &flow, fact),
        None => String::new(),
    }
}

/// Describes the memory and the generated code of the expression with the span `span`; empty if
/// nothing is known of it.
pub(super) fn at(view: &item_view::View<'_>, span: Span) -> String {
    let Some(flow) = Flow::of(view.db, view.id) else {
        return String::new();
    };
    match flow.at(span, span) {
        Some(fact) => text(view, &flow, fact),
        None => String::new(),
    }
}

fn text(view: &item_view::View<'_>, flow: &Flow, fact: &FlowFact) -> String {
    let made = |of: fn(&item_view::View<'_>, &Flow, &FlowFact, Prim) -> String| {
        let prim = fact.made_by?;
        Some(of(view, flow, fact, prim))
    };
    let who = made(|_, flow, fact, prim| who(flow, fact, prim));
    let code = made(becomes);
    markdown::paragraphs([Some(flow.sentence(fact)), who, code].into_iter().flatten())
}

/// Describes the work-items that execute a pattern, if the target has any.
fn who(flow: &Flow, fact: &FlowFact, prim: Prim) -> String {
    if !flow.target.features().has_work_items() {
        return String::new();
    }
    match prim.pattern() {
        Some(Pattern::Map(MapLoop::Parallel(_))) => {
            work_items::shared(flow, fact).unwrap_or_default()
        }
        Some(Pattern::Map(MapLoop::Sequential | MapLoop::Unrolled | MapLoop::Stream)) => {
            work_items::alone(flow, fact).to_owned()
        }
        Some(Pattern::DepMap(_) | Pattern::Reduce(_) | Pattern::Scan | Pattern::Iterate) => {
            work_items::alone(flow, fact).to_owned()
        }
        Some(Pattern::Repeat(_)) => work_items::alone(flow, fact).to_owned(),
        _ => String::new(),
    }
}

/// Describes the code that the pattern of a primitive is translated to; empty for a primitive
/// without one.
fn becomes(item: &item_view::View<'_>, flow: &Flow, fact: &FlowFact, prim: Prim) -> String {
    let Some(pattern) = prim.pattern() else {
        return String::new();
    };
    let is_written = fact.materialization == Materialization::Written;
    match pattern {
        Pattern::Map(MapLoop::Computed) | Pattern::MapHalf(_) if is_written => {
            "No loop: it says where the elements are written.".to_owned()
        }
        Pattern::Map(MapLoop::Computed) | Pattern::MapHalf(_) if fact.from.computed => {
            "No loop: its function is applied where an element is read.".to_owned()
        }
        Pattern::Generate => {
            "No loop: its function is applied where an element is read.".to_owned()
        }
        Pattern::View(View::Scatter | View::PadEmpty) => String::new(),
        Pattern::Map(MapLoop::Computed) | Pattern::MapHalf(_) | Pattern::View(_) => {
            "No loop: it moves into the indices of what reads or writes it.".to_owned()
        }
        Pattern::Zip | Pattern::Stream(Stream::Zip) => {
            "No loop: it moves into the indices of what reads or writes it.".to_owned()
        }
        Pattern::Stream(Stream::Map) => {
            "No loop of its own: it runs in the loop that uses the stream.".to_owned()
        }
        Pattern::Stream(Stream::Ring | Stream::Window) => {
            "The first elements are computed before the loop that uses the stream, the rest in it."
                .to_owned()
        }
        Pattern::Map(_) | Pattern::DepMap(_) | Pattern::Reduce(_) | Pattern::Scan => {
            loops(item, flow, fact, pattern)
        }
        Pattern::Iterate | Pattern::Repeat(_) => loops(item, flow, fact, pattern),
        Pattern::Scalar | Pattern::Connective | Pattern::Select | Pattern::Element => String::new(),
        Pattern::Half(_) | Pattern::Pair | Pattern::Literal | Pattern::Concat => String::new(),
        Pattern::Let | Pattern::Memory | Pattern::Kernel => String::new(),
        Pattern::DepPair | Pattern::DepMatch => String::new(),
    }
}

/// Describes the loops that a pattern is translated to, or why there is none.
fn loops(item: &item_view::View<'_>, flow: &Flow, fact: &FlowFact, pattern: Pattern) -> String {
    let headers = headers(item, flow, fact.head);
    match headers.is_empty() {
        true => without_loop(fact, pattern).to_owned(),
        false => format!("Becomes\n\n```c\n{}\n```", headers.join("\n")),
    }
}

/// Returns the reason why a pattern has no loop in the code; empty if it is not known.
fn without_loop(fact: &FlowFact, pattern: Pattern) -> &'static str {
    let count = fact.count.as_ref().and_then(nat::Nat::as_const);
    match (pattern, count) {
        (_, Some(1)) => "No loop: there is one element.",
        (Pattern::Map(MapLoop::Unrolled) | Pattern::Reduce(ReduceLoop::Unrolled), Some(_)) => {
            "No loop: it is written out, element after element."
        }
        _ => "",
    }
}

/// Returns the first lines of the loops and conditions that a pattern is translated to in the code
/// for the target, each once, and at most `MOST_HEADERS`.
fn headers(view: &item_view::View<'_>, flow: &Flow, head: Span) -> Vec<String> {
    let (Ok(program), Ok(module)) = (
        view.db.imperative(view.id, flow.target),
        view.db.module(view.id, flow.target),
    ) else {
        return Vec::new();
    };
    let mut found: Vec<String> = Vec::new();
    for part in &module.map {
        let source = program.origins.get(part.origin.0 as usize);
        let own = source.is_some_and(|source| source.def.is_none() && source.head == head);
        let header = own
            .then(|| module.text.get(part.range.clone()))
            .flatten()
            .and_then(header);
        if let Some(header) = header
            && !found.contains(&header)
        {
            found.push(header);
            if found.len() == MOST_HEADERS {
                break;
            }
        }
    }
    found
}

/// Returns the first line of a loop or condition, with the directives before it; `None` for another
/// statement.
fn header(statement: &str) -> Option<String> {
    let is_head = |line: &str| line.starts_with("for (") || line.starts_with("if (");
    let mut lines = Vec::new();
    for line in statement.lines().take(MOST_LINES).map(str::trim) {
        if is_head(line) || line.starts_with("#pragma") {
            lines.push(line.strip_suffix('{').unwrap_or(line).trim_end());
        }
        if is_head(line) {
            return Some(lines.join("\n"));
        }
        // Declarations of thread-local memory may come between the directives.
        if lines.is_empty() && line != "{" {
            return None;
        }
    }
    None
}
