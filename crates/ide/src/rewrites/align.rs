//! The alignment of a definition's syntax tree with its core term.
//!
//! Elaboration translates the tree from the root down; the alignment repeats this traversal on both
//! the tree and the core term. It finds every part of the text that is a term, also the `map(f)` of
//! `xs |> map(f)`, which has no node of its own in the term but is the function of the application.

use elevate::term::Child;
use nat::Var;
use rise::core::{Def, Form, Param};
use rise::{Inference, Primitive, TermInfo, Type};
use syntax::ast::{BinaryOp, BinderId, Item, ItemKind, TermId, TermKind};

use super::terms::{Core, strip};

/// The term of a part of the text.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) core: Core,
    /// The path from the root of the definition's term. For an applied composition it is the path
    /// of the application, because `f >> g` itself does not occur in `g(f(x))`.
    pub(crate) path: Vec<Child>,
    /// True if the part is a composition that is applied.
    pub(crate) applied: bool,
}

/// The core terms of the parts of a definition's text, and the variables of its binders.
pub(crate) struct Alignment {
    parts: Vec<Option<Part>>,
    /// The variable and type of each binder of a value.
    params: Vec<Option<Param>>,
    /// The variable of each type-level binder.
    vars: Vec<Option<Var>>,
}

impl Alignment {
    /// Aligns the tree of a definition with its core term.
    pub(crate) fn of(item: &Item, inference: &Inference, def: &Def<Primitive>) -> Alignment {
        let mut alignment = Alignment {
            parts: vec![None; item.terms.len()],
            params: vec![None; item.binders.len()],
            vars: vec![None; item.binders.len()],
        };
        if let ItemKind::Def { body, .. } = item.kind {
            let mut walk = Walk {
                item,
                inference,
                implied: item.implied_terms(),
                alignment: &mut alignment,
            };
            walk.term(body, def.body.clone(), Vec::new());
        }
        alignment
    }

    /// Returns the term of a part of the text with its path; `None` for types, sizes and parts that
    /// the alignment does not enter.
    pub(crate) fn part(&self, term: TermId) -> Option<&Part> {
        self.parts.get(term.0 as usize)?.as_ref()
    }

    pub(crate) fn core(&self, term: TermId) -> Option<&Core> {
        Some(&self.part(term)?.core)
    }

    pub(crate) fn param(&self, binder: BinderId) -> Option<&Param> {
        self.params.get(binder.0 as usize)?.as_ref()
    }
}

struct Walk<'a> {
    item: &'a Item,
    inference: &'a Inference,
    /// The terms of the item that correspond to no text of their own.
    implied: Vec<TermId>,
    alignment: &'a mut Alignment,
}

