//! Messages about functions and their arguments, and about terms that are no function, size, pair
//! or number where one is required.

use syntax::ast::{
    AddressSpace, BinaryOp, BinderAnnotation, BinderId, Half, Name, ScalarType, TermId, TermKind,
};
use syntax::{Fix, Related, Span};

use super::super::Infer;
use super::super::apply::MissingSizes;
use super::super::expr::kind_noun;
use super::super::unify::{Cause, CauseCode, UnifyError};
use super::names::replacement;
use super::operands::Suggestion;
use crate::codes;
use crate::primitive::Primitive;
use crate::spine::{Spine, SpineArg};
use crate::types::{Pi, Ty, Type};
use syntax::closest;

/// The help for an expression that is no size.
const SIZES: &str = "a size is made of numbers and of names that `depFun` binds";

impl Infer<'_> {
    pub(in crate::infer) fn too_large(&mut self, term: TermId) {
        self.clashes += 1;
        let span = self.head_span(term);
        if self
            .diagnostics
            .iter()
            .any(|d| d.code == syntax::codes::TOO_DEEP)
        {
            return;
        }
        let message = "the type of this expression is too large";
        self.error(syntax::codes::TOO_DEEP, span, message).help = Some(
            "each step that makes or takes a pair of two equal types doubles the type: does each step need both components?"
                .into(),
        );
    }

    pub(in crate::infer) fn not_a_function(&mut self, spine: &Spine, arg: SpineArg, ty: &Ty) {
        let SpineArg { term: arg, piped } = arg;
        if !piped && self.reported_argument(spine, arg)
            || piped && self.is_left_operand_reported(spine.head)
        {
            return;
        }
        let head = spine.head;
        let ty = &self.table.ty(ty);
        let text = self.show(ty);
        let name = self.source(head);
        let before = spine.args.iter().take_while(|other| other.term != arg);
        let (mut help, mut fix) = (None, None);
        let (span, message) = if piped {
            let message = match before.last() {
                Some(&SpineArg { term: last, .. }) => {
                    let argument = self.source(last);
                    help = Some(format!(
                        "the value before `|>` is the last argument: remove `{argument}`"
                    ));
                    fix = self.without_argument(last);
                    format!(
                        "`{name}` has all its arguments, and cannot take another from `|>`: its result is `{text}`"
                    )
                }
                None => format!(
                    "cannot pipe into `{name}`, which is not a function: its type is `{text}`"
                ),
            };
            (self.span(head), message)
        } else {
            let message = match (&*self.table.head(ty), &self.item.term(head).kind) {
                (Type::Array(..), TermKind::Name(_)) if self.lookup(&name).is_some() => {
                    help = Some(format!(
                        "an element is `{name} |> idx({})`",
                        self.source(arg)
                    ));
                    format!("`{name}` is an array `{text}`, not a function")
                }
                _ if let Some(mend) = self.mended_map(spine, arg) => {
                    help = Some(mend.help);
                    fix = mend.fix;
                    format!("`{name}` takes one array, and this is a second array")
                }
                _ if let Some(elements) = self.elements_without_number(spine, arg) => {
                    let count = elements.len();
                    let elements = elements.join(", ");
                    help = Some(format!("write `{name}({count})({elements})`"));
                    let behind = Span::empty(self.span(head).end);
                    fix = Some(Fix::replace(
                        format!("Write `{name}({count})`"),
                        behind,
                        format!("({count})"),
                    ));
                    format!("`{name}` takes the number of elements first, and then the elements")
                }
                _ if let Some(mend) = self.zip_of_three(spine, arg) => {
                    help = Some(mend.help);
                    fix = mend.fix;
                    format!("`{name}` takes two arrays, and this is a third one")
                }
                _ => {
                    let taken = match before.count() {
                        0 => "no argument".to_owned(),
                        1 => "one argument".to_owned(),
                        count => format!("{count} arguments"),
                    };
                    help = Some(format!("`{name}` takes {taken}: remove this one"));
                    fix = self.without_argument(arg).map(|fix| Fix {
                        preferred: false,
                        ..fix
                    });
                    format!("`{name}` takes no further argument: its result is `{text}`")
                }
            };
            (self.span(arg), message)
        };
        self.error(codes::NOT_A_FUNCTION, span, message)
            .advise(help, fix);
    }

    /// Returns the remedy `zip(a)(zip(b)(c))` for `zip(a)(b)(c)`, where `third` is `c`.
    fn zip_of_three(&self, spine: &Spine, third: TermId) -> Option<Suggestion> {
        let [first, second, last] = spine.args[..] else {
            return None;
        };
        let is_piped = spine.args.iter().any(|arg| arg.piped);
        if is_piped || last.term != third || !self.is_primitive(spine.head, &[Primitive::Zip]) {
            return None;
        }
        let [a, b, c] = [first, second, last].map(|arg| self.source(arg.term));
        let written = format!("zip({a})(zip({b})({c}))");
        let pair = self.span(second.term).cover(self.span(third));
        Some(Suggestion {
            help: format!("write `{written}`, whose elements are pairs of an element and a pair"),
            fix: Some(Fix::surround(
                format!("Write `{written}`"),
                pair,
                "zip(",
                ")",
            )),
        })
    }

    /// Returns the texts of the elements of `makeArray(a, b, c)`, which should be
    /// `makeArray(3)(a, b, c)`; `None` for other calls.
    fn elements_without_number(&self, spine: &Spine, extra: TermId) -> Option<Vec<String>> {
        let is_array = self.source_name(spine.head)? == Primitive::MakeArray.name();
        let mut lists = self.item.terms.iter().filter_map(|term| match &term.kind {
            TermKind::Apply { callee, args } if args.contains(&extra) => Some((*callee, args)),
            _ => None,
        });
        let (callee, elements) = lists.next()?;
        (is_array && callee == spine.head).then(|| {
            elements
                .iter()
                .map(|&element| self.source(element))
                .collect()
        })
    }

    /// Returns the fix that removes an argument; `None` if the term is none.
    pub(super) fn without_argument(&self, arg: TermId) -> Option<Fix> {
        let span = self.argument_with_separator(arg)?;
        Some(Fix::replace("Remove the argument", span, ""))
    }

    /// Returns the span of an argument with its comma, or with its parentheses if it is alone in
    /// them.
    pub(super) fn argument_with_separator(&self, arg: TermId) -> Option<Span> {
        self.item.terms.iter().find_map(|term| match &term.kind {
            TermKind::Apply { callee, args } => {
                let at = args.iter().position(|other| *other == arg)?;
                let span = self.span(arg);
                Some(match (at.checked_sub(1).map(|at| args[at]), args.get(1)) {
                    (Some(before), _) => Span::new(self.span(before).end, span.end),
                    (None, Some(&next)) => Span::new(span.start, self.span(next).start),
                    (None, None) => Span::new(self.span(*callee).end, term.span.end),
                })
            }
            _ => None,
        })
    }

    pub(in crate::infer) fn missing_explicit(
        &mut self,
        head: TermId,
        stage: TermId,
        pi: &Pi,
        sizes: Option<MissingSizes>,
    ) {
        let (name, given) = (self.source(head), self.source(stage));
        let noun = kind_noun(pi.kind);
        let param = self.name_of(pi.var);
        let message =
            format!("`{name}` must first be given the {noun} that its type calls `{param}`");
        let diagnostic = self.error(codes::KIND_MISMATCH, self.span(head), message);
        match sizes {
            Some(sizes) => sizes.offer(diagnostic),
            None => {
                diagnostic.help = Some(format!("write the {noun} after `{given}`: `{given}(…)`"))
            }
        }
    }

    /// Adds to the first error since `said` the help that an argument may be missing before the
    /// piped value, and removes its fixes. Does so only if the last argument is piped and `result`,
    /// the type of the whole application, is a function.
    pub(in crate::infer) fn ask_for_argument(&mut self, spine: &Spine, said: usize, result: &Ty) {
        let piped = spine.args.last().is_some_and(|arg| arg.piped);
        let is_function = matches!(&*self.table.head(result), Type::Fun(..));
        let stage = self.source(spine.after(spine.args.len().saturating_sub(1)));
        if let Some(error) = self.diagnostics[said..].first_mut()
            && piped
            && is_function
        {
            error.help = Some(format!(
                "the piped value is the last argument: is an argument missing before it, as in `{stage}(…)`?"
            ));
            // A fix of the argument would make the program mean something else.
            error.fixes.clear();
        }
    }

    pub(in crate::infer) fn value_for_size(
        &mut self,
        term: TermId,
        head: TermId,
        sizes: Option<MissingSizes>,
    ) {
        let (text, name) = (self.source(term), self.source(head));
        let is_kernel = self.is_primitive(head, &[Primitive::OclRun]);
        let given = self.arguments_of(head);
        let size = match given[..] {
            [first, second, ref rest @ ..] if first == term && self.is_size_name(second) => {
                let is_only = !rest.iter().any(|&other| self.is_size_name(other));
                is_only.then_some(second)
            }
            _ => None,
        };
        let swapped = size.map(|size| {
            let (value, size) = (self.span(term), self.span(size));
            Fix::exchange("Swap the arguments", value, size)
        });
        let message = format!("`{name}` takes a size here, and `{text}` is a value");
        let diagnostic = self.error(codes::KIND_MISMATCH, self.span(term), message);
        match sizes {
            Some(sizes) => sizes.offer(diagnostic),
            None if swapped.is_some() => {
                diagnostic.help =
                    Some("sizes come before values: swap the two arguments".to_owned());
                diagnostic.fixes.extend(swapped);
            }
            None if is_kernel => {
                diagnostic.help = Some(
                    "the local and then the global sizes come first, each with three dimensions: `oclRun(64, 1, 1)(n, 1, 1)(…)`"
                        .to_owned(),
                );
            }
            None => diagnostic.help = Some(format!("{SIZES}, and comes before values")),
        }
    }

    pub(in crate::infer) fn value_as_size(&mut self, term: TermId, name: &Name, ty: &Ty) {
        let text = self.show(ty);
        let is_nat = matches!(&*self.table.head(ty), Type::Scalar(ScalarType::NatType));
        let message = format!("expected a size or type, and `{name}` is a value of type `{text}`");
        let diagnostic = self.error(codes::KIND_MISMATCH, self.span(term), message);
        if is_nat {
            diagnostic.help =
                Some("the value is known only at run time; a size is bound by `depFun`".into());
        }
    }

    pub(in crate::infer) fn not_a_size(&mut self, term: TermId) {
        let text = self.source(term);
        let message = format!("expected a size, found `{text}`");
        self.error(codes::KIND_MISMATCH, self.span(term), message)
            .help = Some(SIZES.to_owned());
    }

    pub(in crate::infer) fn unknown_space(&mut self, term: TermId) {
        let text = self.source(term);
        let near = space_meant(&text);
        let help = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => "the address spaces are Global, Local, Private and Constant".to_owned(),
        };
        let span = self.span(term);
        let message = format!("there is no address space `{text}`");
        self.error(codes::UNKNOWN_NAME, span, message)
            .advise(Some(help), near.map(|near| replacement(span, near)));
    }

    pub(in crate::infer) fn lambda_is_not(&mut self, term: TermId, wanted: &Ty, cause: Cause) {
        self.clashes += 1;
        if let Type::Var(_) = &**wanted {
            let message = match self.cause_head(cause) {
                Some(head) if self.is_result_of_argument(cause.at(self.span(term))) => {
                    format!("the function of `{head}` must return data, and this is a function")
                }
                Some(head) => format!("`{head}` expects data here, and this is a function"),
                None => "data is expected here, and this is a function".to_owned(),
            };
            let span = self.head_span(term);
            self.error(codes::NOT_DATA, span, message);
            return;
        }
        let (text, any) = (self.show(wanted), self.for_any(wanted));
        let span = self.head_span(term);
        let found = match &**wanted {
            Type::Pi(_) => "a function that takes a value first",
            _ => "a function that takes a value",
        };
        let message = match cause.why {
            CauseCode::Written { .. } => {
                format!("the definition's type says `{text}`{any} here, and this is {found}")
            }
            _ => match self.cause_head(cause) {
                Some(head) => format!("`{head}` expects `{text}`{any} here, and this is {found}"),
                None => format!("expected `{text}`{any}, found {found}"),
            },
        };
        let related = self.cause_places(cause, self.origin(wanted, cause));
        let mut fix = None;
        let help = match &**wanted {
            Type::Pi(pi) => {
                let parameter = self.parameter_for_size(term, wanted);
                let name = match &parameter {
                    Some((name, _)) => name.clone(),
                    None => self.name_of(pi.var).to_string(),
                };
                let open = format!("depFun({name}: {} => ", pi.kind);
                let title = format!("Write `{open}…)`");
                fix = Some(match parameter {
                    Some((_, (place, None))) => Fix::replace(title, place, &*open),
                    Some((_, (place, Some(end)))) => {
                        let edits = vec![(place, format!("{open}fun(")), (end, ")".to_owned())];
                        Fix::preferred(title, edits)
                    }
                    None => Fix::surround(title, self.span(term), &*open, ")"),
                });
                Some(format!(
                    "write `{open}…)` to take the {}",
                    kind_noun(pi.kind)
                ))
            }
            Type::Array(_, elem) if matches!(&*self.table.head(elem), Type::Index(_)) => {
                fix = Some(Fix::surround(
                    "Write `generate`",
                    self.span(term),
                    "generate(",
                    ")",
                ));
                Some(
                    "`generate(fun(i => …))` makes an array of the results of a function for each index"
                        .to_owned(),
                )
            }
            _ => None,
        };
        let diagnostic = self.error(codes::TYPE_MISMATCH, span, message);
        diagnostic.related = related;
        diagnostic.advise(help, fix);
    }

    /// Returns the name of the first parameter of a `fun` if it stands for the size, type or address
    /// space that a function of the type `wanted` takes first: the function and those directly in it
    /// have a parameter for each argument of the type. The name comes with the place that the
    /// beginning of a `depFun` replaces: up to the body, or up to the second parameter, with the end
    /// of the function.
    fn parameter_for_size(
        &self,
        term: TermId,
        wanted: &Ty,
    ) -> Option<(String, (Span, Option<Span>))> {
        let mut arguments = 0;
        let mut rest = self.table.head(wanted);
        loop {
            rest = match &*rest {
                Type::Pi(pi) => {
                    arguments += usize::from(!pi.implicit);
                    self.table.head(&pi.body)
                }
                Type::Fun(_, result) => {
                    arguments += 1;
                    self.table.head(result)
                }
                _ => break,
            };
        }
        let mut parameters = 0;
        let mut part = term;
        while let TermKind::Fun { params, body, .. } = &self.item.term(self.bare(part)).kind {
            parameters += params.len();
            part = *body;
        }
        let TermKind::Fun {
            params,
            grouped: false,
            body,
        } = &self.item.term(term).kind
        else {
            return None;
        };
        let first = self.item.binder(*params.first()?);
        if parameters < arguments || !matches!(first.annotation, BinderAnnotation::None) {
            return None;
        }
        let whole = self.span(term);
        let place = |end| Span::new(whole.start, end);
        Some((
            first.name.to_string(),
            match params.get(1) {
                None => (place(self.span(*body).start), None),
                Some(second) => (
                    place(self.item.binder(*second).span.start),
                    Some(Span::empty(whole.end)),
                ),
            },
        ))
    }

    /// Reports a function with more parameters than arguments, or a pair pattern for a parameter
    /// that is no pair. `inner` is the function of the second parameter if that has its own `fun`.
    pub(in crate::infer) fn too_many_parameters(
        &mut self,
        params: &[BinderId],
        grouped: bool,
        given: &[Ty],
        inner: Option<TermId>,
        cause: Cause,
    ) {
        // An unknown argument is reported elsewhere.
        if given.iter().any(|ty| *self.table.head(ty) == Type::Error) {
            return;
        }
        self.clashes += 1;
        let span = match (self.parameter_span(params[0]), params.last()) {
            (first, Some(&last)) => first.cover(self.parameter_span(last)),
            (first, None) => first,
        };
        let count = params.len();
        let is_pattern = grouped && given.len() == 1;
        let gives = match (self.cause_head(cause), &cause.why) {
            (Some(head), _) => format!("`{head}` gives it"),
            (None, CauseCode::Written { .. }) => "the definition's type has".to_owned(),
            (None, _) => "it is given".to_owned(),
        };
        let message = match given {
            [one] if is_pattern => {
                let what = match &**one {
                    Type::Pair(..) => format!("a pair `{}`, which has 2", self.show(one)),
                    _ => format!("`{}`, which is not a pair", self.show(one)),
                };
                format!("this pattern has {count} components, and {gives} {what}")
            }
            [one] => format!(
                "this function takes {count} arguments, and {gives} one: `{}`",
                self.show(one)
            ),
            _ => format!(
                "this function takes {count} arguments, and {gives} {}",
                given.len()
            ),
        };
        let names: Vec<Name> = params
            .iter()
            .map(|&param| self.item.binder(param).name.clone())
            .collect();
        let help = self.help_for_parameters(&names, given);
        let related = match cause.why {
            CauseCode::Written { ty } => vec![Related {
                place: self.written_span(ty).into(),
                message: "the type is written here".to_owned(),
            }],
            _ => Vec::new(),
        };
        let end = inner.map(|inner| self.span(inner).end);
        let error = self.error(codes::TYPE_MISMATCH, span, message);
        error.related = related;
        error.help = help;
        if let ([first, second], [one], false) = (&names[..], given, grouped)
            && matches!(**one, Type::Pair(..))
        {
            let title = format!("Take the pair apart: `fun(({first}, {second}) => …)`");
            error.fixes.push(match end {
                None => Fix::surround(title, span, "(", ")"),
                Some(end) => {
                    let pattern = (span, format!("({first}, {second})"));
                    let parenthesis = (Span::new(end - 1, end), String::new());
                    Fix::preferred(title, vec![pattern, parenthesis])
                }
            });
        }
    }

    /// Returns the span from a parameter's name to the end of its type annotation, if it has one.
    pub(super) fn parameter_span(&self, param: BinderId) -> Span {
        let binder = self.item.binder(param);
        match binder.annotation {
            BinderAnnotation::Type(ty) => binder.span.cover(self.span(ty)),
            _ => binder.span,
        }
    }

    /// Returns the help for a function with the parameters `names` that is given fewer arguments.
    fn help_for_parameters(&self, names: &[Name], given: &[Ty]) -> Option<String> {
        let [one] = given else {
            let taken = names.get(..given.len())?.join(", ");
            return Some(format!(
                "take as many arguments as are given: `fun({taken} => …)`"
            ));
        };
        let Type::Pair(first, second) = &**one else {
            return Some(match &**one {
                Type::Array(..) => {
                    let name = names.first()?;
                    format!(
                        "take one parameter, `fun({name} => …)`: its first element is `{name} |> idx(0)`"
                    )
                }
                _ => format!("take one parameter: `fun({} => …)`", names.first()?),
            });
        };
        let is_pair = |ty: &Ty| matches!(&*self.table.head(ty), Type::Pair(..));
        match names {
            [a, b] => Some(format!(
                "write `fun(({a}, {b}) => …)` for a function of a pair"
            )),
            [a, b, c] if is_pair(second) => Some(format!(
                "write `fun(({a}, p) => …)`, with `p._1` for `{b}` and `p._2` for `{c}`"
            )),
            [a, b, c] if is_pair(first) => Some(format!(
                "write `fun((p, {c}) => …)`, with `p._1` for `{a}` and `p._2` for `{b}`"
            )),
            _ => Some("a pair has two components: write `fun((a, b) => …)`".to_owned()),
        }
    }

    pub(in crate::infer) fn not_a_pair(&mut self, term: TermId, half: Half, ty: &Ty) {
        self.clashes += 1;
        let text = self.show(ty);
        let array = self.table.ty(ty);
        let is_array = matches!(*array, Type::Array(..));
        let are_pairs = matches!(&*array, Type::Array(_, elem) if matches!(**elem, Type::Pair(..)));
        let word = match half {
            Half::First => "fst",
            Half::Second => "snd",
        };
        let fix = are_pairs.then(|| self.mapped_half(term, word)).flatten();
        let message = format!("`._1` and `._2` select a component of a pair, and this is `{text}`");
        let said = |said: &syntax::Diagnostic| {
            let other = self.item.terms.iter().find(|other| other.span == said.span);
            said.message == message
                && other.is_some_and(|other| other.kind == self.item.term(term).kind)
        };
        if self.diagnostics.iter().any(said) {
            // The error is about the same value.
            return;
        }
        let diagnostic = self.error(codes::TYPE_MISMATCH, self.span(term), message);
        if are_pairs {
            diagnostic.help = Some(format!(
                "`|> map({word})` selects this component of each pair, and `idx` selects one element"
            ));
        } else if is_array {
            diagnostic.help =
                Some("use `idx` to select an element of an array, and `map` to apply a function to each element".into());
        }
        diagnostic.fixes.extend(fix);
    }

    pub(in crate::infer) fn not_a_number(
        &mut self,
        op: &str,
        term: TermId,
        ty: &Ty,
        clash: &UnifyError,
    ) {
        self.clashes += 1;
        let text = self.show(ty);
        let wanted = match clash {
            UnifyError::Classes(classes, _) => classes.describe(),
            _ => "numbers",
        };
        let kind = match clash {
            UnifyError::Classes(classes, _) => classes.to_kind(),
            _ => None,
        };
        let help = match (&*self.table.head(ty), &self.item.term(term).kind) {
            (Type::Fun(..), TermKind::Name(_) | TermKind::Apply { .. }) => {
                let function = self.source(term);
                Some(format!("an argument is missing: `{function}(…)`"))
            }
            _ => self.subkind_help(ty, kind),
        };
        let any = self.for_any(ty);
        let message = format!("`{op}` works on {wanted}, and this is `{text}`{any}");
        self.error(codes::WRONG_SUBKIND, self.span(term), message)
            .help = help;
    }

    /// Returns true if an error is about the first operand of an expression with operators.
    fn is_left_operand_reported(&self, mut term: TermId) -> bool {
        let whole = term;
        while let TermKind::Binary { lhs, .. } = self.item.term(term).kind {
            term = lhs;
        }
        let place = self.span(term);
        term != whole && self.diagnostics.iter().any(|error| error.span == place)
    }

    /// Adds the remedy `(x |> f) / y` to the last error, which is about the left operand `operand` of
    /// `op`, if that is the function `f` in `x |> f / y`. Returns true if it is.
    pub(in crate::infer) fn mended_piped_operand(&mut self, op: BinaryOp, operand: TermId) -> bool {
        let is_left =
            |kind: &TermKind, own| matches!(kind, TermKind::Binary { lhs, .. } if *lhs == own);
        let is_stage = |kind: &TermKind, own| matches!(kind, TermKind::Binary { op: BinaryOp::Pipe, rhs, .. } if *rhs == own);
        let operand_of = |whole| match self.item.term(whole).kind {
            TermKind::Binary { lhs, rhs, .. } => (lhs, rhs),
            _ => unreachable!("both forms are operators"),
        };
        let Some(operation) = self.parent(operand, is_left) else {
            return false;
        };
        let mut whole = operation;
        while let Some(outer) = self.parent(whole, is_left) {
            whole = outer;
        }
        let Some(pipe) = self.parent(whole, is_stage) else {
            return false;
        };
        let (piped, _) = operand_of(pipe);
        let (_, right) = operand_of(operation);
        let [value, function, right] = [piped, operand, right].map(|part| self.source(part));
        let written = format!("({value} |> {function})");
        let help = format!(
            "`{op}` is applied before `|>`: write `{written} {op} {right}`",
            op = op.as_str()
        );
        let stage = self.span(piped).cover(self.span(operand));
        let fix = Fix::surround(format!("Write `{written}`"), stage, "(", ")");
        let place = self.span(operand);
        let error = self.diagnostics.last_mut();
        let Some(error) = error.filter(|error| error.span == place) else {
            return false;
        };
        error.advise(Some(help), Some(fix));
        true
    }

    pub(in crate::infer) fn wrong_subkind(&mut self, term: TermId, ty: &Ty, clash: &UnifyError) {
        let text = self.show(ty);
        let wanted = match clash {
            UnifyError::Classes(classes, _) => classes.describe(),
            _ => "data",
        };
        let message = format!("expected a type of {wanted}, found `{text}`");
        self.error(codes::WRONG_SUBKIND, self.span(term), message);
    }

    /// Reports a pattern of `count` parts for a value of the type `ty`, which is no such tuple.
    pub(in crate::infer) fn value_is_not_of_parts(
        &mut self,
        binder: BinderId,
        count: usize,
        ty: &Ty,
    ) {
        self.clashes += 1;
        let message = match &**ty {
            Type::Pair(..) => format!(
                "this pattern has {count} parts, and the value is a tuple of 2: `{}`",
                self.show(ty)
            ),
            _ => format!(
                "this pattern has {count} parts, and the value is no tuple: {}",
                self.describe(ty)
            ),
        };
        self.error(codes::TYPE_MISMATCH, self.item.binder(binder).span, message);
    }

    pub(in crate::infer) fn let_function(&mut self, binder: BinderId, value: TermId, ty: &Ty) {
        let name = self.item.binder(binder).name.clone();
        let text = self.show(ty);
        let message = format!("`let` binds data, and this is a function: `{text}`");
        let fix = self.local_definition_fix(binder, value);
        let help = match fix.is_some() {
            true => format!("write a local definition: `let {name}(x) = … in`"),
            false => format!("write the function as a definition of its own: `def {name} = …`"),
        };
        self.error(codes::LET_FUNCTION, self.span(value), message)
            .advise(Some(help), fix);
    }

    /// Returns the fix that writes `let f = fun(x => e)` as `let f(x) = e`; `None` for values of other
    /// forms and in DPIA.
    fn local_definition_fix(&self, binder: BinderId, value: TermId) -> Option<Fix> {
        let bound = self.item.binder(binder);
        let is_plain = bound.parts.is_none() && bound.annotation == BinderAnnotation::None;
        let TermKind::Fun { params, body, .. } = &self.item.term(value).kind else {
            return None;
        };
        if !is_plain || self.in_dpia() || self.joined.is_some() {
            return None;
        }
        let (first, last) = (*params.first()?, *params.last()?);
        let [first, last] = [first, last].map(|param| self.parameter_span(param));
        let (body, whole) = (self.span(*body), self.span(value));
        let edits = vec![
            (Span::new(bound.span.end, first.start), "(".to_owned()),
            (Span::new(last.end, body.start), ") = ".to_owned()),
            (Span::new(body.end, whole.end), String::new()),
        ];
        Some(Fix::preferred("Write a local definition", edits))
    }
}

/// Returns the address space that an unknown word probably means, such as `local`, or `Shared` of
/// other languages.
pub(in crate::infer) fn space_meant(word: &str) -> Option<&'static str> {
    let spaces = || AddressSpace::ALL.iter().map(|space| space.as_str());
    match word {
        "Shared" | "SharedMemory" | "Workgroup" | "shared" => Some("Local"),
        "Register" | "Registers" => Some("Private"),
        _ if word.starts_with(char::is_uppercase) => closest(word, spaces()),
        _ => spaces().find(|space| space.eq_ignore_ascii_case(word)),
    }
}

impl MissingSizes {
    /// Adds the missing sizes to a message, with the fix that writes them.
    fn offer(self, diagnostic: &mut syntax::Diagnostic) {
        let call = self.call;
        diagnostic.help = Some(format!("sizes come first: `{call}`"));
        let fix = Fix::preferred(format!("Write `{call}`"), vec![self.edit]);
        diagnostic.fixes.push(fix);
    }
}
