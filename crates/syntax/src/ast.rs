//! Defines the abstract syntax tree of RISE and DPIA: each item has one arena of terms, with
//! explicit holes for missing parts.
//!
//! Expressions, types and sizes are one syntactic category, [`Term`]: which of them an argument is
//! follows only from the callee's type, so the parser does not decide it.

use crate::Span;
use smol_str::SmolStr;

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$vdoc])* $variant),+ }
        impl $name {
            /// All variants, in the order of their declaration.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];
            /// Returns the word as it is written.
            pub const fn as_str(self) -> &'static str { match self { $($name::$variant => $text),+ } }
            /// Returns the variant whose word is `text`, if there is one.
            pub fn from_text(text: &str) -> Option<Self> {
                match text { $($text => Some($name::$variant),)+ _ => None }
            }
        }
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.write_str(self.as_str()) }
        }
    };
}

pub(crate) use words;

/// The text of an identifier, or of a floating-point number without its suffix.
pub type Name = SmolStr;

/// An index into the terms of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TermId(pub u32);

/// An index into the binders of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BinderId(pub u32);

/// A top-level item: an import, a definition, a foreign function, or text that is none of these.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// The documentation: the `///` lines before the item.
    pub docs: Option<Docs>,
    /// The annotations `@name(…)` before the item, in the order of the text.
    pub annotations: Box<[Annotation]>,
    /// The form of the item and its parts.
    pub kind: ItemKind,
    /// The arena of all terms of the item; children precede their parents.
    pub terms: Box<[Term]>,
    /// The arena of all binders of the item, in the order of the text, but those of
    /// [`Head::implicit`] follow the other binders left of `=`, and a pattern follows its parts.
    pub binders: Box<[Binder]>,
    /// The terms that are local definitions, each a [`TermKind::Local`].
    pub locals: Box<[TermId]>,
    /// The names that erroneous declarations such as `type t = …` and `let f = …` would define.
    pub synonyms: Box<[Name]>,
}

/// The documentation of an item, without the slashes, the space after them and the final line
/// break.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Docs {
    /// The text, in Markdown.
    pub text: Box<str>,
    /// The span from the first `///` line to the last one.
    pub span: Span,
}

/// An occurrence of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ident {
    /// The name.
    pub name: Name,
    /// The span of the name.
    pub span: Span,
}

/// The forms of items.
#[derive(Clone, Debug, PartialEq)]
pub enum ItemKind {
    /// An import `import "path"`.
    Import {
        /// The path with its escapes resolved, and the span of the literal with its quotes; `None`
        /// if no complete string literal follows `import`.
        path: Option<(Box<str>, Span)>,
    },
    /// A definition `def name : type = body`, or `def name(parameters): type = body`.
    Def {
        /// The name; `None` if it is absent or `_`, in which case the item has a reported error.
        name: Option<Ident>,
        /// The parameters left of `=` as they are written; `None` if there are none. They are also
        /// part of `ty` and `body`, see [`Head`].
        head: Option<Box<Head>>,
        /// The type annotation, if there is one; [`TermKind::Missing`] if an error before the body
        /// makes the type unknown. Of a definition with parameters left of `=`, it is the type of
        /// the function, in which absent types are holes with an empty span.
        ty: Option<TermId>,
        /// The right-hand side; [`TermKind::Missing`] if there is none. Of a definition with
        /// parameters left of `=`, it is the function of these parameters.
        body: TermId,
    },
    /// A foreign function `foreign def name(params): type = """C"""`.
    Foreign {
        /// The name; `None` if it is absent or `_`, in which case the item has a reported error.
        name: Option<Ident>,
        /// The parameters, each with a type annotation. If a type is absent, it is
        /// [`TermKind::Missing`], and the item has a reported error.
        params: Box<[BinderId]>,
        /// The result type. If it is absent, it is [`TermKind::Missing`], and the item has a
        /// reported error.
        result: TermId,
        /// The C text between the triple quotes, and its span without the quotes; `None` if there
        /// is no body or it is not in triple quotes.
        body: Option<(Box<str>, Span)>,
    },
    /// Text that is no item: before the first item or after an import, or only annotations. The
    /// item has a reported error, unless the text is empty. Also the kind of
    /// [`elevate::ast::Item::rise`](crate::elevate::ast::Item::rise).
    Stray,
}

