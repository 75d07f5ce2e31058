//! The printer of types, schemes, sizes, conditions and type-level arguments. Its text reads back
//! as an equal type, except for [`Type::Error`], which is printed as `_`.

use std::fmt::Write;

use nat::{Nat, Prop};
use syntax::ast::Name;

use crate::types::{Access, Address, Arg, DataFun, Names, Scheme, SizeFun, Type, conditions_along};

/// Prints a type, for example `(n: Nat) -> n.f32 -> f32`.
pub fn type_text(ty: &Type, names: &Names) -> String {
    let mut printer = Printer {
        out: String::new(),
        names,
    };
    printer.ty(ty, TypePosition::Top);
    printer.out
}

/// Prints the type of a definition with its conditions:
/// `(n: Nat) -> n.f32 -> f32 where 4 divides n`.
pub fn scheme_text(scheme: &Scheme) -> String {
    let text = type_text(&scheme.ty, &scheme.names);
    text + &where_text(scheme.obligations.iter(), &scheme.names)
}

/// Prints conditions as ` where 4 divides n, n >= 12`; returns the empty string if there are none.
fn where_text<'p>(conditions: impl IntoIterator<Item = &'p Prop>, names: &Names) -> String {
    let mut text = String::new();
    for prop in conditions {
        text.push_str(if text.is_empty() { " where " } else { ", " });
        text.push_str(&prop_text(prop, names));
    }
    text
}

/// Prints a size, for example `n*m + 1`.
pub fn nat_text(nat: &Nat, names: &Names) -> String {
    nat.display(&|v| names.get(v)).to_string()
}

/// Prints a condition, for example `4 divides n`. In inequalities, summands are moved to the other
/// side to avoid subtractions, and cancelled: `n >= 2`, not `n - 1 >= 1`.
pub fn prop_text(prop: &Prop, names: &Names) -> String {
    let name = |v| -> Name { names.get(v) };
    match prop {
        Prop::AtLeast(a, b) => {
            let (more, less) = Nat::sub(a, b).split_signs();
            Prop::AtLeast(more, less).display(&name).to_string()
        }
        Prop::ForAll {
            var,
            from,
            to,
            prop,
        } => format!(
            "{} for all {} <= {} < {}",
            prop_text(prop, names),
            from.display(&name),
            names.get(*var),
            to.display(&name),
        ),
        Prop::Divides(..) | Prop::Equal(..) => prop.display(&name).to_string(),
    }
}

/// Prints a type-level argument.
pub fn arg_text(arg: &Arg, names: &Names) -> String {
    match arg {
        Arg::Nat(nat) => nat_text(nat, names),
        Arg::Type(ty) => type_text(ty, names),
        Arg::Address(Address::Space(space)) => space.to_string(),
        Arg::Address(Address::Var(var)) => names.get(*var).to_string(),
        Arg::Access(access) => access_text(*access, names).to_string(),
        Arg::SizeFun(SizeFun::Var(var)) => names.get(*var).to_string(),
        Arg::SizeFun(SizeFun::Lambda(fun)) => {
            format!(
                "natFun({} => {})",
                names.get(fun.param),
                nat_text(&fun.body, names)
            )
        }
        Arg::DataFun(fun) => {
            let mut printer = Printer {
                out: String::new(),
                names,
            };
            printer.data_fun(fun);
            printer.out
        }
    }
}

/// Prints an access, for example `Rd`.
pub fn access_text(access: Access, names: &Names) -> Name {
    match access {
        Access::Var(var) => names.get(var),
        Access::Rd => Name::new_static("Rd"),
        Access::Wr => Name::new_static("Wr"),
        Access::St => Name::new_static("St"),
    }
}

/// The context of a type, which determines whether it needs parentheses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TypePosition {
    Top,
    /// The left side of an arrow.
    Domain,
    /// The element type behind `n.`, where arrows need parentheses.
    Element,
    /// The right side of an arrow: its conditions belong to the whole function type, which prints
    /// them.
    Result,
}

