//! Data types with numeric sizes, and their memory layout in C.

use crate::scalar::Leaf;
use dpia::IndexWidth;
use nat::{Nat, NatFun, Var};
use rise::{DataFun, Names, Ty, Type};
use rustc_hash::FxHashMap;
use std::fmt::{self, Display};
use std::sync::Arc;
use syntax::ast::ScalarType;
use thiserror::Error;

/// The largest number of rows of a dependent array, because the offset of each row is stored.
const MAX_ROWS: u64 = 1 << 22;

/// A data type with numeric sizes.
///
/// The memory layout is that of C: elements are consecutive, tuples are structs with padding,
/// `bool` is one byte, and `natType` and `Idx` are 32 bits wide. A vector consists of its elements;
/// one with a native type of the compiler (see [`is_native_vector`]) is aligned to its size.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// A scalar.
    Scalar(ScalarType),
    /// The index type `Idx[n]`.
    Index(u64),
    /// The vector type `Vec[n, t]`.
    Vector(u32, Leaf),
    /// The array type `n.t`.
    Array(u64, Arc<Shape>),
    /// The dependent array type `n..f`, each of whose elements has its own shape.
    DepArray(Arc<Rows>),
    /// The pair type `(s, t)`.
    Pair(Arc<Shape>, Arc<Shape>),
    /// A value of type `DepPair[k => t]` with a known size: `k` (32 bits), followed by `t`.
    DepPair(u64, Arc<Shape>),
}

/// The elements of a dependent array.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rows {
    shapes: Box<[Shape]>,
    /// The offset of each element, and the end of the last one, in bytes.
    offsets: Box<[u64]>,
    align: u64,
}

/// The reason why a type has no shape, or a value of a shape cannot be allocated.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ShapeError {
    /// A size variable has no value.
    #[error("the size `{0}` has no value; give one with `-D {0}=…`")]
    Unknown(String),
    /// A size is undefined, or overflows.
    #[error("the size `{0}` cannot be computed for these sizes: it overflows, or divides by zero")]
    Undefined(String),
    /// A size is negative.
    #[error("the size `{0}` is {1} for these sizes, which is negative")]
    Negative(String, i64),
    /// There are more elements than the index width allows.
    #[error(
        "`{0}` has {1} elements, and {limit}", limit = limit_text(*.2)
    )]
    TooLarge(String, u64, IndexWidth),
    /// The number of elements overflows.
    #[error("`{0}` has more elements than can be counted")]
    Uncountable(String),
    /// A dependent array has too many rows.
    #[error("`{0}` is a dependent array of {1} rows; up to 4194304 are allowed")]
    TooManyRows(String, u64),
    /// A type variable has no value.
    #[error("the type `{0}` is not known; a run needs a definition without type parameters")]
    Polymorphic(String),
    /// The size of a dependent pair is only known with its value.
    #[error(
        "a value of `{0}` cannot be given, because its size is part of it; take the size and the \
         array as two parameters, and make the pair with `makeDepPair`"
    )]
    Dependent(String),
    /// The type is a function type, or erroneous.
    #[error("`{0}` is not a type of data")]
    NotData(String),
    /// The memory cannot be allocated.
    #[error("{0} bytes cannot be allocated")]
    NoMemory(u64),
}

/// The values of the variables in a type.
#[derive(Clone, Debug, Default)]
pub struct Bindings {
    /// The values of sizes.
    pub nats: FxHashMap<Var, i64>,
    /// The values of type variables.
    pub types: FxHashMap<Var, Ty>,
    /// The values of functions from sizes to sizes.
    pub size_funs: FxHashMap<Var, NatFun>,
    /// The values of functions from sizes to types.
    pub data_funs: FxHashMap<Var, DataFun>,
    /// The names of the variables, for messages.
    pub names: Names,
    /// The width of indices.
    pub index: IndexWidth,
}

fn limit_text(index: IndexWidth) -> &'static str {
    match index {
        IndexWidth::Bits32 => "generated code counts with 32 bits: below 2^31 are allowed",
        IndexWidth::Bits64 => "below 2^59 are allowed",
    }
}

impl Bindings {
    /// Evaluates a size.
    pub fn nat(&self, nat: &Nat) -> Result<u64, ShapeError> {
        self.under(nat, &[])
    }

