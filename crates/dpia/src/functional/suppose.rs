//! Offered address spaces, tried on the program: some of what they break is known only of the code
//! that would be made.

use rise::core::{Expr, Form, Mapper, Node, Origin, Program, subterms, walk};
use rise::{Address, Arg, Primitive, Type};
use syntax::ast::AddressSpace;

use super::complaint::{Complaint, Level, Problem, Space};
use super::memory::{address_of, inner_levels, parallel_maps};
use super::{Checked, check_on};
use crate::phrase::PhraseProgram;
use crate::target::{Device, Target};

/// So many complaints about memory are tried, the first ones: more are mended one after the other
/// anyway.
const MOST_TRIED: usize = 3;

/// What became of a program when an offered space was tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tried {
    /// It compiles.
    Compiles,
    /// It does not.
    Fails {
        /// Why.
        why: String,
        /// Whether that is certainly about who shares memory.
        shares: bool,
    },
}

/// Marks the address spaces that are offered in complaints, and with which the program does not
/// compile, as those that cannot be chosen. Nothing is known where a program is wrong for other
/// reasons, too.
pub fn try_spaces(
    checked: &mut Checked,
    program: &Program<Primitive>,
    device: &Device,
    compile: &mut dyn FnMut(&PhraseProgram) -> Tried,
) {
    let offered: Vec<usize> = (checked.complaints.iter().enumerate())
        .filter(|(_, complaint)| chosen(complaint).is_some())
        .map(|(at, _)| at)
        .collect();
    let others = checked.complaints.iter().filter(|c| c.is_error()).count();
    if others != offered.len() {
        return;
    }
    for &at in offered.iter().take(MOST_TRIED) {
        if !is_shared(program, &checked.complaints[at]) {
            continue;
        }
        let mut results = Vec::new();
        for space in legal(&checked.complaints[at]) {
            let mut supposed = program.clone();
            for &other in &offered {
                let complaint = &checked.complaints[other];
                let space = match other == at {
                    true => Some(space),
                    false => chosen(complaint),
                };
                let Some(space) = space else { continue };
                store(&mut supposed, complaint, space);
            }
            let phrase = check_on(&supposed, Target::OpenCl, device).phrase;
            results.push((space, phrase.as_ref().map(&mut *compile)));
        }
        let some = |(_, result): &(_, Option<Tried>)| *result == Some(Tried::Compiles);
        let some_compile = results.iter().any(some);
        for (space, result) in results {
            if let Some(Tried::Fails { why, shares }) = result
                && (shares || some_compile)
            {
                refuse(&mut checked.complaints[at], space, why);
            }
        }
    }
}

/// The program with the memory in another space that is written from a place on, and what asks for
/// that memory, with its place; none if nothing does.
pub fn stored_in(
    program: &Program<Primitive>,
    at: Origin,
    space: AddressSpace,
) -> Option<(Program<Primitive>, (Origin, Primitive))> {
    let mut moved = Moved {
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

struct Moved {
    at: Origin,
    space: AddressSpace,
    found: Option<(Origin, Primitive)>,
}

impl Moved {
    /// Memory has the place of what is written to it.
    fn is_meant(&self, expr: &Expr<Primitive>, args: &[Expr<Primitive>]) -> bool {
        match &expr.form {
            Form::Primitive(Primitive::ToMem, ..) => {
                args.first().is_some_and(|writer| writer.origin == self.at)
            }
            _ => expr.origin == self.at,
        }
    }
}

impl Mapper<Primitive> for Moved {
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

/// Type-level arguments with another address space.
fn with_space(primitive: Primitive, types: &[Arg], space: AddressSpace) -> Vec<Arg> {
    let mut types = types.to_vec();
    if address_of(primitive, &types).is_some() {
        types.pop();
    }
    types.push(Arg::Address(Address::Space(space)));
    types
}

/// The spaces that a complaint offers.
fn spaces(complaint: &Complaint) -> &[Space] {
    match &complaint.problem {
        Problem::MissingMemory { spaces, .. }
        | Problem::WhichSpace { spaces, .. }
        | Problem::WrongSpace { spaces, .. }
        | Problem::TooLarge { spaces, .. } => spaces,
        _ => &[],
    }
}

fn legal(complaint: &Complaint) -> Vec<AddressSpace> {
    let legal = spaces(complaint).iter().filter(|space| space.not.is_none());
    legal.map(|space| space.space).collect()
}

/// The space that is most likely to be right, where it is another one's turn.
fn chosen(complaint: &Complaint) -> Option<AddressSpace> {
    let legal = legal(complaint);
    let shared = [AddressSpace::Local, AddressSpace::Global];
    let shared = shared.into_iter().find(|space| legal.contains(space));
    shared.or(legal.first().copied())
}

fn refuse(complaint: &mut Complaint, space: AddressSpace, why: String) {
    let (Problem::MissingMemory { spaces, .. }
    | Problem::WhichSpace { spaces, .. }
    | Problem::WrongSpace { spaces, .. }
    | Problem::TooLarge { spaces, .. }) = &mut complaint.problem
    else {
        return;
    };
    for one in spaces.iter_mut().filter(|one| one.space == space) {
        one.not = Some(why.clone());
    }
    spaces.sort_by_key(Space::rank);
}

/// Whether work-items share what is stored.
fn is_shared(program: &Program<Primitive>, complaint: &Complaint) -> bool {
    let of_group = |level: &Level| level.primitive == Primitive::MapWorkGroup;
    let of_item = |level: &Level| matches!(level.primitive, Primitive::MapLocal);
    if complaint.nest.iter().any(of_group) && !complaint.nest.iter().any(of_item) {
        return true;
    }
    let levels = subterms(&program.body).find_map(|term| match &term.form {
        Form::Primitive(primitive, _, args) if is_meant(term, *primitive, complaint) => {
            Some(match complaint.problem {
                Problem::MissingMemory { .. } => {
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

/// Whether a complaint is about this application of a primitive.
fn is_meant(term: &Expr<Primitive>, primitive: Primitive, complaint: &Complaint) -> bool {
    term.origin == complaint.at
        && complaint.primitive() == Some(primitive)
        && !matches!(*term.ty, Type::Fun(..) | Type::Pi(_))
}

/// The program with the space that a complaint offers.
fn store(program: &mut Program<Primitive>, complaint: &Complaint, space: AddressSpace) {
    let mut stored = Stored { complaint, space };
    program.body = stored.expr(&program.body);
}

struct Stored<'c> {
    complaint: &'c Complaint,
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
        if !is_meant(&expr, *primitive, self.complaint) {
            return expr;
        }
        let (form, origin) = match self.complaint.problem {
            Problem::MissingMemory { .. } => {
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
