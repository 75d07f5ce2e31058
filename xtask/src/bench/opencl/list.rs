//! Reads the list of programs, `tests/kernels/kernels.json`, and the hand-written kernels in the
//! same folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use super::formula;

/// Values of sizes by name.
pub type Sizes = BTreeMap<String, u64>;

/// A program of the examples.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The name of the program.
    pub name: String,
    /// The name of the definition.
    pub def: String,
    /// The file of the definition.
    pub file: String,
    /// The sizes at which it is compared with the interpreter.
    pub verify: Vec<Sizes>,
    /// The small and the large size of the measurements.
    pub bench: Vec<Sizes>,
    /// The number of floating-point operations, as a formula.
    pub flops: Option<String>,
    /// The minimal number of bytes that are read or written, as a formula.
    pub bytes: Option<String>,
    /// The kinds of the arguments that are not random, by their names.
    pub args: BTreeMap<String, String>,
    /// The times of Lift's kernel at both sizes, in ms.
    pub lift: Vec<f64>,
    /// The name of the program whose hand-written kernel is compared with the default schedule of
    /// this one; `None` if this one has a schedule and a hand-written kernel of its own.
    pub twin: Option<String>,
    /// True if the program is tuned for current devices.
    pub tuned: bool,
    /// The largest difference of results that is allowed, relative to `max(1, |b|)` for the
    /// expected element `b`; `None` for the default.
    pub tolerance: Option<f64>,
}

/// Reads all programs of the list.
pub fn entries(root: &Path) -> Result<Vec<Entry>, String> {
    let path = folder(root).join("kernels.json");
    let text =
        std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let all: Vec<Json> =
        serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
    all.iter()
        .map(|one| entry(one).map_err(|error| format!("{}: {error}: {one}", path.display())))
        .collect()
}

/// Returns the folder of the hand-written kernels.
pub fn folder(root: &Path) -> PathBuf {
    root.join("tests/kernels")
}

fn entry(json: &Json) -> Result<Entry, String> {
    let word = |key: &str| json[key].as_str().map(str::to_owned);
    let all_sizes = |key: &str| match &json[key] {
        Json::Null => Ok(Vec::new()),
        found => serde_json::from_value(found.clone()).map_err(|error| format!("{key}: {error}")),
    };
    let mut args = BTreeMap::new();
    for (name, kind) in json["args"].as_object().into_iter().flatten() {
        let kind = kind.as_str().ok_or("args: what each is, in a word")?;
        args.insert(name.clone(), kind.to_owned());
    }
    let times = json["lift"].as_array().into_iter().flatten();
    let name = word("name").ok_or("no name")?;
    Ok(Entry {
        def: word("def").unwrap_or_else(|| name.clone()),
        name,
        file: word("file").ok_or("no file")?,
        verify: all_sizes("verify")?,
        bench: all_sizes("bench")?,
        flops: word("flops"),
        bytes: word("bytes"),
        args,
        lift: times.filter_map(Json::as_f64).collect(),
        twin: word("twin"),
        tuned: json["tuned"].as_bool().unwrap_or(false),
        tolerance: json["tolerance"].as_f64(),
    })
}

/// A file of hand-written kernels.
#[derive(Clone, Debug, PartialEq)]
pub struct Twin {
    /// The source text.
    pub text: String,
    /// The launches of its kernels, in order.
    pub steps: Vec<Step>,
}

/// A launch of a hand-written kernel. Instead of a value that is `None`, that of the generated
/// kernel is used.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Step {
    /// The name of the kernel.
    pub kernel: String,
    /// The formulas of the local size.
    pub local: Option<Vec<String>>,
    /// The formulas of the global size.
    pub global: Option<Vec<String>>,
    /// The arguments: `output`, sizes and parameters by name, `name:bytes` for memory of its own.
    pub args: Option<Vec<String>>,
}

