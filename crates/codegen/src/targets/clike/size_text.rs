//! Prints sizes and conditions as expressions of C outside of generated functions, for programs
//! around generated code.

use crate::targets::Target;
use dpia::IndexWidth;
use nat::{Nat, Prop, Var};
use rise::{DataFun, Type};
use rustc_hash::FxHashMap;

use crate::error::Result;
use crate::ir::Function;

use super::helpers::Helpers;
use super::{Prec, Printer};

/// A printer of sizes as C expressions, which collects the helper functions that they need.
pub(crate) struct SizeText {
    function: Function,
    names: FxHashMap<Var, String>,
    helpers: Helpers,
}

impl SizeText {
    /// Creates a printer for sizes of this width, with these texts for variables.
    pub fn new(names: FxHashMap<Var, String>, index: IndexWidth) -> SizeText {
        SizeText {
            function: Function {
                index,
                ..Function::default()
            },
            names,
            helpers: Helpers::new(Target::C),
        }
    }

    /// Sets the text for a variable.
    pub fn name(&mut self, var: Var, text: String) {
        self.names.insert(var, text);
    }

    fn write(&mut self, write: impl FnOnce(&mut Printer<'_>) -> Result<()>) -> Result<String> {
        let mut printer = Printer::new(&self.function, Target::C);
        for (var, name) in &self.names {
            printer.names.bind_var(*var, name.clone());
        }
        std::mem::swap(&mut printer.helpers, &mut self.helpers);
        let result = write(&mut printer);
        std::mem::swap(&mut printer.helpers, &mut self.helpers);
        result.map(|()| printer.out)
    }

    /// Returns the text of a size, or of an upper bound of it, as a `double`, computed without
    /// overflow.
    pub fn real(&mut self, nat: &Nat) -> Result<String> {
        self.write(|printer| printer.real(nat, Prec::Sum))
    }

    /// Returns the text of a size.
    pub fn size(&mut self, nat: &Nat) -> Result<String> {
        self.write(|printer| printer.nat(nat, Prec::Conditional))
    }

    /// Returns the text of a number of bytes, computed as `size_t` unless it is a constant.
    pub fn bytes(&mut self, nat: &Nat) -> Result<String> {
        match nat.as_const() {
            Some(bytes) => Ok(bytes.to_string()),
            None => self.write(|printer| printer.wide_nat(nat)),
        }
    }

    /// Returns the text of the number of elements of a value of this type, computed like a number
    /// of bytes.
    pub fn count(&mut self, ty: &Type) -> Result<String> {
        self.bytes(&count(ty))
    }

    /// Returns the text of a condition; `None` if its evaluation needs a loop.
    pub fn condition(&mut self, prop: &Prop) -> Result<Option<String>> {
        if matches!(prop, Prop::ForAll { .. }) {
            return Ok(None);
        }
        self.write(|printer| printer.condition(prop)).map(Some)
    }

    /// Appends the helper functions that the returned expressions need to `out`.
    pub fn helpers(&self, out: &mut String) {
        self.helpers.write(out);
    }
}

fn count(ty: &Type) -> Nat {
    match ty {
        Type::Array(n, inner) => n * &count(inner),
        Type::DepArray(n, DataFun::Lambda(var, inner)) => {
            Nat::sum(*var, &Nat::ZERO, n, &count(inner))
        }
        _ => Nat::ONE,
    }
}
