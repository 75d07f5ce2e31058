// The diffusion coefficients of SRAD, in tiles of 16 by 32 that are loaded into local memory with their borders.
__attribute__((reqd_work_group_size(32, 8, 1)))
kernel void srad1Tiles(global float *restrict output, int n, int m, const global float *restrict in) {
    local float tile[18][34];
    int x = get_local_id(0);
    int left = 32 * get_group_id(0);
    int top = 16 * get_group_id(1);
    for (int i = get_local_id(1); i < 18; i += 8) {
        int row = clamp(top + i - 1, 0, n - 1) * m;
        for (int j = x; j < 34; j += 32)
            tile[i][j] = in[row + clamp(left + j - 1, 0, m - 1)];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int y = get_local_id(1); y < 16; y += 8) {
        const float q0sqr = 0.053787220269f;
        float c = tile[y + 1][x + 1];
        float dn = tile[y][x + 1] - c;
        float ds = tile[y + 2][x + 1] - c;
        float dw = tile[y + 1][x] - c;
        float de = tile[y + 1][x + 2] - c;
        float g2 = (dn * dn + ds * ds + dw * dw + de * de) / (c * c);
        float l = (dn + ds + dw + de) / c;
        float spread = 1.0f + 0.25f * l;
        float qsqr = (0.5f * g2 - 0.0625f * l * l) / (spread * spread);
        float d = 1.0f / (1.0f + (qsqr - q0sqr) / (q0sqr * (1.0f + q0sqr)));
        output[(top + y) * m + left + x] = clamp(d, 0.0f, 1.0f);
    }
}
