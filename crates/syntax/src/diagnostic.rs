//! Defines the diagnostics that every layer of the compiler reports: their codes, severities,
//! places and fixes.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

use crate::{Span, codes};

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// An error: the program, or its translation for a target, is rejected.
    Error,
    /// A warning: the program has a meaning, but probably not the intended one.
    Warning,
    /// A fact, such as an obligation that a program assumes.
    Information,
    /// A hint that editors show inconspicuously.
    Hint,
}

/// A kind of mistake or fact that diagnostics report. The crate that reports it declares it with
/// [`declare_diagnostics!`](crate::declare_diagnostics).
#[derive(Clone, Copy)]
pub struct Code(&'static Declaration);

/// The name and the documentation of a code.
#[doc(hidden)]
pub struct Declaration {
    pub name: &'static str,
    /// The text of the doc comment, with the space that precedes each line.
    pub docs: &'static str,
}

impl Code {
    /// Creates the code of a declaration.
    #[doc(hidden)]
    pub const fn declared(declaration: &'static Declaration) -> Code {
        Code(declaration)
    }

    /// Returns the name of the code. It is stable: scripts filter by it, and `rise-ls explain CODE`
    /// describes it.
    pub const fn as_str(self) -> &'static str {
        self.0.name
    }

    /// Returns the first line of the documentation, one sentence.
    pub fn title(self) -> &'static str {
        self.0.docs.lines().next().unwrap_or_default().trim()
    }

    /// Returns the documentation after the title, in Markdown: an explanation and programs.
    pub fn explanation(self) -> String {
        let lines = self.0.docs.lines().skip(1);
        let lines: Vec<&str> = lines
            .map(|line| line.strip_prefix(' ').unwrap_or(line))
            .collect();
        lines.join("\n").trim().to_owned()
    }
}

