//! Tests the strategies of `examples/strategies` on their programs: they apply, and the results are
//! equivalent.

use std::fs;
use std::path::Path;

use elevate::lang::{Definition, File, NotRewritten, Programs, Request, rewrite};
use std::sync::Arc;
use syntax::elevate::ast::{ItemKind, Order};

use agreement::Pair;

/// A strategy and a program.
struct Case {
    /// The name of both files, without the extension.
    file: &'static str,
    /// The name of the strategy; empty for the main expression.
    strategy: &'static str,
    /// The name of the definition.
    program: &'static str,
    /// A number that divides the sizes of the program.
    unit: i64,
    /// Arguments for the sizes that the strategy leaves open.
    more: &'static str,
    /// Words of the result with their numbers of occurrences.
    words: &'static [(&'static str, usize)],
}

const fn case(
    file: &'static str,
    strategy: &'static str,
    program: &'static str,
    unit: i64,
    words: &'static [(&'static str, usize)],
) -> Case {
    Case {
        file,
        strategy,
        program,
        unit,
        more: "",
        words,
    }
}

const CASES: &[Case] = &[
    Case {
        more: "(2)",
        ..case(
            "mv",
            "",
            "mv",
            2,
            &[
                ("mapWorkGroup", 1),
                ("mapLocal", 1),
                ("reduceSeq", 1),
                ("Private", 1),
                ("split", 1),
                ("join", 1),
            ],
        )
    },
    case("gemm", "baseline", "mm", 4, &[("reduceSeq", 1)]),
    case("gemm", "blocking", "mm", 32, &[]),
    case("gemm", "vectorization", "mm", 32, &[]),
    case("gemm", "loopPerm", "mm", 32, &[]),
    case("gemm", "arrayPacking", "mm", 32, &[("toMem", 1)]),
    case("gemm", "cacheBlocks", "mm", 32, &[("toMem", 1)]),
    case("gemm", "parallelBlocks", "mm", 32, &[("toMem", 1)]),
    case("gemm", "baselineC", "mm", 4, &[]),
    case("gemm", "blockingC", "mm", 32, &[]),
    case("gemm", "vectorizationC", "mm", 32, &[]),
    case("gemm", "loopPermC", "mm", 32, &[]),
    case("gemm", "arrayPackingOpenMP", "mm", 32, &[("toMem", 1)]),
    case("gemm", "cacheBlocksOpenMP", "mm", 32, &[("toMem", 1)]),
    case("gemm", "parallelOpenMP", "mm", 32, &[]),
    case("gemm", "paperBlocking", "mm", 32, &[]),
    case("gemm", "paperLoopPerm", "mm", 32, &[]),
    case("gemm", "paperParallel", "mm", 32, &[("toMem", 1)]),
    case("binomial", "factorised", "binomial", 1, &[]),
    case("binomial", "factorisedVH", "binomial", 1, &[]),
    case("binomial", "scanline", "binomial", 1, &[]),
    case("binomial", "scanlineByLast", "binomial", 1, &[]),
    case("binomial", "separatedByLast", "binomial", 1, &[]),
    case("binomial", "separated", "binomial", 1, &[]),
    case(
        "binomial",
        "baseSeq",
        "binomial",
        1,
        &[("mapSeq", 2), ("reduceSeqUnroll", 1)],
    ),
    case(
        "binomial",
        "factorisedSeq",
        "binomial",
        1,
        &[("mapSeq", 2), ("reduceSeqUnroll", 2)],
    ),
    case(
        "binomial",
        "scanlineSeq",
        "binomial",
        1,
        &[("mapSeq", 3), ("reduceSeqUnroll", 2)],
    ),
    case(
        "binomial",
        "separatedSeq",
        "binomial",
        1,
        &[("mapSeq", 4), ("toMem", 1)],
    ),
    case(
        "binomial",
        "regRotSeq",
        "binomial",
        1,
        &[("rotateValues", 1), ("iterateStream", 1)],
    ),
    case(
        "circular",
        "circular",
        "twoWindows",
        1,
        &[("circularBuffer", 1)],
    ),
    case("circular", "windowsInlined", "twoWindows", 1, &[]),
    case(
        "circular",
        "windowsBuffered",
        "twoWindows",
        1,
        &[("toMem", 1)],
    ),
    case("circular", "inlined", "chain", 1, &[("mapSeq", 1)]),
    case("circular", "buffered", "chain", 1, &[("toMem", 2)]),
    case("circular", "rings", "chain", 1, &[("circularBuffer", 2)]),
    case(
        "dot",
        "groups",
        "partialDot",
        64,
        &[("mapWorkGroup", 1), ("mapLocal", 1)],
    ),
    case("dot", "items", "partialDot", 1, &[("mapGlobal", 1)]),
    case("dot", "twoLevels", "dotProduct", 1024, &[]),
    case("dot", "onAllCores", "dotProduct", 1024, &[("mapPar", 1)]),
    case("dot", "inOrder", "dotProduct", 1, &[]),
    case("nbody", "items", "accelerations", 1, &[("mapGlobal", 1)]),
    case("nbody", "groups", "accelerations", 64, &[("mapLocal", 1)]),
    case("nbody", "blocks", "accelerations", 64, &[("mapLocal", 1)]),
    case(
        "nbody",
        "blocksInLocalMemory",
        "accelerations",
        64,
        &[("mapLocal", 4), ("Local", 1)],
    ),
    case("mm", "items", "product", 1, &[("mapGlobal", 2)]),
    case(
        "mm",
        "tiles",
        "product",
        16,
        &[("mapWorkGroup", 2), ("mapLocal", 2)],
    ),
    case("mm", "registers", "product", 8, &[("mapGlobal", 2)]),
    case(
        "mm",
        "blocks",
        "product",
        128,
        &[("mapWorkGroup", 2), ("mapLocal", 10), ("Local", 1)],
    ),
    case(
        "mm",
        "tilesInLocalMemory",
        "product",
        16,
        &[("mapWorkGroup", 2), ("mapLocal", 10), ("Local", 1)],
    ),
    case(
        "mm",
        "blocks",
        "productOfColumns",
        128,
        &[("mapWorkGroup", 2), ("mapLocal", 10), ("Local", 1)],
    ),
    case(
        "dot",
        "tree",
        "partialDot",
        1,
        &[("mapWorkGroup", 1), ("mapLocal", 3), ("iterate", 1)],
    ),
    case("stencil", "pieces", "neighbours", 64, &[("mapLocal", 1)]),
    case(
        "stencil",
        "piecesInLocalMemory",
        "neighbours",
        64,
        &[("Local", 1)],
    ),
    case("stencil", "pieces2D", "box", 16, &[("mapLocal", 2)]),
    case("stencil", "pieces3D", "cube", 4, &[("mapLocal", 3)]),
    case(
        "stencil",
        "pieces2DInLocalMemory",
        "box",
        16,
        &[("Local", 1)],
    ),
    case(
        "stencil",
        "pieces3DInLocalMemory",
        "cube",
        4,
        &[("Local", 1)],
    ),
    case(
        "stencil",
        "registers",
        "neighbours",
        1,
        &[("rotateValues", 1)],
    ),
    case("harris", "lines", "corners", 1, &[]),
    case(
        "camera",
        "hotPixelsInLoops",
        "hotPixels",
        1,
        &[("mapSeq", 2)],
    ),
    case("camera", "demosaicInLoops", "demosaic", 1, &[]),
    case(
        "camera",
        "correctedInLoops",
        "corrected",
        1,
        &[("toMem", 1)],
    ),
    case("camera", "curvedInLoops", "curved", 1, &[("toMem", 1)]),
    case("camera", "lines", "picture", 1, &[]),
    case("camera", "ring", "picture", 1, &[("circularBuffer", 1)]),
    case("harris", "columns", "corners", 1, &[]),
    case("harris", "buffered", "corners", 1, &[("circularBuffer", 2)]),
    case(
        "harris",
        "parallelStrips",
        "corners",
        8,
        &[("mapGlobal", 1), ("circularBuffer", 2)],
    ),
    case(
        "harris",
        "vectors4",
        "corners",
        8,
        &[("vectorFromScalar", 8)],
    ),
    case(
        "harris",
        "vectors8",
        "corners",
        8,
        &[("vectorFromScalar", 8)],
    ),
    case("harris", "registers", "corners", 8, &[("rotateValues", 2)]),
    case(
        "harris",
        "aligned4",
        "corners",
        8,
        &[("asVectorAligned", 1)],
    ),
    case(
        "harris",
        "aligned8",
        "corners",
        8,
        &[("asVectorAligned", 1)],
    ),
    case("harris", "registers4", "corners", 8, &[("rotateValues", 2)]),
    case("harris", "registers8", "corners", 8, &[("rotateValues", 2)]),
];

