//! Values in memory: assignments, copies, and temporary variables.

use rise::core::{Form, Node, Origin, Param};
use rise::types::contains_array;
use rise::{Arg, DataFun, Type};

use super::Translation;
use super::block::BlockStatement;
use super::build::{
    assign, branch, data_of, dep_idx, dep_idx_acc, half, half_acc, has_array, idx, idx_acc, pair,
    select,
};
use super::error::{Reason, Result, fail};
use super::purity::{for_each, is_atomic, is_index_arithmetic};
use crate::phrase::{Phrase, exp, prim};
use crate::prim::Prim;
use rise::Access;
use rustc_hash::FxHashSet;
use syntax::ast::Name;

impl Translation {
    /// Emits the assignment of a value without arrays. A `makePair` is assigned by halves, unless
    /// its second half reads the memory that `output` is part of.
    pub fn assign(&mut self, output: &Phrase, value: &Phrase, origin: Origin) -> Result<()> {
        if let Form::Primitive(Prim::MakePair, _, args) = &value.form
            && let [a, b] = &args[..]
            && !self.reads_from(b, output)
        {
            self.assign(&half_acc(Prim::PairAcc1, output, origin)?, a, origin)?;
            return self.assign(&half_acc(Prim::PairAcc2, output, origin)?, b, origin);
        }
        self.emit(assign(output.clone(), value.clone(), origin)?);
        Ok(())
    }

    /// Returns true if `value` reads the memory that `place` is part of.
    pub fn reads_from(&self, value: &Phrase, place: &Phrase) -> bool {
        let roots = self.roots(place);
        let mut reads = false;
        for_each_local(value, &mut |local| {
            reads |= roots
                .iter()
                .any(|root| *root == local || self.twins.get(root) == Some(&local));
        });
        reads
    }

    /// Returns the variables of the memory that contains a place, by number.
    pub fn roots(&self, place: &Phrase) -> Vec<u32> {
        let mut roots = Vec::new();
        for_each_local(place, &mut |local| match self.within.get(&local) {
            Some(outer) => roots.extend_from_slice(outer),
            None => roots.push(local),
        });
        roots
    }

    /// Emits the commands that copy a readable value.
    pub fn copy_to(&mut self, output: &Phrase, value: &Phrase, origin: Origin) -> Result<()> {
        let data = data_of(output)?;
        match &*data {
            Type::Array(n, _) => self.repeat(Prim::For, n, origin, |this, i| {
                let place = idx_acc(i.clone(), output, origin)?;
                let element = idx(i, value, origin)?;
                this.copy_to(&place, &element, origin)
            }),
            Type::DepArray(n, _) => self.repeat_nat(n, origin, |this, i| {
                let place = dep_idx_acc(&i, output, origin)?;
                let element = dep_idx(&i, value, origin)?;
                this.copy_to(&place, &element, origin)
            }),
            Type::Pair(..) if contains_array(&data) => {
                for (read, write) in [(Prim::Fst, Prim::PairAcc1), (Prim::Snd, Prim::PairAcc2)] {
                    let place = half_acc(write, output, origin)?;
                    let part = half(read, value, origin)?;
                    let command = self.block(origin, |this| this.copy_to(&place, &part, origin))?;
                    self.emit(command);
                }
                Ok(())
            }
            Type::DepPair(f) => self.copy_dep_pair(output, value, f, origin),
            _ => {
                let value = self.read(value)?;
                self.assign(output, &value, origin)
            }
        }
    }

    fn copy_dep_pair(
        &mut self,
        output: &Phrase,
        value: &Phrase,
        f: &DataFun,
        origin: Origin,
    ) -> Result<()> {
        let value = self.read(value)?;
        let (n, value) = self.open(&value, f, ("n", "x"), origin)?;
        let types = vec![Arg::DataFun(f.clone()), n];
        let out = vec![output.clone()];
        self.emit(prim(Prim::DepPairFst, types.clone(), out.clone(), origin));
        let place = prim(Prim::DepPairSndAcc, types, out, origin);
        self.copy_to(&place, &value, origin)
    }

