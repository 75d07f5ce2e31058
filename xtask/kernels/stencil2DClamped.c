void stencil2DClamped(float *restrict output, int n, int m, const float *restrict grid) {
  for (int i = 0; i < n; i++) {
    const float *above = grid + (i > 0 ? i - 1 : 0) * m;
    const float *here = grid + i * m;
    const float *below = grid + (i < n - 1 ? i + 1 : n - 1) * m;
    for (int j = 0; j < m; j++) {
      const float left = here[j > 0 ? j - 1 : 0];
      const float right = here[j < m - 1 ? j + 1 : m - 1];
      output[i * m + j] = (5.0f * above[j] + 12.0f * left + 15.0f * here[j] + 12.0f * right + 5.0f * below[j]) / 118.0f;
    }
  }
}
