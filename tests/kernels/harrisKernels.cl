// Corners in a colour image, in three kernels: brightness, derivatives, response.
// launch: harrisGrey local=[32,8] global=[32*ceilDiv(w+4,32),8*ceilDiv(h+4,8)] args=[grey:4*(h+4)*(w+4),h,w,rgb]
// launch: harrisSobel local=[32,8] global=[32*ceilDiv(w+2,32),8*ceilDiv(h+2,8)] args=[ixiy:8*(h+2)*(w+2),h,w,grey]
// launch: harrisResponse local=[32,8] global=[32*ceilDiv(w,32),8*ceilDiv(h,8)] args=[output,h,w,ixiy]
float brightness(const global float *rgb, int plane, int at) {
    return 0.299f * rgb[at] + 0.587f * rgb[plane + at] + 0.114f * rgb[2 * plane + at];
}

float2 derivatives(const global float *w, int line) {
    float x = w[2] - w[0] + 2.0f * (w[line + 2] - w[line]) + (w[2 * line + 2] - w[2 * line]);
    float y = w[2 * line] - w[0] + 2.0f * (w[2 * line + 1] - w[1]) + (w[2 * line + 2] - w[2]);
    return (float2)(x, y) * (1.0f / 12.0f);
}

float response(const global float2 *w, int line) {
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
kernel void harrisGrey(global float *restrict grey, int h, int w, const global float *restrict rgb) {
    int x = get_global_id(0);
    int y = get_global_id(1);
    if (x < w + 4 && y < h + 4)
        grey[y * (w + 4) + x] = brightness(rgb, (h + 4) * (w + 4), y * (w + 4) + x);
}

__attribute__((reqd_work_group_size(32, 8, 1)))
kernel void harrisSobel(global float2 *restrict ixiy, int h, int w, const global float *restrict grey) {
    int x = get_global_id(0);
    int y = get_global_id(1);
    if (x < w + 2 && y < h + 2)
        ixiy[y * (w + 2) + x] = derivatives(grey + y * (w + 4) + x, w + 4);
}

__attribute__((reqd_work_group_size(32, 8, 1)))
kernel void harrisResponse(global float *restrict output, int h, int w, const global float2 *restrict ixiy) {
    int x = get_global_id(0);
    int y = get_global_id(1);
    if (x < w && y < h)
        output[y * w + x] = response(ixiy + y * (w + 2) + x, w + 2);
}
