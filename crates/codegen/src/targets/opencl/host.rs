//! Generates a host program in C that runs the kernels of a module. It takes the sizes from the
//! command line, uses the same random input in each run, and prints the time of each kernel and a
//! checksum of the result.

use std::fmt::Write;

use dpia::IndexWidth;
use nat::{Nat, Prop, Var};
use rise::core::{Launch, Origin};
use rise::print::prop_text;
use rise::{Names, Ty, Type};
use rustc_hash::FxHashMap;
use syntax::ast::ScalarType;

use crate::error::Result;
use crate::ir::Level;
use crate::ir::host::HostStep;
use crate::ir::types::CType;
use crate::module::{Device, Kernel, KernelArg, Module};
use crate::targets::Target;
use crate::targets::clike::SizeText;

/// The part of the host program that does not depend on the module.
const PRELUDE: &str = include_str!("prelude.c");

/// Returns the host program of a module; `None` if the module has no kernels.
///
/// # Errors
/// Fails for sizes that have no counterpart in C, and for types that have none in OpenCL C.
pub(super) fn host(module: &Module) -> Result<Option<String>> {
    match &module.device {
        Some(device) => Host::new(module, device).program().map(Some),
        None => Ok(None),
    }
}

struct Host<'m> {
    module: &'m Module,
    device: &'m Device,
    /// The printer of sizes and conditions.
    sizes: SizeText,
    /// The text of the statements of `main`.
    main: String,
    /// The texts of the functions that write a random value to memory, by scalar type.
    fills: Vec<(ScalarType, String)>,
}

impl<'m> Host<'m> {
    fn new(module: &'m Module, device: &'m Device) -> Self {
        let index = module.signature.index;
        let size = size_type(index);
        let mut names: FxHashMap<Var, String> = FxHashMap::default();
        for (var, name) in &module.signature.sizes {
            names.insert(*var, format!("size_{name}"));
        }
        for (at, kernel) in device.kernels.iter().enumerate() {
            for dimension in 0..3 {
                let name = |kind: &str| format!("({size}){kind}_{at}[{dimension}]");
                names.insert(kernel.sizes.local[dimension], name("local"));
                names.insert(kernel.sizes.global[dimension], name("global"));
            }
        }
        Host {
            module,
            device,
            sizes: SizeText::new(names, index),
            main: String::new(),
            fills: Vec::new(),
        }
    }

    fn line(&mut self, text: &str) {
        self.main.push_str("    ");
        self.main.push_str(text);
        self.main.push('\n');
    }

    fn program(mut self) -> Result<String> {
        self.arguments();
        self.conditions(&self.module.signature.requires.clone())?;
        self.launches()?;
        self.counts()?;
        self.setup();
        let inputs = self.inputs()?;
        let outputs = self.outputs()?;
        let buffers = self.buffers()?;
        for at in 0..self.device.kernels.len() {
            self.kernel(at)?;
        }
        let updated = self.updated()?;
        self.rounds(&updated)?;
        self.checksum(&updated, &outputs);
        let outputs = (0..outputs.len()).map(|at| format!("output_{at}_memory"));
        let memory = inputs.into_iter().chain(buffers).chain(outputs);
        for name in memory {
            self.line(&format!("clReleaseMemObject({name});"));
        }
        self.line("clReleaseProgram(program);");
        self.line("clReleaseCommandQueue(queue);");
        self.line("clReleaseContext(context);");
        self.line("return 0;");
        Ok(self.text())
    }

    fn text(&self) -> String {
        let name = &self.module.signature.name;
        let sizes = self.module.signature.sizes.iter();
        let sizes: String = sizes.map(|(_, name)| format!(" {name}")).collect();
        let mut out = format!(
            "/* Runs {name} on an OpenCL device.\n   \
             Build: cc -O2 -o {name} {name}.c -lOpenCL\n   \
             Run:   ./{name}{sizes} */\n{PRELUDE}\n"
        );
        for (_, text) in &self.fills {
            out.push_str(text);
            out.push('\n');
        }
        self.sizes.helpers(&mut out);
        let narrow = self.device.narrow.as_ref();
        let narrow = narrow.map(|text| ("source_32", text));
        for (name, source) in [("source", &self.module.text)].into_iter().chain(narrow) {
            out.push_str(&format!("static const char {name}[] =\n"));
            out.push_str(&quoted(source));
            out.push_str(";\n\n");
        }
        out.push_str("int main(int argc, char **argv) {\n");
        out.push_str(&self.main);
        out.push_str("}\n");
        out
    }

