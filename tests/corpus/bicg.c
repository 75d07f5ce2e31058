void bicgS_reference(float *restrict output, int n, int m, const float *restrict a, const float *restrict r)
{
    for (int j = 0; j < m; j++)
        output[j] = 0.0f;
    #pragma omp parallel for reduction(+:output[:m])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            output[j] += r[i] * a[i * m + j];
}

void bicgQ_reference(float *restrict output, int n, int m, const float *restrict a, const float *restrict p)
{
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        float sum = 0.0f;
        for (int j = 0; j < m; j++)
            sum += a[i * m + j] * p[j];
        output[i] = sum;
    }
}
