//! Previews: the intermediate forms and the generated code of a definition, with a mapping to the
//! source.

use std::borrow::Cow;
use std::ops::Range;

use codegen::Target;
use codegen::{BarrierText, ForeignText, Mapping, Module, Reason, Stage};
use db::{Database, Declaration, FileId, ItemId};

use dpia::codes;
use rise::Primitive;
use rise::core::{Origin, Printed, Source, print_program};
use syntax::{Diagnostic, Span};

use crate::barriers::Barriers;

/// An intermediate form or target language of a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// RISE in normal form, with all definitions inlined and all β-redexes reduced.
    Rise,
    /// The default schedule for a target, a strategy in ELEVATE. `None` is the first target that
    /// the definition is checked for.
    Schedule(Option<Target>),
    /// Functional DPIA, which annotates every expression with its access.
    Functional,
    /// Imperative DPIA.
    Imperative,
    /// The code for a target.
    Code(Target),
    /// The program for the host that launches the kernels of a target.
    Host(Target),
    /// The loop language at a point in the compilation for a target.
    After(Stage),
}

/// The name of the form of default schedules.
const SCHEDULE: &str = "schedule";

impl Form {
    /// Returns all forms, in the order of compilation, except for those between two passes.
    pub fn all() -> impl Iterator<Item = Form> {
        let hosts = Target::all().filter(|target| target.description().host.is_some());
        let schedule = Form::Schedule(None);
        [Form::Rise, schedule, Form::Functional, Form::Imperative]
            .into_iter()
            .chain(Target::all().map(Form::Code))
            .chain(hosts.map(Form::Host))
    }

    /// Returns the name in requests and on the command line: `c`, or `c:loops` for the loop
    /// language after the pass `loops`, or `c:schedule` for the default schedule.
    pub fn name(self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Form::After(stage) => {
                let target = stage.target().as_str();
                return format!("{target}:{}", stage.name()).into();
            }
            Form::Schedule(Some(target)) => {
                return format!("{}:{SCHEDULE}", target.as_str()).into();
            }
            Form::Rise => "rise",
            Form::Schedule(None) => SCHEDULE,
            Form::Functional => "dpia",
            Form::Imperative => "dpia-imperative",
            Form::Code(target) => target.as_str(),
            Form::Host(target) => {
                let host = target.description().host;
                host.map_or(target.as_str(), |host| host.name)
            }
        })
    }

    /// Returns the form whose [`Form::name`] this is.
    pub fn from_name(name: &str) -> Option<Form> {
        if let Some((target, pass)) = name.split_once(':') {
            let target = Target::from_name(target)?;
            return match pass == SCHEDULE {
                true => Some(Form::Schedule(Some(target))),
                false => Stage::find(target, pass).map(Form::After),
            };
        }
        Form::all().find(|form| form.name() == name)
    }

    /// Returns the editor's identifier of the language of the text.
    pub fn language(self) -> &'static str {
        match self {
            Form::Rise => "rise",
            Form::Schedule(_) => "elevate",
            Form::Functional | Form::Imperative => "dpia",
            Form::Code(target) => target.description().language,
            // Host programs are written in C, and the loop language has its syntax.
            Form::Host(_) | Form::After(_) => Target::default().description().language,
        }
    }

    /// Returns the name in a title.
    pub fn title(self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Form::After(stage) => {
                return format!("{} after {}", stage.target().title(), stage.name()).into();
            }
            Form::Schedule(Some(target)) => {
                return format!("the default schedule for {}", target.title()).into();
            }
            Form::Rise => "RISE",
            Form::Schedule(None) => "the default schedule",
            Form::Functional => "functional DPIA",
            Form::Imperative => "imperative DPIA",
            Form::Code(target) => target.title(),
            Form::Host(target) => {
                let host = target.description().host;
                host.map_or(target.title(), |host| host.title)
            }
        })
    }

    /// Returns a short description for lists.
    pub fn summary(self) -> Cow<'static, str> {
        match self {
            Form::Rise => "RISE, with everything that the definition uses in its place".into(),
            Form::Schedule(_) => "The default schedule, a strategy in ELEVATE".into(),
            Form::Functional => "Functional DPIA".into(),
            Form::Imperative => "Imperative DPIA".into(),
            Form::Code(target) => target.description().summary.into(),
            Form::Host(_) | Form::After(_) => self.title(),
        }
    }
}

