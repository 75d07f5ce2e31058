//! Snippets of calls with placeholders for their arguments.

use rise::{Scheme, Type};

/// An explicit parameter of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Param {
    /// The text of the placeholder.
    name: String,
    /// True for a parameter that is a function or a type-level argument, such as a size; false for
    /// data.
    directs: bool,
}

/// Returns the explicit parameters of a function, in order.
pub(crate) fn params(scheme: &Scheme) -> Vec<Param> {
    let mut found: Vec<Param> = Vec::new();
    let mut ty = &*scheme.ty;
    loop {
        match ty {
            Type::Pi(pi) => {
                if !pi.implicit {
                    let name = scheme.names.get(pi.var).to_string();
                    found.push(Param {
                        name,
                        directs: true,
                    });
                }
                ty = &pi.body;
            }
            Type::Fun(param, result) => {
                let directs = matches!(**param, Type::Fun(..) | Type::Pi(_));
                let name = unused(placeholder(param), &found);
                found.push(Param { name, directs });
                ty = result;
            }
            _ => return found,
        }
    }
}

fn placeholder(ty: &Type) -> &'static [&'static str] {
    match ty {
        Type::Fun(..) | Type::Pi(_) => &["f", "g", "h"],
        Type::Array(..) | Type::DepArray(..) => &["xs", "ys", "zs"],
        Type::Pair(..) | Type::DepPair(_) => &["p", "q"],
        Type::Exp(data, _) => placeholder(data),
        Type::Acc(_) => &["out", "out2"],
        Type::Comm => &["c", "d"],
        _ => &["x", "y", "z"],
    }
}

fn unused(names: &[&str], taken: &[Param]) -> String {
    let free = names
        .iter()
        .find(|name| taken.iter().all(|param| param.name != **name));
    free.or(names.last())
        .map(|name| (*name).to_owned())
        .unwrap_or_default()
}

/// Renders `name(${1:n}, ${2:x})` with all arguments in one list, as in DPIA, without the last one
/// if it is piped; returns `None` if no argument is left.
pub(crate) fn whole_call(name: &str, params: &[Param], piped: bool) -> Option<String> {
    let written = params.len().saturating_sub(usize::from(piped));
    let args: Vec<String> = (1..)
        .zip(&params[..written])
        .map(|(at, param): (usize, _)| format!("${{{at}:{}}}", param.name))
        .collect();
    (!args.is_empty()).then(|| format!("{name}({})", args.join(", ")))
}

/// Renders `name(${1:n})(${2:f})` with each argument in a list of its own. The last argument is
/// left out if it is data and is piped, or if it is data and another parameter is not: the data of
/// such a function usually comes from a pipe. Returns `None` if no argument, or only one argument
/// that is data, is left.
pub(crate) fn call(name: &str, params: &[Param], piped: bool) -> Option<String> {
    let data_last = params.last().is_some_and(|param| !param.directs);
    let partial = data_last && (piped || params.iter().any(|param| param.directs));
    let written = if partial {
        &params[..params.len() - 1]
    } else {
        params
    };
    if written.is_empty() || (written.len() == 1 && !written[0].directs) {
        return None;
    }
    let args = (1..)
        .zip(written)
        .map(|(at, param)| format!("(${{{at}:{}}})", param.name));
    Some(format!("{name}{}", args.collect::<String>()))
}
