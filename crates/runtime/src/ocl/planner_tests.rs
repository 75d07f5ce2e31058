use super::super::DeviceType;
use super::super::devices::tests::device;
use super::super::plan_error::PlanError;
use super::*;
use crate::generate::Generator;
use crate::launch::ArgumentSource;
use crate::value::Value;
use codegen::{Buffer, Device, HostStep, IndexWidth, LaunchVars, Signature};
use nat::{Prop, Var};
use rise::Type;
use std::sync::Arc;
use syntax::ast::ScalarType;

/// The only size of the program; later variables are those of the launch.
const N: Var = Var(0);

fn nat(value: i64) -> Nat {
    Nat::from(value)
}

fn kernel(local: [Option<Nat>; 3], global: [Option<Nat>; 3]) -> Kernel {
    Kernel {
        name: "k".into(),
        args: vec![
            KernelArg::Output(0),
            KernelArg::Size(0),
            KernelArg::Param(0),
        ],
        launch: rise::core::Launch { local, global },
        sizes: LaunchVars {
            local: [Var(1), Var(2), Var(3)],
            global: [Var(4), Var(5), Var(6)],
        },
        requires: Vec::new(),
        local_bytes: Nat::ZERO,
        private_bytes: Nat::ZERO,
        items: Vec::new(),
    }
}

fn module(kernels: Vec<Kernel>, buffers: Vec<Buffer>) -> Module {
    let float = Arc::new(Type::Scalar(ScalarType::F32));
    let array = Arc::new(Type::Array(Nat::var(N), float));
    let names = ["n", "get_local_size(0)", "l1", "l2", "g0", "g1", "g2"];
    Module {
        text: "kernel void k() {}".to_owned(),
        signature: Signature {
            name: "k".into(),
            index: IndexWidth::default(),
            sizes: vec![(N, "n".into())],
            params: vec![("xs".into(), array.clone())],
            inout: Vec::new(),
            outputs: vec![("output".into(), array)],
            requires: Vec::new(),
            names: names.map(Into::into).to_vec(),
        },
        map: Vec::new(),
        plain: Vec::new(),
        foreign: Vec::new(),
        device: Some(Device {
            steps: (0..kernels.len()).map(HostStep::Launch).collect(),
            handles: 0,
            kernels,
            buffers,
            narrow: None,
        }),
        counts: Vec::new(),
        barriers: Vec::new(),
    }
}

fn plan_for(module: &Module, n: i32, device: &DeviceInfo) -> Result<Plan, PlanError> {
    plan(module, &launch_of(n), device)
}

fn launch_of(n: i32) -> Launch {
    let shape = Shape::Array(n as u64, Arc::new(Shape::Scalar(ScalarType::F32)));
    Launch {
        parts: 1,
        inout: Box::default(),
        sizes: vec![("n".into(), n.into())],
        bindings: Bindings::default(),
        params: vec!["xs".into()],
        args: Value::zeros(shape.clone()).into_iter().collect(),
        sources: vec![ArgumentSource::Generated(Generator::Zeros)],
        result: Ok(shape),
    }
}

fn gpu() -> DeviceInfo {
    device(0, "Card", DeviceType::Gpu)
}

fn refused(module: &Module, n: i32, device: &DeviceInfo) -> String {
    match plan_for(module, n, device) {
        Ok(plan) => format!("{plan:?}"),
        Err(error) => error.to_string(),
    }
}

fn sizes(local: i64, global: Nat) -> Kernel {
    let one = Some(Nat::ONE);
    kernel(
        [Some(nat(local)), one.clone(), one.clone()],
        [Some(global), one.clone(), one],
    )
}

#[test]
fn sizes_are_computed() -> Result<(), PlanError> {
    let plan = plan_for(
        &module(vec![sizes(16, Nat::var(N))], Vec::new()),
        64,
        &gpu(),
    )?;
    assert_eq!(plan.kernels[0].local, [16, 1, 1]);
    assert_eq!(plan.kernels[0].global, [64, 1, 1]);
    assert_eq!(plan.sizes, [SizePlan::Int(64)]);
    assert_eq!(plan.params, [ParamPlan::Buffer(256)]);
    assert_eq!(plan.result, 256);
    Ok(())
}

