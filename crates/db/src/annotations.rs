//! Checks of annotations that depend on the targets of their definition.

use codegen::{Target, Targets};
use syntax::ast::{Annotation, Item};
use syntax::{Diagnostic, Fix, Severity, Span};

/// Returns an error for each `@target` whose target a previous one names.
pub(crate) fn repeated_targets(item: &Item, text: &str) -> Vec<Diagnostic> {
    let mut seen: Vec<(Target, &Annotation)> = Vec::new();
    let mut found = Vec::new();
    for annotation in item.annotations("target") {
        let Some(target) = codegen::target_of(item, annotation) else {
            continue;
        };
        let Some((_, first)) = seen.iter().find(|(other, _)| *other == target) else {
            seen.push((target, annotation));
            continue;
        };
        let message = format!("the target `{}` is given twice", target.as_str());
        let error = Diagnostic::error(syntax::codes::BAD_ANNOTATION, annotation.span, message)
            .help("leave one of them out")
            .related(first.span, "the first one")
            .with_fix(Some(removal("Remove the repetition", annotation, text)));
        found.push(error);
    }
    found
}

/// Returns a warning at the `@opencl` of a definition for these targets, if none of them has
/// work-items.
pub(crate) fn unused_launch(item: &Item, text: &str, targets: Targets) -> Option<Diagnostic> {
    let annotation = item.annotations(rise::LAUNCH_ANNOTATION).next()?;
    if targets
        .iter()
        .any(|target| target.features().has_work_items())
    {
        return None;
    }
    let message = "`@opencl` has no effect, because the definition is not compiled for OpenCL";
    let code = dpia::codes::LAUNCH_SIZE;
    let found = Diagnostic::new(Severity::Warning, code, annotation.span, message)
        .help("write `@target(opencl)` before the definition, or leave `@opencl` out");
    let fix = match targets.is_empty() {
        true => Fix::preferred(
            "Write `@target(opencl)`",
            vec![(
                Span::empty(annotation.span.start),
                "@target(opencl)\n".to_owned(),
            )],
        ),
        false => removal("Leave `@opencl` out", annotation, text),
    };
    Some(found.with_fix(Some(fix)))
}

/// Returns the fix that removes an annotation and the space behind it.
fn removal(title: &str, annotation: &Annotation, text: &str) -> Fix {
    let Span { start, end } = annotation.span;
    let behind = text.get(end as usize..).unwrap_or_default();
    let blank = behind.len() - behind.trim_start().len();
    let end = u32::try_from(end as usize + blank).unwrap_or(end);
    Fix::replace(title, Span::new(start, end), "")
}
