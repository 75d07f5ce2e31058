void doitgen_reference(
    float *restrict output, int r, int q, int p, const float *restrict a, const float *restrict c4)
{
    #pragma omp parallel for
    for (int i = 0; i < r; i++) {
        for (int j = 0; j < q; j++) {
            for (int k = 0; k < p; k++) {
                float sum = 0.0f;
                for (int s = 0; s < p; s++)
                    sum += a[(i * q + j) * p + s] * c4[s * p + k];
                output[(i * q + j) * p + k] = sum;
            }
        }
    }
}
