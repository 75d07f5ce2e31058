//! Generates views on inputs.

use crate::{Data, LARGE, Level, Maker, Scope, Size};

/// The result of a view, or `None` if the view is not applicable.
type Seen = Option<(String, Data)>;

impl Maker {
    /// Applies some views to a value.
    pub fn viewed(&mut self, value: &str, ty: &Data, scope: &Scope) -> (String, Data) {
        let (mut text, mut ty) = (value.to_owned(), ty.clone());
        for _ in 0..self.choice.below(4) {
            if let Some((next, out)) = self.view(&text, &ty, scope)
                && out.weight() <= LARGE
            {
                text = next;
                ty = out;
            }
        }
        (text, ty)
    }

    fn view(&mut self, xs: &str, ty: &Data, scope: &Scope) -> Seen {
        let Data::Array(n, elem) = ty else {
            return None;
        };
        let (n, elem) = (*n, (**elem).clone());
        let k = 1 + self.choice.below(3);
        match self.choice.below(26) {
            0 => split(xs, n, &elem, k),
            1 => joined(xs, ty),
            2 => transposed(xs, n, &elem),
            3 => self.taken(xs, n, elem),
            4 => {
                let rest = n.shrunk(k)?;
                Some((format!("{xs} |> drop({k})"), Data::array(rest, elem)))
            }
            5 => self.windows(xs, n, elem, k),
            6 => {
                let l = self.choice.below(3);
                let out = Data::array(n.grown(l + k), elem);
                Some((format!("{xs} |> padClamp({l})({k})"), out))
            }
            7 | 8 => self.padded(xs, n, elem, k),
            9 | 10 if !elem.has_array() => {
                let x = self.name("v");
                let (body, out) = self.computed(&x, &elem, &[]);
                let text = format!("{xs} |> map(fun({x} => {body}))");
                Some((text, Data::array(n, out)))
            }
            11 => Some((self.reordered(xs, n), ty.clone())),
            12 | 13 => self.zipped(xs, n, elem, scope),
            14 => self.numbered(xs, n, elem),
            15 | 16 if elem.has_array() => {
                // The same view for each row, which is computed by every reader: no work is
                // distributed there.
                let row = self.name("row");
                let outside = self.level;
                if outside == Level::Group {
                    self.level = Level::Kernel;
                }
                let seen = self.view(&row, &elem, &[]);
                self.level = outside;
                let (inner, out) = seen?;
                let text = format!("{xs} |> map(fun({row} => {inner}))");
                Some((text, Data::array(n, out)))
            }
            17 => self.map_of_reductions(xs, n, &elem),
            18 => self.gathered(xs, n, elem),
            19 => self.doubled(xs, n, elem, scope),
            20 => self.halves(xs, n, &elem),
            21 => self.generated(xs, n, elem),
            22 => self.as_vectors(xs, n, &elem),
            23 => as_scalars(xs, n, &elem),
            24 => Some((format!("{xs} |> assume({n})"), ty.clone())),
            25 => {
                let m = Size::number(1 + self.choice.below(9));
                Some((format!("{xs} |> cycle({m})"), Data::array(m, elem)))
            }
            _ => None,
        }
    }

    fn taken(&mut self, xs: &str, n: Size, elem: Data) -> Seen {
        let size = n.constant()?;
        let part = 1 + self.choice.below(size);
        let out = Data::array(Size::number(part), elem);
        (part <= size).then(|| (format!("{xs} |> take({part})"), out))
    }

    fn windows(&mut self, xs: &str, n: Size, elem: Data, k: u32) -> Seen {
        let window = Data::array(Size::number(k), elem);
        // A step of two, if it fits the size.
        if let Some(size) = n.constant().filter(|size| *size >= k)
            && (size - k).is_multiple_of(2)
            && self.choice.one_in(3)
        {
            let count = Size::number((size - k) / 2 + 1);
            return Some((format!("{xs} |> slide({k})(2)"), Data::array(count, window)));
        }
        let windows = n.grown(1).shrunk(k)?;
        Some((
            format!("{xs} |> slide({k})(1)"),
            Data::array(windows, window),
        ))
    }

