//! Measures the speed of strategies on generated terms.

use std::sync::Arc;
use std::time::Instant;

use elevate::engine::{
    Beta, Context, Eta, MismatchRank, Options, Reach, Reason, Rewrite, Rewritten, Strategy,
    StrategyKind, run,
};
use elevate::normal::NormalForm;
use elevate::term::{Head, Heads, Local, Node, Store, Term};
use nat::Nat;
use rise::Primitive;
use rise::types::{Arg, Type};
use syntax::ast::{Literal, ScalarType};

/// The result of measuring a workload.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The name of the workload.
    pub name: &'static str,
    /// The number of rule applications.
    pub steps: u64,
    /// The time that they took, in seconds: the minimum of the rounds.
    pub seconds: f64,
}

impl Measured {
    /// Returns the number of rule applications per second.
    pub fn rate(&self) -> f64 {
        self.steps as f64 / self.seconds.max(f64::MIN_POSITIVE)
    }
}

/// Runs every workload in `rounds` rounds, each on its own store.
pub fn all(rounds: u32) -> Vec<Measured> {
    let fusion = || StrategyKind::rule(Fusion);
    let reduce = || StrategyKind::choice([StrategyKind::rule(Eta), StrategyKind::rule(Beta)]);
    let normalize = |s| Arc::new(StrategyKind::Normalize(s));
    let loads: [(&'static str, Make, Strategy); 6] = [
        (
            "normalize(mapFusion), 1000 maps",
            pipeline,
            normalize(fusion()),
        ),
        (
            "normalize(eta <+ beta), a tree of redexes",
            tree,
            normalize(reduce()),
        ),
        (
            "normalize(eta <+ beta), 1000 nested",
            nested,
            normalize(reduce()),
        ),
        (
            "tryAll(beta), a tree of redexes",
            tree,
            Arc::new(StrategyKind::TryAll(StrategyKind::rule(Beta))),
        ),
        (
            "BENF, a tree of redexes",
            tree,
            Arc::new(StrategyKind::NormalForm(NormalForm::Benf)),
        ),
        (
            "DFNF, 1000 maps of functions without a parameter",
            bare,
            Arc::new(StrategyKind::NormalForm(NormalForm::Dfnf)),
        ),
    ];
    let measured = loads.iter().map(|(name, make, strategy)| {
        let runs = (0..rounds.max(1)).map(|_| once(name, *make, strategy));
        let best = runs.reduce(|a, b| if a.seconds <= b.seconds { a } else { b });
        best.unwrap_or(Measured {
            name,
            steps: 0,
            seconds: 0.0,
        })
    });
    measured.collect()
}

/// A function that builds the term of a workload.
type Make = fn(&mut Parts) -> Term;

fn once(name: &'static str, make: Make, strategy: &Strategy) -> Measured {
    let mut parts = Parts::new();
    let term = make(&mut parts);
    let start = Instant::now();
    let outcome = run(&mut parts.store, term, strategy, &Options::default());
    let seconds = start.elapsed().as_secs_f64();
    Measured {
        name,
        steps: outcome.steps + outcome.housekeeping,
        seconds,
    }
}

/// The parts of which the terms of workloads are built.
struct Parts {
    store: Store,
    f: Term,
    xs: Term,
}

impl Parts {
    fn new() -> Parts {
        let mut store = Store::new();
        let float = store.intern_ty(&Arc::new(Type::Scalar(ScalarType::F32)));
        let function = store.fun_ty(float, float);
        let f = store.fresh_local("f", function);
        let f = store.var(f);
        let elem = store.ty_of(float).clone();
        let array = store.intern_ty(&Arc::new(Type::Array(Nat::constant(1024), elem)));
        let xs = store.fresh_local("xs", array);
        let xs = store.var(xs);
        Parts { store, f, xs }
    }

    fn float(&mut self) -> Local {
        let function = self.store.ty(self.f);
        let (float, _) = self
            .store
            .fun_parts(function)
            .unwrap_or((function, function));
        self.store.fresh_local("x", float)
    }

    /// Returns a number literal that is unique for `at`.
    fn number(&mut self, at: usize) -> Term {
        let function = self.store.ty(self.f);
        let (float, _) = self
            .store
            .fun_parts(function)
            .unwrap_or((function, function));
        let text = format!("{at}.0").into();
        let literal = Literal::Float { text, suffix: None };
        self.store.literal(&literal, float)
    }

    /// Returns `fun(x => f(x) + at)`.
    fn function(&mut self, at: usize) -> Term {
        let x = self.float();
        let var = self.store.var(x);
        let called = self.store.apply(self.f, var);
        let body = self.sum(called, at);
        self.store.lambda(x, body)
    }

    fn sum(&mut self, term: Term, at: usize) -> Term {
        let number = self.number(at);
        let ty = Arg::Type(self.store.type_of(term).clone());
        match self.store.primitive(Primitive::Add, &[ty]) {
            Some(add) => self.store.apply_all(add, [term, number]),
            None => term,
        }
    }
}

/// Returns a pipeline of a thousand maps.
fn pipeline(parts: &mut Parts) -> Term {
    let mut xs = parts.xs;
    for at in 0..1000 {
        let f = parts.function(at);
        xs = mapped(&mut parts.store, f, xs).unwrap_or(xs);
    }
    xs
}

/// Returns a pipeline of a thousand maps whose functions are not abstractions.
fn bare(parts: &mut Parts) -> Term {
    let mut xs = parts.xs;
    for at in 0..1000 {
        let number = parts.number(at);
        let ty = Arg::Type(parts.store.type_of(number).clone());
        let add = parts.store.primitive(Primitive::Add, &[ty]);
        let f = add.map_or(parts.f, |add| parts.store.apply(add, number));
        xs = mapped(&mut parts.store, f, xs).unwrap_or(xs);
    }
    xs
}

/// Returns a balanced tree of additions of 2^14 β-redexes.
fn tree(parts: &mut Parts) -> Term {
    let mut row: Vec<Term> = (0..1 << 14)
        .map(|at| {
            let f = parts.function(at);
            let number = parts.number(at);
            parts.store.apply(f, number)
        })
        .collect();
    while row.len() > 1 {
        let pairs = row.chunks(2).map(|pair| {
            let ty = Arg::Type(parts.store.type_of(pair[0]).clone());
            match parts.store.primitive(Primitive::Add, &[ty]) {
                Some(add) => parts.store.apply_all(add, pair.iter().copied()),
                None => pair[0],
            }
        });
        row = pairs.collect();
    }
    row[0]
}

/// Returns a thousand nested β-redexes, each the argument of the next.
fn nested(parts: &mut Parts) -> Term {
    let mut term = parts.number(0);
    for at in 0..1000 {
        let f = parts.function(at);
        term = parts.store.apply(f, term);
    }
    term
}

/// A rule: `map(f)(map(g)(x))` becomes `map(fun(y => f(g(y))))(x)`.
#[derive(Debug)]
struct Fusion;

impl Rewrite for Fusion {
    fn name(&self) -> &str {
        "mapFusion"
    }

    fn apply(&self, cx: &mut Context<'_>, term: Term) -> Result<Rewritten, MismatchRank> {
        fused(cx.store, term)
            .map(Rewritten::plain)
            .ok_or(MismatchRank::LOWEST)
    }

    fn explain(&self, _: &mut Context<'_>, found: Term) -> Reason {
        let expected = "map(f)(map(g)(xs))".to_owned();
        Reason::Shape { expected, found }
    }

    fn reach(&self) -> Reach {
        Reach::levels(4)
    }

    fn heads(&self) -> Heads {
        Heads::of([Head::primitive(Primitive::Map)])
    }
}

fn fused(store: &mut Store, term: Term) -> Option<Term> {
    let (f, inner) = map_parts(store, term)?;
    let (g, xs) = map_parts(store, inner)?;
    let (from, _) = store.fun_parts(store.ty(g))?;
    let y = store.fresh_local("y", from);
    let var = store.var(y);
    let body = store.apply(g, var);
    let body = store.apply(f, body);
    let both = store.lambda(y, body);
    mapped(store, both, xs)
}

/// Returns the `f` and `x` of `map(f)(x)`.
fn map_parts(store: &Store, term: Term) -> Option<(Term, Term)> {
    let Node::Apply(f, x) = store.node(term) else {
        return None;
    };
    let Node::Apply(head, function) = store.node(f) else {
        return None;
    };
    matches!(store.node(head), Node::Primitive(Primitive::Map, _)).then_some((function, x))
}

/// Returns `map(f)(x)`.
fn mapped(store: &mut Store, f: Term, x: Term) -> Option<Term> {
    let (from, to) = store.fun_parts(store.ty(f))?;
    let Type::Array(size, _) = &**store.type_of(x) else {
        return None;
    };
    let size = Arg::Nat(size.clone());
    let types = [
        store.intern_arg(&size),
        store.type_arg(from),
        store.type_arg(to),
    ];
    let map = store.primitive_at(Primitive::Map, &types)?;
    Some(store.apply_all(map, [f, x]))
}
