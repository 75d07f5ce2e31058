//! Defines the errors of the code generator.

use rise::core::Origin;
use syntax::Code;

/// The reason why a program cannot be compiled, in terms of the source program.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct CompileError {
    /// The message.
    pub message: String,
    /// Advice on what to do.
    pub help: Option<String>,
    /// The phrase that causes the error.
    pub origin: Origin,
    /// The code of the diagnostic.
    pub code: Code,
    /// Other phrases that explain the error, each with a message.
    pub related: Vec<(Origin, String)>,
    /// The phrase that allocated memory in the wrong address space.
    pub memory: Option<Origin>,
}

impl CompileError {
    /// Creates an error at a phrase.
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

    /// Adds another phrase that explains the error.
    pub fn with_related(mut self, origin: Origin, text: impl Into<String>) -> CompileError {
        self.related.push((origin, text.into()));
        self
    }

    /// Adds the phrase that allocated memory in the wrong address space.
    pub fn with_memory(mut self, origin: Origin) -> CompileError {
        self.memory = Some(origin);
        self
    }

    /// Sets the code.
    pub fn with_code(mut self, code: Code) -> CompileError {
        self.code = code;
        self
    }

    /// Sets the advice.
    pub fn with_help(mut self, help: impl Into<String>) -> CompileError {
        self.help = Some(help.into());
        self
    }
}
