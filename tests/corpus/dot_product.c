void dotProduct_reference(float *restrict output, int n, const float *restrict xs, const float *restrict ys)
{
    float sum = 0.0f;
    for (int i = 0; i < n; i++)
        sum += xs[i] * ys[i];
    output[0] = sum;
}
