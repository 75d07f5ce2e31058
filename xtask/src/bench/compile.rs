//! Measures the compilation of each definition of the examples for each target, without any cached
//! results.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use codegen::Target;
use db::{Database, Declaration, FilePath};
use serde_json::{Value as Json, json};

use super::Outcome;
use super::programs::{definition, first, sources};

/// The time above which the compilation of a definition counts as slow.
const LIMIT: Duration = Duration::from_millis(10);
/// The number of compilations, of which the shortest counts: other work on the machine can only
/// make them slower.
const COMPILATIONS: usize = 3;
/// The number of the slowest definitions that are printed.
const SHOWN: usize = 15;

const TARGETS: [Target; 3] = [Target::C, Target::OpenMp, Target::OpenCl];

/// The measurement of a definition.
struct Measured {
    file: String,
    name: String,
    target: Target,
    time: Duration,
    /// The generated text, or the reason why there is none.
    text: Result<String, String>,
}

/// Measures all definitions whose name contains `only`, prints the slowest (all of them as JSON),
/// and writes all generated texts into the folder `keep`, if it is given.
pub fn run(root: &Path, only: &str, keep: Option<&Path>, as_json: bool) -> Outcome<()> {
    let mut all = Vec::new();
    for path in files(&root.join("examples"))? {
        all.extend(of_file(root, &path, only)?);
    }
    if let Some(folder) = keep {
        all.iter()
            .try_for_each(|measured| write(measured, folder))?;
    }
    all.sort_by_key(|measured| std::cmp::Reverse(measured.time));
    if as_json {
        let all: Vec<Json> = all.iter().map(Measured::json).collect();
        println!("{}", serde_json::to_string_pretty(&all)?);
    } else {
        print(&all);
    }
    Ok(())
}

/// Returns the paths of the programs in a folder and its subfolders.
fn files(folder: &Path) -> Outcome<BTreeSet<PathBuf>> {
    let mut found = BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            let ending = path.extension().and_then(|ending| ending.to_str());
            if path.is_dir() {
                folders.push(path);
            } else if matches!(ending, Some("rise" | "dpia")) {
                found.insert(path);
            }
        }
    }
    Ok(found)
}

fn of_file(root: &Path, path: &Path, only: &str) -> Outcome<Vec<Measured>> {
    let sources = sources(path)?;
    let mut all = Vec::new();
    for name in names(&sources).iter().filter(|name| name.contains(only)) {
        for target in TARGETS {
            all.push(measure(root, &sources, name, target)?);
        }
    }
    Ok(all)
}

/// Returns the names of the definitions in the first file.
fn names(sources: &[(PathBuf, String)]) -> Vec<String> {
    let mut db = Database::new();
    let Some((path, text)) = sources.first() else {
        return Vec::new();
    };
    let file = db.set_file(FilePath::disk(path), text.as_str());
    let name = |item: &db::ItemId| match &db.header(*item).declares {
        Declaration::Def(name) => Some(name.to_string()),
        _ => None,
    };
    db.items(file).iter().filter_map(name).collect()
}

fn measure(
    root: &Path,
    sources: &[(PathBuf, String)],
    name: &str,
    target: Target,
) -> Outcome<Measured> {
    let mut time = Duration::MAX;
    let mut text = Err(String::new());
    for _ in 0..COMPILATIONS {
        let start = Instant::now();
        let mut db = Database::new();
        let item = definition(&mut db, sources, name)?;
        let module = db.module(item, target);
        time = time.min(start.elapsed());
        text = match module {
            Ok(module) => Ok(module.text.clone()),
            Err(found) => Err(first(&found)),
        };
    }
    let path = sources.first().map_or(root, |(path, _)| path.as_path());
    let file = path.strip_prefix(root).unwrap_or(path);
    Ok(Measured {
        file: file.display().to_string(),
        name: name.to_owned(),
        target,
        time,
        text,
    })
}

/// Writes the generated text of a definition into a file of its own.
fn write(measured: &Measured, folder: &Path) -> Outcome<()> {
    let target = format!("{:?}", measured.target).to_lowercase();
    let name = format!("{}.{target}", measured.name);
    let path = folder.join(&measured.file).join(name);
    std::fs::create_dir_all(path.with_file_name(""))?;
    let text = match &measured.text {
        Ok(text) => text.clone(),
        Err(message) => format!("// {message}\n"),
    };
    Ok(std::fs::write(path, text)?)
}

fn print(all: &[Measured]) {
    for measured in all.iter().take(SHOWN) {
        let Measured {
            file, name, target, ..
        } = measured;
        let ms = measured.time.as_secs_f64() * 1e3;
        let slow = if measured.time > LIMIT { "  SLOW" } else { "" };
        let refused = if measured.text.is_err() {
            "  refused"
        } else {
            ""
        };
        println!("{ms:>8.2} ms  {file}  {name} ({target:?}){slow}{refused}");
    }
    let slow = all.iter().filter(|measured| measured.time > LIMIT).count();
    let (count, limit) = (all.len(), LIMIT.as_millis());
    println!("{slow} of {count} above {limit} ms");
}

impl Measured {
    fn json(&self) -> Json {
        json!({
            "file": self.file,
            "def": self.name,
            "target": format!("{:?}", self.target),
            "milliseconds": self.time.as_secs_f64() * 1e3,
            "refused": self.text.as_ref().err(),
        })
    }
}
