//! Writes findings in a human-readable format: source snippets with underlined ranges.

use super::report::{Finding, Report, SourceId};
use super::snippet::{SnippetText, lines_of};
use super::{FAILURE, output};
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use ropey::Rope;
use std::io::{self, Write};
use syntax::{Severity, Span};

/// The largest number of lines of a range that is marked completely. A longer one is only marked in
/// its first line.
const MAX_MARKED_LINES: usize = 8;
/// The largest distance in lines between the first lines of two marks in one snippet.
const NEAR_LINES: usize = 12;
/// The largest distance in bytes between the starts of two marks in one snippet that begin in the
/// same line.
const NEAR_BYTES: u32 = 200;

/// Writes the findings: errors and warnings as snippets, each followed by an empty line;
/// obligations and hints as one line each.
pub fn write(report: &Report, renderer: &Renderer, out: &mut impl Write) -> io::Result<()> {
    let short = renderer.clone().short_message(true);
    for finding in &report.findings {
        match finding.severity {
            Severity::Error | Severity::Warning => {
                writeln!(out, "{}\n", render(report, finding, renderer))?;
            }
            Severity::Information | Severity::Hint => {
                writeln!(out, "{}", render(report, finding, &short))?;
            }
        }
    }
    Ok(())
}

/// Writes all findings as snippets, each followed by an empty line.
pub fn write_snippets(
    report: &Report,
    renderer: &Renderer,
    out: &mut impl Write,
) -> io::Result<()> {
    for finding in &report.findings {
        writeln!(out, "{}\n", render(report, finding, renderer))?;
    }
    Ok(())
}

/// Prints the findings to standard error, and returns the exit status `FAILURE`.
pub fn errors(report: &Report) -> u8 {
    // A failure to write the message cannot be reported.
    let _ = write(report, &output::stderr_renderer(), &mut io::stderr().lock());
    FAILURE
}

/// Writes all findings as snippets, and leaves out their codes. It is for failures of a running
/// program, which have no code.
pub fn write_plain(report: &Report, renderer: &Renderer, out: &mut impl Write) -> io::Result<()> {
    for finding in &report.findings {
        writeln!(out, "{}\n", render_with(report, finding, renderer, None))?;
    }
    Ok(())
}

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Information => Level::INFO,
        Severity::Hint => Level::NOTE.with_name("hint"),
    }
}

fn render(report: &Report, finding: &Finding, renderer: &Renderer) -> String {
    render_with(report, finding, renderer, Some(finding.code.as_str()))
}

fn render_with(
    report: &Report,
    finding: &Finding,
    renderer: &Renderer,
    code: Option<&str>,
) -> String {
    let (title, details) = match finding.message.split_once('\n') {
        Some((title, details)) => (title, Some(details)),
        None => (finding.message.as_str(), None),
    };
    let title = level(finding.severity).primary_title(title);
    let mut group = Group::with_title(match code {
        Some(code) => title.id(code),
        None => title,
    });
    let mut cut = false;
    for excerpt in excerpts(report, finding) {
        let snippet_text = excerpt.snippet_text();
        cut |= snippet_text.cut;
        group = excerpt.add_to(group, snippet_text);
    }
    // The lines of a message after the first one show types, one below the other.
    if let Some(details) = details {
        group = group.element(Level::NOTE.no_name().message(details));
    }
    if let Some(help) = &finding.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    let text = renderer.render(&[group]);
    if cut {
        without_bare_arrows(&text)
    } else {
        text
    }
}

/// Removes the lines that consist of `:::`, with which the renderer introduces a snippet without a
/// path.
fn without_bare_arrows(text: &str) -> String {
    let bare = |line: &&str| anstream::adapter::strip_str(line).to_string().trim() != ":::";
    text.lines().filter(bare).collect::<Vec<_>>().join("\n")
}

/// A snippet of one file, with marks that are near each other.
struct Excerpt<'a> {
    source: SourceId,
    path: &'a str,
    text: &'a Rope,
    marks: Vec<Mark<'a>>,
}

