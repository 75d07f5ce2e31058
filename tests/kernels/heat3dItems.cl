// A step of the heat equation, one work-item a point; beyond its border the grid goes on with it.
__attribute__((reqd_work_group_size(32, 8, 1)))
kernel void heat3dItems(global float *restrict output, int n, int m, int o, const global float *restrict in) {
    int x = get_global_id(0);
    int y = get_global_id(1);
    int z = get_global_id(2);
    if (x >= o || y >= m)
        return;
    int plane = m * o;
    int here = z * plane + y * o + x;
    int west = x > 0 ? here - 1 : here;
    int east = x < o - 1 ? here + 1 : here;
    int north = y > 0 ? here - o : here;
    int south = y < m - 1 ? here + o : here;
    int above = z > 0 ? here - plane : here;
    int below = z < n - 1 ? here + plane : here;
    float c = in[here];
    output[here] = 0.125f * (in[above] - 2.0f * c + in[below]) + 0.125f * (in[north] - 2.0f * c + in[south])
                   + 0.125f * (in[west] - 2.0f * c + in[east]) + c;
}
