#include <math.h>
#include <stdint.h>

typedef struct { float _1; float _2; } pair_f32_f32;
typedef struct { float _1; int32_t _2; } pair_f32_i32;

#pragma omp declare reduction(nearest : pair_f32_i32 : omp_out = \
    omp_in._1 < omp_out._1 || (omp_in._1 == omp_out._1 && omp_in._2 < omp_out._2) ? omp_in : omp_out) \
    initializer(omp_priv = { 3.4e38f, 0 })

void nearestNeighbour_reference(
    pair_f32_i32 *restrict output, int n, float latitude, float longitude,
    const pair_f32_f32 *restrict locations)
{
    pair_f32_i32 best = { 3.4e38f, 0 };
    #pragma omp parallel for reduction(nearest:best)
    for (int i = 0; i < n; i++) {
        float dx = latitude - locations[i]._1;
        float dy = longitude - locations[i]._2;
        float distance = sqrtf(dx * dx + dy * dy);
        if (distance < best._1) {
            best._1 = distance;
            best._2 = i;
        }
    }
    output[0] = best;
}
