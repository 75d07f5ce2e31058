//! Messages about calls whose arguments, or the parameters of an argument, are in the wrong order.

use std::sync::Arc;

use syntax::ast::{BinderId, ScalarType, TermId, TermKind};
use syntax::{Fix, Span};

use super::super::Infer;
use super::super::unify::{Cause, CauseCode};
use super::is_function;
use crate::codes;
use crate::spine::Spine;
use crate::types::{Ty, Type};

/// The greatest number of arguments whose orders are tried.
const MAX_ARGUMENTS: usize = 8;

/// A coarse form of types, which decides whether an argument fits a parameter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TypeForm {
    Function,
    /// A scalar, vector or pair.
    Single(ElementForm),
    Array(Dimensions, ElementForm),
    /// Data of any form, for parameters only.
    Data,
}

/// A coarse form of the types of scalars.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ElementForm {
    Boolean,
    Index,
    Number,
    /// The literal of a number, or of an index.
    Literal,
    /// A vector, a pair, or an unknown type.
    Any,
}

/// The number of dimensions of an array, as far as it is known.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Dimensions {
    Exactly(usize),
    AtLeast(usize),
}

impl TypeForm {
    fn takes(self, argument: TypeForm) -> bool {
        match (self, argument) {
            (TypeForm::Array(own, elem), TypeForm::Array(other, found)) => {
                own.may_equal(other) && elem.may_equal(found)
            }
            (TypeForm::Single(own), TypeForm::Single(other)) => own.may_equal(other),
            (TypeForm::Data, _) => argument != TypeForm::Function,
            _ => self == argument,
        }
    }

    /// Returns the position of the form among the forms that are tried for a parameter.
    fn rank(self) -> usize {
        match self {
            TypeForm::Function => 0,
            TypeForm::Single(_) => 1,
            TypeForm::Array(..) | TypeForm::Data => 2,
        }
    }
}

impl ElementForm {
    fn may_equal(self, other: ElementForm) -> bool {
        use ElementForm::{Any, Index, Literal, Number};
        match (self, other) {
            (Any, _) | (_, Any) => true,
            (Literal, Index | Number) | (Index | Number, Literal) => true,
            _ => self == other,
        }
    }
}

impl Dimensions {
    fn may_equal(self, other: Dimensions) -> bool {
        use Dimensions::{AtLeast, Exactly};
        match (self, other) {
            (Exactly(a), Exactly(b)) => a == b,
            (Exactly(all), AtLeast(least)) | (AtLeast(least), Exactly(all)) => least <= all,
            (AtLeast(_), AtLeast(_)) => true,
        }
    }
}

/// An argument of a call, with its parameter.
struct CallArg {
    term: TermId,
    parameter: Ty,
    wanted: TypeForm,
    form: TypeForm,
}

