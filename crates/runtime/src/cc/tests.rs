use super::*;
use crate::generate::Fill;
use crate::literal::Literal;
use crate::process::TimeLimit;
use crate::scalar::Leaf;
use crate::value::Value;
use crate::value_text::Length;
use std::sync::Arc;
use std::time::Duration;
use syntax::ast::ScalarType as S;

const F32: Shape = Shape::Scalar(S::F32);
const ONE: Outputs<'_> = Outputs {
    count: 1,
    inout: &[],
};

const ONCE: Runs = Runs {
    warm_up: 0,
    timed: 1,
};

fn array(n: u64, element: Shape) -> Shape {
    Shape::Array(n, Arc::new(element))
}

fn value(text: &str, shape: Shape) -> Value {
    match Literal::parse(text).and_then(|literal| literal.value(shape)) {
        Ok(value) => value,
        Err(error) => panic!("{text}: {error}"),
    }
}

struct Test {
    folder: tempfile::TempDir,
    compiler: Compiler,
    limits: Limits,
}

impl Test {
    fn new() -> Test {
        let limits = Limits {
            time: Some(TimeLimit::of_each_part(Duration::from_secs(60))),
            ..Limits::default()
        };
        match (tempfile::tempdir(), Compiler::find(&limits)) {
            (Ok(folder), Ok(compiler)) => Test {
                folder,
                compiler,
                limits,
            },
            (folder, compiler) => panic!("{folder:?} {compiler:?}"),
        }
    }

    fn compile(
        &self,
        text: &str,
        sizes: usize,
        params: &[Shape],
    ) -> Result<Executable, CompileError> {
        let program = Program {
            text,
            function: "f",
            outputs: ONE,
            sizes,
            index: IndexWidth::default(),
            params,
            openmp: text.contains("#pragma omp"),
        };
        program.compile_in(self.folder.path(), &self.compiler, &self.limits)
    }

    fn outcome(
        &self,
        text: &str,
        sizes: &[i64],
        args: &[&Value],
        result: Shape,
        runs: Runs,
    ) -> Result<Outcome, String> {
        let params: Vec<Shape> = args.iter().map(|arg| arg.shape().clone()).collect();
        let program = self
            .compile(text, sizes.len(), &params)
            .map_err(|error| error.to_string())?;
        assert_eq!(program.messages, []);
        let outcome = program.run(sizes, args, result, ONE, runs, &self.limits);
        outcome.map_err(|error| error.to_string())
    }

    fn run(
        &self,
        text: &str,
        sizes: &[i64],
        args: &[&Value],
        result: Shape,
    ) -> Result<String, String> {
        let outcome = self.outcome(text, sizes, args, result, ONCE)?;
        Ok(outcome.value.text(Length::Full))
    }
}

const SCALE: &str = "void f(float *restrict output, int n, const float *restrict xs, float a)
{
    for (int i = 0; i < n; i++) {
        output[i] = a * xs[i];
    }
}
";

#[test]
fn a_function_is_called_with_sizes_arrays_and_values() {
    let xs = value("[1, 2, 3]", array(3, F32));
    let a = value("0.5", F32);
    let result = Test::new().run(SCALE, &[3], &[&xs, &a], array(3, F32));
    assert_eq!(result.as_deref(), Ok("[0.5, 1.0, 1.5]"));
}

#[test]
fn tuples_are_structs_and_truth_values_bytes() {
    let text = "#include <stdint.h>
#include <stdbool.h>
struct pair { uint8_t _1; double _2; };
void f(struct pair *restrict output, int n, const struct pair *restrict xs, struct pair y, bool b, int64_t k)
{
    for (int i = 0; i < n; i++) {
        output[i]._1 = (uint8_t)(xs[i]._1 + y._1);
        output[i]._2 = b ? xs[i]._2 * y._2 : (double)k;
    }
}
";
    let pair = || {
        Shape::Pair(
            Arc::new(Shape::Scalar(S::U8)),
            Arc::new(Shape::Scalar(S::F64)),
        )
    };
    let xs = value("[(1, 2), (3, 4)]", array(2, pair()));
    let y = value("(5, 6)", pair());
    let k = value("7", Shape::Scalar(S::I64));
    let run = |b: &str| {
        let b = value(b, Shape::Scalar(S::Bool));
        Test::new().run(text, &[2], &[&xs, &y, &b, &k], array(2, pair()))
    };
    assert_eq!(run("true").as_deref(), Ok("[(6, 12.0), (8, 24.0)]"));
    assert_eq!(run("false").as_deref(), Ok("[(6, 7.0), (8, 7.0)]"));
}

