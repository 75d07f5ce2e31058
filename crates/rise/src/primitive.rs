//! The primitives of RISE, which `docs/primitives.md` lists.
//!
//! The properties of a primitive are defined once, in RISE's own notation, in `primitives.rise`.
//! [`Primitive`] enumerates them for exhaustive matches; a test checks that the two agree.

use std::ops::Range;
use std::sync::LazyLock;

use syntax::Dialect;
use syntax::ast::{
    AnnotationArg, AnnotationValue, BinderAnnotation, Item, ItemKind, Kind, Name, TermKind,
};

use crate::pattern::{AcceptorView, IndexMap, Pattern, Requirement};

/// The text of `primitives.rise`.
const SOURCE: &str = include_str!("primitives.rise");

/// The purpose of a primitive. The reference of the primitives has a chapter for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Category {
    /// Arithmetic, comparison, choice and conversion of single values.
    Scalars,
    /// The construction of arrays, their elements, and views that rearrange them.
    Arrays,
    /// Pairs.
    Pairs,
    /// Short vectors.
    Vectors,
    /// High-level patterns, which specify what is computed.
    HighLevel,
    /// Low-level patterns, which specify how it is computed.
    LowLevel,
    /// Bindings of values, memory and kernels.
    Memory,
    /// Arrays and pairs whose types depend on sizes.
    Dependent,
}

impl Category {
    /// Every category, in the order of the reference.
    pub const ALL: &'static [Category] = &[
        Category::Scalars,
        Category::Arrays,
        Category::Pairs,
        Category::Vectors,
        Category::HighLevel,
        Category::LowLevel,
        Category::Memory,
        Category::Dependent,
    ];

    /// Returns the heading of the category.
    pub const fn title(self) -> &'static str {
        match self {
            Category::Scalars => "Scalars",
            Category::Arrays => "Arrays",
            Category::Pairs => "Pairs",
            Category::Vectors => "Vectors",
            Category::HighLevel => "Patterns: what to compute",
            Category::LowLevel => "Patterns: how to compute it",
            Category::Memory => "Memory and kernels",
            Category::Dependent => "Dependent arrays and pairs",
        }
    }
}

/// An optional first argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OptionalArgument {
    /// An address space, or a variable of kind `AddrSp`.
    AddressSpace,
    /// The literal 0, 1 or 2; the default is 0.
    Dimension,
}

