use super::*;
use crate::value_text::Length;
use rise::core::program_of;

const TEXT: &str = "
def scale : (n: Nat) -> n.f32 -> f32 -> n.f32 = depFun(n: Nat => fun(xs, a => xs |> map(fun(x => a * x))))
def rows = depFun((n: Nat, m: Nat) => fun(xs: (n * m).f32 => xs |> split(m) |> map(reduce(add)(0.0f))))
def tiles = depFun(n: Nat => fun(xs: n.f32 => xs |> split(4)))
def windows : {n: Nat} -> (n+2).i32 -> n.i32 = fun(xs => xs |> slide(3)(1) |> map(reduce(add)(0)))
def generic = fun(x => x)
def pick = depFun(n: Nat => fun((i: Idx[n], xs: n.f32) => idx(i, xs)))
def triangle : (n: Nat) -> n..dataFun(i => (i+1).f32) -> n.f32 = depFun(n: Nat => fun(xs => 
  generate(fun(i => 0.0f))))
@assume(n == 2 * m + 1)
def halves = depFun((n: Nat, m: Nat) => fun((xs: n.i32, ys: m.i32) => ys))
";

fn program(name: &str) -> Program<Primitive> {
    match program_of(TEXT, name) {
        Ok(program) => program,
        Err(error) => panic!("{name}: {error}"),
    }
}

struct Run<'a> {
    sizes: &'a [(&'a str, u64)],
    defaults: &'a [(&'a str, u64)],
    args: &'a [(&'a str, &'a str)],
}

const NOTHING: Run<'_> = Run {
    sizes: &[],
    defaults: &[],
    args: &[],
};

fn source(text: &str) -> ArgumentSource {
    match text {
        "zeros" => ArgumentSource::Generated(Generator::Zeros),
        "iota" => ArgumentSource::Generated(Generator::Iota),
        _ if text.ends_with(".npy") => ArgumentSource::File(text.into()),
        _ => match Literal::parse(text) {
            Ok(literal) => ArgumentSource::Literal(literal),
            Err(error) => panic!("{text}: {error}"),
        },
    }
}

fn run(name: &str, run: &Run<'_>) -> String {
    let own = |all: &[(&str, u64)]| all.iter().map(|(n, v)| ((*n).to_owned(), *v)).collect();
    let request = Request {
        sizes: own(run.sizes),
        defaults: own(run.defaults),
        args: run
            .args
            .iter()
            .map(|(n, text)| ((*n).to_owned(), source(text)))
            .collect(),
        seed: 0,
        memory: None,
    };
    match prepare(&program(name), &request) {
        Ok(launch) => {
            let sizes = launch
                .sizes
                .iter()
                .map(|(name, value)| format!("{name} = {value}"));
            let args = launch
                .params
                .iter()
                .zip(&launch.args)
                .map(|(name, value)| format!("{name} = {}", value.text(Length::Full)));
            let result = launch
                .result
                .map_or_else(|error| error.to_string(), |shape| shape.to_string());
            sizes
                .chain(args)
                .chain([result])
                .collect::<Vec<_>>()
                .join("; ")
        }
        Err(error) => error.to_string(),
    }
}

#[test]
fn sizes_come_from_the_user_from_arguments_and_from_defaults() {
    let args = [("xs", "iota"), ("a", "0.5")];
    let given = run(
        "scale",
        &Run {
            sizes: &[("n", 3)],
            args: &args,
            ..NOTHING
        },
    );
    assert_eq!(given, "n = 3; xs = [0.0, 1.0, 2.0]; a = 0.5; 3.f32");
    let default = run(
        "scale",
        &Run {
            defaults: &[("n", 2)],
            args: &args,
            ..NOTHING
        },
    );
    assert_eq!(default, "n = 2; xs = [0.0, 1.0]; a = 0.5; 2.f32");
    let args = [("xs", "[7, 8]"), ("a", "1")];
    let both = run(
        "scale",
        &Run {
            defaults: &[("n", 9)],
            args: &args,
            ..NOTHING
        },
    );
    assert_eq!(both, "n = 2; xs = [7.0, 8.0]; a = 1.0; 2.f32");
    let rows = run(
        "rows",
        &Run {
            sizes: &[("m", 2)],
            args: &[("xs", "[1, 2, 3, 4, 5, 6]")],
            ..NOTHING
        },
    );
    assert_eq!(
        rows,
        "n = 3; m = 2; xs = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]; 3.f32"
    );
    let windows = run(
        "windows",
        &Run {
            args: &[("xs", "[1, 2, 3, 4]")],
            ..NOTHING
        },
    );
    assert_eq!(windows, "n = 2; xs = [1, 2, 3, 4]; 2.i32");
}

#[test]
fn sizes_follow_from_conditions() {
    let given = |size| Run {
        sizes: size,
        args: &[("xs", "zeros"), ("ys", "iota")],
        ..NOTHING
    };
    let right = "n = 5; m = 2; xs = [0, 0, 0, 0, 0]; ys = [0, 1]; 2.i32";
    assert_eq!(run("halves", &given(&[("m", 2)])), right);
    assert_eq!(run("halves", &given(&[("n", 5)])), right);
    let from_argument = Run {
        args: &[("xs", "[0, 0, 0, 0, 0]"), ("ys", "iota")],
        ..NOTHING
    };
    assert_eq!(run("halves", &from_argument), right);
    assert_eq!(
        run("halves", &given(&[("n", 4)])),
        "there is no value for `m`; give it with `-D m=…`"
    );
    assert_eq!(
        run("halves", &given(&[("n", 4), ("m", 2)])),
        "`n == m*2 + 1` does not hold for n = 4, m = 2"
    );
}