    fn under(&self, nat: &Nat, bound: &[(Var, i64)]) -> Result<u64, ShapeError> {
        let text = || rise::print::nat_text(nat, &self.names);
        let value = self.eval(nat, bound).ok_or_else(|| {
            let mut missing = None;
            nat.for_each_var(&mut |var| {
                let known = self.lookup(var, bound).is_some() || self.size_funs.contains_key(&var);
                if !known && missing.is_none() {
                    missing = Some(var);
                }
            });
            match missing {
                Some(var) => ShapeError::Unknown(self.names.get(var).to_string()),
                None => ShapeError::Undefined(text()),
            }
        })?;
        u64::try_from(value).map_err(|_| ShapeError::Negative(text(), value))
    }

    /// Formats the values of the sizes that `each` visits: `n = 5, k = 2`.
    pub(crate) fn values_text(&self, each: impl FnOnce(&mut dyn FnMut(Var))) -> String {
        let mut all: Vec<String> = Vec::new();
        each(&mut |var| {
            if let Some(value) = self.nats.get(&var) {
                let text = format!("{} = {value}", self.names.get(var));
                if !all.contains(&text) {
                    all.push(text);
                }
            }
        });
        all.join(", ")
    }

    fn lookup(&self, var: Var, bound: &[(Var, i64)]) -> Option<i64> {
        let inner = bound.iter().rev().find(|(name, _)| *name == var);
        inner
            .map(|(_, value)| *value)
            .or_else(|| self.nats.get(&var).copied())
    }

    fn eval(&self, nat: &Nat, bound: &[(Var, i64)]) -> Option<i64> {
        let vars = |var| self.lookup(var, bound);
        if self.size_funs.is_empty() {
            return nat.eval(&vars, &|_, _| None);
        }
        let funs = |var| self.size_funs.get(&var).cloned();
        nat.subst_fun(&funs).eval(&vars, &|_, _| None)
    }
}

impl Shape {
    /// Returns the shape of a data type.
    pub fn of(ty: &Type, bindings: &Bindings) -> Result<Shape, ShapeError> {
        let shape = Builder {
            bindings,
            bound: Vec::new(),
        }
        .shape(ty)?;
        let text = || rise::print::type_text(ty, &bindings.names);
        match shape.count() {
            None => Err(ShapeError::Uncountable(text())),
            Some(count) if count >= bindings.index.limit() => {
                Err(ShapeError::TooLarge(text(), count, bindings.index))
            }
            Some(_) => Ok(shape),
        }
    }

    /// Returns the shape of a leaf.
    pub fn leaf(leaf: Leaf) -> Shape {
        match leaf {
            Leaf::Scalar(scalar) => Shape::Scalar(scalar),
            Leaf::Index(bound) => Shape::Index(bound),
        }
    }

    /// Returns the leaf of a shape that is a scalar or an index; `None` for other shapes.
    pub fn as_leaf(&self) -> Option<Leaf> {
        match self {
            Shape::Scalar(scalar) => Some(Leaf::Scalar(*scalar)),
            Shape::Index(bound) => Some(Leaf::Index(*bound)),
            _ => None,
        }
    }

    /// Returns the number of leaves; `None` if it overflows.
    pub fn count(&self) -> Option<u64> {
        match self {
            Shape::Scalar(_) | Shape::Index(_) => Some(1),
            Shape::Vector(n, _) => Some(u64::from(*n)),
            Shape::Array(n, element) => n.checked_mul(element.count()?),
            Shape::DepArray(rows) => {
                (rows.shapes.iter()).try_fold(0u64, |sum, row| sum.checked_add(row.count()?))
            }
            Shape::Pair(first, second) => first.count()?.checked_add(second.count()?),
            Shape::DepPair(_, value) => value.count()?.checked_add(1),
        }
    }

    /// Returns the size in bytes, with the padding that an array of this shape needs. Does not
    /// overflow for results of [`Shape::of`].
    pub fn size(&self) -> u64 {
        match self {
            Shape::Scalar(scalar) => Leaf::Scalar(*scalar).size(),
            Shape::Index(_) => 4,
            Shape::Vector(n, leaf) => u64::from(*n).saturating_mul(leaf.size()),
            Shape::Array(n, element) => n.saturating_mul(element.size()),
            Shape::DepArray(rows) => rows.offsets.last().copied().unwrap_or(0),
            Shape::Pair(_, second) => round_up(
                self.second_offset().saturating_add(second.size()),
                self.align(),
            ),
            Shape::DepPair(_, value) => round_up(
                self.second_offset().saturating_add(value.size()),
                self.align(),
            ),
        }
    }

