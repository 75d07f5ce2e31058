// The diffusion coefficients of SRAD, one work-item a point; beyond its border the image goes on with it.
__attribute__((reqd_work_group_size(32, 8, 1)))
kernel void srad1Items(global float *restrict output, int n, int m, const global float *restrict in) {
    int x = get_global_id(0);
    int y = get_global_id(1);
    if (x >= m || y >= n)
        return;
    int west = max(x - 1, 0);
    int east = min(x + 1, m - 1);
    int north = max(y - 1, 0) * m;
    int south = min(y + 1, n - 1) * m;
    int row = y * m;
    const float q0sqr = 0.053787220269f;
    float c = in[row + x];
    float dn = in[north + x] - c;
    float ds = in[south + x] - c;
    float dw = in[row + west] - c;
    float de = in[row + east] - c;
    float g2 = (dn * dn + ds * ds + dw * dw + de * de) / (c * c);
    float l = (dn + ds + dw + de) / c;
    float spread = 1.0f + 0.25f * l;
    float qsqr = (0.5f * g2 - 0.0625f * l * l) / (spread * spread);
    float d = 1.0f / (1.0f + (qsqr - q0sqr) / (q0sqr * (1.0f + q0sqr)));
    output[row + x] = clamp(d, 0.0f, 1.0f);
}
