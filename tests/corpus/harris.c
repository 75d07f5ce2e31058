#include <stdlib.h>

void harris_reference(float *restrict output, int h, int w, float kappa, const float *restrict grey)
{
    int rows = h + 2;
    int columns = w + 2;
    int stride = w + 4;
    float *ix = malloc(sizeof(float) * rows * columns);
    float *iy = malloc(sizeof(float) * rows * columns);

    #pragma omp parallel for
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++) {
            const float *a = &grey[i * stride + j];
            const float *b = a + stride;
            const float *c = b + stride;
            ix[i * columns + j] =
                (-a[0] + a[2]) / 12.0f + (-b[0] + b[2]) * (2.0f / 12.0f) + (-c[0] + c[2]) / 12.0f;
            iy[i * columns + j] =
                (-a[0] + c[0]) / 12.0f + (-a[1] + c[1]) * (2.0f / 12.0f) + (-a[2] + c[2]) / 12.0f;
        }
    }

    #pragma omp parallel for
    for (int i = 0; i < h; i++) {
        for (int j = 0; j < w; j++) {
            float xx = 0.0f;
            float xy = 0.0f;
            float yy = 0.0f;
            for (int k = 0; k < 3; k++) {
                for (int l = 0; l < 3; l++) {
                    float x = ix[(i + k) * columns + j + l];
                    float y = iy[(i + k) * columns + j + l];
                    xx += x * x;
                    xy += x * y;
                    yy += y * y;
                }
            }
            float trace = xx + yy;
            output[i * w + j] = xx * yy - xy * xy - kappa * trace * trace;
        }
    }

    free(iy);
    free(ix);
}
