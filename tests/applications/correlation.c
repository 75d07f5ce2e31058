#include <math.h>
#include <stdlib.h>

void correlation_reference(float *restrict output, int n, int m, const float *restrict data)
{
    float *mean = malloc(sizeof(float) * m);
    float *deviation = malloc(sizeof(float) * m);
    float *standardised = malloc(sizeof(float) * n * m);

    #pragma omp parallel for
    for (int j = 0; j < m; j++) {
        mean[j] = 0.0f;
        for (int i = 0; i < n; i++)
            mean[j] += data[i * m + j];
        mean[j] /= n;
    }

    #pragma omp parallel for
    for (int j = 0; j < m; j++) {
        deviation[j] = 0.0f;
        for (int i = 0; i < n; i++)
            deviation[j] += (data[i * m + j] - mean[j]) * (data[i * m + j] - mean[j]);
        deviation[j] = sqrtf(deviation[j] / n);
        if (deviation[j] <= 0.1f)
            deviation[j] = 1.0f;
    }

    #pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            standardised[i * m + j] = (data[i * m + j] - mean[j]) / (sqrtf(n) * deviation[j]);

    #pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < m; i++) {
        output[i * m + i] = 1.0f;
        for (int j = i + 1; j < m; j++) {
            float sum = 0.0f;
            for (int k = 0; k < n; k++)
                sum += standardised[k * m + i] * standardised[k * m + j];
            output[i * m + j] = sum;
            output[j * m + i] = sum;
        }
    }

    free(standardised);
    free(deviation);
    free(mean);
}
