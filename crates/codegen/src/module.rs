//! Generated text.

use std::ops::Range;
use std::sync::Arc;

use rise::core::{Foreign, Origin};

use crate::ir::Maker;
use crate::signature::Signature;

/// What code is generated for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Target {
    /// C99 for one thread.
    C,
    /// C99 with OpenMP.
    OpenMp,
}

/// The text of a translation unit, with what a caller and an editor must know of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Module {
    /// The text.
    pub text: String,
    /// Its one function that is not static.
    pub signature: Signature,
    /// What each part of the text comes from, in the order of the text; parts nest.
    pub map: Vec<Mapping>,
    /// The parts that come from no phrase, in the order of the text.
    pub plain: Vec<Plain>,
    /// The C functions that the program defines itself, where they stand in the text.
    pub foreign: Vec<ForeignText>,
}

/// The text of a C function of the program's own.
#[derive(Clone, Debug, PartialEq)]
pub struct ForeignText {
    /// Its body with the braces, in bytes.
    pub range: Range<usize>,
    /// The function; [`Foreign::body_span`] says where it comes from.
    pub function: Arc<Foreign>,
}

/// Where a part of generated text comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Mapping {
    /// The part, in bytes.
    pub range: Range<usize>,
    /// The phrase.
    pub origin: Origin,
    /// What made it.
    pub made_by: Option<Maker>,
    /// What the passes did to it, in order: `memory: allocated outside of the loop that uses it`.
    pub passes: Box<[String]>,
}

/// A part of the text that comes from no phrase of the program's.
#[derive(Clone, Debug, PartialEq)]
pub struct Plain {
    /// The part, in bytes.
    pub range: Range<usize>,
    /// Why it is there.
    pub reason: Reason,
}

/// Why a part of the text is there that comes from no phrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Headers, types and helpers that the code needs.
    Needed,
    /// The signature, with what it says in words.
    Signature,
    /// A check of the condition with this number in [`Signature::requires`].
    Condition(usize),
    /// A parameter that nothing reads is said to be so.
    Unused,
}
