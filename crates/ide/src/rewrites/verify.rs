//! The text of a rewritten definition, verified by parsing and elaborating it again.

use std::sync::Arc;

use db::{Binding, Database, FileId, ItemId};
use nat::{Facts, Prop};
use rise::core::{Def, bare_def_text, elaborate};
use rise::{Env, Inference, Primitive, Resolution, Ty};
use syntax::ast::{Item, ItemKind, Name};
use syntax::{Diagnostic, Severity, Span};

use super::align::Alignment;
use super::diff;
use super::restyle::{Annotations, Edit, Options, Source, restyle};
use super::terms::{Alpha, Reducer, with_params};
use super::users::broken_users;
use crate::SourceEdits;

/// A definition after a rewrite.
#[derive(Clone, Debug, PartialEq)]
pub struct Rewritten {
    /// The new text of the definition.
    pub text: String,
    /// The edits of the file: one for the definition, from the first token that differs to the last
    /// one, and those of definitions that use it, if they need new arguments.
    pub edits: SourceEdits,
}

/// The reason why a term cannot be written in the place of another one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unwritable {
    /// The definition has errors before the rewrite.
    #[error("the definition has errors")]
    Broken,
    /// None of the texts that were tried elaborates to the term.
    #[error("the result cannot be written here: {0}")]
    NotRead(String),
    /// The definition gets new parameters that a definition that uses it cannot pass, or conditions
    /// that such a definition does not meet.
    #[error("{0}")]
    Users(String),
}

/// Returns the text of a definition whose term is now `new`, in the style of the existing text. The
/// text has been parsed, checked and elaborated to this term, up to the names of variables,
/// β-redexes and η-redexes.
///
/// The existing text of a part is kept if its term is unchanged. If `exact` is true, β-redexes and
/// η-redexes are compared as they are for this; otherwise they are equal to what they reduce to.
///
/// # Errors
/// Fails if the definition has errors, if the term has no text, for example because it needs a size
/// without a name, or if a definition that uses it would have an error.
pub fn rewritten(
    db: &Database,
    item: ItemId,
    new: &Def<Primitive>,
    exact: bool,
) -> Result<Rewritten, Unwritable> {
    let def = db.elaborated(item).ok_or(Unwritable::Broken)?;
    let (text, parsed, inference) = (db.item_text(item), db.parsed(item), db.inference(item));
    let base = Base {
        text: &text,
        item: &parsed.item,
        inference: &inference,
        def: &def,
    };
    let done = restyled(db, item, base, new, exact)?;
    if !db.users(item).is_empty() {
        let (changed, _) = FileEnv::of(db, item)
            .read(&done.text)
            .map_err(Unwritable::NotRead)?;
        if changed.scheme != inference.scheme
            && let Some(message) = broken_users(db, item, changed.scheme)
        {
            return Err(Unwritable::Users(message));
        }
    }
    Ok(done)
}

/// Does the same as [`rewritten`], exactly if the new term differs from the old one only in
/// β-redexes and η-redexes, so that the text shows what the rewrite has reduced.
///
/// # Errors
/// Fails like [`rewritten`].
pub fn reduced_or_rewritten(
    db: &Database,
    item: ItemId,
    new: &Def<Primitive>,
) -> Result<Rewritten, Unwritable> {
    let def = db.elaborated(item).ok_or(Unwritable::Broken)?;
    rewritten(db, item, new, same_term(&def, new))
}

/// Returns the text of a definition with further size parameters, after its existing ones: they are
/// added to its parameter list and its type. Definitions of the file that use it take them, too,
/// and pass them on.
///
/// # Errors
/// Fails like [`rewritten`], or if a user of the definition cannot pass the parameters.
pub fn extended(
    db: &Database,
    item: ItemId,
    new: &Def<Primitive>,
    parameters: &[Name],
) -> Result<Rewritten, Unwritable> {
    if parameters.is_empty() {
        return reduced_or_rewritten(db, item, new);
    }
    let others = super::size_parameters::users(db, item, parameters)?;
    let (text, parsed) = (db.item_text(item), db.parsed(item));
    let text = super::size_parameters::with_parameters(&text, &parsed.item, parameters);
    let no_place =
        || Unwritable::NotRead("there is no place for the new size parameters".to_owned());
    let text = text.ok_or_else(no_place)?;
    let (read, inference, def) = FileEnv::of(db, item)
        .parsed(&text)
        .map_err(Unwritable::NotRead)?;
    let base = Base {
        text: &text,
        item: &read,
        inference: &inference,
        def: &def,
    };
    let mut done = restyled(db, item, base, new, false)?;
    let own = std::mem::take(&mut done.edits.files);
    let own = own.into_iter().flat_map(|(_, edits)| edits);
    done.edits = SourceEdits::single(db.file_of(item), own.chain(others).collect());
    Ok(done)
}

