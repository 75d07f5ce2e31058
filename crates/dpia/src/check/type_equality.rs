//! Type equality up to alpha-equivalence, and subtyping.

use nat::{Nat, Prop, Var};
use rise::subst::subst;
use rise::types::contains_array;
use rise::{Access, Arg, DataFun, Pi, Ty, Type};
use syntax::ast::Kind;

use super::Checker;

/// The smallest number of a common variable of compared binders, above the numbers in programs and
/// primitives.
const COMPARED: u32 = 1 << 26;

impl Checker {
    /// Returns true if `a` is a subtype of `b`. Equal types are subtypes of each other, and
    /// `Exp[t, Rd]` is a subtype of `Exp[t, Wr]` if `t` contains no array; functions are
    /// contravariant in their parameters and covariant in their results.
    pub fn is_subtype(&mut self, a: &Ty, b: &Ty) -> bool {
        match (&**a, &**b) {
            (Type::Exp(s, x), Type::Exp(t, y)) => {
                let copied = *x == Access::Rd && *y == Access::Wr && !contains_array(s);
                (x == y || copied) && self.same(s, t)
            }
            (Type::Fun(a, r), Type::Fun(b, s)) => self.is_subtype(b, a) && self.is_subtype(r, s),
            (Type::Pi(a), Type::Pi(b)) => {
                a.kind == b.kind && {
                    let (a, b) = self.opened(a, b);
                    self.closing(|this| this.is_subtype(&a, &b))
                }
            }
            _ => self.same(a, b),
        }
    }

    /// Returns true if two types are alpha-equivalent, where sizes that are proved to be equal
    /// count as the same.
    fn same(&mut self, a: &Ty, b: &Ty) -> bool {
        match (&**a, &**b) {
            (Type::Scalar(a), Type::Scalar(b)) => a == b,
            (Type::Var(a), Type::Var(b)) => a == b,
            (Type::Index(n), Type::Index(m)) => self.equal(n, m),
            (Type::Vector(n, a), Type::Vector(m, b)) | (Type::Array(n, a), Type::Array(m, b)) => {
                self.equal(n, m) && self.same(a, b)
            }
            (Type::DepArray(n, f), Type::DepArray(m, g)) => self.equal(n, m) && self.same_fun(f, g),
            (Type::DepPair(f), Type::DepPair(g)) => self.same_fun(f, g),
            (Type::Apply(f, n), Type::Apply(g, m)) => f == g && self.equal(n, m),
            (Type::Pair(a, b), Type::Pair(c, d)) | (Type::Fun(a, b), Type::Fun(c, d)) => {
                self.same(a, c) && self.same(b, d)
            }
            (Type::Exp(a, x), Type::Exp(b, y)) => x == y && self.same(a, b),
            (Type::Acc(a), Type::Acc(b)) => self.same(a, b),
            (Type::Comm, Type::Comm) => true,
            (Type::Pi(a), Type::Pi(b)) => {
                a.kind == b.kind && {
                    let (a, b) = self.opened(a, b);
                    self.closing(|this| this.same(&a, &b))
                }
            }
            _ => false,
        }
    }

    fn equal(&self, n: &Nat, m: &Nat) -> bool {
        n == m || self.facts.proves(&Prop::Equal(n.clone(), m.clone()))
    }

    fn same_fun(&mut self, f: &DataFun, g: &DataFun) -> bool {
        if let (DataFun::Var(f), DataFun::Var(g)) = (f, g) {
            return f == g;
        }
        let at = Nat::var(Var(COMPARED + self.binders));
        let (a, b) = (
            crate::phrase::data_at(f, &at),
            crate::phrase::data_at(g, &at),
        );
        self.closing(|this| this.same(&a, &b))
    }

    /// Opens two binders: returns their bodies over a common variable.
    fn opened(&self, a: &Pi, b: &Pi) -> (Ty, Ty) {
        let common = Var(COMPARED + self.binders);
        let open = |pi: &Pi| {
            subst(&pi.body, &|v| {
                (v == pi.var).then(|| as_arg(common, pi.kind))
            })
        };
        (open(a), open(b))
    }

    fn closing(&mut self, f: impl FnOnce(&mut Self) -> bool) -> bool {
        self.binders += 1;
        let result = f(self);
        self.binders -= 1;
        result
    }
}

/// Makes the type-level argument that is a variable of this kind.
fn as_arg(var: Var, kind: Kind) -> Arg {
    match kind {
        Kind::Nat => Arg::Nat(Nat::var(var)),
        Kind::AddrSp => Arg::Address(rise::Address::Var(var)),
        Kind::Nat2Nat => Arg::SizeFun(rise::SizeFun::Var(var)),
        Kind::Nat2Data => Arg::DataFun(DataFun::Var(var)),
        Kind::ReadWrite => Arg::Access(Access::Var(var)),
        Kind::DataType | Kind::Scalar | Kind::Num | Kind::Int | Kind::Float => {
            Arg::Type(Type::Var(var).into())
        }
    }
}
