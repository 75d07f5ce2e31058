//! Tests code whose indices have 32 bits, 64 bits, or a width selected by the sizes of a call.

mod loop_language;

use codegen::{CompileError, IndexPolicy, IndexWidth, Module, Target};
use expect_test::expect;
use loop_language::{run, run_fast};
use rise::core::{normalise, program_of};

const NARROW: IndexPolicy = IndexPolicy::Fixed(IndexWidth::Bits32);

fn compiled(text: &str, target: Target, index: IndexPolicy) -> Module {
    compile(text, target, index).expect("a text")
}

fn compile(text: &str, target: Target, index: IndexPolicy) -> Result<Module, CompileError> {
    let mut program = program_of(text, "sums").expect("a program");
    normalise(&mut program).expect("a normal form");
    let functional = dpia::functional(&program, target.features()).expect("choices");
    let imperative = dpia::imperative(&functional).expect("commands");
    codegen::compile_for(&imperative, target, index).map_err(|mut errors| errors.remove(0))
}

const ROW_SUMS: &str = "def sums = depFun((n: Nat, m: Nat) => fun(rows: n.m.u8 =>
  rows |> mapSeq(fun(row => row |> map(fun(x => (cast(x) : i64))) |> reduceSeq(add)(0i64)))))";

/// Runs `main`, which must end by `abort`.
fn is_refused(module: &Module, main: &str) {
    let handler = "\n#include <signal.h>\n#include <stdlib.h>\n\
                   static void refused(int signal) { (void)signal; _Exit(0); }\n";
    let module = Module {
        text: format!("{}{handler}", module.text),
        ..module.clone()
    };
    run(
        &module,
        &format!("signal(SIGABRT, refused);\n{main}\nexit(1);"),
    );
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn counts_that_do_not_fit_are_refused_before_the_work() {
    let call = "sums(NULL, 47000, 47000, NULL);";
    is_refused(&compiled(ROW_SUMS, Target::C, NARROW), call);
    let parallel = ROW_SUMS.replace("mapSeq", "mapPar");
    is_refused(&compiled(&parallel, Target::OpenMp, NARROW), call);
    let wide = compiled(ROW_SUMS, Target::C, IndexWidth::Bits64.into());
    is_refused(
        &wide,
        "sums(NULL, INT64_C(1) << 32, INT64_C(1) << 32, NULL);",
    );
    for (size, sizes) in [
        ("n + 1", "2147483647, 1"),
        ("n + n*m", "2147483647, 1"),
        ("4 * n", "1 << 30, 1"),
        ("n / 4 * m", "65536, 1 << 17"),
        ("n * n * m", "1 << 30, 1 << 30"),
        ("n * n * n / (m + 1)", "1 << 30, 1"),
        ("n * 2^m", "1, 31"),
        ("n * 2^m", "1, 2147483647"),
        ("(n + 2) * (m + 2)", "2147483647, 2147483647"),
        ("max(n + 1, m)", "2147483647, 1"),
        ("n * (n + m) / 4", "2147483647, 2147483647"),
    ] {
        let text = format!(
            "def sums = depFun((n: Nat, m: Nat) => fun(xs: ({size}).f32 =>
               xs |> mapSeq(fun(x => x + 1.0f)) |> toMem |> mapSeq(fun(x => x * 2.0f))))"
        );
        let call = format!("sums(NULL, {sizes}, NULL);");
        is_refused(&compiled(&text, Target::C, NARROW), &call);
    }
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn counts_that_fit_are_computed_with() {
    for (size, n, m, count) in [
        ("n / 4 * m", 10, 3, 6),
        ("n * n * n / (m + 1)", 3, 1, 13),
        ("n * 2^m", 3, 2, 12),
        ("n * m + n % 4", 5, 2, 11),
        ("max(n + 1, m)", 2, 7, 7),
        ("min(n + 1, m) * n", 3, 7, 12),
    ] {
        let text = format!(
            "def sums = depFun((n: Nat, m: Nat) => fun(xs: ({size}).f32 =>
               xs |> mapSeq(fun(x => x + 1.0f)) |> toMem |> mapSeq(fun(x => x * 2.0f))))"
        );
        for index in [NARROW, IndexWidth::Bits64.into(), IndexPolicy::BySizes] {
            let module = compiled(&text, Target::C, index);
            let last = count - 1;
            run(
                &module,
                &format!(
                    "float xs[{count}] = {{[{last}] = 4.0f}}, ys[{count}] = {{0}};
                     sums(ys, {n}, {m}, xs);
                     CHECK(ys[0] == 2.0f && ys[{last}] == 10.0f);"
                ),
            );
        }
    }
}

