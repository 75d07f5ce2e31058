//! Lowers commands to statements.

use std::rc::Rc;

use dpia::{Phrase, Prim};
use nat::{Nat, Var};
use rise::core::{Form, Launch, Local, Origin, subst_vars};
use rise::{Arg, Ty, Type};

use super::env::{Bound, Call, Env, Path, Step};
use super::read::{nat_arg, scalar};
use super::store::{Running, lost};
use super::{Lower, stmt, untranslated};
use crate::analysis::conditions::truth;
use crate::error::{CompileError, Result};
use crate::ir::{
    Barrier, Expr, ExprKind, Fences, Kernel, Level, Loop, LoopMode, Place, Stmt, StmtKind, Variable,
};
use syntax::ast::ScalarType;

impl Lower<'_> {
    /// Lowers a command, and appends its statements. Sequences of any length are traversed without
    /// recursion.
    pub(super) fn command(
        &mut self,
        phrase: &Phrase,
        env: &Env,
        out: &mut Vec<Stmt>,
    ) -> Result<()> {
        let mut rest = vec![phrase.clone()];
        while let Some(phrase) = rest.pop() {
            match &phrase.form {
                Form::Primitive(Prim::Seq, _, args) => rest.extend(args.iter().rev().cloned()),
                Form::Primitive(Prim::Skip, ..) => {}
                Form::Primitive(Prim::Barrier, ..) => {
                    if self.function.features.has_work_items() {
                        let fences = Fences {
                            local: true,
                            global: true,
                        };
                        let barrier = Barrier {
                            fences,
                            orders: Vec::new(),
                        };
                        let kind = StmtKind::Barrier(Box::new(barrier));
                        out.push(stmt(kind, phrase.origin));
                    }
                }
                Form::Primitive(prim, types, args) => {
                    let call = Call {
                        phrase: &phrase,
                        prim: *prim,
                        types,
                        args,
                    };
                    self.primitive_command(&call, env, out)?;
                }
                Form::Var(local) => self.turn(&phrase, local, env, out)?,
                Form::Apply(f, x) => {
                    let Form::Lambda(param, body) = &f.form else {
                        return Err(lost(phrase.origin));
                    };
                    let bound = Bound::Phrase(x.clone(), Rc::new([]), env.clone());
                    self.command(body, &env.with(&param.local, bound), out)?;
                }
                _ => return Err(lost(phrase.origin)),
            }
        }
        Ok(())
    }

    fn primitive_command(&mut self, call: &Call<'_>, env: &Env, out: &mut Vec<Stmt>) -> Result<()> {
        let Call {
            phrase,
            prim,
            types,
            args,
        } = *call;
        let origin = call.origin();
        match (prim, args) {
            (Prim::Assign, [place, value]) => {
                let value = self.lower_value(value, env, out)?;
                let place = self.place(place, Path::new(), env)?;
                self.assign(place, value, origin, out)
            }
            (Prim::If, [condition, then, otherwise]) => {
                self.condition(phrase, condition, then, otherwise, env, out)
            }
            (Prim::New, [f]) => self.new_buffer(phrase, types, f, env, out),
            (Prim::NewDoubleBuffer | Prim::NewBuffers, _) => self.double_buffer(phrase, env, out),
            (Prim::ParReduce, [acc, exp, combine, element]) => {
                let operands = [acc, exp, combine, element];
                self.parallel_reduce(phrase, types, operands, env, out)
            }
            (Prim::WithNat, [index, f]) => self.with_size(types, index, f, env, out),
            (Prim::DmatchCommand, [pair, f]) => self.take_apart(pair, f, env, out),
            (Prim::ParForGlobal | Prim::ParForWorkGroup | Prim::ParForLocal, _)
                if !self.function.features.has_work_items() =>
            {
                let text = format!(
                    "`{}` distributes iterations over work-items, which only OpenCL has",
                    prim.name()
                );
                Err(CompileError::new(origin, text).with_help("for OpenMP write `parFor`"))
            }
            (Prim::OclRunCommand, [command]) => self.kernel(command, types, origin, env, out),
            (Prim::DepPairFst, _) => Err(dependent_pair(origin)),
            _ => match LoopCommand::of(prim, types, args) {
                Some(this) => self.repeat(origin, &this, env, out),
                None => Err(untranslated(prim, origin)),
            },
        }
    }

    /// Lowers a command to a kernel, whose launch sizes are the first six type arguments.
    fn kernel(
        &mut self,
        command: &Phrase,
        types: &[Arg],
        origin: Origin,
        env: &Env,
        out: &mut Vec<Stmt>,
    ) -> Result<()> {
        let sizes: Vec<Nat> = (0..6)
            .map(|at| self.simplify(&nat_arg(types, at)))
            .collect();
        let mut body = Vec::new();
        self.command(command, env, &mut body)?;
        let launch = Launch::of(&sizes[..3], &sizes[3..]);
        let kernel = Kernel { launch, body };
        out.push(stmt(StmtKind::Kernel(Box::new(kernel)), origin));
        Ok(())
    }

    fn condition(
        &mut self,
        phrase: &Phrase,
        condition: &Phrase,
        then: &Phrase,
        otherwise: &Phrase,
        env: &Env,
        out: &mut Vec<Stmt>,
    ) -> Result<()> {
        let condition = self.lower_value(condition, env, out)?;
        match truth(&condition) {
            Some(true) => return self.command(then, env, out),
            Some(false) => return self.command(otherwise, env, out),
            None => {}
        }
        let (mut yes, mut no) = (Vec::new(), Vec::new());
        self.command(then, env, &mut yes)?;
        self.command(otherwise, env, &mut no)?;
        if yes.is_empty() && no.is_empty() {
            return Ok(());
        }
        let kind = match yes.is_empty() {
            true => StmtKind::If {
                condition: condition.negated(),
                then: no,
                otherwise: yes,
            },
            false => StmtKind::If {
                condition,
                then: yes,
                otherwise: no,
            },
        };
        out.push(stmt(kind, phrase.origin));
        Ok(())
    }

    /// Lowers a loop whose function has an index or a size as parameter and, if the loop has an
    /// acceptor, a second parameter for the part of the acceptor that an iteration writes.
    fn repeat(
        &mut self,
        origin: Origin,
        this: &LoopCommand<'_>,
        env: &Env,
        out: &mut Vec<Stmt>,
    ) -> Result<()> {
        let mode = this.mode;
        let (counter, body, env) = match &this.function.form {
            Form::Lambda(param, body) => {
                let counter = self.function.fresh_size(&param.local.name);
                let index = Bound::Index(Nat::var(counter));
                (counter, body.clone(), env.with(&param.local, index))
            }
            Form::DepLambda(counter, _, body) if self.is_duplicated => {
                let name = self.function.names.get(counter.0 as usize).cloned();
                let own = self.function.fresh_size(&name.unwrap_or_default());
                let put = |var| (var == *counter).then(|| Arg::Nat(Nat::var(own)));
                (own, subst_vars(body, &put), env.clone())
            }
            Form::DepLambda(counter, _, body) => (*counter, body.clone(), env.clone()),
            _ => return Err(lost(origin)),
        };
        let step = match mode {
            LoopMode::Vector => Step::Lane(Nat::var(counter)),
            _ => Step::Index(Nat::var(counter)),
        };
        let (body, env) = own_part(&body, this.acceptor, step, &env)?;
        let from = Nat::constant(0);
        let to = self.simplify(&this.count);
        let mut inner = Vec::new();
        let in_order = mode == LoopMode::Sequential;
        self.counters.extend(in_order.then_some(counter));
        let around = self.lanes;
        self.lanes |= mode == LoopMode::Vector;
        let done = self.within(counter, &from, &to, |lower| {
            lower.command(&body, &env, &mut inner)
        });
        self.lanes = around;
        if in_order {
            self.counters.pop();
        }
        done?;
        self.run_along(counter, origin, &mut inner, out);
        let kind = StmtKind::For(Loop {
            counter,
            from,
            to,
            step: Nat::constant(1),
            mode,
            body: inner,
        });
        out.push(stmt(kind, origin));
        Ok(())
    }

    /// Lowers the sums that the loop with this counter accumulates: each is a variable that is
    /// declared with 0 in `before`, and to which the end of `body` adds the term of the iteration.
    fn run_along(
        &mut self,
        counter: Var,
        origin: Origin,
        body: &mut Vec<Stmt>,
        before: &mut Vec<Stmt>,
    ) {
        let (own, others) = std::mem::take(&mut self.running)
            .into_iter()
            .partition(|running: &Running| running.counter == counter);
        self.running = others;
        let ty = scalar(ScalarType::NatType);
        for Running { sum, step, .. } in own {
            let id = self.variable(Variable::scalar("offset".into(), ty.clone(), origin));
            let size = |nat: Nat| Expr::new(ExprKind::Nat(nat), ty.clone(), origin);
            let zero = size(Nat::constant(0));
            before.push(stmt(StmtKind::Declare(id, Some(zero)), origin));
            let next = size(Nat::var(sum) + &step);
            body.push(stmt(StmtKind::Assign(Place::plain(id), next), origin));
            let value = Expr::variable(id, ty.clone(), origin);
            self.function.opaque.push((sum, value));
        }
    }

    /// Lowers a variable that stands for a command: the exchange of the buffers of
    /// `newDoubleBuffer` or the copy of its small state, the redirection of its writes to the
    /// output, nothing, or a command that is bound to the variable.
    fn turn(
        &mut self,
        phrase: &Phrase,
        local: &Local,
        env: &Env,
        out: &mut Vec<Stmt>,
    ) -> Result<()> {
        match env.get(local).cloned() {
            Some(Bound::Swap { read, write, spare }) => {
                let written = Place::start(write);
                out.push(stmt(StmtKind::Point(read, written), phrase.origin));
                out.push(stmt(StmtKind::Swap(write, spare), phrase.origin));
                Ok(())
            }
            Some(Bound::Redirect { write, to }) => {
                out.push(stmt(StmtKind::Point(write, to), phrase.origin));
                Ok(())
            }
            Some(Bound::CopyBack(state)) => self.copy_back(&state, phrase.origin, out),
            Some(Bound::Skip) => Ok(()),
            Some(Bound::Phrase(inner, _, env)) => self.command(&inner, &env, out),
            _ => Err(lost(phrase.origin)),
        }
    }

    /// Lowers `withNat`: a variable for the size, which is declared before the commands in which it
    /// is used. An index that is a size already is used as it is.
    fn with_size(
        &mut self,
        types: &[Arg],
        index: &Phrase,
        f: &Phrase,
        env: &Env,
        out: &mut Vec<Stmt>,
    ) -> Result<()> {
        let origin = f.origin;
        let Form::DepLambda(var, _, body) = &f.form else {
            return Err(lost(origin));
        };
        let value = self.lower_value(index, env, out)?;
        if let Some(size) = self.known_size(&value) {
            let body = subst_vars(body, &|v| (v == *var).then(|| Arg::Nat(size.clone())));
            return self.command(&body, env, out);
        }
        let name = self.function.names.get(var.0 as usize).cloned();
        let size = self.function.fresh_size(&name.clone().unwrap_or_default());
        let body = subst_vars(body, &|v| (v == *var).then(|| Arg::Nat(Nat::var(size))));
        let bound = self.simplify(&nat_arg(types, 0));
        let ty: Ty = Type::Index(bound.clone()).into();
        let id = self.variable(Variable::scalar(
            name.unwrap_or_default(),
            ty.clone(),
            origin,
        ));
        out.push(stmt(StmtKind::Declare(id, Some(value)), origin));
        self.function
            .opaque
            .push((size, Expr::variable(id, ty, origin)));
        self.within(size, &Nat::constant(0), &bound, |lower| {
            lower.command(&body, env, out)
        })
    }

    /// Returns the size that an expression stands for, if it depends on no data; `None` otherwise.
    fn known_size(&self, value: &Expr) -> Option<Nat> {
        match &value.kind {
            ExprKind::Nat(nat) if !self.function.is_opaque(nat) => Some(nat.clone()),
            _ => None,
        }
    }

    /// Lowers `dmatch` of a dependent pair that the program constructs; fails for other dependent
    /// pairs.
    fn take_apart(
        &mut self,
        pair: &Phrase,
        f: &Phrase,
        env: &Env,
        out: &mut Vec<Stmt>,
    ) -> Result<()> {
        let (mut pair, mut scope) = (pair.clone(), env.clone());
        while let Form::Var(local) = &pair.form {
            match scope.get(local).cloned() {
                Some(Bound::Phrase(inner, steps, outer)) if steps.is_empty() => {
                    pair = inner;
                    scope = outer;
                }
                _ => return Err(dependent_pair(pair.origin)),
            }
        }
        let (Form::Primitive(Prim::MakeDepPair, types, args), Form::DepLambda(var, _, body)) =
            (&pair.form, &f.form)
        else {
            return Err(dependent_pair(pair.origin));
        };
        let size = nat_arg(types, 2);
        let body = subst_vars(body, &|v| (v == *var).then(|| Arg::Nat(size.clone())));
        let (Form::Lambda(param, body), [value]) = (&body.form, &args[..]) else {
            return Err(lost(f.origin));
        };
        let bound = Bound::Phrase(value.clone(), Rc::new([]), scope);
        self.command(body, &env.with(&param.local, bound), out)
    }
}

