//! Inserts barriers where a work-item accesses what another work-item of its group wrote, or writes
//! what another one still reads.
//!
//! The pass processes the statements in order, with the set of pending accesses: those since the
//! last barrier on any path. A barrier is inserted before the first statement that may access the
//! same place as a pending access of another work-item: so it orders all previous accesses. The
//! accesses of a loop that are pending for its next iteration are ordered by a barrier at its end,
//! or at its start if that also orders the accesses before the loop.
//!
//! A barrier orders accesses to the memory that it names, local or global: accesses to the other
//! memory are still pending after it.

use nat::{Facts, Nat, Prop, Var};
use rise::core::Origin;
use rustc_hash::FxHashSet;
use syntax::ast::AddressSpace;

use crate::analysis::dependence_test::{DirectionVector, MemoryAliases, Participants};
use crate::analysis::flow::{Access, Around, Flow, Path, map_name};
use crate::codes;
use crate::error::{CompileError, Result};
use crate::ir::kernel::KernelState;
use crate::ir::walk;
use crate::ir::{
    BARRIER_ELIMINATION, Barrier, Expr, ExprKind, Fences, Function, Home, Id, Level, Loop,
    LoopMode, Maker, Order, Ordered, Place, Stmt, StmtKind,
};

/// The maximal number of pairs of accesses that a barrier contains as its reasons.
const MAX_ORDERS: usize = 8;

/// The fences of a barrier for all memory that work-items share.
const EVERYTHING: Fences = Fences {
    local: true,
    global: true,
};

/// The result of the insertion of barriers into a kernel.
pub(crate) struct Ordering {
    /// The statements with barriers.
    pub body: Vec<Stmt>,
    /// The number of barriers, including those that the program contains.
    pub barriers: usize,
    /// The conditions on the launch under which all work-items of a group reach each barrier.
    pub requires: Vec<Prop>,
}

/// Inserts barriers into the statements of a kernel. `shared` maps arrays that use the memory of
/// other ones.
///
/// # Errors
/// Fails for a barrier that not all work-items of a group reach.
pub(crate) fn order(
    function: &Function,
    work: &KernelState,
    body: Vec<Stmt>,
    shared: &MemoryAliases,
) -> Result<Ordering> {
    let flow = Flow::of(function, work, &body);
    let mut pass = Barriers {
        flow: &flow,
        shared,
        diverging: Vec::new(),
        varying: FxHashSet::default(),
        requires: Vec::new(),
        barriers: 0,
    };
    let mut body = body;
    pass.find_varying(&body);
    pass.block(&mut body, &Path::start(), &[])?;
    Ok(Ordering {
        body,
        barriers: pass.barriers,
        requires: pass.requires,
    })
}

/// The accesses of statements before their first barrier and after their last one, to shared
/// memory.
#[derive(Default)]
struct Segment {
    head: Vec<Access>,
    tail: Vec<Access>,
    /// The memory for which every path through the statements has a barrier.
    stops: Fences,
}

struct Barriers<'a, 'f> {
    flow: &'a Flow<'f>,
    shared: &'a MemoryAliases,
    /// The phrases of the enclosing conditions that may differ between work-items of a group.
    diverging: Vec<Origin>,
    /// The private variables, also pointers, that may have different values in the work-items of a
    /// group.
    varying: FxHashSet<Id>,
    requires: Vec<Prop>,
    barriers: usize,
}

impl Barriers<'_, '_> {
    /// Inserts barriers into a block, given the pending accesses before it, and returns its
    /// accesses.
    fn block(&mut self, body: &mut Vec<Stmt>, path: &Path, pending: &[Access]) -> Result<Segment> {
        let path = &path.with_pointers(body, self.flow.function);
        let mut pending = pending.to_vec();
        let mut whole = Segment::default();
        let mut out = Vec::with_capacity(body.len());
        for mut stmt in std::mem::take(body) {
            let segment = self.stmt(&mut stmt, path, &pending)?;
            let found = self.orders(&pending, &segment.head, None);
            if let Some(found) = found {
                let fences = found.fences;
                out.push(self.barrier(found, path)?);
                self.keep_open(&mut pending, fences);
                self.keep_open(&mut whole.tail, fences);
                whole.stops = either(whole.stops, fences);
            }
            let mut head = segment.head;
            self.keep_open(&mut head, whole.stops);
            whole.head.append(&mut head);
            self.keep_open(&mut pending, segment.stops);
            self.keep_open(&mut whole.tail, segment.stops);
            whole.stops = either(whole.stops, segment.stops);
            pending.extend(segment.tail.iter().cloned());
            whole.tail.extend(segment.tail);
            let safe = self.after_map_local(&stmt, path);
            out.push(stmt);
            if let Some(barrier) = safe {
                out.push(barrier);
                (pending, whole.tail, whole.stops) = (Vec::new(), Vec::new(), EVERYTHING);
            }
        }
        *body = out;
        Ok(whole)
    }

