//! Navigation from a name to its definition, or to the definitions of the names in its type.

use db::{Binding, Database, Declaration, ItemId, Language};
use nat::Var;
use rise::{BinderInfo, Scheme, Type};
use syntax::ast::{BinderId, Name, TermKind};
use syntax::lexer::{TokenKind, lex};
use syntax::{GlobalId, Span};

use crate::item_view::{self, Symbol, View};
use crate::{FilePosition, NavTarget, SymbolKind, free_vars, tree};

/// Returns the definition or binder of the name at `at`, or all definitions of it if it is
/// ambiguous; none for a primitive. For the path of an import this is the file.
pub fn goto_definition(db: &Database, at: FilePosition) -> Vec<NavTarget> {
    let Some((view, offset)) = View::at(db, at) else {
        return Vec::new();
    };
    if view.import_path().is_some_and(|path| path.touches(offset)) {
        return import_target(&view).into_iter().collect();
    }
    match view.occurrence_at(offset) {
        Some(found) => target(&view, found.symbol).into_iter().collect(),
        None => ambiguous(&view, offset),
    }
}

/// Returns the binders, in the item, of the type-level variables in the type of the expression or
/// binder at `at`, such as its sizes.
pub fn goto_type_definition(db: &Database, at: FilePosition) -> Vec<NavTarget> {
    let Some((view, offset)) = View::at(db, at) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    if let Some(binder) = tree::binder_at(view.item(), offset) {
        if let BinderInfo::Value(ty) = view.binder_info(binder) {
            free_vars::of_type(ty, &mut found);
        }
    } else if let Some(term) = tree::innermost(view.item(), offset)
        && let Some(ty) = view.type_of(term)
    {
        free_vars::of_type(ty, &mut found);
    }
    found
        .iter()
        .filter_map(|var| binder_of(&view, *var))
        .filter_map(|id| target(&view, Symbol::Binder(view.id, id)))
        .collect()
}

fn binder_of(view: &View<'_>, var: Var) -> Option<BinderId> {
    let binders = (0..view.item().binders.len() as u32).map(BinderId);
    binders.into_iter().find(
        |id| matches!(view.binder_info(*id), BinderInfo::TypeLevel(known, _) if *known == var),
    )
}

/// Returns all definitions of the name at `offset` if several imports define it, and otherwise
/// none.
fn ambiguous(view: &View<'_>, offset: u32) -> Vec<NavTarget> {
    let Some(name) = name_at(view, offset) else {
        return Vec::new();
    };
    match view.db.resolve(view.file, &name) {
        Binding::Ambiguous(items) => items
            .iter()
            .filter_map(|item| definition(view.db, *item))
            .collect(),
        _ => Vec::new(),
    }
}

/// Returns the name in a term that touches an offset in the item, resolved or not.
fn name_at(view: &View<'_>, offset: u32) -> Option<Name> {
    if view.is_strategy() {
        return item_view::strategy_files::name_at(view, offset);
    }
    let term = tree::innermost(view.item(), offset)?;
    match &view.item().term(term).kind {
        TermKind::Name(name) => Some(name.clone()),
        _ => None,
    }
}

fn import_target(view: &View<'_>) -> Option<NavTarget> {
    let imports = view.db.imports(view.file);
    let import = imports.iter().find(|import| import.item == view.id)?;
    let file = import.target?;
    Some(NavTarget {
        file,
        full: Span::empty(0),
        focus: Span::empty(0),
        name: view.db.path(file).file_name(),
        kind: SymbolKind::File,
    })
}

/// Returns the place where `symbol` is defined or bound. A primitive has none, because it is part
/// of the language.
pub(crate) fn target(view: &View<'_>, symbol: Symbol) -> Option<NavTarget> {
    let db = view.db;
    let (item, span, kind) = match symbol {
        Symbol::Binder(item, id) => {
            let own = View::new(db, item);
            (item, own.item().binder(id).span, binder_kind(&own, id))
        }
        Symbol::SumIndex(item, sum) => {
            let index = item_view::sum_index_of(view.item(), sum)?;
            (item, view.span(index), SymbolKind::TypeParameter)
        }
        Symbol::Place(item, span) => (item, span, SymbolKind::Parameter),
        Symbol::Def(item) => return definition(db, item),
        Symbol::Library(id) => return library_strategy(db, id),
        Symbol::Primitive(_) => return None,
    };
    let focus = db.absolute(item, span);
    Some(NavTarget {
        file: db.file_of(item),
        full: focus,
        focus,
        name: view.name_of(symbol),
        kind,
    })
}

