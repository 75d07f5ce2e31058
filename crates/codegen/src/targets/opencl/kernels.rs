//! Prints kernels in OpenCL C with their parameters, work-item queries, address spaces and
//! barriers, and assembles the module with what a host has to know of them.

use nat::{Nat, Prop, Var};
use rise::Names;
use rise::core::Foreign;
use rise::print::nat_text;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use syntax::ast::{AddressSpace, Name, ScalarType};

use crate::analysis::counts;
use crate::analysis::uses::{Mention, Uses};
use crate::ir::host::HostStep;
use crate::ir::kernel::{KernelFunction, Kernels};
use crate::ir::walk;
use crate::ir::{Barrier, Function, Home, Id, Item, Level, Loop, Query, Stmt, StmtKind, Variable};
use crate::module::{
    BarrierText, Buffer, Device, ForeignText, Kernel, KernelArg, Module, Plain, Reason,
};
use crate::signature::Signature;
use crate::targets::{CDialect, Target};
use dpia::{IndexPolicy, IndexWidth};

use crate::analysis::address_spaces::space_of;
use crate::error::Result;
use crate::ir::types::CType;
use crate::targets::clike::assemble::{check_constants, moved};
use crate::targets::clike::rounding::may_contract;
use crate::targets::clike::{Printer, check, wrap};

/// The maximal length in bytes of a line with the head of a kernel.
const MAX_LINE: usize = 100;

/// The text of a kernel, with the position in bytes of its body in the text, and its metadata.
struct Text {
    text: String,
    body_at: usize,
    kernel: Kernel,
}

/// Prints the kernels of a function. If the sizes of a call are to select the index width, the
/// kernels have 32-bit indices if these suffice for all calls, otherwise 64-bit indices, and if the
/// sizes determine whether 32 bits suffice, the text of the same kernels with 32-bit indices is
/// added.
pub(crate) fn print(
    mut parts: Kernels,
    target: Target,
    signature: Signature,
    index: IndexPolicy,
) -> Result<Module> {
    let depends_on_sizes = parts.depends_on_sizes;
    let mut of_width = |width| print_kernels(&mut parts, target, width, signature.clone());
    if let IndexPolicy::Fixed(width) = index {
        return of_width(width);
    }
    // What is not known before the launch is counted with 64 bits, and so is a constant that is too
    // large. Any other error is the same with both widths.
    let narrow = depends_on_sizes.then(|| of_width(IndexWidth::Bits32));
    let narrow = narrow.and_then(Result::ok);
    if let Some(narrow) = &narrow
        && narrow.signature.sizes.is_empty()
        && narrow.counts.is_empty()
    {
        return Ok(narrow.clone());
    }
    let mut wide = of_width(IndexWidth::Bits64)?;
    if let Some(device) = &mut wide.device {
        device.narrow = narrow.map(|narrow| narrow.text);
    }
    Ok(wide)
}

fn print_kernels(
    parts: &mut Kernels,
    target: Target,
    index: IndexWidth,
    mut signature: Signature,
) -> Result<Module> {
    signature.index = index;
    for part in &mut parts.kernels {
        part.function.index = index;
    }
    let parts = &*parts;
    let mut module = Module {
        text: String::new(),
        signature: signature.clone(),
        map: Vec::new(),
        plain: Vec::new(),
        foreign: Vec::new(),
        device: None,
        barriers: Vec::new(),
        counts: counts_of(parts)?,
    };
    let mut device = Device::default();
    for shared in &parts.shared {
        let name = match parts.kernels.first() {
            Some(part) => part.function.variables[shared.id.0 as usize].name.clone(),
            None => "buffer".into(),
        };
        let bytes = shared.bytes.clone();
        device.buffers.push(Buffer { name, bytes });
    }
    device.handles = parts.handles.len();
    device.steps = (parts.steps.iter())
        .map(|step| step.map(&|id| memory(parts, *id)))
        .collect();
    let mut before: Option<Printer<'_>> = None;
    let mut foreign: Vec<Arc<Foreign>> = Vec::new();
    for (at, part) in parts.kernels.iter().enumerate() {
        let mut printer = Printer::new(&part.function, target);
        if let Some(before) = before.take() {
            printer.take_over(before);
        }
        if at == 0 {
            signature.names = part.function.names.clone();
        }
        foreign.extend(printer.foreign_functions());
        let text = printer.kernel(part, parts, at, &mut signature, &mut device)?;
        printer.append(&text, &mut module);
        device.kernels.push(text.kernel);
        before = Some(printer);
    }
    module.signature = signature;
    module.device = Some(device);
    match before {
        Some(printer) => {
            let contract = foreign.iter().any(|function| function.body.is_some())
                || (parts.kernels.iter()).any(|part| may_contract(&part.function));
            printer.whole(&foreign, contract, module)
        }
        None => Ok(module),
    }
}

