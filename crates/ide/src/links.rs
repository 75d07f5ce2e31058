//! Document links of imports.

use db::{Database, FileId, FileState};
use syntax::Span;

use crate::item_view::View;

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
            let span = View::new(db, import.item).import_path()?;
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
