typedef struct { float _1; float _2; } pair_f32_f32;

void mvt_reference(
    pair_f32_f32 *restrict output, int n, const float *restrict x1, const float *restrict x2,
    const float *restrict y1, const float *restrict y2, const float *restrict a)
{
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        float sum = x1[i];
        for (int j = 0; j < n; j++)
            sum += a[i * n + j] * y1[j];
        output[i]._1 = sum;
    }
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        float sum = x2[i];
        for (int j = 0; j < n; j++)
            sum += a[j * n + i] * y2[j];
        output[i]._2 = sum;
    }
}