    /// Returns the alignment in bytes.
    pub fn align(&self) -> u64 {
        match self {
            Shape::Scalar(scalar) => Leaf::Scalar(*scalar).size(),
            Shape::Index(_) => 4,
            Shape::Vector(n, leaf) if is_native_vector(*n, *leaf) => u64::from(*n) * leaf.size(),
            Shape::Vector(_, leaf) => leaf.size(),
            Shape::Array(_, element) => element.align(),
            Shape::DepArray(rows) => rows.align,
            Shape::Pair(first, second) => first.align().max(second.align()),
            Shape::DepPair(_, value) => value.align().max(4),
        }
    }

    /// Returns the offset in bytes of the second component of a pair, or of the value of a
    /// dependent pair; 0 for other shapes.
    pub fn second_offset(&self) -> u64 {
        match self {
            Shape::Pair(first, second) => round_up(first.size(), second.align()),
            Shape::DepPair(_, value) => round_up(4, value.align()),
            _ => 0,
        }
    }

    /// Returns the outputs of a program with this result and this number of outputs, from left to
    /// right, each with its offset in bytes; `None` if the shape has no such parts.
    ///
    /// The outputs are those of [`rise::types::outputs`], or, for a command that takes several
    /// acceptors of values without arrays, the components of the tuple of all its outputs.
    pub fn outputs(&self, count: usize) -> Option<Vec<(u64, &Shape)>> {
        fn collect<'s>(shape: &'s Shape, at: u64, found: &mut Vec<(u64, &'s Shape)>) {
            match shape {
                Shape::Pair(first, second) if shape.contains_array() => {
                    collect(first, at, found);
                    collect(second, at + shape.second_offset(), found);
                }
                _ => found.push((at, shape)),
            }
        }
        let mut found = Vec::new();
        collect(self, 0, &mut found);
        while found.len() < count {
            let (at, last) = found.pop()?;
            let Shape::Pair(first, second) = last else {
                return None;
            };
            found.push((at, first));
            found.push((at + last.second_offset(), second));
        }
        (found.len() == count).then_some(found)
    }

    fn contains_array(&self) -> bool {
        match self {
            Shape::Array(..) | Shape::DepArray(_) | Shape::DepPair(..) => true,
            Shape::Pair(first, second) => first.contains_array() || second.contains_array(),
            Shape::Scalar(_) | Shape::Index(_) | Shape::Vector(..) => false,
        }
    }

    /// Calls `visit` with the offset in bytes and the type of each leaf, in the order of memory.
    /// Stops at the first error.
    pub fn for_each_leaf<E>(
        &self,
        visit: &mut impl FnMut(u64, Leaf) -> Result<(), E>,
    ) -> Result<(), E> {
        self.leaves_from(0, visit)
    }

    fn leaves_from<E>(
        &self,
        offset: u64,
        visit: &mut impl FnMut(u64, Leaf) -> Result<(), E>,
    ) -> Result<(), E> {
        match self {
            Shape::Scalar(scalar) => visit(offset, Leaf::Scalar(*scalar)),
            Shape::Index(bound) => visit(offset, Leaf::Index(*bound)),
            Shape::Vector(n, leaf) => {
                (0..u64::from(*n)).try_for_each(|at| visit(offset + at * leaf.size(), *leaf))
            }
            Shape::Array(n, element) => {
                let stride = element.size();
                (0..*n).try_for_each(|at| element.leaves_from(offset + at * stride, visit))
            }
            Shape::DepArray(rows) => (rows.shapes.iter().zip(&rows.offsets))
                .try_for_each(|(row, at)| row.leaves_from(offset + at, visit)),
            Shape::Pair(first, second) => {
                first.leaves_from(offset, visit)?;
                second.leaves_from(offset + self.second_offset(), visit)
            }
            Shape::DepPair(_, value) => {
                visit(offset, Leaf::Scalar(ScalarType::NatType))?;
                value.leaves_from(offset + self.second_offset(), visit)
            }
        }
    }
}

impl Rows {
    /// Creates the layout of a dependent array with these elements.
    pub fn new(shapes: Vec<Shape>) -> Rows {
        let mut offsets = Vec::with_capacity(shapes.len() + 1);
        let (mut end, mut align) = (0u64, 1);
        for shape in &shapes {
            let start = round_up(end, shape.align());
            offsets.push(start);
            end = start.saturating_add(shape.size());
            align = align.max(shape.align());
        }
        offsets.push(end);
        Rows {
            shapes: shapes.into(),
            offsets: offsets.into(),
            align,
        }
    }