/// Returns the argument for memory that the steps of the host name.
fn memory(parts: &Kernels, id: Id) -> KernelArg {
    let position = |all: &[Id]| all.iter().position(|one| *one == id);
    let shared = || parts.shared.iter().position(|shared| shared.id == id);
    let function = parts.kernels.first().map(|part| &part.function);
    let output = || function.and_then(|function| position(&function.outputs));
    let param = || function.and_then(|function| position(&function.params));
    let found = position(&parts.handles).map(KernelArg::Handle);
    let found = found.or_else(|| shared().map(KernelArg::Buffer));
    let found = found.or_else(|| output().map(KernelArg::Output));
    found.unwrap_or_else(|| KernelArg::Param(param().unwrap_or_default()))
}

/// Returns how often steps launch a kernel; `None` if they do so once, without a loop around it.
fn rounds(steps: &[HostStep<Id>], kernel: usize) -> Option<Nat> {
    steps.iter().find_map(|step| match step {
        HostStep::Repeat { count, body, .. } => match rounds(body, kernel) {
            Some(inner) => Some(count * &inner),
            None => body
                .contains(&HostStep::Launch(kernel))
                .then(|| count.clone()),
        },
        HostStep::IfEqual {
            then, otherwise, ..
        } => rounds(then, kernel).or_else(|| rounds(otherwise, kernel)),
        HostStep::Launch(_) | HostStep::Point(..) | HostStep::Swap(..) => None,
    })
}

/// Returns the conditions of a launch: those that passes require and, for each array whose size
/// depends on that of the launch, that indices can count its elements.
fn requires(part: &KernelFunction) -> Vec<Prop> {
    let KernelFunction { function, work } = part;
    let launch: Vec<Var> = (work.vars.local.iter().chain(&work.vars.global))
        .copied()
        .collect();
    let is_known = |var| launch.contains(&var) || function.sizes.contains(&var);
    let largest = i64::try_from(function.index.limit() - 1).unwrap_or(i64::MAX);
    let mut all = work.requires.clone();
    for temporary in &work.temporaries {
        let count = &function.variables[temporary.id.0 as usize].count;
        if let Some(count) = count
            && count.any_var(&|var| launch.contains(&var))
            && !count.any_var(&|var| !is_known(var))
        {
            all.push(Prop::AtLeast(Nat::constant(largest), count.clone()));
        }
    }
    all
}

fn counts_of(parts: &Kernels) -> Result<Vec<Nat>> {
    let mut all = Vec::new();
    for KernelFunction { function, work } in &parts.kernels {
        let temporaries = work.temporaries.iter().map(|temporary| temporary.id);
        let stored = function.params.iter().chain(&function.outputs).copied();
        let counts = counts::of(function, stored.chain(temporaries));
        check_constants(function, &counts, function.index)?;
        all.extend(counts.all);
    }
    all.sort();
    all.dedup();
    Ok(all)
}

fn shift(module: &mut Module, by: usize) {
    let maps = module.map.iter_mut().map(|mapping| &mut mapping.range);
    let plain = module.plain.iter_mut().map(|plain| &mut plain.range);
    let barriers = module.barriers.iter_mut().map(|barrier| &mut barrier.range);
    for range in maps.chain(plain).chain(barriers) {
        *range = moved(range, by);
    }
}

