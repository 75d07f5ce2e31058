//! Defines sets of targets, and determines the targets of a definition.

use rise::Inference;
use syntax::ast::{Annotation, AnnotationValue, Item, TermKind};

use super::Target;

/// The targets that the text of a definition determines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TargetSelection {
    /// The targets in its `@target` annotations.
    pub marked: Targets,
    /// The target that the first primitive or address space in the definition requires, if there is
    /// one that not all targets have.
    pub used: Option<Target>,
}

impl TargetSelection {
    /// Determines the targets of an inferred definition.
    pub fn of(item: &Item, inference: &Inference) -> TargetSelection {
        TargetSelection {
            marked: marked_targets(item).collect(),
            used: dpia::functional::first_required(item, inference).map(Target::with),
        }
    }
}

/// Returns the targets in the `@target` annotations of an item, in source order and with
/// duplicates. Unknown names are skipped.
pub fn marked_targets(item: &Item) -> impl Iterator<Item = Target> + Clone {
    let annotations = item.annotations("target");
    annotations.filter_map(|annotation| target_of(item, annotation))
}

/// Returns the target in a `@target` annotation of an item; `None` if it has no known name.
pub fn target_of(item: &Item, annotation: &Annotation) -> Option<Target> {
    let mut args = annotation.args.iter();
    args.find_map(|arg| match arg.value {
        AnnotationValue::Term(term) => match &item.term(term).kind {
            TermKind::Name(name) => Target::from_name(name),
            _ => None,
        },
        AnnotationValue::String(..) | AnnotationValue::List(..) => None,
    })
}

/// A set of targets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Targets(u32);

impl Targets {
    /// Returns true if the set contains the target.
    pub fn contains(self, target: Target) -> bool {
        self.0 & (1 << target as u32) != 0
    }

    /// Returns true if the set is empty.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the targets in the set, in the order of [`Target::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Target> + Clone {
        Target::all().filter(move |&target| self.contains(target))
    }

    /// Returns the first target in the set that has kernels, which work-items run; `None` if there
    /// is none.
    pub fn with_work_items(self) -> Option<Target> {
        self.iter()
            .find(|target| target.features().has_work_items())
    }
}

impl FromIterator<Target> for Targets {
    fn from_iter<T: IntoIterator<Item = Target>>(targets: T) -> Self {
        let bits = targets.into_iter().map(|target| 1 << target as u32);
        Targets(bits.fold(0, |all, bit| all | bit))
    }
}
