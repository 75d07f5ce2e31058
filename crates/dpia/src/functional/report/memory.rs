//! Messages about missing memory and impossible address spaces.

use nat::Nat;
use rise::core::{Origin, subterms};
use rise::{Primitive, Type};
use syntax::ast::{AddressSpace, ScalarType};
use syntax::{Diagnostic, Span};

use super::edit::Edits;
use super::{Reporter, alternatives, offer, offer_choice, tick};
use crate::codes;
use crate::functional::problem::{
    DeviceLimit, ParallelMap, PlacementError, Problem, SpaceChoice, User,
};
use crate::target::format_bytes;

impl Reporter<'_> {
    pub(super) fn missing_memory(
        &self,
        problem: &Problem,
        reader: &User,
        writer: Option<Primitive>,
        spaces: &[SpaceChoice],
    ) -> Diagnostic {
        let place = self.place_to_change(problem);
        let at = place.unwrap_or(problem.at);
        let writes = match writer {
            Some(writer) => self.quote(at, writer),
            None => self
                .source_map
                .text(self.source_map.location(at).span)
                .to_owned(),
        };
        let message = match reader {
            User::Function(p, origin) => format!(
                "the function of {} must return a value in memory, and the result of `{writes}` is not stored",
                tick(&self.quote(*origin, *p))
            ),
            _ => format!(
                "{} reads the result of `{writes}`, which is not stored in memory",
                self.subject(reader)
            ),
        };
        let mut found = Diagnostic::error(
            rise::codes::MISSING_MEMORY,
            self.source_map.stage(at),
            message,
        );
        if let Some(origin) = reader.origin() {
            found = found.related(self.source_map.related(origin), "read here");
        }
        let best = spaces.iter().find(|space| space.impossible.is_none());
        if let Err(used_at) = place
            && (!self.target.has_work_items() || best.is_some())
        {
            let user = self.user_of_function(used_at);
            let memory = best.map_or("toMem".to_owned(), |best| format!("toMem({})", best.space));
            let found = found
                .related(self.source_map.related(used_at), "used here")
                .help(format!(
                    "{user} also writes what this function returns: store it in {user}, where it is \
                     read, with `|> {memory}`"
                ));
            return match self.stored_and_copied(problem, &memory) {
                Some((title, edits)) => self.fixed(found, &title, Some(edits)),
                None => found,
            };
        }
        if !self.target.has_work_items() {
            return self.fixed(
                found.help("store the result before it is read: `|> toMem`"),
                "Store in memory: `toMem`",
                self.source_map.append(at, "toMem"),
            );
        }
        found.help = Some(match best {
            Some(best) => format!(
                "store the result before it is read, as in `|> toMem({})`",
                best.space
            ),
            None => "make what writes and what reads two kernels with `oclRun`, and store the \
                     result in Global memory between them"
                .into(),
        });
        for space in spaces {
            let stage = format!("toMem({})", space.space);
            let edits = self.source_map.append(at, &stage);
            let not = space.impossible.as_deref();
            let title = self.store_in(space, &problem.nest);
            offer_choice(&mut found, title, edits, not);
        }
        found
    }

    /// Reports that a pattern reads the elements that `padEmpty` adds, which nothing writes,
    /// whether the array is stored or not.
    pub(super) fn left_out(&self, at: Origin, reader: &User, is_stored: bool) -> Diagnostic {
        let padding = self.quote(at, Primitive::PadEmpty);
        let message = format!(
            "{} reads the elements that `{padding}` adds, which nothing writes",
            self.subject(reader)
        );
        let stage = self.source_map.stage(at);
        let mut found = Diagnostic::error(rise::codes::MISSING_COPY, stage, message);
        if let Some(origin) = reader.origin() {
            found = found.related(self.source_map.related(origin), "read here");
        }
        let (spot, text) = (self.source_map.location(at), self.source_map.text(stage));
        let sizes = text.strip_prefix(Primitive::PadEmpty.name());
        let written = sizes.filter(|sizes| sizes.starts_with('(') && self.adds_numbers(at));
        let Some(sizes) = written else {
            return found.help("pad with a value by `padCst`, as in `padCst(0)(2)(0)`");
        };
        let written = format!("padCst(0){sizes}(0)");
        if is_stored {
            return found.help(format!(
                "store the array without `{padding}`, and pad with a value where it is read: `|> {written}`"
            ));
        }
        let edits = vec![
            (spot.head, "padCst(0)".to_owned()),
            (Span::empty(stage.end), "(0)".to_owned()),
        ];
        let found = found.help(format!("pad with a value by `padCst`: write `{written}`"));
        self.fixed(found, &format!("Write `{written}`"), Some(edits))
    }

    /// Returns true if the type of the expression at an origin is an array of numbers.
    fn adds_numbers(&self, at: Origin) -> bool {
        let whole = subterms(&self.source_map.program.body).find(|term| term.origin == at);
        let Some(Type::Array(_, element)) = whole.map(|term| &*term.ty) else {
            return false;
        };
        matches!(**element, Type::Scalar(scalar) if scalar != ScalarType::Bool)
    }

    /// Returns the fix that stores a function's result inside the function and copies it for the
    /// definition's result, if that is the only use that does not read it.
    fn stored_and_copied(&self, problem: &Problem, memory: &str) -> Option<(String, Edits)> {
        let result = crate::functional::primitive_checks::result(&self.source_map.program.body);
        let is_read = |at: Origin| self.problems.iter().any(|other| other.at == at);
        let mut uses = self.source_map.same_text(problem.at);
        if !uses.all(|at| at == result.origin || is_read(at)) {
            return None;
        }
        let (stored, _) = self.source_map.own_places(problem.at)?;
        let (_, copied) = self.source_map.own_places(result.origin)?;
        let copy = alternatives::copy(&result.ty, self.target, &[]);
        let mut edits = self.source_map.append(stored, memory)?;
        edits.extend(self.source_map.append(copied, &copy)?);
        edits.sort_by_key(|(span, _)| (span.start, span.end));
        let title = format!("Store in memory: `{memory}`, and copy the result: `{copy}`");
        Some((title, edits))
    }

    /// Returns the title of a fix, for example `Store in Local memory: 4 kB of 48 kB`.
    fn store_in(&self, space: &SpaceChoice, nest: &[ParallelMap]) -> String {
        let title = format!("Store in {} memory", space.space);
        let Some(room) = space.size.as_ref().filter(|_| space.impossible.is_none()) else {
            return title;
        };
        let has = |primitive| nest.iter().any(|level| level.primitive == primitive);
        let item = has(Primitive::MapLocal) || has(Primitive::MapGlobal);
        let each = match space.space {
            AddressSpace::Private => " for each work-item",
            AddressSpace::Local if has(Primitive::MapLocal) => " for each work-item",
            AddressSpace::Global if item => " for each work-item",
            AddressSpace::Global if has(Primitive::MapWorkGroup) => " for each work-group",
            _ => "",
        };
        let of = match room.of {
            Some(all) if each.is_empty() => format!(" of {}", format_bytes(all)),
            _ => String::new(),
        };
        format!("{title}: {}{each}{of}", self.bytes(&room.bytes))
    }

    fn bytes(&self, bytes: &Nat) -> String {
        match bytes.as_const().and_then(|bytes| u64::try_from(bytes).ok()) {
            Some(bytes) => format_bytes(bytes),
            None => format!("`{}` B", self.size(bytes)),
        }
    }

    pub(super) fn which_space(
        &self,
        at: Origin,
        primitive: Primitive,
        spaces: &[SpaceChoice],
        nest: &[ParallelMap],
    ) -> Diagnostic {
        let spot = self.source_map.location(at);
        let name = self.name(spot, primitive);
        let message = format!(
            "{} does not say in which address space it stores its result",
            tick(&name)
        );
        let found = Diagnostic::error(codes::ADDRESS_SPACE, spot.head, message);
        let found = found.help(
            match spaces.iter().find(|space| space.impossible.is_none()) {
                Some(best) => format!(
                    "OpenCL requires the address space first, as in `{}({})`",
                    primitive.name(),
                    best.space
                ),
                None => no_space(spaces),
            },
        );
        self.with_spaces(found, at, primitive, spaces, nest)
    }

    pub(super) fn wrong_space(
        &self,
        at: Origin,
        primitive: Primitive,
        (space, placement_error): (AddressSpace, &PlacementError),
        spaces: &[SpaceChoice],
        nest: &[ParallelMap],
    ) -> Diagnostic {
        let spot = self.source_map.location(at);
        let name = self.name(spot, primitive);
        let message = match placement_error {
            PlacementError::ReadOnly => format!(
                "{} cannot store in {space} memory, which can only be read",
                tick(&name)
            ),
            _ => format!(
                "{} cannot store in {space} memory here: {placement_error}",
                tick(&name)
            ),
        };
        let mut found = Diagnostic::error(codes::ADDRESS_SPACE, spot.head, message);
        let legal = self.legal(&name, primitive, spaces);
        found.help = Some(match (self.to_fit(placement_error), legal) {
            (Some(how), Ok(legal)) => format!("{how}, or write {legal}"),
            (None, Ok(legal)) => format!("write {legal}"),
            (Some(how), Err(_)) => how,
            (None, Err(why)) => why,
        });
        let mut found = self.with_spaces(found, at, primitive, spaces, nest);
        if let PlacementError::UnknownShare {
            local: Some(local), ..
        } = placement_error
        {
            let sizes = sizes_text(local);
            let shape: Vec<String> = local.iter().map(i64::to_string).collect();
            let title = format!("Launch groups of {} work-items", shape.join(" × "));
            let edits = self.with_local(&sizes);
            offer(&mut found, title, edits);
        }
        found
    }

    /// Returns the text of the possible address spaces, the best first, or the reason why even
    /// Global memory is impossible.
    fn legal(
        &self,
        name: &str,
        primitive: Primitive,
        spaces: &[SpaceChoice],
    ) -> Result<String, String> {
        let written = |space: &SpaceChoice| match is_short(name) {
            true => format!("`to{}`", space.space),
            false => format!("`{}({})`", primitive.name(), space.space),
        };
        let legal: Vec<String> = (spaces.iter().filter(|space| space.impossible.is_none()))
            .map(written)
            .collect();
        if !legal.is_empty() {
            return Ok(legal.join(" or "));
        }
        Err(no_space(spaces))
    }

    /// Returns the text of a change that makes the written address space possible, if there is one.
    fn to_fit(&self, placement_error: &PlacementError) -> Option<String> {
        Some(match placement_error {
            PlacementError::NoGroup => {
                "Local memory belongs to a work-group: put this into a `mapWorkGroup`".to_owned()
            }
            PlacementError::UnknownShare {
                local: Some(local), ..
            } => format!(
                "say how many work-items a group has, as in `@opencl(local = {})`",
                sizes_text(local)
            ),
            PlacementError::UnknownShare { map, local: None } => match map {
                Primitive::MapLocal => {
                    "each work-item needs a constant number of elements: make the size a number, \
                     and say how many work-items a group has"
                        .to_owned()
                }
                _ => "say how many work-items are launched, so that each has a constant number of \
                      elements"
                    .to_owned(),
            },
            PlacementError::NoConstant(bytes) => format!(
                "the size in Private memory must be a constant, and this is {}: make the size a number",
                self.bytes(bytes)
            ),
            PlacementError::BetweenKernels
            | PlacementError::ReadOnly
            | PlacementError::OfGroups(_)
            | PlacementError::OfItems
            | PlacementError::NoSize => return None,
        })
    }

    pub(super) fn too_large(
        &self,
        at: Origin,
        primitive: Primitive,
        (bytes, limit): (u64, &DeviceLimit),
        spaces: &[SpaceChoice],
        nest: &[ParallelMap],
    ) -> Diagnostic {
        let spot = self.source_map.location(at);
        let name = self.name(spot, primitive);
        let message = format!(
            "{} takes {} of Local memory, and {} has only {}",
            tick(&name),
            format_bytes(bytes),
            limit.device,
            format_bytes(limit.most)
        );
        let found = Diagnostic::error(codes::DEVICE_LIMIT, spot.head, message)
            .help("give each work-group a smaller part, or store in Global memory");
        self.with_spaces(found, at, primitive, spaces, nest)
    }

    fn with_spaces(
        &self,
        mut found: Diagnostic,
        at: Origin,
        primitive: Primitive,
        spaces: &[SpaceChoice],
        nest: &[ParallelMap],
    ) -> Diagnostic {
        for space in spaces {
            let edits = self.space_edits(at, primitive, space.space);
            let not = space.impossible.as_deref();
            let title = self.store_in(space, nest);
            offer_choice(&mut found, title, edits, not);
        }
        found
    }

    /// Returns the edits that give a primitive this address space; `None` if its name is not in the
    /// text.
    pub(super) fn space_edits(
        &self,
        at: Origin,
        primitive: Primitive,
        space: AddressSpace,
    ) -> Option<Edits> {
        let spot = self.source_map.location(at);
        let word = space.as_str();
        match is_short(self.source_map.text(spot.head)) {
            true => Some(vec![(spot.head, format!("to{word}"))]),
            false => self.source_map.set_optional(at, primitive, word),
        }
    }

    pub(super) fn no_spaces(
        &self,
        at: Origin,
        primitive: Primitive,
        space: Option<AddressSpace>,
    ) -> Diagnostic {
        let spot = self.source_map.location(at);
        let name = self.name(spot, primitive);
        let space = space.map_or_else(|| "address spaces".to_owned(), |s| format!("{s} memory"));
        let target = self.target.title;
        let message = format!("{target} has no {space}");
        let found = Diagnostic::error(codes::NOT_ON_TARGET, spot.head, message);
        let plain = primitive.name();
        let edits = match name.as_str() {
            "toGlobal" | "toLocal" | "toPrivate" => Some(vec![(spot.head, plain.to_owned())]),
            _ => self.source_map.replace(at, primitive, plain),
        };
        let help = match edits {
            Some(_) => format!("leave the address space out: write `{plain}`"),
            None => format!("leave the address space of `{plain}` out in `{name}`"),
        };
        self.fixed(found.help(help), "Leave the address space out", edits)
    }
}

/// Returns the help text for memory for which no address space is possible, not even Global memory.
fn no_space(spaces: &[SpaceChoice]) -> String {
    let global = spaces.iter().find(|s| s.space == AddressSpace::Global);
    match global.and_then(|space| space.impossible.as_deref()) {
        Some(why) => format!("Global memory is not possible either: {why}"),
        None => "compute the array where it is read, with `map`".to_owned(),
    }
}

/// Returns true for the library's functions that have the address space in their names.
fn is_short(name: &str) -> bool {
    matches!(name, "toGlobal" | "toLocal" | "toPrivate")
}

/// Formats a list of sizes, for example `[8, 8]`.
fn sizes_text(sizes: &[i64]) -> String {
    let all: Vec<String> = sizes.iter().map(i64::to_string).collect();
    format!("[{}]", all.join(", "))
}