/// Returns the place of a definition of the strategy library.
fn library_strategy(db: &Database, id: GlobalId) -> Option<NavTarget> {
    let (file, full, focus) = db.strategy_place(id)?;
    Some(NavTarget {
        file,
        full,
        focus,
        name: item_view::strategy_files::library_name(id),
        kind: item_view::strategy_files::kind_of(elevate::lang::library().item(id)?),
    })
}

/// Returns the place of a definition; `None` for an item that defines nothing.
pub(crate) fn definition(db: &Database, item: ItemId) -> Option<NavTarget> {
    definition_with(db, item, db.scheme(item).as_deref())
}

/// Returns the place of a definition whose type, `scheme`, has already been computed. It does not
/// parse the item, except in a strategy file.
pub(crate) fn definition_with(
    db: &Database,
    item: ItemId,
    scheme: Option<&Scheme>,
) -> Option<NavTarget> {
    let header = db.header(item);
    let Declaration::Def(name) = &header.declares else {
        return None;
    };
    let full = db.item_span(item);
    Some(NavTarget {
        file: db.file_of(item),
        full,
        focus: header.span.shifted(full.start),
        name: name.to_string(),
        kind: def_kind(db, item, scheme),
    })
}

/// Returns the kind of a binder, which depends on the form that contains it.
pub(crate) fn binder_kind(view: &View<'_>, id: BinderId) -> SymbolKind {
    let Some(owner) = view.parents().owner(id) else {
        return SymbolKind::Parameter;
    };
    match &view.item().term(owner).kind {
        TermKind::Let { .. } => SymbolKind::Variable,
        TermKind::Local { .. } => SymbolKind::Function,
        TermKind::LetSize {
            binder: Some(bound),
            ..
        } if *bound == id => SymbolKind::Variable,
        TermKind::Fun { .. } => SymbolKind::Parameter,
        _ => SymbolKind::TypeParameter,
    }
}

/// Returns the kind of a definition, from its language, its head and its type.
pub(crate) fn def_kind(db: &Database, item: ItemId, scheme: Option<&Scheme>) -> SymbolKind {
    match scheme {
        _ if db.language(db.file_of(item)) == Language::Elevate => {
            item_view::strategy_files::kind(db, item)
        }
        _ if is_foreign(db, item) => SymbolKind::Foreign,
        Some(scheme) if is_data(&scheme.ty) => SymbolKind::Value,
        _ => SymbolKind::Function,
    }
}

/// Returns true if the keyword `foreign` precedes the name.
fn is_foreign(db: &Database, item: ItemId) -> bool {
    let text = db.item_text(item);
    let head = text.get(..db.header(item).span.start as usize);
    lex(head.unwrap_or_default()).any(|token| token.kind == TokenKind::Foreign)
}

