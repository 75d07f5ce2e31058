//! Defines the loop language between imperative DPIA and the text of a target: functions,
//! variables, flat places, statements and scalar expressions. Lowering creates it and eliminates
//! every view; the passes transform it; the printer of a target writes it.
//!
//! Sizes and indices are represented by [`Nat`]s wherever possible, not by expressions: a loop
//! counter is a size variable with a known range, so that indices can be simplified.

pub(crate) mod host;
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

/// A function in the loop language, which becomes a function or a kernel of the generated code.
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
    /// The outputs, the first parameters; an output that is not an array is its element 0.
    pub outputs: Vec<Id>,
    /// The statements.
    pub body: Vec<Stmt>,
    /// The conditions on the sizes that callers have to satisfy. A C function checks them when it
    /// starts; for kernels, the host checks them.
    pub requires: Vec<Prop>,
    /// Further conditions on sizes that hold and need no check.
    pub facts: Vec<Prop>,
    /// The names of the size variables, indexed by [`Var`].
    pub names: Vec<Name>,
    /// The opaque sizes: size variables for indices that depend on data, with the expressions that
    /// are printed in their place. Lowering introduces most of them, and a few passes others.
    pub opaque: Vec<(Var, Expr)>,
    /// The launch sizes of an OpenCL function without kernel statements, which becomes one kernel.
    pub launch: Launch,
    /// The size variables that denote the number of scalars in a vector register of the machine
    /// that compiles the text.
    pub registers: Vec<(Var, ScalarType)>,
    /// The work-item queries that the function uses, with the size variables for their results.
    pub items: Vec<Item>,
    /// The alignments in bytes that variables need because vectors are read from or written to
    /// their memory: for variables that the function declares.
    pub aligned: FxHashMap<Id, u64>,
    /// The views that determine the index at which a phrase reads memory, by the origin of the
    /// phrase.
    pub views: FxHashMap<Origin, Vec<View>>,
    /// The lengths of the arrays in the program, including arrays that are never stored.
    pub dimensions: Vec<Nat>,
    /// The sums that passes compute besides the ends of loops and the numbers of elements.
    pub intermediate: Vec<Nat>,
    /// The features of the target.
    pub features: Features,
    /// The passes and parts of passes that are left out.
    pub without: PassSet,
    /// The arrays that are allocated on the heap, as the pass `allocation` decides for functions on
    /// a CPU; the other arrays that such a function declares are on the stack.
    pub heap: FxHashSet<Id>,
    /// The arrays that each thread of a parallel loop allocates for itself before its iterations,
    /// by the counter of the loop.
    pub per_thread: FxHashMap<Var, Vec<Id>>,
    /// The variables that are declared with a value and never assigned again.
    pub constants: FxHashSet<Id>,
    /// The record of the changes that passes have made to each statement.
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

/// A work-item query in a dimension, with its result.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// The size variable for the result.
    pub var: Var,
    /// The query.
    pub query: Query,
    /// The dimension, 0 to 2.
    pub dimension: u8,
}

/// The property of the launch or of a work-item that a query returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Query {
    /// The index of the work-item, or of its group, at this level.
    Id(Level),
    /// The number of work-items or groups at this level.
    Count(Level),
}

impl Function {
    /// Returns the facts about sizes that hold everywhere in the function: its conditions, and the
    /// ranges of opaque sizes of an index type.
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

    /// Returns true if a size contains an opaque size: one that depends on data, or has a name of
    /// its own.
    pub(crate) fn is_opaque(&self, nat: &Nat) -> bool {
        nat.any_var(&|var| self.opaque.iter().any(|(known, _)| *known == var))
    }

    /// Returns true if a variable is private: see [`Variable::is_private`].
    pub(crate) fn is_private(&self, id: Id) -> bool {
        self.variables[id.0 as usize].is_private()
    }

