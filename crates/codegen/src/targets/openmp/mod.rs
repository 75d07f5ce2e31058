//! Defines the target OpenMP, and prints parallel loops, reductions and loops over lanes for it.

use dpia::{Features, Parallelism};
use rise::TargetName;
use syntax::ast::ScalarType;

use rustc_hash::FxHashSet;

use crate::ir::walk;
use crate::ir::{
    ExprKind, Function, Id, Loop, LoopMode, ParallelReduce, Place, ReductionOperator, Stmt,
    StmtKind,
};

use crate::analysis::dependence_test::{has_unit_stride, linear_form};
use crate::error::Result;
use crate::ir::types::CType;
use crate::ir::types::Int;
use crate::targets::clike::{Printer, Region};

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
            LoopMode::Parallel if printer.region == Region::Replicated => {
                return Some(printer.distributed_loop(this));
            }
            LoopMode::Parallel if printer.region == Region::Sequential => {
                return Some(printer.parallel_loop(this));
            }
            LoopMode::Replicated if printer.region == Region::Sequential => {
                return Some(printer.replicated_loop(this));
            }
            LoopMode::Vector if !printer.writes_where_data_says(&this.body) => {
                printer.helpers.simd = true;
                printer.pragma("omp simd");
            }
            LoopMode::Sequential
                if printer.region != Region::Sequential && writes_several_rows(this) =>
            {
                printer.helpers.simd = true;
                printer.pragma("omp simd");
            }
            LoopMode::Sequential
            | LoopMode::Unrolled
            | LoopMode::Vector
            | LoopMode::Parallel
            | LoopMode::Replicated
            | LoopMode::Items(..) => {}
        }
        None
    }
}

impl Printer<'_> {
    /// Writes a parallel loop that is in no other one, as a parallel region, in which each thread
    /// has the arrays that the loop declares for it.
    fn parallel_loop(&mut self, this: &Loop) -> Result<()> {
        self.region = Region::Parallel;
        let own = self.function.per_thread.get(&this.counter);
        let own = own.filter(|own| !own.is_empty());
        let schedule = match has_uneven_iterations(self.function, this) {
            true => " schedule(dynamic)",
            false => "",
        };
        let result = match own {
            Some(own) => {
                self.pragma("omp parallel");
                self.braces(|printer| {
                    printer.with_own(own, |printer| {
                        printer.pragma(&format!("omp for{schedule} nowait"));
                        printer.plain_loop(this)
                    })
                })
            }
            None => {
                let collapse = match self.perfectly_nested(this) {
                    0 | 1 => String::new(),
                    deep => format!(" collapse({deep})"),
                };
                self.pragma(&format!("omp parallel for{collapse}{schedule}"));
                self.plain_loop(this)
            }
        };
        self.region = Region::Sequential;
        result
    }

    /// Writes a loop that all threads of a parallel region execute.
    fn replicated_loop(&mut self, this: &Loop) -> Result<()> {
        self.pragma("omp parallel");
        self.region = Region::Replicated;
        let result = self.plain_loop(this);
        self.region = Region::Sequential;
        result
    }

    /// Writes a parallel loop in a replicated one. The schedule `static` distributes the iterations
    /// of all loops of a region that have the same number of iterations in the same way.
    fn distributed_loop(&mut self, this: &Loop) -> Result<()> {
        self.pragma("omp for schedule(static) nowait");
        self.region = Region::Parallel;
        let result = self.plain_loop(this);
        self.region = Region::Replicated;
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
        self.region = Region::Parallel;
        let result = self.plain_loop(this);
        self.region = Region::Sequential;
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
        self.region = Region::Parallel;
        let result = self.combined_partials(reduce);
        self.region = Region::Sequential;
        result
    }

    fn combined_partials(&mut self, reduce: &ParallelReduce) -> Result<()> {
        let ty = self.elem(reduce.into)?;
        let ty = self.plain_type(&ty);
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
        self.loop_with(&this, None, |printer| {
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

/// Returns true if each iteration of an innermost loop only writes elements of several rows, next to
/// those of the iteration before, of arrays that the loop does not read. Compilers do not vectorise
/// such a loop in a parallel region by themselves: they make a function of the region, in which they
/// do not know that arrays do not overlap, and would have to compare the addresses of too many rows.
fn writes_several_rows(this: &Loop) -> bool {
    if !is_straight(&this.body) || this.step.as_const() != Some(1) {
        return false;
    }
    let is_neighbour = |place: &Place| {
        place.index.as_ref().is_some_and(|index| {
            has_unit_stride(index, this.counter)
                && *place == Place::element(place.id, index.clone())
        })
    };
    let mut rows = Vec::new();
    for stmt in &this.body {
        match &stmt.kind {
            StmtKind::Assign(place, _) if is_neighbour(place) => rows.push(place),
            StmtKind::Declare(_, Some(_)) => {}
            _ => return false,
        }
    }
    let mut is_read = false;
    walk::for_each_expr(&this.body, &mut |expr| {
        walk::sub_exprs(expr, &mut |part| {
            if let ExprKind::Load(place) = &part.kind {
                is_read |= place.lanes.is_some() || rows.iter().any(|row| row.id == place.id);
            }
        });
    });
    rows.dedup();
    rows.len() > 1 && !is_read
}

/// Returns true if a loop contains a branch whose condition reads a variable that the loop assigns
/// and does not declare.
fn branches_on_state(this: &Loop) -> bool {
    let (mut assigned, mut declared) = (FxHashSet::default(), FxHashSet::default());
    let mut read = FxHashSet::default();
    walk::each_stmt(&this.body, &mut |stmt| match &stmt.kind {
        StmtKind::Assign(place, _) => _ = assigned.insert(place.id),
        StmtKind::Declare(id, _) => _ = declared.insert(*id),
        StmtKind::If { condition, .. } => walk::sub_exprs(condition, &mut |part| {
            if let ExprKind::Load(place) = &part.kind {
                read.insert(place.id);
            }
        }),
        _ => {}
    });
    read.iter()
        .any(|id| assigned.contains(id) && !declared.contains(id))
}

/// Returns true if the iterations of a loop may take different times: the number of iterations of a
/// loop in it grows or shrinks with its counter, or a loop in it has a branch whose condition reads
/// what the iteration before computed. C compilers leave such a loop early if the branch that is
/// taken keeps all values.
fn has_uneven_iterations(function: &Function, this: &Loop) -> bool {
    let mut is_uneven = false;
    walk::each_stmt(&this.body, &mut |stmt| {
        if let StmtKind::For(inner) = &stmt.kind {
            let count = nat::Nat::sub(&inner.to, &inner.from);
            let is_linear =
                linear_form(&count, this.counter).is_some() && !function.is_opaque(&count);
            is_uneven |= is_linear || branches_on_state(inner);
        }
    });
    is_uneven
}
