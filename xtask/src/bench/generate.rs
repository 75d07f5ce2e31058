//! Generates workspaces for measurements: many different well-typed definitions, similar to those
//! of real programs, which use each other within and across files.

use std::fmt::Write;
use std::path::Path;

use super::random::Random;

pub struct Generated {
    pub name: String,
    pub text: String,
}

impl Generated {
    pub fn lines(&self) -> usize {
        self.text.lines().count()
    }
}

/// The type of a generated definition, which determines its uses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// A value of type `f32 -> f32`.
    Scalar,
    /// A value of type `f32 -> f32 -> f32`.
    Operator,
    /// A value of type `(n: Nat) -> n.f32 -> n.f32`.
    Vector,
    /// A value of type `(n: Nat) -> n.f32 -> f32`.
    Sum,
    /// A value of type `(n: Nat) -> n.f32 -> n.f32 -> n.f32`.
    Merge,
    /// A value of type `(h: Nat) -> (w: Nat) -> h.w.f32 -> h.w.f32`.
    Image,
    /// A value of type `3.3.f32 -> f32`.
    Window,
    /// A type that other definitions do not use.
    Other,
}

/// Generates a workspace of one file with `large` lines, and as many files of `small` lines as are
/// needed for `total`.
pub fn workspace(seed: u64, large: usize, small: usize, total: usize) -> Vec<Generated> {
    let mut random = Random::new(seed);
    let mut files: Vec<(Generated, Vec<(String, Shape)>)> = Vec::new();
    let mut lines = large;
    while lines < total {
        let name = format!("module{:03}.rise", files.len());
        let file = file(&mut random, &name, small, &files);
        lines += file.0.lines();
        files.push(file);
    }
    let main = file(&mut random, "main.rise", large, &files).0;
    files
        .into_iter()
        .map(|(file, _)| file)
        .chain([main])
        .collect()
}

pub fn write(files: &[Generated], folder: &Path) -> std::io::Result<()> {
    files
        .iter()
        .try_for_each(|file| std::fs::write(folder.join(&file.name), &file.text))
}

fn file(
    random: &mut Random,
    name: &str,
    lines: usize,
    others: &[(Generated, Vec<(String, Shape)>)],
) -> (Generated, Vec<(String, Shape)>) {
    let mut writer = Writer {
        random,
        text: String::new(),
        defs: Vec::new(),
        imported: Vec::new(),
        file: others.len(),
    };
    for _ in 0..2.min(others.len()) {
        let (file, defs) = &others[writer.random.below(others.len())];
        let line = format!("import \"{}\"\n", file.name);
        if !writer.text.contains(&line) {
            writer.text.push_str(&line);
            writer.imported.extend(defs.iter().cloned());
        }
    }
    let mut written = writer.text.lines().count();
    while written < lines {
        let before = writer.text.len();
        writer.definition();
        written += writer.text[before..].lines().count();
    }
    (
        Generated {
            name: name.to_owned(),
            text: writer.text,
        },
        writer.defs,
    )
}

struct Writer<'a> {
    random: &'a mut Random,
    text: String,
    defs: Vec<(String, Shape)>,
    imported: Vec<(String, Shape)>,
    file: usize,
}

const VERBS: &[&str] = &[
    "scale",
    "blur",
    "fold",
    "shift",
    "weigh",
    "smooth",
    "merge",
    "blend",
    "trace",
    "relax",
    "project",
    "filter",
    "sample",
    "reduce",
    "gather",
    "sweep",
    "damp",
    "clip",
    "accumulate",
    "normalise",
];
const NOUNS: &[&str] = &[
    "Rows",
    "Columns",
    "Tiles",
    "Pixels",
    "Signal",
    "Energy",
    "Pressure",
    "Weights",
    "Field",
    "Samples",
    "Edges",
    "Particles",
    "Forces",
    "Blocks",
    "Channels",
    "Moments",
    "Residual",
    "Flux",
    "Density",
    "Charges",
];
const REMARKS: &[&str] = &[
    "The border is continued with its last value, so that nothing is lost there.",
    "Sizes are checked where it is used; the result has the shape of the argument.",
    "Works for every size, and for an empty array as well as for a full one.",
    "The order of the additions is free, so the result is exact up to rounding only.",
    "Follows the formulation of the reference implementation step by step.",
    "Each element is read once, and each result is written once.",
];

