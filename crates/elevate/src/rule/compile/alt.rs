//! Compiles one alternative of a rule.

use rise::codes;
use rise::core::{Form, Terms, elaborate_terms, for_each_local};
use rise::types::{Arg, Ty, Type};
use rise::{RuleInfer, RuleInference, TermInfo};
use rustc_hash::FxHashMap;
use syntax::ast::{BinaryOp, Kind, TermId, TermKind};
use syntax::elevate::ast::{self, ClauseKind, CondId, CondKind, ExprId};
use syntax::{Code, Diagnostic, Severity, Span};

use super::super::cond::{Clause, Cond, Sort, Strength};
use super::super::names::{ExpectedKind, Names, OmittedParts, Origin, Side};
use super::super::pattern::TypeVarNumbering;
use super::super::scope::{Scopes, scopes};
use super::super::template::VectorizedFunction;
use super::super::{Alt, Source, VariableKind, vectorized};
use super::conditions::Of;
use super::{
    Parts, bind, declare, errors, flatten_all, given, given_types, has_types, is_function, slots,
};

pub(super) struct AltCompiler<'a, 'h> {
    pub source: &'a Source<'a>,
    pub alt: &'a ast::Alt,
    pub holds: &'h mut Vec<ExprId>,
    pub diagnostics: Vec<Diagnostic>,
}

/// A condition that constrains a type of the pattern: `x : t`, `scalar(t)`.
pub(super) enum TypeClause {
    Has(TermId, TermId, Span),
    Kind(TermId, Kind, Span),
}

/// The result of type inference for an alternative.
pub(super) struct Typed {
    pub done: RuleInference,
    pub terms: Terms,
    /// The syntax of each of `terms`, in their order.
    pub wanted: Vec<TermId>,
    /// The metavariables defined by `vectorized(k, f)`: the binder, the binder of `f`, and `k`.
    pub made: Vec<(u32, u32, TermId)>,
    strict: bool,
    function: bool,
}

impl<'a, 'h> AltCompiler<'a, 'h> {
    pub(super) fn new(
        source: &'a Source<'a>,
        alt: &'a ast::Alt,
        holds: &'h mut Vec<ExprId>,
    ) -> Self {
        AltCompiler {
            source,
            alt,
            holds,
            diagnostics: Vec::new(),
        }
    }

