//! Messages about initial values of reductions and scans of another form than the accumulators of
//! their functions.

use syntax::ast::{BinaryOp, Literal, Name, ScalarType, TermId, TermKind};
use syntax::{Fix, Span};

use super::super::Infer;
use super::types::float_suffix;
use crate::classes::Classes;
use crate::codes;
use crate::primitive::Primitive;
use crate::spine::{Spine, SpineArg};
use crate::types::{Ty, Type};

/// The arguments of a reduction or scan, by their positions.
struct Accumulation {
    /// The position of the function.
    function: usize,
    /// The position of the initial value.
    initial: usize,
}

impl Infer<'_> {
    /// Replaces the messages since `said` about a reduction whose function has an accumulator of
    /// another form than the initial value, such as an array instead of a number. `after[i]` is the
    /// type of the reduction after its first `i` arguments; the first `given` arguments are no
    /// values. Returns true if it replaced them.
    pub(in crate::infer) fn report_initial_value(
        &mut self,
        spine: &Spine,
        given: usize,
        said: usize,
        after: &[Ty],
    ) -> bool {
        let Some((call, [function, initial])) = accumulation_of(spine, after) else {
            return false;
        };
        let (function, initial) = (function.term, initial.term);
        let accumulator = self.reinfer(|this| this.accumulator(spine, given, &call, true));
        let found = self.reinfer(|this| this.synth(initial));
        let Some(accumulator) = accumulator.filter(|wanted| !self.has_form_of(wanted, &found))
        else {
            let element = self.reinfer(|this| this.accumulator(spine, given, &call, false));
            let is_scalar_of_pairs = element.is_some_and(|wanted| {
                matches!(&*self.table.head(&wanted), Type::Pair(..))
                    && !self.has_form_of(&wanted, &found)
            });
            if is_scalar_of_pairs && self.source(spine.head) == "reduce" {
                self.advise_against_reduce(initial, said);
            }
            return false;
        };
        self.diagnostics.truncate(said);
        self.wrong_initial_value(spine.head, function, initial, &accumulator, &found);
        true
    }

    /// Replaces the messages since `said` about a reduction by one error if an array is where it
    /// takes the initial value, the array is its last argument, and the function fits the elements.
    /// `after` and `given` are as in [`Self::report_initial_value`]. Returns true if it replaced
    /// them.
    pub(in crate::infer) fn report_missing_initial_value(
        &mut self,
        spine: &Spine,
        given: usize,
        said: usize,
        after: &[Ty],
    ) -> bool {
        let Some((call, [function, array])) = accumulation_of(spine, after) else {
            return false;
        };
        if call.initial < call.function || call.initial + 1 != spine.args.len() {
            return false;
        }
        let found = self.reinfer(|this| this.synth(array.term));
        if !matches!(&*self.table.head(&found), Type::Array(..)) {
            return false;
        }
        let whole = Spine {
            head: spine.head,
            args: spine.args.iter().copied().chain([array]).collect(),
            results: Vec::new(),
        };
        let Some(accumulator) = self.reinfer(|this| this.accumulator(&whole, given, &call, true))
        else {
            return false;
        };
        self.diagnostics.truncate(said);
        let neutral = self.neutral_value(function.term, &accumulator);
        let (reduction, text) = (self.source(spine.head), self.source(array.term));
        let before = spine.args[..call.initial].iter();
        let called = before.fold(reduction.clone(), |called, arg| {
            format!("{called}({})", self.source(arg.term))
        });
        let called = format!("{called}({})", neutral.as_deref().unwrap_or("…"));
        let written = match array.piped {
            true => format!("{text} |> {called}"),
            false => format!("{called}({text})"),
        };
        // The arguments may be in one list or in lists of their own.
        let stage = spine.after(call.initial);
        let (place, open, close) = match stage == spine.head {
            true => (self.span(function.term).end, ", ", ""),
            false => (self.span(stage).end, "(", ")"),
        };
        let fix = neutral.map(|neutral| {
            let edits = vec![(Span::empty(place), format!("{open}{neutral}{close}"))];
            Fix::preferred(format!("Write `{called}`"), edits)
        });
        let message = format!("the initial value of `{reduction}` is missing before the array");
        self.error(codes::TYPE_MISMATCH, self.span(array.term), message)
            .advise(Some(format!("write `{written}`")), fix);
        true
    }

    /// Returns the text of the value that leaves each other value of the type unchanged if the
    /// function is a sum or a product of numbers; `None` for other functions and types.
    pub(super) fn neutral_value(&self, function: TermId, ty: &Ty) -> Option<String> {
        let function = self.bare(function);
        let is = |op, primitive| {
            self.item.term(function).kind == TermKind::Operator(op)
                || self.is_primitive(function, &[primitive])
        };
        let digit = match () {
            _ if is(BinaryOp::Add, Primitive::Add) => "0",
            _ if is(BinaryOp::Mul, Primitive::Mul) => "1",
            _ => return None,
        };
        match &*self.table.head(ty) {
            Type::Scalar(ScalarType::Bool) => None,
            Type::Scalar(scalar) => Some(match float_suffix(*scalar) {
                Some(suffix) => format!("{digit}.0{suffix}"),
                None => digit.to_owned(),
            }),
            _ => None,
        }
    }

    /// Adds to the first message since `said`, if it is about the initial value of a `reduce` of
    /// pairs, how to combine pairs with a value of another type.
    fn advise_against_reduce(&mut self, initial: TermId, said: usize) {
        let span = self.span(initial);
        if let Some(error) = self
            .diagnostics
            .get_mut(said)
            .filter(|error| error.span == span)
        {
            error.help = Some(
                "the function of `reduce` combines two elements: make a number of each pair before, \
                 as in `map(fun(p => p._1 * p._2)) |> reduce(add)(0.0f)`, or take `reduceSeq`, whose \
                 accumulator may have another type"
                    .to_owned(),
            );
        }
    }

    /// Infers the accumulator's type from the arguments other than the initial value, and other
    /// than the function unless `with_function` is true; returns `None` if that reports errors.
    fn accumulator(
        &mut self,
        spine: &Spine,
        given: usize,
        call: &Accumulation,
        with_function: bool,
    ) -> Option<Ty> {
        let said = self.diagnostics.len();
        let mut ty = self.head_of(spine.head, spine.args.len())?.ty;
        let mut expected = vec![None; given];
        for _ in &spine.args[given..] {
            ty = self.instantiate_prefix(ty, spine.head);
            let Type::Fun(parameter, rest) = &*ty.clone() else {
                return None;
            };
            expected.push(Some(parameter.clone()));
            ty = rest.clone();
        }
        let values =
            (given..spine.args.len()).filter(|at| ![call.function, call.initial].contains(at));
        for at in values.chain(with_function.then_some(call.function)) {
            let term = spine.args[at].term;
            self.check_against(term, expected[at].as_ref()?);
        }
        let accumulator = self.table.ty(expected[call.initial].as_ref()?);
        (self.diagnostics.len() == said).then_some(accumulator)
    }

    /// Returns false if `wanted` is an array, a pair or a vector where `found` is a scalar, and
    /// true otherwise. The elements of two arrays are compared in the same way. An undetermined
    /// literal counts as a scalar, except where a vector is wanted.
    fn has_form_of(&self, wanted: &Ty, found: &Ty) -> bool {
        let (wanted, found) = (self.table.head(wanted), self.table.head(found));
        match (&*wanted, &*found) {
            (Type::Array(_, wanted), Type::Array(_, found)) => self.has_form_of(wanted, found),
            (Type::Array(..) | Type::Pair(..) | Type::Vector(..), Type::Scalar(_)) => false,
            (Type::Array(..) | Type::Pair(..), Type::Var(_)) => !self.is_literal(&found),
            _ => true,
        }
    }

    fn wrong_initial_value(
        &mut self,
        head: TermId,
        function: TermId,
        initial: TermId,
        accumulator: &Ty,
        found: &Ty,
    ) {
        let text = self.value_of_form(accumulator, initial, &mut Vec::new());
        let (reduction, wanted) = (self.source(head), self.describe(accumulator));
        let comparison = match self.is_literal(found) {
            true => String::new(),
            false => self.comparison(accumulator, found),
        };
        let given = self.describe(found);
        let (span, place) = (self.span(initial), self.head_span(function));
        let message = format!(
            "the accumulator of `{reduction}` is {wanted}, and its initial value is {given}{comparison}"
        );
        let error = self.error(codes::TYPE_MISMATCH, span, message);
        error.relate(place, format!("this function takes and gives {wanted}"));
        if let Some(text) = text {
            error.advise(
                Some(format!("write `{text}`")),
                Some(Fix::write(span, text)),
            );
        }
    }

    /// Returns the text of a value of the type `ty` all of whose scalars are the literal at
    /// `scalar`, if the literal can have these types and there are at most 4 nested arrays;
    /// `indices` are the names of the enclosing functions' parameters.
    fn value_of_form(&self, ty: &Ty, scalar: TermId, indices: &mut Vec<Name>) -> Option<String> {
        match &*self.table.head(ty) {
            Type::Array(_, elem) => {
                let index = ["i", "j", "k", "l"].get(indices.len())?;
                indices.push(Name::new_static(index));
                let elem = self.value_of_form(elem, scalar, indices);
                indices.pop();
                Some(format!("generate(fun({index} => {}))", elem?))
            }
            Type::Pair(first, second) => {
                let first = self.value_of_form(first, scalar, indices)?;
                let second = self.value_of_form(second, scalar, indices)?;
                Some(format!("({first}, {second})"))
            }
            Type::Vector(_, elem) => {
                let elem = self.value_of_form(elem, scalar, indices)?;
                Some(format!("vectorFromScalar({elem})"))
            }
            Type::Scalar(wanted) => self.literal_of(scalar, *wanted),
            Type::Var(_) => Some(self.source(scalar)),
            _ => None,
        }
    }

    /// Returns the text of the term if it is a literal that can have the wanted type.
    fn literal_of(&self, term: TermId, wanted: ScalarType) -> Option<String> {
        let TermKind::Literal(literal) = &self.item.term(self.bare(term)).kind else {
            return None;
        };
        let fits = match literal {
            Literal::Int { suffix, .. } => {
                suffix.is_none_or(|own| own == wanted) && wanted != ScalarType::Bool
            }
            Literal::Float { suffix, .. } => match suffix {
                Some(own) => *own == wanted,
                None => Classes::of_type(&Type::Scalar(wanted))
                    .is_some_and(|classes| classes.within(Classes::FLOAT_LITERAL)),
            },
            Literal::Bool(_) => wanted == ScalarType::Bool,
        };
        fits.then(|| self.source(term))
    }
}

