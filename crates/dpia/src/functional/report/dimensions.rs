//! Fixes for the library's maps over several dimensions: a nested map for each dimension.

use rise::Primitive;
use rise::core::Origin;
use syntax::ast::TermKind;
use syntax::{Diagnostic, Span};

use super::edit::Edits;
use super::nesting::written;
use super::{Reporter, alternatives, offer, tick};
use crate::functional::problem::ParallelMap;
use crate::target::{Features, Parallelism};

impl Reporter<'_> {
    /// Adds the nested implementations of `map2D` and `map3D` to a message.
    pub(super) fn written_out_map(&self, at: Origin, nest: &[ParallelMap], found: &mut Diagnostic) {
        let head = self.source_map.location(at).head;
        let dimensions = match self.source_map.text(head) {
            "map2D" => 2,
            "map3D" => 3,
            _ => return,
        };
        let chains = chains(dimensions, self.target, nest);
        let texts: Vec<String> = chains
            .iter()
            .map(|chain| format!("{}(…{}", chain.join("("), ")".repeat(dimensions)))
            .collect();
        let list: Vec<String> = texts.iter().map(|text| tick(text)).collect();
        if !list.is_empty() {
            found.help = Some(format!("write out what it computes: {}", list.join(" or ")));
        }
        for (chain, text) in chains.iter().zip(texts) {
            let edits = self.nested_maps(head, chain);
            offer(found, format!("Write `{text}`"), edits);
        }
    }

    /// Returns the edits that replace the map named at `head` by nested maps.
    fn nested_maps(&self, head: Span, chain: &[String]) -> Option<Edits> {
        let item = self.source_map.written.item;
        let function = item.terms.iter().find_map(|term| match &term.kind {
            TermKind::Apply { callee, args } if item.term(*callee).span == head => {
                args.first().copied()
            }
            _ => None,
        })?;
        let end = item.term(function).span.end;
        Some(vec![
            (head, chain.join("(")),
            (Span::empty(end), ")".repeat(chain.len() - 1)),
        ])
    }
}

/// Returns the chains of nested maps, outermost first, that implement a map over several
/// dimensions, the best chain first.
fn chains(dimensions: usize, target: Features, nest: &[ParallelMap]) -> Vec<Vec<String>> {
    let sequential = |outer: Option<&str>| {
        let outer = outer.unwrap_or("mapSeq").to_owned();
        let inner = std::iter::repeat_n("mapSeq".to_owned(), dimensions - 1);
        [outer].into_iter().chain(inner).collect::<Vec<String>>()
    };
    match target.parallelism {
        Parallelism::Threads if nest.is_empty() => {
            vec![sequential(Some("mapPar")), sequential(None)]
        }
        Parallelism::Sequential | Parallelism::Threads => vec![sequential(None)],
        Parallelism::WorkItems if nest.is_empty() => {
            let global = (0..dimensions as u8).rev();
            vec![
                global
                    .map(|dimension| written(Primitive::MapGlobal, dimension))
                    .collect(),
                sequential(Some("mapGlobal")),
            ]
        }
        Parallelism::WorkItems if alternatives::is_shared(nest) => vec![sequential(None)],
        Parallelism::WorkItems => Vec::new(),
    }
}
