//! Defines the values of expressions of strategies.

use std::fmt::Write;
use std::sync::Arc;

use nat::Nat;
use rise::types::{Address, Ty};
use syntax::ast::Name;
use syntax::elevate::ast::{ExprId, ParamId};

use super::quote::{Fresh, Quoted};
use crate::engine::Strategy;
use crate::lang::check::BinderKey;
use crate::lang::definition::Definition;
use crate::term::Term;

/// A value. Large contents are reference-counted, so cloning is cheap.
#[derive(Clone, Debug)]
pub enum Value {
    /// A strategy, predicate or rule with its arguments.
    Strategy(Strategy),
    /// A size, which may contain variables.
    Nat(Nat),
    /// An integer.
    Int(i64),
    /// A truth value.
    Bool(bool),
    /// A string.
    String(Arc<str>),
    /// An address space.
    Address(Address),
    /// A RISE type.
    Type(Ty),
    /// A RISE expression.
    Expr(Expr),
    /// A list.
    List(List),
    /// A tuple: `(a, b)`.
    Tuple(Arc<[Value]>),
    /// A function.
    Function(Arc<Function>),
    /// The result of a strategy: the rewritten program, or the strategy that failed.
    Result(Result<Expr, Strategy>),
}

/// A RISE expression.
#[derive(Clone, Debug)]
pub enum Expr {
    /// A term in the store.
    Term(Term),
    /// A quotation, which becomes a term when a store is available.
    Quoted(Arc<Quoted>),
    /// A variable that the strategy creates.
    Fresh(Arc<Fresh>),
}

/// A list, which shares its elements with its suffixes.
#[derive(Clone, Debug)]
pub struct List {
    all: Arc<[Value]>,
    from: usize,
}

impl List {
    /// Returns a list of the given elements.
    pub fn new(elements: impl IntoIterator<Item = Value>) -> List {
        List {
            all: elements.into_iter().collect(),
            from: 0,
        }
    }

    /// Returns the elements.
    pub fn elements(&self) -> &[Value] {
        &self.all[self.from..]
    }

    /// Returns the list without its first element.
    pub fn tail(&self) -> List {
        List {
            all: self.all.clone(),
            from: (self.from + 1).min(self.all.len()),
        }
    }
}

/// A function, possibly partially applied.
#[derive(Clone, Debug)]
pub enum Function {
    /// A definition.
    Item {
        /// The definition.
        definition: Arc<Definition>,
        /// The arguments so far, by parameter.
        given: Vec<(ParamId, Value)>,
        /// The index of the parameter list of the next argument.
        list: usize,
    },
    /// A closure, `x => body`.
    Lambda {
        /// The definition that contains the closure.
        definition: Arc<Definition>,
        /// The parameters, including those that have arguments.
        params: Arc<[ParamId]>,
        /// The body.
        body: ExprId,
        /// The captured scope, which includes the arguments so far.
        scope: Scope,
        /// The number of parameters that have arguments.
        given: usize,
    },
    /// A strategy, as a function from programs to results.
    Strategy(Strategy),
}

/// An environment of local names: a linked list of bindings, shared with the closures created in
/// it.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    innermost: Option<Arc<ScopeEntry>>,
    /// The normal form that `;;` applies here, if `with` sets one.
    pub(super) normal_form: Option<Strategy>,
}

#[derive(Debug)]
struct ScopeEntry {
    key: BinderKey,
    value: Value,
    outer: Option<Arc<ScopeEntry>>,
}

impl Scope {
    /// Returns the scope extended by a binding.
    pub(super) fn with(&self, key: BinderKey, value: Value) -> Scope {
        Scope {
            innermost: Some(Arc::new(ScopeEntry {
                key,
                value,
                outer: self.innermost.clone(),
            })),
            normal_form: self.normal_form.clone(),
        }
    }

    /// Returns the value of the innermost binding of a name; `None` if there is none.
    pub(super) fn get(&self, key: &BinderKey) -> Option<&Value> {
        let mut at = self.innermost.as_deref();
        while let Some(bound) = at {
            if bound.key == *key {
                return Some(&bound.value);
            }
            at = bound.outer.as_deref();
        }
        None
    }
}

impl Value {
    /// Returns the text of the value, for traces and messages, in which types, terms and functions
    /// are abbreviated. `name` returns the names of size and address variables.
    pub fn text(&self, name: &dyn Fn(nat::Var) -> Name) -> String {
        let mut out = String::new();
        self.write(&mut out, name);
        out
    }

    fn write(&self, out: &mut String, name: &dyn Fn(nat::Var) -> Name) {
        match self {
            Value::Strategy(strategy) => write_strategy(out, strategy),
            Value::Nat(nat) => {
                let _ = write!(out, "{}", nat.display(&name));
            }
            Value::Int(int) => {
                let _ = write!(out, "{int}");
            }
            Value::Bool(bool) => {
                let _ = write!(out, "{bool}");
            }
            Value::String(text) => {
                let _ = write!(out, "{text:?}");
            }
            Value::Address(address) => match address {
                Address::Space(space) => {
                    let _ = write!(out, "{space}");
                }
                Address::Var(var) => out.push_str(&name(*var)),
            },
            Value::Type(_) => out.push_str("a type"),
            Value::Expr(Expr::Quoted(quoted)) => out.push_str(quoted.text()),
            Value::Expr(Expr::Fresh(fresh)) => out.push_str(&fresh.name),
            Value::Expr(Expr::Term(_)) => out.push('…'),
            Value::List(list) => write_all(out, "[", list.elements(), "]", name),
            Value::Tuple(members) => write_all(out, "(", members, ")", name),
            Value::Function(function) => match &**function {
                Function::Item { definition, .. } => out.push_str(&definition.name()),
                Function::Lambda { .. } => out.push_str("a function"),
                Function::Strategy(strategy) => write_strategy(out, strategy),
            },
            Value::Result(Ok(_)) => out.push_str("Success(…)"),
            Value::Result(Err(_)) => out.push_str("Failure(…)"),
        }
    }
}

/// Writes the first 60 characters of a strategy, and formats no more of it, as strategies may be
/// large.
fn write_strategy(out: &mut String, strategy: &Strategy) {
    const ENOUGH: usize = 60;
    struct Short {
        text: String,
        left: usize,
    }
    impl Write for Short {
        fn write_str(&mut self, text: &str) -> std::fmt::Result {
            for char in text.chars() {
                self.left = self.left.checked_sub(1).ok_or(std::fmt::Error)?;
                self.text.push(char);
            }
            Ok(())
        }
    }
    let mut short = Short {
        text: String::new(),
        left: ENOUGH,
    };
    let whole = write!(short, "{strategy:?}").is_ok();
    out.push_str(&short.text);
    if !whole {
        out.push('…');
    }
}

fn write_all(
    out: &mut String,
    open: &str,
    values: &[Value],
    close: &str,
    name: &dyn Fn(nat::Var) -> Name,
) {
    out.push_str(open);
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        value.write(out, name);
    }
    out.push_str(close);
}
