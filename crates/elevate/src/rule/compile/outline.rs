//! Computes outlines of alternatives: their left sides, with the types of the names from which
//! terms that match can be built.

use nat::Prop;
use rise::types::{Arg, Ty};
use rise::{BinderInfo, Names as VarNames, TermInfo};
use syntax::Span;
use syntax::ast::Name;

use super::super::names::{Names, Origin, Side, Variable};
use super::super::scope::Scopes;
use super::super::{Source, VariableKind};
use super::alt::{AltCompiler, Typed};

/// The outline of an alternative: its left side with the types of its names, from which a term can
/// be built that it matches.
#[derive(Clone, Debug)]
pub struct Outline {
    /// The span of the left side in the item.
    pub span: Span,
    /// The type of the left side. Its type-level variables are not determined, and shared with the
    /// other types of the outline.
    pub ty: Ty,
    /// The parameters of the rule, and the metavariables that are not anonymous.
    pub names: Vec<Open>,
    /// The conditions on sizes for the rule to apply.
    pub conditions: Vec<Prop>,
    /// The names of the type-level variables.
    pub variables: VarNames,
}

/// A parameter of the rule, or a metavariable.
#[derive(Clone, Debug)]
pub struct Open {
    /// The name, as it is written.
    pub name: Name,
    /// The term or type-level argument that it represents.
    pub stands_for: StandsFor,
    /// The spans of its occurrences on the left side.
    pub places: Vec<Span>,
    /// The variables for values, with their types, that the left side binds and that its value may
    /// contain.
    pub binders: Vec<(Name, Ty)>,
    /// True if it is a parameter of the rule.
    pub is_parameter: bool,
}

/// The object that a name represents.
#[derive(Clone, Debug, PartialEq)]
pub enum StandsFor {
    /// A term of this type.
    Value(Ty),
    /// A type-level argument: a size, type, address space, function or access.
    TypeLevel(Arg),
}

/// Returns the outlines of the alternatives without errors.
pub fn outlines(source: &Source<'_>) -> Vec<Outline> {
    let mut holds = Vec::new();
    let alts = source.alts.iter();
    alts.filter_map(|alt| AltCompiler::new(source, alt, &mut holds).outline())
        .collect()
}

impl AltCompiler<'_, '_> {
    fn outline(&mut self) -> Option<Outline> {
        let (names, scopes) = self.names()?;
        let typed = self.infer(&names, &scopes)?;
        let done = &typed.done;
        let open = |(number, variable): (usize, &Variable)| {
            open(&names, &scopes, &typed, number, variable)
        };
        let conditions = done.inference.obligations.iter();
        Some(Outline {
            span: self.source.item.rise.term(self.alt.lhs).span,
            ty: typed.terms.exprs.first()?.ty.clone(),
            names: names
                .variables
                .iter()
                .enumerate()
                .filter_map(open)
                .collect(),
            conditions: conditions
                .map(|obligation| obligation.prop.clone())
                .chain(done.left.iter().cloned())
                .collect(),
            variables: done.inference.names.clone(),
        })
    }
}

/// Returns the outline of a name; `None` for anonymous metavariables, `let`s, and names without a
/// type.
fn open(
    names: &Names<'_>,
    scopes: &Scopes,
    typed: &Typed,
    number: usize,
    variable: &Variable,
) -> Option<Open> {
    if variable.anonymous || matches!(variable.origin, Origin::Let(_)) {
        return None;
    }
    let inference = &typed.done.inference;
    let value = |binder: syntax::ast::BinderId| match &inference.binders[binder.0 as usize] {
        BinderInfo::Value(ty) => Some(ty.clone()),
        _ => None,
    };
    let stands_for = match variable.kind? {
        VariableKind::Value => StandsFor::Value(value(variable.binder)?),
        VariableKind::TypeLevel(kind) => {
            let used = variable.uses.iter().find_map(|used| {
                match &inference.terms[used.term.0 as usize] {
                    TermInfo::Arg(arg) => Some(arg.clone()),
                    _ => None,
                }
            });
            let own = match &inference.binders[variable.binder.0 as usize] {
                BinderInfo::TypeLevel(var, _) => Some(rise::types::var_arg(*var, kind)),
                _ => None,
            };
            StandsFor::TypeLevel(used.or(own)?)
        }
    };
    let captured = scopes.captured.get(number).into_iter().flatten();
    let binders = captured.filter_map(|&binder| {
        let name = names.binders[binder.0 as usize].name.clone();
        Some((name, value(binder)?))
    });
    let left = variable.uses.iter().filter(|used| used.side == Side::Left);
    Some(Open {
        name: variable.name.clone(),
        stands_for,
        places: left
            .map(|used| names.terms[used.term.0 as usize].span)
            .collect(),
        binders: binders.collect(),
        is_parameter: matches!(variable.origin, Origin::Param(_)),
    })
}
