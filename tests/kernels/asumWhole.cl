// The whole sum of absolute values: 1024 groups of 128 items leave a number each, and one group adds these up.
// launch: asumParts local=[128] global=[131072] args=[parts:4096,n,xs]
// launch: asumRest local=[128] global=[128] args=[output,parts]
__attribute__((reqd_work_group_size(128, 1, 1)))
kernel void asumParts(global float *restrict output, int n, const global float4 *restrict xs) {
    local float sums[128];
    int item = get_local_id(0);
    float4 lanes = 0.0f;
    for (int i = get_global_id(0); i < n / 4; i += 131072)
        lanes += fabs(xs[i]);
    float sum = lanes.x + lanes.y + lanes.z + lanes.w;
    sums[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int count = 64; count > 0; count /= 2) {
        if (item < count)
            sums[item] += sums[item + count];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0)
        output[get_group_id(0)] = sums[0];
}

__attribute__((reqd_work_group_size(128, 1, 1)))
kernel void asumRest(global float *restrict output, const global float *restrict parts) {
    local float sums[128];
    int item = get_local_id(0);
    float sum = 0.0f;
    for (int i = 0; i < 8; i++)
        sum += parts[128 * i + item];
    sums[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int count = 64; count > 0; count /= 2) {
        if (item < count)
            sums[item] += sums[item + count];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0)
        output[0] = sums[0];
}
