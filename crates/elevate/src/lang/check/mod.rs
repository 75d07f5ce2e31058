//! Checks one item: its names, its types (after Hindley and Milner), its attributes, the ranges of
//! `tune`s, and calls that are certainly wrong, such as endless loops. Compiles the rules, patterns
//! and quotations of an item without errors.

mod attributes;
mod call;
mod compile;
mod cond;
mod example;
mod expr;
mod header;
mod names;
mod nontermination;
mod pattern;
mod permutations;
mod report;
mod terms;
mod unify;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use rise::Primitive;
use rustc_hash::FxHashMap;
use syntax::ast::{Name, TermId};
use syntax::elevate::ast::{ExprId, Item, ItemKind, ParamId, PatternId, PredBody};
use syntax::{Diagnostic, GlobalId, Span};

use super::tunes;
use super::types::{Flavour, Scheme, Ty, Type};
use unify::UnificationTable;

pub(in crate::lang) use compile::outlines;
pub use compile::{
    Compiled, CompiledQuotation, Parameterized, PatternBody, QuotationParam, TermPattern,
};
pub use example::ExamplePrograms;
pub use header::{TYPES, header_signature};

/// The meaning among strategies of a name that the item does not bind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// A definition of this file, of an import, or of the library of strategies.
    Item(GlobalId, Arc<Signature>),
    /// A definition or import with an error, which is reported there.
    Broken(Option<GlobalId>),
    /// A name that several imports define.
    Ambiguous(Vec<GlobalId>),
    /// No such definition has this name. It may be a name of RISE.
    Unknown,
}

/// The environment of an item of an `.elevate` file: the definitions that it can use.
pub trait Env {
    /// Resolves a name among strategies.
    fn resolve(&self, name: &str) -> Resolution;
    /// Returns the names of all strategies in scope, for suggestions in messages.
    fn names(&self) -> Vec<Name>;
    /// Returns the RISE definitions that the item can use.
    fn rise(&self) -> &dyn rise::Env;
    /// Returns true if the item is in the library of strategies, where bodies may be `_` and are
    /// then built in.
    fn in_library(&self) -> bool {
        false
    }
    /// Returns true if the definition is in the library of strategies. Its name is not bound in
    /// RISE terms, where the same name is a metavariable.
    fn is_library(&self, _id: GlobalId) -> bool {
        false
    }
}

/// The sort of a definition, by its keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DefinitionKind {
    /// A definition by `rule`.
    Rule,
    /// A definition by `strategy` or `def`, and every item that is none of the others, such as a
    /// main expression.
    Strategy,
    /// A definition by `val`.
    Val,
    /// A definition by `pred`.
    Pred,
    /// A definition by `normalform`.
    NormalForm,
    /// A definition by `tune`.
    Tune,
}

/// The interface of a definition, which contains all that the definitions that use it depend on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Signature {
    /// The sort of the definition.
    pub sort: DefinitionKind,
    /// The type of the definition.
    pub scheme: Scheme,
    /// True if the definition is marked `@looping`: it may apply to its own results, so that
    /// repeating it need not end.
    pub looping: bool,
    /// The documentation, in Markdown.
    pub docs: Option<Arc<str>>,
}

/// The meaning of a name that the item uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// A definition of an `.elevate` file or of the library of strategies.
    Item(GlobalId),
    /// A definition of RISE.
    Program(GlobalId),
    /// A primitive of RISE.
    Primitive(Primitive),
    /// A local name, with the span of its binder.
    Local(Span),
    /// A metavariable of a pattern or a free name of an example, with the span of its first use.
    Metavariable(Span),
}

/// A use of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NameUse {
    /// The span of the name.
    pub span: Span,
    /// The meaning of the name.
    pub target: Target,
}

/// The binder of a local name in expressions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum BinderKey {
    /// A parameter of the item or of a function.
    Param(ParamId),
    /// A name in a pattern of `match`.
    Pattern(PatternId),
    /// A metavariable or variable in a RISE pattern.
    Meta(PatternId, Name),
    /// A RISE variable that the item creates itself.
    Fresh(Name),
}

/// The meaning of a name, call or operator whose syntax is ambiguous.
#[derive(Clone, Debug, PartialEq)]
pub enum Meaning {
    /// A local name.
    Local(BinderKey),
    /// A definition.
    Item {
        /// The definition.
        id: GlobalId,
        /// True if it is used without arguments and all parameters of its first list take their
        /// defaults.
        defaults: bool,
    },
    /// A RISE expression.
    Quote(Quote),
    /// A node constructor, such as `app(f, x)`.
    Node(syntax::elevate::ast::Node),
    /// `not s` of a strategy, in contrast to a truth value.
    Negation,
    /// `a && b` or `a || b` of strategies, in contrast to truth values.
    Both,
}

/// An expression that is read as RISE text.
#[derive(Clone, Debug, PartialEq)]
pub struct Quote {
    /// The span of the text.
    pub span: Span,
    /// The local names of the strategy that the text captures, without duplicates, with their
    /// types.
    pub captured: Vec<(Name, BinderKey, Ty)>,
    /// The spans of these names, including those of a `fun` that binds a variable of the strategy.
    pub places: Vec<(Span, Name)>,
}

