//! The loop language between imperative DPIA and the text of a target: variables, flat places,
//! loops and scalar expressions. Lowering makes it, consuming every view; the passes
//! change it; the printer of a target writes it.
//!
//! Sizes and indices stay [`Nat`]s for as long as they are: a loop counter is a size variable whose
//! range is known, so that indices simplify.

use std::sync::Arc;

use dpia::IndexWidth;
use nat::{Facts, Nat, Prop, Var};
use rise::core::{Foreign, Launch, Origin};
use rise::{Ty, Type, primitive::Primitive};
use rustc_hash::FxHashMap;
use syntax::ast::{AddressSpace, Literal, Name, ScalarType};

/// A function of the target.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: Name,
    /// Its variables, by [`Id`].
    pub variables: Vec<Variable>,
    /// Its size parameters, in order.
    pub sizes: Vec<Var>,
    /// The width of sizes, counters and indices.
    pub index: IndexWidth,
    /// Its value parameters, in order.
    pub params: Vec<Id>,
    /// The output, the first parameter; a scalar result is its element 0.
    pub output: Id,
    /// The statements.
    pub body: Vec<Stmt>,
    /// The conditions on its sizes that it checks when it starts.
    pub requires: Vec<Prop>,
    /// Other conditions that hold for its sizes.
    pub facts: Vec<Prop>,
    /// The names of size variables.
    pub names: Vec<Name>,
    /// Indices that are computed from data: what the size variables stand for that lowering
    /// invented for them, printed in their places.
    pub opaque: Vec<(Var, Expr)>,
    /// The sizes that it is launched with, if it is one for OpenCL.
    pub launch: Launch,
    /// The size variables that stand for the number of scalars in a vector register of the machine
    /// that compiles the text.
    pub registers: Vec<(Var, ScalarType)>,
    /// The work-item queries that it uses, with the size variables that stand for the answers.
    pub items: Vec<Item>,
    /// Arrays of scalars of its own that vectors are read from or written to: they are
    /// aligned to so many bytes.
    pub aligned: FxHashMap<Id, u64>,
    /// The views that what a phrase reads was read through: they made its index.
    pub views: FxHashMap<Origin, Vec<View>>,
    /// The lengths of the arrays of the program, those among them that are never stored.
    pub dimensions: Vec<Nat>,
}

/// A view that an array is read through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// The name of its primitive.
    pub name: &'static str,
    /// The phrase.
    pub origin: Origin,
}

/// Something that a work-item asks about itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// The size variable that stands for the answer.
    pub var: Var,
    /// The question.
    pub query: Query,
    /// The dimension, 0 to 2.
    pub dimension: u8,
}

/// A work-item query, in a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Query {
    /// The number of the work-item or group.
    Id(Level),
    /// The number of work-items or groups.
    Count(Level),
}

impl Function {
    /// Returns the facts about sizes that hold everywhere in the function, those about opaque sizes
    /// among them.
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

    /// Returns true if a variable belongs to one thread or work-item alone.
    pub(crate) fn is_private(&self, id: Id) -> bool {
        self.variables[id.0 as usize].is_private()
    }

    /// A new size variable.
    pub fn fresh_size(&mut self, name: &str) -> Var {
        let var = Var(u32::try_from(self.names.len()).unwrap_or(u32::MAX));
        self.names.push(name.into());
        var
    }

    /// The size variable for the scalars in a vector register.
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

/// A variable of a [`Function`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(pub u32);

/// The declaration of a variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// The preferred name; the printer makes it unique.
    pub name: Name,
    /// The type of its elements, without arrays: scalar, index, vector or tuple of such.
    pub elem: Ty,
    /// The number of elements; `None` for a scalar variable.
    pub count: Option<Nat>,
    /// Of an array of arrays, how many elements each level has, the outermost first; indices are
    /// written by it.
    pub extents: Vec<Nat>,
    /// The memory it is in.
    pub home: Home,
    /// The phrase that asked for it.
    pub origin: Origin,
}

/// The memory of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// The output parameter.
    Output,
    /// A parameter that is read.
    Input,
    /// Declared in the function; for OpenCL in this address space.
    Local(Option<AddressSpace>),
    /// A pointer that is set to one or another variable ([`Stmt::Point`]); written through if
    /// `writable`.
    Pointer {
        /// True if it is written through.
        writable: bool,
        /// True if what it points to is reached in its scope through it alone.
        alone: bool,
    },
}

impl Variable {
    /// Returns true if it belongs to one thread or work-item alone, in memory that the function
    /// declares.
    pub(crate) fn is_private(&self) -> bool {
        matches!(self.home, Home::Local(None | Some(AddressSpace::Private)))
    }

    /// Returns true if it is in memory that work-items share, other than parameters.
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
    /// The primitive or pass that made it: shown on hover in previews.
    pub made_by: Option<Maker>,
}

