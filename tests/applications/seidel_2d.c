#include <string.h>

void seidel2d_reference(float *restrict output, int n, int m, int steps, const float *restrict a)
{
    int w = m + 2;
    memcpy(output, a, sizeof(float) * (n + 2) * w);
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i <= n; i++) {
            float *above = &output[(i - 1) * w];
            float *row = &output[i * w];
            float *below = &output[(i + 1) * w];
            for (int j = 1; j <= m; j++)
                row[j] = (above[j - 1] + above[j] + above[j + 1] + row[j - 1] + row[j] + row[j + 1]
                    + below[j - 1] + below[j] + below[j + 1]) / 9.0f;
        }
    }
}
