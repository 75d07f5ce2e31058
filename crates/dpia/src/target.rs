//! What programs are compiled for.

/// Statements up to which loops are written out.
pub const MOST_STATEMENTS: usize = 10_000;

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

/// Some targets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Targets(u8);

impl Targets {
    /// Adds one.
    pub fn insert(&mut self, target: Target) {
        self.0 |= 1 << target as u8;
    }

    /// Whether it is among them.
    pub fn contains(self, target: Target) -> bool {
        self.0 & (1 << target as u8) != 0
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Each of them.
    pub fn iter(self) -> impl Iterator<Item = Target> {
        Target::ALL
            .into_iter()
            .filter(move |&target| self.contains(target))
    }
}

impl FromIterator<Target> for Targets {
    fn from_iter<T: IntoIterator<Item = Target>>(targets: T) -> Self {
        let mut all = Targets::default();
        targets.into_iter().for_each(|target| all.insert(target));
        all
    }
}
