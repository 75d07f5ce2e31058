//! The inference of accesses, in one traversal of a program, which also collects the problems that
//! keep the program from being compiled.
//!
//! In normal form every context determines the access of an expression: the result of the program
//! is written, arguments have the accesses of the table, and a variable in the table is determined
//! by the context of the whole expression. So no constraint solver is needed. For a type with an
//! array, the access must be the expected one. For one without, `Rd` is accepted where `Wr` is
//! expected, and the variable gets the smallest access that its parts allow: a readable value is
//! written by one assignment.

use std::sync::Arc;

use nat::{Facts, Prop, Var};
use rise::core::{Expr, Form, Launch, Local, Node, Origin, Param, Program, apply};
use rise::pattern::{MapLoop, View};
use rise::types::{contains_array, in_place_components};
use rise::{Access, Arg, Pattern, Pi, Primitive, Ty, Type};
use rustc_hash::FxHashMap;
use syntax::ast::Half;

use super::access_table::{AccessEntry, ArgumentAccess, access_signature, type_args};
use super::accumulator;
use super::nesting::{chains, level};
use super::problem::{ParallelMap, Problem, ProblemKind, User};
use super::views::function_rearranges;
use super::write_conflicts::{WriteDestination, has_kernels};
use crate::phrase::{self, Phrase, exp};
use crate::prim::Prim;
use crate::target::{Device, Features};

/// A term of RISE.
pub(crate) type Term = Expr<Primitive>;

/// The requirements that the context of an expression has on it.
#[derive(Clone, Debug)]
pub(crate) struct Expectation {
    /// The expected access: `Rd`, `Wr`, or `St` where a stream is consumed.
    pub access: Access,
    /// The user of the expression.
    pub user: User,
    /// True if the result of the user is written, so that a stream would end there.
    pub ends: bool,
    /// The memory that the expression is written to.
    pub into: WriteDestination,
    /// The values that are in this memory already.
    pub owned: Owned,
}

/// The accumulators that are in the memory to which an expression is written. An array that is one
/// of them needs no copy.
#[derive(Clone, Debug, Default)]
pub(crate) struct Owned(Vec<OwnedPart>);

/// An accumulator, or a part of it, that is in a part of the memory that is written.
#[derive(Clone, Debug)]
struct OwnedPart {
    /// The components of tuples that select the part of the memory.
    place: Vec<Half>,
    /// The accumulator.
    local: u32,
    /// The components of tuples that select the part of the accumulator.
    part: Vec<Half>,
}

impl Owned {
    /// Returns what is owned where the result of a step of a reduction is written.
    fn accumulator(local: &Local) -> Owned {
        Owned(vec![OwnedPart {
            place: Vec::new(),
            local: local.id,
            part: Vec::new(),
        }])
    }

    /// Returns what is owned where a component of a tuple is written.
    fn half(&self, half: Half) -> Owned {
        let inside = |owned: &OwnedPart| {
            let mut owned = owned.clone();
            if owned.place.is_empty() {
                owned.part.push(half);
            } else if owned.place.remove(0) != half {
                return None;
            }
            Some(owned)
        };
        Owned(self.0.iter().filter_map(inside).collect())
    }

    /// Returns true if an expression is the owned value: the accumulator or a component of it, or a
    /// reduction that starts from it.
    fn has(&self, term: &Term) -> bool {
        match &term.form {
            Form::Primitive(Primitive::ReduceSeq | Primitive::ReduceSeqUnroll, _, args) => {
                args.get(1).is_some_and(|init| self.has_part(init))
            }
            _ => self.has_part(term),
        }
    }

    fn has_part(&self, term: &Term) -> bool {
        let mut part = Vec::new();
        let mut term = term;
        while let Form::Primitive(primitive @ (Primitive::Fst | Primitive::Snd), _, args) =
            &term.form
            && let [pair] = &args[..]
        {
            part.insert(
                0,
                match primitive {
                    Primitive::Fst => Half::First,
                    _ => Half::Second,
                },
            );
            term = pair;
        }
        let Form::Var(local) = &term.form else {
            return false;
        };
        let is_it =
            |own: &OwnedPart| own.place.is_empty() && own.local == local.id && own.part == part;
        self.0.iter().any(is_it)
    }
}

