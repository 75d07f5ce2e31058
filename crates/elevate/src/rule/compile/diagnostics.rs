//! Reports errors and warnings about rules.

use std::sync::Arc;

use nat::Prop;
use rise::core::{Expr, Form};
use rise::{Primitive, RuleInference, SideCondition};
use syntax::ast::TermKind;
use syntax::{Diagnostic, Severity, Span};

use super::super::Alt;
use super::super::cond::{Clause, Strength};
use super::super::names::{Names, Origin};
use super::alt::{AltCompiler, Typed};
use crate::codes;

impl AltCompiler<'_, '_> {
    /// Reports a left side that is only a metavariable, unless the rule is marked `@looping`: it
    /// matches every term.
    pub(super) fn bare(&mut self, names: &Names<'_>) {
        let mut term = self.alt.lhs;
        let rise = &self.source.item.rise;
        loop {
            term = match rise.term(term).kind {
                TermKind::Paren(inner) | TermKind::Ascribe { term: inner, .. } => inner,
                _ => break,
            };
        }
        let bare = names
            .variable_of(term)
            .is_some_and(|v| names.variables[v].origin == Origin::Pattern);
        if bare && !self.source.looping {
            let text = "this pattern matches every term, including the result of the rule";
            let span = rise.term(self.alt.lhs).span;
            let diagnostic = Diagnostic::error(codes::ENDLESS_STRATEGY, span, text)
                .help("write `@looping` before the rule if strategies use it only after a guard");
            self.diagnostics.push(diagnostic);
        }
    }

    /// Reports a condition on sizes that the right side requires and that no clause of the rule
    /// implies.
    pub(super) fn need(&mut self, names: &Names<'_>, need: &SideCondition) {
        let text = &need.text;
        let mut message = match &need.types {
            Some((expected, found)) => format!(
                "the two sides have the same type only if {text}\nexpected: {expected}\n   found: {found}"
            ),
            None => format!(
                "the right side needs {text}, which neither the left side nor a clause states"
            ),
        };
        if let Some(sizes) = &need.fails_for {
            message.push_str(&format!("\nthey differ for {sizes}"));
        }
        let code = match need.types {
            Some(_) => rise::codes::SIZE_MISMATCH,
            None => rise::codes::OBLIGATION_FAILS,
        };
        let mut diagnostic = Diagnostic::error(code, need.span, message);
        let said = |word: &str| {
            names
                .variables
                .iter()
                .any(|v| v.name == word && !v.anonymous)
        };
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        let mut names_of = words.filter(|w| w.starts_with(|c: char| c.is_alphabetic()));
        let speakable = names_of
            .all(|w| said(w) || matches!(w, "divides" | "min" | "max" | "ceilDiv" | "log2"));
        diagnostic.help = Some(match speakable {
            true => format!("add `assuming {text}`"),
            false => "name the sizes of the pattern, as in `map(f) : m.s -> m.t`, and state the condition with `assuming`".into(),
        });
        if speakable && !matches!(need.prop, Prop::ForAll { .. }) {
            let end = Span::empty(self.alt.span.end);
            diagnostic = diagnostic.fix(
                format!("Add `assuming {text}`"),
                vec![(end, format!(" assuming {text}"))],
                true,
            );
        }
        self.diagnostics.push(diagnostic);
    }

    pub(super) fn clause_text(&self, span: Span) -> Arc<str> {
        self.source
            .text
            .get(std::ops::Range::from(span))
            .unwrap_or("a condition of the rule")
            .into()
    }

    /// Reports an alternative of a rule that is not `unsafe` but may change the meaning of a
    /// program: it assumes an algebraic law, or only its right side [contains a
    /// reduction](reorders) and no law is a condition.
    pub(super) fn laws(&mut self, clauses: &[Clause], typed: &Typed) {
        if self.source.is_unsafe {
            return;
        }
        for clause in clauses {
            if clause.strength == Strength::Assumed && clause.cond.has_law() {
                let text = "an assumed law may not hold, so that the rule can change what a program computes";
                let diagnostic =
                    Diagnostic::error(rise::codes::OBLIGATION_FAILS, clause.span, text).help(
                        "write `requires` instead of `assuming`, or make the rule an `unsafe rule`",
                    );
                self.diagnostics.push(diagnostic);
            }
        }
        let required = clauses.iter().any(|clause| clause.cond.has_law());
        let (left, right) = (&typed.terms.exprs[0], &typed.terms.exprs[1]);
        if !required && reorders(right) && !reorders(left) {
            let span = self.source.item.rise.term(self.alt.rhs).span;
            let text =
                "the left side combines values in a fixed order, and the right side in any order";
            let diagnostic = Diagnostic::error(rise::codes::OBLIGATION_FAILS, span, text).help(
                "add `requires assoc(op) and neutral(op, z)`, or make the rule an `unsafe rule`",
            );
            self.diagnostics.push(diagnostic);
        }
    }
}

/// Returns the errors of inference; errors of the right side mention the type of the left side.
pub(super) fn errors(done: &RuleInference, right: Option<(Span, Span, &str)>) -> Vec<Diagnostic> {
    let wanted = |d: &&Diagnostic| d.severity == Severity::Error;
    let mut all = Vec::new();
    for diagnostic in done.inference.diagnostics.iter().filter(wanted) {
        let mut diagnostic = diagnostic.clone();
        if let Some((rhs, lhs, ty)) = right
            && rhs.contains(diagnostic.span)
        {
            if diagnostic.span == rhs {
                let old = std::mem::take(&mut diagnostic.message);
                diagnostic.message =
                    format!("the right side has another type than the left side: {old}");
            }
            diagnostic = diagnostic.related(lhs, format!("the left side has the type `{ty}`"));
        }
        all.push(diagnostic);
    }
    all
}

/// Returns true if a term contains `reduce` or `reducePar`, which may combine values in any order.
fn reorders(expr: &Expr<Primitive>) -> bool {
    let mut stack = vec![expr];
    while let Some(expr) = stack.pop() {
        match &expr.form {
            Form::Primitive(Primitive::Reduce | Primitive::ReducePar, ..) => return true,
            Form::Primitive(_, _, values) | Form::Foreign(_, values) => stack.extend(values.iter()),
            Form::Lambda(_, body) | Form::DepLambda(_, _, body) | Form::DepApply(body, _) => {
                stack.push(body);
            }
            Form::Apply(f, x) => stack.extend([f, x]),
            Form::Var(_) | Form::Literal(_) | Form::Nat(_) | Form::Global(..) => {}
        }
    }
    false
}

/// Warns of an alternative that is never tried, as an earlier one without conditions covers its
/// pattern.
pub(super) fn overlaps(alts: &[Alt], diagnostics: &mut Vec<Diagnostic>) {
    for (at, alt) in alts.iter().enumerate() {
        let covered = alts[..at]
            .iter()
            .find(|earlier| earlier.clauses.is_empty() && earlier.pattern.covers(&alt.pattern));
        if let Some(earlier) = covered {
            let text = "this alternative is never used: an earlier alternative matches everything that it matches";
            let code = codes::UNREACHABLE_CASE;
            let warning = Diagnostic::new(Severity::Warning, code, alt.span, text)
                .related(earlier.span, "the earlier alternative")
                .help("put the more specific pattern first, or leave one of the two out");
            diagnostics.push(warning);
        }
    }
}
