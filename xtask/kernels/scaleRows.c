void scaleRows(float *restrict output, int n, const float *restrict factors, const float *restrict rows) {
  for (int i = 0; i < n; i++) {
    const int start = i * (i + 1) / 2;
    for (int j = 0; j <= i; j++) output[start + j] = factors[i] * rows[start + j];
  }
}