pub(crate) struct AccessInference {
    pub target: Features,
    /// The accesses of the variables in scope.
    pub scope: FxHashMap<u32, Access>,
    /// The enclosing parallel maps.
    pub nest: Vec<ParallelMap>,
    pub problems: Vec<Problem>,
    pub next_local: u32,
    /// The conditions on sizes that the generated code assumes: those of the program, and those
    /// that the checks add.
    pub obligations: Vec<Prop>,
    /// The facts about sizes.
    pub facts: Facts,
    /// The number of copies of the expression in unrolled code.
    pub copies: u64,
    /// The size parameters of the program.
    pub params: Vec<Var>,
    /// The device of the target.
    pub device: Device,
    /// The launch sizes of the kernel.
    pub launch: Launch,
    /// True if the program has explicit kernels and the target has work-items.
    pub kernels: bool,
    /// True if the current expression is in an explicit kernel.
    pub in_kernel: bool,
    /// The `oclRun` of the enclosing kernel.
    pub kernel: Option<Origin>,
    /// The innermost enclosing primitive, other than `let`, that the expression is in a function
    /// of: it may repeat the expression.
    pub again: Option<(Primitive, Origin)>,
    /// True while memory is checked as if it was allocated in some address space: the results are
    /// discarded, and no further choices are tried.
    pub is_trial: bool,
    /// The whole program.
    pub root: Term,
    /// The positions of the parameters that are updated in place, counted among the values.
    inout: Box<[usize]>,
}

impl AccessInference {
    pub fn new(program: &Program<Primitive>, target: Features, device: &Device) -> Self {
        let mut facts = Facts::new();
        for prop in program.facts.iter().chain(&program.obligations) {
            facts.assume(prop);
        }
        AccessInference {
            obligations: program.obligations.clone(),
            facts,
            copies: 1,
            params: Vec::new(),
            device: device.clone(),
            launch: program.launch.clone(),
            inout: program.inout.clone(),
            kernels: target.has_work_items() && has_kernels(&program.body),
            in_kernel: false,
            kernel: None,
            again: None,
            is_trial: false,
            root: program.body.clone(),
            target,
            scope: FxHashMap::default(),
            nest: Vec::new(),
            problems: Vec::new(),
            next_local: program.next_local,
        }
    }

    /// Translates the right side of a definition: its parameters are read, its result is written.
    pub fn definition(&mut self, term: &Term) -> Phrase {
        self.parameters(term, &mut Vec::new())
    }

    /// Translates a definition under its first parameters, `before`, which are values.
    fn parameters(&mut self, term: &Term, before: &mut Vec<Param>) -> Phrase {
        match &term.form {
            Form::Lambda(param, body) => {
                before.push(param.clone());
                let param = self.bind(param, Access::Rd);
                phrase::fun(param, self.parameters(body, before))
            }
            Form::DepLambda(var, kind, body) => {
                let implicit = matches!(&*term.ty, Type::Pi(pi) if pi.implicit);
                self.params.push(*var);
                let body = self.parameters(body, before);
                let ty = Type::Pi(Pi::new(*var, *kind, implicit, body.ty.clone()));
                Node::new(
                    Form::DepLambda(*var, *kind, body),
                    Arc::new(ty),
                    term.origin,
                )
            }
            _ => {
                let want = Expectation {
                    access: Access::Wr,
                    user: User::Result,
                    ends: true,
                    into: WriteDestination::result(),
                    owned: self.owned_by_result(term, before),
                };
                self.value(term, &want)
            }
        }
    }

