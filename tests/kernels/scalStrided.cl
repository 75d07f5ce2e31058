// alpha times an array, four numbers a work-item, those of neighbours side by side.
__attribute__((reqd_work_group_size(256, 1, 1)))
kernel void scalStrided(global float *restrict output, int n, float alpha, const global float *restrict xs) {
    int start = 1024 * get_group_id(0) + get_local_id(0);
    for (int i = 0; i < 4; i++)
        output[start + 256 * i] = alpha * xs[start + 256 * i];
}