/// A definition in one of its forms.
#[derive(Clone, Debug, PartialEq)]
pub struct Preview {
    /// The title: `dot as C`.
    pub title: String,
    /// The editor's identifier of the language of the text.
    pub language: &'static str,
    /// The text.
    pub text: String,
    /// The parts of the text with their sources, in the order of the text; parts may be nested.
    pub map: Vec<PreviewPart>,
}

/// A part of a preview with its source.
#[derive(Clone, Debug, PartialEq)]
pub struct PreviewPart {
    /// The range of the part in the text, in bytes.
    pub target: Range<usize>,
    /// The item that contains the source: one of the definition's own file.
    pub item: ItemId,
    /// The range of the source, usually an expression, in bytes from the start of that item.
    pub source: Span,
    /// The explanation of the part.
    pub made: Made,
}

/// The explanation of a part of a preview.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Made {
    /// The primitive or operator that the part is generated from.
    pub primitive: Option<String>,
    /// The definition that contains this primitive, if it is not the previewed one.
    pub definition: Option<String>,
    /// The changes that the passes of the compiler made, in order, and the reason for a part that
    /// no expression corresponds to.
    pub passes: Vec<String>,
}

impl Made {
    /// Renders the explanation in a line: `` `reduceSeq` of `dot`; loops: … ``. Returns `None` if
    /// there is none.
    pub fn text(&self) -> Option<String> {
        let primitive = self.primitive.as_ref().map(|name| match &self.definition {
            Some(definition) => format!("`{name}` of `{definition}`"),
            None => format!("`{name}`"),
        });
        let parts: Vec<String> = primitive.into_iter().chain(self.passes.clone()).collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}

/// Renders the definition `item` of `file` in a form.
///
/// The forms of DPIA depend on a target, which determines the accesses; see [`form_target`].
///
/// # Errors
/// Fails with diagnostics if the definition cannot be translated to this form.
pub fn preview(
    db: &Database,
    file: FileId,
    item: ItemId,
    form: Form,
) -> Result<Preview, Vec<Diagnostic>> {
    let at = Places { db, file, item };
    let target = form_target(db, item, form);
    let errors = |found: std::sync::Arc<[Diagnostic]>| found.to_vec();
    let (text, map) = match form {
        Form::Rise => {
            let program = db.normalised(item).map_err(errors)?;
            at.printed(print_program(&program), &program.origins)
        }
        Form::Schedule(_) => (db.schedule_text(item, target).map_err(errors)?, Vec::new()),
        Form::Functional => {
            let program = db.functional(item, target).map_err(errors)?;
            at.printed(print_program(&program), &program.origins)
        }
        Form::Imperative => {
            let program = db.imperative(item, target).map_err(errors)?;
            at.printed(print_program(&program), &program.origins)
        }
        Form::Code(target) => {
            let program = db.imperative(item, target).map_err(errors)?;
            let module = db.module(item, target).map_err(errors)?;
            (module.text.clone(), at.code(&module, &program.origins))
        }
        Form::After(stage) => {
            let program = db.imperative(item, target).map_err(errors)?;
            let listing = db.listing(item, stage).map_err(errors)?;
            let part = |part| at.part(part, &program.origins);
            let map = in_order(listing.map.iter().filter_map(part).collect());
            (listing.text.clone(), map)
        }
        Form::Host(target) => {
            let module = db.module(item, target).map_err(errors)?;
            let text = match target.description().host {
                Some(host) => {
                    (host.print)(&module).map_err(|error| vec![at.no_host(&error.to_string())])?
                }
                None => None,
            };
            let text = text.ok_or_else(|| vec![at.no_host("the definition has no kernels")])?;
            let map = at.host(&text);
            (text, map)
        }
    };
    let name = name_of(db, item);
    Ok(Preview {
        title: format!("{name} as {}", form.title()),
        language: form.language(),
        text,
        map,
    })
}

/// Returns the target for a form: its own target, or, for a form without one, the first target that
/// the definition is checked for, and the default target if it is checked for none.
pub fn form_target(db: &Database, item: ItemId, form: Form) -> Target {
    match form {
        Form::Code(target) | Form::Host(target) | Form::Schedule(Some(target)) => target,
        Form::After(stage) => stage.target(),
        Form::Rise | Form::Schedule(None) | Form::Functional | Form::Imperative => {
            db.targets(item).iter().next().unwrap_or_default()
        }
    }
}

/// The definition of a preview and its file, for finding the sources of its parts.
struct Places<'a> {
    db: &'a Database,
    file: FileId,
    item: ItemId,
}

