//! The accesses to memory that the barriers of a kernel order, as text.

use codegen::BarrierText;
use codegen::ir::{Order, Ordered};
use db::{Database, FileId, ItemId};
use rise::core::{Origin, Source};
use syntax::Span;
use syntax::ast::{Item, TermId, TermKind};

/// A definition whose kernels contain barriers, with what is needed to find the places of the
/// accesses that they order.
pub(crate) struct Barriers<'d> {
    db: &'d Database,
    item: ItemId,
    file: FileId,
    origins: &'d [Source],
}

/// The place of an access to memory, in the file of the definition.
struct Access {
    item: ItemId,
    /// The range of the access in the item.
    span: Span,
    /// The range of the word in the access that is highlighted.
    head: Span,
}

/// Two accesses that a barrier orders: the second one waits for the first one.
pub(crate) struct Wait {
    /// The item that contains the access that waits.
    pub(crate) item: ItemId,
    /// The range of the access that waits, in the item.
    pub(crate) span: Span,
    /// The range of the word in that access that is highlighted.
    pub(crate) head: Span,
    /// Labels, the most detailed first, for a reader that takes the first one that fits:
    /// `barrier: orders the write of tile (line 12) and the read here`.
    pub(crate) labels: [String; 3],
    /// A description with the lines of both accesses: `orders the write of tile (line 12) and …`.
    pub(crate) sentence: String,
}

impl<'d> Barriers<'d> {
    /// Creates the value for a definition; `origins` are those of the program from which the
    /// kernels were generated.
    pub(crate) fn new(db: &'d Database, item: ItemId, origins: &'d [Source]) -> Barriers<'d> {
        Barriers {
            db,
            item,
            file: db.file_of(item),
            origins,
        }
    }

    /// Returns the pairs of accesses that a barrier orders, without duplicates and without those
    /// that have no place in the definition's file.
    pub(crate) fn waits(&self, barrier: &BarrierText) -> Vec<Wait> {
        let mut all: Vec<Wait> = Vec::new();
        for order in &barrier.barrier.orders {
            let Some(wait) = self.wait(order) else {
                continue;
            };
            if !all.iter().any(|known| known.sentence == wait.sentence) {
                all.push(wait);
            }
        }
        all
    }

    fn wait(&self, order: &Ordered) -> Option<Wait> {
        let (first, second) = (self.access(order.first)?, self.access(order.second)?);
        let (before, after, done) = match order.kind {
            Order::Flow => ("write", "read", "written"),
            Order::Reuse => ("read", "write", "read"),
            Order::Output => ("write", "write", "written"),
        };
        let (from, to) = (self.line(&first), self.line(&second));
        let same = (first.item, first.span) == (second.item, second.span);
        let labels = if same {
            [
                format!("barrier: orders a {before} and a {after} inside of this"),
                format!("barrier: {before}, then {after}"),
                "barrier".to_owned(),
            ]
        } else {
            let what = self.what(&first, &second, "");
            let name = self.name(&first, &second).unwrap_or_default();
            let name = if name.is_empty() {
                name
            } else {
                format!("{name} ")
            };
            [
                format!("barrier: orders the {before} {what} (line {from}) and the {after} here"),
                format!("barrier: {name}{done} in line {from}"),
                format!("barrier: waits for line {from}"),
            ]
        };
        let sentence = match same {
            true => format!("orders a {before} and a {after} inside of line {to}"),
            false => {
                let what = self.what(&first, &second, "`");
                format!("orders the {before} {what} (line {from}) and the {after} in line {to}")
            }
        };
        Some(Wait {
            item: second.item,
            span: second.span,
            head: second.head,
            labels,
            sentence,
        })
    }

    /// Returns the place of an access in the definition's own file: for an access in a definition
    /// of another file, the place where that is used. Returns `None` if there is none.
    fn access(&self, origin: Origin) -> Option<Access> {
        let mut source = self.origins.get(origin.0 as usize)?;
        for _ in 0..self.origins.len() {
            let item = source.def.map_or(self.item, |def| self.db.item_of(def));
            if self.db.file_of(item) == self.file {
                return Some(Access {
                    item,
                    span: source.span,
                    head: source.head,
                });
            }
            source = self.origins.get(source.used_at?.0 as usize)?;
        }
        None
    }

    /// Returns the number of the access's line, counted from 1.
    fn line(&self, access: &Access) -> usize {
        let at = self.db.absolute(access.item, access.head).start as usize;
        let text = self.db.text(self.file);
        text.byte_to_line(at.min(text.len_bytes())) + 1
    }

    /// Returns the name that the program gives to the memory that both accesses are to, by `let`;
    /// `None` if it has none, or the accesses are in different items.
    fn name(&self, first: &Access, second: &Access) -> Option<String> {
        if first.item != second.item {
            return None;
        }
        let parsed = self.db.parsed(first.item);
        let named = |one: &Access, other: &Access| named(&parsed.item, one.span, other.span);
        named(first, second).or_else(|| named(second, first))
    }

    /// Describes the memory of two accesses by its name, or, if it has none, by the first access;
    /// `quote` is put before and after that.
    fn what(&self, first: &Access, second: &Access, quote: &str) -> String {
        if let Some(name) = self.name(first, second) {
            return format!("of {quote}{name}{quote}");
        }
        let text = self.db.item_text(first.item);
        let word = text.get(std::ops::Range::from(first.head)).unwrap_or("");
        match word.is_empty() {
            true => "before".to_owned(),
            false => format!("by {quote}{word}{quote}"),
        }
    }
}

/// Returns the name of the `let` whose value contains one access and whose body contains the other;
/// of several, the one with the shortest value.
fn named(item: &Item, value_has: Span, body_has: Span) -> Option<String> {
    let span = |id: TermId| item.term(id).span;
    let mut found: Option<(u32, String)> = None;
    for term in &item.terms {
        let TermKind::Let {
            binder,
            value,
            body,
        } = &term.kind
        else {
            continue;
        };
        let holds = span(*value).contains(value_has) && span(*body).contains(body_has);
        let size = span(*value).len();
        let is_smaller = found.as_ref().is_none_or(|(known, _)| size < *known);
        if holds && is_smaller {
            found = Some((size, item.binder(*binder).name.to_string()));
        }
    }
    found.map(|(_, name)| name)
}
