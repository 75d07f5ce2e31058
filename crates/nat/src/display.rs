//! The printer of sizes; its text reads back as an equal size, except for an operation beyond the
//! limits of depth or weight, which is printed as `…`.

use crate::repr::{Atom, Mono, Nat, Op, Repr, Term, Var};
use smol_str::SmolStr;
use std::fmt::{self, Display, Write};

/// The result of [`Nat::display`], which implements `Display`.
pub struct DisplayNat<'a> {
    nat: &'a Nat,
    names: &'a dyn Fn(Var) -> SmolStr,
}

impl Nat {
    /// Returns a value that prints the size, for example `n*k + 2`; with `{:#}` without spaces
    /// around `+` and `-`, as in types: `n*k+2`. `names` returns the names of the variables.
    pub fn display<'a>(&'a self, names: &'a dyn Fn(Var) -> SmolStr) -> DisplayNat<'a> {
        DisplayNat { nat: self, names }
    }

    /// Returns true if the size is printed without parentheses before `.t`: a number without a
    /// sign, a variable, or the application `f(n)` of a function variable.
    pub fn is_atomic(&self) -> bool {
        match &self.0 {
            Repr::Const(value) => *value >= 0,
            Repr::Var(_) => true,
            Repr::Poly(_) => self
                .as_atom()
                .is_some_and(|atom| matches!(atom.op(), Some(Op::App(..)))),
        }
    }
}

impl Display for DisplayNat<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.nat.0 {
            Repr::Const(value) => write!(f, "{value}"),
            Repr::Var(var) => f.write_str(&(self.names)(*var)),
            Repr::Poly(_) => {
                let mut used = Vec::new();
                self.nat.for_each_var(&mut |v| used.push((self.names)(v)));
                let tight = f.alternate();
                let mut writer = Writer {
                    out: f,
                    names: self.names,
                    used,
                    indices: Vec::new(),
                };
                writer.nat(self.nat, Precedence::Top, tight)
            }
        }
    }
}

/// The context of an expression, which determines whether it needs parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Precedence {
    /// Any expression.
    Top,
    /// The left operand of `*`, `/` or `%`: a sum or a negative term needs parentheses.
    Factor,
    /// The right operand of `*`, `/` or `%`, or a factor of a term: a product, a quotient or a
    /// remainder needs parentheses too.
    Operand,
    /// An operand of `^`: a power needs parentheses too.
    Base,
}

struct Writer<'a, 'f> {
    out: &'a mut fmt::Formatter<'f>,
    names: &'a dyn Fn(Var) -> SmolStr,
    used: Vec<SmolStr>,
    indices: Vec<SmolStr>,
}

impl Writer<'_, '_> {
    fn nat(&mut self, nat: &Nat, place: Precedence, tight: bool) -> fmt::Result {
        let terms = in_order(nat);
        let needs = match terms.as_slice() {
            [] => false,
            [one] => needs_parens(one, place),
            _ => place > Precedence::Top,
        };
        if needs {
            self.out.write_char('(')?;
        }
        for (at, term) in terms.iter().enumerate() {
            let sign = match (at, term.coeff < 0, tight || needs) {
                (0, true, _) => "-",
                (0, false, _) => "",
                (_, true, true) => "-",
                (_, false, true) => "+",
                (_, true, false) => " - ",
                (_, false, false) => " + ",
            };
            self.out.write_str(sign)?;
            self.term(&term.mono, term.coeff.unsigned_abs(), term.up)?;
        }
        if terms.is_empty() {
            self.out.write_char('0')?;
        }
        if needs {
            self.out.write_char(')')?;
        }
        Ok(())
    }

