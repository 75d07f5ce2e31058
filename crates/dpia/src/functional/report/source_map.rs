//! The translation of the origins of a program to places in the text of the definition that is
//! reported on.

use std::ops::Range;

use rise::core::{Origin, Program, Source, subterms};
use rise::{Inference, Primitive, TermInfo, Type};
use syntax::ast::{BinaryOp, Item, TermId, TermKind};
use syntax::{GlobalId, ItemSpan, Span};

/// A definition in the form in which it is written.
#[derive(Clone, Copy, Debug)]
pub struct DefinitionSource<'a> {
    /// The syntax tree of the definition.
    pub item: &'a Item,
    /// The text of the definition, to which spans refer.
    pub text: &'a str,
    /// The result of inference for the definition.
    pub inference: &'a Inference,
}

/// The place of a part of a program in the reported definition.
#[derive(Clone, Copy, Debug)]
pub(super) struct SourceLocation {
    /// The span of the whole expression.
    pub span: Span,
    /// The span of the word to point at.
    pub head: Span,
    /// For a part of another definition, that definition and the span of the word in it.
    pub inside: Option<(GlobalId, Span)>,
}

/// The places of a program's origins.
#[derive(Clone, Copy)]
pub(super) struct SourceMap<'a> {
    pub written: DefinitionSource<'a>,
    pub program: &'a Program<Primitive>,
}

