// A Jacobi step with seven points, one work-item a point; beyond its border the grid goes on with it.
__attribute__((reqd_work_group_size(32, 8, 1)))
kernel void j3d7ptItems(global float *restrict output, int n, int m, int o, const global float *restrict in) {
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
    output[here] = 0.161f * in[east] + 0.162f * in[west] + 0.163f * in[south] + 0.164f * in[north] + 0.165f * in[above]
                   + 0.166f * in[below] - 1.67f * in[here];
}
