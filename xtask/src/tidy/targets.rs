//! Finds the files that name a single target.
//!
//! What distinguishes the targets belongs in the folders of the targets, so that another target can
//! be added without a search through all crates.

use proc_macro2::{TokenStream, TokenTree};

use super::source::{File, Package};

/// The folder of the targets.
const FOLDER: &str = "crates/codegen/src/targets/";
/// The targets as variants of an enum and as constants.
const VARIANTS: &[&str] = &["C", "OpenMp", "OpenCl", "OPENMP", "OPENCL"];
/// The enums and modules whose variants and constants are targets.
const TABLES: &[&str] = &["Target", "CDialect", "targets"];
/// The methods that ask for a single target.
const QUESTIONS: &[&str] = &["is_c", "is_openmp", "is_opencl"];
const NAMES: &[&str] = &["\"c\"", "\"openmp\"", "\"opencl\""];

/// Returns the files outside `targets` whose production code names a single target.
pub fn naming(package: &Package) -> Vec<&str> {
    let files = package.files.iter();
    files
        .filter(|file| !file.path.starts_with(FOLDER))
        .filter(|file| names_target(file, &file.tokens))
        .map(|file| file.path.as_str())
        .collect()
}

fn names_target(file: &File, tokens: &TokenStream) -> bool {
    let trees: Vec<TokenTree> = tokens.clone().into_iter().collect();
    trees.iter().enumerate().any(|(at, tree)| match tree {
        TokenTree::Group(group) => names_target(file, &group.stream()),
        _ if !file.is_production(tree.span().start().line) => false,
        TokenTree::Ident(name) => {
            let is_one_of = |known: &[&str]| known.iter().any(|known| name == known);
            is_one_of(QUESTIONS) || is_one_of(TABLES) && variant(&trees[at + 1..])
        }
        TokenTree::Literal(literal) => NAMES.contains(&literal.to_string().as_str()),
        TokenTree::Punct(_) => false,
    })
}

/// Returns true if `::` and a target follow.
fn variant(trees: &[TokenTree]) -> bool {
    matches!(trees, [TokenTree::Punct(a), TokenTree::Punct(b), TokenTree::Ident(name), ..]
        if a.as_char() == ':' && b.as_char() == ':' && VARIANTS.iter().any(|variant| name == variant))
}

#[cfg(test)]
mod tests {
    use super::super::source::package;
    use super::*;

    #[test]
    fn files_that_name_a_target_are_found() {
        let codegen = package(
            "codegen",
            "",
            &[
                (
                    "src/lib.rs",
                    "mod a; mod b; mod c; mod d; mod e; mod targets;",
                ),
                ("src/a.rs", "fn f() { matches!(t, Target::OpenCl) }"),
                ("src/b.rs", "fn f() { t.is_opencl() }"),
                ("src/c.rs", "const NAME: &str = \"openmp\";"),
                (
                    "src/d.rs",
                    "fn f() { Target::ALL; \"C\" }\n#[test]\nfn g() { Target::C }",
                ),
                (
                    "src/e.rs",
                    "mod targets;\nconst ONE: Backend = targets::OPENCL;",
                ),
                ("src/e/targets.rs", "fn f() { Target::C }"),
                ("src/targets/mod.rs", "mod c;"),
                ("src/targets/c.rs", "fn f() { Target::C }"),
            ],
        );
        assert_eq!(
            naming(&codegen),
            [
                "crates/codegen/src/a.rs",
                "crates/codegen/src/b.rs",
                "crates/codegen/src/c.rs",
                "crates/codegen/src/e.rs",
                "crates/codegen/src/e/targets.rs",
            ]
        );
    }
}
