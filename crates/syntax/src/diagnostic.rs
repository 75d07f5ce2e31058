//! The one diagnostic type, from every layer.

use crate::Span;

/// How much a diagnostic weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The program has no meaning as it stands.
    Error,
    /// The program has a meaning, but probably not the one that was wanted.
    Warning,
    /// A fact worth knowing: an obligation that is assumed and checked at run time.
    Information,
    /// A remark that stays in the background.
    Hint,
}

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal),+ $(,)?) => {
        /// What kind of mistake (or fact) a diagnostic reports. The text form is stable:
        /// scripts filter by it and `rise-ls explain CODE` describes it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code { $($(#[$doc])* $name),+ }

        impl Code {
            /// Every code, in the order of the error reference.
            pub const ALL: &'static [Code] = &[$(Code::$name),+];

            /// The stable text form.
            pub const fn as_str(self) -> &'static str {
                match self { $(Code::$name => $text),+ }
            }
        }
    };
}

codes! {
    // Files and syntax.
    /// The file is not UTF-8 or cannot be read as text.
    NotText = "not-text",
    /// Something is missing or does not belong here.
    SyntaxError = "syntax-error",
    /// A comment, string or foreign body without its end.
    Unterminated = "unterminated",
    /// A number that is malformed or does not fit 64 bits.
    BadNumber = "bad-number",
    /// `>>` and `<<`, or two comparisons, side by side without parentheses.
    AmbiguousOperators = "ambiguous-operators",
    /// A reserved word where a name is wanted.
    ReservedName = "reserved-name",
    /// Deeper nesting than the tool follows.
    TooDeep = "too-deep",
    /// An annotation that does not exist or has wrong arguments.
    BadAnnotation = "bad-annotation",
    // Names.
    /// A name that nothing binds.
    UnknownName = "unknown-name",
    /// Two definitions of one name in a file.
    DuplicateDef = "duplicate-def",
    /// Two parameters of one function with the same name.
    DuplicateParameter = "duplicate-parameter",
    /// A definition that uses itself.
    RecursiveDef = "recursive-def",
    /// A name that two imports define.
    AmbiguousImport = "ambiguous-import",
    /// An import of a file that does not exist or cannot be read.
    ImportNotFound = "import-not-found",
    /// Files that import each other in a circle.
    ImportCycle = "import-cycle",
    /// A definition that hides a library definition or primitive.
    ShadowedName = "shadowed-name",
    /// A name of a C function or its parameters that C does not take.
    ForeignName = "foreign-name",
    /// A body of a C function that is not a block in braces.
    ForeignBody = "foreign-body",
    // Types.
    /// A type where another one is expected.
    TypeMismatch = "type-mismatch",
    /// Two sizes that differ.
    SizeMismatch = "size-mismatch",
    /// Two sizes that can neither be proved equal nor told apart.
    SizeUnknown = "size-unknown",
    /// A type, size, function or address space where another kind is wanted.
    KindMismatch = "kind-mismatch",
    /// An argument for something that takes none.
    NotAFunction = "not-a-function",
    /// A function where data is wanted.
    NotData = "not-data",
    /// A type that would contain itself.
    InfiniteType = "infinite-type",
    /// A type whose sub-kind does not allow the operation.
    WrongSubkind = "wrong-subkind",
    /// A literal outside the range of its type.
    LiteralOutOfRange = "literal-out-of-range",
    /// A type or size that nothing determines.
    CannotInfer = "cannot-infer",
    /// A typed hole.
    Hole = "hole",
    /// A function bound by `let`.
    LetFunction = "let-function",
    // Obligations.
    /// A condition on sizes that is assumed, and checked before a run.
    Obligation = "obligation",
    /// A condition on sizes that does not hold.
    ObligationFails = "obligation-fails",
    /// A size that is negative.
    NegativeSize = "negative-size",
    // Targets.
    /// A pattern that says what to compute where it must say how.
    MissingChoice = "missing-choice",
    /// A value that is read before it is in memory.
    MissingMemory = "missing-memory",
    /// An array that nothing copies to where it is wanted.
    MissingCopy = "missing-copy",
    /// Memory whose address space is not said, or cannot be this one.
    AddressSpace = "address-space",
    /// A stream where an array is wanted.
    StreamAsArray = "stream-as-array",
    /// Something that the target lacks.
    NotOnTarget = "not-on-target",
    /// A definition that cannot be compiled on its own.
    NotAProgram = "not-a-program",
    /// A parallel pattern inside another one that it may not stand in.
    WrongNesting = "wrong-nesting",
    /// Memory that more work-items than one write at once.
    WrittenByAll = "written-by-all",
    /// Private memory that another work-item reads than wrote it.
    OtherWorkItem = "other-work-item",
    /// Memory that one work-group writes and another one reads in the same kernel.
    AcrossGroups = "across-groups",
    /// A barrier that only some work-items of a group come to.
    DivergentBarrier = "divergent-barrier",
    /// Sizes of a launch that do not go together, or not with the program.
    LaunchSize = "launch-size",
    /// More than the device has.
    DeviceLimit = "device-limit",
    /// Iterations of a parallel loop that get in each other's way.
    DataRace = "data-race",
    /// An accumulator that is read where it has been overwritten.
    AccumulatorMoved = "accumulator-moved",
    /// Elements that are written in another order than `scatter` takes them.
    ScatterOrder = "scatter-order",
    /// A value that is computed at each of several reads.
    Recomputed = "recomputed",
    // Strategies.
    /// A strategy that never ends.
    EndlessStrategy = "endless-strategy",
    /// A case that another one leaves nothing to match.
    UnreachableCase = "unreachable-case",
    /// A strategy that does not apply to the program that it is for.
    StrategyFails = "strategy-fails",
    /// An example that does not come out as it says.
    ExampleFails = "example-fails",
    /// The tool failed on this input (a bug in it).
    Internal = "internal",
}

