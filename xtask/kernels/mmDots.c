void mmDots(float *restrict output, int n, int k, int m, const float *restrict a, const float *restrict b) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      float acc = 0.0f;
      for (int p = 0; p < k; p++) acc += a[i * k + p] * b[p * m + j];
      output[i * m + j] = acc;
    }
}