#[test]
fn the_sizes_of_a_call_choose() {
    let module = compiled(ROW_SUMS, Target::C, IndexPolicy::BySizes);
    let start = module.text.find("static void sums").expect("a function");
    assert_eq!(module.signature.index, IndexWidth::Bits64);
    expect![[r#"
        static void sums_32(int64_t *restrict output, int n, int m, const uint8_t *restrict rows) {
            for (int i = 0; i < n; i++) {
                int64_t accum = 0;
                for (int j = 0; j < m; j++) {
                    accum = (int64_t)((uint64_t)accum + (int64_t)rows[i * m + j]);
                }
                output[i] = accum;
            }
        }

        static void sums_64(int64_t *restrict output, int64_t n, int64_t m, const uint8_t *restrict rows) {
            check_count_64("sums: n*m", (double)n * m);
            for (int64_t i = 0; i < n; i++) {
                int64_t accum = 0;
                for (int64_t j = 0; j < m; j++) {
                    accum = (int64_t)((uint64_t)accum + (int64_t)rows[i * m + j]);
                }
                output[i] = accum;
            }
        }

        /* sums : (n: Nat) -> (m: Nat) -> n.m.u8 -> n.i64 */
        void sums(int64_t *restrict output, int64_t n, int64_t m, const uint8_t *restrict rows) {
            if (n <= INT32_MAX && m <= INT32_MAX && (double)n * m <= INT32_MAX) {
                sums_32(output, (int)n, (int)m, rows);
            } else {
                sums_64(output, n, m, rows);
            }
        }
    "#]].assert_eq(&module.text[start..]);
    let fixed = "def sums = fun(xs: 1000.f32 => xs |> mapSeq(fun(x => x + 1.0f)))";
    let module = compiled(fixed, Target::C, IndexPolicy::BySizes);
    assert_eq!(module.text, compiled(fixed, Target::C, NARROW).text);
}

#[test]
fn sums_are_computed_with_the_width_of_their_function() {
    let text =
        "def sums = depFun((n: Nat, m: Nat) => fun(xs: (sum(i, 0, n, i * i % (m + 1))).f32 =>
      xs |> mapSeq(fun(x => x + 1.0f))))";
    let text = compiled(text, Target::C, IndexPolicy::BySizes).text;
    for head in ["sum_1(int n, int m)", "sum_2(int64_t n, int64_t m)"] {
        assert!(text.contains(head), "{text}");
    }
}

/// Tests that the parts of the text with and without a phrase are in order and do not overlap.
#[test]
fn the_map_of_both_widths_covers_the_text() {
    let module = compiled(ROW_SUMS, Target::C, IndexPolicy::BySizes);
    let loops = module.map.iter().filter(|mapping| {
        let text = &module.text[mapping.range.clone()];
        text.starts_with("for (int i = 0") || text.starts_with("for (int64_t i = 0")
    });
    assert_eq!(loops.count(), 2, "{}", module.text);
    let plain: Vec<&str> = (module.plain.iter())
        .map(|plain| &module.text[plain.range.clone()])
        .collect();
    assert!(plain.contains(&"check_count_64(\"sums: n*m\", (double)n * m);"));
}

const FAR: &str = "def sums = depFun((n: Nat, w: Nat, k: Nat) => fun(xs: n.i32 =>
  xs |> slide(w)(1) |> join |> drop(k) |> take(4) |> mapSeq(id)))";

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn each_call_is_computed_with_a_width_that_fits() {
    let parallel = FAR.replace("mapSeq", "mapPar");
    for (text, target) in [(FAR, Target::C), (&*parallel, Target::OpenMp)] {
        let module = compiled(text, target, IndexPolicy::BySizes);
        run(
            &module,
            "static int32_t xs[100000];
             for (int i = 0; i < 100000; i++) { xs[i] = i; }
             int32_t ys[4];
             sums(ys, 100000, 50000, INT64_C(2147483653), xs);
             CHECK(ys[0] == 76602 && ys[3] == 76605);
             sums(ys, 100, 5, 12, xs);
             CHECK(ys[0] == 4 && ys[1] == 5 && ys[2] == 6 && ys[3] == 3);",
        );
        is_refused(
            &compiled(text, target, NARROW),
            "static int32_t xs[100000]; int32_t ys[4]; sums(ys, 100000, 50000, 1000, xs);",
        );
    }
}

