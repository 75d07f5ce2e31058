void hotspot2d_reference(
    float *restrict output, int n, int m, float step, float rx, float ry, float rz, float ambient,
    const float *restrict temperature, const float *restrict power)
{
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        int above = i > 0 ? i - 1 : 0;
        int below = i < n - 1 ? i + 1 : n - 1;
        for (int j = 0; j < m; j++) {
            int left = j > 0 ? j - 1 : 0;
            int right = j < m - 1 ? j + 1 : m - 1;
            float centre = temperature[i * m + j];
            float north = temperature[above * m + j];
            float south = temperature[below * m + j];
            float west = temperature[i * m + left];
            float east = temperature[i * m + right];
            output[i * m + j] = centre + step * (power[i * m + j]
                + (south + north - 2.0f * centre) / ry
                + (east + west - 2.0f * centre) / rx
                + (ambient - centre) / rz);
        }
    }
}