/// The definition whose text is kept as far as possible.
#[derive(Clone, Copy)]
struct Base<'a> {
    text: &'a str,
    item: &'a Item,
    inference: &'a Inference,
    def: &'a Def<Primitive>,
}

fn restyled(
    db: &Database,
    item: ItemId,
    base: Base<'_>,
    new: &Def<Primitive>,
    exact: bool,
) -> Result<Rewritten, Unwritable> {
    let env = FileEnv::of(db, item);
    let old = db.item_text(item);
    let done = |changed: String| Rewritten {
        edits: diff::in_file(db, item, &changed),
        text: changed,
    };
    let as_it_stands = match env.restyled(&old, base, new, exact) {
        Ok(changed) => return Ok(done(changed)),
        Err(error) => error,
    };
    if let Some(changed) = env.restyled_with_type(&old, base, new, exact) {
        return Ok(done(changed));
    }
    let printed = laid_out(&old, &printed(base, new));
    match env.check(&printed, new, &base.inference.scheme.ty) {
        Ok(()) => Ok(done(printed)),
        Err(_) => Err(Unwritable::NotRead(as_it_stands)),
    }
}

/// Prints the definition after its documentation and annotations, with its comments before it. This
/// is for terms that cannot be expressed with the old text; types are annotated wherever inference
/// needs them.
fn printed(base: Base<'_>, new: &Def<Primitive>) -> String {
    let name = base.item.name().map_or(0, |name| name.span.start);
    let before_name = base.text.get(..name as usize).unwrap_or_default();
    let start = before_name.rfind("def").unwrap_or_default();
    let mut edits = [Edit {
        span: Span::new(start as u32, base.text.trim_end().len() as u32),
        text: bare_def_text(new).trim_end().to_owned(),
    }];
    super::comments::keep(base.text, &mut edits);
    applied(base.text, &edits)
}

/// Returns the text with the inferred type of the definition as an annotation; `None` if it already
/// has one, or has no name.
fn with_type(base: Base<'_>) -> Option<String> {
    let ItemKind::Def { ty: None, .. } = base.item.kind else {
        return None;
    };
    let scheme = &base.inference.scheme;
    let edit = Edit {
        span: Span::empty(base.item.name()?.span.end),
        text: format!(" : {}", rise::print::type_text(&scheme.ty, &scheme.names)),
    };
    Some(applied(base.text, &[edit]))
}

impl FileEnv<'_> {
    /// Returns the text of the definition in the style of `base`, verified.
    ///
    /// # Errors
    /// Returns the error of the text without additional annotations, which is tried first.
    fn restyled(
        &self,
        old: &str,
        base: Base<'_>,
        new: &Def<Primitive>,
        exact: bool,
    ) -> Result<String, String> {
        let alignment = Alignment::of(base.item, base.inference, base.def);
        let source = Source {
            text: base.text,
            item: base.item,
            inference: base.inference,
            def: base.def,
            alignment: &alignment,
        };
        // The parameters of the definition keep their names and types, unless only these change.
        let named = with_params(&base.def.body, &new.body);
        let is_changed = !exact || !Alpha::default().same(&base.def.body, &named);
        let named = Def {
            body: if is_changed { named } else { new.body.clone() },
            ..new.clone()
        };
        let mut first_error = None;
        for annotations in Annotations::ALL {
            let options = Options { exact, annotations };
            let edits = restyle(source, &named, options);
            let changed = laid_out(old, &applied(base.text, &edits));
            match self.check(&changed, new, &base.inference.scheme.ty) {
                Ok(()) => return Ok(changed),
                Err(error) => drop(first_error.get_or_insert(error)),
            }
        }
        Err(first_error.unwrap_or_default())
    }

    /// Does the same as `FileEnv::restyled`, but with the old type of the definition as an
    /// annotation: the rewrite may have removed the only part that determined the type. Returns
    /// `None` if that fails.
    fn restyled_with_type(
        &self,
        old: &str,
        base: Base<'_>,
        new: &Def<Primitive>,
        exact: bool,
    ) -> Option<String> {
        let text = with_type(base)?;
        let (item, inference, def) = self.parsed(&text).ok()?;
        let typed = Base {
            text: &text,
            item: &item,
            inference: &inference,
            def: &def,
        };
        self.restyled(old, typed, new, exact).ok()
    }
}

/// Applies edits, which are sorted and do not overlap, to a text.
pub(crate) fn applied(text: &str, edits: &[Edit]) -> String {
    let mut out = text.to_owned();
    for edit in edits.iter().rev() {
        out.replace_range(std::ops::Range::from(edit.span), &edit.text);
    }
    out
}

/// Formats the new text if the old one was formatted.
pub(crate) fn laid_out(old: &str, new: &str) -> String {
    let newline = if old.contains("\r\n") { "\r\n" } else { "\n" };
    match syntax::format_item(old, newline) == old {
        true => syntax::format_item(new, newline),
        false => new.to_owned(),
    }
}

