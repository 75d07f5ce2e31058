//! What expressions of strategies stand for.

use std::fmt::Write;
use std::sync::Arc;

use nat::Nat;
use rise::types::{Address, Ty};
use syntax::ast::Name;
use syntax::elevate::ast::{ExprId, ParamId};

use super::quote::{Fresh, Quoted};
use crate::engine::Strategy;
use crate::lang::check::Key;
use crate::lang::definition::Definition;
use crate::term::Term;

/// A value. Cloning is cheap.
#[derive(Clone, Debug)]
pub enum Value {
    /// A strategy, a predicate or a rule with its arguments.
    Strategy(Strategy),
    /// A size; also what arithmetic on sizes gives.
    Nat(Nat),
    /// A whole number.
    Int(i64),
    /// A truth value.
    Bool(bool),
    /// A text.
    String(Arc<str>),
    /// An address space.
    Address(Address),
    /// A type of RISE.
    Type(Ty),
    /// An expression of RISE.
    Expr(Expr),
    /// A list.
    List(List),
    /// `(a, b)`
    Tuple(Arc<[Value]>),
    /// A function.
    Function(Arc<Function>),
    /// What a strategy gave: the program, or a strategy that fails as it did.
    Result(Result<Expr, Strategy>),
}

/// An expression of RISE.
#[derive(Clone, Debug)]
pub enum Expr {
    /// A term of the program that is rewritten, or made of such terms.
    Term(Term),
    /// One that is written in the strategy: it becomes a term where a store is at hand.
    Quoted(Arc<Quoted>),
    /// A variable that the strategy makes itself.
    Fresh(Arc<Fresh>),
}

/// A list, with all of its ends.
#[derive(Clone, Debug)]
pub struct List {
    all: Arc<[Value]>,
    from: usize,
}

impl List {
    /// A list of these.
    pub fn new(elements: impl IntoIterator<Item = Value>) -> List {
        List {
            all: elements.into_iter().collect(),
            from: 0,
        }
    }

    /// Its elements.
    pub fn elements(&self) -> &[Value] {
        &self.all[self.from..]
    }

    /// Without the first element.
    pub fn tail(&self) -> List {
        List {
            all: self.all.clone(),
            from: (self.from + 1).min(self.all.len()),
        }
    }
}

/// A function with the arguments that it has so far.
#[derive(Clone, Debug)]
pub enum Function {
    /// A definition. `given` are its arguments so far, by parameter; `list` is the number of the
    /// list that the next one belongs to.
    Item {
        /// The definition.
        definition: Arc<Definition>,
        /// The arguments so far.
        given: Vec<(ParamId, Value)>,
        /// The list that the next argument belongs to.
        list: usize,
    },
    /// `x => body`
    Lambda {
        /// Where it is written.
        definition: Arc<Definition>,
        /// Its parameters, the first ones given.
        params: Arc<[ParamId]>,
        /// Its body.
        body: ExprId,
        /// What the names in it stand for.
        scope: Scope,
        /// How many of its parameters are given: they are in the scope.
        given: usize,
    },
    /// A strategy, as the function from programs to results that it is.
    Strategy(Strategy),
}

/// What local names stand for; shared with what was made under it.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    innermost: Option<Arc<Bound>>,
    /// The normal form that `;;` means here, where `with` says one.
    pub(super) normal_form: Option<Strategy>,
}

#[derive(Debug)]
struct Bound {
    key: Key,
    value: Value,
    outer: Option<Arc<Bound>>,
}

impl Scope {
    /// The scope with one name more.
    pub(super) fn with(&self, key: Key, value: Value) -> Scope {
        Scope {
            innermost: Some(Arc::new(Bound {
                key,
                value,
                outer: self.innermost.clone(),
            })),
            normal_form: self.normal_form.clone(),
        }
    }

    /// What a name stands for.
    pub(super) fn get(&self, key: &Key) -> Option<&Value> {
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
    /// As it is written, for traces and messages; `name` says what sizes are called.
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

/// Strategies are long when they are made of others; a few words are enough, and no more is written
/// than is kept.
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
