//! How the values of a definition are had when it is compiled.

use std::sync::Arc;

use dpia::Target;
use dpia::functional::Flow;

use crate::guard::guarded;
use crate::inputs::SourceItem;
use crate::stages::accesses;
use crate::{Database, Db, ItemId, queries};

/// The answer is small, and kept for every item.
#[salsa::tracked(returns(clone))]
fn flow(db: &dyn Db, item: SourceItem, target: Target) -> Option<Arc<Flow>> {
    let accesses = accesses(db, item, target).ok()?;
    let phrase = accesses.phrase.as_ref()?;
    let work = || Arc::new(dpia::functional::flow(phrase));
    guarded(&item.text(db), "compiling", work).ok()
}

impl Database {
    /// How the value of each expression of the definition is had when it is compiled for the
    /// target; `None` if it cannot be compiled.
    pub fn flow(&self, item: ItemId, target: Target) -> Option<Arc<Flow>> {
        queries::settle(self, [item]);
        flow(self, item.into(), target)
    }
}
