// How often each byte occurs: counts of parts of 65536, then their sums, one work-item a value.
// launch: histogramCounts local=[256] global=[n/256] args=[parts:n/64,n,xs]
// launch: histogramSums local=[32] global=[256] args=[output,n,parts]
__attribute__((reqd_work_group_size(256, 1, 1)))
kernel void histogramCounts(global int *restrict output, int n, const global uchar *restrict xs) {
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

__attribute__((reqd_work_group_size(32, 1, 1)))
kernel void histogramSums(global int *restrict output, int n, const global int *restrict parts) {
    int value = get_global_id(0);
    int count = 0;
    for (int i = 0; i < n / 65536; i++)
        count += parts[256 * i + value];
    output[value] = count;
}
