//! Compiles the conditions of an alternative.

use nat::{Nat, Prop};
use rise::types::Arg;
use rise::{RuleInfer, TermInfo};
use rustc_hash::FxHashMap;
use syntax::ast::{BinaryOp, Kind, TermId, TermKind};
use syntax::elevate::ast::{self, CondId, CondKind};
use syntax::{Diagnostic, Span};

use super::super::cond::{Cond, Operand, Sort, Strength};
use super::super::names::{ExpectedKind, Names, OmittedParts, Side};
use super::super::operator_laws::Law;
use super::super::pattern::{Pattern, TypeVarNumbering};
use super::super::scope::Scopes;
use super::alt::{AltCompiler, TypeClause, Typed};
use super::{Parts, matcher};

/// The inputs of the compilation of conditions.
pub(super) struct Of<'p> {
    pub parts: &'p Parts<'p>,
    pub typed: &'p Typed,
    pub scopes: &'p Scopes,
    /// The numbers that the pattern gives to the variables that it binds, by binder.
    pub locals: &'p FxHashMap<u32, u16>,
}

impl Of<'_> {
    fn info(&self, term: TermId) -> &TermInfo {
        &self.typed.done.inference.terms[term.0 as usize]
    }

    fn nat(&self, term: TermId, levels: &mut TypeVarNumbering) -> Option<Nat> {
        match self.info(term) {
            TermInfo::Arg(Arg::Nat(nat)) => Some(levels.nat(nat)),
            _ => None,
        }
    }

    /// Returns the operand of a condition: the slot of a metavariable, or a template of any other
    /// term.
    fn operand(&self, term: TermId, levels: &mut TypeVarNumbering) -> Option<Operand> {
        let parts = self.parts;
        if let Some(variable) = parts.names.variable_of(term) {
            let binder = parts.names.variables[variable].binder.0;
            return Some(Operand::Slot(*parts.values.get(&binder)?));
        }
        let at = self.typed.wanted.iter().position(|other| *other == term)?;
        let (expr, done) = (&self.typed.terms.exprs[at], &self.typed.done);
        let template = parts.template(expr, None, self.scopes, self.locals, done, levels)?;
        Some(Operand::Term(Box::new(template)))
    }
}

/// The property of operators, types or the place of the term that a built-in condition requires.
#[derive(Clone, Copy)]
enum Property {
    Law(Law),
    Neutral,
    Sort(Sort),
    Within,
}

/// The built-in conditions that are written with arguments, besides `holds`, by name.
const PROPERTIES: [(&str, Property); 10] = [
    ("assoc", Property::Law(Law::Associative)),
    ("commutative", Property::Law(Law::Commutative)),
    ("idempotent", Property::Law(Law::Idempotent)),
    ("selective", Property::Law(Law::Selective)),
    ("neutral", Property::Neutral),
    ("scalar", Property::Sort(Sort::Scalar)),
    ("basic", Property::Sort(Sort::Basic)),
    ("copyable", Property::Sort(Sort::Copyable)),
    ("notVector", Property::Sort(Sort::NotVector)),
    ("within", Property::Within),
];

impl Property {
    fn named(name: &str) -> Option<Property> {
        let mut all = PROPERTIES.iter();
        all.find(|(own, _)| *own == name).map(|(_, found)| *found)
    }
}

/// Returns the conditions from which a condition is composed by `and`, `or`, `not` and parentheses,
/// in source order.
pub(crate) fn basic_conditions(item: &ast::Item, cond: CondId) -> Vec<CondId> {
    let (mut open, mut found) = (vec![cond], Vec::new());
    while let Some(cond) = open.pop() {
        match item.cond(cond).kind {
            CondKind::Or(a, b) | CondKind::And(a, b) => open.extend([b, a]),
            CondKind::Not(inner) | CondKind::Paren(inner) => open.push(inner),
            _ => found.push(cond),
        }
    }
    found
}