const DEPENDENT: &str = "def sums = depFun((n: Nat, m: Nat) =>
  fun(xs: n..(dataFun(k => (k + 1).i32)) => xs |> depMapSeq(depFun(k: Nat => fun(row =>
    row |> map(fun(x => row |> map(fun(y => generate(fun(i : Idx[m] => x * y)))) |> join)) |> join
      |> reduceSeq(fun(a, b => a * 3 + b))(0)))) ))";

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn counts_that_depend_on_a_counter_are_checked_with_its_range() {
    is_refused(
        &compiled(DEPENDENT, Target::C, NARROW),
        "int32_t xs[3] = {1, 2, 3}, ys[2]; sums(ys, 2, 1 << 29, xs);",
    );
    let both = compiled(DEPENDENT, Target::C, IndexPolicy::BySizes);
    let start = both.text.find("void sums(").expect("a function");
    let condition = "(double)n * n * m <= INT32_MAX";
    assert!(both.text[start..].contains(condition), "{}", both.text);
    run(
        &both,
        "int32_t xs[3] = {1, 2, 3}, ys[2]; sums(ys, 2, 1, xs);
         CHECK(ys[0] == 1 && ys[1] == 4 * 27 + 6 * 9 + 6 * 3 + 9);",
    );
}

/// A number of elements may fit although the product from which something is subtracted does not.
#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn products_in_counts_are_checked() {
    for (size, sizes) in [
        ("n*m - n*m % 16", "65536, 32768"),
        ("n*n*n - n*n*n % (m + 1)", "1625, 2145507811"),
        ("n*m - n*m % 1000", "12, 178956979"),
    ] {
        let text = format!(
            "def sums = depFun((n: Nat, m: Nat) => fun(xs: ({size}).u8 =>
               xs |> mapSeq(fun(x => x + 1))))"
        );
        let call = format!("sums(NULL, {sizes}, NULL);");
        is_refused(&compiled(&text, Target::C, NARROW), &call);
    }
    let text = "def sums = depFun((n: Nat, m: Nat) => fun(xs: (n*m - n*m % 16).u8 =>
      xs |> mapSeq(fun(x => x + 1))))";
    let text = compiled(text, Target::C, IndexPolicy::BySizes).text;
    let start = text.find("void sums(").expect("a function");
    let condition = "if (n <= INT32_MAX && m <= INT32_MAX && (double)n * m <= INT32_MAX) {";
    assert!(text[start..].contains(condition), "{text}");
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn sums_without_a_closed_form_do_not_overflow_in_checks() {
    let text = "def sums = depFun((n: Nat, m: Nat) =>
      fun(xs: (sum(i, 0, n, i * i * i * i / (m + 1))).f32 => xs |> mapSeq(fun(x => x + 1.0f))))";
    for index in [NARROW, IndexWidth::Bits64.into(), IndexPolicy::BySizes] {
        let module = compiled(text, Target::C, index);
        for n in [100_000, 100_001, 2_000_000_000] {
            is_refused(&module, &format!("sums(NULL, {n}, 0, NULL);"));
        }
        run(
            &module,
            "float xs[8] = {[7] = 1.0f}, ys[8] = {0};
             sums(ys, 3, 1, xs);
             CHECK(ys[0] == 1.0f && ys[7] == 2.0f);",
        );
    }
}

#[test]
fn a_constant_that_never_fits_is_an_error() {
    let text = "def sums = fun(x: 70000.f32 =>
      x |> mapSeq(fun(a => x |> mapSeq(fun(b => a * b)))))";
    for target in [Target::C, Target::OpenMp] {
        let error = compile(text, target, NARROW).expect_err("an error");
        assert_eq!(
            error.to_string(),
            "4900000000 elements do not fit into indices of 32 bits"
        );
        assert_eq!(
            error.help.as_deref(),
            Some("emit the code with `--index 64`")
        );
        let module = compiled(text, target, IndexPolicy::BySizes);
        assert_eq!(module.signature.index, IndexWidth::Bits64);
        assert!(!module.text.contains("sums_32"), "{}", module.text);
    }
    let kernel = text.replacen("mapSeq", "mapGlobal", 1);
    assert!(compile(&kernel, Target::OpenCl, NARROW).is_err());
    let module = compiled(&kernel, Target::OpenCl, IndexPolicy::BySizes);
    assert_eq!(module.signature.index, IndexWidth::Bits64);
    assert_eq!(module.device.and_then(|device| device.narrow), None);
}

/// The unwritten pages of an array need no memory.
#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn row_sums_of_more_than_two_to_the_31_elements_are_right() {
    let main = "int64_t n = 47000;
         uint8_t *rows = calloc((size_t)(n * n), 1);
         int64_t *sums_of_rows = malloc((size_t)n * sizeof(int64_t));
         CHECK(rows != NULL && sums_of_rows != NULL);
         rows[0] = 1;
         rows[n * n - 1] = 2;
         sums(sums_of_rows, n, n, rows);
         CHECK(sums_of_rows[0] == 1 && sums_of_rows[n - 1] == 2 && sums_of_rows[n / 2] == 0);";
    run_fast(&compiled(ROW_SUMS, Target::C, IndexPolicy::BySizes), main);
    let parallel = ROW_SUMS.replace("mapSeq", "mapPar");
    run_fast(
        &compiled(&parallel, Target::OpenMp, IndexPolicy::BySizes),
        main,
    );
}
