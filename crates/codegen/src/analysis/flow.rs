//! Collects the accesses of a kernel to memory, each with its enclosing loops and conditions, and
//! analyses the loops, the declarations and the targets of pointers.

use std::rc::Rc;

use nat::{Facts, Nat, Var};
use rise::Type;
use rise::core::Origin;
use rustc_hash::FxHashMap;
use syntax::ast::AddressSpace;

use crate::ir::kernel::KernelState;
use crate::ir::walk;
use crate::ir::{Expr, ExprKind, Function, Home, Id, Level, Loop, LoopMode, Place, Stmt, StmtKind};

/// The least number of the size variables to which the counters around the second of two compared
/// accesses are renamed. The prover uses higher numbers.
const FIRST_OTHER: u32 = 1 << 30;

/// A loop of a kernel, which encloses accesses.
#[derive(Clone, Debug)]
pub(crate) struct Around {
    /// The counter, by which the loop is identified.
    pub counter: Var,
    /// The first value of the counter.
    pub from: Nat,
    /// The exclusive end of the counter's range.
    pub to: Nat,
    pub mode: LoopMode,
    /// The phrase of the loop.
    pub origin: Origin,
}

impl Around {
    /// Returns the level and dimension of the work-items or groups over which the loop is
    /// distributed; `None` for other loops.
    pub fn items(&self) -> Option<(Level, u8)> {
        match self.mode {
            LoopMode::Items(level, dimension) => Some((level, dimension)),
            _ => None,
        }
    }

    /// Returns true if the work-items of a group execute different iterations of the loop in this
    /// dimension: it is distributed over them at the level `Local` or `Global`.
    pub fn is_of_items(&self, dimension: u8) -> bool {
        matches!(self.items(), Some((Level::Local | Level::Global, d)) if d == dimension)
    }

    /// Returns true if the groups execute different iterations of the loop in this dimension: it is
    /// distributed over them at the level `WorkGroup` or `Global`.
    pub fn is_of_groups(&self, dimension: u8) -> bool {
        matches!(self.items(), Some((Level::WorkGroup | Level::Global, d)) if d == dimension)
    }
}

/// A read or a write of a variable.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Access {
    /// The accessed variable; for an access through a pointer, a variable that the pointer may
    /// point to.
    pub id: Id,
    /// The pointer through which the variable is accessed; `None` for a direct access.
    pub via: Option<Id>,
    /// The pointers in scope that are `restrict` pointers.
    pub alone: Rc<[Id]>,
    /// The index as it is in the statement; `None` if the place has none.
    pub written: Option<Nat>,
    /// The index of the first accessed scalar in the variable, where a tuple counts as one scalar;
    /// `None` if it is not known.
    pub index: Option<Nat>,
    /// The number of adjacent scalars that are accessed, where a tuple counts as one scalar.
    pub width: Nat,
    /// True if the index in the statement counts scalars also if the elements of the variable are
    /// vectors.
    pub by_scalars: bool,
    /// The tuple members that select the accessed part, outermost first: false `_1`, true `_2`.
    pub members: Vec<bool>,
    /// True for a write.
    pub writes: bool,
    /// The counters of the enclosing loops, outermost first.
    pub around: Rc<[Var]>,
    /// For each enclosing condition, the number of loops that enclose it, the outermost condition
    /// first.
    pub conditions: Rc<[usize]>,
    /// The phrase of the access: for a read, that of the read expression; for a write, that of the
    /// statement.
    pub origin: Origin,
    /// The phrase of the innermost loop whose iterations are distributed over work-items or groups;
    /// without one, the phrase of the access.
    pub doer: Origin,
}

/// The loops, declarations and pointers of a kernel, with the facts about its sizes.
pub(crate) struct Flow<'f> {
    pub function: &'f Function,
    pub work: &'f KernelState,
    /// The facts about sizes that hold everywhere.
    pub facts: Facts,
    /// The loops, by counter.
    pub loops: FxHashMap<Var, Around>,
    /// The counters of the loops around the declaration of each variable, outermost first;
    /// variables without a declaration are not contained.
    pub declared: FxHashMap<Id, Rc<[Var]>>,
    /// The variables that each pointer may point to, each with the offset, in elements, to which it
    /// points; `None` for an unknown offset (flow-insensitive points-to analysis).
    pointers: FxHashMap<Id, Vec<(Id, Option<Nat>)>>,
    opaque: FxHashMap<Var, &'f Expr>,
    /// True if two loops have the same counter: then no index of an access is known.
    is_vague: bool,
}

/// The loops, conditions and `restrict` pointers around a statement, as in [`Access`].
#[derive(Clone)]
pub(crate) struct Path {
    pub around: Rc<[Var]>,
    pub alone: Rc<[Id]>,
    pub conditions: Rc<[usize]>,
}

