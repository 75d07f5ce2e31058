//! Defines the diagnostics that every layer of the compiler reports.

use crate::Span;

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// An error: the program has no meaning.
    Error,
    /// A warning: the program has a meaning, but probably not the intended one.
    Warning,
    /// A fact, such as an obligation that is assumed and checked at run time.
    Information,
    /// A hint that editors show inconspicuously.
    Hint,
}

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal),+ $(,)?) => {
        /// The kind of mistake or fact that a diagnostic reports. The text form is stable: scripts
        /// filter by it and `rise-ls explain CODE` describes it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code { $($(#[$doc])* $name),+ }

        impl Code {
            /// All codes, in the order of the error reference.
            pub const ALL: &'static [Code] = &[$(Code::$name),+];

            /// Returns the stable text form.
            pub const fn as_str(self) -> &'static str {
                match self { $(Code::$name => $text),+ }
            }
        }
    };
}

codes! {
    /// The file is not UTF-8 or cannot be read as text.
    NotText = "not-text",
    /// A token is missing or unexpected.
    SyntaxError = "syntax-error",
    /// A comment, string or foreign body has no end.
    Unterminated = "unterminated",
    /// A number is malformed or does not fit 64 bits.
    BadNumber = "bad-number",
    /// `>>` and `<<`, or two comparisons, are combined without parentheses.
    AmbiguousOperators = "ambiguous-operators",
    /// A reserved word is used as a name.
    ReservedName = "reserved-name",
    /// The nesting is deeper than the parser's limit.
    TooDeep = "too-deep",
    /// An annotation does not exist or has wrong arguments.
    BadAnnotation = "bad-annotation",
    /// A name is not bound.
    UnknownName = "unknown-name",
    /// A file has two definitions of one name.
    DuplicateDef = "duplicate-def",
    /// Two parameters of a function have the same name.
    DuplicateParameter = "duplicate-parameter",
    /// A definition refers to itself.
    RecursiveDef = "recursive-def",
    /// Two imports define the same name.
    AmbiguousImport = "ambiguous-import",
    /// An imported file does not exist or cannot be read.
    ImportNotFound = "import-not-found",
    /// Files import each other in a cycle.
    ImportCycle = "import-cycle",
    /// A definition shadows a library definition or a primitive.
    ShadowedName = "shadowed-name",
    /// The name of a C function or parameter is not allowed in C.
    ForeignName = "foreign-name",
    /// The body of a C function is not a block in braces.
    ForeignBody = "foreign-body",
    /// A term has another type than the expected one.
    TypeMismatch = "type-mismatch",
    /// Two sizes differ.
    SizeMismatch = "size-mismatch",
    /// Two sizes can be proved neither equal nor different.
    SizeUnknown = "size-unknown",
    /// A type, size, function or address space is used where another kind is expected.
    KindMismatch = "kind-mismatch",
    /// A term that is not a function is applied.
    NotAFunction = "not-a-function",
    /// A function is used where data is expected.
    NotData = "not-data",
    /// A type would contain itself (occurs check).
    InfiniteType = "infinite-type",
    /// The sub-kind of a type does not allow the operation.
    WrongSubkind = "wrong-subkind",
    /// A literal is outside the range of its type.
    LiteralOutOfRange = "literal-out-of-range",
    /// A type or size cannot be inferred.
    CannotInfer = "cannot-infer",
    /// The program contains a typed hole.
    Hole = "hole",
    /// A function is bound by `let`.
    LetFunction = "let-function",
    /// A condition on sizes is assumed, and checked before a run.
    Obligation = "obligation",
    /// A condition on sizes does not hold.
    ObligationFails = "obligation-fails",
    /// A size is negative.
    NegativeSize = "negative-size",
    /// A pattern does not say how to compute, which the target requires.
    MissingChoice = "missing-choice",
    /// A value is read before it is in memory.
    MissingMemory = "missing-memory",
    /// An array is not copied to the memory where it is required.
    MissingCopy = "missing-copy",
    /// The address space of memory is missing or wrong.
    AddressSpace = "address-space",
    /// A stream is used where an array is expected.
    StreamAsArray = "stream-as-array",
    /// The target does not support a feature.
    NotOnTarget = "not-on-target",
    /// A definition cannot be compiled on its own.
    NotAProgram = "not-a-program",
    /// A parallel pattern is nested in a pattern that does not allow it.
    WrongNesting = "wrong-nesting",
    /// Several work-items write the same memory at once.
    WrittenByAll = "written-by-all",
    /// A work-item reads private memory that another work-item wrote.
    OtherWorkItem = "other-work-item",
    /// A work-group reads memory that another one writes in the same kernel.
    AcrossGroups = "across-groups",
    /// Only some work-items of a group reach a barrier.
    DivergentBarrier = "divergent-barrier",
    /// The sizes of a launch do not fit each other or the program.
    LaunchSize = "launch-size",
    /// The program exceeds a limit of the device.
    DeviceLimit = "device-limit",
    /// Iterations of a parallel loop access the same memory, and at least one writes it.
    DataRace = "data-race",
    /// An accumulator is read after it has been overwritten.
    AccumulatorMoved = "accumulator-moved",
    /// Elements are written in another order than `scatter` requires.
    ScatterOrder = "scatter-order",
    /// A value is computed again at each of several reads.
    Recomputed = "recomputed",
    /// A strategy does not terminate.
    EndlessStrategy = "endless-strategy",
    /// A case is unreachable, because an earlier one matches all that it does.
    UnreachableCase = "unreachable-case",
    /// A strategy does not apply to its program.
    StrategyFails = "strategy-fails",
    /// An example does not have the stated result.
    ExampleFails = "example-fails",
    /// The tool failed on this input, which is a bug in it.
    Internal = "internal",
}

/// An identifier of a definition in another item. The crate that creates diagnostics assigns the
/// number (`db`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GlobalId(pub u64);

/// A span in the item of the diagnostic, or in another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ItemSpan {
    /// The item, if it is another one than that of the diagnostic.
    pub item: Option<GlobalId>,
    /// The span, relative to the start of the item.
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
    /// Replacements within the item; they do not overlap.
    pub edits: Vec<(Span, String)>,
    /// Spans whose text is replaced by the text of another span, as for two exchanged arguments.
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
    /// Creates a diagnostic without further places, help or fixes.
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

    /// Creates an error.
    pub fn error(code: Code, span: Span, message: impl Into<String>) -> Self {
        Diagnostic::new(Severity::Error, code, span, message)
    }

    /// Adds a related place.
    #[must_use]
    pub fn related(mut self, place: impl Into<ItemSpan>, message: impl Into<String>) -> Self {
        self.related.push(Related {
            place: place.into(),
            message: message.into(),
        });
        self
    }

    /// Sets the advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds a fix.
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

/// The length in bytes from which messages and their quotations are truncated.
const MAX_MESSAGE_LENGTH: usize = 1000;

/// Truncates the quotations of a long message, so that a name of megabytes shows only its start.
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
