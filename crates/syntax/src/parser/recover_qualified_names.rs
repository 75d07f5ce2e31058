//! Error recovery for qualified names of other languages: `np.maximum`, `std::max`.

use super::Parser;
use crate::Diagnostic;
use crate::ast::{TermId, TermKind};
use crate::lexer::TokenKind;

/// The usual names of modules with functions on numbers and arrays.
const MODULES: &[&str] = &[
    "Math", "cmath", "cp", "cupy", "jax", "jnp", "lax", "math", "np", "numpy", "scipy", "std",
    "tf", "torch",
];

impl Parser<'_> {
    /// Returns true if a term is the name of a module of another language, and a name in that
    /// module follows: a known module before `.`, or any name before `::`.
    pub(crate) fn at_part_of_module(&self, term: TermId) -> bool {
        let text = self.text_of(term);
        let is_bound = || self.binders.iter().any(|binder| binder.name == text);
        let is_module = match *self.kind_of(term) {
            TermKind::Name(_) if self.at(TokenKind::Dot) => MODULES.contains(&text) && !is_bound(),
            TermKind::Name(_) | TermKind::Scalar(_) => self.at(TokenKind::Colon),
            _ => false,
        };
        is_module && self.host.is_none() && self.length_of_path() > 0
    }

    /// Returns the number of tokens of `.name` or `::name` at the current position; 0 for other
    /// text or if there is white space between them.
    fn length_of_path(&self) -> usize {
        let length = match self.kind() {
            TokenKind::Dot => 2,
            TokenKind::Colon if self.peek_kind(1) == TokenKind::Colon => 3,
            _ => return 0,
        };
        let mut end = self.last_end();
        for token in (0..length).map(|ahead| self.peek(ahead)) {
            if token.span.start != end {
                return 0;
            }
            end = token.span.end;
        }
        match self.peek_kind(length - 1) {
            TokenKind::Ident => length,
            _ => 0,
        }
    }

    /// Reports a qualified name that begins with the term `module`, and replaces this term by the
    /// unqualified name.
    pub(crate) fn name_in_module(&mut self, module: TermId) {
        loop {
            match self.length_of_path() {
                0 => break,
                length => self.pos += length,
            }
        }
        let Some(last) = self.previous() else {
            return;
        };
        let span = self.span_of(module).cover(last.span);
        let (path, name) = (self.slice(span), self.slice(last.span));
        let message = format!("there are no modules, so `{path}` cannot be found");
        self.report(Diagnostic::syntax(span, message)
                .help(format!(
                    "write the name without a module, `{name}`, and declare it with `foreign def` if it is a function of C"
                ))
                .fix(format!("Write `{name}`"), vec![(span, name.to_owned())], false));
        let kind = TermKind::Name(self.name(last.span));
        let term = &mut self.terms[module.0 as usize];
        (term.kind, term.span) = (kind, span);
    }
}