    /// Writes the parsing of arguments: the sizes of the program, and the sizes of launches that
    /// are not known.
    fn arguments(&mut self) {
        let signature = &self.module.signature;
        let names: Vec<String> = signature.sizes.iter().map(|(_, n)| n.to_string()).collect();
        let count = names.len();
        let unknown = |sizes: fn(&Launch) -> &[Option<Nat>; 3]| {
            let mut kernels = self.device.kernels.iter();
            kernels.any(|kernel| sizes(&kernel.launch).iter().any(Option::is_none))
        };
        let (local, global) = (unknown(|l| &l.local), unknown(|l| &l.global));
        let list: String = names.iter().map(|name| format!("\"{name}\", ")).collect();
        self.line(&format!(
            "static const char *const names[] = {{{list}NULL}};"
        ));
        self.line(&format!("const char *given[{}] = {{NULL}};", count.max(1)));
        self.line("(void)require;");
        self.line("size_t local_given[3] = {64, 1, 1}, global_given[3] = {16384, 1, 1};");
        let option = |open: bool, kind: &str| match open {
            true => format!("{kind}_given"),
            false => "NULL".to_owned(),
        };
        self.line(&format!(
            "arguments(argc, argv, names, {count}, given, {}, {});",
            option(local, "local"),
            option(global, "global")
        ));
        if count == 0 {
            self.line("(void)size_argument;");
        }
        for kind in [(local, "local"), (global, "global")] {
            if !kind.0 {
                self.line(&format!("(void){}_given;", kind.1));
            }
        }
        let size = size_type(signature.index);
        let limit = match signature.index {
            IndexWidth::Bits32 => "INT32_MAX",
            IndexWidth::Bits64 => "INT64_MAX",
        };
        for (at, name) in names.iter().enumerate() {
            self.line(&format!(
                "const {size} size_{name} = ({size})size_argument(given[{at}], \"{name}\", {limit});"
            ));
            self.line(&format!("(void)size_{name};"));
        }
    }

    /// Writes checks that the counts of the module and the counters of distributed loops fit into
    /// indices, and selects the index width if there are kernels for two.
    fn counts(&mut self) -> Result<()> {
        let names = Names(self.module.signature.names.as_slice().into());
        let (limit, text) = match self.module.signature.index {
            IndexWidth::Bits32 => ("<= INT32_MAX", "2^31"),
            IndexWidth::Bits64 => ("< 576460752303423488.0", "2^59"),
        };
        let mut fits = Vec::new();
        for (_, name) in &self.module.signature.sizes {
            fits.push(format!("size_{name} <= INT32_MAX"));
        }
        for count in &self.module.counts {
            let number = self.sizes.real(count)?;
            fits.push(format!("{number} <= INT32_MAX"));
            let shown = rise::print::nat_text(count, &names);
            self.line(&format!("require({number} {limit}, \"{shown} < {text}\");"));
        }
        for (number, shown) in self.ends_of_shared_loops()? {
            fits.push(format!("{number} <= INT32_MAX"));
            self.line(&format!("require({number} {limit}, \"{shown} < {text}\");"));
        }
        if self.device.narrow.is_none() {
            return Ok(());
        }
        self.line(&format!("const bool is_narrow = {};", fits.join(" && ")));
        for (_, name) in &self.module.signature.sizes {
            self.line(&format!(
                "const int int_{name} = is_narrow ? (int)size_{name} : 0;"
            ));
            self.line(&format!("(void)int_{name};"));
        }
        Ok(())
    }

