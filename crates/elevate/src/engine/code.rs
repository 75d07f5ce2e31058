//! Translates strategies to the operations of the machine, in a table in which they refer to each
//! other by index. Each strategy has one entry, so a recursive strategy is a cycle in the table.
//! The table also determines, from its operations, which terms a strategy can match.

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::rewrite::{Reach, Rewrite};
use super::strategy::{Function, Predicate, Strategy, StrategyKind};
use crate::normal::NormalForm;
use crate::term::{Child, Head, Heads};

/// The index of an operation, and so of its strategy, in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Code(pub u32);

/// The index of `id`.
pub(super) const ID: Code = Code(0);

/// An operation of the machine: a [`StrategyKind`] whose strategies are indices into the table.
#[derive(Clone, Copy)]
pub(super) enum Op {
    /// A strategy that is not translated yet, as an index into `OpTable::strategies`.
    Unread(u32),
    Id,
    Fail,
    Rule(u32),
    Seq(Code, Code),
    Choice(Code, Code),
    Not(Code),
    All(Code),
    One(Code),
    Some(Code),
    /// Applies a strategy to a child of the node. `Some(true)` requires the node to be an
    /// application to a type-level argument, `Some(false)` requires any other node, and `None`
    /// nothing.
    Part(Child, Option<bool>, Code),
    Repeat(Code),
    Times(u32, Code),
    Normalize(Code),
    TryAll(Code),
    Skip(u32, Code),
    Limit(u64, Code),
    Housekeeping(u32, Code),
    NormalForm(NormalForm),
    Predicate(u32),
    Named(u32, Code),
    Function(u32),
    /// Applies another strategy: the result of a [`StrategyKind::Delay`].
    Jump(Code),
}

/// The table of the operations, and of the rules, predicates, functions and names that they refer
/// to.
pub(super) struct OpTable {
    ops: Vec<Op>,
    /// The strategies in `index`. They are kept alive, so that no other strategy gets their
    /// address.
    strategies: Vec<Strategy>,
    index: FxHashMap<*const StrategyKind, Code>,
    pub rules: Vec<(Rc<Arc<dyn Rewrite>>, Heads)>,
    rule_index: FxHashMap<*const (), u32>,
    pub predicates: Vec<Predicate>,
    pub functions: Vec<(Arc<str>, Rc<Arc<Function>>)>,
    pub names: Vec<Arc<str>>,
    name_index: FxHashMap<*const str, u32>,
    reaches: FxHashMap<Code, Reach>,
    heads: FxHashMap<Code, Heads>,
    simple: Vec<Option<bool>>,
}

impl OpTable {
    pub fn new() -> OpTable {
        OpTable {
            ops: vec![Op::Id],
            strategies: Vec::new(),
            index: FxHashMap::default(),
            rules: Vec::new(),
            rule_index: FxHashMap::default(),
            predicates: Vec::new(),
            functions: Vec::new(),
            names: Vec::new(),
            name_index: FxHashMap::default(),
            reaches: FxHashMap::default(),
            heads: FxHashMap::default(),
            simple: Vec::new(),
        }
    }

    /// Returns the index of a strategy. A new strategy gets an entry, which is translated when it
    /// is first read.
    pub fn code(&mut self, strategy: &Strategy) -> Code {
        if let Some(&known) = self.index.get(&Arc::as_ptr(strategy)) {
            return known;
        }
        let at = count(self.strategies.len());
        self.strategies.push(strategy.clone());
        let code = self.push(Op::Unread(at));
        self.index.insert(Arc::as_ptr(strategy), code);
        code
    }

    fn push(&mut self, op: Op) -> Code {
        let code = Code(count(self.ops.len()));
        self.ops.push(op);
        code
    }

    /// Returns the operation of a strategy, and translates it if it is not translated yet.
    #[inline(always)]
    pub fn op(&mut self, code: Code) -> Op {
        match self.ops[code.0 as usize] {
            Op::Unread(at) => self.read(code, at),
            op => op,
        }
    }

    /// Returns the text of a strategy for messages, cut to 80 characters; `a strategy` for an
    /// operation that was not made for one strategy.
    pub fn text(&self, code: Code) -> String {
        let known = self.index.iter().find(|(_, known)| **known == code);
        match known.and_then(|(at, _)| self.strategies.iter().find(|s| Arc::as_ptr(s) == *at)) {
            Some(strategy) => {
                let text = format!("{strategy:?}");
                match text.chars().count() {
                    0..=80 => text,
                    _ => text.chars().take(79).chain(['…']).collect(),
                }
            }
            None => "a strategy".to_owned(),
        }
    }

    #[cold]
    #[inline(never)]
    fn read(&mut self, code: Code, at: u32) -> Op {
        let strategy = self.strategies[at as usize].clone();
        let op = self.translate(code, &strategy);
        self.ops[code.0 as usize] = op;
        op
    }

