void gemm_reference(
    float *restrict output, int n, int m, int k, float alpha, float beta,
    const float *restrict c, const float *restrict a, const float *restrict b)
{
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++)
            output[i * m + j] = beta * c[i * m + j];
        for (int l = 0; l < k; l++)
            for (int j = 0; j < m; j++)
                output[i * m + j] += alpha * a[i * k + l] * b[l * m + j];
    }
}
