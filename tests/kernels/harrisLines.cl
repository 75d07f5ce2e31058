// Corners in a colour image, in strips of 32 lines by 128 columns: a group keeps three lines of brightness and three of
// derivatives in local memory, in rings.
float brightness(const global float *rgb, int plane, int at) {
    return 0.299f * rgb[at] + 0.587f * rgb[plane + at] + 0.114f * rgb[2 * plane + at];
}

__attribute__((reqd_work_group_size(128, 1, 1)))
kernel void harrisLines(global float *restrict output, int h, int w, const global float *restrict rgb) {
    local float grey[3][132];
    local float2 ixiy[3][130];
    int x = get_local_id(0);
    int left = 128 * get_group_id(0);
    int first = 32 * get_group_id(1);
    for (int i = 0; i < 36; i++) {
        for (int j = x; j < 132; j += 128)
            grey[i % 3][j] = brightness(rgb, (h + 4) * (w + 4), (first + i) * (w + 4) + left + j);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i >= 2) {
            const local float *a = grey[(i + 1) % 3];
            const local float *b = grey[(i + 2) % 3];
            const local float *c = grey[i % 3];
            for (int j = x; j < 130; j += 128) {
                float dx = a[j + 2] - a[j] + 2.0f * (b[j + 2] - b[j]) + (c[j + 2] - c[j]);
                float dy = c[j] - a[j] + 2.0f * (c[j + 1] - a[j + 1]) + (c[j + 2] - a[j + 2]);
                ixiy[i % 3][j] = (float2)(dx, dy) * (1.0f / 12.0f);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i >= 4) {
            float sxx = 0.0f, sxy = 0.0f, syy = 0.0f;
            #pragma unroll
            for (int k = 0; k < 3; k++)
                #pragma unroll
                for (int j = 0; j < 3; j++) {
                    float2 d = ixiy[k][x + j];
                    sxx += d.x * d.x;
                    sxy += d.x * d.y;
                    syy += d.y * d.y;
                }
            float trace = sxx + syy;
            output[(first + i - 4) * w + left + x] = sxx * syy - sxy * sxy - 0.04f * trace * trace;
        }
    }
}
