//! Document links of imports.

use db::{Database, FileId, FileState, ItemId, Language};
use syntax::Span;
use syntax::ast::ItemKind;
use syntax::elevate::ast::ItemKind as StrategyItemKind;

/// An import whose file exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentLink {
    /// The range of the path, without its quotes.
    pub span: Span,
    /// The imported file.
    pub target: FileId,
}

/// Returns the imports of `file` whose files exist.
pub fn document_links(db: &Database, file: FileId) -> Vec<DocumentLink> {
    let imports = db.imports(file);
    imports
        .iter()
        .filter_map(|import| {
            let target = import
                .target
                .filter(|file| matches!(db.state(*file), FileState::Present(_)))?;
            let span = path_of(db, import.item)?;
            let inside = Span::new(
                span.start + 1,
                span.end.saturating_sub(1).max(span.start + 1),
            );
            Some(DocumentLink {
                span: db.absolute(import.item, inside),
                target,
            })
        })
        .collect()
}

/// Returns the range of the path of an import, with its quotes.
fn path_of(db: &Database, item: ItemId) -> Option<Span> {
    if db.language(db.file_of(item)) == Language::Elevate {
        return match db.strategy_parsed(item).item.kind {
            StrategyItemKind::Import {
                path: Some((_, span)),
            } => Some(span),
            _ => None,
        };
    }
    match db.parsed(item).item.kind {
        ItemKind::Import {
            path: Some((_, span)),
        } => Some(span),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Fixture;

    #[test]
    fn imports_that_exist_are_links() {
        let fixture = Fixture::new(
            "//- /dir/main.rise\nimport \"../lib.rise\"\nimport \"absent.rise\"\nimport\n//- /lib.rise\ndef f = 1\n",
        );
        let [main, lib] = [fixture.files[0], fixture.files[1]];
        let links = document_links(&fixture.db, main);
        let shown: Vec<(String, FileId)> = links
            .iter()
            .map(|link| (fixture.slice(main, link.span), link.target))
            .collect();
        assert_eq!(shown, [("../lib.rise".to_owned(), lib)]);
    }
}
