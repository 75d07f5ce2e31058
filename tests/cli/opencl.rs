//! Tests of `run --backend opencl` on the device of the machine.

use crate::support::{Folder, Ran, parse_lines};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const FILE: &str = r#"
@target(opencl)
@opencl(local = [4], global = [4 * ceilDiv(n, 4)])
@run(n = 10)
def scale : (n: Nat) -> f32 -> n.f32 -> n.f32 = depFun(n: Nat => fun(alpha, xs =>
  xs |> mapGlobal(fun(x => alpha * x))))

@target(opencl)
def openSizes : (n: Nat) -> n.f32 -> n.f32 = depFun(n: Nat => fun(xs =>
  xs |> mapGlobal(fun(x => x + 1.0f))))

@target(opencl)
@opencl(local = [16], global = [n])
@run(n = 64)
def even : (n: Nat) -> n.f32 -> n.f32 = depFun(n: Nat => fun(xs =>
  xs |> mapGlobal(fun(x => x + 1.0f))))

@target(opencl)
@opencl(local = [64], global = [n / 2])
@run(n = 1024)
def sums : (n: Nat) -> n.f32 -> (n / 128).f32 = depFun(n: Nat => fun(xs =>
  xs
    |> split(128)
    |> mapWorkGroup(fun(chunk =>
      chunk
        |> split(2)
        |> mapLocal(reduceSeq(Private)(add)(0.0f))
        |> toMem(Local)
        |> split(64)
        |> mapLocal(reduceSeq(Private)(add)(0.0f))))
    |> join))

@target(opencl)
@opencl(local = [16], global = [16 * ceilDiv(n, 16)])
@run(n = 16)
def doubles : (n: Nat) -> n.f64 -> n.f64 = depFun(n: Nat => fun(xs =>
  xs |> mapGlobal(fun(x => x * 2.0f64))))

@target(opencl)
@opencl(local = [16], global = [16 * ceilDiv(n, 16)])
@run(n = 16)
def halves : (n: Nat) -> n.f16 -> n.f16 = depFun(n: Nat => fun(xs =>
  xs |> mapGlobal(fun(x => x * 2.0f16))))

foreign def twist(x: i32): i32 = """{ volatile int k = 0; while (1) { k++; } return x; }"""
@target(opencl)
def hangs = depFun(n: Nat => fun(xs: n.i32 => xs |> mapGlobal(twist)))

foreign def careless(x: f32): f32 = """{
  float y = x;
  return y + nonsense;
}"""
@target(opencl)
def usesCareless = depFun(n: Nat => fun(xs: n.f32 => xs |> mapGlobal(careless)))

foreign def nowhere(x: f32): f32
@target(opencl)
def usesNowhere = depFun(n: Nat => fun(xs: n.f32 =>
  xs |> mapGlobal(nowhere)))

foreign def nothing(x: f32): f32 = """{ return x > 0.0f ? nan(0u) : x; }"""
@target(opencl)
def nans = depFun(n: Nat => fun(xs: n.f32 => xs |> mapGlobal(fun(x => x / 0.0f))))

@target(opencl)
@opencl(local = [64], global = [64])
@run(n = 1024)
def stored : (n: Nat) -> n.f32 -> n.f32 = depFun(n: Nat => fun(xs =>
  xs
    |> split(n)
    |> mapWorkGroup(fun(chunk =>
      chunk
        |> mapLocal(fun(x => x + 1.0f))
        |> toMem(Local)
        |> mapLocal(fun(x => x * 2.0f))))
    |> join))

@target(opencl)
def padded : (n: Nat) -> n.f32 -> (n + 4).f32 = depFun(n: Nat => fun(xs =>
  xs |> mapGlobal(fun(x => x + 1.0f)) |> padEmpty(4)))

foreign def said(x: i32): i32 = """{ printf("said %d\n", x); return x + 1; }"""
@target(opencl)
def saying = depFun(n: Nat => fun(xs: n.i32 => xs |> mapGlobal(said)))

foreign def broken(x: i32): i32 = """{ volatile int *p = (volatile int *)(long)x; return *p; }"""
@target(opencl)
def crashes = depFun(n: Nat => fun(xs: n.i32 => xs |> mapGlobal(broken)))
"#;

fn folder() -> Folder {
    Folder::with(&[("a.rise", FILE)])
}

fn run(def: &str, more: &[&str]) -> Ran {
    folder().run(
        &[
            &["run", "a.rise", "--backend", "opencl", "--def", def],
            more,
        ]
        .concat(),
    )
}

