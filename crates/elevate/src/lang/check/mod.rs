//! The checker of one item: names, types (Hindley and Milner's, section 9.3), loops.

mod attributes;
mod call;
mod compile;
mod cond;
mod example;
mod expr;
mod header;
mod loops;
mod names;
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
use unify::Table;

pub(in crate::lang) use compile::outlines;
pub use compile::{Compiled, Compiled1, Part, Plan, Rest, TermPattern};
pub use example::ExamplePrograms;
pub use header::header_signature;

/// What a name that nothing in the item binds stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// A definition of this file, of an import, or of the library of strategies.
    Item(GlobalId, Arc<Signature>),
    /// Defined, but its definition or import is broken; reported there.
    Broken(Option<GlobalId>),
    /// Two imports define it.
    Ambiguous(Vec<GlobalId>),
    /// Nothing of that name among strategies. (RISE is looked at after this.)
    Unknown,
}

/// The definitions that an item of an `.elevate` file can use.
pub trait Env {
    /// What `name` stands for among strategies.
    fn resolve(&self, name: &str) -> Resolution;
    /// All names of strategies in scope (for "did you mean").
    fn names(&self) -> Vec<Name>;
    /// The definitions of RISE that the item can use.
    fn rise(&self) -> &dyn rise::Env;
    /// Whether the item belongs to the library, where right sides may be built in.
    fn in_library(&self) -> bool {
        false
    }
    /// Whether the definition belongs to the library of strategies: its name is not bound in terms
    /// of RISE, where any other name stands for what is found.
    fn is_library(&self, _id: GlobalId) -> bool {
        false
    }
}

/// What sort of definition an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sort {
    /// `rule`
    Rule,
    /// `strategy`, `def`
    Strategy,
    /// `val`
    Val,
    /// `pred`
    Pred,
    /// `normalform`
    NormalForm,
    /// `tune`
    Tune,
}

/// What the users of a definition have to know of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Signature {
    /// What it is.
    pub sort: Sort,
    /// Its type.
    pub scheme: Scheme,
    /// Whether it is marked `@looping`: applied again and again, it never ends.
    pub looping: bool,
    /// Its documentation, Markdown.
    pub docs: Option<Arc<str>>,
}

/// What a name of the item stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// A definition among strategies.
    Item(GlobalId),
    /// A definition of RISE.
    Program(GlobalId),
    /// A primitive of RISE.
    Primitive(Primitive),
    /// What is bound at this place of the item.
    Local(Span),
    /// A metavariable of a pattern; the place is that of its first use.
    Metavariable(Span),
}

/// A name where it is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NameUse {
    /// Where it stands.
    pub span: Span,
    /// What it stands for.
    pub target: Target,
}

/// What binds a local name, in expressions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// A parameter of the item or of a function.
    Param(ParamId),
    /// A name in a pattern of `match`.
    Pattern(PatternId),
    /// A metavariable or variable in a pattern of RISE.
    Meta(PatternId, Name),
    /// A variable of RISE that the item makes itself.
    Fresh(Name),
}

/// What a name or call means where its form alone does not say.
#[derive(Clone, Debug, PartialEq)]
pub enum Meaning {
    /// A local name.
    Local(Key),
    /// A definition; `defaults` if it is used without the parameters that it has.
    Item {
        /// The definition.
        id: GlobalId,
        /// Whether all parameters of its first list take their defaults.
        defaults: bool,
    },
    /// An expression of RISE.
    Quote(Quote),
    /// `app(f, x)` and its like: a node of a program.
    Node(syntax::elevate::ast::Node),
    /// `not s` of a strategy, and not of a truth value.
    Negation,
    /// `a && b`, `a || b` of strategies, and not of truth values.
    Both,
}

/// A piece of RISE's text inside an expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Quote {
    /// The text.
    pub span: Span,
    /// The local names of the strategy that it uses, each once, with their types.
    pub captured: Vec<(Name, Key, Ty)>,
    /// Where those names stand, and where variables of the strategy are bound by a `fun`.
    pub places: Vec<(Span, Name)>,
}

/// Everything that is known of an item once it is checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// What its users see; of items that define nothing, the type of the main expression.
    pub signature: Arc<Signature>,
    /// What there is to say about it.
    pub diagnostics: Vec<Diagnostic>,
    /// The type of each expression, by [`ExprId`].
    pub exprs: Box<[Ty]>,
    /// The type of each parameter, by [`ParamId`].
    pub params: Box<[Ty]>,
    /// What each name stands for, in the order of the text.
    pub uses: Vec<NameUse>,
    /// What names and calls mean.
    pub meanings: FxHashMap<ExprId, Meaning>,
    /// The values of the item and of other items that its terms of RISE use, by name.
    pub captured: Vec<Captured>,
    /// Its rules, patterns and quotations, if it has no errors.
    pub compiled: Arc<Compiled>,
}

/// A value that terms of RISE use by name: a parameter, a `tune`, a `val`.
#[derive(Clone, Debug, PartialEq)]
pub struct Captured {
    /// Its name.
    pub name: Name,
    /// What it is.
    pub source: Source,
    /// Its type.
    pub ty: Ty,
    /// The terms that use it are below these places: an alternative of a rule, a pattern.
    pub span: Span,
}

/// Where a captured value comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// A local name.
    Local(Key),
    /// A definition.
    Item(GlobalId),
}

/// Checks one item, given its text and the signatures of the definitions that it uses.
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

/// A name in scope.
#[derive(Clone)]
struct Local {
    name: Name,
    key: Key,
    ty: Ty,
    span: Span,
}

struct Infer<'a> {
    item: &'a Item,
    env: &'a dyn Env,
    table: Table,
    scope: Vec<Local>,
    type_params: Vec<Name>,
    diagnostics: Vec<Diagnostic>,
    exprs: Vec<Ty>,
    params: Vec<Ty>,
    uses: Vec<NameUse>,
    meanings: FxHashMap<ExprId, Meaning>,
    captured: Vec<Captured>,
    /// Names that were reported as unknown: once is enough.
    unknown: Vec<Name>,
    /// The item's own name and the type that its body sees of it.
    own: Option<(Name, Ty)>,
    /// Set where the own name is met: the environment knows its number.
    fresh: Vec<(Name, Span)>,
}

impl<'a> Infer<'a> {
    fn new(item: &'a Item, env: &'a dyn Env) -> Self {
        let error = Arc::new(Type::Error);
        let mut infer = Infer {
            item,
            env,
            table: Table::default(),
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

    /// The item's own type, its body checked against it.
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

    /// The type of the item with this result, noted for uses of the item in itself.
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
        // What is known of the body is more than what the others of its loop have to know.
        let found = self.expect(body, &result);
        if !written {
            self.as_strategy(&found);
        }
        match written {
            true => ty,
            false => header::function_type(self.item, &self.params, found),
        }
    }

    /// A function of which nothing more is known is one of programs: a strategy.
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

    // ----- small things that everything uses -----

    fn span(&self, expr: ExprId) -> Span {
        self.item.expr(expr).span
    }

    fn lookup(&self, name: &str) -> Option<&Local> {
        self.scope.iter().rev().find(|local| local.name == name)
    }

    fn bind(&mut self, name: &Name, key: Key, ty: Ty, span: Span) {
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
