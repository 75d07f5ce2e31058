// A Jacobi step with five points, one work-item a point; beyond its border the image goes on with it.
__attribute__((reqd_work_group_size(32, 8, 1)))
kernel void j2d5ptItems(global float *restrict output, int n, int m, const global float *restrict in) {
    int x = get_global_id(0);
    int y = get_global_id(1);
    if (x >= m || y >= n)
        return;
    int west = max(x - 1, 0);
    int east = min(x + 1, m - 1);
    int north = max(y - 1, 0) * m;
    int south = min(y + 1, n - 1) * m;
    int row = y * m;
    output[row + x] = (5.0f * in[north + x] + 12.0f * in[row + west] + 15.0f * in[row + x] + 5.0f * in[south + x]
                       + 12.0f * in[row + east])
                      / 118.0f;
}
