//! Translates texts to imperative programs.

use codegen::Target;
use dpia::PhraseProgram;
use rise::core::{normalise, program_of, program_text};

/// Returns the imperative program of a definition, whose types are checked.
pub fn imperative(text: &str, name: &str, target: Target) -> PhraseProgram {
    let [_, imperative] = both(text, name, target);
    imperative
}

/// Returns the functional and the imperative program of a definition.
pub fn both(text: &str, name: &str, target: Target) -> [PhraseProgram; 2] {
    let mut program = match program_of(text, name) {
        Ok(program) => program,
        Err(error) => panic!("{error}\n{text}"),
    };
    if let Err(error) = normalise(&mut program) {
        panic!("{error}\n{text}");
    }
    let functional = match dpia::functional::functional(&program, target.features()) {
        Ok(phrase) => phrase,
        Err(problems) => panic!("{problems:#?}\n{text}"),
    };
    if let Err(error) = dpia::check(&functional) {
        panic!("functional: {error}\n{text}\n{}", program_text(&functional));
    }
    let imperative = match dpia::imperative(&functional) {
        Ok(phrase) => phrase,
        Err(error) => panic!("{error}\n{text}\n{}", program_text(&functional)),
    };
    if let Err(error) = dpia::check(&imperative) {
        panic!("imperative: {error}\n{text}\n{}", program_text(&imperative));
    }
    [functional, imperative]
}

/// Returns the text of a definition's imperative program.
pub fn shown(text: &str, name: &str, target: Target) -> String {
    program_text(&imperative(text, name, target))
}
