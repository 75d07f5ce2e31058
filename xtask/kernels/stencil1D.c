void stencil1D(float *restrict output, int n, const float *restrict xs) {
  for (int i = 0; i < n; i++) output[i] = 0.25f * xs[i] + 0.5f * xs[i + 1] + 0.25f * xs[i + 2];
}