#[test]
fn an_empty_result_launches_nothing() -> Result<(), PlanError> {
    let one = Some(Nat::ONE);
    let mut whole = kernel(
        [Some(Nat::var(N)), one.clone(), one.clone()],
        [Some(Nat::var(N)), one.clone(), one],
    );
    whole.requires = vec![nat::Prop::AtLeast(Nat::var(N), Nat::ONE)];
    let plan = plan_for(&module(vec![whole.clone()], Vec::new()), 0, &gpu())?;
    assert_eq!((plan.kernels[0].global, plan.result), ([0; 3], 0));
    assert_eq!(plan.kernels[0].local, [1; 3]);
    let plan = plan_for(&module(vec![whole], Vec::new()), 8, &gpu())?;
    assert_eq!(plan.kernels[0].global, [8, 1, 1]);
    Ok(())
}

#[test]
fn a_kernel_without_iterations_is_not_launched() -> Result<(), PlanError> {
    let loops = |level, dim, count| codegen::Items { level, dim, count };
    let one = Some(Nat::ONE);
    let mut first = kernel(
        [Some(Nat::var(N)), one.clone(), one.clone()],
        [Some(Nat::var(N)), one.clone(), one],
    );
    first.args[0] = KernelArg::Buffer(0);
    first.requires = vec![nat::Prop::AtLeast(Nat::var(N), Nat::ONE)];
    first.items = vec![loops(Level::Global, 0, Nat::var(N))];
    let mut second = sizes(1, Nat::ONE);
    second.args = vec![KernelArg::Output(0), KernelArg::Buffer(0)];
    let buffer = Buffer {
        name: "tmp".into(),
        bytes: Nat::var(N) * 4,
    };
    let planned = |items: Vec<codegen::Items>| {
        let kernels = vec![
            Kernel {
                items,
                ..first.clone()
            },
            second.clone(),
        ];
        let module = Module {
            signature: Signature {
                outputs: vec![("output".into(), Arc::new(Type::Scalar(ScalarType::F32)))],
                ..module(Vec::new(), Vec::new()).signature
            },
            ..module(kernels, vec![buffer.clone()])
        };
        let launch = Launch {
            result: Ok(Shape::Scalar(ScalarType::F32)),
            ..launch_of(0)
        };
        plan(&module, &launch, &gpu())
    };
    let plan = planned(first.items.clone())?;
    assert_eq!(plan.kernels[0].global, [0; 3]);
    assert_eq!(plan.kernels[0].local, [1; 3]);
    assert_eq!(plan.kernels[1].global, [1; 3]);
    assert_eq!(plan.buffers, [0]);
    // Another loop over work-items of this dimension would not be executed.
    let with_other = [
        first.items.clone(),
        vec![loops(Level::WorkGroup, 0, nat(2))],
    ]
    .concat();
    for items in [with_other, vec![loops(Level::Global, 1, nat(0))]] {
        assert!(matches!(
            planned(items),
            Err(PlanError::NoItems { dim: 0, .. })
        ));
    }
    Ok(())
}

#[test]
fn groups_come_out_even_and_fit() {
    let module_of = |kernel| module(vec![kernel], Vec::new());
    assert_eq!(
        refused(&module_of(sizes(16, Nat::var(N))), 100, &gpu()),
        "the global size of the kernel `k` is 100 in dimension 0, which is not a multiple of the local size 16: OpenCL 1.2 has no part of a work-group; take 96 or 112, or a local size that divides 100"
    );
    let few = refused(&module_of(sizes(16, Nat::var(N))), 9, &gpu());
    assert!(
        few.contains("; take 16, or a local size that divides 9"),
        "{few}"
    );
    assert_eq!(
        refused(&module_of(sizes(2048, nat(4096))), 1, &gpu()),
        "a work-group of the kernel `k` has 2048 work-items in dimension 0, and Card takes at most 1024 there: give a smaller local size with `--local` or in `@opencl`, or work in another dimension"
    );
    let square = kernel(
        [Some(nat(64)), Some(nat(32)), Some(nat(1))],
        [Some(nat(64)), Some(nat(32)), Some(nat(1))],
    );
    assert_eq!(
        refused(&module_of(square), 1, &gpu()),
        "a work-group of the kernel `k` has 64 * 32 = 2048 work-items, and Card takes at most 1024: give a smaller local size with `--local` or in `@opencl`"
    );
}

