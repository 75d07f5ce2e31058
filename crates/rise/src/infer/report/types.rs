//! Messages about type mismatches.

use nat::{Nat, Var};
use syntax::ast::{Kind, Literal, ScalarType, TermId, TermKind};
use syntax::{Fix, ItemSpan, Related, Span};

use super::super::expr::kind_noun;
use super::super::unify::{Cause, CauseCode, UnifyError, for_each_var};
use super::super::{Infer, LocalBinding};
use super::is_function;
use super::operands::Suggestion;
use crate::classes::Classes;
use crate::codes;
use crate::primitive::Primitive;
use crate::print;
use crate::spine::Spine;
use crate::types::{Ty, Type};

const USE_INDEX_AS_NAT: &str = "use `indexAsNat` to compute with an index";

impl Infer<'_> {
    pub(in crate::infer) fn report_clash(
        &mut self,
        clash: &UnifyError,
        expected: &Ty,
        found: &Ty,
        cause: Cause,
    ) {
        self.clashes += 1;
        match clash {
            UnifyError::Types => self.type_mismatch(expected, found, cause),
            UnifyError::Classes(..) if self.is_literal(found) => {
                self.type_mismatch(expected, found, cause);
            }
            UnifyError::Infinite(ty) => self.infinite(ty, cause),
            UnifyError::Classes(_, ty) if is_function(&self.table.head(ty)) => {
                self.not_data(expected, found, cause);
            }
            UnifyError::Classes(classes, ty) => {
                let (text, any) = (self.show(ty), self.for_any(ty));
                let user = self.cause_head(cause);
                let message = match user {
                    Some(head) if self.is_function_argument(cause) => format!(
                        "this function works on {}, and `{head}` gives it `{text}`{any}",
                        classes.describe()
                    ),
                    Some(head) => format!(
                        "`{head}` works on {}, and this is `{text}`{any}",
                        classes.describe()
                    ),
                    None => format!("expected {}, found `{text}`{any}", classes.describe()),
                };
                let help = (self.help_for_rows(ty, cause))
                    .or_else(|| self.subkind_help(ty, classes.to_kind()));
                let mend = match cause.why {
                    CauseCode::Argument { term, .. } => self.mended_for_pairs(term, expected),
                    _ => None,
                };
                let mend = mend.or_else(|| self.mapped_over_elements(ty, *classes, cause));
                let related = self.cause_places(cause, self.origin(expected, cause));
                let diagnostic = self.error(codes::WRONG_SUBKIND, cause.span, message);
                diagnostic.help = help;
                diagnostic.related = related;
                if let Some(mend) = mend {
                    diagnostic.advise(Some(mend.help), mend.fix);
                }
            }
            UnifyError::Escape(var) => self.escape(*var, expected, found, cause),
        }
    }

    /// Returns the remedy `map(f)(xs)` for `f(xs)` with a function of one value and an array, whose
    /// elements are in the classes that the function takes.
    fn mapped_over_elements(
        &mut self,
        ty: &Ty,
        classes: Classes,
        cause: Cause,
    ) -> Option<Suggestion> {
        let (head, array) = cause.call()?;
        let name = self.source_name(head)?.to_string();
        let mut elem = self.table.head(ty);
        let mut mapped = name;
        while let Type::Array(_, inner) = &*elem.clone() {
            elem = self.table.head(inner);
            mapped = format!("map({mapped})");
        }
        let is_array = matches!(&*self.table.head(ty), Type::Array(..));
        let takes_one = self.arguments_of(head) == [array];
        if !is_array || !takes_one || self.reinfer(|this| this.restrict(&elem, classes).is_err()) {
            return None;
        }
        Some(Suggestion {
            help: format!("`map` applies it to the elements: write `{mapped}`"),
            fix: Some(Fix::write(self.span(head), mapped)),
        })
    }

    /// Returns the help to reduce rows, if the function of a reduction is applied to rows.
    fn help_for_rows(&self, ty: &Ty, cause: Cause) -> Option<String> {
        let CauseCode::Argument { head, term } = cause.why else {
            return None;
        };
        let is_row = matches!(&*self.table.head(ty), Type::Array(..));
        (is_row && self.is_function_argument(cause) && self.reduces(head)).then(|| {
            let (reduction, function) = (self.source(head), self.source(term));
            format!(
                "for one result of each row write `map({reduction}({function})(…))`, and for one of all rows `join` before it"
            )
        })
    }

    /// Returns true if the result `found` of a map's function is an array where single values are
    /// wanted.
    fn gives_rows(&self, wanted: &Ty, found: &Ty, cause: Cause) -> bool {
        let is_map = matches!(cause.why, CauseCode::Argument { head, .. } if self.is_map(head));
        let are_rows = match &*self.table.head(found) {
            Type::Array(_, elem) => self.table.head(elem) == self.table.head(wanted),
            _ => false,
        };
        is_map && are_rows
    }

    /// Returns true if the mismatch is in a function that is an argument of another function.
    pub(in crate::infer) fn is_function_argument(&self, cause: Cause) -> bool {
        let CauseCode::Argument { term, .. } = cause.why else {
            return false;
        };
        let found = self.type_of_expr(self.bare(term));
        found.is_some_and(|ty| is_function(&self.table.head(ty)))
    }

    /// Returns true if the mismatch is in the result of a `fun` that is an argument of another
    /// function.
    pub(in crate::infer) fn is_result_of_argument(&self, cause: Cause) -> bool {
        let CauseCode::Argument { term, .. } = cause.why else {
            return false;
        };
        let term = self.bare(term);
        self.is_lambda(term) && cause.span != self.span(term)
    }

    /// Returns true if the type is an unsolved variable for types of number literals only, such as
    /// the type of an undetermined literal.
    pub(in crate::infer) fn is_literal(&self, ty: &Ty) -> bool {
        match &*self.table.head(ty) {
            Type::Var(v) => {
                self.table.is_open(*v) && self.table.info(*v).classes.within(Classes::INT_LITERAL)
            }
            _ => false,
        }
    }

    pub(in crate::infer) fn subkind_help(&self, ty: &Ty, wanted: Option<Kind>) -> Option<String> {
        match &*self.table.head(ty) {
            Type::Array(..) => Some("use `map` to work on the elements".into()),
            Type::Pair(..) => Some("select one component with `._1` or `._2`".into()),
            Type::Index(_) => Some(USE_INDEX_AS_NAT.into()),
            Type::Scalar(ScalarType::Bool) => {
                Some("write `select(condition)(a)(b)` to choose between two numbers".into())
            }
            Type::Var(var) => {
                let name = self.name_of(*var);
                let declared = self.table.info(*var).kind;
                let kind = kind_noun(declared);
                wanted.map(|wanted| match (declared, wanted) {
                    // Vectors are numbers, and Booleans are scalars.
                    (Kind::Num, Kind::Scalar) | (Kind::Scalar, Kind::Num) => {
                        format!("bind it as `{{{name}: Int}}` or `{{{name}: Float}}`")
                    }
                    _ => format!("`{name}` may be any {kind}; bind it as `{{{name}: {wanted}}}`"),
                })
            }
            _ => None,
        }
    }

    /// Formats two types in aligned lines, `expected: …` and `found: …`.
    pub(in crate::infer) fn comparison(&self, expected: &Ty, found: &Ty) -> String {
        let (expected, found) = (self.table.ty(expected), self.table.ty(found));
        let names = self.names_within(&[&expected, &found]);
        format!(
            "\nexpected: {}\n   found: {}",
            print::type_text(&expected, &names),
            print::type_text(&found, &names)
        )
    }

    pub(in crate::infer) fn type_mismatch(&mut self, expected: &Ty, found: &Ty, cause: Cause) {
        let (wanted, got) = (self.table.ty(expected), self.table.ty(found));
        if self.reported_padding(&wanted, &got, cause) {
            return;
        }
        let related = self.cause_places(cause, self.origin(expected, cause));
        if self.reported_as_array(&wanted, &got, cause, &related) {
            return;
        }
        let first = self.mismatch_line(&wanted, &got, cause);
        let message = if self.is_literal(&got) {
            first
        } else {
            format!("{first}{}", self.comparison(&wanted, &got))
        };
        let rearranged = self.rearrangement(&wanted, &got);
        let help = match &rearranged {
            Some(function) => Some(format!(
                "`… |> {function}` has the type `{}`",
                self.show(&wanted)
            )),
            None => self.mismatch_help(&wanted, &got, cause),
        };
        let fix = (rearranged.and_then(|function| self.apply_fix(&function, cause)))
            .or_else(|| self.annotation_fix(&wanted, cause))
            .or_else(|| self.conversion_fix(&wanted, &got, cause))
            .or_else(|| self.index_fix(&wanted, &got, cause))
            .or_else(|| self.size_first_fix(&wanted, &got, cause));
        let mend = (self.mended_argument(&wanted, &got, cause))
            .or_else(|| self.mapped_over_rows(expected, &got, cause));
        let (help, fix) = match mend {
            Some(mend) => (Some(mend.help), mend.fix),
            None => (help, fix),
        };
        let diagnostic = self.error(codes::TYPE_MISMATCH, cause.span, message);
        diagnostic.related = related;
        diagnostic.advise(help, fix);
        if let CauseCode::Operand { op, lhs, rhs } = cause.why {
            self.mend_operator(op, (lhs, &wanted), (rhs, &got));
        }
    }

    /// Returns true if a variable that is no array is used as one, and an error about another use
    /// of it says so.
    fn reported_as_array(&self, wanted: &Ty, got: &Ty, cause: Cause, places: &[Related]) -> bool {
        let value = match cause.why {
            CauseCode::Argument { term, .. } | CauseCode::Piped { value: term, .. } => term,
            _ => return false,
        };
        let Some((binder, _)) = self.binding_place(value) else {
            return false;
        };
        let mut places = places.iter().filter(|related| related.place.span == binder);
        let is_array = |ty: &Ty| matches!(**ty, Type::Array(..));
        is_array(wanted)
            && !is_array(got)
            && places.any(|place| {
                let mut errors = self.diagnostics.iter();
                errors.any(|error| {
                    error.code == codes::TYPE_MISMATCH && error.related.contains(place)
                })
            })
    }

    /// Returns the text of the beginning of a function over a size, if that is wanted and a
    /// function of values was found.
    fn size_first(&self, wanted: &Ty, got: &Ty) -> Option<String> {
        let wanted = self.table.head(wanted);
        let Type::Pi(pi) = &*wanted else { return None };
        let is_plain = matches!(&*self.table.head(got), Type::Fun(..));
        let name = self.names_within(&[&wanted]).get(pi.var);
        (is_plain && !pi.implicit && pi.kind == Kind::Nat).then(|| format!("depFun({name}: Nat =>"))
    }

    fn size_first_fix(&self, wanted: &Ty, got: &Ty, cause: Cause) -> Option<Fix> {
        let (CauseCode::Argument { term, .. }, Some(form)) =
            (cause.why, self.size_first(wanted, got))
        else {
            return None;
        };
        let (title, open) = (format!("Write `{form} …)`"), format!("{form} "));
        Some(Fix::surround(title, self.span(term), open, ")"))
    }

    pub(in crate::infer) fn mismatch_line(&self, wanted: &Ty, got: &Ty, cause: Cause) -> String {
        let (want, have) = (self.describe(wanted), self.describe(got));
        match cause.why {
            CauseCode::Argument { head, .. } if let Some(form) = self.size_first(wanted, got) => {
                format!(
                    "`{}` expects a function that takes a size first here, `{form} …)`, and this is {have}",
                    self.source(head)
                )
            }
            CauseCode::Argument { head, .. } => {
                format!(
                    "`{}` expects {want} here, and this is {have}",
                    self.source(head)
                )
            }
            CauseCode::Piped { head, .. } => {
                format!(
                    "`{}` expects {want}, and {have} is piped into it",
                    self.source(head)
                )
            }
            CauseCode::Operand { op, .. } => format!(
                "`{}` needs two operands of one type: the left one is {want}, the right one {have}",
                op.as_str()
            ),
            CauseCode::Written { .. } => {
                format!("the definition's type says {want} here, and this is {have}")
            }
            CauseCode::Ascribed { .. } => {
                format!("the type written here is {want}, and this is {have}")
            }
            CauseCode::Annotated { param } => {
                let name = &self.item.binder(param).name;
                if let Some((operator, _)) = self.function_before(param) {
                    return format!(
                        "`{}` passes {want} to `{name}`, and its annotation says {have}",
                        operator.as_str()
                    );
                }
                format!("`{name}` is given {want}, and its annotation says {have}")
            }
            CauseCode::Assigned { .. } => {
                format!("the left side of `=` takes {want}, and this is {have}")
            }
            CauseCode::Context => format!("expected {want}, found {have}"),
        }
    }

    /// Returns the description of a type for the first line of a message, with the type itself if
    /// its text is short.
    pub(in crate::infer) fn describe(&self, ty: &Ty) -> String {
        let ty = self.table.head(ty);
        let (text, any) = (self.show(&ty), self.for_any(&ty));
        let short = text.chars().count() <= 24;
        match &*ty {
            Type::Fun(..) | Type::Pi(_) if !short => "a function".into(),
            Type::Fun(..) | Type::Pi(_) => format!("a function `{text}`{any}"),
            Type::Array(..) if !short => "an array".into(),
            Type::Pair(..) if !short => "a pair".into(),
            Type::Array(..) => format!("an array `{text}`{any}"),
            Type::Pair(..) => format!("a pair `{text}`{any}"),
            Type::Var(v) if self.table.is_open(*v) => {
                let classes = self.table.info(*v).classes;
                if classes == Classes::FLOAT_LITERAL {
                    "a number with a point".into()
                } else if classes.within(Classes::INT_LITERAL) {
                    "a number".into()
                } else {
                    "another type".into()
                }
            }
            _ => format!("`{text}`{any}"),
        }
    }

    pub(in crate::infer) fn mismatch_help(
        &self,
        wanted: &Ty,
        got: &Ty,
        cause: Cause,
    ) -> Option<String> {
        match (&**wanted, &**got) {
            _ if let CauseCode::Annotated { param } = cause.why => {
                self.function_before(param).map(|_| {
                    let (want, have) = (self.show(wanted), self.show(got));
                    format!("let the other function return `{have}`, or let this one take `{want}`")
                })
            }
            (Type::Scalar(ScalarType::Bool), Type::Scalar(number)) => {
                let zero = if number.is_float() { "0.0" } else { "0" };
                let value = match cause.call() {
                    Some((_, value)) => self.source(value),
                    None => "x".to_owned(),
                };
                Some(format!(
                    "a comparison gives a boolean, as in `{value} != {zero}`"
                ))
            }
            (Type::Scalar(_), Type::Scalar(ScalarType::Bool)) => {
                Some("write `select(condition)(a)(b)` to choose between two numbers".into())
            }
            (Type::Index(_), Type::Scalar(scalar)) | (Type::Scalar(scalar), Type::Index(_))
                if let CauseCode::Operand { lhs, rhs, .. } = cause.why =>
            {
                if *scalar == ScalarType::NatType {
                    return Some(USE_INDEX_AS_NAT.into());
                }
                let index = if matches!(**wanted, Type::Index(_)) { lhs } else { rhs };
                let text = self.source(index);
                Some(format!("an index becomes a number by `(cast(indexAsNat({text})) : {scalar})`"))
            }
            (Type::Exp(..) | Type::Acc(_) | Type::Comm, _) => self.phrase_help(wanted, got, cause),
            _ if let Some((wanted, got)) = self.scalar(wanted).zip(self.scalar(got)) => {
                self.conversion(wanted, got, cause)
            }
            (Type::Index(n), Type::Scalar(scalar)) => Some(self.index_of(n, *scalar, cause)),
            (_, Type::Fun(..) | Type::Pi(_)) if !is_function(wanted) => {
                Some("an argument of the function is missing".into())
            }
            (Type::Fun(..), Type::Array(..)) => self
                .cause_head(cause)
                .map(|head| format!("the function comes first: `{head}(f)(xs)`")),
            (Type::Array(..), Type::DepArray(..)) => Some(
                "the rows of a dependent array differ in length, and `depMapSeq` works on each: `depMapSeq(depFun(i: Nat => fun(row => …)))`"
                    .into(),
            ),
            (Type::Array(..), t) if !matches!(t, Type::Array(..)) => match cause.why {
                CauseCode::Piped { .. } | CauseCode::Argument { .. } if matches!(t, Type::Pair(..)) => Some(
                    "`fst` or `snd` takes an array out of a pair; `zip` makes an array of pairs"
                        .into(),
                ),
                CauseCode::Piped { value, .. } | CauseCode::Argument { term: value, .. } => {
                    self.help_for_element(value)
                }
                _ => None,
            },
            (Type::Scalar(_), Type::Array(..))
                if matches!(cause.why, CauseCode::Written { .. } | CauseCode::Ascribed { .. }) =>
            {
                Some("`reduce` makes one value of the elements of an array, as in `|> reduce(add)(0.0f)`".into())
            }
            (Type::Scalar(_) | Type::Pair(..) | Type::Index(_), Type::Array(..)) => {
                Some("use `map` to work on the elements".into())
            }
            (Type::Fun(_, a), Type::Fun(_, b)) if self.gives_rows(a, b, cause) => {
                Some("the function returns rows: reduce each of them to one value, as in `reduce(add)(0.0f)`, or write `|> join` after the map to make one array of them".into())
            }
            (Type::Fun(a, _), Type::Fun(b, _))
                if matches!(&**b, Type::Pair(..)) && !matches!(&**a, Type::Pair(..)) =>
            {
                Some(format!(
                    "the function takes a pair, and gets `{}`",
                    self.show(a)
                ))
            }
            (Type::Fun(a, _), Type::Fun(b, _))
                if matches!(&*self.table.head(a), Type::Pair(..))
                    && !matches!(&*self.table.head(b), Type::Pair(..)) =>
            {
                Some("the function gets one pair: select its components with `._1` and `._2`".into())
            }
            _ => None,
        }
    }

    /// Returns the help for an element of an array of one dimension that is used as a row.
    fn help_for_element(&self, value: TermId) -> Option<String> {
        let array = self.mapped_array(value)?;
        let ty = self.table.ty(self.type_of_expr(array)?);
        let Type::Array(length, element) = &*ty else {
            return None;
        };
        if matches!(**element, Type::Array(..)) {
            return None;
        }
        let (length, element) = (self.show_nat(length), self.show(element));
        let row = if length == "m" { "k" } else { "m" };
        let (value, array) = (self.source(value), self.source(array));
        Some(format!(
            "`{value}` is an element of `{array}`, which has one dimension: use `{array}` itself, or let it be an array of rows, `{length}.{row}.{element}`"
        ))
    }

    /// Returns a scalar type itself, and `f32` for an undetermined type that must be a float, such
    /// as that of a literal with a point; `None` for other types.
    fn scalar(&self, ty: &Ty) -> Option<ScalarType> {
        match &*self.table.head(ty) {
            Type::Scalar(scalar) => Some(*scalar),
            Type::Var(var) if self.table.is_open(*var) => {
                let is_float = self.table.info(*var).classes == Classes::FLOAT_LITERAL;
                is_float.then_some(ScalarType::F32)
            }
            _ => None,
        }
    }

    /// Returns the help to convert a number to an index of an array with this many elements.
    fn index_of(&self, length: &Nat, number: ScalarType, cause: Cause) -> String {
        let is_open = |var: Var| self.table.is_open(var);
        if length.as_var().is_some_and(is_open) {
            return "`natAsIndex` makes an index of a value of type `natType`".to_owned();
        }
        let length = self.show_nat(length);
        match self.whole_at(cause.span) {
            Some(term) if !matches!(number, ScalarType::NatType | ScalarType::Bool) => format!(
                "`natAsIndex({length})((cast({}) : natType))` makes an index of it",
                self.source(term)
            ),
            _ => format!("`natAsIndex({length})` makes an index of a value of type `natType`"),
        }
    }

    /// Returns the help to convert a number of type `got` to type `wanted`. Of two operands the one
    /// that [`converted_operand`] chooses is converted.
    fn conversion(&self, wanted: ScalarType, got: ScalarType, cause: Cause) -> Option<String> {
        let CauseCode::Operand { lhs, rhs, .. } = cause.why else {
            if let Some(help) = self.accumulator_conversion(wanted, got, cause) {
                return Some(help);
            }
            let Some(term) = self.whole_at(cause.span) else {
                return Some(format!("`cast` converts it: `(cast(…) : {wanted})`"));
            };
            let is_literal = matches!(self.item.term(self.bare(term)).kind, TermKind::Literal(_));
            return Some(match self.literal_as(term, wanted) {
                Some(text) => format!("write `{text}`"),
                None if is_literal && got.is_float() => format!(
                    "`{wanted}` has no fractions: write a whole number, or take a type like `{got}`"
                ),
                None => format!(
                    "`cast` converts it: `(cast({}) : {wanted})`",
                    self.source(term)
                ),
            });
        };
        let (operand, ty) = converted_operand(wanted, got, (lhs, rhs));
        Some(match self.literal_as(operand, ty) {
            Some(text) => format!("write `{text}`"),
            None => format!(
                "`cast` converts one of them: `(cast({}) : {ty})`",
                self.source(operand)
            ),
        })
    }

    /// Returns the text of the number literal at a term with the floating-point type `ty`; `None`
    /// for other terms and types.
    fn literal_as(&self, term: TermId, ty: ScalarType) -> Option<String> {
        let suffix = float_suffix(ty)?;
        match &self.item.term(self.bare(term)).kind {
            TermKind::Literal(Literal::Int { value, .. }) => Some(format!("{value}.0{suffix}")),
            TermKind::Literal(Literal::Float { text, .. }) => Some(format!("{text}{suffix}")),
            _ => None,
        }
    }

    /// Returns the fix that converts a number to the wanted type, or of two operands the one that
    /// [`converted_operand`] chooses; `None` if a fix is not possible.
    fn conversion_fix(&self, wanted: &Ty, got: &Ty, cause: Cause) -> Option<Fix> {
        let (wanted, got) = self.scalar(wanted).zip(self.scalar(got))?;
        if wanted == ScalarType::Bool || got == ScalarType::Bool || self.in_dpia() {
            return None;
        }
        let (term, ty) = match cause.why {
            CauseCode::Operand { lhs, rhs, .. } => converted_operand(wanted, got, (lhs, rhs)),
            CauseCode::Piped { .. } | CauseCode::Annotated { .. } | CauseCode::Assigned { .. } => {
                return None;
            }
            _ if self.accumulator_conversion(wanted, got, cause).is_some() => return None,
            _ => (self.whole_at(cause.span)?, wanted),
        };
        let span = self.span(term);
        if let Some(text) = self.literal_as(term, ty) {
            return Some(Fix::write(span, text));
        }
        let is_literal = matches!(self.item.term(self.bare(term)).kind, TermKind::Literal(_));
        (!is_literal).then(|| {
            let title = format!("Convert it with `cast` to `{ty}`");
            Fix::surround(title, span, "(cast(", format!(") : {ty})"))
        })
    }

    /// Returns the fix that makes an index of an integer. It is not preferred, because a number may
    /// be too large for an index.
    fn index_fix(&self, wanted: &Ty, got: &Ty, cause: Cause) -> Option<Fix> {
        let (Type::Index(length), Type::Scalar(number)) = (&**wanted, &**got) else {
            return None;
        };
        let is_open = |var: Var| self.table.is_open(var);
        let is_integer = !number.is_float() && *number != ScalarType::Bool;
        let is_argument = matches!(cause.why, CauseCode::Argument { .. });
        if !is_integer || !is_argument || length.any_var(&is_open) {
            return None;
        }
        let length = self.show_nat(length);
        let (open, close) = match number {
            ScalarType::NatType => (format!("natAsIndex({length})("), ")"),
            _ => (format!("natAsIndex({length})((cast("), ") : natType))"),
        };
        let title = format!("Make an index of it with `natAsIndex({length})`");
        Some(Fix {
            preferred: false,
            ..Fix::surround(title, self.span(self.whole_at(cause.span)?), open, close)
        })
    }

    /// Returns the last term that has exactly this span.
    pub(super) fn whole_at(&self, span: Span) -> Option<TermId> {
        let mut terms = (0..self.item.terms.len()).map(|at| TermId(at as u32));
        terms.rfind(|term| self.span(*term) == span)
    }

    /// Returns the fix that changes a parameter's annotation to the type of its argument, if all
    /// variables of this type are in scope.
    fn annotation_fix(&self, wanted: &Ty, cause: Cause) -> Option<Fix> {
        let CauseCode::Annotated { .. } = cause.why else {
            return None;
        };
        let mut is_written = true;
        for_each_var(wanted, &mut |var| {
            is_written &= self.scope.iter().any(
                |local| matches!(local.meaning, LocalBinding::TypeLevel(own, _) if own == var),
            );
        });
        let text = self.show(wanted);
        is_written.then(|| Fix::write(cause.span, text))
    }

    /// Returns the help for a reduction whose accumulator has a type of higher [`rank`] than its
    /// elements: converting the result or the initial value would lose precision, so the elements
    /// are converted.
    fn accumulator_conversion(
        &self,
        wanted: ScalarType,
        got: ScalarType,
        cause: Cause,
    ) -> Option<String> {
        let accumulator = match cause.why {
            CauseCode::Argument { head, term } => {
                let is_value = !self.is_lambda(term) && !self.is_function_argument(cause);
                (self.reduces(head) && is_value && rank(wanted) < rank(got)).then_some(got)
            }
            _ => {
                let result = self.whole_at(cause.span)?;
                let head = Spine::of(self.item, self.bare(result)).head;
                (self.reduces(head) && rank(got) < rank(wanted)).then_some(wanted)
            }
        }?;
        Some(format!(
            "to compute in `{accumulator}`, convert the elements before: `map(fun(x => (cast(x) : {accumulator})))`"
        ))
    }

    /// Returns true if the name at `head` refers to a primitive with an accumulator.
    pub(super) fn reduces(&self, head: TermId) -> bool {
        use Primitive::{Reduce, ReducePar, ReduceSeq, ReduceSeqUnroll, ScanSeq};
        let reductions = [Reduce, ReducePar, ReduceSeq, ReduceSeqUnroll, ScanSeq];
        self.is_primitive(head, &reductions)
    }

    /// Returns the help for a mismatch of phrase types in DPIA.
    fn phrase_help(&self, wanted: &Ty, got: &Ty, cause: Cause) -> Option<String> {
        match (&**wanted, &**got) {
            (Type::Exp(..), Type::Acc(_)) => Some(
                "an acceptor is only written; what was written is read through the expression beside it"
                    .into(),
            ),
            (Type::Acc(_), Type::Exp(..)) => {
                Some("a value is not a place to write to: that is an acceptor".into())
            }
            (Type::Comm, Type::Exp(..)) => {
                Some("a command writes the value somewhere, as in `out = …`".into())
            }
            (Type::Exp(..), Type::Comm) => {
                Some("a command has no value: let it write to memory that `new` allocates, and read this memory".into())
            }
            (Type::Exp(a, _), Type::Exp(b, _)) => self.mismatch_help(
                &self.table.head(a),
                &self.table.head(b),
                cause,
            ),
            (_, Type::Fun(..) | Type::Pi(_)) => Some("an argument of the function is missing".into()),
            _ => None,
        }
    }

    pub(in crate::infer) fn infinite(&mut self, ty: &Ty, cause: Cause) {
        let part_of_itself =
            "is an argument missing, or a step that takes the part out, such as `._1`?";
        let call = cause
            .call()
            .map(|(head, term)| (self.source(head), self.source(term)));
        let (message, help) = match call {
            Some((head, term)) if head == term => (
                format!("`{head}` is applied to itself, so its type would contain itself"),
                "apply it to another value",
            ),
            Some((head, term)) if self.is_function_argument(cause) => (
                format!(
                    "as the function of `{head}`, `{term}` would have a type that contains itself"
                ),
                "what it takes must equal what it returns here, and one contains the other",
            ),
            Some((_, term)) => (
                format!(
                    "the type of `{term}` would contain itself: it must equal a type that it is a \
                     part of"
                ),
                part_of_itself,
            ),
            None => (
                format!(
                    "the type of this would contain itself, as a part of `{}`",
                    self.show(ty)
                ),
                part_of_itself,
            ),
        };
        self.error(codes::INFINITE_TYPE, cause.span, message).help = Some(help.to_owned());
    }

    pub(in crate::infer) fn not_data(&mut self, expected: &Ty, found: &Ty, cause: Cause) {
        let function = if is_function(&self.table.head(found)) {
            found
        } else {
            expected
        };
        // Variables that are still open have names of a signature, which are not in the program.
        let mut is_known = true;
        for_each_var(&self.table.ty(function), &mut |var| {
            is_known &= !self.table.is_open(var)
        });
        let text = self.show(function);
        let message = match self.cause_head(cause) {
            Some(head)
                if is_function(&self.table.head(expected))
                    && is_function(&self.table.head(found)) =>
            {
                self.not_data_of_function(&head, expected, found)
            }
            Some(head) if self.is_result_of_argument(cause) && is_known => format!(
                "the function of `{head}` must return data, and this is a function: `{text}`"
            ),
            Some(head) if self.is_result_of_argument(cause) => {
                format!("the function of `{head}` must return data, and this is a function")
            }
            Some(head) if is_known => {
                format!("`{head}` expects data here, and this is a function: `{text}`")
            }
            Some(head) => format!("`{head}` expects data here, and this is a function"),
            None => format!(
                "data is expected here, and this is a function: `{text}`{}",
                self.for_any(function)
            ),
        };
        if let Some(mend) = self.with_initial_value(expected, cause) {
            self.error(codes::NOT_DATA, cause.span, message)
                .advise(Some(mend.help), mend.fix);
            return;
        }
        let mut fix = None;
        let help = match (
            &*self.table.head(expected),
            &*self.table.head(found),
            cause.why,
        ) {
            (Type::Fun(from, _), Type::Fun(_, to), CauseCode::Argument { term, .. })
                if matches!(&*self.table.head(from), Type::Pair(..)) && is_function(to) =>
            {
                let text = self.on_pairs(term);
                fix = self
                    .is_closed(term)
                    .then(|| Fix::write(cause.span, text.clone()));
                format!("the function is given a pair: write `{text}`")
            }
            _ => "is an argument missing?".to_owned(),
        };
        self.error(codes::NOT_DATA, cause.span, message)
            .advise(Some(help), fix);
    }

    /// Returns the remedy for an argument `reduce(f)` of a function such as `map`, whose type as an
    /// argument is `expected`: the missing initial value.
    fn with_initial_value(&self, expected: &Ty, cause: Cause) -> Option<Suggestion> {
        let CauseCode::Argument { term, .. } = cause.why else {
            return None;
        };
        let call = Spine::of(self.item, self.bare(term));
        let [function] = call.args[..] else {
            return None;
        };
        if function.piped || !self.reduces(call.head) {
            return None;
        }
        let (text, head) = (self.source(term), self.source(call.head));
        let row = match &*self.table.head(expected) {
            Type::Fun(row, _) => self.table.head(row),
            _ => return None,
        };
        let neutral = match &*row {
            Type::Array(_, elem) => self.neutral_value(function.term, elem),
            _ => None,
        };
        let behind = Span::empty(self.span(term).end);
        Some(Suggestion {
            help: format!(
                "the initial value of `{head}` is missing: write `{text}({})`",
                neutral.as_deref().unwrap_or("…")
            ),
            fix: neutral.map(|neutral| {
                let edits = vec![(behind, format!("({neutral})"))];
                Fix::preferred(format!("Write `{text}({neutral})`"), edits)
            }),
        })
    }

    /// Describes a function as an argument of `head` that takes or returns another function where
    /// data is expected.
    fn not_data_of_function(&mut self, head: &str, expected: &Ty, found: &Ty) -> String {
        let (mut expected, mut found) = (self.table.head(expected), self.table.head(found));
        while let (Type::Fun(_, a), Type::Fun(_, b)) = (&*expected, &*found) {
            (expected, found) = (self.table.head(a), self.table.head(b));
        }
        match is_function(&found) {
            true => format!(
                "`{head}` needs a function that returns data, and this one returns a function"
            ),
            false => {
                format!("`{head}` needs a function that takes data, and this one takes a function")
            }
        }
    }

    pub(in crate::infer) fn escape(&mut self, var: Var, expected: &Ty, found: &Ty, cause: Cause) {
        if self.is_bound_by_let(var) {
            return self.result_names_size(var, cause.span);
        }
        let name = self.name_of(var);
        let bound = self.table.info(var).span;
        let user = match self.cause_head(cause) {
            Some(head) => format!("the result of `{head}`"),
            None => "the result".to_owned(),
        };
        let message = format!(
            "the size `{name}` is known only inside of the function that binds it, so the type of {user} cannot depend on it{}",
            self.comparison(expected, found)
        );
        let diagnostic = self.error(codes::SIZE_MISMATCH, cause.span, message);
        diagnostic.relate(ItemSpan::from(bound), format!("`{name}` is bound here"));
    }
}

