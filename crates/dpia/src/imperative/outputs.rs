//! The acceptors of a program: one for each output, and one for each parameter that is updated in
//! place.

use rise::core::{Node, Origin, Param};
use rise::types::{components, in_place_components, parts};
use rise::{Arg, Ty};
use syntax::ast::Half;

use super::Translation;
use super::error::{Reason, Result, fail};
use crate::phrase::{self, Phrase, prim};
use crate::prim::Prim;

/// The acceptors of a program.
pub struct Acceptors {
    /// The acceptor of the whole result.
    pub result: Phrase,
    /// The parameters for the outputs.
    pub outputs: Vec<Param>,
    /// The parameters for the memory of the values that are updated in place, in order.
    pub updated: Vec<Param>,
}

impl Translation {
    /// Makes the acceptors of a program with these parameters that are values, and a result of type
    /// `data`.
    pub fn acceptors(&mut self, values: &[Param], data: &Ty, origin: Origin) -> Result<Acceptors> {
        let (mut updated, mut types) = (Vec::new(), Vec::new());
        for at in self.program.inout.clone() {
            if let Some(value) = values.get(at)
                && let Some(data) = phrase::data(&value.ty).cloned()
            {
                let name = format!("{}Acc", value.local.name);
                let acceptor = self.param(&name, phrase::acc(&data));
                self.twins.insert(acceptor.local.id, value.local.id);
                updated.push(acceptor);
                types.push(data);
            }
        }
        // Inference has checked the type of the result. The new values are its first parts.
        let places = in_place_components(data, &types).unwrap_or_default();
        let types = parts(data, &places).split_off(updated.len());
        let name = |at: usize| match types.len() {
            1 => "output".to_owned(),
            _ => format!("output_{}", at + 1),
        };
        let outputs: Vec<Param> = (types.iter().enumerate())
            .map(|(at, ty)| self.param(&name(at), phrase::acc(ty)))
            .collect();
        let all = updated.iter().chain(&outputs);
        let mut next = all.map(|param| Node::var(param, origin));
        Ok(Acceptors {
            result: acceptor_of(data, &places, &mut next, origin)?,
            outputs,
            updated,
        })
    }
}

/// Returns the acceptor of a result, of the acceptors of its parts from left to right. `updated` are
/// the places in it that are updated.
fn acceptor_of(
    data: &Ty,
    updated: &[Vec<Half>],
    next: &mut dyn Iterator<Item = Phrase>,
    origin: Origin,
) -> Result<Phrase> {
    match components(data, updated) {
        Some(halves) => {
            let types = halves.iter().map(|(half, _)| Arg::Type(half.clone()));
            let types: Vec<Arg> = types.collect();
            let acceptors = halves
                .iter()
                .map(|(half, updated)| acceptor_of(half, updated, next, origin));
            let acceptors: Vec<Phrase> = acceptors.collect::<Result<_>>()?;
            Ok(prim(Prim::PairAcc, types, acceptors, origin))
        }
        None => match next.next() {
            Some(acceptor) => Ok(acceptor),
            None => fail(Reason::NoPair, origin),
        },
    }
}
