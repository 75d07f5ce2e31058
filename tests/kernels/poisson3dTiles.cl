// A step towards the solution of Poisson's equation, in tiles of 4 by 8 by 32 that are loaded into local memory with their borders.
__attribute__((reqd_work_group_size(32, 8, 1)))
kernel void poisson3dTiles(global float *restrict output, int n, int m, int o, const global float *restrict in) {
    local float tile[6][10][34];
    int x = get_local_id(0);
    int y = get_local_id(1);
    int left = 32 * get_group_id(0);
    int top = 8 * get_group_id(1);
    int first = 4 * get_group_id(2);
    for (int i = 0; i < 6; i++) {
        int plane = clamp(first + i - 1, 0, n - 1) * m;
        for (int j = y; j < 10; j += 8) {
            int row = (plane + clamp(top + j - 1, 0, m - 1)) * o;
            for (int k = x; k < 34; k += 32)
                tile[i][j][k] = in[row + clamp(left + k - 1, 0, o - 1)];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int z = 0; z < 4; z++) {
        float faces = tile[z][y + 1][x + 1] + tile[z + 2][y + 1][x + 1];
        faces += tile[z + 1][y][x + 1] + tile[z + 1][y + 2][x + 1];
        faces += tile[z + 1][y + 1][x] + tile[z + 1][y + 1][x + 2];
        float edges = tile[z][y][x + 1] + tile[z][y + 2][x + 1] + tile[z][y + 1][x] + tile[z][y + 1][x + 2];
        edges += tile[z + 1][y][x] + tile[z + 1][y][x + 2] + tile[z + 1][y + 2][x] + tile[z + 1][y + 2][x + 2];
        edges += tile[z + 2][y][x + 1] + tile[z + 2][y + 2][x + 1] + tile[z + 2][y + 1][x] + tile[z + 2][y + 1][x + 2];
        output[((first + z) * m + top + y) * o + left + x] =
            2.666f * tile[z + 1][y + 1][x + 1] - 0.166f * faces - 0.0833f * edges;
    }
}
