#include <math.h>
#include <stdlib.h>

void sobel_reference(float *restrict output, int h, int w, const float *restrict image)
{
    float *grey = malloc(sizeof(float) * h * w);
    float *smooth = malloc(sizeof(float) * h * w);

    #pragma omp parallel for
    for (int i = 0; i < h * w; i++)
        grey[i] = 0.299f * image[3 * i] + 0.587f * image[3 * i + 1] + 0.114f * image[3 * i + 2];

    #pragma omp parallel for
    for (int i = 0; i < h; i++) {
        const float *above = &grey[(i > 0 ? i - 1 : 0) * w];
        const float *row = &grey[i * w];
        const float *below = &grey[(i < h - 1 ? i + 1 : h - 1) * w];
        for (int j = 0; j < w; j++) {
            int left = j > 0 ? j - 1 : 0;
            int right = j < w - 1 ? j + 1 : w - 1;
            smooth[i * w + j] =
                0.0625f * above[left] + 0.125f * above[j] + 0.0625f * above[right]
                + 0.125f * row[left] + 0.25f * row[j] + 0.125f * row[right]
                + 0.0625f * below[left] + 0.125f * below[j] + 0.0625f * below[right];
        }
    }

    #pragma omp parallel for
    for (int i = 0; i < h; i++) {
        const float *above = &smooth[(i > 0 ? i - 1 : 0) * w];
        const float *row = &smooth[i * w];
        const float *below = &smooth[(i < h - 1 ? i + 1 : h - 1) * w];
        for (int j = 0; j < w; j++) {
            int left = j > 0 ? j - 1 : 0;
            int right = j < w - 1 ? j + 1 : w - 1;
            float dx = above[right] - above[left] + 2.0f * (row[right] - row[left])
                + below[right] - below[left];
            float dy = below[left] - above[left] + 2.0f * (below[j] - above[j])
                + below[right] - above[right];
            output[i * w + j] = sqrtf(dx * dx + dy * dy);
        }
    }

    free(smooth);
    free(grey);
}
