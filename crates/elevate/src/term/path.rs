//! Positions in terms.

use std::fmt;

use super::store::{Node, Store, Term};

/// A step from a node to one of its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Child {
    /// What is applied, to a value or to a type-level argument.
    Function,
    /// The value that a function is applied to.
    Argument,
    /// The body of a function.
    Body,
}

/// The order in which `one`, and what is made of it, tries the parts of `f(e)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// `f` first where `e` is a function, else `e` first: what is computed last is tried first.
    #[default]
    Default,
    /// `f` first.
    FunctionFirst,
    /// `e` first.
    ArgumentFirst,
}

/// A position: the steps from the root. The root's is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Path(pub Vec<Child>);

impl Path {
    /// The position of the root.
    pub const ROOT: Path = Path(Vec::new());

    /// One step further in.
    pub fn then(&self, child: Child) -> Path {
        let mut steps = self.0.clone();
        steps.push(child);
        Path(steps)
    }

    /// Whether `other` is this position or below it.
    pub fn covers(&self, other: &Path) -> bool {
        other.0.starts_with(&self.0)
    }
}

/// As strategies write it: `body.argument.function`, and `root`.
impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("root");
        }
        for (at, step) in self.0.iter().enumerate() {
            let dot = if at > 0 { "." } else { "" };
            let word = match step {
                Child::Function => "function",
                Child::Argument => "argument",
                Child::Body => "body",
            };
            write!(f, "{dot}{word}")?;
        }
        Ok(())
    }
}

impl Store {
    /// The part of a node, if it has such a part.
    pub fn child(&self, term: Term, child: Child) -> Option<Term> {
        match (self.node(term), child) {
            (Node::Apply(f, _) | Node::DepApply(f, _), Child::Function) => Some(f),
            (Node::Apply(_, e), Child::Argument) => Some(e),
            (Node::Lambda(_, b) | Node::DepLambda(_, _, _, b), Child::Body) => Some(b),
            _ => None,
        }
    }

    /// The node with another part in the place of one; `term` itself if it has no such part.
    pub fn with_child(&mut self, term: Term, child: Child, new: Term) -> Term {
        match (self.node(term), child) {
            (Node::Apply(_, e), Child::Function) => self.apply(new, e),
            (Node::Apply(f, _), Child::Argument) => self.apply(f, new),
            (Node::DepApply(_, arg), Child::Function) => self.dep_apply(new, arg),
            (Node::Lambda(x, _), Child::Body) => self.lambda(x, new),
            (Node::DepLambda(x, kind, implicit, _), Child::Body) => {
                self.dep_lambda(x, kind, implicit, new)
            }
            _ => term,
        }
    }

    /// The parts of `f(e)` in an order, or the only part of another node, or nothing.
    pub fn ordered(&self, term: Term, order: Order) -> (Option<Child>, Option<Child>) {
        match self.node(term) {
            Node::Apply(_, e) => {
                let function_first = match order {
                    Order::FunctionFirst => true,
                    Order::ArgumentFirst => false,
                    Order::Default => self.is_function(e),
                };
                match function_first {
                    true => (Some(Child::Function), Some(Child::Argument)),
                    false => (Some(Child::Argument), Some(Child::Function)),
                }
            }
            Node::DepApply(..) => (Some(Child::Function), None),
            Node::Lambda(..) | Node::DepLambda(..) => (Some(Child::Body), None),
            _ => (None, None),
        }
    }

    /// What stands at a position.
    pub fn get(&self, root: Term, path: &Path) -> Option<Term> {
        let step = |term, child: &Child| self.child(term, *child);
        path.0.iter().try_fold(root, step)
    }

    /// The root with another term at a position; `None` if there is no such position.
    pub fn replace(&mut self, root: Term, path: &Path, new: Term) -> Option<Term> {
        let mut above = Vec::with_capacity(path.0.len());
        let mut here = root;
        for &child in &path.0 {
            above.push((here, child));
            here = self.child(here, child)?;
        }
        let rebuild = |new, (node, child)| self.with_child(node, child, new);
        Some(above.into_iter().rev().fold(new, rebuild))
    }
}

/// The parts of a node, each with how to get there.
pub struct Children<'s> {
    store: &'s Store,
    term: Term,
    left: (Option<Child>, Option<Child>),
}

impl Store {
    /// The parts of a node: of `f(e)` first `f`, then `e`.
    pub fn children(&self, term: Term) -> Children<'_> {
        let left = self.ordered(term, Order::FunctionFirst);
        let store = self;
        Children { store, term, left }
    }
}

impl Iterator for Children<'_> {
    type Item = (Child, Term);

    fn next(&mut self) -> Option<Self::Item> {
        let child = self.left.0.take().or_else(|| self.left.1.take())?;
        Some((child, self.store.child(self.term, child)?))
    }
}
