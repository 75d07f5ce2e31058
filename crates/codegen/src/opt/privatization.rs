//! Privatises arrays: an array that a `mapLocal` or `mapGlobal` writes to private memory is one
//! array of all elements in DPIA. In the kernel each work-item has an array of the elements that it
//! computes itself (Tu and Padua, "Automatic Array Privatization", 1993). Arrays in local memory
//! that `mapWorkGroup` or `mapGlobal` writes are divided among groups in the same way.
//!
//! The index of each access has to contain the counter of the loop as `a*counter`, with the same
//! `a` everywhere. That dimension is removed, or is reduced to the number of iterations of one
//! work-item. How the program regroups the other dimensions does not matter: any other part of an
//! index is above or below that dimension, or the element is of another work-item. Indices of
//! another form are accepted if each iteration accesses one element only.

use nat::{Nat, Prop, Var};
use rise::Type;
use rise::core::Origin;
use rustc_hash::FxHashMap;
use syntax::ast::AddressSpace;

use super::{Pass, Run};
use crate::analysis::dependence_test::{exact_quotient, linear_form};
use crate::analysis::flow::{Access, Around, Flow, Path, map_name};
use crate::analysis::layout::{Digit, Layout, ParallelDim, Radix, Segment};
use crate::codes;
use crate::error::{CompileError, Result};
use crate::ir::kernel::KernelFunction;
use crate::ir::kernel::KernelState;
use crate::ir::trace::Changes;
use crate::ir::walk::{self, Change};
use crate::ir::{Function, Home, Id, Level, Place};

pub(crate) const PASS: Pass<KernelFunction> = Pass {
    name: "privatization",
    run: Run::Fallible(|kernel| run(&mut kernel.function, &kernel.work)),
    changes: Changes {
        moved: "declared at the start of the kernel",
        repeated: "each work-item or group has its own copy",
        rewritten: "reduced to the part of one work-item",
    },
};

/// Privatises the private and local arrays of a kernel that distributed loops write.
///
/// # Errors
/// Fails for an access to another work-item's private memory, or to another group's local memory,
/// and for an array whose size for each work-item is not known.
pub(crate) fn run(function: &mut Function, work: &KernelState) -> Result<()> {
    let mut body = std::mem::take(&mut function.body);
    let privatized = {
        let flow = Flow::of(function, work, &body);
        let mut all = Vec::new();
        flow.all(&body, &Path::start(), &mut all);
        let mut arrays: FxHashMap<Id, Vec<Access>> = FxHashMap::default();
        for access in all {
            if unshared_space(&flow, access.id).is_some() {
                arrays.entry(access.id).or_default().push(access);
            }
        }
        let mut ids: Vec<Id> = arrays.keys().copied().collect();
        ids.sort_unstable();
        let mut privatized = PrivatizedArrays::default();
        for id in ids {
            if let Some(distributed) = DistributedArray::of(&flow, id, &arrays[&id]) {
                privatized.0.insert(id, distributed?.privatize()?);
            }
        }
        privatized
    };
    let mut change = privatized;
    walk::change_all(&mut body, &mut change);
    for (_, value) in &mut function.opaque {
        walk::change_expr(value, &mut change);
    }
    function.body = body;
    for (id, private) in change.0 {
        let variable = &mut function.variables[id.0 as usize];
        variable.count = Some(private.count);
        variable.extents = Vec::new();
    }
    Ok(())
}

/// The part of an array that a work-item or group has.
struct PrivatizedArray {
    count: Nat,
    /// Maps the index of each access in the whole array to its index in the part.
    indices: FxHashMap<Nat, Nat>,
}

#[derive(Default)]
struct PrivatizedArrays(FxHashMap<Id, PrivatizedArray>);

impl Change for PrivatizedArrays {
    fn place(&mut self, place: &mut Place) {
        if let Some(private) = self.0.get(&place.id)
            && let Some(index) = &mut place.index
            && let Some(own) = private.indices.get(index)
        {
            *index = own.clone();
        }
    }
}

/// Returns the address space of a declared array that is private to work-items or local to groups;
/// `None` for other variables, and for parameters.
fn unshared_space(flow: &Flow<'_>, id: Id) -> Option<AddressSpace> {
    let variable = &flow.function.variables[id.0 as usize];
    variable.count.as_ref()?;
    flow.declared.get(&id)?;
    match variable.home {
        Home::Local(None | Some(AddressSpace::Private)) => Some(AddressSpace::Private),
        Home::Local(Some(AddressSpace::Local)) => Some(AddressSpace::Local),
        _ => None,
    }
}

