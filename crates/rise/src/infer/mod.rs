//! Type inference of one item, as the section "Inference" of `docs/language.md` describes it.
//!
//! Inference is bidirectional: known types are propagated into `fun`, and in `x |> f` the type of
//! `x` into `f`. Unknown sizes and types are unification variables of a
//! [`unification_table::UnificationTable`]. Equations between sizes that cannot be decided at once
//! are deferred; obligations are decided at the end.

mod annotations;
mod apply;
mod elab;
mod expr;
mod foreign;
mod implicit_parameters;
mod in_place;
mod instantiate;
mod literals;
mod local_definitions;
mod obligations;
mod operators;
mod optional_arguments;
mod phrase;
mod primitive_conditions;
mod report;
mod restrict;
mod rewrite_rule;
mod signature;
mod size_binding;
mod sizes;
mod syntactic_kinds;
mod unification_table;
mod unify;
mod writeback;

use std::sync::Arc;

use nat::{Nat, Var};
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::ast::{BinderId, Item, ItemKind, Kind, Literal, Name, TermId, TermKind};
use syntax::{Code, Diagnostic, Dialect, Span};

use crate::classes::Classes;
use crate::types::{Arg, Ty, Type};
use crate::{BinderInfo, Env, Inference, NameUse, Target, TermInfo};
use obligations::{FactCache, PendingObligation};
use unification_table::{State, UnificationTable, VarInfo};
use unify::{Cause, CauseCode, Demand, Equation};

pub use annotations::{ANNOTATIONS, LAUNCH_ANNOTATION, USING_PARAMETERS};
pub(crate) use expr::kind_noun;
pub(crate) use operators::operator_primitive;
pub use rewrite_rule::{Instantiations, RuleInfer, RuleInference, SideCondition};
pub use signature::{library_scheme, written_scheme};
pub(crate) use unify::for_each_var;

/// Checks one item of RISE, given the schemes of the definitions that it uses.
pub fn infer(item: &Item, env: &dyn Env) -> Inference {
    infer_in(item, env, Dialect::Rise)
}

/// Checks one item of one of the dialects, see [`infer`]. Items of DPIA resolve primitives in the
/// environment.
pub fn infer_in(item: &Item, env: &dyn Env, dialect: Dialect) -> Inference {
    let first = infer_item(Infer::new(item, env, dialect));
    let is_typed = item.whole_type().is_some();
    let clarity = ErrorQuality::of(&first);
    if !is_typed || clarity >= ErrorQuality::WithFix {
        return first;
    }
    // If only the result is wrong, pushing in its type causes errors in several places of the body.
    let mut infer = Infer::new(item, env, dialect);
    infer.written_result = WrittenResult::ComparedLast;
    let second = infer_item(infer);
    match ErrorQuality::of(&second) {
        ErrorQuality::NoError => first,
        found if found > clarity => second,
        // The second run shows the types of the body's stages beside the error.
        ErrorQuality::Single if clarity == ErrorQuality::Single => second,
        _ => first,
    }
}

/// The quality of an item's errors, from bad to good.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum ErrorQuality {
    /// There are several errors.
    Several,
    /// There is one error with neither help nor fix.
    Single,
    /// There is one error with help and without a fix.
    WithHelp,
    /// There is one error with a fix.
    WithFix,
    /// There is no error.
    NoError,
}

impl ErrorQuality {
    fn of(inference: &Inference) -> ErrorQuality {
        let all = inference.diagnostics.iter();
        let mut errors = all.filter(|d| d.severity == syntax::Severity::Error);
        match (errors.next(), errors.next()) {
            (None, _) => ErrorQuality::NoError,
            (Some(_), Some(_)) => ErrorQuality::Several,
            (Some(only), None) if !only.fixes.is_empty() => ErrorQuality::WithFix,
            (Some(only), None) if only.help.is_some() => ErrorQuality::WithHelp,
            (Some(_), None) => ErrorQuality::Single,
        }
    }
}

fn infer_item(mut infer: Infer<'_>) -> Inference {
    let item = infer.item;
    infer.duplicate_parameters();
    let ty = match &item.kind {
        ItemKind::Def { ty, body, .. } => infer.def(*ty, *body),
        ItemKind::Foreign {
            name,
            params,
            result,
            body,
        } => infer.foreign(name.as_ref(), params, *result, body.as_ref()),
        ItemKind::Import { .. } | ItemKind::Stray => Arc::new(Type::Error),
    };
    infer.finish(ty)
}

#[derive(Clone, Debug)]
struct Local {
    name: Name,
    target: Target,
    meaning: LocalBinding,
}

/// The meaning of a local name.
#[derive(Clone, Debug)]
enum LocalBinding {
    Value(Ty),
    TypeLevel(Var, Kind),
    /// The binder has an error.
    Broken,
}

/// A number literal whose type is not known yet.
struct OpenLiteral {
    term: TermId,
    ty: Ty,
    literal: Literal,
    /// True if it is from the scheme of the definition at `term`.
    inherited: bool,
}

