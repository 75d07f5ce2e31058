void trmm_reference(
    float *restrict output, int m, int n, float alpha, const float *restrict a, const float *restrict b)
{
    #pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            float sum = b[i * n + j];
            for (int k = i + 1; k < m; k++)
                sum += a[k * m + i] * b[k * n + j];
            output[i * n + j] = alpha * sum;
        }
    }
}