/// Calls a macro with the primitives of both languages, those of RISE only, and further tokens:
/// `then! { { Category { Variant = "name", … } … } { … } { more } }`.
#[macro_export]
macro_rules! primitive_list {
    ($then:ident { $($more:tt)* }) => {
        $then! {
            {
                Scalars {
                    Add = "add",
                    Sub = "sub",
                    Mul = "mul",
                    Div = "div",
                    Neg = "neg",
                    Mod = "mod",
                    Fma = "fma",
                    Min = "min",
                    Max = "max",
                    Abs = "abs",
                    Sqrt = "sqrt",
                    Exp = "exp",
                    Log = "log",
                    Floor = "floor",
                    Ceil = "ceil",
                    Round = "round",
                    Sin = "sin",
                    Cos = "cos",
                    Tan = "tan",
                    Asin = "asin",
                    Acos = "acos",
                    Atan = "atan",
                    Sinh = "sinh",
                    Cosh = "cosh",
                    Tanh = "tanh",
                    Asinh = "asinh",
                    Acosh = "acosh",
                    Atanh = "atanh",
                    Exp2 = "exp2",
                    Expm1 = "expm1",
                    Log2 = "log2",
                    Log10 = "log10",
                    Log1p = "log1p",
                    Cbrt = "cbrt",
                    Erf = "erf",
                    Trunc = "trunc",
                    Pow = "pow",
                    Atan2 = "atan2",
                    Hypot = "hypot",
                    Fmod = "fmod",
                    Copysign = "copysign",
                    Fmin = "fmin",
                    Fmax = "fmax",
                    Gt = "gt",
                    Lt = "lt",
                    Ge = "ge",
                    Le = "le",
                    Equal = "equal",
                    NotEqual = "notEqual",
                    Not = "not",
                    And = "and",
                    Or = "or",
                    Select = "select",
                    Cast = "cast",
                    IndexAsNat = "indexAsNat",
                    NatAsIndex = "natAsIndex",
                }
                Arrays {
                    Generate = "generate",
                    Idx = "idx",
                    MakeArray = "makeArray",
                    Take = "take",
                    Drop = "drop",
                    Cycle = "cycle",
                    Concat = "concat",
                    Split = "split",
                    Join = "join",
                    Transpose = "transpose",
                    Slide = "slide",
                    Assume = "assume",
                    Gather = "gather",
                    Scatter = "scatter",
                    Reorder = "reorder",
                    PadCst = "padCst",
                    PadClamp = "padClamp",
                    PadEmpty = "padEmpty",
                    Zip = "zip",
                    Unzip = "unzip",
                }
                Pairs {
                    MakePair = "makePair",
                    Fst = "fst",
                    Snd = "snd",
                    MapFst = "mapFst",
                    MapSnd = "mapSnd",
                }
                Vectors {
                    VectorFromScalar = "vectorFromScalar",
                    AsScalar = "asScalar",
                    AsVector = "asVector",
                    AsVectorAligned = "asVectorAligned",
                    MapVec = "mapVec",
                }
                HighLevel {
                    Map = "map",
                }
                LowLevel {
                    MapSeq = "mapSeq",
                    MapSeqUnroll = "mapSeqUnroll",
                    MapStream = "mapStream",
                    IterateStream = "iterateStream",
                    MapPar = "mapPar",
                    MapGlobal = "mapGlobal",
                    MapWorkGroup = "mapWorkGroup",
                    MapLocal = "mapLocal",
                    ReducePar = "reducePar",
                    ReduceSeq = "reduceSeq",
                    ReduceSeqUnroll = "reduceSeqUnroll",
                    ScanSeq = "scanSeq",
                    Iterate = "iterate",
                    Repeat = "repeat",
                    RepeatInPlace = "repeatInPlace",
                    RepeatWhile = "repeatWhile",
                    CircularBuffer = "circularBuffer",
                    RotateValues = "rotateValues",
                }
                Memory {
                    Let = "let",
                    ToMem = "toMem",
                    OclRun = "oclRun",
                }
                Dependent {
                    DepMapSeq = "depMapSeq",
                    DepMapPar = "depMapPar",
                    DepZip = "depZip",
                    DepJoin = "depJoin",
                    Partition = "partition",
                    MakeDepPair = "makeDepPair",
                    Dmatch = "dmatch",
                    Segment = "segment",
                    LetNat = "letNat",
                }
            }
            {
                HighLevel {
                    Reduce = "reduce",
                }
            }
            { $($more)* }
        }
    };
}

macro_rules! primitives {
    ({ $($shared:tt)* } { $($own:tt)* } {}) => {
        primitives! { $($shared)* $($own)* }
    };
    ($($category:ident { $($variant:ident = $name:literal),+ $(,)? })+) => {
        /// A primitive.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Primitive {
            $($(#[doc = concat!("`", $name, "`")] $variant),+),+
        }

        impl Primitive {
            /// Every primitive.
            pub const ALL: &'static [Primitive] = &[$($(Primitive::$variant),+),+];

            /// Returns the primitive's name in programs.
            pub const fn name(self) -> &'static str {
                match self { $($(Primitive::$variant => $name),+),+ }
            }

            /// Returns the primitive with this name, if there is one.
            pub fn from_name(name: &str) -> Option<Primitive> {
                match name { $($($name => Some(Primitive::$variant),)+)+ _ => None }
            }

            /// Returns the primitive's purpose.
            pub const fn category(self) -> Category {
                match self { $($(Primitive::$variant)|+ => Category::$category),+ }
            }
        }
    };
}

primitive_list!(primitives {});

/// The entries of `primitives.rise`, in the order of [`Primitive::ALL`].
static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let mut entries = Entry::read(SOURCE, Dialect::Rise);
    entries.sort_by_key(|entry| Primitive::from_name(&entry.name));
    entries
});

/// The access of data in the type of a primitive, as a letter in `@access("…")` states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DataAccess {
    /// The data is read, `R`.
    Read,
    /// The data is written, `W`.
    Write,
    /// The data is a stream, `S`.
    Stream,
    /// The data has the access that the context determines, `a`. It is the same wherever the type
    /// has it.
    Shared,
}

