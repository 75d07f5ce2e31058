//! The typed syntax of ELEVATE: an arena of expressions an item, with explicit holes for what is
//! missing, and RISE's own trees for the terms of RISE in it.
//!
//! An item holds two trees. Strategy expressions, conditions, patterns of `match` and types are
//! nodes of this module. The sides of rules, the patterns of predicates, `rise { … }`, the sizes
//! in clauses: all these are terms of RISE, in [`Item::rise`], so that what reads, prints and infers RISE
//! serves them too. A [`TermId`] here is always an index into [`Item::rise`].

mod expr;
mod rule;

pub use expr::{Arg, Case, Expr, ExprKind, ListForm, Node, Op, Pattern, PatternKind};
pub use rule::{Alt, Clause, ClauseKind, Cond, CondKind};

use crate::Span;
use crate::ast::{Annotation, Docs, Ident, Name, Term, TermId};

/// Index of a strategy expression in its item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExprId(pub u32);

/// Index of a parameter in its item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ParamId(pub u32);

/// Index of a condition in its item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CondId(pub u32);

/// Index of a pattern of `match` in its item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PatternId(pub u32);

/// Index of a type in its item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeId(pub u32);

/// A header, an import, a definition, an example, a main expression, or text that is none of these.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// The `///` lines before it.
    pub docs: Option<Docs>,
    /// `@name(…)` before it, in order; their terms are terms of [`Item::rise`].
    pub attributes: Box<[Annotation]>,
    /// What it is.
    pub kind: ItemKind,
    /// Every strategy expression of the item; children stand before their parents.
    pub exprs: Box<[Expr]>,
    /// Every parameter of the item and of the functions in it, in the order of the text.
    pub params: Box<[Param]>,
    /// Every condition of the item; children stand before their parents.
    pub conds: Box<[Cond]>,
    /// Every pattern of a `match` of the item; children stand before their parents.
    pub patterns: Box<[Pattern]>,
    /// Every type of the item; children stand before their parents.
    pub types: Box<[Type]>,
    /// The terms of RISE in it, in an item of kind [`Stray`](crate::ast::ItemKind::Stray) without
    /// documentation and annotations. A name that begins with `?` is a metavariable whatever is
    /// in scope; names in backquotes stand there without them.
    pub rise: crate::ast::Item,
}

/// What an item is. Names are missing in half-typed code only.
#[derive(Clone, Debug, PartialEq)]
pub enum ItemKind {
    /// `import "path"`, as in RISE.
    Import {
        /// The path as it is meant (escapes resolved), with the span of the literal and its quotes.
        path: Option<(Box<str>, Span)>,
    },
    /// `language rise`: what the programs are written in. Anything but `rise` has been reported.
    Language {
        /// The language.
        name: Option<Ident>,
    },
    /// `traversal functionFirst`: in which order traversals visit children.
    Traversal {
        /// The order; another word has been reported.
        order: Option<Order>,
        /// The word.
        span: Span,
    },
    /// `rule name(params) = left |-> right clauses`, or several such alternatives in braces.
    Rule {
        /// The name.
        name: Option<Ident>,
        /// `(…)(…)`; empty if there are none.
        params: Box<[ParamList]>,
        /// The alternatives, the first one first; empty only in `rule name = _`, which is built in.
        alts: Box<[Alt]>,
        /// The word `unsafe`, if it stands before `rule`.
        unsafe_word: Option<Span>,
    },
    /// `strategy name(params) : type = body`; `def` means the same.
    Strategy {
        /// The name.
        name: Option<Ident>,
        /// `[P, Q]` behind the name.
        type_params: Box<[Ident]>,
        /// `(…)(…)`; empty if there are none.
        params: Box<[ParamList]>,
        /// The type of the body, if it is written.
        ty: Option<TypeId>,
        /// The right side.
        body: ExprId,
    },
    /// `val name : type = body`.
    Val {
        /// The name.
        name: Option<Ident>,
        /// The written type.
        ty: Option<TypeId>,
        /// The right side.
        body: ExprId,
    },
    /// `pred name(params) = strategy`, or `= { pattern | pattern }`.
    Pred {
        /// The name.
        name: Option<Ident>,
        /// `(…)(…)`; empty if there are none.
        params: Box<[ParamList]>,
        /// What it tests.
        body: PredBody,
    },
    /// `normalform name(params) = strategy`.
    NormalForm {
        /// The name.
        name: Option<Ident>,
        /// `(…)(…)`; empty if there are none.
        params: Box<[ParamList]>,
        /// The strategy that leads to it.
        body: ExprId,
    },
    /// `tune name : Nat = 32`, `tune name : Nat in 1..1024 where condition`.
    Tune {
        /// The name.
        name: Option<Ident>,
        /// What is written behind the colon; `Nat`, or something else for the checker to report.
        ty: Option<TypeId>,
        /// The values that may be tried.
        range: Option<Range>,
        /// What the value must fulfil.
        condition: Option<CondId>,
        /// Its value; without one the size stays open.
        value: Option<ExprId>,
    },
    /// `example "title" { input … apply … expect … modulo … }`.
    Example {
        /// What it shows, with the span of the literal and its quotes.
        title: Option<(Box<str>, Span)>,
        /// The program.
        input: TermId,
        /// The strategy.
        apply: ExprId,
        /// What comes out.
        expect: Expect,
        /// The normal form in which both programs are compared.
        modulo: Option<Ident>,
    },
    /// The main expression: a strategy, or `(strategy)(program)`, which is a
    /// [`Call`](ExprKind::Call) like any other.
    Main {
        /// The expression.
        expr: ExprId,
    },
    /// Text that is none of these: reported, and otherwise ignored.
    Stray,
}

