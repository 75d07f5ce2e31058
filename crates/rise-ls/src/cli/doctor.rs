//! Implements `rise-ls doctor`, which reports the tools and devices of this machine.

use super::{SUCCESS, output};
use crate::run;
use runtime::ocl::{DeviceInfo, VectorWidths, local_text};
use runtime::process::{self, Limits, TimeLimit, bytes_text};
use runtime::temp_dir::LockedTempDir;
use std::env;
use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The time limit of a tool that prints its version, and of the compilation of the OpenMP test
/// program.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(5);
/// The time limit for OpenCL drivers, which start slowly on a machine with many devices.
const DRIVER_TIMEOUT: Duration = Duration::from_secs(30);

const COMPILERS: [&str; 3] = ["cc", "gcc", "clang"];
const EDITORS: [(&str, &str); 4] = [
    ("nvim", "Neovim"),
    ("code", "VS Code"),
    ("hx", "Helix"),
    ("emacs", "Emacs"),
];
const OPENCL_LIBRARIES: [&str; 3] = ["libOpenCL.so.1", "libOpenCL.so", "OpenCL.framework"];
const OPENMP_PROGRAM: &str =
    "#include <omp.h>\nint main(void) { return omp_get_max_threads() < 1; }\n";

/// A line of the report: the subject and the finding.
type Fact = (String, String);

/// Prints the report, and returns the exit status. A missing tool is not an error.
pub fn run() -> u8 {
    let mut facts = vec![("rise-ls".to_owned(), version())];
    facts.extend(compilers());
    facts.push(("OpenMP".to_owned(), openmp()));
    facts.extend(opencl());
    facts.extend(devices());
    facts.extend(
        EDITORS
            .iter()
            .map(|&(program, name)| (name.to_owned(), version_of(program))),
    );
    let width = facts
        .iter()
        .map(|(about, _)| about.len())
        .max()
        .unwrap_or_default();
    output::result(SUCCESS, |out| {
        facts
            .iter()
            .try_for_each(|(about, found)| writeln!(out, "{about:width$}  {found}"))
    })
}

fn version() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!(
        "{} on {} {}, {cores} cores",
        env!("CARGO_PKG_VERSION"),
        env::consts::OS,
        env::consts::ARCH
    )
}

fn compilers() -> Vec<Fact> {
    compiler_commands()
        .iter()
        .map(|command| (format!("C compiler {command}"), version_of(command)))
        .collect()
}

/// Returns the command lines of the compilers that `rise-ls run` tries: `$CC`, else the usual
/// names.
fn compiler_commands() -> Vec<String> {
    match env::var("CC") {
        Ok(command) if !command.trim().is_empty() => vec![command],
        _ => COMPILERS.map(str::to_owned).to_vec(),
    }
}

/// Returns the path of the program that a command line begins with, and a command that runs it with
/// the arguments of the command line. Returns `None` if the program is not found.
fn found(command: &str) -> Option<(PathBuf, Command)> {
    let mut words = command.split_whitespace();
    let path = which::which(words.next()?).ok()?;
    let mut command = Command::new(&path);
    command.args(words);
    Some((path, command))
}

/// Describes a program by its path and the first line that it prints for `--version`, or by `not
/// found`.
fn version_of(command: &str) -> String {
    let Some((path, mut command)) = found(command) else {
        return "not found".into();
    };
    let said = finish(command.arg("--version"));
    let version = said
        .as_deref()
        .and_then(|said| said.lines().next())
        .unwrap_or("does not tell its version");
    format!("{} ({version})", path.display())
}

/// Describes whether the C compiler compiles a program that uses OpenMP.
fn openmp() -> String {
    let commands = compiler_commands();
    let Some((compiler, mut command)) = commands.iter().find_map(|command| found(command)) else {
        return "no C compiler to ask".into();
    };
    let Ok(folder) = LockedTempDir::new() else {
        return "no folder for temporary files".into();
    };
    let source = folder.path().join("openmp.c");
    if std::fs::write(&source, OPENMP_PROGRAM).is_err() {
        return "no room for temporary files".into();
    }
    command
        .arg("-fopenmp")
        .arg(&source)
        .arg("-o")
        .arg(folder.path().join("program"));
    let answer = if finish(&mut command).is_some() {
        "works with"
    } else {
        "does not work with"
    };
    format!("{answer} {} -fopenmp", compiler.display())
}

fn opencl() -> Vec<Fact> {
    let loader = library_folders().iter().find_map(|folder| {
        OPENCL_LIBRARIES
            .iter()
            .map(|name| folder.join(name))
            .find(|path| path.exists())
    });
    let loader = loader.map_or_else(|| "not found".to_owned(), |path| path.display().to_string());
    vec![
        ("OpenCL loader".to_owned(), loader),
        ("OpenCL drivers".to_owned(), drivers()),
    ]
}

