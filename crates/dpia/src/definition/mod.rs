//! Checks and compilation of definitions that are written in DPIA.
//!
//! The definitions are type-checked by inference before; the checks here need a linked definition.
//! [`check`] is independent of the target, [`for_target`] checks the definition as a program for
//! one target.

mod erase;
mod imperative;
mod source_map;

use rise::core::normalise;
use rise::{Access, Type};
use syntax::{Diagnostic, Severity};

pub use crate::stage::Stage;
pub use erase::{NotInRise, erase};

use crate::codes;
use crate::functional::{self, DefinitionSource};
use crate::imperative::{ImperativeError, ImperativeReason};
use crate::phrase::PhraseProgram;
use crate::target::Features;
use source_map::SourceMap;

/// The result of compiling a definition for a target.
#[derive(Clone, Debug, PartialEq)]
pub struct Compiled {
    /// The stage of the definition, if it is a program.
    pub stage: Option<Stage>,
    /// The program in normal form; its accesses are inferred anew if it is functional. `None` if
    /// there is an error.
    pub program: Option<PhraseProgram>,
    /// The diagnostics for the target, without those of [`check`].
    pub diagnostics: Vec<Diagnostic>,
}

/// Checks a linked definition independent of the target. Reports data races in parallel loops, and
/// memory with an address space beside memory without one; only the error if the definition cannot
/// be normalised or has a type error.
///
/// The definition must have been inferred without an error.
pub fn check(linked: &PhraseProgram, written: DefinitionSource) -> Vec<Diagnostic> {
    let source_map = SourceMap::new(linked, written);
    let mut found = Vec::new();
    let mut whole = linked.clone();
    if let Err(error) = normalise(&mut whole) {
        found.push(source_map.whole(codes::NOT_A_PROGRAM, error.to_string()));
        return found;
    }
    if let Err(error) = crate::check(&whole) {
        found.push(source_map.error(rise::codes::TYPE_MISMATCH, error.origin, error.to_string()));
        return found;
    }
    imperative::data_races(linked, &whole, &source_map, &mut found);
    imperative::mixed_spaces(&whole, &source_map, &mut found);
    sorted(found)
}

/// Compiles a linked definition for a target, or reports why that is impossible.
///
/// The definition must have been inferred without an error, and [`check`] must have returned
/// nothing.
pub fn for_target(linked: &PhraseProgram, target: Features, written: DefinitionSource) -> Compiled {
    let source_map = SourceMap::new(linked, written);
    let stage = Stage::of(&linked.body.ty);
    let mut program = linked.clone();
    let (program, diagnostics) = match (normalise(&mut program), stage) {
        (Err(error), _) => (
            None,
            vec![source_map.whole(codes::NOT_A_PROGRAM, error.to_string())],
        ),
        (Ok(()), None) => (None, vec![imperative::no_program(linked, &source_map)]),
        (Ok(()), Some(Stage::Functional)) => expression(&program, target, written, &source_map),
        (Ok(()), Some(Stage::Imperative)) => {
            let mut found = Vec::new();
            imperative::no_output(&program, &source_map, &mut found);
            imperative::updated_without_acceptor(&program, &source_map, &mut found);
            imperative::target(&program, target, &source_map, &mut found);
            (Some(program), found)
        }
    };
    let wrong = |found: &Diagnostic| found.severity == Severity::Error;
    let program = program.filter(|_| !diagnostics.iter().any(wrong));
    Compiled {
        stage,
        program,
        diagnostics: sorted(diagnostics),
    }
}

/// Checks a functional program as in RISE: erases its accesses, and checks the resulting program of
/// RISE, for which the smallest accesses are inferred anew.
fn expression(
    program: &PhraseProgram,
    target: Features,
    written: DefinitionSource,
    source_map: &SourceMap,
) -> (Option<PhraseProgram>, Vec<Diagnostic>) {
    let found = unread_parameters(program, source_map);
    if !found.is_empty() {
        return (None, found);
    }
    let plain = match erase(program) {
        Ok(plain) => plain,
        Err(error) => {
            let name = error.prim.name();
            let text = format!(
                "`{name}` can only be used in commands, and this definition is an expression"
            );
            let found = source_map.error(codes::NOT_A_PROGRAM, error.origin, text);
            return (None, vec![found]);
        }
    };
    let checked = functional::check(&plain, target);
    let mut found = functional::diagnostics(&checked.problems, &plain, target, written);
    found.iter_mut().for_each(in_dpia);
    let phrase = checked.phrase;
    if let Some(Err(error)) = phrase.as_ref().map(crate::imperative) {
        found.push(untranslated(&error, source_map));
    }
    (phrase, found)
}

/// Reports the parameters of a program that have the access `Wr` or `St` instead of `Rd`.
fn unread_parameters(program: &PhraseProgram, source_map: &SourceMap) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for param in program.signature().values() {
        let name = &param.local.name;
        let text = match &*param.ty {
            Type::Exp(_, Access::Wr) => format!(
                "the parameter `{name}` must be readable (`Rd`), and its type says that it is not yet written (`Wr`)"
            ),
            Type::Exp(_, Access::St) => {
                format!(
                    "the parameter `{name}` must be readable (`Rd`), and its type says that it is a stream (`St`)"
                )
            }
            _ => continue,
        };
        let help = "write `Rd` in its type";
        found.push(source_map.whole(codes::NOT_A_PROGRAM, text).help(help));
    }
    found
}

/// Makes the diagnostic for a program without translation, such as a `map` of access `Wr` whose
/// function is no chain of views.
fn untranslated(error: &ImperativeError, source_map: &SourceMap) -> Diagnostic {
    let code = match error.reason {
        ImperativeReason::NotAView(_) => codes::MISSING_CHOICE,
        ImperativeReason::NotWritten => rise::codes::MISSING_COPY,
        ImperativeReason::StreamAsArray => rise::codes::STREAM_AS_ARRAY,
        _ => codes::NOT_A_PROGRAM,
    };
    source_map.error(code, error.origin, error.reason.to_string())
}

/// Adapts a diagnostic about RISE to DPIA: replaces help texts in the syntax of RISE, keeps the
/// fixes that replace one word, which are the same in both languages, and removes the other fixes,
/// which write pipes. If no preferred fix is left, the first enabled one becomes preferred.
fn in_dpia(found: &mut Diagnostic) {
    if found.code == rise::codes::MISSING_COPY {
        found.help = Some("a copy is a loop of its own: `mapSeq(fun(x => x), …)`".into());
    } else if found.code == rise::codes::MISSING_MEMORY {
        found.help = Some("`toMem(…)` writes a value to memory, from where it is read".into());
    }
    let word = |text: &str| text.bytes().all(|b| b.is_ascii_alphanumeric());
    let one = |edits: &[(syntax::Span, String)]| match edits {
        [(span, text)] => span.start < span.end && !text.is_empty() && word(text),
        _ => false,
    };
    found.fixes.retain(|fix| one(&fix.edits));
    if !found.fixes.iter().any(|fix| fix.preferred)
        && let Some(first) = found.fixes.iter_mut().find(|fix| fix.disabled.is_none())
    {
        first.preferred = true;
    }
}

fn sorted(mut found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    found.sort_by_key(|diagnostic| (diagnostic.span, diagnostic.code));
    found.dedup_by(|a, b| (a.span, a.code, &a.message) == (b.span, b.code, &b.message));
    found
}
