//! Resolves the names in a rule: determines which are metavariables, and their kinds (values,
//! sizes, types, …).
//!
//! In a pattern, a name is bound if it is a primitive, a RISE definition in scope, a parameter, or
//! bound by the pattern itself. Any other name is a metavariable. `?f` is a metavariable even if
//! `f` is a primitive, a definition or bound by the pattern, and each `_` is a separate one, except
//! in types, where inference fills it in. The kind of a metavariable follows from its context:
//! `split(n)` takes a size, `map(f)` a value.
//!
//! Metavariables become binders of a copy of the item's terms, so that RISE's own inference
//! resolves them. In patterns, omitted type-level arguments are added to the copy as metavariables:
//! `split` alone matches any `split(n)`.

mod spine;

use rise::codes;
use rise::{Env, Primitive, Resolution};
use rustc_hash::FxHashMap;
use syntax::ast::{
    BinaryOp, Binder, BinderAnnotation, BinderId, Item, Kind, Name, Term, TermId, TermKind,
};
use syntax::{Diagnostic, Severity, Span};

use super::{ParamKind, VariableKind};

/// The side of a rule in which a term occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// The pattern, where unknown names are metavariables.
    Left,
    /// The right side, where unknown names are errors.
    Right,
    /// A condition, where unknown names are errors. Its terms are not part of the result of the
    /// rule.
    Condition,
}

/// The kind of term that the context requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExpectedKind {
    Value,
    TypeLevel(Kind),
}

/// The origin of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// A parameter, by its index.
    Param(usize),
    Pattern,
    /// A `let`, by the index of its clause.
    Let(usize),
}

/// An occurrence of a variable.
#[derive(Clone, Debug)]
pub(super) struct Use {
    pub term: TermId,
    pub side: Side,
    /// The enclosing binders, outermost first.
    pub scope: Vec<BinderId>,
}

/// A metavariable, a parameter or a `let`.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub name: Name,
    pub binder: BinderId,
    /// The kind. `None` until a declaration or a use as a type-level argument determines it;
    /// [`Names::apply_defaults`] makes the others values.
    pub kind: Option<VariableKind>,
    pub origin: Origin,
    pub uses: Vec<Use>,
    /// True for `_`, for an argument that is not written, and for the input of a left side that is
    /// a composition.
    pub anonymous: bool,
    pub forced: bool,
    /// True for `_`, for an argument that is not written, and for a metavariable that occurs as a
    /// type-level argument in the pattern, and not only in type annotations.
    pub argument: bool,
}

/// The meaning of the parts that a pattern leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OmittedParts {
    /// The left side of a rule, the pattern of a `case` or a quotation: omitted parts are absent
    /// (dimension 0, no address space).
    Exact,
    /// A predicate: omitted parts match anything.
    Loose,
    /// The pattern of `within(…)`: as `Loose`, and `_` as the only argument of a parallel map is
    /// its dimension.
    Enclosing,
}

/// The copy of the item's terms, and its variables.
pub(super) struct Names<'a> {
    pub terms: Vec<Term>,
    pub binders: Vec<Binder>,
    base: &'a Item,
    env: &'a dyn Env,
    pub variables: Vec<Variable>,
    index: FxHashMap<Name, usize>,
    scope: Vec<BinderId>,
    /// The number of type annotations around the current term.
    types: u32,
    mode: OmittedParts,
    pub diagnostics: Vec<Diagnostic>,
    /// True if an error was reported, or a term is missing.
    pub failed: bool,
}

impl<'a> Names<'a> {
    pub fn new(item: &'a Item, env: &'a dyn Env, mode: OmittedParts) -> Self {
        Names {
            terms: item.terms.to_vec(),
            binders: item.binders.to_vec(),
            base: item,
            env,
            variables: Vec::new(),
            index: FxHashMap::default(),
            scope: Vec::new(),
            types: 0,
            mode,
            diagnostics: Vec::new(),
            failed: false,
        }
    }

    /// Returns the copy as an item.
    pub fn item(&self) -> Item {
        Item {
            docs: None,
            annotations: [].into(),
            kind: self.base.kind.clone(),
            terms: self.terms.clone().into(),
            binders: self.binders.clone().into(),
            locals: [].into(),
            synonyms: [].into(),
        }
    }

    // ----- variables -----

