//! What a definition becomes on its way to running code, and which part comes from where.

use std::ops::Range;

use db::{Database, Declares, FileId, ItemId};
use dpia::Target;
use rise::core::{Origin, Printed, Source, print_program};
use syntax::{Diagnostic, Span};

/// A form that a definition takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// RISE, everything that it uses in its place and its functions applied.
    Rise,
    /// Functional DPIA: every expression says whether it is read or written.
    Functional,
    /// Imperative DPIA.
    Imperative,
    /// C99.
    C,
    /// C99 with OpenMP.
    OpenMp,
}

impl Form {
    /// Every form, in the order in which a definition takes them.
    pub const ALL: [Form; 5] = [
        Form::Rise,
        Form::Functional,
        Form::Imperative,
        Form::C,
        Form::OpenMp,
    ];

    /// As it is called in requests and on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Form::Rise => "rise",
            Form::Functional => "dpia",
            Form::Imperative => "dpia-imperative",
            Form::C => "c",
            Form::OpenMp => "openmp",
        }
    }

    /// The form that is called so.
    pub fn from_name(name: &str) -> Option<Form> {
        Form::ALL.into_iter().find(|form| form.as_str() == name)
    }

    /// The editor's name for the language of its text.
    pub const fn language(self) -> &'static str {
        match self {
            Form::Rise => "rise",
            Form::Functional | Form::Imperative => "dpia",
            Form::C | Form::OpenMp => "c",
        }
    }

    /// As it is called in a title.
    pub const fn title(self) -> &'static str {
        match self {
            Form::Rise => "RISE",
            Form::Functional => "functional DPIA",
            Form::Imperative => "imperative DPIA",
            Form::C => "C",
            Form::OpenMp => "OpenMP",
        }
    }
}

/// A definition in one of its forms.
#[derive(Clone, Debug, PartialEq)]
pub struct Preview {
    /// What it shows: `dot as C`.
    pub title: String,
    /// The editor's name for the language of the text.
    pub language: &'static str,
    /// The text.
    pub text: String,
    /// Which part comes from where, in the order of the text; parts nest.
    pub map: Vec<PreviewPart>,
}

/// Where a part of a preview comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct PreviewPart {
    /// The part, in bytes.
    pub target: Range<usize>,
    /// The item that its source stands in: one of the definition's own file.
    pub item: ItemId,
    /// The expression in that item, in bytes from its start.
    pub source: Span,
    /// What in it made this part, if that is known: a primitive, or a pass.
    pub made_by: Option<String>,
}

/// The definition in a form, or everything that keeps it from having one.
///
/// The target decides how accesses are checked in the forms of DPIA; see [`form_target`].
pub fn preview(
    db: &Database,
    file: FileId,
    item: ItemId,
    form: Form,
) -> Result<Preview, Vec<Diagnostic>> {
    let places = |origins: &[Source], origin: Origin| place(db, file, item, origins, origin);
    let target = form_target(db, item, form);
    let errors = |found: std::sync::Arc<[Diagnostic]>| found.to_vec();
    let (text, map) = match form {
        Form::Rise => {
            let program = db.normalised(item).map_err(errors)?;
            printed(print_program(&program), |o| places(&program.origins, o))
        }
        Form::Functional => {
            let program = db.functional(item, target).map_err(errors)?;
            printed(print_program(&program), |o| places(&program.origins, o))
        }
        Form::Imperative => {
            let program = db.imperative(item, target).map_err(errors)?;
            printed(print_program(&program), |o| places(&program.origins, o))
        }
        Form::C | Form::OpenMp => {
            let program = db.imperative(item, target).map_err(errors)?;
            let module = db.module(item, target).map_err(errors)?;
            let part = |part: &codegen::Mapping| {
                let (item, source) = places(&program.origins, part.origin)?;
                Some(PreviewPart {
                    target: part.range.clone(),
                    item,
                    source,
                    made_by: part.made_by.map(|maker| maker.to_string()),
                })
            };
            let map = module.map.iter().filter_map(part).collect();
            (module.text.clone(), map)
        }
    };
    let name = match &db.header(item).declares {
        Declares::Def(name) => name.clone(),
        _ => Default::default(),
    };
    Ok(Preview {
        title: format!("{name} as {}", form.title()),
        language: form.language(),
        text,
        map,
    })
}

/// What the definition is compiled for in a form: the form's own target; for the others the first
/// one that the definition is checked for, and C if it is checked for none.
pub fn form_target(db: &Database, item: ItemId, form: Form) -> Target {
    match form {
        Form::C => Target::C,
        Form::OpenMp => Target::OpenMp,
        Form::Rise | Form::Functional | Form::Imperative => {
            db.targets(item).iter().next().unwrap_or(Target::C)
        }
    }
}

fn printed(
    printed: Printed,
    place: impl Fn(Origin) -> Option<(ItemId, Span)>,
) -> (String, Vec<PreviewPart>) {
    let part = |(span, origin): &(Span, Origin)| {
        let (item, source) = place(*origin)?;
        Some(PreviewPart {
            target: Range::from(*span),
            item,
            source,
            made_by: None,
        })
    };
    let mut map: Vec<PreviewPart> = printed.map.iter().filter_map(part).collect();
    map.sort_by_key(|part| (part.target.start, std::cmp::Reverse(part.target.end)));
    (printed.text, map)
}

/// The innermost place in the definition's own file that a part of its program comes from: what a
/// definition of another file does comes from its use.
fn place(
    db: &Database,
    file: FileId,
    root: ItemId,
    origins: &[Source],
    origin: Origin,
) -> Option<(ItemId, Span)> {
    let mut source = origins.get(origin.0 as usize)?;
    // Uses of uses of …: no more than there are origins.
    for _ in 0..origins.len() {
        let item = match source.def {
            None => return Some((root, source.span)),
            Some(def) => db.item_of(def),
        };
        if db.file_of(item) == file {
            return Some((item, source.span));
        }
        source = origins.get(source.used_at?.0 as usize)?;
    }
    None
}
