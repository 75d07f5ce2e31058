//! Random pipelines of one work-group: whatever is rearranged between two parallel maps, the result
//! is that of running in order, and no work-item gets in another one's way.

use std::fmt::Write;

use super::machine::{Grid, Machine, World};
use super::{grid_of, kernels, same, sizes_of, with_memory};

const DEFINITIONS: &str = "
def rev : (n: Nat) -> {t: DataType} -> n.t -> n.t = depFun(n: Nat => fun(xs =>
  xs |> reorder(n)(natFun(i => n - 1 - i))(natFun(i => n - 1 - i))))
def turned : 16.f32 -> 16.f32 = fun(xs =>
  xs |> reorder(16)(natFun(i => (i + 3) % 16))(natFun(i => (i + 13) % 16)))
def sum : {n: Nat} -> n.f32 -> f32 = fun(xs => xs |> reduceSeq(Private)(add)(0.0f))
def twice : f32 -> f32 = fun(x => x + x)
";

const VIEWS: [&str; 8] = [
    "",
    "",
    "|> rev(16)",
    "|> split(4) |> transpose |> join",
    "|> split(2) |> map(rev(2)) |> join",
    "|> split(8) |> rev(2) |> join",
    "|> turned",
    "|> split(4) |> map(split(2)) |> map(transpose) |> map(join) |> join",
];

const MAPS: [&str; 9] = [
    "|> mapLocal(twice)",
    "|> mapLocal(twice)",
    "|> split(4) |> mapLocal(fun(r => r |> mapSeq(twice))) |> join",
    "|> split(4) |> transpose |> mapLocal(fun(r => r |> mapSeq(twice))) |> transpose |> join",
    "|> split(4) |> mapSeq(fun(r => r |> mapLocal(twice))) |> join",
    "|> padClamp(1)(1) |> slide(3)(1) |> mapLocal(sum)",
    "|> asVector(4) |> mapLocal(fun(v => v)) |> asScalar",
    "|> split(4) |> mapLocal(fun(r => r |> mapSeq(twice) |> toMem(Local) |> rev(4) |> mapSeq(twice))) |> join",
    "|> split(8) |> mapLocal(fun(r => r |> mapSeq(twice))) |> join |> rev(16)",
];

const MEMORIES: [&str; 4] = ["Local", "Local", "Global", "Private"];

/// Numbers that look random.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % end as u64) as usize
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

fn pipeline(numbers: &mut Numbers) -> String {
    let local = numbers.of(&[2, 3, 4, 8, 16]);
    let groups = numbers.of(&[1, 2, 3]);
    let mut body = String::from("c");
    let stages = 1 + numbers.below(4);
    for _ in 0..stages {
        let (view, map) = (numbers.of(&VIEWS), numbers.of(&MAPS));
        let _ = write!(body, " {view} {map} |> toMem({})", numbers.of(&MEMORIES));
    }
    let (view, map) = (numbers.of(&VIEWS), numbers.of(&MAPS));
    let _ = write!(body, " {view} {map}");
    format!(
        "{DEFINITIONS}
@target(opencl)
@opencl(local = [{local}], global = [{}])
def program = depFun(n: Nat => fun(xs: n.f32 =>
  xs |> split(16) |> mapWorkGroup(fun(c => {body})) |> join))
",
        local * groups
    )
}

#[test]
fn random_pipelines_have_no_races() {
    let ran = run(4, 120);
    assert!(ran >= 60, "only {ran} programs ran");
}

#[test]
#[ignore = "takes minutes: RISE_SEED is where it starts"]
fn many_random_pipelines_have_no_races() {
    let seed = std::env::var("RISE_SEED").ok();
    run(seed.and_then(|seed| seed.parse().ok()).unwrap_or(1), 5000);
}

/// Runs so many programs; gives how many there were that are not refused.
fn run(seed: u64, programs: usize) -> usize {
    let mut numbers = Numbers(seed);
    let mut ran = 0;
    for _ in 0..programs {
        let text = pipeline(&mut numbers);
        let part = &kernels(&text, "program")[0];
        // Private memory of others, and barriers where some do not come, are errors.
        let Ok(done) = with_memory(part) else {
            continue;
        };
        ran += 1;
        let one = Grid {
            local: [1; 3],
            global: [1; 3],
        };
        let grid = grid_of(&done, &[48], one);
        let machine = Machine {
            function: &done.function,
            sizes: sizes_of(&done, &[48], grid),
            grid,
            without: None,
        };
        let in_order = Machine {
            function: &part.function,
            sizes: sizes_of(part, &[48], grid),
            grid,
            without: None,
        };
        let expected = in_order.reference(World::default());
        for seed in 0..2 {
            let result = machine.launch(World::default(), seed);
            assert_eq!(result.races, Vec::<String>::new(), "{text}");
            let output = done.function.output;
            same(
                &text,
                &expected.elements(output),
                &result.elements(output),
                grid,
            );
        }
    }
    ran
}
