void mmRows(float *restrict output, int n, int k, int m, const float *restrict a, const float *restrict b) {
  for (int i = 0; i < n; i++) {
    float *row = output + i * m;
    for (int j = 0; j < m; j++) row[j] = 0.0f;
    for (int p = 0; p < k; p++) {
      const float x = a[i * k + p];
      for (int j = 0; j < m; j++) row[j] += x * b[p * m + j];
    }
  }
}
