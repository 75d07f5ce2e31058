void transposeReorder(float *restrict output, int n, int m, const float *restrict a) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) output[j * n + i] = a[i * m + j];
}
