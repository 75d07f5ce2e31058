//! Imperative programs from texts.

use dpia::{PhraseProgram, Target};
use rise::Primitive;
use rise::core::{Expr, Form, Mapper, Program, apply, program_of, subst_local, subst_vars, walk};

/// What a definition becomes, whose types are checked.
pub fn imperative(text: &str, name: &str, target: Target) -> PhraseProgram {
    let [_, imperative] = both(text, name, target);
    imperative
}

/// The functional and the imperative phrase of a definition.
pub fn both(text: &str, name: &str, target: Target) -> [PhraseProgram; 2] {
    let program = match program_of(text, name) {
        Ok(program) => normalise(program),
        Err(error) => panic!("{error}\n{text}"),
    };
    let functional = match dpia::functional::functional(&program, target) {
        Ok(phrase) => phrase,
        Err(complaints) => panic!("{complaints:#?}\n{text}"),
    };
    if let Err(error) = dpia::check(&functional) {
        panic!(
            "functional: {error}\n{text}\n{}",
            super::dump::dump(&functional)
        );
    }
    let imperative = match dpia::imperative(&functional) {
        Ok(phrase) => phrase,
        Err(error) => panic!("{error}\n{text}\n{}", super::dump::dump(&functional)),
    };
    if let Err(error) = dpia::check(&imperative) {
        panic!(
            "imperative: {error}\n{text}\n{}",
            super::dump::dump(&imperative)
        );
    }
    [functional, imperative]
}

/// Its text.
pub fn shown(text: &str, name: &str, target: Target) -> String {
    super::dump::dump(&imperative(text, name, target))
}

fn normalise(mut program: Program<Primitive>) -> Program<Primitive> {
    struct Beta;
    impl Mapper<Primitive> for Beta {
        fn expr(&mut self, expr: &Expr<Primitive>) -> Expr<Primitive> {
            match &expr.form {
                Form::Apply(f, x) => {
                    let f = self.expr(f);
                    let x = self.expr(x);
                    match &f.form {
                        Form::Lambda(p, body) => self.expr(&subst_local(body, &p.local, &x)),
                        _ => apply(&f, x, expr.origin),
                    }
                }
                Form::DepApply(f, arg) => {
                    let f = self.expr(f);
                    match &f.form {
                        Form::DepLambda(v, _, body) => {
                            self.expr(&subst_vars(body, &|w| (w == *v).then(|| arg.clone())))
                        }
                        _ => expr.clone(),
                    }
                }
                _ => walk(self, expr),
            }
        }
    }
    program.body = Beta.expr(&program.body);
    program
}
