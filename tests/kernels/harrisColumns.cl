// Corners in a colour image, in strips of 32 lines: a work-item goes down a column and keeps three lines of five
// brightnesses and three lines of three derivatives in registers.
float brightness(const global float *rgb, int plane, int at) {
    return 0.299f * rgb[at] + 0.587f * rgb[plane + at] + 0.114f * rgb[2 * plane + at];
}

float2 derivatives(const float *w, int line) {
    float x = w[2] - w[0] + 2.0f * (w[line + 2] - w[line]) + (w[2 * line + 2] - w[2 * line]);
    float y = w[2 * line] - w[0] + 2.0f * (w[2 * line + 1] - w[1]) + (w[2 * line + 2] - w[2]);
    return (float2)(x, y) * (1.0f / 12.0f);
}

float response(const float2 *w, int line) {
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

__attribute__((reqd_work_group_size(128, 1, 1)))
kernel void harrisColumns(global float *restrict output, int h, int w, const global float *restrict rgb) {
    int x = get_global_id(0);
    int first = 32 * get_global_id(1);
    if (x >= w)
        return;
    int plane = (h + 4) * (w + 4);
    int at = first * (w + 4) + x;
    float grey[3][5];
    float2 ixiy[3][3];
    #pragma unroll
    for (int i = 0; i < 2; i++)
        #pragma unroll
        for (int j = 0; j < 5; j++)
            grey[i + 1][j] = brightness(rgb, plane, at + i * (w + 4) + j);
    #pragma unroll
    for (int i = 0; i < 2; i++) {
        #pragma unroll
        for (int j = 0; j < 5; j++) {
            grey[0][j] = grey[1][j];
            grey[1][j] = grey[2][j];
            grey[2][j] = brightness(rgb, plane, at + (i + 2) * (w + 4) + j);
        }
        #pragma unroll
        for (int j = 0; j < 3; j++)
            ixiy[i + 1][j] = derivatives(&grey[0][j], 5);
    }
    for (int i = 0; i < 32; i++) {
        #pragma unroll
        for (int j = 0; j < 5; j++) {
            grey[0][j] = grey[1][j];
            grey[1][j] = grey[2][j];
            grey[2][j] = brightness(rgb, plane, at + (i + 4) * (w + 4) + j);
        }
        #pragma unroll
        for (int j = 0; j < 3; j++) {
            ixiy[0][j] = ixiy[1][j];
            ixiy[1][j] = ixiy[2][j];
            ixiy[2][j] = derivatives(&grey[0][j], 5);
        }
        output[(first + i) * w + x] = response(&ixiy[0][0], 3);
    }
}
