//! Resolves names in RISE terms: in quotations, which may contain values of the strategy, and in
//! rules and patterns, where free names are metavariables.

use std::sync::Arc;

use rise::codes;
use rise::core::{Language, Notation};
use rise::{Pattern, Primitive};
use syntax::ast::{BinaryOp, BinderAnnotation, BinderId, Item, Name, TermId, TermKind};
use syntax::elevate::ast::{
    Alt, ClauseKind, Expect, ExprId, ExprKind, ItemKind, Range, RangeKind, RangeStep,
};
use syntax::{Severity, Span};

use super::{BinderKey, CaptureSource, Captured, Infer, Meaning, Quote, Resolution, Target};
use crate::codes as own_codes;
use crate::lang::types::{Ty, Type};

/// An occurrence of a name in a RISE term.
struct Mention {
    name: Name,
    span: Span,
    /// The span of the RISE binder that binds it, if there is one.
    bound: Option<Span>,
    /// True if this occurrence is the binder itself.
    binder: bool,
}

/// Collects the places of names in a term where no function is expected: they are not applied, not
/// operands, and not arguments of a primitive, whose types say what is expected.
fn value_positions(item: &Item, id: TermId, found: &mut Vec<Span>) {
    let name = |id: TermId| match &item.term(id).kind {
        TermKind::Name(name) => Some(name),
        _ => None,
    };
    match &item.term(id).kind {
        TermKind::Name(_) => found.push(item.term(id).span),
        TermKind::Apply { callee, args } => {
            let mut head = *callee;
            while let TermKind::Apply { callee, .. } = &item.term(head).kind {
                head = *callee;
            }
            let is_primitive = name(head).is_some_and(|head| Primitive::from_name(head).is_some());
            let parts = [*callee].into_iter().chain(args.iter().copied());
            for (at, part) in parts.enumerate() {
                if name(part).is_none() || at > 0 && !is_primitive {
                    value_positions(item, part, found);
                }
            }
        }
        TermKind::Binary {
            op: BinaryOp::Pipe,
            lhs,
            rhs,
            ..
        } => {
            value_positions(item, *lhs, found);
            if name(*rhs).is_none() {
                value_positions(item, *rhs, found);
            }
        }
        TermKind::Binary { .. } | TermKind::Unary { .. } => item.children(id, |part| {
            if name(part).is_none() {
                value_positions(item, part, found);
            }
        }),
        _ => item.children(id, |part| value_positions(item, part, found)),
    }
}

