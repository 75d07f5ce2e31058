//! Checks of imperative programs besides types: data races, address spaces, outputs and targets.

use rise::core::{Form, Origin, Param};
use rise::primitive::OptionalArgument;
use rise::{Address, Arg, Type};
use rustc_hash::FxHashSet;
use syntax::Diagnostic;

use super::source_map::SourceMap;
use crate::codes;
use crate::imperative::{for_each, updated_parameters};
use crate::phrase::{Phrase, PhraseProgram};
use crate::prim::Prim;
use crate::races::{Race, RaceKind, races};
use crate::target::{Features, Parallelism};

/// Reports data races between the iterations of parallel loops. A race inside a used definition is
/// reported there only.
pub(super) fn data_races(
    linked: &PhraseProgram,
    whole: &PhraseProgram,
    source_map: &SourceMap,
    found: &mut Vec<Diagnostic>,
) {
    let elsewhere =
        |race: &&Race| source_map.is_elsewhere(race.at) && source_map.is_elsewhere(race.around);
    let of_others: FxHashSet<(Origin, Origin)> = races(linked)
        .iter()
        .filter(elsewhere)
        .map(|race| (race.at, race.around))
        .collect();
    for race in races(whole) {
        if of_others.contains(&(race.at, race.around)) {
            continue;
        }
        let (loop_name, help) = match &race.problem {
            RaceKind::Written { loop_name, .. } => (
                loop_name,
                "write to the acceptor that the loop gives its body, or make the loop a `for`",
            ),
            RaceKind::Run { loop_name, .. } => (
                loop_name,
                "run the command outside of the loop, or make the loop a `for`",
            ),
            RaceKind::Read { loop_name, .. } => (
                loop_name,
                "read it after the loop, read other memory, or make the loop a `for`",
            ),
        };
        let text = race.problem.to_string();
        let around = source_map.own_location(race.around);
        found.push(
            source_map
                .error(codes::DATA_RACE, race.at, text)
                .related(
                    around,
                    format!("the iterations of this `{loop_name}` run at once"),
                )
                .help(help),
        );
    }
}

/// Returns every primitive in `body` that takes an optional address space, with its origin, and
/// true if the address space is given.
fn spaces(body: &Phrase) -> Vec<(Prim, Origin, bool)> {
    let mut found = Vec::new();
    each(body, &mut |phrase| {
        if let Form::Primitive(prim, types, _) = &phrase.form
            && prim.optional_argument() == Some(OptionalArgument::AddressSpace)
        {
            let space = matches!(types.last(), Some(Arg::Address(_)));
            found.push((*prim, phrase.origin, space));
        }
    });
    found
}

/// Reports one use of memory without an address space, which is for C and OpenMP, in a program that
/// also has memory with one, which is for OpenCL.
pub(super) fn mixed_spaces(
    program: &PhraseProgram,
    source_map: &SourceMap,
    found: &mut Vec<Diagnostic>,
) {
    let all = spaces(&program.body);
    let with = all.iter().find(|(_, _, space)| *space);
    let without = all.iter().find(|(_, _, space)| !*space);
    if let (Some((_, other, _)), Some((prim, origin, _))) = (with, without) {
        let name = prim.name();
        let text =
            format!("this `{name}` has no address space, and other memory of the program has one");
        let help = "memory without an address space is for C and OpenMP, with one for OpenCL: \
                    write it everywhere, as in `new(Private, …)`, or nowhere";
        found.push(
            source_map
                .error(codes::ADDRESS_SPACE, *origin, text)
                .related(
                    source_map.own_location(*other),
                    "memory with an address space",
                )
                .help(help),
        );
    }
}

/// Makes the error for a definition that is no program, with the reason.
pub(super) fn no_program(program: &PhraseProgram, source_map: &SourceMap) -> Diagnostic {
    let name = &program.name;
    let mut ty = &program.body.ty;
    let mut why = "it is neither an expression nor a command";
    loop {
        match &**ty {
            Type::Pi(pi) if pi.kind == syntax::ast::Kind::Nat => ty = &pi.body,
            Type::Pi(_) => {
                why = "it takes a type-level parameter that is not a size";
                break;
            }
            Type::Fun(param, result) => {
                if matches!(**param, Type::Fun(..) | Type::Pi(_) | Type::Comm) {
                    why = "it takes a function or a command, and only data can be passed";
                    break;
                }
                ty = result;
            }
            Type::Exp(..) => {
                why = "it takes an acceptor, and returns an expression";
                break;
            }
            _ => break,
        }
    }
    source_map
        .whole(codes::NOT_A_PROGRAM, format!("`{name}` cannot be compiled: {why}"))
        .help("a program takes sizes and data and returns data, or it is a command that also takes an acceptor")
}