impl Infer<'_> {
    /// Replaces the messages since `said` about a call by one error if its arguments fit in another
    /// order. `after[i]` is the type of the function after its first `i` arguments. A value that is
    /// piped into the call is one of the arguments if `piped` is true. Returns true if the arguments
    /// fit in another order.
    pub(in crate::infer) fn report_wrong_order(
        &mut self,
        spine: &Spine,
        piped: bool,
        said: usize,
        after: &[Ty],
    ) -> bool {
        let Some(given) = self.given(spine, piped, after) else {
            return false;
        };
        let Some(order) = fitting_order(&given) else {
            return false;
        };
        let moved: Vec<usize> = (0..order.len()).filter(|&at| order[at] != at).collect();
        let Some(&first) = moved.first() else {
            return false;
        };
        self.diagnostics.truncate(said);
        let span_of = |at: usize| self.span(given[at].term);
        let moves: Vec<(Span, Span)> = moved
            .iter()
            .map(|&at| (span_of(at), span_of(order[at])))
            .collect();
        let texts: Vec<String> = moved
            .iter()
            .map(|&at| format!("`{}`", self.source(given[order[at]].term)))
            .collect();
        let function = self.source(spine.head);
        let (message, title) = match &texts[..] {
            [first, second] => (
                format!(
                    "the arguments of `{function}` are swapped: {first} must come before {second}"
                ),
                "Swap the arguments",
            ),
            _ => (
                format!(
                    "the arguments of `{function}` are in the wrong order: the right order is {}",
                    texts.join(", then ")
                ),
                "Put the arguments in order",
            ),
        };
        let wrong = &given[first];
        let found = self.reinfer(|this| this.synth(wrong.term));
        let comparison = match (wrong.wanted, wrong.form) {
            (TypeForm::Data, _) | (_, TypeForm::Function) => String::new(),
            _ => self.comparison(&wrong.parameter, &found),
        };
        let cause = Cause::new(
            self.span(wrong.term),
            CauseCode::Argument {
                head: spine.head,
                term: wrong.term,
            },
        );
        let related = self.cause_places(cause, None);
        let message = format!("{message}{comparison}");
        let error = self.error(codes::TYPE_MISMATCH, cause.span, message);
        error.related = related;
        error.fixes.push(Fix {
            moves,
            ..Fix::preferred(title, Vec::new())
        });
        true
    }

    /// Replaces the messages since `said` about a call by one error if a `fun` among its arguments
    /// has the expected type after its first two parameters are exchanged. Returns true if there is
    /// such a `fun`.
    pub(in crate::infer) fn report_swapped_parameters(
        &mut self,
        spine: &Spine,
        said: usize,
        after: &[Ty],
    ) -> bool {
        for (arg, ty) in spine.args.iter().zip(after) {
            let Some((first, second)) = self.first_parameters(arg.term) else {
                continue;
            };
            let Type::Fun(parameter, _) = &**ty else {
                continue;
            };
            let parameter = self.table.ty(parameter);
            let Some(exchanged) = exchanged(&parameter) else {
                continue;
            };
            let is_right = self.reinfer(|this| {
                let before = this.diagnostics.len();
                this.check_against(arg.term, &exchanged);
                this.diagnostics.len() == before
            });
            if is_right {
                self.diagnostics.truncate(said);
                self.swapped_parameters(spine.head, [first, second], &parameter);
                return true;
            }
        }
        false
    }

    fn swapped_parameters(&mut self, head: TermId, params: [BinderId; 2], given: &Ty) {
        let [first, second] = params.map(|param| self.item.binder(param).name.clone());
        let spans = params.map(|param| self.parameter_span(param));
        let function = self.source(head);
        let gives = match &**given {
            Type::Fun(first, rest) => match &**rest {
                Type::Fun(second, _) => format!(
                    ": `{function}` gives its function {} first, and then {}",
                    self.describe(first),
                    self.describe(second)
                ),
                _ => String::new(),
            },
            _ => String::new(),
        };
        let message = format!("the parameters `{first}` and `{second}` are swapped{gives}");
        let error = self.error(codes::TYPE_MISMATCH, spans[0].cover(spans[1]), message);
        error
            .fixes
            .push(Fix::exchange("Swap the parameters", spans[0], spans[1]));
    }

    /// Returns the first two parameters of a `fun`, of which the second may be that of a `fun`
    /// which is the body of the first; `None` for other terms.
    fn first_parameters(&self, term: TermId) -> Option<(BinderId, BinderId)> {
        let TermKind::Fun { params, body, .. } = &self.item.term(self.bare(term)).kind else {
            return None;
        };
        match (params.first()?, params.get(1)) {
            (&first, Some(&second)) => Some((first, second)),
            (&first, None) => match &self.item.term(self.bare(*body)).kind {
                TermKind::Fun { params, .. } => Some((first, *params.first()?)),
                _ => None,
            },
        }
    }

    /// Returns the arguments of a call that are values, with the one that is piped into it if `piped`
    /// is true; `None` if the form of one of them or of its parameter is unknown.
    fn given(&mut self, spine: &Spine, piped: bool, after: &[Ty]) -> Option<Vec<CallArg>> {
        let mut given = Vec::new();
        for (arg, ty) in spine.args.iter().zip(after) {
            let mut ty = ty;
            while let Type::Pi(pi) = &**ty
                && pi.implicit
            {
                ty = &pi.body;
            }
            let Type::Fun(parameter, _) = &**ty else {
                continue;
            };
            if arg.piped && !piped {
                continue;
            }
            let form = match self.is_lambda(arg.term) {
                true => TypeForm::Function,
                false => {
                    let found = self.reinfer(|this| this.synth(arg.term));
                    self.form(&self.table.ty(&found))
                        .filter(|form| *form != TypeForm::Data)?
                }
            };
            given.push(CallArg {
                term: arg.term,
                parameter: parameter.clone(),
                wanted: self.form_of_parameter(parameter)?,
                form,
            });
        }
        Some(given)
    }

    fn form(&self, ty: &Ty) -> Option<TypeForm> {
        let head = self.table.head(ty);
        match &*head {
            Type::Array(..) => Some(TypeForm::Array(
                self.number_of_dimensions(&head),
                self.element_form(&head),
            )),
            Type::DepArray(..) => Some(TypeForm::Array(Dimensions::AtLeast(1), ElementForm::Any)),
            Type::Scalar(_) | Type::Index(_) | Type::Vector(..) | Type::Pair(..) => {
                Some(TypeForm::Single(self.element_form(&head)))
            }
            Type::Var(_) if self.is_literal(&head) => Some(TypeForm::Single(ElementForm::Literal)),
            ty if is_function(ty) => Some(TypeForm::Function),
            _ => None,
        }
    }

    /// Returns the form of the elements of an array, or of another type, by its own type.
    fn element_form(&self, ty: &Ty) -> ElementForm {
        match &**ty {
            Type::Array(_, elem) => self.element_form(elem),
            Type::Scalar(ScalarType::Bool) => ElementForm::Boolean,
            Type::Scalar(_) => ElementForm::Number,
            Type::Index(_) => ElementForm::Index,
            _ => ElementForm::Any,
        }
    }

    /// Returns the number of dimensions of an array by its own type: the solutions of unification
    /// variables are not considered.
    fn number_of_dimensions(&self, array: &Ty) -> Dimensions {
        let (mut count, mut elem) = (0, array);
        while let Type::Array(_, inner) = &**elem {
            count += 1;
            elem = inner;
        }
        let is_known = match &**elem {
            Type::Var(var) => {
                self.table.is_rigid(*var) || !self.table.info(*var).classes.allows_arrays()
            }
            Type::DepArray(..) | Type::Apply(..) | Type::Error => false,
            _ => true,
        };
        match is_known {
            true => Dimensions::Exactly(count),
            false => Dimensions::AtLeast(count),
        }
    }

    /// Returns the form of a parameter by its own type, whatever the other arguments are; `None` if
    /// it may be a function or data, or if its type is of another form.
    fn form_of_parameter(&self, ty: &Ty) -> Option<TypeForm> {
        match &**ty {
            Type::Var(var) => {
                let functions = self.table.info(*var).classes.allows_functions();
                (!functions).then_some(TypeForm::Data)
            }
            _ => self.form(ty),
        }
    }
}

