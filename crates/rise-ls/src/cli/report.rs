//! The findings of a check with their source files, ready to be printed.

use crate::run::causes_in_strategies;
use db::{Database, FileId, FilePath};
use ropey::Rope;
use rustc_hash::FxHashMap;
use std::path::Path;
use syntax::{Code, Diagnostic, ItemSpan, Severity, Span};

/// An index into `Report::sources`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceId(pub usize);

/// A source file that a finding refers to.
#[derive(Clone, Debug)]
pub struct Source {
    /// The path as the user would write it.
    pub path: String,
    /// The text without a byte order mark.
    pub text: Rope,
}

/// A secondary location of a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelatedFinding {
    pub source: SourceId,
    pub span: Span,
    /// The label of the location.
    pub message: String,
}

/// A diagnostic with its source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub source: SourceId,
    pub span: Span,
    pub severity: Severity,
    pub code: Code,
    /// The message, of one or more lines.
    pub message: String,
    /// The secondary locations.
    pub related: Vec<RelatedFinding>,
    /// Advice on how to fix it.
    pub help: Option<String>,
}

/// The findings of a check. [`Reporter::finish`] returns them sorted by path and then by position.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The files that findings refer to.
    pub sources: Vec<Source>,
    pub findings: Vec<Finding>,
}

impl Report {
    pub fn source(&self, id: SourceId) -> &Source {
        &self.sources[id.0]
    }

    /// Returns the number of findings of this severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings
            .iter()
            .filter(|finding| finding.severity == severity)
            .count()
    }

    /// Removes the findings that are less severe than `level`.
    pub fn at_least(mut self, level: Severity) -> Report {
        self.findings.retain(|finding| finding.severity <= level);
        self
    }

    /// Sorts the findings by path, position, severity and code.
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

/// Collects diagnostics of a database into a report.
pub struct Reporter<'a> {
    db: &'a Database,
    base: &'a Path,
    known: FxHashMap<FileId, SourceId>,
    report: Report,
}

impl<'a> Reporter<'a> {
    /// Creates a reporter whose report has the paths below `base` relative to it.
    pub fn new(db: &'a Database, base: &'a Path) -> Self {
        Reporter {
            db,
            base,
            known: FxHashMap::default(),
            report: Report::default(),
        }
    }

    /// Adds diagnostics of an item. In place of the failure of a strategy with errors, these errors
    /// are added at their places; in place of the error that the item uses a definition whose
    /// strategy fails, the diagnostics of that definition are.
    pub fn item(&mut self, item: db::ItemId, diagnostics: &[Diagnostic]) {
        let is_consequence = |found: &&Diagnostic| found.code == dpia::codes::NOT_A_PROGRAM;
        let causes = match diagnostics.iter().any(|found| is_consequence(&found)) {
            true => causes_in_strategies(self.db, item),
            false => Vec::new(),
        };
        for (cause, errors) in &causes {
            self.own(*cause, errors.iter());
        }
        let is_shown = |found: &&Diagnostic| causes.is_empty() || !is_consequence(found);
        self.own(item, diagnostics.iter().filter(is_shown));
    }

    fn own<'d>(
        &mut self,
        item: db::ItemId,
        diagnostics: impl Iterator<Item = &'d Diagnostic> + Clone,
    ) {
        let is_failure = |found: &&Diagnostic| found.code == elevate::codes::STRATEGY_FAILS;
        let wrong = match diagnostics.clone().any(|found| is_failure(&found)) {
            true => self.db.strategy_errors(item),
            false => Vec::new(),
        };
        let is_left_out = |found: &&Diagnostic| !wrong.is_empty() && is_failure(found);
        self.add_findings(item, diagnostics.filter(|found| !is_left_out(found)));
        for (strategy, errors) in &wrong {
            self.add_findings(*strategy, errors.iter());
        }
    }

    fn add_findings<'d>(
        &mut self,
        item: db::ItemId,
        diagnostics: impl Iterator<Item = &'d Diagnostic>,
    ) {
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

    /// Adds a diagnostic of a file that is not in the database. Its secondary locations are left
    /// out.
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

    /// Returns the sorted report, in which nothing is repeated.
    pub fn finish(self) -> Report {
        let mut report = self.report;
        report.sort();
        report.findings.dedup();
        report
    }

    /// Returns the source file of a place, and its byte range in that file. The place is relative
    /// to the item that it names, or else to `item`.
    pub fn place(&mut self, item: db::ItemId, place: ItemSpan) -> (SourceId, Span) {
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

/// Returns a path as the user would write it: relative to `base` if it is below `base`. A file of
/// the standard library is `<library>/NAME`; a virtual file has its name.
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

/// Returns the name of a severity in machine-readable output.
pub fn severity_word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information => "information",
        Severity::Hint => "hint",
    }
}