impl Places<'_> {
    fn printed(&self, printed: Printed, origins: &[Source]) -> (String, Vec<PreviewPart>) {
        let part = |(span, origin): &(Span, Origin)| {
            let (item, source) = self.place(origins, *origin)?;
            Some(PreviewPart {
                target: Range::from(*span),
                item,
                source,
                made: self.made(origins, *origin),
            })
        };
        let map = printed.map.iter().filter_map(part).collect();
        (printed.text, in_order(map))
    }

    fn code(&self, module: &Module, origins: &[Source]) -> Vec<PreviewPart> {
        let part = |part| self.part(part, origins);
        let parts = module.map.iter().filter_map(part);
        let views = module.map.iter().flat_map(|part| self.views(part, origins));
        let plain = module
            .plain
            .iter()
            .filter_map(|part| self.plain(module, part));
        let foreign = module.foreign.iter().filter_map(|part| self.foreign(part));
        let known = Barriers::new(self.db, self.item, origins);
        let barriers = module
            .barriers
            .iter()
            .filter_map(|barrier| self.barrier(&known, barrier));
        // For parts of equal ranges, the last one takes precedence.
        let parts = plain.chain(foreign).chain(views).chain(parts);
        in_order(parts.chain(barriers).collect())
    }

    fn part(&self, part: &Mapping, origins: &[Source]) -> Option<PreviewPart> {
        let (item, source) = self.place(origins, part.origin)?;
        let mut made = self.made(origins, part.origin);
        made.passes.extend(part.passes.iter().cloned());
        Some(PreviewPart {
            target: part.range.clone(),
            item,
            source,
            made,
        })
    }

    /// Returns one part for each view on the access paths of `part`, with the range of `part` in
    /// the code and the view as the source.
    fn views<'m>(
        &'m self,
        part: &'m Mapping,
        origins: &'m [Source],
    ) -> impl Iterator<Item = PreviewPart> + 'm {
        part.views.iter().filter_map(|view| {
            let source = self.own(origins, *view)?;
            Some(PreviewPart {
                target: part.range.clone(),
                item: self.item_of(source),
                source: source.head,
                made: Made::default(),
            })
        })
    }

    /// Returns the part of code that comes from no expression: its source is the obligation that it
    /// checks, or otherwise the name of the definition.
    fn plain(&self, module: &Module, part: &codegen::Plain) -> Option<PreviewPart> {
        let parsed = self.db.parsed(self.item);
        let name = parsed.item.name()?.span;
        let note = |text: &str| Made {
            passes: vec![text.to_owned()],
            ..Made::default()
        };
        let (source, made) = match part.reason {
            Reason::Needed => (
                name,
                note("headers, types and functions that the code needs"),
            ),
            Reason::Signature => (name, note("result, sizes and parameters")),
            Reason::Count => (
                name,
                note("arrays have no more elements than can be counted"),
            ),
            Reason::Unused => (name, note("a parameter that nothing reads")),
            Reason::Condition(at) => {
                let condition = module.signature.requires.get(at)?;
                let inference = self.db.inference(self.item);
                let mut all = inference.obligations.iter();
                let found = all.find(|obligation| obligation.prop == *condition);
                let made = note("a condition on the sizes, checked before the work starts");
                (found.map_or(name, |obligation| obligation.span), made)
            }
        };
        Some(PreviewPart {
            target: part.range.clone(),
            item: self.item,
            source,
            made,
        })
    }

    /// Returns the part of a barrier: its source is the first access that waits at it.
    fn barrier(&self, known: &Barriers<'_>, barrier: &BarrierText) -> Option<PreviewPart> {
        let waits = known.waits(barrier);
        let first = waits.first()?;
        let said = waits
            .iter()
            .map(|wait| format!("barrier: {}", wait.sentence));
        Some(PreviewPart {
            target: barrier.range.clone(),
            item: first.item,
            source: first.span,
            made: Made {
                passes: said.collect(),
                ..Made::default()
            },
        })
    }

    /// Returns the only part of a host program: its source is the name of the definition.
    fn host(&self, text: &str) -> Vec<PreviewPart> {
        let note = "sets the device up, launches the kernels, and times them";
        vec![PreviewPart {
            target: 0..text.len(),
            item: self.item,
            source: self.name_span(),
            made: Made {
                passes: vec![note.to_owned()],
                ..Made::default()
            },
        }]
    }

    fn no_host(&self, why: &str) -> Diagnostic {
        Diagnostic::error(codes::NOT_A_PROGRAM, self.name_span(), why)
    }

    fn name_span(&self) -> Span {
        let parsed = self.db.parsed(self.item);
        parsed
            .item
            .name()
            .map_or_else(Span::default, |name| name.span)
    }

    /// Returns the part of the body of a foreign function, if the function is defined in the
    /// previewed definition's file.
    fn foreign(&self, part: &ForeignText) -> Option<PreviewPart> {
        let item = self.db.item_of(part.function.id?);
        (self.db.file_of(item) == self.file).then_some(PreviewPart {
            target: part.range.clone(),
            item,
            source: part.function.body_span?,
            made: Made::default(),
        })
    }

    /// Returns the innermost place in the definition's own file that a part of its program comes
    /// from. For code of a definition of another file this is the place where it is used.
    fn place(&self, origins: &[Source], origin: Origin) -> Option<(ItemId, Span)> {
        let source = self.own(origins, origin)?;
        Some((self.item_of(source), source.span))
    }

    /// Returns the innermost source in the definition's own file that a part of its program comes
    /// from; `None` if there is none.
    fn own<'s>(&self, origins: &'s [Source], origin: Origin) -> Option<&'s Source> {
        let mut source = origins.get(origin.0 as usize)?;
        // A chain of uses cannot be longer than the number of origins.
        for _ in 0..origins.len() {
            if source.def.is_none() || self.db.file_of(self.item_of(source)) == self.file {
                return Some(source);
            }
            source = origins.get(source.used_at?.0 as usize)?;
        }
        None
    }

    /// Returns the primitive or operator at the head of an expression of any file, with the
    /// definition that contains it; empty if the head is neither.
    fn made(&self, origins: &[Source], origin: Origin) -> Made {
        let Some(source) = origins.get(origin.0 as usize) else {
            return Made::default();
        };
        let item = self.item_of(source);
        let text = self.db.item_text(item);
        let head = text.get(source.head.start as usize..source.head.end as usize);
        let is_operator = |word: &str| !word.contains(|c: char| c.is_alphanumeric() || c == '_');
        let is_known = |word: &&str| Primitive::from_name(word).is_some() || is_operator(word);
        let Some(word) = head.filter(is_known) else {
            return Made::default();
        };
        let definition = (item != self.item).then(|| name_of(self.db, item));
        Made {
            primitive: Some(word.to_owned()),
            definition,
            passes: Vec::new(),
        }
    }

    fn item_of(&self, source: &Source) -> ItemId {
        source.def.map_or(self.item, |def| self.db.item_of(def))
    }
}

fn name_of(db: &Database, item: ItemId) -> String {
    match &db.header(item).declares {
        Declaration::Def(name) => name.to_string(),
        _ => String::new(),
    }
}

/// Sorts the parts in the order of the text, enclosing parts first.
fn in_order(mut map: Vec<PreviewPart>) -> Vec<PreviewPart> {
    map.sort_by_key(|part| (part.target.start, std::cmp::Reverse(part.target.end)));
    map
}
