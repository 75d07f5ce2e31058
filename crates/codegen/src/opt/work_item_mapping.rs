//! Distributes the iterations of loops over work-items or groups, cyclically. Before, a pass makes
//! assumptions about the sizes of launches.
//!
//! A loop over `0 <= i < n` and `s` work-items becomes `for (i = id; i < n; i += s)` in each (*RISE
//! & Shine*, listing 11; Lift, section 5.5). If an index of private memory depends on the number of
//! the round, it becomes a loop over rounds, `i = id + s * round`, under the condition `i < n`.
//! Loops that run at most once are simplified like any others: the range of `id` is known.
//!
//! A loop with a small constant number of rounds becomes a loop over rounds, too. Compilers for
//! devices do not recognise that `for (i = id; i < 34; i += 32)` has two iterations: they generate
//! a loop of several copies of the body and another one for the remainder, and a group whose
//! work-items have one or two rounds executes both. On an H200 stencils whose groups load tiles
//! with a halo then take 1.3 to 1.8 times as long.

use nat::{Nat, Part, Prop, Var};
use rise::core::Launch;
use rustc_hash::FxHashSet;

use crate::analysis::conditions::less;
use crate::ir::walk::{self, Change, Look};
use crate::ir::{
    ExprKind, Function, Id, Item, Level, Loop, LoopMode, Maker, Place, Query, Stmt, StmtKind,
};

use super::{Pass, Run};
use crate::ir::kernel::KernelFunction;
use crate::ir::kernel::{Items, KernelState};
use crate::ir::trace::Changes;

pub(crate) const PASS: Pass<KernelFunction> = Pass {
    name: "work-item-mapping",
    run: Run::Always(|kernel| run(&mut kernel.function, &kernel.work)),
    changes: Changes {
        moved: "executed by one of the work-items",
        repeated: "executed by one of the work-items",
        rewritten: "each work-item executes its share of the iterations",
    },
};

/// The pass that collects the distributed loops and assumes facts about the sizes of each launch.
pub(crate) const ASSUMPTIONS: Pass<KernelFunction> = Pass {
    name: "launch-assumptions",
    run: Run::Always(|kernel| assume_launch(&mut kernel.function, &mut kernel.work)),
    changes: Changes::all("simplified for the sizes of the launch"),
};

/// The maximal number of rounds for which a loop becomes a loop over rounds, which device compilers
/// unroll, if all work-items execute the last round.
const MAX_ROUNDS: i64 = 16;

/// The maximal number of rounds for which a loop becomes a loop over rounds if not all work-items
/// execute the last round: then each copy of the body is guarded.
const MAX_GUARDED_ROUNDS: i64 = 4;

/// The maximal number of loads, in all rounds together, in a loop that becomes a loop over rounds
/// because it has few rounds: more would take all registers.
const MAX_LOADS: i64 = 128;

/// Distributes the loops of a kernel over work-items and groups.
pub(crate) fn run(function: &mut Function, work: &KernelState) {
    let private = (0..function.variables.len())
        .filter(|at| {
            let variable = &function.variables[*at];
            variable.is_private() && variable.count.is_some()
        })
        .filter_map(|at| u32::try_from(at).ok().map(Id))
        .collect();
    let mut body = std::mem::take(&mut function.body);
    let mut pass = WorkItemMapping {
        function,
        work,
        private,
    };
    pass.block(&mut body);
    for dimension in 0..3 {
        pass.resolve_launch_sizes(&mut body, dimension);
    }
    function.body = body;
}

/// Collects the distributed loops, and assumes facts about the sizes of a launch: there is at least
/// one work-item, and the local size divides the global size, which becomes a condition on the
/// launch unless it is proved.
///
/// In a dimension without loops over work-items, an unknown local size becomes 1, and without any
/// distributed loop an unknown global size, too. In a dimension in which loops are distributed only
/// over the work-items of a group, a launch has to have one group.
pub(crate) fn assume_launch(function: &mut Function, work: &mut KernelState) {
    shared_loops(&function.body, &mut work.items);
    let mut facts = function.known();
    for (at, dimension) in (0..3u8).enumerate() {
        let loops = work.items.iter().filter(|items| items.dim == dimension);
        let has = |level| loops.clone().any(|items| items.level == level);
        // A level over which no loop is distributed has one work-item or group.
        let Launch { local, global } = &mut work.launch;
        if !has(Level::Local) && !has(Level::Global) {
            local[at].get_or_insert(Nat::ONE);
            if !has(Level::WorkGroup) {
                global[at].get_or_insert(Nat::ONE);
            }
        }
        if has(Level::Local) && !has(Level::WorkGroup) && !has(Level::Global) {
            let (local, global) = (
                work.count(Level::Local, dimension),
                work.count(Level::Global, dimension),
            );
            let one_group = Prop::Equal(global, local);
            if !facts.proves(&one_group) {
                facts.assume(&one_group);
                work.requires.push(one_group);
            }
        }
        let local = work.count(Level::Local, dimension);
        let global = work.count(Level::Global, dimension);
        for prop in [
            Prop::AtLeast(local.clone(), Nat::ONE),
            Prop::AtLeast(global.clone(), Nat::ONE),
            Prop::Divides(local, global),
        ] {
            if !facts.proves(&prop) {
                facts.assume(&prop);
                function.facts.push(prop.clone());
                if matches!(prop, Prop::Divides(..)) {
                    work.requires.push(prop);
                }
            }
        }
    }
}

