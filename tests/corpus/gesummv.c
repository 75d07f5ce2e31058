void gesummv_reference(
    float *restrict output, int n, float alpha, float beta,
    const float *restrict a, const float *restrict b, const float *restrict x)
{
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        float ax = 0.0f;
        float bx = 0.0f;
        for (int j = 0; j < n; j++) {
            ax += a[i * n + j] * x[j];
            bx += b[i * n + j] * x[j];
        }
        output[i] = alpha * ax + beta * bx;
    }
}
