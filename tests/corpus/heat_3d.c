void heat3d_reference(float *restrict output, int n, int m, int o, const float *restrict a)
{
    int row = o + 2;
    int plane = (m + 2) * row;
    #pragma omp parallel for
    for (int i = 0; i < (n + 2) * plane; i++)
        output[i] = a[i];
    #pragma omp parallel for
    for (int i = 1; i <= n; i++) {
        for (int j = 1; j <= m; j++) {
            for (int k = 1; k <= o; k++) {
                int c = i * plane + j * row + k;
                output[c] = 0.125f * (a[c + plane] - 2.0f * a[c] + a[c - plane])
                    + 0.125f * (a[c + row] - 2.0f * a[c] + a[c - row])
                    + 0.125f * (a[c + 1] - 2.0f * a[c] + a[c - 1])
                    + a[c];
            }
        }
    }
}