/// Returns the pragmas for the OpenCL extensions that the parts of a text need, and the one against
/// contraction if a compiler could `contract` a product and a sum.
fn pragmas(parts: &[&str], contract: bool) -> String {
    let has = |word: &str| {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        // The comment above a function contains its name in the program.
        let mut lines = (parts.iter())
            .flat_map(|part| part.lines())
            .filter(|line| !line.starts_with("/*"));
        lines.any(|line| {
            line.match_indices(word).any(|(at, _)| {
                let behind =
                    line[at + word.len()..].trim_start_matches(|c: char| c.is_ascii_digit());
                !line[..at].ends_with(is_word) && !behind.starts_with(is_word)
            })
        })
    };
    let mut out = String::new();
    for (word, name) in [("double", "cl_khr_fp64"), ("half", "cl_khr_fp16")] {
        if has(word) {
            out.push_str(&format!("#pragma OPENCL EXTENSION {name} : enable\n"));
        }
    }
    if contract {
        out.push_str("#pragma OPENCL FP_CONTRACT OFF\n");
    }
    if !out.is_empty() {
        out.push('\n');
    }
    out
}

impl Printer<'_> {
    /// Returns the address space of a variable, or of the memory that a pointer points to, followed
    /// by a space; the empty text for private memory, and on targets other than OpenCL.
    pub(crate) fn space(&self, id: Id) -> &'static str {
        let space = match self.variable(id).home {
            Home::Pointer { .. } => self.pointer_spaces.get(&id).copied(),
            _ => space_of(self.function, id),
        };
        match space {
            _ if self.target.dialect() != CDialect::OpenCl => "",
            Some(AddressSpace::Global) => "global ",
            Some(AddressSpace::Local) => "local ",
            Some(AddressSpace::Constant) => "constant ",
            _ => "",
        }
    }
}

impl<'a> Printer<'a> {
    /// Adds a kernel to the text of a module after the kernels before it, with its mappings and
    /// barriers.
    fn append(&mut self, text: &Text, module: &mut Module) {
        if !module.text.is_empty() {
            module.text.push('\n');
        }
        let start = module.text.len();
        module.text.push_str(&text.text);
        let by = start + text.body_at;
        module.plain.push(Plain {
            range: start..by,
            reason: Reason::Signature,
        });
        for mut mapping in self.map.drain(..) {
            mapping.range = moved(&mapping.range, by);
            module.map.push(mapping);
        }
        for mut plain in self.plain.drain(..) {
            plain.range = moved(&plain.range, by);
            module.plain.push(plain);
        }
        for mut barrier in self.barriers.drain(..) {
            barrier.range = moved(&barrier.range, by);
            module.barriers.push(barrier);
        }
    }

    /// Returns the module with pragmas and the declarations that the kernels need in front of the
    /// kernels.
    fn whole(
        mut self,
        foreign: &[Arc<Foreign>],
        contract: bool,
        mut module: Module,
    ) -> Result<Module> {
        let mut declarations = String::new();
        let texts = self.declarations(foreign, &mut declarations)?;
        let mut head = pragmas(&[&declarations, &module.text], contract);
        let foreign_at = head.len();
        head.push_str(&declarations);
        shift(&mut module, head.len());
        if !head.is_empty() {
            let needed = Plain {
                range: 0..head.len(),
                reason: Reason::Needed,
            };
            module.plain.insert(0, needed);
        }
        let texts = texts.into_iter().map(|(range, function)| ForeignText {
            range: moved(&range, foreign_at),
            function,
        });
        module.foreign = texts.collect();
        head.push_str(&module.text);
        module.text = head;
        Ok(module)
    }

