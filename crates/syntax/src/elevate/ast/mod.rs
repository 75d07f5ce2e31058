//! Defines the abstract syntax tree of ELEVATE: each item has arenas of its nodes, with explicit
//! holes for missing parts, and an arena of the RISE terms within it.
//!
//! An item contains two trees. Strategy expressions, conditions, patterns of `match` and types are
//! nodes of this module. The sides of rules, the patterns of predicates, `rise { … }`, the programs
//! of examples, types as arguments, and the sizes in clauses, conditions and ranges are RISE terms
//! in [`Item::rise`], so that the parser, printer and type inference of RISE apply to them. A
//! [`TermId`] is here always an index into [`Item::rise`].

mod expr;
mod rule;

pub use expr::{Arg, Case, Expr, ExprKind, ListForm, Node, Op, Pattern, PatternKind};
pub use rule::{Alt, Clause, ClauseKind, Cond, CondKind};

use crate::Span;
use crate::ast::{Annotation, Docs, Ident, Name, Term, TermId, words};

/// An index into the expressions of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExprId(pub u32);

/// An index into the parameters of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ParamId(pub u32);

/// An index into the conditions of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CondId(pub u32);

/// An index into the patterns of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PatternId(pub u32);

/// An index into the types of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeId(pub u32);

/// A top-level item: a header, an import, a definition, an example, a main expression, or text that
/// is none of these.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// The documentation: the `///` lines before the item.
    pub docs: Option<Docs>,
    /// The attributes `@name(…)` before the item, in the order of the text; their terms are in
    /// [`Item::rise`].
    pub attributes: Box<[Annotation]>,
    /// The form of the item and its parts.
    pub kind: ItemKind,
    /// The arena of all strategy expressions of the item; children precede their parents.
    pub exprs: Box<[Expr]>,
    /// The arena of all parameters of the item and of the functions in it, in the order of the
    /// text.
    pub params: Box<[Param]>,
    /// The arena of all conditions of the item; children precede their parents.
    pub conds: Box<[Cond]>,
    /// The arena of all patterns of `match` in the item; children precede their parents.
    pub patterns: Box<[Pattern]>,
    /// The arena of all types of the item; children precede their parents.
    pub types: Box<[Type]>,
    /// The RISE terms of the item, in an item of kind [`Stray`](crate::ast::ItemKind::Stray)
    /// without documentation and annotations. A name that begins with `?` is always a metavariable;
    /// names in backquotes occur without the backquotes.
    pub rise: crate::ast::Item,
}

