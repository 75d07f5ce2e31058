void stencil1DRotated(float *restrict output, int n, const float *restrict xs) {
  float a = xs[0], b = xs[1];
  for (int i = 0; i < n; i++) {
    const float c = xs[i + 2];
    output[i] = 0.25f * a + 0.5f * b + 0.25f * c;
    a = b;
    b = c;
  }
}
