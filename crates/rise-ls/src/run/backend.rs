//! Selects the backend that runs a program.

use super::{Failure, Job, annotations, errors};
use db::{Database, ItemId};
use dpia::Target;
use dpia::functional::made_for;
use rise::Primitive;
use rise::core::Program;
use runtime::cc::Compiler;
use runtime::process::Limits;

/// A backend that runs programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    Interp,
    /// C code for one thread.
    C,
    OpenMp,
    OpenCl,
}

impl Backend {
    /// Returns the name in options and annotations.
    pub const fn as_str(self) -> &'static str {
        match self {
            Backend::Interp => "interp",
            Backend::C => "c",
            Backend::OpenMp => "openmp",
            Backend::OpenCl => "opencl",
        }
    }

    pub fn from_name(name: &str) -> Option<Backend> {
        use Backend as B;
        let all = [B::Interp, B::C, B::OpenMp, B::OpenCl];
        all.into_iter().find(|backend| backend.as_str() == name)
    }

    /// Returns the name for sentences.
    pub const fn title(self) -> &'static str {
        match self {
            Backend::Interp => "the interpreter",
            Backend::C => "C",
            Backend::OpenMp => "OpenMP",
            Backend::OpenCl => "OpenCL",
        }
    }

    /// Returns the backend that runs the code for a target.
    pub const fn of(target: Target) -> Backend {
        match target {
            Target::C => Backend::C,
            Target::OpenMp => Backend::OpenMp,
            Target::OpenCl => Backend::OpenCl,
        }
    }

    /// Returns the target of the generated code; `None` for the interpreter.
    pub const fn target(self) -> Option<Target> {
        match self {
            Backend::Interp => None,
            Backend::C => Some(Target::C),
            Backend::OpenMp => Some(Target::OpenMp),
            Backend::OpenCl => Some(Target::OpenCl),
        }
    }
}

/// A chosen backend, and the reason if it is the interpreter by default.
pub struct Choice {
    pub backend: Backend,
    /// The reason why the program is not compiled, if the interpreter was not requested.
    pub fallback: Option<String>,
}

/// Chooses the requested backend, else that of the target that the program is written for, by
/// `@target`, `@strategy` or its patterns. A program without a target is compiled to C if possible,
/// and interpreted otherwise.
pub fn choose(
    db: &Database,
    item: ItemId,
    program: &Program<Primitive>,
    job: &Job,
    limits: &Limits,
) -> Result<Choice, Failure> {
    let named = |backend| {
        Ok(Choice {
            backend,
            fallback: None,
        })
    };
    let parsed = db.parsed(item);
    let mut targets = annotations::targets(&parsed.item).filter_map(Target::from_name);
    let is_for_opencl = targets.clone().any(|target| target == Target::OpenCl);
    let annotated = targets.next();
    let for_devices = |reason: String| {
        let sizes = "a device, a local and a global size are for OpenCL";
        Err(Failure::Unavailable(format!("{sizes}, and {reason}")))
    };
    match (job.backend, annotated) {
        (Some(Backend::OpenCl), _) => return named(Backend::OpenCl),
        (Some(backend), _) if job.is_for_devices() => {
            return for_devices(format!("`{}` runs in {}", program.name, backend.title()));
        }
        (Some(backend), _) => return named(backend),
        (None, Some(target)) if job.is_for_devices() && !is_for_opencl => {
            return for_devices(format!(
                "`{}` is written for `@target({})`: leave them out, or name `--backend opencl`",
                program.name,
                target.as_str()
            ));
        }
        (None, _) if job.is_for_devices() => return named(Backend::OpenCl),
        (None, _) => {}
    }
    // The target of a definition with a strategy is that of the lowered program.
    let has_strategy = db.lowered(item).is_some();
    let lowered = has_strategy.then(|| db.code_linked(item).ok()).flatten();
    let body = lowered
        .as_ref()
        .map_or(&program.body, |lowered| &lowered.body);
    let target = annotated.unwrap_or_else(|| made_for(body));
    if annotated.is_some() || has_strategy || target != Target::C {
        return named(Backend::of(target));
    }
    let fallback = match (db.module(item, target), Compiler::find(limits)) {
        (Ok(_), Ok(_)) => return named(Backend::C),
        (Ok(_), Err(error)) => error.to_string(),
        (Err(found), _) => (errors(&found).into_iter().next())
            .map_or_else(String::new, |diagnostic| diagnostic.message),
    };
    Ok(Choice {
        backend: Backend::Interp,
        fallback: Some(fallback),
    })
}
