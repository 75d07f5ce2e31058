//! Converts checked definitions to terms.

use nat::{Facts, Prop, Var};
use rise::Primitive;
use rise::core::{Def, Expr, Form, Launch, Origin, Site, without_compositions};
use rise::subst::{rename, rename_arg, rename_prop};
use rise::types::{Arg, Pi, Ty, Type};
use rustc_hash::FxHashMap;
use syntax::GlobalId;
use syntax::ast::{Kind, Name};

use super::path::Path;
use super::store::{Local, Store, Term};
use super::types::TyId;

/// A definition that is imported into a store.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The name of the definition.
    pub name: Name,
    /// The right side, without the implicit parameters of the definition, and with applied
    /// compositions reduced.
    pub root: Term,
    /// The type of the right side in the definition. The type of `root` may contain equal sizes in
    /// another form.
    pub ty: TyId,
    /// The implicit parameters.
    pub implicit: Vec<(Var, Kind)>,
    /// The conditions on sizes that the definition assumes.
    pub obligations: Vec<Prop>,
    /// The propositions that hold for the sizes in every iteration of an `iterate`.
    pub of_rounds: Vec<Prop>,
    /// The launch configuration.
    pub launch: Launch,
    /// The positions of the parameters that are updated in place, counted among the values.
    pub inout: Box<[usize]>,
    /// The type-level variables in the store, by their numbers in the definition.
    pub vars: Vec<Var>,
    /// The variables for values in the store, by their numbers in the definition. Variables that do
    /// not occur in it are missing.
    pub locals: FxHashMap<u32, Local>,
    /// The definitions that it uses, with their names.
    pub uses: Vec<(GlobalId, Name)>,
    /// The places in the text of the definition, by origin.
    pub sites: Box<[Site]>,
    /// The origin of each node of `root` in pre-order, functions before arguments.
    pub(super) origins: Vec<Origin>,
}

/// The error for a definition or term that exceeds a limit on its size or height.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooLarge;

impl Imported {
    /// Returns the facts about sizes that follow from `obligations` and `of_rounds`.
    pub fn facts(&self) -> Facts {
        let mut facts = Facts::new();
        for prop in self.obligations.iter().chain(&self.of_rounds) {
            facts.assume(prop);
        }
        facts
    }

    /// Returns the place in the text of the subterm of `root` at a path; `None` if there is no such
    /// subterm or no known place.
    pub fn site(&self, store: &Store, path: &Path) -> Option<Site> {
        let mut at = 0;
        let mut here = self.root;
        for step in &path.0 {
            at += 1;
            if *step == super::Child::Argument {
                let function = store.child(here, super::Child::Function)?;
                at += store.size(function) as usize;
            }
            here = store.child(here, *step)?;
        }
        let origin = self.origins.get(at)?;
        self.sites.get(origin.0 as usize).copied()
    }

    /// Visits every subterm of `root` with its path and its place in the text, in pre-order,
    /// functions before arguments.
    pub fn visit(&self, store: &Store, visit: &mut dyn FnMut(&Path, Term, Option<Site>)) {
        let mut next = vec![(Path::ROOT, self.root)];
        for origin in &self.origins {
            let Some((path, term)) = next.pop() else {
                return;
            };
            visit(&path, term, self.sites.get(origin.0 as usize).copied());
            let children: Vec<_> = store.children(term).collect();
            let later = children.into_iter().rev();
            next.extend(later.map(|(child, term)| (path.then(child), term)));
        }
    }
}

/// Imports a definition into a store. Its variables are renumbered, and applied compositions are
/// reduced.
///
/// # Errors
/// The definition is too large or too deep, the store [is too deep](Store::is_too_deep), or a
/// primitive lacks type-level arguments.
pub fn import(store: &mut Store, def: &Def<Primitive>) -> Result<Imported, TooLarge> {
    let vars: Vec<Var> = (def.names.0.iter())
        .map(|name| store.fresh_var(name.clone()))
        .collect();
    for (id, name) in &def.uses {
        store.name_global(*id, name.clone());
    }
    let mut importer = Importer {
        store,
        vars: &vars,
        types: FxHashMap::default(),
        locals: FxHashMap::default(),
        origins: Vec::new(),
    };
    let root = importer.expr(&without_compositions(&def.body), 0)?;
    let ty = importer.ty(&def.body.ty);
    let (locals, origins) = (importer.locals, importer.origins);
    if store.is_too_deep() || origins.len() as u64 > super::MAX_SIZE {
        return Err(TooLarge);
    }
    let var = |v: Var| vars.get(v.0 as usize).copied().unwrap_or(v);
    let props = |props: &[Prop]| props.iter().map(|prop| rename_prop(prop, &var)).collect();
    let size = |n: &Option<nat::Nat>| {
        let renamed = n.as_ref().map(|n| rename_arg(&Arg::Nat(n.clone()), &var));
        match renamed {
            Some(Arg::Nat(n)) => Some(n),
            _ => None,
        }
    };
    Ok(Imported {
        name: def.name.clone(),
        root,
        ty,
        implicit: def
            .implicit
            .iter()
            .map(|(v, kind)| (var(*v), *kind))
            .collect(),
        obligations: props(&def.obligations),
        of_rounds: props(&def.of_rounds),
        inout: def.inout.clone(),
        launch: Launch {
            local: def.launch.local.each_ref().map(size),
            global: def.launch.global.each_ref().map(size),
        },
        vars,
        locals,
        uses: def.uses.to_vec(),
        sites: def.sites.clone(),
        origins,
    })
}

