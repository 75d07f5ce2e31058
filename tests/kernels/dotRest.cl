// Sums of 8192 numbers each, one a group of 64: 128 an item, then a tree in local memory.
__attribute__((reqd_work_group_size(64, 1, 1)))
kernel void dotRest(global float *restrict output, int n, const global float *restrict xs) {
    local float sums[64];
    int item = get_local_id(0);
    int start = 8192 * get_group_id(0) + item;
    float sum = 0.0f;
    for (int i = 0; i < 128; i++)
        sum += xs[start + 64 * i];
    sums[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int count = 32; count > 0; count /= 2) {
        if (item < count)
            sums[item] += sums[item + count];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0)
        output[get_group_id(0)] = sums[0];
}
