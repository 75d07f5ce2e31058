//! Checks the scopes of metavariables: a binder around a metavariable in the pattern must have a
//! binder of the same name around the metavariable on the right side, unless the rule says `notIn`.

use rise::codes;
use rustc_hash::FxHashMap;
use syntax::ast::BinderId;
use syntax::{Diagnostic, Span};

use super::names::{Names, Origin, Side};

/// The scopes of metavariables, and the correspondence between the binders of both sides.
#[derive(Debug, Default)]
pub(super) struct Scopes {
    /// For each variable of [`Names`], the binders of the pattern that its value may contain.
    pub captured: Vec<Vec<BinderId>>,
    /// For each binder of the right side that corresponds to binders of the pattern, these.
    pub joined: FxHashMap<BinderId, Vec<BinderId>>,
}

/// Computes the scopes. `excluded` contains the pairs of `x notIn f`: the name of a binder and the
/// index of a variable. A use on the right side without a corresponding binder is reported as an
/// error; its fix inserts a clause at the end of the span `end`.
pub(super) fn scopes(names: &mut Names<'_>, excluded: &[(String, usize)], end: Span) -> Scopes {
    let mut scopes = Scopes::default();
    let mut errors = Vec::new();
    for (number, variable) in names.variables.iter().enumerate() {
        let mut captured: Vec<BinderId> = Vec::new();
        let first = variable.uses.iter().find(|u| u.side == Side::Left);
        if let (Some(first), Origin::Pattern) = (first, variable.origin) {
            let may = |binder: &&BinderId| {
                let name = &names.binders[binder.0 as usize].name;
                !excluded.iter().any(|(x, f)| *f == number && x == name)
            };
            captured.extend(first.scope.iter().filter(may));
        }
        let uses = variable.uses.iter().filter(|u| u.side == Side::Right);
        for used in uses {
            for &binder in &captured {
                let name = &names.binders[binder.0 as usize].name;
                let here = used
                    .scope
                    .iter()
                    .rev()
                    .find(|b| names.binders[b.0 as usize].name == *name);
                match here {
                    Some(&here) => {
                        let joined = scopes.joined.entry(here).or_default();
                        if !joined.contains(&binder) {
                            joined.push(binder);
                        }
                    }
                    None => errors.push((number, binder, used.term)),
                }
            }
        }
        scopes.captured.push(captured);
    }
    for (number, binder, term) in errors {
        let name = names.binders[binder.0 as usize].name.clone();
        let variable = names.variables[number].name.clone();
        let level = matches!(
            names.variables[number].kind,
            Some(super::VariableKind::TypeLevel(_))
        );
        if level && !is_type_level(names, binder) {
            continue;
        }
        let span = names.terms[term.0 as usize].span;
        let text = format!(
            "`{variable}` may use `{name}`, which the pattern binds around `{variable}` and nothing binds here"
        );
        let clause = format!(" where {name} notIn {variable}");
        let diagnostic = Diagnostic::error(codes::UNKNOWN_NAME, span, text)
            .related(
                names.binders[binder.0 as usize].span,
                format!("`{name}` is bound here"),
            )
            .help(format!(
                "write `where {name} notIn {variable}` if `{variable}` does not use `{name}`"
            ))
            .fix(
                format!("Add `where {name} notIn {variable}`"),
                vec![(Span::empty(end.end), clause)],
                true,
            );
        names.report(diagnostic);
    }
    scopes
}

/// Returns true for the binder of a `depFun` or of a type-level function or type.
fn is_type_level(names: &Names<'_>, binder: BinderId) -> bool {
    matches!(
        names.binders[binder.0 as usize].annotation,
        syntax::ast::BinderAnnotation::Kind(..)
    )
}
