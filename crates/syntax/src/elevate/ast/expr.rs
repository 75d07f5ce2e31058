//! Strategy expressions, and patterns of `match`.

use super::{Alt, ExprId, ParamId, PatternId};
use crate::Span;
use crate::ast::{AddressSpace, Ident, Literal, Name, TermId};

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
