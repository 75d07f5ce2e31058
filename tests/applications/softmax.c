#include <math.h>

void softmax_reference(float *restrict output, int n, int m, const float *restrict xs)
{
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        float largest = -3.4e38f;
        for (int j = 0; j < m; j++)
            if (xs[i * m + j] > largest)
                largest = xs[i * m + j];
        float total = 0.0f;
        for (int j = 0; j < m; j++) {
            output[i * m + j] = expf(xs[i * m + j] - largest);
            total += output[i * m + j];
        }
        for (int j = 0; j < m; j++)
            output[i * m + j] /= total;
    }
}
