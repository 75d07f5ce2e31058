//! The conversion of a definition to the term store of the engine, and back.

use elevate::engine::{Options, Outcome, Strategy, run};
use elevate::term::{Child, Imported, Node, Path, Store, Term, TooLarge, export, import};
use nat::{Facts, Var};
use rise::Primitive;
use rise::core::{Def, Form, Local, Mapper, Origin, Param};
use rustc_hash::FxHashMap;

use super::terms::Core;

/// A limit of work that is more than any strategy for a single definition needs, in the unit of
/// [`Options::work`].
pub(crate) const UNLIMITED: u64 = 2_000_000_000;

/// A definition in its own term store.
pub(crate) struct Program {
    pub(crate) store: Store,
    pub(crate) imported: Imported,
    /// The facts that hold for its sizes.
    pub(crate) facts: Facts,
}

impl Program {
    /// Imports a definition into a store.
    ///
    /// # Errors
    /// Fails if the definition is too large or too deeply nested.
    pub(crate) fn of(mut store: Store, def: &Def<Primitive>) -> Result<Program, TooLarge> {
        let imported = import(&mut store, def)?;
        let facts = imported.facts();
        Ok(Program {
            store,
            imported,
            facts,
        })
    }

    pub(crate) fn root(&self) -> Term {
        self.imported.root
    }

    /// Returns the size and type parameters of the definition.
    pub(crate) fn parameters(&self) -> Vec<Var> {
        let mut found: Vec<Var> = self.imported.implicit.iter().map(|(var, _)| *var).collect();
        let mut at = self.root();
        loop {
            match self.store.node(at) {
                Node::DepLambda(var, _, _, body) => {
                    found.push(var);
                    at = body;
                }
                Node::Lambda(_, body) => at = body,
                _ => return found,
            }
        }
    }

    pub(crate) fn get(&self, path: &Path) -> Option<Term> {
        self.store.get(self.root(), path)
    }

    /// Returns the terms that enclose a position, the outermost first, each with the step to the
    /// child on the path.
    pub(crate) fn around(&self, path: &Path) -> Vec<(Term, Child)> {
        let mut around = Vec::with_capacity(path.0.len());
        let mut here = self.root();
        for &step in &path.0 {
            around.push((here, step));
            match self.store.child(here, step) {
                Some(part) => here = part,
                None => break,
            }
        }
        around
    }

    /// Applies a strategy to the definition, with at most this much work.
    pub(crate) fn run(&mut self, strategy: impl Into<Strategy>, work: u64) -> Outcome {
        self.run_on(self.root(), strategy, work)
    }

    /// Applies a strategy to another right side of the definition.
    pub(crate) fn run_on(
        &mut self,
        root: Term,
        strategy: impl Into<Strategy>,
        work: u64,
    ) -> Outcome {
        let options = Options {
            facts: self.facts.clone(),
            work,
            ..Options::default()
        };
        run(&mut self.store, root, &strategy.into(), &options)
    }

    /// Exports the definition with `root` as its right side. Variables that `old`, the imported
    /// definition, binds keep their numbers.
    ///
    /// # Errors
    /// Fails if the term is larger than a program may be.
    pub(crate) fn export(
        &self,
        root: Term,
        old: &Def<Primitive>,
    ) -> Result<Def<Primitive>, TooLarge> {
        exported(&self.store, &self.imported, root, old)
    }
}

/// Exports a term of a run like `Program::export`.
///
/// # Errors
/// Fails if the term is larger than a program may be.
pub(crate) fn exported(
    store: &Store,
    imported: &Imported,
    root: Term,
    old: &Def<Primitive>,
) -> Result<Def<Primitive>, TooLarge> {
    let new = export(store, root, imported)?;
    let known: FxHashMap<_, _> = imported
        .locals
        .iter()
        .map(|(&number, &local)| (local, number))
        .collect();
    // The export numbers binders in the order of this traversal.
    let met = store
        .subterms(root)
        .filter_map(|part| match store.node(part) {
            Node::Lambda(local, _) => Some(local),
            _ => None,
        });
    let mut next = old.locals;
    let mut taken = rustc_hash::FxHashSet::default();
    let mut numbers = Vec::new();
    for local in met {
        let own = known.get(&local).copied().filter(|id| taken.insert(*id));
        numbers.push(own.unwrap_or_else(|| {
            next += 1;
            next - 1
        }));
    }
    let body = Renumber(&numbers).expr(&new.body);
    Ok(Def {
        body,
        locals: next,
        ..new
    })
}

/// Replaces the numbers of variables.
struct Renumber<'n>(&'n [u32]);

impl Renumber<'_> {
    fn local(&self, local: &Local) -> Local {
        let id = self.0.get(local.id as usize).copied();
        Local {
            id: id.unwrap_or(local.id),
            name: local.name.clone(),
        }
    }
}

impl Mapper<Primitive> for Renumber<'_> {
    fn keeps_types(&self) -> bool {
        true
    }

    fn param(&mut self, param: &Param) -> Param {
        Param {
            local: Renumber::local(self, &param.local),
            ty: param.ty.clone(),
        }
    }

    fn local(&mut self, local: &Local, ty: &rise::Ty, origin: Origin) -> Option<Core> {
        let form = Form::Var(Renumber::local(self, local));
        Some(rise::core::Node::new(form, ty.clone(), origin))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rewrites::align::Alignment;
    use crate::rewrites::{examples, rewritten};
    use syntax::ast::TermId;

    /// A definition that is imported and exported has the same text; and each part of the text has
    /// the path that the alignment gives.
    #[test]
    fn examples_come_back_unchanged() {
        let (db, files) = examples::all();
        let mut count = 0;
        for (path, file) in files {
            for &item in &*db.items(file) {
                let Some(def) = db.elaborated(item) else {
                    continue;
                };
                let program = Program::of(Store::new(), &def).expect("it is small");
                let new = program.export(program.root(), &def).expect("it is small");
                let done = rewritten(&db, item, &new, true);
                let done = done.unwrap_or_else(|error| panic!("{path}, {}: {error}", def.name));
                assert_eq!(done.text, &*db.item_text(item), "{path}");
                let parsed = db.parsed(item);
                let inference = db.inference(item);
                let alignment = Alignment::of(&parsed.item, &inference, &def);
                for id in (0..parsed.item.terms.len() as u32).map(TermId) {
                    let Some(part) = alignment.part(id) else {
                        continue;
                    };
                    let found = program.get(&Path(part.path.clone()));
                    assert!(found.is_some(), "{path}, {}: {:?}", def.name, part.path);
                    count += 1;
                }
            }
        }
        assert!(count > 1000, "only {count} parts");
    }
}
