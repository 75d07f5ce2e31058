//! Inference of accesses: `Rd` (can be read), `Wr` (has still to be written) and `St` (stream).
//!
//! `Exp[t, Rd]` is accepted where `Exp[t, Wr]` is wanted if `t` contains no array, because writing
//! it is one assignment. An access parameter is `Rd` or `Wr`, so `Rd` is accepted for it and it is
//! accepted for `Wr` under the same condition. All other accesses must be equal. The constraints
//! are collected during inference and solved at the end, when the types are known: a fixpoint
//! iteration finds the smallest accesses that meet them.

use nat::Var;
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::Code;
use syntax::ast::{Kind, TermId};

use super::super::Infer;
use super::super::unify::{Cause, CauseCode};
use crate::classes::Classes;
use crate::codes;
use crate::types::{Access, Arg, Ty, Type};

/// The constraint that an expression with access `found` is used where `wanted` is expected.
#[derive(Clone, Debug)]
struct AccessConstraint {
    found: Access,
    wanted: Access,
    data: Ty,
    cause: Cause,
    /// True if the constraint is on a function's parameter, so that found and wanted are exchanged.
    taken: bool,
}

/// The values that an access parameter of a primitive may have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AccessDomain {
    /// `Rd` or `Wr`.
    Memory,
    /// `Rd` or `St`.
    Stream,
}

/// The access constraints of an item.
#[derive(Default)]
pub(in crate::infer) struct AccessConstraints {
    bounds: Vec<AccessConstraint>,
    /// The domains of the access parameters of primitives.
    domains: FxHashMap<Var, AccessDomain>,
    /// True while types in a contravariant position are compared, such as those of a function's
    /// parameter, where found and wanted are exchanged.
    is_contravariant: bool,
}

impl AccessConstraints {
    /// Returns the number of constraints.
    pub(in crate::infer) fn len(&self) -> usize {
        self.bounds.len()
    }

    /// Removes all constraints except the first `len` ones.
    pub(in crate::infer) fn truncate(&mut self, len: usize) {
        self.bounds.truncate(len);
    }

    /// Returns true while found and wanted are exchanged, because the position is contravariant.
    pub(in crate::infer) fn is_contravariant(&self) -> bool {
        self.is_contravariant
    }

    pub(in crate::infer) fn flip_variance(&mut self) {
        self.is_contravariant = !self.is_contravariant;
    }
}

/// The smallest accesses that meet the constraints.
#[derive(Default)]
struct Solution {
    values: FxHashMap<Var, Access>,
}

