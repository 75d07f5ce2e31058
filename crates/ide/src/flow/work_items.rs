//! Descriptions of the work that each OpenCL work-item does, and of the work-items that have a copy
//! of a value.

use dpia::Prim;
use dpia::functional::FlowFact;
use nat::{Nat, Prop};
use rise::pattern::Level;
use syntax::ast::AddressSpace;

use super::Flow;

/// The words for the work-items or groups among which a parallel map distributes its elements.
struct Sharers {
    /// The plural: `work-items of a group`.
    several: &'static str,
    /// The singular: `work-item of a group`.
    one: &'static str,
    /// The letter that denotes the index of one of them.
    letter: char,
    /// The OpenCL function that returns that index.
    id: &'static str,
    /// The OpenCL function that returns their count.
    all: &'static str,
}

impl Sharers {
    fn of(by: Prim) -> Option<Sharers> {
        Some(match by.pattern()?.level()? {
            Level::Threads => return None,
            Level::Global => Sharers {
                several: "work-items",
                one: "work-item",
                letter: 'g',
                id: "get_global_id",
                all: "get_global_size",
            },
            Level::WorkGroup => Sharers {
                several: "work-groups",
                one: "work-group",
                letter: 'w',
                id: "get_group_id",
                all: "get_num_groups",
            },
            Level::Local => Sharers {
                several: "work-items of a group",
                one: "work-item of a group",
                letter: 'l',
                id: "get_local_id",
                all: "get_local_size",
            },
        })
    }
}

/// Returns the number of work-items or groups, in a dimension, that share the elements of the
/// parallel map `by`, if the launch determines it.
fn sharers(flow: &Flow, fact: &FlowFact, by: Prim, dimension: u8) -> Option<Nat> {
    let launch = flow.launch(fact);
    let at = usize::from(dimension.min(2));
    let (local, global) = (launch.local[at].as_ref(), launch.global[at].as_ref());
    match by {
        Prim::MapGlobal => global.cloned(),
        Prim::MapLocal => local.cloned(),
        _ => {
            let (local, global) = (local?, global?);
            let groups = global.ratio(local);
            Some(groups.unwrap_or_else(|| flow.conditions().normalize(&Nat::div(global, local))))
        }
    }
}

/// Describes the distribution over work-items or groups of the elements of the innermost
/// distributed map around an expression, or of the expression itself; `None` if there is no such
/// map.
pub(crate) fn shared(flow: &Flow, fact: &FlowFact) -> Option<String> {
    let map = fact.shared.last()?;
    let of = Sharers::of(map.by)?;
    let (count, dimension) = (&map.count, map.dimension);
    let (id, letter) = (format!("`{}({dimension})`", of.id), of.letter);
    let Some(size) = sharers(flow, fact, map.by, dimension) else {
        return Some(format!(
            "{} for all {}, however many are launched: `{letter}` = {id} takes `{letter}`, \
             `{letter} + {}({dimension})`, … below {}.",
            elements(flow, count),
            of.several,
            of.all,
            flow.size(count),
        ));
    };
    let text = split(flow, count, &size, &of, &id);
    Some(match with_run(flow, count, &size, &of) {
        Some(with) => format!("{text} {with}"),
        None => text,
    })
}

