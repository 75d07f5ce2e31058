//! What cannot be compiled.

use rise::core::Origin;
use syntax::Code;

/// Why a program has no code, in the words of its author.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct CompileError {
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// The phrase that is to blame.
    pub origin: Origin,
    /// Which mistake it is.
    pub code: Code,
}

impl CompileError {
    /// An error at a phrase.
    pub fn new(origin: Origin, message: impl Into<String>) -> CompileError {
        CompileError {
            message: message.into(),
            help: None,
            origin,
            code: Code::NotAProgram,
        }
    }

    /// The same as a certain mistake.
    pub fn with_code(mut self, code: Code) -> CompileError {
        self.code = code;
        self
    }

    /// The same with advice.
    pub fn with_help(mut self, help: impl Into<String>) -> CompileError {
        self.help = Some(help.into());
        self
    }
}