    /// Returns the parameters that are updated in place, each in the component of the result that
    /// is its new value. Reports a read of one of them after it is written.
    fn owned_by_result(&mut self, result: &Term, params: &[Param]) -> Owned {
        let marked: Vec<&Param> = self.inout.iter().filter_map(|at| params.get(*at)).collect();
        let types: Vec<Ty> = marked.iter().map(|param| param.ty.clone()).collect();
        // Inference has checked the type of the result.
        let places = in_place_components(&result.ty, &types).unwrap_or_default();
        for (param, place) in marked.iter().zip(&places) {
            let moved = accumulator::read_after_update(&param.local, place, result, &self.facts);
            if let Some(moved) = moved {
                let name = param.local.name.clone();
                let write = moved.write;
                self.report(moved.read, ProblemKind::ReadAfterUpdate { name, write });
            }
        }
        let owned = marked.iter().zip(places).map(|(param, place)| OwnedPart {
            place,
            local: param.local.id,
            part: Vec::new(),
        });
        Owned(owned.collect())
    }

    fn bind(&mut self, param: &Param, access: Access) -> Param {
        self.scope.insert(param.local.id, access);
        Param {
            local: param.local.clone(),
            ty: exp(&param.ty, access),
        }
    }

    pub fn report(&mut self, at: Origin, kind: ProblemKind) {
        self.problems.push(Problem {
            at,
            kind,
            nest: self.correctly_nested_maps(),
        });
    }

    /// Translates an expression of a data type, and reports a problem if its context does not accept
    /// its access.
    pub fn value(&mut self, term: &Term, want: &Expectation) -> Phrase {
        let origin = term.origin;
        match &term.form {
            Form::Var(local) => {
                let access = self.scope.get(&local.id).copied().unwrap_or(Access::Rd);
                self.check_access(term, access, want);
                self.check_type(term);
                let ty = exp(&term.ty, access);
                self.stays(term, want, Node::new(Form::Var(local.clone()), ty, origin))
            }
            Form::Literal(literal) => {
                self.check_type(term);
                phrase::literal(literal.clone(), &term.ty, origin)
            }
            Form::Nat(size) => phrase::nat(size.clone(), origin),
            Form::Primitive(primitive, types, args) => {
                self.primitive(term, *primitive, types, args, want)
            }
            Form::Foreign(function, args) => {
                let wanted = Expectation {
                    access: Access::Rd,
                    user: User::Foreign(function.name.clone(), origin),
                    ends: false,
                    into: WriteDestination::default(),
                    owned: Owned::default(),
                };
                let args = args.iter().map(|arg| self.value(arg, &wanted)).collect();
                self.check_access(term, Access::Rd, want);
                let ty = exp(&term.ty, Access::Rd);
                Node::new(Form::Foreign(function.clone(), args), ty, origin)
            }
            // The remaining forms do not occur in a program in normal form, except for calls of
            // parameters, which have been reported.
            Form::Lambda(..)
            | Form::DepLambda(..)
            | Form::Apply(..)
            | Form::DepApply(..)
            | Form::Global(..) => {
                let ty = exp(&term.ty, want.access);
                Node::new(Form::Nat(nat::Nat::ZERO), ty, origin)
            }
        }
    }

    fn primitive(
        &mut self,
        term: &Term,
        primitive: Primitive,
        types: &[Arg],
        args: &[Term],
        want: &Expectation,
    ) -> Phrase {
        let prim = match Prim::of_rise(primitive) {
            Some(Prim::Zip) if args.iter().any(is_stream) => Prim::ZipStream,
            Some(prim) => prim,
            None => {
                self.missing_choice(term, Primitive::Reduce, None);
                Prim::ReduceSeq
            }
        };
        let said = self.problems.len();
        let mut level = level(primitive, types, term.origin);
        self.check(term, primitive, types, args, level.as_mut());
        let around = self.enter_kernel((primitive, term.origin), types, &want.into);
        let copies = self.copies;
        let inside = copies.saturating_mul(self.check_sizes(term, primitive, args));
        let (prim, access) = self.choose(term, prim, args, want);
        if level.is_none() && self.problems[said..].iter().any(Problem::is_missing_map) {
            level = self.likely_level(term.origin, args.first());
        }
        let row = access_signature(prim);
        let mut into = self.memory_of(term, primitive, types, &want.into);
        self.check_scan(term, primitive, args, &want.into);
        into.writers_unknown |= self.problems[said..].iter().any(Problem::is_of_writers);
        self.nest.extend(level);
        let mut own = Vec::new();
        let mut taken = Vec::new();
        for (at, arg) in args.iter().enumerate() {
            let whole = (term.origin, primitive, access, &into);
            self.copies = match row.taken.get(at) {
                Some(ArgumentAccess::Function { .. }) => inside,
                _ => copies,
            };
            // The arguments beyond those of the type are the values of `makeArray`.
            let said = self.problems.len();
            let (phrase, was) = self.taken((at, arg), row.taken.get(at), whole, want, level);
            // The writes of a function without an implementation are not known.
            if at == 0 && !self.problems[said..].iter().any(Problem::is_choice) {
                self.check_accumulator(primitive, arg);
            }
            taken.push(phrase);
            own.extend(was);
        }
        self.copies = copies;
        if level.is_some() {
            self.nest.pop();
        }
        self.leave_kernel(around);
        self.check_access(term, access, want);
        let types = type_args(row, types, access, &own);
        self.stays(term, want, phrase::prim(prim, types, taken, term.origin))
    }

