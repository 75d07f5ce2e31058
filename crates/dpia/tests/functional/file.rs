//! Checks the definitions of a text for a target and applies their fixes.

use std::ops::Range;
use std::sync::{Arc, LazyLock};

use codegen::Target;
use dpia::Device;
use dpia::functional::{self, Checked, DefinitionSource};
use rise::core::{normalise, program_of};
use rise::{Env, Inference, Resolution, Scheme};
use rustc_hash::FxHashMap;
use syntax::ast::Name;
use syntax::{Diagnostic, GlobalId, Severity};

/// The types of the definitions of a text and the standard library.
#[derive(Clone, Default)]
struct Types(FxHashMap<Name, Arc<Scheme>>);

impl Env for Types {
    fn resolve(&self, name: &str) -> Resolution {
        match self.0.get(name) {
            Some(scheme) => Resolution::Def(GlobalId(0), scheme.clone()),
            None => Resolution::Unknown,
        }
    }

    fn names(&self) -> Vec<Name> {
        self.0.keys().cloned().collect()
    }
}

impl Types {
    fn library() -> &'static Types {
        static LIBRARY: LazyLock<Types> = LazyLock::new(|| {
            let mut types = Types::default();
            for (_, text) in rise::STD {
                types.read(text);
            }
            types
        });
        &LIBRARY
    }

    /// Infers the definitions of a text, which may use earlier ones.
    fn read(&mut self, text: &str) -> Vec<(String, Inference)> {
        let mut inferences = Vec::new();
        // Two rounds, because the library uses some definitions before they are written.
        for _ in 0..2 {
            inferences.clear();
            for span in syntax::split(text) {
                let text = &text[Range::from(span)];
                let item = syntax::parse(text).item;
                let inference = rise::infer(&item, self);
                if let Some(name) = item.name() {
                    self.0.insert(name.name.clone(), inference.scheme.clone());
                }
                inferences.push((text.to_owned(), inference));
            }
        }
        inferences
    }
}

/// A checked definition.
pub struct Def {
    pub checked: Checked,
    pub diagnostics: Vec<Diagnostic>,
    /// The text of the definition, and its offset in the whole text.
    pub text: String,
    start: usize,
    whole: String,
}

/// Checks a definition without type errors for a target.
pub fn check(text: &str, name: &str, target: Target) -> Def {
    check_on(text, name, target, &Device::default())
}

/// Checks a definition without type errors for a target and a device.
pub fn check_on(text: &str, name: &str, target: Target, device: &Device) -> Def {
    let mut program = match program_of(text, name) {
        Ok(program) => program,
        Err(error) => panic!("{error}\n{text}"),
    };
    normalise(&mut program).expect("a program of this size");
    let checked = functional::check_on(&program, target.features(), device);
    let mut types = Types::library().clone();
    let (own, inference) = types
        .read(text)
        .into_iter()
        .find(|(text, _)| {
            let item = syntax::parse(text).item;
            item.name().is_some_and(|ident| ident.name == name)
        })
        .expect("the definition is there");
    let item = syntax::parse(&own).item;
    let written = DefinitionSource {
        item: &item,
        text: &own,
        inference: &inference,
    };
    let diagnostics =
        functional::diagnostics(&checked.problems, &program, target.features(), written);
    if let Some(phrase) = &checked.phrase
        && let Err(error) = dpia::check(phrase)
    {
        panic!("{error}\n{text}");
    }
    Def {
        checked,
        diagnostics,
        start: text.find(&own).unwrap_or_default(),
        text: own,
        whole: text.to_owned(),
    }
}

impl Def {
    /// Formats the diagnostics with their places.
    pub fn shown(&self) -> String {
        let mut shown = String::new();
        for found in &self.diagnostics {
            let severity = match found.severity {
                Severity::Error => "error",
                Severity::Hint => "hint",
                Severity::Warning => "warning",
                _ => "?",
            };
            let place = &self.text[Range::from(found.span)];
            let code = found.code.as_str();
            shown.push_str(&format!(
                "{severity}[{code}] at {place}\n  {}\n",
                found.message.replace('\n', "\n  ")
            ));
            for related in &found.related {
                let place = match related.place.item {
                    None => &self.text[Range::from(related.place.span)],
                    Some(_) => "(elsewhere)",
                };
                shown.push_str(&format!("  {}: {place}\n", related.message));
            }
            if let Some(help) = &found.help {
                shown.push_str(&format!("  help: {help}\n"));
            }
            for fix in &found.fixes {
                let off = fix
                    .disabled
                    .as_ref()
                    .map(|reason| format!(" (not: {reason})"));
                shown.push_str(&format!(
                    "  fix: {}{}\n",
                    fix.title,
                    off.unwrap_or_default()
                ));
            }
        }
        shown
    }

    /// Returns the whole text after a fix.
    fn fixed(&self, edits: &[(syntax::Span, String)]) -> String {
        let mut edits = edits.to_vec();
        edits.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
        let mut text = self.whole.clone();
        for (span, new) in edits {
            let range = self.start + span.start as usize..self.start + span.end as usize;
            text.replace_range(range, &new);
        }
        text
    }
}

/// Applies the first fix of each diagnostic in turn, until there is no error.
pub fn mended(text: &str, name: &str, target: Target) -> String {
    let mut text = text.to_owned();
    for _ in 0..8 {
        let def = check(&text, name, target);
        let mut errors = def.diagnostics.iter();
        let Some(found) = errors.find(|found| found.severity == Severity::Error) else {
            return def.text;
        };
        let fix = found.fixes.iter().find(|fix| fix.disabled.is_none());
        let Some(fix) = fix else {
            panic!("no fix for {}\n{}", found.message, def.text);
        };
        text = def.fixed(&fix.edits);
    }
    panic!("not mended:\n{text}");
}

/// Checks that every enabled fix reduces the number of errors.
pub fn each_fix_helps(text: &str, name: &str, target: Target) {
    let errors = |def: &Def| {
        let all = def.diagnostics.iter();
        all.filter(|found| found.severity == Severity::Error)
            .count()
    };
    let def = check(text, name, target);
    for found in &def.diagnostics {
        for fix in found.fixes.iter().filter(|fix| fix.disabled.is_none()) {
            let fixed = def.fixed(&fix.edits);
            let after = check(&fixed, name, target);
            assert!(
                errors(&after) < errors(&def).max(1),
                "{}: {fixed}\n{}",
                fix.title,
                after.shown()
            );
        }
    }
}

/// Returns the programs of a text with the targets for which the editor checks them.
pub fn selected(text: &str) -> Vec<(String, Target)> {
    let mut types = Types::library().clone();
    let mut found = Vec::new();
    for (own, inference) in types.read(text) {
        let item = syntax::parse(&own).item;
        let selection = codegen::TargetSelection::of(&item, &inference);
        let wrong = |d: &Diagnostic| d.severity == Severity::Error;
        let Some(name) = item.name() else {
            continue;
        };
        if inference.diagnostics.iter().any(wrong) {
            continue;
        }
        let marked = selection.marked.iter();
        let used = selection
            .used
            .filter(|_| functional::is_program(&inference.scheme));
        for target in marked.chain(used) {
            found.push((name.name.to_string(), target));
        }
    }
    found
}
