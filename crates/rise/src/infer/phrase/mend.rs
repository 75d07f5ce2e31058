//! Edits that give an expression the access that is wanted.

use syntax::{Fix, Span};

use super::super::Infer;
use crate::TermInfo;
use crate::types::{Access, Ty, Type};

/// Rows in rows in …: deeper ones are not copied by an edit.
const MAX_ROWS: usize = 4;

impl Infer<'_> {
    /// The edit that makes an expression with the access `found` one with `wanted`, if the place
    /// is an expression and there is one way to do it.
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
        Some(Fix::preferred(
            title,
            vec![
                (Span::empty(span.start), before),
                (Span::empty(span.end), after),
            ],
        ))
    }

    /// Whether the place is a part of a command, which says how things are computed, and in which
    /// there is nothing that has to be translated.
    pub(super) fn is_in_command(&self, span: Span) -> bool {
        self.item.terms.iter().zip(&self.terms).any(|(term, info)| {
            term.span.contains(span)
                && matches!(info, TermInfo::Expr(ty)
                    if matches!(&*self.table.head(ty), Type::Comm))
        })
    }

    /// Whether a whole expression stands at the place.
    fn is_expression(&self, span: Span) -> bool {
        self.item.terms.iter().zip(&self.terms).any(|(term, info)| {
            term.span == span
                && matches!(info, TermInfo::Expr(ty)
                    if matches!(&*self.table.head(ty), Type::Exp(..)))
        })
    }

    /// How many arrays lie in each other; none if there is something else that is no single value.
    fn rows(&self, data: &Ty) -> Option<usize> {
        let mut data = self.table.head(data);
        for rows in 0..=MAX_ROWS {
            data = match &*data {
                Type::Array(_, elem) => self.table.head(elem),
                Type::Scalar(_) | Type::Vector(..) | Type::Index(_) => return Some(rows),
                _ => return None,
            };
        }
        None
    }
}

/// `name(fun(x => x), …)`, for rows with a loop for each.
fn copy(name: &str, rows: usize) -> (String, String) {
    let mut function = "fun(x => x)".to_owned();
    for _ in 1..rows {
        function = format!("fun(row => mapSeq({function}, row))");
    }
    (format!("{name}({function}, "), ")".to_owned())
}
