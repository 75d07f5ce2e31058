void mmRegisters(float *restrict output, int n, int k, int m, const float *restrict a, const float *restrict b) {
  for (int it = 0; it < n; it += 4)
    for (int jt = 0; jt < m; jt += 8) {
      float acc[4][8] = {{0}};
      for (int p = 0; p < k; p++)
        for (int i = 0; i < 4; i++)
          for (int j = 0; j < 8; j++) acc[i][j] += a[(it + i) * k + p] * b[p * m + jt + j];
      for (int i = 0; i < 4; i++)
        for (int j = 0; j < 8; j++) output[(it + i) * m + jt + j] = acc[i][j];
    }
}
