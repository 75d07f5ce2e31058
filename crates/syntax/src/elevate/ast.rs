//! The typed syntax of ELEVATE: an arena of expressions an item, with explicit holes for what is
//! missing, and RISE's own trees for the terms of RISE in it.
//!
//! An item holds two trees. Strategy expressions, conditions, patterns of `match` and types are
//! nodes of this module. The sides of rules, the patterns of predicates, `rise { … }`, the sizes
//! in clauses: all these are terms of RISE, in [`Item::rise`], so that what reads, prints and infers RISE
//! serves them too. A [`TermId`] here is always an index into [`Item::rise`].

use crate::Span;
use crate::ast::{
    AddressSpace, Annotation, BinaryOp, Docs, Ident, Kind, Literal, Name, Term, TermId,
};

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

/// An alternative of a rule: `left |-> right clauses`.
#[derive(Clone, Debug, PartialEq)]
pub struct Alt {
    /// The pattern. A type at its end, `f : s -> t |-> …`, is an
    /// [`Ascribe`](crate::ast::TermKind::Ascribe) without the parentheses that RISE writes.
    pub lhs: TermId,
    /// The `|->` or `↦`; empty where it is missing.
    pub arrow: Span,
    /// What takes its place.
    pub rhs: TermId,
    /// What stands behind it, in order.
    pub clauses: Box<[Clause]>,
    /// All of it.
    pub span: Span,
}

/// A clause behind an alternative.
#[derive(Clone, Debug, PartialEq)]
pub struct Clause {
    /// What it says.
    pub kind: ClauseKind,
    /// From its word on.
    pub span: Span,
}

/// The forms of clauses.
#[derive(Clone, Debug, PartialEq)]
pub enum ClauseKind {
    /// `let name = size`
    Let {
        /// The name; missing in half-typed code.
        name: Option<Ident>,
        /// The size.
        value: TermId,
    },
    /// `where`: decided when the rule is tried.
    Where(CondId),
    /// `requires`: must be proved, or the rule does not apply.
    Requires(CondId),
    /// `assuming`: fails only if it is refuted, and else travels with the result.
    Assuming(CondId),
}

/// A condition.
#[derive(Clone, Debug, PartialEq)]
pub struct Cond {
    /// What it is.
    pub kind: CondKind,
    /// Where it stands.
    pub span: Span,
}

/// The forms of conditions, loosest first.
#[derive(Clone, Debug, PartialEq)]
pub enum CondKind {
    /// Something that must stand here does not; already reported.
    Missing,
    /// `a or b`
    Or(CondId, CondId),
    /// `a and b`
    And(CondId, CondId),
    /// `not a`
    Not(CondId),
    /// `(a)`
    Paren(CondId),
    /// `n divides m`
    Divides {
        /// `n`
        divisor: TermId,
        /// `m`
        size: TermId,
    },
    /// `n == m`, `n != m`, `n <= m`, `n < m`, `n >= m`, `n > m`
    Compare {
        /// One of the six comparisons.
        op: BinaryOp,
        /// The left size.
        lhs: TermId,
        /// The right size.
        rhs: TermId,
    },
    /// `x notIn e`: the variable is not free in the term.
    NotIn {
        /// `x`
        name: TermId,
        /// `e`
        term: TermId,
    },
    /// `x : t`
    HasType {
        /// `x`
        term: TermId,
        /// `t`, a type of RISE
        ty: TermId,
    },
    /// `a : AddrSp`: the metavariable stands for something of this kind.
    HasKind {
        /// `a`
        term: TermId,
        /// `AddrSp`
        kind: Kind,
    },
    /// `assoc(f)`, `commutative(f)`, `neutral(f, z)`, `scalar(t)`, `within(p)`: a property that
    /// is known by its name.
    Property {
        /// The name.
        name: Ident,
        /// The arguments, terms or types of RISE; for `within` a pattern.
        args: Box<[TermId]>,
    },
    /// `holds(s, x)`: the strategy succeeds on what the metavariable stands for.
    Holds {
        /// `s`
        strategy: ExprId,
        /// `x`
        term: TermId,
    },
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

/// A node of a strategy expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// The forms of strategy expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// Something that must stand here does not; already reported.
    Missing,
    /// `_`, as a right side: what the definition means is built in. Elsewhere a typed hole.
    Hole,
    /// A name; one in backquotes stands here without them.
    Name(Name),
    /// A number or truth value.
    Literal(Literal),
    /// A string.
    String(Box<str>),
    /// `Global`, `Local`, `Private`, `Constant`
    Address(AddressSpace),
    /// A scalar type, `Array[n, t]` and its like, as an argument.
    Type(TermId),
    /// `f(a, name = b)`; a call with other parentheses behind it is the callee of another one.
    Call {
        /// `f`
        callee: ExprId,
        /// The arguments; may be empty.
        args: Box<[Arg]>,
    },
    /// `e.name`, as in `xs.size` and `s(b).mapSuccess(f)`.
    Member {
        /// `e`
        object: ExprId,
        /// `name`; missing in half-typed code.
        name: Option<Ident>,
    },
    /// `a OP b`
    Binary {
        /// The operator.
        op: Op,
        /// The operator's own span, quotes included.
        op_span: Span,
        /// Left operand.
        lhs: ExprId,
        /// Right operand.
        rhs: ExprId,
    },
    /// `-a`
    Neg(ExprId),
    /// `!a`, also `not a`; `not(a)` is a call.
    Not(ExprId),
    /// `x => e`, `(x, y: t) => e`
    Lambda {
        /// The parameters, one list; empty in `() => e`.
        params: Box<[ParamId]>,
        /// The body.
        body: ExprId,
    },
    /// `e match { case p if c => e … }`
    Match {
        /// What is looked at.
        scrutinee: ExprId,
        /// The cases, in order; may be empty.
        cases: Box<[Case]>,
    },
    /// `if c then a else b`
    If {
        /// `c`
        condition: ExprId,
        /// `a`
        then: ExprId,
        /// `b`
        otherwise: ExprId,
    },
    /// `[a, b]`, `List(a, b)`, `Seq(a, b)`
    List {
        /// The elements.
        elements: Box<[ExprId]>,
        /// How it is written.
        form: ListForm,
    },
    /// `(a, b)`: two or more.
    Tuple(Box<[ExprId]>),
    /// `(e)`
    Paren(ExprId),
    /// `rise { e }`, or a function of RISE that stands for itself, `fun(x => e)`.
    Rise(TermId),
    /// `rule { left |-> right | … }`: a rule without a name; never empty.
    Rule(Box<[Alt]>),
    /// `with NF { e }`: `;;` means this normal form in `e`.
    With {
        /// `NF`
        normal_form: ExprId,
        /// `e`
        body: ExprId,
    },
}