impl Writer<'_> {
    fn definition(&mut self) {
        if self.random.percent(12) {
            let remark = self.random.pick(REMARKS);
            writeln!(self.text, "\n// ---- Next. {remark}").unwrap_or_default();
        }
        match self.random.below(14) {
            0 => self.polynomial(),
            1 => self.operator(),
            2 | 3 => self.pipeline(),
            4 => self.sum(),
            5 => self.merge(),
            6 => self.matrix_vector(),
            7 => self.matrix_product(),
            8 => self.window(),
            9 => self.stencil(),
            10 => self.tuples(),
            11 => self.generic(),
            12 => self.stages(),
            _ => self.iterated(),
        }
    }

    /// Starts a definition: writes its documentation, and returns a unique name.
    fn name(&mut self, shape: Shape, what: &str) -> String {
        let (verb, noun) = (self.random.pick(VERBS), self.random.pick(NOUNS));
        let name = format!("{verb}{noun}{}x{}", self.file, self.defs.len());
        let remark = self.random.pick(REMARKS);
        let aside = self.random.pick(REMARKS);
        self.text.push_str(&format!(
            "/// {what}: {verb}s the {}. {remark}\n/// {aside}\n",
            noun.to_lowercase()
        ));
        self.defs.push((name.clone(), shape));
        name
    }

    fn end(&mut self, definition: String) {
        self.text.push_str(&definition);
        self.text.push('\n');
    }

    /// Returns the name of a definition of this shape that can be used here, or `otherwise`.
    fn use_of(&mut self, shape: Shape, otherwise: &str) -> String {
        let foreign = self.random.percent(25) && !self.imported.is_empty();
        // The last definition is the current one.
        let defs = if foreign {
            &self.imported[..]
        } else {
            &self.defs[..self.defs.len().saturating_sub(1)]
        };
        if defs.is_empty() {
            return otherwise.to_owned();
        }
        let start = self.random.below(defs.len());
        let found = defs[start..]
            .iter()
            .chain(&defs[..start])
            .take(60)
            .find(|(_, of)| *of == shape);
        found.map_or_else(|| otherwise.to_owned(), |(name, _)| name.clone())
    }

    fn number(&mut self) -> String {
        format!("{}.{:02}f", self.random.below(4), self.random.below(100))
    }

    fn polynomial(&mut self) {
        let name = self.name(Shape::Scalar, "A polynomial with a limit");
        let inner = self.use_of(Shape::Operator, "add");
        let c: Vec<String> = (0..7).map(|_| self.number()).collect();
        self.end(format!(
            "def {name} : f32 -> f32 =\n  fun(x =>\n    let square = x * x in\n    let even = {} + square * ({} + square * {}) in\n    \
             let odd = x * ({} + square * {}) in\n    let both = {inner}(even)(odd) in\n      \
             select(both > {})(both)({} + 0.5f * both))",
            c[0], c[1], c[2], c[3], c[4], c[5], c[6]
        ));
    }

    fn operator(&mut self) {
        let name = self.name(Shape::Operator, "A combination of two values");
        let scalar = self.use_of(Shape::Scalar, "id");
        let (a, b, c) = (self.number(), self.number(), self.number());
        let compare = self.random.pick(&["<", ">", "<=", ">="]);
        self.end(format!(
            "def {name} : f32 -> f32 -> f32 =\n  fun(left, right =>\n    let distance = (left - right) * (left - right) in\n    \
             let near = {scalar}({a} * left + right) in\n    let far = {b} * near + distance / (1.0f + distance) in\n      \
             select(distance {compare} {c})(near)(far))"
        ));
    }

    /// Returns a function on single values, as an argument of `map`.
    fn elementwise(&mut self) -> String {
        match self.random.below(4) {
            0 => self.use_of(Shape::Scalar, "fun(x => 0.5f * x)"),
            1 => format!("fun(x => {} * x + {})", self.number(), self.number()),
            2 => {
                let (operator, number) = (self.use_of(Shape::Operator, "mul"), self.number());
                format!(
                    "fun(value => {operator}(value)({number}) - {})",
                    self.number()
                )
            }
            _ => format!(
                "fun(x => select(x < {})({})(x * x))",
                self.number(),
                self.number()
            ),
        }
    }

    /// Returns a pipeline stage from `n.f32` to `n.f32`.
    fn stage(&mut self, n: &str) -> String {
        match self.random.below(6) {
            0 => format!("map({})", self.elementwise()),
            1 => {
                let (a, b, c) = (self.number(), self.number(), self.number());
                format!(
                    "padClamp(1)(1) |> slide(3)(1) |> map(fun(w => dot(w)(makeArray(3)({a})({b})({c}))))"
                )
            }
            2 => {
                let name = self.use_of(Shape::Vector, "");
                if name.is_empty() {
                    format!("map({})", self.elementwise())
                } else {
                    format!("{name}({n})")
                }
            }
            3 => {
                let (size, f) = (self.random.pick(&["1", "1", "1"]), self.elementwise());
                format!("split({size}) |> map(map({f})) |> join")
            }
            4 => format!(
                "map(fun(x => (x, {}))) |> map(fun(p => p._1 * p._2))",
                self.number()
            ),
            _ => {
                let k = 1 + self.random.below(5);
                format!("padClamp({k})({k}) |> drop({k}) |> take({n})")
            }
        }
    }

    fn pipeline(&mut self) {
        let name = self.name(Shape::Vector, "A pipeline over one array");
        let mut body = String::new();
        for _ in 0..3 + self.random.below(3) {
            let stage = self.stage("n");
            write!(body, "\n      |> {stage}").unwrap_or_default();
        }
        self.end(format!("def {name} : (n: Nat) -> n.f32 -> n.f32 =\n  depFun(n: Nat => fun(xs =>\n    xs{body}))"));
    }

    fn sum(&mut self) {
        let name = self.name(Shape::Sum, "A sum in blocks");
        let size = 1 << (1 + self.random.below(7));
        let (f, stage) = (self.elementwise(), self.stage("n"));
        self.end(format!(
            "def {name} : (n: Nat) -> n.f32 -> f32 =\n  depFun(n: Nat => fun(xs =>\n    xs\n      |> {stage}\n      |> split({size})\n      \
             |> map(fun(block => block |> map({f}) |> reduce(add)(0.0f)))\n      |> reduce(add)(0.0f)))"
        ));
    }

    fn merge(&mut self) {
        let name = self.name(Shape::Merge, "Two arrays, element by element");
        let operator = self.use_of(Shape::Operator, "add");
        let vector = self.use_of(Shape::Vector, "");
        let ys = if vector.is_empty() {
            "ys".to_owned()
        } else {
            format!("{vector}(n)(ys)")
        };
        let (a, f) = (self.number(), self.elementwise());
        self.end(format!(
            "def {name} : (n: Nat) -> n.f32 -> n.f32 -> n.f32 =\n  depFun(n: Nat => fun(xs, ys =>\n    zip(xs |> map({f}))({ys})\n      \
             |> map(fun(p => {operator}(p._1)({a} * p._2)))\n      |> map(fun(x => x / (1.0f + x * x)))))"
        ));
    }

    fn matrix_vector(&mut self) {
        let name = self.name(Shape::Other, "A matrix times a vector");
        let (f, vector) = (self.elementwise(), self.use_of(Shape::Vector, ""));
        let result = if vector.is_empty() {
            String::new()
        } else {
            format!("\n      |> {vector}(m)")
        };
        let row = match self.use_of(Shape::Sum, "") {
            sum if sum.is_empty() => "dot(t._1)(xs)".to_owned(),
            sum => format!("dot(t._1)(xs) + {sum}(n)(t._1)"),
        };
        self.end(format!(
            "def {name} : (n: Nat) -> (m: Nat) -> m.n.f32 -> n.f32 -> m.f32 -> f32 -> f32 -> m.f32 =\n  \
             depFun((n: Nat, m: Nat) => fun(mat, xs, ys, alpha, beta =>\n    zip(mat)(ys |> map({f}))\n      \
             |> map(fun(t => alpha * ({row}) + beta * t._2)){result}))"
        ));
    }

    fn matrix_product(&mut self) {
        let name = self.name(Shape::Other, "A product of two matrices in tiles");
        let size = 8 << self.random.below(4);
        let f = self.elementwise();
        self.end(format!(
            "def {name} : (n: Nat) -> (k: Nat) -> (m: Nat) ->\n    ({size} * n).k.f32 -> k.({size} * m).f32 -> ({size} * n).({size} * m).f32 =\n  \
             depFun((n: Nat, k: Nat, m: Nat) => fun(a, b =>\n    a |> split({size})\n      \
             |> map(fun(rows => b |> transpose |> split({size}) |> map(fun(columns =>\n           \
             rows |> map(fun(row => columns |> map(fun(column => dot(row)(column |> map({f})))))) )) ))\n      \
             |> map(fun(blocks => blocks |> transpose |> map(join))) |> join))"
        ));
    }

    fn window(&mut self) {
        let name = self.name(Shape::Window, "A point from its neighbours");
        let (a, b, c) = (self.number(), self.number(), self.number());
        let scalar = self.use_of(Shape::Scalar, "id");
        self.end(format!(
            "def {name} : 3.3.f32 -> f32 =\n  fun(w =>\n    let middle = w |> idx(1) |> idx(1) in\n    \
             let across = (w |> idx(1) |> idx(0)) + (w |> idx(1) |> idx(2)) - {a} * middle in\n    \
             let down = (w |> idx(0) |> idx(1)) + (w |> idx(2) |> idx(1)) - {b} * middle in\n      \
             {scalar}(middle + {c} * (across + down)))"
        ));
    }

    fn stencil(&mut self) {
        let name = self.name(Shape::Image, "A stencil over an image");
        let image = self.use_of(Shape::Image, "");
        let window = self.use_of(Shape::Window, "fun(w => join(w) |> reduce(add)(0.0f))");
        let (f, number) = (self.elementwise(), self.number());
        let first = if image.is_empty() {
            format!("map2D({f})")
        } else {
            format!("{image}(h)(w)")
        };
        self.end(format!(
            "def {name} : (h: Nat) -> (w: Nat) -> h.w.f32 -> h.w.f32 =\n  depFun((h: Nat, w: Nat) => fun(image =>\n    \
             let before = image |> {first} in\n    let after = before |> padClamp2D(1) |> slide2D(3)(1) |> map2D({window}) in\n      \
             zip2D(before)(after) |> map2D(fun(p => {number} * p._1 + p._2))))"
        ));
    }

    fn tuples(&mut self) {
        let name = self.name(Shape::Other, "Two results in one pass");
        let (f, operator) = (self.elementwise(), self.use_of(Shape::Operator, "add"));
        let (a, compare) = (self.number(), self.random.pick(&["<", ">"]));
        self.end(format!(
            "def {name} : (n: Nat) -> n.f32 -> n.f32 -> (f32, f32) =\n  depFun(n: Nat => fun(xs, ys =>\n    zip(xs |> map({f}))(ys)\n      \
             |> map(fun(p => ({operator}(p._1)(p._2), {a} * p._2)))\n      \
             |> reduce(fun(best, next =>\n           select(next._1 {compare} best._1)(next)((best._1, best._2 + next._2))))((0.0f, 1.0f))))"
        ));
    }

    fn generic(&mut self) {
        let name = self.name(Shape::Other, "Generic over sizes and numbers");
        let kind = self.random.pick(&["Num", "Int", "Float"]);
        let (size, op) = (2 + self.random.below(6), self.random.pick(&["add", "mul"]));
        let fold = self.random.pick(&[
            "transpose |> map(fold)",
            "map(fun(row => row |> split(1) |> join |> fold))",
        ]);
        let (shape, result) = if fold.starts_with('t') {
            ("n.m.t", "m.t")
        } else {
            ("n.m.t", "n.t")
        };
        self.end(format!(
            "def {name} : {{n: Nat}} -> {{m: Nat}} -> {{t: {kind}}} -> (m.t -> t) -> t -> {shape} -> (t, {size}.t) =\n  \
             fun(fold, start, matrix =>\n    let rows = matrix |> map(fun(row => row |> reduce({op})(start))) in\n    \
             let total = rows |> reduce({op})(start) in\n      (matrix |> map(fold) |> reduce({op})(total), generate(fun(i => total))))\n\
             // As an alternative: {fold}, which has type {result}."
        ));
    }

    /// Generates a definition without a type annotation, so that its whole type is inferred.
    fn stages(&mut self) {
        let name = self.name(Shape::Other, "A composition, with its type inferred");
        let (f, g) = (self.elementwise(), self.elementwise());
        let (size, step) = (4 << self.random.below(4), 1 << self.random.below(3));
        let (operator, h) = (self.use_of(Shape::Operator, "add"), self.number());
        self.end(format!(
            "def {name} =\n  fun(xs, ys =>\n    zip(xs |> map({f}))(ys)\n      |> map(fun(p => {operator}(p._1)(p._2)))\n      \
             |> split({size})\n      |> map(fun(block => block |> map({g}) |> slide({step})({step}) |> map(reduce(add)({h}))))\n      \
             |> map(map(fun(x => x * {h}))))"
        ));
    }

    fn iterated(&mut self) {
        let name = self.name(Shape::Other, "Steps of a simulation on three arrays");
        let (merge, vector) = (
            self.use_of(Shape::Merge, ""),
            self.use_of(Shape::Vector, ""),
        );
        let (a, f) = (self.number(), self.elementwise());
        let merged = if merge.is_empty() {
            "xs".to_owned()
        } else {
            format!("{merge}(n)(xs)(ys)")
        };
        let moved = if vector.is_empty() {
            format!("map({f})")
        } else {
            format!("{vector}(n)")
        };
        self.end(format!(
            "def {name} : (n: Nat) -> n.f32 -> n.f32 -> n.f32 -> n.(f32, f32) =\n  depFun(n: Nat => fun(xs, ys, zs =>\n    \
             let moved = {merged} |> {moved} in\n    let pulled = zip(moved)(zs) |> map(fun(p => p._1 - {a} * p._2)) in\n      \
             zip(pulled)(zip(moved)(ys) |> map(fun(p => p._1 * p._2 + {a})))))"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workspaces_are_dense_and_always_the_same() {
        let files = workspace(1, 2_000, 500, 5_000);
        let again = workspace(1, 2_000, 500, 5_000);
        assert!(files.iter().zip(&again).all(|(a, b)| a.text == b.text));
        let lines: usize = files.iter().map(Generated::lines).sum();
        assert!((5_000..5_600).contains(&lines), "{lines}");
        let bytes: usize = files.iter().map(|file| file.text.len()).sum();
        assert!((45..75).contains(&(bytes / lines)), "{}", bytes / lines);
    }

    #[test]
    fn generated_files_have_no_syntax_error() {
        for file in workspace(2, 2_000, 500, 4_000) {
            for span in syntax::split(&file.text) {
                let item = &file.text[std::ops::Range::from(span)];
                assert_eq!(syntax::parse(item).diagnostics, [], "{item}");
            }
        }
    }
}
