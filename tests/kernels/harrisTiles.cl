// Corners in a colour image, in tiles of 16 by 32 whose brightness and derivatives are kept in local memory.
float brightness(const global float *rgb, int plane, int at) {
    return 0.299f * rgb[at] + 0.587f * rgb[plane + at] + 0.114f * rgb[2 * plane + at];
}

float2 derivatives(const local float *w, int line) {
    float x = w[2] - w[0] + 2.0f * (w[line + 2] - w[line]) + (w[2 * line + 2] - w[2 * line]);
    float y = w[2 * line] - w[0] + 2.0f * (w[2 * line + 1] - w[1]) + (w[2 * line + 2] - w[2]);
    return (float2)(x, y) * (1.0f / 12.0f);
}

float response(const local float2 *w, int line) {
    float sxx = 0.0f, sxy = 0.0f, syy = 0.0f;
    #pragma unroll
    for (int i = 0; i < 3; i++)
        #pragma unroll
        for (int j = 0; j < 3; j++) {
            float2 d = w[i * line + j];
            sxx += d.x * d.x;
            sxy += d.x * d.y;
            syy += d.y * d.y;
        }
    float trace = sxx + syy;
    return sxx * syy - sxy * sxy - 0.04f * trace * trace;
}

__attribute__((reqd_work_group_size(32, 8, 1)))
kernel void harrisTiles(global float *restrict output, int h, int w, const global float *restrict rgb) {
    local float grey[20][36];
    local float2 ixiy[18][34];
    int x = get_local_id(0);
    int y = get_local_id(1);
    int left = 32 * get_group_id(0);
    int top = 16 * get_group_id(1);
    for (int i = y; i < 20; i += 8)
        for (int j = x; j < 36; j += 32)
            grey[i][j] = brightness(rgb, (h + 4) * (w + 4), (top + i) * (w + 4) + left + j);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = y; i < 18; i += 8)
        for (int j = x; j < 34; j += 32)
            ixiy[i][j] = derivatives(&grey[i][j], 36);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = y; i < 16; i += 8)
        output[(top + i) * w + left + x] = response(&ixiy[i][x], 34);
}