    /// Returns bounds of the counters of loops that are distributed over work-items or groups, as
    /// text of C and for messages: after the last iteration, a counter may exceed the end by the
    /// number of work-items or groups. Loops of at most one iteration per work-item, those whose
    /// counters are known to fit, and those whose ends do not depend on sizes only are left out.
    fn ends_of_shared_loops(&mut self) -> Result<Vec<(String, String)>> {
        let names = Names(self.module.signature.names.as_slice().into());
        let sizes = &self.module.signature.sizes;
        let is_size = |var: Var| sizes.iter().any(|(size, _)| *size == var);
        let device = self.device;
        let mut ends = Vec::new();
        for (at, kernel) in device.kernels.iter().enumerate() {
            for items in &kernel.items {
                let dim = usize::from(items.dim.min(2));
                let (local, global) = (&kernel.launch.local[dim], &kernel.launch.global[dim]);
                let (step, written) = match items.level {
                    Level::Global => (format!("global_{at}[{dim}]"), global.clone()),
                    Level::Local => (format!("local_{at}[{dim}]"), local.clone()),
                    Level::WorkGroup => {
                        let both = global.as_ref().zip(local.as_ref());
                        let groups = both.map(|(global, local)| Nat::div(global, local));
                        (format!("global_{at}[{dim}] / local_{at}[{dim}]"), groups)
                    }
                };
                // Each work-item executes one iteration: there is no loop.
                let is_single = written.as_ref() == Some(&items.count);
                let is_constant = items
                    .count
                    .as_const()
                    .zip(written.and_then(|n| n.as_const()));
                let fits = is_constant
                    .is_some_and(|(count, step)| count.saturating_add(step) <= i64::from(i32::MAX));
                if is_single || fits || items.count.any_var(&|var| !is_size(var)) {
                    continue;
                }
                let count = self.sizes.real(&items.count)?;
                let shown = rise::print::nat_text(&items.count, &names);
                let level = match items.level {
                    Level::Global => "get_global_size",
                    Level::Local => "get_local_size",
                    Level::WorkGroup => "get_num_groups",
                };
                ends.push((
                    format!("{count} + (double)({step}) - 1"),
                    format!("{shown} + {level}({dim}) - 1"),
                ));
            }
        }
        ends.dedup();
        Ok(ends)
    }

    fn conditions(&mut self, props: &[Prop]) -> Result<()> {
        let names = Names(self.module.signature.names.as_slice().into());
        for prop in props {
            let text = prop_text(prop, &names);
            match self.sizes.condition(prop)? {
                Some(condition) => self.line(&format!("require({condition}, \"{text}\");")),
                None => self.line(&format!("/* {text} */")),
            }
        }
        Ok(())
    }

    /// Writes the sizes of the launches, `const size_t global_0[3] = …;`, and checks of the
    /// conditions of the launches.
    fn launches(&mut self) -> Result<()> {
        for (at, kernel) in self.device.kernels.iter().enumerate() {
            for (kind, sizes) in [
                ("local", &kernel.launch.local),
                ("global", &kernel.launch.global),
            ] {
                let mut all = Vec::new();
                for (dimension, size) in sizes.iter().enumerate() {
                    all.push(match size {
                        Some(size) => format!("(size_t)({})", self.sizes.bytes(size)?),
                        None => format!("{kind}_given[{dimension}]"),
                    });
                }
                let all = all.join(", ");
                self.line(&format!("const size_t {kind}_{at}[3] = {{{all}}};"));
            }
            self.conditions(&kernel.requires)?;
        }
        Ok(())
    }

    fn setup(&mut self) {
        self.line("cl_int status = CL_SUCCESS;");
        self.line("cl_device_id device = find_device();");
        self.line("cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);");
        self.line("check(status, \"clCreateContext\");");
        self.line(
            "cl_command_queue queue = clCreateCommandQueue(context, device, \
             CL_QUEUE_PROFILING_ENABLE, &status);",
        );
        self.line("check(status, \"clCreateCommandQueue\");");
        let source = match self.device.narrow {
            Some(_) => "is_narrow ? source_32 : source",
            None => "source",
        };
        self.line(&format!(
            "cl_program program = build(context, device, {source});"
        ));
    }

