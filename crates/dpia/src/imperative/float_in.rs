//! Let floating inwards.
//!
//! A failing value of a `let` is an error only where it is read: in
//! `let q = a / b in select(b == 0)(0)(q * q)` the quotient may not exist. The translation computes
//! values where they are bound. So a value that may fail is moved into the branches of conditions
//! first if nothing else reads it. Values that cannot fail stay where they are.
//!
//! Source: Peyton Jones, Partain, Santos, *Let-floating: moving bindings to give faster programs*
//! (ICFP 1996), section 3.1.

use std::sync::Arc;

use rise::core::{Form, Mapper, Node, Param, walk};
use rise::pattern::{MapLoop, ReduceLoop};
use rise::types::contains_array;
use rise::{Pattern, Type};
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::ast::ScalarType;

use super::Translation;
use super::purity::{for_each, is_pure};
use crate::phrase::{self, Phrase};
use crate::prim::Prim;

impl Translation {
    /// Moves values that may fail into the branches that read them.
    pub fn float_in(&mut self, body: &Phrase) -> Phrase {
        match Risk::of(body) {
            None => body.clone(),
            Some(_) => FloatIn {
                translation: self,
                done: FxHashMap::default(),
            }
            .expr(body),
        }
    }
}

/// The properties of an expression that may fail.
struct Risk {
    /// True if its computation contains a sequential reduction or calls a C function.
    repeats: bool,
    /// True if it contains a primitive other than a sequential reduction, a `let` or a map over the
    /// lanes of a vector that needs commands, such as a loop that writes memory.
    stores: bool,
}

impl Risk {
    /// Returns the properties of an expression; `None` if it cannot fail.
    fn of(phrase: &Phrase) -> Option<Risk> {
        let (mut fails, mut repeats, mut stores) = (false, false, false);
        for_each(
            phrase,
            &mut FxHashSet::default(),
            &mut |part| match &part.form {
                Form::Primitive(prim, _, args) => {
                    fails |= may_fail(*prim, args);
                    match prim.pattern() {
                        Some(
                            Pattern::Reduce(ReduceLoop::Sequential | ReduceLoop::Unrolled)
                            | Pattern::Repeat(_),
                        ) => {
                            repeats = true;
                        }
                        Some(Pattern::Let | Pattern::Map(MapLoop::Lanes)) => {}
                        _ => stores |= !is_pure(*prim),
                    }
                }
                Form::Foreign(..) => repeats = true,
                _ => {}
            },
        );
        fails.then_some(Risk { repeats, stores })
    }
}

/// Returns true if a primitive may be undefined for these arguments: a division or remainder of
/// integers whose divisor is not known to be other than 0, or the conversion to an index of a
/// number that is no constant or size.
fn may_fail(prim: Prim, args: &[Phrase]) -> bool {
    match (prim, args) {
        (Prim::Div | Prim::Mod, [_, divisor]) => !is_float(divisor) && !is_other_than_zero(divisor),
        (Prim::NatAsIndex, [index]) => !matches!(index.form, Form::Nat(_) | Form::Literal(_)),
        _ => false,
    }
}

fn is_float(phrase: &Phrase) -> bool {
    let scalar = match phrase::data(&phrase.ty).map(|ty| &**ty) {
        Some(Type::Scalar(scalar)) => Some(*scalar),
        Some(Type::Vector(_, scalar)) => match &**scalar {
            Type::Scalar(scalar) => Some(*scalar),
            _ => None,
        },
        _ => None,
    };
    matches!(
        scalar,
        Some(ScalarType::F16 | ScalarType::F32 | ScalarType::F64)
    )
}

/// Returns true if an expression is a constant other than 0, also after a `cast` or in all lanes of
/// a vector.
fn is_other_than_zero(phrase: &Phrase) -> bool {
    match &phrase.form {
        Form::Literal(syntax::ast::Literal::Int { value, .. }) => *value != 0,
        Form::Nat(nat) => nat.as_const().is_some_and(|value| value > 0),
        Form::Primitive(Prim::Cast | Prim::VectorFromScalar, _, args) => {
            args.iter().all(is_other_than_zero)
        }
        _ => false,
    }
}

struct FloatIn<'t> {
    translation: &'t mut Translation,
    done: FxHashMap<*const Node<Prim>, Phrase>,
}

impl Mapper<Prim> for FloatIn<'_> {
    fn keeps_types(&self) -> bool {
        true
    }

    fn expr(&mut self, expr: &Phrase) -> Phrase {
        let address = Arc::as_ptr(expr);
        if let Some(done) = self.done.get(&address) {
            return done.clone();
        }
        // Inner values are moved first, because their new positions are where outer values are
        // read.
        let inner = walk(self, expr);
        let floated = match Binding::of(&inner) {
            Some(binding) => binding.floated(self.translation).unwrap_or(inner),
            None => inner,
        };
        self.done.insert(address, floated.clone());
        floated
    }
}

/// A value without arrays that is bound to a parameter, and the body.
struct Binding {
    param: Param,
    value: Phrase,
    body: Phrase,
}

