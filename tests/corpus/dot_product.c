void dotProduct_reference(float *restrict output, int n, const float *restrict xs, const float *restrict ys)
{
    float sum = 0.0f;
    #pragma omp parallel for reduction(+:sum)
    for (int i = 0; i < n; i++)
        sum += xs[i] * ys[i];
    output[0] = sum;
}
