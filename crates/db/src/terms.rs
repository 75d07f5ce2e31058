//! The core terms of definitions of RISE and DPIA.

use std::sync::Arc;

use dpia::Prim;
use rise::core::{Def, LinkError, Program};
use rise::{Inference, Primitive, core};
use syntax::Dialect;
use syntax::ast::Item;

use crate::files::ItemId;
use crate::inputs::{Db, SourceItem};
use crate::items::{dialect, parsed};
use crate::options::launched;
use crate::panics::catch_panic;
use crate::types::inference;

/// A closed program, or the reason why there is none.
pub(crate) type Linked<P> = Result<Arc<Program<P>>, LinkError>;

/// Elaborates the definition of RISE to a core term; returns `None` if it has errors, or the item
/// is no definition of RISE.
#[salsa::tracked(returns(clone), lru = 2048)]
pub(crate) fn elaborated(db: &dyn Db, item: SourceItem) -> Option<Arc<Def<Primitive>>> {
    elaborate(db, item, Dialect::Rise, core::elaborate)
}

/// Elaborates the definition of DPIA to a phrase; returns `None` if it has errors, or the item is
/// no definition of DPIA.
#[salsa::tracked(returns(clone), lru = 2048)]
pub(crate) fn elaborated_phrase(db: &dyn Db, item: SourceItem) -> Option<Arc<Def<Prim>>> {
    elaborate(db, item, Dialect::Dpia, dpia::surface::elaborate)
}

fn elaborate<P>(
    db: &dyn Db,
    item: SourceItem,
    own: Dialect,
    elaborate: fn(&Item, &Inference) -> Option<Def<P>>,
) -> Option<Arc<Def<P>>> {
    let parsed = parsed(db, item.into());
    if !parsed.diagnostics.is_empty() || dialect(db, item) != own {
        return None;
    }
    let inference = inference(db, item);
    let work = || elaborate(&parsed.item, &inference).map(Arc::new);
    catch_panic(&item.text(db), "reading", work).ok().flatten()
}

/// Links the definition of RISE: inlines everything that it uses, and sets the user's launch sizes.
/// Strategies are not applied. The cache is small, because few items are linked and the programs
/// are large.
#[salsa::tracked(returns(clone), lru = 128)]
pub(crate) fn linked(db: &dyn Db, item: SourceItem) -> Linked<Primitive> {
    link(db, item, &|used| elaborated(db, used))
}

/// Links the definition of DPIA: inlines everything that it uses, and sets the user's launch sizes.
#[salsa::tracked(returns(clone), lru = 128)]
pub(crate) fn linked_phrase(db: &dyn Db, item: SourceItem) -> Linked<Prim> {
    link(db, item, &|used| elaborated_phrase(db, used))
}

fn link<P: Clone + PartialEq>(
    db: &dyn Db,
    item: SourceItem,
    lookup: &dyn Fn(SourceItem) -> Option<Arc<Def<P>>>,
) -> Linked<P> {
    let lookup = |id| lookup(ItemId::from_global(id).into());
    let work = || core::link(ItemId::from(item).global(), &lookup);
    let linked = catch_panic(&item.text(db), "linking", work).unwrap_or(Err(LinkError::Broken));
    linked.map(|program| Arc::new(launched(db, program)))
}
