//! Builds functions of the loop language by hand, and runs their C text.

#![allow(dead_code, reason = "each test file uses a part")]

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use codegen::ir::{
    Binary, Expr, ExprKind, Function, Home, Id, Loop, LoopMode, Place, Stmt, StmtKind, Variable,
};
use codegen::{IndexPolicy, IndexWidth, Module, Signature, Target};
use nat::{Nat, Prop, Var};
use rise::core::Origin;
use rise::{Ty, Type};
use syntax::ast::{Literal, ScalarType};

pub const F32: ScalarType = ScalarType::F32;
pub const I32: ScalarType = ScalarType::I32;

/// Returns a scalar type.
pub fn scalar(ty: ScalarType) -> Ty {
    Arc::new(Type::Scalar(ty))
}

/// Returns a vector type.
pub fn vector(lanes: i64, ty: ScalarType) -> Ty {
    Arc::new(Type::Vector(Nat::constant(lanes), scalar(ty)))
}

/// Returns a tuple type.
pub fn pair(a: &Ty, b: &Ty) -> Ty {
    Arc::new(Type::Pair(a.clone(), b.clone()))
}

/// Returns a number as a size.
pub fn num(value: i64) -> Nat {
    Nat::constant(value)
}

/// A builder of a function.
pub struct Build {
    pub function: Function,
    pub signature: Signature,
}

impl Build {
    /// Starts a function whose output has these elements.
    pub fn new(name: &str, output: &Ty, sizes: &[&str]) -> Build {
        let names: Vec<_> = sizes.iter().map(|name| (*name).into()).collect();
        let vars: Vec<Var> = (0..names.len()).map(|at| Var(at as u32)).collect();
        let mut build = Build {
            function: Function {
                name: name.into(),
                sizes: vars.clone(),
                names: names.clone(),
                ..Function::default()
            },
            signature: Signature {
                index: IndexWidth::default(),
                name: name.into(),
                sizes: vars.into_iter().zip(names.clone()).collect(),
                params: Vec::new(),
                inout: Vec::new(),
                outputs: vec![("output".into(), output.clone())],
                requires: Vec::new(),
                names,
            },
        };
        let output = build.variable("output", output, Some(num(1)), Home::Output);
        build.function.outputs.push(output);
        build
    }

    fn variable(&mut self, name: &str, elem: &Ty, count: Option<Nat>, home: Home) -> Id {
        let id = Id(self.function.variables.len() as u32);
        self.function.variables.push(Variable {
            name: name.into(),
            elem: elem.clone(),
            count,
            extents: Vec::new(),
            home,
            origin: Origin(0),
        });
        id
    }

    /// Returns a size parameter.
    pub fn size(&self, at: usize) -> Nat {
        Nat::var(self.function.sizes[at])
    }

    /// Adds an array parameter.
    pub fn array(&mut self, name: &str, elem: &Ty, count: Nat) -> Id {
        let id = self.variable(name, elem, Some(count.clone()), Home::Input);
        self.function.params.push(id);
        let ty = Arc::new(Type::Array(count, elem.clone()));
        self.signature.params.push((name.into(), ty));
        id
    }

    /// Adds a parameter that is not an array.
    pub fn param(&mut self, name: &str, elem: &Ty) -> Id {
        let id = self.variable(name, elem, None, Home::Input);
        self.function.params.push(id);
        self.signature.params.push((name.into(), elem.clone()));
        id
    }

    /// Adds a local variable.
    pub fn local(&mut self, name: &str, elem: &Ty, count: Option<Nat>) -> Id {
        self.variable(name, elem, count, Home::Local(None))
    }

    /// Adds a pointer.
    pub fn pointer(&mut self, name: &str, elem: &Ty, count: Nat, writable: bool) -> Id {
        self.variable(
            name,
            elem,
            Some(count),
            Home::Pointer {
                writable,
                alone: false,
            },
        )
    }

    /// Adds a counter, or another size that is not a parameter.
    pub fn counter(&mut self, name: &str) -> Var {
        let var = Var(self.function.names.len() as u32);
        self.function.names.push(name.into());
        var
    }

    /// Adds a condition on the sizes.
    pub fn require(&mut self, prop: Prop) {
        self.function.requires.push(prop.clone());
        self.signature.requires.push(prop);
        self.signature.names.clone_from(&self.function.names);
    }

    /// Returns the value at a place.
    pub fn load(&self, place: Place) -> Expr {
        let mut ty = self.function.variables[place.id.0 as usize].elem.clone();
        for &second in &place.members {
            if let Type::Pair(a, b) = &*ty.clone() {
                ty = if second { b.clone() } else { a.clone() };
            }
        }
        if let Some(lanes) = &place.lanes {
            ty = Arc::new(Type::Vector(lanes.clone(), ty));
        }
        if place.lane.is_some()
            && let Type::Vector(_, elem) = &*ty.clone()
        {
            ty = elem.clone();
        }
        expr(ExprKind::Load(place), &ty)
    }

    /// Returns the value of an element of an array.
    pub fn at(&self, id: Id, index: impl Into<Nat>) -> Expr {
        self.load(elem(id, index))
    }

    /// Returns the value of a scalar variable.
    pub fn get(&self, id: Id) -> Expr {
        self.load(Place::plain(id))
    }

