// Sums of the absolute values of 128 vectors each, lane by lane, side by side.
__attribute__((reqd_work_group_size(32, 1, 1)))
kernel void asumIntel(global float4 *restrict output, int n, const global float4 *restrict xs) {
    int start = 128 * get_global_id(0);
    float4 sum = 0.0f;
    for (int i = 0; i < 128; i++)
        sum += fabs(xs[start + i]);
    output[get_global_id(0)] = sum;
}