/// An array that is written in loops whose iterations are distributed over work-items or groups.
struct DistributedArray<'a, 'f> {
    flow: &'a Flow<'f>,
    id: Id,
    space: AddressSpace,
    accesses: &'a [Access],
    /// The levels and dimensions of those loops, each once.
    dims: Vec<ParallelDim>,
}

impl<'a, 'f> DistributedArray<'a, 'f> {
    /// Returns an array with the distributed loops that write it; `None` if there is no such loop.
    /// Fails if there is one, but the array is also accessed through a pointer.
    fn of(
        flow: &'a Flow<'f>,
        id: Id,
        accesses: &'a [Access],
    ) -> Option<Result<DistributedArray<'a, 'f>>> {
        let space = unshared_space(flow, id)?;
        let mut whole = DistributedArray {
            flow,
            id,
            space,
            accesses,
            dims: Vec::new(),
        };
        for access in accesses.iter().filter(|access| access.writes) {
            for around in whole.distributed_loops(access) {
                if let Some(dim) = around.items()
                    && !whole.dims.contains(&dim)
                {
                    whole.dims.push(dim);
                }
            }
        }
        if whole.dims.is_empty() {
            return None;
        }
        whole.dims.sort_unstable();
        let through_pointer = accesses.iter().find(|access| access.via.is_some());
        Some(match through_pointer {
            Some(access) => Err(whole.foreign_access_error(access)),
            None => Ok(whole),
        })
    }

    /// Returns the loops around an access, within the array's scope, that are distributed over
    /// work-items or groups which have different copies of the memory: of local memory, not those
    /// over the work-items of a group.
    fn distributed_loops(&self, access: &Access) -> Vec<Around> {
        let declared = self
            .flow
            .declared
            .get(&self.id)
            .map_or(0, |around| around.len());
        let inner = access.around.get(declared..).unwrap_or_default();
        let apart = |around: &&Around| match (around.items(), self.space) {
            (Some((Level::Local, _)), AddressSpace::Local) | (None, _) => false,
            (Some(_), _) => true,
        };
        self.flow.around(inner).filter(apart).cloned().collect()
    }

    fn loop_for(&self, access: &Access, dim: ParallelDim) -> Option<Around> {
        let distributed_loops = self.distributed_loops(access);
        distributed_loops
            .into_iter()
            .find(|around| around.items() == Some(dim))
    }

    fn privatize(&self) -> Result<PrivatizedArray> {
        for access in self.accesses {
            let missing = |dim: &ParallelDim| self.loop_for(access, *dim).is_none();
            if self.dims.iter().any(missing) {
                return Err(self.foreign_access_error(access));
            }
        }
        let mut offending = None;
        for radix in [Radix::TripCount, Radix::ArrayExtent] {
            let Some(layout) = self.layout(radix)? else {
                continue;
            };
            match self.indices(&layout) {
                Ok(indices) => {
                    let count = layout.count.clone();
                    return Ok(PrivatizedArray { count, indices });
                }
                Err(access) => offending = offending.or(Some(access)),
            }
        }
        if let Some(private) = self.one_element_per_iteration()? {
            return Ok(private);
        }
        let is_read = |access: &&Access| !access.writes;
        let offending = offending.or_else(|| self.accesses.iter().find(is_read));
        let offending = offending.or_else(|| self.accesses.first());
        Err(offending.map_or_else(
            || self.unknown_size_error(),
            |access| self.foreign_access_error(access),
        ))
    }

