// An image blurred by 5 by 5 points in strips of 16 lines: a work-item goes down a column of four pixels and keeps five
// lines of it in registers.
constant float weights[5][5] = {
    {2.0f, 4.0f, 5.0f, 4.0f, 2.0f},
    {4.0f, 9.0f, 12.0f, 9.0f, 4.0f},
    {5.0f, 12.0f, 15.0f, 12.0f, 5.0f},
    {4.0f, 9.0f, 12.0f, 9.0f, 4.0f},
    {2.0f, 4.0f, 5.0f, 4.0f, 2.0f},
};

__attribute__((reqd_work_group_size(64, 2, 1)))
kernel void gaussianH200(global float4 *restrict output, int n, int m, const global float4 *restrict in) {
    int x = get_global_id(0);
    int first = 16 * get_global_id(1);
    int vectors = m / 4;
    float4 left[5], here[5], right[5];
    #pragma unroll
    for (int i = 0; i < 20; i++) {
        const global float4 *line = in + clamp(first + i - 2, 0, n - 1) * vectors;
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            left[j] = left[j + 1];
            here[j] = here[j + 1];
            right[j] = right[j + 1];
        }
        here[4] = line[x];
        left[4] = x > 0 ? line[x - 1] : here[4].xxxx;
        right[4] = x < vectors - 1 ? line[x + 1] : here[4].wwww;
        if (i < 4)
            continue;
        float4 sum = 0.0f;
        #pragma unroll
        for (int j = 0; j < 5; j++) {
            sum += weights[j][0] * (float4)(left[j].zw, here[j].xy);
            sum += weights[j][1] * (float4)(left[j].w, here[j].xyz);
            sum += weights[j][2] * here[j];
            sum += weights[j][3] * (float4)(here[j].yzw, right[j].x);
            sum += weights[j][4] * (float4)(here[j].zw, right[j].xy);
        }
        output[(first + i - 4) * vectors + x] = sum * (1.0f / 159.0f);
    }
}