impl DataAccess {
    fn of(letter: char) -> DataAccess {
        match letter {
            'W' => DataAccess::Write,
            'S' => DataAccess::Stream,
            'a' => DataAccess::Shared,
            _ => DataAccess::Read,
        }
    }
}

/// An entry of a file of primitives: a definition with a type, whose body is `_`.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The name in programs, which is that in `@spelled("…")` if the entry has this annotation.
    pub name: Name,
    /// The definition.
    pub item: Item,
    /// Its type as the file writes it.
    pub signature: &'static str,
    /// The kind of the first parameter, implicit or explicit; `None` if that is a value.
    pub first_kind: Option<Kind>,
    /// Its pattern; `None` for DPIA's commands and acceptors.
    pub pattern: Option<Pattern>,
    /// The access path in `@index(…)`; `None` without that annotation.
    pub index_map: Option<IndexMap>,
    /// The acceptor to which the argument of a view is written; `None` without `@acceptor(…)`.
    pub acceptor: Option<AcceptorView>,
    /// The accesses in `@access("…")` of the data types in the type, in the order of the text. Data
    /// types without one are read.
    pub accesses: Vec<DataAccess>,
    /// The requirement on the target.
    pub requirement: Option<Requirement>,
    /// The optional first argument.
    pub optional_argument: Option<OptionalArgument>,
}

impl Entry {
    /// Parses the entries in the text of a file.
    pub fn read(source: &'static str, dialect: Dialect) -> Vec<Entry> {
        let entry = |span| {
            let text = &source[Range::from(span)];
            Entry::new(text, syntax::parse_in(text, dialect).item)
        };
        syntax::split(source).into_iter().map(entry).collect()
    }

    fn new(text: &'static str, item: Item) -> Entry {
        let spelled = word(&item, "spelled").map(Name::new);
        let mut signature = "";
        let mut params = Vec::new();
        let mut first_kind = None;
        if let ItemKind::Def { ty: Some(ty), .. } = item.kind {
            signature = &text[Range::from(item.term(ty).span)];
            let mut ty = ty;
            while let TermKind::Pi { param, body, .. } = item.term(ty).kind {
                let param = item.binder(param);
                if let BinderAnnotation::Kind(kind, _) = param.annotation
                    && params.is_empty()
                {
                    first_kind = kind;
                }
                params.push(param.name.clone());
                ty = body;
            }
        }
        Entry {
            name: spelled
                .or_else(|| Some(item.name()?.name.clone()))
                .unwrap_or_default(),
            signature,
            first_kind,
            pattern: Pattern::of(&item),
            index_map: IndexMap::of(&item, &params),
            acceptor: AcceptorView::of(&item, &params),
            accesses: word(&item, "access")
                .unwrap_or_default()
                .chars()
                .map(DataAccess::of)
                .collect(),
            requirement: Requirement::of(&item),
            optional_argument: match word(&item, "optional") {
                Some("AddrSp") => Some(OptionalArgument::AddressSpace),
                Some("Dimension") => Some(OptionalArgument::Dimension),
                _ => None,
            },
            item,
        }
    }

    /// Returns the documentation in Markdown.
    pub fn docs(&self) -> &str {
        self.item.docs.as_ref().map_or("", |docs| &docs.text)
    }

    /// Returns true if the entry has an annotation.
    fn is_annotated(&self, name: &str) -> bool {
        self.item.annotations(name).next().is_some()
    }

    /// Returns the access of the result, which is the last of `accesses`.
    pub fn result_access(&self) -> DataAccess {
        self.accesses.last().copied().unwrap_or(DataAccess::Read)
    }
}

/// Returns the text in the annotation `@name("text")` of an item; `None` if there is no such
/// annotation, or if its only argument is not a string.
fn word<'i>(item: &'i Item, name: &str) -> Option<&'i str> {
    match &item.annotations(name).next()?.args[..] {
        [
            AnnotationArg {
                key: None,
                value: AnnotationValue::String(text, _),
            },
        ] => Some(text),
        _ => None,
    }
}

