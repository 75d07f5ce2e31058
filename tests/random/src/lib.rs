//! Generates random well-typed low-level RISE programs as text: nested patterns, views on inputs
//! and outputs, stores between them, tuples as results, and C functions. A seed determines the program on every
//! machine.
//!
//! The type checker accepts every program. Most compile for their target, and then the generated
//! code has to compute the interpreter's result; one in twelve lacks memory or a choice of
//! implementation, and is compiled or refused with a reason.

mod choice;
mod data;
mod foreign;
mod groups;
mod patterns;
mod rounds;
mod scalar;
pub mod terms;
mod views;
mod written;

pub use choice::Choice;

pub(crate) use data::{Data, Num, Size};
use foreign::Function;

/// The target, which determines the primitives of programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// C: sequential patterns.
    C,
    /// OpenMP: sequential and parallel patterns.
    OpenMp,
    /// OpenCL: one or two kernels, with sequential patterns within their work-items.
    OpenCl,
}

/// A generated program.
#[derive(Clone, Debug)]
pub struct Program {
    /// The text: one definition, `random`, after the C functions that it uses.
    pub text: String,
    /// True if the program has the size parameter `n`.
    pub sized: bool,
    /// The choices that determine the program.
    pub choices: Vec<u32>,
}

impl Program {
    /// Returns the text with names that contain `number`, such as `random7`, so that programs can
    /// be combined.
    pub fn numbered(&self, number: u64) -> String {
        let text = self
            .text
            .replace("def random =", &format!("def random{number} ="));
        let mut parts = text.split("foreign");
        let mut renamed = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            renamed.push_str("foreign");
            if part.starts_with(|c: char| c.is_ascii_digit()) {
                renamed.push_str(&format!("{number}_"));
            }
            renamed.push_str(part);
        }
        renamed
    }
}

/// Generates the program of a seed.
pub fn program(seed: u64, backend: Backend) -> Program {
    Maker::new(Choice::new(seed), backend).program()
}

/// Generates the program of these choices.
pub fn program_of(choices: &[u32], backend: Backend) -> Program {
    Maker::new(Choice::given(choices), backend).program()
}

/// Shrinks a program while `wrong` returns true for the result: it leaves out choices or sets them
/// to 0, in at most `attempts` attempts.
pub fn shrink(
    program: &Program,
    backend: Backend,
    mut attempts: u32,
    wrong: &mut dyn FnMut(&Program) -> bool,
) -> Program {
    let mut best = program.clone();
    let mut try_one = |choices: Vec<u32>, best: &mut Program| {
        let next = program_of(&choices, backend);
        let smaller = (next.text.len(), next.choices.len()) < (best.text.len(), best.choices.len());
        if attempts == 0 || next.text == best.text || !smaller {
            return false;
        }
        attempts -= 1;
        let is_wrong = wrong(&next);
        if is_wrong {
            *best = next;
        }
        is_wrong
    };
    loop {
        let before = best.text.len();
        for width in [16, 4, 1] {
            let mut at = 0;
            while at < best.choices.len() {
                let end = (at + width).min(best.choices.len());
                let mut without = best.choices.clone();
                without.drain(at..end);
                let mut zero = best.choices.clone();
                zero[at..end].fill(0);
                if !try_one(without, &mut best) && !try_one(zero, &mut best) {
                    at += width;
                }
            }
        }
        if best.text.len() == before {
            return best;
        }
    }
}

/// The maximal number of scalars in a value that views enlarge.
pub(crate) const LARGE: u64 = 4000;

/// The variables in scope with their types.
pub(crate) type Scope = [(String, Data)];

/// The threads that execute OpenCL code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    /// All work-items, each the same code.
    Kernel,
    /// The work-items of a group, each the same code.
    Group,
    /// A single work-item; also for all code of other targets.
    Item,
}

