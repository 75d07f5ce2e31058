// How often each byte occurs in parts of 65536: a work-item looks for one value in chunks in local memory.
__attribute__((reqd_work_group_size(256, 1, 1)))
kernel void histogramParts(global int *restrict output, int n, const global uchar *restrict xs) {
    local uchar numbers[1024];
    int item = get_local_id(0);
    int first = 65536 * get_group_id(0);
    int count = 0;
    for (int chunk = 0; chunk < 64; chunk++) {
        for (int i = item; i < 1024; i += 256)
            numbers[i] = xs[first + 1024 * chunk + i];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < 1024; i++)
            count += numbers[i] == item;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    output[get_global_id(0)] = count;
}
