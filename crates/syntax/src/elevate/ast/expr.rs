//! Defines strategy expressions, their operators, and the patterns of `match`.

use super::{Alt, ExprId, ParamId, PatternId};
use crate::Span;
use crate::ast::{AddressSpace, Ident, Literal, Name, TermId, words};
use crate::lexer::elevate::Combinator;

/// A node of a strategy expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// The form of the expression and its children.
    pub kind: ExprKind,
    /// The span of the expression.
    pub span: Span,
}

/// The forms of strategy expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A required expression that is absent or cannot be read; the item has a reported error.
    Missing,
    /// `_`: as a right-hand side, a definition with a built-in meaning; elsewhere a typed hole.
    Hole,
    /// A name, without its backquotes if it has any; also `fun` and `let` as the names of
    /// functions.
    Name(Name),
    /// A number or a Boolean.
    Literal(Literal),
    /// A string literal.
    String(Box<str>),
    /// An address space: `Global`, `Local`, `Private` or `Constant`.
    Address(AddressSpace),
    /// A type or type-level function of RISE as an argument: a scalar type, `Array[n, t]` or
    /// another constructor, `natFun(…)` or `dataFun(…)`.
    Type(TermId),
    /// A call `f(a, name = b)`; the callee of `f(a)(b)` is the call `f(a)`.
    Call {
        /// The function `f`.
        callee: ExprId,
        /// The arguments; possibly empty.
        args: Box<[Arg]>,
    },
    /// A member access `e.name`, as in `xs.size` and `s(b).mapSuccess(f)`.
    Member {
        /// The object `e`.
        object: ExprId,
        /// The name of the member; `None` if it is absent, in which case the item has a reported
        /// error.
        name: Option<Ident>,
    },
    /// An infix operation `a OP b`.
    Binary {
        /// The operator.
        op: Op,
        /// The span of the operator with its quotes.
        op_span: Span,
        /// The left operand.
        lhs: ExprId,
        /// The right operand.
        rhs: ExprId,
    },
    /// Negation, `-a`.
    Neg(ExprId),
    /// Logical negation, `!a` or `not a`; `not(a)` is a call.
    Not(ExprId),
    /// An abstraction, `x => e` or `(x, y: t) => e`.
    Lambda {
        /// The parameters, a single list; empty in `() => e`.
        params: Box<[ParamId]>,
        /// The body.
        body: ExprId,
    },
    /// A pattern match `e match { case p if c => e … }`.
    Match {
        /// The expression that is matched.
        scrutinee: ExprId,
        /// The cases, in the order of the text; possibly empty.
        cases: Box<[Case]>,
    },
    /// A conditional expression `if c then a else b`.
    If {
        /// The condition `c`.
        condition: ExprId,
        /// The expression `a` for a true condition.
        then: ExprId,
        /// The expression `b` for a false condition.
        otherwise: ExprId,
    },
    /// A list, `[a, b]`, `List(a, b)` or `Seq(a, b)`.
    List {
        /// The elements.
        elements: Box<[ExprId]>,
        /// The notation of the list.
        form: ListForm,
    },
    /// A tuple `(a, b)` of two or more elements.
    Tuple(Box<[ExprId]>),
    /// A parenthesised expression `(e)`.
    Paren(ExprId),
    /// A RISE term: `rise { e }`, or an abstraction `fun(x => e)` or `depFun(n: Nat => e)` without
    /// `rise`.
    Rise(TermId),
    /// An anonymous rule `rule { left |-> right | … }`; never empty.
    Rule(Box<[Alt]>),
    /// `with NF { e }`, which sets the normal form of `;;` in `e`.
    With {
        /// The normal form `NF`.
        normal_form: ExprId,
        /// The strategy `e`.
        body: ExprId,
    },
}

/// The notations of lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ListForm {
    /// The notation `[…]`.
    Brackets,
    /// The notation `List(…)`.
    List,
    /// The notation `Seq(…)`.
    Seq,
}

/// An argument of a call: `value` or `name = value`.
#[derive(Clone, Debug, PartialEq)]
pub struct Arg {
    /// The name of the parameter, if it is written.
    pub name: Option<Ident>,
    /// The value of the argument.
    pub value: ExprId,
}

