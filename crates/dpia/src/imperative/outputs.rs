//! The acceptors of a program: one for each output, and one for each parameter that is updated in
//! place.

use rise::core::{Node, Origin, Param};
use rise::types::{contains_array, in_place_components};
use rise::{Arg, Ty, Type};
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

/// The acceptor of a component of a result, which the projections select.
type Kept = (Vec<Half>, Phrase);

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
        // Inference has checked the type of the result.
        let places = in_place_components(data, &types).unwrap_or_default();
        let acceptors = updated.iter().map(|acceptor| Node::var(acceptor, origin));
        let kept: Vec<Kept> = places.into_iter().zip(acceptors).collect();
        let mut types = Vec::new();
        outputs(data, &kept, &mut types);
        let name = |at: usize| match types.len() {
            1 => "output".to_owned(),
            _ => format!("output_{}", at + 1),
        };
        let outputs: Vec<Param> = (types.iter().enumerate())
            .map(|(at, ty)| self.param(&name(at), phrase::acc(ty)))
            .collect();
        let mut next = outputs.iter().map(|output| Node::var(output, origin));
        Ok(Acceptors {
            result: acceptor_of(data, &kept, &mut next, origin)?,
            outputs,
            updated,
        })
    }
}

/// Returns the components of a tuple that are written separately, each with the acceptors that are
/// kept in it; `None` if the value is written as a whole.
fn halves(data: &Ty, kept: &[Kept]) -> Option<[(Ty, Vec<Kept>); 2]> {
    let Type::Pair(a, b) = &**data else {
        return None;
    };
    let inside = |half: Half| {
        let inner = kept.iter().filter_map(|(place, acceptor)| {
            let (first, rest) = place.split_first()?;
            (*first == half).then(|| (rest.to_vec(), acceptor.clone()))
        });
        inner.collect()
    };
    (contains_array(data) || !kept.is_empty()).then(|| {
        [
            (a.clone(), inside(Half::First)),
            (b.clone(), inside(Half::Second)),
        ]
    })
}

/// Returns the acceptor that is kept for the whole value, if there is one.
fn kept_for(kept: &[Kept]) -> Option<&Phrase> {
    let whole = kept.iter().find(|(place, _)| place.is_empty());
    whole.map(|(_, acceptor)| acceptor)
}

/// Adds the types of the outputs of a result besides the acceptors that are kept.
fn outputs(data: &Ty, kept: &[Kept], found: &mut Vec<Ty>) {
    if kept_for(kept).is_some() {
        return;
    }
    match halves(data, kept) {
        Some(parts) => parts
            .iter()
            .for_each(|(part, kept)| outputs(part, kept, found)),
        None => found.push(data.clone()),
    }
}

/// Returns the acceptor of a result: of the acceptors that are kept, and of the `next` ones for the
/// outputs.
fn acceptor_of(
    data: &Ty,
    kept: &[Kept],
    next: &mut dyn Iterator<Item = Phrase>,
    origin: Origin,
) -> Result<Phrase> {
    if let Some(acceptor) = kept_for(kept) {
        return Ok(acceptor.clone());
    }
    match halves(data, kept) {
        Some(parts) => {
            let types = parts.iter().map(|(part, _)| Arg::Type(part.clone()));
            let types: Vec<Arg> = types.collect();
            let acceptors = parts
                .iter()
                .map(|(part, kept)| acceptor_of(part, kept, next, origin));
            let acceptors: Vec<Phrase> = acceptors.collect::<Result<_>>()?;
            Ok(prim(Prim::PairAcc, types, acceptors, origin))
        }
        None => match next.next() {
            Some(acceptor) => Ok(acceptor),
            None => fail(Reason::NoPair, origin),
        },
    }
}
