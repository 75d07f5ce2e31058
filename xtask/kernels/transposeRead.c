void transposeRead(float *restrict output, int n, int m, const float *restrict a) {
  for (int j = 0; j < m; j++)
    for (int i = 0; i < n; i++) output[j * n + i] = a[i * m + j];
}