    /// Adopts the helpers, types and C functions of the printer of the previous functions of the
    /// text, and reserves the names of these C functions.
    pub(in crate::targets) fn take_over(&mut self, before: Printer<'_>) {
        self.helpers = before.helpers;
        self.types = before.types;
        self.unaligned = before.unaligned;
        for (function, name) in before.foreign {
            self.names.reserve(&name);
            self.foreign.push((function, name));
        }
    }

    fn kernel(
        &mut self,
        part: &KernelFunction,
        parts: &Kernels,
        at: usize,
        signature: &mut Signature,
        device: &mut Device,
    ) -> Result<Text> {
        let first = at == 0;
        let name = self.names.function(&match parts.kernels.len() {
            0 | 1 => part.function.name.to_string(),
            _ => format!("{}_{}", part.function.name, at + 1),
        });
        let candidates = self.candidates(part, parts, signature, device, first)?;
        let items = self.name_items(&part.function.items);
        if first {
            signature.name = part.function.name.clone();
        }
        let mut comment = if first {
            check::comment(signature)
        } else {
            String::new()
        };
        if let Some(rounds) = rounds(&parts.steps, at) {
            let rounds = nat_text(&rounds, &Names(part.function.names.as_slice().into()));
            comment.push_str(&format!(
                "/* The host launches this kernel {rounds} times. */\n"
            ));
        }
        let alone = parts.is_one_launch();
        let body = self.kernel_body(&items, alone)?;
        let ranges = self.map.iter_mut().map(|mapping| &mut mapping.range);
        let ranges = ranges
            .chain(self.plain.iter_mut().map(|plain| &mut plain.range))
            .chain(self.barriers.iter_mut().map(|barrier| &mut barrier.range));
        let body = wrap::wrap(&body, ranges);
        let used = candidates.into_iter().filter(|param| {
            alone
                || match param.what {
                    What::Id(id) => self.used_ids.contains(&id),
                    What::Var(var) => self.used_vars.contains(&var),
                }
        });
        let used: Vec<Candidate> = used.collect();
        let head = head(&name, &used, &part.work, !self.barriers.is_empty());
        let body_at = comment.len() + head.len();
        let kernel = Kernel {
            name: name.as_str().into(),
            args: used.into_iter().map(|param| param.arg).collect(),
            launch: part.work.launch.clone(),
            sizes: part.work.vars,
            requires: requires(part),
            local_bytes: part.work.local_bytes.clone(),
            private_bytes: self.private_bytes(&part.function),
            items: part.work.items.clone(),
        };
        Ok(Text {
            text: format!("{comment}{head}{body}\n"),
            body_at,
            kernel,
        })
    }

    /// Returns the size in bytes of the private variables and arrays that the kernel uses.
    fn private_bytes(&self, function: &Function) -> Nat {
        let is_private = |variable: &Variable| {
            let space = match variable.home {
                Home::Local(space) => space.unwrap_or(AddressSpace::Private),
                _ => return false,
            };
            space == AddressSpace::Private
        };
        let used = self.used_ids.iter();
        let used = used.filter_map(|id| function.variables.get(id.0 as usize));
        used.filter(|variable| is_private(variable))
            .filter_map(|variable| {
                let count = variable.count.clone().unwrap_or(Nat::ONE);
                Some(&count * &crate::analysis::memory::bytes(&variable.elem)?)
            })
            .fold(Nat::ZERO, |all, bytes| all + &bytes)
    }

