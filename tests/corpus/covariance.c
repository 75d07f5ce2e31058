#include <stdlib.h>

void covariance_reference(float *restrict output, int n, int m, const float *restrict data)
{
    float *mean = malloc(sizeof(float) * m);
    float *centred = malloc(sizeof(float) * n * m);

    #pragma omp parallel for
    for (int j = 0; j < m; j++) {
        mean[j] = 0.0f;
        for (int i = 0; i < n; i++)
            mean[j] += data[i * m + j];
        mean[j] /= n;
    }

    #pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            centred[i * m + j] = data[i * m + j] - mean[j];

    #pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < m; i++) {
        for (int j = i; j < m; j++) {
            float sum = 0.0f;
            for (int k = 0; k < n; k++)
                sum += centred[k * m + i] * centred[k * m + j];
            output[i * m + j] = sum / (n - 1.0f);
            output[j * m + i] = output[i * m + j];
        }
    }

    free(centred);
    free(mean);
}
