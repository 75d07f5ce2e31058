//! Workspaces written down in tests: `//- /path.rise` begins a file, `$0` is the cursor, and
//! `<|>…<|>` a range. A text without a header is the file `/main.rise`.

use db::{Database, FileId, FilePath};
use syntax::Span;

use crate::{FilePosition, FileRange, SourceEdits, TextEdit};

pub(crate) struct Fixture {
    pub(crate) db: Database,
    pub(crate) files: Vec<FileId>,
    pub(crate) cursors: Vec<FilePosition>,
    pub(crate) ranges: Vec<FileRange>,
}

pub(crate) const LISTING_1: &str = "\
def mv = depFun((n: Nat, m: Nat) =>
  fun(M: Array[n, Array[m, f32]] =>
    fun(x: Array[m, f32] =>
      M |> map(fun(row =>
        zip(row)(x) |>
          map(fun(ax => fst(ax) * snd(ax))) |>
          reduce(add)(0.0f) )) )) )
";

pub(crate) const LISTING_4: &str = "\
def mvOpt = depFun((n: Nat, m: Nat, s: Nat) =>
  fun(M: Array[n, Array[m, f32]] =>
    fun(x: Array[m, f32] =>
      M |> split(s) |> mapWorkGroup(fun(rows =>
        rows |> mapLocal(fun(row =>
          zip(row)(x) |>
            reduceSeq(Private)(fun(acc, ax =>
              acc + (fst(ax) * snd(ax))))(0.0f) ))
      )) |> join
    )) )
";

impl Fixture {
    pub(crate) fn new(text: &str) -> Fixture {
        let mut fixture = Fixture {
            db: Database::new(),
            files: Vec::new(),
            cursors: Vec::new(),
            ranges: Vec::new(),
        };
        let mut files: Vec<(String, String)> = Vec::new();
        for line in text.split_inclusive('\n') {
            match line.strip_prefix("//- ") {
                Some(path) => files.push((path.trim().to_owned(), String::new())),
                None => {
                    if files.is_empty() {
                        files.push(("/main.rise".to_owned(), String::new()));
                    }
                    if let Some((_, text)) = files.last_mut() {
                        text.push_str(line);
                    }
                }
            }
        }
        for (path, text) in files {
            fixture.file(&path, &text);
        }
        for path in fixture.db.missing() {
            fixture
                .db
                .set_absent(path, db::ReadError::NotFound(std::sync::Arc::default()));
        }
        fixture
    }

    fn file(&mut self, path: &str, marked: &str) {
        let (mut text, mut cursors, mut marks) = (String::new(), Vec::new(), Vec::new());
        let mut rest = marked;
        while let Some(at) = rest.find(['$', '<']) {
            text.push_str(&rest[..at]);
            rest = &rest[at..];
            let here = text.len() as u32;
            if let Some(after) = rest.strip_prefix("$0") {
                cursors.push(here);
                rest = after;
            } else if let Some(after) = rest.strip_prefix("<|>") {
                marks.push(here);
                rest = after;
            } else {
                text.push_str(&rest[..1]);
                rest = &rest[1..];
            }
        }
        text.push_str(rest);
        let file = self.db.set_file(FilePath::disk(path), text);
        self.files.push(file);
        self.cursors.extend(
            cursors
                .into_iter()
                .map(|offset| FilePosition { file, offset }),
        );
        for pair in marks.chunks_exact(2) {
            self.ranges.push(FileRange {
                file,
                span: Span::new(pair[0], pair[1]),
            });
        }
    }

    pub(crate) fn text(&self, file: FileId) -> String {
        self.db.text(file).to_string()
    }

    pub(crate) fn slice(&self, file: FileId, span: Span) -> String {
        self.text(file)[std::ops::Range::from(span)].to_owned()
    }

    /// Renders a place as `file:line:column text`, counted from 1.
    pub(crate) fn place(&self, file: FileId, span: Span) -> String {
        let text = self.text(file);
        let before = &text[..span.start as usize];
        let line = before.matches('\n').count() + 1;
        let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1) + 1;
        let shown = text[std::ops::Range::from(span)]
            .lines()
            .next()
            .unwrap_or("")
            .to_owned();
        format!("{}:{line}:{column} {shown}", self.db.path(file).file_name())
    }

    /// Returns the text of `file` after these edits.
    pub(crate) fn applied(&self, edits: &[TextEdit], file: FileId) -> String {
        let mut text = self.text(file);
        for edit in edits.iter().rev() {
            text.replace_range(std::ops::Range::from(edit.span), &edit.text);
        }
        text
    }

    /// Returns the text of every changed file, with a header if there are several files.
    pub(crate) fn applied_all(&self, edits: &SourceEdits) -> String {
        let mut out = String::new();
        for (file, edits) in &edits.files {
            if self.files.len() > 1 {
                out.push_str(&format!("//- {}\n", self.db.path(*file).file_name()));
            }
            out.push_str(&self.applied(edits, *file));
        }
        out
    }
}