/// Reports the OpenCL devices, which a separate process queries: a driver that crashes only adds a
/// line to the report.
fn devices() -> Vec<Fact> {
    let limits = Limits {
        time: Some(TimeLimit::of_each_part(DRIVER_TIMEOUT)),
        ..Limits::default()
    };
    match run::devices(&limits) {
        Ok(devices) => devices.iter().flat_map(device).collect(),
        Err(failure) => {
            let why = run::failure_json(&failure).error;
            vec![("OpenCL devices".to_owned(), format!("none: {why}"))]
        }
    }
}

/// Describes a device in a few lines.
fn device(device: &DeviceInfo) -> Vec<Fact> {
    let [x, y, z] = device.work_item_sizes;
    let has = |has: bool, name: &str| match has {
        true => name.to_owned(),
        false => format!("no {name}"),
    };
    let lines = [
        format!(
            "{} ({}), {} of {}, {}, driver {}",
            device.name, device.platform, device.kind, device.vendor, device.version, device.driver
        ),
        format!(
            "{} compute units at {} MHz; work-groups up to {} work-items ({x}, {y}, {z})",
            device.compute_units, device.clock, device.work_group
        ),
        format!(
            "global memory {}, a buffer up to {}; local memory {}",
            bytes_text(device.global_memory),
            bytes_text(device.max_allocation),
            local_text(device.local_memory)
        ),
        format!(
            "{}, {}; preferred vectors: {}; native: {}; kernels are timed in steps of {} ns",
            has(device.fp64, "f64"),
            has(device.fp16, "f16"),
            widths(&device.preferred_widths),
            widths(&device.native_widths),
            device.timer_resolution
        ),
    ];
    let about = |at| match at {
        0 => format!("OpenCL device #{}", device.number),
        _ => String::new(),
    };
    lines
        .into_iter()
        .enumerate()
        .map(|(at, line)| (about(at), line))
        .collect()
}

/// Formats vector widths as `i8 16, i16 8, …`, without the types that have none.
fn widths(widths: &VectorWidths) -> String {
    let all = [
        ("i8", widths.char),
        ("i16", widths.short),
        ("i32", widths.int),
        ("i64", widths.long),
        ("f16", widths.half),
        ("f32", widths.float),
        ("f64", widths.double),
    ];
    let known = all.iter().filter(|(_, lanes)| *lanes > 0);
    let known: Vec<String> = known.map(|(ty, lanes)| format!("{ty} {lanes}")).collect();
    known.join(", ")
}

/// Returns the folders in which the OpenCL library is searched for: those of `LD_LIBRARY_PATH`, and
/// the usual ones of Linux and macOS.
fn library_folders() -> Vec<PathBuf> {
    let configured = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = env::split_paths(&configured)
        .filter(|path| !path.as_os_str().is_empty())
        .collect();
    let triple = format!("{}-linux-gnu", env::consts::ARCH);
    folders.extend(
        [
            "/usr/local/lib",
            "/usr/lib",
            "/usr/lib64",
            "/lib",
            "/lib64",
            "/usr/local/cuda/lib64",
        ]
        .map(PathBuf::from),
    );
    folders.extend([
        Path::new("/usr/lib").join(&triple),
        Path::new("/lib").join(&triple),
    ]);
    folders.push("/System/Library/Frameworks".into());
    folders
}

/// Lists the names of the `.icd` files, each of which registers a driver with the OpenCL loader,
/// and names their folder.
fn drivers() -> String {
    let folder =
        env::var_os("OCL_ICD_VENDORS").map_or_else(|| "/etc/OpenCL/vendors".into(), PathBuf::from);
    let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
    let icd = |path: &PathBuf| path.extension() == Some(OsStr::new("icd"));
    let mut names: Vec<String> = entries
        .map(|entry| entry.path())
        .filter(icd)
        .map(|path| {
            path.file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    names.sort();
    let found = if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    };
    format!("{found} in {}", folder.display())
}

/// Runs a command without input, and returns its standard output if it succeeds within the time
/// limit.
fn finish(command: &mut Command) -> Option<String> {
    let limits = Limits {
        time: Some(TimeLimit::of_each_part(COMMAND_TIMEOUT)),
        ..Limits::default()
    };
    let finished = process::run(command, &limits).ok()?;
    let said = String::from_utf8_lossy(&finished.stdout).into_owned();
    finished.status.success().then_some(said)
}