    /// Returns the opaque size for an expression, and creates it if there is none.
    pub(crate) fn opaque_size(&mut self, expr: Expr) -> Var {
        let same = |known: &Expr| known.kind == expr.kind && known.ty == expr.ty;
        if let Some((var, _)) = self.opaque.iter().find(|(_, known)| same(known)) {
            return *var;
        }
        let var = self.fresh_size("index");
        self.opaque.push((var, expr));
        var
    }

    /// Adds a variable, and returns its index.
    pub(crate) fn fresh_variable(&mut self, variable: Variable) -> Id {
        let id = Id(u32::try_from(self.variables.len()).unwrap_or(u32::MAX));
        self.variables.push(variable);
        id
    }

    /// Creates a new size variable with this name.
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

/// A variable of a function: its name, its type and the kind of its memory.
#[derive(Clone, Debug)]
pub struct Variable {
    /// The preferred name; the printer makes it unique.
    pub name: Name,
    /// The type of the elements, without arrays: a scalar, an index, a vector or a tuple of these.
    pub elem: Ty,
    /// The number of elements of the array, or of the array that a pointer points to; `None` for a
    /// variable that is not an array.
    pub count: Option<Nat>,
    /// The extents of the array's dimensions, the outermost first, by which the printer writes
    /// indices; empty if they are not known or the variable is not an array.
    pub extents: Vec<Nat>,
    /// The kind of memory that contains it.
    pub home: Home,
    /// The phrase that requires the variable.
    pub origin: Origin,
}

/// The kind of memory that contains a variable, or its kind of pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// An output parameter, which has no value before it is written.
    Output,
    /// A value parameter that is updated in place.
    InOut,
    /// A value parameter, which is not written.
    Input,
    /// A variable or array of the function; for OpenCL in this address space, where `None` is
    /// private memory. An array in local or global memory may become a parameter of a kernel.
    Local(Option<AddressSpace>),
    /// A pointer, which can point to different variables in turn ([`StmtKind::Point`]).
    Pointer {
        /// True if memory is written through it.
        writable: bool,
        /// True if all accesses to its memory within its scope are through it: a `restrict`
        /// pointer.
        alone: bool,
    },
}

impl Home {
    /// Returns true for the parameters that the function writes.
    pub(crate) fn is_result(self) -> bool {
        matches!(self, Home::Output | Home::InOut)
    }
}

impl Variable {
    /// Creates a variable of the function, in private memory, for a value without arrays.
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

    /// Returns true for a variable or array of the function that is not a pointer and, in OpenCL,
    /// is in private memory; false for parameters.
    pub(crate) fn is_private(&self) -> bool {
        matches!(self.home, Home::Local(None | Some(AddressSpace::Private)))
    }

    /// Returns true for a variable or array of the function that is in local or global memory.
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
    /// The pass that created it, if it records that; shown on hover in previews.
    pub made_by: Option<Maker>,
}

impl Stmt {
    /// Creates a statement from its parts.
    pub fn new(kind: StmtKind, origin: Origin, made_by: Option<Maker>) -> Stmt {
        Stmt {
            kind,
            origin,
            made_by,
        }
    }
}

/// The part of the compiler that created a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Maker {
    /// The translation of this primitive.
    Primitive(Primitive),
    /// A pass or another step, by its name in descriptions of changes.
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
    /// A block, in whose scope its declarations are.
    Block(Vec<Stmt>),
    /// An assignment to a pointer: from then on it points to the place, which is in a variable or
    /// in the memory that this or another pointer points to.
    Point(Id, Place),
    /// An exchange of the addresses in two pointers.
    Swap(Id, Id),
    /// A parallel reduction, see [`ParallelReduce`].
    Reduce(Box<ParallelReduce>),
    /// A barrier at which the work-items of a group wait for each other.
    Barrier(Box<Barrier>),
    /// A kernel. The first pass for OpenCL makes a function of each kernel.
    Kernel(Box<Kernel>),
}

