//! Renaming of definitions and binders.

use db::{Binding, Database, FileId, ItemId, Language};
use syntax::ast::{BinderId, ItemKind, TermId, TermKind};
use syntax::lexer::{TokenKind, lex_in};
use syntax::{Span, elevate};

use crate::item_view::{self, Occurrence, Symbol, View};
use crate::{FilePosition, SourceEdits, TextEdit, references};

/// The reason why a name cannot be renamed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenameError {
    /// The reason as a message for the user.
    pub message: String,
}

/// The name that a rename would change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenameTarget {
    /// The range of the name under the cursor.
    pub span: Span,
    /// The name.
    pub name: String,
}

/// Checks that the name at `at` can be renamed, and returns it.
///
/// # Errors
/// Fails if there is no resolved name, or if it is a primitive or is defined in one of the
/// libraries.
pub fn prepare_rename(db: &Database, at: FilePosition) -> Result<RenameTarget, RenameError> {
    let (view, found) = renamed(db, at)?;
    Ok(RenameTarget {
        span: view.absolute(found.span),
        name: view.name_of(found.symbol),
    })
}

/// Returns the edits that rename the definition or binder that the name at `at` refers to; none if
/// it already has the name `new`.
///
/// # Errors
/// Fails if the name cannot be renamed, if the new name is not valid, or if the renaming would
/// change what some name refers to.
pub fn rename(db: &Database, at: FilePosition, new: &str) -> Result<SourceEdits, RenameError> {
    let (view, found) = renamed(db, at)?;
    let old = view.name_of(found.symbol);
    let references = references::everywhere(&view, found.symbol);
    // The languages of the files that use the name reserve different words.
    let users = references.iter().map(|reference| reference.place.file);
    for file in std::iter::once(at.file).chain(users) {
        check_name_in(db, file, new)?;
    }
    if old == new {
        return Ok(SourceEdits::default());
    }
    match found.symbol {
        Symbol::Def(item) => check_def(db, item, &old, new)?,
        Symbol::Place(..) => check_place(&view, &old, new)?,
        symbol => check_local(&view, symbol, &old, new)?,
    }
    let edits = references.into_iter().map(|reference| {
        let edit = TextEdit {
            span: reference.place.span,
            text: new.to_owned(),
        };
        (reference.place.file, edit)
    });
    Ok(SourceEdits::collect(edits))
}

fn error<T>(message: impl Into<String>) -> Result<T, RenameError> {
    Err(RenameError {
        message: message.into(),
    })
}

fn renamed(db: &Database, at: FilePosition) -> Result<(View<'_>, Occurrence), RenameError> {
    let none = || RenameError {
        message: "there is no name here to rename".to_owned(),
    };
    let (view, found) = View::name_at(db, at).ok_or_else(none)?;
    let library = match found.symbol {
        Symbol::Primitive(primitive) => {
            return error(format!(
                "`{}` is part of the language and cannot be renamed",
                primitive.name()
            ));
        }
        Symbol::Library(_) => true,
        Symbol::Def(item)
        | Symbol::Binder(item, _)
        | Symbol::SumIndex(item, _)
        | Symbol::Place(item, _) => db.is_library(db.file_of(item)),
    };
    if library {
        let name = view.name_of(found.symbol);
        return error(format!(
            "`{name}` belongs to the standard library and cannot be renamed"
        ));
    }
    Ok((view, found))
}

/// Checks that `new` is a valid name in the language of a file, and not reserved.
fn check_name_in(db: &Database, file: FileId, new: &str) -> Result<(), RenameError> {
    let is_strategy = db.language(file) == Language::Elevate;
    let strategy = elevate::lex(new).map(|token| token.kind);
    match &strategy.collect::<Vec<_>>()[..] {
        [TokenKind::Quoted | TokenKind::Metavariable] if is_strategy => {
            return Ok(());
        }
        [TokenKind::Word(_)] if is_strategy => {
            return error(format!("`{new}` is a reserved word and cannot be a name"));
        }
        _ => {}
    }
    let tokens = lex_in(new, db.dialect(file)).map(|token| token.kind);
    match tokens.collect::<Vec<_>>()[..] {
        [TokenKind::Ident] => Ok(()),
        [TokenKind::Underscore] => error("`_` is a hole and cannot be a name"),
        [kind] if kind.is_reserved() => {
            error(format!("`{new}` is a reserved word and cannot be a name"))
        }
        [] => error("a name cannot be empty"),
        _ => error(format!(
            "`{new}` is not a name: a name is a letter or `_`, followed by letters, digits and `_`"
        )),
    }
}

