// A Jacobi step with nine points, in tiles of 16 by 32 that are loaded into local memory with their borders.
__attribute__((reqd_work_group_size(32, 8, 1)))
kernel void j2d9ptTiles(global float *restrict output, int n, int m, const global float *restrict in) {
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
        float sum = 7.0f * tile[y][x] + 5.0f * tile[y][x + 1] + 9.0f * tile[y][x + 2];
        sum += 12.0f * tile[y + 1][x] + 15.0f * tile[y + 1][x + 1] + 12.0f * tile[y + 1][x + 2];
        sum += 9.0f * tile[y + 2][x] + 5.0f * tile[y + 2][x + 1] + 7.0f * tile[y + 2][x + 2];
        output[(top + y) * m + left + x] = sum / 118.0f;
    }
}