#[test]
fn strategies_that_are_shipped() {
    let work = || {
        let wrong = CASES.iter().filter_map(|case| case.hold().err());
        wrong.collect::<Vec<_>>()
    };
    let thread = std::thread::Builder::new().stack_size(512 << 20);
    let thread = thread.spawn(work).expect("a thread");
    let wrong = thread.join().expect("no panic");
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

impl Case {
    fn hold(&self) -> Result<(), String> {
        let name = format!("{}.elevate:{}", self.file, self.strategy);
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/strategies");
        let read = |end: &str| {
            let path = folder.join(format!("{}.{end}", self.file));
            fs::read_to_string(path).expect("a text")
        };
        let (text, mut strategies) = (read("rise"), read("elevate"));
        if !self.strategy.is_empty() {
            // Remaining definitions are unfolded, so that the text of the result is complete.
            let strategy = self.strategy;
            strategies += &format!("\nval whole : Strategy = {strategy} ; unfoldAll\n");
        }
        let file = File::new(&strategies, Programs::of(&text));
        let messages: Vec<_> = file
            .diagnostics()
            .into_iter()
            .filter(|diagnostic| diagnostic.severity == syntax::Severity::Error)
            .map(|diagnostic| diagnostic.message)
            .collect();
        if !messages.is_empty() {
            return Err(format!("{name}: {}", messages.join("\n")));
        }
        let after = self
            .rewritten(&file)
            .map_err(|error| format!("{name}: {error}"))?;
        if std::env::var_os("SHOW").is_some() {
            println!("// {name}\n{after}\n");
        }
        for (word, times) in self.words {
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            let found = after.split(|c| !is_word(c)).filter(|found| found == word);
            let found = found.count();
            if found != *times {
                return Err(format!(
                    "{name}: {found} × {word}, not {times}, in\n{after}"
                ));
            }
        }
        let text = format!("{text}\n{after}");
        let pair = Pair {
            text: &text,
            before: self.program,
            after: "rewritten",
            more: self.more,
            unit: self.unit,
            largest: match self.unit {
                ..=8 => 6,
                9..=64 => 2,
                _ => 1,
            },
        };
        match pair.agree(7) {
            Ok(0) => Err(format!("{name}: no sizes\n{after}")),
            Ok(_) => Ok(()),
            Err(error) => Err(format!("{name}: {error}")),
        }
    }

    /// Returns the rewritten program as a definition of `rewritten`.
    fn rewritten(&self, file: &File) -> Result<String, String> {
        let strategy: Option<&Arc<Definition>> = match self.strategy {
            "" => file.items().last(),
            _ => file.named("whole"),
        };
        let strategy = strategy.ok_or("there is no such strategy")?;
        let order = file.items().find_map(|item| match item.item.kind {
            ItemKind::Traversal { order, .. } => order,
            _ => None,
        });
        let order = order.unwrap_or(Order::Default);
        let programs = file.programs();
        let id = programs
            .named(self.program)
            .ok_or("there is no such program")?;
        let def = programs.definition(id).ok_or("the program is wrong")?;
        let request = Request::default();
        match rewrite(strategy, file.definitions(), &def, order, &request) {
            Ok(done) => {
                let mut def = done.def;
                def.name = "rewritten".into();
                if std::env::var_os("SHOW").is_some() {
                    println!(
                        "// {} steps, {} of housekeeping",
                        done.steps, done.housekeeping
                    );
                }
                Ok(rise::core::def_text(&def))
            }
            Err(NotRewritten::Failed(report)) => Err(format!(
                "{}\n  {}",
                report.message,
                report.notes.join("\n  ")
            )),
            Err(other) => Err(format!("{other:?}")),
        }
    }
}