    fn padded(&mut self, xs: &str, n: Size, elem: Data, k: u32) -> Seen {
        if elem.has_array() {
            return None;
        }
        let l = self.choice.below(3);
        let pad = self.start(&elem);
        let text = format!("{xs} |> padCst({l})({k})({pad})");
        Some((text, Data::array(n.grown(l + k), elem)))
    }

    fn zipped(&mut self, xs: &str, n: Size, elem: Data, scope: &Scope) -> Seen {
        let as_long = |(_, other): &&(String, Data)| matches!(other, Data::Array(m, _) if *m == n);
        let (other, other_ty) = scope.iter().rev().find(as_long)?;
        let Data::Array(_, right) = other_ty else {
            return None;
        };
        if elem.has_array() || right.has_array() {
            return None;
        }
        let pair = Data::pair(elem, (**right).clone());
        Some((format!("zip({xs})({other})"), Data::array(n, pair)))
    }

    /// Pairs each element with its index.
    fn numbered(&mut self, xs: &str, n: Size, elem: Data) -> Seen {
        if elem.has_array() {
            return None;
        }
        let i = self.name("at");
        let text = format!("zip({xs})(generate(fun({i} => (cast(indexAsNat({i})) : i32))))");
        Some((text, Data::array(n, Data::pair(elem, Data::INT))))
    }

    /// Gathers elements at computed indices.
    fn gathered(&mut self, xs: &str, n: Size, elem: Data) -> Seen {
        let count = Size::number(1 + self.choice.below(6));
        let (step, start) = (1 + self.choice.below(3), self.choice.below(4));
        let i = self.name("at");
        let at = format!("natAsIndex({n})((indexAsNat({i}) * {step} + {start}) % {n})");
        let indices = format!("(generate(fun({i} => {at})) : {count}.Idx[{n}])");
        let text = format!("{xs} |> gather({indices})");
        Some((text, Data::array(count, elem)))
    }

    /// Appends the array or another one to the array, in memory, as `concat` only writes.
    fn doubled(&mut self, xs: &str, n: Size, elem: Data, scope: &Scope) -> Seen {
        if elem.has_array() {
            return None;
        }
        let like = |(_, other): &&(String, Data)| match other {
            Data::Array(_, of) => **of == elem,
            _ => false,
        };
        let (other, m) = match scope.iter().find(like) {
            Some((name, Data::Array(m, _))) => (name.clone(), *m),
            _ => (format!("({xs})"), n),
        };
        let total = Size {
            of_n: n.of_n + m.of_n,
            plus: n.plus + m.plus,
        };
        let out = Data::array(total, elem);
        let copy = |maker: &Maker, xs: &str| match maker.level {
            Level::Item => format!("{xs} |> mapSeq(id)"),
            _ => maker.shared_out("mapLocal", xs, "id", 1, 1),
        };
        let space = match self.level {
            Level::Kernel => return None,
            Level::Group => "(Local)".to_owned(),
            Level::Item => self.in_item(&out),
        };
        let (first, second) = (copy(self, xs), copy(self, &other));
        let text = format!("concat({first})({second}) |> toMem{space}");
        Some((text, out))
    }

    /// Selects a component of every pair.
    fn halves(&mut self, xs: &str, n: Size, elem: &Data) -> Seen {
        let Data::Pair(a, b) = elem else {
            return None;
        };
        let (half, of) = match self.choice.one_in(2) {
            true => ("fst", a),
            false => ("snd", b),
        };
        let text = match self.choice.below(4) > 0 {
            true => format!("{half}(unzip({xs}))"),
            false => format!("{xs} |> map({half})"),
        };
        Some((text, Data::array(n, (**of).clone())))
    }

