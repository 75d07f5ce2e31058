void mmParTiled(float *restrict output, int n, int k, int m, const float *restrict a, const float *restrict b) {
#pragma omp parallel for
  for (int it = 0; it < n; it += 32)
    for (int jt = 0; jt < m; jt += 32) {
      float acc[32][32] = {{0}};
      for (int pt = 0; pt < k; pt += 32)
        for (int i = 0; i < 32; i++) {
          const float *row = a + (it + i) * k + pt;
          const float *tile = b + pt * m + jt;
          float line[32];
          for (int j = 0; j < 32; j++) line[j] = acc[i][j];
          for (int p = 0; p < 32; p++)
            for (int j = 0; j < 32; j++) line[j] += row[p] * tile[p * m + j];
          for (int j = 0; j < 32; j++) acc[i][j] = line[j];
        }
      for (int i = 0; i < 32; i++)
        for (int j = 0; j < 32; j++) output[(it + i) * m + jt + j] = acc[i][j];
    }
}