fn is_data(mut ty: &Type) -> bool {
    loop {
        match ty {
            Type::Pi(pi) if pi.implicit => ty = &pi.body,
            Type::Fun(..) | Type::Pi(_) | Type::Error => return false,
            _ => return true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Fixture, LISTING_1};
    use expect_test::{Expect, expect};

    fn check(text: &str, expected: Expect) {
        check_with(text, goto_definition, expected);
    }

    fn check_with(
        text: &str,
        goto: fn(&Database, FilePosition) -> Vec<NavTarget>,
        expected: Expect,
    ) {
        let fixture = Fixture::new(text);
        let mut shown = String::new();
        for at in &fixture.cursors {
            let targets: Vec<String> = goto(&fixture.db, *at)
                .iter()
                .map(|target| {
                    assert!(target.full.contains(target.focus));
                    format!(
                        "{:?} {}",
                        target.kind,
                        fixture.place(target.file, target.focus)
                    )
                })
                .collect();
            shown.push_str(&format!("{}\n", targets.join(", ")));
        }
        expected.assert_eq(&shown);
    }

    #[test]
    fn binders() {
        let text = LISTING_1
            .replace("Array[n, Array[m,", "Array[$0n, Array[m$0,")
            .replace("zip(row)(x)", "zip(ro$0w)(x$0)")
            .replace("fst(ax)", "fst($0ax)")
            .replace("add", "ad$0d");
        check(
            &text,
            expect![[r#"
            TypeParameter main.rise:1:18 n
            TypeParameter main.rise:1:26 m
            Parameter main.rise:4:20 row
            Parameter main.rise:3:9 x
            Parameter main.rise:6:19 ax

        "#]],
        );
    }

    #[test]
    fn definitions_of_this_file_of_imports_and_of_the_library() {
        check(
            "//- /main.rise\nimport \"$0lib.rise\"\ndef f = fun(x => twi$0ce(o$0ne) + h$0(x))\n\
             def h = fun(x => d$0ot(x)(x))\n\
             //- /lib.rise\n\n/// Twice.\ndef twice = fun(x => x + x)\ndef one = 1.0f\n",
            expect![[r#"
                File lib.rise:1:1 
                Function lib.rise:3:5 twice
                Value lib.rise:4:5 one
                Function main.rise:3:5 h
                Function functions.rise:13:5 dot
            "#]],
        );
    }

    #[test]
    fn the_inner_binder_wins() {
        check(
            "def x = 1.0f\ndef f = fun(x => let x = x$0 + x in fun(y => x$0 + y))\ndef g = $0x\n",
            expect![[r#"
                Parameter main.rise:2:13 x
                Variable main.rise:2:22 x
                Value main.rise:1:5 x
            "#]],
        );
    }

    #[test]
    fn names_of_a_written_type_and_of_sums_and_annotations() {
        check(
            "@run(n$0 = 16)\n@assume(4 | $0n)\ndef f : {n: Nat} -> (m: Nat) -> n.f32 -> (m + $0n).f32 -> f32 = \
             depFun(m: Nat => fun(xs: $0n.f32 => fun(ys: (m$0 + n).f32 => 0.0f)))\n\
             def g : (n: Nat) -> (sum(i, 0, n, $0i + 1)).f32 -> f32 = depFun(n: Nat => fun(xs => 0.0f))\n",
            expect![[r#"
                TypeParameter main.rise:3:10 n
                TypeParameter main.rise:3:10 n
                TypeParameter main.rise:3:10 n
                TypeParameter main.rise:3:10 n
                TypeParameter main.rise:3:70 m
                TypeParameter main.rise:4:26 i
            "#]],
        );
    }

    #[test]
    fn a_name_that_two_imports_define_leads_to_both() {
        check(
            "//- /main.rise\nimport \"a.rise\"\nimport \"b.rise\"\ndef f = $0x\n\
             //- /a.rise\ndef x = 1\n//- /b.rise\ndef x = 2\n",
            expect![[r#"
                Value a.rise:1:5 x, Value b.rise:1:5 x
            "#]],
        );
    }

    #[test]
    fn the_type_of_a_value_leads_to_its_sizes() {
        let text = LISTING_1
            .replace("fun(row", "fun(r$0ow")
            .replace("(x) |>", "($0x) |>")
            .replace("M |>", "$0M |>");
        check_with(
            &text,
            goto_type_definition,
            expect![[r#"
            TypeParameter main.rise:1:18 n, TypeParameter main.rise:1:26 m
            TypeParameter main.rise:1:26 m
            TypeParameter main.rise:1:26 m
        "#]],
        );
    }

    #[test]
    fn broken_code_and_other_places_lead_nowhere_wrong() {
        check(
            "def f = fun(x => x |> $0\ndef g = f$0(1) $0 + un$0known\n// f$0\n",
            expect![[r#"

            Function main.rise:1:5 f



        "#]],
        );
    }
}
