//! Messages about the reasons why a rewrite does not apply, and maps over work-items in terms.

use elevate::engine::Reason;
use elevate::term::{Child, Node, Store, Term, print};
use rise::{Arg, Primitive};

use super::menu::{Nested, Nesting};
use super::program::Program;

/// Renders a reason as a message.
pub(crate) fn text(store: &Store, reason: &Reason) -> String {
    match reason {
        Reason::Shape { expected, found } => {
            format!("expected `{expected}`, found `{}`", short(store, *found))
        }
        // The message of a refuted predicate does not contain the condition.
        Reason::Refuted { condition, why }
            if why.starts_with("the condition does not hold for") =>
        {
            format!("the rewrite needs `{condition}`: {why}")
        }
        Reason::Refuted { why, .. } => why.clone(),
        // The message already names the unknown sizes.
        Reason::Undecided {
            why,
            needed: Some(_),
            ..
        } => why.clone(),
        Reason::Undecided { condition, why, .. } => match why.starts_with('`') {
            true => why.clone(),
            false => format!("the rewrite needs `{condition}`: {why}"),
        },
        Reason::Type(message) | Reason::Message(message) => message.clone(),
        Reason::PredicateFails { predicate, found } => {
            format!("`{}` does not satisfy `{predicate}`", short(store, *found))
        }
        Reason::NoChild { traversal, found } => {
            format!("`{}` has no part for `{traversal}`", short(store, *found))
        }
        Reason::Endless(circle) if circle.is_empty() => {
            "the strategy does not end: the strategy that it repeats changes nothing".to_owned()
        }
        Reason::Endless(circle) => format!(
            "the strategy does not end: it repeats {}",
            circle.join(", ")
        ),
        Reason::TooManyCalls { last, .. } => {
            format!("the strategy makes too many calls; the last was {last}")
        }
        Reason::OutOfFuel { .. } => "the strategy takes too long".to_owned(),
        Reason::Cancelled => "the strategy is cancelled".to_owned(),
        Reason::TooLarge => "the program becomes too large".to_owned(),
    }
}

/// Returns the condition on the parallel maps around and inside a map because of which a rule that
/// makes it parallel does not apply: OpenCL requires an order of work-groups and work-items in each
/// dimension (the guards of Lift's lowering rules). Returns `None` if no such condition fails.
pub(crate) fn parallel(
    program: &Program,
    nesting: &Nesting,
    dimension: &str,
    around: &[(Term, Child)],
    term: Term,
) -> Option<String> {
    let own: i64 = dimension.parse().ok()?;
    let store = &program.store;
    let enclosing: Vec<(Primitive, i64)> = around
        .iter()
        .filter(|(_, part)| *part == Child::Argument)
        .filter_map(|(node, _)| parallel_map(store, store.child(*node, Child::Function)?))
        .collect();
    let name = |(primitive, of): (Primitive, i64)| format!("`{}({of})`", primitive.name());
    let clash = |unwanted: &[Nested], found: &[(Primitive, i64)]| {
        found.iter().copied().find(|(primitive, of)| {
            unwanted
                .iter()
                .any(|map| *primitive == map.primitive && (!map.same_dimension || *of == own))
        })
    };
    if let Some(needed) = nesting.inside.map(|map| (map.primitive, own))
        && !enclosing.contains(&needed)
    {
        return Some(format!("the map is not inside {}", name(needed)));
    }
    if let Some(found) = clash(&nesting.not_inside, &enclosing) {
        return Some(format!("the map is inside {}", name(found)));
    }
    let mut inside = Vec::new();
    inside.extend(
        store
            .subterms(term)
            .filter_map(|part| parallel_map(store, part)),
    );
    if let Some(found) = clash(&nesting.not_around, &inside) {
        return Some(format!("the function of the map contains {}", name(found)));
    }
    let missing = "the function of the map contains no map over the work-items";
    nesting.around.map(|_| missing.to_owned())
}

/// Returns the primitive and dimension of `mapGlobal(d)`, `mapLocal(d)` or `mapWorkGroup(d)`.
fn parallel_map(store: &Store, term: Term) -> Option<(Primitive, i64)> {
    use Primitive::{MapGlobal, MapLocal, MapWorkGroup};
    let Node::Primitive(primitive @ (MapGlobal | MapLocal | MapWorkGroup), args) = store.node(term)
    else {
        return None;
    };
    match store.args(args).last() {
        Some(Arg::Nat(dimension)) => Some((primitive, dimension.as_const()?)),
        _ => None,
    }
}

/// Returns true if a term contains a map over work-items of a device.
pub(crate) fn has_parallel_map(store: &Store, term: Term) -> bool {
    let mut parts = store.subterms(term);
    parts.any(|part| parallel_map(store, part).is_some())
}

/// Renders a term on one line; of a text of more than 40 characters only the beginning.
pub(crate) fn short(store: &Store, term: Term) -> String {
    const MOST: usize = 40;
    let text = print(store, term);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}
