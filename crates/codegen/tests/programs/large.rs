//! Sizes are `int`s; what they are computed from may be larger, and is computed in 64 bits.

use codegen::Target;
use expect_test::{Expect, expect};

use crate::function;

fn value(size: &str, expected: Expect) {
    let text = format!("def main = depFun((n: Nat, m: Nat) => fun(x: i64 => x + cast({size})))");
    let text = function(&text, "main", Target::C);
    let statement = text
        .split_inclusive(';')
        .find(|part| part.contains("output[0] ="));
    let words: Vec<&str> = statement.unwrap_or(&text).split_whitespace().collect();
    let written = words.join(" ");
    let from = written.find("output[0]").unwrap_or(0);
    expected.assert_eq(&written[from..]);
}

#[test]
fn values_of_large_sizes() {
    value(
        "2^n % (m + 1)",
        expect![
            "output[0] = (int64_t)((uint64_t)x + (int64_t)(int)(((int64_t)1 << n) % (m + 1)));"
        ],
    );
    value(
        "n*n*n % (m + 1)",
        expect![
            "output[0] = (int64_t)((uint64_t)x + (int64_t)(int)((int64_t)n * n * n % (m + 1)));"
        ],
    );
    value(
        "n^5 / (m + 1)",
        expect!["output[0] = (int64_t)((uint64_t)x + (int64_t)(int)(pow_64(n, 5) / (m + 1)));"],
    );
    value(
        "ceilDiv(n*n*n, m*m + 1)",
        expect![
            "output[0] = (int64_t)((uint64_t)x + (int64_t)(int)(((int64_t)n * n * n + (int64_t)m * m) / ((int64_t)m * m + 1)));"
        ],
    );
    value(
        "log2(n*n*n + 1)",
        expect!["output[0] = (int64_t)((uint64_t)x + (int64_t)log2_64((int64_t)n * n * n + 1));"],
    );
    value(
        "min(n*n*n, m)",
        expect![
            "output[0] = (int64_t)((uint64_t)x + (int64_t)(int)imin_64(m, (int64_t)n * n * n));"
        ],
    );
    value(
        "sum(i, 0, n, i*i*i % (m + 1))",
        expect!["output[0] = (int64_t)((uint64_t)x + (int64_t)(int)sum_1(n, m));"],
    );
    value(
        "sum(i, 0, n, 2^i % m)",
        expect!["output[0] = (int64_t)((uint64_t)x + (int64_t)(int)sum_1(n, m));"],
    );
    value(
        "n*n + n / 2",
        expect!["output[0] = (int64_t)((uint64_t)x + (int64_t)(int)((int64_t)n * n + n / 2));"],
    );
    value(
        "n / 2 + m % 3",
        expect!["output[0] = (int64_t)((uint64_t)x + (int64_t)(n / 2 + m % 3));"],
    );
}

#[test]
fn indices_by_large_sizes() {
    let text = "def main = depFun((n: Nat) => fun(xs: (n+1).i32 =>
        xs |> reorder(n+1)(natFun(i => (i + n*n*n) % (n + 1)))(natFun(i => (i + (n+1)*n*n*n - n*n*n) % (n + 1)))
           |> mapSeq(id)))";
    expect![[r#"
        void main_(int32_t *restrict output, int n, const int32_t *restrict xs) {
            for (int i = 0; i < n + 1; i++) {
                output[i] = xs[((int64_t)n * n * n + i) % (n + 1)];
            }
        }
    "#]]
    .assert_eq(&function(text, "main", Target::C));
}

#[test]
fn arrays_as_long_as_large_sizes_say() {
    let text = "def main = depFun((n: Nat, m: Nat) => fun(xs: (n*n/(m + 1)).i32 =>
        xs |> mapSeq(fun(x => x + 1)) |> toMem |> mapSeq(fun(x => x * 2))))";
    expect![[r#"
        void main_(int32_t *restrict output, int n, int m, const int32_t *restrict xs) {
            int32_t *tmp = allocate((size_t)n * n / (m + 1), sizeof(int32_t));
            for (int i = 0; i < (int64_t)n * n / (m + 1); i++) {
                tmp[i] = (int32_t)((uint32_t)xs[i] + 1);
            }
            for (int i = 0; i < (int64_t)n * n / (m + 1); i++) {
                output[i] = (int32_t)((uint32_t)tmp[i] * 2);
            }
            free(tmp);
        }
    "#]]
    .assert_eq(&function(text, "main", Target::C));
    let text =
        "def main = depFun((n: Nat, m: Nat) => fun(xs: (log2(n*n + 1)).i32 => xs |> mapSeq(id)))";
    expect![[r#"
        void main_(int32_t *restrict output, int n, int m, const int32_t *restrict xs) {
            (void)m;
            for (int i = 0, end = log2_64((int64_t)n * n + 1); i < end; i++) {
                output[i] = xs[i];
            }
        }
    "#]]
    .assert_eq(&function(text, "main", Target::C));
}
