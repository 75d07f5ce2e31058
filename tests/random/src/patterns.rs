//! Generates patterns that compute and write.

use crate::{Backend, Data, Maker, Scope, Size, views};

/// A written array, or `None` if the pattern is not applicable.
type Written = Option<(String, Data)>;

impl Maker {
    /// Generates a pattern that writes an array element by element; a scalar is only computed.
    pub fn stored_by_pattern(&mut self, value: &str, ty: &Data, scope: &Scope) -> (String, Data) {
        let Data::Array(n, elem) = ty else {
            return self.computed(value, ty, scope);
        };
        let n = *n;
        if self.fuel > 0 && self.choice.one_in(3) {
            self.fuel -= 1;
            let special = match self.choice.below(8) {
                0 => self.scan(value, n, elem),
                1 => self.iterated(value, n, elem),
                2 => self.ring(value, n, elem),
                3 => self.rotation(value, n, elem),
                4 => self.parts(value, n, elem),
                5 | 6 => self.repeated(value, n, elem),
                _ => self.one_behind_the_other(value, n, elem, scope),
            };
            if let Some(special) = special {
                return special;
            }
        }
        let x = self.name("e");
        let outside = self.parallel;
        let pattern = self.pattern(n);
        self.parallel |= pattern == "mapPar";
        let (body, out) = self.element(&x, elem, scope);
        self.parallel = outside;
        let text = format!("{value} |> {pattern}(fun({x} => {body}))");
        (text, Data::array(n, out))
    }