/// Adds the distributed loops in statements to `found`, without duplicates.
fn shared_loops(body: &[Stmt], found: &mut Vec<Items>) {
    walk::each_stmt(body, &mut |stmt| {
        if let StmtKind::For(this) = &stmt.kind
            && let LoopMode::Items(level, dim) = this.mode
        {
            let count = this.to.clone();
            let items = Items { level, dim, count };
            if !found.contains(&items) {
                found.push(items);
            }
        }
    });
}

struct WorkItemMapping<'a> {
    function: &'a mut Function,
    work: &'a KernelState,
    /// The arrays in private memory.
    private: FxHashSet<Id>,
}

impl WorkItemMapping<'_> {
    fn block(&mut self, body: &mut [Stmt]) {
        for stmt in body {
            walk::each_block(stmt, &mut |inner| self.block(inner));
            if let StmtKind::For(Loop {
                mode: LoopMode::Items(level, dimension),
                ..
            }) = stmt.kind
            {
                self.map_loop(stmt, level, dimension);
            }
        }
    }

    fn map_loop(&mut self, stmt: &mut Stmt, level: Level, dimension: u8) {
        let origin = stmt.origin;
        let StmtKind::For(Loop {
            counter,
            from,
            to,
            step,
            mode,
            body,
        }) = &mut stmt.kind
        else {
            return;
        };
        let count = self.resolve_query(Query::Count(level), dimension);
        let id = self.resolve_query(Query::Id(level), dimension);
        let few =
            constant_rounds(to, &count).is_some_and(|rounds| loads(body) * rounds <= MAX_LOADS);
        if !few && !self.needs_round_number(body, *counter, &count) {
            *from = id;
            *step = count;
            *mode = LoopMode::Sequential;
            return;
        }
        let round = self.function.fresh_size("turn");
        let value = id + &(Nat::var(round) * &count);
        let end = to.clone();
        let mut put = walk::ReplaceSize {
            var: *counter,
            value: value.clone(),
        };
        walk::change_all(body, &mut put);
        for (_, data) in &mut self.function.opaque {
            walk::change_expr(data, &mut put);
        }
        let guarded = Stmt::new(
            StmtKind::If {
                condition: less(&value, &end, origin),
                then: std::mem::take(body),
                otherwise: Vec::new(),
            },
            origin,
            Some(Maker::Pass(PASS.name)),
        );
        *to = Nat::ceil_div(&end, &count);
        *counter = round;
        *body = vec![guarded];
        *mode = LoopMode::Sequential;
    }

    /// Returns true if, in the body of a loop, a size contains a division by the number of
    /// work-items whose dividend contains the counter, or an index of a private array contains the
    /// counter.
    fn needs_round_number(&self, body: &[Stmt], counter: Var, count: &Nat) -> bool {
        let mut found = RoundNumberUse {
            counter,
            count,
            private: &self.private,
            is_used: false,
        };
        walk::look(body, &mut found);
        found.is_used
    }

    /// Returns the result of a query: a known size, or a size variable, for which the query is
    /// recorded.
    fn resolve_query(&mut self, query: Query, dimension: u8) -> Nat {
        if let Query::Count(level) = query {
            let at = usize::from(dimension.min(2));
            let (local, global) = (self.work.vars.local[at], self.work.vars.global[at]);
            let count = self.work.count(level, dimension);
            let known = !count.mentions(local) && !count.mentions(global);
            return match level {
                _ if known => count,
                Level::Local => self.record_query(local, query, dimension),
                Level::Global => self.record_query(global, query, dimension),
                Level::WorkGroup => self.group_count(dimension),
            };
        }
        let known = (self.function.items.iter())
            .find(|item| item.query == query && item.dimension == dimension);
        if let Some(item) = known {
            return Nat::var(item.var);
        }
        let Query::Id(level) = query else {
            return Nat::ZERO;
        };
        let name = match level {
            Level::Global => "gid",
            Level::WorkGroup => "wg",
            Level::Local => "lid",
        };
        let name = match dimension {
            0 => name.to_owned(),
            _ => format!("{name}{dimension}"),
        };
        let var = self.function.fresh_size(&name);
        let count = self.work.count(level, dimension);
        (self.function.facts).push(Prop::AtLeast(count, Nat::var(var) + 1));
        self.record_query(var, query, dimension)
    }

    /// Returns the size variable for the number of groups in a dimension, and records its query.
    fn group_count(&mut self, dimension: u8) -> Nat {
        let query = Query::Count(Level::WorkGroup);
        let mut items = self.function.items.iter();
        let known = items.find(|item| item.query == query && item.dimension == dimension);
        if let Some(item) = known {
            return Nat::var(item.var);
        }
        let name = match dimension {
            0 => "groups".to_owned(),
            _ => format!("groups{dimension}"),
        };
        let var = self.function.fresh_size(&name);
        self.function
            .facts
            .push(Prop::AtLeast(Nat::var(var), Nat::ONE));
        self.record_query(var, query, dimension)
    }

    /// Records the queries for the launch sizes that statements contain because of the sizes of
    /// arrays in global memory. The global size is first replaced by the number of groups times the
    /// local size, where it is divided by the local size.
    fn resolve_launch_sizes(&mut self, body: &mut [Stmt], dimension: u8) {
        let at = usize::from(dimension);
        let (local, global) = (self.work.vars.local[at], self.work.vars.global[at]);
        let size = self.work.count(Level::Local, dimension);
        let mut found = GroupCountUse {
            global,
            size: &size,
            divided: false,
        };
        walk::look(body, &mut found);
        if found.divided {
            let group_count = self.resolve_query(Query::Count(Level::WorkGroup), dimension);
            let mut put = WholeGroups {
                global,
                all: group_count * &size,
                size,
            };
            walk::change_all(body, &mut put);
        }
        for (var, level) in [(local, Level::Local), (global, Level::Global)] {
            let mut found = Mentioned {
                var,
                is_used: false,
            };
            walk::look(body, &mut found);
            if found.is_used {
                self.record_query(var, Query::Count(level), dimension);
            }
        }
    }

    fn record_query(&mut self, var: Var, query: Query, dimension: u8) -> Nat {
        let item = Item {
            var,
            query,
            dimension,
        };
        if !self.function.items.contains(&item) {
            self.function.items.push(item);
        }
        Nat::var(var)
    }
}

