// An image blurred by 5 by 5 points in blocks of four by four pixels, one a work-item.
constant float weights[5][5] = {
    {2.0f, 4.0f, 5.0f, 4.0f, 2.0f},
    {4.0f, 9.0f, 12.0f, 9.0f, 4.0f},
    {5.0f, 12.0f, 15.0f, 12.0f, 5.0f},
    {4.0f, 9.0f, 12.0f, 9.0f, 4.0f},
    {2.0f, 4.0f, 5.0f, 4.0f, 2.0f},
};

__attribute__((reqd_work_group_size(64, 2, 1)))
kernel void gaussianBlocksH200(global float4 *restrict output, int n, int m, const global float4 *restrict in) {
    int x = get_global_id(0);
    int first = 4 * get_global_id(1);
    int vectors = m / 4;
    float4 left[8], here[8], right[8];
    #pragma unroll
    for (int i = 0; i < 8; i++) {
        const global float4 *line = in + clamp(first + i - 2, 0, n - 1) * vectors;
        here[i] = line[x];
        left[i] = x > 0 ? line[x - 1] : here[i].xxxx;
        right[i] = x < vectors - 1 ? line[x + 1] : here[i].wwww;
    }
    #pragma unroll
    for (int i = 0; i < 4; i++) {
        float4 sum = 0.0f;
        #pragma unroll
        for (int j = 0; j < 5; j++) {
            int k = i + j;
            sum += weights[j][0] * (float4)(left[k].zw, here[k].xy);
            sum += weights[j][1] * (float4)(left[k].w, here[k].xyz);
            sum += weights[j][2] * here[k];
            sum += weights[j][3] * (float4)(here[k].yzw, right[k].x);
            sum += weights[j][4] * (float4)(here[k].zw, right[k].xy);
        }
        output[(first + i) * vectors + x] = sum * (1.0f / 159.0f);
    }
}
