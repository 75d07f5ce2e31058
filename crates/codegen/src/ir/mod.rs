//! Defines the loop language between imperative DPIA and the text of a target: variables, flat
//! places, loops and scalar expressions. Lowering creates it and eliminates every view; the passes
//! transform it; the printer of a target writes it.
//!
//! Sizes and indices are represented by [`Nat`]s wherever possible, not by expressions: a loop
//! counter is a size variable with a known range, so that indices can be simplified.

pub(crate) mod kernel;
mod passes;
pub(crate) mod print;
pub(crate) mod renaming;
pub(crate) mod trace;
pub(crate) mod types;
pub(crate) mod walk;

use std::sync::Arc;

pub use dpia::Features;
use dpia::IndexWidth;
use nat::{Facts, Nat, Prop, Var};
use rise::core::{Foreign, Launch, Origin};
use rise::{Ty, Type, primitive::Primitive};
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::ast::{AddressSpace, Literal, Name, ScalarType};

pub use passes::PassSet;
pub(crate) use passes::{
    BARRIER_ELIMINATION, CONTROL_FLOW_SIMPLIFICATION, INDEX_SIMPLIFICATION, PARTS,
};
pub use print::{Listing, Mapping};
use trace::Trace;

/// A function of the generated code.
#[derive(Clone, Debug, Default)]
pub struct Function {
    /// The name.
    pub name: Name,
    /// The variables, indexed by [`Id`].
    pub variables: Vec<Variable>,
    /// The size parameters, in order.
    pub sizes: Vec<Var>,
    /// The width of sizes, counters and indices.
    pub index: IndexWidth,
    /// The value parameters, in order.
    pub params: Vec<Id>,
    /// The output, the first parameter; a scalar result is its element 0.
    pub output: Id,
    /// The statements.
    pub body: Vec<Stmt>,
    /// The conditions on the sizes that the function checks when it starts.
    pub requires: Vec<Prop>,
    /// Further conditions that hold for the sizes without a check.
    pub facts: Vec<Prop>,
    /// The names of the size variables, indexed by [`Var`].
    pub names: Vec<Name>,
    /// The opaque sizes: size variables that lowering introduced for indices which depend on data,
    /// with the expressions that are printed in their place.
    pub opaque: Vec<(Var, Expr)>,
    /// The launch sizes of an OpenCL function that is one kernel as a whole.
    pub launch: Launch,
    /// The size variables that denote the number of scalars in a vector register of the machine
    /// that compiles the text.
    pub registers: Vec<(Var, ScalarType)>,
    /// The work-item queries, with the size variables for their results.
    pub items: Vec<Item>,
    /// The alignment in bytes of the arrays of scalars that the function declares and from which
    /// vectors are loaded or to which they are stored.
    pub aligned: FxHashMap<Id, u64>,
    /// The views through which a phrase reads, which determine its index, by the origin of the
    /// phrase.
    pub views: FxHashMap<Origin, Vec<View>>,
    /// The lengths of the arrays of the program, including those that are never stored.
    pub dimensions: Vec<Nat>,
    /// The features of the target.
    pub features: Features,
    /// The passes that are left out.
    pub without: PassSet,
    /// The arrays that are allocated on the heap; the other arrays that the function declares are
    /// on the stack.
    pub heap: FxHashSet<Id>,
    /// The arrays that each thread of a parallel loop allocates for itself before its iterations,
    /// by the counter of the loop.
    pub per_thread: FxHashMap<Var, Vec<Id>>,
    /// The variables that are declared with a value and never assigned again.
    pub constants: FxHashSet<Id>,
    /// The changes of each statement by passes.
    pub trace: Trace,
}

/// A view through which an array is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// The name of its primitive.
    pub name: &'static str,
    /// The phrase of the view.
    pub origin: Origin,
}

/// A work-item query with its result.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// The size variable for the result.
    pub var: Var,
    /// The query.
    pub query: Query,
    /// The dimension, 0 to 2.
    pub dimension: u8,
}

/// The work-item queries in a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Query {
    /// The index of the work-item or group.
    Id(Level),
    /// The number of work-items or groups.
    Count(Level),
}

impl Function {
    /// Returns the facts about sizes that hold everywhere in the function, including those about
    /// opaque sizes.
    pub fn known(&self) -> Facts {
        let mut facts = Facts::new();
        for prop in self.requires.iter().chain(&self.facts) {
            facts.assume(prop);
        }
        for (var, value) in &self.opaque {
            if let Type::Index(n) = &*value.ty {
                facts.index(*var, n);
            }
        }
        facts
    }

