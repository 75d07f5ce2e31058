//! Builds terms from texts, for tests.

use std::ops::Range;
use std::sync::{Arc, LazyLock};

use nat::Nat;
use rise::core::{Def, elaborate};
use rise::types::{Arg, Ty, Type};
use rise::{Env, Primitive, Resolution, Scheme};
use rustc_hash::FxHashMap;
use syntax::GlobalId;
use syntax::ast::{Name, ScalarType};

use crate::engine::{Context, MismatchRank, Reach, Reason, Rewrite, Rewritten};
use crate::term::{Imported, Local, Node, Store, Term, eta_abstraction, import};

/// The definitions of texts. Each is checked with the standard library and the definitions before
/// it in scope.
#[derive(Clone, Default)]
pub(crate) struct Defs {
    pub all: Vec<Arc<Def<Primitive>>>,
    names: FxHashMap<Name, (GlobalId, Arc<Scheme>)>,
}

impl Defs {
    /// Returns the standard library.
    pub fn library() -> Defs {
        static LIBRARY: LazyLock<Defs> = LazyLock::new(|| {
            let mut defs = Defs::default();
            for (_, text) in rise::STD {
                defs.read(text);
            }
            defs
        });
        LIBRARY.clone()
    }

    /// Adds the definitions of a text, and returns those that were added. Definitions with errors,
    /// and those that use later ones, are left out.
    pub fn read(&mut self, text: &str) -> Vec<Arc<Def<Primitive>>> {
        let mut added = Vec::new();
        for span in syntax::split(text) {
            let parsed = syntax::parse(&text[Range::from(span)]);
            let inference = rise::infer(&parsed.item, self);
            let Some(name) = parsed.item.name() else {
                continue;
            };
            let id = GlobalId(self.names.len() as u64);
            if let Some(def) = elaborate(&parsed.item, &inference) {
                let scheme = inference.scheme.clone();
                self.names.insert(name.name.clone(), (id, scheme));
                added.push(Arc::new(def));
            }
        }
        self.all.extend(added.iter().cloned());
        added
    }
}

impl Env for Defs {
    fn resolve(&self, name: &str) -> Resolution {
        match self.names.get(name) {
            Some((id, scheme)) => Resolution::Def(*id, scheme.clone()),
            None => Resolution::Unknown,
        }
    }

    fn names(&self) -> Vec<Name> {
        self.names.keys().cloned().collect()
    }
}

/// Imports the definition whose right side is a term.
pub(crate) fn imported(store: &mut Store, term: &str) -> Imported {
    let text = format!("def it = {term}");
    let mut defs = Defs::library();
    let mut added = defs.read(&text);
    let def = added.pop().unwrap_or_else(|| {
        let item = syntax::parse(&text).item;
        panic!(
            "{term}: {:#?}",
            rise::infer(&item, &Defs::library()).diagnostics
        )
    });
    import(store, &def).expect("it is small")
}

/// Imports a term.
pub(crate) fn term(store: &mut Store, text: &str) -> Term {
    imported(store, text).root
}

/// A rule that is implemented by a Rust function.
#[derive(Debug)]
pub(crate) struct Plain {
    pub name: &'static str,
    pub reach: Reach,
    pub make: fn(&mut Store, Term) -> Option<Term>,
}

impl Rewrite for Plain {
    fn name(&self) -> &str {
        self.name
    }

    fn apply(&self, cx: &mut Context<'_>, term: Term) -> Result<Rewritten, MismatchRank> {
        let made = (self.make)(cx.store, term);
        made.map(Rewritten::plain).ok_or(MismatchRank::LOWEST)
    }

    fn explain(&self, _: &mut Context<'_>, term: Term) -> Reason {
        Reason::Shape {
            expected: self.name.to_owned(),
            found: term,
        }
    }

    fn reach(&self) -> Reach {
        self.reach
    }
}

/// Returns the rule that rewrites `map(f)(map(g)(x))` to `map(fun(y => f(g(y))))(x)`.
pub(crate) fn fusion() -> Plain {
    Plain {
        name: "mapFusion",
        reach: Reach::levels(4),
        make: |store, term| {
            let (f, inner) = map_parts(store, term)?;
            let (g, x) = map_parts(store, inner)?;
            let (from, _) = store.fun_parts(store.ty(g))?;
            let local = store.fresh_local("y", from);
            let y = store.var(local);
            let body = store.apply(g, y);
            let body = store.apply(f, body);
            let both = store.lambda(local, body);
            mapped(store, both, x)
        },
    }
}

/// Returns the rule that rewrites `map(fun(x => f(g(x))))` to `fun(xs => map(f)(map(fun(x =>
/// g(x)))(xs)))`.
pub(crate) fn fission() -> Plain {
    Plain {
        name: "mapLastFission",
        reach: Reach::levels(5).and_free(),
        make: |store, term| {
            let Node::Apply(map, function) = store.node(term) else {
                return None;
            };
            let Node::Primitive(Primitive::Map, _) = store.node(map) else {
                return None;
            };
            let Node::Lambda(x, body) = store.node(function) else {
                return None;
            };
            let Node::Apply(f, given) = store.node(body) else {
                return None;
            };
            let is_var = matches!(store.node(given), Node::Var(_));
            if store.has_free(f, x) || is_var || store.is_function(given) {
                return None;
            }
            let (input, _) = store.fun_parts(store.ty(term))?;
            let local = store.fresh_local("xs", input);
            let xs = store.var(local);
            let first = store.lambda(x, given);
            let inner = mapped(store, first, xs)?;
            let outer = mapped(store, f, inner)?;
            Some(store.lambda(local, outer))
        },
    }
}

