//! Tests random programs of a work-group: for any permutation between two parallel maps, the result
//! equals that of sequential execution, and there are no races.

use std::fmt::Write;

use super::machine::{Grid, World};
use super::{KernelFunction, kernels, launched, same, with_memory};
use crate::codes;

const DEFINITIONS: &str = "
def rev : (n: Nat) -> {t: DataType} -> n.t -> n.t = depFun(n: Nat => fun(xs =>
  xs |> reorder(n)(natFun(i => n - 1 - i))(natFun(i => n - 1 - i))))
def turned : 16.f32 -> 16.f32 = fun(xs =>
  xs |> reorder(16)(natFun(i => (i + 3) % 16))(natFun(i => (i + 13) % 16)))
def sum : {n: Nat} -> n.f32 -> f32 = fun(xs => xs |> reduceSeq(Private)(add)(0.0f))
def twice : f32 -> f32 = fun(x => x + x)
";

/// The building blocks of programs: permutations, computations, and combinations of two arrays.
struct Kit {
    /// The type of the input of one work-group.
    chunk: &'static str,
    /// The text that distributes the program over work-groups.
    groups: (&'static str, &'static str),
    local: &'static [&'static str],
    /// The global sizes, as multiples of the local ones.
    times: &'static [&'static str],
    views: &'static [&'static str],
    maps: &'static [&'static str],
    zip: &'static str,
}

const LINE: Kit = Kit {
    chunk: "16.f32",
    groups: ("mapWorkGroup(fun(c0 => ", "))"),
    local: &["2", "3", "4", "8", "16"],
    times: &["1", "2", "3"],
    views: &[
        "",
        "",
        "|> rev(16)",
        "|> split(4) |> transpose |> join",
        "|> split(2) |> map(rev(2)) |> join",
        "|> split(8) |> rev(2) |> join",
        "|> turned",
        "|> split(4) |> map(split(2)) |> map(transpose) |> map(join) |> join",
    ],
    maps: &[
        "|> mapLocal(twice)",
        "|> mapLocal(twice)",
        "|> split(4) |> mapLocal(fun(r => r |> mapSeq(twice))) |> join",
        "|> split(4) |> transpose |> mapLocal(fun(r => r |> mapSeq(twice))) |> transpose |> join",
        "|> split(4) |> mapSeq(fun(r => r |> mapLocal(twice))) |> join",
        "|> padClamp(1)(1) |> slide(3)(1) |> mapLocal(sum)",
        "|> asVector(4) |> mapLocal(fun(v => v)) |> asScalar",
        "|> split(4) |> mapLocal(fun(r => r |> mapSeq(twice) |> toMem(Local) |> rev(4) |> mapSeq(twice))) |> join",
        "|> split(8) |> mapLocal(fun(r => r |> mapSeq(twice))) |> join |> rev(16)",
    ],
    zip: "|> mapLocal(fun(p => p._1 + p._2))",
};

const TILE: Kit = Kit {
    chunk: "8.4.f32",
    groups: ("split(1) |> mapWorkGroup(1)(mapWorkGroup(0)(fun(c0 => ", "))) |> join"),
    local: &["4, 2", "2, 4", "4, 8", "3, 2"],
    times: &["1, 1", "1, 2", "2, 1"],
    views: &[
        "",
        "",
        "|> rev(8)",
        "|> map(rev(4))",
        "|> join |> split(8) |> transpose",
        "|> transpose |> rev(4) |> transpose",
        "|> split(2) |> rev(4) |> join",
    ],
    maps: &[
        "|> mapLocal(1)(mapLocal(0)(twice))",
        "|> transpose |> mapLocal(0)(mapLocal(1)(twice)) |> transpose",
        "|> mapLocal(1)(fun(r => r |> mapLocal(0)(twice) |> toMem(Local) |> rev(4) |> mapLocal(0)(twice)))",
        "|> join |> split(16) |> mapLocal(1)(fun(r => r |> split(4)
           |> mapLocal(0)(fun(q => q |> mapSeq(twice))) |> join)) |> join |> split(4)",
        "|> split(2) |> mapSeq(fun(r => r |> mapLocal(1)(mapLocal(0)(twice)))) |> join",
        "|> split(2) |> mapLocal(1)(fun(rs => rs |> transpose |> mapLocal(0)(fun(c => c |> mapSeq(twice)))
           |> transpose)) |> join",
    ],
    zip: "|> mapLocal(1)(fun(r => zip(r._1)(r._2) |> mapLocal(0)(fun(p => p._1 + p._2))))",
};