/// A case of a pattern match: `case pattern if guard => body`.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The pattern that the value must match.
    pub pattern: PatternId,
    /// The condition that must also hold, if there is one.
    pub guard: Option<ExprId>,
    /// The result of the match for this case.
    pub body: ExprId,
    /// The span of the case.
    pub span: Span,
}

/// A pattern of `match`.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    /// The form of the pattern and its children.
    pub kind: PatternKind,
    /// The span of the pattern.
    pub span: Span,
}

/// The forms of patterns.
#[derive(Clone, Debug, PartialEq)]
pub enum PatternKind {
    /// A required pattern that is absent or cannot be read; the item has a reported error.
    Missing,
    /// The wildcard `_`.
    Wildcard,
    /// A single name. It binds a variable, except in a match on a program, where a name that RISE
    /// defines matches this definition or primitive.
    Name(Name),
    /// A number or a Boolean.
    Literal(Literal),
    /// A string literal.
    String(Box<str>),
    /// A list of a fixed length, `[]` or `[p, q]`.
    List(Box<[PatternId]>),
    /// A list with a head and a tail, `p :: q`.
    Cons(PatternId, PatternId),
    /// The result of a strategy that succeeds, `Success(p)`, where `p` matches the program.
    Success(PatternId),
    /// The result of a strategy that fails, `Failure(p)`, where `p` matches the strategy that
    /// failed.
    Failure(PatternId),
    /// A node of a program with its children: `app(p, q)`, `fun(p, q)`, …
    Node(Node, Box<[PatternId]>),
    /// Any other pattern: a RISE term as in rules, perhaps with a type after it.
    Term(TermId),
}

words! {
    /// The forms of nodes of programs. Each is the name of a pattern, and each except `depfun` also
    /// that of a function that builds such a node.
    Node {
        /// A function application, `app(f, x)`.
        App = "app",
        /// An abstraction, `fun(x, b)`.
        Fun = "fun",
        /// A dependent application, `depapp(f, n)`.
        DepApp = "depapp",
        /// A dependent abstraction, `depfun(n, b)`.
        DepFun = "depfun",
        /// A literal, `lit(l)`.
        Lit = "lit",
        /// A primitive, `prim(p)`.
        Prim = "prim",
    }
}

impl Node {
    /// Returns the number of patterns or arguments in the parentheses after the name.
    pub const fn arity(self) -> usize {
        match self {
            Node::App | Node::Fun | Node::DepApp | Node::DepFun => 2,
            Node::Lit | Node::Prim => 1,
        }
    }
}

words! {
    /// The infix operators of strategy expressions, in order of increasing precedence. Adjacent
    /// operators of one group, such as `;` and `;;` or `+` and `-`, have the same precedence.
    Op {
        /// Left choice, `s <+ t`: `t` is applied if `s` fails.
        Choice = "<+",
        /// Sequential composition, `s ; t`: first `s`, then `t`.
        Seq = ";",
        /// Sequential composition with normalisation in between, `s ;; t`: the normal form in scope
        /// is applied between `s` and `t`.
        SeqNormal = ";;",
        /// Application of a traversal, `s @ t`, which means `t(s)`.
        At = "@",
        /// Disjunction, `a || b` or `a or b`.
        Or = "||",
        /// Conjunction, `a && b` or `a and b`.
        And = "&&",
        /// Equality, `a == b`.
        Eq = "==",
        /// Inequality, `a != b`.
        Ne = "!=",
        /// Less than, `a < b`.
        Lt = "<",
        /// Less than or equal, `a <= b`.
        Le = "<=",
        /// Greater than, `a > b`.
        Gt = ">",
        /// Greater than or equal, `a >= b`.
        Ge = ">=",
        /// List construction, `x :: xs`.
        Cons = "::",
        /// Addition, `a + b`.
        Add = "+",
        /// Subtraction, `a - b`.
        Sub = "-",
        /// Multiplication, `a * b`.
        Mul = "*",
        /// Division, `a / b`.
        Div = "/",
        /// Remainder, `a % b`.
        Mod = "%",
    }
}

impl From<Combinator> for Op {
    fn from(combinator: Combinator) -> Op {
        match combinator {
            Combinator::Seq => Op::Seq,
            Combinator::SeqNormal => Op::SeqNormal,
            Combinator::Choice => Op::Choice,
            Combinator::At => Op::At,
        }
    }
}
