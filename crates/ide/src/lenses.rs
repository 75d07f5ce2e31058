//! Code lenses: commands for a definition as a whole.

use db::{Database, Declaration, FileId, ItemId};
use dpia::codes;
use syntax::{Diagnostic, Severity, Span};

/// A definition that can be run and shown as code, or could be without its errors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lens {
    /// The definition.
    pub item: ItemId,
    /// The name of the definition.
    pub def: String,
    /// The range of the name in the file.
    pub span: Span,
    /// The first target that the definition is checked for, if any.
    pub target: Option<codegen::Target>,
    /// The first of its targets that runs on a device, if any.
    pub device_target: Option<codegen::Target>,
    /// The number of `map` and `reduce` in the definition, which have to be lowered before it is
    /// compiled, because they do not choose an implementation. It is 0 if the definition has other
    /// errors, or if it has a target and no errors.
    pub high_level: usize,
    /// True if the definition has errors, so that it cannot run.
    pub has_errors: bool,
}

/// Returns the lenses of a file: one for each definition of a program whose parameters are only
/// sizes and data, and whose result generated functions can return. A definition with errors is
/// included if the known part of its type allows that.
pub fn lenses(db: &Database, file: FileId) -> Vec<Lens> {
    let lens = |&item: &ItemId| {
        let Declaration::Def(def) = &db.header(item).declares else {
            return None;
        };
        let parsed = db.parsed(item);
        let is_def = matches!(parsed.item.kind, syntax::ast::ItemKind::Def { .. });
        let scheme = db.scheme(item).filter(|_| is_def)?;
        let targets = db.targets(item);
        let found = db.item_diagnostics(item);
        let is_choice = |found: &Diagnostic| found.code == codes::MISSING_CHOICE;
        let mut errors = found
            .iter()
            .filter(|found| found.severity == Severity::Error);
        let has_errors = errors.clone().next().is_some();
        let is_open = match targets.is_empty() {
            true => !has_errors,
            false => has_errors && errors.all(is_choice),
        };
        let is_program = dpia::functional::is_program(&scheme)
            || (has_errors && dpia::functional::may_be_program(&scheme));
        is_program.then(|| Lens {
            item,
            def: def.to_string(),
            span: db.absolute(
                item,
                parsed.item.name().map_or_else(Span::default, |n| n.span),
            ),
            target: targets.iter().next(),
            device_target: targets.with_work_items(),
            high_level: if is_open { high_level(db, item) } else { 0 },
            has_errors,
        })
    };
    db.items(file).iter().filter_map(lens).collect()
}

/// Counts the patterns in a definition's own text that have to be lowered before it is compiled.
fn high_level(db: &Database, item: ItemId) -> usize {
    use rise::Primitive::{Map, Reduce};
    use rise::core::{Form, subterms};
    let Some(def) = db.elaborated(item) else {
        return 0;
    };
    subterms(&def.body)
        .filter(|term| matches!(term.form, Form::Primitive(Map | Reduce, ..)))
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use db::FilePath;

    #[test]
    fn errors_are_known_to_lenses() {
        let mut db = Database::new();
        let text = "def right = fun(x: f32 => x / 2.0f)
def wrong = fun((x: 4.f32, y: 5.f32) => zip(x)(y))
";
        let file = db.set_file(FilePath::disk("/a.rise"), text);
        let found: Vec<bool> = lenses(&db, file)
            .iter()
            .map(|lens| lens.has_errors)
            .collect();
        assert_eq!(found, [false, true]);
    }

    #[test]
    fn definitions_with_unknown_names_keep_their_lenses() {
        let mut db = Database::new();
        let text = "def program = depFun(n: Nat => fun(xs: n.f32 => xs |> map(half)))
def chain = fun(xs: 4.f32 => xs |> nothing)
def function = fun(f: f32 -> f32 => fun(xs: 4.f32 => xs |> nothing))
def open = fun(x => nothing(x))
def unknown = nothing
";
        let file = db.set_file(FilePath::disk("/a.rise"), text);
        let found: Vec<(String, bool)> = lenses(&db, file)
            .into_iter()
            .map(|lens| (lens.def, lens.has_errors))
            .collect();
        assert_eq!(
            found,
            [("program".to_owned(), true), ("chain".to_owned(), true)]
        );
    }

    #[test]
    fn patterns_are_counted_where_they_keep_a_program_from_being_compiled() {
        let mut db = Database::new();
        let text = "def open = fun(xs: 4.f32 => xs |> map(fun(x => x + x)) |> map(fun(x => x * x)))
@target(c)
def fused = fun(xs: 4.f32 => xs |> map(fun(x => x + x)) |> mapSeq(fun(x => x * x)))
@target(c)
def lacking = fun(xs: 4.f32 => xs |> mapSeq(id) |> toMem |> map(fun(x => x + x)))
";
        let file = db.set_file(FilePath::disk("/a.rise"), text);
        let found = lenses(&db, file);
        let counts: Vec<usize> = found.iter().map(|lens| lens.high_level).collect();
        assert_eq!(counts, [2, 0, 1]);
    }

    #[test]
    fn programs_have_lenses_and_functions_of_functions_do_not() {
        let mut db = Database::new();
        let text = "def twice = fun(f => fun(x: f32 => f(f(x))))
@target(c)
def double = depFun(n: Nat => fun(xs: n.f32 => xs |> mapSeq(fun(x => x + x))))
def half = fun(x: f32 => x / 2.0f)
@target(opencl)
def third = depFun(n: Nat => fun(xs: n.f32 => xs |> mapGlobal(fun(x => x / 3.0f))))
";
        let file = db.set_file(FilePath::disk("/a.rise"), text);
        let found: Vec<(String, Option<codegen::Target>, bool)> = lenses(&db, file)
            .into_iter()
            .map(|lens| (lens.def, lens.target, lens.device_target.is_some()))
            .collect();
        assert_eq!(
            found,
            [
                ("double".to_owned(), Some(codegen::Target::C), false),
                ("half".to_owned(), None, false),
                ("third".to_owned(), Some(codegen::Target::OpenCl), true)
            ]
        );
    }
}
