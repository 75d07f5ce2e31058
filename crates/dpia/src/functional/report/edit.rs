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
        while let TermKind::Let { body, .. } = item.term(term).kind {
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
            | Some(TermKind::Let { .. }) => true,
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

    /// Returns the edits that replace `(a, b)` by `zip(a)(b)`; `None` if the expression is no such
    /// pair in the definition's own text, or if there are comments in it that would be lost.
    pub fn zipped(&self, origin: Origin) -> Option<Edits> {
        let spot = self.location(origin);
        if spot.inside.is_some() {
            return None;
        }
        let item = self.written.item;
        let pairs = item.terms.iter().filter(|term| term.span == spot.span);
        let (whole, a, b) = pairs.into_iter().find_map(|term| match term.kind {
            TermKind::Pair(a, b) => Some((term.span, item.term(a).span, item.term(b).span)),
            _ => None,
        })?;
        let open = Span::new(whole.start, a.start);
        let comma = Span::new(a.end, b.start);
        // Only if no comments are in between, which would be lost.
        let plain = self.text(open).trim() == "(" && self.text(comma).trim() == ",";
        plain.then(|| vec![(open, "zip(".to_owned()), (comma, ")(".to_owned())])
    }

    /// Returns the edit that replaces the result `(n.a, n.b)` of a written type by `n.(a, b)`;
    /// `None` if the result is written in another way.
    pub fn zipped_type(&self, mut ty: TermId) -> Option<(Span, String)> {
        let item = self.written.item;
        loop {
            ty = match item.term(ty).kind {
                TermKind::Arrow(_, result) => result,
                TermKind::Pi { body, .. } => body,
                TermKind::Paren(inner) | TermKind::Where { ty: inner, .. } => inner,
                _ => break,
            };
        }
        let (TermKind::Tuple(a, b) | TermKind::Pair(a, b)) = item.term(ty).kind else {
            return None;
        };
        let [a, b] = [a, b].map(|part| match item.term(part).kind {
            TermKind::Array { size, elem, .. } => Some((
                self.text(item.term(size).span),
                self.text(item.term(elem).span),
            )),
            _ => None,
        });
        let ((n, a), (_, b)) = (a?, b?);
        Some((item.term(ty).span, format!("{n}.({a}, {b})")))
    }

    /// Returns the edits that remove the last stage: `xs |> f` becomes `xs`. Returns `None` if the
    /// expression is no such pipe.
    pub fn without_stage(&self, origin: Origin) -> Option<Edits> {
        let spot = self.location(origin);
        let item = self.written.item;
        let term = self.spine_of(spot).filter(|_| spot.inside.is_none())?;
        match item.term(term).kind {
            TermKind::Binary {
                op: BinaryOp::Pipe,
                lhs,
                ..
            } => {
                let stage = Span::new(item.term(lhs).span.end, item.term(term).span.end);
                Some(vec![(stage, String::new())])
            }
            _ => None,
        }
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
        TermKind::Let { value, body, .. } => vec![*value, *body],
        TermKind::Pair(a, b) => vec![*a, *b],
        TermKind::Ascribe { term, .. } | TermKind::Paren(term) => vec![*term],
        _ => Vec::new(),
    }
}
