use super::*;
use crate::literal::Literal;
use crate::process::TimeLimit;
use crate::value_text::Length;
use rise::core::program_of;

const TEXT: &str = r#"
foreign def clamp01(x: f32): f32 = """{
  return x < 0.0f ? 0.0f : x > 1.0f ? 1.0f : x;
}"""
foreign def swap(p: (i8, f64)): (f64, i8) = """{
  pair_f64_i8 result = { p._2, p._1 };
  return result;
}"""
foreign def blend(v: Vec[4, f32], a: f32): Vec[4, f32] = """{ return v * a; }"""
foreign def isOdd(x: i32): bool = """{ return x % 2 != 0; }"""
foreign def crash(x: i32): i32 = """{ abort(); return x; }"""
foreign def forever(x: i32): i32 = """{ volatile int on = 1; while (on) { } return x; }"""
foreign def wrong(x: f32): f32 = """{
  float y = x;
  return y + nonsense;
}"""
foreign def double(x: i32): i32 = """{ return x < 1 ? 1 : 2 * double(x - 1); }"""
foreign def malloc(x: i32): i32 = """{ return x; }"""
foreign def nothing(x: i32): i32 = """{ int unused = x; }"""
foreign def chatty(x: i32): i32 = """{ puts("noise"); return x + 1; }"""
def all = fun((x: f32, p: (i8, f64), v: Vec[4, f32], i: i32) =>
  ((clamp01(x), swap(p)), ((blend(v)(x), isOdd(i)), crash(i) + chatty(forever(nothing(malloc(double(i))))))))
def bad = fun(x: f32 => wrong(clamp01(x)))
"#;

fn functions(def: &str) -> Vec<Arc<Foreign>> {
    match program_of(TEXT, def) {
        Ok(program) => functions_with_bodies(&program.body),
        Err(error) => panic!("{error}"),
    }
}

fn compile(def: &str, limits: &Limits) -> Result<ForeignFunctions, ForeignError> {
    let compiler = Compiler::find(limits)?;
    let Ok(folder) = tempfile::tempdir() else {
        panic!("there is room");
    };
    ForeignFunctions::compile_in(folder.path(), &functions(def), &compiler, limits)
}

struct Test(ForeignFunctions);

impl Test {
    fn new(limits: &Limits) -> Test {
        match compile("all", limits) {
            Ok(functions) => Test(functions),
            Err(error) => panic!("{error}"),
        }
    }

    fn call(&self, name: &str, args: &[&str]) -> Result<String, String> {
        let function = self
            .0
            .functions
            .iter()
            .find(|known| known.function.name == name);
        let Some(Compiled { function, .. }) = function else {
            panic!("no {name}");
        };
        let args: Vec<Value> = args
            .iter()
            .zip(&function.params)
            .map(|(text, (_, ty))| {
                let shape =
                    Shape::of(ty, &Bindings::default()).map_err(|error| error.to_string())?;
                let literal = Literal::parse(text).and_then(|literal| literal.value(shape));
                literal.map_err(|error| error.to_string())
            })
            .collect::<Result<_, String>>()?;
        self.0
            .call(function, &args)
            .map(|value| value.text(Length::Full))
    }
}

#[test]
fn functions_are_called_with_scalars_tuples_and_vectors() {
    let test = Test::new(&Limits::default());
    assert_eq!(test.call("clamp01", &["7"]).as_deref(), Ok("1.0"));
    assert_eq!(test.call("clamp01", &["0.25"]).as_deref(), Ok("0.25"));
    assert_eq!(test.call("swap", &["(3, 1.5)"]).as_deref(), Ok("(1.5, 3)"));
    assert_eq!(
        test.call("blend", &["<1, 2, 3, 4>", "2"]).as_deref(),
        Ok("<2.0, 4.0, 6.0, 8.0>")
    );
    assert_eq!(test.call("isOdd", &["-3"]).as_deref(), Ok("true"));
    assert_eq!(test.call("chatty", &["1"]).as_deref(), Ok("2"));
}

#[test]
fn names_may_be_those_of_c() {
    let test = Test::new(&Limits::default());
    assert_eq!(test.call("double", &["5"]).as_deref(), Ok("32"));
    assert_eq!(test.call("malloc", &["5"]).as_deref(), Ok("5"));
}

#[test]
fn what_they_print_is_kept() {
    let test = Test::new(&Limits::default());
    assert_eq!(test.call("chatty", &["1"]).as_deref(), Ok("2"));
    assert_eq!(test.call("chatty", &["2"]).as_deref(), Ok("3"));
    assert_eq!(test.0.finish(), "noise\nnoise\n");
}

#[test]
fn warnings_are_placed_in_the_body() {
    let test = Test::new(&Limits::default());
    let functions = functions("all");
    let text = text(&functions).unwrap_or_default();
    let place = |message: &Message| place_in_body(&text, message, &functions);
    let placed: Vec<_> = test.0.messages.iter().filter_map(place).collect();
    let places: Vec<_> = placed
        .iter()
        .map(|(f, at)| (f.name.as_str(), *at))
        .collect();
    // The messages: an unused variable, and a missing `return`, which refers to the function as a
    // whole.
    assert!(places.contains(&("nothing", 6)), "{:?}", test.0.messages);
    assert!(places.contains(&("nothing", 0)), "{:?}", test.0.messages);
}

#[test]
fn a_crash_is_described_and_stays_one() {
    let test = Test::new(&Limits::default());
    let crash = Err("the C function was stopped by signal 6 (the program aborted)".to_owned());
    assert_eq!(test.call("crash", &["1"]), crash);
    assert_eq!(test.call("isOdd", &["1"]), crash);
}

#[test]
fn what_does_not_return_is_given_up() {
    let limits = Limits {
        time: Some(TimeLimit::of_each_part(Duration::from_secs(4))),
        ..Limits::default()
    };
    let test = Test::new(&limits);
    assert_eq!(
        test.call("forever", &["1"]),
        Err("it does not return within 4s".to_owned())
    );
}

#[test]
fn errors_are_placed_in_the_body() {
    let error = match compile("bad", &Limits::default()) {
        Ok(_) => panic!("nonsense compiles"),
        Err(error) => error,
    };
    let ForeignError::Compile(CompileError::Refused { messages, .. }) = &error else {
        panic!("{error}");
    };
    let functions = functions("bad");
    let Ok(text) = text(&functions) else {
        panic!("it has layouts");
    };
    let place = messages
        .first()
        .and_then(|first| place_in_body(&text, first, &functions));
    let Some((function, offset)) = place else {
        panic!("{messages:?}");
    };
    assert_eq!(function.name, "wrong");
    let body = function.body.as_deref().unwrap_or_default();
    assert!(
        body[offset..].starts_with("nonsense"),
        "{}",
        &body[offset..]
    );
}

mod chunks;
