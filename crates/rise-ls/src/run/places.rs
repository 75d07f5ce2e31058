//! Maps events of a running program to source locations.

use super::{Location, Runs};
use rise::core::{Foreign, Origin, Source};
use syntax::Span;

impl Runs<'_> {
    /// Returns the locations of an expression of the program, without those in the library: the
    /// innermost one, if there is any, and the uses by which it was inlined into the program,
    /// innermost first.
    pub(super) fn places(&self, origin: Origin) -> (Option<Location>, Vec<Location>) {
        self.places_in(&self.program.origins, origin)
    }

    /// Returns the locations of an expression, as [`Runs::places`] does, in a program with these
    /// origins.
    pub(super) fn places_in(
        &self,
        origins: &[Source],
        origin: Origin,
    ) -> (Option<Location>, Vec<Location>) {
        let mut places = Vec::new();
        let mut next = Some(origin);
        while let Some(source) = next.and_then(|origin| origins.get(origin.0 as usize)) {
            let (item, span) = self.place(source);
            if !self.db.is_library(self.db.file_of(item)) {
                places.push((item, span));
            }
            next = source.used_at;
        }
        let mut places = places.into_iter();
        (places.next(), places.collect())
    }

    fn place(&self, source: &Source) -> Location {
        let item = source.def.map_or(self.item, |def| self.db.item_of(def));
        (item, source.head)
    }

    /// Returns the location of the word at a byte offset in the body of a foreign function, or
    /// `None` if the function has no body in a source file.
    pub(super) fn body_place(&self, function: &Foreign, offset: usize) -> Option<Location> {
        let item = self.db.item_of(function.id?);
        let (body, span) = (function.body.as_deref()?, function.body_span?);
        let text = self.db.item_text(item);
        // The span includes the quotes.
        let quoted = text.get(span.start as usize..span.end as usize)?;
        let start = span.start as usize + quoted.find(body)? + offset.min(body.len());
        let rest = text.get(start..)?;
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len()).max(1);
        let end = start + length.min(rest.len());
        Some((
            item,
            Span::new(u32::try_from(start).ok()?, u32::try_from(end).ok()?),
        ))
    }
}
