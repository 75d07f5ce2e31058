//! Generates loops over rounds: `repeat`, `repeatInPlace` and `repeatWhile`.

use crate::{Backend, Data, Maker, Size};

impl Maker {
    /// Generates rounds over an array, whose result has the type of the array and is written.
    pub fn repeated(&mut self, value: &str, n: Size, elem: &Data) -> Option<(String, Data)> {
        let ty = Data::array(n, elem.clone());
        let cell = match elem {
            Data::Array(_, cell) => cell,
            _ => elem,
        };
        if !cell.is_number() {
            return None;
        }
        let space = self.in_item(&ty);
        let text = match self.choice.below(4) {
            0 => {
                let rounds = self.choice.below(4);
                let (start, body) = (self.writing("id", n, elem), self.own_elements(n, elem));
                format!("{value} |> {start} |> repeatInPlace{space}({rounds})({body})")
            }
            1 if self.backend != Backend::OpenCl => self.with_number(value, n, elem, cell),
            2 => {
                let limit = self.choice.below(4);
                let (f, start, bound) = (
                    self.combination(cell, cell),
                    self.start(cell),
                    self.start(cell),
                );
                let (s, r) = (self.name("s"), self.name("r"));
                let joined = match elem {
                    Data::Array(..) => "join |> ",
                    _ => "",
                };
                let of_sum = self.in_item(cell);
                let body = self.round(n, elem);
                let last = self.writing("id", n, elem);
                format!(
                    "(let {r} = {value} |> repeatWhile{space}({limit})(fun({s} => ({s} |> {joined}reduceSeq{of_sum}({f})({start})) < {bound}))({body}) in {r}._2 |> {last})"
                )
            }
            _ => {
                let rounds = 1 + self.choice.below(4);
                let body = self.round(n, elem);
                format!("{value} |> repeat{space}({rounds})({body})")
            }
        };
        Some((text, ty))
    }

    /// Generates rounds over a number, whose result is read.
    pub fn repeated_number(&mut self, value: &str, ty: &Data) -> String {
        let (y, z) = (self.name("y"), self.name("y"));
        let space = self.in_item(ty);
        let body = self.single(&y, ty);
        let rounds = 1 + self.choice.below(3);
        match self.choice.below(3) {
            0 => {
                let bound = self.start(ty);
                format!(
                    "({value} |> repeatWhile{space}({rounds})(fun({z} => {z} < {bound}))(fun({y} => {body})))._2"
                )
            }
            1 => format!(
                "({value} |> repeatInPlace{space}({rounds})(fun({y} => {body})) |> toMem{space})"
            ),
            _ => {
                format!("({value} |> repeat{space}({rounds})(fun({y} => {body})) |> toMem{space})")
            }
        }
    }

    /// Generates `repeat` over an array and a number, of which each is computed from both.
    fn with_number(&mut self, value: &str, n: Size, elem: &Data, cell: &Data) -> String {
        let [s, x, r] = ["s", "x", "r"].map(|name| self.name(name));
        let rounds = 1 + self.choice.below(4);
        let (f, g) = (self.combination(cell, cell), self.combination(cell, cell));
        let start = self.start(cell);
        let each = self.writing(&format!("fun({x} => {f}({s}._2)({x}))"), n, elem);
        let array = match self.choice.one_in(2) {
            true => format!("{s}._1 |> {each}"),
            false => format!(
                "{s}._1 |> {each} |> toMem |> {}",
                self.writing("id", n, elem)
            ),
        };
        let joined = match elem {
            Data::Array(..) => "join |> ",
            _ => "",
        };
        let number = match self.choice.one_in(2) {
            true => self.single(&format!("{s}._2"), cell),
            false => format!("{s}._1 |> {joined}reduceSeq({g})({s}._2)"),
        };
        let (state, next, result, rest) = match self.choice.one_in(2) {
            true => (
                format!("({value}, {start})"),
                format!("({array}, {number})"),
                format!("{r}._1"),
                format!("{r}._2"),
            ),
            // The number comes first.
            false => {
                let swapped = |text: &str| {
                    text.replace(&format!("{s}._1"), &format!("{s}.\u{0}"))
                        .replace(&format!("{s}._2"), &format!("{s}._1"))
                        .replace('\u{0}', "_2")
                };
                (
                    format!("({start}, {value})"),
                    format!("({}, {})", swapped(&number), swapped(&array)),
                    format!("{r}._2"),
                    format!("{r}._1"),
                )
            }
        };
        let last = self.writing(&format!("fun({x} => {f}({rest})({x}))"), n, elem);
        format!(
            "(let {r} = {state} |> repeat({rounds})(fun({s} => {next})) |> toMem in {result} |> {last})"
        )
    }

    /// Generates the function of a round, which may read neighbours.
    fn round(&mut self, n: Size, elem: &Data) -> String {
        let cell = match elem {
            Data::Array(_, cell) => cell,
            _ => elem,
        };
        if n.at_least() == 0 || self.choice.one_in(2) {
            return self.own_elements(n, elem);
        }
        let [s, w, column] = ["s", "w", "column"].map(|name| self.name(name));
        let (f, start) = (self.combination(cell, cell), self.start(cell));
        let space = self.in_item(cell);
        let sum = format!("reduceSeq{space}({f})({start})");
        let pattern = self.pattern(n);
        let body = match elem {
            Data::Array(..) => {
                format!("{w} |> transpose |> mapSeq(fun({column} => {column} |> {sum}))")
            }
            _ => format!("{w} |> {sum}"),
        };
        format!("fun({s} => {s} |> padClamp(1)(1) |> slide(3)(1) |> {pattern}(fun({w} => {body})))")
    }

    /// Generates the function of a round that computes each element from itself.
    fn own_elements(&mut self, n: Size, elem: &Data) -> String {
        let cell = match elem {
            Data::Array(_, cell) => cell,
            _ => elem,
        };
        let x = self.name("x");
        let body = self.single(&x, cell);
        self.writing(&format!("fun({x} => {body})"), n, elem)
    }

    /// Generates the function that writes the results of `f` for all numbers of an array.
    fn writing(&mut self, f: &str, n: Size, elem: &Data) -> String {
        let pattern = self.pattern(n);
        match elem {
            Data::Array(..) => format!("{pattern}(mapSeq({f}))"),
            _ => format!("{pattern}({f})"),
        }
    }
}
