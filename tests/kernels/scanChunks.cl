// The running totals of chunks of 1024 numbers, one a group of 128 work-items.
// The running total of one number of each of 128 items: every round adds the one 1, 2, 4, … items before.
int totalOfGroup(int x, local int *totals) {
    int item = get_local_id(0);
    totals[item] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 1; d < 128; d *= 2) {
        int before = item >= d ? totals[item - d] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        totals[item] += before;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return totals[item];
}

__attribute__((reqd_work_group_size(128, 1, 1)))
kernel void scanChunks(global int *restrict output, int n, const global int *restrict xs) {
    local int chunk[128][9];
    local int totals[128];
    int item = get_local_id(0);
    int first = 1024 * get_group_id(0);
    for (int i = 0; i < 8; i++) {
        int at = 128 * i + item;
        chunk[at / 8][at % 8] = xs[first + at];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = 0;
    for (int i = 0; i < 8; i++)
        sum += chunk[item][i];
    int total = totalOfGroup(sum, totals) - sum;
    for (int i = 0; i < 8; i++) {
        total += chunk[item][i];
        chunk[item][i] = total;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 8; i++) {
        int at = 128 * i + item;
        output[first + at] = chunk[at / 8][at % 8];
    }
}
