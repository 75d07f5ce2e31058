void stencil2d_reference(
    float *restrict output, int n, int m, float centre, float cardinal, float diagonal,
    const float *restrict grid)
{
    int w = m + 2;
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            const float *p = &grid[(i + 1) * w + j + 1];
            output[i * m + j] = centre * p[0]
                + cardinal * (p[-w] + p[w] + p[-1] + p[1])
                + diagonal * (p[-w - 1] + p[-w + 1] + p[w - 1] + p[w + 1]);
        }
    }
}
