//! Assembles the translation unit: headers, types, helpers, C functions of the program, and the
//! function, perhaps in two versions with 32-bit and 64-bit indices.

use std::ops::Range;
use std::sync::Arc;

use nat::Nat;
use rise::core::Foreign;
use syntax::ast::{Name, ScalarType};

use crate::analysis::counts::{self, Counts};
use crate::ir::Mapping;
use crate::ir::walk;
use crate::ir::{Expr, ExprKind, Function, Home, Id};
use crate::module::{ForeignText, Module, Plain, Reason};
use crate::signature::Signature;
use crate::targets::{CDialect, Target};
use dpia::{IndexPolicy, IndexWidth};

use super::foreign::{self, ForeignNames};
use super::rounding::{self, calls_fma, may_contract};
use super::{Printer, check, wrap};
use crate::error::{self, Result};
use crate::ir::types::CType;

/// The maximal length in bytes of the head of a function that is written on one line.
const MAX_LINE: usize = 100;

/// The C functions whose bodies the program gives, each with the range of its body in the text.
pub(in crate::targets) type Texts = Vec<(Range<usize>, Arc<Foreign>)>;

/// The name of the macro for the size of a vector register in bytes.
const REGISTER: &str = "REGISTER";

/// Returns the name of the constant for the number of scalars of this type in a vector register.
pub(in crate::targets) fn register_lanes(scalar: ScalarType) -> String {
    format!("{}_LANES", scalar.as_str().to_uppercase())
}

/// Prints a function as a translation unit in C, or one function for each index width and one that
/// selects between them by the sizes of a call.
pub(crate) fn print(
    mut function: Function,
    target: Target,
    mut signature: Signature,
    index: IndexPolicy,
) -> Result<Module> {
    let stored = function.params.iter().chain(&function.outputs);
    let counts = counts::of(&function, stored.chain(&function.heap).copied());
    let width = match index {
        IndexPolicy::Fixed(width) => width,
        IndexPolicy::BySizes
            if !counts.is_complete || counts.beyond(IndexWidth::Bits32).is_some() =>
        {
            IndexWidth::Bits64
        }
        // The width does not depend on the call.
        IndexPolicy::BySizes if function.sizes.is_empty() && counts.all.is_empty() => {
            IndexWidth::Bits32
        }
        IndexPolicy::BySizes => {
            let of_width = |index| Function {
                index,
                ..function.clone()
            };
            let widths = [IndexWidth::Bits32, IndexWidth::Bits64].map(of_width);
            return print_both(&widths, target, signature, &counts.all);
        }
    };
    check_constants(&function, &counts, width)?;
    function.index = width;
    signature.index = width;
    let mut unit = Unit::default();
    let mut printer = Printer::new(&function, target);
    let name = printer.names.function(&function.name);
    printer.declare_foreign(&mut unit);
    printer.define(&name, &mut signature, &counts.all, &mut unit)?;
    printer.module(unit, signature, counts.all)
}

/// Fails if a constant count of a function does not fit into indices of this width.
pub(in crate::targets) fn check_constants(
    function: &Function,
    counts: &Counts,
    index: IndexWidth,
) -> Result<()> {
    match counts.beyond(index) {
        Some(count) => {
            let origin = counts::origin_of(function, count);
            Err(error::large_count(count, index, origin))
        }
        None => Ok(()),
    }
}

/// Prints a function with 32-bit indices and one with 64-bit indices, both static, and one that
/// calls one of them.
fn print_both(
    [narrow, wide]: &[Function; 2],
    target: Target,
    mut signature: Signature,
    counts: &[Nat],
) -> Result<Module> {
    signature.index = IndexWidth::Bits64;
    let mut unit = Unit::default();
    let mut printer = Printer::new(narrow, target);
    let name = printer.names.function(&narrow.name);
    printer.declare_foreign(&mut unit);
    let mut callees: Vec<String> = Vec::new();
    // The narrow function is called only if its counts fit.
    for (function, counts) in [(narrow, &[][..]), (wide, counts)] {
        if !callees.is_empty() {
            printer = printer.next(function);
            printer.names.reserve(&name);
            printer.declare_foreign(&mut unit);
        }
        let bits = match function.index {
            IndexWidth::Bits32 => 32,
            IndexWidth::Bits64 => 64,
        };
        callees
            .iter()
            .for_each(|other| printer.names.reserve(other));
        let callee = printer.names.function(&format!("{name}_{bits}"));
        printer.define_static(&callee, &mut signature.clone(), counts, &mut unit)?;
        callees.push(callee);
    }
    printer = printer.next(wide);
    callees
        .iter()
        .for_each(|callee| printer.names.reserve(callee));
    printer.define_choice(&name, &callees, &mut signature, counts, &mut unit)?;
    printer.module(unit, signature, counts.to_vec())
}

