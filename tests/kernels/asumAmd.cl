// Sums of the absolute values of 2048 pairs each, half by half; the items of a group take every 64th pair.
__attribute__((reqd_work_group_size(64, 1, 1)))
kernel void asumAmd(global float2 *restrict output, int n, const global float2 *restrict xs) {
    int start = 2048 * 64 * get_group_id(0) + get_local_id(0);
    float2 sum = 0.0f;
    for (int i = 0; i < 2048; i++)
        sum += fabs(xs[start + 64 * i]);
    output[get_global_id(0)] = sum;
}