    /// Returns the shapes of the elements.
    pub fn shapes(&self) -> &[Shape] {
        &self.shapes
    }

    /// Returns the offset of each element in bytes.
    pub fn offsets(&self) -> &[u64] {
        &self.offsets[..self.shapes.len()]
    }
}

/// Returns true if the vector type is a native vector type of C compilers, which support powers of
/// two of lanes, but no truth values. Other vectors are structs that contain an array.
pub fn is_native_vector(lanes: u32, leaf: Leaf) -> bool {
    lanes.is_power_of_two() && leaf != Leaf::Scalar(ScalarType::Bool)
}

fn round_up(offset: u64, align: u64) -> u64 {
    offset
        .checked_next_multiple_of(align.max(1))
        .unwrap_or(u64::MAX)
}

struct Builder<'a> {
    bindings: &'a Bindings,
    bound: Vec<(Var, i64)>,
}

impl Builder<'_> {
    fn shape(&mut self, ty: &Type) -> Result<Shape, ShapeError> {
        Ok(match ty {
            Type::Scalar(scalar) => Shape::Scalar(*scalar),
            Type::Index(n) => Shape::Index(self.nat(n)?),
            Type::Vector(n, element) => {
                let n = self.nat(n)?;
                let leaf = self.shape(element)?.as_leaf();
                let leaf = leaf.ok_or_else(|| ShapeError::NotData(self.text(ty)))?;
                let lanes = u32::try_from(n)
                    .ok()
                    .filter(|n| u64::from(*n) < IndexWidth::Bits32.limit());
                Shape::Vector(
                    lanes.ok_or_else(|| {
                        ShapeError::TooLarge(self.text(ty), n, IndexWidth::Bits32)
                    })?,
                    leaf,
                )
            }
            Type::Array(n, element) => Shape::Array(self.nat(n)?, Arc::new(self.shape(element)?)),
            Type::Pair(first, second) => {
                Shape::Pair(Arc::new(self.shape(first)?), Arc::new(self.shape(second)?))
            }
            Type::DepArray(n, fun) => {
                let n = self.nat(n)?;
                if n > MAX_ROWS {
                    return Err(ShapeError::TooManyRows(self.text(ty), n));
                }
                let rows: Result<_, _> = (0..n as i64).map(|at| self.apply(fun, at)).collect();
                Shape::DepArray(Arc::new(Rows::new(rows?)))
            }
            Type::DepPair(_) => return Err(ShapeError::Dependent(self.text(ty))),
            Type::Var(var) => match self.bindings.types.get(var) {
                Some(ty) => self.shape(ty)?,
                None => return Err(ShapeError::Polymorphic(self.text(ty))),
            },
            Type::Apply(fun, arg) => {
                let arg = self.nat(arg)?;
                let Ok(arg) = i64::try_from(arg) else {
                    return Err(ShapeError::Undefined(self.text(ty)));
                };
                self.apply(&DataFun::Var(*fun), arg)?
            }
            _ => return Err(ShapeError::NotData(self.text(ty))),
        })
    }

    fn apply(&mut self, fun: &DataFun, arg: i64) -> Result<Shape, ShapeError> {
        let fun = match fun {
            DataFun::Var(var) => match self.bindings.data_funs.get(var) {
                Some(fun) => fun,
                None => {
                    let name = self.bindings.names.get(*var);
                    return Err(ShapeError::Polymorphic(name.to_string()));
                }
            },
            lambda => lambda,
        };
        let DataFun::Lambda(param, body) = fun else {
            return Err(ShapeError::Polymorphic("_".to_owned()));
        };
        self.bound.push((*param, arg));
        let shape = self.shape(body);
        self.bound.pop();
        shape
    }

    fn nat(&self, nat: &Nat) -> Result<u64, ShapeError> {
        self.bindings.under(nat, &self.bound)
    }

    fn text(&self, ty: &Type) -> String {
        rise::print::type_text(ty, &self.bindings.names)
    }
}

