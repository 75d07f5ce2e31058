//! Messages about operators whose operands are not two numbers of one type.

use std::sync::Arc;

use syntax::ast::{BinaryOp, Name, ScalarType, TermId, TermKind};
use syntax::{Fix, Span};

use super::super::unify::Cause;
use super::super::{Infer, LocalBinding};
use super::is_function;
use crate::classes::Classes;
use crate::codes;
use crate::primitive::Primitive;
use crate::print;
use crate::snippet::snippet_with_names;
use crate::types::{Ty, Type};

/// A help text and the fix that implements it.
pub(super) struct Suggestion {
    pub help: String,
    pub fix: Option<Fix>,
}

impl Suggestion {
    pub(super) fn advice(help: String) -> Suggestion {
        Suggestion { help, fix: None }
    }
}

/// The form of an operand, on which the remedy depends.
enum Operand {
    Array,
    Pair,
    Vector,
    /// A scalar, or a number whose type is not known yet.
    Scalar,
}

/// The function that applies an operator to each element of an array, and the reason for it.
const ARRAYS: (&str, &str) = ("map", "an operator works on single elements");
/// The function that applies an operator to each lane of a vector, and the reason for it.
const VECTORS: (&str, &str) = ("mapVec", "this operator works on single lanes of a vector");

