//! The diagnostics of a program's problems, with fixes.

mod alternatives;
mod dimensions;
mod edit;
mod kernel;
mod memory;
mod nesting;
mod reduction;
mod sizes;
mod source_map;
mod stream;

use rise::core::{Origin, Program};
use rise::{Pattern, Primitive, Ty, Type, print};
use syntax::ast::{AddressSpace, Kind};
use syntax::{Diagnostic, Fix, Span};

pub use source_map::DefinitionSource;

use super::problem::{
    Misplaced, ParallelMap, ParameterKind, PlacementError, Problem, ProblemKind,
    RecomputationCause, SpaceChoice, User,
};
use crate::codes;
use crate::target::Features;
use edit::Edits;
use source_map::{SourceLocation, SourceMap};

/// Makes the diagnostics of the definition that `program` is linked from. Each problem is reported
/// at a place in the definition itself: a problem inside a definition that it uses is reported at
/// the use.
pub fn diagnostics(
    problems: &[Problem],
    program: &Program<Primitive>,
    target: Features,
    written: DefinitionSource,
) -> Vec<Diagnostic> {
    let reporter = Reporter {
        source_map: SourceMap { written, program },
        target,
        problems,
    };
    let stands_alone =
        |problem: &&Problem| !problems.iter().any(|whole| reporter.holds(whole, problem));
    let ungrouped = reporter.maps_without_groups(problems);
    let is_said = |problem: &&Problem| {
        !ungrouped
            .iter()
            .skip(1)
            .any(|other| std::ptr::eq(*other, *problem))
    };
    // Local memory without a work-group is a consequence if a map has to become `mapWorkGroup`.
    let is_nested_wrongly =
        (problems.iter()).any(|problem| matches!(problem.kind, ProblemKind::Nesting { .. }));
    let mut found: Vec<Diagnostic> = problems
        .iter()
        .filter(stands_alone)
        .filter(is_said)
        .filter(|problem| !(is_nested_wrongly && needs_group(problem)))
        .map(|problem| {
            let parts = problems.iter().filter(|part| reporter.holds(problem, part));
            let parts: Vec<&Problem> = parts.collect();
            let found = reporter.with_copies(reporter.diagnostic(problem), &parts);
            match ungrouped.first() {
                Some(first) if std::ptr::eq(*first, problem) => {
                    reporter.with_others(found, &ungrouped[1..])
                }
                _ => found,
            }
        })
        .collect();
    found.sort_by_key(|diagnostic| (diagnostic.span, diagnostic.code));
    // Two uses of a value inside a used definition are reported as one mistake at the use of that
    // definition.
    found.dedup_by(|a, b| (a.span, a.code, &a.message) == (b.span, b.code, &b.message));
    found
}

/// Returns true if the problem is that Local memory is allocated outside of all work-groups.
fn needs_group(problem: &Problem) -> bool {
    matches!(
        problem.kind,
        ProblemKind::WrongSpace {
            placement_error: PlacementError::NoGroup,
            ..
        }
    )
}

/// Returns the fix that changes the address space of the memory that the primitive at an origin
/// allocates; `None` if the text cannot be edited.
pub fn store_elsewhere(
    program: &Program<Primitive>,
    target: Features,
    written: DefinitionSource,
    (at, primitive): (Origin, Primitive),
    space: AddressSpace,
) -> Option<Fix> {
    let reporter = Reporter {
        source_map: SourceMap { written, program },
        target,
        problems: &[],
    };
    Some(Fix::preferred(
        format!("Store in {space} memory"),
        reporter.space_edits(at, primitive, space)?,
    ))
}

struct Reporter<'a> {
    source_map: SourceMap<'a>,
    target: Features,
    /// All problems of the program.
    problems: &'a [Problem],
}