/// The origin of a statement inside of the compiler.
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
    /// A variable, in scope until the end of the block, with its initial value if it has one.
    Declare(Id, Option<Expr>),
    /// `place = value;`
    Assign(Place, Expr),
    /// `for (int i = from; i < to; i += step)`; the counter is a size variable of this range.
    For {
        /// The counter.
        counter: Var,
        /// Its first value.
        from: Nat,
        /// The end of its range.
        to: Nat,
        /// The increment.
        step: Nat,
        /// The mode of execution.
        mode: LoopMode,
        /// The body.
        body: Vec<Stmt>,
    },
    /// `if (condition) { then } else { otherwise }`
    If {
        /// A truth value.
        condition: Expr,
        /// If it holds.
        then: Vec<Stmt>,
        /// If it does not.
        otherwise: Vec<Stmt>,
    },
    /// A scope.
    Block(Vec<Stmt>),
    /// Makes a pointer variable point to the first element of a variable or of what another
    /// pointer points to now.
    Point(Id, Place),
    /// Exchanges what two pointers point to.
    Swap(Id, Id),
    /// A reduction by threads, see [`ParallelReduce`].
    Reduce(Box<ParallelReduce>),
    /// Waits until all work-items of the group are here.
    Barrier(Box<Barrier>),
    /// A kernel, only at the outermost level of a function; passes see its body alone.
    Kernel(Box<Kernel>),
}

/// `into = combine(… combine(into, element(0)) …, element(count - 1))`, in any grouping.
#[derive(Clone, Debug)]
pub struct ParallelReduce {
    /// The index of the element.
    pub counter: Var,
    /// The number of elements.
    pub count: Nat,
    /// Has its initial value already, which counts once. A plain variable.
    pub into: Id,
    /// Computes what is to be combined into `element`; only the counter changes.
    pub element_body: Vec<Stmt>,
    /// The variable that `element_body` leaves its result in.
    pub element: Id,
    /// Puts into `left` what `left` and `right` make. Both are plain variables.
    pub combine: Vec<Stmt>,
    /// The left operand and the result.
    pub left: Id,
    /// The right operand.
    pub right: Id,
}

/// The mode of execution of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopMode {
    /// One iteration after the other.
    Sequential,
    /// Written out: passes see to it.
    Unrolled,
    /// The lanes of a vector: iterations do not depend on each other.
    Vector,
    /// OpenMP's threads.
    Parallel,
    /// OpenCL's work-items of this level share the iterations, in this dimension. It starts at 0
    /// and counts by 1; each iteration is done by one of them.
    Items(Level, u8),
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
    /// That of a work-group.
    pub local: bool,
    /// That of the device.
    pub global: bool,
}

/// A place where the work-items of a group wait for each other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Barrier {
    /// The memory that it makes visible.
    pub fences: Fences,
    /// The pairs of accesses that need it.
    pub orders: Vec<Ordered>,
}

/// Two accesses of different work-items to one place in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Ordered {
    /// The access that comes first.
    pub first: Origin,
    /// The one that waits for it.
    pub second: Origin,
    /// The kind of dependence.
    pub kind: Order,
}

/// Why an access waits for another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// It reads what the first one wrote.
    Flow,
    /// It overwrites what the first one read.
    Reuse,
    /// Both write.
    Output,
}

/// A part of a function that is one kernel.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// The sizes that it is launched with.
    pub launch: Launch,
    /// The statements that each work-item runs.
    pub body: Vec<Stmt>,
}

/// A place in memory: an element of a variable, and a part of the element.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// The variable.
    pub id: Id,
    /// The number of the element, counted in elements of the variable's type (in scalars where
    /// `lanes` is set); `None` for plain variables.
    pub index: Option<Nat>,
    /// The tuple members on the way to the part, outermost first: false `_1`, true `_2`.
    pub members: Vec<bool>,
    /// The lane of a vector.
    pub lane: Option<Nat>,
    /// So many scalars from `index` on as one vector.
    pub lanes: Option<Nat>,
}

/// An expression without arrays.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// The form of the expression.
    pub kind: ExprKind,
    /// Its type: scalar, index, vector or tuple.
    pub ty: Ty,
    /// The phrase that it comes from.
    pub origin: Origin,
}

impl Expr {
    /// Returns true if this calls a function of scalars for each lane of its arguments.
    pub(crate) fn is_lanewise_call(&self) -> bool {
        let is_vector = |ty: &Type| matches!(ty, Type::Vector(..));
        let ExprKind::Call(function, _) = &self.kind else {
            return false;
        };
        is_vector(&self.ty) && !is_vector(&function.result)
    }

    /// A half of a tuple: of one that is written out or in memory, without the other.
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
        Expr {
            kind,
            ty,
            origin: self.origin,
        }
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
    /// An operator on one value.
    Unary(Unary, Box<Expr>),
    /// An operator on two values of one type.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// `condition ? a : b`
    Select(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A scalar as another scalar type.
    Cast(ScalarType, Box<Expr>),
    /// A C function.
    Call(Arc<Foreign>, Vec<Expr>),
    /// A tuple.
    Pair(Box<Expr>, Box<Expr>),
    /// Half of a tuple that is no place: false `_1`, true `_2`.
    Half(bool, Box<Expr>),
    /// A vector with one value in all lanes.
    Broadcast(Box<Expr>),
    /// A vector of these lanes.
    Vector(Vec<Expr>),
    /// A lane of a vector that is no place.
    Lane(Box<Expr>, Nat),
    /// One of these, by its number: an array that is written out where it is read.
    Element(Vec<Expr>, Nat),
}

/// Operators on one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// `-`
    Neg,
    /// `!`
    Not,
}

/// Operators on two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
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
    /// `>`
    Gt,
    /// `<`
    Lt,
    /// `>=`
    Ge,
    /// `<=`
    Le,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `&&`
    And,
    /// `||`
    Or,
}