impl Path {
    /// Returns the path of the statements of a kernel, with nothing around them.
    pub fn start() -> Path {
        Path {
            around: Rc::new([]),
            alone: Rc::new([]),
            conditions: Rc::new([]),
        }
    }

    /// Returns the path of the body of a loop with this counter.
    pub fn within(&self, counter: Var) -> Path {
        let around = self.around.iter().copied().chain([counter]).collect();
        Path {
            around,
            ..self.clone()
        }
    }

    /// Returns the path of a branch.
    pub fn under_condition(&self) -> Path {
        let here = self.around.len();
        let conditions = self.conditions.iter().copied().chain([here]).collect();
        Path {
            conditions,
            ..self.clone()
        }
    }

    /// Returns the path of the statements of a block, in whose scope are also the `restrict`
    /// pointers that it declares.
    pub fn with_pointers(&self, body: &[Stmt], function: &Function) -> Path {
        let is_alone = |id: &Id| {
            let home = function.variables[id.0 as usize].home;
            matches!(home, Home::Pointer { alone: true, .. })
        };
        let declared = body.iter().filter_map(|stmt| match &stmt.kind {
            StmtKind::Declare(id, _) => Some(*id),
            _ => None,
        });
        let new: Vec<Id> = declared.filter(is_alone).collect();
        if new.is_empty() {
            return self.clone();
        }
        Path {
            alone: self.alone.iter().copied().chain(new).collect(),
            ..self.clone()
        }
    }
}