    /// Returns a barrier to be inserted after a loop over the work-items of a group, if the
    /// elimination of barriers is left out, and all work-items reach it without a further condition
    /// on the launch; `None` otherwise and for other statements.
    fn after_map_local(&mut self, stmt: &Stmt, path: &Path) -> Option<Stmt> {
        let is_map_local = matches!(
            stmt.kind,
            StmtKind::For(Loop {
                mode: LoopMode::Items(Level::Local, _),
                ..
            })
        );
        if !is_map_local || !self.flow.function.without.contains(BARRIER_ELIMINATION) {
            return None;
        }
        let requires = self.requires.clone();
        if self.come_together(path).is_err() || self.requires != requires {
            self.requires = requires;
            return None;
        }
        self.barriers += 1;
        let barrier = Barrier {
            fences: EVERYTHING,
            orders: Vec::new(),
        };
        Some(Stmt::new(
            StmtKind::Barrier(Box::new(barrier)),
            stmt.origin,
            Some(Maker::Pass(super::PASS.name)),
        ))
    }

    fn stmt(&mut self, stmt: &mut Stmt, path: &Path, pending: &[Access]) -> Result<Segment> {
        match &mut stmt.kind {
            StmtKind::For(_) => self.repetition(stmt, path, pending),
            StmtKind::Block(body) => self.block(body, path, pending),
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                let mut head = Vec::new();
                self.flow.of_expr(condition, path, &mut head);
                self.keep_shared(&mut head);
                let diverges = !self.is_uniform(condition);
                self.diverging.extend(diverges.then_some(stmt.origin));
                let path = path.under_condition();
                let then = self.block(then, &path, &head)?;
                let otherwise = self.block(otherwise, &path, &head)?;
                if diverges {
                    self.diverging.pop();
                }
                let stops = both(then.stops, otherwise.stops);
                let mut tail = head.clone();
                self.keep_open(&mut tail, stops);
                head.extend(then.head.into_iter().chain(otherwise.head));
                tail.extend(then.tail.into_iter().chain(otherwise.tail));
                Ok(Segment { head, tail, stops })
            }
            StmtKind::Barrier(barrier) => {
                let stops = barrier.fences;
                self.come_together(path)?;
                self.barriers += 1;
                Ok(Segment {
                    stops,
                    ..Segment::default()
                })
            }
            _ => {
                let mut head = Vec::new();
                self.flow.of_simple(stmt, path, &mut head);
                self.keep_shared(&mut head);
                let tail = head.clone();
                Ok(Segment {
                    head,
                    tail,
                    stops: Fences::default(),
                })
            }
        }
    }

    fn repetition(&mut self, stmt: &mut Stmt, path: &Path, pending: &[Access]) -> Result<Segment> {
        let StmtKind::For(Loop {
            counter,
            from,
            to,
            body,
            ..
        }) = &mut stmt.kind
        else {
            return Ok(Segment::default());
        };
        let (counter, mut bounds) = (*counter, Vec::new());
        self.flow.of_nat(from, path, &mut bounds);
        self.flow.of_nat(to, path, &mut bounds);
        self.keep_shared(&mut bounds);
        let inner = path.within(counter);
        let mut segment = self.block(body, &inner, &[])?;
        let Some(around) = self.flow.loops.get(&counter).cloned() else {
            return Ok(segment);
        };
        let facts = self.flow.within(&path.around);
        let has_bounds = !bounds.is_empty();
        segment.head.splice(0..0, bounds.iter().cloned());
        if self.repeats(&around, &facts) {
            let depth = path.around.len();
            if let Some(found) = self.orders(&segment.tail, &segment.head, Some(depth)) {
                let before = self.orders(pending, &segment.head, None);
                let before = before.filter(|_| !has_bounds);
                self.between_iterations(body, &mut segment, found, before, &inner)?;
            }
        }
        if !self.surely_runs(&around, &facts) {
            segment.stops = Fences::default();
        }
        segment.tail.extend(bounds);
        Ok(segment)
    }

    /// Inserts a barrier for the accesses `found` at the end of a loop's body or, if there are
    /// accesses `before` the loop to be ordered too, one for both at its start.
    fn between_iterations(
        &mut self,
        body: &mut Vec<Stmt>,
        segment: &mut Segment,
        found: Found,
        before: Option<Found>,
        inner: &Path,
    ) -> Result<()> {
        let is_first = before.is_some();
        let found = match before {
            Some(before) => found.and(before),
            None => found,
        };
        let fences = found.fences;
        let barrier = self.barrier(found, inner)?;
        if is_first {
            body.insert(0, barrier);
            self.keep_open(&mut segment.head, fences);
        } else {
            body.push(barrier);
            self.keep_open(&mut segment.tail, fences);
        }
        segment.stops = either(segment.stops, fences);
        Ok(())
    }

    /// Removes the accesses that a barrier with these fences orders.
    fn keep_open(&self, accesses: &mut Vec<Access>, fences: Fences) {
        accesses.retain(|access| match self.flow.shared(access.id) {
            Some(AddressSpace::Local) => !fences.local,
            _ => !fences.global,
        });
    }

    /// Returns true unless it is proved that a work-item or group executes a loop's body at most
    /// once.
    fn repeats(&self, around: &Around, facts: &Facts) -> bool {
        let once = match around.items() {
            Some((level, dimension)) => {
                Prop::AtLeast(self.flow.work.count(level, dimension), around.to.clone())
            }
            None => Prop::AtLeast(&around.from + 1, around.to.clone()),
        };
        !facts.proves(&once)
    }

    /// Returns true if it is proved that each group executes a loop's body at least once, given
    /// that all of its work-items execute it equally often.
    fn surely_runs(&self, around: &Around, facts: &Facts) -> bool {
        let least = match around.items() {
            Some((Level::Local, _)) => Nat::ONE,
            Some((level, dimension)) => self.flow.work.count(level, dimension),
            None => &around.from + 1,
        };
        facts.proves(&Prop::AtLeast(around.to.clone(), least))
    }

    fn keep_shared(&self, accesses: &mut Vec<Access>) {
        accesses.retain(|access| self.flow.shared(access.id).is_some());
    }

    /// Returns the pairs of an access in `first` and one in `second` by different work-items that
    /// have to be ordered, with the fences for that; `None` if there are none. If `carried` is
    /// given, the accesses are in different iterations of the loop at this depth.
    fn orders(&self, first: &[Access], second: &[Access], carried: Option<usize>) -> Option<Found> {
        let mut found = Found::default();
        let mut seen = FxHashSet::default();
        for a in first {
            for b in second {
                if !(a.writes || b.writes) || !seen.insert((a, b)) {
                    continue;
                }
                let direction = DirectionVector {
                    equal: carried.unwrap_or_else(|| common(a, b)),
                    carried: carried.is_some(),
                };
                if let Some(kind) =
                    self.flow
                        .dependence(a, b, direction, Participants::WorkItems, self.shared)
                {
                    found.add(a, b, kind, self.flow.shared(a.id));
                }
            }
        }
        (!found.orders.is_empty()).then_some(found)
    }

    fn barrier(&mut self, found: Found, path: &Path) -> Result<Stmt> {
        let origin = found.orders.first().map_or(Origin(0), |order| order.second);
        self.come_together(path)?;
        self.barriers += 1;
        let barrier = Barrier {
            fences: found.fences,
            orders: found.orders,
        };
        Ok(Stmt::new(
            StmtKind::Barrier(Box::new(barrier)),
            origin,
            Some(Maker::Pass(super::PASS.name)),
        ))
    }

    /// Ensures that all work-items of a group reach this point equally often, if necessary by
    /// conditions on the launch, which are added to `requires`; fails if this is not possible.
    fn come_together(&mut self, path: &Path) -> Result<()> {
        if let Some(condition) = self.diverging.last() {
            let text = "work-items would have to wait for each other under a condition that may \
                        hold for some of a work-group and not for others";
            return Err(diverging(*condition, text.to_owned()));
        }
        for (depth, counter) in path.around.iter().enumerate() {
            let Some(around) = self.flow.loops.get(counter).cloned() else {
                continue;
            };
            let facts = self.flow.within(&path.around[..depth]);
            self.all_run(&around, &facts)?;
        }
        Ok(())
    }

    /// Ensures that all work-items of a group execute a loop's body equally often, if necessary by
    /// a condition on the launch, which is added to `requires`; fails if this is not possible.
    fn all_run(&mut self, around: &Around, facts: &Facts) -> Result<()> {
        let differs = |nat: &Nat| nat.any_var(&|var| self.differs(var));
        let (level, dimension) = match around.items() {
            Some((Level::WorkGroup, _)) | None => {
                let bounds = [&around.from, &around.to];
                return match bounds.into_iter().any(differs) {
                    false => Ok(()),
                    true => {
                        let text = "work-items would have to wait for each other in a loop that \
                                    not all of a work-group run equally often";
                        Err(diverging(around.origin, text.to_owned()))
                    }
                };
            }
            Some(items) => items,
        };
        let local = self.flow.work.count(Level::Local, dimension);
        let even = match around.to.is_one() {
            true => Prop::Equal(local.clone(), Nat::ONE),
            false => Prop::Divides(local.clone(), around.to.clone()),
        };
        if facts.proves(&even) {
            return Ok(());
        }
        let known = !around.to.any_var(&|var| self.flow.changes(var));
        if known && !facts.excludes(&even) && !is_false(&even) {
            if !self.requires.contains(&even) {
                self.requires.push(even);
            }
            return Ok(());
        }
        let names = rise::Names(self.flow.function.names.as_slice().into());
        let count = rise::print::nat_text(&around.to, &names);
        let local = rise::print::nat_text(&local, &names);
        let map = map_name((level, dimension));
        let text = format!(
            "work-items would have to wait for each other inside of this {map}, but \
             they do not all come there: it has {count} elements for the {local} work-items of a \
             group in dimension {dimension}"
        );
        Err(diverging(around.origin, text))
    }

    /// Returns true if the work-items of a group may have different values of a size variable.
    fn differs(&self, var: Var) -> bool {
        match self.flow.loops.get(&var) {
            Some(around) => match around.mode {
                LoopMode::Items(Level::WorkGroup, _) => false,
                LoopMode::Items(..) => true,
                _ => {
                    let bounds = [&around.from, &around.to];
                    bounds
                        .iter()
                        .any(|nat| nat.any_var(&|var| self.differs(var)))
                }
            },
            // A variable that depends on data.
            None => self.flow.changes(var),
        }
    }

    /// Finds the private variables that may vary in a group (divergence analysis): those that an
    /// expression with different values is assigned to, or that are set where not all work-items of
    /// a group come. Variables that are set depend on each other, so this is repeated until no more
    /// are found.
    fn find_varying(&mut self, body: &[Stmt]) {
        loop {
            let before = self.varying.len();
            self.varying_in(body, false);
            if self.varying.len() == before {
                return;
            }
        }
    }

    fn varying_in(&mut self, body: &[Stmt], diverges: bool) {
        for stmt in body {
            match &stmt.kind {
                StmtKind::Declare(_, None) => {}
                StmtKind::Declare(id, Some(value)) => {
                    if diverges || !self.is_uniform(value) {
                        self.varying.insert(*id);
                    }
                }
                StmtKind::Assign(place, value) => {
                    if diverges || !self.is_uniform_place(place) || !self.is_uniform(value) {
                        self.varying.insert(place.id);
                    }
                }
                StmtKind::Point(id, place) => {
                    // Reads through a pointer to other memory may differ.
                    let reads_alike = matches!(
                        self.flow.home(place.id),
                        Home::Input | Home::Local(Some(AddressSpace::Local)) | Home::Pointer { .. }
                    );
                    if diverges || !reads_alike || !self.is_uniform_place(place) {
                        self.varying.insert(*id);
                    }
                }
                StmtKind::Swap(a, b) => {
                    if diverges || self.varying.contains(a) || self.varying.contains(b) {
                        self.varying.extend([*a, *b]);
                    }
                }
                StmtKind::For(this) => {
                    let varies = |nat: &Nat| nat.any_var(&|var| self.differs(var));
                    let diverges = diverges
                        || self.differs(this.counter)
                        || [&this.from, &this.to].into_iter().any(varies);
                    self.varying_in(&this.body, diverges);
                }
                StmtKind::If {
                    condition,
                    then,
                    otherwise,
                } => {
                    let diverges = diverges || !self.is_uniform(condition);
                    self.varying_in(then, diverges);
                    self.varying_in(otherwise, diverges);
                }
                StmtKind::Block(body) => self.varying_in(body, diverges),
                StmtKind::Reduce(reduce) => {
                    self.varying
                        .extend([reduce.into, reduce.element, reduce.left, reduce.right]);
                }
                StmtKind::Barrier(_) => {}
                StmtKind::Kernel(kernel) => self.varying_in(&kernel.body, diverges),
            }
        }
    }

    /// Returns true if the sizes and the pointer of a place are the same for all work-items.
    fn is_uniform_place(&self, place: &Place) -> bool {
        let sizes = [&place.index, &place.lane, &place.lanes];
        let varies = |nat: &Nat| nat.any_var(&|var| self.differs(var));
        let points = matches!(self.flow.home(place.id), Home::Pointer { .. });
        let differs =
            sizes.into_iter().flatten().any(varies) || points && self.varying.contains(&place.id);
        !differs
    }

    /// Returns true if an expression is known to have the same value for all work-items of a group.
    ///
    /// All work-items read the same value from a place in local memory, since barriers order each
    /// read and the writes of other work-items. A private variable has one value for the group
    /// unless it is known to vary.
    fn is_uniform(&self, expr: &Expr) -> bool {
        let mut uniform = true;
        let same = |nat: &Nat| !nat.any_var(&|var| self.differs(var));
        walk::sub_exprs(expr, &mut |part| {
            uniform &= match &part.kind {
                ExprKind::Nat(nat) | ExprKind::Lane(_, nat) | ExprKind::Element(_, nat) => {
                    same(nat)
                }
                ExprKind::Load(place) => {
                    let has_one_value = match self.flow.home(place.id) {
                        Home::Input | Home::Local(Some(AddressSpace::Local)) => true,
                        Home::Local(None | Some(AddressSpace::Private)) => {
                            !self.varying.contains(&place.id)
                        }
                        // One to other memory varies.
                        Home::Pointer { .. } => true,
                        Home::Output | Home::InOut | Home::Local(Some(_)) => false,
                    };
                    has_one_value && self.is_uniform_place(place)
                }
                _ => true,
            };
        });
        uniform
    }
}