    fn index<'b>(&self, access: &'b Access) -> Option<&'b Nat> {
        let index = access.written.as_ref()?;
        let elem = &self.flow.function.variables[self.id.0 as usize].elem;
        let is_vector = matches!(&**elem, Type::Vector(..));
        let is_part = is_vector && access.by_scalars;
        (!self.flow.is_data(index) && !is_part).then_some(index)
    }

    /// Returns the layout of the array; `None` if the counters of the distributed loops are not
    /// digits of its indices. Fails if the size of an array in private memory is not known.
    fn layout(&self, radix: Radix) -> Result<Option<Layout>> {
        let mut digits = Vec::new();
        for dim in &self.dims {
            match self.digit(*dim, radix) {
                Some(Some(digit)) => digits.push(digit),
                Some(None) => {}
                None => return Ok(None),
            }
        }
        let facts = &self.flow.facts;
        let above = |a: &Digit, b: &Digit| facts.proves(&Prop::AtLeast(a.step.clone(), b.span()));
        let mut sorted: Vec<Digit> = Vec::new();
        for digit in digits {
            let at = sorted.iter().position(|other| above(&digit, other));
            sorted.insert(at.unwrap_or(sorted.len()), digit);
        }
        if sorted.windows(2).any(|pair| !above(&pair[0], &pair[1])) {
            return Ok(None);
        }
        self.cut(sorted)
    }

    /// Returns the digit that the counters of the loops of one level and dimension are in the
    /// indices of all writes: `None` if there is no common one, and `Some(None)` if there is only
    /// one iteration.
    fn digit(&self, dim: ParallelDim, radix: Radix) -> Option<Option<Digit>> {
        let mut found: Option<(Nat, Nat)> = None;
        let mut is_single = true;
        for access in self.accesses.iter().filter(|access| access.writes) {
            let around = self.loop_for(access, dim)?;
            let facts = self.flow.within(&access.around);
            let index = self.index(access)?;
            let Some((step, _)) = linear_form(index, around.counter) else {
                let once = Prop::AtLeast(Nat::ONE, around.to.clone());
                match !index.mentions(around.counter) && facts.proves(&once) {
                    true => continue,
                    false => return None,
                }
            };
            is_single = false;
            let fixed = |nat: &Nat| !nat.any_var(&|var| self.flow.changes(var));
            let to = facts.normalize(&around.to);
            if !fixed(&step) || !fixed(&to) {
                return None;
            }
            found = Some(match found {
                None => (step, to),
                Some((known, end)) if known == step => (known, Nat::max(&end, &to)),
                Some(_) => return None,
            });
        }
        if is_single {
            return Some(None);
        }
        let (step, end) = found?;
        let back = Nat::sub(&Nat::ZERO, &step);
        let is_reversed = self
            .flow
            .facts
            .proves(&Prop::AtLeast(back.clone(), Nat::ONE));
        let step = if is_reversed { back } else { step };
        let radix = match radix {
            Radix::TripCount => end.clone(),
            Radix::ArrayExtent => self.extent_at(&step)?,
        };
        Some(Some(Digit {
            dim,
            step,
            is_reversed,
            end,
            radix,
        }))
    }

    /// Returns the extent of the array's dimension whose adjacent positions are `step` elements
    /// apart; `None` if there is no such dimension.
    fn extent_at(&self, step: &Nat) -> Option<Nat> {
        let variable = &self.flow.function.variables[self.id.0 as usize];
        let mut inner = Nat::ONE;
        for extent in variable.extents.iter().rev() {
            if inner == *step {
                return Some(extent.clone());
            }
            inner = &inner * extent;
        }
        None
    }

    fn cut(&self, digits: Vec<Digit>) -> Result<Option<Layout>> {
        let variable = &self.flow.function.variables[self.id.0 as usize];
        let Some(whole) = &variable.count else {
            return Ok(None);
        };
        let mut segments = Vec::new();
        let mut size = Nat::ONE;
        let mut steps = Vec::new();
        // From the lowest digit on: the segment below a digit, and the work-item's part of the
        // digit.
        for (at, digit) in digits.iter().enumerate().rev() {
            let unit = digits.get(at + 1).map_or(Nat::ONE, Digit::span);
            let Some(length) = exact_quotient(&self.flow.facts.normalize(&digit.step), &unit)
            else {
                return Ok(None);
            };
            segments.push(Segment {
                unit,
                length: Some(length.clone()),
                private_unit: size.clone(),
            });
            size = &size * &length;
            let rounds = self.rounds(digit)?;
            steps.push(size.clone());
            size = &size * &rounds;
        }
        segments.reverse();
        steps.reverse();
        let unit = digits.first().map_or(Nat::ONE, Digit::span);
        let top = Nat::ceil_div(whole, &unit);
        segments.insert(
            0,
            Segment {
                unit,
                length: None,
                private_unit: size.clone(),
            },
        );
        let count = self.flow.facts.normalize(&(&size * &top));
        if self.space == AddressSpace::Private && count.as_const().is_none() {
            return Err(self.unknown_size_error());
        }
        Ok(Some(Layout {
            digits,
            steps,
            segments,
            count,
        }))
    }

    /// Returns the maximal number of iterations of the loops of a digit that one work-item or group
    /// executes. Fails if it is not a constant and the array is in private memory.
    fn rounds(&self, digit: &Digit) -> Result<Nat> {
        let (level, dimension) = digit.dim;
        let participants = self.flow.work.count(level, dimension);
        let once = Prop::AtLeast(participants.clone(), digit.end.clone());
        if self.flow.facts.proves(&once) {
            return Ok(Nat::ONE);
        }
        let rounds = self
            .flow
            .facts
            .normalize(&Nat::ceil_div(&digit.end, &participants));
        match self.space == AddressSpace::Private && rounds.as_const().is_none() {
            true => Err(self.unknown_size_error()),
            false => Ok(rounds),
        }
    }

    /// Returns the indices of all accesses, each with the one in the part of a work-item; fails
    /// with the first access that is not known to be to an element of the same work-item.
    fn indices(&self, layout: &Layout) -> Result<FxHashMap<Nat, Nat>, &'a Access> {
        let mut indices = FxHashMap::default();
        for access in self.accesses {
            let own = self.private_index(access, layout).ok_or(access)?;
            let index = self.index(access).ok_or(access)?.clone();
            if indices.get(&index).is_some_and(|known| *known != own) {
                return Err(access);
            }
            indices.insert(index, own);
        }
        Ok(indices)
    }

    fn private_index(&self, access: &Access, layout: &Layout) -> Option<Nat> {
        let facts = self.flow.within(&access.around);
        let mut rest = self.index(access)?.clone();
        let mut own = Nat::ZERO;
        for (digit, step) in layout.digits.iter().zip(&layout.steps) {
            let around = self.loop_for(access, digit.dim)?;
            let (factor, others) = linear_form(&rest, around.counter)?;
            let within = Prop::AtLeast(digit.end.clone(), around.to.clone());
            if factor != digit.factor() || !facts.proves(&within) {
                return None;
            }
            rest = Nat::sub(&others, &digit.last());
            let (level, dimension) = digit.dim;
            let participants = self.flow.work.count(level, dimension);
            if !facts.proves(&Prop::AtLeast(participants.clone(), digit.end.clone())) {
                let round = Nat::div(&Nat::var(around.counter), &participants);
                own = &own + &(&round * step);
            }
        }
        // A dimension with a single iteration is executed by one work-item, whatever the index is.
        for dim in &self.dims {
            if layout.digits.iter().all(|digit| digit.dim != *dim) {
                let around = self.loop_for(access, *dim)?;
                let once = Prop::AtLeast(Nat::ONE, around.to.clone());
                if !facts.proves(&once) {
                    return None;
                }
            }
        }
        let parts = layout.decompose(&rest)?;
        let last = parts.len() - 1;
        for (at, (part, segment)) in parts.iter().zip(&layout.segments).enumerate() {
            let width = if at == last {
                &access.width - 1
            } else {
                Nat::ZERO
            };
            if !segment.contains(part, &self.scaled(&width), &facts) {
                return None;
            }
            own = &own + &(part * &segment.private_unit);
        }
        Some(facts.normalize(&own))
    }

    /// Converts the number of scalars that an access has after its first one to a number of
    /// elements: in an array of vectors, a vector is one element, so that it is 0.
    fn scaled(&self, width: &Nat) -> Nat {
        let elem = &self.flow.function.variables[self.id.0 as usize].elem;
        match &**elem {
            Type::Vector(..) => Nat::ZERO,
            _ => width.clone(),
        }
    }

    /// Returns the part of a work-item if each iteration of the distributed loops accesses only one
    /// element, and all accesses have the same expression of any form as index; otherwise `None`.
    fn one_element_per_iteration(&self) -> Result<Option<PrivatizedArray>> {
        let mut form: Option<Nat> = None;
        let mut indices = FxHashMap::default();
        let mut count = Nat::ONE;
        for access in self.accesses {
            let (Some(index), Some(loops)) = (
                self.index(access),
                self.dims
                    .iter()
                    .map(|dim| self.loop_for(access, *dim))
                    .collect::<Option<Vec<_>>>(),
            ) else {
                return Ok(None);
            };
            // An iteration that no write has belongs to a work-item that has not written its element.
            if !access.writes && !self.is_written_in_each_iteration(access, &loops) {
                return Ok(None);
            }
            let counters: Vec<Var> = loops.iter().map(|around| around.counter).collect();
            let is_other = |var: Var| self.flow.changes(var) && !counters.contains(&var);
            if index.any_var(&is_other) || !access.width.is_one() {
                return Ok(None);
            }
            let named = index.subst(&|var| {
                let at = counters.iter().position(|counter| *counter == var)?;
                Some(Nat::var(Var(FIRST_CANONICAL + u32::try_from(at).ok()?)))
            });
            if form.get_or_insert_with(|| named.clone()) != &named {
                return Ok(None);
            }
            let mut own = Nat::ZERO;
            let mut all = Nat::ONE;
            for (around, dim) in loops.iter().zip(&self.dims) {
                let digit = Digit {
                    dim: *dim,
                    step: Nat::ONE,
                    is_reversed: false,
                    end: around.to.clone(),
                    radix: around.to.clone(),
                };
                let rounds = self.rounds(&digit)?;
                if !rounds.is_one() {
                    let (level, dimension) = *dim;
                    let participants = self.flow.work.count(level, dimension);
                    own = &own * &rounds + Nat::div(&Nat::var(around.counter), &participants);
                }
                all = &all * &rounds;
            }
            count = Nat::max(&count, &all);
            indices.insert(index.clone(), own);
        }
        Ok(Some(PrivatizedArray { count, indices }))
    }

    /// Returns true if every write of the array is known to be executed for each iteration of the
    /// distributed loops around a read, one for each dimension.
    fn is_written_in_each_iteration(&self, read: &Access, loops: &[Around]) -> bool {
        let facts = self.flow.within(&read.around);
        let writes = self.accesses.iter().filter(|access| access.writes);
        writes.into_iter().all(|write| {
            self.dims.iter().zip(loops).all(|(dim, around)| {
                self.loop_for(write, *dim).is_some_and(|writer| {
                    facts.proves(&Prop::AtLeast(writer.to.clone(), around.to.clone()))
                })
            })
        })
    }

    fn foreign_access_error(&self, access: &Access) -> CompileError {
        let maps: Vec<String> = self.dims.iter().map(|dim| map_name(*dim)).collect();
        let maps = maps.join(" and ");
        let verb = if access.writes { "writes" } else { "reads" };
        let (text, help) = match self.space {
            AddressSpace::Local => (
                format!(
                    "this {verb} Local memory of other work-groups: {maps} stored a part of the \
                     array in the Local memory of each work-group"
                ),
                "use `toMem(Global)` for what several groups work on, and two kernels for writing \
                 and reading it (`oclRun`), or store it inside of the map over groups",
            ),
            _ => (
                format!(
                    "this {verb} Private memory of other work-items: private memory is each \
                     work-item's own, and each holds only the elements that it computed in {maps}"
                ),
                "use `toMem(Local)` (`reduceSeq(Local)`, …) for what a work-group shares, or let \
                 each work-item read only the elements that it computed, with the same map",
            ),
        };
        let error = CompileError::new(access.doer, text)
            .with_help(help)
            .with_code(codes::OTHER_WORK_ITEM)
            .with_memory(self.flow.function.variables[self.id.0 as usize].origin);
        let writer = self.accesses.iter().find(|other| {
            other.writes && other.doer != access.doer && !self.distributed_loops(other).is_empty()
        });
        match writer {
            Some(writer) => error.with_related(writer.doer, "written here"),
            None => error,
        }
    }

    fn unknown_size_error(&self) -> CompileError {
        let maps: Vec<String> = self.dims.iter().map(|dim| map_name(*dim)).collect();
        let text = format!(
            "how many elements each work-item keeps in Private memory here is not known: {} share \
             them, and the number of work-items is unknown",
            maps.join(" and ")
        );
        CompileError::new(self.origin(), text)
            .with_help("write the number of work-items, as in `@opencl(local = [128], global = [n])`, or use `oclRun`")
            .with_code(dpia::codes::LAUNCH_SIZE)
    }

    fn origin(&self) -> Origin {
        self.flow.function.variables[self.id.0 as usize].origin
    }
}

/// The least number of the size variables that stand for counters when the indices of accesses are
/// compared.
const FIRST_CANONICAL: u32 = 1 << 30;
