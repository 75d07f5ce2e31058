//! Trials of offered address spaces on the program, because some problems appear only in the
//! generated code.

use rise::core::{Expr, Form, Mapper, Node, Origin, Program, subterms, walk};
use rise::{Address, Arg, Primitive, Type};
use syntax::ast::AddressSpace;

use super::memory::{address_of, inner_levels, parallel_maps};
use super::problem::{ParallelMap, Problem, ProblemKind, SpaceChoice};
use super::{Checked, check_on};
use crate::phrase::PhraseProgram;
use crate::target::{Device, Features};

/// The greatest number of problems about memory that are tried; users solve further ones one after
/// the other.
const MAX_TRIALS: usize = 3;

/// The result of compiling a program with an offered address space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TrialResult {
    /// The program compiles.
    Compiles,
    /// The program does not compile, or needs more local memory than the device has.
    Fails {
        /// The reason.
        why: String,
        /// True if the reason is certainly that work-items share memory.
        shares: bool,
    },
}

/// Compiles the program with each address space that its problems offer for memory that work-items
/// share. Marks a failing address space as impossible if the reason is certainly that work-items
/// share memory, or if another address space for the same memory compiles. Does nothing if the
/// program has other errors too.
pub fn try_spaces(
    checked: &mut Checked,
    program: &Program<Primitive>,
    target: Features,
    device: &Device,
    compile: &mut dyn FnMut(&PhraseProgram) -> TrialResult,
) {
    let offered: Vec<usize> = (checked.problems.iter().enumerate())
        .filter(|(_, problem)| chosen(problem).is_some())
        .map(|(at, _)| at)
        .collect();
    let others = checked.problems.iter().filter(|c| c.is_error()).count();
    if others != offered.len() {
        return;
    }
    for &at in offered.iter().take(MAX_TRIALS) {
        if !is_shared(program, &checked.problems[at]) {
            continue;
        }
        let mut results = Vec::new();
        for space in legal(&checked.problems[at]) {
            let mut supposed = program.clone();
            for &other in &offered {
                let problem = &checked.problems[other];
                let space = match other == at {
                    true => Some(space),
                    false => chosen(problem),
                };
                let Some(space) = space else { continue };
                store(&mut supposed, problem, space);
            }
            let phrase = check_on(&supposed, target, device).phrase;
            results.push((space, phrase.as_ref().map(&mut *compile)));
        }
        let some = |(_, result): &(_, Option<TrialResult>)| *result == Some(TrialResult::Compiles);
        let some_compile = results.iter().any(some);
        for (space, result) in results {
            if let Some(TrialResult::Fails { why, shares }) = result
                && (shares || some_compile)
            {
                refuse(&mut checked.problems[at], space, why);
            }
        }
    }
}

/// Returns the program with another address space for the memory of the value at an origin, and the
/// primitive that allocates that memory, with its origin; `None` if there is no such memory.
pub fn stored_in(
    program: &Program<Primitive>,
    at: Origin,
    space: AddressSpace,
) -> Option<(Program<Primitive>, (Origin, Primitive))> {
    let mut moved = SpaceReplacer {
        at,
        space,
        found: None,
    };
    let body = moved.expr(&program.body);
    let found = moved.found?;
    let program = Program {
        body,
        ..program.clone()
    };
    Some((program, found))
}

struct SpaceReplacer {
    at: Origin,
    space: AddressSpace,
    found: Option<(Origin, Primitive)>,
}

impl SpaceReplacer {
    /// Returns true for the primitive whose address space is replaced. A `toMem` is identified by
    /// the origin of its argument.
    fn is_meant(&self, expr: &Expr<Primitive>, args: &[Expr<Primitive>]) -> bool {
        match &expr.form {
            Form::Primitive(Primitive::ToMem, ..) => {
                args.first().is_some_and(|writer| writer.origin == self.at)
            }
            _ => expr.origin == self.at,
        }
    }
}

impl Mapper<Primitive> for SpaceReplacer {
    fn keeps_types(&self) -> bool {
        true
    }

    fn expr(&mut self, expr: &Expr<Primitive>) -> Expr<Primitive> {
        let expr = walk(self, expr);
        match &expr.form {
            Form::Primitive(primitive, types, args)
                if address_of(*primitive, types).is_some() && self.is_meant(&expr, args) =>
            {
                self.found = Some((expr.origin, *primitive));
                let types = with_space(*primitive, types, self.space);
                let form = Form::Primitive(*primitive, types.into(), args.clone());
                Node::new(form, expr.ty.clone(), expr.origin)
            }
            _ => expr,
        }
    }
}

