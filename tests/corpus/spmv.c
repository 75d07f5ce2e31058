void spmv_reference(
    float *restrict output, int n, int k, int m,
    const float *restrict values, const int *restrict columns, const float *restrict x)
{
    (void)m;
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        float sum = 0.0f;
        for (int j = 0; j < k; j++)
            sum += values[i * k + j] * x[columns[i * k + j]];
        output[i] = sum;
    }
}
