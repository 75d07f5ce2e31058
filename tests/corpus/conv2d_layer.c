void conv2dLayer_reference(
    float *restrict output, int n, int c, int o, int h, int w,
    const float *restrict images, const float *restrict weights, const float *restrict bias)
{
    #pragma omp parallel for collapse(2)
    for (int b = 0; b < n; b++) {
        for (int f = 0; f < o; f++) {
            float *result = &output[(b * o + f) * h * w];
            for (int i = 0; i < h * w; i++)
                result[i] = bias[f];

            for (int k = 0; k < c; k++) {
                const float *channel = &images[(b * c + k) * h * w];
                for (int p = 0; p < 3; p++) {
                    for (int q = 0; q < 3; q++) {
                        float weight = weights[((f * c + k) * 3 + p) * 3 + q];
                        int top = p == 0 ? 1 : 0;
                        int bottom = p == 2 ? h - 1 : h;
                        int left = q == 0 ? 1 : 0;
                        int right = q == 2 ? w - 1 : w;
                        for (int i = top; i < bottom; i++)
                            for (int j = left; j < right; j++)
                                result[i * w + j] += weight * channel[(i + p - 1) * w + j + q - 1];
                    }
                }
            }

            for (int i = 0; i < h * w; i++)
                result[i] = result[i] > 0.0f ? result[i] : 0.0f;
        }
    }
}
