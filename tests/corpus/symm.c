void symm_reference(
    float *restrict output, int m, int n, float alpha, float beta,
    const float *restrict c, const float *restrict a, const float *restrict b)
{
    for (int i = 0; i < m; i++) {
        #pragma omp parallel for
        for (int j = 0; j < n; j++) {
            float sum = 0.0f;
            for (int k = 0; k < i; k++) {
                output[k * n + j] += alpha * b[i * n + j] * a[i * m + k];
                sum += b[k * n + j] * a[i * m + k];
            }
            output[i * n + j] = beta * c[i * n + j] + alpha * b[i * n + j] * a[i * m + i] + alpha * sum;
        }
    }
}