/// The parameters of a definition left of its `=`, and what follows them.
///
/// `def f(n: Nat)(a: A){m: Nat}: R where C = e` is parsed to the type `(n: Nat) -> A -> {m: Nat} ->
/// R where C` and the body `depFun(n: Nat => fun(a => e))`. All terms of these two that the text
/// does not contain are *implied*, see [`Item::is_implied`]: they contain each written term once. A
/// parameter with a kind has one binder, which both the type and the `depFun` have. A parameter
/// that is a value is a binder of the `fun` without an annotation; its type is part of the type of
/// the function.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    /// The names in the types of the parameters that neither the types nor earlier parameters
    /// bind, each at its first occurrence, in the order of the text. Those that are not in the
    /// scope of the item are implicit parameters of the definition, before all others: the kind is
    /// `Nat` for a size and `DataType` for a type. Each is the parameter of an implied
    /// [`TermKind::Pi`].
    pub implicit: Box<[BinderId]>,
    /// The parameters in their brackets; not empty.
    pub groups: Box<[ParameterGroup]>,
    /// The type of the result, without the conditions after it.
    pub result: Option<TermId>,
    /// The right-hand side as it is written; [`TermKind::Missing`] if there is none.
    pub value: TermId,
}

/// Parameters `(a: A, b: B)` or `{n: Nat}` left of the `=` of a definition.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterGroup {
    /// The parameters; not empty.
    pub params: Box<[Parameter]>,
    /// True if the parameters are in braces. Then each has a kind, and is implicit.
    pub implicit: bool,
    /// The span from the opening to the closing bracket.
    pub span: Span,
}

/// A parameter left of the `=` of a definition.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// The name. Its annotation is the kind of a size or type, and absent for a value.
    pub binder: BinderId,
    /// The type after the colon of a parameter that is a value.
    pub ty: Option<TermId>,
    /// The span of the word `inout` before the name of a value that is updated in place.
    pub inout: Option<Span>,
}

impl Head {
    /// Returns the parameters of all groups, in the order of the text.
    pub fn params(&self) -> impl Iterator<Item = &Parameter> {
        self.groups.iter().flat_map(|group| &group.params)
    }
}

/// An annotation `@name(arguments)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Annotation {
    /// The name after `@`; `None` if it is absent, in which case the item has a reported error.
    pub name: Option<Ident>,
    /// The arguments, in the order of the text.
    pub args: Box<[AnnotationArg]>,
    /// The span from `@` to the end of the name, or to the closing parenthesis if there are
    /// arguments.
    pub span: Span,
}

/// An argument of an annotation: `value` or `key = value`.
#[derive(Clone, Debug, PartialEq)]
pub struct AnnotationArg {
    /// The name before `=`, if there is one.
    pub key: Option<Ident>,
    /// The value of the argument.
    pub value: AnnotationValue,
}

/// The forms of values of annotation arguments.
#[derive(Clone, Debug, PartialEq)]
pub enum AnnotationValue {
    /// A term; `a | b` (divides) is [`BinaryOp::Divides`].
    Term(TermId),
    /// A string literal.
    String(Box<str>, Span),
    /// A list `[a, b, c]`.
    List(Box<[TermId]>, Span),
}

/// A binding occurrence of a name, or a pattern, which binds the names in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binder {
    /// The name; empty for a pattern and for a value that is `_`. Also empty if it is missing, and
    /// for a size or type that is `_`, in which case the item has a reported error.
    pub name: Name,
    /// The span of the name or the pattern.
    pub span: Span,
    /// The type or kind after the colon.
    pub annotation: BinderAnnotation,
    /// The parts of a pattern `(a, b)`, which may have annotations of their own; `None` for a name.
    pub parts: Option<Box<[BinderId]>>,
}

/// The type or kind annotation after the colon of a binder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinderAnnotation {
    /// No annotation.
    None,
    /// A type.
    Type(TermId),
    /// A kind and its span. The kind is `None` if it is absent or cannot be read; the item then has
    /// a reported error.
    Kind(Option<Kind>, Span),
}

