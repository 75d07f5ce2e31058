#include <stdlib.h>

static int clamp(int i, int n)
{
    return i < 0 ? 0 : i > n - 1 ? n - 1 : i;
}

void unsharpMask_reference(
    float *restrict output, int h, int w, float amount,
    const float *restrict weights, const float *restrict image)
{
    float *columns = malloc(sizeof(float) * h * w);

    #pragma omp parallel for
    for (int i = 0; i < h; i++) {
        for (int j = 0; j < w; j++)
            columns[i * w + j] = 0.0f;
        for (int k = 0; k < 5; k++) {
            const float *row = &image[clamp(i + k - 2, h) * w];
            for (int j = 0; j < w; j++)
                columns[i * w + j] += weights[k] * row[j];
        }
    }

    #pragma omp parallel for
    for (int i = 0; i < h; i++) {
        for (int j = 0; j < w; j++) {
            float soft = 0.0f;
            for (int k = 0; k < 5; k++)
                soft += weights[k] * columns[i * w + clamp(j + k - 2, w)];
            output[i * w + j] = image[i * w + j] + amount * (image[i * w + j] - soft);
        }
    }

    free(columns);
}
