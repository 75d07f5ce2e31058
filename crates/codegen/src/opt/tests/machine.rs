//! A simulator of kernels that allows every execution order of OpenCL: it executes work-items in
//! any order from barrier to barrier. Values are symbolic: each one is the term that computed it,
//! so that equal results mean equal computations. The simulator finds races: accesses of different
//! work-items to one place between two barriers, of which one is a write; and of different groups
//! to one place in a kernel.

use std::collections::HashMap;
use std::sync::{Condvar, Mutex};

use nat::{Nat, Var};
use rise::Type;
use syntax::ast::{AddressSpace, Literal};

use super::schedule::{Schedule, ScheduledItem, lock, pass_on, wait_for_turn};
use super::value::{Val, arithmetic, each_lane, made};
use crate::ir::{Expr, ExprKind, Function, Home, Id, Level, Loop, LoopMode, Place, Stmt, StmtKind};

/// The launch sizes of a kernel.
#[derive(Clone, Copy, Debug)]
pub struct Grid {
    pub local: [i64; 3],
    pub global: [i64; 3],
}

impl Grid {
    fn groups(&self) -> [i64; 3] {
        [0, 1, 2].map(|d| self.global[d] / self.local[d])
    }
}

/// An access to a place: the group and work-item, the phase between barriers, and whether it is a
/// write.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Touch {
    group: usize,
    item: usize,
    phase: usize,
    writes: bool,
}

type Address = (Id, i64, Vec<bool>);

/// The memory and the accesses to it.
#[derive(Default)]
pub struct World {
    /// The contents: the output, parameters and global arrays of the device, and the local arrays
    /// of the current group.
    memory: HashMap<Address, Val>,
    touched: HashMap<Address, Vec<Touch>>,
    pub races: Vec<String>,
}

/// The executing participant: all iterations in order, or one work-item.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Who {
    Everybody,
    Item {
        group: usize,
        item: usize,
        group_id: [i64; 3],
        local_id: [i64; 3],
    },
}

/// A kernel with its sizes.
pub struct Machine<'a> {
    pub function: &'a Function,
    pub sizes: HashMap<Var, i64>,
    pub grid: Grid,
    /// The index of a barrier in the text that is omitted.
    pub without: Option<usize>,
}

impl Machine<'_> {
    /// Returns the result of executing all iterations in order.
    pub fn reference(&self, memory: World) -> World {
        let world = Mutex::new(memory);
        let mut run = Run::new(self, Who::Everybody, &world, None);
        run.block(&self.function.body);
        drop(run);
        whole(world)
    }

    /// Executes groups and work-items in an order that depends on `seed`.
    pub fn launch(&self, memory: World, seed: u64) -> World {
        let world = Mutex::new(memory);
        let groups = self.grid.groups();
        let mut number = 0;
        for g2 in 0..groups[2] {
            for g1 in 0..groups[1] {
                for g0 in 0..groups[0] {
                    self.group(number, [g0, g1, g2], &world, seed);
                    number += 1;
                }
            }
        }
        whole(world)
    }

    fn group(&self, group: usize, group_id: [i64; 3], world: &Mutex<World>, seed: u64) {
        let local = self.grid.local;
        let items = (local[0] * local[1] * local[2]) as usize;
        let mut order: Vec<usize> = (0..items).collect();
        order.sort_by_key(|item| made((seed, item)).digest());
        {
            let mut world = lock(world);
            let function = self.function;
            world.memory.retain(|(id, ..), _| !is_local(function, *id));
            world.touched.retain(|(id, ..), _| !is_local(function, *id));
        }
        let schedule = Mutex::new(Schedule {
            turn: order[0],
            waiting: vec![false; items],
            done: vec![false; items],
            barrier: vec![0; items],
            order,
            diverged: false,
            failed: false,
        });
        let changed = Condvar::new();
        std::thread::scope(|scope| {
            for item in 0..items {
                let (schedule, changed) = (&schedule, &changed);
                scope.spawn(move || {
                    let n = item as i64;
                    let local_id = [
                        n % local[0],
                        n / local[0] % local[1],
                        n / local[0] / local[1],
                    ];
                    let who = Who::Item {
                        group,
                        item,
                        group_id,
                        local_id,
                    };
                    wait_for_turn(schedule, changed, item);
                    let turns = ScheduledItem {
                        schedule,
                        changed,
                        item,
                    };
                    let mut run = Run::new(self, who, world, Some(turns));
                    let body = std::panic::AssertUnwindSafe(|| run.block(&self.function.body));
                    let failed = std::panic::catch_unwind(body).is_err();
                    lock(schedule).failed |= failed;
                    pass_on(schedule, changed, item, true);
                });
            }
        });
        let schedule = lock(&schedule);
        assert!(!schedule.failed, "a work-item failed");
        if schedule.diverged {
            let text = "not all work-items come to a barrier";
            lock(world).races.push(text.to_owned());
        }
    }
}