impl Reporter<'_> {
    fn diagnostic(&self, problem: &Problem) -> Diagnostic {
        let Problem { at, kind, nest } = problem;
        let at = *at;
        let spot = self.source_map.location(at);
        let mut found = match kind {
            ProblemKind::MissingMemory {
                reader,
                writer,
                spaces,
            } => match writer {
                Some(Primitive::PadEmpty) => self.left_out(at, reader, false),
                _ => self.missing_memory(problem, reader, *writer, spaces),
            },
            ProblemKind::LeftOut { reader } => self.left_out(at, reader, true),
            ProblemKind::MissingCopy { wanted, data } => self.missing_copy(problem, wanted, data),
            ProblemKind::MissingChoice {
                pattern,
                copied,
                count,
                loops,
                inside,
                space,
            } => {
                let more = alternatives::PatternProperties {
                    count: *count,
                    loops: *loops,
                    inside,
                    space: *space,
                };
                self.missing_choice(at, *pattern, copied.as_ref(), more, nest)
            }
            ProblemKind::Computes { pattern } => self.computes(spot, *pattern),
            ProblemKind::StreamRead { reader, data, ends } => {
                self.stream_read(at, reader, data, *ends)
            }
            ProblemKind::NotForTarget { primitive } => self.not_for_target(at, *primitive, nest),
            ProblemKind::NoSpaces { primitive, space } => self.no_spaces(at, *primitive, *space),
            ProblemKind::WhichSpace { primitive, spaces } => {
                self.which_space(at, *primitive, spaces, nest)
            }
            ProblemKind::WrongSpace {
                primitive,
                space,
                placement_error,
                spaces,
            } => self.wrong_space(at, *primitive, (*space, placement_error), spaces, nest),
            ProblemKind::TooLarge {
                primitive,
                bytes,
                limit,
                spaces,
            } => self.too_large(at, *primitive, (*bytes, limit), spaces, nest),
            ProblemKind::WrittenByAll { .. } => self.written_by_all(at, kind, nest),
            ProblemKind::SkipsFirst {
                maps,
                size,
                others_are_one,
            } => self.skips_first(at, maps, size.as_ref(), *others_are_one),
            ProblemKind::ScansArrays { sharers } => self.scans_arrays(spot, *sharers),
            ProblemKind::NoEffect => self.no_effect(),
            ProblemKind::OutsideKernels => self.outside_kernels(at),
            ProblemKind::KernelInside { outer, again } => self.kernel_inside(at, *outer, *again),
            ProblemKind::Launch { kernel, wrong } => return self.wrong_launch(*kernel, wrong),
            ProblemKind::NotOnDevice { scalar, device } => {
                self.not_on_device(spot, *scalar, device)
            }
            ProblemKind::NoHalf => self.no_half(spot),
            ProblemKind::UnknownSize { primitive, size } => self.unknown_size(at, *primitive, size),
            ProblemKind::WrittenOut { primitive, total } => self.too_often(at, *primitive, *total),
            ProblemKind::ReducesArrays => self.reduces_arrays(at),
            ProblemKind::Nesting {
                inner,
                outer,
                inside,
            } => self.nesting(*inner, *outer, inside, nest),
            ProblemKind::NoIteration { pattern, never } => {
                self.no_iteration(spot, *pattern, *never)
            }
            ProblemKind::Accumulator {
                pattern,
                read,
                result,
                spaces,
            } => self.accumulator(problem, *pattern, *read, result, spaces),
            ProblemKind::ScatterOrder {
                by,
                could_store,
                is_kept,
            } => self.scatter_order(at, *by, *could_store, *is_kept),
            ProblemKind::Recomputed { reader } => self.recomputed(at, *reader),
            ProblemKind::Parameter { name, kind } => self.parameter(name, *kind),
            ProblemKind::NoResult => self.no_result(),
            ProblemKind::ReadAfterUpdate { name, write } => {
                let message = format!(
                    "`{name}` is read here, where its new value may have overwritten the element \
                     already: it is `inout`"
                );
                let place = self.source_map.stage(at);
                let found = Diagnostic::error(codes::ACCUMULATOR_MOVED, place, message).help(
                    "store what is read before the new value is written (`|> toMem`), or give a new \
                     array",
                );
                match write.map(|write| self.source_map.related(write)) {
                    Some(write) if write != place.into() => {
                        found.related(write, format!("the new value of `{name}`"))
                    }
                    _ => found,
                }
            }
        };
        found.severity = problem.severity();
        if let Some((def, span)) = spot.inside {
            let place = syntax::ItemSpan {
                item: Some(def),
                span,
            };
            let user = self.source_map.text(spot.head);
            let what = match problem.primitive() {
                Some(primitive) => format!("`{user}` uses `{}` here", primitive.name()),
                None => format!("in `{user}`, here"),
            };
            found = found.related(place, what);
        }
        found
    }

    /// Returns true if `part` is included in the diagnostic of `whole`: either an array that must
    /// be copied to the memory that `whole` lacks, or an alternative of the `select` whose result
    /// must be copied according to `whole`.
    fn holds(&self, whole: &Problem, part: &Problem) -> bool {
        if let (
            ProblemKind::MissingCopy { .. },
            ProblemKind::MissingMemory {
                reader: User::Primitive(Primitive::Select, reader),
                ..
            },
        ) = (&whole.kind, &part.kind)
        {
            return *reader == whole.at;
        }
        let (ProblemKind::MissingMemory { .. }, ProblemKind::MissingCopy { wanted, .. }) =
            (&whole.kind, &part.kind)
        else {
            return false;
        };
        let Some(into) = wanted.origin() else {
            return false;
        };
        let [whole, into] = [whole.at, into].map(|origin| self.source_map.location(origin));
        whole.inside.is_none() && into.inside.is_none() && whole.span.contains(into.span)
    }

    /// Returns the problems of `mapLocal`s without an enclosing `mapWorkGroup`, in the order of the
    /// text. They are reported as one mistake.
    fn maps_without_groups<'c>(&self, problems: &'c [Problem]) -> Vec<&'c Problem> {
        let is_local = |problem: &&Problem| {
            matches!(
                problem.kind,
                ProblemKind::Nesting { inner, outer: None, .. } if inner.primitive == Primitive::MapLocal
            )
        };
        let in_group = |problem: &Problem| {
            let mut around = problem.nest.iter();
            around.any(|level| level.primitive == Primitive::MapWorkGroup)
        };
        let mut found: Vec<&Problem> = problems
            .iter()
            .filter(is_local)
            .filter(|problem| !in_group(problem))
            .collect();
        found.sort_by_key(|problem| self.source_map.location(problem.at).head);
        found
    }

    /// Adds the places of the other maps with the same mistake. The fixes are removed, because they
    /// change one map only.
    fn with_others(&self, mut found: Diagnostic, others: &[&Problem]) -> Diagnostic {
        if !others.is_empty() {
            found.fixes.clear();
        }
        others.iter().fold(found, |found, other| {
            let spot = self.source_map.location(other.at);
            let place = match spot.inside {
                Some(_) => self.source_map.related(other.at),
                None => spot.head.into(),
            };
            found.related(place, "this map is in no `mapWorkGroup` either")
        })
    }

    /// Extends a diagnostic about missing memory: its fixes also copy the parts of the stored
    /// value.
    fn with_copies(&self, mut found: Diagnostic, parts: &[&Problem]) -> Diagnostic {
        if found.code != rise::codes::MISSING_MEMORY {
            return found;
        }
        let mut edits: Option<Edits> = Some(Vec::new());
        let mut copies = Vec::new();
        for part in parts {
            let ProblemKind::MissingCopy { data, .. } = &part.kind else {
                continue;
            };
            let copy = alternatives::copy(data, self.target, &part.nest);
            let place = self.source_map.related(part.at);
            found = found.related(place, format!("this must be copied: `|> {copy}`"));
            let part = self.source_map.append(part.at, &copy);
            edits = edits.zip(part).map(|(all, part)| [all, part].concat());
            copies.push(copy);
        }
        let Some(first) = copies.first() else {
            return found;
        };
        if let Some(help) = &mut found.help {
            help.push_str(&format!(", and copy what it is made of: `|> {first}`"));
        }
        extend_fixes(&mut found, first, edits);
        found
    }

    // ----- choices -----

    fn missing_copy(&self, problem: &Problem, wanted: &User, data: &Ty) -> Diagnostic {
        let copy = alternatives::copy(data, self.target, &problem.nest);
        let message = format!("no loop copies this array to {}", self.destination(wanted));
        let at = match self.place_to_change(problem) {
            Ok(at) => at,
            Err(used_at) => {
                let user = self.user_of_function(used_at);
                let span = self.source_map.stage(problem.at);
                return Diagnostic::error(rise::codes::MISSING_COPY, span, message)
                    .related(self.source_map.related(used_at), "used here")
                    .help(format!(
                        "{user} also reads what this function returns: copy it in {user}, where it \
                         is written, with `|> {copy}`"
                    ));
            }
        };
        let found = Diagnostic::error(
            rise::codes::MISSING_COPY,
            self.source_map.stage(at),
            message,
        )
        .help(format!("copy the array: `|> {copy}`"));
        self.fixed(
            found,
            &format!("Copy: `{copy}`"),
            self.source_map.append(at, &copy),
        )
    }

    /// Returns the place in the definition's own text that has to change, or as an error the use in
    /// another definition that would have to change. A function with several uses is changed if
    /// each of them has the same problem.
    fn place_to_change(&self, problem: &Problem) -> Result<Origin, Origin> {
        let kind = std::mem::discriminant(&problem.kind);
        let is_changed = |at: Origin| {
            let mut others = self.problems.iter();
            others.any(|other| other.at == at && std::mem::discriminant(&other.kind) == kind)
        };
        self.source_map.place_to_change(problem.at, &is_changed)
    }

    /// Returns the word in the text at a use of another definition, in backticks: the name of this
    /// definition, to which the function is given.
    fn user_of_function(&self, used_at: Origin) -> String {
        tick(self.source_map.text(self.source_map.location(used_at).head))
    }

    fn missing_choice(
        &self,
        at: Origin,
        pattern: Primitive,
        copied: Option<&(Origin, Ty)>,
        more: alternatives::PatternProperties<'_>,
        nest: &[ParallelMap],
    ) -> Diagnostic {
        let spot = self.source_map.location(at);
        let name = self.name(spot, pattern);
        let mut message = if name == pattern.name() {
            format!("`{name}` does not say how it is computed")
        } else {
            format!(
                "`{name}` uses `{pattern}`, which does not say how it is computed",
                pattern = pattern.name()
            )
        };
        if pattern == Primitive::Map {
            message.push_str(", and its result is written");
        }
        let mut found = Diagnostic::error(codes::MISSING_CHOICE, spot.head, message);
        if let Some((whole, data)) = copied {
            let data = self.source_map.type_at_use(*whole).unwrap_or(data);
            let copy = alternatives::copy(data, self.target, nest);
            let found = found.help(format!("write its elements with a copy: `|> {copy}`"));
            let edits = self.source_map.append(*whole, &copy);
            return self.fixed(found, &format!("Copy the result: `{copy}`"), edits);
        }
        let choices = alternatives::choices(pattern, self.target, nest, more);
        let list: Vec<String> = choices.iter().map(|choice| tick(choice)).collect();
        found.help = Some(match (&list[..], self.source_map.names(spot, pattern)) {
            ([one], true) => format!("write {one}"),
            (many, true) => format!("choose one of {}", many.join(", ")),
            (many, false) => format!(
                "write out what `{name}` computes, with {}",
                many.join(" or ")
            ),
        });
        self.offer_replacements(&mut found, (at, pattern), "Choose", &choices);
        if pattern == Primitive::Map {
            self.written_out_map(at, nest, &mut found);
        }
        if pattern == Primitive::Reduce {
            if !self.source_map.names(spot, pattern) {
                self.written_out(at, &choices, &mut found);
            }
            self.about_reduction(at, &choices, &mut found);
        }
        found
    }

    fn computes(&self, spot: SourceLocation, pattern: Primitive) -> Diagnostic {
        let name = self.name(spot, pattern);
        let message = format!(
            "the function of `{name}` computes new values, which cannot be written through `{name}`"
        );
        let (first, second) = if pattern == Primitive::MapFst {
            ("f(p._1)", "p._2")
        } else {
            ("p._1", "f(p._2)")
        };
        Diagnostic::error(codes::MISSING_CHOICE, spot.head, message).help(format!(
            "write the pair instead: `fun(p => ({first}, {second}))`"
        ))
    }

    fn not_for_target(&self, at: Origin, primitive: Primitive, nest: &[ParallelMap]) -> Diagnostic {
        let spot = self.source_map.location(at);
        let target = self.target.title;
        let name = self.name(spot, primitive);
        let message = if name == primitive.name() {
            format!("{target} has no `{}`", primitive.name())
        } else {
            format!(
                "`{name}` uses `{}`, which {target} does not support",
                primitive.name()
            )
        };
        let mut found = Diagnostic::error(codes::NOT_ON_TARGET, spot.head, message);
        if primitive.pattern() == Pattern::Kernel {
            let place = match name == primitive.name() {
                true => String::new(),
                false => format!(" of `{name}`"),
            };
            let kernel = primitive.name();
            return found.help(format!(
                "{target} has no kernels: leave `{kernel}` out{place}"
            ));
        }
        let properties = alternatives::PatternProperties::default();
        let choices = alternatives::choices(primitive, self.target, nest, properties);
        let list: Vec<String> = choices.iter().map(|choice| tick(choice)).collect();
        found.help = Some(format!("write {}", list.join(" or ")));
        self.offer_replacements(&mut found, (at, primitive), "Replace with", &choices);
        found
    }

    fn no_iteration(&self, spot: SourceLocation, pattern: Primitive, never: bool) -> Diagnostic {
        let name = pattern.name();
        let found = match never {
            true => ", found 0",
            false => ", and the number of rounds may be 0",
        };
        let message = format!("compiled code needs at least 1 round of `{name}`{found}");
        let mut help = format!("the last round of `{name}` writes the result");
        if pattern == Primitive::Repeat {
            help.push_str("; `repeatInPlace` may have 0 rounds");
        }
        Diagnostic::error(rise::codes::OBLIGATION_FAILS, spot.head, message).help(help)
    }

    fn no_half(&self, spot: SourceLocation) -> Diagnostic {
        let message = format!("{} has no `f16`", self.target.title);
        Diagnostic::error(codes::NOT_ON_TARGET, spot.head, message).help("compute with `f32`")
    }

    fn accumulator(
        &self,
        problem: &Problem,
        pattern: Primitive,
        read: Origin,
        result: &(Origin, Ty),
        spaces: &[SpaceChoice],
    ) -> Diagnostic {
        let at = problem.at;
        let message = format!(
            "the function of `{}` reads another element of the accumulator than the one that it writes",
            pattern.name()
        );
        let found = Diagnostic::error(
            codes::ACCUMULATOR_MOVED,
            self.source_map.location(at).head,
            message,
        )
        .related(
            self.source_map.related(read),
            "read here, where it may be overwritten already",
        )
        .help("the accumulator is written in place: store the result before it is copied there");
        let best = spaces.iter().find(|space| space.impossible.is_none());
        let memory = match (self.target.has_work_items(), best) {
            (true, Some(best)) => format!("toMem({})", best.space),
            (true, None) => return found,
            (false, _) => "toMem".to_owned(),
        };
        let copy = alternatives::copy(&result.1, self.target, &problem.nest);
        let stage = format!("{memory} |> {copy}");
        let edits = self.source_map.append(result.0, &stage);
        self.fixed(found, &format!("Store the result: `{stage}`"), edits)
    }

    fn scatter_order(
        &self,
        at: Origin,
        by: Misplaced,
        could_store: bool,
        is_kept: bool,
    ) -> Diagnostic {
        let spot = self.source_map.location(at);
        let name = self.name(spot, Primitive::Scatter);
        let message = match is_kept {
            false => format!(
                "`{name}` writes its elements out of order: where an index repeats, an earlier \
                 element would replace the last one"
            ),
            true => format!(
                "the elements that `{name}` takes are stored first: they are computed in another \
                 order, and where an index repeats, the last element is kept"
            ),
        };
        let (origin, why) = match by {
            Misplaced::View(origin) => (
                origin,
                "the elements are rearranged here, after they are computed",
            ),
            Misplaced::Loop(origin) => (
                origin,
                "this loop does not compute the elements in their order",
            ),
        };
        let found = Diagnostic::error(codes::SCATTER_ORDER, spot.head, message)
            .related(self.source_map.related(origin), why);
        let before = "rearrange the elements before the loop that computes them";
        match (is_kept, could_store) {
            (false, true) => {
                let memory = match self.target.has_work_items() {
                    true => "toMem(…)",
                    false => "toMem",
                };
                found.help(format!(
                    "{before}, or write `|> {memory} |> mapSeq(id)` behind what this `{name}` takes: \
                     it stores the elements and copies them in order"
                ))
            }
            _ => found.help(before),
        }
    }

    fn recomputed(&self, at: Origin, reader: RecomputationCause) -> Diagnostic {
        let spot = self.source_map.location(at);
        let name = self.name(spot, Primitive::Map);
        let (reason, place) = match reader {
            RecomputationCause::Windows(_) => (
                "overlapping windows read an element several times",
                "these windows read it",
            ),
            RecomputationCause::Loop(..) => (
                "a loop reads all of them at each step",
                "this loop reads them",
            ),
            RecomputationCause::Name(_) => ("the array is read more than once", "read again here"),
        };
        let store = match self.target.has_work_items() {
            true => "`toMem` with an address space",
            false => "`toMem`",
        };
        let message =
            format!("the elements of this `{name}` are computed again at each read: {reason}");
        Diagnostic::error(codes::RECOMPUTED, spot.head, message)
            .related(self.source_map.related(reader.origin()), place)
            .help(format!(
                "to compute each element once, write the array with a loop and store it by {store}"
            ))
    }

    // ----- the definition -----

    fn parameter(&self, name: &str, kind: ParameterKind) -> Diagnostic {
        let (what, help) = match kind {
            ParameterKind::Function => (
                "is a function",
                "write a definition that applies this definition to a function, and compile that",
            ),
            ParameterKind::Arrays => (
                "has an array in a tuple",
                "take the parts of the tuple as parameters of their own",
            ),
            ParameterKind::DepPair => (
                "is a dependent pair",
                "take the size and the array as parameters of their own",
            ),
            ParameterKind::Lanes => (
                "has vectors of a number of lanes that is not known",
                "write the number in its type, as in `Vec[4, f32]`",
            ),
            ParameterKind::ManyLanes => (
                "has vectors of more than 65536 lanes",
                "give the vectors at most 65536 lanes, or take an array",
            ),
            ParameterKind::Half => ("has numbers of type `f16`", "C has no `f16`: take `f32`"),
            ParameterKind::TypeLevel(kind) => (
                match kind {
                    Kind::AddrSp => "is an address space",
                    Kind::Nat2Nat | Kind::Nat2Data => "is a function of sizes",
                    _ => "is a type",
                },
                "write a definition that applies this definition to an argument for it, and compile that",
            ),
        };
        let def = &self.source_map.program.name;
        let message =
            format!("`{def}` cannot be compiled on its own: its parameter `{name}` {what}");
        Diagnostic::error(codes::NOT_A_PROGRAM, self.def_name(), message).help(help)
    }

    fn no_result(&self) -> Diagnostic {
        let def = &self.source_map.program.name;
        let names = rise::Names(self.source_map.program.names.clone().into());
        let result = &super::primitive_checks::result(&self.source_map.program.body).ty;
        let outputs = rise::types::outputs(result);
        let wrong = outputs
            .iter()
            .find(|output| !rise::types::is_output(output));
        let part = wrong.unwrap_or(result);
        let part_text = print::type_text(part, &names);
        let is_whole = outputs.len() == 1;
        let what = match is_whole {
            true => format!("its result `{part_text}`"),
            false => format!("the part `{part_text}` of its result"),
        };
        let (why, help) = match **part {
            Type::DepPair(_) => (
                "is a dependent pair",
                "return an array whose size follows from the parameters",
            ),
            _ => (
                "is an array of tuples that contain arrays",
                "return a tuple of arrays: `unzip` makes it of an array of tuples",
            ),
        };
        let message = format!("`{def}` cannot be compiled on its own: {what} {why}");
        let mut found =
            Diagnostic::error(codes::NOT_A_PROGRAM, self.def_name(), message).help(help);
        if is_whole
            && matches!(&**part, Type::Array(_, element) if matches!(**element, Type::Pair(..)))
        {
            offer(
                &mut found,
                "Give a tuple of arrays: `unzip`",
                self.unzipped(),
            );
        }
        found
    }

    /// Returns the edits that give the result, an array of tuples, as a tuple of arrays, and change
    /// the written type accordingly; `None` if one of them is not possible.
    fn unzipped(&self) -> Option<Edits> {
        let result = super::primitive_checks::result(&self.source_map.program.body);
        let mut edits = self.source_map.append(result.origin, "unzip")?;
        if let Some(ty) = self.source_map.written_result() {
            edits.push(self.source_map.unzipped_type(ty)?);
            edits.sort_by_key(|(span, _)| (span.start, span.end));
        }
        Some(edits)
    }

    fn def_name(&self) -> Span {
        let name = self.source_map.written.item.name();
        name.map_or_else(Span::default, |name| name.span)
    }

    // ----- words -----

    fn quote(&self, at: Origin, primitive: Primitive) -> String {
        self.source_map.quote(at, primitive.name())
    }

    /// Returns the name of the primitive in the text, which may be that of a definition that uses
    /// it.
    fn name(&self, spot: SourceLocation, primitive: Primitive) -> String {
        let word = self.source_map.word(spot);
        word.unwrap_or_else(|| primitive.name()).to_owned()
    }

    fn subject(&self, user: &User) -> String {
        match user {
            User::Result => "the result".into(),
            User::Primitive(p, origin) => tick(&self.quote(*origin, *p)),
            User::Function(p, origin) => {
                format!("the function of {}", tick(&self.quote(*origin, *p)))
            }
            User::Foreign(name, _) => tick(name),
        }
    }

    /// Returns the description of the destination to which the user writes a value.
    fn destination(&self, user: &User) -> String {
        use Primitive::{
            Iterate, ReducePar, ReduceSeq, ReduceSeqUnroll, Repeat, RepeatInPlace, RepeatWhile,
            ScanSeq, ToMem,
        };
        match user {
            User::Result => format!("the result of `{}`", self.source_map.program.name),
            User::Primitive(ToMem, _) => "memory".into(),
            User::Primitive(RepeatInPlace, _) => "the memory of `repeatInPlace`".into(),
            User::Primitive(p @ (ReduceSeq | ReduceSeqUnroll | ReducePar | ScanSeq), _) => {
                format!("the accumulator of `{}`", p.name())
            }
            User::Primitive(p, origin) => {
                format!("the result of {}", tick(&self.quote(*origin, *p)))
            }
            User::Function(p @ (ReduceSeq | ReduceSeqUnroll | ReducePar), _) => {
                format!("the accumulator of `{}`", p.name())
            }
            User::Function(p @ (Iterate | Repeat | RepeatInPlace | RepeatWhile), _) => {
                format!("the next round of `{}`", p.name())
            }
            User::Function(p, _) => format!("the result of the function of `{}`", p.name()),
            User::Foreign(name, _) => format!("`{name}`"),
        }
    }

    // ----- fixes -----

    fn fixed(&self, mut found: Diagnostic, title: &str, edits: Option<Edits>) -> Diagnostic {
        offer(&mut found, title, edits);
        found
    }

    /// Adds fixes that replace a primitive by each of some choices.
    fn offer_replacements(
        &self,
        found: &mut Diagnostic,
        (at, primitive): (Origin, Primitive),
        verb: &str,
        choices: &[String],
    ) {
        for choice in choices {
            let edits = self.source_map.replace(at, primitive, choice);
            offer(found, format!("{verb} `{choice}`"), edits);
        }
    }
}