#[test]
fn openmp_runs() {
    let text = SCALE.replace("    for", "    #pragma omp parallel for\n    for");
    let Ok(xs) = Fill::Iota.value(array(1000, F32)) else {
        panic!("4 kB");
    };
    let a = value("2", F32);
    let result = Test::new().outcome(&text, &[1000], &[&xs, &a], array(1000, F32), ONCE);
    let last = result.map(|outcome| {
        outcome
            .value
            .get(3996, Leaf::Scalar(S::F32))
            .map(|x| x.as_f64())
    });
    assert_eq!(last, Ok(Some(1998.0)));
}

#[test]
fn calls_are_timed() {
    let xs = value("[1, 2, 3]", array(3, F32));
    let a = value("2", F32);
    let runs = Runs {
        warm_up: 1,
        timed: 5,
    };
    let outcome = Test::new().outcome(SCALE, &[3], &[&xs, &a], array(3, F32), runs);
    assert_eq!(outcome.map(|outcome| outcome.times.len()), Ok(5));
}

#[test]
fn programs_are_kept_and_reused() {
    let test = Test::new();
    let params = [array(3, F32), F32];
    let paths = [(); 2].map(|()| match test.compile(SCALE, 1, &params) {
        Ok(program) => program.path().to_owned(),
        Err(error) => panic!("{error}"),
    });
    assert_eq!(paths[0], paths[1]);
    // There are no other files.
    let entries = std::fs::read_dir(test.folder.path()).map(|all| all.count());
    assert!(matches!(entries, Ok(1)));
    // An entry whose content does not match is compiled again.
    let broken = paths[0].with_file_name("program.c");
    assert!(std::fs::write(&broken, "int broken;").is_ok());
    assert!(test.compile(SCALE, 1, &params).is_ok());
    assert!(std::fs::read_to_string(broken).is_ok_and(|text| text == SCALE));
}

#[test]
fn errors_and_warnings_have_lines() {
    let wrong = "void f(float *output)\n{\n    output[0] = nonsense;\n}\n";
    let Err(CompileError::Refused { messages, .. }) = Test::new().compile(wrong, 0, &[]) else {
        panic!("that is no C");
    };
    let error = messages
        .iter()
        .find(|message| message.severity == Severity::Error);
    let Some(error) = error else {
        panic!("{messages:?}");
    };
    assert_eq!(
        (error.file.as_str(), error.line, error.column),
        ("program.c", 3, 17)
    );
    assert!(error.text.contains("nonsense"));

    let unused = "void f(float *output)\n{\n    int unused;\n    output[0] = 1;\n}\n";
    let test = Test::new();
    for _ in 0..2 {
        let warned = test.compile(unused, 0, &[]).map(|program| program.messages);
        assert!(matches!(
            warned.as_deref(),
            Ok([Message {
                line: 3,
                severity: Severity::Warning,
                ..
            }])
        ));
    }

    let missing = "float g(float x);\nvoid f(float *output) { output[0] = g(1); }\n";
    let error = Test::new()
        .compile(missing, 0, &[])
        .map_err(|error| error.to_string());
    assert_eq!(
        error.map(|_| ()),
        Err("the C compiler rejects the program: no function `g` is linked".to_owned())
    );
}

#[test]
fn failures_are_described() {
    let crash = "#include <signal.h>\nvoid f(int *output) { output[0] = raise(SIGSEGV); }\n";
    let result = Test::new().run(crash, &[], &[], Shape::Scalar(S::I32));
    assert_eq!(
        result,
        Err("the program was stopped by signal 11 (invalid memory access)".to_owned())
    );
    let early = "#include <stdlib.h>\nvoid f(int *output) { output[0] = 1; exit(0); }\n";
    let result = Test::new().run(early, &[], &[], Shape::Scalar(S::I32));
    assert_eq!(
        result,
        Err("the program ended before it had written its result".to_owned())
    );
}