    /// Returns true if a variable is private: see [`Variable::is_private`].
    pub(crate) fn is_private(&self, id: Id) -> bool {
        self.variables[id.0 as usize].is_private()
    }

    /// Creates a new size variable.
    pub fn fresh_size(&mut self, name: &str) -> Var {
        let var = Var(u32::try_from(self.names.len()).unwrap_or(u32::MAX));
        self.names.push(name.into());
        var
    }

    /// Returns the size variable for the number of scalars of this type in a vector register, and
    /// creates it if there is none.
    pub fn register(&mut self, scalar: ScalarType) -> Var {
        let known = self.registers.iter().find(|(_, of)| *of == scalar);
        if let Some((var, _)) = known {
            return *var;
        }
        let var = self.fresh_size("lanes");
        self.registers.push((var, scalar));
        var
    }
}

/// An index into the variables of a [`Function`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(pub u32);

/// The declaration of a variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// The preferred name; the printer makes it unique.
    pub name: Name,
    /// The type of the elements, without arrays: a scalar, an index, a vector or a tuple of these.
    pub elem: Ty,
    /// The number of elements; `None` for a variable that is not an array.
    pub count: Option<Nat>,
    /// The extents of an array of arrays, the outermost first, by which the printer writes indices;
    /// empty if they are not known.
    pub extents: Vec<Nat>,
    /// The memory it is in.
    pub home: Home,
    /// The phrase that requires the variable.
    pub origin: Origin,
}

/// The memory of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// The output parameter.
    Output,
    /// A parameter that is read.
    Input,
    /// A variable that the function declares; for OpenCL in this address space.
    Local(Option<AddressSpace>),
    /// A pointer to one or another variable ([`StmtKind::Point`]).
    Pointer {
        /// True if memory is written through it.
        writable: bool,
        /// True if the memory is accessed only through it within its scope.
        alone: bool,
    },
}

impl Variable {
    /// Creates a variable of the function for a value without arrays.
    pub(crate) fn scalar(name: Name, elem: Ty, origin: Origin) -> Variable {
        Variable {
            name,
            elem,
            count: None,
            extents: Vec::new(),
            home: Home::Local(None),
            origin,
        }
    }

    /// Returns true if the function declares the variable, in OpenCL not in local or global memory.
    pub(crate) fn is_private(&self) -> bool {
        matches!(self.home, Home::Local(None | Some(AddressSpace::Private)))
    }

    /// Returns true if the variable is in memory that work-items share and is not a parameter.
    pub(crate) fn is_shared(&self) -> bool {
        matches!(
            self.home,
            Home::Local(Some(AddressSpace::Local | AddressSpace::Global))
        )
    }
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// The form of the statement.
    pub kind: StmtKind,
    /// The phrase that it comes from.
    pub origin: Origin,
    /// The primitive or pass that created it: shown on hover in previews.
    pub made_by: Option<Maker>,
}

impl Stmt {
    /// Creates a statement.
    pub fn new(kind: StmtKind, origin: Origin, made_by: Option<Maker>) -> Stmt {
        Stmt {
            kind,
            origin,
            made_by,
        }
    }
}

/// The origin of a statement within the compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Maker {
    /// The translation of this primitive.
    Primitive(Primitive),
    /// A pass, by its name in the documentation.
    Pass(&'static str),
}

impl std::fmt::Display for Maker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Maker::Primitive(primitive) => write!(f, "`{}`", primitive.name()),
            Maker::Pass(name) => f.write_str(name),
        }
    }
}

/// The forms of statements.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// A declaration of a variable, in scope until the end of the block, with its initial value if
    /// it has one.
    Declare(Id, Option<Expr>),
    /// An assignment `place = value;`.
    Assign(Place, Expr),
    /// A loop.
    For(Loop),
    /// A conditional `if (condition) { then } else { otherwise }`.
    If {
        /// The condition.
        condition: Expr,
        /// The statements for a true condition.
        then: Vec<Stmt>,
        /// The statements for a false condition.
        otherwise: Vec<Stmt>,
    },
    /// A block with a scope of its own.
    Block(Vec<Stmt>),
    /// An assignment to a pointer: it points to the place, which is in a variable or in the memory
    /// that another pointer points to.
    Point(Id, Place),
    /// An exchange of two pointers.
    Swap(Id, Id),
    /// A parallel reduction, see [`ParallelReduce`].
    Reduce(Box<ParallelReduce>),
    /// A barrier at which the work-items of a group wait for each other.
    Barrier(Box<Barrier>),
    /// A kernel, only at the outermost level of a function; the first pass for OpenCL makes a
    /// function of each.
    Kernel(Box<Kernel>),
}