    /// Marks the phrase of an array that is in the memory to which it is written.
    fn stays(&self, term: &Term, want: &Expectation, phrase: Phrase) -> Phrase {
        match self.is_in_place(term, want) {
            true => {
                let types = vec![Arg::Type(term.ty.clone())];
                phrase::prim(Prim::InPlace, types, vec![phrase], term.origin)
            }
            false => phrase,
        }
    }

    /// Returns true for an array that is in the memory to which it is written.
    fn is_in_place(&self, term: &Term, want: &Expectation) -> bool {
        want.access == Access::Wr && contains_array(&term.ty) && want.owned.has(term)
    }

    /// Translates an argument of the primitive at `origin`, whose result has the access `access`.
    /// The memory `into` is that of the argument if the argument is written, or of its results if
    /// it is a function. Returns also the variable and the value of the argument's access if the
    /// argument has an access of its own.
    fn taken(
        &mut self,
        (at, arg): (usize, &Term),
        wanted: Option<&ArgumentAccess>,
        (origin, primitive, access, into): (Origin, Primitive, Access, &WriteDestination),
        want: &Expectation,
        level: Option<ParallelMap>,
    ) -> (Phrase, Option<(Var, Access)>) {
        let owned = match (primitive, at) {
            (Primitive::Select, 1 | 2) | (Primitive::Let, 1) => want.owned.clone(),
            (Primitive::MakePair, 0) => want.owned.half(Half::First),
            (Primitive::MakePair, 1) => want.owned.half(Half::Second),
            // The reduction works in the memory of the accumulator from which it starts.
            (Primitive::ReduceSeq | Primitive::ReduceSeqUnroll | Primitive::RepeatInPlace, 1)
                if want.access == Access::Wr && want.owned.has_part(arg) =>
            {
                want.owned.clone()
            }
            (Primitive::ReduceSeq | Primitive::ReduceSeqUnroll | Primitive::RepeatInPlace, 0) => {
                match &arg.form {
                    Form::Lambda(accumulator, _) => Owned::accumulator(&accumulator.local),
                    _ => Owned::default(),
                }
            }
            _ => Owned::default(),
        };
        // The user that expects the whole to be written expects its part to be written too.
        let passes = |slot: &AccessEntry| *slot == AccessEntry::Result && access == Access::Wr;
        let wants = |slot: &AccessEntry, access| Expectation {
            access,
            user: match passes(slot) {
                true => want.user.clone(),
                false => User::Primitive(primitive, origin),
            },
            ends: want.access == Access::Wr,
            into: match access {
                Access::Wr => into.clone(),
                _ => WriteDestination::default(),
            },
            owned: owned.clone(),
        };
        match wanted {
            Some(ArgumentAccess::Function { params, result }) => {
                let params = params.iter().map(|slot| resolve(*slot, access));
                let result = Expectation {
                    access: resolve(*result, access),
                    user: match passes(result) {
                        true => want.user.clone(),
                        false => User::Function(primitive, origin),
                    },
                    ends: true,
                    into: into.clone(),
                    owned,
                };
                let params: Vec<Access> = params.collect();
                let again = self.again;
                if primitive != Primitive::Let && !self.is_host_loop(primitive, into) {
                    self.again = Some((primitive, origin));
                }
                let phrase = self.function(arg, &params, &result);
                self.again = again;
                (phrase, None)
            }
            Some(ArgumentAccess::Value(slot @ AccessEntry::Own(var))) => {
                let access = match is_stream(arg) {
                    true => Access::St,
                    false => Access::Rd,
                };
                let phrase = self.argument(arg, &wants(slot, access), level);
                (phrase, Some((*var, access)))
            }
            Some(ArgumentAccess::Value(slot)) => {
                let want = wants(slot, resolve(*slot, access));
                (self.argument(arg, &want, level), None)
            }
            None => {
                let slot = AccessEntry::Is(Access::Rd);
                (self.argument(arg, &wants(&slot, Access::Rd), level), None)
            }
        }
    }

