#include <math.h>

void columnDeviation_reference(float *restrict output, int n, int m, const float *restrict data)
{
    #pragma omp parallel for
    for (int j = 0; j < m; j++) {
        float mean = 0.0f;
        for (int i = 0; i < n; i++)
            mean += data[i * m + j];
        mean /= n;
        float sum = 0.0f;
        for (int i = 0; i < n; i++)
            sum += (data[i * m + j] - mean) * (data[i * m + j] - mean);
        output[j] = sqrtf(sum / n);
    }
}