/// Returns the arguments of a reduction that [`accumulation`] finds, with their positions: the
/// function, and what is in the place of the initial value. `None` if one of them is not given.
fn accumulation_of(spine: &Spine, after: &[Ty]) -> Option<(Accumulation, [SpineArg; 2])> {
    let call = accumulation(after)?;
    let function = *spine.args.get(call.function)?;
    let initial = *spine.args.get(call.initial)?;
    Some((call, [function, initial]))
}

/// Finds the function and the initial value of a reduction by its type: the result of the function,
/// which takes two values, has the type of the initial value and of one of the function's
/// parameters. `after[i]` is the type of the reduction after its first `i` arguments.
fn accumulation(after: &[Ty]) -> Option<Accumulation> {
    let parameters: Vec<Option<&Ty>> = after
        .iter()
        .map(|ty| match &**ty {
            Type::Fun(parameter, _) => Some(parameter),
            _ => None,
        })
        .collect();
    let (function, accumulator) = parameters.iter().enumerate().find_map(|(at, parameter)| {
        let Type::Fun(first, rest) = &***(parameter.as_ref()?) else {
            return None;
        };
        let Type::Fun(second, result) = &**rest else {
            return None;
        };
        let is_taken = first == result || second == result;
        (is_taken && matches!(**result, Type::Var(_))).then_some((at, result))
    })?;
    let initial = parameters
        .iter()
        .position(|parameter| *parameter == Some(accumulator))?;
    Some(Accumulation { function, initial })
}