    /// Returns the size and the value of a readable dependent pair for the rest of the block.
    fn open(
        &mut self,
        pair: &Phrase,
        f: &DataFun,
        names: (&str, &str),
        origin: Origin,
    ) -> Result<(Arg, Phrase)> {
        if let Form::Primitive(Prim::MakeDepPair, types, args) = &pair.form
            && let ([_, _, n], [value]) = (&types[..], &args[..])
        {
            return Ok((n.clone(), value.clone()));
        }
        if !self.is_pure(pair) {
            return fail(Reason::NoElement, pair.origin);
        }
        let size = self.program.fresh_var(names.0);
        let n = Arg::Nat(size.into());
        let data = crate::phrase::data_at(f, &nat::Nat::var(size));
        let value = self.param(names.1, exp(&data, Access::Rd));
        let read = Node::var(&value, origin);
        self.push_statement(BlockStatement::Match {
            pair: pair.clone(),
            of: f.clone(),
            size,
            value,
            origin,
        });
        Ok((n, read))
    }

    /// Translates the match of `dmatch` or the binding of `letNat`, whose first type argument is
    /// `of`, and returns the result of its function, which has to be read or written in the rest of
    /// the block.
    pub fn matched(
        &mut self,
        pair: &Phrase,
        of: &Arg,
        f: &Phrase,
        phrase: &Phrase,
    ) -> Result<Phrase> {
        let Arg::DataFun(of) = of else {
            return self.with_size(of, pair, f, phrase.origin);
        };
        let pair = self.read(pair)?;
        if let Some(body) = self.matched_segment(&pair, f, phrase.origin)? {
            return Ok(body);
        }
        // A choice of two pairs that are not in memory becomes a choice of two matches.
        if let Form::Primitive(Prim::Select, _, args) = &pair.form
            && let [condition, a, b] = &args[..]
            && !self.is_pure(&pair)
            && let Form::Primitive(_, types, _) = &phrase.form
        {
            let [a, b] = [a, b].map(|pair| {
                let args = vec![pair.clone(), f.clone()];
                prim(Prim::Dmatch, types.to_vec(), args, phrase.origin)
            });
            return select(condition.clone(), a, b, phrase.origin);
        }
        let f = self.head(f)?;
        let size_name = match &f.form {
            Form::DepLambda(var, ..) => self.program.name_of(*var),
            _ => "n".into(),
        };
        let value_name = match &f.form {
            Form::DepLambda(_, _, body) => self.parameter_name(body, 0, "x"),
            _ => "x".into(),
        };
        let (n, value) = self.open(&pair, of, (&size_name, &value_name), phrase.origin)?;
        let f = self.at_size(&f, n)?;
        self.call(&f, [value])
    }

    /// Computes the value of a `let` and returns its body. A chain of `let`s is handled at once, so
    /// that its body is copied only once for all values.
    pub fn bind_in(&mut self, value: &Phrase, f: &Phrase, origin: Origin) -> Result<Phrase> {
        let (mut value, mut f, mut origin) = (value.clone(), f.clone(), origin);
        let mut values = Vec::new();
        loop {
            let computed = self.read(&value)?;
            let name = self.parameter_name(&f, 0, "tmp");
            let computed = self.share_scalars(computed, &name, origin)?;
            let Form::Lambda(param, body) = &f.form else {
                let f = self.copy(&f, &values, None);
                return self.call(&f, [computed]);
            };
            values.push((param.local.clone(), computed));
            if let Form::Primitive(Prim::Let, _, args) = &body.form
                && let [next, rest] = &args[..]
            {
                value = self.copy(next, &values, None);
                (origin, f) = (body.origin, rest.clone());
            } else {
                let body = self.copy(body, &values, None);
                return self.head(&body);
            }
        }
    }

    /// Stores a value without arrays that is not atomic in a variable, so that it is computed once.
    /// Arrays are not stored; the halves of a `makePair` with arrays are treated separately.
    fn share_scalars(&mut self, value: Phrase, name: &str, origin: Origin) -> Result<Phrase> {
        if is_atomic(&value) {
            return Ok(value);
        }
        if has_array(&value)? {
            return match &value.form {
                Form::Primitive(Prim::MakePair, _, args) if args.len() == 2 => {
                    let a = self.share_scalars(args[0].clone(), name, origin)?;
                    let b = self.share_scalars(args[1].clone(), name, origin)?;
                    pair(a, b, value.origin)
                }
                _ => Ok(value),
            };
        }
        self.store_scalar(value, name, origin)
    }

