void syrk_reference(
    float *restrict output, int n, int m, float alpha, float beta,
    const float *restrict c, const float *restrict a)
{
    #pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++)
            output[i * n + j] = beta * c[i * n + j];
        for (int k = 0; k < m; k++)
            for (int j = 0; j <= i; j++)
                output[i * n + j] += alpha * a[i * m + k] * a[j * m + k];
        for (int j = i + 1; j < n; j++)
            output[i * n + j] = c[i * n + j];
    }
}