/// Checks the new name of a binder in a strategy file. The check is conservative: it does not
/// compute scopes, so no resolved name of the item may be the new one.
fn check_place(view: &View<'_>, old: &str, new: &str) -> Result<(), RenameError> {
    let bare = |name: &str| name.trim_matches('`').trim_start_matches('?').to_owned();
    let taken = view
        .occurrences()
        .iter()
        .any(|found| bare(&view.name_of(found.symbol)) == bare(new));
    if taken {
        return error(format!(
            "`{new}` already occurs in this definition, and would then refer to the renamed `{old}`"
        ));
    }
    Ok(())
}

fn check_local(view: &View<'_>, symbol: Symbol, old: &str, new: &str) -> Result<(), RenameError> {
    if let Symbol::Binder(_, binder) = symbol
        && siblings(view, binder).any(|other| view.item().binder(other).name == new)
    {
        return error(format!(
            "`{new}` is already another parameter of the function of `{old}`"
        ));
    }
    if let Symbol::Binder(_, binder) = symbol
        && view.item().may_be_implicit(binder)
        && item_view::global_symbol(view.db, view.file, new).is_some()
    {
        return error(format!(
            "`{new}` is defined in this scope, and only a name that is not becomes an implicit parameter"
        ));
    }
    let captured = view
        .occurrences_of(symbol)
        .iter()
        .filter_map(|found| found.term)
        .any(|term| hides(view, term, new, symbol));
    if captured {
        return error(format!(
            "`{new}` is already bound where `{old}` is used: the use would then refer to the other `{new}`"
        ));
    }
    let capturing = view
        .occurrences_named(new)
        .iter()
        .filter_map(|found| found.term)
        .any(|term| reaches(view, term, new, symbol));
    if capturing {
        return error(format!(
            "`{new}` is already used where `{old}` is in scope, and would then refer to the renamed `{old}`"
        ));
    }
    Ok(())
}

/// Returns the other parameters of the function or foreign function that binds `binder`.
fn siblings<'v>(view: &'v View<'_>, binder: BinderId) -> impl Iterator<Item = BinderId> + 'v {
    let item = view.item();
    let head = item.head().into_iter();
    let of_head: Vec<BinderId> = head
        .flat_map(|head| {
            let params = head.params().map(|param| param.binder);
            head.implicit.iter().copied().chain(params)
        })
        .filter(|&binder| view.binds(binder))
        .collect();
    let is_of_head =
        (of_head.iter()).any(|&param| param == binder || item.bound_names(param).contains(&binder));
    let of_head = of_head.into_iter().filter(move |_| is_of_head);
    let params: &[BinderId] = match view.parents().owner(binder).map(|id| &item.term(id).kind) {
        Some(TermKind::Fun { params, .. } | TermKind::DepFun { params, .. }) => params,
        Some(TermKind::Let { binder, .. }) => std::slice::from_ref(binder),
        Some(_) => &[],
        None => match &item.kind {
            ItemKind::Foreign { params, .. } => params,
            _ => &[],
        },
    };
    let params = params.iter().copied().chain(of_head);
    let names = params.flat_map(|param| item.bound_names(param));
    names.filter(move |other| *other != binder)
}

/// Returns the distance from `term` outwards to the binder of `symbol`, 1 for the innermost one, or
/// `None` if `symbol` is not in scope at `term`. Indices of sums have distance 0, because no other
/// binder can be inside a sum; definitions have the largest distance.
fn distance(view: &View<'_>, term: TermId, symbol: Symbol) -> Option<usize> {
    match symbol {
        Symbol::Binder(_, binder) => view
            .scope_at(term)
            .binders
            .iter()
            .position(|id| *id == binder)
            .map(|at| at + 1),
        Symbol::SumIndex(_, sum) => view.parents().path(term).any(|id| id == sum).then_some(0),
        Symbol::Def(_) | Symbol::Library(_) | Symbol::Primitive(_) | Symbol::Place(..) => {
            Some(usize::MAX)
        }
    }
}

