#include <stdlib.h>
#include <string.h>

typedef struct { float _1; float _2; } pair_f32_f32;
typedef struct { float _1; pair_f32_f32 _2; } pair_f32_pair_f32_f32;

void fdtd2d_reference(
    pair_f32_pair_f32_f32 *restrict output, int n, int m, int steps, const float *restrict sources,
    const float *restrict ex_start, const float *restrict ey_start, const float *restrict hz_start)
{
    int w = m + 1;
    size_t size = sizeof(float) * (n + 1) * w;
    float *restrict ex = malloc(size);
    float *restrict ey = malloc(size);
    float *restrict hz = malloc(size);
    memcpy(ex, ex_start, size);
    memcpy(ey, ey_start, size);
    memcpy(hz, hz_start, size);

    for (int t = 0; t < steps; t++) {
        for (int j = 0; j <= m; j++)
            ey[j] = sources[t];
        #pragma omp parallel for
        for (int i = 1; i <= n; i++)
            for (int j = 0; j <= m; j++)
                ey[i * w + j] -= 0.5f * (hz[i * w + j] - hz[(i - 1) * w + j]);
        #pragma omp parallel for
        for (int i = 0; i <= n; i++)
            for (int j = 1; j <= m; j++)
                ex[i * w + j] -= 0.5f * (hz[i * w + j] - hz[i * w + j - 1]);
        #pragma omp parallel for
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++)
                hz[i * w + j] -= 0.7f
                    * (ex[i * w + j + 1] - ex[i * w + j] + ey[(i + 1) * w + j] - ey[i * w + j]);
    }

    #pragma omp parallel for
    for (int i = 0; i < (n + 1) * w; i++) {
        output[i]._1 = ex[i];
        output[i]._2._1 = ey[i];
        output[i]._2._2 = hz[i];
    }

    free(hz);
    free(ey);
    free(ex);
}
