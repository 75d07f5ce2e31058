//! Defines paths in terms, the access to children and subterms, and the order in which traversals
//! visit children.

use std::fmt;

use super::store::{Node, Store, Term};

/// A step from a node to one of its children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Child {
    /// The function of an application to a value or to a type-level argument.
    Function,
    /// The value to which a function is applied.
    Argument,
    /// The body of an abstraction.
    Body,
}

/// The order in which `one`, and the traversals built from it, try the children of `f(e)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// `f` first if `e` is a function, else `e` first.
    #[default]
    Default,
    /// `f` first.
    FunctionFirst,
    /// `e` first.
    ArgumentFirst,
}

/// A path in a term: the steps from the root to a subterm, none for the root itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Path(pub Vec<Child>);

impl Path {
    /// The path of the root.
    pub const ROOT: Path = Path(Vec::new());

    /// Returns the path extended by a step at its end.
    pub fn then(&self, child: Child) -> Path {
        let mut steps = self.0.clone();
        steps.push(child);
        Path(steps)
    }

    /// Returns true if `other` is this path or an extension of it.
    pub fn covers(&self, other: &Path) -> bool {
        other.0.starts_with(&self.0)
    }
}

/// Formats in the syntax of strategies: `body.argument.function`, or `root`.
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
    /// Returns the given child of a node; `None` if the node has no such child.
    pub fn child(&self, term: Term, child: Child) -> Option<Term> {
        match (self.node(term), child) {
            (Node::Apply(f, _) | Node::DepApply(f, _), Child::Function) => Some(f),
            (Node::Apply(_, e), Child::Argument) => Some(e),
            (Node::Lambda(_, b) | Node::DepLambda(_, _, _, b), Child::Body) => Some(b),
            _ => None,
        }
    }

    /// Returns the node with a child replaced; `term` itself if it has no such child.
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

    /// Returns the steps to the children of a node, at most two. Those of `f(e)` are in the given
    /// order.
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

    /// Returns the subterm at a path; `None` if there is no such path.
    pub fn get(&self, root: Term, path: &Path) -> Option<Term> {
        let step = |term, child: &Child| self.child(term, *child);
        path.0.iter().try_fold(root, step)
    }

    /// Returns the root with the subterm at a path replaced; `None` if there is no such path.
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

/// An iterator over the children of a node, each with the step to it.
pub struct Children<'s> {
    store: &'s Store,
    term: Term,
    left: (Option<Child>, Option<Child>),
}

impl Store {
    /// Returns an iterator over the children of a node; for `f(e)` first `f`, then `e`.
    pub fn children(&self, term: Term) -> Children<'_> {
        let left = self.ordered(term, Order::FunctionFirst);
        let store = self;
        Children { store, term, left }
    }

    /// Returns `f` and the values `x`, `y`, … of a term `f(x)(y)…`, where `f` is not an application
    /// to a value; for any other term the term itself and no values. An application to a type-level
    /// argument ends the list, since no primitive takes a type-level argument after a value.
    pub(crate) fn spine(&self, term: Term) -> (Term, Vec<Term>) {
        let (mut head, mut values) = (term, Vec::new());
        while let Node::Apply(f, x) = self.node(head) {
            values.push(x);
            head = f;
        }
        values.reverse();
        (head, values)
    }

    /// Returns an iterator over a term and all its subterms in pre-order, functions before their
    /// arguments. A subterm that occurs several times is returned several times.
    pub fn subterms(&self, term: Term) -> impl Iterator<Item = Term> {
        let mut open = vec![term];
        std::iter::from_fn(move || {
            let next = open.pop()?;
            let first = open.len();
            open.extend(self.children(next).map(|(_, part)| part));
            open[first..].reverse();
            Some(next)
        })
    }
}

impl Iterator for Children<'_> {
    type Item = (Child, Term);

    fn next(&mut self) -> Option<Self::Item> {
        let child = self.left.0.take().or_else(|| self.left.1.take())?;
        Some((child, self.store.child(self.term, child)?))
    }
}
