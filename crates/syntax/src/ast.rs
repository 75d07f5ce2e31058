//! The typed syntax of RISE and DPIA: one arena of terms an item, with explicit holes for what is missing.
//!
//! Expressions, types and sizes are one syntactic category, [`Term`]: what an argument is follows
//! only from the callee's type (`rise.md` section 2), so the parser does not decide it.

use crate::Span;
use smol_str::SmolStr;

/// An identifier.
pub type Name = SmolStr;

/// Index of a term in its item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TermId(pub u32);

/// Index of a binder in its item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BinderId(pub u32);

/// An import, a definition, a foreign function, or text that is none of these.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// The `///` lines before it.
    pub docs: Option<Docs>,
    /// `@name(…)` before it, in order.
    pub annotations: Box<[Annotation]>,
    /// What it is.
    pub kind: ItemKind,
    /// Every term of the item; children stand before their parents.
    pub terms: Box<[Term]>,
    /// Every binder of the item, in the order of the text.
    pub binders: Box<[Binder]>,
    /// The names that `type t = …`, `let f = …` and the like would define, which is an error.
    pub synonyms: Box<[Name]>,
}

/// Documentation, without the slashes, one space and the final line break removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Docs {
    /// Markdown.
    pub text: Box<str>,
    /// All `///` lines.
    pub span: Span,
}

/// A name where it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ident {
    /// The name.
    pub name: Name,
    /// Where it stands.
    pub span: Span,
}

/// What an item is.
#[derive(Clone, Debug, PartialEq)]
pub enum ItemKind {
    /// `import "path"`.
    Import {
        /// The path as it is meant (escapes resolved), with the span of the literal and its quotes.
        path: Option<(Box<str>, Span)>,
    },
    /// `def name : type = body`.
    Def {
        /// Missing in half-typed code.
        name: Option<Ident>,
        /// The written type.
        ty: Option<TermId>,
        /// The right side, [`TermKind::Missing`] where there is none.
        body: TermId,
    },
    /// `foreign def name(params): type = """C"""`.
    Foreign {
        /// Missing in half-typed code.
        name: Option<Ident>,
        /// The parameters; each has a type annotation or an error was reported.
        params: Box<[BinderId]>,
        /// The result type.
        result: TermId,
        /// The text between the triple quotes, and its span without them.
        body: Option<(Box<str>, Span)>,
    },
    /// Text before the first item, or after an import: reported, and otherwise ignored.
    Stray,
}

/// `@name(arguments)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Annotation {
    /// The name after `@`.
    pub name: Option<Ident>,
    /// The arguments, in order.
    pub args: Box<[AnnotationArg]>,
    /// From `@` to the closing parenthesis.
    pub span: Span,
}

/// `value` or `key = value` in an annotation.
#[derive(Clone, Debug, PartialEq)]
pub struct AnnotationArg {
    /// The name before `=`.
    pub key: Option<Ident>,
    /// What it is set to.
    pub value: AnnotationValue,
}

/// What an annotation's argument may be.
#[derive(Clone, Debug, PartialEq)]
pub enum AnnotationValue {
    /// Any term; `a | b` (divides) is [`BinaryOp::Divides`].
    Term(TermId),
    /// A string literal.
    String(Box<str>, Span),
    /// `[a, b, c]`.
    List(Box<[TermId]>, Span),
}

/// A place where a name is bound.
#[derive(Clone, Debug, PartialEq)]
pub struct Binder {
    /// The name; empty where it is missing.
    pub name: Name,
    /// The name's span.
    pub span: Span,
    /// What is written after the colon.
    pub annotation: BinderAnnotation,
}

/// What is written after a binder's colon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinderAnnotation {
    /// Nothing.
    None,
    /// A type.
    Type(TermId),
    /// A kind, with its span; `None` where something else stands (reported).
    Kind(Option<Kind>, Span),
}

/// A node of the syntax tree.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// What it is.
    pub kind: TermKind,
    /// Where it stands.
    pub span: Span,
}

