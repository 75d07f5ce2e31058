//! Messages about kernels: writes by several work-items, and launch sizes.

use nat::Nat;
use rise::core::{Expr, Form, Origin, subterms};
use rise::types::contains_array;
use rise::{Primitive, TermInfo, Type, print};
use syntax::ast::{Annotation, AnnotationValue, BinaryOp, ScalarType, TermId, TermKind};
use syntax::{Diagnostic, Span};

use super::edit::Edits;
use super::nesting::written;
use super::source_map::SourceLocation;
use super::{Reporter, offer, tick};
use crate::codes;
use crate::functional::problem::{ConcurrentWriters, LaunchError, ParallelMap, ProblemKind};

/// Returns the tuple components of a result that are outputs of the program, from left to right.
fn outputs(result: &Expr<Primitive>) -> Vec<&Expr<Primitive>> {
    match &result.form {
        Form::Primitive(Primitive::MakePair, _, args) if contains_array(&result.ty) => {
            args.iter().flat_map(outputs).collect()
        }
        _ => vec![result],
    }
}

impl Reporter<'_> {
    fn number_of_results(&self) -> usize {
        outputs(super::super::primitive_checks::result(
            &self.source_map.program.body,
        ))
        .len()
    }

    /// Returns the words for the output of the program that an expression is a part of: "result",
    /// or "second result" if there are several.
    fn result_at(&self, at: Origin) -> String {
        let result = super::super::primitive_checks::result(&self.source_map.program.body);
        let outputs = outputs(result);
        let is_inside = |output: &&Expr<Primitive>| subterms(output).any(|term| term.origin == at);
        match outputs.iter().position(is_inside) {
            Some(number) if outputs.len() > 1 => match number {
                0 => "first result".to_owned(),
                1 => "second result".to_owned(),
                2 => "third result".to_owned(),
                _ => format!("result number {}", number + 1),
            },
            _ => "result".to_owned(),
        }
    }

    pub(super) fn written_by_all(
        &self,
        at: Origin,
        kind: &ProblemKind,
        nest: &[ParallelMap],
    ) -> Diagnostic {
        let ProblemKind::WrittenByAll {
            memory,
            dimension,
            sharers,
            size,
            instead,
            group,
        } = kind
        else {
            return Diagnostic::error(codes::WRITTEN_BY_ALL, self.source_map.location(at).head, "");
        };
        let spot = self.source_map.location(at);
        let who = match sharers {
            ConcurrentWriters::All => "every work-item",
            ConcurrentWriters::Group => "every work-item of a work-group",
        };
        let what = match (memory.made_by, memory.space) {
            (None, _) => format!(
                "the {} of `{}`",
                self.result_at(at),
                self.source_map.program.name
            ),
            (Some(_), Some(space)) => format!("the same {space} memory"),
            (Some(_), None) => "the same memory".to_owned(),
        };
        let along = match dimension {
            0 => String::new(),
            _ => format!(" along dimension {dimension}"),
        };
        let message = match instead {
            Some(one) => {
                let name = self.name(spot, one.primitive);
                format!("{who}{along} runs all of this `{name}`, and all write {what}")
            }
            None => format!("{who}{along} writes {what}"),
        };
        let map = match sharers {
            ConcurrentWriters::All => written(Primitive::MapGlobal, *dimension),
            ConcurrentWriters::Group => written(Primitive::MapLocal, *dimension),
        };
        let why = match (sharers, size) {
            (ConcurrentWriters::All, Some(size)) => format!(
                "`{}` work-items are launched in dimension {dimension}, and each runs the whole kernel",
                self.size(size)
            ),
            (ConcurrentWriters::All, None) => {
                "each work-item that is launched runs the whole kernel".to_owned()
            }
            (ConcurrentWriters::Group, _) => format!(
                "`{}` selects the part of each work-group, and nothing distributes this part over the work-items",
                written(Primitive::MapWorkGroup, *dimension)
            ),
        };
        let place = match instead {
            Some(_) => spot.head,
            None => self.source_map.stage(at),
        };
        let mut found =
            Diagnostic::error(codes::WRITTEN_BY_ALL, place, format!("{message}\n{why}"));
        match instead.as_ref().and_then(|one| Some((one, one.map?))) {
            Some((one, (primitive, dimension))) => {
                let choice = written(primitive, dimension);
                found.help = Some(format!("distribute the iterations: `{choice}`"));
                let title = format!("Replace with `{choice}`");
                let edits = self.source_map.replace(at, one.primitive, &choice);
                offer(&mut found, title, edits);
            }
            None => {
                let example = match sharers {
                    ConcurrentWriters::Group => self.by_one_item(at, &map),
                    ConcurrentWriters::All => None,
                };
                found.help = Some(match example {
                    Some(example) => {
                        format!("write the result inside of a `{map}`, as in `|> {example}`")
                    }
                    None => format!("write the result inside of a `{map}`"),
                });
            }
        }
        if let Some(group) = group {
            let choice = written(Primitive::MapGlobal, group.dimension);
            found.help = Some(format!(
                "distribute the iterations with `{map}`, or give each part to one work-item: `{choice}`"
            ));
            let title = format!("Replace `mapWorkGroup` with `{choice}`");
            let edits = self.source_map.replace(group.at, group.primitive, &choice);
            offer(&mut found, title, edits);
        }
        if *sharers == ConcurrentWriters::All
            && size.is_none()
            && nest.is_empty()
            && instead.is_none()
        {
            let launch = "@opencl(local = [1], global = [1])";
            found.help = Some(format!(
                "write the result inside of a `{map}`, or launch one work-item: {}",
                match self.number_of_results() {
                    0 | 1 => format!("`{launch}`"),
                    _ => "give each result a kernel of its own, as in \
                          `|> oclRun(1, 1, 1)(1, 1, 1)` for this one"
                        .to_owned(),
                }
            ));
            if self.number_of_results() > 1 {
                return found;
            }
            let edits = self.annotated(launch);
            offer(
                &mut found,
                format!("Launch one work-item: `{launch}`"),
                edits,
            );
        }
        found
    }

    /// Returns the text of `split(64) |> mapLocal(f)` for the application of `f` at an origin: an
    /// array of one element, which one work-item computes.
    fn by_one_item(&self, at: Origin, map: &str) -> Option<String> {
        const LONGEST: usize = 60;
        let item = self.source_map.written.item;
        let inference = self.source_map.written.inference;
        let term = self.source_map.spine_of(self.source_map.location(at))?;
        let TermKind::Binary {
            op: BinaryOp::Pipe,
            lhs,
            rhs,
            ..
        } = item.term(term).kind
        else {
            return None;
        };
        let Some(TermInfo::Expr(ty)) = inference.terms.get(lhs.0 as usize) else {
            return None;
        };
        let Type::Array(size, _) = &**ty else {
            return None;
        };
        let size = print::nat_text(size, &inference.names);
        let function = self.source_map.text(item.term(rhs).span);
        let is_short = function.len() <= LONGEST && !function.contains('\n');
        is_short.then(|| format!("split({size}) |> {map}({function})"))
    }

    pub(super) fn skips_first(
        &self,
        at: Origin,
        maps: &[ParallelMap],
        size: Option<&Nat>,
        others_are_one: bool,
    ) -> Diagnostic {
        let mut used: Vec<u8> = maps.iter().map(|level| level.dimension).collect();
        used.sort_unstable();
        used.dedup();
        let dimensions = |all: &[String]| match all {
            [one] => format!("dimension {one}"),
            many => format!("dimensions {}", many.join(" and ")),
        };
        let old: Vec<String> = used.iter().map(u8::to_string).collect();
        let new: Vec<String> = (0..used.len()).map(|d| d.to_string()).collect();
        let many = size.map_or("several".to_owned(), |size| self.plain_size(size));
        let message = format!(
            "no map distributes iterations over dimension 0: the maps are over {}\n\
             {many} work-items are launched in dimension 0, and each would run all of this",
            dimensions(&old)
        );
        let spot = self.source_map.location(at);
        let mut found = Diagnostic::error(codes::WRITTEN_BY_ALL, spot.head, message);
        if others_are_one {
            let moved = maps.iter().map(|level| {
                let d = used.iter().position(|d| *d == level.dimension)?;
                let name = written(level.primitive, u8::try_from(d).ok()?);
                Some((level, name))
            });
            let moved: Option<Vec<_>> = moved.collect();
            let moved = moved.unwrap_or_default();
            let mut names: Vec<String> = moved.iter().map(|(_, name)| tick(name)).collect();
            names.dedup();
            found.help = Some(format!("count dimensions from 0: {}", names.join(", ")));
            let edits = moved
                .iter()
                .map(|(level, name)| self.source_map.replace(level.at, level.primitive, name));
            let edits: Option<Vec<Edits>> = edits.collect();
            let title = format!("Use {} instead of {}", dimensions(&new), old.join(" and "));
            offer(&mut found, title, edits.map(|all| all.concat()));
            return found;
        }
        found.help =
            Some("launch one work-item in dimension 0, or distribute iterations over it".into());
        let sizes = ["local", "global"].map(|key| self.launch_sizes(key));
        let firsts = sizes.into_iter().flatten().map(|(sizes, _)| {
            let size = self.source_map.written.item.term(*sizes.first()?);
            Some((size.span, "1".to_owned()))
        });
        let edits: Option<Edits> = firsts.collect();
        let title = "Launch one work-item in dimension 0".to_owned();
        let edits = edits.filter(|edits| !edits.is_empty());
        offer(&mut found, title, edits);
        found
    }

    /// Returns the edit that adds an annotation to the definition; `None` if it has an `@opencl`
    /// annotation.
    fn annotated(&self, annotation: &str) -> Option<Edits> {
        if self.launch_annotation().is_some() {
            return None;
        }
        let name = self.def_name();
        let before = self.source_map.written.text.get(..name.start as usize)?;
        let def = u32::try_from(before.rfind("def")?).ok()?;
        Some(vec![(Span::empty(def), format!("{annotation}\n"))])
    }

    /// Returns the edit that adds these local sizes to the `@opencl` annotation, or the whole
    /// annotation if it is missing; `None` if the annotation has local sizes.
    pub(super) fn with_local(&self, sizes: &str) -> Option<Edits> {
        let Some(annotation) = self.launch_annotation() else {
            return self.annotated(&format!("@opencl(local = {sizes})"));
        };
        if self.launch_sizes("local").is_some() {
            return None;
        }
        let key = annotation.args.first()?.key.as_ref()?;
        let at = Span::empty(key.span.start);
        Some(vec![(at, format!("local = {sizes}, "))])
    }

    fn launch_annotation(&self) -> Option<&Annotation> {
        let item = &self.source_map.written.item;
        item.annotations(rise::LAUNCH_ANNOTATION).next()
    }

    pub(super) fn outside_kernels(&self, at: Origin) -> Diagnostic {
        let place = self.source_map.stage(at);
        let message = "this is computed outside of every `oclRun`\n\
             a program with `oclRun` consists of its kernels only";
        Diagnostic::error(codes::NOT_ON_TARGET, place, message).help(
            "move this into one of the kernels, or write `oclRun` around it to make it a kernel",
        )
    }

    pub(super) fn scans_arrays(
        &self,
        spot: SourceLocation,
        sharers: ConcurrentWriters,
    ) -> Diagnostic {
        let name = self.name(spot, Primitive::ScanSeq);
        let (who, map) = match sharers {
            ConcurrentWriters::All => ("every work-item", "mapGlobal"),
            ConcurrentWriters::Group => ("every work-item of a work-group", "mapLocal"),
        };
        let message = format!(
            "{who} copies each array that `{name}` makes to the same place\n\
             a scan returns all of its accumulators, and these are arrays"
        );
        Diagnostic::error(codes::WRITTEN_BY_ALL, spot.head, message).help(format!(
            "let each work-item scan numbers of its own: `transpose |> {map}({name}(…)) |> transpose`"
        ))
    }

    pub(super) fn no_effect(&self) -> Diagnostic {
        let annotation = self.launch_annotation();
        let place = annotation.map_or_else(|| self.def_name(), |annotation| annotation.span);
        let message = "`@opencl` has no effect: each `oclRun` says how its kernel is launched";
        let found = Diagnostic::error(codes::LAUNCH_SIZE, place, message).help(
            "leave `@opencl` out, or leave `oclRun` out if the whole definition is one kernel",
        );
        let text = self.source_map.written.text;
        let behind = text.get(place.end as usize..).unwrap_or_default();
        let blank = behind.len() - behind.trim_start().len();
        let end = u32::try_from(place.end as usize + blank).unwrap_or(place.end);
        let edits = annotation.map(|_| vec![(Span::new(place.start, end), String::new())]);
        self.fixed(found, "Leave `@opencl` out", edits)
    }

    pub(super) fn kernel_inside(
        &self,
        at: Origin,
        outer: Option<ParallelMap>,
        again: Option<(Primitive, Origin)>,
    ) -> Diagnostic {
        let spot = self.source_map.location(at);
        let name = self.name(spot, Primitive::OclRun);
        let (around, why, place) = match (outer, again) {
            (Some(outer), _) => (
                written(outer.primitive, outer.dimension),
                "the host launches kernels, and a work-item cannot",
                Some(outer.at),
            ),
            (None, Some((pattern, place))) => (
                pattern.name().to_owned(),
                match pattern {
                    Primitive::Repeat | Primitive::RepeatInPlace => {
                        "the host runs a loop around kernels, and this loop is inside of a kernel"
                    }
                    Primitive::RepeatWhile => {
                        "the host runs loops of a number of rounds that is known, and does not read what \
                         kernels compute"
                    }
                    _ => {
                        "the host runs loops of `repeat` and `repeatInPlace` around kernels, and no others"
                    }
                },
                Some(place),
            ),
            (None, None) => (
                "oclRun".to_owned(),
                "the host launches kernels, and a work-item cannot",
                None,
            ),
        };
        let message = format!("`{name}` cannot be inside `{around}`\n{why}");
        let mut found = Diagnostic::error(codes::WRONG_NESTING, spot.head, message);
        found.help = Some(match (outer, again) {
            (None, Some((Primitive::Repeat | Primitive::RepeatInPlace, _))) => format!(
                "leave out the `{name}` around `{around}`, or the one inside, so that one kernel runs \
                 all rounds"
            ),
            (None, Some((Primitive::RepeatWhile, _))) => format!(
                "put `{name}` around all of `{around}`, so that one kernel runs it, or write `repeat` \
                 with a number of rounds"
            ),
            (None, Some(_)) => format!(
                "put `{name}` around all of `{around}`, so that one kernel runs it, or write its rounds \
                 one after the other, each a kernel"
            ),
            _ => format!("put `{name}` around everything that belongs to one kernel"),
        });
        match place {
            Some(place) => found.related(self.source_map.related(place), "inside this"),
            None => found,
        }
    }

    pub(super) fn wrong_launch(&self, kernel: Option<Origin>, wrong: &LaunchError) -> Diagnostic {
        let head = kernel.map(|kernel| self.source_map.location(kernel).head);
        let at =
            |key: &str, dimension: u8| head.unwrap_or_else(|| self.launch_place(key, dimension));
        let along = |dimension: u8| match dimension {
            0 => String::new(),
            _ => format!(" in dimension {dimension}"),
        };
        match wrong {
            LaunchError::Nothing { dimension, global } => {
                let (key, help) = match global {
                    true => ("global", "launch at least one work-group"),
                    false => ("local", "a work-group has at least one work-item"),
                };
                let along = along(*dimension);
                let message = format!("the {key} size{along} is 0: this launches no work-items");
                Diagnostic::error(codes::LAUNCH_SIZE, at(key, *dimension), message).help(help)
            }
            LaunchError::LargeGroup {
                dimension,
                items,
                limit,
            } => {
                let place = match dimension {
                    Some(dimension) => at("local", *dimension),
                    None => head.unwrap_or_else(|| self.launch_list("local")),
                };
                let message = format!(
                    "a work-group has {} work-items{} here, and {} allows at most {}",
                    self.plain_size(items),
                    dimension.map_or_else(String::new, along),
                    limit.device,
                    limit.most
                );
                let mut found = Diagnostic::error(codes::DEVICE_LIMIT, place, message)
                    .help("launch smaller work-groups, and more of them");
                if let (Some(_), None, Some(smaller)) =
                    (dimension, kernel, smaller_group(items, limit.most))
                {
                    let title = format!("Launch groups of {smaller} work-items");
                    let edits = Some(vec![(place, smaller.to_string())]);
                    offer(&mut found, title, edits);
                }
                found
            }
            LaunchError::Remainder {
                dimension,
                local,
                global,
            } => self.remainder(
                at("global", *dimension),
                along(*dimension),
                local,
                global,
                kernel,
            ),
        }
    }

    fn remainder(
        &self,
        place: Span,
        along: String,
        local: &Nat,
        global: &Nat,
        kernel: Option<Origin>,
    ) -> Diagnostic {
        let message = format!(
            "the global size {} is not a multiple of the local size {}{along}\n\
             the work-items are divided into groups of the local size, without remainder",
            tick(&self.size(global)),
            tick(&self.size(local)),
        );
        let mut found = Diagnostic::error(codes::LAUNCH_SIZE, place, message);
        if let (Some(local), Some(global)) = (local.as_const(), global.as_const())
            && let Some(next) = global.checked_add(local - 1).map(|sum| sum / local * local)
        {
            found.help = Some(format!("the next multiple of the local size is {next}"));
            if kernel.is_none() {
                let title = format!("Launch {next} work-items");
                let edits = Some(vec![(place, next.to_string())]);
                offer(&mut found, title, edits);
            }
        } else {
            found.help = Some(
                "round the global size up: work-items beyond the end of a parallel map do nothing"
                    .into(),
            );
        }
        found
    }

    fn plain_size(&self, size: &Nat) -> String {
        match size.as_const() {
            Some(count) => count.to_string(),
            None => tick(&self.size(size)),
        }
    }

    /// Prints a size with the names of the source text.
    pub(super) fn size(&self, size: &Nat) -> String {
        let names = rise::Names(self.source_map.program.names.clone().into());
        print::nat_text(size, &names)
    }

    /// Returns the list of sizes under a key of the annotation, `local` or `global`, with the span
    /// of the list.
    fn launch_sizes(&self, key: &str) -> Option<(&[TermId], Span)> {
        let args = &self.launch_annotation()?.args;
        args.iter().find_map(|arg| match (&arg.key, &arg.value) {
            (Some(name), AnnotationValue::List(sizes, span)) if name.name == key => {
                Some((&sizes[..], *span))
            }
            _ => None,
        })
    }

    fn launch_list(&self, key: &str) -> Span {
        self.launch_sizes(key)
            .map_or_else(|| self.def_name(), |(_, span)| span)
    }

    fn launch_place(&self, key: &str, dimension: u8) -> Span {
        let size = self
            .launch_sizes(key)
            .and_then(|(sizes, _)| sizes.get(usize::from(dimension)));
        match size {
            Some(size) => self.source_map.written.item.term(*size).span,
            None => self.launch_list(key),
        }
    }

    pub(super) fn not_on_device(
        &self,
        spot: SourceLocation,
        scalar: ScalarType,
        device: &str,
    ) -> Diagnostic {
        let message = format!("{device} has no `{scalar}`");
        Diagnostic::error(codes::DEVICE_LIMIT, spot.head, message).help("compute with `f32`")
    }
}

/// Returns the largest number up to `most` that divides `items`; `None` if `items` is no constant.
fn smaller_group(items: &Nat, most: u64) -> Option<u64> {
    let items = u64::try_from(items.as_const()?).ok()?;
    (1..=most.min(items))
        .rev()
        .find(|size| items.is_multiple_of(*size))
}
