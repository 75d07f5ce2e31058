//! Optional first arguments, and `makeArray`, whose type depends on the value of its argument.

use std::sync::Arc;
use syntax::ast::TermId;

use super::Infer;
use super::report::space_meant;
use crate::Resolution;
use crate::classes::Classes;
use crate::codes;
use crate::primitive::{OptionalArgument, Primitive};
use crate::types::{Ty, Type};

impl Infer<'_> {
    /// Returns true if `term`, the first argument, is the optional one, and elaborates it. Every
    /// number without suffix is a dimension, and reported if it is out of range.
    pub(super) fn optional_argument(
        &mut self,
        primitive: Primitive,
        optional: OptionalArgument,
        term: TermId,
    ) -> bool {
        match optional {
            OptionalArgument::AddressSpace => {
                if !self.is_address(term) {
                    return false;
                }
                self.elab_address(term);
                true
            }
            OptionalArgument::Dimension => match self.literal_nat(term) {
                Some(dimension) => {
                    self.dimension(primitive.name(), dimension, term);
                    true
                }
                // In a rule a metavariable may stand for the dimension.
                None if self.joined.is_some() && self.source_name(term).is_some() => {
                    self.is_size(term) && self.elab_nat(term).is_some()
                }
                None => false,
            },
        }
    }

    /// Reports a first argument that is an unknown name. It may be intended as an address space, so
    /// the application cannot be inferred. Returns true if it reported one.
    pub(super) fn unknown_first(&mut self, term: TermId) -> bool {
        let Some(name) = self.source_name(term).cloned() else {
            return false;
        };
        let unknown = self.lookup(&name).is_none()
            && self.env.resolve(&name) == Resolution::Unknown
            && match self.in_dpia() {
                true => self.env.phrase_primitive(&name).is_none(),
                false => Primitive::from_name(&name).is_none(),
            };
        if unknown && (name.starts_with(char::is_uppercase) || space_meant(&name).is_some()) {
            self.unknown_space(term);
        } else if unknown {
            self.unknown_name(self.bare(term), &name);
        }
        unknown
    }

    /// Infers `makeArray(k)`: a function of `k` elements. Reports a `k` that is not a constant from
    /// 1 to 1024, and returns `None`.
    pub(super) fn make_array(&mut self, count: TermId) -> Option<Ty> {
        let size = self.elab_nat(count)?;
        let Some(k) = self
            .table
            .nat(&size)
            .as_const()
            .filter(|k| (1..=1024).contains(k))
        else {
            let message = "`makeArray` needs a constant number of elements, from 1 to 1024";
            self.error(codes::KIND_MISMATCH, self.span(count), message)
                .help = Some("for an array whose size is not written use `generate`".into());
            return None;
        };
        let elem = self.open_type("t", Classes::DATA, count);
        let array = Arc::new(Type::Array(size, elem.clone()));
        Some((0..k).fold(array, |out, _| Arc::new(Type::Fun(elem.clone(), out))))
    }
}
