#include <stdlib.h>
#include <string.h>

void jacobi1d_reference(float *restrict output, int n, int steps, const float *restrict a)
{
    float *old = malloc(sizeof(float) * (n + 2));
    memcpy(output, a, sizeof(float) * (n + 2));
    for (int t = 0; t < steps; t++) {
        #pragma omp parallel for
        for (int i = 0; i < n + 2; i++)
            old[i] = output[i];
        #pragma omp parallel for
        for (int i = 1; i <= n; i++)
            output[i] = 0.33333f * (old[i - 1] + old[i] + old[i + 1]);
    }
    free(old);
}
