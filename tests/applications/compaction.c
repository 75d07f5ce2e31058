#include <stdint.h>

void compaction_reference(float *restrict output, int n, const float *restrict xs)
{
    int kept = 0;
    for (int i = 0; i < n; i++)
        if (xs[i] > 0.0f)
            output[kept++] = xs[i];
}

void compactionCount_reference(int32_t *restrict output, int n, const float *restrict xs)
{
    int32_t count = 0;
    #pragma omp parallel for reduction(+:count)
    for (int i = 0; i < n; i++)
        count += xs[i] > 0.0f;
    output[0] = count;
}
