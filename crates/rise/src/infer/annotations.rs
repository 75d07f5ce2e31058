//! Checks of annotations and their arguments, and the elaboration of conditions on sizes.

use nat::{Nat, Prop};
use syntax::ast::{
    Annotation, AnnotationArg, AnnotationValue, BinaryOp, BinderId, Ident, ItemKind, Kind, Literal,
    Name, TermId, TermKind,
};
use syntax::{Fix, Related, Span, codes};

use super::report::replacement;
use super::{Infer, LocalBinding};
use crate::{MAX_SIZE, TargetName};
use syntax::closest;

/// The name of the annotation with the launch sizes of kernels.
pub const LAUNCH_ANNOTATION: &str = "opencl";
/// The names of the annotations, which `docs/language.md` describes.
pub const ANNOTATIONS: &[&str] = &[
    "target",
    LAUNCH_ANNOTATION,
    "run",
    "assume",
    "strategy",
    "exact",
    "inout",
];
/// The annotations whose arguments refer to parameters of the definition.
pub const USING_PARAMETERS: &[&str] = &[LAUNCH_ANNOTATION, "run", "assume", "inout"];
/// Annotations that a definition has at most once.
const ONCE: &[&str] = &[LAUNCH_ANNOTATION, "run", "strategy", "exact", "inout"];

/// A term in an annotation that is checked once its names are in scope.
#[derive(Clone, Copy)]
pub(super) enum Assumption {
    Condition(TermId),
    /// A launch size of `@opencl`.
    LaunchSize(TermId),
}

impl<'a> Infer<'a> {
    pub(super) fn collect_annotations(&mut self) {
        let item = self.item;
        let mut seen: Vec<&'a Ident> = Vec::new();
        for annotation in &item.annotations {
            let Some(name) = &annotation.name else {
                continue;
            };
            let first = seen.iter().find(|first| first.name == name.name);
            match first.filter(|_| ONCE.contains(&name.name.as_str())) {
                Some(first) => self.twice(first, name),
                None => seen.push(name),
            }
            match name.name.as_str() {
                "target" => self.target_annotation(annotation, name),
                LAUNCH_ANNOTATION => self.opencl_annotation(annotation, name),
                "run" => self.run_annotation(annotation),
                "assume" => self.assume_annotation(annotation),
                "strategy" => self.strategy_annotation(annotation),
                "exact" => self.exact_annotation(annotation, name),
                "inout" => self.inout_annotation(annotation, name),
                _ => self.unknown_annotation(annotation, name),
            }
        }
    }

    /// Reports the repetition of an annotation that is allowed once, with its first use.
    fn twice(&mut self, first: &Ident, second: &Ident) {
        let name = &second.name;
        let message = format!("a definition may have only one `@{name}`");
        let help = match name.as_str() {
            "strategy" => {
                "leave one of them out; to apply both, define a strategy `first ; second` in an .elevate file"
            }
            _ => "leave one of them out",
        };
        let first = first.span;
        self.bad(second.span, message, help);
        if let Some(last) = self.diagnostics.last_mut() {
            last.related.push(Related {
                place: first.into(),
                message: format!("the first `@{name}`"),
            });
        }
    }

    fn bad(&mut self, span: Span, message: impl Into<String>, help: &str) {
        self.error(codes::BAD_ANNOTATION, span, message).help = Some(help.to_owned());
    }

    /// Reports an unknown word at `span`. `near` is the probably intended word, by which the fix
    /// replaces it and which the help shows after the prefix `sign`; without `near` the help is
    /// `help`.
    fn misspelt(
        &mut self,
        span: Span,
        message: String,
        (sign, near): (&str, Option<&str>),
        help: &str,
    ) {
        let help = match near {
            Some(near) => format!("did you mean `{sign}{near}`?"),
            None => help.to_owned(),
        };
        self.error(codes::BAD_ANNOTATION, span, message)
            .advise(Some(help), near.map(|near| replacement(span, near)));
    }

