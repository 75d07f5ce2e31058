//! Definitions of RISE in the form that strategies rewrite.
//!
//! The library of strategies refers to RISE's standard library, and is not checked in a database.
//! Therefore strategies use numbers for the definitions of the standard library that are the same
//! in all databases.

use std::sync::Arc;

use elevate::lang;
use rise::core::{Def, Expr, Form, Mapper, Node, walk};
use rise::{Env, Primitive, Resolution};
use syntax::GlobalId;
use syntax::ast::Name;

use crate::files::{FilePath, ItemId};
use crate::header::Declaration;
use crate::inputs::{Db, SourceFile, SourceItem};
use crate::scope::{Binding, programs};
use crate::types::ProgramEnv;

/// The definitions of programs that an item of a strategy file can use.
pub(crate) struct Programs<'db>(&'db dyn Db, ProgramEnv<'db>);

impl<'db> Programs<'db> {
    pub fn new(db: &'db dyn Db, item: SourceItem) -> Self {
        Programs(db, ProgramEnv::new(db, item))
    }
}

impl Env for Programs<'_> {
    fn resolve(&self, name: &str) -> Resolution {
        match self.1.resolve(name) {
            Resolution::Def(id, scheme) => Resolution::Def(to_standard(self.0, id), scheme),
            other => other,
        }
    }

    fn names(&self) -> Vec<Name> {
        self.1.names()
    }
}

/// Returns the number that strategies use for a definition of a program.
pub(crate) fn to_standard(db: &dyn Db, id: GlobalId) -> GlobalId {
    let item = SourceItem::from(ItemId::from_global(id));
    if !matches!(SourceFile::from(item.file(db)).path(db), FilePath::Std(_)) {
        return id;
    }
    match item.declares(db) {
        Declaration::Def(name) => lang::Programs::standard().named(name).unwrap_or(id),
        Declaration::Import(_) | Declaration::BrokenImport | Declaration::Nothing => id,
    }
}

/// Returns the definition of a program for a number that strategies use.
pub(crate) fn from_standard(db: &dyn Db, file: SourceFile, id: GlobalId) -> Option<GlobalId> {
    if !lang::Programs::is_standard(id) {
        return Some(id);
    }
    let name = lang::Programs::standard().name(id)?;
    match programs(db, file).library().by_name.get(name) {
        Some(item) => Some(item.global()),
        None => match programs(db, file).resolve(name) {
            Binding::Def(item) => Some(item.global()),
            _ => None,
        },
    }
}

/// Replaces the numbers of the definitions that a definition uses.
pub(crate) fn renumbered(
    def: &Def<Primitive>,
    number: &dyn Fn(GlobalId) -> GlobalId,
) -> Arc<Def<Primitive>> {
    let mut def = def.clone();
    if def.uses.iter().any(|(id, _)| number(*id) != *id) {
        def.body = Renumber(number).expr(&def.body);
        for (id, _) in &mut def.uses {
            *id = number(*id);
        }
    }
    Arc::new(def)
}

struct Renumber<'f>(&'f dyn Fn(GlobalId) -> GlobalId);

impl Mapper<Primitive> for Renumber<'_> {
    fn keeps_types(&self) -> bool {
        true
    }

    fn expr(&mut self, expr: &Expr<Primitive>) -> Expr<Primitive> {
        match &expr.form {
            Form::Global(id, args) => {
                let form = Form::Global((self.0)(*id), args.clone());
                Node::new(form, expr.ty.clone(), expr.origin)
            }
            _ => walk(self, expr),
        }
    }
}
