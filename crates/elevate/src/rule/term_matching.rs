//! Implements the first phase of matching: compares the structure of a term with a pattern.

use syntax::GlobalId;

use super::RuleArg;
use super::folding::FoldingContext;
use super::mismatch::{Mismatch, MismatchReason};
use super::pattern::{Pattern, PatternHead, PatternNode};
use super::type_matching::Observation;
use crate::term::{self, Heads, Local, Node, Store, Term, same_literal};

/// The result of the first phase.
#[derive(Debug, Default)]
pub(super) struct Bindings {
    /// The values of the metavariables and parameters for terms. After a match, those of all
    /// metavariables that occur in the pattern are set.
    pub slots: Vec<Option<Term>>,
    /// The variables of the term that correspond to the variables that the pattern binds.
    pub locals: Vec<Local>,
    /// The observations for the second phase.
    pub found: Vec<Observation>,
    /// The number of pattern nodes that matched.
    progress: u32,
}

/// The pattern node and the term that do not match, and the reason.
#[derive(Clone, Debug)]
struct NodeMismatch {
    node: u32,
    term: Term,
    why: MismatchReason,
}

impl Bindings {
    /// Returns the number of pattern nodes that matched.
    pub fn progress(&self) -> u32 {
        self.progress
    }

    /// Resets to the state before a match, with the values of the parameters.
    pub fn start(&mut self, pattern: &Pattern, args: &[RuleArg]) {
        self.slots.clear();
        self.slots.resize(usize::from(pattern.values), None);
        self.locals.clear();
        self.locals
            .resize(usize::from(pattern.locals), Local(u32::MAX));
        self.found.clear();
        self.progress = 0;
        for (given, arg) in pattern.params.iter().zip(args) {
            if let (Some(super::pattern::ParamSlot::Value(slot)), RuleArg::Expr(term)) =
                (given, arg)
            {
                self.slots[usize::from(*slot)] = Some(*term);
            }
        }
    }
}

/// Matches the structure of a term. The error contains the pattern node that did not match, and the
/// number of those that did.
pub(super) fn structure(
    store: &mut Store,
    folds: FoldingContext<'_>,
    pattern: &Pattern,
    args: &[RuleArg],
    term: Term,
    bound: &mut Bindings,
) -> Result<(), Mismatch> {
    bound.start(pattern, args);
    let mut walk = TermMatcher {
        store,
        folds,
        pattern,
        bound,
    };
    match walk.node(0, term).and_then(|()| walk.nameless()) {
        Ok(()) => Ok(()),
        Err(node_mismatch) => Err(Mismatch {
            alt: 0,
            node: Some(node_mismatch.node),
            found: Some(node_mismatch.term),
            progress: bound.progress,
            why: node_mismatch.why,
        }),
    }
}

struct TermMatcher<'a> {
    store: &'a mut Store,
    folds: FoldingContext<'a>,
    pattern: &'a Pattern,
    bound: &'a mut Bindings,
}

