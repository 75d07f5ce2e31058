//! Messages about sizes that generated code must know as constants.

use nat::Nat;
use rise::core::Origin;
use rise::{Primitive, print};
use syntax::Diagnostic;

use super::{Reporter, tick};
use crate::codes;
use crate::target::MAX_STATEMENTS;

impl Reporter<'_> {
    pub(super) fn unknown_size(&self, at: Origin, primitive: Primitive, size: &Nat) -> Diagnostic {
        let names = rise::Names(self.source_map.program.names.clone().into());
        let size = print::nat_text(size, &names);
        let name = self.name(self.source_map.location(at), primitive);
        let must = "and this number must be a constant";
        match primitive {
            Primitive::MapSeqUnroll | Primitive::ReduceSeqUnroll => {
                let message = format!("`{name}` writes out each of its `{size}` steps, {must}");
                self.rolled(at, primitive, message, ", or make the size a number")
            }
            Primitive::RotateValues => {
                let message = format!("`{name}` moves `{size}` values one by one, {must}");
                self.ring(at, message, &size)
            }
            _ => {
                let message = format!("`{name}` makes vectors of `{size}` lanes, {must}");
                let found = self.refused(at, message);
                found.help(match primitive {
                    Primitive::VectorFromScalar => {
                        "write the number in its type, as in `(vectorFromScalar(x) : Vec[4, f32])`"
                            .to_owned()
                    }
                    _ => format!("write the number, as in `{}(4)`", primitive.name()),
                })
            }
        }
    }

    pub(super) fn too_often(&self, at: Origin, primitive: Primitive, total: u64) -> Diagnostic {
        let name = self.name(self.source_map.location(at), primitive);
        let message = format!(
            "`{name}` writes out {total} steps in all, and at most {MAX_STATEMENTS} are allowed"
        );
        match primitive {
            Primitive::RotateValues => self.ring(at, message, &(total + 1).to_string()),
            _ => self.rolled(at, primitive, message, ""),
        }
    }

    pub(super) fn reduces_arrays(&self, at: Origin) -> Diagnostic {
        let name = self.name(self.source_map.location(at), Primitive::ReducePar);
        let message = format!("`{name}` combines single values, and the values here are arrays");
        let found = self
            .refused(at, message)
            .help("write `reduceSeq`, or reduce single values inside of `mapPar`");
        self.renamed(found, at, Primitive::ReducePar, "reduceSeq")
    }

    /// Makes the diagnostic with the fix that writes the pattern that computes the same with a loop
    /// instead of unrolled code.
    fn rolled(&self, at: Origin, primitive: Primitive, message: String, or: &str) -> Diagnostic {
        let instead = match primitive {
            Primitive::MapSeqUnroll => "mapSeq",
            _ => "reduceSeq",
        };
        let help = format!("write `{instead}`, which is a loop{or}");
        let found = self.refused(at, message).help(help);
        self.renamed(found, at, primitive, instead)
    }

    /// Makes the diagnostic whose help names a `circularBuffer`, which moves no values. It has a
    /// fix only for targets without work-items, because others need an address space.
    fn ring(&self, at: Origin, message: String, size: &str) -> Diagnostic {
        let help = format!(
            "write a small number, as in `rotateValues(3)`, or `circularBuffer({size})({size})`, \
             which moves no values"
        );
        let found = self.refused(at, message).help(help);
        if self.target.has_work_items() {
            return found;
        }
        let ring = format!("circularBuffer({size})");
        self.renamed(found, at, Primitive::RotateValues, &ring)
    }

    fn refused(&self, at: Origin, message: String) -> Diagnostic {
        Diagnostic::error(
            codes::NOT_ON_TARGET,
            self.source_map.location(at).head,
            message,
        )
    }

    /// Adds the fix that changes a primitive's name and keeps all arguments.
    fn renamed(
        &self,
        found: Diagnostic,
        at: Origin,
        primitive: Primitive,
        name: &str,
    ) -> Diagnostic {
        let spot = self.source_map.location(at);
        let edits = self
            .source_map
            .names(spot, primitive)
            .then(|| vec![(spot.head, name.to_owned())]);
        self.fixed(found, &format!("Replace with {}", tick(name)), edits)
    }
}
