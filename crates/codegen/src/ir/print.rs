//! Prints programs in the loop language in a syntax like that of C, each simple statement on one
//! line, with the memory, the sizes and the modes of loops that the text of a target leaves
//! implicit.

use std::ops::Range;

use nat::{Nat, Var};
use rise::Names;
use rise::core::{Launch, Origin};
use rise::print::{nat_text, prop_text, type_text};
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::ast::{AddressSpace, Literal};

use super::kernel::{Code, KernelFunction, Program};
use super::walk::{self, Look};
use super::{
    Binary, Expr, ExprKind, Fences, Function, Home, Id, Level, Loop, LoopMode, Maker, Place, Query,
    ReductionOperator, Stmt, StmtKind, Unary,
};

/// The text of a program in the loop language between two passes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Listing {
    /// The text.
    pub text: String,
    /// The origin of each part of the text, in the order of the text; parts can be nested.
    pub map: Vec<Mapping>,
}

/// The origin of a part of a text, with what a hover on the part shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Mapping {
    /// The range of the part in bytes.
    pub range: Range<usize>,
    /// The phrase from which the part was generated.
    pub origin: Origin,
    /// The pass that generated the statement that the part is, if it records that.
    pub made_by: Option<Maker>,
    /// The notes for a hover: the changes of a statement by passes in order, such as `allocation:
    /// allocated outside of the loop that uses it`; for a read in the text of a target, the views
    /// that determine its index; for the release of memory, its reason.
    pub passes: Box<[String]>,
    /// The phrases of the views that determine the index of a read; empty for other parts.
    pub views: Box<[Origin]>,
}

/// Prints a program in the loop language: its function, or its kernels in order.
pub(crate) fn print(program: &Program) -> Listing {
    match &program.code {
        Code::Function(function) => Printer::new(function, Listing::default()).function(),
        Code::Kernels(parts) => {
            (parts.kernels.iter()).fold(Listing::default(), |mut out, kernel| {
                if !out.text.is_empty() {
                    out.text.push('\n');
                }
                Printer::new(&kernel.function, out).kernel(kernel)
            })
        }
    }
}

struct Printer<'a> {
    function: &'a Function,
    out: Listing,
    indent: usize,
    /// The names of all size variables, unique among those that occur. The name of an opaque size
    /// is the text of its expression.
    sizes: Names,
    /// The names of the variables that have been printed so far.
    ids: FxHashMap<Id, String>,
    taken: FxHashSet<String>,
}