impl Infer<'_> {
    /// Reports `a > f`, where `a |> f` is meant. Returns false if the right operand is no function.
    pub(in crate::infer) fn reported_pipe(&mut self, lhs: TermId, rhs: TermId, right: &Ty) -> bool {
        if !is_function(&self.table.head(right)) {
            return false;
        }
        let sign = self.item.terms.iter().find_map(|whole| match &whole.kind {
            TermKind::Binary {
                lhs: own, op_span, ..
            } if *own == lhs => Some(*op_span),
            _ => None,
        });
        let text = self.source(rhs);
        let message = format!("`>` compares two numbers, and `{text}` is a function");
        let span = self.span(rhs);
        let fix = sign.map(|sign| Fix::preferred("Write `|>`", vec![(sign, "|>".to_owned())]));
        self.error(codes::TYPE_MISMATCH, span, message)
            .advise(Some("`|>` passes a value to a function".to_owned()), fix);
        true
    }

    /// Adds the remedy for these operands to the last error, which is about an operator. Removes
    /// the error if the fix of an earlier one corrects it, too, except where messages are discarded.
    pub(in crate::infer) fn mend_operator(
        &mut self,
        op: BinaryOp,
        (lhs, left): (TermId, &Ty),
        (rhs, right): (TermId, &Ty),
    ) {
        let mend = (self.mended_precedence(op, left, (rhs, right)))
            .or_else(|| self.mended_operator(op, (lhs, left), (rhs, right)));
        let Some(mend) = mend else { return };
        let corrects = |fix: &Fix| self.diagnostics.iter().any(|said| said.fixes.contains(fix));
        if self.quiet == 0 && mend.fix.as_ref().is_some_and(corrects) {
            self.diagnostics.pop();
        } else if let Some(error) = self.diagnostics.last_mut() {
            error.advise(Some(mend.help), mend.fix);
        }
    }

    /// Returns the remedy `a + (xs |> f)` for `a + xs |> f`, which applies the operator before the
    /// pipe, if the whole pipeline gives a value of the type `left` for an array. `rhs` is the right
    /// operand, an array.
    fn mended_precedence(
        &mut self,
        op: BinaryOp,
        left: &Ty,
        (rhs, right): (TermId, &Ty),
    ) -> Option<Suggestion> {
        let is_array = |this: &Self, ty| matches!(this.operand(ty), Some(Operand::Array));
        if self.in_dpia() || !is_array(self, right) || is_array(self, left) {
            return None;
        }
        let stages = self.stages_behind(rhs);
        let &last = stages.last()?;
        let result = self.reinfer(|this| this.result_of_stages(right, &stages))?;
        let cause = Cause::context(self.span(last));
        if !self.attempt(left, &result, cause) {
            return None;
        }
        let steps = stages.iter().map(|stage| self.source(*stage));
        let steps: Vec<String> = [self.source(rhs)].into_iter().chain(steps).collect();
        let written = format!("({})", steps.join(" |> "));
        Some(Suggestion {
            help: format!(
                "`{}` is applied before `|>`: write `{written}`",
                op.as_str()
            ),
            fix: Some(Fix::surround(
                format!("Write `{written}`"),
                self.span(rhs).cover(self.span(last)),
                "(",
                ")",
            )),
        })
    }

    /// Returns the stages that the expression with operators which ends with `operand` is piped
    /// into, in their order.
    fn stages_behind(&self, operand: TermId) -> Vec<TermId> {
        let mut whole = operand;
        let mut stages = Vec::new();
        while let Some(outer) = self.parent(whole, |kind, own| match kind {
            TermKind::Binary {
                op: BinaryOp::Pipe,
                lhs,
                ..
            } => *lhs == own,
            TermKind::Binary { rhs, .. } => *rhs == own && stages.is_empty(),
            _ => false,
        }) {
            if let TermKind::Binary {
                op: BinaryOp::Pipe,
                rhs,
                ..
            } = self.item.term(outer).kind
            {
                stages.push(rhs);
            }
            whole = outer;
        }
        stages
    }

    /// Infers the type of a value of type `value` that is piped into the stages; returns `None` if
    /// one of them does not fit.
    fn result_of_stages(&mut self, value: &Ty, stages: &[TermId]) -> Option<Ty> {
        let mut value = value.clone();
        for &stage in stages {
            let result = self.open_type("t", Classes::DATA, stage);
            let expected = Arc::new(Type::Fun(value, result.clone()));
            if !self.check_against(stage, &expected) {
                return None;
            }
            value = self.table.ty(&result);
        }
        Some(value)
    }

    pub(super) fn mended_operator(
        &self,
        op: BinaryOp,
        (lhs, left): (TermId, &Ty),
        (rhs, right): (TermId, &Ty),
    ) -> Option<Suggestion> {
        if self.in_dpia() || matches!(op, BinaryOp::And | BinaryOp::Or) {
            return None;
        }
        let (a, b) = (self.source(lhs), self.source(rhs));
        let word = op.as_str();
        if let Some(help) = self.help_for_index(op, (lhs, left), (rhs, right)) {
            return Some(Suggestion::advice(help));
        }
        let operands = (self.operand(left)?, self.operand(right)?);
        if let (Operand::Array, _) | (_, Operand::Array) = operands
            && let Some(mend) = self.mapped_expression(lhs, rhs)
        {
            return Some(mend);
        }
        match operands {
            (Operand::Array, Operand::Array) => self.zipped(word, lhs, rhs),
            (Operand::Array, _) => self.mapped(ARRAYS, word, lhs, rhs, true),
            (_, Operand::Array) => self.mapped(ARRAYS, word, lhs, rhs, false),
            (Operand::Vector, Operand::Scalar) if !works_on_vectors(op) => {
                self.on_lanes(word, lhs, rhs, true)
            }
            (Operand::Scalar, Operand::Vector) if !works_on_vectors(op) => {
                self.on_lanes(word, lhs, rhs, false)
            }
            (Operand::Vector, Operand::Scalar) => Some(self.as_vector(rhs)),
            (Operand::Scalar, Operand::Vector) => Some(self.as_vector(lhs)),
            (Operand::Pair, Operand::Pair) => Some(self.on_halves(word, lhs, rhs)),
            (Operand::Pair, _) => Some(half(&a)),
            (_, Operand::Pair) => Some(half(&b)),
            _ => None,
        }
    }

    /// Returns the remedy for an operation on arrays inside other operations, with one `map` for the
    /// whole expression; `None` if the operation is the whole one, or if the expression consists of
    /// more than operators, numbers and the names of at most two arrays.
    fn mapped_expression(&self, lhs: TermId, rhs: TermId) -> Option<Suggestion> {
        let operation = self.operation(lhs, rhs)?;
        let mut whole = operation;
        while let Some(outer) = self.parent(whole, |kind, own| match kind {
            TermKind::Binary { op, lhs, rhs, .. } => {
                is_arithmetic(*op) && [*lhs, *rhs].contains(&own)
            }
            TermKind::Paren(inner) => *inner == own,
            _ => false,
        }) {
            whole = outer;
        }
        if self.bare(whole) == operation {
            return None;
        }
        let span = self.span(whole);
        let parts = self
            .item
            .terms
            .iter()
            .filter(|term| span.contains(term.span));
        let mut arrays: Vec<&Name> = Vec::new();
        let mut uses: Vec<(Span, &Name)> = Vec::new();
        for part in parts {
            match &part.kind {
                TermKind::Name(name) => match &self.lookup(name)?.meaning {
                    LocalBinding::Value(ty) if matches!(self.operand(ty), Some(Operand::Array)) => {
                        uses.push((part.span, name));
                        if !arrays.contains(&name) {
                            arrays.push(name);
                        }
                    }
                    LocalBinding::Value(_) => {}
                    LocalBinding::TypeLevel(..) | LocalBinding::Broken => return None,
                },
                TermKind::Binary { op, .. } if is_arithmetic(*op) => {}
                TermKind::Paren(_) | TermKind::Unary { .. } | TermKind::Literal(_) => {}
                _ => return None,
            }
        }
        let first = self.new_name(&["x", "a", "element"])?;
        let second = self.new_name(&["y", "b", "other"])?;
        let (value, parameter) = match arrays[..] {
            [xs] => (xs.to_string(), first.to_owned()),
            [xs, ys] => (format!("zip({xs})({ys})"), format!("({first}, {second})")),
            _ => return None,
        };
        let element = |name: &Name| match arrays.iter().position(|array| *array == name) {
            Some(0) => first.to_owned(),
            Some(_) => second.to_owned(),
            None => name.to_string(),
        };
        let body = snippet_with_names(self.item, whole, &element);
        let open = format!("{value} |> map(fun({parameter} => ");
        let (before, after) = self.brackets(whole);
        let uses = uses.iter().map(|(span, name)| (*span, element(name)));
        let mut edits = vec![(Span::empty(span.start), format!("{before}{open}"))];
        edits.extend(uses);
        edits.push((Span::empty(span.end), format!(")){after}")));
        Some(Suggestion {
            help: format!("an operator works on single elements: `{open}{body}))`"),
            fix: Some(Fix::preferred(
                "Compute the expression for each element with `map`",
                edits,
            )),
        })
    }

    /// Returns true if both operands are scalars or undetermined number literals, so that a
    /// conversion of one is sufficient.
    pub(in crate::infer) fn are_scalars(&mut self, left: &Ty, rhs: TermId) -> bool {
        let right = self.reinfer(|this| this.synth(rhs));
        [left, &right]
            .into_iter()
            .all(|ty| matches!(self.operand(ty), Some(Operand::Scalar)))
    }

    fn operand(&self, ty: &Ty) -> Option<Operand> {
        let head = self.table.head(ty);
        match &*head {
            Type::Array(..) => Some(Operand::Array),
            Type::Pair(..) => Some(Operand::Pair),
            Type::Vector(..) => Some(Operand::Vector),
            Type::Scalar(_) => Some(Operand::Scalar),
            Type::Var(_) if self.is_literal(&head) => Some(Operand::Scalar),
            _ => None,
        }
    }

    /// Suggests to apply the operator to each half: `(a._1 + b._1, a._2 + b._2)`.
    fn on_halves(&self, op: &str, lhs: TermId, rhs: TermId) -> Suggestion {
        let (a, b) = (self.source(lhs), self.source(rhs));
        let text = format!("({a}._1 {op} {b}._1, {a}._2 {op} {b}._2)");
        let are_names = [lhs, rhs]
            .into_iter()
            .all(|term| matches!(self.item.term(term).kind, TermKind::Name(_)));
        let span = self.span(lhs).cover(self.span(rhs));
        Suggestion {
            help: format!("compute with each component: `{text}`"),
            fix: are_names.then(|| Fix::write(span, text.clone())),
        }
    }

    /// Adds the remedy `xs |> map(neg)` to the last error, if the operand is an array.
    pub(in crate::infer) fn mend_negation(&mut self, operand: TermId, ty: &Ty) {
        if self.in_dpia() || !matches!(self.operand(ty), Some(Operand::Array)) {
            return;
        }
        let is_whole = |term: &TermKind| matches!(term, TermKind::Unary { operand: own, .. } if *own == operand);
        let Some(whole) = self.item.terms.iter().position(|term| is_whole(&term.kind)) else {
            return;
        };
        let (before, after) = self.brackets(TermId(whole as u32));
        let (start, span) = (self.item.terms[whole].span.start, self.span(operand));
        let text = self.source(operand);
        if let Some(error) = self.diagnostics.last_mut() {
            error.help = Some(format!(
                "an operator works on single elements: `{text} |> map(neg)`"
            ));
            error.fixes.push(Fix::preferred(
                "Apply the operator to each element with `map`",
                vec![
                    (Span::new(start, span.start), before),
                    (Span::empty(span.end), format!(" |> map(neg){after}")),
                ],
            ));
        }
    }

    fn as_vector(&self, scalar: TermId) -> Suggestion {
        let (text, span) = (self.source(scalar), self.span(scalar));
        let written = format!("vectorFromScalar({text})");
        Suggestion {
            help: format!("make a vector of the scalar: `{written}`"),
            fix: Some(Fix::surround(
                format!("Write `{written}`"),
                span,
                "vectorFromScalar(",
                ")",
            )),
        }
    }

    /// Returns the remedy `zip(xs)(ys) |> map(fun((x, y) => x + y))`.
    fn zipped(&self, op: &str, lhs: TermId, rhs: TermId) -> Option<Suggestion> {
        let (a, b) = (self.source(lhs), self.source(rhs));
        let each = format!("map(fun((x, y) => x {op} y))");
        let (before, after) = self.brackets(self.operation(lhs, rhs)?);
        let (left, right) = (self.span(lhs), self.span(rhs));
        Some(Suggestion {
            help: format!("an operator works on single elements: `zip({a})({b}) |> {each}`"),
            fix: Some(Fix::preferred(
                "Apply the operator to the elements with `zip` and `map`",
                vec![
                    (Span::empty(left.start), format!("{before}zip(")),
                    (Span::new(left.end, right.start), ")(".to_owned()),
                    (Span::empty(right.end), format!(") |> {each}{after}")),
                ],
            )),
        })
    }

    /// Returns the help to compute with the number of an index and to make an index of the result,
    /// if an operand of `+`, `-`, `*`, `/` or `%` is an index and the other an index, a `natType`
    /// or a literal.
    fn help_for_index(
        &self,
        op: BinaryOp,
        (lhs, left): (TermId, &Ty),
        (rhs, right): (TermId, &Ty),
    ) -> Option<String> {
        let heads = [left, right].map(|ty| self.table.ty(ty));
        let size = heads.iter().find_map(|ty| match &**ty {
            Type::Index(size) => Some(size),
            _ => None,
        })?;
        let mut is_known = true;
        size.for_each_var(&mut |var| is_known &= !self.table.is_open(var));
        if !is_known || !(works_on_vectors(op) || op == BinaryOp::Mod) {
            return None;
        }
        let sides = [(lhs, &heads[0]), (rhs, &heads[1])].map(|(term, ty)| match &**ty {
            Type::Index(_) => Some(format!("indexAsNat({})", self.source(term))),
            Type::Scalar(ScalarType::NatType) => Some(self.source(term)),
            _ if self.is_literal(ty) => Some(self.source(term)),
            _ => None,
        });
        let [Some(a), Some(b)] = sides else {
            return None;
        };
        let names = self.names_within(&[&heads[0], &heads[1]]);
        let (size, op) = (print::nat_text(size, &names), op.as_str());
        Some(format!(
            "compute with the number, and make an index of the result: `natAsIndex({size})({a} {op} {b})`"
        ))
    }

    /// Returns the remedy `v |> mapVec(fun(x => x % 5))`; the vector is the left operand if
    /// `is_left` is true. For the condition of a `select` the help is to choose in each lane.
    fn on_lanes(&self, op: &str, lhs: TermId, rhs: TermId, is_left: bool) -> Option<Suggestion> {
        let mend = self.mapped(VECTORS, op, lhs, rhs, is_left)?;
        if !self.is_condition_of_select(self.operation(lhs, rhs)?) {
            return Some(mend);
        }
        let (vector, condition) = match is_left {
            true => (lhs, format!("x {op} {}", self.source(rhs))),
            false => (rhs, format!("{} {op} x", self.source(lhs))),
        };
        let vector = self.source(vector);
        Some(Suggestion {
            help: format!(
                "choose for each lane: `{vector} |> mapVec(fun(x => select({condition})(…)(…)))`"
            ),
            fix: None,
        })
    }

    fn is_condition_of_select(&self, condition: TermId) -> bool {
        let takes_it = |term: &TermKind| match term {
            TermKind::Apply { callee, args } => {
                let first = args.first().map(|arg| self.bare(*arg));
                first == Some(condition) && self.is_primitive(*callee, &[Primitive::Select])
            }
            _ => false,
        };
        self.item.terms.iter().any(|term| takes_it(&term.kind))
    }

    /// Returns the remedy `xs |> map(fun(x => x + 1.0f))`; the array is the left operand if
    /// `is_left` is true.
    fn mapped(
        &self,
        (map, reason): (&str, &str),
        op: &str,
        lhs: TermId,
        rhs: TermId,
        is_left: bool,
    ) -> Option<Suggestion> {
        let (a, b) = (self.source(lhs), self.source(rhs));
        let element = self.new_name(&["x", "y", "z", "e", "element"])?;
        let (before, after) = self.brackets(self.operation(lhs, rhs)?);
        let (left, right) = (self.span(lhs), self.span(rhs));
        let between = Span::new(left.end, right.start);
        let open = format!(" |> {map}(fun({element} => ");
        let start = (Span::empty(left.start), before);
        let (text, edits, moves) = match is_left {
            true => (
                format!("{a}{open}{element} {op} {b}))"),
                vec![
                    start,
                    (between, format!("{open}{element} {op} ")),
                    (Span::empty(right.end), format!(")){after}")),
                ],
                Vec::new(),
            ),
            false => (
                format!("{b}{open}{a} {op} {element}))"),
                vec![
                    start,
                    (between, open),
                    (Span::empty(right.end), format!(" {op} {element})){after}")),
                ],
                vec![(left, right), (right, left)],
            ),
        };
        let title = format!("Apply the operator to each element with `{map}`");
        Some(Suggestion {
            help: format!("{reason}: `{text}`"),
            fix: Some(Fix {
                moves,
                ..Fix::preferred(title, edits)
            }),
        })
    }

    /// Returns the first of `names` that the definition does not use as a term.
    pub(super) fn new_name(&self, names: &[&'static str]) -> Option<&'static str> {
        let is_used = |name: &str| {
            let is_name = |term: &TermKind| matches!(term, TermKind::Name(used) if used == name);
            self.item.terms.iter().any(|term| is_name(&term.kind))
        };
        names.iter().copied().find(|name| !is_used(name))
    }

    /// Returns the fix that takes a half of each pair of an array, for `pairs._1`.
    pub(super) fn mapped_half(&self, pairs: TermId, half: &str) -> Option<Fix> {
        let whole = self.parent(
            pairs,
            |kind, own| matches!(kind, TermKind::Project { pair, .. } if *pair == own),
        )?;
        let (before, after) = self.brackets(whole);
        let (span, all) = (self.span(pairs), self.span(whole));
        Some(Fix::preferred(
            format!("Write `|> map({half})`"),
            vec![
                (Span::empty(all.start), before),
                (
                    Span::new(span.end, all.end),
                    format!(" |> map({half}){after}"),
                ),
            ],
        ))
    }

    /// Returns the parentheses that a pipeline needs in the position of a term; both are empty if
    /// it needs none.
    fn brackets(&self, whole: TermId) -> (String, String) {
        let is_inside = self.item.terms.iter().any(|term| match term.kind {
            TermKind::Binary { lhs, rhs, .. } => [lhs, rhs].contains(&whole),
            TermKind::Unary { operand, .. } => operand == whole,
            TermKind::Project { pair, .. } => pair == whole,
            _ => false,
        });
        match is_inside {
            true => ("(".to_owned(), ")".to_owned()),
            false => Default::default(),
        }
    }

    /// Returns the term that applies an infix operator to these two operands.
    fn operation(&self, lhs: TermId, rhs: TermId) -> Option<TermId> {
        let is_it = |term: &TermKind| matches!(term, TermKind::Binary { lhs: a, rhs: b, .. } if (*a, *b) == (lhs, rhs));
        let at = self.item.terms.iter().position(|term| is_it(&term.kind))?;
        Some(TermId(at as u32))
    }

    /// Returns the remedy for a function of two numbers, an operator or a global name, that is
    /// applied to pairs.
    pub(super) fn mended_for_pairs(&self, function: TermId, expected: &Ty) -> Option<Suggestion> {
        let Type::Fun(first, rest) = &*self.table.ty(expected) else {
            return None;
        };
        let Type::Fun(second, result) = &**rest else {
            return None;
        };
        let is_pair = |ty: &Ty| matches!(**ty, Type::Pair(..));
        if ![first, second, result].into_iter().all(is_pair) {
            return None;
        }
        if !self.is_closed(function) {
            return None;
        }
        let [first, second] = ["_1", "_2"]
            .map(|half| self.applied(function, &format!("a.{half}"), &format!("b.{half}")));
        let text = format!("fun(a, b => ({first}, {second}))");
        Some(Suggestion {
            help: format!(
                "write `{text}`, or make a number of each pair before, as in `map(fun(p => p._1 * p._2))`"
            ),
            fix: Some(Fix::write(self.span(function), text)),
        })
    }

    /// Returns the text of a binary function as a function of a pair.
    pub(super) fn on_pairs(&self, function: TermId) -> String {
        format!("fun((x, y) => {})", self.applied(function, "x", "y"))
    }

    fn applied(&self, function: TermId, first: &str, second: &str) -> String {
        let op = match &self.item.term(self.bare(function)).kind {
            TermKind::Operator(op) => Some(op.as_str()),
            TermKind::Name(name) => operator(name),
            _ => None,
        };
        match op {
            Some(op) => format!("{first} {op} {second}"),
            None => format!("{}({first})({second})", self.source(function)),
        }
    }

    /// Returns true if the function is an operator or a name that is not bound in the definition.
    pub(super) fn is_closed(&self, function: TermId) -> bool {
        match &self.item.term(self.bare(function)).kind {
            TermKind::Operator(_) => true,
            TermKind::Name(name) => self.lookup(name).is_none(),
            _ => false,
        }
    }
}

/// Returns true if the operator is defined on vectors as on numbers.
fn works_on_vectors(op: BinaryOp) -> bool {
    use BinaryOp::{Add, Div, Mul, Sub};
    matches!(op, Add | Sub | Mul | Div)
}

fn is_arithmetic(op: BinaryOp) -> bool {
    works_on_vectors(op) || op == BinaryOp::Mod
}

fn half(pair: &str) -> Suggestion {
    Suggestion::advice(format!(
        "take a half of the pair: `{pair}._1` or `{pair}._2`"
    ))
}

/// Returns the arithmetic operator `+`, `-`, `*` or `/` of a primitive; `None` for other names.
fn operator(name: &Name) -> Option<&'static str> {
    Some(match name.as_str() {
        "add" => "+",
        "sub" => "-",
        "mul" => "*",
        "div" => "/",
        _ => return None,
    })
}