impl<'f> Flow<'f> {
    /// Analyses the statements of a kernel.
    pub fn of(function: &'f Function, work: &'f KernelState, body: &[Stmt]) -> Flow<'f> {
        let opaque = function.opaque.iter().map(|(var, value)| (*var, value));
        let mut flow = Flow {
            function,
            work,
            facts: base_facts(function, work),
            loops: FxHashMap::default(),
            declared: FxHashMap::default(),
            pointers: FxHashMap::default(),
            opaque: opaque.collect(),
            is_vague: false,
        };
        flow.look(body, &Path::start());
        while flow.follow_pointers(body) {}
        flow
    }

    fn look(&mut self, body: &[Stmt], path: &Path) {
        for stmt in body {
            match &stmt.kind {
                StmtKind::Declare(id, _) => {
                    self.declared.insert(*id, path.around.clone());
                }
                StmtKind::For(Loop {
                    counter,
                    from,
                    to,
                    mode,
                    body,
                    ..
                }) => {
                    let around = Around {
                        counter: *counter,
                        from: from.clone(),
                        to: to.clone(),
                        mode: *mode,
                        origin: stmt.origin,
                    };
                    self.is_vague |= self.loops.insert(*counter, around).is_some();
                    self.look(body, &path.within(*counter));
                }
                _ => walk::blocks(stmt, &mut |body| self.look(body, path)),
            }
        }
    }

    /// Adds the targets that assignments and exchanges of pointers give to them; returns true if a
    /// target is new, or if its offset is no longer known.
    fn follow_pointers(&mut self, body: &[Stmt]) -> bool {
        let mut changed = false;
        for stmt in body {
            match &stmt.kind {
                StmtKind::Point(pointer, place) => {
                    let targets = self.targets(place);
                    changed |= self.point(*pointer, targets);
                }
                StmtKind::Swap(a, b) => {
                    let of = |id| self.pointers.get(id).cloned().unwrap_or_default();
                    let (from_a, from_b) = (of(a), of(b));
                    changed |= self.point(*a, from_b);
                    changed |= self.point(*b, from_a);
                }
                _ => walk::blocks(stmt, &mut |body| changed |= self.follow_pointers(body)),
            }
        }
        changed
    }

    fn point(&mut self, pointer: Id, targets: Vec<(Id, Option<Nat>)>) -> bool {
        let known = self.pointers.entry(pointer).or_default();
        let mut changed = false;
        for (id, offset) in targets {
            match known.iter_mut().find(|(known, _)| *known == id) {
                None => {
                    known.push((id, offset));
                    changed = true;
                }
                Some((_, known)) if *known != offset && known.is_some() => {
                    *known = None;
                    changed = true;
                }
                Some(_) => {}
            }
        }
        changed
    }

    /// Returns the variables in which a place may be, each with the index of the place in it, in
    /// elements; `None` for an index that is not known, or that depends on a counter or on data.
    fn targets(&self, place: &Place) -> Vec<(Id, Option<Nat>)> {
        let own = place.index.clone().unwrap_or(Nat::ZERO);
        let own = (!own.any_var(&|var| self.changes(var))).then_some(own);
        match self.home(place.id) {
            Home::Pointer { .. } => {
                let known = self.pointers.get(&place.id).into_iter().flatten();
                let add = |(id, offset): &(Id, Option<Nat>)| {
                    let sum = own.as_ref().zip(offset.as_ref()).map(|(a, b)| a + b);
                    (*id, sum)
                };
                known.map(add).collect()
            }
            _ => vec![(place.id, own)],
        }
    }

    /// Returns true if a size variable is the counter of a loop or an opaque size.
    pub fn changes(&self, var: Var) -> bool {
        self.loops.contains_key(&var) || self.opaque.contains_key(&var)
    }

    /// Returns true if a size contains an opaque size, and so depends on data.
    pub fn is_data(&self, nat: &Nat) -> bool {
        !self.opaque.is_empty() && nat.any_var(&|var| self.opaque.contains_key(&var))
    }

    pub fn home(&self, id: Id) -> Home {
        self.function.variables[id.0 as usize].home
    }

    /// Returns the address space of a variable that work-items share and write: global memory for
    /// the outputs and what is updated in place, and that of a variable in local or global memory;
    /// `None` for other variables, and for pointers.
    pub fn shared(&self, id: Id) -> Option<AddressSpace> {
        match self.home(id) {
            Home::Output | Home::InOut => Some(AddressSpace::Global),
            Home::Local(Some(space @ (AddressSpace::Local | AddressSpace::Global))) => Some(space),
            _ => None,
        }
    }

    /// Returns true if a variable is private to each work-item and neither a parameter nor a
    /// pointer.
    pub fn is_private(&self, id: Id) -> bool {
        matches!(
            self.home(id),
            Home::Local(None | Some(AddressSpace::Private))
        )
    }

    /// Returns the loops with these counters, in the same order.
    pub fn around<'a>(&'a self, counters: &'a [Var]) -> impl Iterator<Item = &'a Around> {
        counters.iter().filter_map(|var| self.loops.get(var))
    }

    /// Returns the facts about sizes that hold within the loops with these counters.
    pub fn within(&self, counters: &[Var]) -> Facts {
        let mut facts = self.facts.clone();
        for around in self.around(counters) {
            facts.range(around.counter, &around.from, &around.to);
        }
        facts
    }

    /// Renames the counters of the loops around an access, except for the first `equal` loops, and
    /// adds the ranges of the new counters to `facts`.
    pub fn apart(&self, access: &Access, equal: usize, facts: &mut Facts) -> Apart {
        let mut renamed: Vec<(Var, Nat)> = Vec::new();
        for around in self.around(&access.around[equal.min(access.around.len())..]) {
            let number = FIRST_OTHER + u32::try_from(renamed.len()).unwrap_or(0);
            let put = |nat: &Nat| put(nat, &renamed);
            facts.range(Var(number), &put(&around.from), &put(&around.to));
            renamed.push((around.counter, Nat::var(Var(number))));
        }
        Apart {
            index: access.index.as_ref().map(|index| put(index, &renamed)),
            renamed,
        }
    }

    /// Adds to `out` the accesses of a declaration with a value or of an assignment, and the reads
    /// of data in the index of an assignment to a pointer; other statements are ignored.
    pub fn of_simple(&self, stmt: &Stmt, path: &Path, out: &mut Vec<Access>) {
        match &stmt.kind {
            StmtKind::Declare(id, Some(value)) => {
                self.of_expr(value, path, out);
                self.of_place(&Place::plain(*id), true, stmt.origin, path, out);
            }
            StmtKind::Assign(place, value) => {
                self.of_expr(value, path, out);
                self.of_place(place, true, stmt.origin, path, out);
            }
            StmtKind::Point(_, place) => self.of_sizes(place, path, out),
            _ => {}
        }
    }

    /// Adds to `out` the reads of the data on which a size depends.
    pub fn of_nat(&self, nat: &Nat, path: &Path, out: &mut Vec<Access>) {
        if self.opaque.is_empty() {
            return;
        }
        let mut data: Vec<&Expr> = Vec::new();
        nat.for_each_var(&mut |var| data.extend(self.opaque.get(&var)));
        for value in data {
            self.of_expr(value, path, out);
        }
    }

    /// Adds to `out` the reads of an expression.
    pub fn of_expr(&self, expr: &Expr, path: &Path, out: &mut Vec<Access>) {
        match &expr.kind {
            ExprKind::Load(place) => {
                self.of_place(place, false, expr.origin, path, out);
            }
            ExprKind::Nat(nat) | ExprKind::Lane(_, nat) | ExprKind::Element(_, nat) => {
                self.of_nat(nat, path, out);
            }
            _ => {}
        }
        walk::each_part(expr, &mut |part| self.of_expr(part, path, out));
    }

    fn of_sizes(&self, place: &Place, path: &Path, out: &mut Vec<Access>) {
        for nat in [&place.index, &place.lane].into_iter().flatten() {
            self.of_nat(nat, path, out);
        }
    }

    fn of_place(
        &self,
        place: &Place,
        writes: bool,
        origin: Origin,
        path: &Path,
        out: &mut Vec<Access>,
    ) {
        self.of_sizes(place, path, out);
        let (index, width) = self.scalars(place);
        let is_pointer = matches!(self.home(place.id), Home::Pointer { .. });
        let targets = match is_pointer {
            true => self.pointers.get(&place.id).cloned().unwrap_or_default(),
            false => vec![(place.id, Some(Nat::ZERO))],
        };
        let maps = self
            .around(&path.around)
            .filter(|around| around.items().is_some());
        let doer = maps.last().map_or(origin, |around| around.origin);
        for (id, offset) in targets {
            let offset = offset.map(|offset| offset * &self.lanes(id));
            let index = index.as_ref().zip(offset).map(|(a, b)| a + &b);
            out.push(Access {
                id,
                via: is_pointer.then_some(place.id),
                alone: path.alone.clone(),
                written: place.index.clone(),
                index: index.filter(|index| !self.is_vague && !self.is_data(index)),
                width: width.clone(),
                by_scalars: place.lanes.is_some(),
                members: place.members.clone(),
                writes,
                around: path.around.clone(),
                conditions: path.conditions.clone(),
                origin,
                doer,
            });
        }
    }

    /// Returns the number of lanes of the elements of a variable if these are vectors, otherwise 1.
    fn lanes(&self, id: Id) -> Nat {
        match &*self.function.variables[id.0 as usize].elem {
            Type::Vector(lanes, _) => lanes.clone(),
            _ => Nat::ONE,
        }
    }

    /// Returns the index of the first scalar of a place in its variable or pointer, and the number
    /// of scalars; a tuple counts as one.
    fn scalars(&self, place: &Place) -> (Option<Nat>, Nat) {
        let index = place.index.clone().unwrap_or(Nat::ZERO);
        if let Some(lanes) = &place.lanes {
            return (Some(index), lanes.clone());
        }
        let lanes = self.lanes(place.id);
        let first = index * &lanes;
        match &place.lane {
            Some(lane) if place.members.is_empty() => (Some(first + lane), Nat::ONE),
            _ => (Some(first), lanes),
        }
    }

    /// Adds to `out` all accesses of statements and their nested statements; parallel reductions
    /// and kernels are ignored.
    pub fn all(&self, body: &[Stmt], path: &Path, out: &mut Vec<Access>) {
        let path = path.with_pointers(body, self.function);
        for stmt in body {
            match &stmt.kind {
                StmtKind::For(Loop {
                    counter,
                    from,
                    to,
                    body,
                    ..
                }) => {
                    self.of_nat(from, &path, out);
                    self.of_nat(to, &path, out);
                    self.all(body, &path.within(*counter), out);
                }
                StmtKind::If {
                    condition,
                    then,
                    otherwise,
                } => {
                    self.of_expr(condition, &path, out);
                    let path = path.under_condition();
                    self.all(then, &path, out);
                    self.all(otherwise, &path, out);
                }
                StmtKind::Block(body) => self.all(body, &path, out),
                _ => self.of_simple(stmt, &path, out),
            }
        }
    }
}

