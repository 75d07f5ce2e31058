void normalizedProduct_reference(float *restrict output, int n, int m, int k, const float *restrict a, const float *restrict b)
{
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        float total = 0.0f;
        for (int j = 0; j < m; j++)
            total += a[i * m + j];
        for (int l = 0; l < k; l++) {
            float sum = 0.0f;
            for (int j = 0; j < m; j++)
                sum += a[i * m + j] * b[j * k + l];
            output[i * k + l] = sum / total;
        }
    }
}
