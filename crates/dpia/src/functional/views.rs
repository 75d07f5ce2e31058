//! Functions that only rearrange, so that what they yield can be written through them.

use rise::Primitive;
use rise::core::{Form, Local, for_each_local};

use super::walk::Term;

/// Whether `body` is a chain of views that ends in the variable, which it uses nowhere else.
pub(crate) fn rearranges(body: &Term, param: &Local) -> bool {
    use Primitive::{
        AsScalar, AsVector, Join, Map, MapFst, MapSnd, PadEmpty, Reorder, Scatter, Split,
        Transpose, Unzip,
    };
    let mut term = body;
    loop {
        match &term.form {
            Form::Var(local) => return local == param,
            Form::Primitive(primitive, _, args) => match (primitive, &args[..]) {
                (
                    Join | Split | Transpose | Unzip | AsVector | AsScalar | Reorder | PadEmpty,
                    [xs],
                ) => term = xs,
                (Scatter, [indices, xs]) if !mentions(indices, param) => term = xs,
                (Map | MapFst | MapSnd, [f, xs]) if !mentions(f, param) => {
                    let Form::Lambda(inner, body) = &f.form else {
                        return false;
                    };
                    if !rearranges(body, &inner.local) {
                        return false;
                    }
                    term = xs;
                }
                _ => return false,
            },
            _ => return false,
        }
    }
}

fn mentions(term: &Term, local: &Local) -> bool {
    let mut found = false;
    for_each_local(term, &mut |other| found |= other == local);
    found
}
