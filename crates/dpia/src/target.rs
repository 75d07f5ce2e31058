//! What programs are compiled for.

/// A kind of machine that code is generated for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    /// C99 for one thread.
    C,
    /// C99 with OpenMP.
    OpenMp,
    /// OpenCL C.
    OpenCl,
}

impl Target {
    /// Every target.
    pub const ALL: [Target; 3] = [Target::C, Target::OpenMp, Target::OpenCl];

    /// As it is written in `@target(…)` and on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Target::C => "c",
            Target::OpenMp => "openmp",
            Target::OpenCl => "opencl",
        }
    }

    /// The target that is written so.
    pub fn from_name(name: &str) -> Option<Target> {
        Target::ALL
            .into_iter()
            .find(|target| target.as_str() == name)
    }

    /// As it is called in a sentence.
    pub const fn title(self) -> &'static str {
        match self {
            Target::C => "C",
            Target::OpenMp => "OpenMP",
            Target::OpenCl => "OpenCL",
        }
    }
}