    fn unknown_annotation(&mut self, annotation: &Annotation, name: &Ident) {
        let target = match annotation.args.is_empty() {
            true => self.target_meant(&name.name),
            false => None,
        };
        let (near, help) = match name.name.as_str() {
            _ if target.is_some() => (target.as_deref(), String::new()),
            "launch" | "kernel" => (
                None,
                "the sizes of a kernel are `@opencl(local = [64, 1, 1], global = [n, 1, 1])`"
                    .into(),
            ),
            other => (
                closest(other, ANNOTATIONS.iter().copied()),
                format!("the annotations are {}", list(ANNOTATIONS, "@")),
            ),
        };
        let message = format!("there is no annotation `@{}`", name.name);
        self.misspelt(name.span, message, ("@", near), &help);
    }

    /// Returns the annotation `target(…)`, without its `@`, for the name of a target or a word that
    /// other languages use for it; `None` for other words.
    fn target_meant(&self, word: &str) -> Option<String> {
        let target = target_called(&self.env.targets(), word)?;
        Some(format!("target({target})"))
    }

    fn target_annotation(&mut self, annotation: &'a Annotation, name: &Ident) {
        let targets = self.env.targets();
        let names: Vec<&str> = targets.iter().map(|target| target.name).collect();
        let help = match names.split_last() {
            Some((last, rest)) if !rest.is_empty() => {
                let rest: Vec<String> = rest.iter().map(|n| format!("`@target({n})`")).collect();
                format!("write {} or `@target({last})`", rest.join(", "))
            }
            _ => "write the target in parentheses".to_owned(),
        };
        let help = help.as_str();
        match &*annotation.args {
            [arg] if arg.key.is_none() => match &arg.value {
                AnnotationValue::Term(term) => match self.source_name(*term) {
                    Some(target) if names.is_empty() || names.contains(&target.as_str()) => {}
                    _ => {
                        let text = self.source(*term);
                        let word = text.to_ascii_lowercase();
                        let near = target_called(&targets, &word)
                            .or_else(|| closest(&word, names.iter().copied()));
                        let message = format!("there is no target `{text}`");
                        self.misspelt(self.span(*term), message, ("", near), help);
                    }
                },
                AnnotationValue::String(text, span) => {
                    self.bad(*span, "a target is a name without quotes or brackets", help);
                    let known = names.iter().find(|target| **target == &**text);
                    self.offer_target(known.copied(), *span);
                }
                AnnotationValue::List(_, span) => {
                    self.bad(*span, "a target is a name without quotes or brackets", help)
                }
            },
            _ => self.bad(name.span, "`@target` takes one target", help),
        }
    }

    /// Adds to the last error a fix that writes `target` at `span`, if there is a target.
    fn offer_target(&mut self, target: Option<&str>, span: Span) {
        if let (Some(target), Some(error)) = (target, self.diagnostics.last_mut()) {
            let edits = vec![(span, target.to_owned())];
            let fix = Fix::preferred(format!("Write `{target}`"), edits);
            error.fixes.push(fix);
        }
    }

