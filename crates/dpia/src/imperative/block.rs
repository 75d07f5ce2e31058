//! The construction of blocks of commands.

use rise::core::{Form, Node, Origin, Param};
use rise::{Address, Arg, DataFun, Ty};
use syntax::ast::{AddressSpace, Name};

use super::Translation;
use super::build::{self, fun2, nat_fun, seq, skip};
use super::error::Result;
use super::repeat::buffers_command;
use crate::phrase::{self, Phrase, acc, exp, prim};
use crate::prim::Prim;
use nat::{Nat, Var};
use rise::Access;

/// A step of a block.
pub enum BlockStatement {
    /// A command.
    Do(Phrase),
    /// An allocation of memory for the rest of the block.
    New {
        data: Ty,
        space: Option<Arg>,
        acceptor: Param,
        value: Param,
        origin: Origin,
    },
    /// An allocation of two buffers for the rest of the block, which `swap` exchanges.
    Buffers {
        types: Vec<Arg>,
        input: Phrase,
        acceptor: Param,
        value: Param,
        swap: Param,
        origin: Origin,
    },
    /// The use of an index below `bound` as a size, which is bound in the rest of the block.
    Size {
        bound: Nat,
        index: Phrase,
        size: Var,
        origin: Origin,
    },
    /// A match of a dependent pair, whose size and value are bound in the rest of the block.
    Match {
        pair: Phrase,
        of: DataFun,
        size: Var,
        value: Param,
        origin: Origin,
    },
}

