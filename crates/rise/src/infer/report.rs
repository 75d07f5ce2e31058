//! What inference says to the user.

use nat::{Nat, Prop, Var};
use syntax::ast::{AddressSpace, BinderId, Kind, Name, ScalarType, TermId, TermKind};
use syntax::{Code, GlobalId, Place, Related, Span};

use super::expr::kind_noun;
use super::obligations::Source;
use super::unify::{Cause, Clash, Why};
use super::{Infer, Meaning};
use crate::classes::Classes;
use crate::primitive::Primitive;
use crate::print;
use crate::suggest::closest;
use crate::types::{Names, Pi, Ty, Type};
use crate::{Target, TermInfo};

/// Why an equation between sizes does not hold.
pub(super) enum Undecided {
    /// It fails for these sizes.
    Differ(Vec<(Var, i64)>),
    /// Neither proved nor refuted.
    CannotTell,
    /// No value of the unknown sizes makes it hold.
    Impossible,
    /// Unknown sizes are left that nothing determines.
    Open,
}

impl Infer<'_> {
    // ----- showing -----

    fn names(&self) -> Names {
        let names: Vec<Name> = (0..self.table.len())
            .map(|i| {
                let var = Var(i as u32);
                let name = &self.table.info(var).name;
                // An unknown goes by its parameter's name, unless that means something here.
                if self.table.is_open(var) && self.scope.iter().any(|local| local.name == *name) {
                    Name::default()
                } else {
                    name.clone()
                }
            })
            .collect();
        Names(names.into())
    }

    pub(super) fn show(&self, ty: &Ty) -> String {
        print::type_text(&self.table.ty(ty), &self.names())
    }

    pub(super) fn show_nat(&self, nat: &Nat) -> String {
        print::nat_text(&self.table.nat(nat), &self.names())
    }

    pub(super) fn show_prop(&self, prop: &Prop) -> String {
        print::prop_text(prop, &self.names())
    }

    pub(super) fn name_of(&self, var: Var) -> Name {
        self.table.info(var).name.clone()
    }

    /// A term as a short piece of text for a message.
    pub(super) fn source(&self, term: TermId) -> String {
        crate::snippet::snippet(self.item, term)
    }

    fn fails_for(&self, witness: &[(Var, i64)]) -> Option<String> {
        if witness.is_empty() {
            return None;
        }
        let values: Vec<String> = witness
            .iter()
            .map(|(v, value)| format!("{} = {value}", self.name_of(*v)))
            .collect();
        Some(values.join(", "))
    }

    // ----- types that disagree -----

    pub(super) fn report_clash(&mut self, clash: &Clash, expected: &Ty, found: &Ty, cause: Cause) {
        self.clashes += 1;
        match clash {
            Clash::Types => self.type_mismatch(expected, found, cause),
            Clash::Classes(..) if self.is_literal(found) => {
                self.type_mismatch(expected, found, cause);
            }
            Clash::Infinite(ty) => self.infinite(ty, cause),
            Clash::Classes(_, ty) if is_function(&self.table.head(ty)) => {
                self.not_data(expected, found, cause);
            }
            Clash::Classes(classes, ty) => {
                let text = self.show(ty);
                let user = self.cause_head(cause);
                let message = match user {
                    Some(head) if self.is_function_argument(cause) => format!(
                        "this function works on {}, and `{head}` gives it `{text}`",
                        classes.describe()
                    ),
                    Some(head) => format!(
                        "`{head}` works on {}, and this is `{text}`",
                        classes.describe()
                    ),
                    None => format!("expected {}, found `{text}`", classes.describe()),
                };
                let help = self.subkind_help(ty);
                let related = self.cause_places(cause, expected);
                let diagnostic = self.error(Code::WrongSubkind, cause.span, message);
                diagnostic.help = help;
                diagnostic.related = related;
            }
            Clash::Escape(var) => self.escape(*var, expected, found, cause),
        }
    }

    /// Whether what does not fit is a function that another one is given.
    fn is_function_argument(&self, cause: Cause) -> bool {
        let Why::Argument { term, .. } = cause.why else {
            return false;
        };
        match &self.terms[self.bare(term).0 as usize] {
            TermInfo::Expr(ty) => is_function(&self.table.head(ty)),
            _ => false,
        }
    }

    /// Whether the type is still only that of a number literal.
    fn is_literal(&self, ty: &Ty) -> bool {
        match &*self.table.head(ty) {
            Type::Var(v) => {
                self.table.is_open(*v) && self.table.info(*v).classes.within(Classes::INT_LITERAL)
            }
            _ => false,
        }
    }

    fn subkind_help(&self, ty: &Ty) -> Option<String> {
        match &*self.table.head(ty) {
            Type::Array(..) => Some("use `map` to work on the elements".into()),
            Type::Pair(..) => Some("take a half with `._1` or `._2`".into()),
            Type::Index(_) => Some("use `indexAsNat` to compute with an index".into()),
            Type::Scalar(ScalarType::Bool) => {
                Some("use `select` to choose a number by a truth value".into())
            }
            Type::Var(var) => {
                let name = self.name_of(*var);
                let kind = kind_noun(self.table.info(*var).kind);
                Some(format!(
                    "`{name}` may be any {kind}; bind it with a narrower kind, as in `{{{name}: Num}}`"
                ))
            }
            _ => None,
        }
    }

    /// `expected: …` over `found: …`, aligned.
    fn comparison(&self, expected: &Ty, found: &Ty) -> String {
        format!(
            "\nexpected: {}\n   found: {}",
            self.show(expected),
            self.show(found)
        )
    }

    fn type_mismatch(&mut self, expected: &Ty, found: &Ty, cause: Cause) {
        let (wanted, got) = (self.table.ty(expected), self.table.ty(found));
        let first = self.mismatch_line(&wanted, &got, cause);
        let message = if self.is_literal(&got) {
            first
        } else {
            format!("{first}{}", self.comparison(&wanted, &got))
        };
        let help = self.mismatch_help(&wanted, &got, cause);
        let related = self.cause_places(cause, expected);
        let diagnostic = self.error(Code::TypeMismatch, cause.span, message);
        diagnostic.related = related;
        diagnostic.help = help;
    }

    fn mismatch_line(&self, wanted: &Ty, got: &Ty, cause: Cause) -> String {
        let (want, have) = (self.describe(wanted), self.describe(got));
        match cause.why {
            Why::Argument { head, .. } => {
                format!(
                    "`{}` expects {want} here, and this is {have}",
                    self.source(head)
                )
            }
            Why::Piped { head, .. } => {
                format!(
                    "`{}` expects {want}, and {have} is piped into it",
                    self.source(head)
                )
            }
            Why::Operand { op, .. } => format!(
                "`{}` needs two operands of one type: the left one is {want}, the right one {have}",
                op.as_str()
            ),
            Why::Written { .. } => {
                format!("the definition's type says {want}, and this is {have}")
            }
            Why::Ascribed { .. } => format!("the type written here is {want}, and this is {have}"),
            Why::Context => format!("expected {want}, found {have}"),
        }
    }

    /// A type by its outermost form: enough for a first line.
    fn describe(&self, ty: &Ty) -> String {
        let ty = self.table.head(ty);
        let text = self.show(&ty);
        let short = text.chars().count() <= 24;
        match &*ty {
            Type::Fun(..) | Type::Pi(_) if !short => "a function".into(),
            Type::Fun(..) | Type::Pi(_) => format!("a function `{text}`"),
            Type::Array(..) if !short => "an array".into(),
            Type::Pair(..) if !short => "a pair".into(),
            Type::Array(..) => format!("an array `{text}`"),
            Type::Pair(..) => format!("a pair `{text}`"),
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
            _ => format!("`{text}`"),
        }
    }

    fn mismatch_help(&self, wanted: &Ty, got: &Ty, cause: Cause) -> Option<String> {
        match (&**wanted, &**got) {
            (Type::Scalar(a), Type::Scalar(b)) if a != b => Some(format!(
                "`cast` turns one into the other: `(cast(…) : {a})`"
            )),
            (_, Type::Fun(..) | Type::Pi(_)) if !is_function(wanted) => {
                Some("the function misses an argument".into())
            }
            (Type::Fun(..), Type::Array(..)) => match self.cause_head(cause) {
                Some(head) => Some(format!("the function comes first: `{head}(f)(xs)`")),
                None => None,
            },
            (Type::Array(..), t) if !matches!(t, Type::Array(..)) => match cause.why {
                Why::Piped { .. } | Why::Argument { .. } if matches!(t, Type::Pair(..)) => Some(
                    "`fst` or `snd` takes an array out of a pair; `zip` makes an array of pairs"
                        .into(),
                ),
                _ => None,
            },
            (Type::Scalar(_) | Type::Pair(..) | Type::Index(_), Type::Array(..)) => {
                Some("use `map` to work on the elements".into())
            }
            (Type::Fun(a, _), Type::Fun(b, _))
                if matches!(&**b, Type::Pair(..)) && !matches!(&**a, Type::Pair(..)) =>
            {
                Some(format!(
                    "the function takes a pair, and gets `{}`",
                    self.show(a)
                ))
            }
            (Type::Fun(a, _), Type::Fun(..)) if matches!(&*self.table.head(a), Type::Pair(..)) => {
                Some("the function gets one pair: take its halves with `._1` and `._2`".into())
            }
            _ => None,
        }
    }

    fn infinite(&mut self, ty: &Ty, cause: Cause) {
        let text = self.show(ty);
        let diagnostic = self.error(
            Code::InfiniteType,
            cause.span,
            format!("this would need a type that contains itself: `_` = `{text}`"),
        );
        diagnostic.help = Some("is a function applied to itself, or an argument missing?".into());
    }

    fn not_data(&mut self, expected: &Ty, found: &Ty, cause: Cause) {
        let function = if is_function(&self.table.head(found)) {
            found
        } else {
            expected
        };
        let text = self.show(function);
        let message = match self.cause_head(cause) {
            Some(head) => format!("`{head}` works on data, and this is a function: `{text}`"),
            None => format!("functions are not stored: this has type `{text}`"),
        };
        let diagnostic = self.error(Code::NotData, cause.span, message);
        diagnostic.help = Some("is an argument missing?".into());
    }

    fn escape(&mut self, var: Var, expected: &Ty, found: &Ty, cause: Cause) {
        let name = self.name_of(var);
        let bound = self.table.info(var).span;
        let user = match self.cause_head(cause) {
            Some(head) => format!("what `{head}` gives"),
            None => "what this gives".to_owned(),
        };
        let message = format!(
            "the size `{name}` is known only inside, so the type of {user} cannot depend on it{}",
            self.comparison(expected, found)
        );
        let diagnostic = self.error(Code::SizeMismatch, cause.span, message);
        diagnostic.related.push(Related {
            place: Place::from(bound),
            message: format!("`{name}` is bound here"),
        });
    }

    // ----- sizes that disagree -----

    pub(super) fn report_sizes(&mut self, demand: usize, a: &Nat, b: &Nat, outcome: Undecided) {
        let demand = self.demands[demand].clone();
        let cause = demand.cause;
        let (expected, found) = (
            self.table.ty(&demand.expected),
            self.table.ty(&demand.found),
        );
        let comparison = self.comparison(&expected, &found);
        let (left, right) = (self.show_nat(a), self.show_nat(b));
        let related = self.cause_places(cause, &demand.expected);
        let (code, message, help) = match outcome {
            Undecided::Differ(witness) => {
                let why = match self.fails_for(&witness) {
                    Some(sizes) => format!("they differ for {sizes}"),
                    None => "they differ".to_owned(),
                };
                let first = self.size_line(&left, &right, cause);
                let help = self.size_help(&expected, &found, a, b);
                (Code::SizeMismatch, format!("{first}{comparison}\n{why}"), help)
            }
            Undecided::CannotTell => (
                Code::SizeUnknown,
                format!("cannot tell whether the sizes `{left}` and `{right}` are equal{comparison}"),
                Some("if they are, say so: `assume(size)` makes it an obligation that is checked before each run".to_owned()),
            ),
            Undecided::Impossible => self.impossible_size(a, b, cause, &comparison),
            Undecided::Open => (
                Code::CannotInfer,
                format!("nothing determines the sizes in `{left}` = `{right}`{comparison}"),
                Some("write one of the sizes or types down".to_owned()),
            ),
        };
        let diagnostic = self.error(code, cause.span, message);
        diagnostic.related = related;
        diagnostic.help = help;
    }

    fn size_line(&self, left: &str, right: &str, cause: Cause) -> String {
        match cause.why {
            Why::Argument { head, .. } => {
                format!(
                    "`{}` expects the size `{left}` here, and this has `{right}`",
                    self.source(head)
                )
            }
            Why::Piped { head, .. } => {
                format!(
                    "`{}` expects the size `{left}`, and `{right}` is piped into it",
                    self.source(head)
                )
            }
            Why::Operand { op, .. } => format!(
                "the operands of `{}` have different sizes: `{left}` and `{right}`",
                op.as_str()
            ),
            Why::Written { .. } => {
                format!("the definition's type says the size `{left}`, and this has `{right}`")
            }
            Why::Ascribed { .. } => {
                format!("the type written here has the size `{left}`, and this has `{right}`")
            }
            Why::Context => format!("expected the size `{left}`, found `{right}`"),
        }
    }

    /// What kind of slip a difference of sizes looks like.
    fn size_help(&self, expected: &Ty, found: &Ty, a: &Nat, b: &Nat) -> Option<String> {
        let (want, have) = (self.dimensions(expected), self.dimensions(found));
        if want.len() >= 2 && want != have {
            let mut swapped = have.clone();
            swapped.swap(0, 1);
            if swapped == want {
                return Some("the two axes are swapped: `transpose` exchanges them".into());
            }
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

    fn dimensions(&self, ty: &Ty) -> Vec<Nat> {
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

    /// `4*m = 10`, `5 + m = 3`: no `m` does it.
    fn impossible_size(
        &self,
        a: &Nat,
        b: &Nat,
        cause: Cause,
        comparison: &str,
    ) -> (Code, String, Option<String>) {
        let user = self.cause_head(cause).unwrap_or_else(|| "this".into());
        let (pattern, given) = if self.has_open(a) { (a, b) } else { (b, a) };
        let at =
            |value: i64| pattern.subst(&|v| self.table.is_open(v).then(|| Nat::constant(value)));
        let (least, next) = (at(0), at(1));
        let size = self.show_nat(given);
        let step = Nat::sub(&next, &least);
        let rest = Nat::sub(given, &least);
        if rest.as_const().is_some_and(|r| r < 0) {
            let least = self.show_nat(&least);
            return (
                Code::NegativeSize,
                format!(
                    "`{user}` needs at least {least} elements, and there are {size}{comparison}"
                ),
                None,
            );
        }
        let step_text = self.show_nat(&step);
        let rest_text = self.show_nat(&rest);
        if Nat::rem(&rest, &step).as_const().is_some_and(|r| r != 0) {
            let what = if least.as_const() == Some(0) {
                format!("a size that {step_text} divides, and it does not divide {size}")
            } else {
                let least = self.show_nat(&least);
                format!(
                    "the size less {least} to be a multiple of {step_text}, and {step_text} does not divide {rest_text}"
                )
            };
            return (
                Code::ObligationFails,
                format!("`{user}` needs {what}{comparison}"),
                None,
            );
        }
        let pattern = self.show_nat(pattern);
        (
            Code::SizeMismatch,
            format!("no sizes make `{pattern}` equal to `{size}`{comparison}"),
            None,
        )
    }

    fn has_open(&self, nat: &Nat) -> bool {
        nat.any_var(&|v| self.table.is_open(v))
    }

    // ----- where a demand comes from -----

    /// The function that a message can name.
    fn cause_head(&self, cause: Cause) -> Option<String> {
        match cause.why {
            Why::Argument { head, .. } | Why::Piped { head, .. } => Some(self.source(head)),
            Why::Operand { op, .. } => Some(op.as_str().to_owned()),
            _ => None,
        }
    }

    /// The places that a disagreement comes from.
    fn cause_places(&self, cause: Cause, expected: &Ty) -> Vec<Related> {
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
        if let Some(span) = self.fixed_at(expected, cause.span) {
            add(span, "the expected size or type comes from here".to_owned());
        }
        match cause.why {
            Why::Argument { term, .. } | Why::Piped { value: term, .. } => {
                if let Some((span, text)) = self.binding_place(term) {
                    add(span, text);
                } else if let Why::Piped { value, .. } = cause.why
                    && let TermInfo::Expr(ty) = &self.terms[value.0 as usize]
                {
                    let text = self.show(ty);
                    add(self.last_stage(value), format!("this is `{text}`"));
                }
            }
            Why::Operand { lhs, .. } => {
                if let TermInfo::Expr(ty) = &self.terms[lhs.0 as usize] {
                    let text = self.show(ty);
                    add(self.span(lhs), format!("this is `{text}`"));
                }
            }
            Why::Written { ty, .. } | Why::Ascribed { ty } => {
                add(self.span(ty), "the type is written here".to_owned());
            }
            Why::Context => {}
        }
        places
    }

    /// The function of the last stage of a pipeline: a small place for a large term.
    pub(super) fn last_stage(&self, mut term: TermId) -> Span {
        loop {
            match &self.item.term(term).kind {
                TermKind::Binary {
                    op: syntax::ast::BinaryOp::Pipe,
                    rhs,
                    ..
                } => term = *rhs,
                TermKind::Apply { callee, .. } => term = *callee,
                TermKind::Paren(inner) => term = *inner,
                _ => return self.span(term),
            }
        }
    }

    /// Where the expected type's own variables got their values, if that was somewhere else.
    fn fixed_at(&self, expected: &Ty, here: Span) -> Option<Span> {
        let mut found = None;
        super::for_each_var(expected, &mut Vec::new(), &mut |v| {
            if found.is_none()
                && let Some(at) = self.table.solved_at(v)
                && at != here
                && !at.is_empty()
            {
                found = Some(at);
            }
        });
        found
    }

    /// The binder of a variable, with its type.
    fn binding_place(&self, term: TermId) -> Option<(Span, String)> {
        let name = self.source_name(term)?;
        let local = self.lookup(name);
        let from_scope = local.map(|local| (local.target, local.meaning.clone()));
        let (target, ty) = match from_scope {
            Some((target, Meaning::Value(ty))) => (target, ty),
            _ => {
                let target = self
                    .uses
                    .iter()
                    .find(|u| u.term == self.bare(term))
                    .map(|u| u.target)?;
                let TermInfo::Expr(ty) = &self.terms[term.0 as usize] else {
                    return None;
                };
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

    // ----- names -----

    pub(super) fn unknown_name(&mut self, term: TermId, name: &Name) {
        if self.unknown.contains(name) {
            return;
        }
        self.unknown.push(name.clone());
        let candidates = self.candidates();
        let near = closest(name, candidates.iter().map(Name::as_str)).map(str::to_owned);
        let span = self.span(term);
        let diagnostic = self.error(
            Code::UnknownName,
            span,
            format!("nothing here is called `{name}`"),
        );
        if let Some(near) = near {
            diagnostic.help = Some(format!("did you mean `{near}`?"));
            let edits = vec![(span, near.clone())];
            diagnostic.fixes.push(syntax::Fix {
                title: format!("Replace with `{near}`"),
                edits,
                preferred: true,
                disabled: None,
            });
        }
    }

    fn candidates(&self) -> Vec<Name> {
        let mut names: Vec<Name> = self.scope.iter().map(|local| local.name.clone()).collect();
        names.extend(self.env.names());
        names.extend(Primitive::ALL.iter().map(|p| Name::new_static(p.name())));
        names
    }

    pub(super) fn unbound_type_name(&mut self, term: TermId, name: &Name) {
        if self.unknown.contains(name) {
            return;
        }
        self.unknown.push(name.clone());
        let types = self.scope.iter().filter_map(|local| match local.meaning {
            Meaning::TypeLevel(..) => Some(local.name.as_str()),
            _ => None,
        });
        let scalars = ScalarType::ALL.iter().map(|s| s.as_str());
        let near = foreign_type(name)
            .or_else(|| closest(name, types.chain(scalars)))
            .map(str::to_owned);
        let diagnostic = self.error(
            Code::UnknownName,
            self.item.term(term).span,
            format!("nothing here binds the size or type `{name}`"),
        );
        diagnostic.help = Some(match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!(
                "bind it: `depFun({name}: Nat => …)` in an expression, `({name}: Nat) -> …` in a type"
            ),
        });
    }

    pub(super) fn ambiguous(&mut self, term: TermId, name: &Name, ids: &[GlobalId]) {
        let span = self.span(term);
        let diagnostic = self.error(
            Code::AmbiguousImport,
            span,
            format!("`{name}` is defined by {} imports", ids.len()),
        );
        for &id in ids {
            diagnostic.related.push(Related {
                place: Place {
                    item: Some(id),
                    span: Span::default(),
                },
                message: "one definition is here".to_owned(),
            });
        }
        diagnostic.help = Some("rename one of them, or define the name in this file".into());
    }

    // ----- functions -----

    pub(super) fn not_a_function(&mut self, head: TermId, arg: TermId, piped: bool, ty: &Ty) {
        let text = self.show(ty);
        let name = self.source(head);
        let (span, message) = if piped {
            (
                self.span(head),
                format!("`{name}` is no function to pipe into: it is `{text}`"),
            )
        } else {
            (
                self.span(arg),
                format!("`{name}` takes no further argument: what it gives here is `{text}`"),
            )
        };
        self.error(Code::NotAFunction, span, message);
    }

    pub(super) fn missing_explicit(&mut self, head: TermId, pi: &Pi) {
        let name = self.source(head);
        let noun = kind_noun(pi.kind);
        let param = self.name_of(pi.var);
        let diagnostic = self.error(
            Code::KindMismatch,
            self.item.term(head).span,
            format!("`{name}` takes the {noun} `{param}` first"),
        );
        diagnostic.help = Some(format!("write `{name}({param})`"));
    }

    pub(super) fn value_for_size(&mut self, term: TermId, head: TermId) {
        let (text, name) = (self.source(term), self.source(head));
        self.error(
            Code::KindMismatch,
            self.span(term),
            format!("`{name}` takes a size here, and `{text}` is a value"),
        )
        .help = Some(format!("sizes come first: `{name}(n)(…)`"));
    }

    pub(super) fn value_as_size(&mut self, term: TermId, name: &Name, ty: &Ty) {
        let text = self.show(ty);
        let is_nat = matches!(&*self.table.head(ty), Type::Scalar(ScalarType::NatType));
        let diagnostic = self.error(
            Code::KindMismatch,
            self.item.term(term).span,
            format!("expected a size or type, and `{name}` is a value of type `{text}`"),
        );
        if is_nat {
            diagnostic.help =
                Some("the value is known only at run time; a size is bound by `depFun`".into());
        }
    }

    pub(super) fn not_a_size(&mut self, term: TermId) {
        let text = self.source(term);
        self.error(
            Code::KindMismatch,
            self.item.term(term).span,
            format!("expected a size, found `{text}`"),
        );
    }

    pub(super) fn unknown_space(&mut self, term: TermId) {
        let text = self.source(term);
        let spaces = AddressSpace::ALL.iter().map(|s| s.as_str());
        let help = match closest(&text, spaces) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "they are Global, Local, Private and Constant".to_owned(),
        };
        let span = self.span(term);
        self.error(
            Code::UnknownName,
            span,
            format!("there is no address space `{text}`"),
        )
        .help = Some(help);
    }

    pub(super) fn lambda_is_not(&mut self, term: TermId, wanted: &Ty, cause: Cause) {
        self.clashes += 1;
        if let Type::Var(_) = &**wanted {
            let message = match self.cause_head(cause) {
                Some(head) => format!("`{head}` works on data, and this is a function"),
                None => "data is wanted here, and this is a function".to_owned(),
            };
            let span = self.head_span(term);
            self.error(Code::NotData, span, message);
            return;
        }
        let text = self.show(wanted);
        let span = self.head_span(term);
        let message = match cause.why {
            Why::Written { .. } => {
                format!("the definition's type says `{text}`, which is no function from values")
            }
            _ => match self.cause_head(cause) {
                Some(head) => format!("`{head}` expects `{text}` here, found a function"),
                None => format!("expected `{text}`, found a function"),
            },
        };
        let related = self.cause_places(cause, wanted);
        let diagnostic = self.error(Code::TypeMismatch, span, message);
        diagnostic.related = related;
        if let Type::Pi(pi) = &**wanted {
            diagnostic.help = Some(format!(
                "sizes and types are taken by `depFun(… : {} => …)`",
                pi.kind
            ));
        }
    }

    pub(super) fn not_a_pair(&mut self, term: TermId, ty: &Ty) {
        let text = self.show(ty);
        let is_array = matches!(&*self.table.head(ty), Type::Array(..));
        let diagnostic = self.error(
            Code::TypeMismatch,
            self.item.term(term).span,
            format!("`._1` and `._2` are for pairs, and this is `{text}`"),
        );
        if is_array {
            diagnostic.help =
                Some("for an element of an array use `idx`, for each pair `map`".into());
        }
    }

    pub(super) fn not_a_number(&mut self, op: &str, term: TermId, ty: &Ty, clash: &Clash) {
        self.clashes += 1;
        let text = self.show(ty);
        let wanted = match clash {
            Clash::Classes(classes, _) => classes.describe(),
            _ => "numbers",
        };
        let help = self.subkind_help(ty);
        self.error(
            Code::WrongSubkind,
            self.item.term(term).span,
            format!("`{op}` works on {wanted}, and this is `{text}`"),
        )
        .help = help;
    }

    pub(super) fn wrong_subkind(&mut self, term: TermId, ty: &Ty, clash: &Clash) {
        let text = self.show(ty);
        let wanted = match clash {
            Clash::Classes(classes, _) => classes.describe(),
            _ => "data",
        };
        self.error(
            Code::WrongSubkind,
            self.item.term(term).span,
            format!("expected one of the {wanted}, found `{text}`"),
        );
    }

    pub(super) fn let_function(&mut self, binder: BinderId, value: TermId, ty: &Ty) {
        let name = self.item.binder(binder).name.clone();
        let text = self.show(ty);
        self.error(
            Code::LetFunction,
            self.item.term(value).span,
            format!("`let` binds data, and this is a function: `{text}`"),
        )
        .help = Some(format!(
            "write it as a definition of its own: `def {name} = …`"
        ));
    }

    // ----- holes, unknown types -----

    pub(super) fn report_holes(&mut self) {
        for (term, ty) in std::mem::take(&mut self.holes) {
            let ty = self.table.ty(&ty);
            let message = match &*ty {
                Type::Var(v) if self.table.is_open(*v) => {
                    "a hole: nothing says which type is wanted here".to_owned()
                }
                _ => format!(
                    "a hole: an expression of type `{}` is wanted here",
                    self.show(&ty)
                ),
            };
            let span = self.span(term);
            self.error(Code::Hole, span, message);
        }
    }

    pub(super) fn undetermined(&mut self, var: Var, term: TermId) {
        let info = self.table.info(var);
        let (name, noun) = (info.name.clone(), kind_noun(info.kind));
        let user = self.source(term);
        let what = if user == "_" {
            format!("nothing determines this {noun}")
        } else {
            format!("nothing determines the {noun} `{name}` of `{user}`")
        };
        let help = match info.kind {
            Kind::Nat => "write the type of what it is applied to or gives, as in `(… : 4.f32)`",
            _ => "write its type, as in `(… : f32)`",
        };
        let span = self.span(term);
        self.error(Code::CannotInfer, span, what).help = Some(help.to_owned());
    }

    pub(super) fn report_no_kind(&mut self, var: Var) {
        let info = self.table.info(var);
        let (span, what) = (info.span, info.classes.describe());
        if self.failed() {
            return;
        }
        self.error(
            Code::CannotInfer,
            span,
            format!("this works on {what}, and no kind of type parameter says just that"),
        )
        .help = Some("write the type, as in `fun(x: f32 => …)`".into());
    }

    pub(super) fn report_no_address(&mut self, var: Var) {
        let span = self.table.info(var).span;
        self.error(
            Code::CannotInfer,
            span,
            "an address space is never inferred",
        )
        .help = Some("write it, or take it as a parameter: `depFun(a: AddrSp => …)`".into());
    }

    // ----- conditions -----

    /// A callee's condition in its own words, and what its sizes are here.
    fn in_own_words(&self, source: &Source) -> String {
        let head = self.source(source.head);
        let text = print::prop_text(&source.prop, &source.names);
        let mut values: Vec<String> = Vec::new();
        source.prop.for_each_var(&mut |v| {
            let var = Var(source.base + v.0);
            if self.table.info(var).kind != Kind::Nat {
                return;
            }
            let here = self.show_nat(&Nat::var(var));
            let value = format!("{} is {here}", source.names.get(v));
            if !values.contains(&value) {
                values.push(value);
            }
        });
        format!("`{head}` needs {text}, and here {}", values.join(" and "))
    }

    pub(super) fn condition_fails(&mut self, prop: &Prop, span: Span, source: Option<&Source>) {
        self.clashes += 1;
        let text = self.show_prop(prop);
        let (code, message) = match (prop, source) {
            (_, Some(source)) => (Code::ObligationFails, self.in_own_words(source)),
            (Prop::Divides(a, b), None) if a.as_const() != Some(0) => {
                let (a, b) = (self.show_nat(a), self.show_nat(b));
                (Code::ObligationFails, format!("{a} does not divide {b}"))
            }
            (Prop::AtLeast(a, b), None) if b.as_const() == Some(0) => (
                Code::NegativeSize,
                format!("the size `{}` is negative", self.show_nat(a)),
            ),
            _ => (
                Code::ObligationFails,
                format!("this needs {text}, which does not hold"),
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

    pub(super) fn condition_not_general(&mut self, prop: &Prop, span: Span, at: &[(Var, i64)]) {
        let text = self.show_prop(prop);
        let fails = self
            .fails_for(at)
            .map_or(String::new(), |sizes| format!(": it fails for {sizes}"));
        self.error(
            Code::ObligationFails,
            span,
            format!("this needs {text} for every size that is bound here{fails}"),
        );
    }

    pub(super) fn condition_unknown(&mut self, prop: &Prop, span: Span) {
        let text = self.show_prop(prop);
        self.error(
            Code::SizeUnknown,
            span,
            format!("cannot tell whether {text} for every size that is bound here"),
        );
    }
}

/// What other languages call the scalar types.
fn foreign_type(name: &str) -> Option<&'static str> {
    Some(match name {
        "float" | "Float32" | "single" => "f32",
        "double" | "Float64" => "f64",
        "half" => "f16",
        "int" | "Int32" | "integer" => "i32",
        "long" | "int64" | "Int64" => "i64",
        "short" => "i16",
        "char" | "int8" => "i8",
        "uint" | "unsigned" => "u32",
        "byte" | "uchar" => "u8",
        "Bool" | "boolean" => "bool",
        "nat" | "size_t" | "usize" => "natType",
        _ => return None,
    })
}

fn is_function(ty: &Type) -> bool {
    matches!(ty, Type::Fun(..) | Type::Pi(_))
}
