// A Jacobi step with all 27 points, one work-item a point; beyond its border the grid goes on with it.
constant float weights[3][3][3] = {
    {{0.5f, 0.7f, 0.9f}, {1.2f, 1.5f, 1.2f}, {0.9f, 0.7f, 0.5f}},
    {{0.51f, 0.71f, 0.91f}, {1.21f, 1.51f, 1.21f}, {0.91f, 0.71f, 0.51f}},
    {{0.52f, 0.72f, 0.92f}, {1.22f, 1.52f, 1.22f}, {0.92f, 0.72f, 0.52f}},
};

__attribute__((reqd_work_group_size(32, 8, 1)))
kernel void j3d27ptItems(global float *restrict output, int n, int m, int o, const global float *restrict in) {
    int x = get_global_id(0);
    int y = get_global_id(1);
    int z = get_global_id(2);
    if (x >= o || y >= m)
        return;
    float sum = 0.0f;
    #pragma unroll
    for (int i = 0; i < 3; i++) {
        int plane = clamp(z + i - 1, 0, n - 1) * m;
        #pragma unroll
        for (int j = 0; j < 3; j++) {
            int row = (plane + clamp(y + j - 1, 0, m - 1)) * o;
            #pragma unroll
            for (int k = 0; k < 3; k++)
                sum += weights[i][j][k] * in[row + clamp(x + k - 1, 0, o - 1)];
        }
    }
    output[(z * m + y) * o + x] = sum / 159.0f;
}