impl BinderAnnotation {
    /// Returns the kind, if the annotation is one that can be read.
    pub fn kind(self) -> Option<Kind> {
        match self {
            BinderAnnotation::Kind(kind, _) => kind,
            BinderAnnotation::None | BinderAnnotation::Type(_) => None,
        }
    }
}

/// A node of the syntax tree.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// The form of the term and its children.
    pub kind: TermKind,
    /// The span of the term.
    pub span: Span,
}

/// The forms of terms.
#[derive(Clone, Debug, PartialEq)]
pub enum TermKind {
    /// A required term that is absent or cannot be read; the item has a reported error.
    Missing,
    /// A typed hole `_`.
    Hole,
    /// The name of a variable, definition, primitive or library definition.
    Name(Name),
    /// A number or a Boolean.
    Literal(Literal),
    /// An operator as a function, such as `(+)`.
    Operator(BinaryOp),
    /// A function application `f(a, b)`.
    Apply {
        /// The function `f`.
        callee: TermId,
        /// The arguments `a` and `b`; never empty (an absent argument is `Missing`).
        args: Box<[TermId]>,
    },
    /// An infix operation `a OP b`, including pipes and compositions.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// The span of the operator.
        op_span: Span,
        /// The left operand.
        lhs: TermId,
        /// The right operand.
        rhs: TermId,
    },
    /// A prefix operation `-a` or `!a` (a minus directly before a number is part of the literal).
    Unary {
        /// The operator.
        op: UnaryOp,
        /// The operand.
        operand: TermId,
    },
    /// A projection `a._1` or `a._2`.
    Project {
        /// The pair.
        pair: TermId,
        /// The component that is selected.
        half: Half,
    },
    /// An abstraction `fun(x, y => body)`.
    Fun {
        /// The parameters of the curried function.
        params: Box<[BinderId]>,
        /// True if the parameters are in parentheses, as in `fun((x, y) => body)`: two such
        /// parameters are the components of a pair where a function from pairs to data is expected.
        /// Type inference decides which reading they have.
        grouped: bool,
        /// The body.
        body: TermId,
    },
    /// A dependent abstraction `depFun(n: Nat => body)`.
    DepFun {
        /// The parameters of the curried function, each with a kind.
        params: Box<[BinderId]>,
        /// The body.
        body: TermId,
    },
    /// A local binding `let x = value in body`, `let x: t = value in body` or
    /// `let (a, b) = value in body`.
    Let {
        /// The binder `x`, or the pattern.
        binder: BinderId,
        /// The bound value.
        value: TermId,
        /// The scope of the binder.
        body: TermId,
    },
    /// A local definition `let f(x: f32): f32 = value in body`.
    Local {
        /// The name `f`.
        binder: BinderId,
        /// The parameters as they are written; they are also part of `ty` and `function`.
        head: Box<Head>,
        /// The type of the function, in which absent types are holes with an empty span.
        ty: TermId,
        /// The function of the parameters.
        function: TermId,
        /// The scope of the name.
        body: TermId,
    },
    /// A local binding of a size: `let {k} xs = value in body`, where `value` is a dependent pair,
    /// or `let {k} = value in body`, where it is an index.
    LetSize {
        /// The binder `k` of the size.
        size: BinderId,
        /// The binder `xs` of the value with this size, if there is one.
        binder: Option<BinderId>,
        /// The dependent pair or index.
        value: TermId,
        /// The scope of the binders.
        body: TermId,
    },
    /// A type-level function `natFun(i => nat)`.
    NatFun {
        /// The parameter.
        param: BinderId,
        /// The body, a size.
        body: TermId,
    },
    /// A type-level function `dataFun(i => data)`.
    DataFun {
        /// The parameter.
        param: BinderId,
        /// The body, a data type.
        body: TermId,
    },
    /// `(a, b)`: a pair, or a pair type.
    Pair(TermId, TermId),
    /// A type ascription `(e : type)`.
    Ascribe {
        /// The expression.
        term: TermId,
        /// The ascribed type.
        ty: TermId,
    },
    /// A parenthesised term `(e)`.
    Paren(TermId),
    /// A scalar type.
    Scalar(ScalarType),
    /// An address space.
    Address(AddressSpace),
    /// An array type `n.t`, or `Array[n, t]` if `long`.
    Array {
        /// The number of elements.
        size: TermId,
        /// The element type.
        elem: TermId,
        /// True for the notation `Array[…]`.
        long: bool,
    },
    /// A pair type `Tuple[a, b]`.
    Tuple(TermId, TermId),
    /// A vector type `Vec[n, t]`.
    Vector {
        /// The number of lanes.
        size: TermId,
        /// The type of a lane.
        elem: TermId,
    },
    /// The type of indices below `n`, `Idx[n]`.
    Index(TermId),
    /// A position-dependent array type `n..f`.
    DepArray {
        /// The number of elements.
        size: TermId,
        /// The function from an index to the element type, such as a `DataFun`.
        elem: TermId,
    },
    /// A dependent pair type `DepPair[k => t]`.
    DepPair {
        /// The binder `k`.
        param: BinderId,
        /// The type `t` of the second component.
        body: TermId,
    },
    /// A function type `a -> b`.
    Arrow(TermId, TermId),
    /// A dependent function type `(n: Nat) -> b`, or `{n: Nat} -> b` if `implicit`.
    Pi {
        /// The parameter `n` with its kind.
        param: BinderId,
        /// True if the parameter is written in braces.
        implicit: bool,
        /// The result type.
        body: TermId,
    },
    /// A type and the conditions on its sizes, `type where 4 | n, n >= 12`.
    Where {
        /// The type.
        ty: TermId,
        /// The conditions; `a | b` (divides) is [`BinaryOp::Divides`].
        conditions: Box<[TermId]>,
    },
    /// The type of expressions `Exp[t, rw]`; this variant and those below occur only in DPIA.
    Exp {
        /// The data type of the expression's value.
        data: TermId,
        /// An [`Access`](TermKind::Access), a name, or a hole. For any other term, such as
        /// [`Missing`](TermKind::Missing), the item has a reported error.
        access: TermId,
    },
    /// The type of acceptors, `Acc[t]`.
    Acc(TermId),
    /// The type of commands, `Comm`.
    Comm,
    /// An access annotation: `Rd`, `Wr` or `St`.
    Access(ReadWrite),
    /// An assignment `acceptor = expression`.
    Assign {
        /// The span of `=`.
        op_span: Span,
        /// The acceptor that is written.
        lhs: TermId,
        /// The expression that is assigned.
        rhs: TermId,
    },
    /// The sequential composition `c1; c2; c3` of two commands or more; a trailing `;` is not
    /// recorded.
    Sequence(Box<[TermId]>),
    /// A conditional command `if (condition) { then } else { otherwise }`.
    If {
        /// The condition.
        condition: TermId,
        /// The command for a true condition.
        then: TermId,
        /// The command for a false condition.
        otherwise: TermId,
    },
    /// The command `skip`, which does nothing.
    Skip,
}

