//! Tests the strategies of `examples/strategies`: each lowers its program, whose results are then
//! compared with the interpreter on the original program.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use rayon::prelude::*;
use tempfile::TempDir;

/// A strategy, its program, and its runs.
struct Case {
    /// The name of the files of both, without extension.
    file: &'static str,
    program: &'static str,
    strategy: &'static str,
    backend: &'static str,
    /// The arguments of `run` for each run: sizes, inputs, the size of groups.
    runs: &'static [&'static str],
}

const fn case(
    names: [&'static str; 3],
    backend: &'static str,
    runs: &'static [&'static str],
) -> Case {
    let [file, program, strategy] = names;
    Case {
        file,
        program,
        strategy,
        backend,
        runs,
    }
}

const SQUARES: &[&str] = &["-Dn=64", "-Dn=96"];
const IMAGES: &[&str] = &["-Dn=9 -Dm=7", "-Dn=32 -Dm=33"];
const WINDOWS: &[&str] = &[
    "-Dn=20 --arg xs=[0,2,4,6,8,10,12,14,16,18,1,3,5,7,9,11,13,15,17,0,2,4,6,8,10]",
    "-Dn=3",
];
const CHAINS: &[&str] = &[
    "-Dn=20 --arg xs=[0,2,4,6,8,10,12,14,16,18,1,3,5,7,9,11,13,15,17,0,2,4,6,8,10,12]",
    "-Dn=1",
];
const GRIDS: &[&str] = &["-Dn=16 -Dm=32", "-Dn=64 -Dm=48"];
const SPACES: &[&str] = &["-Dn=4 -Dm=8 -Do=12", "-Dn=16 -Dm=4 -Do=20"];
const CORNERS: &[&str] = &["-Dh=8 -Dw=16", "-Dh=32 -Dw=40"];
const BODIES: &[&str] = &["-Dn=128", "-Dn=320"];

