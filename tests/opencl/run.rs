//! Tests of programs on PoCL.

use crate::support::{Program, Sizes, each, programs, said, verified};

#[test]
#[cfg_attr(not(tool = "opencl"), ignore = "needs an OpenCL device")]
fn kernels_compute_what_the_interpreter_says() {
    each(&programs(), |program: &Program| {
        let wrong = |sizes: &Sizes| {
            let mut command = verified(program, sizes);
            let output = command.args(["--device", "portable"]).output();
            let output = output.expect("rise-ls starts");
            let fine = output.status.code() == Some(0);
            (!fine).then(|| format!("{} at {sizes:?}: {}", program.name, said(&output)))
        };
        program.verify.iter().filter_map(wrong).collect()
    });
}

#[test]
#[cfg_attr(not(tool = "opencl"), ignore = "needs an OpenCL device")]
fn sizes_that_break_a_condition_are_refused() {
    each(&programs(), |program: &Program| {
        let wrong = |sizes: &Sizes| {
            let mut command = verified(program, sizes);
            let output = command.args(["--device", "portable"]).output();
            let output = output.expect("rise-ls starts");
            let refused = output.status.code() == Some(2) && output.stdout.is_empty();
            (!refused).then(|| format!("{} at {sizes:?}: {}", program.name, said(&output)))
        };
        program.refuse.iter().filter_map(wrong).collect()
    });
}

/// Tests views between the loop of a work-item and a `scatter` with repeated indices.
#[test]
#[cfg_attr(not(tool = "opencl"), ignore = "needs an OpenCL device")]
fn the_last_element_of_an_index_that_repeats_stays() {
    const PROGRAMS: &[(&str, &str)] = &[
        (
            "ix: 8.Idx[3], xs: n.8.f32",
            "mapGlobal(fun(row => row |> mapSeq(fun(x => x * x)) |> reorder(8)(natFun(i => 7 - i))(natFun(i => 7 - i)) |> scatter(ix)))",
        ),
        (
            "ix: 8.Idx[3], xs: n.4.2.f32",
            "mapGlobal(fun(rows => rows |> mapSeq(mapSeq(fun(x => x + 1.0f))) |> transpose |> join |> scatter(ix)))",
        ),
        (
            "ix: 8.Idx[3], xs: n.8.i32",
            "mapGlobal(mapSeq(id)) |> map(fun(row => row |> reorder(8)(natFun(i => (i + 1) % 8))(natFun(i => (i + 7) % 8)) |> scatter(ix)))",
        ),
    ];
    let folder = tempfile::tempdir().expect("a folder");
    let mut wrong = Vec::new();
    for (number, (params, body)) in PROGRAMS.iter().enumerate() {
        let file = folder.path().join(format!("program{number}.rise"));
        let text = format!("def main = depFun(n: Nat => fun({params} => xs |> {body}))\n");
        std::fs::write(&file, &text).expect("a file");
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_rise-ls"));
        command.args(["run", "--backend", "opencl", "--verify", "-Dn=24"]);
        command.args(["--device", "portable"]).arg(&file);
        command.env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));
        let output = command.output().expect("rise-ls starts");
        let right = String::from_utf8_lossy(&output.stdout).contains("right: ");
        if output.status.code() != Some(0) || !right {
            wrong.push(format!("{text}{}", said(&output)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
