//! Tests that many calls at once have the results of single calls.

use super::*;
use crate::interp::{self, ErrorKind, InterpError, Options, TraceLimits};
use crate::process::TimeLimit;

const TEXT: &str = r#"
foreign def mixed(a: f32, b: i32, c: bool, d: f64, e: u8): f64 = """{
  return c ? (double)a / 3.0 + b : sqrt(fabs(d)) - e;
}"""
foreign def third(x: f32): f32 = """{
  // static, "puts(": not this
  return 1.0f / 3.0f * x;
}"""
foreign def below(a: u8, b: i32): bool = """{ return a < b; }"""
foreign def narrow(x: f64): u8 = """{ return (uint8_t)(int)x; }"""
foreign def over(a: i32, b: i32): i32 = """{ if (b == 0) { __builtin_trap(); } return a / b; }"""
foreign def divided(a: i32, b: i32): i32 = """{ return a / b; }"""
foreign def endless(x: i32): i32 = """{ while (x == 500) { x = 500; } return x; }"""
foreign def slow(x: i32): i32 = """{
  struct timespec { long s, n; } wait = { 0, 300000000 };
  int nanosleep(const struct timespec *, struct timespec *);
  nanosleep(&wait, 0);
  return x;
}"""
foreign def say(x: i32): i32 = """{ printf("%d ", (int)x); return x; }"""
foreign def again(x: i32): i32 = """{ printf("[%d] ", (int)x); return x; }"""
def mixing = fun(xs: 1000.(f32, (i32, (f64, u8))) => xs |> map(fun(x =>
  let small = below(x._2._2._2)(x._2._1) in
  (mixed(x._1)(x._2._1)(small)(x._2._2._1)(x._2._2._2), (small, narrow(x._2._2._1 * 10.0f64))))))
def sums = fun(xs: 300.f32 => xs |> split(30) |> mapSeq(fun(row =>
  xs |> reduceSeq(Private)(fun(sum, x => sum + third(x) * third(sum)))(third(2.0f)) |> fun(s =>
    row |> reduceSeq(Private)(fun(sum, x => sum + third(x)))(s)))))
def guarded = fun(xs: 1000.i32 => xs |> mapSeq(fun(x =>
  select(x == 0)(7)(divided(100, x) + (xs |> take(9) |> map(fun(y =>
    select((y == 0) || (divided(x, y) > 3))(1)(divided(x, y)))) |> reduceSeq(Private)(add)(0))))))
def failing = fun(xs: 1000.i32 => xs |> mapSeq(fun(x => divided(100, x))))
def adding = fun(xs: 1000.i32 => xs |> reduceSeq(Private)(fun(sum, x => sum + divided(100, x)))(0))
def waiting = fun(xs: 1000.i32 => xs |> mapSeq(fun(x => endless(x))))
def saying = fun(xs: 12.i32 => xs |> mapSeq(fun(x => say(x) + again(x))))
def all = fun(x: i32 => over(x)(1) + slow(x))
"#;

fn program(def: &str) -> rise::core::Program<rise::Primitive> {
    match program_of(TEXT, def) {
        Ok(program) => program,
        Err(error) => panic!("{error}"),
    }
}

fn functions_of(def: &str, limits: &Limits) -> ForeignFunctions {
    let functions = functions_with_bodies(&program(def).body);
    let Ok(folder) = tempfile::tempdir() else {
        panic!("there is room");
    };
    let compiled = Compiler::find(limits)
        .map(|compiler| ForeignFunctions::compile_in(folder.path(), &functions, &compiler, limits));
    match compiled {
        Ok(Ok(functions)) => functions,
        Ok(Err(error)) => panic!("{error}"),
        Err(error) => panic!("{error}"),
    }
}

/// Returns the bytes of the result for an argument, and the output. With `many`, many iterations
/// run at once; otherwise tracing makes them run one by one.
fn run(def: &str, arg: Option<Value>, many: bool) -> (Result<Vec<u8>, InterpError>, String) {
    let limits = Limits {
        time: Some(TimeLimit::of_each_part(Duration::from_secs(4))),
        ..Limits::default()
    };
    let (program, functions) = (program(def), functions_of(def, &limits));
    let nothing = TraceLimits {
        values: 0,
        elements: 0,
    };
    let options = Options {
        foreign: Some(&functions),
        trace: (!many).then_some(nothing),
        ..Options::default()
    };
    let args: Vec<Value> = arg.into_iter().collect();
    let outcome = interp::run(&program, &Bindings::default(), &args, &options);
    let bytes = outcome.map(|outcome| outcome.value.bytes().to_vec());
    (bytes, functions.finish())
}