const CASES: &[Case] = &[
    case(["gemm", "mm", "baselineC"], "c", SQUARES),
    case(["gemm", "mm", "blockingC"], "c", SQUARES),
    case(["gemm", "mm", "vectorizationC"], "c", SQUARES),
    case(["gemm", "mm", "loopPermC"], "c", SQUARES),
    case(["gemm", "mm", "arrayPackingOpenMP"], "openmp", SQUARES),
    case(["gemm", "mm", "cacheBlocksOpenMP"], "openmp", SQUARES),
    case(["gemm", "mm", "parallelOpenMP"], "openmp", SQUARES),
    case(["gemm", "mm", "paperBlocking"], "c", SQUARES),
    case(["gemm", "mm", "paperLoopPerm"], "c", SQUARES),
    case(["gemm", "mm", "paperParallel"], "openmp", SQUARES),
    case(["binomial", "binomial", "baseSeq"], "c", IMAGES),
    case(["binomial", "binomial", "factorisedSeq"], "c", IMAGES),
    case(["binomial", "binomial", "scanlineSeq"], "c", IMAGES),
    case(["binomial", "binomial", "separatedSeq"], "c", IMAGES),
    case(["binomial", "binomial", "scanlinePar"], "openmp", IMAGES),
    case(["binomial", "binomial", "regRotSeq"], "c", IMAGES),
    case(["circular", "twoWindows", "windowsInlined"], "c", WINDOWS),
    case(["circular", "twoWindows", "windowsBuffered"], "c", WINDOWS),
    case(["circular", "twoWindows", "circular"], "c", WINDOWS),
    case(["circular", "chain", "inlined"], "c", CHAINS),
    case(["circular", "chain", "buffered"], "c", CHAINS),
    case(["circular", "chain", "rings"], "c", CHAINS),
    case(
        ["dot", "dotProduct", "onAllCores"],
        "openmp",
        &["-Dn=1024", "-Dn=5120"],
    ),
    case(
        ["dot", "dotProduct", "inOrder"],
        "c",
        &["-Dn=1", "-Dn=1000"],
    ),
    case(
        ["dot", "partialDot", "items"],
        "opencl",
        &["-Dn=1", "-Dn=100"],
    ),
    case(
        ["dot", "partialDot", "groups"],
        "opencl",
        &["-Dn=64", "-Dn=192"],
    ),
    case(["nbody", "accelerations", "items"], "opencl", BODIES),
    case(["nbody", "accelerations", "groups"], "opencl", BODIES),
    case(["nbody", "accelerations", "blocks"], "opencl", BODIES),
    case(
        ["nbody", "accelerations", "blocksInLocalMemory"],
        "opencl",
        &["-Dn=128 --local 64", "-Dn=320 --local 64"],
    ),
    case(
        ["mm", "product", "items"],
        "opencl",
        &["-Dn=5 -Dk=7 -Dm=9", "-Dn=64 -Dk=32 -Dm=48"],
    ),
    case(
        ["mm", "product", "tiles"],
        "opencl",
        &["-Dn=32 -Dk=7 -Dm=48", "-Dn=64 -Dk=32 -Dm=64"],
    ),
    case(
        ["mm", "product", "registers"],
        "opencl",
        &["-Dn=8 -Dk=3 -Dm=4", "-Dn=64 -Dk=32 -Dm=64"],
    ),
    case(
        ["mm", "product", "blocks"],
        "opencl",
        &[
            "-Dn=64 -Dk=32 -Dm=128 --local 32,8",
            "-Dn=128 -Dk=48 -Dm=256 --local 32,8",
        ],
    ),
    case(
        ["stencil", "neighbours", "registers"],
        "c",
        &["-Dn=1", "-Dn=100"],
    ),
    case(
        ["stencil", "neighbours", "pieces"],
        "opencl",
        &["-Dn=64", "-Dn=256"],
    ),
    case(
        ["stencil", "neighbours", "piecesInLocalMemory"],
        "opencl",
        &["-Dn=64", "-Dn=256"],
    ),
    case(["stencil", "box", "pieces2D"], "opencl", GRIDS),
    case(["stencil", "box", "pieces2DInLocalMemory"], "opencl", GRIDS),
    case(["stencil", "cube", "pieces3D"], "opencl", SPACES),
    case(
        ["stencil", "cube", "pieces3DInLocalMemory"],
        "opencl",
        SPACES,
    ),
    case(
        ["harris", "corners", "buffered"],
        "c",
        &["-Dh=9 -Dw=7", "-Dh=20 -Dw=33"],
    ),
    case(
        ["camera", "hotPixels", "hotPixelsInLoops"],
        "c",
        &["-Dh=1 -Dw=1", "-Dh=9 -Dw=14"],
    ),
    case(
        ["camera", "demosaic", "demosaicInLoops"],
        "c",
        &["-Dh=1 -Dw=3 --arg raw=iota", "-Dh=6 -Dw=5"],
    ),
    case(
        ["camera", "corrected", "correctedInLoops"],
        "c",
        &[
            "-Dh=1 -Dw=3 --arg temperature=3200",
            "-Dh=6 -Dw=5 --arg temperature=4500 --arg rgb=iota",
        ],
    ),
    case(
        ["camera", "curved", "curvedInLoops"],
        "c",
        &[
            "-Dh=1 -Dw=3 --arg contrast=1",
            "-Dh=19 -Dw=20 --arg contrast=0.5 --arg rgb=iota",
        ],
    ),
    case(
        ["camera", "picture", "ring"],
        "c",
        &[
            "-Dh=1 -Dw=1 --arg temperature=3700 --arg contrast=0.5",
            "-Dh=9 -Dw=12 --arg temperature=6100 --arg contrast=1 --arg raw=iota",
        ],
    ),
    case(["harris", "corners", "parallelStrips"], "opencl", CORNERS),
    case(["harris", "corners", "vectors4"], "opencl", CORNERS),
    case(["harris", "corners", "vectors8"], "opencl", CORNERS),
    case(["harris", "corners", "registers"], "opencl", CORNERS),
    case(["harris", "corners", "aligned4"], "opencl", CORNERS),
    case(["harris", "corners", "aligned8"], "opencl", CORNERS),
    case(["harris", "corners", "registers4"], "opencl", CORNERS),
    case(["harris", "corners", "registers8"], "opencl", CORNERS),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns a copy of the files in which programs can refer to their strategies.
fn copied() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    for entry in std::fs::read_dir(root().join("examples/strategies"))
        .expect("a folder")
        .flatten()
    {
        std::fs::copy(entry.path(), folder.path().join(entry.file_name())).expect("a file");
    }
    folder
}