/// Reports the parameters that are updated in place and do not follow the acceptor of their memory.
pub(super) fn updated_without_acceptor(
    program: &PhraseProgram,
    source_map: &SourceMap,
    found: &mut Vec<Diagnostic>,
) {
    for (acceptor, value) in updated_parameters(program) {
        if acceptor.is_none() {
            let (def, name) = (&program.name, &value.local.name);
            let text = format!(
                "`{def}` cannot be compiled: its parameter `{name}` is updated in place, and does not follow an acceptor of its type"
            );
            let help = format!(
                "take the acceptor of its memory before it: `{name}Acc: Acc[…], {name}: Exp[…, Rd]`"
            );
            found.push(source_map.whole(codes::NOT_A_PROGRAM, text).help(help));
        }
    }
}

/// Reports a compiled command without an output.
pub(super) fn no_output(
    program: &PhraseProgram,
    source_map: &SourceMap,
    found: &mut Vec<Diagnostic>,
) {
    let signature = program.signature();
    let is_output = |param: &Param| matches!(*param.ty, Type::Acc(_));
    if !signature.values().any(is_output) {
        let name = &program.name;
        let text = format!("`{name}` writes nothing that a caller could read");
        let help = "take an acceptor, `output: Acc[…]`";
        found.push(source_map.whole(codes::NOT_A_PROGRAM, text).help(help));
    }
}

/// Reports primitives and address spaces that the target lacks, and, on a target with work-items,
/// memory without an address space.
pub(super) fn target(
    program: &PhraseProgram,
    target: Features,
    source_map: &SourceMap,
    found: &mut Vec<Diagnostic>,
) {
    let title = target.title;
    each(&program.body, &mut |phrase| {
        let Form::Primitive(prim, types, _) = &phrase.form else {
            return;
        };
        let origin = phrase.origin;
        if !target.provides(prim.requirement()) {
            let name = prim.name();
            let text = format!("{title} has no `{name}`");
            found.push(
                source_map
                    .error(codes::NOT_ON_TARGET, origin, text)
                    .help(instead(*prim, target)),
            );
        }
        if prim.optional_argument() == Some(OptionalArgument::AddressSpace) {
            let name = prim.name();
            match (types.last(), target.has_work_items()) {
                (Some(Arg::Address(space)), false) => {
                    let space = match space {
                        Address::Space(space) => format!("{space} memory"),
                        Address::Var(_) => "address spaces".to_owned(),
                    };
                    let text = format!("{title} has no {space}");
                    let help = format!("leave the address space of `{name}` out");
                    found.push(
                        source_map
                            .error(codes::NOT_ON_TARGET, origin, text)
                            .help(help),
                    );
                }
                (Some(Arg::Address(_)), true) | (_, false) => {}
                (_, true) => {
                    let text = format!("this `{name}` does not say in which memory it is");
                    let help = format!("write the address space first, as in `{name}(Private, …)`");
                    found.push(
                        source_map
                            .error(codes::ADDRESS_SPACE, origin, text)
                            .help(help),
                    );
                }
            }
        }
    });
}

/// Returns the help text that says what to write instead of a primitive that the target lacks.
fn instead(prim: Prim, target: Features) -> String {
    let title = target.title;
    let text = match (prim, target.parallelism) {
        (Prim::Barrier, _) => "its threads share nothing that a barrier would guard: leave it out",
        (Prim::OclRunCommand | Prim::OclRun, _) => {
            return format!("{title} has no kernels: leave it out");
        }
        (Prim::ParReduce, _) => "combine the values in a `for`",
        (Prim::ParForNat, _) => "write a `forNat`, with `depIdxAcc` for its element",
        (_, Parallelism::Sequential) => "write a `for`, with `idxAcc` for its element",
        (_, Parallelism::Threads) => return format!("for {title} write `parFor`"),
        (_, Parallelism::WorkItems) => {
            return format!(
                "for {title} write `parForGlobal`, or `parForWorkGroup` and `parForLocal`"
            );
        }
    };
    text.to_owned()
}

/// Calls `f` for every phrase of a program, once for shared ones.
fn each(body: &Phrase, f: &mut dyn FnMut(&Phrase)) {
    for_each(body, &mut FxHashSet::default(), f);
}