/// Returns the `f` and `x` of `map(f)(x)`.
pub(crate) fn map_parts(store: &Store, term: Term) -> Option<(Term, Term)> {
    let Node::Apply(f, x) = store.node(term) else {
        return None;
    };
    let Node::Apply(head, function) = store.node(f) else {
        return None;
    };
    matches!(store.node(head), Node::Primitive(Primitive::Map, _)).then_some((function, x))
}

/// Returns `map(f)(x)`.
pub(crate) fn mapped(store: &mut Store, f: Term, x: Term) -> Option<Term> {
    let (from, to) = store.fun_parts(store.ty(f))?;
    let Type::Array(size, _) = &**store.type_of(x) else {
        return None;
    };
    let size = Arg::Nat(size.clone());
    let [from, to] = [from, to].map(|ty| Arg::Type(store.ty_of(ty).clone()));
    let map = store.primitive(Primitive::Map, &[size, from, to])?;
    Some(store.apply_all(map, [f, x]))
}

/// A generator of terms from a list of choices: numbers, functions of numbers, and arrays.
pub(crate) struct Random<'a> {
    pub store: &'a mut Store,
    choices: std::vec::IntoIter<u8>,
    numbers: Vec<Local>,
    functions: Vec<Local>,
    arrays: Vec<Local>,
}

impl Random<'_> {
    /// Generates an array, abstracted over its free variables.
    pub fn array(store: &mut Store, choices: Vec<u8>) -> Term {
        let float: Ty = Arc::new(Type::Scalar(ScalarType::F32));
        let float = store.intern_ty(&float);
        let function = store.fun_ty(float, float);
        let elem = store.ty_of(float).clone();
        let array = store.intern_ty(&Arc::new(Type::Array(Nat::constant(8), elem)));
        let numbers = vec![store.fresh_local("a", float)];
        let functions = vec![store.fresh_local("f", function)];
        let arrays = vec![store.fresh_local("xs", array)];
        let mut random = Random {
            store,
            choices: choices.into_iter(),
            numbers,
            functions,
            arrays,
        };
        let body = random.an_array(9);
        let free = [random.arrays[0], random.functions[0], random.numbers[0]];
        free.into_iter()
            .fold(body, |body, x| random.store.lambda(x, body))
    }

    fn choose(&mut self, among: u8, depth: u32) -> u8 {
        match depth {
            0 => 0,
            _ => self.choices.next().unwrap_or(0) % among,
        }
    }

    fn pick(&mut self, among: &[Local]) -> Term {
        let at = self.choices.next().unwrap_or(0) as usize % among.len();
        self.store.var(among[at])
    }

    fn an_array(&mut self, depth: u32) -> Term {
        match self.choose(6, depth) {
            0 => self.pick(&self.arrays.clone()),
            1 => {
                let ty = self.store.local_ty(self.arrays[0]);
                let local = self.store.fresh_local("ys", ty);
                self.arrays.push(local);
                let body = self.an_array(depth - 1);
                self.arrays.pop();
                let function = self.store.lambda(local, body);
                let value = self.an_array(depth - 1);
                self.store.apply(function, value)
            }
            _ => {
                let f = self.a_function(depth - 1);
                let xs = self.an_array(depth - 1);
                mapped(self.store, f, xs).unwrap_or(xs)
            }
        }
    }

    fn a_function(&mut self, depth: u32) -> Term {
        match self.choose(4, depth) {
            0 => self.pick(&self.functions.clone()),
            1 => {
                let ty = self.store.local_ty(self.functions[0]);
                let local = self.store.fresh_local("g", ty);
                self.functions.push(local);
                let body = self.a_function(depth - 1);
                self.functions.pop();
                let function = self.store.lambda(local, body);
                let value = self.a_function(depth - 1);
                self.store.apply(function, value)
            }
            _ => {
                let ty = self.store.local_ty(self.numbers[0]);
                let local = self.store.fresh_local("x", ty);
                self.numbers.push(local);
                let body = self.a_number(depth - 1);
                self.numbers.pop();
                self.store.lambda(local, body)
            }
        }
    }

    fn a_number(&mut self, depth: u32) -> Term {
        match self.choose(4, depth) {
            0 | 1 => self.pick(&self.numbers.clone()),
            2 => {
                let f = self.a_function(depth - 1);
                let x = self.a_number(depth - 1);
                self.store.apply(f, x)
            }
            _ => {
                let (a, b) = (self.a_number(depth - 1), self.a_number(depth - 1));
                let ty = self.store.ty(a);
                let ty = self.store.type_arg(ty);
                match self.store.primitive_at(Primitive::Add, &[ty]) {
                    Some(add) => self.store.apply_all(add, [a, b]),
                    None => a,
                }
            }
        }
    }
}

/// η-abstraction: `f` becomes `fun(x => f(x))`. It applies to its own result, so `repeat` of it
/// alone does not end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EtaAbstraction;

impl Rewrite for EtaAbstraction {
    fn name(&self) -> &str {
        "etaExp"
    }

    fn apply(&self, cx: &mut Context<'_>, term: Term) -> Result<Rewritten, MismatchRank> {
        let made = eta_abstraction(cx.store, term);
        made.map(Rewritten::plain).ok_or(MismatchRank::LOWEST)
    }

    fn explain(&self, _: &mut Context<'_>, found: Term) -> Reason {
        let expected = "a function of a value".to_owned();
        Reason::Shape { expected, found }
    }

    fn reach(&self) -> Reach {
        Reach::levels(0)
    }
}