    fn opencl_annotation(&mut self, annotation: &'a Annotation, name: &Ident) {
        let help = "write `@opencl(local = [64, 1, 1], global = [n, 1, 1])`";
        if annotation.args.is_empty() {
            let message = "`@opencl` takes the sizes of the launch: `local`, `global` or both";
            self.bad(
                name.span,
                message,
                &format!("{help}; the target of a definition is written `@target(opencl)`"),
            );
        }
        let mut plain = Vec::new();
        let mut seen: Vec<&Ident> = Vec::new();
        for key in annotation.args.iter().filter_map(|arg| arg.key.as_ref()) {
            match seen.iter().find(|first| first.name == key.name) {
                Some(first) => self.given_twice(first.span, key, None),
                None => seen.push(key),
            }
        }
        for arg in &annotation.args {
            match (&arg.key, &arg.value) {
                (Some(key), AnnotationValue::List(sizes, span))
                    if matches!(key.name.as_str(), "local" | "global") =>
                {
                    if sizes.is_empty() || sizes.len() > 3 {
                        let message =
                            format!("expected one, two or three sizes, found {}", sizes.len());
                        self.bad(*span, message, help);
                    }
                    self.assumptions
                        .extend(sizes.iter().map(|&size| Assumption::LaunchSize(size)));
                }
                (Some(key), value) if matches!(key.name.as_str(), "local" | "global") => {
                    plain.push((key, value));
                }
                (Some(key), _) => {
                    let near = closest(&key.name, ["local", "global"]);
                    let message = format!("`@opencl` has no setting `{}`", key.name);
                    self.misspelt(key.span, message, ("", near), help);
                }
                (None, _) => {}
            }
        }
        if annotation.args.iter().any(|arg| arg.key.is_none()) {
            self.settings_without_names(annotation, help);
        }
        self.settings_without_lists(&plain, help);
    }

    /// Reports settings that are not lists, as in `@opencl(local = 64, global = n)`.
    fn settings_without_lists(&mut self, plain: &[(&Ident, &AnnotationValue)], help: &str) {
        let Some((first, _)) = plain.first() else {
            return;
        };
        let edits: Option<Vec<_>> = plain
            .iter()
            .map(|(_, value)| self.in_brackets("", value))
            .collect();
        let message = match plain.len() {
            1 => format!("`{}` takes a list of sizes", first.name),
            _ => "`local` and `global` take lists of sizes".to_owned(),
        };
        self.error(codes::BAD_ANNOTATION, first.span, message)
            .advise(
                Some(help.to_owned()),
                edits.map(|edits| Fix::preferred("Write lists", edits.concat())),
            );
    }

    /// Reports settings without names, as in `@opencl(64, n)`.
    fn settings_without_names(&mut self, annotation: &Annotation, help: &str) {
        let values: Vec<_> = annotation
            .args
            .iter()
            .map(|arg| (&arg.key, &arg.value))
            .collect();
        let edits = match values[..] {
            [(None, local), (None, global)] => {
                let local = self.in_brackets("local = ", local);
                let global = self.in_brackets("global = ", global);
                local
                    .zip(global)
                    .map(|(local, global)| [local, global].concat())
            }
            _ => None,
        };
        let message = "`@opencl` takes settings by name";
        self.error(codes::BAD_ANNOTATION, annotation.span, message)
            .advise(
                Some(help.to_owned()),
                edits.map(|edits| Fix::preferred("Name the settings", edits)),
            );
    }

    /// Returns the edits that write `before` in front of the value of a setting, and brackets
    /// around the value if it is not a list; `None` for a string.
    fn in_brackets(&self, before: &str, value: &AnnotationValue) -> Option<Vec<(Span, String)>> {
        match value {
            AnnotationValue::Term(term) => {
                let span = self.span(*term);
                let (start, end) = (Span::empty(span.start), Span::empty(span.end));
                Some(vec![(start, format!("{before}[")), (end, "]".to_owned())])
            }
            AnnotationValue::List(_, span) => {
                Some(vec![(Span::empty(span.start), before.to_owned())])
            }
            AnnotationValue::String(..) => None,
        }
    }