impl Infer<'_> {
    /// Makes a unification variable for an access.
    pub(super) fn open_access(&mut self, at: TermId) -> Access {
        Access::Var(self.open("a".into(), Kind::ReadWrite, Classes::DATA, at))
    }

    /// Sets the domain of a primitive's access parameter.
    pub(super) fn restrict_access(&mut self, arg: &Arg, streams: bool) {
        if let Arg::Access(Access::Var(var)) = arg {
            let domain = match streams {
                true => AccessDomain::Stream,
                false => AccessDomain::Memory,
            };
            self.accesses.domains.insert(*var, domain);
        }
    }

    /// Records the constraint that an expression of access `found` is used where `wanted` is
    /// expected.
    pub(in crate::infer) fn demand_access(&mut self, wanted: Access, found: Access, data: &Ty) {
        if wanted == found {
            return;
        }
        let (wanted, found) = match self.accesses.is_contravariant {
            true => (found, wanted),
            false => (wanted, found),
        };
        let Some(cause) = self.demands.last().map(|demand| demand.cause) else {
            return;
        };
        self.accesses.bounds.push(AccessConstraint {
            found,
            wanted,
            data: data.clone(),
            cause,
            taken: self.accesses.is_contravariant,
        });
    }

    /// Solves the access constraints, and reports those that cannot be met unless there is an error
    /// already.
    pub(in crate::infer) fn decide_accesses(&mut self) {
        let bounds: Vec<(AccessConstraint, bool)> = std::mem::take(&mut self.accesses.bounds)
            .into_iter()
            .map(|bound| {
                let bound = AccessConstraint {
                    found: self.table.access(bound.found),
                    wanted: self.table.access(bound.wanted),
                    data: self.table.ty(&bound.data),
                    ..bound
                };
                let same = self.may_hold_array(&bound.data);
                (bound, same)
            })
            .collect();
        let solution = self.solve_accesses(&bounds);
        if !self.failed() {
            self.report_accesses(&bounds, &solution);
        }
        for var in self.table.vars() {
            if self.table.is_open(var) && self.table.info(var).kind == Kind::ReadWrite {
                let value = solution.of(Access::Var(var), &|_| true);
                self.solve_var(var, Arg::Access(value));
            }
        }
    }

    /// Returns true if values of the type may contain an array.
    fn may_hold_array(&self, data: &Type) -> bool {
        match data {
            Type::Pair(a, b) => self.may_hold_array(a) || self.may_hold_array(b),
            Type::Array(..) | Type::DepArray(..) | Type::DepPair(_) | Type::Apply(..) => true,
            // A variable of kind data type may be an array, a variable of a number kind may not.
            Type::Var(var) => Classes::DATA.within(self.table.info(*var).classes),
            _ => false,
        }
    }

    fn solve_accesses(&self, bounds: &[(AccessConstraint, bool)]) -> Solution {
        let mut solution = Solution::default();
        let open = |var: Var| self.table.is_open(var);
        loop {
            let mut changed = false;
            for (bound, same) in bounds {
                let found = solution.of(bound.found, &open);
                changed |= self.raise(&mut solution, bound.wanted, found);
                if *same {
                    let wanted = solution.of(bound.wanted, &open);
                    changed |= self.raise(&mut solution, bound.found, wanted);
                }
            }
            if !changed {
                return solution;
            }
        }
    }

    /// Raises an unknown access to at least `least`, if its domain allows it. Returns true if it
    /// changed.
    fn raise(&self, solution: &mut Solution, target: Access, least: Access) -> bool {
        let Access::Var(var) = target else {
            return false;
        };
        let allowed = match (self.accesses.domains.get(&var), least) {
            (Some(AccessDomain::Memory), Access::St) | (Some(AccessDomain::Stream), Access::Wr) => {
                false
            }
            _ => self.table.is_open(var),
        };
        if !allowed {
            return false;
        }
        let now = solution.values.get(&var).copied().unwrap_or(Access::Rd);
        let larger = match (now, least) {
            (now, least) if now == least => false,
            (Access::Rd, _) => true,
            // An access parameter is at most `Wr`.
            (Access::Var(_), Access::Wr) => true,
            _ => false,
        };
        if larger {
            solution.values.insert(var, least);
        }
        larger
    }

    fn report_accesses(&mut self, bounds: &[(AccessConstraint, bool)], solution: &Solution) {
        let mut reported: FxHashSet<Access> = FxHashSet::default();
        for (bound, same) in bounds {
            let table = &self.table;
            let (found, wanted) = (
                solution.of(bound.found, &|var| table.is_open(var)),
                solution.of(bound.wanted, &|var| table.is_open(var)),
            );
            if fits(found, wanted, *same) {
                continue;
            }
            // One wrong expression is reported once, even if it fails several constraints.
            let unknown = |access: &Access| matches!(access, Access::Var(v) if table.is_open(*v));
            let culprits: Vec<Access> = [bound.found, bound.wanted]
                .into_iter()
                .filter(unknown)
                .collect();
            let again = culprits.iter().any(|access| reported.contains(access));
            reported.extend(culprits);
            if !again {
                self.report_access(bound, found, wanted);
            }
        }
    }

    fn report_access(&mut self, bound: &AccessConstraint, found: Access, wanted: Access) {
        let text = self.show(&bound.data);
        let user = match bound.cause.why {
            CauseCode::Written { .. } => "the definition's type".to_owned(),
            CauseCode::Assigned { .. } => "an assignment".to_owned(),
            _ => match self.cause_head(bound.cause) {
                Some(head) => format!("`{head}`"),
                None => "the expression around it".to_owned(),
            },
        };
        let (code, message, help) = complaint(found, wanted, bound.taken, &user, &text);
        let related = self.cause_places(bound.cause, None);
        let span = bound.cause.span;
        let commands = self.is_in_command(span);
        let help = match commands && code == codes::MISSING_MEMORY {
            true => {
                "a command takes memory with `new(t, fun((acceptor, expression) => …))`, writes \
                 the value there with loops and assignments, and reads it behind them"
            }
            false => help,
        };
        let fix = (!bound.taken && !commands)
            .then(|| self.access_fix(span, &bound.data, found, wanted))
            .flatten();
        let diagnostic = self.error(code, span, message);
        diagnostic.fixes.extend(fix);
        diagnostic.related = related;
        diagnostic.help = Some(help.to_owned());
    }
}