    /// Writes the creation of the values of parameters, which are random; returns the names of the
    /// device buffers, which only arrays have.
    fn inputs(&mut self) -> Result<Vec<String>> {
        let mut buffers = Vec::new();
        for (at, (_, ty)) in self.module.signature.params.iter().enumerate() {
            let element = element(ty);
            let layout = self.layout(&element)?;
            let is_array = matches!(**ty, Type::Array(..) | Type::DepArray(..));
            let count = self.sizes.count(ty)?;
            let size = layout.size();
            self.line(&format!("const size_t input_{at}_count = {count};"));
            self.line(&format!(
                "unsigned char *input_{at} = allocate(input_{at}_count * {size});"
            ));
            let limit = index_limit(&element);
            let limit = match limit {
                Some(limit) => format!("(double)({})", self.sizes.size(&limit)?),
                None => "0".to_owned(),
            };
            self.line(&format!("for (size_t i = 0; i < input_{at}_count; i++) {{"));
            for (offset, scalar) in leaves(&layout, 0) {
                let fill = self.fill(scalar);
                self.line(&format!(
                    "    {fill}(input_{at} + i * {size} + {offset}, {limit});"
                ));
            }
            self.line("}");
            let is_updated = self.module.signature.inout.contains(&at);
            if is_array || is_updated {
                let access = match is_updated {
                    true => "CL_MEM_READ_WRITE",
                    false => "CL_MEM_READ_ONLY",
                };
                self.line(&format!(
                    "cl_mem memory_{at} = device_memory(context, {access} | \
                     CL_MEM_COPY_HOST_PTR, input_{at}_count * {size}, input_{at});"
                ));
                buffers.push(format!("memory_{at}"));
            }
        }
        Ok(buffers)
    }

    /// Writes the creation of the device buffers for the outputs; returns the layouts of their
    /// elements.
    fn outputs(&mut self) -> Result<Vec<CType>> {
        let mut layouts = Vec::new();
        for (at, (_, ty)) in self.module.signature.outputs.iter().enumerate() {
            let layout = self.layout(&element(ty))?;
            let count = self.sizes.count(ty)?;
            let size = layout.size();
            self.line(&format!("const size_t output_{at}_count = {count};"));
            self.line(&format!(
                "cl_mem output_{at}_memory = device_memory(context, CL_MEM_READ_WRITE, \
                 output_{at}_count * {size}, NULL);"
            ));
            layouts.push(layout);
        }
        Ok(layouts)
    }

    /// Returns the parameters that are updated in place, with the layouts of their elements.
    fn updated(&self) -> Result<Vec<(usize, CType)>> {
        let signature = &self.module.signature;
        let updated = signature.inout.iter();
        updated
            .map(|at| Ok((*at, self.layout(&element(&signature.params[*at].1))?)))
            .collect()
    }

    fn buffers(&mut self) -> Result<Vec<String>> {
        let mut names = Vec::new();
        for (at, buffer) in self.device.buffers.iter().enumerate() {
            let bytes = self.sizes.bytes(&buffer.bytes)?;
            self.line(&format!(
                "cl_mem buffer_{at} = device_memory(context, CL_MEM_READ_WRITE, {bytes}, NULL);"
            ));
            names.push(format!("buffer_{at}"));
        }
        for at in 0..self.device.handles {
            self.line(&format!("cl_mem handle_{at} = NULL;"));
        }
        Ok(names)
    }

    /// Writes the creation of a kernel, and its arguments that are the same in each launch.
    fn kernel(&mut self, at: usize) -> Result<()> {
        let kernel: &Kernel = &self.device.kernels[at];
        let name = &kernel.name;
        self.line(&format!(
            "cl_kernel kernel_{at} = clCreateKernel(program, \"{name}\", &status);"
        ));
        self.line(&format!("check(status, \"clCreateKernel: {name}\");"));
        for (number, arg) in kernel.args.iter().enumerate() {
            if !matches!(arg, KernelArg::Handle(_)) {
                let argument = self.argument(at, number, arg)?;
                self.line(&argument);
            }
        }
        Ok(())
    }

