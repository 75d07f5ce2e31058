//! Simplification of sizes under the conditions of a program.

use std::cell::RefCell;
use std::sync::Arc;

use nat::{Facts, Nat};
use rustc_hash::FxHashMap;

use super::{Mapper, Program};
use crate::subst::map_sizes;
use crate::types::{Arg, DataFun, Ty, Type};

/// Simplifies the sizes in the program's body under its obligations: `(n / 4) * 4` becomes `n` if 4
/// divides `n`. Inference does the same in a definition. Type-level arguments `natFun(…)` stay as
/// they are, and so does a program without obligations.
pub fn simplify_sizes<P: Clone + PartialEq>(program: &mut Program<P>) {
    if program.obligations.is_empty() {
        return;
    }
    let mut facts = Facts::new();
    for prop in &program.obligations {
        facts.assume(prop);
    }
    let mut simplifier = Simplifier {
        facts,
        seen: RefCell::default(),
        types: FxHashMap::default(),
    };
    program.body = simplifier.expr(&program.body);
}

struct Simplifier {
    facts: Facts,
    /// A memo table of simplified sizes, because the same few sizes occur many times.
    seen: RefCell<FxHashMap<Nat, Nat>>,
    /// A memo table of simplified types by the address of the old type, because many nodes share a
    /// type; the old type is kept alive, so that its address is not reused.
    types: FxHashMap<*const Type, (Ty, Ty)>,
}

impl Simplifier {
    fn size(&self, nat: &Nat) -> Nat {
        if nat.as_const().is_some() || nat.as_var().is_some() {
            return nat.clone();
        }
        if let Some(simple) = self.seen.borrow().get(nat) {
            return simple.clone();
        }
        let simple = self.facts.normalize(nat);
        self.seen.borrow_mut().insert(nat.clone(), simple.clone());
        simple
    }
}

impl<P> Mapper<P> for Simplifier {
    fn ty(&mut self, ty: &Ty) -> Ty {
        if let Some((_, known)) = self.types.get(&Arc::as_ptr(ty)) {
            return known.clone();
        }
        let simple = map_sizes(ty, &|n| self.size(n));
        let simple = if simple == *ty { ty.clone() } else { simple };
        self.types
            .insert(Arc::as_ptr(ty), (ty.clone(), simple.clone()));
        simple
    }

    fn arg(&mut self, arg: &Arg) -> Arg {
        match arg {
            Arg::Nat(nat) => Arg::Nat(self.size(nat)),
            Arg::Type(ty) => Arg::Type(Mapper::<P>::ty(self, ty)),
            Arg::DataFun(DataFun::Lambda(param, body)) => {
                Arg::DataFun(DataFun::Lambda(*param, Mapper::<P>::ty(self, body)))
            }
            _ => arg.clone(),
        }
    }

    fn nat(&mut self, nat: &Nat) -> Nat {
        self.size(nat)
    }
}