/// Returns the type `ty` of a function of at least two values with its first two parameters
/// exchanged; `None` if these have one type, or for other types.
fn exchanged(ty: &Ty) -> Option<Ty> {
    let Type::Fun(first, rest) = &**ty else {
        return None;
    };
    let Type::Fun(second, result) = &**rest else {
        return None;
    };
    let rest = Arc::new(Type::Fun(first.clone(), result.clone()));
    (first != second).then(|| Arc::new(Type::Fun(second.clone(), rest)))
}

/// Returns for each parameter the index of an argument that fits it; `None` if the written order
/// fits already, if no order does, or if there are more than [`MAX_ARGUMENTS`] arguments. Arguments
/// of one form keep their order.
fn fitting_order(given: &[CallArg]) -> Option<Vec<usize>> {
    let fits = given.iter().all(|given| given.wanted.takes(given.form));
    if fits || given.len() > MAX_ARGUMENTS {
        return None;
    }
    let mut order = Vec::new();
    extend_order(given, &mut order).then_some(order)
}

/// Extends an order of the first arguments to all of them by backtracking; returns false if that is
/// impossible.
fn extend_order(given: &[CallArg], order: &mut Vec<usize>) -> bool {
    let Some(parameter) = given.get(order.len()) else {
        return true;
    };
    let mut unused: Vec<usize> = (0..given.len()).filter(|at| !order.contains(at)).collect();
    unused.sort_by_key(|&at| given[at].form.rank());
    let mut tried: Vec<TypeForm> = Vec::new();
    for next in unused {
        let form = given[next].form;
        if tried.contains(&form) || !parameter.wanted.takes(form) {
            continue;
        }
        tried.push(form);
        order.push(next);
        if extend_order(given, order) {
            return true;
        }
        order.pop();
    }
    false
}
