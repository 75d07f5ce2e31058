//! Descriptions of the memory of a value and of the generated code of a pattern.

use dpia::Prim;
use dpia::functional::{FlowFact, Materialization};
use syntax::Span;

use crate::flow::{Flow, work_items};
use crate::{item_view::View, markdown};

/// The largest number of statements that are shown for one pattern.
const MOST_HEADERS: usize = 3;
/// The number of lines of a statement among which its first line is searched.
const MOST_LINES: usize = 8;

/// Describes the expression whose name, operator or keyword is at `head`.
pub(super) fn pointed_at(view: &View<'_>, head: Span) -> String {
    let Some(flow) = Flow::of(view.db, view.id) else {
        return String::new();
    };
    match flow.pointed_at(head) {
        Some(fact) => text(view, &flow, fact),
        None => String::new(),
    }
}

/// Describes the expression at `span`.
pub(super) fn at(view: &View<'_>, span: Span) -> String {
    let Some(flow) = Flow::of(view.db, view.id) else {
        return String::new();
    };
    match flow.at(span, span) {
        Some(fact) => text(view, &flow, fact),
        None => String::new(),
    }
}

fn text(view: &View<'_>, flow: &Flow, fact: &FlowFact) -> String {
    let made = |of: fn(&View<'_>, &Flow, &FlowFact, Prim) -> String| {
        let prim = fact.made_by?;
        Some(of(view, flow, fact, prim))
    };
    let who = made(|_, flow, fact, prim| who(flow, fact, prim));
    let code = made(becomes);
    markdown::paragraphs([Some(flow.sentence(fact)), who, code].into_iter().flatten())
}

/// Describes the work-items that execute a pattern, if the target has any.
fn who(flow: &Flow, fact: &FlowFact, prim: Prim) -> String {
    use Prim::{
        DepMapSeq, Iterate, IterateStream, MapGlobal, MapLocal, MapSeq, MapSeqUnroll, MapWorkGroup,
        ReduceSeq, ReduceSeqUnroll, ScanSeq,
    };
    if !flow.target.features().has_work_items() {
        return String::new();
    }
    match prim {
        MapGlobal | MapLocal | MapWorkGroup => work_items::shared(flow, fact).unwrap_or_default(),
        DepMapSeq | Iterate | IterateStream | MapSeq | MapSeqUnroll | ReduceSeq
        | ReduceSeqUnroll | ScanSeq => work_items::alone(flow, fact).to_owned(),
        _ => String::new(),
    }
}

/// Describes the code that a pattern is translated to.
fn becomes(view: &View<'_>, flow: &Flow, fact: &FlowFact, prim: Prim) -> String {
    use Prim::{
        AsScalar, AsVector, AsVectorAligned, Assume, CircularBuffer, DepJoin, DepMapSeq, DepZip,
        Drop, Gather, Generate, Iterate, IterateStream, Join, Map, MapFst, MapGlobal, MapLocal,
        MapPar, MapSeq, MapSeqUnroll, MapSnd, MapStream, MapVec, MapWorkGroup, PadClamp, PadCst,
        Partition, ReducePar, ReduceSeq, ReduceSeqUnroll, Reorder, RotateValues, ScanSeq, Slide,
        Split, Take, Transpose, Unzip, Zip, ZipStream,
    };
    match prim {
        Map | MapFst | MapSnd if fact.materialization == Materialization::Written => {
            "No loop: it says where the elements are written.".to_owned()
        }
        Map | MapFst | MapSnd if fact.from.computed => {
            "No loop: its function is applied where an element is read.".to_owned()
        }
        Generate => "No loop: its function is applied where an element is read.".to_owned(),
        Map | MapFst | MapSnd | AsScalar | AsVector | AsVectorAligned | Assume | DepJoin
        | DepZip | Drop | Gather | Join | PadClamp | PadCst | Partition | Reorder | Slide
        | Split | Take | Transpose | Unzip | Zip | ZipStream => {
            "No loop: it moves into the indices of what reads or writes it.".to_owned()
        }
        MapStream => "No loop of its own: it runs in the loop that uses the stream.".to_owned(),
        CircularBuffer | RotateValues => {
            "The first elements are computed before the loop that uses the stream, the rest in it."
                .to_owned()
        }
        DepMapSeq | Iterate | IterateStream | MapGlobal | MapLocal | MapPar | MapSeq
        | MapSeqUnroll | MapVec | MapWorkGroup | ReducePar | ReduceSeq | ReduceSeqUnroll
        | ScanSeq => {
            let headers = headers(view, flow, fact.head);
            match headers.is_empty() {
                true => without_loop(fact, prim).to_owned(),
                false => format!("Becomes\n\n```c\n{}\n```", headers.join("\n")),
            }
        }
        _ => String::new(),
    }
}

/// Returns the reason why a pattern has no loop in the code.
fn without_loop(fact: &FlowFact, prim: Prim) -> &'static str {
    let count = fact.count.as_ref().and_then(nat::Nat::as_const);
    match (prim, count) {
        (_, Some(1)) => "No loop: there is one element.",
        (Prim::MapSeqUnroll | Prim::ReduceSeqUnroll, Some(_)) => {
            "No loop: it is written out, element after element."
        }
        _ => "",
    }
}

/// Returns the first lines of the statements that a pattern is translated to in the code for its
/// target.
fn headers(view: &View<'_>, flow: &Flow, head: Span) -> Vec<String> {
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

/// Returns the first line of a loop or condition, with the directives before it.
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
