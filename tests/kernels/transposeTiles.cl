// A matrix transposed in squares of 32 by 32 that turn in local memory; its rows are padded against bank conflicts.
__attribute__((reqd_work_group_size(32, 8, 1)))
kernel void transposeTiles(global float *restrict output, int n, int m, const global float *restrict a) {
    local float square[32][33];
    int x = get_local_id(0);
    int left = 32 * get_group_id(0);
    int top = 32 * get_group_id(1);
    for (int y = get_local_id(1); y < 32; y += 8)
        square[y][x] = a[(top + y) * m + left + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int y = get_local_id(1); y < 32; y += 8)
        output[(left + y) * n + top + x] = square[x][y];
}
