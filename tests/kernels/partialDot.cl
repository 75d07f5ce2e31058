// The dot products of chunks of 128 numbers, one a group of 64 work-items: two products an item, then a tree.
__attribute__((reqd_work_group_size(64, 1, 1)))
kernel void partialDot(global float *restrict output, int n, const global float *restrict x,
                       const global float *restrict y) {
    local float sums[64];
    int item = get_local_id(0);
    int start = 2 * get_global_id(0);
    float sum = x[start] * y[start] + x[start + 1] * y[start + 1];
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
