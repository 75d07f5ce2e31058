//! Counts the instructions of ten queries of the compiler and of ten generated programs under
//! Valgrind's callgrind, and compares them with those of `xtask/counts.json`.
//!
//! Unlike times, the counts hardly depend on the machine, but on the compilers: the file names the
//! versions of rustc and GCC for which it holds, and a part whose compiler has another version is
//! skipped. The counts are those of the profile `dev`, which continuous integration builds anyway.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;

use codegen::Target;
use db::{Database, FileId, FilePath, ItemId};
use ide::{FilePosition, FileRange};
use runtime::Shape;
use runtime::interp;
use runtime::launch::{Launch, Request, prepare};
use serde_json::{Value as Json, json};
use syntax::Span;

use super::Outcome;
use super::programs::{definition, first, kernels, sources};

/// The largest difference from the recorded count, as a part of it.
const TOLERANCE: f64 = 0.03;

/// The options of GCC. Instructions beyond those that all processors of an architecture have would
/// make counts depend on the machine.
const GCC_OPTIONS: [&str; 5] = ["-std=c11", "-O2", "-w", "-x", "c"];

/// The function within which callgrind counts the instructions of a query.
const REGION: &str = "*counted_region*";

/// A query, and the file on which it runs.
struct Query {
    name: &'static str,
    file: &'static str,
    /// True if the file is not checked before the query.
    is_cold: bool,
    run: fn(&mut Session) -> Outcome<()>,
}

const QUERIES: [Query; 10] = [
    query("check a file", "examples/imaging/harris.rise", |of| {
        of.check();
        Ok(())
    })
    .cold(),
    query(
        "check after a keystroke",
        "examples/imaging/harris.rise",
        |of| {
            of.edit("sxx + syy", "sxx - syy");
            of.check();
            Ok(())
        },
    ),
    query("hover", "examples/imaging/harris.rise", |of| {
        black_box(ide::hover(&of.db, of.at("zip2D(sxx)")?, ide::Repeated::ALL));
        Ok(())
    }),
    query("complete", "examples/imaging/harris.rise", |of| {
        of.edit("map2D(map(dot", "ma(map(dot");
        black_box(ide::completions(&of.db, of.at("a(map(dot")?));
        Ok(())
    }),
    query("inlay hints", "examples/imaging/harris.rise", |of| {
        let config = ide::InlayConfig::default();
        black_box(ide::inlay_hints(&of.db, of.file, of.whole(), &config));
        Ok(())
    }),
    query("semantic tokens", "examples/imaging/harris.rise", |of| {
        black_box(ide::semantic_tokens(&of.db, of.file, None));
        Ok(())
    }),
    query(
        "rewrites at a place",
        "examples/imaging/harris.rise",
        |of| {
            let at = of.at("map2D(map(dot")?.offset;
            let range = FileRange {
                file: of.file,
                span: Span::new(at, at),
            };
            black_box(ide::rewrites(&of.db, range, &|_| true));
            Ok(())
        },
    ),
    query("C after a keystroke", "examples/c/convolution.rise", |of| {
        of.edit("dotUnrolled(horizontal))))))", "dotUnrolled(vertical))))))");
        of.compile("convolutionSeparated", Target::C)
    }),
    query(
        "OpenCL after a keystroke",
        "examples/opencl/mm.rise",
        |of| {
            of.edit("generate(fun(j => 0.0f))", "generate(fun(j => 1.0f))");
            of.compile("mmNvidia", Target::OpenCl)
        },
    ),
    query("interpret", "examples/c/mm.rise", |of| {
        of.interpret("mmDots")
    }),
];

const fn query(
    name: &'static str,
    file: &'static str,
    run: fn(&mut Session) -> Outcome<()>,
) -> Query {
    Query {
        name,
        file,
        is_cold: false,
        run,
    }
}

impl Query {
    const fn cold(self) -> Query {
        Query {
            is_cold: true,
            ..self
        }
    }
}

