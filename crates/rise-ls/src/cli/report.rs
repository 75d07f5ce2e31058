//! What a check found, ready to be shown: places are files, with their text.

use db::{Database, FileId, FilePath};
use ropey::Rope;
use rustc_hash::FxHashMap;
use std::path::Path;
use syntax::{Code, Diagnostic, Place, Severity, Span};

/// Index of a [`Source`] in its report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceId(pub usize);

/// A file in which something stands.
#[derive(Clone, Debug)]
pub struct Source {
    /// As the user would write it.
    pub path: String,
    /// Its text, without a byte order mark.
    pub text: Rope,
}

/// A second place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelatedFinding {
    /// The file.
    pub source: SourceId,
    /// The bytes in it.
    pub span: Span,
    /// What stands there.
    pub message: String,
}

/// A diagnostic with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The file.
    pub source: SourceId,
    /// The bytes in it.
    pub span: Span,
    /// Its weight.
    pub severity: Severity,
    /// What kind of message.
    pub code: Code,
    /// One or more lines.
    pub message: String,
    /// Further places.
    pub related: Vec<RelatedFinding>,
    /// What to do.
    pub help: Option<String>,
}

/// Everything that a check found, by path and then by position.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The files that findings name.
    pub sources: Vec<Source>,
    /// What was found.
    pub findings: Vec<Finding>,
}

impl Report {
    /// The file with this number.
    pub fn source(&self, id: SourceId) -> &Source {
        &self.sources[id.0]
    }

    /// How many findings have this weight.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings
            .iter()
            .filter(|finding| finding.severity == severity)
            .count()
    }

    /// Drops the findings that weigh less than `level`.
    pub fn at_least(mut self, level: Severity) -> Report {
        self.findings.retain(|finding| finding.severity <= level);
        self
    }

    /// Orders the findings by path, position and weight.
    pub fn sort(&mut self) {
        let Report { sources, findings } = self;
        findings.sort_by(|a, b| {
            let path = |finding: &Finding| &sources[finding.source.0].path;
            let key = |finding: &Finding| {
                (
                    finding.span.start,
                    finding.span.end,
                    finding.severity,
                    finding.code,
                )
            };
            path(a).cmp(path(b)).then_with(|| key(a).cmp(&key(b)))
        });
    }
}

/// Collects diagnostics of a database.
pub struct Reporter<'a> {
    db: &'a Database,
    base: &'a Path,
    known: FxHashMap<FileId, SourceId>,
    report: Report,
}

impl<'a> Reporter<'a> {
    /// Paths below `base` are shown from there.
    pub fn new(db: &'a Database, base: &'a Path) -> Self {
        Reporter {
            db,
            base,
            known: FxHashMap::default(),
            report: Report::default(),
        }
    }

    /// Adds what is said about an item.
    pub fn item(&mut self, item: db::ItemId, diagnostics: &[Diagnostic]) {
        for diagnostic in diagnostics {
            let (source, span) = self.place(item, diagnostic.span.into());
            let related = diagnostic.related.iter().map(|related| {
                let (source, span) = self.place(item, related.place);
                RelatedFinding {
                    source,
                    span,
                    message: related.message.clone(),
                }
            });
            let related = related.collect();
            self.report.findings.push(Finding {
                source,
                span,
                severity: diagnostic.severity,
                code: diagnostic.code,
                message: diagnostic.message.clone(),
                related,
                help: diagnostic.help.clone(),
            });
        }
    }

    /// Adds what is said about a file that is not in the database.
    pub fn outside(&mut self, path: &FilePath, text: &str, diagnostic: &Diagnostic) {
        let source = self.add(Source {
            path: shown(path, self.base),
            text: Rope::from_str(text),
        });
        self.report.findings.push(Finding {
            source,
            span: diagnostic.span,
            severity: diagnostic.severity,
            code: diagnostic.code,
            message: diagnostic.message.clone(),
            related: Vec::new(),
            help: diagnostic.help.clone(),
        });
    }

    /// The report, in order.
    pub fn finish(self) -> Report {
        let mut report = self.report;
        report.sort();
        report
    }

    /// The file and the bytes of a place.
    pub fn place(&mut self, item: db::ItemId, place: Place) -> (SourceId, Span) {
        let item = place.item.map_or(item, |global| self.db.item_of(global));
        (
            self.source(self.db.file_of(item)),
            self.db.absolute(item, place.span),
        )
    }

    fn source(&mut self, file: FileId) -> SourceId {
        if let Some(&known) = self.known.get(&file) {
            return known;
        }
        let path = shown(&self.db.path(file), self.base);
        let id = self.add(Source {
            path,
            text: self.db.text(file),
        });
        self.known.insert(file, id);
        id
    }

    fn add(&mut self, source: Source) -> SourceId {
        self.report.sources.push(source);
        SourceId(self.report.sources.len() - 1)
    }
}

/// A path as the user would write it: from `base`, if it is below that.
pub fn shown(path: &FilePath, base: &Path) -> String {
    match path {
        FilePath::Disk(disk) => disk
            .strip_prefix(base)
            .unwrap_or(disk)
            .display()
            .to_string(),
        FilePath::Std(name) => format!("<library>/{name}"),
        FilePath::Virtual(name) => name.to_string(),
    }
}

/// The word for a weight in machine-readable output.
pub fn severity_word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information => "information",
        Severity::Hint => "hint",
    }
}
