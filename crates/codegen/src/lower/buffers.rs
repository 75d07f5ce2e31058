//! Lowers `new`. Also defines functions for the parts of such phrases.

use dpia::Phrase;
use rise::core::{Form, Origin, Param};
use rise::{Address, Arg};
use syntax::ast::{AddressSpace, Name};

use super::env::{Bound, Env};
use super::store::{Store, lost};
use super::{Lower, stmt};
use crate::error::Result;
use crate::ir::{Home, Id, Stmt, StmtKind};

impl Lower<'_> {
    /// Lowers `new(t, fun(acc, exp => …))`, whose parameters stand for one new value in memory.
    pub(super) fn new_buffer(
        &mut self,
        phrase: &Phrase,
        types: &[Arg],
        f: &Phrase,
        env: &Env,
        out: &mut Vec<Stmt>,
    ) -> Result<()> {
        let (Some(Arg::Type(ty)), Some((acc, exp, body))) = (types.first(), two_params(f)) else {
            return Err(lost(phrase.origin));
        };
        let home = Home::Local(space(types.get(1)));
        let store = self.allocate(&stem(&acc.local.name), ty, home, phrase.origin);
        declare(&store, phrase.origin, out);
        let env = env
            .with(&acc.local, Bound::Store(store.clone()))
            .with(&exp.local, Bound::Store(store));
        self.command(&body, &env, out)
    }
}

/// Appends the declarations of the variables of a store.
pub(super) fn declare(store: &Store, origin: Origin, out: &mut Vec<Stmt>) {
    let mut leaves = Vec::new();
    store.leaves(&mut leaves);
    out.extend(
        leaves
            .into_iter()
            .map(|id| stmt(StmtKind::Declare(id, None), origin)),
    );
}

pub(super) fn leaf(store: &Store, origin: Origin) -> Result<Id> {
    match store {
        Store::Leaf { id, .. } => Ok(*id),
        Store::Halves(..) => Err(lost(origin)),
    }
}

/// Matches `fun(a, b => body)`; returns `None` for other phrases.
pub(super) fn two_params(f: &Phrase) -> Option<(Param, Param, Phrase)> {
    let Form::Lambda(a, rest) = &f.form else {
        return None;
    };
    let Form::Lambda(b, body) = &rest.form else {
        return None;
    };
    Some((a.clone(), b.clone(), body.clone()))
}

pub(super) fn space(arg: Option<&Arg>) -> Option<AddressSpace> {
    match arg {
        Some(Arg::Address(Address::Space(space))) => Some(*space),
        _ => None,
    }
}

/// Returns the name of a variable, given the name of its acceptor: without the suffix `Acc`, `Out`
/// or `Wr` and the digits after it, if it has such a suffix and is longer. So `accAcc1` becomes
/// `acc`; names are made unique later.
fn stem(name: &Name) -> Name {
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit());
    ["Acc", "Out", "Wr"]
        .iter()
        .find_map(|suffix| plain.strip_suffix(suffix))
        .filter(|stem| !stem.is_empty())
        .map_or_else(|| name.clone(), Name::from)
}
