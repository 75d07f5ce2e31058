//! The primitives of RISE (`rise.md` section 4).
//!
//! The properties of a primitive are defined once, in RISE's own notation, in `primitives.rise`.
//! [`Primitive`] enumerates them for exhaustive matches; a test checks that the two agree.

use std::ops::Range;
use std::sync::LazyLock;

use syntax::Span;
use syntax::ast::{Annotation, AnnotationArg, AnnotationValue, Item, ItemKind};

/// The text of `primitives.rise`, which go-to-definition on a primitive opens.
pub const SOURCE: &str = include_str!("primitives.rise");

/// The purpose of a primitive; the chapters of the language reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Category {
    /// Arithmetic, comparison and choice on single values.
    Scalars,
    /// Views that rearrange arrays.
    Arrays,
    /// Pairs.
    Pairs,
    /// Short vectors.
    Vectors,
    /// High-level patterns, which specify what is computed.
    HighLevel,
    /// Low-level patterns, which specify how it is computed.
    LowLevel,
    /// Memory and kernels.
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

macro_rules! primitives {
    ($($category:ident { $($variant:ident = $name:literal),+ $(,)? })+) => {
        /// A primitive.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Primitive {
            $($(#[doc = concat!("`", $name, "`")] $variant),+),+
        }

        impl Primitive {
            /// Every primitive, in the order of `primitives.rise`.
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

primitives! {
    Scalars {
        Add = "add",
        Sub = "sub",
        Mul = "mul",
        Div = "div",
        Neg = "neg",
        Mod = "mod",
        Fma = "fma",
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
        Reduce = "reduce",
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
        DepZip = "depZip",
        DepJoin = "depJoin",
        Partition = "partition",
        MakeDepPair = "makeDepPair",
        Dmatch = "dmatch",
    }
}

/// A primitive's definition in `primitives.rise`.
#[derive(Clone, Debug)]
struct PrimitiveEntry {
    item: Item,
    span: Span,
}

/// The entries of `primitives.rise`, in its order, which is that of [`Primitive::ALL`].
static ENTRIES: LazyLock<Vec<PrimitiveEntry>> = LazyLock::new(|| {
    syntax::split(SOURCE)
        .into_iter()
        .map(|span| PrimitiveEntry {
            item: syntax::parse(&SOURCE[Range::from(span)]).item,
            span,
        })
        .collect()
});

impl PrimitiveEntry {
    fn text(&self) -> &'static str {
        &SOURCE[Range::from(self.span)]
    }

    fn annotation(&self, name: &str) -> Option<&Annotation> {
        self.item
            .annotations
            .iter()
            .find(|annotation| annotation.name.as_ref().is_some_and(|n| n.name == name))
    }

    /// Returns the text in `@name("text")`.
    fn word(&self, name: &str) -> Option<&str> {
        match &self.annotation(name)?.args[..] {
            [
                AnnotationArg {
                    key: None,
                    value: AnnotationValue::String(text, _),
                },
            ] => Some(text),
            _ => None,
        }
    }
}

impl Primitive {
    fn entry(self) -> &'static PrimitiveEntry {
        &ENTRIES[self as usize]
    }

    /// Returns its entry in `primitives.rise`: a definition with a type and no body. Spans count
    /// from [`source_offset`](Primitive::source_offset).
    pub fn item(self) -> &'static Item {
        &self.entry().item
    }

    /// Returns its documentation in Markdown: meaning, example, and permitted contexts.
    pub fn docs(self) -> &'static str {
        self.item().docs.as_ref().map_or("", |docs| &docs.text)
    }

    /// Returns its type as `primitives.rise` writes it.
    pub fn signature_text(self) -> &'static str {
        let entry = self.entry();
        match entry.item.kind {
            ItemKind::Def { ty: Some(ty), .. } => {
                &entry.text()[Range::from(entry.item.term(ty).span)]
            }
            _ => "",
        }
    }

    /// Returns the text of its entry in `primitives.rise`, an item of RISE.
    pub fn source(self) -> &'static str {
        self.entry().text()
    }

    /// Returns the offset of its entry in [`SOURCE`], in bytes.
    pub fn source_offset(self) -> u32 {
        self.entry().span.start
    }

    /// Returns the optional first argument, if there is one.
    pub fn optional_argument(self) -> Option<OptionalArgument> {
        match self.entry().word("optional")? {
            "AddrSp" => Some(OptionalArgument::AddressSpace),
            "Dimension" => Some(OptionalArgument::Dimension),
            _ => None,
        }
    }

    /// Returns true for `makeArray`, which takes as many further arguments as the number in its
    /// first one.
    pub fn is_variadic(self) -> bool {
        self.entry().annotation("variadic").is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_enum_and_the_file_agree() {
        let written: Vec<&str> = ENTRIES
            .iter()
            .map(|entry| {
                let name = entry.item.name().map_or("", |ident| &ident.name);
                entry.word("spelled").unwrap_or(name)
            })
            .collect();
        let listed: Vec<&str> = Primitive::ALL
            .iter()
            .map(|primitive| primitive.name())
            .collect();
        assert_eq!(written, listed);
        assert_eq!(
            SOURCE
                .lines()
                .filter(|line| line.starts_with("def "))
                .count(),
            listed.len()
        );
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
            assert!(SOURCE[primitive.source_offset() as usize..].starts_with(primitive.source()));
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
                "circularBuffer",
                "rotateValues",
                "toMem"
            ]
        );
        assert!(Primitive::MakeArray.is_variadic());
        assert!(!Primitive::Map.is_variadic());
    }
}
