//! Defines the target OpenMP, and prints parallel loops, reductions and loops over lanes for it.

use dpia::{Features, Parallelism};
use rise::TargetName;
use syntax::ast::ScalarType;

use crate::ir::{Id, Loop, LoopMode, ParallelReduce, ReductionOperator, Stmt, StmtKind};

use crate::error::Result;
use crate::ir::types::CType;
use crate::ir::types::Int;
use crate::targets::clike::Printer;

use crate::targets::{Backend, Description};

pub(super) struct OpenMp;

impl Backend for OpenMp {
    fn description(&self) -> &'static Description {
        &Description {
            name: TargetName {
                name: "openmp",
                aliases: &["omp", "parallel"],
            },
            summary: "C with OpenMP",
            features: Features {
                title: "OpenMP",
                parallelism: Parallelism::Threads,
                half_floats: false,
            },
            language: "c",
            lowering: "lowerToOpenMP",
            exact_lowering: "lowerToOpenMPExactly",
            host: None,
        }
    }

    fn annotated_loop(&self, printer: &mut Printer<'_>, this: &Loop) -> Option<Result<()>> {
        match this.mode {
            LoopMode::Reduction(operator, into) => {
                return Some(printer.reduction_loop(this, operator, into));
            }
            LoopMode::Parallel if !printer.parallel => return Some(printer.parallel_loop(this)),
            LoopMode::Vector if !printer.writes_where_data_says(&this.body) => {
                printer.helpers.simd = true;
                printer.pragma("omp simd");
            }
            LoopMode::Sequential
            | LoopMode::Unrolled
            | LoopMode::Vector
            | LoopMode::Parallel
            | LoopMode::Items(..) => {}
        }
        None
    }
}

impl Printer<'_> {
    /// Writes a parallel loop that is in no other one, as a parallel region, in which each thread
    /// has the arrays that the loop declares for it.
    fn parallel_loop(&mut self, this: &Loop) -> Result<()> {
        self.parallel = true;
        let own = self.function.per_thread.get(&this.counter);
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

    /// Returns the number of parallel loops, including this one, that are perfectly nested, so that
    /// `collapse` may distribute their iterations together: nothing is between them, and the bounds
    /// of the inner ones do not depend on the outer ones.
    fn perfectly_nested(&self, outermost: &Loop) -> usize {
        let mut counters = vec![outermost.counter];
        let mut this = outermost;
        while let [stmt] = this.body.as_slice()
            && let StmtKind::For(inner) = &stmt.kind
        {
            let depends = |nat: &nat::Nat| counters.iter().any(|c| nat.mentions(*c));
            let own = self.function.per_thread.get(&inner.counter);
            if inner.mode != LoopMode::Parallel
                || [&inner.from, &inner.to, &inner.step]
                    .into_iter()
                    .any(depends)
                || own.is_some_and(|own| !own.is_empty())
            {
                break;
            }
            counters.push(inner.counter);
            this = inner;
        }
        counters.len()
    }

    /// Writes a parallel loop with a `reduction` clause: each thread combines its share of the
    /// elements in its copy of the variable `into`.
    fn reduction_loop(&mut self, this: &Loop, operator: ReductionOperator, into: Id) -> Result<()> {
        let scalar = self.elem(into)?.scalar();
        let operator = match operator {
            ReductionOperator::Add => self.sum_or_product("+", "sum", 0, scalar),
            ReductionOperator::Mul => self.sum_or_product("*", "product", 1, scalar),
            ReductionOperator::And => "&&".to_owned(),
            ReductionOperator::Or => "||".to_owned(),
            ReductionOperator::Min => "min".to_owned(),
            ReductionOperator::Max => "max".to_owned(),
        };
        let into = self.id_name(into);
        let simd = if is_straight(&this.body) {
            self.helpers.simd = true;
            " simd"
        } else {
            ""
        };
        self.pragma(&format!(
            "omp parallel for{simd} reduction({operator} : {into})"
        ));
        self.parallel = true;
        let result = self.plain_loop(this);
        self.parallel = false;
        result
    }

    /// Returns the operator of a `reduction` clause for a sum or product. Those of OpenMP do not
    /// wrap around for signed integers and for integers below 32 bits; for these types, the
    /// operator is the name of a declared reduction that does.
    fn sum_or_product(
        &mut self,
        sign: &str,
        word: &str,
        identity: u8,
        scalar: Option<ScalarType>,
    ) -> String {
        let int = scalar.and_then(Int::of);
        let int = int.filter(|int| int.signed || int.bits < 32);
        let (Some(scalar), Some(int)) = (scalar, int) else {
            return sign.to_owned();
        };
        let (ty, unsigned) = (
            self.target.scalar_name(scalar),
            self.target.scalar_name(int.wrapping()),
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

    /// Writes a reduction in which each thread combines adjacent elements; the results are combined
    /// in the order of the threads, which is that of the elements.
    pub(in crate::targets) fn partials(&mut self, reduce: &ParallelReduce) -> Result<()> {
        self.parallel = true;
        let result = self.combined_partials(reduce);
        self.parallel = false;
        result
    }

    fn combined_partials(&mut self, reduce: &ParallelReduce) -> Result<()> {
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

    fn part_loop(&mut self, reduce: &ParallelReduce, any: &str, part: &str) -> Result<()> {
        let this = Loop {
            counter: reduce.counter,
            from: nat::Nat::ZERO,
            to: reduce.count.clone(),
            step: nat::Nat::ONE,
            mode: LoopMode::Parallel,
            body: reduce.element_body.clone(),
        };
        let combine = reduce.combination(reduce.left, reduce.element);
        self.loop_with(&this, |printer| {
            printer.statements(&this.body)?;
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

    fn combine_parts(&mut self, reduce: &ParallelReduce, any: &str) -> Result<()> {
        // With chunks of one, iteration t is executed by thread t.
        let combine = reduce.combination(reduce.into, reduce.left);
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

/// Returns true if all statements are declarations and assignments.
fn is_straight(body: &[Stmt]) -> bool {
    body.iter()
        .all(|stmt| matches!(stmt.kind, StmtKind::Assign(..) | StmtKind::Declare(..)))
}