pub(crate) struct Maker {
    pub choice: Choice,
    pub backend: Backend,
    names: u32,
    /// The number of patterns that may still be nested or added.
    pub fuel: u32,
    /// True if the generated code runs in several threads.
    pub parallel: bool,
    /// For OpenCL, the threads that execute the generated code.
    pub level: Level,
    /// The generated C functions.
    pub functions: Vec<Function>,
    /// The annotation with the launch sizes of a kernel; empty if there is none.
    pub launch: String,
    /// The number of dimensions of the work-items of this kernel; all of its parallel maps use
    /// them.
    pub dimensions: u32,
    /// True if the work-groups of this kernel have two dimensions.
    pub groups_of_groups: bool,
}

impl Maker {
    fn new(choice: Choice, backend: Backend) -> Maker {
        Maker {
            choice,
            backend,
            names: 0,
            fuel: 0,
            parallel: false,
            level: Level::Item,
            functions: Vec::new(),
            launch: String::new(),
            dimensions: 1,
            groups_of_groups: false,
        }
    }

    pub fn name(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    fn program(mut self) -> Program {
        let sized = self.choice.one_in(2);
        self.fuel = self.choice.below(6) + 1;
        let params: Vec<(String, Data)> = (0..1 + self.choice.below(3))
            .map(|at| {
                let depth = 1 + self.choice.below(2);
                (format!("x{at}"), self.input(depth, sized && at == 0))
            })
            .collect();
        let (first, ty) = params[0].clone();
        let mut body = self.results(&first, &ty, &params[1..]);
        let updated = self.updated_parameter();
        if let Some((_, new)) = &updated {
            body = format!("({new}, {body})");
        }
        if self.choice.one_in(12) {
            body = self.careless(&body);
        }
        let mut text: String = self.functions.iter().map(Function::text).collect();
        text.push_str(match self.backend {
            Backend::C => "@target(c)\n",
            Backend::OpenMp => "@target(openmp)\n",
            Backend::OpenCl => "@target(opencl)\n",
        });
        text.push_str(&self.launch);
        if updated.is_some() {
            text.push_str("@inout(u)\n");
        }
        let mut list: Vec<String> = params
            .iter()
            .map(|(name, ty)| format!("{name}: {ty}"))
            .collect();
        if let Some((ty, _)) = updated {
            let at = self.choice.below(list.len() as u32 + 1) as usize;
            list.insert(at, format!("u: {ty}"));
        }
        let function = format!("fun({} => {body})", list.join(", "));
        text.push_str(&match sized {
            true => format!("def random = depFun(n: Nat => {function})\n"),
            false => format!("def random = {function}\n"),
        });
        Program {
            text,
            sized,
            choices: self.choice.taken(),
        }
    }

    /// Sometimes generates a parameter `u` that is updated in place: its type and its new value.
    fn updated_parameter(&mut self) -> Option<(Data, String)> {
        if self.backend == Backend::OpenCl || !self.choice.one_in(5) {
            return None;
        }
        let elem = self.number_type();
        let n = Size::number(1 + self.choice.below(6));
        let f = self.combination(&elem, &elem);
        let map = match self.backend {
            Backend::OpenMp if self.choice.one_in(2) => "mapPar",
            _ => "mapSeq",
        };
        let new = match self.choice.below(3) {
            0 => format!("zip(u)(u) |> {map}(fun(q => {f}(q._1)(q._2)))"),
            1 => {
                let rows = format!(
                    "generate(fun(i => generate(fun(j => {}))))",
                    self.start(&elem)
                );
                let step = self.combined_rows("v", "row", &elem);
                format!("({rows} : 3.{n}.{elem}) |> reduceSeq(fun((v, row) => {step}))(u)")
            }
            _ => format!("zip(u)(u |> split(1) |> join) |> {map}(fun(q => {f}(q._1)(q._2)))"),
        };
        Some((Data::array(n, elem), new))
    }

    /// Generates the body of the definition: one result, or a tuple of two or three.
    fn results(&mut self, value: &str, ty: &Data, scope: &Scope) -> String {
        let first = match self.backend {
            Backend::C | Backend::OpenMp => self.written(value, ty, scope),
            Backend::OpenCl => self.kernels(value, ty, scope),
        };
        if !self.choice.one_in(6) {
            return first;
        }
        if self.backend == Backend::OpenCl {
            let (second, _) = self.kernel(value, ty, scope);
            // Every kernel has launch sizes of its own, or none has.
            return match first.contains("oclRun") {
                true => format!("({first}, ({second}) |> {})", self.run_kernel()),
                false => format!("({first}, {second})"),
            };
        }
        self.fuel = 1 + self.choice.below(3);
        let second = self.written(value, ty, scope);
        match self.choice.below(3) {
            0 => format!("({first}, ({second}, 7i32))"),
            1 => format!("(({first}, {second}), 0.5f)"),
            _ => format!("({first}, {second})"),
        }
    }

    /// Removes or breaks one part of the body.
    fn careless(&mut self, body: &str) -> String {
        let (from, to) = match self.backend {
            Backend::C | Backend::OpenMp => self.choice.of(&[
                (" |> toMem", ""),
                ("mapSeq(", "map("),
                (" |> mapSeq(id)", ""),
            ]),
            Backend::OpenCl => self.choice.of(&[
                (" |> toMem(Local)", ""),
                ("toMem(Local)", "toMem(Private)"),
                ("(Private)", ""),
                ("mapLocal(0)(", "mapSeq("),
                ("mapLocal(", "mapGlobal("),
                ("mapLocal(0)", "mapLocal(1)"),
            ]),
        };
        body.replacen(from, to, 1)
    }

    /// Chooses the type of a parameter.
    fn input(&mut self, depth: u32, sized: bool) -> Data {
        let elem = match depth {
            0 | 1 => self.element_type(),
            _ => self.input(depth - 1, false),
        };
        let n = match sized {
            true => Size {
                of_n: 1 + self.choice.below(2),
                plus: self.choice.below(3),
            },
            false => Size::number(1 + self.choice.below(8)),
        };
        Data::array(n, elem)
    }

    fn element_type(&mut self) -> Data {
        match self.choice.below(10) {
            7 | 8 => Data::pair(self.scalar_type(), self.scalar_type()),
            9 => {
                let lanes = self.choice.of(&[2, 4, 8]);
                Data::Vector(lanes, self.choice.of(&[Num::F32, Num::I32, Num::F64]))
            }
            _ => self.scalar_type(),
        }
    }

    pub fn scalar_type(&mut self) -> Data {
        Data::Scalar(self.choice.of(Num::ALL))
    }

    /// Chooses a number type.
    pub fn number_type(&mut self) -> Data {
        match self.scalar_type() {
            Data::Scalar(Num::Bool) => Data::INT,
            ty => ty,
        }
    }

    /// Generates an expression of access `Wr` from one of access `Rd`.
    fn written(&mut self, value: &str, ty: &Data, scope: &Scope) -> String {
        let (value, ty) = self.viewed(value, ty, scope);
        if let Some(sum) = self.parallel_reduction(&value, &ty) {
            return sum;
        }
        let (written, ty) = self.stored_by_pattern(&value, &ty, scope);
        let (written, ty) = self.written_views(&written, &ty);
        let written = self.updated_in_place(written, &ty);
        if self.fuel == 0 || !ty.has_array() {
            return written;
        }
        self.fuel -= 1;
        if !self.choice.one_in(2) {
            return self.with_gaps(written, &ty);
        }
        // The value is stored and read again.
        let stored = format!("({written}) |> toMem");
        let name = self.name("y");
        let rest = self.written(&name, &ty, scope);
        format!("let {name} = {stored} in {rest}")
    }
}
