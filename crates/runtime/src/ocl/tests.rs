//! Tests on any OpenCL device; ignored on machines without one.

use super::*;

const SCALE: &str = "kernel void scale(global float *restrict output, int n, global const float *restrict xs, float a, local float *tile) {
  int i = get_global_id(0);
  tile[get_local_id(0)] = xs[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i < n) { output[i] = a * tile[get_local_id(0)]; }
}
";

fn floats(values: &[f32]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_ne_bytes())
        .collect()
}

#[test]
#[cfg_attr(not(tool = "opencl"), ignore = "needs an OpenCL device")]
fn a_kernel_is_built_and_launched() -> Result<(), OclError> {
    let session = Session::open(None)?;
    let built = session.build(SCALE, "")?;
    let mut xs = session.buffer(16)?;
    let mut ys = session.buffer(16)?;
    xs.write(&floats(&[1.0, 2.0, 3.0, 4.0]))?;
    ys.clear()?;
    let (n, a) = (3i32.to_ne_bytes(), 2.0f32.to_ne_bytes());
    let args = [
        Arg::Buffer(&ys),
        Arg::Bytes(&n),
        Arg::Buffer(&xs),
        Arg::Bytes(&a),
        Arg::Local(8),
    ];
    built.launch("scale", &args, Some([2, 1, 1]), [4, 1, 1])?;
    let mut result = [0; 16];
    ys.read(&mut result)?;
    assert_eq!(result.as_slice(), floats(&[2.0, 4.0, 6.0, 0.0]));
    assert!(built.kernel("scale")?.info()?.work_group > 0);
    Ok(())
}

#[test]
#[cfg_attr(not(tool = "opencl"), ignore = "needs an OpenCL device")]
fn mistakes_have_places_and_names() -> Result<(), OclError> {
    let session = Session::open(None)?;
    let text = "kernel void f(global float *y) {\n  y[0] = nonsense;\n}\n";
    let Err(OclError::Build { log }) = session.build(text, "") else {
        panic!("it is wrong");
    };
    let places: Vec<_> = parse_log(&log)
        .into_iter()
        .map(|message| (message.line, message.column))
        .collect();
    assert!(places.contains(&(2, 10)), "{log}");
    let built = session.build(SCALE, "")?;
    let error = built.launch("nothing", &[], None, [1, 1, 1]);
    assert!(matches!(error, Err(OclError::Call { .. })));
    let error = built.launch("scale", &[], None, [1, 1, 1]);
    assert!(matches!(error, Err(OclError::Misuse(_))));
    let mut buffer = session.buffer(4)?;
    assert!(matches!(buffer.write(&[0; 5]), Err(OclError::Misuse(_))));
    Ok(())
}

/// Tests each reserved name of the language as the name of a kernel and of a parameter.
#[test]
#[cfg_attr(not(tool = "opencl"), ignore = "needs an OpenCL device")]
fn every_reserved_name_can_be_a_kernel_and_a_parameter() -> Result<(), OclError> {
    use codegen::{Target, reserved};
    use rise::core::{normalise, program_of};

    let session = Session::open(None)?;
    let text = "def f = fun(xs: 4.f32, factor: f32 => xs |> mapGlobal(fun(x => x * factor)))";
    let mut program = program_of(text, "f").expect("it checks");
    normalise(&mut program).expect("it is normalised");
    let functional = dpia::functional(&program, Target::OpenCl.features()).expect("it is a kernel");
    let imperative = dpia::imperative(&functional).expect("it is translated");
    let lowered = codegen::lower(&imperative, Target::OpenCl).expect("it is lowered");
    let mut kernels = String::new();
    for name in reserved::names(Target::OpenCl) {
        let mut lowered = lowered.clone();
        let function = &mut lowered.function;
        function.name = name.into();
        for variable in &mut function.variables {
            if variable.name == "factor" {
                variable.name = name.into();
            }
        }
        let index = codegen::IndexPolicy::default();
        let module = codegen::finish(lowered, Target::OpenCl, index).expect("it has a text");
        kernels.push_str(&module.text);
    }
    session.build(&kernels, "-cl-std=CL1.2 -Werror")?;
    Ok(())
}
