//! Reads the headers of items: their written types and parameters.

use rise::codes;
use std::sync::Arc;
use syntax::ast::Name;
use syntax::elevate::ast::{Item, ItemKind, TypeId, TypeKind};

use super::{BinderKey, DefinitionKind, Infer, Signature};
use crate::lang::types::{Flavour, Param, Scheme, Ty, Type};

/// The built-in types: their names and meanings.
pub const TYPES: [(&str, &str); 13] = [
    ("Nat", "a size"),
    ("Int", "a whole number"),
    ("Bool", "a boolean"),
    ("String", "a text"),
    ("Addr", "an address space"),
    ("Expr", "a term of RISE"),
    ("Type", "a type of RISE"),
    ("Result", "the result of a strategy: a program or a failure"),
    ("Strategy", "from programs to programs, or failures"),
    ("Traversal", "from strategies to strategies"),
    ("Pred", "a test of programs"),
    ("Rule", "a single rewrite rule"),
    ("List", "a list"),
];

/// Returns the signature that follows from the header of an item alone. Types that are not written
/// are errors, so that their uses are not checked. Mutually recursive definitions see these
/// signatures of each other.
pub fn header_signature(item: &Item) -> Signature {
    let names = type_params(item);
    let open = Arc::new(Type::Error);
    let params: Vec<Ty> = item
        .params
        .iter()
        .map(|param| match param.ty {
            Some(ty) => plain_type(item, ty, &names),
            None => open.clone(),
        })
        .collect();
    let result = match &item.kind {
        ItemKind::Strategy { ty, .. } | ItemKind::Val { ty, .. } => match ty {
            Some(ty) => plain_type(item, *ty, &names),
            None => open,
        },
        ItemKind::Pred { .. } => Arc::new(Type::Strategy(Flavour::Pred)),
        ItemKind::Rule { .. } => Arc::new(Type::Strategy(Flavour::Rule)),
        ItemKind::NormalForm { .. } | ItemKind::Example { .. } => Type::strategy(),
        ItemKind::Tune { .. } => Arc::new(Type::Nat),
        _ => open,
    };
    let ty = function_type(item, &params, result);
    let scheme = Scheme {
        params: names.into(),
        ty,
    };
    signature_of(item, scheme)
}

pub(super) fn signature_of(item: &Item, scheme: Scheme) -> Signature {
    Signature {
        sort: match &item.kind {
            ItemKind::Rule { .. } => DefinitionKind::Rule,
            ItemKind::Pred { .. } => DefinitionKind::Pred,
            ItemKind::NormalForm { .. } => DefinitionKind::NormalForm,
            ItemKind::Tune { .. } => DefinitionKind::Tune,
            ItemKind::Val { .. } => DefinitionKind::Val,
            _ => DefinitionKind::Strategy,
        },
        scheme,
        looping: item.attribute("looping").is_some(),
        docs: item.docs.as_ref().map(|docs| (*docs.text).into()),
    }
}

