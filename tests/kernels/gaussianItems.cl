// An image blurred by 5 by 5 points, one work-item a point; beyond its border the image goes on with it.
constant float weights[5][5] = {
    {2.0f, 4.0f, 5.0f, 4.0f, 2.0f},
    {4.0f, 9.0f, 12.0f, 9.0f, 4.0f},
    {5.0f, 12.0f, 15.0f, 12.0f, 5.0f},
    {4.0f, 9.0f, 12.0f, 9.0f, 4.0f},
    {2.0f, 4.0f, 5.0f, 4.0f, 2.0f},
};

__attribute__((reqd_work_group_size(32, 8, 1)))
kernel void gaussianItems(global float *restrict output, int n, int m, const global float *restrict in) {
    int x = get_global_id(0);
    int y = get_global_id(1);
    if (x >= m || y >= n)
        return;
    float sum = 0.0f;
    #pragma unroll
    for (int i = 0; i < 5; i++) {
        int row = clamp(y + i - 2, 0, n - 1) * m;
        #pragma unroll
        for (int j = 0; j < 5; j++)
            sum += weights[i][j] * in[row + clamp(x + j - 2, 0, m - 1)];
    }
    output[y * m + x] = sum / 159.0f;
}