    pub fn param(&mut self, number: usize, name: &Name, kind: ParamKind) {
        let kind = match kind {
            ParamKind::Nat | ParamKind::Int => VariableKind::TypeLevel(Kind::Nat),
            ParamKind::Address => VariableKind::TypeLevel(Kind::AddrSp),
            ParamKind::Type => VariableKind::TypeLevel(Kind::DataType),
            ParamKind::Expr => VariableKind::Value,
            ParamKind::Strategy => return,
        };
        self.declare(
            name.clone(),
            Span::default(),
            Some(kind),
            Origin::Param(number),
        );
    }

    pub fn declare(
        &mut self,
        name: Name,
        span: Span,
        kind: Option<VariableKind>,
        origin: Origin,
    ) -> usize {
        let binder = BinderId(u32::try_from(self.binders.len()).unwrap_or(u32::MAX));
        self.binders.push(Binder {
            name: name.clone(),
            span,
            annotation: BinderAnnotation::None,
            parts: None,
        });
        let number = self.variables.len();
        self.variables.push(Variable {
            name: name.clone(),
            binder,
            kind,
            origin,
            uses: Vec::new(),
            anonymous: false,
            forced: false,
            argument: false,
        });
        self.index.insert(name, number);
        number
    }

    /// Declares an anonymous metavariable, and returns its name.
    fn anonymous(&mut self, span: Span, kind: Option<VariableKind>) -> Name {
        let number = self.variables.iter().filter(|v| v.anonymous).count() + 1;
        let name = Name::from(format!("_{number}"));
        let at = self.declare(name.clone(), span, kind, Origin::Pattern);
        self.variables[at].anonymous = true;
        self.variables[at].argument = true;
        name
    }

    pub fn get(&self, name: &str) -> Option<&Variable> {
        self.index.get(name).map(|&at| &self.variables[at])
    }

    /// Returns the term inside all parentheses around it.
    pub fn bare(&self, mut term: TermId) -> TermId {
        while let TermKind::Paren(inner) = self.terms[term.0 as usize].kind {
            term = inner;
        }
        term
    }

    /// Returns the index of the variable that a term consists of; `None` for other terms.
    pub fn variable_of(&self, term: TermId) -> Option<usize> {
        match &self.terms[self.bare(term).0 as usize].kind {
            TermKind::Name(name) => self.index.get(name).copied(),
            _ => None,
        }
    }

    fn is_bound(&self, name: &str) -> bool {
        Primitive::from_name(name).is_some() || self.env.resolve(name) != Resolution::Unknown
    }

    fn in_scope(&self, name: &str) -> bool {
        self.scope
            .iter()
            .any(|b| self.binders[b.0 as usize].name == name)
    }

    fn kind_of(&self, term: TermId) -> Option<VariableKind> {
        self.variables[self.variable_of(term)?].kind
    }

    // ----- terms -----