/// The programs of `xtask/kernels/kernels.json` whose generated C is counted, with their sizes.
const KERNELS: [(&str, &[(&str, u64)]); 10] = [
    ("dotSeq", &[("n", 10_000)]),
    ("asumVectors", &[("n", 10_000)]),
    ("gemvFused", &[("n", 100), ("m", 120)]),
    ("mmTiled", &[("n", 64), ("k", 64), ("m", 64)]),
    ("stencil2DClamped", &[("n", 100), ("m", 90)]),
    ("convolutionSeparated", &[("h", 100), ("w", 90)]),
    ("prefixSums", &[("n", 10_000)]),
    ("lowerTriangularProduct", &[("n", 150)]),
    ("transposeTiled", &[("n", 128), ("m", 128)]),
    ("harrisBuffered", &[("h", 60), ("w", 50)]),
];

/// Counts, and compares with the file or, with `update`, writes it.
///
/// # Errors
/// Fails if a count differs by more than the tolerance or is not recorded, or a tool is missing.
pub fn run(root: &Path, update: bool, as_json: bool) -> Outcome<()> {
    if !cfg!(debug_assertions) {
        return Err(
            "the recorded counts are those of the profile `dev`: `cargo run -p xtask -- bench --counts`"
                .into(),
        );
    }
    let path = root.join("xtask/counts.json");
    let recorded: Json = match std::fs::read_to_string(&path) {
        Ok(text) => serde_json::from_str(&text)?,
        Err(_) => json!({}),
    };
    version("valgrind")?;
    let mut now = json!({});
    let mut wrong = String::new();
    type Count = fn(&Path) -> Outcome<Counts>;
    let parts: [(&str, &str, Count); 2] = [
        ("queries", "rustc", of_queries),
        ("kernels", "gcc", of_kernels),
    ];
    for (part, compiler, count) in parts {
        let version = version(compiler)?;
        if !update && recorded[compiler] != version {
            println!(
                "skipped: the counts of the {part} hold for {}, and this is {version}",
                recorded[compiler].as_str().unwrap_or("no version")
            );
            continue;
        }
        let counts = count(root)?;
        for (name, count) in &counts {
            let before = recorded[part][name].as_u64();
            let change = before.map(|before| *count as f64 / before.max(1) as f64 - 1.0);
            if !as_json {
                println!("{}", line(name, *count, change));
            }
            if change.is_none_or(|change| change.abs() > TOLERANCE) {
                writeln!(wrong, "{}", line(name, *count, change))?;
            }
        }
        now[compiler] = version.into();
        now[part] = json!(counts);
    }
    if as_json {
        println!("{}", serde_json::to_string_pretty(&now)?);
    }
    if update {
        std::fs::write(&path, serde_json::to_string_pretty(&now)? + "\n")?;
    } else if !wrong.is_empty() {
        return Err(format!(
            "counts differ by more than {} % from xtask/counts.json (`--counts --update` rewrites it):\n{wrong}",
            TOLERANCE * 100.0
        )
        .into());
    }
    Ok(())
}

/// The numbers of instructions by name.
type Counts = BTreeMap<String, u64>;

fn line(name: &str, count: u64, change: Option<f64>) -> String {
    let change = match change {
        Some(change) => format!("{:+.2} %", change * 100.0),
        None => "not recorded".to_owned(),
    };
    format!("{name:<28}{count:>14}  {change}")
}