/// Returns true if a proposition contains no variables and is false.
fn is_false(prop: &Prop) -> bool {
    prop.eval(&|_| None, &|_, _| None) == Some(false)
}

fn diverging(origin: Origin, text: String) -> CompileError {
    let help = "OpenCL requires that each barrier is reached by all work-items of a group: make the number of \
                elements a multiple of the local size, or store in another way what is shared";
    CompileError::new(origin, text)
        .with_help(help)
        .with_code(codes::DIVERGENT_BARRIER)
}

/// Returns the fences that at least one of two barriers has.
fn either(a: Fences, b: Fences) -> Fences {
    Fences {
        local: a.local || b.local,
        global: a.global || b.global,
    }
}

/// Returns the fences that both of two barriers have.
fn both(a: Fences, b: Fences) -> Fences {
    Fences {
        local: a.local && b.local,
        global: a.global && b.global,
    }
}

/// Returns the number of loops that are around both accesses.
fn common(a: &Access, b: &Access) -> usize {
    let pairs = a.around.iter().zip(b.around.iter());
    pairs.take_while(|(a, b)| a == b).count()
}

/// Pairs of accesses to be ordered by one barrier, with the fences for that.
#[derive(Default)]
struct Found {
    orders: Vec<Ordered>,
    fences: Fences,
}

impl Found {
    fn add(&mut self, first: &Access, second: &Access, kind: Order, space: Option<AddressSpace>) {
        match space {
            Some(AddressSpace::Local) => self.fences.local = true,
            _ => self.fences.global = true,
        }
        let [first, second] = match first.doer == second.doer {
            true => [first.origin, second.origin],
            false => [first.doer, second.doer],
        };
        let order = Ordered {
            first,
            second,
            kind,
        };
        if self.orders.len() < MAX_ORDERS && !self.orders.contains(&order) {
            self.orders.push(order);
        }
    }

    fn and(mut self, other: Found) -> Found {
        self.fences = either(self.fences, other.fences);
        for order in other.orders {
            if self.orders.len() < MAX_ORDERS && !self.orders.contains(&order) {
                self.orders.push(order);
            }
        }
        self
    }
}