    /// Stores a value without arrays in a variable.
    pub fn store_scalar(&mut self, value: Phrase, name: &str, origin: Origin) -> Result<Phrase> {
        let (acc, read) = self.allocate(&data_of(&value)?, None, name, origin);
        self.assign(&acc, &value, origin)?;
        Ok(read)
    }

    /// Makes an index that can be used several times.
    pub fn shared_index(&mut self, index: &Phrase) -> Result<Phrase> {
        if is_index_arithmetic(index) {
            return Ok(index.clone());
        }
        self.store_scalar(index.clone(), "index", index.origin)
    }

    /// Reads a value as a whole, so that no index can be moved inwards: an array whose elements
    /// need commands is stored in memory.
    pub fn read_plain(&mut self, phrase: &Phrase) -> Result<Phrase> {
        let value = self.read(phrase)?;
        if self.is_pure(&value) {
            return Ok(value);
        }
        let origin = phrase.origin;
        let (acc, read) = self.allocate(&data_of(&value)?, None, "tmp", origin);
        let command = self.block(origin, |this| this.copy_to(&acc, &value, origin))?;
        self.emit(command);
        Ok(read)
    }

    /// Stores an expression that has to be written in memory, and returns the expression that reads
    /// it.
    pub fn store(&mut self, phrase: &Phrase, space: Option<Arg>, name: &str) -> Result<Phrase> {
        let (acc, read) = self.allocate(&data_of(phrase)?, space, name, phrase.origin);
        let command = self.acc(phrase, acc)?;
        self.emit(command);
        Ok(read)
    }

    /// Translates a choice of two values, of which only one is computed.
    pub fn choose(
        &mut self,
        condition: &Phrase,
        a: &Phrase,
        b: &Phrase,
        origin: Origin,
    ) -> Result<Phrase> {
        let condition = self.read(condition)?;
        if self.is_pure(a) && self.is_pure(b) {
            return select(condition, a.clone(), b.clone(), origin);
        }
        if !has_array(a)? {
            let (acc, read) = self.allocate(&data_of(a)?, None, "tmp", origin);
            let a = self.acc(a, acc.clone())?;
            let b = self.acc(b, acc)?;
            self.emit(branch(condition, a, b, origin));
            return Ok(read);
        }
        let (a, b) = (self.prepare(a)?, self.prepare(b)?);
        if let (TranslatedBranch::Value(a), TranslatedBranch::Value(b)) = (&a, &b) {
            return select(condition, a.clone(), b.clone(), origin);
        }
        let space = [&a, &b].into_iter().find_map(TranslatedBranch::space);
        let (acc, read) = self.allocate(&a.data()?, space, "tmp", origin);
        let a = self.block(origin, |this| this.finish(a, &acc, origin))?;
        let b = self.block(origin, |this| this.finish(b, &acc, origin))?;
        self.emit(branch(condition, a, b, origin));
        Ok(read)
    }

    /// Translates a branch once; a value that is stored anyway is not translated until its memory
    /// is known.
    fn prepare(&mut self, phrase: &Phrase) -> Result<TranslatedBranch> {
        let phrase = self.head(phrase)?;
        if is_stored(&phrase) {
            return Ok(TranslatedBranch::Stored(phrase));
        }
        self.blocks.push(Vec::new());
        let value = self.read(&phrase);
        let steps = self.blocks.pop().unwrap_or_default();
        let value = value?;
        Ok(if steps.is_empty() {
            TranslatedBranch::Value(value)
        } else {
            TranslatedBranch::After(steps, value)
        })
    }

    /// Emits the commands that write a branch.
    fn finish(&mut self, branch: TranslatedBranch, output: &Phrase, origin: Origin) -> Result<()> {
        match branch {
            TranslatedBranch::Stored(phrase) => self.store_at(&phrase, output, origin),
            TranslatedBranch::Value(value) => self.copy_to(output, &value, origin),
            TranslatedBranch::After(steps, value) => {
                steps.into_iter().for_each(|step| self.push_statement(step));
                self.copy_to(output, &value, origin)
            }
        }
    }

