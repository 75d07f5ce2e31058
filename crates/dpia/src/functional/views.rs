//! Functions that only rearrange their argument, so that their result can be written through them.

use rise::Pattern;
use rise::Primitive::{self, Map, MapFst, MapSnd, Scatter};
use rise::core::{Form, Local, for_each_local};

use super::access_inference::Term;

/// Returns true if a function of one value only rearranges it.
pub(crate) fn function_rearranges(f: &Term) -> bool {
    match &f.form {
        Form::Lambda(param, body) => rearranges(body, &param.local),
        // A partial application that misses only its last argument.
        Form::Primitive(primitive, _, args) => match (primitive, &args[..]) {
            (Scatter, [_]) => true,
            (Map | MapFst | MapSnd, [f]) => function_rearranges(f),
            (primitive, []) => is_view(*primitive),
            _ => false,
        },
        _ => false,
    }
}

/// Returns true if `body` is a chain of views of the variable, which it uses nowhere else.
fn rearranges(body: &Term, param: &Local) -> bool {
    let mut term = body;
    loop {
        match &term.form {
            Form::Var(local) => return local == param,
            Form::Primitive(primitive, _, args) => match (primitive, &args[..]) {
                (Scatter, [indices, xs]) if !mentions(indices, param) => term = xs,
                (Map | MapFst | MapSnd, [f, xs]) if !mentions(f, param) => {
                    if !function_rearranges(f) {
                        return false;
                    }
                    term = xs;
                }
                (primitive, [xs]) if is_view(*primitive) => term = xs,
                _ => return false,
            },
            _ => return false,
        }
    }
}

/// Returns true if the primitive is a view that has an acceptor, so that its argument can be
/// written through it.
fn is_view(primitive: Primitive) -> bool {
    matches!(primitive.pattern(), Pattern::View(_)) && primitive.entry().acceptor.is_some()
}

fn mentions(term: &Term, local: &Local) -> bool {
    let mut found = false;
    for_each_local(term, &mut |other| found |= other == local);
    found
}
