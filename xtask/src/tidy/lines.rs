//! Counts the lines of production code.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::source::{File, Package, Role};

/// Returns the number of lines with code that is not for tests, without blank lines and comments.
pub fn count(package: &Package) -> usize {
    let modules = package.files.iter();
    modules
        .filter(|file| matches!(file.role, Role::Module(_) | Role::Build))
        .map(of_file)
        .sum()
}

fn of_file(file: &File) -> usize {
    let mut lines = BTreeSet::new();
    collect(&file.tokens, &mut lines);
    let counted = |line: &&usize| file.role == Role::Build || file.is_production(**line);
    lines.iter().filter(counted).count()
}

/// Adds the lines of the tokens that do not come from doc comments.
fn collect(tokens: &TokenStream, lines: &mut BTreeSet<usize>) {
    let trees: Vec<TokenTree> = tokens.clone().into_iter().collect();
    for (at, tree) in trees.iter().enumerate() {
        let mark = matches!(tree, TokenTree::Punct(mark) if matches!(mark.as_char(), '#' | '!'));
        if is_doc(tree) || (mark && trees[at..].iter().take(3).any(is_doc)) {
            continue;
        }
        if let TokenTree::Group(group) = tree {
            lines.insert(group.span_open().start().line);
            lines.insert(group.span_close().end().line);
            collect(&group.stream(), lines);
        } else {
            let span = tree.span();
            lines.extend(span.start().line..=span.end().line);
        }
    }
}

fn is_doc(tree: &TokenTree) -> bool {
    let TokenTree::Group(group) = tree else {
        return false;
    };
    group.delimiter() == Delimiter::Bracket
        && matches!(group.stream().into_iter().next(), Some(TokenTree::Ident(name)) if name == "doc")
}

#[cfg(test)]
mod tests {
    use super::super::source::package;
    use super::*;

    #[test]
    fn blank_lines_comments_and_tests_do_not_count() {
        let source = "//! The crate.\n\n/// Does it.\n#[inline]\nfn f() {\n    // now\n\n    g(\"a\n b\")\n}\n\n#[cfg(test)]\nmod tests {\n    fn f() {}\n}\n";
        let x = package(
            "x",
            "",
            &[("src/lib.rs", source), ("tests/it.rs", "fn f() {}")],
        );
        assert_eq!(count(&x), 5);
    }
}