/// The functions of a text so far.
#[derive(Default)]
struct Unit {
    text: String,
    /// The text of the functions without the comments before them.
    code: String,
    /// Maps each part to its phrase; ranges count from the first byte of `text`.
    map: Vec<Mapping>,
    plain: Vec<Plain>,
    /// The C functions of the program that the functions call.
    foreign: Vec<Arc<Foreign>>,
}

impl Unit {
    /// Adds a function, given the comment before it, its head and its body, whose long lines are
    /// wrapped, and the mappings of its printer, whose ranges are relative to the start of the
    /// body.
    fn add(&mut self, comment: &str, head: &str, body: &str, printer: &mut Printer<'_>) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        let ranges = printer.map.iter_mut().map(|mapping| &mut mapping.range);
        let ranges = ranges.chain(printer.plain.iter_mut().map(|plain| &mut plain.range));
        let body = wrap::wrap(body, ranges);
        let start = self.text.len();
        self.text.push_str(comment);
        self.text.push_str(head);
        let shift = self.text.len();
        self.text.push_str(&body);
        self.text.push('\n');
        self.code.push_str(head);
        self.code.push_str(&body);
        self.plain.push(Plain {
            range: start..shift,
            reason: Reason::Signature,
        });
        for mut mapping in printer.map.drain(..) {
            mapping.range = moved(&mapping.range, shift);
            self.map.push(mapping);
        }
        for mut plain in printer.plain.drain(..) {
            plain.range = moved(&plain.range, shift);
            self.plain.push(plain);
        }
    }
}

pub(in crate::targets) fn moved(range: &Range<usize>, by: usize) -> Range<usize> {
    range.start + by..range.end + by
}