    pub fn pattern(&mut self, n: Size) -> &'static str {
        if self.backend == Backend::OpenMp && self.choice.one_in(2) {
            return "mapPar";
        }
        match n.constant() {
            Some(1..=8) if self.choice.one_in(5) => "mapSeqUnroll",
            _ => "mapSeq",
        }
    }

    fn scan(&mut self, value: &str, n: Size, elem: &Data) -> Written {
        if !elem.is_number() {
            return None;
        }
        let f = self.combination(elem, elem);
        let start = self.start(elem);
        let space = self.in_item(elem);
        let text = format!("{value} |> scanSeq{space}({f})({start})");
        Some((text, Data::array(n, elem.clone())))
    }

    /// Generates an `iterate` whose rounds each keep a half or a third of the elements.
    fn iterated(&mut self, value: &str, n: Size, elem: &Data) -> Written {
        if !elem.is_number() {
            return None;
        }
        let by = 2 + self.choice.below(2);
        let (mut rounds, mut left) = (0, n);
        while left.of_n.is_multiple_of(by)
            && left.plus.is_multiple_of(by)
            && left.at_least() > 0
            && rounds < 4
        {
            rounds += 1;
            left = Size {
                of_n: left.of_n / by,
                plus: left.plus / by,
            };
        }
        if rounds == 0 {
            return None;
        }
        let f = self.combination(elem, elem);
        let start = self.start(elem);
        let (l, part) = (self.name("l"), self.name("part"));
        let (space, of_sum) = (
            self.in_item(&Data::array(n, elem.clone())),
            self.in_item(elem),
        );
        let round = format!("{part} |> split({by}) |> mapSeq(reduceSeq{of_sum}({f})({start}))");
        let text = format!(
            "{value} |> iterate{space}({rounds})(depFun({l}: Nat => fun({part} => {round})))"
        );
        Some((text, Data::array(left, elem.clone())))
    }

    /// Generates a stream of windows in a circular buffer.
    fn ring(&mut self, value: &str, n: Size, elem: &Data) -> Written {
        let width = 1 + self.choice.below(4);
        let windows = n.grown(1).shrunk(width)?;
        let room = width + self.choice.below(2);
        let x = self.name("load");
        let (load, kept) = match elem {
            Data::Array(m, inner) if !inner.has_array() => {
                let cell = self.name("cell");
                let (body, out) = self.computed(&cell, inner, &[]);
                let text = format!("{x} |> mapSeq(fun({cell} => {body}))");
                (text, Data::array(*m, out))
            }
            elem if !elem.has_array() => self.computed(&x, elem, &[]),
            _ => return None,
        };
        let space = self.in_item(&kept);
        let source =
            format!("{value} |> circularBuffer{space}({room})({width})(fun({x} => {load}))");
        Some(self.stream(source, width, windows, kept))
    }

    /// Generates a stream of windows in rotating variables.
    fn rotation(&mut self, value: &str, n: Size, elem: &Data) -> Written {
        let width = 1 + self.choice.below(4);
        let windows = n.grown(1).shrunk(width)?;
        if !elem.is_number() {
            return None;
        }
        let space = self.in_item(elem);
        let source = match self.choice.one_in(3) {
            false => format!("{value} |> rotateValues{space}({width})(id)"),
            true => {
                let x = self.name("moved");
                let body = self.single(&x, elem);
                format!("{value} |> rotateValues{space}({width})(fun({x} => {body}))")
            }
        };
        Some(self.stream(source, width, windows, elem.clone()))
    }

    /// Generates the consumer of a stream of windows.
    fn stream(&mut self, source: String, width: u32, count: Size, kept: Data) -> (String, Data) {
        let window = Data::array(Size::number(width), kept);
        let w = self.name("w");
        if let Data::Array(_, elem) = &window
            && elem.is_scalar()
            && self.choice.one_in(3)
        {
            // A sum is computed in the stream.
            let (sum, out) = self.reduced(&w, &window, &[]);
            let x = self.name("passing");
            let (body, last) = self.computed(&x, &out, &[]);
            let text = format!(
                "{source} |> mapStream(fun({w} => {sum})) |> iterateStream(fun({x} => {body}))"
            );
            return (text, Data::array(count, last));
        }
        let (body, out) = self.element(&w, &window, &[]);
        let text = format!("{source} |> iterateStream(fun({w} => {body}))");
        (text, Data::array(count, out))
    }

    /// Partitions an array into parts of different lengths, maps over them, and joins them.
    fn parts(&mut self, value: &str, n: Size, elem: &Data) -> Written {
        let size = n.constant()?;
        if elem.has_array() {
            return None;
        }
        // The lengths `least`, `least + 1`, … add up to the size.
        let fits = |count: &u32| {
            let more = count * (count - 1) / 2;
            size > more && (size - more).is_multiple_of(*count)
        };
        let all: Vec<u32> = (1..=3).filter(fits).collect();
        let count = self.choice.of(&all);
        let least = (size - count * (count - 1) / 2) / count;
        let (k, part) = (self.name("k"), self.name("part"));
        let mut cut = format!("({value} |> partition({count})(natFun(i => i + {least})))");
        let mut head = format!("depFun({k}: Nat => fun({part} =>");
        if self.choice.one_in(3) {
            let rows = self.name("rows");
            let half = self.choice.of(&["fst", "snd"]);
            cut = format!("depZip({cut})({cut})");
            head = format!("depFun({k}: Nat => fun({rows} => let {part} = {half}({rows}) in");
        }
        let outside = self.parallel;
        let map = match self.backend == Backend::OpenMp && !outside && self.choice.one_in(2) {
            true => "depMapPar",
            false => "depMapSeq",
        };
        if elem.is_number() && self.choice.one_in(2) {
            let f = self.combination(elem, elem);
            let start = self.start(elem);
            let space = self.in_item(elem);
            let one =
                format!("makeArray(1)({part} |> reduceSeq{space}({f})({start})) |> mapSeq(id)");
            let text = format!("{cut} |> {map}({head} {one}))) |> depJoin");
            return Some((text, Data::array(Size::number(count), elem.clone())));
        }
        let x = self.name("e");
        self.parallel |= map == "depMapPar";
        let (body, out) = self.computed(&x, elem, &[]);
        self.parallel = outside;
        let each = format!("{part} |> mapSeq(fun({x} => {body}))");
        let text = format!("{cut} |> {map}({head} {each}))) |> depJoin");
        Some((text, Data::array(n, out)))
    }

    /// Writes two arrays, concatenated or as pairs.
    fn one_behind_the_other(
        &mut self,
        value: &str,
        n: Size,
        elem: &Data,
        scope: &Scope,
    ) -> Written {
        let ty = Data::array(n, elem.clone());
        let (first, first_ty) = self.stored_by_pattern(value, &ty, scope);
        let (second, second_ty) = self.stored_by_pattern(value, &ty, scope);
        let (Data::Array(n, a), Data::Array(m, b)) = (first_ty, second_ty) else {
            return None;
        };
        if a == b {
            let total = Size {
                of_n: n.of_n + m.of_n,
                plus: n.plus + m.plus,
            };
            return Some((format!("concat({first})({second})"), Data::array(total, *a)));
        }
        (n == m && !a.has_array() && !b.has_array()).then(|| {
            let pairs = Data::array(n, Data::pair(*a, *b));
            (format!("zip({first})({second})"), pairs)
        })
    }

    /// Generates the function of a pattern on an element: computes a scalar, reduces an array, or
    /// writes one.
    pub fn element(&mut self, x: &str, ty: &Data, scope: &Scope) -> (String, Data) {
        if ty.is_number() && self.choice.one_in(12) {
            return (self.repeated_number(x, ty), ty.clone());
        }
        if !ty.has_array() {
            return self.computed(x, ty, scope);
        }
        let Data::Array(_, elem) = ty else {
            let half = if self.choice.one_in(2) { 1 } else { 2 };
            let Data::Pair(a, b) = ty else {
                unreachable!("a type with an array")
            };
            let ty = if half == 1 { a } else { b };
            return self.element(&format!("{x}._{half}"), ty, scope);
        };
        if self.fuel == 0 || (!elem.has_array() && self.choice.one_in(2)) {
            return self.reduced(x, ty, scope);
        }
        self.fuel -= 1;
        let (value, ty) = self.viewed(x, ty, scope);
        let (written, ty) = self.stored_by_pattern(&value, &ty, scope);
        self.written_views(&written, &ty)
    }

    /// Reduces an array to one scalar, pair or vector.
    pub fn reduced(&mut self, x: &str, ty: &Data, scope: &Scope) -> (String, Data) {
        let mut value = x.to_owned();
        let mut ty = ty.clone();
        while let Some((next, out)) = views::joined(&value, &ty) {
            value = next;
            ty = out;
        }
        let Data::Array(n, elem) = &ty else {
            return self.computed(&value, &ty, scope);
        };
        let out = match &**elem {
            vector @ Data::Vector(..) => vector.clone(),
            Data::Pair(a, b) if a.has_array() || b.has_array() => {
                return (format!("{value} |> idx(0)"), (**elem).clone());
            }
            Data::Pair(a, _) if matches!(**a, Data::Vector(..)) => {
                return (format!("({value} |> idx(0))"), (**elem).clone());
            }
            Data::Pair(_, b) if matches!(**b, Data::Vector(..)) => {
                return (format!("({value} |> idx(0))"), (**elem).clone());
            }
            number if number.is_number() && self.choice.one_in(40) => number.clone(),
            _ => self.number_type(),
        };
        let f = self.combination(&out, elem);
        let start = self.start(&out);
        let name = match n.constant() {
            Some(1..=8) if self.choice.one_in(5) => "reduceSeqUnroll",
            // A reduction without a choice of implementation.
            _ if out == **elem && self.choice.one_in(5) => "reduce",
            _ => "reduceSeq",
        };
        let space = self.in_item(&out);
        let of_name = match name {
            "reduce" => "",
            _ => &space,
        };
        let reduction = format!("{name}{of_name}({f})({start})");
        // A loop that is written out needs a number of steps that is a constant.
        let is_loop = !reduction.contains("Unroll");
        if elem.is_number() && n.at_least() > 0 && is_loop && self.choice.one_in(10) {
            return (self.part_of_data(&value, *n, elem, &reduction), out);
        }
        if self.choice.one_in(10) {
            // The size is packed in a dependent pair and unpacked again.
            let (k, ys) = (self.name("k"), self.name("ys"));
            let pair = format!("(makeDepPair({n})({value}) : DepPair[{k} => {k}.{elem}])");
            let text = format!(
                "dmatch({pair})(depFun({k}: Nat => fun({ys} => {ys} |> reduceSeq{space}({f})({start}))))"
            );
            return (text, out);
        }
        if out.is_number() && self.choice.one_in(8) {
            // Each reduction starts from the result of the previous one, and all results are read.
            let [q, r, z] = ["q", "r", "z"].map(|name| self.name(name));
            let from = |start: &str| format!("{value} |> {name}{of_name}({f})({start})");
            let text = format!(
                "(let {q} = {value} |> {reduction} in let {r} = {} in let {z} = {} in {z} - {q} + {r})",
                from(&q),
                from(&r)
            );
            return (text, out);
        }
        (format!("{value} |> {reduction}"), out)
    }

    /// Generates the reduction of a part of an array whose ends depend on the first element.
    fn part_of_data(&mut self, value: &str, n: Size, elem: &Data, reduction: &str) -> String {
        let [first, k, ys] = ["first", "k", "ys"].map(|name| self.name(name));
        let bound = self.start(elem);
        let half = 1 + self.choice.below(3);
        let end = format!("natAsIndex({n} + 1)(select({first} < {bound})({n} / {half})({n}))");
        let part = match self.choice.below(3) {
            0 => format!("let {{{k}}} = {end} in {value} |> take({k}) |> {reduction}"),
            1 => {
                let from = format!("natAsIndex({n} + 1)({n} / 5)");
                format!(
                    "let {{{k}}} {ys} = {value} |> segment({from})({end}) in {ys} |> {reduction}"
                )
            }
            _ => {
                let to = format!("natAsIndex({n} + 1)({n})");
                format!("let {{{k}}} {ys} = {value} |> segment({end})({to}) in {ys} |> {reduction}")
            }
        };
        format!("(let {first} = {value} |> idx(0) in {part})")
    }

    /// Sometimes generates a parallel reduction, if the order does not matter.
    pub fn parallel_reduction(&mut self, value: &str, ty: &Data) -> Option<String> {
        if self.backend != Backend::OpenMp || self.parallel {
            return None;
        }
        let Data::Array(_, elem) = ty else {
            return None;
        };
        if !elem.is_number() || !self.choice.one_in(8) {
            return None;
        }
        let (a, x) = (self.name("a"), self.name("x"));
        let start = self.start(elem);
        let f = match self.choice.below(3) {
            0 => "add".to_owned(),
            1 => format!("fun({a}, {x} => select({a} < {x})({x})({a}))"),
            _ => format!("fun({a}, {x} => {a} + {x})"),
        };
        Some(format!("{value} |> reducePar({f})({start})"))
    }
}
