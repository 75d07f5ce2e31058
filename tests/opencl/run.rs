//! Programs on PoCL.

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
