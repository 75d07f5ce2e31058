//! The call hierarchy: the definitions that use a definition, and those that it uses.

use db::{Database, ItemId};
use syntax::Span;

use crate::item_view::{Symbol, View};
use crate::{FilePosition, NavTarget, goto};

/// A definition that uses another one, or is used by it, with the places of the uses. Every use
/// counts as a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// For incoming calls, the definition that uses the given one; for outgoing calls, one that it
    /// uses.
    pub target: NavTarget,
    /// The ranges of the uses, in the file of the definition that contains them.
    pub ranges: Vec<Span>,
}

/// Returns the definition that the name at `at` refers to; `None` if it refers to something else.
pub fn prepare_call_hierarchy(db: &Database, at: FilePosition) -> Option<NavTarget> {
    goto::definition(db, def_at(db, at)?)
}

/// Returns the definitions that use the definition that the name at `at` refers to.
pub fn incoming_calls(db: &Database, at: FilePosition) -> Vec<Call> {
    let Some(item) = def_at(db, at) else {
        return Vec::new();
    };
    let users = db.users(item).into_iter();
    users
        .filter_map(|user| {
            let target = goto::definition(db, user)?;
            let ranges = uses(&View::new(db, user), item);
            (!ranges.is_empty()).then_some(Call { target, ranges })
        })
        .collect()
}

/// Returns the definitions that the definition that the name at `at` refers to uses, in the order
/// of their first use.
pub fn outgoing_calls(db: &Database, at: FilePosition) -> Vec<Call> {
    let Some(item) = def_at(db, at) else {
        return Vec::new();
    };
    let view = View::new(db, item);
    let mut calls: Vec<(ItemId, Vec<Span>)> = Vec::new();
    for found in view.occurrences() {
        let Symbol::Def(used) = found.symbol else {
            continue;
        };
        if found.declaration {
            continue;
        }
        let span = view.absolute(found.span);
        match calls.iter_mut().find(|(known, _)| *known == used) {
            Some((_, ranges)) => ranges.push(span),
            None => calls.push((used, vec![span])),
        }
    }
    calls
        .into_iter()
        .filter_map(|(used, ranges)| {
            Some(Call {
                target: goto::definition(db, used)?,
                ranges,
            })
        })
        .collect()
}

fn def_at(db: &Database, at: FilePosition) -> Option<ItemId> {
    match View::name_at(db, at)?.1.symbol {
        Symbol::Def(item) => Some(item),
        _ => None,
    }
}

fn uses(user: &View<'_>, def: ItemId) -> Vec<Span> {
    let found = user.occurrences_of(Symbol::Def(def)).into_iter();
    found
        .filter(|found| !found.declaration)
        .map(|found| user.absolute(found.span))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Fixture;
    use expect_test::expect;

    #[test]
    fn both_directions() {
        let fixture = Fixture::new(
            "//- /main.rise\nimport \"lib.rise\"\ndef f = fun(x => g$0(twice(twice(x))))\ndef g = fun(x => dot(x)(x))\n\
             //- /lib.rise\ndef twice$0 = fun(x => x + x)\n",
        );
        let show = |calls: Vec<Call>, caller: Option<db::FileId>| -> Vec<String> {
            calls
                .into_iter()
                .map(|call| {
                    let file = caller.unwrap_or(call.target.file);
                    let places: Vec<String> = call
                        .ranges
                        .iter()
                        .map(|span| fixture.place(file, *span))
                        .collect();
                    format!("{}: {}", call.target.name, places.join(", "))
                })
                .collect()
        };
        let [g, twice] = [fixture.cursors[0], fixture.cursors[1]];
        let target = prepare_call_hierarchy(&fixture.db, g);
        assert_eq!(
            target.as_ref().map(|target| target.name.as_str()),
            Some("g")
        );
        let f = FilePosition {
            offset: fixture.text(g.file).find("f =").unwrap_or(0) as u32,
            ..g
        };
        expect![[r#"
            [
                "f: main.rise:2:18 g",
            ]
        "#]]
        .assert_debug_eq(&show(incoming_calls(&fixture.db, g), None));
        expect![[r#"
            [
                "f: main.rise:2:20 twice, main.rise:2:26 twice",
            ]
        "#]]
        .assert_debug_eq(&show(incoming_calls(&fixture.db, twice), None));
        expect![[r#"
            [
                "g: main.rise:2:18 g",
                "twice: main.rise:2:20 twice, main.rise:2:26 twice",
            ]
        "#]]
        .assert_debug_eq(&show(outgoing_calls(&fixture.db, f), Some(f.file)));
        assert_eq!(
            prepare_call_hierarchy(&fixture.db, FilePosition { offset: 0, ..g }),
            None
        );
    }
}
