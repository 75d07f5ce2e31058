#include <stdlib.h>

void bellmanFord_reference(
    float *restrict output, int n, int k, int source, const int *restrict origins,
    const float *restrict lengths)
{
    float *distances = malloc(sizeof(float) * n);
    for (int v = 0; v < n; v++)
        output[v] = v == source ? 0.0f : 1.0e30f;

    for (int round = 0; round < n; round++) {
        #pragma omp parallel for
        for (int v = 0; v < n; v++)
            distances[v] = output[v];
        #pragma omp parallel for
        for (int v = 0; v < n; v++) {
            float shortest = distances[v];
            for (int e = v * k; e < (v + 1) * k; e++) {
                float length = distances[origins[e]] + lengths[e];
                shortest = length < shortest ? length : shortest;
            }
            output[v] = shortest;
        }
    }

    free(distances);
}
