#include <math.h>
#include <stdlib.h>

void attention_reference(
    float *restrict output, int n, int m, int d, int e,
    const float *restrict queries, const float *restrict keys, const float *restrict values)
{
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        float *weights = malloc(sizeof(float) * m);
        float largest = -3.4e38f;
        for (int j = 0; j < m; j++) {
            float score = 0.0f;
            for (int k = 0; k < d; k++)
                score += queries[i * d + k] * keys[j * d + k];
            weights[j] = score / sqrtf(d);
            if (weights[j] > largest)
                largest = weights[j];
        }

        float total = 0.0f;
        for (int j = 0; j < m; j++) {
            weights[j] = expf(weights[j] - largest);
            total += weights[j];
        }
        for (int j = 0; j < m; j++)
            weights[j] /= total;

        for (int k = 0; k < e; k++)
            output[i * e + k] = 0.0f;
        for (int j = 0; j < m; j++)
            for (int k = 0; k < e; k++)
                output[i * e + k] += weights[j] * values[j * e + k];

        free(weights);
    }
}
