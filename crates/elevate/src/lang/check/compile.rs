//! Compiles the rules, patterns, quotations and example programs of an item for the engine.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use syntax::ast::{Name, TermId, TermKind};
use syntax::elevate::ast::{
    Alt, ExprId, ExprKind, Item, ItemKind, PatternId, PatternKind, PredBody,
};
use syntax::{Diagnostic, Severity, Span};

use super::example::ExamplePrograms;
use super::{BinderKey, CaptureSource, Captured, Checked, Env, Meaning, Quote, Target};
use crate::lang::types::Type;
use crate::rule::{self, Matcher, ParamKind, Predicate, Quotation, Rule};

/// The compiled rules, patterns, quotations and example programs of an item.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Compiled {
    /// The rules, by the start of the first alternative.
    pub rules: FxHashMap<u32, Parameterized<Rule>>,
    /// The predicates that are lists of patterns, by the start of the first pattern.
    pub predicates: FxHashMap<u32, Parameterized<Predicate>>,
    /// The RISE patterns of `match`.
    pub patterns: FxHashMap<PatternId, TermPattern>,
    /// The quotations, and the other expressions that are read as RISE.
    pub quotes: FxHashMap<ExprId, Arc<CompiledQuotation>>,
    /// The RISE variables that the item creates itself.
    pub fresh: Arc<[Name]>,
    /// The programs, if the item is an example.
    pub example: Option<ExamplePrograms>,
}

/// A compiled rule, predicate or pattern, with the sources of the values of its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameterized<T> {
    /// The compiled rule, predicate or pattern.
    pub it: Arc<T>,
    /// The sources of its parameters, in order.
    pub params: Arc<[CaptureSource]>,
}

/// A RISE pattern in a `case`.
#[derive(Clone, Debug, PartialEq)]
pub struct TermPattern {
    /// The parameters of the leading `fun`s.
    pub binders: Arc<[Name]>,
    /// The pattern below the leading `fun`s.
    pub rest: PatternBody,
}

/// The pattern below the leading `fun`s of a pattern.
#[derive(Clone, Debug, PartialEq)]
pub enum PatternBody {
    /// A metavariable or `_`, which matches any term.
    Name(Name),
    /// Any other pattern. Its first parameters are the parameters of the leading `fun`s.
    Pattern(Parameterized<Matcher>),
}

/// The compiled form of a quotation.
#[derive(Clone, Debug, PartialEq)]
pub struct CompiledQuotation {
    /// The text, with the functions of `params` replaced by names.
    pub text: Arc<str>,
    /// The definition or primitive, if the quotation is nothing but its name.
    pub name: Option<Target>,
    /// The template of the term; `None` if it cannot be compiled apart from the place of the term.
    pub quotation: Option<Arc<Quotation>>,
    /// The pattern that matches the term; `None` if it cannot be compiled.
    pub matcher: Option<Arc<Matcher>>,
    /// The rule that replaces a term of the same type by the quotation; `None` if it cannot be
    /// compiled.
    pub rule: Option<Arc<Rule>>,
    /// The parameters of the template, the pattern and the rule.
    pub params: Arc<[QuotationParam]>,
}

/// A parameter of a quotation.
#[derive(Clone, Debug, PartialEq)]
pub enum QuotationParam {
    /// The value of a captured name.
    Value(CaptureSource),
    /// A RISE function whose parameter is a variable of the strategy.
    Function {
        /// The variable.
        variable: BinderKey,
        /// The body of the function.
        body: Arc<CompiledQuotation>,
    },
}

/// Returns the [outlines](rule::Outline) of the alternatives of a rule; nothing for other
/// definitions.
pub(in crate::lang) fn outlines(
    item: &Item,
    text: &str,
    env: &dyn Env,
    checked: &Checked,
) -> Vec<rule::Outline> {
    let ItemKind::Rule { name, alts, .. } = &item.kind else {
        return Vec::new();
    };
    let compiler = Compiler {
        item,
        text,
        env,
        checked,
        compiled: Compiled::default(),
        diagnostics: Vec::new(),
    };
    let spans: Vec<Span> = alts.iter().map(|alt| alt.span).collect();
    let (params, _) = compiler.params_at(&spans);
    let name = name.as_ref().map_or("", |name| name.name.as_str());
    rule::outlines(&compiler.source(name, alts, &params))
}

