//! The primitives of DPIA: those of RISE that have an implementation, and DPIA's own.
//!
//! The properties of a shared primitive are defined once, in `primitives.rise`, from which its type
//! in DPIA is derived; those of DPIA's own primitives are in `primitives.dpia`.

use std::sync::{Arc, LazyLock};

use nat::Var;
use rise::pattern::{AcceptorView, IndexMap, Pattern, Requirement};
use rise::primitive::{DataAccess, Entry, OptionalArgument};
use rise::subst::rename;
use rise::{Access, Names, Pi, Primitive, Scheme, Ty, Type, library_scheme};
use syntax::Dialect;
use syntax::ast::{Kind, Name};

/// The text of `primitives.dpia`.
const SOURCE: &str = include_str!("primitives.dpia");

macro_rules! primitives {
    (
        { $($category:ident { $($shared:ident = $word:literal),+ $(,)? })+ }
        { $($group:ident { $($only:ident = $only_word:literal),+ $(,)? })+ }
        { $($variant:ident = $name:literal),+ $(,)? }
    ) => {
        /// A primitive of DPIA.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Prim {
            $($(#[doc = concat!("`", $word, "`")] $shared,)+)+
            $(#[doc = concat!("`", $name, "`")] $variant),+
        }

        impl Prim {
            /// Every primitive: those of RISE, then those of `primitives.dpia` in its order.
            pub const ALL: &'static [Prim] = &[$($(Prim::$shared,)+)+ $(Prim::$variant),+];

            /// Returns the primitive's name in programs.
            pub const fn name(self) -> &'static str {
                match self { $($(Prim::$shared => $word,)+)+ $(Prim::$variant => $name),+ }
            }

            /// Returns the primitive with this name, if there is one.
            pub fn from_name(name: &str) -> Option<Prim> {
                match name { $($($word => Some(Prim::$shared),)+)+ $($name => Some(Prim::$variant),)+ _ => None }
            }

            /// Returns the primitive for one of RISE; `None` for those without an implementation.
            pub const fn of_rise(primitive: Primitive) -> Option<Prim> {
                match primitive {
                    $($(Primitive::$shared => Some(Prim::$shared),)+)+
                    $($(Primitive::$only)|+ => None,)+
                }
            }

            /// Returns the same primitive of RISE, if RISE has it.
            pub const fn in_rise(self) -> Option<Primitive> {
                match self {
                    $($(Prim::$shared => Some(Primitive::$shared),)+)+
                    $(Prim::$variant)|+ => None,
                }
            }
        }
    };
}

rise::primitive_list!(primitives {
    // expressions
    DepIdx = "depIdx",
    IdxVec = "idxVec",
    ZipStream = "zipStream",
    InPlace = "inPlace",
    // commands
    Assign = "assign",
    Seq = "seq",
    Skip = "skip",
    If = "if",
    New = "new",
    NewDoubleBuffer = "newDoubleBuffer",
    NewBuffers = "newBuffers",
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
    WithNat = "withNat",
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
});

/// The class of a primitive of DPIA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PhraseClass {
    /// An expression.
    Expression(Pattern),
    /// A command.
    Command,
    /// An acceptor.
    Acceptor,
}

/// The properties of a primitive.
struct Definition {
    entry: &'static Entry,
    class: PhraseClass,
    index_map: Option<IndexMap>,
    acceptor: Option<AcceptorView>,
    scheme: Arc<Scheme>,
}

/// The definitions of the primitives, in the order of [`Prim::ALL`].
static DEFINITIONS: LazyLock<Vec<Definition>> = LazyLock::new(|| {
    static OWN: LazyLock<Vec<Entry>> = LazyLock::new(|| Entry::read(SOURCE, Dialect::Dpia));
    let mut own = OWN.iter();
    Prim::ALL
        .iter()
        .filter_map(|prim| match prim.in_rise() {
            Some(primitive) => Some(Definition::shared(primitive)),
            None => own.next().map(Definition::own),
        })
        .collect()
});

impl Definition {
    fn shared(primitive: Primitive) -> Definition {
        let entry = primitive.entry();
        let scheme = phrase_scheme(entry, library_scheme(primitive), primitive.is_variadic());
        let params = params(&scheme);
        Definition {
            class: PhraseClass::Expression(primitive.pattern()),
            index_map: IndexMap::of(&entry.item, &params),
            acceptor: AcceptorView::of(&entry.item, &params),
            entry,
            scheme: Arc::new(scheme),
        }
    }

    fn own(entry: &'static Entry) -> Definition {
        let scheme = Arc::new(rise::written_scheme(&entry.item));
        let mut ty = &*scheme.ty;
        let class = loop {
            ty = match ty {
                Type::Pi(pi) => &pi.body,
                Type::Fun(_, result) => result,
                Type::Comm => break PhraseClass::Command,
                Type::Acc(_) => break PhraseClass::Acceptor,
                // A test checks that every expression has a pattern.
                _ => break PhraseClass::Expression(entry.pattern.unwrap_or(Pattern::Scalar)),
            }
        };
        Definition {
            class,
            index_map: entry.index_map.clone(),
            acceptor: entry.acceptor.clone(),
            entry,
            scheme,
        }
    }
}

