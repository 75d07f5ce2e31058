//! Prints sums over ranges without a closed form, as calls of helper functions.

use dpia::IndexWidth;
use nat::{Nat, Var};

use super::real::REAL;
use super::{Prec, Printer};
use crate::error::Result;

/// A sum that a helper function computes.
#[derive(PartialEq)]
pub(crate) struct Sum {
    from: Nat,
    to: Nat,
    body: Nat,
    /// The number of enclosing sums.
    depth: usize,
    /// The width of the function's parameters.
    index: IndexWidth,
    /// True if it is computed as a `double`.
    in_real: bool,
}

impl Printer<'_> {
    /// Writes a call of the helper function for a sum; its parameters are the indices of enclosing
    /// sums and the variables in the sum.
    pub(in crate::targets) fn summation(
        &mut self,
        from: &Nat,
        to: &Nat,
        body: &Nat,
    ) -> Result<Prec> {
        let mut vars: Vec<Var> = Vec::new();
        for nat in [from, to, body] {
            nat.for_each_var(&mut |var| {
                if !vars.contains(&var) {
                    vars.push(var);
                }
            });
        }
        let name = self.sum_helper((from, to, body), &vars)?;
        self.write(&name);
        self.write("(");
        let outer = self.indices.clone();
        self.list(&outer, |this, index| {
            this.write(index);
            Ok(())
        })?;
        if !outer.is_empty() && !vars.is_empty() {
            self.write(", ");
        }
        self.list(&vars, |this, var| {
            this.at_least(Prec::Conditional, |this| this.var(*var))
        })?;
        self.write(")");
        Ok(Prec::Postfix)
    }

    /// Returns the name of the helper function for a sum with these variables, and adds the
    /// function to the helpers if it is new.
    fn sum_helper(
        &mut self,
        sum @ (from, to, body): (&Nat, &Nat, &Nat),
        vars: &[Var],
    ) -> Result<String> {
        let key = Sum {
            from: from.clone(),
            to: to.clone(),
            body: body.clone(),
            depth: self.indices.len(),
            index: self.function.index,
            in_real: self.in_real,
        };
        if let Some(at) = self.helpers.sums.iter().position(|known| *known == key) {
            return Ok(sum_name(at));
        }
        let name = sum_name(self.helpers.sums.len());
        self.helpers.sums.push(key);
        let names = std::mem::replace(&mut self.names, super::names::Scopes::new(self.target));
        let out = std::mem::take(&mut self.out);
        let used = self.used_vars.clone();
        let result = self.sum_text(&name, sum, vars);
        self.names = names;
        self.used_vars = used;
        let text = std::mem::replace(&mut self.out, out);
        result?;
        self.helpers.sum_texts.push(text);
        Ok(name)
    }

    fn sum_text(
        &mut self,
        name: &str,
        (from, to, body): (&Nat, &Nat, &Nat),
        vars: &[Var],
    ) -> Result<()> {
        for index in self.indices.clone() {
            self.names.reserve(&index);
        }
        let mut params: Vec<String> = self.indices.clone();
        for var in vars {
            let param = self.names.fresh(&self.shown.get(*var));
            self.names.bind_var(*var, param.clone());
            params.push(param);
        }
        let params: Vec<String> = params
            .iter()
            .map(|name| format!("{} {name}", self.size_type()))
            .collect();
        let params = if params.is_empty() {
            "void".to_owned()
        } else {
            params.join(", ")
        };
        let index = self.names.counter(0);
        let total = self.names.fresh("total");
        let ty = match self.in_real {
            true => REAL,
            false => self.wide(),
        };
        self.write(&format!(
            "static inline {ty} {name}({params}) {{\n    {ty} {total} = 0;\n    for ("
        ));
        match self.in_real {
            // No count exceeds that.
            true => {
                self.write(&format!("{} {index} = ", self.wide()));
                self.integer(from, Prec::Conditional)?;
                self.write(&format!("; {total} < 1e18 && {index} < "));
                self.integer(to, Prec::Sum)?;
            }
            false => {
                self.write(&format!("{} {index} = ", self.size_type()));
                self.nat(from, Prec::Conditional)?;
                self.write(&format!("; {index} < "));
                self.nat(to, Prec::Sum)?;
            }
        }
        self.write(&format!("; {index}++) {{\n        {total} += "));
        self.indices.push(index);
        let result = match self.in_real {
            true => self.real(body, Prec::Conditional),
            false => self.operand(body, Prec::Conditional, None),
        };
        self.indices.pop();
        result?;
        self.write(&format!(";\n    }}\n    return {total};\n}}\n"));
        Ok(())
    }
}

fn sum_name(at: usize) -> String {
    format!("sum_{}", at + 1)
}