    fn translate(&mut self, code: Code, step: &StrategyKind) -> Op {
        match step {
            StrategyKind::Id => Op::Id,
            StrategyKind::Fail(_) => Op::Fail,
            StrategyKind::Rule(rule) => Op::Rule(self.rule(rule)),
            StrategyKind::Seq(a, b) => Op::Seq(self.code(a), self.code(b)),
            StrategyKind::Choice(a, b) => Op::Choice(self.code(a), self.code(b)),
            StrategyKind::Not(s) => Op::Not(self.code(s)),
            StrategyKind::All(s) => Op::All(self.code(s)),
            StrategyKind::One(s) => Op::One(self.code(s)),
            StrategyKind::Some(s) => Op::Some(self.code(s)),
            StrategyKind::Body(s) => Op::Part(Child::Body, None, self.code(s)),
            StrategyKind::Function(s) => Op::Part(Child::Function, Some(false), self.code(s)),
            StrategyKind::Argument(s) => Op::Part(Child::Argument, None, self.code(s)),
            StrategyKind::DepFunction(s) => Op::Part(Child::Function, Some(true), self.code(s)),
            StrategyKind::At(path, s) => {
                let s = self.code(s);
                let part = |s, child: &Child| self.push(Op::Part(*child, None, s));
                let inner = path.0.iter().skip(1).rev().fold(s, part);
                match path.0.first() {
                    Some(child) => Op::Part(*child, None, inner),
                    None => self.op(s),
                }
            }
            StrategyKind::Repeat(s) | StrategyKind::Normalize(s) | StrategyKind::Try(s) => {
                self.repeated(step, s)
            }
            StrategyKind::Times(times, s) => Op::Times(*times, self.code(s)),
            StrategyKind::Skip(times, s) => Op::Skip(*times, self.code(s)),
            StrategyKind::Limit(steps, s) => Op::Limit(*steps, self.code(s)),
            StrategyKind::Housekeeping(name, s) => Op::Housekeeping(self.name(name), self.code(s)),
            StrategyKind::NormalForm(form) => Op::NormalForm(*form),
            StrategyKind::Predicate(predicate) => {
                self.predicates.push(predicate.clone());
                Op::Predicate(count(self.predicates.len() - 1))
            }
            StrategyKind::Named(name, s) => Op::Named(self.name(name), self.code(s)),
            StrategyKind::Delay(make) => {
                let made = make();
                let made = self.code(&made);
                Op::Jump(made)
            }
            StrategyKind::Call(name, function) => {
                let function = Rc::new(function.clone());
                self.functions.push((name.clone(), function));
                Op::Function(count(self.functions.len() - 1))
            }
            _ => self.traversal(code, step),
        }
    }

    fn repeated(&mut self, step: &StrategyKind, s: &Strategy) -> Op {
        let code = self.code(s);
        match (step, &**s) {
            (StrategyKind::Repeat(_), StrategyKind::TopDown(inner)) => {
                Op::Normalize(self.code(inner))
            }
            (StrategyKind::Repeat(_), _) => Op::Repeat(code),
            (StrategyKind::Normalize(_), _) => Op::Normalize(code),
            _ => Op::Choice(code, ID),
        }
    }

    /// Translates a traversal by its equation, in which a reference to the traversal itself is a
    /// cycle in the table. `tryAll` has an operation of its own.
    fn traversal(&mut self, this: Code, step: &StrategyKind) -> Op {
        match step {
            StrategyKind::TopDown(s) => Op::Choice(self.code(s), self.push(Op::One(this))),
            StrategyKind::BottomUp(s) => Op::Choice(self.push(Op::One(this)), self.code(s)),
            StrategyKind::AllTopDown(s) => Op::Seq(self.code(s), self.push(Op::All(this))),
            StrategyKind::AllBottomUp(s) => Op::Seq(self.push(Op::All(this)), self.code(s)),
            StrategyKind::TryAll(s) => Op::TryAll(self.code(s)),
            StrategyKind::AllTd(s) => Op::Choice(self.code(s), self.push(Op::All(this))),
            StrategyKind::SomeTd(s) => Op::Choice(self.code(s), self.push(Op::Some(this))),
            StrategyKind::SomeBu(s) => Op::Choice(self.push(Op::Some(this)), self.code(s)),
            _ => Op::Fail,
        }
    }

    fn rule(&mut self, rule: &Arc<dyn Rewrite>) -> u32 {
        let key = Arc::as_ptr(rule).cast::<()>();
        // Rules without fields may share an address.
        let same = |at: &u32| self.rules[*at as usize].0.name() == rule.name();
        if let Some(known) = self.rule_index.get(&key).copied().filter(same) {
            return known;
        }
        let at = count(self.rules.len());
        self.rules.push((Rc::new(rule.clone()), rule.heads()));
        self.rule_index.insert(key, at);
        at
    }

    fn name(&mut self, name: &Arc<str>) -> u32 {
        let next = count(self.names.len());
        let at = *self.name_index.entry(Arc::as_ptr(name)).or_insert(next);
        if at == next {
            self.names.push(name.clone());
        }
        at
    }