impl<'a> SourceMap<'a> {
    fn source(&self, origin: Origin) -> Option<&'a Source> {
        self.program.origins.get(origin.0 as usize)
    }

    /// Returns the place of an origin in the reported definition. For a part of another definition
    /// it is the use of that definition, and if no place is known the name of the reported
    /// definition.
    pub fn location(&self, origin: Origin) -> SourceLocation {
        let whole = self
            .written
            .item
            .name()
            .map_or_else(Span::default, |name| name.span);
        let mut spot = SourceLocation {
            span: whole,
            head: whole,
            inside: None,
        };
        let Some(mut source) = self.source(origin) else {
            return spot;
        };
        spot.inside = source.def.map(|def| (def, source.head));
        // Uses nest at most as deeply as there are definitions.
        for _ in 0..self.program.origins.len() {
            if source.def.is_none() {
                break;
            }
            match source.used_at.and_then(|at| self.source(at)) {
                Some(used) => source = used,
                None => return spot,
            }
        }
        SourceLocation {
            span: source.span,
            head: source.head,
            ..spot
        }
    }

    /// Returns an origin, the use of the function or definition that contains it, the use of the
    /// one that contains that use, and so on.
    fn uses(self, origin: Origin) -> impl Iterator<Item = Origin> + use<'a> {
        // The limit prevents an endless iteration.
        let most = self.program.origins.len();
        let next = move |origin: &Origin| self.source(*origin).and_then(|source| source.used_at);
        std::iter::successors(Some(origin), next).take(most)
    }

    fn is_own(&self, origin: Origin) -> bool {
        self.source(origin)
            .is_some_and(|source| source.def.is_none())
    }

    fn is_same_text(&self, a: Origin, b: Origin) -> bool {
        match (self.source(a), self.source(b)) {
            (Some(a), Some(b)) => (a.def, a.span) == (b.def, b.span),
            _ => false,
        }
    }

    /// Returns the innermost place in the definition's own text where a change affects the
    /// expression at an origin and otherwise only expressions for which `changes` returns true. If
    /// there is none, returns the use in another definition that would have to change.
    ///
    /// The text of a function with several uses corresponds to several expressions. If only some of
    /// them have to change, a use of the function has to change instead.
    pub fn place_to_change(
        &self,
        origin: Origin,
        changes: &dyn Fn(Origin) -> bool,
    ) -> Result<Origin, Origin> {
        let mut uses = self.own_uses(origin).peekable();
        while let Some(at) = uses.next() {
            if !self.is_own(at) {
                return Err(at);
            }
            let is_there =
                |other: Origin| self.uses(other).any(|place| self.is_same_text(place, at));
            let mut others = self.same_text(origin).filter(|other| is_there(*other));
            if uses.peek().is_none() || others.all(changes) {
                return Ok(at);
            }
        }
        Ok(origin)
    }

    /// Returns the expressions of the program that have the same text as the origin.
    pub fn same_text(self, origin: Origin) -> impl Iterator<Item = Origin> + use<'a> {
        let all = subterms(&self.program.body).map(|term| term.origin);
        all.filter(move |other| self.is_same_text(origin, *other))
    }

    /// Returns the innermost and the outermost place in the definition's own text that an
    /// expression comes from.
    pub fn own_places(self, origin: Origin) -> Option<(Origin, Origin)> {
        let first = self.own_uses(origin).next()?;
        let last = self.own_uses(origin).filter(|at| self.is_own(*at)).last()?;
        Some((first, last))
    }

    /// Returns the origins that [`SourceMap::uses`] returns, from the first one in the definition's
    /// own text on.
    fn own_uses(self, origin: Origin) -> impl Iterator<Item = Origin> + use<'a> {
        self.uses(origin).skip_while(move |at| !self.is_own(*at))
    }

    pub fn text(&self, span: Span) -> &'a str {
        self.written.text.get(Range::from(span)).unwrap_or_default()
    }

    /// Returns the place of a related message: that of the word at the origin, if it is in another
    /// definition, and otherwise that of the expression without its data.
    pub fn related(&self, origin: Origin) -> ItemSpan {
        let spot = self.location(origin);
        match spot.inside {
            Some((def, span)) => ItemSpan {
                item: Some(def),
                span,
            },
            None => self.stage(origin).into(),
        }
    }

    /// Returns true if the text is the primitive's own name, so that it can be replaced.
    pub fn names(&self, spot: SourceLocation, primitive: Primitive) -> bool {
        spot.inside.is_none() && self.text(spot.head) == primitive.name()
    }

    /// Returns the span of an expression without its data: `mapSeq(f)` in `xs |> mapSeq(f)`.
    pub fn stage(&self, origin: Origin) -> Span {
        let spot = self.location(origin);
        let Some(mut term) = self.spine_of(spot) else {
            return spot.span;
        };
        let item = self.written.item;
        loop {
            term = match &item.term(term).kind {
                TermKind::Binary {
                    op: BinaryOp::Pipe,
                    rhs,
                    ..
                } => *rhs,
                TermKind::Binary {
                    op: BinaryOp::ApplyLeft,
                    lhs,
                    ..
                } => *lhs,
                TermKind::Apply { callee, args } if args.iter().any(|&arg| self.is_data(arg)) => {
                    *callee
                }
                TermKind::Let { .. } | TermKind::Local { .. } | TermKind::LetSize { .. } => {
                    return spot.head;
                }
                _ => return item.term(term).span,
            };
        }
    }

    /// Returns the word at a place; `None` if it is a whole term, as for expressions that a
    /// strategy made.
    pub fn word(&self, spot: SourceLocation) -> Option<&'a str> {
        let head = self.text(spot.head);
        let is_word = !head.is_empty() && !head.contains(|c: char| c.is_whitespace() || c == '(');
        is_word.then_some(head)
    }

    /// Returns the text of an expression for messages: all of it without its data, such as
    /// `mapSeq(f)`, if that is short and on one line, otherwise the word at its head; `name` if
    /// there is no such word.
    pub fn quote(&self, origin: Origin, name: &str) -> String {
        const SHORT: usize = 32;
        let spot = self.location(origin);
        let Some(head) = self.word(spot) else {
            return name.to_owned();
        };
        let text = self.text(self.stage(origin));
        if text.len() > SHORT || text.contains('\n') {
            head.to_owned()
        } else {
            text.to_owned()
        }
    }

    fn is_data(&self, term: TermId) -> bool {
        match self.written.inference.terms.get(term.0 as usize) {
            Some(TermInfo::Expr(ty)) => !matches!(**ty, Type::Fun(..) | Type::Pi(_)),
            _ => false,
        }
    }

    /// Returns true if the term is no function, so that it has all of its arguments.
    pub fn is_applied(&self, term: TermId) -> bool {
        !matches!(self.type_of(term), Some(Type::Fun(..) | Type::Pi(_)))
    }

    /// Returns true if a term is a function that returns data after its next argument, so that it
    /// can be composed with a function of this data.
    pub fn takes_one_argument(&self, term: TermId) -> bool {
        match self.type_of(term) {
            Some(Type::Fun(_, result)) => !matches!(**result, Type::Fun(..) | Type::Pi(_)),
            _ => false,
        }
    }

    /// Returns the type of the expression, or the result type if it is a function, at the use of
    /// another definition that `origin` is in; `None` for an origin in the reported definition.
    pub fn type_at_use(&self, origin: Origin) -> Option<&'a Type> {
        let term = self.spine_of(self.location(origin))?;
        match self.type_of(term)? {
            _ if self.is_own(origin) => None,
            Type::Fun(_, result) => Some(result),
            ty => Some(ty),
        }
    }

    fn type_of(&self, term: TermId) -> Option<&'a Type> {
        match self.written.inference.terms.get(term.0 as usize) {
            Some(TermInfo::Expr(ty)) => Some(ty),
            _ => None,
        }
    }

    /// Returns the term at a place with all of its arguments.
    pub fn spine_of(&self, spot: SourceLocation) -> Option<TermId> {
        let item = self.written.item;
        let terms = item.terms.iter().enumerate();
        // Several terms can have the same span; the last one is the outermost. Parentheses have a
        // larger span.
        let mut at = terms
            .filter(|(_, term)| term.span == spot.span)
            .map(|(at, _)| at)
            .next_back()?;
        // A parent has a larger index than its children.
        for (parent, term) in item.terms.iter().enumerate().skip(at + 1) {
            if self.is_applied(id(at)) {
                break;
            }
            let child = id(at);
            let goes_on = match &term.kind {
                TermKind::Apply { callee, .. } => *callee == child,
                TermKind::Paren(inner) => *inner == child,
                TermKind::Binary { op, lhs, rhs, .. } => match op {
                    BinaryOp::Pipe => *rhs == child,
                    BinaryOp::ApplyLeft => *lhs == child,
                    _ => false,
                },
                _ => false,
            };
            if goes_on {
                at = parent;
            }
        }
        Some(id(at))
    }
}

fn id(at: usize) -> TermId {
    TermId(u32::try_from(at).unwrap_or(u32::MAX))
}