impl Solution {
    /// Returns the solution of an access that is an unsolved variable, which is `Rd` without
    /// constraints; other accesses are returned as they are.
    fn of(&self, access: Access, open: &dyn Fn(Var) -> bool) -> Access {
        match access {
            Access::Var(var) if open(var) => self.values.get(&var).copied().unwrap_or(Access::Rd),
            _ => access,
        }
    }
}

/// Returns the code, the message and the help for a wrong access. `taken` is true for the parameter
/// of a function.
fn complaint(
    found: Access,
    wanted: Access,
    taken: bool,
    user: &str,
    text: &str,
) -> (Code, String, &'static str) {
    match (found, wanted) {
        (Access::St, _) if taken => (
            codes::STREAM_AS_ARRAY,
            format!("this function takes an array `{text}`, and {user} gives it a stream"),
            "`iterateStream` writes what a stream yields, one element after the other",
        ),
        (Access::Rd, _) if taken => (
            codes::MISSING_COPY,
            format!(
                "this parameter takes a value of type `{text}` that is not yet written to memory, and {user} passes one that can only be read"
            ),
            "write `Rd` in the parameter's type: the argument can only be read",
        ),
        (Access::Wr, _) if taken => (
            codes::MISSING_MEMORY,
            format!(
                "this function reads a value of type `{text}`, and {user} gives it one that is not yet written to memory"
            ),
            "write `Wr` in the parameter's type: the argument is not yet written to memory",
        ),
        (Access::St, _) => (
            codes::STREAM_AS_ARRAY,
            format!("this is a stream `{text}`, and {user} takes an array"),
            "`iterateStream` writes what a stream yields, one element after the other",
        ),
        (_, Access::St) => (
            codes::STREAM_AS_ARRAY,
            format!("{user} takes a stream, and this is an array `{text}`"),
            "`mapStream` makes a stream of an array",
        ),
        (Access::Rd, _) => (
            codes::MISSING_COPY,
            format!(
                "this value of type `{text}` can only be read (`Rd`), and {user} expects one that is not yet written to memory (`Wr`)"
            ),
            "a copy is a loop of its own: `mapSeq(fun(x => x), …)`",
        ),
        (Access::Wr, _) => (
            codes::MISSING_MEMORY,
            format!("{user} reads this value of type `{text}`, which is not yet written to memory"),
            "`toMem(…)` writes a value to memory, from where it is read",
        ),
        (Access::Var(_), _) => (
            codes::TYPE_MISMATCH,
            format!(
                "{user} does not take the access of this value of type `{text}`, which is a parameter"
            ),
            "an access that is a parameter is neither read nor written here",
        ),
    }
}

/// Returns true if an expression of access `found` is accepted where `wanted` is expected. `same`
/// is true if they must be equal, because a copy would need a loop.
fn fits(found: Access, wanted: Access, same: bool) -> bool {
    if found == wanted {
        return true;
    }
    let streams = found == Access::St || wanted == Access::St;
    !same && !streams && (found == Access::Rd || wanted == Access::Wr)
}