impl Walk<'_> {
    fn set(&mut self, term: TermId, core: &Core, path: &[Child]) {
        self.alignment.parts[term.0 as usize] = Some(Part {
            core: core.clone(),
            path: path.to_vec(),
            applied: false,
        });
    }

    fn is_pattern(&self, binder: syntax::ast::BinderId) -> bool {
        self.item.binder(binder).parts.is_some()
    }

    fn term(&mut self, id: TermId, mut core: Core, mut path: Vec<Child>) {
        let item = self.item;
        // Abstractions over implicit parameters, and others that are left out, do not occur in the
        // text.
        while let (Form::DepLambda(_, _, body), Type::Pi(pi)) = (&core.form, &*core.ty)
            && (pi.implicit || self.inference.leaves_out_dep_fun(id))
        {
            path.push(Child::Body);
            core = body.clone();
        }
        // Functions that parameters left of `=` imply have no text of their own.
        if !self.implied.contains(&id) {
            self.set(id, &core, &path);
        }
        match &item.term(id).kind {
            TermKind::Paren(inner) | TermKind::Ascribe { term: inner, .. } => {
                self.term(*inner, core, path);
            }
            TermKind::Apply { .. } => self.spine(id, core, path),
            TermKind::Binary { op, lhs, rhs, .. } => match op {
                BinaryOp::Pipe | BinaryOp::ApplyLeft => self.spine(id, core, path),
                BinaryOp::Then => self.compose([*lhs, *rhs], &core, below(&path, &[Child::Body])),
                BinaryOp::After => self.compose([*rhs, *lhs], &core, below(&path, &[Child::Body])),
                _ => self.values(&[*lhs, *rhs], core, path),
            },
            TermKind::Unary { operand, .. } => self.values(&[*operand], core, path),
            TermKind::Project { pair, .. } => self.values(&[*pair], core, path),
            TermKind::Pair(a, b) => self.values(&[*a, *b], core, path),
            // The core term uses other variables in the body, so none of its text can be kept.
            TermKind::Fun { params, .. }
                if self.inference.patterns.contains(&id)
                    || params.iter().any(|&param| self.is_pattern(param)) => {}
            TermKind::Let { binder, .. } if self.is_pattern(*binder) => {}
            kind @ (TermKind::Fun { params, body, .. } | TermKind::DepFun { params, body }) => {
                let is_dependent = matches!(kind, TermKind::DepFun { .. });
                self.function(is_dependent, params, *body, core, path);
            }
            TermKind::Let {
                binder,
                value,
                body,
            } => self.let_in(*binder, *value, *body, core, path),
            TermKind::Local {
                binder,
                function,
                body,
                ..
            } => self.let_in(*binder, *function, *body, core, path),
            _ => {}
        }
    }

    /// Aligns the arguments of a primitive that is applied to all of them.
    fn values(&mut self, terms: &[TermId], mut core: Core, mut path: Vec<Child>) {
        for &term in terms.iter().rev() {
            let Some((f, x)) = strip(&core) else { return };
            self.term(term, x, below(&path, &[Child::Argument]));
            path.push(Child::Function);
            core = f;
        }
    }

    /// Aligns the spine of an application with its pipes, from the last argument to the head.
    fn spine(&mut self, id: TermId, mut core: Core, mut path: Vec<Child>) {
        let item = self.item;
        let mut at = id;
        // A prefix of the spine that lacks size arguments has no term.
        let mut whole = true;
        loop {
            if at != id && whole {
                self.set(at, &core, &path);
            }
            let (callee, args): (TermId, &[TermId]) = match &item.term(at).kind {
                TermKind::Apply { callee, args } => (*callee, args),
                TermKind::Binary {
                    op: BinaryOp::Pipe,
                    lhs,
                    rhs,
                    ..
                } => (*rhs, std::slice::from_ref(lhs)),
                TermKind::Binary {
                    op: BinaryOp::ApplyLeft,
                    lhs,
                    rhs,
                    ..
                } => (*lhs, std::slice::from_ref(rhs)),
                TermKind::Paren(inner) if is_spine(item, *inner) => {
                    at = *inner;
                    continue;
                }
                TermKind::Name(_) | TermKind::Operator(_) => return,
                _ => return self.term(at, core, path),
            };
            for (place, &arg) in args.iter().enumerate().rev() {
                let is_value = matches!(
                    self.inference.terms.get(arg.0 as usize),
                    Some(TermInfo::Expr(_))
                );
                while let Form::DepApply(f, _) = &core.form
                    && implicit(f)
                {
                    core = f.clone();
                    path.push(Child::Function);
                }
                whole &= is_value;
                match (&core.form, is_value) {
                    (Form::DepApply(f, _), false) => {
                        core = f.clone();
                        path.push(Child::Function);
                    }
                    // An argument of a primitive's own syntax.
                    (_, false) => {}
                    (_, true) => {
                        let Some((f, x)) = strip(&core) else { return };
                        let stages = if place == 0 { stages(item, callee) } else { 1 };
                        let way = vec![Child::Argument; stages];
                        self.term(arg, x, below(&path, &way));
                        if stages > 1 {
                            return self.stage(callee, &f, path);
                        }
                        path.push(Child::Function);
                        core = f;
                    }
                }
            }
            at = callee;
        }
    }

    /// Aligns `first >> second`, which is `fun(x => second(first(x)))` with its body at `place`.
    fn compose(&mut self, [first, second]: [TermId; 2], core: &Core, place: Vec<Child>) {
        let Form::Lambda(_, body) = &core.form else {
            return;
        };
        let Some((g, inner)) = strip(body) else {
            return;
        };
        let Some((f, _)) = strip(&inner) else { return };
        let way = vec![Child::Argument; stages(self.item, second)];
        self.stage(first, &f, below(&place, &way));
        self.stage(second, &g, place);
    }

    /// Aligns a stage of a composition; `place` is the path of the application of the stage. A
    /// stage that is itself a composition is no function in the term; only its own stages are.
    fn stage(&mut self, id: TermId, core: &Core, place: Vec<Child>) {
        if stages(self.item, id) == 1 {
            return self.term(id, core.clone(), below(&place, &[Child::Function]));
        }
        self.set(id, core, &place);
        if let Some(part) = &mut self.alignment.parts[id.0 as usize] {
            part.applied = true;
        }
        match &self.item.term(id).kind {
            TermKind::Paren(inner) | TermKind::Ascribe { term: inner, .. } => {
                self.stage(*inner, core, place);
            }
            TermKind::Binary { op, lhs, rhs, .. } => match op {
                BinaryOp::After => self.compose([*rhs, *lhs], core, place),
                _ => self.compose([*lhs, *rhs], core, place),
            },
            _ => {}
        }
    }

    fn function(
        &mut self,
        is_dependent: bool,
        params: &[BinderId],
        body: TermId,
        mut core: Core,
        mut path: Vec<Child>,
    ) {
        for &binder in params {
            let inner = match &core.form {
                Form::Lambda(param, inner) if !is_dependent => {
                    self.alignment.params[binder.0 as usize] = Some(param.clone());
                    inner.clone()
                }
                Form::DepLambda(var, _, inner) if is_dependent => {
                    self.alignment.vars[binder.0 as usize] = Some(*var);
                    inner.clone()
                }
                _ => return,
            };
            path.push(Child::Body);
            core = inner;
        }
        self.term(body, core, path);
    }

    fn let_in(
        &mut self,
        binder: BinderId,
        value: TermId,
        body: TermId,
        core: Core,
        path: Vec<Child>,
    ) {
        let (bound, function, to_value, to_function): (Core, Core, &[Child], &[Child]) =
            match &core.form {
                Form::Apply(f, x) => (x.clone(), f.clone(), &[Child::Argument], &[Child::Function]),
                Form::Primitive(Primitive::Let, _, args) if let [value, f] = &**args => (
                    value.clone(),
                    f.clone(),
                    &[Child::Function, Child::Argument],
                    &[Child::Argument],
                ),
                _ => return,
            };
        self.term(value, bound, below(&path, to_value));
        let Form::Lambda(param, inner) = &function.form else {
            return;
        };
        self.alignment.params[binder.0 as usize] = Some(param.clone());
        let mut path = below(&path, to_function);
        path.push(Child::Body);
        self.term(body, inner.clone(), path);
    }
}

fn below(path: &[Child], steps: &[Child]) -> Vec<Child> {
    path.iter().chain(steps).copied().collect()
}

fn implicit(function: &Core) -> bool {
    matches!(&*function.ty, Type::Pi(pi) if pi.implicit)
}

/// Counts the functions that a term applies one after the other: the stages of a composition, or 1
/// for any other term.
fn stages(item: &Item, term: TermId) -> usize {
    match &item.term(term).kind {
        TermKind::Paren(inner) | TermKind::Ascribe { term: inner, .. } => stages(item, *inner),
        TermKind::Binary {
            op: BinaryOp::Then | BinaryOp::After,
            lhs,
            rhs,
            ..
        } => stages(item, *lhs) + stages(item, *rhs),
        _ => 1,
    }
}

/// Returns true if a term in parentheses continues the spine of the application around these.
pub(crate) fn is_spine(item: &Item, term: TermId) -> bool {
    match &item.term(term).kind {
        TermKind::Name(_) | TermKind::Operator(_) | TermKind::Apply { .. } => true,
        TermKind::Paren(inner) => is_spine(item, *inner),
        TermKind::Binary { op, .. } => matches!(op, BinaryOp::Pipe | BinaryOp::ApplyLeft),
        _ => false,
    }
}