fn rise_ls<S: AsRef<OsStr>>(folder: &TempDir, arguments: impl IntoIterator<Item = S>) -> Output {
    Command::new(env!("CARGO_BIN_EXE_rise-ls"))
        .args(arguments)
        .current_dir(folder.path())
        .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
        .env("CFLAGS", "-Wall -Werror")
        .env("OMP_WAIT_POLICY", "passive")
        .output()
        .expect("rise-ls starts")
}

fn said(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    format!(
        "{}\n{}{}",
        output.status,
        text(&output.stdout),
        text(&output.stderr)
    )
}

/// Returns true if the run reports that the machine has no device.
fn nothing_to_run_on(output: &Output) -> bool {
    let said = said(output);
    let missing = ["OpenCL library", "no OpenCL", "there is no OpenCL device"];
    missing.iter().any(|words| said.contains(words))
}

impl Case {
    /// Returns the errors of all runs.
    fn wrong(&self) -> Vec<String> {
        let folder = copied();
        let file = format!("{}.rise", self.file);
        let path = folder.path().join(&file);
        let text = std::fs::read_to_string(&path).expect("a program");
        let def = format!("\ndef {} ", self.program);
        let strategy = format!("\n@strategy(\"{}.elevate\", {})", self.file, self.strategy);
        assert_eq!(text.matches(&def).count(), 1, "{}", self.program);
        std::fs::write(&path, text.replace(&def, &(strategy + &def))).expect("a file");
        let start = ["run", &file, "--def", self.program, "--verify", "--backend"];
        let run = |more: &&str| {
            let words = start.into_iter().chain([self.backend]);
            let output = rise_ls(&folder, words.chain(more.split(' ')));
            let fine = output.status.success() || nothing_to_run_on(&output);
            let name = format!("{}.elevate:{}", self.file, self.strategy);
            (!fine).then(|| format!("{name} {more}: {}", said(&output)))
        };
        self.runs.iter().filter_map(run).collect()
    }
}

#[test]
fn programs_run_as_their_strategies_lower_them() {
    let found: Vec<String> = CASES.par_iter().flat_map_iter(Case::wrong).collect();
    assert!(
        found.is_empty(),
        "{} wrong:\n{}",
        found.len(),
        found.join("\n")
    );
}

/// Listing 3 of RISE & Shine leaves the size of a chunk open: it becomes a size parameter of the
/// program.
#[test]
fn listing_3_makes_a_program_that_runs() {
    let folder = copied();
    let rewrite = ["rewrite", "mv.rise", "--strategy", "mv.elevate", "--write"];
    let output = rise_ls(&folder, rewrite);
    assert!(output.status.success(), "{}", said(&output));
    for sizes in [
        ["-Dn=128", "-Dm=64", "-Ds=16"],
        ["-Dn=96", "-Dm=5", "-Ds=32"],
    ] {
        let run = ["run", "mv.rise", "--backend", "opencl", "--verify"];
        let output = rise_ls(&folder, run.into_iter().chain(sizes));
        let fine = output.status.success() || nothing_to_run_on(&output);
        assert!(fine, "{}", said(&output));
    }
}
