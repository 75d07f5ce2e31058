// A Jacobi step with all 27 points in columns of 32 points: a work-item keeps three by three by three points in
// registers.
constant float weights[3][3][3] = {
    {{0.5f, 0.7f, 0.9f}, {1.2f, 1.5f, 1.2f}, {0.9f, 0.7f, 0.5f}},
    {{0.51f, 0.71f, 0.91f}, {1.21f, 1.51f, 1.21f}, {0.91f, 0.71f, 0.51f}},
    {{0.52f, 0.72f, 0.92f}, {1.22f, 1.52f, 1.22f}, {0.92f, 0.72f, 0.52f}},
};

__attribute__((reqd_work_group_size(32, 8, 1)))
kernel void j3d27ptColumns(global float *restrict output, int n, int m, int o, const global float *restrict in) {
    int x = get_global_id(0);
    int y = get_global_id(1);
    int first = 32 * get_global_id(2);
    if (x >= o || y >= m)
        return;
    int columns[3] = {max(x - 1, 0), x, min(x + 1, o - 1)};
    int rows[3] = {max(y - 1, 0) * o, y * o, min(y + 1, m - 1) * o};
    float window[3][3][3];
    #pragma unroll
    for (int i = 0; i < 2; i++)
        #pragma unroll
        for (int j = 0; j < 3; j++)
            #pragma unroll
            for (int k = 0; k < 3; k++)
                window[i][j][k] = in[max(first + i - 1, 0) * m * o + rows[j] + columns[k]];
    for (int z = first; z < first + 32; z++) {
        float sum = 0.0f;
        #pragma unroll
        for (int j = 0; j < 3; j++)
            #pragma unroll
            for (int k = 0; k < 3; k++)
                window[2][j][k] = in[min(z + 1, n - 1) * m * o + rows[j] + columns[k]];
        #pragma unroll
        for (int i = 0; i < 3; i++)
            #pragma unroll
            for (int j = 0; j < 3; j++)
                #pragma unroll
                for (int k = 0; k < 3; k++)
                    sum += weights[i][j][k] * window[i][j][k];
        output[z * m * o + rows[1] + x] = sum / 159.0f;
        #pragma unroll
        for (int j = 0; j < 3; j++)
            #pragma unroll
            for (int k = 0; k < 3; k++) {
                window[0][j][k] = window[1][j][k];
                window[1][j][k] = window[2][j][k];
            }
    }
}
