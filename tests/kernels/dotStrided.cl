// Sums of 2048 products each; the items of a group take every 128th pair.
__attribute__((reqd_work_group_size(128, 1, 1)))
kernel void dotStrided(global float *restrict output, int n, const global float *restrict xs,
                       const global float *restrict ys) {
    int start = 2048 * 128 * get_group_id(0) + get_local_id(0);
    float sum = 0.0f;
    for (int i = 0; i < 2048; i++)
        sum += xs[start + 128 * i] * ys[start + 128 * i];
    output[get_global_id(0)] = sum;
}