    /// Checks `@run(n = 1024)`: the keys are sizes of the definition, the values numbers.
    fn run_annotation(&mut self, annotation: &'a Annotation) {
        let help = "write a size parameter and a number: `@run(n = 1024)`";
        if annotation.args.is_empty() {
            self.bad(annotation.span, "`@run` takes sizes by name", help);
        }
        let sizes = self.size_parameters();
        for arg in &annotation.args {
            let (key, value) = match (&arg.key, &arg.value) {
                (Some(key), AnnotationValue::Term(value)) => (key, value),
                (Some(_), AnnotationValue::String(_, span) | AnnotationValue::List(_, span)) => {
                    self.bad(
                        *span,
                        "the value of a size in `@run` must be a number",
                        help,
                    );
                    continue;
                }
                (None, _) => {
                    self.bad(annotation.span, "`@run` takes sizes by name", help);
                    continue;
                }
            };
            if self.item.value_parameters().contains(&key.name.as_str()) {
                let message = format!("`@run` takes sizes, and `{}` is a value", key.name);
                let help = format!(
                    "give the value when the program runs: `--arg {}=…`",
                    key.name
                );
                self.bad(key.span, message, &help);
            } else if !sizes.contains(&key.name.as_str()) {
                let near = closest(&key.name, sizes.iter().copied());
                let message = format!("the definition has no size parameter `{}`", key.name);
                self.misspelt(key.span, message, ("", near), help);
            } else if !self.is_number(*value) {
                self.bad(
                    self.span(*value),
                    "the value of a size in `@run` must be a number",
                    help,
                );
            } else if self.literal_nat(*value).is_none_or(|size| size > MAX_SIZE) {
                let text = self.source(*value);
                let message = format!("the size `{text}` is too large");
                let help = format!("a size is at most {MAX_SIZE}");
                self.bad(self.span(*value), message, &help);
            }
        }
        self.sizes_given_twice(annotation);
    }

    fn is_number(&self, term: TermId) -> bool {
        let kind = &self.item.term(self.bare(term)).kind;
        matches!(kind, TermKind::Literal(Literal::Int { value, suffix: None }) if *value >= 0)
    }

    /// Reports sizes that `@run` gives more than once. The fix removes the second one if both are
    /// equal.
    fn sizes_given_twice(&mut self, annotation: &'a Annotation) {
        let mut given: Vec<(&'a Ident, TermId)> = Vec::new();
        let mut end = annotation.span.start;
        for arg in &annotation.args {
            let (Some(key), AnnotationValue::Term(value)) = (&arg.key, &arg.value) else {
                return;
            };
            let span = Span::new(end, self.span(*value).end);
            end = span.end;
            let Some((first, old)) = given.iter().find(|(first, _)| first.name == key.name) else {
                given.push((key, *value));
                continue;
            };
            let is_equal = self.source(*old) == self.source(*value);
            let fix = is_equal.then(|| Fix::replace("Remove the repetition", span, ""));
            self.given_twice(first.span, key, fix);
        }
    }

    /// Reports an argument whose name another argument has, at `first`.
    fn given_twice(&mut self, first: Span, key: &Ident, fix: Option<Fix>) {
        let message = format!("`{}` is given twice", key.name);
        let error = self.error(codes::BAD_ANNOTATION, key.span, message);
        error.advise(Some("leave one of them out".to_owned()), fix);
        error.related.push(Related {
            place: first.into(),
            message: "the first one".to_owned(),
        });
    }

    /// Returns the names of the sizes that the definition's type or its outermost `depFun`s bind.
    fn size_parameters(&self) -> Vec<&'a str> {
        let item = self.item;
        self.spine_binders()
            .into_iter()
            .map(|id| item.binder(id))
            .filter(|binder| {
                matches!(
                    binder.annotation,
                    syntax::ast::BinderAnnotation::Kind(Some(Kind::Nat), _)
                )
            })
            .map(|binder| binder.name.as_str())
            .collect()
    }

    /// Returns the type-level binders along the definition's written type, and those of the
    /// `depFun`s at the start of its body, also behind `fun`s and `let`s.
    pub(super) fn spine_binders(&self) -> Vec<BinderId> {
        let mut binders = Vec::new();
        let ItemKind::Def { ty, body, .. } = &self.item.kind else {
            return binders;
        };
        let mut next = *ty;
        while let Some(term) = next {
            next = match &self.item.term(term).kind {
                TermKind::Pi { param, body, .. } => {
                    binders.extend(Some(*param).filter(|&param| self.binds(param)));
                    Some(*body)
                }
                TermKind::Arrow(_, result) => Some(*result),
                TermKind::Paren(inner) | TermKind::Where { ty: inner, .. } => Some(*inner),
                _ => None,
            };
        }
        let mut next = Some(*body);
        while let Some(term) = next {
            next = match &self.item.term(term).kind {
                TermKind::DepFun { params, body } => {
                    binders.extend(params.iter().copied());
                    Some(*body)
                }
                TermKind::Fun { body, .. }
                | TermKind::Let { body, .. }
                | TermKind::Local { body, .. }
                | TermKind::LetSize { body, .. } => Some(*body),
                TermKind::Paren(inner) => Some(*inner),
                _ => None,
            };
        }
        binders
    }

