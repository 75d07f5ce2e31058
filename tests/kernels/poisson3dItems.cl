// A step towards the solution of Poisson's equation, one work-item a point; beyond its border the grid goes on with it.
__attribute__((reqd_work_group_size(32, 8, 1)))
kernel void poisson3dItems(global float *restrict output, int n, int m, int o, const global float *restrict in) {
    int x = get_global_id(0);
    int y = get_global_id(1);
    int z = get_global_id(2);
    if (x >= o || y >= m)
        return;
    int plane = m * o;
    int x0 = max(x - 1, 0);
    int x2 = min(x + 1, o - 1);
    int y0 = max(y - 1, 0) * o;
    int y1 = y * o;
    int y2 = min(y + 1, m - 1) * o;
    const global float *above = in + max(z - 1, 0) * plane;
    const global float *here = in + z * plane;
    const global float *below = in + min(z + 1, n - 1) * plane;
    float faces = above[y1 + x] + below[y1 + x] + here[y0 + x] + here[y2 + x] + here[y1 + x0] + here[y1 + x2];
    float edges = above[y0 + x] + above[y2 + x] + above[y1 + x0] + above[y1 + x2];
    edges += here[y0 + x0] + here[y0 + x2] + here[y2 + x0] + here[y2 + x2];
    edges += below[y0 + x] + below[y2 + x] + below[y1 + x0] + below[y1 + x2];
    output[z * plane + y1 + x] = 2.666f * here[y1 + x] - 0.166f * faces - 0.0833f * edges;
}