    /// Returns all parameters that the kernel may have, with names that are chosen here. The first
    /// kernel sets the names in the signature. Buffers that only this kernel uses are added to the
    /// device.
    fn candidates(
        &mut self,
        part: &KernelFunction,
        parts: &Kernels,
        signature: &mut Signature,
        device: &mut Device,
        first: bool,
    ) -> Result<Vec<Candidate>> {
        let function = &part.function;
        let mut all = Vec::new();
        for (at, id) in function.outputs.iter().enumerate() {
            let (text, output) = self.kernel_parameter(*id)?;
            if let Some(entry) = signature.outputs.get_mut(at).filter(|_| first) {
                entry.0 = Name::from(output);
            }
            all.push(Candidate::of(What::Id(*id), text, KernelArg::Output(at)));
        }
        for (at, var) in function.sizes.iter().enumerate() {
            let size = self.names.fresh(&self.shown.get(*var));
            self.names.bind_var(*var, size.clone());
            let text = format!("{} {size}", self.size_type());
            if let Some(entry) = signature.sizes.get_mut(at).filter(|_| first) {
                entry.1 = size.into();
            }
            all.push(Candidate::of(What::Var(*var), text, KernelArg::Size(at)));
        }
        for (at, id) in function.params.iter().enumerate() {
            let (text, param) = self.kernel_parameter(*id)?;
            if let Some(entry) = signature.params.get_mut(at).filter(|_| first) {
                entry.0 = Name::from(param);
            }
            all.push(Candidate::of(What::Id(*id), text, KernelArg::Param(at)));
        }
        for temporary in &part.work.temporaries {
            let id = temporary.id;
            let variable = &function.variables[id.0 as usize];
            let (text, name) = self.kernel_parameter(id)?;
            let bytes = temporary.bytes.clone();
            let arg = if variable.home == Home::Local(Some(AddressSpace::Local)) {
                KernelArg::Local { bytes }
            } else if let Some(handle) = parts.handles.iter().position(|handle| *handle == id) {
                KernelArg::Handle(handle)
            } else {
                let shared = parts.shared.iter().position(|shared| shared.id == id);
                KernelArg::Buffer(shared.unwrap_or_else(|| {
                    let name = name.into();
                    device.buffers.push(Buffer { name, bytes });
                    device.buffers.len() - 1
                }))
            };
            all.push(Candidate::of(What::Id(id), text, arg));
        }
        Ok(all)
    }

    /// Returns the declaration of a parameter and its name, which is chosen here.
    fn kernel_parameter(&mut self, id: Id) -> Result<(String, String)> {
        let variable = self.variable(id);
        let name = self.names.fresh(&variable.name);
        self.names.bind(id, name.clone());
        let ty = self.elem(id)?.name(self.target);
        let text = match variable.home {
            Home::Local(Some(AddressSpace::Local)) => format!("local {ty} *restrict {name}"),
            Home::Local(_) if !self.is_written(id) => {
                format!("global const {ty} *restrict {name}")
            }
            Home::Output | Home::InOut | Home::Local(_) => format!("global {ty} *restrict {name}"),
            _ if variable.count.is_some() => format!("global const {ty} *restrict {name}"),
            _ => format!("{ty} {name}"),
        };
        Ok((text, name))
    }

    /// Returns true if the kernel writes to an array, or has a pointer to it.
    fn is_written(&self, id: Id) -> bool {
        let mut found = false;
        Uses::of(self.function).all(&self.function.body, &mut |this, mention| {
            let writes = matches!(mention, Mention::Written(_) | Mention::Pointed);
            found |= this == id && writes;
        });
        found
    }

    /// Chooses names for the work-item queries, and returns the queries in the order of their
    /// declarations. A query that only one loop uses has its call as name, and is not declared.
    fn name_items(&mut self, items: &[Item]) -> Vec<Item> {
        let mut items = items.to_vec();
        items.sort_by_key(|item| {
            let level = match item.query {
                Query::Count(_) => 2,
                Query::Id(Level::WorkGroup) => 0,
                Query::Id(_) => 1,
            };
            (level, u8::MAX - item.dimension)
        });
        let mut counts = Mentions::default();
        counts.of(&self.function.body);
        for item in &items {
            // A query that only one loop uses is written in the loop.
            if counts.header.get(&item.var) == Some(&1) && !counts.other.contains(&item.var) {
                self.names.bind_var(item.var, query(item));
                self.counters.push(item.var);
                continue;
            }
            let name = self.names.fresh(&self.shown.get(item.var));
            self.names.bind_var(item.var, name);
            self.counters.push(item.var);
        }
        items
    }

