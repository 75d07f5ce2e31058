//! Edits of a definition's text.

use rise::Primitive;
use rise::core::Origin;
use syntax::Span;
use syntax::ast::{BinaryOp, TermId, TermKind};

use super::source_map::SourceMap;

/// Replacements of spans by texts; the spans do not overlap.
pub(super) type Edits = Vec<(Span, String)>;

impl SourceMap<'_> {
    /// Returns the edits that append `stage` to the expression: `e |> stage`, or `e >> stage` for a
    /// function. Returns `None` if the function takes more than one argument, or if the expression
    /// is not found in the text.
    pub fn append(&self, origin: Origin, stage: &str) -> Option<Edits> {
        let item = self.written.item;
        let mut term = self.spine_of(self.location(origin))?;
        while let TermKind::Let { body, .. }
        | TermKind::Local { body, .. }
        | TermKind::LetSize { body, .. } = item.term(term).kind
        {
            term = body;
        }
        let span = item.term(term).span;
        let (start, end) = (Span::empty(span.start), Span::empty(span.end));
        let parent = self.parent(term);
        let around = parent.map(|parent| &item.term(parent).kind);
        if !self.is_applied(term) {
            if !self.takes_one_argument(term) {
                return None;
            }
            if let Some(TermKind::Binary {
                op: BinaryOp::After,
                ..
            }) = around
            {
                return Some(vec![(start, format!("{stage} << "))]);
            }
            return Some(vec![(end, format!(" >> {stage}"))]);
        }
        let alone = match around {
            None | Some(TermKind::Paren(_)) => true,
            Some(TermKind::Apply { callee, .. }) => *callee != term,
            Some(TermKind::Binary { op, lhs, .. }) => match op {
                BinaryOp::Pipe => *lhs == term,
                BinaryOp::ApplyLeft => *lhs != term,
                _ => false,
            },
            Some(TermKind::Project { .. } | TermKind::Unary { .. }) => false,
            Some(_) => true,
        };
        let loose = matches!(
            &item.term(term).kind,
            TermKind::Binary {
                op: BinaryOp::ApplyLeft,
                ..
            }
        );
        Some(match (alone, loose) {
            (true, false) => vec![(end, format!(" |> {stage}"))],
            (true, true) => vec![(start, "(".into()), (end, format!(") |> {stage}"))],
            (false, false) => vec![(start, "(".into()), (end, format!(" |> {stage})"))],
            (false, true) => vec![(start, "((".into()), (end, format!(") |> {stage})"))],
        })
    }

    /// Returns the edits that replace an application by another expression; `None` if it lacks
    /// arguments or is not found in the text.
    pub fn rewrite(&self, origin: Origin, text: &str) -> Option<Edits> {
        let term = self.spine_of(self.location(origin))?;
        if !self.is_applied(term) {
            return None;
        }
        let item = self.written.item;
        let around = self.parent(term).map(|parent| &item.term(parent).kind);
        let alone = match around {
            None
            | Some(TermKind::Paren(_) | TermKind::Fun { .. } | TermKind::DepFun { .. })
            | Some(TermKind::Let { .. } | TermKind::Local { .. } | TermKind::LetSize { .. }) => {
                true
            }
            Some(TermKind::Apply { callee, .. }) => *callee != term,
            Some(TermKind::Binary { op, lhs, .. }) => *op == BinaryOp::Pipe && *lhs == term,
            Some(_) => false,
        };
        let text = if alone {
            text.to_owned()
        } else {
            format!("({text})")
        };
        Some(vec![(item.term(term).span, text)])
    }

    /// Returns the written type of the result of the definition, if there is one.
    pub fn written_result(&self) -> Option<TermId> {
        let item = self.written.item;
        if let Some(head) = item.head() {
            return head.result;
        }
        let mut ty = item.whole_type()?;
        loop {
            ty = match item.term(ty).kind {
                TermKind::Arrow(_, result) => result,
                TermKind::Pi { body, .. } => body,
                TermKind::Paren(inner) | TermKind::Where { ty: inner, .. } => inner,
                _ => return Some(ty),
            };
        }
    }

    /// Returns the edit that replaces a written type `n.(a, b)` by `(n.a, n.b)`; `None` if the type
    /// is written in another way.
    pub fn unzipped_type(&self, ty: TermId) -> Option<(Span, String)> {
        let item = self.written.item;
        let TermKind::Array { size, elem, .. } = item.term(ty).kind else {
            return None;
        };
        let (TermKind::Tuple(a, b) | TermKind::Pair(a, b)) = item.term(elem).kind else {
            return None;
        };
        let [n, a, b] = [size, a, b].map(|part| self.text(item.term(part).span));
        Some((item.term(ty).span, format!("({n}.{a}, {n}.{b})")))
    }

    /// Returns the edits that replace the name of a primitive together with its optional argument;
    /// `None` if the text at the origin is not this name.
    pub fn replace(&self, origin: Origin, primitive: Primitive, name: &str) -> Option<Edits> {
        let spot = self.location(origin);
        if !self.names(spot, primitive) {
            return None;
        }
        let mut edits = vec![(spot.head, name.to_owned())];
        edits.extend(self.without_optional(spot.head));
        Some(edits)
    }

    /// Returns the edits that write or replace the optional argument of a primitive; `None` if the
    /// text at the origin is not the primitive's name.
    pub fn set_optional(
        &self,
        origin: Origin,
        primitive: Primitive,
        argument: &str,
    ) -> Option<Edits> {
        let name = primitive.name();
        self.replace(origin, primitive, &format!("{name}({argument})"))
    }

    /// Returns the edit that removes the optional argument after the name at `head`, if there is
    /// one.
    fn without_optional(&self, head: Span) -> Option<(Span, String)> {
        let item = self.written.item;
        let (callee, args) = item.terms.iter().find_map(|term| match &term.kind {
            TermKind::Apply { callee, args } if item.term(*callee).span == head => {
                Some((term, args))
            }
            _ => None,
        })?;
        let first = item.term(*args.first()?);
        let optional = match &first.kind {
            TermKind::Address(_) => true,
            TermKind::Literal(_) => self.written.inference.uses.iter().any(|used| {
                item.term(used.term).span == head
                    && matches!(used.target, rise::Target::Primitive(p)
                        if p.optional_argument() == Some(rise::primitive::OptionalArgument::Dimension))
            }),
            // The name may be a variable of kind AddrSp.
            TermKind::Name(_) => matches!(
                self.written.inference.terms.get(args[0].0 as usize),
                Some(rise::TermInfo::Arg(rise::Arg::Address(_)))
            ),
            _ => false,
        };
        if !optional {
            return None;
        }
        match args.get(1) {
            Some(second) => {
                let to = item.term(*second).span.start;
                Some((Span::new(first.span.start, to), String::new()))
            }
            None => Some((Span::new(head.end, callee.span.end), String::new())),
        }
    }

    fn parent(&self, child: TermId) -> Option<TermId> {
        let item = self.written.item;
        let behind = item.terms.iter().enumerate().skip(child.0 as usize + 1);
        behind
            .filter(|(_, term)| children(&term.kind).contains(&child))
            .map(|(at, _)| TermId(u32::try_from(at).unwrap_or(u32::MAX)))
            .next()
    }
}

/// Returns the direct subexpressions of a term that edits have to consider.
fn children(kind: &TermKind) -> Vec<TermId> {
    match kind {
        TermKind::Apply { callee, args } => {
            [*callee].into_iter().chain(args.iter().copied()).collect()
        }
        TermKind::Binary { lhs, rhs, .. } => vec![*lhs, *rhs],
        TermKind::Unary { operand, .. } => vec![*operand],
        TermKind::Project { pair, .. } => vec![*pair],
        TermKind::Fun { body, .. } | TermKind::DepFun { body, .. } => vec![*body],
        TermKind::Let { value, body, .. } | TermKind::LetSize { value, body, .. } => {
            vec![*value, *body]
        }
        TermKind::Local { head, body, .. } => vec![head.value, *body],
        TermKind::Pair(a, b) => vec![*a, *b],
        TermKind::Ascribe { term, .. } | TermKind::Paren(term) => vec![*term],
        _ => Vec::new(),
    }
}
