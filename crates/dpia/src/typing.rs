//! Inference of DPIA's items, with the primitives in their environment.

use std::sync::Arc;

use rise::pattern::MapLoop;
use rise::{Env, Inference, Pattern, PhrasePrimitive, Resolution, TargetName};
use syntax::Dialect;
use syntax::ast::{Item, Name};

use crate::prim::Prim;

/// Checks one item of DPIA; `env` resolves the definitions that it uses.
pub fn infer(item: &Item, env: &dyn Env) -> Inference {
    rise::infer_in(item, &WithPrimitives(env), Dialect::Dpia)
}

/// Returns the primitive with this number, its index in [`Prim::ALL`].
pub fn primitive(id: u32) -> Option<Prim> {
    Prim::ALL.get(usize::try_from(id).ok()?).copied()
}

/// An environment extended by the primitives of DPIA.
struct WithPrimitives<'e>(&'e dyn Env);

impl Env for WithPrimitives<'_> {
    fn resolve(&self, name: &str) -> Resolution {
        self.0.resolve(name)
    }

    fn names(&self) -> Vec<Name> {
        let primitives = Prim::ALL.iter().map(|prim| Name::new_static(prim.name()));
        self.0.names().into_iter().chain(primitives).collect()
    }

    fn targets(&self) -> Vec<TargetName> {
        self.0.targets()
    }

    fn phrase_primitive(&self, name: &str) -> Option<PhrasePrimitive> {
        let prim = Prim::from_name(name)?;
        Some(PhrasePrimitive {
            id: prim as u32,
            name: Name::new_static(prim.name()),
            scheme: Arc::clone(prim.scheme()),
            optional: prim.optional_argument(),
            variadic: prim.pattern() == Some(Pattern::Literal),
            streams: streams(prim),
        })
    }
}

/// Returns true if a primitive's access parameters are `Rd` or `St`: it takes streams and readable
/// arrays alike.
fn streams(prim: Prim) -> bool {
    matches!(
        prim.pattern(),
        Some(Pattern::Stream(_) | Pattern::Map(MapLoop::Stream))
    )
}