/// Names a definition of another item; what the number means is known to who made it (`db`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GlobalId(pub u64);

/// A place in this item, or in another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The item, if it is not the one that the diagnostic belongs to.
    pub item: Option<GlobalId>,
    /// The bytes within that item.
    pub span: Span,
}

impl From<Span> for Place {
    fn from(span: Span) -> Self {
        Place { item: None, span }
    }
}

/// A second place that explains a diagnostic.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Related {
    /// Where.
    pub place: Place,
    /// What stands there, in a few words.
    pub message: String,
}

/// An edit that mends what a diagnostic reports.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fix {
    /// What it does, as a menu line.
    pub title: String,
    /// Replacements within the item; they do not overlap.
    pub edits: Vec<(Span, String)>,
    /// Places whose text is replaced by the text of another place, as two exchanged arguments are.
    pub moves: Vec<(Span, Span)>,
    /// Whether this is the one obvious mend.
    pub preferred: bool,
    /// Why it cannot be chosen, where it is shown all the same.
    pub disabled: Option<String>,
}

impl Fix {
    /// The one obvious mend.
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

/// A message about a place in an item.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Diagnostic {
    /// What kind of message.
    pub code: Code,
    /// Its weight.
    pub severity: Severity,
    /// The place, relative to the item.
    pub span: Span,
    /// One or more lines: what was expected, what was found.
    pub message: String,
    /// Further places.
    pub related: Vec<Related>,
    /// What to do.
    pub help: Option<String>,
    /// Edits that do it.
    pub fixes: Vec<Fix>,
}

impl Diagnostic {
    /// A diagnostic without further places, help or fixes.
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

    /// An error.
    pub fn error(code: Code, span: Span, message: impl Into<String>) -> Self {
        Diagnostic::new(Severity::Error, code, span, message)
    }

    /// Adds a further place.
    #[must_use]
    pub fn related(mut self, place: impl Into<Place>, message: impl Into<String>) -> Self {
        self.related.push(Related {
            place: place.into(),
            message: message.into(),
        });
        self
    }

    /// Sets the help line.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds an edit.
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

/// What a message may quote in full, in bytes.
const QUOTED: usize = 1000;

/// A message whose quotations are no longer than a reader can take: of a name of megabytes, its start.
fn without_length(message: String) -> String {
    if message.len() <= QUOTED {
        return message;
    }
    let parts = message.split('`').map(|part| match part.len() > QUOTED {
        true => format!("{}…", &part[..part.floor_char_boundary(QUOTED / 10)]),
        false => part.to_owned(),
    });
    parts.collect::<Vec<_>>().join("`")
}
