//! What cannot be compiled.

use rise::core::Origin;

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
}

impl CompileError {
    /// An error at a phrase.
    pub fn new(origin: Origin, message: impl Into<String>) -> CompileError {
        CompileError {
            message: message.into(),
            help: None,
            origin,
        }
    }

    /// The same with advice.
    pub fn with_help(mut self, help: impl Into<String>) -> CompileError {
        self.help = Some(help.into());
        self
    }
}