    /// Resolves the names in a term. `role` is the kind that its context requires.
    pub fn visit(&mut self, term: TermId, role: ExpectedKind, side: Side) {
        let at = term.0 as usize;
        let (kind, span) = (self.terms[at].kind.clone(), self.terms[at].span);
        match kind {
            TermKind::Hole if side == Side::Left => self.hole(term, role, span),
            TermKind::Hole if role == ExpectedKind::Value => {
                let text = "`_` has no value on the right side";
                self.report(Diagnostic::error(codes::UNKNOWN_NAME, span, text));
            }
            TermKind::Name(name) => self.name(term, &name, role, side, span),
            TermKind::Paren(inner) => self.visit(inner, role, side),
            TermKind::Apply { .. } if role != ExpectedKind::Value => self.size_call(term, side),
            TermKind::Apply { .. }
            | TermKind::Binary {
                op: BinaryOp::Pipe | BinaryOp::ApplyLeft,
                ..
            } => self.application(term, side),
            TermKind::Binary { lhs, rhs, .. } => {
                self.visit(lhs, role, side);
                self.visit(rhs, role, side);
            }
            TermKind::Unary { operand, .. } => self.visit(operand, role, side),
            TermKind::Project { pair, .. } => self.visit(pair, ExpectedKind::Value, side),
            TermKind::Fun { params, body, .. } | TermKind::DepFun { params, body } => {
                self.under(&params, body, ExpectedKind::Value, side);
            }
            TermKind::Let {
                binder,
                value,
                body,
            } => {
                self.visit(value, ExpectedKind::Value, side);
                self.under(&[binder], body, ExpectedKind::Value, side);
            }
            TermKind::LetSize {
                size,
                binder,
                value,
                body,
            } => {
                self.visit(value, ExpectedKind::Value, side);
                let all: Vec<BinderId> = [size].into_iter().chain(binder).collect();
                self.under(&all, body, ExpectedKind::Value, side);
            }
            TermKind::NatFun { param, body } => {
                self.under(&[param], body, ExpectedKind::TypeLevel(Kind::Nat), side);
            }
            TermKind::DataFun { param, body }
            | TermKind::DepPair { param, body }
            | TermKind::Pi { param, body, .. } => {
                self.under(
                    &[param],
                    body,
                    ExpectedKind::TypeLevel(Kind::DataType),
                    side,
                );
            }
            TermKind::Pair(a, b) => {
                self.visit(a, role, side);
                self.visit(b, role, side);
            }
            TermKind::Ascribe { term, ty } => {
                self.visit(term, role, side);
                self.visit_type(ty, side);
            }
            TermKind::Array { size, elem, .. } | TermKind::Vector { size, elem } => {
                self.visit(size, ExpectedKind::TypeLevel(Kind::Nat), side);
                self.visit(elem, ExpectedKind::TypeLevel(Kind::DataType), side);
            }
            TermKind::DepArray { size, elem } => {
                self.visit(size, ExpectedKind::TypeLevel(Kind::Nat), side);
                self.visit(elem, ExpectedKind::TypeLevel(Kind::Nat2Data), side);
            }
            TermKind::Index(size) => self.visit(size, ExpectedKind::TypeLevel(Kind::Nat), side),
            TermKind::Tuple(a, b) | TermKind::Arrow(a, b) => {
                self.visit(a, ExpectedKind::TypeLevel(Kind::DataType), side);
                self.visit(b, ExpectedKind::TypeLevel(Kind::DataType), side);
            }
            TermKind::Missing => self.failed = true,
            TermKind::Hole
            | TermKind::Literal(_)
            | TermKind::Operator(_)
            | TermKind::Scalar(_)
            | TermKind::Address(_)
            | TermKind::Access(_)
            | TermKind::Comm
            | TermKind::Skip
            | TermKind::Exp { .. }
            | TermKind::Acc(_)
            | TermKind::Where { .. }
            // Rules have no local definitions.
            | TermKind::Local { .. }
            | TermKind::Assign { .. }
            | TermKind::Sequence(_)
            | TermKind::If { .. } => {}
        }
    }

    /// Resolves the names in a type annotation.
    pub fn visit_type(&mut self, ty: TermId, side: Side) {
        self.types += 1;
        self.visit(ty, ExpectedKind::TypeLevel(Kind::DataType), side);
        self.types -= 1;
    }

    fn under(&mut self, params: &[BinderId], body: TermId, role: ExpectedKind, side: Side) {
        let depth = self.scope.len();
        for &param in params {
            if let BinderAnnotation::Type(ty) = self.binders[param.0 as usize].annotation {
                self.visit_type(ty, side);
            }
            self.scope.push(param);
        }
        self.visit(body, role, side);
        self.scope.truncate(depth);
    }

    fn hole(&mut self, term: TermId, role: ExpectedKind, span: Span) {
        let kind = match role {
            ExpectedKind::Value => VariableKind::Value,
            // Inference handles these holes itself.
            ExpectedKind::TypeLevel(Kind::DataType) => return,
            ExpectedKind::TypeLevel(kind) => VariableKind::TypeLevel(kind),
        };
        let name = self.anonymous(span, Some(kind));
        self.terms[term.0 as usize].kind = TermKind::Name(name.clone());
        self.note_use(&name, term, Side::Left);
    }

    fn note_use(&mut self, name: &Name, term: TermId, side: Side) {
        if let Some(&at) = self.index.get(name) {
            let scope = self.scope.clone();
            self.variables[at].uses.push(Use { term, side, scope });
        }
    }

    fn name(&mut self, term: TermId, written: &Name, role: ExpectedKind, side: Side, span: Span) {
        if self.in_scope(written) {
            return;
        }
        let forced = written.strip_prefix('?');
        let name = match forced {
            Some(bare) if !self.is_bound(bare) && !self.in_scope(bare) => Name::from(bare),
            _ => written.clone(),
        };
        let known = self.index.get(&name).copied();
        if known.is_none() && forced.is_none() && self.is_bound(&name) {
            if side == Side::Left && role == ExpectedKind::Value {
                self.complete_name(term);
            }
            return;
        }
        if forced.is_some() {
            self.terms[term.0 as usize].kind = TermKind::Name(name.clone());
        }
        let at = match known {
            Some(at) => at,
            None if side == Side::Left => {
                let at = self.declare(name.clone(), span, None, Origin::Pattern);
                self.variables[at].forced = forced.is_some();
                at
            }
            None => return self.unbound(&name, span),
        };
        if let ExpectedKind::TypeLevel(kind) = role {
            let kind = VariableKind::TypeLevel(kind);
            self.variables[at].kind.get_or_insert(kind);
            self.variables[at].argument |= self.types == 0 && side == Side::Left;
        }
        self.note_use(&name, term, side);
    }

