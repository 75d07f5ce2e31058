// A Jacobi step with all 27 points, in tiles of 4 by 8 by 32 that are loaded into local memory with their borders.
constant float weights[3][3][3] = {
    {{0.5f, 0.7f, 0.9f}, {1.2f, 1.5f, 1.2f}, {0.9f, 0.7f, 0.5f}},
    {{0.51f, 0.71f, 0.91f}, {1.21f, 1.51f, 1.21f}, {0.91f, 0.71f, 0.51f}},
    {{0.52f, 0.72f, 0.92f}, {1.22f, 1.52f, 1.22f}, {0.92f, 0.72f, 0.52f}},
};

__attribute__((reqd_work_group_size(32, 8, 1)))
kernel void j3d27ptTiles(global float *restrict output, int n, int m, int o, const global float *restrict in) {
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
        float sum = 0.0f;
        #pragma unroll
        for (int i = 0; i < 3; i++)
            #pragma unroll
            for (int j = 0; j < 3; j++)
                #pragma unroll
                for (int k = 0; k < 3; k++)
                    sum += weights[i][j][k] * tile[z + i][y + j][x + k];
        output[((first + z) * m + top + y) * o + left + x] = sum / 159.0f;
    }
}