    /// Translates an argument that is no function. It is evaluated outside of the primitive's own
    /// loop, so `level` is not around it.
    fn argument(&mut self, arg: &Term, want: &Expectation, level: Option<ParallelMap>) -> Phrase {
        let inside = level.and_then(|_| self.nest.pop());
        let phrase = self.value(arg, want);
        self.nest.extend(inside);
        phrase
    }

    /// Chooses the access of a primitive's result. Returns also the primitive as which the
    /// expression is checked: `mapSeq` for a `map` that must become a loop, and `prim` otherwise.
    fn choose(
        &mut self,
        term: &Term,
        prim: Prim,
        args: &[Term],
        want: &Expectation,
    ) -> (Prim, Access) {
        match access_signature(prim).result {
            AccessEntry::Is(access) => return (prim, access),
            AccessEntry::Result | AccessEntry::Own(_) => {}
        }
        let wanted = match want.access {
            Access::St => Access::Rd,
            access => access,
        };
        let access = if contains_array(&term.ty) || wanted == Access::Rd {
            wanted
        } else {
            self.minimal_access(term)
        };
        if access != Access::Wr {
            return (prim, access);
        }
        match (prim, args) {
            // No branch is written, so that the whole needs a copy.
            (Prim::Select, _) if contains_array(&term.ty) && !self.writes(term, &want.owned) => {
                (prim, Access::Rd)
            }
            // Reported for the stream.
            (Prim::Map, [_, xs]) if is_stream(xs) => (prim, Access::Rd),
            (Prim::Map, [f, xs]) => self.written_map(term, f, xs),
            (Prim::MapFst | Prim::MapSnd, [f, _]) if !function_rearranges(f) => {
                let pattern = if prim == Prim::MapFst {
                    Primitive::MapFst
                } else {
                    Primitive::MapSnd
                };
                self.report(term.origin, ProblemKind::Computes { pattern });
                (prim, Access::Rd)
            }
            _ => (prim, access),
        }
    }

    /// Returns true if a value or a branch of it is written, or is in the memory to which it is
    /// written.
    fn writes(&mut self, term: &Term, owned: &Owned) -> bool {
        match &term.form {
            _ if owned.has(term) => true,
            Form::Primitive(Primitive::Select, _, args) if args.len() == 3 => {
                self.writes(&args[1], owned) || self.writes(&args[2], owned)
            }
            Form::Primitive(Primitive::MakePair, _, args) if args.len() == 2 => {
                self.writes(&args[0], &owned.half(Half::First))
                    || self.writes(&args[1], &owned.half(Half::Second))
            }
            Form::Primitive(Primitive::Let, _, args) => match args.get(1).map(|f| &f.form) {
                Some(Form::Lambda(_, body)) => self.writes(body, owned),
                _ => false,
            },
            _ => contains_array(&term.ty) && self.minimal_access(term) == Access::Wr,
        }
    }