/// Returns true if, at `term`, a binder of `name` is further inside than the binder of `symbol`,
/// which it would shadow if both had one name.
fn hides(view: &View<'_>, term: TermId, name: &str, symbol: Symbol) -> bool {
    let inner = if view.sum_index(term, name).is_some() {
        Some(0)
    } else {
        let binders = view.scope_at(term).binders;
        binders
            .iter()
            .position(|id| view.item().binder(*id).name == name)
            .map(|at| at + 1)
    };
    inner.is_some_and(|inner| distance(view, term, symbol).is_some_and(|outer| inner < outer))
}

/// Returns true if the use of `name` at `term` would refer to `symbol` if that had this name.
fn reaches(view: &View<'_>, term: TermId, name: &str, symbol: Symbol) -> bool {
    distance(view, term, symbol).is_some() && !hides(view, term, name, symbol)
}

fn check_def(db: &Database, item: ItemId, old: &str, new: &str) -> Result<(), RenameError> {
    let home = db.file_of(item);
    if db.scope(home).own().by_name.contains_key(new) {
        return error(format!(
            "`{new}` is already defined in {}",
            db.path(home).file_name()
        ));
    }
    for user in db.users(item) {
        check_user(&View::new(db, user), item, old, new)?;
    }
    let importers = db
        .files()
        .into_iter()
        .filter(|file| *file != home && db.needs(*file).contains(&home));
    for file in std::iter::once(home).chain(importers) {
        check_visible(db, file, old, new)?;
    }
    Ok(())
}

/// Checks that no use of the definition in the item of `view` would be captured by a binder, or by
/// another definition, with the new name.
fn check_user(view: &View<'_>, def: ItemId, old: &str, new: &str) -> Result<(), RenameError> {
    let symbol = Symbol::Def(def);
    let place = || view.db.path(view.file).file_name();
    let user = || item_view::def_name(view.db, view.id).unwrap_or_default();
    let binds = |found: &Occurrence| {
        matches!(found.symbol, Symbol::Place(..)) && view.name_of(found.symbol) == new
    };
    if view.is_strategy() && view.occurrences().iter().any(binds) {
        return error(format!(
            "`{new}` is already bound in `{}`, which uses `{old}`",
            user()
        ));
    }
    for found in view.occurrences_of(symbol) {
        if found
            .term
            .is_some_and(|term| hides(view, term, new, symbol))
        {
            let user = user();
            return error(format!(
                "`{new}` is already bound in `{user}`, where `{old}` is used"
            ));
        }
    }
    if view.file != view.db.file_of(def)
        && let Some(other) = defined(view.db, view.file, new)
    {
        let other = view.db.path(view.db.file_of(other)).file_name();
        return error(format!(
            "{} uses `{old}`, and `{new}` of {other} is in scope there",
            place()
        ));
    }
    Ok(())
}

/// Returns the definition that `name` refers to in `file`, or the first of several; `None` if it
/// refers to none, or to one of the standard library.
fn defined(db: &Database, file: FileId, name: &str) -> Option<ItemId> {
    match db.resolve(file, name) {
        Binding::Def(item) => (!db.is_library(db.file_of(item))).then_some(item),
        Binding::Ambiguous(items) => items.first().copied(),
        Binding::Broken | Binding::Unknown => None,
    }
}

