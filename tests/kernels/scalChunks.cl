// alpha times an array, four numbers side by side a work-item.
__attribute__((reqd_work_group_size(256, 1, 1)))
kernel void scalChunks(global float *restrict output, int n, float alpha, const global float *restrict xs) {
    int start = 4 * get_global_id(0);
    for (int i = 0; i < 4; i++)
        output[start + i] = alpha * xs[start + i];
}
