//! Formats the measurements of the rules as a table.

use std::fmt::Write;

use super::source::Package;
use super::{docs, lines, modules, targets};

/// Returns a table with a row for each crate in `crates`, and lists of the files and cycles that it
/// counts.
pub fn table(packages: &[Package]) -> String {
    let mut text = format!(
        "{:<10} {:>8} {:>8} {:>10} {:>7} {:>7} {:>8}\n",
        "crate", "lines", "docs", "fragments", "share", "cycles", "targets"
    );
    let mut all = [0; 5];
    let layered = packages.iter().filter(|package| package.layered);
    for package in layered.clone() {
        let row = [
            lines::count(package),
            docs::count(package),
            docs::fragments(package).len(),
            modules::Graph::of(package).cycles().len(),
            targets::naming(package).len(),
        ];
        for (sum, figure) in all.iter_mut().zip(row) {
            *sum += figure;
        }
        write_row(&mut text, &package.name, row);
    }
    write_row(&mut text, "all", all);
    text.push_str(
        "\nlines: production code without tests, comments and blank lines\n\
         fragments: doc comments whose first sentence has no main clause\n\
         cycles: sets of top-level modules that depend on each other\n\
         targets: files outside `codegen::targets` that name a single target:\n",
    );
    for path in layered.clone().flat_map(targets::naming) {
        _ = writeln!(text, "  {path}");
    }
    for package in layered {
        for cycle in modules::Graph::of(package).cycles() {
            let names: Vec<String> = cycle.into_iter().collect();
            _ = writeln!(text, "\ncycle in `{}`: {}", package.name, names.join(" "));
        }
    }
    text
}

fn write_row(text: &mut String, name: &str, row: [usize; 5]) {
    let [lines, docs, fragments, cycles, targets] = row;
    let share = 100.0 * fragments as f64 / docs.max(1) as f64;
    _ = writeln!(
        text,
        "{name:<10} {lines:>8} {docs:>8} {fragments:>10} {share:>6.1}% {cycles:>7} {targets:>8}"
    );
}
