//! Prints the checks of sizes at the start of a generated function, and the comment before the
//! function.

use nat::{Nat, Prop};
use rise::print::{prop_text, type_text};

use crate::ir::Binary;
use crate::module::{Plain, Reason};
use crate::signature::Signature;

use super::helpers::Helper;
use super::{Prec, Printer};
use crate::error::Result;

impl Printer<'_> {
    /// Writes an assertion for each condition on the sizes, and a check that each count fits into
    /// an index.
    pub(in crate::targets) fn checks(&mut self, counts: &[Nat]) -> Result<()> {
        for (at, prop) in self.function.requires.iter().enumerate() {
            let text = prop_text(prop, &self.shown);
            self.line();
            let start = self.out.len();
            self.check(prop, &text)?;
            self.plain.push(Plain {
                range: start..self.out.len(),
                reason: Reason::Condition(at),
            });
            self.write("\n");
        }
        self.check_counts(counts)
    }

    fn check_counts(&mut self, counts: &[Nat]) -> Result<()> {
        let helper = match self.is_wide() {
            false => Helper::CheckCount,
            true => Helper::CheckCount64,
        };
        for count in counts {
            let check = self.helpers.need(helper);
            let text = rise::print::nat_text(count, &self.shown);
            let name = &self.function.name;
            self.line();
            let start = self.out.len();
            self.write(&format!("{check}(\"{name}: {text}\", "));
            self.real(count, Prec::Conditional)?;
            self.write(");");
            self.plain.push(Plain {
                range: start..self.out.len(),
                reason: Reason::Count,
            });
            self.write("\n");
        }
        Ok(())
    }

    /// Writes the condition that all size parameters and these counts fit into 32 bits.
    pub(in crate::targets) fn fits_narrow(&mut self, counts: &[Nat]) -> Result<()> {
        let sizes = self.function.sizes.iter().map(|size| Nat::var(*size));
        let all: Vec<(Nat, bool)> = sizes
            .map(|size| (size, true))
            .chain(counts.iter().map(|count| (count.clone(), false)))
            .collect();
        for (at, (number, is_size)) in all.iter().enumerate() {
            if at > 0 {
                self.write(" && ");
            }
            match is_size {
                true => self.nat(number, Prec::Sum)?,
                false => self.real(number, Prec::Sum)?,
            }
            self.write(" <= INT32_MAX");
        }
        Ok(())
    }

    fn check(&mut self, prop: &Prop, text: &str) -> Result<()> {
        if let Prop::ForAll {
            var,
            from,
            to,
            prop,
        } = prop
        {
            self.names.push();
            let name = self.names.fresh(&self.shown.get(*var));
            self.write(&format!("for ({} {name} = ", self.size_type()));
            self.nat(from, Prec::Conditional)?;
            self.write(&format!("; {name} < "));
            self.nat(to, Prec::Sum)?;
            self.write(&format!("; {name}++) "));
            self.names.bind_var(*var, name);
            self.counters.push(*var);
            self.braces(|this| {
                this.line();
                this.check(prop, text)?;
                this.write("\n");
                Ok(())
            })?;
            self.counters.pop();
            self.names.pop();
            return Ok(());
        }
        self.write("assert(");
        self.condition(prop)?;
        let text = text.replace('\\', "\\\\").replace('"', "\\\"");
        self.write(&format!(" && \"{text}\");"));
        Ok(())
    }

    pub(in crate::targets) fn condition(&mut self, prop: &Prop) -> Result<()> {
        // The condition to check must not be assumed.
        let facts = std::mem::take(&mut self.facts);
        let result = match prop {
            Prop::Divides(d, n) => self.divides(d, n),
            Prop::AtLeast(a, b) => self.compare_sizes(Binary::Ge, a, b).map(drop),
            Prop::Equal(a, b) => self.compare_sizes(Binary::Eq, a, b).map(drop),
            Prop::ForAll { .. } => Ok(()),
        };
        self.facts = facts;
        result
    }

    fn divides(&mut self, d: &Nat, n: &Nat) -> Result<()> {
        if d.as_const().is_none_or(|d| d < 1) {
            self.operand(d, Prec::Sum, None)?;
            self.write(" >= 1 && ");
        }
        self.operand(n, Prec::Product, None)?;
        self.write(" % ");
        self.operand(d, Prec::Unary, None)?;
        self.write(" == 0");
        Ok(())
    }
}

/// Returns the comment before the function: its name and type in RISE, with the conditions on
/// sizes.
pub(in crate::targets) fn comment(signature: &Signature) -> String {
    let names = rise::Names(signature.names.as_slice().into());
    let mut text = format!("/* {} : ", signature.name);
    for (_, name) in &signature.sizes {
        text.push_str(&format!("({name}: Nat) -> "));
    }
    for (at, (_, ty)) in signature.params.iter().enumerate() {
        if signature.inout.contains(&at) {
            text.push_str("inout ");
        }
        text.push_str(&format!("{} -> ", type_text(ty, &names)));
    }
    let outputs = signature.simplest_results();
    let outputs: Vec<String> = outputs.map(|ty| type_text(&ty, &names)).collect();
    match &outputs[..] {
        [output] => text.push_str(output),
        _ => text.push_str(&format!("({})", outputs.join(", "))),
    }
    for (at, prop) in signature.requires.iter().enumerate() {
        text.push_str(if at == 0 {
            "\n   where "
        } else {
            ",\n         "
        });
        text.push_str(&prop_text(prop, &names));
    }
    text.push_str(" */\n");
    text
}