/// Sets the address space in type-level arguments, which may have none.
fn with_space(primitive: Primitive, types: &[Arg], space: AddressSpace) -> Vec<Arg> {
    let mut types = types.to_vec();
    if address_of(primitive, &types).is_some() {
        types.pop();
    }
    types.push(Arg::Address(Address::Space(space)));
    types
}

/// Returns the address spaces that a problem offers.
fn spaces(problem: &Problem) -> &[SpaceChoice] {
    match &problem.kind {
        ProblemKind::MissingMemory { spaces, .. }
        | ProblemKind::WhichSpace { spaces, .. }
        | ProblemKind::WrongSpace { spaces, .. }
        | ProblemKind::TooLarge { spaces, .. } => spaces,
        _ => &[],
    }
}

fn legal(problem: &Problem) -> Vec<AddressSpace> {
    let legal = spaces(problem)
        .iter()
        .filter(|space| space.impossible.is_none());
    legal.map(|space| space.space).collect()
}

/// Returns the most probable address space that a problem offers, which is used while another
/// problem's spaces are tried; `None` if it offers no possible one.
fn chosen(problem: &Problem) -> Option<AddressSpace> {
    let legal = legal(problem);
    let shared = [AddressSpace::Local, AddressSpace::Global];
    let shared = shared.into_iter().find(|space| legal.contains(space));
    shared.or(legal.first().copied())
}

fn refuse(problem: &mut Problem, space: AddressSpace, why: String) {
    let (ProblemKind::MissingMemory { spaces, .. }
    | ProblemKind::WhichSpace { spaces, .. }
    | ProblemKind::WrongSpace { spaces, .. }
    | ProblemKind::TooLarge { spaces, .. }) = &mut problem.kind
    else {
        return;
    };
    for one in spaces.iter_mut().filter(|one| one.space == space) {
        one.impossible = Some(why.clone());
    }
    spaces.sort_by_key(SpaceChoice::rank);
}

/// Returns true if several work-items share the stored value: it is in a `mapWorkGroup` but in no
/// `mapLocal`, or parallel maps write it.
fn is_shared(program: &Program<Primitive>, problem: &Problem) -> bool {
    let of_group = |level: &ParallelMap| level.primitive == Primitive::MapWorkGroup;
    let of_item = |level: &ParallelMap| matches!(level.primitive, Primitive::MapLocal);
    if problem.nest.iter().any(of_group) && !problem.nest.iter().any(of_item) {
        return true;
    }
    let levels = subterms(&program.body).find_map(|term| match &term.form {
        Form::Primitive(primitive, _, args) if is_meant(term, *primitive, problem) => {
            Some(match problem.kind {
                ProblemKind::MissingMemory { .. } => {
                    let mut levels = Vec::new();
                    parallel_maps(term, &mut levels);
                    levels
                }
                _ => inner_levels(*primitive, args),
            })
        }
        _ => None,
    });
    levels.is_some_and(|levels| !levels.is_empty())
}

/// Returns true if a problem is about this application of a primitive, which has all its arguments.
fn is_meant(term: &Expr<Primitive>, primitive: Primitive, problem: &Problem) -> bool {
    term.origin == problem.at
        && problem.primitive() == Some(primitive)
        && !matches!(*term.ty, Type::Fun(..) | Type::Pi(_))
}

/// Changes the program to use an address space that a problem offers.
fn store(program: &mut Program<Primitive>, problem: &Problem, space: AddressSpace) {
    let mut stored = Stored { problem, space };
    program.body = stored.expr(&program.body);
}

struct Stored<'c> {
    problem: &'c Problem,
    space: AddressSpace,
}

impl Mapper<Primitive> for Stored<'_> {
    fn keeps_types(&self) -> bool {
        true
    }

    fn expr(&mut self, expr: &Expr<Primitive>) -> Expr<Primitive> {
        let expr = walk(self, expr);
        let Form::Primitive(primitive, types, args) = &expr.form else {
            return expr;
        };
        if !is_meant(&expr, *primitive, self.problem) {
            return expr;
        }
        let (form, origin) = match self.problem.kind {
            ProblemKind::MissingMemory { .. } => {
                let space = Arg::Address(Address::Space(self.space));
                let types = [Arg::Type(expr.ty.clone()), space];
                let form = Form::Primitive(Primitive::ToMem, types.into(), [expr.clone()].into());
                (form, Origin(u32::MAX))
            }
            _ => {
                let types = with_space(*primitive, types, self.space);
                let form = Form::Primitive(*primitive, types.into(), args.clone());
                (form, expr.origin)
            }
        };
        Node::new(form, expr.ty.clone(), origin)
    }
}