/// A literal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Literal {
    /// `true` or `false`.
    Bool(bool),
    /// A number without a point and an exponent, such as `3`, `-128i8` or `1f16`. If it is neither
    /// a signed nor an unsigned integer of 64 bits, its value is 0, and the item has a reported
    /// error.
    Int {
        /// The value.
        value: i128,
        /// The type suffix: `i8` … `u64`, `f16` … `f64` or `natType`; `None` if there is none or a
        /// wrong one.
        suffix: Option<ScalarType>,
    },
    /// A floating-point number such as `0.5f` or `-1e-6`.
    Float {
        /// The digits with the sign, point and exponent, without the suffix.
        text: Name,
        /// The type suffix: `f16`, `f32` (also written `f`) or `f64`; `None` if there is none or a
        /// wrong one.
        suffix: Option<ScalarType>,
    },
}

/// A component of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Half {
    /// The first component, `_1`.
    First,
    /// The second component, `_2`.
    Second,
}

/// The prefix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// Negation, `-`.
    Neg,
    /// Logical negation, `!`.
    Not,
}

words! {
    /// The infix operators, in order of increasing precedence, except that the last one, `|`, has
    /// the lowest precedence. Adjacent operators of one group, such as `>>` and `<<` or `+` and
    /// `-`, have the same precedence.
    BinaryOp {
        /// Application, `f <| x`.
        ApplyLeft = "<|",
        /// Reverse application, `x |> f`.
        Pipe = "|>",
        /// Composition from left to right, `f >> g`.
        Then = ">>",
        /// Composition from right to left, `f << g`.
        After = "<<",
        /// Disjunction, `||`.
        Or = "||",
        /// Conjunction, `&&`.
        And = "&&",
        /// Equality, `==`.
        Eq = "==",
        /// Inequality, `!=`.
        Ne = "!=",
        /// Less than, `<`.
        Lt = "<",
        /// Less than or equal, `<=`.
        Le = "<=",
        /// Greater than, `>`.
        Gt = ">",
        /// Greater than or equal, `>=`.
        Ge = ">=",
        /// Addition, `+`.
        Add = "+",
        /// Subtraction, `-`.
        Sub = "-",
        /// Multiplication, `*`.
        Mul = "*",
        /// Division, `/`.
        Div = "/",
        /// Remainder, `%`.
        Mod = "%",
        /// Exponentiation, `^`.
        Pow = "^",
        /// Divisibility in a condition: `a | b` or `a divides b`.
        Divides = "|",
    }
}

