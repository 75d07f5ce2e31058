void gemvParVectors(float *restrict output, int n, int m, const float *restrict mat, const float *restrict xs,
                    const float *restrict ys, float alpha, float beta) {
#pragma omp parallel for
  for (int i = 0; i < m; i++) {
    const float *row = mat + i * n;
    float acc[8] = {0};
    for (int j = 0; j < n; j += 8)
      for (int l = 0; l < 8; l++) acc[l] += row[j + l] * xs[j + l];
    float sum = 0.0f;
    for (int l = 0; l < 8; l++) sum += acc[l];
    output[i] = alpha * sum + beta * ys[i];
  }
}