/// Derives the type in DPIA of a primitive of RISE. Every data type gets its access. Implicit
/// parameters come first, the last of which is the access that several parts share, if there is
/// one. `makeArray` has no parameters for its values.
fn phrase_scheme(entry: &Entry, in_rise: &Scheme, is_variadic: bool) -> Scheme {
    let Scheme { ty, names, .. } = in_rise;
    let shared = Var(u32::try_from(names.0.len()).unwrap_or(u32::MAX));
    let mut params = Vec::new();
    let mut rest = ty;
    while let Type::Pi(pi) = &**rest {
        params.push((pi.var, pi.kind, pi.implicit));
        rest = &pi.body;
    }
    while is_variadic && let Type::Fun(_, result) = &**rest {
        rest = result;
    }
    if entry.accesses.contains(&DataAccess::Shared) {
        params.push((shared, Kind::ReadWrite, true));
    }
    let mut accesses = entry.accesses.iter().map(|access| match access {
        DataAccess::Read => Access::Rd,
        DataAccess::Write => Access::Wr,
        DataAccess::Stream => Access::St,
        DataAccess::Shared => Access::Var(shared),
    });
    let mut phrase = with_accesses(rest, &mut || accesses.next().unwrap_or(Access::Rd));
    params.sort_by_key(|(_, _, implicit)| !implicit);
    for (var, kind, implicit) in params.iter().rev() {
        phrase = Arc::new(Type::Pi(Pi::new(*var, *kind, *implicit, phrase)));
    }
    // Variables are numbered in the order of the type.
    let mut order: Vec<Var> = params.into_iter().map(|(var, ..)| var).collect();
    let bound = (0..shared.0).map(Var).filter(|var| !order.contains(var));
    let bound: Vec<Var> = bound.collect();
    order.extend(bound);
    let number = |var: Var| {
        let at = order.iter().position(|other| *other == var);
        at.and_then(|at| u32::try_from(at).ok()).map_or(var, Var)
    };
    let names = order.iter().map(|var| match *var == shared {
        true => Name::new_static("a"),
        false => names.get(*var),
    });
    Scheme {
        ty: rename(&phrase, &number),
        obligations: Arc::default(),
        names: Names(names.collect()),
        literals: Arc::default(),
    }
}

/// Returns the names of the type-level parameters of a type, in order.
pub(crate) fn params(scheme: &Scheme) -> Vec<Name> {
    let mut names = Vec::new();
    let mut ty = &*scheme.ty;
    while let Type::Pi(pi) = ty {
        names.push(scheme.names.get(pi.var));
        ty = &pi.body;
    }
    names
}

/// Makes the phrase type of a type of RISE, with the next access for each data type.
fn with_accesses(ty: &Ty, next: &mut dyn FnMut() -> Access) -> Ty {
    Arc::new(match &**ty {
        Type::Fun(param, result) => {
            let param = with_accesses(param, next);
            Type::Fun(param, with_accesses(result, next))
        }
        Type::Pi(pi) => Type::Pi(Pi {
            body: with_accesses(&pi.body, next),
            ..pi.clone()
        }),
        _ => Type::Exp(ty.clone(), next()),
    })
}

impl Prim {
    fn definition(self) -> &'static Definition {
        &DEFINITIONS[self as usize]
    }

    /// Returns the primitive's type.
    pub fn scheme(self) -> &'static Arc<Scheme> {
        &self.definition().scheme
    }

    /// Returns the primitive's class.
    pub fn class(self) -> PhraseClass {
        self.definition().class
    }

    /// Returns the pattern of a primitive that makes expressions; `None` for others.
    pub fn pattern(self) -> Option<Pattern> {
        match self.class() {
            PhraseClass::Expression(pattern) => Some(pattern),
            PhraseClass::Command | PhraseClass::Acceptor => None,
        }
    }

    /// Returns the primitive's requirement on the target.
    pub fn requirement(self) -> Option<Requirement> {
        self.definition().entry.requirement
    }

    /// Returns the index map of a view or of an acceptor that mirrors one, if it has one.
    pub fn index_map(self) -> Option<&'static IndexMap> {
        self.definition().index_map.as_ref()
    }

    /// Returns the acceptor to which the argument of a view is written; `None` if the argument
    /// cannot be written through the primitive.
    pub fn acceptor(self) -> Option<&'static AcceptorView> {
        self.definition().acceptor.as_ref()
    }

    /// Returns the primitive's documentation in Markdown, up to the first example.
    pub fn docs(self) -> &'static str {
        let docs = self.definition().entry.docs();
        // The examples of a shared primitive are in RISE.
        docs.split("\n```").next().unwrap_or_default()
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

    /// Returns the kind of the optional type-level argument, which is written first, if there is
    /// one.
    pub fn optional_argument(self) -> Option<OptionalArgument> {
        self.definition().entry.optional_argument
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_enum_and_the_file_agree() {
        assert_eq!(DEFINITIONS.len(), Prim::ALL.len());
        for prim in Prim::ALL {
            let Definition { entry, class, .. } = prim.definition();
            assert_eq!(entry.name, prim.name());
            let is_expression = matches!(class, PhraseClass::Expression(_));
            assert_eq!(entry.pattern.is_some(), is_expression, "{}", prim.name());
        }
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
