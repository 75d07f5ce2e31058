void spmvCsr_reference(
    float *restrict output, int n, int nnz, int m, const int *restrict offsets,
    const int *restrict columns, const float *restrict values, const float *restrict x)
{
    (void)nnz;
    (void)m;
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        float sum = 0.0f;
        for (int j = offsets[i]; j < offsets[i + 1]; j++)
            sum += values[j] * x[columns[j]];
        output[i] = sum;
    }
}