impl<'a> Printer<'a> {
    fn new(function: &'a Function, out: Listing) -> Printer<'a> {
        let mut found = Sizes(FxHashSet::from_iter(function.sizes.iter().copied()));
        walk::look(&function.body, &mut found);
        walk::each_stmt(&function.body, &mut |stmt| match &stmt.kind {
            StmtKind::For(this) => _ = found.0.insert(this.counter),
            StmtKind::Reduce(reduce) => _ = found.0.insert(reduce.counter),
            _ => {}
        });
        for variable in &function.variables {
            variable.count.iter().for_each(|count| found.nat(count));
        }
        for (_, value) in &function.opaque {
            walk::look_expr(value, &mut found);
        }
        let mut taken = FxHashSet::default();
        let name = |(at, name): (usize, &syntax::ast::Name)| {
            let is_used = u32::try_from(at).is_ok_and(|at| found.0.contains(&Var(at)));
            match is_used {
                true => unique(&mut taken, name).into(),
                false => name.clone(),
            }
        };
        let sizes = Names(function.names.iter().enumerate().map(name).collect());
        let mut printer = Printer {
            function,
            out: Listing::default(),
            indent: 0,
            sizes,
            ids: FxHashMap::default(),
            taken,
        };
        // The expression of an opaque size is its name.
        for (var, value) in &function.opaque {
            printer.operand(value);
            let text = std::mem::take(&mut printer.out).text;
            let mut names = printer.sizes.0.to_vec();
            names[var.0 as usize] = text.into();
            printer.sizes = Names(names.into());
        }
        printer.out = out;
        printer
    }

    fn function(mut self) -> Listing {
        self.head("void", &[]);
        self.body()
    }

    fn kernel(mut self, kernel: &KernelFunction) -> Listing {
        let temporaries: Vec<Id> = kernel.work.temporaries.iter().map(|of| of.id).collect();
        self.head("kernel void", &temporaries);
        let launch = self.launch(&kernel.work.launch);
        if !launch.is_empty() {
            self.line(&format!("    launch{launch};"));
        }
        self.body()
    }

    fn head(&mut self, result: &str, temporaries: &[Id]) {
        let function = self.function;
        let outputs = function.outputs.iter();
        let mut all: Vec<String> = outputs.map(|id| self.declaration(*id)).collect();
        let sizes = function.sizes.iter();
        all.extend(sizes.map(|size| format!("nat {}", self.sizes.get(*size))));
        for id in function.params.iter().chain(temporaries) {
            all.push(self.declaration(*id));
        }
        self.line(&format!(
            "{result} {}({}) {{",
            function.name,
            all.join(", ")
        ));
    }

    fn body(mut self) -> Listing {
        self.indent += 1;
        let function = self.function;
        for prop in &function.requires {
            let prop = prop_text(prop, &self.sizes);
            self.line(&format!("require {prop};"));
        }
        for item in &function.items {
            let (what, level) = match item.query {
                Query::Id(level) => ("id", level),
                Query::Count(level) => ("count", level),
            };
            let (name, level) = (self.sizes.get(item.var), level_name(level));
            self.line(&format!("nat {name} = {level}_{what}({});", item.dimension));
        }
        self.statements(&function.body);
        self.indent -= 1;
        self.line("}");
        self.out
    }

    fn line(&mut self, text: &str) {
        self.start_line();
        self.write(text);
        self.write("\n");
    }

    fn start_line(&mut self) {
        self.out.text.extend((0..self.indent).map(|_| "    "));
    }

    fn write(&mut self, text: &str) {
        self.out.text.push_str(text);
    }

    fn id(&mut self, id: Id) -> String {
        let variables = &self.function.variables;
        let name = || unique(&mut self.taken, &variables[id.0 as usize].name);
        self.ids.entry(id).or_insert_with(name).clone()
    }

    fn nat(&self, nat: &Nat) -> String {
        nat_text(nat, &self.sizes)
    }

    fn declaration(&mut self, id: Id) -> String {
        let variable = &self.function.variables[id.0 as usize];
        let memory = match variable.home {
            Home::Local(Some(AddressSpace::Local)) => "local ",
            Home::Local(Some(AddressSpace::Global)) => "global ",
            Home::Local(_) if self.function.heap.contains(&id) => "heap ",
            Home::Input => "const ",
            Home::Pointer { writable: true, .. } => "pointer ",
            Home::Pointer { .. } => "const pointer ",
            Home::Output | Home::InOut | Home::Local(_) => "",
        };
        let elem = type_text(&variable.elem, &self.sizes);
        let count = variable.count.as_ref();
        let count = count.map_or_else(String::new, |count| format!("[{}]", self.nat(count)));
        format!("{memory}{elem} {}{count}", self.id(id))
    }

    fn launch(&self, launch: &Launch) -> String {
        let sizes = |name: &str, sizes: &[Option<Nat>; 3]| match sizes.iter().any(Option::is_some) {
            false => String::new(),
            true => {
                let size = |size: &Option<Nat>| size.as_ref().map_or("?".into(), |n| self.nat(n));
                format!(
                    " {name}({})",
                    sizes.iter().map(size).collect::<Vec<_>>().join(", ")
                )
            }
        };
        sizes("local", &launch.local) + &sizes("global", &launch.global)
    }

    fn statements(&mut self, body: &[Stmt]) {
        for stmt in body {
            self.start_line();
            let passes = self.function.trace.of(stmt).into();
            self.mapped(stmt.origin, stmt.made_by, passes, |this| {
                this.statement(stmt)
            });
            self.write("\n");
        }
    }

    fn mapped(
        &mut self,
        origin: Origin,
        made_by: Option<Maker>,
        passes: Box<[String]>,
        write: impl FnOnce(&mut Self),
    ) {
        let (at, start) = (self.out.map.len(), self.out.text.len());
        self.out.map.push(Mapping {
            range: start..start,
            origin,
            made_by,
            passes,
            views: Box::default(),
        });
        write(self);
        self.out.map[at].range.end = self.out.text.len();
    }

    fn block(&mut self, body: &[Stmt]) {
        self.write("{\n");
        self.indent += 1;
        self.statements(body);
        self.indent -= 1;
        self.start_line();
        self.write("}");
    }

    fn statement(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Declare(id, value) => {
                let declaration = self.declaration(*id);
                self.write(&declaration);
                if let Some(value) = value {
                    self.write(" = ");
                    self.expr(value);
                }
                self.write(";");
            }
            StmtKind::Assign(place, value) => {
                self.place(place);
                self.write(" = ");
                self.expr(value);
                self.write(";");
            }
            StmtKind::For(Loop {
                counter,
                from,
                to,
                step,
                mode,
                body,
            }) => {
                let mode = self.mode(*mode);
                let counter = self.sizes.get(*counter);
                let [from, to] = [from, to].map(|nat| self.nat(nat));
                let step = match step.is_one() {
                    true => format!("{counter}++"),
                    false => format!("{counter} += {}", self.nat(step)),
                };
                self.write(&format!(
                    "{mode}for ({counter} = {from}; {counter} < {to}; {step}) "
                ));
                self.block(body);
            }
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                self.write("if (");
                self.expr(condition);
                self.write(") ");
                self.block(then);
                if !otherwise.is_empty() {
                    self.write(" else ");
                    self.block(otherwise);
                }
            }
            StmtKind::Block(body) => self.block(body),
            StmtKind::Point(id, place) => {
                let id = self.id(*id);
                self.write(&format!("{id} = &"));
                self.place(place);
                self.write(";");
            }
            StmtKind::Swap(a, b) => {
                let (a, b) = (self.id(*a), self.id(*b));
                self.write(&format!("swap({a}, {b});"));
            }
            StmtKind::Reduce(reduce) => {
                let into = self.id(reduce.into);
                let (counter, count) = (self.sizes.get(reduce.counter), self.nat(&reduce.count));
                let element = self.declaration(reduce.element);
                self.write(&format!(
                    "parallel reduce ({counter} = 0; {counter} < {count}; {counter}++) into {into} \
                     element {element} "
                ));
                self.block(&reduce.element_body);
                let [left, right] = [reduce.left, reduce.right].map(|id| self.declaration(id));
                self.write(&format!(" combine {left}, {right} "));
                self.block(&reduce.combine);
            }
            StmtKind::Barrier(barrier) => {
                let Fences { local, global } = barrier.fences;
                let memory = [(local, "local"), (global, "global")];
                let memory = memory.iter().filter(|(is_fenced, _)| *is_fenced);
                let memory: Vec<_> = memory.map(|(_, name)| *name).collect();
                self.write(&format!("barrier({});", memory.join(", ")));
            }
            StmtKind::Kernel(kernel) => {
                let launch = self.launch(&kernel.launch);
                self.write(&format!("kernel{launch} "));
                self.block(&kernel.body);
            }
        }
    }

    fn mode(&mut self, mode: LoopMode) -> String {
        match mode {
            LoopMode::Sequential => String::new(),
            LoopMode::Unrolled => "unrolled ".to_owned(),
            LoopMode::Vector => "vector ".to_owned(),
            LoopMode::Parallel => "parallel ".to_owned(),
            LoopMode::Replicated => "replicated ".to_owned(),
            LoopMode::Reduction(operator, into) => {
                let operator = match operator {
                    ReductionOperator::Add => "+",
                    ReductionOperator::Mul => "*",
                    ReductionOperator::And => "&&",
                    ReductionOperator::Or => "||",
                    ReductionOperator::Min => "min",
                    ReductionOperator::Max => "max",
                };
                format!("parallel reduction({operator}: {}) ", self.id(into))
            }
            LoopMode::Items(level, dimension) => format!("{}({dimension}) ", level_name(level)),
        }
    }

    fn place(&mut self, place: &Place) {
        let mut text = self.id(place.id);
        if let Some(index) = &place.index {
            text += &match &place.lanes {
                Some(lanes) => format!("[{} .. {}]", self.nat(index), self.nat(&(index + lanes))),
                None => format!("[{}]", self.nat(index)),
            };
        }
        for second in &place.members {
            text += if *second { "._2" } else { "._1" };
        }
        if let Some(lane) = &place.lane {
            text += &format!(".lane[{}]", self.nat(lane));
        }
        self.write(&text);
    }

    fn list(&mut self, [open, close]: [&str; 2], all: &[Expr]) {
        self.write(open);
        for (at, one) in all.iter().enumerate() {
            if at > 0 {
                self.write(", ");
            }
            self.expr(one);
        }
        self.write(close);
    }

    /// Writes an operand, in parentheses if it is a unary, binary or conditional expression, or a
    /// size that is neither a constant nor a variable.
    fn operand(&mut self, expr: &Expr) {
        let is_operation = match &expr.kind {
            ExprKind::Binary(..) | ExprKind::Select(..) | ExprKind::Unary(..) => true,
            ExprKind::Nat(nat) => nat.as_const().is_none() && nat.as_var().is_none(),
            _ => false,
        };
        if is_operation {
            self.write("(");
        }
        self.expr(expr);
        if is_operation {
            self.write(")");
        }
    }

    fn expr(&mut self, expr: &Expr) {
        self.mapped(expr.origin, None, Box::default(), |this| {
            this.bare_expr(expr)
        });
    }

    fn bare_expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Literal(literal) => {
                let text = match literal {
                    Literal::Bool(value) => value.to_string(),
                    Literal::Int { value, .. } => value.to_string(),
                    Literal::Float { text, .. } => text.to_string(),
                };
                self.write(&text);
            }
            ExprKind::Nat(nat) => {
                let nat = self.nat(nat);
                self.write(&nat);
            }
            ExprKind::Load(place) => self.place(place),
            ExprKind::Unary(operator, a) => {
                self.write(match operator {
                    Unary::Neg => "-",
                    Unary::Abs => "abs ",
                    Unary::Not => "!",
                });
                self.operand(a);
            }
            ExprKind::Binary(operator, a, b) => {
                self.operand(a);
                self.write(&format!(" {} ", binary(*operator)));
                self.operand(b);
            }
            ExprKind::Select(condition, a, b) => {
                self.operand(condition);
                self.write(" ? ");
                self.operand(a);
                self.write(" : ");
                self.operand(b);
            }
            ExprKind::Cast(scalar, a) => {
                self.write(&format!("({})", scalar.as_str()));
                self.operand(a);
            }
            ExprKind::Call(function, args) => {
                self.write(&function.name);
                self.list(["(", ")"], args);
            }
            ExprKind::Pair(a, b) => {
                self.write("(");
                self.expr(a);
                self.write(", ");
                self.expr(b);
                self.write(")");
            }
            ExprKind::Half(second, a) => {
                self.operand(a);
                self.write(if *second { "._2" } else { "._1" });
            }
            ExprKind::Broadcast(a) => {
                self.write("broadcast(");
                self.expr(a);
                self.write(")");
            }
            ExprKind::Vector(all) => self.list(["<", ">"], all),
            ExprKind::Lane(a, lane) => {
                self.operand(a);
                let lane = self.nat(lane);
                self.write(&format!(".lane[{lane}]"));
            }
            ExprKind::Element(all, at) => {
                self.list(["{", "}"], all);
                let at = self.nat(at);
                self.write(&format!("[{at}]"));
            }
        }
    }
}