/// The environment of a file, in which a definition's text is checked.
pub(crate) struct FileEnv<'d> {
    db: &'d Database,
    file: FileId,
    /// The definitions in scope in the file.
    scope: Arc<db::Scope>,
}

impl<'d> FileEnv<'d> {
    pub(crate) fn of(db: &'d Database, item: ItemId) -> FileEnv<'d> {
        FileEnv::of_file(db, db.file_of(item))
    }

    pub(super) fn of_file(db: &'d Database, file: FileId) -> FileEnv<'d> {
        FileEnv {
            db,
            file,
            scope: db.scope(file),
        }
    }

    /// Parses, checks and elaborates a definition's text in the place of the item.
    ///
    /// # Errors
    /// Returns the message of the first error.
    pub(crate) fn read(&self, text: &str) -> Result<(Inference, Def<Primitive>), String> {
        self.parsed(text)
            .map(|(_, inference, def)| (inference, def))
    }

    /// Does the same as `FileEnv::read`, and also returns the syntax tree.
    fn parsed(&self, text: &str) -> Result<(Item, Inference, Def<Primitive>), String> {
        let parsed = syntax::parse_in(text, self.db.dialect(self.file));
        if let Some(wrong) = parsed.diagnostics.first() {
            return Err(wrong.message.clone());
        }
        let inference = rise::infer(&parsed.item, self);
        let is_error = |d: &&Diagnostic| d.severity == Severity::Error;
        if let Some(wrong) = inference.diagnostics.iter().find(is_error) {
            return Err(wrong.message.clone());
        }
        match elaborate(&parsed.item, &inference) {
            Some(def) => Ok((parsed.item, inference, def)),
            None => Err("the text of the result has errors".to_owned()),
        }
    }

    /// Checks that a text is a definition of this term and type. The terms are compared as by
    /// [`same_term`], also with sizes that are equal under the conditions of one of them.
    fn check(&self, text: &str, wanted: &Def<Primitive>, ty: &Ty) -> Result<(), String> {
        let (inference, def) = self.read(text)?;
        // The form of sizes may depend on the new assumptions.
        let facts = assumed(&inference.scheme.obligations);
        let sizes = |ty: &Ty| rise::subst::map_sizes(ty, &|size| facts.normalize(size));
        if inference.scheme.ty != *ty && sizes(&inference.scheme.ty) != sizes(ty) {
            return Err(format!(
                "the type of the result would be `{}`",
                rise::print::scheme_text(&inference.scheme)
            ));
        }
        let same = same_term(&def, wanted)
            || same_under(Some(assumed(&def.obligations)), &def, wanted)
            || same_under(Some(assumed(&wanted.obligations)), wanted, &def);
        match same {
            true => Ok(()),
            false => Err(format!(
                "the text of the result would mean another program:\n{}",
                rise::core::def_text(&def)
            )),
        }
    }
}

fn assumed(obligations: &[Prop]) -> Facts {
    let mut facts = Facts::new();
    obligations.iter().for_each(|prop| facts.assume(prop));
    facts
}

/// Returns true if two definitions are equal up to the names of variables, β-redexes and η-redexes.
pub(crate) fn same_term(a: &Def<Primitive>, b: &Def<Primitive>) -> bool {
    same_under(None, a, b)
}

/// Returns true if two definitions are equal as in `same_term`, where sizes that are equal by these
/// facts may have different forms. The facts are about the variables of `a`.
fn same_under(facts: Option<Facts>, a: &Def<Primitive>, b: &Def<Primitive>) -> bool {
    let kinds = |def: &Def<Primitive>| -> Vec<_> { def.implicit.iter().map(|p| p.1).collect() };
    if kinds(a) != kinds(b) {
        return false;
    }
    let mut reducer = Reducer::new(a.locals.max(b.locals));
    let mut alpha = Alpha::default();
    alpha.facts = facts;
    let vars = a.implicit.iter().zip(&b.implicit);
    alpha.vars = vars.map(|((v, _), (w, _))| (*v, *w)).collect();
    alpha.same(&reducer.reduce(&a.body), &reducer.reduce(&b.body))
}

impl Env for FileEnv<'_> {
    fn resolve(&self, name: &str) -> Resolution {
        match self.scope.resolve(name) {
            Binding::Def(item) => {
                let global = self.db.global(item);
                match self.db.scheme(item) {
                    Some(scheme) => Resolution::Def(global, scheme),
                    None => Resolution::Broken(Some(global)),
                }
            }
            Binding::Ambiguous(items) => {
                let globals = items.iter().map(|item| self.db.global(*item));
                Resolution::Ambiguous(globals.collect())
            }
            Binding::Broken => Resolution::Broken(None),
            Binding::Unknown => Resolution::Unknown,
        }
    }

    fn names(&self) -> Vec<Name> {
        Vec::new()
    }
}
