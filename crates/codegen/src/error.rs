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
    /// Other phrases that explain it, and what they have to do with it.
    pub related: Vec<(Origin, String)>,
    /// What asked for the memory that would have to be in another address space.
    pub memory: Option<Origin>,
}

impl CompileError {
    /// An error at a phrase.
    pub fn new(origin: Origin, message: impl Into<String>) -> CompileError {
        CompileError {
            message: message.into(),
            help: None,
            origin,
            code: Code::NotAProgram,
            related: Vec::new(),
            memory: None,
        }
    }

    /// The same with another phrase that explains it.
    pub fn with_related(mut self, origin: Origin, text: impl Into<String>) -> CompileError {
        self.related.push((origin, text.into()));
        self
    }

    /// The same about memory in the wrong address space.
    pub fn with_memory(mut self, origin: Origin) -> CompileError {
        self.memory = Some(origin);
        self
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