/// Checks that no item of `file`, in which the definition is in scope, uses the name `new`: such a
/// use would be captured by the renamed definition. A file that defines `new` itself passes.
fn check_visible(db: &Database, file: FileId, old: &str, new: &str) -> Result<(), RenameError> {
    if db.scope(file).own().by_name.contains_key(new) {
        return Ok(());
    }
    let names = |item: &&ItemId| db.header(**item).names(new);
    let items = db.items(file);
    let Some(user) = items.iter().find(names) else {
        return Ok(());
    };
    let user = item_view::def_name(db, *user).unwrap_or_default();
    let file = db.path(file).file_name();
    error(format!(
        "`{user}` in {file} uses another `{new}`, which would then refer to the renamed `{old}`"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Fixture, LISTING_1};
    use expect_test::{Expect, expect};

    fn check(text: &str, new: &str, expected: Expect) {
        let fixture = Fixture::new(text);
        let shown = match rename(&fixture.db, fixture.cursors[0], new) {
            Ok(edits) => fixture.applied_all(&edits),
            Err(error) => format!("error: {}\n", error.message),
        };
        expected.assert_eq(&shown);
    }

    #[test]
    fn local_definitions() {
        check(
            "def f(n: Nat)(xs: n.f32) = let g(x: f32, ys: m.f32): f32 = x in let h(x) = g$0(x, xs) in h(1.0f)",
            "total",
            expect![
                "def f(n: Nat)(xs: n.f32) = let total(x: f32, ys: m.f32): f32 = x in let h(x) = total(x, xs) in h(1.0f)"
            ],
        );
        check(
            "def f(n: Nat)(xs: n.f32) = let g(x: f32, ys: m$0.f32): m.f32 = ys in g(1.0f, xs)",
            "size",
            expect![
                "def f(n: Nat)(xs: n.f32) = let g(x: f32, ys: size.f32): size.f32 = ys in g(1.0f, xs)"
            ],
        );
        check(
            "def f(n: Nat)(xs: n.f32) = let g(x$0: f32, ys: m.f32): f32 = x in let h(x) = g(x, xs) in h(1.0f)",
            "ys",
            expect![[r#"
                error: `ys` is already another parameter of the function of `x`
            "#]],
        );
    }

    #[test]
    fn names_in_patterns() {
        check(
            "def f((a, (b, _)): (f32, (f32, f32)), c: f32) = let (d, e) = (a$0, b) in fun((a, d) => a + d)(e)(a + b)",
            "x",
            expect![
                "def f((x, (b, _)): (f32, (f32, f32)), c: f32) = let (d, e) = (x, b) in fun((a, d) => a + d)(e)(x + b)"
            ],
        );
        check(
            "def f((a, b$0): (f32, f32), c: f32) = a + b + c",
            "c",
            expect![[r#"
                error: `c` is already another parameter of the function of `b`
            "#]],
        );
        check(
            "def f(p: (f32, f32)) = let (a, b) = p in let (c$0, b) = (b, a) in b + c",
            "x",
            expect!["def f(p: (f32, f32)) = let (a, b) = p in let (x, b) = (b, a) in b + x"],
        );
    }

    #[test]
    fn parameters_and_sizes() {
        check(
            &LISTING_1.replace("fun(row", "fun($0row"),
            "line",
            expect![[r#"
            def mv = depFun((n: Nat, m: Nat) =>
              fun(M: Array[n, Array[m, f32]] =>
                fun(x: Array[m, f32] =>
                  M |> map(fun(line =>
                    zip(line)(x) |>
                      map(fun(ax => fst(ax) * snd(ax))) |>
                      reduce(add)(0.0f) )) )) )
        "#]],
        );
        check(
            &LISTING_1.replace("Array[m, f32] =>\n      M", "Array[$0m, f32] =>\n      M"),
            "width",
            expect![[r#"
            def mv = depFun((n: Nat, width: Nat) =>
              fun(M: Array[n, Array[width, f32]] =>
                fun(x: Array[width, f32] =>
                  M |> map(fun(row =>
                    zip(row)(x) |>
                      map(fun(ax => fst(ax) * snd(ax))) |>
                      reduce(add)(0.0f) )) )) )
        "#]],
        );
    }

    #[test]
    fn parameters_left_of_the_value() {
        check(
            "@run(n = 4)\ndef f(n: Nat)(xs: n.f32): n.f32 where $0n >= 1 = xs |> take(n)\n",
            "size",
            expect![[r#"
                @run(size = 4)
                def f(size: Nat)(xs: size.f32): size.f32 where size >= 1 = xs |> take(size)
            "#]],
        );
        check(
            "def f(n: Nat)(xs: n.f32): n.f32 = $0xs |> map(fun(x => x + (xs |> reduce(add)(0.0f))))\n",
            "all",
            expect![[r#"
                def f(n: Nat)(all: n.f32): n.f32 = all |> map(fun(x => x + (all |> reduce(add)(0.0f))))
            "#]],
        );
        check(
            "def f(xs: (n + 1).t, ys: $0n.t): n.t = xs |> take(n)\n",
            "size",
            expect![[r#"
                def f(xs: (size + 1).t, ys: size.t): size.t = xs |> take(size)
            "#]],
        );
        check(
            "def f(xs: $0n.f32)(y: f32): f32 = y\ndef m = 1.0f\n",
            "m",
            expect![[r#"
                error: `m` is defined in this scope, and only a name that is not becomes an implicit parameter
            "#]],
        );
        check(
            "def f(xs: n.f32)($0y: f32): f32 = y\n",
            "xs",
            expect![[r#"
                error: `xs` is already another parameter of the function of `y`
            "#]],
        );
        check(
            "def f(xs: n.f32): f32 = $0g(xs)\ndef g(ys: m.f32): f32 = 1.0f\n",
            "h",
            expect![[r#"
                def f(xs: n.f32): f32 = h(xs)
                def h(ys: m.f32): f32 = 1.0f
            "#]],
        );
    }

    #[test]
    fn definitions_across_files() {
        check(
            "//- /main.rise\nimport \"lib.rise\"\ndef f = fun(x => tw$0ice(x) + twice(x))\n\
             //- /lib.rise\n/// Twice.\ndef twice = fun(x => x + x)\ndef four = twice >> twice\n",
            "double",
            expect![[r#"
                //- lib.rise
                /// Twice.
                def double = fun(x => x + x)
                def four = double >> double
                //- main.rise
                import "lib.rise"
                def f = fun(x => double(x) + double(x))
            "#]],
        );
    }

    #[test]
    fn annotations_and_sums_follow() {
        check(
            "@run(n = 4)\n@opencl(global = [n, 1, 1])\ndef f = depFun($0n: Nat => fun(xs: n.f32 => xs))\n",
            "size",
            expect![[r#"
                @run(size = 4)
                @opencl(global = [size, 1, 1])
                def f = depFun(size: Nat => fun(xs: size.f32 => xs))
            "#]],
        );
        check(
            "@inout(x)\ndef f = fun($0x: 4.f32, y: f32 => x)\n",
            "values",
            expect![[r#"
                @inout(values)
                def f = fun(values: 4.f32, y: f32 => values)
            "#]],
        );
        check(
            "def f(inout $0x: n.f32, y: f32): n.f32 = x\n",
            "values",
            expect![[r#"
                def f(inout values: n.f32, y: f32): n.f32 = values
            "#]],
        );
        check(
            "def g : (n: Nat) -> (sum(i, 0, n, $0i + 1)).f32 -> f32 = depFun(n: Nat => fun(xs => 0.0f))\n",
            "k",
            expect![[r#"
                def g : (n: Nat) -> (sum(k, 0, n, k + 1)).f32 -> f32 = depFun(n: Nat => fun(xs => 0.0f))
            "#]],
        );
    }

    #[test]
    fn words_that_are_reserved_in_other_files_are_refused() {
        check(
            "//- own.elevate\nval low = lowerToC\n//- main.rise\nimport \"own.elevate\"\n@strategy($0low)\ndef f = fun(x: f32 => x)\n",
            "rule",
            expect![[r#"
                error: `rule` is a reserved word and cannot be a name
            "#]],
        );
    }

    #[test]
    fn what_is_no_name() {
        let text = "def $0f = 1.0f\n";
        check(
            text,
            "in",
            expect![[r#"
            error: `in` is a reserved word and cannot be a name
        "#]],
        );
        check(
            text,
            "f32",
            expect![[r#"
            error: `f32` is a reserved word and cannot be a name
        "#]],
        );
        check(
            text,
            "2x",
            expect![[r#"
            error: `2x` is not a name: a name is a letter or `_`, followed by letters, digits and `_`
        "#]],
        );
        check(
            text,
            "a b",
            expect![[r#"
            error: `a b` is not a name: a name is a letter or `_`, followed by letters, digits and `_`
        "#]],
        );
        check(
            text,
            "",
            expect![[r#"
            error: a name cannot be empty
        "#]],
        );
        check(
            text,
            "_",
            expect![[r#"
            error: `_` is a hole and cannot be a name
        "#]],
        );
        check(
            text,
            "größe",
            expect![[r#"
            def größe = 1.0f
        "#]],
        );
    }

    #[test]
    fn the_language_and_the_library_stay() {
        check(
            "def f = fun(xs => xs |> $0map(id))\n",
            "each",
            expect![[r#"
            error: `map` is part of the language and cannot be renamed
        "#]],
        );
        check(
            "def f = fun(xs => $0dot(xs)(xs))\n",
            "inner",
            expect![[r#"
            error: `dot` belongs to the standard library and cannot be renamed
        "#]],
        );
        check(
            "def f = 1.0f + $0 2.0f\n",
            "g",
            expect![[r#"
            error: there is no name here to rename
        "#]],
        );
    }

    #[test]
    fn a_local_name_must_not_be_captured() {
        check(
            "def f = fun($0x => fun(y => x + y))\n",
            "y",
            expect![[r#"
            error: `y` is already bound where `x` is used: the use would then refer to the other `y`
        "#]],
        );
        check(
            "def f = fun(x => fun($0y => x + y))\n",
            "x",
            expect![[r#"
                error: `x` is already used where `y` is in scope, and would then refer to the renamed `y`
            "#]],
        );
        check(
            "def f = fun((x, $0y) => y)\n",
            "x",
            expect![[r#"
                error: `x` is already another parameter of the function of `y`
            "#]],
        );
        check(
            "def f = fun($0x => x |> map(id))\n",
            "map",
            expect![[r#"
                error: `map` is already used where `x` is in scope, and would then refer to the renamed `x`
            "#]],
        );
        check(
            "def f = fun($0x => x) >> fun(y => y)\n",
            "y",
            expect![[r#"
            def f = fun(y => y) >> fun(y => y)
        "#]],
        );
    }

    #[test]
    fn a_definition_must_not_collide() {
        check(
            "def $0f = 1.0f\ndef g = 2.0f\n",
            "g",
            expect![[r#"
            error: `g` is already defined in main.rise
        "#]],
        );
        check(
            "def $0f = 1.0f\ndef g = fun(x => f + x)\n",
            "x",
            expect![[r#"
            error: `x` is already bound in `g`, where `f` is used
        "#]],
        );
        check(
            "def $0f = 1.0f\ndef g = fun(xs => xs |> map(id))\n",
            "map",
            expect![[r#"
            error: `g` in main.rise uses another `map`, which would then refer to the renamed `f`
        "#]],
        );
        check(
            "def $0f = 1.0f\ndef g = f\n",
            "map",
            expect![[r#"
            def map = 1.0f
            def g = map
        "#]],
        );
        check(
            "//- /main.rise\nimport \"lib.rise\"\ndef g = 1.0f\ndef h = f + g\n//- /lib.rise\ndef $0f = 2.0f\n",
            "g",
            expect![[r#"
                error: main.rise uses `f`, and `g` of main.rise is in scope there
            "#]],
        );
        check(
            "//- /main.rise\nimport \"lib.rise\"\nimport \"b.rise\"\ndef h = f\n\
             //- /lib.rise\ndef $0f = 2.0f\n//- /b.rise\ndef g = 1.0f\n",
            "g",
            expect![[r#"
                error: main.rise uses `f`, and `g` of b.rise is in scope there
            "#]],
        );
    }

    #[test]
    fn prepare_says_what_would_be_renamed() {
        let fixture = Fixture::new("def f = fun(value => val$0ue)\n");
        let target = prepare_rename(&fixture.db, fixture.cursors[0]);
        let shown = target.map(|target| fixture.place(fixture.files[0], target.span));
        assert_eq!(shown.as_deref(), Ok("main.rise:1:22 value"));
    }
}
