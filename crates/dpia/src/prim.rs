//! The primitives of DPIA.
//!
//! The properties of a primitive are defined once, in DPIA's own notation, in `primitives.dpia`.
//! [`Prim`] enumerates them for exhaustive matches; a test checks that the two agree.

use std::ops::Range;
use std::sync::{Arc, LazyLock};

use rise::{Scheme, Type};
use syntax::ast::{AnnotationArg, AnnotationValue, Item};
use syntax::{Dialect, Span};

/// The text of `primitives.dpia`.
pub const SOURCE: &str = include_str!("primitives.dpia");

macro_rules! primitives {
    ($($variant:ident = $name:literal),+ $(,)?) => {
        /// A primitive of DPIA.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Prim {
            $(#[doc = concat!("`", $name, "`")] $variant),+
        }

        impl Prim {
            /// Every primitive, in the order of `primitives.dpia`.
            pub const ALL: &'static [Prim] = &[$(Prim::$variant),+];

            /// Returns the primitive's name in programs.
            pub const fn name(self) -> &'static str {
                match self { $(Prim::$variant => $name),+ }
            }

            /// Returns the primitive with this name, if there is one.
            pub fn from_name(name: &str) -> Option<Prim> {
                match name { $($name => Some(Prim::$variant),)+ _ => None }
            }
        }
    };
}

primitives! {
    // scalars
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
    // arrays
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
    DepIdx = "depIdx",
    // pairs
    MakePair = "makePair",
    Fst = "fst",
    Snd = "snd",
    MapFst = "mapFst",
    MapSnd = "mapSnd",
    // vectors
    VectorFromScalar = "vectorFromScalar",
    AsScalar = "asScalar",
    AsVector = "asVector",
    AsVectorAligned = "asVectorAligned",
    MapVec = "mapVec",
    IdxVec = "idxVec",
    // patterns
    Map = "map",
    MapSeq = "mapSeq",
    MapSeqUnroll = "mapSeqUnroll",
    MapPar = "mapPar",
    MapGlobal = "mapGlobal",
    MapWorkGroup = "mapWorkGroup",
    MapLocal = "mapLocal",
    MapStream = "mapStream",
    IterateStream = "iterateStream",
    ReduceSeq = "reduceSeq",
    ReduceSeqUnroll = "reduceSeqUnroll",
    ReducePar = "reducePar",
    ScanSeq = "scanSeq",
    Iterate = "iterate",
    CircularBuffer = "circularBuffer",
    RotateValues = "rotateValues",
    ZipStream = "zipStream",
    // memory, kernels
    Let = "let",
    ToMem = "toMem",
    OclRun = "oclRun",
    // dependent arrays and pairs
    DepMapSeq = "depMapSeq",
    DepZip = "depZip",
    DepJoin = "depJoin",
    Partition = "partition",
    MakeDepPair = "makeDepPair",
    Dmatch = "dmatch",
    // commands
    Assign = "assign",
    Seq = "seq",
    Skip = "skip",
    If = "if",
    New = "new",
    NewDoubleBuffer = "newDoubleBuffer",
    For = "for",
    ForUnroll = "forUnroll",
    ForVec = "forVec",
    ForNat = "forNat",
    ParFor = "parFor",
    ParForGlobal = "parForGlobal",
    ParForWorkGroup = "parForWorkGroup",
    ParForLocal = "parForLocal",
    ParForNat = "parForNat",
    ParReduce = "parReduce",
    Barrier = "barrier",
    OclRunCommand = "oclRunCommand",
    DmatchCommand = "dmatchCommand",
    DepPairFst = "depPairFst",
    // acceptors, which mirror the views
    IdxAcc = "idxAcc",
    JoinAcc = "joinAcc",
    SplitAcc = "splitAcc",
    TransposeAcc = "transposeAcc",
    ZipAcc1 = "zipAcc1",
    ZipAcc2 = "zipAcc2",
    UnzipAcc = "unzipAcc",
    PairAcc = "pairAcc",
    PairAcc1 = "pairAcc1",
    PairAcc2 = "pairAcc2",
    TakeAcc = "takeAcc",
    DropAcc = "dropAcc",
    ReorderAcc = "reorderAcc",
    ScatterAcc = "scatterAcc",
    AsScalarAcc = "asScalarAcc",
    AsVectorAcc = "asVectorAcc",
    IdxVecAcc = "idxVecAcc",
    MapAcc = "mapAcc",
    MapFstAcc = "mapFstAcc",
    MapSndAcc = "mapSndAcc",
    DepIdxAcc = "depIdxAcc",
    DepJoinAcc = "depJoinAcc",
    DepPairSndAcc = "depPairSndAcc",
}