/// The forms of items. A name is `None` only if the item has a reported error.
#[derive(Clone, Debug, PartialEq)]
pub enum ItemKind {
    /// An import `import "path"`, as in RISE.
    Import {
        /// The path with its escapes resolved, and the span of the literal with its quotes; `None`
        /// if no complete string literal follows `import`.
        path: Option<(Box<str>, Span)>,
    },
    /// The header `language rise`, the language of the programs. For any other language than
    /// `rise`, the item has a reported error.
    Language {
        /// The name of the language.
        name: Option<Ident>,
    },
    /// The header `traversal functionFirst`, the order in which traversals visit children.
    Traversal {
        /// The order; `None` for another word or a missing one, in which case the item has a
        /// reported error.
        order: Option<Order>,
        /// The span of the word; empty if it is missing.
        span: Span,
    },
    /// A rule `rule name(params) = left |-> right clauses`, or several such alternatives in braces.
    Rule {
        /// The name.
        name: Option<Ident>,
        /// The parameter lists `(…)(…)`; possibly empty.
        params: Box<[ParamList]>,
        /// The alternatives, in the order of the text; empty only for a built-in rule, `rule name =
        /// _`, and after an error.
        alts: Box<[Alt]>,
        /// The span of the word `unsafe`, if it precedes `rule`.
        unsafe_word: Option<Span>,
    },
    /// A strategy `strategy name(params) : type = body`; `def` is a synonym of `strategy`.
    Strategy {
        /// The name.
        name: Option<Ident>,
        /// The type parameters `[P, Q]` after the name.
        type_params: Box<[Ident]>,
        /// The parameter lists `(…)(…)`; possibly empty.
        params: Box<[ParamList]>,
        /// The type annotation of the body, if there is one.
        ty: Option<TypeId>,
        /// The right-hand side.
        body: ExprId,
    },
    /// A value `val name : type = body`.
    Val {
        /// The name.
        name: Option<Ident>,
        /// The type annotation, if there is one.
        ty: Option<TypeId>,
        /// The right-hand side.
        body: ExprId,
    },
    /// A predicate `pred name(params) = strategy`, or `= { pattern | pattern }`.
    Pred {
        /// The name.
        name: Option<Ident>,
        /// The parameter lists `(…)(…)`; possibly empty.
        params: Box<[ParamList]>,
        /// The strategy or the patterns that the predicate tests.
        body: PredBody,
    },
    /// A normal form `normalform name(params) = strategy`.
    NormalForm {
        /// The name.
        name: Option<Ident>,
        /// The parameter lists `(…)(…)`; possibly empty.
        params: Box<[ParamList]>,
        /// The strategy that computes the normal form.
        body: ExprId,
    },
    /// A tuning parameter `tune name : Nat = 32` or `tune name : Nat in 1..1024 where condition`.
    Tune {
        /// The name.
        name: Option<Ident>,
        /// The type annotation; the type checker reports any other type than `Nat`.
        ty: Option<TypeId>,
        /// The range of possible values, if there is one.
        range: Option<Range>,
        /// The condition that the value must satisfy, if there is one.
        condition: Option<CondId>,
        /// The value, if it is written.
        value: Option<ExprId>,
    },
    /// An example `example "title" { input … apply … expect … modulo … }`.
    Example {
        /// The title with its escapes resolved, and the span of the literal with its quotes; `None`
        /// if there is none.
        title: Option<(Box<str>, Span)>,
        /// The program to which the strategy is applied.
        input: TermId,
        /// The strategy.
        apply: ExprId,
        /// The expected result.
        expect: Expect,
        /// The normal form in which the result is compared with the expected program, if there is
        /// one.
        modulo: Option<Ident>,
    },
    /// The main expression: a strategy, or `(strategy)(program)`, which is an ordinary
    /// [`Call`](ExprKind::Call).
    Main {
        /// The expression.
        expr: ExprId,
    },
    /// Text that is none of these. The item has a reported error, unless the text is empty.
    Stray,
}

words! {
    /// The order in which traversals visit the children of an application.
    #[derive(Default)]
    Order {
        /// The default order, `default`.
        #[default]
        Default = "default",
        /// First the function, then the argument: `functionFirst`.
        FunctionFirst = "functionFirst",
        /// First the argument, then the function: `argumentFirst`.
        ArgumentFirst = "argumentFirst",
    }
}

/// A list of parameters, `(a: t = x, b)`.
#[derive(Clone, Debug, PartialEq)]
pub struct ParamList {
    /// The parameters; possibly empty, as in `f()`.
    pub params: Box<[ParamId]>,
    /// The span, including the parentheses.
    pub span: Span,
}

/// A parameter of a definition or of an abstraction `x => …`.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// The name; empty if it is missing, `_` if it is not used.
    pub name: Name,
    /// The name's span.
    pub span: Span,
    /// The type annotation, if there is one.
    pub ty: Option<TypeId>,
    /// The default value, if there is one.
    pub default: Option<ExprId>,
}

/// The right-hand side of a predicate.
#[derive(Clone, Debug, PartialEq)]
pub enum PredBody {
    /// A strategy: the predicate holds if the strategy succeeds.
    Strategy(ExprId),
    /// Patterns `{ p | q }`: the predicate holds if one of them matches; never empty.
    Patterns(Box<[TermId]>),
}

/// The range of values of a [`Tune`](ItemKind::Tune).
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    /// The form of the range and its parts.
    pub kind: RangeKind,
    /// The span of the range.
    pub span: Span,
}