/// The result of checking an item.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// The interface of the item; that of a main expression contains the type of the expression.
    pub signature: Arc<Signature>,
    /// The diagnostics of the item.
    pub diagnostics: Vec<Diagnostic>,
    /// The type of each expression, by [`ExprId`]; [`Type::Error`] where it is unknown.
    pub exprs: Box<[Ty]>,
    /// The type of each parameter, by [`ParamId`].
    pub params: Box<[Ty]>,
    /// The uses of names, in source order.
    pub uses: Vec<NameUse>,
    /// The meanings of names, calls, operators and quotations.
    pub meanings: FxHashMap<ExprId, Meaning>,
    /// The local names and definitions whose values its RISE terms use.
    pub captured: Vec<Captured>,
    /// The compiled rules, patterns and quotations; empty if type checking found errors.
    pub compiled: Arc<Compiled>,
}

/// A value that RISE terms refer to by name: that of a local name, such as a parameter, or of a
/// definition, such as a `tune` or `val`.
#[derive(Clone, Debug, PartialEq)]
pub struct Captured {
    /// The name of the value.
    pub name: Name,
    /// The source of the value.
    pub source: CaptureSource,
    /// The type of the value.
    pub ty: Ty,
    /// The span that contains the terms that use it, such as an alternative of a rule, a pattern or
    /// a quotation.
    pub span: Span,
}

/// The source of a captured value.
#[derive(Clone, Debug, PartialEq)]
pub enum CaptureSource {
    /// A local name.
    Local(BinderKey),
    /// A definition.
    Item(GlobalId),
}

/// Checks one item, given its text and the signatures of the definitions that it uses, and compiles
/// its rules, patterns and quotations if it has no type errors.
pub fn check(item: &Item, text: &str, env: &dyn Env) -> Checked {
    let mut infer = Infer::new(item, env);
    let ty = infer.item();
    let mut checked = infer.finish(&ty);
    compile::compile(item, text, env, &mut checked);
    checked.diagnostics.extend(attributes::unknown(item));
    checked
        .diagnostics
        .extend(tunes::wrong(item, text, &checked.captured));
    checked
}

/// A local name in scope.
#[derive(Clone)]
struct Local {
    name: Name,
    key: BinderKey,
    ty: Ty,
    span: Span,
}

struct Infer<'a> {
    item: &'a Item,
    env: &'a dyn Env,
    table: UnificationTable,
    scope: Vec<Local>,
    type_params: Vec<Name>,
    diagnostics: Vec<Diagnostic>,
    exprs: Vec<Ty>,
    params: Vec<Ty>,
    uses: Vec<NameUse>,
    meanings: FxHashMap<ExprId, Meaning>,
    captured: Vec<Captured>,
    /// The names that were reported as unknown, to report each only once.
    unknown: Vec<Name>,
    /// The name of the item and its type within its own body.
    own: Option<(Name, Ty)>,
    /// The RISE variables that quotations and constructors `fun(x, b)` of the item bind, with the
    /// spans of their binders.
    fresh: Vec<(Name, Span)>,
}

impl<'a> Infer<'a> {
    fn new(item: &'a Item, env: &'a dyn Env) -> Self {
        let error = Arc::new(Type::Error);
        let mut infer = Infer {
            item,
            env,
            table: UnificationTable::default(),
            scope: Vec::new(),
            type_params: header::type_params(item),
            diagnostics: Vec::new(),
            exprs: vec![error.clone(); item.exprs.len()],
            params: vec![error; item.params.len()],
            uses: Vec::new(),
            meanings: FxHashMap::default(),
            captured: Vec::new(),
            unknown: Vec::new(),
            own: None,
            fresh: Vec::new(),
        };
        infer.fresh = infer.bound_by_quotes();
        infer
    }

    /// Checks the parameters and the body of the item, and returns its type.
    fn item(&mut self) -> Ty {
        let item = self.item;
        self.item_params();
        match &item.kind {
            ItemKind::Strategy { ty, body, .. } | ItemKind::Val { ty, body, .. } => {
                let result = match ty {
                    Some(ty) => self.written_type(*ty),
                    None => self.table.open(),
                };
                self.definition(*body, result, ty.is_some())
            }
            ItemKind::Pred { body, .. } => {
                let result = Arc::new(Type::Strategy(Flavour::Pred));
                match body {
                    PredBody::Strategy(body) => self.definition(*body, result, true),
                    PredBody::Patterns(patterns) => {
                        let ty = self.own_type(result);
                        for &pattern in patterns {
                            self.rule_terms(&[pattern], item.term(pattern).span);
                        }
                        ty
                    }
                }
            }
            ItemKind::NormalForm { body, .. } => self.definition(*body, Type::strategy(), true),
            ItemKind::Rule { alts, .. } => {
                let ty = self.own_type(Arc::new(Type::Strategy(Flavour::Rule)));
                alts.iter().for_each(|alt| self.alternative(alt));
                ty
            }
            ItemKind::Tune {
                ty,
                range,
                condition,
                value,
                ..
            } => self.tune(*ty, range.as_ref(), *condition, *value),
            ItemKind::Example { apply, .. } => {
                self.expect(*apply, &Type::strategy());
                self.example_terms();
                Type::strategy()
            }
            ItemKind::Main { expr } => {
                let ty = self.infer(*expr, None);
                self.main_type(*expr, &ty);
                ty
            }
            ItemKind::Import { .. }
            | ItemKind::Language { .. }
            | ItemKind::Traversal { .. }
            | ItemKind::Stray => Arc::new(Type::Error),
        }
    }

