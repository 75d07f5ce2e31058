//! Linking, which inlines the definitions that a definition uses and so makes a closed program.

use std::sync::Arc;

use nat::Var;
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::GlobalId;
use syntax::ast::Name;

use super::mapper::{Mapper, walk};
use super::{Def, Expr, Foreign, Form, Local, Node, Origin, Param, Program, Source};
use super::{apply, dep_apply, dep_lambda, lambda, simplify_sizes};
use crate::subst::{rename, rename_arg, rename_prop, subst, subst_arg, subst_prop};
use crate::types::{Arg, Pi, Ty, Type, var_arg};

/// The greatest number of nodes of a program.
pub const MAX_NODES: u64 = 1_000_000;
/// The greatest depth of a program. Passes may recurse to this depth on the stack of the compiler's
/// threads.
pub const MAX_HEIGHT: u32 = 4_000;

/// An error of linking.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// The definition to link has errors or does not exist.
    #[error("the definition has errors")]
    Broken,
    /// A used definition has errors or does not exist.
    #[error("`{user}` uses `{name}`, which has errors")]
    BrokenUse {
        /// The definition that contains the use.
        user: Name,
        /// The name of the used definition.
        name: Name,
        /// The identity of the used definition.
        id: GlobalId,
    },
    /// A definition uses itself, directly or indirectly.
    #[error("`{name}` is defined in terms of itself")]
    Recursive {
        /// The name of the definition.
        name: Name,
    },
    /// The linked program has more than [`MAX_NODES`] nodes.
    #[error(
        "`{name}` is too large: with the definitions that it uses inlined, it has more \
         than {MAX_NODES} parts"
    )]
    TooLarge {
        /// The name of the first definition that is too large, in the order of dependencies.
        name: Name,
    },
    /// The linked program nests deeper than [`MAX_HEIGHT`].
    #[error(
        "`{name}` nests too deeply: with the definitions that it uses inlined, it has more \
         than {MAX_HEIGHT} levels"
    )]
    TooDeep {
        /// The name of the first definition that nests too deeply, in the order of dependencies.
        name: Name,
    },
}

/// Inlines the definitions that `root` uses, directly or indirectly.
///
/// Every binder of the program has a unique number, however often a definition is used. The body is
/// eta-expanded: it starts with a function for each parameter of its type, implicit ones included.
///
/// # Errors
/// Fails if a definition has errors, does not exist or depends on itself, and if the program
/// exceeds `MAX_NODES` or `MAX_HEIGHT`.
pub fn link<P: Clone + PartialEq>(
    root: GlobalId,
    lookup: &dyn Fn(GlobalId) -> Option<Arc<Def<P>>>,
) -> Result<Program<P>, LinkError> {
    let defs = collect(root, lookup)?;
    let Some(def) = defs.get(&root) else {
        return Err(LinkError::Broken);
    };
    let mut linker = Linker {
        defs: &defs,
        program: Program {
            name: def.name.clone(),
            body: def.body.clone(),
            obligations: def.obligations.to_vec(),
            facts: def.of_rounds.to_vec(),
            names: def.names.0.to_vec(),
            origins: sources(def, None, None),
            next_local: def.locals,
            launch: def.launch.clone(),
            inout: def.inout.clone(),
        },
    };
    let body = Instance::root(&mut linker).expr(&def.body);
    let mut program = linker.program;
    let whole = |body, &(var, kind): &(Var, _)| dep_lambda(var, kind, true, body);
    let body = def.implicit.iter().rev().fold(body, whole);
    program.body = expand(&mut program, body);
    simplify_sizes(&mut program);
    Ok(program)
}

/// Returns `root` and the definitions that it depends on. Checks the limits for each in post-order,
/// and that none depends on itself.
fn collect<P>(
    root: GlobalId,
    lookup: &dyn Fn(GlobalId) -> Option<Arc<Def<P>>>,
) -> Result<FxHashMap<GlobalId, Arc<Def<P>>>, LinkError> {
    enum Visit {
        Enter(GlobalId),
        Leave(GlobalId),
    }
    let mut defs: FxHashMap<GlobalId, Arc<Def<P>>> = FxHashMap::default();
    let mut sizes: FxHashMap<GlobalId, InlinedSize> = FxHashMap::default();
    let mut open: FxHashSet<GlobalId> = FxHashSet::default();
    defs.insert(root, lookup(root).ok_or(LinkError::Broken)?);
    let mut steps = vec![Visit::Enter(root)];
    while let Some(step) = steps.pop() {
        match step {
            Visit::Enter(id) => {
                let def = defs[&id].clone();
                if sizes.contains_key(&id) {
                    continue;
                }
                if !open.insert(id) {
                    return Err(LinkError::Recursive {
                        name: def.name.clone(),
                    });
                }
                steps.push(Visit::Leave(id));
                for (used, name) in def.uses.iter().rev() {
                    let broken = || LinkError::BrokenUse {
                        user: def.name.clone(),
                        name: name.clone(),
                        id: *used,
                    };
                    if !defs.contains_key(used) {
                        defs.insert(*used, lookup(*used).ok_or_else(broken)?);
                    }
                    steps.push(Visit::Enter(*used));
                }
            }
            Visit::Leave(id) => {
                open.remove(&id);
                let size = measure(&defs[&id].body, &sizes);
                size.check(&defs[&id].name)?;
                sizes.insert(id, size);
            }
        }
    }
    Ok(defs)
}

