//! The definitions that use a rewritten one, checked with its new type and conditions.

use std::collections::VecDeque;
use std::sync::Arc;

use db::{Database, FileId, ItemId};
use rise::{Env, Resolution, Scheme};
use rustc_hash::FxHashMap;
use syntax::ast::Name;
use syntax::{Diagnostic, Dialect, GlobalId, Severity};

use super::verify::FileEnv;
use crate::item_view::def_name;

/// Returns a message about the definitions of RISE that would have a new error if the definition
/// `item` had the type and the conditions `new`; `None` if there are none. If the type or the
/// conditions of a user change, too, its own users are checked with these.
pub(super) fn broken_users(db: &Database, item: ItemId, new: Arc<Scheme>) -> Option<String> {
    let mut schemes = FxHashMap::from_iter([(db.global(item), new)]);
    let mut errors: Vec<(ItemId, Diagnostic)> = Vec::new();
    let mut changed = VecDeque::from([item]);
    while let Some(used) = changed.pop_front() {
        for user in db.users(used) {
            let file = db.file_of(user);
            if db.dialect(file) != Dialect::Rise {
                continue;
            }
            let env = UserEnv::of(db, file, &schemes);
            let inference = rise::infer(&db.parsed(user).item, &env);
            errors.retain(|(other, _)| *other != user);
            let known = db.inference(user);
            let is_known = |found: &Diagnostic| {
                known
                    .diagnostics
                    .iter()
                    .any(|old| old.message == found.message)
            };
            let mut found = inference.diagnostics.into_iter();
            let error = found.find(|found| found.severity == Severity::Error && !is_known(found));
            errors.extend(error.map(|error| (user, error)));
            let scheme = inference.scheme;
            let global = db.global(user);
            let before = schemes.get(&global).cloned().or_else(|| db.scheme(user));
            if before.is_some_and(|before| before != scheme) {
                schemes.insert(global, scheme);
                changed.push_back(user);
            }
        }
    }
    let names: Vec<String> = errors
        .iter()
        .map(|(user, _)| format!("`{}`", def_name(db, *user).unwrap_or_default()))
        .collect();
    let (_, first) = errors.first()?;
    Some(format!(
        "{} would have an error: {}",
        names.join(" and "),
        first.message
    ))
}

/// The environment of a file in which some definitions have other schemes.
struct UserEnv<'d> {
    file: FileEnv<'d>,
    schemes: &'d FxHashMap<GlobalId, Arc<Scheme>>,
}

impl<'d> UserEnv<'d> {
    fn of(
        db: &'d Database,
        file: FileId,
        schemes: &'d FxHashMap<GlobalId, Arc<Scheme>>,
    ) -> UserEnv<'d> {
        UserEnv {
            file: FileEnv::of_file(db, file),
            schemes,
        }
    }
}

impl Env for UserEnv<'_> {
    fn resolve(&self, name: &str) -> Resolution {
        match self.file.resolve(name) {
            Resolution::Def(global, scheme) => {
                let changed = self.schemes.get(&global).cloned();
                Resolution::Def(global, changed.unwrap_or(scheme))
            }
            other => other,
        }
    }

    fn names(&self) -> Vec<Name> {
        self.file.names()
    }
}
