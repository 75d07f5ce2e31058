// A Jacobi step with nine points, one work-item a point; beyond its border the image goes on with it.
__attribute__((reqd_work_group_size(32, 8, 1)))
kernel void j2d9ptItems(global float *restrict output, int n, int m, const global float *restrict in) {
    int x = get_global_id(0);
    int y = get_global_id(1);
    if (x >= m || y >= n)
        return;
    int west = max(x - 1, 0);
    int east = min(x + 1, m - 1);
    int north = max(y - 1, 0) * m;
    int south = min(y + 1, n - 1) * m;
    int row = y * m;
    float sum = 7.0f * in[north + west] + 5.0f * in[north + x] + 9.0f * in[north + east];
    sum += 12.0f * in[row + west] + 15.0f * in[row + x] + 12.0f * in[row + east];
    sum += 9.0f * in[south + west] + 5.0f * in[south + x] + 7.0f * in[south + east];
    output[row + x] = sum / 118.0f;
}