impl<'a> AltCompiler<'a, '_> {
    pub(super) fn visit(&mut self, names: &mut Names<'_>, cond: CondId) {
        for part in basic_conditions(self.source.item, cond) {
            self.visit_basic(names, part);
        }
    }

    fn visit_basic(&self, names: &mut Names<'_>, cond: CondId) {
        let size = ExpectedKind::TypeLevel(Kind::Nat);
        let visit = |names: &mut Names<'_>, terms: &[TermId], kind: ExpectedKind| {
            let each = terms.iter();
            each.for_each(|term| names.visit(*term, kind, Side::Condition));
        };
        match &self.cond(cond).kind {
            CondKind::Missing => names.failed = true,
            CondKind::Divides {
                divisor: a,
                size: b,
            }
            | CondKind::Compare { lhs: a, rhs: b, .. } => {
                visit(names, &[*a, *b], size);
            }
            CondKind::NotIn { term, .. } | CondKind::Holds { term, .. } => {
                visit(names, &[*term], ExpectedKind::Value);
            }
            CondKind::HasType { term, ty } => {
                visit(names, &[*term], ExpectedKind::Value);
                // Free names in the types of conditions are metavariables of the left side.
                names.visit_type(*ty, Side::Left);
            }
            CondKind::Property { name, args } => match Property::named(&name.name) {
                Some(Property::Within) => {}
                Some(Property::Sort(_)) => {
                    let each = args.iter();
                    each.for_each(|&arg| names.visit_type(arg, Side::Condition));
                }
                _ => visit(names, args, ExpectedKind::Value),
            },
            _ => {}
        }
    }

    /// Returns the pairs `x`, `f` of the conditions `x notIn f` that certainly hold where the rule
    /// applies: the name and the index of the variable.
    pub(super) fn excluded(&self, names: &Names<'_>) -> Vec<(String, usize)> {
        let mut found = Vec::new();
        for (strength, cond, _) in self.conditions() {
            let mut parts = Vec::new();
            if strength == Strength::Proved {
                self.conjuncts(cond, &mut parts);
            }
            for part in parts {
                if let CondKind::NotIn { name, term } = self.cond(part).kind
                    && let TermKind::Name(x) = &self.source.item.term(name).kind
                    && let Some(variable) = names.variable_of(term)
                {
                    found.push((x.to_string(), variable));
                }
            }
        }
        found
    }

    pub(super) fn type_clauses(&self) -> Vec<TypeClause> {
        let mut found = Vec::new();
        for (_, cond, _) in self.conditions() {
            let mut parts = Vec::new();
            self.conjuncts(cond, &mut parts);
            for part in parts {
                let cond = self.cond(part);
                match &cond.kind {
                    CondKind::HasType { term, ty } => {
                        found.push(TypeClause::Has(*term, *ty, cond.span));
                    }
                    CondKind::HasKind { term, kind } => {
                        found.push(TypeClause::Kind(*term, *kind, cond.span));
                    }
                    CondKind::Property { name, args }
                        if name.name == "scalar" && args.len() == 1 =>
                    {
                        found.push(TypeClause::Kind(args[0], Kind::Scalar, cond.span));
                    }
                    _ => {}
                }
            }
        }
        found
    }

    pub(super) fn type_clause(
        &mut self,
        names: &Names<'_>,
        sides: &mut RuleInfer<'_>,
        clause: &TypeClause,
    ) {
        match *clause {
            TypeClause::Has(term, ty, span) => {
                let ty = sides.written_type(ty);
                match names.variable_of(term) {
                    Some(variable) => sides.has_type(names.variables[variable].binder, &ty, span),
                    None => self.error(
                        rise::codes::UNKNOWN_NAME,
                        span,
                        "a condition on a type must be about a name of the pattern; write the type of another term in the pattern, as in `(e : t)`",
                    ),
                }
            }
            TypeClause::Kind(ty, kind, span) => {
                if !matches!(kind, Kind::Scalar | Kind::Num | Kind::Int | Kind::Float) {
                    return;
                }
                let ty = sides.written_type(ty);
                if !sides.restrict(&ty, kind) {
                    let text = sides.show(&ty);
                    self.error(
                        rise::codes::WRONG_SUBKIND,
                        span,
                        format!(
                            "this condition can never hold: by the pattern, the type is `{text}`"
                        ),
                    );
                }
            }
        }
    }

    /// Infers the terms of a condition. If the condition holds or is assumed wherever the rule
    /// applies (`holds`), its propositions on sizes are assumed.
    pub(super) fn assume(&mut self, sides: &mut RuleInfer<'_>, cond: CondId, holds: bool) {
        let said = self.cond(cond);
        match &said.kind {
            CondKind::Missing => {}
            CondKind::And(a, b) => {
                self.assume(sides, *a, holds);
                self.assume(sides, *b, holds);
            }
            CondKind::Or(a, b) => {
                self.assume(sides, *a, false);
                self.assume(sides, *b, false);
            }
            CondKind::Not(a) => self.assume(sides, *a, false),
            CondKind::Paren(a) => self.assume(sides, *a, holds),
            CondKind::Divides { divisor, size } => {
                let (a, b) = (sides.size(*divisor), sides.size(*size));
                if let (Some(a), Some(b), true) = (a, b, holds) {
                    sides.assume(Prop::Divides(a, b), said.span);
                }
            }
            CondKind::Compare { op, lhs, rhs } => {
                let (a, b) = (sides.size(*lhs), sides.size(*rhs));
                if let (Some(a), Some(b), true) = (a, b, holds)
                    && let Some(prop) = compare(*op, a, b)
                {
                    sides.assume(prop, said.span);
                }
            }
            CondKind::NotIn { term, .. } | CondKind::Holds { term, .. } => {
                sides.synth(*term);
            }
            CondKind::HasType { .. } | CondKind::HasKind { .. } => {
                if !holds {
                    let text = "a condition on a type cannot be a part of `or` or `not`";
                    self.error(syntax::codes::SYNTAX_ERROR, said.span, text);
                }
            }
            CondKind::Property { name, args } => self.property(sides, name, args, said.span),
        }
    }

    pub(super) fn property(
        &mut self,
        sides: &mut RuleInfer<'_>,
        name: &syntax::ast::Ident,
        args: &[TermId],
        span: Span,
    ) {
        let Some(property) = Property::named(&name.name) else {
            let known = PROPERTIES
                .map(|(name, _)| name)
                .into_iter()
                .chain(["holds"]);
            let known: Vec<&str> = known.collect();
            let mut diagnostic = Diagnostic::error(
                rise::codes::UNKNOWN_NAME,
                name.span,
                format!("there is no condition `{}`", name.name),
            );
            diagnostic.help = Some(match rise::closest(&name.name, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the conditions are `{}`", known.join("`, `")),
            });
            self.diagnostics.push(diagnostic);
            return;
        };
        let wanted = match property {
            Property::Neutral => 2,
            _ => 1,
        };
        if args.len() != wanted {
            let text = format!(
                "the number of arguments of `{}` must be {wanted}, found {}",
                name.name,
                args.len()
            );
            self.error(syntax::codes::SYNTAX_ERROR, span, text);
            return;
        }
        match property {
            Property::Within => {}
            Property::Sort(_) => {
                sides.written_type(args[0]);
            }
            Property::Law(_) | Property::Neutral => args.iter().for_each(|&arg| {
                sides.synth(arg);
            }),
        }
    }

    /// Returns the terms in the conditions `notIn`, `holds`, `assoc`, `commutative` and `neutral`
    /// that are not single metavariables or parameters.
    pub(super) fn operands(&self, names: &Names<'_>) -> Vec<TermId> {
        let item = self.source.item;
        let all = self.conditions();
        let basic = all.flat_map(|(_, cond, _)| basic_conditions(item, cond));
        let terms = basic.flat_map(|cond| match &item.cond(cond).kind {
            CondKind::NotIn { term, .. } | CondKind::Holds { term, .. } => vec![*term],
            CondKind::Property { name, args } => match Property::named(&name.name) {
                Some(Property::Law(_) | Property::Neutral) => args.to_vec(),
                _ => Vec::new(),
            },
            _ => Vec::new(),
        });
        let terms = terms.filter(|term| names.variable_of(*term).is_none());
        terms.collect()
    }

    /// Compiles a condition to the form that is decided for each match.
    pub(super) fn condition(
        &mut self,
        of: &Of<'_>,
        cond: CondId,
        levels: &mut TypeVarNumbering,
    ) -> Option<Cond> {
        let said = self.cond(cond);
        Some(match &said.kind {
            CondKind::Missing => return None,
            CondKind::And(..) | CondKind::Paren(_) => {
                let mut all = Vec::new();
                self.conjuncts(cond, &mut all);
                let all = all.into_iter().map(|part| self.condition(of, part, levels));
                Cond::All(all.collect::<Option<Vec<_>>>()?.into())
            }
            CondKind::Or(a, b) => {
                let a = self.condition(of, *a, levels)?;
                Cond::Any([a, self.condition(of, *b, levels)?].into())
            }
            CondKind::Not(a) => Cond::Not(Box::new(self.condition(of, *a, levels)?)),
            CondKind::Divides { divisor, size } => Cond::Size(Prop::Divides(
                of.nat(*divisor, levels)?,
                of.nat(*size, levels)?,
            )),
            CondKind::Compare { op, lhs, rhs } => {
                let (a, b) = (of.nat(*lhs, levels)?, of.nat(*rhs, levels)?);
                match compare(*op, a.clone(), b.clone()) {
                    Some(prop) => Cond::Size(prop),
                    None => Cond::Differ(a, b),
                }
            }
            CondKind::NotIn { name, term } => {
                let operand = of.operand(*term, levels)?;
                self.not_in(of, *name, *term, operand)?
            }
            CondKind::HasType { .. } => Cond::Given,
            CondKind::HasKind { term, kind } => match (Sort::of_kind(*kind), of.info(*term)) {
                (Some(sort), TermInfo::Arg(Arg::Type(ty))) => Cond::Sort(sort, levels.ty(ty)),
                _ => Cond::Given,
            },
            CondKind::Property { name, args } => {
                self.property_holds(of, &name.name, args, levels)?
            }
            CondKind::Holds { strategy, term } => {
                let operand = of.operand(*term, levels)?;
                self.holds.push(*strategy);
                Cond::Holds(u16::try_from(self.holds.len() - 1).ok()?, operand)
            }
        })
    }

    fn property_holds(
        &mut self,
        of: &Of<'_>,
        name: &str,
        args: &[TermId],
        levels: &mut TypeVarNumbering,
    ) -> Option<Cond> {
        let sort = match Property::named(name)? {
            Property::Within => return Some(Cond::Within(Box::new(self.within(args[0])?))),
            Property::Law(law) => return Some(Cond::Law(law, of.operand(args[0], levels)?)),
            Property::Neutral => {
                let op = of.operand(args[0], levels)?;
                return Some(Cond::Neutral(op, of.operand(args[1], levels)?));
            }
            Property::Sort(sort) => sort,
        };
        match of.info(args[0]) {
            TermInfo::Arg(Arg::Type(ty)) | TermInfo::Type(ty) => {
                Some(Cond::Sort(sort, levels.ty(ty)))
            }
            _ => None,
        }
    }

    /// Compiles `x notIn e`, where `x` is a variable that the pattern binds, or a metavariable.
    pub(super) fn not_in(
        &mut self,
        of: &Of<'_>,
        name: TermId,
        term: TermId,
        operand: Operand,
    ) -> Option<Cond> {
        let written = self.source.item.term(name);
        let TermKind::Name(x) = &written.kind else {
            self.error(
                syntax::codes::SYNTAX_ERROR,
                written.span,
                "expected the name of a variable",
            );
            return None;
        };
        let Of { parts, locals, .. } = of;
        if let Some(variable) = parts.names.variable_of(name) {
            let binder = parts.names.variables[variable].binder.0;
            return Some(Cond::NotInValue(*parts.values.get(&binder)?, operand));
        }
        // `x` is the innermost binder of this name around the metavariable, else any binder of this
        // name.
        let around = parts.names.variable_of(term).and_then(|v| {
            let used = parts.names.variables[v]
                .uses
                .iter()
                .find(|u| u.side == Side::Left)?;
            let named = |b: &&syntax::ast::BinderId| parts.names.binders[b.0 as usize].name == *x;
            used.scope.iter().rev().find(named).map(|b| b.0)
        });
        let any = || {
            let named = |b: &&u32| {
                parts
                    .names
                    .binders
                    .get(**b as usize)
                    .is_some_and(|b| b.name == *x)
            };
            locals.keys().find(named).copied()
        };
        match around.or_else(any).and_then(|binder| locals.get(&binder)) {
            Some(&local) => Some(Cond::NotIn(local, operand)),
            None => {
                let text = format!("the pattern binds no variable `{x}`");
                self.error(rise::codes::UNKNOWN_NAME, written.span, text);
                None
            }
        }
    }

    pub(super) fn within(&mut self, pattern: TermId) -> Option<Pattern> {
        let source = self.source;
        let (matcher, said) = matcher(
            source.item,
            pattern,
            source.params,
            source.env,
            OmittedParts::Enclosing,
        );
        self.diagnostics.extend(said);
        let mut pattern = matcher?.pattern;
        pattern.function = false;
        Some(pattern)
    }
}

/// Returns the proposition of a comparison of sizes; `None` for `!=`, which is not expressed by a
/// proposition, and for other operators.
pub(crate) fn compare(op: BinaryOp, a: Nat, b: Nat) -> Option<Prop> {
    Some(match op {
        BinaryOp::Eq => Prop::Equal(a, b),
        BinaryOp::Ge => Prop::AtLeast(a, b),
        BinaryOp::Gt => Prop::AtLeast(a, b + 1),
        BinaryOp::Le => Prop::AtLeast(b, a),
        BinaryOp::Lt => Prop::AtLeast(b, a + 1),
        _ => return None,
    })
}