impl PartialEq for Code {
    fn eq(&self, other: &Code) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Code {}

impl PartialOrd for Code {
    fn partial_cmp(&self, other: &Code) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Code {
    fn cmp(&self, other: &Code) -> Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl Hash for Code {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Declares the codes of the diagnostics that a crate reports, and the list `DIAGNOSTICS` of them.
/// The doc comment of a code is its section of `docs/errors.md` (`cargo xtask generate` writes it):
/// a sentence, an explanation, and programs in blocks marked `wrong` and `right`.
#[macro_export]
macro_rules! declare_diagnostics {
    ($($(#[doc = $doc:literal])+ $name:ident = $text:literal;)+) => {
        $(
            $(#[doc = $doc])+
            pub const $name: $crate::Code = $crate::Code::declared(&$crate::Declaration {
                name: $text,
                docs: concat!($($doc, "\n"),+),
            });
        )+

        /// The diagnostics that this crate declares, in the order of the error reference.
        pub const DIAGNOSTICS: &[$crate::Code] = &[$($name),+];
    };
}

/// An identifier of a top-level definition. The crate that keeps the definitions, such as `db`,
/// assigns the number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GlobalId(pub u64);

/// A span in the item of a diagnostic, or in another item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ItemSpan {
    /// The item, if it is another one than that of the diagnostic.
    pub item: Option<GlobalId>,
    /// The span, relative to the start of the item that contains it.
    pub span: Span,
}

impl From<Span> for ItemSpan {
    fn from(span: Span) -> Self {
        ItemSpan { item: None, span }
    }
}

/// A further place that explains a diagnostic.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Related {
    /// The place.
    pub place: ItemSpan,
    /// A short message about the place.
    pub message: String,
}

/// An edit that corrects what a diagnostic reports.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fix {
    /// The description of the fix in a menu.
    pub title: String,
    /// Replacements within the item of the diagnostic, each a span and its new text; they do not
    /// overlap.
    pub edits: Vec<(Span, String)>,
    /// Pairs of spans: the text of the first one is replaced by the text of the second one, as for
    /// two exchanged arguments.
    pub moves: Vec<(Span, Span)>,
    /// True if this is the one obvious correction.
    pub preferred: bool,
    /// The reason why the fix cannot be chosen, if it is shown nevertheless.
    pub disabled: Option<String>,
}

impl Fix {
    /// Creates a fix that is the one obvious correction.
    pub fn preferred(title: impl Into<String>, edits: Vec<(Span, String)>) -> Fix {
        Fix {
            title: title.into(),
            edits,
            moves: Vec::new(),
            preferred: true,
            disabled: None,
        }
    }

    /// Creates the obvious correction that replaces the text of a span.
    pub fn replace(title: impl Into<String>, span: Span, text: impl Into<String>) -> Fix {
        Fix::preferred(title, vec![(span, text.into())])
    }

    /// Creates the obvious correction that replaces the text of a span by `text`, with a title that
    /// quotes `text`.
    pub fn write(span: Span, text: impl Into<String>) -> Fix {
        let text = text.into();
        Fix::replace(format!("Write `{text}`"), span, text)
    }

    /// Creates the obvious correction that inserts a text before a span and one after it.
    pub fn surround(
        title: impl Into<String>,
        span: Span,
        open: impl Into<String>,
        close: impl Into<String>,
    ) -> Fix {
        let (start, end) = (Span::empty(span.start), Span::empty(span.end));
        Fix::preferred(title, vec![(start, open.into()), (end, close.into())])
    }

    /// Creates the obvious correction that exchanges the texts of two spans.
    pub fn exchange(title: impl Into<String>, first: Span, second: Span) -> Fix {
        Fix {
            moves: vec![(first, second), (second, first)],
            ..Fix::preferred(title, Vec::new())
        }
    }
}

/// A message about a span of an item.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Diagnostic {
    /// The kind of the message.
    pub code: Code,
    /// The severity.
    pub severity: Severity,
    /// The span, relative to the start of the item.
    pub span: Span,
    /// The text, of one or more lines: what was expected and what was found.
    pub message: String,
    /// Further places that explain the message.
    pub related: Vec<Related>,
    /// Advice on what to do.
    pub help: Option<String>,
    /// Edits that correct the mistake.
    pub fixes: Vec<Fix>,
}

impl Diagnostic {
    /// Creates a diagnostic without further places, help or fixes. In a message of more than 1000
    /// bytes, a part of more than 1000 bytes that contains no backquote is truncated.
    pub fn new(severity: Severity, code: Code, span: Span, message: impl Into<String>) -> Self {
        Diagnostic {
            code,
            severity,
            span,
            message: without_length(message.into()),
            related: Vec::new(),
            help: None,
            fixes: Vec::new(),
        }
    }

    /// Creates a diagnostic of severity [`Severity::Error`], as [`Diagnostic::new`] does.
    pub fn error(code: Code, span: Span, message: impl Into<String>) -> Self {
        Diagnostic::new(Severity::Error, code, span, message)
    }

    /// Returns the diagnostic with all places in its item moved to the right by `base` bytes.
    /// Places in other items stay as they are.
    #[must_use]
    pub fn shifted(mut self, base: u32) -> Self {
        let shift = |span: &mut Span| *span = span.shifted(base);
        shift(&mut self.span);
        for related in &mut self.related {
            if related.place.item.is_none() {
                shift(&mut related.place.span);
            }
        }
        for fix in &mut self.fixes {
            fix.edits.iter_mut().for_each(|(span, _)| shift(span));
            for (from, to) in &mut fix.moves {
                shift(from);
                shift(to);
            }
        }
        self
    }

    /// Creates an error with the code [`codes::SYNTAX_ERROR`].
    pub(crate) fn syntax(span: Span, message: impl Into<String>) -> Self {
        Diagnostic::error(codes::SYNTAX_ERROR, span, message)
    }

    /// Adds a preferred fix that replaces the text of a span.
    #[must_use]
    pub(crate) fn replace(
        self,
        title: impl Into<String>,
        span: Span,
        text: impl Into<String>,
    ) -> Self {
        self.fix(title, vec![(span, text.into())], true)
    }

    /// Adds a preferred fix that replaces the text of a span by `text`, with a title that quotes
    /// `text`.
    #[must_use]
    pub(crate) fn write(self, span: Span, text: impl Into<String>) -> Self {
        let text = text.into();
        self.replace(format!("Write `{text}`"), span, text)
    }

    /// Adds a fix, if there is one.
    #[must_use]
    pub fn with_fix(mut self, fix: Option<Fix>) -> Self {
        self.fixes.extend(fix);
        self
    }

    /// Adds a further place that explains the diagnostic, with a message about it.
    #[must_use]
    pub fn related(mut self, place: impl Into<ItemSpan>, message: impl Into<String>) -> Self {
        self.relate(place, message);
        self
    }

    /// Adds a further place, as [`Diagnostic::related`] does, to a borrowed diagnostic.
    pub fn relate(&mut self, place: impl Into<ItemSpan>, message: impl Into<String>) {
        let (place, message) = (place.into(), message.into());
        self.related.push(Related { place, message });
    }

    /// Sets the advice, or removes it if `help` is `None`, and adds the fix, if there is one.
    pub fn advise(&mut self, help: Option<String>, fix: Option<Fix>) {
        self.help = help;
        self.fixes.extend(fix);
    }

    /// Sets the advice on what to do, in place of any earlier advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds a fix with this title and these edits; `preferred` is true if it is the one obvious
    /// correction.
    #[must_use]
    pub fn fix(
        mut self,
        title: impl Into<String>,
        edits: Vec<(Span, String)>,
        preferred: bool,
    ) -> Self {
        self.fixes.push(Fix {
            preferred,
            ..Fix::preferred(title, edits)
        });
        self
    }
}

/// The length in bytes up to which a message is not changed, and up to which a part of a longer
/// message between backquotes is not truncated.
const MAX_MESSAGE_LENGTH: usize = 1000;

/// If a message is longer than [`MAX_MESSAGE_LENGTH`], truncates each of its parts between
/// backquotes that is longer than this to a tenth of it; so a quoted name of megabytes shows only
/// its start.
fn without_length(message: String) -> String {
    if message.len() <= MAX_MESSAGE_LENGTH {
        return message;
    }
    let parts = message
        .split('`')
        .map(|part| match part.len() > MAX_MESSAGE_LENGTH {
            true => format!(
                "{}…",
                &part[..part.floor_char_boundary(MAX_MESSAGE_LENGTH / 10)]
            ),
            false => part.to_owned(),
        });
    parts.collect::<Vec<_>>().join("`")
}