/// Returns the operand whose type has the lower [`rank`], or else the right one, and the type of
/// the other operand, to which it is converted.
fn converted_operand(
    wanted: ScalarType,
    got: ScalarType,
    (lhs, rhs): (TermId, TermId),
) -> (TermId, ScalarType) {
    match rank(wanted) < rank(got) {
        true => (lhs, got),
        false => (rhs, wanted),
    }
}

/// Returns the suffix of a float literal of the type; `None` for types that are no floats.
pub(super) fn float_suffix(scalar: ScalarType) -> Option<&'static str> {
    Some(match scalar {
        ScalarType::F16 => "f16",
        ScalarType::F32 => "f",
        ScalarType::F64 => "f64",
        _ => return None,
    })
}

/// Returns the rank of a scalar type in conversions: of two operands the one of lower rank is
/// converted.
fn rank(scalar: ScalarType) -> u32 {
    match scalar {
        ScalarType::Bool => 0,
        ScalarType::I8 | ScalarType::U8 => 1,
        ScalarType::I16 | ScalarType::U16 => 2,
        ScalarType::I32 | ScalarType::U32 => 3,
        ScalarType::I64 | ScalarType::U64 | ScalarType::NatType => 4,
        ScalarType::F16 => 5,
        ScalarType::F32 => 6,
        ScalarType::F64 => 7,
    }
}