    /// Prints a term such as `a*b^2*4` without its sign, with the number last as in
    /// `split(4) : (n*4).t`. If `up`, a division in the term is printed as one that rounds up.
    fn term(&mut self, mono: &Mono, coeff: u64, up: bool) -> fmt::Result {
        if mono.is_one() {
            return write!(self.out, "{coeff}");
        }
        let alone = coeff == 1 && matches!(mono.0.as_slice(), [one] if one.exp == 1);
        for (at, factor) in mono.0.iter().enumerate() {
            if at > 0 {
                self.out.write_char('*')?;
            }
            let place = if alone {
                Precedence::Top
            } else {
                Precedence::Operand
            };
            self.atom(&factor.atom, place, factor.exp > 1, up)?;
            if factor.exp > 1 {
                write!(self.out, "^{}", factor.exp)?;
            }
        }
        if coeff != 1 {
            write!(self.out, "*{coeff}")
        } else {
            Ok(())
        }
    }

    fn atom(&mut self, atom: &Atom, place: Precedence, powered: bool, up: bool) -> fmt::Result {
        let node = match atom {
            Atom::Var(var) => return self.out.write_str(&(self.names)(*var)),
            Atom::Bound(index) => {
                let at = self.indices.len().checked_sub(*index as usize + 1);
                let name = at.and_then(|at| self.indices.get(at)).cloned();
                return self.out.write_str(name.as_deref().unwrap_or("_"));
            }
            Atom::Node(node) => node,
        };
        match &node.op {
            Op::Div(a, b) => match rounded_up(a, b, up) {
                Some(above) => self.call("ceilDiv", &[&above, b]),
                None => self.infix(a, '/', b, place),
            },
            Op::Mod(a, b) => self.infix(a, '%', b, place),
            Op::Pow(a, b) => {
                let parens = powered;
                self.open(parens)?;
                self.nat(a, Precedence::Base, true)?;
                self.out.write_char('^')?;
                self.nat(b, Precedence::Base, true)?;
                self.close(parens)
            }
            Op::Min(all) => self.nested("min", all),
            Op::Max(all) => self.nested("max", all),
            Op::Log2(a) => self.call("log2", &[a]),
            Op::Sum { from, to, body } => {
                let name = self.fresh_index();
                write!(self.out, "sum({name}, ")?;
                self.nat(from, Precedence::Top, true)?;
                self.out.write_str(", ")?;
                self.nat(to, Precedence::Top, true)?;
                self.out.write_str(", ")?;
                self.indices.push(name);
                let body = self.nat(body, Precedence::Top, true);
                self.indices.pop();
                body?;
                self.out.write_char(')')
            }
            Op::App(fun, arg) => {
                let name = (self.names)(*fun);
                self.call(&name, &[arg])
            }
            Op::BigAdd(a, b) => {
                self.out.write_char('(')?;
                self.nat(a, Precedence::Top, true)?;
                self.out.write_char('+')?;
                self.nat(b, Precedence::Factor, true)?;
                self.out.write_char(')')
            }
            Op::BigMul(a, b) => self.infix(a, '*', b, place),
            Op::TooBig { .. } => self.out.write_char('…'),
        }
    }

    fn infix(&mut self, a: &Nat, sign: char, b: &Nat, place: Precedence) -> fmt::Result {
        let parens = place > Precedence::Top;
        self.open(parens)?;
        self.nat(a, Precedence::Factor, true)?;
        self.out.write_char(sign)?;
        self.nat(b, Precedence::Operand, true)?;
        self.close(parens)
    }

    fn open(&mut self, parens: bool) -> fmt::Result {
        if parens {
            self.out.write_char('(')
        } else {
            Ok(())
        }
    }

    fn close(&mut self, parens: bool) -> fmt::Result {
        if parens {
            self.out.write_char(')')
        } else {
            Ok(())
        }
    }

    fn call(&mut self, name: &str, args: &[&Nat]) -> fmt::Result {
        write!(self.out, "{name}(")?;
        for (at, arg) in args.iter().enumerate() {
            if at > 0 {
                self.out.write_str(", ")?;
            }
            self.nat(arg, Precedence::Top, true)?;
        }
        self.out.write_char(')')
    }

