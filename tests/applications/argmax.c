#include <stdint.h>

typedef struct { float _1; int32_t _2; } pair_f32_i32;

#pragma omp declare reduction(largest : pair_f32_i32 : omp_out = \
    omp_in._1 > omp_out._1 || (omp_in._1 == omp_out._1 && omp_in._2 < omp_out._2) ? omp_in : omp_out) \
    initializer(omp_priv = { -3.4e38f, 0 })

void argmax_reference(pair_f32_i32 *restrict output, int n, const float *restrict xs)
{
    pair_f32_i32 best = { -3.4e38f, 0 };
    #pragma omp parallel for reduction(largest:best)
    for (int i = 0; i < n; i++) {
        if (xs[i] > best._1) {
            best._1 = xs[i];
            best._2 = i;
        }
    }
    output[0] = best;
}
