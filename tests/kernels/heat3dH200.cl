// A step of the heat equation in strips of four planes: a work-item goes through a column of four points; what it needs
// of a plane it loads a round before.
__attribute__((reqd_work_group_size(32, 8, 1)))
kernel void heat3dH200(global float4 *restrict output, int n, int m, int o, const global float4 *restrict in) {
    int x = get_global_id(0);
    int y = get_global_id(1);
    int first = 4 * get_global_id(2);
    int vectors = o / 4;
    int plane = m * vectors;
    int at = y * vectors + x;
    int north = y > 0 ? -vectors : 0;
    int south = y < m - 1 ? vectors : 0;
    const global float4 *now = in + first * plane + at;
    float4 above = in[max(first - 1, 0) * plane + at];
    float4 here = now[0];
    float4 around = now[north] + now[south];
    float west = x > 0 ? now[-1].w : here.x;
    float east = x < vectors - 1 ? now[1].x : here.w;
    #pragma unroll
    for (int z = first; z < first + 4; z++) {
        now = in + min(z + 1, n - 1) * plane + at;
        float4 below = now[0];
        float4 next = now[north] + now[south];
        float nextWest = x > 0 ? now[-1].w : below.x;
        float nextEast = x < vectors - 1 ? now[1].x : below.w;
        around += above + below + (float4)(west, here.xyz) + (float4)(here.yzw, east);
        output[z * plane + at] = 0.25f * here + 0.125f * around;
        above = here;
        here = below;
        around = next;
        west = nextWest;
        east = nextEast;
    }
}
