//! Elaboration of commands, which exist in DPIA only.

use std::sync::Arc;

use syntax::Span;
use syntax::ast::TermId;

use super::value::primitive_node;
use super::{Command, Elaborator, Surface};
use crate::core::{Expr, Origin};
use crate::types::{Arg, Type};

impl<P: Surface> Elaborator<'_, P> {
    pub(super) fn command(
        &self,
        command: Command,
        types: Vec<Arg>,
        args: Vec<Expr<P>>,
        origin: Origin,
    ) -> Option<Expr<P>> {
        let primitive = P::of_command(command)?;
        let ty = Arc::new(Type::Comm);
        Some(primitive_node(primitive, types, args, ty, origin))
    }

    /// Elaborates `acceptor = expression`.
    pub(super) fn assign(
        &mut self,
        id: TermId,
        op_span: Span,
        lhs: TermId,
        rhs: TermId,
    ) -> Option<Expr<P>> {
        let (acceptor, value) = (self.term(lhs, None)?, self.term(rhs, None)?);
        let span = self.span(id);
        let origin = self.site(span, op_span);
        let data = Arg::Type(P::data(&acceptor.ty)?);
        self.command(Command::Assign, vec![data], vec![acceptor, value], origin)
    }

    /// Elaborates `a; b; c` to a balanced tree of sequences of two commands, because sequences are
    /// long and a list would nest too deeply.
    pub(super) fn sequence(&mut self, commands: &[TermId]) -> Option<Expr<P>> {
        let (first, second) = match commands {
            [] => return None,
            [only] => return self.term(*only, None),
            commands => commands.split_at(commands.len() / 2),
        };
        let head = self.span(*second.first()?);
        let span = self.span(*first.first()?).cover(self.span(*second.last()?));
        let both = vec![self.sequence(first)?, self.sequence(second)?];
        let origin = self.site(span, head);
        self.command(Command::Sequence, Vec::new(), both, origin)
    }

    /// Elaborates `if (condition) { then } else { otherwise }`.
    pub(super) fn conditional(&mut self, id: TermId, parts: [TermId; 3]) -> Option<Expr<P>> {
        let parts = parts
            .iter()
            .map(|&part| self.term(part, None))
            .collect::<Option<Vec<_>>>()?;
        let origin = self.keyword(id);
        self.command(Command::If, Vec::new(), parts, origin)
    }
}
