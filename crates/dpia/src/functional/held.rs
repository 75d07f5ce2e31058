//! How the value of each expression of a definition is had, for those who look at its text.

use rise::core::{Form, Source};
use rise::{Access, Address, Arg, Type};
use rustc_hash::FxHashSet;
use syntax::Span;
use syntax::ast::AddressSpace;

use crate::phrase::{Phrase, PhraseProgram};
use crate::prim::Prim;

/// How a value is had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Held {
    /// It is computed where it is read.
    Read,
    /// It is written to where it is wanted.
    Written,
    /// It is in memory of its own; for OpenCL, in this space.
    Stored(Option<AddressSpace>),
    /// Its elements come one after the other.
    Stream,
}

impl Held {
    /// In one word.
    pub const fn word(self) -> &'static str {
        match self {
            Held::Read => "read",
            Held::Written => "written",
            Held::Stored(_) => "stored",
            Held::Stream => "stream",
        }
    }
}

/// How the value of each expression is had that stands in the definition's own text, by its place,
/// in the order of the text.
pub fn held(program: &PhraseProgram) -> Vec<(Span, Held)> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    visit(&program.body, program, &mut |source, held| {
        // Outer expressions come first: what stands for a definition is what that gives.
        if seen.insert(source.span) {
            found.push((source.span, held));
        }
    });
    found.sort_by_key(|(span, _)| *span);
    found
}

fn visit(phrase: &Phrase, program: &PhraseProgram, found: &mut dyn FnMut(&Source, Held)) {
    if let Some(source) = own(phrase, program)
        && let Some(held) = held_as(phrase)
    {
        found(source, held);
    }
    match &phrase.form {
        Form::Lambda(_, body) | Form::DepLambda(_, _, body) => visit(body, program, found),
        Form::Primitive(_, _, args) | Form::Foreign(_, args) => {
            args.iter().for_each(|arg| visit(arg, program, found));
        }
        _ => {}
    }
}

/// The place in the definition's own text: of what another definition is made of, its use.
fn own<'p>(phrase: &Phrase, program: &'p PhraseProgram) -> Option<&'p Source> {
    let mut source = program.origins.get(phrase.origin.0 as usize)?;
    for _ in 0..program.origins.len() {
        if source.def.is_none() {
            return Some(source);
        }
        source = program.origins.get(source.used_at?.0 as usize)?;
    }
    None
}

fn held_as(phrase: &Phrase) -> Option<Held> {
    let Type::Exp(_, access) = &*phrase.ty else {
        return None;
    };
    let Form::Primitive(prim, types, _) = &phrase.form else {
        return None;
    };
    Some(match (prim, access) {
        (Prim::ToMem | Prim::ReduceSeq | Prim::ReduceSeqUnroll | Prim::ReducePar, _) => {
            let space = match types.last() {
                Some(Arg::Address(Address::Space(space))) => Some(*space),
                _ => None,
            };
            Held::Stored(space)
        }
        (_, Access::Wr) => Held::Written,
        (_, Access::St) => Held::Stream,
        (_, Access::Rd | Access::Var(_)) => Held::Read,
    })
}