#[test]
fn the_same_seed_gives_the_same_arguments() {
    let once = Run {
        sizes: &[("n", 4)],
        ..NOTHING
    };
    assert_eq!(run("scale", &once), run("scale", &once));
}

#[test]
fn conditions_are_checked_with_their_values() {
    assert_eq!(
        run(
            "tiles",
            &Run {
                sizes: &[("n", 10)],
                ..NOTHING
            }
        ),
        "`4 divides n` does not hold for n = 10"
    );
    assert_eq!(
        run(
            "tiles",
            &Run {
                sizes: &[("n", 4)],
                args: &[("xs", "zeros")],
                ..NOTHING
            }
        ),
        "n = 4; xs = [0.0, 0.0, 0.0, 0.0]; 1.4.f32"
    );
}

#[test]
fn what_is_missing_or_wrong_is_said() {
    assert_eq!(
        run("scale", &NOTHING),
        "there is no value for `n`; give it with `-D n=…`"
    );
    assert_eq!(
        run("rows", &NOTHING),
        "there is no value for `n`, `m`; give them with `-D n=… -D m=…`"
    );
    assert_eq!(
        run(
            "scale",
            &Run {
                sizes: &[("k", 1)],
                ..NOTHING
            }
        ),
        "`scale` has no size `k`; it has `n`"
    );
    assert_eq!(
        run(
            "scale",
            &Run {
                sizes: &[("n", 1)],
                args: &[("ys", "zeros")],
                ..NOTHING
            }
        ),
        "`scale` has no parameter `ys`; it has `xs`, `a`"
    );
    assert_eq!(
        run(
            "scale",
            &Run {
                sizes: &[("n", 1), ("n", 2)],
                ..NOTHING
            }
        ),
        "`n` is given twice"
    );
    assert_eq!(
        run(
            "scale",
            &Run {
                sizes: &[("n", 3)],
                args: &[("xs", "[1]")],
                ..NOTHING
            }
        ),
        "`xs` has 1 element where its type has `n`, which is 3"
    );
    assert_eq!(
        run(
            "scale",
            &Run {
                sizes: &[("n", 1 << 31)],
                ..NOTHING
            }
        ),
        "the size `n` is 2147483648; it must be less than 2^31"
    );
    assert_eq!(
        run(
            "rows",
            &Run {
                sizes: &[("n", 1 << 30), ("m", 2)],
                ..NOTHING
            }
        ),
        "the parameter `xs`: `(n*m).f32` has 2147483648 elements, and generated code counts with 32 bits: below 2^31 are allowed"
    );
    assert_eq!(
        run(
            "scale",
            &Run {
                args: &[("xs", "no-such-file.npy")],
                ..NOTHING
            }
        ),
        "the argument `xs`: no-such-file.npy: No such file or directory (os error 2)"
    );
    assert_eq!(
        run(
            "pick",
            &Run {
                sizes: &[("n", 0)],
                ..NOTHING
            }
        ),
        "the argument `i`: there is no value of type `Idx[0]`"
    );
    assert_eq!(
        run("generic", &NOTHING),
        "`generic` is generic over the data type `t`; write the type of a parameter, of the result, or of a number (`0i32`), or a definition that uses `generic` at one type"
    );
}

#[test]
fn rows_of_different_length_are_made_up() {
    let triangle = run(
        "triangle",
        &Run {
            sizes: &[("n", 3)],
            args: &[("xs", "iota")],
            ..NOTHING
        },
    );
    assert_eq!(
        triangle,
        "n = 3; xs = [[0.0],\n [1.0, 2.0],\n [3.0, 4.0, 5.0]]; 3.f32"
    );
}

#[test]
fn quantified_conditions_are_checked_one_by_one() {
    let [i, n] = [Nat::var(Var(0)), Nat::var(Var(1))];
    let mut bindings = Bindings {
        names: Names(["i".into(), "n".into()].into()),
        ..Bindings::default()
    };
    bindings.nats.insert(Var(1), 100_000);
    let below = |bound: i64| {
        let prop = Prop::AtLeast(Nat::constant(bound), i.clone());
        Prop::for_all(Var(0), Nat::ZERO, n.clone(), prop)
    };
    assert!(check(&[below(100_000)], &bindings).is_ok());
    let error = check(&[below(99_998)], &bindings).map_err(|error| error.to_string());
    assert_eq!(
        error,
        Err("`99998 >= i for all 0 <= i < n` does not hold for n = 100000".to_owned())
    );
}

#[test]
fn values_that_do_not_fit_into_memory_are_refused() {
    let shape = Shape::Array(
        1000,
        std::sync::Arc::new(Shape::Scalar(syntax::ast::ScalarType::F64)),
    );
    let twice = [shape.clone(), shape];
    assert!(check_memory(twice.iter(), Some(16_000)).is_ok());
    assert!(check_memory(twice.iter(), None).is_ok());
    let error = check_memory(twice.iter(), Some(15_000)).map_err(|error| error.to_string());
    assert_eq!(
        error,
        Err("arguments and result take 16.0 kB of memory, and 15.0 kB are available".to_owned())
    );
}
