// A Jacobi step with thirteen points, one work-item a point; beyond its border the grid goes on with it.
__attribute__((reqd_work_group_size(32, 8, 1)))
kernel void j3d13ptItems(global float *restrict output, int n, int m, int o, const global float *restrict in) {
    int x = get_global_id(0);
    int y = get_global_id(1);
    int z = get_global_id(2);
    if (x >= o || y >= m)
        return;
    int plane = m * o;
    int row = z * plane + y * o;
    int column = y * o + x;
    int line = z * plane + x;
    float sum = in[row + max(x - 2, 0)] + in[row + max(x - 1, 0)];
    sum += in[row + min(x + 1, o - 1)] + in[row + min(x + 2, o - 1)];
    sum += in[line + max(y - 2, 0) * o] + in[line + max(y - 1, 0) * o];
    sum += in[line + min(y + 1, m - 1) * o] + in[line + min(y + 2, m - 1) * o];
    sum += in[column + max(z - 2, 0) * plane] + in[column + max(z - 1, 0) * plane];
    sum += in[column + min(z + 1, n - 1) * plane] + in[column + min(z + 2, n - 1) * plane];
    output[row + x] = 0.083f * sum - 0.996f * in[row + x];
}