/// The forms of terms.
#[derive(Clone, Debug, PartialEq)]
pub enum TermKind {
    /// Something that must stand here does not; already reported.
    Missing,
    /// `_`
    Hole,
    /// A variable, definition, primitive or library name.
    Name(Name),
    /// A number or truth value.
    Literal(Literal),
    /// `(+)`
    Operator(BinaryOp),
    /// `f(a, b)`
    Apply {
        /// `f`
        callee: TermId,
        /// `a`, `b`; never empty (an absent argument is `Missing`).
        args: Box<[TermId]>,
    },
    /// `a OP b`, pipes and compositions included.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// The operator's own span.
        op_span: Span,
        /// Left operand.
        lhs: TermId,
        /// Right operand.
        rhs: TermId,
    },
    /// `-a`, `!a` (a minus directly before a number is part of the literal).
    Unary {
        /// The operator.
        op: UnaryOp,
        /// Its operand.
        operand: TermId,
    },
    /// `a._1`, `a._2`
    Project {
        /// The pair.
        pair: TermId,
        /// Which half.
        half: Half,
    },
    /// `fun(x, y => body)`
    Fun {
        /// The parameters, curried.
        params: Box<[BinderId]>,
        /// True if parentheses stand around them, as in `fun((x, y) => body)`: two of them are the
        /// components of a pair where a function from pairs to data is wanted.
        grouped: bool,
        /// The body.
        body: TermId,
    },
    /// `depFun(n: Nat => body)`
    DepFun {
        /// The parameters, curried, each with a kind.
        params: Box<[BinderId]>,
        /// The body.
        body: TermId,
    },
    /// `let x = value in body`
    Let {
        /// `x`
        binder: BinderId,
        /// Its value.
        value: TermId,
        /// Where it is in scope.
        body: TermId,
    },
    /// `natFun(i => nat)`
    NatFun {
        /// The parameter.
        param: BinderId,
        /// The body, a size.
        body: TermId,
    },
    /// `dataFun(i => data)`
    DataFun {
        /// The parameter.
        param: BinderId,
        /// The body, a data type.
        body: TermId,
    },
    /// `(a, b)`: a pair, or the type of pairs.
    Pair(TermId, TermId),
    /// `(e : type)`
    Ascribe {
        /// The expression.
        term: TermId,
        /// Its type.
        ty: TermId,
    },
    /// `(e)`
    Paren(TermId),
    /// A scalar type.
    Scalar(ScalarType),
    /// An address space.
    Address(AddressSpace),
    /// `n.t`, or `Array[n, t]` if `long`.
    Array {
        /// Number of elements.
        size: TermId,
        /// Element type.
        elem: TermId,
        /// Whether it is written `Array[…]`.
        long: bool,
    },
    /// `Tuple[a, b]`
    Tuple(TermId, TermId),
    /// `Vec[n, t]`
    Vector {
        /// Number of lanes.
        size: TermId,
        /// Lane type.
        elem: TermId,
    },
    /// `Idx[n]`
    Index(TermId),
    /// `n..f`
    DepArray {
        /// Number of elements.
        size: TermId,
        /// A name of kind Nat2Data, or a `DataFun`.
        elem: TermId,
    },
    /// `DepPair[k => t]`
    DepPair {
        /// `k`
        param: BinderId,
        /// `t`
        body: TermId,
    },
    /// `a -> b`
    Arrow(TermId, TermId),
    /// `(n: Nat) -> b`, or `{n: Nat} -> b` if `implicit`.
    Pi {
        /// `n` with its kind.
        param: BinderId,
        /// Whether it is written in braces.
        implicit: bool,
        /// The rest of the type.
        body: TermId,
    },
    /// `type where 4 | n, n >= 12`: a function type and the conditions on the sizes that it takes.
    Where {
        /// The type.
        ty: TermId,
        /// Its conditions; `a | b` (divides) is [`BinaryOp::Divides`].
        conditions: Box<[TermId]>,
    },
    /// `Exp[t, rw]`, the type of expressions; this and all below in DPIA only.
    Exp {
        /// What it yields.
        data: TermId,
        /// An [`Access`](TermKind::Access), a name of kind `ReadWrite`, or a hole.
        access: TermId,
    },
    /// `Acc[t]`, the type of acceptors.
    Acc(TermId),
    /// `Comm`, the type of commands.
    Comm,
    /// `Rd`, `Wr`, `St`
    Access(ReadWrite),
    /// `acceptor = expression`
    Assign {
        /// The `=`.
        op_span: Span,
        /// What is written.
        lhs: TermId,
        /// What it is set to.
        rhs: TermId,
    },
    /// `c1; c2; c3`: two commands or more; a `;` behind the last one leaves no trace.
    Sequence(Box<[TermId]>),
    /// `if (condition) { then } else { otherwise }`
    If {
        /// What decides.
        condition: TermId,
        /// The first command.
        then: TermId,
        /// The second command.
        otherwise: TermId,
    },
    /// `skip`, the command that does nothing.
    Skip,
}

/// A literal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Literal {
    /// `true`, `false`
    Bool(bool),
    /// `3`, `-128i8`; within 64 bits (signed or unsigned), else an error was reported.
    Int {
        /// The value.
        value: i128,
        /// `i8` … `u64`, `f16` … `f64` (`1f16` is a float written without a point), `natType`.
        suffix: Option<ScalarType>,
    },
    /// `0.5f`, `-1e-6`
    Float {
        /// The digits without suffix, with the sign.
        text: Name,
        /// `f16`, `f32` (also written `f`), `f64`.
        suffix: Option<ScalarType>,
    },
}