    /// Reads elements by index, forwards or backwards.
    fn generated(&mut self, xs: &str, n: Size, elem: Data) -> Seen {
        let i = self.name("at");
        let at = match self.choice.one_in(2) {
            true => format!("natAsIndex({n})({n} - 1 - indexAsNat({i}))"),
            false => i.clone(),
        };
        let text = format!("(generate(fun({i} => ({xs} |> idx({at})))) : {n}.{elem})");
        Some((text, Data::array(n, elem)))
    }

    fn as_vectors(&mut self, xs: &str, n: Size, elem: &Data) -> Seen {
        let Data::Scalar(num) = elem else {
            return None;
        };
        let lanes = self.choice.of(&[2, 4]);
        let (of_n, plus) = (n.of_n, n.plus);
        if !elem.is_number() || !of_n.is_multiple_of(lanes) || !plus.is_multiple_of(lanes) {
            return None;
        }
        let count = Size {
            of_n: of_n / lanes,
            plus: plus / lanes,
        };
        let vectors = Data::array(count, Data::Vector(lanes, *num));
        let view = self.choice.of(&["asVector", "asVectorAligned"]);
        Some((format!("{xs} |> {view}({lanes})"), vectors))
    }

    /// Maps a reduction over rows; it is computed at each read.
    fn map_of_reductions(&mut self, xs: &str, n: Size, elem: &Data) -> Seen {
        let Data::Array(_, inner) = elem else {
            return None;
        };
        if !inner.is_number() {
            return None;
        }
        let row = self.name("row");
        let f = self.combination(inner, inner);
        let start = self.start(inner);
        let space = self.in_item(inner);
        let text = format!("{xs} |> map(fun({row} => {row} |> reduceSeq{space}({f})({start})))");
        Some((text, Data::array(n, (**inner).clone())))
    }

    /// Permutes the elements; as a view on an input or an output.
    pub fn reordered(&mut self, xs: &str, n: Size) -> String {
        match n.constant() {
            // A rotation by one or two.
            Some(size) if self.choice.one_in(2) => {
                let by = (1 + self.choice.below(2)) % size.max(1);
                let back = size - by;
                format!(
                    "{xs} |> reorder({n})(natFun(i => (i + {by}) % {n}))(natFun(i => (i + {back}) % {n}))"
                )
            }
            _ => {
                format!("{xs} |> reorder({n})(natFun(i => {n} - 1 - i))(natFun(i => {n} - 1 - i))")
            }
        }
    }
}

/// Splits an array into rows of length `k`, if `k` is a divisor of the size.
pub(crate) fn split(xs: &str, n: Size, elem: &Data, k: u32) -> Seen {
    if !n.of_n.is_multiple_of(k) || !n.plus.is_multiple_of(k) {
        return None;
    }
    let rows = Size {
        of_n: n.of_n / k,
        plus: n.plus / k,
    };
    let row = Data::array(Size::number(k), elem.clone());
    Some((format!("{xs} |> split({k})"), Data::array(rows, row)))
}

/// Joins the rows of an array, if its elements are arrays.
pub(crate) fn joined(xs: &str, ty: &Data) -> Seen {
    let Data::Array(n, rows) = ty else {
        return None;
    };
    let Data::Array(m, inner) = &**rows else {
        return None;
    };
    let total = match (n.constant(), m.constant()) {
        (Some(n), _) => m.times(n),
        (_, Some(m)) => n.times(m),
        _ => return None,
    };
    let out = Data::array(total, (**inner).clone());
    Some((format!("{xs} |> join"), out))
}

/// Transposes an array of rows.
pub(crate) fn transposed(xs: &str, n: Size, elem: &Data) -> Seen {
    let Data::Array(m, inner) = elem else {
        return None;
    };
    let row = Data::array(n, (**inner).clone());
    Some((format!("{xs} |> transpose"), Data::array(*m, row)))
}

/// Views an array of vectors as an array of their lanes.
pub(crate) fn as_scalars(xs: &str, n: Size, elem: &Data) -> Seen {
    let Data::Vector(lanes, num) = elem else {
        return None;
    };
    let out = Data::array(n.times(*lanes), Data::Scalar(*num));
    Some((format!("{xs} |> asScalar"), out))
}
