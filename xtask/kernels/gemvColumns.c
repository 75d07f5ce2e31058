void gemvColumns(float *restrict output, int n, int m, const float *restrict columns, const float *restrict xs,
                 const float *restrict ys, float alpha, float beta) {
  for (int i = 0; i < m; i++) output[i] = beta * ys[i];
  for (int j = 0; j < n; j++) {
    const float a = alpha * xs[j];
    for (int i = 0; i < m; i++) output[i] += a * columns[j * m + i];
  }
}
