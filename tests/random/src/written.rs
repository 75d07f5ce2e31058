//! Generates views on outputs.

use crate::views::{as_scalars, joined, split, transposed};
use crate::{Data, Maker, Size};

impl Maker {
    /// Applies some views to a written value.
    pub fn written_views(&mut self, value: &str, ty: &Data) -> (String, Data) {
        let (mut text, mut ty) = (value.to_owned(), ty.clone());
        for _ in 0..self.choice.below(3) {
            let Data::Array(n, elem) = ty.clone() else {
                break;
            };
            let k = 1 + self.choice.below(3);
            let next = match self.choice.below(8) {
                0 => split(&text, n, &elem, k),
                1 => joined(&text, &ty),
                2 => transposed(&text, n, &elem),
                3 => Some((self.reordered(&text, n), ty.clone())),
                4 => as_scalars(&text, n, &elem),
                5 => self.scattered(&text, n, &elem),
                _ => self.rows_rearranged(&text, n, &elem),
            };
            if let Some((next, out)) = next {
                text = next;
                ty = out;
            }
        }
        (text, ty)
    }

    /// Scatters the elements so that every place is written: by one element, or by several, of
    /// which the last one counts.
    fn scattered(&mut self, xs: &str, n: Size, elem: &Data) -> Option<(String, Data)> {
        let i = self.name("at");
        let repeats = self.choice.one_in(2) && !is_parallel(xs);
        let (m, to) = match n.constant() {
            _ if repeats => {
                let m = Size::number(1 + self.choice.below(n.at_least()));
                (m, format!("indexAsNat({i}) % {m}"))
            }
            Some(size) if size > 1 && self.choice.one_in(2) => {
                (n, format!("(indexAsNat({i}) + 1) % {n}"))
            }
            _ => (n, format!("{n} - 1 - indexAsNat({i})")),
        };
        let indices = format!("(generate(fun({i} => natAsIndex({m})({to}))) : {n}.Idx[{m}])");
        let text = format!("{xs} |> scatter({indices})");
        Some((text, Data::array(m, elem.clone())))
    }

    fn rows_rearranged(&mut self, xs: &str, n: Size, elem: &Data) -> Option<(String, Data)> {
        let Data::Array(m, inner) = elem else {
            return None;
        };
        let row = self.name("row");
        let (body, out) = match self.choice.below(2) {
            0 => transposed(&row, *m, inner)?,
            _ => (self.reordered(&row, *m), elem.clone()),
        };
        let text = format!("{xs} |> map(fun({row} => {body}))");
        Some((text, Data::array(n, out)))
    }

    /// Sometimes reduces several copies of an array of numbers by steps that leave the accumulator as
    /// it is, or continue with an inner reduction that starts from it.
    pub fn updated_in_place(&mut self, written: String, ty: &Data) -> String {
        let Data::Array(n, elem) = ty else {
            return written;
        };
        if !elem.is_number() || !self.choice.one_in(8) {
            return written;
        }
        let (y, acc, row) = (self.name("y"), self.name("acc"), self.name("row"));
        let first = self.combined_rows(&acc, &row, elem);
        let inner = format!(
            "(generate(fun(copy => {row})) : 2.{ty}) |> reduceSeq(fun((inner, next) => {}))({acc})",
            self.combined_rows("inner", "next", elem)
        );
        let condition = match n.at_least() {
            0 => "true".to_owned(),
            _ => format!("({row} |> idx(0)) < {}", self.start(elem)),
        };
        let step = match self.choice.below(4) {
            0 => format!("select({condition})({acc})({first})"),
            1 => inner,
            2 => format!("select({condition})({inner})({first})"),
            _ => format!("select({condition})({first})({acc})"),
        };
        format!(
            "let {y} = ({written}) |> toMem in (generate(fun(copy => {y})) : 3.{ty}) |> \
             reduceSeq(fun(({acc}, {row}) => {step}))({y} |> mapSeq(id)) |> mapSeq(id)"
        )
    }

    /// Generates the combination of two arrays of numbers, element by element.
    pub fn combined_rows(&mut self, a: &str, b: &str, elem: &Data) -> String {
        let f = self.combination(elem, elem);
        let (p, q) = (self.name("p"), self.name("q"));
        // A pattern is an abbreviation for projections.
        match self.choice.one_in(2) {
            true if self.choice.one_in(2) => {
                let g = self.name("g");
                format!(
                    "let {g}(({p}, {q}): ({elem}, {elem})): {elem} = {f}({p})({q}) in zip({a})({b}) |> mapSeq({g})"
                )
            }
            true => format!("zip({a})({b}) |> mapSeq(fun(({p}, {q}) => {f}({p})({q})))"),
            false => format!("zip({a})({b}) |> mapSeq(fun({p} => {f}({p}._1)({p}._2)))"),
        }
    }

    /// Sometimes adds unwritten elements after a result.
    pub fn with_gaps(&mut self, written: String, ty: &Data) -> String {
        match ty {
            Data::Array(..) if self.choice.one_in(10) => {
                let room = 1 + self.choice.below(3);
                format!("({written}) |> padEmpty({room})")
            }
            _ => written,
        }
    }
}

/// Returns true if several threads or work-items may write the result of a text, so that no element
/// is the last one.
fn is_parallel(text: &str) -> bool {
    let maps = [
        "mapPar",
        "depMapPar",
        "mapGlobal",
        "mapLocal",
        "mapWorkGroup",
    ];
    maps.iter().any(|map| text.contains(map))
}
