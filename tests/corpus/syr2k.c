void syr2k_reference(
    float *restrict output, int n, int m, float alpha, float beta,
    const float *restrict c, const float *restrict a, const float *restrict b)
{
    #pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++)
            output[i * n + j] = beta * c[i * n + j];
        for (int k = 0; k < m; k++)
            for (int j = 0; j <= i; j++)
                output[i * n + j] +=
                    a[j * m + k] * alpha * b[i * m + k] + b[j * m + k] * alpha * a[i * m + k];
        for (int j = i + 1; j < n; j++)
            output[i * n + j] = c[i * n + j];
    }
}