    /// Returns the statement that sets an argument of a kernel.
    fn argument(&mut self, at: usize, number: usize, arg: &KernelArg) -> Result<String> {
        let device = self.device;
        let name = &device.kernels[at].name;
        let of_memory = || ("sizeof(cl_mem)".to_owned(), format!("&{}", memory(arg)));
        let (size, value) = match arg {
            KernelArg::Output(_) | KernelArg::Buffer(_) | KernelArg::Handle(_) => of_memory(),
            KernelArg::Size(size) => {
                let size = self.module.signature.sizes.get(*size);
                let name = size.map_or("", |(_, name)| name.as_str());
                let width = format!("sizeof(size_{name})");
                match self.device.narrow {
                    Some(_) => (
                        format!("is_narrow ? sizeof(int) : {width}"),
                        format!("is_narrow ? (const void *)&int_{name} : &size_{name}"),
                    ),
                    None => (width, format!("&size_{name}")),
                }
            }
            KernelArg::Param(param) => match self.module.signature.params.get(*param) {
                Some((_, ty))
                    if !matches!(**ty, Type::Array(..) | Type::DepArray(..))
                        && !self.module.signature.inout.contains(param) =>
                {
                    let size = self.layout(ty)?.size();
                    (size.to_string(), format!("input_{param}"))
                }
                _ => of_memory(),
            },
            KernelArg::Local { bytes } => (self.sizes.bytes(bytes)?, "NULL".to_owned()),
        };
        Ok(format!(
            "check(clSetKernelArg(kernel_{at}, {number}, {size}, {value}), \
             \"clSetKernelArg: {name}\");"
        ))
    }

    /// Writes the steps of the host, at a depth of nested blocks.
    fn steps(&mut self, steps: &[HostStep<KernelArg>], depth: usize) -> Result<()> {
        let indent = "    ".repeat(depth);
        for step in steps {
            match step {
                HostStep::Launch(at) => {
                    for (number, arg) in self.device.kernels[*at].args.iter().enumerate() {
                        if matches!(arg, KernelArg::Handle(_)) {
                            let argument = self.argument(*at, number, arg)?;
                            self.line(&format!("{indent}{argument}"));
                        }
                    }
                    self.line(&format!(
                        "{indent}time[{at}] += run(queue, kernel_{at}, global_{at}, local_{at});"
                    ));
                }
                HostStep::Point(handle, other) => {
                    let (handle, other) = (memory(handle), memory(other));
                    self.line(&format!("{indent}{handle} = {other};"));
                }
                HostStep::Swap(one, other) => {
                    let (one, other) = (memory(one), memory(other));
                    self.line(&format!(
                        "{indent}{{ cl_mem kept = {one}; {one} = {other}; {other} = kept; }}"
                    ));
                }
                HostStep::Repeat {
                    counter,
                    count,
                    body,
                } => {
                    let name = format!("step_{depth}");
                    let ty = size_type(self.module.signature.index);
                    let count = self.sizes.size(count)?;
                    self.line(&format!(
                        "{indent}for ({ty} {name} = 0; {name} < {count}; {name}++) {{"
                    ));
                    self.sizes.name(*counter, name);
                    self.steps(body, depth + 1)?;
                    self.line(&format!("{indent}}}"));
                }
                HostStep::IfEqual {
                    sizes: [one, other],
                    then,
                    otherwise,
                } => {
                    let (one, other) = (self.sizes.size(one)?, self.sizes.size(other)?);
                    self.line(&format!("{indent}if ({one} == {other}) {{"));
                    self.steps(then, depth + 1)?;
                    if !otherwise.is_empty() {
                        self.line(&format!("{indent}}} else {{"));
                        self.steps(otherwise, depth + 1)?;
                    }
                    self.line(&format!("{indent}}}"));
                }
            }
        }
        Ok(())
    }