    /// Handles a `map` whose result is written: it stays if it only rearranges the result of
    /// something else that writes, and is reported otherwise.
    fn written_map(&mut self, term: &Term, f: &Term, xs: &Term) -> (Prim, Access) {
        if function_rearranges(f) {
            if self.minimal_access(xs) == Access::Wr {
                return (Prim::Map, Access::Wr);
            }
            let copied = match &*term.ty {
                Type::Array(_, element) if contains_array(element) => Some((term.origin, &term.ty)),
                _ => None,
            };
            self.missing_choice(term, Primitive::Map, copied);
            // As a loop it would have the same problem.
            return (Prim::Map, Access::Rd);
        }
        self.missing_choice(term, Primitive::Map, None);
        (Prim::MapSeq, Access::Wr)
    }

    fn missing_choice(&mut self, term: &Term, pattern: Primitive, copied: Option<(Origin, &Ty)>) {
        let args = match &term.form {
            Form::Primitive(_, _, args) => &args[..],
            _ => &[],
        };
        let count = args.last().and_then(|xs| match &*xs.ty {
            Type::Array(n, _) => n.as_const(),
            _ => None,
        });
        let kind = ProblemKind::MissingChoice {
            pattern,
            copied: copied.map(|(at, ty)| (at, ty.clone())),
            count,
            loops: super::memory::is_written_by_loops(term),
            inside: args.first().map(chains).unwrap_or_default(),
            space: self.accumulator_space(term, pattern),
        };
        self.report(term.origin, kind);
    }

    fn function(&mut self, f: &Term, params: &[Access], result: &Expectation) -> Phrase {
        match (&f.form, params) {
            (Form::DepLambda(var, kind, body), _) => {
                let body = self.function(body, params, result);
                let ty = Type::Pi(Pi::new(*var, *kind, false, body.ty.clone()));
                Node::new(Form::DepLambda(*var, *kind, body), Arc::new(ty), f.origin)
            }
            (Form::Lambda(param, body), [access, rest @ ..]) => {
                let param = self.bind(param, *access);
                phrase::fun(param, self.function(body, rest, result))
            }
            (_, []) => self.value(f, result),
            (_, [_, ..]) => {
                let expanded = self.expand(f);
                match &expanded.form {
                    Form::Lambda(..) => self.function(&expanded, params, result),
                    _ => self.value(f, result),
                }
            }
        }
    }

    /// Eta-expands a function to `fun(x => f(x))`.
    fn expand(&mut self, f: &Term) -> Term {
        let Type::Fun(from, _) = &*f.ty else {
            return f.clone();
        };
        let id = self.next_local;
        self.next_local += 1;
        let local = rise::core::Local {
            id,
            name: "x".into(),
        };
        let param = Param {
            local,
            ty: from.clone(),
        };
        let body = apply(f, Node::var(&param, f.origin), f.origin);
        rise::core::lambda(param, body)
    }

    /// Reports a problem if the context does not accept an expression of the access `has`. If a
    /// readable value is accepted because it is written by an assignment, checks this write.
    fn check_access(&mut self, term: &Term, has: Access, want: &Expectation) {
        let user = want.user.clone();
        let data = term.ty.clone();
        let kind = match (has, want.access) {
            (Access::St, Access::St) => return,
            (Access::St, _) => ProblemKind::StreamRead {
                reader: user,
                data,
                ends: want.ends,
            },
            (Access::Wr, Access::Wr) | (Access::Rd, Access::Rd | Access::St) => return,
            (Access::Rd, _) if self.is_in_place(term, want) => return,
            (Access::Rd, _) if !contains_array(&term.ty) => {
                if !self.has_problem(term) {
                    self.check_write(term.origin, &want.into);
                }
                return;
            }
            (Access::Rd, _) if self.has_problem(term) || maps_stream(term) => return,
            (Access::Rd, _) => match last_map(term) {
                Some(map) => {
                    let kind = ProblemKind::MissingChoice {
                        pattern: Primitive::Map,
                        copied: Some((term.origin, data)),
                        count: None,
                        loops: false,
                        inside: Vec::new(),
                        space: None,
                    };
                    return self.report(map.origin, kind);
                }
                None => ProblemKind::MissingCopy { wanted: user, data },
            },
            _ => ProblemKind::MissingMemory {
                writer: match &term.form {
                    Form::Primitive(primitive, ..) => Some(*primitive),
                    _ => None,
                },
                spaces: match self.target.has_work_items() {
                    true => self.spaces_to_store(term, &user),
                    false => Vec::new(),
                },
                reader: user,
            },
        };
        self.report(term.origin, kind);
    }