/// `_1` or `_2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Half {
    /// `_1`
    First,
    /// `_2`
    Second,
}

/// Unary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `-`
    Neg,
    /// `!`
    Not,
}

/// Binary operators, loosest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BinaryOp {
    /// `f <| x`
    ApplyLeft,
    /// `x |> f`
    Pipe,
    /// `f >> g`
    Then,
    /// `f << g`
    After,
    /// `||`
    Or,
    /// `&&`
    And,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Mod,
    /// `^`
    Pow,
    /// `a | b` or `a divides b` in a condition: a divides b.
    Divides,
}

impl BinaryOp {
    /// Returns true for `+`, `-`, `*`, `/`, `%` and `^`, which compute numbers and sizes.
    pub const fn is_arithmetic(self) -> bool {
        use BinaryOp::*;
        matches!(self, Add | Sub | Mul | Div | Mod | Pow)
    }

    /// As it is written.
    pub const fn as_str(self) -> &'static str {
        use BinaryOp::*;
        match self {
            ApplyLeft => "<|",
            Pipe => "|>",
            Then => ">>",
            After => "<<",
            Or => "||",
            And => "&&",
            Eq => "==",
            Ne => "!=",
            Lt => "<",
            Le => "<=",
            Gt => ">",
            Ge => ">=",
            Add => "+",
            Sub => "-",
            Mul => "*",
            Div => "/",
            Mod => "%",
            Pow => "^",
            Divides => "|",
        }
    }
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$vdoc])* $variant),+ }
        impl $name {
            /// All of them, in order.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];
            /// As it is written.
            pub const fn as_str(self) -> &'static str { match self { $($name::$variant => $text),+ } }
            /// The one that is written so.
            pub fn from_text(text: &str) -> Option<Self> {
                match text { $($text => Some($name::$variant),)+ _ => None }
            }
        }
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.write_str(self.as_str()) }
        }
    };
}

words! {
    /// Types of single values.
    ScalarType {
        /// Truth values.
        Bool = "bool",
        /// 8-bit signed.
        I8 = "i8",
        /// 16-bit signed.
        I16 = "i16",
        /// 32-bit signed.
        I32 = "i32",
        /// 64-bit signed.
        I64 = "i64",
        /// 8-bit unsigned.
        U8 = "u8",
        /// 16-bit unsigned.
        U16 = "u16",
        /// 32-bit unsigned.
        U32 = "u32",
        /// 64-bit unsigned.
        U64 = "u64",
        /// Half precision.
        F16 = "f16",
        /// Single precision.
        F32 = "f32",
        /// Double precision.
        F64 = "f64",
        /// A size as a value.
        NatType = "natType",
    }
}

words! {
    /// OpenCL's memories.
    AddressSpace {
        /// Device memory.
        Global = "Global",
        /// Memory of a work-group.
        Local = "Local",
        /// Memory of a work-item.
        Private = "Private",
        /// Read-only device memory.
        Constant = "Constant",
    }
}

words! {
    /// What a type-level name stands for; `Scalar`, `Num`, `Int`, `Float` are sub-kinds of `DataType`.
    Kind {
        /// A size.
        Nat = "Nat",
        /// Any type of storable values.
        DataType = "DataType",
        /// bool, numbers, Idx.
        Scalar = "Scalar",
        /// Numbers and vectors of them.
        Num = "Num",
        /// Integers and natType.
        Int = "Int",
        /// f16, f32, f64.
        Float = "Float",
        /// An address space.
        AddrSp = "AddrSp",
        /// A function from sizes to sizes.
        Nat2Nat = "Nat2Nat",
        /// A function from sizes to data types.
        Nat2Data = "Nat2Data",
        /// How an expression may be used; in DPIA only.
        ReadWrite = "ReadWrite",
    }
}

words! {
    /// What an expression of DPIA is for.
    ReadWrite {
        /// It can be read.
        Rd = "Rd",
        /// It has still to be written somewhere.
        Wr = "Wr",
        /// A stream: it can be read once, in order.
        St = "St",
    }
}

impl Item {
    /// The term with this index.
    pub fn term(&self, id: TermId) -> &Term {
        &self.terms[id.0 as usize]
    }

    /// The binder with this index.
    pub fn binder(&self, id: BinderId) -> &Binder {
        &self.binders[id.0 as usize]
    }

    /// The name that the item defines.
    pub fn name(&self) -> Option<&Ident> {
        match &self.kind {
            ItemKind::Def { name, .. } | ItemKind::Foreign { name, .. } => name.as_ref(),
            ItemKind::Import { .. } | ItemKind::Stray => None,
        }
    }
}