pub(super) fn type_params(item: &Item) -> Vec<Name> {
    match &item.kind {
        ItemKind::Strategy { type_params, .. } => {
            type_params.iter().map(|ident| ident.name.clone()).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the type of the item from those of its parameters and its result. Empty parameter lists
/// are ignored: `f()` is `f`.
pub(super) fn function_type(item: &Item, params: &[Ty], result: Ty) -> Ty {
    let lists = item.param_lists().iter().rev();
    let lists = lists.filter(|list| !list.params.is_empty());
    lists.fold(result, |result, list| {
        let param = |id: &syntax::elevate::ast::ParamId| {
            let param = item.param(*id);
            Param {
                name: param.name.clone(),
                ty: params[id.0 as usize].clone(),
                optional: param.default.is_some(),
            }
        };
        Arc::new(Type::Fun(list.params.iter().map(param).collect(), result))
    })
}

/// Returns a written type, with [`Type::Error`] in the place of erroneous parts.
fn plain_type(item: &Item, id: TypeId, params: &[Name]) -> Ty {
    elaborate(item, id, params, &mut |_, _| {})
}

/// Returns a written type, and calls `wrong` with each erroneous part.
fn elaborate(
    item: &Item,
    id: TypeId,
    params: &[Name],
    wrong: &mut dyn FnMut(TypeId, WrittenTypeError),
) -> Ty {
    match &item.ty(id).kind {
        TypeKind::Missing => Arc::new(Type::Error),
        TypeKind::Name(name) => {
            if let Some(index) = params.iter().position(|param| param == name) {
                return Arc::new(Type::Param(index as u32));
            }
            match word(name) {
                Some(ty) => ty,
                None => {
                    let list = name == "List";
                    wrong(
                        id,
                        if list {
                            WrittenTypeError::Bare
                        } else {
                            WrittenTypeError::Unknown
                        },
                    );
                    Arc::new(Type::Error)
                }
            }
        }
        TypeKind::Apply { name, args } => {
            let parts: Vec<Ty> = args
                .iter()
                .filter(|_| name.name == "List")
                .map(|&arg| elaborate(item, arg, params, wrong))
                .collect();
            match (&*name.name, &args[..]) {
                ("List", [_]) => Arc::new(Type::List(parts[0].clone())),
                // All strategies are strategies of RISE, so `Strategy[Rise]` is `Strategy`.
                ("Strategy", [_]) => Type::strategy(),
                ("List" | "Strategy", _) => {
                    wrong(id, WrittenTypeError::Count);
                    Arc::new(Type::Error)
                }
                (other, _) => {
                    let known = word(other).is_some() || params.iter().any(|param| param == other);
                    wrong(
                        id,
                        if known {
                            WrittenTypeError::NoArguments
                        } else {
                            WrittenTypeError::Unknown
                        },
                    );
                    Arc::new(Type::Error)
                }
            }
        }
        TypeKind::Arrow(from, to) => {
            let result = elaborate(item, *to, params, wrong);
            let from = match &item.ty(*from).kind {
                TypeKind::Tuple(members) if members.len() != 1 => members
                    .iter()
                    .map(|&member| elaborate(item, member, params, wrong))
                    .collect(),
                _ => vec![elaborate(item, *from, params, wrong)],
            };
            match from.is_empty() {
                true => result,
                false => Type::fun(from, result),
            }
        }
        TypeKind::Tuple(members) => match &members[..] {
            [only] => elaborate(item, *only, params, wrong),
            _ => Arc::new(Type::Tuple(
                members
                    .iter()
                    .map(|&member| elaborate(item, member, params, wrong))
                    .collect(),
            )),
        },
    }
}

/// The errors of a written type: an unknown name, a `List` without arguments, a wrong number of
/// arguments, and arguments of a type that takes none.
enum WrittenTypeError {
    Unknown,
    Bare,
    Count,
    NoArguments,
}

fn word(name: &str) -> Option<Ty> {
    Some(Arc::new(match name {
        "Nat" => Type::Nat,
        "Int" => Type::Int,
        "Bool" => Type::Bool,
        "String" => Type::String,
        "Addr" => Type::Addr,
        "Expr" | "Rise" => Type::Expr,
        "Type" => Type::Type,
        "Result" => Type::Result,
        "Strategy" => Type::Strategy(Flavour::Strategy),
        "Pred" => Type::Strategy(Flavour::Pred),
        "Rule" => Type::Strategy(Flavour::Rule),
        "Traversal" => return Some(Type::traversal()),
        _ => return None,
    }))
}

impl Infer<'_> {
    /// Returns a written type, and reports its errors.
    pub(super) fn written_type(&mut self, id: TypeId) -> Ty {
        let mut wrongs = Vec::new();
        let params = self.type_params.clone();
        let ty = elaborate(self.item, id, &params, &mut |id, wrong| {
            wrongs.push((id, wrong));
        });
        for (id, wrong) in wrongs {
            let ty = self.item.ty(id);
            let span = ty.span;
            let name = match &ty.kind {
                TypeKind::Name(name) => name.clone(),
                TypeKind::Apply { name, .. } => name.name.clone(),
                _ => Name::default(),
            };
            match wrong {
                WrittenTypeError::Unknown => {
                    let words = TYPES.map(|(name, _)| name);
                    let known = words.iter().copied();
                    let known = known.chain(params.iter().map(|param| param.as_str()));
                    let close = rise::closest(&name, known).map(str::to_owned);
                    let diagnostic = self.error(
                        codes::UNKNOWN_NAME,
                        span,
                        format!("there is no type `{name}`"),
                    );
                    diagnostic.help = Some(match close {
                        Some(close) => format!("did you mean `{close}`?"),
                        None => format!("the types are {}", listed(&words)),
                    });
                }
                WrittenTypeError::Bare => {
                    self.error(
                        codes::KIND_MISMATCH,
                        span,
                        "`List` needs the type of its elements",
                    )
                    .help = Some("write `List[Nat]`".into());
                }
                WrittenTypeError::Count => {
                    self.error(
                        codes::KIND_MISMATCH,
                        span,
                        format!("`{name}` takes one type"),
                    );
                }
                WrittenTypeError::NoArguments => {
                    self.error(
                        codes::KIND_MISMATCH,
                        span,
                        format!("`{name}` takes no types"),
                    );
                }
            }
        }
        ty
    }

    /// Binds the parameters of the item, and checks their defaults. The scope of a default contains
    /// the parameters before it.
    pub(super) fn item_params(&mut self) {
        let item = self.item;
        for list in item.param_lists() {
            for &id in &list.params {
                let param = item.param(id);
                let ty = match param.ty {
                    Some(ty) => self.written_type(ty),
                    None => self.table.open(),
                };
                if let Some(default) = param.default {
                    self.expect(default, &ty);
                }
                self.params[id.0 as usize] = ty.clone();
                self.bind(&param.name, BinderKey::Param(id), ty, param.span);
            }
        }
    }
}

/// Returns a list of words in backquotes: "`a`, `b` and `c`".
pub(super) fn listed(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    match &quoted[..] {
        [] => String::new(),
        [only] => only.clone(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}