/// Compiles a checked item, if it has no errors. Errors of the compilation are added to its
/// diagnostics.
pub(super) fn compile(item: &Item, text: &str, env: &dyn Env, checked: &mut Checked) {
    let errors = |all: &[Diagnostic]| all.iter().any(|d| d.severity == Severity::Error);
    if errors(&checked.diagnostics) {
        return;
    }
    let mut compiler = Compiler {
        item,
        text,
        env,
        checked: &*checked,
        compiled: Compiled::default(),
        diagnostics: Vec::new(),
    };
    compiler.item();
    compiler.exprs();
    compiler.patterns();
    let rise = env.rise();
    compiler.compiled.fresh = fresh_names(checked);
    let example = super::example::programs(item, checked, rise, &mut compiler.diagnostics);
    compiler.compiled.example = example;
    let Compiler {
        compiled,
        diagnostics,
        ..
    } = compiler;
    checked.compiled = Arc::new(compiled);
    checked.diagnostics.extend(diagnostics);
    checked
        .diagnostics
        .sort_by_key(|diagnostic| diagnostic.span);
}

fn fresh_names(checked: &Checked) -> Arc<[Name]> {
    let quotes = checked
        .meanings
        .values()
        .filter_map(|meaning| match meaning {
            Meaning::Quote(quote) => Some(quote),
            _ => None,
        });
    let keys = quotes.flat_map(|quote| &quote.captured);
    let mut names: Vec<Name> = keys
        .filter_map(|(_, key, _)| match key {
            BinderKey::Fresh(name) => Some(name.clone()),
            _ => None,
        })
        .collect();
    names.sort();
    names.dedup();
    names.into()
}

struct Compiler<'a> {
    item: &'a Item,
    text: &'a str,
    env: &'a dyn Env,
    checked: &'a Checked,
    compiled: Compiled,
    diagnostics: Vec<Diagnostic>,
}

