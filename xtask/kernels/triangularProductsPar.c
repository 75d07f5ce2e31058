void triangularProductsPar(float *restrict output, int b, int n, const float *restrict matrices,
                           const float *restrict xs) {
#pragma omp parallel for
  for (int t = 0; t < b; t++) {
    const float *rows = matrices + t * (n * (n + 1) / 2);
    for (int i = 0; i < n; i++) {
      float acc = 0.0f;
      for (int j = 0; j <= i; j++) acc += rows[j] * xs[j];
      output[t * n + i] = acc;
      rows += i + 1;
    }
  }
}