    /// Returns the type of the item with this result type, and records it for recursive uses.
    fn own_type(&mut self, result: Ty) -> Ty {
        let ty = header::function_type(self.item, &self.params, result);
        self.own = self.item.name().map(|name| (name.name.clone(), ty.clone()));
        ty
    }

    fn definition(&mut self, body: ExprId, result: Ty, written: bool) -> Ty {
        let ty = self.own_type(result.clone());
        if self.is_hole(body) && self.env.in_library() {
            return ty;
        }
        // The type of the body may be more specific than the header on which recursive definitions
        // depend.
        let found = self.expect(body, &result);
        if !written {
            self.as_strategy(&found);
        }
        match written {
            true => ty,
            false => header::function_type(self.item, &self.params, found),
        }
    }

    /// Solves the type of a function to be a strategy if it has one parameter, of unknown type, and
    /// its result type is unknown or `Result`.
    fn as_strategy(&mut self, ty: &Ty) {
        let open = |ty: &Ty| matches!(*self.table.shallow(ty), Type::Open(_));
        let shallow = self.table.shallow(ty);
        if let Type::Fun(params, result) = &*shallow
            && let [only] = &params[..]
            && open(&only.ty)
            && (open(result) || *self.table.shallow(result) == Type::Result)
        {
            self.table.fits(ty, &Type::strategy());
        }
    }

    fn tune(
        &mut self,
        ty: Option<syntax::elevate::ast::TypeId>,
        range: Option<&syntax::elevate::ast::Range>,
        condition: Option<syntax::elevate::ast::CondId>,
        value: Option<ExprId>,
    ) -> Ty {
        let nat = Arc::new(Type::Nat);
        if let Some(ty) = ty {
            let written = self.written_type(ty);
            if *written != Type::Nat && *written != Type::Error {
                self.tune_of_other_type(ty, &written);
            }
        }
        self.own_type(nat.clone());
        if let Some(value) = value {
            self.expect(value, &nat);
        }
        if let Some(range) = range {
            self.range(range);
        }
        if let Some(condition) = condition {
            let mut terms = Vec::new();
            self.condition_terms(condition, &mut terms);
            self.size_terms(&terms, self.item.cond(condition).span);
            self.condition(condition);
        }
        nat
    }

    fn finish(mut self, ty: &Ty) -> Checked {
        self.loops();
        self.permutations();
        let written = self.type_params.clone();
        let mut scheme = self.table.generalise(ty, &written);
        let resolve = |ty: &Ty| self.table.resolve(ty);
        let exprs = self.exprs.iter().map(resolve).collect();
        let params = self.params.iter().map(resolve).collect();
        for captured in &mut self.captured {
            captured.ty = self.table.resolve(&captured.ty);
        }
        for meaning in self.meanings.values_mut() {
            if let Meaning::Quote(quote) = meaning {
                for (_, _, ty) in &mut quote.captured {
                    *ty = self.table.resolve(ty);
                }
            }
        }
        if self.table.take_too_large()
            && let Some(name) = self.item.name()
        {
            self.too_large(name.span);
        }
        if self.is_too_large() {
            scheme = Scheme {
                params: Arc::default(),
                ty: Arc::new(Type::Error),
            };
        }
        self.uses.sort_by_key(|used| used.span);
        self.uses.dedup();
        self.diagnostics.sort_by_key(|diagnostic| diagnostic.span);
        Checked {
            signature: Arc::new(header::signature_of(self.item, scheme)),
            diagnostics: self.diagnostics,
            exprs,
            params,
            uses: self.uses,
            meanings: self.meanings,
            captured: self.captured,
            compiled: Arc::default(),
        }
    }

    // ----- helpers -----

    fn span(&self, expr: ExprId) -> Span {
        self.item.expr(expr).span
    }

    fn lookup(&self, name: &str) -> Option<&Local> {
        self.scope.iter().rev().find(|local| local.name == name)
    }

    fn bind(&mut self, name: &Name, key: BinderKey, ty: Ty, span: Span) {
        if !name.is_empty() && name != "_" {
            self.scope.push(Local {
                name: name.clone(),
                key,
                ty,
                span,
            });
        }
    }

    fn used(&mut self, span: Span, target: Target) {
        self.uses.push(NameUse { span, target });
    }

    fn is_hole(&self, expr: ExprId) -> bool {
        self.item.expr(expr).kind == syntax::elevate::ast::ExprKind::Hole
    }

    fn term_span(&self, term: TermId) -> Span {
        self.item.term(term).span
    }
}
