//! Descriptions of the memory that the values of a compiled definition use, and of their accesses.

pub(crate) mod work_items;

use std::cell::OnceCell;
use std::sync::Arc;

use codegen::Target;
use codegen::memory::{self, Keeping};
use db::{Database, Device, ItemId};
use dpia::functional::{Destination, FlowFact, Materialization, Sources};
use nat::{Facts, Nat, Var};
use rise::core::Launch;
use rise::{Names, Ty};
use runtime::process::bytes_text;
use syntax::Span;
use syntax::ast::AddressSpace;

/// The number of bytes from which a size is written with a unit such as kB.
const FEW: u64 = 10_000;

/// The amount of detail of the labels for the accesses of pipeline stages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AccessFlow {
    /// No labels.
    Off,
    /// The access of each stage; for a stored one also its memory, and its size if that is known.
    #[default]
    Compact,
    /// The same with all sizes, the sources of reads and the destinations of writes.
    Full,
}

impl AccessFlow {
    /// All values, in order.
    pub const ALL: [AccessFlow; 3] = [AccessFlow::Off, AccessFlow::Compact, AccessFlow::Full];

    /// Returns the name in settings.
    pub const fn as_str(self) -> &'static str {
        match self {
            AccessFlow::Off => "off",
            AccessFlow::Compact => "compact",
            AccessFlow::Full => "full",
        }
    }

    /// Returns the value with a name in settings.
    pub fn from_name(name: &str) -> Option<AccessFlow> {
        AccessFlow::ALL.into_iter().find(|all| all.as_str() == name)
    }
}

/// The results of translating a definition to functional DPIA for a target.
pub(crate) struct Flow {
    pub(crate) target: Target,
    facts: Arc<dpia::functional::DataFlow>,
    /// The size variables to which `@run` gives values, with these.
    run: Vec<(Var, u64)>,
    /// The OpenCL device, if the target has work-items.
    device: Option<Arc<Device>>,
    conditions: OnceCell<Facts>,
}

/// A number of bytes.
pub(crate) struct Amount {
    /// The number as text: `16 B`, or `` `4*n` B ``.
    exact: String,
    /// The number, if it is constant or `@run` gives all sizes in it.
    pub(crate) number: Option<u64>,
    /// The number for the sizes of `@run`, if it depends on them, and those sizes.
    with: Option<(u64, String)>,
}

impl Flow {
    /// Returns the results for the first target that the definition is checked for; `None` if there
    /// is no target, or if it cannot be translated for that.
    pub(crate) fn of(db: &Database, item: ItemId) -> Option<Flow> {
        let target = db.targets(item).iter().next()?;
        let facts = db.flow(item, target)?;
        let given = db::default_sizes(&db.parsed(item).item);
        let size = |var: &Var| {
            let name = facts.names.get(*var);
            let (_, value) = given.iter().find(|(given, _)| *given == *name)?;
            Some((*var, *value))
        };
        let run = facts.sizes.iter().filter_map(size).collect();
        let device = target.features().has_work_items().then(|| db.device());
        Some(Flow {
            target,
            facts,
            run,
            device,
            conditions: OnceCell::new(),
        })
    }

    /// Returns the fact about the expression whose span is `whole`, or, if there is none, about the
    /// one whose span is `name`: the body of a used definition has the span of the name.
    pub(crate) fn at(&self, whole: Span, name: Span) -> Option<&FlowFact> {
        self.facts.at(whole).or_else(|| self.facts.at(name))
    }

    /// Returns the fact about the largest expression with this head.
    pub(crate) fn pointed_at(&self, head: Span) -> Option<&FlowFact> {
        let all = self.facts.facts.iter().filter(|fact| fact.head == head);
        all.max_by_key(|fact| fact.span.len())
    }

    pub(crate) fn names(&self) -> &Names {
        &self.facts.names
    }

    /// Returns the launch sizes that apply to an expression.
    pub(crate) fn launch(&self, fact: &FlowFact) -> &Launch {
        static UNKNOWN: Launch = Launch {
            local: [None, None, None],
            global: [None, None, None],
        };
        self.facts.launches.get(fact.launch).unwrap_or(&UNKNOWN)
    }

    /// Returns the conditions that hold for the definition's sizes.
    pub(crate) fn conditions(&self) -> &Facts {
        self.conditions.get_or_init(|| {
            let mut known = Facts::new();
            for condition in &self.facts.conditions {
                known.assume(condition);
            }
            known
        })
    }

    /// Returns the facts about the proper subexpressions of another one.
    pub(crate) fn inside<'f>(&'f self, fact: &'f FlowFact) -> impl Iterator<Item = &'f FlowFact> {
        let all = self.facts.facts.iter();
        all.filter(|inner| fact.span.contains(inner.span) && fact.span != inner.span)
    }

    /// Renders a size in a sentence: `64`, `` `n/64` ``.
    pub(crate) fn size(&self, size: &Nat) -> String {
        match size.as_const() {
            Some(_) => self.bare(size),
            None => format!("`{}`", self.bare(size)),
        }
    }