impl Compiler<'_> {
    fn item(&mut self) {
        match &self.item.kind {
            ItemKind::Rule { name, alts, .. } => {
                let name = name.as_ref().map(|name| name.name.clone());
                self.rule(&name.unwrap_or_default(), alts);
            }
            ItemKind::Pred {
                body: PredBody::Patterns(patterns),
                ..
            } => {
                let (names, params) = self.params_at(&self.spans(patterns));
                let rise = self.env.rise();
                let (predicate, said) = rule::compile_predicate(self.item, patterns, &names, rise);
                self.diagnostics.extend(said);
                let at = self.item.term(patterns[0]).span.start;
                let it = Arc::new(predicate);
                self.compiled
                    .predicates
                    .insert(at, Parameterized { it, params });
            }
            _ => {}
        }
    }

    fn spans(&self, terms: &[TermId]) -> Vec<Span> {
        let spans = terms.iter().map(|&term| self.item.term(term).span);
        spans.collect()
    }

    fn rule(&mut self, name: &str, alts: &[Alt]) {
        let Some(first) = alts.first() else { return };
        let spans: Vec<Span> = alts.iter().map(|alt| alt.span).collect();
        let (names, params) = self.params_at(&spans);
        let source = self.source(name, alts, &names);
        let (rule, said) = rule::compile(&source);
        self.diagnostics.extend(said);
        let it = Arc::new(rule);
        let at = first.span.start;
        self.compiled.rules.insert(at, Parameterized { it, params });
    }

    /// Returns the input of the rule compiler.
    fn source<'s>(
        &'s self,
        name: &'s str,
        alts: &'s [Alt],
        params: &'s [(Name, ParamKind)],
    ) -> rule::Source<'s> {
        let is_item = !name.is_empty();
        let unsafe_word = match &self.item.kind {
            ItemKind::Rule { unsafe_word, .. } => *unsafe_word,
            _ => None,
        };
        rule::Source {
            item: self.item,
            text: self.text,
            alts,
            name,
            params,
            is_unsafe: is_item && unsafe_word.is_some(),
            looping: is_item && self.item.attribute("looping").is_some(),
            env: self.env.rise(),
        }
    }

    /// Returns the parameters of rules or patterns at `spans` with the sources of their values: the
    /// parameters of the item, if it is a rule or predicate, then the other names that are captured
    /// there.
    fn params_at(&self, spans: &[Span]) -> (Vec<(Name, ParamKind)>, Arc<[CaptureSource]>) {
        let mut all: Vec<(Name, ParamKind, CaptureSource)> = Vec::new();
        if matches!(
            self.item.kind,
            ItemKind::Rule { .. } | ItemKind::Pred { .. }
        ) {
            for list in self.item.param_lists() {
                for &id in &list.params {
                    let kind = kind_of(&self.checked.params[id.0 as usize]);
                    let name = self.item.param(id).name.clone();
                    all.push((name, kind, CaptureSource::Local(BinderKey::Param(id))));
                }
            }
        }
        for Captured {
            name,
            source,
            ty,
            span,
        } in &self.checked.captured
        {
            let inside = spans
                .iter()
                .any(|outer| outer.start <= span.start && span.end <= outer.end || span == outer);
            if inside && !all.iter().any(|(known, ..)| known == name) {
                all.push((name.clone(), kind_of(ty), source.clone()));
            }
        }
        let names = all.iter().map(|(name, kind, _)| (name.clone(), *kind));
        let names = names.collect();
        (names, all.into_iter().map(|(.., source)| source).collect())
    }

    fn exprs(&mut self) {
        for (at, expr) in self.item.exprs.iter().enumerate() {
            if let ExprKind::Rule(alts) = &expr.kind {
                self.rule("", alts);
            }
            let id = ExprId(at as u32);
            if let Some(Meaning::Quote(quote)) = self.checked.meanings.get(&id) {
                let term = match expr.kind {
                    ExprKind::Rise(term) => Some(term),
                    _ => None,
                };
                let plan = self.plan(quote, term);
                self.compiled.quotes.insert(id, Arc::new(plan));
            }
        }
    }

    fn patterns(&mut self) {
        for (at, pattern) in self.item.patterns.iter().enumerate() {
            let PatternKind::Term(mut term) = pattern.kind else {
                continue;
            };
            let id = PatternId(at as u32);
            let mut binders = Vec::new();
            while let TermKind::Fun { params, body, .. } = &self.item.term(term).kind {
                let names = params.iter().map(|&param| self.item.rise.binder(param));
                binders.extend(names.map(|binder| binder.name.clone()));
                term = *body;
            }
            let rest = match &self.item.term(term).kind {
                TermKind::Hole => Some(PatternBody::Name("_".into())),
                TermKind::Name(name) if self.is_metavariable(term) => {
                    Some(PatternBody::Name(name.clone()))
                }
                _ => self.matcher(id, &binders, term).map(PatternBody::Pattern),
            };
            if let Some(rest) = rest {
                let binders = binders.into();
                self.compiled
                    .patterns
                    .insert(id, TermPattern { binders, rest });
            }
        }
    }

    fn is_metavariable(&self, term: TermId) -> bool {
        let span = self.item.term(term).span;
        let mut uses = self.checked.uses.iter();
        uses.any(|used| used.span == span && matches!(used.target, Target::Metavariable(_)))
    }

    fn matcher(
        &mut self,
        id: PatternId,
        binders: &[Name],
        term: TermId,
    ) -> Option<Parameterized<Matcher>> {
        let (mut names, sources) = self.params_at(&[self.item.pattern(id).span]);
        let mut sources = sources.to_vec();
        for (at, binder) in binders.iter().enumerate() {
            names.insert(at, (binder.clone(), ParamKind::Expr));
            sources.insert(
                at,
                CaptureSource::Local(BinderKey::Meta(id, binder.clone())),
            );
        }
        let rise = self.env.rise();
        let (matcher, said) = rule::compile_pattern(self.item, term, &names, rise);
        self.diagnostics.extend(said);
        Some(Parameterized {
            it: Arc::new(matcher?),
            params: sources.into(),
        })
    }

    // ----- quotations -----

    /// Compiles a quotation. A `fun` that binds a variable of the strategy is compiled apart and
    /// becomes a parameter, so that it binds the variable of the strategy and not a new one.
    fn plan(&mut self, quote: &Quote, term: Option<TermId>) -> CompiledQuotation {
        let span = match term {
            Some(term) => self.item.term(term).span,
            None => quote.span,
        };
        let mut functions = Vec::new();
        if let Some(term) = term {
            self.own_functions(quote, term, &mut functions);
        }
        let mut text = String::new();
        let mut at = span.start;
        let mut params: Vec<(Name, ParamKind, QuotationParam)> = Vec::new();
        for (number, (function, variable, body)) in functions.iter().enumerate() {
            let outer = self.item.term(*function).span;
            let name = Name::from(format!("function{number}of"));
            text.push_str(self.slice(Span::new(at, outer.start)));
            text.push_str(&name);
            at = outer.end;
            let inner = self.plan(quote, Some(*body));
            let part = QuotationParam::Function {
                variable: variable.clone(),
                body: Arc::new(inner),
            };
            params.push((name, ParamKind::Expr, part));
        }
        text.push_str(self.slice(Span::new(at, span.end)));
        self.captured_in(quote, span, &mut params);
        let name = match params.is_empty() {
            true => self.target_at(span),
            false => None,
        };
        compile_quotation(&text, params, name, self.env.rise())
    }

    fn slice(&self, span: Span) -> &str {
        let range = span.start as usize..span.end as usize;
        self.text.get(range).unwrap_or_default()
    }

    /// Returns the RISE definition or primitive whose name is the whole text at `span`; `None` if
    /// the text is no such name.
    fn target_at(&self, span: Span) -> Option<Target> {
        let used = self.checked.uses.iter().find(|used| used.span == span)?;
        matches!(used.target, Target::Program(_) | Target::Primitive(_)).then_some(used.target)
    }

    /// Collects the outermost functions in a term whose only parameter is a variable of the
    /// strategy, each with this variable and its body.
    fn own_functions(
        &self,
        quote: &Quote,
        id: TermId,
        found: &mut Vec<(TermId, BinderKey, TermId)>,
    ) {
        if let TermKind::Fun { params, body, .. } = &self.item.term(id).kind
            && let [param] = params[..]
        {
            let binder = self.item.rise.binder(param);
            let is_own = quote.places.iter().any(|(span, _)| *span == binder.span);
            let captured = quote.captured.iter();
            let mut captured = captured.filter(|(name, ..)| *name == binder.name);
            if is_own && let Some((_, key, _)) = captured.next() {
                return found.push((id, key.clone(), *body));
            }
        }
        let rise = &self.item.rise;
        rise.children(id, |child| self.own_functions(quote, child, found));
    }

    /// Adds the captured names that occur in a part of a quotation, and those of all definitions
    /// that the quotation captures, to the parameters of the part.
    fn captured_in(
        &self,
        quote: &Quote,
        span: Span,
        params: &mut Vec<(Name, ParamKind, QuotationParam)>,
    ) {
        for (name, key, ty) in &quote.captured {
            let inside = |place: &Span| span.start <= place.start && place.end <= span.end;
            if (quote.places.iter()).any(|(place, used)| used == name && inside(place)) {
                let part = QuotationParam::Value(CaptureSource::Local(key.clone()));
                params.push((name.clone(), kind_of(ty), part));
            }
        }
        for captured in &self.checked.captured {
            if captured.span == quote.span
                && !params.iter().any(|(name, ..)| *name == captured.name)
            {
                let part = QuotationParam::Value(captured.source.clone());
                params.push((captured.name.clone(), kind_of(&captured.ty), part));
            }
        }
    }
}

