// How often each number below 16 occurs among 256 numbers of each work-item, with all counts in registers.
__attribute__((reqd_work_group_size(128, 1, 1)))
kernel void histogramItems(global int *restrict output, int n, const global uchar *restrict xs) {
    int first = 32768 * get_group_id(0) + get_local_id(0);
    int counts[16];
    #pragma unroll
    for (int value = 0; value < 16; value++)
        counts[value] = 0;
    for (int i = 0; i < 256; i++) {
        uchar x = xs[first + 128 * i];
        #pragma unroll
        for (int value = 0; value < 16; value++)
            counts[value] += x == value;
    }
    #pragma unroll
    for (int value = 0; value < 16; value++)
        output[16 * get_global_id(0) + value] = counts[value];
}
