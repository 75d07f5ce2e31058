void blur_reference(float *restrict output, int h, int w, const float *restrict image)
{
    #pragma omp parallel for
    for (int i = 0; i < h; i++) {
        const float *above = &image[(i > 0 ? i - 1 : 0) * w];
        const float *row = &image[i * w];
        const float *below = &image[(i < h - 1 ? i + 1 : h - 1) * w];
        for (int j = 0; j < w; j++) {
            int left = j > 0 ? j - 1 : 0;
            int right = j < w - 1 ? j + 1 : w - 1;
            float sum = above[left] + 2.0f * above[j] + above[right]
                + 2.0f * row[left] + 4.0f * row[j] + 2.0f * row[right]
                + below[left] + 2.0f * below[j] + below[right];
            output[i * w + j] = sum / 16.0f;
        }
    }
}
