//! Messages about calls whose arguments have the wrong form or order, with the call to write
//! instead.

use nat::Var;
use syntax::ast::{BinaryOp, Half, Kind, ScalarType, TermId, TermKind};
use syntax::{Fix, Span};

use super::super::unify::{Cause, CauseCode};
use super::super::{Infer, LocalBinding};
use super::is_function;
use super::operands::Suggestion;
use crate::Target;
use crate::codes;
use crate::primitive::{OptionalArgument, Primitive};
use crate::spine::{Spine, SpineArg};
use crate::types::{Ty, Type};

impl Infer<'_> {
    /// Reports an argument that the call does not take if its form tells the intention: a type or
    /// an address space. Returns false otherwise.
    pub(in crate::infer) fn reported_argument(&mut self, spine: &Spine, arg: TermId) -> bool {
        let head = spine.head;
        match &self.item.term(self.bare(arg)).kind {
            TermKind::Scalar(_) if self.is_primitive(head, &[Primitive::Cast]) => {
                self.type_level_in_expression(arg, "a type");
            }
            TermKind::Address(_) if self.may_take(head, OptionalArgument::AddressSpace) => {
                self.comes_first("address space", head, arg);
            }
            _ => return false,
        }
        true
    }

    /// Returns true if the function is a primitive with this optional first argument.
    pub(in crate::infer) fn may_take(&self, head: TermId, optional: OptionalArgument) -> bool {
        let Some(Target::Primitive(primitive)) = self.target_of(head) else {
            return false;
        };
        primitive.optional_argument() == Some(optional)
    }

    /// Reports an optional argument that is not the first one.
    pub(in crate::infer) fn comes_first(&mut self, what: &str, head: TermId, arg: TermId) {
        let (name, text) = (self.source(head), self.source(arg));
        let call = format!("{name}({text})");
        let place = (Span::empty(self.span(head).end), format!("({text})"));
        let fix = self.argument_with_separator(arg).map(|old| {
            Fix::preferred(format!("Write `{call}`"), vec![place, (old, String::new())])
        });
        let message = format!("the {what} of `{name}` must come before its other arguments");
        self.error(codes::KIND_MISMATCH, self.span(arg), message)
            .advise(Some(format!("write `{call}(…)`")), fix);
    }

    /// Reports a dimension that is the name of a size.
    pub(in crate::infer) fn unknown_dimension(&mut self, head: TermId, arg: TermId) {
        let (name, text) = (self.source(head), self.source(arg));
        let message = format!("the dimension of `{name}` must be 0, 1 or 2, found `{text}`");
        self.error(codes::KIND_MISMATCH, self.span(arg), message)
            .help = Some(format!(
            "a dimension cannot be a parameter: write a number, as in `{name}(0)(…)`"
        ));
    }

    /// Reports a size after all sizes of a function, where it takes an array or a function.
    pub(in crate::infer) fn one_size_too_many(
        &mut self,
        spine: &Spine,
        extra: TermId,
        expected: &Ty,
    ) {
        let place = match is_function(&self.table.head(expected)) {
            true => "a function",
            false => "an array",
        };
        let name = self.source(spine.head);
        let sizes = spine.args.iter().take_while(|arg| arg.term != extra);
        let taken = match sizes.count() {
            0 => "no size".to_owned(),
            1 => "one size".to_owned(),
            count => format!("{count} sizes"),
        };
        let text = self.source(extra);
        let message = format!("`{name}` takes {taken}, and `{text}` is where it takes {place}");
        let fix = self.without_argument(extra);
        self.error(codes::KIND_MISMATCH, self.span(extra), message)
            .advise(Some(format!("remove `{text}`")), fix);
    }

    /// Returns the remedy for an argument of a form that its function does not take: an array of
    /// pairs for `fst` or `snd`, a scalar for `idx`, an array of numbers in place of one of indices,
    /// a function that takes sizes first, or a value in place of a function.
    pub(super) fn mended_argument(
        &mut self,
        wanted: &Ty,
        got: &Ty,
        cause: Cause,
    ) -> Option<Suggestion> {
        let (head, value) = cause.call()?;
        match (&**wanted, &**got) {
            (Type::Pair(..), Type::Array(_, elem))
                if matches!(**elem, Type::Pair(..))
                    && self.is_primitive(head, &[Primitive::Fst, Primitive::Snd]) =>
            {
                Some(self.half_of_each(head))
            }
            (Type::Array(..), Type::Pair(..))
                if self.is_primitive(head, &[Primitive::Zip])
                    && matches!(cause.why, CauseCode::Argument { .. }) =>
            {
                self.zip_of_pair(value)
            }
            (Type::Array(..), Type::Scalar(_)) if self.is_primitive(head, &[Primitive::Idx]) => {
                self.rows_for_index(value)
            }
            (Type::Array(_, wanted), Type::Array(_, got)) => (self
                .indices_of_numbers(value, wanted, got))
            .or_else(|| self.reduction_to_another_type(head, (2, value), (got, wanted))),
            (Type::Fun(param, _), Type::Pi(_)) => self.sizes_of_argument(param, got, value),
            (Type::Fun(..), found) if !is_function(found) && !matches!(found, Type::Array(..)) => {
                (self.step_of_one_parameter(head, value))
                    .or_else(|| self.applied_for_function(value))
            }
            (Type::Scalar(_), Type::Scalar(_)) => (self.other_half(value, wanted))
                .or_else(|| self.reduction_to_another_type(head, (1, value), (wanted, got))),
            _ => None,
        }
    }

    /// Returns the remedy `zip(a)(b)` for `zip((a, b))`, where `pair` is `(a, b)`.
    fn zip_of_pair(&self, pair: TermId) -> Option<Suggestion> {
        let TermKind::Pair(first, second) = self.item.term(self.bare(pair)).kind else {
            return None;
        };
        let [a, b] = [first, second].map(|part| self.source(part));
        Some(Suggestion {
            help: format!("`zip` takes two arrays, one after the other: write `zip({a})({b})`"),
            fix: Some(Fix::replace(
                format!("Write `zip({a})({b})`"),
                self.span(pair),
                format!("{a})({b}"),
            )),
        })
    }

    /// Returns the remedy for an array of integers in place of an array of indices: the conversion of
    /// each of them; `None` for other types of elements.
    fn indices_of_numbers(&self, numbers: TermId, wanted: &Ty, got: &Ty) -> Option<Suggestion> {
        let (Type::Index(length), Type::Scalar(number)) =
            (&*self.table.head(wanted), &*self.table.head(got))
        else {
            return None;
        };
        let length = self.table.nat(length);
        let is_known = !length.any_var(&|var| self.table.is_open(var));
        let length = match is_known {
            true => self.show_nat(&length),
            false => "…".to_owned(),
        };
        let index = self.new_name(&["i", "j", "k", "index"])?;
        let convert = match number {
            ScalarType::Bool | ScalarType::F16 | ScalarType::F32 | ScalarType::F64 => return None,
            ScalarType::NatType => format!("natAsIndex({length})"),
            _ => format!("fun({index} => natAsIndex({length})((cast({index}) : natType)))"),
        };
        let is_stage = matches!(
            self.item.term(self.bare(numbers)).kind,
            TermKind::Name(_) | TermKind::Apply { .. }
        );
        let stage = format!(" |> map({convert})");
        let edits = vec![(Span::empty(self.span(numbers).end), stage.clone())];
        Some(Suggestion {
            help: format!(
                "make an index of each number: `{}{stage}`",
                self.source(numbers)
            ),
            fix: (is_known && is_stage)
                .then(|| Fix::preferred("Make an index of each number", edits)),
        })
    }

    /// Returns the remedy for a call with an array of rows where its function takes one row of the
    /// type `expected`: the call for each row.
    pub(super) fn mapped_over_rows(
        &mut self,
        expected: &Ty,
        found: &Ty,
        cause: Cause,
    ) -> Option<Suggestion> {
        let (head, rows) = cause.call()?;
        let Type::Array(_, row) = &**found else {
            return None;
        };
        let takes_row = matches!(&*self.table.head(expected), Type::Array(..));
        if !takes_row || !self.is_row(expected, row, cause) {
            return None;
        }
        let (function, array) = (self.source_name(head)?, self.source(rows));
        if let Some(name) = self.innermost_value(row) {
            return Some(Suggestion {
                help: format!("`{function}` takes one row, such as `{name}`"),
                fix: Some(Fix::write(self.span(rows), name)),
            });
        }
        let name = self.new_name(&["row", "line", "part"])?;
        let args = self.arguments_of(head);
        if !self.others_have_dimensions(head, &args, rows)? {
            return None;
        }
        let call = |called: String, arg: &TermId| match *arg == rows {
            true => format!("{called}({name})"),
            false => format!("{called}({})", self.source(*arg)),
        };
        let each = match args.split_last() {
            Some((last, before)) if *last == rows => before.iter().fold(function.to_string(), call),
            _ => {
                let body = args.iter().fold(function.to_string(), call);
                format!("fun({name} => {body})")
            }
        };
        Some(Suggestion::advice(format!(
            "`{function}` takes one row: for each row write `{array} |> map({each})`"
        )))
    }

    /// Returns the name of the parameter or variable that was bound last, if it has a type.
    fn innermost_value(&self, ty: &Ty) -> Option<String> {
        let last = self.scope.last()?;
        match &last.meaning {
            LocalBinding::Value(found) if self.table.ty(found) == *ty => {
                Some(last.name.to_string())
            }
            _ => None,
        }
    }

    /// Returns true if the arguments other than `rows` have as many dimensions as their parameters;
    /// `None` if the function at `head` does not take these arguments.
    fn others_have_dimensions(
        &mut self,
        head: TermId,
        args: &[TermId],
        rows: TermId,
    ) -> Option<bool> {
        let mut ty = self.type_of_expr(head)?.clone();
        for &arg in args {
            ty = match &*ty {
                Type::Pi(pi) if !pi.implicit => pi.body.clone(),
                Type::Fun(parameter, rest) => {
                    if arg != rows {
                        let found = self.reinfer(|this| this.synth(arg));
                        if self.dimensions(parameter).len() != self.dimensions(&found).len() {
                            return Some(false);
                        }
                    }
                    rest.clone()
                }
                _ => return None,
            };
        }
        Some(true)
    }

    /// Returns true if the type `row` is the expected one, except for sizes that the mismatch has
    /// determined itself.
    fn is_row(&self, expected: &Ty, row: &Ty, cause: Cause) -> bool {
        let here = match cause.why {
            CauseCode::Piped { value, .. } => self.last_stage(value),
            _ => cause.span,
        };
        let (mut expected, mut row) = (expected.clone(), row);
        while let (Type::Array(length, elem), Type::Array(found, found_elem)) =
            (&*self.table.head(&expected), &**row)
        {
            let is_free = |var: Var| self.table.solved_at(var) == Some(here);
            if !length.as_var().is_some_and(is_free) && self.table.nat(length) != *found {
                return false;
            }
            (expected, row) = (elem.clone(), found_elem);
        }
        self.table.ty(&expected) == *row
    }

    /// Returns the remedy for a function `value` of type `got` that takes sizes before a value of
    /// type `param`. Returns `None` if it takes other arguments first, or is written as a lambda or
    /// an operation.
    fn sizes_of_argument(&self, param: &Ty, got: &Ty, value: TermId) -> Option<Suggestion> {
        let mut names = Vec::new();
        let mut rest = got;
        while let Type::Pi(pi) = &**rest {
            match (pi.implicit, pi.kind) {
                (true, _) => {}
                (false, Kind::Nat) => names.push(format!("`{}`", self.name_of(pi.var))),
                (false, _) => return None,
            }
            rest = &pi.body;
        }
        let takes_values = matches!(&**rest, Type::Fun(..));
        let is_callee = matches!(
            self.item.term(value).kind,
            TermKind::Name(_) | TermKind::Apply { .. } | TermKind::Paren(_)
        );
        if names.is_empty() || !takes_values || !is_callee || self.is_lambda(value) {
            return None;
        }
        let function = self.source(value);
        let called = |sizes: &[String]| {
            let sizes = sizes.iter().map(|size| format!("({size})"));
            format!("{function}{}", sizes.collect::<String>())
        };
        let sizes = self.sizes_before(got, std::iter::once(Some(param.clone())));
        Some(match sizes {
            Some(sizes) => Suggestion {
                help: format!("sizes come first: `{}`", called(&sizes)),
                fix: Some(Fix::write(self.span(value), called(&sizes))),
            },
            None => Suggestion {
                help: format!(
                    "`{function}` takes the size{} {} first: write `{}`",
                    if names.len() == 1 { "" } else { "s" },
                    names.join(", "),
                    called(&vec!["…".to_owned(); names.len()]),
                ),
                fix: None,
            },
        })
    }

    /// Returns the remedy for `p._1` where only `p._2` has the wanted type, or the reverse.
    fn other_half(&self, value: TermId, wanted: &Ty) -> Option<Suggestion> {
        let term = self.item.term(self.bare(value));
        let TermKind::Project { pair, half } = term.kind else {
            return None;
        };
        let of_pair = self.type_of_expr(pair)?;
        let Type::Pair(first, second) = &*self.table.ty(of_pair) else {
            return None;
        };
        let (name, other) = match half {
            Half::First => ("_2", second),
            Half::Second => ("_1", first),
        };
        let text = format!("{}.{name}", self.source(pair));
        (other == wanted).then(|| Suggestion {
            help: format!("`{text}` is the `{}`", self.show(wanted)),
            fix: Some(Fix::write(term.span, text)),
        })
    }

    /// Returns the remedy for a `reduce` whose function takes an accumulator and an element of these
    /// types; `value` is its argument number `at`, counted from 0.
    fn reduction_to_another_type(
        &mut self,
        head: TermId,
        (at, value): (usize, TermId),
        (element, accumulator): (&Ty, &Ty),
    ) -> Option<Suggestion> {
        let args = self.arguments_of(head);
        let function = *args.first()?;
        if !self.is_primitive(head, &[Primitive::Reduce]) || args.get(at) != Some(&value) {
            return None;
        }
        let taken = [accumulator.clone(), element.clone()];
        let expected = Type::function(taken.into_iter(), accumulator.clone());
        let fits = self.reinfer(|this| {
            let said = this.diagnostics.len();
            this.check_against(function, &expected) && this.diagnostics.len() == said
        });
        fits.then(|| Suggestion {
            help: "the function of `reduce` combines two elements, and that of `reduceSeq` an accumulator of any type with an element: write `reduceSeq`".to_owned(),
            fix: Some(Fix::write(self.span(head), "reduceSeq")),
        })
    }

    fn half_of_each(&self, head: TermId) -> Suggestion {
        let name = self.source(head);
        Suggestion {
            help: format!(
                "`map({name})` selects this component of each pair, and `unzip` makes a pair of two arrays"
            ),
            fix: Some(Fix::replace(
                format!("Write `map({name})`"),
                self.span(head),
                format!("map({name})"),
            )),
        }
    }

    /// Returns the remedy for `xs |> idx(r) |> idx(c)`, where `xs` has one dimension.
    fn rows_for_index(&self, value: TermId) -> Option<Suggestion> {
        let inner = Spine::of(self.item, value);
        if !self.is_primitive(inner.head, &[Primitive::Idx]) {
            return None;
        }
        let array = self.source(inner.args.get(1)?.term);
        Some(Suggestion::advice(format!(
            "`{array}` has one dimension: `{array} |> split(m)` makes rows of `m` elements of it"
        )))
    }

    /// Returns the remedy for `map(mul(a, 2.0f))`, where a value is given instead of a function.
    fn applied_for_function(&self, value: TermId) -> Option<Suggestion> {
        let inner = Spine::of(self.item, self.bare(value));
        if inner.args.is_empty() || inner.args.iter().any(|arg| arg.piped) {
            return None;
        }
        let (name, text) = (self.source_name(inner.head)?, self.source(value));
        Some(Suggestion {
            help: format!(
                "`{text}` has all its arguments and is a value: a function of each element is `fun(x => {name}(…))`"
            ),
            fix: None,
        })
    }

    /// Returns the remedy for a `fun` of one parameter as the function of a reduction.
    fn step_of_one_parameter(&self, head: TermId, function: TermId) -> Option<Suggestion> {
        let TermKind::Fun { params, .. } = &self.item.term(self.bare(function)).kind else {
            return None;
        };
        let &[param] = &params[..] else {
            return None;
        };
        let name = &self.item.binder(param).name;
        let other = self.new_name(&["acc", "sum", "result"])?;
        self.reduces(head).then(|| {
            Suggestion::advice(format!(
                "the function of `{}` takes the result so far and an element: `fun({other}, {name} => …)`",
                self.source(head)
            ))
        })
    }

    /// Reports `xs |> padCst(1)(1)`, whose result is a function because the value to pad with is
    /// missing, if it is used as an array. Returns false otherwise.
    pub(super) fn reported_padding(&mut self, wanted: &Ty, got: &Ty, cause: Cause) -> bool {
        let Some((_, value)) = cause.call() else {
            return false;
        };
        let inner = Spine::of(self.item, self.bare(value));
        let [.., SpineArg { piped: true, .. }] = inner.args[..] else {
            return false;
        };
        let is_padding = matches!((&**wanted, &**got), (Type::Array(..), Type::Fun(..)))
            && inner.args.len() == 3
            && self.is_primitive(inner.head, &[Primitive::PadCst]);
        if !is_padding {
            return false;
        }
        self.clashes += 1;
        let stage = inner.after(2);
        let (text, span) = (self.source(stage), self.span(stage));
        let message = format!("`{text}` takes the value to pad with before the array");
        let error = self.error(codes::TYPE_MISMATCH, span, message);
        error.help = Some(format!(
            "write the value after the sizes, as in `{text}(0)`"
        ));
        let edits = vec![(Span::empty(span.end), "(0)".to_owned())];
        error.fixes.push(Fix::preferred("Pad with `0`", edits));
        true
    }

    /// Returns the remedy for a `zip` of which only one side is split.
    pub(super) fn mended_split(&self, cause: Cause) -> Option<Suggestion> {
        let (head, _) = cause.call()?;
        if !self.is_primitive(head, &[Primitive::Zip]) {
            return None;
        }
        let sides = self.arguments_of(head);
        let [first, second] = sides[..] else {
            return None;
        };
        let (split, whole) = match (self.split_of(first), self.split_of(second)) {
            (Some(split), None) => (split, second),
            (None, Some(split)) => (split, first),
            _ => return None,
        };
        let stage = self.source(split);
        let (text, end) = (self.source(whole), self.span(whole).end);
        let is_stage = matches!(
            self.item.term(whole).kind,
            TermKind::Name(_)
                | TermKind::Apply { .. }
                | TermKind::Paren(_)
                | TermKind::Binary {
                    op: BinaryOp::Pipe,
                    ..
                }
        );
        let edits = vec![(Span::empty(end), format!(" |> {stage}"))];
        Some(Suggestion {
            help: format!("only one side is split by `{stage}`: split `{text}`, too"),
            fix: is_stage
                .then(|| Fix::preferred(format!("Append `|> {stage}` to `{text}`"), edits)),
        })
    }

    /// Returns the help for `zip(a)(b)` if one is an array of rows and the other is one row.
    pub(super) fn help_for_row(&self, cause: Cause) -> Option<String> {
        let (head, _) = cause.call()?;
        if !self.is_primitive(head, &[Primitive::Zip]) {
            return None;
        }
        let &[first, second] = &self.arguments_of(head)[..] else {
            return None;
        };
        let type_of = |side| Some(self.table.ty(self.type_of_expr(self.bare(side))?));
        let types = [type_of(first)?, type_of(second)?];
        let is_row = |row: &Ty, rows: &Ty| matches!(&**rows, Type::Array(_, elem) if elem == row);
        let (one, other) = (self.source(first), self.source(second));
        match &types {
            [rows, row] if is_row(row, rows) => Some(format!(
                "for each row write `{one} |> map(fun(row => zip(row)({other}) |> …))`"
            )),
            [row, rows] if is_row(row, rows) => Some(format!(
                "for each row write `{other} |> map(fun(row => zip({one})(row) |> …))`"
            )),
            _ => None,
        }
    }

    /// Removes the mismatches of types and kinds that are reported in the calls and pipes around
    /// the callee `head`, because they follow from a mistake in its call.
    pub(super) fn remove_follow_up_errors(&mut self, head: TermId) {
        let mut whole = head;
        while let Some(outer) = self.parent(whole, |kind, own| match kind {
            TermKind::Apply { callee, args } => *callee == own || args.contains(&own),
            TermKind::Binary { op, lhs, rhs, .. } => {
                *op == BinaryOp::Pipe && [lhs, rhs].contains(&&own)
            }
            TermKind::Paren(inner) => *inner == own,
            _ => false,
        }) {
            whole = outer;
        }
        let pipeline = self.span(whole);
        self.diagnostics.retain(|said| {
            let is_inside = pipeline.start <= said.span.start && said.span.end <= pipeline.end;
            !(is_inside && [codes::TYPE_MISMATCH, codes::WRONG_SUBKIND].contains(&said.code))
        });
    }

    /// Returns the stage `split(4)` that a term ends with, if it is an application of `split` to a
    /// size and an array.
    pub(super) fn split_of(&self, term: TermId) -> Option<TermId> {
        let spine = Spine::of(self.item, self.bare(term));
        let is_split = spine.args.len() == 2 && self.is_primitive(spine.head, &[Primitive::Split]);
        is_split.then(|| spine.after(1))
    }

    /// Returns the arguments that the calls and pipes around the function at `head` give it, in the
    /// order of its parameters.
    pub(super) fn arguments_of(&self, head: TermId) -> Vec<TermId> {
        let mut found = Vec::new();
        let mut whole = head;
        while let Some(outer) = self.parent(whole, |kind, own| match kind {
            TermKind::Apply { callee, .. } => *callee == own,
            TermKind::Binary { op, rhs, .. } => *op == BinaryOp::Pipe && *rhs == own,
            TermKind::Paren(inner) => *inner == own,
            _ => false,
        }) {
            match &self.item.term(outer).kind {
                TermKind::Apply { args, .. } => found.extend(args),
                TermKind::Binary { lhs, .. } => found.push(*lhs),
                _ => {}
            }
            whole = outer;
        }
        found
    }

    /// Returns the help for CUDA's `threadIdx.x` and the like.
    pub(in crate::infer) fn help_for_thread(&self, name: TermId) -> Option<String> {
        let name = self.source_name(name)?;
        let is_thread = matches!(
            name.as_str(),
            "threadIdx" | "blockIdx" | "blockDim" | "gridDim"
        );
        is_thread.then(|| {
            "programs do not use the numbers of work-items: `mapGlobal(fun(x => …))` gives each work-item an element, and `generate(fun(i => …))` makes an array from indices"
                .to_owned()
        })
    }

    /// Returns the remedy for `map(fun(x, y => …))(xs)(ys)`, whose third argument is `arg`.
    pub(super) fn mended_map(&self, spine: &Spine, arg: TermId) -> Option<Suggestion> {
        let [function, first, second] = spine.args[..] else {
            return None;
        };
        if second.term != arg || second.piped || !self.is_map(spine.head) {
            return None;
        }
        let (name, xs, ys) = (
            self.source(spine.head),
            self.source(first.term),
            self.source(second.term),
        );
        let fix = self.pattern_of(function.term).map(|(start, end)| {
            let (xs, ys) = (self.span(first.term), self.span(second.term));
            let edits = vec![
                (Span::empty(start), "(".to_owned()),
                (Span::empty(end), ")".to_owned()),
                (Span::empty(xs.start), "zip(".to_owned()),
                (Span::new(xs.end, ys.start), ")(".to_owned()),
                (Span::empty(ys.end), ")".to_owned()),
            ];
            Fix::preferred("Write `zip`", edits)
        });
        Some(Suggestion {
            help: format!("write `zip({xs})({ys}) |> {name}(fun((x, y) => …))`"),
            fix: fix.filter(|_| !first.piped),
        })
    }

    /// Returns the start and end of the parameters of `fun(x, y => …)`, which could be a pattern
    /// for a pair; `None` for other functions.
    fn pattern_of(&self, function: TermId) -> Option<(u32, u32)> {
        match &self.item.term(self.bare(function)).kind {
            TermKind::Fun {
                params,
                grouped: false,
                ..
            } => match params[..] {
                [first, second] => Some((
                    self.parameter_span(first).start,
                    self.parameter_span(second).end,
                )),
                _ => None,
            },
            _ => None,
        }
    }

    /// Adds the counterpart of another language's function to the error about its name.
    pub(in crate::infer) fn offer_counterpart(&mut self, spine: &Spine) {
        let Some(name) = self.source_name(spine.head) else {
            return;
        };
        let (help, fix) = match name.as_str() {
            "zip3" => (
                "pair an array with an array of pairs: `zip(xs)(zip(ys)(zs))`".to_owned(),
                self.nested_zip(spine),
            ),
            _ => match counterpart(name) {
                Some(text) => (text.to_owned(), None),
                None => return,
            },
        };
        let span = self.span(spine.head);
        let mut said = self.diagnostics.iter_mut().rev();
        if let Some(said) = said.find(|d| d.code == codes::UNKNOWN_NAME && d.span == span) {
            said.help = Some(help);
            said.fixes = fix.into_iter().collect();
        }
    }

    /// Returns the fix that rewrites `zip3(xs)(ys)(zs)` to `zip(xs)(zip(ys)(zs))`.
    fn nested_zip(&self, spine: &Spine) -> Option<Fix> {
        let [first, second, third] = spine.args[..] else {
            return None;
        };
        if [first, second, third].iter().any(|arg| arg.piped) {
            return None;
        }
        let [xs, ys, zs] = [first, second, third].map(|arg| self.span(arg.term));
        let (start, end) = (self.span(spine.head).start, self.span(spine.after(3)).end);
        let edits = vec![
            (Span::new(start, xs.start), "zip(".to_owned()),
            (Span::new(xs.end, ys.start), ")(zip(".to_owned()),
            (Span::new(ys.end, zs.start), ")(".to_owned()),
            (Span::new(zs.end, end), "))".to_owned()),
        ];
        Some(Fix::preferred("Write `zip(…)(zip(…)(…))`", edits))
    }
}

