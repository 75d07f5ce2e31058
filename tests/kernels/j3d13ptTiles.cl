// A Jacobi step with thirteen points, in tiles of 4 by 8 by 32 that are loaded into local memory with their borders.
__attribute__((reqd_work_group_size(32, 8, 1)))
kernel void j3d13ptTiles(global float *restrict output, int n, int m, int o, const global float *restrict in) {
    local float tile[8][12][36];
    int x = get_local_id(0);
    int y = get_local_id(1);
    int left = 32 * get_group_id(0);
    int top = 8 * get_group_id(1);
    int first = 4 * get_group_id(2);
    for (int i = 0; i < 8; i++) {
        int plane = clamp(first + i - 2, 0, n - 1) * m;
        for (int j = y; j < 12; j += 8) {
            int row = (plane + clamp(top + j - 2, 0, m - 1)) * o;
            for (int k = x; k < 36; k += 32)
                tile[i][j][k] = in[row + clamp(left + k - 2, 0, o - 1)];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int z = 0; z < 4; z++) {
        const local float *row = tile[z + 2][y + 2];
        float sum = row[x] + row[x + 1] + row[x + 3] + row[x + 4];
        sum += tile[z + 2][y][x + 2] + tile[z + 2][y + 1][x + 2] + tile[z + 2][y + 3][x + 2] + tile[z + 2][y + 4][x + 2];
        sum += tile[z][y + 2][x + 2] + tile[z + 1][y + 2][x + 2] + tile[z + 3][y + 2][x + 2] + tile[z + 4][y + 2][x + 2];
        output[((first + z) * m + top + y) * o + left + x] = 0.083f * sum - 0.996f * row[x + 2];
    }
}
