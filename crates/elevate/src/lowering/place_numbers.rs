//! Numbers the parameters of functions in a program that have the same name, for the names of the
//! places of a [schedule](super::Schedule).

use rise::pattern::Pattern;
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::ast::Name;

use crate::term::{Local, Node, Store, Term};

/// The name of a place before it is numbered.
#[derive(Clone, Debug)]
pub(super) struct PlaceName {
    /// The name of the parameter of the function.
    pub name: Name,
    /// The parameter in the program before it was lowered; `None` if the function is not an
    /// abstraction.
    pub parameter: Option<Local>,
}

/// The numbers of the parameters of the functions of maps and reductions, from 1 on for each name.
#[derive(Debug, Default)]
pub(super) struct PlaceNumbers {
    numbers: FxHashMap<Local, usize>,
    counts: FxHashMap<Name, usize>,
}

impl PlaceNumbers {
    /// Numbers the parameters in a program in the order of its data flow, which is the order of the
    /// text in pipes: an array comes before the functions of its elements. The recursion is as deep
    /// as the term, at most [`crate::term::MAX_HEIGHT`].
    pub fn of_program(store: &Store, program: Term) -> PlaceNumbers {
        let mut numbering = Numbering {
            store,
            seen: FxHashSet::default(),
            numbers: PlaceNumbers::default(),
        };
        numbering.term(program);
        numbering.numbers
    }

    /// Returns the number of a parameter; `None` if it is not in the program.
    pub fn of(&self, parameter: Local) -> Option<usize> {
        self.numbers.get(&parameter).copied()
    }

    /// Returns how many parameters with a name have numbers.
    pub fn count(&self, name: &Name) -> usize {
        self.counts.get(name).copied().unwrap_or(0)
    }

    fn add(&mut self, store: &Store, parameter: Local) {
        if self.numbers.contains_key(&parameter) {
            return;
        }
        let count = self
            .counts
            .entry(store.local_name(parameter).clone())
            .or_default();
        *count += 1;
        self.numbers.insert(parameter, *count);
    }
}

struct Numbering<'s> {
    store: &'s Store,
    seen: FxHashSet<Term>,
    numbers: PlaceNumbers,
}

impl Numbering<'_> {
    fn term(&mut self, term: Term) {
        if !self.seen.insert(term) {
            return;
        }
        match self.store.node(term) {
            Node::Apply(..) => self.application(term),
            Node::Lambda(_, body) | Node::DepLambda(_, _, _, body) => self.term(body),
            Node::DepApply(f, _) => self.term(f),
            _ => {}
        }
    }

    fn application(&mut self, term: Term) {
        let (head, args) = self.store.spine(term);
        let is_function = |arg: &&Term| self.store.is_function(**arg);
        let (functions, values): (Vec<&Term>, Vec<&Term>) = args.iter().partition(is_function);
        values.into_iter().for_each(|value| self.term(*value));
        let is_binding = match self.store.node(head) {
            Node::Primitive(primitive, _) => primitive.pattern() == Pattern::Let,
            _ => {
                self.term(head);
                false
            }
        };
        for function in functions {
            if !is_binding {
                self.parameters(*function);
            }
            self.term(*function);
        }
    }

    /// Numbers the parameters of a function.
    fn parameters(&mut self, function: Term) {
        let mut term = function;
        while let Node::Lambda(parameter, body) = self.store.node(term) {
            self.numbers.add(self.store, parameter);
            term = body;
        }
    }
}
