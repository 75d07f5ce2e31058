//! Strategies by their text.

use std::sync::Arc;

use elevate::engine::{Beta, Eta, GentleBeta, Step, Strategy};
use elevate::term::Store;
use rustc_hash::FxHashMap;

/// The strategies of a request.
#[derive(Default)]
pub(crate) struct Strategies {
    known: FxHashMap<String, Option<Strategy>>,
}

impl Strategies {
    /// Those that work on the terms of a store.
    pub(crate) fn new(_store: &mut Store) -> Strategies {
        Strategies::default()
    }

    /// The strategy that is written so; `None` if there is none.
    pub(crate) fn get(&mut self, _store: &mut Store, text: &str) -> Option<Strategy> {
        let known = self.known.entry(text.to_owned());
        known
            .or_insert_with(|| match text {
                "beta" => Some(Arc::new(Step::Rule(Arc::new(Beta)))),
                "gentleBeta" => Some(Arc::new(Step::Rule(Arc::new(GentleBeta)))),
                "eta" => Some(Arc::new(Step::Rule(Arc::new(Eta)))),
                _ => None,
            })
            .clone()
    }
}