/// Returns a random argument of the definition.
fn random(def: &str) -> Value {
    let program = program(def);
    let signature = program.signature();
    let Some(param) = signature.values().next() else {
        panic!("a parameter");
    };
    let shape = match Shape::of(&param.ty, &Bindings::default()) {
        Ok(shape) => shape,
        Err(error) => panic!("{error}"),
    };
    match crate::generate::Fill::Random(3).value(shape) {
        Ok(value) => value,
        Err(error) => panic!("{error}"),
    }
}

fn numbers(n: u64, of: impl Fn(usize) -> i32) -> Value {
    let shape = Shape::Array(n, Arc::new(Shape::Scalar(ScalarType::I32)));
    let bytes = (0..n as usize)
        .flat_map(|at| of(at).to_ne_bytes())
        .collect();
    let Some(value) = Value::from_bytes(shape, bytes) else {
        panic!("as many bytes");
    };
    value
}

#[track_caller]
fn same(def: &str, arg: &Value) {
    let (many, _) = run(def, Some(arg.clone()), true);
    let (one, _) = run(def, Some(arg.clone()), false);
    assert!(many.is_ok(), "{many:?}");
    assert_eq!(many, one);
}

#[test]
fn results_are_those_of_single_calls() {
    same("mixing", &random("mixing"));
    same("sums", &random("sums"));
}

#[test]
fn branches_that_are_not_taken_call_nothing() {
    same("guarded", &numbers(1000, |at| at as i32 % 11 - 5));
}

#[test]
fn a_failing_call_is_the_programs() {
    for def in ["failing", "adding"] {
        let arg = numbers(1000, |at| 600 - at as i32);
        let (many, _) = run(def, Some(arg.clone()), true);
        let (one, _) = run(def, Some(arg), false);
        let Err(InterpError {
            kind: ErrorKind::Foreign { name, .. },
            ..
        }) = &many
        else {
            panic!("{many:?}");
        };
        assert_eq!(name, "divided");
        assert_eq!(many, one);
    }
}

#[test]
fn what_does_not_return_in_a_chunk_is_given_up() {
    let (many, _) = run("waiting", Some(numbers(1000, |at| at as i32)), true);
    let text = many.map_err(|error| error.to_string());
    let expected = "`endless` could not be called: it does not return within 4s";
    assert_eq!(text, Err(expected.to_owned()));
}

#[test]
fn what_prints_is_called_in_the_order_of_the_loop() {
    let arg = numbers(12, |at| at as i32);
    let (many, printed) = run("saying", Some(arg.clone()), true);
    assert_eq!((many, printed.clone()), run("saying", Some(arg), false));
    assert!(printed.starts_with("0 [0] 1 [1] "), "{printed}");
}

fn function<'f>(functions: &'f ForeignFunctions, name: &str) -> &'f Foreign {
    let mut all = functions.functions.iter();
    match all.find(|known| known.function.name == name) {
        Some(known) => &known.function,
        None => panic!("no {name}"),
    }
}

fn ints(of: impl Iterator<Item = i32>) -> Vec<u8> {
    of.flat_map(i32::to_ne_bytes).collect()
}

#[test]
fn requests_may_be_larger_than_a_pipe() {
    let functions = functions_of("all", &Limits::default());
    let over = function(&functions, "over");
    let args = ints((0..100_000).flat_map(|at| [at * 3, 3]));
    let results = functions.call_batch(over, &args, 100_000);
    assert_eq!(results, Ok(ints(0..100_000)));
    assert_eq!(functions.call_batch(over, &[], 0), Ok(Vec::new()));
    assert!(functions.call_batch(over, &args, 7).is_err());
    // A crash in one call fails the whole request, and all later ones.
    let args = ints([1, 1, 2, 0, 3, 1].into_iter());
    let crash = functions.call_batch(over, &args, 3);
    assert!(
        matches!(&crash, Err(error) if error.contains("signal")),
        "{crash:?}"
    );
    assert_eq!(functions.call_batch(over, &args[..8], 1), crash);
}

#[test]
fn the_time_is_that_of_a_call() {
    let limits = Limits {
        time: Some(TimeLimit::of_each_part(Duration::from_secs(4))),
        ..Limits::default()
    };
    let functions = functions_of("all", &limits);
    let args = ints(0..5);
    let results = functions.call_batch(function(&functions, "slow"), &args, 5);
    assert_eq!(results, Ok(args));
}