    /// Renders a size as a program writes it.
    pub(crate) fn bare(&self, size: &Nat) -> String {
        rise::print::nat_text(size, self.names())
    }

    /// Evaluates a size with the values of `@run`; returns `None` if these are not sufficient.
    pub(crate) fn value(&self, size: &Nat) -> Option<u64> {
        let value = |var: Var| {
            let (_, value) = self.run.iter().find(|(known, _)| *known == var)?;
            i64::try_from(*value).ok().map(Nat::constant)
        };
        let known = size.subst(&value).as_const();
        known.and_then(|n| u64::try_from(n).ok())
    }

    /// Renders the sizes of `@run` that these depend on: `n = 4, m = 8`; returns `None` if there
    /// are none.
    pub(crate) fn sizes_in(&self, sizes: &[&Nat]) -> Option<String> {
        let used = |var: Var| sizes.iter().any(|size| size.mentions(var));
        let used = self.run.iter().filter(|(var, _)| used(*var));
        let used: Vec<String> = used
            .map(|(var, value)| format!("{} = {value}", self.names().get(*var)))
            .collect();
        (!used.is_empty()).then(|| used.join(", "))
    }

    /// Renders the label at the end of a line; returns `None` if labels are off.
    pub(crate) fn label(&self, fact: &FlowFact, length: AccessFlow) -> Option<String> {
        if length == AccessFlow::Off {
            return None;
        }
        let full = length == AccessFlow::Full;
        let word = fact.materialization.word();
        Some(match fact.materialization {
            Materialization::Read if full => match read_from(&fact.from, "") {
                Some(from) => format!("{word} from {from}"),
                None => format!("{word}: computed"),
            },
            Materialization::Written if full => {
                let into = match fact.into {
                    Destination::Result => "the result",
                    Destination::Memory => "memory",
                };
                let bytes = memory::bytes(&fact.data).map(|bytes| self.amount(&bytes));
                let bytes = bytes.map(|amount| format!(", {}", amount.label(full)));
                format!("{word} to {into}{}", bytes.unwrap_or_default())
            }
            Materialization::Stream => match &fact.window {
                Some(window) => format!("{word}, window {}", self.kept_label(window, None, full)),
                None => word.to_owned(),
            },
            Materialization::Read | Materialization::Written => word.to_owned(),
            Materialization::Stored(space) => self.kept_label(&fact.data, space, full),
        })
    }

    /// Renders the label of a stored value: `stored: heap, 4.2 MB`. A number of bytes that depends
    /// on sizes without known values is only included if `full` is true.
    fn kept_label(&self, data: &Ty, space: Option<AddressSpace>, full: bool) -> String {
        let (place, bytes) = self.kept(data, space);
        let bytes = bytes.filter(|amount| full || !amount.is_open());
        let bytes = bytes.map(|amount| amount.label(full));
        let known: Vec<String> = [place.map(str::to_owned), bytes]
            .into_iter()
            .flatten()
            .collect();
        match known.is_empty() {
            true => "stored".to_owned(),
            false => format!("stored: {}", known.join(", ")),
        }
    }

    /// Describes in a sentence where the value is stored and how it is accessed.
    pub(crate) fn sentence(&self, fact: &FlowFact) -> String {
        let whole = || memory::bytes(&fact.data).map(|bytes| self.amount(&bytes).sentence());
        let with_size = |text: String, size: Option<String>| match size {
            Some(size) => format!("{text}, {size}"),
            None => text,
        };
        let text = match fact.materialization {
            Materialization::Read => match read_from(&fact.from, "`") {
                Some(from) if fact.from.computed => {
                    format!("not in memory: computed where it is read, or read from {from}")
                }
                Some(from) if fact.made_by.is_none() && !fact.from.memory => {
                    with_size(format!("read from {from}"), whole())
                }
                Some(from) => format!("not copied: read in {from}"),
                None => "not in memory: computed where it is read".to_owned(),
            },
            Materialization::Written => {
                let into = match fact.into {
                    Destination::Result => "written to the result",
                    Destination::Memory => "written to memory that the program keeps",
                };
                with_size(into.to_owned(), whole())
            }
            Materialization::Stream => {
                let text = "a stream: its elements come one after the other";
                match &fact.window {
                    Some(window) => {
                        let kept = self.kept_sentence(window, None, fact);
                        format!("{text}; what the next windows need is {kept}")
                    }
                    None => text.to_owned(),
                }
            }
            Materialization::Stored(space) => self.kept_sentence(&fact.data, space, fact),
        };
        format!("In {}: {text}.", self.target.title())
    }