#[test]
fn counters_fit_behind_the_last_iteration() {
    let one = Some(Nat::ONE);
    let launched = |count: i64, global: i64| {
        let mut kernel = kernel(
            [Some(nat(16)), one.clone(), one.clone()],
            [Some(nat(global)), one.clone(), one.clone()],
        );
        kernel.items = vec![codegen::Items {
            level: Level::Global,
            dim: 0,
            count: nat(count),
        }];
        let mut module = module(vec![kernel], Vec::new());
        let narrow = refused(&module, 64, &gpu());
        assert_eq!(
            counters_fit(&module, &[("n".into(), 64)], &gpu()),
            narrow.starts_with("Plan")
        );
        module.signature.index = IndexWidth::Bits64;
        assert!(counters_fit(&module, &[("n".into(), 64)], &gpu()));
        assert!(plan_for(&module, 64, &gpu()).is_ok());
        narrow
    };
    assert_eq!(
        launched((1 << 31) - 10, 64),
        "the kernel `k` counts to 2147483638 in steps of 64 in dimension 0, which overflows indices of 32 bits (below 2^31): run it with `--index 64`"
    );
    assert!(launched((1 << 31) - 64, 64).starts_with("Plan"));
}

#[test]
fn local_memory_is_counted_with_what_the_kernel_declares() {
    let mut tiled = sizes(16, Nat::var(N));
    tiled.local_bytes = nat(40 << 10);
    tiled.args.push(KernelArg::Local {
        bytes: nat(4) * Nat::var(Var(1)) * nat(1 << 8),
    });
    assert_eq!(
        refused(&module(vec![tiled], Vec::new()), 16, &gpu()),
        "a work-group of the kernel `k` needs 56 kB of local memory, and Card has 48 kB: make what is stored with `toMem(Local)` smaller (smaller tiles, a smaller local size), or leave it in global memory"
    );
}

#[test]
fn buffers_fit_the_device() {
    let buffer = Buffer {
        name: "tmp".into(),
        bytes: nat(1 << 30) * Nat::var(N),
    };
    let mut user = sizes(1, nat(1));
    user.args.push(KernelArg::Buffer(0));
    let found = refused(&module(vec![user], vec![buffer]), 1, &gpu());
    assert_eq!(
        found,
        "the temporary array `tmp` takes 1.1 GB of memory, and a buffer of Card has at most 268.4 MB: take smaller sizes, or another device (`--device`)"
    );
    let small = DeviceInfo {
        global_memory: 100,
        ..gpu()
    };
    let found = refused(&module(vec![sizes(1, nat(1))], Vec::new()), 16, &small);
    assert!(
        found.starts_with("arguments, result and temporary arrays take "),
        "{found}"
    );
}

#[test]
fn temporary_arrays_may_have_the_size_of_the_launch() -> Result<(), PlanError> {
    let buffer = Buffer {
        name: "tmp".into(),
        bytes: nat(4) * Nat::var(Var(4)),
    };
    let mut user = kernel([None, None, None], [None, None, None]);
    user.args.push(KernelArg::Buffer(0));
    user.items = vec![codegen::Items {
        level: codegen::ir::Level::Global,
        dim: 0,
        count: Nat::var(N),
    }];
    let plan = plan_for(&module(vec![user], vec![buffer]), 100, &gpu())?;
    assert_eq!(plan.buffers, [4 * 128]);
    Ok(())
}

#[test]
fn conditions_name_their_numbers_and_open_sizes_are_chosen_to_meet_them() {
    // 48 iterations over the items of a group, all of which must take part in each round.
    let mut open = kernel([None, None, None], [None, None, None]);
    open.items = vec![codegen::Items {
        level: codegen::ir::Level::Local,
        dim: 0,
        count: nat(48),
    }];
    open.requires = vec![Prop::Divides(Nat::var(Var(1)), nat(48))];
    let chosen = plan_for(&module(vec![open.clone()], Vec::new()), 1, &gpu());
    assert!(chosen.is_ok_and(|plan| plan.kernels[0].local == [48, 1, 1]));
    open.launch.local = [Some(nat(32)), Some(nat(1)), Some(nat(1))];
    let found = refused(&module(vec![open], Vec::new()), 1, &gpu());
    assert_eq!(
        found,
        "the kernel `k` cannot be launched with local size 32 and global size 32: `get_local_size(0) divides 48` does not hold for get_local_size(0) = 32; other sizes can be given with `--local` and `--global`, or written in `@opencl`"
    );
}

