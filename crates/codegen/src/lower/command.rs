//! Lowers commands to statements.

use std::rc::Rc;

use dpia::{Phrase, Prim};
use nat::{Nat, Var};
use rise::core::{Form, Launch, Local, Origin, subst_vars};
use rise::{Arg, Type};

use super::env::{Bound, Env, Path, Step};
use super::read::{constant_truth, nat_arg, scalar};
use super::store::{Running, lost};
use super::{Lower, stmt, untranslated};
use crate::error::CompileError;
use crate::ir::{
    Barrier, Expr, ExprKind, Fences, Home, Kernel, Level, Loop, LoopMode, Place, Stmt, StmtKind,
    Variable,
};
use syntax::ast::ScalarType;

impl Lower<'_> {
    /// Lowers a command and appends the statements. Sequences of any length are traversed without
    /// recursion.
    pub(super) fn command(
        &mut self,
        phrase: &Phrase,
        env: &Env,
        out: &mut Vec<Stmt>,
    ) -> Result<(), CompileError> {
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
                    self.primitive_command(&phrase, *prim, types, args, env, out)?;
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

    fn primitive_command(
        &mut self,
        phrase: &Phrase,
        prim: Prim,
        types: &[Arg],
        args: &[Phrase],
        env: &Env,
        out: &mut Vec<Stmt>,
    ) -> Result<(), CompileError> {
        let origin = phrase.origin;
        match (prim, args) {
            (Prim::Assign, [place, value]) => {
                let value = self.lower_value(value, env, out)?;
                let place = self.place(place, Path::new(), env)?;
                self.assign(place, value, origin, out)
            }
            (Prim::If, [condition, then, otherwise]) => {
                self.condition(phrase, condition, then, otherwise, env, out)
            }
            (Prim::For, [f]) => {
                self.counted(phrase, types, f, LoopMode::Sequential, None, env, out)
            }
            (Prim::ForUnroll, [f]) => {
                self.counted(phrase, types, f, LoopMode::Unrolled, None, env, out)
            }
            (Prim::ForVec, [acc, f]) => {
                self.counted(phrase, types, f, LoopMode::Vector, Some(acc), env, out)
            }
            (Prim::ParFor, [acc, f]) => {
                self.counted(phrase, types, f, LoopMode::Parallel, Some(acc), env, out)
            }
            (Prim::ForNat, [f]) => {
                self.sized(phrase, types, f, LoopMode::Sequential, None, env, out)
            }
            (Prim::ParForNat, [acc, f]) => {
                self.sized(phrase, types, f, LoopMode::Parallel, Some(acc), env, out)
            }
            (Prim::New, [f]) => self.new_buffer(phrase, types, f, env, out),
            (Prim::NewDoubleBuffer, _) => self.double_buffer(phrase, env, out),
            (Prim::ParReduce, [acc, exp, combine, element]) => {
                let operands = [acc, exp, combine, element];
                self.parallel_reduce(phrase, types, operands, env, out)
            }
            (Prim::DmatchCommand, [pair, f]) => self.take_apart(pair, f, env, out),
            (Prim::ParForGlobal | Prim::ParForWorkGroup | Prim::ParForLocal, [acc, f])
                if self.function.features.has_work_items() =>
            {
                let mode = items(prim, types);
                self.counted(phrase, types, f, mode, Some(acc), env, out)
            }
            (Prim::ParForGlobal | Prim::ParForWorkGroup | Prim::ParForLocal, _) => {
                let text = format!("`{}` is for OpenCL", prim.name());
                Err(CompileError::new(origin, text).with_help("for OpenMP write `parFor`"))
            }
            (Prim::OclRunCommand, [command]) => self.kernel(command, types, origin, env, out),
            (Prim::DepPairFst, _) => Err(dependent_pair(origin)),
            _ => Err(untranslated(prim, origin)),
        }
    }

    /// Lowers a command to a kernel.
    fn kernel(
        &mut self,
        command: &Phrase,
        types: &[Arg],
        origin: Origin,
        env: &Env,
        out: &mut Vec<Stmt>,
    ) -> Result<(), CompileError> {
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
    ) -> Result<(), CompileError> {
        let condition = self.lower_value(condition, env, out)?;
        match constant_truth(&condition) {
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
        let kind = StmtKind::If {
            condition,
            then: yes,
            otherwise: no,
        };
        out.push(stmt(kind, phrase.origin));
        Ok(())
    }

    /// Lowers a loop whose body has an index parameter and, if the loop has an acceptor, one for
    /// its element.
    #[allow(clippy::too_many_arguments)]
    fn counted(
        &mut self,
        phrase: &Phrase,
        types: &[Arg],
        f: &Phrase,
        mode: LoopMode,
        acceptor: Option<&Phrase>,
        env: &Env,
        out: &mut Vec<Stmt>,
    ) -> Result<(), CompileError> {
        let Form::Lambda(param, body) = &f.form else {
            return Err(lost(phrase.origin));
        };
        let counter = self.function.fresh_size(&param.local.name);
        let index = Nat::var(counter);
        let env = env.with(&param.local, Bound::Index(index.clone()));
        let step = match mode {
            LoopMode::Vector => Step::Lane(index),
            _ => Step::Index(index),
        };
        let (body, env) = own_part(body, acceptor, step, &env)?;
        self.repeat(phrase, nat_arg(types, 0), counter, mode, &body, &env, out)
    }

    /// Lowers a loop whose body has a size parameter.
    #[allow(clippy::too_many_arguments)]
    fn sized(
        &mut self,
        phrase: &Phrase,
        types: &[Arg],
        f: &Phrase,
        mode: LoopMode,
        acceptor: Option<&Phrase>,
        env: &Env,
        out: &mut Vec<Stmt>,
    ) -> Result<(), CompileError> {
        let Form::DepLambda(counter, _, body) = &f.form else {
            return Err(lost(phrase.origin));
        };
        let (counter, body) = if self.is_duplicated {
            let name = self.function.names.get(counter.0 as usize).cloned();
            let own = self.function.fresh_size(&name.unwrap_or_default());
            let put = |var| (var == *counter).then(|| Arg::Nat(Nat::var(own)));
            (own, subst_vars(body, &put))
        } else {
            (*counter, body.clone())
        };
        let step = Step::Index(Nat::var(counter));
        let (body, env) = own_part(&body, acceptor, step, env)?;
        self.repeat(phrase, nat_arg(types, 0), counter, mode, &body, &env, out)
    }

    #[allow(clippy::too_many_arguments)]
    fn repeat(
        &mut self,
        phrase: &Phrase,
        count: Nat,
        counter: Var,
        mode: LoopMode,
        body: &Phrase,
        env: &Env,
        out: &mut Vec<Stmt>,
    ) -> Result<(), CompileError> {
        let from = Nat::constant(0);
        let to = self.simplify(&count);
        let mut inner = Vec::new();
        let in_order = mode == LoopMode::Sequential;
        self.counters.extend(in_order.then_some(counter));
        let around = self.lanes;
        self.lanes |= mode == LoopMode::Vector;
        let done = self.within(counter, &from, &to, |lower| {
            lower.command(body, env, &mut inner)
        });
        self.lanes = around;
        if in_order {
            self.counters.pop();
        }
        done?;
        self.run_along(counter, phrase.origin, &mut inner, out);
        let kind = StmtKind::For(Loop {
            counter,
            from,
            to,
            step: Nat::constant(1),
            mode,
            body: inner,
        });
        out.push(stmt(kind, phrase.origin));
        Ok(())
    }

    /// Lowers the sums that are accumulated by a loop: 0 before it, and the addition at the end of
    /// its body.
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
            let id = self.variable(Variable {
                name: "offset".into(),
                elem: ty.clone(),
                count: None,
                extents: Vec::new(),
                home: Home::Local(None),
                origin,
            });
            let size = |nat: Nat| Expr {
                kind: ExprKind::Nat(nat),
                ty: ty.clone(),
                origin,
            };
            let zero = size(Nat::constant(0));
            before.push(stmt(StmtKind::Declare(id, Some(zero)), origin));
            let next = size(Nat::var(sum) + &step);
            body.push(stmt(StmtKind::Assign(Place::plain(id), next), origin));
            let value = Expr {
                kind: ExprKind::Load(Place::plain(id)),
                ty: ty.clone(),
                origin,
            };
            self.function.opaque.push((sum, value));
        }
    }

    /// Lowers the exchange of the buffers of `newDoubleBuffer`.
    fn turn(
        &mut self,
        phrase: &Phrase,
        local: &Local,
        env: &Env,
        out: &mut Vec<Stmt>,
    ) -> Result<(), CompileError> {
        match env.get(local).cloned() {
            Some(Bound::Swap { read, write, spare }) => {
                let written = Place::start(write);
                out.push(stmt(StmtKind::Point(read, written), phrase.origin));
                out.push(stmt(StmtKind::Swap(write, spare), phrase.origin));
                Ok(())
            }
            Some(Bound::Redirect { write, to }) => {
                if let Some(to) = to {
                    out.push(stmt(StmtKind::Point(write, to), phrase.origin));
                }
                Ok(())
            }
            Some(Bound::Phrase(inner, _, env)) => self.command(&inner, &env, out),
            _ => Err(lost(phrase.origin)),
        }
    }

    /// Lowers `dmatch` of a dependent pair that the program constructs.
    fn take_apart(
        &mut self,
        pair: &Phrase,
        f: &Phrase,
        env: &Env,
        out: &mut Vec<Stmt>,
    ) -> Result<(), CompileError> {
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

/// Returns the mode of an OpenCL loop: the level and dimension over which it is distributed.
pub(super) fn items(prim: Prim, types: &[Arg]) -> LoopMode {
    let level = match prim {
        Prim::ParForGlobal => Level::Global,
        Prim::ParForWorkGroup => Level::WorkGroup,
        _ => Level::Local,
    };
    let dimension = match types.get(2) {
        Some(Arg::Nat(nat)) => nat.as_const().unwrap_or(0),
        _ => 0,
    };
    LoopMode::Items(level, u8::try_from(dimension).map_or(0, |d| d.min(2)))
}

fn dependent_pair(origin: Origin) -> CompileError {
    CompileError::new(
        origin,
        "a dependent pair is kept in memory here, which generated code cannot do",
    )
    .with_help("take it apart with `dmatch` where it is made, or run with `--backend interp`")
}

/// Binds the acceptor parameter of a body to a part of `acceptor`.
fn own_part(
    body: &Phrase,
    acceptor: Option<&Phrase>,
    step: Step,
    env: &Env,
) -> Result<(Phrase, Env), CompileError> {
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
