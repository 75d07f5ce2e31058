//! Generates the C code of the call of a generated function.

use super::Program;
use crate::scalar::Leaf;
use crate::shape::{Shape, is_native_vector};
use dpia::IndexWidth;
use std::fmt::Write;
use syntax::ast::ScalarType;

/// Returns the C function `rise_ls_call`, which calls a program with outputs and arguments from
/// arrays of pointers. It declares the types again, because structures of the same layout are compatible
/// between translation units. With several programs the first argument is the index of the program.
pub fn text(programs: &[Program<'_>]) -> String {
    let mut types = Types::default();
    let (mut declarations, mut calls) = (String::new(), String::new());
    let many = programs.len() > 1;
    for (number, program) in programs.iter().enumerate() {
        let (declared, passed) = parameters(program, usize::from(many), &mut types);
        let name = program.function;
        // Writing to a string does not fail.
        let _ = writeln!(declarations, "void {name}({});", declared.join(", "));
        let call = format!("{name}({});", passed.join(", "));
        let _ = match many {
            true => writeln!(calls, "    case {number}: {call} break;"),
            false => writeln!(calls, "    {call}"),
        };
    }
    if many {
        calls =
            format!("    switch (*(const long long *)rise_ls_arguments[0]) {{\n{calls}    }}\n");
    }
    format!(
        "{}{declarations}void rise_ls_call(void *const *rise_ls_outputs, void *const *rise_ls_arguments);\n\
         void rise_ls_call(void *const *rise_ls_outputs, void *const *rise_ls_arguments)\n{{\n    (void)rise_ls_arguments;\n{calls}}}\n",
        types.text,
    )
}

/// Returns the types of a function's parameters, and the expressions of the arguments that the call
/// passes. The indices of the sizes and arguments in the array of pointers start at `first`.
fn parameters(
    program: &Program<'_>,
    first: usize,
    types: &mut Types,
) -> (Vec<String>, Vec<String>) {
    let (mut declared, mut passed) = (Vec::new(), Vec::new());
    for at in program.outputs.inout.len()..program.outputs.count {
        declared.push("void *".to_owned());
        passed.push(format!("rise_ls_outputs[{at}]"));
    }
    for at in first..first + program.sizes {
        let ty = match program.index {
            IndexWidth::Bits32 => "int",
            IndexWidth::Bits64 => "long long",
        };
        declared.push(ty.to_owned());
        passed.push(format!("({ty})*(const long long *)rise_ls_arguments[{at}]"));
    }
    for (number, shape) in program.params.iter().enumerate() {
        let at = first + program.sizes + number;
        if let Some(output) = program
            .outputs
            .inout
            .iter()
            .position(|updated| *updated == number)
        {
            declared.push("void *".to_owned());
            passed.push(format!("rise_ls_outputs[{output}]"));
            continue;
        }
        match shape {
            Shape::Array(..) | Shape::DepArray(_) => {
                declared.push("const void *".to_owned());
                passed.push(format!("rise_ls_arguments[{at}]"));
            }
            value => {
                let ty = types.name(value);
                passed.push(format!("*(const {ty} *)rise_ls_arguments[{at}]"));
                declared.push(ty);
            }
        }
    }
    (declared, passed)
}

/// The C types that are declared, each of them once, with their declarations.
#[derive(Default)]
pub(super) struct Types {
    pub text: String,
    known: Vec<String>,
}

impl Types {
    /// Returns the name of the C type of a shape, and declares the type if needed. Tuples and
    /// vectors have the same names as in generated code: `pair_f32_i32`, `f32x4`.
    pub fn name(&mut self, shape: &Shape) -> String {
        let body = match shape {
            Shape::Scalar(scalar) => return scalar_name(Leaf::Scalar(*scalar)).to_owned(),
            Shape::Index(bound) => return scalar_name(Leaf::Index(*bound)).to_owned(),
            Shape::Vector(n, leaf) if is_native_vector(*n, *leaf) => {
                let (lane, size) = (scalar_name(*leaf), shape.size());
                format!("{lane} NAME __attribute__((vector_size({size})))")
            }
            Shape::Vector(n, leaf) => {
                format!("struct NAME {{ {} data[{n}]; }} NAME", scalar_name(*leaf))
            }
            Shape::Array(n, element) => format!("{} NAME[{n}]", self.name(element)),
            Shape::Pair(first, second) => {
                let (first, second) = (self.name(first), self.name(second));
                format!("struct NAME {{ {first} _1; {second} _2; }} NAME")
            }
            // Dependent types are never parts of values that are passed by value.
            Shape::DepArray(_) | Shape::DepPair(..) => {
                let size = shape.size().max(1);
                format!("struct NAME {{ unsigned char data[{size}]; }} NAME")
            }
        };
        let name = short(shape);
        if !self.known.contains(&name) {
            // Writing to a string does not fail.
            let _ = writeln!(self.text, "typedef {};", body.replace("NAME", &name));
            self.known.push(name.clone());
        }
        name
    }
}

/// Returns the name of a type as a part of other names. Types of equal names have equal layouts.
fn short(shape: &Shape) -> String {
    match shape {
        Shape::Scalar(ScalarType::NatType) | Shape::Index(_) => "int".to_owned(),
        Shape::Scalar(scalar) => scalar.to_string(),
        Shape::Vector(n, leaf) => format!("{}x{n}", short(&Shape::leaf(*leaf))),
        Shape::Pair(first, second) => format!("pair_{}_{}", short(first), short(second)),
        Shape::Array(n, element) => format!("array{n}_{}", short(element)),
        Shape::DepArray(_) | Shape::DepPair(..) => format!("bytes{}", shape.size()),
    }
}

/// Returns the C name of a scalar type, which needs no header.
pub(super) fn scalar_name(leaf: Leaf) -> &'static str {
    match leaf {
        Leaf::Index(_) => "int",
        Leaf::Scalar(scalar) => match scalar {
            ScalarType::Bool => "_Bool",
            ScalarType::I8 => "signed char",
            ScalarType::I16 => "short",
            ScalarType::I32 | ScalarType::NatType => "int",
            ScalarType::I64 => "long long",
            ScalarType::U8 => "unsigned char",
            ScalarType::U16 => "unsigned short",
            ScalarType::U32 => "unsigned int",
            ScalarType::U64 => "unsigned long long",
            ScalarType::F16 => "_Float16",
            ScalarType::F32 => "float",
            ScalarType::F64 => "double",
        },
    }
}
