// alpha times an array, one vector of four numbers a work-item.
__attribute__((reqd_work_group_size(128, 1, 1)))
kernel void scalVectors(global float4 *restrict output, int n, float alpha, const global float4 *restrict xs) {
    int i = get_global_id(0);
    output[i] = alpha * xs[i];
}