    pub(super) fn assume_annotation(&mut self, annotation: &'a Annotation) {
        let help = "write `@assume(4 | n, n >= 12)`";
        let message = "`@assume` takes conditions on sizes";
        if annotation.args.is_empty() {
            self.bad(annotation.span, message, help);
        }
        for arg in &annotation.args {
            match (&arg.key, &arg.value) {
                (None, AnnotationValue::Term(term)) => {
                    self.assumptions.push(Assumption::Condition(*term));
                }
                (Some(key), AnnotationValue::Term(term)) => {
                    let condition = format!("{} == {}", key.name, self.source(*term));
                    let help = format!("`==` compares sizes: write `@assume({condition})`");
                    self.bad(annotation.span, message, &help);
                }
                _ => self.bad(annotation.span, message, help),
            }
        }
    }

    fn strategy_annotation(&mut self, annotation: &'a Annotation) {
        let fine = match &*annotation.args {
            [one] => {
                matches!(&one.value, AnnotationValue::Term(t) if self.source_name(*t).is_some())
            }
            [file, name] => {
                matches!(&file.value, AnnotationValue::String(..))
                    && matches!(&name.value, AnnotationValue::Term(t) if self.source_name(*t).is_some())
            }
            _ => false,
        };
        if fine {
            return;
        }
        let call = annotation.args.last().and_then(|arg| match arg.value {
            AnnotationValue::Term(term) => self.call_in_strategy(term),
            _ => None,
        });
        let (message, help) = match call {
            Some(call) => (
                format!("`@strategy` takes the name of a strategy, found `{call}`"),
                format!(
                    "name it in an .elevate file, as in `val lowered = {call}`, and write `@strategy(\"file.elevate\", lowered)`"
                ),
            ),
            None => (
                "`@strategy` takes the name of a strategy".to_owned(),
                "write `@strategy(name)` or `@strategy(\"file.elevate\", name)`".to_owned(),
            ),
        };
        self.bad(annotation.span, &message, &help);
    }

    /// Checks `@inout(x)`, which names parameters that are values.
    fn inout_annotation(&mut self, annotation: &'a Annotation, name: &Ident) {
        let help = "name the parameters that are updated in place, as in `@inout(x)`";
        if annotation.args.is_empty() {
            self.bad(name.span, "`@inout` takes names of parameters", help);
        }
        if let Some(head) = self.item.head() {
            let mark = "write the mark before the parameter: `(inout x: n.f32)`";
            let first = head.groups.first().map_or(name.span, |group| group.span);
            self.bad(
                name.span,
                "the parameters of this definition are left of `=`",
                mark,
            );
            if let Some(error) = self.diagnostics.last_mut() {
                error.related.push(Related {
                    place: first.into(),
                    message: "the parameters".to_owned(),
                });
            }
            return;
        }
        let params = self.item.value_parameters();
        for arg in &annotation.args {
            let (span, text) = match (&arg.key, &arg.value) {
                (None, AnnotationValue::Term(term)) => {
                    let text = self.source(*term);
                    if params.iter().any(|param| *param == text) {
                        continue;
                    }
                    (self.span(*term), text.to_owned())
                }
                _ => {
                    self.bad(annotation.span, "`@inout` takes names of parameters", help);
                    continue;
                }
            };
            let near = closest(&text, params.iter().copied());
            let message = format!("the definition has no parameter `{text}` that is a value");
            self.misspelt(span, message, ("", near), help);
        }
    }

