//! Messages about sizes that differ and conditions that fail.

use nat::{Facts, Nat, Prop, Var};
use syntax::ast::{BinderAnnotation, BinderId, ItemKind, Name, TermId, TermKind};
use syntax::{Code, Fix, Span};

use super::super::Infer;
use super::super::obligations::{ConditionOrigin, PendingObligation};
use super::super::unify::{Cause, CauseCode, for_each_var};
use super::operands::Suggestion;
use super::{EquationFailure, is_function};
use crate::codes;
use crate::primitive::Primitive;
use crate::print;
use crate::spine::Spine;
use crate::subst::subst;
use crate::types::{Arg, Names, Obligation, Ty, Type};
use crate::{Target, TermInfo};

/// The greatest number of exchanges of two sizes that are tried.
const MAX_EXCHANGES: usize = 10;

impl Infer<'_> {
    pub(in crate::infer) fn report_sizes(
        &mut self,
        demand: usize,
        a: &Nat,
        b: &Nat,
        outcome: EquationFailure,
    ) {
        let demand = self.demands[demand].clone();
        let cause = demand.cause;
        let (expected, found) = (
            self.table.ty(&demand.expected),
            self.table.ty(&demand.found),
        );
        let comparison = self.comparison(&expected, &found);
        let names = self.names_within(&[&expected, &found]);
        let (left, right) = (print::nat_text(a, &names), print::nat_text(b, &names));
        let origin = match outcome {
            EquationFailure::Differ(_) | EquationFailure::Undecided => self
                .size_fixed_at(&demand.expected, a, cause.span)
                .map(|span| (span, format!("the size `{left}` comes from here"))),
            EquationFailure::Impossible | EquationFailure::Open => None,
        };
        let related = self.cause_places(cause, origin);
        let differs = matches!(outcome, EquationFailure::Differ(_));
        let mend = differs.then(|| self.mended_split(cause)).flatten();
        let order = match differs && mend.is_none() {
            true => self.mended_size_order(cause),
            false => None,
        };
        let row = match differs && mend.is_none() && order.is_none() {
            true => self.help_for_row(cause),
            false => None,
        };
        if let (Some(_), Some((head, _))) = (&row, cause.call()) {
            // Errors about the pairs of rows and numbers follow from this one.
            self.remove_follow_up_errors(head);
        }
        let (code, message, help) = match outcome {
            EquationFailure::Differ(witness) => {
                let why = match self.fails_for(&witness) {
                    Some(sizes) => format!("\nthey differ for {sizes}"),
                    None => String::new(),
                };
                let first = match &mend {
                    Some(_) => format!(
                        "the two sides of `zip` have different sizes: `{left}` and `{right}`"
                    ),
                    None if row.is_some() => format!(
                        "`zip` is given an array of rows and one row: their sizes `{left}` and `{right}` differ"
                    ),
                    None if self.are_swapped(&expected, &found) => format!(
                        "two dimensions are swapped: expected `{}`, found `{}`",
                        self.show(&expected),
                        self.show(&found)
                    ),
                    None => self.size_line(&left, &right, cause),
                };
                let help = (self.split_into_other_rows(cause, &expected, &found))
                    .or_else(|| self.rows_for_columns(cause, a))
                    .or_else(|| self.help_for_repeat(cause))
                    .or_else(|| self.size_help(&expected, &found, a, b));
                (codes::SIZE_MISMATCH, format!("{first}{comparison}{why}"), help)
            }
            EquationFailure::Undecided => (
                codes::SIZE_UNKNOWN,
                format!("cannot tell whether the sizes `{left}` and `{right}` are equal{comparison}"),
                Some("if they are, say so: `assume(size)` makes it an obligation that is checked before each run".to_owned()),
            ),
            EquationFailure::Impossible => self.impossible_size(a, b, cause, &comparison, &names),
            EquationFailure::Open => (
                codes::CANNOT_INFER,
                format!("nothing determines the sizes in `{left}` = `{right}`{comparison}"),
                Some("write one of the sizes or types down".to_owned()),
            ),
        };
        let (help, fix) = match mend.or(order) {
            Some(mend) => (Some(mend.help), mend.fix),
            None if row.is_some() => (row, None),
            None if differs => (help, self.retyped_parameter(cause, &expected, &found)),
            None => (help, None),
        };
        let diagnostic = self.error(code, cause.span, message);
        diagnostic.related = related;
        diagnostic.advise(help, fix);
    }

    /// Returns the remedy for a call whose values have the sizes of their parameters if two of its
    /// explicit sizes are exchanged.
    fn mended_size_order(&self, cause: Cause) -> Option<Suggestion> {
        let (head, _) = cause.call()?;
        let args = self.arguments_of(head);
        let sizes: Vec<TermId> = (args.iter().copied())
            .filter(|arg| self.size_at(*arg).is_some())
            .collect();
        let pairs = (sizes.iter().enumerate())
            .flat_map(|(at, first)| sizes[at + 1..].iter().map(move |second| (*first, *second)));
        let (first, second) = pairs.take(MAX_EXCHANGES).find(|pair| {
            self.fits_after_exchange(head, &args, *pair)
                .unwrap_or(false)
        })?;
        let (function, before, after) =
            (self.source(head), self.source(second), self.source(first));
        Some(Suggestion {
            help: format!("swap the sizes: `{function}` takes `{before}` before `{after}`"),
            fix: Some(Fix::exchange(
                "Swap the sizes",
                self.span(first),
                self.span(second),
            )),
        })
    }

    /// Returns the size that an argument was elaborated to; `None` for other arguments.
    fn size_at(&self, arg: TermId) -> Option<&Nat> {
        match &self.terms[arg.0 as usize] {
            TermInfo::Arg(Arg::Nat(size)) => Some(size),
            _ => None,
        }
    }

    /// Returns true if the arguments other than functions have the types of their parameters after
    /// the two sizes among them are exchanged; `None` if the function at `head` does not take these
    /// arguments.
    fn fits_after_exchange(
        &self,
        head: TermId,
        args: &[TermId],
        (first, second): (TermId, TermId),
    ) -> Option<bool> {
        let mut ty = self.type_of_expr(head)?.clone();
        let mut fits = false;
        for &arg in args {
            ty = match &*ty {
                Type::Pi(pi) if !pi.implicit => {
                    let given = match arg {
                        _ if arg == first => second,
                        _ if arg == second => first,
                        _ => arg,
                    };
                    let size = Arg::Nat(self.size_at(given)?.clone());
                    subst(&pi.body, &|var| (var == pi.var).then(|| size.clone()))
                }
                Type::Fun(parameter, rest) => {
                    let found = self.table.ty(self.type_of_expr(arg)?);
                    if !is_function(&found) {
                        if self.table.ty(parameter) != found {
                            return Some(false);
                        }
                        fits = true;
                    }
                    rest.clone()
                }
                _ => return None,
            };
        }
        Some(fits)
    }

    /// Returns the help for `xs |> split(n)` whose rows should have the length that their number
    /// has; `None` for other values.
    fn split_into_other_rows(&self, cause: Cause, expected: &Ty, found: &Ty) -> Option<String> {
        let Type::Array(_, row) = &**expected else {
            return None;
        };
        if !self.are_swapped(expected, found) {
            return None;
        }
        let stage = self.split_of(self.whole_at(cause.span)?)?;
        let [size] = Spine::of(self.item, stage).args[..] else {
            return None;
        };
        let (stage, size) = (self.source(stage), self.source(size.term));
        let length = self.show_nat(row.size()?);
        Some(format!(
            "`{stage}` makes rows of `{size}` elements: write `split({length})`, or exchange the dimensions with `transpose`"
        ))
    }

    /// Returns the help for a row of a matrix where a column is meant, because the size `wanted` is
    /// the number of rows; `None` for other values.
    fn rows_for_columns(&self, cause: Cause, wanted: &Nat) -> Option<String> {
        let (_, value) = cause.call()?;
        let matrix = self.mapped_array(value)?;
        let dimensions = self.dimensions(self.type_of_expr(matrix)?);
        let is_meant = dimensions.len() >= 2 && dimensions.first() == Some(wanted);
        let (value, matrix) = (self.source(value), self.source(matrix));
        is_meant.then(|| {
            format!("`{value}` is a row of `{matrix}`: the columns are the rows of `{matrix} |> transpose`")
        })
    }

    /// Returns the place where the size `size` in the expected type was determined, if that is
    /// another place than `here`.
    fn size_fixed_at(&self, expected: &Ty, size: &Nat, here: Span) -> Option<Span> {
        let elsewhere = |var: Var| {
            let at = self.table.solved_at(var)?;
            (at != here && !at.is_empty()).then_some(at)
        };
        let length = |length: &Nat| {
            let mut found = None;
            if self.table.nat(length) == *size {
                length.for_each_var(&mut |var| found = found.or_else(|| elsewhere(var)));
            }
            found
        };
        match &**expected {
            Type::Var(var) if self.has_length(&self.table.ty(expected), size) => elsewhere(*var),
            Type::Apply(..) => None,
            ty => (ty.size().and_then(length)).or_else(|| {
                closed_components(ty).find_map(|part| self.size_fixed_at(part, size, here))
            }),
        }
    }

    /// Returns true if the type, to which the solutions are applied, or a part of it has the size
    /// `size`.
    fn has_length(&self, ty: &Ty, size: &Nat) -> bool {
        !matches!(**ty, Type::Apply(..)) && ty.size() == Some(size)
            || closed_components(ty).any(|part| self.has_length(part, size))
    }

    /// Returns the fix that changes a parameter's type to the one that its only use expects, in its
    /// annotation and in the definition's written type; `None` if the parameter has several uses or
    /// the new type is not one over sizes and types that are bound before it. The fix is not
    /// preferred if it changes the written type, as the mistake may as well be the use.
    fn retyped_parameter(&self, cause: Cause, expected: &Ty, found: &Ty) -> Option<Fix> {
        let (_, term) = cause.call()?;
        let target = self.target_of(self.bare(term))?;
        let Target::Binder(param) = target else {
            return None;
        };
        let uses = self.uses.iter().filter(|other| other.target == target);
        let binder = self.item.binder(param);
        let is_outside = |var: Var| {
            !self.table.is_open(var) && self.table.info(var).span.start < binder.span.start
        };
        let mut all_outside = true;
        for_each_var(expected, &mut |var| all_outside &= is_outside(var));
        if uses.count() != 1 || !all_outside {
            return None;
        }
        let annotation = match binder.annotation {
            BinderAnnotation::Type(ty) => Some(ty),
            _ => None,
        };
        let in_signature = self.written_type(param);
        let written: Vec<TermId> = annotation.into_iter().chain(in_signature).collect();
        let is_found = |ty: &TermId| match &self.terms[ty.0 as usize] {
            TermInfo::Arg(Arg::Type(ty)) | TermInfo::Type(ty) => self.table.ty(ty) == *found,
            _ => false,
        };
        if written.is_empty() || !written.iter().all(is_found) {
            return None;
        }
        let text = self.show(expected);
        // Different sizes of one name have the same text.
        if text == self.show(found) {
            return None;
        }
        let mut edits: Vec<(Span, String)> = written
            .into_iter()
            .map(|ty| (self.span(ty), text.clone()))
            .collect();
        edits.sort_by_key(|(span, _)| span.start);
        let title = format!("Change `{}` to `{text}`", binder.name);
        Some(Fix {
            preferred: in_signature.is_none(),
            ..Fix::preferred(title, edits)
        })
    }

    /// Returns the type of a parameter of the definition in the definition's written type.
    fn written_type(&self, param: BinderId) -> Option<TermId> {
        let ItemKind::Def {
            ty: Some(mut ty),
            body,
            ..
        } = self.item.kind
        else {
            return None;
        };
        let (mut body, mut before) = (body, 0);
        loop {
            body = match &self.item.term(body).kind {
                TermKind::Paren(inner) | TermKind::DepFun { body: inner, .. } => *inner,
                TermKind::Fun { .. } if self.patterns.contains(&body) => return None,
                TermKind::Fun { params, body, .. } => {
                    match params.iter().position(|other| *other == param) {
                        Some(at) => {
                            before += at;
                            break;
                        }
                        None => before += params.len(),
                    }
                    *body
                }
                _ => return None,
            };
        }
        loop {
            ty = match self.item.term(ty).kind {
                TermKind::Paren(inner) => inner,
                TermKind::Pi { body, .. } => body,
                TermKind::Arrow(from, _) if before == 0 => {
                    return Some(from).filter(|&from| !self.item.is_absent_type(from));
                }
                TermKind::Arrow(_, rest) => {
                    before -= 1;
                    rest
                }
                _ => return None,
            };
        }
    }

    pub(in crate::infer) fn size_line(&self, left: &str, right: &str, cause: Cause) -> String {
        match cause.why {
            CauseCode::Argument { head, .. } => {
                format!(
                    "`{}` expects the size `{left}` here, and this has `{right}`",
                    self.source(head)
                )
            }
            CauseCode::Piped { head, .. } => {
                format!(
                    "`{}` expects the size `{left}`, and `{right}` is piped into it",
                    self.source(head)
                )
            }
            CauseCode::Operand { op, .. } => format!(
                "the operands of `{}` have different sizes: `{left}` and `{right}`",
                op.as_str()
            ),
            CauseCode::Written { .. } => {
                format!("the definition's type says the size `{left}`, and this has `{right}`")
            }
            CauseCode::Assigned { .. } => {
                format!("the left side of `=` has the size `{left}`, the right side `{right}`")
            }
            CauseCode::Annotated { param } => {
                let name = &self.item.binder(param).name;
                format!("`{name}` is given the size `{left}`, and its annotation says `{right}`")
            }
            CauseCode::Ascribed { .. } => {
                format!("the type written here has the size `{left}`, and this has `{right}`")
            }
            CauseCode::Context => format!("expected the size `{left}`, found `{right}`"),
        }
    }

    /// Returns the help for the mistake that a difference of sizes suggests.
    pub(in crate::infer) fn size_help(
        &self,
        expected: &Ty,
        found: &Ty,
        a: &Nat,
        b: &Nat,
    ) -> Option<String> {
        if self.are_swapped(expected, found) {
            return Some("`transpose` exchanges the two dimensions".into());
        }
        let difference = Nat::sub(a, b);
        if let Some(by) = difference.as_const() {
            let (more, less) = if by > 0 {
                ("expected", "found")
            } else {
                ("found", "expected")
            };
            let by = by.unsigned_abs();
            return Some(format!("the {more} size is {by} more than the {less} one"));
        }
        for (big, small, which) in [(a, b, "expected"), (b, a, "found")] {
            let quotient = Nat::div(big, small);
            let is_factor = small.as_const().is_none()
                && Nat::mul(&quotient, small) == *big
                && (quotient.as_const().is_some() || quotient.as_var().is_some());
            if is_factor && quotient.as_const() != Some(1) {
                let factor = self.show_nat(&quotient);
                return Some(format!("the {which} size is {factor} times the other one"));
            }
        }
        None
    }

    /// Returns true if the first two dimensions of one array type are those of the other one in the
    /// opposite order, and the types have the same other dimensions.
    fn are_swapped(&self, expected: &Ty, found: &Ty) -> bool {
        let (want, have) = (self.dimensions(expected), self.dimensions(found));
        matches!((&*want, &*have), ([w0, w1, w @ ..], [h0, h1, h @ ..])
            if (w0, w1, w) == (h1, h0, h) && w0 != w1)
    }

    pub(in crate::infer) fn dimensions(&self, ty: &Ty) -> Vec<Nat> {
        let mut dimensions = Vec::new();
        let mut ty = self.table.head(ty);
        loop {
            match &*ty.clone() {
                Type::Array(n, elem) => {
                    dimensions.push(self.table.nat(n));
                    ty = self.table.head(elem);
                }
                Type::Fun(_, result) if dimensions.is_empty() => ty = self.table.head(result),
                _ => return dimensions,
            }
        }
    }

    /// Returns the code, the message and the help for an equation such as `4*m = 10` or
    /// `5 + m = 3`, which no `m` solves.
    pub(in crate::infer) fn impossible_size(
        &self,
        a: &Nat,
        b: &Nat,
        cause: Cause,
        comparison: &str,
        names: &Names,
    ) -> (Code, String, Option<String>) {
        let user = match self.size_user(cause) {
            Some(user) => format!("`{user}` needs"),
            None => "expected".to_owned(),
        };
        let (pattern, given) = if self.has_open(a) { (a, b) } else { (b, a) };
        // The sizes of a function that is an argument are those that this function needs.
        let is_needed = self.has_open(a) || self.is_function_argument(cause);
        let at =
            |value: i64| pattern.subst(&|v| self.table.is_open(v).then(|| Nat::constant(value)));
        let (least, next) = (at(0), at(1));
        let size = self.show_nat(given);
        let step = Nat::sub(&next, &least);
        let rest = Nat::sub(given, &least);
        if rest.as_const().is_some_and(|r| r < 0) {
            let least = self.show_nat(&least);
            return (
                codes::NEGATIVE_SIZE,
                match is_needed {
                    true => format!(
                        "{user} a size of at least {least}, found the size {size}{comparison}"
                    ),
                    false => format!(
                        "{user} the size {size}, found a size of at least {least}{comparison}"
                    ),
                },
                None,
            );
        }
        let step_text = self.show_nat(&step);
        if Nat::rem(&rest, &step).as_const().is_some_and(|r| r != 0) {
            let possible = if least.as_const() == Some(0) {
                format!("a size that {step_text} divides")
            } else {
                let least = self.show_nat(&least);
                format!("a size that is {least} plus a multiple of {step_text}")
            };
            let found = match is_needed {
                true => format!("{user} {possible}, found the size {size}"),
                false => format!("{user} the size {size}, found {possible}"),
            };
            return (
                codes::OBLIGATION_FAILS,
                format!("{found}{comparison}"),
                None,
            );
        }
        let mut unknown: Vec<String> = Vec::new();
        pattern.for_each_var(&mut |var| {
            let name = format!("`{}`", names.get(var));
            if self.table.is_open(var) && !unknown.contains(&name) {
                unknown.push(name);
            }
        });
        let (unknown, pattern) = (unknown.join(", "), print::nat_text(pattern, names));
        (
            codes::SIZE_MISMATCH,
            format!(
                "no value of the unknown size {unknown} makes `{pattern}` equal to `{size}`{comparison}"
            ),
            self.help_for_round(cause.span),
        )
    }

    /// Returns the help for a function of `repeat`, `repeatInPlace` or `repeatWhile` whose result has
    /// another size than its argument.
    fn help_for_repeat(&self, cause: Cause) -> Option<String> {
        let CauseCode::Argument { head, .. } = cause.why else {
            return None;
        };
        let repeats = [
            Primitive::Repeat,
            Primitive::RepeatInPlace,
            Primitive::RepeatWhile,
        ];
        self.is_primitive(self.head(head), &repeats).then(|| {
            "each round gets what the last one gives, so that the type must stay the same; `iterate` allows arrays that become shorter"
                .to_owned()
        })
    }

    /// Returns the help about sizes in `iterate`, if the place is in the function of one.
    fn help_for_round(&self, span: Span) -> Option<String> {
        let is_round = self.item.terms.iter().any(|term| match &term.kind {
            TermKind::Apply { callee, args } => {
                args.iter().any(|&arg| self.span(arg).contains(span))
                    && self.is_primitive(self.head(*callee), &[Primitive::Iterate])
            }
            _ => false,
        });
        is_round.then(|| {
            "each round of `iterate` divides the size by the same number: to remove some elements in each round, as `slide` does, write the rounds one after the other, without `iterate`"
                .to_owned()
        })
    }

    /// Returns the function `f` of a call `f(a)(b)`, without parentheses. Any other term, also a pipe
    /// `a |> f`, is returned itself.
    fn head(&self, term: TermId) -> TermId {
        let mut head = self.bare(term);
        while let TermKind::Apply { callee, .. } = self.item.term(head).kind {
            head = self.bare(callee);
        }
        head
    }

    /// Returns the text of the function that the size is wrong for: in `map(take(5))` it is `take`.
    fn size_user(&self, cause: Cause) -> Option<String> {
        match cause.why {
            CauseCode::Argument { term, .. } if self.is_function_argument(cause) => {
                Some(self.source(self.head(term)))
            }
            _ => self.cause_head(cause),
        }
    }

    pub(in crate::infer) fn has_open(&self, nat: &Nat) -> bool {
        nat.any_var(&|v| self.table.is_open(v))
    }

    /// Returns the description of a condition for a message: its instance at this use with the
    /// condition in the terms of the callee's type, or the fixed text of its origin.
    pub(in crate::infer) fn describe_condition(&self, source: &ConditionOrigin) -> String {
        let source = match source {
            ConditionOrigin::Words { words, .. } => return (*words).to_owned(),
            ConditionOrigin::Scheme(source) => source,
        };
        let (user, whose) = match self.item.term(source.head).kind {
            TermKind::Ascribe { .. } => ("the type written here".to_owned(), "it"),
            _ => (format!("`{}`", self.source(source.head)), "its type"),
        };
        let text = print::prop_text(&source.prop, &source.names);
        let prop = self.table.prop(&source.here);
        let prop = match self.with_values(&prop) {
            // The variable of a round has no name in the text.
            values if self.inner_vars(&values).is_empty() => values,
            _ => prop,
        };
        let names = self.names();
        let here = prop.display(&|v| names.get(v)).to_string();
        // The program does not write the names of a primitive's sizes.
        let head = self.source(source.head);
        if let (Prop::AtLeast(size, least), Prop::AtLeast(found, _)) = (&source.prop, &prop)
            && let (Some(_), Some(least), Some(found)) =
                (size.as_var(), least.as_const(), found.as_const())
            && crate::Primitive::from_name(&head).is_some()
        {
            return format!("`{head}` needs a size of at least {least} here, found {found}");
        }
        if let (true, Prop::Equal(assumed, length)) =
            (self.is_primitive(source.head, &[Primitive::Assume]), &prop)
        {
            let [assumed, length] =
                [assumed, length].map(|nat| nat.display(&|v| names.get(v)).to_string());
            return format!(
                "`{head}({assumed})` says that the array has the size {assumed}, and its size is {length}"
            );
        }
        match text == here {
            true => format!("{user} needs {here}, which does not hold"),
            false => format!(
                "{user} needs {here}, which does not hold: {whose} has the condition {text}"
            ),
        }
    }

    pub(in crate::infer) fn condition_fails(
        &mut self,
        prop: &Prop,
        span: Span,
        source: Option<&ConditionOrigin>,
    ) {
        self.clashes += 1;
        let text = self.show_prop(prop);
        let (code, message) = match (prop, source) {
            (_, Some(source)) => (codes::OBLIGATION_FAILS, self.describe_condition(source)),
            (Prop::Divides(a, b), None) if a.as_const() != Some(0) => {
                let (a, b) = (self.show_nat(a), self.show_nat(b));
                (codes::OBLIGATION_FAILS, format!("{a} does not divide {b}"))
            }
            (Prop::AtLeast(a, b), None) if b.as_const() == Some(0) => (
                codes::NEGATIVE_SIZE,
                format!("the size `{}` is negative", self.show_nat(a)),
            ),
            _ => (
                codes::OBLIGATION_FAILS,
                match self.name_at(span) {
                    Some(name) => format!("`{name}` needs {text}, which does not hold"),
                    None => format!("this needs {text}, which does not hold"),
                },
            ),
        };
        if self
            .diagnostics
            .iter()
            .all(|d| d.span != span || d.code != code)
        {
            self.error(code, span, message);
        }
    }

    /// Reports a written condition that contradicts itself or those that are `kept`.
    pub(in crate::infer) fn contradiction(
        &mut self,
        prop: &Prop,
        span: Span,
        kept: &[(Obligation, bool)],
    ) {
        self.clashes += 1;
        let alone = |known: &[&Prop]| {
            let mut facts = Facts::new();
            known.iter().for_each(|known| facts.assume(known));
            facts.excludes(prop)
        };
        let other = kept.iter().find(|(other, _)| alone(&[&other.prop]));
        let message = match alone(&[]) {
            true => "no size meets this condition",
            false => "no size meets both this condition and the conditions before it",
        };
        let error = self.error(codes::OBLIGATION_FAILS, span, message);
        if let Some((other, _)) = other.filter(|(other, _)| other.span != span) {
            error.relate(other.span, "the condition contradicts this one".to_owned());
        }
    }

    /// Returns the name that has exactly this span, if there is one.
    pub(in crate::infer) fn name_at(&self, span: Span) -> Option<Name> {
        let mut terms = self.item.terms.iter().filter(|term| term.span == span);
        terms.find_map(|term| match &term.kind {
            TermKind::Name(name) => Some(name.clone()),
            _ => None,
        })
    }

    pub(in crate::infer) fn condition_not_general(
        &mut self,
        prop: &Prop,
        pending: &PendingObligation,
        at: &[(Var, i64)],
    ) {
        let text = self.show_prop(prop);
        let fails = self
            .fails_for(at)
            .map_or(String::new(), |sizes| format!(": it fails for {sizes}"));
        let message = match pending.taken_by {
            None => format!("this needs {text} for every size that is bound here{fails}"),
            Some(function) => {
                let argument = self.name_at(pending.span).unwrap_or_default();
                let function = self.source(function);
                format!(
                    "`{argument}` needs {text}, which the type of the parameter of `{function}` does not state{fails}"
                )
            }
        };
        self.error(codes::OBLIGATION_FAILS, pending.span, message);
        self.help_to_state(prop, pending);
    }

    pub(in crate::infer) fn condition_unknown(&mut self, prop: &Prop, pending: &PendingObligation) {
        let text = self.show_prop(prop);
        let message = match pending.taken_by {
            None => format!("cannot tell whether {text} holds for every size that is bound here"),
            Some(function) => {
                let argument = self.name_at(pending.span).unwrap_or_default();
                let function = self.source(function);
                format!(
                    "`{argument}` needs {text}: cannot tell whether the type of the parameter of `{function}` states that"
                )
            }
        };
        self.error(codes::SIZE_UNKNOWN, pending.span, message);
        self.help_to_state(prop, pending);
    }

    /// Adds the help to state an argument's condition in the type of the parameter.
    fn help_to_state(&mut self, prop: &Prop, pending: &PendingObligation) {
        let text = self.show_prop(prop);
        if pending.taken_by.is_some()
            && let Some(last) = self.diagnostics.last_mut()
        {
            last.help = Some(format!(
                "write the type of the parameter as `(… where {text})`"
            ));
        }
    }
}

/// Returns the components of a type, or none if the type binds a variable.
fn closed_components(ty: &Type) -> impl Iterator<Item = &Ty> {
    ty.components().filter(|_| ty.binder().is_none())
}
