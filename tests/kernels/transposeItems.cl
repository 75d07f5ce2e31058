// A matrix transposed, one work-item a number: written along the rows, read down the columns.
__attribute__((reqd_work_group_size(32, 8, 1)))
kernel void transposeItems(global float *restrict output, int n, int m, const global float *restrict a) {
    int x = get_global_id(0);
    int y = get_global_id(1);
    if (x < n && y < m)
        output[y * n + x] = a[x * m + y];
}