    /// Writes the timing: the steps run once to warm up and then ten times, and the best time of each
    /// kernel in all its launches is printed.
    fn rounds(&mut self, updated: &[(usize, CType)]) -> Result<()> {
        let kernels = self.device.kernels.len();
        self.line(&format!("double best[{kernels}] = {{0}};"));
        self.line("for (int round = 0; round <= 10; round++) {");
        self.line(&format!("    double time[{kernels}] = {{0}};"));
        for (at, layout) in updated {
            let size = layout.size();
            self.line(&format!(
                "    check(clEnqueueWriteBuffer(queue, memory_{at}, CL_TRUE, 0, \
                 input_{at}_count * {size}, input_{at}, 0, NULL, NULL), \
                 \"clEnqueueWriteBuffer\");"
            ));
        }
        self.steps(&self.device.steps, 1)?;
        for at in 0..kernels {
            self.line(&format!(
                "    best[{at}] = round == 1 || (round > 1 && time[{at}] < best[{at}]) ? time[{at}] : best[{at}];"
            ));
        }
        self.line("}");
        for (at, kernel) in self.device.kernels.iter().enumerate() {
            let name = kernel.name.clone();
            self.line(&format!(
                "printf(\"{name}: %.6f ms\\n\", best[{at}] / 1e6);"
            ));
            self.line(&format!("clReleaseKernel(kernel_{at});"));
        }
        Ok(())
    }

    /// Writes the checksum, which is the sum of all numbers of the parameters that are updated in
    /// place and of the outputs, except for those of type `f16`, and the release of the memory of the
    /// inputs.
    fn checksum(&mut self, updated: &[(usize, CType)], outputs: &[CType]) {
        self.line("double sum = 0;");
        for (at, layout) in updated {
            let (memory, count) = (format!("memory_{at}"), format!("input_{at}_count"));
            self.sum(&format!("updated_{at}"), (&memory, &count), layout);
        }
        for (at, layout) in outputs.iter().enumerate() {
            let (memory, count) = (format!("output_{at}_memory"), format!("output_{at}_count"));
            self.sum(&format!("output_{at}"), (&memory, &count), layout);
        }
        self.line("printf(\"checksum: %.9g\\n\", sum);");
        for at in 0..self.module.signature.params.len() {
            self.line(&format!("free(input_{at});"));
        }
    }

    /// Writes the addition of `count` elements in the memory of the device to the checksum. They are
    /// copied to an array of this name.
    fn sum(&mut self, name: &str, (memory, count): (&str, &str), layout: &CType) {
        let size = layout.size();
        self.line(&format!(
            "unsigned char *{name} = allocate({count} * {size});"
        ));
        self.line(&format!("if ({count} > 0) {{"));
        self.line(&format!(
            "    check(clEnqueueReadBuffer(queue, {memory}, CL_TRUE, 0, \
             {count} * {size}, {name}, 0, NULL, NULL), \"clEnqueueReadBuffer\");"
        ));
        self.line("}");
        self.line(&format!("for (size_t i = 0; i < {count}; i++) {{"));
        for (offset, scalar) in leaves(layout, 0) {
            if scalar == ScalarType::F16 {
                continue;
            }
            let ty = Target::C.scalar_name(scalar);
            self.line("    {");
            self.line(&format!("        {ty} value;"));
            self.line(&format!(
                "        memcpy(&value, {name} + i * {size} + {offset}, sizeof(value));"
            ));
            self.line("        sum += (double)value;");
            self.line("    }");
        }
        self.line("}");
        self.line(&format!("free({name});"));
    }

    fn layout(&self, ty: &Ty) -> Result<CType> {
        let names = Names(self.module.signature.names.as_slice().into());
        CType::of_target(ty, &names, Origin(0), Target::OpenCl.features())
    }