    /// Prints nested calls such as `min(a, min(b, c))`, because the functions of the language take
    /// two arguments.
    fn nested(&mut self, name: &str, all: &[Nat]) -> fmt::Result {
        let Some((last, rest)) = all.split_last() else {
            return Ok(());
        };
        for one in rest {
            write!(self.out, "{name}(")?;
            self.nat(one, Precedence::Top, true)?;
            self.out.write_str(", ")?;
        }
        self.nat(last, Precedence::Top, true)?;
        rest.iter().try_for_each(|_| self.out.write_char(')'))
    }

    /// Returns an unused name for the index of a sum.
    fn fresh_index(&self) -> SmolStr {
        let taken = |name: &SmolStr| self.used.contains(name) || self.indices.contains(name);
        let letters = ["i", "j", "k", "l"].into_iter().map(SmolStr::new_static);
        let numbered = (1u32..).map(|at| smol_str::format_smolstr!("i{at}"));
        letters
            .chain(numbered)
            .find(|name| !taken(name))
            .unwrap_or_else(|| SmolStr::new_static("i"))
    }
}

/// A term to print; if `up`, its division is printed as one that rounds up.
struct DisplayTerm {
    mono: Mono,
    coeff: i64,
    up: bool,
}

/// Returns the terms in printing order: the positive ones, the negative ones, and then the
/// constant, which is first if it is positive and no other term is. A term that is printed as a
/// division that rounds up reduces the constant by its coefficient.
fn in_order(nat: &Nat) -> Vec<DisplayTerm> {
    let terms = nat.terms();
    let mut constant = nat.constant_part();
    let mut shown: Vec<DisplayTerm> = Vec::with_capacity(terms.len());
    for Term { mono, coeff } in terms.iter().filter(|t| !t.mono.is_one()) {
        // `1 + (n-1)/s` is `n/s` rounded up.
        let up = *coeff > 0 && constant >= *coeff && is_below_one(mono);
        constant -= if up { *coeff } else { 0 };
        shown.push(DisplayTerm {
            mono: mono.clone(),
            coeff: *coeff,
            up,
        });
    }
    if constant != 0 {
        shown.push(DisplayTerm {
            mono: Mono::one(),
            coeff: constant,
            up: false,
        });
    }
    if shown.iter().all(|t| t.coeff < 0 || t.mono.is_one()) {
        shown.sort_by_key(|t| t.coeff < 0);
    } else {
        shown.sort_by_key(|t| (t.mono.is_one(), t.coeff < 0));
    }
    shown
}

/// Returns true for a single division whose dividend has the constant part -1.
fn is_below_one(mono: &Mono) -> bool {
    match mono.0.as_slice() {
        [factor] if factor.exp == 1 => match factor.atom.op() {
            Some(Op::Div(a, _)) => a.constant_part() == -1,
            _ => false,
        },
        _ => false,
    }
}

/// Returns the dividend `d` if `a / b` is printed as `d / b` rounded up.
fn rounded_up(a: &Nat, b: &Nat, up: bool) -> Option<Nat> {
    if up {
        return Some(a + 1);
    }
    let by = b.as_const().filter(|by| *by > 1)?;
    (a.as_const().is_none() && a.constant_part() == by - 1).then(|| a - (by - 1))
}

fn needs_parens(term: &DisplayTerm, place: Precedence) -> bool {
    if term.coeff < 0 {
        return place > Precedence::Top;
    }
    match term.mono.0.as_slice() {
        [] => false,
        [one] if term.coeff == 1 => match one.atom.op() {
            _ if one.exp > 1 => place == Precedence::Base,
            Some(Op::Pow(..)) => place == Precedence::Base,
            Some(Op::Div(a, b)) => {
                place >= Precedence::Operand && rounded_up(a, b, term.up).is_none()
            }
            Some(Op::Mod(..) | Op::BigMul(..)) => place >= Precedence::Operand,
            _ => false,
        },
        _ => place >= Precedence::Operand,
    }
}
