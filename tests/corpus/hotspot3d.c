void hotspot3d_reference(
    float *restrict output, int l, int n, int m,
    float cc, float cn, float cs, float ce, float cw, float ct, float cb, float step, float ambient,
    const float *restrict temperature, const float *restrict power)
{
    #pragma omp parallel for
    for (int z = 0; z < l; z++) {
        for (int y = 0; y < n; y++) {
            for (int x = 0; x < m; x++) {
                int c = (z * n + y) * m + x;
                int west = x == 0 ? c : c - 1;
                int east = x == m - 1 ? c : c + 1;
                int north = y == 0 ? c : c - m;
                int south = y == n - 1 ? c : c + m;
                int bottom = z == 0 ? c : c - n * m;
                int top = z == l - 1 ? c : c + n * m;
                output[c] = cc * temperature[c]
                    + cn * temperature[north] + cs * temperature[south]
                    + ce * temperature[east] + cw * temperature[west]
                    + ct * temperature[top] + cb * temperature[bottom]
                    + step * power[c] + ct * ambient;
            }
        }
    }
}
