//! The messages of inference: types as text, and the places that a message refers to.

mod accumulators;
mod arguments;
mod calls;
mod functions;
pub(in crate::infer) mod math_functions;
pub(in crate::infer) mod names;
mod operands;
mod reshaping;
mod shifts_and_conversions;
mod sizes;
mod types;

use nat::{Nat, Prop, Var};
use syntax::ast::{BinaryOp, BinderId, Kind, Name, TermId, TermKind};
use syntax::{Code, Related, Span};

use super::expr::kind_noun;
use super::for_each_var;
use super::unify::{Cause, CauseCode};
use super::writeback::fresh_name;
use super::{Infer, LocalBinding};
use crate::Target;
use crate::codes;
use crate::pattern::{MapLoop, Pattern, Stream};
use crate::primitive::Primitive;
use crate::print;
use crate::types::{Names, Ty, Type};

pub(in crate::infer) use functions::space_meant;
pub(in crate::infer) use names::replacement;

/// The reason why an equation between sizes does not hold.
pub(in crate::infer) enum EquationFailure {
    /// The equation fails for these sizes.
    Differ(Vec<(Var, i64)>),
    /// The equation is neither proved nor refuted.
    Undecided,
    /// No value of the unknown sizes solves the equation.
    Impossible,
    /// The equation has unknown sizes that are undetermined.
    Open,
}