/// A loop `for (int i = from; i < to; i += step)`; the counter is a size variable of this range.
#[derive(Clone, Debug)]
pub struct Loop {
    /// The counter.
    pub counter: Var,
    /// The first value.
    pub from: Nat,
    /// The end of the range.
    pub to: Nat,
    /// The increment.
    pub step: Nat,
    /// The mode of execution.
    pub mode: LoopMode,
    /// The body.
    pub body: Vec<Stmt>,
}

/// A parallel reduction `into = combine(… combine(into, element(0)) …, element(count - 1))`, in any
/// grouping.
#[derive(Clone, Debug)]
pub struct ParallelReduce {
    /// The index of the element.
    pub counter: Var,
    /// The number of elements.
    pub count: Nat,
    /// The scalar variable for the result, which contains the initial value before.
    pub into: Id,
    /// The statements that compute the element; they depend on the counter only.
    pub element_body: Vec<Stmt>,
    /// The variable for the result of `element_body`.
    pub element: Id,
    /// The statements that combine `left` and `right` into `left`, two scalar variables.
    pub combine: Vec<Stmt>,
    /// The left operand and the result.
    pub left: Id,
    /// The right operand.
    pub right: Id,
}

impl ParallelReduce {
    /// Returns the statements of `combine` for other variables in place of `self.left` and
    /// `self.right`; the result is in `left`.
    pub(crate) fn combination(&self, left: Id, right: Id) -> Vec<Stmt> {
        let map = FxHashMap::from_iter([(self.left, left), (self.right, right)]);
        let mut body = self.combine.clone();
        walk::change_all(&mut body, &mut walk::Renamed { ids: &map });
        body
    }
}

/// The mode of execution of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopMode {
    /// Sequential execution of the iterations.
    Sequential,
    /// Unrolling by a pass.
    Unrolled,
    /// Vector lanes: the iterations do not depend on each other.
    Vector,
    /// OpenMP threads.
    Parallel,
    /// Threads, each of which combines its iterations into a variable of its own by this operator;
    /// these are combined in the variable at the end.
    Reduction(ReductionOperator, Id),
    /// OpenCL work-items of this level, in this dimension. The loop starts at 0 with step 1; each
    /// iteration is executed by one of them.
    Items(Level, u8),
}

/// An operator whose operands may be combined in any order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReductionOperator {
    /// The sum, which wraps around.
    Add,
    /// The product, which wraps around.
    Mul,
    /// The conjunction.
    And,
    /// The disjunction.
    Or,
    /// The smaller one.
    Min,
    /// The larger one.
    Max,
}

/// The level of the OpenCL execution model over which a loop is distributed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// All work-items.
    Global,
    /// The work-groups.
    WorkGroup,
    /// The work-items of a work-group.
    Local,
}

/// The memory whose accesses a barrier orders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fences {
    /// True for the memory of the work-group.
    pub local: bool,
    /// True for the memory of the device.
    pub global: bool,
}

/// A barrier for the work-items of a group.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Barrier {
    /// The memory whose accesses it orders.
    pub fences: Fences,
    /// The pairs of accesses that require it.
    pub orders: Vec<Ordered>,
}

/// Two accesses of different work-items to one place in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Ordered {
    /// The access that comes first.
    pub first: Origin,
    /// The access that waits for the first one.
    pub second: Origin,
    /// The kind of dependence.
    pub kind: Order,
}

/// The kinds of dependences between accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// A flow dependence: the second access reads what the first one wrote.
    Flow,
    /// An anti-dependence: the second access overwrites what the first one read.
    Reuse,
    /// An output dependence: both accesses write.
    Output,
}

/// A part of a function that becomes one kernel.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// The launch sizes.
    pub launch: Launch,
    /// The statements of each work-item.
    pub body: Vec<Stmt>,
}

/// A place in memory: an element of a variable, or a part of the element.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// The variable.
    pub id: Id,
    /// The index of the element, counted in elements of the variable's type (in scalars if `lanes`
    /// is set); `None` for scalar variables.
    pub index: Option<Nat>,
    /// The tuple members that select the part, outermost first: false `_1`, true `_2`.
    pub members: Vec<bool>,
    /// The lane of the vector that `index` and `members` select, if the place is one lane.
    pub lane: Option<Nat>,
    /// The number of scalars from `index` on, if these form a vector in an array of scalars.
    pub lanes: Option<Nat>,
}

