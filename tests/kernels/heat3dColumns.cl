// A step of the heat equation in columns of 32 points: a work-item keeps the points above and below in registers.
__attribute__((reqd_work_group_size(32, 8, 1)))
kernel void heat3dColumns(global float *restrict output, int n, int m, int o, const global float *restrict in) {
    int x = get_global_id(0);
    int y = get_global_id(1);
    int first = 32 * get_global_id(2);
    if (x >= o || y >= m)
        return;
    int plane = m * o;
    int here = y * o + x;
    int west = x > 0 ? here - 1 : here;
    int east = x < o - 1 ? here + 1 : here;
    int north = y > 0 ? here - o : here;
    int south = y < m - 1 ? here + o : here;
    float above = in[max(first - 1, 0) * plane + here];
    float c = in[first * plane + here];
    for (int z = first; z < first + 32; z++) {
        const global float *now = in + z * plane;
        float below = in[min(z + 1, n - 1) * plane + here];
        output[z * plane + here] = 0.125f * (above - 2.0f * c + below) + 0.125f * (now[north] - 2.0f * c + now[south])
                                   + 0.125f * (now[west] - 2.0f * c + now[east]) + c;
        above = c;
        c = below;
    }
}
