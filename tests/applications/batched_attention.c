#include <math.h>
#include <stdlib.h>

void batchedAttention_reference(
    float *restrict output, int b, int h, int n, int d,
    const float *restrict queries, const float *restrict keys, const float *restrict values)
{
    float scale = sqrtf(d);

    #pragma omp parallel for collapse(2)
    for (int head = 0; head < b * h; head++) {
        for (int i = 0; i < n; i++) {
            const float *query = &queries[(head * n + i) * d];
            float *result = &output[(head * n + i) * d];
            float *weights = malloc(sizeof(float) * n);
            float largest = -3.4e38f;
            for (int j = 0; j < n; j++) {
                const float *key = &keys[(head * n + j) * d];
                float score = 0.0f;
                for (int k = 0; k < d; k++)
                    score += query[k] * key[k];
                weights[j] = score / scale;
                if (weights[j] > largest)
                    largest = weights[j];
            }

            float total = 0.0f;
            for (int j = 0; j < n; j++) {
                weights[j] = expf(weights[j] - largest);
                total += weights[j];
            }
            for (int j = 0; j < n; j++)
                weights[j] /= total;

            for (int k = 0; k < d; k++)
                result[k] = 0.0f;
            for (int j = 0; j < n; j++) {
                const float *value = &values[(head * n + j) * d];
                for (int k = 0; k < d; k++)
                    result[k] += weights[j] * value[k];
            }

            free(weights);
        }
    }
}
