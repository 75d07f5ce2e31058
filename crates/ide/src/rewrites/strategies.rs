//! Strategies by their text.

use std::sync::{Arc, LazyLock, Mutex};

use elevate::engine::{Beta, Eta, GentleBeta, Step, Strategy};
use elevate::lang::{Programs, library};
use elevate::rule::{Applied, ParamKind, Rule, RuleArg, Source, compile};
use elevate::term::Store;
use rise::Address;
use rustc_hash::FxHashMap;
use syntax::ast::AddressSpace;
use syntax::elevate::ast::ItemKind;

/// The strategies of a request.
#[derive(Default)]
pub(crate) struct Strategies {
    known: FxHashMap<String, Option<Strategy>>,
}

static COMPILED: LazyLock<Mutex<FxHashMap<String, Option<(Arc<Rule>, Arc<str>)>>>> =
    LazyLock::new(Mutex::default);

fn compiled(name: &str) -> Option<(Arc<Rule>, Arc<str>)> {
    let mut all = COMPILED.lock().unwrap();
    if let Some(known) = all.get(name) {
        return known.clone();
    }
    let made = (|| {
        let id = library().named(name)?;
        let item = library().item(id)?;
        let text = library().definition(id)?.text.clone();
        let ItemKind::Rule {
            params,
            alts,
            unsafe_word,
            ..
        } = &item.kind
        else {
            return None;
        };
        let params: Vec<_> = params
            .iter()
            .flat_map(|list| list.params.iter())
            .map(|id| {
                let param = &item.params[id.0 as usize];
                let kind = match param.ty.map(|ty| &item.types[ty.0 as usize].kind) {
                    Some(syntax::elevate::ast::TypeKind::Name(name)) => match name.as_str() {
                        "Nat" => ParamKind::Nat,
                        "Int" => ParamKind::Int,
                        "Addr" => ParamKind::Address,
                        "Expr" => ParamKind::Expr,
                        _ => ParamKind::Strategy,
                    },
                    _ => ParamKind::Nat,
                };
                (param.name.clone(), kind)
            })
            .collect();
        let (rule, _) = compile(&Source {
            item,
            text: &text,
            alts,
            name,
            params: &params,
            is_unsafe: unsafe_word.is_some(),
            looping: false,
            env: Programs::standard(),
        });
        rule.holds.is_empty().then(|| (Arc::new(rule), text))
    })();
    all.insert(name.to_owned(), made.clone());
    made
}

impl Strategies {
    /// Those that work on the terms of a store.
    pub(crate) fn new(_store: &mut Store) -> Strategies {
        Strategies::default()
    }

    /// The strategy that is written so; `None` if there is none.
    pub(crate) fn get(&mut self, _store: &mut Store, text: &str) -> Option<Strategy> {
        let known = self.known.entry(text.to_owned());
        known
            .or_insert_with(|| match text {
                "beta" => Some(Arc::new(Step::Rule(Arc::new(Beta)))),
                "gentleBeta" => Some(Arc::new(Step::Rule(Arc::new(GentleBeta)))),
                "eta" => Some(Arc::new(Step::Rule(Arc::new(Eta)))),
                _ => {
                    let (name, args) = match text.split_once('(') {
                        Some((name, args)) => (name, args.trim_end_matches(')')),
                        None => (text, ""),
                    };
                    let (rule, source) = compiled(name)?;
                    let args: Vec<RuleArg> = args
                        .split(", ")
                        .filter(|arg| !arg.is_empty())
                        .map(|arg| match arg.parse::<i64>() {
                            Ok(n) => RuleArg::Nat(nat::Nat::constant(n)),
                            Err(_) => RuleArg::Address(Address::Space(
                                AddressSpace::from_text(arg).unwrap(),
                            )),
                        })
                        .collect();
                    let applied = Applied::new(rule, args, "", source, vec![], Arc::new(|_| None));
                    Some(Arc::new(Step::Rule(Arc::new(applied))))
                }
            })
            .clone()
    }
}
