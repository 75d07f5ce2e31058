//! Reports type errors of expressions, with texts that depend on the types.

use syntax::ast::Ident;
use syntax::elevate::ast::{Arg, ExprId, ExprKind, Op, TypeId};
use syntax::{Code, Diagnostic, Fix, Severity, Span};

use super::Infer;
use super::call::arguments;
use crate::lang::types::{Flavour, Param, Ty, Type, type_text};

impl Infer<'_> {
    pub(super) fn error(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        self.say(Severity::Error, code, span, message)
    }

    pub(super) fn say(
        &mut self,
        severity: Severity,
        code: Code,
        span: Span,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        self.diagnostics
            .push(Diagnostic::new(severity, code, span, message));
        let last = self.diagnostics.len() - 1;
        &mut self.diagnostics[last]
    }

    /// Reports that a type of the item is too large, at most once.
    pub(super) fn too_large(&mut self, span: Span) {
        if !self.is_too_large() {
            self.error(
                syntax::codes::TOO_DEEP,
                span,
                "the type of this expression is too large",
            )
            .help = Some(
                "a tuple of a value and itself doubles the type: are all members needed?".into(),
            );
        }
    }

    /// Returns true if a type of the item was reported as too large.
    pub(super) fn is_too_large(&self) -> bool {
        self.diagnostics
            .iter()
            .any(|d| d.code == syntax::codes::TOO_DEEP)
    }

    pub(super) fn text(&self, ty: &Ty) -> String {
        type_text(&self.table.shown(ty), &self.type_params)
    }

    /// Returns the name in an expression that is a name, a member `object.name`, or a call of one
    /// of these; `None` for other expressions.
    fn named(&self, mut id: ExprId) -> Option<String> {
        loop {
            match &self.item.expr(id).kind {
                ExprKind::Name(name) => return Some(name.to_string()),
                ExprKind::Call { callee, .. } => id = *callee,
                ExprKind::Paren(inner) => id = *inner,
                ExprKind::Member { name, .. } => return name.as_ref().map(|n| n.name.to_string()),
                _ => return None,
            }
        }
    }

    fn called(&self, id: ExprId) -> String {
        match self.named(id) {
            Some(name) => format!("`{name}`"),
            None => "this".into(),
        }
    }

    pub(super) fn mismatch(&mut self, id: ExprId, found: &Ty, wanted: &Ty) {
        let span = self.span(id);
        let (found, wanted) = (self.table.shown(found), self.table.shown(wanted));
        let called = self.called(id);
        match (&*found, &*wanted) {
            (Type::Fun(params, result), _) if !matches!(*wanted, Type::Fun(..)) => {
                let end = self.after_arguments(result);
                if self.table.fits(&end, &wanted) {
                    return self.missing_arguments(id, id, params);
                }
            }
            (Type::Strategy(Flavour::Rule), Type::Strategy(Flavour::Pred)) => {
                let message = format!(
                    "{called} is a rule, which changes the program; a predicate is expected here"
                );
                self.error(rise::codes::TYPE_MISMATCH, span, message).help = Some(
                    "a predicate tests a place and leaves it as it is: `isMap`, `not(s)`".into(),
                );
                return;
            }
            (Type::Result, Type::Strategy(_)) => {
                if let ExprKind::Call { callee, args } = &self.item.expr(id).kind
                    && args.len() > 1
                {
                    return self.too_many(*callee, args, 1);
                }
            }
            (Type::Nat, Type::Int) => {
                let message = format!(
                    "expected Int, a known number; found Nat: {called} may be a size of the program"
                );
                self.error(rise::codes::TYPE_MISMATCH, span, message);
                return;
            }
            _ => {}
        }
        let (found_text, wanted_text) = (self.text(&found), self.text(&wanted));
        let message = format!("expected {wanted_text}, found {found_text}");
        let help = match (&*found, &*wanted) {
            (Type::Expr, Type::Strategy(_)) => Some(format!(
                "{called} is an expression of RISE; a strategy says what to do with a program"
            )),
            (Type::Result, Type::Strategy(_)) => Some(
                "a result is returned by a strategy for one program: leave the program out".into(),
            ),
            (Type::Result, Type::Expr) => {
                Some("use the result with `match` or `.mapSuccess(p => …)`".into())
            }
            (Type::Strategy(_), Type::Expr) => {
                Some(format!("{called} is a strategy, not an expression of RISE"))
            }
            (Type::String, Type::List(elem)) if *self.table.shallow(elem) == Type::String => {
                let fix = syntax::Fix::surround("Write a list", span, "[", "]");
                let help = "a list is written in brackets, as in `[\"x\", \"y\"]`".to_owned();
                self.error(rise::codes::TYPE_MISMATCH, span, message)
                    .advise(Some(help), Some(fix));
                return;
            }
            (_, Type::Bool) => Some("a value of type Bool is `true` or `false`".into()),
            _ => None,
        };
        self.error(rise::codes::TYPE_MISMATCH, span, message).help = help;
    }

    /// Returns the type that remains of `result` after all of its parameter lists.
    fn after_arguments(&self, result: &Ty) -> Ty {
        let mut ty = self.table.shallow(result);
        while let Type::Fun(_, result) = &*ty {
            ty = self.table.shallow(&result.clone());
        }
        ty
    }

    pub(super) fn missing_arguments(&mut self, id: ExprId, callee: ExprId, params: &[Param]) {
        let called = self.called(callee);
        let missing: Vec<String> = params
            .iter()
            .filter(|param| !param.optional)
            .map(|param| match param.name.is_empty() {
                true => format!("a {}", self.text(&param.ty)),
                false => format!("`{}: {}`", param.name, self.text(&param.ty)),
            })
            .collect();
        let message = match &missing[..] {
            [only] => format!("{called} needs one more argument: {only}"),
            _ => format!("{called} needs more arguments: {}", missing.join(", ")),
        };
        let span = self.span(id);
        self.error(rise::codes::TYPE_MISMATCH, span, message);
    }

    pub(super) fn too_many(&mut self, callee: ExprId, args: &[Arg], left: usize) {
        let called = self.called(callee);
        let takes = args.len() - left;
        let first = &args[takes];
        let span = self.span(first.value);
        let message = match takes {
            0 => {
                let called = match self.item.expr(callee).kind {
                    ExprKind::Name(_) => called,
                    _ => "this".into(),
                };
                format!(
                    "{called} takes no arguments: it is {}",
                    article(&self.text(&self.exprs[callee.0 as usize].clone()))
                )
            }
            _ => format!("{called} takes {}, found {}", arguments(takes), args.len()),
        };
        self.error(rise::codes::NOT_A_FUNCTION, span, message);
    }

    pub(super) fn wrong_argument_name(&mut self, name: &Ident, twice: bool, params: &[Param]) {
        let names = params.iter().map(|param| param.name.as_str());
        let close = rise::closest(&name.name, names.clone()).map(str::to_owned);
        let all: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
        let message = match twice {
            true => format!("`{}` is given twice", name.name),
            false => format!("the called function has no parameter `{}`", name.name),
        };
        let help = match (twice, close) {
            (true, _) => None,
            (false, Some(close)) => Some(format!("did you mean `{close}`?")),
            (false, None) if all.is_empty() => None,
            (false, None) => Some(format!(
                "the parameters are {}",
                super::header::listed(&all)
            )),
        };
        self.error(rise::codes::UNKNOWN_NAME, name.span, message)
            .help = help;
    }

    pub(super) fn no_member(&mut self, object: ExprId, found: &Ty, name: &Ident) {
        let text = self.text(found);
        let of = self.called(object);
        let message = match text.as_str() {
            "_" => format!("there is no function `{}`", name.name),
            text => format!("{of} is {}, which has no `{}`", article(text), name.name),
        };
        let close = {
            let names = self.env.names();
            let fitting: Vec<&str> = names
                .iter()
                .filter(|known| self.takes_first(known, found))
                .map(|known| known.as_str())
                .collect();
            rise::closest(&name.name, fitting.iter().copied()).map(str::to_owned)
        };
        let help = close.map(|close| format!("did you mean `{close}`?"));
        self.error(rise::codes::UNKNOWN_NAME, name.span, message)
            .help = help;
    }

    /// Returns true if a definition is a function whose first parameter has a type with the same
    /// constructor as `ty`.
    fn takes_first(&self, name: &str, ty: &Ty) -> bool {
        let super::Resolution::Item(_, signature) = self.env.resolve(name) else {
            return false;
        };
        let ty = self.table.shallow(ty);
        match &*signature.scheme.ty {
            Type::Fun(params, _) => {
                std::mem::discriminant(&*params[0].ty) == std::mem::discriminant(&*ty)
            }
            _ => false,
        }
    }

    /// Reports a traversal before `@` and a strategy after it.
    pub(super) fn swapped_sides(&mut self, lhs: ExprId, rhs: ExprId) {
        let (traversal, strategy) = (self.called(lhs), self.called(rhs));
        let message = format!(
            "{traversal} is a traversal, which must come after `@`, and {strategy} must come before it"
        );
        let names = [lhs, rhs].map(|side| match &self.item.expr(side).kind {
            ExprKind::Name(name) => Some((self.span(side), name.to_string())),
            _ => None,
        });
        let span = Span::new(self.span(lhs).start, self.span(rhs).end);
        let diagnostic = self.error(rise::codes::TYPE_MISMATCH, span, message);
        if let [Some((left, traversal)), Some((right, strategy))] = names {
            let title = format!("Write `{strategy} @ {traversal}`");
            let edits = vec![(left, strategy), (right, traversal)];
            diagnostic.fixes.push(Fix::preferred(title, edits));
        }
    }

    pub(super) fn no_cases(&mut self, scrutinee: ExprId) {
        let span = self.span(scrutinee);
        let message = "this `match` has no `case`, so that it has no result";
        let diagnostic = self.error(syntax::codes::SYNTAX_ERROR, span, message);
        diagnostic.help =
            Some("a `case` without conditions matches everything: `case _ => fail(p)`".into());
    }

    /// Reports an operand after `@` that is not a traversal.
    pub(super) fn no_traversal(&mut self, id: ExprId, found: &Ty) {
        let found = self.table.resolve(found);
        let called = self.called(id);
        let span = self.span(id);
        match &*found {
            Type::Strategy(flavour) => {
                let what = match flavour {
                    Flavour::Pred => "a predicate",
                    Flavour::Rule => "a rule",
                    Flavour::Strategy => "a strategy",
                };
                let message = format!(
                    "expected a traversal after `@`, which says where to apply a strategy, and {called} is {what}"
                );
                let text = match flavour {
                    Flavour::Pred => {
                        "write `@ outermost(p)` to apply a strategy at the outermost place where the predicate `p` holds"
                    }
                    _ => {
                        "write `s ; t` to apply one after the other, or `s @ topDown` to apply `s` at the first place where it does not fail"
                    }
                };
                let edits = match (flavour, self.named(id)) {
                    (Flavour::Pred, Some(_)) => vec![
                        (Span::new(span.start, span.start), "outermost(".to_owned()),
                        (Span::new(span.end, span.end), ")".to_owned()),
                    ],
                    _ => Vec::new(),
                };
                let diagnostic = self.error(rise::codes::TYPE_MISMATCH, span, message);
                diagnostic.help = Some(text.into());
                if !edits.is_empty() {
                    let title = "Apply at the outermost place where it holds";
                    diagnostic.fixes.push(Fix::preferred(title, edits));
                }
            }
            Type::Fun(params, result)
                if params.iter().any(|param| !param.ty.is_strategy())
                    || matches!(&**result, Type::Fun(..)) =>
            {
                let text = self.text(&found);
                let message = format!("expected Traversal after `@`, found {text}");
                let is_last = !matches!(&**result, Type::Fun(..));
                let first = params
                    .first()
                    .filter(|param| !is_last || !param.ty.is_strategy());
                let help = first.map(|param| match param.name.is_empty() {
                    true => format!("{called} needs a {} first", self.text(&param.ty)),
                    false => format!(
                        "{called} needs its argument `{}: {}` first",
                        param.name,
                        self.text(&param.ty)
                    ),
                });
                self.error(rise::codes::TYPE_MISMATCH, span, message).help = help;
            }
            _ => {
                let text = self.text(&found);
                let message = format!("expected Traversal after `@`, found {text}");
                self.error(rise::codes::TYPE_MISMATCH, span, message).help =
                    Some("a traversal is a function from strategies to strategies: `topDown`, `outermost(isMap)`".into());
            }
        }
    }

    pub(super) fn strategy_as_condition(&mut self, id: ExprId) {
        let called = self.called(id);
        let span = self.span(id);
        let message = format!(
            "expected Bool, found a strategy: whether {called} succeeds depends on a program"
        );
        self.error(rise::codes::TYPE_MISMATCH, span, message).help =
            Some("write `ifThenElse(c)(s)(t)`, or `(c ; s) <+ t`, to decide by the program".into());
    }

    pub(super) fn tune_of_other_type(&mut self, id: TypeId, written: &Ty) {
        let text = self.text(written);
        let span = self.item.ty(id).span;
        self.error(
            rise::codes::KIND_MISMATCH,
            span,
            format!("`tune` defines a Nat, not {}", article(&text)),
        );
    }

    /// Reports a hint for each operand of `<+` that is a sequence: `a ; b <+ c` is `(a ; b) <+ c`.
    pub(super) fn mixed(&mut self, lhs: ExprId, rhs: ExprId) {
        for side in [lhs, rhs] {
            if let ExprKind::Binary {
                op: Op::Seq | Op::SeqNormal,
                ..
            } = self.item.expr(side).kind
            {
                let span = self.span(side);
                let around = vec![
                    (Span::new(span.start, span.start), "(".to_owned()),
                    (Span::new(span.end, span.end), ")".to_owned()),
                ];
                let diagnostic = Diagnostic::new(
                    Severity::Hint,
                    syntax::codes::AMBIGUOUS_OPERATORS,
                    span,
                    "`;` binds tighter than `<+`, so all of this is one alternative",
                );
                self.diagnostics
                    .push(diagnostic.fix("Add parentheses", around, true));
            }
        }
    }

    /// Reports a main expression whose type is neither that of a strategy nor of the result of one.
    pub(super) fn main_type(&mut self, id: ExprId, ty: &Ty) {
        let found = self.table.resolve(ty);
        match &*found {
            Type::Strategy(_) | Type::Result | Type::Error => {}
            _ if self.table.fits(ty, &Type::strategy()) => {}
            _ => self.mismatch(id, &found, &Type::strategy()),
        }
    }
}

/// Returns a noun with its indefinite article: `an Int`, `a Strategy`.
pub(super) fn article(noun: &str) -> String {
    let vowel = noun.starts_with(['A', 'E', 'I', 'O', 'U']);
    format!("{} {noun}", if vowel { "an" } else { "a" })
}
