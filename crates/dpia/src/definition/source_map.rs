//! The translation of origins to places in the text of the definition that is reported on, and
//! errors at these places.

use rise::core::{Origin, Source};
use syntax::{Code, Diagnostic, ItemSpan, Span};

use crate::functional::DefinitionSource;
use crate::phrase::PhraseProgram;

/// The origins of a program, with the text of its definition.
pub(super) struct SourceMap<'a> {
    program: &'a PhraseProgram,
    written: DefinitionSource<'a>,
}

impl<'a> SourceMap<'a> {
    pub fn new(program: &'a PhraseProgram, written: DefinitionSource<'a>) -> SourceMap<'a> {
        SourceMap { program, written }
    }

    fn source(&self, origin: Origin) -> Option<&'a Source> {
        self.program.origins.get(origin.0 as usize)
    }

    /// Returns the span of the definition's name.
    fn name(&self) -> Span {
        let name = self.written.item.name();
        name.map_or_else(Span::default, |name| name.span)
    }

    /// Returns the span of the word to point at. For an origin in another definition it is that of
    /// the use of this definition, and for an unknown origin that of the reported definition's
    /// name.
    pub fn head(&self, origin: Origin) -> Span {
        let Some(mut source) = self.source(origin) else {
            return self.name();
        };
        // Uses nest at most as deeply as there are definitions.
        for _ in 0..self.program.origins.len() {
            if source.def.is_none() {
                break;
            }
            match source.used_at.and_then(|at| self.source(at)) {
                Some(used) => source = used,
                None => return self.name(),
            }
        }
        source.head
    }

    /// Returns the place of the origin itself, which may be in another definition.
    pub fn own_location(&self, origin: Origin) -> ItemSpan {
        match self.source(origin) {
            Some(source) => ItemSpan {
                item: source.def,
                span: source.head,
            },
            None => self.name().into(),
        }
    }

    /// Returns true if the origin is in another definition.
    pub fn is_elsewhere(&self, origin: Origin) -> bool {
        self.source(origin).is_some_and(|s| s.def.is_some())
    }

    /// Returns the text at a span of the definition.
    pub fn text(&self, span: Span) -> &'a str {
        let range = std::ops::Range::from(span);
        self.written.text.get(range).unwrap_or_default()
    }

    /// Makes an error at an origin. For an origin in another definition the error is at the use of
    /// this definition and has the origin as a related place.
    pub fn error(&self, code: Code, origin: Origin, text: impl Into<String>) -> Diagnostic {
        let found = Diagnostic::error(code, self.head(origin), text);
        match self.is_elsewhere(origin) {
            true => {
                let user = self.text(self.head(origin));
                let here = format!("in `{user}`, here");
                found.related(self.own_location(origin), here)
            }
            false => found,
        }
    }

    /// Makes an error about the definition as a whole.
    pub fn whole(&self, code: Code, text: impl Into<String>) -> Diagnostic {
        Diagnostic::error(code, self.name(), text)
    }
}