/// Adds a fix, if there are edits.
fn offer(found: &mut Diagnostic, title: impl Into<String>, edits: Option<Edits>) {
    offer_choice(found, title, edits, None);
}

/// Adds a fix, if there are edits. The fix is disabled if `not` is the reason why it is not
/// possible; the first enabled fix of a diagnostic is the preferred one.
fn offer_choice(
    found: &mut Diagnostic,
    title: impl Into<String>,
    edits: Option<Edits>,
    not: Option<&str>,
) {
    let Some(edits) = edits else {
        return;
    };
    let preferred = not.is_none() && !found.fixes.iter().any(|fix| fix.preferred);
    found.fixes.push(Fix {
        preferred,
        disabled: not.map(str::to_owned),
        ..Fix::preferred(title.into(), edits)
    });
}

/// Extends all fixes by the edits that insert `stage`, or removes all fixes if there are no such
/// edits.
fn extend_fixes(found: &mut Diagnostic, stage: &str, edits: Option<Edits>) {
    let Some(edits) = edits else {
        found.fixes.clear();
        return;
    };
    for fix in &mut found.fixes {
        fix.title.push_str(&format!(", with `{stage}` before it"));
        fix.edits.extend(edits.iter().cloned());
        fix.edits.sort_by_key(|(span, _)| (span.start, span.end));
    }
}

fn tick(text: &str) -> String {
    format!("`{text}`")
}