impl Infer<'_> {
    pub(in crate::infer) fn names(&self) -> Names {
        self.names_within(&[])
    }

    /// Returns the names for messages about these types: different unknowns get different names.
    pub(in crate::infer) fn names_within(&self, types: &[&Ty]) -> Names {
        let written = |name: &Name| self.item.binders.iter().any(|b| b.name == *name);
        let mut names: Vec<Name> = (self.table.vars())
            .map(|var| {
                let name = &self.table.info(var).name;
                // An unknown has the name of its parameter, unless a binder of the item has it too.
                let unknown = self.table.is_open(var) && !self.generalised_vars.contains(&var);
                if unknown && written(name) {
                    Name::default()
                } else {
                    name.clone()
                }
            })
            .collect();
        let mut shown: Vec<Var> = Vec::new();
        for ty in types {
            for_each_var(&self.table.ty(ty), &mut |v| {
                if !shown.contains(&v) {
                    shown.push(v);
                }
            });
        }
        for (at, &var) in shown.iter().enumerate() {
            let others: Vec<Name> = shown[..at]
                .iter()
                .map(|v| names[v.0 as usize].clone())
                .collect();
            let name = &mut names[var.0 as usize];
            if self.table.is_open(var) && (name.is_empty() || others.contains(name)) {
                let binders = self.item.binders.iter().map(|b| b.name.clone());
                let used: Vec<Name> = others.into_iter().chain(binders).collect();
                *name = fresh_name(&Name::default(), self.table.info(var).kind, &used);
            }
        }
        Names(names.into())
    }

    pub(in crate::infer) fn show(&self, ty: &Ty) -> String {
        let ty = self.table.ty(ty);
        print::type_text(&ty, &self.names_within(&[&ty]))
    }

    /// Returns the words that introduce the unknowns of a type, which are not names of the program:
    /// ` (for any size `m` and data type `s`)`; an empty string if there are none.
    pub(in crate::infer) fn for_any(&self, ty: &Ty) -> String {
        let ty = self.table.ty(ty);
        let names = self.names_within(&[&ty]);
        let mut unknowns: Vec<String> = Vec::new();
        for_each_var(&ty, &mut |var| {
            if !self.table.is_open(var) {
                return;
            }
            let info = self.table.info(var);
            let noun = match (info.kind, info.classes.to_kind()) {
                (Kind::DataType, _) if info.classes.allows_functions() => "type",
                (Kind::DataType, Some(kind)) => kind_noun(kind),
                (Kind::DataType, None) => "number type",
                (kind, _) => kind_noun(kind),
            };
            let unknown = format!("{noun} `{}`", names.get(var));
            if !unknowns.contains(&unknown) {
                unknowns.push(unknown);
            }
        });
        match unknowns.split_last() {
            None => String::new(),
            Some((only, [])) => format!(" (for any {only})"),
            Some((last, rest)) => format!(" (for any {} and {last})", rest.join(", ")),
        }
    }

    pub(in crate::infer) fn show_nat(&self, nat: &Nat) -> String {
        print::nat_text(&self.table.nat(nat), &self.names())
    }

    pub(in crate::infer) fn show_prop(&self, prop: &Prop) -> String {
        print::prop_text(prop, &self.names())
    }

    pub(in crate::infer) fn name_of(&self, var: Var) -> Name {
        self.table.info(var).name.clone()
    }

    /// Abbreviates the text of a term for a message.
    pub(in crate::infer) fn source(&self, term: TermId) -> String {
        crate::snippet::snippet(self.item, term)
    }

    /// Returns true if all messages since `said` are about type mismatches.
    pub(in crate::infer) fn are_clashes(&self, said: usize) -> bool {
        const CLASHES: [Code; 3] = [codes::TYPE_MISMATCH, codes::WRONG_SUBKIND, codes::NOT_DATA];
        let mut errors = self.diagnostics[said..].iter();
        errors.all(|error| CLASHES.contains(&error.code))
    }

    /// Returns true if the name at `head` refers to one of the primitives.
    pub(in crate::infer) fn is_primitive(&self, head: TermId, primitives: &[Primitive]) -> bool {
        matches!(self.target_of(head),
            Some(Target::Primitive(primitive)) if primitives.contains(&primitive))
    }

    /// Returns the meaning of the name at a term; `None` if it is not resolved.
    pub(in crate::infer) fn target_of(&self, name: TermId) -> Option<Target> {
        let found = self.uses.iter().find(|used| used.term == name);
        found.map(|used| used.target)
    }

    /// Returns true if the head is a primitive that applies a function to every element of an array
    /// or a stream.
    pub(in crate::infer) fn is_map(&self, head: TermId) -> bool {
        match self.target_of(head) {
            Some(Target::Primitive(primitive)) => match primitive.pattern() {
                Pattern::Map(map) => map != MapLoop::Lanes,
                pattern => pattern == Pattern::Stream(Stream::Map),
            },
            _ => false,
        }
    }

    pub(in crate::infer) fn fails_for(&self, witness: &[(Var, i64)]) -> Option<String> {
        if witness.is_empty() {
            return None;
        }
        let values: Vec<String> = witness
            .iter()
            .map(|(v, value)| format!("{} = {value}", self.name_of(*v)))
            .collect();
        Some(values.join(", "))
    }

    /// Returns the text of the function or operator that requires the type; `None` if the
    /// requirement has another reason.
    pub(in crate::infer) fn cause_head(&self, cause: Cause) -> Option<String> {
        match cause.why {
            CauseCode::Argument { head, .. } | CauseCode::Piped { head, .. } => {
                Some(self.source(head))
            }
            CauseCode::Operand { op, .. } => Some(op.as_str().to_owned()),
            _ => None,
        }
    }

    /// Returns the places that a mismatch comes from, other than its own: `origin` first, if it is
    /// given.
    pub(in crate::infer) fn cause_places(
        &self,
        cause: Cause,
        origin: Option<(Span, String)>,
    ) -> Vec<Related> {
        let mut places: Vec<Related> = Vec::new();
        let mut add = |span: Span, message: String| {
            if span != cause.span && !span.is_empty() && places.iter().all(|p| p.place.span != span)
            {
                places.push(Related {
                    place: span.into(),
                    message,
                });
            }
        };
        if let Some((span, text)) = origin {
            add(span, text);
        }
        match cause.why {
            CauseCode::Argument { term, .. } | CauseCode::Piped { value: term, .. } => {
                if let Some((span, text)) = self.binding_place(term) {
                    add(span, text);
                } else if let CauseCode::Piped { value, .. } = cause.why
                    && let Some(ty) = self.type_of_expr(value)
                {
                    let text = self.show(ty);
                    add(self.last_stage(value), format!("this is `{text}`"));
                }
            }
            CauseCode::Operand { lhs, .. } => {
                if let Some(ty) = self.type_of_expr(lhs) {
                    let text = self.show(ty);
                    add(self.span(lhs), format!("this is `{text}`"));
                }
            }
            CauseCode::Written { ty, .. } | CauseCode::Ascribed { ty } => {
                add(self.written_span(ty), "the type is written here".to_owned());
            }
            CauseCode::Assigned { lhs } => {
                if let Some(ty) = self.type_of_expr(lhs) {
                    let text = self.show(ty);
                    add(self.span(lhs), format!("this is `{text}`"));
                }
            }
            CauseCode::Context | CauseCode::Annotated { .. } => {}
        }
        places
    }

    /// Returns the span of a written type; for the type that parameters left of `=` imply, that of
    /// the result.
    pub(in crate::infer) fn written_span(&self, ty: TermId) -> Span {
        let mut heads = self.item.heads();
        let head = heads.find(|(_, implied, _)| *implied == ty);
        match head.and_then(|(head, ..)| head.result) {
            Some(result) => self.span(result),
            None => self.span(ty),
        }
    }

    /// Returns the span of the function of a pipeline's last stage, which is shorter than that of
    /// the whole term.
    pub(in crate::infer) fn last_stage(&self, mut term: TermId) -> Span {
        loop {
            match &self.item.term(term).kind {
                TermKind::Binary {
                    op: BinaryOp::Pipe,
                    rhs,
                    ..
                } => term = *rhs,
                TermKind::Apply { callee, .. } => term = *callee,
                TermKind::Paren(inner) => term = *inner,
                _ => return self.span(term),
            }
        }
    }

    /// Returns the place where a variable of the expected type was solved, with a text for it, if
    /// that is another place than the mismatch.
    pub(in crate::infer) fn origin(&self, expected: &Ty, cause: Cause) -> Option<(Span, String)> {
        if let CauseCode::Annotated { param } = cause.why
            && let Some((operator, function)) = self.function_before(param)
        {
            let value = match &self.item.term(self.bare(function)).kind {
                TermKind::Fun { body, .. } => *body,
                _ => function,
            };
            let text = format!("the other function of `{}` returns this", operator.as_str());
            return Some((self.span(value), text));
        }
        let (mut found, here) = (None, cause.span);
        super::for_each_var(expected, &mut |v| {
            if found.is_none()
                && let Some(at) = self.table.solved_at(v)
                && at != here
                && !at.is_empty()
            {
                found = Some(at);
            }
        });
        found.map(|at| (at, "the expected type comes from here".to_owned()))
    }

    /// Returns the function with the first parameter `param`, with the parentheses around it.
    fn function_of(&self, param: BinderId) -> Option<TermId> {
        let mut terms = (0..self.item.terms.len()).map(|at| TermId(at as u32));
        let mut whole = terms.find(|term| {
            matches!(&self.item.term(*term).kind, TermKind::Fun { params, .. } if params.first() == Some(&param))
        })?;
        let is_paren =
            |kind: &TermKind, own| matches!(kind, TermKind::Paren(inner) if *inner == own);
        while let Some(outer) = self.parent(whole, is_paren) {
            whole = outer;
        }
        Some(whole)
    }

    /// Returns the array of the `map` whose function has the variable that a term names as its
    /// parameter; `None` for other terms.
    pub(in crate::infer) fn mapped_array(&self, element: TermId) -> Option<TermId> {
        let Target::Binder(param) = self.target_of(self.bare(element))? else {
            return None;
        };
        let function = self.function_of(param)?;
        let call = self.parent(
            function,
            |kind, own| matches!(kind, TermKind::Apply { args, .. } if args.first() == Some(&own)),
        )?;
        let TermKind::Apply { callee, args } = &self.item.term(call).kind else {
            return None;
        };
        if !self.is_primitive(*callee, &[Primitive::Map]) {
            return None;
        }
        args.get(1).copied().or_else(|| {
            self.item.terms.iter().find_map(|term| match &term.kind {
                TermKind::Apply { callee, args } if *callee == call => args.first().copied(),
                TermKind::Binary {
                    op: BinaryOp::Pipe,
                    lhs,
                    rhs,
                    ..
                } if *rhs == call => Some(*lhs),
                _ => None,
            })
        })
    }

    /// Returns the operator and the other function of the composition whose second function has the
    /// parameter; `None` if its function is not composed.
    fn function_before(&self, param: BinderId) -> Option<(BinaryOp, TermId)> {
        let whole = self.function_of(param)?;
        self.item.terms.iter().find_map(|term| match term.kind {
            TermKind::Binary { op, lhs, rhs, .. } => match op {
                BinaryOp::Then if rhs == whole => Some((op, lhs)),
                BinaryOp::After if lhs == whole => Some((op, rhs)),
                _ => None,
            },
            _ => None,
        })
    }

    /// Returns the place of the binder of the value that a term names, with a text that tells its
    /// type; `None` for other terms.
    pub(in crate::infer) fn binding_place(&self, term: TermId) -> Option<(Span, String)> {
        let name = self.source_name(term)?;
        let local = self.lookup(name);
        let from_scope = local.map(|local| (local.target, local.meaning.clone()));
        let (target, ty) = match from_scope {
            Some((target, LocalBinding::Value(ty))) => (target, ty),
            _ => {
                let target = self
                    .uses
                    .iter()
                    .find(|u| u.term == self.bare(term))
                    .map(|u| u.target)?;
                let ty = self.type_of_expr(term)?;
                (target, ty.clone())
            }
        };
        let Target::Binder(binder) = target else {
            return None;
        };
        Some((
            self.item.binder(binder).span,
            format!("`{name}` is `{}`", self.show(&ty)),
        ))
    }
}

pub(super) fn is_function(ty: &Type) -> bool {
    matches!(ty, Type::Fun(..) | Type::Pi(_))
}