impl TermMatcher<'_> {
    fn node(&mut self, id: u32, term: Term) -> Result<(), NodeMismatch> {
        let pattern = self.pattern;
        let pat = &pattern.nodes[id as usize];
        let node = self.store.node(term);
        if pattern.has_globals
            && let Some(call) = self.folded(id, term)
        {
            return self.node(id, call);
        }
        match (pat, node) {
            (PatternNode::Value { slot, first, typed }, _) => {
                return self.value(id, usize::from(*slot), *first, *typed, term);
            }
            (PatternNode::Local(local), Node::Var(found))
                if self.bound.locals[usize::from(*local)] == found => {}
            (PatternNode::Literal(literal), Node::Literal(found))
                if same_literal(self.store.literal_of(found), literal) =>
            {
                self.bound.found.push(Observation::Ty(self.store.ty(term)));
            }
            (PatternNode::Nat, Node::Nat(arg)) => self.bound.found.push(Observation::Arg(arg)),
            (PatternNode::Lambda(local, body), Node::Lambda(found, below)) => {
                self.bound.locals[usize::from(*local)] = found;
                self.bound.progress += 1;
                return self.node(*body, below);
            }
            (PatternNode::DepLambda(kind, body), Node::DepLambda(var, found, _, below))
                if *kind == found =>
            {
                self.bound.found.push(Observation::Var(var));
                self.bound.progress += 1;
                return self.node(*body, below);
            }
            (PatternNode::Apply(f, x), Node::Apply(g, y)) => {
                self.node(*f, g)?;
                self.bound.progress += 1;
                return self.node(*x, y);
            }
            (PatternNode::First(f, x), node) => return self.first_stage(id, (*f, *x), node, term),
            (PatternNode::DepApply(f), Node::DepApply(g, arg)) => {
                self.bound.found.push(Observation::Arg(arg));
                return self.node(*f, g);
            }
            (PatternNode::Primitive(primitive), Node::Primitive(found, args))
                if *primitive == found =>
            {
                self.bound.found.push(Observation::Args(args));
            }
            (PatternNode::Global(id), Node::Global(found, args)) if *id == found => {
                self.bound.found.push(Observation::Args(args));
            }
            (
                PatternNode::Apply(..) | PatternNode::Primitive(_) | PatternNode::Global(_),
                Node::Lambda(local, body),
            ) => {
                return match self.without_eta(local, body) {
                    Some(function) => self.node(id, function),
                    None => Err(node_mismatch(id, term, MismatchReason::Shape)),
                };
            }
            _ => return Err(node_mismatch(id, term, MismatchReason::Shape)),
        }
        self.bound.progress += 1;
        Ok(())
    }

    /// Matches the first stage of a composition: a function applied to its variable, or several
    /// stages, which are abstracted over the variable.
    fn first_stage(
        &mut self,
        id: u32,
        (f, x): (u32, u32),
        node: Node,
        term: Term,
    ) -> Result<(), NodeMismatch> {
        let PatternNode::Local(local) = self.pattern.nodes[x as usize] else {
            return Err(node_mismatch(id, term, MismatchReason::Shape));
        };
        let local = self.bound.locals[usize::from(local)];
        if let Node::Apply(function, value) = node
            && self.store.node(value) == Node::Var(local)
            && !self.store.has_free(function, local)
        {
            self.node(f, function)?;
            self.bound.progress += 1;
            return self.node(x, value);
        }
        let is_stage = node != Node::Var(local) && self.store.has_free(term, local);
        if !is_stage {
            return Err(node_mismatch(id, term, MismatchReason::Shape));
        }
        let function = self.store.lambda(local, term);
        self.bound.progress += 2;
        self.node(f, function)
    }

    /// Fails if the value of a metavariable contains the variable of a composition: the pattern
    /// does not name this variable, so it must not escape.
    fn nameless(&self) -> Result<(), NodeMismatch> {
        for local in &self.pattern.nameless {
            let local = self.bound.locals[usize::from(*local)];
            let mut values = self.bound.slots.iter().flatten();
            if let Some(found) = values.find(|value| self.store.has_free(**value, local)) {
                return Err(node_mismatch(0, *found, MismatchReason::Shape));
            }
        }
        Ok(())
    }

    /// Folds the term to a call of a definition if the pattern names or calls this definition at
    /// the node, and the term does not.
    fn folded(&mut self, id: u32, term: Term) -> Option<Term> {
        let wanted = self.pattern.definition_at(id)?;
        match global_of(self.store, term) {
            Some(found) if found == wanted => None,
            _ => self.folds.term(self.store, wanted, term),
        }
    }

    /// Returns the η-reduct `f` of `fun(x => f(x))`, given `x` and the body; `None` for other
    /// functions.
    fn without_eta(&self, local: Local, body: Term) -> Option<Term> {
        let Node::Apply(function, x) = self.store.node(body) else {
            return None;
        };
        let same = matches!(self.store.node(x), Node::Var(other) if other == local);
        (same && !self.store.has_free(function, local)).then_some(function)
    }

    fn value(
        &mut self,
        id: u32,
        slot: usize,
        first: bool,
        typed: bool,
        term: Term,
    ) -> Result<(), NodeMismatch> {
        if first {
            self.bound.slots[slot] = Some(term);
            if typed {
                self.bound.found.push(Observation::Ty(self.store.ty(term)));
            }
            self.bound.progress += 1;
            return Ok(());
        }
        let same = match self.bound.slots[slot] {
            Some(known) => known == term || self.store.alpha_eq(known, term),
            None => false,
        };
        if !same {
            return Err(node_mismatch(id, term, MismatchReason::NotEqual));
        }
        self.bound.progress += 1;
        Ok(())
    }
}