const MEMORIES: [&str; 4] = ["Local", "Local", "Global", "Private"];

/// The programs specify their launch sizes.
const ONE: Grid = Grid {
    local: [1; 3],
    global: [1; 3],
};

/// A pseudo-random number generator.
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

/// Generates a program in which each array is computed from one or two of the previous ones.
fn program(kit: &Kit, numbers: &mut Numbers) -> String {
    let (local, times) = (numbers.of(kit.local), numbers.of(kit.times));
    let sizes = local.split(", ").zip(times.split(", "));
    let global: Vec<String> = sizes.map(|(l, t)| format!("{l} * {t}")).collect();
    let mut body = String::new();
    let stages = 1 + numbers.below(4);
    let next = |at: usize, numbers: &mut Numbers| {
        // Mostly from the last one.
        let of = |numbers: &mut Numbers| match numbers.below(4) {
            0 => numbers.below(at),
            _ => at - 1,
        };
        let (one, view) = (of(numbers), numbers.of(kit.views));
        match numbers.below(3) {
            0 => {
                let (two, other) = (of(numbers), numbers.of(kit.views));
                format!("zip(c{one} {view})(c{two} {other}) {}", kit.zip)
            }
            _ => format!("c{one} {view} {}", numbers.of(kit.maps)),
        }
    };
    for at in 1..=stages {
        let made = next(at, numbers);
        let _ = write!(
            body,
            "let c{at} = {made} |> toMem({}) in\n  ",
            numbers.of(&MEMORIES)
        );
    }
    body += &next(stages + 1, numbers);
    format!(
        "{DEFINITIONS}
@target(opencl)
@opencl(local = [{local}], global = [{}])
def program = depFun(n: Nat => fun(xs: n.{} =>
  xs |> {}{body}{}))
",
        global.join(", "),
        kit.chunk,
        kit.groups.0,
        kit.groups.1
    )
}

#[test]
fn random_lines_have_no_races() {
    let (ran, refused) = run(&LINE, 4, 80);
    assert!(
        ran >= 40 && refused <= 2,
        "{ran} ran, {refused} were refused"
    );
}

#[test]
fn random_tiles_have_no_races() {
    let (ran, refused) = run(&TILE, 4, 80);
    assert!(
        ran >= 40 && refused <= 2,
        "{ran} ran, {refused} were refused"
    );
}

#[test]
#[ignore = "takes minutes: RISE_SEED is where it starts"]
fn many_random_programs_have_no_races() {
    let seed = std::env::var("RISE_SEED").ok();
    let seed = seed.and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let ran = [run(&LINE, seed, 3000), run(&TILE, seed, 2000)];
    println!("{ran:?} programs ran");
}

/// Returns true if a work-item reads private memory that it did not write, when each work-item has
/// whole arrays.
fn reads_of_others(part: &KernelFunction) -> bool {
    let result = launched(part, &[3], ONE).launch(World::default(), 0);
    result
        .races
        .iter()
        .any(|race| race.contains("is read before"))
}

/// Executes `programs` random programs; returns how many were executed, and how many were refused
/// although each work-item happens to read only private memory that it wrote.
fn run(kit: &Kit, seed: u64, programs: usize) -> (usize, usize) {
    let mut numbers = Numbers(seed);
    let (mut ran, mut refused) = (0, 0);
    for _ in 0..programs {
        let text = program(kit, &mut numbers);
        let part = &kernels(&text, "program")[0];
        // Private memory of others, and barriers where some do not come, are errors.
        let done = match with_memory(part) {
            Ok(done) => done,
            Err(error) => {
                let fits = error.code == codes::OTHER_WORK_ITEM && !reads_of_others(part);
                refused += usize::from(fits);
                continue;
            }
        };
        ran += 1;
        let machine = launched(&done, &[3], ONE);
        let expected = launched(part, &[3], ONE).reference(World::default());
        for seed in 0..2 {
            let result = machine.launch(World::default(), seed);
            assert_eq!(result.races, Vec::<String>::new(), "{text}");
            let output = done.function.outputs[0];
            same(
                &text,
                &expected.elements(output),
                &result.elements(output),
                machine.grid,
            );
        }
    }
    (ran, refused)
}