struct Importer<'a> {
    store: &'a mut Store,
    vars: &'a [Var],
    types: FxHashMap<Ty, TyId>,
    locals: FxHashMap<u32, Local>,
    origins: Vec<Origin>,
}

impl Importer<'_> {
    fn expr(&mut self, expr: &Expr<Primitive>, depth: u32) -> Result<Term, TooLarge> {
        if depth > super::MAX_HEIGHT {
            return Err(TooLarge);
        }
        let (depth, origin) = (depth + 1, expr.origin);
        if let Form::Primitive(_, _, args) | Form::Foreign(_, args) = &expr.form {
            // There is a node for each application, and one for the head.
            self.origins.extend((0..=args.len()).map(|_| origin));
        } else {
            self.origins.push(origin);
        }
        Ok(match &expr.form {
            Form::Var(local) => {
                let ty = self.ty(&expr.ty);
                let local = self.local(local, ty);
                self.store.var(local)
            }
            Form::Literal(literal) => {
                let ty = self.ty(&expr.ty);
                self.store.literal(literal, ty)
            }
            Form::Nat(nat) => match self.arg(&Arg::Nat(nat.clone())) {
                Arg::Nat(nat) => self.store.nat(&nat),
                _ => self.store.nat(nat),
            },
            Form::Lambda(param, body) => {
                let ty = self.ty(&param.ty);
                let local = self.local(&param.local, ty);
                let body = self.expr(body, depth)?;
                self.store.lambda(local, body)
            }
            Form::DepLambda(var, kind, body) => {
                let implicit = matches!(&*expr.ty, Type::Pi(Pi { implicit: true, .. }));
                let body = self.expr(body, depth)?;
                let var = self.var(*var);
                self.store.dep_lambda(var, *kind, implicit, body)
            }
            Form::Apply(f, x) => {
                let f = self.expr(f, depth)?;
                let x = self.expr(x, depth)?;
                self.store.apply(f, x)
            }
            Form::DepApply(f, arg) => {
                let f = self.expr(f, depth)?;
                let arg = self.arg(arg);
                let arg = self.store.intern_arg(&arg);
                self.store.dep_apply(f, arg)
            }
            Form::Primitive(primitive, types, args) => {
                let types: Vec<Arg> = types.iter().map(|arg| self.arg(arg)).collect();
                let head = self.store.primitive(*primitive, &types).ok_or(TooLarge)?;
                self.spine(head, args, depth)?
            }
            Form::Foreign(function, args) => {
                let head = self.store.foreign(function);
                self.spine(head, args, depth)?
            }
            Form::Global(id, args) => {
                let args: Vec<Arg> = args.iter().map(|arg| self.arg(arg)).collect();
                let ty = self.ty(&expr.ty);
                self.store.global(*id, &args, ty)
            }
        })
    }

    fn spine(
        &mut self,
        head: Term,
        args: &[Expr<Primitive>],
        depth: u32,
    ) -> Result<Term, TooLarge> {
        args.iter().try_fold(head, |f, arg| {
            let x = self.expr(arg, depth)?;
            Ok(self.store.apply(f, x))
        })
    }

    fn var(&self, var: Var) -> Var {
        self.vars.get(var.0 as usize).copied().unwrap_or(var)
    }

    fn arg(&self, arg: &Arg) -> Arg {
        rename_arg(arg, &|v| self.var(v))
    }

    fn ty(&mut self, ty: &Ty) -> TyId {
        if let Some(&known) = self.types.get(ty) {
            return known;
        }
        let renamed = rename(ty, &|v| self.var(v));
        let id = self.store.intern_ty(&renamed);
        self.types.insert(ty.clone(), id);
        id
    }

    fn local(&mut self, local: &rise::core::Local, ty: TyId) -> Local {
        if let Some(&known) = self.locals.get(&local.id) {
            return known;
        }
        let new = self.store.fresh_local(local.name.clone(), ty);
        self.locals.insert(local.id, new);
        new
    }
}