/// In which order traversals visit the children of an application.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// `default`
    #[default]
    Default,
    /// `functionFirst`
    FunctionFirst,
    /// `argumentFirst`
    ArgumentFirst,
}

impl Order {
    /// All of them.
    pub const ALL: &'static [Order] = &[Order::Default, Order::FunctionFirst, Order::ArgumentFirst];

    /// As it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Order::Default => "default",
            Order::FunctionFirst => "functionFirst",
            Order::ArgumentFirst => "argumentFirst",
        }
    }

    /// The one that is written so.
    pub fn from_text(text: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|order| order.as_str() == text)
    }
}

/// `(a: t = x, b)`: one list of parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct ParamList {
    /// The parameters; may be empty, as in `f()`.
    pub params: Box<[ParamId]>,
    /// From bracket to bracket.
    pub span: Span,
}

/// A parameter of a definition, or of a function `x => …`.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// Its name; empty where it is missing, `_` where it is not used.
    pub name: Name,
    /// The name's span.
    pub span: Span,
    /// What is written behind the colon.
    pub ty: Option<TypeId>,
    /// What it is if it is not given.
    pub default: Option<ExprId>,
}

/// What a predicate tests.
#[derive(Clone, Debug, PartialEq)]
pub enum PredBody {
    /// Whether a strategy succeeds.
    Strategy(ExprId),
    /// `{ p | q }`: whether one of the patterns matches; never empty.
    Patterns(Box<[TermId]>),
}

/// The values that a [`Tune`](ItemKind::Tune) may take.
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    /// What it is.
    pub kind: RangeKind,
    /// Where it stands.
    pub span: Span,
}

/// The forms of ranges.
#[derive(Clone, Debug, PartialEq)]
pub enum RangeKind {
    /// `a..b`, `a..b step c`, `a..b pow c`; both ends belong to it.
    Between {
        /// `a`
        from: TermId,
        /// `b`
        to: TermId,
        /// How one value leads to the next; by 1 if nothing is said.
        step: Option<Step>,
    },
    /// `divisors(n)`
    Divisors(TermId),
    /// `{a, b}`
    Set(Box<[TermId]>),
}

/// How one value of a range leads to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// `step c`: by adding `c`.
    Add(TermId),
    /// `pow c`: by multiplying with `c`.
    Times(TermId),
}

/// What comes out of an [`Example`](ItemKind::Example).
#[derive(Clone, Debug, PartialEq)]
pub enum Expect {
    /// This program.
    Program(TermId),
    /// `failure`: the strategy does not apply.
    Failure(Span),
    /// `trace [rule, rule]`: these rules, in this order.
    Trace(Box<[Ident]>, Span),
}

/// A type of ELEVATE.
#[derive(Clone, Debug, PartialEq)]
pub struct Type {
    /// What it is.
    pub kind: TypeKind,
    /// Where it stands.
    pub span: Span,
}

/// The forms of types.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeKind {
    /// Something that must stand here does not; already reported.
    Missing,
    /// `Nat`, `Int`, `Bool`, `String`, `Addr`, `Expr`, `Type`, `Strategy`, `Traversal`, `Pred`,
    /// `Rule`, or a type parameter.
    Name(Name),
    /// `List[t]`, `Strategy[Rise]`
    Apply {
        /// `List`
        name: Ident,
        /// `t`; never empty.
        args: Box<[TypeId]>,
    },
    /// `a -> b`
    Arrow(TypeId, TypeId),
    /// `(a, b)`; `()` and `(a)` too.
    Tuple(Box<[TypeId]>),
}

impl Item {
    /// The expression with this index.
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.0 as usize]
    }

    /// The parameter with this index.
    pub fn param(&self, id: ParamId) -> &Param {
        &self.params[id.0 as usize]
    }

    /// The condition with this index.
    pub fn cond(&self, id: CondId) -> &Cond {
        &self.conds[id.0 as usize]
    }

    /// The pattern with this index.
    pub fn pattern(&self, id: PatternId) -> &Pattern {
        &self.patterns[id.0 as usize]
    }

    /// The type with this index.
    pub fn ty(&self, id: TypeId) -> &Type {
        &self.types[id.0 as usize]
    }

    /// The term of RISE with this index.
    pub fn term(&self, id: TermId) -> &Term {
        self.rise.term(id)
    }

    /// The name that the item defines.
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

    /// The lists of parameters behind the item's name.
    pub fn param_lists(&self) -> &[ParamList] {
        match &self.kind {
            ItemKind::Rule { params, .. }
            | ItemKind::Strategy { params, .. }
            | ItemKind::Pred { params, .. }
            | ItemKind::NormalForm { params, .. } => params,
            _ => &[],
        }
    }

    /// The attribute with this name, the first if there are several.
    pub fn attribute(&self, name: &str) -> Option<&Annotation> {
        self.attributes.iter().find(|attribute| {
            attribute
                .name
                .as_ref()
                .is_some_and(|ident| ident.name == name)
        })
    }
}