    pub(super) fn error(&mut self, code: Code, span: Span, text: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(code, span, text));
    }

    pub(super) fn cond(&self, id: CondId) -> &'a ast::Cond {
        self.source.item.cond(id)
    }

    /// Returns the conditions of the clauses `where`, `requires` and `assuming`, each with the
    /// strength and the span of its clause.
    pub(super) fn conditions(&self) -> impl Iterator<Item = (Strength, CondId, Span)> + use<'a> {
        self.alt
            .clauses
            .iter()
            .filter_map(|clause| match clause.kind {
                ClauseKind::Where(cond) | ClauseKind::Requires(cond) => {
                    Some((Strength::Proved, cond, clause.span))
                }
                ClauseKind::Assuming(cond) => Some((Strength::Assumed, cond, clause.span)),
                ClauseKind::Let { .. } => None,
            })
    }

    pub(super) fn conjuncts(&self, cond: CondId, found: &mut Vec<CondId>) {
        match self.cond(cond).kind {
            CondKind::And(a, b) => {
                self.conjuncts(a, found);
                self.conjuncts(b, found);
            }
            CondKind::Paren(inner) => self.conjuncts(inner, found),
            _ => found.push(cond),
        }
    }

    pub(super) fn compile(&mut self) -> Option<Alt> {
        let (mut names, scopes) = self.names()?;
        let tail = self.tail(&mut names);
        let typed = self.infer(&names, &scopes)?;
        self.build(&names, &scopes, tail, &typed)
    }

    /// Resolves the names of the alternative, and the scopes of its metavariables; `None` if there
    /// are errors.
    pub(super) fn names(&mut self) -> Option<(Names<'a>, Scopes)> {
        let (source, alt) = (self.source, self.alt);
        let mut names = Names::new(&source.item.rise, source.env, OmittedParts::Exact);
        declare(&mut names, source.params);
        self.kinds(&mut names);
        names.visit(alt.lhs, ExpectedKind::Value, Side::Left);
        self.lets(&mut names);
        names.visit(alt.rhs, ExpectedKind::Value, Side::Right);
        for (_, cond, _) in self.conditions() {
            self.visit(&mut names, cond);
        }
        names.apply_defaults();
        let excluded = self.excluded(&names);
        let scopes = scopes(&mut names, &excluded, alt.span);
        self.bare(&names);
        self.diagnostics.append(&mut names.diagnostics);
        if names.failed || self.failed() {
            return None;
        }
        Some((names, scopes))
    }

    pub(super) fn failed(&self) -> bool {
        self.diagnostics
            .iter()
            .any(|d| d.severity == Severity::Error)
    }

    /// Declares the metavariables whose kinds conditions state: `a : AddrSp` takes precedence over
    /// the use of `a`.
    pub(super) fn kinds(&mut self, names: &mut Names<'_>) {
        for (_, cond, _) in self.conditions() {
            let mut parts = Vec::new();
            self.conjuncts(cond, &mut parts);
            for part in parts {
                let CondKind::HasKind { term, kind } = self.cond(part).kind else {
                    continue;
                };
                let kind = match kind {
                    Kind::Scalar | Kind::Num | Kind::Int | Kind::Float => Kind::DataType,
                    kind => kind,
                };
                let term = self.source.item.term(term);
                if let TermKind::Name(name) = &term.kind
                    && names.get(name).is_none()
                {
                    let kind = Some(VariableKind::TypeLevel(kind));
                    names.declare(name.clone(), term.span, kind, Origin::Pattern);
                }
            }
        }
    }

    pub(super) fn lets(&mut self, names: &mut Names<'_>) {
        for (number, clause) in self.alt.clauses.iter().enumerate() {
            let ClauseKind::Let { name, value } = &clause.kind else {
                continue;
            };
            let Some(name) = name else {
                names.failed = true;
                continue;
            };
            let kind = match self.vectorized(*value) {
                Some((lanes, from)) => {
                    names.visit(lanes, ExpectedKind::TypeLevel(Kind::Nat), Side::Condition);
                    names.visit(from, ExpectedKind::Value, Side::Condition);
                    VariableKind::Value
                }
                None => {
                    names.visit(*value, ExpectedKind::TypeLevel(Kind::Nat), Side::Condition);
                    VariableKind::TypeLevel(Kind::Nat)
                }
            };
            names.declare(
                name.name.clone(),
                name.span,
                Some(kind),
                Origin::Let(number),
            );
        }
    }

    /// Returns the arguments of `vectorized(k, f)`; `None` for other terms.
    pub(super) fn vectorized(&self, value: TermId) -> Option<(TermId, TermId)> {
        let rise = &self.source.item.rise;
        let TermKind::Apply { callee, args } = &rise.term(value).kind else {
            return None;
        };
        match (&rise.term(*callee).kind, &args[..]) {
            (TermKind::Name(name), &[lanes, f]) if name == "vectorized" => Some((lanes, f)),
            _ => None,
        }
    }

    /// If the left side is a composition, declares a metavariable for its input, and returns the
    /// number of its binder.
    pub(super) fn tail(&self, names: &mut Names<'_>) -> Option<u32> {
        let rise = &self.source.item.rise;
        let mut term = self.alt.lhs;
        loop {
            term = match rise.term(term).kind {
                TermKind::Paren(inner) | TermKind::Ascribe { term: inner, .. } => inner,
                TermKind::Binary {
                    op: BinaryOp::Then | BinaryOp::After,
                    ..
                } => break,
                _ => return None,
            };
        }
        let span = rise.term(self.alt.lhs).span;
        let kind = Some(VariableKind::Value);
        let at = names.declare("_in".into(), span, kind, Origin::Pattern);
        names.variables[at].anonymous = true;
        Some(names.variables[at].binder.0)
    }

    pub(super) fn infer(&mut self, names: &Names<'_>, scopes: &Scopes) -> Option<Typed> {
        let rise = names.item();
        let mut sides = RuleInfer::new(&rise, self.source.env);
        bind(names, &mut sides);
        for (here, there) in &scopes.joined {
            for binder in there {
                sides.join(*here, *binder);
            }
        }
        let left = sides.synth(self.alt.lhs);
        for clause in self.type_clauses() {
            self.type_clause(names, &mut sides, &clause);
        }
        sides.generalize_left();
        let made = self.define(names, &mut sides);
        for (_, cond, _) in self.conditions() {
            self.assume(&mut sides, cond, true);
        }
        let left = sides.read(&left);
        let shown = sides.show(&left);
        sides.check(self.alt.rhs, &left);
        let done = sides.finish();
        let (lhs, rhs) = (rise.term(self.alt.lhs).span, rise.term(self.alt.rhs).span);
        self.diagnostics
            .extend(errors(&done, Some((rhs, lhs, &shown))));
        if self.failed() {
            return None;
        }
        for need in &done.side_conditions {
            self.need(names, need);
        }
        if let [(name, form), others @ ..] = &done.instantiations.forms[..] {
            let others = others
                .iter()
                .map(|(name, form)| format!(", and `{name}` is `{form}`"));
            let text = format!(
                "the right side has a type only where the type `{name}` of the left side is `{form}`{}",
                others.collect::<String>()
            );
            let warning = Diagnostic::new(Severity::Warning, codes::TYPE_MISMATCH, rhs, text)
                .related(lhs, format!("the left side has the type `{shown}`"))
                .help("if the rule is meant for such types only, write the type in the pattern");
            self.diagnostics.push(warning);
        }
        let mut wanted = vec![self.alt.lhs, self.alt.rhs];
        wanted.extend(self.operands(names));
        let mut terms = elaborate_terms(&rise, &done.inference, &wanted)?;
        flatten_all(&mut terms);
        Some(Typed {
            strict: has_types(&rise, self.alt.lhs)
                || !self.type_clauses().is_empty()
                || !done.instantiations.forms.is_empty(),
            function: is_function(&left),
            wanted,
            terms,
            made,
            done,
        })
    }

    /// Infers the `let`s. Those of sizes are defined in `sides`; those of vectorised functions are
    /// returned, as in [`Typed::made`].
    pub(super) fn define(
        &mut self,
        names: &Names<'_>,
        sides: &mut RuleInfer<'_>,
    ) -> Vec<(u32, u32, TermId)> {
        let mut made = Vec::new();
        for (number, clause) in self.alt.clauses.iter().enumerate() {
            let ClauseKind::Let { value, .. } = clause.kind else {
                continue;
            };
            let Some(variable) = names
                .variables
                .iter()
                .find(|v| v.origin == Origin::Let(number))
            else {
                continue;
            };
            let Some((lanes, from)) = self.vectorized(value) else {
                sides.define(variable.binder, value);
                continue;
            };
            let Some(size) = sides.size(lanes) else {
                continue;
            };
            let ty = sides.synth(from);
            let ty = sides.read(&ty);
            match (
                vectorized::vectorized_ty(&ty, &size),
                names.variable_of(from),
            ) {
                (Ok(ty), Some(from)) => {
                    sides.define_value(variable.binder, ty);
                    made.push((variable.binder.0, names.variables[from].binder.0, lanes));
                }
                (Err(reason), _) => {
                    let text = format!("this cannot be vectorized: {reason}");
                    self.error(codes::TYPE_MISMATCH, clause.span, text);
                }
                (_, None) => {
                    let text = "`vectorized` takes a name of the pattern";
                    self.error(codes::UNKNOWN_NAME, clause.span, text);
                }
            }
        }
        made
    }

    fn build(
        &mut self,
        names: &Names<'_>,
        scopes: &Scopes,
        tail: Option<u32>,
        typed: &Typed,
    ) -> Option<Alt> {
        let (done, params) = (&typed.done, self.source.params);
        let mut values = slots(names);
        let mut levels = TypeVarNumbering::default();
        let given = given(names, params, done, &values, &mut levels);
        let tail = tail.and_then(|binder| tail_slot(typed, binder, &mut values));
        let parts = Parts {
            names,
            values: &values,
            terms: &typed.terms,
            mode: OmittedParts::Exact,
        };
        let (left, right) = (&typed.terms.exprs[0], &typed.terms.exprs[1]);
        let function = typed.function && tail.is_none();
        let (mut pattern, locals) = parts.pattern(
            left,
            tail.map(u32::from),
            function,
            typed.strict,
            given,
            &mut levels,
        );
        let template = match (&right.form, tail) {
            // The parameter of the right side is the input of the left one.
            (Form::Lambda(param, body), Some(slot)) if is_used_once(param.local.id, body) => {
                let mut values = values.clone();
                values.insert(param.local.id, slot);
                let parts = Parts {
                    values: &values,
                    ..parts
                };
                parts.template(body, None, scopes, &locals, done, &mut levels)?
            }
            _ => parts.template(right, tail, scopes, &locals, done, &mut levels)?,
        };
        pattern.facts = done.left.iter().map(|prop| levels.prop(prop)).collect();
        pattern.given_types = given_types(names, params, done, &mut levels);
        let of = Of {
            parts: &parts,
            typed,
            scopes,
            locals: &locals,
        };
        let clauses = self.clauses(&of, &mut levels)?;
        self.laws(&clauses, typed);
        let made = made(typed, &values, &mut levels)?;
        pattern.levels = levels.bound;
        Some(Alt {
            linear: pattern.is_linear(),
            pattern,
            template,
            clauses: clauses.into(),
            made,
            span: self.alt.span,
            lhs: self.source.item.rise.term(self.alt.lhs).span,
        })
    }

    fn clauses(&mut self, of: &Of<'_>, levels: &mut TypeVarNumbering) -> Option<Vec<Clause>> {
        let mut clauses = Vec::new();
        for (strength, cond, span) in self.conditions() {
            clauses.push(Clause {
                strength,
                cond: self.condition(of, cond, levels)?,
                span,
                text: self.clause_text(span),
            });
        }
        // The kinds of types that the right side requires are conditions, too.
        let done = &of.typed.done;
        for (var, kind) in &done.instantiations.kinds {
            if let Some(sort) = Sort::of_kind(*kind) {
                let name = done.inference.names.get(*var);
                clauses.push(Clause {
                    strength: Strength::Proved,
                    cond: Cond::Sort(sort, levels.ty(&Ty::new(Type::Var(*var)))),
                    span: self.source.item.rise.term(self.alt.rhs).span,
                    text: format!("{name} : {kind}").into(),
                });
            }
        }
        Some(clauses)
    }
}

