//! Defines the errors of the code generator.

use dpia::IndexWidth;
use dpia::codes;
use nat::Nat;
use rise::core::Origin;
use syntax::Code;
use syntax::ast::Name;

/// A result that can be an error of the code generator.
pub(crate) type Result<T, E = CompileError> = std::result::Result<T, E>;

/// The error for a program that cannot be compiled, in terms of the source program.
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
    /// The phrase that allocated memory in the wrong address space, if that is the cause of the
    /// error.
    pub memory: Option<Origin>,
    /// The size that causes the error, which the program may write elsewhere than at the phrase.
    pub size: Option<Nat>,
}

impl CompileError {
    /// Creates an error at a phrase, with the code [`codes::NOT_A_PROGRAM`].
    pub fn new(origin: Origin, message: impl Into<String>) -> CompileError {
        CompileError {
            message: message.into(),
            help: None,
            origin,
            code: codes::NOT_A_PROGRAM,
            related: Vec::new(),
            memory: None,
            size: None,
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

/// Returns the error for a value of type `f16`, which C does not have.
pub(crate) fn half(origin: Origin) -> CompileError {
    CompileError::new(origin, "`f16` has no counterpart in C").with_help("use `f32`")
}

/// Returns the error for a vector whose number of lanes, given as a text, is not a supported
/// constant.
pub(crate) fn lanes(lanes: &str, origin: Origin) -> CompileError {
    let text = format!(
        "code cannot be generated for a vector of `{lanes}` lanes: the number of lanes must be a constant"
    );
    CompileError::new(origin, text).with_help("write the number, as in `asVector(4)`")
}

/// Returns the error for storing a value of a type that no C variable has.
pub(crate) fn unstorable(ty: &str, origin: Origin) -> CompileError {
    CompileError::new(origin, format!("a value of type `{ty}` cannot be stored"))
}

/// Returns the error for a size that applies a parameter, a function from sizes to sizes.
pub(crate) fn size_function(size: &str, origin: Origin) -> CompileError {
    let text = format!(
        "the size `{size}` uses a function that is a parameter, which generated code cannot call"
    );
    CompileError::new(origin, text)
        .with_help("write the function where it is used: `natFun(i => …)`")
}

/// Returns the error for a constant number of elements that does not fit into an index.
pub(crate) fn large_count(count: &Nat, index: IndexWidth, origin: Origin) -> CompileError {
    // The size has no variables.
    let names = |_| Name::default();
    let text = |bits: u32| {
        let count = count.display(&names);
        format!("{count} elements do not fit into indices of {bits} bits")
    };
    let error = match index {
        IndexWidth::Bits32 => {
            CompileError::new(origin, text(32)).with_help("emit the code with `--index 64`")
        }
        IndexWidth::Bits64 => CompileError::new(origin, text(64)),
    };
    CompileError {
        size: Some(count.clone()),
        ..error
    }
}

/// Returns the error for a size that exceeds the limits of the representation of sizes.
pub(crate) fn too_big(origin: Origin) -> CompileError {
    CompileError::new(origin, "a size is too large for generated code")
}

/// Returns the error for a lane in OpenCL C that is selected by a number that is not a constant.
pub(crate) fn lane(origin: Origin) -> CompileError {
    CompileError::new(
        origin,
        "this lane is selected by a computed number, and OpenCL C selects lanes by constants only",
    )
    .with_help("keep the values in an array")
}

/// Returns the error for an array in private memory whose size is not a constant.
pub(crate) fn private_size(size: &str, origin: Origin) -> CompileError {
    let text = format!(
        "`{size}` elements are stored in Private memory, where the number of elements must be a \
         constant"
    );
    CompileError::new(origin, text)
        .with_help("make the number a constant, or store the elements in Local or Global memory")
}

/// Returns the error for a kernel's call of a C function without a body.
pub(crate) fn no_body(name: &str, origin: Origin) -> CompileError {
    let text = format!("a device has no function `{name}`: kernels are not linked with C code");
    CompileError::new(origin, text).with_help("give the `foreign def` a body")
}