/// A loop `for (int i = from; i < to; i += step)`. Its counter is a size variable in this range.
#[derive(Clone, Debug)]
pub struct Loop {
    /// The counter.
    pub counter: Var,
    /// The first value.
    pub from: Nat,
    /// The exclusive end of the range.
    pub to: Nat,
    /// The increment.
    pub step: Nat,
    /// The mode of execution.
    pub mode: LoopMode,
    /// The body.
    pub body: Vec<Stmt>,
}

/// A parallel reduction `into = combine(… combine(into, element(0)) …, element(count - 1))`: the
/// elements are combined in their order, in any grouping.
#[derive(Clone, Debug)]
pub struct ParallelReduce {
    /// The index of the element.
    pub counter: Var,
    /// The number of elements.
    pub count: Nat,
    /// The variable for the result, which contains the initial value before the reduction.
    pub into: Id,
    /// The statements that compute the element with the index `counter`.
    pub element_body: Vec<Stmt>,
    /// The variable for the result of `element_body`.
    pub element: Id,
    /// The statements that combine the variables `left` and `right`, and store the result in
    /// `left`.
    pub combine: Vec<Stmt>,
    /// The variable for the left operand and for the result.
    pub left: Id,
    /// The variable for the right operand.
    pub right: Id,
}

impl ParallelReduce {
    /// Returns the statements of `combine` with these variables in place of `self.left` and
    /// `self.right`.
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
    /// The pass `loops` replaces the loop by copies of its body.
    Unrolled,
    /// The iterations compute the lanes of a vector, and do not depend on each other.
    Vector,
    /// The iterations may be executed in parallel: threads of OpenMP execute those of the outermost
    /// such loop; for C the loop is sequential.
    Parallel,
    /// All threads of OpenMP execute all iterations, and of each parallel loop in the body the same
    /// iterations each time, without waiting for each other. The iterations of these loops with the
    /// same number may access common elements, and others may not.
    Replicated,
    /// Threads of OpenMP execute the iterations. Each combines its iterations by this operator into
    /// its own copy of this variable; the copies are combined in the variable at the end.
    Reduction(ReductionOperator, Id),
    /// The iterations are distributed over the work-items or work-groups of this level, in this
    /// dimension: each is executed by one of them. The loop starts at 0 and has step 1.
    Items(Level, u8),
}

/// An operator by which a parallel reduction may combine elements in any order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReductionOperator {
    /// The sum; that of integers wraps around.
    Add,
    /// The product; that of integers wraps around.
    Mul,
    /// The conjunction.
    And,
    /// The disjunction.
    Or,
    /// The minimum.
    Min,
    /// The maximum.
    Max,
}

/// The level of the OpenCL execution model over which a loop is distributed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// All work-items of the launch.
    Global,
    /// The work-groups.
    WorkGroup,
    /// The work-items of a work-group.
    Local,
}

/// The memory whose accesses a barrier orders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fences {
    /// True for local memory.
    pub local: bool,
    /// True for global memory.
    pub global: bool,
}

/// A barrier for the work-items of a group.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Barrier {
    /// The memory whose accesses it orders.
    pub fences: Fences,
    /// The pairs of accesses that require it, at most eight; none for a barrier that the program
    /// contains, or that is inserted although no dependence requires it.
    pub orders: Vec<Ordered>,
}

/// Two accesses of different work-items to one place in memory, which a barrier orders.
#[derive(Clone, Debug, PartialEq)]
pub struct Ordered {
    /// The phrase of the access that comes first.
    pub first: Origin,
    /// The phrase of the access that waits for the first one.
    pub second: Origin,
    /// The kind of dependence.
    pub kind: Order,
}

/// The kind of dependence between two accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// A flow dependence: the second access reads what the first one wrote.
    Flow,
    /// An anti-dependence: the second access overwrites what the first one read.
    Reuse,
    /// An output dependence: both accesses write.
    Output,
}

/// The statements of a function that become one kernel.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// The launch sizes.
    pub launch: Launch,
    /// The statements that the work-items execute together.
    pub body: Vec<Stmt>,
}

