// A point plus the reciprocal of its gradient, in tiles of 16 by 32 that are loaded into local memory with their borders.
__attribute__((reqd_work_group_size(32, 8, 1)))
kernel void grad2dTiles(global float *restrict output, int n, int m, const global float *restrict in) {
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
        float c = tile[y + 1][x + 1];
        float dn = c - tile[y][x + 1];
        float dw = c - tile[y + 1][x];
        float de = c - tile[y + 1][x + 2];
        float ds = c - tile[y + 2][x + 1];
        output[(top + y) * m + left + x] = c + 1.0f / sqrt(0.0001f + dn * dn + dw * dw + de * de + ds * ds);
    }
}