    /// Returns the name of the function that writes a random value of a scalar type to memory, and
    /// adds the function if it is new.
    fn fill(&mut self, scalar: ScalarType) -> String {
        let name = format!("fill_{}", scalar.as_str());
        if !self.fills.iter().any(|(known, _)| *known == scalar) {
            let ty = Target::C.scalar_name(scalar);
            let value = match scalar {
                ScalarType::F32 | ScalarType::F64 => format!("({ty})random_number()"),
                // Values from 0.5 to 1, constructed from their bits.
                ScalarType::F16 => "(uint16_t)(0x3800 + (int)(random_number() * 1024))".to_owned(),
                ScalarType::Bool => "random_number() < 0.5".to_owned(),
                // Indices have 32 bits.
                _ => format!("({ty})(random_number() * (limit > 0 ? limit : 100))"),
            };
            let ty = if scalar == ScalarType::F16 {
                "uint16_t"
            } else {
                ty
            };
            let text = format!(
                "static void {name}(unsigned char *to, double limit) {{\n    \
                 {ty} value = {value};\n    (void)limit;\n    \
                 memcpy(to, &value, sizeof(value));\n}}\n"
            );
            self.fills.push((scalar, text));
        }
        name
    }
}

/// Returns the name of the variable for memory; for other arguments the name is not used.
fn memory(arg: &KernelArg) -> String {
    match arg {
        KernelArg::Output(at) => format!("output_{at}_memory"),
        KernelArg::Buffer(at) => format!("buffer_{at}"),
        KernelArg::Handle(at) => format!("handle_{at}"),
        KernelArg::Param(at) => format!("memory_{at}"),
        KernelArg::Size(_) | KernelArg::Local { .. } => String::new(),
    }
}

/// Returns the name of the C type of sizes.
fn size_type(index: IndexWidth) -> &'static str {
    match index {
        IndexWidth::Bits32 => "int",
        IndexWidth::Bits64 => "int64_t",
    }
}

/// Returns the element type of an array under all arrays; for other types, the type itself.
fn element(ty: &Ty) -> Ty {
    match &**ty {
        Type::Array(_, inner) => element(inner),
        Type::DepArray(_, rise::DataFun::Lambda(_, inner)) => element(inner),
        _ => ty.clone(),
    }
}

/// Returns the exclusive end of the range of an index type, for tuples that of the first index type
/// in it; `None` for other types.
fn index_limit(ty: &Type) -> Option<Nat> {
    match ty {
        Type::Index(n) => Some(n.clone()),
        Type::Pair(a, b) => index_limit(a).or_else(|| index_limit(b)),
        _ => None,
    }
}

/// Returns the offsets in bytes and the types of the scalars of a value of this type that is at the
/// offset `at`.
fn leaves(ty: &CType, at: u64) -> Vec<(u64, ScalarType)> {
    match ty {
        CType::Scalar(scalar) => vec![(at, *scalar)],
        CType::Vector(lanes, scalar) => {
            let size = CType::Scalar(*scalar).size();
            (0..u64::from(*lanes))
                .map(|lane| (at + lane * size, *scalar))
                .collect()
        }
        // These types are only used within statements; no variable has one.
        CType::Register(_) => Vec::new(),
        CType::Pair(a, b) => {
            let second = at + a.size().next_multiple_of(b.align());
            let mut all = leaves(a, at);
            all.extend(leaves(b, second));
            all
        }
    }
}

/// Returns a text as string literals of C, one on a line for each line of the text.
fn quoted(text: &str) -> String {
    let mut out = String::new();
    for line in text.split_inclusive('\n') {
        out.push_str("    \"");
        for c in line.chars() {
            let _ = match c {
                '\n' => out.write_str("\\n"),
                '"' => out.write_str("\\\""),
                '\\' => out.write_str("\\\\"),
                '?' => out.write_str("\\?"),
                c if c.is_ascii() => out.write_char(c),
                c => {
                    let mut bytes = [0; 4];
                    let bytes = c.encode_utf8(&mut bytes).bytes();
                    bytes
                        .into_iter()
                        .try_for_each(|byte| write!(out, "\\{byte:03o}"))
                }
            };
        }
        out.push_str("\"\n");
    }
    out.pop();
    out
}
