//! Makes programs from texts in DPIA.

use std::sync::Arc;

use dpia::{PhraseProgram, Prim, surface, typing};
use rise::core::{Def, link};
use rise::{Env, Inference, Resolution, Scheme};
use syntax::ast::Name;
use syntax::{Dialect, GlobalId};

/// The definitions of a text, in its order.
#[derive(Default)]
struct File(Vec<Entry>);

struct Entry {
    name: Name,
    scheme: Arc<Scheme>,
    def: Option<Arc<Def<Prim>>>,
    item: syntax::ast::Item,
    inference: Inference,
    text: String,
}

/// A definition with the results of its checks.
pub struct Definition {
    pub name: String,
    pub text: String,
    pub linked: PhraseProgram,
    item: syntax::ast::Item,
    inference: Inference,
}

impl Definition {
    pub fn written(&self) -> dpia::functional::DefinitionSource<'_> {
        dpia::functional::DefinitionSource {
            item: &self.item,
            text: &self.text,
            inference: &self.inference,
        }
    }
}

impl Env for File {
    fn resolve(&self, name: &str) -> Resolution {
        match self.0.iter().rposition(|entry| entry.name == name) {
            Some(index) => {
                Resolution::Def(GlobalId(index as u64), Arc::clone(&self.0[index].scheme))
            }
            None => Resolution::Unknown,
        }
    }

    fn names(&self) -> Vec<Name> {
        self.0.iter().map(|entry| entry.name.clone()).collect()
    }
}

/// Returns the programs that a text defines.
pub fn programs(text: &str) -> Vec<PhraseProgram> {
    definitions(text).into_iter().map(|d| d.linked).collect()
}

/// Returns the definitions of a text.
pub fn definitions(text: &str) -> Vec<Definition> {
    let mut file = File::default();
    for span in syntax::split(text) {
        let own = &text[std::ops::Range::<usize>::from(span)];
        let parsed = syntax::parse_in(own, Dialect::Dpia);
        assert_eq!(parsed.diagnostics, [], "{text}");
        let inference = typing::infer(&parsed.item, &file);
        let name = parsed
            .item
            .name()
            .expect("it defines something")
            .name
            .clone();
        let def = surface::elaborate(&parsed.item, &inference);
        assert!(def.is_some(), "{name}: {:#?}", inference.diagnostics);
        file.0.push(Entry {
            name,
            scheme: inference.scheme.clone(),
            def: def.map(Arc::new),
            item: parsed.item,
            inference,
            text: own.to_owned(),
        });
    }
    let link_at = |index: usize| {
        let lookup = |id: GlobalId| file.0.get(usize::try_from(id.0).ok()?)?.def.clone();
        link(GlobalId(index as u64), &lookup).expect("it can be linked")
    };
    let linked: Vec<PhraseProgram> = (0..file.0.len()).map(link_at).collect();
    let both = file.0.into_iter().zip(linked);
    both.map(|(entry, linked)| Definition {
        name: entry.name.to_string(),
        text: entry.text,
        linked,
        item: entry.item,
        inference: entry.inference,
    })
    .collect()
}
