void stencil1DClamped(float *restrict output, int n, const float *restrict xs) {
  for (int i = 0; i < n; i++) {
    const float before = xs[i > 0 ? i - 1 : 0];
    const float after = xs[i < n - 1 ? i + 1 : n - 1];
    output[i] = 0.25f * before + 0.5f * xs[i] + 0.25f * after;
  }
}
