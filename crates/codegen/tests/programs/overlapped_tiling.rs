//! Tests overlapped tiling: which stages are computed together for a tile of rows.

use codegen::Target;
use expect_test::{Expect, expect};

use crate::function;

fn check(text: &str, expected: Expect) {
    let text = format!("def main = {text}");
    expected.assert_eq(&function(&text, "main", Target::OpenMp));
}

/// Each tile computes the rows of the first stage that it needs: two more than it has.
#[test]
fn rows_of_a_stage_are_computed_for_a_tile() {
    check(
        "depFun((h: Nat, w: Nat) => fun(image: (h + 2).w.f32 =>
           image
             |> mapPar(mapSeq(fun(x => x * 2.0f)))
             |> toMem
             |> slide(3)(1)
             |> mapPar(fun(rows =>
               zip(rows |> idx(0))(rows |> idx(2)) |> mapSeq(fun(p => p._1 - p._2))))))",
        expect![[r#"
            void main_(float *restrict output, int h, int w, const float *restrict image) {
                assert(h >= 1 && "h >= 1");
                check_count("main: h*w + w*2", ((double)h + 2) * w);
                check_count("main: ceilDiv(h, 16)*16 + 2", (double)16 * (((int64_t)h + 15) / 16) + 2);
                #pragma omp parallel
                {
                    float *tmp = allocate((size_t)imin_64(18, h + 2) * w, sizeof(float));
                    #pragma omp for nowait
                    for (int tile = 0; tile < (h + 15) / 16; tile++) {
                        const int end = imin(h, 16 * (tile + 1));
                        for (int j = 16 * tile; j < end + 2; j++) {
                            for (int k = 0; k < w; k++) {
                                tmp[(j - 16 * tile) * w + k] = image[j * w + k] * 2.0f;
                            }
                        }
                        for (int j = 16 * tile; j < end; j++) {
                            for (int k = 0; k < w; k++) {
                                output[j * w + k] = tmp[(j - 16 * tile) * w + k]
                                    - tmp[(j - 16 * tile + 2) * w + k];
                            }
                        }
                    }
                    free(tmp);
                }
            }
        "#]],
    );
}

/// An iteration of the first loop computes two rows, one of the last loop reads one.
#[test]
fn iterations_may_compute_several_rows() {
    check(
        "depFun((h: Nat, w: Nat) => fun(image: (2 * h).w.f32 =>
           image
             |> split(2)
             |> mapPar(mapSeq(mapSeq(fun(x => x * 2.0f))))
             |> toMem
             |> join
             |> mapPar(mapSeq(fun(x => x + 1.0f)))))",
        expect![[r#"
            void main_(float *restrict output, int h, int w, const float *restrict image) {
                check_count("main: h*w*2", (double)2 * h * w);
                check_count("main: ceilDiv(h, 8)*16", (double)16 * (((int64_t)h + 7) / 8));
                #pragma omp parallel
                {
                    float *tmp = allocate((size_t)2 * imin(8, h) * w, sizeof(float));
                    #pragma omp for nowait
                    for (int tile = 0; tile < (h + 7) / 8; tile++) {
                        const int end = imin(2 * h, 16 * (tile + 1));
                        for (int j = 8 * tile; j < (end + 1) / 2; j++) {
                            for (int k = 0; k < 2; k++) {
                                for (int l = 0; l < w; l++) {
                                    tmp[(2 * (j - 8 * tile) + k) * w + l] = image[(2 * j + k) * w + l] * 2.0f;
                                }
                            }
                        }
                        for (int j = 16 * tile; j < end; j++) {
                            for (int k = 0; k < w; k++) {
                                output[j * w + k] = tmp[(j - 16 * tile) * w + k] + 1.0f;
                            }
                        }
                    }
                    free(tmp);
                }
            }
        "#]],
    );
}

/// A tile would need half as many rows again.
#[test]
fn stages_with_many_common_rows_are_left_alone() {
    check(
        "depFun((h: Nat, w: Nat) => fun(image: (h + 8).w.f32 =>
           image
             |> mapPar(mapSeq(fun(x => x * 2.0f)))
             |> toMem
             |> slide(9)(1)
             |> mapPar(fun(rows =>
               zip(rows |> idx(0))(rows |> idx(8)) |> mapSeq(fun(p => p._1 - p._2))))))",
        expect![[r#"
            void main_(float *restrict output, int h, int w, const float *restrict image) {
                assert(h >= 1 && "h >= 1");
                check_count("main: h + 8", (double)h + 8);
                check_count("main: h*w + w*8", ((double)h + 8) * w);
                float *tmp = allocate(((size_t)h + 8) * w, sizeof(float));
                #pragma omp parallel for
                for (int i = 0; i < h + 8; i++) {
                    for (int j = 0; j < w; j++) {
                        tmp[i * w + j] = image[i * w + j] * 2.0f;
                    }
                }
                #pragma omp parallel for
                for (int i = 0; i < h; i++) {
                    for (int j = 0; j < w; j++) {
                        output[i * w + j] = tmp[i * w + j] - tmp[(i + 8) * w + j];
                    }
                }
                free(tmp);
            }
        "#]],
    );
}

/// All rows of the result read the first row of the stage.
#[test]
fn stages_that_all_tiles_read_are_left_alone() {
    check(
        "depFun((h: Nat, w: Nat) => fun(image: (h + 1).w.f32 =>
           image
             |> mapPar(mapSeq(fun(x => x * 2.0f)))
             |> toMem
             |> fun(all => all |> mapPar(fun(row =>
               zip(row)(all |> idx(0)) |> mapSeq(fun(p => p._1 - p._2)))))))",
        expect![[r#"
            void main_(float *restrict output, int h, int w, const float *restrict image) {
                check_count("main: h + 1", (double)h + 1);
                check_count("main: h*w + w", ((double)h + 1) * w);
                float *tmp = allocate(((size_t)h + 1) * w, sizeof(float));
                #pragma omp parallel for
                for (int i = 0; i < h + 1; i++) {
                    for (int j = 0; j < w; j++) {
                        tmp[i * w + j] = image[i * w + j] * 2.0f;
                    }
                }
                #pragma omp parallel for
                for (int i = 0; i < h + 1; i++) {
                    for (int j = 0; j < w; j++) {
                        output[i * w + j] = tmp[i * w + j] - tmp[j];
                    }
                }
                free(tmp);
            }
        "#]],
    );
}