fn whole(world: Mutex<World>) -> World {
    world
        .into_inner()
        .unwrap_or_else(|_| panic!("a work-item failed"))
}

fn is_local(function: &Function, id: Id) -> bool {
    function.variables[id.0 as usize].home == Home::Local(Some(AddressSpace::Local))
}

/// Returns true if a variable is private to each work-item.
fn is_private(function: &Function, id: Id) -> bool {
    matches!(
        function.variables[id.0 as usize].home,
        Home::Local(None | Some(AddressSpace::Private))
    )
}

/// The execution of one work-item.
struct Run<'a> {
    machine: &'a Machine<'a>,
    who: Who,
    world: &'a Mutex<World>,
    turns: Option<ScheduledItem<'a>>,
    counters: HashMap<Var, i64>,
    private: HashMap<Address, Val>,
    pointers: HashMap<Id, (Id, i64)>,
    /// The number of barriers so far for local memory, and for global memory.
    phases: (usize, usize),
    /// The number of each barrier, by its address in the statements.
    numbers: HashMap<*const Stmt, usize>,
}

impl<'a> Run<'a> {
    fn new(
        machine: &'a Machine<'a>,
        who: Who,
        world: &'a Mutex<World>,
        turns: Option<ScheduledItem<'a>>,
    ) -> Run<'a> {
        let mut numbers = HashMap::new();
        number(&machine.function.body, &mut numbers);
        Run {
            machine,
            who,
            world,
            turns,
            counters: HashMap::new(),
            private: HashMap::new(),
            pointers: HashMap::new(),
            phases: (0, 0),
            numbers,
        }
    }

    fn block(&mut self, body: &[Stmt]) {
        for stmt in body {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Declare(id, value) => {
                self.private.retain(|(known, ..), _| known != id);
                if self.who == Who::Everybody {
                    lock(self.world).memory.retain(|(known, ..), _| known != id);
                }
                if let Some(value) = value {
                    let value = self.expr(value);
                    self.write(&Place::plain(*id), value);
                }
            }
            StmtKind::Assign(place, value) => {
                let value = self.expr(value);
                self.write(place, value);
            }
            StmtKind::For(Loop {
                counter,
                from,
                to,
                step,
                mode,
                body,
            }) => {
                let (from, to, step) = (self.nat(from), self.nat(to), self.nat(step));
                let (from, step) = self.own_part(*mode, from, step);
                let mut value = from;
                while value < to {
                    self.counters.insert(*counter, value);
                    self.block(body);
                    value += step;
                }
                self.counters.remove(counter);
            }
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => match self.expr(condition).int() % 2 != 0 {
                true => self.block(then),
                false => self.block(otherwise),
            },
            StmtKind::Block(body) => self.block(body),
            StmtKind::Point(pointer, place) => {
                let target = self.address(place);
                self.pointers.insert(*pointer, target);
            }
            StmtKind::Swap(a, b) => {
                let (x, y) = (self.pointers[a], self.pointers[b]);
                self.pointers.insert(*a, y);
                self.pointers.insert(*b, x);
            }
            StmtKind::Barrier(_) => self.barrier(stmt),
            StmtKind::Reduce(_) | StmtKind::Kernel(_) => panic!("no part of a kernel"),
        }
    }

    /// Returns the first iteration of this work-item, and the distance to the next one.
    fn own_part(&self, mode: LoopMode, from: i64, step: i64) -> (i64, i64) {
        let (
            LoopMode::Items(level, d),
            Who::Item {
                group_id, local_id, ..
            },
        ) = (mode, self.who)
        else {
            return (from, step);
        };
        let (d, grid) = (usize::from(d), &self.machine.grid);
        match level {
            Level::Local => (local_id[d], grid.local[d]),
            Level::WorkGroup => (group_id[d], grid.groups()[d]),
            Level::Global => (group_id[d] * grid.local[d] + local_id[d], grid.global[d]),
        }
    }

    fn barrier(&mut self, stmt: &Stmt) {
        let number = self.numbers[&std::ptr::from_ref(stmt)];
        if self.machine.without == Some(number) {
            return;
        }
        if let StmtKind::Barrier(barrier) = &stmt.kind {
            self.phases.0 += usize::from(barrier.fences.local);
            self.phases.1 += usize::from(barrier.fences.global);
        }
        let Some(turns) = &self.turns else { return };
        lock(turns.schedule).barrier[turns.item] = number;
        pass_on(turns.schedule, turns.changed, turns.item, false);
        wait_for_turn(turns.schedule, turns.changed, turns.item);
    }

    /// Returns the variable and the index of the element.
    fn address(&mut self, place: &Place) -> (Id, i64) {
        let index = place.index.clone().map_or(0, |index| self.nat(&index));
        match self.pointers.get(&place.id) {
            Some((id, offset)) => (*id, offset + index),
            None => (place.id, index),
        }
    }

    /// Returns the scalars of a place, and true if they are a vector.
    fn scalars(&mut self, place: &Place) -> (Id, Vec<i64>, bool) {
        let (id, index) = self.address(place);
        if let Some(lanes) = &place.lanes {
            let lanes = self.nat(lanes);
            return (id, (index..index + lanes).collect(), true);
        }
        let variable = &self.machine.function.variables[id.0 as usize];
        let Type::Vector(lanes, _) = &*variable.elem else {
            return (id, vec![index], false);
        };
        let lanes = self.nat(&lanes.clone());
        match &place.lane {
            Some(lane) => {
                let lane = self.nat(&lane.clone());
                (id, vec![index * lanes + lane], false)
            }
            None => (id, (0..lanes).map(|l| index * lanes + l).collect(), true),
        }
    }

    fn touch(&mut self, address: &Address, writes: bool) {
        let Who::Item { group, item, .. } = self.who else {
            return;
        };
        let phase = match is_local(self.machine.function, address.0) {
            true => self.phases.0,
            false => self.phases.1,
        };
        let touch = Touch {
            group,
            item,
            phase,
            writes,
        };
        let function = self.machine.function;
        let home = function.variables[address.0.0 as usize].home;
        if home == Home::Input || is_private(function, address.0) {
            return;
        }
        let mut world = lock(self.world);
        let known = world.touched.entry(address.clone()).or_default();
        let races = |other: &&Touch| {
            (other.writes || writes)
                && (other.group != group || other.item != item && other.phase == touch.phase)
        };
        let race = known.iter().find(races).copied();
        if !known.contains(&touch) {
            known.push(touch);
        }
        if let Some(other) = race {
            let name = &function.variables[address.0.0 as usize].name;
            let text = format!("{name}[{}]: {other:?} and {touch:?}", address.1);
            world.races.push(text);
        }
    }

    fn read(&mut self, place: &Place) -> Val {
        let (id, indices, is_vector) = self.scalars(place);
        let mut all = Vec::new();
        for index in indices {
            all.push(self.read_scalar(id, index, &place.members));
        }
        match is_vector {
            true => Val::Lanes(all),
            false => all.swap_remove(0),
        }
    }

    fn read_scalar(&mut self, id: Id, index: i64, members: &[bool]) -> Val {
        let function = self.machine.function;
        let address = (id, index, members.to_vec());
        self.touch(&address, false);
        let known = match is_private(function, id) {
            true => self.private.get(&address).cloned(),
            false => lock(self.world).memory.get(&address).cloned(),
        };
        if let Some(value) = known {
            return value;
        }
        let variable = &function.variables[id.0 as usize];
        // A tuple is read by its halves, or a half from a tuple.
        if matches!(&*variable.elem, Type::Pair(..)) && members.len() < 4 {
            let half = |this: &mut Self, second: bool| {
                let mut path = members.to_vec();
                path.push(second);
                this.read_known(id, index, &path)
            };
            if let (Some(a), Some(b)) = (half(self, false), half(self, true)) {
                return Val::Pair(Box::new(a), Box::new(b));
            }
        }
        if let Some((_, up)) = members.split_last()
            && let Some(Val::Pair(a, b)) = self.read_known(id, index, up)
        {
            return if members[up.len()] { *b } else { *a };
        }
        if variable.home == Home::Input {
            return match &*variable.elem {
                Type::Index(n) => {
                    let n = self.nat(&n.clone()).max(1);
                    Val::Int((made((id.0, index)).digest() % n as u64) as i64)
                }
                Type::Pair(..) if members.is_empty() => Val::Pair(
                    Box::new(made((id.0, index, [false].as_slice()))),
                    Box::new(made((id.0, index, [true].as_slice()))),
                ),
                _ => made((id.0, index, members)),
            };
        }
        // An unwritten value is different for each place and participant.
        let seen = made((id.0, index, format!("{:?}", self.who)));
        if self.who != Who::Everybody {
            let whose = if is_private(function, id) {
                "its own"
            } else {
                "the"
            };
            let text = format!(
                "{whose} {}[{index}] is read before it is written",
                variable.name
            );
            lock(self.world).races.push(text);
        }
        seen
    }

    fn read_known(&mut self, id: Id, index: i64, members: &[bool]) -> Option<Val> {
        let address = (id, index, members.to_vec());
        match is_private(self.machine.function, id) {
            true => self.private.get(&address).cloned(),
            false => lock(self.world).memory.get(&address).cloned(),
        }
    }

    fn write(&mut self, place: &Place, value: Val) {
        let (id, indices, is_vector) = self.scalars(place);
        for (k, index) in indices.into_iter().enumerate() {
            let one = match is_vector {
                true => value.lane(k as i64),
                false => value.clone(),
            };
            let address = (id, index, place.members.clone());
            self.touch(&address, true);
            match is_private(self.machine.function, id) {
                true => self.private.insert(address, one),
                false => lock(self.world).memory.insert(address, one),
            };
        }
    }

    fn nat(&mut self, nat: &Nat) -> i64 {
        if let Some(value) = nat.as_const() {
            return value;
        }
        let mut data = HashMap::new();
        let mut vars = Vec::new();
        nat.for_each_var(&mut |var| vars.push(var));
        let function = self.machine.function;
        for var in vars {
            if let Some((_, value)) = function.opaque.iter().find(|(opaque, _)| *opaque == var) {
                let value = self.expr(value).int();
                data.insert(var, value);
            }
        }
        let known = |var: Var| {
            let known = [&data, &self.counters, &self.machine.sizes];
            known.into_iter().find_map(|map| map.get(&var)).copied()
        };
        let value = nat.eval(&known, &|_, _| None);
        value.unwrap_or_else(|| panic!("no value for {nat:?}"))
    }

    fn expr(&mut self, expr: &Expr) -> Val {
        match &expr.kind {
            ExprKind::Literal(Literal::Int { value, .. }) => Val::Int(*value as i64),
            ExprKind::Literal(Literal::Bool(value)) => Val::Int(i64::from(*value)),
            ExprKind::Literal(literal) => made(format!("{literal:?}")),
            ExprKind::Nat(nat) => Val::Int(self.nat(nat)),
            ExprKind::Load(place) => self.read(place),
            ExprKind::Unary(op, a) => {
                let a = self.expr(a);
                match (op, &a) {
                    (crate::ir::Unary::Not, Val::Int(n)) => Val::Int(i64::from(*n == 0)),
                    _ => each_lane(&[a], |all| made(("unary", all[0].digest()))),
                }
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.expr(a), self.expr(b));
                match (&a, &b) {
                    (Val::Int(a), Val::Int(b)) => arithmetic(*op, *a, *b),
                    _ => each_lane(&[a, b], |all| {
                        made((*op as u8, all[0].digest(), all[1].digest()))
                    }),
                }
            }
            ExprKind::Select(condition, a, b) => match self.expr(condition).int() % 2 != 0 {
                true => self.expr(a),
                false => self.expr(b),
            },
            ExprKind::Cast(_, a) => self.expr(a),
            ExprKind::Call(function, all) => {
                let all: Vec<u64> = all.iter().map(|arg| self.expr(arg).digest()).collect();
                made((function.name.as_str(), all))
            }
            ExprKind::Pair(a, b) => {
                let (a, b) = (self.expr(a), self.expr(b));
                Val::Pair(Box::new(a), Box::new(b))
            }
            ExprKind::Half(second, a) => match self.expr(a) {
                Val::Pair(a, b) => *if *second { b } else { a },
                other => made(("half", second, other.digest())),
            },
            ExprKind::Broadcast(a) => {
                let a = self.expr(a);
                let lanes = match &*expr.ty {
                    Type::Vector(lanes, _) => self.nat(&lanes.clone()),
                    _ => 1,
                };
                Val::Lanes(vec![a; lanes as usize])
            }
            ExprKind::Vector(all) => Val::Lanes(all.iter().map(|lane| self.expr(lane)).collect()),
            ExprKind::Lane(a, at) => {
                let at = self.nat(at);
                self.expr(a).lane(at)
            }
            ExprKind::Element(all, at) => {
                let at = self.nat(at) as usize;
                self.expr(&all[at])
            }
        }
    }
}

/// Numbers the barriers of statements.
fn number(body: &[Stmt], numbers: &mut HashMap<*const Stmt, usize>) {
    crate::ir::walk::each_stmt(body, &mut |stmt| {
        if let StmtKind::Barrier(_) = stmt.kind {
            let next = numbers.len();
            numbers.insert(std::ptr::from_ref(stmt), next);
        }
    });
}

/// Returns the number of barriers.
pub fn barriers(body: &[Stmt]) -> usize {
    let mut numbers = HashMap::new();
    number(body, &mut numbers);
    numbers.len()
}

impl World {
    /// Returns the contents of the memory without the recorded accesses.
    pub fn copy(&self) -> World {
        World {
            memory: self.memory.clone(),
            ..World::default()
        }
    }

    /// Returns the contents of the elements of a variable.
    pub fn elements(&self, id: Id) -> Vec<(i64, Vec<bool>, Val)> {
        let own = self.memory.iter().filter(|((of, ..), _)| *of == id);
        let mut all: Vec<_> = own
            .map(|((_, index, members), value)| (*index, members.clone(), value.clone()))
            .collect();
        all.sort_by_key(|(index, members, _)| (*index, members.clone()));
        all
    }
}
