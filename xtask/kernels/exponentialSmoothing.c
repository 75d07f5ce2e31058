void exponentialSmoothing(float *restrict output, int n, float a, const float *restrict xs) {
  float y = 0.0f;
  for (int i = 0; i < n; i++) {
    y = (1.0f - a) * y + a * xs[i];
    output[i] = y;
  }
}