#[test]
fn what_never_ends_is_stopped() {
    let mut test = Test::new();
    let endless = "void f(volatile int *output) { for (;;) { output[0] = 1; } }\n";
    let Ok(program) = test.compile(endless, 0, &[]) else {
        panic!("that is C");
    };
    test.limits.time = Some(TimeLimit::of_each_part(Duration::from_millis(100)));
    let result = program.run(&[], &[], Shape::Scalar(S::I32), ONE, ONCE, &test.limits);
    assert!(matches!(
        result,
        Err(RunError::Process(ProcessError::TooLong(_)))
    ));
    test.limits.cancel.cancel();
    let result = program.run(&[], &[], Shape::Scalar(S::I32), ONE, ONCE, &test.limits);
    assert!(matches!(
        result,
        Err(RunError::Process(ProcessError::Cancelled))
    ));
}

#[test]
fn too_much_memory_is_refused_up_front() {
    let text = "void f(int *output) { output[0] = 1; }\n";
    let Ok(program) = Test::new().compile(text, 0, &[]) else {
        panic!("that is C");
    };
    let huge = array(1 << 50, Shape::Scalar(S::I32));
    let result = program.run(&[], &[], huge, ONE, ONCE, &Limits::default());
    assert!(matches!(
        result,
        Err(RunError::Memory { .. } | RunError::Shape(_) | RunError::Failed { .. })
    ));
}

#[test]
fn a_missing_compiler_is_said() {
    assert!(matches!(
        Compiler::of("no-such-compiler -x", &Limits::default()),
        Ok(None)
    ));
}

#[test]
fn programs_are_compiled_together() {
    let test = Test::new();
    let text = "void f(int *output, int n) { output[0] = n + 1; }\n\
                void g(int *output, const int *xs) { output[0] = 2 * xs[1]; }\n";
    let two = [array(2, Shape::Scalar(S::I32))];
    let program = |function, sizes, params| Program {
        text: "",
        function,
        outputs: ONE,
        sizes,
        index: IndexWidth::default(),
        params,
        openmp: false,
    };
    let programs = [program("f", 1, &[]), program("g", 0, &two)];
    let root = test.folder.path();
    let built = compile_together(&programs, text, root, &test.compiler, &test.limits);
    let Ok(built) = built else {
        panic!("that is C: {built:?}");
    };
    let run = |sizes: &[i64], args: &[&Value]| {
        let result = Shape::Scalar(S::I32);
        let outcome = built.run(sizes, args, result, ONE, ONCE, &test.limits);
        outcome.map(|outcome| outcome.value.text(Length::Full))
    };
    assert!(matches!(run(&[0, 41], &[]).as_deref(), Ok("42")));
    let xs = value("[3, 4]", two[0].clone());
    assert!(matches!(run(&[1], &[&xs]).as_deref(), Ok("8")));
}

#[test]
fn more_options_count_more() {
    let test = Test::new();
    let text = "void f(int *output) {\n#ifdef __OPTIMIZE__\n output[0] = 1;\n#else\n output[0] = N;\n#endif\n}\n";
    let program = Program {
        text,
        function: "f",
        outputs: ONE,
        sizes: 0,
        index: IndexWidth::default(),
        params: &[],
        openmp: false,
    };
    let results: Vec<String> = ["", "-O0 -DN=2", "-O0 -DN=3"]
        .iter()
        .filter_map(|flags| {
            let compiler = test.compiler.clone().with_flags(flags);
            let built = program.compile_in(test.folder.path(), &compiler, &test.limits);
            let outcome = built
                .ok()?
                .run(&[], &[], Shape::Scalar(S::I32), ONE, ONCE, &test.limits);
            Some(outcome.ok()?.value.text(Length::Full))
        })
        .collect();
    assert_eq!(results, ["1", "2", "3"]);
}
