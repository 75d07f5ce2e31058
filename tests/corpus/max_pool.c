static float larger(float a, float b)
{
    return a > b ? a : b;
}

void maxPool_reference(float *restrict output, int c, int h, int w, const float *restrict image)
{
    #pragma omp parallel for
    for (int k = 0; k < c; k++) {
        for (int i = 0; i < h; i++) {
            const float *upper = &image[(k * h + i) * 4 * w];
            const float *lower = upper + 2 * w;
            for (int j = 0; j < w; j++)
                output[(k * h + i) * w + j] = larger(
                    larger(upper[2 * j], upper[2 * j + 1]), larger(lower[2 * j], lower[2 * j + 1]));
        }
    }
}