    fn kernel_body(&mut self, items: &[Item], alone: bool) -> Result<String> {
        self.write("{\n");
        self.indent += 1;
        let start = self.out.len();
        let function = self.function;
        self.statements(&function.body)?;
        // One of several kernels has only the parameters that it needs.
        let mut head = match alone {
            true => self.unused(),
            false => String::new(),
        };
        for item in items {
            if self.names.var(item.var) == Some(&query(item)) {
                continue;
            }
            if let (true, Some(name)) =
                (self.used_vars.contains(&item.var), self.names.var(item.var))
            {
                let call = query(item);
                let ty = self.size_type();
                head.push_str(&format!("    const {ty} {name} = {call};\n"));
            }
        }
        self.out.insert_str(start, &head);
        let mut from = start;
        for line in head.split_inclusive('\n') {
            let indent = line.len() - line.trim_start().len();
            self.plain.push(Plain {
                range: from + indent..from + line.trim_end().len(),
                reason: Reason::Needed,
            });
            from += line.len();
        }
        let moved = self.map.iter_mut().map(|mapping| &mut mapping.range);
        for range in moved.chain(self.barriers.iter_mut().map(|b| &mut b.range)) {
            range.start += head.len();
            range.end += head.len();
        }
        self.indent -= 1;
        self.write("}");
        Ok(std::mem::take(&mut self.out))
    }

    pub(in crate::targets) fn barrier(&mut self, barrier: &Barrier) {
        let flags = match (barrier.fences.local, barrier.fences.global) {
            (true, true) => "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE",
            (_, true) => "CLK_GLOBAL_MEM_FENCE",
            _ => "CLK_LOCAL_MEM_FENCE",
        };
        let start = self.out.len();
        self.write(&format!("barrier({flags});"));
        self.barriers.push(BarrierText {
            range: start..self.out.len(),
            barrier: barrier.clone(),
        });
    }

    /// Returns the alignment in bytes by which a tuple can be loaded as a whole: its size, if that
    /// does not change its position. This holds in OpenCL C for tuples of scalars of one type whose
    /// size is a power of two of at most 16 bytes and that are not a part of another tuple; it is
    /// `None` for other types.
    pub(in crate::targets) fn vector_like(&self, ty: &CType) -> Option<u64> {
        let CType::Pair(a, b) = ty else {
            return None;
        };
        let fits = self.target.dialect() == CDialect::OpenCl
            && ty.size().is_power_of_two()
            && ty.size() <= 16
            && scalar_of(a).is_some()
            && scalar_of(a) == scalar_of(b);
        let is_part = self.types.iter().any(|other| match other {
            CType::Pair(a, b) => **a == *ty || **b == *ty,
            _ => false,
        });
        (fits && !is_part).then(|| ty.size())
    }

    /// Returns the name of the type of a variable that is not an array: in OpenCL C, a Boolean is a
    /// byte in memory, but a `bool` in such a variable.
    pub(in crate::targets) fn plain_type(&self, ty: &CType) -> String {
        match ty {
            CType::Scalar(ScalarType::Bool) => "bool".to_owned(),
            _ => ty.name(self.target),
        }
    }
}

/// The variable or size variable for which a kernel has a parameter.
#[derive(Clone, Copy)]
enum What {
    Id(Id),
    Var(Var),
}

/// A parameter that a kernel may have.
struct Candidate {
    what: What,
    text: String,
    arg: KernelArg,
}

impl Candidate {
    fn of(what: What, text: String, arg: KernelArg) -> Candidate {
        Candidate { what, text, arg }
    }
}

/// The number of work-items of a group from which on a launch is required to have the local size of
/// the kernel if its work-items wait for each other.
const LARGE_GROUP: i64 = 128;

/// The number of work-items that a device executes in lockstep. A device can run only a limited
/// number of groups at a time, so that groups of this size leave registers unused; a compiler gives
/// these to the work-items only if it knows the size.
const IN_STEP: i64 = 32;

/// The number of work-items in a group for which compilers prepare where no local size is required:
/// they give each work-item so many registers that larger groups do not fit.
const ASSUMED_GROUP: i64 = 256;