    /// Reports a name on the right side that is not bound.
    fn unbound(&mut self, name: &Name, span: Span) {
        let mut text = format!("nothing on the left side binds `{name}`");
        let own = self.variables.iter().map(|v| v.name.as_str());
        let bound = self.env.names();
        let primitives = Primitive::ALL.iter().map(|p| p.name());
        let candidates = own.chain(bound.iter().map(Name::as_str)).chain(primitives);
        let near = rise::closest(name, candidates).map(str::to_owned);
        text.push_str(", and there is no definition of that name");
        let mut diagnostic = Diagnostic::error(codes::UNKNOWN_NAME, span, text);
        diagnostic = match near {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")).fix(
                format!("Replace with `{near}`"),
                vec![(span, near)],
                true,
            ),
            None => diagnostic
                .help("bind the name on the left side, as a parameter of the rule, or with `let`"),
        };
        self.report(diagnostic);
    }

    pub fn report(&mut self, diagnostic: Diagnostic) {
        self.failed |= diagnostic.severity == Severity::Error;
        self.diagnostics.push(diagnostic);
    }

    /// Resolves the names of a call in a size or type: `min(a, b)`, `sum(i, a, b, e)`, or a
    /// function on sizes.
    fn size_call(&mut self, term: TermId, side: Side) {
        let TermKind::Apply { callee, args } = self.terms[term.0 as usize].kind.clone() else {
            return;
        };
        let callee = self.bare(callee);
        let word = match &self.terms[callee.0 as usize].kind {
            TermKind::Name(name) => name.clone(),
            _ => return,
        };
        let size = ExpectedKind::TypeLevel(Kind::Nat);
        match word.as_str() {
            "min" | "max" | "ceilDiv" | "log2" => {
                args.iter().for_each(|&arg| self.visit(arg, size, side));
            }
            "sum" => {
                let [index, from, to, body] = *args else {
                    return;
                };
                self.visit(from, size, side);
                self.visit(to, size, side);
                let TermKind::Name(name) = self.terms[index.0 as usize].kind.clone() else {
                    return;
                };
                let binder = BinderId(u32::try_from(self.binders.len()).unwrap_or(u32::MAX));
                self.binders.push(Binder {
                    name,
                    span: self.terms[index.0 as usize].span,
                    annotation: BinderAnnotation::None,
                    parts: None,
                });
                self.under(&[binder], body, size, side);
            }
            _ => {
                self.visit(callee, ExpectedKind::TypeLevel(Kind::Nat2Nat), side);
                args.iter().for_each(|&arg| self.visit(arg, size, side));
            }
        }
    }

    // ----- defaults and warnings -----

    /// Makes metavariables of undetermined kind values, and warns of metavariables that are
    /// probably misspelt names.
    pub fn apply_defaults(&mut self) {
        let names = self.env.names();
        let mut warnings = Vec::new();
        for variable in &mut self.variables {
            variable.kind.get_or_insert(VariableKind::Value);
            let [only] = &variable.uses[..] else { continue };
            let (Origin::Pattern, false, false) =
                (variable.origin, variable.anonymous, variable.forced)
            else {
                continue;
            };
            if variable.name.starts_with('_') || variable.name.chars().count() < 4 {
                continue;
            }
            let primitives = Primitive::ALL.iter().map(|p| p.name());
            let bound = names.iter().map(Name::as_str).chain(primitives);
            if let Some(near) = rise::closest(&variable.name, bound) {
                let span = self.terms[only.term.0 as usize].span;
                let text = format!(
                    "`{}` is not defined and becomes a metavariable, which matches anything; did you mean `{near}`?",
                    variable.name
                );
                let warning = Diagnostic::new(Severity::Warning, codes::UNKNOWN_NAME, span, text)
                    .help(format!(
                        "to match anything, write `?{}` or `_`",
                        variable.name
                    ))
                    .fix(
                        format!("Replace with `{near}`"),
                        vec![(span, near.to_owned())],
                        true,
                    );
                warnings.push(warning);
            }
        }
        self.diagnostics.extend(warnings);
    }
}
