//! Definitions by the numbers that strategies know them by.
//!
//! The library of strategies speaks of RISE's standard library, and is compiled without a
//! database: to strategies the standard definitions have numbers that hold for all databases.

use db::{Binding, Database, Declares, ItemId};
use elevate::lang::Programs;
use rise::Primitive;
use rise::core::{Def, Expr, Form, Mapper, Node, walk};
use syntax::GlobalId;

/// A definition as strategies know it.
pub(crate) fn renumbered(db: &Database, def: &Def<Primitive>) -> Def<Primitive> {
    with_numbers(def, &|id| {
        let item = db.item_of(id);
        if !db.is_library(db.file_of(item)) {
            return id;
        }
        match &db.header(item).declares {
            Declares::Def(name) => Programs::standard().named(name).unwrap_or(id),
            _ => id,
        }
    })
}

/// A definition as the database knows it; `item` is the one that it belongs to.
pub(crate) fn restored(db: &Database, item: ItemId, def: &Def<Primitive>) -> Def<Primitive> {
    let file = db.file_of(item);
    with_numbers(def, &|id| {
        if !Programs::is_standard(id) {
            return id;
        }
        let found = Programs::standard()
            .name(id)
            .map(|name| db.resolve(file, name));
        match found {
            Some(Binding::Def(item)) => db.global(item),
            _ => id,
        }
    })
}

fn with_numbers(def: &Def<Primitive>, number: &dyn Fn(GlobalId) -> GlobalId) -> Def<Primitive> {
    let mut def = def.clone();
    if def.uses.iter().any(|(id, _)| number(*id) != *id) {
        def.body = Renumber(number).expr(&def.body);
        for (id, _) in &mut def.uses {
            *id = number(*id);
        }
    }
    def
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
