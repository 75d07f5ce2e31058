//! Defines the table of the targets and what distinguishes them, and prints programs in the loop
//! language for each.
//!
//! A target has a folder, with its [`Backend`], and a line in the table below. What similar targets
//! share is in [`clike`].

mod c;
pub(crate) mod clike;
mod opencl;
mod openmp;
mod set;

use dpia::{Features, IndexPolicy, Parallelism};
use rise::TargetName;
use syntax::ast::ScalarType;

use crate::error::Result;
use crate::ir::Loop;
use crate::ir::kernel::{Code, Program};
use crate::module::Module;
use clike::Printer;
pub use set::{TargetSelection, Targets, marked_targets, target_of};

/// Declares the targets and the functions that look them up.
macro_rules! table {
    ($($target:ident => $backend:expr,)*) => {
        /// A target of the code generator.
        #[allow(missing_docs, reason = "the description of a target documents it")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Target {
            $($target,)*
        }

        impl Target {
            /// All targets, the default first.
            pub const ALL: &[Target] = &[$(Target::$target,)*];

            fn backend(self) -> &'static dyn Backend {
                match self {
                    $(Target::$target => &$backend,)*
                }
            }
        }
    };
}

table! {
    C => c::C,
    OpenMp => openmp::OpenMp,
    OpenCl => opencl::OpenCl,
}

/// The properties of a target that other crates use.
#[derive(Clone, Copy, Debug)]
pub struct Description {
    /// The name in `@target(…)` and on the command line, with other words by which messages
    /// recognise that the target is meant.
    pub name: TargetName,
    /// A short description for lists of targets.
    pub summary: &'static str,
    /// The properties on which the translation and its messages depend.
    pub features: Features,
    /// The editor's identifier of the language of the text.
    pub language: &'static str,
    /// The strategy of the library that usually lowers definitions for the target.
    pub lowering: &'static str,
    /// The strategy of the library that does the same without a change of rounding.
    pub exact_lowering: &'static str,
    /// The host program that launches kernels; `None` if the target has no kernels.
    pub host: Option<HostProgram>,
}

/// A program for the host that launches the kernels of a module.
#[derive(Clone, Copy, Debug)]
pub struct HostProgram {
    /// The name by which requests of editors ask for the program.
    pub name: &'static str,
    /// The description in the title of a document.
    pub title: &'static str,
    /// The function that prints it; the result is `None` if the module has no kernels.
    pub print: fn(&Module) -> Result<Option<String>>,
}

/// The dialect of C in which the text of a target is written: its vectors, built-in functions and
/// headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CDialect {
    /// C99 with the vector extensions of GCC and Clang.
    Gnu,
    OpenCl,
}

/// The implementation of a target: its description, and its way to print what similar targets print
/// differently.
trait Backend: Sync {
    /// Returns the properties of the target that other crates use.
    fn description(&self) -> &'static Description;

    /// Returns the dialect of C that the text is written in.
    fn dialect(&self) -> CDialect {
        CDialect::Gnu
    }

    /// Returns the name of a scalar type for values in memory.
    fn scalar_name(&self, scalar: ScalarType) -> &'static str {
        clike::types::scalar_name(scalar)
    }

    /// Returns the words that are reserved in addition to those of the dialect.
    fn words(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns the text after the headers, which declares what the spelling of the target requires.
    fn preamble(&self) -> &'static str {
        ""
    }

    /// Returns the word that starts a loop.
    fn loop_keyword(&self) -> &'static str {
        "for"
    }

    /// Writes a loop that is more than a sequential loop of C, and returns the result. For other
    /// loops, returns `None` after writing at most what is in front of the loop, such as a pragma;
    /// the caller then writes the plain loop.
    fn annotated_loop(&self, _printer: &mut Printer<'_>, _this: &Loop) -> Option<Result<()>> {
        None
    }
}

impl Target {
    /// Returns the properties of the target.
    pub fn description(self) -> &'static Description {
        self.backend().description()
    }

    /// Returns the target's name in `@target(…)` and on the command line.
    pub fn as_str(self) -> &'static str {
        self.description().name.name
    }

    /// Returns the target with this name, if there is one; its other words are not accepted.
    pub fn from_name(name: &str) -> Option<Target> {
        Target::all().find(|target| target.as_str() == name)
    }

    /// Returns the target's name in a sentence.
    pub fn title(self) -> &'static str {
        self.features().title
    }

    /// Returns the features of the target.
    pub fn features(self) -> Features {
        self.description().features
    }

    /// Returns all targets, the default first.
    pub fn all() -> impl Iterator<Item = Target> + Clone {
        Target::ALL.iter().copied()
    }

    /// Returns the names of all targets, each with its other words, the default first.
    pub fn names() -> Vec<TargetName> {
        Target::all()
            .map(|target| target.description().name)
            .collect()
    }

    /// Returns the first target with this parallelism, or the default target if there is none. It
    /// is the target for programs that require the parallelism and name no target.
    pub fn with(parallelism: Parallelism) -> Target {
        let mut all = Target::all();
        all.find(|target| target.features().parallelism == parallelism)
            .unwrap_or_default()
    }

    fn dialect(self) -> CDialect {
        self.backend().dialect()
    }

    fn scalar_name(self, scalar: ScalarType) -> &'static str {
        self.backend().scalar_name(scalar)
    }
}

impl Default for Target {
    fn default() -> Self {
        Target::ALL[0]
    }
}

/// Prints a program as text for a target.
///
/// # Errors
/// Fails for what has no counterpart in the language of the target, such as `f16` in C, vectors
/// whose number of lanes is a parameter, and size functions that are parameters, and for constant
/// counts that do not fit into indices.
pub(crate) fn emit(program: Program, target: Target, index: IndexPolicy) -> Result<Module> {
    let Program { code, signature } = program;
    match code {
        Code::Function(function) => clike::print(*function, target, signature, index),
        Code::Kernels(parts) => opencl::kernels::print(parts, target, signature, index),
    }
}
