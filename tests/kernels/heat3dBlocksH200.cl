// A step of the heat equation in blocks of four planes and four points, one a work-item.
__attribute__((reqd_work_group_size(32, 8, 1)))
kernel void heat3dBlocksH200(global float4 *restrict output, int n, int m, int o, const global float4 *restrict in) {
    int x = get_global_id(0);
    int y = get_global_id(1);
    int first = 4 * get_global_id(2);
    int vectors = o / 4;
    int plane = m * vectors;
    int at = y * vectors + x;
    int north = y > 0 ? -vectors : 0;
    int south = y < m - 1 ? vectors : 0;
    float4 here[6];
    #pragma unroll
    for (int i = 0; i < 6; i++)
        here[i] = in[clamp(first + i - 1, 0, n - 1) * plane + at];
    #pragma unroll
    for (int i = 1; i < 5; i++) {
        const global float4 *now = in + (first + i - 1) * plane + at;
        float west = x > 0 ? now[-1].w : here[i].x;
        float east = x < vectors - 1 ? now[1].x : here[i].w;
        float4 around = here[i - 1] + here[i + 1] + now[north] + now[south];
        around += (float4)(west, here[i].xyz) + (float4)(here[i].yzw, east);
        output[(first + i - 1) * plane + at] = 0.25f * here[i] + 0.125f * around;
    }
}
