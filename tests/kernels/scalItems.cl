// alpha times an array, one work-item a number.
__attribute__((reqd_work_group_size(128, 1, 1)))
kernel void scalItems(global float *restrict output, int n, float alpha, const global float *restrict xs) {
    int i = get_global_id(0);
    if (i < n)
        output[i] = alpha * xs[i];
}
