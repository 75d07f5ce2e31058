void columnTotals(float *restrict output, int n, int m, const float *restrict a) {
  for (int j = 0; j < m; j++) {
    float acc = 0.0f;
    for (int i = 0; i < n; i++) {
      acc += a[i * m + j];
      output[i * m + j] = acc;
    }
  }
}
