// The running totals of 131072 times b numbers: the sums of chunks of 1024, their totals, and from these the chunks.
// launch: scanSums local=[128] global=[16384*b] args=[sums:512*b,b,xs]
// launch: scanEnds local=[128] global=[128] args=[ends:512*b,b,sums]
// launch: scanRest local=[128] global=[16384*b] args=[output,b,xs,ends]
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
kernel void scanSums(global int *restrict sums, int b, const global int *restrict xs) {
    local int parts[128];
    int item = get_local_id(0);
    int sum = 0;
    for (int i = 0; i < 8; i++)
        sum += xs[1024 * get_group_id(0) + 128 * i + item];
    parts[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int count = 64; count > 0; count /= 2) {
        if (item < count)
            parts[item] += parts[item + count];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0)
        sums[get_group_id(0)] = parts[0];
}

__attribute__((reqd_work_group_size(128, 1, 1)))
kernel void scanEnds(global int *restrict ends, int b, const global int *restrict sums) {
    local int totals[128];
    int first = b * get_local_id(0);
    int sum = 0;
    for (int i = 0; i < b; i++)
        sum += sums[first + i];
    int total = totalOfGroup(sum, totals) - sum;
    for (int i = 0; i < b; i++) {
        total += sums[first + i];
        ends[first + i] = total;
    }
}

__attribute__((reqd_work_group_size(128, 1, 1)))
kernel void scanRest(global int *restrict output, int b, const global int *restrict xs,
                     const global int *restrict ends) {
    int start = get_group_id(0) == 0 ? 0 : ends[get_group_id(0) - 1];
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
    int total = start + totalOfGroup(sum, totals) - sum;
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
