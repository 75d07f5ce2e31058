//! From places in a program to places in the text of the definition that is reported on.

use std::ops::Range;

use rise::core::{Origin, Program, Source, subterms};
use rise::{Inference, Primitive, TermInfo, Type};
use syntax::ast::{BinaryOp, Item, TermId, TermKind};
use syntax::{GlobalId, Place, Span};

/// A definition as its author sees it.
#[derive(Clone, Copy, Debug)]
pub struct Written<'a> {
    /// Its syntax.
    pub item: &'a Item,
    /// Its text, in which spans count.
    pub text: &'a str,
    /// What inference knows about it.
    pub inference: &'a Inference,
}

/// Where something of a program stands in the reported definition.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    /// The whole expression there.
    pub span: Span,
    /// The word to point at.
    pub head: Span,
    /// Where it really is, if that is in another definition: which, and the word there.
    pub inside: Option<(GlobalId, Span)>,
}

/// Looks places up.
#[derive(Clone, Copy)]
pub(super) struct Places<'a> {
    pub written: Written<'a>,
    pub program: &'a Program<Primitive>,
}

impl<'a> Places<'a> {
    fn source(&self, origin: Origin) -> Option<&'a Source> {
        self.program.origins.get(origin.0 as usize)
    }

    /// The place in the reported definition: for what comes from another definition, its use.
    pub fn spot(&self, origin: Origin) -> Spot {
        let whole = self
            .written
            .item
            .name()
            .map_or_else(Span::default, |name| name.span);
        let mut spot = Spot {
            span: whole,
            head: whole,
            inside: None,
        };
        let Some(mut source) = self.source(origin) else {
            return spot;
        };
        spot.inside = source.def.map(|def| (def, source.head));
        // Uses of uses of …: as many as definitions.
        for _ in 0..self.program.origins.len() {
            if source.def.is_none() {
                break;
            }
            match source.used_at.and_then(|at| self.source(at)) {
                Some(used) => source = used,
                None => return spot,
            }
        }
        Spot {
            span: source.span,
            head: source.head,
            ..spot
        }
    }

    /// A place, the use of the function or definition that it is in, the use of the one that this
    /// stands in, and so on.
    fn uses(self, origin: Origin) -> impl Iterator<Item = Origin> + use<'a> {
        // As many as there are origins.
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

    /// The place in the definition's own text where a change reaches what stands at an origin and
    /// otherwise only what also has to change; if there is none, the use in another definition that
    /// would have to change.
    ///
    /// The text of a function that is used several times stands for several expressions. Where only
    /// some of them have to change, it is the use of the function that does.
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

    /// The expressions of the program that the text at an origin stands for.
    pub fn same_text(self, origin: Origin) -> impl Iterator<Item = Origin> + use<'a> {
        let all = subterms(&self.program.body).map(|term| term.origin);
        all.filter(move |other| self.is_same_text(origin, *other))
    }

    /// The innermost and the outermost place in the definition's own text that an expression comes
    /// from.
    pub fn own_places(self, origin: Origin) -> Option<(Origin, Origin)> {
        let first = self.own_uses(origin).next()?;
        let last = self.own_uses(origin).filter(|at| self.is_own(*at)).last()?;
        Some((first, last))
    }

    /// The uses of a place from the first one in the definition's own text on.
    fn own_uses(self, origin: Origin) -> impl Iterator<Item = Origin> + use<'a> {
        self.uses(origin).skip_while(move |at| !self.is_own(*at))
    }

    pub fn text(&self, span: Span) -> &'a str {
        self.written.text.get(Range::from(span)).unwrap_or_default()
    }

    /// The place of a further remark: in the definition where it really is.
    pub fn related(&self, origin: Origin) -> Place {
        let spot = self.spot(origin);
        match spot.inside {
            Some((def, span)) => Place {
                item: Some(def),
                span,
            },
            None => self.stage(origin).into(),
        }
    }

    /// Whether the primitive's own name stands there, so that it can be replaced.
    pub fn names(&self, spot: Spot, primitive: Primitive) -> bool {
        spot.inside.is_none() && self.text(spot.head) == primitive.name()
    }

    /// The expression without the data that it is given: `mapSeq(f)` in `xs |> mapSeq(f)`.
    pub fn stage(&self, origin: Origin) -> Span {
        let spot = self.spot(origin);
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
                TermKind::Let { .. } => return spot.head,
                _ => return item.term(term).span,
            };
        }
    }

    /// The word at a place, if there is one: what a strategy made has only a whole term for its place.
    pub fn word(&self, spot: Spot) -> Option<&'a str> {
        let head = self.text(spot.head);
        let is_word = !head.is_empty() && !head.contains(|c: char| c.is_whitespace() || c == '(');
        is_word.then_some(head)
    }

    /// As it is called in a message: `mapSeq(f)` if that is short, else its head.
    pub fn quote(&self, origin: Origin, name: &str) -> String {
        const SHORT: usize = 32;
        let spot = self.spot(origin);
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

    /// Whether the term is a function still to be applied.
    pub fn is_applied(&self, term: TermId) -> bool {
        match self.written.inference.terms.get(term.0 as usize) {
            Some(TermInfo::Expr(ty)) => !matches!(**ty, Type::Fun(..) | Type::Pi(_)),
            _ => true,
        }
    }

    /// The term of a place, with everything that what stands there is applied to.
    pub fn spine_of(&self, spot: Spot) -> Option<TermId> {
        let item = self.written.item;
        let terms = item.terms.iter().enumerate();
        // The outermost of that span: parentheses have a larger one.
        let mut at = terms
            .filter(|(_, term)| term.span == spot.span)
            .map(|(at, _)| at)
            .next_back()?;
        // Parents stand behind their children.
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
