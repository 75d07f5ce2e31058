//! Isolation of panics: a panic while one item is processed does not affect others.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use syntax::{Diagnostic, Span};

use crate::codes;

/// Runs `work` on an item with this text, and converts a panic in it to an error at the first line
/// of the item, whose message begins with `doing`. The cancellation of a query, which is also a
/// panic, is passed on.
pub(crate) fn catch_panic<T>(
    text: &str,
    doing: &str,
    work: impl FnOnce() -> T,
) -> Result<T, Diagnostic> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        if panic.is::<salsa::Cancelled>() {
            resume_unwind(panic);
        }
        let end = text.find(['\n', '\r']).unwrap_or(text.len());
        let span = Span::new(0, u32::try_from(end).unwrap_or(u32::MAX));
        let message = format!(
            "{doing} this item fails because of a bug in rise-ls; the rest of the file is not affected"
        );
        Diagnostic::error(codes::INTERNAL, span, message)
            .help("this is a bug in rise-ls: please report it, with the text of the item")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_diagnostic_on_the_first_line() {
        let failed: Result<(), Diagnostic> = catch_panic("def f =\n  1", "checking", || {
            std::panic::resume_unwind(Box::new(1))
        });
        let diagnostic = failed.unwrap_err();
        assert_eq!(
            (diagnostic.code, diagnostic.span),
            (codes::INTERNAL, Span::new(0, 7))
        );
        assert_eq!(catch_panic("def f = 1", "checking", || 2), Ok(2));
    }

    #[test]
    fn cancellation_goes_through() {
        let work = || {
            catch_panic("", "", || {
                resume_unwind(Box::new(salsa::Cancelled::PendingWrite))
            })
        };
        let cancelled = salsa::Cancelled::catch(work);
        assert!(matches!(cancelled, Err(salsa::Cancelled::PendingWrite)));
    }
}