/// The index of an access whose counters have been renamed.
pub(crate) struct Apart {
    pub index: Option<Nat>,
    /// The renamed counters, each with the new one.
    pub renamed: Vec<(Var, Nat)>,
}

impl Apart {
    /// Returns the counter that has replaced a counter; if it is not renamed, the counter itself.
    pub fn counter(&self, counter: Var) -> Option<Var> {
        let own = self.renamed.iter().find(|(var, _)| *var == counter);
        own.map_or(Some(counter), |(_, nat)| nat.as_var())
    }
}

fn put(nat: &Nat, renamed: &[(Var, Nat)]) -> Nat {
    nat.subst(&|var| {
        let own = renamed.iter().find(|(old, _)| *old == var);
        own.map(|(_, new)| new.clone())
    })
}

/// Returns the pattern whose loops are distributed over this level and dimension, in backquotes:
/// `mapLocal(0)`.
pub(crate) fn map_name((level, dimension): (Level, u8)) -> String {
    let name = match level {
        Level::Global => "mapGlobal",
        Level::WorkGroup => "mapWorkGroup",
        Level::Local => "mapLocal",
    };
    format!("`{name}({dimension})`")
}

/// Returns the facts about the sizes of a kernel, including the conditions on its launch.
fn base_facts(function: &Function, work: &KernelState) -> Facts {
    let mut facts = function.known();
    for prop in &work.requires {
        facts.assume(prop);
    }
    facts
}