/// Returns the number of rounds of a loop if it is a constant of at most [`MAX_ROUNDS`] or, if not
/// all work-items execute the last round, of at most [`MAX_GUARDED_ROUNDS`]; otherwise `None`.
fn constant_rounds(iterations: &Nat, count: &Nat) -> Option<i64> {
    let (iterations, count) = (iterations.as_const()?, count.as_const()?);
    let (full, rest) = (
        iterations.checked_div(count)?,
        iterations.checked_rem(count)?,
    );
    let (rounds, most) = match rest {
        0 => (full, MAX_ROUNDS),
        _ => (full + 1, MAX_GUARDED_ROUNDS),
    };
    (rounds <= most).then_some(rounds)
}

/// Returns the number of reads in the expressions of statements and their nested statements.
fn loads(body: &[Stmt]) -> i64 {
    let mut found = 0;
    walk::for_each_expr(body, &mut |expr| {
        walk::sub_exprs(expr, &mut |part| {
            found += i64::from(matches!(part.kind, ExprKind::Load(_)));
        });
    });
    found
}

/// A visitor that finds quotients and remainders of the global size by the local size.
struct GroupCountUse<'a> {
    global: Var,
    size: &'a Nat,
    divided: bool,
}

impl Look for GroupCountUse<'_> {
    fn nat(&mut self, nat: &Nat) {
        self.divided |= has_division_by(nat, self.global, self.size);
    }
}

/// A visitor that replaces the global size by the product of the number of groups and the local
/// size, in sizes that contain a quotient or remainder of it by the local size.
struct WholeGroups {
    global: Var,
    size: Nat,
    all: Nat,
}

impl Change for WholeGroups {
    fn nat(&mut self, nat: &mut Nat) {
        if has_division_by(nat, self.global, &self.size) {
            *nat = nat.subst(&|var| (var == self.global).then(|| self.all.clone()));
        }
    }
}

struct Mentioned {
    var: Var,
    is_used: bool,
}

impl Look for Mentioned {
    fn nat(&mut self, nat: &Nat) {
        self.is_used |= nat.mentions(self.var);
    }
}

struct RoundNumberUse<'a> {
    counter: Var,
    count: &'a Nat,
    private: &'a FxHashSet<Id>,
    is_used: bool,
}

impl Look for RoundNumberUse<'_> {
    fn place(&mut self, place: &Place) {
        let mentioned = place
            .index
            .as_ref()
            .is_some_and(|i| i.mentions(self.counter));
        self.is_used |= mentioned && self.private.contains(&place.id);
    }

    fn nat(&mut self, nat: &Nat) {
        self.is_used |= has_division_by(nat, self.counter, self.count);
    }
}

/// Returns true if a size has a quotient or remainder by `count` whose dividend contains `counter`.
fn has_division_by(nat: &Nat, counter: Var, count: &Nat) -> bool {
    if !nat.mentions(counter) {
        return false;
    }
    let part = |part: &Part<'_>| match part {
        Part::Div(a, b) | Part::Rem(a, b) => {
            (*b == count && a.mentions(counter)) || has_division_by(a, counter, count)
        }
        Part::Add(a, b) | Part::Mul(a, b) => {
            has_division_by(a, counter, count) || has_division_by(b, counter, count)
        }
        Part::Min(all) | Part::Max(all) => all.iter().any(|a| has_division_by(a, counter, count)),
        _ => false,
    };
    let summands = nat.summands();
    let mut factors = summands.iter().flat_map(|summand| &summand.factors);
    factors.any(|(factor, _)| part(factor))
}
