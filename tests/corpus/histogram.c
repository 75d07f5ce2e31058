#include <stdint.h>

void histogram_reference(int32_t *restrict output, int n, int bins, const int *restrict values)
{
    for (int i = 0; i < bins; i++)
        output[i] = 0;
    #pragma omp parallel for reduction(+:output[:bins])
    for (int i = 0; i < n; i++)
        output[values[i]]++;
}