impl ScalarType {
    /// Returns true for a type of floating-point numbers.
    pub const fn is_float(self) -> bool {
        matches!(self, ScalarType::F16 | ScalarType::F32 | ScalarType::F64)
    }

    /// Returns true for a type of integers, including `natType`.
    pub const fn is_integer(self) -> bool {
        !self.is_float() && !matches!(self, ScalarType::Bool)
    }
}

impl BinaryOp {
    /// Returns true for `+`, `-`, `*`, `/`, `%` and `^`, which compute numbers and sizes.
    pub const fn is_arithmetic(self) -> bool {
        use BinaryOp::*;
        matches!(self, Add | Sub | Mul | Div | Mod | Pow)
    }
}

words! {
    /// The scalar data types.
    ScalarType {
        /// A Boolean.
        Bool = "bool",
        /// An 8-bit signed integer.
        I8 = "i8",
        /// A 16-bit signed integer.
        I16 = "i16",
        /// A 32-bit signed integer.
        I32 = "i32",
        /// A 64-bit signed integer.
        I64 = "i64",
        /// An 8-bit unsigned integer.
        U8 = "u8",
        /// A 16-bit unsigned integer.
        U16 = "u16",
        /// A 32-bit unsigned integer.
        U32 = "u32",
        /// A 64-bit unsigned integer.
        U64 = "u64",
        /// A half-precision floating-point number.
        F16 = "f16",
        /// A single-precision floating-point number.
        F32 = "f32",
        /// A double-precision floating-point number.
        F64 = "f64",
        /// A size that is used as a value.
        NatType = "natType",
    }
}

words! {
    /// The address spaces of OpenCL.
    AddressSpace {
        /// The memory of the device.
        Global = "Global",
        /// The memory of a work-group.
        Local = "Local",
        /// The memory of a work-item.
        Private = "Private",
        /// The read-only memory of the device.
        Constant = "Constant",
    }
}

words! {
    /// The kinds of type-level names; `Scalar`, `Num`, `Int` and `Float` are sub-kinds of
    /// `DataType`.
    Kind {
        /// A size, a natural number.
        Nat = "Nat",
        /// The type of a value that memory can contain.
        DataType = "DataType",
        /// A data type that is `bool`, a number type or `Idx`.
        Scalar = "Scalar",
        /// A number type or a vector of numbers.
        Num = "Num",
        /// An integer type or `natType`.
        Int = "Int",
        /// A floating-point type: `f16`, `f32` or `f64`.
        Float = "Float",
        /// An address space.
        AddrSp = "AddrSp",
        /// A function from sizes to sizes.
        Nat2Nat = "Nat2Nat",
        /// A function from sizes to data types.
        Nat2Data = "Nat2Data",
        /// The access of an expression; in DPIA only.
        ReadWrite = "ReadWrite",
    }
}

words! {
    /// The accesses of DPIA expressions.
    ReadWrite {
        /// The expression can be read.
        Rd = "Rd",
        /// The expression has still to be written to an acceptor.
        Wr = "Wr",
        /// The expression is a stream: it can be read once, in order.
        St = "St",
    }
}

impl Item {
    /// Returns the term with index `id`.
    pub fn term(&self, id: TermId) -> &Term {
        &self.terms[id.0 as usize]
    }

