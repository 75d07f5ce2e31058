//! Completion of the names of files in imports and `@strategy`.

use db::{Database, Language};
use syntax::Span;

use super::{COMPLETION_LIMIT, Completion, CompletionKind, CompletionSource};
use crate::{FilePosition, fuzzy, imports};

/// The name of a file at the cursor.
struct FileName {
    /// The language of the files that it may name.
    language: Language,
    /// True if an import names it, and not `@strategy`.
    imported: bool,
    /// The part of the name up to the cursor.
    typed: String,
    /// The range that a completion replaces: the text between the quotes, from the first quote to
    /// the cursor if there is no second one, or the word under the cursor if there is none.
    replace: Span,
    quotes: Quotes,
}

/// The quotes that already surround the name of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quotes {
    Both,
    First,
    None,
}

/// Returns the files that could be named and match what is typed, if the cursor is in the string of
/// an import or of `@strategy`, or in the word after `import`. Returns `None` at other places.
pub(super) fn completions(db: &Database, at: FilePosition) -> Option<Vec<Completion>> {
    let name = file_name(db, at)?;
    let files = match name.imported {
        true => imports::importable(db, at.file),
        false => imports::files(db, at.file, name.language),
    };
    let fitting = files
        .into_iter()
        .filter(|(_, path)| fuzzy::score(&name.typed, path).is_some());
    let completion = |(rank, (_, path)): (usize, (_, String))| Completion {
        kind: CompletionKind::File,
        detail: None,
        brief: None,
        replace: name.replace,
        insert: match name.quotes {
            Quotes::Both => path.clone(),
            Quotes::First => format!("{path}\""),
            Quotes::None => format!("\"{path}\""),
        },
        snippet: false,
        sort: format!("{rank:03}"),
        source: CompletionSource::None,
        label: path,
    };
    Some(
        fitting
            .take(COMPLETION_LIMIT)
            .enumerate()
            .map(completion)
            .collect(),
    )
}

/// Returns true if the cursor is in the string of an import or of `@strategy`, or in the word after
/// `import`.
pub(super) fn is_at(db: &Database, at: FilePosition) -> bool {
    file_name(db, at).is_some()
}

fn file_name(db: &Database, at: FilePosition) -> Option<FileName> {
    let text = db.text(at.file);
    let offset = at.offset as usize;
    let row = text.try_byte_to_line(offset).ok()?;
    let line = text.line(row).to_string();
    let (before, after) = line.split_at_checked(offset - text.line_to_byte(row))?;
    let Some((head, typed)) = before.rsplit_once('"') else {
        return file_name_without_quotes(db, at, before, after);
    };
    let imported = match head.split_whitespace().collect::<String>().as_str() {
        "import" => true,
        "@strategy(" => false,
        _ => return None,
    };
    let rest = after.find('"');
    let end = at.offset + rest.unwrap_or(0) as u32;
    Some(FileName {
        language: match imported {
            true => db.language(at.file),
            false => Language::Elevate,
        },
        imported,
        typed: typed.to_owned(),
        replace: Span::new(at.offset - typed.len() as u32, end),
        quotes: match rest {
            Some(_) => Quotes::Both,
            None => Quotes::First,
        },
    })
}

/// Finds the name of a file after `import` that has no quotes yet.
fn file_name_without_quotes(
    db: &Database,
    at: FilePosition,
    before: &str,
    after: &str,
) -> Option<FileName> {
    let typed = before.trim_start().strip_prefix("import")?;
    let word = typed.trim_start();
    if word.len() == typed.len() || word.contains(char::is_whitespace) {
        return None;
    }
    let rest = after.find(|c: char| c.is_whitespace() || c == '"');
    let rest = rest.unwrap_or(after.len()) as u32;
    Some(FileName {
        language: db.language(at.file),
        imported: true,
        typed: word.to_owned(),
        replace: Span::new(at.offset - word.len() as u32, at.offset + rest),
        quotes: Quotes::None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Fixture;

    fn offered(text: &str) -> (Fixture, Vec<Completion>) {
        let fixture = Fixture::new(text);
        let found = crate::completions(&fixture.db, fixture.cursors[0]);
        (fixture, found)
    }

    fn labels(text: &str) -> Vec<String> {
        let (_, found) = offered(text);
        found.into_iter().map(|found| found.label).collect()
    }

    #[test]
    fn an_import_names_files_of_its_language_that_do_not_import_this_one() {
        let files = "//- /lib.rise\n//- /sub/deep.rise\n//- /user.rise\nimport \"main.rise\"\n//- /fuse.elevate\n//- /p.dpia\n";
        let in_main = |line: &str| labels(&format!("//- /main.rise\n{line}\n{files}"));
        assert_eq!(in_main("import \"$0\""), ["lib.rise", "sub/deep.rise"]);
        assert_eq!(in_main("import \"sub/$0"), ["sub/deep.rise"]);
        assert_eq!(
            in_main("@strategy(\"$0\", fuse)\ndef f = 1"),
            ["fuse.elevate"]
        );
        assert_eq!(
            in_main("@strategy(\"fuse.elevate\"$0, fuse)\ndef f = 1"),
            [""; 0]
        );
        let below = labels("//- /sub/main.rise\nimport \"$0\"\n//- /lib.rise\n");
        assert_eq!(below, ["../lib.rise"]);
        let strategies =
            labels("//- /own.elevate\nimport \"$0\"\n//- /fuse.elevate\n//- /lib.rise\n");
        assert_eq!(strategies, ["fuse.elevate"]);
    }

    #[test]
    fn a_file_name_replaces_what_stands_between_the_quotes() {
        let inserted = |line: &str| {
            let text = format!("//- /main.rise\n{line}\n//- /lib.rise\n");
            let (fixture, found) = offered(&text);
            let slice = fixture.slice(fixture.files[0], found[0].replace);
            (slice.to_owned(), found[0].insert.clone())
        };
        let pair = |old: &str, new: &str| (old.to_owned(), new.to_owned());
        assert_eq!(
            inserted("import \"li$0x.rise\""),
            pair("lix.rise", "lib.rise")
        );
        assert_eq!(inserted("import \"li$0"), pair("li", "lib.rise\""));
        assert_eq!(inserted("import $0"), pair("", "\"lib.rise\""));
        assert_eq!(
            inserted("import li$0x.rise"),
            pair("lix.rise", "\"lib.rise\"")
        );
        assert_eq!(
            labels("//- /main.rise\nimport$0\n//- /lib.rise\n"),
            ["import"]
        );
    }
}