/// Describes the distribution of `count` elements over `size` work-items or groups.
fn split(flow: &Flow, count: &Nat, size: &Nat, of: &Sharers, id: &str) -> String {
    let (several, letter) = (of.several, of.letter);
    let conditions = flow.conditions();
    if size.is_one() {
        let (all, one) = (elements(flow, count), of.one);
        return format!("{all} for the only {one}, one after the other.");
    }
    if conditions.proves(&Prop::Equal(count.clone(), size.clone())) {
        let size = flow.size(size);
        return format!("One element for each of the {size} {several}: {id} says which.");
    }
    if let (Some(count), Some(size)) = (count.as_const(), size.as_const())
        && count < size
    {
        let takes = match count {
            1 => format!("One element for the first of the {size} {several}"),
            _ => format!("One element for each of the first {count} of the {size} {several}"),
        };
        return format!("{takes}, by {id}; the others have none.");
    }
    let stride = flow.bare(size);
    let takes = |end: &str| {
        format!(
            "`{letter}` = {id} takes `{letter}`, `{letter} + {}`, …{end}",
            match stride.contains(' ') {
                false => stride.clone(),
                true => format!("({stride})"),
            }
        )
    };
    let whole = count.ratio(size).or_else(|| {
        let divides = Prop::Divides(size.clone(), count.clone());
        let each = || conditions.normalize(&Nat::div(count, size));
        conditions.proves(&divides).then(each)
    });
    match whole {
        Some(each) => format!(
            "{} for each of the {} {several}: {}.",
            elements(flow, &each),
            flow.size(size),
            takes("")
        ),
        None => format!(
            "{} for {} {several}: {}.",
            elements(flow, count),
            flow.size(size),
            takes(&format!(" below {}", flow.size(count)))
        ),
    }
}

/// Describes the distribution for the sizes of `@run`; `None` if it depends on none of these sizes,
/// or if they do not determine it.
fn with_run(flow: &Flow, count: &Nat, size: &Nat, of: &Sharers) -> Option<String> {
    let (elements, known) = (flow.value(count)?, flow.value(size)?);
    let with = flow.sizes_in(&[count, size])?;
    let each = match elements.checked_rem(known)? {
        0 => format!("{} each", elements / known),
        _ => format!("up to {} each", elements / known + 1),
    };
    let several = of.several;
    Some(format!(
        "With `@run({with})`: {elements} for {known} {several}, {each}."
    ))
}

fn elements(flow: &Flow, count: &Nat) -> String {
    match count.is_one() {
        true => "One element".to_owned(),
        false => format!("{} elements", flow.size(count)),
    }
}

/// Describes the work-items that execute a sequential loop.
pub(crate) fn alone(flow: &Flow, fact: &FlowFact) -> &'static str {
    let within = |by| fact.shared.iter().any(|map| map.by == by);
    let shares_inside = shares_inside(flow, fact);
    match (
        within(Prim::MapLocal) || within(Prim::MapGlobal),
        within(Prim::MapWorkGroup),
    ) {
        (true, _) => "One work-item does all of it.",
        (false, true) if shares_inside => {
            "All work-items of a group go through it together, and share what the maps in it give them."
        }
        (false, true) => "Every work-item of a group does all of it, each for itself.",
        (false, false) if shares_inside => {
            "All work-items go through it together, and share what the maps in it give them."
        }
        (false, false) => "Every work-item does all of it, each for itself.",
    }
}

/// Returns true if a subexpression is a map that distributes its elements over work-items, not over
/// work-groups.
fn shares_inside(flow: &Flow, fact: &FlowFact) -> bool {
    flow.inside(fact).any(|inner| {
        let own = inner.shared.get(fact.shared.len()..).unwrap_or_default();
        own.iter().any(|map| map.by != Prim::MapWorkGroup)
    })
}

/// Describes which work-items or groups have their own copy of a value in an address space.
pub(crate) fn owner(flow: &Flow, fact: &FlowFact, space: AddressSpace) -> &'static str {
    let within = |by| fact.shared.iter().any(|map| map.by == by);
    let item = within(Prim::MapLocal) || within(Prim::MapGlobal);
    let group = within(Prim::MapWorkGroup);
    match space {
        AddressSpace::Private if !item && shares_inside(flow, fact) => {
            ", spread over the work-items: each keeps the elements that it computes"
        }
        AddressSpace::Private => ", for each work-item",
        AddressSpace::Local | AddressSpace::Global if item => ", for each work-item",
        AddressSpace::Local => ", for each work-group",
        AddressSpace::Global if group => ", for each work-group",
        AddressSpace::Global | AddressSpace::Constant => ", for all work-items",
    }
}
