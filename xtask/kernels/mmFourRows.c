void mmFourRows(float *restrict output, int n, int k, int m, const float *restrict a, const float *restrict b) {
  for (int i = 0; i < n; i++) {
    float *row = output + i * m;
    for (int j = 0; j < m; j++) row[j] = 0.0f;
    for (int p = 0; p < k; p += 4) {
      const float *x = a + i * k + p;
      const float *b0 = b + p * m, *b1 = b0 + m, *b2 = b1 + m, *b3 = b2 + m;
      for (int j = 0; j < m; j++) row[j] = row[j] + x[0] * b0[j] + x[1] * b1[j] + x[2] * b2[j] + x[3] * b3[j];
    }
  }
}