/// Returns the head of a kernel: `kernel void name(global float *restrict output, int n, …) `.
/// `waits` is true if the kernel contains barriers.
///
/// A constant local size is required where compilers use it well, and is otherwise a hint:
/// - it is required in groups of at least [`LARGE_GROUP`] work-items with barriers: on an H200 this
///   gains 1 to 4 %, but it costs kernels without barriers up to an eighth;
/// - it is required in groups of [`IN_STEP`] work-items: `asumIntel` then has 63 registers instead
///   of 32, for more loads in flight, and takes 0.90 of the time;
/// - it is required in groups of more than [`ASSUMED_GROUP`] work-items.
fn head(
    name: &str,
    params: &[Candidate],
    work: &crate::ir::kernel::KernelState,
    waits: bool,
) -> String {
    let local = work.launch.local.each_ref();
    let local = local.map(|size| size.as_ref().and_then(Nat::as_const));
    let attribute = match local {
        [Some(x), Some(y), Some(z)] => {
            let items = x.saturating_mul(y).saturating_mul(z);
            let pays = waits && items >= LARGE_GROUP || items == IN_STEP;
            let word = match pays || items > ASSUMED_GROUP {
                true => "reqd_work_group_size",
                false => "work_group_size_hint",
            };
            format!("__attribute__(({word}({x}, {y}, {z})))\n")
        }
        _ => String::new(),
    };
    let params: Vec<&str> = params.iter().map(|param| param.text.as_str()).collect();
    let line = format!("{attribute}kernel void {name}({}) ", params.join(", "));
    let last = line.lines().last().map_or(0, str::len);
    if last <= MAX_LINE {
        line
    } else {
        format!(
            "{attribute}kernel void {name}(\n    {}\n) ",
            params.join(",\n    ")
        )
    }
}

/// Returns the call of OpenCL C for a work-item query.
fn query(item: &Item) -> String {
    let function = match item.query {
        Query::Id(Level::Global) => "get_global_id",
        Query::Id(Level::WorkGroup) => "get_group_id",
        Query::Id(Level::Local) => "get_local_id",
        Query::Count(Level::Global) => "get_global_size",
        Query::Count(Level::WorkGroup) => "get_num_groups",
        Query::Count(Level::Local) => "get_local_size",
    };
    format!("{function}({})", item.dimension)
}

/// The number of starts and steps of loops that are a size variable alone, by variable, and the
/// size variables that occur elsewhere.
#[derive(Default)]
struct Mentions {
    header: FxHashMap<Var, usize>,
    other: FxHashSet<Var>,
}

impl Mentions {
    fn of(&mut self, body: &[Stmt]) {
        for stmt in body {
            if let StmtKind::For(Loop { from, step, .. }) = &stmt.kind {
                for nat in [from, step] {
                    if let Some(var) = nat.as_var() {
                        *self.header.entry(var).or_default() += 1;
                    }
                }
            }
        }
        let mut body = body.to_vec();
        for stmt in &mut body {
            walk::each_block(stmt, &mut |inner| {
                self.of(inner);
                inner.clear();
            });
            if let StmtKind::For(Loop { from, step, .. }) = &mut stmt.kind {
                for nat in [from, step] {
                    if nat.as_var().is_some() {
                        *nat = Nat::ZERO;
                    }
                }
            }
        }
        walk::change_all(&mut body, self);
    }
}

impl walk::Change for Mentions {
    fn nat(&mut self, nat: &mut Nat) {
        nat.for_each_var(&mut |var| {
            self.other.insert(var);
        });
    }
}

/// Returns the common scalar type of all parts of a scalar or tuple; `None` if the types differ, or
/// if a part is a vector.
fn scalar_of(ty: &CType) -> Option<ScalarType> {
    match ty {
        CType::Scalar(scalar) => Some(*scalar),
        CType::Vector(..) | CType::Register(_) => None,
        CType::Pair(a, b) => scalar_of(a).filter(|scalar| scalar_of(b) == Some(*scalar)),
    }
}
