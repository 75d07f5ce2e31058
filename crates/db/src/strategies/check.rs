//! The queries that check items of strategy files, and the environment in which they are checked.

use std::sync::Arc;

use elevate::lang::{
    self, Checked, DefinitionKind, Library, Resolution, Scheme, Signature, Type, library,
};
use syntax::ast::Name;
use syntax::{Diagnostic, GlobalId, Severity};

use crate::files::{FilePath, ItemId};
use crate::inputs::{Db, SourceFile, SourceItem};
use crate::items::strategy_parsed;
use crate::nesting::Checking;
use crate::panics::catch_panic;
use crate::recursion::recursion;
use crate::scope::{Binding, bindings, strategies};
use crate::types::{ProgramEnv, point_at_names};

/// Checks an item of a strategy file. The diagnostics of its syntax are included; for an item with
/// any of these, the errors of the checker are left out.
#[salsa::tracked(returns(clone))]
pub(crate) fn strategy_checked(db: &dyn Db, item: SourceItem) -> Arc<Checked> {
    let parsed = strategy_parsed(db, item.into());
    let text = item.text(db);
    let _checking = Checking::start();
    let mut checked = catch_panic(&text, "checking", || {
        lang::check(&parsed.item, &text, &ItemEnv::new(db, item))
    })
    .unwrap_or_else(|failure| nothing_known(&parsed.item, failure));
    let unreadable = !parsed.diagnostics.is_empty();
    checked
        .diagnostics
        .retain(|diagnostic| !unreadable || diagnostic.severity != Severity::Error);
    for diagnostic in &mut checked.diagnostics {
        // Definitions of the strategy library have no file in the database.
        diagnostic
            .related
            .retain(|related| related.place.item.is_none_or(|id| !Library::contains(id)));
        point_at_names(db, diagnostic);
    }
    checked
        .diagnostics
        .splice(0..0, parsed.diagnostics.iter().cloned());
    Arc::new(checked)
}

/// Returns the signature of a definition of a strategy file.
#[salsa::tracked(returns(clone))]
pub(crate) fn signature(db: &dyn Db, item: SourceItem) -> Arc<Signature> {
    strategy_checked(db, item).signature.clone()
}

/// Returns the signature of a definition of a strategy file or of the strategy library.
pub(crate) fn signature_of(db: &dyn Db, id: GlobalId) -> Arc<Signature> {
    match library().signature(id) {
        Some(signature) => signature,
        None => signature(db, ItemId::from_global(id).into()),
    }
}

/// Returns the signature that the annotations of the definition's head give. It is all that is
/// known in its own body, and in definitions that are mutually recursive with it.
#[salsa::tracked(returns(clone))]
fn header_signature(db: &dyn Db, item: SourceItem) -> Arc<Signature> {
    let parsed = strategy_parsed(db, item.into());
    Arc::new(lang::header_signature(&parsed.item))
}

/// Returns the signature of `used` for checking `user`: that of its header if the two are the same
/// or mutually recursive.
fn signature_for(db: &dyn Db, user: ItemId, used: ItemId) -> Arc<Signature> {
    let file = SourceItem::from(used).file(db);
    if user == used || recursion(db, file.into()).are_mutually_recursive(user, used) {
        header_signature(db, used.into())
    } else {
        signature(db, used.into())
    }
}

/// The environment in which an item or a text is checked: the definitions that it uses.
pub(crate) struct ItemEnv<'db> {
    db: &'db dyn Db,
    file: SourceFile,
    /// The resolved names, sorted by name.
    known: Box<[(Name, Resolution)]>,
    programs: ProgramEnv<'db>,
}

impl<'db> ItemEnv<'db> {
    fn new(db: &'db dyn Db, item: SourceItem) -> Self {
        ItemEnv {
            db,
            file: item.file(db).into(),
            known: resolutions(bindings(db, item), |used| {
                signature_for(db, item.into(), used)
            }),
            programs: ProgramEnv::new(db, item),
        }
    }

    /// Creates the environment of a text with the names of a file in scope. The bindings are those
    /// of the text to strategies and to programs, sorted by name.
    pub fn with(
        db: &'db dyn Db,
        file: SourceFile,
        strategies: &[(Name, Binding)],
        programs: &[(Name, Binding)],
    ) -> Self {
        ItemEnv {
            db,
            file,
            known: resolutions(strategies, |used| signature(db, used.into())),
            programs: ProgramEnv::with(db, file, programs),
        }
    }
}

fn resolutions(
    bindings: &[(Name, Binding)],
    signature: impl Fn(ItemId) -> Arc<Signature>,
) -> Box<[(Name, Resolution)]> {
    let resolve = |binding: &Binding| match binding {
        Binding::Def(used) => Resolution::Item(used.global(), signature(*used)),
        Binding::Ambiguous(all) => {
            Resolution::Ambiguous(all.iter().map(|item| item.global()).collect())
        }
        Binding::Broken => Resolution::Broken(None),
        Binding::Unknown => Resolution::Unknown,
    };
    bindings
        .iter()
        .map(|(name, binding)| (name.clone(), resolve(binding)))
        .collect()
}

impl lang::Env for ItemEnv<'_> {
    fn resolve(&self, name: &str) -> Resolution {
        let own = match self
            .known
            .binary_search_by(|(known, _)| known.as_str().cmp(name))
        {
            Ok(at) => self.known[at].1.clone(),
            Err(_) => Resolution::Unknown,
        };
        match own {
            Resolution::Item(..) | Resolution::Ambiguous(_) => own,
            // An import that cannot be read shadows nothing of the library.
            Resolution::Broken(_) | Resolution::Unknown => match library().resolve(name) {
                Resolution::Unknown => own,
                found => found,
            },
        }
    }

    fn names(&self) -> Vec<Name> {
        let scope = strategies(self.db, self.file);
        let own = scope.names().map(|(name, ..)| name.clone());
        own.chain(library().names().cloned()).collect()
    }

    fn rise(&self) -> &dyn rise::Env {
        &self.programs
    }

    fn is_library(&self, id: GlobalId) -> bool {
        Library::contains(id)
    }

    fn in_library(&self) -> bool {
        matches!(self.file.path(self.db), FilePath::Std(_))
    }
}

/// Returns the result for an item on which the checker panicked.
fn nothing_known(item: &syntax::elevate::ast::Item, failure: Diagnostic) -> Checked {
    let error = Arc::new(Type::Error);
    Checked {
        signature: Arc::new(Signature {
            sort: DefinitionKind::Strategy,
            scheme: Scheme::mono(error.clone()),
            looping: false,
            docs: None,
        }),
        diagnostics: vec![failure],
        exprs: vec![error.clone(); item.exprs.len()].into(),
        params: vec![error; item.params.len()].into(),
        uses: Vec::new(),
        meanings: Default::default(),
        captured: Vec::new(),
        compiled: Default::default(),
    }
}