/// Returns the slot of the input of a composition, and assigns it to the parameter that elaboration
/// adds to the left side.
fn tail_slot(typed: &Typed, binder: u32, values: &mut FxHashMap<u32, u16>) -> Option<u16> {
    let slot = values.remove(&binder)?;
    if let Form::Lambda(param, _) = &typed.terms.exprs[0].form {
        values.insert(param.local.id, slot);
    }
    Some(slot)
}

/// Returns true if a variable occurs at most once in a term.
fn is_used_once(local: u32, body: &rise::core::Expr<rise::Primitive>) -> bool {
    let mut uses = 0;
    for_each_local(body, &mut |other| uses += u32::from(other.id == local));
    uses <= 1
}

/// Returns the metavariables that are defined by `vectorized`, with resolved slots.
fn made(
    typed: &Typed,
    values: &FxHashMap<u32, u16>,
    levels: &mut TypeVarNumbering,
) -> Option<Box<[VectorizedFunction]>> {
    let one = |&(to, from, lanes): &(u32, u32, TermId)| {
        let lanes = match &typed.done.inference.terms[lanes.0 as usize] {
            TermInfo::Arg(Arg::Nat(nat)) => levels.nat(nat),
            _ => return None,
        };
        Some(VectorizedFunction {
            slot: *values.get(&to)?,
            from: *values.get(&from)?,
            lanes,
        })
    };
    typed.made.iter().map(one).collect()
}