fn level_name(level: Level) -> &'static str {
    match level {
        Level::Global => "global",
        Level::WorkGroup => "group",
        Level::Local => "local",
    }
}

fn binary(operator: Binary) -> &'static str {
    match operator {
        Binary::Add => "+",
        Binary::Sub => "-",
        Binary::Mul => "*",
        Binary::Div => "/",
        Binary::Mod => "%",
        Binary::Min => "min",
        Binary::Max => "max",
        Binary::Gt => ">",
        Binary::Lt => "<",
        Binary::Ge => ">=",
        Binary::Le => "<=",
        Binary::Eq => "==",
        Binary::Ne => "!=",
        Binary::And => "&&",
        Binary::Or => "||",
    }
}

/// Returns the name, with a number appended if it is taken, and adds the result to `taken`; an
/// empty name is replaced by `i`.
fn unique(taken: &mut FxHashSet<String>, name: &str) -> String {
    let name = if name.is_empty() { "i" } else { name };
    let numbered = (1..).map(|number| match number {
        1 => name.to_owned(),
        _ => format!("{name}_{number}"),
    });
    let free = numbered.into_iter().find(|name| !taken.contains(name));
    let free = free.unwrap_or_default();
    taken.insert(free.clone());
    free
}

/// A visitor that collects the size variables that occur.
struct Sizes(FxHashSet<Var>);

impl Look for Sizes {
    fn nat(&mut self, nat: &Nat) {
        nat.for_each_var(&mut |var| _ = self.0.insert(var));
    }
}
