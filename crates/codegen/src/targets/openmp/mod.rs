//! Prints parallel loops and reductions for OpenMP.

use rustc_hash::FxHashMap;
use syntax::ast::ScalarType;

use crate::analysis::uses::Uses;
use crate::ir::walk::{self, Renamed};
use crate::ir::{Binary, Expr, ExprKind, Id, LoopMode, ParallelReduce, Place, Stmt, StmtKind};
use crate::opt::{inlining, sinking};
use dpia::Target;

use crate::error::CompileError;
use crate::ir::types::CType;
use crate::ir::types::{Int, scalar_name};
use crate::targets::clike::Printer;
use crate::targets::clike::stmt::Loop;

impl Printer<'_> {
    /// Writes the outermost parallel loop.
    pub(in crate::targets) fn parallel_loop(&mut self, this: Loop<'_>) -> Result<(), CompileError> {
        self.parallel = true;
        let own = self.plan.per_thread.get(&this.counter);
        let own = own.filter(|own| !own.is_empty());
        let result = match own {
            Some(own) => {
                self.pragma("omp parallel");
                self.braces(|printer| {
                    printer.with_own(own, |printer| {
                        printer.pragma("omp for nowait");
                        printer.plain_loop(this)
                    })
                })
            }
            None => {
                let collapse = match self.perfectly_nested(this) {
                    0 | 1 => String::new(),
                    deep => format!(" collapse({deep})"),
                };
                self.pragma(&format!("omp parallel for{collapse}"));
                self.plain_loop(this)
            }
        };
        self.parallel = false;
        result
    }

    /// Returns the number of parallel loops that are perfectly nested, so that `collapse` may
    /// distribute their iterations together: nothing is between them, and the bounds of the inner
    /// ones do not depend on the outer ones.
    fn perfectly_nested(&self, outermost: Loop<'_>) -> usize {
        let mut counters = vec![outermost.counter];
        let mut this = outermost;
        while let [stmt] = this.body
            && let Some(inner) = Loop::of(stmt)
        {
            let depends = |nat: &nat::Nat| counters.iter().any(|c| nat.mentions(*c));
            let own = self.plan.per_thread.get(&inner.counter);
            if inner.mode != LoopMode::Parallel
                || [inner.from, inner.to, inner.step].into_iter().any(depends)
                || own.is_some_and(|own| !own.is_empty())
            {
                break;
            }
            counters.push(inner.counter);
            this = inner;
        }
        counters.len()
    }

    pub(in crate::targets) fn reduce(
        &mut self,
        reduce: &ParallelReduce,
    ) -> Result<(), CompileError> {
        if self.target != Target::OpenMp || self.parallel {
            return self.reduction_loop(reduce);
        }
        self.parallel = true;
        let result = match self.known_operator(reduce)? {
            Some(operator) => {
                let into = self.id_name(reduce.into);
                let simd = if is_straight(&reduce.element_body) {
                    self.helpers.simd = true;
                    " simd"
                } else {
                    ""
                };
                self.pragma(&format!(
                    "omp parallel for{simd} reduction({operator} : {into})"
                ));
                self.reduction_loop(reduce)
            }
            None => self.partials(reduce),
        };
        self.parallel = false;
        result
    }

    fn reduction_loop(&mut self, reduce: &ParallelReduce) -> Result<(), CompileError> {
        let mut body = self.element_body(reduce);
        body.extend(combine(reduce, reduce.into, reduce.element));
        inlining::inline_statements(&mut body, &Uses::of(self.function), self.function);
        let (zero, one) = (nat::Nat::ZERO, nat::Nat::ONE);
        let this = Loop {
            counter: reduce.counter,
            from: &zero,
            to: &reduce.count,
            step: &one,
            mode: LoopMode::Parallel,
            body: &body,
        };
        self.plain_loop(this)
    }

    /// Returns the statements that compute an element, with its declaration.
    fn element_body(&self, reduce: &ParallelReduce) -> Vec<Stmt> {
        let declared = declares(&reduce.element_body, reduce.element);
        let declaration = (!declared).then(|| Stmt {
            kind: StmtKind::Declare(reduce.element, None),
            origin: self.origin,
            made_by: None,
        });
        let mut body: Vec<Stmt> = declaration.into_iter().collect();
        body.extend(reduce.element_body.iter().cloned());
        sinking::sink_block(&mut body, &Uses::of(self.function), self.function);
        body
    }

    /// Returns OpenMP's name of the operation, if it has one for which the order does not matter.
    fn known_operator(&mut self, reduce: &ParallelReduce) -> Result<Option<String>, CompileError> {
        let [
            Stmt {
                kind: StmtKind::Assign(place, value),
                ..
            },
        ] = reduce.combine.as_slice()
        else {
            return Ok(None);
        };
        let CType::Scalar(scalar) = self.elem(reduce.into)? else {
            return Ok(None);
        };
        if !is_plain(place, reduce.left) {
            return Ok(None);
        }
        let loads = |e: &Expr, id: Id| matches!(&e.kind, ExprKind::Load(p) if is_plain(p, id));
        let both = |a: &Expr, b: &Expr| {
            loads(a, reduce.left) && loads(b, reduce.right)
                || loads(a, reduce.right) && loads(b, reduce.left)
        };
        let name = match &value.kind {
            ExprKind::Binary(op, a, b) if both(a, b) => match op {
                Binary::Add => self.sum_or_product("+", "sum", 0, scalar),
                Binary::Mul => self.sum_or_product("*", "product", 1, scalar),
                Binary::And => "&&".to_owned(),
                Binary::Or => "||".to_owned(),
                _ => return Ok(None),
            },
            ExprKind::Select(condition, yes, no) if both(yes, no) => {
                let ExprKind::Binary(op, a, b) = &condition.kind else {
                    return Ok(None);
                };
                if !both(a, b) {
                    return Ok(None);
                }
                let picks_left = yes.kind == a.kind;
                match op {
                    Binary::Lt | Binary::Le if picks_left => "min".to_owned(),
                    Binary::Lt | Binary::Le => "max".to_owned(),
                    Binary::Gt | Binary::Ge if picks_left => "max".to_owned(),
                    Binary::Gt | Binary::Ge => "min".to_owned(),
                    _ => return Ok(None),
                }
            }
            ExprKind::Call(function, args) => match (function.name.as_str(), args.as_slice()) {
                ("fmin" | "fminf", [a, b]) if both(a, b) && function.body.is_none() => {
                    "min".to_owned()
                }
                ("fmax" | "fmaxf", [a, b]) if both(a, b) && function.body.is_none() => {
                    "max".to_owned()
                }
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        Ok(Some(name))
    }

    /// Returns the reduction of signed integers that wraps: `+` and `*` of OpenMP overflow for
    /// them.
    fn sum_or_product(
        &mut self,
        sign: &str,
        word: &str,
        identity: u8,
        scalar: ScalarType,
    ) -> String {
        let Some(int) = Int::of(scalar).filter(|int| int.signed || int.bits < 32) else {
            return sign.to_owned();
        };
        let (ty, unsigned) = (
            scalar_name(scalar, self.target),
            scalar_name(int.wrapping(), self.target),
        );
        let short = CType::Scalar(scalar).short();
        self.helpers.other(format!("{word}_{short}"), |name| {
            format!(
                "#pragma omp declare reduction({name} : {ty} : \
                 omp_out = ({ty})(({unsigned})omp_out {sign} omp_in)) \
                 initializer(omp_priv = {identity})\n"
            )
        })
    }

    /// Writes a reduction in which each thread combines its elements; the results are combined in
    /// the order of the threads, which is that of the elements.
    fn partials(&mut self, reduce: &ParallelReduce) -> Result<(), CompileError> {
        let ty = self.elem(reduce.into)?.name(self.target);
        self.pragma("omp parallel");
        self.braces(|printer| {
            let part = printer.names.fresh("part");
            let any = printer.names.fresh("any");
            printer.names.bind(reduce.left, part.clone());
            printer.line();
            printer.write(&format!("{ty} {part};\n"));
            printer.line();
            printer.write(&format!("bool {any} = false;\n"));
            printer.line();
            printer.pragma("omp for schedule(static)");
            printer.part_loop(reduce, &any, &part)?;
            printer.write("\n");
            printer.line();
            printer.combine_parts(reduce, &any)
        })
    }

    fn part_loop(
        &mut self,
        reduce: &ParallelReduce,
        any: &str,
        part: &str,
    ) -> Result<(), CompileError> {
        let element_body = self.element_body(reduce);
        let (zero, one) = (nat::Nat::ZERO, nat::Nat::ONE);
        let this = Loop {
            counter: reduce.counter,
            from: &zero,
            to: &reduce.count,
            step: &one,
            mode: LoopMode::Parallel,
            body: &element_body,
        };
        let combine = combine(reduce, reduce.left, reduce.element);
        self.loop_with(this, |printer| {
            printer.statements(this.body)?;
            let element = printer.id_name(reduce.element);
            printer.line();
            printer.write(&format!("if ({any}) "));
            printer.block(&combine)?;
            printer.write(" else ");
            printer.braces(|printer| {
                printer.line();
                printer.write(&format!("{part} = {element};\n"));
                printer.line();
                printer.write(&format!("{any} = true;\n"));
                Ok(())
            })?;
            printer.write("\n");
            Ok(())
        })
    }

    fn combine_parts(&mut self, reduce: &ParallelReduce, any: &str) -> Result<(), CompileError> {
        // With chunks of one, iteration t is executed by thread t.
        let combine = combine(reduce, reduce.into, reduce.left);
        self.pragma("omp for ordered schedule(static, 1)");
        let thread = self.names.fresh("thread");
        self.write(&format!(
            "for (int {thread} = 0; {thread} < omp_get_num_threads(); {thread}++) "
        ));
        self.braces(|printer| {
            printer.line();
            printer.pragma("omp ordered");
            printer.write(&format!("if ({any}) "));
            printer.block(&combine)?;
            printer.write("\n");
            Ok(())
        })?;
        self.write("\n");
        Ok(())
    }
}

fn is_plain(place: &Place, id: Id) -> bool {
    *place == Place::plain(id)
}

fn declares(body: &[Stmt], id: Id) -> bool {
    (body.iter()).any(|stmt| matches!(stmt.kind, StmtKind::Declare(this, _) if this == id))
}

/// Returns true if the statements contain no loop, condition or allocation.
fn is_straight(body: &[Stmt]) -> bool {
    body.iter()
        .all(|stmt| matches!(stmt.kind, StmtKind::Assign(..) | StmtKind::Declare(..)))
}

/// Returns the combination with other operands.
fn combine(reduce: &ParallelReduce, left: Id, right: Id) -> Vec<Stmt> {
    let map = FxHashMap::from_iter([(reduce.left, left), (reduce.right, right)]);
    let mut body = reduce.combine.clone();
    walk::change_all(&mut body, &mut Renamed { ids: &map });
    body
}
