void colourToGrey_reference(float *restrict output, int h, int w, const float *restrict image)
{
    #pragma omp parallel for
    for (int i = 0; i < h * w; i++)
        output[i] = 0.299f * image[3 * i] + 0.587f * image[3 * i + 1] + 0.114f * image[3 * i + 2];
}
