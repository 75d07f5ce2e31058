//! What runs a program.

use super::{Failure, Job, annotations, errors};
use db::{Database, ItemId};
use dpia::Target;
use dpia::functional::made_for;
use rise::Primitive;
use rise::core::Program;
use runtime::cc::Compiler;
use runtime::process::Limits;

/// What runs a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// The interpreter.
    Interp,
    /// C for one thread.
    C,
    /// C with OpenMP.
    OpenMp,
    /// OpenCL.
    OpenCl,
}

impl Backend {
    /// As it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Backend::Interp => "interp",
            Backend::C => "c",
            Backend::OpenMp => "openmp",
            Backend::OpenCl => "opencl",
        }
    }

    /// What is called so.
    pub fn from_name(name: &str) -> Option<Backend> {
        use Backend as B;
        let all = [B::Interp, B::C, B::OpenMp, B::OpenCl];
        all.into_iter().find(|backend| backend.as_str() == name)
    }

    /// As it is called in a sentence.
    pub const fn title(self) -> &'static str {
        match self {
            Backend::Interp => "the interpreter",
            Backend::C => "C",
            Backend::OpenMp => "OpenMP",
            Backend::OpenCl => "OpenCL",
        }
    }

    /// What runs the code for a target.
    pub const fn of(target: Target) -> Backend {
        match target {
            Target::C => Backend::C,
            Target::OpenMp => Backend::OpenMp,
            Target::OpenCl => Backend::OpenCl,
        }
    }

    /// The target that it needs code for.
    pub const fn target(self) -> Option<Target> {
        match self {
            Backend::Interp => None,
            Backend::C => Some(Target::C),
            Backend::OpenMp => Some(Target::OpenMp),
            Backend::OpenCl => Some(Target::OpenCl),
        }
    }
}

/// What runs a program, and why that is the interpreter although nobody named it.
pub struct Choice {
    /// What runs it.
    pub backend: Backend,
    /// Why the program is not compiled.
    pub fallback: Option<String>,
}

/// Chooses the named backend, else that of the target that the program is written for, by
/// `@target`, `@strategy` or its patterns. A program that names none is compiled for C if that is
/// possible, and else interpreted.
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
    // A definition that names a strategy is for what that makes it for.
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