/// Calls `rise-ls run` with these environment variables, which select the OpenCL drivers.
fn run_with_drivers(variables: &[(&str, &str)], more: &[&str]) -> (Option<i32>, String, String) {
    let folder = folder();
    let output = Command::new(env!("CARGO_BIN_EXE_rise-ls"))
        .args(["run", "a.rise", "--def", "scale"])
        .args(more)
        .current_dir(folder.path("."))
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .output()
        .expect("the binary starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
#[cfg_attr(not(tool = "opencl"), ignore = "needs an OpenCL device")]
fn programs_run_on_a_device_and_are_right() {
    let ran = run(
        "scale",
        &["--arg", "alpha=0.5", "--arg", "xs=iota", "-D", "n=5"],
    );
    assert_eq!(
        (ran.status, ran.out.as_str()),
        (0, "[0.0, 0.5, 1.0, 1.5, 2.0]\n"),
        "{}",
        ran.err
    );
    assert!(
        ran.err.starts_with("note: `scale` ran in OpenCL on ")
            && ran.err.ends_with(" with n = 5\n"),
        "{}",
        ran.err
    );
    for (def, sizes) in [
        ("scale", &["-Dn=1"][..]),
        ("scale", &["-Dn=1000"]),
        ("openSizes", &["-Dn=1"]),
        ("openSizes", &["-Dn=1000"]),
        ("even", &[]),
        ("sums", &[]),
        ("sums", &["-Dn=128"]),
        ("doubles", &[]),
        ("stored", &[]),
    ] {
        let ran = run(def, &[sizes, &["--verify"]].concat());
        let last = ran.out.lines().last().unwrap_or_default();
        assert!(
            ran.status == 0 && last.starts_with("right: "),
            "{def} {sizes:?}: {ran:?}"
        );
    }
}

#[test]
#[cfg_attr(not(tool = "opencl"), ignore = "needs an OpenCL device")]
fn what_is_written_for_opencl_runs_there() {
    let ran = folder().run(&["run", "a.rise", "--def", "even"]);
    assert!(ran.err.contains(" ran in OpenCL on "), "{ran:?}");
    // An option that only OpenCL has selects that backend.
    let ran = folder().run(&["run", "a.rise", "--def", "even", "--local", "8"]);
    assert!(ran.err.contains(" ran in OpenCL on "), "{ran:?}");
    let ran = folder().run(&[
        "run",
        "a.rise",
        "--def",
        "even",
        "--backend",
        "c",
        "--local",
        "8",
    ]);
    assert_eq!(
        (ran.status, ran.err.as_str()),
        (
            2,
            "error: a device, a local size and a global size can be given for OpenCL only, and `even` runs in C\n"
        )
    );
}

#[test]
#[cfg_attr(not(tool = "opencl"), ignore = "needs an OpenCL device")]
fn times_are_the_devices_and_transfers_are_apart() {
    let ran = run("scale", &["-Dn=100000", "--bench", "3", "--verify"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let lines: Vec<&str> = ran.out.lines().collect();
    let [.., times, kernel, transfers, verdict] = lines[..] else {
        panic!("{}", ran.out)
    };
    assert!(times.starts_with("3 runs: min "), "{times}");
    assert!(
        times.contains(" GFLOP/s; ") && times.contains(" % of copying, "),
        "{times}"
    );
    assert!(
        kernel.starts_with("kernel scale: ")
            && kernel.ends_with("; local size 4, global size 100000"),
        "{kernel}"
    );
    assert!(
        transfers.starts_with("transfers: ") && transfers.ends_with(" back"),
        "{transfers}"
    );
    assert!(verdict.starts_with("right: 100000 elements"), "{verdict}");
}

#[test]
#[cfg_attr(not(tool = "opencl"), ignore = "needs an OpenCL device")]
fn json_says_where_and_how_it_ran() {
    let ran = run("scale", &["--bench", "2", "--verify", "--format", "json"]);
    let [line] = &parse_lines(&ran.out)[..] else {
        panic!("{ran:?}")
    };
    assert_eq!(line["backend"], "opencl");
    assert!(line["device"]["name"].is_string() && line["device"]["platform"].is_string());
    let kernel = &line["kernels"][0];
    assert_eq!(kernel["name"], "scale");
    assert_eq!(kernel["local"], serde_json::json!([4, 1, 1]));
    assert_eq!(kernel["global"], serde_json::json!([12, 1, 1]));
    assert!(kernel["time"].is_f64() && line["times"]["median"].is_f64());
    assert!(line["transfers"]["up"].is_f64() && line["transfers"]["down"].is_f64());
    assert!(line["bandwidth"]["copy"].is_f64() && line["bandwidth"]["share"].is_f64());
    assert_eq!(line["verify"]["ok"], true);
    let ran = run("scale", &["--format", "json"]);
    let [line] = &parse_lines(&ran.out)[..] else {
        panic!("{ran:?}")
    };
    assert!(line["bandwidth"].is_null() && line["times"].is_null());
}

#[test]
#[cfg_attr(not(tool = "opencl"), ignore = "needs an OpenCL device")]
fn launch_sizes_can_be_given() {
    let sizes = |more: &[&str]| {
        let all = [&["-Dn=100", "--verify", "--format", "json"], more].concat();
        let ran = run("openSizes", &all);
        let [line] = &parse_lines(&ran.out)[..] else {
            panic!("{ran:?}")
        };
        assert_eq!(line["verify"]["ok"], true, "{line}");
        line["kernels"][0].clone()
    };
    let kernel = sizes(&["--local", "16", "--global", "64"]);
    assert_eq!(kernel["local"], serde_json::json!([16, 1, 1]));
    assert_eq!(kernel["global"], serde_json::json!([64, 1, 1]));
    let kernel = sizes(&["--local", "16"]);
    assert_eq!(kernel["global"], serde_json::json!([112, 1, 1]));
    let kernel = sizes(&["--global", "50"]);
    assert_eq!(kernel["global"], serde_json::json!([50, 1, 1]));
    let ran = run("even", &["--local", "8", "--verify", "--format", "json"]);
    let [line] = &parse_lines(&ran.out)[..] else {
        panic!("{ran:?}")
    };
    assert_eq!(
        line["kernels"][0]["local"],
        serde_json::json!([8, 1, 1]),
        "{line}"
    );
}

#[test]
#[cfg_attr(not(tool = "opencl"), ignore = "needs an OpenCL device")]
fn sizes_that_do_not_fit_are_refused_before_the_launch() {
    let cases: &[(&str, &[&str], &[&str])] = &[
        (
            "even",
            &["-Dn=100"],
            &[
                "the global size of the kernel `even` is 100 in dimension 0, which is not a multiple of the local size 16",
                "take 96 or 112",
            ],
        ),
        (
            "openSizes",
            &["-Dn=9", "--local", "1000000", "--global", "1000000"],
            &[
                "a work-group of the kernel `openSizes` has 1000000",
                "takes at most ",
            ],
        ),
        (
            "openSizes",
            &["-Dn=9", "--local", "128,128", "--global", "128,128"],
            &["has 128 * 128 = 16384 work-items", "takes at most "],
        ),
        (
            "sums",
            &["-Dn=100"],
            &["`128 divides n` does not hold for n = 100"],
        ),
        (
            "scale",
            &["--local", "1,2,3,4"],
            &["OpenCL has at most three dimensions, and 4 sizes are given"],
        ),
        (
            "scale",
            &["--global", "0"],
            &["write whole numbers of at least 1"],
        ),
        (
            "scale",
            &["--device", "no such thing"],
            &[
                "there is no OpenCL device with `no such thing` in its name or platform:\n",
                " #0 ",
            ],
        ),
        ("scale", &["--device", "#99"], &["with `#99` in its name"]),
    ];
    for (def, more, says) in cases {
        let ran = run(def, more);
        assert_eq!(
            (ran.status, ran.out.as_str()),
            (2, ""),
            "{def} {more:?}: {ran:?}"
        );
        for text in *says {
            assert!(ran.err.contains(text), "{def} {more:?}: {}", ran.err);
        }
    }
}

#[test]
#[cfg_attr(not(tool = "opencl"), ignore = "needs an OpenCL device")]
fn a_device_is_found_by_its_platform_and_number() {
    let doctor = Folder::new().run(&["doctor"]);
    let ran = run("scale", &["--device", "#0", "--format", "json"]);
    let [line] = &parse_lines(&ran.out)[..] else {
        panic!("{ran:?}")
    };
    let platform = line["device"]["platform"].as_str().unwrap_or_default();
    assert!(doctor.out.contains(platform), "{platform}");
    if doctor.out.matches(platform).count() == 1 {
        let ran = run("scale", &["--device", &platform.to_uppercase()]);
        assert_eq!(ran.status, 0, "{}", ran.err);
    }
}

#[test]
#[cfg_attr(not(tool = "opencl"), ignore = "needs an OpenCL device")]
fn a_kernel_that_hangs_is_ended() {
    let start = Instant::now();
    let ran = run("hangs", &["-Dn=4", "--timeout", "10"]);
    assert_eq!((ran.status, ran.out.as_str()), (1, ""), "{}", ran.err);
    assert_eq!(
        ran.err,
        "error: stopped after 10s, the longest time it may take, while running kernels\n"
    );
    assert!(start.elapsed() < Duration::from_secs(30));
}

#[test]
#[cfg_attr(not(tool = "opencl"), ignore = "needs an OpenCL device")]
fn a_driver_that_crashes_is_reported() {
    let ran = run("crashes", &["-Dn=4", "--arg", "xs=8"]);
    assert_eq!((ran.status, ran.out.as_str()), (1, ""), "{}", ran.err);
    let words = [
        "error: the OpenCL driver of ",
        " crashed while compiling or running the kernels: it was stopped by signal ",
        "; a C function of the program may be wrong, or the driver: try other sizes",
    ];
    assert!(
        words.iter().all(|words| ran.err.contains(words)),
        "{}",
        ran.err
    );
}

#[test]
#[cfg_attr(not(tool = "opencl"), ignore = "needs an OpenCL device")]
fn mistakes_in_foreign_functions_are_shown_in_the_program() {
    let ran = run("usesCareless", &["-Dn=4"]);
    assert_eq!((ran.status, ran.out.as_str()), (1, ""), "{}", ran.err);
    assert!(
        ran.err.starts_with("error: the OpenCL compiler: ") && ran.err.contains("nonsense"),
        "{}",
        ran.err
    );
    let line = FILE.lines().position(|line| line.contains("y + nonsense"));
    let line = line.map_or(0, |at| at + 1);
    assert!(
        ran.err.contains(&format!("a.rise:{line}:14")),
        "{}",
        ran.err
    );
    // The error about an undeclared function is at its use.
    let ran = run("usesNowhere", &["-Dn=4"]);
    assert_eq!(ran.status, 1, "{}", ran.err);
    let line = FILE
        .lines()
        .position(|line| line.contains("mapGlobal(nowhere)"));
    let line = line.map_or(0, |at| at + 1);
    assert!(ran.err.contains(&format!("a.rise:{line}:")), "{}", ran.err);
}

#[test]
#[cfg_attr(not(tool = "opencl"), ignore = "needs an OpenCL device")]
fn nan_equals_nan() {
    let ran = run("nans", &["--arg", "xs=[0, 1, -1]", "--verify"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let first = ran.out.lines().next().unwrap_or_default();
    assert_eq!(first, "[NaN, inf, -inf]");
    assert!(ran.out.contains("right: 3 elements"), "{}", ran.out);
}

#[test]
#[cfg_attr(not(tool = "opencl"), ignore = "needs an OpenCL device")]
fn what_is_never_written_is_not_compared() {
    let ran = run("padded", &["--arg", "xs=[1, 2]", "--verify"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(
        ran.out
            .ends_with("right: 2 elements as in the interpreter; 4 are never written\n"),
        "{}",
        ran.out
    );
}

#[test]
#[cfg_attr(not(tool = "opencl"), ignore = "needs an OpenCL device")]
fn what_kernels_print_is_shown() {
    let ran = run("saying", &["--arg", "xs=[5]"]);
    assert_eq!((ran.status, ran.out.as_str()), (0, "[6]\n"), "{}", ran.err);
    assert!(ran.err.starts_with("said 5\nnote: "), "{}", ran.err);
}

#[test]
#[cfg_attr(not(tool = "opencl"), ignore = "needs an OpenCL device")]
fn local_memory_beyond_the_devices_is_refused() {
    let ran = run("stored", &["-Dn=268435456", "--arg", "xs=zeros"]);
    assert_eq!((ran.status, ran.out.as_str()), (2, ""), "{}", ran.err);
    assert!(
        ran.err
            .contains("a work-group of the kernel `stored` needs 1048576 kB of local memory, and ")
            && ran.err.contains("`toMem(Local)` smaller"),
        "{}",
        ran.err
    );
}

#[test]
#[cfg_attr(not(tool = "opencl"), ignore = "needs an OpenCL device")]
fn a_type_that_the_device_does_not_have_is_refused() {
    let doctor = Folder::new().run(&["doctor"]);
    let lacks = doctor.out.contains("no f16");
    let ran = run("halves", &[]);
    assert_eq!(ran.status != 0, lacks, "{}", ran.err);
    assert_eq!(ran.err.contains("f16"), lacks, "{}", ran.err);
}

/// Uses two drivers: PoCL's, and that of Oclgrind, which simulates a device.
#[cfg(unix)]
#[test]
#[cfg_attr(
    not(all(tool = "opencl", tool = "oclgrind")),
    ignore = "needs PoCL and Oclgrind"
)]
fn several_devices_are_told_apart() {
    let drivers = [
        ("/etc/OpenCL/vendors/pocl.icd", "pocl.icd"),
        ("/usr/lib/oclgrind/liboclgrind-rt-icd.so", "oclgrind.icd"),
    ];
    let both = tempfile::tempdir().expect("a folder");
    for (path, name) in drivers {
        let text = match path.ends_with(".icd") {
            true => std::fs::read_to_string(path).expect("the file is there"),
            false => path.to_owned(),
        };
        std::fs::write(both.path().join(name), text).expect("files can be written");
    }
    let folder = both.path().to_str().expect("UTF-8");
    let run = |device: &str| {
        let more = ["--device", device, "--arg", "xs=1", "--arg", "alpha=2"];
        run_with_drivers(&[("OCL_ICD_VENDORS", folder)], &more)
    };
    let (status, out, err) = run("o");
    assert_eq!((status, out.as_str()), (Some(2), ""), "{err}");
    assert!(
        err.starts_with("error: several OpenCL devices have `o` in their names or platforms")
            && err.contains(" #0 ")
            && err.contains(" #1 "),
        "{err}"
    );
    for name in ["OCLGRIND", "portable computing"] {
        let (status, _, err) = run(name);
        assert_eq!(status, Some(0), "{err}");
    }
    let (_, _, first) = run("#0");
    let (_, _, second) = run("#1");
    assert!(
        first.starts_with("note: ") && second.starts_with("note: "),
        "{first}{second}"
    );
    assert_ne!(first, second);
}

#[test]
fn without_opencl_there_is_one_clear_line() {
    let empty = tempfile::tempdir().expect("a folder");
    let empty = empty.path().to_str().expect("UTF-8");
    let (status, out, err) =
        run_with_drivers(&[("OCL_ICD_VENDORS", empty)], &["--backend", "opencl"]);
    assert_eq!((status, out.as_str()), (Some(2), ""), "{err}");
    assert!(
        err.starts_with("error: there is no OpenCL ") && err.lines().count() == 1,
        "{err}"
    );
    // The program is written for OpenCL: the interpreter runs it only on request.
    let (status, out, err) = run_with_drivers(&[("OCL_ICD_VENDORS", empty)], &["--arg", "xs=1"]);
    assert_eq!((status, out.as_str()), (Some(2), ""), "{err}");
    assert!(err.contains("`--backend interp`"), "{err}");
    let interpreted = ["--backend", "interp", "--arg", "xs=1"];
    let (status, out, err) = run_with_drivers(&[("OCL_ICD_VENDORS", empty)], &interpreted);
    assert!(status == Some(0) && !out.is_empty(), "{err}");
}

#[cfg(unix)]
#[test]
fn a_missing_library_is_named() {
    // The first file with the library's name is not a library.
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("libOpenCL.so.1"), "").expect("files can be written");
    let path = folder.path().to_str().expect("UTF-8");
    let (status, out, err) =
        run_with_drivers(&[("LD_LIBRARY_PATH", path)], &["--backend", "opencl"]);
    assert_eq!((status, out.as_str()), (Some(2), ""), "{err}");
    assert!(
        err.starts_with(
            "error: there is no OpenCL on this machine: the library `libOpenCL` is not found"
        ),
        "{err}"
    );
}

#[test]
#[cfg_attr(not(tool = "opencl"), ignore = "needs an OpenCL device")]
fn kernels_over_empty_arrays_are_not_launched() {
    let text = "\
@target(opencl)
def gathered = depFun((n: Nat, m: Nat) => fun(t: n.f32, at: m.Idx[n] =>
  t |> map(exp) |> gather(at) |> reduce(add)(1.0f)))
@target(opencl)
def tooFew = depFun(n: Nat => fun(t: n.f32 =>
  t |> mapGlobal(exp) |> oclRun(1, 1, 1)(n / 2, 1, 1) |> toMem(Global)
    |> mapGlobal(id) |> oclRun(1, 1, 1)(n, 1, 1)))
";
    let folder = Folder::with(&[("a.rise", text)]);
    let run = |arguments: &[&str]| folder.run(&[&["run", "a.rise", "--def"], arguments].concat());
    let ran = run(&["gathered", "-Dn=0", "-Dm=0", "--verify"]);
    assert_eq!((ran.status, ran.out.lines().next()), (0, Some("1.0")));
    let ran = run(&["tooFew", "-Dn=1"]);
    assert_eq!(ran.status, 2, "{ran:?}");
    assert!(
        ran.err
            .starts_with("error: the global size of the kernel `tooFew_1` is 0 in dimension 0: "),
        "{}",
        ran.err
    );
}
