// An image blurred by 5 by 5 points, in tiles of 16 by 32 that are loaded into local memory with their borders.
constant float weights[5][5] = {
    {2.0f, 4.0f, 5.0f, 4.0f, 2.0f},
    {4.0f, 9.0f, 12.0f, 9.0f, 4.0f},
    {5.0f, 12.0f, 15.0f, 12.0f, 5.0f},
    {4.0f, 9.0f, 12.0f, 9.0f, 4.0f},
    {2.0f, 4.0f, 5.0f, 4.0f, 2.0f},
};

__attribute__((reqd_work_group_size(32, 8, 1)))
kernel void gaussianTiles(global float *restrict output, int n, int m, const global float *restrict in) {
    local float tile[20][36];
    int x = get_local_id(0);
    int left = 32 * get_group_id(0);
    int top = 16 * get_group_id(1);
    for (int i = get_local_id(1); i < 20; i += 8) {
        int row = clamp(top + i - 2, 0, n - 1) * m;
        for (int j = x; j < 36; j += 32)
            tile[i][j] = in[row + clamp(left + j - 2, 0, m - 1)];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int y = get_local_id(1); y < 16; y += 8) {
        float sum = 0.0f;
        #pragma unroll
        for (int i = 0; i < 5; i++)
            #pragma unroll
            for (int j = 0; j < 5; j++)
                sum += weights[i][j] * tile[y + i][x + j];
        output[(top + y) * m + left + x] = sum / 159.0f;
    }
}
