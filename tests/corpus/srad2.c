void srad2_reference(
    float *restrict output, int n, int m, float lambda,
    const float *restrict image, const float *restrict coefficients,
    const float *restrict north, const float *restrict south,
    const float *restrict west, const float *restrict east)
{
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        int below = i < n - 1 ? i + 1 : n - 1;
        for (int j = 0; j < m; j++) {
            int right = j < m - 1 ? j + 1 : m - 1;
            int p = i * m + j;
            float cn = coefficients[p];
            float cs = coefficients[below * m + j];
            float cw = coefficients[p];
            float ce = coefficients[i * m + right];
            float divergence = cn * north[p] + cs * south[p] + cw * west[p] + ce * east[p];
            output[p] = image[p] + 0.25f * lambda * divergence;
        }
    }
}