    /// Describes a stored value in a sentence: `stored on the stack, 16 B`.
    fn kept_sentence(&self, data: &Ty, space: Option<AddressSpace>, fact: &FlowFact) -> String {
        let (place, bytes) = self.kept(data, space);
        let mut text = match (space, place) {
            (Some(_), Some(place)) => format!("stored in {place} memory"),
            (None, Some("variable")) => "stored in a variable".to_owned(),
            (None, Some(place)) => format!("stored on the {place}"),
            (_, None) => "stored".to_owned(),
        };
        if let Some(bytes) = &bytes {
            text.push_str(", ");
            text.push_str(bound(fact, place));
            text.push_str(&bytes.sentence());
        }
        if fact.in_parallel && self.target.features().has_threads() {
            text.push_str(", for each thread");
        }
        if let Some(space) = space {
            text.push_str(work_items::owner(self, fact, space));
        }
        let bytes = bytes.and_then(|amount| amount.number);
        if let (Some(AddressSpace::Local), Some(bytes)) = (space, bytes) {
            text.push_str(&self.of_local(bytes));
        }
        text
    }

    /// Describes what share of a work-group's local memory a number of bytes is; empty if the size
    /// of that memory is not known.
    pub(crate) fn of_local(&self, bytes: u64) -> String {
        match &self.device {
            Some(device) if device.local_memory > 0 => {
                let (share, all) = (share(bytes, device.local_memory), device.local_memory);
                format!("; {share} of the {} of {}", kibibytes(all), device.name)
            }
            _ => String::new(),
        }
    }

    /// Returns the memory in which a value is stored, and the number of bytes, as far as they are
    /// known. `space` is its address space in OpenCL; without one the memory depends on the type.
    fn kept(
        &self,
        data: &Ty,
        space: Option<AddressSpace>,
    ) -> (Option<&'static str>, Option<Amount>) {
        let kept = memory::keeping(data);
        let place = match (space, &kept) {
            (Some(AddressSpace::Private), _) => Some("private"),
            (Some(AddressSpace::Local), _) => Some("local"),
            (Some(AddressSpace::Global), _) => Some("global"),
            (Some(AddressSpace::Constant), _) => Some("constant"),
            (None, Some((Keeping::Variable, _))) => Some("variable"),
            (None, Some((Keeping::Stack, _))) => Some("stack"),
            (None, Some((Keeping::Heap, _))) => Some("heap"),
            (None, None) => None,
        };
        (place, kept.map(|(_, bytes)| self.amount(&bytes)))
    }

    pub(crate) fn amount(&self, bytes: &Nat) -> Amount {
        if let Some(bytes) = bytes.as_const().and_then(|n| u64::try_from(n).ok()) {
            return Amount {
                exact: bytes_of(bytes),
                number: Some(bytes),
                with: None,
            };
        }
        let sizes = self.sizes_in(&[bytes]).unwrap_or_default();
        let number = self.value(bytes);
        Amount {
            exact: format!("`{}` B", self.bare(bytes)),
            number,
            with: number.map(|value| (value, sizes)),
        }
    }
}

/// Returns the words before the number of bytes of a stored value. Code generation stores less of an
/// array on the heap if its elements are only needed in tiles, or if it can read another array.
fn bound(fact: &FlowFact, place: Option<&str>) -> &'static str {
    match (&fact.materialization, place) {
        (Materialization::Stored(_), Some("heap")) => "at most ",
        _ => "",
    }
}

impl Amount {
    /// Returns true if the number depends on sizes whose values are not given.
    fn is_open(&self) -> bool {
        self.with.is_none() && self.exact.starts_with('`')
    }

    fn label(&self, full: bool) -> String {
        let exact = self.exact.replace('`', "");
        match &self.with {
            None => exact,
            Some((bytes, _)) if full => format!("{exact} = {}", bytes_of(*bytes)),
            Some((bytes, _)) => bytes_of(*bytes),
        }
    }

    pub(crate) fn sentence(&self) -> String {
        match &self.with {
            None => self.exact.clone(),
            Some((bytes, sizes)) => {
                let bytes = bytes_of(*bytes);
                format!("{} ({bytes} with `@run({sizes})`)", self.exact)
            }
        }
    }
}

/// Lists what a value is read from: arguments, each between two `quote`s, and memory. Returns
/// `None` if it is read from neither, but computed.
fn read_from(from: &Sources, quote: &str) -> Option<String> {
    let names = from.arguments.iter();
    let mut all: Vec<String> = names.map(|name| format!("{quote}{name}{quote}")).collect();
    all.extend(from.memory.then(|| "memory".to_owned()));
    all.extend(from.more.then(|| "…".to_owned()));
    (!all.is_empty()).then(|| all.join(", "))
}

/// Renders a share in per cent: `8%`, or `less than 1%`.
fn share(part: u64, all: u64) -> String {
    let percent = part as f64 / all as f64 * 100.0;
    match percent {
        0.0..1.0 => "less than 1%".to_owned(),
        _ => format!("{percent:.0}%"),
    }
}

/// Renders the size of a device's memory in units of 1024 bytes, `48 kB`, or in bytes if it is no
/// multiple of 1024.
fn kibibytes(bytes: u64) -> String {
    match bytes % 1024 {
        0 => format!("{} kB", bytes / 1024),
        _ => format!("{bytes} B"),
    }
}

/// Renders a number of bytes: `16 B`, and from [`FEW`] on with a larger unit, `4.2 MB`.
fn bytes_of(count: u64) -> String {
    match count {
        0..FEW => format!("{count} B"),
        _ => bytes_text(count),
    }
}
