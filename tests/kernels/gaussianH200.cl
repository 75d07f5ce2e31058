// An image blurred by 5 by 5 points in blocks of four by four pixels, one a work-item. Lines of the same weights are
// added first.
constant float weights[3][5] = {
    {2.0f, 4.0f, 5.0f, 4.0f, 2.0f},
    {4.0f, 9.0f, 12.0f, 9.0f, 4.0f},
    {5.0f, 12.0f, 15.0f, 12.0f, 5.0f},
};

float4 weightedLine(constant float *w, float4 left, float4 here, float4 right) {
    return w[0] * (float4)(left.zw, here.xy) + w[1] * (float4)(left.w, here.xyz) + w[2] * here
           + w[3] * (float4)(here.yzw, right.x) + w[4] * (float4)(here.zw, right.xy);
}

__attribute__((reqd_work_group_size(64, 2, 1)))
kernel void gaussianH200(global float4 *restrict output, int n, int m, const global float4 *restrict in) {
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
        int a = i + 1, b = i + 2, c = i + 3, d = i + 4;
        float4 sum = weightedLine(weights[0], left[i] + left[d], here[i] + here[d], right[i] + right[d]);
        sum += weightedLine(weights[1], left[a] + left[c], here[a] + here[c], right[a] + right[c]);
        sum += weightedLine(weights[2], left[b], here[b], right[b]);
        output[(first + i) * vectors + x] = sum * (1.0f / 159.0f);
    }
}