impl Translation {
    /// Makes the command of the steps that `fill` adds.
    pub fn block(
        &mut self,
        origin: Origin,
        fill: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<Phrase> {
        self.blocks.push(Vec::new());
        let filled = fill(self);
        let steps = self.blocks.pop().unwrap_or_default();
        filled?;
        Ok(fold(steps).unwrap_or_else(|| skip(origin)))
    }

    /// Adds a step to the current block.
    pub fn push_statement(&mut self, step: BlockStatement) {
        if let Some(block) = self.blocks.last_mut() {
            block.push(step);
        }
    }

    /// Adds a command to the current block, unless it is `skip`.
    pub fn emit(&mut self, command: Phrase) {
        if !matches!(command.form, Form::Primitive(Prim::Skip, ..)) {
            self.push_statement(BlockStatement::Do(command));
        }
    }

    /// Allocates memory for the rest of the current block; returns its acceptor and the expression
    /// that reads it.
    pub fn allocate(
        &mut self,
        data: &Ty,
        space: Option<Arg>,
        name: &str,
        origin: Origin,
    ) -> (Phrase, Phrase) {
        let (acceptor, value) = self.memory(name, data);
        let places = (Node::var(&acceptor, origin), Node::var(&value, origin));
        self.readers.insert(acceptor.local.id, value.clone());
        self.push_statement(BlockStatement::New {
            data: data.clone(),
            space: space.or_else(|| self.default_space()),
            acceptor,
            value,
            origin,
        });
        places
    }

    /// Makes the two variables of an allocation, the acceptor and the expression.
    pub fn memory(&mut self, name: &str, data: &Ty) -> (Param, Param) {
        let acceptor = self.param(&format!("{name}Acc"), acc(data));
        let value = self.param(name, exp(data, Access::Rd));
        self.twins.insert(acceptor.local.id, value.local.id);
        (acceptor, value)
    }

    /// Returns the address space of memory for which the program names none: Private in programs
    /// for OpenCL, and none in others.
    pub fn default_space(&self) -> Option<Arg> {
        let private = Arg::Address(Address::Space(AddressSpace::Private));
        self.opencl.then_some(private)
    }

    /// Returns the name of the next loop's counter: of `i`, `j` and `k`, as far as no parameter of
    /// the program has these names, enclosing loops have the first ones, and this loop has the next
    /// one. If there is none left, it is `i` with the number of enclosing loops. Loops over
    /// work-items and groups, whose counters have other names, do not count.
    pub fn counter(&self) -> Name {
        let free = |name: &&str| !self.taken.iter().any(|taken| taken == *name);
        match ["i", "j", "k"]
            .iter()
            .filter(|name| free(name))
            .nth(self.depth)
        {
            Some(name) => (*name).into(),
            None => format!("i{}", self.depth).into(),
        }
    }

    /// Adds the loop `which`, `for` or `forUnroll`, whose body `fill` adds for the index.
    pub fn repeat(
        &mut self,
        which: Prim,
        n: &Nat,
        origin: Origin,
        fill: impl FnOnce(&mut Self, Phrase) -> Result<()>,
    ) -> Result<()> {
        let counter = self.param(&self.counter(), build::index_type(n));
        let index = Node::var(&counter, origin);
        let body = self.nested(origin, |this| fill(this, index))?;
        let types = vec![Arg::Nat(n.clone())];
        self.emit(prim(which, types, vec![phrase::fun(counter, body)], origin));
        Ok(())
    }

    /// Adds the loop `forNat`, whose body `fill` adds for the counter, which is a size.
    pub fn repeat_nat(
        &mut self,
        n: &Nat,
        origin: Origin,
        fill: impl FnOnce(&mut Self, Nat) -> Result<()>,
    ) -> Result<()> {
        let counter = self.counter();
        let var = self.program.fresh_var(counter);
        let body = self.nested(origin, |this| fill(this, Nat::var(var)))?;
        let types = vec![Arg::Nat(n.clone())];
        let args = vec![nat_fun(var, body)];
        self.emit(prim(Prim::ForNat, types, args, origin));
        Ok(())
    }

    /// Adds a loop whose iterations write to distinct parts of `output`. `names` are those of the
    /// counter, or empty for the next counter's name, and of the acceptor of a part.
    pub fn repeat_into(
        &mut self,
        which: Prim,
        types: Vec<Arg>,
        output: &Phrase,
        names: (&str, &str),
        origin: Origin,
        fill: impl FnOnce(&mut Self, Phrase, Phrase) -> Result<()>,
    ) -> Result<()> {
        let (index_ty, element) = match (&types[..], which) {
            ([Arg::Nat(n), Arg::Type(t), ..], _) => (build::index_type(n), t.clone()),
            _ => return super::error::fail(super::error::Reason::Arguments(which), origin),
        };
        let name: Name = match names.0 {
            "" => self.counter(),
            name => name.into(),
        };
        let counter = self.param(&name, index_ty);
        let place = self.place_within(output, names.1, &element);
        let (index, out) = (Node::var(&counter, origin), Node::var(&place, origin));
        let body = match names.0 {
            "" => self.nested(origin, |this| fill(this, index, out))?,
            _ => self.block(origin, |this| fill(this, index, out))?,
        };
        let args = vec![output.clone(), fun2(counter, place, body)];
        self.emit(prim(which, types, args, origin));
        Ok(())
    }

    /// Makes an acceptor of a part of `output`, which a loop binds.
    pub fn place_within(&mut self, output: &Phrase, name: &str, data: &Ty) -> Param {
        let place = self.param(name, acc(data));
        let roots = self.roots(output);
        self.within.insert(place.local.id, roots);
        place
    }

    /// Makes a block inside one more loop.
    pub fn nested(
        &mut self,
        origin: Origin,
        fill: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<Phrase> {
        self.depth += 1;
        let body = self.block(origin, fill);
        self.depth -= 1;
        body
    }
}

/// Folds the steps to one command; `None` if there are none.
fn fold(steps: Vec<BlockStatement>) -> Option<Phrase> {
    let mut rest: Option<Phrase> = None;
    for step in steps.into_iter().rev() {
        rest = Some(match step {
            BlockStatement::Do(command) => match rest {
                Some(rest) => seq(command, rest),
                None => command,
            },
            BlockStatement::New {
                data,
                space,
                acceptor,
                value,
                origin,
            } => {
                let types = [Arg::Type(data)].into_iter().chain(space).collect();
                let body = fun2(acceptor, value, rest.unwrap_or_else(|| skip(origin)));
                prim(Prim::New, types, vec![body], origin)
            }
            BlockStatement::Buffers {
                types,
                input,
                acceptor,
                value,
                swap,
                origin,
            } => {
                let rest = rest.unwrap_or_else(|| skip(origin));
                buffers_command(types, input, [acceptor, value, swap], rest)
            }
            BlockStatement::Size {
                bound,
                index,
                size,
                origin,
            } => {
                let rest = rest.unwrap_or_else(|| skip(origin));
                let args = vec![index, nat_fun(size, rest)];
                prim(Prim::WithNat, vec![Arg::Nat(bound)], args, origin)
            }
            BlockStatement::Match {
                pair,
                of,
                size,
                value,
                origin,
            } => {
                let rest = rest.unwrap_or_else(|| skip(origin));
                let body = nat_fun(size, phrase::fun(value, rest));
                let types = vec![Arg::DataFun(of)];
                prim(Prim::DmatchCommand, types, vec![pair, body], origin)
            }
        });
    }
    rest
}