    /// Returns the binder with index `id`.
    pub fn binder(&self, id: BinderId) -> &Binder {
        &self.binders[id.0 as usize]
    }

    /// Returns a binder and the parts of its pattern, with the parts of patterns in it, each pattern
    /// before its parts.
    pub fn with_parts(&self, id: BinderId) -> Vec<BinderId> {
        let (mut all, mut todo) = (Vec::new(), vec![id]);
        while let Some(id) = todo.pop() {
            all.push(id);
            todo.extend(self.binder(id).parts.iter().flatten().rev());
        }
        all
    }

    /// Returns the binders of names and `_` in a binder, in the order of the text: the parts of a
    /// pattern, with the parts of patterns in it, or else the binder itself.
    pub fn bound_names(&self, id: BinderId) -> Vec<BinderId> {
        let mut all = self.with_parts(id);
        all.retain(|&id| self.binder(id).parts.is_none());
        all
    }

    /// Returns the name that the item defines.
    pub fn name(&self) -> Option<&Ident> {
        match &self.kind {
            ItemKind::Def { name, .. } | ItemKind::Foreign { name, .. } => name.as_ref(),
            ItemKind::Import { .. } | ItemKind::Stray => None,
        }
    }

    /// Returns the parameters of a definition left of its `=`, if there are any.
    pub fn head(&self) -> Option<&Head> {
        match &self.kind {
            ItemKind::Def { head, .. } => head.as_deref(),
            _ => None,
        }
    }

    /// Returns the parameters left of `=` of the definition and of each local definition in it, each
    /// with the type and the function that they imply.
    pub fn heads(&self) -> impl Iterator<Item = (&Head, TermId, TermId)> {
        let own = match &self.kind {
            ItemKind::Def {
                head: Some(head),
                ty: Some(ty),
                body,
                ..
            } => Some((&**head, *ty, *body)),
            _ => None,
        };
        let locals = self.locals.iter().filter_map(|&term| self.local_head(term));
        own.into_iter().chain(locals)
    }

    /// Returns the parameters of a local definition with the type and the function that they imply;
    /// `None` for other terms.
    pub fn local_head(&self, term: TermId) -> Option<(&Head, TermId, TermId)> {
        match &self.term(term).kind {
            TermKind::Local {
                head, ty, function, ..
            } => Some((head, *ty, *function)),
            _ => None,
        }
    }

    /// Returns the terms that correspond to no text of their own: the types of definitions with
    /// parameters left of `=`, also local ones, and their functions, down to the written types and
    /// the written value.
    pub fn implied_terms(&self) -> Vec<TermId> {
        let all = self.heads();
        all.flat_map(|(head, ty, function)| self.implied_by(head, ty, function))
            .collect()
    }

    /// Returns the terms of a type and a function that the parameters `head` imply.
    pub fn implied_by(&self, head: &Head, ty: TermId, function: TermId) -> Vec<TermId> {
        let mut implied = Vec::new();
        let is_result = |term| head.result == Some(term);
        let mut next = Some(ty);
        while let Some(term) = next.filter(|&term| !is_result(term)) {
            implied.push(term);
            next = match &self.term(term).kind {
                TermKind::Pi { body, .. } => Some(*body),
                TermKind::Arrow(from, to) => {
                    implied.extend(Some(*from).filter(|&from| self.is_absent_type(from)));
                    Some(*to)
                }
                TermKind::Where { ty, .. } => Some(*ty),
                _ => None,
            };
        }
        let mut next = Some(function);
        while let Some(term) = next.filter(|&term| term != head.value) {
            implied.push(term);
            next = match &self.term(term).kind {
                TermKind::Fun { body, .. } | TermKind::DepFun { body, .. } => Some(*body),
                _ => None,
            };
        }
        implied
    }

    /// Returns true for a term that corresponds to no text of its own, see [`Head`].
    pub fn is_implied(&self, term: TermId) -> bool {
        self.implied_terms().contains(&term)
    }

    /// Returns true for the hole that stands for an absent type of a parameter or a result left of
    /// `=`, which has an empty span.
    pub fn is_absent_type(&self, term: TermId) -> bool {
        let term = self.term(term);
        term.kind == TermKind::Hole && term.span.is_empty()
    }