impl Binding {
    fn of(phrase: &Phrase) -> Option<Binding> {
        let (f, value) = match &phrase.form {
            Form::Primitive(Prim::Let, _, args) => match &args[..] {
                [value, f] => (f, value),
                _ => return None,
            },
            Form::Apply(f, value) => (f, value),
            _ => return None,
        };
        let Form::Lambda(param, body) = &f.form else {
            return None;
        };
        (!contains_array(phrase::data(&value.ty)?)).then(|| Binding {
            param: param.clone(),
            value: value.clone(),
            body: body.clone(),
        })
    }

    /// Returns the body with the value in the branches that read it; `None` if the value stays
    /// where it is.
    fn floated(&self, translation: &mut Translation) -> Option<Phrase> {
        let risk = Risk::of(&self.value).filter(|risk| !risk.stores)?;
        let mut needs = Needs {
            param: &self.param,
            crosses_loops: !risk.repeats,
            known: FxHashMap::default(),
        };
        if needs.of(&self.body) != Need::InBranches {
            return None;
        }
        let mut sink = Sink {
            translation,
            binding: self,
            needs,
        };
        Some(sink.expr(&self.body))
    }
}

/// The way in which an expression reads a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Need {
    /// The variable is not read.
    None,
    /// The variable is read only in branches of conditions.
    InBranches,
    /// The variable is possibly read whenever the expression is computed.
    Always,
}

impl Need {
    fn in_branch(self) -> Need {
        self.min(Need::InBranches)
    }
}

/// The analysis of the reads of a variable, with a memo table by address.
struct Needs<'b> {
    param: &'b Param,
    /// True if the value may be computed again in each iteration of a loop.
    crosses_loops: bool,
    known: FxHashMap<*const Node<Prim>, Need>,
}

impl Needs<'_> {
    fn of(&mut self, phrase: &Phrase) -> Need {
        let address = Arc::as_ptr(phrase);
        if let Some(need) = self.known.get(&address) {
            return *need;
        }
        let need = self.compute(phrase);
        self.known.insert(address, need);
        need
    }

    fn compute(&mut self, phrase: &Phrase) -> Need {
        match &phrase.form {
            Form::Var(local) if *local == self.param.local => Need::Always,
            Form::Var(_) | Form::Literal(_) | Form::Nat(_) | Form::Global(..) => Need::None,
            // The body of a function that is applied here runs once, so it is no loop.
            Form::Apply(f, x) => self.of(x).max(self.of_body(f)),
            Form::Primitive(Prim::Let, _, args) if args.len() == 2 => {
                self.of(&args[0]).max(self.of_body(&args[1]))
            }
            Form::Primitive(prim, _, args) => {
                let first = first_branch(*prim);
                let each = args.iter().enumerate();
                let all = each.map(|(number, arg)| match number >= first {
                    true => self.of(arg).in_branch(),
                    false => self.of(arg),
                });
                all.max().unwrap_or(Need::None)
            }
            Form::Lambda(_, body) | Form::DepLambda(_, _, body) => match self.of(body) {
                Need::InBranches if !self.crosses_loops => Need::Always,
                need => need,
            },
            _ => {
                let parts = phrase.form.children();
                parts.map(|part| self.of(part)).max().unwrap_or(Need::None)
            }
        }
    }

    fn of_body(&mut self, f: &Phrase) -> Need {
        match &f.form {
            Form::Lambda(_, body) => self.of(body),
            _ => self.of(f),
        }
    }
}

/// Returns the index of the first argument of a primitive that is computed conditionally, as are
/// all arguments after it; `usize::MAX` if there is none.
fn first_branch(prim: Prim) -> usize {
    match prim {
        Prim::Select | Prim::And | Prim::Or => 1,
        _ => usize::MAX,
    }
}

/// The pass that moves a value into the branches that read it.
struct Sink<'s> {
    translation: &'s mut Translation,
    binding: &'s Binding,
    needs: Needs<'s>,
}

impl Mapper<Prim> for Sink<'_> {
    fn keeps_types(&self) -> bool {
        true
    }

    fn expr(&mut self, expr: &Phrase) -> Phrase {
        if self.needs.of(expr) == Need::None {
            return expr.clone();
        }
        let Form::Primitive(prim, types, args) = &expr.form else {
            return walk(self, expr);
        };
        let first = first_branch(*prim);
        let each = args.iter().enumerate();
        let args: Vec<Phrase> = each
            .map(|(number, arg)| match number >= first {
                true => self.branch(arg),
                false => self.expr(arg),
            })
            .collect();
        let form = Form::Primitive(*prim, types.clone(), args.into());
        Node::new(form, expr.ty.clone(), expr.origin)
    }
}

impl Sink<'_> {
    /// Binds the value around a branch that reads it, or within it if only nested branches read it.
    /// A branch that does not read it stays as it is.
    fn branch(&mut self, branch: &Phrase) -> Phrase {
        match self.needs.of(branch) {
            Need::None => branch.clone(),
            Need::InBranches => self.expr(branch),
            Need::Always => {
                let Param { local, ty } = &self.binding.param;
                let param = self.translation.param(&local.name, ty.clone());
                let read = Node::var(&param, branch.origin);
                let values = [(local.clone(), read)];
                let body = self.translation.copy(branch, &values, None);
                let value = self.translation.copy(&self.binding.value, &[], None);
                let form = Form::Apply(phrase::fun(param, body), value);
                Node::new(form, branch.ty.clone(), branch.origin)
            }
        }
    }
}