/// The forms of ranges.
#[derive(Clone, Debug, PartialEq)]
pub enum RangeKind {
    /// The sizes from `a` to `b`, `a..b`, including `b`; or only those of them that `a` reaches by
    /// the step, `a..b step c` or `a..b pow c`.
    Between {
        /// The lower bound `a`.
        from: TermId,
        /// The upper bound `b`.
        to: TermId,
        /// The step from a value to the next one; `None` if all sizes between the bounds are
        /// values.
        step: Option<RangeStep>,
    },
    /// The divisors of a size, `divisors(n)`.
    Divisors(TermId),
    /// An explicit set `{a, b}`.
    Set(Box<[TermId]>),
}

/// The step from a value of a range to the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RangeStep {
    /// `step c`: the next value is the sum with `c`.
    Add(TermId),
    /// `pow c`: the next value is the product with `c`.
    Times(TermId),
}

/// The expected result of an [`Example`](ItemKind::Example).
#[derive(Clone, Debug, PartialEq)]
pub enum Expect {
    /// The rewritten program.
    Program(TermId),
    /// `failure`: the strategy fails.
    Failure(Span),
    /// `trace [rule, rule]`: the rules that are applied, in order.
    Trace(Box<[Ident]>, Span),
}

/// A type of ELEVATE.
#[derive(Clone, Debug, PartialEq)]
pub struct Type {
    /// The form of the type and its children.
    pub kind: TypeKind,
    /// The span of the type.
    pub span: Span,
}

/// The forms of types.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeKind {
    /// A required type that is absent or cannot be read; the item has a reported error.
    Missing,
    /// A type name: `Nat`, `Int`, `Bool`, `String`, `Addr`, `Expr`, `Type`, `Result`, `Strategy`,
    /// `Traversal`, `Pred`, `Rule`, a type parameter, or an unknown name.
    Name(Name),
    /// An applied type constructor: `List[t]`, `Strategy[Rise]`.
    Apply {
        /// The constructor, such as `List`.
        name: Ident,
        /// The arguments; never empty.
        args: Box<[TypeId]>,
    },
    /// A function type `a -> b`.
    Arrow(TypeId, TypeId),
    /// A tuple type `(a, b)`; also `()` and `(a)`.
    Tuple(Box<[TypeId]>),
}

impl Item {
    /// Returns the expression with index `id`.
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.0 as usize]
    }

    /// Returns the parameter with index `id`.
    pub fn param(&self, id: ParamId) -> &Param {
        &self.params[id.0 as usize]
    }

    /// Returns the condition with index `id`.
    pub fn cond(&self, id: CondId) -> &Cond {
        &self.conds[id.0 as usize]
    }

    /// Returns the pattern with index `id`.
    pub fn pattern(&self, id: PatternId) -> &Pattern {
        &self.patterns[id.0 as usize]
    }

    /// Returns the type with index `id`.
    pub fn ty(&self, id: TypeId) -> &Type {
        &self.types[id.0 as usize]
    }

    /// Returns the RISE term with index `id`.
    pub fn term(&self, id: TermId) -> &Term {
        self.rise.term(id)
    }

    /// Returns the name that the item defines.
    pub fn name(&self) -> Option<&Ident> {
        match &self.kind {
            ItemKind::Rule { name, .. }
            | ItemKind::Strategy { name, .. }
            | ItemKind::Val { name, .. }
            | ItemKind::Pred { name, .. }
            | ItemKind::NormalForm { name, .. }
            | ItemKind::Tune { name, .. } => name.as_ref(),
            ItemKind::Import { .. }
            | ItemKind::Language { .. }
            | ItemKind::Traversal { .. }
            | ItemKind::Example { .. }
            | ItemKind::Main { .. }
            | ItemKind::Stray => None,
        }
    }

    /// Returns the parameter lists after the item's name.
    pub fn param_lists(&self) -> &[ParamList] {
        match &self.kind {
            ItemKind::Rule { params, .. }
            | ItemKind::Strategy { params, .. }
            | ItemKind::Pred { params, .. }
            | ItemKind::NormalForm { params, .. } => params,
            _ => &[],
        }
    }

    /// Returns the first attribute with this name.
    pub fn attribute(&self, name: &str) -> Option<&Annotation> {
        self.attributes.iter().find(|attribute| {
            attribute
                .name
                .as_ref()
                .is_some_and(|ident| ident.name == name)
        })
    }
}