/// Returns the first line of the output of `--version`.
fn version(tool: &str) -> Outcome<String> {
    let output = Command::new(tool).arg("--version").output();
    let output = output.map_err(|error| format!("{tool}: {error}"))?;
    let text = String::from_utf8(output.stdout)?;
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

/// The setting with which glibc copies and fills memory in the same way on every processor. The
/// counts of two processors otherwise differ by up to 8 %.
const LIBRARY_FUNCTIONS: &str = "glibc.cpu.hwcaps=-AVX2,-AVX,-AVX512F,-AVX512VL,-ERMS,-FSRM,-RTM";

/// Returns the number of instructions of a command within a function.
fn callgrind(folder: &Path, function: &str, command: &[String]) -> Outcome<u64> {
    let out = folder.join("callgrind.out");
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--collect-atstart=no"])
        .arg(format!("--toggle-collect={function}"))
        .arg(format!("--callgrind-out-file={}", out.display()))
        .args(command)
        .env("GLIBC_TUNABLES", LIBRARY_FUNCTIONS)
        .output()?;
    let report = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("{}: {report}", command.join(" ")).into());
    }
    let collected = report
        .lines()
        .find_map(|line| line.split_once("Collected :"));
    let count = collected.and_then(|(_, count)| count.trim().parse().ok());
    match count {
        None | Some(0) => Err(format!("{function} is not called: {report}").into()),
        Some(count) => Ok(count),
    }
}

fn of_queries(_root: &Path) -> Outcome<Counts> {
    let folder = tempfile::tempdir()?;
    let own = std::env::current_exe()?.display().to_string();
    let count = |query: &Query| {
        let command = [&own, "bench", "--counted-query", query.name].map(str::to_owned);
        Ok((
            query.name.to_owned(),
            callgrind(folder.path(), REGION, &command)?,
        ))
    };
    QUERIES.iter().map(count).collect()
}

/// Runs a query. This is the work of the process that callgrind observes.
pub fn counted_query(root: &Path, name: &str) -> Outcome<()> {
    let query = QUERIES.iter().find(|query| query.name == name);
    let query = query.ok_or("there is no such query")?;
    let path = root.join(query.file);
    let mut sources = sources(&path)?;
    let (_, text) = sources.first().cloned().ok_or("no file")?;
    let mut db = Database::new();
    // The file that is checked comes after those that it imports.
    sources.reverse();
    for (path, text) in &sources {
        db.set_file(FilePath::disk(path), text.as_str());
    }
    let file = db.file(&FilePath::disk(&path)).ok_or("no file")?;
    let mut session = Session {
        db,
        path,
        file,
        text,
    };
    if !query.is_cold {
        session.check();
    }
    counted_region(query, &mut session)
}

#[inline(never)]
fn counted_region(query: &Query, session: &mut Session) -> Outcome<()> {
    (query.run)(session)
}

/// A file that is open in an editor.
struct Session {
    db: Database,
    path: PathBuf,
    file: FileId,
    text: String,
}

impl Session {
    fn check(&self) {
        black_box(ide::diagnostics(&self.db, self.file));
    }

    fn edit(&mut self, from: &str, to: &str) {
        self.text = self.text.replacen(from, to, 1);
        self.db
            .set_file(FilePath::disk(&self.path), self.text.as_str());
    }

    /// Returns the position behind the first character of a text in the file.
    fn at(&self, text: &str) -> Outcome<FilePosition> {
        let at = self.text.find(text).ok_or("the text is not in the file")?;
        Ok(FilePosition {
            file: self.file,
            offset: u32::try_from(at + 1)?,
        })
    }

    fn whole(&self) -> Span {
        Span::new(0, u32::try_from(self.text.len()).unwrap_or(u32::MAX))
    }

    fn item(&mut self, name: &str) -> Outcome<ItemId> {
        definition(
            &mut self.db,
            &[(self.path.clone(), self.text.clone())],
            name,
        )
    }

    fn compile(&mut self, name: &str, target: Target) -> Outcome<()> {
        let item = self.item(name)?;
        black_box(
            self.db
                .module(item, target)
                .map_err(|found| first(&found))?,
        );
        Ok(())
    }

    fn interpret(&mut self, name: &str) -> Outcome<()> {
        let item = self.item(name)?;
        let program = self.db.linked(item).map_err(|error| format!("{error:?}"))?;
        let sizes = [("n", 12), ("k", 13), ("m", 14)];
        let launch = launch(&program, &sizes)?;
        let options = interp::Options::default();
        let outcome = interp::run(&program, &launch.bindings, &launch.args, &options);
        black_box(outcome.map_err(|error| format!("{error:?}"))?);
        Ok(())
    }
}

