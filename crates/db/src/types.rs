//! The types of definitions of programs.

use std::sync::Arc;

use codegen::TargetSelection;
use rise::{BinderInfo, Env, Inference, Names, Resolution, Scheme, TermInfo, Type};
use syntax::ast::{Item, ItemKind, Name, TermKind};
use syntax::{Diagnostic, Dialect, Parsed, Span};

use crate::annotations::repeated_targets;
use crate::files::ItemId;
use crate::header::strategy_name;
use crate::inputs::{Db, SourceFile, SourceItem};
use crate::items::{dialect, language, parsed};
use crate::language::Language;
use crate::nesting::Checking;
use crate::panics::catch_panic;
use crate::recursion::recursion;
use crate::scope::{Binding, bindings, program_bindings, programs};

/// The result of checking an item of a program, without the types of its subterms. It is empty for
/// an item of a strategy file.
#[derive(Debug, PartialEq)]
pub(crate) struct Checked {
    pub scheme: Option<Arc<Scheme>>,
    pub diagnostics: Arc<[Diagnostic]>,
    /// The targets that the annotations and the patterns of the item select.
    pub selection: TargetSelection,
    /// True if the item names a strategy in `@strategy`.
    pub has_strategy: bool,
    /// True if the item has launch sizes in `@opencl`.
    pub has_launch: bool,
}

/// Computes the item's type, and the diagnostics of its syntax and inference. For an item with
/// syntax errors, the errors of inference are left out.
#[salsa::tracked]
pub(crate) fn checked(db: &dyn Db, item: SourceItem) -> Checked {
    let parsed = parsed(db, item.into());
    let mut diagnostics = parsed.diagnostics.to_vec();
    let mut selection = TargetSelection::default();
    let scheme = match infer(db, item, &parsed) {
        Some(Ok(inference)) => {
            // A definition with syntax errors only gets these as errors: the errors of inference
            // may be consequences.
            let unreadable = !diagnostics.is_empty();
            diagnostics
                .iter_mut()
                .for_each(|error| rise::explain(error, &parsed.item, &inference));
            selection = TargetSelection::of(&parsed.item, &inference);
            diagnostics.extend(repeated_targets(&parsed.item, &item.text(db)));
            diagnostics.extend(inference.diagnostics.into_iter().filter(|diagnostic| {
                !unreadable || diagnostic.severity != syntax::Severity::Error
            }));
            diagnostics
                .iter_mut()
                .for_each(|diagnostic| point_at_names(db, diagnostic));
            // A type with syntax errors would cause further errors at its uses.
            Some(match has_broken_type(&parsed) {
                true => error_inference(&parsed.item).scheme,
                false => inference.scheme,
            })
        }
        Some(Err(failure)) => {
            diagnostics.push(failure);
            None
        }
        None => None,
    };
    Checked {
        scheme,
        diagnostics: diagnostics.into(),
        selection,
        has_strategy: strategy_name(&parsed.item).is_some(),
        has_launch: (parsed.item.annotations(rise::LAUNCH_ANNOTATION).next()).is_some(),
    }
}

/// Returns the item's type for its users; `None` if the item defines nothing, is recursive, or is
/// in a strategy file, and if inference fails because of a bug.
#[salsa::tracked(returns(clone))]
pub(crate) fn scheme(db: &dyn Db, item: SourceItem) -> Option<Arc<Scheme>> {
    if recursion(db, item.file(db).into()).contains(item.into()) {
        return None;
    }
    checked(db, item).scheme.clone()
}

/// Returns the complete result of inference; all types in it are unknown if the item is not a
/// definition of a program, or if inference fails because of a bug. It is separate from
/// [`checked`], because it is large and only needed for few items. At most 2048 results are kept,
/// so that repeated traversals of a large file (for semantic tokens, for example) do not infer it
/// again.
#[salsa::tracked(returns(clone), lru = 2048)]
pub(crate) fn inference(db: &dyn Db, item: SourceItem) -> Arc<Inference> {
    let parsed = parsed(db, item.into());
    match infer(db, item, &parsed) {
        Some(Ok(inference)) => Arc::new(inference),
        Some(Err(_)) | None => Arc::new(error_inference(&parsed.item)),
    }
}

/// Infers a definition or foreign function; a panic in inference becomes a diagnostic. Returns
/// `None` for other items.
fn infer(
    db: &dyn Db,
    source: SourceItem,
    parsed: &Parsed,
) -> Option<Result<Inference, Diagnostic>> {
    if !matches!(
        parsed.item.kind,
        ItemKind::Def { .. } | ItemKind::Foreign { .. }
    ) {
        return None;
    }
    let _checking = Checking::start();
    let env = ProgramEnv::new(db, source);
    Some(catch_panic(
        &source.text(db),
        "checking",
        || match dialect(db, source) {
            Dialect::Rise => rise::infer(&parsed.item, &env),
            Dialect::Dpia => dpia::typing::infer(&parsed.item, &env),
        },
    ))
}

