//! Writes findings as SARIF 2.1.0: one run, with a rule for every diagnostic code.

use super::explain;
use super::position;
use super::report::{Finding, Report, SourceId};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::path::Path;
use syntax::{Code, Severity, Span};

/// The `uriBaseId` of relative paths.
const BASE: &str = "SRCROOT";

/// The characters that are escaped in paths: all except the unreserved ones and `/`.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'/');

/// Writes one SARIF log. Relative paths are relative to `base`.
pub fn write(report: &Report, base: &Path, out: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, &log(report, base))?;
    out.write_all(b"\n")
}

fn log(report: &Report, base: &Path) -> Value {
    let codes = db::codes::all();
    let results: Vec<Value> = report
        .findings
        .iter()
        .map(|finding| result(report, finding, &codes))
        .collect();
    let rules: Vec<Value> = codes.iter().map(|&code| rule(code)).collect();
    json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "rise-ls",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "informationUri": env!("CARGO_PKG_REPOSITORY"),
                "rules": rules,
            }},
            "columnKind": "utf16CodeUnits",
            "originalUriBaseIds": { BASE: { "uri": format!("{}/", file_uri(base)) } },
            "results": results,
        }],
    })
}

fn rule(code: Code) -> Value {
    let text = code.explanation();
    json!({
        "id": code.as_str(),
        "name": pascal(code.as_str()),
        "shortDescription": { "text": code.title() },
        "help": { "text": explain::without_fences(&text), "markdown": text },
    })
}

fn result(report: &Report, finding: &Finding, codes: &[Code]) -> Value {
    let mut text = finding.message.clone();
    if let Some(help) = &finding.help {
        text.push_str("\nhelp: ");
        text.push_str(help);
    }
    let mut result = json!({
        "ruleId": finding.code.as_str(),
        "ruleIndex": codes.iter().position(|&code| code == finding.code),
        "level": level(finding.severity),
        "message": { "text": text },
        "locations": [ { "physicalLocation": location(report, finding.source, finding.span) } ],
    });
    if !finding.related.is_empty() {
        let related = finding.related.iter().enumerate().map(|(id, related)| {
            json!({
                "id": id,
                "physicalLocation": location(report, related.source, related.span),
                "message": { "text": related.message },
            })
        });
        result["relatedLocations"] = related.collect();
    }
    result
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information | Severity::Hint => "note",
    }
}

fn location(report: &Report, source: SourceId, span: Span) -> Value {
    let source = report.source(source);
    let range = position::range(&source.text, span);
    let path = Path::new(&source.path);
    let artifact = if path.is_absolute() {
        json!({ "uri": file_uri(path) })
    } else {
        json!({ "uri": uri_path(&source.path), "uriBaseId": BASE })
    };
    json!({
        "artifactLocation": artifact,
        "region": {
            "startLine": range.start.line + 1,
            "startColumn": range.start.character + 1,
            "endLine": range.end.line + 1,
            "endColumn": range.end.character + 1,
        },
    })
}

fn file_uri(path: &Path) -> String {
    format!(
        "file://{}",
        uri_path(&path.to_string_lossy()).trim_end_matches('/')
    )
}

/// Percent-encodes a path.
fn uri_path(path: &str) -> String {
    utf8_percent_encode(path, RESERVED).to_string()
}

/// Converts `size-mismatch` to `SizeMismatch`.
fn pascal(code: &str) -> String {
    let word = |word: &str| word[..1].to_uppercase() + &word[1..];
    code.split('-').map(word).collect()
}