impl Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shape::Scalar(scalar) => write!(f, "{scalar}"),
            Shape::Index(bound) => write!(f, "Idx[{bound}]"),
            Shape::Vector(n, leaf) => write!(f, "Vec[{n}, {}]", Shape::leaf(*leaf)),
            Shape::Array(n, element) => write!(f, "{n}.{element}"),
            Shape::DepArray(rows) => write!(f, "{}..f", rows.shapes.len()),
            Shape::Pair(first, second) => write!(f, "({first}, {second})"),
            Shape::DepPair(n, value) => write!(f, "DepPair[{n}, {value}]"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rise::core::program_of;

    /// Returns the shape of the parameter of a function with this type, for `n` and `m`.
    fn shape(ty: &str, n: i64, m: i64) -> Result<Shape, String> {
        let text = format!(
            "def f : (n: Nat) -> (m: Nat) -> ({ty}) -> i32 = depFun((n: Nat, m: Nat) => fun(x => 0))"
        );
        let program = program_of(&text, "f").map_err(|error| error.to_string())?;
        let signature = program.signature();
        let bindings = Bindings {
            nats: signature.sizes().zip([n, m]).collect(),
            names: Names(program.names.clone().into()),
            ..Bindings::default()
        };
        let param = signature.values().next().ok_or("no parameter")?;
        Shape::of(&param.ty, &bindings).map_err(|error| error.to_string())
    }

    /// Returns the size, the alignment, and the offsets of the leaves.
    fn layout(ty: &str) -> (u64, u64, Vec<u64>) {
        let shape = match shape(ty, 3, 2) {
            Ok(shape) => shape,
            Err(error) => panic!("{ty}: {error}"),
        };
        let mut offsets = Vec::new();
        let visited = shape.for_each_leaf(&mut |offset, _| -> Result<(), ()> {
            offsets.push(offset);
            Ok(())
        });
        assert_eq!(visited, Ok(()));
        assert_eq!(shape.count(), Some(offsets.len() as u64));
        (shape.size(), shape.align(), offsets)
    }

    #[test]
    fn layout_is_that_of_c() {
        assert_eq!(layout("bool"), (1, 1, vec![0]));
        assert_eq!(layout("natType"), (4, 4, vec![0]));
        assert_eq!(layout("Idx[n]"), (4, 4, vec![0]));
        assert_eq!(layout("m.f64"), (16, 8, vec![0, 8]));
        assert_eq!(layout("(bool, f64)"), (16, 8, vec![0, 8]));
        assert_eq!(layout("(f64, bool)"), (16, 8, vec![0, 8]));
        assert_eq!(layout("m.(i16, i8)"), (8, 2, vec![0, 2, 4, 6]));
        assert_eq!(layout("((i8, i32), i8)"), (12, 4, vec![0, 4, 8]));
        assert_eq!(
            layout("(i8, Vec[4, f32])"),
            (32, 16, vec![0, 16, 20, 24, 28])
        );
        assert_eq!(layout("(i8, Vec[3, f32])"), (16, 4, vec![0, 4, 8, 12]));
        assert_eq!(layout("(i8, Vec[2, bool])"), (3, 1, vec![0, 1, 2]));
        assert_eq!(layout("n..dataFun(i => i.i16)"), (6, 2, vec![0, 2, 4]));
    }

    #[test]
    fn types_without_a_shape_are_refused() {
        let error = |ty: &str, n, m| shape(ty, n, m).map(|shape| shape.to_string());
        assert_eq!(error("n.m.f32", 3, 2), Ok("3.2.f32".to_owned()));
        assert_eq!(
            error("n.m.f32", 1 << 16, 1 << 15),
            Err("`n.m.f32` has 2147483648 elements, and generated code counts with 32 bits: below 2^31 are allowed".to_owned())
        );
        assert_eq!(
            error("n.m.f32", i64::MAX, 4),
            Err("`n.m.f32` has more elements than can be counted".to_owned())
        );
        assert_eq!(
            error("(n/m).f32", 1, 0),
            Err("the size `n/m` cannot be computed for these sizes: it overflows, or divides by zero".to_owned())
        );
        assert_eq!(
            error("n..dataFun(i => i.f32)", 1 << 23, 0),
            Err("`n..dataFun(i => i.f32)` is a dependent array of 8388608 rows; up to 4194304 are allowed".to_owned())
        );
        assert_eq!(
            error("DepPair[k => k.f32]", 1, 1),
            Err(
                "a value of `DepPair[k => k.f32]` cannot be given, because its size is part of it; \
                 take the size and the array as two parameters, and make the pair with `makeDepPair`"
                    .to_owned()
            )
        );
    }
}
