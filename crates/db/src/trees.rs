//! A cache of syntax trees.
//!
//! A tree is about ten times as large as its text, and is parsed quickly, so at most 2560 trees are
//! kept. The cache is outside of salsa: a tree depends only on the text and its language, and an
//! item whose language changes gets another `Arc` of the text, so a look-up with the current text
//! always returns the current tree.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;
use syntax::{Dialect, Parsed, elevate};

use crate::files::ItemId;
use crate::language::Language;
use crate::panics::catch_panic;

const SHARDS: usize = 16;
const PER_SHARD: usize = 160;

#[derive(Clone)]
pub(crate) enum Tree {
    /// The tree of an item of a program.
    Program(Arc<Parsed>),
    /// The tree of an item of a strategy file.
    Strategy(Arc<elevate::Parsed>),
}

impl Tree {
    /// Returns the tree if it is that of an item of a program; otherwise `None`.
    pub fn program(self) -> Option<Arc<Parsed>> {
        match self {
            Tree::Program(parsed) => Some(parsed),
            Tree::Strategy(_) => None,
        }
    }

    /// Returns the tree if it is that of an item of a strategy file; otherwise `None`.
    pub fn strategy(self) -> Option<Arc<elevate::Parsed>> {
        match self {
            Tree::Program(_) => None,
            Tree::Strategy(parsed) => Some(parsed),
        }
    }
}

#[derive(Default)]
pub(crate) struct Trees([Mutex<Shard>; SHARDS]);

#[derive(Default)]
struct Shard {
    trees: FxHashMap<ItemId, (Arc<str>, Tree)>,
    /// The keys of `trees`, in the order in which they were added.
    order: VecDeque<ItemId>,
}

impl Trees {
    /// Returns the tree of this text, which must be the item's. If it is not in the cache, it is
    /// parsed and added.
    pub fn get(&self, item: ItemId, text: &Arc<str>, language: Language) -> Tree {
        if let Some((of, tree)) = self.shard(item).trees.get(&item)
            && Arc::ptr_eq(of, text)
        {
            return tree.clone();
        }
        let tree = parse(text, language);
        self.keep(item, text.clone(), tree.clone());
        tree
    }

    /// Adds the tree of this text, which must be the item's. May remove the oldest other tree.
    pub fn keep(&self, item: ItemId, text: Arc<str>, tree: Tree) {
        self.shard(item).keep(item, text, tree);
    }

    /// Removes the trees of removed items.
    pub fn forget(&self, items: &[ItemId]) {
        for &item in items {
            let mut shard = self.shard(item);
            if shard.trees.remove(&item).is_some() {
                shard.order.retain(|&kept| kept != item);
            }
        }
    }

    pub fn len(&self) -> usize {
        self.0
            .iter()
            .map(|shard| {
                shard
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .trees
                    .len()
            })
            .sum()
    }

    fn shard(&self, item: ItemId) -> MutexGuard<'_, Shard> {
        self.0[item.index() % SHARDS]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shard {
    fn keep(&mut self, item: ItemId, text: Arc<str>, tree: Tree) {
        if self.trees.insert(item, (text, tree)).is_some() {
            return;
        }
        self.order.push_back(item);
        if self.order.len() > PER_SHARD
            && let Some(oldest) = self.order.pop_front()
        {
            self.trees.remove(&oldest);
        }
    }
}

/// Parses a text; a panic of the parser becomes a diagnostic and an empty item.
pub(crate) fn parse(text: &str, language: Language) -> Tree {
    match language {
        Language::Rise => Tree::Program(Arc::new(parse_program(text, Dialect::Rise))),
        Language::Dpia => Tree::Program(Arc::new(parse_program(text, Dialect::Dpia))),
        Language::Elevate => Tree::Strategy(Arc::new(parse_strategy(text))),
    }
}

fn parse_program(text: &str, dialect: Dialect) -> Parsed {
    catch_panic(text, "reading", || syntax::parse_in(text, dialect)).unwrap_or_else(|failure| {
        Parsed {
            diagnostics: vec![failure],
            ..syntax::parse("")
        }
    })
}

fn parse_strategy(text: &str) -> elevate::Parsed {
    catch_panic(text, "reading", || elevate::parse(text)).unwrap_or_else(|failure| {
        elevate::Parsed {
            diagnostics: vec![failure],
            ..elevate::parse("")
        }
    })
}