    fn exact_annotation(&mut self, annotation: &Annotation, name: &Ident) {
        if annotation.span.end > name.span.end {
            let message = "`@exact` takes no arguments";
            self.bad(annotation.span, message, "write `@exact`");
        }
        if matches!(self.item.kind, ItemKind::Foreign { .. }) {
            let message = "`@exact` is for definitions in RISE, and this is a function in C";
            self.bad(name.span, message, "remove it");
        }
        let mut strategies = self.item.annotations("strategy");
        if let Some(strategy) = strategies.next() {
            let named = match &*strategy.args {
                [
                    AnnotationArg {
                        value: AnnotationValue::Term(name),
                        ..
                    },
                ] => self.source(*name),
                _ => String::new(),
            };
            let help = match named.ends_with("Exactly") {
                true => format!("remove it: `{named}` contracts nothing"),
                false => "remove it, and name a strategy that contracts nothing, such as \
                          `lowerToCExactly`"
                    .to_owned(),
            };
            let message = "`@exact` is for definitions without `@strategy`";
            self.bad(name.span, message, &help);
        }
    }

    /// Returns the text of a term that applies or combines strategies, for the message; `None` for
    /// other terms.
    fn call_in_strategy(&self, term: TermId) -> Option<String> {
        let kind = &self.item.term(term).kind;
        let is_call = matches!(kind, TermKind::Apply { .. } | TermKind::Binary { .. });
        is_call.then(|| self.source(term))
    }

    /// Elaborates the waiting `@assume` conditions and launch sizes whose names are all sizes in
    /// scope; the conditions are assumed. The others keep waiting.
    pub(super) fn assume_in_scope(&mut self) {
        let waiting = std::mem::take(&mut self.assumptions);
        for assumption in waiting {
            let (Assumption::Condition(term) | Assumption::LaunchSize(term)) = assumption;
            if self.sizes_in_scope(term) {
                self.assume(assumption);
            } else {
                self.assumptions.push(assumption);
            }
        }
    }

    /// Elaborates the remaining conditions and launch sizes at the end of the item. Those with
    /// names that are no sizes of the definition are not elaborated, and the names are reported.
    pub(super) fn assume_remaining(&mut self) {
        let sizes = self.size_parameters();
        for assumption in std::mem::take(&mut self.assumptions) {
            let (Assumption::Condition(term) | Assumption::LaunchSize(term)) = assumption;
            let mut unknown = self.size_names(term);
            unknown.retain(|(_, name)| !sizes.contains(&name.as_str()));
            // Only names that are no sizes of the definition are reported.
            for (term, name) in &unknown {
                self.unknown_size(*term, name, &sizes);
            }
            if unknown.is_empty() {
                self.assume(assumption);
            }
        }
    }

    fn sizes_in_scope(&self, term: TermId) -> bool {
        let is_size = |(_, name): &(TermId, &Name)| {
            let local = self.lookup(name);
            local.is_some_and(|local| matches!(local.meaning, LocalBinding::TypeLevel(..)))
        };
        self.size_names(term).iter().all(is_size)
    }

    fn size_names(&self, term: TermId) -> Vec<(TermId, &'a Name)> {
        let mut found = Vec::new();
        let mut stack = vec![term];
        while let Some(term) = stack.pop() {
            match &self.item.term(term).kind {
                TermKind::Name(name) => found.push((term, name)),
                TermKind::Binary { lhs, rhs, .. } => stack.extend([*lhs, *rhs]),
                TermKind::Paren(inner) => stack.push(*inner),
                TermKind::Apply { callee, args } => {
                    // The callee is a function on sizes; `sum` binds its first argument.
                    match self.source_name(*callee).map(|n| n.as_str()) {
                        Some("sum") => {}
                        Some("min" | "max" | "ceilDiv" | "log2") => {
                            stack.extend(args.iter().copied());
                        }
                        _ => {
                            stack.push(*callee);
                            stack.extend(args.iter().copied());
                        }
                    }
                }
                _ => {}
            }
        }
        found
    }