#[cold]
fn node_mismatch(node: u32, term: Term, why: MismatchReason) -> NodeMismatch {
    NodeMismatch { node, term, why }
}

/// Returns the definition that a term names or calls; `None` for other terms.
pub(super) fn global_of(store: &Store, mut term: Term) -> Option<GlobalId> {
    loop {
        term = match store.node(term) {
            Node::Apply(f, _) | Node::DepApply(f, _) => f,
            Node::Global(id, _) => return Some(id),
            _ => return None,
        };
    }
}

impl Pattern {
    /// Returns a superset of the heads of the terms for which [`Pattern::could_match`] returns
    /// true.
    pub fn heads(&self) -> Heads {
        let head = match &self.head {
            PatternHead::Primitive(primitive, _) => term::Head::primitive(*primitive),
            PatternHead::Lambda => term::Head::LAMBDA,
            PatternHead::DepLambda => term::Head::DEP_LAMBDA,
            PatternHead::Leaf => term::Head::VALUE,
            // The term may be an instance of the definition's body.
            PatternHead::Any(_) | PatternHead::Global(..) => return Heads::ALL,
        };
        // The term may apply a function that matches to further arguments.
        let applied = if self.function { head.applied() } else { head };
        Heads::of([head, applied])
    }

    /// Returns false if the head of the term certainly does not match the pattern.
    pub fn could_match(&self, store: &Store, term: Term) -> bool {
        // The term may be an instance of the definition's body.
        matches!(self.head, PatternHead::Global(..))
            || !self.omitted_arguments(store, term).is_empty()
    }

    /// Returns the numbers of last arguments that can be left out such that the remaining function
    /// may match the pattern, fewest first. It compares the heads only.
    pub fn omitted_arguments(&self, store: &Store, term: Term) -> OmittedArguments {
        let (mut head, mut values) = (term, 0);
        while let Node::Apply(f, _) = store.node(head) {
            values += 1;
            head = f;
        }
        let exactly = |wanted: u32| match wanted {
            wanted if wanted > values => OmittedArguments::NONE,
            wanted if wanted == values || self.function => OmittedArguments::only(values - wanted),
            _ => OmittedArguments::NONE,
        };
        match (&self.head, store.node(head)) {
            (PatternHead::Primitive(primitive, count), Node::Primitive(found, _))
                if *primitive == found =>
            {
                exactly(*count)
            }
            (PatternHead::Global(id, count), Node::Global(found, _)) if *id == found => {
                exactly(*count)
            }
            // `fun(x => map(f)(x))` is not matched as `map(f)` here: its body is, which keeps the
            // name of the parameter. Only proper subpatterns match up to η.
            (PatternHead::Lambda, Node::Lambda(..))
            | (PatternHead::DepLambda, Node::DepLambda(..)) => exactly(0),
            (PatternHead::Any(least), _) if *least <= values => match self.function {
                true => OmittedArguments {
                    next: Some(0),
                    last: values - least,
                },
                false => OmittedArguments::only(0),
            },
            (PatternHead::Leaf, Node::Literal(_) | Node::Nat(_)) if values == 0 => {
                OmittedArguments::only(0)
            }
            _ => OmittedArguments::NONE,
        }
    }
}

/// An iterator over numbers of arguments to leave out.
#[derive(Clone, Copy, Debug)]
pub(super) struct OmittedArguments {
    next: Option<u32>,
    last: u32,
}

impl OmittedArguments {
    const NONE: OmittedArguments = OmittedArguments {
        next: None,
        last: 0,
    };

    fn only(outside: u32) -> OmittedArguments {
        OmittedArguments {
            next: Some(outside),
            last: outside,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.next.is_none()
    }
}

impl Iterator for OmittedArguments {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let next = self.next?;
        self.next = (next < self.last).then_some(next + 1);
        Some(next)
    }
}

/// Returns the function that the term applies to its last `outside` arguments.
pub(super) fn prefix(store: &Store, term: Term, outside: u32) -> Term {
    (0..outside).fold(term, |term, _| match store.node(term) {
        Node::Apply(f, _) => f,
        _ => term,
    })
}
