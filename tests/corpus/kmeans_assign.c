#include <stdint.h>

void kmeansAssign_reference(
    int32_t *restrict output, int n, int k, int f,
    const float *restrict points, const float *restrict centres)
{
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        float nearest = 3.4e38f;
        output[i] = 0;
        for (int j = 0; j < k; j++) {
            float distance = 0.0f;
            for (int l = 0; l < f; l++) {
                float difference = points[i * f + l] - centres[j * f + l];
                distance += difference * difference;
            }
            if (distance < nearest) {
                nearest = distance;
                output[i] = j;
            }
        }
    }
}
