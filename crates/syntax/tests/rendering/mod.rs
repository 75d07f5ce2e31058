//! Renders diagnostics and syntax trees as text.

#![allow(dead_code, reason = "every test uses a part of it")]

pub mod sexpr;
pub mod sexpr_elevate;

use syntax::{Diagnostic, Span};

/// Renders a diagnostic as an editor would: the line, carets and the message; related places below.
pub fn render(text: &str, diagnostic: &Diagnostic) -> String {
    let mut out = String::new();
    show(
        &mut out,
        text,
        diagnostic.span,
        &format!("{}: {}", diagnostic.code.as_str(), diagnostic.message),
    );
    for related in &diagnostic.related {
        show(&mut out, text, related.place.span, &related.message);
    }
    if let Some(help) = &diagnostic.help {
        out.push_str(&format!("help: {help}\n"));
    }
    for fix in &diagnostic.fixes {
        out.push_str(&format!("fix: {} {:?}\n", fix.title, fix.edits));
    }
    out
}

fn show(out: &mut String, text: &str, span: Span, message: &str) {
    let start = span.start as usize;
    let from = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let to = text[start..].find('\n').map_or(text.len(), |at| start + at);
    let line = &text[from..to];
    let width = text[start..(span.end as usize).min(to)]
        .chars()
        .count()
        .max(1);
    let column = text[from..start].chars().count();
    out.push_str(&format!(
        "{line}\n{}{} {message}\n",
        " ".repeat(column),
        "^".repeat(width)
    ));
}