/// The size of an expression after inlining.
#[derive(Clone, Copy)]
struct InlinedSize {
    nodes: u64,
    height: u32,
}

impl InlinedSize {
    fn check(self, name: &Name) -> Result<(), LinkError> {
        let name = name.clone();
        if self.height > MAX_HEIGHT {
            Err(LinkError::TooDeep { name })
        } else if self.nodes > MAX_NODES {
            Err(LinkError::TooLarge { name })
        } else {
            Ok(())
        }
    }
}

fn measure<P>(expr: &Expr<P>, known: &FxHashMap<GlobalId, InlinedSize>) -> InlinedSize {
    let mut below = InlinedSize {
        nodes: 0,
        height: 0,
    };
    let mut add = |part: InlinedSize| {
        below.nodes = below.nodes.saturating_add(part.nodes);
        below.height = below.height.max(part.height);
    };
    match &expr.form {
        Form::Global(id, _) => add(known.get(id).copied().unwrap_or(InlinedSize {
            nodes: 0,
            height: 0,
        })),
        form => form.children().for_each(|child| add(measure(child, known))),
    }
    InlinedSize {
        nodes: below.nodes.saturating_add(1),
        height: below.height.saturating_add(1),
    }
}

fn sources<P>(def: &Def<P>, id: Option<GlobalId>, used_at: Option<Origin>) -> Vec<Source> {
    let source = |site: &super::Site| Source {
        def: id,
        span: site.span,
        head: site.head,
        used_at,
    };
    def.sites.iter().map(source).collect()
}

struct Linker<'d, P> {
    defs: &'d FxHashMap<GlobalId, Arc<Def<P>>>,
    program: Program<P>,
}

/// An instance of a definition: the numbers of its variables, locals and origins are shifted behind
/// those in the program so far, and arguments are substituted for its type-level parameters.
struct Instance<'l, 'd, P> {
    linker: &'l mut Linker<'d, P>,
    id: Option<GlobalId>,
    vars: u32,
    locals: u32,
    origins: u32,
    values: FxHashMap<Var, Arg>,
    /// A memo table of the types that are translated so far, because many nodes share a type: maps
    /// the address of the original type to the original and the translated one.
    types: FxHashMap<*const Type, (Ty, Ty)>,
}

impl<'l, 'd, P: Clone + PartialEq> Instance<'l, 'd, P> {
    /// Makes the instance of the program's own definition, whose numbers stay.
    fn root(linker: &'l mut Linker<'d, P>) -> Self {
        Instance {
            linker,
            id: None,
            vars: 0,
            locals: 0,
            origins: 0,
            values: FxHashMap::default(),
            types: FxHashMap::default(),
        }
    }

    fn of(
        linker: &'l mut Linker<'d, P>,
        id: GlobalId,
        def: &Def<P>,
        values: Vec<(Var, Arg)>,
        used_at: Origin,
    ) -> Self {
        let program = &mut linker.program;
        let vars = u32::try_from(program.names.len()).unwrap_or(u32::MAX);
        let origins = u32::try_from(program.origins.len()).unwrap_or(u32::MAX);
        let locals = program.next_local;
        program.names.extend(def.names.0.iter().cloned());
        program
            .origins
            .extend(sources(def, Some(id), Some(used_at)));
        program.next_local += def.locals;
        let values = values
            .into_iter()
            .map(|(var, arg)| (Var(vars + var.0), arg))
            .collect();
        let place = Instance {
            linker,
            id: Some(id),
            vars,
            locals,
            origins,
            values,
            types: FxHashMap::default(),
        };
        for prop in def.obligations.iter().chain(&def.of_rounds) {
            let prop = rename_prop(prop, &|v| place.var(v));
            let fact = subst_prop(&prop, &|v| place.values.get(&v).cloned());
            place.linker.program.facts.push(fact);
        }
        place
    }

    /// Inlines a definition at its use `name`. `given` are the type-level arguments that are
    /// applied to the name.
    fn used(&mut self, name: &Expr<P>, mut given: Vec<Arg>) -> Expr<P> {
        let origin = self.origin(name.origin);
        let Form::Global(id, args) = &name.form else {
            return name.clone();
        };
        let defs = self.linker.defs;
        let Some(def) = defs.get(id) else {
            return name.clone();
        };
        let implicit = def.implicit.iter().map(|(var, _)| *var);
        let mut values: Vec<(Var, Arg)> =
            implicit.zip(args.iter().map(|arg| self.arg(arg))).collect();
        // Inference has substituted these arguments in the type of the name already.
        let mut body = &def.body;
        let mut left = given.drain(..);
        while let Form::DepLambda(var, _, inner) = &body.form
            && let Some(arg) = left.next()
        {
            values.push((*var, arg));
            body = inner;
        }
        let body = Instance::of(self.linker, *id, def, values, origin).expr(body);
        left.fold(body, |f, arg| dep_apply(&f, arg, origin))
    }

