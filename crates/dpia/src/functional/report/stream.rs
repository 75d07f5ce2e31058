//! Messages about streams that are used as arrays.

use rise::codes;
use rise::core::Origin;
use rise::{Primitive, Ty, Type};
use syntax::ast::{BinaryOp, TermId, TermKind};
use syntax::{Diagnostic, Span};

use super::edit::Edits;
use super::{Reporter, alternatives};
use crate::functional::problem::User;
use crate::target::Features;

impl Reporter<'_> {
    pub(super) fn stream_read(
        &self,
        at: Origin,
        reader: &User,
        data: &Ty,
        ends: bool,
    ) -> Diagnostic {
        use Primitive::{Map, MapSeq, MapSeqUnroll};
        if let User::Primitive(Primitive::Let, origin) = reader {
            return self.named_stream(at, *origin, data);
        }
        let stage = self.source_map.stage(at);
        let message = match reader {
            User::Result | User::Function(..) => {
                format!("no loop writes this stream to {}", self.destination(reader))
            }
            _ => format!(
                "{} reads an array, and this is a stream",
                self.subject(reader)
            ),
        };
        let loop_of_streams = match reader {
            User::Primitive(p @ (Map | MapSeq | MapSeqUnroll), origin) => {
                let (name, title) = if ends || *p != Map {
                    ("iterateStream", "End the stream here: `iterateStream`")
                } else {
                    ("mapStream", "Keep it a stream: `mapStream`")
                };
                Some((*origin, *p, name, title))
            }
            _ => None,
        };
        let help = match loop_of_streams {
            Some((_, map, name, _)) => format!("write `{name}` in place of `{}`", map.name()),
            None => "a stream can be read by `mapStream`, `zip` and windows, and is written to an array by `iterateStream`".to_owned(),
        };
        let mut found = Diagnostic::error(codes::STREAM_AS_ARRAY, stage, message).help(help);
        if let Some(origin) = reader.origin() {
            found = found.related(self.source_map.related(origin), "read here");
        }
        if let Some((origin, map, name, title)) = loop_of_streams {
            return self.fixed(found, title, self.source_map.replace(origin, map, name));
        }
        match reader {
            User::Result | User::Function(..) => {
                let element = elements_copy(data);
                let stage = format!("iterateStream({element})");
                let edits = self.source_map.append(at, &stage);
                self.fixed(found, &format!("Write its elements: `{stage}`"), edits)
            }
            _ => found,
        }
    }

    /// Reports a stream that is bound by `let`, whose values must be readable more than once.
    fn named_stream(&self, at: Origin, origin: Origin, data: &Ty) -> Diagnostic {
        let stage = self.source_map.stage(at);
        let named = self.named(stage);
        let name = named.as_ref().map(|named| named.name);
        let message = match name {
            Some(name) => format!(
                "`{name}` is a stream, and `let` can only name a value that can be read several times"
            ),
            None => {
                "this is a stream, and `let` can only name a value that can be read several times"
                    .to_owned()
            }
        };
        let found = Diagnostic::error(codes::STREAM_AS_ARRAY, stage, message)
            .related(self.source_map.related(origin), "named here");
        let uses = named.as_ref().map_or(0, |named| named.uses.len());
        if let (1, Some(named)) = (uses, &named) {
            let found =
                found.help("a stream can be used only once: write its expression where it is used");
            let title = format!("Write the stream in place of `{}`", named.name);
            return self.fixed(found, &title, self.inlined(named));
        }
        let stored = format!("iterateStream({}) |> toMem", elements_copy(data));
        let help = "write the expression of a stream where it is used, once; store a value that is used several times";
        let edits = match self.target.has_work_items() {
            true => None,
            false => self.source_map.append(at, &stored),
        };
        self.fixed(found.help(help), &format!("Store it: `{stored}`"), edits)
    }

    /// Returns the innermost `let` whose value contains the expression at `stage`.
    fn named(&self, stage: Span) -> Option<NamedStream<'_>> {
        let written = self.source_map.written;
        let lets = written
            .item
            .terms
            .iter()
            .filter_map(|term| match &term.kind {
                TermKind::Let {
                    binder,
                    value,
                    body,
                } => Some((term.span, *binder, *value, *body)),
                _ => None,
            });
        let holds = |span: Span| span.start <= stage.start && stage.end <= span.end;
        let (whole, binder, value, body) = lets
            .filter(|(_, _, value, _)| holds(written.item.term(*value).span))
            .min_by_key(|(_, _, value, _)| {
                let span = written.item.term(*value).span;
                span.end - span.start
            })?;
        let target = rise::Target::Binder(binder);
        let uses = written.inference.uses.iter();
        let uses = uses.filter(|used| used.target == target);
        Some(NamedStream {
            name: &written.item.binders[binder.0 as usize].name,
            whole,
            value,
            body,
            uses: uses.map(|used| used.term).collect(),
        })
    }

    /// Returns the edits that inline a stream at its only use.
    fn inlined(&self, named: &NamedStream) -> Option<Edits> {
        let item = self.source_map.written.item;
        let [used] = named.uses[..] else { return None };
        let (used, value) = (item.term(used).span, item.term(named.value));
        let body = item.term(named.body).span;
        let text = self.source_map.text(value.span);
        // No parentheses are needed at the start of a pipe or for an argument.
        let pipe = |term: &syntax::ast::Term| match &term.kind {
            TermKind::Binary {
                op: BinaryOp::Pipe,
                lhs,
                ..
            } => item.term(*lhs).span == used,
            _ => false,
        };
        let alone = match &value.kind {
            TermKind::Apply { .. } | TermKind::Name(_) | TermKind::Paren(_) => true,
            TermKind::Binary {
                op: BinaryOp::Pipe, ..
            } => item.terms.iter().any(pipe),
            _ => false,
        };
        let text = if alone {
            text.to_owned()
        } else {
            format!("({text})")
        };
        let removed = Span::new(named.whole.start, body.start);
        Some(vec![(removed, String::new()), (used, text)])
    }
}

/// The name that a `let` gives to a stream.
struct NamedStream<'a> {
    name: &'a str,
    /// The span of the whole `let`.
    whole: Span,
    value: TermId,
    body: TermId,
    uses: Vec<TermId>,
}

/// Returns the text of a function that copies an element of a stream.
fn elements_copy(data: &Type) -> String {
    match data {
        Type::Array(_, element) => alternatives::copy(element, Features::default(), &[]),
        _ => "id".into(),
    }
}
