//! Schemes of types that are written without a body, such as those of primitives.

use std::sync::{Arc, LazyLock};

use syntax::Dialect;
use syntax::ast::{Item, ItemKind, Name};

use super::Infer;
use crate::primitive::Primitive;
use crate::types::{Scheme, Type};
use crate::{Env, Resolution};

struct Nothing;

impl Env for Nothing {
    fn resolve(&self, _name: &str) -> Resolution {
        Resolution::Unknown
    }

    fn names(&self) -> Vec<Name> {
        Vec::new()
    }
}

/// Makes the scheme of a definition of RISE from its written type and its `@assume` annotations,
/// without its body. The type of an item without a written type is the error type.
pub fn written_scheme(item: &Item) -> Scheme {
    let env = Nothing;
    let mut infer = Infer::new(item, &env, Dialect::Rise);
    let ty = match &item.kind {
        ItemKind::Def { ty: Some(ty), .. } => {
            infer.spine = infer.spine_binders();
            for annotation in &item.annotations {
                if annotation
                    .name
                    .as_ref()
                    .is_some_and(|name| name.name == "assume")
                {
                    infer.assume_annotation(annotation);
                }
            }
            let written = infer.elab_type(*ty);
            infer.bind_type_names(*ty);
            infer.assume_in_scope();
            written
        }
        _ => Arc::new(Type::Error),
    };
    infer.declared_scheme(&ty)
}

/// Returns the scheme of a primitive.
pub fn library_scheme(primitive: Primitive) -> &'static Arc<Scheme> {
    static SCHEMES: LazyLock<Vec<Arc<Scheme>>> = LazyLock::new(|| {
        Primitive::ALL
            .iter()
            .map(|primitive| Arc::new(written_scheme(&primitive.entry().item)))
            .collect()
    });
    &SCHEMES[primitive as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_primitive_has_a_whole_type() {
        for &primitive in Primitive::ALL {
            let scheme = library_scheme(primitive);
            let text = crate::print::scheme_text(scheme);
            assert!(!text.contains('_'), "{}: {text}", primitive.name());
        }
    }
}