impl<'a> Printer<'a> {
    fn next(self, function: &'a Function) -> Printer<'a> {
        let mut next = Printer::new(function, self.target);
        next.take_over(self);
        next
    }

    /// Binds the size variables for the lanes of registers to their constants, and adds the C
    /// functions that the function calls to the unit.
    fn declare_foreign(&mut self, unit: &mut Unit) {
        for (var, scalar) in &self.function.registers {
            self.names.bind_var(*var, register_lanes(*scalar));
        }
        unit.foreign.extend(self.foreign_functions());
    }

    fn define(
        &mut self,
        name: &str,
        signature: &mut Signature,
        counts: &[Nat],
        unit: &mut Unit,
    ) -> Result<()> {
        let head = self.parameters(name, signature)?;
        signature.name = name.into();
        let comment = check::comment(signature);
        let body = self.body(counts)?;
        unit.add(&comment, &head, &body, self);
        Ok(())
    }

    fn define_static(
        &mut self,
        name: &str,
        signature: &mut Signature,
        counts: &[Nat],
        unit: &mut Unit,
    ) -> Result<()> {
        let head = format!("static {}", self.parameters(name, signature)?);
        let body = self.body(counts)?;
        unit.add("", &head, &body, self);
        Ok(())
    }

    /// Adds the function that calls the first of two functions if all sizes and counts fit into 32
    /// bits, and otherwise the second.
    fn define_choice(
        &mut self,
        name: &str,
        callees: &[String],
        signature: &mut Signature,
        counts: &[Nat],
        unit: &mut Unit,
    ) -> Result<()> {
        let head = self.parameters(name, signature)?;
        signature.name = name.into();
        let comment = check::comment(signature);
        let narrow = signature
            .sizes
            .iter()
            .map(|(_, size)| format!("(int){size}"));
        let narrow: Vec<String> = narrow.collect();
        let wide: Vec<String> =
            (signature.sizes.iter().map(|(_, size)| size.to_string())).collect();
        let call = |callee: &str, sizes: Vec<String>| {
            let outputs = signature.outputs.iter().map(|(name, _)| name.to_string());
            let params = signature.params.iter().map(|(param, _)| param.to_string());
            let all: Vec<String> = outputs.chain(sizes).chain(params).collect();
            format!("        {callee}({});\n", all.join(", "))
        };
        let [first, second] = callees else {
            return Ok(());
        };
        let (first, second) = (call(first, narrow), call(second, wide));
        self.write("{\n    if (");
        let start = self.out.len();
        self.fits_narrow(counts)?;
        self.plain.push(Plain {
            range: start..self.out.len(),
            reason: Reason::Count,
        });
        self.write(&format!(") {{\n{first}    }} else {{\n{second}    }}\n}}"));
        let body = std::mem::take(&mut self.out);
        unit.add(&comment, &head, &body, self);
        Ok(())
    }

    /// Returns the module: the functions, with headers and the declarations that they need in front
    /// of them.
    fn module(mut self, unit: Unit, signature: Signature, counts: Vec<Nat>) -> Result<Module> {
        let mut text = String::new();
        let mut declarations = String::new();
        let texts = self.declarations(&unit.foreign, &mut declarations)?;
        self.headers(&[&declarations, &unit.code], &mut text);
        let shift_foreign = text.len();
        text.push_str(&declarations);
        let shift = text.len();
        text.push_str(&unit.text);
        let needed = Plain {
            range: 0..shift,
            reason: Reason::Needed,
        };
        let needed = Some(needed).filter(|plain| !plain.range.is_empty());
        let plain = unit.plain.into_iter().map(|plain| Plain {
            range: moved(&plain.range, shift),
            ..plain
        });
        let map = unit.map.into_iter().map(|mapping| Mapping {
            range: moved(&mapping.range, shift),
            ..mapping
        });
        let foreign = texts.into_iter().map(|(range, function)| ForeignText {
            range: moved(&range, shift_foreign),
            function,
        });
        Ok(Module {
            text,
            signature,
            map: map.collect(),
            plain: needed.into_iter().chain(plain).collect(),
            foreign: foreign.collect(),
            device: None,
            barriers: Vec::new(),
            counts,
        })
    }

    /// Returns the head of the function: `void name(float *restrict output, int n, …) `. Sets the
    /// names of outputs, sizes and values in the signature to those of the text.
    fn parameters(&mut self, name: &str, signature: &mut Signature) -> Result<String> {
        let mut all = Vec::new();
        for (at, id) in self.function.outputs.iter().enumerate() {
            let (text, output) = self.parameter(*id)?;
            all.push(text);
            if let Some(entry) = signature.outputs.get_mut(at) {
                entry.0 = Name::from(output);
            }
        }
        for (at, var) in self.function.sizes.iter().enumerate() {
            let size = self.names.fresh(&self.shown.get(*var));
            all.push(format!("{} {size}", self.size_type()));
            self.names.bind_var(*var, size.clone());
            if let Some(entry) = signature.sizes.get_mut(at) {
                entry.1 = size.into();
            }
        }
        for (at, id) in self.function.params.iter().enumerate() {
            let (text, param) = self.parameter(*id)?;
            all.push(text);
            if let Some(entry) = signature.params.get_mut(at) {
                entry.0 = Name::from(param);
            }
        }
        let line = format!("void {name}({}) ", all.join(", "));
        Ok(if line.len() <= MAX_LINE {
            line
        } else {
            format!("void {name}(\n    {}\n) ", all.join(",\n    "))
        })
    }

    /// Returns the declaration of a parameter and its name, which is chosen here.
    fn parameter(&mut self, id: Id) -> Result<(String, String)> {
        let variable = self.variable(id);
        let name = self.names.fresh(&variable.name);
        self.names.bind(id, name.clone());
        let ty = self.elem(id)?;
        let text = match variable.home {
            Home::Output | Home::InOut => format!("{} *restrict {name}", self.pointee(id)?),
            _ if variable.count.is_some() => {
                format!("const {} *restrict {name}", self.pointee(id)?)
            }
            _ => format!("{} {name}", self.plain_type(&ty)),
        };
        Ok((text, name))
    }

    /// Returns the body in braces, with the checks of sizes and counts. Mappings are relative to
    /// its start.
    fn body(&mut self, counts: &[Nat]) -> Result<String> {
        self.write("{\n");
        self.indent += 1;
        self.checks(counts)?;
        let start = self.out.len();
        let at = self.map.len();
        let function = self.function;
        self.statements(&function.body)?;
        let unused = self.unused();
        self.out.insert_str(start, &unused);
        let mut from = start;
        for line in unused.split_inclusive('\n') {
            let indent = line.len() - line.trim_start().len();
            self.plain.push(Plain {
                range: from + indent..from + line.trim_end().len(),
                reason: Reason::Unused,
            });
            from += line.len();
        }
        for mapping in &mut self.map[at..] {
            mapping.range.start += unused.len();
            mapping.range.end += unused.len();
        }
        self.indent -= 1;
        self.write("}");
        Ok(std::mem::take(&mut self.out))
    }

    /// Returns statements such as `(void)n;` for the parameters that the written body does not use.
    pub(in crate::targets) fn unused(&mut self) -> String {
        let sizes = self.function.sizes.iter();
        let sizes = sizes.filter(|var| !self.used_vars.contains(var));
        let sizes: Vec<&str> = sizes.filter_map(|var| self.names.var(*var)).collect();
        let ids = self.function.params.iter().chain(&self.function.outputs);
        let ids = ids.filter(|id| !self.used_ids.contains(id));
        let ids = ids.filter_map(|id| self.names.id(*id));
        let names = sizes.into_iter().chain(ids);
        names.map(|name| format!("    (void){name};\n")).collect()
    }

    fn headers(&self, parts: &[&str], out: &mut String) {
        if calls_fma(self.function) {
            out.push_str(rounding::FMA_NOTE);
        }
        let note = out.len();
        let has = |words: &[&str]| {
            let mut words = words.iter();
            words.any(|word| parts.iter().any(|part| part.contains(word)))
        };
        let foreign = self.foreign.iter().any(|(f, _)| f.body.is_some());
        let integers = [
            "int8_t",
            "int16_t",
            "int32_t",
            "int64_t",
            "uintptr_t",
            "INT32_M",
            "PTRDIFF_MAX",
        ];
        let all = [
            ("assert", has(&["assert("])),
            ("math", self.helpers.math || foreign || has(&["INFINITY"])),
            ("omp", has(&["omp_get_num_threads"])),
            ("stdbool", has(&["bool", "true", "false"]) || foreign),
            ("stdint", has(&integers) || foreign),
            ("stdio", has(&["fprintf("]) || foreign),
            ("stdlib", has(&["malloc(", "free(", "abort("]) || foreign),
            ("string", foreign),
        ];
        for (name, _) in all.into_iter().filter(|(_, needed)| *needed) {
            out.push_str(&format!("#include <{name}.h>\n"));
        }
        out.push_str(self.target.backend().preamble());
        if has(&["_mm512_"]) {
            out.push_str("#ifdef __AVX512F__\n#include <immintrin.h>\n#endif\n");
        }
        if out.len() > note {
            out.push('\n');
        }
        if foreign || may_contract(self.function) {
            out.push_str(rounding::NO_CONTRACTION);
        }
        if has(&[rounding::ROUNDED]) {
            out.push_str(rounding::ROUNDED_PRODUCT);
        }
        self.ignored_warnings(out);
    }

    /// Writes pragmas that disable the compilers' warnings that older versions passed wide vectors
    /// differently, and that a loop could not be vectorised as requested, if the text may cause
    /// them.
    fn ignored_warnings(&self, out: &mut String) {
        let wide =
            |ty: &CType| matches!(ty, CType::Vector(..) | CType::Register(_)) && ty.size() > 16;
        if self.types.iter().any(wide) {
            out.push_str("#pragma GCC diagnostic ignored \"-Wpsabi\"\n\n");
        }
        if self.helpers.simd && self.target.features().has_threads() {
            out.push_str(
                "#ifdef __clang__\n\
                 #pragma clang diagnostic ignored \"-Wpass-failed\"\n#endif\n\n",
            );
        }
    }

    /// Appends the declarations of types, the helpers and the C functions to `out`; returns the C
    /// functions that have a body, with the ranges of the bodies in `out`.
    pub(in crate::targets) fn declarations(
        &mut self,
        foreign: &[Arc<Foreign>],
        out: &mut String,
    ) -> Result<Texts> {
        let mut functions = String::new();
        let mut texts = Vec::new();
        for function in foreign {
            let Some((_, name)) = self.foreign.iter().find(|(f, _)| f == function) else {
                continue;
            };
            let name = name.clone();
            let names = ForeignNames::of(function, &name, self.target);
            let head = self.foreign_head(function, &names)?;
            match &function.body {
                Some(body) => {
                    functions.push_str(&format!("static {head} {}", names.before_body()));
                    let start = functions.len();
                    functions.push_str(body.trim());
                    texts.push((start..functions.len(), function.clone()));
                    functions.push_str(&format!("{}\n\n", names.after_body()));
                }
                None => functions.push_str(&format!("extern {head};\n\n")),
            }
        }
        let types: Vec<CType> = self.types.clone();
        if types.iter().any(|ty| matches!(ty, CType::Register(_))) {
            out.push_str(&format!(
                "/* Bytes of a vector register. */\n#ifdef __AVX512F__\n#define {REGISTER} 64\n\
                 #else\n#define {REGISTER} 32\n#endif\n"
            ));
        }
        for ty in &types {
            self.type_declaration(ty, out);
        }
        if !out.is_empty() {
            out.push('\n');
        }
        self.helpers.write(out);
        let before = out.len();
        out.push_str(&functions);
        for (range, _) in &mut texts {
            *range = range.start + before..range.end + before;
        }
        Ok(texts)
    }

    fn type_declaration(&self, ty: &CType, out: &mut String) {
        let name = ty.name(self.target);
        match ty {
            CType::Scalar(_) => {}
            CType::Vector(..)
                if self.target.dialect() == CDialect::OpenCl && ty.is_native(self.target) => {}
            CType::Vector(_, scalar) if ty.is_native(self.target) => {
                self.vector_declaration(ty, *scalar, &ty.size().to_string(), out);
            }
            CType::Register(scalar) => {
                self.vector_declaration(ty, *scalar, REGISTER, out);
                let size = CType::Scalar(*scalar).size();
                let lanes = register_lanes(*scalar);
                out.push_str(&format!("enum {{ {lanes} = {REGISTER} / {size} }};\n"));
            }
            CType::Vector(lanes, scalar) => {
                let scalar = self.target.scalar_name(*scalar);
                out.push_str(&format!(
                    "typedef struct {{ {scalar} data[{lanes}]; }} {name};\n"
                ));
            }
            CType::Pair(a, b) => {
                let aligned = match self.vector_like(ty) {
                    Some(bytes) => format!(" __attribute__((aligned({bytes})))"),
                    None => String::new(),
                };
                out.push_str(&format!(
                    "typedef struct {{ {} _1; {} _2; }} {name}{aligned};\n",
                    a.name(self.target),
                    b.name(self.target)
                ));
            }
        }
    }

    /// Appends the declaration of a native vector type with this size in bytes to `out` and, if it
    /// is used, that of its variant for memory that is not aligned.
    fn vector_declaration(&self, ty: &CType, scalar: ScalarType, size: &str, out: &mut String) {
        let name = ty.name(self.target);
        let align = CType::Scalar(scalar).size();
        let scalar = self.target.scalar_name(scalar);
        out.push_str(&format!(
            "typedef {scalar} {name} __attribute__((vector_size({size})));\n"
        ));
        if self.unaligned.contains(ty) {
            out.push_str(&format!(
                "typedef {scalar} {name}u \
                 __attribute__((vector_size({size}), aligned({align}), may_alias));\n"
            ));
        }
    }

    fn foreign_head(&mut self, function: &Foreign, names: &ForeignNames) -> Result<String> {
        let origin = self.origin;
        let result = CType::of_target(
            &function.result,
            &self.shown,
            origin,
            self.function.features,
        )?;
        self.need_type(&result);
        let mut params = Vec::new();
        for ((_, ty), param) in function.params.iter().zip(&names.params) {
            let ty = CType::of_target(ty, &self.shown, origin, self.function.features)?;
            self.need_type(&ty);
            params.push(format!("{} {param}", self.plain_type(&ty)));
        }
        Ok(format!(
            "{} {}({})",
            self.plain_type(&result),
            names.function,
            params.join(", ")
        ))
    }

    /// Returns the C functions that the function calls and that the text has to declare, without
    /// those that earlier functions of the text called, and chooses their names. The functions of
    /// `<math.h>` are not among them.
    pub(in crate::targets) fn foreign_functions(&mut self) -> Vec<Arc<Foreign>> {
        let mut all: Vec<Arc<Foreign>> = Vec::new();
        let names = &mut self.names;
        let mut note = |expr: &Expr| {
            let ExprKind::Call(function, _) = &expr.kind else {
                return;
            };
            match foreign::math_name(function) {
                // A parameter or variable must not hide a function that the text calls.
                Some(name) => names.reserve(&name),
                None if all.contains(function) => {}
                None => all.push(function.clone()),
            }
        };
        walk::for_each_expr(&self.function.body, &mut |expr| {
            walk::sub_exprs(expr, &mut note)
        });
        for (_, value) in &self.function.opaque {
            walk::sub_exprs(value, &mut note);
        }
        // Earlier kernels may call them, too.
        all.retain(|function| !self.foreign.iter().any(|(known, _)| known == function));
        for function in &all {
            // A function that the linker finds keeps its name.
            let name = match &function.body {
                None => {
                    self.names.reserve(&function.name);
                    function.name.to_string()
                }
                Some(_) => self.names.function(&function.name),
            };
            self.foreign.push((function.clone(), name));
        }
        all
    }

    pub(in crate::targets) fn foreign_name(&self, function: &Arc<Foreign>) -> String {
        match self.foreign.iter().find(|(f, _)| f == function) {
            Some((_, name)) => name.clone(),
            None => function.name.to_string(),
        }
    }
}