/// The parts of a command that is a loop.
struct LoopCommand<'p> {
    mode: LoopMode,
    count: Nat,
    acceptor: Option<&'p Phrase>,
    function: &'p Phrase,
}

impl<'p> LoopCommand<'p> {
    /// Returns the parts of a loop, given its primitive and its arguments; `None` for other
    /// primitives.
    fn of(prim: Prim, types: &[Arg], args: &'p [Phrase]) -> Option<LoopCommand<'p>> {
        let mode = match prim {
            Prim::For | Prim::ForNat => LoopMode::Sequential,
            Prim::ForUnroll => LoopMode::Unrolled,
            Prim::ForVec => LoopMode::Vector,
            Prim::ParFor | Prim::ParForNat => LoopMode::Parallel,
            Prim::ParForGlobal => items(Level::Global, types),
            Prim::ParForWorkGroup => items(Level::WorkGroup, types),
            Prim::ParForLocal => items(Level::Local, types),
            _ => return None,
        };
        let (function, before) = args.split_last()?;
        Some(LoopCommand {
            mode,
            count: nat_arg(types, 0),
            acceptor: before.last(),
            function,
        })
    }
}

/// Returns the mode of an OpenCL loop that is distributed over this level. Its dimension is the
/// third type argument of its primitive, 0 if there is none, and at most 2.
pub(super) fn items(level: Level, types: &[Arg]) -> LoopMode {
    let dimension = match types.get(2) {
        Some(Arg::Nat(nat)) => nat.as_const().unwrap_or(0),
        _ => 0,
    };
    LoopMode::Items(level, u8::try_from(dimension).map_or(0, |d| d.min(2)))
}

fn dependent_pair(origin: Origin) -> CompileError {
    CompileError::new(
        origin,
        "a dependent pair is stored in memory here, which generated code does not support",
    )
    .with_help("take the pair apart with `dmatch` where it is made, or run with `--backend interp`")
}

/// Returns a body without its acceptor parameter, and the environment in which that is bound to the
/// part of `acceptor` that a step selects. Without an acceptor, the body and the environment stay
/// the same.
fn own_part(
    body: &Phrase,
    acceptor: Option<&Phrase>,
    step: Step,
    env: &Env,
) -> Result<(Phrase, Env)> {
    let Some(acceptor) = acceptor else {
        return Ok((body.clone(), env.clone()));
    };
    let Form::Lambda(param, inner) = &body.form else {
        return Err(lost(body.origin));
    };
    debug_assert!(matches!(&*param.ty, Type::Acc(_)));
    let bound = Bound::Phrase(acceptor.clone(), Rc::new([step]), env.clone());
    Ok((inner.clone(), env.with(&param.local, bound)))
}
