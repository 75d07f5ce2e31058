#include <stdlib.h>

void threeMm_reference(
    float *restrict output, int ni, int nj, int nk, int nl, int nm,
    const float *restrict a, const float *restrict b, const float *restrict c, const float *restrict d)
{
    float *e = malloc(sizeof(float) * ni * nj);
    float *f = malloc(sizeof(float) * nj * nl);

    #pragma omp parallel for
    for (int i = 0; i < ni; i++) {
        for (int j = 0; j < nj; j++) {
            e[i * nj + j] = 0.0f;
            for (int k = 0; k < nk; k++)
                e[i * nj + j] += a[i * nk + k] * b[k * nj + j];
        }
    }

    #pragma omp parallel for
    for (int i = 0; i < nj; i++) {
        for (int j = 0; j < nl; j++) {
            f[i * nl + j] = 0.0f;
            for (int k = 0; k < nm; k++)
                f[i * nl + j] += c[i * nm + k] * d[k * nl + j];
        }
    }

    #pragma omp parallel for
    for (int i = 0; i < ni; i++) {
        for (int j = 0; j < nl; j++) {
            output[i * nl + j] = 0.0f;
            for (int k = 0; k < nj; k++)
                output[i * nl + j] += e[i * nj + k] * f[k * nl + j];
        }
    }

    free(f);
    free(e);
}