struct Printer<'n> {
    out: String,
    names: &'n Names,
}

impl Printer<'_> {
    fn ty(&mut self, ty: &Type, place: TypePosition) {
        let parens = matches!(ty, Type::Fun(..) | Type::Pi(_))
            && matches!(place, TypePosition::Domain | TypePosition::Element);
        if parens {
            self.out.push('(');
        }
        self.bare(ty);
        if place != TypePosition::Result {
            let conditions = where_text(conditions_along(ty), self.names);
            self.out.push_str(&conditions);
        }
        if parens {
            self.out.push(')');
        }
    }

    fn bare(&mut self, ty: &Type) {
        match ty {
            Type::Error => self.out.push('_'),
            Type::Var(var) => self.out.push_str(&self.names.get(*var)),
            Type::Scalar(scalar) => self.out.push_str(scalar.as_str()),
            Type::Index(n) => {
                self.out.push_str("Idx[");
                self.nat(n);
                self.out.push(']');
            }
            Type::Vector(n, elem) => {
                self.out.push_str("Vec[");
                self.nat(n);
                self.out.push_str(", ");
                self.ty(elem, TypePosition::Top);
                self.out.push(']');
            }
            Type::Array(n, elem) => {
                self.size(n);
                self.out.push('.');
                self.ty(elem, TypePosition::Element);
            }
            Type::DepArray(n, fun) => {
                self.size(n);
                self.out.push_str("..");
                self.data_fun(fun);
            }
            Type::Pair(a, b) => {
                self.out.push('(');
                self.ty(a, TypePosition::Top);
                self.out.push_str(", ");
                self.ty(b, TypePosition::Top);
                self.out.push(')');
            }
            Type::DepPair(DataFun::Lambda(param, body)) => {
                let name = self.names.get(*param);
                let _ = write!(self.out, "DepPair[{name} => ");
                self.ty(body, TypePosition::Top);
                self.out.push(']');
            }
            Type::DepPair(DataFun::Var(var)) => {
                let name = self.names.get(*var);
                let _ = write!(self.out, "DepPair[k => {name}(k)]");
            }
            Type::Apply(fun, n) => {
                self.out.push_str(&self.names.get(*fun));
                self.out.push('(');
                self.nat(n);
                self.out.push(')');
            }
            Type::Fun(a, b) => {
                self.ty(a, TypePosition::Domain);
                self.out.push_str(" -> ");
                self.ty(b, TypePosition::Result);
            }
            Type::Pi(pi) => {
                let (open, close) = if pi.implicit { ('{', '}') } else { ('(', ')') };
                let name = self.names.get(pi.var);
                let _ = write!(self.out, "{open}{name}: {}{close} -> ", pi.kind);
                self.ty(&pi.body, TypePosition::Result);
            }
            Type::Exp(t, access) => {
                self.out.push_str("Exp[");
                self.ty(t, TypePosition::Top);
                let _ = write!(self.out, ", {}]", access_text(*access, self.names));
            }
            Type::Acc(t) => {
                self.out.push_str("Acc[");
                self.ty(t, TypePosition::Top);
                self.out.push(']');
            }
            Type::Comm => self.out.push_str("Comm"),
        }
    }

    fn nat(&mut self, n: &Nat) {
        let names = self.names;
        let _ = write!(self.out, "{}", n.display(&|v| names.get(v)));
    }

    fn size(&mut self, n: &Nat) {
        let names = self.names;
        let name = |v| names.get(v);
        if n.is_atomic() {
            let _ = write!(self.out, "{:#}", n.display(&name));
        } else {
            let _ = write!(self.out, "({:#})", n.display(&name));
        }
    }

    fn data_fun(&mut self, fun: &DataFun) {
        match fun {
            DataFun::Var(var) => self.out.push_str(&self.names.get(*var)),
            DataFun::Lambda(param, body) => {
                let name = self.names.get(*param);
                let _ = write!(self.out, "dataFun({name} => ");
                self.ty(body, TypePosition::Top);
                self.out.push(')');
            }
        }
    }
}
