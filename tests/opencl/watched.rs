//! Tests programs under Oclgrind, which detects data races, divergent barriers and invalid memory
//! accesses. `cargo xtask sanitize --opencl` tests all sizes.

use crate::support::{Oclgrind, Program, Sizes, each, programs, rise_ls, said, verified};

#[test]
#[cfg_attr(not(tool = "oclgrind"), ignore = "needs Oclgrind")]
fn memory_and_barriers_are_in_order() {
    let oclgrind = Oclgrind::find();
    each(&programs(), |program: &Program| {
        let wrong = |sizes: &Sizes| {
            let (found, output) = oclgrind.watch(verified(program, sizes));
            if found.is_empty() && output.status.code() == Some(0) {
                return None;
            }
            let said = said(&output);
            Some(format!("{} at {sizes:?}: {found}\n{said}", program.name))
        };
        let sizes = match &program.watch {
            Some(sizes) => sizes,
            None => &program.verify[..program.verify.len().min(1)],
        };
        sizes.iter().filter_map(wrong).collect()
    });
}

/// Tests that errors found by Oclgrind are reported, with a C function that writes out of bounds.
#[test]
#[cfg_attr(not(tool = "oclgrind"), ignore = "needs Oclgrind")]
fn what_is_not_in_order_is_seen() {
    let oclgrind = Oclgrind::find();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("behind.rise");
    let text = "foreign def behind(x: f32): f32 = \"\"\"{ float p[4]; for (int i = 0; i <= 4; i += 1) p[i] = x; return p[(int)x & 3]; }\"\"\"\n\
                @target(opencl)\n@opencl(local = [1], global = [4])\n\
                def bad = fun(xs: 4.f32 => xs |> mapGlobal(fun(x => behind(x))))\n";
    std::fs::write(&file, text).expect("a file");
    let mut command = rise_ls();
    command.arg("run").arg(&file).args(["--backend", "opencl"]);
    let (found, output) = oclgrind.watch(command);
    let said = said(&output);
    assert!(
        found.contains("exceeds static array size"),
        "{found}\n{said}"
    );
}