    /// Emits the commands that write a value which would be stored elsewhere.
    fn store_at(&mut self, phrase: &Phrase, output: &Phrase, origin: Origin) -> Result<()> {
        let phrase = &self.head(phrase)?;
        match &phrase.form {
            Form::Primitive(Prim::ToMem, _, args) if args.len() == 1 => {
                self.write(&args[0], output)
            }
            Form::Primitive(Prim::Let, _, args) if args.len() == 2 => {
                let body = self.bind_in(&args[0], &args[1], origin)?;
                self.store_at(&body, output, origin)
            }
            Form::Primitive(Prim::Select, _, args) if args.len() == 3 => {
                let condition = self.read(&args[0])?;
                let a = self.block(origin, |this| this.store_at(&args[1], output, origin))?;
                let b = self.block(origin, |this| this.store_at(&args[2], output, origin))?;
                self.emit(branch(condition, a, b, origin));
                Ok(())
            }
            _ => {
                let value = self.read(phrase)?;
                self.copy_to(output, &value, origin)
            }
        }
    }

    /// Returns the name of an accumulator: that of the function's parameter number `at`, counted
    /// from 0, but `accum` for `x` and `xs`, which are generated for functions without written
    /// parameters.
    pub fn accumulator_name(&self, f: &Phrase, at: usize) -> Name {
        match &*self.parameter_name(f, at, "accum") {
            "x" | "xs" => "accum".into(),
            name => name.into(),
        }
    }

    /// Returns the name of a function's parameter number `at`, counted from 0; `otherwise` if there
    /// is no such parameter, or if its name is empty or starts with `_`.
    pub fn parameter_name(&self, f: &Phrase, at: usize, otherwise: &str) -> Name {
        let mut f = f;
        for _ in 0..at {
            match &f.form {
                Form::Lambda(_, body) => f = body,
                _ => return otherwise.into(),
            }
        }
        match &f.form {
            Form::Lambda(Param { local, .. }, _)
                if !local.name.is_empty() && !local.name.starts_with('_') =>
            {
                local.name.clone()
            }
            _ => otherwise.into(),
        }
    }
}

/// Calls `f` with the number of each variable in a phrase.
fn for_each_local(phrase: &Phrase, f: &mut dyn FnMut(u32)) {
    for_each(phrase, &mut FxHashSet::default(), &mut |part| {
        if let Form::Var(local) = &part.form {
            f(local.id);
        }
    });
}

/// A translated branch of a choice between arrays.
enum TranslatedBranch {
    /// It is written to memory, whose place is not determined yet.
    Stored(Phrase),
    /// It can be read without commands.
    Value(Phrase),
    /// It can be read after some steps.
    After(Vec<BlockStatement>, Phrase),
}

impl TranslatedBranch {
    fn data(&self) -> Result<rise::Ty> {
        match self {
            TranslatedBranch::Stored(value)
            | TranslatedBranch::Value(value)
            | TranslatedBranch::After(_, value) => data_of(value),
        }
    }

    fn space(&self) -> Option<Arg> {
        match self {
            TranslatedBranch::Stored(value) => memory_of(value),
            _ => None,
        }
    }
}

/// Returns true if an array is stored by a `toMem` that is its outermost primitive, the body of an
/// outermost `let`, or an alternative of an outermost `select`.
fn is_stored(phrase: &Phrase) -> bool {
    match &phrase.form {
        Form::Primitive(Prim::ToMem, ..) => true,
        Form::Primitive(Prim::Let, _, args) => match args.get(1).map(|f| &f.form) {
            Some(Form::Lambda(_, body)) => is_stored(body),
            _ => false,
        },
        Form::Primitive(Prim::Select, _, args) => args.iter().skip(1).any(is_stored),
        _ => false,
    }
}

/// Returns the address space of the first `toMem` by which [`is_stored`] holds, if it is given.
fn memory_of(phrase: &Phrase) -> Option<Arg> {
    match &phrase.form {
        Form::Primitive(Prim::ToMem, types, _) => types.get(1).cloned(),
        Form::Primitive(Prim::Let, _, args) => match args.get(1).map(|f| &f.form) {
            Some(Form::Lambda(_, body)) => memory_of(body),
            _ => None,
        },
        Form::Primitive(Prim::Select, _, args) => args.iter().skip(1).find_map(memory_of),
        _ => None,
    }
}
