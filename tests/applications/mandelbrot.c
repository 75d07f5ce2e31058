#include <stdint.h>

void mandelbrot_reference(
    int32_t *restrict output, int h, int w, int steps, float left, float top, float size)
{
    #pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < h; i++) {
        for (int j = 0; j < w; j++) {
            float cx = left + size * j;
            float cy = top + size * i;
            float x = 0.0f;
            float y = 0.0f;
            int32_t count = 0;
            while (count < steps && x * x + y * y <= 4.0f) {
                float next = x * x - y * y + cx;
                y = 2.0f * x * y + cy;
                x = next;
                count++;
            }
            output[i * w + j] = count;
        }
    }
}