    /// Generates the module.
    pub fn finish(&self, target: Target) -> Module {
        let lowered = codegen::Lowered {
            function: self.function.clone(),
            signature: self.signature.clone(),
        };
        codegen::finish(lowered, target, IndexPolicy::default())
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// Generates the text of the function without the declarations before it.
    pub fn text(&self, target: Target) -> String {
        let text = self.finish(target).text;
        let start = text.find("\nvoid ").map_or(0, |at| at + 1);
        text[start..].to_owned()
    }
}

/// Returns the place of an element of an array.
pub fn elem(id: Id, index: impl Into<Nat>) -> Place {
    Place {
        index: Some(index.into()),
        ..Place::plain(id)
    }
}

pub fn expr(kind: ExprKind, ty: &Ty) -> Expr {
    Expr {
        kind,
        ty: ty.clone(),
        origin: Origin(0),
    }
}

pub fn binary(op: Binary, a: Expr, b: Expr) -> Expr {
    let ty = match op {
        Binary::Add | Binary::Sub | Binary::Mul | Binary::Div | Binary::Mod => a.ty.clone(),
        _ => scalar(ScalarType::Bool),
    };
    expr(ExprKind::Binary(op, Box::new(a), Box::new(b)), &ty)
}

pub fn add(a: Expr, b: Expr) -> Expr {
    binary(Binary::Add, a, b)
}

pub fn mul(a: Expr, b: Expr) -> Expr {
    binary(Binary::Mul, a, b)
}

pub fn float(text: &str) -> Expr {
    let literal = Literal::Float {
        text: text.into(),
        suffix: None,
    };
    expr(ExprKind::Literal(literal), &scalar(F32))
}

pub fn int(value: i128, ty: ScalarType) -> Expr {
    let literal = Literal::Int {
        value,
        suffix: None,
    };
    expr(ExprKind::Literal(literal), &scalar(ty))
}

pub fn size(nat: Nat) -> Expr {
    expr(ExprKind::Nat(nat), &scalar(ScalarType::NatType))
}

pub fn stmt(kind: StmtKind) -> Stmt {
    Stmt {
        kind,
        origin: Origin(0),
        made_by: None,
    }
}

pub fn assign(place: Place, value: Expr) -> Stmt {
    stmt(StmtKind::Assign(place, value))
}

pub fn declare(id: Id) -> Stmt {
    stmt(StmtKind::Declare(id, None))
}

pub fn declare_as(id: Id, value: Expr) -> Stmt {
    stmt(StmtKind::Declare(id, Some(value)))
}

pub fn repeat_as(mode: LoopMode, counter: Var, to: Nat, body: Vec<Stmt>) -> Stmt {
    stmt(StmtKind::For(Loop {
        counter,
        from: Nat::ZERO,
        to,
        step: Nat::ONE,
        mode,
        body,
    }))
}

pub fn repeat(counter: Var, to: Nat, body: Vec<Stmt>) -> Stmt {
    repeat_as(LoopMode::Sequential, counter, to, body)
}

/// Compiles the text with each installed compiler, with all warnings as errors, and runs it with
/// this `main` under the sanitizers: it must succeed.
pub fn run(module: &Module, main: &str) {
    let (source, dir) = test_program(module, main);
    let sanitized = [
        "-O1",
        "-g",
        "-fsanitize=address,undefined",
        "-fno-sanitize-recover=all",
    ];
    compile_and_run("clang", &sanitized, &source, &dir, module);
    compile_and_run("gcc", &["-O3", "-march=native"], &source, &dir, module);
}

/// Compiles and runs the text without the sanitizers: for arrays of gigabytes.
pub fn run_fast(module: &Module, main: &str) {
    let (source, dir) = test_program(module, main);
    compile_and_run("gcc", &["-O3", "-march=native"], &source, &dir, module);
}

fn test_program(module: &Module, main: &str) -> (PathBuf, PathBuf) {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let dir: PathBuf = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("{}_{number}", module.signature.name));
    std::fs::create_dir_all(&dir).expect("a folder for tests");
    let source = dir.join("test.c");
    let mut text = module.text.clone();
    let _ = write!(
        text,
        "\n#include <stdio.h>\n#include <stdlib.h>\n#include <stdint.h>\n#include <stdbool.h>\n\
         #define CHECK(c) do {{ if (!(c)) {{ fprintf(stderr, \"%s\\n\", #c); exit(1); }} }} while (0)\n\
         int main(void) {{\n{main}\n    return 0;\n}}\n"
    );
    std::fs::write(&source, text).expect("a source file");
    (source, dir)
}

fn compile_and_run(compiler: &str, flags: &[&str], source: &Path, dir: &Path, module: &Module) {
    let program = dir.join(format!("{compiler}{}", flags[0]));
    let mut command = Command::new(compiler);
    command.args(["-std=c99", "-Wall", "-Wextra", "-Werror"]);
    if module.text.contains("#pragma omp") {
        command.arg("-fopenmp");
    }
    command
        .args(flags)
        .arg(source)
        .arg("-o")
        .arg(&program)
        .arg("-lm");
    let out = command.output().expect("the compiler is installed");
    let errors = String::from_utf8_lossy(&out.stderr);
    assert!(
        out.status.success(),
        "{compiler}: {errors}\n{}",
        module.text
    );
    let out = Command::new(&program)
        .env("OMP_NUM_THREADS", "3")
        .output()
        .expect("the program runs");
    let errors = String::from_utf8_lossy(&out.stderr);
    assert!(
        out.status.success(),
        "{compiler}: {errors}\n{}",
        module.text
    );
}
