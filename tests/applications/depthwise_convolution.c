void depthwiseConvolution_reference(
    float *restrict output, int n, int c, int h, int w,
    const float *restrict images, const float *restrict weights, const float *restrict bias)
{
    #pragma omp parallel for
    for (int plane = 0; plane < n * c; plane++) {
        const float *channel = &images[plane * h * w];
        const float *filter = &weights[plane % c * 9];
        for (int i = 0; i < h; i++) {
            for (int j = 0; j < w; j++) {
                float sum = bias[plane % c];
                for (int p = 0; p < 3; p++) {
                    for (int q = 0; q < 3; q++) {
                        int row = i + p - 1;
                        int column = j + q - 1;
                        if (row >= 0 && row < h && column >= 0 && column < w)
                            sum += filter[p * 3 + q] * channel[row * w + column];
                    }
                }
                output[(plane * h + i) * w + j] = sum > 0.0f ? sum : 0.0f;
            }
        }
    }
}
