#include <stdlib.h>

void gemver_reference(
    float *restrict output, int n, float alpha, float beta, const float *restrict a,
    const float *restrict u1, const float *restrict v1, const float *restrict u2, const float *restrict v2,
    const float *restrict y, const float *restrict z)
{
    float *b = malloc(sizeof(float) * n * n);
    float *x = malloc(sizeof(float) * n);

    #pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            b[i * n + j] = a[i * n + j] + u1[i] * v1[j] + u2[i] * v2[j];

    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        x[i] = 0.0f;
        for (int j = 0; j < n; j++)
            x[i] += beta * b[j * n + i] * y[j];
    }

    for (int i = 0; i < n; i++)
        x[i] += z[i];

    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        output[i] = 0.0f;
        for (int j = 0; j < n; j++)
            output[i] += alpha * b[i * n + j] * x[j];
    }

    free(x);
    free(b);
}
