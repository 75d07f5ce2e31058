//! Checks the definitions of a file in order; each can use the earlier ones and the library.

use std::sync::Arc;

use rise::{Env, Inference, Resolution, Scheme};
use syntax::GlobalId;
use syntax::ast::Name;

/// The schemes of definitions by name.
#[derive(Default)]
pub struct Defs(Vec<(Name, Arc<Scheme>)>);

impl Env for Defs {
    fn resolve(&self, name: &str) -> Resolution {
        match self.0.iter().rposition(|(n, _)| n == name) {
            Some(index) => Resolution::Def(GlobalId(index as u64), Arc::clone(&self.0[index].1)),
            None => Resolution::Unknown,
        }
    }

    fn names(&self) -> Vec<Name> {
        self.0.iter().map(|(name, _)| name.clone()).collect()
    }
}

/// The results of checking one definition.
pub struct Checked {
    pub name: Name,
    pub text: String,
    pub inference: Inference,
    pub diagnostics: Vec<syntax::Diagnostic>,
}

/// Checks every item of a text.
pub fn check(text: &str, defs: &mut Defs) -> Vec<Checked> {
    let mut out = Vec::new();
    for span in syntax::split(text) {
        let item_text = &text[std::ops::Range::<usize>::from(span)];
        let parsed = syntax::parse(item_text);
        let inference = rise::infer(&parsed.item, defs);
        let name = parsed
            .item
            .name()
            .map(|n| n.name.clone())
            .unwrap_or_default();
        defs.0.push((name.clone(), Arc::clone(&inference.scheme)));
        let mut diagnostics = parsed.diagnostics;
        diagnostics.extend(inference.diagnostics.iter().cloned());
        out.push(Checked {
            name,
            text: item_text.to_owned(),
            inference,
            diagnostics,
        });
    }
    out
}

/// Returns the checked definitions of the standard library.
pub fn library() -> Defs {
    let mut defs = Defs::default();
    for (_, text) in rise::STD {
        check(text, &mut defs);
    }
    defs
}

/// Formats the schemes and diagnostics of a text, one per line, with the places underlined.
pub fn report(text: &str) -> String {
    let mut defs = library();
    let mut out = String::new();
    for checked in check(text, &mut defs) {
        let scheme = rise::print::scheme_text(&checked.inference.scheme);
        out.push_str(&format!("{} : {scheme}\n", checked.name));
        for d in &checked.diagnostics {
            let place = &checked.text[std::ops::Range::<usize>::from(d.span)];
            let place = place.split_whitespace().collect::<Vec<_>>().join(" ");
            out.push_str(&format!(
                "  {:?}[{}] at `{place}`: ",
                d.severity,
                d.code.as_str()
            ));
            out.push_str(&d.message.replace('\n', "\n    "));
            out.push('\n');
            for r in &d.related {
                let range = std::ops::Range::<usize>::from(r.place.span);
                let place = checked.text.get(range).unwrap_or("?");
                out.push_str(&format!("    related `{place}`: {}\n", r.message));
            }
            if let Some(help) = &d.help {
                out.push_str(&format!("    help: {help}\n"));
            }
        }
    }
    out
}
