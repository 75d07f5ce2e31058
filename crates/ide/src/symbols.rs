//! The symbols of a file and of the workspace.

use db::{Database, Declaration, FileId, ItemId, Language};
use elevate::lang::Type;
use rise::Scheme;
use syntax::elevate::ast::ItemKind;

use crate::{NavTarget, SymbolKind, free_vars, fuzzy, goto};

/// An entry of a file's outline: a definition, or an example or main expression of a strategy file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentSymbol {
    /// The place and the name of the entry.
    pub target: NavTarget,
    /// The type of the definition, if it is known.
    pub detail: Option<String>,
}

/// Returns the outline of `file`, in the order of the text: its definitions and, in a strategy
/// file, also its examples and its main expression.
pub fn document_symbols(db: &Database, file: FileId) -> Vec<DocumentSymbol> {
    let items = db.items(file);
    if db.language(file) == Language::Elevate {
        let symbol = |item: &ItemId| strategy_symbol(db, *item);
        return items.iter().filter_map(symbol).collect();
    }
    let schemes = db.schemes(items.iter().copied());
    items
        .iter()
        .zip(schemes)
        .filter_map(|(item, scheme)| document_symbol(db, *item, scheme.as_deref()))
        .collect()
}

fn document_symbol(db: &Database, item: ItemId, scheme: Option<&Scheme>) -> Option<DocumentSymbol> {
    let target = goto::definition_with(db, item, scheme)?;
    let scheme = scheme.filter(|scheme| !free_vars::has_error(&scheme.ty));
    let detail = scheme.map(rise::print::scheme_text);
    Some(DocumentSymbol { target, detail })
}

/// Returns at most `limit` definitions whose name contains the characters of `query` in order, best
/// match first. Definitions of the libraries come last.
pub fn workspace_symbols(db: &Database, query: &str, limit: usize) -> Vec<NavTarget> {
    let mut found: Vec<(Rank, ItemId)> = Vec::new();
    for file in db.files() {
        let library = db.is_library(file);
        for &item in db.items(file).iter() {
            if let Declaration::Def(name) = &db.header(item).declares
                && let Some(score) = fuzzy::score(query, name)
            {
                found.push((
                    Rank {
                        library,
                        score,
                        length: name.len(),
                    },
                    item,
                ));
            }
        }
    }
    found.sort_by_key(|(rank, _)| *rank);
    found.truncate(limit);
    let schemes = db.schemes(found.iter().map(|(_, item)| *item));
    found
        .into_iter()
        .zip(schemes)
        .filter_map(|((_, item), scheme)| goto::definition_with(db, item, scheme.as_deref()))
        .collect()
}

/// The rank of a workspace symbol; smaller is better.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    library: bool,
    score: u32,
    length: usize,
}

/// Returns the entry of an item of a strategy file in its file's outline; `None` if it is no
/// definition, example or main expression.
fn strategy_symbol(db: &Database, item: ItemId) -> Option<DocumentSymbol> {
    if let Some(target) = goto::definition_with(db, item, None) {
        let signature = db.strategy_signature(item.global());
        let known = *signature.scheme.ty != Type::Error;
        let detail = known.then(|| signature.scheme.text());
        return Some(DocumentSymbol { target, detail });
    }
    let parsed = db.strategy_parsed(item);
    let full = db.item_span(item);
    let (name, focus) = match &parsed.item.kind {
        ItemKind::Example {
            title: Some((title, span)),
            ..
        } => (format!("example: {title}"), span.shifted(full.start)),
        ItemKind::Example { .. } => ("example".to_owned(), full),
        ItemKind::Main { .. } => ("main".to_owned(), full),
        _ => return None,
    };
    let target = NavTarget {
        file: db.file_of(item),
        full,
        focus,
        name,
        kind: SymbolKind::Value,
    };
    let detail = None;
    Some(DocumentSymbol { target, detail })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Fixture, LISTING_1};
    use expect_test::expect;

    #[test]
    fn outline() {
        let fixture = Fixture::new(&format!(
            "import \"x.rise\"\n/// One.\ndef one = 1.0f\n{LISTING_1}foreign def expf(x: f32): f32\n\
             def broken = fun(x => unknown(x))\ndef \ndef half = fun(x => x |> \n"
        ));
        let file = fixture.files[0];
        let shown: Vec<String> = document_symbols(&fixture.db, file)
            .iter()
            .map(|symbol| {
                let target = &symbol.target;
                assert!(target.full.contains(target.focus));
                let detail = symbol.detail.as_deref().unwrap_or("unknown");
                format!("{:?} {} : {detail}\n", target.kind, target.name)
            })
            .collect();
        expect![[r#"
            Value one : f32
            Function mv : (n: Nat) -> (m: Nat) -> n.m.f32 -> m.f32 -> n.f32
            Foreign expf : f32 -> f32
            Function broken : unknown
            Function half : unknown
        "#]]
        .assert_eq(&shown.concat());
    }

    #[test]
    fn search() {
        let fixture = Fixture::new(
            "//- /a.rise\ndef matVec = 1\ndef mv = 2\n//- /b.rise\ndef Move = 3\ndef other = 4\n",
        );
        let names = |query: &str, limit: usize| -> Vec<String> {
            let found = workspace_symbols(&fixture.db, query, limit);
            found.into_iter().map(|symbol| symbol.name).collect()
        };
        assert_eq!(names("mv", 10), ["mv", "matVec", "Move"]);
        assert_eq!(names("mo", 10)[0], "Move");
        assert_eq!(names("dot", 1), ["dot"]);
        assert_eq!(names("", 2).len(), 2);
        assert_eq!(names("nothingOfThatName", 10), [""; 0]);
    }
}