/// Returns true if a definition has a syntax error before the end of its type annotation. A
/// definition without a type annotation has none.
fn has_broken_type(parsed: &Parsed) -> bool {
    let end = match &parsed.item.kind {
        ItemKind::Def {
            head,
            ty: Some(ty),
            body,
            ..
        } => {
            let value = head.as_ref().map_or(*body, |head| head.value);
            let is_missing = matches!(parsed.item.term(value).kind, TermKind::Missing);
            match is_missing {
                true => parsed.item.term(*ty).span.end + 1,
                false => parsed.item.term(value).span.start,
            }
        }
        ItemKind::Foreign { result, .. } => parsed.item.term(*result).span.end,
        _ => return false,
    };
    let mut found = parsed.diagnostics.iter();
    found.any(|found| found.severity == syntax::Severity::Error && found.span.start < end)
}

/// Adds the places of names to a diagnostic: inference returns only the number of another
/// definition, not the place of its name.
pub(crate) fn point_at_names(db: &dyn Db, diagnostic: &mut Diagnostic) {
    for related in &mut diagnostic.related {
        if let Some(other) = related.place.item
            && related.place.span == Span::default()
        {
            related.place.span = SourceItem::from(ItemId::from_global(other)).header(db).span;
        }
    }
}

fn error_inference(item: &Item) -> Inference {
    Inference {
        scheme: Arc::new(Scheme {
            ty: Arc::new(Type::Error),
            obligations: Arc::default(),
            literals: Arc::new([]),
            names: Names::default(),
        }),
        diagnostics: Vec::new(),
        terms: vec![TermInfo::Unknown; item.terms.len()].into(),
        binders: vec![BinderInfo::Unknown; item.binders.len()].into(),
        generalised: Default::default(),
        patterns: Default::default(),
        instantiated: Default::default(),
        uses: Vec::new(),
        obligations: Vec::new(),
        of_rounds: Vec::new(),
        names: Names::default(),
    }
}

/// The environment of inference: the definitions of programs that an item or a text uses.
pub(crate) struct ProgramEnv<'db> {
    db: &'db dyn Db,
    file: SourceFile,
    /// The resolved names, sorted by name.
    known: Box<[(Name, Resolution)]>,
}

impl<'db> ProgramEnv<'db> {
    /// Creates the environment of an item of any language.
    pub fn new(db: &'db dyn Db, item: SourceItem) -> Self {
        let bindings = match language(db, item) {
            Language::Rise | Language::Dpia => bindings(db, item),
            Language::Elevate => program_bindings(db, item),
        };
        ProgramEnv::with(db, item.file(db).into(), bindings)
    }

    /// Creates the environment of a text with the names of a file in scope. The bindings are those
    /// of the text, sorted by name.
    pub fn with(db: &'db dyn Db, file: SourceFile, bindings: &[(Name, Binding)]) -> Self {
        ProgramEnv {
            db,
            file,
            known: resolutions(db, bindings),
        }
    }
}

impl Env for ProgramEnv<'_> {
    fn resolve(&self, name: &str) -> Resolution {
        match self
            .known
            .binary_search_by(|(known, _)| known.as_str().cmp(name))
        {
            Ok(at) => self.known[at].1.clone(),
            Err(_) => Resolution::Unknown,
        }
    }

    fn names(&self) -> Vec<Name> {
        let scope = programs(self.db, self.file);
        scope.names().map(|(name, ..)| name.clone()).collect()
    }

    fn targets(&self) -> Vec<rise::TargetName> {
        codegen::Target::names()
    }
}

fn resolutions(db: &dyn Db, bindings: &[(Name, Binding)]) -> Box<[(Name, Resolution)]> {
    let resolve = |binding: &Binding| match binding {
        Binding::Def(def) => match scheme(db, (*def).into()) {
            Some(scheme) => Resolution::Def(def.global(), scheme),
            None => Resolution::Broken(Some(def.global())),
        },
        Binding::Ambiguous(defs) => {
            Resolution::Ambiguous(defs.iter().map(|def| def.global()).collect())
        }
        Binding::Broken => Resolution::Broken(None),
        Binding::Unknown => Resolution::Unknown,
    };
    bindings
        .iter()
        .map(|(name, binding)| (name.clone(), resolve(binding)))
        .collect()
}
