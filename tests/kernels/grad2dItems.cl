// A point plus the reciprocal of its gradient, one work-item a point; beyond its border the image goes on with it.
__attribute__((reqd_work_group_size(32, 8, 1)))
kernel void grad2dItems(global float *restrict output, int n, int m, const global float *restrict in) {
    int x = get_global_id(0);
    int y = get_global_id(1);
    if (x >= m || y >= n)
        return;
    int west = max(x - 1, 0);
    int east = min(x + 1, m - 1);
    int north = max(y - 1, 0) * m;
    int south = min(y + 1, n - 1) * m;
    int row = y * m;
    float c = in[row + x];
    float dn = c - in[north + x];
    float dw = c - in[row + west];
    float de = c - in[row + east];
    float ds = c - in[south + x];
    output[row + x] = c + 1.0f / sqrt(0.0001f + dn * dn + dw * dw + de * de + ds * ds);
}
