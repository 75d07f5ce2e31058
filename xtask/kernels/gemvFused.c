void gemvFused(float *restrict output, int n, int m, const float *restrict mat, const float *restrict xs,
               const float *restrict ys, float alpha, float beta) {
  for (int i = 0; i < m; i++) {
    float acc = 0.0f;
    for (int j = 0; j < n; j++) acc += mat[i * n + j] * xs[j];
    output[i] = alpha * acc + beta * ys[i];
  }
}
