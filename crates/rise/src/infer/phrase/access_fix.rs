//! Fixes for expressions of a wrong access.

use syntax::{Fix, Span};

use super::super::Infer;
use crate::TermInfo;
use crate::types::{Access, Ty, Type};

/// The greatest number of dimensions of an array that a fix copies.
const MAX_DIMENSIONS: usize = 4;

impl Infer<'_> {
    /// Returns the fix that turns an expression of access `found` into one of access `wanted`, if
    /// `span` is a whole expression and there is only one such fix.
    pub(super) fn access_fix(
        &self,
        span: Span,
        data: &Ty,
        found: Access,
        wanted: Access,
    ) -> Option<Fix> {
        if !self.is_expression(span) {
            return None;
        }
        let (title, before, after) = match (found, wanted) {
            (Access::Wr, Access::Rd) => (
                "Write it to memory with `toMem`",
                "toMem(".to_owned(),
                ")".to_owned(),
            ),
            (Access::Rd, Access::Wr) => {
                let (before, after) = copy("mapSeq", self.rows(data)?);
                ("Copy it with `mapSeq`", before, after)
            }
            (Access::St, Access::Wr) if self.rows(data)? == 1 => {
                let (before, after) = copy("iterateStream", 1);
                ("Write its elements with `iterateStream`", before, after)
            }
            _ => return None,
        };
        Some(Fix::surround(title, span, before, after))
    }

    /// Returns true if the span is inside a command. Commands are imperative DPIA already, so
    /// nothing in them is translated.
    pub(super) fn is_in_command(&self, span: Span) -> bool {
        self.item.terms.iter().zip(&self.terms).any(|(term, info)| {
            term.span.contains(span)
                && matches!(info, TermInfo::Expr(ty)
                    if matches!(&*self.table.head(ty), Type::Comm))
        })
    }

    /// Returns true if the span is that of a whole expression.
    fn is_expression(&self, span: Span) -> bool {
        self.item.terms.iter().zip(&self.terms).any(|(term, info)| {
            term.span == span
                && matches!(info, TermInfo::Expr(ty)
                    if matches!(&*self.table.head(ty), Type::Exp(..)))
        })
    }

    /// Returns the number of dimensions of an array, 0 for a scalar, vector or index. Returns
    /// `None` if the elements are of another type, or if there are more than [`MAX_DIMENSIONS`]
    /// dimensions.
    fn rows(&self, data: &Ty) -> Option<usize> {
        let mut data = self.table.head(data);
        for rows in 0..=MAX_DIMENSIONS {
            data = match &*data {
                Type::Array(_, elem) => self.table.head(elem),
                Type::Scalar(_) | Type::Vector(..) | Type::Index(_) => return Some(rows),
                _ => return None,
            };
        }
        None
    }
}

/// Returns the texts to write before and after an expression to copy it: `name(fun(x => x), …)`,
/// with a nested loop for each further dimension.
fn copy(name: &str, rows: usize) -> (String, String) {
    let mut function = "fun(x => x)".to_owned();
    for _ in 1..rows {
        function = format!("fun(row => mapSeq({function}, row))");
    }
    (format!("{name}({function}, "), ")".to_owned())
}