/// The use of a definition's written result type in the inference of its body.
#[derive(Clone, Copy, PartialEq)]
enum WrittenResult {
    /// The type is pushed into the body, whose parts are checked against it.
    PushedIn,
    /// The type is unified with the type of the result after its synthesis.
    ComparedLast,
}

struct Infer<'a> {
    item: &'a Item,
    env: &'a dyn Env,
    dialect: Dialect,
    written_result: WrittenResult,
    table: UnificationTable,
    scope: Vec<Local>,
    /// The number of enclosing binders of type-level names.
    level: u32,
    diagnostics: Vec<Diagnostic>,
    /// The number of type mismatches so far.
    clashes: u32,
    /// The nesting depth of checks whose messages are discarded.
    quiet: u32,
    demands: Vec<Demand>,
    equations: Vec<Equation>,
    accesses: phrase::AccessConstraints,
    solved_since_retry: bool,
    /// True if only equations that determine an unknown directly are solved, and others are
    /// deferred.
    deferring: bool,
    /// True if equations may be solved by division by any factor.
    dividing: bool,
    obligations: Vec<PendingObligation>,
    /// The variables that obligations mention. Solving one of them invalidates `facts`.
    obligation_vars: FxHashSet<Var>,
    facts: FactCache,
    /// The simplifier of sizes under the remaining conditions, set at the end.
    known: Option<writeback::SizeSimplifier>,
    literals: Vec<OpenLiteral>,
    /// Literals whose type is a parameter of the definition.
    generic_literals: Vec<(Var, Literal)>,
    holes: Vec<(TermId, Ty)>,
    /// Names that were reported as unknown, so that each is reported once.
    unknown: Vec<Name>,
    /// The unification variables of uses and holes, which are reported if they are neither solved
    /// nor generalised.
    inserted: Vec<(Var, TermId)>,
    /// Unification variables that became parameters of the definition.
    generalised_vars: Vec<Var>,
    /// The type of the result of a definition with parameters left of `=` that has no written
    /// result type.
    absent_result: Option<Var>,
    /// True while the type of a local definition is elaborated.
    in_local_type: bool,
    /// The type-level binders along the item's written type, and those of the `depFun`s at the
    /// start of its body.
    spine: Vec<BinderId>,
    /// Conditions and sizes in annotations whose names are not all in scope yet.
    assumptions: Vec<annotations::Assumption>,
    /// In the terms of a rule, see [`RuleInfer`]: maps binders to earlier ones that they are
    /// identified with. `None` outside of rules.
    joined: Option<FxHashMap<BinderId, Vec<BinderId>>>,
    terms: Vec<TermInfo>,
    /// The value of [`Inference::generalised`] so far.
    generalised: FxHashMap<TermId, Box<[(Var, Kind)]>>,
    /// The value of [`Inference::patterns`] so far.
    patterns: FxHashSet<TermId>,
    /// The value of [`Inference::instantiated`] so far.
    instantiated: FxHashMap<TermId, Vec<(Name, Arg)>>,
    binders: Vec<BinderInfo>,
    uses: Vec<NameUse>,
}

impl<'a> Infer<'a> {
    fn new(item: &'a Item, env: &'a dyn Env, dialect: Dialect) -> Self {
        Infer {
            item,
            env,
            dialect,
            written_result: WrittenResult::PushedIn,
            table: UnificationTable::default(),
            scope: Vec::new(),
            level: 0,
            diagnostics: Vec::new(),
            clashes: 0,
            quiet: 0,
            demands: Vec::new(),
            equations: Vec::new(),
            accesses: phrase::AccessConstraints::default(),
            solved_since_retry: false,
            deferring: false,
            dividing: false,
            obligations: Vec::new(),
            obligation_vars: FxHashSet::default(),
            facts: FactCache::default(),
            known: None,
            literals: Vec::new(),
            generic_literals: Vec::new(),
            holes: Vec::new(),
            unknown: Vec::new(),
            inserted: Vec::new(),
            generalised_vars: Vec::new(),
            absent_result: None,
            in_local_type: false,
            spine: Vec::new(),
            assumptions: Vec::new(),
            joined: None,
            terms: vec![TermInfo::Unknown; item.terms.len()],
            generalised: FxHashMap::default(),
            patterns: FxHashSet::default(),
            instantiated: FxHashMap::default(),
            binders: vec![BinderInfo::Unknown; item.binders.len()],
            uses: Vec::new(),
        }
    }

    /// Infers a definition; checks its body against its written type if there is one.
    fn def(&mut self, written: Option<TermId>, body: TermId) -> Ty {
        self.spine = self.spine_binders();
        self.collect_annotations();
        let Some(written) = written else {
            self.assume_in_scope();
            let ty = self.synth(body);
            self.bind_parameters_of(&ty);
            return ty;
        };
        let ty = self.elab_type(written);
        if let Some(head) = self.item.head() {
            self.check_implicit_parameters(head, &ty);
        }
        let depth = self.scope.len();
        self.bind_type_names(written);
        self.assume_in_scope();
        let cause = Cause::new(self.span(body), CauseCode::Written { ty: written });
        self.check(body, &ty, cause);
        self.scope.truncate(depth);
        if self.item.whole_type().is_none() {
            self.bind_parameters_of(&ty);
        }
        ty
    }