fn kind_of(ty: &Type) -> ParamKind {
    match ty {
        Type::Nat => ParamKind::Nat,
        Type::Int => ParamKind::Int,
        Type::Addr => ParamKind::Address,
        Type::Expr | Type::Param(_) => ParamKind::Expr,
        Type::Type => ParamKind::Type,
        _ => ParamKind::Strategy,
    }
}

/// Compiles a checked text as a template, as a pattern and as a rule.
fn compile_quotation(
    text: &str,
    params: Vec<(Name, ParamKind, QuotationParam)>,
    name: Option<Target>,
    env: &dyn rise::Env,
) -> CompiledQuotation {
    let names: Vec<(Name, ParamKind)> = params
        .iter()
        .map(|(name, kind, _)| (name.clone(), *kind))
        .collect();
    let mut plan = CompiledQuotation {
        text: text.into(),
        name,
        quotation: None,
        matcher: None,
        rule: None,
        params: params.into_iter().map(|(.., part)| part).collect(),
    };
    let whole = format!("val it = rise {{ {text} }}");
    let item = syntax::elevate::parse(&whole).item;
    let term = item.exprs.iter().find_map(|expr| match expr.kind {
        ExprKind::Rise(term) => Some(term),
        _ => None,
    });
    if let Some(term) = term {
        let (quotation, _) = rule::compile_template(&item, term, &names, env);
        plan.quotation = quotation.map(Arc::new);
        let (matcher, _) = rule::compile_pattern(&item, term, &names, env);
        plan.matcher = matcher.map(Arc::new);
    }
    let whole = format!("@looping rule it = ?place : ?type |-> (({text}) : ?type)");
    let item = syntax::elevate::parse(&whole).item;
    if let ItemKind::Rule { alts, .. } = &item.kind {
        let source = rule::Source {
            item: &item,
            text: &whole,
            alts,
            name: "insert",
            params: &names,
            is_unsafe: false,
            looping: true,
            env,
        };
        let (rule, said) = rule::compile(&source);
        if said.iter().all(|d| d.severity != Severity::Error) {
            plan.rule = Some(Arc::new(rule));
        }
    }
    plan
}