impl Primitive {
    /// Returns its entry in `primitives.rise`.
    pub fn entry(self) -> &'static Entry {
        &ENTRIES[self as usize]
    }

    /// Returns its pattern.
    pub fn pattern(self) -> Pattern {
        static PATTERNS: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
            let entries = ENTRIES.iter();
            // A test checks that every entry has a pattern.
            entries
                .map(|entry| entry.pattern.unwrap_or(Pattern::Scalar))
                .collect()
        });
        PATTERNS[self as usize]
    }

    /// Returns its requirement on the target.
    pub fn requirement(self) -> Option<Requirement> {
        self.entry().requirement
    }

    /// Returns its documentation in Markdown: meaning, example, and permitted contexts.
    pub fn docs(self) -> &'static str {
        self.entry().docs()
    }

    /// Returns its type as `primitives.rise` writes it.
    pub fn signature_text(self) -> &'static str {
        self.entry().signature
    }

    /// Returns the optional first argument, if there is one.
    pub fn optional_argument(self) -> Option<OptionalArgument> {
        self.entry().optional_argument
    }

    /// Returns true for `makeArray`, which takes as many further arguments as the number in its
    /// first one.
    pub fn is_variadic(self) -> bool {
        self.entry().is_annotated("variadic")
    }

    /// Returns true if the primitive computes a number from numbers of the same type.
    pub fn is_arithmetic(self) -> bool {
        matches!(self.kind_of_numbers(), Some(Kind::Num | Kind::Int))
    }

    /// Returns true if the primitive computes a number from numbers of the same type, and vectors
    /// of numbers lane by lane.
    pub fn is_lane_wise(self) -> bool {
        self.kind_of_numbers() == Some(Kind::Num)
    }

    /// Returns the kind of the first parameter of a scalar primitive; `None` for other primitives,
    /// and if the parameter is a value.
    fn kind_of_numbers(self) -> Option<Kind> {
        let is_scalar = self.pattern() == Pattern::Scalar;
        self.entry().first_kind.filter(|_| is_scalar)
    }

    /// Returns true if the primitive is defined on floats and vectors of floats only.
    pub fn is_on_floats(self) -> bool {
        self.entry().is_annotated("floats")
    }

    /// Returns true for a scalar primitive that takes about as long as a loop.
    pub fn is_costly(self) -> bool {
        self.entry().is_annotated("costly")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::View;

    #[test]
    fn the_enum_and_the_file_agree() {
        for (entry, primitive) in ENTRIES.iter().zip(Primitive::ALL) {
            assert_eq!(entry.name, primitive.name());
            assert!(entry.pattern.is_some(), "{}", entry.name);
            let is_index = entry.pattern == Some(Pattern::View(View::Index));
            assert_eq!(entry.index_map.is_some(), is_index, "{}", entry.name);
        }
        assert_eq!(ENTRIES.len(), Primitive::ALL.len());
    }

    #[test]
    fn the_file_has_no_syntax_error() {
        for span in syntax::split(SOURCE) {
            assert_eq!(syntax::parse(&SOURCE[Range::from(span)]).diagnostics, []);
        }
    }

    #[test]
    fn names_lead_back_to_their_primitives() {
        for &primitive in Primitive::ALL {
            assert_eq!(Primitive::from_name(primitive.name()), Some(primitive));
        }
        assert_eq!(Primitive::from_name("mapp"), None);
    }

    #[test]
    fn every_primitive_has_a_meaning_an_example_and_a_type() {
        for &primitive in Primitive::ALL {
            let docs = primitive.docs();
            let meaning = docs.lines().next().unwrap_or_default();
            assert!(meaning.ends_with('.'), "{primitive:?}: {meaning}");
            assert!(docs.contains("```rise\ndef example = "), "{primitive:?}");
            assert!(docs.ends_with("```"), "{primitive:?}");
            assert!(primitive.signature_text().contains("->"), "{primitive:?}");
        }
    }

    #[test]
    fn annotations_are_read() {
        let with = |wanted| {
            Primitive::ALL
                .iter()
                .filter(|p| p.optional_argument() == Some(wanted))
                .map(|p| p.name())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            with(OptionalArgument::Dimension),
            ["mapGlobal", "mapWorkGroup", "mapLocal"]
        );
        assert_eq!(
            with(OptionalArgument::AddressSpace),
            [
                "reduceSeq",
                "reduceSeqUnroll",
                "scanSeq",
                "iterate",
                "repeat",
                "repeatInPlace",
                "repeatWhile",
                "circularBuffer",
                "rotateValues",
                "toMem"
            ]
        );
        assert!(Primitive::MakeArray.is_variadic());
        assert!(!Primitive::Map.is_variadic());
    }
}