    /// Makes the type-level parameters along the type of a definition without a written type
    /// parameters of the definition, such as the sizes that a partial application still takes.
    fn bind_parameters_of(&mut self, ty: &Ty) {
        let mut ty = self.table.head(ty);
        loop {
            ty = match &*ty {
                Type::Fun(_, out) => self.table.head(out),
                Type::Pi(pi) => {
                    if self.table.info(pi.var).inner {
                        self.table.update(pi.var).inner = false;
                        self.facts.forget();
                    }
                    self.table.head(&pi.body)
                }
                _ => return,
            };
        }
    }

    /// Brings the type-level names that a written type binds along its results into scope again.
    fn bind_type_names(&mut self, written: TermId) {
        let mut term = written;
        loop {
            match &self.item.term(term).kind {
                TermKind::Pi { param, body, .. } => {
                    self.bind_again(*param);
                    term = *body;
                }
                TermKind::Arrow(_, result) => term = *result,
                TermKind::Paren(inner) | TermKind::Where { ty: inner, .. } => term = *inner,
                _ => break,
            }
        }
    }

    fn bind_again(&mut self, param: BinderId) {
        if let BinderInfo::TypeLevel(var, kind) = self.binders[param.0 as usize] {
            self.level = self.level.max(self.table.info(var).level);
            self.bind_name(param, LocalBinding::TypeLevel(var, kind));
        }
    }

    // ----- helpers -----

    fn span(&self, term: TermId) -> Span {
        self.item.term(term).span
    }

    /// Removes the parentheses around a term.
    fn bare(&self, mut term: TermId) -> TermId {
        while let TermKind::Paren(inner) = self.item.term(term).kind {
            term = inner;
        }
        term
    }

    fn source_name(&self, term: TermId) -> Option<&'a Name> {
        match &self.item.term(self.bare(term)).kind {
            TermKind::Name(name) => Some(name),
            _ => None,
        }
    }

    fn lookup(&self, name: &str) -> Option<&Local> {
        self.scope.iter().rev().find(|local| local.name == name)
    }

    /// Returns the kind of a type-level name in scope; `None` for other names.
    fn kind_of_name(&self, name: &str) -> Option<Kind> {
        match self.lookup(name)?.meaning {
            LocalBinding::TypeLevel(_, kind) => Some(kind),
            LocalBinding::Value(_) | LocalBinding::Broken => None,
        }
    }

    /// Returns the type of an expression that has been inferred; `None` for other terms.
    fn type_of_expr(&self, term: TermId) -> Option<&Ty> {
        match &self.terms[term.0 as usize] {
            TermInfo::Expr(ty) => Some(ty),
            _ => None,
        }
    }

    /// Brings a binder into scope.
    fn bind_name(&mut self, binder: BinderId, meaning: LocalBinding) {
        self.scope.push(Local {
            name: self.item.binder(binder).name.clone(),
            target: Target::Binder(binder),
            meaning,
        });
    }

    /// Calls `inner`, and then leaves the scopes and levels that it has entered.
    fn in_scope<T>(&mut self, inner: impl FnOnce(&mut Self) -> T) -> T {
        let (depth, level) = (self.scope.len(), self.level);
        let result = inner(self);
        self.scope.truncate(depth);
        self.level = level;
        result
    }

    fn set(&mut self, term: TermId, info: TermInfo) {
        self.terms[term.0 as usize] = info;
    }

    fn error(&mut self, code: Code, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        self.diagnostics
            .push(Diagnostic::error(code, span, message));
        let last = self.diagnostics.len() - 1;
        &mut self.diagnostics[last]
    }

    fn failed(&self) -> bool {
        self.diagnostics
            .iter()
            .any(|d| d.severity == syntax::Severity::Error)
    }

    fn open_nat(&mut self, name: &str, at: TermId) -> Nat {
        let var = self.open(name.into(), Kind::Nat, Classes::DATA, at);
        Nat::var(var)
    }

    fn open_type(&mut self, name: &str, classes: Classes, at: TermId) -> Ty {
        let var = self.open(name.into(), Kind::DataType, classes, at);
        Arc::new(Type::Var(var))
    }

    fn open(&mut self, name: Name, kind: Kind, classes: Classes, at: TermId) -> Var {
        let info = VarInfo::new(name, kind, self.level, State::Open, self.span(at));
        self.table.add(VarInfo { classes, ..info })
    }

    /// Enters a level and makes a rigid variable of this level for a binder.
    fn rigid(&mut self, name: Name, kind: Kind, span: Span, inner: bool) -> Var {
        self.level += 1;
        let info = VarInfo::new(name, kind, self.level, State::Rigid, span);
        self.table.add(VarInfo { inner, ..info })
    }

    fn broken(&self) -> Ty {
        Arc::new(Type::Error)
    }
}
