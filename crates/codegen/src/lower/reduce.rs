//! Lowers parallel reductions.

use dpia::Phrase;
use nat::Nat;
use rise::Arg;
use rise::core::Form;
use syntax::ast::Name;

use super::buffers::{leaf, two_params};
use super::env::{Bound, Env, Path};
use super::read::nat_arg;
use super::store::{Store, lost};
use super::{Lower, stmt};
use crate::error::{CompileError, Result};
use crate::ir::{Expr, Home, ParallelReduce, Stmt, StmtKind};

impl Lower<'_> {
    /// Lowers `parReduce(n, acc, exp, combine, element)`, and assigns its result to the acceptor.
    pub(super) fn parallel_reduce(
        &mut self,
        phrase: &Phrase,
        types: &[Arg],
        [acc, exp, combine, element]: [&Phrase; 4],
        env: &Env,
        out: &mut Vec<Stmt>,
    ) -> Result<()> {
        let origin = phrase.origin;
        let (Some(Arg::Type(ty)), Some((index, place, value))) =
            (types.first(), two_params(element))
        else {
            return Err(lost(origin));
        };
        if rise::types::contains_array(ty) {
            let text = "`reducePar` combines single values, and the values here are arrays";
            return Err(CompileError::new(origin, text)
                .with_help("use `reduceSeq`, or reduce single values inside of `mapPar`"));
        }
        let plain = |lower: &mut Self, name: &str| {
            let home = Home::Local(None);
            lower.allocate_whole(&Name::from(name), ty, home, origin)
        };
        let into = plain(self, "total");
        let left = plain(self, "left");
        let right = plain(self, "right");
        let part = plain(self, "element");
        let ids = [&into, &left, &right, &part].map(|store| leaf(store, origin));
        let [into_id, left_id, right_id, part_id] = ids;
        let (into_id, part_id) = (into_id?, part_id?);
        let initial = self.lower_value(exp, env, out)?;
        out.push(stmt(StmtKind::Declare(into_id, Some(initial)), origin));

        let counter = self.function.fresh_size(&index.local.name);
        let count = nat_arg(types, 1);
        let mut element_body = Vec::new();
        let inner = env
            .with(&index.local, Bound::Index(Nat::var(counter)))
            .with(&place.local, Bound::Store(part));
        self.within(counter, &Nat::constant(0), &count, |lower| {
            lower.command(&value, &inner, &mut element_body)
        })?;
        let mut combined = Vec::new();
        self.combine(combine, &left, &right, env, &mut combined)?;
        let reduce = ParallelReduce {
            counter,
            count,
            into: into_id,
            element_body,
            element: part_id,
            combine: combined,
            left: left_id?,
            right: right_id?,
        };
        out.push(stmt(StmtKind::Reduce(Box::new(reduce)), origin));
        let value = Expr::variable(into_id, ty.clone(), origin);
        let place = self.place(acc, Path::new(), env)?;
        self.assign(place, value, origin, out)
    }

    /// Appends the statements for `left = f(left, right)`.
    fn combine(
        &mut self,
        f: &Phrase,
        left: &Store,
        right: &Store,
        env: &Env,
        out: &mut Vec<Stmt>,
    ) -> Result<()> {
        let (Some((acc, a, rest)), origin) = (two_params(f), f.origin) else {
            return Err(lost(f.origin));
        };
        let Form::Lambda(b, body) = &rest.form else {
            return Err(lost(origin));
        };
        let env = env
            .with(&acc.local, Bound::Store(left.clone()))
            .with(&a.local, Bound::Store(left.clone()))
            .with(&b.local, Bound::Store(right.clone()));
        self.command(body, &env, out)
    }
}
