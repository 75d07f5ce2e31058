#include <stdlib.h>

void twoMm_reference(
    float *restrict output, int ni, int nj, int nk, int nl, float alpha, float beta,
    const float *restrict a, const float *restrict b, const float *restrict c, const float *restrict d)
{
    float *ab = malloc(sizeof(float) * ni * nj);

    #pragma omp parallel for
    for (int i = 0; i < ni; i++) {
        for (int j = 0; j < nj; j++) {
            ab[i * nj + j] = 0.0f;
            for (int k = 0; k < nk; k++)
                ab[i * nj + j] += alpha * a[i * nk + k] * b[k * nj + j];
        }
    }

    #pragma omp parallel for
    for (int i = 0; i < ni; i++) {
        for (int j = 0; j < nl; j++) {
            output[i * nl + j] = beta * d[i * nl + j];
            for (int k = 0; k < nj; k++)
                output[i * nl + j] += ab[i * nj + k] * c[k * nl + j];
        }
    }

    free(ab);
}