/// Returns the help for a function of other languages that is no misspelt name.
fn counterpart(name: &str) -> Option<&'static str> {
    Some(match name {
        "zipWith" | "zipwith" | "zip_with" | "map2" => {
            "write `zip(xs)(ys) |> map(fun((x, y) => …))`"
        }
        "fold" | "foldl" | "foldr" | "fold_left" | "fold_right" | "foldLeft" => {
            "write `reduceSeq(fun(result, x => …))(start)`, or `reduce` for an operator that is associative and commutative"
        }
        "scan" | "scanl" | "cumsum" | "accumulate" => "write `inclusiveScan(f)(start)`",
        "range" | "arange" | "iota" => {
            "`generate(fun(i => …))` makes an array from its indices; its size follows from where it is used"
        }
        "filter" => {
            "there is no `filter`, because the size of its result is unknown: write `select` to replace the other elements by a value"
        }
        "length" | "len" | "size" => {
            "the size is the `n` of the type `n.t`: it is bound by `depFun(n: Nat => …)`"
        }
        "flat" | "ravel" | "concatenate" => "write `join`, which makes one array of the rows",
        "reshape" => {
            "write `split(n)` to make rows of `n` elements, and `join` to make one array of rows"
        }
        "zeros" | "ones" | "fill" | "replicate" | "repeat" => {
            "write `generate(fun(i => …))` with the value as its body"
        }
        "mapBlock" | "mapBlocks" => {
            "`mapWorkGroup` distributes elements over work-groups, and `mapLocal` over the work-items of one"
        }
        "mapThread" | "mapThreads" => {
            "`mapGlobal` distributes elements over all work-items, and `mapLocal` over those of a `mapWorkGroup`"
        }
        "flip" | "rev" | "reverse" | "reversed" => {
            "write `reorder(n)(natFun(i => n - 1 - i))(natFun(i => n - 1 - i))`, for `n` elements"
        }
        "chunks" | "chunk" => "write `split(n)`",
        "windows" | "window" => "write `slide(size)(step)`",
        _ => return None,
    })
}