#[test]
fn groups_are_made_smaller_where_they_are_at_fault() {
    // 64 rows with 3 elements, where all items of a group must have equally many rows.
    let level = codegen::ir::Level::Local;
    let item = |dim, count| codegen::Items { level, dim, count };
    let mut open = kernel([None, None, None], [None, None, None]);
    open.items = vec![item(0, nat(64)), item(1, nat(3))];
    open.requires = vec![Prop::Divides(Nat::var(Var(2)), nat(3))];
    let local = |kernel: &Kernel| {
        let plan = plan_for(&module(vec![kernel.clone()], Vec::new()), 1, &gpu());
        plan.map_or_else(
            |error| error.to_string(),
            |plan| format!("{:?}", plan.kernels[0].local),
        )
    };
    assert_eq!(local(&open), "[32, 3, 1]");
    // Rows in local memory, which is too small.
    open.args.push(KernelArg::Local {
        bytes: nat(20 << 10) * Nat::var(Var(2)),
    });
    assert_eq!(local(&open), "[32, 1, 1]");
    // A condition that does not depend on launch sizes fails at once, with the first sizes.
    open.requires = vec![Prop::Divides(nat(4), Nat::var(N))];
    let found = local(&open);
    assert!(found.contains("local size (32, 4) and global"), "{found}");
}

#[test]
fn types_that_the_device_does_not_have_are_refused() {
    let mut wide = module(vec![sizes(1, nat(1))], Vec::new());
    wide.text = "kernel void k(global double *output) {}".to_owned();
    let narrow = DeviceInfo {
        fp64: false,
        ..gpu()
    };
    assert_eq!(
        refused(&wide, 1, &narrow),
        "the program computes with `f64`, and Card has no floating-point numbers of 64 bits (the extension cl_khr_fp64): use `f32`, or another device (`--device`)"
    );
    assert!(plan_for(&wide, 1, &gpu()).is_ok());
    wide.text = "kernel void k(global half2 *output) {}".to_owned();
    assert!(refused(&wide, 1, &gpu()).contains("`f16`"));
}

#[test]
fn nothing_is_launched_for_an_empty_result() -> Result<(), PlanError> {
    let module = module(vec![sizes(16, Nat::var(N))], Vec::new());
    let plan = plan_for(&module, 0, &gpu())?;
    assert_eq!(plan.kernels[0].global, [0; 3]);
    Ok(())
}

#[test]
fn words_are_found_outside_of_comments() {
    let text = "/* double buffering */ kernel void f(global half4 *y) { // double\n  x = a / b; }";
    assert!(has_word(text, "half"));
    assert!(!has_word(text, "double"));
    assert!(!has_word(text, "hal"));
    assert!(has_word("double x;", "double"));
    assert!(!has_word("/*/ double x; */", "double"));
    assert!(has_word("/**/ double x;", "double"));
    assert!(!has_word("x; /* double", "double"));
}

/// A kernel from one handle to another in as many rounds as there are elements. The handles refer to
/// the parameter and a buffer in turn, and the last round writes the output.
fn module_in_rounds() -> Module {
    let mut each = kernel([const { None }; 3], [const { None }; 3]);
    each.args = vec![KernelArg::Handle(0), KernelArg::Handle(1)];
    let bytes = Nat::var(N) * 4;
    let name = "kept".into();
    let mut module = module(vec![each], vec![Buffer { name, bytes }]);
    let device = module.device.as_mut().expect("a device");
    let point = |handle, memory| HostStep::Point(KernelArg::Handle(handle), memory);
    let counter = Var(7);
    device.handles = 2;
    device.steps = vec![
        point(0, KernelArg::Param(0)),
        point(1, KernelArg::Buffer(0)),
        HostStep::Repeat {
            counter,
            count: Nat::var(N),
            body: vec![
                HostStep::IfEqual {
                    sizes: [Nat::var(counter) + 1, Nat::var(N)],
                    then: vec![point(1, KernelArg::Output(0))],
                    otherwise: Vec::new(),
                },
                HostStep::Launch(0),
                HostStep::Swap(KernelArg::Handle(0), KernelArg::Handle(1)),
            ],
        },
    ];
    module
}

#[test]
fn rounds_exchange_memory() {
    let plan = plan_for(&module_in_rounds(), 4, &gpu()).expect("a plan");
    use ArgPlan::{Buffer, Output, Param};
    let args: Vec<_> = plan
        .launches
        .iter()
        .map(|launch| &launch.args[..])
        .collect();
    let expected = [
        [Param(0), Buffer(0)],
        [Buffer(0), Param(0)],
        [Buffer(0), Output(0)],
    ];
    assert_eq!(args, expected);
    assert_eq!(plan.order, [0, 1, 0, 2]);
    assert_eq!(plan.buffers, [16]);
}

#[test]
fn launches_are_limited() {
    let error = plan_for(&module_in_rounds(), 2_000_000, &gpu()).expect_err("too many");
    assert!(
        matches!(error, PlanError::Launches { limit: 1_000_000 }),
        "{error}"
    );
}
