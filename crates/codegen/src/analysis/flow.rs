//! Access analysis: collects each access with its enclosing loops, the targets of pointers, and the
//! ranges of all counters.

use std::rc::Rc;

use nat::{Facts, Nat, Var};
use rise::Type;
use rise::core::Origin;
use rustc_hash::FxHashMap;
use syntax::ast::AddressSpace;

use crate::ir::kernel::KernelState;
use crate::ir::walk;
use crate::ir::{Expr, ExprKind, Function, Home, Id, Level, Loop, LoopMode, Place, Stmt, StmtKind};

/// The least number of the variables to which the counters of the second of two compared accesses
/// are renamed. The prover uses higher numbers.
const FIRST_OTHER: u32 = 1 << 30;

/// An enclosing loop of an access.
#[derive(Clone, Debug)]
pub(crate) struct Around {
    /// The counter, which is unique in the kernel.
    pub counter: Var,
    /// The first value of the counter.
    pub from: Nat,
    /// The exclusive end of the counter's range.
    pub to: Nat,
    /// The mode of execution.
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
    /// dimension: its level is `Local` or `Global`.
    pub fn is_of_items(&self, dimension: u8) -> bool {
        matches!(self.items(), Some((Level::Local | Level::Global, d)) if d == dimension)
    }

    /// Returns true if the groups execute different iterations of the loop in this dimension: its
    /// level is `WorkGroup` or `Global`.
    pub fn is_of_groups(&self, dimension: u8) -> bool {
        matches!(self.items(), Some((Level::WorkGroup | Level::Global, d)) if d == dimension)
    }
}

/// A read or a write of a variable.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Access {
    /// The variable, or the target of the pointer.
    pub id: Id,
    /// The pointer through which the variable is accessed, if it is not accessed directly.
    pub via: Option<Id>,
    /// The pointers in scope that are the only access to their targets.
    pub alone: Rc<[Id]>,
    /// The index as the statement has it; `None` for a scalar variable.
    pub written: Option<Nat>,
    /// The index of the first accessed scalar in the variable; `None` if it is not known.
    pub index: Option<Nat>,
    /// The number of contiguous scalars that are accessed.
    pub width: Nat,
    /// True if the index in the statement counts scalars, also in an array of vectors.
    pub by_scalars: bool,
    /// The tuple members that select the accessed part, outermost first: false `_1`, true `_2`.
    pub members: Vec<bool>,
    /// True for a write.
    pub writes: bool,
    /// The enclosing loops, outermost first.
    pub around: Rc<[Var]>,
    /// The number of enclosing loops of each enclosing condition.
    pub conditions: Rc<[usize]>,
    /// The phrase of the access: for a read, the one that is read.
    pub origin: Origin,
    /// The innermost map whose iterations are distributed over work-items; without one, the phrase
    /// of the access.
    pub doer: Origin,
}

/// The memory and loops of a kernel.
pub(crate) struct Flow<'f> {
    pub function: &'f Function,
    pub work: &'f KernelState,
    /// The facts about sizes that hold everywhere.
    pub facts: Facts,
    /// The loops, by counter.
    pub loops: FxHashMap<Var, Around>,
    /// The enclosing loops of each declaration, by variable; variables without a declaration have
    /// none.
    pub declared: FxHashMap<Id, Rc<[Var]>>,
    /// The targets of pointers with their offsets, `None` for an unknown offset (flow-insensitive
    /// points-to analysis).
    pointers: FxHashMap<Id, Vec<(Id, Option<Nat>)>>,
    opaque: FxHashMap<Var, &'f Expr>,
    /// True if two loops have the same counter, so that indices are ambiguous.
    is_vague: bool,
}

/// The loops, conditions and pointers around a statement.
#[derive(Clone)]
pub(crate) struct Path {
    pub around: Rc<[Var]>,
    pub alone: Rc<[Id]>,
    pub conditions: Rc<[usize]>,
}

impl Path {
    /// Returns the context of the kernel's body.
    pub fn start() -> Path {
        Path {
            around: Rc::new([]),
            alone: Rc::new([]),
            conditions: Rc::new([]),
        }
    }

    /// Returns the context of a loop's body.
    pub fn within(&self, counter: Var) -> Path {
        let around = self.around.iter().copied().chain([counter]).collect();
        Path {
            around,
            ..self.clone()
        }
    }

    /// Returns the context of a branch.
    pub fn under_condition(&self) -> Path {
        let here = self.around.len();
        let conditions = self.conditions.iter().copied().chain([here]).collect();
        Path {
            conditions,
            ..self.clone()
        }
    }

    /// Returns the context of the statements of a block, in which pointers are declared.
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
    /// Analyses a kernel.
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

    /// Adds the targets that assignments and exchanges of pointers give to them; returns true if
    /// one is new.
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

    /// Returns the variables in which a place may be, each with the index of the place in it;
    /// `None` for an index that is not known, or that depends on a counter or on data.
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

    /// Returns true if a size variable is a counter or depends on data.
    pub fn changes(&self, var: Var) -> bool {
        self.loops.contains_key(&var) || self.opaque.contains_key(&var)
    }

    /// Returns true if a size depends on data.
    pub fn is_data(&self, nat: &Nat) -> bool {
        !self.opaque.is_empty() && nat.any_var(&|var| self.opaque.contains_key(&var))
    }

    pub fn home(&self, id: Id) -> Home {
        self.function.variables[id.0 as usize].home
    }

    /// Returns the address space of a variable that work-items share and write: of the output, or
    /// of a variable in local or global memory; `None` for other variables.
    pub fn shared(&self, id: Id) -> Option<AddressSpace> {
        match self.home(id) {
            Home::Output => Some(AddressSpace::Global),
            Home::Local(Some(space @ (AddressSpace::Local | AddressSpace::Global))) => Some(space),
            _ => None,
        }
    }

    /// Returns true if a variable is private to each work-item and not a parameter.
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

    /// Returns the facts that hold within the loops with these counters.
    pub fn within(&self, counters: &[Var]) -> Facts {
        let mut facts = self.facts.clone();
        for around in self.around(counters) {
            facts.range(around.counter, &around.from, &around.to);
        }
        facts
    }

    /// Renames the counters of the loops around an access, except for the first `equal` loops, and
    /// assumes the ranges of the new counters.
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

    /// Collects the accesses of a declaration, an assignment or an assignment to a pointer; other
    /// statements are ignored.
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

    /// Collects the reads of the data on which a size depends.
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

    /// Collects the reads of an expression.
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

    /// Returns the index of the first scalar of a place, and the number of scalars; a tuple counts
    /// as one.
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

    /// Collects all accesses of statements.
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

/// An access with renamed counters.
pub(crate) struct Apart {
    pub index: Option<Nat>,
    /// The renamed counters, each with the new counter.
    pub renamed: Vec<(Var, Nat)>,
}

impl Apart {
    /// Returns the new counter in place of a counter, which is the same one if it is not renamed.
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

/// Returns the name of the pattern whose loops are distributed in this way.
pub(crate) fn map_name((level, dimension): (Level, u8)) -> String {
    let name = match level {
        Level::Global => "mapGlobal",
        Level::WorkGroup => "mapWorkGroup",
        Level::Local => "mapLocal",
    };
    format!("`{name}({dimension})`")
}

/// Returns the facts about the sizes of a kernel.
fn base_facts(function: &Function, work: &KernelState) -> Facts {
    let mut facts = function.known();
    for prop in &work.requires {
        facts.assume(prop);
    }
    facts
}
