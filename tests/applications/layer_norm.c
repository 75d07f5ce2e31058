#include <math.h>

void layerNorm_reference(
    float *restrict output, int n, int m, float epsilon,
    const float *restrict gamma, const float *restrict beta, const float *restrict xs)
{
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        const float *row = &xs[i * m];
        float mean = 0.0f;
        for (int j = 0; j < m; j++)
            mean += row[j];
        mean /= m;
        float variance = 0.0f;
        for (int j = 0; j < m; j++)
            variance += (row[j] - mean) * (row[j] - mean);
        variance /= m;
        float deviation = sqrtf(variance + epsilon);
        for (int j = 0; j < m; j++)
            output[i * m + j] = (row[j] - mean) / deviation * gamma[j] + beta[j];
    }
}