/// Returns the hand-written kernels for a program, if there are any.
pub fn twin(root: &Path, entry: &Entry) -> Result<Option<Twin>, String> {
    let name = entry.twin.as_ref().unwrap_or(&entry.name);
    let path = folder(root).join(format!("{name}.cl"));
    if !path.is_file() {
        return Ok(None);
    }
    let text =
        std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let steps = steps(&text, name).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(Some(Twin { text, steps }))
}

/// Parses the lines `// launch:` of a file; without any, the kernel `name` is launched once.
fn steps(text: &str, name: &str) -> Result<Vec<Step>, String> {
    let lines = text
        .lines()
        .filter_map(|line| line.strip_prefix("// launch:"));
    let steps: Vec<Step> = lines.map(step).collect::<Result<_, _>>()?;
    if steps.is_empty() {
        return Ok(vec![Step {
            kernel: name.to_owned(),
            ..Step::default()
        }]);
    }
    Ok(steps)
}

/// Parses a launch: `KERNEL local=[16,4] global=[n/8,n] args=[output,n,xs,tmp:4*n]`.
fn step(line: &str) -> Result<Step, String> {
    let line = line.trim();
    let end = line.find(char::is_whitespace).unwrap_or(line.len());
    let (kernel, mut rest) = line.split_at(end);
    let mut step = Step {
        kernel: kernel.to_owned(),
        ..Step::default()
    };
    loop {
        rest = rest.trim_start();
        if rest.is_empty() {
            return Ok(step);
        }
        let (key, list) = rest.split_once("=[").ok_or("`key=[…]` is expected")?;
        let (list, behind) = list.split_once(']').ok_or("`]` is missing")?;
        let list = Some(parts(list));
        match key {
            "local" => step.local = list,
            "global" => step.global = list,
            "args" => step.args = list,
            _ => return Err(format!("`{key}` is none of local, global, args")),
        }
        rest = behind;
    }
}

/// Splits a list at the commas outside of parentheses.
fn parts(list: &str) -> Vec<String> {
    let (mut parts, mut depth) = (vec![String::new()], 0);
    for c in list.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(part) = parts.last_mut() {
            part.push(c);
        }
    }
    let parts = parts.iter().map(|part| part.trim().to_owned());
    parts.filter(|part| !part.is_empty()).collect()
}

/// Returns the sizes of a launch from its formulas; 1 for missing dimensions.
pub fn extents(formulas: &[String], sizes: &Sizes) -> Result<[usize; 3], String> {
    let mut extents = [1; 3];
    for (extent, text) in extents.iter_mut().zip(formulas) {
        let count = formula::count(text, sizes)?;
        *extent = usize::try_from(count).map_err(|error| error.to_string())?;
    }
    Ok(extents)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_are_read_from_comments() {
        let text = "// launch: rows local=[16, 4] global=[8*ceilDiv(n,8),n]\n// launch: sums args=[output,n,tmp:4*n]\nkernel";
        let words = |all: &[&str]| Some(all.iter().map(|word| (*word).to_owned()).collect());
        assert_eq!(
            steps(text, "x"),
            Ok(vec![
                Step {
                    kernel: "rows".to_owned(),
                    local: words(&["16", "4"]),
                    global: words(&["8*ceilDiv(n,8)", "n"]),
                    args: None,
                },
                Step {
                    kernel: "sums".to_owned(),
                    args: words(&["output", "n", "tmp:4*n"]),
                    ..Step::default()
                }
            ])
        );
        assert!(steps("// launch: k size=[1]", "x").is_err());
        assert_eq!(steps("kernel", "x").map(|all| all.len()), Ok(1));
    }

    #[test]
    fn extents_are_filled_up() {
        let sizes = Sizes::from([("n".to_owned(), 64)]);
        let formulas = ["n/8".to_owned(), "2*n".to_owned()];
        assert_eq!(extents(&formulas, &sizes), Ok([8, 128, 1]));
    }
}