/// How a list is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ListForm {
    /// `[…]`
    Brackets,
    /// `List(…)`
    List,
    /// `Seq(…)`
    Seq,
}

/// `value` or `name = value` in a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Arg {
    /// The parameter that it is for.
    pub name: Option<Ident>,
    /// The argument.
    pub value: ExprId,
}

/// `case pattern if guard => body`
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// What must match.
    pub pattern: PatternId,
    /// What must hold besides.
    pub guard: Option<ExprId>,
    /// What comes out then.
    pub body: ExprId,
    /// All of it.
    pub span: Span,
}

/// A pattern of `match`.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    /// What it is.
    pub kind: PatternKind,
    /// Where it stands.
    pub span: Span,
}

/// The forms of patterns.
#[derive(Clone, Debug, PartialEq)]
pub enum PatternKind {
    /// Something that must stand here does not; already reported.
    Missing,
    /// `_`
    Wildcard,
    /// A single name: a variable, unless it is the name of something of RISE and a program is
    /// looked at.
    Name(Name),
    /// A number or truth value.
    Literal(Literal),
    /// A string.
    String(Box<str>),
    /// `[]`, `[p, q]`
    List(Box<[PatternId]>),
    /// `p :: q`
    Cons(PatternId, PatternId),
    /// `Success(p)`
    Success(PatternId),
    /// `Failure(p)`
    Failure(PatternId),
    /// `app(p, q)`, `fun(p, q)`, …: a node of a program with its children.
    Node(Node, Box<[PatternId]>),
    /// A pattern of RISE, as in rules.
    Term(TermId),
}

/// The nodes of programs, as patterns and as functions that build them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// `app(f, x)`
    App,
    /// `fun(x, b)`
    Fun,
    /// `depapp(f, n)`
    DepApp,
    /// `depfun(n, b)`
    DepFun,
    /// `lit(l)`
    Lit,
    /// `prim(p)`
    Prim,
}

impl Node {
    /// All of them.
    pub const ALL: &'static [Node] = &[
        Node::App,
        Node::Fun,
        Node::DepApp,
        Node::DepFun,
        Node::Lit,
        Node::Prim,
    ];

    /// As it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Node::App => "app",
            Node::Fun => "fun",
            Node::DepApp => "depapp",
            Node::DepFun => "depfun",
            Node::Lit => "lit",
            Node::Prim => "prim",
        }
    }

    /// The one that is written so.
    pub fn from_text(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|node| node.as_str() == text)
    }

    /// How many children it has.
    pub const fn arity(self) -> usize {
        match self {
            Node::App | Node::Fun | Node::DepApp | Node::DepFun => 2,
            Node::Lit | Node::Prim => 1,
        }
    }
}

/// Binary operators of strategy expressions, loosest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Op {
    /// `s <+ t`: `t` where `s` fails.
    Choice,
    /// `s ; t`: first `s`, then `t`.
    Seq,
    /// `s ;; t`: the same with the normal form in scope between them.
    SeqNormal,
    /// `s @ t`: `t(s)`.
    At,
    /// `a || b`, also `a or b`
    Or,
    /// `a && b`, also `a and b`
    And,
    /// `a == b`
    Eq,
    /// `a != b`
    Ne,
    /// `a < b`
    Lt,
    /// `a <= b`
    Le,
    /// `a > b`
    Gt,
    /// `a >= b`
    Ge,
    /// `x :: xs`
    Cons,
    /// `a + b`
    Add,
    /// `a - b`
    Sub,
    /// `a * b`
    Mul,
    /// `a / b`
    Div,
    /// `a % b`
    Mod,
}

impl Op {
    /// As it is written, without backquotes.
    pub const fn as_str(self) -> &'static str {
        match self {
            Op::Choice => "<+",
            Op::Seq => ";",
            Op::SeqNormal => ";;",
            Op::At => "@",
            Op::Or => "||",
            Op::And => "&&",
            Op::Eq => "==",
            Op::Ne => "!=",
            Op::Lt => "<",
            Op::Le => "<=",
            Op::Gt => ">",
            Op::Ge => ">=",
            Op::Cons => "::",
            Op::Add => "+",
            Op::Sub => "-",
            Op::Mul => "*",
            Op::Div => "/",
            Op::Mod => "%",
        }
    }
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
