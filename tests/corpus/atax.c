void atax_reference(float *restrict output, int m, int n, const float *restrict a, const float *restrict x)
{
    for (int j = 0; j < n; j++)
        output[j] = 0.0f;
    #pragma omp parallel for reduction(+:output[:n])
    for (int i = 0; i < m; i++) {
        float ax = 0.0f;
        for (int j = 0; j < n; j++)
            ax += a[i * n + j] * x[j];
        for (int j = 0; j < n; j++)
            output[j] += a[i * n + j] * ax;
    }
}