fn launch(
    program: &rise::core::Program<rise::Primitive>,
    sizes: &[(&str, u64)],
) -> Outcome<Launch> {
    let sizes = sizes.iter().map(|(name, size)| ((*name).to_owned(), *size));
    let request = Request {
        sizes: sizes.collect(),
        ..Request::default()
    };
    Ok(prepare(program, &request)?)
}

fn of_kernels(root: &Path) -> Outcome<Counts> {
    let all = kernels(root)?;
    let count = |(name, sizes): &(&str, &[(&str, u64)])| {
        let known = all.iter().find(|known| known.name == *name);
        let known = known.ok_or_else(|| format!("{name} is not in kernels.json"))?;
        let count = of_kernel(&root.join(&known.file), name, sizes);
        Ok((
            (*name).to_owned(),
            count.map_err(|error| format!("{name}: {error}"))?,
        ))
    };
    KERNELS.iter().map(count).collect()
}

fn of_kernel(path: &Path, name: &str, sizes: &[(&str, u64)]) -> Outcome<u64> {
    let folder = tempfile::tempdir()?;
    let file = |name: &str| folder.path().join(name);
    let mut db = Database::new();
    let item = definition(&mut db, &sources(path)?, name)?;
    let module = db.module(item, Target::C).map_err(|found| first(&found))?;
    let program = db.normalised(item).map_err(|found| first(&found))?;
    let launch = launch(&program, sizes)?;
    let arguments = (0..launch.args.len()).map(|at| file(&format!("argument{at}")));
    let arguments: Vec<PathBuf> = arguments.collect();
    for (path, value) in arguments.iter().zip(&launch.args) {
        std::fs::write(path, value.bytes())?;
    }
    std::fs::write(file("kernel.c"), &module.text)?;
    std::fs::write(file("main.c"), main_text(name, &launch)?)?;
    let output = Command::new("gcc")
        .args(GCC_OPTIONS)
        .args([file("kernel.c"), file("main.c")])
        .arg("-o")
        .arg(file("run"))
        .arg("-lm")
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    let command = std::iter::once(file("run")).chain(arguments);
    let command: Vec<String> = command.map(|path| path.display().to_string()).collect();
    callgrind(folder.path(), name, &command)
}

/// Returns a C program that calls a function with the contents of the files that its command line
/// names.
fn main_text(name: &str, launch: &Launch) -> Outcome<String> {
    let (mut types, mut passed) = (vec!["void *"], vec!["output".to_owned()]);
    for (_, size) in &launch.sizes {
        types.push("int");
        passed.push(size.to_string());
    }
    for (at, value) in launch.args.iter().enumerate() {
        let load = format!("load(arguments[{}])", at + 1);
        match value.shape() {
            Shape::Array(..) | Shape::DepArray(_) => {
                types.push("const void *");
                passed.push(load);
            }
            Shape::Scalar(syntax::ast::ScalarType::F32) => {
                types.push("float");
                passed.push(format!("*(float *){load}"));
            }
            other => return Err(format!("a parameter has the type {other:?}").into()),
        }
    }
    let (types, passed) = (types.join(", "), passed.join(", "));
    let size = launch.result.clone()?.size();
    Ok(format!(
        r#"#include <stdio.h>
#include <stdlib.h>
void {name}({types});
static void *load(const char *path) {{
    FILE *file = fopen(path, "rb");
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    void *bytes = malloc(size + 1);
    if (fread(bytes, 1, size, file) != size) exit(1);
    fclose(file);
    return bytes;
}}
int main(int count, char **arguments) {{
    void *output = calloc({size}, 1);
    {name}({passed});
    return 0;
}}
"#
    ))
}