/// A range to underline. Only the range of the finding itself has no label.
struct Mark<'a> {
    span: Span,
    label: Option<&'a str>,
}

/// Groups the ranges of a finding into snippets. The range of the finding is the first of the first
/// snippet.
fn excerpts<'a>(report: &'a Report, finding: &'a Finding) -> Vec<Excerpt<'a>> {
    let new = |source: SourceId, mark| {
        let file = report.source(source);
        Excerpt {
            source,
            path: &file.path,
            text: &file.text,
            marks: vec![mark],
        }
    };
    let mut excerpts = vec![new(
        finding.source,
        Mark {
            span: finding.span,
            label: None,
        },
    )];
    for related in &finding.related {
        let mark = Mark {
            span: related.span,
            label: Some(&related.message),
        };
        match excerpts
            .iter_mut()
            .find(|excerpt| excerpt.source == related.source && excerpt.is_near(mark.span))
        {
            Some(excerpt) => excerpt.marks.push(mark),
            None => excerpts.push(new(related.source, mark)),
        }
    }
    excerpts
}

impl<'a> Excerpt<'a> {
    fn is_near(&self, span: Span) -> bool {
        let line = self.first_line(span);
        self.marks
            .iter()
            .all(|mark| match self.first_line(mark.span).abs_diff(line) {
                0 => mark.span.start.abs_diff(span.start) <= NEAR_BYTES,
                lines => lines <= NEAR_LINES,
            })
    }

    fn first_line(&self, span: Span) -> usize {
        *lines_of(self.text, span).start()
    }

    /// Returns the first line in which a mark begins.
    fn first(&self) -> usize {
        let lines = self.marks.iter().map(|mark| self.first_line(mark.span));
        lines.min().unwrap_or_default()
    }

    /// Returns the last line in which the mark of `span` is drawn.
    fn last_line(&self, span: Span) -> usize {
        let lines = lines_of(self.text, span);
        if has_many_lines(&lines) {
            *lines.start()
        } else {
            *lines.end()
        }
    }

    fn snippet_text(&self) -> SnippetText {
        let last = self
            .marks
            .iter()
            .map(|mark| self.last_line(mark.span))
            .max()
            .unwrap_or_default();
        let focus: Vec<Span> = self.marks.iter().map(|mark| mark.span).collect();
        SnippetText::new(self.text, self.first()..=last, &focus)
    }

    fn add_to(self, group: Group<'a>, snippet_text: SnippetText) -> Group<'a> {
        let annotations: Vec<_> = self
            .marks
            .iter()
            .map(|mark| {
                let lines = lines_of(self.text, mark.span);
                let start = snippet_text.place(mark.span.start as usize);
                let end = snippet_text.place(mark.span.end as usize);
                let end = if has_many_lines(&lines) {
                    snippet_text.line_end(*lines.start())
                } else {
                    end
                };
                let kind = if mark.label.is_none() {
                    AnnotationKind::Primary
                } else {
                    AnnotationKind::Context
                };
                kind.span(start..end.max(start)).label(mark.label)
            })
            .collect();
        let cut = snippet_text.cut;
        let snippet = Snippet::source(snippet_text.text)
            .line_start(self.first() + 1)
            .annotations(annotations);
        if !cut {
            return group.element(snippet.path(self.path));
        }
        let main = self.marks[0].span;
        let (line, column) = (
            self.first_line(main),
            column(self.text, main.start as usize),
        );
        group
            .element(
                Origin::path(self.path)
                    .line(line + 1)
                    .char_column(column + 1),
            )
            .element(snippet)
    }
}

fn has_many_lines(lines: &std::ops::RangeInclusive<usize>) -> bool {
    lines.end() - lines.start() >= MAX_MARKED_LINES
}

/// Returns the number of characters before `byte` in its line.
fn column(text: &Rope, byte: usize) -> usize {
    let char = text.byte_to_char(byte.min(text.len_bytes()));
    char - text.line_to_char(text.char_to_line(char))
}
