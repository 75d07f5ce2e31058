//! References to a name and their highlighting.

use db::{Database, FileId, ItemId};
use syntax::Span;

use crate::item_view::{Symbol, View};
use crate::{FilePosition, FileRange};

/// An occurrence of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reference {
    /// The place of the occurrence.
    pub place: FileRange,
    /// True if the name is defined or bound here.
    pub declaration: bool,
}

/// The kind of an occurrence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HighlightKind {
    /// A use.
    Read,
    /// The place where the name is defined or bound.
    Write,
}

/// An occurrence of the name under the cursor, in the file of the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Highlight {
    /// The range in the file.
    pub span: Span,
    /// The kind of the occurrence.
    pub kind: HighlightKind,
}

/// Returns the occurrences of the name at `at` in all files, its definition first. For a primitive
/// or a definition of the strategy library, they do not include occurrences in files of the
/// libraries.
pub fn references(db: &Database, at: FilePosition) -> Vec<Reference> {
    let Some((view, found)) = View::name_at(db, at) else {
        return Vec::new();
    };
    let mut all = everywhere(&view, found.symbol);
    all.sort_by_key(|place| !place.declaration);
    all
}

/// Returns the occurrences of the name at `at` in its file, in the order of the text.
pub fn highlights(db: &Database, at: FilePosition) -> Vec<Highlight> {
    let Some((view, found)) = View::name_at(db, at) else {
        return Vec::new();
    };
    let mut places = match found.symbol {
        Symbol::Binder(..) | Symbol::SumIndex(..) | Symbol::Place(..) => {
            in_item(&view, found.symbol)
        }
        Symbol::Def(_) | Symbol::Library(_) | Symbol::Primitive(_) => {
            let items = mentioning(&view, view.file, found.symbol);
            in_items(db, &items, found.symbol)
        }
    };
    places.sort_by_key(|place| place.place.span);
    places
        .into_iter()
        .map(|place| Highlight {
            span: place.place.span,
            kind: if place.declaration {
                HighlightKind::Write
            } else {
                HighlightKind::Read
            },
        })
        .collect()
}

/// Returns the occurrences of `symbol`, which occurs in `view`, in all files; for a primitive or a
/// definition of the strategy library, in all files but those of the libraries.
pub(crate) fn everywhere(view: &View<'_>, symbol: Symbol) -> Vec<Reference> {
    let db = view.db;
    match symbol {
        Symbol::Binder(..) | Symbol::SumIndex(..) | Symbol::Place(..) => in_item(view, symbol),
        Symbol::Def(item) => {
            let mut items = vec![item];
            items.extend(db.users(item).into_iter().filter(|user| *user != item));
            in_items(db, &items, symbol)
        }
        Symbol::Primitive(_) | Symbol::Library(_) => {
            let files = db.files().into_iter().filter(|file| !db.is_library(*file));
            let items: Vec<ItemId> = files
                .flat_map(|file| mentioning(view, file, symbol))
                .collect();
            in_items(db, &items, symbol)
        }
    }
}

/// Returns the items of `file` that may refer to a definition with the name of `symbol`, and its
/// definition if it is there.
fn mentioning(view: &View<'_>, file: FileId, symbol: Symbol) -> Vec<ItemId> {
    let name = view.name_of(symbol);
    let names = |item: &ItemId| view.db.header(*item).names(&name);
    let items = view.db.items(file);
    items
        .iter()
        .copied()
        .filter(|item| Symbol::Def(*item) == symbol || names(item))
        .collect()
}

fn in_items(db: &Database, items: &[ItemId], symbol: Symbol) -> Vec<Reference> {
    items
        .iter()
        .flat_map(|item| in_item(&View::new(db, *item), symbol))
        .collect()
}

fn in_item(view: &View<'_>, symbol: Symbol) -> Vec<Reference> {
    view.occurrences_of(symbol)
        .into_iter()
        .map(|found| Reference {
            place: view.range(found.span),
            declaration: found.declaration,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Fixture, LISTING_1};
    use expect_test::{Expect, expect};

    fn check(text: &str, expected: Expect) {
        let fixture = Fixture::new(text);
        let found: Vec<String> = references(&fixture.db, fixture.cursors[0])
            .iter()
            .map(|found| {
                let place = fixture.place(found.place.file, found.place.span);
                format!(
                    "{place}{}\n",
                    if found.declaration {
                        " (definition)"
                    } else {
                        ""
                    }
                )
            })
            .collect();
        expected.assert_eq(&found.concat());
    }

    #[test]
    fn of_a_size() {
        check(
            &LISTING_1.replace("m: Nat", "$0m: Nat"),
            expect![[r#"
            main.rise:1:26 m (definition)
            main.rise:2:25 m
            main.rise:3:18 m
        "#]],
        );
    }

    #[test]
    fn of_a_definition_in_all_files() {
        check(
            "//- /main.rise\nimport \"lib.rise\"\ndef f = fun(x => twice(twice(x)))\ndef g = fun(twice => twice)\n\
             //- /lib.rise\ndef tw$0ice = fun(x => x + x)\ndef four = fun(x => twice(x))\n\
             //- /other.rise\ndef twice = fun(x => x)\ndef h = twice(1.0f)\n",
            expect![[r#"
                lib.rise:1:5 twice (definition)
                lib.rise:2:21 twice
                main.rise:2:18 twice
                main.rise:2:24 twice
            "#]],
        );
    }

    #[test]
    fn of_a_primitive() {
        check(
            "//- /main.rise\ndef f = fun(xs => xs |> ma$0p(id))\n\
             //- /other.rise\ndef g = map\ndef h = fun(map => map)\n",
            expect![[r#"
                main.rise:1:25 map
                other.rise:1:9 map
            "#]],
        );
    }

    #[test]
    fn of_an_annotation_key() {
        check(
            "@run(n = 4)\n@assume(2 | n)\ndef f = depFun(n: Nat => fun(xs: $0n.f32 => xs))\n",
            expect![[r#"
            main.rise:3:16 n (definition)
            main.rise:1:6 n
            main.rise:2:13 n
            main.rise:3:34 n
        "#]],
        );
    }

    #[test]
    fn highlights_stay_in_the_file() {
        let fixture = Fixture::new(
            "//- /main.rise\nimport \"lib.rise\"\ndef f = fun(x => $0twice(x) + twice(x))\n\
             //- /lib.rise\ndef twice = fun(x => x + x)\n",
        );
        let shown = |at: FilePosition| -> Vec<String> {
            highlights(&fixture.db, at)
                .iter()
                .map(|found| format!("{:?} {}", found.kind, fixture.place(at.file, found.span)))
                .collect()
        };
        expect![[r#"
            [
                "Read main.rise:2:18 twice",
                "Read main.rise:2:29 twice",
            ]
        "#]]
        .assert_debug_eq(&shown(fixture.cursors[0]));
        let binder = FilePosition {
            offset: fixture.text(fixture.files[0]).find("(x)").unwrap_or(0) as u32 + 1,
            ..fixture.cursors[0]
        };
        expect![[r#"
            [
                "Write main.rise:2:13 x",
                "Read main.rise:2:24 x",
                "Read main.rise:2:35 x",
            ]
        "#]]
        .assert_debug_eq(&shown(binder));
    }
}