    /// Returns true if a missing implementation of the expression itself has been reported, so that
    /// its access is not known.
    fn has_problem(&self, term: &Term) -> bool {
        self.problems
            .iter()
            .rev()
            .any(|problem| problem.at == term.origin && problem.is_choice())
    }

    /// Returns the access of an expression in which as little as possible is written.
    pub fn minimal_access(&mut self, term: &Term) -> Access {
        match &term.form {
            Form::Var(local) => self.scope.get(&local.id).copied().unwrap_or(Access::Rd),
            Form::Primitive(primitive, _, args) => {
                let Some(prim) = Prim::of_rise(*primitive) else {
                    return Access::Rd;
                };
                let row = access_signature(prim);
                if let AccessEntry::Is(access) = row.result {
                    return access;
                }
                for (taken, arg) in row.taken.iter().zip(args.iter()) {
                    let access = match taken {
                        ArgumentAccess::Value(AccessEntry::Result) => self.minimal_access(arg),
                        ArgumentAccess::Function {
                            params,
                            result: AccessEntry::Result,
                        } => self.minimal_result_access(arg, params),
                        _ => continue,
                    };
                    if access != Access::Rd {
                        return access;
                    }
                }
                Access::Rd
            }
            _ => Access::Rd,
        }
    }

    fn minimal_result_access(&mut self, f: &Term, params: &[AccessEntry]) -> Access {
        match (&f.form, params) {
            (Form::DepLambda(_, _, body), _) => self.minimal_result_access(body, params),
            (Form::Lambda(param, body), [_, rest @ ..]) => {
                self.scope.insert(param.local.id, Access::Rd);
                self.minimal_result_access(body, rest)
            }
            (_, []) => self.minimal_access(f),
            _ => Access::Rd,
        }
    }
}

fn resolve(slot: AccessEntry, result: Access) -> Access {
    match slot {
        AccessEntry::Is(access) => access,
        AccessEntry::Result => result,
        AccessEntry::Own(_) => Access::Rd,
    }
}

/// Returns true if the expression is a stream: the application of a stream pattern, or a `zip` of
/// which an argument is a stream.
pub(crate) fn is_stream(term: &Term) -> bool {
    match &term.form {
        Form::Primitive(Primitive::Zip, _, args) => args.iter().any(is_stream),
        Form::Primitive(primitive, ..) => Prim::of_rise(*primitive)
            .is_some_and(|prim| access_signature(prim).result == AccessEntry::Is(Access::St)),
        _ => false,
    }
}

/// Returns true for a `map` over a stream, whose problem has been reported.
fn maps_stream(term: &Term) -> bool {
    match &term.form {
        Form::Primitive(Primitive::Map, _, args) => args.last().is_some_and(is_stream),
        _ => false,
    }
}

/// Returns the `map` whose result a readable value is, possibly seen through views that do not
/// write; `None` if another pattern makes the value.
fn last_map(term: &Term) -> Option<&Term> {
    let Form::Primitive(primitive, _, args) = &term.form else {
        return None;
    };
    match primitive.pattern() {
        Pattern::Map(MapLoop::Computed) => Some(term),
        Pattern::View(View::Scatter | View::PadEmpty) => None,
        Pattern::View(_) => args.last().and_then(last_map),
        Pattern::Map(_) => None,
        Pattern::Scalar | Pattern::Connective | Pattern::Select | Pattern::Element => None,
        Pattern::Half(_) | Pattern::Pair | Pattern::MapHalf(_) | Pattern::Generate => None,
        Pattern::Literal | Pattern::Zip | Pattern::Concat | Pattern::DepMap(_) => None,
        Pattern::Reduce(_) | Pattern::Scan | Pattern::Iterate | Pattern::Stream(_) => None,
        Pattern::Repeat(_)
        | Pattern::Let
        | Pattern::Memory
        | Pattern::Kernel
        | Pattern::DepPair => None,
        Pattern::DepMatch => None,
    }
}
