//! Selects the backend that runs a program.

use super::{Failure, Job, errors};
use codegen::{Parallelism, Target};
use db::{Database, ItemId};
use dpia::functional::required;
use rise::Primitive;
use rise::core::Program;
use runtime::cc::Compiler;
use runtime::process::Limits;
use syntax::Diagnostic;

/// A backend that runs programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    Interp,
    /// Compiled code for a target.
    Compiled(Target),
}

impl Backend {
    /// Returns all backends.
    pub fn all() -> impl Iterator<Item = Backend> {
        std::iter::once(Backend::Interp).chain(Target::all().map(Backend::Compiled))
    }

    /// Returns the name in options and annotations.
    pub fn as_str(self) -> &'static str {
        match self {
            Backend::Interp => "interp",
            Backend::Compiled(target) => target.as_str(),
        }
    }

    pub fn from_name(name: &str) -> Option<Backend> {
        Backend::all().find(|backend| backend.as_str() == name)
    }

    /// Returns the name for sentences.
    pub fn title(self) -> &'static str {
        match self {
            Backend::Interp => "the interpreter",
            Backend::Compiled(target) => target.title(),
        }
    }

    /// Returns the description in lists.
    pub fn summary(self) -> &'static str {
        match self {
            Backend::Interp => "The interpreter, which needs nothing",
            Backend::Compiled(target) => target.description().summary,
        }
    }

    /// Returns the target of the generated code; `None` for the interpreter.
    pub const fn target(self) -> Option<Target> {
        match self {
            Backend::Interp => None,
            Backend::Compiled(target) => Some(target),
        }
    }

    /// Returns true if it runs kernels on a device.
    pub fn has_devices(self) -> bool {
        let target = self.target();
        target.is_some_and(|target| target.features().has_work_items())
    }
}

/// Returns the words as an enumeration, with the conjunction before the last one: `a, b or c`.
pub fn enumeration(words: impl IntoIterator<Item = String>, conjunction: &str) -> String {
    let words: Vec<String> = words.into_iter().collect();
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() => {
            format!("{} {conjunction} {last}", rest.join(", "))
        }
        _ => words.join(""),
    }
}

/// Returns the names of all targets as an enumeration with `or`, each in backquotes.
pub fn target_names() -> String {
    enumeration(
        Target::all().map(|target| format!("`{}`", target.as_str())),
        "or",
    )
}

/// A chosen backend, and the reason if it is the interpreter by default.
pub struct Choice {
    pub backend: Backend,
    /// The reason why the program is not compiled, if the interpreter was not requested.
    pub fallback: Option<String>,
}

/// Returns the message of a diagnostic of the item, with the number of its line.
fn with_line(db: &Database, item: ItemId, diagnostic: &Diagnostic) -> String {
    let text = db.text(db.file_of(item));
    let start = db.absolute(item, diagnostic.span).start;
    let line = text.byte_to_line(start as usize) + 1;
    format!("line {line}: {}", diagnostic.message)
}

/// Chooses the requested backend, else one with devices if the job has options for devices, else
/// that of the target that the program is written for, by `@target`, `@strategy` or its patterns. A
/// program without a target is compiled to C if possible, and interpreted otherwise.
///
/// # Errors
/// Fails if the job has options for devices, but the requested backend or the `@target` has none.
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
    let mut targets = codegen::marked_targets(&parsed.item);
    let on_device = |target: &Target| Backend::Compiled(*target).has_devices();
    let annotated_device = targets.clone().find(on_device);
    let annotated = targets.next();
    let usual_device = Target::with(Parallelism::WorkItems);
    let device = Backend::Compiled(annotated_device.unwrap_or(usual_device));
    let for_devices = |reason: String| {
        let title = device.title();
        let sizes =
            format!("a device, a local size and a global size can be given for {title} only");
        Err(Failure::Unavailable(format!("{sizes}, and {reason}")))
    };
    match (job.backend, annotated) {
        (Some(backend), _) if backend.has_devices() => return named(backend),
        (Some(backend), _) if job.is_for_devices() => {
            return for_devices(format!("`{}` runs in {}", program.name, backend.title()));
        }
        (Some(backend), _) => return named(backend),
        (None, Some(target)) if job.is_for_devices() && annotated_device.is_none() => {
            return for_devices(format!(
                "`{}` is written for `@target({})`: leave these options out, or name `--backend {}`",
                program.name,
                target.as_str(),
                device.as_str()
            ));
        }
        (None, _) if job.is_for_devices() => return named(device),
        (None, _) => {}
    }
    // The target of a definition with a strategy is that of the lowered program.
    let has_strategy = db.lowered(item).is_some();
    let lowered = has_strategy.then(|| db.code_linked(item).ok()).flatten();
    let body = lowered
        .as_ref()
        .map_or(&program.body, |lowered| &lowered.body);
    let target = annotated.unwrap_or_else(|| Target::with(required(body)));
    if annotated.is_some() || has_strategy || target != Target::default() {
        return named(Backend::Compiled(target));
    }
    let fallback = match (db.module(item, target), Compiler::find(limits)) {
        (Ok(_), Ok(_)) => return named(Backend::Compiled(target)),
        (Ok(_), Err(error)) => error.to_string(),
        (Err(found), _) => (errors(&found).into_iter().next())
            .map_or_else(String::new, |found| with_line(db, item, &found)),
    };
    Ok(Choice {
        backend: Backend::Interp,
        fallback: Some(fallback),
    })
}
