//! What is checked before the work starts.

use nat::{Nat, Prop};
use rise::print::{prop_text, type_text};

use crate::ir::Binary;
use crate::module::{Plain, Reason};
use crate::signature::Signature;

use super::large::is_large;
use super::{CompileError, Prec, Printer};

/// 2^59 as `double`: see [`dpia::IndexWidth::limit`].
const MAX_COUNT: &str = "576460752303423488.0";

impl Printer<'_> {
    /// Writes an assertion for each condition on the sizes.
    pub(super) fn checks(&mut self) -> Result<(), CompileError> {
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
        self.check_counts()
    }

    /// Writes an assertion for each array that could have more elements than 64 bits count. The
    /// number is computed as `double`, which does not overflow.
    fn check_counts(&mut self) -> Result<(), CompileError> {
        let function = self.function;
        if !self.is_wide() {
            return Ok(());
        }
        let arrays = function.params.iter().chain([&function.output]);
        let is_known = |count: &Nat| !count.any_var(&|var| !function.sizes.contains(&var));
        let mut counts: Vec<Nat> = arrays
            .chain(&self.plan.heap)
            .filter_map(|id| self.variable(*id).count.clone())
            .filter(|count| is_large(count) && is_known(count))
            .collect();
        counts.sort();
        counts.dedup();
        for count in counts {
            self.line();
            let start = self.out.len();
            self.write("assert(");
            self.at_least(Prec::Relation, |this| {
                this.polynomial(&count, Some("double"))
            })?;
            let text = rise::print::nat_text(&count, &self.shown);
            self.write(&format!(" < {MAX_COUNT} && \"{text} < 2^59\");"));
            self.plain.push(Plain {
                range: start..self.out.len(),
                reason: Reason::Count,
            });
            self.write("\n");
        }
        Ok(())
    }

    fn check(&mut self, prop: &Prop, text: &str) -> Result<(), CompileError> {
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

    pub(super) fn condition(&mut self, prop: &Prop) -> Result<(), CompileError> {
        // What is to be checked is not known yet.
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

    fn divides(&mut self, d: &Nat, n: &Nat) -> Result<(), CompileError> {
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

/// The comment before the function: its type in RISE.
pub(super) fn comment(signature: &Signature) -> String {
    let names = rise::Names(signature.names.as_slice().into());
    let mut text = format!("/* {} : ", signature.name);
    for (_, name) in &signature.sizes {
        text.push_str(&format!("({name}: Nat) -> "));
    }
    for (_, ty) in &signature.params {
        text.push_str(&format!("{} -> ", type_text(ty, &names)));
    }
    text.push_str(&type_text(&signature.simplest(&signature.result), &names));
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
