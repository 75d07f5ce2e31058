//! Views: on what is read, and on what is written.

use crate::{Data, LARGE, Maker, Size};

impl Maker {
    /// A value that is read, seen through some views.
    pub fn viewed(&mut self, value: &str, ty: &Data, scope: &[(String, Data)]) -> (String, Data) {
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

    fn view(&mut self, xs: &str, ty: &Data, scope: &[(String, Data)]) -> Option<(String, Data)> {
        let Data::Array(n, elem) = ty else {
            return None;
        };
        let (n, elem) = (*n, (**elem).clone());
        let k = 1 + self.choice.below(3);
        match self.choice.below(14) {
            0 => split(xs, n, &elem, k),
            1 => joined(xs, ty),
            2 => transposed(xs, n, &elem),
            3 => {
                let size = n.constant()?;
                let part = 1 + self.choice.below(size.max(1));
                (part <= size).then(|| {
                    (
                        format!("{xs} |> take({part})"),
                        Data::array(Size::number(part), elem),
                    )
                })
            }
            4 => {
                let rest = Size {
                    plus: n.plus.checked_sub(k)?,
                    ..n
                };
                (rest.at_least() > 0)
                    .then(|| (format!("{xs} |> drop({k})"), Data::array(rest, elem)))
            }
            5 => {
                // Windows one apart: one fewer than fit.
                let windows = Size {
                    plus: (n.plus + 1).checked_sub(k)?,
                    ..n
                };
                (windows.at_least() > 0).then(|| {
                    let window = Data::array(Size::number(k), elem);
                    (
                        format!("{xs} |> slide({k})(1)"),
                        Data::array(windows, window),
                    )
                })
            }
            6 => {
                let l = self.choice.below(3);
                Some((
                    format!("{xs} |> padClamp({l})({k})"),
                    Data::array(n.grown(l + k), elem),
                ))
            }
            7 if elem.is_scalar() => {
                let l = self.choice.below(3);
                let pad = self.literal(&elem);
                let text = format!("{xs} |> padCst({l})({k})({pad})");
                Some((text, Data::array(n.grown(l + k), elem)))
            }
            8 if elem.is_scalar() => {
                let x = self.name("v");
                let f = self.literal(&elem);
                Some((
                    format!("{xs} |> map(fun({x} => {x} * {f} - {f}))"),
                    ty.clone(),
                ))
            }
            9 => Some((reversed(xs, n), ty.clone())),
            10 => {
                let (other, other_ty) = scope.iter().rev().find(|(_, other)| match other {
                    Data::Array(m, _) => *m == n,
                    _ => false,
                })?;
                let Data::Array(_, right) = other_ty else {
                    return None;
                };
                if elem.has_array() || right.has_array() {
                    return None;
                }
                let pair = Data::Pair(Box::new(elem), right.clone());
                Some((format!("zip({xs})({other})"), Data::array(n, pair)))
            }
            11 if !elem.has_array() => {
                let i = self.name("at");
                let text =
                    format!("zip({xs})(generate(fun({i} => (cast(indexAsNat({i})) : i32))))");
                let pair = Data::Pair(Box::new(elem), Box::new(Data::Int));
                Some((text, Data::array(n, pair)))
            }
            12 if elem.has_array() => {
                // The same for each row.
                let row = self.name("row");
                let (inner, out) = self.view(&row, &elem, &[])?;
                Some((
                    format!("{xs} |> map(fun({row} => {inner}))"),
                    Data::array(n, out),
                ))
            }
            13 if elem.has_array() && self.choice.one_in(2) => self.map_of_reductions(xs, n, &elem),
            _ => None,
        }
    }

    /// Rows that are reduced where they are read.
    fn map_of_reductions(&mut self, xs: &str, n: Size, elem: &Data) -> Option<(String, Data)> {
        let Data::Array(_, inner) = elem else {
            return None;
        };
        if !inner.is_scalar() {
            return None;
        }
        let row = self.name("row");
        let f = self.combination(inner, inner);
        let zero = self.literal(inner);
        let text = format!("{xs} |> map(fun({row} => {row} |> reduceSeq({f})({zero})))");
        Some((text, Data::array(n, (**inner).clone())))
    }

    /// Views on what is written.
    pub fn written_views(&mut self, value: &str, ty: &Data) -> (String, Data) {
        let (mut text, mut ty) = (value.to_owned(), ty.clone());
        for _ in 0..self.choice.below(3) {
            let Data::Array(n, elem) = ty.clone() else {
                break;
            };
            let k = 1 + self.choice.below(3);
            let next = match self.choice.below(5) {
                0 => split(&text, n, &elem, k),
                1 => joined(&text, &ty),
                2 => transposed(&text, n, &elem),
                3 => Some((reversed(&text, n), ty.clone())),
                _ => self.rows_rearranged(&text, n, &elem),
            };
            if let Some((next, out)) = next {
                text = next;
                ty = out;
            }
        }
        (text, ty)
    }

    fn rows_rearranged(&mut self, xs: &str, n: Size, elem: &Data) -> Option<(String, Data)> {
        let Data::Array(m, inner) = elem else {
            return None;
        };
        let row = self.name("row");
        let (body, out) = match self.choice.below(2) {
            0 => transposed(&row, *m, inner)?,
            _ => (reversed(&row, *m), elem.clone()),
        };
        Some((
            format!("{xs} |> map(fun({row} => {body}))"),
            Data::array(n, out),
        ))
    }
}

fn split(xs: &str, n: Size, elem: &Data, k: u32) -> Option<(String, Data)> {
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

/// Rows one after the other, if there are rows.
pub(crate) fn joined(xs: &str, ty: &Data) -> Option<(String, Data)> {
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
    Some((
        format!("{xs} |> join"),
        Data::array(total, (**inner).clone()),
    ))
}

fn transposed(xs: &str, n: Size, elem: &Data) -> Option<(String, Data)> {
    let Data::Array(m, inner) = elem else {
        return None;
    };
    let row = Data::array(n, (**inner).clone());
    Some((format!("{xs} |> transpose"), Data::array(*m, row)))
}

fn reversed(xs: &str, n: Size) -> String {
    format!("{xs} |> reorder({n})(natFun(i => {n} - 1 - i))(natFun(i => {n} - 1 - i))")
}
