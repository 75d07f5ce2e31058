//! Generates C functions for programs.

use crate::{Backend, Data, Maker, Num};

#[derive(Clone, Debug)]
pub(crate) struct Function {
    name: String,
    params: Vec<Data>,
    result: Data,
    /// The body; `None` for functions of the C library.
    body: Option<String>,
}

impl Function {
    pub fn text(&self) -> String {
        let params: Vec<String> = ["x", "y"]
            .iter()
            .zip(&self.params)
            .map(|(name, ty)| format!("{name}: {ty}"))
            .collect();
        let head = format!(
            "foreign def {}({}): {}",
            self.name,
            params.join(", "),
            self.result
        );
        match &self.body {
            Some(body) => format!("{head} = \"\"\"{{ {body} }}\"\"\"\n"),
            None => format!("{head}\n"),
        }
    }
}

/// The exact functions of `<math.h>`.
const LIBRARY: &[(&str, Num)] = &[
    ("fabsf", Num::F32),
    ("sqrtf", Num::F32),
    ("floorf", Num::F32),
    ("fabs", Num::F64),
    ("sqrt", Num::F64),
    ("ceil", Num::F64),
];

impl Maker {
    /// Generates a C function of a number, and applies it to a value.
    pub fn foreign_call(&mut self, value: &str, num: Num) -> String {
        let ty = Data::Scalar(num);
        let library: Vec<_> = LIBRARY.iter().filter(|(_, of)| *of == num).collect();
        if !library.is_empty() && self.choice.one_in(2) {
            let (name, _) = *self.choice.of(&library);
            self.declare(name, vec![ty.clone()], ty, None);
            return format!("{name}({value})");
        }
        let c = num.c_name();
        match self.choice.below(3) {
            0 => {
                let body = match num {
                    Num::Bool => "return !x;".to_owned(),
                    _ if num.is_float() => format!("return x * ({c})0.5 + ({c})1;"),
                    // OpenCL has other names for the types of C.
                    _ if self.backend == Backend::OpenCl => "return x / 2 + 1;".to_owned(),
                    _ => format!("return ({c})((uint64_t)x * 3u + 1u);"),
                };
                let name = self.new_function(vec![ty.clone()], ty, body);
                format!("{name}({value})")
            }
            1 => {
                let k = self.literal(num);
                let params = vec![ty.clone(), ty.clone()];
                let name = self.new_function(params, ty, "return x < y ? y : x;".to_owned());
                format!("{name}({value})({k})")
            }
            _ => {
                // Pairs are structs.
                let pair = Data::pair(ty.clone(), Data::INT);
                let body = match self.backend {
                    Backend::OpenCl => "return x._2 > 2 ? x._1 : 0;".to_owned(),
                    _ => "return x._2 > 2 ? x._1 : (__typeof__(x._1))0;".to_owned(),
                };
                let name = self.new_function(vec![pair], ty, body);
                let k = self.choice.below(5);
                format!("{name}(({value}, {k}i32))")
            }
        }
    }

    fn new_function(&mut self, params: Vec<Data>, result: Data, body: String) -> String {
        let same = |f: &&Function| {
            f.params == params && f.result == result && f.body.as_deref() == Some(&body)
        };
        if let Some(known) = self.functions.iter().find(same) {
            return known.name.clone();
        }
        let name = self.name("foreign");
        self.declare(&name, params, result, Some(body));
        name
    }

    fn declare(&mut self, name: &str, params: Vec<Data>, result: Data, body: Option<String>) {
        if self.functions.iter().all(|known| known.name != name) {
            self.functions.push(Function {
                name: name.to_owned(),
                params,
                result,
                body,
            });
        }
    }
}
