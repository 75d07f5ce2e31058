//! Defines the types of ELEVATE: those of the language, and the type variables of inference.

use std::fmt::Write;
use std::sync::Arc;

use syntax::ast::Name;

/// A shared type.
pub type Ty = Arc<Type>;

/// The type of an expression of ELEVATE.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// The type of an erroneous expression, which has been reported. It is compatible with every
    /// type.
    Error,
    /// An undetermined type during inference. A [`Scheme`] contains none.
    Open(u32),
    /// A type parameter of a [`Scheme`].
    Param(u32),
    /// A size: a literal, or an expression over the size variables of the program.
    Nat,
    /// An integer.
    Int,
    /// A truth value.
    Bool,
    /// A string.
    String,
    /// An address space.
    Addr,
    /// A RISE expression.
    Expr,
    /// A RISE type.
    Type,
    /// The result of a strategy: `Success(program)` or `Failure(strategy)`.
    Result,
    /// A function from programs to results.
    Strategy(Flavour),
    /// A list: `List[t]`.
    List(Ty),
    /// A tuple: `(a, b)`; `()` has no members.
    Tuple(Arc<[Ty]>),
    /// A function of one parameter list. Curried functions nest.
    Fun(Arc<[Param]>, Ty),
}

/// A subtype of strategies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flavour {
    /// Any strategy.
    Strategy,
    /// A predicate, which returns the program unchanged or fails.
    Pred,
    /// A single rewrite rule.
    Rule,
}

impl Type {
    /// Returns the text of a call of a function `name` of this type, with example arguments.
    /// Optional parameters are left out. `None` if a required parameter is neither a number, a
    /// truth value, an address space nor a strategy.
    pub fn example_call(&self, name: &str) -> Option<String> {
        let mut call = name.to_owned();
        let mut ty = self;
        while let Type::Fun(params, result) = ty {
            let needed = params.iter().filter(|param| !param.optional);
            let args: Vec<&str> = needed
                .map(|param| param.ty.example())
                .collect::<Option<_>>()?;
            if !args.is_empty() {
                let _ = write!(call, "({})", args.join(", "));
            }
            ty = result;
        }
        Some(call)
    }

    fn example(&self) -> Option<&'static str> {
        Some(match self {
            Type::Nat | Type::Int => "32",
            Type::Bool => "true",
            Type::Addr => "Global",
            Type::Strategy(_) => "lowerToC",
            _ => return None,
        })
    }
}

/// A parameter of a function.
#[derive(Clone, Debug)]
pub struct Param {
    /// The name of the parameter; empty if it has none.
    pub name: Name,
    /// The type of the parameter.
    pub ty: Ty,
    /// True if the argument may be left out.
    pub optional: bool,
}

/// Parameters are compared without their names.
impl PartialEq for Param {
    fn eq(&self, other: &Self) -> bool {
        self.ty == other.ty && self.optional == other.optional
    }
}

impl Eq for Param {}

impl std::hash::Hash for Param {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.ty.hash(state);
        self.optional.hash(state);
    }
}

impl Param {
    /// Returns a required parameter without a name.
    pub fn of(ty: Ty) -> Param {
        Param {
            name: Name::default(),
            ty,
            optional: false,
        }
    }
}

/// A polymorphic type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Scheme {
    /// The names of the type parameters, by number.
    pub params: Arc<[Name]>,
    /// The type, which may contain [`Type::Param`]s.
    pub ty: Ty,
}

impl Scheme {
    /// Returns a scheme without type parameters.
    pub fn mono(ty: Ty) -> Scheme {
        Scheme {
            params: Arc::default(),
            ty,
        }
    }

    /// Returns the text of the type: `(c: Pred) -> (s: Strategy) -> Strategy`.
    pub fn text(&self) -> String {
        type_text(&self.ty, &self.params)
    }

    /// Returns the parameter lists of the type, outermost first, and the type of the final result.
    pub fn lists(&self) -> (Vec<Arc<[Param]>>, Ty) {
        let mut lists = Vec::new();
        let mut ty = self.ty.clone();
        while let Type::Fun(params, result) = &*ty.clone() {
            lists.push(params.clone());
            ty = result.clone();
        }
        (lists, ty)
    }
}

impl Type {
    /// Returns the type of all strategies.
    pub fn strategy() -> Ty {
        Arc::new(Type::Strategy(Flavour::Strategy))
    }

    /// Returns the type `Strategy -> Strategy`.
    pub fn traversal() -> Ty {
        Type::fun([Type::strategy()], Type::strategy())
    }

    /// Returns the type of a function with one list of parameters without names.
    pub fn fun(params: impl IntoIterator<Item = Ty>, result: Ty) -> Ty {
        Arc::new(Type::Fun(
            params.into_iter().map(Param::of).collect(),
            result,
        ))
    }

    /// Returns true for strategies of any flavour.
    pub fn is_strategy(&self) -> bool {
        matches!(self, Type::Strategy(_))
    }