    fn is_root(&self) -> bool {
        self.id.is_none()
    }

    fn var(&self, var: Var) -> Var {
        Var(self.vars + var.0)
    }

    fn moved(&self, local: &Local) -> Local {
        Local {
            id: self.locals + local.id,
            name: local.name.clone(),
        }
    }
}

impl<P: Clone + PartialEq> Mapper<P> for Instance<'_, '_, P> {
    fn local(&mut self, local: &Local, ty: &Ty, origin: Origin) -> Option<Expr<P>> {
        (!self.is_root()).then(|| Node::new(Form::Var(self.moved(local)), ty.clone(), origin))
    }

    fn param(&mut self, param: &Param) -> Param {
        Param {
            local: self.moved(&param.local),
            ty: self.ty(&param.ty),
        }
    }

    fn binder(&mut self, var: Var) -> Var {
        self.var(var)
    }

    fn ty(&mut self, ty: &Ty) -> Ty {
        if self.is_root() {
            return ty.clone();
        }
        if let Some((_, known)) = self.types.get(&Arc::as_ptr(ty)) {
            return known.clone();
        }
        let moved = rename(ty, &|v| self.var(v));
        let moved = subst(&moved, &|v| self.values.get(&v).cloned());
        // The old type is kept alive, so that its address is not reused.
        self.types
            .insert(Arc::as_ptr(ty), (ty.clone(), moved.clone()));
        moved
    }

    fn arg(&mut self, arg: &Arg) -> Arg {
        if self.is_root() {
            return arg.clone();
        }
        let moved = rename_arg(arg, &|v| self.var(v));
        subst_arg(&moved, &|v| self.values.get(&v).cloned())
    }

    fn nat(&mut self, nat: &nat::Nat) -> nat::Nat {
        match self.arg(&Arg::Nat(nat.clone())) {
            Arg::Nat(nat) => nat,
            _ => nat.clone(),
        }
    }

    fn origin(&mut self, origin: Origin) -> Origin {
        Origin(self.origins + origin.0)
    }

    fn expr(&mut self, expr: &Expr<P>) -> Expr<P> {
        match &expr.form {
            Form::Global(..) => self.used(expr, Vec::new()),
            Form::Foreign(function, args) => {
                let args = args.iter().map(|arg| self.expr(arg)).collect();
                let function = Arc::new(Foreign {
                    id: self.id,
                    ..(**function).clone()
                });
                let ty = self.ty(&expr.ty);
                Node::new(Form::Foreign(function, args), ty, self.origin(expr.origin))
            }
            Form::Apply(f, x) => {
                // The inlined callee may be a primitive that takes the argument.
                let (f, x) = (self.expr(f), self.expr(x));
                apply(&f, x, self.origin(expr.origin))
            }
            Form::DepApply(..) => {
                let mut args = Vec::new();
                let mut head = expr;
                while let Form::DepApply(f, arg) = &head.form {
                    args.push(self.arg(arg));
                    head = f;
                }
                args.reverse();
                let origin = self.origin(expr.origin);
                if matches!(head.form, Form::Global(..)) {
                    return self.used(head, args);
                }
                let head = self.expr(head);
                let apply = |f, arg| dep_apply(&f, arg, origin);
                args.into_iter().fold(head, apply)
            }
            _ => walk(self, expr),
        }
    }
}

/// Eta-expands the body over each parameter of its type.
fn expand<P: Clone + PartialEq>(program: &mut Program<P>, body: Expr<P>) -> Expr<P> {
    let origin = body.origin;
    let implicit = matches!(&*body.ty, Type::Pi(Pi { implicit: true, .. }));
    match (&body.form, &*body.ty) {
        (Form::Lambda(param, inner), _) => {
            let inner = expand(program, inner.clone());
            Node::new(
                lambda(param.clone(), inner).form.clone(),
                body.ty.clone(),
                origin,
            )
        }
        (Form::DepLambda(var, kind, inner), _) => {
            let inner = expand(program, inner.clone());
            let whole = dep_lambda(*var, *kind, implicit, inner);
            Node::new(whole.form.clone(), body.ty.clone(), origin)
        }
        (_, Type::Fun(input, _)) => {
            let name = match &**input {
                Type::Array(..) | Type::DepArray(..) => "xs",
                Type::Fun(..) | Type::Pi(_) => "f",
                _ => "x",
            };
            let param = Param {
                local: program.fresh_local(name),
                ty: input.clone(),
            };
            let inner = apply(&body, Node::var(&param, origin), origin);
            lambda(param, expand(program, inner))
        }
        (_, Type::Pi(pi)) => {
            let var = program.fresh_var(program.name_of(pi.var));
            let inner = dep_apply(&body, var_arg(var, pi.kind), origin);
            dep_lambda(var, pi.kind, implicit, expand(program, inner))
        }
        _ => body,
    }
}
