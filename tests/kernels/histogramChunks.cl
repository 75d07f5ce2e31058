// How often each byte occurs in chunks of 4096: a work-item looks for one value in a chunk in local memory.
__attribute__((reqd_work_group_size(256, 1, 1)))
kernel void histogramChunks(global int *restrict output, int n, const global uchar *restrict xs) {
    local uchar numbers[4096];
    int item = get_local_id(0);
    int first = 4096 * get_group_id(0);
    for (int i = item; i < 4096; i += 256)
        numbers[i] = xs[first + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    int count = 0;
    for (int i = 0; i < 4096; i++)
        count += numbers[i] == item;
    output[get_global_id(0)] = count;
}