    /// Returns true for `Expr -> Result` whose parameter has no name, which is equal to `Strategy`.
    pub(crate) fn is_plain_strategy(&self) -> bool {
        match self {
            Type::Fun(params, result) => {
                matches!(&params[..], [only] if *only.ty == Type::Expr && only.name.is_empty())
                    && **result == Type::Result
            }
            _ => false,
        }
    }

    /// Returns true for functions of one parameter from strategies to strategies, of any flavours.
    pub fn is_traversal(&self) -> bool {
        match self {
            Type::Fun(params, result) => {
                matches!(&params[..], [only] if only.ty.is_strategy()) && result.is_strategy()
            }
            _ => false,
        }
    }

    /// Returns the type with `f` applied to its direct parts: the elements of a list, the members
    /// of a tuple, or the parameters and the result of a function.
    pub(crate) fn map(self: &Arc<Self>, f: &mut dyn FnMut(&Ty) -> Ty) -> Ty {
        match &**self {
            Type::List(elem) => Arc::new(Type::List(f(elem))),
            Type::Tuple(members) => Arc::new(Type::Tuple(members.iter().map(f).collect())),
            Type::Fun(params, result) => {
                let params = params.iter().map(|param| Param {
                    ty: f(&param.ty),
                    ..param.clone()
                });
                let params = params.collect();
                Arc::new(Type::Fun(params, f(result)))
            }
            _ => self.clone(),
        }
    }
}

/// Returns the text of a type. `params` are the names of its type parameters.
pub fn type_text(ty: &Type, params: &[Name]) -> String {
    let mut out = String::new();
    write_type(&mut out, ty, params, false);
    out
}

/// Writes a type. If `atom` is set, function types that are not written as `Traversal` are in
/// parentheses.
fn write_type(out: &mut String, ty: &Type, params: &[Name], atom: bool) {
    let word = match ty {
        Type::Error | Type::Open(_) => "_",
        Type::Nat => "Nat",
        Type::Int => "Int",
        Type::Bool => "Bool",
        Type::String => "String",
        Type::Addr => "Addr",
        Type::Expr => "Expr",
        Type::Type => "Type",
        Type::Result => "Result",
        Type::Strategy(Flavour::Strategy) => "Strategy",
        Type::Strategy(Flavour::Pred) => "Pred",
        Type::Strategy(Flavour::Rule) => "Rule",
        Type::Param(index) => params.get(*index as usize).map_or("_", |name| name),
        Type::List(elem) => {
            out.push_str("List[");
            write_type(out, elem, params, false);
            out.push(']');
            return;
        }
        Type::Tuple(members) => {
            out.push('(');
            write_list(out, members.iter(), params);
            out.push(')');
            return;
        }
        Type::Fun(list, result) => {
            if ty.is_traversal() && list[0].name.is_empty() {
                out.push_str("Traversal");
                return;
            }
            if atom {
                out.push('(');
            }
            write_params(out, list, params);
            out.push_str(" -> ");
            write_type(out, result, params, false);
            if atom {
                out.push(')');
            }
            return;
        }
    };
    out.push_str(word);
}

fn write_list<'t>(out: &mut String, types: impl Iterator<Item = &'t Ty>, params: &[Name]) {
    for (index, ty) in types.enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        write_type(out, ty, params, false);
    }
}

fn write_params(out: &mut String, list: &[Param], params: &[Name]) {
    if let [only] = list
        && only.name.is_empty()
    {
        return write_type(out, &only.ty, params, true);
    }
    out.push('(');
    for (index, param) in list.iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        if !param.name.is_empty() {
            let _ = write!(out, "{}: ", param.name);
        }
        write_type(out, &param.ty, params, false);
        if param.optional {
            out.push_str(" = …");
        }
    }
    out.push(')');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str, ty: Type, optional: bool) -> Param {
        Param {
            name: name.into(),
            ty: Arc::new(ty),
            optional,
        }
    }

    #[test]
    fn types_are_written_as_they_are_read() {
        let pred = Arc::new(Type::Strategy(Flavour::Pred));
        let lists = Arc::new(Type::Fun(
            Arc::new([named("n", Type::Nat, false), named("d", Type::Int, true)]),
            Type::fun([pred], Type::strategy()),
        ));
        assert_eq!(
            Scheme::mono(lists.clone()).text(),
            "(n: Nat, d: Int = …) -> Traversal"
        );
        let higher = Type::fun([Type::fun([Arc::new(Type::Nat)], lists.clone())], lists);
        assert!(type_text(&higher, &[]).starts_with("(Nat -> (n: Nat"));
        assert_eq!(type_text(&Type::traversal(), &[]), "Traversal");
        let list = Type::List(Arc::new(Type::Param(0)));
        assert_eq!(type_text(&list, &["a".into()]), "List[a]");
    }
}