    fn assume(&mut self, assumption: Assumption) {
        let term = match assumption {
            Assumption::LaunchSize(term) => {
                self.elab_nat(term);
                return;
            }
            Assumption::Condition(term) => term,
        };
        if let Some(prop) = self.condition(term, "write `@assume(4 | n, n >= 12)`") {
            self.note_condition(prop, self.span(term), true, None);
        }
    }

    fn not_a_condition(&mut self, term: TermId, help: &str) {
        let (span, text) = (self.span(term), self.source(term));
        let (message, help) = match self.item.term(self.bare(term)).kind {
            TermKind::Binary {
                op: BinaryOp::Ne,
                lhs,
                ..
            } => (
                "`!=` cannot be used in a condition on sizes".to_owned(),
                format!(
                    "state which sizes are allowed, with `==`, `<`, `<=`, `>`, `>=` or `|`, as in `{} >= 2`",
                    self.source(lhs)
                ),
            ),
            TermKind::Binary {
                op: op @ (BinaryOp::And | BinaryOp::Or),
                ..
            } => (
                format!("`{}` does not join conditions on sizes", op.as_str()),
                format!("conditions that all hold are separated by commas: {help}"),
            ),
            _ => (
                format!("expected a condition on sizes, found `{text}`"),
                help.to_owned(),
            ),
        };
        self.bad(span, message, &help);
    }

    /// Returns true if the term is a conjunction or disjunction, which can be the left operand of
    /// `|` because `|` binds less tightly than `&&` and `||`.
    fn is_conjunction(&self, term: TermId) -> bool {
        let kind = &self.item.term(term).kind;
        matches!(kind, TermKind::Binary { op, .. } if matches!(op, BinaryOp::And | BinaryOp::Or))
    }

    /// Elaborates a condition on sizes. Returns `None` after an error or for a missing term; a term
    /// of another form is reported with `help`, the syntax of conditions.
    pub(super) fn condition(&mut self, term: TermId, help: &str) -> Option<Prop> {
        let (op, lhs, rhs) = match self.item.term(self.bare(term)).kind {
            TermKind::Binary {
                op: BinaryOp::Divides,
                lhs,
                ..
            } if self.is_conjunction(lhs) => {
                self.not_a_condition(lhs, help);
                return None;
            }
            TermKind::Binary { op, lhs, rhs, .. } if is_condition(op) => (op, lhs, rhs),
            TermKind::Missing => return None,
            _ => {
                self.not_a_condition(term, help);
                return None;
            }
        };
        let (Some(a), Some(b)) = (self.elab_nat(lhs), self.elab_nat(rhs)) else {
            return None;
        };
        let more = |n: &Nat| Nat::add(n, &Nat::constant(1));
        Some(match op {
            BinaryOp::Divides => Prop::Divides(a, b),
            BinaryOp::Ge => Prop::AtLeast(a, b),
            BinaryOp::Gt => Prop::AtLeast(a, more(&b)),
            BinaryOp::Le => Prop::AtLeast(b, a),
            BinaryOp::Lt => Prop::AtLeast(b, more(&a)),
            _ => Prop::Equal(a, b),
        })
    }
}

fn is_condition(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::Divides
            | BinaryOp::Ge
            | BinaryOp::Gt
            | BinaryOp::Le
            | BinaryOp::Lt
            | BinaryOp::Eq
    )
}

/// Returns the target with this name, or with this word for it in other languages and tools.
fn target_called(targets: &[TargetName], word: &str) -> Option<&'static str> {
    let is_called = |target: &&TargetName| target.name == word || target.aliases.contains(&word);
    targets.iter().find(is_called).map(|target| target.name)
}

fn list(words: &[&str], prefix: &str) -> String {
    let quoted: Vec<String> = words.iter().map(|w| format!("`{prefix}{w}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => quoted.join(""),
    }
}