impl Infer<'_> {
    /// Returns the RISE variables that quotations and constructors `fun(x, b)` of the item bind,
    /// with the spans of their binders.
    pub(super) fn bound_by_quotes(&self) -> Vec<(Name, Span)> {
        let mut names = Vec::new();
        for expr in &self.item.exprs {
            match &expr.kind {
                ExprKind::Rise(term) => {
                    for mention in self.mentions(*term) {
                        if mention.binder {
                            names.push((mention.name, mention.span));
                        }
                    }
                }
                ExprKind::Call { callee, args } => {
                    if let ExprKind::Name(name) = &self.item.expr(*callee).kind
                        && name == "fun"
                        && let Some(first) = args.first()
                        && let ExprKind::Name(variable) = &self.item.expr(first.value).kind
                    {
                        names.push((variable.clone(), self.span(first.value)));
                    }
                }
                _ => {}
            }
        }
        names
    }

    fn mentions(&self, term: TermId) -> Vec<Mention> {
        let mut found = Vec::new();
        self.walk(term, &mut Vec::new(), &mut found);
        found
    }

    fn walk(&self, id: TermId, bound: &mut Vec<(Name, Span)>, found: &mut Vec<Mention>) {
        let rise = &self.item.rise;
        let term = rise.term(id);
        let depth = bound.len();
        match &term.kind {
            TermKind::Name(name) => {
                let binder = bound.iter().rev().find(|(known, _)| known == name);
                found.push(Mention {
                    name: name.clone(),
                    span: term.span,
                    bound: binder.map(|(_, span)| *span),
                    binder: false,
                });
            }
            TermKind::Fun { params, body, .. } | TermKind::DepFun { params, body } => {
                for &param in params {
                    self.walk_binder(param, bound, found);
                }
                self.walk(*body, bound, found);
            }
            TermKind::Let {
                binder,
                value,
                body,
            } => {
                self.walk(*value, bound, found);
                self.walk_binder(*binder, bound, found);
                self.walk(*body, bound, found);
            }
            TermKind::LetSize {
                size,
                binder,
                value,
                body,
            } => {
                self.walk(*value, bound, found);
                for binder in [*size].into_iter().chain(*binder) {
                    self.walk_binder(binder, bound, found);
                }
                self.walk(*body, bound, found);
            }
            TermKind::NatFun { param, body }
            | TermKind::DataFun { param, body }
            | TermKind::DepPair { param, body }
            | TermKind::Pi { param, body, .. } => {
                self.walk_binder(*param, bound, found);
                self.walk(*body, bound, found);
            }
            TermKind::Apply { callee, args } if matches!(&rise.term(*callee).kind, TermKind::Name(name) if name == "sum") =>
            {
                let mut args = args.iter();
                if let Some(&index) = args.next()
                    && let TermKind::Name(name) = &rise.term(index).kind
                {
                    bound.push((name.clone(), rise.term(index).span));
                }
                args.for_each(|&arg| self.walk(arg, bound, found));
            }
            _ => rise.children(id, |child| self.walk(child, bound, found)),
        }
        bound.truncate(depth);
    }

    fn walk_binder(&self, id: BinderId, bound: &mut Vec<(Name, Span)>, found: &mut Vec<Mention>) {
        let binder = self.item.rise.binder(id);
        if let BinderAnnotation::Type(ty) = binder.annotation {
            self.walk(ty, bound, found);
        }
        bound.push((binder.name.clone(), binder.span));
        found.push(Mention {
            name: binder.name.clone(),
            span: binder.span,
            bound: Some(binder.span),
            binder: true,
        });
    }

    /// Collects the names of an expression that is read as RISE, in source order.
    fn expr_mentions(&self, id: ExprId, found: &mut Vec<Mention>) {
        match &self.item.expr(id).kind {
            ExprKind::Name(name) => found.push(Mention {
                name: name.clone(),
                span: self.span(id),
                bound: None,
                binder: false,
            }),
            ExprKind::Rise(term) | ExprKind::Type(term) => found.extend(self.mentions(*term)),
            ExprKind::Call { callee, args } => {
                self.expr_mentions(*callee, found);
                args.iter()
                    .for_each(|arg| self.expr_mentions(arg.value, found));
            }
            ExprKind::Binary { lhs, rhs, .. } => {
                self.expr_mentions(*lhs, found);
                self.expr_mentions(*rhs, found);
            }
            ExprKind::Neg(inner) | ExprKind::Not(inner) | ExprKind::Paren(inner) => {
                self.expr_mentions(*inner, found);
            }
            ExprKind::Member { object, .. } => self.expr_mentions(*object, found),
            ExprKind::Tuple(members) => members
                .iter()
                .for_each(|&member| self.expr_mentions(member, found)),
            _ => {}
        }
    }

    /// Resolves an expression as a quotation, which captures the local names and definitions whose
    /// values it uses.
    pub(super) fn quote(&mut self, id: ExprId, span: Span) {
        let mut mentions = Vec::new();
        self.expr_mentions(id, &mut mentions);
        let mut quote = Quote {
            span,
            captured: Vec::new(),
            places: Vec::new(),
        };
        for mention in mentions {
            self.quoted_name(&mention, &mut quote);
        }
        self.meanings.insert(id, Meaning::Quote(quote));
    }

    fn quoted_name(&mut self, mention: &Mention, quote: &mut Quote) {
        let name = &mention.name;
        let local = self.lookup(name).cloned();
        let variable = local.is_some() || self.used_as_fresh(name);
        if mention.binder {
            // `fun(x => …)` binds the variable `x` of the strategy, if there is one.
            if variable && *self.key_type(name) == Type::Expr {
                quote.places.push((mention.span, name.clone()));
                self.capture_in(quote, name);
            }
            return;
        }
        if let Some(bound) = mention.bound {
            if variable && *self.key_type(name) == Type::Expr {
                quote.places.push((mention.span, name.clone()));
            }
            return self.used(mention.span, Target::Local(bound));
        }
        if let Some(local) = local {
            self.used(mention.span, Target::Local(local.span));
            if !self.can_be_quoted(&local.ty) {
                let text = self.text(&local.ty);
                let message = format!(
                    "`{name}` is {}, which cannot be put into an expression of RISE",
                    super::report::article(&text)
                );
                self.error(codes::TYPE_MISMATCH, mention.span, message);
                return;
            }
            quote.places.push((mention.span, name.clone()));
            return self.capture_in(quote, name);
        }
        match self.value_named(name) {
            Some((id, ty)) => {
                self.used(mention.span, Target::Item(id));
                let span = quote.span;
                self.capture(name, CaptureSource::Item(id), ty, span);
            }
            None => self.rise_name(mention, quote),
        }
    }

    /// Resolves a name in a quotation that is not bound by the strategy.
    fn rise_name(&mut self, mention: &Mention, quote: &mut Quote) {
        let name = &mention.name;
        if self.rise_use(name, mention.span) {
            return;
        }
        if let Some((_, span)) = self.fresh.iter().find(|(fresh, _)| fresh == name) {
            let span = *span;
            self.used(mention.span, Target::Local(span));
            quote.places.push((mention.span, name.clone()));
            return self.capture_in(quote, name);
        }
        if self.unknown.contains(name) {
            return;
        }
        self.unknown.push(name.clone());
        let close = self.closest_of_rise(name);
        let message = format!("`{name}` is not defined in RISE");
        self.error(codes::UNKNOWN_NAME, mention.span, message).help = match close {
            Some(close) => Some(format!("did you mean `{close}`?")),
            None => Some("import the file that defines it: `import \"file.rise\"`".into()),
        };
    }

    /// Returns the name of a RISE definition or primitive that is similar to the name, if there is
    /// one.
    fn closest_of_rise(&self, name: &str) -> Option<String> {
        let names = self.env.rise().names();
        let known = names.iter().map(Name::as_str);
        let known = known.chain(Primitive::ALL.iter().map(|primitive| primitive.name()));
        rise::closest(name, known).map(str::to_owned)
    }

    /// Records the use of a RISE definition or primitive. Returns false if the name is neither. A
    /// name that is ambiguous or whose definition has errors counts as one, but its use is not
    /// recorded.
    fn rise_use(&mut self, name: &Name, span: Span) -> bool {
        let target = match self.env.rise().resolve(name) {
            rise::Resolution::Def(id, _) => Some(Target::Program(id)),
            rise::Resolution::Broken(_) | rise::Resolution::Ambiguous(_) => return true,
            rise::Resolution::Unknown => Primitive::from_name(name).map(Target::Primitive),
        };
        if let Some(target) = target {
            self.used(span, target);
        }
        target.is_some()
    }

    fn used_as_fresh(&self, name: &str) -> bool {
        self.lookup(name).is_none() && self.is_fresh(name) && {
            // The name has to occur outside of the quotation that binds it.
            self.item
                .exprs
                .iter()
                .any(|expr| matches!(&expr.kind, ExprKind::Name(other) if other == name))
        }
    }

    fn key_type(&self, name: &str) -> Ty {
        match self.lookup(name) {
            Some(local) => self.table.shallow(&local.ty),
            None => Arc::new(Type::Expr),
        }
    }

    fn capture_in(&mut self, quote: &mut Quote, name: &Name) {
        if quote.captured.iter().any(|(known, ..)| known == name) {
            return;
        }
        let (key, ty) = match self.lookup(name) {
            Some(local) => (local.key.clone(), local.ty.clone()),
            None => (BinderKey::Fresh(name.clone()), Arc::new(Type::Expr)),
        };
        quote.captured.push((name.clone(), key, ty));
    }

    /// Returns true if RISE terms may contain values of the type. An unconstrained type variable is
    /// solved to be an expression.
    fn can_be_quoted(&mut self, ty: &Ty) -> bool {
        match *self.table.shallow(ty) {
            Type::Expr | Type::Nat | Type::Int | Type::Addr | Type::Type | Type::Error => true,
            Type::Open(_) => self.table.is_number(ty) || self.table.fits(ty, &Arc::new(Type::Expr)),
            _ => false,
        }
    }

    /// Returns the definition of this name with its type, if RISE terms may contain its value and
    /// it is not in the library; `None` otherwise.
    fn value_named(&mut self, name: &Name) -> Option<(syntax::GlobalId, Ty)> {
        match self.env.resolve(name) {
            Resolution::Item(id, _) if self.env.is_library(id) => None,
            Resolution::Item(id, signature) => match *signature.scheme.ty {
                Type::Expr | Type::Nat | Type::Int | Type::Addr | Type::Type => {
                    Some((id, signature.scheme.ty.clone()))
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn capture(&mut self, name: &Name, source: CaptureSource, ty: Ty, span: Span) {
        let known = self
            .captured
            .iter()
            .any(|known| known.name == *name && known.span == span);
        if !known {
            self.captured.push(Captured {
                name: name.clone(),
                source,
                ty,
                span,
            });
        }
    }

    // ----- rules and patterns -----

    pub(super) fn alternative(&mut self, alt: &Alt) {
        let mut terms = vec![alt.lhs];
        let mut conditions = Vec::new();
        for clause in &alt.clauses {
            match &clause.kind {
                ClauseKind::Let { value, .. } => terms.push(*value),
                ClauseKind::Where(condition)
                | ClauseKind::Requires(condition)
                | ClauseKind::Assuming(condition) => conditions.push(*condition),
            }
        }
        for &condition in &conditions {
            self.condition_terms(condition, &mut terms);
        }
        terms.push(alt.rhs);
        self.rule_terms(&terms, alt.span);
        self.functions_as_values(alt.lhs);
        for condition in conditions {
            self.condition(condition);
        }
    }

    /// Warns of primitives in a pattern whose names may be meant as metavariables.
    pub(super) fn functions_as_values(&mut self, pattern: TermId) {
        let mut spans = Vec::new();
        value_positions(&self.item.rise, pattern, &mut spans);
        for mention in self.mentions(pattern) {
            if mention.bound.is_none() && spans.contains(&mention.span) {
                self.function_in_pattern(&mention.name, mention.span);
            }
        }
    }

    /// Warns of a name in a pattern if it is that of a scalar primitive that has no operator, such
    /// as `exp`.
    pub(super) fn function_in_pattern(&mut self, name: &Name, span: Span) {
        let is_function = Primitive::from_name(name).is_some_and(|primitive| {
            primitive.pattern() == Pattern::Scalar
                && matches!(primitive.notation(), Notation::Call(_))
        });
        let is_own = name.starts_with('?')
            || self.lookup(name).is_some()
            || self.env.rise().resolve(name) != rise::Resolution::Unknown;
        if is_function && !is_own {
            let message = format!("`{name}` is a primitive of RISE, and matches itself only");
            self.say(
                Severity::Warning,
                own_codes::FUNCTION_IN_PATTERN,
                span,
                message,
            )
            .help = Some(format!(
                "to match every term, write `?{name}` or another name, here and on the right side"
            ));
        }
    }

    /// Resolves the names of terms that share their metavariables, and returns the metavariables
    /// with the spans of their first occurrences.
    pub(super) fn rule_terms(&mut self, terms: &[TermId], span: Span) -> Vec<(Name, Span)> {
        let mut metavariables: Vec<(Name, Span)> = Vec::new();
        let sizes = self.size_names(terms);
        for &term in terms {
            for mention in self.mentions(term) {
                if mention.binder {
                    continue;
                }
                if let Some(bound) = mention.bound {
                    self.used(mention.span, Target::Local(bound));
                    continue;
                }
                self.rule_name(&mention, &sizes, span, &mut metavariables);
            }
        }
        metavariables
    }

    fn rule_name(
        &mut self,
        mention: &Mention,
        sizes: &[Name],
        span: Span,
        metavariables: &mut Vec<(Name, Span)>,
    ) {
        let name = &mention.name;
        if !name.starts_with('?') {
            if let Some(local) = self.lookup(name).cloned() {
                self.used(mention.span, Target::Local(local.span));
                self.param_in_term(name, &local.ty, sizes, mention.span);
                return self.capture(name, CaptureSource::Local(local.key), local.ty, span);
            }
            if let Some((id, ty)) = self.value_named(name) {
                self.used(mention.span, Target::Item(id));
                return self.capture(name, CaptureSource::Item(id), ty, span);
            }
            if self.rise_use(name, mention.span) {
                return;
            }
        }
        let first = metavariables.iter().find(|(known, _)| known == name);
        let first = match first {
            Some((_, first)) => *first,
            None => {
                metavariables.push((name.clone(), mention.span));
                mention.span
            }
        };
        self.used(mention.span, Target::Metavariable(first));
    }

    /// Checks that RISE terms may contain a parameter. If its type is open, it is a size where the
    /// terms use it as one, and an expression otherwise.
    fn param_in_term(&mut self, name: &Name, ty: &Ty, sizes: &[Name], span: Span) {
        let shallow = self.table.shallow(ty);
        match *shallow {
            Type::Open(_) if sizes.contains(name) => {
                self.table.fits(ty, &Arc::new(Type::Nat));
            }
            _ if self.can_be_quoted(ty) => {}
            _ => {
                let text = self.text(ty);
                let message = format!(
                    "`{name}` is {}, which cannot be in an expression of RISE",
                    super::report::article(&text)
                );
                self.error(codes::TYPE_MISMATCH, span, message);
            }
        }
    }

    /// Returns the names that occur in size arguments of RISE primitives, or in the sizes of array
    /// types.
    fn size_names(&self, terms: &[TermId]) -> Vec<Name> {
        let mut names = Vec::new();
        for &term in terms {
            self.sizes_in(term, &mut names);
        }
        names
    }

    fn sizes_in(&self, id: TermId, names: &mut Vec<Name>) {
        let rise = &self.item.rise;
        if let TermKind::Apply { callee, args } = &rise.term(id).kind
            && let TermKind::Name(callee) = &rise.term(*callee).kind
            && let Some(primitive) = Primitive::from_name(callee)
        {
            let mut ty = &rise::library_scheme(primitive).ty;
            let mut args = args.iter();
            while let rise::Type::Pi(pi) = &**ty {
                ty = &pi.body;
                if pi.implicit {
                    continue;
                }
                if let (Some(&arg), syntax::ast::Kind::Nat) = (args.next(), pi.kind) {
                    self.names_in(arg, names);
                }
            }
        }
        if let TermKind::Array { size, .. } = rise.term(id).kind {
            self.names_in(size, names);
        }
        rise.children(id, |child| self.sizes_in(child, names));
    }

    fn names_in(&self, id: TermId, names: &mut Vec<Name>) {
        let mentions = self.mentions(id).into_iter();
        names.extend(mentions.map(|mention| mention.name));
    }

    /// Resolves the names in the sizes of a condition or range outside of rules.
    pub(super) fn size_terms(&mut self, terms: &[TermId], span: Span) {
        self.rule_terms(terms, span);
    }

    pub(super) fn range(&mut self, range: &Range) {
        let mut terms = Vec::new();
        match &range.kind {
            RangeKind::Between { from, to, step } => {
                terms.extend([*from, *to]);
                match step {
                    Some(RangeStep::Add(step) | RangeStep::Times(step)) => terms.push(*step),
                    None => {}
                }
            }
            RangeKind::Divisors(size) => terms.push(*size),
            RangeKind::Set(sizes) => terms.extend(sizes.iter().copied()),
        }
        self.size_terms(&terms, range.span);
    }

    /// Resolves the names in an example. Free names of its programs stand for any function or
    /// value.
    pub(super) fn example_terms(&mut self) {
        if let ItemKind::Example {
            input,
            expect,
            modulo,
            ..
        } = &self.item.kind
        {
            let mut terms = vec![*input];
            if let Expect::Program(program) = expect {
                terms.push(*program);
            }
            let free = self.rule_terms(&terms, self.term_span(*input));
            for (name, span) in &free {
                self.misspelt_free_name(name, *span);
            }
            if let Expect::Trace(rules, _) = expect {
                for rule in rules {
                    self.mentioned(rule, &Type::strategy());
                }
            }
            if let Some(modulo) = modulo {
                self.mentioned(modulo, &Type::strategy());
            }
        }
    }

    /// Reports a free name of an example that is similar to a name of RISE and has at least 3
    /// bytes. Shorter names are close to others by chance, and `?name` is free on purpose.
    fn misspelt_free_name(&mut self, name: &str, span: Span) {
        const MIN_LENGTH: usize = 3;
        let may_be_misspelt = name.len() >= MIN_LENGTH && !name.starts_with('?');
        let Some(close) = self.closest_of_rise(name).filter(|_| may_be_misspelt) else {
            return;
        };
        let message = format!("`{name}` is not defined");
        let error = self.error(codes::UNKNOWN_NAME, span, message);
        error.help = Some(format!(
            "did you mean `{close}`? write `?{name}` to match any value"
        ));
        let title = format!("Change to `{close}`");
        let fix = syntax::Fix::preferred(title, vec![(span, close)]);
        error.fixes.push(fix);
    }

    /// Resolves the name of a strategy that is not an expression, and reports it if it is unknown,
    /// or its result type is not `wanted`.
    fn mentioned(&mut self, ident: &syntax::ast::Ident, wanted: &Ty) {
        match self.strategy_named(&ident.name, ident.clone()) {
            super::names::StrategyResolution::Item(id, ty) => {
                self.used(ident.span, Target::Item(id));
                // A trace names a rule without its arguments.
                let mut end = self.table.shallow(&ty);
                while let Type::Fun(_, result) = &*end.clone() {
                    end = self.table.shallow(result);
                }
                if !self.table.fits(&end, wanted) {
                    let (found, wanted) = (self.text(&ty), self.text(wanted));
                    let message = format!("expected {wanted}, found {found}");
                    self.error(codes::TYPE_MISMATCH, ident.span, message);
                }
            }
            super::names::StrategyResolution::Broken => {}
            super::names::StrategyResolution::Unknown => self.unknown_strategy(ident),
        }
    }

    fn unknown_strategy(&mut self, ident: &syntax::ast::Ident) {
        let names = self.env.names();
        let close = rise::closest(&ident.name, names.iter().map(Name::as_str)).map(str::to_owned);
        let message = format!("there is no strategy `{}`", ident.name);
        self.error(codes::UNKNOWN_NAME, ident.span, message).help =
            close.map(|close| format!("did you mean `{close}`?"));
    }
}

impl Infer<'_> {
    /// Returns the variables that a pattern binds, for example by `fun`, which are in scope in the
    /// case.
    pub(super) fn pattern_binders(&self, term: TermId) -> Vec<(Name, Span)> {
        let mentions = self.mentions(term).into_iter();
        let binders = mentions.filter(|mention| mention.binder);
        binders
            .map(|mention| (mention.name, mention.span))
            .collect()
    }

    /// Returns the type of a metavariable of a pattern: a size where it is used as one, else an
    /// expression.
    pub(super) fn metavariable_type(&self, term: TermId, name: &Name) -> Ty {
        let mut sizes = Vec::new();
        self.sizes_in(term, &mut sizes);
        Arc::new(match sizes.contains(name) {
            true => Type::Nat,
            false => Type::Expr,
        })
    }
}