/// A primitive's definition in `primitives.dpia`.
struct PrimDefinition {
    item: Item,
    span: Span,
    scheme: Arc<Scheme>,
}

/// The entries of `primitives.dpia`, in its order, which is that of [`Prim::ALL`].
static DEFINITIONS: LazyLock<Vec<PrimDefinition>> = LazyLock::new(|| {
    syntax::split(SOURCE)
        .into_iter()
        .map(|span| {
            let item = syntax::parse_in(&SOURCE[Range::from(span)], Dialect::Dpia).item;
            let scheme = Arc::new(rise::written_scheme(&item));
            PrimDefinition { item, span, scheme }
        })
        .collect()
});

impl Prim {
    fn definition(self) -> &'static PrimDefinition {
        &DEFINITIONS[self as usize]
    }

    /// Returns the primitive's type.
    pub fn scheme(self) -> &'static Arc<Scheme> {
        &self.definition().scheme
    }

    /// Returns the primitive's documentation in Markdown.
    pub fn docs(self) -> &'static str {
        self.definition()
            .item
            .docs
            .as_ref()
            .map_or("", |docs| &docs.text)
    }

    /// Returns the text of its entry in `primitives.dpia`.
    pub fn source(self) -> &'static str {
        &SOURCE[Range::from(self.definition().span)]
    }

    /// Returns the number of values in the primitive's type, which for `makeArray` depends on its
    /// size and is 0 here.
    pub fn arity(self) -> usize {
        let mut ty = &*self.scheme().ty;
        let mut count = 0;
        loop {
            match ty {
                Type::Pi(pi) => ty = &pi.body,
                Type::Fun(_, result) => {
                    count += 1;
                    ty = result;
                }
                _ => return count,
            }
        }
    }

    /// Returns the text in `@name("text")`.
    fn word(self, name: &str) -> Option<&'static str> {
        let annotations = &self.definition().item.annotations;
        let annotation = annotations
            .iter()
            .find(|annotation| annotation.name.as_ref().is_some_and(|n| n.name == name))?;
        match &annotation.args[..] {
            [
                AnnotationArg {
                    key: None,
                    value: AnnotationValue::String(text, _),
                },
            ] => Some(text),
            _ => None,
        }
    }

    /// Returns the optional first argument, if there is one.
    pub fn optional_argument(self) -> Option<rise::primitive::OptionalArgument> {
        use rise::primitive::OptionalArgument::{AddressSpace, Dimension};
        match self.word("optional")? {
            "AddrSp" => Some(AddressSpace),
            "Dimension" => Some(Dimension),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_enum_and_the_file_agree() {
        let written: Vec<&str> = Prim::ALL
            .iter()
            .map(|prim| {
                let name = prim
                    .definition()
                    .item
                    .name()
                    .map_or("", |ident| &ident.name);
                prim.word("spelled").unwrap_or(name)
            })
            .collect();
        let listed: Vec<&str> = Prim::ALL.iter().map(|prim| prim.name()).collect();
        assert_eq!(written, listed);
        assert_eq!(DEFINITIONS.len(), listed.len());
    }

    #[test]
    fn every_primitive_has_a_whole_type_and_a_meaning() {
        for &prim in Prim::ALL {
            let text = rise::print::scheme_text(prim.scheme());
            assert!(!text.contains('_'), "{}: {text}", prim.name());
            assert!(!prim.docs().is_empty(), "{}", prim.name());
        }
    }
}
