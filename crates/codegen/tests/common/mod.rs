//! Functions of the loop language by hand, and running their C text.

#![allow(dead_code, reason = "each test file uses a part")]

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use codegen::ir::{
    Binary, Expr, ExprKind, Function, Home, Id, LoopMode, Place, Stmt, StmtKind, Variable,
};
use codegen::{IndexPolicy, IndexWidth, Module, Signature, Target};
use nat::{Nat, Prop, Var};
use rise::core::Origin;
use rise::{Ty, Type};
use syntax::ast::{Literal, ScalarType};

pub const F32: ScalarType = ScalarType::F32;
pub const I32: ScalarType = ScalarType::I32;

/// A scalar type.
pub fn scalar(ty: ScalarType) -> Ty {
    Arc::new(Type::Scalar(ty))
}

/// A vector type.
pub fn vector(lanes: i64, ty: ScalarType) -> Ty {
    Arc::new(Type::Vector(Nat::constant(lanes), scalar(ty)))
}

/// A tuple type.
pub fn pair(a: &Ty, b: &Ty) -> Ty {
    Arc::new(Type::Pair(a.clone(), b.clone()))
}

/// A number.
pub fn num(value: i64) -> Nat {
    Nat::constant(value)
}

/// A function in the making.
pub struct Build {
    pub function: Function,
    pub signature: Signature,
}

impl Build {
    /// A function with an output of these elements.
    pub fn new(name: &str, output: &Ty, sizes: &[&str]) -> Build {
        let names: Vec<_> = sizes.iter().map(|name| (*name).into()).collect();
        let vars: Vec<Var> = (0..names.len()).map(|at| Var(at as u32)).collect();
        let mut build = Build {
            function: Function {
                name: name.into(),
                index: IndexWidth::default(),
                variables: Vec::new(),
                sizes: vars.clone(),
                params: Vec::new(),
                output: Id(0),
                body: Vec::new(),
                requires: Vec::new(),
                facts: Vec::new(),
                names: names.clone(),
                opaque: Vec::new(),
                launch: Default::default(),
                items: Vec::new(),
                aligned: Default::default(),
                registers: Vec::new(),
                views: Default::default(),
                dimensions: Vec::new(),
            },
            signature: Signature {
                index: IndexWidth::default(),
                name: name.into(),
                sizes: vars.into_iter().zip(names.clone()).collect(),
                params: Vec::new(),
                result: output.clone(),
                requires: Vec::new(),
                names,
            },
        };
        build.variable("output", output, Some(num(1)), Home::Output);
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

    /// A size parameter.
    pub fn size(&self, at: usize) -> Nat {
        Nat::var(self.function.sizes[at])
    }

    /// An array parameter.
    pub fn array(&mut self, name: &str, elem: &Ty, count: Nat) -> Id {
        let id = self.variable(name, elem, Some(count.clone()), Home::Input);
        self.function.params.push(id);
        let ty = Arc::new(Type::Array(count, elem.clone()));
        self.signature.params.push((name.into(), ty));
        id
    }

    /// A parameter that is no array.
    pub fn param(&mut self, name: &str, elem: &Ty) -> Id {
        let id = self.variable(name, elem, None, Home::Input);
        self.function.params.push(id);
        self.signature.params.push((name.into(), elem.clone()));
        id
    }

    /// A variable of the function's own.
    pub fn local(&mut self, name: &str, elem: &Ty, count: Option<Nat>) -> Id {
        self.variable(name, elem, count, Home::Local(None))
    }

    /// A pointer.
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

    /// A counter, or another size that is no parameter.
    pub fn counter(&mut self, name: &str) -> Var {
        let var = Var(self.function.names.len() as u32);
        self.function.names.push(name.into());
        var
    }

    /// Something that must hold.
    pub fn require(&mut self, prop: Prop) {
        self.function.requires.push(prop.clone());
        self.signature.requires.push(prop);
        self.signature.names.clone_from(&self.function.names);
    }

    /// What stands at a place.
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

    /// An element.
    pub fn at(&self, id: Id, index: impl Into<Nat>) -> Expr {
        self.load(elem(id, index))
    }

    /// A plain variable.
    pub fn get(&self, id: Id) -> Expr {
        self.load(Place::plain(id))
    }

    /// The text.
    pub fn finish(&self, target: Target) -> Module {
        codegen::finish(
            self.function.clone(),
            target,
            self.signature.clone(),
            IndexPolicy::default(),
        )
        .unwrap_or_else(|error| panic!("{error}"))
    }

    /// The text of the function without what stands before it.
    pub fn text(&self, target: Target) -> String {
        let text = self.finish(target).text;
        let start = text.find("\nvoid ").map_or(0, |at| at + 1);
        text[start..].to_owned()
    }
}

/// An element of an array.
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
    stmt(StmtKind::For {
        counter,
        from: Nat::ZERO,
        to,
        step: Nat::ONE,
        mode,
        body,
    })
}

pub fn repeat(counter: Var, to: Nat, body: Vec<Stmt>) -> Stmt {
    repeat_as(LoopMode::Sequential, counter, to, body)
}

/// Compiles the text with each compiler that is here, with all warnings as errors, and runs it
/// with this `main` under the sanitizers: it must succeed.
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

/// The same, without the sanitizers: for arrays of gigabytes.
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
