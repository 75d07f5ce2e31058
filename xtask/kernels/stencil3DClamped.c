void stencil3DClamped(float *restrict output, int n, int m, int o, const float *restrict grid) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      const float *here = grid + (i * m + j) * o;
      const float *north = grid + (i * m + (j > 0 ? j - 1 : 0)) * o;
      const float *south = grid + (i * m + (j < m - 1 ? j + 1 : m - 1)) * o;
      const float *back = grid + ((i > 0 ? i - 1 : 0) * m + j) * o;
      const float *front = grid + ((i < n - 1 ? i + 1 : n - 1) * m + j) * o;
      float *out = output + (i * m + j) * o;
      for (int k = 0; k < o; k++) {
        const float west = here[k > 0 ? k - 1 : 0];
        const float east = here[k < o - 1 ? k + 1 : o - 1];
        out[k] = 0.161f * east + 0.162f * west + 0.163f * south[k] + 0.164f * north[k] + 0.165f * back[k] +
                 0.166f * front[k] - 1.67f * here[k];
      }
    }
}