impl Place {
    /// Returns the place of the `n` elements that this place stands for as the counter `lane` takes
    /// the values from 0 to `n - 1`; `None` if they are not contiguous, or are parts of elements.
    pub(crate) fn widened(&self, lane: Var, n: &Nat) -> Option<Place> {
        let index = self.index.as_ref()?;
        let first = Nat::sub(index, &Nat::var(lane));
        if first.mentions(lane) || !self.members.is_empty() || self.lane.is_some() {
            return None;
        }
        Some(Place {
            index: Some(first),
            lanes: Some(n.clone()),
            ..self.clone()
        })
    }
}

/// An expression without arrays.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// The form of the expression.
    pub kind: ExprKind,
    /// The type: scalar, index, vector or tuple.
    pub ty: Ty,
    /// The phrase that it comes from.
    pub origin: Origin,
}

impl Expr {
    /// Creates an expression.
    pub fn new(kind: ExprKind, ty: Ty, origin: Origin) -> Expr {
        Expr { kind, ty, origin }
    }

    /// Creates the value of a variable without an index.
    pub fn variable(id: Id, ty: Ty, origin: Origin) -> Expr {
        Expr::new(ExprKind::Load(Place::plain(id)), ty, origin)
    }

    /// Returns true for a call of a function of scalars for each lane of its arguments.
    pub(crate) fn is_lanewise_call(&self) -> bool {
        let is_vector = |ty: &Type| matches!(ty, Type::Vector(..));
        let ExprKind::Call(function, _) = &self.kind else {
            return false;
        };
        is_vector(&self.ty) && !is_vector(&function.result)
    }

    /// Selects a half of a tuple, without the evaluation of the other one if the tuple is
    /// constructed or in memory.
    pub(crate) fn half(&self, second: bool) -> Expr {
        let ty = match &*self.ty {
            Type::Pair(a, b) => if second { b } else { a }.clone(),
            _ => self.ty.clone(),
        };
        let kind = match &self.kind {
            ExprKind::Pair(a, b) => return Expr::clone(if second { b } else { a }),
            ExprKind::Load(place) => {
                let mut place = place.clone();
                place.members.push(second);
                ExprKind::Load(place)
            }
            _ => ExprKind::Half(second, Box::new(self.clone())),
        };
        Expr::new(kind, ty, self.origin)
    }
}

/// The forms of expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A constant of the expression's type.
    Literal(Literal),
    /// A size or index.
    Nat(Nat),
    /// The value at a place.
    Load(Place),
    /// A unary operation.
    Unary(Unary, Box<Expr>),
    /// A binary operation on values of one type.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// A conditional expression `condition ? a : b`.
    Select(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A conversion to another scalar type.
    Cast(ScalarType, Box<Expr>),
    /// A call of a C function.
    Call(Arc<Foreign>, Vec<Expr>),
    /// A tuple.
    Pair(Box<Expr>, Box<Expr>),
    /// A half of a tuple that is not a place: false `_1`, true `_2`.
    Half(bool, Box<Expr>),
    /// A vector with the same value in all lanes.
    Broadcast(Box<Expr>),
    /// A vector of these lanes.
    Vector(Vec<Expr>),
    /// A lane of a vector that is not a place.
    Lane(Box<Expr>, Nat),
    /// An element of a literal array, selected by its index.
    Element(Vec<Expr>, Nat),
}

/// The unary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// Negation, `-`.
    Neg,
    /// The absolute value of a signed integer, which wraps around.
    Abs,
    /// Logical negation, `!`.
    Not,
}

/// The binary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// Addition, `+`.
    Add,
    /// Subtraction, `-`.
    Sub,
    /// Multiplication, `*`.
    Mul,
    /// Division, `/`.
    Div,
    /// Remainder, `%`.
    Mod,
    /// The minimum `a < b ? a : b`.
    Min,
    /// The maximum `a > b ? a : b`.
    Max,
    /// Greater than, `>`.
    Gt,
    /// Less than, `<`.
    Lt,
    /// Greater than or equal, `>=`.
    Ge,
    /// Less than or equal, `<=`.
    Le,
    /// Equality, `==`.
    Eq,
    /// Inequality, `!=`.
    Ne,
    /// Conjunction, `&&`.
    And,
    /// Disjunction, `||`.
    Or,
}

impl Binary {
    /// Returns true for an operator that compares two numbers.
    pub(crate) fn is_comparison(self) -> bool {
        match self {
            Binary::Gt | Binary::Lt | Binary::Ge | Binary::Le | Binary::Eq | Binary::Ne => true,
            Binary::Add
            | Binary::Sub
            | Binary::Mul
            | Binary::Div
            | Binary::Mod
            | Binary::Min
            | Binary::Max
            | Binary::And
            | Binary::Or => false,
        }
    }
}