    /// Returns true for a name in the types of the parameters left of `=` that becomes an implicit
    /// parameter if it is not in the scope of the item, see [`Head::implicit`].
    pub fn may_be_implicit(&self, binder: BinderId) -> bool {
        self.heads()
            .any(|(head, ..)| head.implicit.contains(&binder))
    }

    /// Returns the type of the item if it is complete as it is written; `None` for a definition
    /// with parameters left of `=` of which a parameter or the result has no type.
    pub fn whole_type(&self) -> Option<TermId> {
        let ItemKind::Def { head, ty, .. } = &self.kind else {
            return None;
        };
        let is_absent = |ty: Option<TermId>| ty.is_none_or(|ty| self.is_absent_type(ty));
        let has_all = head.as_deref().is_none_or(|head| {
            let is_typed = |param: &Parameter| match self.binder(param.binder).annotation {
                BinderAnnotation::Kind(..) => true,
                _ => !is_absent(param.ty),
            };
            head.params().all(is_typed) && !is_absent(head.result)
        });
        ty.filter(|_| has_all)
    }

    /// Returns the span of the word with which a `fun`, `depFun`, `let` or `if` begins; for one that parameters
    /// left of `=` imply, that of its first parameter; for other terms the whole span.
    pub fn keyword_span(&self, term: TermId) -> Span {
        let span = self.term(term).span;
        let (word, params) = match &self.term(term).kind {
            TermKind::Fun { params, .. } => ("fun", params),
            TermKind::DepFun { params, .. } => ("depFun", params),
            TermKind::Let { .. } | TermKind::Local { .. } | TermKind::LetSize { .. } => {
                ("let", &Box::default())
            }
            TermKind::If { .. } => ("if", &Box::default()),
            _ => return span,
        };
        let is_of_head = |first: BinderId| {
            let mut heads = self.heads();
            heads.any(|(head, ..)| head.params().any(|param| param.binder == first))
        };
        match params.first() {
            Some(&first) if is_of_head(first) => self.binder(first).span,
            _ => Span::new(span.start, (span.start + word.len() as u32).min(span.end)),
        }
    }

    /// Returns the names of the parameters of the `fun`s at the start of the definition's body, also
    /// behind `depFun`s and `let`s.
    pub fn value_parameters(&self) -> Vec<&str> {
        let ItemKind::Def { body, .. } = &self.kind else {
            return Vec::new();
        };
        let mut names = Vec::new();
        let mut next = Some(*body);
        while let Some(term) = next {
            next = match &self.term(term).kind {
                TermKind::Fun { params, body, .. } => {
                    names.extend(params.iter().map(|id| self.binder(*id).name.as_str()));
                    Some(*body)
                }
                TermKind::DepFun { body, .. }
                | TermKind::Let { body, .. }
                | TermKind::Local { body, .. }
                | TermKind::LetSize { body, .. } => Some(*body),
                TermKind::Paren(inner) => Some(*inner),
                _ => None,
            };
        }
        names
    }

    /// Returns the names of the parameters that are updated in place, each with its span: those
    /// that are marked left of `=`, or that the annotation `@inout` names.
    pub fn updated_parameters(&self) -> Vec<(&Name, Span)> {
        let marked = self.head().into_iter().flat_map(|head| head.params());
        let marked = marked
            .filter(|param| param.inout.is_some())
            .map(|param| self.binder(param.binder))
            .map(|binder| (&binder.name, binder.span));
        let named = self
            .annotations("inout")
            .flat_map(|annotation| &annotation.args);
        let named = named.filter_map(|arg| match (&arg.key, &arg.value) {
            (None, AnnotationValue::Term(term)) => match &self.term(*term).kind {
                TermKind::Name(name) => Some((name, self.term(*term).span)),
                _ => None,
            },
            _ => None,
        });
        marked.chain(named).collect()
    }

    /// Returns the annotations with this name, in source order.
    pub fn annotations(&self, name: &str) -> impl Iterator<Item = &Annotation> + Clone {
        self.annotations.iter().filter(move |annotation| {
            let ident = annotation.name.as_ref();
            ident.is_some_and(|ident| ident.name == name)
        })
    }
}