/// A place in memory: a variable, an element of one, a part of either, or several adjacent scalars.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// The variable.
    pub id: Id,
    /// The index of the element, counted in elements of the variable's type (in scalars if `lanes`
    /// is set); `None` for a variable that is not an array.
    pub index: Option<Nat>,
    /// The tuple members that select the part, outermost first: false `_1`, true `_2`.
    pub members: Vec<bool>,
    /// The lane, if the place is one lane of the vector that `index` and `members` select.
    pub lane: Option<Nat>,
    /// The number of scalars from `index` on, if these form a vector in an array of scalars.
    pub lanes: Option<Nat>,
}

impl Place {
    /// Returns the place of a variable that is not an array.
    pub fn plain(id: Id) -> Place {
        Place {
            id,
            index: None,
            members: Vec::new(),
            lane: None,
            lanes: None,
        }
    }

    /// Returns the place of an element of an array.
    pub fn element(id: Id, index: Nat) -> Place {
        Place {
            index: Some(index),
            ..Place::plain(id)
        }
    }

    /// Returns the place of the first element of an array.
    pub fn start(id: Id) -> Place {
        Place::element(id, Nat::ZERO)
    }

    /// Returns the place of the `n` elements that this place stands for as the size variable `lane`
    /// takes the values from 0 to `n - 1`; `None` if they are not adjacent in this order, or are
    /// parts of elements.
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

    /// Creates an expression that reads a variable that is not an array.
    pub fn variable(id: Id, ty: Ty, origin: Origin) -> Expr {
        Expr::new(ExprKind::Load(Place::plain(id)), ty, origin)
    }

    /// Returns true for a call of a function of scalars that is computed for each lane of vectors.
    pub(crate) fn is_lanewise_call(&self) -> bool {
        let is_vector = |ty: &Type| matches!(ty, Type::Vector(..));
        let ExprKind::Call(function, _) = &self.kind else {
            return false;
        };
        is_vector(&self.ty) && !is_vector(&function.result)
    }

    /// Returns the logical negation of a truth value.
    pub(crate) fn negated(self) -> Expr {
        let (ty, origin) = (self.ty.clone(), self.origin);
        match self.kind {
            ExprKind::Unary(Unary::Not, inner) => *inner,
            _ => Expr::new(ExprKind::Unary(Unary::Not, Box::new(self)), ty, origin),
        }
    }

    /// Returns an expression for a half of a tuple, the second one if `second` is true. It does not
    /// contain the other half if the tuple is a pair expression or in memory.
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
    /// A constant of the type of the expression.
    Literal(Literal),
    /// A size or index, which is computed from sizes, counters and opaque sizes.
    Nat(Nat),
    /// The value at a place.
    Load(Place),
    /// A unary operation.
    Unary(Unary, Box<Expr>),
    /// A binary operation on values of one type.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// A conditional expression `condition ? a : b`.
    Select(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A conversion to another scalar type, of a vector lane by lane.
    Cast(ScalarType, Box<Expr>),
    /// A call of a C function, which is lane by lane if it is a function of scalars and the type is
    /// a vector.
    Call(Arc<Foreign>, Vec<Expr>),
    /// A tuple.
    Pair(Box<Expr>, Box<Expr>),
    /// A half of the value of an expression of tuple type: false `_1`, true `_2`.
    Half(bool, Box<Expr>),
    /// A vector with the same value in all lanes.
    Broadcast(Box<Expr>),
    /// A vector of these lanes.
    Vector(Vec<Expr>),
    /// A lane of the value of an expression of vector type, by its number.
    Lane(Box<Expr>, Nat),
    /// An element of a literal array, selected by its index.
    Element(Vec<Expr>, Nat),
}

/// The unary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// Negation, `-`.
    Neg,
    /// The absolute value of a signed integer, which wraps around: that of the smallest integer is
    /// the smallest integer.
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