    /// Returns a part of a term that certainly includes what decides whether a strategy succeeds on
    /// it.
    pub fn reach(&mut self, code: Code) -> Reach {
        if let Some(&known) = self.reaches.get(&code) {
            return known;
        }
        let reach = self.find_reach(code, 32);
        self.reaches.insert(code, reach);
        reach
    }

    fn find_reach(&mut self, code: Code, depth: u32) -> Reach {
        let Some(depth) = depth.checked_sub(1) else {
            return Reach::WHOLE;
        };
        match self.op(code) {
            Op::Id | Op::Fail => Reach::levels(0),
            Op::Rule(at) => self.rules[at as usize].0.reach(),
            // A predicate returns its term, so both strategies get the same one.
            Op::Seq(a, b) if self.keeps(a, depth) => {
                self.find_reach(a, depth).max(self.find_reach(b, depth))
            }
            Op::Choice(a, b) => self.find_reach(a, depth).max(self.find_reach(b, depth)),
            Op::Not(s) | Op::Named(_, s) | Op::Jump(s) => self.find_reach(s, depth),
            Op::All(s) | Op::One(s) | Op::Some(s) | Op::Part(_, _, s) => {
                self.find_reach(s, depth).below(1).max(Reach::levels(1))
            }
            Op::Predicate(at) => match &self.predicates[at as usize] {
                Predicate::Other(..) => Reach::WHOLE,
                _ => Reach::levels(1),
            },
            _ => Reach::WHOLE,
        }
    }

    /// Returns a superset of the heads of the terms on which a strategy succeeds.
    pub fn heads(&mut self, code: Code) -> Heads {
        if let Some(&known) = self.heads.get(&code) {
            return known;
        }
        let heads = self.find_heads(code, 8);
        self.heads.insert(code, heads);
        heads
    }

    fn find_heads(&mut self, code: Code, depth: u32) -> Heads {
        let Some(depth) = depth.checked_sub(1) else {
            return Heads::ALL;
        };
        match self.op(code) {
            Op::Fail => Heads::NONE,
            Op::Rule(at) => self.rules[at as usize].1,
            // A predicate returns its term, so both strategies get the same one.
            Op::Seq(a, b) if self.keeps(a, depth) => {
                let first = self.find_heads(a, depth);
                first.and(self.find_heads(b, depth))
            }
            Op::Seq(a, _) => self.find_heads(a, depth),
            Op::Choice(a, b) => {
                let first = self.find_heads(a, depth);
                first.or(self.find_heads(b, depth))
            }
            Op::Named(_, s) | Op::Jump(s) => self.find_heads(s, depth),
            Op::Part(Child::Body, _, _) => Heads::of([Head::LAMBDA, Head::DEP_LAMBDA]),
            Op::Predicate(at) => self.predicates[at as usize].heads(),
            _ => Heads::ALL,
        }
    }

    /// Returns true if a strategy returns the term unchanged wherever it succeeds. False may also
    /// mean that this is not found within `depth` levels of operations.
    fn keeps(&mut self, code: Code, depth: u32) -> bool {
        let Some(depth) = depth.checked_sub(1) else {
            return false;
        };
        match self.op(code) {
            Op::Id | Op::Fail | Op::Not(_) | Op::Predicate(_) => true,
            Op::Seq(a, b) | Op::Choice(a, b) => self.keeps(a, depth) && self.keeps(b, depth),
            Op::All(s)
            | Op::One(s)
            | Op::Some(s)
            | Op::Part(_, _, s)
            | Op::Named(_, s)
            | Op::Jump(s) => self.keeps(s, depth),
            _ => false,
        }
    }

    /// Returns true if a strategy is a combination of rules, predicates, `id` and `fail` by `;` and
    /// `<+` that nests at most eight levels. It is evaluated without frames on the stack.
    #[inline(always)]
    pub fn is_simple(&mut self, code: Code) -> bool {
        match self.simple.get(code.0 as usize).copied().flatten() {
            Some(known) => known,
            None => self.find_simple(code),
        }
    }

    #[cold]
    fn find_simple(&mut self, code: Code) -> bool {
        let simple = self.simple_below(code, 8);
        self.simple.resize(self.ops.len(), None);
        self.simple[code.0 as usize] = Some(simple);
        simple
    }

    fn simple_below(&mut self, code: Code, depth: u32) -> bool {
        let Some(depth) = depth.checked_sub(1) else {
            return false;
        };
        match self.op(code) {
            Op::Rule(_) | Op::Predicate(_) | Op::Id | Op::Fail => true,
            Op::Choice(a, b) | Op::Seq(a, b) => {
                self.simple_below(a, depth) && self.simple_below(b, depth)
            }
            _ => false,
        }
    }

    /// Returns true if the outermost operation of a strategy shows that it succeeds on every term,
    /// unless it stops the run.
    pub fn never_fails(&mut self, code: Code) -> bool {
        matches!(
            self.op(code),
            Op::Id
                | Op::Repeat(_)
                | Op::Normalize(_)
                | Op::NormalForm(_)
                | Op::TryAll(_)
                | Op::Choice(_, ID)
        )
    }
}

fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
