//! Test utilities that take programs and values as text.

use nat::Var;
use rise::core::{Program, program_of};
use rise::{Primitive, Type};
use runtime::interp::{self, ErrorKind, InterpError, Options};
use runtime::literal::Literal;
use runtime::value_text::Length;
use runtime::{Bindings, Shape, Value};

/// A program with values for its sizes.
pub struct Case {
    pub program: Program<Primitive>,
    pub bindings: Bindings,
}

impl Case {
    /// Links the definition `main` of a text, with sizes by name.
    pub fn new(text: &str, sizes: &[(&str, i64)]) -> Case {
        Case::named(text, "main", sizes)
    }

    pub fn named(text: &str, name: &str, sizes: &[(&str, i64)]) -> Case {
        let program = match program_of(text, name) {
            Ok(program) => program,
            Err(error) => panic!("{error}\n{text}"),
        };
        let names = rise::Names(program.names.clone().into());
        let mut bindings = Bindings {
            names,
            ..Bindings::default()
        };
        let vars: Vec<Var> = program.signature().sizes().collect();
        for (name, value) in sizes {
            let var = vars.iter().find(|var| program.name_of(**var) == *name);
            let Some(var) = var else {
                panic!("no size {name} in\n{text}");
            };
            bindings.nats.insert(*var, *value);
        }
        Case { program, bindings }
    }

    pub fn shapes(&self) -> Vec<Shape> {
        let signature = self.program.signature();
        let shape = |ty: &Type| match Shape::of(ty, &self.bindings) {
            Ok(shape) => shape,
            Err(error) => panic!("{error}"),
        };
        signature.values().map(|param| shape(&param.ty)).collect()
    }

    /// Parses arguments.
    pub fn args(&self, texts: &[&str]) -> Vec<Value> {
        let shapes = self.shapes();
        assert_eq!(shapes.len(), texts.len(), "as many arguments as parameters");
        let value = |(shape, text): (Shape, &&str)| {
            Literal::parse(text)
                .and_then(|literal| literal.value(shape))
                .unwrap_or_else(|error| panic!("{text}: {error}"))
        };
        shapes.into_iter().zip(texts).map(value).collect()
    }

    pub fn run(&self, args: &[Value]) -> Result<Value, InterpError> {
        interp::run(&self.program, &self.bindings, args, &Options::default())
            .map(|outcome| outcome.value)
    }

    pub fn both_ways(&self, args: &[Value]) -> BothWays {
        BothWays::run(&self.program, &self.bindings, args)
    }
}

/// The outcomes of one program.
#[derive(Debug)]
pub struct BothWays {
    pub optimized: Result<Value, InterpError>,
    pub reference: Result<Value, InterpError>,
}

impl BothWays {
    /// Runs a program with optimised evaluation and without it.
    pub fn run(program: &Program<Primitive>, bindings: &Bindings, args: &[Value]) -> BothWays {
        let run = |optimize| {
            let options = Options {
                optimize,
                ..Options::default()
            };
            interp::run(program, bindings, args, &options).map(|outcome| outcome.value)
        };
        BothWays {
            optimized: run(true),
            reference: run(false),
        }
    }

    /// Returns true if the values are equal bit by bit, or the errors have the same message.
    pub fn agree(&self) -> bool {
        match (&self.optimized, &self.reference) {
            (Ok(a), Ok(b)) => {
                let mut bytes = 0..a.bytes().len() as u64;
                a.shape() == b.shape()
                    && a.bytes() == b.bytes()
                    && bytes.all(|at| a.is_written(at) == b.is_written(at))
            }
            (Err(a), Err(b)) => a.to_string() == b.to_string(),
            _ => false,
        }
    }
}

/// Returns the result of a program as text on one line.
pub fn eval(text: &str, sizes: &[(&str, i64)], args: &[&str]) -> String {
    let case = Case::new(text, sizes);
    match case.run(&case.args(args)) {
        Ok(value) => line(&value),
        Err(error) => format!("error: {error}"),
    }
}

/// Returns the kind of the error of a program.
#[track_caller]
pub fn fails(text: &str, sizes: &[(&str, i64)], args: &[&str]) -> ErrorKind {
    let case = Case::new(text, sizes);
    match case.run(&case.args(args)) {
        Ok(value) => panic!("it gives {}", line(&value)),
        Err(error) => error.kind,
    }
}

/// Formats a value on one line.
pub fn line(value: &Value) -> String {
    let text = value.text(Length::Full);
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}
